//! The few system calls that change the author's files, behind a seam: tests put in a disk that fails.
//!
//! A project carries its disk. Of the state's database only the end of a transaction is here; its files are `SQLite`'s own.

use super::file::READ;
use cap_std::fs::Dir;
use rusqlite::Transaction;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::SystemTime;

/// System calls on names in an open directory. Nothing here follows a link in the last place.
pub trait Disk: fmt::Debug + Sync {
    /// Opens a directory beneath another; links inside are followed, none leads out.
    fn open_dir(&self, dir: &Dir, path: &Path) -> io::Result<Dir> {
        dir.open_dir(path)
    }
    fn make_dir(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(dir, name, Mode::from_raw_mode(0o777))?)
    }
    fn create(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o666))?))
    }
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }
    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }
    /// Renames unless the new name is taken.
    fn rename_new(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE)?)
    }
    /// Gives a file a second name unless that is taken.
    fn link(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::linkat(dir, from, dir, to, AtFlags::empty())?)
    }
    /// Renames, whatever is there.
    fn rename(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(dir, from, dir, to)?)
    }
    /// Swaps two files in one step.
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE)?)
    }
    fn unlink(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(dir, name, AtFlags::empty())?)
    }
    /// Brings a directory's names to the disk.
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        // The handle itself is only a path (O_PATH) and cannot be synced.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = rustix::fs::openat(dir, ".", flags, Mode::empty())?;
        Ok(rustix::fs::fsync(readable)?)
    }
    /// Opens a file for reading without ever waiting for a writer.
    fn open(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        Ok(File::from(rustix::fs::openat(dir, name, READ | OFlags::NOFOLLOW, Mode::empty())?))
    }
    /// The time by which files grow old.
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
    /// Ends a transaction of the state's database.
    fn commit(&self, transaction: Transaction<'_>) -> rusqlite::Result<()> {
        transaction.commit()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {}

/// Whether a path lies on a file system of another machine.
#[cfg(target_os = "linux")]
pub(super) fn is_network_path(path: &Path) -> bool {
    /// NFS, SMB (three), 9p, FUSE and virtiofs, Ceph, AFS, Coda, NCP, and the shares of virtual machines.
    const SHARED: [u64; 12] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x0102_1997,
        0x6573_5546,
        0x00C3_6400,
        0x5346_414F,
        0x7375_7245,
        0x564C,
        0x786F_4256,
        0xBACB_ACBC,
    ];
    #[expect(clippy::cast_sign_loss, reason = "a magic number; only its 32 bits matter")]
    rustix::fs::statfs(path).is_ok_and(|fs| SHARED.contains(&(fs.f_type as u64 & 0xFFFF_FFFF)))
}

/// Where the system does not say it, no path is taken to.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_network_path(_: &Path) -> bool {
    false
}

/// Makes a directory and its parents, readable by their owner only; existing ones stay as they are.
pub(super) fn make_private_dir(dir: &Path) -> io::Result<()> {
    let new: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.exists()).collect();
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    for parent in new.iter().filter_map(|dir| dir.parent()) {
        // What is kept in them is only as durable as they are.
        let _ = File::open(parent).and_then(|parent| parent.sync_all());
    }
    made
}
