//! Names in directories: listing, making, giving and taking them. Nothing here follows a link in the last place.

use super::files::{READ, kind, sync};
use crate::platform::facts::FileKind;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, CWD, DirEntry, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

pub fn make_dir(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::mkdirat(dir, name, Mode::from_raw_mode(0o777))?)
}

/// Makes a directory and its parents, readable by their owner only; existing ones stay as they are.
pub fn make_private_dirs(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Makes a file for writing, unless its name is taken.
pub fn create(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(dir, name, flags, Mode::from_raw_mode(0o666))?))
}

/// Opens a file for reading without ever waiting for a writer.
pub fn open_in(dir: &Dir, name: &OsStr) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(dir, name, READ | OFlags::NOFOLLOW, Mode::empty())?))
}

/// Renames unless the new name is taken.
pub fn rename_new(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE)?)
}

/// Renames, whatever is there.
pub fn rename(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat(dir, from, dir, to)?)
}

/// Swaps two files in one step.
pub fn exchange(dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE)?)
}

/// Gives a file a second name unless that is taken.
pub fn link(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::linkat(dir, from, dir, to, AtFlags::empty())?)
}

pub fn unlink(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::empty())?)
}

/// Brings a directory's names to the disk.
pub fn sync_dir(dir: &Dir) -> io::Result<()> {
    sync(&open_to_list(dir)?)
}

/// The same of a directory by its path.
pub fn sync_dir_at(dir: &Path) -> io::Result<()> {
    sync(&File::open(dir)?)
}

/// Another handle of a directory: the one that is given is only a path (`O_PATH`), and can be neither listed nor synced.
pub fn open_to_list(dir: &Dir) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(dir, ".", LIST, Mode::empty())?))
}

/// A name in a directory.
pub struct Listed<'d> {
    dir: &'d File,
    entry: DirEntry,
}

impl Listed<'_> {
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.entry.file_name().to_bytes())
    }

    /// What has this name; `None` if it is gone again.
    pub fn kind(&self) -> io::Result<Option<FileKind>> {
        let listed = match self.entry.file_type() {
            FileType::Unknown => {
                match rustix::fs::statat(self.dir, self.entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => return Ok(None),
                    Err(errno) => return Err(errno.into()),
                }
            }
            listed => listed,
        };
        Ok(Some(kind(listed)))
    }
}

fn is_own(name: &OsStr) -> bool {
    name == "." || name == ".."
}

/// The names in an open directory.
pub fn list(dir: &File) -> io::Result<impl Iterator<Item = io::Result<Listed<'_>>>> {
    let entries = rustix::fs::Dir::read_from(dir)?;
    let listed = entries.map(move |entry| Ok(Listed { dir, entry: entry? }));
    Ok(listed.filter(|listed| listed.as_ref().map_or(true, |listed| !is_own(listed.name()))))
}

/// The names in a directory. Not by `std::fs::read_dir`, which panics where closing the directory fails.
pub fn names_in(dir: &Path) -> io::Result<impl Iterator<Item = io::Result<OsString>> + use<>> {
    let entries = rustix::fs::Dir::new(rustix::fs::openat(CWD, dir, LIST, Mode::empty())?)?;
    let names = entries.map(|entry| Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned()));
    Ok(names.filter(|name| name.as_ref().map_or(true, |name| !is_own(name))))
}
