//! Where things stand, from the size of the terminal alone.
//!
//! Responsible for the rows and columns that update must know (pages, widths of fields) and that the view draws into, so
//! that the two agree. Pure. Not responsible for drawing.

use super::model::{Focus, Form, Model, Screen, Size};
use crate::ask::Kind;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// The inbox: header, list, detail beside or below, footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxLayout {
    /// Name, counts.
    pub header: Area,
    /// The gates.
    pub list: Area,
    /// The selected gate; empty where there is no room.
    pub detail: Area,
}

/// A question: header with chips, the question's words, rows or field, context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormLayout {
    /// Step, topic, chips.
    pub header: Area,
    /// The question's words, the mark of required.
    pub question: Area,
    /// Options, or the text field.
    pub body: Area,
    /// Filter or page line.
    pub status: Area,
    /// The words of the row under the cursor.
    pub context: Area,
}

/// Rows that the footer takes.
pub const FOOTER: u16 = 1;
/// Rows that a notice takes above the footer.
pub const NOTICE: u16 = 1;
/// Rows of options on one page, so that each has a digit.
pub const PAGE: usize = 9;

/// Everything above footer and notice.
pub fn main(size: Size) -> Area {
    Area { x: 0, y: 0, width: size.width, height: size.height.saturating_sub(FOOTER + NOTICE) }
}

/// Parts of the inbox.
pub fn inbox(size: Size) -> InboxLayout {
    let main = main(size);
    let head = main.height.min(if size.height >= 20 { 2 } else { 1 });
    let header = Area { height: head, ..main };
    let below = Area { y: head, height: main.height - head, ..main };
    if size.width >= 90 {
        let left = (size.width * 3 / 5).min(72);
        let list = Area { width: left, ..below };
        let detail = Area { x: left + 1, width: size.width - left - 1, ..below };
        return InboxLayout { header, list, detail };
    }
    let under = if below.height >= 14 { below.height / 2 } else { 0 };
    let list = Area { height: below.height - under, ..below };
    let detail = Area { y: below.y + list.height, height: under, ..below };
    InboxLayout { header, list, detail }
}

/// Parts of a form; `words` is how many rows the question's words take.
pub fn form(size: Size, words: usize, rows: usize, text: bool) -> FormLayout {
    let main = main(size);
    let roomy = main.height >= 18;
    let head = main.height.min(if roomy { 2 } else { 1 });
    let mut left = main.height - head;
    let words = u16::try_from(words).unwrap_or(u16::MAX).min((left / 3).max(1)).min(left);
    left -= words;
    let gap = u16::from(roomy).min(left);
    left -= gap;
    let status = left.min(1);
    left -= status;
    let wanted = if text { left } else { u16::try_from(rows.clamp(1, PAGE)).unwrap_or(1) };
    let keep = if text { 0 } else { left / 3 };
    let body = wanted.min(left - keep.min(left.saturating_sub(1)));
    left -= body;
    let header = Area { height: head, ..main };
    let question = Area { y: head, height: words, ..main };
    let body = Area { y: head + words + gap, height: body, ..main };
    let status = Area { y: body.y + body.height, height: status, ..main };
    let context = Area { y: status.y + status.height, height: left, ..main };
    FormLayout { header, question, body, status, context }
}

/// The form as it stands now.
pub fn form_of(model: &Model, form_state: &Form) -> FormLayout {
    let Some(question) = form_state.question() else { return form(model.size, 1, 1, false) };
    let width = usize::from(model.size.width.saturating_sub(2)).max(1);
    let words = crate::text::Safe::block(&question.question.display());
    let lines = crate::text::wrap::wrap(&words, width.saturating_sub(12).max(8)).len();
    let text = question.kind == Kind::FreeText || form_state.focus == Focus::Field;
    form(model.size, lines, form_state.row_count(form_state.at), text)
}

/// Rows of one page of options.
pub fn page_rows(model: &Model, form_state: &Form) -> usize {
    usize::from(form_of(model, form_state).body.height).clamp(1, PAGE)
}

/// Inside of the text field: columns and rows.
pub fn field(model: &Model) -> (usize, usize) {
    let Some(form_state) = &model.form else { return (1, 1) };
    let body = form_of(model, form_state).body;
    (usize::from(body.width.saturating_sub(4)).max(1), usize::from(body.height.saturating_sub(2)).max(1))
}

/// Rows of the list of a screen that is one.
pub fn list_rows(model: &Model) -> usize {
    let rows = match model.screen {
        Screen::Inbox => inbox(model.size).list.height,
        Screen::Form | Screen::Review | Screen::Receipt => review(model.size).height,
    };
    usize::from(rows).max(1)
}

/// The rows of the review.
pub fn review(size: Size) -> Area {
    let main = main(size);
    let head = main.height.min(2);
    Area { y: head, height: main.height - head, ..main }
}
