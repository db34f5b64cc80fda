//! The worked examples: whole dialogues, call by call.
//!
//! `tests/traces/worked-examples.txt` states them in short. Here each is held with the built program, which must show
//! just that; what it prints in full is kept beside it, one file for each dialogue, as `UPDATE_TRACES=1 cargo test
//! traces` writes them.

use crate::project::Book;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One dialogue as the examples state it.
struct Trace {
    /// `E1 codex`
    name: String,
    executor: String,
    /// `ask` or `next` with what is to be shown, `reply` with what is said.
    steps: Vec<(String, Value)>,
}

fn traces() -> Vec<Trace> {
    let text = include_str!("../traces/worked-examples.txt");
    let mut traces: Vec<Trace> = Vec::new();
    let mut example = String::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("-- ") {
            let (title, executor) = heading.trim_end_matches(']').rsplit_once('[').expect("an executor");
            let number = title.split_whitespace().next().expect("a number");
            let executor = executor.to_owned();
            number.clone_into(&mut example);
            traces.push(Trace { name: format!("{example}-{executor}"), executor, steps: Vec::new() });
        } else {
            let (kind, json) = line.trim_start().split_once(' ').expect("a step");
            let value = serde_json::from_str(json.trim_start()).expect("JSON");
            traces.last_mut().expect("a heading").steps.push((kind.to_owned(), value));
        }
    }
    assert_eq!(example, "E15");
    traces
}

fn options(labels: &[&str]) -> Value {
    labels.iter().map(|label| json!({"label": label, "description": "d"})).collect()
}

fn numbered(count: usize) -> Value {
    let labels: Vec<String> = (1..=count).map(|number| format!("o{number}")).collect();
    options(&labels.iter().map(String::as_str).collect::<Vec<_>>())
}

fn question(kind: &str, options: &Value) -> Value {
    json!({"id": "p", "header": "H", "question": "Q?", "kind": kind, "required": true, "options": options})
}

fn with(mut question: Value, members: &Value) -> Value {
    for (key, value) in members.as_object().expect("members") {
        question[key] = value.clone();
    }
    question
}

/// The questions of an example, and the flags.
fn example(number: &str) -> (Value, &'static [&'static str]) {
    let single = |options: Value| question("single_choice", &options);
    let multi = |options: Value| question("multi_choice", &options);
    match number {
        "E1" => (json!([with(single(numbered(13)), &json!({"default": "o7"}))]), &[]),
        "E2" => (json!([multi(numbered(7))]), &[]),
        "E3" => (json!([single(numbered(1))]), &[]),
        "E4" => (json!([multi(options(&["__done__", "x", "y", "z", "w"]))]), &[]),
        "E5" => {
            let text = json!({"question": "发布到哪里？", "header": "发布平台选择与说明"});
            let marks = json!({"question": "发布到哪里？", "id": "b", "header": "e\u{301}".repeat(9)});
            (json!([with(single(numbered(2)), &text), with(single(numbered(2)), &marks)]), &[])
        }
        "E6" => {
            let text = json!({"id": "note", "header": "H", "question": "Anything else?", "kind": "free_text",
                              "required": false});
            (json!([text]), &[])
        }
        "E7" => {
            let second = with(single(numbered(2)), &json!({"id": "b", "question": "R?"}));
            let first = with(single(numbered(9)), &json!({"id": "a"}));
            (json!([first, second]), &["--on-escape", "return_previous"])
        }
        "E7d" => {
            let second = with(single(numbered(2)), &json!({"id": "b", "question": "R?", "required": false}));
            let first = with(single(numbered(2)), &json!({"id": "a"}));
            (json!([first, second]), &["--on-escape", "defer"])
        }
        "E8" | "E13" => (json!([with(single(numbered(6)), &json!({"allow_other": true}))]), &[]),
        "E9" => (json!([single(numbered(2))]), &[]),
        "E10" => {
            let labels = options(&["A", "A (Recommended)"]);
            (json!([with(single(labels), &json!({"required": false, "default": "A"}))]), &[])
        }
        "E11" => (json!([multi(options(&["a", "b", "a, b"]))]), &[]),
        "E12" => (json!([with(multi(numbered(3)), &json!({"required": false, "default": ["o3"]}))]), &[]),
        "E14" => {
            let families = json!([
                {"label": "a", "description": "d", "_cluster": "热血"}, {"label": "b", "description": "d", "_cluster": "热血"},
                {"label": "c", "description": "d", "_cluster": "日常"}, {"label": "e", "description": "d", "_cluster": "日常"}]);
            (json!([with(multi(families), &json!({"allow_other": true}))]), &[])
        }
        "E15" => {
            let labels = options(&["x", "y", "雨, 停", "z", "w"]);
            (json!([with(multi(labels), &json!({"allow_other": true}))]), &[])
        }
        other => panic!("{other}"),
    }
}

