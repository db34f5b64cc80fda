//! Looking at the right moment: a thread that owns the scanner and looks when the system hints at a change, and again and
//! again in case it did not.
//!
//! Hints choose the moment, and what is looked at first; every so often everything is looked at, and without any hint everything is
//! still found then. It never spins: every wait is a wait on its channel.

mod attaching;
mod directories;

pub use directories::{Connect, Mode, Why};

use super::clock::Clock;
use super::entry::Entry;
use super::file::QUESTIONS;
use super::project::{Project, RootState};
use super::safe_path;
use super::scan::{Outcome, Scanner};
use crate::platform::files::{EVENTS_SPELL_NAMES_AS_ASKED, WATCHES_TREES};
use crate::text::Message;
use attaching::Attaching;
use directories::{Directories, Hint};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// More directories of records are not watched: they are looked at with everything else.
const MOST_DIRECTORIES: usize = 1_000;
/// Between two looks at least this many times what the first has cost.
const BUSY_SHARE: u32 = 5;
/// So many hints may wait to be taken; of more it is known only that something has happened.
const MOST_HINTS: usize = 10_000;
/// The first hints after a quiet moment are collected for so much shorter than those of a storm.
const FIRST_SHARE: u32 = 8;

#[derive(Clone, Debug)]
pub enum StoreEvent {
    /// The whole inbox, sorted; sent after the first look, and when something has changed.
    Entries {
        entries: Vec<Arc<Entry>>,
        /// Whether there is more than the scanner is willing or able to look at.
        cut: bool,
        /// How many standing questions are on.
        asked: usize,
    },
    /// There was a look, and the inbox is as it was; other files may have changed.
    Looked,
    Watching(Mode),
    /// Something cannot be read or attached just now, and why: what is known of it is from before. Told once while it lasts; nothing
    /// once it is over.
    Unread(Option<Message>),
    /// The project's directory was replaced by another of the same name; everything must go through this handle.
    Reopened(Arc<Project>),
    RootGone,
}

#[derive(Clone)]
pub struct Options {
    /// Where hints come from; `None` never asks the system and looks every [`Pace::polling`].
    pub hints: Option<Connect>,
    pub pace: Pace,
    /// Only these packets (absolute paths), wherever they lie; else every packet below `staging/`.
    pub only: Option<Vec<PathBuf>>,
    /// Standing questions are attached to the packets that are to get one.
    pub attaches: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two looks while things happen; backs off to `quiet`.
    pub reconcile: Duration,
    /// Between two looks when nothing happens.
    pub quiet: Duration,
    /// Between two looks without a working watcher.
    pub polling: Duration,
    /// How long hints of a storm are collected, and those that end no write.
    pub coalesce: Duration,
    /// When to try the system's watcher again.
    pub retry: Duration,
}

enum Signal {
    Hint(notify::Result<notify::Event>),
    Look,
    Rescan,
    Stop,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            reconcile: Duration::from_secs(2),
            quiet: Duration::from_secs(10),
            polling: Duration::from_secs(1),
            coalesce: Duration::from_millis(16),
            retry: Duration::from_mins(1),
        }
    }
}

impl Options {
    /// The system's watcher on the whole inbox.
    pub fn inbox() -> Options {
        Options { hints: Some(directories::system()), pace: Pace::default(), only: None, attaches: false }
    }

    /// The same, and standing questions are attached.
    #[must_use]
    pub fn attaching(self) -> Options {
        Options { attaches: true, ..self }
    }

    /// The system's watcher on a few packets. They cost so little to look at that hardly anything need be collected.
    pub fn only(packets: Vec<PathBuf>) -> Options {
        let pace = Pace { coalesce: Duration::from_millis(5), ..Pace::default() };
        Options { pace, only: Some(packets), ..Options::inbox() }
    }
}

/// The thread's handle. Dropping it stops the thread.
#[derive(Debug)]
pub struct Watch {
    signals: Sender<Signal>,
}

