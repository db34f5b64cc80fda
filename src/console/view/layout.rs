//! Where things stand, from the size of the terminal and what has to be shown.
//!
//! Responsible for the rows and columns that update must know (pages, widths of fields) and that the view draws into, so
//! that the two agree. Pure. Not responsible for drawing.

use crate::ask::{Kind, Question};
use crate::console::model::{Focus, Form, Model, Screen, Size};
use crate::text::{Safe, wrap};

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
    /// The line between list and detail: a row or a column; empty without a detail.
    pub rule: Area,
    /// The selected gate; empty where there is no room.
    pub detail: Area,
}

/// A question: header with chips, the question's words, rows or field, context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormLayout {
    /// Step, topic, chips.
    pub header: Area,
    /// The question's words, the mark of required.
    pub question: Area,
    /// Options; of free text, the field.
    pub body: Area,
    /// Filter, count, page; of free text, its length.
    pub status: Area,
    /// The line above the context; empty where there is no room.
    pub rule: Area,
    /// The words of the row under the cursor.
    pub context: Area,
    /// The text field with its frame, where one is open: the body, or over rule and context.
    pub field: Area,
}

/// All answers before they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewLayout {
    /// Step, topic, chips.
    pub header: Area,
    /// The answers.
    pub list: Area,
    /// The column between answers and record; empty where there is no room.
    pub rule: Area,
    /// The record; empty where there is no room.
    pub record: Area,
    /// Where it goes, and the button.
    pub foot: Area,
}

/// What a form has to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormNeeds {
    /// Rows of the question's words.
    pub words: usize,
    /// Rows of options.
    pub rows: usize,
    /// Whether the question is for free text.
    pub free: bool,
    /// Rows of the text in the field.
    pub text: usize,
}

/// Rows that the footer takes.
pub const FOOTER: u16 = 1;
/// Rows that a notice takes above the footer.
pub const NOTICE: u16 = 1;
/// Rows of options on one page, so that each has a digit.
pub const PAGE: usize = 9;
/// The smallest terminal in which more than one sentence is shown.
pub const SMALLEST: Size = Size { width: 20, height: 5 };

/// From this width on a second pane stands beside the first.
const BESIDE: u16 = 90;
/// From this height of the main part on there is room for blank rows.
const ROOMY: u16 = 18;
/// Columns kept beside a question's words for `required`.
const MARK: usize = 12;
/// Rows of a field for many lines, at least.
const MANY_LINES: usize = 6;
/// Characters of a question's words that are looked at for the form; the whole text has a page of its own.
const WORDS: usize = 2_000;

impl Area {
    /// The column behind the last one.
    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// The row behind the last one.
    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// Whether there is no cell.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// So many rows from a row on, as far as there are.
    #[must_use]
    pub fn rows(self, from: u16, count: u16) -> Area {
        let from = from.min(self.height);
        Area { y: self.y + from, height: count.min(self.height - from), ..self }
    }

    /// One row.
    #[must_use]
    pub fn row(self, at: u16) -> Area {
        self.rows(at, 1)
    }

    /// Without so many columns on the left and on the right.
    #[must_use]
    pub fn inset(self, left: u16, right: u16) -> Area {
        let left = left.min(self.width);
        let width = (self.width - left).saturating_sub(right);
        Area { x: self.x + left, width, ..self }
    }

    /// Whether the cell is inside.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }
}

/// Everything above footer and notice.
pub fn main(size: Size) -> Area {
    Area { x: 0, y: 0, width: size.width, height: size.height.saturating_sub(FOOTER + NOTICE) }
}

/// Header rows and the rest of the main part.
fn headed(size: Size) -> (Area, Area) {
    let main = main(size);
    let head = main.height.min(if main.height >= ROOMY { 2 } else { 1 });
    (main.rows(0, head), main.rows(head, u16::MAX))
}

