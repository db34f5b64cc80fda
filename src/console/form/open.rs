//! A gate opens: its form begins with what is known of it, or goes on where the author left it.

use super::Form;
use super::gate::{GateNow, RecordNow};
use super::status::{FormStatus, Warning};
use crate::ask::standing::is_place_of;
use crate::ask::{Diagnosis, Draft, JsString, QuestionSpec};
use crate::console::files::Files;
use crate::console::model::{Place, Status, Tone};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::console::story;
use crate::error::{Error, Message};
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::drafts::SavedDraft;
use crate::store::drafts::loan::{self, Left};
use crate::store::history;
use crate::store::lock::{self, Holder, Taken};
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

const YOURS_ABOVE_THE_RECORD: Sentence = say(
    "Your own earlier answers are back and come before those of the bad record. Both are shown; {other-answer} \
     switches between them.",
    "已恢复你自己先前的回答，它们优先于无效记录中的内容。两者都会显示，按 {other-answer} 换成另一个。",
);

/// A form that is about to be shown, and what is said of it.
pub struct Opened {
    form: Form,
    /// When its draft was kept, in RFC 3339, if one came back.
    restored: Option<String>,
    greeting: Option<Message>,
    /// Why a draft could not be read.
    trouble: Option<Message>,
    /// Whether a bad record is repaired with nothing left to decide.
    is_ready: bool,
    /// What an editor has saved for a console that ended before it got it back.
    left: Vec<Left>,
}

/// Opens the form of a packet's gate, as soon as it is loaded. The one that the author left for the inbox is newer than
/// any draft on the disk: it comes back at once.
pub fn open(packet: PathBuf, cx: &mut Cx<'_>) {
    open_as(packet, None, cx);
}

/// The same with the field in which the author says why he sends the step back; it was begun on another screen, to which it leads.
pub fn open_reason(packet: PathBuf, cx: &mut Cx<'_>) {
    open_as(packet, Some(cx.model.place), cx);
}

fn open_as(packet: PathBuf, reason_from: Option<Place>, cx: &mut Cx<'_>) {
    let entry = cx.model.inbox.entry_at(&packet);
    let (status, place) =
        (entry.map(|entry| entry.status), entry.and_then(|entry| entry.answer_path.clone()));
    // Another standing question of the step has a form of its own.
    let is_asked = |form: &Form| match (&form.gate.standing, &place) {
        (Some(asked), Some(place)) => is_place_of(&asked.name, &place.lossy()),
        _ => true,
    };
    cx.model.left.take_if(|form| form.gate.path == packet && !is_asked(form));
    let goes_on = |form: &mut Box<Form>| match status {
        Some(Status::Waiting | Status::SentBack) => form.gate.path == packet,
        Some(Status::Blocked) => form.gate.path == packet && form.status.repair().is_some(),
        _ => false,
    };
    if let Some(mut form) = cx.model.left.take_if(goes_on) {
        form.go_to(form.at);
        cx.model.receipt = None;
        // What is different now is no surprise.
        form.status.guarded_until = None;
        form.status.warned = form.status.warnings.values().next().cloned();
        form.see_if_shared(cx);
        form.reload(cx);
        if let Some(from) = reason_from {
            form.open_reason(from, cx);
        }
        return cx.go(*form);
    }
    let mut kept = cx.model.left.as_deref().cloned();
    cx.on::<Form>(|form, _| kept = Some(form.clone()));
    let kept = kept.filter(|form| form.gate.path == packet && is_asked(form));
    let work = move |files: &Files| files.open(&packet, kept.as_ref(), reason_from.is_some());
    cx.ask(work, move |opened, cx| show(opened, reason_from, cx));
}

