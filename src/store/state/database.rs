//! The one `SQLite` file of a state directory: its format and durability, and a new start beside a damaged one.
//!
//! * It is opened when something is first asked of it, and made when something is first kept.
//! * A commit is on the disk when it returns: a write-ahead log that is synced, or a rollback journal where the file
//!   system has no shared memory.
//! * What is deleted is overwritten with zeros.

use super::StateDir;
use crate::error::{Error, Message, io_cause};
use crate::exit::ExitCode;
use crate::store::disk::{Disk, ensure_private_dir, is_network_path};
use crate::store::file::special_file_kind;
use crate::text::{Sentence, say};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const FILE: &str = "state.sqlite3";
/// `PRAGMA user_version` of the tables below. A file with a larger one is left alone.
const FORMAT: i64 = 1;
#[expect(clippy::cast_possible_wrap, reason = "a flag of a few bits")]
const NONBLOCK: i32 = OFlags::NONBLOCK.bits() as i32;
/// How long another process is waited for.
const BUSY: Duration = Duration::from_secs(5);

const TABLES: &str = "
    -- One draft per gate and process: two consoles on one gate do not overwrite each other.
    CREATE TABLE drafts (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        gate TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
        packet TEXT NOT NULL, spec_hash TEXT NOT NULL, saved_at TEXT NOT NULL, at INTEGER NOT NULL,
        novel_ask TEXT NOT NULL, replies TEXT NOT NULL, orphans TEXT NOT NULL,
        UNIQUE (gate, host, pid)
    );
    CREATE TABLE edited (gate TEXT PRIMARY KEY, text TEXT NOT NULL);
    -- The history; `seq` is the order in which entries came, whatever the clock says.
    CREATE TABLE entries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE, gate TEXT NOT NULL, made INTEGER NOT NULL, placed INTEGER NOT NULL,
        reason TEXT NOT NULL, answer_path NOT NULL, packet TEXT, step, topic, spec_hash TEXT,
        answered_by, answered_at, valid INTEGER NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, of TEXT
    );
    CREATE INDEX entries_of_gate ON entries (gate, seq);
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE, record BLOB NOT NULL, novel_ask TEXT
    );
    -- Apart from the records, so that a search reads nothing else.
    CREATE TABLE words (
        seq INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE, ids TEXT NOT NULL, words TEXT NOT NULL
    );
    -- When the record of each gate was last written, as of the last look.
    CREATE TABLE seen (gate TEXT PRIMARY KEY, modified INTEGER NOT NULL);
    CREATE TABLE forgotten (sha256 TEXT PRIMARY KEY);
";

/// A connection that is made when it is needed.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    disk: &'static dyn Disk,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    connection: Option<Connection>,
    /// Device and inode of the file behind the connection: it may be removed or replaced meanwhile.
    file: (u64, u64),
    notice: Option<Message>,
}

/// Why nothing came of it.
enum Fault {
    Error(Error),
    Io(io::Error),
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sqlite(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl StateDir {
    /// The file with drafts and history.
    pub fn database(&self) -> &Path {
        &self.database.path
    }

    /// What the author has to know of the database since the last call: that a damaged one was set aside.
    pub fn take_notice(&self) -> Option<Message> {
        self.database.lock().notice.take()
    }

    /// Runs a job on one snapshot of the database; `None` if nothing was ever kept.
    pub(in crate::store) fn read<T>(
        &self,
        mut job: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.database.run(false, &mut job).map_err(|fault| {
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            self.database.error(fault, "history-unreadable", sentence)
        })
    }

    /// Runs a job in a transaction, which is on the disk when this returns; if it fails, nothing has changed. The job runs
    /// a second time where the database turns out to be damaged and a new one is begun.
    pub(in crate::store) fn write<T>(
        &self,
        mut job: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let missing = || io::Error::from(io::ErrorKind::NotFound).into();
        let done = self.database.run(true, &mut job).and_then(|done| done.ok_or_else(missing));
        done.map_err(|fault| {
            let sentence = say("Cannot keep the history in {0}.", "无法把历史保存到 {0}。");
            self.database.error(fault, "history-failed", sentence)
        })
    }

    /// Leaves nothing of what was deleted in any file.
    pub(in crate::store) fn wipe(&self) -> Result<(), Error> {
        let database = &self.database;
        let mut open = database.lock();
        let wiped = database.connect(&mut open, false).and_then(|connection| {
            let Some(connection) = connection else { return Ok(false) };
            Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?)
        });
        let fault = match wiped {
            Ok(false) => return Ok(()),
            Ok(true) => io::Error::from(io::ErrorKind::ResourceBusy).into(),
            Err(fault) => fault,
        };
        Err(database.error(fault, "not-erased", say("Cannot erase {0}.", "无法清除 {0}。")))
    }
}

impl Database {
    pub(super) fn new(dir: &Path, disk: &'static dyn Disk) -> Database {
        Database { path: dir.join(FILE), disk, open: Mutex::default() }
    }

