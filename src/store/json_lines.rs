//! A file of JSON lines that several processes add to: the replies of a dialogue, what happened to a gate.
//!
//! A line is added so that two processes never both add to the same state of the file. What a line means, its reader knows.

use super::SIZE_LIMIT;
use super::disk::{Disk, SystemDisk};
use super::file::special_file_kind;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::Cause;
use crate::platform::files::{open_read, to_append as appending};
use crate::platform::paths::{Shown as _, canonicalize};
use crate::text::say;
use serde::de::IgnoredAny;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    disk: &'static dyn Disk,
    /// Locked: for this process alone where it may be added to; `None` if it is not there.
    file: Option<File>,
    /// Whether the file goes on behind them with half a line.
    torn: bool,
    bytes: Vec<u8>,
}

impl JsonLines {
    /// Reads the file; one that is not there is empty. With `to_append` nobody else reads or adds until it is dropped, so
    /// that what was read is still all there is when a line is added.
    pub fn open(path: &Path, to_append: bool) -> Result<JsonLines, Error> {
        JsonLines::open_on(&SystemDisk, path, to_append)
    }

    pub(super) fn open_on(disk: &'static dyn Disk, path: &Path, to_append: bool) -> Result<JsonLines, Error> {
        let mut lines = JsonLines { path: path.to_owned(), disk, file: None, torn: false, bytes: Vec::new() };
        lines.read(to_append).map(|()| lines).map_err(|cause| {
            let shown = path.shown();
            if path.metadata().is_ok_and(|meta| special_file_kind(&meta).is_some()) {
                let sentence = say(
                    "{0} cannot hold lines: it is not a regular file.",
                    "{0} 不能逐行追加：它不是普通文件。",
                );
                return Error::new(ExitCode::Failed, "unreadable", sentence, &[&shown]);
            }
            let sentence = if to_append {
                say("Cannot add lines to {0}.", "无法向 {0} 添加内容。")
            } else {
                say("Cannot read the lines of {0}.", "无法读取 {0} 的各行。")
            };
            Error::io("unreadable", sentence, &[&shown], &cause)
        })
    }

    fn read(&mut self, to_append: bool) -> io::Result<()> {
        let opened = match to_append {
            // Looked at first, because a pipe would be waited for.
            true if self.path.metadata().is_ok_and(|meta| !meta.is_file()) => {
                Err(io::ErrorKind::InvalidInput.into())
            }
            true => appending(&mut OpenOptions::new()).open(&self.path),
            false => open_read(&self.path),
        };
        let mut file = match opened {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound && !self.path.is_symlink() => return Ok(()),
            opened => opened?,
        };
        // A reader waits too, so that it never sees half a line.
        lockless(self.disk.lock(&file, !to_append))?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        (&mut file).take(SIZE_LIMIT + 1).read_to_end(&mut self.bytes)?;
        if self.bytes.len() as u64 > SIZE_LIMIT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // What a crash left of a line was never taken.
        let end = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        self.torn =
            serde_json::from_slice::<IgnoredAny>(&self.bytes[end..]).is_err_and(|error| error.is_eof());
        if self.torn {
            self.bytes.truncate(end);
        }
        self.file = Some(file);
        Ok(())
    }

    /// The lines that are not blank, each with its number from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.bytes.split(|&byte| byte == b'\n').zip(1..);
        lines.map(|(line, number)| (number, line)).filter(|(_, line)| !line.trim_ascii().is_empty())
    }

    /// Adds one line, given without its end, to what was read. All of it is on the disk afterwards, or none, or the error says
    /// that it is not known. False if somebody else has begun the file since it was read: then nothing is added.
    pub fn append(&mut self, line: &str) -> Result<bool, Error> {
        let shown = self.path.shown().into_owned();
        self.add(line).map_err(|(cause, is_taken_back)| {
            let (code, sentence) = if is_taken_back {
                ("not-written", say("Cannot add a line to {0}.", "无法在 {0} 中追加一行。"))
            } else {
                let sentence = say(
                    "The line did not reach the disk for certain; it may be in {0}, whole or in part.",
                    "无法确定这一行已存入磁盘；{0} 中可能有它的全部或一部分。",
                );
                ("not-verified", sentence)
            };
            Error::io(code, sentence, &[&shown], &cause)
        })
    }

    /// An error tells, too, whether nothing is left of the line for certain.
    fn add(&mut self, line: &str) -> Result<bool, (io::Error, bool)> {
        let nothing = |cause| (cause, true);
        let before = self.bytes.len() as u64;
        let is_cut_off = self.bytes.last().is_some_and(|&byte| byte != b'\n');
        let mut begun = if self.file.is_none() { self.begin().map_err(nothing)? } else { None };
        let Some(file) = self.file.as_mut().or(begun.as_mut()) else { return Ok(false) };
        if self.torn {
            self.disk.truncate(file, before).map_err(nothing)?;
        }
        let text = format!("{}{line}\n", if is_cut_off { "\n" } else { "" });
        let written = self.disk.write(file, text.as_bytes()).and_then(|()| self.disk.sync(file));
        // Half a line would spoil all that follows.
        written.map_err(|cause| (cause, self.disk.truncate(file, before).is_ok()))?;
        Ok(true)
    }

    /// Makes the file, unless somebody else was first.
    fn begin(&self) -> io::Result<Option<File>> {
        // An answer that has been given must not be lost for want of a folder.
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = match appending(OpenOptions::new().create_new(true)).open(&self.path) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => made?,
        };
        lockless(self.disk.lock(&file, false))?;
        // Whoever found the new file before it was locked has added to it by now.
        Ok(Some(file).filter(|file| !file.metadata().is_ok_and(|meta| meta.len() > 0)))
    }
}

