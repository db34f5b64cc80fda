//! Setting a damaged file aside. Only a verdict that was really read is one: a read that fails says nothing of the file, though
//! `SQLite` calls both damage.

use super::fault::Fault;
use super::files::{Files, unmark};
use crate::error::Message;
use crate::text::say;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::time::Duration;
use std::{fs, io};

/// The format of a database. Tables of no format are damage.
pub(super) fn format(connection: &Connection) -> Result<i64, Fault> {
    let format = connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    if format != 0 {
        return Ok(format);
    }
    // Both at one moment: another process may be making the tables.
    let sql = "SELECT user_version = 0 AND EXISTS (SELECT 1 FROM sqlite_schema), user_version FROM pragma_user_version";
    match connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))? {
        (true, _) => Err(Fault::Damage),
        (false, format) => Ok(format),
    }
}

/// Renames a damaged file and its log, so that a new one is begun; nothing if it is not damaged, or another process has
/// done so by now.
pub(super) fn set_aside(files: &Files, patience: Duration) -> Result<Option<Message>, Fault> {
    let turn = files.turn();
    if !files.path.try_exists()? || !files.is_emptied() && is_sound(files, patience)? {
        return Ok(None);
    }
    let mut endings = (0..).map(|n| if n == 0 { ".bad".to_owned() } else { format!(".{n}.bad") });
    let ending = endings.find(|ending| !files.beside(ending).exists()).unwrap_or_default();
    fs::rename(&files.path, files.beside(&ending))?;
    // Beside the new file it would be taken for its log.
    match fs::rename(files.beside("-wal"), files.beside(&format!("{ending}-wal"))) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause.into()),
        _ => {}
    }
    unmark(turn.as_ref());
    // It is made anew from the log.
    let _ = fs::remove_file(files.beside("-shm"));
    let sentence = say(
        "{0} is damaged and was set aside as {1}; a new one is begun. The project's records do not depend on it.",
        "{0} 已损坏，已另存为 {1}，并新建了一份。项目中的记录不受影响。",
    );
    let aside = files.beside(&ending);
    Ok(Some(Message::new(sentence, &[&files.path.to_string_lossy(), &aside.to_string_lossy()])))
}

/// Copies the file and its log into memory, page by page, and checks the copy: whatever fails in the copying is an error of
/// reading, and in the check nothing is read any more.
fn is_sound(files: &Files, patience: Duration) -> Result<bool, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(&files.path, flags)?;
    source.busy_timeout(patience)?;
    // A damaged file is not written to.
    source.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let mut copy = Connection::open_in_memory()?;
    let copied = Backup::new(&source, &mut copy)?.step(-1).map_err(Fault::Sqlite);
    let verdict = copied.and_then(|step| match step {
        StepResult::Done => Ok(copy.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?),
        _ => Err(io::Error::from(io::ErrorKind::ResourceBusy).into()),
    });
    match verdict.and_then(|verdict| Ok((verdict, format(&copy)?))) {
        Ok((verdict, _)) => Ok(verdict == "ok"),
        Err(fault) if fault.seems_unreadable() => Ok(false),
        Err(fault) => Err(fault),
    }
}
