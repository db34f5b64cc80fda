//! The one `SQLite` file of a state directory: its format and durability, and a new start beside a damaged one.
//!
//! * It is opened when something is first asked of it, and made when something is first kept.
//! * A commit is on the disk when it returns: a write-ahead log that is synced, or a rollback journal where the file
//!   system has no shared memory.
//! * What is deleted is overwritten with zeros.
//! * What cannot be read is neither damaged nor empty: that is an error, and everything stays as it is.

use super::StateDir;
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::store::disk::{Disk, is_network_path, make_private_dir};
use crate::text::{Lang, say};
use fault::Fault;
use files::{Files, Seen, format, mark_begun};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, iter};

mod fault;
mod files;

const FILE: &str = "state.sqlite3";
/// `PRAGMA user_version` of the tables below. A file with a larger one is left alone.
const FORMAT: i64 = 1;
/// How often a job is tried where the file seems damaged.
const TRIES: usize = 3;
/// How long another process is waited for: once, and then no longer than it takes to commit until something has worked.
const BUSY: Duration = Duration::from_secs(5);
const STILL_BUSY: Duration = Duration::from_millis(100);

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
    files: Files,
    disk: &'static dyn Disk,
    open: Mutex<Open>,
    common: Arc<Mutex<Common>>,
}

#[derive(Debug, Default)]
struct Open {
    connection: Option<Connection>,
    /// The files behind the connection: they may be removed or replaced meanwhile.
    seen: Seen,
}

/// What all connections to one file know.
#[derive(Debug, Default)]
struct Common {
    /// What the author has to know, the oldest first.
    untold: VecDeque<Message>,
    /// The same that was told since something last worked.
    told: Vec<Message>,
    /// Whether another process was waited for in vain.
    busy: bool,
    /// Whether the last job failed because nothing may be written here.
    closed: bool,
}

impl StateDir {
    /// The file with drafts and history.
    pub fn database(&self) -> &Path {
        &self.database.files.path
    }

    /// The same with a connection of its own, for a thread that must not wait for another one's job.
    #[must_use]
    pub fn apart(&self) -> StateDir {
        let Database { files, disk, common, .. } = &*self.database;
        let (files, common) = (files.clone(), Arc::clone(common));
        let database = Database { files, disk: *disk, open: Mutex::default(), common };
        StateDir { database: Arc::new(database), ..self.clone() }
    }

    /// What the author has to know of the database and was not told yet: that a damaged one was set aside.
    pub fn take_notice(&self) -> Option<Message> {
        let mut common = self.database.common();
        let notice = common.untold.pop_front()?;
        common.told.push(notice.clone());
        Some(notice)
    }

    /// All of it, as one.
    pub fn take_notices(&self) -> Option<Message> {
        let notices: Vec<Message> = iter::from_fn(|| self.take_notice()).collect();
        let told = |lang: Lang| {
            let gap = if lang == Lang::En { " " } else { "" };
            notices.iter().map(|notice| notice.text(lang)).collect::<Vec<_>>().join(gap)
        };
        (!notices.is_empty()).then(|| Message::in_both(told))
    }

    /// Tells the author, once for as long as it lasts.
    pub(in crate::store) fn notify(&self, notice: Message) {
        self.database.common().notify(notice);
    }

    /// What was found, for those who only look: they do not fail for a database that cannot be used, but it is said. Where
    /// nothing may be written, as in an executor's sandbox, that is no news: whoever may write notes what there is.
    pub fn tolerate<T>(&self, outcome: Result<T, Error>) -> Option<T> {
        let tell = |error: &Error| {
            let mut common = self.database.common();
            if !common.closed {
                common.notify(error.whole());
            }
        };
        outcome.inspect_err(tell).ok()
    }

