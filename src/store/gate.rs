//! A gate as it stands on disk: its packet, its record, whether a record may be written.
//!
//! Responsible for looking at one packet and for submitting answers to it. Not responsible for finding packets
//! (`scan`) nor for the write itself (`record`).

use super::collision;
use super::disk::{SystemDisk, open_anywhere, special_file_kind};
use super::history::{self, MoveError, Story};
use super::project::Project;
use super::record::{self, Conflict, Read, Receipt, Record, RecordState, WriteError};
use super::safe_path::{self, Refusal};
use super::state::StateDir;
pub use super::status::Status;
use super::{SIZE_LIMIT, sha256};
use crate::ask::{
    AnswerSpec, Gate, JsString, Packet, Problem, ProblemKind, QuestionSpec, check_record,
    decode_packet_as_written,
};
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::text::{Lang, say};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A packet that can be used, and the state of its gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The packet's file, absolute.
    pub path: PathBuf,
    /// When the packet was last written.
    pub modified: Option<SystemTime>,
    /// What it says.
    pub packet: Packet,
    /// Its questions exactly as they are written: JSON on one line. Nothing without a gate.
    pub novel_ask: Option<String>,
    /// What lies at its answer path; absent if it carries no gate.
    pub record: Record,
    /// Why no record may be written there.
    pub refusal: Option<Refusal>,
}

/// Why a packet cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadFault {
    /// It breaks the rules (exit 5).
    Malformed(Vec<Problem>),
    /// It is not there or cannot be read (exit 1).
    Unreadable(Error),
}

/// Answers on their way to a gate.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The packet's file.
    pub packet: &'a Path,
    /// The [`spec_hash`] of the questions that were answered.
    pub asked: &'a str,
    /// The record to be written.
    pub record: &'a AnswerSpec,
    /// Packets that are known to want other answers in the same place, relative to the root; see `collision`.
    pub rivals: &'a [PathBuf],
}

/// A record on its way to a gate as the exact bytes it shall have.
#[derive(Clone, Copy, Debug)]
pub struct ExactRecord<'a> {
    /// The packet's file.
    pub packet: &'a Path,
    /// The [`spec_hash`] of the questions that the record was checked against.
    pub asked: &'a str,
    /// What is to be written, byte for byte.
    pub bytes: &'a [u8],
    /// As in a [`Submission`].
    pub rivals: &'a [PathBuf],
}

/// A file the step is to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// As the packet spells it.
    pub path: JsString,
    /// Whether the step must make it.
    pub required: bool,
    /// When it was last written; `None` if it is not there or leads out of the project.
    pub modified: Option<SystemTime>,
}

/// A file's content and when it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// All of it.
    pub bytes: Vec<u8>,
    /// As the file system says.
    pub modified: Option<SystemTime>,
}

impl LoadFault {
    /// As an error for operators.
    pub fn error(&self) -> Error {
        match self {
            LoadFault::Unreadable(error) => error.clone(),
            LoadFault::Malformed(problems) => {
                let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
                let sentence = say("The packet cannot be used. {0}", "这个指令包无法使用。{1}");
                let parts = [first(Lang::En), first(Lang::ZhCn)];
                Error::new(ExitCode::Malformed, "malformed", sentence, &[&parts[0], &parts[1]])
            }
        }
    }
}

impl Loaded {
    /// The gate, if the packet carries one.
    pub fn gate(&self) -> Option<&Gate> {
        self.packet.gate.as_ref()
    }

    /// The state.
    pub fn status(&self) -> Status {
        match (&self.packet.gate, &self.record.state) {
            (None, _) => Status::NoGate,
            (_, RecordState::Absent) => Status::Waiting,
            (_, RecordState::Invalid(_)) => Status::Blocked,
            (_, RecordState::Valid(_)) => Status::Answered,
        }
    }

    /// What is wrong with the record.
    pub fn problems(&self) -> &[Problem] {
        match &self.record.state {
            RecordState::Invalid(problems) => problems,
            _ => &[],
        }
    }

    /// Hash of what is asked; empty without a gate.
    pub fn spec_hash(&self) -> String {
        self.gate().map(|gate| spec_hash(&gate.spec)).unwrap_or_default()
    }

    /// The files the step is to make, without the gate's own record.
    pub fn outputs(&self, project: &Project) -> Vec<Output> {
        outputs(project, &self.packet)
    }
}

