//! The rows a view shows, the caret's place among them and scrolling to it.
//!
//! A caret behind a row that is exactly full stands at the start of the next row. At the end of a line there is no
//! next row, so an empty one is shown for as long as the caret is there.

use std::ops::Range;

use super::TextField;
use super::rows::{Rows, rules};
use crate::text::cluster::clusters;
use crate::text::sanitize::Safe;
use crate::text::width::cells;

/// One visual row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The bytes of the field's text that the row stands for, without a line feed; a space that hangs over the row's
    /// end is among them but not drawn.
    pub range: Range<usize>,
    /// What to draw, at most as wide as the field.
    pub drawn: Safe,
    /// The cells of `drawn`.
    pub width: usize,
}

/// The rows to show and where the caret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows, from row number `first` of the whole text.
    pub rows: Vec<Row>,
    /// How many rows are above those in `rows`.
    pub first: usize,
    /// How many rows the whole text has, at least 1.
    pub total: usize,
    /// The caret's row as an index into `rows`.
    pub caret_row: usize,
    /// The caret's column in cells, less than the width.
    pub caret_col: usize,
}

/// Where the caret is shown among all rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CaretPlace {
    pub(super) row: usize,
    pub(super) col: usize,
    /// How many rows are shown.
    pub(super) rows: usize,
    /// The number of the empty row that is shown only for the caret.
    extra: Option<usize>,
}

impl CaretPlace {
    /// The wrapped row that is shown as row `shown`; `None` for the caret's own empty row.
    fn wrapped_row(&self, shown: usize) -> Option<usize> {
        match self.extra {
            Some(extra) if shown == extra => None,
            Some(extra) if shown > extra => Some(shown - 1),
            _ => Some(shown),
        }
    }
}

impl TextField {
    /// All rows at `width` cells (0 counts as 1). Draws the whole text: for a long one use
    /// [`TextField::layout_window`].
    pub fn layout(&self, width: usize) -> Layout {
        let caret = self.caret_place(width);
        self.draw(&caret, 0..caret.rows, width)
    }

    /// The rows that fit into `width` x `height` cells (0 counts as 1), scrolled no further than the caret asks for.
    /// Costs what is shown, not what is stored, unless the width is a new one.
    pub fn layout_window(&self, width: usize, height: usize) -> Layout {
        let caret = self.caret_place(width);
        let height = height.max(1);
        let lowest = caret.rows.saturating_sub(height);
        let top = self.top.get().clamp((caret.row + 1).saturating_sub(height), caret.row).min(lowest);
        self.top.set(top);
        self.draw(&caret, top..(top + height).min(caret.rows), width)
    }

    /// Where the caret is shown.
    pub(super) fn caret_place(&self, width: usize) -> CaretPlace {
        let width = width.max(1);
        let rows = self.wrapped(width);
        let row = rows.row_at(self.caret);
        let start = rows.range(&self.text, row).start;
        let measure = rules(width);
        let col: usize =
            clusters(&self.text[start..self.caret]).map(|(_, cluster)| measure.cells(cluster)).sum();
        let count = rows.count();
        if col < width {
            CaretPlace { row, col, rows: count, extra: None }
        } else if rows.ends_line(&self.text, row) {
            CaretPlace { row: row + 1, col: 0, rows: count + 1, extra: Some(row + 1) }
        } else {
            CaretPlace { row: row + 1, col: 0, rows: count, extra: None }
        }
    }

    /// The offset in shown row `row` that is nearest to column `col` from the left.
    pub(super) fn offset_at(&self, row: usize, col: usize, width: usize) -> usize {
        let caret = self.caret_place(width);
        let Some(row) = caret.wrapped_row(row) else { return self.caret };
        let width = width.max(1);
        let rows = self.wrapped(width);
        let range = rows.range(&self.text, row);
        let measure = rules(width);
        let (mut used, mut at) = (0, range.start);
        for (offset, cluster) in clusters(&self.text[range.clone()]) {
            used += measure.cells(cluster);
            let end = range.start + offset + cluster.len();
            let next_row = end == range.end && !rows.ends_line(&self.text, row);
            if used > col || used >= width || next_row {
                break;
            }
            at = end;
        }
        at
    }

    fn wrapped(&self, width: usize) -> std::cell::Ref<'_, Rows> {
        self.rows.borrow_mut().fit(&self.text, width);
        self.rows.borrow()
    }

    fn draw(&self, caret: &CaretPlace, shown: Range<usize>, width: usize) -> Layout {
        let width = width.max(1);
        let rows = self.wrapped(width);
        let first = shown.start;
        let drawn = |number: usize| match caret.wrapped_row(number) {
            Some(row) => draw_row(&self.text, rows.range(&self.text, row), width),
            None => Row { range: self.caret..self.caret, drawn: Safe::default(), width: 0 },
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
    let mut wide = cells(&drawn);
    if wide > width && drawn.ends_with(' ') {
        drawn = drawn.slice(0..drawn.len() - 1);
        wide -= 1;
    }
    if wide > width {
        drawn = drawn.fit(width);
        wide = cells(&drawn);
    }
    Row { range, drawn, width: wide }
}
