//! The thread that looks.
//!
//! Responsible for its one loop: wait for a hint or for the time to look anyway, look, tell what changed. It never
//! spins: every wait is a wait on its channel. Not responsible for the meaning of events (`hint`).

use super::hint::Hint;
use super::{Mode, Options, Pace, Signal, StoreEvent, Why, native};
use crate::store::clock::Clock;
use crate::store::entry::{self, Entry};
use crate::store::project::{Project, Standing};
use crate::store::scan::{Look, Outcome, Scanner};
use notify::Watcher;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Between two partial lists of the first scan.
const PARTS: Duration = Duration::from_millis(50);

/// More paths than this are not looked at one by one.
const MANY: usize = 64;
/// A full look may take this part of the time: the interval is never less than this many times its cost.
const SHARE: u32 = 20;

type Send = Box<dyn FnMut(StoreEvent) + std::marker::Send>;

/// The state of the thread.
pub(super) struct Worker {
    project: Arc<Project>,
    clock: Arc<dyn Clock>,
    options: Options,
    send: Send,
    signals: Sender<Signal>,
    scanner: Scanner,
    watcher: Option<Box<dyn Watcher + std::marker::Send>>,
    mode: Option<Mode>,
    complete: bool,
    root_gone: bool,
    dirty: Dirty,
    /// When to look at what is dirty; `None` while nothing is.
    act: Option<Instant>,
    /// Since when something has been dirty.
    dirty_since: Option<Instant>,
    /// Hints before this moment are collected instead of acted on.
    calm: Instant,
    /// Directories to look at once more.
    echoes: BTreeMap<PathBuf, Instant>,
    unsettled: Option<SystemTime>,
    interval: Duration,
    reconcile: Instant,
    retry: Option<Instant>,
}

#[derive(Default)]
struct Dirty {
    everything: bool,
    /// Everything, and no signature is trusted.
    rescan: bool,
    paths: BTreeSet<PathBuf>,
    /// Those of them to look at once more.
    again: BTreeSet<PathBuf>,
}

impl Worker {
    pub(super) fn new(
        project: Arc<Project>,
        clock: Arc<dyn Clock>,
        options: Options,
        send: Send,
        signals: Sender<Signal>,
    ) -> Worker {
        let now = Instant::now();
        Worker {
            scanner: Scanner::new(Arc::clone(&project)),
            interval: options.pace.reconcile,
            reconcile: now + options.pace.reconcile,
            project,
            clock,
            options,
            send,
            signals,
            watcher: None,
            mode: None,
            complete: false,
            root_gone: false,
            dirty: Dirty::default(),
            act: None,
            dirty_since: None,
            calm: now,
            echoes: BTreeMap::new(),
            unsettled: None,
            retry: None,
        }
    }

    pub(super) fn run(mut self, inbox: &Receiver<Signal>) {
        if self.options.hints.is_some() {
            self.connect();
        } else {
            self.set_mode(Mode::Polling(Why::Asked));
        }
        self.first_look();
        loop {
            let wait = self.next().saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(signal) => self.take(signal),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Everything that has come meanwhile, so that a storm is one look.
            for signal in inbox.try_iter().take(10_000) {
                if matches!(signal, Signal::Stop) {
                    return;
                }
                self.take(signal);
            }
            self.look_if_due();
        }
    }

    /// The next moment at which there is something to do without a signal.
    fn next(&self) -> Instant {
        let unsettled = self.unsettled.map(|at| {
            Instant::now() + at.duration_since(self.clock.now()).unwrap_or_default().min(self.interval)
        });
        let echo = self.echoes.values().min().copied();
        [self.act, unsettled, echo, self.retry].into_iter().flatten().fold(self.reconcile, Instant::min)
    }

    fn pace(&self) -> Pace {
        self.options.pace
    }

    /// Connects on a thread of its own: watching many directories takes time, and the first look need not wait.
    fn connect(&mut self) {
        self.retry = None;
        let Some(connect) = self.options.hints.clone() else { return };
        let (hints, done) = (self.signals.clone(), self.signals.clone());
        let project = Arc::clone(&self.project);
        let attach = move || {
            let handler = Box::new(move |event| drop(hints.send(Signal::Hint(event))));
            let watcher = connect(handler).and_then(|mut watcher| {
                native::attach(watcher.as_mut(), &project)?;
                Ok(watcher)
            });
            let _ = done.send(Signal::Connected(Box::new(watcher)));
        };
        if let Err(error) = thread::Builder::new().name("watch-connect".into()).spawn(attach) {
            self.lose_watcher(Why::Other(error.to_string()));
        }
    }

