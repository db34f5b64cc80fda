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
#[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
pub(crate) fn drafts(state: &Path) -> Vec<String> {
    let replies = column(state, "SELECT replies FROM drafts");
    replies.into_iter().map(|bytes| String::from_utf8(bytes).expect("JSON")).collect()
}

/// Copies the first entry of a database so often.
pub(crate) fn multiply(database: &Path, times: u32) {
    let columns = "gate, made, placed, reason, answer_path, packet, step, topic, spec_hash, answered_by, answered_at, \
                   valid, sha256, bytes, of";
    let sql = format!(
        "INSERT INTO entries (id, {columns})
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times})
            SELECT id || '-c' || i, {columns} FROM n, (SELECT * FROM entries WHERE seq = 1);
        INSERT INTO records SELECT e.seq, r.record, r.novel_ask FROM entries e, records r
            WHERE r.seq = 1 AND e.id LIKE '%-c%';
        INSERT INTO words SELECT e.seq, w.ids, w.words FROM entries e, words w WHERE w.seq = 1 AND e.id LIKE '%-c%';"
    );
    rusqlite::Connection::open(database).expect("a database").execute_batch(&sql).expect("copies");
}
