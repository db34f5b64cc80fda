//! The history of a gate: its entries, the selected one beside or below.

use super::{form, more};
use crate::console::action::Target;
use crate::console::layout::{self, Area};
use crate::console::model::{GateHistory, Model};
use crate::console::page::{self, Line, Page, Role, wrapped};
use crate::console::sentences as s;
use crate::console::widget::{Canvas, pane};
use crate::text::width;

/// Draws the screen.
pub(super) fn draw(model: &Model, history: &GateHistory, canvas: &mut Canvas<'_>) {
    let parts = layout::inbox(model.size);
    header(model, history, canvas, parts.header);
    if history.found.rows.is_empty() {
        return empty(model, history, canvas, parts.list);
    }
    list(model, history, canvas, parts.list);
    canvas.rule(if parts.rule.height <= 1 { parts.rule.inset(1, 1) } else { parts.rule });
    let area = parts.detail.inset(1, 1);
    let lines = |window| page::lines(model, Page::PastEntry, usize::from(area.width), window);
    pane(canvas, area, history.scroll, &lines, &more(model, area.width));
}

fn header(model: &Model, history: &GateHistory, canvas: &mut Canvas<'_>, area: Area) {
    let first = area.row(0).inset(1, 1);
    let filter = history.filter.as_ref();
    let place = if area.height > 1 { area.row(1).inset(1, 1) } else { first };
    if area.height > 1 || filter.is_none() {
        let (shown, all) = (history.found.rows.len(), history.found.all);
        let count = if shown == all { all.to_string() } else { format!("{shown}/{all}") };
        let left = canvas.right(first, Line::of(Role::Dim, &count));
        let step = super::over::title(model, &history.found.path);
        canvas.line(left, Line::say(Role::Accent, s::HISTORY, model.lang).gap(2).add(Role::Title, &step));
    }
    if let Some(filter) = filter {
        form::filter_field(model, canvas, place, &filter.field, filter.focused);
    }
}

fn empty(model: &Model, history: &GateHistory, canvas: &mut Canvas<'_>, area: Area) {
    let words = if history.found.all == 0 {
        s::HISTORY_EMPTY.text(model.lang).to_owned()
    } else {
        s::HISTORY_NOTHING_PASSES.fill(model.lang, &[&history.found.words])
    };
    let whole = Area { width: model.size.width, ..area }.inset(3, 3);
    let lines = wrapped(Role::Text, &words, usize::from(whole.width), 0);
    for (row, line) in (0..whole.height).zip(lines) {
        canvas.line(whole.row(row), line);
    }
}

fn list(model: &Model, history: &GateHistory, canvas: &mut Canvas<'_>, area: Area) {
    let word = |row: usize| history.found.rows[row].entry.reason.word().text(model.lang);
    let height = usize::from(area.height);
    let top = history.top.min(history.row).max((history.row + 1).saturating_sub(height));
    let shown = top..(top + height).min(history.found.rows.len());
    let widest =
        shown.clone().map(|row| width::cells(&crate::text::Safe::line(word(row)))).max().unwrap_or(0);
    for (y, row) in (0..area.height).zip(shown) {
        let entry = &history.found.rows[row].entry;
        let here = area.row(y);
        let (sign, role) = match (history.is_there(row), entry.reason.is_removal()) {
            (true, _) => ("✓", Role::Answered),
            (false, true) => ("−", Role::Bad),
            (false, false) => ("·", Role::Dim),
        };
        let mark = if row == history.row { "▸ " } else { "  " };
        let line = Line::of(Role::Accent, mark).add(role, sign).gap(1);
        let line = line.add(Role::Dim, &entry.shown_time()).gap(2).add(Role::Text, word(row));
        let column = 4 + width::cells(&crate::text::Safe::line(&entry.shown_time())) + 2 + widest + 2;
        let by = entry.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
        let line = line.to_column(column).add(Role::Text, &by);
        let line =
            if entry.valid { line } else { line.gap(1).add(Role::Warn, s::INVALID_MARK.text(model.lang)) };
        canvas.line(here.inset(0, 1), line);
        canvas.hit(here, Target::Row(row));
        if row == history.row {
            canvas.lift(here, Role::Selection);
        }
    }
}
