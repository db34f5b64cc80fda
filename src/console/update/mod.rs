//! What an action or a result changes.
//!
//! Responsible for the one function from (model, what happened) to (model, effects). One file for each screen. Pure: no
//! file, no terminal, no clock but the model's own.

mod drift;
mod edit;
mod field;
mod form;
mod guard;
mod history;
mod inbox;
mod over;
mod receipt;
mod result;
mod review;

pub use result::{is_news, take};

use super::action::Action;
use super::effect::{DraftToSave, Effect};
use super::model::{Form, Model, Over, Screen, Size, Tone};
use super::sentences as s;
use crate::console::model::Message;
use std::time::Duration;

/// A second Ctrl+C within this time leaves the program.
const INTERRUPT_TWICE: Duration = Duration::from_secs(3);

/// What an action changes.
pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    // The terminal's new size arrives as this too, and is no key.
    if action != Action::Redraw {
        guard::prolong(model);
    }
    let interrupted = model.notice.take_if(|notice| {
        let seen =
            notice.message.says(s::PRESS_AGAIN) || model.screen != Screen::Form || notice.tone == Tone::Good;
        seen || !matches!(action, Action::Edit(_))
    });
    match action {
        Action::Help => over::open(model, Over::Help { scroll: 0 }),
        Action::Language => {
            model.lang = model.lang.other();
            Vec::new()
        }
        action if model.over.is_none() && guard::stops(model, &action) => Vec::new(),
        Action::Quit => quit(model, 0),
        Action::Interrupt => {
            let again = interrupted.is_some_and(|notice| {
                notice.message.says(s::PRESS_AGAIN) && model.age(notice.since) <= INTERRUPT_TWICE
            });
            if again {
                return quit(model, 130);
            }
            model.say(Tone::Warn, Message::from(s::PRESS_AGAIN));
            save(model)
        }
        Action::Suspend => {
            let mut effects = save(model);
            effects.push(Effect::Suspend);
            effects
        }
        Action::Redraw => vec![Effect::Repaint],
        Action::Changes if model.over.is_none() => drift::show(model),
        action if model.over.is_some() => over::update(model, &action),
        action => match model.screen {
            Screen::Inbox => inbox::update(model, action),
            Screen::Form => form::update(model, action),
            Screen::Review => review::update(model, &action),
            Screen::Receipt => receipt::update(model, &action),
            Screen::History => history::update(model, action),
        },
    }
}

/// The terminal has another size.
pub fn resize(model: &mut Model, size: Size) {
    model.size = size;
    inbox::keep_in_sight(model);
    review::keep_in_sight(model);
    history::keep_in_sight(model);
}

fn quit(model: &Model, code: i32) -> Vec<Effect> {
    let mut effects = save(model);
    effects.push(Effect::Quit(code));
    effects
}

/// Keeps the answers of the open gate safe. Those that are being submitted are: a draft that comes behind would outlive
/// its record.
pub(super) fn save(model: &Model) -> Vec<Effect> {
    let form = model.form.as_ref().filter(|form| !form.status.submitting);
    form.map(|form| vec![Effect::SaveDraft(Box::new(draft_to_save(form)))]).unwrap_or_default()
}

/// The answers of a form, to be kept.
pub(super) fn draft_to_save(form: &Form) -> DraftToSave {
    DraftToSave {
        path: form.path.clone(),
        packet: form.packet.clone(),
        spec_hash: form.spec_hash.clone(),
        draft: form.draft.clone(),
        orphans: form.status.orphans.clone(),
        at: form.at,
    }
}