impl Watch {
    /// Starts watching. `send` is called on the thread; the first call comes with the first look.
    pub fn start(
        project: Arc<Project>,
        clock: Arc<dyn Clock>,
        options: Options,
        send: impl FnMut(StoreEvent) + Send + 'static,
    ) -> io::Result<Watch> {
        let (signals, inbox) = mpsc::channel();
        let tell = signals.clone();
        let hinted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&hinted);
        let hint = move |event| {
            if count.fetch_add(1, Ordering::Relaxed) < MOST_HINTS {
                drop(tell.send(Signal::Hint(event)));
            }
        };
        let hints = options.hints.clone();
        let tree = WATCHES_TREES.then(|| project.root().to_path_buf());
        let directories = hints.map(|connect| Directories::new(connect, tree, options.pace.retry, hint));
        let now = Instant::now();
        let worker = Worker {
            scanner: scanner(&project, &options),
            interval: options.pace.reconcile,
            attaching: options.attaches.then(Attaching::default),
            project,
            clock,
            options,
            send: Box::new(send),
            directories,
            hinted,
            mode: None,
            trouble: None,
            complete: false,
            root_gone: false,
            due: now,
            all_due: now,
            told: HashSet::new(),
            anywhere: true,
            calm: now,
            gap: Duration::ZERO,
            looked: now,
        };
        thread::Builder::new().name("watch".into()).spawn(move || worker.run(&inbox))?;
        Ok(Watch { signals })
    }

    /// Looks now, and lists every directory, though nothing about it has changed.
    pub fn rescan(&self) {
        let _ = self.signals.send(Signal::Rescan);
    }

    /// Looks now: something has just been written.
    pub fn look(&self) {
        let _ = self.signals.send(Signal::Look);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // What the thread is doing may still finish.
        let _ = self.signals.send(Signal::Stop);
    }
}

struct Worker {
    project: Arc<Project>,
    clock: Arc<dyn Clock>,
    options: Options,
    send: Box<dyn FnMut(StoreEvent) + Send>,
    scanner: Scanner,
    /// Nothing if the system is not to be asked.
    directories: Option<Directories>,
    /// How many hints have come since they were taken last.
    hinted: Arc<AtomicUsize>,
    mode: Option<Mode>,
    /// What was told last of what cannot be read.
    trouble: Option<Message>,
    attaching: Option<Attaching>,
    /// Whether the whole inbox has been reported.
    complete: bool,
    root_gone: bool,
    due: Instant,
    /// When everything is looked at, whatever the hints say.
    all_due: Instant,
    /// Where something has happened since the last look.
    told: HashSet<PathBuf>,
    /// Something may have happened anywhere.
    anywhere: bool,
    /// Hints before this moment are collected instead of acted on.
    calm: Instant,
    /// For how long they are collected.
    gap: Duration,
    looked: Instant,
    interval: Duration,
}

impl Worker {
    fn run(mut self, inbox: &Receiver<Signal>) {
        loop {
            if self.due <= Instant::now() {
                self.look();
            }
            let next = inbox.recv_timeout(self.due.saturating_duration_since(Instant::now()));
            if matches!(next, Err(RecvTimeoutError::Disconnected)) {
                return;
            }
            if self.hinted.swap(0, Ordering::Relaxed) > MOST_HINTS {
                self.look_soon(&Hint::ANYWHERE);
            }
            // With everything that has come meanwhile, so that a storm is one look.
            for signal in next.into_iter().chain(inbox.try_iter().take(MOST_HINTS)) {
                match signal {
                    Signal::Stop => return,
                    Signal::Look => self.look_soon(&Hint::ANYWHERE),
                    Signal::Rescan => {
                        self.scanner.relist();
                        self.look_soon(&Hint::ANYWHERE);
                    }
                    Signal::Hint(event) => self.take(event),
                }
            }
        }
    }

    fn take(&mut self, event: notify::Result<notify::Event>) {
        // A watcher that was given up may still have a word to say.
        let Some(directories) = self.directories.as_mut().filter(|known| known.is_connected()) else {
            return;
        };
        match event {
            Ok(event) => {
                let Some(hint) = Hint::from_event(&event) else { return };
                directories.forget(hint.paths);
                self.look_soon(&hint);
            }
            Err(error) => {
                directories.fail(&error);
                self.report_mode();
                self.look_soon(&Hint::ANYWHERE);
            }
        }
    }

