//! A question: its words, its options or its field, and the words behind the row under the cursor. Above it, as above the
//! review, which step and topic it is, and a chip for each question.

use super::page::{nothing_passes, picks_elsewhere, write_context};
use super::row::{OptionRow, before_label, label_role, shown_rows};
use super::{Focus, Form, NoteField, Row};
use crate::ask::Question;
use crate::console::action::{Action, Target};
use crate::console::draw::chips::{Chip, chips, chips_width};
use crate::console::draw::field::{filter_field, text_field};
use crate::console::draw::layout::{self, Descriptions, FormLayout, RectExt};
use crate::console::draw::line::{Find, Line, LineExt, line, marked_rows};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::sheet::Sheet;
use crate::console::model::{Model, Size};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Lang, Safe, count, say, width};
use ratatui::layout::Rect;

/// Cells from which on page, count and filter have room in one row.
const WIDE_STATUS: u16 = 60;
/// Cells of a question's header on its chip.
const HEADER: usize = 12;
/// Cells from which on a description begins beside its label.
const NOTE: usize = 4;
/// Questions whose chips are made at once; more than any screen shows.
const CHIPS: usize = 60;

pub(crate) fn draw(model: &Model, form: &Form, painter: &mut Painter<'_>) {
    let size = model.screen_size();
    let parts = layout::form_of(size, form);
    draw_header(painter, parts.header, form, form.at);
    words(size, form.question(), painter, parts.question);
    if let Some(rounds) = form.rounds(form.at) {
        let says = rounds.says(form.refusal(), painter.voice);
        painter.line(parts.rounds.inset(1, 1), line(painter.theme[Role::Dim], &says));
    }
    if form.is_free_text() {
        free_text(size, form, painter, &parts);
    } else {
        rows(form, painter, &parts);
        status(form, painter, &parts);
        if layout::typing(form) && form.note.is_none() {
            let title = line(painter.theme[Role::Title], say("In your own words", "自己写").text(model.lang));
            return text_field(painter, parts.field, &form.field, title, true);
        }
    }
    let context = parts.context.inset(1, 1);
    if layout::note(size, form).intersects(context) {
        return;
    }
    let write = |sheet: &mut Sheet<'_>| write_context(model, form, sheet);
    if parts.descriptions == Descriptions::Pane || pane::count(painter, context.width, write) > 0 {
        painter.rule(if parts.rule.width > 1 { parts.rule.inset(1, 1) } else { parts.rule });
    }
    pane::draw(painter, context, &form.view().scroll, write);
}

/// Draws the header. `at` is the question shown; behind the last one it is the review.
pub(crate) fn draw_header(painter: &mut Painter<'_>, area: Rect, form: &Form, at: usize) {
    let (row, theme, lang) = (area.inset(1, 1), painter.theme, painter.voice.lang);
    let title = line(theme[Role::Dim], &form.gate.title())
        .add(theme[Role::Dim], " › ")
        .add(theme[Role::Text], &form.gate.topic(lang));
    let full = chip_row(theme, lang, form, at, true);
    let room = usize::from(row.width);
    // The way back.
    let wide = u16::try_from(width::cells(&form.gate.title())).unwrap_or(row.width).min(row.width);
    painter.hit_key(Rect { width: wide, ..row.row(0) }, &Action::Back);
    let wide = chips_width(&full);
    if wide + 2 + title.cells() <= room {
        painter.line(row, title);
        return chips(painter, row.row(0), &full);
    }
    if area.height > 1 {
        painter.line(row, title);
        return chips(painter, row.row(1), &full);
    }
    // One row for everything: the chips without words take what they need, up to two thirds.
    let short = chip_row(theme, lang, form, at, false);
    let wide = chips_width(&short).min(room * 2 / 3);
    let wide = u16::try_from(wide).unwrap_or(row.width);
    painter.line(row.inset(0, wide + 1), title);
    chips(painter, row.row(0).inset(row.width - wide, 0), &short);
}

fn chip_row(theme: &Theme, lang: Lang, form: &Form, at: usize, words: bool) -> Vec<Chip> {
    let count = form.spec().questions.len();
    let first = at.min(count).saturating_sub(CHIPS / 2);
    let last = (first + CHIPS).min(count);
    let mut row: Vec<Chip> =
        (first..last).map(|place| chip(theme, form, place, place == at, words)).collect();
    if last == count {
        let role = if at == count { Role::Accent } else { Role::Dim };
        let line = line(theme[role], say("review", "核对").text(lang));
        row.push(Chip { line, current: at == count, target: Target::Review });
    }
    row
}

