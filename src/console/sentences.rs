//! The one table of the console's sentences, in both languages.
//!
//! Sentences that are used in several places, or only drawn. `{0}` … are gaps.

mod notices;
mod numbers;
mod packets;

pub use notices::*;
pub use numbers::{age, ago, counted, length};
pub use packets::*;

use crate::text::{Sentence, say};

// ---- States, signs beside them ----

pub const WAITING: Sentence = say("waiting", "等待");
pub const BLOCKED: Sentence = say("blocked", "受阻");
pub const MALFORMED: Sentence = say("malformed", "指令包有误");
pub const ANSWERED: Sentence = say("answered", "已回答");
pub const PAST: Sentence = say("past", "已过");
pub const NO_GATE: Sentence = say("no gate", "无门控");

pub const WAITING_MEANS: Sentence = say("no record yet: the step is held up", "还没有记录，步骤停在这里");
pub const BLOCKED_MEANS: Sentence =
    say("the record exists but is not valid: the step is held up", "记录已存在但无效，步骤停在这里");
pub const MALFORMED_MEANS: Sentence = say("this packet cannot be used as it is", "这个指令包无法使用");
pub const ANSWERED_MEANS: Sentence =
    say("there is a valid record: the step may run", "记录有效，步骤可以执行");
pub const NO_GATE_MEANS: Sentence =
    say("the packet asks nothing: the step may run", "指令包没有提问，步骤可以执行");
pub const PAST_MEANS: Sentence = say("the checkpoint has passed this step", "检查点已越过这一步");

// ---- Drafts ----

pub const DRAFT: Sentence = say("draft", "草稿");
pub const DRAFT_OF: Sentence = say("draft {0}/{1}", "草稿 {0}/{1}");
pub const DRAFT_MEANS: Sentence =
    say("draft, not submitted: the step is held up", "草稿，未提交，步骤停在这里");
pub const NOT_SUBMITTED: Sentence = say("you have answers not submitted", "你有未提交的回答");
pub const YOUR_DRAFT: Sentence = say("your answers, not submitted", "你的回答，尚未提交");
pub const DRAFT_LATE: Sentence = say(
    "There is a record already. {redo} removes it; the form then holds your answers.",
    "这里已有记录。按 {redo} 移走它，表单会填入你的这些回答。",
);
pub const KEPT_BESIDE: Sentence = say("kept for you, in no record", "为你保留的内容，不在记录中");
pub const KEPT_BESIDE_MEANS: Sentence = say(
    "{redo} removes the record; the form has these words then.",
    "按 {redo} 移走记录后，这些内容会回到表单。",
);
pub const NO_LONGER_FITS: Sentence = say("no longer fits", "已不适用");
pub const TYPED: Sentence = say("typed, not chosen", "已输入，未采用");

// ---- Put off ----

pub const LATER: Sentence = say("later", "稍后");
pub const LATER_MEANS: Sentence = say("the step is held up", "步骤停在这里");
pub const UNTIL: Sentence = say("until {0}", "推迟到{0}");
pub const UNTIL_IT_CHANGES: Sentence = say("until the packet changes", "推迟到指令包有变化");
pub const LATER_ASKS: Sentence = say("Put off {0} until when?", "把 {0} 推迟到什么时候？");
pub const IN_AN_HOUR: Sentence = say("in an hour", "一小时后");
pub const TOMORROW_MORNING: Sentence = say("tomorrow morning", "明天早上");
pub const WHEN_IT_CHANGES: Sentence = say("when the packet changes", "指令包有变化时");
pub const PUT_OFF: Sentence = say("Put off {0}. {later} brings it back.", "已{1}。按 {later} 取回。");
pub const NOTHING_TO_PUT_OFF: Sentence =
    say("Only a gate that waits or is blocked can be put off.", "只有等待或受阻的门控可以推迟。");

// ---- Inbox ----

