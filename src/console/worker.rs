//! A thread that works for the console, so that neither drawing nor typing waits for a disk. It does jobs one after the
//! other and sends back what comes of them; a job that a later one of its name makes useless is dropped.

use super::app::EffectRunner;
use super::files::Files;
use super::form::keep;
use super::model::Entry;
use super::news::News;
use super::screen::{Effect, Job, Then, Wait};
use crate::console::sentences as s;
use crate::console::terminal::clipboard;
use crate::console::terminal::event::Event;
use crate::console::terminal::notify::Notifier;
use crate::error::io_cause;
use crate::store::Project;
use crate::store::clock::Clock;
use crate::store::config::Notify;
use crate::store::drafts::autosave::{Autosave, Unsaved};
use crate::store::drafts::loan::{Lent, Loan};
use crate::store::state::StateDir;
use crate::store::watch::{self, StoreEvent, Watch};
use crate::text::say;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

enum Task {
    Job(Job),
    /// Note the records that others have written: hundreds at the first look, so a few at a time while there is nothing
    /// else to do.
    NoteSeen(Vec<Arc<Entry>>),
    /// Use this handle from now on: the project's directory was replaced by another of the same name.
    Adopt(Arc<Project>),
}

pub(super) struct Worker {
    tasks: Sender<Task>,
    news: Sender<Event>,
    autosave: Arc<Autosave>,
    /// What to watch. It begins with the first frame: a long first look must not hold that up.
    to_watch: Option<Arc<Project>>,
    watch: Option<Watch>,
    lent: Option<Lent>,
    state: StateDir,
    notifier: Notifier,
    clock: Arc<dyn Clock>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn start(
        files: Files,
        autosave: Arc<Autosave>,
        news: Sender<Event>,
        notify: Notify,
    ) -> io::Result<Worker> {
        let notifier = Notifier::new(notify);
        let (tasks, inbox) = mpsc::channel();
        let (clock, state) = (files.clock.clone(), files.state.clone());
        let (to_watch, results) = (Some(files.project.clone()), news.clone());
        let work = move || work(files, &inbox, &results);
        std::thread::Builder::new().name("worker".to_owned()).spawn(work)?;
        Ok(Worker { tasks, news, autosave, to_watch, watch: None, lent: None, state, notifier, clock })
    }
}

impl EffectRunner for Worker {
    fn run(&mut self, effect: Effect) -> Option<Then> {
        match effect {
            Effect::Job(job) => {
                let awaited = job.wait == Wait::Keys;
                // The thread ends only with the program, or by a fault.
                if self.tasks.send(Task::Job(job)).is_err() {
                    drop(self.news.send(Event::Done { then: None, awaited }));
                }
            }
            // Not through the thread: it may be waiting for a disk, and `flush` could not know what is on its way there.
            Effect::Save(draft) => keep::queue_draft(&self.autosave, &draft, self.clock.now()),
            Effect::KeepEdited(answer_path, text) => self.autosave.put_edited(&answer_path, text),
            // Without the thread nothing is noted, and nothing depends on it here.
            Effect::NoteSeen(entries) => drop(self.tasks.send(Task::NoteSeen(entries))),
            Effect::Look => self.watch.iter().for_each(Watch::look),
            Effect::Rescan => self.watch.iter().for_each(Watch::rescan),
            Effect::Copy(text) => clipboard::copy(&text),
            Effect::Notify(gates) => self.notifier.tell(&gates),
            // The console's own.
            Effect::Edit { .. }
            | Effect::NextTheme
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Leave(_)
            | Effect::Quit(_) => {}
        }
        None
    }

    fn shown(&mut self) -> Option<News> {
        let (tasks, news) = (self.tasks.clone(), self.news.clone());
        let report = move |event| pass_on(event, &tasks, &news);
        match Watch::start(
            self.to_watch.take()?,
            self.clock.clone(),
            watch::Options::inbox().attaching(),
            report,
        ) {
            Ok(watch) => {
                self.watch = Some(watch);
                None
            }
            Err(cause) => {
                let says = say(
                    "The files cannot be watched: {0}. Please start the console again.",
                    "无法监视文件：{1}。请重新启动控制台。",
                );
                Some(News::Failed(s::because(says, &io_cause(&cause))))
            }
        }
    }

    fn flush(&mut self) -> Option<Unsaved> {
        keep::flush(&self.autosave)
    }

    fn write_editor_file(&mut self, text: &str, loan: Loan) -> Option<PathBuf> {
        self.lent = Lent::new(&self.state, loan, text).ok();
        self.lent.as_ref().map(Lent::path)
    }

    fn is_lent_to(&mut self, editor: u32) {
        self.lent.iter_mut().for_each(|lent| lent.is_with(editor));
    }

    fn read_editor_file(&mut self) -> Result<String, Option<PathBuf>> {
        self.lent.take().ok_or(None)?.take()
    }
}

/// After so long without work the file of drafts and history gives back what it does not need, once.
const REST: Duration = Duration::from_secs(30);

