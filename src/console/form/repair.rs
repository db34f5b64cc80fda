//! Records that are there, or were: one under repair, one that was removed.

use crate::ask::compare::Value;
use crate::ask::{Diagnosis, Draft, Question, Reply};

/// The bad record that a form repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// Hash of the bytes that were shown; no other record is ever replaced.
    pub seen: String,
    pub diagnosis: Diagnosis,
    /// Whether it is plainly another document; then the author must confirm.
    pub foreign: bool,
}

/// The answers of an earlier record: the bad one, or the one that was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// One for each question.
    pub given: Vec<Option<Value>>,
    /// Those that are still valid; the author can choose them instead of the own ones.
    pub good: Draft,
}

impl Before {
    /// The earlier answer to the question at this place.
    pub fn given(&self, at: usize) -> Option<&Value> {
        self.given.get(at)?.as_ref()
    }

    /// Whether the reply is the earlier answer.
    pub fn is_as_before(&self, at: usize, question: &Question, reply: &Reply) -> bool {
        match (self.given(at), reply.answer(question)) {
            (None, None) => true,
            (Some(before), Some(now)) => *before == Value::from(&now),
            _ => false,
        }
    }
}
