//! What lies over a screen: a page to scroll, or a question of the program.

use super::layout::{self, RectExt};
use super::line::{Line, LineExt, line, wrapped};
use super::page;
use super::painter::Painter;
use crate::console::action::Target;
use crate::console::model::{Model, NoticeTopic, Over, Prompt};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::Sentence;
use ratatui::layout::Rect;
use std::time::SystemTime;

/// Existing outputs that a warning names.
const OUTPUTS_NAMED: usize = 3;

/// A page over the whole screen.
pub(super) fn page(model: &Model, painter: &mut Painter<'_>, title: Sentence) {
    let (page, area) = page::place(model);
    let area = painter.in_sight(area);
    let theme = painter.theme;
    let height = usize::from(area.height);
    let from = model.scroll.min(page::last_scroll(model));
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

/// A question of the program, above the footer: a rule, the lines below it, and how many of the last of them are choices.
pub(super) struct Question {
    pub(super) area: Rect,
    lines: Vec<Line>,
    choices: usize,
}

impl Question {
    pub(super) fn draw(self, model: &Model, painter: &mut Painter<'_>) {
        let area = self.area;
        painter.fill(area, Role::Text);
        painter.rule(area.row(0).inset(1, 1));
        let first = area.height.saturating_sub(u16::try_from(self.choices).unwrap_or(u16::MAX));
        painter.lines(area.slice(1, u16::MAX).inset(1, 1), self.lines);
        for (row, here) in area.slice(first, u16::MAX).rows().enumerate() {
            painter.hit(here, Target::Row(row));
            if matches!(model.over, Some(Over::Prompt(Prompt::Later(_, at))) if at == row) {
                painter.select(here);
            }
        }
    }
}

/// What the program asks.
pub(super) fn question(model: &Model, theme: &Theme, prompt: &Prompt) -> Question {
    let name = model.inbox.title_of(prompt.path());
    let (asks, means) = match prompt {
        Prompt::Redo(..) => (s::REDO_ASKS, s::REDO_MEANS),
        Prompt::RedoForeign(..) => (s::REDO_FOREIGN_ASKS, s::REDO_FOREIGN_MEANS),
        Prompt::RestoreEntry(restoring) if restoring.over.is_none() => (s::RESTORE_ASKS, s::RESTORE_MEANS),
        Prompt::RestoreEntry(_) => (s::RESTORE_ASKS, s::RESTORE_REPLACES),
        Prompt::Later(..) => (s::LATER_ASKS, s::PLAIN),
        Prompt::UndoRedo(_) => (s::UNDO_ASKS, s::UNDO_MEANS),
        Prompt::ReplaceForeign(_) => (s::REPLACE_FOREIGN_ASKS, s::REPLACE_FOREIGN_MEANS),
        Prompt::WriteEdited(_) => (s::WRITE_EDITED_ASKS, s::WRITE_EDITED_MEANS),
        Prompt::DropEdited(_) => (s::DROP_EDITED_ASKS, s::DROP_EDITED_MEANS),
        Prompt::Leave(..) => (s::LEAVE_ASKS, s::LEAVE_MEANS),
    };
    let cells = usize::from(model.size.width.saturating_sub(2).min(layout::READING));
    let mut lines = wrapped(theme[Role::Title], &asks.fill(model.lang, &[&name]), cells);
    for warning in warnings(model, prompt) {
        lines.extend(wrapped(theme[Role::Warn], &warning, cells));
    }
    let choices = match prompt {
        Prompt::Later(_, at) => later(model, theme, *at),
        _ => Vec::new(),
    };
    if choices.is_empty() {
        lines.extend(wrapped(theme[Role::Text], means.text(model.lang), cells));
    }
    let area = layout::above_footer(model.size, lines.len() + choices.len() + 1);
    let count = choices.len();
    lines.extend(choices);
    Question { area, lines, choices: count }
}

/// Until when a gate is put off: one row for each choice.
fn later(model: &Model, theme: &Theme, at: usize) -> Vec<Line> {
    let row = |(row, (says, time)): (usize, (Sentence, Option<SystemTime>))| {
        let time = time.map(|time| model.local_time(time)).unwrap_or_default();
        let words = line(theme[Role::Accent], if row == at { "▸ " } else { "  " });
        let words = words.add(theme[Role::Dim], &(row + 1).to_string()).gap(2);
        words.add(theme[Role::Text], says.text(model.lang)).gap(2).add(theme[Role::Dim], &time)
    };
    model.later_choices().into_iter().enumerate().map(row).collect()
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
            let at = model.local_time(entry.date());
            out.push(s::RESTORE_WHICH.fill(lang, &[&at, &entry.event(lang)]));
            if !restoring.fits {
                out.push(s::RESTORE_BLOCKS.text(lang).to_owned());
            }
        }
        Prompt::WriteEdited(edited) if edited.foreign => {
            out.push(s::WRITE_EDITED_FOREIGN.text(lang).to_owned());
        }
        Prompt::Leave(_, unsaved) => {
            out.push(s::unsaved_words(unsaved).text(lang));
            // The question stands where notices do.
            let notice = model.notice.as_ref().filter(|notice| notice.topic == Some(NoticeTopic::PressAgain));
            out.extend(notice.map(|notice| model.text(&notice.message)));
        }
        _ => {}
    }
    out
}