fn show(opened: Opened, reason_from: Option<Place>, cx: &mut Cx<'_>) {
    let Opened { mut form, restored, greeting, trouble, is_ready, left } = opened;
    cx.model.left = None;
    cx.model.receipt.take_if(|_| reason_from != Some(Place::Receipt));
    if let Some(saved) = restored.filter(|_| reason_from.is_none()) {
        cx.model.inbox.drafts.insert(form.gate.path.clone(), form.draft.progress(form.spec()));
        let now = cx.model.local_now();
        let says = say(
            "Your answers of {0} are restored. Nothing is written until you submit.",
            "已恢复你{1}的回答。提交前不会写入。",
        );
        cx.say(Tone::Plain, Message::with(says, |lang| local_time_of(&saved, &now, lang)));
    }
    if let Some(greeting) = greeting {
        cx.say(Tone::Plain, greeting);
    }
    let again = form.say_again(form.status.again.len(), cx);
    if form.status.repair().is_some() && form.contested() > 0 {
        cx.say(Tone::Plain, YOURS_ABOVE_THE_RECORD);
    }
    if let Some(why) = trouble {
        cx.say(Tone::Warn, why);
    }
    for left in left {
        form.take_left(left, cx);
    }
    form.note_conflict(cx);
    if !form.status.warnings.is_empty() {
        // It would hide the warning for as long as the author types; what is back may be the other console's.
        cx.model.notice.take_if(|notice| notice.tone == Tone::Plain);
    }
    let changed = (!form.status.changes.is_empty()).then(|| form.status.changes_counted());
    form.status.warn(Warning::Questions, changed);
    if let Some(from) = reason_from {
        form.open_reason(from, cx);
    } else if is_ready {
        // The review is all that the author needs.
        form.show_review(false, cx);
    }
    story::list(&form.gate.path, cx);
    if again {
        // Said once: the draft is for the questions as they are now.
        form.save(cx);
    }
    cx.go(form);
}

/// Puts what was begun before into a draft; an approval only if what was approved is as it was.
fn take_over(draft: &mut Draft, mut kept: Draft, spec: &QuestionSpec, is_same: bool) {
    if !is_same {
        kept.forget_approvals(spec);
    }
    let begun = std::mem::replace(draft, kept);
    draft.fill_from(&begun);
}

impl Files {
    /// The form of a gate that is held up, with the draft that is kept, or that of the form of before, which is newer; else
    /// with the good answers of the bad record, or of the last one, whoever removed it. One that is answered opens only to be sent back.
    pub fn open(&self, path: &Path, before: Option<&Form>, sends_back: bool) -> Result<Opened, Message> {
        let GateNow { gate, record } = self.gate_now(path, s::not_loaded)?;
        let asks = gate.packet.gate.as_ref().ok_or(s::ASKS_NOTHING)?;
        let (recorded, greeting) = match record {
            RecordNow::There(before) if !sends_back && before.is_valid() => {
                return Err(Message::from(say(
                    "This gate is already answered. Take the answers back to answer again.",
                    "这个门控已经回答。收回后可再次作答。",
                )));
            }
            RecordNow::Odd(found) => return Err(s::because(s::CANNOT_REPAIR, &found)),
            RecordNow::There(bad) => {
                let present = bad.present.as_ref().filter(|there| there.by.is_none());
                let says = present.map(|there| greeting(&there.diagnosis, bad.fills(&asks.spec)));
                (Some(*bad), says)
            }
            RecordNow::Absent => {
                self.last_record(asks).map_or((None, None), |(last, says)| (Some(last), says))
            }
        };
        self.flush_drafts();
        let saved = self.drafts().load(&asks.answer_path, &asks.spec);
        let trouble = saved.as_ref().err().map(Error::whole).or_else(|| self.state.take_notices());
        let saved = self.pending_draft(asks).or(saved.ok().flatten()).filter(SavedDraft::is_authors);
        // What was only written beside the answers of a record is no draft that came back.
        let came_back =
            |saved: &&SavedDraft| recorded.is_none() || saved.job.draft.progress(&asks.spec).answered > 0;
        let mut restored = saved.as_ref().filter(came_back).map(|saved| saved.job.saved_at.clone());
        let greeting = greeting.filter(|_| restored.is_none());
        let mut draft =
            recorded.as_ref().map_or_else(|| Draft::new(&asks.spec), |record| record.good.clone());
        if recorded.as_ref().is_some_and(|record| record.present.is_none()) {
            // What was judged before may be another now.
            draft.forget_verdicts(&asks.spec);
        }
        let last_time = history::last_time(&self.state, asks);
        let (mut at, mut status) = (0, FormStatus { before: recorded, last_time, ..FormStatus::default() });
        if let Some(saved) = saved {
            status.known = saved.asked.map(Arc::new);
            (status.orphans, status.again, at) = (saved.job.orphans, saved.again, saved.job.at);
            take_over(&mut draft, saved.job.draft, &asks.spec, false);
        }
        if let Some(form) = before.filter(|form| form.draft.is_authors()) {
            let over = form.draft.carried_over(form.spec(), &asks.spec, form.status.orphans.clone());
            (status.orphans, status.again, at) = (over.orphans, over.again, form.at);
            take_over(&mut draft, over.draft, &asks.spec, form.gate.seen == gate.seen);
            // The answers were open all the time, so they are not announced as restored.
            restored = None;
        }
        // The lock of the gate before goes first: it may be the same one.
        self.release_gate();
        status.warn(Warning::Elsewhere, self.elsewhere(&asks.answer_path));
        let missing = || draft.missing(&asks.spec).first().copied();
        let need = status.repair().map(|repair| match restored {
            None => repair.diagnosis.first_in_need(&asks.spec, &draft),
            // An author who has been here before has seen what is wrong.
            Some(_) => missing(),
        });
        let is_ready = need == Some(None);
        let mut form = Form::new(gate, draft, need.flatten().unwrap_or(at), status);
        if let Some(before) = before {
            form.inherit_earlier(before);
        }
        let left = self.left_for(&form);
        Ok(Opened { form, restored, greeting, trouble, is_ready, left })
    }

