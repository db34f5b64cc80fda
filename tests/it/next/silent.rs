//! What a client says where the author has said nothing is no answer, through whatever door it comes.

use super::{RECORD, ask, book, call, choice, json as told, next, record, text};
use crate::project::{Book, Outcome};
use serde_json::{Value, json};

/// Some of what clients say then; the others are beside the code.
const SILENT: [&str; 6] = [
    "[No preference]",
    "【no preference】。",
    "[User dismissed — do not proceed, wait for next instruction]",
    "[User dismissed - do not proceed…]",
    "(No answer provided)",
    "User declined to answer questions",
];

fn free(id: &str) -> Value {
    let mut question = choice(id, &["生", "死"]);
    question["allow_other"] = json!(true);
    question
}

fn multi(id: &str) -> Value {
    let mut question = free(id);
    question["kind"] = json!("multi_choice");
    question
}

/// Nothing is written, and the gate is as it was.
fn stays_closed(book: &Book, reply: &Outcome, what: &str) -> Value {
    let told = told(reply);
    assert_ne!(told["status"], "done", "{what}: {told}");
    assert_eq!(record(book), None, "{what}");
    assert_eq!(book.run(&["check", "chapter:001:draft"]).exit, 3, "{what}");
    told
}

#[test]
fn what_a_client_says_for_silence_is_an_escape_through_every_door() {
    for said in SILENT {
        for (executor, questions) in [
            ("claude-code", json!([free("a")])),
            ("claude-code", json!([text("a")])),
            ("claude-code", json!([multi("a")])),
            ("codex", json!([free("a")])),
            ("codex", json!([multi("a")])),
            ("codex", json!([text("a")])),
            ("json-contract", json!([free("a"), text("b")])),
            ("json-contract", json!([multi("a")])),
        ] {
            let kind = questions[0]["kind"].as_str().expect("a kind").to_owned();
            let what = format!("{said:?} of {executor} for {kind}");
            let mut replies = vec![vec!["--answer".to_owned(), format!("a={said}")]];
            match executor {
                "claude-code" => {
                    let output = json!({"answers": {"a?": said}}).to_string();
                    replies.push(vec!["--output".to_owned(), output]);
                    let output = json!({"answers": {}, "response": said}).to_string();
                    replies.push(vec!["--output".to_owned(), output]);
                }
                "codex" if kind != "free_text" => {
                    for answers in [json!([said]), json!(["None of the above", format!("user_note: {said}")])]
                    {
                        let output = json!({"answers": {"a": {"answers": answers}}}).to_string();
                        replies.push(vec!["--output".to_owned(), output]);
                    }
                }
                _ => {
                    replies.push(vec!["--text".to_owned(), said.to_owned()]);
                    let value = if kind == "multi_choice" { json!([said]) } else { json!(said) };
                    replies.push(vec!["--text".to_owned(), json!({"answers": {"a": value}}).to_string()]);
                }
            }
            for reply in replies {
                let book = book(&questions);
                let asked = ask(&book, executor, &[]);
                let mut line = vec!["--write", "--call", call(&asked)];
                line.extend(reply.iter().map(String::as_str));
                let told = stays_closed(&book, &next(&book, executor, &line), &format!("{what}, {reply:?}"));
                assert_eq!(told["status"], "terminated", "{what}, {reply:?}: {told}");
            }
        }
    }
}

#[test]
fn beside_silence_the_other_answers_of_a_call_are_kept() {
    let book = book(&json!([free("a"), free("b")]));
    let first = ask(&book, "claude-code", &[]);
    let output = json!({"answers": {"a?": "[No preference]", "b?": "死"}}).to_string();
    let second = ask(&book, "claude-code", &["--write", "--call", call(&first), "--output", &output]);
    assert_eq!(second["rejected"], json!([{"id": "a", "code": "unanswered"}]));
    assert_eq!((&second["asks"], &second["progress"]["resolved"]), (&json!(["a"]), &json!(1)));
    let again = second["input"]["questions"][0]["question"].as_str().expect("a text");
    let output = json!({"answers": {again: "[No preference]"}}).to_string();
    let ended = next(&book, "claude-code", &["--write", "--call", call(&second), "--output", &output]);
    let ended = stays_closed(&book, &ended, "twice");
    assert_eq!((&ended["status"], &ended["answers_so_far"]), (&json!("terminated"), &json!({"b": "死"})));
    // Who closes the dialog answers none of its questions.
    let resumed = ask(&book, "claude-code", &["--resume"]);
    let text = resumed["input"]["questions"][0]["question"].as_str().expect("a text");
    for left in [
        json!({"answers": {text: "[User dismissed — do not proceed, wait for next instruction]"}}),
        json!({"answers": {text: "生"}, "followUp": true}),
    ] {
        let line = ["--resume", "--write", "--call", call(&resumed), "--output", &left.to_string()];
        assert_eq!(stays_closed(&book, &next(&book, "claude-code", &line), "left")["status"], "terminated");
    }
}

