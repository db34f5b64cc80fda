//! Sending the step back: the author gives no answer, and says why.
//!
//! Contract:
//! * Every key keeps the reason, with the draft of the answers; Esc goes back to where he came from.
//! * Only the submit key sends, and not one that comes as soon as the field is open. Without a reason, or a question that does not
//!   apply, nothing is sent.
//! * Who answered meanwhile is seen first: nothing is sent, and the reason stays.

use super::refusal::Sent;
use super::{Form, NoteField, ReasonFrom};
use crate::ask::Reason;
use crate::console::action::Action;
use crate::console::draw::field::text_field;
use crate::console::draw::layout::{self, RectExt};
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::field::TextField;
use crate::console::files::Files;
use crate::console::inbox::later;
use crate::console::inbox::loading::{back_to_list, moved};
use crate::console::model::{NoticeTopic, Place, Size, Tone};
use crate::console::receipt::Receipt;
use crate::console::review::batch::{Batch, BatchGate};
use crate::console::rounds::Rounds;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::error::Message;
use crate::store::file::is_question_file;
use crate::store::rounds::SentBack;
use crate::text::{Sentence, say};
use std::path::{Path, PathBuf};

const NO_REASON: Sentence = say(
    "Say why you send it back; or {pick} says that the question does not apply. Nothing was sent.",
    "请写明退回的理由，或按 {pick} 标明此题不适用。尚未退回。",
);
pub(crate) const TOO_SOON_TO_SEND: Sentence =
    say("Wait a moment, then press {submit} to send it back.", "请稍等片刻，再按 {submit} 退回。");
const SENT: Sentence =
    say("Sent back: {0}. {inbox.undo-redo} takes it back.", "已退回：{0}。按 {inbox.undo-redo} 收回。");
const TAKEN_BACK: Sentence = say(
    "{0} is no longer sent back: the gate waits, and what you had written is in its form.",
    "已收回对 {0} 的退回：门控重新等待，你写过的内容在表单中。",
);

impl Form {
    pub fn is_sending_back(&self) -> bool {
        self.note.as_ref().is_some_and(|note| note.sends_back.is_some())
    }

    /// Whether the answers send the step back.
    pub fn sends_back(&self) -> bool {
        self.draft.sends_back(self.spec()).is_some()
    }

    /// What the author has given in place of an answer, while that holds.
    pub(super) fn refusal(&self) -> Option<&SentBack> {
        self.gate.sent_back.as_deref().filter(|_| self.gate.is_sent_back)
    }

