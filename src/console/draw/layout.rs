//! The areas of each screen, computed from the size of the terminal and the content.
//!
//! The acts of a form need the same rows and columns (pages of options, widths of fields) that it is drawn into, so both take
//! them from here.

mod descriptions;
mod list;
mod note;
mod story;
#[cfg(test)]
mod tests;

pub use descriptions::Descriptions;
pub use list::{InboxLayout, ListNeeds, history_of, inbox, inbox_of};
pub use note::note;
pub use story::{StoryLayout, form_size, has_story_beside, story};

use crate::ask::{Kind, Question};
use crate::console::field::TextField;
use crate::console::model::{Focus, Form, Model, Size};
use crate::text::{Safe, wrap};
use ratatui::layout::Rect;

/// A question: header with chips, the question's words, rows or field, context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormLayout {
    /// Step, topic, chips.
    pub header: Rect,
    /// The question's words, the mark of required.
    pub question: Rect,
    /// Options; of free text, the field.
    pub body: Rect,
    /// Filter, count, page; of free text, its length. An open filter stands above the body, so that it does not move with
    /// the number of rows.
    pub status: Rect,
    /// The line above the context, or the column beside it; empty where there is no room.
    pub rule: Rect,
    /// The words of the row under the cursor.
    pub context: Rect,
    /// The text field with its frame, where one is open: the body, or over rule and context.
    pub field: Rect,
    pub descriptions: Descriptions,
}

/// All answers before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewLayout {
    /// Step, topic, chips.
    pub header: Rect,
    /// The answers.
    pub list: Rect,
    /// The column between answers and record; empty where there is no room.
    pub rule: Rect,
    /// The record; empty where there is no room.
    pub record: Rect,
    /// Where it goes, and the button.
    pub foot: Rect,
}

/// The content that a form needs room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormNeeds {
    /// Rows of the question's words.
    pub words: usize,
    /// Rows of options.
    pub rows: usize,
    /// Where whole descriptions have room on a screen of any height, and the rows that the list then takes.
    pub whole: Option<(Descriptions, usize)>,
    /// Whether there is more to say than the descriptions.
    pub notes: bool,
    /// Whether the question is for free text.
    pub free: bool,
    /// Whether a filter is open.
    pub filter: bool,
    /// Rows of the text in the field.
    pub text: usize,
}

/// Rows that the footer takes.
pub const FOOTER: u16 = 1;
/// Rows that a notice takes above the footer.
pub const NOTICE: u16 = 1;
/// Rows of a page that have a digit.
pub const DIGITS: usize = 9;
/// Cells in front of a label: the cursor's mark, the sign, the digit.
pub const BEFORE_LABEL: u16 = 9;
/// Cells of a line of running text, at most.
pub const READING: u16 = 100;
/// The smallest terminal in which more than one sentence is shown.
pub const SMALLEST: Size = Size { width: 20, height: 5 };

/// From this width on a second pane stands beside the first.
const BESIDE: u16 = 90;
/// From this width on the descriptions of a long list stand beside it.
const COLUMNS: u16 = 160;
/// Rows below a list: a line and the field for own words.
const UNDER_LIST: u16 = 4;
/// Rows of the pane below a list, at most.
const PANE: u16 = 8;
/// From this height of the main part on there is room for blank rows.
const ROOMY: u16 = 18;
/// Columns kept beside a question's words for `required`.
const MARK: u16 = 12;
/// Rows of the review's foot where there is room for all of it.
pub const WHOLE_FOOT: u16 = 4;
/// Rows of a field for many lines, at least.
const MANY_LINES: usize = 6;
/// Characters of a question's words that are looked at for the form; the whole text has a page of its own.
const WORDS: usize = 2_000;

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