/// The files that a packet's step is to make, without the gate's own record.
pub fn outputs(project: &Project, packet: &Packet) -> Vec<Output> {
    let place = |path: &JsString| safe_path::named_place(project.root(), path);
    let own = packet.gate.as_ref().map(|gate| place(&gate.answer_path));
    let outputs = packet.expected_outputs.iter();
    outputs
        .filter(|output| own.as_ref() != Some(&place(&output.path)))
        .map(|output| Output {
            path: output.path.clone(),
            required: output.required,
            modified: modified_beneath(project, &output.path.lossy()),
        })
        .collect()
}

fn modified_beneath(project: &Project, path: &str) -> Option<SystemTime> {
    let meta = project.dir().metadata(path).ok()?;
    Some(meta.modified().ok()?.into_std())
}

/// Hash of a question spec: equal for two packets exactly when they ask the same.
pub fn spec_hash(spec: &QuestionSpec) -> String {
    sha256(spec.canonical().as_bytes())
}

/// Reads a packet and looks at its record.
///
/// # Errors
/// The packet cannot be used.
pub fn load(project: &Project, path: &Path) -> Result<Loaded, LoadFault> {
    let file = read_file(path)?;
    let (packet, novel_ask) = decode_packet_as_written(&file.bytes).map_err(LoadFault::Malformed)?;
    let mut loaded = Loaded {
        path: path.to_path_buf(),
        modified: file.modified,
        packet,
        novel_ask,
        record: Record::absent(),
        refusal: None,
    };
    if let Some(gate) = &loaded.packet.gate {
        loaded.record = record::read(project, gate).map_err(|problem| LoadFault::Malformed(vec![problem]))?;
        loaded.refusal = safe_path::refusal(project, &gate.answer_path, path);
    }
    Ok(loaded)
}

/// Reads a packet's file whole, through one handle, without ever waiting; never a mix of an old and a new content.
///
/// # Errors
/// It is missing, unreadable, no regular file or too large.
pub fn read_file(path: &Path) -> Result<FileBytes, LoadFault> {
    const TRIES: usize = 5;
    for _ in 0..TRIES {
        match open_anywhere(path).and_then(record::read_open) {
            Ok(Read::Bytes(bytes, modified)) => return Ok(FileBytes { bytes, modified }),
            Ok(Read::Odd(kind, _)) => return Err(LoadFault::Malformed(vec![Problem::new("", kind)])),
            Ok(Read::Changed) => {}
            Err(cause) => return Err(unreadable(path, &cause)),
        }
    }
    let shown = path.to_string_lossy();
    let sentence = say("{0} keeps changing while it is read.", "{0} 在读取时不断变化。");
    Err(LoadFault::Unreadable(Error::new(ExitCode::Failed, "unreadable", sentence, &[&shown])))
}

/// Reads any file whole, such as one that the command line names; a pipe is read to its end.
///
/// # Errors
/// It is missing, unreadable, a directory or too large.
pub fn read_any(path: &Path) -> Result<Vec<u8>, LoadFault> {
    let problems = match read_file(path) {
        Ok(read) => return Ok(read.bytes),
        Err(LoadFault::Malformed(problems)) => problems,
        Err(fault) => return Err(fault),
    };
    if !matches!(problems.first().map(|first| &first.kind), Some(ProblemKind::NotAFile("fifo" | "device"))) {
        return Err(LoadFault::Malformed(problems));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes));
    let length = read.map_err(|cause| unreadable(path, &cause))? as u64;
    if length > SIZE_LIMIT {
        return Err(LoadFault::Malformed(vec![Problem::new("", ProblemKind::TooLarge(length))]));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, cause: &io::Error) -> LoadFault {
    // A socket cannot even be opened.
    let odd = path.metadata().ok().and_then(|meta| special_file_kind(meta.file_type()));
    if let Some(kind) = odd {
        return LoadFault::Malformed(vec![Problem::new("", ProblemKind::NotAFile(kind))]);
    }
    let shown = path.to_string_lossy();
    let code = if cause.kind() == io::ErrorKind::NotFound { "no-packet" } else { "unreadable" };
    LoadFault::Unreadable(Error::io(code, say("Cannot read {0}.", "无法读取 {0}。"), &[&shown], cause))
}

