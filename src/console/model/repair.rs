//! Records that are there, or were: one under repair, one that was removed, one that the author edits by hand.

use super::Message;
use crate::ask::compare::Value;
use crate::ask::{Diagnosis, Draft, JsString, Problem, Question, Reply};
use std::path::PathBuf;

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

/// A record's text in the author's own editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedRecord {
    pub path: PathBuf,
    /// Where its text is kept, whatever becomes of the packet.
    pub answer_path: JsString,
    /// Whether the text is on the disk too.
    pub kept: bool,
    /// Hash of the questions that it is checked against.
    pub spec_hash: String,
    /// Hash of the record's bytes when the editor got the text; `None` if none was there any more.
    pub seen: Option<String>,
    /// The text of the record that others have written meanwhile; empty if it is gone.
    pub theirs: Option<String>,
    /// The text as the editor got it, then as it came back.
    pub text: String,
    /// The record's own text, to tell whether anything was changed.
    pub original: String,
    /// Whether what lies there is plainly another document.
    pub foreign: bool,
}

/// The text that is in the author's editor.
#[derive(Clone, Debug)]
pub enum Editing {
    Record(Box<EditedRecord>),
    /// The answer to the question with this id.
    Answer(String),
    /// The note beside it.
    Note(String),
}

/// What became of a record that the author has edited.
#[derive(Clone, Debug, PartialEq)]
pub enum EditVerdict {
    /// As it was.
    Unchanged,
    /// It would open the gate.
    Valid,
    /// It would not.
    Invalid(Vec<Problem>),
    /// It cannot be written as things stand, and why.
    Refused(Message),
}

/// What the author must know before a record is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedoWarning {
    /// Hash of the record that this is about.
    pub seen: String,
    /// Outputs of the step that exist already, as the packet spells them.
    pub outputs: Vec<String>,
    /// Whether the checkpoint has passed the step.
    pub past: bool,
    /// Whether what lies there is plainly another document.
    pub foreign: bool,
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
