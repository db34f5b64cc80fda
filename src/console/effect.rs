//! What the console wants done outside itself, and what comes back.
//!
//! A [`Request`] is answered by one [`Reply`], which decides what the next keys mean, so they wait for it. Nothing waits
//! for any other effect. `effect_handler` carries them out.

use super::model::{
    BatchGate, BatchRecord, Before, Detail, EditVerdict, EditedRecord, EntryDetail, HistoryEntry,
    HistoryFound, Later, LoadedGate, Message, OpenedGate, Progress, Prompt, Repair, Restoring, Scope,
    StoryText, Tone, Written,
};
use crate::ask::draft::{DraftProgress, Orphan};
use crate::ask::{AnswerSpec, Draft, JsString, Packet};
use crate::store::Project;
use crate::store::entry::Entry;
use crate::store::gate::Output;
use crate::store::record::Receipt;
use crate::store::watch::Mode;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Something to be done. Paths of packets are relative to the root.
#[derive(Clone, Debug)]
pub enum Effect {
    Ask(Request),
    /// Load a gate for the detail pane.
    Load(PathBuf),
    /// Look at the open gate again, because its files may have changed.
    Reload {
        path: PathBuf,
        /// Hash of the questions that are open.
        spec_hash: String,
    },
    SaveDraft(Box<DraftToSave>),
    /// Find out whether another console has answers to the open gate.
    SeeIfShared(JsString),
    /// Check what has become of a record written here, and what the step has made.
    Verify(Box<Written>),
    /// Look at the files now: one of them was just changed from here.
    Look,
    /// Look at all files again.
    Rescan,
    /// Use this handle from now on: the project's directory was replaced by another of the same name.
    Adopt(Arc<Project>),
    /// Find out which of these gates have a draft.
    ReadDrafts(Vec<Arc<Entry>>),
    /// Find out which of these gates are put off; marks that hold no more go.
    ReadLater(Vec<Arc<Entry>>),
    /// Keep until when the gate with this answer path is put off, or that it is not.
    PutOff(JsString, Option<Later>),
    /// Note the records that others have written.
    NoteSeen(Vec<Arc<Entry>>),
    /// Check whether the record of a gate is really gone, now that nothing is being written from here.
    SeeIfLost(PathBuf),
    /// Read the history that is shown again: other words are typed, or entries may have come or gone.
    RereadHistory {
        scope: Scope,
        words: String,
        /// As it was read last; with the same stamp and record, nothing is read.
        stamp: Option<u128>,
        /// Hash of the record that was there.
        seen: Option<String>,
    },
    /// Read what an entry of the history says.
    LoadEntry(Arc<HistoryEntry>),
    /// Find the story files of a packet.
    ListStory(PathBuf),
    ReadStory(String),
    /// Find the gates among these that wait with the questions of the open gate.
    FindBatch {
        path: PathBuf,
        /// Hash of the questions that are open.
        spec_hash: String,
        candidates: Vec<Arc<Entry>>,
    },
    /// Keep the text of an edited record, which is not checked.
    KeepEdited(Box<EditedRecord>),
    /// Delete the kept text of an edited record.
    DropEdited(Box<EditedRecord>),
    /// Show everything in the next theme.
    NextTheme,
    /// Tell the author outside the screen: a gate needs him.
    Notify(NewGates),
    Suspend,
    Repaint,
    /// End with this exit code; but if something of the author's is not on the disk yet, ask first. An interrupted program
    /// asks only where it lies in no file elsewhere either.
    Leave(i32),
    /// End with this exit code, whatever is not saved.
    Quit(i32),
}

/// Gates that need the author since a moment ago, as a notice outside the screen names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGates {
    pub title: String,
    pub body: String,
}

