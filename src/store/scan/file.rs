//! Noticing that a file has changed without reading it, and reading it whole, without ever waiting and without leaving the
//! root.

use crate::ask::JsString;
use crate::error::io_cause;
use crate::store::file::{
    Read, not_a_file, open_anywhere, open_beneath, outside, read_open, special_kind, unreadable,
};
use crate::store::project::Project;
use rustix::fs::{AtFlags, FileType, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What differs between one state of a file and the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    /// Equal only while nothing has changed, links on the way to the file included; never 0.
    pub(super) mark: u64,
    /// When the content or the name last changed, as the kernel says; programs cannot set it.
    pub(super) changed: SystemTime,
    /// When the content was last written, as the file says.
    pub(super) modified: SystemTime,
    pub(super) is_link: bool,
    /// It has other names, by which it may be written to.
    pub(super) is_shared: bool,
    pub(super) id: (u64, u64),
    /// Whether the file system counts whole seconds only.
    is_coarse: bool,
    pub(super) kind: FileType,
}

#[cfg(test)]
thread_local! {
    /// How many names this thread has looked at.
    pub(super) static SIGNED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The signature of what has this name, relative to the root or absolute; links are looked at and looked through.
pub(super) fn signature(project: &Project, path: impl AsRef<Path>) -> rustix::io::Result<Signature> {
    let path = path.as_ref();
    #[cfg(test)]
    SIGNED.set(SIGNED.get() + 1);
    let own = Signature::of(&rustix::fs::statat(project.dir(), path, AtFlags::SYMLINK_NOFOLLOW)?);
    if own.kind != FileType::Symlink {
        return Ok(own);
    }
    let target = signature_through(project, path);
    let mut hasher = DefaultHasher::new();
    (own.mark, mark_of(&target)).hash(&mut hasher);
    Ok(Signature { mark: hasher.finish().max(1), is_link: true, ..target.unwrap_or(own) })
}

/// The signature of what lies at an answer path. One that ends with a dot names a file all the same, as it does for the executor.
pub(super) fn record_signature(project: &Project, answer_path: &JsString) -> rustix::io::Result<Signature> {
    signature(project, answer_path.lossy().trim_end_matches("/."))
}

/// The signature of what a path leads to, links followed.
pub(super) fn signature_through(project: &Project, path: &Path) -> rustix::io::Result<Signature> {
    Ok(Signature::of(&rustix::fs::statat(project.dir(), path, AtFlags::empty())?))
}

/// The mark that belongs to a look, whatever it found; never 0.
pub(super) fn mark_of(seen: &rustix::io::Result<Signature>) -> u64 {
    match seen {
        Ok(seen) => seen.mark,
        Err(errno) => u64::from(errno.raw_os_error().unsigned_abs()).max(1),
    }
}

impl Signature {
    #[expect(clippy::useless_conversion, reason = "the widths of these fields differ between systems")]
    fn of(stat: &Stat) -> Signature {
        let (modified, changed) =
            ((i64::from(stat.st_mtime), stat.st_mtime_nsec), (i64::from(stat.st_ctime), stat.st_ctime_nsec));
        let id = (u64::from(stat.st_dev), u64::from(stat.st_ino));
        let mut hasher = DefaultHasher::new();
        (id, stat.st_size, stat.st_mode, modified, changed).hash(&mut hasher);
        Signature {
            mark: hasher.finish().max(1),
            changed: time(changed.0, u64::try_from(changed.1).unwrap_or(0)),
            modified: time(modified.0, u64::try_from(modified.1).unwrap_or(0)),
            is_link: false,
            is_shared: stat.st_nlink > 1,
            id,
            is_coarse: modified.1 == 0 && changed.1 == 0,
            kind: FileType::from_raw_mode(stat.st_mode),
        }
    }

    /// If it was written so shortly before `now` that another write may leave the same signature: for how long that is so.
    pub(super) fn fresh_for(&self, now: SystemTime) -> Option<Duration> {
        let window = if self.is_coarse { Duration::from_secs(2) } else { Duration::from_millis(25) };
        let apart = now.duration_since(self.changed).unwrap_or_else(|ahead| ahead.duration());
        (apart < window).then_some(window)
    }
}

fn time(seconds: i64, nanos: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    base.and_then(|base| base.checked_add(Duration::from_nanos(nanos))).unwrap_or(UNIX_EPOCH)
}

/// Reads the file that had this signature a moment ago: beneath the root, or anywhere if its path is absolute.
pub(super) fn read(project: &Project, path: &Path, seen: &Signature) -> io::Result<Read> {
    // What a link leads to is seen when it is opened.
    if seen.kind != FileType::Symlink
        && let Some(kind) = special_kind(seen.kind)
    {
        return Ok(Read::Odd(not_a_file(kind), None));
    }
    let opened = if path.is_absolute() { open_anywhere(path) } else { open_beneath(project.dir(), path) };
    opened.and_then(read_open).or_else(|cause| match errno(&cause) {
        Some(Errno::LOOP) => Ok(Read::Odd(unreadable(&io_cause(&cause)), None)),
        None if leads_out(&cause) => Ok(Read::Odd(outside(&(&*path.to_string_lossy()).into()), None)),
        _ => Err(cause),
    })
}

/// Why a file cannot be read at this moment, if that says nothing about it: the device fails, or this process has too many files
/// open.
pub(super) fn failure(project: &Project, path: &Path) -> Option<io::Error> {
    let seen = signature(project, path).map_err(io::Error::from);
    let cause = seen.and_then(|seen| read(project, path, &seen)).err()?;
    (!is_absent(&cause) && !is_closed(&cause)).then_some(cause)
}

/// Whether nothing is there, or nothing of this project. Every other failure says nothing about what is there.
pub(super) fn is_absent(cause: &io::Error) -> bool {
    match errno(cause) {
        Some(errno) => matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP),
        None => cause.kind() == io::ErrorKind::NotFound || leads_out(cause),
    }
}

/// Whether it may not be read.
pub(super) fn is_closed(cause: &io::Error) -> bool {
    matches!(errno(cause), Some(Errno::ACCESS | Errno::PERM))
}

/// Only cap-std itself refuses without a number: the path leads out.
fn leads_out(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::PermissionDenied && errno(cause).is_none()
}

fn errno(cause: &io::Error) -> Option<Errno> {
    cause.raw_os_error().map(Errno::from_raw_os_error)
}

/// Whether a file can be a packet by its name. Editors' lock links and the system's shadow files cannot.
pub(in crate::store) fn is_json(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.ends_with(b".json") && !bytes.starts_with(b".#") && !bytes.starts_with(b"._")
}

/// The last name of a path that ends with a name; `Path::file_name` looks at all of them.
pub(super) fn name_of(path: &Path) -> &OsStr {
    let bytes = path.as_os_str().as_bytes();
    OsStr::from_bytes(bytes.rsplit(|&byte| byte == b'/').next().unwrap_or(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_there_is_absent() {
        for errno in [Errno::NOENT, Errno::NOTDIR, Errno::LOOP] {
            assert!(is_absent(&errno.into()), "{errno}");
        }
        assert!(is_absent(&io::ErrorKind::PermissionDenied.into()), "outside the root");
        for errno in [Errno::ACCESS, Errno::MFILE, Errno::NFILE, Errno::IO, Errno::NOMEM, Errno::STALE] {
            assert!(!is_absent(&errno.into()), "{errno}");
        }
    }
}
