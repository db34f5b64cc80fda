//! A thread that works for the console, so that neither drawing nor typing waits for a disk. It carries effects to the
//! `effect_handler` and results back; an effect that a later one makes useless is dropped.

use super::app::EffectRunner;
use super::effect::{Effect, EffectResult, NewGates, Request};
use super::effect_handler::{self, EffectHandler};
use super::event::Event;
use super::model::Message;
use super::notify::Notifier;
use crate::error::io_cause;
use crate::store::Project;
use crate::store::clock::Clock;
use crate::store::config::Notify;
use crate::store::drafts::autosave::{Autosave, Unsaved};
use crate::store::temporary::Lent;
use crate::store::watch::{self, StoreEvent, Watch};
use crate::text::say;
use std::io;
use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

/// The working thread's handle.
pub(super) struct Worker {
    jobs: Sender<Effect>,
    news: Sender<Event>,
    autosave: Option<Arc<Autosave>>,
    /// What to watch. It begins with the first frame: a long first look must not hold that up.
    to_watch: Option<Arc<Project>>,
    watch: Option<Watch>,
    lent: Option<Lent>,
    notifier: Notifier,
    clock: Arc<dyn Clock>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn start(handler: EffectHandler, news: Sender<Event>, notify: Notify) -> io::Result<Worker> {
        let notifier = Notifier::new(notify);
        let (jobs, inbox) = mpsc::channel();
        let (autosave, clock) = (handler.autosave.clone(), handler.clock.clone());
        let (to_watch, results) = (Some(handler.project.clone()), news.clone());
        let work = move || work(handler, &inbox, &results);
        std::thread::Builder::new().name("worker".to_owned()).spawn(work)?;
        Ok(Worker { jobs, news, autosave, to_watch, watch: None, lent: None, notifier, clock })
    }
}

impl EffectRunner for Worker {
    fn send(&mut self, effect: Effect) -> Option<EffectResult> {
        match (&effect, &self.watch, &self.autosave) {
            (Effect::Rescan, Some(watch), _) => watch.rescan(),
            (Effect::Look, Some(watch), _) => watch.look(),
            // Not through the thread: it may be waiting for a disk, and `flush` could not know what is on its way there.
            (Effect::SaveDraft(draft), _, Some(autosave)) => {
                effect_handler::queue_draft(autosave, draft, self.clock.now());
            }
            (Effect::KeepEdited(edited), _, Some(autosave)) => {
                autosave.put_edited(edited.answer_path.clone(), edited.text.clone());
            }
            _ => {
                // The thread ends only with the program, or by a fault that it reports itself.
                return self.jobs.send(effect).err().map(|mpsc::SendError(effect)| failed(&effect));
            }
        }
        None
    }

    fn shown(&mut self) -> Option<EffectResult> {
        let (jobs, news) = (self.jobs.clone(), self.news.clone());
        let report = move |event| pass_on(event, &jobs, &news);
        match Watch::start(self.to_watch.take()?, self.clock.clone(), watch::Options::inbox(), report) {
            Ok(watch) => {
                self.watch = Some(watch);
                None
            }
            Err(cause) => {
                let says = say(
                    "The files cannot be watched: {0}. Please start the console again.",
                    "无法监视文件：{1}。请重新启动控制台。",
                );
                Some(EffectResult::Failed(effect_handler::because(says, &io_cause(&cause))))
            }
        }
    }

    fn flush(&mut self) -> Option<Unsaved> {
        self.autosave.as_ref().and_then(|autosave| effect_handler::flush(autosave))
    }

    fn write_editor_file(&mut self, text: &str, ending: &str) -> Option<PathBuf> {
        self.lent = Lent::new(text, ending).ok();
        self.lent.as_ref().map(Lent::path)
    }

    fn read_editor_file(&mut self) -> Option<String> {
        self.lent.take()?.take().ok()
    }

    fn notify(&mut self, gates: &NewGates) {
        self.notifier.tell(gates);
    }
}

fn work(mut handler: EffectHandler, inbox: &Receiver<Effect>, news: &Sender<Event>) {
    // Records to be noted, hundreds of them at the first look: a few at a time, while there is nothing else to do.
    let mut unhurried: Option<Effect> = None;
    loop {
        let mut jobs: Vec<Effect> = inbox.try_iter().collect();
        if jobs.is_empty() {
            if let Some(effect) = unhurried.take() {
                unhurried = note_some(&handler, effect);
                continue;
            }
            let Ok(job) = inbox.recv() else { return };
            jobs.push(job);
            jobs.extend(inbox.try_iter());
        }
        for at in 0..jobs.len() {
            let effect = &jobs[at];
            if is_outdated(effect, &jobs[at + 1..]) {
                continue;
            }
            match effect {
                Effect::Adopt(project) => {
                    handler.project = project.clone();
                    continue;
                }
                Effect::NoteSeen(_) => {
                    unhurried = Some(effect.clone());
                    continue;
                }
                _ => {}
            }
            let done = catch_unwind(AssertUnwindSafe(|| handler.handle(effect)));
            let result = done.unwrap_or_else(|_| Some(failed(effect)));
            let notices = std::iter::from_fn(|| handler.state.take_notice()).map(EffectResult::Failed);
            for result in result.into_iter().chain(notices) {
                if news.send(Event::Store(result)).is_err() {
                    return;
                }
            }
        }
    }
}

