//! The filter of a question's options.
//!
//! Contract:
//! * Whatever is typed or pasted in the list begins it. Digits are text in it, and Space ticks in a multi choice.
//! * Enter chooses the option under the cursor of a single choice and goes on; of a multi choice it goes to the list. In the
//!   row for own words both keys open the field, with the words typed: Enter there chooses them.
//! * Where own words can be the answer, what is typed stands in their row and in the draft, until it is chosen, erased, or
//!   has found what was chosen.

use super::super::action::{Action, Target};
use super::super::effect::Effect;
use super::super::field::{Edit, TextField, filter_line};
use super::super::model::{Focus, Form, Model, Row};
use super::form;
use crate::ask::Kind;

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Edit(Edit::Newline) => Vec::new(),
        Action::Edit(Edit::Insert(words)) => write(model, words),
        Action::Edit(edit) => self::edit(model, edit),
        Action::Pick => form::pick(model),
        Action::Accept => accept(model),
        Action::Back => close(model),
        Action::Point(Target::Row(row)) => {
            if let Some(form) = &mut model.form {
                form.focus = Focus::List;
            }
            form::click(model, row)
        }
        action => form::in_list(model, action),
    }
}

/// Changes the text of the filter, which is opened first if need be.
pub(super) fn edit(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    form.edit_filter(edit);
    if form.question().is_some_and(|question| question.allow_other) { model.save() } else { Vec::new() }
}

/// Words typed or pasted: a line narrows the list. More than that goes into the field for own words, and so does
/// everything where there is no list.
pub(super) fn write(model: &mut Model, words: String) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    match filter_line(&words).map(str::to_owned) {
        Some(line) if !form.is_free_text() => edit(model, Edit::Insert(line)),
        _ => {
            open_field(form);
            super::field::update(model, Action::Edit(Edit::Insert(words)))
        }
    }
}

/// Opens the field, for free text behind what is there, else behind the words of the filter that is being typed. Own words
/// that are chosen stay so until the new ones are.
fn open_field(form: &mut Form) {
    if form.is_free_text() {
        form.field.apply(Edit::TextEnd, usize::MAX);
    } else {
        if form.focus == Focus::List {
            form.set_words_aside();
        }
        form.filter_to_words();
        form.field = TextField::new(&form.draft.replies[form.at].other, false);
    }
    form.focus = Focus::Field;
}

fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let single = form.question().is_some_and(|question| question.kind == Kind::SingleChoice);
    match form.current_row() {
        Some(Row::Typed | Row::Other) => form::open_other(model),
        Some(row) if single => {
            form::take_row(form, row);
            close(model);
            model.go_on()
        }
        Some(_) => {
            form.focus = Focus::List;
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// Shows every option again, the cursor on the same one.
pub(super) fn close(model: &mut Model) -> Vec<Effect> {
    if let Some(form) = &mut model.form {
        let at = form.at;
        let row = form.current_row().map(|row| if row == Row::Typed { Row::Other } else { row });
        form.views[at].filter = None;
        form.focus = Focus::List;
        let found = row.and_then(|row| form.place_of(at, row));
        form.views[at].cursor = found.unwrap_or_else(|| form.first_cursor(at));
    }
    Vec::new()
}
