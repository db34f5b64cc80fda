//! `plan` as an executor calls it: files in, one JSON object and an exit code out.

use crate::in_process::call;
use novel_gate::Environment;
use novel_gate::platform::paths::Shown as _;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

struct Book {
    top: tempfile::TempDir,
}

impl Book {
    fn new() -> Book {
        let book = Book { top: tempfile::tempdir().expect("a directory") };
        fs::create_dir_all(book.root().join("staging")).expect("a project");
        book
    }

    fn root(&self) -> PathBuf {
        self.top.path().join("book")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    /// A packet `name` that asks one question, and a record of it if there are words for one.
    fn gate(&self, name: &str, topic: &str, record: Option<&str>) {
        let path = format!("staging/novel-ask/{name}.answers.json");
        self.put(&format!("staging/manifests/{name}.packet.json"), packet(topic, &path).to_string());
        if let Some(record) = record {
            self.put(&path, record);
        }
    }

    fn run(&self, line: &[&str], typed: &[u8]) -> (i32, Vec<u8>) {
        let environment = Environment { cwd: self.root(), ..Environment::default() };
        let called = call(&environment, line, typed);
        assert_eq!(String::from_utf8_lossy(&called.err), "", "nothing for people: {line:?}");
        (called.exit, called.out)
    }

    /// The one JSON object, which names its own exit code.
    fn says_of(&self, line: &[&str], typed: &[u8]) -> Value {
        let (exit, out) = self.run(line, typed);
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["exit"], exit, "{json}");
        json
    }

    fn says(&self, line: &[&str]) -> Value {
        self.says_of(line, b"")
    }

    /// What becomes of events on standard input.
    fn of_events(&self, events: &[Value], more: &[&str]) -> Value {
        let text: String = events.iter().map(|event| event.to_string() + "\n").collect();
        let line: Vec<&str> = ["plan", "--events", "-"].iter().chain(more).copied().collect();
        self.says_of(&line, text.as_bytes())
    }
}

fn packet(topic: &str, answer_path: &str) -> Value {
    json!({
        "step": "chapter:048:draft",
        "answer_path": answer_path,
        "novel_ask": {"version": 1, "topic": topic, "questions": [
            {"id": "note", "header": "Note", "question": "Anything else?", "kind": "free_text", "required": false}]}
    })
}

fn record(topic: &str) -> String {
    json!({"version": 1, "topic": topic, "answers": {}, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "human"})
    .to_string()
}

fn create(subject: &str) -> Value {
    json!({"tool": "TaskCreate", "input": {"subject": subject, "description": "d"}})
}

fn turn(id: &str, status: &str) -> Value {
    json!({"tool": "TaskUpdate", "input": {"taskId": id, "status": status}})
}

fn plan(steps: &[(&str, &str)]) -> Value {
    let steps: Vec<Value> =
        steps.iter().map(|(step, status)| json!({"step": step, "status": status})).collect();
    json!({ "plan": steps })
}

fn refused(exit: i32, code: &str, message: &str, at: Option<&str>) -> Value {
    json!({"status": "error", "exit": exit, "code": code, "message": message, "at": at})
}

const GATES: [&str; 4] = ["plan", "a", "b", "c"];

#[test]
fn gates_are_a_plan() {
    let book = Book::new();
    book.gate("a", "平台", Some(&record("平台")));
    book.gate("b", "platform", None);
    book.gate("c", "style", None);
    let answered = |a: u64, input: &Value| {
        json!({"status": "ok", "exit": 0, "code": "ok", "message": format!("{a} of 3 gates are answered."),
            "tool": "update_plan", "input": input})
    };
    let steps = |b, c| {
        plan(&[
            ("平台 (staging/novel-ask/a.answers.json)", "completed"),
            ("platform (staging/novel-ask/b.answers.json)", b),
            ("style (staging/novel-ask/c.answers.json)", c),
        ])
    };
    assert_eq!(book.says(&GATES), answered(1, &steps("in_progress", "pending")));

    book.gate("b", "platform", Some("{"));
    let mut input = steps("in_progress", "pending");
    input["explanation"] =
        "Invalid answer records, to be repaired or taken back: staging/novel-ask/b.answers.json".into();
    assert_eq!(book.says(&GATES), answered(1, &input));
    let chinese = book.says(&["plan", "b", "--lang", "zh-CN"]);
    assert_eq!(
        chinese["input"]["explanation"],
        "答案记录无效，需要修复或收回：staging/novel-ask/b.answers.json"
    );

    book.gate("b", "platform", Some(&record("platform")));
    book.gate("c", "style", Some(&record("style")));
    assert_eq!(book.says(&GATES), answered(3, &steps("completed", "completed")));
}

