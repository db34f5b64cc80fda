//! The history as a screen: the entries of one gate or of the whole project, and the place of the author in it.

pub mod acts;
pub mod draw;
pub mod page;
pub mod read;
pub mod restore;

use super::draw::scroll::Scroll;
use super::inbox::ListFilter;
use crate::ask::compare::Comparison;
use crate::ask::{JsString, QuestionSpec};
pub use crate::store::history::HistoryEntry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A history and the place of the author in it.
#[derive(Clone, Debug)]
pub struct HistoryView {
    /// What was read last.
    pub found: HistoryFound,
    /// The selected entry with what it says, once it was read.
    pub detail: Option<EntryDetail>,
    /// The filter, if one is open.
    pub filter: Option<ListFilter>,
    pub row: usize,
    pub list: Scroll,
    /// Of the entry's pane.
    pub scroll: Scroll,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Of the gate of one packet.
    Gate {
        /// The packet's file, relative to the root; it may be gone.
        packet: PathBuf,
        /// Where its answers go, once that is known.
        answer_path: Option<JsString>,
    },
    Project,
}

/// What was read of a history.
#[derive(Clone, Debug)]
pub struct HistoryFound {
    pub scope: Scope,
    /// The words that were searched for; empty for everything.
    pub words: String,
    /// The entries that were found, newest first.
    pub rows: Vec<Arc<HistoryEntry>>,
    /// How many entries there are.
    pub all: usize,
    /// Of one gate: hash of the record that was there; `None` if there was none.
    pub seen: Option<String>,
    /// Changes when entries come or go; `None` if that is not certain.
    pub stamp: Option<u128>,
}

/// One entry with what it says.
#[derive(Clone, Debug)]
pub struct EntryDetail {
    pub entry: Arc<HistoryEntry>,
    /// What was asked, as far as it is known.
    pub asked: Option<QuestionSpec>,
    /// Its answers beside those of the entry before it; the first one beside itself.
    pub since: Comparison,
    /// Whether no entry came before it.
    pub first: bool,
}

/// An entry that is about to be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restoring {
    /// A packet that asks for it, relative to the root.
    pub packet: PathBuf,
    pub entry: HistoryEntry,
    /// Hash of the record that it replaces; `None` if none is there.
    pub over: Option<String>,
    /// Whether it is a valid record for what is asked now.
    pub fits: bool,
}

impl Scope {
    /// The packet of one gate.
    pub fn packet(&self) -> Option<&Path> {
        match self {
            Scope::Gate { packet, .. } => Some(packet),
            Scope::Project => None,
        }
    }

    /// Whether both are of the same gate, or of the project.
    pub fn is_same(&self, other: &Scope) -> bool {
        self.packet() == other.packet()
    }
}

impl HistoryView {
    /// A history that has just been read, at its newest entry.
    pub fn new(found: HistoryFound) -> HistoryView {
        let (list, scroll) = (Scroll::default(), Scroll::default());
        HistoryView { found, detail: None, filter: None, row: 0, list, scroll }
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&Arc<HistoryEntry>> {
        self.found.rows.get(self.row)
    }

    /// The entry under the cursor with what it says, once it was read.
    pub fn shown(&self) -> Option<&EntryDetail> {
        let selected = self.selected()?;
        self.detail.as_ref().filter(|detail| detail.entry.id() == selected.id())
    }

    /// Whether the record that was there is, byte for byte, the entry in this row.
    pub fn is_there(&self, row: usize) -> bool {
        let entry = self.found.rows.get(row);
        entry.is_some_and(|entry| self.found.seen.as_ref() == Some(&entry.sha256))
    }

    /// The words to search for.
    pub fn words(&self) -> &str {
        self.filter.as_ref().map_or("", |filter| filter.field.text())
    }

    /// Whether what is shown was found by the words that stand there now.
    pub fn is_searched(&self) -> bool {
        self.words() == self.found.words
    }

    /// Whether Enter searches first for the words that are being typed.
    pub fn is_to_search(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.focused) && !self.is_searched()
    }

    /// Takes over a new reading; the selection stays with its entry, or in its row if that is gone.
    pub fn take(&mut self, found: HistoryFound) {
        let was = self.selected().map(|entry| entry.id());
        let searched = found.words != self.found.words;
        self.found = found;
        let place = self.found.rows.iter().position(|entry| Some(entry.id()) == was);
        if place.is_none() {
            self.scroll.reset();
        }
        let last = self.found.rows.len().saturating_sub(1);
        self.row = place.unwrap_or(if searched { 0 } else { self.row.min(last) });
    }
}
