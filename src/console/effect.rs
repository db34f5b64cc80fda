//! What the console wants done outside itself, and what comes back.
//!
//! Responsible for the two enums that join `update` to the world. Not responsible for doing anything: `effect_handler` does.

use super::model::{
    Asked, Before, Detail, EditVerdict, EditedRecord, HistoryFound, Message, Opened, PastEntry, Progress,
    Recalled, RedoWarning, Repair, Restoring, Scope, Written,
};
use crate::ask::{AnswerSpec, Draft, JsString, Packet};
use crate::store::Project;
use crate::store::entry::Entry;
use crate::store::gate::Output;
use crate::store::record::Receipt;
use crate::store::watch::Mode;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// Something to be done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Load a gate for the detail pane.
    Load(PathBuf),
    /// Load a gate for answering, with its draft.
    Open(PathBuf),
    /// Look at the open gate again, because its files may have changed.
    Reload {
        /// The packet's file, relative to the root.
        path: PathBuf,
        /// Hash of the questions that are open.
        spec_hash: String,
    },
    /// Keep these answers safe.
    SaveDraft(Box<DraftToSave>),
    /// Write a record.
    Submit(Box<Submission>),
    /// Look what has become of a record written here, and what the step has made.
    Verify(Box<Written>),
    /// Put a record written here back; what lies there by now goes to the history.
    PutBack(Box<Written>),
    /// Remove the record of a gate.
    Redo {
        /// The packet's file, relative to the root.
        path: PathBuf,
        /// Whether the checkpoint has passed its step.
        past: bool,
        /// The record that the author was warned about; without it, what is worth a warning is asked about first.
        warned: Option<String>,
    },
    /// Put the last removed record back.
    UndoRedo(PathBuf),
    /// Look at the files now.
    Rescan,
    /// Look at this packet and its record now: one of them was just changed from here.
    LookAt(PathBuf),
    /// Go through this handle from now on: the project's directory was replaced by another of the same name.
    Adopt(Arc<Project>),
    /// Note the records that others have written.
    NoteSeen(Vec<Arc<Entry>>),
    /// Look whether the record of a gate is really gone, now that nothing is being written from here.
    SeeIfLost(PathBuf),
    /// Read a history, as far as these words are in it.
    ReadHistory(Scope, String),
    /// The same without anybody waiting for it: other words are typed, or entries may have come or gone since it was read
    /// with this result.
    RereadHistory {
        /// Whose history.
        scope: Scope,
        /// What is looked for.
        words: String,
        /// As it was read.
        stamp: Option<u128>,
        /// Hash of the record that was there.
        seen: Option<String>,
    },
    /// Read what an entry of the history says.
    Recall(Arc<PastEntry>),
    /// See what it means to put an entry back: for which of these packets, over what.
    SeeRestore(Box<PastEntry>, Vec<PathBuf>),
    /// Put an entry of the history back.
    RestoreEntry(Box<Restoring>),
    /// Get the text of a gate's record, for the author's editor.
    LendRecord(PathBuf),
    /// See what an edited record is worth.
    CheckEdited(Box<EditedRecord>),
    /// Write an edited record in the place of the one it was made of.
    WriteEdited(Box<EditedRecord>),
    /// Keep the text of an edited record, which is not checked.
    KeepEdited(Box<EditedRecord>),
    /// Let the kept text of an edited record go.
    DropEdited(Box<EditedRecord>),
    /// Let the author's editor change this text.
    Edit {
        /// The text.
        text: String,
        /// What the file's name ends with, so that the editor knows what it is.
        ending: &'static str,
    },
    /// Ring once: something waits.
    Bell,
    /// Stop the program until the shell continues it.
    Suspend,
    /// Paint everything anew.
    Repaint,
    /// End with this exit code.
    Quit(i32),
}

/// Answers to be kept.
#[derive(Clone, Debug)]
pub struct DraftToSave {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    /// The packet whose questions these answers are for.
    pub packet: Arc<crate::ask::Packet>,
    /// Hash of those questions.
    pub spec_hash: String,
    /// The answers.
    pub draft: Draft,
    /// What an earlier draft held that fits no more.
    pub orphans: Vec<crate::ask::draft::Orphan>,
    /// The question the author is at.
    pub at: usize,
}

/// A record to be written.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The answers, kept as a draft first.
    pub draft: DraftToSave,
    /// Who answers.
    pub answered_by: String,
    /// Hash of the bad record that was shown and is to be replaced.
    pub replaces: Option<String>,
    /// Packets that want other answers in the same place, relative to the root.
    pub rivals: Vec<PathBuf>,
}

