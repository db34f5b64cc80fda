//! The files of a removal: a record is moved out of its place, or changes places with a new one, in one step; what was there is
//! looked at afterwards, and what somebody wrote in the last moment is put back.

use crate::ask::JsString;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::Facts;
use crate::platform::paths::{Shown as _, canonicalize};
use crate::store::disk::Disk;
use crate::store::file::Read;
use crate::store::project::Project;
use crate::store::record::{self, WriteError, commit, discard, is_temp, write_temp};
use crate::store::safe_path::{self, Spot};
use crate::text::{Lang, say};
use cap_std::fs::Dir;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::time::SystemTime;

/// Ends the name of a file that was moved aside. It is not swept like others of ours: should it stay behind, somebody's last
/// words may be in it.
const ASIDE: &str = ".aside";

/// The place of a record that is there: its name, and its directory, which is open.
pub(super) struct Place<'p> {
    project: &'p Project,
    disk: &'static dyn Disk,
    pub(super) spot: Spot,
    dir: Dir,
}

/// A record that takes the place of another.
#[derive(Clone, Copy)]
pub struct NewRecord<'r> {
    pub bytes: &'r [u8],
    /// Whether the packet still asks what it answers; looked at once it is on the disk, before the old one goes.
    pub is_asked: &'r dyn Fn() -> bool,
}

impl<'p> Place<'p> {
    pub(super) fn open(project: &'p Project, answer_path: &JsString) -> Result<Place<'p>, WriteError> {
        let spot = safe_path::spot(project, answer_path).map_err(WriteError::Refused)?;
        match record::open_parent(project, &spot.parent) {
            Ok(dir) => Ok(Place { project, disk: project.disk(), spot, dir }),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(WriteError::NoRecord),
            Err(cause) => Err(failed(&spot, &cause)),
        }
    }

    fn shown(&self) -> String {
        self.spot.path().shown().into_owned()
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.spot.missing.is_empty() || self.dir.symlink_metadata(&self.spot.name).is_err()
    }

    /// The bytes of a file in the record's directory, whose links are followed.
    pub(super) fn read(&self, name: &OsStr) -> Result<Vec<u8>, WriteError> {
        let real = canonicalize(self.project.root().join(&self.spot.parent).join(name));
        match real.and_then(|real| record::read_bytes(self.project, &real)) {
            Ok(Read::Bytes(bytes, _)) => Ok(bytes),
            Ok(Read::Changed) => Err(WriteError::Changed),
            Ok(Read::Odd(problem, _)) => {
                let sentence =
                    say("{0} is not a record that can be moved: {1}.", "{0} 不是可以移动的记录：{2}。");
                let [en, zh] = [Lang::En, Lang::ZhCn].map(|lang| problem.found.text(lang));
                let parts = [&*self.shown(), &en, &zh];
                let error = Error::new(ExitCode::Malformed, "not-a-record", sentence, &parts);
                Err(WriteError::Failed(error.hint(say("Move it away by hand.", "请手动移走它。"), &[])))
            }
            // It went a moment ago.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(WriteError::NoRecord),
            Err(cause) => Err(failed(&self.spot, &cause)),
        }
    }

    /// Removes the record that has these bytes; whether the system confirmed it.
    pub(super) fn take_away(&self, old: &[u8]) -> Result<bool, WriteError> {
        let aside = self.move_aside(old)?;
        let unlink = || self.disk.unlink(&self.dir, &aside);
        if let Err(cause) = unlink().or_else(|_| unlink()) {
            self.put_back(&aside)?;
            return Err(failed(&self.spot, &cause));
        }
        Ok(self.disk.sync_dir(&self.dir).is_ok())
    }

    /// Puts a new record in the place of the one with the bytes `old`; whether the system confirmed it. The new one is on the
    /// disk before the old one goes.
    pub(super) fn replace(&self, old: &[u8], new: NewRecord<'_>) -> Result<bool, WriteError> {
        let Place { disk, dir, spot, .. } = self;
        let untouched =
            say("Cannot write {0}; the record there is untouched.", "无法写入 {0}；原有的记录未作改动。");
        let fail = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => WriteError::Changed,
            _ => WriteError::Failed(Error::io("write-failed", untouched, &[&self.shown()], &cause)),
        };
        let fill = |file: &mut File| disk.write(file, new.bytes).and_then(|()| disk.sync(file));
        let (_, temp) = write_temp(*disk, dir, fill, |_| Ok(())).map_err(fail)?;
        // What stays the same of a file that is renamed, and differs once it is written. Needs no descriptor: it is known again
        // even if none is left.
        let identity = || {
            let facts = Facts::from(&dir.symlink_metadata(&temp).ok()?);
            Some((facts.id, facts.size, facts.modified))
        };
        let ours = identity();
        let done = match (new.is_asked)().then(|| disk.exchange(dir, &temp, &spot.name)) {
            None => Err(WriteError::Stale),
            Some(Ok(())) => match self.read(&temp) {
                Ok(there) if there == old => {
                    discard(*disk, dir, &temp);
                    Ok(())
                }
                verdict => {
                    let is_ours = || {
                        ours.is_some() && identity() == ours
                            || self.read(&temp).is_ok_and(|there| there == new.bytes)
                    };
                    return Err(self.swap_back(&temp, &is_ours, verdict.err()));
                }
            },
            Some(Err(cause)) if record::is_unsupported(&cause) => self.replace_in_steps(old, &temp),
            Some(Err(cause)) => Err(fail(cause)),
        };
        done.inspect_err(|_| discard(*disk, dir, &temp))?;
        Ok(record::sync_dir(*disk, dir))
    }

