use super::*;
use crate::ask::problem::Found;

/// The problems of a packet whose `novel_ask` is this, as (pointer, kind) pairs.
fn faults(ask: &str) -> Vec<(String, ProblemKind)> {
    let packet = format!("{{\"answer_path\": \"a.json\", \"novel_ask\": {ask}}}");
    match decode_packet(packet.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|problem| (problem.pointer, problem.kind)).collect(),
    }
}

fn spec_of(questions: &str) -> String {
    format!("{{\"version\": 1, \"topic\": \"t\", \"questions\": [{questions}]}}")
}

/// A question of this kind with these further members.
fn question_of(kind: &str, members: &str) -> String {
    spec_of(&format!(
        "{{\"id\": \"a\", \"header\": \"h\", \"question\": \"q\", \"kind\": \"{kind}\", \"required\": true{members}}}"
    ))
}

const OPTIONS: &str =
    r#", "options": [{"label": "x", "description": "d"}, {"label": "y", "description": "d"}]"#;

/// The one problem of a choice question with these further members.
fn one_fault(kind: &str, members: &str) -> (String, ProblemKind) {
    let mut faults = faults(&question_of(kind, members));
    assert_eq!(faults.len(), 1, "{members}: {faults:?}");
    let (pointer, kind) = faults.remove(0);
    let pointer = pointer.strip_prefix("/novel_ask/questions/0").expect("inside the question").to_owned();
    (pointer, kind)
}

fn value(expected: Expected, source: &str) -> ProblemKind {
    ProblemKind::Value(expected, Found::Source(source.to_owned()))
}

