//! Writing the record of a form, and the same answers for other gates that wait with the same questions: finding those,
//! writing their records, taking these back.

use super::batch::{BatchGate, BatchRecord, Tick};
use crate::ask::{AnswerSpec, Packet, SIGNATURE};
use crate::console::files::Files;
use crate::console::form::gate::{GateNow, LoadedGate};
use crate::console::form::keep::DraftToSave;
use crate::console::form::refusal::Sent;
use crate::console::model::{Output, Receipt, Tone};
use crate::console::sentences as s;
use crate::error::{Error, Message};
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::collision::irreconcilable;
use crate::store::entry::Entry;
use crate::store::file::is_relay;
use crate::store::gate::{self, LoadFault, Status};
use crate::store::history::{Over, note_defaults};
use crate::store::pickup::Consequences;
use crate::store::record::WriteError;
use crate::store::reply;
use crate::store::submission;
use crate::store::{batch, submit};
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Records that are tried before the author is told how far it is: a few, because each may wait for a slow disk.
const AT_ONCE: usize = 8;

const NOT_WRITTEN_MOVED: Sentence = say(
    "Not written: the record is not the one that was shown. Please look at it again; your answers are kept.",
    "未写入：记录已不是刚才显示的那一份。请再看一遍，你的回答已保留。",
);
const NOT_WRITTEN_LATE: Sentence = say(
    "Not written: another answer came first. Yours are kept.",
    "未写入：另一处已先提交。你的回答已保留。",
);
const NOT_WRITTEN_STALE: Sentence = say(
    "Not written: the questions have changed. Your answers are kept.",
    "未写入：指令包的问题已变化。你的回答已保留。",
);

const NOT_WRITTEN_UNSEEN: Sentence = say(
    "Not written: the text has changed, or somebody has sent it back, since you looked. Your answers are kept.",
    "未写入：你看过之后，文稿改动了，或有人退回了这一步。你的回答已保留。",
);

const CONFLICT: Sentence =
    say("{0} wants other answers in the same place.", "{0} 要在同一位置写入不同的回答。");

#[derive(Clone, Debug)]
pub struct Submission {
    pub draft: DraftToSave,
    /// Hash of the record that was shown and is to be replaced.
    pub replaces: Option<String>,
    /// Whether the author knows what the step has made of it.
    pub warned: bool,
    /// Packets that want other answers in the same place.
    pub rivals: Vec<PathBuf>,
    /// Other gates that are still to get the same answers, before it.
    pub batch: Vec<BatchGate>,
}

#[derive(Clone, Debug)]
pub struct Submitted {
    pub path: PathBuf,
    pub packet: Arc<Packet>,
    pub record: AnswerSpec,
    pub receipt: Receipt,
    pub outputs: Vec<Output>,
    /// That the history does not have it, and why.
    pub unnoted: Option<Message>,
    /// The ids of the questions whose defaults it has.
    pub defaults: Vec<String>,
}

pub enum Outcome {
    /// The records of some other gates were tried; it is to go on.
    Underway(Box<Submission>, Vec<BatchRecord>),
    Written(Box<Submitted>),
    SentBack(PathBuf, Sent),
    /// What the step has made of the record that is to be replaced; nothing is written yet.
    Unconfirmed(Consequences),
    /// Why not, and the gate as it is now.
    Unwritten(Tone, Message, Result<GateNow, Message>),
}

impl Files {
    /// Writes a record, or some of those for other gates first, each by itself, so that a failure stops no other. Drafts of
    /// those gates stay: their words are in no record.
    pub fn submit(&self, mut submission: Submission) -> Outcome {
        // The answers are on disk before anything else happens to them; if not, the record itself will keep them.
        self.flush_drafts();
        let seen = submission.replaces.as_deref().filter(|_| !submission.warned);
        if let Some(made) = seen.and_then(|seen| self.made_of(&submission.draft, seen)) {
            return Outcome::Unconfirmed(made);
        }
        submission.warned = true;
        if !submission.batch.is_empty() {
            let rest = submission.batch.split_off(AT_ONCE.min(submission.batch.len()));
            let some = std::mem::replace(&mut submission.batch, rest);
            let tried = some.iter().map(|other| self.write_other(other, &submission.draft)).collect();
            return Outcome::Underway(Box::new(submission), tried);
        }
        // The open gate comes last: its draft holds the answers until all of it is done.
        let Submission { draft, replaces, rivals, .. } = submission;
        let (tone, why) = match self.put(&draft, &rivals, replaces.as_deref()) {
            Ok(submit::Outcome::Written(written)) => {
                return Outcome::Written(Box::new(self.written(&draft, *written)));
            }
            Ok(submit::Outcome::SentBack(returned)) => {
                return Outcome::SentBack(draft.gate.path.clone(), self.sent_back(&draft, &returned));
            }
            Err(WriteError::Exists(_)) if replaces.is_some() => (Tone::Bad, NOT_WRITTEN_MOVED.into()),
            Err(WriteError::Exists(_)) => (Tone::Bad, NOT_WRITTEN_LATE.into()),
            Err(WriteError::Stale) => (Tone::Warn, NOT_WRITTEN_STALE.into()),
            Err(WriteError::Unseen) => (Tone::Warn, NOT_WRITTEN_UNSEEN.into()),
            Err(error) => (Tone::Bad, s::both(s::NOT_WRITTEN, &error.error())),
        };
        Outcome::Unwritten(tone, why, self.reload(&draft.gate.path))
    }