/// Two panes side by side and the column between them.
fn beside(area: Rect) -> (Rect, Rect, Rect) {
    let left = (area.width / 20 * 11).min(68);
    let first = Rect { width: left, ..area };
    let rule = Rect { x: left, width: 1, ..area };
    (first, rule, Rect { x: left + 1, width: area.width - left - 1, ..area })
}

/// Parts of a form.
pub fn form(size: Size, needs: FormNeeds) -> FormLayout {
    let (header, below) = headed(size);
    let roomy = u16::from(header.height > 1);
    let words = rows_of(needs.words).min((below.height / 3).max(1));
    let question = below.slice(0, words).readable(MARK + 2);
    let rest = below.slice(question.height + roomy, u16::MAX);
    let below_body = u16::from(rest.height > 1);
    let parts = FormLayout { header, question, ..FormLayout::default() };
    if needs.free {
        // A frame around it takes two rows.
        let framed = rows_of(needs.text).saturating_add(2);
        let field = rest.slice(0, framed.min(rest.height - below_body)).readable(6);
        let status = rest.slice(field.height, below_body).readable(6);
        let context = rest.slice(field.height + 1 + roomy, u16::MAX).readable(2);
        return FormLayout { body: field, status, context, field, ..parts };
    }
    let left = rest.height - below_body;
    let above_body = if needs.filter { below_body } else { 0 };
    let pane = (left / 3).clamp(2, PANE).min(left.saturating_sub(1));
    let keep = if needs.notes { pane.max(UNDER_LIST) } else { UNDER_LIST };
    let fits = |(_, rows): &(Descriptions, usize)| *rows <= usize::from(left.saturating_sub(keep));
    let whole = needs.whole.filter(fits);
    if whole.is_none() && size.width >= COLUMNS {
        let (list, rule, context) = columns(rest);
        let status = list.slice(if needs.filter { 0 } else { left }, below_body);
        let body = list.slice(above_body, left);
        let context = context.readable(2);
        return FormLayout { body, status, rule, context, field: context.readable(6), ..parts };
    }
    let (descriptions, rows) = whole.unwrap_or((Descriptions::Pane, needs.rows.max(1)));
    let most = if whole.is_some() { left } else { left - pane };
    let body = rest.slice(above_body, rows_of(rows).min(most)).readable(BEFORE_LABEL + 1);
    let status =
        rest.slice(if needs.filter { 0 } else { body.height }, below_body).readable(BEFORE_LABEL + 1);
    let under = rest.slice(body.height + below_body, u16::MAX);
    let line = u16::from(under.height >= UNDER_LIST);
    let rule = under.slice(0, line);
    let context = under.slice(line, u16::MAX).readable(2);
    FormLayout { body, status, rule, context, field: under.readable(6), descriptions, ..parts }
}

/// A list, the column beside it, and a pane of whole lines of text.
fn columns(area: Rect) -> (Rect, Rect, Rect) {
    let list = (area.width / 20 * 11).min(READING + BEFORE_LABEL + 1);
    (area.inset(0, area.width - list), Rect { x: list, width: 1, ..area }, area.inset(list + 1, 0))
}

fn rows_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The form as it stands now.
pub fn form_of(model: &Model, form_state: &Form) -> FormLayout {
    let size = form_size(model);
    let question = form_state.question();
    let free = question.kind == Kind::FreeText;
    let needs = FormNeeds {
        words: words(question, size).1.len(),
        rows: form_state.row_count(),
        whole: if free { None } else { descriptions::whole(size, form_state, question) },
        notes: descriptions::has_notes(form_state),
        free,
        text: if free { text_rows(size, &form_state.field, field_width(size)) } else { 0 },
        filter: form_state.filter().is_some(),
    };
    let parts = form(size, needs);
    if free || !typing(form_state) || form_state.note.is_some() {
        return parts;
    }
    let rows = text_rows(size, &form_state.field, usize::from(inside_frame(parts.field).width).max(1));
    FormLayout { field: parts.field.slice(0, rows_of(rows).saturating_add(2)), ..parts }
}