#[test]
fn one_packet_may_come_through_standard_input() {
    let book = Book::new();
    book.gate("a", "first", None);
    let piped = packet("second", "b.json").to_string();
    let said = book.says_of(&["plan", "a", "-"], piped.as_bytes());
    let steps = [("first (staging/novel-ask/a.answers.json)", "in_progress"), ("second (b.json)", "pending")];
    assert_eq!(said["input"], plan(&steps));
    assert_eq!(
        book.says_of(&["plan", "-", "-"], piped.as_bytes()),
        refused(2, "usage", "Standard input can be one packet only.", None)
    );
}

#[test]
fn packets_that_are_no_gates_are_refused_at_their_place() {
    let book = Book::new();
    book.gate("a", "first", None);
    book.put("free.json", r#"{"step": "s"}"#);
    book.put("torn.json", "{\n  \"step\":");
    book.put("climbs.json", packet("t", "../x.json").to_string());
    let spec = &packet("t", "x")["novel_ask"];
    book.put("spec.json", spec.to_string());
    for (name, exit, code, message, at) in [
        ("free.json", 2, "no-gate", "This packet carries no gate: it asks nothing.", Some("free.json")),
        ("spec.json", 2, "no-gate", "This packet carries no gate: it asks nothing.", Some("spec.json")),
        (
            "torn.json",
            5,
            "invalid_packet",
            "torn.json cannot be used. /: found the end of the file inside a value (line 2, column 10); expected JSON. \
             The file may have been cut off while it was written.",
            Some("2:10"),
        ),
        (
            "climbs.json",
            5,
            "invalid_packet",
            "climbs.json cannot be used. /answer_path: found \"../x.json\"; expected a path without .. segments.",
            Some("/answer_path"),
        ),
        (
            "staging",
            5,
            "invalid_packet",
            "staging cannot be used. /: found a directory; expected a regular file.",
            Some(""),
        ),
        (
            "nothing",
            1,
            "no-packet",
            "There is no packet nothing. Give a path, a file name without its ending, or a step id.",
            Some("nothing"),
        ),
    ] {
        assert_eq!(book.says(&["plan", "a", name]), refused(exit, code, message, at), "{name}");
    }
}

#[test]
fn task_events_become_snapshots() {
    let book = Book::new();
    let events = [
        create("写大纲"),
        create("draft"),
        turn("1", "in_progress"),
        turn("2", "in_progress"),
        turn("1", "in_progress"),
        json!({"tool": "TaskUpdate", "input": {"taskId": "2", "subject": "draft 1"}}),
        turn("1", "completed"),
        json!({"tool": "TaskCreate", "taskId": "x", "input": {"subject": "check"}}),
        turn("x", "completed"),
        turn("2", "deleted"),
        create("publish"),
    ];
    let emitted = |event: u64, steps: &[(&str, &str)]| json!({"event": event, "input": plan(steps)});
    let suppressed = |event: u64| json!({"event": event, "reason": "low_signal"});
    let state = json!([
        {"taskId": "1", "subject": "写大纲", "status": "completed"},
        {"taskId": "x", "subject": "check", "status": "completed"},
        {"taskId": "4", "subject": "publish", "status": "pending"},
    ]);
    let (p, w, c) = ("pending", "in_progress", "completed");
    assert_eq!(
        book.of_events(&events, &[]),
        json!({
            "status": "ok", "exit": 0, "code": "ok", "message": "11 events, 7 snapshots.",
            "emitted": [
                emitted(0, &[("写大纲", p)]),
                emitted(1, &[("写大纲", p), ("draft", p)]),
                emitted(2, &[("写大纲", w), ("draft", p)]),
                // Two are worked on; the one begun first is shown.
                emitted(3, &[("写大纲", w), ("draft", p)]),
                // The new name comes with the next snapshot.
                emitted(6, &[("写大纲", c), ("draft 1", w)]),
                emitted(7, &[("写大纲", c), ("draft 1", w), ("check", p)]),
                emitted(10, &[("写大纲", c), ("check", c), ("publish", p)]),
            ],
            "suppressed": [suppressed(4), suppressed(5), suppressed(8), suppressed(9)],
            "state": state,
        })
    );
    let silent = |event: u64| json!({"event": event, "reason": "internal_state_only"});
    assert_eq!(
        book.of_events(&events, &["--no-update-plan"]),
        json!({
            "status": "ok", "exit": 0, "code": "ok", "message": "11 events, 0 snapshots.", "emitted": [],
            "suppressed": (0..11).map(silent).collect::<Vec<Value>>(), "state": state,
        })
    );
    assert_eq!(
        book.of_events(&[], &[]),
        json!({"status": "ok", "exit": 0, "code": "ok", "message": "0 events, 0 snapshots.", "emitted": [],
            "suppressed": [], "state": []})
    );
}

#[test]
fn one_event_is_one() {
    let book = Book::new();
    assert_eq!(book.of_events(&[create("A")], &[])["message"], "1 event, 1 snapshot.");
    assert_eq!(book.of_events(&[create("A")], &["--lang", "zh-CN"])["message"], "1 个事件，1 份快照。");
}

#[test]
fn a_documents_rules_are_followed() {
    let book = Book::new();
    let rules = json!({
        "source_tool": "TaskCreate", "target_tool": "update_plan",
        "create": {"emit": false, "default_status": "pending"},
        "transitions": [{"from": "pending", "to": "completed", "emit_update_plan": true}],
        "single_in_progress": false, "fallback_mode": "internal_state_only",
    });
    book.put("rules.json", json!({"protocol": "p", "task_sync": rules}).to_string());
    book.put("none.json", json!({"protocol": "p"}).to_string());
    let events = [create("a"), create("b"), turn("1", "in_progress"), turn("2", "in_progress"), create("c")];
    let mut more = events.to_vec();
    more.push(turn("3", "completed"));
    let said = book.of_events(&more, &["--canonical", "rules.json"]);
    let steps = [("a", "in_progress"), ("b", "in_progress"), ("c", "completed")];
    assert_eq!(said["emitted"], json!([{"event": 5, "input": plan(&steps)}]));
    assert_eq!(book.of_events(&more, &["--canonical", "none.json"]), book.of_events(&more, &[]));

    let mut wrong = rules;
    wrong["create"]["emit"] = "yes".into();
    book.put("wrong.json", json!({"task_sync": wrong}).to_string());
    book.put("torn.json", "{\"task_sync\": }");
    book.put("list.json", "[]");
    for (name, message, at) in [
        (
            "wrong.json",
            "wrong.json cannot be used. /task_sync/create/emit: found \"yes\"; expected true or false.",
            "/task_sync/create/emit",
        ),
        (
            "torn.json",
            "torn.json cannot be used. /: found a key without a value (line 1, column 14); expected JSON. Give it a value, \
             or remove it.",
            "1:14",
        ),
        ("list.json", "list.json cannot be used. /: found an empty list; expected an object {…}.", ""),
    ] {
        let said = book.of_events(&events, &["--canonical", name]);
        assert_eq!(said, refused(5, "invalid_spec", message, Some(at)), "{name}");
    }
    assert_eq!(
        book.says(&["plan", "--events", "-", "--canonical", "-"]),
        refused(2, "usage", "Standard input can be only one of them.", None)
    );
}

#[test]
fn events_that_cannot_be_used_are_refused_whole() {
    let book = Book::new();
    let first = create("a").to_string();
    let nothing = "there is no task \"9\".";
    for (line, code, message, at) in [
        (
            "{\"tool\"",
            "invalid_json",
            "An event must be JSON on one line: found the end of the file inside a value (line 3, column 8).",
            "3:8",
        ),
        (
            r#"{"tool": "TaskCreate", "input": {"subject": "b"}, "tool": "TaskCreate"}"#,
            "invalid_json",
            "Line 3: the key \"tool\" appears twice.",
            "3:51",
        ),
        (
            r#"{"tool": "TaskCreate", "input": {"subject": " "}}"#,
            "invalid_event",
            "Line 3 is not an event. /input/subject: found only white space; expected a string that is not blank.",
            "3:45",
        ),
        (
            r#"{"tool": "TaskCreate", "taskId": "1", "input": {"subject": "b"}}"#,
            "invalid_event",
            "Line 3: there is already a task \"1\".",
            "3:34",
        ),
        (
            r#"{"tool": "TaskUpdate", "input": {"taskId": "9"}}"#,
            "invalid_event",
            &format!("Line 3: {nothing}"),
            "3:44",
        ),
    ] {
        book.put("events.jsonl", format!("{first}\n\n{line}\n"));
        let said = book.says(&["plan", "--events", "events.jsonl"]);
        assert_eq!(said, refused(2, code, message, Some(at)), "{line}");
    }
    assert_eq!(
        book.says(&["plan", "--events", "missing.jsonl"]),
        refused(
            1,
            "unreadable",
            &format!(
                "Cannot read {}. Cause: there is no such file or directory.",
                book.root().join("missing.jsonl").shown()
            ),
            None
        )
    );
    assert_eq!(book.says(&["plan", "--events", "staging"])["code"], "unreadable");
}

#[test]
fn wrong_use_is_one_json_object_too() {
    let book = Book::new();
    for line in [
        &["plan"][..],
        &["plan", "a", "--events", "-"],
        &["plan", "a", "--canonical", "d"],
        &["plan", "a", "--no-update-plan"],
        &["plan", "--canonical", "d"],
        &["plan", "a", "--nonsense"],
        &["--lang", "zh-CN", "plan", "--events"],
    ] {
        let said = book.says(line);
        assert_eq!((&said["status"], &said["code"]), (&json!("error"), &json!("usage")), "{line:?}");
        assert_eq!(said["exit"], 2, "{line:?}");
    }
    let elsewhere = book.top.path().to_str().expect("UTF-8").to_owned();
    let said = book.says(&["plan", "a", "--project", &(elsewhere + "/none")]);
    assert_eq!((&said["exit"], &said["code"], &said["at"]), (&json!(2), &json!("no-project"), &json!(null)));
}

#[test]
fn many_snapshots_are_one_object() {
    let book = Book::new();
    let subject = "词".repeat(200);
    let events: Vec<Value> = (0..300).map(|_| create(&subject)).collect();
    let said = book.of_events(&events, &[]);
    assert_eq!(said["emitted"].as_array().map(Vec::len), Some(300));
    let last = &said["emitted"][299]["input"]["plan"];
    assert_eq!(last.as_array().map(Vec::len), Some(300));
    assert_eq!((&last[299]["step"], &last[0]["status"]), (&json!(subject), &json!("pending")));
}

#[test]
fn lone_surrogates_come_out_as_they_went_in() {
    let book = Book::new();
    let events = br#"{"tool": "TaskCreate", "taskId": "\ud800", "input": {"subject": "\udc00x"}}"#;
    let (exit, out) = book.run(&["plan", "--events", "-"], events);
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(exit, 0);
    assert!(text.contains(r#"{"step": "\udc00x", "status": "pending"}"#), "{text}");
    assert!(text.contains(r#"{"taskId": "\ud800", "subject": "\udc00x", "status": "pending"}"#), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Any bytes, as packets, events or documents, are answered by one JSON object.
    #[test]
    fn any_bytes_are_answered_by_one_object(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..100),
            r#"(\{|\}|"tool":|"TaskCreate"|,|"input":|"taskId":|"1"|"subject":|"task_sync":|\n|\[|\]|true|雨){0,16}"#
                .prop_map(String::into_bytes),
        ],
        way in 0..3_usize,
    ) {
        let book = Book::new();
        book.put("document.json", &bytes);
        let lines: [&[&str]; 3] =
            [&["plan", "-"], &["plan", "--events", "-"], &["plan", "--events", "-", "--canonical", "document.json"]];
        let said = book.says_of(lines[way], &bytes);
        prop_assert!(["ok", "error"].contains(&said["status"].as_str().unwrap_or_default()));
        prop_assert!([0, 2, 5].contains(&said["exit"].as_i64().unwrap_or_default()));
    }
}