/// An effect whose reply the next keys wait for.
#[derive(Clone, Debug)]
pub enum Request {
    /// Load a gate for answering, with its draft.
    Open(PathBuf),
    Submit(Box<Submission>),
    /// Put a record written here back; what lies there now goes to the history.
    PutBack(Box<Written>),
    TakeBack(TakeBack),
    /// Remove the record of a gate.
    Redo {
        path: PathBuf,
        /// Whether the checkpoint has passed its step.
        past: bool,
        /// The record that the author was warned about; without it, a confirmation may be asked for first.
        warned: Option<String>,
    },
    /// Put the last removed record back.
    UndoRedo(PathBuf),
    /// Take a question of an executor out of the project.
    HandBack(PathBuf),
    /// Read a history, as far as these words are in it.
    ReadHistory(Scope, String),
    /// Find out what restoring an entry means: for which of these packets, over what.
    SeeRestore(Box<HistoryEntry>, Vec<PathBuf>),
    RestoreEntry(Box<Restoring>),
    ReadStory(String),
    /// Get the text of a gate's record, for the author's editor.
    ReadRecord(PathBuf),
    /// Check an edited record.
    CheckEdited(Box<EditedRecord>),
    /// Write an edited record in the place of the one it was made of.
    WriteEdited(Box<EditedRecord>),
    /// Let the author's editor change this text.
    Edit {
        text: String,
        /// What the file's name ends with, so that the editor knows what it is.
        ending: &'static str,
    },
}

impl From<Request> for Effect {
    fn from(request: Request) -> Effect {
        Effect::Ask(request)
    }
}

impl Effect {
    /// The reply that reports a failure.
    pub fn failed(&self, why: Message) -> EffectResult {
        match self {
            Effect::Ask(_) => EffectResult::Reply(Reply::Failed(why)),
            _ => EffectResult::Failed(why),
        }
    }
}

/// Answers to be kept.
#[derive(Clone, Debug)]
pub struct DraftToSave {
    pub path: PathBuf,
    /// The packet whose questions these answers are for.
    pub packet: Arc<Packet>,
    /// Hash of those questions.
    pub spec_hash: String,
    pub draft: Draft,
    /// What an earlier draft held that fits no more.
    pub orphans: Vec<Orphan>,
    /// The question the author is at.
    pub at: usize,
    /// Whether he has just emptied a draft that is kept: it goes.
    pub emptied: bool,
}

impl DraftToSave {
    /// What stays of it when its answers are in a record; if that is nothing, the draft goes.
    #[must_use]
    pub fn beside_answers(&self) -> DraftToSave {
        DraftToSave { draft: self.draft.beside_answers(), emptied: true, ..self.clone() }
    }

    /// Whether there is anything of the author's in it.
    pub fn is_authors(&self) -> bool {
        self.draft.is_authors() || !self.orphans.is_empty()
    }
}

/// A record to be written.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The answers, kept as a draft first.
    pub draft: DraftToSave,
    pub answered_by: String,
    /// Hash of the bad record that was shown and is to be replaced.
    pub replaces: Option<String>,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
    /// Other gates that get the same answers.
    pub batch: Arc<[BatchGate]>,
    /// How many of them have been tried. Some at a time, so that the author sees how far it is.
    pub tried: usize,
}

/// Records of several packets, just written here, that are to be removed.
#[derive(Clone, Debug)]
pub struct TakeBack {
    pub records: Arc<[BatchRecord]>,
    /// How many of them have been tried.
    pub tried: usize,
}

