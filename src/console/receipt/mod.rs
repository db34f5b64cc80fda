//! The receipt: going on, and restoring our record where somebody replaced or removed it.
//!
//! Contract:
//! * Nothing is restored by itself, and never over something that the author has not seen.
//! * A record that the executor removes after it has passed the step is no loss.

pub mod page;

use super::action::Action;
use super::copy;
use super::draw::layout;
use super::draw::painter::Painter;
use super::draw::pane;
use super::draw::scroll::Scroll;
use super::draw::sheet::Sheet;
use super::files::Files;
use super::form::keep::DraftToSave;
use super::form::{self, Form};
use super::inbox::{loading as inbox, removal};
use super::model::{Model, NoticeTopic, Place, Progress, Tone, Written, WrittenStatus};
use super::questions;
use super::review::outcomes::take_back;
use super::review::submit::Submitted;
use super::screen::Available::{self, As, No, Unlisted, Yes};
use super::screen::{Cx, Effect, Part, Screen, View};
use super::sentences as s;
use crate::console::input::keymap::Context;
use crate::error::Message;
use crate::store::pickup;
use crate::text::say;

/// The record that was written last, [`Model::receipt`].
#[derive(Clone, Copy, Debug)]
pub struct Receipt;

impl Screen for Receipt {
    fn context(&self, _model: &Model) -> Context {
        Context::Receipt
    }

