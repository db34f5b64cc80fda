//! History: what was answered, and the exact bytes of every record that was removed.
//!
//! Responsible for removing a record without losing it (`redo`), for putting it back, and for the entries in the state
//! directory: `<time>-<n>.json` says what happened, `<time>-<n>.record` beside it holds the bytes. Not responsible for
//! who may see the directory (`state`) nor for writing new records (`record`).

use super::disk::{Disk, SystemDisk};
use super::gate::{self, Loaded, Submission};
use super::project::Project;
use super::record::{self, Read, Receipt, WriteError};
use super::safe_path::{self, Refusal, Spot};
use super::sha256;
use super::state::{StateDir, gate_key};
use crate::ask::{AnswerSpec, JsString, ProblemKind};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

mod entry;

pub use entry::{Entry, Reason, Story, entries, note};

/// A record that was removed, or put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it lay, or lies, relative to the root.
    pub path: PathBuf,
    /// Of its bytes, hexadecimal.
    pub sha256: String,
    /// How many bytes.
    pub bytes: usize,
    /// Whether the system confirmed that the change is on the disk.
    pub durable: bool,
}

/// Why a record was not removed or not put back; nothing is lost either way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// There is no record (exit 3).
    NoRecord,
    /// Nothing was removed, so there is nothing to put back (exit 3).
    NothingToUndo,
    /// It is no record of ours to touch (exit 5).
    Refused(Refusal),
    /// It changed since it was looked at (exit 6).
    Changed,
    /// A record is there already (exit 6).
    Exists,
    /// The system refused (exit 1).
    Failed(Error),
}

impl MoveError {
    /// As an error for operators.
    pub fn error(&self) -> Error {
        match self {
            MoveError::NoRecord => Error::new(
                ExitCode::Waiting,
                "no-record",
                say("There is no record; the gate is waiting.", "没有记录；门控正在等待回答。"),
                &[],
            ),
            MoveError::NothingToUndo => Error::new(
                ExitCode::Waiting,
                "nothing-to-undo",
                say("No removed record is in the history.", "历史中没有被移走的记录。"),
                &[],
            ),
            MoveError::Refused(refusal) => record::refused(*refusal),
            MoveError::Changed => Error::new(
                ExitCode::Exists,
                "record-changed",
                say(
                    "The record changed since it was looked at; it is untouched.",
                    "记录在查看之后发生了变化，未作改动。",
                ),
                &[],
            ),
            MoveError::Exists => Error::new(
                ExitCode::Exists,
                "record-exists",
                say("A record is already there; it is untouched.", "记录已经存在，未作改动。"),
                &[],
            ),
            MoveError::Failed(error) => error.clone(),
        }
    }
}

/// Writes a record for a packet, as [`gate::submit`] does, and notes it in the history.
///
/// # Errors
/// Nothing has been written. That it could not be noted is no error: the record is there.
pub fn submit(
    project: &Project,
    state: &StateDir,
    submission: &Submission<'_>,
    now: SystemTime,
) -> Result<Receipt, WriteError> {
    let receipt = gate::submit(project, submission)?;
    if let Ok(loaded) = gate::load(project, submission.packet) {
        let _ = note_answer(state, &loaded, submission.record, now);
    }
    Ok(receipt)
}

/// Notes a record that was written.
///
/// # Errors
/// It could not be kept.
pub fn note_answer(
    state: &StateDir,
    loaded: &Loaded,
    record: &AnswerSpec,
    now: SystemTime,
) -> Result<(), Error> {
    let Some(gate) = loaded.gate() else { return Ok(()) };
    note(state, &loaded.story(gate), Reason::Answered, record.to_json().as_bytes(), now).map(drop)
}

/// Removes the record of a gate that was looked at: moves it into history, so that the gate waits again.
///
/// # Errors
/// The record is untouched; it may have changed since it was looked at.
pub fn redo(project: &Project, state: &StateDir, seen: &Loaded, now: SystemTime) -> Result<Moved, Error> {
    let gate = seen.gate().ok_or_else(record::no_gate)?;
    let hash = seen.record.sha256();
    // What could not be read was not looked at either; removing it will say why it cannot be.
    let known = seen.record.exists() && seen.record.is_read();
    remove(project, state, &seen.story(gate), known.then_some(hash.as_str()), now)
        .map_err(|fault| fault.error())
}

/// Puts the record of a gate that was removed last back, byte for byte, unless one is there.
///
/// # Errors
/// Nothing has changed.
pub fn undo(project: &Project, state: &StateDir, gate: &Loaded, now: SystemTime) -> Result<Moved, Error> {
    let story = gate.story(gate.gate().ok_or_else(record::no_gate)?);
    restore(project, state, &story, now).map_err(|fault| fault.error())
}

/// Moves the record at an answer path into history, byte for byte.
///
/// The copy is on the disk before the record goes. `seen` is the hash of the record the author looked at.
///
/// # Errors
/// The record is untouched.
pub fn remove(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    remove_on(&SystemDisk, project, state, story, (seen, now))
}