fn chip(theme: &Theme, form: &Form, place: usize, current: bool, words: bool) -> Chip {
    let question = &form.spec().questions[place];
    let answered = form.draft.replies[place].says();
    let bad = !answered && !form.faults(place).is_empty();
    let (sign, role) = match (answered, current) {
        _ if bad => ("▲", Role::Blocked),
        (true, _) => ("✓", Role::Answered),
        (false, true) => ("●", Role::Waiting),
        (false, false) if question.must_be_answered() => ("!", Role::Warn),
        (false, false) => ("○", Role::Dim),
    };
    let text = if current { Role::Accent } else { Role::Dim };
    let number = (place + 1).to_string();
    let line = line(theme[text], &number);
    let line = if words {
        let header = Safe::line(&question.header.display()).fit_middle(HEADER);
        line.gap(1).add(theme[role], sign).gap(1).safe(theme[text], header)
    } else {
        line.add(theme[role], sign)
    };
    Chip { line, current, target: Target::Question(place) }
}

fn words(size: Size, question: &Question, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let (words, rows, is_cut) = layout::words(question, size);
    let area = area.inset(1, 1);
    let (role, must) =
        if question.must_be_answered() { (Role::Accent, s::REQUIRED) } else { (Role::Dim, s::OPTIONAL) };
    painter.right(area.row(0), line(theme[role], must.text(painter.voice.lang)));
    let height = usize::from(area.height);
    let all = painter.voice.key(&Action::Expand);
    let more = all.map_or_else(|| "…".to_owned(), |key| format!("… {key}"));
    let last = rows.len().min(height);
    let is_cut = is_cut || last < rows.len();
    for (at, row) in rows.iter().take(last).enumerate() {
        let line = Line::default().safe(theme[Role::Title], words.slice(row.clone()));
        let line = if is_cut && at + 1 == last { line.add(theme[Role::Accent], &more) } else { line };
        painter.line(area.row(u16::try_from(at).unwrap_or(u16::MAX)), line);
    }
}

fn free_text(size: Size, form: &Form, painter: &mut Painter<'_>, parts: &FormLayout) {
    let (theme, voice, typing) = (painter.theme, painter.voice, layout::typing(form));
    let seen = parts.field.above(layout::note(size, form));
    text_field(painter, seen, &form.field, Line::default(), typing);
    let (text, row) = (form.field.text(), parts.status.inset(3, 3));
    if text.is_empty() {
        return painter
            .line(row, line(theme[Role::Dim], say("Nothing written yet.", "还没有填写。").text(voice.lang)));
    }
    let lines = s::counted(count::lines(text), say("1 line", "1 行"), say("{0} lines", "{0} 行"), voice.lang);
    let length = line(theme[Role::Text], &s::length(text, voice.lang));
    let length = length.add(theme[Role::Dim], " · ").add(theme[Role::Dim], &lines);
    let hint =
        voice.fill(say("{accept} makes a new line, {next} goes on", "{accept} 换行，{next} 下一题"), &[]);
    let has_room = length.cells() + width::cells(&hint) + 3 <= usize::from(row.width);
    if form.field.is_multiline() && typing && has_room {
        painter.right(row, line(theme[Role::Dim], &hint));
    }
    painter.line(row, length);
}

fn rows(form: &Form, painter: &mut Painter<'_>, parts: &FormLayout) {
    let (theme, area, cursor) = (painter.theme, parts.body, form.view().cursor);
    let (shown, column) = shown_rows(theme, painter.voice, form, parts);
    if shown.is_empty() {
        let says = nothing_passes(painter.voice, area).unwrap_or_default();
        return painter.line(area.inset(2, 1), line(theme[Role::Dim], &says));
    }
    let below = parts.descriptions == Descriptions::Below;
    // In a filter, digits are text.
    let digits = if form.focus == Focus::Filter { 0 } else { layout::DIGITS };
    let mut left = area;
    for (row, (at, mut made)) in shown.into_iter().enumerate() {
        let mut described = Vec::new();
        if let Row::Option(place) = made.row
            && below
        {
            made.note = Line::default();
            described = words_below(theme, painter.voice.lang, form, parts, (place, &mut made));
        }
        let here = left.slice(0, 1 + u16::try_from(described.len()).unwrap_or(u16::MAX));
        left = left.slice(here.height, u16::MAX);
        let digit = if row < digits { (row + 1).to_string() } else { " ".to_owned() };
        let column = if made.row.is_alone() { made.label.cells() } else { column };
        draw_row(painter, here, &digit, column, made, at == cursor);
        painter.lines(here.slice(1, u16::MAX).inset(layout::BEFORE_LABEL, 0), described);
        painter.hit(here, Target::Row(at));
    }
}

