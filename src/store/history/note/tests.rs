use super::super::tests::{all, now, story};
use super::*;
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

fn add_at(book: &Sandbox, reason: Reason, text: &str, now: SystemTime) -> HistoryEntry {
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
    let left = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        book.state.read(|state| state.query_row(&sql, [], |row| row.get(0))).unwrap()
    };
    assert_eq!((left("records"), left("words")), (Some(3), Some(3)), "no bytes are left behind");
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
    assert_eq!(again.id, removed.id);
    let gate = gate("staging/answers/a.json");
    let note = Note { reason: Reason::Restored, of: Some(&again.id), bytes: b"back" };
    add(&book.state, &story(&gate), &note, now() + DAY).unwrap();
    assert_eq!(all(&book).len(), 1, "what was put back is no last copy");
}