pub const POLLING: Sentence = say("looking every second", "每秒查看");
pub const LOOKING: Sentence = say("looking…", "扫描中…");
pub const FILTER: Sentence = say("filter", "筛选");
pub const EMPTY_LOOKING: Sentence = say("Looking for gates in staging/ …", "正在 staging/ 中查找门控…");
pub const EMPTY: Sentence = say("No gates yet.", "还没有门控。");
pub const EMPTY_HINT: Sentence = say(
    "As soon as an executor writes a packet with questions under staging/, it appears here by itself. You can leave this open.",
    "执行器在 staging/ 下写出带提问的指令包后，门控会自动出现在这里。窗口开着就好。",
);
pub const NOTHING_PASSES: Sentence = say("Nothing matches “{0}”.", "没有与“{0}”相符的门控。");
pub const NOTHING_PASSES_HINT: Sentence = say("{back} clears the filter.", "按 {back} 清除筛选。");
pub const QUESTIONS_ONE: Sentence = say("1 question", "1 题");
pub const QUESTIONS_MANY: Sentence = say("{0} questions", "{0} 题");
pub const UNWRITABLE: Sentence = say("cannot be written", "无法写入");
pub const BEING_WRITTEN: Sentence = say("being written", "写入中");
pub const IN_CONFLICT: Sentence = say("conflict", "冲突");
pub const ONE_GATE: Sentence = say("shared gate", "共用门控");
pub const MORE_ABOVE: Sentence = say("↑ {0} more", "↑ 还有 {0} 项");
pub const MORE_BELOW: Sentence = say("↓ {0} more", "↓ 还有 {0} 项");

// ---- Details ----

pub const DETAILS: Sentence = say("Details", "详情");
pub const LOADING: Sentence = say("opening…", "读取中…");
pub const PACKET: Sentence = say("packet", "指令包");
pub const QUESTIONS: Sentence = say("questions", "问题");
pub const ANSWERS_GO_TO: Sentence = say("answers go to", "回答写入");
pub const CONFLICT_WITH: Sentence = say("conflict: other questions, same place", "冲突：同一位置，问题不同");
pub const CONFLICT_MEANS: Sentence = say(
    "One record cannot answer both packets. Have the executor write one of them again before you answer.",
    "一份记录无法同时回答两个指令包。作答之前，请让执行器重新生成其中一个。",
);
pub const SAME_GATE_AS: Sentence = say("same gate as", "同一门控，另见");
pub const SAME_GATE_MEANS: Sentence =
    say("It asks the same questions; one record answers both.", "问题完全相同，一份记录即可回答。");
pub const THE_STEP_MAKES: Sentence = say("the step makes", "本步产出");
pub const THEN: Sentence = say("then", "之后执行");
pub const OUTPUTS_FOLDED: Sentence =
    say("{0} outputs, {1} there · {expand} lists them", "{0} 个产出，{1} 已有 · {expand} 列出");
pub const THERE: Sentence = say("there, {0}", "已有，{0}");
pub const NOT_THERE: Sentence = say("not there yet", "尚无");
pub const NOT_THERE_OPTIONAL: Sentence = say("not there (optional)", "尚无（可选）");
pub const MORE_QUESTIONS: Sentence = say("… {0} more questions, in the form", "… 另有 {0} 题，见表单");
pub const REST_IN_FILE: Sentence = say("… the rest is in the file itself", "… 其余内容请看文件本身");
pub const THE_RECORD: Sentence = say("the record", "记录");
pub const FILE_WRITTEN: Sentence = say("file written {0}", "文件写于 {0}");
pub const ANSWERED_BY: Sentence = say("answered by {0}, {1}", "由 {0} 回答，{1}");
pub const NOT_ANSWERED: Sentence = say("left blank", "留空");
pub const PROBLEMS_ONE: Sentence = say("1 problem", "1 处错误");
pub const PROBLEMS_MANY: Sentence = say("{0} problems", "{0} 处错误");
pub const FOUND: Sentence = say("found", "实际");
pub const EXPECTED: Sentence = say("expected", "应为");
pub const CAUSE: Sentence = say("cause", "原因");
pub const HINT: Sentence = say("hint", "提示");
pub const WHOLE_FILE: Sentence = say("(the whole file)", "（整个文件）");
pub const ITS_TEXT: Sentence = say("its text", "文件内容");
pub const CANNOT_WRITE: Sentence = say("No record can be written there: {0}", "无法在那里写入记录：{0}");
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

