//! `next` and `compile` as an executor runs them: what lies at the answer path, the replies file, bad input.

mod again;
mod odd_replies;
mod refused;
mod sent_back;
mod silent;

use crate::project::{Book, Outcome};
use serde_json::{Value, json};
use std::fs;

const PACKET: &str = "staging/manifests/a.packet.json";
const RECORD: &str = "staging/novel-ask/a.answers.json";
const AT: &str = "2026-02-27T10:12:34.000Z";

fn spec(questions: &Value) -> Value {
    json!({"version": 1, "topic": "t", "questions": questions})
}

fn choice(id: &str, labels: &[&str]) -> Value {
    let options: Value = labels.iter().map(|label| json!({"label": label, "description": "d"})).collect();
    json!({"id": id, "header": "H", "question": format!("{id}?"), "kind": "single_choice", "required": true,
           "options": options})
}

fn text(id: &str) -> Value {
    json!({"id": id, "header": "H", "question": format!("{id}?"), "kind": "free_text", "required": true})
}

/// A project with one packet that asks these questions.
fn book(questions: &Value) -> Book {
    let book = Book::new();
    let packet = json!({"step": "chapter:001:draft", "novel_ask": spec(questions), "answer_path": RECORD});
    book.put(PACKET, &packet.to_string());
    book
}

/// Runs `next` for an executor.
fn next(book: &Book, executor: &str, more: &[&str]) -> Outcome {
    let line = ["next", "chapter:001:draft", "--for", executor, "--replies", "r.jsonl", "--answered-at", AT];
    book.run(&[&line, more].concat())
}

fn json(outcome: &Outcome) -> Value {
    assert_eq!(outcome.out.lines().count(), 1, "one object: {}{}", outcome.out, outcome.err);
    let json: Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(json["exit"], outcome.exit, "{json}");
    json
}

fn ask(book: &Book, executor: &str, more: &[&str]) -> Value {
    let json = json(&next(book, executor, more));
    assert_eq!(json["status"], "ask", "{json}");
    json
}

fn call(json: &Value) -> &str {
    json["call"].as_str().expect("a call")
}

fn replies(book: &Book) -> String {
    fs::read_to_string(book.root().join("r.jsonl")).unwrap_or_default()
}

fn record(book: &Book) -> Option<String> {
    fs::read_to_string(book.root().join(RECORD)).ok()
}

#[test]
fn an_executor_answers_without_building_json() {
    let book = book(&json!([choice("place", &["a", "b"]), text("why")]));
    let first = ask(&book, "claude-code", &[]);
    assert_eq!(first["asks"], json!(["place", "why"]));
    let more = ["--call", call(&first), "--answer", "place=b", "--answer", "why=__type__"];
    let second = ask(&book, "claude-code", &more);
    assert_eq!((&second["expects"], &second["tool"]), (&json!("text"), &Value::Null));
    let done =
        json(&next(&book, "claude-code", &["--call", call(&second), "--text", " 　　雨停之前\n", "--write"]));
    assert_eq!((&done["status"], &done["written"]), (&json!("done"), &json!(true)), "{done}");
    let written = record(&book).expect("a record");
    let expected = json!({"version": 1, "topic": "t", "answers": {"place": "b", "why": "　　雨停之前"},
                          "answered_at": AT, "answered_by": "claude_code"});
    assert_eq!(written, serde_json::to_string_pretty(&expected).expect("JSON") + "\n");
    assert_eq!(done["answer_spec"], expected);
    assert_eq!(book.run(&["check", PACKET]).exit, 0);
    // From now on the record is the answer, whatever the replies say.
    let already = json(&next(&book, "codex", &["--write"]));
    assert_eq!((&already["already"], &already["answer_spec"]), (&json!(true), &expected));
    assert_eq!(already["exit"], 0);
}

#[test]
fn nothing_said_is_nothing_to_close() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    book.put(
        RECORD,
        &json!({"version": 1, "topic": "t", "answers": {"place": "b"}, "answered_at": AT,
                "answered_by": "author"})
        .to_string(),
    );
    assert_eq!(json(&next(&book, "codex", &["--write"]))["already"], true);
    assert!(!book.root().join("r.jsonl").exists());
}

#[test]
fn a_note_beside_a_choice_is_handed_on() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "claude-code", &[]);
    let output = json!({"answers": {"place?": "a"}, "annotations": {"place?": {"notes": "only with a map"}}});
    let done = json(&next(&book, "claude-code", &["--call", call(&first), "--output", &output.to_string()]));
    assert_eq!(done["notices"], json!([{"id": "place", "note": "only with a map"}]), "{done}");
}

