//! What the author gave in place of an answer, for programs and for people.

use crate::ask::JsString;
use crate::store::rounds::{Delivered, SentBack};
use schemars::JsonSchema;
use serde::Serialize;

/// What the author gave in place of an answer.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "SentBack")]
pub(super) struct SentBackOutput {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Who sent it back.
    by: JsString,
    /// The label of a verdict that was chosen.
    choice: Option<JsString>,
    /// The id of a question that does not apply.
    does_not_apply: Option<String>,
    /// Why, in the author's words; empty where the label or the question says enough.
    reason: JsString,
    /// When it reached an executor first; null if it has not yet.
    #[schemars(extend("format" = "date-time"))]
    delivered: Option<String>,
}

impl SentBackOutput {
    pub(super) fn of(sent: &SentBack, delivered: &[Delivered]) -> SentBackOutput {
        let SentBack { at, by, choice, does_not_apply, reason, .. } = sent.clone();
        let delivered = delivered.first().map(|line| line.at.clone());
        SentBackOutput { at, by, choice, does_not_apply, reason, delivered }
    }
}
