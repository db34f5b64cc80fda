//! What the console tells the author when something happened: notices and banners.

use crate::store::history::Reason;
use crate::text::{Sentence, say};

// ---- Answering ----

pub const RESERVED_WORDS: Sentence = say(
    "{0} is a command of the executors' dialogues and cannot be an answer. Please write something else.",
    "{0} 是执行器对话中的控制词，不能作为回答，请换一个说法。",
);
pub const OTHER_NOT_ALLOWED: Sentence = say("Only the options can be chosen here.", "此题只能从选项中选择。");
pub const TICKS_CHANGED: Sentence =
    say("Ticks changed: {0}. Ctrl+_ takes that back.", "已更改 {0} 处勾选，按 Ctrl+_ 撤销。");
pub const ANSWER_SET_ASIDE: Sentence =
    say("The answer is set aside. Ctrl+_ brings it back.", "回答已放在一边，按 Ctrl+_ 恢复。");
pub const NOTE_SET_ASIDE: Sentence =
    say("The note is set aside. Ctrl+_ brings it back.", "备注已放在一边，按 Ctrl+_ 恢复。");
pub const TAKEN_BACK: Sentence = say("The answer is as it was before.", "回答已恢复为之前的样子。");
pub const STILL_MISSING: Sentence =
    say("“{0}” must be answered first. Nothing was written.", "“{0}”必须先回答。尚未写入任何内容。");
pub const DRAFT_RESTORED: Sentence = say(
    "Your earlier answers are back (kept {0}). Nothing is sent until you submit.",
    "已恢复之前的回答（保存于 {0}）。提交前不会写入。",
);
pub const DRAFT_NOT_KEPT: Sentence = say(
    "Your answers cannot be kept on disk: {0}. They are safe only while this program runs.",
    "回答无法保存到磁盘：{1}。程序运行期间不会丢失，退出前请留意。",
);

pub const ANSWERED_ELSEWHERE: Sentence = say(
    "Another console is answering this gate ({0}, since {1}). The first record written counts; nothing of yours is lost.",
    "另一个控制台正在回答这个门控（{0}，始于 {1}）。先写入的记录生效，你的内容不会丢失。",
);

// ---- The gate changes while it is open ----

pub const CONFLICT: Sentence = say(
    "Conflict: {0} and {1} want different answers in one place. One record cannot answer both; have one of them written anew.",
    "冲突：{0} 与 {1} 要在同一位置写入不同的回答。一份记录无法同时回答两者，请让执行器重新生成其中一个。",
);
pub const NOTHING_CHANGED: Sentence =
    say("The packet asks what it asked when this form was opened.", "指令包的问题自打开以来没有变化。");
pub const QUESTIONS_MOVED: Sentence = say(
    "What is shown has just changed; this key was not taken.",
    "显示的内容刚刚发生变化，这次按键未生效。",
);
pub const PACKET_GONE: Sentence = say(
    "The packet is gone or cannot be used any more: {0} Your answers are kept.",
    "指令包已不在或无法使用：{1}回答已保留。",
);
pub const RECORD_CAME_FIRST: Sentence = say(
    "A record by {0} is already there. Yours is not written; your answers are kept.",
    "{0} 已经写入记录。你的回答未写入，仍然保留。",
);
pub const BAD_RECORD_CAME_FIRST: Sentence = say(
    "An invalid record is already there. Yours is not written; your answers are kept. Back in the inbox, Enter repairs that record with them.",
    "那里已有一份无效的记录。你的回答未写入，仍然保留。回到列表按 Enter，可用它们修复那份记录。",
);

pub const NO_FILE_THERE: Sentence = say(
    "Where the record belongs lies {0}, not a file. Nothing can be written until it is moved away; your answers are kept.",
    "记录的位置上是{1}，不是文件。移走它之前无法写入；回答已保留。",
);
pub const ANSWERS_GO_ELSEWHERE: Sentence = say(
    "The packet wants the answers in another place now: {0}. They are kept and will go there.",
    "指令包要求把回答写到新的位置：{0}。回答已保留，将写到那里。",
);

pub const ROOT_GONE: Sentence = say(
    "The project's directory is gone. Your answers are kept; they will be here when it is back.",
    "项目目录已不存在。回答已保留，目录恢复后即可继续。",
);

