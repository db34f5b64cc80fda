//! Noting what others wrote, names of an earlier version, what a crash left behind.

use super::*;

#[test]
fn what_was_put_back_is_there_although_the_history_cannot_be_told() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, TORN);
    remove(&book.project, &book.state, &story(&gate), None, now()).unwrap();
    let entry = all(&book).remove(0);
    let dir = entry.record_path().parent().unwrap().to_path_buf();
    // No name is left for another entry of this millisecond.
    let millis = entry.name.split('-').next().unwrap();
    fs::write(dir.join(format!("{millis}-{}.json", u32::MAX)), "").unwrap();
    let moved = restore(&book.project, &book.state, &story(&gate), now()).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), TORN);
    assert!(moved.unnoted.is_some());
}

#[test]
fn bytes_that_a_crash_left_without_a_description_go_after_an_hour() {
    let book = Sandbox::new();
    book.put(PATH, "bytes");
    remove(&book.project, &book.state, &story(&gate(PATH)), None, now()).unwrap();
    let entry = all(&book).remove(0);
    let dir = entry.record_path().parent().unwrap().to_path_buf();
    let orphan = dir.join("1-0000.record");
    fs::write(&orphan, "torn").unwrap();
    let long_ago = SystemTime::now() - Duration::from_hours(99);
    fs::File::options().write(true).open(&orphan).unwrap().set_modified(long_ago).unwrap();
    search(&book.state, &Search::default()).unwrap();
    let in_minutes = |minutes| SystemTime::now() + Duration::from_mins(minutes);
    assert!(!note::sweep(&dir, in_minutes(50)));
    assert!(orphan.exists(), "it has just come: somebody may be about to write its description");
    assert!(note::sweep(&dir, in_minutes(61)));
    assert!(!orphan.exists());
    assert!(note::sweep(&dir, in_minutes(999)));
    assert_eq!(entry.bytes().unwrap(), b"bytes", "whatever has a description stays");
}

#[test]
fn what_lies_under_the_name_an_earlier_version_gave_is_found() {
    use crate::store::state::spelled_key;
    const LINKED: &str = "way/answers/a.json";
    let book = Sandbox::new();
    book.put(PATH, "old");
    symlink("staging", book.at("way")).unwrap();
    let by_link = gate(LINKED);
    remove(&book.project, &book.state, &story(&by_link), None, now()).unwrap();
    assert_eq!(all(&book).len(), 1, "one place has one history");
    let own = book.state.history_dir(&book.state.gate_key(&PATH.into()));
    fs::rename(own, book.state.history_dir(&spelled_key(&LINKED.into()))).unwrap();
    assert!(all(&book).is_empty());
    let found = entries(&book.state, &LINKED.into()).unwrap();
    assert_eq!(found[0].bytes().unwrap(), b"old");
    let of_gate = Search { answer_path: Some(LINKED.into()), ..Search::default() };
    assert_eq!(search(&book.state, &of_gate).unwrap(), found);
    restore(&book.project, &book.state, &story(&by_link), now()).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"old");
    assert_eq!(all(&book).len(), 1, "what is new has the new name");
    assert_eq!(entries(&book.state, &LINKED.into()).unwrap().len(), 2);
    restore_entry(&book.project, &book.state, &found[0], Over::Any, now()).unwrap();
    assert_eq!(forget(&book.state, Some(&LINKED.into())).unwrap().entries, 4);
    assert!(search(&book.state, &Search::default()).unwrap().is_empty());
}

#[test]
fn a_record_of_somebody_elses_is_noted_once() {
    let book = Sandbox::new();
    book.put_packet(PATH);
    assert!(!see(&book.state, &load(&book), now()).unwrap(), "nothing is there");
    put_record(&book, "theirs");
    assert!(see(&book.state, &load(&book), now()).unwrap());
    assert!(!see(&book.state, &load(&book), now()).unwrap());
    put_record(&book, "theirs, again");
    assert!(see(&book.state, &load(&book), now()).unwrap());
    redo(&book.project, &book.state, &load(&book), now()).unwrap();
    put_record(&book, "theirs, again");
    assert!(see(&book.state, &load(&book), now()).unwrap(), "it is there again");
    assert_eq!(told(&book), [("seen", true), ("seen", true), ("redone", true), ("seen", true)]);
}

#[test]
fn a_scan_is_noted_without_reading_what_was_noted() {
    use crate::store::scan::Scanner;
    let book = Sandbox::new();
    book.put_packet(PATH);
    put_record(&book, "theirs");
    let project = std::sync::Arc::new(Project::open(book.project.root()).unwrap());
    let mut scanner = Scanner::new(std::sync::Arc::clone(&project));
    scanner.look(SystemTime::now() + Duration::from_hours(1), &mut |_| {});
    let see_all = || see_gates(&project, &book.state, &scanner.entries(), now()).unwrap();
    assert_eq!((see_all(), see_all()), (1, 0));
    forget(&book.state, None).unwrap();
    assert_eq!(see_all(), 0, "its time is known, so it is not even read");
    fs::remove_file(book.state.histories_dir().join("seen")).unwrap();
    assert_eq!(see_all(), 0, "it was erased on purpose");
    fs::remove_file(book.state.histories_dir().join("forgotten")).unwrap();
    fs::remove_file(book.state.histories_dir().join("seen")).unwrap();
    assert_eq!(see_all(), 1);
}

#[test]
fn of_very_many_records_the_newest_are_copied() {
    use crate::store::scan::Scanner;
    use crate::store::testing::packet_json;
    const OLDER: &str = "staging/answers/b.json";
    let book = Sandbox::new();
    book.put_packet(PATH);
    put_record(&book, "newer");
    book.put("staging/manifests/older.packet.json", packet_json(OLDER));
    let older = book.put(OLDER, answers("older").to_json());
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    fs::File::options().write(true).open(older).unwrap().set_modified(hour_ago).unwrap();
    let project = std::sync::Arc::new(Project::open(book.project.root()).unwrap());
    let mut scanner = Scanner::new(std::sync::Arc::clone(&project));
    scanner.look(SystemTime::now() + Duration::from_hours(1), &mut |_| {});
    let see = |most, batch| {
        super::seen::see_at_most((most, batch), (&project, &book.state), &scanner.entries(), now()).unwrap()
    };
    let looked = |noted, more| Looked { noted, more };
    assert_eq!((see(1, 1), see(1, 1)), (looked(1, false), looked(0, false)));
    assert_eq!(told(&book), [("seen", true)]);
    assert!(entries(&book.state, &OLDER.into()).unwrap().is_empty());
    // In batches none is left out.
    fs::remove_file(book.state.histories_dir().join("seen")).unwrap();
    forget(&book.state, None).unwrap();
    fs::remove_file(book.state.histories_dir().join("forgotten")).unwrap();
    let first = see(2, 1);
    assert_eq!((first, see(2, 1), see(2, 1)), (looked(1, true), looked(1, false), looked(0, false)));
    assert_eq!(entries(&book.state, &OLDER.into()).unwrap().len(), 1);
}