    /// The rounds of options of the question at this place, if a packet asks for them.
    pub(super) fn rounds(&self, at: usize) -> Option<Rounds<'_>> {
        let standing = self.gate.standing.as_deref().filter(|_| !is_question_file(&self.gate.path));
        Rounds::of(standing, &self.spec().questions[at])
    }

    /// The other gates whose records are written with it; only one step is sent back.
    pub fn batch_to_submit(&self) -> impl Iterator<Item = &BatchGate> {
        let batch = self.status.batch.iter().filter(|_| !self.sends_back());
        batch.flat_map(Batch::taken)
    }

    /// Opens the field of the reason, with what was written there before; with what was sent, while that holds.
    pub(crate) fn open_reason(&mut self, from: Place, cx: &mut Cx<'_>) {
        if let Some(sent) = self.refusal().filter(|_| self.draft.reason.is_blank()) {
            let (words, does_not_apply) = (sent.reason.clone(), sent.does_not_apply.clone());
            self.draft.reason = Reason { words, does_not_apply };
        }
        let here = if self.in_review { self.review_question().unwrap_or(self.at) } else { self.at };
        let named = self.draft.reason.does_not_apply.as_ref().and_then(|id| self.spec().find(id));
        let at = named.map_or(here, |(at, _)| at);
        let field = TextField::new(&self.draft.reason.words.lossy(), true);
        let from = match from {
            Place::Inbox => ReasonFrom::Inbox,
            Place::Receipt => ReasonFrom::Receipt,
            Place::Form | Place::Review | Place::History | Place::Questions => ReasonFrom::Form,
        };
        self.note = Some(NoteField { at, field, sends_back: Some(from) });
        self.status.reason_over = self.status.present().map(|there| there.seen.clone());
        self.unread_since = Some(cx.model.now);
    }

    pub(super) fn offer_in_reason(&self, action: &Action) -> Available {
        match action {
            Action::Pick if self.draft.reason.does_not_apply.is_some() => As(say("it applies", "仍适用")),
            Action::SendBack => Unlisted,
            Action::OtherAnswer
            | Action::Note
            | Action::Next
            | Action::Previous
            | Action::Review
            | Action::HandBack => No(s::NOTHING_HERE),
            Action::Changes => self.offer_of_question(self.at, action),
            _ => Yes,
        }
    }

    pub(super) fn act_in_reason(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Submit => self.send_back(cx),
            Action::Pick => {
                let id = self.note.as_ref().map(|note| self.spec().questions[note.at].id.clone());
                let reason = &mut self.draft.reason;
                reason.does_not_apply = id.filter(|_| reason.does_not_apply.is_none());
                self.save(cx);
            }
            Action::Back => self.leave_reason(cx),
            Action::SendBack | Action::Point(_) => {}
            action => self.act_in_field(action, cx),
        }
    }

    /// The answered gate of the receipt or of the list has no form to go on with.
    fn leave_reason(&mut self, cx: &mut Cx<'_>) {
        let from = self.note.take().and_then(|note| note.sends_back);
        let reason = &self.draft.reason;
        let is_sent =
            |sent: &SentBack| (&sent.reason, &sent.does_not_apply) == (&reason.words, &reason.does_not_apply);
        if self.gate.is_sent_back && self.gate.sent_back.as_deref().is_some_and(is_sent) {
            // It is no draft, but what was sent.
            self.draft.reason = Reason::default();
        }
        self.save(cx);
        match from {
            None | Some(ReasonFrom::Form) => {}
            Some(ReasonFrom::Receipt) if cx.model.receipt.is_some() => cx.go(Receipt),
            Some(_) if self.status.answered_first().is_some() => back_to_list(cx),
            Some(_) => self.leave(cx),
        }
    }

    fn send_back(&mut self, cx: &mut Cx<'_>) {
        if self.status.submitting || self.comes_too_soon(TOO_SOON_TO_SEND, cx) {
            return;
        }
        if self.draft.reason.is_blank() {
            return cx.say(Tone::Warn, NO_REASON);
        }
        if self.status.guarded_until.is_some() || self.status.moved_until.is_some() {
            return cx.say(Tone::Warn, s::QUESTIONS_MOVED);
        }
        let over = self.status.present().map(|there| there.seen.clone());
        if over.is_some() && over != self.status.reason_over {
            self.status.reason_over = over;
            return cx.say(Tone::Warn, ANSWERED_MEANWHILE);
        }
        self.save(cx);
        self.status.submitting = true;
        let (draft, path) = (self.to_save(), self.gate.path.clone());
        cx.model.writing = Some(path.clone());
        let work = move |files: &Files| Ok(files.send_back(&draft, over.as_deref()));
        cx.ask(work, move |done, cx| match done {
            Ok(sent) => show(&path, sent, cx),
            Err(unsent) => {
                let (tone, why, now) = *unsent;
                cx.on::<Form>(|form, cx| {
                    form.not_written(tone, why, now, cx);
                    // He is told, and sees what is there now.
                    form.status.reason_over = form.status.present().map(|there| there.seen.clone());
                });
            }
        });
    }

    pub(super) fn draw_reason(&self, size: Size, at: usize, field: &TextField, painter: &mut Painter<'_>) {
        let (theme, voice) = (painter.theme, painter.voice);
        let (area, under) = (layout::note(size, self), layout::under_reason(size));
        let whole = layout::main(size);
        painter.fill(whole.slice(area.y, u16::MAX), Role::Text);
        painter.unhit(whole);
        let title = say("Send back: {0}", "退回：{0}").fill(voice.lang, &[&self.gate.title()]);
        text_field(painter, area, field, line(theme[Role::Title], &title), true);
        let applies = self.draft.reason.does_not_apply.is_none();
        let header = self.spec().questions[at].header.display();
        let says = s::DOES_NOT_APPLY.fill(voice.lang, &[&header]);
        let tick =
            line(theme[if applies { Role::Dim } else { Role::Accent }], if applies { "[ ]" } else { "[x]" });
        let key = voice.key(&Action::Pick).unwrap_or_default();
        let tick = tick.gap(1).add(theme[Role::Text], &says).gap(2).add(theme[Role::Key], key);
        painter.line(under.row(0).inset(2, 1), tick);
        let row = under.row(1).inset(2, 1);
        let rounds = || self.rounds(at).or_else(|| (0..self.views.len()).find_map(|at| self.rounds(at)));
        let last: String = if self.status.present().is_some() {
            say("The record goes to the history first.", "现有记录会先移入历史。").text(voice.lang).into()
        } else if let Some(rounds) = rounds().filter(|_| applies) {
            rounds.if_sent_back(usize::from(row.width), voice)
        } else {
            say("No answer; the executor is told why.", "不作回答，只把理由告诉执行器。")
                .text(voice.lang)
                .into()
        };
        painter.line(row, line(theme[Role::Dim], &last));
    }
}

const ANSWERED_MEANWHILE: Sentence = say(
    "Not sent back: somebody has answered meanwhile. {back} shows the answer; {submit} once more sends it into the history, and the step back.",
    "未退回：期间有人作了回答。按 {back} 查看；再按一次 {submit}，那份回答移入历史，这一步退回。",
);

/// The step is sent back: the list again, with its gate.
pub(crate) fn show(path: &Path, Sent { kept, unnoted }: Sent, cx: &mut Cx<'_>) {
    let inbox = &mut cx.model.inbox;
    match kept {
        Some(kept) => drop(inbox.drafts.insert(path.to_path_buf(), kept)),
        None => inbox.forget_draft(path),
    }
    inbox.forget_redone(std::iter::once(path));
    later::bring_back(path, cx);
    cx.model.left = None;
    let inbox = &mut cx.model.inbox;
    inbox.resort();
    inbox.select(path);
    let title = inbox.title_of(path);
    cx.go_home();
    moved(path, cx);
    match unnoted {
        Some(why) => cx.say(Tone::Bad, why),
        None => {
            cx.model.say_about(NoticeTopic::SentBack, Tone::Good, Message::new(SENT, &[&title]));
        }
    }
}

/// Takes back that the selected step is sent back.
pub(crate) fn take_back(path: PathBuf, cx: &mut Cx<'_>) {
    let packet = path.clone();
    let sharing = cx.model.inbox.sharing(&path);
    cx.model.inbox.taken_back.extend(sharing);
    cx.ask(
        move |files| files.take_refusal_back(&packet),
        move |kept, cx| {
            cx.model.inbox.drafts.extend(kept.map(|kept| (path.clone(), kept)));
            let title = cx.model.inbox.title_of(&path);
            cx.say(Tone::Good, Message::new(TAKEN_BACK, &[&title]));
            moved(&path, cx);
        },
    );
}
