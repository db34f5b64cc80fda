//! How far something is scrolled. Drawing leaves behind how many rows it has and how far it can be.

use std::cell::Cell;
use std::ops::Range;

/// The first line or row shown of a page or a list.
#[derive(Clone, Debug)]
pub struct Scroll {
    at: Cell<usize>,
    /// The last place that it can begin at, as it was drawn last.
    last: Cell<usize>,
    /// Rows, as it was drawn last.
    rows: Cell<usize>,
    /// Whether what is looked for is still to be scrolled to.
    seeks: Cell<bool>,
}

impl Default for Scroll {
    fn default() -> Scroll {
        Scroll { at: Cell::new(0), last: Cell::new(usize::MAX), rows: Cell::new(1), seeks: Cell::new(true) }
    }
}

impl Scroll {
    pub fn at(&self) -> usize {
        self.at.get()
    }

    pub fn rows(&self) -> usize {
        self.rows.get().max(1)
    }

    /// Whether there is nothing below what is shown.
    pub fn is_at_its_end(&self) -> bool {
        self.at() >= self.last.get()
    }

    pub fn to(&self, at: usize) {
        self.at.set(at.min(self.last.get()));
    }

    /// To the beginning, of something else perhaps.
    pub fn reset(&self) {
        self.at.set(0);
        self.last.set(usize::MAX);
        self.seeks.set(true);
    }

    /// Whether what is looked for is still to be scrolled to; from now on it is not.
    pub fn takes_seeking(&self) -> bool {
        self.seeks.take()
    }

    pub fn step(&self, down: bool) {
        self.to(if down { self.at() + 1 } else { self.at().saturating_sub(1) });
    }

    /// What is drawn has so many lines, of which so many rows are shown; gives the first of them.
    pub fn shows(&self, count: usize, rows: usize) -> usize {
        self.last.set(count.saturating_sub(rows));
        self.rows.set(rows);
        self.to(self.at());
        self.at()
    }

    /// The lines to show of a page in so many rows, the first of them, and how many there are; `lines` makes those of a window
    /// and counts all.
    pub fn window<L>(
        &self,
        rows: usize,
        lines: impl Fn(Range<usize>) -> (Vec<L>, usize),
    ) -> (Vec<L>, usize, usize) {
        let asked = self.at();
        let (shown, count) = lines(asked..asked.saturating_add(rows));
        let from = self.shows(count, rows);
        (if from == asked { shown } else { lines(from..from + rows).0 }, from, count)
    }

    /// A page is so many rows, whatever is shown of them.
    pub fn turns_by(&self, rows: usize) {
        self.rows.set(rows);
    }

    /// The same for a list whose row under the cursor is to be seen; its end may be shown before its rows are full.
    pub fn shows_row(&self, row: usize, rows: usize) -> usize {
        self.rows.set(rows);
        self.at.set(self.at().clamp((row + 1).saturating_sub(rows.max(1)), row));
        self.at()
    }
}
