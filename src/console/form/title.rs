//! The header of form and review: which step and topic, and a chip for each question.

use crate::console::action::Target;
use crate::console::draw::answer::is_answered;
use crate::console::draw::chips::{Chip, chips, chips_width};
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::model::{Form, Model};
use crate::console::theme::{Role, Theme};
use crate::text::{Safe, say};
use ratatui::layout::Rect;

/// Cells of a question's header on its chip.
const HEADER: usize = 12;
/// Questions whose chips are made at once; more than any screen shows.
const CHIPS: usize = 60;

/// Draws the header. `at` is the question shown; behind the last one it is the review.
pub(crate) fn draw(painter: &mut Painter<'_>, area: Rect, model: &Model, form: &Form, at: usize) {
    let (row, theme) = (area.inset(1, 1), painter.theme);
    let title = line(theme[Role::Dim], &form.gate.title())
        .add(theme[Role::Dim], " › ")
        .add(theme[Role::Text], &form.spec().topic.display());
    let full = make(theme, model, form, at, true);
    let room = usize::from(row.width);
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
    let short = make(theme, model, form, at, false);
    let wide = chips_width(&short).min(room * 2 / 3);
    let wide = u16::try_from(wide).unwrap_or(row.width);
    painter.line(row.inset(0, wide + 1), title);
    chips(painter, row.row(0).inset(row.width - wide, 0), &short);
}

fn make(theme: &Theme, model: &Model, form: &Form, at: usize, words: bool) -> Vec<Chip> {
    let count = form.spec().questions.len();
    let first = at.min(count).saturating_sub(CHIPS / 2);
    let last = (first + CHIPS).min(count);
    let mut row: Vec<Chip> =
        (first..last).map(|place| chip(theme, form, place, place == at, words)).collect();
    if last == count {
        let role = if at == count { Role::Accent } else { Role::Dim };
        let line = line(theme[role], say("review", "核对").text(model.lang));
        row.push(Chip { line, current: at == count, target: Target::Review });
    }
    row
}

fn chip(theme: &Theme, form: &Form, place: usize, current: bool, words: bool) -> Chip {
    let question = &form.spec().questions[place];
    let answered = is_answered(question, &form.draft.replies[place]);
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
        let header = Safe::line(&question.header.display()).fit(HEADER);
        line.gap(1).add(theme[role], sign).gap(1).safe(theme[text], header)
    } else {
        line.add(theme[role], sign)
    };
    Chip { line, current, target: Target::Question(place) }
}
