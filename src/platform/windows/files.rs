//! Opening files and looking at them.

use crate::platform::cause::Failure;
use crate::platform::facts::{Facts, FileKind};
use cap_fs_ext::MetadataExt as _;
use cap_std::fs::{Dir, FileType, MetadataExt as _};
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf, Prefix};
use std::thread;
use std::time::Duration;

/// To open a directory as well, and to open a link itself.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// The attribute of what is a link, or is otherwise more than it seems.
const REPARSE_POINT: u32 = 0x0400;
/// To read and to write all of a file.
const GENERIC_READ: u32 = 0x8000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;
/// The numbers of a file that another program has for itself, or a part of it.
const HELD: [i32; 2] = [32, 33];
/// A scanner of viruses has a file for itself for a moment, often just after it was written: so often it is tried again, so long
/// apart.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);
/// From 1601, where the system's times begin, to 1970, in seconds.
const TO_1970: i64 = 11_644_473_600;
/// The system counts times in steps of 100 nanoseconds.
const STEPS: u64 = 10_000_000;

/// Whether events name files as they were asked for; elsewhere a name may be reported in another spelling.
pub const EVENTS_SPELL_NAMES_AS_ASKED: bool = false;

/// Whether a directory is watched with all that is below it. One that is watched by itself could not be renamed here, nor those above it.
pub const WATCHES_TREES: bool = true;

/// Whether nobody else can read a file while it is locked.
pub const LOCKS_BAR_READING: bool = true;

/// Has a file opened to be read, locked, and added to. What may only be added to can be neither locked nor cut.
pub fn to_append(options: &mut OpenOptions) -> &mut OpenOptions {
    options.append(true).access_mode(GENERIC_READ | GENERIC_WRITE)
}

/// Opens a file for reading. That a directory is none is said as everywhere: Windows calls it a lack of permission.
pub fn open_read(path: &Path) -> io::Result<File> {
    patient(&[], || File::open(path)).map_err(|cause| match cause.kind() {
        io::ErrorKind::PermissionDenied if path.is_dir() => io::ErrorKind::IsADirectory.into(),
        _ => cause,
    })
}

/// The same, but no link in the last place is followed.
pub fn open_read_unlinked(path: &Path) -> io::Result<File> {
    whole(OpenOptions::new().read(true).custom_flags(OPEN_REPARSE_POINT).open(path)?, || open_read(path))
}

/// A file that was opened without following a link, if it is none. One whose content is still elsewhere, as OneDrive's, is opened
/// anew as everybody opens it, so that it is fetched.
pub(super) fn whole(file: File, again: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
    let meta = file.metadata()?;
    match meta.file_attributes() & REPARSE_POINT {
        0 => Ok(file),
        _ if meta.is_symlink() => Err(Failure::LINK_LOOP.into()),
        _ => again(),
    }
}

/// Opens a file beneath a directory; links inside are followed, none leads out.
pub fn open_beneath(dir: &Dir, path: &Path) -> io::Result<File> {
    Ok(patient(&[], || dir.open(path))?.into_std())
}

/// Tries again for a moment what fails because another program has a file for itself, or with one of these numbers.
pub(super) fn patient<T>(others: &[i32], call: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..TRIES {
        match call() {
            Err(cause) if cause.raw_os_error().is_some_and(|n| HELD.contains(&n) || others.contains(&n)) => {
                thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
    call()
}

/// There is no such step.
pub fn open_plain_beneath(_: &Dir, _: &str) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Brings what is open to the disk.
pub fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// What has this name in a directory, or lies at an absolute path; a link itself.
pub fn look(dir: &Dir, path: &Path) -> Result<Facts, Failure> {
    if path.is_absolute() {
        return Ok(look_by(path, BACKUP_SEMANTICS | OPEN_REPARSE_POINT)?);
    }
    Ok(Facts::from(&dir.symlink_metadata(path)?))
}

/// What a path leads to, links followed.
pub fn look_through(dir: &Dir, path: &Path) -> Result<Facts, Failure> {
    if path.is_absolute() { Ok(look_at(path)?) } else { Ok(Facts::from(&dir.metadata(path)?)) }
}

/// What lies at a path of this process, links followed.
pub fn look_at(path: &Path) -> io::Result<Facts> {
    look_by(path, BACKUP_SEMANTICS)
}

/// Asks for no right to read: a file can be looked at whoever has it open.
fn look_by(path: &Path, flags: u32) -> io::Result<Facts> {
    Ok(look_at_open(&OpenOptions::new().access_mode(0).custom_flags(flags).open(path)?)?)
}

/// What is open, whatever has its name by now.
pub fn look_at_open(file: &File) -> Result<Facts, Failure> {
    Ok(Facts::from(&cap_std::fs::Metadata::from_file(file)?))
}

pub fn kind_of(meta: &Metadata) -> FileKind {
    match meta.file_type() {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_file() => FileKind::File,
        _ => FileKind::Unknown,
    }
}

pub(super) fn kind(kind: FileType) -> FileKind {
    match kind {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_file() => FileKind::File,
        _ => FileKind::Unknown,
    }
}

impl From<&cap_std::fs::Metadata> for Facts {
    /// No time of Windows is out of every program's reach: the last writing stands for the last change.
    fn from(meta: &cap_std::fs::Metadata) -> Facts {
        let modified = time(meta.last_write_time());
        Facts {
            id: (meta.dev(), meta.ino()),
            size: meta.file_size(),
            kind: kind(meta.file_type()),
            mode: meta.file_attributes(),
            links: meta.nlink(),
            modified,
            changed: modified,
        }
    }
}

fn time(steps: u64) -> (i64, u64) {
    let seconds = i64::try_from(steps / STEPS).unwrap_or_default() - TO_1970;
    (seconds, steps % STEPS * (1_000_000_000 / STEPS))
}

/// Whether nothing can be made in a directory: permissions here tell it only to who tries, and so the trial says it.
pub fn is_barred(_: &Path) -> bool {
    false
}

/// Whether a shell would run a file.
pub fn is_program(file: &Path) -> bool {
    let ending = file.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    file.is_file() && ending.is_some_and(|ending| ["exe", "cmd", "bat", "com"].contains(&&*ending))
}

/// Whether a path is one that a shell passes for something that it has opened: no shell does.
pub fn is_passed_by_shell(_: &Path) -> bool {
    false
}

/// Files have the permissions of the directory in which they are made.
pub fn make_private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The system's temporary directory is already its user's only.
pub fn private_dir<'o, 'a, 'b>(
    options: &'o mut tempfile::Builder<'a, 'b>,
) -> &'o mut tempfile::Builder<'a, 'b> {
    options
}

/// Whether it is a file, in a place that is its user's only.
pub fn is_private(meta: &Metadata) -> bool {
    meta.is_file()
}

/// A directory that lies in memory, if there is one.
pub fn memory_dir() -> Option<PathBuf> {
    None
}

/// Whether a path lies on a file system of another machine; a letter may stand for one all the same.
pub fn is_network_path(path: &Path) -> bool {
    matches!(path.components().next(), Some(Component::Prefix(prefix))
        if matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)))
}

/// The bytes of a name: UTF-8 wherever it is text, so they can be hashed.
pub fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// The last name of a path that ends with a name.
pub fn last_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or(path.as_os_str())
}
