//! What an instruction packet says to people and executors.
//!
//! Everything but the gate is read leniently, as novel-writer-cli does: a missing or odd field is simply not there.

use super::js_string::JsString;
use super::question::QuestionSpec;

/// An instruction packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packet {
    /// The step id, such as `chapter:048:draft`.
    pub step: Option<JsString>,
    /// Who runs the step.
    pub agent: Option<JsString>,
    /// Files the step is to make.
    pub expected_outputs: Vec<ExpectedOutput>,
    /// What is to be run afterwards.
    pub next_actions: Vec<JsString>,
    /// The gate, if the packet carries one.
    pub gate: Option<Gate>,
}

/// Questions and the place for their answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What is asked.
    pub spec: QuestionSpec,
    /// Where the record goes; lexically safe, not yet resolved.
    pub answer_path: JsString,
}

/// One entry of `expected_outputs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutput {
    /// Path as the packet spells it.
    pub path: JsString,
    /// Whether the step must make it.
    pub required: bool,
}
