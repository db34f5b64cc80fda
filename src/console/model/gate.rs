//! A gate on its way into a form.

use super::{Before, Message, Repair};
use crate::ask::draft::Orphan;
use crate::ask::{Draft, JsString, Packet, QuestionSpec};
use crate::store::history::LastTime;
use std::path::PathBuf;
use std::sync::Arc;

/// A gate as last loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadedGate {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    pub packet: Arc<Packet>,
    pub spec_hash: String,
    /// Why no record can be written, if none can.
    pub refusal: Option<Message>,
}

impl LoadedGate {
    /// What the step is called, uncleaned.
    pub fn title(&self) -> String {
        match &self.packet.step {
            Some(step) => step.display().into_owned(),
            None => self.path.to_string_lossy().into_owned(),
        }
    }
}

/// A gate that is about to be answered: one field for each thing that a form begins with.
#[derive(Clone, Debug, Default)]
pub struct OpenedGate {
    pub gate: LoadedGate,
    /// Restored or fresh answers.
    pub draft: Draft,
    /// What the restored draft held that fits no more.
    pub orphans: Vec<Orphan>,
    /// The question the author was at.
    pub at: usize,
    /// The questions as they were when the author began, if they were others.
    pub known: Option<Arc<QuestionSpec>>,
    /// When the restored draft was saved, in RFC 3339.
    pub restored: Option<String>,
    /// Why a draft could not be read.
    pub set_aside: Option<Message>,
    /// Who else is answering this gate.
    pub elsewhere: Option<Message>,
    /// The bad record that is to be repaired.
    pub repair: Option<Repair>,
    /// The answers of the bad record, or of the one that was removed.
    pub before: Option<Before>,
    /// What was answered to each question the last time, at another gate.
    pub last_time: Vec<Option<LastTime>>,
    /// The first sentence of the form.
    pub greeting: Option<Message>,
}

/// What `packet` asks; nothing if it carries no gate.
pub(super) fn spec(packet: &Packet) -> &QuestionSpec {
    static NO_QUESTIONS: QuestionSpec =
        QuestionSpec { version: 1.0, topic: JsString::EMPTY, questions: Vec::new() };
    packet.gate.as_ref().map_or(&NO_QUESTIONS, |gate| &gate.spec)
}

impl OpenedGate {
    /// The first question that needs the author; none if nothing is missing.
    pub(super) fn in_need(&self) -> Option<usize> {
        let gate = self.gate.packet.gate.as_ref()?;
        match (&self.repair, &self.restored) {
            // An author who has been here before has seen what is wrong.
            (Some(repair), None) => repair.diagnosis.first_in_need(&gate.spec, &self.draft),
            _ => self.draft.missing(&gate.spec).first().copied(),
        }
    }

    /// Whether the repaired record only has to be reviewed and written.
    pub fn is_repaired(&self) -> bool {
        self.repair.is_some() && self.in_need().is_none()
    }
}
