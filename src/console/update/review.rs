//! The review: every answer, what is missing first; the only place from which a record is written.
//!
//! Contract:
//! * Only the submit key or a click on the button submits; Enter edits the row.
//! * A submit key that opened the review, or its repeat while held down, never submits.
//! * With a required answer missing, submitting goes to it instead.

use super::super::action::{Action, Target};
use super::super::effect::{Effect, Submission};
use super::super::model::{Message, Model, Over, Prompt, Screen, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use crate::store::entry::Entry;
use std::time::Duration;

/// A key held down repeats faster than this; a submit key within it is the same press.
const SAME_PRESS: Duration = Duration::from_millis(700);

/// Shows the review.
pub(super) fn open(model: &mut Model, by_submit_key: bool) -> Vec<Effect> {
    let now = model.now;
    if let Some(form) = &mut model.form {
        form.focus = super::super::model::Focus::List;
        form.review.row = 0;
        form.review.top = 0;
        form.review.held_since = by_submit_key.then_some(now);
        form.status.banner.take_if(|banner| banner.says(s::PACKET_CHANGED));
        model.screen = Screen::Review;
    }
    super::save(model)
}

/// What an action changes in the review.
pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    if *action == Action::Submit {
        return if is_same_press(model) { Vec::new() } else { submit(model) };
    }
    let page = layout::list_rows(model);
    let Some(form) = &mut model.form else { return super::inbox::show(model) };
    form.review.held_since = None;
    let questions = form.spec().questions.len();
    let last = form.review_rows().saturating_sub(1);
    let row = form.review.row;
    match action {
        Action::Up => form.review.row = row.saturating_sub(1),
        Action::Down => form.review.row = (row + 1).min(last),
        Action::PageUp => form.review.row = row.saturating_sub(page),
        Action::PageDown => form.review.row = (row + page).min(last),
        Action::First => form.review.row = 0,
        Action::Last => form.review.row = last,
        Action::Accept => return edit_row(model, row),
        Action::Point(Target::Row(row)) => return edit_row(model, *row),
        Action::Point(Target::Question(at)) => return super::form::go_to(model, *at),
        Action::Point(Target::Submit) => return submit(model),
        Action::OtherAnswer => {
            let at = form.review_order().get(row).copied();
            return super::form::other_answer(model, at);
        }
        Action::Editor if form.status.repair.is_some() => return super::edit::lend(model),
        Action::Expand => return super::over::open(model, Over::Detail { scroll: 0 }),
        Action::Back | Action::Previous => return super::form::go_to(model, questions.saturating_sub(1)),
        _ => {}
    }
    keep_in_sight(model);
    Vec::new()
}

/// Scrolls the rows so that the cursor is seen.
pub(super) fn keep_in_sight(model: &mut Model) {
    let rows = layout::list_rows(model);
    let Some(form) = &mut model.form else { return };
    // A row of the review can take up to three lines; being generous keeps the one under the cursor whole.
    let place = &mut form.review;
    let fit = (rows / 4).max(1);
    if place.row < place.top {
        place.top = place.row;
    } else if place.row >= place.top + fit {
        place.top = place.row + 1 - fit;
    }
}

fn is_same_press(model: &mut Model) -> bool {
    let now = model.now;
    let Some(form) = &mut model.form else { return false };
    let held =
        form.review.held_since.is_some_and(|then| now.duration_since(then).unwrap_or_default() < SAME_PRESS);
    form.review.held_since = held.then_some(now);
    held
}

fn edit_row(model: &mut Model, row: usize) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let Some(at) = form.review_order().get(row).copied() else {
        // The row behind the questions: what belongs to none of them stands on the page.
        return super::over::open(model, Over::Detail { scroll: 0 });
    };
    form.status.from_review = true;
    super::form::go_to(model, at)
}

fn submit(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    if form.status.submitting {
        return Vec::new();
    }
    if let Some(&missing) = form.draft.missing(form.spec()).first() {
        let header = form.spec().questions[missing].header.display().into_owned();
        form.status.from_review = true;
        let effects = super::form::go_to(model, missing);
        model.say(Tone::Warn, Message::new(s::STILL_MISSING, &[&header]));
        return effects;
    }
    if let Some(refusal) = form.status.refusal.clone() {
        model.say(Tone::Bad, refusal);
        return Vec::new();
    }
    if form.status.moved_until.is_some() {
        model.say(Tone::Warn, Message::from(s::QUESTIONS_MOVED));
        return Vec::new();
    }
    let foreign =
        model.form.as_ref().filter(|form| form.status.repair.as_ref().is_some_and(|repair| repair.foreign));
    if let Some(form) = foreign {
        let prompt = Prompt::ReplaceForeign(form.path.clone());
        return super::over::open(model, Over::Prompt(prompt));
    }
    write(model)
}

/// Writes the record, in the place of the bad one if there is one.
pub(super) fn write(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    form.status.submitting = true;
    model.writing = Some(form.path.clone());
    let replaces = form.status.repair.as_ref().map(|repair| repair.seen.clone());
    let draft = super::draft_to_save(form);
    let entry = model.inbox.entry_at(&draft.path);
    let others = entry.into_iter().flat_map(Entry::others).filter(|(_, agrees)| !agrees);
    let rivals = others.map(|(path, _)| path.to_path_buf()).collect();
    vec![Effect::Submit(Box::new(Submission { draft, answered_by: "human".to_owned(), replaces, rivals }))]
}
