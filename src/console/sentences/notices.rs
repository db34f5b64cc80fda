//! What the console tells the author when something happened: notices and banners.

use crate::store::drafts::autosave::Unsaved;
use crate::store::history::Reason;
use crate::text::{Lang, Message, Sentence, say};

// ---- The gate changes while it is open ----

pub const NOTHING_CHANGED: Sentence = say("The questions have not changed.", "问题没有变化。");
pub const QUESTIONS_MOVED: Sentence =
    say("The screen has just changed; this key was ignored.", "显示的内容刚刚发生变化，这次按键未生效。");

pub const GATE_SHARED: Sentence = say(
    "Another console has answers to this gate too. The first record written counts; nothing of yours is lost.",
    "另一个控制台也有这个门控的回答。先写入的记录生效，你的内容不会丢失。",
);
pub const ROOT_GONE: Sentence = say(
    "The project's directory is gone. Your answers are kept; they will be here when it is back.",
    "项目目录已不存在。回答已保留，目录恢复后即可继续。",
);

// ---- Leaving ----

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
            &[&why[0], &why[1], &file.to_string_lossy()],
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

// ---- Submitting ----

pub const NOT_WRITTEN: Sentence =
    say("Not written. {0} Your answers are kept.", "未写入。{1}你的回答已保留。");

pub const CANNOT_PUT_BACK: Sentence = say(
    "It is not a file that can move to the history. Move it away first.",
    "那里不是可以移入历史的文件，请先移走它。",
);
pub const PUT_BACK: Sentence = say(
    "Your record is back in its place, byte for byte. What was there is in the history.",
    "你的记录已原样放回。原来在那里的内容已移入历史。",
);

// ---- Questions of an executor ----

pub const NOT_RELAYED: Sentence = say(
    "No executor waits for an answer to this gate; it is asked here.",
    "没有执行器在等这个门控的回答，它在这里作答。",
);
pub const HANDED_BACK: Sentence = say(
    "{0} is handed back, for the executor to ask it there. What you have answered is kept.",
    "{0} 已交还，由执行器自己提问。已作的回答已保留。",
);
pub const TAKEN_AWAY: Sentence = say(
    "{0} is taken away: nobody waited for it any more. What you have answered is kept.",
    "{0} 已撤下：已没有执行器在等它。已作的回答已保留。",
);

// ---- Opening, redo, undo ----

pub const ASKS_NOTHING: Sentence = say("This packet asks nothing.", "这个指令包没有提问。");
pub const CANNOT_OPEN: Sentence = say("Cannot open this packet. {0}", "无法打开这个指令包。{1}");
pub const NOTHING_TO_REDO: Sentence = say("There is no record to redo here.", "这里没有可以重做的记录。");
pub const NOTHING_TO_UNDO: Sentence = say("There is nothing to undo here.", "这里没有可以撤销的操作。");
pub const PLAIN: Sentence = say("{0}", "{1}");

// ---- Repairing a bad record, editing it by hand ----

pub const REPAIR_BEGINS: Sentence = say(
    "What is still valid is filled in; submitting replaces the bad record.",
    "仍有效的回答已填入；提交时替换无效的记录。",
);
pub const NO_OTHER_ANSWER: Sentence =
    say("There is no other answer to this question.", "这道题没有可切换的回答。");
pub const NOTHING_TO_EDIT: Sentence = say("There is no record to edit here.", "这里没有可以编辑的记录。");
pub const EDIT_NOT_WRITTEN: Sentence =
    say("Not written. {0} Your text is kept.", "未写入。{1}你的文本已保留。");

// ---- Faults of the program itself ----

pub const EDITOR_FAILED: Sentence =
    say("The editor exited with an error; the text is as it was.", "编辑器未正常结束，文本保持原样。");

// ---- The history of a gate ----

pub const HISTORY: Sentence = say("History", "历史");
pub const HISTORY_EMPTY: Sentence =
    say("Nothing has been written for this gate yet.", "这个门控还没有写入过任何记录。");
