//! Opening files and looking at them.

use crate::platform::cause::{Cause, Failure};
use crate::platform::facts::{Facts, FileKind};
use cap_std::fs::{Dir, MetadataExt as _, OpenOptionsExt as _};
use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, RawMode, Stat};
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// For reading, without ever waiting for a writer.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Whether events name files as they were asked for; elsewhere a name may be reported in another spelling.
pub const EVENTS_SPELL_NAMES_AS_ASKED: bool = cfg!(target_os = "linux");

/// Whether a directory is watched with all that is below it. Watching one directory more would start the watcher of macOS anew.
pub const WATCHES_TREES: bool = cfg!(target_os = "macos");

/// Whether nobody else can read a file while it is locked.
pub const LOCKS_BAR_READING: bool = false;

/// Has a file opened to be read, locked, and added to.
pub fn to_append(options: &mut OpenOptions) -> &mut OpenOptions {
    options.read(true).append(true)
}

/// Opens a file for reading, without ever waiting for a writer.
pub fn open_read(path: &Path) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(CWD, path, READ, Mode::empty())?))
}

/// The same, but no link in the last place is followed.
pub fn open_read_unlinked(path: &Path) -> io::Result<File> {
    Ok(File::from(rustix::fs::openat(CWD, path, READ | OFlags::NOFOLLOW, Mode::empty())?))
}

/// Opens a file beneath a directory; links inside are followed, none leads out.
pub fn open_beneath(dir: &Dir, path: &Path) -> io::Result<File> {
    let mut options = cap_std::fs::OpenOptions::new();
    let flags = OFlags::NONBLOCK.union(OFlags::NOCTTY).bits();
    options.read(true).custom_flags(i32::try_from(flags).unwrap_or(0));
    Ok(dir.open_with(path, &options)?.into_std())
}

/// Opens a file beneath a directory in one step, if no link is on the way.
#[cfg(target_os = "linux")]
pub fn open_plain_beneath(dir: &Dir, path: &str) -> io::Result<File> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    Ok(File::from(openat2(dir, path, READ, Mode::empty(), resolve)?))
}

/// Elsewhere there is no such step.
#[cfg(not(target_os = "linux"))]
pub fn open_plain_beneath(_: &Dir, _: &str) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Brings what is open to the disk. On macOS the standard library has the disk empty its own memory too, which not every file
/// system can.
pub fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(cause) if matches!(Cause::of(&cause), Some(Cause::Unsupported | Cause::Invalid)) => {
            Ok(rustix::fs::fsync(file)?)
        }
        synced => synced,
    }
}

/// What has this name in a directory, or lies at an absolute path; a link itself.
pub fn look(dir: &Dir, path: &Path) -> Result<Facts, Failure> {
    Ok(Facts::from(&rustix::fs::statat(dir, path, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// What a path leads to, links followed.
pub fn look_through(dir: &Dir, path: &Path) -> Result<Facts, Failure> {
    Ok(Facts::from(&rustix::fs::statat(dir, path, AtFlags::empty())?))
}

/// What lies at a path of this process, links followed.
pub fn look_at(path: &Path) -> io::Result<Facts> {
    Ok(Facts::from(&rustix::fs::stat(path)?))
}

/// What is open, whatever has its name by now.
pub fn look_at_open(file: &File) -> Result<Facts, Failure> {
    Ok(Facts::from(&rustix::fs::fstat(file)?))
}

pub fn kind_of(meta: &Metadata) -> FileKind {
    kind(FileType::from_raw_mode(meta.mode() as RawMode))
}

pub(super) fn kind(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Unknown => FileKind::Unknown,
    }
}

impl From<&cap_std::fs::Metadata> for Facts {
    fn from(meta: &cap_std::fs::Metadata) -> Facts {
        Facts {
            id: (meta.dev(), meta.ino()),
            size: meta.size(),
            kind: kind(FileType::from_raw_mode(meta.mode() as RawMode)),
            mode: meta.mode(),
            links: meta.nlink(),
            modified: (meta.mtime(), nanos(meta.mtime_nsec())),
            changed: (meta.ctime(), nanos(meta.ctime_nsec())),
        }
    }
}

fn nanos(nanos: i64) -> u64 {
    u64::try_from(nanos).unwrap_or(0)
}

impl From<&Stat> for Facts {
    #[allow(clippy::useless_conversion, reason = "the widths of these fields differ between systems")]
    #[allow(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "as the standard library counts devices"
    )]
    fn from(stat: &Stat) -> Facts {
        Facts {
            id: (stat.st_dev as u64, u64::from(stat.st_ino)),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            kind: kind(FileType::from_raw_mode(stat.st_mode)),
            mode: u32::from(stat.st_mode),
            links: u64::from(stat.st_nlink),
            modified: (i64::from(stat.st_mtime), u64::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            changed: (i64::from(stat.st_ctime), u64::try_from(stat.st_ctime_nsec).unwrap_or(0)),
        }
    }
}

/// Whether nothing can be made in a directory, for want of permission.
pub fn is_barred(dir: &Path) -> bool {
    use rustix::io::Errno;
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    let may = rustix::fs::accessat(CWD, dir, wanted, AtFlags::EACCESS);
    matches!(may, Err(Errno::ACCESS | Errno::ROFS | Errno::PERM))
}

/// Whether a shell would run a file.
pub fn is_program(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, Access::EXEC_OK).is_ok()
}

/// Whether a path is one that a shell passes for something that it has opened, as with `<(…)`.
pub fn is_passed_by_shell(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc"].iter().any(|root| path.starts_with(root))
}

/// Makes files that are opened so readable by their owner only, if they are made.
pub fn make_private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Makes a temporary directory one that only its owner may enter.
pub fn private_dir<'o, 'a, 'b>(
    options: &'o mut tempfile::Builder<'a, 'b>,
) -> &'o mut tempfile::Builder<'a, 'b> {
    options.permissions(Permissions::from_mode(0o700))
}

/// Whether only this user can have written a file and can read it, and it has no other name.
pub fn is_private(meta: &Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    meta.uid() == user && meta.mode() & 0o777 == 0o600 && meta.nlink() == 1
}

/// A directory that lies in memory, if there is one: there is room in it when a disk is full.
pub fn memory_dir() -> Option<PathBuf> {
    Some(PathBuf::from("/dev/shm"))
}

/// Whether a path lies on a file system of another machine.
#[cfg(target_os = "linux")]
pub fn is_network_path(path: &Path) -> bool {
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
pub fn is_network_path(_: &Path) -> bool {
    false
}

/// The bytes of a name, as they are on the disk: the same for ever, so they can be hashed.
pub fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_bytes()
}

/// The last name of a path that ends with a name; `Path::file_name` looks at all of them.
pub fn last_name(path: &Path) -> &OsStr {
    let bytes = path.as_os_str().as_bytes();
    OsStr::from_bytes(bytes.rsplit(|&byte| byte == b'/').next().unwrap_or(bytes))
}
