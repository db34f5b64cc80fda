//! The history of one gate, as a screen.
//!
//! Responsible for what was read and for the place of the author in it. Not responsible for reading it (`perform`).

use super::ListFilter;
use crate::ask::QuestionSpec;
use crate::ask::compare::Comparison;
pub use crate::store::history::Entry as PastEntry;
use std::path::PathBuf;
use std::sync::Arc;

/// The history of one gate and the place of the author in it.
#[derive(Clone, Debug)]
pub struct GateHistory {
    /// What was read last.
    pub found: HistoryFound,
    /// The filter, if one is open.
    pub filter: Option<ListFilter>,
    /// Row under the cursor.
    pub row: usize,
    /// First row shown.
    pub top: usize,
    /// First line of the entry's pane.
    pub scroll: usize,
}

/// What was read of a gate's history.
#[derive(Clone, Debug)]
pub struct HistoryFound {
    /// The packet's file, relative to the root.
    pub path: PathBuf,
    /// What was looked for; empty for everything.
    pub words: String,
    /// The entries that were found, newest first.
    pub rows: Vec<Arc<Recalled>>,
    /// How many entries the gate has.
    pub all: usize,
    /// Hash of the record that was there; `None` if there was none.
    pub seen: Option<String>,
}

/// One entry with what it says.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The entry.
    pub entry: PastEntry,
    /// What was asked, as far as it is known.
    pub asked: Option<QuestionSpec>,
    /// Its answers beside those of the entry before it; the first one beside itself.
    pub since: Comparison,
    /// Whether no entry came before it.
    pub first: bool,
}

impl GateHistory {
    /// A history that has just been read, at its newest entry.
    pub fn new(found: HistoryFound) -> GateHistory {
        GateHistory { found, filter: None, row: 0, top: 0, scroll: 0 }
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&Recalled> {
        self.found.rows.get(self.row).map(Arc::as_ref)
    }

    /// Whether the record that was there says, byte for byte, what the entry in this row says.
    pub fn is_there(&self, row: usize) -> bool {
        let entry = self.found.rows.get(row).map(|row| &row.entry);
        entry.is_some_and(|entry| self.found.seen.as_ref() == Some(&entry.sha256))
    }

    /// What is looked for.
    pub fn words(&self) -> &str {
        self.filter.as_ref().map_or("", |filter| filter.field.text())
    }

    /// Takes what was read anew; the selection stays with its entry.
    pub fn take(&mut self, found: HistoryFound) {
        let was = self.selected().map(|row| row.entry.name.clone());
        self.found = found;
        let place = self.found.rows.iter().position(|row| Some(&row.entry.name) == was.as_ref());
        self.row = place.unwrap_or(0);
        self.scroll = 0;
    }
}
