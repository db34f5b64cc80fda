//! The guard against stray keys: it ignores keys that were meant for what was shown before.
//!
//! Contract:
//! * It begins only when the screen changes without the author's doing.
//! * It lasts until no key has come for a while; each earlier key prolongs it.

use super::super::action::{Action, Target};
use super::super::model::{Focus, Form, Message, Model, Row, Screen, Tone};
use super::super::sentences as s;
use crate::ask::{Kind, Question};
use std::time::{Duration, SystemTime};

/// After so long without a key, the next one is meant for what is shown.
const PAUSE: Duration = Duration::from_millis(600);

/// What keys in a form act on: the question, where they go in it, and outside a text field the rows and the cursor.
type Aim<'f> = (Option<(&'f str, Kind)>, Focus, Option<(&'f Question, Option<Row>)>);

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
    (question.map(|question| (question.id.as_str(), question.kind)), focus, rows)
}

/// A key has come: guards whose time is over end, the others are prolonged.
pub(super) fn prolong(model: &mut Model) {
    let (now, end) = (model.now, end(model));
    let Some(form) = &mut model.form else { return };
    for until in [&mut form.status.guarded_until, &mut form.status.moved_until] {
        *until = until.filter(|until| now < *until).map(|_| end);
    }
}

/// Whether this key of a form is ignored; then a notice says so.
pub(super) fn stops(model: &mut Model, action: &Action) -> bool {
    let Some(form) = &model.form else { return false };
    let guarded = model.screen == Screen::Form && form.status.guarded_until.is_some();
    if guarded && changes_answers(action, aim(form).1) {
        model.say(Tone::Warn, Message::from(s::QUESTIONS_MOVED));
        return true;
    }
    false
}

/// Whether an action changes an answer there, or ends the program with a letter that was meant for a field.
fn changes_answers(action: &Action, focus: Focus) -> bool {
    match action {
        Action::Edit(_) | Action::Editor => focus == Focus::Field,
        Action::Quit
        | Action::Accept
        | Action::Pick
        | Action::Number(_)
        | Action::Clear
        | Action::TakeBack
        | Action::OtherAnswer
        | Action::All
        | Action::Invert
        | Action::Point(Target::Row(_)) => true,
        _ => false,
    }
}
