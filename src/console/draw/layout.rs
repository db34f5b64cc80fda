//! The areas of each screen, computed from the size of the terminal and the content.
//!
//! Acts need the same rows and columns (pages of options, widths of fields) that a screen is drawn into, so both take them
//! from here.

mod form;
#[cfg(test)]
mod tests;

pub use form::{
    Descriptions, FormLayout, FormNeeds, described_cells, field, form, form_of, inside_frame, label_cap,
    label_room, note, page_rows, rows_on_page, typing, under_reason, words,
};

use ratatui::layout::{Rect, Size};

/// A list, what is selected in it beside or below, and the line between them, a row or a column; what has no room is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Panes {
    pub header: Rect,
    pub list: Rect,
    pub rule: Rect,
    pub detail: Rect,
}

/// A story file: beside the question, or over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoryLayout {
    /// The column between question and file; empty over the screen.
    pub rule: Rect,
    /// All beside it.
    pub pane: Rect,
    /// The file's name.
    pub header: Rect,
    pub text: Rect,
    /// What is searched for; empty without a search.
    pub search: Rect,
}

/// Rows that the footer takes.
const FOOTER: u16 = 1;
/// Rows that a notice takes above the footer.
pub const NOTICE: u16 = 1;
/// Rows of a page that have a digit.
pub const DIGITS: usize = 9;
/// Cells in front of a label: the cursor's mark, the sign, the digit.
pub const BEFORE_LABEL: u16 = 9;
/// Cells of a line of running text, at most.
pub const READING: u16 = 100;
/// Cells of a row of the review beside its answer, at most.
const BESIDE_ANSWER: u16 = 24;
/// Rows of the review's foot where there is room for all of it.
pub const WHOLE_FOOT: u16 = 4;

/// From this width on a second pane stands beside the first; the first is no wider where the second can use the room.
const BESIDE: u16 = 90;
const FIRST: u16 = 68;
/// From this width on the story stands beside the question; it is no wider than can be read.
const STORY_BESIDE: u16 = 120;
const STORY: u16 = 90;
/// From this height of the main part on there is room for blank rows.
const ROOMY: u16 = 18;

/// Whether no more than one sentence is shown in such a terminal.
pub fn is_too_small(size: Size) -> bool {
    size.width < 20 || size.height < 5
}

/// Parts of a rectangle, cut by hand: ratatui's `Layout` solves equations, which takes longer than a whole frame may.
pub trait RectExt {
    /// So many rows from a row on, as far as there are.
    #[must_use]
    fn slice(self, from: u16, count: u16) -> Self;

    /// One row.
    #[must_use]
    fn row(self, at: u16) -> Self;

    /// Without so many columns on the left and on the right.
    #[must_use]
    fn inset(self, left: u16, right: u16) -> Self;

    /// No wider than lines can be read, with so many columns beside them.
    #[must_use]
    fn readable(self, beside: u16) -> Self;

    /// What a box that stands over it leaves; all of it without one.
    #[must_use]
    fn above(self, over: Self) -> Self;
}

impl RectExt for Rect {
    fn slice(self, from: u16, count: u16) -> Rect {
        let from = from.min(self.height);
        Rect { y: self.y + from, height: count.min(self.height - from), ..self }
    }

    fn row(self, at: u16) -> Rect {
        self.slice(at, 1)
    }

    fn inset(self, left: u16, right: u16) -> Rect {
        let left = left.min(self.width);
        let width = (self.width - left).saturating_sub(right);
        Rect { x: self.x + left, width, ..self }
    }

    fn readable(self, beside: u16) -> Rect {
        Rect { width: self.width.min(READING + beside), ..self }
    }

    fn above(self, over: Rect) -> Rect {
        if over.is_empty() { self } else { self.slice(0, over.y.saturating_sub(self.y)) }
    }
}

/// Everything above footer and notice.
pub fn main(size: Size) -> Rect {
    Rect::new(0, 0, size.width, size.height.saturating_sub(FOOTER + NOTICE))
}

/// The last row: what can be pressed.
pub fn footer(size: Size) -> Rect {
    Rect::new(0, size.height.saturating_sub(FOOTER), size.width, FOOTER)
}

