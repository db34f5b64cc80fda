//! Forgetting: unpublished text is the author's.
//!
//! Responsible for erasing entries with everything that was made of them, and for remembering by their hashes alone which
//! records are not to be noted again when they are seen. Not responsible for drafts (`drafts`).

use super::entry::{Entry, entries_under};
use super::index;
use super::reason::Reason;
use super::seen::replace_file;
use crate::ask::JsString;
use crate::error::Error;
use crate::store::state::StateDir;
use crate::text::say;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::Path;

/// What was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// How many entries.
    pub entries: usize,
    /// How many of them were records that had been taken away and not put back.
    pub removed_records: usize,
}

/// Erases the history of one gate, or of all.
///
/// # Errors
/// Something could not be erased; what came before it is.
pub fn forget(state: &StateDir, answer_path: Option<&JsString>) -> Result<Erased, Error> {
    let keys = match answer_path {
        Some(path) => state.gate_keys(path),
        None => index::keys(state)?,
    };
    let mut erased = Erased::default();
    let mut hashes = forgotten(state);
    let before = hashes.len();
    for key in keys {
        let all = entries_under(state, std::slice::from_ref(&key))?;
        erased.entries += all.len();
        erased.removed_records += last_copies(&all);
        hashes.extend(all.into_iter().map(|entry| entry.sha256));
        erase(&state.history_dir(&key))?;
    }
    // It holds the words of every entry; it is made anew from those that are left.
    remove(&state.histories_dir().join(index::FILE))?;
    if hashes.len() > before {
        let lines: Vec<&str> = hashes.iter().flat_map(|hash| [hash.as_str(), "\n"]).collect();
        replace_file(state, "forgotten", lines.concat().as_bytes());
    }
    Ok(erased)
}

fn last_copies(all: &[Entry]) -> usize {
    let back: HashSet<&str> = all
        .iter()
        .filter(|entry| entry.reason == Reason::Restored)
        .filter_map(|entry| entry.of.as_deref())
        .collect();
    all.iter().filter(|entry| entry.reason.is_removal() && !back.contains(entry.name.as_str())).count()
}

fn erase(dir: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(dir) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(not_erased(dir, &cause)),
        _ => Ok(()),
    }
}

fn remove(file: &Path) -> Result<(), Error> {
    match fs::remove_file(file) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(not_erased(file, &cause)),
        _ => Ok(()),
    }
}

fn not_erased(path: &Path, cause: &io::Error) -> Error {
    let shown = path.to_string_lossy();
    Error::io("not-erased", say("Cannot erase {0}.", "无法清除 {0}。"), &[&shown], cause)
}

/// Hashes of records that are not to be noted again when they are seen.
fn forgotten(state: &StateDir) -> BTreeSet<String> {
    let text = fs::read_to_string(state.histories_dir().join("forgotten")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Whether the record with this hash was erased from the history.
pub(super) fn is_forgotten(state: &StateDir, hash: &str) -> bool {
    forgotten(state).contains(hash)
}
