//! The review: every answer, what is missing first; the only place from which a record is written.
//!
//! Contract:
//! * Only the submit key or a click on the button submits; Enter edits the row.
//! * A repeat of the submit key that opened the review never submits, and a notice says so.
//! * Esc goes back to the question that the author came from.
//! * While a required answer is missing, submitting goes to its question instead.
//! * Other gates that wait with these questions are looked for when the review opens, and when others come; what is found is
//!   what can be answered too, and nothing else. None is answered unless the author has opened their list and confirmed its ticks; at
//!   first those of the same topic stand; of those that come later, none.

pub mod answer;
pub mod batch;
pub mod draw;
pub mod outcomes;
pub mod packets;
pub mod record;
pub mod submit;

use self::batch::{Batch, BatchGate, BatchRecord, GONE, WAITS_NO_MORE};
use self::outcomes::Outcomes;
use self::submit::{Outcome, Submission, rivals};
use crate::ask::to_line;
use crate::console::action::{Action, Target};
use crate::console::draw::layout;
use crate::console::files::Files;
use crate::console::filtered_list::FilteredList;
use crate::console::form::Form;
use crate::console::form::gate::GateNow;
use crate::console::form::sending_back::{self, TOO_SOON_TO_SEND};
use crate::console::inbox::removal;
use crate::console::model::{Entry, NoticeTopic, Status, Tone};
use crate::console::page::Page;
use crate::console::prompt::Prompt;
use crate::console::receipt;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::{Cx, Effect, Part};
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::pickup::Consequences;
use crate::text::{Sentence, say};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What a reader of UTF-8 puts in the place of other bytes.
const LOST: char = '\u{fffd}';
const LOST_ASKS: Sentence = say(
    "The packet of {0} is not UTF-8: characters of it are lost (\u{fffd}). Write the record all the same?",
    "{0} 的指令包不是 UTF-8，其中的字符已丢失（\u{fffd}）。仍要写入记录吗？",
);
const LOST_MEANS: Sentence = say(
    "The record repeats them, and the executor takes it. Better have the packet written again as UTF-8 first.",
    "记录会照抄这些字符，执行器会接受。最好先让执行器用 UTF-8 重写指令包。",
);
const TO_WHAT_IS_MISSING: Sentence = say("to what is missing", "去补答");
const SEND_BACK: Sentence = say("send back", "退回");
const MINE_INSTEAD: Sentence = say(
    "{undo-redo} puts yours in the place of theirs, which moves to the history.",
    "按 {undo-redo} 改用你的记录，对方的移入历史。",
);
const THEIRS_IS_KEPT: Sentence = say(
    "Theirs ({0}) is in the history; {inbox.history} in the inbox shows it.",
    "对方的记录（{1}）已移入历史，在列表按 {inbox.history} 查看。",
);
const REPLACE_ASKS: Sentence = say("Put your record of {0} in the place of theirs?", "{0} 改用你的记录吗？");
const REPLACE_MEANS: Sentence = say(
    "Theirs moves to the history, byte for byte, and yours is written in its place.",
    "对方的记录会原样移入历史，你的记录写入原处。",
);

pub(super) fn offer(form: &Form, action: &Action) -> Available {
    let complete = form.draft.missing(form.spec()).is_empty();
    match action {
        Action::Editor if form.status.repair().is_none() => No(s::NOTHING_TO_EDIT),
        Action::All if form.is_packet_gone() => No(s::NOBODY_ASKS),
        Action::All if form.sends_back() => No(say("Only this packet is sent back.", "只退回这一个指令包。")),
        Action::All if form.status.repair().is_some() => {
            No(say("A repair is for this packet only.", "修复只针对这一个指令包。"))
        }
        Action::All => match &form.status.batch {
            None => No(say("Still looking for packets with these questions.", "还在查找问题相同的指令包。")),
            Some(batch) if batch.gates.is_empty() => No(s::NO_OTHER_PACKETS),
            Some(_) => Yes,
        },
        Action::Note if form.review_question().is_none() => No(s::NOTHING_HERE),
        Action::Accept if form.review.row < form.draft.missing(form.spec()).len() => As(s::ANSWER),
        Action::UndoRedo if form.status.answered_first().is_none() => No(s::NOTHING_TO_UNDO),
        Action::Submit | Action::UndoRedo if form.is_packet_gone() => Unlisted,
        Action::Submit if form.sends_back() => As(SEND_BACK),
        Action::Expand if form.sends_back() => As(say("the whole text", "全文")),
        // They say what is to be done first.
        Action::Submit if form.status.answered_first().is_some() => Unlisted,
        Action::Submit | Action::UndoRedo if !complete => As(TO_WHAT_IS_MISSING),
        // What is in the way is said above.
        Action::Submit | Action::UndoRedo if form.gate.refusal.is_some() => Unlisted,
        // The last row may belong to no question.
        _ => form.offer_of_question(form.review_question().unwrap_or(usize::MAX), action),
    }
}

