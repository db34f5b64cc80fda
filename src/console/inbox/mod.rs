//! The inbox: every gate as the store sorts them, the filter, and the selection, which stays with its gate while the list
//! changes.

pub mod acts;
pub mod detail;
pub mod draw;
mod filter;
pub mod kept;
pub mod later;
pub mod loading;
pub mod outputs;
pub mod page;
pub mod redo;
pub mod removal;
mod selection;
pub mod state;
mod taken_back;
mod undo;

use self::detail::{Detail, GateDetail, Mended, Undo};
pub use self::filter::ListFilter;
pub use self::selection::{Kept, Selected};
use super::draw::scroll::Scroll;
use crate::ask::draft::DraftProgress;
use crate::ask::{Gate, JsString};
use crate::console::filtered_list::found;
use crate::platform::paths::Shown as _;
use crate::store::contact::Silence;
use crate::store::drafts::kept::{Dropped, KeptDraft};
use crate::store::entry::{self, Entry, Note};
use crate::store::gate::{LoadFault, Status};
use crate::store::later::Later;
use crate::store::older::Older;
use crate::store::watch::Mode;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The list of gates, the place of the author in it, and the pane beside it: so there are more than ten fields.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// Every gate, sorted: waiting with a draft, waiting, blocked, put off, malformed, sent back, answered; those behind the checkpoint
    /// last.
    pub entries: Vec<Arc<Entry>>,
    pub counts: Counts,
    /// Places where one part of the whole list ends and the next begins.
    pub gaps: usize,
    /// Whether the first look at the files has ended; before, there is nothing to choose.
    pub complete: bool,
    /// Whether there is more below `staging/` than could be looked at.
    pub cut: bool,
    /// How many standing questions are on.
    pub standing: usize,
    /// How changes are noticed; `None` until known.
    pub watching: Option<Mode>,
    /// Indices of the entries that pass the filter; behind them those of the drafts that are without a gate.
    pub passing: Vec<usize>,
    pub filter: Option<ListFilter>,
    /// Row under the cursor, counted in what passes the filter.
    pub row: usize,
    /// What was under the cursor when all were shown last.
    pub from: Option<Selected>,
    pub scroll: Scroll,
    /// Whether the author has moved; before, the cursor stays on the first waiting gate.
    pub moved: bool,
    /// Until then, no key acts on the selected gate: it came under the author's hands.
    pub guarded_until: Option<SystemTime>,
    pub detail: Option<Detail>,
    /// What the list said of the selected gate when its details came.
    pub listed: Option<Status>,
    pub detail_scroll: Scroll,
    /// How far the drafts are that are kept, by packet.
    pub drafts: HashMap<PathBuf, DraftProgress>,
    /// Those that are without a gate.
    pub kept: Kept,
    /// Those that are put off, by packet.
    pub later: HashMap<PathBuf, Later>,
    /// Those whose records were there before them.
    pub older: Older,
    /// Those whose steps go on though nobody was told the answers.
    pub untold: HashSet<PathBuf>,
    /// Those whose records have approved what is another by now.
    pub outdated: HashSet<PathBuf>,
    /// Where packets that are gone or have changed wanted their records.
    pub asked: HashSet<JsString>,
    /// That an executor writes packets, and asks nothing.
    pub silence: Option<Silence>,
    /// When the list was last known to be as it is.
    pub looked: Option<SystemTime>,
    /// The packet that the command line names, until it is known and selected.
    pub named: Option<PathBuf>,
    /// The packet whose record was removed last and can be put back.
    pub redone: Option<PathBuf>,
    /// What that record answers, if its packet may ask the next question by now.
    pub redone_gate: Option<Gate>,
    /// The packets whose texts were mended here, the last one at the end.
    pub mended: Vec<Mended>,
    /// Packets whose records are taken back from here, several at once, with those that share them, until they are seen to
    /// go.
    pub taken_back: HashSet<PathBuf>,
}

