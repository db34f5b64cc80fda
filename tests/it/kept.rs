//! What lies in a state directory's database, as any other program can read it.

use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::{Path, PathBuf};

/// The database of the one project with something below a state directory.
pub(crate) fn database(state: &Path) -> Option<PathBuf> {
    let projects = fs::read_dir(state).ok()?.flatten();
    projects.map(|project| project.path().join("state.sqlite3")).find(|path| path.is_file())
}

/// The one column that a query gives; nothing where nothing is kept yet.
fn column(state: &Path, query: &str) -> Vec<Vec<u8>> {
    let read = || -> Option<Vec<Vec<u8>>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(database(state)?, flags).ok()?;
        let mut statement = connection.prepare(query).ok()?;
        let rows = statement.query_map([], |row| Ok(row.get_ref(0)?.as_bytes()?.to_vec())).ok()?;
        Some(rows.map(|row| row.expect("a row")).collect())
    };
    read().unwrap_or_default()
}

/// The exact bytes of every record in the history.
pub(crate) fn records(state: &Path) -> Vec<Vec<u8>> {
    column(state, "SELECT record FROM records")
}

/// The replies of every draft, JSON.
pub(crate) fn drafts(state: &Path) -> Vec<String> {
    let replies = column(state, "SELECT replies FROM drafts");
    replies.into_iter().map(|bytes| String::from_utf8(bytes).expect("JSON")).collect()
}
