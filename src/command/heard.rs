//! Who was told the author's answers, for programs.

use crate::store::hearing::Hearing;
use crate::store::rounds::Told;
use schemars::JsonSchema;
use serde::Serialize;

/// Somebody was told what the author decided.
#[derive(Serialize, JsonSchema)]
pub(super) struct Telling {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// The agent that was about to start; null for an executor that hands the decisions on itself.
    agent: Option<String>,
    /// By which way: a client's hook, or a command.
    by: String,
}

/// Whether the answers have reached who does the step.
#[derive(Serialize, JsonSchema)]
pub(super) struct Heard {
    /// The last time that somebody was told the record that is there.
    told: Option<Telling>,
    /// Whether the step has made outputs since, and nobody was told.
    untold: bool,
    /// Whether the record has approved something that has changed since, before the book went on.
    outdated: bool,
}

impl Telling {
    pub(super) fn of(told: &Told) -> Telling {
        Telling { at: told.at.clone(), agent: told.agent.clone(), by: told.by.clone() }
    }
}

impl Heard {
    pub(super) fn of(hearing: Option<&Hearing>, outdated: bool) -> Heard {
        let told = hearing.and_then(|hearing| hearing.told().last()).map(Telling::of);
        Heard { told, untold: hearing.is_some_and(Hearing::is_untold), outdated }
    }
}
