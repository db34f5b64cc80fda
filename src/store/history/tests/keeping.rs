//! Noting what others wrote, and what happens where nothing can be noted.

use super::*;

#[test]
fn what_was_put_back_is_there_although_the_history_cannot_be_told() {
    let book = Sandbox::new();
    let (gate, text) = (gate(PATH), "long ".repeat(9_999));
    book.put(PATH, &text);
    book.history(now()).remove(&story(&gate), None).unwrap();
    book.state.fill_disk();
    let moved = book.history(now()).restore(&story(&gate)).unwrap();
    assert_eq!(fs::read_to_string(book.at(PATH)).unwrap(), text);
    assert!(moved.unnoted.is_some());
}

#[test]
fn a_full_disk_leaves_the_record_where_it_is() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    let text = "long ".repeat(9_999);
    drop(add(&book.state, &story(&gate), &Note { reason: Reason::Seen, of: None, bytes: b"x" }, now()));
    book.put(PATH, &text);
    book.state.fill_disk();
    let fault = book.history(now()).remove(&story(&gate), None).unwrap_err();
    assert_eq!(fault.error().code, "history-failed");
    assert!(fault.error().to_string().contains("the disk is full"), "{}", fault.error());
    assert_eq!(fs::read_to_string(book.at(PATH)).unwrap(), text);
    assert_eq!((all(&book).len(), book.names("staging/answers").len()), (1, 1));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn one_place_has_one_history_through_links_too() {
    const LINKED: &str = "way/answers/a.json";
    let book = Sandbox::new();
    book.put(PATH, "old");
    symlink("staging", book.at("way")).unwrap();
    let by_link = gate(LINKED);
    book.history(now()).remove(&story(&by_link), None).unwrap();
    assert_eq!(all(&book).len(), 1);
    let of_gate = Search { answer_path: Some(LINKED.into()), ..Search::default() };
    assert!(search(&book.state, &of_gate).unwrap().entries(&book.state).map(Result::unwrap).eq(all(&book)));
    book.history(now()).restore(&story(&by_link)).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"old");
    assert_eq!(forget(&book.state, Some(&PATH.into())).unwrap().entries, 2);
}

#[test]
fn undo_passes_over_an_entry_that_is_taken_back_at_that_moment() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, "kept");
    book.history(now()).remove(&story(&gate), None).unwrap();
    let note = Note { reason: Reason::Redone, of: None, bytes: b"changed meanwhile" };
    let noted = add(&book.state, &story(&gate), &note, now()).unwrap();
    let is_there = || {
        note::take_back(&noted);
        false
    };
    let (_, bytes) = removal::last_kept(&book.state, &gate.answer_path, is_there).unwrap();
    assert_eq!(bytes, b"kept");
}

#[test]
fn undo_takes_what_went_last_whatever_the_clock_says() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    for (text, at) in [("first", now()), ("second", now() - Duration::from_hours(9_999))] {
        book.put(PATH, text);
        book.history(at).remove(&story(&gate), None).unwrap();
    }
    assert_eq!(
        search(&book.state, &Search::default())
            .unwrap()
            .entries(&book.state)
            .next()
            .unwrap()
            .unwrap()
            .bytes()
            .unwrap(),
        b"second"
    );
    book.history(now()).restore(&story(&gate)).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"second");
}

#[test]
fn an_entry_that_cannot_be_understood_is_not_passed_over() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    for text in ["first", "second"] {
        book.put(PATH, text);
        book.history(now()).remove(&story(&gate), None).unwrap();
    }
    let sql = "UPDATE entries SET reason = 'unheard of' WHERE seq = (SELECT max(seq) FROM entries)";
    book.state.write(|state| state.execute(sql, [])).unwrap();
    let fault = book.history(now()).restore(&story(&gate)).unwrap_err();
    assert_eq!(fault.error().code, "history-unreadable");
    assert!(!book.at(PATH).exists(), "an older record is not put there instead");
    assert_eq!(search(&book.state, &Search::default()).unwrap().damaged, 1);
}

/// Empties tables.
fn clear(book: &Sandbox, tables: &[&str]) {
    for table in tables {
        book.state.write(|state| state.execute(&format!("DELETE FROM {table}"), [])).unwrap();
    }
}

