use super::*;
use crate::adapter::document::{judge, judge_record};
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// A question with these members beside the usual ones.
fn question(id: &str, kind: &str, more: &str) -> String {
    format!(
        r#"{{"id": "{id}", "header": "H", "question": "Question {id}?", "kind": "{kind}", "required": true{more}}}"#
    )
}

fn choice(labels: &[&str], more: &str) -> String {
    let options = labels.iter().enumerate().map(|(i, label)| {
        let label = serde_json::to_string(label).unwrap();
        format!(r#"{{"label": {label}, "description": "What {i} means."}}"#)
    });
    let options: Vec<String> = options.collect();
    question("q", "single_choice", &format!(r#", "options": [{}]{more}"#, options.join(", ")))
}

fn spec(questions: &str) -> String {
    format!(r#"{{"version": 1, "topic": "T", "questions": [{questions}]}}"#)
}

fn packet(spec: &str, more: &str) -> String {
    format!(r#"{{"step": "s", "novel_ask": {spec}, "answer_path": "staging/a.json"{more}}}"#)
}

fn plain() -> String {
    spec(&question("a", "free_text", ""))
}

/// The warnings of a document: codes and pointers. The document must be legal.
fn told(document: &str) -> Vec<(Code, String)> {
    let findings = judge(document.as_bytes(), "");
    assert_eq!(findings.problems, [], "{document}");
    findings.warnings.into_iter().map(|advice| (advice.code, advice.problem.pointer)).collect()
}

/// Each warning where it is due.
fn due() -> Vec<(Code, &'static str, String)> {
    [of_words(), of_questions()].concat()
}

fn of_words() -> Vec<(Code, &'static str, String)> {
    let label = "/questions/0/options/1/label";
    let step = |label: &str, question: &str| {
        format!(
            r#"{{"protocol": "p", "version": "1.0.0", "source": "a.md",
            "source_prompts": [{{"id": "a", "source_phase": "p", "source_options_count": 2, "mapped_step_ids": ["a"]}}],
            "steps": [{{"id": "a", "intent": "select_one", "question": "{question}", "on_escape": "defer",
            "options": [{{"label": "A", "description": "a"}}, {{"label": "{label}", "description": "b"}}]}}]}}"#
        )
    };
    vec![
        (Code::InvisibleText, "/topic", plain().replace("\"T\"", "\"\\u200b\"")),
        (Code::InvisibleText, "/questions/0/header", plain().replace("\"H\"", "\"\\u3164\"")),
        (Code::InvisibleText, label, spec(&choice(&["a", "\u{2800}"], ""))),
        (Code::InvisibleText, "/steps/0/question", step("B", " ")),
        (Code::HiddenCharacters, label, spec(&choice(&["a", "b\u{202E}c"], ""))),
        (Code::HiddenCharacters, label, spec(&choice(&["a", "b\nc"], ""))),
        (Code::HiddenCharacters, label, spec(&choice(&["a", "b@"], "")).replace('@', "\\ud800")),
        (Code::HiddenCharacters, "/questions/0/question", plain().replace("on a?", "on\\u200b a?")),
        (Code::HiddenCharacters, "/steps/0/options/1/label", step("B\\u200b", "Q")),
        (Code::OuterSpace, label, spec(&choice(&["a", " b"], ""))),
        (Code::OuterSpace, "/topic", plain().replace("\"T\"", "\"T\\u3000\"")),
        (Code::LongHeader, "/questions/0/header", plain().replace("\"H\"", "\"发布平台选择呢\"")),
        (Code::LostCharacters, "", plain().replace("on a?", "on \u{fffd}\u{fffd}?")),
        (Code::LongHeader, "/questions/0/header", plain().replace("\"H\"", "\"a\\nb\"")),
        (Code::LongLabel, label, spec(&choice(&["a", &"长".repeat(31)], ""))),
        (Code::RecommendedLabel, label, spec(&choice(&["a", "b (Recommended)"], ""))),
        (Code::RecommendedLabel, label, spec(&choice(&["a", "b（推荐）"], ""))),
        (Code::OtherLabel, label, spec(&choice(&["a", "Other (please say)"], ", \"allow_other\": true"))),
        (Code::OtherLabel, label, spec(&choice(&["a", "其他"], ", \"allow_other\": true"))),
    ]
}

fn of_questions() -> Vec<(Code, &'static str, String)> {
    let same = format!("{}, {}", question("a", "free_text", ""), question("b", "free_text", ""))
        .replace("n b?", "n a?");
    vec![
        (Code::OneOption, "/questions/0/options", spec(&choice(&["a"], ""))),
        (Code::RepeatedQuestion, "/questions/1/question", spec(&same)),
        (
            Code::OptionalDefault,
            "/questions/0/default",
            spec(&choice(&["a", "b"], ", \"default\": \"b\"")).replace("true", "false"),
        ),
        (
            Code::ConstructorId,
            "/questions/0/id",
            spec(&question("constructor", "free_text", "")).replace("true", "false"),
        ),
        (Code::RepeatedKey, "/version", plain().replace("\"version\": 1", "\"version\": 2, \"version\": 1")),
        (Code::CommandOutput, "/data", r#"{"step": "s", "ok": true, "data": {"packet": {}}}"#.to_owned()),
        (Code::MisspeltGate, "/answerPath", r#"{"step": "s", "answerPath": "a.json"}"#.to_owned()),
        (
            Code::CommandOutput,
            "/data",
            format!("{{\"step\": \"s\", \"ok\": true, \"data\": {}}}", packet(&plain(), "")),
        ),
        (
            Code::MisplacedGate,
            "/manifest/novel_ask",
            format!("{{\"step\": \"s\", \"manifest\": {{\"novel_ask\": {}}}}}", plain()),
        ),
        (Code::NoStep, "", packet(&plain(), "").replace("\"step\": \"s\", ", "")),
        (Code::OddAnswerPath, "/answer_path", packet(&plain(), "").replace("a.json", "a\\\\b.json")),
        (Code::OddAnswerPath, "/answer_path", packet(&plain(), "").replace("a.json", "a.json ")),
        (Code::OddAnswerPath, "/answer_path", packet(&plain(), "").replace("a.json", "ch:13.json")),
        (Code::OddAnswerPath, "/answer_path", packet(&plain(), "").replace("a.json", "a")),
    ]
}

#[test]
fn each_warning_is_told_where_it_is_due_and_nothing_else() {
    for (code, pointer, document) in due() {
        assert_eq!(told(&document), [(code, pointer.to_owned())], "{document}");
    }
}

#[test]
fn every_warning_is_tested() {
    // What needs a record or other files is tested with them.
    let elsewhere =
        [Code::NearLabel, Code::Copy, Code::Misnamed, Code::UnwritablePath, Code::SharedAnswerPath];
    let tested: BTreeSet<Code> = due().into_iter().map(|(code, ..)| code).chain(elsewhere).collect();
    assert_eq!(tested, Code::VARIANTS.iter().copied().collect());
}

#[test]
fn good_documents_have_no_warnings() {
    let other = ", \"allow_other\": true";
    for document in [
        plain(),
        packet(&plain(), r#", "expected_outputs": ["staging/a.json"]"#),
        r#"{"step": 3, "agent": "a"}"#.to_owned(),
        spec(&choice(&["其他人", "another", "Otherworld"], other)),
        spec(&choice(&["其他", "b"], "")),
        spec(&choice(&["only"], other)),
        spec(&choice(&["👨‍👩‍👧", "❤\u{FE0F}", "i", "l"], "")),
        spec(&choice(&["a", "b", "c", "d", "e", "f", "g", "h", "j"], ", \"default\": \"j\"")),
        plain().replace("Question a?", "第一行\\r\\n\\t第二行"),
        plain().replace("\"H\"", "\" 发布平台选择 \""),
        spec(&question("prototype", "free_text", "")).replace("true", "false"),
    ] {
        assert_eq!(told(&document), [], "{document}");
    }
}

#[test]
fn an_answer_can_be_unwise_too() {
    let questions = format!(
        "{}, {}",
        choice(&["起点", "b"], ", \"allow_other\": true").replace("single", "multi"),
        question("t", "free_text", "")
    );
    let spec = crate::ask::decode_spec(spec(&questions).as_bytes()).unwrap();
    let record = |q: &str, t: &str, by: &str| {
        format!(
            r#"{{"version": 1, "topic": "T", "answers": {{"q": {q}, "t": "{t}"}},
            "answered_at": "2026-02-27T10:12:34Z", "answered_by": "{by}"}}"#
        )
    };
    let told = |record: &str| -> Vec<(Code, String)> {
        let findings = judge_record(record.as_bytes(), &spec);
        assert_eq!(findings.problems, [], "{record}");
        findings.warnings.into_iter().map(|advice| (advice.code, advice.problem.pointer)).collect()
    };
    assert_eq!(told(&record(r#"["起点", "own"]"#, "b ", "human")), []);
    let near = told(&record(r#"["b", "起点 "]"#, "x", "human"));
    assert_eq!(near, [(Code::NearLabel, "/answers/q/1".to_owned())]);
    let unseen = record(r#"["b", "\u200b"]"#, "\\u200b", "\\u3164");
    let places =
        ["/answers/q/1", "/answers/t", "/answered_by"].map(|at| (Code::InvisibleText, at.to_owned()));
    assert_eq!(told(&unseen), places);
    assert_eq!(super::tests::told(&unseen), places, "without its questions too");
}

#[test]
fn every_sentence_is_there_in_both_languages() {
    let mut all: Vec<Advice> = due().iter().flat_map(|(.., it)| judge(it.as_bytes(), "").warnings).collect();
    all.push(shared(&"a.json".into(), "b.packet.json"));
    all.push(unwritable(&"a.json".into(), say("It is a directory.", "它是一个目录。")));
    for advice in all {
        let [english, chinese] = [Lang::En, Lang::ZhCn].map(|lang| advice.sentence(lang));
        assert_ne!(english, chinese);
        assert!(english.is_ascii() || !english.contains('，'), "{english}");
        assert!(!english.contains('{') && !chinese.contains('{'), "{english} {chinese}");
    }
    let names: BTreeSet<&str> = Code::VARIANTS.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::VARIANTS.len());
}

#[test]
fn no_more_than_a_thousand_are_told() {
    let labels: Vec<String> = (0..3_000).map(|i| format!(" {i}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    assert_eq!(told(&spec(&choice(&labels, ""))).len(), LIMIT);
}

#[test]
fn case_width_white_space_and_hidden_characters_are_overlooked() {
    for (a, b) in [
        ("qidian", "Qidian"),
        ("qidian", "qidian "),
        ("ＡＢ１", "ab1"),
        ("雨停", "雨\u{200B}停"),
        ("雨停", "雨\u{3000}停"),
        ("café", "cafe\u{301}"),
        ("豈", "\u{F900}"),
        ("❤", "❤\u{FE0F}"),
    ] {
        assert_eq!(fold(a), fold(b), "{a} {b}");
    }
    for (a, b) in [("a", "b"), ("起点", "起點"), ("i", "l"), ("C", "C++"), ("+1", "-1"), ("第一章", "第二章")]
    {
        assert_ne!(fold(a), fold(b), "{a} {b}");
    }
    for text in ["", " ", "\u{200B}", "\u{3164}", "\u{2800}\u{FEFF}", "\u{202E}\u{202C}"] {
        assert!(text.chars().all(is_unseen), "{text:?}");
    }
}
