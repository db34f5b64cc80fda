//! A gate opens: its form begins with what is known of it, or goes on where the author left it.

use super::Form;
use super::opened::OpenedGate;
use super::status::{Banner, FormStatus, Warnings};
use crate::ask::JsString;
use crate::console::files::Files;
use crate::console::model::{Message, Status, Tone};
use crate::console::say::{loaded_gate, unreadable};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::console::story;
use crate::store::clock::{local_time_of, rfc3339_millis};
use crate::store::drafts::{Loaded as Kept, SavedDraft};
use crate::store::gate::Loaded;
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
const ANSWER_FITS_AGAIN: Sentence =
    say("Your answer to {0} fits again and is filled in.", "你对“{0}”的回答又适用了，已重新填入。");
const ANSWERS_FIT_AGAIN: Sentence =
    say("{1} of your answers fit again and are filled in.", "你有 {1} 项回答又适用了，已重新填入。");

/// Opens the form of a packet's gate, as soon as it is loaded. The one that the author left for the inbox is newer than
/// any draft on the disk: it comes back at once.
pub fn open(packet: PathBuf, cx: &mut Cx<'_>) {
    let status = cx.model.inbox.entry_at(&packet).map(|entry| entry.status);
    let goes_on = |form: &mut Box<Form>| match status {
        Some(Status::Waiting) => form.gate.path == packet,
        Some(Status::Blocked) => form.gate.path == packet && form.status.repair.is_some(),
        _ => false,
    };
    if let Some(mut form) = cx.model.left.take_if(goes_on) {
        form.go_to(form.at);
        cx.model.receipt = None;
        // What is different now is no surprise.
        form.status.guarded_until = None;
        form.reload(cx);
        return cx.go(*form);
    }
    cx.ask(move |files| files.open(&packet), begin);
}

fn begin(mut opened: OpenedGate, cx: &mut Cx<'_>) {
    let mut kept = cx.model.left.take().map(|left| *left);
    cx.on::<Form>(|form, _| kept = Some(form.clone()));
    let kept = kept.filter(|form| form.gate.path == opened.gate.path);
    if let Some(kept) = kept.as_ref().filter(|form| form.draft.is_authors()) {
        kept.restore_into(&mut opened);
    }
    if let Some(saved) = &opened.restored {
        cx.model.inbox.drafts.insert(opened.gate.path.clone(), opened.draft.progress());
        let now = cx.model.local_now();
        let at = [Lang::En, Lang::ZhCn].map(|lang| local_time_of(saved, &now, lang));
        let says = say(
            "Your earlier answers are back (kept {0}). Nothing is written until you submit.",
            "已恢复之前的回答（保存于{1}）。提交前不会写入。",
        );
        cx.say(Tone::Plain, Message::new(says, &[&at[0], &at[1]]));
    }
    if let Some(greeting) = &opened.greeting {
        cx.say(Tone::Plain, greeting.clone());
    }
    let set_aside = opened.set_aside.clone();
    let repairs = opened.status.repair.is_some();
    let need = opened.in_need().filter(|_| repairs);
    opened.at = need.unwrap_or(opened.at);
    cx.model.receipt = None;
    let mut form = Form::open(opened);
    if let Some(kept) = &kept {
        form.inherit_earlier(kept);
    }
    let again = form.answers_again(form.status.again.len());
    let saves = again.is_some();
    if let Some(again) = again {
        cx.say(Tone::Good, again);
    }
    if repairs && form.contested() > 0 {
        cx.say(Tone::Plain, YOURS_ABOVE_THE_RECORD);
    }
    if let Some(why) = set_aside {
        cx.say(Tone::Warn, why);
    }
    if form.status.warnings.elsewhere.is_some() {
        // It would hide the warning for as long as the author types; what is back may be the other console's.
        cx.model.notice.take_if(|notice| notice.tone == Tone::Plain);
    }
    let changed = !form.status.changes.is_empty();
    form.status.warnings.banner = changed.then(|| Banner::packet_changed(&form.status));
    form.note_conflict(cx);
    if repairs && need.is_none() {
        // With nothing left to decide, the review is all that the author needs.
        form.show_review(false, cx);
    }
    story::list(&form.gate.path, cx);
    if saves {
        // Said once: the draft is for the questions as they are now.
        form.save(cx);
    }
    cx.go(form);
}

