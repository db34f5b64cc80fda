//! The review: every answer, what is missing first, the record as it will be written, the button.

use super::title;
use crate::ask::{Question, Reply};
use crate::console::action::Target;
use crate::console::model::{Form, Model};
use crate::console::sentences as s;
use crate::console::view::layout::{self, Area};
use crate::console::view::page::{self, Line, Page, Role, answer_text, given_text, is_answered, wrapped};
use crate::console::view::widget::{Canvas, pane};
use crate::text::{Safe, Sentence, width};

/// Rows that the words of one answer may take.
const VALUE_ROWS: usize = 3;
/// Cells of the column of headers.
const HEADER: usize = 16;
/// Questions whose headers are measured for it.
const HEADERS: usize = 100;
/// Characters and picks of an answer that are looked at for its rows.
const VALUE_TEXT: usize = 2_000;
const VALUE_PICKS: usize = 200;
/// Faults of no question that the review names; the page names all.
const LEFT_OUT: usize = 4;

/// Draws the screen.
pub(super) fn draw(model: &Model, form: &Form, canvas: &mut Canvas<'_>) {
    let parts = layout::review(model.size);
    title::draw(canvas, parts.header, model, form, form.spec().questions.len());
    list(model, form, canvas, parts.list);
    canvas.rule(parts.rule);
    let area = parts.record.inset(1, 1);
    let lines = |window| page::lines(model, Page::Record, usize::from(area.width), window);
    let more =
        |count: usize| Line::of(Role::Accent, &s::MORE_LINES_SHORT.fill(model.lang, &[&count.to_string()]));
    pane(canvas, area, 0, &lines, &more);
    foot(model, form, canvas, parts.foot);
}

/// The drawn lines of one answer.
struct Answer {
    lines: Vec<Line>,
    tag: Line,
}

fn list(model: &Model, form: &Form, canvas: &mut Canvas<'_>, area: Area) {
    let order = form.review_order();
    let spec = form.spec();
    let headers = spec.questions.iter().take(HEADERS).map(|question| width::cells(&header(question)));
    let column = headers.max().unwrap_or(0).min(usize::from(area.width) / 4);
    let made = |row: usize| match order.get(row) {
        Some(&at) => Some(answer(model, form, at, (column, area.width))),
        None => (row < form.review_rows()).then(|| left_out(model, form, area.width)),
    };
    let rows = form.review_rows();
    let height = usize::from(area.height);
    let cursor = form.review.row.min(rows.saturating_sub(1));
    let mut y: u16 = 0;
    for row in first_row(form.review.top.min(cursor), cursor, height, &made)..rows {
        let Some(answer) = made(row).filter(|_| y < area.height) else { break };
        let rows = u16::try_from(answer.lines.len()).unwrap_or(u16::MAX);
        let here = area.rows(y, rows);
        draw_answer(canvas, here, answer, row == cursor);
        canvas.hit(here, Target::Row(row));
        y = y.saturating_add(rows);
    }
}

/// The first answer to draw: far enough on that the one under the cursor is seen whole, and no further than needed to
/// see the last one.
fn first_row(top: usize, cursor: usize, height: usize, made: &dyn Fn(usize) -> Option<Answer>) -> usize {
    let rows = |row: usize| made(row).map(|answer| answer.lines.len());
    let (mut first, mut used) = (cursor, rows(cursor).unwrap_or(0));
    while let Some(more) = first.checked_sub(1).and_then(rows).filter(|more| used + more <= height) {
        (first, used) = (first - 1, used + more);
    }
    let mut behind = cursor + 1;
    let mut filled: usize = (top.max(first)..=cursor).filter_map(rows).sum();
    while let Some(more) = rows(behind).filter(|_| filled < height) {
        (behind, filled) = (behind + 1, filled + more);
    }
    let mut start = top.max(first);
    while let Some(more) = start.checked_sub(1).and_then(rows).filter(|more| filled + more <= height) {
        (start, filled) = (start - 1, filled + more);
    }
    start
}