/// How many gates are in each state; those behind the checkpoint hold nothing up and are not counted, and packets that
/// are one gate count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waiting: usize,
    pub blocked: usize,
    pub later: usize,
    pub malformed: usize,
    /// What is meant for a gate that the executor does not see.
    pub unseen: usize,
    pub sent_back: usize,
    pub answered: usize,
    /// Drafts without a gate.
    pub kept: usize,
}

/// Whether it is his turn: what is sent back waits for somebody else.
pub(crate) fn needs_author(entry: &Entry) -> bool {
    entry.held_up() && entry.status != Status::SentBack
}

impl Inbox {
    pub fn len(&self) -> usize {
        self.passing.len()
    }

    pub fn is_empty(&self) -> bool {
        self.passing.is_empty()
    }

    pub fn entry(&self, row: usize) -> Option<&Entry> {
        self.entries.get(*self.passing.get(row)?).map(Arc::as_ref)
    }

    pub fn selected(&self) -> Option<&Entry> {
        self.entry(self.row)
    }

    pub fn selected_kept(&self) -> Option<&Arc<KeptDraft>> {
        self.kept_in(self.row)
    }

    pub fn kept_in(&self, row: usize) -> Option<&Arc<KeptDraft>> {
        self.kept.drafts.get(self.passing.get(row)?.checked_sub(self.entries.len())?)
    }

    /// What was dropped last, where the key for undo is about that: where dropping it has left the cursor, and off the gates.
    fn dropped_here(&self) -> Option<&(String, Arc<Dropped>)> {
        let is_here = self.selected().is_none() || self.kept.dropped_on == self.selection();
        self.kept.dropped.last().filter(|_| is_here)
    }

    pub fn selected_path(&self) -> Option<PathBuf> {
        self.selected().map(|entry| entry.path.to_path_buf())
    }

    pub fn selection(&self) -> Option<Selected> {
        let kept =
            || Some(Selected::Kept(self.selected_kept()?.id.clone(), self.selected_kept()?.packet.clone()));
        self.selected_path().map(Selected::Gate).or_else(kept)
    }

    /// Its row now. A draft whose gate is back is there.
    fn place_of(&self, selected: &Selected) -> Option<usize> {
        match selected {
            Selected::Gate(path) => self.row_of(path),
            Selected::Kept(id, packet) => {
                let mut rows = 0..self.len();
                let row = rows.find(|&row| self.kept_in(row).is_some_and(|kept| kept.id == *id));
                row.or_else(|| self.row_of(packet.as_ref()?))
            }
        }
    }

    /// How many rows there are, whatever the filter.
    pub fn total(&self) -> usize {
        self.entries.len() + self.kept.drafts.len()
    }

    pub fn row_of(&self, path: &Path) -> Option<usize> {
        (0..self.len()).find(|&row| self.entry(row).is_some_and(|entry| *entry.path == *path))
    }

    /// The part of the list where an entry stands: whether the checkpoint has passed it, and its state; `None` for one that
    /// is put off.
    fn section(&self, entry: &Entry) -> (bool, Option<Status>) {
        (entry.past, Some(entry.status).filter(|_| self.later(entry).is_none()))
    }

    /// Whether another part of the list begins in this row.
    pub fn starts_section(&self, row: usize) -> bool {
        let section = |row: usize| self.entry(row).map(|entry| self.section(entry));
        row > 0 && section(row) != section(row - 1)
    }

    pub fn later(&self, entry: &Entry) -> Option<&Later> {
        if self.later.is_empty() {
            return None;
        }
        entry.same_gate().find_map(|path| self.later.get(path)).filter(|later| later.is_of(entry))
    }

    /// The answered gates among the entries that have changed whose place no packet has named before.
    pub fn unasked(&mut self, before: &[Arc<Entry>], changed: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
        self.asked.extend(before.iter().filter_map(|entry| entry.answer_path.clone()));
        let is_unasked = |entry: &&Arc<Entry>| {
            entry.status == Status::Answered
                && entry.answer_path.as_ref().is_some_and(|path| !self.asked.contains(path))
        };
        changed.iter().filter(is_unasked).cloned().collect()
    }

