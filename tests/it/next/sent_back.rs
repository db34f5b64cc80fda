//! A gate that the author sends back, through an executor's dialogs or meanwhile.

use super::{PACKET, RECORD, book, call, choice, json, next, record, replies};
use crate::project::Book;
use serde_json::{Value, json as value};
use std::fs;

/// A project with a packet that asks for a verdict.
fn verdict() -> Book {
    let mut question = choice("verdict", &["keep"]);
    question["_sends_back"] = value!([{"label": "redo", "description": "write it anew"}]);
    book(&value!([question]))
}

fn rounds(book: &Book) -> String {
    fs::read_to_string(book.root().join(RECORD.replace(".answers.json", ".rounds.jsonl"))).unwrap_or_default()
}

/// The first call, and the reply that chooses the label that sends back.
fn chosen(book: &Book, executor: &str, more: &[&str]) -> Value {
    let first = json(&next(book, executor, more));
    assert!(first.to_string().contains("write it anew (sends it back)"), "{first}");
    let reply = ["--call", call(&first), "--answer", "verdict=redo"];
    json(&next(book, executor, &[&reply, more].concat()))
}

#[test]
fn a_label_that_sends_back_is_no_answer() {
    for executor in ["claude-code", "codex", "json-contract"] {
        let book = verdict();
        let end = if executor == "json-contract" {
            let first = json(&next(&book, executor, &["--write"]));
            assert!(first.to_string().contains("write it anew (sends it back)"), "{first}");
            let reply = r#"{"answers": {"verdict": "redo"}}"#;
            json(&next(&book, executor, &["--call", call(&first), "--text", reply, "--write"]))
        } else {
            chosen(&book, executor, &["--write"])
        };
        assert_eq!((&end["status"], &end["exit"]), (&"sent-back".into(), &8.into()), "{end}");
        assert_eq!((&end["sent_back"]["choice"], record(&book)), (&"redo".into(), None));
        assert!(rounds(&book).contains(r#""by": "next""#), "{}", rounds(&book));
        assert!(
            replies(&book).lines().last().expect("replies").contains("written"),
            "the dialogue is closed"
        );
        let again = json(&next(&book, executor, &["--write"]));
        assert_eq!(again["status"], "sent-back", "until it changes");
        assert_eq!(book.run(&["answer", PACKET, "--take-back"]).exit, 0);
        let anew = json(&next(&book, executor, &["--write"]));
        assert_eq!(anew["status"], "ask", "{anew}");
    }
}

/// A reply is about the text that was there when it was asked for.
#[test]
fn a_text_that_changes_under_the_dialogue_is_not_approved() {
    let book = verdict();
    let text = "staging/chapters/chapter-001.md";
    let packet = fs::read_to_string(book.root().join(PACKET)).expect("a packet");
    book.put(
        PACKET,
        &packet.replacen('{', r#"{"expected_outputs": [{"path": "chapters/chapter-001.md"}],"#, 1),
    );
    book.put(text, "rain");
    let first = json(&next(&book, "claude-code", &["--write"]));
    book.put(text, "snow");
    let late =
        json(&next(&book, "claude-code", &["--call", call(&first), "--answer", "verdict=keep", "--write"]));
    assert_eq!((&late["exit"], record(&book)), (&2.into(), None), "{late}");
    let anew = json(&next(&book, "claude-code", &["--write"]));
    assert_eq!(anew["status"], "ask", "{anew}");
    let done =
        json(&next(&book, "claude-code", &["--call", call(&anew), "--answer", "verdict=keep", "--write"]));
    assert_eq!((&done["status"], record(&book).is_some()), (&"done".into(), true), "{done}");
}

#[test]
fn without_write_nothing_is_sent_back() {
    let book = verdict();
    let end = chosen(&book, "claude-code", &[]);
    assert_eq!((&end["status"], &end["exit"]), (&"sent-back".into(), &8.into()), "{end}");
    assert_eq!((record(&book), rounds(&book).as_str()), (None, ""));
}

#[test]
fn a_gate_that_is_sent_back_meanwhile_takes_no_reply() {
    let book = verdict();
    let first = json(&next(&book, "claude-code", &["--write"]));
    assert_eq!(book.run(&["answer", PACKET, "--by", "human", "--send-back", "not now"]).exit, 0);
    let reply = ["--call", call(&first), "--answer", "verdict=keep", "--write"];
    let end = json(&next(&book, "claude-code", &reply));
    assert_eq!((&end["status"], &end["sent_back"]["reason"]), (&"sent-back".into(), &"not now".into()));
    assert_eq!((record(&book), replies(&book).as_str()), (None, ""));
}
