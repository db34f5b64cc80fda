//! Sentences that several parts of the console say, or that are too long for the place where they are said; times, lengths and
//! counts in words. `{0}` … are gaps.

use crate::ask::draft::SaidAs;
use crate::ask::mend::Change;
use crate::error::Error;
use crate::platform::paths::Shown as _;
pub use crate::store::clock::{age, ago};
use crate::store::drafts::autosave::Unsaved;
use crate::store::file::LoadFault;
use crate::store::gate::Loaded;
pub use crate::store::gate::{ORPHANED, STEP_PASSED};
use crate::store::history::{EntryKind, HistoryEntry, Reason};
use crate::store::record::{Record, RecordState};
use crate::text::{Lang, Message, Safe, Sentence, count, say};

// The list of gates.

pub const OLDER: Sentence = say("older than the question", "早于问题");
pub const UNTOLD: Sentence = say("untold", "未告知");
pub const OUTDATED: Sentence = say("changed since", "已变化");
pub const OUTDATED_MEANS: Sentence = say(
    "The text has changed since you approved it. {inbox.redo} in the inbox takes the approval back.",
    "你通过之后，文稿又改动了。在列表按 {inbox.redo} 收回这次通过。",
);
pub const PAST: Sentence = say("past", "已过");
pub const WAITING_MEANS: Sentence =
    say("no record yet: the step is waiting for you", "还没有记录，步骤在等你");
pub const BLOCKED_MEANS: Sentence =
    say("the record is not valid: the step is waiting for you", "记录无效，步骤在等你");
pub const MALFORMED_MEANS: Sentence = say("this packet cannot be used as it is", "这个指令包无法使用");
pub const SENT_BACK_MEANS: Sentence =
    say("you have refused it: the executor is to bring another", "你没有通过：等执行器拿出新的来");
pub const ANSWERED_MEANS: Sentence =
    say("there is a valid record: the step may run", "记录有效，步骤可以执行");
pub const NO_GATE_MEANS: Sentence =
    say("the packet asks nothing: the step may run", "指令包没有提问，步骤可以执行");
pub const MISSPELT_MEANS: Sentence =
    say("the executor sees no gate and may start the step", "执行器看不到门控，可能直接开始这一步");
pub const COPY_MEANS: Sentence = say("a copy of a packet: it asks nothing", "指令包的副本，不会提问");
pub const UNREADABLE_CHECKPOINT: Sentence =
    say("which steps are done is not known for certain", "无法确定哪些步骤已完成");
pub const PAST_MEANS: Sentence = say("the checkpoint has passed this step", "检查点已越过这一步");
pub const DRAFT_MEANS: Sentence = say("draft, not submitted", "草稿，未提交");
pub const NOT_SUBMITTED: Sentence = say("you have answers not submitted", "你有未提交的回答");
pub const YOUR_DRAFT: Sentence = say("your answers", "你的回答");
pub const DRAFT_LATE: Sentence = say(
    "There is a record already. {redo} removes it; the form then holds your answers.",
    "这里已有记录。按 {redo} 移走它，表单会填入你的这些回答。",
);
pub const KEPT_BESIDE: Sentence = say("kept for you, in no record", "为你保留的内容，不在记录中");
pub const KEPT_BESIDE_MEANS: Sentence = say(
    "{redo} removes the record; the form then has these words.",
    "按 {redo} 移走记录后，这些内容会回到表单。",
);
pub const TYPED: Sentence = SaidAs::Typed.label();
pub const KEPT_MEANS: Sentence = say(
    "It joins its gate by itself once a packet asks for answers in the same place again. {copy} copies what you typed, {redo} drops it.",
    "再有指令包要求把回答写到同一处时，草稿会自动回到那个门控。按 {copy} 复制你写的内容，按 {redo} 丢弃。",
);
pub const LATER_MEANS: Sentence = say("the step is waiting for you", "步骤在等你");
pub const UNTIL: Sentence = say("until {0}", "推迟到{0}");
pub const PUT_OFF: Sentence = say("Put off {0}. {later} brings it back.", "已{1}。按 {later} 取回。");
pub const NOTHING_TO_PUT_OFF: Sentence =
    say("Only a gate that waits or is blocked can be put off.", "只有等待或受阻的门控可以推迟。");
