//! Bad records and removed ones: what a form begins with, replacing, removing.

use super::super::effect::{EffectResult, Move, RecordSeen, Reply};
use super::super::model::{Before, Message, Prompt, RedoWarning, Repair};
use super::super::sentences as s;
use super::EffectHandler;
use super::say::{both, odd};
use crate::ask::cause::{Cause, causes};
use crate::ask::{
    Diagnosis, Draft, Gate, Problem, check_record, is_another_document, recorded_answers, repair_draft,
};
use crate::store::clock::local_time;
use crate::store::entry::Entry;
use crate::store::gate::{self, Loaded};
use crate::store::history::{self, MoveError};
use crate::store::record::{Record, RecordState};
use crate::text::{Lang, Sentence, say};
use std::path::Path;
use std::sync::Arc;

/// What a form begins with, before any draft.
pub(super) struct Start {
    pub(super) draft: Draft,
    pub(super) repair: Option<Repair>,
    pub(super) before: Option<Before>,
    pub(super) greeting: Option<Message>,
}

const DELETED_BY_HAND: Sentence = say(
    "The record is gone. Its last known answers ({0}, {1}) are filled in; nothing is written until you submit.",
    "记录已不在。已填入最后已知的回答（{0}，{2}），提交前不会写入。",
);

impl EffectHandler {
    /// The good answers of the bad record; else those of the record that was there last, whoever removed it.
    pub(super) fn start(&self, loaded: &Loaded, gate: &Gate) -> Start {
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
    pub(super) fn causes(&self, gate: &Gate, bytes: &[u8], problems: &[Problem]) -> Vec<Cause> {
        let then = history::asked_for(&self.state, &gate.answer_path, bytes);
        causes(bytes, problems, &gate.spec, then.as_ref())
    }

    /// What is known of a record that lies at the answer path of an open gate.
    pub(super) fn record_seen(&self, loaded: &Loaded) -> Option<RecordSeen> {
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

    /// Notes some of the records that others have written, so that their answers are known when they go and other work
    /// gets its turn; whether there are more.
    pub(in crate::console) fn note_some_seen(&self, entries: &[Arc<Entry>]) -> bool {
        // A history that cannot be written is reported where something depends on it.
        history::see_some_gates(&self.project, &self.state, entries, self.clock.now()).unwrap_or(false)
    }

    /// Whether a gate that has a record in the list has none on the disk.
    pub(super) fn see_if_lost(&self, path: &Path) -> Option<EffectResult> {
        let loaded = self.load(path).ok()?;
        (loaded.status() == gate::Status::Waiting).then(|| EffectResult::RecordLost(path.to_path_buf()))
    }

    /// Removes a record, unless the author must know something first.
    pub(super) fn redo(&self, path: &Path, past: bool, warned: Option<&str>) -> Result<Reply, Message> {
        let loaded = self.load_or_say(path)?;
        let seen = loaded.record.sha256();
        match warned {
            Some(warned) if warned != seen => return Err(both(s::PLAIN, &MoveError::Changed.error())),
            Some(_) => {}
            None => {
                let made =
                    loaded.outputs(&self.project).into_iter().filter(|output| output.modified.is_some());
                let outputs = made.map(|output| output.path.display().into_owned()).collect();
                let foreign = loaded.record.is_read() && is_foreign(&loaded.record);
                let warning = RedoWarning { seen, outputs, past, foreign };
                if loaded.record.exists() && (past || foreign || !warning.outputs.is_empty()) {
                    return Ok(Reply::Confirm(Prompt::redo(path.to_path_buf(), warning)));
                }
            }
        }
        history::redo(&self.project, &self.state, &loaded, self.clock.now())
            .map_err(|error| both(s::PLAIN, &error))?;
        Ok(Reply::Moved(Move::Redone, path.to_path_buf()))
    }
}

fn is_foreign(record: &Record) -> bool {
    matches!(record.state, RecordState::Invalid(_)) && is_another_document(&record.bytes)
}

/// The first sentence of a repair: what happened to the record as a whole, if that is known.
fn greeting(diagnosis: &Diagnosis) -> Message {
    let whole = diagnosis.causes.iter().find(|cause| cause.pointer.is_empty());
    let Some(cause) = whole else { return Message::from(s::REPAIR_BEGINS) };
    Message::in_both(|lang| format!("{} {}", cause.text(lang), s::REPAIR_BEGINS.text(lang)))
}