    /// The first hint acts at once, if it ends a write; only what follows is collected. Without paths it is about everything.
    fn look_soon(&mut self, hint: &Hint<'_>) {
        let now = Instant::now();
        // On other systems a name may be reported in another spelling than it was asked for.
        self.anywhere |= hint.paths.is_empty() || !EVENTS_SPELL_NAMES_AS_ASKED;
        self.told.extend(hint.paths.iter().cloned());
        let at = if hint.at_once { now } else { now + self.options.pace.coalesce };
        self.due = self.due.min(at.max(self.calm));
    }

    /// Looks, and reports what has changed, or that nothing has.
    fn look(&mut self) {
        let start = Instant::now();
        let mut outcome = self.look_at_project();
        if let Some(attaching) = &mut self.attaching
            && outcome.is_some_and(|looked| !self.complete || attaching.is_due(looked))
            && let Some(touched) = attaching.attach(&self.project, &self.scanner.entries())
        {
            self.told.extend(touched);
            let again = self.look_at_project().unwrap_or_default();
            outcome = Some(Outcome { changed: true, ..again });
            let entries = self.scanner.entries();
            self.attaching.iter_mut().for_each(|attaching| attaching.see(&entries));
        }
        let is_first = outcome.is_some() && !std::mem::replace(&mut self.complete, true);
        match &outcome {
            Some(outcome) if outcome.changed || is_first => {
                let (entries, cut) = (self.scanner.entries(), self.scanner.is_cut());
                let asked = self.scanner.questions().count_on();
                (self.send)(StoreEvent::Entries { entries, cut, asked });
            }
            // Only what may have been written again without a trace was looked at.
            Some(outcome) if outcome.partial && self.told.is_empty() => {}
            Some(_) => (self.send)(StoreEvent::Looked),
            None => {}
        }
        self.look_next(outcome.unwrap_or_default(), start);
        if is_first {
            self.calm = Instant::now();
        }
        if self.attaching.as_ref().is_some_and(Attaching::is_behind) {
            self.due = Instant::now();
        }
    }

