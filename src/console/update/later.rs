//! Gates that are put off: they stand below the waiting ones, ring nowhere, and come back by themselves.
//!
//! Contract: nothing of it is in the project. The way back is the watch's next look, at most a few seconds late.

use super::super::action::{Action, Target};
use super::super::effect::Effect;
use super::super::model::{Later, Message, Model, Over, Prompt, Tone};
use super::super::sentences as s;
use crate::store::entry::Entry;
use crate::text::Lang;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Asks until when the selected gate is put off, or brings it back.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    let Some(entry) = model.inbox.selected() else { return Vec::new() };
    let (path, is_put_off) = (entry.path.to_path_buf(), model.inbox.later(entry).is_some());
    model.inbox.moved = true;
    if is_put_off { mark(model, &path, None) } else { model.show_over(Over::Prompt(Prompt::Later(path, 0))) }
}

/// A key of that question.
pub(super) fn choose(model: &mut Model, path: PathBuf, row: usize, action: &Action) -> Vec<Effect> {
    let choices = model.later_choices();
    let row = match action {
        Action::Number(number) => usize::from(*number).wrapping_sub(1),
        Action::Up | Action::Down => {
            let row = action.row_from(row, 1).unwrap_or(row).min(choices.len() - 1);
            return model.show_over(Over::Prompt(Prompt::Later(path, row)));
        }
        Action::Point(Target::Row(row)) => *row,
        Action::Accept => row,
        _ => {
            model.over = None;
            return Vec::new();
        }
    };
    let Some(&(_, time)) = choices.get(row) else { return Vec::new() };
    model.over = None;
    let Some(later) = model.inbox.entry_at(&path).map(|entry| Later::new(entry, time)) else {
        return Vec::new();
    };
    let effects = mark(model, &path, Some(later));
    let words = [Lang::En, Lang::ZhCn].map(|lang| model.later_words(&later, lang));
    model.say(Tone::Good, Message::new(s::PUT_OFF, &[&words[0], &words[1]]));
    effects
}

fn mark(model: &mut Model, path: &Path, later: Option<Later>) -> Vec<Effect> {
    let entry = model.inbox.entries.iter().find(|entry| *entry.path == *path).cloned();
    let Some(entry) = entry else { return Vec::new() };
    model.inbox.put_off(&entry, later);
    let kept = entry.answer_path.clone().map(|answer_path| Effect::PutOff(answer_path, later));
    kept.into_iter().chain(resort(model)).collect()
}

/// The list with its gates where they belong now.
pub(super) fn resort(model: &mut Model) -> Vec<Effect> {
    model.inbox.resort();
    model.keep_in_sight();
    model.load_selected().into_iter().collect()
}

/// Ends what is over, and says which gates need the author again because their time has come.
pub(super) fn wake(model: &mut Model) -> Vec<Effect> {
    if !model.inbox.is_any_due(model.now) {
        return Vec::new();
    }
    let (mut effects, back) = end(model);
    effects.extend(resort(model));
    effects.extend(super::announce::announce(model, &back, true));
    effects
}

/// Ends the marks that are over; gives the gates among them that are held up.
pub(super) fn end(model: &mut Model) -> (Vec<Effect>, Vec<Arc<Entry>>) {
    let (mut effects, mut back, now) = (Vec::new(), Vec::new(), model.now);
    for entry in model.inbox.entries.clone() {
        let later = model.inbox.later.get(&*entry.path).copied();
        let over = |later: &Later| later.is_due(now) || later.is_over(&entry);
        let Some(later) = later.filter(over) else { continue };
        model.inbox.later.remove(&*entry.path);
        effects.extend(entry.answer_path.clone().map(|answer_path| Effect::PutOff(answer_path, None)));
        if later.is_of(&entry) && !entry.is_repeated() {
            back.push(entry);
        }
    }
    model.inbox.later.retain(|_, later| !later.is_due(now));
    (effects, back)
}
