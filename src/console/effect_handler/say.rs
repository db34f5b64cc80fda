//! What the effects' results say, in both languages.

use super::super::model::{LoadedGate, Message};
use super::super::sentences as s;
use crate::error::Error;
use crate::store::gate::Loaded;
use crate::store::record::{Record, RecordState};
use crate::text::{Lang, Sentence, say};
use std::path::Path;
use std::sync::Arc;

pub(super) fn loaded_gate(path: &Path, loaded: Loaded) -> LoadedGate {
    LoadedGate {
        path: path.to_path_buf(),
        spec_hash: loaded.spec_hash(),
        refusal: loaded.refusal.map(|refusal| Message::from(refusal.sentence())),
        packet: Arc::new(loaded.packet),
    }
}

/// An error in both languages, in the gaps of a sentence.
pub(super) fn both(sentence: Sentence, error: &Error) -> Message {
    Message::new(sentence, &[&error.text(Lang::En), &error.text(Lang::ZhCn)])
}

/// Why answers could not be saved.
pub(in crate::console) fn not_kept(reason: &Message) -> Message {
    Message::new(
        say(
            "Your answers cannot be kept on disk: {0}. They are safe only while this program runs.",
            "回答无法保存到磁盘：{1}。程序运行期间不会丢失，退出前请留意。",
        ),
        &[&reason.text(Lang::En), &reason.text(Lang::ZhCn)],
    )
}

/// Why no form opens for a record that cannot be read.
pub(super) fn unreadable(loaded: &Loaded) -> Message {
    let RecordState::Invalid(problems) = &loaded.record.state else { return Message::from(s::ASKS_NOTHING) };
    let found = |lang: Lang| problems.first().map(|problem| problem.found.text(lang)).unwrap_or_default();
    let words = [found(Lang::En), found(Lang::ZhCn)];
    Message::in_both(|lang| {
        say(
            "The file at the answer path cannot be repaired here: {0}.",
            "回答路径上的文件无法在这里修复：{1}。",
        )
        .fill(lang, &[&words[0], &words[1]])
    })
}

/// What lies in a record's place, if it cannot be read as a file.
pub(super) fn odd(record: &Record) -> Option<Message> {
    let RecordState::Invalid(problems) = &record.state else { return None };
    let first = problems.first().filter(|_| !record.is_read())?;
    Some(first.found.clone())
}