/// What the examples state of a printed object: its questions with their options as pairs, or the prompt.
fn in_short(printed: &Value) -> Value {
    let mut short = serde_json::Map::new();
    match printed["status"].as_str().expect("a status") {
        "ask" => {
            short.insert("asks".to_owned(), printed["asks"].clone());
            let mut questions = printed["input"]["questions"].clone();
            for question in questions.as_array_mut().into_iter().flatten() {
                let pairs = question["options"].as_array().expect("options").iter();
                question["options"] =
                    pairs.map(|option| json!([option["label"], option["description"]])).collect();
            }
            for (key, value) in [
                ("questions", &questions),
                ("prompt", &printed["prompt"]),
                ("schema", &printed["schema"]),
                ("template", &printed["template"]),
                ("rejected", &printed["rejected"]),
            ] {
                if !value.is_null() && *value != json!([]) {
                    short.insert(key.to_owned(), value.clone());
                }
            }
        }
        "done" => {
            short.insert("status".to_owned(), json!("done"));
            short.insert("answers".to_owned(), printed["answers"].clone());
        }
        status => {
            short.insert("status".to_owned(), json!(status));
            short.insert("answers_so_far".to_owned(), printed["answers_so_far"].clone());
            short.insert("unanswered".to_owned(), printed["unanswered"].clone());
        }
    }
    Value::Object(short)
}

#[test]
fn the_worked_examples_run_call_by_call() {
    let traces = traces();
    assert_eq!(traces.len(), 20);
    for trace in traces {
        let book = Book::new();
        let (questions, flags) = example(trace.name.split('-').next().expect("a number"));
        let spec = json!({"version": 1, "topic": "t", "questions": questions});
        book.put("spec.json", &spec.to_string());
        let mut line = vec!["next", "spec.json", "--for", &trace.executor, "--replies", "replies.jsonl"];
        line.extend(["--answered-at", "2026-02-27T10:12:34.000Z"]);
        line.extend(flags);
        // The heading says so in words.
        let exact = trace.name == "E3-codex";
        line.extend(exact.then_some(["--exact-options", "3"]).into_iter().flatten());
        let mut full = format!("spec {spec}\n");
        let mut last = Value::Null;
        for (kind, step) in &trace.steps {
            if kind == "reply" {
                let mut reply = step.clone();
                reply["call"] = last["call"].clone();
                writeln!(full, "reply {reply}").expect("text");
                let reply = reply.to_string();
                let line = [line.as_slice(), &["--reply", &reply]].concat();
                last = serde_json::from_str(&book.run(&line).out).expect("JSON");
            } else if kind == "ask" {
                last = serde_json::from_str(&book.run(&line).out).expect("JSON");
            }
            if kind != "reply" {
                writeln!(full, "print {last}").expect("text");
                assert_eq!(&in_short(&last), step, "{}", trace.name);
                // The same replies lead to the same place.
                let again: Value = serde_json::from_str(&book.run(&line).out).expect("JSON");
                assert_eq!(again, last, "{}", trace.name);
            }
        }
        compare(&trace.name, &full);
    }
}

fn compare(name: &str, full: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/traces/{name}.txt"));
    if std::env::var_os("UPDATE_TRACES").is_some() {
        fs::write(&path, full).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(full, kept, "{name}: UPDATE_TRACES=1 writes what is printed now");
}
