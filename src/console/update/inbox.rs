//! The inbox: moving, filtering, opening, redoing.
//!
//! Contract:
//! * The selection stays with its gate while the list changes; before the author moves, it is the first waiting gate.
//! * Whatever is typed filters the list, and Enter opens the gate under the cursor at once.
//! * Enter opens a waiting gate for answering and a blocked one for repair, and shows any other one whole.
//! * Redo acts at once, unless it needs a warning; undo acts on the selected gate,
//!   or asks and names the gate whose record was removed last.

use super::super::action::{Action, Target};
use super::super::effect::{Effect, Request};
use super::super::model::{ListFilter, Message, Model, Over, Prompt, Screen, Tone, Undo};
use super::super::sentences as s;
use super::super::view::layout;
use crate::store::gate::Status;
use std::path::Path;

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Point(Target::Row(row)) if row == model.inbox.row && model.inbox.moved => open(model),
        Action::Next => section(model, true),
        Action::Previous => section(model, false),
        Action::Accept => {
            if let Some(filter) = &mut model.inbox.filter {
                filter.focused = false;
            }
            open(model)
        }
        Action::Edit(edit) => {
            if !ListFilter::edit(&mut model.inbox.filter, edit) {
                return Vec::new();
            }
            model.inbox.refilter();
            move_to(model, 0)
        }
        Action::Filter => {
            model.inbox.filter.get_or_insert_with(ListFilter::open).focused = true;
            Vec::new()
        }
        Action::Back => close_filter(model),
        Action::Redo => redo(model),
        Action::UndoRedo => undo_redo(model),
        Action::History => super::history::open(model),
        Action::Later => super::later::toggle(model),
        Action::Rescan => vec![Effect::Repaint, Effect::Rescan],
        Action::Editor => super::edit::begin(model),
        action => move_by(model, &action),
    }
}

fn move_by(model: &mut Model, action: &Action) -> Vec<Effect> {
    let row = action.row_from(model.inbox.row, layout::list_rows(model));
    row.map(|row| move_to(model, row)).unwrap_or_default()
}

fn move_to(model: &mut Model, row: usize) -> Vec<Effect> {
    model.inbox.row = row.min(model.inbox.len().saturating_sub(1));
    model.inbox.moved = true;
    model.inbox.detail_scroll = 0;
    model.keep_in_sight();
    model.load_selected().into_iter().collect()
}

/// The first row of the next or previous run of gates in one state.
fn section(model: &mut Model, forward: bool) -> Vec<Effect> {
    let inbox = &model.inbox;
    let status = |row: usize| inbox.entry(row).map(|entry| inbox.section(entry));
    let starts: Vec<usize> =
        (0..inbox.len()).filter(|&row| row == 0 || status(row) != status(row - 1)).collect();
    let found = if forward {
        starts.iter().find(|&&start| start > inbox.row).or(starts.first())
    } else {
        starts.iter().rev().find(|&&start| start < inbox.row).or(starts.last())
    };
    found.copied().map(|row| move_to(model, row)).unwrap_or_default()
}

pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.inbox.selected() else { return Vec::new() };
    let path = entry.path.to_path_buf();
    let stayed = model.form.as_ref().filter(|form| form.gate.path == path);
    match entry.status {
        Status::Waiting if stayed.is_some() => resume(model),
        Status::Blocked if stayed.is_some_and(|form| form.status.repair.is_some()) => resume(model),
        Status::Blocked if model.is_unreadable() => model.show_detail(),
        Status::Waiting | Status::Blocked => vec![Request::Open(path).into()],
        Status::Answered | Status::Malformed | Status::NoGate => model.show_detail(),
    }
}

/// The form that stayed open behind the inbox: what it holds is newer than any draft on the disk.
fn resume(model: &mut Model) -> Vec<Effect> {
    if let Some(form) = &mut model.form {
        form.go_to(form.at);
        model.screen = Screen::Form;
        model.receipt = None;
    }
    model.reload().into_iter().collect()
}

fn close_filter(model: &mut Model) -> Vec<Effect> {
    let selected = model.inbox.selected_path();
    if model.inbox.filter.take().is_none() {
        return Vec::new();
    }
    model.inbox.refilter();
    if let Some(row) = selected.and_then(|path| model.inbox.row_of(&path)) {
        model.inbox.row = row;
    }
    model.keep_in_sight();
    model.load_selected().into_iter().collect()
}

/// Removes the record of the selected gate; the store may ask for a confirmation first.
pub(super) fn redo(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.inbox.selected() else { return Vec::new() };
    let (path, past) = (entry.path.to_path_buf(), entry.past);
    // It stays selected, whatever its state.
    model.inbox.moved = true;
    model.writing = Some(path.clone());
    vec![Request::Redo { path, past, warned: None }.into()]
}

/// Restores the record that was removed at the selected gate, or ours where others have changed it. If there is none,
/// asks about the gate whose record was removed last.
pub(super) fn undo_redo(model: &mut Model) -> Vec<Effect> {
    let selected = model.inbox.selected_path();
    let last = model.inbox.redone.clone();
    let elsewhere = model.redone().map(Path::to_path_buf);
    let known = model.inbox.current_detail().is_some();
    match (selected, model.undo(), elsewhere) {
        (Some(path), _, _) if last.as_ref() == Some(&path) => vec![Request::UndoRedo(path).into()],
        (Some(path), Some(Undo::Redo), _) => vec![Request::UndoRedo(path).into()],
        (Some(path), Some(Undo::Written { entry, .. }), _) => {
            vec![Request::SeeRestore(entry.clone(), vec![path]).into()]
        }
        (Some(path), None, _) if !known => vec![Request::UndoRedo(path).into()],
        (_, _, Some(path)) => model.show_over(Over::Prompt(Prompt::UndoRedo(path))),
        (..) => Vec::new(),
    }
}

/// Gives the selected or open question back to the executor that asks it; what is answered so far is saved first.
pub(super) fn hand_back(model: &mut Model) -> Vec<Effect> {
    let Some(path) = model.relayed() else { return Vec::new() };
    let mut effects = model.save();
    effects.push(Request::HandBack(path).into());
    effects
}

/// The question is gone: so are its form and its row.
pub(super) fn handed_back(model: &mut Model, path: &Path) -> Vec<Effect> {
    let says = if model.is_orphaned() { s::TAKEN_AWAY } else { s::HANDED_BACK };
    model.say(Tone::Good, Message::new(says, &[&model.inbox.title_of(path)]));
    model.form.take_if(|form| form.gate.path == path);
    model.screen = Screen::Inbox;
    let left: Vec<_> = model.inbox.entries.iter().filter(|entry| *entry.path != *path).cloned().collect();
    model.inbox.take(&left, model.inbox.complete);
    let shown = model.load_selected();
    shown.into_iter().chain([Effect::Look]).collect()
}