    fn set_mode(&mut self, mode: Mode) {
        if self.mode.as_ref() != Some(&mode) {
            self.mode = Some(mode.clone());
            self.hurry();
            (self.send)(StoreEvent::Watching(mode));
        }
    }

    fn lose_watcher(&mut self, why: Why) {
        self.watcher = None;
        self.retry = Some(Instant::now() + self.pace().retry);
        self.set_mode(Mode::Polling(why));
        self.mark(Hint::everything());
    }

    fn take(&mut self, signal: Signal) {
        match signal {
            Signal::Stop => {}
            Signal::Look(None) => {
                self.dirty.rescan = true;
                self.mark(Hint::everything());
            }
            Signal::Look(Some(path)) => self.mark(Hint::at(path)),
            Signal::Connected(connected) => match *connected {
                Ok(watcher) => {
                    self.watcher = Some(watcher);
                    self.set_mode(native::mode(&self.project));
                    // What happened before the watch was in place has left no hint.
                    self.mark(Hint::everything());
                }
                // There is nothing to watch, and the system is not to blame.
                Err(_) if self.project.standing() == Standing::Gone => {
                    self.retry = Some(Instant::now() + self.pace().polling);
                }
                Err(error) => self.lose_watcher(native::why(&error)),
            },
            Signal::Hint(Ok(event)) => {
                if let Some(hint) = Hint::from_event(&event, self.project.root()) {
                    if hint.concerns_staging() {
                        self.attach_staging();
                    }
                    self.mark(hint);
                }
            }
            // Late words of a watcher that has already been given up.
            Signal::Hint(Err(_)) if self.watcher.is_none() => {}
            Signal::Hint(Err(error)) => self.lose_watcher(native::why(&error)),
        }
    }

    fn attach_staging(&mut self) {
        let attached = match &mut self.watcher {
            Some(watcher) => native::attach_staging(watcher.as_mut(), &self.project),
            None => return,
        };
        if let Err(error) = attached {
            self.lose_watcher(native::why(&error));
        }
    }

    /// Remembers where to look and decides when.
    fn mark(&mut self, hint: Hint) {
        let now = Instant::now();
        if hint.echo {
            self.dirty.again.extend(hint.paths.iter().cloned());
        }
        self.dirty.everything |= hint.everything;
        self.dirty.paths.extend(hint.paths);
        self.dirty.everything |= self.dirty.paths.len() > MANY;
        let since = *self.dirty_since.get_or_insert(now);
        let act = if hint.at_once && now >= self.calm {
            now
        } else {
            (now + self.pace().coalesce).min(since + self.pace().storm).max(self.calm)
        };
        // A look that is due at once is never put off by what comes behind it.
        self.act = Some(self.act.filter(|at| *at <= now).unwrap_or(act));
    }

    fn look_if_due(&mut self) {
        let now = Instant::now();
        if self.retry.is_some_and(|at| at <= now) {
            self.connect();
        }
        let due: Vec<PathBuf> =
            self.echoes.iter().filter(|(_, at)| **at <= now).map(|(path, _)| path.clone()).collect();
        for path in due {
            self.echoes.remove(&path);
            self.dirty.paths.insert(path);
            self.act = Some(now);
        }
        if self.reconcile <= now {
            self.reconcile();
        } else if self.act.is_some_and(|at| at <= now) {
            let dirty = self.clean();
            self.look(match dirty {
                Dirty { rescan: true, .. } => Look::Rescan,
                Dirty { everything: true, .. } => Look::All,
                Dirty { ref paths, .. } => Look::At(paths),
            });
            self.calm = Instant::now() + self.pace().coalesce;
            self.hurry();
        } else if self.unsettled.is_some_and(|at| at <= self.clock.now()) {
            self.look(Look::Unsettled);
        }
    }

    fn clean(&mut self) -> Dirty {
        self.act = None;
        self.dirty_since = None;
        let mut dirty = std::mem::take(&mut self.dirty);
        let at = Instant::now() + self.pace().echo;
        self.echoes.extend(std::mem::take(&mut dirty.again).into_iter().map(|path| (path, at)));
        dirty
    }