pub const NEW_GATE: Sentence = say("● One more gate waits in the inbox.", "● 列表中又有一个门控在等待。");

// ---- Submitting ----

pub const NOT_WRITTEN_EXISTS: Sentence = say(
    "Not written: a record came first. Your answers are kept.",
    "未写入：已有记录抢先写入。你的回答仍然保留。",
);
pub const NOT_WRITTEN_CHANGED: Sentence = say(
    "Not written: the packet asks something else now. Your answers are kept.",
    "未写入：指令包的问题已变化。你的回答仍然保留。",
);
pub const NOT_WRITTEN: Sentence =
    say("Not written. {0} Your answers are kept.", "未写入。{1}你的回答仍然保留。");
pub const RECORD_REPLACED: Sentence = say(
    "The record is no longer the one you wrote: someone replaced or removed it.",
    "记录已不是你写入的那一份：有人替换或删除了它。",
);

pub const CANNOT_PUT_BACK: Sentence = say(
    "What lies there is no file that could go to the history. Move it away first.",
    "那里不是可以存入历史的文件，请先移走它。",
);
pub const PUT_BACK: Sentence = say(
    "Your record is back in its place, byte for byte. What lay there is in the history.",
    "你的记录已原样放回。原来在那里的内容已存入历史。",
);

// ---- Opening, redo, undo ----

pub const ALREADY_ANSWERED: Sentence =
    say("This gate is answered already. Redo it to answer again.", "这个门控已经回答。重做后可再次作答。");
pub const ASKS_NOTHING: Sentence = say("This packet asks nothing.", "这个指令包没有提问。");
pub const CANNOT_OPEN: Sentence = say("Cannot open this packet. {0}", "无法打开这个指令包。{1}");
pub const NOTHING_TO_REDO: Sentence = say("There is no record to redo here.", "这里没有可以重做的记录。");
pub const REDONE: Sentence = say(
    "The record is removed and kept; the gate waits again. Ctrl+U puts it back.",
    "记录已移除并留存，门控重新等待回答。按 Ctrl+U 可恢复。",
);
pub const RESTORED: Sentence =
    say("The removed record of {0} is back, byte for byte.", "已原样恢复 {0} 移除的记录。");
pub const NOTHING_TO_UNDO: Sentence = say("There is nothing to undo here.", "这里没有可以撤销的操作。");
pub const PLAIN: Sentence = say("{0}", "{1}");

// ---- Repairing a bad record, editing it by hand ----

pub const REPAIR_BEGINS: Sentence = say(
    "What is still valid is filled in; submitting replaces the bad record.",
    "仍有效的回答已填入；提交时替换无效的记录。",
);
pub const YOURS_ABOVE_THE_RECORD: Sentence = say(
    "Your own earlier answers are back and stand above what the bad record says. Both are shown; F7 takes the other one.",
    "已恢复你自己先前的回答，它们优先于无效记录中的内容。两者都会显示，按 F7 换成另一个。",
);
pub const NO_OTHER_ANSWER: Sentence =
    say("There is no other answer to this question.", "这道题没有另一个回答。");
pub const NO_RECORD_TO_REPAIR: Sentence = say(
    "What lies at the answer path is no record that can be repaired here: {0}.",
    "回答路径上的东西不是可以在这里修复的记录：{1}。",
);
pub const BAD_RECORD_CHANGED: Sentence = say(
    "The record has changed since it was shown; this is how it is now. Your answers are kept.",
    "记录在显示之后发生了变化，现在显示的是最新内容。你的回答仍然保留。",
);
pub const BAD_RECORD_GONE: Sentence = say(
    "The bad record is gone. Submitting writes a new one; your answers are kept.",
    "无效的记录已不在。提交时写入新的记录，你的回答仍然保留。",
);
pub const NOT_WRITTEN_MOVED: Sentence = say(
    "Not written: the record is not the one that was shown. Please look at it again; your answers are kept.",
    "未写入：记录已不是刚才显示的那一份。请再看一遍，你的回答仍然保留。",
);
pub const NOTHING_TO_EDIT: Sentence = say("There is no record to edit here.", "这里没有可以编辑的记录。");
pub const EDIT_UNCHANGED: Sentence =
    say("The text was not changed; nothing was written.", "文本没有改动，未写入任何内容。");
