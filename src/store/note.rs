//! What is shown among the gates and is none.

use crate::text::{Sentence, say};

/// What a file is that has no gate, and is shown all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Note {
    /// It is meant for a gate whose names are misspelt, or that lies elsewhere: the executor sees none.
    Misspelt,
    /// A packet with a gate under a name that is not one of a packet: the executor finds none.
    Misnamed,
    /// Of a packet, made by a sync program, a file manager or an editor.
    Copy,
    /// The executor's checkpoint, which cannot be read.
    Checkpoint,
}

impl Note {
    pub const fn word(self) -> Sentence {
        match self {
            Note::Misspelt | Note::Misnamed => say("unseen gate", "门控未生效"),
            Note::Copy => say("copy", "副本"),
            Note::Checkpoint => say("unreadable", "读不出"),
        }
    }
}
