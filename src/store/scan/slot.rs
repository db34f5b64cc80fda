//! What is remembered of one file between passes.
//!
//! Responsible for deciding whether a file must be read, and for patience with files that are being written. Not
//! responsible for what a file means (`judge`).

use super::RECORD_PATIENCE;
use super::checkpoint::Checkpoint;
use super::file::{self, Place, Signature};
use super::judge::{Bench, Name, Verdict};
use crate::store::entry::Entry;
use crate::store::gate::Status;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const FIRST_RETRY: Duration = Duration::from_millis(50);
const LAST_RETRY: Duration = Duration::from_millis(400);

/// One `*.json` file below `staging/`.
#[derive(Debug)]
pub(super) struct Slot {
    pub name: Arc<OsStr>,
    /// Mark of the file, and of its record if it is a gate.
    seen: u64,
    record: u64,
    /// What is shown of it; nothing if it is no packet, or none yet.
    pub entry: Option<Arc<Entry>>,
    unsettled: Option<Box<Unsettled>>,
}

/// When a file must be looked at again, and whether it is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub at: SystemTime,
    pub torn: bool,
}

/// A file that must be looked at again.
#[derive(Clone, Debug)]
struct Unsettled {
    /// It is being written, and not only looked at once more to be sure.
    torn: bool,
    /// Since when it has looked like this.
    since: SystemTime,
    /// When to look.
    next: SystemTime,
    /// How long to wait after that.
    step: Duration,
}

impl Slot {
    /// When the file must be looked at although its signature has not changed.
    pub(super) fn due(&self) -> Option<Due> {
        self.unsettled.as_ref().map(|unsettled| Due { at: unsettled.next, torn: unsettled.torn })
    }

    /// Moves the entry in front of or behind the checkpoint; true if it was on the other side.
    pub(super) fn set_past(&mut self, checkpoint: Checkpoint) -> bool {
        let Some(entry) = &mut self.entry else { return false };
        let past = entry.step().is_some_and(|step| checkpoint.has_passed(&step));
        if past == entry.past {
            return false;
        }
        Arc::make_mut(entry).past = past;
        true
    }
}

