//! Taking a record away without losing it: the copy is on the disk before the record goes, and what somebody wrote in the
//! last moment is put back.

use super::note::{self, Note};
use super::{Entry, MoveError, Moved, Reason, Story};
use crate::ask::Problem;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::disk::Disk;
use crate::store::project::Project;
use crate::store::record::{self, Read};
use crate::store::safe_path::{self, Spot};
use crate::store::sha256;
use crate::store::state::StateDir;
use crate::text::say;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// What is to be taken away, and why.
#[derive(Clone, Copy)]
pub(super) struct Order<'o> {
    /// What the history says about it.
    pub(super) story: &'o Story<'o>,
    /// Why it goes.
    pub(super) reason: Reason,
    /// The hash of the record the author looked at.
    pub(super) seen: Option<&'o str>,
}

/// Moves the record at an answer path into history, byte for byte.
pub(super) fn remove(
    disk: &dyn Disk,
    project: &Project,
    state: &StateDir,
    order: &Order<'_>,
    now: SystemTime,
) -> Result<(Moved, Entry), MoveError> {
    let Order { story, reason, seen } = *order;
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let target = project.root().join(spot.path());
    if target.symlink_metadata().is_err() {
        return Err(MoveError::NoRecord);
    }
    let read = |at: &Path| match at.canonicalize().and_then(|real| record::read_bytes(disk, project, &real)) {
        Ok(Read::Bytes(bytes, _)) => Ok(bytes),
        Ok(Read::Changed) => Err(MoveError::Changed),
        Ok(Read::Odd(problem, _)) => Err(MoveError::Failed(odd(&spot, &problem))),
        // It went a moment ago.
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(MoveError::NoRecord),
        Err(cause) => Err(MoveError::Failed(failed(&spot, &cause))),
    };
    let bytes = read(&target)?;
    let hash = sha256(&bytes);
    if seen.is_some_and(|seen| seen != hash) {
        return Err(MoveError::Changed);
    }
    let note = Note { reason, of: None, bytes: &bytes };
    let entry = note::add(state, story, &note, now).map_err(MoveError::Failed)?;
    let durable = take_away(disk, project, &spot, &|at| Ok(read(at)? == bytes))
        .inspect_err(|_| note::take_back(&entry))?;
    Ok((Moved { path: spot.path(), sha256: hash, bytes: bytes.len(), durable, unnoted: None }, entry))
}

/// Moves the file aside in one step, looks at what was moved, and only then removes it. What somebody wrote in the
/// last moment is put back.
fn take_away(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    is_saved: &dyn Fn(&Path) -> Result<bool, MoveError>,
) -> Result<bool, MoveError> {
    let fail = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => MoveError::Changed,
        _ => MoveError::Failed(failed(spot, &cause)),
    };
    let dir = record::open_parent(disk, project, &spot.parent).map_err(fail)?;
    let mut aside = record::temp_name().map_err(fail)?;
    // Not a name that is swept: should it stay behind, somebody's last words may be in it.
    aside.push(".aside");
    disk.rename_new(&dir, &spot.name, &aside)
        .or_else(|cause| match cause.kind() {
            io::ErrorKind::NotFound => Err(cause),
            // Not every file system can; the name is random, so nothing is in the way.
            _ => disk.rename(&dir, &spot.name, &aside),
        })
        .map_err(fail)?;
    let moved = project.root().join(&spot.parent).join(&aside);
    match is_saved(&moved) {
        Ok(true) => {}
        verdict => {
            record::commit(disk, &dir, &aside, &spot.name).map_err(|_| left_aside(&aside))?;
            return Err(verdict.err().unwrap_or(MoveError::Changed));
        }
    }
    if let Err(cause) = disk.unlink(&dir, &aside).or_else(|_| disk.unlink(&dir, &aside)) {
        record::commit(disk, &dir, &aside, &spot.name).map_err(|_| left_aside(&aside))?;
        return Err(fail(cause));
    }
    Ok(disk.sync_dir(&dir).is_ok())
}

pub(super) fn failed(spot: &Spot, cause: &io::Error) -> Error {
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("Cannot move {0}; it is untouched.", "无法移动 {0}；未作改动。");
    Error::io("move-failed", sentence, &[&shown], cause)
}

fn left_aside(aside: &OsStr) -> MoveError {
    let sentence = say(
        "Another program wrote a new record while the old one was being moved; the old one is kept beside it as {0}.",
        "移动旧记录时，其他程序写入了新记录；旧记录保存在同一目录的 {0}。",
    );
    let name = aside.to_string_lossy();
    MoveError::Failed(Error::new(ExitCode::Failed, "moved-aside", sentence, &[&name]))
}

fn odd(spot: &Spot, problem: &Problem) -> Error {
    use crate::text::Lang;
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("{0} is not a record that can be moved: {1}.", "{0} 不是可以移动的记录：{2}。");
    let parts = [problem.found.text(Lang::En), problem.found.text(Lang::ZhCn)];
    Error::new(ExitCode::Malformed, "not-a-record", sentence, &[&shown, &parts[0], &parts[1]])
        .hint(say("Move it away by hand.", "请手动移走它。"), &[])
}
