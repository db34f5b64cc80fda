//! What is in a directory below `staging/`: files that may be packets, and directories.

use super::file::is_absent;
use crate::store::project::Project;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Directories of version control and of the executor's lock; nothing in them is a packet.
const SKIPPED: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", ".novel.lock"];

/// The names in a directory, each list sorted.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// `*.json`.
    pub(super) files: Vec<OsString>,
    pub(super) directories: Vec<OsString>,
    /// Links to directories inside the root that are not met anyway.
    pub(super) links: Vec<OsString>,
}

/// Lists a directory, without leaving the root; links inside it are followed.
pub(super) fn list(project: &Project, path: &Path) -> io::Result<Listing> {
    const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    // The handle is only a path and cannot be listed itself.
    let fd = rustix::fs::openat(project.dir().open_dir(path)?, ".", LIST, Mode::empty())?;
    let mut listing = Listing::default();
    for item in rustix::fs::Dir::read_from(&fd)? {
        let item = item?;
        let name = OsStr::from_bytes(item.file_name().to_bytes());
        if name == "." || name == ".." || SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        match kind(fd.as_fd(), name, item.file_type())? {
            FileType::Directory => listing.directories.push(name.into()),
            FileType::Symlink if leads_to_directory(project, &path.join(name)) => {
                listing.links.push(name.into());
            }
            _ if is_json(name) => listing.files.push(name.into()),
            _ => {}
        }
    }
    listing.files.sort_unstable();
    listing.directories.sort_unstable();
    listing.links.sort_unstable();
    Ok(listing)
}

fn kind(dir: BorrowedFd<'_>, name: &OsStr, listed: FileType) -> io::Result<FileType> {
    if listed != FileType::Unknown {
        return Ok(listed);
    }
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(FileType::from_raw_mode(stat.st_mode)),
        // It is gone again.
        Err(Errno::NOENT) => Ok(FileType::Unknown),
        Err(errno) => Err(errno.into()),
    }
}

/// Whether a link leads to a directory inside the root that is not met anyway, as far as can be seen.
fn leads_to_directory(project: &Project, path: &Path) -> bool {
    let dir = project.dir();
    let looked =
        dir.metadata(path).and_then(|meta| Ok((meta, dir.canonicalize(path)?, dir.canonicalize("staging")?)));
    match looked {
        Ok((meta, target, staging)) => {
            let is_met =
                target.starts_with(&staging) || staging.starts_with(&target) || target == Path::new(".");
            meta.is_dir() && !is_met
        }
        // What cannot be looked at may be a directory, unless its name says otherwise.
        Err(cause) => !is_absent(&cause) && !path.file_name().is_some_and(is_json),
    }
}

/// Whether a file can be a packet by its name. Editors' lock links and the system's shadow files cannot.
fn is_json(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.ends_with(b".json") && !bytes.starts_with(b".#") && !bytes.starts_with(b"._")
}
