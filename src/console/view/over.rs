//! What lies over a screen: a page to scroll, or a question of the program.

use super::layout::{self, RectExt};
use super::line::{LineExt, line, wrapped};
use super::page;
use super::painter::Painter;
use crate::console::action::Target;
use crate::console::model::{Model, Prompt};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::Sentence;
use ratatui::layout::Rect;
use std::path::Path;

/// Existing outputs that a warning names.
const OUTPUTS_NAMED: usize = 3;

/// A page over the whole screen.
pub(super) fn page(model: &Model, painter: &mut Painter<'_>, scroll: usize, title: Sentence) {
    let (page, area) = page::place(model);
    let theme = painter.theme;
    let height = usize::from(area.height);
    let from = scroll.min(page::last_scroll(model));
    let (shown, count) = page::lines(model, theme, page, usize::from(area.width), from..from + height);
    let mut left = layout::main(model.size).row(0).inset(1, 1);
    if count > height {
        let parts = [from + 1, (from + height).min(count), count].map(|number| number.to_string());
        let words = s::LINE_OF.fill(model.lang, &[&parts[0], &parts[1], &parts[2]]);
        left = painter.right(left, line(theme[Role::Dim], &words));
    }
    painter.line(left, line(theme[Role::Dim], title.text(model.lang)));
    // The header counts the lines; a sign among them would hide one.
    painter.lines(area, shown);
    let edge = Rect { x: area.right(), width: 1, ..area };
    if from + height < count {
        painter.line(edge.row(area.height.saturating_sub(1)), line(theme[Role::Accent], "↓"));
    }
    if from > 0 {
        painter.line(edge.row(0), line(theme[Role::Accent], "↑"));
    }
}

/// A question of the program, above the footer.
pub(super) fn prompt(model: &Model, painter: &mut Painter<'_>, prompt: &Prompt) {
    let theme = painter.theme;
    let name = title(model, prompt.path());
    let (asks, means) = match prompt {
        Prompt::Redo(..) => (s::REDO_ASKS, s::REDO_MEANS),
        Prompt::RedoForeign(..) => (s::REDO_FOREIGN_ASKS, s::REDO_FOREIGN_MEANS),
        Prompt::RestoreEntry(restoring) if restoring.over.is_none() => (s::RESTORE_ASKS, s::RESTORE_MEANS),
        Prompt::RestoreEntry(_) => (s::RESTORE_ASKS, s::RESTORE_REPLACES),
        Prompt::Later(_, row) => return later(model, painter, &name, *row),
        Prompt::UndoRedo(_) => (s::UNDO_ASKS, s::UNDO_MEANS),
        Prompt::ReplaceForeign(_) => (s::REPLACE_FOREIGN_ASKS, s::REPLACE_FOREIGN_MEANS),
        Prompt::WriteEdited(_) => (s::WRITE_EDITED_ASKS, s::WRITE_EDITED_MEANS),
        Prompt::DropEdited(_) => (s::DROP_EDITED_ASKS, s::DROP_EDITED_MEANS),
    };
    let cells = usize::from(model.size.width.saturating_sub(2).min(layout::READING));
    let mut lines = wrapped(theme[Role::Title], &asks.fill(model.lang, &[&name]), cells);
    for warning in warnings(model, prompt) {
        lines.extend(wrapped(theme[Role::Warn], &warning, cells));
    }
    lines.extend(wrapped(theme[Role::Text], means.text(model.lang), cells));
    let area = layout::above_footer(model.size, lines.len() + 1);
    painter.fill(area, Role::Text);
    painter.rule(area.row(0).inset(1, 1));
    painter.lines(area.slice(1, area.height).inset(1, 1), lines);
}

/// Until when a gate is put off: one row for each choice.
fn later(model: &Model, painter: &mut Painter<'_>, name: &str, at: usize) {
    let theme = painter.theme;
    let cells = usize::from(model.size.width.saturating_sub(2).min(layout::READING));
    let title = wrapped(theme[Role::Title], &s::LATER_ASKS.fill(model.lang, &[name]), cells);
    let choices = model.later_choices();
    let area = layout::above_footer(model.size, title.len() + choices.len() + 1);
    painter.fill(area, Role::Text);
    painter.rule(area.row(0).inset(1, 1));
    let asked = u16::try_from(title.len()).unwrap_or(u16::MAX);
    painter.lines(area.slice(1, asked).inset(1, 1), title);
    for (row, (says, time)) in choices.into_iter().enumerate() {
        let here = area.row(1 + asked + u16::try_from(row).unwrap_or(u16::MAX));
        let time = time.map(|time| model.local_time(time)).unwrap_or_default();
        let words = line(theme[Role::Accent], if row == at { "▸ " } else { "  " });
        let words = words.add(theme[Role::Dim], &(row + 1).to_string()).gap(2);
        painter.line(
            here.inset(1, 1),
            words.add(theme[Role::Text], says.text(model.lang)).gap(2).add(theme[Role::Dim], &time),
        );
        painter.hit(here, Target::Row(row));
        if row == at {
            painter.select(here);
        }
    }
}

/// The step of a packet, for people.
pub(super) fn title(model: &Model, path: &Path) -> String {
    let entry = model.inbox.entry_at(path);
    let step = entry.and_then(|entry| entry.step.as_ref()).map(|step| step.display().into_owned());
    step.unwrap_or_else(|| path.to_string_lossy().into_owned())
}

/// What the author must know before confirming.
fn warnings(model: &Model, prompt: &Prompt) -> Vec<String> {
    let lang = model.lang;
    let mut out = Vec::new();
    match prompt {
        Prompt::Redo(_, warning) => {
            let (first, rest) = warning.outputs.split_at(warning.outputs.len().min(OUTPUTS_NAMED));
            let mut names = first.join(lang.comma());
            if !rest.is_empty() {
                names = s::REDO_OUTPUTS_MORE.fill(lang, &[&names, &rest.len().to_string()]);
            }
            if !first.is_empty() {
                out.push(s::REDO_OUTPUTS.fill(lang, &[&names]));
            }
            if warning.past {
                out.push(s::REDO_PAST.text(lang).to_owned());
            }
        }
        Prompt::RestoreEntry(restoring) => {
            let entry = &restoring.entry;
            let at = model.local_time(entry.time());
            out.push(s::RESTORE_WHICH.fill(lang, &[&at, &entry.event(lang)]));
            if !restoring.fits {
                out.push(s::RESTORE_BLOCKS.text(lang).to_owned());
            }
        }
        Prompt::WriteEdited(edited) if edited.foreign => {
            out.push(s::WRITE_EDITED_FOREIGN.text(lang).to_owned());
        }
        _ => {}
    }
    out
}
