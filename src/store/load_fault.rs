//! Why a packet cannot be used.

use crate::ask::Problem;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};

/// Why a packet cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadFault {
    /// It breaks the rules (exit 5).
    Malformed(Vec<Problem>),
    /// It is not there or cannot be read (exit 1).
    Unreadable(Error),
}

impl LoadFault {
    /// As an error for operators.
    pub fn error(&self) -> Error {
        match self {
            LoadFault::Unreadable(error) => error.clone(),
            LoadFault::Malformed(problems) => {
                let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
                let sentence = say("The packet cannot be used. {0}", "这个指令包无法使用。{1}");
                let parts = [first(Lang::En), first(Lang::ZhCn)];
                Error::new(ExitCode::Malformed, "malformed", sentence, &[&parts[0], &parts[1]])
            }
        }
    }
}