    /// Looks while the project is there; nothing that was seen while it went counts.
    fn look_at_project(&mut self) -> Option<Outcome> {
        loop {
            self.check_root();
            if self.root_gone {
                // What the handle still leads to is no longer the project; there is nothing to report until it is back.
                return None;
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| self.scan()));
            let outcome = outcome.unwrap_or_else(|_| self.begin_anew());
            if !outcome.changed || self.project.root_state() == RootState::There {
                return Some(outcome);
            }
        }
    }

    fn scan(&mut self) -> Outcome {
        let now = self.clock.now();
        let is_due = self.all_due <= Instant::now();
        match self.mode {
            _ if !self.complete || self.anywhere => self.scanner.look(now),
            _ if !is_due || !self.told.is_empty() => self.scanner.look_at(&self.told, now),
            Some(Mode::Native) => self.scanner.look_in_turn(now),
            Some(Mode::Polling(_)) | None => self.scanner.look(now),
        }
    }

    /// A bug in the scanner must not end the watch: the next look knows nothing yet.
    fn begin_anew(&mut self) -> Outcome {
        self.scanner = scanner(&self.project, &self.options);
        Outcome::default()
    }

    /// Notices that the root is another directory now, or none.
    fn check_root(&mut self) {
        let state = self.project.root_state();
        let reopened = match state {
            RootState::Replaced => Project::open(self.project.root()).ok(),
            RootState::There | RootState::Gone => None,
        };
        let was_gone =
            std::mem::replace(&mut self.root_gone, state != RootState::There && reopened.is_none());
        if self.root_gone && !was_gone {
            (self.send)(StoreEvent::RootGone);
        }
        if let Some(project) = reopened {
            self.project = Arc::new(project);
            self.begin_anew();
            (self.send)(StoreEvent::Reopened(Arc::clone(&self.project)));
            self.complete = false;
            self.directories.iter_mut().for_each(Directories::disconnect);
            self.mode = None;
        }
    }

    /// Watches where something must happen before the next look can find anything, and decides when that is.
    fn look_next(&mut self, outcome: Outcome, start: Instant) {
        let (pace, cost) = (self.options.pace, start.elapsed());
        self.report_trouble();
        // A new gate may have its record where nothing was watched.
        let is_new = (!outcome.partial || outcome.changed) && self.watch();
        let was_told = !std::mem::take(&mut self.told).is_empty();
        let was_anywhere = std::mem::take(&mut self.anywhere);
        let now = Instant::now();
        if !outcome.partial {
            let is_told = !matches!(self.mode, Some(Mode::Polling(_))) && !self.root_gone;
            self.interval = if !is_told {
                pace.polling.max(cost * BUSY_SHARE)
            } else if outcome.changed || was_anywhere || was_told {
                pace.reconcile
            } else {
                (self.interval * 2).min(pace.quiet)
            };
            self.all_due = now + self.interval;
        }
        if is_new {
            // What happened in a directory before it was watched has left no hint.
            (self.anywhere, self.all_due) = (true, now);
        }
        if was_told || was_anywhere {
            self.gap = gap(self.gap, start.saturating_duration_since(self.looked), pace.coalesce);
            self.calm = now + self.gap.max(cost * BUSY_SHARE);
            self.looked = now;
        }
        let next = outcome.next.map(|at| now + at.duration_since(self.clock.now()).unwrap_or_default());
        self.due = next.map_or(self.all_due, |next| next.min(self.all_due));
    }

    /// Watches the way to everything that counts; true if something on it is watched only now.
    fn watch(&mut self) -> bool {
        let mut new = false;
        let wanted = self.wanted();
        if let Some(directories) = &mut self.directories {
            match directories.set(&wanted) {
                Ok(is_new) => new = is_new,
                // Where there is nothing to watch, the system is not to blame.
                Err(error) if self.project.root_state() != RootState::Gone => directories.fail(&error),
                Err(_) => {}
            }
        }
        self.report_mode();
        new
    }

    fn wanted(&self) -> BTreeSet<PathBuf> {
        let (root, mut wanted) = (self.project.root(), BTreeSet::new());
        let records = self.scanner.record_directories().iter().take(MOST_DIRECTORIES);
        let records = records.map(|directory| safe_path::join(root, directory).join("record"));
        let packets = self.options.only.clone().unwrap_or_else(|| vec![root.join("staging")]);
        for file in packets.into_iter().chain(records) {
            directories::add_way(&mut wanted, root, &file);
        }
        directories::add_way(&mut wanted, root, &root.join(QUESTIONS).join("question"));
        wanted.extend(self.scanner.directories().into_iter().map(|path| root.join(path)));
        wanted
    }

    fn report_mode(&mut self) {
        let mode = match &self.directories {
            None => Mode::Polling(Why::Asked),
            Some(directories) => match directories.fault() {
                Some(why) => Mode::Polling(why.clone()),
                None if !directories.is_connected() => return,
                None if self.mode == Some(Mode::Native) => return,
                None if directories::is_network(&self.project) => Mode::Polling(Why::Network),
                None => Mode::Native,
            },
        };
        if self.mode.as_ref() != Some(&mode) {
            self.mode = Some(mode.clone());
            (self.send)(StoreEvent::Watching(mode));
        }
    }

    fn report_trouble(&mut self) {
        let trouble = self.scanner.trouble().cloned().or_else(|| self.attaching.as_ref()?.fault().cloned());
        if trouble != self.trouble {
            (self.send)(StoreEvent::Unread(trouble.clone()));
        }
        self.trouble = trouble;
    }
}

/// For how long hints are collected after a look that came so long after another: twice as long as before it in a storm, and never
/// longer than this.
fn gap(last: Duration, apart: Duration, longest: Duration) -> Duration {
    let first = longest / FIRST_SHARE;
    if apart < longest * 2 { (last * 2).clamp(first, longest) } else { first }
}

fn scanner(project: &Arc<Project>, options: &Options) -> Scanner {
    match &options.only {
        Some(packets) => Scanner::of(Arc::clone(project), packets),
        None => Scanner::new(Arc::clone(project)),
    }
}

#[cfg(test)]
mod tests;
