//! Does what the console wants done: the only place of the console that knows the store's functions.
//!
//! Responsible for turning an effect into calls of the store and their results into results. Everything here may wait
//! for the disk, so the program runs it on a thread of its own; stories run it in place. Not responsible for the
//! decision what to do (`update`).

use self::repair::{odd, unreadable};
use super::effect::{DraftToSave, Effect, EffectResult, Reloaded, Submission, Submitted, Unwritten};
use super::model::{Asked, Detail, DetailContent, Message, Opened, RecordView, Written};
use super::sentences as s;
use crate::ask::{JsString, is_another_document};
use crate::error::{Error, io_cause};
use crate::store::clock::{Clock, rfc3339_millis};
use crate::store::drafts::{Autosave, DraftJob, Drafts, Loaded as Kept, SavedDraft};
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::history as past;
use crate::store::lock::{self, Holder, Lock, Taken};
use crate::store::pickup;
use crate::store::project::Project;
use crate::store::record::{RecordState, WriteError};
use crate::store::state::StateDir;
use crate::text::{Lang, Sentence};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

mod edit;
mod history;
mod repair;

/// How long anything waits for drafts that are on their way to the disk.
const FLUSH: Duration = Duration::from_millis(450);

/// What is needed to do things.
pub struct EffectHandler {
    /// The project.
    pub project: Arc<Project>,
    /// Where drafts and history lie.
    pub state: StateDir,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The thread that keeps drafts safe; without one they are written in place.
    pub autosave: Option<Arc<Autosave>>,
    /// The lock of the gate that is being answered.
    answering: Mutex<Option<Lock>>,
}

impl EffectHandler {
    /// With nothing held yet.
    pub fn new(
        project: Arc<Project>,
        state: StateDir,
        clock: Arc<dyn Clock>,
        autosave: Option<Arc<Autosave>>,
    ) -> EffectHandler {
        EffectHandler { project, state, clock, autosave, answering: Mutex::default() }
    }

    /// Does one thing. Effects that concern the terminal or the watch are not for here and give nothing.
    pub fn handle(&self, effect: &Effect) -> Vec<EffectResult> {
        match effect {
            Effect::Load(path) => vec![EffectResult::Loaded(Box::new(self.detail(path)))],
            Effect::Open(path) => vec![self.open(path)],
            Effect::Reload { path, spec_hash } => {
                vec![EffectResult::Reloaded(Box::new(self.reload(path, spec_hash)))]
            }
            Effect::SaveDraft(draft) => self.save_draft(draft),
            Effect::Submit(submission) => vec![self.submit(submission)],
            Effect::Verify(written) => vec![self.verify(written)],
            Effect::PutBack(written) => vec![self.put_back(written)],
            Effect::Redo { path, past, warned } => vec![self.redo(path, *past, warned.as_deref())],
            Effect::UndoRedo(path) => vec![self.undo(path)],
            Effect::NoteSeen(entries) => {
                self.note_seen(entries);
                Vec::new()
            }
            Effect::SeeIfLost(path) => self.see_if_lost(path).into_iter().collect(),
            Effect::ReadHistory(scope, words) => vec![self.read_history(scope, words)],
            Effect::RereadHistory { scope, words, stamp, seen } => {
                self.reread_history((scope, words), (*stamp, seen.as_deref())).into_iter().collect()
            }
            Effect::Recall(entry) => vec![EffectHandler::recall(entry)],
            Effect::SeeRestore(entry, packets) => vec![self.see_restore(entry, packets)],
            Effect::RestoreEntry(restoring) => vec![self.restore_entry(restoring)],
            Effect::LendRecord(path) => vec![self.lend_record(path)],
            Effect::CheckEdited(edited) => vec![self.check_edited(edited)],
            Effect::WriteEdited(edited) => vec![self.write_edited(edited)],
            Effect::KeepEdited(edited) => self.keep_edited(edited).into_iter().collect(),
            Effect::DropEdited(edited) => {
                self.drop_edited(edited);
                Vec::new()
            }
            Effect::Rescan
            | Effect::LookAt(_)
            | Effect::Adopt(_)
            | Effect::Edit { .. }
            | Effect::Bell
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Quit(_) => Vec::new(),
        }
    }