    /// Looks at everything, whether or not anything hints at it.
    fn reconcile(&mut self) {
        let rescan = self.clean().rescan;
        let start = Instant::now();
        let changed = self.look(if rescan { Look::Rescan } else { Look::All });
        let pace = self.pace();
        self.interval = match self.mode {
            Some(Mode::Polling(_)) => pace.polling.max(start.elapsed() * (SHARE / 4)),
            // Nothing tells of a directory that is not there.
            _ if self.root_gone => pace.polling,
            _ if changed => pace.reconcile,
            _ => (self.interval * 2).min(pace.quiet).max(start.elapsed() * SHARE),
        };
        self.reconcile = Instant::now() + self.interval;
    }

    /// Something happens: the next full look comes sooner.
    fn hurry(&mut self) {
        let polling = matches!(self.mode, Some(Mode::Polling(_)));
        self.interval = if polling { self.pace().polling } else { self.pace().reconcile };
        self.reconcile = self.reconcile.min(Instant::now() + self.interval);
    }

    /// Notices that the root is another directory now, or none.
    fn check_root(&mut self) {
        let standing = self.project.standing();
        if standing == Standing::There {
            self.root_gone = false;
            return;
        }
        let reopened =
            (standing == Standing::Replaced).then(|| Project::open(self.project.root()).ok()).flatten();
        if let Some(project) = reopened {
            self.root_gone = false;
            self.project = Arc::new(project);
            self.scanner = Scanner::new(Arc::clone(&self.project));
            (self.send)(StoreEvent::Reopened(Arc::clone(&self.project)));
            self.complete = false;
            self.watcher = None;
            self.connect();
        } else if !self.root_gone {
            self.root_gone = true;
            (self.send)(StoreEvent::RootGone);
        }
    }

    /// The first look tells what it finds while it goes on.
    fn first_look(&mut self) {
        let mut found: Vec<Arc<Entry>> = Vec::new();
        let mut next = 1;
        // Parts that come faster than anyone reads them only cost time.
        let mut not_before = Instant::now();
        let (scanner, send) = (&mut self.scanner, &mut self.send);
        let now = self.clock.now();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            scanner.pass(Look::All, now, &mut |fresh| {
                found.extend(fresh.iter().cloned());
                if found.len() >= next && Instant::now() >= not_before {
                    next = found.len() * 2;
                    not_before = Instant::now() + PARTS;
                    let mut entries = found.clone();
                    entry::sort(&mut entries);
                    send(StoreEvent::Entries { entries, complete: false, cut: false });
                }
            })
        }));
        self.unsettled = outcome.as_ref().ok().and_then(|outcome| outcome.next);
        if outcome.is_err() {
            self.scanner = Scanner::new(Arc::clone(&self.project));
        }
        self.complete = true;
        self.tell();
        self.calm = Instant::now();
    }

    /// Looks, and tells what has changed, or that nothing has.
    fn look(&mut self, look: Look<'_>) -> bool {
        let Some(outcome) = self.pass(look) else { return false };
        let Ok(outcome) = outcome else {
            // A bug in the scanner must not end the watch: begin anew, with the next reconcile.
            self.scanner = Scanner::new(Arc::clone(&self.project));
            self.unsettled = None;
            return true;
        };
        self.unsettled = outcome.next;
        let first = !std::mem::replace(&mut self.complete, true);
        if outcome.changed || first {
            self.tell();
        } else {
            (self.send)(StoreEvent::Looked);
        }
        outcome.changed
    }

    /// Looks while the project is there; nothing that was seen while it went counts.
    fn pass(&mut self, look: Look<'_>) -> Option<thread::Result<Outcome>> {
        loop {
            self.check_root();
            if self.root_gone {
                // What the handle still leads to is no longer the project; there is nothing to tell until it is back.
                self.unsettled = None;
                return None;
            }
            let (scanner, now) = (&mut self.scanner, self.clock.now());
            let outcome = catch_unwind(AssertUnwindSafe(|| scanner.pass(look, now, &mut |_| {})));
            let changed = outcome.as_ref().is_ok_and(|outcome| outcome.changed);
            if !changed || self.project.standing() == Standing::There {
                return Some(outcome);
            }
        }
    }

    fn tell(&mut self) {
        let event = StoreEvent::Entries {
            entries: self.scanner.entries(),
            complete: true,
            cut: self.scanner.is_cut(),
        };
        (self.send)(event);
    }
}
