//! Finding entries: by words, question, step and time; in one gate or in the whole project.

use super::entry::{COLUMNS, Entry};
use super::words::fold;
use crate::ask::JsString;
use crate::error::Error;
use crate::store::state::{Js, StateDir};
use rusqlite::{Connection, params};
use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is looked for; each part narrows it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Only the gate with this answer path.
    pub answer_path: Option<JsString>,
    /// Words in the answers, questions, topic, step, path or name of who answered; case, width and the kind of white
    /// space do not matter.
    pub text: Option<String>,
    /// Only where this question is asked or answered.
    pub question: Option<String>,
    /// Only this step.
    pub step: Option<JsString>,
    /// Not before this time.
    pub since: Option<SystemTime>,
    /// Before this time.
    pub until: Option<SystemTime>,
}

/// The entries that match, newest first.
///
/// # Errors
/// The history cannot be read.
pub fn search(state: &StateDir, search: &Search) -> Result<Vec<Entry>, Error> {
    search_of_all(state, search).map(|(found, _)| found)
}

/// The same, and how many entries there are where it was looked: in the gate that is named, or in the project.
///
/// # Errors
/// The history cannot be read.
pub fn search_of_all(state: &StateDir, search: &Search) -> Result<(Vec<Entry>, usize), Error> {
    let gate = search.answer_path.as_ref().map(|path| state.gate_key(path));
    let wanted = Wanted {
        text: search.text.as_deref().map(fold).unwrap_or_default(),
        id: search.question.as_ref().map(|id| format!(" {id} ")).unwrap_or_default(),
    };
    let found = state.read(|connection| {
        let said = wanted.find(connection)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM entries
             WHERE gate = coalesce(?1, gate) AND (?2 IS NULL OR step = ?2) AND made >= ?3 AND made < ?4
             ORDER BY placed DESC, seq DESC"
        );
        let until = search.until.map_or(i64::MAX, milliseconds);
        let since = search.since.map_or(i64::MIN, milliseconds);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![gate, Js(search.step.as_ref()), since, until])?;
        let mut entries = Vec::new();
        while let Some(row) = rows.next()? {
            if said.as_ref().is_none_or(|said| row.get(0).is_ok_and(|seq: i64| said.contains(&seq))) {
                entries.push(Entry::read(state, row)?);
            }
        }
        let count = "SELECT count(*) FROM entries WHERE gate = coalesce(?1, gate)";
        let count: i64 = connection.query_row(count, [&gate], |row| row.get(0))?;
        Ok((entries, usize::try_from(count).unwrap_or_default()))
    });
    Ok(found?.unwrap_or_default())
}

/// A number that changes when entries of the gate with this [key](StateDir::gate_key), or of any gate, come or go; nothing
/// if that is not known.
pub fn stamp(state: &StateDir, gate: Option<&str>) -> Option<u128> {
    let sql = "SELECT count(*), coalesce(max(seq), 0) FROM entries WHERE gate = coalesce(?1, gate)";
    let found = state.read(|connection| {
        connection.query_row(sql, [gate], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
    });
    let (count, newest) = found.ok()?.unwrap_or_default();
    Some(u128::from(newest.unsigned_abs()) << 64 | u128::from(count.unsigned_abs()))
}

/// The first millisecond that is not before a time.
fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}

struct Wanted {
    text: String,
    id: String,
}

impl Wanted {
    /// The entries that say it; `None` if all do.
    fn find(&self, connection: &Connection) -> rusqlite::Result<Option<HashSet<i64>>> {
        if self.text.is_empty() && self.id.is_empty() {
            return Ok(None);
        }
        let mut statement = connection.prepare_cached("SELECT seq, ids, words FROM words")?;
        let mut rows = statement.query([])?;
        let mut found = HashSet::new();
        while let Some(row) = rows.next()? {
            // In place: a search looks at megabytes, and Rust's own search is several times faster than SQL's.
            if row.get_ref(1)?.as_str()?.contains(&self.id) && row.get_ref(2)?.as_str()?.contains(&self.text)
            {
                found.insert(row.get(0)?);
            }
        }
        Ok(Some(found))
    }
}

#[cfg(test)]
mod tests;
