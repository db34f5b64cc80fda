//! The receipt: going on, and putting back a record that somebody replaced or removed.
//!
//! Contract:
//! * Nothing is put back by itself, and never over what the author was not shown.
//! * What the executor clears away behind a step that it has passed is no alarm.

use super::super::action::Action;
use super::super::effect::Effect;
use super::super::model::{Fate, Message, Model, Over, Progress, Tone};
use super::super::sentences as s;
use super::{inbox, over};
use std::path::{Path, PathBuf};

/// What an action changes on the receipt.
pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    match action {
        Action::Accept => match model.next_waiting() {
            Some(entry) => vec![Effect::Open(entry.path.to_path_buf())],
            None => inbox::show(model),
        },
        Action::Expand => over::open(model, Over::Detail { scroll: 0 }),
        Action::UndoRedo => put_back(model),
        Action::Back | Action::Previous | Action::Next => inbox::show(model),
        _ => Vec::new(),
    }
}

/// Ours again, if somebody replaced or removed it; the store looks once more before it touches anything.
fn put_back(model: &mut Model) -> Vec<Effect> {
    let Some(written) = &model.receipt else { return Vec::new() };
    if written.progress.can_be_put_back() {
        return vec![Effect::PutBack(Box::new(written.clone()))];
    }
    if !written.progress.fate.is_intact() && !written.progress.is_taken() {
        model.say(Tone::Bad, Message::from(s::CANNOT_PUT_BACK));
    }
    Vec::new()
}

/// What has become of the record written last.
pub(super) fn verified(model: &mut Model, path: &Path, progress: Progress) -> Vec<Effect> {
    let Some(written) = model.receipt.as_mut().filter(|written| written.path == path) else {
        return Vec::new();
    };
    let lost = written.progress.fate.is_intact() && !progress.fate.is_intact();
    // What the executor clears away behind a step that it has passed is no loss.
    let cleared = progress.past && progress.fate == Fate::Gone;
    written.progress = progress;
    let known = model.notice.as_ref().is_some_and(|notice| notice.message.says(s::RECORD_DELETED));
    if lost && !cleared && !known {
        model.say(Tone::Bad, Message::from(s::RECORD_REPLACED));
    }
    Vec::new()
}

/// The record written last is back in its place.
pub(super) fn is_back(model: &mut Model, path: PathBuf) -> Vec<Effect> {
    model.say(Tone::Good, Message::from(s::PUT_BACK));
    let mut effects = vec![Effect::LookAt(path.clone()), Effect::Load(path)];
    effects.extend(super::result::verify(model));
    effects
}
