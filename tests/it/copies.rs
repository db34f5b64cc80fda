//! What sync programs, file managers and editors leave beside a packet.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const PACKET: &str = "staging/manifests/chapter-013-draft.packet.json";
const COPY: &str = "staging/manifests/chapter-013-draft.packet (conflicted copy 2026-11-26).json";

fn packet(topic: &str) -> String {
    let packet = json!({"step": "chapter:013:draft", "answer_path": "staging/novel-ask/13.answers.json",
        "novel_ask": {"version": 1, "topic": topic, "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    serde_json::to_string_pretty(&packet).expect("JSON")
}

fn gates(book: &Sandbox) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&book.run(["list", "--json"]).stdout).expect("JSON");
    listed["gates"].as_array().expect("gates").clone()
}

#[test]
fn a_copy_stands_in_no_gates_way_and_is_shown_once() {
    let book = Sandbox::new();
    book.put(PACKET, packet("平台绑定"));
    for copy in [
        COPY,
        "staging/manifests/chapter-013-draft (1).packet.json",
        "staging/manifests/chapter-013-draft copy.packet.json",
        "staging/manifests/chapter-013-draft-副本.packet.json",
        "staging/manifests/chapter-013-draft_备份.packet.json",
        "staging/manifests/chapter-013-draft.packet.sync-conflict-20261126-101112-ABCDEFG.json",
    ] {
        book.put(copy, packet("平台"));
        let gates = gates(&book);
        assert_eq!(gates.len(), 2, "{gates:?}");
        assert_eq!((&gates[0]["status"], &gates[0]["conflicts"]), (&json!("waiting"), &json!([])), "{copy}");
        assert_eq!((&gates[1]["packet"], &gates[1]["note"]), (&json!(copy), &json!("copy")));
        let problem = gates[1]["problem"].as_str().expect("a problem");
        assert!(
            problem.contains("a copy of chapter-013-draft.packet.json that differs from line"),
            "{problem}"
        );
        let linted = book.run(["lint", "staging"]);
        assert_eq!(linted.code, Some(0), "{linted:?}");
        assert!(linted.stdout.contains("[copy]") && !linted.stdout.contains("shared"), "{linted:?}");
        book.put(copy, packet("平台绑定"));
        assert!(
            self::gates(&book)[1]["problem"]
                .as_str()
                .is_some_and(|text| text.contains("the same byte for byte"))
        );
        std::fs::remove_file(book.path(copy)).expect("removed");
    }
    book.put(COPY, packet("平台"));
    let said = book.run(["list"]).stdout;
    assert_eq!(said.matches("(conflicted copy").count(), 1, "{said}");
    let answered = book.run(["answer", "chapter:013:draft", "--set", "a=x", "--by", "human"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    assert_eq!(gates(&book).iter().map(|gate| gate["status"].clone()).collect::<Vec<_>>(), ["open", "open"]);
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("≈ chapter-013-draft.packet …");
    terminal.wait_for_text("≈ copy");
    terminal.press("enter");
    terminal.wait_for_wrapped_text("keep what is right in the original, and delete the copy.");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn a_copy_without_its_packet_says_so_and_what_only_looks_like_one_is_a_packet() {
    let book = Sandbox::new();
    book.put(COPY, packet("t"));
    book.put("staging/manifests/chapter-014-draft-copy.packet.json", packet("t").replace("13", "14"));
    book.put("staging/manifests/chapter-015-draft (1).packet.json", packet("t").replace("13", "15"));
    let gates = gates(&book);
    let noted: Vec<_> = gates.iter().filter(|gate| gate["note"] == "copy").collect();
    assert_eq!((gates.len(), noted.len()), (3, 1), "{gates:?}");
    let problem = noted[0]["problem"].as_str().expect("a problem");
    assert!(problem.contains("a copy of chapter-013-draft.packet.json, which is not there"), "{problem}");
    assert!(problem.contains("give it that name"), "{problem}");
    let linted = book.run(["lint", COPY]).stdout;
    assert!(
        linted.contains("[copy] /: found by its name a copy of chapter-013-draft.packet.json"),
        "{linted}"
    );
    assert_eq!(book.run(["check", COPY]).code, Some(3), "by its path it is what it says");
}

#[test]
fn a_copied_standing_question_asks_once() {
    let book = Sandbox::new();
    let question = json!({"version": 1, "topic": "t", "_steps": ["chapter:*:draft"], "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]});
    for name in ["tone", "tone.sync-conflict-20261126-101112-ABCDEFG", "tone (1)"] {
        book.put(&format!("questions/{name}.question.json"), question.to_string());
    }
    book.put(PACKET, r#"{"step": "chapter:013:draft"}"#);
    let questions = book.run(["questions"]).stdout;
    assert_eq!(questions.matches("a copy of tone.question.json, the same").count(), 2, "{questions}");
    let gates = gates(&book);
    assert_eq!(gates.iter().filter(|gate| gate["status"] == "waiting").count(), 1, "{gates:?}");
    let copies: Vec<_> = gates.iter().filter(|gate| gate["note"] == "copy").collect();
    assert_eq!((copies.len(), &copies[0]["status"]), (2, &json!("open")), "no malformed question: {gates:?}");
}

#[test]
fn a_checkpoint_that_cannot_be_read_is_said_with_its_cause() {
    let book = Sandbox::new();
    book.put(PACKET, packet("t"));
    let utf16: Vec<u8> =
        "{\"last_completed_chapter\": 20}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (text, cause) in [
        (
            &b"{\n  \"last_completed_chapter\": 11,\n  \"current_volum"[..],
            "found the end of the file inside a value (line 3, column 17)",
        ),
        (b"\xef\xbb\xbf{\"last_completed_chapter\": 20}", "byte order mark"),
        (&utf16, "found"),
        (b"{\"last_completed_chapter\": \"20\"}", "/last_completed_chapter: found \"20\""),
        (b"{\"last_completed_chapter\": 20, \"inflight_chapter\": \"x\"}", "/inflight_chapter"),
        (b"[]", "an object"),
    ] {
        book.put(".checkpoint.json", text);
        let gates = gates(&book);
        let note = gates.iter().find(|gate| gate["note"] == "checkpoint").expect("a note");
        assert_eq!(note["packet"], ".checkpoint.json");
        assert!(note["problem"].as_str().is_some_and(|text| text.contains(cause)), "{cause}: {note}");
        assert!(book.run(["list"]).stdout.contains(cause), "{cause}");
    }
    for said in [r#"{"last_completed_chapter": 20}"#, "{}"] {
        book.put(".checkpoint.json", said);
        assert_eq!(gates(&book).len(), 1, "{said}");
    }
}

#[test]
fn an_open_console_keeps_what_a_torn_checkpoint_had_said() {
    let book = Sandbox::new();
    book.put(PACKET, packet("t"));
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 20}"#);
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("● 0 waiting");
    book.put(".checkpoint.json", "{\n  \"last_completed_chapter\": 20,\n  \"current_volum");
    terminal.wait_for_text("✕ .checkpoint");
    terminal.press("up");
    terminal.wait_for_text("which steps are done is not known for certain");
    assert!(!terminal.screen_text().contains("write this packet again"), "{}", terminal.screen_text());
    terminal.wait_for_text("● 0 waiting");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 12}"#);
    terminal.wait_for_text("● 1 waiting");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}
