//! A gate as it stands on disk: its packet, its record, whether a record may be written.

use super::disk::{open_anywhere, special_file_kind};
use super::file_problem::{not_a_file, too_large};
pub use super::load_fault::LoadFault;
use super::project::Project;
use super::record::{self, Read, Record, RecordState};
use super::safe_path::{self, Refusal};
pub use super::status::Status;
use super::{SIZE_LIMIT, sha256};
use crate::ask::{Gate, JsString, Packet, Problem, QuestionSpec, decode_packet_as_written};
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::text::say;
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
    decode(project, path, &read_file(path)?)
}

/// Looks at the record of a packet whose file has been read.
pub(super) fn decode(project: &Project, path: &Path, file: &FileBytes) -> Result<Loaded, LoadFault> {
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
        loaded.record =
            record::read(project, gate).map_err(|problem| LoadFault::Malformed(vec![*problem]))?;
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
            Ok(Read::Odd(problem, _)) => return Err(LoadFault::Malformed(vec![problem])),
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
    let kind = path.metadata().ok().and_then(|meta| special_file_kind(meta.file_type()));
    if !matches!(kind, Some("fifo" | "device")) {
        return read_file(path).map(|read| read.bytes);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes));
    let length = read.map_err(|cause| unreadable(path, &cause))? as u64;
    if length > SIZE_LIMIT {
        return Err(LoadFault::Malformed(vec![too_large(length)]));
    }
    Ok(bytes)
}

fn unreadable(path: &Path, cause: &io::Error) -> LoadFault {
    // A socket cannot even be opened.
    let odd = path.metadata().ok().and_then(|meta| special_file_kind(meta.file_type()));
    if let Some(kind) = odd {
        return LoadFault::Malformed(vec![not_a_file(kind)]);
    }
    let shown = path.to_string_lossy();
    let code = if cause.kind() == io::ErrorKind::NotFound { "no-packet" } else { "unreadable" };
    LoadFault::Unreadable(Error::io(code, say("Cannot read {0}.", "无法读取 {0}。"), &[&shown], cause))
}

/// A message for people about a state, in one line.
pub fn verdict(status: Status) -> Message {
    Message::from(match status {
        Status::NoGate => say("Open: the packet carries no gate.", "已放行：这个指令包没有门控。"),
        Status::Answered => say("Open: there is a valid record.", "已放行：记录有效。"),
        Status::Waiting => say("Waiting: no record yet.", "等待回答：还没有记录。"),
        Status::Blocked => say("Blocked: the record is invalid.", "受阻：记录无效。"),
        Status::Malformed => say("Malformed: the packet cannot be used.", "指令包有误，无法使用。"),
    })
}

#[cfg(test)]
mod tests;
