//! The open gate is looked at again: its packet or its record has changed, another packet or console wants the same place,
//! or its record was not written.
//!
//! Contract:
//! * The answers so far are never dropped: a changed packet carries them over, also to a new answer path, and a lost race
//!   keeps them.
//! * The changes can be shown as a page for as long as the form is open.

use super::gate::{Before, GateNow, LoadedGate, Present, RecordNow};
use super::guard::PAUSE;
use super::status::{FormStatus, Warning};
use super::{Focus, Form};
use crate::ask::draft::CarriedOver;
use crate::ask::standing::is_place_of;
use crate::ask::{Diagnosis, JsString, Question};
use crate::console::files::Files;
use crate::console::model::{NoticeTopic, Place, Tone};
use crate::console::prompt::Prompt;
use crate::console::rounds;
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::attach::Asked;
use crate::store::entry::Entry;
use crate::store::file::LoadFault;
use crate::text::{Sentence, say};
use std::path::Path;
use std::sync::Arc;

const HAS_ERRORS: Sentence = say(
    "The packet has errors and cannot be used just now; your answers are kept.",
    "指令包有误，暂时无法使用；回答已保留。",
);
const GONE: Sentence = say("The packet is gone; your answers are kept.", "指令包已不在；回答已保留。");
const UNREADABLE: Sentence = say("{0} Your answers are kept.", "{1}回答已保留。");
const MOVED: Sentence = say(
    "The packet now wants the answers in another place: {0}. They are kept and will go there.",
    "指令包要求把回答写到新的位置：{0}。回答已保留，将写到那里。",
);
const RECORD_CHANGED: Sentence = say(
    "The record has changed since it was shown; this is how it is now. Your answers are kept.",
    "记录在显示之后发生了变化，现在显示的是最新内容。你的回答已保留。",
);
const RECORD_GONE: Sentence = say(
    "The record there is gone. Submitting writes a new one; your answers are kept.",
    "那里的记录已不在。提交时写入新的记录，你的回答已保留。",
);
const NO_FILE: Sentence = say(
    "There is {0} where the record should be. Nothing can be written until it is moved away; your answers are kept.",
    "记录的位置上是{1}，不是文件。移走它之前无法写入；回答已保留。",
);
const SOMEONE_FIRST: Sentence = say(
    "Another answer came first ({0}). Yours are kept; {review} shows both.",
    "另一处已先提交（{1}）。你的回答已保留，按 {review} 对照两份。",
);
const BAD_RECORD_CAME: Sentence = say(
    "There is already an invalid record. Your answers are kept; submitting replaces it.",
    "那里已有一份无效的记录。你的回答已保留，提交时替换它。",
);
const ANSWER_FITS_AGAIN: Sentence =
    say("Your answer to {0} fits again and is filled in.", "你对“{0}”的回答又适用了，已重新填入。");
const TEXT_CHANGED: Sentence = say(
    "What you judge has changed meanwhile. Look at it again before you choose.",
    "你要验收的内容刚刚改动了。请重新看过再选。",
);
const SENT_BACK_SINCE: Sentence = say(
    "Somebody has sent this step back meanwhile; the reason is below.",
    "有人刚刚退回了这一步；理由见下。",
);
const ANSWERS_FIT_AGAIN: Sentence =
    say("{1} of your answers fit again and are filled in.", "你有 {1} 项回答又适用了，已重新填入。");

impl Files {
    /// Looks at an open gate again; an error is a packet that is gone or unusable.
    pub fn reload(&self, path: &Path) -> Result<GateNow, Message> {
        self.gate_now(path, |fault| match fault {
            LoadFault::Malformed(_) => Message::from(HAS_ERRORS),
            LoadFault::Unreadable(error) if error.code == "no-packet" => Message::from(GONE),
            LoadFault::Unreadable(error) => s::both(UNREADABLE, error),
        })
    }
}

impl Form {
    /// The files may have changed while it is open, on the stack or behind the inbox; `listed` if the list of gates has.
    pub(crate) fn look_at_gate(&mut self, listed: bool, cx: &mut Cx<'_>) {
        if listed {
            self.note_conflict(cx);
            self.count_others(cx);
            self.reload(cx);
        }
    }