fn draw_answer(canvas: &mut Canvas<'_>, area: Area, answer: Answer, selected: bool) {
    let left = canvas.right(area.row(0).inset(0, 1), answer.tag);
    for (row, line) in (0..area.height).zip(answer.lines) {
        let mark = if selected && row == 0 { "▸ " } else { "  " };
        let here = if row == 0 { left } else { area.row(row) };
        canvas.line(here, Line::of(Role::Accent, mark).join(line));
    }
    if selected {
        canvas.lift(area, Role::Selection);
    }
}

fn header(question: &Question) -> Safe {
    Safe::line(&question.header.display()).fit(HEADER)
}

fn answer(model: &Model, form: &Form, at: usize, (column, width): (usize, u16)) -> Answer {
    let lang = model.lang;
    let (question, reply) = (&form.spec().questions[at], &form.draft.replies[at]);
    let cells = usize::from(width).saturating_sub(column + 8).max(4);
    let mut tag = Line::default();
    let (sign, role, mut values) = if is_answered(question, reply) {
        if let Some(says) = tag_of(form, at, question, reply) {
            tag = Line::say(Role::Dim, says, lang);
        }
        let cells = if tag.spans.is_empty() { cells } else { cells.saturating_sub(tag.cells() + 2).max(4) };
        ("✓", Role::Answered, value(question, reply, cells))
    } else if question.must_be_answered() {
        ("▲", Role::Blocked, wrapped(Role::Warn, s::MISSING.text(lang), cells, 0))
    } else {
        ("○", Role::Dim, wrapped(Role::Dim, s::LEFT_BLANK.text(lang), cells, 0))
    };
    if !reply.other.trim().is_empty() {
        let words = s::OTHER_NOT_TAKEN.fill(lang, &[reply.other.trim()]);
        values.extend(short(wrapped(Role::Warn, &words, cells, 0), cells));
    }
    values.extend(before(model, form, at, cells));
    if !reply.note.is_blank() {
        let words = format!("{}: {}", s::NOTE.text(lang), reply.note.display());
        let words: String = words.chars().take(VALUE_TEXT).collect();
        values.extend(short(wrapped(Role::Dim, &words, cells, 0), cells));
    }
    for aside in &reply.alternatives {
        let words = format!("{}: {}", s::PUT_ASIDE.text(lang), answer_text(question, aside, VALUE_PICKS));
        let words: String = words.chars().take(VALUE_TEXT).collect();
        values.extend(short(wrapped(Role::Dim, &words, cells, 0), cells));
    }
    let first =
        Line::of(role, sign).gap(1).safe(Role::Text, header(question).fit(column)).to_column(column + 4);
    let lines = values.into_iter().enumerate().map(|(at, line)| {
        let start = if at == 0 { first.clone() } else { Line::default().gap(column + 4) };
        start.join(line)
    });
    Answer { lines: lines.collect(), tag }
}

/// What stands behind an answer: that it is the default, or what was said before.
fn tag_of(form: &Form, at: usize, question: &Question, reply: &Reply) -> Option<Sentence> {
    if reply.is_default() {
        return Some(s::DEFAULT);
    }
    let before = form.status.before.as_ref()?;
    let says = if form.status.repair.is_some() { s::FROM_THE_RECORD } else { s::AS_BEFORE };
    before.is_as_before(at, question, reply).then_some(says)
}

/// What an earlier record said, where that is something else.
fn before(model: &Model, form: &Form, at: usize, cells: usize) -> Vec<Line> {
    let Some(before) = &form.status.before else { return Vec::new() };
    let (question, reply) = (&form.spec().questions[at], &form.draft.replies[at]);
    if before.is_as_before(at, question, reply) {
        return Vec::new();
    }
    let label = if form.status.repair.is_some() { s::IN_THE_RECORD } else { s::BEFORE };
    let words = before.given(at).map(|given| given_text(given, VALUE_PICKS));
    let words = words.unwrap_or_else(|| s::BEFORE_BLANK.text(model.lang).to_owned());
    let words: String = words.chars().take(VALUE_TEXT).collect();
    let words = format!("{}: {words}", label.text(model.lang));
    short(wrapped(Role::Dim, &words, cells, 0), cells)
}

