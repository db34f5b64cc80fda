//! A gate on its way into a form.

use crate::ask::Draft;
use crate::console::model::{FormStatus, LoadedGate, Message};

/// A gate that is about to be answered: one field for each thing that a form begins with.
#[derive(Clone, Debug, Default)]
pub struct OpenedGate {
    pub gate: LoadedGate,
    /// Restored or fresh answers.
    pub draft: Draft,
    /// The question the author was at.
    pub at: usize,
    pub status: FormStatus,
    /// When the restored draft was saved, in RFC 3339.
    pub restored: Option<String>,
    /// Why a draft could not be read.
    pub set_aside: Option<Message>,
    /// The first sentence of the form.
    pub greeting: Option<Message>,
}

impl OpenedGate {
    /// The first question that needs the author; none if nothing is missing.
    pub fn in_need(&self) -> Option<usize> {
        let gate = self.gate.packet.gate.as_ref()?;
        match (&self.status.repair, &self.restored) {
            // An author who has been here before has seen what is wrong.
            (Some(repair), None) => repair.diagnosis.first_in_need(&gate.spec, &self.draft),
            _ => self.draft.missing(&gate.spec).first().copied(),
        }
    }
}