    /// Another console may have come to this gate, or have left it.
    pub(super) fn see_if_shared(&self, cx: &mut Cx<'_>) {
        let Some(answer_path) = self.gate.answer_path().cloned() else { return };
        let (place, said) = (answer_path.clone(), self.status.warnings.get(&Warning::Elsewhere).cloned());
        cx.tell(
            None,
            move |files| Some(files.elsewhere(&place)).filter(|now| *now != said),
            move |now, cx| {
                Form::with_open(cx, |form, _| {
                    if form.answers_to(&answer_path) {
                        form.status.warn(Warning::Elsewhere, now);
                    }
                });
            },
        );
    }

    pub(crate) fn shared(&mut self, answer_path: &JsString) {
        if self.answers_to(answer_path) {
            let says = || Message::from(s::GATE_SHARED);
            self.status.warnings.entry(Warning::Elsewhere).or_insert_with(says);
        }
    }

    pub(crate) fn answers_to(&self, answer_path: &JsString) -> bool {
        self.gate.answer_path() == Some(answer_path)
    }

    /// Notes whether another packet wants other answers in the same place.
    pub(super) fn note_conflict(&mut self, cx: &Cx<'_>) {
        let entry = cx.model.inbox.entry_at(&self.gate.path);
        self.status.warn(Warning::Conflict, entry.and_then(conflict));
    }

    /// Loads the gate again, unless its packet is being written: half a packet says less than the old one.
    pub(super) fn reload(&self, cx: &mut Cx<'_>) {
        let entry = cx.model.inbox.entry_at(&self.gate.path);
        if entry.is_some_and(|entry| entry.being_written) {
            return;
        }
        let (path, of) = (self.gate.path.clone(), self.gate.path.clone());
        cx.tell(
            Some("reload"),
            move |files| Some(files.reload(&path)),
            move |now, cx| {
                Form::with_open(cx, |form, cx| {
                    if form.gate.path == of {
                        form.reloaded(now, cx);
                    }
                });
            },
        );
    }

