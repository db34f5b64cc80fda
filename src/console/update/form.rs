//! A question: moving, choosing, going on and back.
//!
//! Contract:
//! * Single choice: Enter chooses the row under the cursor and goes on; Space and digits choose without going on. Where nothing
//!   is chosen yet, Enter does so only once the question has been shown long enough to be read, or a key has moved the cursor.
//! * Multi choice: Space and digits tick; Enter keeps the ticks and goes on.
//! * Whatever is typed or pasted in the list begins its filter. Digits are text in it. Space ticks there in a multi choice; if
//!   that takes own words, only behind a key that moved the cursor to an option, else it is a part of them.
//! * Enter chooses the option under the cursor of a single choice and goes on; of a multi choice it goes to the list. In the
//!   row for own words Enter opens the field with them: Enter there chooses them.
//! * Where own words can be the answer, what is typed stands in their row and in the draft, until it is chosen, erased, or
//!   has found what was chosen.
//! * Tab and arrows go on without choosing; going back is always possible.
//! * Behind the last question comes the review; nothing here ever writes a record.
//! * Esc goes to the inbox and keeps everything.

use super::super::action::{Action, Target};
use super::super::effect::Effect;
use super::super::field::{Edit, TextField, filter_line};
use super::super::model::{Focus, Form, Message, Model, Row, Tone};
use super::super::view::layout;
use super::guard;
use crate::ask::Kind;
use crate::text::{plural, say};

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(form) = &model.form else { return model.show_inbox() };
    match form.focus {
        Focus::Field => super::field::update(model, action),
        Focus::Filter => in_filter(model, action),
        Focus::List => in_list(model, action),
    }
}

fn in_list(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Up | Action::Down | Action::PageUp | Action::PageDown | Action::First | Action::Last => {
            move_cursor(model, &action);
            Vec::new()
        }
        Action::Point(Target::Row(row)) => click(model, row),
        Action::Point(Target::Question(at)) => model.show_question(at),
        Action::Point(Target::Review) | Action::Review => model.show_review(action == Action::Review),
        Action::Accept => accept(model),
        Action::Pick => pick(model),
        Action::Number(number) => pick_number(model, number),
        Action::Next => model.step(true),
        Action::Previous => model.step(false),
        Action::Clear => clear(model),
        Action::TakeBack => take_back(model),
        Action::All => ticks(model, true),
        Action::Invert => ticks(model, false),
        Action::Filter => edit_filter(model, Edit::LineEnd),
        Action::Edit(Edit::Insert(words)) => write(model, words),
        Action::Back => back(model),
        _ => Vec::new(),
    }
}

/// Esc: the filter first, then the inbox.
fn back(model: &mut Model) -> Vec<Effect> {
    let filtered = model.form.as_ref().and_then(Form::view).is_some_and(|view| view.filter.is_some());
    if filtered { close_filter(model) } else { model.show_inbox() }
}

fn move_cursor(model: &mut Model, action: &Action) {
    let Some(form) = &model.form else { return };
    let (page, count, at) = (layout::page_rows(model, form), form.row_count(form.at), form.at);
    let Some(form) = &mut model.form else { return };
    let view = &mut form.views[at];
    let last = count.saturating_sub(1);
    view.cursor = match action {
        Action::Up => view.cursor.saturating_sub(1),
        Action::Down => view.cursor + 1,
        // Pages are fixed sheets: a page key shows the whole next sheet, cursor on its first row.
        Action::PageUp => (view.cursor / page).saturating_sub(1) * page,
        Action::PageDown if (view.cursor / page + 1) * page <= last => (view.cursor / page + 1) * page,
        Action::First => 0,
        _ => last,
    };
    view.cursor = view.cursor.min(last);
    view.scroll = 0;
    if let Some(filter) = &mut view.filter {
        filter.is_pointed = true;
    }
}

fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let Some(kind) = form.question().map(|question| question.kind) else { return Vec::new() };
    match (kind, form.current_row()) {
        (Kind::FreeText, _) => {
            let at = form.at;
            return model.show_question(at);
        }
        (_, Some(Row::Other | Row::Typed)) => return open_other(model),
        (Kind::SingleChoice, Some(Row::Option(place))) if guard::stops_choosing(model, place) => {
            return Vec::new();
        }
        (Kind::SingleChoice, Some(row)) => {
            if let Some(form) = &mut model.form {
                take_row(form, row);
            }
        }
        (Kind::SingleChoice, None) | (Kind::MultiChoice, _) => {}
    }
    model.go_on()
}

fn pick(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    match form.current_row() {
        Some(Row::Other | Row::Typed) => open_other(model),
        Some(row) => {
            take_row(form, row);
            model.save()
        }
        None => Vec::new(),
    }
}

fn pick_number(model: &mut Model, number: u8) -> Vec<Effect> {
    let Some(form) = &model.form else { return Vec::new() };
    if form.is_free_text() {
        return write(model, number.to_string());
    }
    let page = layout::page_rows(model, form);
    let Some(view) = form.view() else { return Vec::new() };
    let row = view.cursor / page * page + usize::from(number).saturating_sub(1);
    if number == 0 || usize::from(number) > page || row >= form.row_count(form.at) {
        return Vec::new();
    }
    click(model, row)
}