pub const FOR_THE_EXECUTOR: Sentence = say("to paste to the executor", "可粘贴给执行器的话");
pub const REWRITE_PACKET: Sentence = say(
    "The instruction packet {0} cannot be used: {1} Please write it again with every problem corrected, at the same path.",
    "指令包 {0} 无法使用：{1}请改正所有错误，在原路径重新写入该指令包。",
);

// ---- Kinds of question ----

pub const SINGLE: Sentence = say("one choice", "单选");
pub const MULTI: Sentence = say("several choices", "多选");
pub const TEXT: Sentence = say("free text", "自由填写");
pub const REQUIRED: Sentence = say("required", "必答");
pub const OPTIONAL: Sentence = say("optional", "选答");

// ---- Form ----

pub const REVIEW: Sentence = say("review", "核对");
pub const DEFAULT: Sentence = say("default", "默认");
pub const CHOSEN: Sentence = say("{0} chosen", "已选 {0}");
pub const CHOSEN_NAMED: Sentence = say("{0} chosen: {1}", "已选 {0}：{1}");
pub const CHOSEN_IS: Sentence = say("chosen: {1}", "已选：{1}");
pub const CHOSEN_NONE: Sentence = say("nothing chosen", "未选");
pub const OTHER: Sentence = say("Other…", "其他…");
pub const OTHER_HINT: Sentence = say("type your own", "自己写");
pub const OTHER_TITLE: Sentence = say("In your own words", "自己写");
pub const OTHER_MEANS: Sentence =
    say("{accept} opens a field for your own words.", "按 {accept} 打开输入框，写下自己的回答。");
pub const OWN: Sentence = say("your own words", "自己写的");
pub const NOT_TAKEN: Sentence =
    say("typed but not chosen; {accept} opens it", "已输入但未采用，按 {accept} 继续填写");
pub const PAGE: Sentence = say("page {0}/{1}", "第 {0}/{1} 页");
pub const OPTIONS_ONE: Sentence = say("1 option", "1 个选项");
pub const OPTIONS_MANY: Sentence = say("{0} options", "{0} 个选项");
pub const WRITE_TYPED: Sentence = say("write “{0}”", "自己写“{0}”");
pub const TOO_MUCH_TO_FILTER: Sentence = say(
    "A filter takes one line, and not a very long one. What you typed or pasted has line ends or is too long, and was not taken; nothing has changed.",
    "筛选只接受一行、不太长的文字。刚才输入或粘贴的内容含有换行或过长，没有采用；一切照旧。",
);
pub const NO_PLACE_FOR_WORDS: Sentence = say(
    "There is no place for words here. What you typed or pasted was not taken.",
    "这里不能输入文字。刚才输入或粘贴的内容没有采用。",
);
pub const NO_OPTION_PASSES: Sentence =
    say("No option matches. {back} clears the filter.", "没有相符的选项。按 {back} 清除筛选。");
pub const LINES_ONE: Sentence = say("1 line", "1 行");
pub const LINES: Sentence = say("{0} lines", "{0} 行");
pub const MULTILINE: Sentence =
    say("{accept} makes a new line, {next} goes on", "{accept} 换行，{next} 下一题");
