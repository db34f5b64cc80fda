//! `wait`, through the built binary.

mod proposing;
mod refused;
mod release;
mod tested;
mod trouble;

use super::project::{Book, Running};
use crate::system::Signal;
use std::fs;
use std::time::{Duration, Instant};

const A: &str = "staging/novel-ask/a.json";

fn waiting(book: &Book, line: &[&str]) -> Running {
    let running = book.start(line);
    running.wait_until_asleep();
    running
}

#[test]
fn an_open_gate_is_not_waited_for_and_its_bytes_are_exact() {
    let book = Book::new();
    book.put_packet("a", A).put(A, Book::RECORD);
    let outcome = book.run(&["wait", "a"]);
    assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD));
    book.put("staging/manifests/free.packet.json", "{}");
    let outcome = book.run(&["wait", "staging/manifests/free.packet.json"]);
    assert_eq!((outcome.exit, outcome.out.as_str()), (0, ""));
}

/// Whoever waits hands the decisions on, and that he has them is noted once for each record.
#[test]
fn what_was_decided_stands_on_standard_error_and_is_noted_beside_the_record() {
    let book = Book::new();
    book.put_packet("a", A).put(A, Book::RECORD);
    let told = book.run(&["decisions", "a"]).out;
    assert!(told.contains("\n> Answer: x\n</author-decisions>\n"), "{told}");
    let rounds = book.root().join("staging/novel-ask/a.rounds.jsonl");
    assert!(!rounds.exists(), "who asks for the words alone has not handed them on");
    for _ in 0..2 {
        assert_eq!(book.run(&["wait", "a"]).err, told);
    }
    let lines = fs::read_to_string(&rounds).expect("noted");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(
        lines.starts_with("{\"event\": \"told\", \"at\": \"") && lines.contains("\"by\": \"wait\""),
        "{lines}"
    );
    book.put(A, &Book::RECORD.replace("human", "codex"));
    let json = book.run(&["wait", "a", "--json"]).out;
    assert!(json.contains("> Answer: x") && json.contains("\"decisions\""), "{json}");
    assert_eq!(fs::read_to_string(&rounds).expect("noted").lines().count(), 2);
}

#[test]
fn it_wakes_when_the_record_is_written_in_place_renamed_or_linked() {
    for how in ["write", "rename", "link"] {
        let book = Book::new();
        book.put_packet("a", A).put("staging/novel-ask/.tmp", Book::RECORD);
        let running = waiting(&book, &["wait", "step:a"]);
        let (temp, record) = (book.root().join("staging/novel-ask/.tmp"), book.root().join(A));
        match how {
            "write" => fs::write(record, Book::RECORD).expect("written"),
            "rename" => fs::rename(temp, record).expect("renamed"),
            _ => fs::hard_link(temp, record).expect("linked"),
        }
        let outcome = running.end();
        assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD), "{how}: {}", outcome.err);
    }
}

#[test]
fn directories_that_do_not_exist_yet_are_no_obstacle() {
    let book = Book::new();
    book.put_packet("a", "answers/deep/er/a.json");
    let running = waiting(&book, &["wait", "a"]);
    book.put("answers/deep/er/a.json", Book::RECORD);
    assert_eq!(running.end().exit, 0);
}

#[test]
fn a_directory_that_is_replaced_is_no_obstacle() {
    let book = Book::new();
    book.put_packet("a", A).put("staging/novel-ask/other", "");
    let running = waiting(&book, &["wait", "a"]);
    fs::remove_dir_all(book.root().join("staging/novel-ask")).expect("removed");
    book.put(A, Book::RECORD);
    assert_eq!(running.end().exit, 0);
}

#[test]
fn an_invalid_record_is_reported_once_and_waited_for() {
    let book = Book::new();
    book.put_packet("a", A).put(A, "[]");
    let mut running = book.start(&["wait", "a"]);
    running.wait_for_warning("invalid");
    // The same bytes again say nothing new; other bytes do.
    book.put(A, "[]");
    book.put(A, "[0]");
    book.put(A, r#"{"version": 2}"#);
    running.wait_for_warning("/version");
    assert!(!running.has_ended());
    book.remove(A);
    book.put(A, Book::RECORD);
    let outcome = running.end();
    assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD));
    let reports = outcome.err.matches("the record is invalid").count();
    assert!((2..=3).contains(&reports), "{}", outcome.err);
}

#[test]
fn a_packet_that_is_named_twice_is_one_packet() {
    let book = Book::new();
    book.put_packet("a", A).put(A, "[]");
    let line = ["wait", "a", "staging/../staging/manifests/a.packet.json", "--timeout", "0"];
    let closed = book.run(&line);
    assert_eq!((closed.exit, closed.err.matches("the record is invalid").count()), (7, 1), "{}", closed.err);
    book.put(A, Book::RECORD);
    let open = book.run(&line);
    assert_eq!((open.exit, open.out.as_str()), (0, Book::RECORD));
}