/// Looks at one file: what to remember of it (nothing once it is gone), and whether its entry differs.
pub(super) fn examine(
    bench: &Bench<'_>,
    packet_patience: Duration,
    (dir, folder, name): (BorrowedFd<'_>, &Arc<Path>, &Arc<OsStr>),
    old: Option<Slot>,
) -> (Option<Slot>, bool) {
    let seen = match file::signature(dir, &**name) {
        Ok(seen) => seen,
        Err(errno) if file::is_absent(&errno.into()) => return gone(old.as_ref()),
        // No file has this mark, so that the next full look looks again.
        Err(_) => {
            let entry = old.and_then(|slot| slot.entry);
            let unread = Slot { name: Arc::clone(name), seen: 0, record: 0, entry, unsettled: None };
            return (Some(unread), false);
        }
    };
    let same =
        old.as_ref().is_some_and(|slot| slot.seen == seen.mark && slot.record == slot.record_now(bench));
    if same && old.as_ref().is_some_and(|slot| slot.is_settled(bench.now)) {
        return (old, false);
    }
    let before = old.as_ref().and_then(|slot| slot.entry.as_ref());
    let waited = old.as_ref().filter(|_| same).and_then(|slot| slot.unsettled.as_deref());
    let patience = Patience { now: bench.now, waited };
    let judged = bench.judge(Place { dir, folder, name }, &Name { folder, name }, &seen);
    let (entry, record, unsettled) = match judged {
        Verdict::Gone => return gone(old.as_ref()),
        Verdict::Nothing => (None, 0, patience.after(&seen)),
        Verdict::Changed => (before.map(held), 0, Some(patience.retry(LAST_RETRY))),
        Verdict::Torn(broken) => match patience.wait(packet_patience, Some(seen.changed)) {
            Some(unsettled) => (before.map(held), 0, Some(unsettled)),
            None => (broken.map(|entry| *entry), 0, None),
        },
        Verdict::Unread(broken) => {
            let waits = patience.wait(packet_patience, None);
            let broken = broken.filter(|_| waits.is_none()).map(|entry| *entry);
            let next = waits.unwrap_or_else(|| patience.glance(packet_patience));
            (broken.or_else(|| before.map(held)), 0, Some(next))
        }
        Verdict::Entry { entry, record } => {
            let changed = record.changed.filter(|_| !record.unread);
            let torn = if record.torn { patience.wait(RECORD_PATIENCE, changed) } else { None };
            let unread = || record.unread.then(|| patience.glance(packet_patience));
            let fresh =
                || patience.after(&seen).or_else(|| record.fresh.then(|| patience.retry(FIRST_RETRY)));
            match torn {
                Some(unsettled) => (Some(as_before(*entry, before)), record.mark, Some(unsettled)),
                None => (Some(*entry), record.mark, unread().or_else(fresh)),
            }
        }
    };
    // What is held keeps its record in sight.
    let record =
        if record == 0 { entry.as_ref().map_or(0, |entry| record_mark(bench, entry)) } else { record };
    let (entry, changed) = match (entry, old.and_then(|slot| slot.entry)) {
        (Some(entry), Some(before)) if *before == entry => (Some(before), false),
        (None, None) => (None, false),
        (entry, _) => (entry.map(Arc::new), true),
    };
    let slot =
        Slot { name: Arc::clone(name), seen: seen.mark, record, entry, unsettled: unsettled.map(Box::new) };
    (Some(slot), changed)
}

fn gone(old: Option<&Slot>) -> (Option<Slot>, bool) {
    (None, old.is_some_and(|slot| slot.entry.is_some()))
}

impl Slot {
    fn record_now(&self, bench: &Bench<'_>) -> u64 {
        self.entry.as_ref().map_or(0, |entry| record_mark(bench, entry))
    }

    /// Whether nothing about the file (its path is relative to the root) or its record calls for another look.
    pub(super) fn is_current(&self, bench: &Bench<'_>, root: BorrowedFd<'_>, path: &Path) -> bool {
        self.is_settled(bench.now)
            && file::mark(root, path) == self.seen
            && self.record == self.record_now(bench)
    }

    /// Whether equal signatures mean an equal entry.
    fn is_settled(&self, now: SystemTime) -> bool {
        let waits = self.unsettled.as_ref().is_none_or(|unsettled| now < unsettled.next);
        // Why a path is refused or leads out may change without a trace on the file itself.
        let certain = self.entry.as_ref().is_none_or(|entry| {
            entry.refusal.is_none() && (entry.status != Status::Malformed || entry.answer_file().is_none())
        });
        waits && certain
    }
}

fn record_mark(bench: &Bench<'_>, entry: &Entry) -> u64 {
    entry.answer_file().map_or(0, |path| file::mark(bench.project.dir().as_fd(), &*path))
}

/// What is shown while a packet is being written: what it was.
fn held(before: &Arc<Entry>) -> Entry {
    Entry { being_written: true, ..(**before).clone() }
}

/// What is shown while a record is being written: the state before.
fn as_before(entry: Entry, before: Option<&Arc<Entry>>) -> Entry {
    let status = before.map_or(Status::Waiting, |before| before.status);
    if status == Status::Blocked {
        return Entry { being_written: true, ..entry };
    }
    let status = if status == Status::Answered { status } else { Status::Waiting };
    Entry { status, being_written: true, problems: 0, first_problem: None, ..entry }
}

/// How long to look away.
struct Patience<'p> {
    now: SystemTime,
    /// How it was when the file looked exactly like this.
    waited: Option<&'p Unsettled>,
}

impl Patience<'_> {
    /// Waits until something has been unchanged for long enough; nothing to wait for once it has.
    fn wait(&self, needed: Duration, changed: Option<SystemTime>) -> Option<Unsettled> {
        let age = |at: SystemTime| self.now.duration_since(at).unwrap_or_default();
        let stable = age(self.since()).max(changed.map(age).unwrap_or_default());
        (stable < needed).then(|| self.retry(needed.saturating_sub(stable)))
    }

    /// A file written a moment ago may be written again without a trace: look once more.
    fn after(&self, seen: &Signature) -> Option<Unsettled> {
        let span = if seen.coarse { Duration::from_secs(2) } else { Duration::from_millis(25) };
        seen.is_fresh(self.now).then(|| self.glance(span))
    }

    /// Nothing tells when to look again, and nobody waits for it.
    fn glance(&self, span: Duration) -> Unsettled {
        Unsettled { torn: false, since: self.since(), next: self.now + span, step: FIRST_RETRY }
    }

    fn retry(&self, at_most: Duration) -> Unsettled {
        let step = self.waited.map_or(FIRST_RETRY, |waited| waited.step);
        Unsettled {
            torn: true,
            since: self.since(),
            next: self.now + step.min(at_most),
            step: (step * 2).min(LAST_RETRY),
        }
    }

    fn since(&self) -> SystemTime {
        // A clock that was set back starts the wait anew.
        self.waited.map(|waited| waited.since).filter(|since| *since <= self.now).unwrap_or(self.now)
    }
}