    /// Works with the form on the stack, or with the one that the author has left for the inbox.
    pub(crate) fn with_open(cx: &mut Cx<'_>, work: impl FnOnce(&mut Form, &mut Cx<'_>)) {
        let Some(mut left) = cx.model.left.take() else { return cx.on::<Form>(work) };
        work(&mut left, cx);
        cx.model.left.get_or_insert(left);
    }

    /// The gate as it is now.
    pub fn reloaded(&mut self, now: Result<GateNow, Message>, cx: &mut Cx<'_>) {
        let before = self.asks_about();
        let (warnings, refusal) = (self.status.warnings.clone(), self.gate.refusal.clone());
        let too_late = matches!(&now, Ok(GateNow { record, .. }) if !matches!(record, RecordNow::Absent));
        let place = self.gate.answer_path().cloned();
        match now {
            Err(why) => self.lose_packet(why, cx),
            Ok(GateNow { gate, .. }) if self.is_followed_by(&gate) => {
                self.status.warn(Warning::Packet, Some(NEXT_QUESTION.into()));
                // It is the draft of a question that the packet does not ask now.
                cx.model.inbox.forget_draft(&self.gate.path);
            }
            Ok(GateNow { gate, record }) => {
                self.status.warnings.remove(&Warning::Packet);
                let is_other = gate.seen != self.gate.seen;
                if gate.asked == self.gate.asked {
                    self.gate = gate;
                    if is_other {
                        self.look_again(cx);
                    }
                } else {
                    self.take_questions(gate, cx);
                }
                self.take_record(record, cx);
            }
        }
        let changed = self.asks_about() != before;
        let moved = self.gate.answer_path() != place.as_ref();
        if moved && before.0 == self.gate.asked {
            let from = self.status.moved_from.take().or(place.clone());
            let elsewhere = self.gate.answer_path().filter(|now| from.as_ref() != Some(*now));
            let says = elsewhere.map(|now| Message::new(MOVED, &[&now.display()]));
            self.status.moved_from = from.filter(|_| says.is_some());
            self.status.warn(Warning::AnswerPath, says);
        }
        if changed || moved || (&warnings, &refusal) != (&self.status.warnings, &self.gate.refusal) {
            // Why nothing was written is no longer so.
            cx.model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::NotWritten));
        }
        // The words of an open filter may be own words since.
        if too_late || moved || changed && self.focus == Focus::Filter {
            self.save(cx);
        }
        let is_asked = |entry: &Arc<Entry>| entry.answer_path == place;
        if let Some(place) = place.clone().filter(|_| moved && self.to_save().is_authors())
            && !cx.model.inbox.entries.iter().any(is_asked)
        {
            cx.tell(None, move |files| files.leave_place(&place), |(), _| {});
        }
        if changed {
            if let Some(kept) = cx.model.inbox.drafts.get_mut(&self.gate.path) {
                *kept = self.draft.progress(self.spec());
            }
            if self.in_review {
                self.find_others(cx);
            }
            // The author was asked about what is no longer there.
            if cx.screens.last().and_then(|top| top.seen_as::<Prompt>()).is_some_and(|it| it.is_about_form) {
                cx.uncover();
            }
        }
    }

    fn lose_packet(&mut self, why: Message, cx: &mut Cx<'_>) {
        // What is to be submitted is of no use now.
        self.status.warnings.retain(|_, said| *said != Message::from(RECORD_GONE));
        self.status.warn(Warning::Packet, Some(why));
        if self.in_review {
            // He has them before him, and nothing else has them any more.
            self.draft.adopt();
            self.save(cx);
        }
    }

    /// Whether the packet has come to another standing question, or from one to another gate: nothing is carried over to that.
    fn is_followed_by(&self, gate: &LoadedGate) -> bool {
        let is_same =
            |asked: &Asked| gate.answer_path().is_some_and(|place| is_place_of(&asked.name, &place.lossy()));
        self.gate.standing.as_deref().is_some_and(|asked| !is_same(asked))
    }

    /// The questions of the form and the record that it shows beside them, by their hashes.
    fn asks_about(&self) -> (u64, Option<String>) {
        (self.gate.asked, self.status.present().map(|there| there.seen.clone()))
    }

    fn take_record(&mut self, record: RecordNow, cx: &Cx<'_>) {
        let was = self.status.before.as_mut().and_then(|before| before.present.take());
        let says = match record {
            RecordNow::Absent => was.map(|_| Message::from(RECORD_GONE)),
            RecordNow::Odd(found) => Some(s::because(NO_FILE, &found)),
            RecordNow::There(now) => {
                let before = self.status.before.insert(*now);
                let says = match (&before.present, &was) {
                    (Some(now), Some(was)) if now.seen == was.seen => None,
                    (Some(Present { by: Some(by), .. }), _) => Some(s::because(SOMEONE_FIRST, by)),
                    (_, Some(was)) if was.by.is_none() => Some(Message::from(RECORD_CHANGED)),
                    _ => Some(Message::from(BAD_RECORD_CAME)),
                };
                self.refill();
                if says.is_none() {
                    return;
                }
                if self.in_review {
                    // The review shows what it says.
                    self.status.moved_until = Some(cx.model.now + PAUSE);
                }
                says
            }
        };
        self.status.warn(Warning::Record, says);
    }

    /// What is judged is another now, or somebody has sent it back: an approval is not for that.
    fn look_again(&mut self, cx: &mut Cx<'_>) {
        self.draft.forget_approvals(&self.gate.spec().clone());
        if !cx.is_covered() {
            self.status.guarded_until = Some(cx.model.now + PAUSE);
        }
        let says = if self.gate.is_sent_back { SENT_BACK_SINCE } else { TEXT_CHANGED };
        cx.say(Tone::Warn, says);
    }

    /// The packet asks something else now: the answers that fit stay, the others are shown.
    fn take_questions(&mut self, gate: LoadedGate, cx: &mut Cx<'_>) {
        let was_review = self.in_review;
        let mut next = self.carried_over_to(gate);
        let moved = !cx.is_covered() && (was_review || self.aim() != next.aim());
        next.status.guarded_until =
            if moved { Some(cx.model.now + PAUSE) } else { self.status.guarded_until };
        let came = rounds::came(self.spec(), next.spec());
        if came.is_some() && next.status.changes == self.status.changes && was_review {
            // What is submitted is as he sees it.
            (next.in_review, next.review) = (true, self.review.clone());
            next.status.moved_until = Some(cx.model.now + PAUSE);
        }
        // Questions that are as they were at the start need no second look.
        let changed = next.status.has_changes().then(|| next.status.changes_counted());
        let is_as_at_first = changed.is_none();
        next.status.warn(Warning::Questions, changed);
        let warned = self.status.warnings.contains_key(&Warning::Questions);
        let again = next.say_again(next.status.again.len() - self.status.again.len(), cx);
        *self = next;
        // In the list, the gate is named with what is new.
        match came.filter(|_| cx.model.place != Place::Inbox) {
            _ if again => {}
            Some(came) => cx.say(Tone::Plain, came),
            None if is_as_at_first && (warned || was_review) => {
                cx.say(Tone::Plain, say("The packet asks the same again.", "指令包又和开始时问的一样了。"));
            }
            None => {}
        }
    }

    /// Says that the last so many answers are filled in again, if there are any.
    pub(super) fn say_again(&self, count: usize, cx: &mut Cx<'_>) -> bool {
        let last = self.status.again[..count].first();
        let Some((_, question)) = last.and_then(|last| self.spec().find(last)) else { return false };
        let says = if count == 1 { ANSWER_FITS_AGAIN } else { ANSWERS_FIT_AGAIN };
        cx.say(Tone::Good, Message::new(says, &[&question.header.display(), &count.to_string()]));
        true
    }

    /// The form for the questions as they are now: answers that fit stay, and so does the author's place with what is
    /// being typed there.
    fn carried_over_to(&self, gate: LoadedGate) -> Form {
        let (from, to, was) = (self.spec(), gate.spec(), &self.status);
        let CarriedOver { draft, orphans, again } = self.draft.carried_over(from, to, was.orphans.clone());
        let before = was.before.as_ref().map(|before| Before {
            given: to.questions.iter().map(|now| before.given(from.find(&now.id)?.0).cloned()).collect(),
            unread: before.unread.clone(),
            good: before.good.carried_over(from, to, Vec::new()).draft,
            // The record is compared with the new questions next.
            present: before.present.clone().map(|there| Present { diagnosis: Diagnosis::default(), ..there }),
        });
        let last_time = |now: &Question| {
            let (at, _) = from.find(&now.id).filter(|(_, then)| *then == now)?;
            was.last_time.get(at)?.clone()
        };
        let status = FormStatus {
            orphans,
            again: [again, was.again.clone()].concat(),
            known: Some(was.known.clone().unwrap_or_else(|| Arc::new(from.clone()))),
            warnings: was.warnings.clone(),
            moved_from: was.moved_from.clone(),
            warned: was.warned.clone(),
            before,
            last_time: to.questions.iter().map(last_time).collect(),
            ..FormStatus::default()
        };
        let asked = &from.questions[self.note.as_ref().map_or(self.at, |note| note.at)];
        let now = to.find(&asked.id);
        let same_kind = now.is_some_and(|(_, now)| asked.kind == now.kind);
        let at = now.map(|(at, _)| at);
        // The step is sent back, whatever it asks.
        let at_first = || self.is_sending_back().then_some(0);
        let note = self.note.clone().zip(at.or_else(at_first));
        let note = note.map(|(note, at)| super::NoteField { at, ..note });
        let mut next = Form::new(gate, draft, at.unwrap_or(0), status);
        next.inherit_earlier(self);
        next.unread_since = self.unread_since;
        if same_kind {
            next.inherit_digits(self);
            next.take_place_of(self);
        }
        next.note = note;
        next
    }
}

const NEXT_QUESTION: Sentence = say(
    "The step asks another question now. What you have typed for this one is kept. {back} leads to the list; what you open there is \
     what is asked now.",
    "这一步现在问的是另一个问题。你为这一问写的内容已留存。按 {back} 返回列表，再打开就是现在要问的。",
);

/// The sentence that names a packet with other questions for the same place.
fn conflict(entry: &Entry) -> Option<Message> {
    let (rival, _) = entry.others().find(|(_, agrees)| !agrees)?;
    // File names are enough, unless they are equal.
    let shown = |path: &Path| match path.file_name() {
        Some(name) if entry.path.file_name() != rival.file_name() => name.shown().into_owned(),
        _ => path.shown().into_owned(),
    };
    let says = say(
        "Conflict: {0} and {1} want different answers in one place. One record cannot answer both; \
         have one of them rewritten.",
        "冲突：{0} 与 {1} 要在同一位置写入不同的回答。一份记录无法同时回答两者，请让执行器重新生成其中一个。",
    );
    Some(Message::new(says, &[&shown(&entry.path), &shown(rival)]))
}