    /// What the step has made of the record with this hash, if it is there and the step has gone on.
    fn made_of(&self, draft: &DraftToSave, seen: &str) -> Option<Consequences> {
        let loaded = self.load(&draft.gate.path).ok().filter(|loaded| loaded.record.sha256() == seen)?;
        Some(Consequences::of(&self.project, &loaded)).filter(|made| !made.is_empty())
    }

    fn written(&self, draft: &DraftToSave, written: submit::Submitted) -> Submitted {
        let submit::Submitted { record, receipt, unnoted, .. } = written;
        if unnoted.is_none() {
            // What was written beside the answers is in no record.
            self.save_draft(&draft.beside_answers());
        }
        let (path, packet) = (draft.gate.path.clone(), draft.gate.packet.clone());
        let outputs = gate::outputs(&self.project, &packet);
        let defaults = draft.draft.defaults(draft.gate.spec());
        let unnoted = unnoted.as_ref().map(s::not_noted);
        Submitted { path, packet, record, receipt, outputs, unnoted, defaults }
    }

    /// Puts the record of these answers in its place, or in that of the record with this hash.
    fn put(
        &self,
        draft: &DraftToSave,
        rivals: &[PathBuf],
        replaces: Option<&str>,
    ) -> Result<submit::Outcome, WriteError> {
        let done = self.with_record(draft, rivals, replaces, |to_write, now| {
            submit::submit(&self.project, Ok(&self.state), to_write, now)
        })?;
        if let submit::Outcome::Written(done) = &done
            && let Some(gate) = &draft.gate.packet.gate
            && done.unnoted.is_none()
        {
            let defaults = draft.draft.defaults(&gate.spec);
            let noted = note_defaults(&self.state, &gate.answer_path, &done.receipt.sha256, &defaults);
            self.state.tolerate(noted);
        }
        Ok(done)
    }

