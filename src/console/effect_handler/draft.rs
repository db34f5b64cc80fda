//! Keeping drafts: on the thread that does it, or in place.

use super::super::effect::{DraftToSave, EffectResult};
use super::EffectHandler;
use super::say::not_kept;
use crate::ask::{Gate, JsString};
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::autosave::{Autosave, Unsaved};
use crate::store::drafts::{DraftJob, Drafts, SavedDraft, reason};
use std::time::{Duration, SystemTime};

/// How long anything waits for drafts that are on their way to the disk.
const FLUSH: Duration = Duration::from_millis(450);

impl EffectHandler {
    pub(super) fn drafts(&self) -> Drafts {
        Drafts::new(&self.state)
    }

    /// The draft of a gate that is not on the disk yet.
    pub(super) fn pending_draft(&self, gate: &Gate) -> Option<SavedDraft> {
        let pending = self.autosave.as_ref()?.pending(&gate.answer_path)?;
        Some(pending.restored(&gate.spec))
    }

    pub(super) fn save_draft(&self, draft: &DraftToSave) -> Option<EffectResult> {
        if let Some(autosave) = &self.autosave {
            queue_draft(autosave, draft, self.clock.now());
            return None;
        }
        if let Some(gate) = draft.packet.gate.as_ref().filter(|_| draft.emptied) {
            self.forget_draft(&gate.answer_path);
        }
        let job = draft_job(draft, self.clock.now())?;
        let trouble = self.drafts().save(&job).err().map(|error| not_kept(&reason(error)));
        Some(EffectResult::DraftTrouble(job.answer_path, trouble))
    }

    /// Writes the drafts that are still on their way to the disk.
    pub(super) fn flush_drafts(&self) {
        if let Some(autosave) = &self.autosave {
            // The autosave itself reports a failure.
            autosave.flush(FLUSH);
        }
    }

    pub(super) fn forget_draft(&self, answer_path: &JsString) {
        match &self.autosave {
            Some(autosave) => autosave.remove(answer_path.clone()),
            // A draft that is left over is offered again, never submitted.
            None => drop(self.drafts().remove(answer_path)),
        }
    }
}

/// Brings to the disk what is on its way there; what cannot be written in time goes to a file elsewhere.
pub(in crate::console) fn flush(autosave: &Autosave) -> Option<Unsaved> {
    if autosave.flush(FLUSH) { None } else { autosave.rescue() }
}

/// Lets the thread keep a draft, or remove the one that the author has emptied.
pub(in crate::console) fn queue_draft(autosave: &Autosave, draft: &DraftToSave, now: SystemTime) {
    match (draft_job(draft, now), &draft.packet.gate) {
        (Some(job), _) => autosave.put(job),
        (None, Some(gate)) if draft.emptied => autosave.remove(gate.answer_path.clone()),
        (None, _) => {}
    }
}

/// The draft to keep; none if the author has not touched the answers and nothing is left of earlier ones.
fn draft_job(draft: &DraftToSave, now: SystemTime) -> Option<DraftJob> {
    let gate = draft.packet.gate.as_ref().filter(|_| draft.is_authors())?;
    Some(DraftJob {
        packet: draft.path.to_string_lossy().into_owned(),
        answer_path: gate.answer_path.clone(),
        spec: gate.spec.clone(),
        draft: draft.draft.clone(),
        orphans: draft.orphans.clone(),
        at: draft.at,
        saved_at: rfc3339_millis(now),
    })
}
