//! Why an entry was made, and what it keeps.

use crate::ask::standing::ENDING;
use crate::ask::{JsString, SIGNATURE};
use crate::platform::paths::Shown as _;
use crate::store::file::QUESTIONS;
use crate::text::{Lang, say};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use std::path::Path;

/// Why an entry was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// A record was written by novel-gate.
    Answered,
    /// The same in place of a record that was invalid.
    Repaired,
    /// A record was removed so that its gate waits again.
    Redone,
    /// A record was removed to make room for another one.
    Replaced,
    /// A record of the history was put back.
    Restored,
    /// A record was found that somebody else had written.
    Seen,
    /// Answers that sent the step back, and no record.
    SentBack,
}

impl Reason {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// For people: what happened, and who had answered, if that is known; the author is spoken to.
    pub fn text(self, by: Option<&str>, lang: Lang) -> String {
        let [alone, signed, yours] = match self {
            Reason::Answered => [
                say("answered", "回答"),
                say("answered by {0}", "由 {0} 回答"),
                say("your answers", "你的回答"),
            ],
            Reason::Repaired => [
                say("repaired", "修复"),
                say("repaired by {0}", "由 {0} 修复"),
                say("your answers, repaired", "你修复的回答"),
            ],
            Reason::Redone => [
                say("taken back", "收回"),
                say("taken back (answered by {0})", "收回（原由 {0} 回答）"),
                say("your answers, taken back", "已收回你的回答"),
            ],
            Reason::Replaced => [
                say("replaced", "被替换"),
                say("replaced (answered by {0})", "被替换（原由 {0} 回答）"),
                say("your answers, replaced", "你的回答被替换"),
            ],
            Reason::Restored => [
                say("put back", "放回"),
                say("put back (answered by {0})", "放回（由 {0} 回答）"),
                say("your answers, put back", "已放回你的回答"),
            ],
            Reason::SentBack => [
                say("sent back", "退回"),
                say("sent back by {0}", "由 {0} 退回"),
                say("sent back by you", "你退回了这一步"),
            ],
            Reason::Seen => [
                say("found on disk", "外部写入"),
                say("found on disk ({0})", "外部写入（{0}）"),
                say("found on disk, signed as yours", "外部写入，署你的名"),
            ],
        };
        match by {
            None => alone.text(lang).to_owned(),
            Some(SIGNATURE) => yours.text(lang).to_owned(),
            Some(by) => signed.fill(lang, &[by]),
        }
    }

    /// Whether the record was taken away from its place; otherwise it was put or found there.
    pub fn is_removal(self) -> bool {
        matches!(self, Reason::Redone | Reason::Replaced)
    }
}

/// What an entry keeps; its name is stable, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum EntryKind {
    Record,
    /// Answers that sent the step back.
    SentBack,
    /// The file of a standing question.
    Question,
    /// An old text of a packet.
    Packet,
}

impl EntryKind {
    pub(super) fn of(reason: Reason, answer_path: &JsString, packet: Option<&Path>) -> EntryKind {
        let path = answer_path.lossy();
        if reason == Reason::SentBack {
            EntryKind::SentBack
        } else if packet.is_some_and(|packet| packet.shown() == path) {
            EntryKind::Packet
        } else if path.ends_with(ENDING) && Path::new(&*path).parent() == Some(Path::new(QUESTIONS)) {
            EntryKind::Question
        } else {
            EntryKind::Record
        }
    }

    /// Whether it is a file that is shown as it is, and no answers.
    pub fn is_file(self) -> bool {
        matches!(self, EntryKind::Question | EntryKind::Packet)
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Reason> {
        value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
    }
}
