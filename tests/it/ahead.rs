//! A standing question is answered before its step has a packet.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// A book that asks how each chapter ends, and for a verdict before it is committed.
fn book() -> Sandbox {
    let book = Sandbox::new();
    let end = json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "End", "questions": [
        {"id": "end", "header": "End", "question": "How does it end?", "kind": "free_text", "required": true}]});
    let verdict = json!({"_steps": ["chapter:*:commit"], "version": 1, "topic": "Verdict", "questions": [
        {"id": "keep", "header": "Keep", "question": "Keep it?", "kind": "single_choice", "required": true, "_opens_on": ["keep"],
            "options": [{"label": "keep", "description": "as it is"}, {"label": "again", "description": "anew"}]}]});
    book.put("questions/10-end.question.json", end.to_string());
    book.put("questions/20-keep.question.json", verdict.to_string());
    book.put("staging/manifests/.keep", "");
    book
}

fn ahead(book: &Sandbox, step: &str, more: &[&str]) -> Value {
    let arguments = [&["answer", "--ahead", step, "--by", "human", "--json"], more].concat();
    let ran = book.run(arguments);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn five_chapters_are_decided_ahead_and_written_without_a_wait() {
    let book = book();
    let chapters: Vec<String> = (1..=5).map(|number| format!("chapter:{number:03}:draft")).collect();
    for step in &chapters {
        let written = ahead(&book, step, &["--set", &format!("end=rain over {step}")]);
        assert_eq!((&written["status"], &written["packet"]), (&json!("written"), &json!(step)), "{written}");
        assert_eq!(written["next_question"], Value::Null);
    }
    for step in &chapters {
        let name = step.replace(':', "-");
        let packet = format!("staging/manifests/{name}.packet.json");
        let text = json!({"step": step, "agent": "chapter-writer", "manifest": {}, "expected_outputs": []})
            .to_string();
        book.put(&packet, &text);
        assert_eq!(book.run(["attach", step]).code, Some(0));
        assert_eq!(book.run(["check", step]).code, Some(0));
        assert_eq!(book.run(["wait", step, "--timeout", "0"]).code, Some(0));
        assert_eq!(book.read(&packet).expect("the packet"), text.as_bytes(), "it asks nothing");
        let told = book.run(["decisions", step]).stdout;
        assert!(told.contains(&format!("rain over {step}")), "{told}");
    }
}

#[test]
fn it_is_taken_back_and_answered_again_and_with_a_packet_it_is_an_ordinary_answer() {
    let book = book();
    let step = "chapter:007:draft";
    let set = |words: &'static str| ["--set", words];
    assert_eq!(ahead(&book, step, &set("end=one"))["status"], "written");
    assert_eq!(ahead(&book, step, &set("end=two"))["code"], "nothing-to-decide");
    assert_eq!(ahead(&book, step, &[&["--question", "10-end"][..], &set("end=two")].concat())["exit"], 6);
    let redone = book.run(["redo", step, "--question", "10-end"]);
    assert_eq!(redone.code, Some(0), "{redone:?}");
    let packet = "staging/manifests/chapter-007-draft.packet.json";
    book.put(packet, json!({"step": step, "manifest": {}, "expected_outputs": []}).to_string());
    assert_eq!(book.run(["attach", step]).code, Some(0));
    let written = ahead(&book, step, &set("end=three"));
    assert_eq!((&written["status"], &written["packet"]), (&json!("written"), &json!(packet)));
    assert_eq!(book.run(["check", step]).code, Some(0));
}

#[test]
fn what_cannot_be_decided_ahead_says_why() {
    let book = book();
    let code = |step: &str, more: &[&str]| {
        let said = ahead(&book, step, &[more, &["--set", "end=x"]].concat());
        assert_eq!(said["exit"], 2, "{said}");
        said["code"].as_str().expect("a code").to_owned()
    };
    assert_eq!(code("chapter:001:commit", &["--question", "20-keep"]), "verdict");
    assert_eq!(code("chapter:001:commit", &[]), "nothing-to-decide");
    assert_eq!(code("chapter:001:draft", &["--question", "20-keep"]), "no-question");
    assert_eq!(code("chapter:001:nothing", &[]), "no-step");
    book.run(["questions", "off", "10-end"]);
    assert_eq!(code("chapter:001:draft", &["--question", "10-end"]), "question-off");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 3}"#);
    assert_eq!(code("chapter:002:draft", &[]), "passed");
}

const BAD: &str = r#"{"version": 1, "topic": "Another", "answers": {"end": "x"}, "answered_at": "2026-01-01T00:00:00Z", "answered_by": "human"}"#;