fn work(mut files: Files, inbox: &Receiver<Task>, news: &Sender<Event>) {
    let mut jobs: VecDeque<Job> = VecDeque::new();
    let mut seen: Vec<Arc<Entry>> = Vec::new();
    let (mut is_stuck, mut is_shrunk) = (false, false);
    loop {
        let idle = jobs.is_empty() && (seen.is_empty() || is_stuck);
        let mut first = None;
        if idle {
            let waited = if is_shrunk { inbox.recv().map_err(Into::into) } else { inbox.recv_timeout(REST) };
            match waited {
                Ok(task) => first = Some(task),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    is_shrunk = true;
                    files.state.shrink();
                    continue;
                }
            }
        }
        for task in first.into_iter().chain(inbox.try_iter()) {
            match task {
                Task::Adopt(project) => files.project = project,
                Task::NoteSeen(entries) => {
                    let newer: HashSet<&Path> = entries.iter().map(|entry| &*entry.path).collect();
                    seen.retain(|entry| !newer.contains(&*entry.path));
                    seen.extend(entries);
                    is_stuck = false;
                }
                Task::Job(job) => {
                    jobs.retain(|earlier| earlier.name.is_none() || earlier.name != job.name);
                    jobs.push_back(job);
                }
            }
        }
        let Some(job) = jobs.pop_front() else {
            match note_some(&files, &seen) {
                Some(true) => {}
                Some(false) => seen.clear(),
                // They are tried again with the next ones.
                None => is_stuck = true,
            }
            continue;
        };
        let awaited = job.wait == Wait::Keys;
        let done = match catch_unwind(AssertUnwindSafe(|| (job.work)(&files))) {
            Ok(None) => None,
            Ok(then) => Some(Event::Done { then, awaited }),
            Err(_) => Some(Event::Done { then: None, awaited }),
        };
        let notices = iter::from_fn(|| files.state.take_notice());
        let notices = notices.map(|notice| Event::News(News::Failed(notice)));
        if done.into_iter().chain(notices).any(|event| news.send(event).is_err()) {
            return;
        }
    }
}

/// Notes some of the records that were seen, so that their answers are known when they go; whether there are more, and nothing
/// where none can be noted.
fn note_some(files: &Files, entries: &[Arc<Entry>]) -> Option<bool> {
    // A history that cannot be written is reported where something depends on it.
    let note = || files.history().see_gates(entries);
    catch_unwind(AssertUnwindSafe(note)).ok()?.ok()
}

fn pass_on(event: StoreEvent, tasks: &Sender<Task>, news: &Sender<Event>) {
    // Sending fails only after the loop has ended.
    match event {
        StoreEvent::Reopened(project) => drop(tasks.send(Task::Adopt(project))),
        event => drop(news.send(Event::News(News::Store(event)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Draft, decode_packet};
    use crate::console::form::gate::LoadedGate;
    use crate::console::form::keep::DraftToSave;
    use crate::console::screen::Cx;
    use crate::store::drafts::Drafts;
    use crate::store::{StateDir, SystemClock};
    use serde_json::json;
    use std::time::Duration;

    fn packet(answer_path: &str) -> String {
        let question =
            json!({"id": "note", "header": "h", "question": "q", "kind": "free_text", "required": true});
        let asked = json!({"version": 1, "topic": "t", "questions": [question]});
        json!({"answer_path": answer_path, "novel_ask": asked}).to_string()
    }

    #[test]
    fn what_was_to_be_kept_is_on_the_disk_after_a_flush() {
        let dir = tempfile::tempdir().expect("a directory");
        let project = Project::open(dir.path()).expect("a project");
        let state = StateDir::new(&dir.path().join("state"), &project);
        let drafts = Drafts::new(&state);
        let autosave = Arc::new(Autosave::new(drafts.clone(), |_, _| {}));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let files = Files::new(Arc::new(project), state, clock, Some(autosave.clone()));
        let (news, _listening) = mpsc::channel();
        let mut worker = Worker::start(files, autosave, news, Notify::default()).expect("a thread");

        let packet = Arc::new(decode_packet(packet("a.json").as_bytes()).expect("a packet"));
        let gate = packet.gate.as_ref().expect("a gate");
        let mut draft = Draft::new(&gate.spec);
        draft.replies[0].type_text("雨停之前");
        let path = PathBuf::from("a.packet.json");
        let loaded = LoadedGate { path, packet: packet.clone(), ..LoadedGate::default() };
        let to_save =
            DraftToSave { gate: loaded, draft: draft.clone(), orphans: Vec::new(), at: 0, emptied: false };
        worker.run(Effect::Save(Box::new(to_save)));
        worker.flush();
        let kept = drafts.load(&gate.answer_path, &gate.spec).expect("it can be read").expect("a draft");
        assert_eq!(kept.job.draft, draft);
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
            put(&format!("staging/{n}.packet.json"), &packet(&format!("{n}.json")));
            put(&format!("{n}.json"), "{}");
        }
        let project = Arc::new(Project::open(&dir.path().join("book")).expect("a project"));
        let mut scanner = Scanner::new(Arc::clone(&project));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        scanner.look(clock.now() + Duration::from_hours(1));
        let state = StateDir::new(&dir.path().join("state"), &project);
        let files = Files::new(project, state.clone(), clock, None);
        let (tasks, inbox) = mpsc::channel();
        let (news, told) = mpsc::channel();
        let work_done = |_: &Files| Some(Box::new(|_: &mut Cx<'_>| {}) as Then);
        let job = Job { name: None, wait: Wait::Nothing, work: Box::new(work_done) };
        tasks.send(Task::NoteSeen(scanner.entries())).expect("taken");
        tasks.send(Task::Job(job)).expect("taken");
        drop(tasks);
        work(files, &inbox, &news);
        assert!(matches!(told.try_recv(), Ok(Event::Done { then: Some(_), .. })));
        assert_eq!(search(&state, &Search::default()).expect("a history").len(), 120);
    }
}
