//! What has become of a record, seen from the files alone: what the executor has already made of it, for an author who is about
//! to take it back; whether somebody replaced or removed one that was written here, what theirs says differently; and putting
//! ours back.

use super::checkpoint::has_passed;
use super::clock::time_of;
use super::file::is_relay;
use super::gate::{self, Loaded, Output};
use super::hearing::{self, Hearing};
use super::history::{self, History, HistoryEntry, Moved, Note, Over, Reason, Story};
use super::project::Project;
use super::record::{self, Receipt, Record, RecordState, WriteError};
use super::relay::is_orphaned;
use super::rounds;
use super::sha256;
use super::state::StateDir;
use crate::ask::compare::{Pair, Side, answer_values, compare};
use crate::ask::{AnswerSpec, Gate, JsString, Packet, QuestionSpec};
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::text::{Sentence, say};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// More outputs than this are counted instead of named.
const NAMED: usize = 5;

/// What the executor has already made of a gate's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// The step's expected outputs that are there; never the record itself.
    pub outputs: Vec<Output>,
    /// Whether the checkpoint has passed the step.
    pub passed: bool,
    /// Other packets with other questions that the same record has opened, relative to the root; for whoever knows them.
    pub opened: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
pub struct WrittenRecord<'o> {
    pub file: &'o Path,
    /// The packet it was written for; it carries a gate.
    pub packet: &'o Packet,
    pub record: &'o AnswerSpec,
    /// Proof of it.
    pub receipt: &'o Receipt,
}

/// What lies where the record was written.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenStatus {
    /// It, byte for byte.
    Intact,
    Gone,
    Replaced(Box<Replacement>),
}

/// What lies there instead of our record.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    /// Who answered; `None` if it is no valid record.
    pub by: Option<JsString>,
    /// When it was answered, else when its file was written.
    pub at: Option<SystemTime>,
    /// Of its bytes; `None` if it is no file that can be read, such as a directory.
    pub sha256: Option<String>,
    /// The answers that differ, ours before, theirs after; only of a valid record.
    pub differs: Vec<Pair>,
}

/// What has become of a record, and of the step behind it.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Progress {
    pub status: WrittenStatus,
    pub outputs: Vec<Output>,
    /// Whether the checkpoint has passed the step, or whoever asked has taken the answers.
    pub past: bool,
    /// Whether the questions were those of a running executor, who takes the answers and the packet away at once.
    pub relayed: bool,
    /// Whether nobody waits for the answers to them any more.
    pub orphaned: bool,
    /// Whether our record has reached who does the step.
    pub hearing: Option<Hearing>,
    /// Whether what it has approved is another by now.
    pub is_outdated: bool,
}

impl Consequences {
    /// Of taking back what a gate was answered.
    pub fn of(project: &Project, loaded: &Loaded) -> Consequences {
        let outputs = loaded.made(project);
        let passed = loaded.packet.step.as_ref().is_some_and(|step| has_passed(project, step));
        Consequences { outputs, passed, opened: Vec::new() }
    }

    /// Whether there is nothing to warn of.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty() && !self.passed && self.opened.is_empty()
    }

    /// The warnings, a sentence each. They quote the packet: clean them before drawing.
    pub fn warnings(&self) -> Vec<Message> {
        let mut out = Vec::new();
        if !self.outputs.is_empty() {
            let named: Vec<_> = self.outputs.iter().take(NAMED).map(|output| output.path.display()).collect();
            let more = self.outputs.len() - named.len();
            let (mut english, mut chinese) = (named.join(", "), named.join("、"));
            if more > 0 {
                english += &format!(" and {more} more");
                chinese += &format!("等另外 {more} 个");
            }
            let sentence = say(
                "The step has already made {0}; it stays as it is and may not fit another answer.",
                "这一步已产出 {1}；它们保持不变，可能与新的回答不符。",
            );
            out.push(Message::new(sentence, &[&english, &chinese]));
        }
        if self.passed {
            out.push(Message::from(say(
                "The checkpoint has passed this step: the executor will not run it again by itself.",
                "检查点已越过这一步：执行器不会自行重新执行它。",
            )));
        }
        if !self.opened.is_empty() {
            let named: Vec<_> = self.opened.iter().map(|path| path.shown()).collect();
            let sentence = say(
                "The same record has opened {0}, which waits again too.",
                "同一份记录也放行了 {1}，它也会重新等待回答。",
            );
            out.push(Message::new(sentence, &[&named.join(", "), &named.join("、")]));
        }
        out
    }
}

