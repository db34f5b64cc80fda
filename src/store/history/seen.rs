//! Records that somebody else has written: each is noted once, when it is first seen.

use super::entry::{Reason, Story, select};
use super::note::{Fresh, Note};
use crate::ask::Gate;
use crate::error::Error;
use crate::store::entry::Entry;
use crate::store::gate::{self, Loaded, Status};
use crate::store::project::Project;
use crate::store::state::StateDir;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Larger files are no answers of anybody's and are not copied, in bytes: 4 MiB.
const LIMIT: usize = 4 << 20;

/// Notes the record of a gate if the history does not know it yet; true if it was noted.
pub fn see(state: &StateDir, loaded: &Loaded, now: SystemTime) -> Result<bool, Error> {
    let Some(found) = Found::new(state, loaded) else { return Ok(false) };
    // Most are known: nothing is locked and nothing is made for them.
    if state.read(|connection| found.is_known(connection))? == Some(true) {
        return Ok(false);
    }
    state.write(|connection| found.note(connection, now))
}

/// A record that may have to be noted.
struct Found<'l> {
    state: &'l StateDir,
    loaded: &'l Loaded,
    gate: &'l Gate,
    key: String,
    hash: String,
}

impl<'l> Found<'l> {
    fn new(state: &'l StateDir, loaded: &'l Loaded) -> Option<Found<'l>> {
        let (record, gate) = (&loaded.record, loaded.gate()?);
        let is_answer = record.exists() && record.is_read() && record.bytes.len() <= LIMIT;
        let key = state.gate_key(&gate.answer_path);
        is_answer.then(|| Found { state, loaded, gate, key, hash: record.sha256() })
    }

    /// Whether it is the newest that is known of its gate, or is not to be noted at all.
    fn is_known(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let newest = select(self.state, connection, "gate = ?1 ORDER BY seq DESC LIMIT 1", [&self.key])?;
        if newest.first().is_some_and(|last| last.sha256 == self.hash && !last.reason.is_removal()) {
            return Ok(true);
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE sha256 = ?1)";
        connection.prepare_cached(sql)?.query_row([&self.hash], |row| row.get(0))
    }

    fn note(&self, connection: &Connection, now: SystemTime) -> rusqlite::Result<bool> {
        let known = self.is_known(connection)?;
        if !known {
            let note = Note { reason: Reason::Seen, of: None, bytes: &self.loaded.record.bytes };
            let story = Story::of(self.loaded, self.gate);
            Fresh::new(self.state, &story, &note, now).insert(connection)?;
        }
        Ok(!known)
    }
}

/// Most records copied in one look: an old project with tens of thousands of them is not copied whole.
const MOST_AT_ONCE: usize = 500;

/// Of these, how many are copied before whoever looks can do something else.
const BATCH: usize = 100;

/// Notes the records of many gates, as a scan has found them; reads only those whose time differs from when it was last
/// called, and of very many only the 500 newest. How many were noted.
pub fn see_gates(
    project: &Project,
    state: &StateDir,
    lines: &[Arc<Entry>],
    now: SystemTime,
) -> Result<usize, Error> {
    see_at_most(MOST_AT_ONCE, MOST_AT_ONCE, project, state, lines, now).map(|(noted, _)| noted)
}

/// The same for a hundred of them; true while there are more, for which it is to be called again.
pub fn see_some_gates(
    project: &Project,
    state: &StateDir,
    lines: &[Arc<Entry>],
    now: SystemTime,
) -> Result<bool, Error> {
    see_at_most(MOST_AT_ONCE, BATCH, project, state, lines, now).map(|(_, more)| more)
}

/// How many were noted, and whether there are more to look at.
pub(super) fn see_at_most(
    most: usize,
    batch: usize,
    project: &Project,
    state: &StateDir,
    lines: &[Arc<Entry>],
    now: SystemTime,
) -> Result<(usize, bool), Error> {
    let is_answered =
        |line: &&Arc<Entry>| matches!(line.status, Status::Answered | Status::Blocked) && !line.being_written;
    let marks = state.read(|connection| {
        let mut statement = connection.prepare("SELECT gate, modified FROM seen")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<HashMap<String, i64>, _>>()
    })?;
    let (marks, mut names) = (marks.unwrap_or_default(), state.gate_names());
    let mut new: Vec<(SystemTime, String, &Arc<Entry>)> = lines
        .iter()
        .filter(is_answered)
        .filter_map(|line| Some((line.record_modified?, names.key(line.answer_path.as_ref()?), line)))
        .filter(|(answered, key, _)| marks.get(key) != Some(&nanoseconds(*answered)))
        .collect();
    if new.is_empty() {
        return Ok((0, false));
    }
    // The newest first; of what lay there before the project was ever looked at, the oldest is only marked.
    new.sort_by(|(a, x, _), (b, y, _)| b.cmp(a).then_with(|| x.cmp(y)));
    let rest = new.len() > batch && batch < most;
    let (mut loaded, mut looked_at) = (Vec::new(), Vec::new());
    for (place, (answered, key, line)) in new.into_iter().enumerate() {
        if (batch..most).contains(&place) {
            continue;
        }
        if place < most {
            let Ok(found) = gate::load(project, &project.root().join(&line.path)) else { continue };
            loaded.push(found);
        }
        looked_at.push((key, nanoseconds(answered)));
    }
    let mut found: Vec<Found<'_>> = loaded.iter().filter_map(|loaded| Found::new(state, loaded)).collect();
    // Those of one look have one time: newest first, they are listed by gate.
    found.sort_by(|a, b| b.key.cmp(&a.key));
    let noted = state.write(|connection| {
        let mut noted = 0;
        for found in &found {
            noted += usize::from(found.note(connection, now)?);
        }
        let mut mark = connection.prepare_cached("INSERT OR REPLACE INTO seen VALUES (?1, ?2)")?;
        for (key, modified) in &looked_at {
            mark.execute(params![key, modified])?;
        }
        Ok(noted)
    })?;
    // Where none of them can be looked at, trying at once again is no use.
    Ok((noted, rest && !loaded.is_empty()))
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
