//! The files of the database: the one with the tables, the log beside it and the memory that connections share, and the
//! lock of whoever begins or sets aside. A damaged one is set aside. Only a verdict that was really read is one: a read that
//! fails says nothing of the file, though `SQLite` calls both damage.

use super::fault::Fault;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::store::file::special_file_kind;
use crate::text::say;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[expect(clippy::cast_possible_wrap, reason = "a flag of a few bits")]
const NONBLOCK: i32 = OFlags::NONBLOCK.bits() as i32;

#[derive(Clone, Debug)]
pub(super) struct Files {
    /// Of the file with the tables.
    pub(super) path: PathBuf,
}

/// The files behind a connection, as it has found them: of the file with the tables, the log and the shared memory device and
/// inode; and how long the first one was when it was last used.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) ids: [Option<(u64, u64)>; 3],
    pub(super) length: u64,
}

impl Files {
    /// The path with something behind it.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    pub(super) fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether there is a file. A pipe would be waited for, there or beside it.
    pub(super) fn is_there(&self, writing: bool) -> Result<bool, Fault> {
        match fs::metadata(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
            Ok(meta) if !meta.is_file() => Err(special_file(&self.path, &meta)),
            Ok(_) => Ok(true),
            // A directory is made below what is in the way, or it is said why it cannot be.
            Err(_) if writing => Ok(false),
            Err(cause) => Err(cause.into()),
        }
    }

    pub(super) fn refuse_special(&self) -> Result<(), Fault> {
        for ending in ["-journal", "-wal", "-shm"] {
            let beside = self.beside(ending);
            if let Some(meta) = fs::metadata(&beside).ok().filter(|meta| !meta.is_file()) {
                return Err(special_file(&beside, &meta));
            }
        }
        Ok(())
    }

    /// Whether commits are in the log that are not in the file yet.
    pub(super) fn has_log(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|meta| meta.len() > 0)
    }

    pub(super) fn see(&self) -> Seen {
        let found = ["", "-wal", "-shm"].map(|ending| fs::metadata(self.beside(ending)).ok());
        let length = found[0].as_ref().map_or(0, fs::Metadata::len);
        Seen { ids: found.map(|meta| meta.map(|meta| (meta.dev(), meta.ino()))), length }
    }

    /// Making the tables and setting a file aside is done by one process at a time. Where there are no locks, it goes on
    /// without.
    pub(super) fn turn(&self) -> Option<File> {
        let mut options = OpenOptions::new();
        // A pipe in its place would be waited for.
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(NONBLOCK);
        let file = options.open(self.path.with_extension("lock")).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Makes the file, unless another process has by now.
    pub(super) fn make(&self) -> io::Result<()> {
        let turn = self.turn();
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(|_| unmark(turn.as_ref())),
        }
    }

    /// Whether nothing is in the file though something was.
    pub(super) fn is_emptied(&self) -> bool {
        let is_begun = || fs::metadata(self.path.with_extension("lock")).is_ok_and(|meta| meta.len() > 0);
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() == 0) && (self.has_log() || is_begun())
    }

    /// Renames a damaged file and its log, so that a new one is begun; nothing if it is not damaged, or another process has
    /// done so by now.
    pub(super) fn set_aside(&self, patience: Duration) -> Result<Option<Message>, Fault> {
        let turn = self.turn();
        if !self.path.try_exists()? || !self.is_emptied() && self.is_sound(patience)? {
            return Ok(None);
        }
        let mut endings = (0..).map(|n| if n == 0 { ".bad".to_owned() } else { format!(".{n}.bad") });
        let ending = endings.find(|ending| !self.beside(ending).exists()).unwrap_or_default();
        fs::rename(&self.path, self.beside(&ending))?;
        // Beside the new file it would be taken for its log.
        match fs::rename(self.beside("-wal"), self.beside(&format!("{ending}-wal"))) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause.into()),
            _ => {}
        }
        unmark(turn.as_ref());
        // It is made anew from the log.
        let _ = fs::remove_file(self.beside("-shm"));
        let sentence = say(
            "{0} is damaged and was set aside as {1}; a new one is begun. The project's records do not depend on it.",
            "{0} 已损坏，已另存为 {1}，并新建了一份。项目中的记录不受影响。",
        );
        let aside = self.beside(&ending);
        Ok(Some(Message::new(sentence, &[&self.path.to_string_lossy(), &aside.to_string_lossy()])))
    }

    /// Copies the file and its log into memory, page by page, and checks the copy: whatever fails in the copying is an error of
    /// reading, and in the check nothing is read any more.
    fn is_sound(&self, patience: Duration) -> Result<bool, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let source = Connection::open_with_flags(&self.path, flags)?;
        source.busy_timeout(patience)?;
        // A damaged file is not written to.
        source.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let mut copy = Connection::open_in_memory()?;
        let copied = Backup::new(&source, &mut copy)?.step(-1).map_err(Fault::Sqlite);
        let verdict = copied.and_then(|step| match step {
            StepResult::Done => {
                Ok(copy.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?)
            }
            _ => Err(io::Error::from(io::ErrorKind::ResourceBusy).into()),
        });
        match verdict.and_then(|verdict| Ok((verdict, format(&copy)?))) {
            Ok((verdict, _)) => Ok(verdict == "ok"),
            Err(fault) if fault.seems_unreadable() => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// Notes with the turn that there are tables now: a file of no length is no new one from then on.
pub(super) fn mark_begun(turn: Option<File>) {
    // Without the mark it is not noticed that everything is gone.
    let _ = turn.map(|mut turn| turn.write_all(b"1\n"));
}

/// Takes that back: the file that had them is not at its path any more, and a new one is none
/// that was emptied.
pub(super) fn unmark(turn: Option<&File>) {
    // Where that fails, a new file is set aside once.
    let _ = turn.map(|turn| turn.set_len(0));
}

impl Seen {
    /// Takes over how long the file is now, and what has come since. What went stays in it, so that it is missed.
    pub(super) fn renew(&mut self, now: &Seen) {
        self.length = if now.ids[0].is_some() { now.length } else { self.length };
        for (then, now) in self.ids.iter_mut().zip(now.ids) {
            *then = then.or(now);
        }
    }
}

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

fn special_file(path: &Path, meta: &fs::Metadata) -> Fault {
    let sentence = say("{0} is not a regular file ({1}).", "{0} 不是普通文件（{1}）。");
    let parts = [&*path.to_string_lossy(), special_file_kind(meta).unwrap_or("other")];
    Fault::Error(Error::new(ExitCode::Failed, "state-dir", sentence, &parts))
}