pub const EMPTY_TEXT: Sentence = say("Nothing written yet.", "还没有填写。");
pub const MORE_LINES: Sentence = say("↓ {0} more lines", "↓ 还有 {0} 行");
pub const MORE_LINES_ONE: Sentence = say("↓ 1 more line", "↓ 还有 1 行");
pub const SCROLL_OR_ALL: Sentence = say("{0}: {1}, {2} for all", "{0}：{1} 滚动，{2} 看全文");
pub const MORE_LINES_SHORT: Sentence = say("↓ {0} more: {1}", "↓ 还有 {0} 行：{1}");
pub const ORPHANS: Sentence = say("Earlier entries that no longer fit", "先前的内容，已不适用");
pub const CHANGES: Sentence = say("What has changed", "变化");
pub const CHANGED: Sentence = say("changed since you opened it", "打开之后的变化");
pub const CHANGES_COUNTED: Sentence = say(
    "The packet changed in {0}; {1}. {changes} shows it.",
    "指令包变化了 {2} 处，{3} 项内容已不适用，按 {changes} 查看。",
);
pub const CHANGES_FIT: Sentence = say(
    "The packet changed in {0}; your answers still fit. {changes} shows it.",
    "指令包变化了 {2} 处，你的回答仍然适用，按 {changes} 查看。",
);
pub const ORPHANS_COUNTED: Sentence =
    say("{1}. {changes} shows which.", "{3} 项内容已不适用，按 {changes} 查看。");
pub const SUBMITTING: Sentence = say("writing…", "写入中…");

// ---- Story ----

pub const STORY: Sentence = say("Story", "文稿");
pub const NO_STORY: Sentence =
    say("The packet names no story file that is there.", "指令包没有列出已有的文稿。");
pub const TOO_MANY_STORY_FILES: Sentence = say(
    "The packet names too many story files: the first 1,000 names are looked at, 100 files are shown.",
    "指令包列出的文稿过多：只查看前 1000 个名称，最多显示 100 个文件。",
);
pub const STORY_EMPTY: Sentence = say("The file is empty.", "文件是空的。");
pub const STORY_CHANGED: Sentence = say("{0} has changed.", "{0} 有变化。");
pub const STORY_NOT_FOUND: Sentence = say("“{0}” is not in this file.", "此文件中没有“{0}”。");
pub const STORY_NOT_FOUND_IN_PART: Sentence =
    say("“{0}” is not in the first 2 MiB of this file.", "此文件的前 2 MiB 中没有“{0}”。");
pub const STORY_CUT: Sentence =
    say("The file goes on; the first 2 MiB are shown.", "文件未完，只显示前 2 MiB。");
pub const STORY_FROM_THE_START: Sentence =
    say("The search went on from the start of the file.", "已从文件开头继续查找。");

// ---- Review ----

pub const MISSING: Sentence = say("required: no answer yet", "必答，还没有回答");
pub const LEFT_BLANK: Sentence = say("left blank (optional): nothing is written", "留空（选答）：不写入");
pub const OTHER_NOT_TAKEN: Sentence = say("typed but not chosen: “{0}”", "已输入但未采用：“{0}”");
pub const RECORD_CAME: Sentence = say(
    "A record came first. In the inbox {inbox.redo} removes it; then submit yours.",
    "已有别处写入的记录。在列表按 {inbox.redo} 移走它，再提交你的。",
);
pub const RECORD_CAME_SHORT: Sentence =
    say("A record came first: inbox, {inbox.redo}", "已有别处的记录：回列表按 {inbox.redo}");
pub const WRITTEN_TO: Sentence = say("This will be written to", "将写入");
pub const MISSING_ONE: Sentence = say("1 required answer is missing", "还有 1 道必答题没有回答");
pub const MISSING_MANY: Sentence = say("{0} required answers are missing", "还有 {0} 道必答题没有回答");
pub const ANSWER: Sentence = say("answer", "作答");
pub const SUBMIT: Sentence = say("Submit", "提交");
pub const RECORD_AS_WRITTEN: Sentence = say("The record, as it will be written", "将写入的记录原文");
pub const RECORDS_AS_WRITTEN: Sentence = say("The records, as they will be written", "将写入的各份记录原文");
pub const TOPIC: Sentence = say("topic", "主题");
pub const WHEN_SUBMITTED: Sentence = say("(when you submit)", "（提交时的时间）");

// ---- Receipt ----

