//! Records on disk: reading one, and writing one exactly once.
//!
//! The write protocol: a record is absent or complete, never half-written, never put over another file, never outside the
//! project. Whether it may be written at all is decided by `safe_path`, whether its packet is still the same by `gate`.

use super::file::{LoadFault, Read, modified, not_a_file, outside, read_open, special_kind, unreadable};
use super::project::Project;
use super::safe_path::{self, Refusal};
use super::sha256;
use crate::ask::{AnswerSpec, Gate, JsString, Packet, Problem, ProblemCode, check_record};
use crate::error::{Error, Message, io_cause};
use crate::exit::ExitCode;
use crate::platform::files::{Facts, open_plain_beneath};
use crate::platform::paths::Shown as _;
use crate::text::{Lang, say};
use cap_std::fs::{Dir, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

mod write;

pub use write::verify;
pub(super) use write::{
    commit, discard, is_temp, is_unsupported, place, prove, stale, sync_dir, temp_name, write_bytes,
    write_temp,
};

/// What lies at an answer path.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordState {
    Absent,
    /// A record that opens the gate.
    Valid(AnswerSpec),
    /// Something that does not, and every reason.
    Invalid(Vec<Problem>),
}

/// What lies at an answer path, with its exact bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub state: RecordState,
    /// Empty when nothing could be read.
    pub bytes: Vec<u8>,
    pub modified: Option<SystemTime>,
}

/// What is told of a record that was written and read back, or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Where it lies or lay, relative to the root, links resolved.
    pub path: PathBuf,
    pub sha256: String,
    pub bytes: usize,
    /// Whether the system confirmed that the change of names is on the disk. The content always is.
    pub durable: bool,
}

impl Receipt {
    pub(in crate::store) fn of(path: PathBuf, bytes: &[u8], durable: bool) -> Receipt {
        Receipt { path, sha256: sha256(bytes), bytes: bytes.len(), durable }
    }
}

/// Why no record was written, removed or put back. Nothing has changed on disk, unless the error's code is `changed` or
/// `not-verified`: then it was written, but is not there any more or could not be read back.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteError {
    /// The packet asks something else now than was answered.
    Stale,
    /// What a verdict is about, or what was sent back, is another than the author has seen.
    Unseen,
    /// Whoever asked had taken the question away by then; what was written is taken back.
    Late,
    NoGate,
    Packet(LoadFault),
    Refused(Refusal),
    Exists(Box<Record>),
    /// One lies where another was to be put back.
    Occupied,
    Invalid(Vec<Problem>),
    /// Other packets want other answers in the same place: this record would leave them blocked.
    Conflict(Conflict),
    /// There is none to remove.
    NoRecord,
    /// None was removed, so there is none to put back.
    NothingToUndo,
    /// It is not the one that was looked at.
    Changed,
    Failed(Error),
    /// The old one is not in its place any more; the error says where it is.
    Astray(Error),
}

/// Packets that cannot all be answered by one record although all of them name its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The packet that was to be answered, relative to the root.
    pub packet: PathBuf,
    pub answer_path: JsString,
    /// The packets that would stay blocked, relative to the root.
    pub blocked: Vec<PathBuf>,
}

impl Conflict {
    fn error(&self) -> Error {
        let named: Vec<_> = self.blocked.iter().map(|path| path.shown()).collect();
        let sentence = say(
            "{0} and {1} want different answers in the same place, {2}. A record for the first would \
             leave the other blocked; nothing was written.",
            "{0} 与 {3} 要在同一位置 {2} 写入不同的回答。写入前者的记录会使后者受阻；没有写入任何内容。",
        );
        let parts =
            [&*self.packet.shown(), &named.join(", "), &*self.answer_path.display(), &named.join("、")];
        Error::new(ExitCode::Malformed, "conflict", sentence, &parts).hint(
            say(
                "Have one of them rewritten with a place of its own, or remove the one you do not need.",
                "请重新生成其中一个指令包并给它单独的位置，或移除不需要的那一个。",
            ),
            &[],
        )
    }
}

impl Record {
    pub fn valid(&self) -> Option<&AnswerSpec> {
        match &self.state {
            RecordState::Valid(record) => Some(record),
            RecordState::Absent | RecordState::Invalid(_) => None,
        }
    }

    pub fn absent() -> Record {
        Record { state: RecordState::Absent, bytes: Vec::new(), modified: None }
    }

