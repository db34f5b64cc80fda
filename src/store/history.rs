//! History: what was asked and answered, by whom and when, and the exact bytes of every record there was.
//!
//! Responsible for removing a record without losing it (`redo`), for putting one back, and for the entries in the
//! state's database. Not responsible for who may see it (`state`) nor for writing new records (`record`).

use super::disk::SystemDisk;
use super::gate::Loaded;
use super::project::Project;
use super::record;
use super::safe_path::Refusal;
use super::state::StateDir;
use crate::ask::{JsString, QuestionSpec, check_record};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use aside::Order;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

mod aside;
mod entry;
mod erase;
mod note;
mod reason;
mod restore;
mod search;
mod seen;
mod words;

pub use super::state::Retention;
pub use entry::{Entry, Story, entries, find, newest};
pub use erase::{Erased, forget};
pub use note::{Note, add, spec_json};
pub use reason::Reason;
pub use restore::{Over, restore, restore_entry};
pub use search::{Search, search, search_of_all, stamp};
pub use seen::{Looked, see, see_gates, see_some_gates};

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
    /// Why the history could not be told that it was put back; it is there all the same.
    pub unnoted: Option<Error>,
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
                say("There is no removed record in the history.", "历史中没有被移走的记录。"),
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

/// Removes the record of a gate that was looked at: moves it into history, so that the gate waits again.
///
/// # Errors
/// The record is untouched; it may have changed since it was looked at.
pub fn redo(project: &Project, state: &StateDir, seen: &Loaded, now: SystemTime) -> Result<Moved, Error> {
    let gate = seen.gate().ok_or_else(record::no_gate)?;
    let hash = seen.record.sha256();
    // What could not be read was not looked at either; removing it will say why it cannot be.
    let known = seen.record.exists() && seen.record.is_read();
    remove(project, state, &Story::of(seen, gate), known.then_some(hash.as_str()), now)
        .map_err(|fault| fault.error())
}

/// Puts the record of a gate that was removed last back, byte for byte, unless one is there.
///
/// # Errors
/// Nothing has changed.
pub fn undo(project: &Project, state: &StateDir, gate: &Loaded, now: SystemTime) -> Result<Moved, Error> {
    let story = Story::of(gate, gate.gate().ok_or_else(record::no_gate)?);
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
    let order = Order { story, reason: Reason::Redone, seen };
    aside::remove(&SystemDisk, project, state, &order, now).map(|(moved, _)| moved)
}

/// The same to make room for another record.
///
/// # Errors
/// The record is untouched.
pub fn set_aside(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let order = Order { story, reason: Reason::Replaced, seen };
    aside::remove(&SystemDisk, project, state, &order, now).map(|(moved, _)| moved)
}

/// What a gate asked when a record was written, as far as the history knows: the newest questions that the record fits,
/// else those that were noted with it first. Compare it with what the gate asks now to see what has changed.
pub fn asked_for(state: &StateDir, answer_path: &JsString, record: &[u8]) -> Option<QuestionSpec> {
    let all = entries(state, answer_path).ok()?;
    let mut tried = HashSet::new();
    let fitting = all.iter().rev().find_map(|entry| {
        let known = entry.spec_hash.clone().is_some_and(|hash| tried.insert(hash));
        known.then(|| entry.asked()).flatten().filter(|spec| check_record(spec, record).is_ok())
    });
    let hash = super::sha256(record);
    fitting.or_else(|| all.iter().find(|entry| entry.sha256 == hash)?.asked())
}

/// The answer path of a record that is named by its file: relative to the root.
pub fn answer_path_of(project: &Project, path: &Path) -> Option<JsString> {
    let parent = path.parent()?.canonicalize().ok()?;
    let below = parent.strip_prefix(project.root()).ok()?.join(path.file_name()?);
    Some(JsString::from(below.to_str()?))
}

#[cfg(test)]
mod tests;