#[test]
fn a_bad_record_ahead_of_its_packet_leads_to_what_takes_it_back() {
    let (book, step, place) =
        (book(), "chapter:007:draft", "staging/novel-ask/10-end-chapter-007-draft.answers.json");
    for bad in [BAD, "{}", "torn"] {
        book.put(place, bad);
        let there = ahead(&book, step, &["--set", "end=one"]);
        let says = there["message"].as_str().expect("a message");
        assert!(says.contains("novel-gate redo chapter:007:draft --question 10-end"), "{says}");
        let none = book.run(["redo", step]);
        assert_eq!(none.code, Some(1), "{none:?}");
        assert!(none.stderr.contains("add --question with its name: 10-end"), "{none:?}");
        let redone = book.run(["redo", step, "--question", "10-end"]);
        assert_eq!(redone.code, Some(0), "{redone:?}");
        book.put(place, bad);
        assert_eq!(book.run(["redo", place]).code, Some(0), "its place says that it is a record");
        assert_eq!(book.read(place), None);
    }
    assert_eq!(ahead(&book, step, &["--set", "end=one"])["status"], "written");
    book.put("staging/novel-ask/loose.json", "{}");
    assert_eq!(book.run(["redo", "staging/novel-ask/loose.json"]).code, Some(2), "it is nobody's record");
}

#[test]
fn what_the_author_wrote_for_other_gates_is_nothing_that_the_step_has_made() {
    let (book, step) = (book(), "chapter:002:draft");
    let other = "staging/novel-ask/05-goal-book.answers.json";
    let (rounds, own) = ("staging/novel-ask/05-goal-book.rounds.jsonl", "staging/own.json");
    assert_eq!(ahead(&book, step, &["--set", "end=one"])["status"], "written");
    for place in [other, rounds, own, "chapters/2.md"] {
        book.put(place, "{}");
    }
    let outputs: Vec<Value> = [other, own, rounds, "chapters/2.md"]
        .iter()
        .map(|path| json!({"path": path, "required": true}))
        .collect();
    let asks = json!({"version": 1, "topic": "T", "questions": [{"id": "a", "header": "H", "question": "Q?", "kind": "free_text", "required": true}]});
    let packet = json!({"step": step, "manifest": {}, "expected_outputs": outputs, "novel_ask": asks, "answer_path": own});
    book.put("staging/manifests/chapter-002-draft.packet.json", packet.to_string());
    let redone = book.run(["redo", step, "--question", "10-end", "--json"]);
    let redone: Value = serde_json::from_str(&redone.stdout).expect("an object");
    assert_eq!(redone["outputs"], json!(["chapters/2.md"]), "{redone}");
}

#[test]
fn a_verdict_that_is_left_alone_is_named_with_when_it_is_asked() {
    let book = book();
    let said = ahead(&book, "chapter:001:commit", &[]);
    let says = said["message"].as_str().expect("a message");
    assert!(says.contains("20-keep is asked when the packet of chapter:001:commit is there"), "{says}");
    book.run(["questions", "off", "20-keep"]);
    let said = ahead(&book, "chapter:001:commit", &[]);
    assert!(
        said["message"].as_str().is_some_and(|says| says.starts_with("Nothing is left to decide")),
        "{said}"
    );
}

#[test]
fn no_chapter_is_decided_that_the_executor_cannot_count() {
    let book = book();
    assert_eq!(ahead(&book, "chapter:9007199254740991:draft", &["--set", "end=one"])["status"], "written");
    for chapter in ["9007199254740992", "18446744073709551615"] {
        let said = ahead(&book, &format!("chapter:{chapter}:draft"), &["--set", "end=one"]);
        assert_eq!((&said["exit"], &said["code"]), (&json!(2), &json!("no-step")), "{said}");
        assert!(said["message"].as_str().is_some_and(|says| says.contains("9007199254740991")), "{said}");
    }
}

#[test]
fn whatever_goes_by_the_checkpoint_says_that_it_cannot_be_read() {
    let book = book();
    book.put(".checkpoint.json", r#"{"last_completed_chapter": "three"}"#);
    let step = "chapter:001:draft";
    for line in [
        &["questions"][..],
        &["questions", "preview", step],
        &["answer", "--ahead", step, "--set", "end=x", "--by", "human"],
    ] {
        let ran = book.run(line);
        assert_eq!(
            (ran.code, ran.stderr.matches(".checkpoint.json cannot be read").count()),
            (Some(0), 1),
            "{line:?} {ran:?}"
        );
    }
}