    fn place(&self) -> Option<Place> {
        Some(Place::Receipt)
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let last = view.model.next_waiting().is_none();
        let is_ahead = view.model.receipt.as_ref().is_some_and(Written::is_ahead);
        match action {
            Action::Accept if is_ahead => As(say("decide the next", "决定下一个")),
            Action::Back if view.leads_back() => As(s::TO_THE_QUESTIONS),
            Action::Accept if last && view.leads_back() => As(s::TO_THE_QUESTIONS),
            Action::Accept if last => As(say("inbox", "返回列表")),
            Action::Back if last => Unlisted,
            action => self.offer_on_page(action, view.model).unwrap_or(Yes),
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        let intact = view.model.receipt.as_ref().is_some_and(Written::can_take_back);
        if intact { Vec::new() } else { vec![Action::UndoRedo] }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        let ahead = cx.model.receipt.as_ref().filter(|written| written.is_ahead());
        let ahead = ahead.map(|written| written.path.clone());
        match action {
            Action::Accept if let Some(path) = ahead => questions::steps::go_on(path, cx),
            Action::Accept if let Some(next) = cx.model.next_waiting() => {
                let packet = next.path.to_path_buf();
                form::open::open(packet, cx);
            }
            Action::UndoRedo | Action::Redo => undo(cx),
            Action::SendBack => {
                if let Some(path) = cx.model.receipt.as_ref().map(|written| written.path.clone()) {
                    form::open::open_reason(path, cx);
                }
            }
            Action::Accept | Action::Back | Action::Previous | Action::Next => inbox::back_to_list(cx),
            _ => {}
        }
    }

    fn offer_on_page(&self, action: &Action, model: &Model) -> Option<Available> {
        match action {
            Action::UndoRedo => Some(offer_to_undo(model)),
            Action::Redo => Some(match &model.receipt {
                Some(written) if written.can_take_back() => Yes,
                _ => No(s::NOTHING_TO_REDO),
            }),
            Action::SendBack => Some(offer_to_send_back(model)),
            _ => None,
        }
    }

    fn copied(&self, view: View<'_>) -> Option<String> {
        let written = view.model.receipt.as_ref()?;
        let answers = &written.packet.gate.as_ref()?.answer_path;
        Some(copy::is_answered(view.model, &written.title, &answers.display()))
    }

    fn stands(&self, model: &Model) -> bool {
        model.receipt.is_some()
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let area = layout::receipt(view.model.size);
        let write = |sheet: &mut Sheet<'_>| self.write(Part::Pane, view.model, sheet);
        pane::draw(painter, area, &Scroll::default(), write);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        if let Some(written) = &model.receipt {
            page::write(model, written, sheet);
        }
    }
}

/// What the key does that takes back: what was just written, all of one submission, or what others have put in the place of our record.
fn offer_to_undo(model: &Model) -> Available {
    match &model.receipt {
        Some(written) if written.can_take_back() => As(s::TAKE_BACK),
        Some(written) if written.progress.can_be_put_back() => As(s::CTRL_U_PUTS_BACK),
        Some(written) if !written.progress.status.is_intact() && !written.progress.is_taken() => {
            No(s::CANNOT_PUT_BACK)
        }
        Some(written) if written.progress.relayed => No(s::RELAY_IS_ANSWERED),
        _ => No(s::NOTHING_TO_UNDO),
    }
}

fn offer_to_send_back(model: &Model) -> Available {
    match &model.receipt {
        Some(written) if written.progress.relayed => No(s::RELAY_IS_ANSWERED),
        Some(written) if written.progress.past => No(s::STEP_PASSED),
        Some(written) if written.is_ahead() => No(s::NOTHING_HERE),
        _ => Yes,
    }
}

/// Takes back what was just written; else restores our record: the store looks once more before it changes anything.
fn undo(cx: &mut Cx<'_>) {
    let Some(written) = cx.model.receipt.clone() else { return };
    if written.can_take_back() && written.batch.is_empty() {
        removal::take_back(&written, cx);
    } else if written.can_take_back() {
        take_back(written.several(), cx);
    } else if written.progress.can_be_put_back() {
        let path = written.path.clone();
        let work = move |files: &Files| {
            let (path, now) = (files.root_path(&written.path), files.clock.now());
            let (record, status) = (written.written_record(&path), &written.progress.status);
            let done = pickup::put_back(&files.project, &files.state, &record, status, now);
            done.map(drop).map_err(|error| error.whole())
        };
        cx.ask(work, move |(), cx| {
            cx.say(Tone::Good, s::PUT_BACK);
            cx.do_next(Effect::Look);
            inbox::load(path, cx);
            verify(cx);
        });
    }
}

pub(super) fn show(written: Submitted, cx: &mut Cx<'_>) {
    let Submitted { path, packet, record, receipt, outputs, unnoted, defaults } = written;
    let mut form = cx.model.left.take_if(|form| form.gate.path == path).map(|form| *form);
    cx.on::<Form>(|open, _| {
        if open.gate.path == path {
            form = Some(open.clone());
        }
    });
    let batch = form.as_mut().map(|form| std::mem::take(&mut form.status.tried)).unwrap_or_default();
    let kept = form.as_ref().map(|form| form.to_save().beside_answers());
    let beside = form.as_ref().map(Form::in_no_record).unwrap_or_default();
    let title = form.map_or_else(|| cx.model.inbox.title_of(&path), |form| form.gate.title());
    let inbox = &mut cx.model.inbox;
    inbox.forget_draft(&path);
    if let Some(kept) = kept.filter(DraftToSave::is_authors) {
        inbox.drafts.insert(path.clone(), kept.draft.progress(kept.gate.spec()));
    }
    let progress = Progress {
        status: WrittenStatus::Intact,
        outputs,
        past: false,
        relayed: false,
        orphaned: false,
        hearing: None,
        is_outdated: false,
    };
    let at = cx.model.now;
    let written = Written { path, title, packet, record, receipt, at, progress, batch, defaults, beside };
    cx.model.inbox.forget_redone(written.paths());
    cx.model.receipt = Some(written);
    cx.go(Receipt);
    if let Some(why) = unnoted {
        cx.say(Tone::Bad, why);
    }
    cx.do_next(Effect::Look);
}

/// Finds out whether the record written here is still there, and what the step has made of it.
pub(super) fn verify(cx: &mut Cx<'_>) {
    let Some(written) = cx.model.receipt.clone() else { return };
    let path = written.path.clone();
    let work = move |files: &Files| {
        let file = files.root_path(&written.path);
        let mut batch = written.batch.clone();
        for record in &mut batch {
            let lost = |receipt| pickup::lost(&files.project, &record.path, receipt);
            record.lost = record.done.as_ref().ok().and_then(lost);
        }
        Some((pickup::progress(&files.project, &written.written_record(&file)), batch))
    };
    cx.tell(Some("verify"), work, move |(progress, batch), cx| {
        let written = cx.model.receipt.as_mut().filter(|written| written.path == path);
        let is_known = |written: &&mut Written| (&written.progress, &written.batch) == (&progress, &batch);
        cx.unchanged = written.as_ref().is_none_or(is_known);
        let Some(written) = written else { return };
        written.batch = batch;
        let was_intact = std::mem::replace(&mut written.progress, progress).status.is_intact();
        let lost = was_intact && written.is_lost();
        let title = written.title.clone();
        let notice = cx.model.notice.as_ref();
        let known = notice.is_some_and(|notice| notice.topic == Some(NoticeTopic::RecordDeleted));
        // The receipt itself says it.
        if lost && !known && cx.model.place != Place::Receipt {
            let says = say(
                "The record of {0} is no longer the one you wrote: somebody replaced or removed it.",
                "{0} 的记录已不是你写入的那一份：有人替换或移走了它。",
            );
            cx.say(Tone::Bad, Message::new(says, &[&title]));
        }
    });
}
