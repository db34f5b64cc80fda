//! Taking a record away without losing it, and putting one of the history back.
//!
//! The copy is on the disk before a record goes. A record that is there is never written over: it goes to the history first,
//! and only if it is the one that was looked at. `exchange` moves the files.

use super::entry::{HistoryEntry, Reason, Story, entries};
use super::exchange::{self, MoveError, NewRecord, failed};
use super::note::{self, Note, restored};
use crate::ask::{Gate, JsString, QuestionSpec, decode_spec};
use crate::error::Error;
use crate::store::disk::Disk;
use crate::store::gate;
use crate::store::project::Project;
use crate::store::record;
use crate::store::safe_path::{self, Refusal, Spot};
use crate::store::sha256;
use crate::store::state::StateDir;
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

/// Moves the record at an answer path into history, byte for byte; `seen` is the hash of the record the author looked at.
/// Where it fails, the record is untouched.
pub fn remove(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    remove_on(project.disk(), project, state, story, seen, now)
}

pub(super) fn remove_on(
    disk: &dyn Disk,
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    move_out(disk, project, state, story, None, seen, now)
}

/// Puts a record in the place of the one that is there, which goes to the history, byte for byte; `seen` is its hash. Where
/// it fails, the old record is untouched, or the error says where it is.
pub fn replace(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    new: NewRecord<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    replace_on(project.disk(), project, state, story, seen, new, now)
}

pub(super) fn replace_on(
    disk: &dyn Disk,
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    seen: Option<&str>,
    new: NewRecord<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let moved = move_out(disk, project, state, story, Some(new), seen, now)?;
    Ok(Moved { sha256: sha256(new.bytes), bytes: new.bytes.len(), ..moved })
}

/// Notes the record that is there in the history, and then puts the new one in its place or takes it away.
fn move_out(
    disk: &dyn Disk,
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    new: Option<NewRecord<'_>>,
    seen: Option<&str>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    if project.root().join(spot.path()).symlink_metadata().is_err() {
        return Err(MoveError::NoRecord);
    }
    let bytes = exchange::read(disk, project, &spot, &spot.name)?;
    let hash = sha256(&bytes);
    if seen.is_some_and(|seen| seen != hash) {
        return Err(MoveError::Changed);
    }
    let reason = if new.is_some() { Reason::Replaced } else { Reason::Redone };
    if safe_path::is_packet(&spot.path(), &bytes) {
        return Err(MoveError::Refused(Refusal::Packet));
    }
    let note = Note { reason, of: None, bytes: &bytes };
    let entry = note::add(state, story, &note, now).map_err(MoveError::Failed)?;
    let done = match new {
        Some(new) => exchange::replace(disk, project, &spot, &bytes, new),
        None => exchange::take_away(disk, project, &spot, &bytes),
    };
    let durable = done.inspect_err(|fault| {
        if !matches!(fault, MoveError::Astray(_)) {
            note::take_back(&entry);
        }
    })?;
    sweep(disk, project, state, &spot, now);
    Ok(Moved { path: spot.path(), sha256: hash, bytes: bytes.len(), durable, unnoted: None })
}

/// Removes what a crash left of records that were moved aside, if the history has or had their bytes.
fn sweep(disk: &dyn Disk, project: &Project, state: &StateDir, spot: &Spot, now: SystemTime) {
    let known = |bytes: &[u8]| {
        let sql = "SELECT EXISTS (SELECT 1 FROM entries WHERE sha256 = ?1 UNION SELECT 1 FROM forgotten WHERE sha256 = ?1)";
        let hash = sha256(bytes);
        let found = state.read(|state| state.query_row(sql, [&hash], |row| row.get(0)));
        found.is_ok_and(|known| known == Some(true))
    };
    exchange::sweep(disk, project, spot, now, known);
}

/// The same for the directory of a gate's record.
pub fn sweep_beside(project: &Project, state: &StateDir, answer_path: &JsString, now: SystemTime) {
    if let Ok(spot) = safe_path::spot(project, answer_path) {
        sweep(project.disk(), project, state, &spot, now);
    }
}

