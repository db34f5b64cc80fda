//! Carries out effects: the only place of the console that calls the store's functions.
//!
//! Everything here may wait for the disk, so the program runs it on a thread of its own; stories run it in place.

pub(super) use self::say::not_kept;
use self::say::{both, loaded_gate, odd, unreadable};
use super::effect::{
    DraftToSave, Effect, EffectResult, Move, Reloaded, Reply, Request, Submission, Submitted, Unwritten,
};
use super::model::{Detail, DetailContent, FormStatus, Message, OpenedGate, RecordView, Warnings, Written};
use super::sentences as s;
use crate::ask::{AnswerSpec, Gate, JsString, is_another_document};
use crate::store::clock::{Clock, local_time_of, rfc3339_millis};
use crate::store::drafts::autosave::Autosave;
use crate::store::drafts::{self, DraftJob, Drafts, Loaded as Kept, SavedDraft};
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::history::{self as past, Over};
use crate::store::later;
use crate::store::lock::{self, Holder, Lock, Taken};
use crate::store::pickup;
use crate::store::project::Project;
use crate::store::record::{Receipt, RecordState, WriteError};
use crate::store::state::StateDir;
use crate::store::story;
use crate::store::submit;
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

mod batch;
mod edit;
mod history;
mod repair;
mod say;

/// How long anything waits for drafts that are on their way to the disk.
const FLUSH: Duration = Duration::from_millis(450);

pub struct EffectHandler {
    pub project: Arc<Project>,
    /// Where drafts and history lie.
    pub state: StateDir,
    pub clock: Arc<dyn Clock>,
    /// The thread that keeps drafts safe; without one they are written in place.
    pub autosave: Option<Arc<Autosave>>,
    /// The lock of the gate that is being answered.
    answering: Mutex<Option<Lock>>,
}

impl EffectHandler {
    pub fn new(
        project: Arc<Project>,
        state: StateDir,
        clock: Arc<dyn Clock>,
        autosave: Option<Arc<Autosave>>,
    ) -> EffectHandler {
        EffectHandler { project, state, clock, autosave, answering: Mutex::default() }
    }

    /// Carries out one effect. One that concerns the terminal or the watch is not handled here and returns nothing.
    pub fn handle(&self, effect: &Effect) -> Option<EffectResult> {
        match effect {
            Effect::Ask(request) => self.reply(request).map(EffectResult::Reply),
            Effect::Load(path) => Some(EffectResult::Loaded(Box::new(self.detail(path)))),
            Effect::Reload { path, spec_hash } => {
                Some(EffectResult::Reloaded(Box::new(self.reload(path, spec_hash))))
            }
            Effect::SaveDraft(draft) => self.save_draft(draft),
            Effect::Verify(written) => Some(self.verify(written)),
            Effect::ReadDrafts(entries) => Some(EffectResult::DraftsRead(self.drafts().progress(entries)))
                .filter(|read| !matches!(read, EffectResult::DraftsRead(drafts) if drafts.is_empty())),
            Effect::ReadLater(entries) => {
                Some(EffectResult::LaterRead(later::read(&self.state, entries, self.clock.now())))
                    .filter(|read| !matches!(read, EffectResult::LaterRead(marks) if marks.is_empty()))
            }
            Effect::PutOff(answer_path, mark) => {
                let failed = later::put_off(&self.state, answer_path, *mark).err();
                failed.map(|error| EffectResult::Failed(both(s::PLAIN, &error)))
            }
            Effect::NoteSeen(entries) => {
                while self.note_some_seen(entries) {}
                None
            }
            Effect::SeeIfLost(path) => self.see_if_lost(path),
            Effect::RereadHistory { scope, words, stamp, seen } => {
                self.reread_history((scope, words), (*stamp, seen.as_deref()))
            }
            Effect::LoadEntry(entry) => Some(history::load_entry(entry)),
            Effect::ListStory(path) => {
                let files = story::files(&self.project, &self.root_path(path));
                Some(EffectResult::StoryListed(path.clone(), files))
            }
            Effect::ReadStory(read) => {
                Some(EffectResult::StoryRead(read.clone(), Box::new(story::read(&self.project, read))))
            }
            Effect::FindBatch { path, spec_hash, candidates } => {
                let gates = self.find_batch(path, spec_hash, candidates);
                Some(EffectResult::BatchFound(path.clone(), spec_hash.clone(), gates))
            }
            Effect::KeepEdited(edited) => self.keep_edited(edited),
            Effect::DropEdited(edited) => {
                self.drop_edited(edited);
                None
            }
            Effect::Rescan
            | Effect::Look
            | Effect::NextTheme
            | Effect::Notify(_)
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Quit(_) => None,
        }
    }