/// Writes a record for a packet, if the packet still asks what was answered and nobody else was first.
///
/// # Errors
/// Nothing has been written.
pub fn submit(project: &Project, submission: &Submission<'_>) -> Result<Receipt, WriteError> {
    let &Submission { packet, asked, record, rivals } = submission;
    submit_exact(project, &ExactRecord { packet, asked, bytes: record.to_json().as_bytes(), rivals })
}

/// [`submit`] of a record that is given as its exact bytes.
///
/// # Errors
/// Nothing has been written.
pub fn submit_exact(project: &Project, exact: &ExactRecord<'_>) -> Result<Receipt, WriteError> {
    let &ExactRecord { packet, asked, bytes, .. } = exact;
    let now = load(project, packet).map_err(WriteError::Packet)?;
    let gate = now.gate().ok_or(WriteError::NoGate)?;
    if now.spec_hash() != asked {
        return Err(WriteError::Stale);
    }
    if let Some(refusal) = now.refusal {
        return Err(WriteError::Refused(refusal));
    }
    if now.record.exists() {
        return Err(WriteError::Exists(Box::new(now.record.clone())));
    }
    allow(project, exact, gate)?;
    record::write_bytes(&SystemDisk, project, gate, bytes)
}

/// Whether the record is good, and leaves no other packet blocked that has its place there too.
fn allow(project: &Project, exact: &ExactRecord<'_>, gate: &Gate) -> Result<(), WriteError> {
    check_record(&gate.spec, exact.bytes).map_err(WriteError::Invalid)?;
    let blocked = collision::left_blocked(project, gate, exact.rivals, exact.bytes);
    conflict(project, exact.packet, gate, blocked)
}

/// The error of a packet whose record would leave others blocked; none without others.
///
/// # Errors
/// There are some.
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

/// Writes a record over the one that is there, whose exact bytes go to the history first.
///
/// `seen` is the hash of the record the author looked at; without it, any record is replaced. If the new record cannot
/// be written, the old one is put back.
///
/// # Errors
/// The old record is there, or in the history.
pub fn replace(
    project: &Project,
    state: &StateDir,
    submission: &Submission<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Receipt, WriteError> {
    let &Submission { packet, asked, record, rivals } = submission;
    let bytes = record.to_json();
    let exact = ExactRecord { packet, asked, bytes: bytes.as_bytes(), rivals };
    replace_exact(project, state, &exact, seen, now)
}

/// [`replace`] by a record that is given as its exact bytes.
///
/// # Errors
/// The old record is there, or in the history.
pub fn replace_exact(
    project: &Project,
    state: &StateDir,
    exact: &ExactRecord<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Receipt, WriteError> {
    let loaded = load(project, exact.packet).map_err(WriteError::Packet)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if loaded.spec_hash() != exact.asked {
        return Err(WriteError::Stale);
    }
    if !loaded.record.exists() && seen.is_none() {
        return submit_exact(project, exact);
    }
    allow(project, exact, gate)?;
    let story = Story::of(&loaded, gate);
    match history::set_aside(project, state, &story, seen, now) {
        Ok(_) => {}
        // Whoever replaces any record is content with none.
        Err(MoveError::NoRecord) if seen.is_none() => return submit_exact(project, exact),
        Err(MoveError::Changed | MoveError::NoRecord) => {
            return Err(WriteError::Exists(Box::new(loaded.record.clone())));
        }
        Err(fault) => return Err(WriteError::Failed(fault.error())),
    }
    submit_exact(project, exact).inspect_err(|_| {
        // If somebody else's record is there by now, ours stays in the history.
        let _ = history::restore(project, state, &story, now);
    })
}

/// A message for people about a state, in one line.
pub fn verdict(status: Status) -> Message {
    Message::from(match status {
        Status::NoGate => say("Open: the packet carries no gate.", "已放行：这个指令包没有门控。"),
        Status::Answered => say("Open: a valid record is there.", "已放行：记录有效。"),
        Status::Waiting => say("Waiting: no record yet.", "等待回答：还没有记录。"),
        Status::Blocked => say("Blocked: the record is invalid.", "受阻：记录无效。"),
        Status::Malformed => say("Malformed: the packet cannot be used.", "指令包有误，无法使用。"),
    })
}

#[cfg(test)]
mod tests;