    pub fn exists(&self) -> bool {
        self.state != RecordState::Absent
    }

    pub fn sha256(&self) -> String {
        sha256(&self.bytes)
    }

    /// Whether its bytes are known.
    pub fn is_read(&self) -> bool {
        let unread = |problem: &Problem| {
            use ProblemCode::{NotAFile, OutsideProject, TooLarge, Unreadable};
            matches!(problem.code, NotAFile | TooLarge | Unreadable | OutsideProject)
        };
        !matches!(&self.state, RecordState::Invalid(problems) if problems.iter().any(unread))
    }

    fn invalid(problem: Problem, modified: Option<SystemTime>) -> Record {
        Record { state: RecordState::Invalid(vec![problem]), bytes: Vec::new(), modified }
    }
}

impl WriteError {
    /// As an error for operators; its kind is the exit code.
    pub fn error(&self) -> Error {
        match self {
            WriteError::Stale => {
                let sentence = say(
                    "The packet has changed since these questions were answered; nothing was written.",
                    "指令包在作答之后发生了变化；没有写入任何内容。",
                );
                Error::new(ExitCode::Exists, "stale", sentence, &[])
            }
            WriteError::Unseen => {
                let sentence = say(
                    "The text has changed, or somebody has sent it back, since you looked; nothing was written.",
                    "你看过之后，文稿改动了，或有人退回了这一步；没有写入任何内容。",
                );
                Error::new(ExitCode::Exists, "unseen", sentence, &[])
            }
            WriteError::Late => late(),
            WriteError::NoGate => no_gate(),
            WriteError::Packet(fault) => fault.error(),
            WriteError::Refused(refusal) => refused(*refusal),
            WriteError::Exists(_) => {
                let hint = say("To answer again, use redo first.", "如需重新作答，请先运行 redo。");
                WriteError::Occupied.error().hint(hint, &[])
            }
            WriteError::Occupied => {
                let sentence = say("A record is already there; it is untouched.", "记录已经存在，未作改动。");
                Error::new(ExitCode::Exists, "record-exists", sentence, &[])
            }
            WriteError::Invalid(problems) => {
                let sentence = say(
                    "These answers are not valid; nothing was written.",
                    "这些回答无效；没有写入任何内容。",
                );
                let first = |problem: &Problem| {
                    Message::in_both(|lang| problem.sentence(lang).trim_end_matches(['.', '。']).to_owned())
                };
                let cause = problems.first().map(first).map(Box::new);
                Error { cause, ..Error::new(ExitCode::Blocked, "invalid-answers", sentence, &[]) }
            }
            WriteError::Conflict(conflict) => conflict.error(),
            WriteError::NoRecord => {
                let sentence =
                    say("There is no record; the gate is waiting.", "没有记录；门控正在等待回答。");
                Error::new(ExitCode::Waiting, "no-record", sentence, &[])
            }
            WriteError::NothingToUndo => {
                let sentence = say("There is no removed record in the history.", "历史中没有被移走的记录。");
                Error::new(ExitCode::Waiting, "nothing-to-undo", sentence, &[])
            }
            WriteError::Changed => {
                let sentence = say(
                    "The record changed since it was looked at; it is untouched.",
                    "记录在查看之后发生了变化，未作改动。",
                );
                Error::new(ExitCode::Exists, "record-changed", sentence, &[])
            }
            WriteError::Failed(error) | WriteError::Astray(error) => error.clone(),
        }
    }
}

fn late() -> Error {
    let sentence = say(
        "Whoever asked took the question away in the same moment, answered by somebody else or given up; what was written is taken back.",
        "提问方在同一时刻收走了这个问题：已有别人回答，或不再等待；刚写入的内容已撤回。",
    );
    Error::new(ExitCode::Exists, "stale", sentence, &[])
}

/// The error for a packet that carries no gate where one is needed.
/// The error where a packet asks nothing, which may have something that is meant for a gate.
pub fn no_gate_in(packet: &Packet) -> Error {
    let Some(first) = packet.misspelt.first() else { return no_gate() };
    let sentence = say(
        "The packet has a gate that the executor does not see. {0}",
        "指令包里有门控，但执行器看不到。{1}",
    );
    let parts = [first.sentence(Lang::En), first.sentence(Lang::ZhCn)];
    Error::new(ExitCode::Usage, "no-gate", sentence, &[&parts[0], &parts[1]])
}