/// Something that happened outside.
#[derive(Clone, Debug)]
pub enum EffectResult {
    /// The list of gates.
    Entries {
        /// Sorted for the inbox.
        entries: Vec<Arc<Entry>>,
        /// Whether the first look has ended.
        complete: bool,
    },
    /// The gates are as they were, but other files may have changed.
    Looked,
    /// How changes are noticed from now on.
    Watching(Mode),
    /// The project's directory is gone.
    RootGone,
    /// A gate for the detail pane.
    Loaded(Box<Detail>),
    /// A gate for answering.
    Opened(Box<Opened>),
    /// A gate that cannot be answered, and why.
    NotOpened(PathBuf, Message),
    /// The open gate, loaded again.
    Reloaded(Box<Reloaded>),
    /// A record was written and verified.
    Submitted(Box<Submitted>),
    /// A record was not written.
    NotSubmitted(PathBuf, Box<Unwritten>),
    /// A record written here, looked at again.
    Verified {
        /// The packet.
        path: PathBuf,
        /// What has become of it.
        progress: Box<Progress>,
    },
    /// A record written here is back in its place.
    PutBack(PathBuf),
    /// The record of a gate was deleted by other hands.
    RecordLost(PathBuf),
    /// Before a record is removed, the author has to know something.
    RedoAsks(PathBuf, Box<RedoWarning>),
    /// The text of a record, for the author's editor, and whether it is one that was edited before.
    RecordLent(Box<EditedRecord>, bool),
    /// What an edited record is worth.
    EditChecked(Box<EditedRecord>, EditVerdict),
    /// A record was removed; its bytes are kept.
    Removed(PathBuf),
    /// A removed record is back.
    Restored(PathBuf),
    /// What was read of a history.
    HistoryRead(Box<HistoryFound>),
    /// The history that is shown, read again.
    HistoryReread(Box<HistoryFound>),
    /// What an entry of the history says.
    Recalled(Box<Recalled>),
    /// What it means to put an entry back.
    RestoreAsks(Box<Restoring>),
    /// An entry of the history is in its place again.
    EntryRestored(PathBuf),
    /// It is not, and why.
    EntryNotRestored(Message),
    /// Something asked for could not be done.
    Failed(Message),
    /// Answers could not be kept safe; `None` once they can be again.
    DraftTrouble(JsString, Option<Message>),
    /// The author's editor has ended.
    EditedText(FromEditor),
}

/// What came back from the author's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromEditor {
    /// The text as it was left, however the editor ended; `None` if it cannot be read.
    pub text: Option<String>,
    /// How it ended.
    pub end: EditorEnd,
}

/// How the author's editor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorEnd {
    /// As it should.
    Well,
    /// With a failure, or by a signal.
    Badly,
    /// It could not be started.
    NotFound,
}

/// A record that was written and verified.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    /// What it says.
    pub packet: Arc<Packet>,
    /// What was written.
    pub record: AnswerSpec,
    /// Proof of it.
    pub receipt: Receipt,
    /// What the step is to make.
    pub outputs: Vec<Output>,
}

/// Why a record was not written.
#[derive(Clone, Debug)]
pub enum Unwritten {
    /// A record came first: the valid one, or `None` if it is not valid; and what it is, if it is no file at all.
    Exists(Option<AnswerSpec>, Option<Message>),
    /// The packet asks something else by now; here it is.
    Changed(Asked),
    /// The record that was to be replaced is not the one that was shown; what is there now.
    Moved(Option<RecordSeen>),
    /// Anything else.
    Failed(Message),
}

/// What a fresh look at the open gate found.
#[derive(Clone, Debug)]
pub enum Reloaded {
    /// The same questions; whether a record is there now, and by whom.
    Same {
        /// The packet's file.
        path: PathBuf,
        /// Who answered, and whether validly.
        record: Option<RecordSeen>,
        /// Why no record can be written, if none can.
        refusal: Option<Message>,
        /// The packet as it is now; only what it asks is certain to be the same.
        packet: Arc<Packet>,
    },
    /// Other questions.
    Changed(Asked),
    /// The packet is gone or unusable.
    Gone(PathBuf, Message),
}

/// A record that appeared while the gate was open.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSeen {
    /// Who answered; `None` if the record is not valid.
    pub by: Option<String>,
    /// When its file was written.
    pub at: Option<SystemTime>,
    /// What it is, if it is no file that could be read.
    pub odd: Option<Message>,
    /// For a record that is not valid and could be read: what is wrong with it, and what it says.
    pub bad: Option<Box<(Repair, Before)>>,
}

impl Effect {
    /// Whether a [`EffectResult`] tells how it went, before which nobody can know what the next keys mean.
    pub fn has_result(&self) -> bool {
        matches!(
            self,
            Effect::Open(_)
                | Effect::Submit(_)
                | Effect::Redo { .. }
                | Effect::UndoRedo(_)
                | Effect::PutBack(_)
                | Effect::ReadHistory(..)
                | Effect::SeeRestore(..)
                | Effect::RestoreEntry(_)
                | Effect::LendRecord(_)
                | Effect::CheckEdited(_)
                | Effect::WriteEdited(_)
        )
    }
}

impl EffectResult {
    /// Whether this tells how an effect with a result went.
    pub fn is_result(&self) -> bool {
        matches!(
            self,
            EffectResult::Opened(_)
                | EffectResult::NotOpened(..)
                | EffectResult::Submitted(..)
                | EffectResult::NotSubmitted(..)
                | EffectResult::RedoAsks(..)
                | EffectResult::RecordLent(..)
                | EffectResult::EditChecked(..)
                | EffectResult::Removed(_)
                | EffectResult::Restored(_)
                | EffectResult::PutBack(_)
                | EffectResult::HistoryRead(_)
                | EffectResult::RestoreAsks(_)
                | EffectResult::EntryRestored(_)
                | EffectResult::EntryNotRestored(_)
                | EffectResult::Failed(_)
        )
    }
}
