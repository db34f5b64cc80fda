//! What differs between the answers of two records.
//!
//! Responsible for naming every answer that differs once. Pure. Not responsible for what is asked differently (`drift`).

use super::answer::{Answer, AnswerSpec};
use std::collections::{HashMap, HashSet};

/// An answer that differs between two records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerChange {
    /// The question's id.
    pub id: String,
    /// The older answer, if there was one.
    pub before: Option<Answer>,
    /// The newer answer, if there is one.
    pub after: Option<Answer>,
}

/// Every answer that differs between two records, in the newer one's order, what is only in the older one last.
pub fn answer_difference(before: &AnswerSpec, after: &AnswerSpec) -> Vec<AnswerChange> {
    let then: HashMap<&str, &Answer> =
        before.answers.iter().map(|(id, answer)| (id.as_str(), answer)).collect();
    let ids: HashSet<&str> = after.answers.iter().map(|(id, _)| id.as_str()).collect();
    let newer = after.answers.iter().filter_map(|(id, answer)| {
        let was = then.get(id.as_str()).copied();
        (was != Some(answer)).then(|| AnswerChange {
            id: id.clone(),
            before: was.cloned(),
            after: Some(answer.clone()),
        })
    });
    let gone = before
        .answers
        .iter()
        .filter(|(id, _)| !ids.contains(id.as_str()))
        .map(|(id, answer)| AnswerChange { id: id.clone(), before: Some(answer.clone()), after: None });
    newer.chain(gone).collect()
}

#[cfg(test)]
mod tests;
