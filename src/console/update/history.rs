//! The history of a gate: moving, searching, putting an entry back.
//!
//! Contract:
//! * Nothing is put back unasked, and never over a record that the author was not shown.
//! * What is searched and shown is read elsewhere; the list stays as it is until it comes.

use super::super::action::{Action, Target};
use super::super::effect::Effect;
use super::super::field::{Edit, TextField};
use super::super::model::{
    GateHistory, HistoryFound, ListFilter, Message, Model, Over, Prompt, Screen, Status, Tone,
};
use super::super::sentences as s;
use super::super::{layout, page};
use std::path::PathBuf;

/// The history of the selected gate of the inbox is to be shown.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.inbox.selected() else { return Vec::new() };
    if entry.status == Status::Malformed {
        model.say(Tone::Plain, Message::from(s::NO_HISTORY_OF_MALFORMED));
        return Vec::new();
    }
    let path = entry.path();
    // It stays selected, whatever its state.
    model.inbox.moved = true;
    vec![Effect::ReadHistory { path, words: String::new() }]
}

/// What was read of a history.
pub(super) fn take(model: &mut Model, found: HistoryFound) -> Vec<Effect> {
    match &mut model.history {
        Some(history) if history.found.path == found.path => history.take(found),
        _ => model.history = Some(GateHistory::new(found)),
    }
    model.screen = Screen::History;
    keep_in_sight(model);
    Vec::new()
}

/// What an action changes there.
pub(super) fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(history) = &model.history else { return super::inbox::show(model) };
    let typing = history.filter.as_ref().is_some_and(|filter| filter.focused);
    let (row, rows) = (history.row, layout::list_rows(model));
    match action {
        Action::Edit(edit) if typing => type_words(model, edit),
        Action::Accept if typing => {
            focus(model, false);
            Vec::new()
        }
        Action::Back if history.filter.is_some() => close_filter(model),
        Action::Back => {
            model.history = None;
            super::inbox::show(model)
        }
        Action::Up => move_to(model, row.saturating_sub(1)),
        Action::Down => move_to(model, row + 1),
        Action::PageUp => move_to(model, row.saturating_sub(rows)),
        Action::PageDown => move_to(model, row + rows),
        Action::First => move_to(model, 0),
        Action::Last => move_to(model, usize::MAX),
        Action::Point(Target::Row(to)) => move_to(model, to),
        Action::Filter => {
            focus(model, true);
            Vec::new()
        }
        Action::Expand => super::over::open(model, Over::Detail { scroll: 0 }),
        Action::ScrollUp => scroll(model, false),
        Action::ScrollDown => scroll(model, true),
        Action::Accept => ask(model),
        _ => Vec::new(),
    }
}

/// Scrolls the list so that the cursor is seen.
pub(super) fn keep_in_sight(model: &mut Model) {
    let rows = layout::list_rows(model);
    let Some(history) = &mut model.history else { return };
    let last = history.found.rows.len().saturating_sub(1);
    let lowest = (history.row + 1).saturating_sub(rows);
    history.top = history.top.clamp(lowest, history.row.max(lowest)).min(last);
}

/// The author has said yes: the entry that is shown takes the place of the record that was shown, or of none.
pub(super) fn restore(model: &mut Model) -> Vec<Effect> {
    let Some(history) = &model.history else { return Vec::new() };
    let Some(selected) = history.selected() else { return Vec::new() };
    let path = history.found.path.clone();
    model.writing = Some(path.clone());
    vec![Effect::RestoreEntry {
        path,
        entry: Box::new(selected.entry.clone()),
        over: history.found.seen.clone(),
    }]
}

/// It was not put back, and why: what there is now is read.
pub(super) fn not_restored(model: &mut Model, path: PathBuf, why: Message) -> Vec<Effect> {
    model.say(Tone::Bad, why);
    read_again(model, path).into_iter().collect()
}

/// It was put back, or not: what is shown is read anew.
pub(super) fn read_again(model: &Model, path: PathBuf) -> Option<Effect> {
    let history = model.history.as_ref().filter(|history| history.found.path == path)?;
    Some(Effect::ReadHistory { path, words: history.words().to_owned() })
}

fn ask(model: &mut Model) -> Vec<Effect> {
    let Some(history) = model.history.as_ref().filter(|history| history.selected().is_some()) else {
        return Vec::new();
    };
    if history.is_there(history.row) {
        model.say(Tone::Plain, Message::from(s::ENTRY_IS_THERE));
        return Vec::new();
    }
    let prompt = Prompt::RestoreEntry(history.found.path.clone(), history.found.seen.is_some());
    super::over::open(model, Over::Prompt(prompt))
}

fn move_to(model: &mut Model, row: usize) -> Vec<Effect> {
    if let Some(history) = &mut model.history {
        history.row = row.min(history.found.rows.len().saturating_sub(1));
        history.scroll = 0;
    }
    keep_in_sight(model);
    Vec::new()
}

fn scroll(model: &mut Model, down: bool) -> Vec<Effect> {
    let last = page::last_scroll(model);
    if let Some(history) = &mut model.history {
        history.scroll = if down { (history.scroll + 1).min(last) } else { history.scroll.saturating_sub(1) };
    }
    Vec::new()
}

fn focus(model: &mut Model, focused: bool) {
    let Some(history) = &mut model.history else { return };
    let new = || ListFilter { field: TextField::new("", false), focused };
    history.filter.get_or_insert_with(new).focused = focused;
}

fn type_words(model: &mut Model, edit: Edit) -> Vec<Effect> {
    let Some(history) = &mut model.history else { return Vec::new() };
    let Some(filter) = history.filter.as_mut().filter(|_| edit != Edit::Newline) else { return Vec::new() };
    filter.field.apply(super::field::one_line(edit), usize::MAX);
    search(history)
}

fn close_filter(model: &mut Model) -> Vec<Effect> {
    let Some(history) = &mut model.history else { return Vec::new() };
    history.filter = None;
    search(history)
}

/// What is looked for is read, unless that is what is shown.
fn search(history: &GateHistory) -> Vec<Effect> {
    let (path, words) = (history.found.path.clone(), history.words().to_owned());
    if words == history.found.words { Vec::new() } else { vec![Effect::ReadHistory { path, words }] }
}
