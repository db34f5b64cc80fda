//! The replies of one dialogue: a file of JSON lines that the executor names.
//!
//! A line is added so that two processes never both add a reply to the same call. What a line means is `adapter`'s.

use super::SIZE_LIMIT;
use super::disk::{Disk, SystemDisk};
use super::file::{open_anywhere, special_file_kind};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use serde::de::IgnoredAny;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug)]
pub struct Replies {
    path: PathBuf,
    disk: &'static dyn Disk,
    /// Locked: for this process alone where it may be added to; `None` if it is not there.
    file: Option<File>,
    /// Whether the file goes on behind them with half a line.
    torn: bool,
    bytes: Vec<u8>,
}

/// Why nothing was added.
#[derive(Debug)]
pub enum AppendError {
    /// Somebody else has begun the file since it was read: read it again.
    Begun,
    Failed(Error),
}

impl Replies {
    /// Reads the file; one that is not there is empty. With `to_append` nobody else reads or adds until it is dropped, so
    /// that what was read is still all there is when a line is added.
    pub fn open(path: &Path, to_append: bool) -> Result<Replies, Error> {
        Replies::open_on(&SystemDisk, path, to_append)
    }

    pub(super) fn open_on(disk: &'static dyn Disk, path: &Path, to_append: bool) -> Result<Replies, Error> {
        let shown = path.to_string_lossy();
        let failed = |cause: &io::Error| {
            let sentence = say("Cannot read the replies in {0}.", "无法读取 {0} 中的回复。");
            Error::io("unreadable", sentence, &[&shown], cause)
        };
        let opened = match to_append {
            // Looked at first, because a pipe would be waited for.
            true if path.metadata().is_ok_and(|meta| !meta.is_file()) => {
                Err(io::ErrorKind::InvalidInput.into())
            }
            true => OpenOptions::new().read(true).append(true).open(path),
            false => open_anywhere(path),
        };
        let mut file = match opened {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                return Ok(Replies {
                    path: path.to_owned(),
                    disk,
                    file: None,
                    torn: false,
                    bytes: Vec::new(),
                });
            }
            Err(cause) => return Err(odd(path).unwrap_or_else(|| failed(&cause))),
        };
        // A reader waits too, so that it never sees half a line.
        let locked = if to_append { file.lock() } else { file.lock_shared() };
        lockless(locked).map_err(|cause| failed(&cause))?;
        let meta = file.metadata().map_err(|cause| failed(&cause))?;
        if !meta.is_file() {
            return Err(odd(path).unwrap_or_else(|| failed(&io::ErrorKind::InvalidInput.into())));
        }
        let mut bytes = Vec::new();
        (&mut file).take(SIZE_LIMIT + 1).read_to_end(&mut bytes).map_err(|cause| failed(&cause))?;
        if bytes.len() as u64 > SIZE_LIMIT {
            return Err(failed(&io::ErrorKind::FileTooLarge.into()));
        }
        // What a crash left of a line was never taken.
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let torn = serde_json::from_slice::<IgnoredAny>(&bytes[end..]).is_err_and(|error| error.is_eof());
        if torn {
            bytes.truncate(end);
        }
        Ok(Replies { path: path.to_owned(), disk, file: Some(file), torn, bytes })
    }

    /// The lines that are not blank, each with its number from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.bytes.split(|&byte| byte == b'\n').zip(1..);
        lines.map(|(line, number)| (number, line)).filter(|(_, line)| !line.trim_ascii().is_empty())
    }

    /// Adds one line, given without its end, to what was read. All of it is on the disk afterwards, or none, or the error says
    /// that it is not known.
    pub fn append(&mut self, line: &str) -> Result<(), AppendError> {
        let shown = self.path.to_string_lossy().into_owned();
        let failed = |cause: &io::Error| {
            let sentence = say("Cannot add the reply to {0}.", "无法把回复追加到 {0}。");
            AppendError::Failed(Error::io("not-written", sentence, &[&shown], cause))
        };
        let (disk, before) = (self.disk, self.bytes.len() as u64);
        let Some(file) = &mut self.file else { return self.begin(line, failed) };
        let cut_off = self.bytes.last().is_some_and(|&byte| byte != b'\n');
        let text = format!("{}{line}\n", if cut_off { "\n" } else { "" });
        if self.torn {
            disk.truncate(file, before).map_err(|cause| failed(&cause))?;
        }
        add(disk, file, &text, before).map_err(|fault| fault.error(&shown, failed))
    }

    /// Makes the file with its first line, unless somebody else was first.
    fn begin(&self, line: &str, failed: impl Fn(&io::Error) -> AppendError) -> Result<(), AppendError> {
        // An answer that has been given must not be lost for want of a folder.
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(|cause| failed(&cause))?;
        }
        let mut file = match OpenOptions::new().append(true).create_new(true).open(&self.path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Err(AppendError::Begun),
            Err(cause) => return Err(failed(&cause)),
        };
        lockless(file.lock()).map_err(|cause| failed(&cause))?;
        // Whoever found the new file before it was locked has added to it by now.
        if file.metadata().is_ok_and(|meta| meta.len() > 0) {
            return Err(AppendError::Begun);
        }
        add(self.disk, &mut file, &format!("{line}\n"), 0)
            .map_err(|fault| fault.error(&self.path.to_string_lossy(), failed))
    }
}

