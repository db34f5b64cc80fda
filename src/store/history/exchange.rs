//! The files of a removal: a record is moved out of its place, or changes places with a new one, in one step; what was there is
//! looked at afterwards, and what somebody wrote in the last moment is put back.

use crate::ask::Problem;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::disk::Disk;
use crate::store::file::Read;
use crate::store::project::Project;
use crate::store::record::{self, commit, discard, is_temp, write_temp};
use crate::store::safe_path::{Refusal, Spot};
use crate::text::{Lang, say};
use cap_std::fs::{Dir, Metadata, MetadataExt};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::time::SystemTime;

/// Ends the name of a file that was moved aside. It is not swept like others of ours: should it stay behind, somebody's last
/// words may be in it.
const ASIDE: &str = ".aside";

/// Why a record was not removed or not put back; nothing is lost either way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// There is no record (exit 3).
    NoRecord,
    /// Nothing was removed, so there is nothing to put back (exit 3).
    NothingToUndo,
    /// It is no record of ours to touch (exit 5).
    Refused(Refusal),
    /// It changed since it was looked at (exit 6).
    Changed,
    /// A record is there already (exit 6).
    Exists,
    /// The packet asks something else by now.
    Stale,
    /// The system refused (exit 1).
    Failed(Error),
    /// It is not in its place any more; the error says where it is (exit 1).
    Astray(Error),
}

impl MoveError {
    pub fn error(&self) -> Error {
        match self {
            MoveError::NoRecord => {
                let sentence =
                    say("There is no record; the gate is waiting.", "没有记录；门控正在等待回答。");
                Error::new(ExitCode::Waiting, "no-record", sentence, &[])
            }
            MoveError::NothingToUndo => {
                let sentence = say("There is no removed record in the history.", "历史中没有被移走的记录。");
                Error::new(ExitCode::Waiting, "nothing-to-undo", sentence, &[])
            }
            MoveError::Refused(refusal) => record::refused(*refusal),
            MoveError::Changed => {
                let sentence = say(
                    "The record changed since it was looked at; it is untouched.",
                    "记录在查看之后发生了变化，未作改动。",
                );
                Error::new(ExitCode::Exists, "record-changed", sentence, &[])
            }
            MoveError::Exists => {
                let sentence = say("A record is already there; it is untouched.", "记录已经存在，未作改动。");
                Error::new(ExitCode::Exists, "record-exists", sentence, &[])
            }
            MoveError::Stale => record::WriteError::Stale.error(),
            MoveError::Failed(error) | MoveError::Astray(error) => error.clone(),
        }
    }
}

/// The bytes of a file in a record's directory, whose links are followed.
pub(super) fn read(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    name: &OsStr,
) -> Result<Vec<u8>, MoveError> {
    let real = project.root().join(&spot.parent).join(name).canonicalize();
    match real.and_then(|real| record::read_bytes(disk, project, &real)) {
        Ok(Read::Bytes(bytes, _)) => Ok(bytes),
        Ok(Read::Changed) => Err(MoveError::Changed),
        Ok(Read::Odd(problem, _)) => Err(MoveError::Failed(odd(spot, &problem))),
        // It went a moment ago.
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(MoveError::NoRecord),
        Err(cause) => Err(failed(spot, &cause)),
    }
}

/// Removes the record that has these bytes; whether the system confirmed it.
pub(super) fn take_away(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    old: &[u8],
) -> Result<bool, MoveError> {
    let dir = record::open_parent(disk, project, &spot.parent).map_err(|cause| failed(spot, &cause))?;
    let aside = move_aside(disk, project, &dir, spot, old)?;
    if let Err(cause) = disk.unlink(&dir, &aside).or_else(|_| disk.unlink(&dir, &aside)) {
        put_back(disk, &dir, spot, &aside)?;
        return Err(failed(spot, &cause));
    }
    Ok(disk.sync_dir(&dir).is_ok())
}

/// A record that takes the place of another.
#[derive(Clone, Copy)]
pub struct NewRecord<'r> {
    pub bytes: &'r [u8],
    /// Whether the packet still asks what it answers; looked at once it is on the disk, before the old one goes.
    pub is_asked: &'r dyn Fn() -> bool,
}

/// Puts a new record in the place of the one with the bytes `old`; whether the system confirmed it. The new one is on the
/// disk before the old one goes.
pub(super) fn replace(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    old: &[u8],
    new: NewRecord<'_>,
) -> Result<bool, MoveError> {
    let shown = spot.path().to_string_lossy().into_owned();
    let untouched =
        say("Cannot write {0}; the record there is untouched.", "无法写入 {0}；原有的记录未作改动。");
    let fail = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => MoveError::Changed,
        _ => MoveError::Failed(Error::io("write-failed", untouched, &[&shown], &cause)),
    };
    let dir = record::open_parent(disk, project, &spot.parent).map_err(fail)?;
    let mut temp = OsString::new();
    let fill = |file: &mut File| record::fill(disk, file, new.bytes);
    let keep_name = |name: &OsStr| {
        name.clone_into(&mut temp);
        Ok(())
    };
    write_temp(disk, &dir, fill, keep_name).map_err(fail)?;
    // Needs no descriptor: it is known again even if none is left.
    let ours = || Some(Identity::of(&dir.symlink_metadata(&temp).ok()?));
    let known = ours();
    if !(new.is_asked)() {
        discard(disk, &dir, &temp);
        return Err(MoveError::Stale);
    }
    match disk.exchange(&dir, &temp, &spot.name) {
        Ok(()) => match read(disk, project, spot, &temp) {
            Ok(there) if there == old => discard(disk, &dir, &temp),
            verdict => {
                let is_ours = || {
                    known.is_some() && ours() == known
                        || read(disk, project, spot, &temp).is_ok_and(|there| there == new.bytes)
                };
                return Err(swap_back(disk, &dir, spot, &temp, &is_ours, verdict.err()));
            }
        },
        Err(cause) if record::is_unsupported(&cause) => {
            replace_in_steps(disk, project, &dir, spot, old, &temp)
                .inspect_err(|_| discard(disk, &dir, &temp))?;
        }
        Err(cause) => {
            discard(disk, &dir, &temp);
            return Err(fail(cause));
        }
    }
    Ok(record::sync_dir(disk, &dir))
}

