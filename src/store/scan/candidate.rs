//! A file that may be a packet, as it was when it was last read; whether it must be read again, and patience with what is
//! being written.

use super::file;
use super::judge::{Doubt, ScanContext, Scope, Verdict, Why};
use crate::store::entry::{Entry, Status};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How long a packet that cannot be read as JSON may still be in the making.
pub const PACKET_PATIENCE: Duration = Duration::from_secs(2);
/// The same for a record.
pub const RECORD_PATIENCE: Duration = Duration::from_millis(500);

pub(super) const FIRST_RETRY: Duration = Duration::from_millis(50);
const LAST_RETRY: Duration = Duration::from_millis(400);

#[derive(Debug)]
pub(super) struct Candidate {
    /// Relative to the root; absolute if it was named.
    pub(super) path: Arc<Path>,
    /// What is shown of it; nothing if it is no packet, or none yet.
    pub(super) entry: Option<Arc<Entry>>,
    /// Why it must be looked at again although nothing has changed.
    pub(super) wait: Option<Box<Wait>>,
    /// The last look found that its entry came, went or changed.
    pub(super) changed: bool,
    /// The last look found nothing there.
    pub(super) gone: bool,
    /// It or its record may change by another name.
    pub(super) is_odd: bool,
    /// Where its record lies, as in its entry, which no look has to follow for what it passes over; 0 without a gate. `None` if equal
    /// signatures do not mean an equal entry: why a path is refused or leads out may change without a trace on the file itself.
    place: Option<u64>,
    /// Marks of the file, 0 if it could not be looked at, and of its record if it is a gate.
    seen: u64,
    record: u64,
    /// Of what decides which standing question it carries, 0 if none does.
    standing: u64,
}

/// When a file must be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) until: SystemTime,
    /// It is being written, and not only looked at once more to be sure.
    pub(super) being_written: bool,
    /// Since when it has looked like this.
    since: SystemTime,
    /// How long to wait after that.
    step: Duration,
}

impl Candidate {
    pub(super) fn new(path: Arc<Path>) -> Candidate {
        Candidate {
            path,
            entry: None,
            wait: None,
            changed: false,
            gone: false,
            is_odd: false,
            place: Some(0),
            seen: 0,
            record: 0,
            standing: 0,
        }
    }

    pub(super) fn is_new(&self) -> bool {
        self.seen == 0
    }

    fn is_due(&self, context: &ScanContext<'_>, is_its_turn: bool) -> bool {
        match &context.scope {
            Scope::All => true,
            Scope::Told { places, standing } => {
                let is_told = |place: u64| places.binary_search(&place).is_ok();
                self.place.is_none_or(is_told)
                    || self.has_waited(context.now)
                    || *standing && self.standing != 0
            }
            Scope::Turn { .. } => {
                self.is_odd || self.is_sent_back() || is_its_turn || self.has_waited(context.now)
            }
        }
    }

    /// Looks, and reads it if its signature or its record's differs.
    pub(super) fn look(&mut self, context: &ScanContext<'_>, is_its_turn: bool) {
        (self.changed, self.gone) = (false, false);
        if !self.is_new() && !self.is_due(context, is_its_turn) {
            return;
        }
        let mut seen = match file::signature(context.project, &self.path) {
            Ok(seen) => seen,
            Err(errno) if file::is_absent(&errno.into()) => return self.vanish(false),
            // What is known of it stays; no file has this mark.
            Err(errno) => {
                context.fail(&self.path, &errno.into());
                return self.seen = 0;
            }
        };
        let same = self.seen == seen.mark
            && self.record == self.record_mark(context)
            && self.standing == self.standing_mark(context);
        if same && self.is_settled(context.now) {
            return self.set_past(context);
        }
        let Some(verdict) = context.judge(&self.path, &mut seen) else { return self.vanish(seen.is_link) };
        let (now, fresh) = (context.now, context.fresh_for(&seen));
        let patience = Patience { now, fresh, waited: self.wait.take().filter(|_| same) };
        self.seen = seen.mark;
        (self.record, self.standing) = (verdict.record, verdict.standing);
        self.is_odd = seen.is_link || seen.is_shared || verdict.is_odd;
        let (entry, wait) = patience.weigh(verdict, self.entry.as_ref(), context.packet_patience);
        if self.entry.as_deref() != entry.as_ref() {
            self.entry = entry.map(Arc::new);
            self.changed = true;
        }
        let entry = self.entry.as_ref();
        let is_certain = |entry: &&Arc<Entry>| {
            entry.refusal.is_none()
                && entry.sent_back.is_none()
                && (entry.status != Status::Malformed || entry.answer_path.is_none())
        };
        self.place = entry.map_or(Some(0), |entry| Some(entry).filter(is_certain).map(|entry| entry.place));
        self.wait = wait.map(Box::new);
        if self.record == 0 {
            // What is held keeps its record in sight.
            self.record = self.record_mark(context);
        }
        if self.standing == 0 {
            self.standing = self.standing_mark(context);
        }
    }