#[test]
fn as_one_of_several_entries_silence_contradicts_the_others() {
    for (executor, output) in [
        ("claude-code", json!({"answers": {"a?": ["生", "[No preference]"]}})),
        ("claude-code", json!({"answers": {"a?": "生, [No preference]"}})),
        ("claude-code", json!({"answers": {"a?": "[No preference], 生"}})),
        ("codex", json!({"answers": {"a": {"answers": ["生", "user_note: [No preference]"]}}})),
    ] {
        for native in [false, true] {
            let mut question = multi("a");
            question["allow_other"] = json!(!native);
            let book = book(&json!([question]));
            let asked = ask(&book, executor, &[]);
            let line = ["--write", "--call", call(&asked), "--output", &output.to_string()];
            let told = told(&next(&book, executor, &line));
            if executor == "codex" {
                // A note beside a label is no answer to begin with, and here not even a note.
                assert_eq!((&told["rejected"], &told["notices"]), (&json!([]), &json!([])), "{told}");
                continue;
            }
            assert_eq!(told["rejected"], json!([{"id": "a", "code": "contradiction"}]), "{output}: {told}");
            assert_eq!(record(&book), None);
        }
    }
    let book = book(&json!([multi("a")]));
    let asked = ask(&book, "json-contract", &[]);
    let line = ["--write", "--call", call(&asked), "--answer", "a=生", "--answer", "a=[No preference]"];
    assert_eq!(told(&next(&book, "json-contract", &line))["rejected"][0]["code"], "unanswered");
    assert_eq!(record(&book), None);
}

#[test]
fn a_note_that_says_nothing_is_none_and_a_note_alone_is_heard() {
    let book = book(&json!([free("a")]));
    let asked = ask(&book, "claude-code", &[]);
    let noted = |answer: &str, note: &str| {
        json!({"answers": {"a?": answer}, "annotations": {"a?": {"notes": note}}}).to_string()
    };
    let line = ["--call", call(&asked), "--output", &noted("(notes only)", "先不要定")];
    let again = ask(&book, "claude-code", &line);
    assert_eq!(again["rejected"], json!([{"id": "a", "code": "unanswered"}]));
    assert_eq!(again["notices"], json!([{"id": "a", "note": "先不要定"}]));
    let key = again["input"]["questions"][0]["question"].as_str().expect("a text");
    let output =
        json!({"answers": {key: "生"}, "annotations": {key: {"notes": "[No preference]"}}}).to_string();
    let done = told(&next(&book, "claude-code", &["--call", call(&again), "--output", &output]));
    assert_eq!((&done["status"], &done["notices"]), (&json!("done"), &json!([])), "{done}");
}

#[test]
fn words_in_square_brackets_are_asked_about_once_more_and_then_taken() {
    for (executor, question, flag) in [
        ("claude-code", free("a"), "--answer"),
        ("claude-code", text("a"), "--answer"),
        ("claude-code", multi("a"), "--answer"),
        ("claude-code", text("a"), "--text"),
        ("codex", free("a"), "--answer"),
        ("codex", text("a"), "--answer"),
        ("json-contract", free("a"), "--answer"),
        ("json-contract", multi("a"), "--answer"),
    ] {
        for words in ["[雨停之前]", "【 系统 】", "No preference"] {
            let is_multi = question["kind"] == "multi_choice";
            let book = book(&json!([question.clone()]));
            let mut asked = ask(&book, executor, &[]);
            if flag == "--text" {
                asked = ask(&book, executor, &["--call", call(&asked), "--answer", "a=__type__"]);
            }
            let reply = if flag == "--text" { words.to_owned() } else { format!("a={words}") };
            let again = next(&book, executor, &["--write", "--call", call(&asked), flag, &reply]);
            let again = stays_closed(&book, &again, words);
            let code = json!("repeat_to_confirm");
            assert_eq!((&again["status"], &again["rejected"][0]["code"]), (&json!("ask"), &code), "{again}");
            let other =
                next(&book, executor, &["--call", call(&again), flag, &reply.replace(words, "[别的]")]);
            let asked = told(&other);
            assert_eq!(asked["rejected"][0]["code"], code, "other words are other words");
            let asked = ask(&book, executor, &["--call", call(&asked), flag, &reply]);
            let mut end = told(&next(&book, executor, &["--write", "--call", call(&asked), flag, &reply]));
            if is_multi && end["status"] == "ask" {
                let more = ["--write", "--call", call(&end), "--answer", "a=__done__"].map(str::to_owned);
                end = told(&next(&book, executor, &more.each_ref().map(String::as_str)));
            }
            assert_eq!(end["status"], "done", "{executor}, {flag}, {words}: {end}");
            let written = record(&book).expect("a record");
            assert!(written.contains(words), "{written}");
        }
    }
}

#[test]
fn a_label_is_a_label_and_a_record_by_hand_is_a_record() {
    let mut question = choice("a", &["[No preference]", "(skipped)", "生"]);
    question["allow_other"] = json!(true);
    for label in ["[No preference]", "(skipped)"] {
        for executor in ["claude-code", "codex", "json-contract"] {
            let book = book(&json!([question.clone()]));
            let asked = ask(&book, executor, &[]);
            let line = ["--write", "--call", call(&asked), "--answer", &format!("a={label}")];
            assert_eq!(told(&next(&book, executor, &line))["status"], "done", "{executor}, {label}");
        }
    }
    let book = book(&json!([free("a")]));
    book.put(RECORD, r#"{"version":1,"topic":"t","answers":{"a":"[No preference]"},"answered_at":"2026-02-27T10:12:34Z","answered_by":"h"}"#);
    assert_eq!(book.run(&["check", "chapter:001:draft"]).exit, 0, "the executor takes it");
    book.remove(RECORD);
    let set = ["answer", "chapter:001:draft", "--set", "a=[No preference]", "--by", "h"];
    assert_eq!(book.run(&set).exit, 0, "every value is taken exactly as it is given");
}
