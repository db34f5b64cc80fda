//! Records that are there, or were: one under repair, one that was removed, one that the author edits by hand.
//!
//! Responsible for what is known of them, and for what of them stands in a form. Not responsible for finding it out (`effect_handler`).

use super::{Focus, Form, Message};
use crate::ask::{Diagnosis, Draft, Given, Problem, Reply};
use crate::console::field::TextField;
use std::path::PathBuf;

/// The bad record that a form repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// Hash of the bytes that were shown; no other record is ever replaced.
    pub seen: String,
    /// What is wrong with it.
    pub diagnosis: Diagnosis,
    /// Whether it is plainly another document, about which is asked once more.
    pub foreign: bool,
}

/// What an earlier record said to each question: the bad one, or the one that was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// One for each question.
    pub given: Vec<Option<Given>>,
    /// What of it is still an answer; the author can take it instead of his own.
    pub good: Draft,
}

/// A record's text in the author's own editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedRecord {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    /// Hash of the questions that it is checked against.
    pub spec_hash: String,
    /// Hash of the record's bytes when the editor got the text; `None` if none was there any more.
    pub seen: Option<String>,
    /// The text of the record that others have written meanwhile; empty if it is gone.
    pub theirs: Option<String>,
    /// The text: as lent, then as it came back.
    pub text: String,
    /// The record's own text, to tell whether anything was changed.
    pub original: String,
    /// Whether what lies there is plainly another document.
    pub foreign: bool,
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

/// What has to be known before a record is removed.
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
    /// What was said to the question at this place.
    pub fn given(&self, at: usize) -> Option<&Given> {
        self.given.get(at)?.as_ref()
    }

    /// Whether the reply says what was said before.
    pub fn is_as_before(&self, at: usize, question: &crate::ask::Question, reply: &Reply) -> bool {
        match (self.given(at), reply.answer(question)) {
            (None, None) => true,
            (Some(Given::Words(before)), Some(now)) => *before == now,
            _ => false,
        }
    }
}

impl Form {
    /// Takes what an earlier record says where the author has done nothing himself.
    pub fn refill(&mut self) {
        let Some(before) = &self.status.before else { return };
        let was = self.reply().cloned();
        self.draft.fill_from(&before.good);
        if self.reply() != was.as_ref() {
            self.show_reply();
        }
    }

    /// Shows what the reply to the question shown says by now; keys go where they went.
    fn show_reply(&mut self) {
        let at = self.at;
        match self.reply() {
            Some(reply) if self.is_free_text() => {
                let text = reply.text.lossy().into_owned();
                self.field = TextField::new(&text, text.contains('\n'));
            }
            Some(_) if self.focus == Focus::List && self.views[at].passing.is_none() => {
                self.views[at].cursor = self.first_cursor(at);
            }
            _ => {}
        }
    }

    /// What an earlier record says to the question at this place, if that is an answer.
    fn good(&self, at: usize) -> Option<&Reply> {
        self.status.before.as_ref()?.good.replies.get(at)
    }

    /// Whether there is another answer to the question at this place than the one that stands.
    pub fn has_other_answer(&self, at: usize) -> bool {
        self.draft.replies.get(at).is_some_and(|reply| reply.can_cycle(self.good(at)))
    }

    /// How many of the author's answers stand above another one of an earlier record.
    pub fn contested(&self) -> usize {
        let own = |at: &usize| self.draft.replies[*at].is_authors() && self.has_other_answer(*at);
        (0..self.draft.replies.len()).filter(own).count()
    }

    /// Takes the other answer to the question at this place; the one that stood is put aside. False if there is none.
    pub fn take_other_answer(&mut self, at: usize) -> bool {
        let good = self.good(at).cloned();
        let turned = self.draft.replies.get_mut(at).is_some_and(|reply| reply.cycle(good.as_ref()));
        if turned && at == self.at {
            self.show_reply();
        }
        turned
    }
}