impl WrittenStatus {
    /// Whether our record is still there.
    pub fn is_intact(&self) -> bool {
        *self == WrittenStatus::Intact
    }
}

impl Progress {
    /// Whether whoever asked has the answers and has taken the packet and its record away.
    pub fn is_taken(&self) -> bool {
        self.relayed && self.past && self.status == WrittenStatus::Gone
    }

    /// Whether our record can be put back, and is of use there.
    pub fn can_be_put_back(&self) -> bool {
        let is_possible = match &self.status {
            WrittenStatus::Intact => false,
            WrittenStatus::Gone => true,
            // A file can go to the history.
            WrittenStatus::Replaced(theirs) => theirs.sha256.is_some(),
        };
        is_possible && !self.is_taken()
    }
}

/// What others have done to a record that was written for a packet; nothing while it is there, and where its step has gone on
/// without it.
pub fn lost(project: &Project, packet: &Path, receipt: &Receipt) -> Option<Sentence> {
    if record::verify(project, receipt).unwrap_or(true) {
        return None;
    }
    if project.root().join(&receipt.path).symlink_metadata().is_ok() {
        return Some(say("Replaced since by another record.", "之后被别的记录替换了。"));
    }
    let now = gate::load(project, &project.root().join(packet)).ok();
    let step = now.as_ref().and_then(|now| now.packet.step.as_ref());
    let is_taken = now.is_none() && is_relay(packet) || step.is_some_and(|step| has_passed(project, step));
    (!is_taken).then_some(say("Removed since: no record is there.", "之后被移走，现已没有记录。"))
}

/// Looks at what has become of a record. A packet that has gone since still counts for what its step was to make.
pub fn progress(project: &Project, written: &WrittenRecord<'_>) -> Progress {
    // The record comes first: a relay removes its packet before the record, so a missing record means a missing packet.
    let status = status(project, written);
    let now = gate::load(project, written.file).ok();
    let packet = now.as_ref().map_or(written.packet, |loaded| &loaded.packet);
    let relayed = is_relay(project.relative(written.file));
    let orphaned = is_orphaned(project, project.relative(written.file));
    let taken = relayed && now.is_none() && written.file.symlink_metadata().is_err();
    let past = taken || packet.step.as_ref().is_some_and(|step| has_passed(project, step));
    // A step's next standing question is another gate in the same packet.
    let place = |packet: &Packet| packet.gate.as_ref().map(|gate| gate.answer_path.clone());
    let is_same = |now: &&Loaded| place(&now.packet) == place(written.packet);
    let there = now.as_ref().filter(|_| status == WrittenStatus::Intact).filter(is_same);
    let hearing = hearing(project, written, there);
    let is_outdated = there.is_some_and(|loaded| loaded.is_outdated);
    let outputs = gate::outputs(project, packet);
    Progress { status, outputs, past, relayed, orphaned, hearing, is_outdated }
}

/// Who was told our record, even if it has gone since; or what is known of it while it is there.
fn hearing(project: &Project, written: &WrittenRecord<'_>, there: Option<&Loaded>) -> Option<Hearing> {
    let gate = written.packet.gate.as_ref()?;
    let told = rounds::told(project, &gate.answer_path, &written.receipt.sha256);
    if told.is_empty() { hearing::hearing(project, there?) } else { Some(Hearing::Told(told)) }
}

