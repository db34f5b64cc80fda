//! Keeping drafts: on the thread that does it, or in place.

use super::gate::LoadedGate;
use crate::ask::draft::Orphan;
use crate::ask::{Draft, Gate, JsString};
use crate::console::files::{FLUSH, Files};
use crate::console::sentences as s;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::autosave::{Autosave, Unsaved};
use crate::store::drafts::{DraftJob, SavedDraft, reason};
use crate::text::Message;
use std::time::SystemTime;

#[derive(Clone, Debug)]
pub struct DraftToSave {
    pub gate: LoadedGate,
    pub draft: Draft,
    /// What an earlier draft held that fits no more.
    pub orphans: Vec<Orphan>,
    pub at: usize,
    /// Whether he has just emptied a draft that is kept: it goes.
    pub emptied: bool,
}

impl DraftToSave {
    /// What stays of it when its answers are in a record; if that is nothing, the draft goes.
    #[must_use]
    pub fn beside_answers(&self) -> DraftToSave {
        DraftToSave { draft: self.draft.beside_answers(), emptied: true, ..self.clone() }
    }

    /// The same when the step is sent back with them.
    #[must_use]
    pub fn beside_refusal(&self) -> DraftToSave {
        DraftToSave { draft: self.draft.beside_refusal(self.gate.spec()), emptied: true, ..self.clone() }
    }

    /// Whether there is anything of the author's in it.
    pub fn is_authors(&self) -> bool {
        self.draft.is_authors() || !self.orphans.is_empty()
    }
}

impl Files {
    /// The draft of a gate that is not on the disk yet.
    pub(crate) fn pending_draft(&self, gate: &Gate) -> Option<SavedDraft> {
        let pending = self.autosave.as_ref()?.pending(&gate.answer_path)?;
        Some(pending.restored(&gate.spec))
    }

    /// Lets a draft be kept; without a thread that does it, tells at once for which place of answers, and what is in the way.
    pub fn save_draft(&self, draft: &DraftToSave) -> Option<(JsString, Option<Message>)> {
        if let Some(autosave) = &self.autosave {
            queue_draft(autosave, draft, self.clock.now());
            return None;
        }
        if let Some(gate) = draft.gate.packet.gate.as_ref().filter(|_| draft.emptied) {
            self.forget_draft(&gate.answer_path);
        }
        let job = draft_job(draft, self.clock.now())?;
        let trouble = self.drafts().save(&job).err().map(|error| s::not_kept(&reason(error)));
        Some((job.answer_path, trouble))
    }

    /// A draft that has moved to another place with its gate is not kept in the old one too, once it is safe.
    pub(crate) fn leave_place(&self, answer_path: &JsString) -> Option<()> {
        if self.autosave.as_ref().is_none_or(|autosave| autosave.flush(FLUSH)) {
            // What is left over is shown, never submitted.
            drop(self.drafts().leave(answer_path));
        }
        None
    }

    pub(crate) fn forget_draft(&self, answer_path: &JsString) {
        match &self.autosave {
            Some(autosave) => autosave.remove(answer_path),
            // A draft that is left over is offered again, never submitted.
            None => drop(self.drafts().remove(answer_path)),
        }
    }
}

/// Brings to the disk what is on its way there; what cannot be written in time goes to a file elsewhere.
pub(crate) fn flush(autosave: &Autosave) -> Option<Unsaved> {
    if autosave.flush(FLUSH) { None } else { autosave.rescue() }
}

/// Lets the thread keep a draft, or remove the one that the author has emptied.
pub(crate) fn queue_draft(autosave: &Autosave, draft: &DraftToSave, now: SystemTime) {
    match (draft_job(draft, now), &draft.gate.packet.gate) {
        (Some(job), _) => autosave.put(job),
        (None, Some(gate)) if draft.emptied => autosave.remove(&gate.answer_path),
        (None, _) => {}
    }
}

/// The draft to keep; none if the author has not touched the answers and nothing is left of earlier ones.
fn draft_job(draft: &DraftToSave, now: SystemTime) -> Option<DraftJob> {
    let gate = draft.gate.packet.gate.as_ref().filter(|_| draft.is_authors())?;
    Some(DraftJob {
        packet: draft.gate.path.shown().into_owned(),
        step: draft.gate.packet.step.clone(),
        answer_path: gate.answer_path.clone(),
        spec: gate.spec.clone(),
        draft: draft.draft.clone(),
        orphans: draft.orphans.clone(),
        at: draft.at,
        saved_at: rfc3339_millis(now),
    })
}