    /// Runs a job on one snapshot of the database; `None` if nothing was ever kept.
    pub(in crate::store) fn read<T>(
        &self,
        mut job: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.database.run(false, &mut job).map_err(|fault| {
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            fault.error(self.database(), "history-unreadable", sentence)
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
            fault.error(self.database(), "history-failed", sentence)
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
        Err(fault.error(self.database(), "not-erased", say("Cannot erase {0}.", "无法清除 {0}。")))
    }
}

impl Database {
    pub(super) fn new(dir: &Path, disk: &'static dyn Disk) -> Database {
        let files = Files { path: dir.join(FILE) };
        Database { files, disk, open: Mutex::default(), common: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn common(&self) -> MutexGuard<'_, Common> {
        self.common.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long another process is waited for now.
    fn patience(&self) -> Duration {
        if self.common().busy { STILL_BUSY } else { BUSY }
    }

    fn run<T>(
        &self,
        writing: bool,
        job: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let mut open = self.lock();
        let mut done = self.attempt(&mut open, writing, job);
        for _ in 1..TRIES {
            let Err(fault) = &done else { break };
            if !fault.may_be_damage() {
                break;
            }
            open.leave();
            if let Some(notice) = self.files.set_aside(self.patience())? {
                self.common().notify(notice);
            }
            done = self.attempt(&mut open, writing, job);
        }
        let mut common = self.common();
        common.closed = done.as_ref().err().is_some_and(|fault| writing && fault.is_read_only());
        match &done {
            // The file is sound, and what was read of it is not.
            Err(fault) if fault.seems_unreadable() => {
                return Err(io::Error::from(rustix::io::Errno::IO).into());
            }
            Err(fault) => common.busy |= fault.is_busy(),
            Ok(_) => {
                // Reading works while another process holds up all writing.
                common.busy &= !writing;
                if !common.busy {
                    common.told.clear();
                }
            }
        }
        done
    }

    fn attempt<T>(
        &self,
        open: &mut Open,
        writing: bool,
        job: &mut dyn FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(connection) = self.connect(open, writing)? else { return Ok(None) };
        connection.busy_timeout(self.patience())?;
        let behavior = if writing { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
        let transaction = Transaction::new_unchecked(connection, behavior)?;
        // A newer program may have changed it since.
        self.check_format(&transaction)?;
        let done = job(&transaction)?;
        self.disk.commit(transaction)?;
        open.seen.renew(&self.files.see());
        Ok(Some(done))
    }

    /// The connection, made anew if its files are not those at the path any more.
    fn connect<'o>(&self, open: &'o mut Open, writing: bool) -> Result<Option<&'o Connection>, Fault> {
        let there = self.files.is_there(writing)?;
        if open.part(&self.files) {
            let sentence = say(
                "{0} was removed, replaced or cut off while it was in use; what had been kept there may be missing. \
                 What is kept from now on is safe.",
                "{0} 在使用中被移除、替换或截断，此前保存的内容可能不全；此后的内容照常保存。",
            );
            self.common().notify(Message::new(sentence, &[&self.files.path.to_string_lossy()]));
        }
        if open.connection.is_none() {
            self.files.refuse_special()?;
            open.connection = self.open(there, writing)?;
            open.seen = self.files.see();
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
        let path = self.files.path.to_string_lossy();
        let quoted = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(format!("file:{quoted}?immutable=1"), flags)?;
        self.check_format(&connection)?;
        Ok(connection)
    }

    /// Makes a connection ready; false if there is nothing in the file, and nothing is to be written.
    fn prepare(&self, connection: &Connection, writing: bool) -> Result<bool, Fault> {
        connection.busy_timeout(self.patience())?;
        // A statement is not planned anew for each value that is bound to it.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // Where a file is mapped, a read that fails ends the process.
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
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
        let turn = self.files.turn();
        if self.check_format(connection)? == FORMAT {
            return Ok(());
        }
        // The log needs memory that all processes share, which machines do not.
        if !is_network_path(self.files.dir()) {
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
        mark_begun(turn);
        Ok(())
    }

    fn check_format(&self, connection: &Connection) -> Result<i64, Fault> {
        let format = format(connection)?;
        if format > FORMAT {
            let sentence = say(
                "{0} was written by a newer novel-gate (format {1}); it is untouched.",
                "{0} 由更新版本的 novel-gate 写成（格式 {1}）；未作改动。",
            );
            let parts = [&*self.files.path.to_string_lossy(), &format.to_string()];
            return Err(Fault::Error(Error::new(ExitCode::Failed, "state-newer", sentence, &parts)));
        }
        Ok(format)
    }
}

impl Common {
    /// Tells the author, once for as long as it lasts.
    fn notify(&mut self, notice: Message) {
        if !self.untold.contains(&notice) && !self.told.contains(&notice) {
            self.untold.push_back(notice);
        }
    }
}

impl Open {
    /// Lets the connection go if its files are not those at their path any more; whether they are not. A log that is only shorter
    /// was erased.
    fn part(&mut self, files: &Files) -> bool {
        let (then, now) = (&self.seen, files.see());
        let moved = |file: usize| then.ids[file].is_some() && now.ids[file] != then.ids[file];
        let is_other = then.ids[0].is_none() || moved(0) || now.length < then.length;
        let Some(connection) = self.connection.as_ref().filter(|_| is_other || moved(1) || moved(2)) else {
            return false;
        };
        if !is_other && moved(1) && now.ids[1].is_none() {
            // What is only in a log that is gone is in nobody else's hands; where that fails, it is lost.
            let _ = connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()));
        }
        self.leave();
        true
    }

    /// Lets a connection go whose file is not at its path any more: the log beside that path is another file's.
    fn leave(&mut self) {
        if let Some(connection) = self.connection.take() {
            let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.lock().part(&self.files);
    }
}

#[cfg(test)]
mod tests;
