//! What became of the records of several packets: of those that were written where the open form's own was not, and of
//! those that were taken back.
//!
//! Contract: what was written together can be taken back together, but for what is of use by now.

use super::batch::BatchRecord;
use crate::console::action::Action;
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::form::Form;
use crate::console::inbox::loading as inbox;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Tone};
use crate::console::page;
use crate::console::receipt::page::{take_back_hint, write_outcomes};
use crate::console::screen::Available::{self, As};
use crate::console::screen::{Cx, Effect, Part, Screen, View};
use crate::console::sentences as s;
use crate::error::Message;
use crate::text::{Sentence, plural, say};

#[derive(Clone, Debug)]
pub struct Outcomes {
    pub records: Vec<BatchRecord>,
    pub are_taken_back: bool,
    scroll: Scroll,
}

impl Outcomes {
    pub(super) fn written(records: Vec<BatchRecord>) -> Outcomes {
        Outcomes { records, are_taken_back: false, scroll: Scroll::default() }
    }

    fn can_take_back(&self) -> bool {
        !self.are_taken_back && self.records.iter().any(|record| record.done.is_ok())
    }
}

impl Screen for Outcomes {
    fn context(&self, _model: &Model) -> Context {
        Context::Detail
    }

    fn offer(&self, action: &Action, _view: View<'_>) -> Available {
        match action {
            Action::UndoRedo if self.can_take_back() => As(s::TAKE_BACK),
            action => page::offer(action, &self.scroll),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::UndoRedo => {
                take_back(self.records.iter().filter(|record| record.done.is_ok()).cloned().collect(), cx);
            }
            action => page::scroll(&action, &self.scroll, cx),
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        page::draw(view.model, painter, (self, Part::Whole), &self.scroll);
    }

    fn write(&self, _part: Part, _model: &Model, sheet: &mut Sheet<'_>) {
        if self.are_taken_back {
            return write_outcomes(&self.records, s::IS_TAKEN_BACK, false, sheet);
        }
        if self.can_take_back() {
            take_back_hint(sheet);
        }
        sheet.blank();
        write_outcomes(&self.records, s::BATCH_WRITTEN, true, sheet);
    }

    fn title(&self, _part: Part) -> Sentence {
        if self.are_taken_back { s::TAKEN_BACK_PAGE } else { say("What was written", "写入情况") }
    }
}

/// Takes these records back, which were just written; those that were left are named.
pub(crate) fn take_back(records: Vec<BatchRecord>, cx: &mut Cx<'_>) {
    let inbox = &mut cx.model.inbox;
    let sharing: Vec<_> = records.iter().flat_map(|record| inbox.sharing(&record.path)).collect();
    inbox.taken_back.extend(sharing);
    cx.ask(move |files| Ok(files.take_back(records)), taken_back);
}

fn taken_back(records: Vec<BatchRecord>, cx: &mut Cx<'_>) {
    for left in records.iter().filter(|record| record.done.is_err()) {
        let sharing = cx.model.inbox.sharing(&left.path);
        cx.model.inbox.taken_back.retain(|path| !sharing.contains(path));
    }
    let left = records.iter().filter(|record| record.done.is_err()).count();
    let taken = records.len() - left;
    let english = [plural(taken, "record is", "records are"), plural(left, "is", "are")];
    let (says, tone) = if left == 0 { (s::TAKEN_BACK, Tone::Good) } else { (s::TAKEN_BACK_BUT, Tone::Warn) };
    let parts = [&english[0], &*taken.to_string(), &english[1], &*left.to_string()];
    cx.say(tone, Message::new(says, &parts));
    cx.do_next(Effect::Look);
    match cx.model.place {
        Place::Receipt if taken > 0 => {
            cx.model.receipt = None;
            if let Some(own) = records.first() {
                cx.model.inbox.select(&own.path);
            }
            inbox::back_to_list(cx);
        }
        Place::Review => cx.on::<Form>(Form::find_others),
        Place::Inbox | Place::Form | Place::Receipt | Place::History | Place::Questions => {}
    }
    if left > 0 {
        cx.cover(Outcomes { records, are_taken_back: true, scroll: Scroll::default() });
    } else {
        cx.uncover();
    }
}