    /// What was exchanged is not the record that was looked at: it goes back to its place.
    fn swap_back(&self, temp: &OsStr, is_ours: &dyn Fn() -> bool, fault: Option<WriteError>) -> WriteError {
        let swap = || self.disk.exchange(&self.dir, temp, &self.spot.name);
        if swap().or_else(|_| swap()).is_ok() && is_ours() {
            discard(self.disk, &self.dir, temp);
            return fault.unwrap_or(WriteError::Changed);
        }
        let aside = aside_name(temp);
        let is_aside = self.disk.rename_new(&self.dir, temp, &aside).is_ok();
        self.left_aside(if is_aside { &aside } else { temp })
    }

    /// The same where the file system cannot exchange two files.
    fn replace_in_steps(&self, old: &[u8], temp: &OsStr) -> Result<(), WriteError> {
        let aside = self.move_aside(old)?;
        if let Err(cause) = commit(self.disk, &self.dir, temp, &self.spot.name) {
            self.put_back(&aside)?;
            return Err(failed(&self.spot, &cause));
        }
        // Its bytes are in the history.
        discard(self.disk, &self.dir, &aside);
        Ok(())
    }

    /// Moves the record that has these bytes aside in one step; its name there. What somebody wrote in the last moment is put
    /// back.
    fn move_aside(&self, old: &[u8]) -> Result<OsString, WriteError> {
        let Place { disk, dir, spot, .. } = self;
        let fail = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => WriteError::Changed,
            _ => failed(spot, &cause),
        };
        let aside = aside_name(&record::temp_name().map_err(fail)?);
        disk.rename_new(dir, &spot.name, &aside)
            .or_else(|cause| match cause.kind() {
                io::ErrorKind::NotFound => Err(cause),
                // Not every file system can; the name is random, so nothing is in the way.
                _ => disk.rename(dir, &spot.name, &aside),
            })
            .map_err(fail)?;
        match self.read(&aside) {
            Ok(there) if there == old => Ok(aside),
            verdict => {
                self.put_back(&aside)?;
                Err(verdict.err().unwrap_or(WriteError::Changed))
            }
        }
    }

    fn put_back(&self, aside: &OsStr) -> Result<(), WriteError> {
        let back = || commit(self.disk, &self.dir, aside, &self.spot.name);
        back().or_else(|_| back()).map_err(|cause| {
            if cause.kind() == io::ErrorKind::AlreadyExists {
                return self.left_aside(aside);
            }
            let sentence = say(
                "There is no record in {0} now: the old one could not be put back and is kept beside it as {1}.",
                "{0} 中现在没有记录：原有的记录无法放回，保存在同一目录的 {1}。",
            );
            let parts = [&*self.shown(), &aside.shown()];
            WriteError::Astray(Error::io("left-empty", sentence, &parts, &cause))
        })
    }

    fn left_aside(&self, aside: &OsStr) -> WriteError {
        let sentence = say(
            "There is a new record in {0}; what was there a moment before is kept beside it as {1}.",
            "{0} 中现在是一份新记录；此前在那里的内容保存在同一目录的 {1}。",
        );
        let parts = [&*self.shown(), &aside.shown()];
        WriteError::Astray(Error::new(ExitCode::Failed, "moved-aside", sentence, &parts))
    }

    /// Removes files that a crash left aside in the record's directory, if their bytes are known elsewhere.
    pub(super) fn sweep(&self, now: SystemTime, is_known: impl Fn(&[u8]) -> bool) {
        for name in record::stale(&self.dir, now, is_aside) {
            if self.read(&name).is_ok_and(|bytes| is_known(&bytes)) {
                let _ = self.disk.unlink(&self.dir, &name);
            }
        }
    }
}

/// Removes the record with these bytes from its place, and notes nothing.
pub(in crate::store) fn take_away(
    project: &Project,
    answer_path: &JsString,
    bytes: &[u8],
) -> Result<(), WriteError> {
    Place::open(project, answer_path)?.take_away(bytes).map(drop)
}

fn aside_name(temp: &OsStr) -> OsString {
    let mut aside = temp.to_owned();
    aside.push(ASIDE);
    aside
}

fn is_aside(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_suffix(ASIDE)).is_some_and(|temp| is_temp(OsStr::new(temp)))
}

pub(super) fn failed(spot: &Spot, cause: &io::Error) -> WriteError {
    let shown = spot.path().shown().into_owned();
    let sentence = say("Cannot move {0}; it is untouched.", "无法移动 {0}；未作改动。");
    WriteError::Failed(Error::io("move-failed", sentence, &[&shown], cause))
}