pub const EMPTY_LOOKING: Sentence = say("Looking for gates in staging/ …", "正在 staging/ 中查找门控…");
pub const EMPTY: Sentence = say("No gates yet.", "还没有门控。");
pub const EMPTY_UNREAD: Sentence = say(
    "Not everything in staging/ could be looked at, so there may be gates.",
    "未能查看 staging/ 中的全部内容，其中可能有门控。",
);
pub const EMPTY_HINT: Sentence = say(
    "What do you want to decide? Say it once: {questions} shows what you can be asked. Then you are asked here before the right \
     steps. To look around first: novel-gate demo.",
    "哪些事要由你决定？说一次就行：按 {questions} 看看能问什么。到了那些步骤之前，就会在这里问你。想先看看：novel-gate demo。",
);
pub const QUESTIONS_ONE: Sentence = say("1 question", "1 题");
pub const QUESTIONS_MANY: Sentence = say("{0} questions", "{0} 题");
pub const MORE_BELOW: Sentence = say("↓ {0} more", "↓ 还有 {0} 项");
pub const HANDED_BACK: Sentence = say(
    "{0} is handed back, for the executor to ask it there. What you have answered is kept.",
    "{0} 已交还，由执行器自己提问。已作的回答已保留。",
);
pub const TAKEN_AWAY: Sentence = say(
    "{0} is taken away: nobody waited for it any more. What you have answered is kept.",
    "{0} 已撤下：已没有执行器在等它。已作的回答已保留。",
);
pub const ASKS_NOTHING: Sentence = say("This packet asks nothing.", "这个指令包没有提问。");
pub const PACKET_MALFORMED: Sentence =
    say("Cannot open this packet: it has errors, see its details.", "无法打开：指令包有误，见详情。");
pub const NOTHING_LISTED: Sentence = say("Nothing is listed here.", "列表是空的。");
pub const TO_THE_QUESTIONS: Sentence = say("to the questions", "返回常设提问");
pub const NOTHING_HERE: Sentence = say(
    "This key does nothing here; {help} lists those that do.",
    "此键在这里不起作用；按 {help} 查看可用的键。",
);
pub const NOTHING_TO_REDO: Sentence =
    say("There is no record to take back here.", "这里没有可以收回的记录。");
pub const NOTHING_TO_UNDO: Sentence = say("There is nothing to put back here.", "这里没有可以放回的记录。");

// Details of a gate.

pub const DETAILS: Sentence = say("Details", "详情");
/// What Enter does with what can be neither answered nor repaired.
pub const DETAILS_KEY: Sentence = say("details", "详情");
pub const LOADING: Sentence = say("opening…", "读取中…");
pub const PACKET: Sentence = say("packet", "指令包");
pub const ANSWERS_GO_TO: Sentence = say("answers go to", "回答写入");
pub const CONFLICT_WITH: Sentence = say("conflict: other questions, same place", "冲突：同一位置，问题不同");
pub const CONFLICT_MEANS: Sentence = say(
    "One record cannot answer both packets. Have the executor write one of them again before you answer.",
    "一份记录无法同时回答两个指令包。作答之前，请让执行器重新生成其中一个。",
);
pub const SAME_GATE_MEANS: Sentence =
    say("It asks the same questions; one record answers both.", "问题完全相同，一份记录即可回答。");
pub const OUTPUTS_FOLDED: Sentence =
    say("{0} outputs, {1} there · {expand} lists them", "{0} 个产出，{1} 已有 · {expand} 列出");
pub const THERE: Sentence = say("there, {0}", "已有，{0}");
pub const NOT_THERE: Sentence = say("not there yet", "尚无");
pub const MORE_QUESTIONS: Sentence = say("… {0} more questions, in the form", "… 另有 {0} 题，见表单");
pub const REST_IN_FILE: Sentence = say("… the rest is in the file itself", "… 其余内容请看文件本身");
pub const NOT_ANSWERED: Sentence = say("left blank", "留空");
pub const PROBLEMS_ONE: Sentence = say("1 problem", "1 处错误");
pub const PROBLEMS_MANY: Sentence = say("{0} problems", "{0} 处错误");
pub const WHOLE_FILE: Sentence = say("(the whole file)", "（整个文件）");
pub const CANNOT_WRITE: Sentence = say("No record can be written there. {0}", "无法在那里写入记录。{0}");
pub const REPAIR_HINT: Sentence = say(
    "{accept} repairs it in the form, the answers that are still valid filled in.",
    "按 {accept} 在表单中修复，仍有效的回答已填好。",
);
pub const UNREADABLE_HINT: Sentence = say(
    "The file where the record should be cannot be repaired here. Move it away; the gate then waits for \
     your answers.",
    "记录位置上的文件无法在这里修复。请把它移走，之后门控会等待你的回答。",
);
pub const MALFORMED_HINT: Sentence = say(
    "The executor must write this packet again; you cannot answer it here.",
    "需要由执行器重新生成这个指令包，这里无法作答。",
);
pub const QUESTION_FILE_HINT: Sentence = say(
    "This is a file of your standing questions. {inbox.questions} lists it with line and column of each mistake, and opens it in your \
     editor.",
    "这是你的常设提问文件。按 {inbox.questions} 可以看到每处错误的行号和列号，并用编辑器打开它。",
);
pub const REWRITE_PACKET: Sentence = say(
    "The instruction packet {0} cannot be used: {1} Please write it again with every problem corrected, at the same path.",
    "指令包 {0} 无法使用：{1}请改正所有错误，在原路径重新写入该指令包。",
);
/// One change to a text: where, what goes and what comes.
pub fn change(change: &Change, lang: Lang) -> String {
    let is_blank = |c: char| c.is_whitespace() && c != '\n' && c != '\t' || is_zero_width(c);
    let shown = |text: &str| match text {
        "" => say("nothing", "（无）").text(lang).to_owned(),
        // Nobody sees these.
        text if text.chars().all(is_blank) => {
            text.chars().map(|c| format!("U+{:04X}", u32::from(c))).collect::<Vec<_>>().join(" ")
        }
        text => Safe::line(&text.replace('\n', "⏎").replace('\t', "⇥")).into_string(),
    };
    if change.times > 1 {
        let parts = [&*change.slip.found().text(lang), &*change.times.to_string(), &*shown(&change.new)];
        return say("{0}: all {1} go, and it reads {2}", "{0}：共 {1} 处，全部去掉后是 {2}")
            .fill(lang, &parts);
    }
    let (line, column) = (change.slip.line.to_string(), change.slip.column.to_string());
    let parts = [&*line, &*column, &*shown(&change.old), &*shown(&change.new)];
    say("line {0}, column {1}: {2} → {3}", "第 {0} 行第 {1} 列：{2} → {3}").fill(lang, &parts)
}

fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

pub const MENDED_BY_HAND: Sentence = say(
    "This may mean several things: {editor} opens the file in your editor.",
    "这里可能有几种意思：按 {editor} 用编辑器打开文件。",
);
pub const REPAIR_BEGINS: Sentence = say(
    "What is still valid is filled in; submitting replaces the bad record.",
    "仍有效的回答已填入；提交时替换无效的记录。",
);
pub const REPAIR_BEGINS_EMPTY: Sentence = say(
    "Nothing of it can be filled in; submitting replaces the bad record.",
    "其中没有可以填入的回答；提交时替换无效的记录。",
);
pub const NO_OTHER_ANSWER: Sentence =
    say("There is no other answer to this question.", "这道题没有可切换的回答。");
pub const DOES_NOT_APPLY: Sentence = say("“{0}” does not apply", "“{0}”不适用");
pub const RELAY_IS_ANSWERED: Sentence = say(
    "The executor that asked this in its own dialog has the answer already.",
    "在自己的对话框里提问的执行器已经拿到这个回答。",
);
pub const NOTHING_TO_EDIT: Sentence = say("There is no record to edit here.", "这里没有可以编辑的记录。");
pub const EDIT_NOT_WRITTEN: Sentence =
    say("Not written. {0} Your text is kept.", "未写入。{1}你的文本已保留。");
pub const EDITOR_FAILED: Sentence =
    say("The editor exited with an error; the text is as it was.", "编辑器未正常结束，文本保持原样。");

// Questions and answers.

pub const REQUIRED: Sentence = say("required", "必答");
pub const OPTIONAL: Sentence = say("optional", "选答");
pub const DEFAULT: Sentence = say("default", "默认");
pub const CHOSEN_MANY: Sentence = say("{0} chosen", "已选 {0}");
pub const BY_DEFAULT: Sentence = say("{0} by default", "默认 {0} 项");
pub const CHOSEN_IS: Sentence = say("chosen: {1}", "已选：{1}");
pub const OTHER: Sentence = say("Other…", "其他…");
pub const OTHER_HINT: Sentence = say("type your own", "自己写");
pub const OWN: Sentence = say("your own words", "自己写的");
pub const NOT_TAKEN: Sentence =
    say("typed but not chosen; {accept} opens it", "已输入但未采用，按 {accept} 继续填写");
pub const ONLY_OPTIONS: Sentence = say("Only the options can be chosen here.", "此题只能从选项中选择。");
pub const OPTIONS_ONE: Sentence = say("1 option", "1 个选项");
pub const OPTIONS_MANY: Sentence = say("{0} options", "{0} 个选项");
pub const TOO_MUCH_TO_FILTER: Sentence = say(
    "Only one short line can be pasted here; this one was not taken.",
    "这里只能粘贴一行，刚才的没有采用。",
);
pub const CLEAR_FILTER: Sentence = say("clear filter", "清除筛选");
pub const NO_OPTION_PASSES: Sentence =
    say("No option matches. {back} clears the filter.", "没有相符的选项。按 {back} 清除筛选。");