pub const WRITTEN: Sentence = say("Written and verified", "已写入，读回无误");
pub const YOU_CHOSE: Sentence = say("You chose {1} ({0})", "{0}，你选了 {1}");
pub const YOU_WROTE: Sentence = say("You wrote ({0}): {1}", "{0}，你写了：{1}");
pub const YOU_ANSWERED: Sentence = say("Your answers ({0}):", "{0}，你的回答：");
pub const WRITTEN_PATH: Sentence = say("record", "记录");
pub const SHA256: Sentence = say("sha256", "sha256");
pub const NOT_DURABLE: Sentence = say(
    "The system did not confirm that the file's name is on the disk; its content is.",
    "系统未确认文件名已落盘；内容已落盘。",
);
pub const RECORD_GONE: Sentence =
    say("The record is gone: somebody removed it.", "记录已不在：有人移走了它。");
pub const RECORD_CLEARED: Sentence = say("The record has been cleared away since.", "记录之后已被清理。");
pub const REPLACED_BY: Sentence =
    say("Somebody replaced the record: it is by {0}, answered {1}.", "记录已被替换：由 {0} 回答（{1}）。");
pub const REPLACED_BY_INVALID: Sentence = say(
    "Somebody replaced the record with something that is not a valid record, written {0}.",
    "记录已被替换为无效的内容（写于{0}）。",
);
pub const REPLACED_BY_NO_FILE: Sentence = say(
    "There is something other than a file where the record should be. Move it away to put yours back.",
    "记录的位置上已不是文件。移走它之后才能恢复你的记录。",
);
pub const SAME_ANSWERS: Sentence = say("It gives the same answers.", "回答相同。");
pub const YOURS: Sentence = say("yours", "你的");
pub const THEIRS: Sentence = say("theirs", "现有");
pub const MORE_DIFFERENCES: Sentence = say("… {0} more answers differ", "… 另有 {0} 处回答不同");
pub const PUT_BACK_HINT: Sentence = say("{undo-redo} puts yours back.", "按 {undo-redo} 恢复你的记录。");
pub const PUT_BACK_REPLACED_HINT: Sentence = say(
    "{undo-redo} puts yours back; theirs moves to the history.",
    "按 {undo-redo} 恢复你的记录，现有内容移入历史。",
);
pub const WAITING_FOR_EXECUTOR: Sentence = say("Waiting for the executor …", "等待执行器…");
pub const OUTPUTS_PRESENT: Sentence = say("The step's outputs are there.", "本步产出已齐。");
pub const OUTPUTS_APPEAR: Sentence = say("The executor is working …", "执行器正在执行…");
pub const STEP_PASSED: Sentence = say("The checkpoint has passed this step.", "检查点已越过这一步。");
pub const TAKEN_OVER: Sentence = say("The executor has taken the answers.", "执行器已取走回答。");
pub const THERE_BEFORE: Sentence = say("there before, {0}", "先前已有，{0}");
pub const NO_OUTPUTS: Sentence =
    say("The packet names no outputs to wait for.", "指令包没有列出要等待的产出。");
pub const ENTER_NEXT: Sentence = say("next gate", "下一个门控");
pub const ENTER_INBOX: Sentence = say("Nothing else waits.", "没有其他等待的门控。");

// ---- Prompt ----

pub const REDO_FOREIGN_ASKS: Sentence = say(
    "The file there is not an answer record. Remove it anyway for {0}?",
    "那里的文件不是答案记录。仍要为 {0} 移走它吗？",
);
pub const REDO_FOREIGN_MEANS: Sentence = say(
    "The file moves to the history, byte for byte, and the gate waits again. It can be undone.",
    "文件会原样移入历史，门控重新等待回答。可以撤销。",
);
pub const REDO_ASKS: Sentence = say("Redo {0}?", "重做 {0}？");
pub const REDO_MEANS: Sentence = say(
    "The record moves to the history and the gate waits again. It can be undone.",
    "记录将移入历史，门控重新等待回答。可以撤销。",
);
pub const UNDO_ASKS: Sentence =
    say("Nothing to undo here. Put the record of {0} back?", "这里没有可以撤销的操作。恢复 {0} 的记录？");
