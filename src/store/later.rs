//! Gates that the author has put off, in his state directory: executors and `check` know nothing of it.
//!
//! A mark ends when its time has come, when the packet asks something else, or when the gate is answered.

use super::entry::Entry;
use super::gate::Status;
use super::state::StateDir;
use crate::ask::JsString;
use crate::error::Error;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Made with the first mark, so that a file of an earlier program needs no other format.
const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS later (gate TEXT PRIMARY KEY, asked INTEGER NOT NULL, until INTEGER)";

/// The mark of one gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// `None`: until the packet changes.
    pub until: Option<SystemTime>,
    /// A number for the questions that were put off.
    asked: u64,
}

impl Later {
    pub fn new(entry: &Entry, until: Option<SystemTime>) -> Later {
        Later { until, asked: entry.asked }
    }

    /// Whether it is about what this gate asks, and the gate still needs the author.
    pub fn is_of(&self, entry: &Entry) -> bool {
        entry.held_up() && !entry.past && entry.asked == self.asked
    }

    /// Whether the gate is answered or asks something else. A packet that cannot be used says nothing of it.
    pub fn is_over(&self, entry: &Entry) -> bool {
        entry.status == Status::Answered || entry.held_up() && entry.asked != self.asked
    }

    pub fn is_due(&self, now: SystemTime) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Puts a gate off, or ends that.
///
/// # Errors
/// It is as it was.
pub fn put_off(state: &StateDir, answer_path: &JsString, later: Option<Later>) -> Result<(), Error> {
    let gate = state.gate_key(answer_path);
    state.write(|state| {
        state.execute(TABLE, [])?;
        let Some(Later { until, asked }) = later else { return remove(state, &gate) };
        let until = until.map(|until| until.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
        let until = until.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX));
        let sql = "INSERT OR REPLACE INTO later (gate, asked, until) VALUES (?1, ?2, ?3)";
        state.execute(sql, params![gate, asked.cast_signed(), until]).map(drop)
    })
}

fn remove(state: &Connection, gate: &str) -> rusqlite::Result<()> {
    state.execute("DELETE FROM later WHERE gate = ?1", [gate]).map(drop)
}

/// The marks that hold, by packet. The others go, those of gates that are gone among them.
pub fn read(state: &StateDir, entries: &[Arc<Entry>], now: SystemTime) -> HashMap<PathBuf, Later> {
    let found = state.read(|state| {
        // Without a mark there may be no table.
        if !state.table_exists(None, "later")? {
            return Ok(HashMap::new());
        }
        let mut statement = state.prepare("SELECT gate, asked, until FROM later")?;
        let later = |asked: i64, until: Option<i64>| {
            let until = until.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs()));
            Later { until, asked: asked.cast_unsigned() }
        };
        let rows = statement.query_map([], |row| Ok((row.get(0)?, later(row.get(1)?, row.get(2)?))))?;
        rows.collect::<Result<HashMap<String, Later>, _>>()
    });
    let mut found = state.tolerate(found).flatten().unwrap_or_default();
    let (mut marks, mut held, mut key) = (HashMap::new(), Vec::new(), state.gate_keys());
    for entry in entries.iter().filter(|_| !found.is_empty()) {
        let Some(gate) = entry.answer_path.as_ref().map(&mut key) else { continue };
        if let Some(later) = found.get(&gate).filter(|later| later.is_of(entry) && !later.is_due(now)) {
            marks.insert(entry.path.to_path_buf(), *later);
            held.push(gate);
        }
    }
    found.retain(|gate, _| !held.contains(gate));
    if !found.is_empty() {
        // What is left over is ignored, and goes another time.
        let _ = state.write(|state| found.keys().try_for_each(|gate| remove(state, gate)));
    }
    marks
}