    /// The same file, with a connection of its own.
    pub(super) fn apart(&self) -> Database {
        Database { path: self.path.clone(), disk: self.disk, open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<T>(
        &self,
        writing: bool,
        job: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let mut open = self.lock();
        let mut attempt = |open: &mut Open| -> Result<Option<T>, Fault> {
            let Some(connection) = self.connect(open, writing)? else { return Ok(None) };
            let behavior =
                if writing { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
            let transaction = Transaction::new_unchecked(connection, behavior)?;
            let done = job(&transaction)?;
            self.disk.commit(transaction)?;
            Ok(Some(done))
        };
        match attempt(&mut open) {
            Err(Fault::Sqlite(error)) if is_damage(&error) => {
                open.leave();
                if let Some(notice) = self.set_aside()? {
                    open.notice = Some(notice);
                }
                attempt(&mut open)
            }
            done => done,
        }
    }

    /// The connection, made anew if its file is not the one at the path any more.
    fn connect<'o>(&self, open: &'o mut Open, writing: bool) -> Result<Option<&'o Connection>, Fault> {
        let there = match fs::metadata(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => false,
            // A pipe would be waited for.
            Ok(meta) if !meta.is_file() => return Err(special_file(&self.path, &meta)),
            Ok(_) => true,
            // A directory is made below what is in the way, or it is said why it cannot be.
            Err(_) if writing => false,
            Err(cause) => return Err(cause.into()),
        };
        if file_id(&self.path) != Some(open.file) {
            open.leave();
        }
        if open.connection.is_none() {
            for ending in ["-journal", "-wal", "-shm"] {
                let beside = self.beside(ending);
                if let Some(meta) = fs::metadata(&beside).ok().filter(|meta| !meta.is_file()) {
                    return Err(special_file(&beside, &meta));
                }
            }
            open.connection = self.open(there, writing)?;
            open.file = file_id(&self.path).unwrap_or_default();
        }
        Ok(open.connection.as_ref())
    }

    fn open(&self, there: bool, writing: bool) -> Result<Option<Connection>, Fault> {
        // Closing any descriptor of a file frees every lock that this process has on it: nobody else opens it meanwhile.
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if !there && !writing {
            return Ok(None);
        }
        if !there {
            ensure_private_dir(self.path.parent().unwrap_or(Path::new(""))).map_err(Fault::Error)?;
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path) {
                Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Err(cause.into()),
                _ => {}
            }
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        match self.prepare(&connection, writing) {
            Ok(true) => Ok(Some(connection)),
            Ok(false) => Ok(None),
            Err(Fault::Sqlite(error)) if !writing && is_read_only(&error) && !self.has_log() => {
                self.open_immutable().map(Some)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Whether commits are in the log that are not in the file yet.
    fn has_log(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|meta| meta.len() > 0)
    }

    /// The path with something behind it.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// In a directory that cannot be written, the log's shared memory cannot be made; nobody else can write there either.
    fn open_immutable(&self) -> Result<Connection, Fault> {
        let path = self.path.to_string_lossy();
        let quoted = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{quoted}?immutable=1"), flags)?;
        self.check_format(&connection)?;
        Ok(connection)
    }

    /// Makes a connection ready; false if there is nothing in the file, and nothing is to be written.
    fn prepare(&self, connection: &Connection, writing: bool) -> Result<bool, Fault> {
        connection.busy_timeout(BUSY)?;
        // A statement is not planned anew for each value that is bound to it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;",
        )?;
        if self.check_format(connection)? == FORMAT {
            return Ok(true);
        }
        if !writing {
            return Ok(false);
        }
        let _turn = self.turn();
        if self.check_format(connection)? != FORMAT {
            // The log needs memory that all processes share, which machines do not.
            if !is_network_path(self.path.parent().unwrap_or(Path::new(""))) {
                connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            }
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
            transaction.commit()?;
        }
        Ok(true)
    }

    fn check_format(&self, connection: &Connection) -> Result<i64, Fault> {
        let format: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format > FORMAT {
            let sentence = say(
                "{0} was written by a newer novel-gate (format {1}); it is untouched.",
                "{0} 由更新版本的 novel-gate 写成（格式 {1}）；未作改动。",
            );
            let parts = [&*self.path.to_string_lossy(), &format.to_string()];
            return Err(Fault::Error(Error::new(ExitCode::Failed, "state-newer", sentence, &parts)));
        }
        Ok(format)
    }

    /// Making the tables and setting a file aside is done by one process at a time. Where there are no locks, it goes on
    /// without.
    fn turn(&self) -> Option<File> {
        let path = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        // A pipe in its place would be waited for.
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(NONBLOCK);
        let file = options.open(path).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Renames a damaged file and its log, so that a new one is begun; nothing if another process has done so by now.
    fn set_aside(&self) -> Result<Option<Message>, Fault> {
        let _turn = self.turn();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let is_sound = Connection::open_with_flags(&self.path, flags).and_then(|connection| {
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        });
        if is_sound.is_ok_and(|verdict| verdict == "ok") {
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
        let sentence = say(
            "{0} is damaged and was set aside as {1}; a new one is begun. The project's records do not depend on it.",
            "{0} 已损坏，已另存为 {1}，并新建了一份。项目中的记录不受影响。",
        );
        let aside = self.beside(&ending);
        Ok(Some(Message::new(sentence, &[&self.path.to_string_lossy(), &aside.to_string_lossy()])))
    }

    fn error(&self, fault: Fault, code: &'static str, sentence: Sentence) -> Error {
        let cause = match fault {
            Fault::Error(error) => return error,
            Fault::Io(error) => io_cause(&error),
            Fault::Sqlite(error) => cause(&error),
        };
        let error = Error::new(ExitCode::Failed, code, sentence, &[&self.path.to_string_lossy()]);
        Error { cause: Some(Box::new(cause)), ..error }
    }
}

fn special_file(path: &Path, meta: &fs::Metadata) -> Fault {
    let sentence = say("{0} is not a regular file ({1}).", "{0} 不是普通文件（{1}）。");
    let parts = [&*path.to_string_lossy(), special_file_kind(meta).unwrap_or("other")];
    Fault::Error(Error::new(ExitCode::Failed, "state-dir", sentence, &parts))
}

impl Open {
    /// Lets a connection go whose file is not at its path any more: the log beside that path is another file's.
    fn leave(&mut self) {
        if let Some(connection) = self.connection.take() {
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let mut open = self.lock();
        if file_id(&self.path) != Some(open.file) {
            open.leave();
        }
    }
}

fn file_id(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Whether the file may be damaged; no job of ours breaks a constraint of a sound one.
fn is_damage(error: &rusqlite::Error) -> bool {
    use ErrorCode::{ConstraintViolation, DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | ConstraintViolation))
}

fn is_read_only(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

/// In plain words, without a full stop.
fn cause(error: &rusqlite::Error) -> Message {
    Message::from(match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => return io_cause(&io::ErrorKind::StorageFull.into()),
        Some(ErrorCode::PermissionDenied) => return io_cause(&io::ErrorKind::PermissionDenied.into()),
        Some(ErrorCode::SystemIoFailure) => return io_cause(&rustix::io::Errno::IO.into()),
        Some(ErrorCode::ReadOnly) => say("it cannot be written", "不可写"),
        Some(ErrorCode::CannotOpen) => say("it cannot be opened", "无法打开"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            say("another program is writing there", "其他程序正在写入")
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => say("it is damaged", "已损坏"),
        _ => return Message::verbatim(error.to_string()),
    })
}

#[cfg(test)]
mod tests;