/// A row named by a digit or a click: the cursor goes there and the row is taken, without going on.
fn click(model: &mut Model, row: usize) -> Vec<Effect> {
    if let Some(form) = &mut model.form
        && row < form.row_count(form.at)
    {
        let at = form.at;
        form.views[at].cursor = row;
        form.views[at].scroll = 0;
        return pick(model);
    }
    Vec::new()
}

fn take_row(form: &mut Form, row: Row) {
    let stays = matches!(row, Row::Own(_))
        && form.question().is_some_and(|question| question.kind == Kind::SingleChoice);
    if stays {
        // It is chosen already, and the words of the filter were more than a search for it: they stay typed.
        return;
    }
    form.use_filter();
    form.change(|reply, was, question| {
        match row {
            Row::Option(place) if question.kind == Kind::SingleChoice => {
                reply.choose(place);
                reply.spare(was);
            }
            Row::Option(place) => reply.toggle(place),
            Row::Own(place) if question.kind == Kind::MultiChoice => {
                let Some(words) = was.own().nth(place) else { return };
                reply.drop_own(words);
                // Both are kept: the words just unticked, and others that were typed and never chosen.
                let typed = std::mem::replace(&mut reply.other, words.lossy().into_owned());
                reply.put_words_aside(typed);
            }
            Row::Own(_) | Row::Other | Row::Typed => {}
        }
    });
}

/// Opens the field for own words, with those of the filter, else with what was typed there before.
fn open_other(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    form.filter_to_words();
    let Some((question, reply)) = form.question().zip(form.reply()) else { return Vec::new() };
    let own = reply.own().next().filter(|_| question.kind == Kind::SingleChoice && reply.other.is_empty());
    let words = own.map_or_else(|| reply.other.clone(), |words| words.lossy().into_owned());
    form.field = TextField::new(&words, false);
    form.focus = Focus::Field;
    model.save()
}

/// Clears the answer. One key brings it back, and what the author gave stays on the disk, within reach of another key.
fn clear(model: &mut Model) -> Vec<Effect> {
    let Some(form) = model.form.as_mut().filter(|form| !form.is_free_text()) else { return Vec::new() };
    let says = form.change(|reply, was, _| {
        reply.clear();
        reply.spare(was);
        if !was.prefilled {
            reply.put_aside(was.clone());
        }
        match (was.picks.is_empty(), was.note == reply.note) {
            (false, _) => Some(say(
                "The answer is set aside. {take-back} brings it back.",
                "回答已暂存，按 {take-back} 恢复。",
            )),
            (true, false) => Some(say(
                "The note is set aside. {take-back} brings it back.",
                "备注已暂存，按 {take-back} 恢复。",
            )),
            (true, true) => None,
        }
    });
    if let Some(says) = says {
        model.say(Tone::Plain, says);
    }
    model.save()
}

/// Ticks every option that is shown, or inverts their ticks.
fn ticks(model: &mut Model, all: bool) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    form.use_filter();
    let shown = form.options_shown();
    let multi = form.question().is_some_and(|question| question.kind == Kind::MultiChoice);
    if !multi || shown.is_empty() {
        return Vec::new();
    }
    let changed = form.change(|reply, was, question| {
        if all {
            reply.toggle_all(question, &shown);
        } else {
            reply.invert(question, &shown);
        }
        let pairs = was.ticked(question).into_iter().zip(reply.ticked(question));
        pairs.filter(|(before, now)| before != now).count()
    });
    let says = say("{0} changed. {take-back} undoes it.", "已更改 {1} 处勾选，按 {take-back} 撤销。");
    let counts = [&*plural(changed, "tick", "ticks"), &changed.to_string()];
    model.say(Tone::Plain, Message::new(says, &counts));
    model.save()
}

/// Undoes what a key ticked, chose or cleared last in this question.
fn take_back(model: &mut Model) -> Vec<Effect> {
    if let Some(form) = &mut model.form {
        form.take_back();
    }
    let says = say("The answer is as it was before.", "回答已恢复为之前的样子。");
    model.say(Tone::Plain, says);
    model.save()
}

fn in_filter(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Edit(Edit::Newline) => Vec::new(),
        Action::Edit(Edit::Insert(words)) => write(model, words),
        Action::Edit(edit) => edit_filter(model, edit),
        Action::Pick => pick(model),
        Action::Accept => accept_in_filter(model),
        Action::Back => close_filter(model),
        Action::Point(Target::Row(row)) => {
            if let Some(form) = &mut model.form {
                form.focus = Focus::List;
            }
            click(model, row)
        }
        action => in_list(model, action),
    }
}

/// Changes the text of the filter, which is opened first if need be.
fn edit_filter(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let changed = form.edit_filter(edit);
    if changed && form.question().is_some_and(|question| question.allow_other) {
        model.save()
    } else {
        Vec::new()
    }
}

/// Words typed or pasted: a line narrows the list. More than that goes into the field for own words, and so does
/// everything where there is no list.
fn write(model: &mut Model, words: String) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    match filter_line(&words).map(str::to_owned) {
        Some(line) if !form.is_free_text() => edit_filter(model, Edit::Insert(line)),
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

fn accept_in_filter(model: &mut Model) -> Vec<Effect> {
    let Some(form) = &mut model.form else { return Vec::new() };
    let single = form.question().is_some_and(|question| question.kind == Kind::SingleChoice);
    match form.current_row() {
        Some(Row::Typed | Row::Other) => open_other(model),
        Some(row) if single => {
            take_row(form, row);
            close_filter(model);
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
fn close_filter(model: &mut Model) -> Vec<Effect> {
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
