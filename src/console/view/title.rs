//! The header of form and review: which step and topic, and a chip for each question.

use crate::console::action::Target;
use crate::console::model::{Form, Model};
use crate::console::sentences as s;
use crate::console::view::layout::Area;
use crate::console::view::page::{Line, Role, is_answered};
use crate::console::view::widget::{Canvas, Chip, chips, chips_width};
use crate::text::Safe;

/// Cells of a question's header on its chip.
const HEADER: usize = 12;
/// Questions whose chips are made at once; more than any screen shows.
const CHIPS: usize = 60;

/// Draws the header. `at` is the question shown; behind the last one it is the review.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Area, model: &Model, form: &Form, at: usize) {
    let row = area.inset(1, 1);
    let title = title(form);
    let full = make(model, form, at, true);
    let room = usize::from(row.width);
    let wide = chips_width(&full);
    if wide + 2 + title.cells() <= room {
        let left = usize::from(row.width) - wide - 2;
        canvas.line(row, title.fit(left));
        return chips(canvas, row.row(0), &full);
    }
    if area.height > 1 {
        canvas.line(row, title);
        return chips(canvas, row.row(1), &full);
    }
    // One row for everything: the chips without words take what they need, up to two thirds.
    let short = make(model, form, at, false);
    let wide = chips_width(&short).min(room * 2 / 3);
    let wide = u16::try_from(wide).unwrap_or(row.width);
    canvas.line(row.inset(0, wide + 1), title);
    chips(canvas, row.row(0).inset(row.width - wide, 0), &short);
}

/// Step and topic.
pub(super) fn title(form: &Form) -> Line {
    let topic = &form.spec().topic;
    Line::of(Role::Dim, &form.title()).add(Role::Dim, " › ").add(Role::Text, &topic.display())
}

fn make(model: &Model, form: &Form, at: usize, words: bool) -> Vec<Chip> {
    let count = form.spec().questions.len();
    let first = at.min(count).saturating_sub(CHIPS / 2);
    let last = (first + CHIPS).min(count);
    let mut row: Vec<Chip> = (first..last).map(|place| chip(form, place, place == at, words)).collect();
    if last == count {
        let role = if at == count { Role::Accent } else { Role::Dim };
        let line = Line::say(role, if words { s::REVIEW } else { s::REVIEW_SHORT }, model.lang);
        row.push(Chip { line, current: at == count, target: Target::Review });
    }
    row
}

fn chip(form: &Form, place: usize, current: bool, words: bool) -> Chip {
    let question = &form.spec().questions[place];
    let answered = form.draft.replies.get(place).is_some_and(|reply| is_answered(question, reply));
    let bad = !answered && !form.faults(place).is_empty();
    let (sign, role) = match (answered, current) {
        _ if bad => ("▲", Role::Blocked),
        (true, _) => ("✓", Role::Answered),
        (false, true) => ("●", Role::Waiting),
        (false, false) => ("○", Role::Dim),
    };
    let text = if current { Role::Accent } else { Role::Dim };
    let number = (place + 1).to_string();
    let line = Line::of(text, &number);
    let line = if words {
        let header = Safe::line(&question.header.display()).fit(HEADER);
        line.gap(1).add(role, sign).gap(1).safe(text, header)
    } else {
        line.add(role, sign)
    };
    Chip { line, current, target: Target::Question(place) }
}