pub fn no_gate() -> Error {
    let sentence = say("This packet carries no gate: it asks nothing.", "这个指令包没有门控：它没有提问。");
    Error::new(ExitCode::Usage, "no-gate", sentence, &[])
}

pub fn refused(refusal: Refusal) -> Error {
    let sentence = say("No record can be written there. {0}", "无法在那里写入记录。{0}");
    let message = Message::in_both(|lang| sentence.fill(lang, &[refusal.text(lang)]));
    Error { message, ..Error::new(ExitCode::Malformed, "refused", sentence, &[]) }
}

/// Reads what lies at a gate's answer path, beneath the root and without ever waiting.
pub fn read(project: &Project, gate: &Gate) -> Result<Record, Box<Problem>> {
    read_open_file(project, gate).map(|(record, _)| record)
}

/// The same, and what the file that was read was, if one was opened.
pub(super) fn read_open_file(
    project: &Project,
    gate: &Gate,
) -> Result<(Record, Option<Metadata>), Box<Problem>> {
    const TRIES: usize = 5;
    let judge = |bytes: Vec<u8>, meta: Metadata| {
        let state = match check_record(&gate.spec, &bytes) {
            Ok(record) => RecordState::Valid(record),
            Err(problems) => RecordState::Invalid(problems),
        };
        (Record { state, bytes, modified: modified(&meta) }, Some(meta))
    };
    match read_plain(project, &gate.answer_path.lossy()) {
        Ok(Read::Bytes(bytes, meta)) => return Ok(judge(bytes, meta)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok((Record::absent(), None)),
        // Links, special files and whatever fails otherwise: how Node sees the path decides.
        _ => {}
    }
    for _ in 0..TRIES {
        let real = match safe_path::resolve(project, &gate.answer_path)? {
            None => return Ok((Record::absent(), None)),
            Some(real) if real.starts_with(project.root()) => real,
            Some(_) => return Ok((Record::invalid(outside(&gate.answer_path), None), None)),
        };
        match read_bytes(project, &real) {
            Ok(Read::Bytes(bytes, meta)) => return Ok(judge(bytes, meta)),
            Ok(Read::Odd(problem, meta)) => {
                let modified = meta.as_ref().and_then(modified);
                return Ok((Record::invalid(*problem, modified), meta));
            }
            // It changed under our eyes: look again.
            Ok(Read::Changed) => {}
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => {
                return Ok((Record::invalid(unreadable(&io_cause(&cause)), None), None));
            }
        }
    }
    let restless = say("it keeps changing while it is read", "在读取时不断变化");
    Ok((Record::invalid(unreadable(&Message::from(restless)), None), None))
}

/// Reads a record whose path has no link in it, beneath the root and in one step.
fn read_plain(project: &Project, path: &str) -> io::Result<Read> {
    if path.ends_with('/') {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    read_open(open_plain_beneath(project.dir(), path)?)
}

/// Reads a file beneath the root by its resolved path.
pub(super) fn read_bytes(project: &Project, real: &Path) -> io::Result<Read> {
    let below = real.strip_prefix(project.root()).unwrap_or(real);
    let Some(name) = below.file_name() else {
        return Ok(Read::Odd(not_a_file("directory").into(), None));
    };
    let parent = open_parent(project, below.parent().unwrap_or(Path::new("")))?;
    match project.disk().open(&parent, name) {
        Ok(file) => read_open(file),
        // A socket cannot be opened at all, nor a directory on Windows.
        Err(cause) => {
            let meta = parent.symlink_metadata(name)?;
            match special_kind(Facts::from(&meta).kind) {
                Some(kind) => Ok(Read::Odd(not_a_file(kind).into(), Some(meta))),
                None => Err(cause),
            }
        }
    }
}

/// The hash of the record at an answer path, whatever is asked; nothing where none can be read.
pub(super) fn hash_at(project: &Project, answer_path: &JsString) -> Option<String> {
    let real = safe_path::resolve(project, answer_path).ok()??;
    match real.starts_with(project.root()).then(|| read_bytes(project, &real))? {
        Ok(Read::Bytes(bytes, _)) => Some(sha256(&bytes)),
        _ => None,
    }
}

/// Opens a directory by its path relative to the root; an empty one names the root.
pub(super) fn open_parent(project: &Project, parent: &Path) -> io::Result<Dir> {
    project.disk().open_dir(project.dir(), &Path::new(".").join(parent))
}

#[cfg(test)]
mod tests;
