//! What an action or a result changes: from (model, what happened) to (model, effects). One file for each screen.
//!
//! Pure: no file, no terminal, no clock but the model's own.

mod announce;
mod batch;
mod drift;
mod edit;
mod field;
mod form;
mod gate;
mod guard;
mod history;
mod inbox;
mod later;
mod note;
mod over;
mod receipt;
mod result;
mod review;
mod screen;
mod story;

pub use result::{apply, is_news};

use super::action::Action;
use super::available::{Available, available};
use super::effect::{Effect, Request};
use super::model::{EditedRecord, Model, Notice, NoticeTopic, Over, Prompt, Screen, Size, Tone, Unsaved};
use crate::text::say;
use std::time::Duration;

/// A second Ctrl+C within this time leaves the program.
const INTERRUPT_TWICE: Duration = Duration::from_secs(3);
/// The exit code after it, as of a program that the signal ends.
pub const INTERRUPTED: i32 = 130;

pub fn update(model: &mut Model, action: Action) -> Vec<Effect> {
    let asked = guard::asked(model);
    let effects = act(model, action);
    if let Some(form) = &mut model.form {
        form.keep_cursor();
    }
    guard::watch_question(model, asked, true);
    effects
}

fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    // A new size of the terminal arrives as a redraw, and is no key.
    if action != Action::Redraw {
        guard::prolong(model);
        if let Some(form) = model.form.as_mut().filter(|_| action != Action::Submit) {
            form.review.held_since = None;
        }
    }
    let was = model.notice.take_if(|notice| {
        let seen = matches!(notice.topic, Some(NoticeTopic::PressAgain | NoticeTopic::Refused))
            || model.screen != Screen::Form
            || notice.tone == Tone::Good;
        seen || !matches!(action, Action::Edit(_))
    });
    match action {
        // The only copy of a text does not go with a key: saving it is tried again.
        Action::Help | Action::Back | Action::Quit if unkept_text(model).is_some() => {
            let edited = unkept_text(model).cloned().map(Box::new);
            edited.map(|edited| Request::CheckEdited(edited).into()).into_iter().collect()
        }
        Action::Help => model.show_help(),
        Action::Language => {
            model.lang = model.lang.other();
            Vec::new()
        }
        Action::Theme => vec![Effect::NextTheme],
        action if guard::stops(model, &action) => Vec::new(),
        action if refuses(model, &action) => Vec::new(),
        Action::Quit => save_first(model, Effect::Leave(0)),
        Action::Interrupt => interrupt(model, was),
        Action::Suspend => save_first(model, Effect::Suspend),
        Action::Redraw => vec![Effect::Repaint],
        Action::OtherAnswer => model.take_other_answer(),
        Action::Expand if model.over.is_none() => model.show_detail(),
        Action::ScrollUp | Action::ScrollDown if model.over.is_none() => {
            model.scroll_pane(action == Action::ScrollDown)
        }
        Action::Changes if model.over.is_none() => drift::show(model),
        Action::HandBack if model.over.is_none() => inbox::hand_back(model),
        Action::Story if model.over.is_none() => model.show_story(),
        action if model.over == Some(Over::Story) => story::update(model, action),
        action if model.over.is_some() => over::update(model, &action),
        action if action == Action::Note || model.note().is_some() => note::update(model, action),
        action => match model.screen {
            Screen::Inbox => inbox::update(model, action),
            Screen::Form => form::update(model, action),
            Screen::Review => review::update(model, &action),
            Screen::Receipt => receipt::update(model, &action),
            Screen::History => history::update(model, action),
        },
    }
}

/// Leaves the program, if the notice that was shown asked for the key again.
fn interrupt(model: &mut Model, was: Option<Notice>) -> Vec<Effect> {
    let since = |notice: &Notice| model.now.duration_since(notice.since).unwrap_or_default();
    let asked = was.filter(|notice| notice.topic == Some(NoticeTopic::PressAgain));
    let is_told = matches!(model.over, Some(Over::Prompt(Prompt::Leave(..))));
    if asked.is_some_and(|notice| since(&notice) <= INTERRUPT_TWICE) {
        let leave = if is_told { Effect::Quit(INTERRUPTED) } else { Effect::Leave(INTERRUPTED) };
        return save_first(model, leave);
    }
    let is_unkept = model.form.as_ref().is_some_and(|form| form.status.warnings.unkept.is_some());
    let says = if is_told || is_unkept {
        say("Press {interrupt} again to quit.", "再按一次 {interrupt} 退出。")
    } else {
        // Saving may take a while yet; leaving waits for it, or puts them elsewhere.
        say(
            "Press {interrupt} again to quit; your answers will be kept.",
            "再按一次 {interrupt} 退出，回答会保留。",
        )
    };
    model.say_about(NoticeTopic::PressAgain, Tone::Warn, says);
    model.save()
}

/// Asks whether to leave although something is on no disk, or not in its place.
pub fn ask_to_stay(model: &mut Model, code: i32, unsaved: Unsaved) {
    model.show_over(Over::Prompt(Prompt::Leave(code, Box::new(unsaved))));
}

/// The author's edited text on the screen, if that is the only place where it is.
fn unkept_text(model: &Model) -> Option<&EditedRecord> {
    match &model.over {
        Some(Over::Edited(edited, _)) if !edited.kept => Some(edited),
        _ => None,
    }
}

/// Whether an action does nothing here; then a notice says why.
fn refuses(model: &mut Model, action: &Action) -> bool {
    let Available::No(why) = available(model, action) else { return false };
    if let Some(why) = why {
        model.say_about(NoticeTopic::Refused, Tone::Plain, why);
    }
    true
}

pub fn resize(model: &mut Model, size: Size) {
    model.size = size;
    model.keep_in_sight();
}

fn save_first(model: &mut Model, then: Effect) -> Vec<Effect> {
    let mut effects = model.save();
    effects.push(then);
    effects
}
