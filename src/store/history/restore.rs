//! Putting a record of the history back: never over a record that is there, unless that one goes to the history first and
//! is the one that was looked at.

use super::aside::failed;
use super::note::{self, Note, restored};
use super::{Entry, MoveError, Moved, Reason, Story, entries};
use crate::ask::{Gate, QuestionSpec, decode_spec};
use crate::store::disk::SystemDisk;
use crate::store::gate;
use crate::store::project::Project;
use crate::store::record;
use crate::store::safe_path;
use crate::store::sha256;
use crate::store::state::StateDir;
use std::io;
use std::path::Path;
use std::time::SystemTime;

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

/// Puts the record that went last from an answer path back, byte for byte, unless one is there. Deleting it by hand is
/// removing it too.
///
/// # Errors
/// Nothing has changed.
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
    let asked = Asked::of(last);
    let story = asked.as_ref().map_or(*story, |asked| asked.in_story(*story));
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

/// What an entry says was asked.
struct Asked {
    spec: QuestionSpec,
    written: String,
}

impl Asked {
    fn of(entry: &Entry) -> Option<Asked> {
        let written = entry.novel_ask()?;
        Some(Asked { spec: decode_spec(written.as_bytes()).ok()?, written })
    }

    fn in_story<'s>(&'s self, story: Story<'s>) -> Story<'s> {
        Story { spec: Some(&self.spec), novel_ask: Some(&self.written), ..story }
    }
}

/// Puts any entry's record back, byte for byte.
///
/// # Errors
/// Nothing has changed. [`MoveError::Exists`]: a record is there, and nothing was said about it;
/// [`MoveError::Changed`]: it is not the one that was meant.
pub fn restore_entry(
    project: &Project,
    state: &StateDir,
    entry: &Entry,
    over: Over<'_>,
    now: SystemTime,
) -> Result<Moved, MoveError> {
    // What cannot be put back must not push anything aside; and what is pushed aside may push this entry out.
    let kept = (entry, &*entry.bytes().map_err(MoveError::Failed)?);
    let asked = Asked::of(entry);
    let packet = entry.packet.as_deref().map(Path::new);
    let bare = Story {
        answer_path: &entry.answer_path,
        packet,
        step: entry.step.as_ref(),
        spec: None,
        novel_ask: None,
    };
    let story = asked.as_ref().map_or(bare, |asked| asked.in_story(bare));
    // What is in the way answers what is asked now.
    let asking = packet.and_then(|packet| gate::load(project, packet).ok());
    let gate = asking.as_ref().and_then(|asking| asking.gate());
    let is_its = |gate: &&Gate| state.gate_key(&gate.answer_path) == entry.gate;
    let gate = gate.filter(is_its);
    let standing = match (gate, &asking) {
        (Some(gate), Some(asking)) => {
            Story { spec: Some(&gate.spec), novel_ask: asking.novel_ask.as_deref(), ..story }
        }
        _ => story,
    };
    let seen = match over {
        Over::Nothing => return put_back(project, state, &story, kept, now),
        Over::Any => None,
        Over::Hash(seen) => Some(seen),
    };
    match super::set_aside(project, state, &standing, seen, now) {
        Ok(_) => put_back(project, state, &story, kept, now).inspect_err(|_| {
            // If somebody else's record is there by now, the old one stays in the history.
            let _ = restore(project, state, &story, now);
        }),
        Err(MoveError::NoRecord) if seen.is_none() => put_back(project, state, &story, kept, now),
        Err(MoveError::NoRecord) => Err(MoveError::Changed),
        Err(fault) => Err(fault),
    }
}

fn put_back(
    project: &Project,
    state: &StateDir,
    story: &Story<'_>,
    (entry, bytes): (&Entry, &[u8]),
    now: SystemTime,
) -> Result<Moved, MoveError> {
    let moved = place(project, story, bytes)?;
    let note = Note { reason: Reason::Restored, of: Some(&entry.id), bytes };
    // The record is there; that it could not be noted takes nothing from it.
    let unnoted = note::add(state, story, &note, now).err();
    Ok(Moved { unnoted, ..moved })
}

fn place(project: &Project, story: &Story<'_>, bytes: &[u8]) -> Result<Moved, MoveError> {
    let spot = safe_path::spot(project, story.answer_path).map_err(MoveError::Refused)?;
    let durable = record::place(&SystemDisk, project, &spot, bytes).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => MoveError::Exists,
        _ => MoveError::Failed(failed(&spot, &cause)),
    })?;
    Ok(Moved { path: spot.path(), sha256: sha256(bytes), bytes: bytes.len(), durable, unnoted: None })
}
