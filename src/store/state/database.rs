//! The one `SQLite` file of a state directory: its format and durability, and a new start beside a damaged one.
//!
//! * It is opened when something is first asked of it, and made when something is first kept.
//! * A commit is on the disk when it returns: a write-ahead log that is synced, or a rollback journal where the file
//!   system has no shared memory.
//! * What is deleted is overwritten with zeros.
//! * What cannot be read is neither damaged nor empty: that is an error, and everything stays as it is.

use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::platform::Failure;
use crate::platform::files::{FileId, is_network_path};
use crate::platform::paths::Shown as _;
use crate::store::disk::{Disk, make_private_dir};
use crate::text::say;
use fault::Fault;
use files::{Files, PATIENCE, format};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod fault;
mod files;

const FILE: &str = "state.sqlite3";
/// `PRAGMA user_version` of the tables below. A file with a larger one is left alone.
const FORMAT: i64 = 1;
/// How often a job is tried where the file seems damaged.
const TRIES: usize = 3;

/// A smaller file is not worth the work, in pages of 4 KiB.
const FEW_PAGES: i64 = 256;
/// What is in use goes through memory.
const MANY_PAGES: i64 = 1 << 16;

const TABLES: &str = "
    -- One draft per gate and process: two consoles on one gate do not overwrite each other.
    CREATE TABLE drafts (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        gate TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
        packet TEXT NOT NULL, spec_hash TEXT NOT NULL, saved_at TEXT NOT NULL, at INTEGER NOT NULL,
        novel_ask TEXT NOT NULL, replies TEXT NOT NULL, orphans TEXT NOT NULL,
        -- Files that older programs have made get these two with the next draft.
        answer_path, step,
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
    pub(super) files: Files,
    disk: &'static dyn Disk,
    open: Mutex<Option<Open>>,
    common: Arc<Mutex<Common>>,
}

/// A connection and its file.
type Open = (Connection, FileId);

/// What all connections to one file know.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// What the author has to know, the oldest first.
    untold: VecDeque<Message>,
    /// The same that was told since something last worked.
    told: Vec<Message>,
    /// Whether the last job failed because nothing may be written here.
    pub(super) closed: bool,
}

impl Database {
    pub(super) fn new(dir: &Path, disk: &'static dyn Disk) -> Database {
        let files = Files { path: dir.join(FILE) };
        Database { files, disk, open: Mutex::default(), common: Arc::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn common(&self) -> MutexGuard<'_, Common> {
        self.common.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same with a connection of its own.
    pub(super) fn apart(&self) -> Database {
        let (files, common) = (self.files.clone(), Arc::clone(&self.common));
        Database { files, disk: self.disk, open: Mutex::default(), common }
    }

    pub(super) fn run<T>(
        &self,
        writing: bool,
        job: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let mut open = self.lock();
        let mut done = self.attempt(&mut open, writing, writing, job);
        for _ in 1..TRIES {
            let Err(fault) = &done else { break };
            if !fault.may_be_damage() {
                break;
            }
            leave(&mut open);
            if let Some(notice) = self.files.set_aside()? {
                self.common().notify(notice);
            }
            // What is sound now is so with what is in the log.
            done = self.attempt(&mut open, writing, false, job);
        }
        let mut common = self.common();
        common.closed = done.as_ref().err().is_some_and(|fault| writing && fault.is_read_only());
        match &done {
            // The file is sound, and what was read of it is not.
            Err(fault) if fault.seems_unreadable() => {
                return Err(io::Error::from(Failure::DEVICE).into());
            }
            Ok(_) if writing => common.told.clear(),
            _ => {}
        }
        done
    }

    fn attempt<T>(
        &self,
        open: &mut Option<Open>,
        writing: bool,
        to_measure: bool,
        job: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(connection) = self.connect(open, writing)? else { return Ok(None) };
        let behavior = if writing { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
        let transaction = Transaction::new_unchecked(connection, behavior)?;
        // A newer program may have changed it since.
        self.check_format(&transaction)?;
        if to_measure && self.files.is_cut()? {
            return Err(Fault::Damage);
        }
        let done = job(&transaction)?;
        self.disk.commit(transaction)?;
        Ok(Some(done))
    }

    /// The connection, made anew if its file was removed or replaced.
    pub(super) fn connect<'o>(
        &self,
        open: &'o mut Option<Open>,
        writing: bool,
    ) -> Result<Option<&'o Connection>, Fault> {
        let there = self.files.id(writing)?;
        if open.as_ref().is_some_and(|(_, file)| there != Some(*file)) {
            leave(open);
        }
        if open.is_none() {
            self.files.refuse_special()?;
            *open = self.open(there.is_some(), writing)?.zip(self.files.id(writing)?);
        }
        Ok(open.as_ref().map(|(connection, _)| connection))
    }

    fn open(&self, there: bool, writing: bool) -> Result<Option<Connection>, Fault> {
        // Closing any descriptor of a file frees every lock that this process has on it: nobody else opens it meanwhile.
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if !there && !writing {
            return Ok(None);
        }
        if !there {
            make_private_dir(self.files.dir()).map_err(Fault::Dir)?;
            self.files.make()?;
        } else if self.files.is_emptied() {
            // SQLite would remove the log beside it.
            return Err(Fault::Damage);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.files.path, flags)?;
        match self.prepare(&connection, writing) {
            Ok(true) => Ok(Some(connection)),
            Ok(false) => Ok(None),
            Err(fault) if !writing && fault.is_read_only() && !self.files.has_log() => {
                self.open_immutable().map(Some)
            }
            Err(fault) => Err(fault),
        }
    }

    /// In a directory that cannot be written, the log's shared memory cannot be made; nobody else can write there either.
    fn open_immutable(&self) -> Result<Connection, Fault> {
        let path = self.files.path.shown();
        let quoted = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{quoted}?immutable=1"), flags)?;
        self.check_format(&connection)?;
        Ok(connection)
    }

    /// Makes a connection ready; false if there is nothing in the file, and nothing is to be written.
    fn prepare(&self, connection: &Connection, writing: bool) -> Result<bool, Fault> {
        connection.busy_timeout(Duration::ZERO)?;
        // Where locks fail, SQLite takes the file for locked, and would wait for nobody.
        if self.check_format(connection).is_err_and(|fault| fault.is_busy())
            && !self.disk.has_locks(self.files.dir())
        {
            return Err(io::Error::from(Failure::NO_LOCKS).into());
        }
        connection.busy_timeout(PATIENCE)?;
        // A statement is not planned anew for each value that is bound to it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // Where a file is mapped, a read that fails ends the process.
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
             PRAGMA mmap_size = 0;",
        )?;
        if self.check_format(connection)? == 0 {
            if !writing {
                return Ok(false);
            }
            self.begin(connection)?;
        }
        Ok(true)
    }

