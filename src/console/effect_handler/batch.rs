//! The same answers for other gates that wait with the same questions: finding them, writing their records.

use super::super::effect::{DraftToSave, Submission};
use super::super::model::{BatchGate, BatchRecord, LoadedGate, Message};
use super::super::sentences as s;
use super::EffectHandler;
use super::say::{because, both, loaded_gate};
use crate::ask::AnswerSpec;
use crate::store::batch;
use crate::store::collision::irreconcilable;
use crate::store::entry::Entry;
use crate::store::record::WriteError;
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl EffectHandler {
    pub(super) fn find_batch(
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

    /// Each record by itself, so that a failure stops no other. Drafts of these gates stay: their words are in no record.
    pub(super) fn write_batch(&self, submission: &Submission) -> Vec<BatchRecord> {
        let write = |further: &BatchGate| {
            let LoadedGate { path, packet, spec_hash, refusal } = further.gate.clone();
            let title = further.gate.title();
            let draft = DraftToSave { path: path.clone(), packet, spec_hash, ..submission.draft.clone() };
            let answered_by = submission.answered_by.clone();
            let rivals = further.rivals.clone();
            let own = Submission { draft, answered_by, replaces: None, rivals, batch: Vec::new() };
            let written = match refusal {
                Some(refusal) => Err(refusal),
                None => self.put(&own).map(|written| written.receipt).map_err(|error| why_not(&error)),
            };
            let written = written.map_err(|why| because(s::BATCH_NOT_WRITTEN, &why));
            BatchRecord { path, title, written }
        };
        submission.batch.iter().map(write).collect()
    }
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
