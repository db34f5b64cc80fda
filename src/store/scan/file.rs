//! Noticing that a file has changed without reading it, and reading it whole, without ever waiting and without leaving the
//! root.

use crate::ask::{JsString, ProblemCode};
use crate::error::io_cause;
use crate::platform::files::{
    Facts, FileId, FileKind, look, look_at_open, look_through, open_beneath, open_read,
};
use crate::platform::paths::Shown as _;
use crate::platform::{Cause, Failure};
use crate::store::file::{
    Read, is_question_file, meant_name, not_a_file, outside, read_open, special_kind, unreadable,
};
use crate::store::project::Project;
use crate::store::record::{Record, RecordState};
use cap_std::fs::Metadata;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What differs between one state of a file and the next.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Signature {
    /// Equal only while nothing has changed, links on the way to the file included; 0 if it is not known what was read.
    pub(in crate::store) mark: u64,
    /// When the content or the name last changed, as the kernel says; programs cannot set it.
    pub(in crate::store) changed: SystemTime,
    /// When the content was last written, as the file says.
    pub(in crate::store) modified: SystemTime,
    pub(in crate::store) is_link: bool,
    /// The mark of the name itself: a link's own.
    own: u64,
    /// It has other names, by which it may be written to.
    pub(in crate::store) is_shared: bool,
    pub(in crate::store) id: FileId,
    /// Whether the file system counts whole seconds only.
    is_coarse: bool,
    pub(in crate::store) kind: FileKind,
}

#[cfg(test)]
thread_local! {
    /// How many names this thread has looked at.
    pub(in crate::store) static SIGNED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    /// What a test does between two steps of a look on this thread.
    pub(in crate::store) static MEANWHILE: std::cell::RefCell<Option<Box<dyn FnMut()>>> = const { std::cell::RefCell::new(None) };
}

/// Stands where the next step of a look begins: another program may change anything here.
#[cfg(test)]
pub(in crate::store) fn step() {
    MEANWHILE.with_borrow_mut(|act| act.iter_mut().for_each(|act| act()));
}

/// The signature of what has this name, relative to the root or absolute; links are looked at and looked through.
pub(in crate::store) fn signature(project: &Project, path: impl AsRef<Path>) -> Result<Signature, Failure> {
    let path = path.as_ref();
    #[cfg(test)]
    SIGNED.set(SIGNED.get() + 1);
    #[cfg(test)]
    step();
    let own = Signature::of(look(project.dir(), path)?);
    if own.kind != FileKind::Link {
        return Ok(own);
    }
    let target = signature_through(project, path);
    let mark = through_link(own.mark, mark_of(&target));
    Ok(Signature { mark, is_link: true, own: own.mark, ..target.unwrap_or(own) })
}

fn through_link(own: u64, target: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (own, target).hash(&mut hasher);
    hasher.finish().max(1)
}

/// The signature of what lies at an answer path. One that ends with a dot names a file all the same, as it does for the executor.
pub(in crate::store) fn record_signature(
    project: &Project,
    answer_path: &JsString,
) -> Result<Signature, Failure> {
    signature(project, answer_path.lossy().trim_end_matches("/."))
}

/// The signature of what a path leads to, links followed.
pub(in crate::store) fn signature_through(project: &Project, path: &Path) -> Result<Signature, Failure> {
    #[cfg(test)]
    step();
    Ok(Signature::of(look_through(project.dir(), path)?))
}

/// The signature of an open file or directory, whatever has its name by now.
pub(in crate::store) fn signature_of_open(file: &File) -> Result<Signature, Failure> {
    Ok(Signature::of(look_at_open(file)?))
}

/// What was found at the place of a record that looked like this before, and its mark. If nothing was read: a mark that no look finds,
/// unless that was to be expected, or is tried again anyway.
pub(in crate::store) fn as_read(
    before: Result<Signature, Failure>,
    record: &Record,
    meta: Option<&Metadata>,
) -> (Option<Signature>, u64) {
    if let Some(meta) = meta {
        let read = before.map_or_else(|_| Signature::of(meta), |seen| seen.read(meta));
        return (Some(read), read.mark);
    }
    let is_expected = match &record.state {
        RecordState::Absent => before.map_or(true, |seen| seen.kind == FileKind::Link),
        RecordState::Invalid(problems) => {
            problems.first().is_some_and(|first| first.code == ProblemCode::Unreadable)
        }
        RecordState::Valid(_) => true,
    };
    (before.ok(), if is_expected { mark_of(&before) } else { 0 })
}

/// The mark that belongs to a look, whatever it found; never 0.
pub(in crate::store) fn mark_of(seen: &Result<Signature, Failure>) -> u64 {
    match seen {
        Ok(seen) => seen.mark,
        Err(failure) => u64::from(failure.number()).max(1),
    }
}