/// Why a line is not there, or why that is not known.
struct Fault {
    cause: io::Error,
    is_taken_back: bool,
}

impl Fault {
    fn error(self, shown: &str, failed: impl FnOnce(&io::Error) -> AppendError) -> AppendError {
        if self.is_taken_back {
            return failed(&self.cause);
        }
        let sentence = say(
            "The reply did not reach the disk for certain; it may be in {0}, whole or in part.",
            "无法确定回复已存入磁盘；{0} 中可能有它的全部或一部分。",
        );
        AppendError::Failed(Error::io("not-verified", sentence, &[shown], &self.cause))
    }
}

/// Adds to a file of this many bytes.
fn add(disk: &dyn Disk, file: &mut File, text: &str, before: u64) -> Result<(), Fault> {
    let written = disk.write(file, text.as_bytes()).and_then(|()| disk.sync(file));
    // Half a line would spoil all that follows.
    written.map_err(|cause| Fault { cause, is_taken_back: disk.truncate(file, before).is_ok() })
}

/// A file system without locks has none to wait for.
fn lockless(locked: io::Result<()>) -> io::Result<()> {
    match locked {
        Err(cause) if cause.kind() == io::ErrorKind::Unsupported => Ok(()),
        locked => locked,
    }
}

/// Whether the replies would lie at another path, whatever lies there now.
pub fn is_at(replies: &Path, other: &Path) -> bool {
    let place = |path: &Path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    replies == other || place(replies).is_some_and(|replies| place(other) == Some(replies))
}

/// When the last reply was added; nothing if there is no such file.
pub fn modified(replies: &Path) -> Option<SystemTime> {
    replies.metadata().ok()?.modified().ok()
}

/// An error for a path at which something else than a file lies.
fn odd(path: &Path) -> Option<Error> {
    special_file_kind(&path.metadata().ok()?)?;
    let sentence =
        say("{0} holds no replies: it is not a regular file.", "{0} 不能存放回复：它不是普通文件。");
    Some(Error::new(ExitCode::Failed, "unreadable", sentence, &[&path.to_string_lossy()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_to_what_was_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        let mut replies = Replies::open(&path, true).expect("not there");
        assert_eq!(replies.lines().count(), 0);
        assert!(!path.exists());
        replies.append("a").expect("begun");
        let mut other =
            Replies { path: path.clone(), disk: &SystemDisk, file: None, torn: false, bytes: Vec::new() };
        assert!(matches!(other.append("b"), Err(AppendError::Begun)));
        std::fs::write(&path, "a\n\n  \nno end").expect("written");
        let mut replies = Replies::open(&path, true).expect("there");
        let lines: Vec<(usize, &[u8])> = replies.lines().collect();
        assert_eq!(lines, [(1, b"a".as_slice()), (4, b"no end")]);
        replies.append("c").expect("added");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "a\n\n  \nno end\nc\n");
    }

    #[test]
    fn half_a_line_that_a_crash_left_is_no_reply() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        for torn in ["{\"call\": \"", "{\"call\": \"\u{4e0d}", "{", "  "] {
            std::fs::write(&path, format!("{{}}\n{torn}")).expect("written");
            let mut replies = Replies::open(&path, true).expect("there");
            assert_eq!(replies.lines().count(), 1, "{torn:?}");
            replies.append("[]").expect("added");
            assert_eq!(std::fs::read_to_string(&path).expect("read"), "{}\n[]\n", "{torn:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_not_taken_for_a_file_to_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("replies.jsonl");
        std::os::unix::fs::symlink("nothing", &link).expect("a link");
        for to_append in [false, true] {
            let error = Replies::open(&link, to_append).expect_err("a link to nothing");
            assert_eq!((error.kind, error.code), (ExitCode::Failed, "unreadable"));
        }
    }

    #[test]
    fn nobody_reads_half_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        std::fs::write(&path, "a\n").expect("written");
        let other = File::open(&path).expect("there");
        let writer = Replies::open(&path, true).expect("there");
        assert!(other.try_lock_shared().is_err(), "a reader waits for a writer");
        drop(writer);
        let reader = Replies::open(&path, false).expect("there");
        assert!(other.try_lock_shared().is_ok(), "readers do not wait for each other");
        assert!(File::open(&path).expect("there").try_lock().is_err(), "a writer waits for readers");
        drop((reader, other));
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for to_append in [false, true] {
            let error = Replies::open(folder.path(), to_append).expect_err("a directory");
            assert_eq!(error.kind, ExitCode::Failed);
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
    }
}
