//! The packet of the open form has changed, or another packet has the same answer path.
//!
//! Contract:
//! * Answers follow a packet to a new answer path; a banner names it.
//! * The changes can be shown as a page for as long as the form is open.

use super::Form;
use super::status::{Banner, BannerTopic};
use crate::ask::{JsString, Packet};
use crate::console::model::{Message, Notice, Tone};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::store::entry::Entry;
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

impl Form {
    /// Makes a change that may bring a new warning. Then the notice goes: it would hide the warning for as long as the author
    /// types. One of a failure stays, and the good news of the change itself, which goes with the next key.
    pub(crate) fn change_status<T>(
        &mut self,
        cx: &mut Cx<'_>,
        change: impl FnOnce(&mut Form, &mut Cx<'_>) -> T,
    ) -> T {
        let lasting = |form: &Form| form.status.warnings.all().next().cloned();
        let (before, said) = (lasting(self), cx.model.notice.clone());
        let changed = change(self, cx);
        let now = lasting(self);
        if now.is_some() && now != before {
            let good_news = |notice: &Notice| notice.tone == Tone::Good && said.as_ref() != Some(notice);
            cx.model.notice.take_if(|notice| notice.tone != Tone::Bad && !good_news(notice));
        }
        changed
    }

    /// Notes whether another packet wants other answers in the same place.
    pub(super) fn note_conflict(&mut self, cx: &mut Cx<'_>) {
        self.change_status(cx, |form, cx| {
            form.status.warnings.conflict = cx.model.inbox.entry_at(&form.gate.path).and_then(conflict);
        });
    }

    /// The console that came first learns here of the other one, which learned of it when it opened the gate.
    pub(super) fn see_if_shared(&self, cx: &mut Cx<'_>) {
        let Some(gate) = self.gate.packet.gate.as_ref().filter(|_| self.status.warnings.elsewhere.is_none())
        else {
            return;
        };
        let answer_path = gate.answer_path.clone();
        let shared = answer_path.clone();
        cx.tell_each(
            move |files| files.drafts().is_shared(&answer_path).then_some(()),
            move |(), cx| Form::with_open(cx, |form, cx| form.shared(&shared, cx)),
        );
    }

    /// Another console has answers to this gate too.
    pub(crate) fn shared(&mut self, answer_path: &JsString, cx: &mut Cx<'_>) {
        if self.answers_to(answer_path) {
            self.change_status(cx, |form, _| {
                form.status.warnings.elsewhere.get_or_insert_with(|| Message::from(s::GATE_SHARED));
            });
        }
    }

    /// Answers could not be kept safe, or can be again.
    pub(crate) fn draft_trouble(&mut self, trouble: Option<Message>, cx: &mut Cx<'_>) {
        self.change_status(cx, |form, _| form.status.warnings.unkept = trouble);
    }

    pub(crate) fn answers_to(&self, answer_path: &JsString) -> bool {
        self.gate.packet.gate.as_ref().is_some_and(|gate| gate.answer_path == *answer_path)
    }

    /// Loads the gate again, unless its packet is being written: half a packet says less than the old one.
    pub(super) fn reload(&self, cx: &mut Cx<'_>) {
        let entry = cx.model.inbox.entry_at(&self.gate.path);
        if entry.is_some_and(|entry| entry.being_written) {
            return;
        }
        let path = self.gate.path.clone();
        cx.tell(
            "reload",
            move |files| Some(files.reload(&path)),
            |reloaded, cx| Form::with_open(cx, |form, cx| form.reloaded(reloaded, cx)),
        );
    }

    /// Works with the form on the stack, or with the one that the author has left for the inbox.
    pub(crate) fn with_open(cx: &mut Cx<'_>, work: impl FnOnce(&mut Form, &mut Cx<'_>)) {
        let Some(mut left) = cx.model.left.take() else { return cx.on::<Form>(work) };
        work(&mut left, cx);
        cx.model.left.get_or_insert(left);
    }

    /// Takes over a packet that asks the same questions. Returns whether the answers go somewhere else now.
    pub(super) fn take_packet(&mut self, packet: Arc<Packet>) -> bool {
        let place = |packet: &Packet| packet.gate.as_ref().map(|gate| gate.answer_path.clone());
        let (before, now) = (place(&self.gate.packet), place(&packet));
        self.gate.packet = packet;
        let moved = before != now;
        if let Some(now) = now.filter(|_| moved) {
            let says = say(
                "The packet now wants the answers in another place: {0}. They are kept and will go there.",
                "指令包要求把回答写到新的位置：{0}。回答已保留，将写到那里。",
            );
            let message = Message::new(says, &[&now.display()]);
            self.status.warnings.banner = Some(Banner::new(BannerTopic::AnswerPath, message));
        }
        moved
    }
}

/// The sentence that names a packet with other questions for the same place.
fn conflict(entry: &Entry) -> Option<Message> {
    let (rival, _) = entry.others().find(|(_, agrees)| !agrees)?;
    let own = entry.path.to_path_buf();
    // File names are enough, unless they are equal.
    let shown = |path: &Path| match path.file_name() {
        Some(name) if own.file_name() != rival.file_name() => name.to_string_lossy().into_owned(),
        _ => path.to_string_lossy().into_owned(),
    };
    let says = say(
        "Conflict: {0} and {1} want different answers in one place. One record cannot answer both; \
         have one of them rewritten.",
        "冲突：{0} 与 {1} 要在同一位置写入不同的回答。一份记录无法同时回答两者，请让执行器重新生成其中一个。",
    );
    Some(Message::new(says, &[&shown(&own), &shown(rival)]))
}