/// A file system without locks has none to wait for.
fn lockless(locked: io::Result<()>) -> io::Result<()> {
    match locked {
        Err(cause) if matches!(Cause::of(&cause), Some(Cause::NoLocks | Cause::Unsupported)) => Ok(()),
        locked => locked,
    }
}

/// Whether a file would lie at another path, whatever lies there now.
pub fn is_at(file: &Path, other: &Path) -> bool {
    let place = |path: &Path| Some(canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    file == other || place(file).is_some_and(|file| place(other) == Some(file))
}

/// Whether such a file may lie at a path: no other kind of file has such a name, nor has what a link there leads to.
pub fn is_their_name(file: &Path) -> bool {
    let is_it = |path: &Path| path.extension().is_some_and(|ending| ending == "jsonl");
    is_it(file) && canonicalize(file).map_or(!file.is_symlink(), |real| is_it(&real))
}

/// When the last line was added; nothing if there is no such file.
pub fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().ok()?.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Failure;

    #[test]
    fn lines_are_added_to_what_was_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        let mut lines = JsonLines::open(&path, true).expect("not there");
        assert_eq!(lines.lines().count(), 0);
        assert!(!path.exists());
        assert!(lines.append("a").expect("begun"));
        let mut other =
            JsonLines { path: path.clone(), disk: &SystemDisk, file: None, torn: false, bytes: Vec::new() };
        assert!(!other.append("b").expect("nothing fails"), "somebody else has begun it");
        std::fs::write(&path, "a\n\n  \nno end").expect("written");
        let mut lines = JsonLines::open(&path, true).expect("there");
        let there: Vec<(usize, &[u8])> = lines.lines().collect();
        assert_eq!(there, [(1, b"a".as_slice()), (4, b"no end")]);
        assert!(lines.append("c").expect("added"));
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "a\n\n  \nno end\nc\n");
    }

    #[test]
    fn half_a_line_that_a_crash_left_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        for torn in ["{\"call\": \"", "{\"call\": \"\u{4e0d}", "{", "  "] {
            std::fs::write(&path, format!("{{}}\n{torn}")).expect("written");
            let mut lines = JsonLines::open(&path, true).expect("there");
            assert_eq!(lines.lines().count(), 1, "{torn:?}");
            assert!(lines.append("[]").expect("added"));
            assert_eq!(std::fs::read_to_string(&path).expect("read"), "{}\n[]\n", "{torn:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_not_taken_for_a_file_to_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("replies.jsonl");
        crate::platform::testing::symlink("nothing", &link).expect("a link");
        for to_append in [false, true] {
            let error = JsonLines::open(&link, to_append).expect_err("a link to nothing");
            assert_eq!((error.kind, error.code), (ExitCode::Failed, "unreadable"));
        }
    }

    #[test]
    fn nobody_reads_half_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        std::fs::write(&path, "a\n").expect("written");
        let other = File::open(&path).expect("there");
        let writer = JsonLines::open(&path, true).expect("there");
        assert!(other.try_lock_shared().is_err(), "a reader waits for a writer");
        drop(writer);
        let reader = JsonLines::open(&path, false).expect("there");
        assert!(other.try_lock_shared().is_ok(), "readers do not wait for each other");
        assert!(File::open(&path).expect("there").try_lock().is_err(), "a writer waits for readers");
        drop((reader, other));
    }

    /// A disk that has no locks.
    #[derive(Debug)]
    struct Lockless;

    impl Disk for Lockless {
        fn lock(&self, _: &File, _: bool) -> io::Result<()> {
            Err(Failure::NO_LOCKS.into())
        }
    }

    #[test]
    fn lines_are_added_and_read_where_there_are_no_locks() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("replies.jsonl");
        for line in ["a", "b"] {
            let mut lines = JsonLines::open_on(&Lockless, &path, true).expect("open");
            assert!(lines.append(line).expect("added"));
        }
        let lines = JsonLines::open_on(&Lockless, &path, false).expect("there");
        assert_eq!(lines.lines().count(), 2);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for to_append in [false, true] {
            let error = JsonLines::open(folder.path(), to_append).expect_err("a directory");
            assert_eq!(error.kind, ExitCode::Failed);
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
    }
}
