//! What is known about the open gate beside its questions and answers.

use super::gate::{Before, Present};
use crate::ask::draft::Orphan;
use crate::ask::{Change, JsString, QuestionSpec};
use crate::console::review::batch::{Batch, BatchGate, BatchRecord};
use crate::store::history::LastTime;
use crate::text::{Message, plural, say};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Clone, Debug, Default)]
pub struct FormStatus {
    pub orphans: Vec<Orphan>,
    /// The record that the author has seen who is writing why he sends the step back.
    pub reason_over: Option<String>,
    /// Questions that the packet has asked again, whose answers were filled in again; the last ones first.
    pub again: Vec<String>,
    /// What the packet asks differently since the form was opened.
    pub changes: Vec<Change>,
    /// The questions as they were when the author began, once they have changed.
    pub known: Option<Arc<QuestionSpec>>,
    /// Where the packet wanted the answers at first, if that was elsewhere.
    pub moved_from: Option<JsString>,
    /// Sentences that are shown as long as they hold.
    pub warnings: BTreeMap<Warning, Message>,
    /// The most urgent one of them that has been shown.
    pub warned: Option<Message>,
    /// The answers of the bad record, or of the one that was removed.
    pub before: Option<Before>,
    /// What was answered to each question the last time, at another gate.
    pub last_time: Vec<Option<LastTime>>,
    /// Other gates with these questions; none until they have been looked for.
    pub batch: Option<Batch>,
    /// The packets of those of them that the author had taken when he left the review.
    pub batch_before: Vec<PathBuf>,
    pub submitting: bool,
    /// What has become so far of the records of other gates, while they are being written.
    pub tried: Vec<BatchRecord>,
    /// Until then, keys that change an answer are ignored: another question came under the author's hands.
    pub guarded_until: Option<SystemTime>,
    /// Until then, nothing is submitted: the record there changed under the author's hands.
    pub moved_until: Option<SystemTime>,
}

/// What a lasting sentence is about, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    Unkept,
    Packet,
    /// Somebody answered first; or the bad record has changed or gone, or there is none that a key could remove.
    Record,
    AnswerPath,
    Questions,
    Conflict,
    Elsewhere,
}

impl FormStatus {
    /// Says a lasting sentence, or no more.
    pub fn warn(&mut self, of: Warning, message: Option<Message>) {
        self.warnings.remove(&of);
        self.warnings.extend(message.map(|message| (of, message)));
    }

    pub fn present(&self) -> Option<&Present> {
        self.before.as_ref()?.present.as_ref()
    }

    /// The bad record that submitting replaces.
    pub fn repair(&self) -> Option<&Present> {
        self.present().filter(|present| present.by.is_none())
    }

    pub fn answered_first(&self) -> Option<&Message> {
        self.present()?.by.as_ref()
    }

    /// The other gates that submitting answers too.
    pub fn batch_taken(&self) -> Vec<&BatchGate> {
        self.batch.iter().flat_map(Batch::waiting).collect()
    }

    /// Whether there is anything to show of a packet that has changed.
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || !self.orphans.is_empty()
    }

    pub fn changes_counted(&self) -> Message {
        let (changes, orphans) = (self.changes.len(), self.orphans.len());
        let says = match (changes, orphans) {
            (_, 0) => say(
                "The questions changed in {0}; your answers still fit. {changes} shows it.",
                "提问有 {2} 处变化，你的回答仍然适用。按 {changes} 查看。",
            ),
            (0, _) => say("{1}. {changes} shows which.", "{3} 项回答已不适用。按 {changes} 查看。"),
            _ => say(
                "The questions changed in {0}; {1}. {changes} shows it.",
                "提问有 {2} 处变化，{3} 项回答已不适用。按 {changes} 查看。",
            ),
        };
        let english = [
            plural(changes, "place", "places"),
            plural(orphans, "answer no longer fits", "answers no longer fit"),
        ];
        Message::new(says, &[&english[0], &english[1], &changes.to_string(), &orphans.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ChangeKind;
    use crate::text::Lang;

    #[test]
    fn what_changed_and_what_no_longer_fits_is_counted() {
        let change = Change { question: None, header: None, kind: ChangeKind::Order };
        let orphan = Orphan { id: "note".into(), words: "旧话".into() };
        for (changes, orphans, english, chinese) in [
            (
                1,
                0,
                "The questions changed in 1 place; your answers still fit. {changes} shows it.",
                "提问有 1 处变化，你的回答仍然适用。按 {changes} 查看。",
            ),
            (
                4,
                1,
                "The questions changed in 4 places; 1 answer no longer fits. {changes} shows it.",
                "提问有 4 处变化，1 项回答已不适用。按 {changes} 查看。",
            ),
            (
                0,
                2,
                "2 answers no longer fit. {changes} shows which.",
                "2 项回答已不适用。按 {changes} 查看。",
            ),
        ] {
            let status = FormStatus {
                changes: vec![change.clone(); changes],
                orphans: vec![orphan.clone(); orphans],
                ..FormStatus::default()
            };
            let message = status.changes_counted();
            assert_eq!([message.text(Lang::En), message.text(Lang::ZhCn)], [english, chinese]);
        }
    }
}