/// Puts the record that went last from an answer path back, byte for byte, unless one is there. Deleting it by hand is
/// removing it too. Where it fails, nothing has changed.
pub fn restore(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let is_there = || {
        let spot = safe_path::spot(project, story.answer_path);
        spot.is_ok_and(|spot| project.root().join(spot.path()).symlink_metadata().is_ok())
    };
    let (last, bytes) = last_kept(state, story.answer_path, is_there)?;
    let asked = asked(&last);
    let story = with_questions(*story, asked.as_ref());
    put_back(project, state, &story, &last, &bytes, now)
}

/// The entry with the record that went last, and the record. Whoever noted that a record goes takes that back if it does not
/// go after all: an entry that is gone when it is to be read means that there is another last one.
pub(super) fn last_kept(
    state: &StateDir,
    answer_path: &JsString,
    is_there: impl Fn() -> bool,
) -> Result<(HistoryEntry, Vec<u8>), MoveError> {
    let mut unread = None;
    loop {
        let all = entries(state, answer_path).map_err(MoveError::Failed)?;
        let last = last_removed(&all, is_there()).ok_or(MoveError::NothingToUndo)?;
        match last.bytes() {
            Ok(bytes) => return Ok((last.clone(), bytes)),
            Err(_) if unread.as_ref() != Some(&last.id) => unread = Some(last.id.clone()),
            Err(error) => return Err(MoveError::Failed(error)),
        }
    }
}

/// The entry with the record that went last. If the newest entry says that its record is there, and it is not, then it was
/// deleted by hand, and nothing has gone since.
fn last_removed(all: &[HistoryEntry], there: bool) -> Option<&HistoryEntry> {
    let is_back = |id: &str| restored(all).any(|back| back == id);
    let newest = all.last().filter(|entry| !there && !entry.reason.is_removal());
    let removed = || all.iter().rev().find(|entry| entry.reason.is_removal() && !is_back(&entry.id));
    newest.or_else(removed)
}

/// What an entry says was asked, and how that was written.
fn asked(entry: &HistoryEntry) -> Option<(QuestionSpec, String)> {
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
    entry: &HistoryEntry,
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
        Over::Nothing => return put_back(project, state, &story, kept.0, kept.1, now),
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
    // Whoever puts an entry back means these bytes, whatever is asked.
    let new = NewRecord { bytes: kept.1, is_asked: &|| true };
    match replace(project, state, &standing, seen, new, now) {
        Ok(moved) => Ok(note_back(state, &story, kept.0, kept.1, moved, now)),
        Err(MoveError::NoRecord) if seen.is_none() => put_back(project, state, &story, kept.0, kept.1, now),
        Err(MoveError::NoRecord) => Err(MoveError::Changed),
        Err(fault) => Err(fault),
    }
}

fn is_of(entry: &HistoryEntry, state: &StateDir, gate: &Gate) -> bool {
    state.gate_key(&gate.answer_path) == entry.gate
}

fn put_back(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    entry: &HistoryEntry,
    bytes: &[u8],
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let durable =
        record::place(project.disk(), project, &spot, bytes).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => MoveError::Exists,
            _ => failed(&spot, &cause),
        })?;
    sweep(project.disk(), project, state, &spot, now);
    let moved =
        Moved { path: spot.path(), sha256: sha256(bytes), bytes: bytes.len(), durable, unnoted: None };
    Ok(note_back(state, story, entry, bytes, moved, now))
}

/// Notes that the record of an entry was put back.
fn note_back(
    state: &StateDir,
    story: &Story<'_>,
    entry: &HistoryEntry,
    bytes: &[u8],
    moved: Moved,
    now: SystemTime,
) -> Moved {
    let note = Note { reason: Reason::Restored, of: Some(&entry.id), bytes };
    // The record is there; that it could not be noted takes nothing from it.
    let unnoted = note::add(state, story, &note, now).err();
    Moved { unnoted, ..moved }
}