#[test]
fn a_record_of_somebody_elses_is_noted_once() {
    let book = Sandbox::new();
    book.put_packet(PATH);
    assert!(!book.history(now()).see(&load(&book)).unwrap(), "nothing is there");
    put_record(&book, "theirs");
    assert!(book.history(now()).see(&load(&book)).unwrap());
    assert!(!book.history(now()).see(&load(&book)).unwrap());
    put_record(&book, "theirs, again");
    assert!(book.history(now()).see(&load(&book)).unwrap());
    book.history(now()).redo(&load(&book)).unwrap();
    put_record(&book, "theirs, again");
    assert!(book.history(now()).see(&load(&book)).unwrap(), "it is there again");
    assert_eq!(told(&book), [("seen", true), ("seen", true), ("redone", true), ("seen", true)]);
}

#[test]
fn a_record_that_was_read_before_a_newer_one_was_noted_is_not_noted_after_it() {
    let book = Sandbox::new();
    book.put_packet(PATH);
    put_record(&book, "older");
    let older = load(&book);
    put_record(&book, "newer");
    assert!(book.history(now()).see(&load(&book)).unwrap());
    assert!(!book.history(now()).see(&older).unwrap());
    let newest = newest(&book.state, &PATH.into(), |_| true).unwrap().unwrap();
    assert_eq!(newest.bytes().unwrap(), load(&book).record.bytes);
}

#[test]
fn a_scan_is_noted_without_reading_what_was_noted() {
    use crate::store::scan::Scanner;
    let book = Sandbox::new();
    book.put_packet(PATH);
    put_record(&book, "theirs");
    let project = std::sync::Arc::new(Project::open(book.project.root()).unwrap());
    let mut scanner = Scanner::new(std::sync::Arc::clone(&project));
    scanner.look(SystemTime::now() + Duration::from_hours(1));
    let history = History { project: &project, ..book.history(now()) };
    let see_all = || history.see_at_most(500, 500, &scanner.entries()).unwrap().0;
    assert_eq!((see_all(), see_all()), (1, 0));
    forget(&book.state, None).unwrap();
    assert_eq!(see_all(), 0, "its time is known, so it is not even read");
    clear(&book, &["seen"]);
    assert_eq!(see_all(), 0, "it was erased on purpose");
    clear(&book, &["seen", "forgotten"]);
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
    scanner.look(SystemTime::now() + Duration::from_hours(1));
    let history = History { project: &project, ..book.history(now()) };
    let see = |most, batch| history.see_at_most(most, batch, &scanner.entries()).unwrap();
    assert_eq!((see(1, 1), see(1, 1)), ((1, false), (0, false)));
    assert_eq!(told(&book), [("seen", true)]);
    assert!(entries(&book.state, &OLDER.into()).unwrap().is_empty());
    // In batches none is left out.
    forget(&book.state, None).unwrap();
    clear(&book, &["seen", "forgotten"]);
    let first = see(2, 1);
    assert_eq!((first, see(2, 1), see(2, 1)), ((1, true), (1, false), (0, false)));
    assert_eq!(entries(&book.state, &OLDER.into()).unwrap().len(), 1);
}

#[test]
fn what_is_noted_in_batches_stands_in_one_order() {
    use crate::store::scan::Scanner;
    use crate::store::testing::packet_json;
    let book = Sandbox::new();
    for name in ["a", "b", "c", "d", "e"] {
        let path = format!("staging/answers/{name}.json");
        book.put(&format!("staging/manifests/{name}.packet.json"), packet_json(&path));
        book.put(&path, answers(name).to_json());
    }
    let project = std::sync::Arc::new(Project::open(book.project.root()).unwrap());
    let mut scanner = Scanner::new(std::sync::Arc::clone(&project));
    scanner.look(SystemTime::now() + Duration::from_hours(1));
    let history = History { project: &project, ..book.history(now()) };
    let order = |batch| {
        while history.see_at_most(500, batch, &scanner.entries()).unwrap().1 {}
        let found = search(&book.state, &Search::default()).unwrap();
        let found: Vec<_> = found.entries(&book.state).map(Result::unwrap).collect();
        clear(&book, &["entries", "records", "words", "seen", "forgotten"]);
        found.into_iter().map(|entry| entry.answer_path).collect::<Vec<_>>()
    };
    let at_once = order(500);
    assert_eq!(at_once.len(), 5);
    assert_eq!((order(1), order(2)), (at_once.clone(), at_once));
}