fn failed(effect: &Effect) -> EffectResult {
    effect.failed(Message::from(say(
        "That failed because of a bug in novel-gate. Your answers are kept.",
        "操作失败：程序内部错误。你的回答已保留。",
    )))
}

/// Notes some of the records that were seen; gives the effect back while there are more.
fn note_some(handler: &EffectHandler, effect: Effect) -> Option<Effect> {
    let Effect::NoteSeen(entries) = &effect else { return None };
    let more = catch_unwind(AssertUnwindSafe(|| handler.note_some_seen(entries))).unwrap_or(false);
    more.then_some(effect)
}

/// Whether a later effect of the same kind makes this one useless.
fn is_outdated(effect: &Effect, later: &[Effect]) -> bool {
    match effect {
        Effect::NoteSeen(_)
        | Effect::Load(_)
        | Effect::Reload { .. }
        | Effect::LoadEntry(_)
        | Effect::ReadStory(_)
        | Effect::FindBatch { .. }
        | Effect::Verify(_) => later.iter().any(|other| discriminant(other) == discriminant(effect)),
        Effect::RereadHistory { .. } => later.iter().any(|other| {
            matches!(other, Effect::RereadHistory { .. } | Effect::Ask(Request::ReadHistory(..)))
        }),
        _ => false,
    }
}

/// Passes the watch's reports on to the console and to the worker.
fn pass_on(event: StoreEvent, jobs: &Sender<Effect>, news: &Sender<Event>) {
    let result = match event {
        StoreEvent::Entries { entries, complete, .. } => EffectResult::Entries { entries, complete },
        StoreEvent::Looked => EffectResult::Looked,
        StoreEvent::Watching(mode) => EffectResult::Watching(mode),
        StoreEvent::Unread(trouble) => EffectResult::Failed(trouble),
        StoreEvent::RootGone => EffectResult::RootGone,
        StoreEvent::Reopened(project) => {
            drop(jobs.send(Effect::Adopt(project)));
            return;
        }
    };
    // Sending fails only after the loop has ended.
    drop(news.send(Event::Store(result)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Draft, decode_packet};
    use crate::console::effect::DraftToSave;
    use crate::store::drafts::Drafts;
    use crate::store::{StateDir, SystemClock};
    use std::time::Duration;

    const PACKET: &[u8] = br#"{"answer_path":"a.json","novel_ask":{"version":1,"topic":"t","questions":[
        {"id":"note","header":"h","question":"q","kind":"free_text","required":true}]}}"#;

    #[test]
    fn what_was_to_be_kept_is_on_the_disk_after_a_flush() {
        let dir = tempfile::tempdir().expect("a directory");
        let project = Project::open(dir.path()).expect("a project");
        let state = StateDir::new(&dir.path().join("state"), &project);
        let drafts = Drafts::new(&state);
        let autosave = Arc::new(Autosave::start(drafts.clone(), |_, _| {}).expect("a thread"));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let handler = EffectHandler::new(Arc::new(project), state, clock, Some(autosave));
        let (news, _listening) = mpsc::channel();
        let mut worker = Worker::start(handler, news, Notify::default()).expect("a thread");

        let packet = Arc::new(decode_packet(PACKET).expect("a packet"));
        let gate = packet.gate.as_ref().expect("a gate");
        let mut draft = Draft::new(&gate.spec);
        draft.replies[0].type_text("雨停之前");
        let (path, spec_hash) = (PathBuf::from("a.packet.json"), String::new());
        let to_save = DraftToSave {
            path,
            packet: packet.clone(),
            spec_hash,
            draft: draft.clone(),
            orphans: Vec::new(),
            at: 0,
            emptied: false,
        };
        worker.send(Effect::SaveDraft(Box::new(to_save)));
        worker.flush();
        let kept = drafts.load(&gate.answer_path, &gate.spec).draft.expect("a draft");
        assert_eq!(kept.draft, draft);
    }

    #[test]
    fn records_are_noted_while_nothing_else_is_to_be_done() {
        use crate::store::history::{Search, search};
        use crate::store::scan::Scanner;
        let dir = tempfile::tempdir().expect("a directory");
        let put = |path: &str, text: &str| {
            let path = dir.path().join("book").join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            std::fs::write(path, text).expect("written");
        };
        for n in 0..120 {
            let packet = String::from_utf8_lossy(PACKET).replace("a.json", &format!("{n}.json"));
            put(&format!("staging/{n}.packet.json"), &packet);
            put(&format!("{n}.json"), "{}");
        }
        let project = Arc::new(Project::open(&dir.path().join("book")).expect("a project"));
        let mut scanner = Scanner::new(Arc::clone(&project));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        scanner.look(clock.now() + Duration::from_hours(1), &mut |_| {});
        let state = StateDir::new(&dir.path().join("state"), &project);
        let handler = EffectHandler::new(project, state.clone(), clock, None);
        let (jobs, inbox) = mpsc::channel();
        let (news, told) = mpsc::channel();
        jobs.send(Effect::NoteSeen(scanner.entries())).expect("taken");
        jobs.send(Effect::Load(PathBuf::from("staging/7.packet.json"))).expect("taken");
        drop(jobs);
        work(handler, &inbox, &news);
        assert!(matches!(told.try_recv(), Ok(Event::Store(EffectResult::Loaded(_)))));
        assert_eq!(search(&state, &Search::default()).expect("a history").len(), 120);
    }
}
