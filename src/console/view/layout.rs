//! The areas of each screen, computed from the size of the terminal and the content.
//!
//! `update` needs the same rows and columns (pages, widths of fields) that the view draws into, so both take them from
//! here.

use crate::ask::{Kind, Question};
use crate::console::model::{Focus, Form, Mode, Model, Screen, Size};
use crate::text::{Safe, wrap};
use ratatui::layout::Rect;

/// The inbox: header, list, detail beside or below, footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxLayout {
    /// Name, counts.
    pub header: Rect,
    /// The gates.
    pub list: Rect,
    /// The line between list and detail: a row or a column; empty without a detail.
    pub rule: Rect,
    /// The selected gate; empty where there is no room.
    pub detail: Rect,
}

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
    /// The line above the context; empty where there is no room.
    pub rule: Rect,
    /// The words of the row under the cursor.
    pub context: Rect,
    /// The text field with its frame, where one is open: the body, or over rule and context.
    pub field: Rect,
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

/// A story file: beside the question, or over the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoryLayout {
    /// The column between question and file; empty over the screen.
    pub rule: Rect,
    /// The file's name.
    pub header: Rect,
    pub text: Rect,
    /// What is searched for; empty without a search.
    pub search: Rect,
}

/// The content that a form needs room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormNeeds {
    /// Rows of the question's words.
    pub words: usize,
    /// Rows of options.
    pub rows: usize,
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
/// Rows of options on one page, so that each has a digit.
pub const PAGE: usize = 9;
/// The smallest terminal in which more than one sentence is shown.
pub const SMALLEST: Size = Size { width: 20, height: 5 };

/// From this width on a second pane stands beside the first.
const BESIDE: u16 = 90;
/// From this width on the story stands beside the question; it is no wider than can be read.
const STORY_BESIDE: u16 = 120;
const STORY_MOST: u16 = 90;
/// From this height of the main part on there is room for blank rows.
const ROOMY: u16 = 18;
/// Columns kept beside a question's words for `required`.
const MARK: usize = 12;
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

/// What a list of gates or of a history needs room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListNeeds {
    /// Rows of the whole list, whatever its filter, so that nothing moves while a filter is typed.
    pub rows: usize,
    /// Whether something stands in a second row of the header: a filter, or how the files are watched.
    pub second_line: bool,
}

/// The inbox or the history as it stands now.
pub fn list_of(model: &Model) -> InboxLayout {
    let history = model.history.as_ref().filter(|_| model.screen == Screen::History);
    let needs = if let Some(history) = history {
        ListNeeds { rows: history.found.all, second_line: history.filter.is_some() }
    } else {
        let inbox = &model.inbox;
        let polled = matches!(inbox.watching, Some(Mode::Polling(_)));
        let second_line = inbox.filter.is_some() || polled || !inbox.complete;
        ListNeeds { rows: inbox.entries.len() + inbox.gaps(), second_line }
    };
    inbox(model.size, needs)
}

/// Parts of the inbox. Above the detail the list is no taller than its rows.
pub fn inbox(size: Size, needs: ListNeeds) -> InboxLayout {
    let main = main(size);
    let (header, below) = below_header(main, if needs.second_line && main.height >= ROOMY { 2 } else { 1 });
    if size.width >= BESIDE {
        let (list, rule, detail) = beside(below);
        return InboxLayout { header, list, rule, detail };
    }
    let under = if below.height >= 14 { below.height / 2 } else { 0 };
    let rows = if needs.rows == 0 || under == 0 { u16::MAX } else { rows_of(needs.rows) };
    let list = below.slice(0, rows.min(below.height - under));
    let under = if under == 0 { 0 } else { below.height - list.height };
    let rule = below.slice(list.height, under.min(1));
    let detail = below.slice(list.height + 1, under.saturating_sub(1));
    InboxLayout { header, list, rule, detail }
}

/// Parts of a form.
pub fn form(size: Size, needs: FormNeeds) -> FormLayout {
    let (header, below) = headed(size);
    let roomy = u16::from(header.height > 1);
    let words = rows_of(needs.words).min((below.height / 3).max(1));
    let question = below.slice(0, words);
    let rest = below.slice(question.height + roomy, u16::MAX);
    let empty = Rect { height: 0, ..rest };
    let below_body = u16::from(rest.height > 1);
    // A frame around it takes two rows.
    let framed = rows_of(needs.text).saturating_add(2);
    if needs.free {
        let field = rest.slice(0, framed.min(rest.height - below_body));
        let status = rest.slice(field.height, below_body);
        let context = rest.slice(field.height + 1 + roomy, u16::MAX);
        return FormLayout { header, question, body: field, status, rule: empty, context, field };
    }
    let left = rest.height - below_body;
    let keep = (left / 3).max(2).min(left.saturating_sub(1));
    let above_body = if needs.filter { below_body } else { 0 };
    let body = rest.slice(above_body, rows_of(needs.rows.clamp(1, PAGE)).min(left - keep));
    let status = rest.slice(if needs.filter { 0 } else { body.height }, below_body);
    let under = rest.slice(body.height + below_body, u16::MAX);
    let line = u16::from(under.height >= 4);
    let rule = under.slice(0, line);
    let context = under.slice(line, u16::MAX);
    FormLayout { header, question, body, status, rule, context, field: under.slice(0, framed) }
}