    /// Whether the record of a gate was there before its packet asked.
    pub fn is_older(&self, entry: &Entry) -> bool {
        entry.status == Status::Answered
            && self.older.get(&*entry.path).is_some_and(|then| entry.record_modified == Some(*then))
    }

    /// Whether the step of a gate goes on though nobody was told the answers.
    pub fn is_untold(&self, entry: &Entry) -> bool {
        entry.status == Status::Answered && !entry.past && self.untold.contains(&*entry.path)
    }

    /// Whether the author has approved something that is another by now.
    pub fn is_outdated(&self, entry: &Entry) -> bool {
        entry.status == Status::Answered && !entry.past && self.outdated.contains(&*entry.path)
    }

    pub fn is_any_due(&self, now: SystemTime) -> bool {
        self.later.values().any(|later| later.is_due(now))
    }

    /// Sorts again after gates were put off or came back, or drafts began or ended. The selection stays with its gate, once
    /// the author has moved.
    pub fn resort(&mut self) {
        self.take_kept(self.kept.drafts.clone());
    }

    /// The same with these drafts behind the gates.
    pub fn take_kept(&mut self, kept: Vec<Arc<KeptDraft>>) {
        let was = self.selection().filter(|_| self.moved);
        self.kept.drafts = kept;
        entry::sort(&mut self.entries);
        self.sort();
        self.row = was.map_or(0, |was| self.place_of(&was).unwrap_or(self.row));
    }

