//! A question: its words, its options or its field, and the words behind the row under the cursor.

use super::page::{nothing_passes, picks_elsewhere, write_context};
use super::{Focus, Form, NoteField, Row, title};
use crate::ask::{Kind, Question, Reply};
use crate::console::action::{Action, Target};
use crate::console::draw::filter_field::filter_field;
use crate::console::draw::layout::{self, Descriptions, FormLayout, RectExt};
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::draw::sheet::Sheet;
use crate::console::draw::text_field::text_field;
use crate::console::draw::{hit, pane};
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Safe, count, width};
use ratatui::layout::Rect;

/// Characters of a label or a description that are looked at for its row.
const ROW_TEXT: usize = 400;
/// Cells from which on page, count and filter have room in one row.
const WIDE_STATUS: u16 = 60;

/// Draws the screen.
pub(crate) fn draw(model: &Model, form: &Form, painter: &mut Painter<'_>) {
    let theme = painter.theme;
    let parts = layout::form_of(model, form);
    title::draw(painter, parts.header, model, form, form.at);
    let (question, reply) = (form.question(), form.reply());
    words(model, question, painter, parts.question);
    if question.kind == Kind::FreeText {
        free_text(model, form, painter, &parts);
    } else {
        rows(model, form, question, reply, painter, &parts);
        status(model, form, question, reply, painter, &parts);
    }
    if question.kind != Kind::FreeText && layout::typing(form) && form.note.is_none() {
        let title = line(theme[Role::Title], s::OTHER_TITLE.text(model.lang));
        return text_field(painter, parts.field, &form.field, title, true);
    }
    let context = parts.context.inset(1, 1);
    if layout::note(model, form).intersects(context) {
        return;
    }
    let write = |sheet: &mut Sheet<'_>| write_context(model, form, sheet);
    if parts.descriptions == Descriptions::Pane || pane::count(model, context.width, write) > 0 {
        painter.rule(if parts.rule.width > 1 { parts.rule.inset(1, 1) } else { parts.rule });
    }
    pane::draw(model, painter, context, &form.view().scroll, write);
}

/// The question's words, and whether it must be answered.
fn words(model: &Model, question: &Question, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let (words, rows) = layout::words(question, layout::form_size(model));
    let area = area.inset(1, 1);
    let (role, must) =
        if question.must_be_answered() { (Role::Accent, s::REQUIRED) } else { (Role::Dim, s::OPTIONAL) };
    painter.right(area.row(0), line(theme[role], must.text(model.lang)));
    let height = usize::from(area.height);
    let all = model.key(&Action::Expand);
    let more = all.map_or_else(|| "…".to_owned(), |key| format!("… {key}"));
    let cut = rows.len() > height || words.len() < rows.last().map_or(0, |row| row.end);
    for (at, row) in rows.iter().take(height).enumerate() {
        let line = Line::default().safe(theme[Role::Title], words.slice(row.clone()));
        let line = if cut && at + 1 == height { line.add(theme[Role::Accent], &more) } else { line };
        painter.line(area.row(u16::try_from(at).unwrap_or(u16::MAX)), line);
    }
}

fn free_text(model: &Model, form: &Form, painter: &mut Painter<'_>, parts: &FormLayout) {
    let theme = painter.theme;
    let typing = layout::typing(form);
    let seen = parts.field.above(layout::note(model, form));
    text_field(painter, seen, &form.field, Line::default(), typing);
    let text = form.field.text();
    let row = parts.status.inset(3, 3);
    if text.is_empty() {
        return painter.line(row, line(theme[Role::Dim], s::EMPTY_TEXT.text(model.lang)));
    }
    let hint =
        if form.field.is_multiline() && typing { model.fill(s::MULTILINE, &[]) } else { String::new() };
    let length =
        [s::length(text, model.lang), s::counted(count::lines(text), s::LINES_ONE, s::LINES, model.lang)];
    let length =
        line(theme[Role::Text], &length[0]).add(theme[Role::Dim], " · ").add(theme[Role::Dim], &length[1]);
    if length.cells() + width::cells(&hint) + 3 <= usize::from(row.width) {
        painter.right(row, line(theme[Role::Dim], &hint));
    }
    painter.line(row, length);
}