fn rows_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// The form as it stands now.
pub fn form_of(model: &Model, form_state: &Form) -> FormLayout {
    let size = form_size(model);
    let Some(question) = form_state.question() else { return form(size, FormNeeds::default()) };
    let needs = FormNeeds {
        words: words(question, size).1.len(),
        rows: form_state.row_count(form_state.at),
        free: question.kind == Kind::FreeText,
        filter: form_state.view().is_some_and(|view| view.filter.is_some()),
        text: text_rows(size, form_state),
    };
    form(size, needs)
}

/// The terminal as far as a question has it: without the story beside it.
pub fn form_size(model: &Model) -> Size {
    Size { width: model.size.width - story_width(model), ..model.size }
}

/// Whether the story stands beside the question.
pub fn has_story_beside(model: &Model) -> bool {
    story_width(model) > 0
}

fn story_width(model: &Model) -> u16 {
    let beside = model.story_files().is_some() && model.size.width >= STORY_BESIDE;
    if beside { (model.size.width / 20 * 9).min(STORY_MOST) } else { 0 }
}

/// Parts of the story.
pub fn story(model: &Model) -> StoryLayout {
    let main = main(model.size);
    let width = if model.screen == Screen::Form { story_width(model) } else { 0 };
    let pane = main.inset(if width > 0 { model.size.width - width } else { 0 }, 0);
    let inside = pane.inset(if width > 0 { 2 } else { 1 }, 1);
    let head = headed(model.size).0.height;
    let search = u16::from(model.story.search.is_some()).min(inside.height - head);
    let foot = inside.height - search;
    StoryLayout {
        rule: Rect { width: u16::from(width > 0), ..pane },
        header: inside.row(0),
        text: inside.slice(head, foot - head),
        search: inside.slice(foot, search),
    }
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
    (field_width(form_size(model)), usize::from(inside.height).max(1))
}

/// Columns of the text in a field: a margin, a frame and a space on either side.
fn field_width(size: Size) -> usize {
    usize::from(size.width).saturating_sub(6).max(1)
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

/// Rows of the list of a screen that is one.
pub fn list_rows(model: &Model) -> usize {
    let rows = match model.screen {
        Screen::Inbox | Screen::History => list_of(model).list.height,
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
    let foot = below.slice(below.height.saturating_sub(foot), u16::MAX);
    let above = below.slice(0, below.height - foot.height);
    let (list, rule, record) = if size.width >= BESIDE {
        beside(above)
    } else {
        (above, Rect { height: 0, ..above }, Rect { height: 0, ..above })
    };
    ReviewLayout { header, list, rule, record, foot }
}

/// The lines of the receipt, which has no header.
pub fn receipt(size: Size) -> Rect {
    let main = main(size);
    main.slice(u16::from(main.height >= ROOMY), u16::MAX).inset(1, 1)
}

/// The lines of a page that covers the screen: help, details.
pub fn page(size: Size) -> Rect {
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
    fn check(size: Size, areas: &[Rect]) {
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
            for (rows, second_line) in [(0, true), (1, false), (12, true), (400, false)] {
                let parts = inbox(size, ListNeeds { rows, second_line });
                check(size, &[parts.header, parts.list, parts.rule, parts.detail]);
            }
            let parts = review(size);
            check(size, &[parts.header, parts.list, parts.rule, parts.record]);
            check(size, &[parts.list, parts.foot]);
            for (words, rows, free) in [(1, 1, false), (3, 9, false), (20, 40, false), (2, 0, true)] {
                let needs = FormNeeds { words, rows, free, text: rows, filter: false };
                let parts = form(size, FormNeeds { filter: true, ..needs });
                check(size, &[parts.header, parts.question]);
                check(size, &[parts.question, if free { parts.body } else { parts.status }]);
                if !free {
                    check(size, &[parts.status, parts.body, parts.rule, parts.context]);
                }
                let parts = form(size, needs);
                check(
                    size,
                    &[parts.header, parts.question, parts.body, parts.status, parts.rule, parts.context],
                );
                check(size, &[parts.question, parts.field]);
            }
        }
    }

    #[test]
    fn a_short_list_leaves_its_rows_to_the_detail() {
        let rows = |rows| {
            let parts = inbox(Size { width: 80, height: 24 }, ListNeeds { rows, second_line: false });
            (parts.list.height, parts.detail.height)
        };
        assert_eq!([rows(1), rows(4), rows(400)], [(1, 19), (4, 16), (11, 9)]);
    }

    #[test]
    fn a_page_of_options_is_as_long_as_there_are_digits_and_room() {
        let rows = |width, height, rows| {
            form(Size { width, height }, FormNeeds { words: 1, rows, ..FormNeeds::default() }).body.height
        };
        assert_eq!([rows(80, 24, 4), rows(80, 24, 28), rows(40, 12, 28), rows(20, 5, 28)], [4, 9, 5, 1]);
    }
}
