//! The guard against stray keys: it ignores keys that were meant for what was shown before.
//!
//! Contract:
//! * It begins only when the screen changes without the author's doing.
//! * It lasts until no key has come for a while; each earlier key prolongs it.
//! * After the author's own key, only what may be meant for something before is ignored: Enter that would choose what has
//!   hardly been shown, a row of a question or the words in a field, and a repeat of the submit key that opened the review.
//!   Where an answer stands already, or a key has moved the cursor or changed the words, it is known what Enter takes.

use super::{Focus, Form, Row};
use crate::ask::{Kind, Question};
use crate::console::action::{Action, Target};
use crate::console::model::{Notice, NoticeTopic, Tone};
use crate::console::screen::Cx;
use crate::error::Message;
use crate::text::{Sentence, say};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// After so long without a key, the next one is meant for what is shown.
pub(crate) const PAUSE: Duration = Duration::from_millis(600);

/// What has stood for less has not been read; a key that is held down comes sooner again.
const TO_READ: Duration = Duration::from_millis(300);

const TOO_SOON_FOR_ROW: Sentence =
    say("Wait a moment, then press {accept} to choose {0}.", "请稍等片刻，再按 {accept} 选择“{0}”。");
const TOO_SOON_FOR_WORDS: Sentence = say(
    "Wait a moment, then press {accept} to choose these words.",
    "请稍等片刻，再按 {accept} 采用这些文字。",
);

/// What keys in a form act on: the question and where they go in it, outside a text field the rows and the cursor. A note
/// is the same beside an answer of any kind.
type Aim<'f> = (&'f str, Option<Kind>, Focus, Option<(&'f Question, Option<Row>)>);

/// The question shown, and where its cursor is: in which row, in a filter, in the field; and whether all rows are shown.
pub(crate) type Asked = ((PathBuf, usize), (usize, bool, bool, bool));

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
        | Action::Vary
        | Action::All
        | Action::Redo
        | Action::UndoRedo
        | Action::Later
        | Action::Point(Target::Row(_)) => true,
        _ => false,
    }
}

impl Form {
    pub(super) fn aim(&self) -> Aim<'_> {
        if let Some(note) = &self.note {
            return (&self.spec().questions[note.at].id, None, Focus::Field, None);
        }
        let question = self.question();
        let rows = (self.focus != Focus::Field).then(|| (question, self.current_row()));
        (&question.id, Some(question.kind), self.focus, rows)
    }

    /// Whether this key is ignored: something else came under the author's hands.
    pub(super) fn stops(&self, action: &Action) -> bool {
        // A letter goes into a field of free text that was left, too.
        let writes = self.note.is_some() || self.focus == Focus::Field || self.is_free_text();
        !self.in_review && self.status.guarded_until.is_some() && acts(action, writes)
    }

    pub(crate) fn asked(&self) -> Option<Asked> {
        let view = self.view();
        let place =
            (view.cursor, self.filter().is_some(), self.focus == Focus::Field, self.folded().is_empty());
        (!self.in_review).then(|| ((self.gate.path.clone(), self.at), place))
    }

    /// After a change: notes when a question came on the screen or its field opened, and whether a key has moved its cursor.
    /// A notice of before would hide a new warning for as long as the author types; only that of a failure stays.
    pub(crate) fn watch(
        &mut self,
        before: Option<&Asked>,
        said: Option<&Notice>,
        by_key: bool,
        cx: &mut Cx<'_>,
    ) {
        // Rows may have gone under the cursor.
        self.point_at(self.view().cursor);
        let warning = self.status.warnings.values().next();
        if warning.is_some() && warning != self.status.warned.as_ref() {
            cx.model.notice.take_if(|notice| Some(&*notice) == said && notice.tone != Tone::Bad);
        }
        self.status.warned = warning.cloned();
        let Some((question, place)) = self.asked() else { return };
        self.unread_since = match before {
            Some((same, at)) if *same == question && *at == place => return,
            Some((same, (.., typing, whole)))
                if *same == question && by_key && (*typing || !place.2) && (*whole || !place.3) =>
            {
                None
            }
            _ => Some(cx.model.now),
        };
    }

    /// Whether Enter comes too soon to choose a row where nothing is chosen; then a notice names the row.
    pub(super) fn stops_choosing(&mut self, place: usize, cx: &mut Cx<'_>) -> bool {
        let label = self.question().options[place].label.display();
        let message = Message::new(TOO_SOON_FOR_ROW, &[&label]);
        self.reply().picks.is_empty() && self.comes_too_soon(message, cx)
    }

    /// Whether Enter comes too soon to choose the own words in the field; then a notice says so.
    pub(super) fn stops_taking(&mut self, cx: &mut Cx<'_>) -> bool {
        let stands = !self.is_free_text() && !self.field.text().trim().is_empty();
        stands && self.comes_too_soon(TOO_SOON_FOR_WORDS, cx)
    }

    /// Whether a key may be meant for what was there before; then a notice asks for a pause, which each further key prolongs.
    pub(crate) fn comes_too_soon(&mut self, asks: impl Into<Message>, cx: &mut Cx<'_>) -> bool {
        let now = cx.model.now;
        let is_unread =
            self.unread_since.is_some_and(|since| now.duration_since(since).is_ok_and(|age| age < TO_READ));
        if is_unread {
            self.unread_since = Some(now);
            cx.model.say_about(NoticeTopic::Refused(None), Tone::Plain, asks);
        }
        is_unread
    }
}
