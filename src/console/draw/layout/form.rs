//! The areas of a question: the same rows and columns for its acts and its drawing.

use super::{BEFORE_LABEL, READING, RectExt, beside, headed, main, rows_of};
use crate::ask::{Choice, Kind, Question};
use crate::console::field::TextField;
use crate::console::form::{Focus, Form};
use crate::text::{Safe, width, wrap};
use ratatui::layout::{Rect, Size};
use std::ops::Range;

/// A question: header with chips, the question's words, rows or field, context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormLayout {
    pub header: Rect,
    /// The question's words, the mark of required.
    pub question: Rect,
    /// Below them, where there is room for a row: how far options were proposed.
    pub rounds: Rect,
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
    /// Rows of each description below its label, at most.
    pub lines: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Descriptions {
    /// Whole only for the row under the cursor, in a pane; the rows show their beginnings.
    #[default]
    Pane,
    Beside,
    Below,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormNeeds {
    pub words: usize,
    pub rows: usize,
    /// Where whole descriptions have room on a screen of any height, and the rows that the list then takes; those beside their
    /// labels have it on any.
    pub whole: Option<(Descriptions, usize)>,
    /// The rows of the list with one row of each description below its label, with two and so on; 0 where they are not measured.
    pub cut: [usize; CUT],
    /// Rows of the longest description.
    pub longest: usize,
    /// Whether own words are being typed.
    pub own: bool,
    /// Whether there is more to say than the descriptions.
    pub notes: bool,
    pub filter: bool,
    /// Rows of the text in the field of a question for free text.
    pub text: Option<usize>,
}

/// From this width on the descriptions of a long list stand beside it.
const COLUMNS: u16 = 160;
/// Rows below a list: a line and the field for own words.
const UNDER_LIST: u16 = 4;
/// Rows of the pane below a list, at most.
const PANE: u16 = 8;
/// Columns kept beside a question's words for `required`.
const MARK: u16 = 12;
/// Columns kept at the end of a row for `default`.
const TAG: usize = 9;
/// Rows of a field for many lines, and of that of a note with its frame, at least.
const MANY_LINES: usize = 6;
const NOTE: u16 = 3;
/// Rows below the field of a reason: what does not apply, and what happens to a record.
const REASON_LINES: u16 = 2;
/// Rows of a description that is cut, at most.
const CUT: usize = 6;
/// Options whose descriptions are measured.
const MEASURED: usize = 500;

pub fn form(size: Size, needs: FormNeeds) -> FormLayout {
    let (header, below) = headed(size);
    let roomy = u16::from(header.height > 1);
    // A third of the rows, and those that nothing else asks for.
    let third = rows_of(needs.words).min((below.height / 3).max(1));
    let left = below.height.saturating_sub(third + roomy + 1);
    let words = third + (rows_of(needs.words) - third).min(left.saturating_sub(needs.below(left)));
    let question = below.slice(0, words).readable(MARK + 2);
    let rest = below.slice(question.height + roomy, u16::MAX);
    let below_body = u16::from(rest.height > 1);
    let rounds = below.slice(question.height, roomy);
    let parts = FormLayout { header, question, rounds, ..FormLayout::default() };
    if let Some(rows) = needs.text {
        // A frame around it takes two rows.
        let framed = rows_of(rows).saturating_add(2);
        let field = rest.slice(0, framed.min(rest.height - below_body)).readable(6);
        let status = rest.slice(field.height, below_body).readable(6);
        let context = rest.slice(field.height + 1 + roomy, u16::MAX).readable(2);
        return FormLayout { body: field, status, context, field, ..parts };
    }
    let left = rest.height - below_body;
    let above_body = if needs.filter { below_body } else { 0 };
    let whole = needs.whole_in(left);
    if whole.is_none() && size.width >= COLUMNS {
        let (descriptions, lines, _) = needs.cut_in(left);
        let (list, rule, context) = beside(rest, READING + BEFORE_LABEL + 1);
        let status = list.slice(if needs.filter { 0 } else { left }, below_body);
        let body = list.slice(above_body, left);
        let context = context.readable(2);
        let field = context.readable(6);
        return FormLayout { body, status, rule, context, field, descriptions, lines, ..parts };
    }
    let pane = pane(left);
    let (descriptions, lines, rows) = match whole {
        Some((place, rows)) => (place, usize::MAX, rows),
        None => needs.cut_in(left - needs.beside_cut(pane)),
    };
    // What is chosen and does not pass a filter is named there.
    let least = if needs.filter { 2.min(pane) } else { 0 };
    let most =
        left - if whole.is_some() { needs.under(pane).clamp(least, pane) } else { needs.beside_cut(pane) };
    let body = rest.slice(above_body, rows_of(rows.max(1)).min(most)).readable(BEFORE_LABEL + 1);
    let status =
        rest.slice(if needs.filter { 0 } else { body.height }, below_body).readable(BEFORE_LABEL + 1);
    let under = rest.slice(body.height + below_body, u16::MAX);
    let line = u16::from(under.height >= UNDER_LIST);
    let rule = under.slice(0, line);
    let context = under.slice(line, u16::MAX).readable(2);
    FormLayout { body, status, rule, context, field: under.readable(6), descriptions, lines, ..parts }
}

impl FormNeeds {
    /// Rows below a list of options or a field, where a pane would have so many.
    fn under(&self, pane: u16) -> u16 {
        let own = if self.own { UNDER_LIST } else { 0 };
        if self.notes { pane.max(own) } else { own }
    }

    /// Whole descriptions, where they have room in so many rows: those beside their labels always, page by page.
    fn whole_in(&self, left: u16) -> Option<(Descriptions, usize)> {
        let most = left.saturating_sub(self.under(pane(left)));
        self.whole.filter(|(place, rows)| *place == Descriptions::Beside || *rows <= usize::from(most))
    }

    /// Rows below a list of descriptions that are cut: for a line and the longest of them.
    fn beside_cut(&self, pane: u16) -> u16 {
        let longest =
            if self.longest == 0 || self.notes || self.own { PANE } else { rows_of(self.longest + 1) };
        pane.min(longest)
    }

    /// As many rows of each description as have room below the labels, and the rows of the list; beside them if none has.
    fn cut_in(&self, left: u16) -> (Descriptions, usize, usize) {
        let fits = |rows: &usize| (1..=usize::from(left)).contains(rows);
        match self.cut.iter().rposition(fits) {
            Some(at) => (Descriptions::Below, at + 1, self.cut[at]),
            None => (Descriptions::Pane, 0, self.rows.max(1)),
        }
    }

    /// Rows of so many that are asked for below the question's words.
    fn below(&self, left: u16) -> u16 {
        let (rows, under) = match (self.text, self.whole_in(left)) {
            (Some(rows), _) => (rows + 2, self.under(PANE)),
            (None, Some((_, rows))) => (rows, self.under(PANE)),
            (None, None) => (self.rows, PANE),
        };
        rows_of(rows).saturating_add(under)
    }
}

/// Rows of the pane below a list, in so many rows.
fn pane(left: u16) -> u16 {
    (left / 3).clamp(2, PANE).min(left.saturating_sub(1))
}

pub fn form_of(size: Size, form_state: &Form) -> FormLayout {
    let question = form_state.question();
    let free = question.kind == Kind::FreeText;
    let measured = if free { None } else { described(size, form_state, question) };
    let Measured { whole, cut, longest } = measured.unwrap_or_default();
    let needs = FormNeeds {
        words: words(question, size).1.len(),
        rows: form_state.row_count(),
        whole,
        cut,
        longest,
        own: question.allow_other && !free && typing(form_state),
        notes: has_notes(form_state),
        text: free.then(|| text_rows(size, &form_state.field, field_width(size))),
        filter: form_state.filter().is_some(),
    };
    let parts = form(size, needs);
    if free || !typing(form_state) || form_state.note.is_some() {
        return parts;
    }
    let rows = text_rows(size, &form_state.field, usize::from(inside_frame(parts.field).width).max(1));
    FormLayout { field: parts.field.slice(0, rows_of(rows).saturating_add(2)), ..parts }
}

/// The beginning of a question's words, the byte ranges of its rows beside the mark, and whether there are more words.
pub fn words(question: &Question, size: Size) -> (Safe, Vec<Range<usize>>, bool) {
    let shown = question.question.display();
    let cells = size.width.saturating_sub(MARK + 2).clamp(8, READING);
    // More than a screen full of them is not looked at here; the whole text has a page of its own.
    let most = usize::from(cells) * usize::from(size.height);
    let end = shown.char_indices().nth(most).map_or(shown.len(), |(at, _)| at);
    let words = Safe::block(&shown[..end]);
    let rows = wrap::wrap(&words, usize::from(cells));
    (words, rows, end < shown.len())
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

pub fn page_rows(size: Size, form_state: &Form) -> usize {
    rows_on_page(&form_of(size, form_state), form_state)
}

pub fn rows_on_page(parts: &FormLayout, form_state: &Form) -> usize {
    let rows = match parts.descriptions {
        Descriptions::Pane | Descriptions::Beside => usize::from(parts.body.height),
        Descriptions::Below => form_state.row_count(),
    };
    rows.max(1)
}

/// Inside of the text field: columns and rows.
pub fn field(size: Size, form_state: &Form) -> (usize, usize) {
    let area =
        if form_state.note.is_some() { note(size, form_state) } else { form_of(size, form_state).field };
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

pub fn typing(form_state: &Form) -> bool {
    form_state.focus == Focus::Field
}

/// The rows that descriptions take, as [`FormNeeds`] has them.
#[derive(Default)]
struct Measured {
    whole: Option<(Descriptions, usize)>,
    cut: [usize; CUT],
    longest: usize,
}

/// Measures the options that are shown; none if that would take long, or if they are too many for more rows than one each.
fn described(size: Size, form_state: &Form, question: &Question) -> Option<Measured> {
    let shown = form_state.options_shown();
    let own = form_state.row_count() - shown.len();
    let room = usize::from(size.height);
    let plain = |option: &Choice| option.description.display().len() <= room * usize::from(size.width);
    let options = || shown.iter().map(|&place| &question.options[place]);
    if shown.len() > MEASURED || !options().all(plain) {
        return None;
    }
    let row = size.width.min(READING + BEFORE_LABEL + 1);
    let cells = usize::from(row.saturating_sub(BEFORE_LABEL + 1));
    let mark = |option: &Choice| usize::from(option.round.is_some()) * 3;
    let label = |option: &Choice| width::cells(&Safe::line(&option.label.display())) + mark(option);
    let widest = options().map(label).max().unwrap_or(0);
    let words: Vec<Safe> = options().map(|option| Safe::block(&option.description.display())).collect();
    let beside = cells.saturating_sub(widest + 2 + TAG);
    let one_row = |words: &Safe| !words.contains('\n') && width::cells(words) <= beside;
    if widest + TAG <= cells && words.iter().all(one_row) {
        let whole = Some((Descriptions::Beside, shown.len() + own));
        return Some(Measured { whole, ..Measured::default() });
    }
    if shown.len() + own > room {
        return None;
    }
    let rows = |most: usize, row: u16| -> usize {
        let label = |option: &Choice| {
            let sign = mark(option) + usize::from(option.sends_back) * 2;
            let room = label_room(row).saturating_sub(sign).max(1);
            wrap::wrap(&Safe::block(&option.label.display()), room).len()
        };
        let cells = usize::from(row.saturating_sub(BEFORE_LABEL + 1)).max(1);
        let words = words.iter().filter(|words| !words.is_empty());
        own + options().map(label).sum::<usize>()
            + words.map(|words| wrap::wrap(words, cells).len().min(most)).sum::<usize>()
    };
    let list = if size.width >= COLUMNS { (size.width / 20 * 11).min(row) } else { row };
    let cut = std::array::from_fn(|at| rows(at + 1, list));
    let longest = words.iter().map(|words| wrap::wrap(words, cells.max(1)).len()).max().unwrap_or(0);
    Some(Measured { whole: Some((Descriptions::Below, rows(usize::MAX, row))), cut, longest })
}

/// Whether there is something to say about the question shown besides its descriptions.
fn has_notes(form_state: &Form) -> bool {
    let status = &form_state.status;
    let reply = form_state.reply();
    form_state.gate.sent_back.is_some()
        || status.before.is_some()
        || !status.changes.is_empty()
        || !status.orphans.is_empty()
        || !reply.note.is_blank()
        || !reply.alternatives.is_empty()
}

/// The field of the note that is being written, with its frame: over the words behind the options where they have room
/// for it, else over the last rows of the screen.
pub fn note(size: Size, form_state: &Form) -> Rect {
    let Some(note) = &form_state.note else { return Rect::default() };
    let main = main(size);
    let words = if form_state.in_review || form_state.is_free_text() {
        Rect::default()
    } else {
        form_of(size, form_state).field
    };
    let has_room = words.height >= NOTE;
    let area = if has_room { words } else { main.readable(6) };
    let rows = text_rows(size, &note.field, usize::from(inside_frame(area).width).max(1));
    let rows = rows_of(rows).saturating_add(2);
    if note.sends_back.is_some() {
        let under = under_reason(size).height;
        let rows = rows.min((main.height * 2 / 3).saturating_sub(under).max(NOTE));
        return main.readable(6).slice(main.height.saturating_sub(rows + under), rows);
    }
    if has_room {
        return area.slice(0, rows);
    }
    let rows = rows.min((main.height / 2).max(NOTE));
    area.slice(main.height.saturating_sub(rows), rows)
}

/// The lines below the field of a reason, as far as there is room.
pub fn under_reason(size: Size) -> Rect {
    let main = main(size);
    let rows = REASON_LINES.min(main.height.saturating_sub(NOTE));
    main.slice(main.height - rows, rows).readable(6)
}

/// The cells of the label column of a question's rows.
pub fn label_cap(width: u16) -> usize {
    (usize::from(width) * 2 / 5).max(8)
}

/// The cells that a label has at most, beside its tag.
pub fn label_room(width: u16) -> usize {
    usize::from(width.saturating_sub(BEFORE_LABEL + 1)).saturating_sub(TAG).max(1)
}

/// The cells of a description below its label.
pub fn described_cells(parts: &FormLayout) -> usize {
    usize::from(parts.body.width.saturating_sub(BEFORE_LABEL + 1)).max(1)
}
