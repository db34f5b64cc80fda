//! The files of the database: the one with the tables, the log beside it and the memory that connections share. A damaged one is set aside. Only a verdict that was really read is one: a read that
//! fails says nothing of the file, though `SQLite` calls both damage.

use super::fault::Fault;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::platform::files::{FileId, FileKind, look_at, make_private};
use crate::platform::paths::Shown as _;
use crate::store::file::special_kind;
use crate::text::say;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process that writes is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(in crate::store::state) struct Files {
    /// Of the file with the tables.
    pub(in crate::store::state) path: PathBuf,
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

    /// Which file is there, if any. A pipe would be waited for, there or beside it.
    pub(super) fn id(&self, writing: bool) -> Result<Option<FileId>, Fault> {
        match look_at(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(facts) if facts.kind != FileKind::File => Err(special_file(&self.path, facts.kind)),
            Ok(facts) => Ok(Some(facts.id)),
            // A directory is made below what is in the way, or it is said why it cannot be.
            Err(_) if writing => Ok(None),
            Err(cause) => Err(cause.into()),
        }
    }

    pub(super) fn refuse_special(&self) -> Result<(), Fault> {
        for ending in ["-journal", "-wal", "-shm"] {
            let beside = self.beside(ending);
            if let Some(facts) = look_at(&beside).ok().filter(|facts| facts.kind != FileKind::File) {
                return Err(special_file(&beside, facts.kind));
            }
        }
        Ok(())
    }

    /// Whether commits are in the log that are not in the file yet.
    pub(super) fn has_log(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|meta| meta.len() > 0)
    }

    /// Makes the file, unless another process has by now.
    pub(super) fn make(&self) -> io::Result<()> {
        match make_private(OpenOptions::new().write(true).create_new(true)).open(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(drop),
        }
    }

    /// Whether nothing is in the file though there is a log of it.
    pub(super) fn is_emptied(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() == 0) && self.has_log()
    }

    /// Whether the file is shorter than its first page says.
    pub(super) fn is_cut(&self) -> io::Result<bool> {
        let (mut file, mut head) = (File::open(&self.path)?, [0; 32]);
        let length = file.metadata()?.len();
        if length < 32 {
            // With no length, everything is in the log yet.
            return Ok(length > 0);
        }
        file.read_exact(&mut head)?;
        let page = match u16::from_be_bytes([head[16], head[17]]) {
            1 => 1 << 16,
            page => u64::from(page),
        };
        let pages = u32::from_be_bytes([head[28], head[29], head[30], head[31]]);
        Ok(length < page * u64::from(pages))
    }

    /// Renames a damaged file and its log, so that a new one is begun; nothing if it is not damaged, or another process has
    /// done so by now.
    pub(super) fn set_aside(&self) -> Result<Option<Message>, Fault> {
        if !self.path.try_exists()? || !self.is_emptied() && self.is_sound()? {
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
        // It is made anew from the log.
        let _ = fs::remove_file(self.beside("-shm"));
        let sentence = say(
            "{0} is damaged and was set aside as {1}; a new one is begun. The project's records do not depend on it.",
            "{0} 已损坏，已另存为 {1}，并新建了一份。项目中的记录不受影响。",
        );
        let aside = self.beside(&ending);
        Ok(Some(Message::new(sentence, &[&self.path.shown(), &aside.shown()])))
    }

    /// Copies the file and its log into memory, page by page, and checks the copy: whatever fails in the copying is an error of
    /// reading, and in the check nothing is read any more.
    fn is_sound(&self) -> Result<bool, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let source = Connection::open_with_flags(&self.path, flags)?;
        source.busy_timeout(PATIENCE)?;
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

fn special_file(path: &Path, kind: FileKind) -> Fault {
    let sentence = say("{0} is not a regular file ({1}).", "{0} 不是普通文件（{1}）。");
    let parts = [&*path.shown(), special_kind(kind).unwrap_or("other")];
    Fault::Error(Error::new(ExitCode::Failed, "state-dir", sentence, &parts))
}
