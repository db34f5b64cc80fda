//! What is known about the open gate beside its questions and answers.

use super::repair::{Before, Repair};
use crate::ask::draft::Orphan;
use crate::ask::{Change, QuestionSpec};
use crate::console::review::batch::{Batch, BatchGate, BatchRecord};
use crate::console::sentences as s;
use crate::store::history::LastTime;
use crate::text::{Message, plural};
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Clone, Debug, Default)]
pub struct FormStatus {
    /// Answers to earlier questions that fit no more.
    pub orphans: Vec<Orphan>,
    /// Questions that the packet has asked again, whose answers were filled in again; the last ones first.
    pub again: Vec<String>,
    /// What the packet asks differently since the form was opened.
    pub changes: Vec<Change>,
    /// The questions as they were when the author began, once they have changed.
    pub known: Option<Arc<QuestionSpec>>,
    pub warnings: Warnings,
    /// The bad record that submitting replaces.
    pub repair: Option<Repair>,
    /// The answers of the bad record, or of the one that was removed.
    pub before: Option<Before>,
    /// What was answered to each question the last time, at another gate.
    pub last_time: Vec<Option<LastTime>>,
    /// Other gates with these questions; none until they have been looked for.
    pub batch: Option<Batch>,
    /// Those of them that the author had ticked when he left the review.
    pub batch_before: Arc<[BatchGate]>,
    pub submitting: bool,
    /// What has become so far of the records of other gates, while they are being written.
    pub tried: Vec<BatchRecord>,
    /// Until then, keys that change an answer are ignored: another question came under the author's hands.
    pub guarded_until: Option<SystemTime>,
    /// Until then, nothing is submitted: the bad record changed under the author's hands.
    pub moved_until: Option<SystemTime>,
}

/// Sentences that are shown as long as they hold.
#[derive(Clone, Debug, Default)]
pub struct Warnings {
    /// The answers cannot be kept on the disk.
    pub unkept: Option<Message>,
    /// A record has appeared, the packet has changed or gone.
    pub banner: Option<Banner>,
    /// Another packet wants other answers in the same place.
    pub conflict: Option<Message>,
    /// Somebody else is answering this gate.
    pub elsewhere: Option<Message>,
}

/// A lasting sentence about the open gate.
#[derive(Clone, Debug)]
pub struct Banner {
    pub topic: BannerTopic,
    pub message: Message,
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BannerTopic {
    Questions,
    AnswerPath,
    Packet,
    Record,
    /// A record that is not to be replaced has come first.
    OtherRecord,
}

impl Banner {
    pub fn new(topic: BannerTopic, message: Message) -> Banner {
        Banner { topic, message }
    }

    pub fn is_of_questions(&self) -> bool {
        self.topic == BannerTopic::Questions
    }

    /// F3 shows what has changed and what fits no more.
    pub fn packet_changed(status: &FormStatus) -> Banner {
        Banner::new(BannerTopic::Questions, status.changes_counted())
    }
}

impl Warnings {
    /// Whether a record lies there that submitting does not replace.
    pub fn has_other_record(&self) -> bool {
        self.banner.as_ref().is_some_and(|banner| banner.topic == BannerTopic::OtherRecord)
    }

    /// The most urgent one first.
    pub fn all(&self) -> impl Iterator<Item = &Message> {
        let banner = self.banner.as_ref().map(|banner| &banner.message);
        self.unkept.iter().chain(banner).chain(&self.conflict).chain(&self.elsewhere)
    }
}

impl FormStatus {
    /// The gates that are answered too.
    pub fn batch_taken(&self) -> &[BatchGate] {
        self.batch.as_ref().map(|batch| &*batch.taken).unwrap_or_default()
    }

    /// Whether there is anything to show of a packet that has changed.
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || !self.orphans.is_empty()
    }

    /// How much there is of it.
    pub fn changes_counted(&self) -> Message {
        let (changes, orphans) = (self.changes.len(), self.orphans.len());
        let says = match (changes, orphans) {
            (_, 0) => s::CHANGES_FIT,
            (0, _) => s::ORPHANS_COUNTED,
            _ => s::CHANGES_COUNTED,
        };
        let english = [
            plural(changes, "place", "places"),
            plural(orphans, "entry no longer fits", "entries no longer fit"),
        ];
        Message::new(says, &[&english[0], &english[1], &changes.to_string(), &orphans.to_string()])
    }

    /// What has changed of one question.
    pub fn changes_of(&self, id: &str) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.question.as_deref() == Some(id))
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
                "The packet changed in 1 place; your answers still fit. {changes} shows it.",
                "指令包变化了 1 处，你的回答仍然适用，按 {changes} 查看。",
            ),
            (
                4,
                1,
                "The packet changed in 4 places; 1 entry no longer fits. {changes} shows it.",
                "指令包变化了 4 处，1 项内容已不适用，按 {changes} 查看。",
            ),
            (
                0,
                2,
                "2 entries no longer fit. {changes} shows which.",
                "2 项内容已不适用，按 {changes} 查看。",
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
