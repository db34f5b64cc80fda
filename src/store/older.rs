//! Records that lay there before any packet asked for them: nobody may have answered what the packet asks.
//!
//! Files alone do not tell. A packet is written again and again after it was answered, and a record may be copied with its packet
//! from elsewhere. So a record is only called older where somebody was looking: a moment ago no packet asked for it, now one
//! does, and the system's own times say that the record came first. Once seen, that is kept.

use super::clock::time_of;
use super::entry::Entry;
use super::gate::Status;
use super::history;
use super::project::Project;
use super::safe_path;
use super::state::StateDir;
use crate::ask::JsString;
use crate::platform::files::look_at;
use rusqlite::params;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Made with the first of them, so that a file of an earlier program needs no other format.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS older (gate TEXT PRIMARY KEY, modified INTEGER NOT NULL)";
/// Who looked longer ago does not know in which order things came: packet, record and packet again.
const MOMENT: Duration = Duration::from_secs(15);
/// The system's times may be so much behind the clock.
const TICK: Duration = Duration::from_millis(20);

/// The packets with such records, and when each record was last written: another one in its place is not older.
pub type Older = HashMap<PathBuf, SystemTime>;

/// Of gates that were not there when it was last looked, those whose records were; they are kept.
pub fn find(
    project: &Project,
    state: &StateDir,
    new: &[Arc<Entry>],
    looked: SystemTime,
    now: SystemTime,
) -> Older {
    let is_moment = now.duration_since(looked).is_ok_and(|since| since <= MOMENT);
    let is_older = |entry: &&Arc<Entry>| {
        let Some(answer_path) = entry.answer_path.as_ref().filter(|_| is_moment) else { return false };
        let known = || history::newest(state, answer_path, |_| true);
        came_first(project, entry, answer_path, looked) && matches!(known(), Ok(None))
    };
    let found: Vec<&Arc<Entry>> = new.iter().filter(is_older).collect();
    if !found.is_empty() {
        let kept = state.write(|state_file| {
            state_file.execute(TABLE, [])?;
            let mut insert = state_file.prepare_cached("INSERT OR REPLACE INTO older VALUES (?1, ?2)")?;
            for entry in &found {
                let gate = entry.answer_path.as_ref().map(|path| state.gate_key(path));
                insert.execute(params![gate, entry.record_modified.map(nanoseconds)])?;
            }
            Ok(())
        });
        // It is shown all the same.
        state.tolerate(kept);
    }
    found.into_iter().filter_map(|entry| Some((entry.path.to_path_buf(), entry.record_modified?))).collect()
}

/// Whether a record was there before its packet changed for the last time, which was after a look; and says itself that it is older.
fn came_first(project: &Project, entry: &Entry, answer_path: &JsString, looked: SystemTime) -> bool {
    // No program can set these times.
    let changed = |path: PathBuf| {
        let (seconds, nanos) = look_at(&path).ok()?.changed;
        let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanos).ok()?);
        Some(UNIX_EPOCH + since)
    };
    let record = changed(project.root().join(safe_path::real_place(project, answer_path)));
    let packet = changed(project.root().join(&entry.path));
    let answered = entry.answered_at.as_ref().and_then(|at| time_of(&at.lossy()));
    let (Some(record), Some(packet), Some(answered)) = (record, packet, answered) else { return false };
    entry.status == Status::Answered
        && record < packet
        && looked <= packet + TICK
        && answered < entry.modified
}

/// Those that are known among these, for one who only reads.
pub fn read(state: &StateDir, entries: &[Arc<Entry>]) -> Older {
    let kept = kept(state);
    let mut key = state.gate_keys();
    let answered = entries.iter().filter(|entry| entry.status == Status::Answered && !kept.is_empty());
    let known = answered.filter_map(|entry| {
        let modified = entry.record_modified?;
        let is_it = kept.get(&key(entry.answer_path.as_ref()?)) == Some(&nanoseconds(modified));
        is_it.then(|| (entry.path.to_path_buf(), modified))
    });
    known.collect()
}

/// Whether a valid record that was last written then is one of them.
pub fn is_older(state: &StateDir, answer_path: &JsString, modified: SystemTime) -> bool {
    kept(state).get(&state.gate_key(answer_path)) == Some(&nanoseconds(modified))
}

fn kept(state: &StateDir) -> HashMap<String, i64> {
    let found = state.read(|state| {
        // Without any there may be no table.
        if !state.table_exists(None, "older")? {
            return Ok(HashMap::new());
        }
        let mut statement = state.prepare("SELECT gate, modified FROM older")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<HashMap<String, i64>, _>>()
    });
    state.tolerate(found).flatten().unwrap_or_default()
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
