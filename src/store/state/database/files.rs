//! The files of the database: the one with the tables, the log beside it and the memory that connections share, and the
//! lock of whoever begins or sets aside.

use super::fault::Fault;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::file::special_file_kind;
use crate::text::say;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

#[expect(clippy::cast_possible_wrap, reason = "a flag of a few bits")]
const NONBLOCK: i32 = OFlags::NONBLOCK.bits() as i32;

#[derive(Clone, Debug)]
pub(super) struct Files {
    /// Of the file with the tables.
    pub(super) path: PathBuf,
}

/// Device, inode and length.
type Id = (u64, u64, u64);

/// What a connection has found: its own file, the log and the shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen([Option<Id>; 3]);

/// What has become of the files behind a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Same,
    /// The log is shorter, as it is after its content was erased.
    Cut,
    /// The log is gone; only the connection still has it.
    LogGone,
    /// The files were removed, replaced or cut off.
    Other,
}

impl Files {
    /// The path with something behind it.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    pub(super) fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether there is a file. A pipe would be waited for, there or beside it.
    pub(super) fn is_there(&self, writing: bool) -> Result<bool, Fault> {
        match fs::metadata(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
            Ok(meta) if !meta.is_file() => Err(special_file(&self.path, &meta)),
            Ok(_) => Ok(true),
            // A directory is made below what is in the way, or it is said why it cannot be.
            Err(_) if writing => Ok(false),
            Err(cause) => Err(cause.into()),
        }
    }

    pub(super) fn refuse_special(&self) -> Result<(), Fault> {
        for ending in ["-journal", "-wal", "-shm"] {
            let beside = self.beside(ending);
            if let Some(meta) = fs::metadata(&beside).ok().filter(|meta| !meta.is_file()) {
                return Err(special_file(&beside, &meta));
            }
        }
        Ok(())
    }

    /// Whether commits are in the log that are not in the file yet.
    pub(super) fn has_log(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|meta| meta.len() > 0)
    }

    pub(super) fn see(&self) -> Seen {
        let id = |path: PathBuf| {
            let meta = fs::metadata(path).ok()?;
            Some((meta.dev(), meta.ino(), meta.len()))
        };
        Seen(["", "-wal", "-shm"].map(|ending| id(self.beside(ending))))
    }

    /// Making the tables and setting a file aside is done by one process at a time. Where there are no locks, it goes on
    /// without.
    pub(super) fn turn(&self) -> Option<File> {
        let mut options = OpenOptions::new();
        // A pipe in its place would be waited for.
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(NONBLOCK);
        let file = options.open(self.path.with_extension("lock")).ok()?;
        file.lock().ok()?;
        Some(file)
    }

    /// Notes that there are tables now: a file of no length is no new one from then on.
    pub(super) fn mark_begun(&self) {
        if !self.is_begun()
            && let Some(mut file) = self.turn()
        {
            // Without the mark it is not noticed that everything is gone.
            let _ = file.write_all(b"1\n");
        }
    }

    /// Makes the file, unless another process has by now.
    pub(super) fn make(&self) -> io::Result<()> {
        let turn = self.turn();
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(|_| unmark(turn.as_ref())),
        }
    }

    fn is_begun(&self) -> bool {
        fs::metadata(self.path.with_extension("lock")).is_ok_and(|meta| meta.len() > 0)
    }

    /// Whether nothing is in the file though something was.
    pub(super) fn is_emptied(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() == 0) && (self.has_log() || self.is_begun())
    }
}

/// Takes back that there are tables, with the turn: the file that had them is not at its path any more, and a new one is none
/// that was emptied.
pub(super) fn unmark(turn: Option<&File>) {
    // Where that fails, a new file is set aside once.
    let _ = turn.map(|turn| turn.set_len(0));
}

impl Seen {
    /// What has become of these files, as they are seen now.
    pub(super) fn fate(self, now: Seen) -> Fate {
        let (Seen([file, log, memory]), Seen([now_file, now_log, now_memory])) = (self, now);
        let same = |then: Option<Id>, now: Option<Id>| {
            then.is_none_or(|then| now.is_some_and(|now| (then.0, then.1) == (now.0, now.1)))
        };
        let cut = |then: Option<Id>, now: Option<Id>| {
            then.zip(now).is_some_and(|((_, _, then), (_, _, now))| now < then)
        };
        match () {
            () if file.is_none() || !same(file, now_file) || cut(file, now_file) => Fate::Other,
            () if log.is_some() && now_log.is_none() => Fate::LogGone,
            () if !same(log, now_log) || !same(memory, now_memory) => Fate::Other,
            () if cut(log, now_log) => Fate::Cut,
            () => Fate::Same,
        }
    }

    /// The same files as they are now. What went stays in it, so that it is missed.
    pub(super) fn renewed(self, now: Seen) -> Seen {
        let mut both = self.0.into_iter().zip(now.0).map(|(then, now)| match (then, now) {
            (Some(then), Some(now)) if (then.0, then.1) != (now.0, now.1) => Some(then),
            (then, now) => now.or(then),
        });
        Seen([(); 3].map(|()| both.next().flatten()))
    }
}

fn special_file(path: &Path, meta: &fs::Metadata) -> Fault {
    let sentence = say("{0} is not a regular file ({1}).", "{0} 不是普通文件（{1}）。");
    let parts = [&*path.to_string_lossy(), special_file_kind(meta).unwrap_or("other")];
    Fault::Error(Error::new(ExitCode::Failed, "state-dir", sentence, &parts))
}
