//! Replies that no dialog of today gives, but a tool may one day.

use super::{ask, book, call, choice, json, next, record, text};
use serde_json::Value;
use std::fs;

#[test]
fn a_label_that_was_not_offered_is_rejected_and_asked_again() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    let again = ask(&book, "codex", &["--call", call(&first), "--answer", "place=elsewhere"]);
    assert_eq!(again["rejected"], json!([{"id": "place", "code": "not_an_option"}]));
    let done = json(&next(&book, "codex", &["--call", call(&again), "--answer", "place=b"]));
    assert_eq!(done["answers"], json!({"place": "b"}));
}

#[test]
fn half_a_character_in_a_message_stays_with_all_that_stands_around_it() {
    let book = book(&json!([text("why")]));
    let first = ask(&book, "claude-code", &[]);
    let second = ask(&book, "claude-code", &["--call", call(&first), "--answer", "why=__type__"]);
    let reply = format!(r#"{{"call":"{}","text":" half \ud83d "}}"#, call(&second));
    let done = next(&book, "claude-code", &["--reply", &reply, "--write"]);
    assert_eq!(done.exit, 0, "{}", done.out);
    let written = record(&book).expect("a record");
    assert!(written.contains(r#""why": " half \ud83d ""#), "{written}");
}

#[test]
fn a_run_of_a_document_is_closed_by_no_record() {
    let book = book(&json!([text("why")]));
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-packets/canonical/ending-mood.json");
    book.put("document.json", &fs::read_to_string(sample).expect("a sample"));
    let line = ["next", "document.json", "--for", "codex", "--replies", "r.jsonl"];
    let first: Value = json(&book.run(&line));
    let hash = "0".repeat(64);
    let forged = format!("{{\"call\":\"{}\",\"written\":\"{hash}\"}}\n", call(&first));
    book.put("r.jsonl", &forged);
    let refused = json(&book.run(&line));
    assert_eq!((&refused["exit"], &refused["code"]), (&json!(2), &json!("invalid_reply")), "{refused}");
    assert_eq!(super::replies(&book), forged);
}