    fn reply(&self, request: &Request) -> Option<Reply> {
        let reply = match request {
            Request::Open(path) => self.open(path),
            Request::Submit(submission) => Ok(self.submit(submission)),
            Request::PutBack(written) => self.put_back(written),
            Request::Redo { path, past, warned } => self.redo(path, *past, warned.as_deref()),
            Request::UndoRedo(path) => self.undo(path),
            Request::ReadHistory(scope, words) => {
                self.read_history(scope, words).map(|found| Reply::HistoryRead(Box::new(found)))
            }
            Request::SeeRestore(entry, packets) => Ok(self.see_restore(entry, packets)),
            Request::RestoreEntry(restoring) => Ok(self.restore_entry(restoring)),
            Request::ReadStory(read) => {
                Ok(Reply::StoryRead(read.clone(), Box::new(story::read(&self.project, read))))
            }
            Request::ReadRecord(path) => self.read_record(path),
            Request::CheckEdited(edited) => Ok(self.check_edited(edited)),
            Request::WriteEdited(edited) => Ok(self.write_edited(edited)),
            Request::Edit { .. } => return None,
        };
        Some(reply.unwrap_or_else(Reply::Failed))
    }

    fn load(&self, path: &Path) -> Result<Loaded, LoadFault> {
        gate::load(&self.project, &self.root_path(path))
    }

    fn load_or_say(&self, path: &Path) -> Result<Loaded, Message> {
        self.load(path).map_err(|fault| both(s::CANNOT_OPEN, &fault.error()))
    }

    fn drafts(&self) -> Drafts {
        Drafts::new(&self.state)
    }

