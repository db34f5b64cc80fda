//! The rows a view shows, the caret's place among them and scrolling to it.
//!
//! Where rows start is kept between changes, and found again only in the lines that a change concerns. A caret behind a row that is
//! exactly full stands at the start of the next row. At the end of a line there is no next row, so an empty one is
//! shown for as long as the caret is there.

use std::iter::successors;
use std::ops::Range;

use crate::text::cluster::clusters;
use crate::text::sanitize::{Safe, grapheme};
use crate::text::width::{ambiguous_cells, cells};
use crate::text::wrap::{Rules, next_start};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The bytes of the field's text that the row stands for, without a line feed; a space that hangs over the row's
    /// end is among them but not drawn.
    pub range: Range<usize>,
    /// What to draw, at most as wide as the field.
    pub drawn: Safe,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows, from row number `first` of the whole text.
    pub rows: Vec<Row>,
    pub first: usize,
    /// How many rows the whole text has, at least 1.
    pub total: usize,
    /// The caret's row as an index into `rows`.
    pub caret_row: usize,
    /// The caret's column in cells, less than the width.
    pub caret_col: usize,
}

/// Where the caret is shown among all rows.
pub(super) struct CaretPlace {
    pub(super) row: usize,
    pub(super) col: usize,
    pub(super) rows: usize,
    /// Its row is an empty one that is shown only for it.
    has_own_row: bool,
}

impl CaretPlace {
    /// The wrapped row that is shown as row `shown`; `None` for the caret's own.
    pub(super) fn wrapped_row(&self, shown: usize) -> Option<usize> {
        match self.has_own_row {
            true if shown == self.row => None,
            true if shown > self.row => Some(shown - 1),
            _ => Some(shown),
        }
    }
}

/// The starts of the visual rows for one width. Empty until a width is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    width: usize,
    /// Cells of an ambiguous character when they were found.
    ambiguous: usize,
    starts: Vec<usize>,
}

impl Rows {
    /// Wraps by drawn widths; one space may hang over the end of a row, more start the next, so that every space typed can be
    /// seen.
    fn rules(&self) -> Rules {
        Rules { width: self.width, hanging: 1, measure: |cluster| cells(&grapheme(cluster)) }
    }

    /// The starts of the rows behind the one that starts at byte `start`.
    fn behind(&self, text: &str, start: usize) -> impl Iterator<Item = usize> {
        let rules = self.rules();
        successors(Some(start), move |&start| next_start(text, rules.row_end(text, start))).skip(1)
    }

    /// Finds the rows for `width` cells unless they are known.
    pub(super) fn fit(&mut self, text: &str, width: usize) {
        let wraps = (width.max(1), ambiguous_cells());
        if self.starts.is_empty() || (self.width, self.ambiguous) != wraps {
            (self.width, self.ambiguous) = wraps;
            self.starts = [0].into_iter().chain(self.behind(text, 0)).collect();
        }
    }

    /// Follows a change of the text: at byte `at`, `removed` bytes gave way to `inserted` bytes; `text` is the new text. Other
    /// lines keep their rows.
    pub(super) fn update(&mut self, text: &str, at: usize, removed: usize, inserted: usize) {
        if self.starts.is_empty() {
            return;
        }
        let line = text[..at].rfind('\n').map_or(0, |line_end| line_end + 1);
        let end = text[at + inserted..].find('\n').map_or(text.len(), |behind| at + inserted + behind);
        let found: Vec<usize> = self.behind(text, line).take_while(|&start| start <= end).collect();
        let kept = self.starts.partition_point(|&start| start <= line);
        let old = self.starts.partition_point(|&start| start <= end - inserted + removed);
        for start in &mut self.starts[old..] {
            *start = *start - removed + inserted;
        }
        self.starts.splice(kept..old, found);
    }

    /// The bytes of row `row`, without a line feed.
    fn range(&self, text: &str, row: usize) -> Range<usize> {
        let next = self.starts.get(row + 1);
        let end = next.map_or(text.len(), |&next| next - usize::from(self.ends_line(text, row)));
        self.starts[row]..end
    }

    /// Whether a line feed or the end of the text follows the row.
    fn ends_line(&self, text: &str, row: usize) -> bool {
        self.starts.get(row + 1).is_none_or(|&next| text.as_bytes().get(next - 1) == Some(&b'\n'))
    }

    /// Where a caret at byte `at` is shown. The start of a row belongs to that row, not to the end of the one before.
    pub(super) fn caret(&self, text: &str, at: usize) -> CaretPlace {
        let (row, rows) = (self.starts.partition_point(|&start| start <= at) - 1, self.starts.len());
        let before = clusters(&text[self.starts[row]..at]);
        let col: usize = before.map(|(_, cluster)| self.rules().cells(cluster)).sum();
        if col < self.width {
            return CaretPlace { row, col, rows, has_own_row: false };
        }
        let has_own_row = self.ends_line(text, row);
        CaretPlace { row: row + 1, col: 0, rows: rows + usize::from(has_own_row), has_own_row }
    }

    /// The offset in wrapped row `row` that is nearest to column `col` from the left.
    pub(super) fn offset_at(&self, text: &str, row: usize, col: usize) -> usize {
        let range = self.range(text, row);
        let (mut used, mut at) = (0, range.start);
        for (offset, cluster) in clusters(&text[range.clone()]) {
            used += self.rules().cells(cluster);
            let end = range.start + offset + cluster.len();
            let next_row = end == range.end && !self.ends_line(text, row);
            if used > col || used >= self.width || next_row {
                break;
            }
            at = end;
        }
        at
    }

    /// The shown rows of this range, with the caret at byte `at`.
    pub(super) fn draw(&self, text: &str, at: usize, caret: &CaretPlace, shown: Range<usize>) -> Layout {
        let first = shown.start;
        let drawn = |number: usize| match caret.wrapped_row(number) {
            Some(row) => draw_row(text, self.range(text, row), self.width),
            None => Row { range: at..at, drawn: Safe::default() },
        };
        Layout {
            rows: shown.map(drawn).collect(),
            first,
            total: caret.rows,
            caret_row: caret.row - first,
            caret_col: caret.col,
        }
    }
}

fn draw_row(text: &str, range: Range<usize>, width: usize) -> Row {
    let mut drawn = Safe::line(&text[range.clone()]);
    if cells(&drawn) > width && drawn.ends_with(' ') {
        drawn = drawn.slice(0..drawn.len() - 1);
    }
    if cells(&drawn) > width {
        drawn = drawn.fit(width);
    }
    Row { range, drawn }
}
