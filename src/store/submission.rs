//! Answers on the way to their gate, and the packet that they are for, as it is now.

use super::attach::attach;
use super::gate::{self, Loaded};
use super::history::Over;
use super::project::Project;
use super::record::WriteError;
use super::reply::{self, Seen};
use super::safe_path;
use crate::ask::JsString;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    pub packet: &'a Path,
    /// Where the answers were to go when they were given.
    pub answer_path: &'a JsString,
    /// The [`spec_hash`](gate::spec_hash) of the questions that were answered.
    pub asked: &'a str,
    /// The record to be written, byte for byte; of a step that is sent back, the answers so far.
    pub bytes: &'a [u8],
    /// Packets that are known to want other answers in the same place, relative to the root; see `collision`.
    pub rivals: &'a [PathBuf],
    pub over: Over<'a>,
    /// What the author had before him, where it may be another by now.
    pub seen: Option<&'a Seen>,
}

/// The packet, with the question that it is to carry.
pub(super) fn attached(project: &Project, submission: &Submission<'_>) -> Result<Loaded, WriteError> {
    let loaded = load_asked(project, submission)?;
    if !loaded.is_unattached || loaded.refusal.is_some() {
        return Ok(loaded);
    }
    attach(project, submission.packet).map_err(WriteError::Failed)?;
    load_asked(project, submission)
}

/// The packet, if it still asks what was answered, in the place where the author was shown.
pub(super) fn load_asked(project: &Project, submission: &Submission<'_>) -> Result<Loaded, WriteError> {
    let loaded = gate::load(project, submission.packet).map_err(WriteError::Packet)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    let place = |path| safe_path::named_place(project.root(), path);
    let is_same = gate.answer_path == *submission.answer_path
        || place(&gate.answer_path) == place(submission.answer_path);
    if !is_same || loaded.spec_hash() != submission.asked {
        return Err(WriteError::Stale);
    }
    let is_other = |seen: &&Seen| **seen != reply::seen(project, submission.packet, &loaded.packet);
    if submission.seen.as_ref().is_some_and(is_other) { Err(WriteError::Unseen) } else { Ok(loaded) }
}