pub const EDIT_INVALID: Sentence = say(
    "The edited text is not valid yet and was not written. It is kept: Ctrl+G goes on editing.",
    "编辑后的文本还不是有效的记录，未写入，已保留。按 Ctrl+G 继续编辑。",
);
pub const EDIT_KEPT: Sentence = say(
    "Not written. The edited text is kept: Ctrl+G goes on editing.",
    "未写入。编辑后的文本已保留，按 Ctrl+G 继续编辑。",
);
pub const EDIT_AGAIN: Sentence = say(
    "This is your edited text from before, not the record.",
    "这是你上次编辑后保留的文本，不是记录原文。",
);
pub const EDIT_DROPPED: Sentence =
    say("The edited text is gone; the record is as it was.", "编辑后的文本已丢弃，记录保持原样。");
pub const EDIT_RECORD_CHANGED: Sentence = say(
    "Not written: the record changed while it was edited. Your text is kept: Ctrl+G goes on with it.",
    "未写入：编辑期间记录发生了变化。你的文本已保留，按 Ctrl+G 继续编辑。",
);
pub const EDIT_RECORD_GONE: Sentence = say(
    "Not written: the record went while it was edited. Your text is kept: Ctrl+G goes on with it.",
    "未写入：编辑期间记录已不在。你的文本已保留，按 Ctrl+G 继续编辑。",
);
pub const EDIT_NOT_WRITTEN: Sentence =
    say("Not written. {0} Your text is kept.", "未写入。{1}你的文本已保留。");

// ---- A record that went ----

pub const DELETED_BY_HAND: Sentence = say(
    "The record is gone. Its last known answers ({0}, {1} UTC) are filled in; nothing is sent until you submit.",
    "记录已不在。已填入最后已知的回答（{0}，{1} UTC），提交前不会写入。",
);
pub const RECORD_DELETED: Sentence = say(
    "The record of {0} was deleted: the gate waits again, with its last known answers filled in.",
    "{0} 的记录被删除，门控重新等待回答，表单会填入最后已知的回答。",
);

// ---- Faults of the program itself ----

pub const NOT_WATCHING: Sentence = say(
    "The files cannot be watched: {0}. Please start the console again.",
    "无法监视文件：{1}。请重新启动控制台。",
);

pub const EDITOR_FAILED: Sentence =
    say("The editor did not end well; the text is as it was.", "编辑器未正常结束，文本保持原样。");
pub const EDITOR_NOT_FOUND: Sentence = say(
    "The editor could not be started; the text is as it was. The variable EDITOR names the one to use.",
    "无法启动编辑器，文本保持原样。用环境变量 EDITOR 指定要用的编辑器。",
);
pub const EDITOR_FAILED_KEPT: Sentence = say(
    "The editor did not end well; nothing was written. Your edited text is kept: Ctrl+G goes on editing.",
    "编辑器未正常结束，未写入任何内容。编辑后的文本已保留，按 Ctrl+G 继续编辑。",
);
pub const EDITOR_FAILED_ASIDE: Sentence = say(
    "The editor did not end well; the text is as it was. What you wrote there is put aside: F7 takes it.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容已放在一边，按 F7 采用。",
);
pub const EDITOR_FAILED_BESIDE: Sentence = say(
    "The editor did not end well; the text is as it was. What you wrote there is shown below.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容显示在下方。",
);

// ---- The history of a gate ----

pub const HISTORY: Sentence = say("History", "历史");
pub const HISTORY_EMPTY: Sentence =
    say("Nothing has been written for this gate yet.", "这个门控还没有写入过任何记录。");
pub const HISTORY_NOTHING_PASSES: Sentence =
    say("No entry has {0} in it. Esc shows all again.", "没有含“{0}”的条目。按 Esc 显示全部。");
pub const HISTORY_OF_PROJECT: Sentence = say("History of the whole project", "整个项目的历史");
pub const HISTORY_OF_PROJECT_EMPTY: Sentence =
    say("Nothing has been written in this project yet.", "这个项目还没有写入过任何记录。");
