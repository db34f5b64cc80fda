//! Why an entry of the history was made, in a code and in words.

use crate::text::{Lang, say};

/// Why an entry was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Reason {
    const ALL: [Reason; 6] = [
        Reason::Answered,
        Reason::Repaired,
        Reason::Redone,
        Reason::Replaced,
        Reason::Restored,
        Reason::Seen,
    ];

    /// As an entry spells it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Answered => "answered",
            Reason::Repaired => "repaired",
            Reason::Redone => "redone",
            Reason::Replaced => "replaced",
            Reason::Restored => "restored",
            Reason::Seen => "seen",
        }
    }

    /// For people: what happened, and who had answered, if that is known.
    pub fn text(self, by: Option<&str>, lang: Lang) -> String {
        let (alone, with_author) = match self {
            Reason::Answered => (say("answered", "回答"), say("answered by {0}", "由 {0} 回答")),
            Reason::Repaired => (say("repaired", "修复"), say("repaired by {0}", "由 {0} 修复")),
            Reason::Redone => {
                (say("taken back", "收回"), say("taken back (answered by {0})", "收回（原由 {0} 回答）"))
            }
            Reason::Replaced => {
                (say("replaced", "被替换"), say("replaced (answered by {0})", "被替换（原由 {0} 回答）"))
            }
            Reason::Restored => {
                (say("restored", "恢复"), say("restored (answered by {0})", "恢复（由 {0} 回答）"))
            }
            Reason::Seen => (say("from outside", "外部写入"), say("from outside ({0})", "外部写入（{0}）")),
        };
        by.map_or_else(|| alone.text(lang).to_owned(), |by| with_author.fill(lang, &[by]))
    }

    /// The reason with this spelling; the earlier spellings `redo` and `undo` are understood.
    pub fn from_name(name: &str) -> Option<Reason> {
        match name {
            "redo" => Some(Reason::Redone),
            "undo" => Some(Reason::Restored),
            _ => Reason::ALL.into_iter().find(|reason| reason.name() == name),
        }
    }

    /// Whether the record was taken away from its place; otherwise it was put or found there.
    pub fn is_removal(self) -> bool {
        matches!(self, Reason::Redone | Reason::Replaced)
    }
}
