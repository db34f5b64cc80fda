//! Answers on the way to their gate, and the packet that they are for, as it is now.

use super::attach::attach;
use super::gate::{self, Loaded};
use super::history::Over;
use super::project::Project;
use super::record::WriteError;
use super::reply::{self, Seen};
use super::safe_path;
use crate::ask::JsString;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::text::say;
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

/// Whether a record has characters that were lost when somebody's file was read as UTF-8 that is none.
fn has_lost_characters(record: &[u8]) -> bool {
    const LOST: [u8; 3] = *b"\xef\xbf\xbd";
    record.windows(LOST.len()).any(|bytes| bytes == LOST)
}

/// Refuses such a record where nobody can be asked about it.
pub fn refuse_lost_characters(packet: &Path, record: &[u8]) -> Result<(), WriteError> {
    if !has_lost_characters(record) {
        return Ok(());
    }
    let sentence = say(
        "The record would have characters that are lost (U+FFFD): {0} is not UTF-8, or repeats text that was not.",
        "记录中会有已丢失的字符（U+FFFD）：{0} 不是 UTF-8，或照抄了不是 UTF-8 的文字。",
    );
    let error = Error::new(ExitCode::Malformed, "lost-characters", sentence, &[&packet.shown()]);
    let hint = say("Write the packet again as UTF-8.", "请用 UTF-8 重新写入指令包。");
    Err(WriteError::Failed(error.hint(hint, &[])))
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