fn rows(
    model: &Model,
    form: &Form,
    question: &Question,
    reply: &Reply,
    painter: &mut Painter<'_>,
    parts: &FormLayout,
) {
    let (theme, area) = (painter.theme, parts.body);
    let page = layout::rows_on_page(parts, form);
    let cursor = form.view().cursor;
    let first = cursor / page * page;
    let shown: Vec<(usize, Row)> = form.rows().enumerate().skip(first).take(page).collect();
    if shown.is_empty() {
        let says = nothing_passes(model, area).unwrap_or_default();
        return painter.line(area.inset(2, 1), line(theme[Role::Dim], &says));
    }
    let made: Vec<OptionRow> =
        shown.iter().map(|(_, row)| option_row(theme, model, form, question, reply, *row)).collect();
    // The words of a filter take the whole of their row.
    let named = shown.iter().zip(&made).filter(|((_, row), _)| *row != Row::Typed);
    let widest = named.map(|(_, made)| made.label.cells()).max().unwrap_or(0);
    let below = parts.descriptions == Descriptions::Below;
    let column = if below { widest } else { widest.min(layout::label_cap(area.width)) };
    // In a filter, digits are text.
    let numbered = form.focus != Focus::Filter;
    let query = form.query();
    let mut left = area;
    for ((at, row), mut made) in shown.iter().zip(made) {
        let described = match row {
            Row::Option(place) if below => {
                made.note = Line::default();
                let words = question.options[*place].description.display();
                let cells = usize::from(area.width.saturating_sub(layout::BEFORE_LABEL + 1));
                if words.is_empty() {
                    Vec::new()
                } else {
                    hit::wrapped(theme, Role::Dim, &words, query, cells)
                }
            }
            Row::Option(_) | Row::Own(_) | Row::Other | Row::Typed => Vec::new(),
        };
        let here = left.slice(0, 1 + u16::try_from(described.len()).unwrap_or(u16::MAX));
        left = left.slice(here.height, u16::MAX);
        let number = Some(at - first + 1).filter(|number| numbered && *number <= layout::DIGITS);
        let column = if *row == Row::Typed { made.label.cells() } else { column };
        draw_row(painter, here.row(0), number, column, made, *at == cursor);
        painter.lines(here.slice(1, u16::MAX).inset(layout::BEFORE_LABEL, 0), described);
        painter.hit(here, Target::Row(*at));
    }
}

/// One row as it is shown.
struct OptionRow {
    sign: &'static str,
    chosen: bool,
    label: Line,
    note: Line,
    tag: Line,
}

fn option_row(
    theme: &Theme,
    model: &Model,
    form: &Form,
    question: &Question,
    reply: &Reply,
    row: Row,
) -> OptionRow {
    let multi = question.kind == Kind::MultiChoice;
    let own = reply.own().next().filter(|_| !multi);
    let chosen = match row {
        Row::Option(place) => reply.has(place),
        Row::Own(_) => true,
        Row::Other => own.is_some() && reply.other.trim().is_empty(),
        Row::Typed => false,
    };
    let sign = match (multi, chosen) {
        (true, true) => "[x]",
        (true, false) if matches!(row, Row::Other | Row::Typed) => "   ",
        (true, false) => "[ ]",
        (false, true) => "(•)",
        (false, false) => "( )",
    };
    let say = |role, says: crate::text::Sentence| line(theme[role], &model.fill(says, &[]));
    let words = |text: &str| Line::default().safe(theme[Role::Text], beginning(text));
    let query = form.query();
    let label = |text: &str| hit::marked(theme, Role::Text, &beginning(text), query, Word::find_by_sound);
    let mut made =
        OptionRow { sign, chosen, label: Line::default(), note: Line::default(), tag: Line::default() };
    match row {
        Row::Option(place) => {
            let option = &question.options[place];
            made.label = label(&option.label.display());
            let words = beginning(&option.description.display());
            made.note = hit::marked(theme, Role::Dim, &words, query, Word::find);
            if question.default.contains(&place) {
                made.tag = line(theme[Role::Dim], s::DEFAULT.text(model.lang));
            }
        }
        Row::Own(place) => {
            made.label = reply.own().nth(place).map(|own| label(&own.display())).unwrap_or_default();
            made.note = say(Role::Dim, s::OWN);
        }
        Row::Other if layout::typing(form) => made.label = say(Role::Text, s::OTHER),
        Row::Other if !reply.other.trim().is_empty() => {
            (made.label, made.note) = (words(&reply.other), say(Role::Warn, s::NOT_TAKEN));
        }
        Row::Other => {
            (made.label, made.note) = match own {
                Some(own) => (words(&own.display()), say(Role::Dim, s::OWN)),
                None => (say(Role::Dim, s::OTHER), say(Role::Dim, s::OTHER_HINT)),
            };
        }
        Row::Typed => {
            let typed = beginning(form.typed());
            made.label = line(theme[Role::Text], &s::WRITE_TYPED.fill(model.lang, &[&typed]));
        }
    }
    made
}