pub const HISTORY_OF_PROJECT_INSTEAD: Sentence = say(
    "An unusable packet does not say where its answers go; this is the history of the whole project.",
    "这个指令包无法使用，不知道回答写在哪里；这里显示整个项目的历史。",
);
pub const NO_PACKET_ASKS: Sentence = say(
    "Not put back: no packet asks for this record any more. It stays here to be read.",
    "未恢复：已没有指令包需要这份记录。它仍留在历史中，可以查看。",
);
pub const RESTORE_WHICH: Sentence = say("Kept {0}, answered by {1}.", "留存于 {0}，由 {1} 回答。");
pub const RESTORE_BLOCKS: Sentence = say(
    "It does not fit what is asked now: the step will be blocked until the record is repaired.",
    "它不符合现在的提问：恢复后步骤会受阻，直到记录被修复。",
);
pub const OURS_REPLACED: Sentence = say(
    "This is not the record that was written from here ({0}, {1} UTC): somebody replaced it. Ctrl+U puts that one back.",
    "这不是从这里写入的记录（{0}，{1} UTC）：有人替换了它。按 Ctrl+U 恢复那一份。",
);
pub const OURS_GONE: Sentence = say(
    "The record that was written from here ({0}, {1} UTC) is gone: somebody removed it. Ctrl+U puts it back.",
    "从这里写入的记录（{0}，{1} UTC）已不在：有人移走了它。按 Ctrl+U 恢复。",
);
pub const REDO_CAN_BE_UNDONE: Sentence =
    say("Its record was removed from here. Ctrl+U puts it back.", "它的记录是从这里移走的。按 Ctrl+U 恢复。");
pub const ENTRY_INVALID: Sentence =
    say("This record was not valid for what was asked.", "这份记录不符合当时的提问。");
pub const INVALID_MARK: Sentence = say("invalid", "无效");
pub const ENTRY_IS_THERE: Sentence =
    say("The record that is there now says exactly this.", "现有记录与此条目完全相同。");
/// What happened to the record of an entry.
pub fn entry_means(reason: Reason) -> Sentence {
    match reason {
        Reason::Answered => say("Written from here.", "从这里写入。"),
        Reason::Repaired => {
            say("Written from here, in the place of an invalid record.", "从这里写入，替换了无效的记录。")
        }
        Reason::Redone => {
            say("Removed from here, so that the gate waits again.", "从这里移走，门控重新等待回答。")
        }
        Reason::Replaced => {
            say("Moved here to make room for another record.", "为另一份记录让位，移入历史。")
        }
        Reason::Restored => say("Put back from the history.", "从历史中恢复。"),
        Reason::Seen => {
            say("Written by somebody else, and kept when it was seen.", "由别人写入，见到时留存。")
        }
    }
}
pub const ENTRY_FIRST: Sentence = say("The first entry of this gate.", "这个门控的第一个条目。");
pub const ENTRY_SAME: Sentence = say("The same as the entry before it.", "与前一条目相同。");
pub const ENTRY_DIFFERS: Sentence =
    say("− what the entry before it answers, + what this one answers", "− 前一条目的回答，+ 此条目的回答");
pub const ENTRY_ANSWERS_NOTHING: Sentence =
    say("It holds no answers that can be read.", "其中没有可读取的回答。");
pub const NO_ANSWER_GIVEN: Sentence = say("(no answer)", "（没有回答）");
pub const RESTORE_ASKS: Sentence = say("Put this record of {0} back?", "恢复 {0} 的这份记录？");
pub const RESTORE_MEANS: Sentence = say(
    "No record is there now. It comes back byte for byte, and the gate has its answers again.",
    "现在没有记录。它将逐字节恢复，门控重新得到回答。",
);
pub const RESTORE_REPLACES: Sentence = say(
    "It takes the place of the record that is there now, which goes to the history first.",
    "它将取代现有的记录，现有记录会先存入历史。",
);
pub const ENTRY_RESTORED: Sentence =
    say("The record is back as it was in this entry.", "记录已恢复为此条目中的样子。");
pub const ENTRY_NOT_RESTORED: Sentence =
    say("Not put back. {0} The history is shown as it is now.", "未恢复。{1}历史已按现状重新显示。");
