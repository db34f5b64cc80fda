//! The guard against stray keys: it ignores keys that were meant for what was shown before.
//!
//! Contract:
//! * It begins only when the screen changes without the author's doing.
//! * It lasts until no key has come for a while; each earlier key prolongs it.
//! * After the author's own key, only one thing is ignored: Enter that would choose what has hardly been shown, a row of a
//!   question or the words in a field. Where an answer stands already, or a key has moved the cursor or changed the words,
//!   it is known what Enter takes.

use super::{Focus, Form, Row};
use crate::ask::{JsString, Kind, Question};
use crate::console::action::{Action, Target};
use crate::console::model::{Message, Tone};
use crate::console::screen::Cx;
use crate::text::{Sentence, say};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// After so long without a key, the next one is meant for what is shown.
pub(crate) const PAUSE: Duration = Duration::from_millis(600);

/// A question or a field that has stood for less has not been read; a key that is held down comes sooner again.
const TO_READ: Duration = Duration::from_millis(300);

const ENTER_AGAIN: Sentence = say("Press {accept} once more to choose {0}.", "再按一次 {accept} 选择“{0}”。");
const ENTER_AGAIN_FOR_WORDS: Sentence =
    say("Press {accept} once more to choose these words.", "再按一次 {accept} 采用这些文字。");

/// What keys in a form act on: the question, where they go in it, and outside a text field the rows and the cursor. A note
/// is the same beside an answer of any kind.
type Aim<'f> = (Option<(&'f str, Option<Kind>)>, Focus, Option<(&'f Question, Option<Row>)>);

/// The question shown, and where its cursor is: in which row, in a filter, in the field.
pub(crate) type Asked = ((PathBuf, usize), (usize, bool, bool));

/// What is left of a guard when a key comes: nothing if its time is over, else it is prolonged.
pub(crate) fn prolong(until: &mut Option<SystemTime>, now: SystemTime) {
    *until = until.filter(|until| now < *until).map(|_| now + PAUSE);
}

/// Whether an action changes an answer or does something with a gate, or ends the program with a letter that was meant for a
/// field; what is typed does so where it `writes` an answer.
pub(crate) fn acts(action: &Action, writes: bool) -> bool {
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

impl Form {
    /// What keys act on.
    pub(super) fn aim(&self) -> Aim<'_> {
        let noted = self.note.as_ref();
        let question = self.spec().questions.get(noted.map_or(self.at, |note| note.at));
        let focus = if noted.is_some() { Focus::Field } else { self.focus };
        let rows = question.filter(|_| focus != Focus::Field).map(|question| (question, self.current_row()));
        let of_kind = |question: &Question| noted.is_none().then_some(question.kind);
        (question.map(|question| (question.id.as_str(), of_kind(question))), focus, rows)
    }

    /// A key has come.
    pub(super) fn prolong_guards(&mut self, now: SystemTime) {
        prolong(&mut self.status.guarded_until, now);
        prolong(&mut self.status.moved_until, now);
    }

    /// Whether this key is ignored.
    pub(super) fn stops(&self, action: &Action) -> bool {
        // A letter goes into a field of free text that was left, too.
        let writes = self.aim().1 == Focus::Field || self.is_free_text();
        !self.in_review && self.status.guarded_until.is_some() && acts(action, writes)
    }

    pub(crate) fn asked(&self) -> Option<Asked> {
        let view = self.view().filter(|_| !self.in_review)?;
        let place = (view.cursor, view.filter.is_some(), self.focus == Focus::Field);
        Some(((self.gate.path.clone(), self.at), place))
    }

    /// Notes when a question came on the screen or its field opened, and whether a key has moved its cursor.
    pub(crate) fn watch(&mut self, before: Option<&Asked>, by_key: bool, now: SystemTime) {
        let Some((question, place)) = self.asked() else { return };
        self.unread_since = match before {
            Some((same, at)) if *same == question && *at == place => return,
            Some((same, (.., typing))) if *same == question && by_key && (*typing || !place.2) => None,
            _ => Some(now),
        };
    }

    /// Whether Enter comes too soon to choose a row where nothing is chosen; then a notice names the row.
    pub(super) fn stops_choosing(&mut self, place: usize, cx: &mut Cx<'_>) -> bool {
        let known = self.reply().is_some_and(|reply| !reply.picks.is_empty());
        if known || !self.is_unread(cx.model.now) {
            return false;
        }
        let label =
            self.question().and_then(|question| question.options.get(place)).map(|option| &option.label);
        let message = Message::new(ENTER_AGAIN, &[&label.map(JsString::display).unwrap_or_default()]);
        self.asks_again(message, cx)
    }

    /// Whether Enter comes too soon to choose the own words in the field; then a notice says so.
    pub(super) fn stops_taking(&mut self, cx: &mut Cx<'_>) -> bool {
        let stands = !self.is_free_text() && !self.field.text().trim().is_empty();
        stands && self.is_unread(cx.model.now) && self.asks_again(ENTER_AGAIN_FOR_WORDS, cx)
    }

    fn is_unread(&self, now: SystemTime) -> bool {
        self.unread_since.is_some_and(|since| now.duration_since(since).is_ok_and(|age| age < TO_READ))
    }

    fn asks_again(&mut self, message: impl Into<Message>, cx: &mut Cx<'_>) -> bool {
        self.unread_since = Some(cx.model.now);
        cx.say(Tone::Plain, message);
        true
    }
}