    /// What a link leads to may come back without a trace in the link's own directory.
    fn vanish(&mut self, is_link: bool) {
        let (path, changed) = (Arc::clone(&self.path), self.entry.is_some());
        *self = Candidate { gone: !is_link, changed, is_odd: is_link, ..Candidate::new(path) };
    }

    fn record_mark(&self, context: &ScanContext<'_>) -> u64 {
        let answer_path = self.entry.as_ref().and_then(|entry| entry.answer_path.as_ref());
        answer_path.map_or(0, |path| context.record_mark(path))
    }

    fn standing_mark(&self, context: &ScanContext<'_>) -> u64 {
        let entry = self.entry.as_ref();
        entry.map_or(0, |entry| context.standing_mark(&self.path, entry.step.as_ref(), entry.modified))
    }

    pub(super) fn is_sent_back(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.sent_back.is_some())
    }

    /// Has it read again by the next look.
    pub(super) fn hear(&mut self) {
        self.place = None;
    }

    /// Whether equal signatures mean an equal entry.
    fn is_settled(&self, now: SystemTime) -> bool {
        self.place.is_some() && !self.has_waited(now)
    }

    fn has_waited(&self, now: SystemTime) -> bool {
        self.wait.as_ref().is_some_and(|wait| wait.until <= now)
    }

    /// Moves the entry in front of or behind the checkpoint, which may have moved while this file could not be looked at.
    fn set_past(&mut self, context: &ScanContext<'_>) {
        let Some(entry) = &mut self.entry else { return };
        let past = context.has_passed(entry.step.as_ref());
        if past != entry.past {
            Arc::make_mut(entry).past = past;
            self.changed = true;
        }
    }
}

/// How long to look away.
struct Patience {
    now: SystemTime,
    /// For how long the file may be written again without a trace.
    fresh: Option<Duration>,
    /// How it was when the file looked exactly like this.
    waited: Option<Box<Wait>>,
}

impl Patience {
    /// What to show of a file, and when to look again: what may still be in the making counts only after it has stayed
    /// the same for long enough.
    fn weigh(
        &self,
        verdict: Verdict,
        before: Option<&Arc<Entry>>,
        packet_patience: Duration,
    ) -> (Option<Entry>, Option<Wait>) {
        let Verdict { entry, fresh, doubt, .. } = verdict;
        let fresh = || fresh.or(self.fresh).map(|span| self.wait(span, false));
        let Some(Doubt { of_record, why }) = doubt else { return (entry, fresh()) };
        let needed = if of_record { RECORD_PATIENCE } else { packet_patience };
        let known = |entry: Option<Entry>, being_written| match before {
            _ if of_record => entry.map(|entry| with_known_record(entry, before, being_written)),
            Some(before) => {
                Some(Entry { being_written: before.being_written || being_written, ..(**before).clone() })
            }
            None => None,
        };
        let later = || Some(self.wait(packet_patience, false));
        match why {
            // It never counts, and is tried for as long as it lasts.
            Why::Failed => (known(entry, false), self.until_stable(packet_patience, None).or_else(later)),
            Why::Torn(changed) => match self.until_stable(needed, changed) {
                Some(wait) => (known(entry, true), Some(wait)),
                None => (entry, fresh()),
            },
            Why::Closed => match self.until_stable(needed, None) {
                Some(wait) => (known(entry, true), Some(wait)),
                // It may become readable without a trace.
                None => (entry.or_else(|| known(None, true)), later()),
            },
        }
    }

