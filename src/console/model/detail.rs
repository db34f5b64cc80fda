//! The selected gate as last loaded, for the pane beside the list.

use super::{Message, Model, Output, SavedDraft};
use crate::ask::cause::Cause;
use crate::ask::{AnswerSpec, Packet, Problem};
use crate::store::history;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    pub path: PathBuf,
    pub content: DetailContent,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DetailContent {
    /// A usable packet.
    Gate {
        packet: Arc<Packet>,
        record: RecordView,
        /// What the step is to make.
        outputs: Vec<Output>,
        /// Why no record can be written, if none can.
        refusal: Option<Message>,
        /// What Ctrl+U can restore there.
        undo: Option<Undo>,
        /// The author's answers that are kept and not submitted.
        draft: Option<Box<SavedDraft>>,
        /// Whether the text of a record that the author has edited is kept for it.
        edited: bool,
        /// Whether nobody waits any more for the answers to this question of an executor's own.
        orphaned: bool,
    },
    /// A packet that is not usable, and why.
    Malformed(Vec<Problem>),
    /// The file could not be read any more.
    Gone(Message),
}

#[derive(Clone, Debug, PartialEq)]
pub enum RecordView {
    Absent,
    Valid(AnswerSpec),
    /// There, but invalid: why, and its text as far as it can be shown.
    Invalid {
        problems: Vec<Problem>,
        /// What happened to it, as far as it is known.
        causes: Vec<Cause>,
        /// The file's text, lossily decoded.
        text: String,
        /// Whether the file is plainly something else than a record.
        foreign: bool,
        /// Whether what lies there is a file that could be read; a directory can be neither repaired nor removed here.
        readable: bool,
    },
}

/// What Ctrl+U puts back at a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// The record that was removed last.
    Redo,
    /// The record that was written here last; others have replaced or removed it since.
    Written {
        /// As it was written.
        entry: Box<history::HistoryEntry>,
        /// Whether something lies in its place.
        replaced: bool,
    },
}

impl Model {
    /// What Ctrl+U can restore at the selected gate, as far as it is known. A record that the executor removes after it
    /// has passed the step is no loss.
    pub fn undo(&self) -> Option<&Undo> {
        let DetailContent::Gate { undo, .. } = self.content()? else { return None };
        let past = self.inbox.selected()?.past;
        undo.as_ref().filter(|undo| !(past && matches!(undo, Undo::Written { replaced: false, .. })))
    }

    /// Whether the text of a record that the author has edited is kept for the selected gate.
    pub fn has_edited(&self) -> bool {
        matches!(self.content(), Some(DetailContent::Gate { edited: true, .. }))
    }

    /// Whether something lies in the place of the selected gate's record that cannot be read, such as a directory.
    pub fn is_unreadable(&self) -> bool {
        let Some(DetailContent::Gate { record, .. }) = self.content() else { return false };
        matches!(record, RecordView::Invalid { readable: false, .. })
    }

    fn content(&self) -> Option<&DetailContent> {
        self.inbox.current_detail().map(|detail| &detail.content)
    }
}
