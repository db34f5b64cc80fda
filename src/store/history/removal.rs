//! Taking a record away without losing it, and putting one of the history back.
//!
//! The copy is on the disk before a record goes; what somebody wrote in the last moment is put back. A record that is there is
//! never written over: it goes to the history first, and only if it is the one that was looked at.

use super::entry::{Entry, Reason, Story, entries};
use super::note::{self, Note, restored};
use crate::ask::{Gate, Problem, QuestionSpec, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::disk::Disk;
use crate::store::file::Read;
use crate::store::gate;
use crate::store::project::Project;
use crate::store::record;
use crate::store::safe_path::{self, Refusal, Spot};
use crate::store::sha256;
use crate::store::state::StateDir;
use crate::text::{Lang, say};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A record that was removed, or put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it lay, or lies, relative to the root.
    pub path: PathBuf,
    pub sha256: String,
    pub bytes: usize,
    /// Whether the system confirmed that the change is on the disk.
    pub durable: bool,
    /// Why the history could not note that it was put back; the record is there all the same.
    pub unnoted: Option<Error>,
}

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
    /// The system refused (exit 1).
    Failed(Error),
}

/// What to do with a record that is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over<'o> {
    /// Leave it.
    Nothing,
    /// Move it to history.
    Any,
    /// Move it to history if its bytes have this hash.
    Hash(&'o str),
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
            MoveError::Failed(error) => error.clone(),
        }
    }
}

/// Moves the record at an answer path into history, byte for byte; `seen` is the hash of the record the author looked at.
/// Where it fails, the record is untouched.
pub fn remove(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    remove_on(project.disk(), (project, state), story, (Reason::Redone, seen), now)
}

/// The same to make room for another record.
pub fn set_aside(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    remove_on(project.disk(), (project, state), story, (Reason::Replaced, seen), now)
}

pub(super) fn remove_on(
    disk: &dyn Disk,
    (project, state): (&Project, &StateDir),
    story: &Story<'_>,
    (reason, seen): (Reason, Option<&str>),
    now: SystemTime,
) -> Result<Moved, MoveError> {
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
        Err(cause) => Err(failed(&spot, &cause)),
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
    Ok(Moved { path: spot.path(), sha256: hash, bytes: bytes.len(), durable, unnoted: None })
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
        _ => failed(spot, &cause),
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
    let put_back = || record::commit(disk, &dir, &aside, &spot.name).map_err(|_| left_aside(&aside));
    match is_saved(&project.root().join(&spot.parent).join(&aside)) {
        Ok(true) => {}
        verdict => {
            put_back()?;
            return Err(verdict.err().unwrap_or(MoveError::Changed));
        }
    }
    if let Err(cause) = disk.unlink(&dir, &aside).or_else(|_| disk.unlink(&dir, &aside)) {
        put_back()?;
        return Err(fail(cause));
    }
    Ok(disk.sync_dir(&dir).is_ok())
}

fn failed(spot: &Spot, cause: &io::Error) -> MoveError {
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("Cannot move {0}; it is untouched.", "无法移动 {0}；未作改动。");
    MoveError::Failed(Error::io("move-failed", sentence, &[&shown], cause))
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
    let shown = spot.path().to_string_lossy().into_owned();
    let sentence = say("{0} is not a record that can be moved: {1}.", "{0} 不是可以移动的记录：{2}。");
    let parts = [problem.found.text(Lang::En), problem.found.text(Lang::ZhCn)];
    Error::new(ExitCode::Malformed, "not-a-record", sentence, &[&shown, &parts[0], &parts[1]])
        .hint(say("Move it away by hand.", "请手动移走它。"), &[])
}