fn status(project: &Project, written: &WrittenRecord<'_>) -> WrittenStatus {
    if record::verify(project, written.receipt).unwrap_or(false) {
        return WrittenStatus::Intact;
    }
    let Some(gate) = &written.packet.gate else { return WrittenStatus::Gone };
    let nothing = Replacement { by: None, at: None, sha256: None, differs: Vec::new() };
    WrittenStatus::Replaced(Box::new(match record::read(project, gate) {
        Ok(Record { state: RecordState::Absent, .. }) => return WrittenStatus::Gone,
        // What was changed between the two looks may be ours again.
        Ok(theirs) if theirs.is_read() && theirs.sha256() == written.receipt.sha256 => {
            return WrittenStatus::Intact;
        }
        Ok(theirs) => replacement(theirs, written.record, &gate.spec),
        Err(_) => nothing,
    }))
}

fn replacement(theirs: Record, written: &AnswerSpec, spec: &QuestionSpec) -> Replacement {
    let sha256 = theirs.is_read().then(|| theirs.sha256());
    let (by, at, differs) = match theirs.state {
        RecordState::Valid(record) => {
            let (mine, other) = (answer_values(&written.answers), answer_values(&record.answers));
            let side = |answers| Side { spec: Some(spec), answers, notes: &[] };
            let mut differs = compare(side(&mine), side(&other)).questions;
            differs.retain(|pair| !pair.is_same());
            (Some(record.answered_by), record.answered_at.as_str().and_then(time_of), differs)
        }
        RecordState::Absent | RecordState::Invalid(_) => (None, None, Vec::new()),
    };
    Replacement { by, at: at.or(theirs.modified), sha256, differs }
}

/// Puts our record back where it was written: what lies there goes to the history first, byte for byte, and only if it
/// is what the author was shown.
/// Where it fails, nothing is lost: theirs is where it was, or in the history.
pub fn put_back(
    project: &Project,
    state: &StateDir,
    written: &WrittenRecord<'_>,
    shown: &WrittenStatus,
    now: SystemTime,
) -> Result<Moved, Error> {
    let gate = written.packet.gate.as_ref().ok_or_else(record::no_gate)?;
    let all = history::entries(state, &gate.answer_path)?;
    let kept = all.into_iter().rev().find(|entry| entry.sha256 == written.receipt.sha256);
    let kept = kept.map_or_else(|| keep(state, written, gate, now), Ok)?;
    let over = match shown {
        WrittenStatus::Replaced(theirs) => theirs.sha256.as_deref().map_or(Over::Nothing, Over::Hash),
        WrittenStatus::Intact | WrittenStatus::Gone => Over::Nothing,
    };
    History { project, state, now }.restore_entry(&kept, over).map_err(|fault| match fault {
        // What is there now is not what the author was shown.
        WriteError::Occupied => WriteError::Changed.error(),
        fault => fault.error(),
    })
}

/// Notes what was written here in the history, where that was not possible before.
fn keep(
    state: &StateDir,
    written: &WrittenRecord<'_>,
    gate: &Gate,
    now: SystemTime,
) -> Result<HistoryEntry, Error> {
    let bytes = written.record.to_json().into_bytes();
    if sha256(&bytes) != written.receipt.sha256 {
        let sentence = say(
            "The history does not have what was written here; nothing was changed.",
            "历史中没有当初写入的内容；未作改动。",
        );
        return Err(Error::new(ExitCode::Failed, "not-kept", sentence, &[]));
    }
    let (step, spec) = (written.packet.step.as_ref(), Some(&*gate.spec));
    let story =
        Story { answer_path: &gate.answer_path, packet: Some(written.file), step, spec, novel_ask: None };
    let note = Note { reason: Reason::Answered, of: None, bytes: &bytes };
    history::add(state, &story, &note, now)
}

#[cfg(test)]
mod tests;
