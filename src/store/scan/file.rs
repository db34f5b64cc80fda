//! One file below `staging/`: its signature and its bytes.
//!
//! Responsible for noticing that a file has changed without reading it, and for reading it whole, through one handle,
//! without ever waiting and without leaving the root. Not responsible for what is in it (`judge`).

use crate::ask::ProblemKind;
use crate::store::SIZE_LIMIT;
use crate::store::project::Project;
use crate::store::record;
use cap_std::fs::{OpenOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file name in an open directory.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    /// The directory.
    pub dir: BorrowedFd<'p>,
    /// The directory's path relative to the root.
    pub folder: &'p Path,
    /// The file's name.
    pub name: &'p OsStr,
}

/// What tells one state of a file from the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signature {
    /// Equal only while nothing has changed; never 0.
    pub mark: u64,
    /// When the content or the name last changed, as the kernel says; programs cannot set it.
    pub changed: SystemTime,
    /// When the content was last written, as the file says.
    pub modified: SystemTime,
    /// Whether the file system counts whole seconds only.
    pub coarse: bool,
    /// Whether it is a symbolic link.
    pub link: bool,
    /// Size in bytes, of the link itself if it is one.
    pub size: u64,
    /// What it is, as the system encodes it.
    kind: rustix::fs::FileType,
}

/// What came of reading a file.
pub(super) enum Content {
    /// All of it.
    Bytes(Vec<u8>),
    /// Nothing that could be read as a packet, and why.
    Odd(ProblemKind),
    /// It cannot be read just now, and why.
    Unread(ProblemKind),
    /// It changed while it was read.
    Changed,
    /// It is gone.
    Gone,
}

const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The signature of what has this name; links are looked at and looked through.
pub(super) fn signature(dir: BorrowedFd<'_>, path: impl AsRef<Path>) -> rustix::io::Result<Signature> {
    let path = path.as_ref();
    let mut own = Signature::of(&rustix::fs::statat(dir, path, AtFlags::SYMLINK_NOFOLLOW)?);
    if own.link {
        let mut hasher = DefaultHasher::new();
        own.mark.hash(&mut hasher);
        match rustix::fs::statat(dir, path, AtFlags::empty()).map(|stat| Signature::of(&stat)) {
            Ok(target) => {
                target.mark.hash(&mut hasher);
                own = Signature { mark: 0, link: true, ..target };
            }
            Err(errno) => errno.raw_os_error().hash(&mut hasher),
        }
        own.mark = hasher.finish().max(1);
    }
    Ok(own)
}

/// The mark of what lies at a path, whatever it is and even if nothing is there.
pub(super) fn mark(dir: BorrowedFd<'_>, path: impl AsRef<Path>) -> u64 {
    mark_of(&signature(dir, path))
}

/// The mark of what a path leads to, links followed; 0 if nothing is there.
pub(super) fn mark_through(dir: BorrowedFd<'_>, path: &Path) -> u64 {
    rustix::fs::statat(dir, path, AtFlags::empty()).map_or(0, |stat| Signature::of(&stat).mark)
}

/// The mark that belongs to a look.
pub(super) fn mark_of(seen: &rustix::io::Result<Signature>) -> u64 {
    match seen {
        Ok(seen) => seen.mark,
        Err(errno) => u64::from(errno.raw_os_error().unsigned_abs()).max(1),
    }
}

impl Signature {
    #[expect(clippy::useless_conversion, reason = "the widths of these fields differ between systems")]
    pub(super) fn of(stat: &Stat) -> Signature {
        let (modified, changed) =
            ((i64::from(stat.st_mtime), stat.st_mtime_nsec), (i64::from(stat.st_ctime), stat.st_ctime_nsec));
        let mut hasher = DefaultHasher::new();
        (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mode, modified, changed).hash(&mut hasher);
        let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
        Signature {
            mark: hasher.finish().max(1),
            changed: time(changed.0, u64::try_from(changed.1).unwrap_or(0)),
            modified: time(modified.0, u64::try_from(modified.1).unwrap_or(0)),
            coarse: modified.1 == 0 && changed.1 == 0,
            link: kind == rustix::fs::FileType::Symlink,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            kind,
        }
    }

    /// Whether the file was written so shortly before `now` that another write may leave the same signature.
    pub(super) fn is_fresh(&self, now: SystemTime) -> bool {
        let window = if self.coarse { Duration::from_secs(2) } else { Duration::from_millis(20) };
        match now.duration_since(self.changed) {
            Ok(age) => age < window,
            Err(ahead) => ahead.duration() < window,
        }
    }
}

fn time(seconds: i64, nanos: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    base.and_then(|base| base.checked_add(Duration::from_nanos(nanos))).unwrap_or(UNIX_EPOCH)
}

