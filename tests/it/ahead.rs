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
