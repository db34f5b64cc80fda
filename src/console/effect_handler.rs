//! Carries out effects: the only place of the console that calls the store's functions.
//!
//! Everything here may wait for the disk, so the program runs it on a thread of its own; stories run it in place.

pub(super) use self::draft::{flush, queue_draft};
pub(super) use self::say::{because, not_kept};
use self::say::{both, loaded_gate, unreadable};
use super::effect::{Effect, EffectResult, Move, Reloaded, Reply, Request};
use super::model::{Detail, DetailContent, FormStatus, Message, OpenedGate, RecordView, Warnings, Written};
use super::sentences as s;
use crate::ask::{JsString, is_another_document};
use crate::store::clock::{Clock, local_time_of, rfc3339_millis};
use crate::store::drafts::autosave::Autosave;
use crate::store::drafts::{Loaded as Kept, SavedDraft};
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::history as past;
use crate::store::later;
use crate::store::lock::{self, Holder, Lock, Taken};
use crate::store::pickup;
use crate::store::project::Project;
use crate::store::record::RecordState;
use crate::store::relay::{self, is_orphaned};
use crate::store::state::StateDir;
use crate::store::story;
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

mod batch;
mod draft;
mod edit;
mod history;
mod repair;
mod say;
mod submit;

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
            Effect::SeeIfShared(answer_path) => {
                self.drafts().is_shared(answer_path).then(|| EffectResult::Shared(answer_path.clone()))
            }
            Effect::Verify(written) => Some(self.verify(written)),
            Effect::ReadDrafts(entries) => {
                let drafts = self.drafts().progress(entries);
                (!drafts.is_empty()).then_some(EffectResult::DraftsRead(drafts))
            }
            Effect::ReadLater(entries) => {
                let marks = later::read(&self.state, entries, self.clock.now());
                (!marks.is_empty()).then_some(EffectResult::LaterRead(marks))
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
            Effect::ReadStory(path) => {
                Some(EffectResult::StoryRead(path.clone(), Box::new(story::read(&self.project, path))))
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
            Effect::Adopt(_)
            | Effect::Rescan
            | Effect::Look
            | Effect::NextTheme
            | Effect::Notify(_)
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Leave(_)
            | Effect::Quit(_) => None,
        }
    }

    fn reply(&self, request: &Request) -> Option<Reply> {
        let reply = match request {
            Request::Open(path) => self.open(path),
            Request::Submit(submission) => Ok(self.submit(submission)),
            Request::PutBack(written) => self.put_back(written),
            Request::TakeBack(take_back) => Ok(self.take_back(take_back)),
            Request::Redo { path, past, warned } => self.redo(path, *past, warned.as_deref()),
            Request::UndoRedo(path) => self.undo(path),
            Request::HandBack(path) => relay::withdraw(&self.project, path)
                .map(|()| Reply::HandedBack(path.clone()))
                .map_err(|error| both(s::PLAIN, &error)),
            Request::ReadHistory(scope, words) => {
                self.read_history(scope, words).map(|found| Reply::HistoryRead(Box::new(found)))
            }
            Request::SeeRestore(entry, packets) => Ok(self.see_restore(entry, packets)),
            Request::RestoreEntry(restoring) => Ok(self.restore_entry(restoring)),
            Request::ReadStory(path) => {
                Ok(Reply::StoryRead(path.clone(), Box::new(story::read(&self.project, path))))
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

    fn detail(&self, path: &Path) -> Detail {
        let content = match self.load(path) {
            Ok(loaded) => self.gate_detail(loaded),
            Err(LoadFault::Malformed(problems)) => DetailContent::Malformed(problems),
            Err(LoadFault::Unreadable(error)) => DetailContent::Gone(both(s::PLAIN, &error)),
        };
        Detail { path: path.to_path_buf(), content }
    }

    fn gate_detail(&self, loaded: Loaded) -> DetailContent {
        let (outputs, undo) = (loaded.outputs(&self.project), self.undo_at(&loaded));
        let readable = loaded.record.is_read();
        let orphaned = is_orphaned(&self.project, self.project.relative(&loaded.path));
        let Loaded { packet, record, refusal, .. } = loaded;
        let gate = packet.gate.as_ref();
        let draft = gate.and_then(|gate| {
            let kept = || self.drafts().peek(&gate.answer_path, &gate.spec);
            self.pending_draft(gate).or_else(kept).filter(SavedDraft::is_authors).map(Box::new)
        });
        let record = match record.state {
            RecordState::Absent => RecordView::Absent,
            RecordState::Valid(record) => RecordView::Valid(record),
            RecordState::Invalid(problems) => RecordView::Invalid {
                causes: gate.map(|gate| self.causes(gate, &record.bytes, &problems)).unwrap_or_default(),
                problems,
                foreign: is_another_document(&record.bytes),
                readable,
                text: String::from_utf8_lossy(&record.bytes).into_owned(),
            },
        };
        DetailContent::Gate {
            edited: gate.is_some_and(|gate| self.edited(&gate.answer_path).is_some()),
            packet: Arc::new(packet),
            record,
            outputs,
            refusal: refusal.map(|refusal| Message::from(refusal.sentence())),
            undo,
            draft,
            orphaned,
        }
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
        let trouble = trouble.or_else(|| self.state.take_notices());
        let saved = self.pending_draft(gate).or(saved);
        let start = self.start(&loaded, gate);
        let was_recorded = start.before.is_some();
        // Whoever came second has no lock, and may be here still when the first one has left.
        let shared = || self.drafts().is_shared(&gate.answer_path).then(|| Message::from(s::GATE_SHARED));
        let elsewhere = self.take_gate(&gate.answer_path).or_else(shared);
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
            // What was only written beside the answers of a record is no draft that came back.
            let is_beside = was_recorded && saved.draft.progress().answered == 0;
            saved.draft.fill_from(&opened.draft);
            (opened.draft, opened.status.orphans, opened.at) = (saved.draft, saved.orphans, saved.at);
            opened.status.again = saved.again;
            opened.status.known = saved.asked.filter(|_| saved.spec_changed).map(Arc::new);
            opened.restored = Some(saved.saved_at).filter(|_| !is_beside);
        }
        if opened.restored.is_none() {
            opened.greeting = start.greeting;
        }
        OpenedGate { gate: loaded_gate(path, loaded), ..opened }
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
        let loaded = match self.load(path) {
            Ok(loaded) => loaded,
            Err(fault) => {
                let gone = say(
                    "The packet is gone or can no longer be used: {0} Your answers are kept.",
                    "指令包已不在或无法使用：{1}回答已保留。",
                );
                return Reloaded::Gone(path.to_path_buf(), both(gone, &fault.error()));
            }
        };
        let seen = self.record_seen(&loaded);
        let gate = loaded_gate(path, loaded);
        if gate.packet.gate.is_none() {
            Reloaded::Gone(gate.path, Message::from(s::ASKS_NOTHING))
        } else if gate.spec_hash == spec_hash {
            Reloaded::Same(gate, seen)
        } else {
            Reloaded::Changed(gate)
        }
    }

    fn verify(&self, written: &Written) -> EffectResult {
        let path = written.path.clone();
        let progress =
            Box::new(pickup::progress(&self.project, &written.written_record(&self.root_path(&path))));
        EffectResult::Verified { path, progress }
    }

    fn put_back(&self, written: &Written) -> Result<Reply, Message> {
        let path = self.root_path(&written.path);
        let (record, status) = (written.written_record(&path), &written.progress.status);
        pickup::put_back(&self.project, &self.state, &record, status, self.clock.now())
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