#[test]
fn a_folder_that_is_missing_loses_no_reply() {
    let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
    let line = ["next", PACKET, "--for", "codex", "--replies", "staging/new/folder/r.jsonl"];
    let first = json(&book.run(&line));
    assert!(!book.root().join("staging/new").exists());
    let second = json(&book.run(&[&line[..], &["--call", call(&first), "--answer", "place=a"]].concat()));
    assert_eq!(second["asks"], json!(["time"]), "{second}");
    assert_eq!(json(&book.run(&line))["call"], second["call"]);
}

#[test]
fn what_is_selected_already_is_said_in_the_contract() {
    let book = book(&json!([{"id": "who", "header": "H", "question": "who?", "kind": "multi_choice",
        "required": false, "options": [{"label": "a", "description": "d"}, {"label": "b", "description": "d"},
                                       {"label": "c", "description": "d"}]}]));
    let mut last = ask(&book, "codex", &[]);
    for group in ["Options 2-3", "b"] {
        last = ask(&book, "codex", &["--call", call(&last), "--answer", &format!("who={group}")]);
    }
    let contract = ask(&book, "codex", &["--call", call(&last), "--unavailable"]);
    let asked = &contract["schema"]["properties"]["answers"]["properties"]["who"]["description"];
    assert_eq!(asked, &json!("who? [selected: b]"));
    assert_eq!(contract["template"], json!({"answers": {"who": ["b"]}}));
}

#[test]
fn a_contract_that_nobody_answers_ends_too() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let mut last = ask(&book, "json-contract", &[]);
    for _ in 0..2 {
        last = ask(&book, "json-contract", &["--call", call(&last), "--none"]);
        assert_eq!(last["rejected"][0]["code"], "required");
    }
    assert_eq!(json(&next(&book, "json-contract", &["--call", call(&last), "--none"]))["status"], "idle");
}

#[test]
fn none_of_the_above_beside_an_option_contradicts_itself() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    let more = ["--call", call(&first), "--answer", "place=a", "--answer", "place=None of the above"];
    assert_eq!(ask(&book, "codex", &more)["rejected"], json!([{"id": "place", "code": "contradiction"}]));
}

#[test]
fn a_record_that_is_there_is_never_touched() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    book.put(RECORD, "{}");
    let blocked = json(&next(&book, "codex", &["--call", call(&first), "--answer", "place=b", "--write"]));
    assert_eq!((&blocked["status"], &blocked["code"]), (&json!("blocked"), &json!("answer_invalid")));
    assert_eq!(blocked["exit"], 4);
    assert!(!blocked["problems"].as_array().expect("problems").is_empty());
    assert_eq!(record(&book).as_deref(), Some("{}"));
    assert_eq!(replies(&book), "");
}

#[test]
fn without_write_nothing_is_written() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    assert!(!book.root().join("r.jsonl").exists());
    let done = json(&next(&book, "codex", &["--call", call(&first), "--answer", "place=b"]));
    assert_eq!((&done["written"], &done["answers"]), (&json!(false), &json!({"place": "b"})));
    assert_eq!(record(&book), None);
    let line = format!(
        "{{\"call\": \"{}\", \"output\": {{\"answers\":{{\"place\":{{\"answers\":[\"b\"]}}}}}}}}\n",
        call(&first)
    );
    assert_eq!(replies(&book), line);
}

#[test]
fn an_escape_ends_and_can_be_taken_back() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    let ended = json(&next(&book, "codex", &["--call", call(&first), "--escape"]));
    assert_eq!((&ended["status"], &ended["exit"]), (&json!("terminated"), &json!(3)));
    assert_eq!((&ended["answers_so_far"], &ended["unanswered"]), (&json!({}), &json!(["place"])));
    let late = ["--call", call(&first), "--answer", "place=a"];
    assert_eq!(json(&next(&book, "codex", &late))["code"], "reply_after_end");
    let again = ask(&book, "codex", &["--resume"]);
    assert_eq!(again["call"], first["call"]);
    let done = json(&next(&book, "codex", &[&late[..], &["--resume"]].concat()));
    assert_eq!(done["answers"], json!({"place": "a"}), "{done}");
    // The file, escape included, leads to the same end.
    assert_eq!(replies(&book).lines().count(), 2);
    assert_eq!(json(&next(&book, "codex", &[]))["answers"], json!({"place": "a"}));
    assert_eq!(json(&next(&book, "codex", &late))["code"], "reply_after_end");
}

