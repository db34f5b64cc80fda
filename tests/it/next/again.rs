//! The same replies file after the gate was redone, answered elsewhere or changed.

use super::{AT, PACKET, RECORD, ask, book, call, choice, json, next, record, replies};
use serde_json::Value;
use std::fs;

#[test]
fn after_a_redo_the_same_replies_file_asks_anew() {
    let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
    let answer = |first: &Value, place: &str, time: &str| -> Value {
        let more = ["--call", call(first), "--answer", place];
        let second = ask(&book, "codex", &more);
        json(&next(&book, "codex", &["--call", call(&second), "--answer", time, "--write"]))
    };
    let first = ask(&book, "codex", &[]);
    assert_eq!(answer(&first, "place=a", "time=c")["written"], true);
    assert_eq!(replies(&book).lines().count(), 3, "{}", replies(&book));
    assert_eq!(book.run(&["redo", PACKET]).exit, 0);
    // Nothing is answered until the author has answered again, though the old answers stand in the file.
    let again = ask(&book, "codex", &["--write"]);
    assert_eq!(
        (&again["asks"], &again["progress"]),
        (&json!(["place"]), &json!({"resolved": 0, "total": 2}))
    );
    assert_ne!(again["call"], first["call"]);
    assert_eq!(record(&book), None);
    assert_eq!(
        json(&next(&book, "codex", &["--call", call(&first), "--answer", "place=a"]))["code"],
        "stale_reply"
    );
    let done = answer(&again, "place=b", "time=c");
    assert_eq!(done["answers"], json!({"place": "b", "time": "c"}));
    assert_eq!(json(&next(&book, "codex", &[]))["already"], true);
    // Only the program closes a dialogue.
    assert_eq!(book.run(&["redo", PACKET]).exit, 0);
    let third = ask(&book, "codex", &[]);
    let forged = format!("{{\"call\":\"{}\",\"written\":\"0a\"}}", call(&third));
    assert_eq!(json(&next(&book, "codex", &["--reply", &forged]))["code"], "invalid_reply");
}

#[test]
fn a_record_given_elsewhere_closes_the_dialogue() {
    for answered in [&["place=a", "time=c"][..], &["place=a"]] {
        let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
        let mut last = ask(&book, "codex", &[]);
        for &answer in answered {
            last = json(&next(&book, "codex", &["--call", call(&last), "--answer", answer]));
        }
        book.put(
            RECORD,
            &json!({"version": 1, "topic": "t", "answers": {"place": "b", "time": "d"},
                    "answered_at": AT, "answered_by": "author"})
            .to_string(),
        );
        for _ in 0..2 {
            assert_eq!(json(&next(&book, "codex", &["--write"]))["already"], true);
            assert_eq!(replies(&book).lines().count(), answered.len() + 1, "{}", replies(&book));
        }
        assert_eq!(book.run(&["redo", PACKET]).exit, 0);
        // What was said before the author answered elsewhere is no answer any more.
        let again = ask(&book, "codex", &["--write"]);
        assert_eq!(again["progress"], json!({"resolved": 0, "total": 2}));
        assert_eq!(record(&book), None);
    }
}

#[test]
fn replies_about_one_gate_answer_no_other_that_asks_the_same() {
    let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
    let packet = fs::read_to_string(book.root().join(PACKET)).expect("read");
    book.put("staging/manifests/b.packet.json", &packet.replace(RECORD, "staging/novel-ask/b.answers.json"));
    let run = |packet: &str, more: &[&str]| {
        let line = ["next", packet, "--for", "codex", "--replies", "r.jsonl"];
        json(&book.run(&[&line, more].concat()))
    };
    let first = run(PACKET, &[]);
    run(PACKET, &["--call", call(&first), "--answer", "place=a"]);
    assert_eq!(run("staging/manifests/b.packet.json", &[])["code"], "stale_reply");
}

#[test]
fn replies_from_before_a_redo_answer_nothing() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    assert_eq!(
        json(&next(&book, "codex", &["--call", call(&first), "--answer", "place=a"]))["status"],
        "done"
    );
    // Meanwhile the author answers elsewhere, and takes it back.
    assert_eq!(book.run(&["answer", PACKET, "--set", "place=b", "--by", "human"]).exit, 0);
    book.set_age("r.jsonl", 1);
    assert_eq!(book.run(&["redo", PACKET]).exit, 0);
    let again = ask(&book, "codex", &["--write"]);
    assert_eq!((&again["asks"], &again["progress"]["resolved"]), (&json!(["place"]), &json!(0)));
    assert_eq!(record(&book), None);
    let done = json(&next(&book, "codex", &["--call", call(&again), "--answer", "place=b", "--write"]));
    assert_eq!(done["answers"], json!({"place": "b"}));
}

#[test]
fn a_changed_packet_or_profile_makes_the_replies_stale() {
    let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
    let first = ask(&book, "codex", &[]);
    ask(&book, "codex", &["--call", call(&first), "--answer", "place=a"]);
    let before = replies(&book);
    for more in [&["--max-questions", "2"][..], &["--exact-options", "3"], &["--on-escape", "defer"]] {
        let stale = json(&next(&book, "codex", more));
        assert_eq!((&stale["code"], &stale["at"]), (&json!("stale_reply"), &json!("r.jsonl:1 /call")));
        // To run the same again would not help: another way on is named.
        let message = stale["message"].as_str().expect("a message");
        assert!(message.contains("It is at r.jsonl:1: ") && message.contains("--replies"), "{message}");
    }
    assert_eq!(json(&next(&book, "claude-code", &[]))["code"], "stale_reply");
    let packet = fs::read_to_string(book.root().join(PACKET)).expect("read");
    // Layout and unknown members are no change; a word is.
    book.put(PACKET, &packet.replace("\"novel_ask\"", "\n \"_note\": 1, \"novel_ask\""));
    ask(&book, "codex", &[]);
    book.put(PACKET, &packet.replace("time?", "when?"));
    assert_eq!(json(&next(&book, "codex", &[]))["code"], "stale_reply");
    assert_eq!(replies(&book), before);
}