/// Two panes side by side and the column between them.
fn beside(area: Area) -> (Area, Area, Area) {
    let left = (area.width / 20 * 11).min(68);
    let first = Area { width: left, ..area };
    let rule = Area { x: left, width: 1, ..area };
    (first, rule, Area { x: left + 1, width: area.width - left - 1, ..area })
}

/// Parts of the inbox.
pub fn inbox(size: Size) -> InboxLayout {
    let (header, below) = headed(size);
    if size.width >= BESIDE {
        let (list, rule, detail) = beside(below);
        return InboxLayout { header, list, rule, detail };
    }
    let under = if below.height >= 14 { below.height / 2 } else { 0 };
    let list = below.rows(0, below.height - under);
    let rule = below.rows(list.height, under.min(1));
    let detail = below.rows(list.height + 1, under.saturating_sub(1));
    InboxLayout { header, list, rule, detail }
}

/// Parts of a form.
pub fn form(size: Size, needs: FormNeeds) -> FormLayout {
    let (header, below) = headed(size);
    let roomy = u16::from(header.height > 1);
    let words = rows_of(needs.words).min((below.height / 3).max(1));
    let question = below.rows(0, words);
    let rest = below.rows(question.height + roomy, u16::MAX);
    let empty = Area { height: 0, ..rest };
    let below_body = u16::from(rest.height > 1);
    // A frame around it takes two rows.
    let framed = rows_of(needs.text).saturating_add(2);
    if needs.free {
        let field = rest.rows(0, framed.min(rest.height - below_body));
        let status = rest.rows(field.height, below_body);
        let context = rest.rows(field.height + 1 + roomy, u16::MAX);
        return FormLayout { header, question, body: field, status, rule: empty, context, field };
    }
    let left = rest.height - below_body;
    let keep = (left / 3).max(2).min(left.saturating_sub(1));
    let body = rest.rows(0, rows_of(needs.rows.clamp(1, PAGE)).min(left - keep));
    let status = rest.rows(body.height, below_body);
    let under = rest.rows(body.height + below_body, u16::MAX);
    let line = u16::from(under.height >= 4);
    let rule = under.rows(0, line);
    let context = under.rows(line, u16::MAX);
    FormLayout { header, question, body, status, rule, context, field: under.rows(0, framed) }
}

fn rows_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The form as it stands now.
pub fn form_of(model: &Model, form_state: &Form) -> FormLayout {
    let Some(question) = form_state.question() else { return form(model.size, FormNeeds::default()) };
    let needs = FormNeeds {
        words: words(question, model.size).1.len(),
        rows: form_state.row_count(form_state.at),
        free: question.kind == Kind::FreeText,
        text: text_rows(model.size, form_state),
    };
    form(model.size, needs)
}

/// The beginning of a question's words and the byte ranges of its rows beside the mark.
pub fn words(question: &Question, size: Size) -> (Safe, Vec<std::ops::Range<usize>>) {
    let shown = question.question.display();
    let end = shown.char_indices().nth(WORDS).map_or(shown.len(), |(at, _)| at);
    let words = Safe::block(&shown[..end]);
    let rows = wrap::wrap(&words, usize::from(size.width).saturating_sub(MARK + 2).max(8));
    (words, rows)
}

/// Rows that the text in the field asks for; where there are many lines, there is room for some more.
fn text_rows(size: Size, form_state: &Form) -> usize {
    let (field, width) = (&form_state.field, field_width(size));
    let room = usize::from(size.height);
    // Only a text that may fit is measured whole.
    let total = if field.text().len() > width * room * 4 { room } else { field.layout(width).total };
    if field.is_multiline() { (total + 1).max(MANY_LINES) } else { total }
}

/// Rows of one page of options.
pub fn page_rows(model: &Model, form_state: &Form) -> usize {
    usize::from(form_of(model, form_state).body.height).clamp(1, PAGE)
}

/// Inside of the text field: columns and rows.
pub fn field(model: &Model) -> (usize, usize) {
    let Some(form_state) = &model.form else { return (1, 1) };
    let inside = inside_frame(form_of(model, form_state).field);
    (field_width(model.size), usize::from(inside.height).max(1))
}