/// Something that happened outside.
#[derive(Clone, Debug)]
pub enum EffectResult {
    Reply(Reply),
    /// The list of gates, sorted for the inbox.
    Entries {
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
    /// How far the drafts are that are kept, by packet.
    DraftsRead(HashMap<PathBuf, DraftProgress>),
    /// The gates that are put off, by packet.
    LaterRead(HashMap<PathBuf, Later>),
    Loaded(Box<Detail>),
    Reloaded(Box<Reloaded>),
    Verified {
        path: PathBuf,
        progress: Box<Progress>,
    },
    /// The record of a gate was deleted by somebody else.
    RecordLost(PathBuf),
    HistoryReread(Box<HistoryFound>),
    EntryLoaded(Box<EntryDetail>),
    /// The story files of a packet, and whether it names more.
    StoryListed(PathBuf, (Vec<String>, bool)),
    StoryRead(String, Box<Result<StoryText, Message>>),
    /// A text that the author has edited could not be saved, and why.
    EditNotKept(Message),
    /// The gates that wait with the questions of this packet, by their hash.
    BatchFound(PathBuf, String, Vec<BatchGate>),
    /// Answers could not be kept safe; `None` once they can be again.
    DraftTrouble(JsString, Option<Message>),
    /// Another console has answers to this gate too.
    Shared(JsString),
    /// An effect that nobody waits for failed.
    Failed(Message),
}

/// How a request went.
#[derive(Clone, Debug)]
pub enum Reply {
    Opened(Box<OpenedGate>),
    /// The records of some other gates were tried; the submission is to go on.
    Submitting(Box<Submission>, Vec<BatchRecord>),
    /// The record of the open gate was written, or not.
    Submitted(Box<Submitted>),
    NotSubmitted(PathBuf, Box<Unwritten>),
    /// Some records were taken back, or left; it is to go on, unless all were tried.
    TakingBack(TakeBack, Vec<BatchRecord>),
    /// The record of a packet was removed, its bytes kept, or is in its place again.
    Moved(Move, PathBuf),
    /// The question of an executor is out of the project.
    HandedBack(PathBuf),
    /// The author must confirm it first.
    Confirm(Prompt),
    HistoryRead(Box<HistoryFound>),
    EntryNotRestored(Tone, Message),
    StoryRead(String, Box<Result<StoryText, Message>>),
    /// The text of a record, for the author's editor, and whether it is one that was edited before.
    RecordText(Box<EditedRecord>, bool),
    EditChecked(Box<EditedRecord>, EditVerdict),
    /// The author's editor has ended.
    Edited(FromEditor),
    Failed(Message),
}

/// How a record was removed or put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Redone,
    RedoUndone,
    /// The record on the receipt, which somebody had replaced or removed.
    PutBack,
    /// An entry of the history.
    Restored,
}

/// What came back from the author's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromEditor {
    /// The text as it was left, however the editor ended; `None` if it cannot be read.
    pub text: Option<String>,
    pub end: EditorEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorEnd {
    Well,
    /// With a failure, or by a signal.
    Badly,
    /// It could not be started.
    NotFound,
}

/// A record that was written and verified.
#[derive(Clone, Debug)]
pub struct Submitted {
    pub path: PathBuf,
    pub packet: Arc<Packet>,
    pub record: AnswerSpec,
    pub receipt: Receipt,
    /// What the step is to make.
    pub outputs: Vec<Output>,
    /// That the history does not have it, and why.
    pub unnoted: Option<Message>,
}

/// Why a record was not written.
#[derive(Clone, Debug)]
pub enum Unwritten {
    /// A record came first: the valid one, or `None` if it is not valid; and what it is, if it is no file at all.
    Exists(Option<AnswerSpec>, Option<Message>),
    /// The packet asks something else now; here it is.
    Changed(LoadedGate),
    /// The record that was to be replaced is not the one that was shown; what is there now.
    Moved(Option<RecordSeen>),
    Failed(Message),
}

/// What a fresh look at the open gate found.
#[derive(Clone, Debug)]
pub enum Reloaded {
    /// The same questions.
    Same(LoadedGate, Option<RecordSeen>),
    /// Other questions.
    Changed(LoadedGate),
    /// The packet is gone or unusable.
    Gone(PathBuf, Message),
}

/// A record that appeared while the gate was open.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSeen {
    /// Who answered; `None` if the record is not valid.
    pub by: Option<String>,
    /// What it is, if it is no file that could be read.
    pub odd: Option<Message>,
    /// For a record that is not valid and could be read: what is wrong with it, and what it says.
    pub bad: Option<Box<(Repair, Before)>>,
}
