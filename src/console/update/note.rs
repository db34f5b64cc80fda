//! The note beside an answer: a text field over the form, or over the review for the answer under the cursor.
//!
//! Contract:
//! * Every key keeps what is written; leaving loses nothing, and an emptied note is none.
//! * Focus, cursor and filter of the question beneath are as they were.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::field::Edit;
use super::super::model::{Editing, Model, Screen, Tone};
use super::super::sentences as s;
use super::super::view::layout;
use crate::ask::draft::Orphan;

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(note) = model.note() else { return open(model) };
    let (many, (_, rows)) = (note.field.is_multiline(), layout::field(model));
    match action {
        Action::Edit(edit) => edit_note(model, edit),
        Action::Up => edit_note(model, Edit::Up),
        Action::Down => edit_note(model, Edit::Down),
        Action::PageUp => edit_note(model, Edit::PageUp(rows)),
        Action::PageDown => edit_note(model, Edit::PageDown(rows)),
        Action::Accept if many => edit_note(model, Edit::Newline),
        Action::Multiline => {
            if let Some(note) = model.form.as_mut().and_then(|form| form.note.as_mut()) {
                note.field.set_multiline(!many);
            }
            Vec::new()
        }
        Action::Editor => lend(model),
        Action::Next if model.screen == Screen::Form => model.step(true),
        Action::Previous if model.screen == Screen::Form => model.step(false),
        action => close(model, action),
    }
}

fn open(model: &mut Model) -> Vec<Effect> {
    let in_review = model.screen == Screen::Review;
    if let Some(form) = &mut model.form {
        let at = if in_review { form.review_question() } else { Some(form.at) };
        form.note = None;
        if let Some(at) = at {
            form.open_note(at);
        }
    }
    Vec::new()
}

/// Gives the keys back; a click and the way to the review do what they do without a note.
fn close(model: &mut Model, action: Action) -> Vec<Effect> {
    let (now, in_review) = (model.now, model.screen == Screen::Review);
    if let Some(form) = &mut model.form {
        form.note = None;
        if in_review && action == Action::Review {
            // Held down, the key must not submit.
            form.review.held_since = Some(now);
        }
    }
    let mut effects = model.save();
    effects.extend(match action {
        Action::Review if !in_review => model.show_review(true),
        Action::Point(_) => super::update(model, action),
        _ => Vec::new(),
    });
    effects
}

fn edit_note(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let width = layout::field(model).0;
    let Some(form) = &mut model.form else { return Vec::new() };
    if form.note.as_mut().is_some_and(|note| note.field.apply(edit, width)) {
        form.keep_note();
        return model.save();
    }
    Vec::new()
}

fn lend(model: &mut Model) -> Vec<Effect> {
    let Some((note, form)) = model.note().zip(model.form.as_ref()) else { return Vec::new() };
    let text = note.field.text().to_owned();
    model.editing = form.spec().questions.get(note.at).map(|question| Editing::Note(question.id.clone()));
    vec![Request::Edit { text, ending: ".md" }.into()]
}

/// The text as the author's editor left it; where it cannot be the note, it is shown with what fits no more.
pub(super) fn edited(model: &mut Model, id: &str, text: &str, well: bool) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let asked =
        form.note.as_ref().and_then(|note| form.gate.packet.gate.as_ref()?.spec.questions.get(note.at));
    let same = asked.is_some_and(|question| question.id == id);
    // Editors end the last line; that line end is theirs, not the author's.
    let words = text.strip_suffix('\n').unwrap_or(text);
    match &mut form.note {
        Some(note) if same && well => {
            note.field.set_text(words);
            form.keep_note();
        }
        Some(note) if same && note.field.text() == words => {}
        _ if words.trim().is_empty() => {}
        _ => {
            form.status.orphans.insert(0, Orphan { id: id.into(), words: words.into() });
            if !well {
                model.say(Tone::Warn, s::EDITOR_FAILED_BESIDE);
            }
        }
    }
    model.save()
}
