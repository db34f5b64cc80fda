//! The history of a gate or of the project: moving, searching, restoring an entry.
//!
//! Contract:
//! * Nothing is restored without a confirmation, and never over a record that the author has not seen.
//! * Reading and searching happen elsewhere; the list stays as it is until the result comes.
//! * Entries that come or go meanwhile are shown; the selection stays with its entry.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::field::Edit;
use super::super::model::{
    HistoryEntry, HistoryFound, HistoryView, ListFilter, Model, Scope, Screen, Status, Tone,
};
use super::super::view::layout;
use crate::text::{Sentence, say};
use std::path::PathBuf;

const HISTORY_OF_PROJECT_INSTEAD: Sentence = say(
    "An unusable packet does not say where its answers go; this is the history of the whole project.",
    "这个指令包无法使用，不知道回答写在哪里；这里显示整个项目的历史。",
);

/// Shows the history of the selected gate, or of the project if no gate is known.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let scope = match model.inbox.selected() {
        Some(entry) if entry.status != Status::Malformed => {
            Scope::Gate { packet: entry.path.to_path_buf(), answer_path: None }
        }
        Some(_) => {
            model.say(Tone::Plain, HISTORY_OF_PROJECT_INSTEAD);
            Scope::Project
        }
        None => Scope::Project,
    };
    // It stays selected, whatever its state.
    model.inbox.moved = true;
    vec![Request::ReadHistory(scope, String::new()).into()]
}

/// A history has been read.
pub(super) fn take(model: &mut Model, found: HistoryFound) -> Vec<Effect> {
    match &mut model.history {
        Some(history) if history.found.scope.is_same(&found.scope) => history.take(found),
        Some(history) => {
            let filter = history.filter.take();
            *history = HistoryView { filter, ..HistoryView::new(found) };
        }
        None => model.history = Some(HistoryView::new(found)),
    }
    model.screen = Screen::History;
    model.keep_in_sight();
    load_entry(model)
}

/// The history has been read again; dropped if the author searches for something else now.
pub(super) fn refresh(model: &mut Model, found: HistoryFound) -> Vec<Effect> {
    let shown = model
        .history
        .as_mut()
        .filter(|history| history.found.scope.is_same(&found.scope) && history.words() == found.words);
    let Some(history) = shown else { return Vec::new() };
    history.take(found);
    model.keep_in_sight();
    load_entry(model)
}

/// A fresh look at the history that is shown: commands and executors add to it too.
pub(super) fn reread(model: &Model) -> Option<Effect> {
    let history = model.history.as_ref().filter(|_| model.screen == Screen::History)?;
    let (found, words) = (&history.found, history.words().to_owned());
    // A stamp is of use only for the words that were read.
    let stamp = found.stamp.filter(|_| found.words == words);
    Some(Effect::RereadHistory { scope: found.scope.clone(), words, stamp, seen: found.seen.clone() })
}

pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(history) = &model.history else { return model.show_inbox() };
    let typing = history.filter.as_ref().is_some_and(|filter| filter.focused);
    let row = history.row;
    match action {
        Action::Edit(edit) => type_words(model, edit),
        Action::Accept if history.is_to_search() => {
            focus(model, false);
            // The next key is for the result of the search.
            search_now(model).into_iter().collect()
        }
        Action::Back if history.filter.is_some() => close_filter(model),
        Action::Back => {
            model.history = None;
            model.show_inbox()
        }
        Action::Next | Action::Previous => other_scope(model),
        Action::Filter => {
            focus(model, true);
            Vec::new()
        }
        Action::Accept => {
            if typing {
                focus(model, false);
            }
            // An entry that is not on the screen is shown before it is restored.
            if layout::list_of(model).detail.is_empty() { model.show_detail() } else { see_restore(model) }
        }
        action => {
            let to = action.row_from(row, layout::list_rows(model));
            to.map(|to| move_to(model, to)).unwrap_or_default()
        }
    }
}

/// Restores the selected entry, beginning with finding out what that means.
pub(super) fn see_restore(model: &mut Model) -> Vec<Effect> {
    let Some(history) = &model.history else { return Vec::new() };
    let Some(selected) = history.selected() else { return Vec::new() };
    let entry = Box::new(HistoryEntry::clone(selected));
    let packets = packets_of(model, &entry);
    vec![Request::SeeRestore(entry, packets).into()]
}

/// The packets that may ask for an entry, the one whose history is shown first. Reading them shows which do, links
/// included.
fn packets_of(model: &Model, entry: &HistoryEntry) -> Vec<PathBuf> {
    let shown = model.history.as_ref().and_then(|history| history.found.scope.packet());
    let wanted = entry.answer_path.lossy();
    let name = wanted.rsplit('/').next();
    let asks = |packet: &&crate::store::entry::Entry| {
        packet.answer_path.as_ref().is_some_and(|path| path.lossy().rsplit('/').next() == name)
    };
    let listed = model.inbox.entries.iter().map(AsRef::as_ref).filter(asks);
    shown.map(PathBuf::from).into_iter().chain(listed.map(|entry| entry.path.to_path_buf())).collect()
}

/// From one gate to the whole project, and from there to the gate of the selected entry.
fn other_scope(model: &mut Model) -> Vec<Effect> {
    let Some(history) = &model.history else { return Vec::new() };
    let scope = match (&history.found.scope, history.selected()) {
        (Scope::Gate { .. }, _) => Scope::Project,
        (Scope::Project, None) => return Vec::new(),
        (Scope::Project, Some(entry)) => {
            let listed = packets_of(model, entry).into_iter().next();
            let packet = listed.or_else(|| entry.packet.as_ref().map(PathBuf::from));
            Scope::Gate { packet: packet.unwrap_or_default(), answer_path: Some(entry.answer_path.clone()) }
        }
    };
    vec![Request::ReadHistory(scope, history.words().to_owned()).into()]
}

/// Loads the selected entry.
fn load_entry(model: &Model) -> Vec<Effect> {
    let selected = model.history.as_ref().and_then(HistoryView::selected);
    selected.map(|entry| Effect::LoadEntry(entry.clone())).into_iter().collect()
}

fn move_to(model: &mut Model, row: usize) -> Vec<Effect> {
    let Some(history) = &mut model.history else { return Vec::new() };
    history.row = row.min(history.found.rows.len().saturating_sub(1));
    history.scroll = 0;
    model.keep_in_sight();
    load_entry(model)
}

fn focus(model: &mut Model, focused: bool) {
    let Some(history) = &mut model.history else { return };
    history.filter.get_or_insert_with(ListFilter::open).focused = focused;
}

fn type_words(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let Some(history) = &mut model.history else { return Vec::new() };
    if ListFilter::edit(&mut history.filter, edit) { search(history) } else { Vec::new() }
}

fn close_filter(model: &mut Model) -> Vec<Effect> {
    let Some(history) = &mut model.history else { return Vec::new() };
    history.filter = None;
    search(history)
}

/// Searches, unless the result is shown already. No key waits for it: of words typed faster than the search, only the
/// last ones are searched for.
fn search(history: &HistoryView) -> Vec<Effect> {
    if history.is_searched() {
        return Vec::new();
    }
    let (scope, words) = (history.found.scope.clone(), history.words().to_owned());
    vec![Effect::RereadHistory { scope, words, stamp: None, seen: None }]
}

/// Searches before any other key, unless the result is shown already.
fn search_now(model: &Model) -> Option<Effect> {
    let history = model.history.as_ref()?;
    (!history.is_searched()).then(|| model.read_history_again())?
}