pub const MORE_LINES_ONE: Sentence = say("↓ 1 more line", "↓ 还有 1 行");
pub const SCROLL_OR_ALL: Sentence = say("{0}: {1}, {2} for all", "{0}：{1} 滚动，{2} 看全文");
pub const MORE_LINES_SHORT: Sentence = say("↓ {0} more: {1}", "↓ 还有 {0} 行：{1}");
pub const NOTHING_TO_COPY: Sentence = say("There is nothing to copy here.", "这里没有可以复制的内容。");
pub const NOTHING_CHANGED: Sentence = say("The questions have not changed.", "问题没有变化。");
pub const QUESTIONS_MOVED: Sentence = say(
    "The screen has just changed; this key was ignored. Wait a moment before the next one.",
    "显示的内容刚刚发生变化，这次按键未生效，请稍等片刻再按。",
);
pub const TOO_SOON: Sentence = say(
    "This key came right behind others and was ignored. Wait a moment, then {prompt.accept} says yes.",
    "这次按键紧跟在别的按键之后，未生效。稍等片刻，再按 {prompt.accept} 表示“是”。",
);
pub const GATE_SHARED: Sentence = say(
    "Another console has answers to this gate too. The first record written counts; nothing of yours is lost.",
    "另一个控制台也有这个门控的回答。先写入的记录生效，你的内容不会丢失。",
);
pub const NOBODY_ASKS: Sentence =
    say("No packet asks this now; your answers are kept.", "现在没有指令包在问这些；回答已保留。");
pub const ROOT_GONE: Sentence = say(
    "The project's directory is gone. Your answers are kept; they will be here when it is back.",
    "项目目录已不存在。回答已保留，目录恢复后即可继续。",
);
pub const BEFORE: Sentence = say("before", "之前");
pub const NOTE: Sentence = SaidAs::Note.label();
pub const NOTE_ON: Sentence = say("Note on {0}", "备注：{0}");
pub const NOTED: Sentence = say("note: {0}", "备注：{0}");
pub const NOTE_GOES: Sentence =
    say("Saved with the record. {note} changes it.", "随记录一起保存。按 {note} 修改。");
pub const DONE: Sentence = say("done", "完成");
pub const OTHER_ANSWER_HINT: Sentence =
    say("{other-answer} switches to the other answer.", "按 {other-answer} 换成另一个回答。");
pub const OTHER_WORDS_HINT: Sentence = say(
    "{other-answer} puts these words into the row for your own words; it chooses nothing.",
    "按 {other-answer} 把这些字放回“自己写”一行，仍不采用。",
);
pub const REST_ONE: Sentence =
    say("1 problem outside the questions; submitting removes it", "问题之外有 1 处错误，提交后即消除");
pub const REST_MANY: Sentence =
    say("{0} problems outside the questions; submitting removes them", "问题之外有 {0} 处错误，提交后即消除");
pub const REPLACES: Sentence =
    say("This replaces the bad record (a copy is kept)", "将替换无效的记录（原文存入历史）");
pub const EDITED: Sentence = say("Your edited text", "编辑后的文本");
pub const EDITED_IS_KEPT: Sentence = say(
    "Your edited text for this record is kept; {editor} opens it again.",
    "你为这份记录编辑的文本已保留，按 {editor} 继续编辑。",
);
pub const EDITED_OF: Sentence = say("The record of {0}, as you have edited it", "{0} 的记录（编辑后）");
pub const CTRL_U_PUTS_BACK: Sentence = say("put mine back", "放回我的记录");
pub const NO_STORY: Sentence =
    say("The packet names no story file that is there.", "指令包没有列出已有的文稿。");
pub const TOO_MANY_STORY_FILES: Sentence = say(
    "The packet names too many story files: the first 1,000 names are looked at, 100 files are shown.",
    "指令包列出的文稿过多：只查看前 1000 个名称，最多显示 100 个文件。",
);
pub const STORY_EMPTY: Sentence = say("The file is empty.", "文件是空的。");
pub const STORY_NOT_FOUND: Sentence = say("“{0}” is not in this file.", "此文件中没有“{0}”。");
pub const STORY_NOT_FOUND_IN_PART: Sentence =
    say("“{0}” is not in the first 2 MiB of this file.", "此文件的前 2 MiB 中没有“{0}”。");
pub const STORY_CUT: Sentence =
    say("The file goes on; the first 2 MiB are shown.", "文件未完，只显示前 2 MiB。");
pub const STORY_FROM_THE_START: Sentence =
    say("The search went on from the start of the file.", "已从文件开头继续查找。");

// Review and receipt.