/// Columns of the text in a field: a margin, a frame and a space on either side.
fn field_width(size: Size) -> usize {
    usize::from(size.width).saturating_sub(6).max(1)
}

/// The rows of text in a field's area; a frame needs three rows.
pub fn inside_frame(field: Area) -> Area {
    let text = field.inset(3, 3);
    if field.height < 3 { text } else { text.rows(1, field.height - 2) }
}

/// Whether the field is open for keys.
pub fn typing(form_state: &Form) -> bool {
    form_state.focus == Focus::Field
}

/// Rows of the list of a screen that is one.
pub fn list_rows(model: &Model) -> usize {
    let rows = match model.screen {
        Screen::Inbox | Screen::History => inbox(model.size).list.height,
        Screen::Form | Screen::Review | Screen::Receipt => review(model.size).list.height,
    };
    usize::from(rows).max(1)
}

/// Parts of the review.
pub fn review(size: Size) -> ReviewLayout {
    let (header, below) = headed(size);
    let foot = if below.height >= 12 {
        4
    } else if below.height >= 6 {
        2
    } else {
        1
    };
    let foot = below.rows(below.height.saturating_sub(foot), u16::MAX);
    let above = below.rows(0, below.height - foot.height);
    let (list, rule, record) = if size.width >= BESIDE {
        beside(above)
    } else {
        (above, Area { height: 0, ..above }, Area { height: 0, ..above })
    };
    ReviewLayout { header, list, rule, record, foot }
}

/// The lines of the receipt, which has no header.
pub fn receipt(size: Size) -> Area {
    let main = main(size);
    main.rows(u16::from(main.height >= ROOMY), u16::MAX).inset(1, 1)
}

/// The lines of a page that covers the screen: help, details.
pub fn page(size: Size) -> Area {
    headed(size).1.inset(1, 1)
}

/// The cells of the label column of a question's rows.
pub fn label_cap(width: u16) -> usize {
    (usize::from(width) * 2 / 5).max(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The areas stand inside the terminal and, from top to bottom, beside or below one another.
    fn check(size: Size, areas: &[Area]) {
        for area in areas {
            assert!(area.right() <= size.width && area.bottom() <= size.height, "{size:?} {area:?}");
        }
        for pair in areas.windows(2) {
            let apart = pair[0].bottom() <= pair[1].y || pair[0].right() <= pair[1].x;
            assert!(apart || pair.iter().any(|area| area.is_empty()), "{size:?} {pair:?}");
        }
    }

    #[test]
    fn parts_never_overlap_or_leave_the_terminal() {
        for (width, height) in
            (1..=130).step_by(3).flat_map(|width| (1..=50).map(move |height| (width, height)))
        {
            let size = Size { width, height };
            let parts = inbox(size);
            check(size, &[parts.header, parts.list, parts.rule, parts.detail]);
            let parts = review(size);
            check(size, &[parts.header, parts.list, parts.rule, parts.record]);
            check(size, &[parts.list, parts.foot]);
            for (words, rows, free) in [(1, 1, false), (3, 9, false), (20, 40, false), (2, 0, true)] {
                let parts = form(size, FormNeeds { words, rows, free, text: rows });
                check(
                    size,
                    &[parts.header, parts.question, parts.body, parts.status, parts.rule, parts.context],
                );
                check(size, &[parts.question, parts.field]);
            }
        }
    }

    #[test]
    fn a_page_of_options_is_as_long_as_there_are_digits_and_room() {
        let rows = |width, height, rows| {
            form(Size { width, height }, FormNeeds { words: 1, rows, ..FormNeeds::default() }).body.height
        };
        assert_eq!([rows(80, 24, 4), rows(80, 24, 28), rows(40, 12, 28), rows(20, 5, 28)], [4, 9, 5, 1]);
    }
}