#[test]
fn a_torn_record_is_not_reported_before_it_stands_still() {
    let book = Book::new();
    book.put_packet("a", A);
    let running = waiting(&book, &["wait", "a"]);
    for end in [0, 10, 60] {
        book.put(A, &Book::RECORD[..end]);
    }
    book.put(A, Book::RECORD);
    let outcome = running.end();
    assert!(outcome.exit == 0 && !outcome.err.contains("invalid"), "{}", outcome.err);

    book.put(A, &Book::RECORD[..60]);
    let mut running = book.start(&["wait", "a"]);
    running.wait_for_warning("the record is invalid");
}

#[test]
fn several_are_waited_for_together_or_for_any() {
    let book = Book::new();
    book.put_packet("a", A).put_packet("b", "staging/novel-ask/b.json").put(A, Book::RECORD);
    let outcome = book.run(&["wait", "--any", "b", "a"]);
    assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD));
    let running = waiting(&book, &["wait", "b", "a"]);
    let second = Book::RECORD.replace('x', "y");
    book.put("staging/novel-ask/b.json", &second);
    let outcome = running.end();
    assert_eq!((outcome.exit, outcome.out), (0, format!("{second}{}", Book::RECORD)));
}

#[test]
fn one_that_is_open_counts_more_than_one_that_is_malformed_where_any_is_enough() {
    let book = Book::new();
    book.put_packet("a", A).put_packet("bad", "../outside.json").put(A, Book::RECORD);
    for packets in [["a", "bad"], ["bad", "a"]] {
        let outcome = book.run(&["wait", "--any", packets[0], packets[1]]);
        assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD), "{}", outcome.err);
        assert_eq!(book.run(&["wait", packets[0], packets[1]]).exit, 5);
    }
}

#[test]
fn programs_get_one_object_with_the_records() {
    let book = Book::new();
    book.put_packet("a", A).put(A, Book::RECORD);
    let json = book.run(&["wait", "a", "--json"]).json();
    assert_eq!(json["status"], "open");
    let record = &json["records"][0];
    assert_eq!((&record["status"], &record["answer_path"]), (&"open".into(), &A.into()));
    assert_eq!(record["record"]["answers"]["a"], "x");
    assert_eq!(record["record_sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn a_timeout_names_what_is_not_open() {
    let book = Book::new();
    book.put_packet("a", A);
    let start = Instant::now();
    let outcome = book.run(&["wait", "a", "--timeout", "20ms"]);
    assert!(start.elapsed() >= Duration::from_millis(20));
    assert_eq!((outcome.exit, outcome.out.as_str()), (7, ""));
    assert!(outcome.err.contains("staging/manifests/a.packet.json"), "{}", outcome.err);
    let json = book.run(&["wait", "a", "--timeout", "0", "--json"]).json();
    assert_eq!((&json["status"], &json["code"]), (&"timeout".into(), &"timed-out".into()));
    assert_eq!(json["records"][0]["status"], "waiting");
}

#[test]
fn a_malformed_packet_ends_it_and_a_missing_one_never_starts_it() {
    let book = Book::new();
    book.put_packet("a", "../outside.json");
    let outcome = book.run(&["wait", "a", "--json"]);
    assert_eq!((outcome.exit, &outcome.json()["status"]), (5, &"malformed".into()));
    assert_eq!(outcome.json()["problems"][0]["pointer"], "/answer_path");
    let outcome = book.run(&["wait", "a"]);
    assert_eq!((outcome.exit, outcome.out.as_str()), (5, ""));
    assert!(outcome.err.contains("/answer_path"));
    assert_eq!(book.run(&["wait", "nowhere", "--json"]).exit, 1);
    assert_eq!(book.run(&["wait"]).exit, 2);
}

#[test]
fn a_packet_that_changes_is_followed() {
    let book = Book::new();
    book.put_packet("a", A);
    let running = waiting(&book, &["wait", "staging/manifests/a.packet.json"]);
    book.put("staging/manifests/a.packet.json", "{");
    book.put_packet("a", "elsewhere/a.json");
    book.put("elsewhere/a.json", Book::RECORD);
    assert_eq!(running.end().exit, 0);
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn signals_end_it_with_their_number() {
    for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let book = Book::new();
        book.put_packet("a", A);
        let running = waiting(&book, &["wait", "a"]);
        running.signal(signal);
        let outcome = running.end();
        assert_eq!((outcome.exit, outcome.out.as_str()), (exit, ""), "{}", outcome.err);
    }
    let book = Book::new();
    book.put_packet("a", A);
    let running = waiting(&book, &["wait", "a", "--json"]);
    running.signal(Signal::TERM);
    let json = running.end().json();
    assert_eq!((&json["status"], &json["code"]), (&"interrupted".into(), &"signal".into()));
    assert_eq!(json["records"][0]["record"], serde_json::Value::Null);
}