    /// What an editor has saved in fields of this form for a console that ended.
    fn left_for(&self, form: &Form) -> Vec<Left> {
        let key = |path: &JsString| self.state.gate_key(path);
        let own = form.gate.answer_path().map(key);
        let mut left = loan::left(&self.state);
        left.retain(|left| left.loan.field.is_some() && Some(key(&left.loan.answer_path)) == own);
        left
    }

    /// Says who else answers the gate. Whoever came second has no lock, and may be here still when the first one has left.
    pub(super) fn elsewhere(&self, answer_path: &JsString) -> Option<Message> {
        let shared = || self.drafts().is_shared(answer_path).then(|| Message::from(s::GATE_SHARED));
        self.take_gate(answer_path).or_else(shared)
    }

    /// Takes the courtesy lock of the gate that is being answered, if it is not ours already; says who else has it. Without
    /// locks the gate can still be answered: the commit decides.
    fn take_gate(&self, answer_path: &JsString) -> Option<Message> {
        let mut held = self.answering.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return None;
        }
        let us = Holder::this_process(rfc3339_millis(self.clock.now()));
        match lock::take_gate(&self.state, answer_path, &us).ok()? {
            Taken::Ours(lock) => {
                *held = Some(lock);
                None
            }
            Taken::Theirs(holder) => {
                let Holder { tty, since, .. } = holder.unwrap_or_default();
                let now = self.clock.local_now();
                let since = [Lang::En, Lang::ZhCn].map(|lang| local_time_of(&since, &now, lang));
                Some(Message::new(
                    say(
                        "Another console is answering this gate ({0}, since {1}). The first record written counts; nothing of yours is lost.",
                        "另一个控制台正在回答这个门控（{0}，始于{2}）。先写入的记录生效，你的内容不会丢失。",
                    ),
                    &[&tty, &since[0], &since[1]],
                ))
            }
        }
    }
}

/// The first sentence of a repair: what happened to the record as a whole, if that is known.
fn greeting(diagnosis: &Diagnosis, fills: bool) -> Message {
    let whole = diagnosis.causes.iter().find(|cause| cause.pointer.is_empty());
    let begins = if fills { s::REPAIR_BEGINS } else { s::REPAIR_BEGINS_EMPTY };
    let Some(cause) = whole else { return Message::from(begins) };
    Message::in_both(|lang| say("{0} {1}", "{0}{1}").fill(lang, &[&cause.text(lang), begins.text(lang)]))
}
