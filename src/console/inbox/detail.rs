//! The selected gate as last loaded, for the pane beside the list.

use crate::ask::cause::Cause;
use crate::ask::{AnswerSpec, Packet, Problem, is_another_document};
use crate::console::files::Files;
use crate::console::model::{Message, Output, SavedDraft};
use crate::console::say::both;
use crate::console::sentences as s;
use crate::store::gate::{LoadFault, Loaded};
use crate::store::history;
use crate::store::record::RecordState;
use crate::store::relay::is_orphaned;
use std::path::{Path, PathBuf};
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

impl Files {
    /// Loads a gate for the pane beside the list.
    pub fn detail(&self, path: &Path) -> Detail {
        let content = match self.load(path) {
            Ok(loaded) => self.gate_detail(loaded),
            Err(LoadFault::Malformed(problems)) => DetailContent::Malformed(problems),
            Err(LoadFault::Unreadable(error)) => DetailContent::Gone(both(s::PLAIN, &error)),
        };
        Detail { path: path.to_path_buf(), content }
    }

    fn gate_detail(&self, loaded: Loaded) -> DetailContent {
        let (outputs, undo) = (loaded.outputs(&self.project), self.undo_at(&loaded));
        let readable = loaded.record.is_read();
        let orphaned = is_orphaned(&self.project, self.project.relative(&loaded.path));
        let Loaded { packet, record, refusal, .. } = loaded;
        let gate = packet.gate.as_ref();
        let draft = gate.and_then(|gate| {
            let kept = || self.drafts().peek(&gate.answer_path, &gate.spec);
            self.pending_draft(gate).or_else(kept).filter(SavedDraft::is_authors).map(Box::new)
        });
        let record = match record.state {
            RecordState::Absent => RecordView::Absent,
            RecordState::Valid(record) => RecordView::Valid(record),
            RecordState::Invalid(problems) => RecordView::Invalid {
                causes: gate.map(|gate| self.causes(gate, &record.bytes, &problems)).unwrap_or_default(),
                problems,
                foreign: is_another_document(&record.bytes),
                readable,
                text: String::from_utf8_lossy(&record.bytes).into_owned(),
            },
        };
        DetailContent::Gate {
            edited: gate.is_some_and(|gate| self.edited(&gate.answer_path).is_some()),
            packet: Arc::new(packet),
            record,
            outputs,
            refusal: refusal.map(|refusal| Message::from(refusal.sentence())),
            undo,
            draft,
            orphaned,
        }
    }
}
