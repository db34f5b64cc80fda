//! How long entries stay.
//!
//! Responsible for choosing the entries of a gate that are kept no longer, and for removing them when one is added; also
//! those that only repeat another one.
//! Never chosen: the newest entry of a gate, and, for thirty days, a record that was taken away and not put back, for
//! its bytes may be nowhere else.

use super::entry::{Entry, entries};
use super::note;
use super::reason::Reason;
use crate::ask::JsString;
use crate::store::state::StateDir;
use std::collections::HashSet;
use std::time::{Duration, SystemTime};

/// How long entries stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// How many entries of a gate.
    pub entries: usize,
    /// How many days.
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { entries: 20, days: 365 }
    }
}

/// How long a record that was taken away can be put back, whatever else is set.
const GRACE: Duration = Duration::from_hours(30 * 24);

/// Two programs that note one record do so within this time.
const ECHO: Duration = Duration::from_secs(10);

/// Removes the entries of a gate that are kept no longer. That it fails is no error: they go another time.
pub(super) fn prune(state: &StateDir, answer_path: &JsString, now: SystemTime) {
    let Ok(all) = entries(state, answer_path) else { return };
    for entry in overdue(&all, state.retention(), now) {
        note::take_back(entry);
    }
    for entry in echoes(&all) {
        note::take_back(entry);
    }
}

/// Entries of a record that was seen, beside another one of the same record. A console may see a record in the moment
/// between its being written and its being noted by whoever wrote it; each of the two looks here after its own entry.
fn echoes(all: &[Entry]) -> Vec<&Entry> {
    let is_echo = |a: &Entry, b: &Entry| {
        let apart = b.time().duration_since(a.time()).unwrap_or_default();
        a.sha256 == b.sha256 && !a.reason.is_removal() && !b.reason.is_removal() && apart <= ECHO
    };
    let runs = all.chunk_by(is_echo);
    runs.flat_map(|run| {
        let kept = run.iter().position(|entry| entry.reason != Reason::Seen).unwrap_or(0);
        let others = run.iter().enumerate().filter(move |(place, _)| *place != kept);
        others.filter(|(_, entry)| entry.reason == Reason::Seen).map(|(_, entry)| entry)
    })
    .collect()
}

/// The entries that are kept no longer; `all` are those of one gate, oldest first.
fn overdue(all: &[Entry], retention: Retention, now: SystemTime) -> Vec<&Entry> {
    let age = |entry: &Entry| now.duration_since(entry.time()).unwrap_or_default();
    let limit = Duration::from_hours(24).saturating_mul(retention.days);
    let restored: HashSet<&str> = all
        .iter()
        .filter(|entry| entry.reason == Reason::Restored)
        .filter_map(|entry| entry.of.as_deref())
        .collect();
    let is_last_copy = |entry: &Entry| {
        entry.reason.is_removal() && !restored.contains(entry.name.as_str()) && age(entry) <= GRACE
    };
    let newest = all.len().saturating_sub(1);
    let surplus = all.len().saturating_sub(retention.entries);
    let candidates = all.iter().enumerate().take(newest);
    candidates
        .filter(|(place, entry)| (*place < surplus || age(entry) > limit) && !is_last_copy(entry))
        .map(|(_, entry)| entry)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all, now, story};
    use super::*;
    use crate::store::history::{Note, add};
    use crate::store::testing::{Sandbox, gate};

    const DAY: Duration = Duration::from_hours(24);

    fn book(entries: usize, days: u32) -> Sandbox {
        let mut book = Sandbox::new();
        book.state = book.state.clone().keeping(Retention { entries, days });
        book
    }

    #[test]
    fn a_record_that_was_seen_while_it_was_being_noted_stands_there_once() {
        use Reason::{Answered, Redone, Restored, Seen};
        for (added, kept) in [
            (&[Answered, Seen][..], &[Answered][..]),
            (&[Seen, Answered], &[Answered]),
            (&[Seen, Seen], &[Seen]),
            (&[Seen, Redone, Restored, Seen], &[Seen, Redone, Restored]),
            (&[Seen, Redone, Seen], &[Seen, Redone, Seen]),
        ] {
            let book = book(20, 365);
            for (at, reason) in (0_u64..).zip(added) {
                add_at(&book, *reason, "{}", now() + Duration::from_millis(at));
            }
            let reasons: Vec<Reason> = all(&book).iter().map(|entry| entry.reason).collect();
            assert_eq!(reasons, kept, "{added:?}");
        }
        // A record that was deleted by hand and put back much later is no echo.
        let book = book(20, 365);
        add_at(&book, Seen, "{}", now());
        add_at(&book, Restored, "{}", now() + DAY);
        assert_eq!(all(&book).len(), 2);
    }

    fn add_at(book: &Sandbox, reason: Reason, text: &str, now: SystemTime) -> Entry {
        let gate = gate("staging/answers/a.json");
        let note = Note { reason, of: None, bytes: text.as_bytes() };
        add(&book.state, &story(&gate), &note, now).unwrap()
    }

    fn texts(book: &Sandbox) -> Vec<String> {
        all(book).iter().map(|entry| String::from_utf8(entry.bytes().unwrap()).unwrap()).collect()
    }

    #[test]
    fn only_the_last_few_stay() {
        let book = book(3, 365);
        for text in ["a", "b", "c", "d", "e"] {
            add_at(&book, Reason::Answered, text, now());
        }
        assert_eq!(texts(&book), ["c", "d", "e"]);
        let dir = book.state.history_dir(all(&book)[0].key());
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 6, "no bytes are left behind");
        add_at(&book, Reason::Answered, "f", now() - Duration::from_secs(5));
        assert_eq!(texts(&book), ["d", "e", "f"], "the clock was put back");
    }

    #[test]
    fn old_entries_go_but_never_the_newest() {
        let book = book(20, 365);
        add_at(&book, Reason::Answered, "old", now());
        add_at(&book, Reason::Seen, "middle", now() + DAY * 300);
        assert_eq!(texts(&book), ["old", "middle"]);
        add_at(&book, Reason::Answered, "new", now() + DAY * 366);
        assert_eq!(texts(&book), ["middle", "new"]);
        add_at(&book, Reason::Answered, "last", now() + DAY * 9_999);
        assert_eq!(texts(&book), ["last"]);
    }

    #[test]
    fn the_only_copy_of_a_removed_record_stays_thirty_days() {
        let book = book(1, 0);
        let removed = add_at(&book, Reason::Redone, "only", now());
        add_at(&book, Reason::Replaced, "other", now() + DAY);
        add_at(&book, Reason::Answered, "new", now() + DAY * 30);
        assert_eq!(texts(&book), ["only", "other", "new"]);
        add_at(&book, Reason::Answered, "newer", now() + DAY * 30 + DAY / 2);
        assert_eq!(texts(&book), ["other", "newer"]);

        let book = self::book(1, 365);
        let again = add_at(&book, Reason::Redone, "back", now());
        assert_eq!(again.name, removed.name);
        let gate = gate("staging/answers/a.json");
        let note = Note { reason: Reason::Restored, of: Some(&again.name), bytes: b"back" };
        add(&book.state, &story(&gate), &note, now() + DAY).unwrap();
        assert_eq!(all(&book).len(), 1, "what was put back is no last copy");
    }
}
