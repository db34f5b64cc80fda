//! A gate as it was loaded.

use crate::ask::{JsString, Packet, QuestionSpec};
use crate::console::model::Message;
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

/// What `packet` asks; nothing if it carries no gate.
pub(crate) fn spec(packet: &Packet) -> &QuestionSpec {
    static NO_QUESTIONS: QuestionSpec =
        QuestionSpec { version: 1.0, topic: JsString::EMPTY, questions: Vec::new() };
    packet.gate.as_ref().map_or(&NO_QUESTIONS, |gate| &gate.spec)
}