/// What stays the same of a file that is renamed, and differs once it is written.
#[derive(PartialEq)]
struct Identity(u64, u64, u64, i64, i64);

impl Identity {
    fn of(meta: &Metadata) -> Identity {
        Identity(meta.dev(), meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec())
    }
}

/// What was exchanged is not the record that was looked at: it goes back to its place.
fn swap_back(
    disk: &dyn Disk,
    dir: &Dir,
    spot: &Spot,
    temp: &OsStr,
    is_ours: &dyn Fn() -> bool,
    fault: Option<MoveError>,
) -> MoveError {
    let swap = || disk.exchange(dir, temp, &spot.name);
    let is_back = swap().or_else(|_| swap()).is_ok();
    if is_back && is_ours() {
        discard(disk, dir, temp);
        return fault.unwrap_or(MoveError::Changed);
    }
    let aside = aside_name(temp);
    let name = if disk.rename_new(dir, temp, &aside).is_ok() { &aside } else { temp };
    left_aside(spot, name)
}

/// The same where the file system cannot exchange two files.
fn replace_in_steps(
    disk: &dyn Disk,
    project: &Project,
    dir: &Dir,
    spot: &Spot,
    old: &[u8],
    temp: &OsStr,
) -> Result<(), MoveError> {
    let aside = move_aside(disk, project, dir, spot, old)?;
    if let Err(cause) = commit(disk, dir, temp, &spot.name) {
        put_back(disk, dir, spot, &aside)?;
        return Err(failed(spot, &cause));
    }
    // Its bytes are in the history.
    discard(disk, dir, &aside);
    Ok(())
}

/// Moves the record that has these bytes aside in one step; its name there. What somebody wrote in the last moment is put
/// back.
fn move_aside(
    disk: &dyn Disk,
    project: &Project,
    dir: &Dir,
    spot: &Spot,
    old: &[u8],
) -> Result<OsString, MoveError> {
    let fail = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => MoveError::Changed,
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
    match read(disk, project, spot, &aside) {
        Ok(there) if there == old => Ok(aside),
        verdict => {
            put_back(disk, dir, spot, &aside)?;
            Err(verdict.err().unwrap_or(MoveError::Changed))
        }
    }
}

fn put_back(disk: &dyn Disk, dir: &Dir, spot: &Spot, aside: &OsStr) -> Result<(), MoveError> {
    let back = || commit(disk, dir, aside, &spot.name);
    back().or_else(|_| back()).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => left_aside(spot, aside),
        _ => left_empty(spot, aside, &cause),
    })
}

fn aside_name(temp: &OsStr) -> OsString {
    let mut aside = temp.to_owned();
    aside.push(ASIDE);
    aside
}

fn is_aside(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_suffix(ASIDE)).is_some_and(|temp| is_temp(OsStr::new(temp)))
}

/// Removes files that a crash left aside in a record's directory, if their bytes are known elsewhere.
pub(super) fn sweep(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    now: SystemTime,
    is_known: impl Fn(&[u8]) -> bool,
) {
    let Ok(dir) = record::open_parent(disk, project, &spot.parent) else { return };
    for name in record::stale(&dir, now, is_aside) {
        if read(disk, project, spot, &name).is_ok_and(|bytes| is_known(&bytes)) {
            let _ = disk.unlink(&dir, &name);
        }
    }
}

pub(super) fn failed(spot: &Spot, cause: &io::Error) -> MoveError {
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("Cannot move {0}; it is untouched.", "无法移动 {0}；未作改动。");
    MoveError::Failed(Error::io("move-failed", sentence, &[&shown], cause))
}

fn left_aside(spot: &Spot, aside: &OsStr) -> MoveError {
    let sentence = say(
        "There is a new record in {0}; what was there a moment before is kept beside it as {1}.",
        "{0} 中现在是一份新记录；此前在那里的内容保存在同一目录的 {1}。",
    );
    let (path, aside) = (spot.path(), aside.to_string_lossy());
    let parts = [&*path.to_string_lossy(), &aside];
    MoveError::Astray(Error::new(ExitCode::Failed, "moved-aside", sentence, &parts))
}

fn left_empty(spot: &Spot, aside: &OsStr, cause: &io::Error) -> MoveError {
    let sentence = say(
        "There is no record in {0} now: the old one could not be put back and is kept beside it as {1}.",
        "{0} 中现在没有记录：原有的记录无法放回，保存在同一目录的 {1}。",
    );
    let (path, aside) = (spot.path(), aside.to_string_lossy());
    let parts = [&*path.to_string_lossy(), &aside];
    MoveError::Astray(Error::io("left-empty", sentence, &parts, cause))
}

fn odd(spot: &Spot, problem: &Problem) -> Error {
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("{0} is not a record that can be moved: {1}.", "{0} 不是可以移动的记录：{2}。");
    let parts = [problem.found.text(Lang::En), problem.found.text(Lang::ZhCn)];
    Error::new(ExitCode::Malformed, "not-a-record", sentence, &[&shown, &parts[0], &parts[1]])
        .hint(say("Move it away by hand.", "请手动移走它。"), &[])
}
