//! The same answers for other gates that wait with the same questions: finding them, writing their records, taking those
//! back.

use super::batch::{BatchGate, BatchRecord};
use super::submit::{Outcome, Submission, TakeBack};
use crate::ask::AnswerSpec;
use crate::console::files::Files;
use crate::console::form::keep::DraftToSave;
use crate::console::model::{LoadedGate, Message, Receipt};
use crate::console::say::{because, both, loaded_gate, unreadable};
use crate::console::sentences as s;
use crate::error::Error;
use crate::store::batch;
use crate::store::clock::time_of;
use crate::store::collision::irreconcilable;
use crate::store::entry::Entry;
use crate::store::gate::LoadFault;
use crate::store::pickup::Consequences;
use crate::store::record::WriteError;
use crate::store::relay::is_relay;
use crate::store::{history, submit};
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Records that are tried before the author is told how far it is: a few, because each may wait for a slow disk.
const AT_ONCE: usize = 8;

impl Files {
    pub(crate) fn find_batch(
        &self,
        path: &Path,
        spec_hash: &str,
        candidates: &[Arc<Entry>],
    ) -> Vec<BatchGate> {
        self.flush_drafts();
        let drafts = self.drafts().progress(candidates);
        let found = batch::find(&self.project, &self.root_path(path), spec_hash, candidates).into_iter();
        let answerable = |(entry, loaded): (&Entry, _)| {
            let others = entry.others().filter(|(_, agrees)| !agrees);
            let rivals: Vec<PathBuf> = others.map(|(path, _)| path.to_path_buf()).collect();
            let mut gate = loaded_gate(&entry.path, loaded);
            let asks = gate.packet.gate.as_ref();
            let blocked =
                asks.and_then(|asks| irreconcilable(&self.project, asks, &rivals).into_iter().next());
            gate.refusal = gate.refusal.or_else(|| blocked.map(|rival| conflict(&rival)));
            BatchGate { gate, has_draft: drafts.contains_key(&*entry.path), rivals }
        };
        found.map(answerable).collect()
    }

    /// Writes some of the records, each by itself, so that a failure stops no other. Drafts of these gates stay: their words
    /// are in no record.
    pub(crate) fn write_some(&self, submission: &Submission) -> Outcome {
        let write = |further: &BatchGate| {
            let LoadedGate { path, packet, spec_hash, .. } = further.gate.clone();
            let title = further.gate.title();
            let draft = DraftToSave { path: path.clone(), packet, spec_hash, ..submission.draft.clone() };
            let (answered_by, rivals) = (submission.answered_by.clone(), further.rivals.clone());
            let batch = Arc::default();
            let own = Submission { draft, answered_by, replaces: None, rivals, batch, tried: 0 };
            match self.put(&own) {
                Ok(submit::Submitted { receipt, unnoted, .. }) => {
                    let unnoted = unnoted.map(|error| unnoted_words(&error, further.has_draft));
                    BatchRecord { path, title, done: Ok(receipt), unnoted }
                }
                Err(error) => {
                    let done = Err(because(s::BATCH_NOT_WRITTEN, &why_not(&error)));
                    BatchRecord { path, title, done, unnoted: None }
                }
            }
        };
        let rest = submission.batch.iter().skip(submission.tried);
        let tried: Vec<BatchRecord> = rest.take(AT_ONCE).map(write).collect();
        let on = Submission { tried: submission.tried + tried.len(), ..submission.clone() };
        Outcome::Underway(Box::new(on), tried)
    }

    /// Takes some of the records back, each by itself.
    pub(crate) fn take_back(&self, take_back: &TakeBack) -> (TakeBack, Vec<BatchRecord>) {
        let back = |record: &BatchRecord| {
            let done = record.done.clone().and_then(|receipt| self.take_one_back(record, receipt));
            BatchRecord { done, unnoted: None, ..record.clone() }
        };
        let rest = take_back.records.iter().skip(take_back.tried);
        let tried: Vec<BatchRecord> = rest.take(AT_ONCE).map(back).collect();
        let on = TakeBack { tried: take_back.tried + tried.len(), ..take_back.clone() };
        (on, tried)
    }

    /// Moves a record that was just written into the history, if it is still that one and its step has not gone on.
    fn take_one_back(&self, record: &BatchRecord, receipt: Receipt) -> Result<Receipt, Message> {
        let left = |error: &Error| both(s::LEFT, error);
        let is_there = || self.root_path(&record.path).try_exists().unwrap_or(true);
        let not_loaded = |fault: LoadFault| {
            let taken = is_relay(&record.path) && !is_there();
            if taken { Message::from(s::LEFT_PICKED_UP) } else { left(&fault.error()) }
        };
        let loaded = self.load(&record.path).map_err(not_loaded)?;
        if !loaded.record.is_read() {
            return Err(because(s::LEFT, &unreadable(&loaded)));
        }
        if loaded.record.sha256() != receipt.sha256 {
            return Err(Message::from(s::LEFT_OTHER));
        }
        let since = time_of(&receipt.answered_at).unwrap_or(SystemTime::UNIX_EPOCH);
        let gone_on = Consequences::since(&self.project, &loaded, since);
        if let Some(output) = gone_on.outputs.first() {
            return Err(Message::new(s::LEFT_MADE, &[&output.path.display()]));
        }
        if gone_on.passed {
            return Err(Message::from(s::LEFT_PASSED));
        }
        history::redo(&self.project, &self.state, &loaded, self.clock.now()).map_err(|error| left(&error))?;
        Ok(receipt)
    }
}

/// That the history does not have a record; and that the gate's own draft is kept.
fn unnoted_words(error: &Error, has_draft: bool) -> Message {
    let says = both(s::BATCH_UNNOTED, error);
    Message::in_both(|lang| {
        let space = if lang == Lang::En { " " } else { "" };
        let draft = if has_draft { format!("{space}{}", s::BATCH_DRAFT.text(lang)) } else { String::new() };
        says.text(lang) + &draft
    })
}

fn conflict(rival: &Path) -> Message {
    Message::new(
        say("{0} wants other answers in the same place.", "{0} 要在同一位置写入不同的回答。"),
        &[&rival.to_string_lossy()],
    )
}

fn why_not(error: &WriteError) -> Message {
    let came_first = |by: &AnswerSpec| {
        let sentence = say("{0} has answered first; that record stays.", "{0} 已先回答，那份记录保持原样。");
        Message::new(sentence, &[&by.answered_by.display()])
    };
    match error {
        WriteError::Exists(record) => record.valid().map(came_first),
        WriteError::Stale => Some(Message::from(say(
            "The packet has changed since your review.",
            "指令包在你核对之后发生了变化。",
        ))),
        _ => None,
    }
    .unwrap_or_else(|| both(s::PLAIN, &error.error()))
}