    /// Waits until something has been unchanged for long enough; nothing to wait for once it has.
    fn until_stable(&self, needed: Duration, changed: Option<SystemTime>) -> Option<Wait> {
        let age = |at: SystemTime| self.now.duration_since(at).unwrap_or_default();
        let stable = age(self.since()).max(changed.map(age).unwrap_or_default());
        (stable < needed).then(|| self.retry(needed.saturating_sub(stable)))
    }

    fn retry(&self, at_most: Duration) -> Wait {
        let step = self.waited.as_ref().map_or(FIRST_RETRY, |waited| waited.step);
        Wait { step: (step * 2).min(LAST_RETRY), ..self.wait(step.min(at_most), true) }
    }

    fn wait(&self, span: Duration, being_written: bool) -> Wait {
        Wait { until: self.now + span, being_written, since: self.since(), step: FIRST_RETRY }
    }

    fn since(&self) -> SystemTime {
        // A clock that was set back starts the wait anew.
        self.waited.as_ref().map(|waited| waited.since).filter(|since| *since <= self.now).unwrap_or(self.now)
    }
}

/// What is shown of a gate whose record is being written or could not be read: the packet as it is, and what is known of the
/// record. If nothing is, it is not said that the record is not valid.
fn with_known_record(entry: Entry, before: Option<&Arc<Entry>>, being_written: bool) -> Entry {
    let is_gate = |before: &&Arc<Entry>| before.status == Status::Answered || before.held_up();
    let Some(before) = before.filter(is_gate) else {
        let status = Status::Waiting;
        return Entry { status, being_written: true, problems: 0, first_problem: None, ..entry };
    };
    let Entry { answered_by, answered_at, first_problem, .. } = (**before).clone();
    Entry {
        status: before.status,
        being_written: before.being_written || being_written,
        answered_by,
        answered_at,
        answered: before.answered,
        problems: before.problems,
        first_problem,
        refusal: before.refusal,
        record_modified: before.record_modified,
        ..entry
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::blank;
    use super::*;
    use crate::store::Project;

    #[test]
    fn a_record_that_fails_to_be_read_is_not_called_invalid() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.packet.json"), "{}").unwrap();
        let path: Arc<Path> = Path::new("a.packet.json").into();
        let seen = file::signature(&Project::open(dir.path()).unwrap(), &*path).unwrap();
        let problem = crate::store::file::unreadable(&crate::text::say("x", "x").into());
        let blocked = Entry {
            status: Status::Blocked,
            problems: 1,
            first_problem: Some(Box::new(problem)),
            questions: 2,
            ..blank(&path, &seen)
        };
        let weigh = |before: Option<Entry>| {
            let verdict = Verdict {
                entry: Some(blocked.clone()),
                doubt: Some(Doubt { of_record: true, why: Why::Failed }),
                ..Verdict::default()
            };
            let patience = Patience { now: SystemTime::now(), fresh: None, waited: None };
            let (entry, wait) = patience.weigh(verdict, before.map(Arc::new).as_ref(), PACKET_PATIENCE);
            assert!(wait.is_some(), "it is tried again");
            entry.unwrap()
        };
        let before = |status| Entry { status, questions: 1, ..blank(&path, &seen) };
        for unknown in [None, Some(before(Status::NoGate)), Some(before(Status::Malformed))] {
            let entry = weigh(unknown);
            assert_eq!((entry.status, entry.problems, entry.being_written), (Status::Waiting, 0, true));
            assert_eq!(entry.first_problem, None);
        }
        for status in [Status::Waiting, Status::Answered] {
            let entry = weigh(Some(before(status)));
            assert_eq!((entry.status, entry.problems), (status, 0));
            assert_eq!(entry.questions, 2, "the packet is as it is now");
        }
    }
}
