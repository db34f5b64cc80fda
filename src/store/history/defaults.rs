//! Which answers of a record were defaults that the author had not touched: the record itself does not tell.

use crate::ask::JsString;
use crate::error::Error;
use crate::store::history::HistoryEntry;
use crate::store::state::StateDir;
use rusqlite::{Connection, params};

/// Made with the first one, so that a file of an earlier program needs no other format.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS defaults
    (seq INTEGER REFERENCES entries ON DELETE CASCADE, question TEXT, PRIMARY KEY (seq, question))";

/// Notes the ids of the questions whose defaults a record has, with the entry of its gate that has these bytes.
///
/// # Errors
/// The history is as it was.
pub fn note_defaults(
    state: &StateDir,
    answer_path: &JsString,
    sha256: &str,
    questions: &[String],
) -> Result<(), Error> {
    if questions.is_empty() {
        return Ok(());
    }
    let gate = state.gate_key(answer_path);
    state.write(|state| {
        state.execute(TABLE, [])?;
        let sql =
            "INSERT OR IGNORE INTO defaults SELECT seq, ?3 FROM entries WHERE gate = ?1 AND sha256 = ?2";
        let mut note = state.prepare(sql)?;
        questions.iter().try_for_each(|id| note.execute(params![gate, sha256, id]).map(drop))
    })
}

impl HistoryEntry {
    /// The ids of the questions whose defaults the record has, whatever happened to it since.
    pub fn defaults(&self) -> Vec<String> {
        let read = |state: &Connection| {
            if !state.table_exists(None, "defaults")? {
                return Ok(Vec::new());
            }
            let sql =
                "SELECT question FROM defaults JOIN entries USING (seq) WHERE gate = ?1 AND sha256 = ?2";
            let mut statement = state.prepare_cached(sql)?;
            let rows = statement.query_map([&self.gate, &self.sha256], |row| row.get(0))?;
            rows.collect()
        };
        self.state.tolerate(self.state.read(read)).flatten().unwrap_or_default()
    }
}
