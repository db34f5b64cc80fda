//! One reply of a draft as it is kept, and how far a draft has come by its kept replies.

use crate::ask::js_string::JsString;
use crate::ask::question::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Half-made answers that the console keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ListedDraft")]
pub struct DraftProgress {
    /// Questions that the author has answered.
    // A default that merely stands is no answer of his.
    pub answered: usize,
    /// Questions there are.
    pub questions: usize,
    /// Questions that have an answer, defaults that stand among them.
    #[serde(skip)]
    pub standing: usize,
    /// Questions that must be answered and are not.
    #[serde(skip)]
    pub missing: usize,
    /// Whether there are words of the author's beside his answers: notes, and what he typed and did not choose.
    #[serde(skip)]
    pub has_words: bool,
}

impl DraftProgress {
    /// Whether there is something to submit: where all was cleared there is nothing, and beside a record only answers count.
    pub fn is_unsubmitted(self, recorded: bool) -> bool {
        self.answered > 0 || self.has_words && !recorded
    }

    /// Of replies as they are kept; `None` if they cannot be read.
    pub fn of_kept(replies: &str) -> Option<DraftProgress> {
        let replies: Vec<SavedReply> = serde_json::from_str(replies).ok()?;
        let says = |reply: &&SavedReply| !reply.picks.is_empty() || !reply.text.is_blank();
        let asked = || replies.iter().filter(|reply| !reply.given && !reply.is_reason);
        let own = asked().filter(|reply| reply.touched && !reply.prefilled);
        let has_words = |reply: &SavedReply| {
            !reply.other.trim().is_empty()
                || !reply.prefilled && !reply.note.is_blank()
                || reply.given
                || reply.is_reason
        };
        Some(DraftProgress {
            answered: own.filter(says).count(),
            standing: asked().filter(says).count(),
            missing: asked().filter(|reply| reply.required != Some(false) && !says(reply)).count(),
            questions: asked().count(),
            has_words: replies.iter().any(has_words),
        })
    }
}

/// What has been done about one question, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct SavedReply {
    #[serde(skip_serializing_if = "JsString::is_empty")]
    pub(super) id: JsString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<Kind>,
    /// Whether its question must be answered, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) required: Option<bool>,
    /// Whether it is as the author gave it, for other questions than those of the draft.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) given: bool,
    /// Whether it is no reply, but why the author would send the step back: its note, and the question that does not apply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_reason: bool,
    pub(super) touched: bool,
    pub(super) prefilled: bool,
    /// The labels of the chosen options, and own words.
    pub(super) picks: Vec<JsString>,
    /// Which of them are own words: an option that is gone is not the author's own words.
    pub(super) own: HashSet<JsString>,
    pub(super) text: JsString,
    pub(super) other: String,
    pub(super) note: JsString,
    pub(super) alternatives: Vec<SavedReply>,
}
