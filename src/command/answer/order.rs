//! What `answer` is to do, and what it has done.

use crate::ask::{AnswerSpec, JsString};
use crate::command::input::NamedPacket;
use crate::error::Error;
use crate::store::reply::Reply;
use crate::store::returned::{Returned, Why};
use crate::store::{Project, Receipt};
use std::path::PathBuf;

/// What is to be answered, and by whom.
pub(super) struct Order<'o> {
    pub(super) project: &'o Project,
    pub(super) packet: &'o NamedPacket,
    pub(super) answered_by: &'o JsString,
    /// Packets that want other answers in the same place.
    pub(super) rivals: &'o [PathBuf],
}

/// What came of the answers.
pub(super) enum Done {
    Written(WrittenRecord),
    SentBack(Box<Returned>),
    /// A dry run: the answers would send the step back.
    Refusing(Why),
    /// What was sent back is so no longer.
    TakenBack(Reply),
}

/// What was written, or would have been.
pub(super) struct WrittenRecord {
    pub(super) record: AnswerSpec,
    /// `None` after a dry run.
    pub(super) receipt: Option<Receipt>,
    /// Why the history could not be kept.
    pub(super) trouble: Option<Error>,
    /// The standing question that the step asks next.
    pub(super) next: Option<String>,
}