fn remove_on(
    disk: &dyn Disk,
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    (seen, now): (Option<&str>, SystemTime),
) -> Result<Moved, MoveError> {
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let target = project.root().join(spot.path());
    if target.symlink_metadata().is_err() {
        return Err(MoveError::NoRecord);
    }
    let read = |at: &Path| match at.canonicalize().and_then(|real| record::read_bytes(disk, project, &real)) {
        Ok(Read::Bytes(bytes, _)) => Ok(bytes),
        Ok(Read::Changed) => Err(MoveError::Changed),
        Ok(Read::Odd(kind, _)) => Err(MoveError::Failed(odd(&spot, kind))),
        Err(cause) => Err(MoveError::Failed(failed(&spot, &cause))),
    };
    let bytes = read(&target)?;
    let hash = sha256(&bytes);
    if seen.is_some_and(|seen| seen != hash) {
        return Err(MoveError::Changed);
    }
    let entry = entry::note(state, story, Reason::Redo, &bytes, now).map_err(MoveError::Failed)?;
    let durable = take_away(disk, project, &spot, &|at| Ok(read(at)? == bytes))
        .inspect_err(|_| entry::forget(&entry))?;
    Ok(Moved { path: spot.path(), sha256: hash, bytes: bytes.len(), durable })
}

/// Moves the file aside in one step, looks at what was moved, and only then removes it. What somebody wrote in the
/// last moment is put back.
fn take_away(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    is_saved: &dyn Fn(&Path) -> Result<bool, MoveError>,
) -> Result<bool, MoveError> {
    let fail = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => MoveError::Changed,
        _ => MoveError::Failed(failed(spot, &cause)),
    };
    let dir = record::open_parent(disk, project, &spot.parent).map_err(fail)?;
    let mut aside = record::temp_name().map_err(fail)?;
    // Not a name that is swept: should it stay behind, somebody's last words may be in it.
    aside.push(".aside");
    disk.rename_new(&dir, &spot.name, &aside)
        .or_else(|cause| match cause.kind() {
            io::ErrorKind::NotFound => Err(cause),
            // Not every file system can; the name is random, so nothing is in the way.
            _ => disk.rename(&dir, &spot.name, &aside),
        })
        .map_err(fail)?;
    let moved = project.root().join(&spot.parent).join(&aside);
    match is_saved(&moved) {
        Ok(true) => {}
        verdict => {
            record::commit(disk, &dir, &aside, &spot.name).map_err(|_| left_aside(&aside))?;
            return Err(verdict.err().unwrap_or(MoveError::Changed));
        }
    }
    if let Err(cause) = disk.unlink(&dir, &aside).or_else(|_| disk.unlink(&dir, &aside)) {
        record::commit(disk, &dir, &aside, &spot.name).map_err(|_| left_aside(&aside))?;
        return Err(fail(cause));
    }
    Ok(disk.sync_dir(&dir).is_ok())
}

/// Puts the record that was removed last from an answer path back, byte for byte, unless one is there.
///
/// # Errors
/// Nothing has changed.
pub fn restore(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let key = gate_key(story.answer_path);
    let all = entries(state, &key).map_err(MoveError::Failed)?;
    let undone: Vec<&str> = all.iter().filter_map(|entry| entry.of.as_deref()).collect();
    let last = all
        .iter()
        .rev()
        .find(|entry| entry.reason == Reason::Redo && !undone.contains(&entry.name.as_str()))
        .ok_or(MoveError::NothingToUndo)?;
    let bytes = last.bytes().map_err(MoveError::Failed)?;
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let durable = record::place(&SystemDisk, project, &spot, &bytes).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => MoveError::Exists,
        _ => MoveError::Failed(failed(&spot, &cause)),
    })?;
    let moved = Moved { path: spot.path(), sha256: sha256(&bytes), bytes: bytes.len(), durable };
    entry::note_undo(state, story, &last.name, &bytes, now).map_err(MoveError::Failed)?;
    Ok(moved)
}

fn failed(spot: &Spot, cause: &io::Error) -> Error {
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("Cannot move {0}; it is untouched.", "无法移动 {0}；未作改动。");
    Error::io("move-failed", sentence, &[&shown], cause)
}

fn left_aside(aside: &OsStr) -> MoveError {
    let sentence = say(
        "Another program wrote a new record while the old one was being moved; the old one is kept beside it as {0}.",
        "移动旧记录时，其他程序写入了新记录；旧记录保存在同一目录的 {0}。",
    );
    let name = aside.to_string_lossy();
    MoveError::Failed(Error::new(ExitCode::Failed, "moved-aside", sentence, &[&name]))
}

fn odd(spot: &Spot, kind: ProblemKind) -> Error {
    use crate::text::Lang;
    let shown = spot.path().to_string_lossy().into_owned();
    let problem = crate::ask::Problem::new("", kind);
    let sentence = say("{0} is no record that can be moved: {1}.", "{0} 不是可以移动的记录：{2}。");
    let parts = [problem.found(Lang::En), problem.found(Lang::ZhCn)];
    Error::new(ExitCode::Malformed, "not-a-record", sentence, &[&shown, &parts[0], &parts[1]])
}

/// The answer path of a record that is named by its file: relative to the root.
pub fn answer_path_of(project: &Project, path: &Path) -> Option<JsString> {
    let parent = path.parent()?.canonicalize().ok()?;
    let below = parent.strip_prefix(project.root()).ok()?.join(path.file_name()?);
    Some(JsString::from(below.to_str()?))
}

#[cfg(test)]
mod tests;
