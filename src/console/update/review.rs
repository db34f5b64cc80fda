//! The review: every answer, what is missing first; the only place from which a record is written.
//!
//! Contract:
//! * Only the submit key or a click on the button submits; Enter edits the row.
//! * A repeat of the submit key that opened the review never submits, and a notice says so.
//! * Esc goes back to the question that the author came from.
//! * While a required answer is missing, submitting goes to its question instead.

use super::super::action::{Action, Target};
use super::super::effect::{Effect, Request, Submission};
use super::super::model::{Message, Model, Over, Prompt, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use crate::store::entry::Entry;
use crate::text::say;
use std::time::Duration;

/// A submit key within this time of the last one may be the same press, held down.
const SAME_PRESS: Duration = Duration::from_millis(300);

pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    if *action == Action::Submit {
        if is_same_press(model) {
            let form = model.form.as_ref();
            let missing = form.is_some_and(|form| !form.draft.missing(form.spec()).is_empty());
            let says = if missing {
                say("Press {submit} once more to go to what is missing.", "再按一次 {submit} 跳到未答的题。")
            } else {
                say("Press {submit} once more to submit.", "再按一次 {submit} 提交。")
            };
            model.say(Tone::Plain, says);
            return Vec::new();
        }
        return submit(model);
    }
    let page = layout::list_rows(model);
    let Some(form) = &mut model.form else { return model.show_inbox() };
    let (came_from, row) = (form.at, form.review.row);
    match action {
        Action::Accept => edit_row(model, row),
        Action::Point(Target::Row(row)) => edit_row(model, *row),
        Action::Point(Target::Question(at)) => model.show_question(*at),
        Action::Point(Target::Submit) => submit(model),
        Action::All | Action::Point(Target::Batch) => super::batch::open_list(model),
        Action::Editor => super::edit::begin(model),
        Action::Back | Action::Previous => model.show_question(came_from),
        _ => {
            let to = action.row_from(row, page).unwrap_or(row);
            form.review.row = to.min(form.review_rows().saturating_sub(1));
            model.keep_in_sight();
            Vec::new()
        }
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
        // The row behind the questions: the page shows what belongs to none of them.
        return model.show_detail();
    };
    form.review.to_return = true;
    model.show_question(at)
}

fn submit(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    if form.status.submitting {
        return Vec::new();
    }
    if let Some(&missing) = form.draft.missing(form.spec()).first() {
        let header = form.spec().questions[missing].header.display().into_owned();
        form.review.to_return = true;
        let effects = model.show_question(missing);
        model.say(
            Tone::Warn,
            Message::new(
                say(
                    "“{0}” must be answered first. Nothing was written.",
                    "“{0}”必须先回答。尚未写入任何内容。",
                ),
                &[&header],
            ),
        );
        return effects;
    }
    if let Some(refusal) = form.gate.refusal.clone() {
        model.say(Tone::Bad, refusal);
        return Vec::new();
    }
    if form.status.moved_until.is_some() {
        model.say(Tone::Warn, s::QUESTIONS_MOVED);
        return Vec::new();
    }
    let foreign =
        model.form.as_ref().filter(|form| form.status.repair.as_ref().is_some_and(|repair| repair.foreign));
    if let Some(form) = foreign {
        let prompt = Prompt::ReplaceForeign(form.gate.path.clone());
        return model.show_over(Over::Prompt(prompt));
    }
    write(model)
}

/// Writes the record, in the place of the bad one if there is one.
pub(super) fn write(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    form.status.submitting = true;
    model.writing = Some(form.gate.path.clone());
    let replaces = form.status.repair.as_ref().map(|repair| repair.seen.clone());
    let draft = form.to_save();
    let entry = model.inbox.entry_at(&draft.path);
    let others = entry.into_iter().flat_map(Entry::others).filter(|(_, agrees)| !agrees);
    let rivals = others.map(|(path, _)| path.to_path_buf()).collect();
    let batch = form.status.batch.as_ref().map(|batch| batch.taken.clone()).unwrap_or_default();
    let submission = Submission { draft, answered_by: "human".to_owned(), replaces, rivals, batch, tried: 0 };
    model.tried.clear();
    vec![Request::Submit(Box::new(submission)).into()]
}