impl Form {
    /// Says that the last so many answers are filled in again.
    pub(super) fn answers_again(&self, count: usize) -> Option<Message> {
        let last = self.status.again[..count].first()?;
        let (_, question) = self.spec().find(last)?;
        let says = if count == 1 { ANSWER_FITS_AGAIN } else { ANSWERS_FIT_AGAIN };
        Some(Message::new(says, &[&question.header.display(), &count.to_string()]))
    }
}

impl Files {
    /// Loads a gate for answering, with its draft.
    ///
    /// # Errors
    /// It cannot be answered, and why.
    pub fn open(&self, path: &Path) -> Result<OpenedGate, Message> {
        let loaded = self.load_or_say(path)?;
        match loaded.status() {
            Status::NoGate | Status::Malformed => Err(Message::from(s::ASKS_NOTHING)),
            Status::Answered => Err(Message::from(say(
                "This gate is already answered. Redo it to answer again.",
                "这个门控已经回答。重做后可再次作答。",
            ))),
            Status::Blocked if !loaded.record.is_read() => Err(unreadable(&loaded)),
            Status::Waiting | Status::Blocked => Ok(self.opened(path, loaded)),
        }
    }

    /// A gate that is held up, with its kept draft, if there is one, and what an earlier record of it said.
    fn opened(&self, path: &Path, loaded: Loaded) -> OpenedGate {
        let Some(gate) = loaded.gate() else {
            return OpenedGate { gate: loaded_gate(path, loaded), ..OpenedGate::default() };
        };
        self.flush_drafts();
        let Kept { draft: saved, trouble } = self.drafts().load(&gate.answer_path, &gate.spec);
        let trouble = trouble.or_else(|| self.state.take_notices());
        let saved = self.pending_draft(gate).or(saved);
        let start = self.start(&loaded, gate);
        let was_recorded = start.before.is_some();
        // Whoever came second has no lock, and may be here still when the first one has left.
        let shared = || self.drafts().is_shared(&gate.answer_path).then(|| Message::from(s::GATE_SHARED));
        let elsewhere = self.take_gate(&gate.answer_path).or_else(shared);
        let status = FormStatus {
            repair: start.repair,
            before: start.before,
            warnings: Warnings { elsewhere, ..Warnings::default() },
            last_time: history::last_time(&self.state, gate),
            ..FormStatus::default()
        };
        let mut opened =
            OpenedGate { draft: start.draft, set_aside: trouble, status, ..OpenedGate::default() };
        if let Some(mut saved) = saved.filter(SavedDraft::is_authors) {
            // What was only written beside the answers of a record is no draft that came back.
            let is_beside = was_recorded && saved.draft.progress().answered == 0;
            saved.draft.fill_from(&opened.draft);
            (opened.draft, opened.status.orphans, opened.at) = (saved.draft, saved.orphans, saved.at);
            opened.status.again = saved.again;
            opened.status.known = saved.asked.filter(|_| saved.spec_changed).map(Arc::new);
            opened.restored = Some(saved.saved_at).filter(|_| !is_beside);
        }
        if opened.restored.is_none() {
            opened.greeting = start.greeting;
        }
        OpenedGate { gate: loaded_gate(path, loaded), ..opened }
    }

    /// Takes the courtesy lock of the gate that is being answered; says who else has it. Without locks the gate can still
    /// be answered: the commit decides.
    fn take_gate(&self, answer_path: &JsString) -> Option<Message> {
        let mut held = self.answering.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock of the gate before goes first: it may be the same one.
        *held = None;
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
