//! Several packets that are answered at once: their list, what became of them, taking them back.

use crate::text::{Sentence, say};

// ---- Review and list ----

pub const SAME_IN_ONE: Sentence =
    say("The same questions wait in 1 more packet: {1}", "另有 1 个等待中的指令包，问题完全相同：{1}");
pub const SAME_IN_MANY: Sentence =
    say("The same questions wait in {0} more packets: {1}", "另有 {0} 个等待中的指令包，问题完全相同：{1}");
pub const TOO_ONE: Sentence = say("Submitting answers 1 more packet: {1}", "提交时一并回答 1 个指令包：{1}");
pub const TOO_MANY: Sentence =
    say("Submitting answers {0} more packets: {1}", "提交时一并回答 {0} 个指令包：{1}");
pub const SAME_SHORT: Sentence = say("{0} more", "另 {0} 个");
pub const SAME_NOTICE: Sentence = say(
    "The same questions wait in other packets; {review.all} lists them: {0}",
    "另有指令包问题完全相同，按 {review.all} 查看：{1}",
);
pub const LOOKING_FOR_PACKETS: Sentence =
    say("Still looking for packets with these questions.", "还在查找问题相同的指令包。");
pub const NO_OTHER_PACKETS: Sentence =
    say("No other packet waits with these questions.", "没有其他指令包在等待同样的问题。");
pub const PACKETS: Sentence = say("Other packets with these questions", "问题相同的其他指令包");
pub const TICKED: Sentence = say("{0} of {1} ticked", "已勾选 {0}/{1}");
pub const TICKS_FIRST: Sentence = say(
    "{accept} goes back to the review with these ticks; submit there.",
    "先按 {accept} 带着勾选回到核对，再在那里提交。",
);
pub const NO_PACKET_PASSES: Sentence = say("No packet matches “{0}”.", "没有与“{0}”相符的指令包。");
pub const NOT_TAKEN_FOR: Sentence = say("cannot be answered: {0}", "不能一并回答：{0}");
pub const HAS_DRAFT: Sentence = say("has a draft of its own", "另有自己的草稿");
pub const SUBMIT_TO: Sentence = say("Submit to {0} packets", "提交到 {0} 个指令包");
pub const SUBMITTING_PART: Sentence = say("writing… {0} of {1}", "写入中… {0}/{1}");
pub const BATCH_DRAFT: Sentence =
    say("This gate has a draft of its own, which stays.", "这个门控另有一份草稿，会保留。");

// ---- Receipt ----

pub const BATCH_RECEIPT: Sentence = say("The same answers for other packets:", "其他指令包（同样的回答）：");
pub const BATCH: Sentence = say("What was written", "写入情况");
pub const BATCH_WRITTEN: Sentence = say("written and verified", "已写入，读回无误");
pub const BATCH_NOT_WRITTEN: Sentence = say("Not written: {0}", "未写入：{1}");
pub const BATCH_UNNOTED: Sentence =
    say("written, but the history does not have it: {0}", "已写入，但没有记入历史：{1}");
pub const BATCH_MORE: Sentence =
    say("… {0} more, all written · {expand} lists them", "… 另有 {0} 个均已写入 · {expand} 列出");

// ---- Taking back ----

pub const TAKE_BACK: Sentence = say("take back", "撤回");
pub const TAKE_BACK_HINT: Sentence =
    say("{undo-redo} takes back what is unused.", "按 {undo-redo} 撤回尚未用到的记录。");
pub const TAKING_BACK: Sentence = say("Taking back: {0} of {1} …", "撤回中：{0}/{1}…");
pub const TAKEN_BACK: Sentence = say(
    "{0} taken back into the history; the gates wait again. {inbox.undo-redo} on a gate puts its record back.",
    "已撤回 {1} 份记录并存入历史，门控重新等待回答。在门控上按 {inbox.undo-redo} 可恢复它的记录。",
);
pub const TAKEN_BACK_BUT: Sentence =
    say("{0} taken back; {2} left, with the reason above.", "已撤回 {1} 份记录；{3} 份未撤回，原因见上。");
pub const TAKEN_BACK_PAGE: Sentence = say("What was taken back", "撤回情况");
pub const IS_TAKEN_BACK: Sentence = say("taken back; the gate waits again", "已撤回，门控重新等待");
pub const LEFT: Sentence = say("Left: {0}", "未撤回：{1}");
pub const LEFT_PICKED_UP: Sentence =
    say("Left: the executor has already taken the answers.", "未撤回：执行器已取走回答。");
pub const LEFT_OTHER: Sentence =
    say("Left: somebody has replaced or removed the record.", "未撤回：记录已被替换或移走。");
pub const LEFT_MADE: Sentence = say("Left: the step has already made {0}.", "未撤回：这一步已产出 {0}。");
pub const LEFT_PASSED: Sentence =
    say("Left: the checkpoint has passed this step.", "未撤回：检查点已越过这一步。");
