//! What a form begins with: the good answers of a bad record, or those of one that was removed.

use super::reload::RecordSeen;
use super::repair::{Before, Repair};
use crate::ask::cause::{Cause, causes};
use crate::ask::{
    Diagnosis, Draft, Gate, Problem, check_record, is_another_document, recorded_answers, repair_draft,
};
use crate::console::files::Files;
use crate::console::model::Message;
use crate::console::say::odd;
use crate::console::sentences as s;
use crate::store::clock::local_time;
use crate::store::gate::Loaded;
use crate::store::history;
use crate::store::record::{Record, RecordState};
use crate::text::{Lang, Sentence, say};

/// What a form begins with, before any draft.
pub(crate) struct Start {
    pub(crate) draft: Draft,
    pub(crate) repair: Option<Repair>,
    pub(crate) before: Option<Before>,
    pub(crate) greeting: Option<Message>,
}

const DELETED_BY_HAND: Sentence = say(
    "The record is gone. Its last known answers ({0}, {1}) are filled in; nothing is written until you submit.",
    "记录已不在。已填入最后已知的回答（{0}，{2}），提交前不会写入。",
);

impl Files {
    /// The good answers of the bad record; else those of the record that was there last, whoever removed it.
    pub(crate) fn start(&self, loaded: &Loaded, gate: &Gate) -> Start {
        if let RecordState::Invalid(problems) = &loaded.record.state {
            let (repair, before) = self.repair(gate, &loaded.record, problems);
            let draft = before.good.clone();
            let greeting = Some(greeting(&repair.diagnosis));
            return Start { draft, repair: Some(repair), before: Some(before), greeting };
        }
        self.start_from_history(gate).unwrap_or_else(|| Start {
            draft: Draft::new(&gate.spec),
            repair: None,
            before: None,
            greeting: None,
        })
    }

    /// What the last record of a gate said, from the history; nothing if none was ever seen. A history that cannot be
    /// read is no reason not to answer.
    fn start_from_history(&self, gate: &Gate) -> Option<Start> {
        let entries = self.state.tolerate(history::entries(&self.state, &gate.answer_path))?;
        let last = entries.last()?;
        let bytes = self.state.tolerate(last.bytes())?;
        let problems = check_record(&gate.spec, &bytes).err().unwrap_or_default();
        let diagnosis = Diagnosis::of(&gate.spec, &problems, Vec::new());
        let by = last.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
        let now = self.clock.local_now();
        let at = [Lang::En, Lang::ZhCn].map(|lang| local_time(last.time(), &now, lang));
        // After a redo the author knows; when somebody else removed the record, the form says so.
        let greeting =
            (!last.reason.is_removal()).then(|| Message::new(DELETED_BY_HAND, &[&by, &at[0], &at[1]]));
        let good = repair_draft(&gate.spec, &bytes, &diagnosis);
        let before = Some(Before { given: recorded_answers(&gate.spec, &bytes), good: good.clone() });
        Some(Start { draft: good, repair: None, before, greeting })
    }

    /// The bad record as it was shown, and what it said.
    fn repair(&self, gate: &Gate, record: &Record, problems: &[Problem]) -> (Repair, Before) {
        let causes = self.causes(gate, &record.bytes, problems);
        let diagnosis = Diagnosis::of(&gate.spec, problems, causes);
        let foreign = is_another_document(&record.bytes);
        let good = repair_draft(&gate.spec, &record.bytes, &diagnosis);
        let before = Before { given: recorded_answers(&gate.spec, &record.bytes), good };
        (Repair { seen: record.sha256(), diagnosis, foreign }, before)
    }

    /// What happened to a bad record, as far as the questions of the time show.
    pub(crate) fn causes(&self, gate: &Gate, bytes: &[u8], problems: &[Problem]) -> Vec<Cause> {
        let then = history::asked_for(&self.state, &gate.answer_path, bytes);
        causes(bytes, problems, &gate.spec, then.as_ref())
    }

    /// What is known of a record that lies at the answer path of an open gate.
    pub(crate) fn record_seen(&self, loaded: &Loaded) -> Option<RecordSeen> {
        match (&loaded.record.state, loaded.gate()) {
            (RecordState::Absent, _) | (_, None) => None,
            (RecordState::Valid(record), _) => {
                let by = Some(record.answered_by.display().into_owned());
                Some(RecordSeen { by, odd: None, bad: None })
            }
            (RecordState::Invalid(problems), Some(gate)) => {
                let bad =
                    loaded.record.is_read().then(|| Box::new(self.repair(gate, &loaded.record, problems)));
                Some(RecordSeen { by: None, odd: odd(&loaded.record), bad })
            }
        }
    }
}

/// The first sentence of a repair: what happened to the record as a whole, if that is known.
fn greeting(diagnosis: &Diagnosis) -> Message {
    let whole = diagnosis.causes.iter().find(|cause| cause.pointer.is_empty());
    let Some(cause) = whole else { return Message::from(s::REPAIR_BEGINS) };
    Message::in_both(|lang| format!("{} {}", cause.text(lang), s::REPAIR_BEGINS.text(lang)))
}