#[test]
fn a_missing_tool_turns_the_rest_into_one_contract() {
    let mut tags = choice("tags", &["x", "y", "z", "w"]);
    tags["kind"] = json!("multi_choice");
    let book = book(&json!([tags, choice("place", &["a", "b"]), text("why")]));
    let first = ask(&book, "codex", &[]);
    let second = ask(&book, "codex", &["--call", call(&first), "--answer", "tags=y"]);
    let contract = ask(&book, "codex", &["--call", call(&second), "--unavailable"]);
    assert_eq!(contract["asks"], json!(["tags", "place", "why"]));
    assert_eq!(
        contract["template"],
        json!({"answers": {"tags": ["y"], "place": "<label>", "why": "<text>"}})
    );
    let said = ["--text", "Sure: {\"answers\":{}}"];
    let refused = ask(&book, "codex", &[&["--call", call(&contract)], &said[..]].concat());
    assert_eq!(refused["rejected"], json!([{"id": null, "code": "not_json", "at": "1:1"}]));
    assert!(refused["prompt"].as_str().expect("a prompt").ends_with(" [not accepted: not_json]"));
    let more = ["--call", call(&refused), "--answer", "tags=x", "--answer", "tags=y", "--answer", "why= 雨 "];
    let missing = ask(&book, "codex", &more);
    assert_eq!(missing["rejected"], json!([{"id": "place", "code": "required", "at": "/answers/place"}]));
    let whole = r#"{"answers":{"why":" 雨 ","place":"b","tags":["y","x"]}}"#;
    let done = json(&next(&book, "codex", &["--call", call(&missing), "--text", whole]));
    assert_eq!(done["answers"].to_string(), r#"{"tags":["x","y"],"place":"b","why":" 雨 "}"#);
    assert_eq!(done["answer_spec"]["answered_by"], "codex");
}

#[test]
fn what_a_dialogue_put_on_a_screen_is_an_answer_in_no_way() {
    let mut tags = choice("tags", &["x", "y", "z", "w", "v"]);
    tags["kind"] = json!("multi_choice");
    tags["allow_other"] = json!(true);
    for (label, family) in (0..5).zip(["热血", "热血", "日常", "日常", "孤"]) {
        tags["options"][label]["_cluster"] = json!(family);
    }
    for (executor, gone, marks) in [
        ("codex", None, &["孤", "Options 1-3", "__done__ (Recommended)", "日常（推荐）"][..]),
        ("codex", Some("--unavailable"), &["热血 (推荐)", "Options 1-3"]),
        ("claude-code", None, &["Options 1-3", "x, Options 4-5"]),
        ("json-contract", None, &["Options 1-3", "___group_1___"]),
    ] {
        let book = book(&json!([tags]));
        let mut asked = ask(&book, executor, &[]);
        if let Some(flag) = gone {
            asked = ask(&book, executor, &["--call", call(&asked), flag]);
        }
        for mark in marks {
            asked = ask(&book, executor, &["--call", call(&asked), "--answer", &format!("tags={mark}")]);
            assert_eq!(asked["rejected"][0]["code"], "reserved_text", "{executor} {mark}: {asked}");
        }
        let recommended = ["--call", call(&asked), "--answer", "tags=w (Recommended)"];
        let mut said = json(&next(&book, executor, &recommended));
        if said["status"] == "ask" {
            said = json(&next(&book, executor, &["--call", call(&said), "--answer", "tags=__done__"]));
        }
        assert_eq!(said["answers"], json!({"tags": ["w"]}), "{executor}");
    }
}

#[test]
fn nobody_there_ends_it_and_answers_nothing() {
    let mut place = choice("place", &["a", "b"]);
    place["default"] = json!("a");
    let book = book(&json!([place]));
    let mut last = ask(&book, "claude-code", &[]);
    for _ in 0..2 {
        last = ask(&book, "claude-code", &["--call", call(&last), "--output", "{\"answers\":{}}"]);
        assert_eq!(last["rejected"], json!([{"id": "place", "code": "unanswered"}]));
    }
    let ended = json(&next(
        &book,
        "claude-code",
        &["--call", call(&last), "--output", "{\"answers\":{\"x\":\"a\"}}"],
    ));
    assert_eq!((&ended["status"], &ended["exit"]), (&json!("idle"), &json!(3)));
    // A call that timed out carries what the client filled in; it is no answer.
    let resumed = ask(&book, "claude-code", &["--resume"]);
    let text = resumed["input"]["questions"][0]["question"].as_str().expect("a text");
    let timed_out = json!({"answers": {text: "a"}, "afkTimeoutMs": 60000}).to_string();
    let ended =
        json(&next(&book, "claude-code", &["--resume", "--call", call(&resumed), "--output", &timed_out]));
    assert_eq!((&ended["status"], &ended["answers_so_far"]), (&json!("terminated"), &json!({})));
    assert_eq!(record(&book), None);
}

#[test]
fn compile_names_every_control_that_can_come_up() {
    let many = |id: &str, labels: &[&str], own: bool| -> Value {
        let mut question = choice(id, labels);
        (question["kind"], question["allow_other"]) = (json!("multi_choice"), json!(own));
        question
    };
    let book = book(&json!([
        many("two", &["a", "b"], false),
        many("one", &["a"], false),
        many("own", &["a"], true)
    ]));
    for (executor, expected) in [
        ("codex", [&["more", "done", "back"][..], &["stop"], &["more", "done", "back", "stop"]]),
        ("claude-code", [&[][..], &["stop"], &["done", "stop"]]),
    ] {
        let compiled = json(&book.run(&["compile", PACKET, "--for", executor]));
        for (place, expected) in expected.iter().enumerate() {
            let controls = compiled["questions"][place]["controls"].as_object().expect("controls");
            assert_eq!(controls.keys().collect::<Vec<_>>(), *expected, "{executor} {place}");
        }
    }
}

#[test]
fn compile_shows_how_each_question_is_asked() {
    let mut tags = choice("tags", &["x", "y", "z"]);
    tags["kind"] = json!("multi_choice");
    let mut many = choice("many", &["1", "2", "3", "4", "5"]);
    many["required"] = json!(false);
    let book =
        book(&json!([choice("place", &["a", "b"]), tags, many, text("why"), choice("odd", &["Other", "b"])]));
    let compiled = |executor: &str, more: &[&str]| -> Value {
        let line = [&["compile", PACKET, "--for", executor], more].concat();
        let json = json(&book.run(&line));
        assert_eq!(json["exit"], 0, "{json}");
        json
    };
    let strategies = |json: &Value| -> Vec<String> {
        let questions = json["questions"].as_array().expect("questions").iter();
        questions
            .map(|question| {
                format!(
                    "{} {}",
                    question["mode"].as_str().unwrap_or_default(),
                    question["strategy"].as_str().unwrap_or_default()
                )
            })
            .collect()
    };
    let claude = compiled("claude-code", &[]);
    assert_eq!(
        strategies(&claude),
        ["tool direct", "tool native_multi", "tool two_stage_routing", "tool text", "tool direct"]
    );
    assert_eq!(claude["questions"][2]["controls"], json!({"skip": "__skip__", "back": "__back__"}));
    let codex = compiled("codex", &[]);
    let expected =
        ["tool direct", "tool loop", "tool two_stage_routing", "contract contract", "contract contract"];
    assert_eq!(strategies(&codex), expected);
    assert_eq!(codex["questions"][2]["first"]["options"].as_array().map(Vec::len), Some(3));
    let exact = compiled("codex", &["--exact-options", "9"]);
    assert_eq!(strategies(&exact)[0], "contract contract");
    let contract = compiled("json-contract", &[]);
    let required = &contract["schema"]["properties"]["answers"]["required"];
    assert_eq!(*required, json!(["place", "tags", "why", "odd"]));
}

#[test]
fn a_message_is_one_text() {
    let book = book(&json!([text("why")]));
    let first = ask(&book, "claude-code", &[]);
    let label = first["input"]["questions"][0]["options"][0]["label"].as_str().expect("a label");
    let message = ask(&book, "claude-code", &["--call", call(&first), "--answer", &format!("why={label}")]);
    let (now, before) = (call(&message), replies(&book));
    let output = format!("{{\"call\":\"{now}\",\"output\":{{}}}}");
    for (line, expected) in [
        (&["--reply", &*output][..], "answered by \"text\" or \"escape\""),
        (&["--call", now, "--none"], "A message is one text"),
        (&["--call", now, "--answer", "why=a", "--answer", "why=b"], "A message is one text"),
    ] {
        let refused = json(&next(&book, "claude-code", line));
        assert!(refused["message"].as_str().is_some_and(|why| why.contains(expected)), "{line:?}: {refused}");
        assert_eq!(replies(&book), before, "{line:?}");
    }
    let done = json(&next(&book, "claude-code", &["--call", now, "--answer", "why=a"]));
    assert_eq!(done["status"], "done", "{done}");
}