/// The rows below that of an option: the rest of its label, and its description as far as there is room.
fn words_below(
    theme: &Theme,
    lang: Lang,
    form: &Form,
    parts: &FormLayout,
    (place, made): (usize, &mut OptionRow),
) -> Vec<Line> {
    let option = &form.question().options[place];
    let mut below = Vec::new();
    let room = layout::label_room(parts.body.width);
    if made.label.cells() > room {
        let find = (form.query(), Word::find_by_sound as Find);
        let (sign, role) = (before_label(theme, form.question(), place), label_role(form.question(), place));
        let label = form.label(place, lang);
        let mut rows = marked_rows(theme, role, &label, find, room.saturating_sub(sign.cells())).into_iter();
        made.label = sign.join(rows.next().unwrap_or_default());
        below.extend(rows);
    }
    let (words, cells) = (option.description.display(), layout::described_cells(parts));
    if words.is_empty() {
        return below;
    }
    let mut rows = marked_rows(theme, Role::Dim, &words, (form.query(), Word::find), cells);
    if rows.len() > parts.lines {
        rows.truncate(parts.lines);
        if let Some(last) = rows.last_mut() {
            let sign = if last.cells() < cells { "…" } else { "" };
            *last =
                std::mem::take(last).add(theme[Role::Dim], sign).fit(cells - usize::from(sign.is_empty()));
        }
    }
    below.extend(rows);
    below
}

fn draw_row(
    painter: &mut Painter<'_>,
    area: Rect,
    digit: &str,
    column: usize,
    made: OptionRow,
    selected: bool,
) {
    let theme = painter.theme;
    let line = line(theme[Role::Accent], if selected { "▸ " } else { "  " }).join(made.sign).gap(1);
    let line = line.add(theme[Role::Dim], digit).gap(2);
    let end = line.cells() + column + 2;
    let left = painter.right(area.row(0).inset(0, 1), made.tag);
    let room = usize::from(left.width).saturating_sub(line.cells());
    let line = line.join(made.label.fit_middle(room));
    let end = end.max(line.cells() + 2);
    let has_room = !made.note.spans.is_empty() && end + NOTE <= usize::from(left.width);
    painter.line(left, if has_room { line.to_column(end).join(made.note) } else { line });
    if selected {
        painter.select(area.row(0));
    }
}

fn status(form: &Form, painter: &mut Painter<'_>, parts: &FormLayout) {
    let (theme, lang, row, cursor) =
        (painter.theme, painter.voice.lang, parts.status.inset(1, 1), form.view().cursor);
    let page = layout::rows_on_page(parts, form);
    let (at, pages) = (cursor / page + 1, form.row_count().div_ceil(page).max(1));
    let (all, picked) = (form.question().options.len(), form.reply().picks.len());
    let place = if pages > 1 {
        say("page {0}/{1}", "第 {0}/{1} 页").fill(lang, &[&at.to_string(), &pages.to_string()]) + " · "
    } else {
        String::new()
    };
    let says = if form.reply().is_default() { s::BY_DEFAULT } else { s::CHOSEN_MANY };
    let chosen = says.fill(lang, &[&picked.to_string()]);
    if let Some(filter) = form.filter() {
        // Where the page has no room, a sign says where further hits are.
        let is_wide = row.width >= WIDE_STATUS;
        let sign = match pages > 1 && !is_wide {
            true if at < pages => "↓ ",
            true => "↑ ",
            false => "",
        };
        let mut count = line(theme[Role::Accent], if is_wide { &place } else { "" })
            .add(theme[Role::Text], &format!("{sign}{}/{all}", filter.hits.len()));
        if form.is_multi() {
            count = count.add(theme[Role::Dim], " · ").add(theme[Role::Text], &chosen);
        }
        let left = painter.right(row, count);
        return filter_field(painter, left, &filter.field, form.focus == Focus::Filter);
    }
    let options = match form.current_row() {
        Some(Row::Option(place)) if pages > 1 => format!("{}/{all}", place + 1),
        _ => s::counted(all, s::OPTIONS_ONE, s::OPTIONS_MANY, lang),
    };
    let right = match place.strip_suffix(" · ") {
        Some(place) => line(theme[Role::Accent], place).add(theme[Role::Dim], " · "),
        None => Line::default(),
    };
    let left = painter.right(row, right.add(theme[Role::Dim], &options)).inset(1, 0);
    let chosen = if picked == 0 { say("nothing chosen", "未选").text(lang).to_owned() } else { chosen };
    let elsewhere = picks_elsewhere(parts, form, lang).filter(|_| parts.names_picks(form));
    if let Some(words) = elsewhere.or(form.is_multi().then_some(chosen)) {
        painter.line(left, line(theme[Role::Text], &words));
    }
}

pub(crate) fn note(size: Size, form: &Form, painter: &mut Painter<'_>) {
    let Some(NoteField { at, field, sends_back }) = &form.note else { return };
    if sends_back.is_some() {
        return form.draw_reason(size, *at, field, painter);
    }
    let area = layout::note(size, form);
    painter.fill(area, Role::Text);
    painter.unhit(area);
    let title = s::NOTE_ON.fill(painter.voice.lang, &[&form.spec().questions[*at].header.display()]);
    let title = line(painter.theme[Role::Title], &title);
    text_field(painter, area, field, title, true);
}
