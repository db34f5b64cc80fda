//! The receipt: going on, and restoring our record where somebody replaced or removed it.
//!
//! Contract:
//! * Nothing is restored by itself, and never over something that the author has not seen.
//! * A record that the executor removes after it has passed the step is no loss.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::model::{Message, Model, NoticeTopic, Progress, Screen, Tone, WrittenStatus};
use super::super::sentences as s;
use crate::text::say;
use std::path::Path;

pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    match action {
        Action::Accept => match model.next_waiting() {
            Some(entry) => vec![Request::Open(entry.path.to_path_buf()).into()],
            None => model.show_inbox(),
        },
        Action::UndoRedo if model.can_take_back() => super::batch::take_back(model),
        Action::UndoRedo => put_back(model),
        Action::Back | Action::Previous | Action::Next => model.show_inbox(),
        _ => Vec::new(),
    }
}

/// Restores our record; the store looks once more before it changes anything.
fn put_back(model: &mut Model) -> Vec<Effect> {
    let Some(written) = &model.receipt else { return Vec::new() };
    if written.progress.can_be_put_back() {
        return vec![Request::PutBack(Box::new(written.clone())).into()];
    }
    if !written.progress.status.is_intact() && !written.progress.is_taken() {
        model.say(Tone::Bad, s::CANNOT_PUT_BACK);
    }
    Vec::new()
}

/// What has become of the record written last.
pub(super) fn verified(model: &mut Model, path: &Path, progress: Progress) {
    let Some(written) = model.receipt.as_mut().filter(|written| written.path == path) else { return };
    let lost = written.progress.status.is_intact() && !progress.status.is_intact();
    let cleared = progress.past && progress.status == WrittenStatus::Gone;
    written.progress = progress;
    let title = written.title.clone();
    let known = model.notice.as_ref().is_some_and(|notice| notice.topic == Some(NoticeTopic::RecordDeleted));
    // The receipt itself says it.
    if lost && !cleared && !known && model.screen != Screen::Receipt {
        model.say(
            Tone::Bad,
            Message::new(
                say(
                    "The record of {0} is no longer the one you wrote: somebody replaced or removed it.",
                    "{0} 的记录已不是你写入的那一份：有人替换或移走了它。",
                ),
                &[&title],
            ),
        );
    }
}