pub const HISTORY_NOTHING_PASSES: Sentence =
    say("No entry contains {0}. {back} clears the filter.", "没有含“{0}”的条目。按 {back} 清除筛选。");
pub const ENTRIES_ONE: Sentence = say("1 entry", "1 条");
pub const ENTRIES_MANY: Sentence = say("{0} entries", "{0} 条");
pub const HISTORY_OF_PROJECT: Sentence = say("History of the whole project", "整个项目的历史");
pub const HISTORY_OF_PROJECT_EMPTY: Sentence =
    say("Nothing has been written in this project yet.", "这个项目还没有写入过任何记录。");
pub const RESTORE_WHICH: Sentence = say("Entry: {0}, {1}.", "条目：{0}，{1}。");
pub const RESTORE_BLOCKS: Sentence = say(
    "It does not fit the current questions: the step will be blocked until the record is repaired.",
    "它不符合现在的提问：恢复后步骤会受阻，直到记录被修复。",
);
pub const OURS_REPLACED: Sentence = say(
    "Somebody replaced the record you wrote with novel-gate ({0}, {1}). {undo-redo} puts yours back.",
    "你用 novel-gate 写入的记录（{0}，{1}）已被别人替换。按 {undo-redo} 恢复你的那份。",
);
pub const OURS_GONE: Sentence = say(
    "Somebody removed the record you wrote with novel-gate ({0}, {1}). {undo-redo} puts it back.",
    "你用 novel-gate 写入的记录（{0}，{1}）被人移走了。按 {undo-redo} 恢复。",
);
pub const REDO_CAN_BE_UNDONE: Sentence = say(
    "Its record was removed for a redo. {undo-redo} puts it back.",
    "它的记录因重做而移走。按 {undo-redo} 恢复。",
);
pub const ENTRY_INVALID: Sentence =
    say("This record was not valid for what was asked.", "这份记录不符合当时的提问。");
pub const INVALID_MARK: Sentence = say("invalid", "无效");
pub const ENTRY_IS_THERE: Sentence =
    say("The current record is exactly this one.", "现有记录与此条目完全相同。");
/// What happened to the record of an entry.
pub fn entry_means(reason: Reason) -> Sentence {
    match reason {
        Reason::Answered => say("Written by novel-gate.", "由 novel-gate 写入。"),
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
        Reason::Restored => say("Put back from the history.", "从历史中恢复。"),
        Reason::Seen => {
            say("Written by somebody else; kept when it was first seen.", "由别人写入，首次发现时留存。")
        }
    }
}
pub const ENTRY_FIRST: Sentence = say("The first entry of this gate.", "这个门控的第一个条目。");
pub const ENTRY_SAME: Sentence = say("The same as the entry before it.", "与前一条目相同。");
pub const ENTRY_DIFFERS: Sentence =
    say("− the answers of the entry before, + the answers of this one", "− 前一条目的回答，+ 此条目的回答");
pub const ENTRY_ANSWERS_NOTHING: Sentence = say("It has no readable answers.", "其中没有可读取的回答。");
pub const NO_ANSWER_GIVEN: Sentence = say("(no answer)", "（没有回答）");
pub const RESTORE_ASKS: Sentence = say("Put this record of {0} back?", "恢复 {0} 的这份记录？");
pub const RESTORE_MEANS: Sentence = say(
    "No record is there now. It comes back byte for byte, and the gate has its answers again.",
    "现在没有记录。它将原样恢复，门控重新得到回答。",
);
pub const RESTORE_REPLACES: Sentence = say(
    "It replaces the current record, which moves to the history first.",
    "它将取代现有的记录，现有记录会先移入历史。",
);
pub const ENTRY_NOT_RESTORED: Sentence =
    say("Not restored. {0} The history is shown as it is now.", "未恢复。{1}历史已按现状重新显示。");

pub const EDITOR_FAILED_BESIDE: Sentence = say(
    "The editor exited with an error; the text is as it was. What you wrote there is shown below.",
    "编辑器未正常结束，文本保持原样。你在其中写的内容显示在下方。",
);