pub const MISSING: Sentence = say("required: no answer yet", "必答，还没有回答");
pub const LEFT_BLANK: Sentence = say("left blank (optional): nothing is written", "留空（选答）：不写入");
pub const OTHER_NOT_TAKEN: Sentence = say("typed but not chosen: “{0}”", "已输入但未采用：“{0}”");
pub const WRITTEN_TO: Sentence = say("This will be written to", "将写入");
pub const MISSING_ONE: Sentence = say("1 required answer is missing", "还有 1 道必答题没有回答");
pub const MISSING_MANY: Sentence = say("{0} required answers are missing", "还有 {0} 道必答题没有回答");
pub const ANSWER: Sentence = say("answer", "作答");
pub const RECORD_AS_WRITTEN: Sentence = say("The record, as it will be written", "将写入的记录原文");
pub const NOT_WRITTEN: Sentence =
    say("Not written. {0} Your answers are kept.", "未写入。{1}你的回答已保留。");
pub const CANNOT_PUT_BACK: Sentence = say(
    "It is not a file that can move to the history. Move it away first.",
    "那里不是可以移入历史的文件，请先移走它。",
);
pub const PUT_BACK: Sentence = say(
    "The record is back in its place, byte for byte. What was there is in the history.",
    "记录已原样放回。原来在那里的内容已移入历史。",
);
pub const WRITTEN: Sentence = say("Written and verified", "已写入，读回无误");
pub const YOU_CHOSE: Sentence = say("You chose {1} ({0})", "{0}，你选了 {1}");
pub const DEFAULT_STANDS: Sentence = say("The default stands: {1} ({0})", "{0}，采用默认：{1}");
pub const IN_NO_RECORD: Sentence = say("Typed, and in no record: “{0}”", "已输入，但不在记录中：“{0}”");
pub const YOU_WROTE: Sentence = say("You wrote ({0}): {1}", "{0}，你写了：{1}");
pub const NOT_DURABLE: Sentence = say(
    "The system did not confirm that the file's name is on the disk; its content is.",
    "系统没有确认文件名已存入磁盘；内容已存好。",
);
pub const RECORD_CLEARED: Sentence = say("The record has been cleared away since.", "记录之后已被清理。");
pub const REPLACED_BY: Sentence =
    say("Somebody replaced the record with one by {0}, answered {1}.", "记录已被替换：由 {0} 回答（{1}）。");
pub const REPLACED_BY_INVALID: Sentence = say(
    "Somebody replaced the record with something that is not a valid record, written {0}.",
    "记录已被替换为无效的内容（写于{0}）。",
);
pub const REPLACED_BY_NO_FILE: Sentence = say(
    "There is something other than a file where the record should be. Move it away to put yours back.",
    "记录的位置上已不是文件。移走它之后才能放回你的记录。",
);
pub const MORE_DIFFERENCES: Sentence = say("… {0} more answers differ", "… 另有 {0} 处回答不同");
pub const PUT_BACK_HINT: Sentence = say("{undo-redo} puts yours back.", "按 {undo-redo} 放回你的记录。");
pub const PUT_BACK_REPLACED_HINT: Sentence = say(
    "{undo-redo} puts yours back; theirs moves to the history.",
    "按 {undo-redo} 放回你的记录，现有内容移入历史。",
);
pub const TAKEN_OVER: Sentence = say("The executor has taken the answers.", "执行器已取走回答。");
pub const THERE_BEFORE: Sentence = say("there before, {0}", "先前已有，{0}");
pub const BATCH_WRITTEN: Sentence = say("written and verified", "已写入，读回无误");
pub const BATCH_MORE: Sentence =
    say("… {0} more, all written · {expand} lists them", "… 另有 {0} 个均已写入 · {expand} 列出");

// Several packets at once.

pub const SAME_IN_ONE: Sentence =
    say("The same questions wait in 1 more packet: {1}", "另有 1 个等待中的指令包，问题完全相同：{1}");
pub const SAME_IN_MANY: Sentence =
    say("The same questions wait in {0} more packets: {1}", "另有 {0} 个等待中的指令包，问题完全相同：{1}");
pub const SAME_NOTICE: Sentence = say(
    "The same questions wait in other packets; {review.all} lists them: {0}",
    "另有指令包问题完全相同，按 {review.all} 查看：{1}",
);
pub const NO_OTHER_PACKETS: Sentence =
    say("No other packet waits with these questions.", "没有其他指令包在等待同样的问题。");
pub const PACKETS: Sentence = say("Other packets with these questions", "问题相同的其他指令包");
pub const SUBMITTING_PART: Sentence = say("writing… {0} of {1}", "写入中… {0}/{1}");
pub const BATCH_DRAFT: Sentence =
    say("This gate has a draft of its own, which stays.", "这个门控另有一份草稿，会保留。");
