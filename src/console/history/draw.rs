//! The history of a gate or of the project: its entries, the selected one beside or below.

use crate::console::action::Target;
use crate::console::draw::filter_field::filter_field;
use crate::console::draw::layout::{self, RectExt};
use crate::console::draw::line::{Line, LineExt, line, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::draw::pane;
use crate::console::draw::sheet::Sheet;
use crate::console::model::{HistoryEntry, HistoryView, Model, Scope};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::width;
use ratatui::layout::Rect;
use std::path::Path;

/// Draws the screen.
pub(crate) fn draw(model: &Model, history: &HistoryView, painter: &mut Painter<'_>) {
    let parts = layout::history_of(model, history);
    header(model, history, painter, parts.header);
    if history.found.rows.is_empty() {
        return empty(model, history, painter, parts.list);
    }
    list(model, history, painter, parts.list);
    painter.rule(if parts.rule.height <= 1 { parts.rule.inset(1, 1) } else { parts.rule });
    let write = |sheet: &mut Sheet<'_>| super::page::write(model, history, sheet);
    pane::draw(model, painter, parts.detail.inset(1, 1), &history.scroll, write);
}

fn header(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let first = area.row(0).inset(1, 1);
    let filter = history.filter.as_ref();
    let place = if area.height > 1 { area.row(1).inset(1, 1) } else { first };
    if area.height > 1 || filter.is_none() {
        let (shown, all) = (history.found.rows.len(), history.found.all);
        let count = if shown == all {
            s::counted(all, s::ENTRIES_ONE, s::ENTRIES_MANY, model.lang)
        } else {
            format!("{shown}/{all}")
        };
        let left = painter.right(first, line(theme[Role::Dim], &count));
        let line = match &history.found.scope {
            Scope::Gate { .. } => {
                let of = line(theme[Role::Accent], s::HISTORY.text(model.lang)).gap(2);
                of.add(theme[Role::Title], &title(model, history))
            }
            Scope::Project => line(theme[Role::Accent], s::HISTORY_OF_PROJECT.text(model.lang)),
        };
        painter.line(left, line);
    }
    if let Some(filter) = filter {
        filter_field(model, painter, place, &filter.field, filter.focused);
    }
}

/// The name of the gate whose history is shown; its packet may be gone.
fn title(model: &Model, history: &HistoryView) -> String {
    let packet = history.found.scope.packet().unwrap_or(Path::new(""));
    let gone = model.inbox.entry_at(packet).is_none();
    let step = history.found.rows.first().and_then(|entry| entry.step.as_ref()).filter(|_| gone);
    step.map_or_else(|| model.inbox.title_of(packet), |step| step.display().into_owned())
}

/// What happened and who had answered; of the whole project, the step first.
fn event(model: &Model, history: &HistoryView, entry: &HistoryEntry, line: Line, theme: &Theme) -> Line {
    let event = entry.event(model.lang);
    if history.found.scope == Scope::Project {
        let step = entry.step.as_ref().unwrap_or(&entry.answer_path);
        let line = line.add(theme[Role::Text], &step.display());
        return line.add(theme[Role::Dim], " · ").add(theme[Role::Dim], &event);
    }
    line.add(theme[Role::Text], &event)
}

fn empty(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let words = if history.found.all == 0 {
        let project = history.found.scope == Scope::Project;
        let says = if project { s::HISTORY_OF_PROJECT_EMPTY } else { s::HISTORY_EMPTY };
        says.text(model.lang).to_owned()
    } else {
        model.fill(s::HISTORY_NOTHING_PASSES, &[&history.found.words])
    };
    let whole = Rect { width: model.size.width, ..area }.inset(3, 3);
    painter.lines(whole, wrapped(theme[Role::Text], &words, usize::from(whole.width)));
}

fn list(model: &Model, history: &HistoryView, painter: &mut Painter<'_>, area: Rect) {
    let theme = painter.theme;
    let time = |row: usize| model.local_time(history.found.rows[row].date());
    let height = usize::from(area.height);
    let top = history.list.shows_row(history.row, height);
    let shown = top..(top + height).min(history.found.rows.len());
    let widest = shown.clone().map(|row| width::cells(&time(row))).max().unwrap_or(0);
    for (y, row) in (0..area.height).zip(shown) {
        let entry = &history.found.rows[row];
        let here = area.row(y);
        let (sign, role) = match (history.is_there(row), entry.reason.is_removal()) {
            (true, _) => ("✓", Role::Answered),
            (false, true) => ("−", Role::Bad),
            (false, false) => ("·", Role::Dim),
        };
        let mark = if row == history.row { "▸ " } else { "  " };
        let line = line(theme[Role::Accent], mark).add(theme[role], sign).gap(1);
        let line = line.add(theme[Role::Dim], &time(row)).to_column(4 + widest + 2);
        let line = event(model, history, entry, line, theme);
        let line = if entry.valid {
            line
        } else {
            line.add(theme[Role::Dim], " · ").add(theme[Role::Warn], s::INVALID_MARK.text(model.lang))
        };
        painter.line(here.inset(0, 1), line);
        painter.hit(here, Target::Row(row));
        if row == history.row {
            painter.select(here);
        }
    }
}