#[test]
fn each_mistake_in_the_options_has_its_place_and_kind() {
    use Expected::{List, Object, Words};
    use ProblemKind::{DuplicateLabel, UnknownField, Value};
    let option = |members: &str| format!(", \"options\": [{members}]");
    for (kind, members, pointer, problem) in [
        ("single_choice", String::new(), "/options", Value(List, Found::Nothing)),
        ("multi_choice", ", \"options\": []".into(), "/options", Value(List, Found::EmptyList)),
        ("multi_choice", ", \"options\": {}".into(), "/options", value(List, "{}")),
        ("single_choice", option("[]"), "/options/0", Value(Object, Found::EmptyList)),
        (
            "single_choice",
            option(r#"{"label": "x"}"#),
            "/options/0/description",
            Value(Words, Found::Nothing),
        ),
        (
            "single_choice",
            option(r#"{"label": "\ufeff\u3000", "description": "d"}"#),
            "/options/0/label",
            Value(Words, Found::Blank),
        ),
        (
            "multi_choice",
            option(r#"{"label": "x", "description": "d"}, {"description": "e", "label": "\u0078"}"#),
            "/options/1/label",
            DuplicateLabel("x".into()),
        ),
        (
            "multi_choice",
            option(r#"{"label": "x", "description": "d", "value/~": 1, "_value": 2}"#),
            "/options/0/value~1~0",
            UnknownField("value/~".into(), &OPTION_KEYS),
        ),
    ] {
        assert_eq!(one_fault(kind, &members), (pointer.to_owned(), problem), "{members}");
    }
}

#[test]
fn each_mistake_beside_the_options_has_its_place_and_kind() {
    use Expected::{Boolean, List, Words};
    use ProblemKind::{DefaultNotAnOption, DuplicateEntry, UnknownField, Value};
    let with = |more: &str| format!("{OPTIONS}, {more}");
    for (kind, members, pointer, problem) in [
        ("single_choice", with("\"allow_other\": null"), "/allow_other", value(Boolean, "null")),
        ("multi_choice", with("\"allow_other\": \"true\""), "/allow_other", value(Boolean, "\"true\"")),
        ("single_choice", with("\"default\": null"), "/default", value(Words, "null")),
        ("single_choice", with("\"default\": [\"x\"]"), "/default", value(Words, "[\"x\"]")),
        (
            "single_choice",
            with("\"default\": \"xy\""),
            "/default",
            DefaultNotAnOption("xy".into(), Some("x".into())),
        ),
        ("single_choice", with("\"default\": \"abc\""), "/default", DefaultNotAnOption("abc".into(), None)),
        ("multi_choice", with("\"default\": \"x\""), "/default", value(List, "\"x\"")),
        ("multi_choice", with("\"default\": []"), "/default", Value(List, Found::EmptyList)),
        ("multi_choice", with("\"default\": null"), "/default", value(List, "null")),
        ("multi_choice", with("\"default\": [\"x\", 1]"), "/default/1", value(Words, "1")),
        ("multi_choice", with("\"default\": [\"y\", \"y\"]"), "/default/1", DuplicateEntry("y".into())),
        (
            "multi_choice",
            with("\"other\": 1, \"other\": 2"),
            "/other",
            UnknownField("other".into(), &CHOICE_KEYS),
        ),
        ("free_text", ", \"default\": \"x\"".into(), "/default", UnknownField("default".into(), &TEXT_KEYS)),
        ("essay", String::new(), "/kind", value(Expected::QuestionKind, "\"essay\"")),
        ("Free_text", String::new(), "/kind", value(Expected::QuestionKind, "\"Free_text\"")),
    ] {
        assert_eq!(one_fault(kind, &members), (pointer.to_owned(), problem), "{members}");
    }
}

#[test]
fn these_oddities_are_legal() {
    for (kind, members) in [
        ("free_text", ", \"_default\": [{}], \"_\": 0, \"__proto__\": {}"),
        (
            "single_choice",
            r#", "options": [{"label": " x", "description": "d"}, {"label": "x", "description": "d"}]"#,
        ),
        ("single_choice", r#", "options": [{"label": "\ud800", "description": "d"}], "default": "\uD800""#),
        (
            "multi_choice",
            r#", "options": [{"label": "\u0085", "description": "\u200b"}], "default": ["\u0085"]"#,
        ),
        (
            "multi_choice",
            r#", "default": 1, "default": ["x"], "options": [{"label": "x", "description": "d"}]"#,
        ),
        ("free_\\u0074ext", ", \"\\u005fhint\": 1"),
    ] {
        assert_eq!(faults(&question_of(kind, members)), [], "{members}");
    }
}

#[test]
fn versions_are_integers_from_one() {
    for version in ["1", "1.0", "1e0", "10e-1", "0.99999999999999999999", "9007199254740993", "1e300"] {
        let ask = spec_of("").replace("1,", &format!("{version},"));
        assert!(faults(&ask).iter().all(|(pointer, _)| pointer != "/novel_ask/version"), "{version}");
    }
    for version in ["0", "-1", "-0", "1.5", "1e400", "-1e400", "1e-1", "\"1\"", "null", "true", "[1]"] {
        let ask = spec_of("").replace("1,", &format!("{version},"));
        let problem = ("/novel_ask/version".to_owned(), value(Expected::Version, version));
        assert!(faults(&ask).contains(&problem), "{version}");
    }
}

#[test]
fn all_mistakes_are_found_at_once() {
    let ask = r#"{"version": 0, "topic": " ", "questions": [
        7, {"id": "A", "header": 1, "question": "", "kind": "free_text", "required": 1},
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": false},
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": false}], "more": 1}"#;
    let pointers: Vec<String> = faults(ask).into_iter().map(|(pointer, _)| pointer).collect();
    let at = |rest: &str| format!("/novel_ask{rest}");
    let question = |rest: &str| at(&format!("/questions{rest}"));
    assert_eq!(
        pointers,
        [
            at("/more"),
            at("/version"),
            at("/topic"),
            question("/0"),
            question("/1/id"),
            question("/1/header"),
            question("/1/question"),
            question("/1/required"),
            question("/3/id"),
        ]
    );
}

#[test]
fn the_gate_is_both_or_neither() {
    let pointer_kinds = |packet: &str| -> Vec<(String, ProblemKind)> {
        let problems = decode_packet(packet.as_bytes()).expect_err(packet);
        problems.into_iter().map(|problem| (problem.pointer, problem.kind)).collect()
    };
    let ask = question_of("free_text", "");
    assert_eq!(
        pointer_kinds(&format!("{{\"novel_ask\": {ask}}}")),
        [(String::new(), ProblemKind::NoAnswerPath)]
    );
    assert_eq!(pointer_kinds(r#"{"answer_path": "a"}"#), [(String::new(), ProblemKind::NoQuestions)]);
    assert_eq!(pointer_kinds(r#"{"answer_path": null, "answer_path": "a"}"#).len(), 1);
    for (path, wanted) in [
        ("null", vec![value(Expected::Path, "null")]),
        ("\"\\u3000\"", vec![ProblemKind::Value(Expected::Path, Found::Blank)]),
        ("\"/a\"", vec![ProblemKind::AbsolutePath("/a".into())]),
        ("\"a\\\\..\\\\b\"", vec![ProblemKind::PathTraversal("a\\..\\b".into())]),
        ("\"/..\"", vec![ProblemKind::PathTraversal("/..".into()), ProblemKind::AbsolutePath("/..".into())]),
    ] {
        let packet = format!("{{\"novel_ask\": {ask}, \"answer_path\": {path}}}");
        let kinds: Vec<ProblemKind> = pointer_kinds(&packet).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(kinds, wanted, "{path}");
    }
    for path in ["a..b", "...", "..a/b", "\\\\a", "c:/a", "a//b/./c", " a "] {
        let packet = format!("{{\"novel_ask\": {ask}, \"answer_path\": \"{}\"}}", path.replace('\\', "\\\\"));
        assert!(decode_packet(packet.as_bytes()).is_ok(), "{path}");
    }
    for packet in ["[]", "null", "\"novel_ask\"", "1"] {
        assert_eq!(pointer_kinds(packet).len(), 1, "{packet}");
    }
    assert!(decode_packet(b"{}").is_ok_and(|packet| packet.gate.is_none()));
}

#[test]
fn what_is_not_the_gate_is_read_leniently() {
    let packet = br#"{"step": "s", "agent": {"name": "writer"}, "expected_outputs": [
        "a", {"path": "b", "required": true}, {"path": 1}, 2, null, {"path": "c", "required": "yes"}],
        "next_actions": ["x", {"command": "y"}, {"run": "z"}, []], "manifest": {"step": "not this"}}"#;
    let packet = decode_packet(packet).expect("legal");
    assert_eq!(packet.step, Some("s".into()));
    assert_eq!(packet.agent, Some("writer".into()));
    let outputs: Vec<(JsString, bool)> =
        packet.expected_outputs.into_iter().map(|output| (output.path, output.required)).collect();
    assert_eq!(outputs, [("a".into(), false), ("b".into(), true), ("c".into(), false)]);
    assert_eq!(packet.next_actions, ["x", "y"].map(JsString::from));
    let odd = decode_packet(br#"{"step": 1, "agent": [], "expected_outputs": {}, "next_actions": "x"}"#);
    assert_eq!(odd, Ok(Packet::default()));
}

const MANY: usize = 20_000;

fn joined(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<String>>().join(",")
}

fn option(i: usize) -> String {
    format!("{{\"label\":\"{i}\",\"description\":\"d\"}}")
}

#[test]
fn very_many_options_and_defaults_take_no_time() {
    let options = joined(MANY, option);
    let default = joined(MANY, |i| format!("\"{}\"", MANY - 1 - i));
    let members = format!(", \"options\": [{options}], \"default\": [{default}]");
    assert_eq!(faults(&question_of("multi_choice", &members)), []);
    let twice = format!(", \"options\": [{options},{options}]");
    assert_eq!(faults(&question_of("multi_choice", &twice)).len(), Problems::LIMIT);
    let wrong = joined(MANY, |i| format!("\"wrong {i}\""));
    let members = format!(", \"options\": [{options}], \"default\": [{wrong}]");
    assert_eq!(faults(&question_of("multi_choice", &members)).len(), Problems::LIMIT);
}

#[test]
fn very_many_questions_and_unknown_keys_take_no_time() {
    let question = |i: usize| {
        format!(
            "{{\"id\":\"q{i}\",\"header\":\"h\",\"question\":\"q\",\"kind\":\"free_text\",\"required\":true}}"
        )
    };
    assert_eq!(faults(&spec_of(&joined(MANY, question))), []);
    assert_eq!(faults(&spec_of(&joined(MANY, |_| question(0)))).len(), Problems::LIMIT);
    let hints = joined(MANY, |i| format!("\"_{i}\":{i}"));
    assert_eq!(faults(&question_of("free_text", &format!(", {hints}"))), []);
    let unknown = joined(MANY, |i| format!("\"k{i}\":{i}"));
    assert_eq!(faults(&question_of("free_text", &format!(", {unknown}"))).len(), Problems::LIMIT);
}

#[test]
fn a_huge_label_is_no_huge_problem() {
    let label = "长".repeat(2_000_000);
    let options = format!("{{\"label\":\"{label}\",\"description\":\"d\"}}");
    let wrong = joined(2_000, |i| format!("\"w{i}\""));
    let members = format!(", \"options\": [{options}], \"default\": [{wrong}], \"{label}\": 1");
    let faults = faults(&question_of("multi_choice", &members));
    assert_eq!(faults.len(), Problems::LIMIT);
    assert!(faults.iter().all(|(pointer, kind)| pointer.len() < 1_000 && format!("{kind:?}").len() < 8_000));
}

#[test]
fn ids_are_ascii_snake_case() {
    for id in ["a", "a1", "a_b", "a_1", "abc_d2_e", "constructor"] {
        assert!(is_snake_case(&id.into()), "{id}");
    }
    for id in [
        "",
        "_a",
        "a_",
        "a__b",
        "1a",
        "A",
        "aB",
        "a-b",
        "a b",
        " a",
        "a\n",
        "é",
        "ａ",
        "a١",
        "_",
        "__proto__",
    ] {
        assert!(!is_snake_case(&id.into()), "{id}");
    }
}
