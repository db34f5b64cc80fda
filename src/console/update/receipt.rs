//! The receipt: going on, and putting back a record that somebody replaced or removed.
//!
//! Contract:
//! * Nothing is put back by itself, and never over what the author was not shown.
//! * What the executor clears away behind a step that it has passed is no alarm.

use super::super::action::Action;
use super::super::effect::{Effect, Request};
use super::super::model::{Message, Model, NoticeTopic, Over, Progress, Tone, WrittenStatus};
use super::super::sentences as s;
use crate::text::say;
use std::path::Path;

/// What an action changes on the receipt.
pub(super) fn update(model: &mut Model, action: &Action) -> Vec<Effect> {
    match action {
        Action::Accept => match model.next_waiting() {
            Some(entry) => vec![Request::Open(entry.path.to_path_buf()).into()],
            None => model.show_inbox(),
        },
        Action::Expand => model.show_over(Over::Detail { scroll: 0 }),
        Action::UndoRedo => put_back(model),
        Action::Back | Action::Previous | Action::Next => model.show_inbox(),
        _ => Vec::new(),
    }
}

/// Ours again, if somebody replaced or removed it; the store looks once more before it touches anything.
fn put_back(model: &mut Model) -> Vec<Effect> {
    let Some(written) = &model.receipt else { return Vec::new() };
    if written.progress.can_be_put_back() {
        return vec![Request::PutBack(Box::new(written.clone())).into()];
    }
    if !written.progress.status.is_intact() && !written.progress.is_taken() {
        model.say(Tone::Bad, Message::from(s::CANNOT_PUT_BACK));
    }
    Vec::new()
}

/// What has become of the record written last.
pub(super) fn verified(model: &mut Model, path: &Path, progress: Progress) {
    let Some(written) = model.receipt.as_mut().filter(|written| written.path == path) else { return };
    let lost = written.progress.status.is_intact() && !progress.status.is_intact();
    // What the executor clears away behind a step that it has passed is no loss.
    let cleared = progress.past && progress.status == WrittenStatus::Gone;
    written.progress = progress;
    let known = model.notice.as_ref().is_some_and(|notice| notice.topic == Some(NoticeTopic::RecordDeleted));
    if lost && !cleared && !known {
        model.say(
            Tone::Bad,
            Message::from(say(
                "The record is no longer the one you wrote: someone replaced or removed it.",
                "记录已不是你写入的那一份：有人替换或删除了它。",
            )),
        );
    }
}
