//! Where each visual row of a field starts: kept between changes, and found again only around a change.

use std::ops::Range;

use crate::text::sanitize::grapheme;
use crate::text::width::{ambiguous_cells, cells};
use crate::text::wrap::{Rules, next_start};

/// So many rows before a change are found again: a row's end may depend on a few characters of the rows behind it.
const LOOK_BACK: usize = 4;

/// The starts of the visual rows for one width. Empty until a width is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    width: usize,
    /// Cells of an ambiguous character when they were found.
    ambiguous: usize,
    starts: Vec<usize>,
}

/// How a field of `width` cells wraps: by drawn widths; one space may hang over the end of a row, more start the next,
/// so that every space typed can be seen.
pub(super) fn rules(width: usize) -> Rules {
    Rules { width, hanging: 1, measure: |cluster| cells(&grapheme(cluster)) }
}

impl Rows {
    /// Finds the rows for `width` cells unless they are known.
    pub(super) fn fit(&mut self, text: &str, width: usize) {
        let wraps = (width, ambiguous_cells());
        if self.starts.is_empty() || (self.width, self.ambiguous) != wraps {
            (self.width, self.ambiguous) = wraps;
            self.starts.clear();
            self.starts.push(0);
            self.starts.extend(walk(text, 0, width));
        }
    }

    /// Follows a change of the text: at byte `at`, `removed` bytes gave way to `inserted` bytes; `text` is the new text.
    pub(super) fn update(&mut self, text: &str, at: usize, removed: usize, inserted: usize) {
        if self.starts.is_empty() {
            return;
        }
        let kept = self.row_at(at).saturating_sub(LOOK_BACK);
        let moved = |start: usize| start - removed + inserted;
        let mut old = self.starts.partition_point(|&start| start < at + removed).max(kept + 1);
        let mut found = Vec::new();
        let mut met = false;
        for start in walk(text, self.starts[kept], self.width) {
            while self.starts.get(old).is_some_and(|&known| moved(known) < start) {
                old += 1;
            }
            met = self.starts.get(old).is_some_and(|&known| moved(known) == start);
            if met {
                break;
            }
            found.push(start);
        }
        if !met {
            old = self.starts.len();
        }
        if removed != inserted {
            self.starts[old..].iter_mut().for_each(|start| *start = moved(*start));
        }
        self.starts.splice(kept + 1..old, found);
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The row in which byte `at` stands; a row's start belongs to that row, not to the end of the one before.
    pub(super) fn row_at(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at).saturating_sub(1)
    }

    /// The bytes of row `row`, without a line feed.
    pub(super) fn range(&self, text: &str, row: usize) -> Range<usize> {
        let start = self.starts[row];
        let end = self
            .starts
            .get(row + 1)
            .map_or(text.len(), |&next| next - usize::from(self.ends_line(text, row)));
        start..end
    }

    /// Whether a line feed or the end of the text follows the row.
    pub(super) fn ends_line(&self, text: &str, row: usize) -> bool {
        self.starts.get(row + 1).is_none_or(|&next| text.as_bytes().get(next - 1) == Some(&b'\n'))
    }
}

/// The starts of the rows behind the one that starts at byte `start`.
fn walk(text: &str, start: usize, width: usize) -> impl Iterator<Item = usize> {
    let rules = rules(width);
    std::iter::successors(Some(start), move |&start| next_start(text, rules.row_end(text, start))).skip(1)
}
