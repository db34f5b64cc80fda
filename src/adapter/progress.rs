//! How far one question of a dialogue has come, between two replies.

use super::silence::is_doubtful;
use crate::ask::{JsString, Reply};
use schemars::JsonSchema;
use serde::Serialize;

/// How far one question has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    /// The page shown, from 0.
    pub page: usize,
    /// The groups opened, from the first level down: the place of each among the entries of its level.
    pub path: Vec<usize>,
    /// What has been chosen so far.
    pub reply: Reply,
    /// Whether the author is done with it; the answer may be none.
    pub resolved: bool,
    /// Why the last reply to it was not accepted.
    pub reject: Option<Reject>,
    /// Words that may be a client's own, which count if they come once more.
    pub doubted: Option<JsString>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// A choice, or whether to type.
    #[default]
    Pick,
    /// Whether to add another selection.
    Again,
    /// The text itself, by message.
    Text,
}

/// Why a reply to a question is not accepted; it is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reject {
    Unanswered,
    /// Skipped, but it must be answered.
    Required,
    /// Neither an option nor allowed as own words.
    NotAnOption,
    Duplicate,
    /// A control together with options.
    Contradiction,
    /// Several options where one is asked.
    TooMany,
    Empty,
    /// A control token, or a contract's own placeholder.
    ReservedText,
    /// It looks like what a client says where nothing was answered; the same once more is an answer.
    RepeatToConfirm,
    /// The contract's reply is not one JSON object.
    NotJson,
    /// The contract's reply is JSON of another shape, or names a key twice.
    BadShape,
    UnknownId,
    WrongType,
}

/// Something in a reply that was not accepted; it is asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rejected {
    /// The question, or a key that is no question's; null if the whole reply is meant.
    pub id: Option<JsString>,
    /// Why; stable, such as `not_an_option`.
    #[schemars(with = "String")]
    pub code: Reject,
    /// Where in a contract's reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub at: Option<String>,
}

impl Progress {
    /// Nothing done, no default taken: in a dialogue only what the author says is an answer.
    pub fn fresh() -> Progress {
        Progress { reply: Reply { touched: true, ..Reply::default() }, ..Progress::default() }
    }

    /// Takes words only the second time if they may be a client's own.
    pub(super) fn confirm(&mut self, words: &JsString) -> Result<(), Reject> {
        let before = self.doubted.take();
        if !is_doubtful(words) || before.as_ref() == Some(words) {
            return Ok(());
        }
        self.doubted = Some(words.clone());
        Err(Reject::RepeatToConfirm)
    }

    /// What stands behind the question if it is asked again.
    pub fn mark(&self) -> String {
        self.reject.map(Reject::mark).unwrap_or_default()
    }
}

impl Reject {
    /// Stable name for programs.
    pub fn code(self) -> &'static str {
        self.into()
    }

    pub fn mark(self) -> String {
        format!(" [not accepted: {}]", self.code())
    }
}
