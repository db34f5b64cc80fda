use super::*;
use crate::text::Lang;
use std::path::Path;

/// The problems of a packet whose `novel_ask` is this: where, and what was found and expected.
fn faults(ask: &str) -> Vec<(String, String)> {
    let packet = format!("{{\"answer_path\": \"a.json\", \"novel_ask\": {ask}}}");
    decode_packet(packet.as_bytes()).err().unwrap_or_default().into_iter().map(told).collect()
}

fn told(problem: Problem) -> (String, String) {
    let hint = problem.hint.map(|hint| format!("; {}", hint.text(Lang::En))).unwrap_or_default();
    let [found, expected] = [problem.found, problem.expected].map(|words| words.text(Lang::En));
    (problem.pointer, format!("{found}; {expected}{hint}"))
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
fn one_fault(kind: &str, members: &str) -> (String, String) {
    let mut faults = faults(&question_of(kind, members));
    assert_eq!(faults.len(), 1, "{members}: {faults:?}");
    let (pointer, kind) = faults.remove(0);
    let pointer = pointer.strip_prefix("/novel_ask/questions/0").expect("inside the question").to_owned();
    (pointer, kind)
}

const OBJECT: &str = "an object { label, description }";
const LIST: &str = "a list with at least one entry";
const WORDS: &str = "a string that is not blank";
const BOOLEAN: &str = "true or false";
const KINDS: &str = "single_choice, multi_choice or free_text";

fn unknown(key: &str, known: &str) -> String {
    format!("the unknown field \"{key}\"; one of: {known}; or a name that begins with _")
}

fn value(expected: &str, found: &str) -> String {
    format!("{found}; {expected}")
}

#[test]
fn each_mistake_in_the_options_has_its_place_and_kind() {
    let option = |members: &str| format!(", \"options\": [{members}]");
    for (kind, members, pointer, problem) in [
        ("single_choice", String::new(), "/options", value(LIST, "nothing")),
        ("multi_choice", ", \"options\": []".into(), "/options", value(LIST, "an empty list")),
        ("multi_choice", ", \"options\": {}".into(), "/options", value(LIST, "{}")),
        ("single_choice", option("[]"), "/options/0", value(OBJECT, "an empty list")),
        ("single_choice", option(r#"{"label": "x"}"#), "/options/0/description", value(WORDS, "nothing")),
        (
            "single_choice",
            option(r#"{"label": "\ufeff\u3000", "description": "d"}"#),
            "/options/0/label",
            value(WORDS, "only white space"),
        ),
        (
            "multi_choice",
            option(r#"{"label": "x", "description": "d"}, {"description": "e", "label": "\u0078"}"#),
            "/options/1/label",
            value("each label once", "\"x\" twice"),
        ),
        (
            "multi_choice",
            option(r#"{"label": "x", "description": "d", "value/~": 1, "_value": 2}"#),
            "/options/0/value~1~0",
            unknown("value/~", "label, description") + "; Nearest: label",
        ),
    ] {
        assert_eq!(one_fault(kind, &members), (pointer.to_owned(), problem), "{members}");
    }
}

#[test]
fn each_mistake_beside_the_options_has_its_place_and_kind() {
    let with = |more: &str| format!("{OPTIONS}, {more}");
    for (kind, members, pointer, problem) in [
        ("single_choice", with("\"allow_other\": null"), "/allow_other", value(BOOLEAN, "null")),
        (
            "multi_choice",
            with("\"allow_other\": \"true\""),
            "/allow_other",
            value(BOOLEAN, "\"true\"") + "; Nearest: true",
        ),
        ("single_choice", with("\"default\": null"), "/default", value(WORDS, "null")),
        ("single_choice", with("\"default\": [\"x\"]"), "/default", value(WORDS, "[\"x\"]")),
        (
            "single_choice",
            with("\"default\": \"xy\""),
            "/default",
            value("one of the option labels; Nearest: \"x\"", "\"xy\""),
        ),
        (
            "single_choice",
            with("\"default\": \"abc\""),
            "/default",
            value("one of the option labels", "\"abc\""),
        ),
        ("multi_choice", with("\"default\": \"x\""), "/default", value(LIST, "\"x\"")),
        ("multi_choice", with("\"default\": []"), "/default", value(LIST, "an empty list")),
        ("multi_choice", with("\"default\": null"), "/default", value(LIST, "null")),
        ("multi_choice", with("\"default\": [\"x\", 1]"), "/default/1", value(WORDS, "1")),
        (
            "multi_choice",
            with("\"default\": [\"y\", \"y\"]"),
            "/default/1",
            value("each entry once", "\"y\" twice"),
        ),
        (
            "multi_choice",
            with("\"other\": 1, \"other\": 2"),
            "/other",
            unknown("other", &CHOICE_KEYS.join(", ")),
        ),
        (
            "free_text",
            ", \"default\": \"x\"".into(),
            "/default",
            unknown("default", "id, header, question, kind, required"),
        ),
        ("essay", String::new(), "/kind", value(KINDS, "\"essay\"") + "; Nearest: free_text"),
        ("Free_text", String::new(), "/kind", value(KINDS, "\"Free_text\"") + "; Nearest: free_text"),
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
        let problem = ("/novel_ask/version".to_owned(), value("an integer of at least 1", version));
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
    const BOTH: &str = "both novel_ask and answer_path, or neither";
    const PATH: &str = "a path relative to the project, not blank";
    const RELATIVE: &str = "a path relative to the project";
    const CLIMBS: &str = "a path without .. segments";
    let problems_of = |packet: &str| -> Vec<(String, String)> {
        let problems = decode_packet(packet.as_bytes()).expect_err(packet);
        problems.into_iter().map(told).collect()
    };
    let ask = question_of("free_text", "");
    assert_eq!(
        problems_of(&format!("{{\"novel_ask\": {ask}}}")),
        [(String::new(), value(BOTH, "novel_ask without answer_path"))]
    );
    assert_eq!(
        problems_of(r#"{"answer_path": "a"}"#),
        [(String::new(), value(BOTH, "answer_path without novel_ask"))]
    );
    assert_eq!(problems_of(r#"{"answer_path": null, "answer_path": "a"}"#).len(), 1);
    for (path, wanted) in [
        ("null", vec![value(PATH, "null")]),
        ("\"\\u3000\"", vec![value(PATH, "only white space")]),
        ("\"/a\"", vec![value(RELATIVE, "\"/a\"")]),
        ("\"a\\\\..\\\\b\"", vec![value(CLIMBS, r#""a\\..\\b""#)]),
        ("\"/..\"", vec![value(CLIMBS, "\"/..\""), value(RELATIVE, "\"/..\"")]),
    ] {
        let packet = format!("{{\"novel_ask\": {ask}, \"answer_path\": {path}}}");
        let told: Vec<String> = problems_of(&packet).into_iter().map(|(_, told)| told).collect();
        assert_eq!(told, wanted, "{path}");
    }
    // Windows calls the last two absolute, and so does the executor there.
    for path in ["a..b", "...", "..a/b", "a//b/./c", " a ", "\\\\a", "c:/a"] {
        let packet = format!("{{\"novel_ask\": {ask}, \"answer_path\": \"{}\"}}", path.replace('\\', "\\\\"));
        let is_absolute = Path::new(path).has_root();
        assert_eq!(decode_packet(packet.as_bytes()).is_ok(), !is_absolute, "{path}");
        assert_eq!(is_absolute, cfg!(windows) && path.starts_with(['\\', 'c']), "{path}");
    }
    for packet in ["[]", "null", "\"novel_ask\"", "1"] {
        assert_eq!(problems_of(packet).len(), 1, "{packet}");
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
    assert!(faults.iter().all(|(pointer, told)| pointer.len() < 1_000 && told.len() < 8_000));
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

#[test]
fn faults_name_question_and_option_as_authors_count_and_the_nearest_word() {
    let told = |questions: &str, lang| {
        let packet = format!(
            r#"{{"novel_ask": {{"version": 1, "topic": "t", "questions": [{questions}]}}, "answer_path": "a.json"}}"#
        );
        let problems = decode_packet(packet.as_bytes()).expect_err("faults");
        problems.iter().map(|problem| problem.sentence(lang)).collect::<Vec<_>>().join("\n")
    };
    let question = |kind: &str, more: &str| {
        format!(
            r#"{{"id": "a", "header": "语气", "question": "?", "kind": "{kind}", "required": true,
            "options": [{{"label": "冷峻", "description": "d"}}, {{"label": "热烈", "description": "d"{more}}}]}}"#
        )
    };
    for kind in ["single-choice", "singleChoice", "SINGLE_CHOICE", "select", "radio", "单选"] {
        let told = told(&question(kind, ""), Lang::En);
        assert!(told.starts_with("question 1 \"语气\", kind (/novel_ask/questions/0/kind): "), "{told}");
        assert!(told.ends_with("Nearest: single_choice"), "{told}");
    }
    let member = question("single_choice", ", \"desc\": 1");
    assert!(
        told(&member, Lang::En).starts_with("question 1, option 2 \"热烈\", desc ("),
        "{}",
        told(&member, Lang::En)
    );
    assert!(told(&member, Lang::En).ends_with("Nearest: description"));
    assert!(told(&member, Lang::ZhCn).starts_with("第 1 题第 2 个选项“热烈”的 desc（"));
    let bare =
        question("single_choice", "").replace("{\"label\": \"冷峻\", \"description\": \"d\"}", "\"冷峻\"");
    assert!(told(&bare, Lang::En).contains("expected an object { label, description }"));
}
