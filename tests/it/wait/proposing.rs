//! A question to which the executor is to propose options first.

use super::{Book, waiting};
use std::fs;

const STEP: &str = "chapter:001:draft";
const PACKET: &str = "staging/manifests/a.packet.json";

/// A book that wants two rounds of options, and the packet of the step.
fn book() -> Book {
    let book = Book::new();
    let way = serde_json::json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [{"id": "way", "header": "h",
        "question": "q", "kind": "single_choice", "required": true, "options": [{"label": "own", "description": "d"}],
        "allow_other": true, "_propose": {"brief": "two ways", "options": 2, "rounds": 2}}]});
    book.put("questions/way.question.json", &way.to_string());
    book.put(PACKET, &serde_json::json!({ "step": STEP }).to_string());
    book
}

#[test]
fn it_ends_at_once_with_what_to_propose_and_is_told_once() {
    let book = book();
    let outcome = book.run(&["wait", STEP]);
    let says = format!(
        "way: propose 2 options first, then wait. The author wants: two ways — novel-gate propose {PACKET} --question way --option 'LABEL=DESCRIPTION' …\n"
    );
    assert_eq!((outcome.exit, outcome.out, outcome.err), (3, says.clone(), String::new()));
    // Whoever cannot propose waits for the author all the same, and is reminded at each end.
    let late = book.run(&["wait", STEP, "--timeout", "0"]);
    assert!(late.exit == 7 && late.err.contains(&says), "{}", late.err);
    let running = waiting(&book, &["wait", STEP, "--json"]);
    let refused = book.run(&["answer", STEP, "--by", "human", "--send-back", "show me some"]);
    assert_eq!(refused.exit, 0, "{}", refused.err);
    let json = running.end().json();
    assert_eq!((&json["exit"], &json["records"][0]["propose"][0]["round"]), (&8.into(), &1.into()));
    assert_eq!(book.run(&["propose", STEP, "--option", "a=b", "--option", "c=d"]).exit, 0);
    let running = waiting(&book, &["wait", STEP]);
    assert_eq!(book.run(&["answer", STEP, "--by", "human", "--send-back", "too flat"]).exit, 0);
    let outcome = running.end();
    assert!(outcome.exit == 8 && outcome.out.contains("(round 2 of 2)"), "{}", outcome.out);
    // The refusal has said what to propose.
    let running = waiting(&book, &["wait", STEP]);
    assert_eq!(book.run(&["propose", STEP, "--option", "e=f"]).exit, 0);
    assert_eq!(book.run(&["answer", STEP, "--by", "human", "--set", "way=c"]).exit, 0);
    let outcome = running.end();
    assert!(outcome.exit == 0 && outcome.err.contains("> Answer: c — d"), "{}", outcome.err);
}

#[test]
fn whoever_proposes_without_having_heard_a_refusal_hears_it_first() {
    let book = book();
    assert_eq!(book.run(&["propose", STEP, "--option", "a=b"]).exit, 0);
    assert_eq!(book.run(&["answer", STEP, "--by", "human", "--send-back", "too flat"]).exit, 0);
    let line = ["propose", STEP, "--option", "c=d"];
    let unheard = book.run(&line);
    let says = ["> Reason: too flat", "(round 2 of 2)", "novel-gate wait"];
    assert!(unheard.exit == 8 && says.iter().all(|words| unheard.err.contains(words)), "{}", unheard.err);
    assert_eq!(book.run(&line).exit, 0);
    // It is heard, and answered: the author is asked anew.
    assert_eq!(book.run(&["wait", STEP, "--timeout", "0"]).exit, 7);
    let check = book.run(&["check", STEP, "--json"]).json();
    assert_eq!((&check["status"], check["exit"].as_i64()), (&"waiting".into(), Some(3)));
}

#[test]
fn of_several_gates_those_that_are_open_or_refused_count_more() {
    let book = book();
    book.put_packet("b", super::A);
    book.put(super::A, Book::RECORD);
    assert_eq!(book.run(&["wait", "a", "b", "--any"]).exit, 0);
    let json = book.run(&["wait", "a", "b", "--json"]).json();
    assert_eq!((&json["status"], &json["exit"]), (&"propose".into(), &3.into()));
    assert_eq!(json["records"][0]["propose"][0]["question"], "way");
    assert_eq!(json["records"][1]["propose"], serde_json::Value::Null);
}

#[test]
fn what_cannot_be_noted_is_told_and_told_again() {
    let book = book();
    let rounds = "staging/novel-ask/way-chapter-001-draft.rounds.jsonl";
    book.put(rounds, "{\"somebody\": \"else\"}\n");
    for _ in 0..2 {
        let outcome = book.run(&["wait", STEP]);
        assert!(outcome.exit == 3 && outcome.err.contains("could not be noted"), "{}", outcome.err);
    }
    assert_eq!(fs::read_to_string(book.root().join(rounds)).expect("a text"), "{\"somebody\": \"else\"}\n");
}