pub const UNDO_MEANS: Sentence = say(
    "It is the last record removed in this console, and comes back byte for byte.",
    "它是你最近移走的记录，将原样恢复。",
);
pub const REDO_PAST: Sentence = say(
    "The checkpoint has passed this step: nothing waits for new answers.",
    "检查点已越过这一步：没有步骤在等待新的回答。",
);
pub const REDO_OUTPUTS: Sentence = say("Already made from the old answers: {0}", "这一步已用旧回答生成：{0}");
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
pub const WRITE_EDITED_FOREIGN: Sentence = say(
    "The file there now is not an answer record; it moves to the history, byte for byte.",
    "那里现有的文件不是答案记录，会原样移入历史。",
);
pub const DROP_EDITED_ASKS: Sentence = say("Discard your edits to {0}?", "丢弃你为 {0} 编辑的文本吗？");
pub const DROP_EDITED_MEANS: Sentence =
    say("There is no other copy. The record stays as it is.", "它没有别处的副本。记录保持原样。");

pub const LEAVE_ASKS: Sentence = say("Your answers are not saved yet.", "回答尚未保存。");
pub const LEAVE_MEANS: Sentence =
    say("novel-gate quits by itself as soon as they are saved.", "保存成功后程序会自行退出。");

// ---- Repair ----

pub const IN_THE_RECORD: Sentence = say("in the bad record", "无效记录中");
pub const BEFORE: Sentence = say("before", "之前");
pub const PUT_ASIDE: Sentence = say("yours, set aside", "你暂存的回答");
pub const NOTE: Sentence = say("note", "备注");
pub const NOTE_GOES: Sentence =
    say("It stands in the record. {note} changes it.", "它会写进记录。按 {note} 修改。");
pub const DONE: Sentence = say("done", "完成");
pub const NOTE_ON: Sentence = say("Note on {0}", "备注：{0}");
pub const OTHER_ANSWER_HINT: Sentence =
    say("{other-answer} switches to the other answer.", "按 {other-answer} 换成另一个回答。");
pub const OTHER_WORDS_HINT: Sentence = say(
    "{other-answer} puts these words into the row for your own words; it chooses nothing.",
    "按 {other-answer} 把这些字放回“自己写”一行，仍不采用。",
);
pub const AS_BEFORE: Sentence = say("as before", "同前");
pub const FROM_THE_RECORD: Sentence = say("from the record", "取自记录");
pub const NOT_TAKEN_OVER: Sentence =
    say("Problems of the bad record outside the questions", "无效记录在题目之外的错误");
pub const REST_ONE: Sentence = say(
    "1 problem outside the questions; the new record does not have it",
    "题目之外有 1 处错误，新记录中不再有",
);
pub const REST_MANY: Sentence = say(
    "{0} problems outside the questions; the new record has none of them",
    "题目之外有 {0} 处错误，新记录中不再有",
);
pub const REPLACES: Sentence =
    say("This replaces the bad record (a copy is kept)", "将替换无效的记录（原文存入历史）");
pub const EDITED: Sentence = say("Your edited text", "编辑后的文本");
pub const EDITED_IS_KEPT: Sentence = say(
    "Your edited text for this record is kept; {editor} opens it again.",
    "你为这份记录编辑的文本已保留，按 {editor} 继续编辑。",
);
pub const ORPHANED: Sentence = say(
    "Nobody waits for the answers, unless the same is asked again.",
    "已无人等待回答，除非再次问到同样的问题。",
);
pub const RECORD_NOW: Sentence = say("the record as it is now", "现在的记录");
pub const EDITED_OF: Sentence = say("The record of {0}, as you have edited it", "{0} 的记录（编辑后）");
pub const CTRL_U_PUTS_BACK: Sentence = say("put mine back", "恢复我的");

// ---- Any screen ----

pub const HELP: Sentence = say("Help", "帮助");
pub const SETTINGS_PROBLEMS: Sentence = say("Mistakes in the settings", "设置中的错误");
pub const TOO_SMALL: Sentence = say("The window is too small: 20x5 at least.", "窗口太小，至少 20x5。");
pub const LINE_OF: Sentence = say("lines {0}-{1} of {2}", "第 {0}-{1} 行，共 {2} 行");
