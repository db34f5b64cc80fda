//! Writing the record of a form.

use super::batch::{BatchGate, BatchRecord};
use crate::ask::{AnswerSpec, JsString, Packet};
use crate::console::files::Files;
use crate::console::form::keep::DraftToSave;
use crate::console::form::reload::Unwritten;
use crate::console::model::{Message, Output, Receipt};
use crate::console::say::{both, loaded_gate, not_noted, odd};
use crate::console::sentences as s;
use crate::store::clock::rfc3339_millis;
use crate::store::gate;
use crate::store::history::Over;
use crate::store::record::WriteError;
use crate::store::submit;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// A record to be written.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The answers, kept as a draft first.
    pub draft: DraftToSave,
    pub answered_by: String,
    /// Hash of the bad record that was shown and is to be replaced.
    pub replaces: Option<String>,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
    /// Other gates that get the same answers.
    pub batch: Arc<[BatchGate]>,
    /// How many of them have been tried. Some at a time, so that the author sees how far it is.
    pub tried: usize,
}

/// Records of several packets, just written here, that are to be removed.
#[derive(Clone, Debug)]
pub struct TakeBack {
    pub records: Arc<[BatchRecord]>,
    /// How many of them have been tried.
    pub tried: usize,
}

/// A record that was written and verified.
#[derive(Clone, Debug)]
pub struct Submitted {
    pub path: PathBuf,
    pub packet: Arc<Packet>,
    pub record: AnswerSpec,
    pub receipt: Receipt,
    /// What the step is to make.
    pub outputs: Vec<Output>,
    /// That the history does not have it, and why.
    pub unnoted: Option<Message>,
}

/// How far a submission is.
pub enum Outcome {
    /// The records of some other gates were tried; it is to go on.
    Underway(Box<Submission>, Vec<BatchRecord>),
    Written(Box<Submitted>),
    Unwritten(Box<Unwritten>),
}

impl Files {
    pub fn submit(&self, submission: &Submission) -> Outcome {
        if submission.tried == 0 {
            // The answers are on disk before anything else happens to them; if not, the record itself will keep them.
            self.save_draft(&submission.draft);
            self.flush_drafts();
        }
        if submission.tried < submission.batch.len() {
            return self.write_some(submission);
        }
        // The open gate comes last: its draft holds the answers until all of it is done.
        match self.write(submission) {
            Ok(written) => {
                drop(self.answering.lock().unwrap_or_else(PoisonError::into_inner).take());
                Outcome::Written(Box::new(written))
            }
            Err(why) => Outcome::Unwritten(why),
        }
    }

    fn write(&self, submission: &Submission) -> Result<Submitted, Box<Unwritten>> {
        let (draft, path) = (&submission.draft, submission.draft.path.clone());
        let failed = |why: Message| Box::new(Unwritten::Failed(why));
        let asks_nothing = || failed(Message::from(s::ASKS_NOTHING));
        let error = match self.put(submission) {
            Ok(submit::Submitted { record, receipt, unnoted, .. }) => {
                if unnoted.is_none() {
                    // What was written beside the answers is in no record.
                    self.save_draft(&draft.beside_answers());
                }
                let (packet, unnoted) = (draft.packet.clone(), unnoted.as_ref().map(not_noted));
                let outputs = gate::outputs(&self.project, &packet);
                return Ok(Submitted { path, packet, record, receipt, outputs, unnoted });
            }
            Err(error) => error,
        };
        let load = || self.load(&path).map_err(|fault| failed(both(s::NOT_WRITTEN, &fault.error())));
        Err(Box::new(match error {
            WriteError::Exists(_) if submission.replaces.is_some() => {
                Unwritten::Moved(self.record_seen(&load()?))
            }
            WriteError::Exists(winner) => Unwritten::Exists(winner.valid().cloned(), odd(&winner)),
            WriteError::Stale => {
                let loaded = load()?;
                loaded.gate().ok_or_else(asks_nothing)?;
                Unwritten::Changed(loaded_gate(&path, loaded))
            }
            error => Unwritten::Failed(both(s::NOT_WRITTEN, &error.error())),
        }))
    }

    /// Puts the record of these answers in its place.
    pub(crate) fn put(&self, submission: &Submission) -> Result<submit::Submitted, WriteError> {
        let draft = &submission.draft;
        let gate = draft.packet.gate.as_ref().ok_or(WriteError::NoGate)?;
        let at = rfc3339_millis(self.clock.now());
        let record = draft.draft.record(&gate.spec, &at, &JsString::from(submission.answered_by.as_str()));
        let (packet, json) = (self.root_path(&draft.path), record.to_json());
        let to_write = submit::Submission {
            packet: &packet,
            answer_path: &gate.answer_path,
            asked: &draft.spec_hash,
            bytes: json.as_bytes(),
            rivals: &submission.rivals,
            over: submission.replaces.as_deref().map_or(Over::Nothing, Over::Hash),
        };
        submit::submit(&self.project, Ok(&self.state), &to_write, self.clock.now())
    }
}