/// The beginning of a question's words and the byte ranges of its rows beside the mark.
pub fn words(question: &Question, size: Size) -> (Safe, Vec<std::ops::Range<usize>>) {
    let shown = question.question.display();
    let end = shown.char_indices().nth(WORDS).map_or(shown.len(), |(at, _)| at);
    let words = Safe::block(&shown[..end]);
    let cells = size.width.saturating_sub(MARK + 2).clamp(8, READING);
    let rows = wrap::wrap(&words, usize::from(cells));
    (words, rows)
}

/// Rows that the text in the field asks for; where there are many lines, there is room for some more.
fn text_rows(size: Size, field: &TextField, width: usize) -> usize {
    let room = usize::from(size.height);
    // Only a text that may fit is measured whole.
    let total = if field.text().len() > width * room * 4 { room } else { field.layout(width).total };
    if field.is_multiline() { (total + 1).max(MANY_LINES) } else { total }
}

impl FormLayout {
    /// Whether the row below a list has room for the names of what is chosen.
    pub fn names_picks(&self, form_state: &Form) -> bool {
        self.context.x == 0 && form_state.filter().is_none()
    }
}

/// Rows of one page of options.
pub fn page_rows(model: &Model, form_state: &Form) -> usize {
    rows_on_page(&form_of(model, form_state), form_state)
}

/// Rows of one page of options in this layout.
pub fn rows_on_page(parts: &FormLayout, form_state: &Form) -> usize {
    let rows = match parts.descriptions {
        Descriptions::Pane => usize::from(parts.body.height),
        Descriptions::Beside | Descriptions::Below => form_state.row_count(),
    };
    rows.max(1)
}

/// Inside of the text field: columns and rows.
pub fn field(model: &Model, form_state: &Form) -> (usize, usize) {
    let area =
        if form_state.note.is_some() { note(model, form_state) } else { form_of(model, form_state).field };
    let inside = inside_frame(area);
    (usize::from(inside.width).max(1), usize::from(inside.height).max(1))
}

/// Columns of a free text: a margin, a frame and a space on either side are not its own.
fn field_width(size: Size) -> usize {
    usize::from(size.width.min(READING + 6)).saturating_sub(6).max(1)
}

/// The rows of text in a field's area; a frame needs three rows.
pub fn inside_frame(field: Rect) -> Rect {
    let text = field.inset(3, 3);
    if field.height < 3 { text } else { text.slice(1, field.height - 2) }
}

/// Whether the field is open for keys.
pub fn typing(form_state: &Form) -> bool {
    form_state.focus == Focus::Field
}

/// Parts of the review.
pub fn review(size: Size) -> ReviewLayout {
    let (header, below) = headed(size);
    let foot = if below.height >= 12 {
        WHOLE_FOOT
    } else if below.height >= 6 {
        2
    } else {
        1
    };
    let foot = below.slice(below.height.saturating_sub(foot), u16::MAX);
    let above = below.slice(0, below.height - foot.height);
    let (list, rule, record) = if size.width >= BESIDE {
        beside(above)
    } else {
        (above, Rect { height: 0, ..above }, Rect { height: 0, ..above })
    };
    ReviewLayout { header, list, rule, record: record.readable(2), foot }
}

/// The list of the packets that can be answered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketsLayout {
    pub title: Rect,
    pub filter: Rect,
    pub list: Rect,
}

/// Parts of that list.
pub fn packets(size: Size) -> PacketsLayout {
    let main = main(size);
    let (title, rest) = below_header(main, 1);
    let (filter, rest) = below_header(rest, 1);
    let list = rest.slice(u16::from(main.height >= ROOMY), u16::MAX);
    PacketsLayout { title, filter, list }
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

/// The cells of the label column of a question's rows.
pub fn label_cap(width: u16) -> usize {
    (usize::from(width) * 2 / 5).max(8)
}