pub const TAKE_BACK: Sentence = say("take back", "收回");
pub const TAKE_BACK_HINT: Sentence =
    say("{undo-redo} takes back what is unused.", "按 {undo-redo} 收回尚未用到的记录。");
pub const TAKEN_BACK: Sentence = say(
    "{0} taken back into the history; the gates wait again. {inbox.undo-redo} on a gate puts its record back.",
    "已收回 {1} 份记录并存入历史，门控重新等待回答。在门控上按 {inbox.undo-redo} 可放回它的记录。",
);
pub const TAKEN_BACK_BUT: Sentence =
    say("{0} taken back; {2} left, with the reason above.", "已收回 {1} 份记录；{3} 份未收回，原因见上。");
pub const TAKEN_BACK_PAGE: Sentence = say("What was taken back", "收回情况");
pub const IS_TAKEN_BACK: Sentence = say("taken back; the gate waits again", "已收回，门控重新等待");
pub const LEFT: Sentence = say("Left: {0}", "未收回：{1}");
pub const LEFT_PICKED_UP: Sentence =
    say("Left: the executor has already taken the answers.", "未收回：执行器已取走回答。");
pub const LEFT_OTHER: Sentence =
    say("Left: somebody has replaced or removed the record.", "未收回：记录已被替换或移走。");
pub const LEFT_MADE: Sentence = say("Left: the step has already made {0}.", "未收回：这一步已产出 {0}。");
pub const LEFT_PASSED: Sentence =
    say("Left: the checkpoint has passed this step.", "未收回：检查点已越过这一步。");

// History.

pub const STANDING_QUESTIONS: Sentence = say("Standing questions", "常设提问");
pub const HISTORY_OF_PROJECT: Sentence = say("History of the whole project", "整个项目的历史");
pub const RESTORE_BLOCKS: Sentence = say(
    "It does not fit the current questions: the step will be blocked until the record is repaired.",
    "它不符合现在的提问：放回后步骤会受阻，直到记录被修复。",
);
pub const OURS_REPLACED: Sentence = say(
    "Somebody replaced the record you wrote with novel-gate ({0}, {1}). {undo-redo} puts yours back.",
    "你用 novel-gate 写入的记录（{0}，{1}）已被别人替换。按 {undo-redo} 放回你的那份。",
);
pub const OURS_GONE: Sentence = say(
    "Somebody removed the record you wrote with novel-gate ({0}, {1}). {undo-redo} puts it back.",
    "你用 novel-gate 写入的记录（{0}，{1}）被人移走了。按 {undo-redo} 放回。",
);
pub const THEIRS_REPLACED: Sentence = say(
    "The record of {0}, written with novel-gate ({1}), was replaced. {undo-redo} puts it back.",
    "{0} 用 novel-gate 写入的记录（{1}）被替换了。按 {undo-redo} 放回。",
);
pub const THEIRS_GONE: Sentence = say(
    "The record of {0}, written with novel-gate ({1}), was removed. {undo-redo} puts it back.",
    "{0} 用 novel-gate 写入的记录（{1}）被移走了。按 {undo-redo} 放回。",
);
pub const REDO_CAN_BE_UNDONE: Sentence = say(
    "Its record was taken back. {undo-redo} puts it in its place again.",
    "它的回答已收回。按 {undo-redo} 放回。",
);
pub const ENTRY_INVALID: Sentence =
    say("This record was not valid for what was asked.", "这份记录不符合当时的提问。");
pub const ENTRY_IS_THERE: Sentence =
    say("The current record is exactly this one.", "现有记录与此条目完全相同。");
pub const FILE_IS_THERE: Sentence =
    say("The file that is there is exactly this one.", "现有文件与此条目完全相同。");
pub const ENTRY_DIFFERS: Sentence =
    say("− the answers of the entry before, + the answers of this one", "− 前一条目的回答，+ 此条目的回答");
pub const RESTORE_ASKS: Sentence = say("Put this record of {0} back?", "放回 {0} 的这份记录？");
pub const RESTORE_MEANS: Sentence = say(
    "No record is there now. It comes back byte for byte, and the gate has its answers again.",
    "现在没有记录。它将原样放回，门控重新得到回答。",
);
pub const RESTORE_REPLACES: Sentence = say(
    "It replaces the current record, which moves to the history first.",
    "它将取代现有的记录，现有记录会先移入历史。",
);
pub const ENTRY_NOT_RESTORED: Sentence =
    say("Not restored. {0} The history is shown as it is now.", "未放回。{1}历史已按现状重新显示。");
pub const EDITOR_FAILED_BESIDE: Sentence = say(
    "The editor exited with an error; the text is as it was. What you wrote there is shown below.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容显示在下方。",
);

