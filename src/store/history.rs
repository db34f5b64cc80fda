//! History: what was asked and answered, by whom and when, and the exact bytes of every record there was. A record is removed
//! into it (`redo`) and put back from it.

use super::disk::SystemDisk;
use super::gate::Loaded;
use super::project::Project;
use super::record;
use super::state::StateDir;
use crate::ask::{JsString, QuestionSpec, check_record};
use crate::error::Error;
use aside::Order;
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

mod aside;
mod entry;
mod erase;
mod last_time;
mod moved;
mod note;
mod reason;
mod restore;
mod search;
mod seen;
mod words;

pub use super::state::Retention;
pub use entry::{Entry, Story, entries, find, newest};
pub use erase::{Erased, forget};
pub use last_time::{LastTime, last_time};
pub use moved::{MoveError, Moved};
pub use note::{Note, add, spec_json};
pub use reason::Reason;
pub use restore::{Over, restore, restore_entry};
pub use search::{Search, search, search_of_all, stamp};
pub use seen::{Looked, see, see_gates, see_some_gates};

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
