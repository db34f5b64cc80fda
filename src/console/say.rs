//! What is said of the outcome of jobs, in both languages.

use crate::console::model::Message;
use crate::console::sentences as s;
use crate::error::Error;
use crate::store::gate::Loaded;
use crate::store::record::{Record, RecordState};
use crate::text::{Lang, Sentence, say};

/// Why no form opens for a record that cannot be read.
pub(crate) const CANNOT_REPAIR: Sentence =
    say("The file at the answer path cannot be repaired here: {0}.", "回答路径上的文件无法在这里修复：{1}。");

/// A reason in both languages, in the gaps of a sentence.
pub(crate) fn because(sentence: Sentence, why: &Message) -> Message {
    Message::new(sentence, &[&why.text(Lang::En), &why.text(Lang::ZhCn)])
}

pub(crate) fn both(sentence: Sentence, error: &Error) -> Message {
    because(sentence, &error.whole())
}

/// Why answers could not be saved.
pub(crate) fn not_kept(reason: &Message) -> Message {
    let says = say(
        "Your answers cannot be kept on disk: {0}. When novel-gate ends, they go to a private file elsewhere.",
        "回答无法保存到磁盘：{1}。程序退出时会暂存到别处的私有文件。",
    );
    because(says, reason)
}

/// That the history does not have a record that was written.
pub(crate) fn not_noted(error: &Error) -> Message {
    let says = say(
        "The record is written, but the history does not have it. {0} What you typed is kept.",
        "记录已写入，但没有记入历史。{1}你输入的内容已保留。",
    );
    both(says, error)
}

/// That it cannot be read.
pub(crate) fn unreadable(loaded: &Loaded) -> Message {
    odd(&loaded.record).map_or(Message::from(s::ASKS_NOTHING), |found| because(CANNOT_REPAIR, &found))
}

/// What lies in a record's place, if it cannot be read as a file.
pub(crate) fn odd(record: &Record) -> Option<Message> {
    let RecordState::Invalid(problems) = &record.state else { return None };
    let first = problems.first().filter(|_| !record.is_read())?;
    Some(first.found.clone())
}
