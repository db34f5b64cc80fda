//! Submitting a record: the whole way of answers to their gate, and the only one.
//!
//! They are checked against what is asked now, the record in their way is set aside, the new one is written, read back and
//! noted in the history. Where the answers send the step back, or nothing is answered and a reason is given, no record is written: see
//! `reply`.

use super::attach::{Asked, attach};
use super::clock::rfc3339_millis;
use super::collision::left_blocked;
use super::gate::{self, Loaded, Status};
use super::history::{self, History, NewRecord, Note, Over, Reason, Story};
use super::project::Project;
use super::record::{self, Conflict, Receipt, WriteError};
use super::relay;
use super::reply;
use super::returned::{Returned, Why, send_back};
use super::rounds::Approved;
use super::state::StateDir;
use super::submission::{Submission, attached, load_asked};
use crate::ask::{AnswerSpec, Gate, check_record};
use crate::error::Error;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// Proof of it.
    pub receipt: Receipt,
    pub record: AnswerSpec,
    /// The packet as it was when it was written.
    pub loaded: Loaded,
    /// Why the history could not note it; the record is there all the same.
    pub unnoted: Option<Error>,
    /// The standing question that holds the step up next.
    pub next: Option<Asked>,
}

/// What came of answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Written(Box<Submitted>),
    SentBack(Box<Returned>),
}

/// Writes a record for a packet, if the packet still asks what was answered and nobody else was first. A record that is
/// to be replaced goes to the history first, byte for byte; then the two change places in one step.
///
/// Without a state directory nothing is noted, and nothing can be replaced.
/// Where it fails, nothing has been written, and an old record is where it was, or the error says where it is.
pub fn submit(
    project: &Project,
    state: Result<&StateDir, &Error>,
    submission: &Submission<'_>,
    now: SystemTime,
) -> Result<Outcome, WriteError> {
    let loaded = attached(project, submission)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if let Some(why) = Why::in_answers(&gate.spec, submission.bytes) {
        let returned = send_back(project, state, submission, &why, now)?;
        return Ok(Outcome::SentBack(Box::new(returned)));
    }
    if let Some(refusal) = loaded.refusal {
        return Err(WriteError::Refused(refusal));
    }
    let seen = match submission.over {
        Over::Hash(seen) => Some(Some(seen)),
        Over::Any if loaded.record.exists() => Some(None),
        _ if loaded.record.exists() => return Err(WriteError::Exists(Box::new(loaded.record.clone()))),
        Over::Nothing | Over::Any => None,
    };
    let record = check_record(&gate.spec, submission.bytes).map_err(WriteError::Invalid)?;
    let blocked = left_blocked(project, gate, submission.rivals, submission.bytes);
    conflict(project, submission.packet, gate, blocked)?;
    let story = Story::of(&loaded, gate);
    let history = |state| History { project, state, now };
    let receipt = match seen {
        None => record::write_bytes(project, gate, submission.bytes).inspect(|_| {
            if let Ok(state) = state {
                history(state).sweep_beside(&gate.answer_path);
            }
        })?,
        Some(seen) => {
            let state = state.map_err(|error| WriteError::Failed(error.clone()))?;
            let is_asked = || load_asked(project, submission).is_ok();
            let new = NewRecord { bytes: submission.bytes, is_asked: &is_asked };
            let moved = history(state).replace(&story, seen, Some(new)).map_err(|fault| match fault {
                WriteError::Changed | WriteError::NoRecord => {
                    WriteError::Exists(Box::new(loaded.record.clone()))
                }
                WriteError::Stale => WriteError::Stale,
                fault => WriteError::Failed(fault.error()),
            })?;
            moved.file
        }
    };
    has_arrived(project, state, submission, &receipt)?;
    let at = rfc3339_millis(now);
    // What the record says counts, whether that can be noted or not.
    let _ = reply::end(project, submission.packet, &gate.answer_path, &at);
    if gate.spec.is_verdict()
        && let Some(subject) = reply::approved_of(project, submission.packet, &loaded.packet)
    {
        let approved = Approved { at, record: receipt.sha256.clone(), subject };
        let _ = reply::note_approved(project, submission.packet, &gate.answer_path, approved);
    }
    let noted = state.map_err(Error::clone).and_then(|state| note(state, &story, submission.bytes, now));
    // The step's next question comes at once; whoever fails to attach it leaves that to the next who comes.
    let _ = attach(project, submission.packet);
    let now = gate::load(project, submission.packet).ok().filter(|now| now.status() == Status::Waiting);
    let next = now.and_then(|now| now.asked);
    let unnoted = noted.err();
    Ok(Outcome::Written(Box::new(Submitted { receipt, record, loaded, unnoted, next })))
}

/// An error unless the record lies there, or whoever asked has it already.
fn has_arrived(
    project: &Project,
    state: Result<&StateDir, &Error>,
    submission: &Submission<'_>,
    receipt: &Receipt,
) -> Result<(), WriteError> {
    let (packet, bytes) = (submission.packet, submission.bytes);
    match record::prove(project, receipt) {
        Err(fault) if !relay::is_fetched(project, state, packet, bytes) => return Err(fault),
        _ => {}
    }
    // He may have left with another's answer before this one had its name.
    if relay::take_back_late(project, state, packet, bytes)? { Err(WriteError::Late) } else { Ok(()) }
}

/// Notes a record that was written: as repaired if the one before it was removed because it was invalid, else as
/// answered.
fn note(state: &StateDir, story: &Story<'_>, bytes: &[u8], now: SystemTime) -> Result<(), Error> {
    let before = history::newest(state, story.answer_path, |_| true)?;
    let broken =
        before.filter(|before| before.reason.is_removal() && !before.valid).map(|before| before.id());
    let reason = if broken.is_some() { Reason::Repaired } else { Reason::Answered };
    history::add(state, story, &Note { reason, of: broken.as_deref(), bytes }, now).map(drop)
}

/// The error of a packet whose record would leave others blocked; none without others.
pub fn conflict(
    project: &Project,
    packet: &Path,
    gate: &Gate,
    blocked: Vec<PathBuf>,
) -> Result<(), WriteError> {
    if blocked.is_empty() {
        return Ok(());
    }
    let packet = project.relative(packet).to_path_buf();
    Err(WriteError::Conflict(Conflict { packet, answer_path: gate.answer_path.clone(), blocked }))
}

#[cfg(test)]
mod tests;