    fn load(&self, path: &Path) -> Result<Loaded, LoadFault> {
        gate::load(&self.project, &self.project.root().join(path))
    }

    fn drafts(&self) -> Drafts {
        Drafts::new(&self.state)
    }

    fn detail(&self, path: &Path) -> Detail {
        let content = match self.load(path) {
            Ok(loaded) => {
                let outputs = loaded.outputs(&self.project);
                let undo = self.undo_at(&loaded);
                let edited = loaded.gate().is_some_and(|gate| self.drafts().has_edited(&gate.answer_path));
                let causes = match (&loaded.record.state, loaded.gate()) {
                    (RecordState::Invalid(problems), Some(gate)) => {
                        Some(self.causes(gate, &loaded.record.bytes, problems))
                    }
                    _ => None,
                };
                let readable = loaded.record.is_read();
                let record = match loaded.record.state {
                    RecordState::Absent => RecordView::Absent,
                    RecordState::Valid(record) => RecordView::Valid(record),
                    RecordState::Invalid(problems) => RecordView::Invalid {
                        causes: causes.unwrap_or_default(),
                        problems,
                        foreign: is_another_document(&loaded.record.bytes),
                        readable,
                        text: String::from_utf8_lossy(&loaded.record.bytes).into_owned(),
                    },
                };
                let refusal = loaded.refusal.map(|refusal| Message::from(refusal.sentence()));
                DetailContent::Gate {
                    packet: Arc::new(loaded.packet),
                    record,
                    outputs,
                    refusal,
                    undo,
                    edited,
                }
            }
            Err(LoadFault::Malformed(problems)) => DetailContent::Malformed(problems),
            Err(LoadFault::Unreadable(error)) => DetailContent::Gone(both(s::PLAIN, &error)),
        };
        Detail { path: path.to_path_buf(), content }
    }

    fn open(&self, path: &Path) -> EffectResult {
        let refuse = |why: Message| EffectResult::NotOpened(path.to_path_buf(), why);
        match self.load(path) {
            Err(fault) => refuse(both(s::CANNOT_OPEN, &fault.error())),
            Ok(loaded) => match loaded.status() {
                Status::NoGate | Status::Malformed => refuse(Message::from(s::ASKS_NOTHING)),
                Status::Answered => refuse(Message::from(s::ALREADY_ANSWERED)),
                Status::Blocked if !loaded.record.is_read() => refuse(unreadable(&loaded)),
                Status::Waiting | Status::Blocked => {
                    EffectResult::Opened(Box::new(self.opened(path, loaded)))
                }
            },
        }
    }

    /// A gate that is held up, with its kept draft, if there is one, and what an earlier record of it said.
    fn opened(&self, path: &Path, loaded: Loaded) -> Opened {
        let Some(gate) = loaded.gate() else {
            return Opened { asked: asked(path, loaded), ..Opened::default() };
        };
        self.flush_drafts();
        let Kept { draft: saved, set_aside } = self.drafts().load(&gate.answer_path, &gate.spec);
        let pending = self.autosave.as_ref().and_then(|autosave| autosave.pending(&gate.answer_path));
        let saved = pending.map(|job| job.restored(&gate.spec)).or(saved);
        let start = self.start(&loaded, gate);
        let mut opened = Opened {
            draft: start.draft,
            repair: start.repair,
            before: start.before,
            set_aside: set_aside.iter().map(|aside| in_both(|lang| aside.sentence(lang))).next_back(),
            elsewhere: self.take_gate(&gate.answer_path),
            ..Opened::default()
        };
        let kept = |saved: &SavedDraft| saved.draft.is_authors() || !saved.orphans.is_empty();
        if let Some(mut saved) = saved.filter(kept) {
            saved.draft.fill_from(&opened.draft);
            (opened.draft, opened.orphans, opened.at) = (saved.draft, saved.orphans, saved.at);
            opened.known = saved.asked.filter(|_| saved.spec_changed).map(Arc::new);
            opened.restored = Some(saved.saved_at);
        }
        if opened.restored.is_none() {
            opened.greeting = start.greeting;
        }
        Opened { asked: asked(path, loaded), ..opened }
    }

