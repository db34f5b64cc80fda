//! Forgetting: unpublished text is the author's.
//!
//! Entries are erased with everything that was made of them. Only the hashes of their records stay, so that a record that is
//! still there is not noted again.

use super::entry::{Entry, select};
use super::note::{delete, restored};
use crate::ask::JsString;
use crate::error::Error;
use crate::store::state::StateDir;
use rusqlite::Connection;
use std::collections::HashSet;

/// What was erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// How many entries.
    pub entries: usize,
    /// How many of them were records that had been taken away and not put back.
    pub removed_records: usize,
}

/// Erases the history of one gate, or of all; no word of it is in any file afterwards.
///
/// # Errors
/// Something could not be erased.
pub fn forget(state: &StateDir, answer_path: Option<&JsString>) -> Result<Erased, Error> {
    let gate = answer_path.map(|path| state.gate_key(path));
    let all = |connection: &Connection| select(state, connection, "gate = coalesce(?1, gate)", [&gate]);
    if state.read(all)?.is_none() {
        return Ok(Erased::default());
    }
    let erased = state.write(|connection| {
        let all = all(connection)?;
        for entry in &all {
            connection
                .prepare_cached("INSERT OR IGNORE INTO forgotten VALUES (?1)")?
                .execute([&entry.sha256])?;
            delete(connection, entry)?;
        }
        Ok(Erased { entries: all.len(), removed_records: last_copies(&all) })
    })?;
    // Also if there was nothing: an earlier call may have been cut off here.
    state.wipe()?;
    Ok(erased)
}

fn last_copies(all: &[Entry]) -> usize {
    let back: HashSet<&str> = restored(all).collect();
    all.iter().filter(|entry| entry.reason.is_removal() && !back.contains(entry.id.as_str())).count()
}
