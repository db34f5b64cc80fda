//! Other gates that wait with the questions of the open form, byte for byte: one review can answer all of them.

use super::{LoadedGate, Message, Receipt};
use crate::text::Lang;
use std::path::PathBuf;

/// Packets that are named in one line.
const NAMED: usize = 20;

/// The gates that were found when the review was opened. None is answered unless the author says so.
#[derive(Clone, Debug)]
pub struct Batch {
    pub gates: Vec<BatchGate>,
    /// Whether submitting answers them too.
    pub taken: bool,
}

impl Batch {
    /// All of them; once they are taken in, those that can be answered.
    pub fn offered(&self) -> impl Iterator<Item = &BatchGate> {
        self.gates.iter().filter(|other| !self.taken || other.gate.refusal.is_none())
    }

    /// The names of their steps, in one line.
    pub fn names(&self, lang: Lang) -> String {
        let titles = self.offered().take(NAMED).map(|other| other.gate.title());
        let more = (self.gates.len() > NAMED).then(|| "…".to_owned());
        titles.chain(more).collect::<Vec<_>>().join(lang.comma())
    }
}

#[derive(Clone, Debug)]
pub struct BatchGate {
    pub gate: LoadedGate,
    /// Whether answers of its own are kept for it.
    pub has_draft: bool,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
}

/// What became of the record of one packet.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRecord {
    pub path: PathBuf,
    /// Its step, for people.
    pub title: String,
    /// Proof of it, or why it was not written.
    pub written: Result<Receipt, Message>,
}