    fn detail(&self, path: &Path) -> Detail {
        let content = match self.load(path) {
            Ok(loaded) => {
                let outputs = loaded.outputs(&self.project);
                let undo = self.undo_at(&loaded);
                let edited =
                    loaded.gate().is_some_and(|gate| self.drafts().edited(&gate.answer_path).is_some());
                let draft = loaded.gate().and_then(|gate| {
                    let kept = || self.drafts().peek(&gate.answer_path, &gate.spec);
                    self.pending_draft(gate).or_else(kept).filter(SavedDraft::is_authors).map(Box::new)
                });
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
                    draft,
                    edited,
                }
            }
            Err(LoadFault::Malformed(problems)) => DetailContent::Malformed(problems),
            Err(LoadFault::Unreadable(error)) => DetailContent::Gone(both(s::PLAIN, &error)),
        };
        Detail { path: path.to_path_buf(), content }
    }

    fn open(&self, path: &Path) -> Result<Reply, Message> {
        let loaded = self.load_or_say(path)?;
        match loaded.status() {
            Status::NoGate | Status::Malformed => Err(Message::from(s::ASKS_NOTHING)),
            Status::Answered => Err(Message::from(say(
                "This gate is already answered. Redo it to answer again.",
                "这个门控已经回答。重做后可再次作答。",
            ))),
            Status::Blocked if !loaded.record.is_read() => Err(unreadable(&loaded)),
            Status::Waiting | Status::Blocked => Ok(Reply::Opened(Box::new(self.opened(path, loaded)))),
        }
    }

    /// A gate that is held up, with its kept draft, if there is one, and what an earlier record of it said.
    fn opened(&self, path: &Path, loaded: Loaded) -> OpenedGate {
        let Some(gate) = loaded.gate() else {
            return OpenedGate { gate: loaded_gate(path, loaded), ..OpenedGate::default() };
        };
        self.flush_drafts();
        let Kept { draft: saved, trouble } = self.drafts().load(&gate.answer_path, &gate.spec);
        let saved = self.pending_draft(gate).or(saved);
        let start = self.start(&loaded, gate);
        let elsewhere = self.take_gate(&gate.answer_path);
        let status = FormStatus {
            repair: start.repair,
            before: start.before,
            warnings: Warnings { elsewhere, ..Warnings::default() },
            last_time: past::last_time(&self.state, gate),
            ..FormStatus::default()
        };
        let mut opened =
            OpenedGate { draft: start.draft, set_aside: trouble, status, ..OpenedGate::default() };
        if let Some(mut saved) = saved.filter(SavedDraft::is_authors) {
            saved.draft.fill_from(&opened.draft);
            (opened.draft, opened.status.orphans, opened.at) = (saved.draft, saved.orphans, saved.at);
            opened.status.known = saved.asked.filter(|_| saved.spec_changed).map(Arc::new);
            opened.restored = Some(saved.saved_at);
        }
        if opened.restored.is_none() {
            opened.greeting = start.greeting;
        }
        OpenedGate { gate: loaded_gate(path, loaded), ..opened }
    }

    /// The draft of a gate that is not on the disk yet.
    fn pending_draft(&self, gate: &Gate) -> Option<SavedDraft> {
        let pending = self.autosave.as_ref()?.pending(&gate.answer_path)?;
        Some(pending.restored(&gate.spec))
    }

    /// Takes the courtesy lock of the gate that is being answered; says who else has it. Without locks the gate can still
    /// be answered: the commit decides.
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
                let now = self.clock.local_now();
                let since = [Lang::En, Lang::ZhCn].map(|lang| local_time_of(&since, &now, lang));
                Some(Message::new(
                    say(
                        "Another console is answering this gate ({0}, since {1}). The first record written counts; nothing of yours is lost.",
                        "另一个控制台正在回答这个门控（{0}，始于{2}）。先写入的记录生效，你的内容不会丢失。",
                    ),
                    &[&tty, &since[0], &since[1]],
                ))
            }
        }
    }

    fn reload(&self, path: &Path, spec_hash: &str) -> Reloaded {
        let path = path.to_path_buf();
        match self.load(&path) {
            Err(fault) => Reloaded::Gone(
                path,
                both(
                    say(
                        "The packet is gone or can no longer be used: {0} Your answers are kept.",
                        "指令包已不在或无法使用：{1}回答已保留。",
                    ),
                    &fault.error(),
                ),
            ),
            Ok(loaded) if loaded.gate().is_none() => Reloaded::Gone(path, Message::from(s::ASKS_NOTHING)),
            Ok(loaded) if loaded.spec_hash() == spec_hash => {
                let record = self.record_seen(&loaded);
                Reloaded::Same(loaded_gate(&path, loaded), record)
            }
            Ok(loaded) => Reloaded::Changed(loaded_gate(&path, loaded)),
        }
    }

    fn save_draft(&self, draft: &DraftToSave) -> Option<EffectResult> {
        if let Some(autosave) = &self.autosave {
            queue_draft(autosave, draft, self.clock.now());
            return None;
        }
        if let Some(gate) = draft.packet.gate.as_ref().filter(|_| draft.emptied) {
            self.forget_draft(&gate.answer_path);
        }
        let job = draft_job(draft, self.clock.now())?;
        let trouble = self.drafts().save(&job).err().map(|error| not_kept(&drafts::reason(error)));
        Some(EffectResult::DraftTrouble(job.answer_path, trouble))
    }

    fn submit(&self, submission: &Submission) -> Reply {
        let own = self.write(submission);
        let batch = self.write_batch(submission);
        match own {
            Ok(written) => {
                drop(self.answering.lock().unwrap_or_else(PoisonError::into_inner).take());
                Reply::Submitted(Box::new(written), batch)
            }
            Err(why) => Reply::NotSubmitted(submission.draft.path.clone(), why, batch),
        }
    }

    fn write(&self, submission: &Submission) -> Result<Submitted, Box<Unwritten>> {
        let refuse = |why| Err(Box::new(why));
        let asks_nothing = || Box::new(Unwritten::Failed(Message::from(s::ASKS_NOTHING)));
        let (draft, path) = (&submission.draft, submission.draft.path.clone());
        let gate = draft.packet.gate.as_ref().ok_or_else(asks_nothing)?;
        // The answers are on disk before anything else happens to them; if not, the record itself will keep them.
        self.save_draft(draft);
        self.flush_drafts();
        let written = self.put(submission);
        let load = || {
            let failed = |fault: LoadFault| Unwritten::Failed(both(s::NOT_WRITTEN, &fault.error()));
            self.load(&path).map_err(|fault| Box::new(failed(fault)))
        };
        match written {
            Ok((record, receipt)) => {
                self.forget_draft(&gate.answer_path);
                let packet = draft.packet.clone();
                let outputs = gate::outputs(&self.project, &packet);
                Ok(Submitted { path, packet, record, receipt, outputs })
            }
            Err(WriteError::Exists(_)) if submission.replaces.is_some() => {
                refuse(Unwritten::Moved(self.record_seen(&load()?)))
            }
            Err(WriteError::Exists(winner)) => match winner.state.clone() {
                RecordState::Valid(record) => refuse(Unwritten::Exists(Some(record), None)),
                _ => refuse(Unwritten::Exists(None, odd(&winner))),
            },
            Err(WriteError::Stale) => {
                let loaded = load()?;
                loaded.gate().ok_or_else(asks_nothing)?;
                refuse(Unwritten::Changed(loaded_gate(&path, loaded)))
            }
            Err(error) => refuse(Unwritten::Failed(both(s::NOT_WRITTEN, &error.error()))),
        }
    }

    /// Puts the record of these answers in its place.
    fn put(&self, submission: &Submission) -> Result<(AnswerSpec, Receipt), WriteError> {
        let draft = &submission.draft;
        let gate = draft.packet.gate.as_ref().ok_or(WriteError::NoGate)?;
        let at = rfc3339_millis(self.clock.now());
        let record = draft.draft.record(&gate.spec, &at, &JsString::from(submission.answered_by.as_str()));
        let (packet, json) = (self.root_path(&draft.path), record.to_json());
        let to_write = submit::Submission {
            packet: &packet,
            answer_path: &gate.answer_path,
            asked: &draft.spec_hash,
            bytes: json.as_bytes(),
            rivals: &submission.rivals,
            over: submission.replaces.as_deref().map_or(Over::Nothing, Over::Hash),
        };
        let written = submit::submit(&self.project, Ok(&self.state), &to_write, self.clock.now())?;
        Ok((record, written.receipt))
    }

    /// Writes the drafts that are still on their way to the disk.
    fn flush_drafts(&self) {
        if let Some(autosave) = &self.autosave {
            // The autosave itself reports a failure.
            autosave.flush(FLUSH);
        }
    }

    fn forget_draft(&self, answer_path: &JsString) {
        match &self.autosave {
            Some(autosave) => autosave.remove(answer_path.clone()),
            // A draft that is left over is offered again, never submitted.
            None => drop(self.drafts().remove(answer_path)),
        }
    }

    fn verify(&self, written: &Written) -> EffectResult {
        let path = written.path.clone();
        let progress =
            Box::new(pickup::progress(&self.project, &written.written_record(&self.root_path(&path))));
        EffectResult::Verified { path, progress }
    }

    fn put_back(&self, written: &Written) -> Result<Reply, Message> {
        let (ours, now) = (self.root_path(&written.path), self.clock.now());
        pickup::put_back(
            &self.project,
            &self.state,
            &written.written_record(&ours),
            &written.progress.status,
            now,
        )
        .map_err(|error| both(s::PLAIN, &error))?;
        Ok(Reply::Moved(Move::PutBack, written.path.clone()))
    }

    fn root_path(&self, path: &Path) -> PathBuf {
        self.project.root().join(path)
    }

    fn undo(&self, path: &Path) -> Result<Reply, Message> {
        let loaded = self.load_or_say(path)?;
        past::undo(&self.project, &self.state, &loaded, self.clock.now())
            .map_err(|error| both(s::PLAIN, &error))?;
        Ok(Reply::Moved(Move::RedoUndone, path.to_path_buf()))
    }
}

/// Lets the thread keep a draft, or remove the one that the author has emptied.
pub(super) fn queue_draft(autosave: &Autosave, draft: &DraftToSave, now: SystemTime) {
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