/// Puts the record that went last from an answer path back, byte for byte, unless one is there. Deleting it by hand is
/// removing it too. Where it fails, nothing has changed.
pub fn restore(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let all = entries(state, story.answer_path).map_err(MoveError::Failed)?;
    let there = safe_path::spot(project, story.answer_path)
        .is_ok_and(|spot| project.root().join(spot.path()).symlink_metadata().is_ok());
    let last = last_removed(&all, there).ok_or(MoveError::NothingToUndo)?;
    let asked = asked(last);
    let story = with_questions(*story, asked.as_ref());
    put_back(project, state, &story, (last, &last.bytes().map_err(MoveError::Failed)?), now)
}

/// The entry with the record that went last. If the newest entry says that its record is there, and it is not, then it was
/// deleted by hand, and nothing has gone since.
fn last_removed(all: &[Entry], there: bool) -> Option<&Entry> {
    let is_back = |id: &str| restored(all).any(|back| back == id);
    let newest = all.last().filter(|entry| !there && !entry.reason.is_removal());
    let removed = || all.iter().rev().find(|entry| entry.reason.is_removal() && !is_back(&entry.id));
    newest.or_else(removed)
}

/// What an entry says was asked, and how that was written.
fn asked(entry: &Entry) -> Option<(QuestionSpec, String)> {
    let written = entry.novel_ask()?;
    Some((decode_spec(written.as_bytes()).ok()?, written))
}

fn with_questions<'s>(story: Story<'s>, asked: Option<&'s (QuestionSpec, String)>) -> Story<'s> {
    asked.map_or(story, |(spec, written)| Story { spec: Some(spec), novel_ask: Some(written), ..story })
}

/// Puts any entry's record back, byte for byte. Where it fails, nothing has changed: [`MoveError::Exists`] says that a record
/// is there and `over` leaves it, [`MoveError::Changed`] that it is not the one that was meant.
pub fn restore_entry(
    project: &Project,
    state: &StateDir,
    entry: &Entry,
    over: Over<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    // What cannot be put back must not push anything aside; and what is pushed aside may push this entry out.
    let kept = (entry, &*entry.bytes().map_err(MoveError::Failed)?);
    let (packet, step) = (entry.packet.as_deref().map(Path::new), entry.step.as_ref());
    let bare = Story { answer_path: &entry.answer_path, packet, step, spec: None, novel_ask: None };
    let asked = asked(entry);
    let story = with_questions(bare, asked.as_ref());
    let seen = match over {
        Over::Nothing => return put_back(project, state, &story, kept, now),
        Over::Any => None,
        Over::Hash(seen) => Some(seen),
    };
    // What is in the way answers what is asked now.
    let asking = packet.and_then(|packet| gate::load(project, packet).ok());
    let gate = asking.as_ref().and_then(|asking| Some((asking.gate()?, asking.novel_ask.as_deref())));
    let standing = match gate {
        Some((gate, novel_ask)) if is_of(entry, state, gate) => {
            Story { spec: Some(&gate.spec), novel_ask, ..story }
        }
        _ => story,
    };
    match set_aside(project, state, &standing, seen, now) {
        Ok(_) => put_back(project, state, &story, kept, now).inspect_err(|_| {
            // If somebody else's record is there by now, the old one stays in the history.
            let _ = restore(project, state, &story, now);
        }),
        Err(MoveError::NoRecord) if seen.is_none() => put_back(project, state, &story, kept, now),
        Err(MoveError::NoRecord) => Err(MoveError::Changed),
        Err(fault) => Err(fault),
    }
}

fn is_of(entry: &Entry, state: &StateDir, gate: &Gate) -> bool {
    state.gate_key(&gate.answer_path) == entry.gate
}

fn put_back(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    (entry, bytes): (&Entry, &[u8]),
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let durable =
        record::place(project.disk(), project, &spot, bytes).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => MoveError::Exists,
            _ => failed(&spot, &cause),
        })?;
    let note = Note { reason: Reason::Restored, of: Some(&entry.id), bytes };
    // The record is there; that it could not be noted takes nothing from it.
    let unnoted = note::add(state, story, &note, now).err();
    Ok(Moved { path: spot.path(), sha256: sha256(bytes), bytes: bytes.len(), durable, unnoted })
}
