//! The directories below `staging/`.
//!
//! Responsible for listing them, each once, without leaving the root, within bounds. Not responsible for the files.

use super::file::{Signature, is_absent};
use crate::store::project::{DEPTH_LIMIT, Project};
use cap_std::fs::MetadataExt;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More files than this are not looked at.
pub(super) const FILE_LIMIT: usize = 1_000_000;

/// Directories of version control and of the executor's lock; nothing in them is a packet.
const SKIPPED: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", ".novel.lock"];

/// A walk in progress.
pub(super) struct Walk<'w> {
    project: &'w Project,
    /// Linked directories, so that none is entered twice.
    entered: HashSet<(u64, u64)>,
    /// Files seen so far.
    pub files: usize,
    /// A bound was met: not everything was looked at.
    pub cut: bool,
    /// Directories that are there as far as is known, but could not be read.
    pub unread: Vec<PathBuf>,
}

/// One directory.
pub(super) struct Listing<'l> {
    pub dir: BorrowedFd<'l>,
    /// Relative to the root.
    pub path: &'l Arc<Path>,
    /// As it was before it was listed.
    pub seen: Signature,
    /// Its `*.json` names, sorted.
    pub names: Vec<Arc<OsStr>>,
}

/// Takes one directory.
pub(super) type Visit<'v> = dyn FnMut(Listing<'_>) + 'v;

impl<'w> Walk<'w> {
    pub(super) fn new(project: &'w Project) -> Walk<'w> {
        Walk { project, entered: HashSet::new(), files: 0, cut: false, unread: Vec::new() }
    }

    /// Visits a directory and everything below it; one that is not there has nothing.
    pub(super) fn visit(&mut self, start: &Path, visit: &mut Visit<'_>) {
        let depth = start.components().count().saturating_sub(1);
        let opened = open(self.project, start);
        self.opened(opened, (start, depth), visit);
    }

    fn opened(&mut self, opened: io::Result<OwnedFd>, (path, depth): (&Path, usize), visit: &mut Visit<'_>) {
        let read = opened.and_then(|fd| self.directory(&fd, path, depth, visit));
        if read.is_err_and(|cause| !is_absent(&cause)) {
            self.unread.push(path.to_path_buf());
        }
    }

    /// Fails before anything was visited, or not at all.
    fn directory(
        &mut self,
        fd: &OwnedFd,
        path: &Path,
        depth: usize,
        visit: &mut Visit<'_>,
    ) -> io::Result<()> {
        let seen = Signature::of(&rustix::fs::fstat(fd)?);
        let mut names: Vec<Arc<OsStr>> = Vec::new();
        let mut below: Vec<(Arc<OsStr>, bool)> = Vec::new();
        for item in rustix::fs::Dir::read_from(fd)? {
            let item = item?;
            let name = OsStr::from_bytes(item.file_name().to_bytes());
            if name == "." || name == ".." || SKIPPED.iter().any(|skipped| name == *skipped) {
                continue;
            }
            match kind(fd.as_fd(), name, item.file_type())? {
                FileType::Directory => below.push((name.into(), false)),
                FileType::Symlink if self.leads_to_directory(path, name) => below.push((name.into(), true)),
                _ if is_json(name) => names.push(name.into()),
                _ => {}
            }
        }
        self.files += names.len();
        if self.files > FILE_LIMIT {
            self.cut = true;
            return Ok(());
        }
        names.sort_unstable();
        below.sort_unstable();
        visit(Listing { dir: fd.as_fd(), path: &Arc::from(path), seen, names });
        for (name, link) in below {
            if depth >= DEPTH_LIMIT {
                self.cut = true;
                return Ok(());
            }
            let inner = path.join(&*name);
            let opened = if link { open(self.project, &inner) } else { open_here(fd.as_fd(), &name) };
            self.opened(opened, (&inner, depth + 1), visit);
        }
        Ok(())
    }

    /// Whether a link leads to a directory inside the root that the walk does not meet anyway.
    fn leads_to_directory(&mut self, folder: &Path, name: &OsStr) -> bool {
        let dir = self.project.dir();
        let path = folder.join(name);
        let looked = dir
            .metadata(&path)
            .and_then(|meta| Ok((meta, dir.canonicalize(&path)?, dir.canonicalize("staging")?)));
        match looked {
            Ok((meta, target, staging)) => {
                meta.is_dir()
                    && target != Path::new(".")
                    && !target.starts_with(&staging)
                    && !staging.starts_with(&target)
                    && self.entered.insert((meta.dev(), meta.ino()))
            }
            Err(cause) => {
                // What cannot be looked at may be a directory, unless its name says otherwise.
                if !is_absent(&cause) && !is_json(name) {
                    self.unread.push(path);
                }
                false
            }
        }
    }
}

/// Whether a file can be a packet by its name. Editors' lock links and the system's shadow files cannot.
pub(super) fn is_json(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.ends_with(b".json") && !bytes.starts_with(b".#") && !bytes.starts_with(b"._")
}

/// Whether a path relative to the root leads through a directory that is never looked into.
pub(super) fn is_skipped(path: &Path) -> bool {
    path.iter().any(|name| SKIPPED.iter().any(|skipped| name == *skipped))
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

const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn open_here(dir: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(dir, name, LIST | OFlags::NOFOLLOW, Mode::empty())?)
}

/// Opens a directory beneath the root for listing; links inside the root are followed.
pub(super) fn open(project: &Project, path: &Path) -> io::Result<OwnedFd> {
    let dir = project.dir().open_dir(path)?;
    // The handle itself is only a path and cannot be listed.
    Ok(rustix::fs::openat(&dir, ".", LIST, Mode::empty())?)
}

/// The part of a path up to and including its first name.
pub(super) fn first(path: &Path) -> PathBuf {
    path.iter().take(1).collect()
}
