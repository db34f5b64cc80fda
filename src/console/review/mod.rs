//! The review: every answer, what is missing first; the only place from which a record is written.
//!
//! Contract:
//! * Only the submit key or a click on the button submits; Enter edits the row.
//! * A repeat of the submit key that opened the review never submits, and a notice says so.
//! * Esc goes back to the question that the author came from.
//! * While a required answer is missing, submitting goes to its question instead.

pub mod batch;
pub mod draw;
pub mod others;
pub mod outcomes;
pub mod packets;
pub mod record;
pub mod submit;
pub mod write_batch;

use self::submit::{Outcome, Submission};
use crate::console::action::{Action, Target};
use crate::console::form::Form;
use crate::console::model::{Message, Tone};
use crate::console::page::Page;
use crate::console::prompt::Prompt;
use crate::console::receipt;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::{Cx, Part};
use crate::console::sentences as s;
use crate::store::entry::Entry;
use crate::text::say;
use std::sync::Arc;
use std::time::Duration;

/// A submit key within this time of the last one may be the same press, held down.
const SAME_PRESS: Duration = Duration::from_millis(300);

pub(super) fn offer(form: &Form, action: &Action) -> Available {
    match action {
        Action::Editor if form.status.repair.is_none() => No(None),
        Action::All if form.status.repair.is_some() => No(None),
        Action::All => match &form.status.batch {
            None => No(Some(s::LOOKING_FOR_PACKETS)),
            Some(batch) if batch.gates.is_empty() => No(Some(s::NO_OTHER_PACKETS)),
            Some(_) => Yes,
        },
        Action::Note if form.review_question().is_none() => No(None),
        Action::Accept if form.is_missing_in_review() => As(s::ANSWER),
        Action::Submit if !form.draft.missing(form.spec()).is_empty() => {
            As(say("to what is missing", "去补答"))
        }
        // What is in the way is said above.
        Action::Submit if form.gate.refusal.is_some() || form.status.warnings.has_other_record() => Unlisted,
        // The last row may belong to no question.
        _ => form.offer_of_question(form.review_question().unwrap_or(usize::MAX), action),
    }
}

pub(super) fn offer_in_packets(form: &Form, action: &Action) -> Available {
    let is_empty = form.packets().is_none_or(|(_, list)| list.hits.is_empty());
    match action {
        Action::Pick | Action::All if is_empty => No(None),
        Action::Review => No(Some(s::TICKS_FIRST)),
        Action::Note | Action::Story => No(None),
        _ => Yes,
    }
}

impl Form {
    pub(crate) fn act_in_review(&mut self, action: &Action, cx: &mut Cx<'_>) {
        let row = self.review.row;
        match action {
            Action::Submit if self.is_same_press(cx) => {
                let says = if self.draft.missing(self.spec()).is_empty() {
                    say("Press {submit} once more to submit.", "再按一次 {submit} 提交。")
                } else {
                    say(
                        "Press {submit} once more to go to what is missing.",
                        "再按一次 {submit} 跳到未答的题。",
                    )
                };
                cx.say(Tone::Plain, says);
            }
            Action::Submit | Action::Point(Target::Submit) => self.submit(cx),
            Action::Accept => self.edit_row(row, cx),
            Action::Point(Target::Row(row)) => self.edit_row(*row, cx),
            Action::Point(Target::Question(at)) => self.show_question(*at, cx),
            Action::All | Action::Point(Target::Batch) => self.open_packets(),
            Action::Editor => self.edit_record(cx),
            Action::Back | Action::Previous => self.show_question(self.at, cx),
            _ => {
                let to = action.row_from(row, self.review.list.rows()).unwrap_or(row);
                self.review.row = to.min(self.review_rows().saturating_sub(1));
            }
        }
    }

    fn is_same_press(&mut self, cx: &Cx<'_>) -> bool {
        let now = cx.model.now;
        let age = |then| now.duration_since(then).unwrap_or_default();
        let held = self.review.held_since.is_some_and(|then| age(then) < SAME_PRESS);
        self.review.held_since = held.then_some(now);
        held
    }

    fn edit_row(&mut self, row: usize, cx: &mut Cx<'_>) {
        match self.review_order().get(row).copied() {
            Some(at) => {
                self.review.to_return = true;
                self.show_question(at, cx);
            }
            // The row behind the questions: the page shows what belongs to none of them.
            None => cx.cover(Page::new(Part::Whole)),
        }
    }

    fn submit(&mut self, cx: &mut Cx<'_>) {
        if self.status.submitting {
            return;
        }
        if let Some(&missing) = self.draft.missing(self.spec()).first() {
            let header = self.spec().questions[missing].header.display().into_owned();
            self.review.to_return = true;
            self.show_question(missing, cx);
            let says = say(
                "“{0}” must be answered first. Nothing was written.",
                "“{0}”必须先回答。尚未写入任何内容。",
            );
            return cx.say(Tone::Warn, Message::new(says, &[&header]));
        }
        if let Some(refusal) = self.gate.refusal.clone() {
            return cx.say(Tone::Bad, refusal);
        }
        if self.status.moved_until.is_some() {
            return cx.say(Tone::Warn, s::QUESTIONS_MOVED);
        }
        if self.status.repair.as_ref().is_some_and(|repair| repair.foreign) {
            let title = cx.model.inbox.title_of(&self.gate.path);
            let asks = Message::new(s::REPLACE_FOREIGN_ASKS, &[&title]);
            let yes = |cx: &mut Cx<'_>| cx.on::<Form>(Form::write_record);
            let prompt = Prompt::new(asks, s::REPLACE_FOREIGN_MEANS, Arc::new(yes));
            return cx.cover(Prompt { is_about_form: true, ..prompt });
        }
        self.write_record(cx);
    }

    /// Writes the record, in the place of the bad one if there is one.
    fn write_record(&mut self, cx: &mut Cx<'_>) {
        self.status.submitting = true;
        self.status.tried.clear();
        let replaces = self.status.repair.as_ref().map(|repair| repair.seen.clone());
        let draft = self.to_save();
        let entry = cx.model.inbox.entry_at(&draft.path);
        let others = entry.into_iter().flat_map(Entry::others).filter(|(_, agrees)| !agrees);
        let rivals = others.map(|(path, _)| path.to_path_buf()).collect();
        let batch = self.status.batch.as_ref().map(|batch| batch.taken.clone()).unwrap_or_default();
        let answered_by = "human".to_owned();
        submit(Box::new(Submission { draft, answered_by, replaces, rivals, batch, tried: 0 }), cx);
    }
}

/// Has some of the records written, until all were tried.
fn submit(submission: Box<Submission>, cx: &mut Cx<'_>) {
    let path = submission.draft.path.clone();
    cx.model.writing = Some(path.clone());
    let work = move |files: &crate::console::files::Files| Ok(files.submit(&submission));
    cx.ask(work, move |outcome, cx| match outcome {
        Outcome::Underway(submission, tried) => {
            cx.on::<Form>(|form, _| form.status.tried.extend(tried));
            submit(submission, cx);
        }
        Outcome::Written(written) => receipt::show(*written, cx),
        Outcome::Unwritten(why) => {
            let title = cx.model.inbox.title_of(&path);
            cx.on::<Form>(|form, cx| {
                form.not_written(*why, cx);
                form.save(cx);
                form.list_unwritten(path, title, cx);
            });
        }
    });
}
