//! The few system calls that change the author's files, behind a seam: tests put in a disk that fails.
//!
//! A project carries its disk. Of the state's database only the end of a transaction is here; its files are `SQLite`'s own.

use crate::platform::files;
use cap_std::fs::Dir;
use rusqlite::{Connection, OpenFlags, Transaction};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// System calls on names in an open directory. Nothing here follows a link in the last place.
pub trait Disk: fmt::Debug + Sync {
    /// Opens a directory beneath another; links inside are followed, none leads out.
    fn open_dir(&self, dir: &Dir, path: &Path) -> io::Result<Dir> {
        dir.open_dir(path)
    }
    fn make_dir(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        files::make_dir(dir, name)
    }
    fn create(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        files::create(dir, name)
    }
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        files::sync(file)
    }
    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)?;
        // Not everywhere does what is added go to the end by itself.
        (&mut &*file).seek(SeekFrom::Start(length)).map(drop)
    }
    /// Renames unless the new name is taken.
    fn rename_new(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        files::rename_new(dir, from, to)
    }
    /// Gives a file a second name unless that is taken.
    fn link(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        files::link(dir, from, to)
    }
    /// Renames, whatever is there.
    fn rename(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        files::rename(dir, from, to)
    }
    /// Swaps two files in one step.
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        files::exchange(dir, one, other)
    }
    fn unlink(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        files::unlink(dir, name)
    }
    /// Brings a directory's names to the disk.
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        files::sync_dir(dir)
    }
    /// Opens a file for reading without ever waiting for a writer.
    fn open(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        files::open_in(dir, name)
    }
    /// The time by which files grow old.
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
    /// Waits until a file is locked, for this process alone or shared with others.
    fn lock(&self, file: &File, is_shared: bool) -> io::Result<()> {
        if is_shared { file.lock_shared() } else { file.lock() }
    }
    /// Whether `SQLite` can lock files in a directory: one that is made just now is locked by nobody. Where none can be made, it can.
    fn has_locks(&self, dir: &Path) -> bool {
        let Ok(file) = tempfile::Builder::new().prefix(".novel-gate-").tempfile_in(dir) else { return true };
        let lock = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(file.path(), flags)?;
            connection.busy_timeout(Duration::ZERO)?;
            connection.execute_batch("BEGIN EXCLUSIVE; ROLLBACK")
        };
        lock().is_ok()
    }
    /// Ends a transaction of the state's database.
    fn commit(&self, transaction: Transaction<'_>) -> rusqlite::Result<()> {
        transaction.commit()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {}

/// Makes a directory and its parents, readable by their owner only; existing ones stay as they are.
pub(super) fn make_private_dir(dir: &Path) -> io::Result<()> {
    let new: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.exists()).collect();
    let made = files::make_private_dirs(dir);
    for parent in new.iter().filter_map(|dir| dir.parent()) {
        // What is kept in them is only as durable as they are.
        let _ = files::sync_dir_at(parent);
    }
    made
}