impl Signature {
    pub(in crate::store) fn of(facts: impl Into<Facts>) -> Signature {
        let Facts { id, size, kind, mode, links, modified, changed } = facts.into();
        let mut hasher = DefaultHasher::new();
        (id, size, mode, modified, changed).hash(&mut hasher);
        let mark = hasher.finish().max(1);
        Signature {
            mark,
            changed: time(changed.0, changed.1),
            modified: time(modified.0, modified.1),
            is_link: false,
            own: mark,
            is_shared: links > 1,
            id,
            is_coarse: modified.1 == 0 && changed.1 == 0,
            kind,
        }
    }

    /// The signature of what was then read by this name. It may have been another file, even if the old one has the name again.
    pub(in crate::store) fn read(self, meta: &Metadata) -> Signature {
        let facts = Facts::from(meta);
        if facts.id == self.id && time(facts.changed.0, facts.changed.1) == self.changed {
            return self;
        }
        let read = Signature::of(facts);
        let mark = if self.is_link { through_link(self.own, read.mark) } else { read.mark };
        Signature { mark, is_link: self.is_link, own: self.own, ..read }
    }

    /// The same of what could not be read, because it is nothing of this project: by the next look it may be.
    fn unread(self) -> Signature {
        Signature { mark: 0, ..self }
    }

    /// If it was written so shortly before `now` that another write may leave the same signature: for how long that is so.
    pub(in crate::store) fn fresh_for(&self, now: SystemTime) -> Option<Duration> {
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

/// Reads the file that had this signature a moment ago: beneath the root, or anywhere if its path is absolute. With the signature of
/// what was read.
pub(in crate::store) fn read(
    project: &Project,
    path: &Path,
    seen: &Signature,
) -> io::Result<(Read, Signature)> {
    #[cfg(test)]
    step();
    // What a link leads to is seen when it is opened.
    if seen.kind != FileKind::Link
        && let Some(kind) = special_kind(seen.kind)
    {
        return Ok((Read::Odd(not_a_file(kind).into(), None), *seen));
    }
    let opened = if path.is_absolute() { open_read(path) } else { open_beneath(project.dir(), path) };
    let problem = match opened.and_then(read_open) {
        Ok(read) => {
            let meta = match &read {
                Read::Bytes(_, meta) | Read::Odd(_, Some(meta)) => Some(meta),
                Read::Odd(_, None) | Read::Changed => None,
            };
            let signature = meta.map_or(*seen, |meta| seen.read(meta));
            return Ok((read, signature));
        }
        Err(cause) => match Cause::of(&cause) {
            Some(Cause::LinkLoop) => unreadable(&io_cause(&cause)),
            None if leads_out(&cause) => outside(&(&*path.shown()).into()),
            _ => return Err(cause),
        },
    };
    Ok((Read::Odd(problem.into(), None), seen.unread()))
}

/// Why a file cannot be read at this moment, if that says nothing about it: the device fails, or this process has too many files
/// open.
pub(in crate::store) fn failure(project: &Project, path: &Path) -> Option<io::Error> {
    let seen = signature(project, path).map_err(io::Error::from);
    let cause = seen.and_then(|seen| read(project, path, &seen)).err()?;
    (!is_absent(&cause) && !is_closed(&cause)).then_some(cause)
}

/// Whether nothing is there, or nothing of this project. Every other failure says nothing about what is there.
pub(in crate::store) fn is_absent(cause: &io::Error) -> bool {
    match Cause::of(cause) {
        Some(cause) => matches!(cause, Cause::NotFound | Cause::NotADirectory | Cause::LinkLoop),
        None => cause.kind() == io::ErrorKind::NotFound || leads_out(cause),
    }
}

/// Whether a link leads to nothing of this project, whatever comes and goes.
pub(in crate::store) fn leads_nowhere(cause: &io::Error) -> bool {
    Cause::of(cause) == Some(Cause::LinkLoop) || leads_out(cause)
}

/// Whether it may not be read.
pub(in crate::store) fn is_closed(cause: &io::Error) -> bool {
    matches!(Cause::of(cause), Some(Cause::Barred | Cause::NotPermitted))
}

/// Only cap-std itself refuses without a number: the path leads out.
fn leads_out(cause: &io::Error) -> bool {
    cause.kind() == io::ErrorKind::PermissionDenied && Failure::of(cause).is_none()
}

/// Whether a file can be a packet or a question by its name. Editors' lock links and the system's shadow files cannot.
pub(in crate::store) fn is_json(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let is_meant = || {
        let name = name.to_str();
        name.is_some_and(|name| [false, true].iter().any(|&of| meant_name(name, of).is_some()))
    };
    (bytes.ends_with(b".json") || is_meant()) && !bytes.starts_with(b".#") && !bytes.starts_with(b"._")
}

/// The path that is meant by one whose name no executor looks for, and whether this very file goes by it: some file systems
/// do not tell small letters from capitals.
pub(in crate::store) fn meant_path(project: &Project, path: &Path) -> Option<(PathBuf, bool)> {
    let meant = path.with_file_name(meant_name(path.file_name()?.to_str()?, is_question_file(path))?);
    let id = |path: &Path| signature(project, path).ok().filter(|seen| !seen.is_link).map(|seen| seen.id);
    let is_it = id(&meant).is_some_and(|it| id(path) == Some(it));
    Some((meant, is_it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::Errno;

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