// Questions of the program.

pub const REDO_FOREIGN_ASKS: Sentence = say(
    "The file there is not an answer record. Remove it anyway for {0}?",
    "那里的文件不是答案记录。仍要为 {0} 移走它吗？",
);
pub const REDO_FOREIGN_MEANS: Sentence = say(
    "The file moves to the history, byte for byte, and the gate waits again. It can be put back.",
    "文件会原样移入历史，门控重新等待回答，之后可以放回。",
);
pub const REDO_ASKS: Sentence = say("Take the answers of {0} back?", "收回 {0} 的回答？");
pub const REDO_MEANS: Sentence = say(
    "The record moves to the history and the gate waits again. It can be put back.",
    "记录将移入历史，门控重新等待回答，之后可以放回。",
);
pub const UNDO_ASKS: Sentence = say("Put the answers of {0} back?", "放回 {0} 的回答？");
pub const UNDO_MEANS: Sentence = say(
    "It is the last record taken back in this console, and returns byte for byte.",
    "它是你最近收回的记录，将原样放回。",
);
pub const REDO_PAST: Sentence = say(
    "The checkpoint has passed this step: nothing waits for new answers.",
    "检查点已越过这一步：没有步骤在等待新的回答。",
);
pub const REDO_OUTPUTS_MORE: Sentence = say("{0} and {1} more", "{0} 等，另有 {1} 个");
pub const REPLACE_FOREIGN_ASKS: Sentence = say(
    "The file there is not an answer record. Replace it anyway for {0}?",
    "那里的文件不是答案记录。仍要为 {0} 替换它吗？",
);
pub const REPLACE_FOREIGN_MEANS: Sentence = say(
    "The file moves to the history, byte for byte, and your record is written in its place.",
    "文件会原样移入历史，你的记录写入原处。",
);
pub const WRITE_EDITED_ASKS: Sentence =
    say("The edited record of {0} is valid. Write it?", "{0} 编辑后的记录有效。写入吗？");
pub const WRITE_EDITED_MEANS: Sentence = say(
    "It is written exactly as you left it; the old record moves to the history.",
    "按你编辑的原样写入；旧记录移入历史。",
);
pub const WRITE_EDITED_NEW: Sentence = say("It is written exactly as you left it.", "按你编辑的原样写入。");
pub const WRITE_EDITED_FOREIGN: Sentence = say(
    "The file there now is not an answer record; it moves to the history, byte for byte.",
    "那里现有的文件不是答案记录，会原样移入历史。",
);
pub const DROP_EDITED_MEANS: Sentence =
    say("There is no other copy. The record stays as it is.", "它没有别处的副本。记录保持原样。");
pub const LEAVE_ASKS: Sentence = say("Your answers are not saved yet.", "回答尚未保存。");
pub const LEAVE_MEANS: Sentence =
    say("novel-gate quits by itself as soon as they are saved.", "保存成功后程序会自行退出。");

// Any screen.

pub const TOO_SMALL: Sentence = say("The window is too small: 20x5 at least.", "窗口太小，至少 20x5。");
pub const LINE_OF: Sentence = say("lines {0}-{1} of {2}", "第 {0}-{1} 行，共 {2} 行");

// Times, lengths and counts.

/// How long a text is, in words, or in characters (字) for a reader or a text without words.
pub fn length(text: &str, lang: Lang) -> String {
    let words = count::words(text);
    if lang == Lang::En && words >= 2 * count::cjk_letters(text) {
        return counted(words, say("1 word", "1 字"), say("{0} words", "{0} 字"), lang);
    }
    counted(count::characters(text), say("1 character", "1 字"), say("{0} characters", "{0} 字"), lang)
}

pub fn counted(count: usize, one: Sentence, many: Sentence, lang: Lang) -> String {
    if count == 1 { one.text(lang).to_owned() } else { many.fill(lang, &[&count.to_string()]) }
}

// Why something failed, or is there.

/// Why no form opens for a record that cannot be read.
pub const CANNOT_REPAIR: Sentence =
    say("The file at the answer path cannot be repaired here: {0}.", "回答路径上的文件无法在这里修复：{1}。");

/// A reason in both languages, in the gaps of a sentence.
pub fn because(sentence: Sentence, why: &Message) -> Message {
    Message::with(sentence, |lang| why.text(lang))
}

/// The same of an error. One that ends with a command gets a stop where the sentence goes on behind it.
pub fn both(sentence: Sentence, error: &Error) -> Message {
    Message::with(sentence, |lang| {
        let (mut why, stop) = (error.text(lang), say(".", "。").text(lang));
        if !sentence.text(lang).ends_with('}') && !why.ends_with(['.', '!', '?', '。', '！', '？']) {
            why.push_str(stop);
        }
        why
    })
}

