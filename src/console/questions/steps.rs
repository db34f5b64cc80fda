//! The steps to come with what they will ask, and deciding ahead of them.

use super::change::{Done, change};
use super::step_row::StepRow;
use super::view::{QuestionsView, Row, Section};
use crate::ask::JsString;
use crate::console::action::Action;
use crate::console::files::Files;
use crate::console::form;
use crate::console::model::{Entry, Status, Tone};
use crate::console::prompt::Prompt;
use crate::console::screen::Available::{self, As, No};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::attach::gate_of;
use crate::store::questions::{Questions, Upcoming, ahead_path, upcoming};
use crate::text::{Sentence, say};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VERDICT: Sentence = say(
    "It is about what the step will have made: it is asked when that is there.",
    "它针对这一步的产出，写出来之后才会问。",
);

const DECISION_IS_BACK: Sentence = say("What you decided is in its place again.", "这个决定已放回原处。");
const ALL_DECIDED: Sentence =
    say("Everything that can be decided ahead is decided.", "能提前决定的都已决定。");

fn key_of(path: &Path) -> (Section, String) {
    (Section::Steps, path.shown().into_owned())
}

impl StepRow {
    pub(super) fn offer(&self, action: &Action) -> Available {
        match action {
            Action::Accept | Action::Pick if self.question.is_decided => {
                As(say("what is decided", "看看决定"))
            }
            Action::Accept | Action::Pick if self.question.is_blocked => As(say("repair", "修复")),
            Action::Accept | Action::Pick if self.question.is_verdict => No(VERDICT),
            Action::Accept | Action::Pick => As(say("decide it now", "现在决定")),
            Action::Redo if self.question.is_decided || self.question.is_blocked => As(s::TAKE_BACK),
            Action::Redo => No(s::NOTHING_TO_REDO),
            _ => No(say("The file of a question is in the list above.", "提问的文件在上面的列表中。")),
        }
    }

    /// Opens the form: of the packet that asks it by now, else of the gate that the packet will carry.
    pub(super) fn decide(&self, cx: &mut Cx<'_>) {
        let place = self.question.span.place(&self.question.name);
        let asks = |path: &JsString| path.lossy() == place;
        let entries = &cx.model.inbox.entries;
        let entry = entries
            .iter()
            .find(|entry| entry.status != Status::Malformed && entry.answer_path.as_ref().is_some_and(asks));
        let path = entry.map_or_else(|| self.path(), |entry| entry.path.to_path_buf());
        form::open::open(path, cx);
    }

    pub(super) fn ask_to_take_back(&self, cx: &mut Cx<'_>) {
        let path = self.path();
        let place = JsString::from(&*self.question.span.place(&self.question.name));
        let asks = say("Take back what you decided: {0}?", "收回这个决定：{1}？");
        let asks = Message::with(asks, |lang| format!("{} · {}", self.question.step, self.name(lang)));
        let means = say(
            "The record goes into the history; the step asks again when it comes. {undo-redo} puts it back.",
            "记录移入历史；步骤到来时会再问。按 {undo-redo} 放回。",
        );
        let yes = move |cx: &mut Cx<'_>| {
            let path = path.clone();
            // It is the author who takes it away: nobody need tell him.
            cx.model
                .receipt
                .take_if(|it| it.packet.gate.as_ref().is_some_and(|gate| gate.answer_path == place));
            let inbox = &mut cx.model.inbox;
            let asking = inbox.entries.iter().filter(|entry| entry.answer_path.as_ref() == Some(&place));
            inbox.taken_back.extend(asking.map(|entry| entry.path.to_path_buf()));
            let work = move |files: &Files, _: &Questions| {
                let loaded = files.load(&path).map_err(|fault| fault.error().whole())?;
                files.history().redo(&loaded).map_err(|error| error.whole())?;
                let says =
                    say("It is taken back. {undo-redo} puts it back.", "已收回。按 {undo-redo} 放回。");
                Ok(Done { taken: Some(path), ..Done::new(says, &[]) })
            };
            change(work, cx);
        };
        cx.cover(Prompt::new(asks, means, yes));
    }
}

impl Files {
    /// The questions of the steps to come, in the order of the book.
    pub(super) fn steps_to_come(&self, questions: &Questions, entries: &[Arc<Entry>]) -> Vec<Row> {
        let row = |question: Upcoming, has_more: bool| {
            let standing = questions.standing(&question.name)?.clone();
            let loaded = || self.load(&ahead_path(&question.name, question.step)).ok();
            let record = question.is_decided.then(loaded).flatten();
            let record = record.and_then(|loaded| loaded.record.valid().cloned());
            let gate = gate_of(&self.project, &standing, question.span);
            Some(Row::Step(Arc::new(StepRow { question, standing, gate, record, has_more })))
        };
        let mut verdicts = HashSet::new();
        let (mut all, more) = self.upcoming(questions, entries);
        // Nothing can be done ahead about verdicts: the first says how often it comes.
        all.retain(|one| !one.is_verdict || verdicts.insert(one.name.clone()));
        let last = all.len();
        all.into_iter().zip(1..).filter_map(|(one, at)| row(one, more && at == last)).collect()
    }

    /// The gate that is decided next ahead of a packet, behind this one or else the first; nothing if all is decided.
    fn next_ahead(&self, after: &Path, entries: &[Arc<Entry>]) -> Option<PathBuf> {
        let (all, _) = self.upcoming(&Questions::read(&self.project), entries);
        let path = |one: &Upcoming| ahead_path(&one.name, one.step);
        let at = all.iter().position(|one| path(one) == after).map_or(0, |at| at + 1);
        let open = |one: &&Upcoming| !one.is_decided && !one.is_verdict;
        all[at..].iter().chain(&all[..at]).find(open).map(path)
    }

    /// What the packets ask by themselves is in the list of gates: none of them is read for it.
    fn upcoming(&self, questions: &Questions, entries: &[Arc<Entry>]) -> (Vec<Upcoming>, bool) {
        let at = |packet: &Path| entries.iter().find(|entry| *entry.path == *packet);
        upcoming(&self.project, questions, |packet| at(packet)?.answer_path.clone())
    }
}

/// Opens what is decided next ahead of a packet; where nothing is left, the list.
pub(crate) fn go_on(after: PathBuf, cx: &mut Cx<'_>) {
    let entries = cx.model.inbox.entries.clone();
    cx.ask(
        move |files| Ok(files.next_ahead(&after, &entries)),
        |next, cx| {
            let Some(next) = next else {
                cx.go_home();
                return cx.say(Tone::Good, ALL_DECIDED);
            };
            // Whoever leaves that form finds the cursor on it.
            cx.on::<QuestionsView>(|view, _| view.go_to(&key_of(&next)));
            form::open::open(next, cx);
        },
    );
}

impl QuestionsView {
    /// Puts back what was decided and taken back here last.
    pub(super) fn put_decision_back(path: PathBuf, cx: &mut Cx<'_>) {
        let work = move |files: &Files, _: &Questions| {
            let loaded = files.load(&path).map_err(|fault| fault.error().whole())?;
            files.history().undo(&loaded).map_err(|error| error.whole())?;
            Ok(Done { to: Some(key_of(&path)), ..Done::new(DECISION_IS_BACK, &[]) })
        };
        change(work, cx);
    }
}