pub(super) fn offer_in_packets(form: &Form, action: &Action) -> Available {
    let list = form.packets().map(|(_, list)| list);
    match action {
        Action::Back if list.is_some_and(FilteredList::is_filtered) => As(s::CLEAR_FILTER),
        Action::Pick | Action::All if list.is_none_or(|list| list.hits.is_empty()) => No(s::NOTHING_LISTED),
        Action::Review => No(say(
            "{accept} goes back to the review with these ticks; submit there.",
            "先按 {accept} 带着勾选回到核对，再在那里提交。",
        )),
        Action::Note | Action::Story => No(s::NOTHING_HERE),
        _ => Yes,
    }
}

impl Form {
    pub(crate) fn act_in_review(&mut self, action: &Action, cx: &mut Cx<'_>) {
        let row = self.review.row;
        let complete = self.draft.missing(self.spec()).is_empty();
        let too_soon = if self.sends_back() {
            TOO_SOON_TO_SEND
        } else if complete {
            say("Wait a moment, then press {submit} to submit.", "请稍等片刻，再按 {submit} 提交。")
        } else {
            say(
                "Wait a moment, then press {submit} to go to what is missing.",
                "请稍等片刻，再按 {submit} 跳到未答的题。",
            )
        };
        match action {
            Action::Submit if complete && !self.sends_back() && self.status.answered_first().is_some() => {
                cx.say(Tone::Warn, MINE_INSTEAD);
            }
            Action::Submit if complete && !self.sends_back() && self.gate.refusal.is_some() => {
                self.submit(cx);
            }
            Action::Submit if self.comes_too_soon(too_soon, cx) => {}
            Action::Submit | Action::UndoRedo | Action::Point(Target::Submit) => self.submit(cx),
            Action::Accept => self.edit_row(row, cx),
            Action::Point(Target::Row(row)) => self.edit_row(*row, cx),
            Action::Point(Target::Question(at)) => self.show_question(*at, cx),
            Action::All | Action::Point(Target::Batch) => {
                let batch = self.status.batch.as_mut().filter(|_| !self.status.submitting);
                batch.filter(|batch| !batch.gates.is_empty()).into_iter().for_each(Batch::open_list);
            }
            Action::Editor => self.edit_record(cx),
            Action::Back | Action::Previous => self.show_question(self.at, cx),
            _ => {
                let to = action.row_from(row, self.review.list.rows()).unwrap_or(row);
                self.review.row = to.min(self.review_rows().saturating_sub(1));
            }
        }
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
            self.review.to_return = true;
            self.show_question(missing, cx);
            let says = say(
                "“{0}” must be answered first. Nothing was written.",
                "“{0}”必须先回答。尚未写入任何内容。",
            );
            return cx.say(Tone::Warn, Message::new(says, &[&self.question().header.display()]));
        }
        if let Some(refusal) = self.gate.refusal.clone().filter(|_| !self.sends_back()) {
            return cx.say(Tone::Bad, refusal);
        }
        if self.status.moved_until.is_some() {
            return cx.say(Tone::Warn, s::QUESTIONS_MOVED);
        }
        if self.status.repair().is_some_and(|repair| repair.foreign) {
            let title = cx.model.inbox.title_of(&self.gate.path);
            let asks = Message::new(s::REPLACE_FOREIGN_ASKS, &[&title]);
            let yes = |cx: &mut Cx<'_>| cx.on::<Form>(|form, cx| form.write_record(true, cx));
            let prompt = Prompt::new(asks, s::REPLACE_FOREIGN_MEANS, yes);
            return cx.cover(Prompt { is_about_form: true, ..prompt });
        }
        let answers = self.draft.answers(self.spec());
        if self.spec().topic.lossy().contains(LOST) || to_line(&answers).contains(LOST) {
            let title = cx.model.inbox.title_of(&self.gate.path);
            let yes = |cx: &mut Cx<'_>| cx.on::<Form>(|form, cx| form.write_record(false, cx));
            let prompt = Prompt::new(Message::new(LOST_ASKS, &[&title]), LOST_MEANS, yes);
            return cx.cover(Prompt { is_about_form: true, ..prompt.unread(cx.model.now) });
        }
        self.write_record(false, cx);
    }

    /// Writes the record, in the place of the one that lies there; `warned` if the author knows what the step has made of it.
    fn write_record(&mut self, warned: bool, cx: &mut Cx<'_>) {
        self.save(cx);
        self.status.submitting = true;
        self.status.tried.clear();
        let submission = Submission {
            draft: self.to_save(),
            replaces: self.status.present().map(|there| there.seen.clone()),
            warned: warned || self.status.answered_first().is_none() || self.sends_back(),
            rivals: cx.model.inbox.entry_at(&self.gate.path).map(rivals).unwrap_or_default(),
            batch: self.batch_to_submit().cloned().collect(),
        };
        submit(submission, cx);
    }

    /// The step has gone on with the answers that came first: the author is to know it.
    fn confirm(&mut self, made: &Consequences, cx: &mut Cx<'_>) {
        self.status.submitting = false;
        let title = cx.model.inbox.title_of(&self.gate.path);
        let yes = |cx: &mut Cx<'_>| cx.on::<Form>(|form, cx| form.write_record(true, cx));
        let prompt =
            Prompt::new(Message::new(REPLACE_ASKS, &[&title]), REPLACE_MEANS, yes).unread(cx.model.now);
        cx.cover(Prompt { is_about_form: true, warnings: removal::warnings(made), ..prompt });
    }

    /// The record was not written: why, and the gate as it is now. What became of the others is listed with it.
    pub(crate) fn not_written(
        &mut self,
        tone: Tone,
        why: Message,
        now: Result<GateNow, Message>,
        cx: &mut Cx<'_>,
    ) {
        self.status.submitting = false;
        self.reloaded(now, cx);
        self.save(cx);
        if self.status.tried.is_empty() {
            return cx.model.say_about(NoticeTopic::NotWritten, tone, why);
        }
        let (path, title) = (self.gate.path.clone(), self.gate.title());
        self.status.tried.insert(0, BatchRecord { path, title, done: Err(why), unnoted: None, lost: None });
        self.list_tried(cx);
    }

    /// It ended where it should not: what was tried is listed. Those that still wait can be answered with the next
    /// submission.
    pub(crate) fn list_tried(&mut self, cx: &mut Cx<'_>) {
        let records = std::mem::take(&mut self.status.tried);
        if records.is_empty() {
            return;
        }
        let written = records.iter().filter(|record| record.done.is_ok());
        cx.model.inbox.forget_redone(written.map(|record| &*record.path));
        cx.do_next(Effect::Look);
        self.find_others(cx);
        cx.cover(Outcomes::written(records));
    }

    pub(crate) fn find_others(&mut self, cx: &mut Cx<'_>) {
        if let Some(batch) = self.status.batch.take() {
            self.status.batch_before = batch.taken().map(|other| other.gate.path.clone()).collect();
        }
        if self.status.repair().is_some() {
            return;
        }
        let candidates = self.candidates(cx);
        if candidates.is_empty() {
            self.status.batch = Some(Batch::default());
            return;
        }
        self.look_for_others(candidates, cx);
    }

    /// The packets that may wait with these questions, as the list of gates has them.
    fn candidates(&self, cx: &Cx<'_>) -> Vec<Arc<Entry>> {
        let asked = self.spec().fingerprints().1;
        let candidates = cx.model.inbox.entries.iter().filter(|entry| {
            let waits = entry.status == Status::Waiting && !entry.past && !entry.is_repeated();
            waits && entry.question_hash == asked && *entry.path != *self.gate.path
        });
        candidates.cloned().collect()
    }

    fn look_for_others(&self, candidates: Vec<Arc<Entry>>, cx: &mut Cx<'_>) {
        let path = self.gate.path.clone();
        let (of, asked, spec_hash) = (path.clone(), self.gate.asked, self.gate.spec_hash());
        cx.tell(
            Some("others"),
            move |files| Some(files.find_batch(&path, &spec_hash, &candidates)),
            move |gates, cx| {
                cx.on::<Form>(|form, cx| {
                    let is_open = form.status.batch.is_none() || !form.status.submitting;
                    if form.gate.path == of && form.gate.asked == asked && is_open {
                        form.found_others(gates, cx);
                    }
                });
            },
        );
    }

    /// The list of gates has changed: packets that wait no more do not count, and those that have come are offered. While records
    /// are written here, those that were tried count.
    pub(crate) fn count_others(&mut self, cx: &mut Cx<'_>) {
        let candidates = self.candidates(cx);
        let Some(batch) = self.status.batch.as_mut().filter(|_| !self.status.submitting) else { return };
        let mut waiting: HashSet<&Path> = candidates.iter().map(|entry| &*entry.path).collect();
        for other in &mut batch.gates {
            let is_there = cx.model.inbox.entry_at(&other.gate.path).is_some();
            let why = if is_there { WAITS_NO_MORE } else { GONE };
            other.waits_no_more = (!waiting.remove(&*other.gate.path)).then_some(why);
        }
        let (has_come, has_gone) = (!waiting.is_empty(), batch.gates.iter().any(|other| !other.waits()));
        if (has_come || has_gone) && self.status.repair().is_none() {
            self.look_for_others(candidates, cx);
        }
    }

    fn found_others(&mut self, gates: Vec<BatchGate>, cx: &mut Cx<'_>) {
        let low = layout::review(cx.model.size)[2].height < layout::WHOLE_FOOT;
        let mut batch = Batch::new(gates, &self.gate.spec().topic, &self.status.batch_before);
        let known = self.status.batch.take();
        let is_new = known.as_ref().is_none_or(|known| known.gates.is_empty());
        if let Some(known) = known {
            batch.keep(known);
        }
        if is_new && low && self.in_review && cx.model.notice.is_none() && !batch.gates.is_empty() {
            // The line in the foot has no room for words.
            cx.say(Tone::Plain, Message::with(s::SAME_NOTICE, |lang| batch.names(lang)));
        }
        self.status.batch = Some(batch);
    }

    pub(crate) fn packets(&self) -> Option<(&Batch, &FilteredList)> {
        let batch = self.status.batch.as_ref().filter(|_| self.in_review)?;
        Some((batch, batch.list.as_ref()?))
    }

    pub(crate) fn act_in_packets(&mut self, action: &Action, cx: &mut Cx<'_>) {
        let Some(batch) = &mut self.status.batch else { return };
        let Some(list) = &mut batch.list else { return };
        match action {
            Action::Accept => return batch.take_list(),
            Action::All => batch.tick_all(),
            action if list.act(action) => batch.refilter(),
            Action::Back => batch.list = None,
            _ => {}
        }
        let ticks = matches!(action, Action::Pick | Action::Point(Target::Row(_)));
        if ticks && let Err(why) = batch.tick() {
            cx.say(Tone::Plain, Message::in_both(|lang| s::CANNOT_WRITE.fill(lang, &[&why.text(lang)])));
        }
    }
}

/// Has some of the records written, until all were tried.
fn submit(submission: Submission, cx: &mut Cx<'_>) {
    cx.model.writing = Some(submission.draft.gate.path.clone());
    let work = move |files: &Files| Ok(files.submit(submission));
    cx.ask(work, |outcome, cx| match outcome {
        Outcome::Underway(submission, tried) => {
            cx.on::<Form>(|form, _| form.status.tried.extend(tried));
            submit(*submission, cx);
        }
        Outcome::Written(written) => {
            let mut theirs = None;
            cx.on::<Form>(|form, _| theirs = form.status.answered_first().cloned());
            receipt::show(*written, cx);
            if let Some(theirs) = theirs.filter(|_| cx.model.notice.is_none()) {
                cx.say(Tone::Good, s::because(THEIRS_IS_KEPT, &theirs));
            }
        }
        Outcome::SentBack(path, sent) => sending_back::show(&path, sent, cx),
        Outcome::Unconfirmed(made) => cx.on::<Form>(|form, cx| form.confirm(&made, cx)),
        Outcome::Unwritten(tone, why, now) => {
            cx.on::<Form>(|form, cx| form.not_written(tone, why, now, cx));
        }
    });
}