    /// Makes the tables, unless another process has by now.
    fn begin(&self, connection: &Connection) -> Result<(), Fault> {
        // The log needs memory that all processes share, which machines do not.
        if !is_network_path(self.files.dir()) {
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        if self.check_format(&transaction)? == 0 {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        Ok(transaction.commit()?)
    }

    /// Gives the room back that is free in the file, where that is much of it and nobody else uses the file just now. Whatever comes
    /// in between leaves the file as it was.
    pub(super) fn shrink(&self, connection: &Connection) -> Result<bool, Fault> {
        self.check_format(connection)?;
        let number = |name| connection.query_row(name, [], |row| row.get::<_, i64>(0));
        let (pages, free) = (number("PRAGMA page_count")?, number("PRAGMA freelist_count")?);
        if pages < FEW_PAGES || free < pages / 4 || pages - free > MANY_PAGES {
            return Ok(false);
        }
        connection.busy_timeout(Duration::ZERO)?;
        let done = connection.execute_batch("VACUUM");
        connection.busy_timeout(PATIENCE)?;
        Ok(done.map(|()| true)?)
    }

    fn check_format(&self, connection: &Connection) -> Result<i64, Fault> {
        let format = format(connection)?;
        if format > FORMAT {
            let sentence = say(
                "{0} was written by a newer novel-gate (format {1}); it is untouched.",
                "{0} 由更新版本的 novel-gate 写成（格式 {1}）；未作改动。",
            );
            let parts = [&*self.files.path.shown(), &format.to_string()];
            return Err(Fault::Error(Error::new(ExitCode::Failed, "state-newer", sentence, &parts)));
        }
        Ok(format)
    }
}

impl Common {
    /// What the author was not told yet.
    pub(super) fn tell(&mut self) -> Option<Message> {
        let notice = self.untold.pop_front()?;
        self.told.push(notice.clone());
        Some(notice)
    }

    /// Tells the author, once for as long as it lasts.
    pub(super) fn notify(&mut self, notice: Message) {
        if !self.untold.contains(&notice) && !self.told.contains(&notice) {
            self.untold.push_back(notice);
        }
    }
}

/// Lets a connection go whose file is not at its path any more: the log beside that path is another file's.
fn leave(open: &mut Option<Open>) {
    if let Some((connection, _)) = open.take() {
        let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
}

#[cfg(test)]
mod tests;
