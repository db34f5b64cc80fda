//! The files' part of sending a step back, and of taking that back.

use super::gate::{GateNow, LoadedGate};
use super::keep::DraftToSave;
use crate::ask::compare::read_notes;
use crate::ask::draft::DraftProgress;
use crate::ask::{Draft, JsString, QuestionSpec, SIGNATURE, salvage};
use crate::console::files::Files;
use crate::console::model::Tone;
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::clock::rfc3339_millis;
use crate::store::history::{self, HistoryEntry};
use crate::store::record::WriteError;
use crate::store::reply;
use crate::store::returned::{self, Returned, Why};
use crate::text::{Sentence, say};
use std::path::Path;

const SENT_UNNOTED: Sentence = say(
    "It is sent back, but the history does not have it. {0} What you typed is kept.",
    "已退回，但没有记入历史。{1}你输入的内容已保留。",
);
const NOT_SENT_LATE: Sentence =
    say("Not sent back: an answer came first. Your reason is kept.", "未退回：另一处已先提交。理由已保留。");
const NOT_SENT_MOVED: Sentence = say(
    "Not sent back: the record is not the one that was shown. Your reason is kept.",
    "未退回：记录已不是刚才显示的那一份。理由已保留。",
);
const NOT_SENT_STALE: Sentence = say(
    "Not sent back: the questions have changed. Your reason is kept.",
    "未退回：指令包的问题已变化。理由已保留。",
);
/// What stays of the draft of a step that is sent back, and what went wrong beside it.
#[derive(Clone, Debug)]
pub struct Sent {
    pub kept: Option<DraftProgress>,
    pub unnoted: Option<Message>,
}

/// Why nothing was sent, and the gate as it is now.
pub(super) type Unsent = Box<(Tone, Message, Result<GateNow, Message>)>;

/// The answers that an entry of the history keeps of a step that was sent back, as the author's own.
fn answers_in(spec: &QuestionSpec, bytes: &[u8], choice: Option<&JsString>) -> Draft {
    let (mut draft, notes) = (Draft::new(spec), read_notes(bytes));
    let answers = salvage(spec, bytes);
    for (question, reply) in spec.questions.iter().zip(&mut draft.replies) {
        if let Some((_, answer)) = answers.iter().find(|(id, _)| *id == question.id) {
            reply.set(question, answer.clone());
        }
        let verdict = choice.filter(|_| question.is_verdict()).and_then(|label| question.option(label));
        if let Some(place) = verdict {
            reply.choose(place);
        }
        if let Some((_, note)) = notes.iter().find(|(id, _)| id.as_str() == Some(&question.id)) {
            reply.note = note.clone();
        }
    }
    draft
}

impl Files {
    pub(super) fn send_back(&self, draft: &DraftToSave, over: Option<&str>) -> Result<Sent, Unsent> {
        self.flush_drafts();
        let reason = &draft.draft.reason;
        let why = Why {
            by: SIGNATURE.into(),
            reason: reason.words.clone(),
            choice: draft.draft.sends_back(draft.gate.spec()).map(|option| option.label.clone()),
            does_not_apply: reason.does_not_apply.clone(),
        };
        let done = self.with_record(draft, &[], over, |to_send, now| {
            returned::send_back(&self.project, Ok(&self.state), to_send, &why, now)
        });
        let (tone, why) = match done {
            Ok(returned) => return Ok(self.sent_back(draft, &returned)),
            Err(WriteError::Exists(_)) if over.is_some() => (Tone::Bad, NOT_SENT_MOVED.into()),
            Err(WriteError::Exists(_)) => (Tone::Bad, NOT_SENT_LATE.into()),
            Err(WriteError::Stale) => (Tone::Warn, NOT_SENT_STALE.into()),
            Err(error) => {
                let says = say("Not sent back. {0} Your reason is kept.", "未退回。{1}理由已保留。");
                (Tone::Bad, s::both(says, &error.error()))
            }
        };
        Err(Box::new((tone, why, self.reload(&draft.gate.path))))
    }

    /// What was sent is with the refusal now, and in the history; if it is not there, the draft stays as it is.
    pub(crate) fn sent_back(&self, draft: &DraftToSave, returned: &Returned) -> Sent {
        let kept = if returned.unnoted.is_none() { draft.beside_refusal() } else { draft.clone() };
        self.save_draft(&kept);
        let progress = kept.draft.progress(kept.gate.spec());
        let unnoted = returned.unnoted.as_ref().map(|error| s::both(SENT_UNNOTED, error));
        Sent { kept: kept.is_authors().then_some(progress), unnoted }
    }

    /// Takes a refusal back, and puts what was sent with it into the draft again.
    pub(super) fn take_refusal_back(&self, path: &Path) -> Result<Option<DraftProgress>, Message> {
        let loaded = self.load_or_say(path)?;
        let gate = loaded.gate().ok_or(s::ASKS_NOTHING)?.clone();
        let at = rfc3339_millis(self.clock.now());
        let taken = reply::take_back(&self.project, &loaded.path, &gate.answer_path, &at);
        let sent = taken.map_err(|error| error.whole())?.ok_or(s::NOTHING_TO_UNDO)?;
        self.flush_drafts();
        let saved = self.drafts().load(&gate.answer_path, &gate.spec).ok().flatten();
        let (mut draft, orphans, at) = match self.pending_draft(&gate).or(saved) {
            Some(saved) => (saved.job.draft, saved.job.orphans, saved.job.at),
            None => (Draft::new(&gate.spec), Vec::new(), 0),
        };
        let newest = history::newest(&self.state, &gate.answer_path, HistoryEntry::is_refusal);
        let bytes =
            self.state.tolerate(newest).flatten().and_then(|entry| self.state.tolerate(entry.bytes()));
        let then = bytes
            .as_deref()
            .filter(|bytes| Why::in_entry(bytes).is_some_and(|why| why.reason == sent.reason));
        if let Some(bytes) = then {
            draft.fill_from(&answers_in(&gate.spec, bytes, sent.choice.as_ref()));
        }
        let in_answers = then.and_then(|bytes| Why::in_answers(&gate.spec, bytes));
        if draft.reason.is_blank() && in_answers.is_none_or(|why| why.reason != sent.reason) {
            (draft.reason.words, draft.reason.does_not_apply) = (sent.reason, sent.does_not_apply);
        }
        let progress = draft.progress(&gate.spec);
        let seen = reply::seen(&self.project, &loaded.path, &loaded.packet);
        let gate = LoadedGate { seen, ..LoadedGate::new(path, loaded) };
        let draft = DraftToSave { gate, draft, orphans, at, emptied: false };
        self.save_draft(&draft);
        Ok(draft.is_authors().then_some(progress))
    }
}