/// So many rows above the footer, as far as there are.
pub fn above_footer(size: Size, rows: usize) -> Rect {
    let bottom = footer(size).y;
    let height = rows_of(rows).min(bottom);
    Rect::new(0, bottom - height, size.width, height)
}

/// Header rows and the rest of the main part.
fn headed(size: Size) -> (Rect, Rect) {
    let main = main(size);
    below_header(main, if main.height >= ROOMY { 2 } else { 1 })
}

fn below_header(main: Rect, rows: u16) -> (Rect, Rect) {
    let head = main.height.min(rows);
    (main.slice(0, head), main.slice(head, u16::MAX))
}

fn rows_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Two panes side by side and the column between them; the first no wider than so many columns.
fn beside(area: Rect, most: u16) -> (Rect, Rect, Rect) {
    let left = (area.width / 20 * 11).min(most);
    (area.inset(0, area.width - left), Rect { x: left, width: 1, ..area }, area.inset(left + 1, 0))
}

/// Whether the details of a list stand below it.
pub fn is_stacked(size: Size) -> bool {
    size.width < BESIDE
}

/// Parts of the inbox, or of a history. Above the detail the list is no taller than its rows: those of the whole list, so that nothing moves
/// while a filter is typed. A filter, or how the files are watched, stands in a second row of the header.
pub fn inbox(size: Size, rows: usize, second_line: bool) -> Panes {
    let main = main(size);
    let (header, below) = below_header(main, if second_line && main.height >= ROOMY { 2 } else { 1 });
    if !is_stacked(size) {
        // What the lines of the details cannot use is the list's.
        let most = FIRST.max(below.width.saturating_sub(READING + 3));
        let (list, rule, detail) = beside(below, most);
        return Panes { header, list, rule, detail: detail.readable(2) };
    }
    let under = if below.height >= 14 { below.height / 2 } else { 0 };
    let rows = if rows == 0 || under == 0 { u16::MAX } else { rows_of(rows) };
    let list = below.slice(0, rows.min(below.height - under));
    let under = if under == 0 { 0 } else { below.height - list.height };
    let rule = below.slice(list.height, under.min(1));
    let detail = below.slice(list.height + 1, under.saturating_sub(1));
    Panes { header, list, rule, detail }
}

/// Parts of the review: header, answers, foot.
pub fn review(size: Size) -> [Rect; 3] {
    let (header, below) = headed(size);
    let foot = match below.height {
        12.. => WHOLE_FOOT,
        6.. => 2,
        _ => 1,
    };
    let foot = below.slice(below.height.saturating_sub(foot), u16::MAX);
    [header, below.slice(0, below.height - foot.height).readable(BESIDE_ANSWER), foot]
}

/// Title, filter and rows of a list that is narrowed.
pub fn filtered(area: Rect) -> [Rect; 3] {
    [area.row(0), area.row(1), area.slice(2 + u16::from(area.height >= ROOMY), u16::MAX)]
}

/// The lines of the receipt, which has no header.
pub fn receipt(size: Size) -> Rect {
    let main = main(size);
    main.slice(u16::from(main.height >= ROOMY), u16::MAX).inset(1, 1).readable(0)
}

/// The lines of a page that covers the screen: help, details.
pub fn page(size: Size) -> Rect {
    headed(size).1.inset(1, 1)
}

/// Columns of the story beside a question; none where there is no room.
pub fn story_width(size: Size) -> u16 {
    if size.width >= STORY_BESIDE { (size.width / 20 * 9).min(STORY) } else { 0 }
}

/// Parts of the story, in so many columns beside a question, or over the screen.
pub fn story(size: Size, beside: u16, has_search: bool) -> StoryLayout {
    let main = main(size);
    let pane = main.inset(if beside > 0 { size.width - beside } else { 0 }, 0);
    let rule = Rect { width: u16::from(beside > 0), ..pane };
    let pane = pane.inset(rule.width, 0);
    let inside = pane.inset(1, 1);
    let head = headed(size).0.height;
    let search = u16::from(has_search).min(inside.height - head);
    let foot = inside.height - search;
    StoryLayout {
        rule,
        pane,
        header: inside.row(0),
        text: inside.slice(head, foot - head),
        search: inside.slice(foot, search),
    }
}
