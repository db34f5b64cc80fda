//! Canonical Prompt documents: a protocol's questions as steps of two or three options, for executors that run a table.
//!
//! A document that has been read has passed the rules, so every value of these types is legal.
//!
//! The format is that of the public project `epistemic-protocols` (Codex compatibility layer, Canonical Prompt Spec).

use super::profile::OnEscape;
use super::task_sync::TaskSync;
use crate::ask::JsString;
use crate::ask::js_string::as_js_number;
use serde::Serialize;

mod compile;
mod fields;
mod read;
mod rules;
mod source;
mod walk;

pub use compile::{DEFAULT_PROTOCOL, DEFAULT_SOURCE, Options, compile};
pub use read::{check_shape, is_protocol, is_source, read};
pub use source::{Prompt, Source, read_call, read_protocol, read_relayed};
pub use walk::{Script, Taken, Walk};

/// JSON Schema (2020-12) of a document, for editors and other programs: what [`check_shape`] accepts. What a schema cannot
/// say (ids that exist, steps that can be reached) is named in its descriptions and checked by [`read`].
pub const SCHEMA: &str = include_str!("canonical/canonical-prompt.schema.json");

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The protocol's name: `a-z`, `0-9` and `-`, a letter first.
    pub protocol: String,
    /// Three numbers with dots between them.
    pub version: String,
    /// The page that the questions come from; ends in `.md`.
    pub source: JsString,
    pub source_prompts: Vec<SourcePrompt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_sync: Option<TaskSync>,
    /// At least one, each with an id of its own and reachable from the first.
    pub steps: Vec<Step>,
}

/// A question of the source, and the steps that it became.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourcePrompt {
    pub id: String,
    pub source_phase: JsString,
    /// How many options the source has: an integer of at least 2.
    #[serde(serialize_with = "as_js_number")]
    pub source_options_count: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflow_strategy: Option<&'static str>,
    pub mapped_step_ids: Vec<String>,
}

/// One question of two or three options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its id: `a-z`, `0-9`, `_` and `-`, no sign first.
    pub id: String,
    pub intent: Intent,
    pub question: JsString,
    /// Two or three, each with a label of its own.
    pub options: Vec<StepOption>,
    /// How many options may be chosen at once: 1 to 3, and 1 unless several are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_choices: Option<u8>,
    pub on_escape: OnEscape,
    /// Where each answer leads; what is not in it leads to the step behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Transition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Intent {
    /// A yes to one thing.
    Confirm,
    SelectOne,
    /// Several, one after another.
    SelectMany,
    Judge,
    /// Whether to end.
    Terminate,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepOption {
    pub label: JsString,
    pub description: JsString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implication: Option<JsString>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transition {
    /// A label of the step.
    pub answer: JsString,
    pub next_step: String,
}

impl Document {
    /// The bytes of the document's file: two-space JSON with a final newline.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
