//! The guard against stray keys: it ignores keys that were meant for what was shown before.
//!
//! Contract:
//! * It begins only when the screen changes without the author's doing.
//! * It lasts until no key has come for a while; each earlier key prolongs it.
//! * After the author's own key, only one thing is ignored: Enter that would choose what has hardly been shown, a row of a
//!   question or the words in a field. Where an answer stands already, or a key has moved the cursor or changed the words,
//!   it is known what Enter takes.

use super::super::action::{Action, Target};
use super::super::context::{Context, context};
use super::super::model::{Focus, Form, Message, Model, Notice, Row, Screen, Tone};
use super::super::sentences as s;
use crate::ask::{JsString, Kind, Question};
use crate::text::{Sentence, say};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// After so long without a key, the next one is meant for what is shown.
const PAUSE: Duration = Duration::from_millis(600);

/// A question or a field that has stood for less has not been read; a key that is held down comes sooner again.
const TO_READ: Duration = Duration::from_millis(300);

const ENTER_AGAIN: Sentence = say("Press {accept} once more to choose {0}.", "再按一次 {accept} 选择“{0}”。");
const ENTER_AGAIN_FOR_WORDS: Sentence =
    say("Press {accept} once more to choose these words.", "再按一次 {accept} 采用这些文字。");
const GONE: Sentence = say("{0} is no longer in the list.", "{0} 已不在列表中。");

/// What keys in a form act on: the question, where they go in it, and outside a text field the rows and the cursor. A note
/// is the same beside an answer of any kind.
type Aim<'f> = (Option<(&'f str, Option<Kind>)>, Focus, Option<(&'f Question, Option<Row>)>);

/// When a guard that begins now ends, if no key comes.
pub(super) fn end(model: &Model) -> SystemTime {
    model.now + PAUSE
}

/// What keys act on, as long as the form is on the screen.
pub(super) fn aim(form: &Form) -> Aim<'_> {
    let noted = form.note.as_ref();
    let question = form.spec().questions.get(noted.map_or(form.at, |note| note.at));
    let focus = if noted.is_some() { Focus::Field } else { form.focus };
    let rows = question.filter(|_| focus != Focus::Field).map(|question| (question, form.current_row()));
    let of_kind = |question: &Question| noted.is_none().then_some(question.kind);
    (question.map(|question| (question.id.as_str(), of_kind(question))), focus, rows)
}

/// A key has come: guards whose time is over end, the others are prolonged.
pub(super) fn prolong(model: &mut Model) {
    let (now, end) = (model.now, end(model));
    let form = model.form.iter_mut().map(|form| &mut form.status);
    let in_form = form.flat_map(|status| [&mut status.guarded_until, &mut status.moved_until]);
    for until in in_form.chain([&mut model.inbox.guarded_until]) {
        *until = until.filter(|until| now < *until).map(|_| end);
    }
}

/// The question on the screen, whatever page lies over it, and where its cursor is: in which row, in a filter, in the field.
type Asked = ((PathBuf, usize), (usize, bool, bool));

pub(super) fn asked(model: &Model) -> Option<Asked> {
    let form = model.form.as_ref().filter(|_| model.screen == Screen::Form)?;
    let view = form.view()?;
    let place = (view.cursor, view.filter.is_some(), form.focus == Focus::Field);
    Some(((form.gate.path.clone(), form.at), place))
}

/// Notes when a question came on the screen or its field opened, and whether a key has moved its cursor.
pub(super) fn watch_question(model: &mut Model, before: Option<Asked>, by_key: bool) {
    let Some((question, place)) = asked(model) else { return };
    let unread_since = match before {
        Some((same, at)) if same == question && at == place => return,
        Some((same, (.., typing))) if same == question && by_key && (typing || !place.2) => None,
        _ => Some(model.now),
    };
    if let Some(form) = &mut model.form {
        form.unread_since = unread_since;
    }
}

