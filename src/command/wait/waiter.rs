//! The sleep until gates are open.
//!
//! Responsible for waking when something may have changed, and from time to time in case nothing said so. Not
//! responsible for what a look finds (`store::watch::target`) nor for what is printed at the end (`wait`).

use super::super::Session;
use super::{warn_blocked, warn_gone};
use crate::ask::Problem;
use crate::error::Error;
use crate::store::watch::folders::{Folders, WatchSet};
use crate::store::watch::target::{Finding, Target};
use crate::store::watch::{self, Why};
use crate::store::{Project, Standing};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Between two looks at what is not watched; with a working watcher it backs off from the second to the third.
const POLLING: Duration = Duration::from_secs(1);
const RECONCILE: Duration = Duration::from_secs(2);
const QUIET: Duration = Duration::from_secs(10);
/// How long a hint that ends no write is slept on.
const COALESCE: Duration = Duration::from_millis(30);
/// Between two looks at least this many times what the first has cost, however many hints come.
const SHARE: u32 = 5;

/// What ends a sleep.
pub(super) enum Wake {
    /// Something has changed; true if a write has just ended.
    Hint(bool),
    /// The process is to end.
    Signal(u8),
}

/// How the wait ended.
pub(super) enum End {
    Open,
    TimedOut,
    Signal(u8),
    Malformed(usize, Vec<Problem>),
}

/// What is waited for, and what is known of it.
pub(super) struct Waiter {
    pub(super) project: Project,
    pub(super) targets: Vec<Target>,
    /// Whether one of them is enough.
    any: bool,
    /// Whether to read everything again instead of what differs.
    sure: bool,
    /// Whether the project's directory is away.
    gone: bool,
}

impl Waiter {
    pub(super) fn new(project: Project, targets: Vec<Target>, any: bool) -> Waiter {
        Waiter { project, targets, any, sure: true, gone: false }
    }

    /// Sleeps and looks until the wait has an end.
    pub(super) fn keep(
        &mut self,
        session: &mut Session<'_>,
        timeout: Option<Duration>,
        wake: &Sender<Wake>,
        wakes: &Receiver<Wake>,
    ) -> Result<End, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if let Some(end) = self.look(session)? {
            return Ok(end);
        }
        let tell = wake.clone();
        let mut folders = Folders::new(move |at_once| drop(tell.send(Wake::Hint(at_once))));
        let (mut interval, mut said) = (RECONCILE, false);
        let mut calm = Instant::now();
        loop {
            // What is on the way must be looked at after it is watched, or what came before is missed.
            while folders.set(self.way()) {
                self.sure = true;
                if let Some(end) = self.look(session)? {
                    return Ok(end);
                }
            }
            let polling = self.is_polling(session, &folders, &mut said) || self.gone;
            let pause = if polling { POLLING } else { interval };
            match sleep(wakes, self.next(pause, deadline), calm) {
                Some(Wake::Signal(number)) => return Ok(End::Signal(number)),
                Some(Wake::Hint(_)) => {
                    interval = RECONCILE;
                    self.sure = true;
                }
                None => interval = (interval * 2).min(QUIET),
            }
            let start = Instant::now();
            if let Some(end) = self.look(session)? {
                return Ok(end);
            }
            calm = Instant::now() + start.elapsed() * SHARE;
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(End::TimedOut);
            }
        }
    }

    fn way(&self) -> WatchSet {
        let mut way = WatchSet::default();
        for target in &self.targets {
            target.add_to(&mut way, &self.project);
        }
        way
    }

    /// Whether nothing tells of changes; says so, if it has not been said.
    fn is_polling(&self, session: &mut Session<'_>, folders: &Folders, said: &mut bool) -> bool {
        let shared = watch::is_shared(&self.project).then_some(Why::Network);
        let why = folders.fault().or(shared.as_ref());
        if let Some(why) = why
            && !std::mem::replace(said, true)
        {
            session.warn(&[why.text(session.lang)]);
        }
        why.is_some()
    }

    fn next(&self, pause: Duration, deadline: Option<Instant>) -> Instant {
        let due = self.targets.iter().filter_map(Target::due).chain(deadline).min();
        let pause = Instant::now() + pause;
        due.map_or(pause, |due| due.min(pause))
    }

    /// Looks at every packet; says what is new about records that do not open their gates.
    fn look(&mut self, session: &mut Session<'_>) -> Result<Option<End>, Error> {
        if !self.find_project(session) {
            return Ok(None);
        }
        let sure = std::mem::take(&mut self.sure);
        let mut open = 0;
        let mut hopeless = None;
        for (place, target) in self.targets.iter_mut().enumerate() {
            match target.look(&self.project, sure) {
                Finding::Open => open += 1,
                Finding::Closed => {}
                Finding::Blocked(problems) => warn_blocked(session, &target.shown, &problems),
                Finding::Malformed(problems) => {
                    hopeless.get_or_insert(Ok(Some(End::Malformed(place, problems))));
                }
                Finding::Lost(error) => {
                    hopeless.get_or_insert(Err(error));
                }
            }
        }
        // Where any is enough, one that is open counts more than one that never will be.
        if self.any && open > 0 {
            return Ok(Some(End::Open));
        }
        hopeless.unwrap_or_else(|| Ok((open == self.targets.len()).then_some(End::Open)))
    }

    /// Whether the project is there. What its directory held while it was away says nothing about the gates, and one
    /// that was put in its place is the project from then on.
    fn find_project(&mut self, session: &mut Session<'_>) -> bool {
        let standing = self.project.standing();
        let reopened = match standing {
            Standing::Replaced => Project::open(self.project.root()).ok(),
            _ => None,
        };
        let there = standing == Standing::There || reopened.is_some();
        if !there && !self.gone {
            warn_gone(session, &self.project);
        }
        if (there && self.gone) || reopened.is_some() {
            self.targets.iter_mut().for_each(Target::forget);
            self.sure = true;
        }
        if let Some(reopened) = reopened {
            self.project = reopened;
        }
        self.gone = !there;
        there
    }
}

/// Sleeps until something happens; hints that end no write or come before `calm` are slept on a little longer, and
/// those that come together wake once.
fn sleep(wakes: &Receiver<Wake>, until: Instant, calm: Instant) -> Option<Wake> {
    let mut until = until;
    let mut woken = None;
    loop {
        match wakes.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Wake::Signal(number)) => return Some(Wake::Signal(number)),
            Ok(Wake::Hint(at_once)) => {
                let now = Instant::now();
                if at_once && now >= calm {
                    return Some(Wake::Hint(true));
                }
                if at_once || woken.is_none() {
                    until = until.min(if at_once { calm } else { calm.max(now + COALESCE) });
                    woken = Some(Wake::Hint(at_once));
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return woken,
        }
    }
}
