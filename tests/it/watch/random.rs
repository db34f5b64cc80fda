//! After any changes, and any reading that failed for a while, what a watch shows is what a fresh look finds.

use super::meddler::Meddler;
use crate::project::Book;
use crate::random::Random;
use notify::{Config, ErrorKind, EventHandler, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};
use novel_gate::store::entry::Entry;
use novel_gate::store::scan::Scanner;
use novel_gate::store::watch::{Connect, Mode, Options, Pace, StoreEvent, Watch};
use novel_gate::store::{Project, SystemClock};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const LONG: Duration = Duration::from_secs(40);
/// Changes between two looks at the view.
const CHANGES: usize = 25;
/// How many directories may be watched where there is a limit.
const FEW: usize = 3;

/// The system's watcher, of three directories.
struct Few {
    inner: RecommendedWatcher,
    left: usize,
}

impl Watcher for Few {
    fn new<F: EventHandler>(handler: F, config: Config) -> notify::Result<Few> {
        Ok(Few { inner: RecommendedWatcher::new(handler, config)?, left: FEW })
    }
    fn watch(&mut self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.left = self.left.checked_sub(1).ok_or(notify::Error::new(ErrorKind::MaxFilesWatch))?;
        self.inner.watch(path, mode)
    }
    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.left += 1;
        self.inner.unwatch(path)
    }
    fn kind() -> WatcherKind {
        RecommendedWatcher::kind()
    }
}

/// A watch in this process, quicker than usual.
struct View {
    project: Arc<Project>,
    events: Receiver<StoreEvent>,
    _watch: Watch,
    entries: Vec<Arc<Entry>>,
    modes: Vec<Mode>,
}

impl View {
    fn open(root: &Path, hints: Option<Connect>) -> View {
        let tick = Duration::from_millis(50);
        let pace = Pace { reconcile: tick, quiet: tick * 8, polling: tick, coalesce: tick / 10, retry: tick };
        let project = Arc::new(Project::open(root).expect("a project"));
        let (send, events) = mpsc::channel();
        let options = Options { hints, pace, only: None, attaches: false };
        let clock = Arc::new(SystemClock::default());
        let watch = Watch::start(Arc::clone(&project), clock, options, move |event| drop(send.send(event)));
        View { project, events, _watch: watch.expect("a thread"), entries: Vec::new(), modes: Vec::new() }
    }

    fn take(&mut self, event: StoreEvent) {
        match event {
            StoreEvent::Entries { entries, .. } => self.entries = entries,
            StoreEvent::Watching(mode) => self.modes.push(mode),
            _ => {}
        }
    }

    /// Waits until it shows what a fresh look finds.
    fn wait(&mut self, label: &str, meddler: &Meddler) {
        let deadline = Instant::now() + LONG;
        loop {
            match self.events.recv_timeout(Duration::from_millis(10)) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(error) => panic!("{label}: {error}"),
            }
            for event in self.events.try_iter().collect::<Vec<_>>() {
                self.take(event);
            }
            let mut fresh = Scanner::new(Arc::clone(&self.project));
            let outcome = fresh.look(SystemTime::now());
            let fresh = fresh.entries();
            if !outcome.pending && self.entries == fresh {
                return;
            }
            if Instant::now() > deadline {
                let only = |one: &[Arc<Entry>], other: &[Arc<Entry>]| {
                    one.iter().filter(|entry| !other.contains(entry)).cloned().collect::<Vec<_>>()
                };
                let (shown, found) = (only(&self.entries, &fresh), only(&fresh, &self.entries));
                panic!("{label}\n{:#?}\nshown {shown:?}\nfound {found:?}", meddler.done);
            }
        }
    }
}

/// From here on this thread and those it starts may read only what permissions allow, even if the superuser tests.
fn compare_in_process(name: &str, hints: impl Fn() -> Option<Connect>, seeds: std::ops::Range<u64>) {
    crate::system::give_up_privileges();
    let mut changes = 0;
    for seed in seeds.clone() {
        let book = Book::new();
        let mut view = View::open(&book.root(), hints());
        let mut meddler = Meddler::new(book.root(), seed);
        for round in 0..3 {
            for _ in 0..CHANGES {
                meddler.meddle();
                changes += 1;
                if Random::new(seed ^ changes).is_one_in(8) {
                    // The watch comes to look in the middle of it.
                    let _ = view.events.recv_timeout(Duration::from_millis(60)).map(|event| view.take(event));
                }
            }
            meddler.heal();
            view.wait(&format!("{name}, seed {seed}, round {round}"), &meddler);
        }
        if name == "few" {
            assert!(
                view.modes.iter().any(|mode| matches!(mode, Mode::Polling(_))),
                "seed {seed}: never too few"
            );
        }
    }
    println!("{name}: {changes} changes, seeds {seeds:?}, every view as a fresh look");
}

fn native() -> Option<Connect> {
    Options::inbox().hints
}

fn few() -> Connect {
    Arc::new(|handler| Ok(Box::new(Few::new(handler, Config::default().with_follow_symlinks(false))?)))
}

#[test]
fn a_native_watch_ends_up_with_what_is_there() {
    compare_in_process("native", native, 0..2);
}

#[test]
fn polling_ends_up_with_what_is_there() {
    compare_in_process("polling", || None, 100..102);
}

#[test]
#[cfg_attr(any(windows, target_os = "macos"), ignore = "one watch is enough there for the whole project")]
fn a_watch_of_three_directories_ends_up_with_what_is_there() {
    compare_in_process("few", || Some(few()), 200..202);
}

#[test]
#[ignore = "4 minutes"]
fn long_views_in_process() {
    thread::scope(|scope| {
        scope.spawn(|| compare_in_process("native", native, 1_000..1_060));
        scope.spawn(|| compare_in_process("polling", || None, 2_000..2_060));
        scope.spawn(|| compare_in_process("few", || Some(few()), 3_000..3_060));
    });
}