    /// Takes the courtesy lock of the gate that is being answered; says who else has it. That there are no locks here is
    /// no reason not to answer: the commit decides.
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
                Some(Message::new(s::ANSWERED_ELSEWHERE, &[&tty, since.get(..16).unwrap_or(&since)]))
            }
        }
    }

    fn reload(&self, path: &Path, spec_hash: &str) -> Reloaded {
        let path = path.to_path_buf();
        match self.load(&path) {
            Err(fault) => Reloaded::Gone(path, both(s::PACKET_GONE, &fault.error())),
            Ok(loaded) if loaded.gate().is_none() => Reloaded::Gone(path, Message::from(s::ASKS_NOTHING)),
            Ok(loaded) if loaded.spec_hash() == spec_hash => Reloaded::Same {
                path,
                record: self.record_seen(&loaded),
                refusal: loaded.refusal.map(|refusal| Message::from(refusal.sentence())),
                packet: Arc::new(loaded.packet),
            },
            Ok(loaded) => Reloaded::Changed(asked(&path, loaded)),
        }
    }

    fn save_draft(&self, draft: &DraftToSave) -> Vec<EffectResult> {
        let Some(job) = draft_job(draft, self.clock.now()) else { return Vec::new() };
        if let Some(autosave) = &self.autosave {
            autosave.put(job);
            return Vec::new();
        }
        let trouble = self.drafts().save(&job).err().map(|error| not_kept(&io_cause(&error)));
        vec![EffectResult::DraftTrouble(job.answer_path, trouble)]
    }

    fn submit(&self, submission: &Submission) -> EffectResult {
        let draft = &submission.draft;
        let path = draft.path.clone();
        let Some(gate) = &draft.packet.gate else {
            return unwritten(path, Unwritten::Failed(Message::from(s::ASKS_NOTHING)));
        };
        // The answers are on disk before anything else happens to them; if not, the record itself will keep them.
        self.save_draft(draft);
        self.flush_drafts();
        let at = rfc3339_millis(self.clock.now());
        let record = draft.draft.record(&gate.spec, &at, &JsString::from(submission.answered_by.as_str()));
        let packet = self.project.root().join(&path);
        if let Ok(loaded) = self.load(&path)
            && loaded.gate().is_some_and(|now| !self.is_same_place(&now.answer_path, &gate.answer_path))
        {
            // The author was shown another place.
            return unwritten(path.clone(), Unwritten::Changed(asked(&path, loaded)));
        }
        let rivals = &submission.rivals;
        let to_write = gate::Submission { packet: &packet, asked: &draft.spec_hash, record: &record, rivals };
        let written = match &submission.replaces {
            None => past::submit(&self.project, &self.state, &to_write, self.clock.now()),
            Some(seen) => self.replace(&to_write, seen),
        };
        match written {
            Ok(receipt) => {
                drop(self.answering.lock().unwrap_or_else(PoisonError::into_inner).take());
                self.forget_draft(&gate.answer_path);
                let packet = draft.packet.clone();
                let outputs = gate::outputs(&self.project, &packet);
                EffectResult::Submitted(Box::new(Submitted { path, packet, record, receipt, outputs }))
            }
            Err(WriteError::Exists(_)) if submission.replaces.is_some() => match self.load(&path) {
                Ok(loaded) => unwritten(path, Unwritten::Moved(self.record_seen(&loaded))),
                Err(fault) => unwritten(path, Unwritten::Failed(both(s::NOT_WRITTEN, &fault.error()))),
            },
            Err(WriteError::Exists(winner)) => match winner.state.clone() {
                RecordState::Valid(record) => unwritten(path, Unwritten::Exists(Some(record), None)),
                _ => unwritten(path, Unwritten::Exists(None, odd(&winner))),
            },
            Err(WriteError::Stale) => match self.load(&path) {
                Ok(loaded) if loaded.gate().is_none() => {
                    unwritten(path, Unwritten::Failed(Message::from(s::ASKS_NOTHING)))
                }
                Ok(loaded) => {
                    let asked = asked(&path, loaded);
                    unwritten(path, Unwritten::Changed(asked))
                }
                Err(fault) => unwritten(path, Unwritten::Failed(both(s::NOT_WRITTEN, &fault.error()))),
            },
            Err(error) => unwritten(path, Unwritten::Failed(both(s::NOT_WRITTEN, &error.error()))),
        }
    }

    fn is_same_place(&self, a: &JsString, b: &JsString) -> bool {
        self.state.gate_key(a) == self.state.gate_key(b)
    }

    /// What is still on its way to the disk gets there first.
    fn flush_drafts(&self) {
        if let Some(autosave) = &self.autosave {
            // Told by the autosave itself if it fails.
            autosave.flush(FLUSH);
        }
    }

    fn forget_draft(&self, answer_path: &JsString) {
        match &self.autosave {
            Some(autosave) => autosave.remove(answer_path.clone()),
            // A draft that stays behind is offered again, never sent; nothing to be done about it here.
            None => drop(self.drafts().remove(answer_path)),
        }
    }

    fn verify(&self, written: &Written) -> EffectResult {
        let path = written.path.clone();
        let progress = Box::new(pickup::progress(&self.project, &written.ours(&self.root_path(&path))));
        EffectResult::Verified { path, progress }
    }

    fn put_back(&self, written: &Written) -> EffectResult {
        let path = written.path.clone();
        let (ours, now) = (self.root_path(&path), self.clock.now());
        let ours = written.ours(&ours);
        match pickup::put_back(&self.project, &self.state, &ours, &written.progress.fate, now) {
            Ok(_) => EffectResult::PutBack(path),
            Err(error) => EffectResult::Failed(both(s::PLAIN, &error)),
        }
    }

    fn root_path(&self, path: &Path) -> PathBuf {
        self.project.root().join(path)
    }

    fn undo(&self, path: &Path) -> EffectResult {
        let loaded = match self.load(path) {
            Ok(loaded) => loaded,
            Err(fault) => return EffectResult::Failed(both(s::CANNOT_OPEN, &fault.error())),
        };
        match past::undo(&self.project, &self.state, &loaded, self.clock.now()) {
            Ok(_) => EffectResult::Restored(path.to_path_buf()),
            Err(error) => EffectResult::Failed(both(s::PLAIN, &error)),
        }
    }
}