    /// Drafts come first, and those that are put off go below what needs the author now.
    fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        if !self.later.is_empty() || !self.drafts.is_empty() {
            entries.sort_by_cached_key(|entry| match self.later(entry) {
                Some(_) => 2,
                None if entry.waits() && self.draft(entry).is_some() => 0,
                None if needs_author(entry) && !entry.past => 1,
                None => 3,
            });
        }
        let mut counts = Counts { kept: self.kept.drafts.len(), ..Counts::default() };
        for entry in entries.iter().filter(|entry| !entry.past && !entry.is_repeated()) {
            match entry.status {
                _ if self.later(entry).is_some() => counts.later += 1,
                Status::Waiting => counts.waiting += 1,
                Status::Blocked => counts.blocked += 1,
                Status::Malformed => counts.malformed += 1,
                Status::SentBack => counts.sent_back += 1,
                Status::Answered => counts.answered += 1,
                Status::NoGate => counts.unseen += usize::from(entry.is_unseen()),
            }
        }
        self.counts = counts;
        self.gaps =
            entries.windows(2).filter(|pair| self.section(&pair[0]) != self.section(&pair[1])).count()
                + usize::from(!entries.is_empty() && counts.kept > 0);
        self.entries = entries;
        self.refilter();
    }

    pub fn entry_at(&self, path: &Path) -> Option<&Entry> {
        self.entries.iter().map(Arc::as_ref).find(|entry| *entry.path == *path)
    }

    /// What a packet's gate is called, as its row calls it; the packet's path if it is not in the list.
    pub fn title_of(&self, path: &Path) -> String {
        let entry = self.entry_at(path);
        entry.map_or_else(|| path.shown().into_owned(), |entry| entry.title().into_owned())
    }

    pub fn draft(&self, entry: &Entry) -> Option<DraftProgress> {
        let draft = entry.same_gate().find_map(|path| self.drafts.get(path)).copied();
        draft.filter(|draft| draft.is_unsubmitted(entry.status == Status::Answered))
    }

    pub fn forget_draft(&mut self, path: &Path) {
        let others: Vec<PathBuf> =
            self.entry_at(path).into_iter().flat_map(Entry::same_gate).map(Path::to_path_buf).collect();
        self.drafts.retain(|kept, _| kept != path && !others.contains(kept));
    }

    /// The old text of the selected packet that was mended here last.
    pub fn mended_here(&self) -> Option<&Mended> {
        let selected = self.selected()?;
        self.mended.iter().rfind(|mended| *selected.path == *mended.path)
    }

    /// Whether the selected packet's text can be mended by a key.
    pub fn is_mendable(&self) -> bool {
        let mending = self.current_detail().and_then(|detail| detail.mending.as_ref());
        mending.is_some_and(|mending| mending.is_certain)
    }

    pub fn current_detail(&self) -> Option<&Detail> {
        let selected = self.selected()?;
        self.detail.as_ref().filter(|detail| *selected.path == *detail.path)
    }

    /// Takes over a new list; the selection stays with its gate. Before the author has moved, it goes back to the start
    /// when that gate changes its state.
    pub fn take(&mut self, mut entries: Vec<Arc<Entry>>) {
        let (was, status) = (self.selection(), self.selected().map(|entry| entry.status));
        // A packet without a gate holds nothing up.
        self.see_taken_back(&entries);
        entries.retain(|entry| entry.status != Status::NoGate || entry.note.is_some());
        self.entries = entries;
        self.sort();
        self.complete = true;
        let row = was.as_ref().and_then(|was| self.place_of(was));
        let is_same = |row: &usize| status.is_some() && self.entry(*row).map(|now| now.status) == status;
        self.row = match was {
            Some(_) if self.moved => row.unwrap_or(self.row).min(self.len().saturating_sub(1)),
            _ => row.filter(is_same).unwrap_or(0),
        };
        if let Some(named) = self.named.take() {
            self.select(&named);
        }
    }

    /// Puts the cursor on the gate of a packet, or on what is kept of it.
    pub fn select(&mut self, path: &Path) {
        let is_its = |kept: &Arc<KeptDraft>| kept.packet.as_deref() == Some(path);
        let kept = || (0..self.len()).find(|&row| self.kept_in(row).is_some_and(is_its));
        if let Some(row) = self.row_of(path).or_else(kept) {
            (self.row, self.moved) = (row, true);
            self.detail_scroll.reset();
        }
    }

    pub fn refilter(&mut self) {
        let words = ListFilter::words(self.filter.as_ref());
        self.passing = found(words, self.total(), |at| {
            let Some(entry) = self.entries.get(at) else {
                return self.kept.drafts[at - self.entries.len()].texts();
            };
            let said = [&entry.step, &entry.topic, &entry.agent].into_iter().flatten().map(JsString::display);
            said.chain([entry.path.shown()]).collect()
        });
        self.row = self.row.min(self.len().saturating_sub(1));
    }

    /// The state of the selected gate; either of the list and its details may know it later than the other.
    pub fn status(&self) -> Option<Status> {
        let entry = self.selected()?;
        let is_newer = entry.note.is_none() && self.listed == Some(entry.status);
        let known = self.current_detail().filter(|_| is_newer).map(|detail| &detail.content);
        Some(match known {
            Some(Ok(gate)) => gate.loaded.status(),
            Some(Err(LoadFault::Malformed(_))) => Status::Malformed,
            Some(Err(LoadFault::Unreadable(_))) | None => entry.status,
        })
    }

    pub fn is_sent_back(&self) -> bool {
        self.status() == Some(Status::SentBack)
    }

    /// Whether the selected packet's own text is at fault, and the author may change it.
    pub fn is_packet_at_fault(&self) -> bool {
        let is_unseen = || self.selected().is_some_and(|entry| entry.note == Some(Note::Misspelt));
        self.status() == Some(Status::Malformed) || is_unseen()
    }

    /// What Ctrl+U can restore at the selected gate, as far as it is known. A record that the executor removes after it
    /// has passed the step is no loss; what is sent back is taken back first.
    pub fn undo(&self) -> Option<&Undo> {
        if self.is_sent_back() {
            return None;
        }
        let past = self.selected()?.past;
        let undo = self.gate()?.undo.as_ref();
        undo.filter(|undo| !(past && matches!(undo, Undo::Written { replaced: false, .. })))
    }

    /// Whether something lies in the place of the selected gate's record that cannot be read, such as a directory: it can be
    /// neither repaired nor removed here.
    pub fn is_unreadable(&self) -> bool {
        self.gate().is_some_and(|gate| !gate.loaded.record.is_read())
    }

    pub fn gate(&self) -> Option<&GateDetail> {
        self.current_detail()?.content.as_deref().ok()
    }
}

#[cfg(test)]
mod tests;
