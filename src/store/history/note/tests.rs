use super::super::tests::{all, now, story};
use super::*;
use crate::store::testing::{Sandbox, gate};

const DAY: Duration = Duration::from_hours(24);

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
        let book = Sandbox::new();
        for (at, reason) in (0_u64..).zip(added) {
            add_at(&book, *reason, "{}", now() + Duration::from_millis(at));
        }
        let reasons: Vec<Reason> = all(&book).iter().map(|entry| entry.reason).collect();
        assert_eq!(reasons, kept, "{added:?}");
    }
    // A record that was deleted by hand and put back much later is no echo.
    let book = Sandbox::new();
    add_at(&book, Seen, "{}", now());
    add_at(&book, Restored, "{}", now() + DAY);
    assert_eq!(all(&book).len(), 2);
}

fn add_at(book: &Sandbox, reason: Reason, text: &str, now: SystemTime) -> HistoryEntry {
    let gate = gate("staging/answers/a.json");
    let note = Note { reason, of: None, bytes: text.as_bytes() };
    add(&book.state, &story(&gate), &note, now).unwrap()
}

#[test]
fn every_entry_stays_however_many_and_old_they_are() {
    let book = Sandbox::new();
    for at in 0..50 {
        add_at(&book, Reason::Answered, &at.to_string(), now() + DAY * 100 * at);
    }
    assert_eq!(all(&book).len(), 50);
}

#[test]
fn where_nothing_was_ever_kept_there_is_nothing_to_erase_and_nothing_is_made() {
    let book = Sandbox::new();
    for place in [None, Some(&"staging/answers/a.json".into())] {
        let erased = forget(&book.state, place).unwrap();
        assert_eq!((erased.entries, erased.removed_records), (0, 0));
    }
    assert!(!book.state.path().exists());
}