    /// Does something with the record of these answers, and nothing or the record with this hash in its place.
    pub(crate) fn with_record<T>(
        &self,
        draft: &DraftToSave,
        rivals: &[PathBuf],
        replaces: Option<&str>,
        work: impl FnOnce(&submission::Submission<'_>, SystemTime) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let gate = draft.gate.packet.gate.as_ref().ok_or(WriteError::NoGate)?;
        let now = self.clock.now();
        let json = draft.draft.record(&gate.spec, &rfc3339_millis(now), &SIGNATURE.into()).to_json();
        let to_write = submission::Submission {
            packet: &self.root_path(&draft.gate.path),
            answer_path: &gate.answer_path,
            asked: &draft.gate.spec_hash(),
            bytes: json.as_bytes(),
            rivals,
            over: replaces.map_or(Over::Nothing, Over::Hash),
            seen: Some(&draft.gate.seen),
        };
        work(&to_write, now)
    }

    fn write_other(&self, other: &BatchGate, answers: &DraftToSave) -> BatchRecord {
        let (path, title) = (other.gate.path.clone(), other.gate.title());
        let draft = DraftToSave { gate: other.gate.clone(), ..answers.clone() };
        match self.put(&draft, &other.rivals, None) {
            Ok(submit::Outcome::Written(done)) => {
                let submit::Submitted { receipt, unnoted, .. } = *done;
                let unnoted = unnoted.map(|error| unnoted_words(&error, other.has_draft));
                BatchRecord { path, title, done: Ok(receipt), unnoted, lost: None }
            }
            Ok(submit::Outcome::SentBack(_)) => BatchRecord {
                path,
                title,
                done: Err(Status::SentBack.word().into()),
                unnoted: None,
                lost: None,
            },
            Err(error) => {
                let done = Err(s::because(say("Not written: {0}", "未写入：{1}"), &why_not(&error)));
                BatchRecord { path, title, done, unnoted: None, lost: None }
            }
        }
    }

    pub(crate) fn find_batch(
        &self,
        path: &Path,
        spec_hash: &str,
        candidates: &[Arc<Entry>],
    ) -> Vec<BatchGate> {
        self.flush_drafts();
        let drafts = self.drafts().progress(candidates);
        let found = batch::find(&self.project, &self.root_path(path), spec_hash, candidates).into_iter();
        let answerable = |(entry, loaded): (&Entry, gate::Loaded)| {
            let rivals = rivals(entry);
            let seen = reply::seen(&self.project, &loaded.path, &loaded.packet);
            let mut gate = LoadedGate { seen, ..LoadedGate::new(&entry.path, loaded) };
            if let (None, Some(asks)) = (&gate.refusal, &gate.packet.gate) {
                let blocked = irreconcilable(&self.project, asks, &rivals);
                let conflict = |rival: &PathBuf| Message::new(CONFLICT, &[&rival.shown()]);
                gate.refusal = blocked.first().map(conflict);
            }
            let has_draft = drafts.contains_key(&*entry.path);
            BatchGate { gate, has_draft, rivals, waits_no_more: None, tick: Tick::None, taken: false }
        };
        found.map(answerable).collect()
    }

    /// Takes records back that were just written, each by itself.
    pub(crate) fn take_back(&self, mut records: Vec<BatchRecord>) -> Vec<BatchRecord> {
        for record in &mut records {
            record.unnoted = None;
            if let Ok(receipt) = &record.done
                && let Err(why) = self.take_one_back(&record.path, receipt)
            {
                record.done = Err(why);
            }
        }
        records
    }

    /// Moves a record that was just written into the history, if it is still that one and its step has not gone on.
    fn take_one_back(&self, path: &Path, receipt: &Receipt) -> Result<(), Message> {
        let left = |error: &Error| s::both(s::LEFT, error);
        let is_there = || self.root_path(path).try_exists().unwrap_or(true);
        let not_loaded = |fault: LoadFault| {
            let taken = is_relay(path) && !is_there();
            if taken { Message::from(s::LEFT_PICKED_UP) } else { left(&fault.error()) }
        };
        let loaded = self.load(path).map_err(not_loaded)?;
        if !loaded.record.is_read() {
            return Err(s::because(s::LEFT, &s::unreadable(&loaded)));
        }
        if loaded.record.sha256() != receipt.sha256 {
            return Err(Message::from(s::LEFT_OTHER));
        }
        let gone_on = Consequences::of(&self.project, &loaded);
        if let Some(output) = gone_on.outputs.first() {
            return Err(Message::new(s::LEFT_MADE, &[&output.path.display()]));
        }
        if gone_on.passed {
            return Err(Message::from(s::LEFT_PASSED));
        }
        self.history().redo(&loaded).map(drop).map_err(|error| left(&error))
    }
}

/// Packets that want other answers in the same place.
pub(super) fn rivals(entry: &Entry) -> Vec<PathBuf> {
    entry.others().filter(|(_, agrees)| !agrees).map(|(path, _)| path.to_path_buf()).collect()
}

/// That the history does not have a record; and that the gate's own draft is kept.
fn unnoted_words(error: &Error, has_draft: bool) -> Message {
    let says =
        s::both(say("written, but the history does not have it: {0}", "已写入，但没有记入历史：{1}"), error);
    Message::in_both(|lang| {
        let space = if lang == Lang::En { " " } else { "" };
        let draft = if has_draft { format!("{space}{}", s::BATCH_DRAFT.text(lang)) } else { String::new() };
        says.text(lang) + &draft
    })
}

fn why_not(error: &WriteError) -> Message {
    match error {
        WriteError::Exists(record) if let Some(by) = record.valid() => Message::new(
            say("{0} has answered first; that record stays.", "{0} 已先回答，那份记录保持原样。"),
            &[&by.answered_by.display()],
        ),
        WriteError::Stale => {
            Message::from(say("The packet has changed since your review.", "指令包在你核对之后发生了变化。"))
        }
        error => error.error().whole(),
    }
}