/// Why a packet was not loaded, in a notice: where its problems are stands in its details.
pub fn not_loaded(fault: &LoadFault) -> Message {
    match fault {
        LoadFault::Malformed(_) => Message::from(PACKET_MALFORMED),
        LoadFault::Unreadable(error) => both(say("Cannot open this packet. {0}", "无法打开。{1}"), error),
    }
}

pub fn not_kept(reason: &Message) -> Message {
    let says = say(
        "Your answers cannot be kept on disk: {0}. When novel-gate ends, they go to a private file elsewhere.",
        "回答无法保存到磁盘：{1}。程序退出时会暂存到别处的私有文件。",
    );
    because(says, reason)
}

/// That the history does not have a record that was written.
pub fn not_noted(error: &Error) -> Message {
    let says = say(
        "The record is written, but the history does not have it. {0} What you typed is kept.",
        "记录已写入，但没有记入历史。{1}你输入的内容已保留。",
    );
    both(says, error)
}

pub fn unreadable(loaded: &Loaded) -> Message {
    odd(&loaded.record).map_or(Message::from(ASKS_NOTHING), |found| because(CANNOT_REPAIR, &found))
}

/// What lies in a record's place, if it cannot be read as a file.
pub fn odd(record: &Record) -> Option<Message> {
    let RecordState::Invalid(problems) = &record.state else { return None };
    let first = problems.first().filter(|_| !record.is_read())?;
    Some(first.found.clone())
}

/// Why answers are not saved, and where they are.
pub fn unsaved_words(unsaved: &Unsaved) -> Message {
    let slow = Message::from(say("saving takes long", "保存用时过长"));
    let why = unsaved.why.as_ref().unwrap_or(&slow);
    let why = [Lang::En, Lang::ZhCn].map(|lang| why.text(lang));
    match &unsaved.file {
        Ok(file) => Message::new(
            say(
                "Your answers are not saved: {0}. Meanwhile they are in {2}; the console takes them from there when it starts again.",
                "回答没有保存：{1}。暂存于 {2}，下次启动控制台时会取回。",
            ),
            &[&why[0], &why[1], &file.shown()],
        ),
        Err(cause) => Message::new(
            say(
                "Your answers are not saved: {0}. A file in the temporary directory or /dev/shm cannot be written either: {2}.",
                "回答没有保存：{1}。临时目录和 /dev/shm 中的文件也无法写入：{3}。",
            ),
            &[&why[0], &why[1], &cause.text(Lang::En), &cause.text(Lang::ZhCn)],
        ),
    }
}

/// That what lies in its place is the entry.
pub fn is_there(entry: &HistoryEntry) -> Sentence {
    if entry.kind().is_file() { FILE_IS_THERE } else { ENTRY_IS_THERE }
}

/// What is to be said of an entry besides what happened.
pub fn entry_means(entry: &HistoryEntry) -> Option<Sentence> {
    let says = match entry.reason {
        _ if entry.kind() == EntryKind::Packet && entry.of.is_some() => say(
            "The text of the packet until an older one was put back.",
            "指令包当时的文本；之后放回了更早的一份。",
        ),
        _ if entry.kind() == EntryKind::Packet => {
            say("The old text of the packet; it was mended then.", "指令包的原文；当时作了修补。")
        }
        Reason::Redone if entry.kind() == EntryKind::Question => {
            say("The file of a standing question, removed from the book.", "常设提问的文件，已移出本书。")
        }
        Reason::Answered => return None,
        Reason::Repaired => say(
            "Written by novel-gate, replacing an invalid record.",
            "由 novel-gate 写入，替换了无效的记录。",
        ),
        Reason::Redone => say(
            "Removed by novel-gate, so that the gate waits again.",
            "由 novel-gate 移走，门控重新等待回答。",
        ),
        Reason::Replaced => {
            say("Moved to the history to make room for another record.", "为另一份记录让位，移入历史。")
        }
        Reason::SentBack => say("Sent back: no record was written.", "退回：没有写入记录。"),
        Reason::Restored => say("Put back from the history.", "从历史中放回。"),
        Reason::Seen => {
            say("Written by somebody else; kept when it was first seen.", "由别人写入，首次发现时留存。")
        }
    };
    Some(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_words_is_counted_in_characters() {
        let rows = [
            ("不要回头。", "5 characters"),
            ("Lin Feng walks to 南山.", "6 words"),
            ("one", "1 word"),
            ("", "0 words"),
        ];
        for (text, says) in rows {
            assert_eq!(length(text, Lang::En), says);
        }
        assert_eq!(length("Lin Feng 南山", Lang::ZhCn), "4 字");
    }
}