/// As much of a text as a row can show.
fn beginning(text: &str) -> Safe {
    let end = text.char_indices().nth(ROW_TEXT).map_or(text.len(), |(at, _)| at);
    Safe::line(&text[..end])
}

fn draw_row(
    painter: &mut Painter<'_>,
    area: Rect,
    number: Option<usize>,
    column: usize,
    made: OptionRow,
    selected: bool,
) {
    let theme = painter.theme;
    let mark = if selected { "▸ " } else { "  " };
    let digit = number.map_or_else(|| " ".to_owned(), |number| number.to_string());
    let sign = if made.chosen { Role::Accent } else { Role::Dim };
    let line = line(theme[Role::Accent], mark).add(theme[sign], made.sign).gap(1);
    let line = line.add(theme[Role::Dim], &digit).gap(2);
    let start = line.cells();
    let line = line.join(made.label.fit(column)).to_column(start + column + 2);
    let row = area.inset(0, 1);
    let left = painter.right(row, made.tag);
    painter.line(left, line.join(made.note));
    if selected {
        painter.select(area);
    }
}

fn status(
    model: &Model,
    form: &Form,
    question: &Question,
    reply: &Reply,
    painter: &mut Painter<'_>,
    parts: &FormLayout,
) {
    let (theme, lang) = (painter.theme, model.lang);
    let row = parts.status.inset(1, 1);
    let view = form.view();
    let page = layout::rows_on_page(parts, form);
    let pages = form.row_count().div_ceil(page).max(1);
    let all = question.options.len();
    let place = s::PAGE.fill(lang, &[&(view.cursor / page + 1).to_string(), &pages.to_string()]);
    if let Some(filter) = &view.filter {
        // Where the page has no room, a sign says where further hits are.
        let (place, sign) = match pages > 1 {
            true if row.width >= WIDE_STATUS => (place + " · ", ""),
            true if (view.cursor / page + 1) < pages => (String::new(), "↓ "),
            true => (String::new(), "↑ "),
            false => (String::new(), ""),
        };
        let hits = format!("{sign}{}/{all}", filter.hits.len());
        let mut count = line(theme[Role::Accent], &place).add(theme[Role::Text], &hits);
        if question.kind == Kind::MultiChoice {
            let chosen = s::CHOSEN.fill(lang, &[&reply.picks.len().to_string()]);
            count = count.add(theme[Role::Dim], " · ").add(theme[Role::Text], &chosen);
        }
        let left = painter.right(row, count);
        return filter_field(model, painter, left, &filter.field, form.focus == Focus::Filter);
    }
    let on_option = matches!(form.current_row(), Some(Row::Option(_)));
    let right = if pages == 1 {
        Line::default()
    } else {
        line(theme[Role::Accent], &place).add(theme[Role::Dim], " · ")
    };
    let options = if pages > 1 && on_option {
        format!("{}/{all}", view.cursor + 1)
    } else {
        s::counted(all, s::OPTIONS_ONE, s::OPTIONS_MANY, lang)
    };
    let left = painter.right(row, right.add(theme[Role::Dim], &options)).inset(1, 0);
    let chosen = match reply.picks.len() {
        0 => s::CHOSEN_NONE.text(lang).to_owned(),
        picked => s::CHOSEN.fill(lang, &[&picked.to_string()]),
    };
    let elsewhere = picks_elsewhere(parts, form, lang).filter(|_| parts.names_picks(form));
    match elsewhere {
        Some(words) => painter.line(left, line(theme[Role::Text], &words)),
        None if question.kind == Kind::MultiChoice => painter.line(left, line(theme[Role::Text], &chosen)),
        None => {}
    }
}

/// The note that is being written.
pub(crate) fn note(model: &Model, form: &Form, painter: &mut Painter<'_>) {
    let Some(NoteField { at, field }) = &form.note else { return };
    let area = layout::note(model, form);
    painter.fill(area, Role::Text);
    painter.unhit(area);
    let header = form.spec().questions.get(*at).map(|question| question.header.display());
    let title = s::NOTE_ON.fill(model.lang, &[&header.unwrap_or_default()]);
    let title = line(painter.theme[Role::Title], &title);
    text_field(painter, area, field, title, true);
}