/// What is to be kept of these answers; nothing if the author has not touched them and nothing is left of earlier ones.
pub(super) fn draft_job(draft: &DraftToSave, now: SystemTime) -> Option<DraftJob> {
    let gate =
        draft.packet.gate.as_ref().filter(|_| draft.draft.is_authors() || !draft.orphans.is_empty())?;
    Some(DraftJob {
        packet: draft.path.to_string_lossy().into_owned(),
        answer_path: gate.answer_path.clone(),
        spec: Arc::new(gate.spec.clone()),
        draft: draft.draft.clone(),
        orphans: draft.orphans.clone(),
        at: draft.at,
        saved_at: rfc3339_millis(now),
    })
}

fn unwritten(path: PathBuf, why: Unwritten) -> EffectResult {
    EffectResult::NotSubmitted(path, Box::new(why))
}

/// What a gate asks.
fn asked(path: &Path, loaded: Loaded) -> Asked {
    Asked {
        path: path.to_path_buf(),
        spec_hash: loaded.spec_hash(),
        refusal: loaded.refusal.map(|refusal| Message::from(refusal.sentence())),
        packet: Arc::new(loaded.packet),
    }
}

/// Words that exist in both languages already.
fn in_both(words: impl Fn(Lang) -> String) -> Message {
    Message::new(s::PLAIN, &[&words(Lang::En), &words(Lang::ZhCn)])
}

/// An error in both languages, in the gaps of a sentence.
fn both(sentence: Sentence, error: &Error) -> Message {
    Message::new(sentence, &[&error.text(Lang::En), &error.text(Lang::ZhCn)])
}

/// Answers could not be kept safe, and why.
pub(super) fn not_kept(reason: &Message) -> Message {
    Message::new(s::DRAFT_NOT_KEPT, &[&reason.text(Lang::En), &reason.text(Lang::ZhCn)])
}
