//! The selected gate as last loaded, for the pane beside the list.

use crate::ask::cause::Cause;
use crate::ask::mend::Mending;
use crate::ask::mend_packet;
use crate::console::files::{Files, hash_of};
use crate::store::Refusal;
use crate::store::drafts::SavedDraft;
use crate::store::gate::{LoadFault, Loaded, Output, read_file};
use crate::store::hearing::{self, Hearing};
use crate::store::history::{self, HistoryEntry, Reason};
use crate::store::relay::is_orphaned;
use crate::store::reply::{self, Reply};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    pub path: PathBuf,
    pub content: Result<Box<GateDetail>, LoadFault>,
    /// What a packet's file was meant to be that is no JSON, not UTF-8, or has misspelt names.
    pub mending: Option<Box<Mending>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GateDetail {
    pub loaded: Loaded,
    /// What happened to an invalid record, as far as it is known.
    pub causes: Vec<Cause>,
    pub outputs: Vec<Output>,
    pub undo: Option<Undo>,
    /// The author's answers that are kept and not submitted.
    pub draft: Option<SavedDraft>,
    /// Whether the text of a record that the author has edited is kept for it.
    pub edited: bool,
    /// Whether nobody waits any more for the answers to this question of an executor's own.
    pub orphaned: bool,
    /// Whether the answers have reached who does the step.
    pub hearing: Option<Hearing>,
    /// What he gave last in place of an answer, and who has fetched it; nothing beside a record.
    pub sent_back: Option<Reply>,
}

/// The old text of a packet in the history, and the hash of the file that is there in its stead.
#[derive(Clone, Debug, PartialEq)]
pub struct Mended {
    pub path: PathBuf,
    pub entry: HistoryEntry,
    pub now: String,
}

/// What Ctrl+U puts back at a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// The record that was removed last.
    Redo,
    /// The record that was written here last; others have replaced or removed it since.
    Written { entry: Box<HistoryEntry>, replaced: bool },
    /// The record in whose place the author put the one that is there.
    Replaced(Box<HistoryEntry>),
}

/// What was done with novel-gate at a gate, oldest first. What was taken back and put back at once never went.
fn ours(all: Vec<HistoryEntry>) -> Vec<HistoryEntry> {
    let mut ours: Vec<HistoryEntry> = Vec::new();
    for entry in all {
        let is_of = |last: &mut HistoryEntry| last.reason == Reason::Redone && entry.of == Some(last.id());
        let is_ours = !matches!(entry.reason, Reason::Seen | Reason::SentBack);
        if ours.pop_if(is_of).is_none() && is_ours {
            ours.push(entry);
        }
    }
    ours
}

/// The valid record in whose place an answer was put, or another one put back.
fn replaced_by(last: &HistoryEntry, before: Option<HistoryEntry>) -> Option<Undo> {
    let was_put = matches!(last.reason, Reason::Answered | Reason::Restored);
    let before = before.filter(|before| was_put && before.reason == Reason::Replaced && before.valid)?;
    Some(Undo::Replaced(Box::new(before)))
}

impl Files {
    pub(super) fn detail(&self, path: PathBuf) -> Detail {
        let content = self.load(&path).map(|loaded| Box::new(self.gate_detail(loaded)));
        let is_doubtful = match &content {
            Ok(gate) if gate.loaded.gate().is_none() => !gate.loaded.packet.misspelt.is_empty(),
            Ok(gate) => {
                let is_unread = gate.loaded.refusal == Some(Refusal::PacketEncoding);
                (is_unread || gate.loaded.packet.loss.is_some()) && !gate.loaded.record.exists()
            }
            Err(fault) => matches!(fault, LoadFault::Malformed(_)),
        };
        let text = is_doubtful.then(|| read_file(&self.root_path(&path)).ok()).flatten();
        let mending = text.and_then(|text| mend_packet(&text)).map(Box::new);
        Detail { path, content, mending }
    }

    fn gate_detail(&self, loaded: Loaded) -> GateDetail {
        let gate = loaded.gate();
        let draft = gate.and_then(|gate| {
            let kept = || self.drafts().peek(&gate.answer_path, &gate.spec);
            self.pending_draft(gate).or_else(kept).filter(SavedDraft::is_authors)
        });
        let causes = gate.filter(|_| !loaded.problems().is_empty());
        let causes = causes.map(|gate| self.causes(gate, &loaded.record.bytes, loaded.problems()));
        let unanswered = gate.filter(|_| !loaded.record.exists());
        GateDetail {
            sent_back: unanswered
                .and_then(|gate| reply::last_of(&self.project, &loaded.path, &gate.answer_path)),
            causes: causes.unwrap_or_default(),
            outputs: loaded.outputs(&self.project),
            undo: self.undo_at(&loaded),
            draft,
            edited: gate.is_some_and(|gate| self.edited(&gate.answer_path).is_some()),
            orphaned: is_orphaned(&self.project, self.project.relative(&loaded.path)),
            hearing: hearing::hearing(&self.project, &loaded),
            // Not shown, and as long as the packet.
            loaded: Loaded { novel_ask: None, ..loaded },
        }
    }

    /// What can be put back at a gate: the record that was removed from here last, or the one written from here last
    /// where others have changed it, or the one that an answer was put in the place of. A history that cannot be read offers nothing.
    fn undo_at(&self, loaded: &Loaded) -> Option<Undo> {
        let answer_path = &loaded.gate().filter(|_| loaded.record.is_read())?.answer_path;
        let here = hash_of(loaded);
        let mut ours = ours(self.state.tolerate(history::entries(&self.state, answer_path))?);
        let last = ours.pop()?;
        match (last.reason.is_removal(), &here) {
            (true, None) => Some(Undo::Redo),
            (true, Some(_)) => None,
            (false, Some(here)) if *here == last.sha256 => replaced_by(&last, ours.pop()),
            (false, _) => Some(Undo::Written { entry: Box::new(last), replaced: here.is_some() }),
        }
    }
}