/// Reads the file that had this signature a moment ago.
pub(super) fn read(project: &Project, place: Place<'_>, before: &Signature) -> Content {
    if before.link {
        return read_link(project, place);
    }
    if let Some(kind) = odd(before.kind) {
        return Content::Odd(ProblemKind::NotAFile(kind));
    }
    if before.size > SIZE_LIMIT {
        return Content::Odd(ProblemKind::TooLarge(before.size));
    }
    let opened = rustix::fs::openat(place.dir, place.name, READ, Mode::empty());
    match opened.map_err(io::Error::from).and_then(|fd| read_same(File::from(fd), before)) {
        Ok(content) => content,
        Err(cause) => fault(&cause),
    }
}

fn fault(cause: &io::Error) -> Content {
    match cause.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(rustix::io::Errno::NOENT) => Content::Gone,
        // It was a file a moment ago.
        Some(rustix::io::Errno::LOOP) => Content::Changed,
        _ => Content::Unread(unreadable(cause)),
    }
}

fn unreadable(cause: &io::Error) -> ProblemKind {
    record::unreadable(&crate::error::io_cause(cause))
}

/// Whether nothing is there, or nothing of this project. Every other failure says nothing about what is there.
pub(super) fn is_absent(cause: &io::Error) -> bool {
    match cause.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
        Some(errno) => {
            matches!(errno, rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP)
        }
        // Only cap-std itself refuses without a number: the path leads out.
        None => matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied),
    }
}

/// Reads an open file if it has, before and after, the signature it is expected to have.
pub(super) fn read_same(mut file: File, before: &Signature) -> io::Result<Content> {
    let mut bytes = vec![0; usize::try_from(before.size).unwrap_or(0)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => return Ok(Content::Changed),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let after = Signature::of(&rustix::fs::fstat(&file)?);
    Ok(if after.mark == before.mark { Content::Bytes(bytes) } else { Content::Changed })
}

/// Reads through a link that stays inside the root.
fn read_link(project: &Project, place: Place<'_>) -> Content {
    let path = place.folder.join(place.name);
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(i32::try_from(OFlags::NONBLOCK.union(OFlags::NOCTTY).bits()).unwrap_or(0));
    let file = match project.dir().open_with(&path, &options) {
        Ok(file) => file.into_std(),
        // Only cap-std itself gives this error without a number: the link leads out.
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied && cause.raw_os_error().is_none() => {
            let shown = path.to_string_lossy().into_owned();
            return Content::Odd(ProblemKind::PathOutside(shown.into()));
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Content::Gone,
        Err(cause) if is_absent(&cause) => return Content::Odd(unreadable(&cause)),
        Err(cause) => return Content::Unread(unreadable(&cause)),
    };
    let Ok(stat) = rustix::fs::fstat(&file) else { return Content::Changed };
    let before = Signature::of(&stat);
    if let Some(kind) = odd(before.kind) {
        return Content::Odd(ProblemKind::NotAFile(kind));
    }
    if before.size > SIZE_LIMIT {
        return Content::Odd(ProblemKind::TooLarge(before.size));
    }
    read_same(file, &before).unwrap_or_else(|cause| fault(&cause))
}

fn odd(kind: rustix::fs::FileType) -> Option<&'static str> {
    use rustix::fs::FileType as F;
    match kind {
        F::RegularFile => None,
        F::Directory => Some("directory"),
        F::Fifo => Some("fifo"),
        F::Socket => Some("socket"),
        F::CharacterDevice | F::BlockDevice => Some("device"),
        _ => Some("other"),
    }
}

/// What the short way to a record found.
pub(super) enum Direct {
    /// All of it, and when it was written.
    Bytes(Vec<u8>, SystemTime),
    /// Nothing is there, and no link was on the way.
    Missing,
    /// The long way must decide.
    Unsure,
}

/// Reads a record whose path has no link in it, beneath the root and in one step.
#[cfg(target_os = "linux")]
pub(super) fn read_beneath(project: &Project, path: &str) -> Direct {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = match rustix::fs::openat2(project.dir().as_fd(), path, READ, Mode::empty(), resolve) {
        Ok(fd) => File::from(fd),
        Err(rustix::io::Errno::NOENT) => return Direct::Missing,
        Err(_) => return Direct::Unsure,
    };
    let Ok(stat) = rustix::fs::fstat(&file) else { return Direct::Unsure };
    let before = Signature::of(&stat);
    if odd(before.kind).is_some() || before.size > SIZE_LIMIT {
        return Direct::Unsure;
    }
    match read_same(file, &before) {
        Ok(Content::Bytes(bytes)) => Direct::Bytes(bytes, before.modified),
        _ => Direct::Unsure,
    }
}

/// Elsewhere the long way is the only one.
#[cfg(not(target_os = "linux"))]
pub(super) fn read_beneath(_: &Project, _: &str) -> Direct {
    Direct::Unsure
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

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
