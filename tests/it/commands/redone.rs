//! Records that are replaced, moved into the history and brought back.

use super::{Book, NAME, RECORD, packet};
use serde_json::json;
use std::fs;

#[test]
fn a_record_is_replaced_only_if_it_is_the_one_that_was_meant() {
    let book = Book::new();
    book.put(RECORD, "torn");
    let line = ["answer", NAME, "--defaults", "--by", "x", "--json"];
    let exists = book.run(&line).json();
    assert_eq!((&exists["exit"], &exists["valid"]), (&json!(6), &json!(false)));
    let hash = exists["sha256"].as_str().expect("a hash").to_owned();
    let wrong = format!("--replace={}", "0".repeat(64));
    assert_eq!(book.run(&[&line[..], &[&wrong]].concat()).exit, 6);
    assert_eq!(fs::read(book.root().join(RECORD)).expect("a record"), b"torn");
    // A variable that was never set is no leave to replace anything.
    for none in ["--replace=", "--replace=0", "--replace=null"] {
        let told = book.run(&[&line[..], &[none]].concat());
        assert_eq!((told.exit, told.json()["at"].as_str()), (2, Some("--replace")), "{none}");
        assert_eq!(fs::read(book.root().join(RECORD)).expect("a record"), b"torn");
    }
    let bad = book.run(&["answer", NAME, "--set", "platform=x", "--by", "x", "--replace"]);
    assert_eq!(bad.exit, 4);
    assert_eq!(fs::read(book.root().join(RECORD)).expect("a record"), b"torn");

    assert_eq!(book.run(&[&line[..], &[&format!("--replace={hash}")]].concat()).exit, 0);
    assert_eq!(book.run(&["check", NAME]).exit, 0);
    fs::remove_file(book.root().join(RECORD)).expect("a record");
    // What went last comes back: the one that was deleted by hand.
    assert_eq!(book.run(&["redo", NAME, "--undo"]).exit, 0);
    assert_eq!(book.run(&["check", NAME]).exit, 0);
    let kept = book.run(&["history", NAME, "--json"]).json();
    assert_eq!(kept["entries"][2]["sha256"], hash, "and the torn one is kept");
}

#[test]
fn redo_takes_packets_and_records_and_undo_brings_the_bytes_back() {
    let book = Book::new();
    assert_eq!(book.run(&["redo", NAME, "--json"]).json()["exit"], 3);
    for target in [NAME, RECORD, "staging/novel-ask/a.answers.json"] {
        book.put(RECORD, b"exactly \xFF these");
        let removed = book.run(&["redo", target, "--json"]).json();
        assert_eq!((&removed["exit"], &removed["status"]), (&json!(0), &json!("removed")), "{target}");
        assert_eq!(book.run(&["check", NAME]).exit, 3);
        let restored = book.run(&["redo", "--undo", target, "--json"]).json();
        assert_eq!((&restored["exit"], &restored["status"]), (&json!(0), &json!("restored")), "{target}");
        assert_eq!(fs::read(book.root().join(RECORD)).expect("a record"), b"exactly \xFF these");
        assert_eq!(book.run(&["redo", "--undo", target]).exit, 3, "{target}: only once");
    }
    book.run(&["redo", NAME]);
    book.put(RECORD, "new");
    assert_eq!(book.run(&["redo", NAME, "--undo"]).exit, 6);
    assert_eq!(fs::read(book.root().join(RECORD)).expect("a record"), b"new");
}

#[test]
fn redo_never_removes_what_is_no_record() {
    let book = Book::new();
    book.put("chapters/048.md", "# 第四十八章");
    book.put("settings.json", r#"{"answers": "no"}"#);
    for target in ["chapters/048.md", "settings.json", "."] {
        assert_ne!(book.run(&["redo", target]).exit, 0, "{target}");
    }
    assert!(book.root().join("chapters/048.md").exists() && book.root().join("settings.json").exists());
    // A record whose packet is gone is still a record.
    book.put("old.json", r#"{"answers": {}, "answered_by": "x"}"#);
    assert_eq!(book.run(&["redo", "old.json"]).exit, 0);
    assert!(!book.root().join("old.json").exists());
}

#[test]
fn a_record_comes_back_though_nothing_asks_for_it_and_its_directory_is_gone() {
    let book = Book::new();
    let record = r#"{"answers": {}, "answered_by": "x"}"#;
    book.put("old/a.json", record);
    assert_eq!(book.run(&["redo", "old/a.json"]).exit, 0);
    fs::remove_dir(book.root().join("old")).expect("an empty directory");
    assert_eq!(book.run(&["redo", "old/a.json"]).exit, 1, "nothing is there to remove");
    assert_eq!(book.run(&["redo", "--undo", "old/a.json"]).exit, 0);
    assert_eq!(fs::read(book.root().join("old/a.json")).expect("a record"), record.as_bytes());
}

#[test]
fn a_packet_of_another_name_is_no_record_to_move() {
    const OTHER: &str = "staging/other.json";
    let book = Book::new();
    book.put("staging/manifests/b.packet.json", packet(OTHER).to_string());
    book.put(OTHER, packet("staging/third.json").to_string());
    let name = "staging/manifests/b.packet.json";
    let check = book.run(&["check", name, "--json"]);
    assert_eq!((check.exit, &check.json()["refusal"]), (4, &json!("packet")));
    for line in [vec!["redo", name], vec!["answer", name, "--defaults", "--by", "x", "--replace"]] {
        let outcome = book.run(&line);
        assert_eq!(outcome.exit, 5, "{line:?}: {}", outcome.err);
    }
    assert!(book.root().join(OTHER).exists());
}
