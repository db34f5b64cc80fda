//! The entries that a search has found, read page by page.

use super::entry::{HistoryEntry, select};
use crate::error::Error;
use crate::store::state::StateDir;
use std::iter;

/// What was found. Of an entry only its place is kept: it is read when its turn comes.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// `seq` of each sound entry, the newest first.
    pub(super) places: Vec<i64>,
    /// How many there are where it was looked: in the gate that is named, or in the project.
    pub all: usize,
    /// How many more are damaged.
    pub damaged: usize,
}

/// So many entries are read at a time.
const PAGE: usize = 500;

impl Found {
    /// Puts an older entry behind the others.
    pub fn add(&mut self, entry: &HistoryEntry) {
        self.places.push(entry.seq);
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The entries, the newest first, page by page; those that were erased meanwhile are left out. An error ends them.
    pub fn entries<'f>(
        &'f self,
        state: &'f StateDir,
    ) -> impl Iterator<Item = Result<HistoryEntry, Error>> + 'f {
        let mut left = self.clone();
        let pages = iter::from_fn(move || {
            let page = left.next_page(state)?;
            page.is_err().then(|| left.places.clear());
            Some(page)
        });
        pages.flat_map(|page| match page {
            Ok(page) => page.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// Takes the next page of them away and reads it; nothing when there are no more.
    pub fn next_page(&mut self, state: &StateDir) -> Option<Result<Vec<HistoryEntry>, Error>> {
        let rest = self.places.split_off(self.places.len().min(PAGE));
        let page = Some(std::mem::replace(&mut self.places, rest)).filter(|page| !page.is_empty())?;
        let read = state.read(|connection| {
            let read = |seq: &i64| select(state, connection, "seq = ?1", [seq]);
            Ok(page.iter().map(read).collect::<rusqlite::Result<Vec<_>>>()?.concat())
        });
        Some(read.map(Option::unwrap_or_default))
    }
}