/// The last row of a repair: what belongs to no question and does not come into the new record.
fn left_out(model: &Model, form: &Form, width: u16) -> Answer {
    let (lang, problems) = (model.lang, form.left_out());
    let cells = usize::from(width).saturating_sub(7).max(4);
    let head = s::counted(problems.len(), s::REST_ONE, s::REST_MANY, lang);
    let mut values = wrapped(Role::Warn, &head, cells, 0);
    for problem in problems.iter().take(LEFT_OUT) {
        let pointer = if problem.pointer.is_empty() { s::WHOLE_FILE.text(lang) } else { &problem.pointer };
        let words = format!("{pointer}  {}", problem.found(lang));
        values.extend(wrapped(Role::Dim, &words, cells, 0).into_iter().take(1).map(|line| line.fit(cells)));
    }
    if problems.len() > LEFT_OUT {
        values.push(Line::of(Role::Accent, "… F4"));
    }
    let lines = values.into_iter().enumerate().map(|(at, line)| {
        let start = if at == 0 { Line::of(Role::Warn, "▲").gap(1) } else { Line::default().gap(4) };
        start.join(line)
    });
    Answer { lines: lines.collect(), tag: Line::default() }
}

/// The words of an answer on a few rows.
fn value(question: &Question, reply: &Reply, cells: usize) -> Vec<Line> {
    let all = answer_text(question, reply, VALUE_PICKS);
    let end = all.char_indices().nth(VALUE_TEXT).map_or(all.len(), |(at, _)| at);
    short(wrapped(Role::Text, &all[..end], cells, 0), cells)
}

/// Only the first rows; `…` if there are more.
fn short(mut lines: Vec<Line>, cells: usize) -> Vec<Line> {
    if lines.len() > VALUE_ROWS {
        lines.truncate(VALUE_ROWS);
        if let Some(last) = lines.pop() {
            lines.push(last.add(Role::Accent, "…").fit(cells));
        }
    }
    lines
}

fn foot(model: &Model, form: &Form, canvas: &mut Canvas<'_>, area: Area) {
    let lang = model.lang;
    let missing = form.draft.missing(form.spec()).len();
    let path = form.packet.gate.as_ref().map(|gate| gate.answer_path.display()).unwrap_or_default();
    let (role, words) = if missing > 0 {
        (Role::Warn, format!("▲ {}", s::counted(missing, s::MISSING_ONE, s::MISSING_MANY, lang)))
    } else if let Some(refusal) = &form.status.refusal {
        (Role::Bad, format!("✕ {}", s::CANNOT_WRITE.fill(lang, &[&refusal.text(lang)])))
    } else if form.status.submitting {
        (Role::Text, s::SUBMITTING.text(lang).to_owned())
    } else {
        let says = if form.status.repair.is_some() { s::REPLACES } else { s::WRITTEN_TO };
        (Role::Dim, says.text(lang).to_owned())
    };
    let ready = missing == 0 && form.status.refusal.is_none() && !form.status.submitting;
    let button = format!("[ {}  Ctrl+S ]", s::SUBMIT.text(lang));
    let button = Line::of(if ready { Role::Accent } else { Role::Dim }, &button);
    let row = area.inset(1, 1);
    let last = row.row(area.height.saturating_sub(1));
    let wide = u16::try_from(button.cells()).unwrap_or(u16::MAX).min(last.width);
    canvas.hit(Area { width: wide, ..last }, Target::Submit);
    canvas.line(last, button);
    let beside = last.inset(wide + 2, 0);
    let path = |room: u16| width::fit_start(&Safe::line(&path), usize::from(room)).into_owned();
    if area.height >= 4 {
        canvas.rule(row.row(0));
        let words = Line::of(role, &words).gap(2);
        let room = row.width.saturating_sub(u16::try_from(words.cells()).unwrap_or(u16::MAX));
        let shown = if ready { words.add(Role::Text, &path(room)) } else { words };
        canvas.line(row.row(1), shown);
    } else if area.height >= 2 {
        let line = if ready {
            Line::of(Role::Dim, "→ ").add(Role::Text, &path(row.width.saturating_sub(2)))
        } else {
            Line::of(role, &words)
        };
        canvas.line(row.row(0), line);
    } else if ready {
        canvas.line(beside, Line::of(Role::Dim, "→ ").add(Role::Text, &path(beside.width.saturating_sub(2))));
    } else {
        canvas.line(beside, Line::of(role, &words));
    }
}