/// Whether Enter comes too soon to choose a row where nothing is chosen; then a notice names the row.
pub(super) fn stops_choosing(model: &mut Model, place: usize) -> bool {
    let Some(form) = model.form.as_ref().filter(|form| is_unread(form, model.now)) else { return false };
    if form.reply().is_some_and(|reply| !reply.picks.is_empty()) {
        return false;
    }
    let label = form.question().and_then(|question| question.options.get(place)).map(|option| &option.label);
    let message = Message::new(ENTER_AGAIN, &[&label.map(JsString::display).unwrap_or_default()]);
    asks_again(model, message)
}

/// Whether Enter comes too soon to choose the own words in the field; then a notice says so.
pub(super) fn stops_taking(model: &mut Model) -> bool {
    let stands = |form: &&Form| !form.is_free_text() && !form.field.text().trim().is_empty();
    let soon = model.form.as_ref().filter(stands).is_some_and(|form| is_unread(form, model.now));
    soon && asks_again(model, ENTER_AGAIN_FOR_WORDS)
}

fn is_unread(form: &Form, now: SystemTime) -> bool {
    form.unread_since.is_some_and(|since| now.duration_since(since).is_ok_and(|age| age < TO_READ))
}

fn asks_again(model: &mut Model, message: impl Into<Message>) -> bool {
    if let Some(form) = &mut model.form {
        form.unread_since = Some(model.now);
    }
    model.say(Tone::Plain, message);
    true
}

/// Whether this key is ignored; then a notice says so.
pub(super) fn stops(model: &mut Model, action: &Action) -> bool {
    let stopped = match (model.screen, &model.form) {
        (Screen::Form, Some(form)) if model.over.is_none() => {
            // A letter goes into a field of free text that was left, too.
            let writes = aim(form).1 == Focus::Field || form.is_free_text();
            form.status.guarded_until.is_some() && acts(action, writes)
        }
        (Screen::Inbox, _)
            if matches!(context(model), Context::Inbox | Context::InboxFilter | Context::Detail) =>
        {
            // Words only filter.
            let harmless = matches!(action, Action::Quit | Action::Edit(_));
            model.inbox.guarded_until.is_some() && !harmless && acts(action, true)
        }
        _ => false,
    };
    if stopped {
        model.say(Tone::Warn, s::QUESTIONS_MOVED);
    }
    stopped
}

/// The gate that keys in the inbox act on, and what it is called; none before the first look at the files has ended.
pub(super) fn aim_in_inbox(model: &Model) -> Option<(PathBuf, String)> {
    let known = model.screen == Screen::Inbox && model.inbox.complete;
    let entry = model.inbox.selected().filter(|_| known)?;
    Some((entry.path.to_path_buf(), entry.title().into_owned()))
}

/// Begins if another gate came under the cursor than the one of before; one that has gone is named.
pub(super) fn watch_inbox(model: &mut Model, before: Option<(PathBuf, String)>) {
    let selected = model.inbox.selected_path();
    let moved = |(path, _): &(PathBuf, String)| selected.as_ref() != Some(path);
    let Some((path, title)) = before.filter(moved).filter(|_| model.screen == Screen::Inbox) else { return };
    model.inbox.guarded_until = selected.is_some().then(|| end(model));
    model.inbox.detail_scroll = 0;
    // It would become the story of another gate.
    super::story::close(model);
    let urgent = |notice: &Notice| matches!(notice.tone, Tone::Warn | Tone::Bad);
    if model.inbox.row_of(&path).is_none() && !model.notice.as_ref().is_some_and(urgent) {
        model.say(Tone::Plain, Message::new(GONE, &[&title]));
    }
}

/// Whether an action changes an answer or does something with a gate, or ends the program with a letter that was meant for a
/// field; what is typed does so where it `writes` an answer.
fn acts(action: &Action, writes: bool) -> bool {
    match action {
        Action::Edit(_) | Action::Editor => writes,
        Action::Quit
        | Action::Accept
        | Action::Pick
        | Action::Number(_)
        | Action::Clear
        | Action::TakeBack
        | Action::OtherAnswer
        | Action::All
        | Action::Invert
        | Action::Redo
        | Action::UndoRedo
        | Action::Later
        | Action::Point(Target::Row(_)) => true,
        _ => false,
    }
}
