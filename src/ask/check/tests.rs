use super::*;
use crate::ask::decode_spec;
use crate::text::Lang;

fn spec() -> QuestionSpec {
    let json = r#"{"version": 1, "topic": "t", "questions": [
        {"id": "one", "header": "h", "question": "q", "kind": "single_choice", "required": true,
         "options": [{"label": "x", "description": "d"}, {"label": "\ud800", "description": "d"}]},
        {"id": "many", "header": "h", "question": "q", "kind": "multi_choice", "required": false,
         "options": [{"label": "x", "description": "d"}, {"label": "y", "description": "d"}]},
        {"id": "open", "header": "h", "question": "q", "kind": "multi_choice", "required": false,
         "allow_other": true, "options": [{"label": "x", "description": "d"}]},
        {"id": "text", "header": "h", "question": "q", "kind": "free_text", "required": false}]}"#;
    decode_spec(json.as_bytes()).expect("a legal spec")
}

fn record(answers: &str) -> String {
    format!(
        "{{\"version\": 1, \"topic\": \"t\", \"answers\": {answers}, \
         \"answered_at\": \"2026-02-27T10:12:34.000Z\", \"answered_by\": \"human\"}}"
    )
}

/// The problems of a record: where, and which rule, with what was found and expected.
fn faults(spec: &QuestionSpec, record: &str) -> Vec<(String, (ProblemCode, String))> {
    let problems = check_record(spec, record.as_bytes()).err().unwrap_or_default();
    let told = |problem: Problem| {
        let hint = problem.hint.map(|hint| format!("; {}", hint.text(Lang::En))).unwrap_or_default();
        let [found, expected] = [problem.found, problem.expected].map(|words| words.text(Lang::En));
        (problem.pointer, (problem.code, format!("{found}; {expected}{hint}")))
    };
    problems.into_iter().map(told).collect()
}

/// Checks that each of these answers, beside a good one, has one problem below `/answers`.
fn one_fault_each(table: &[(&str, &str, ProblemCode, &str)]) {
    let spec = spec();
    for &(answer, pointer, code, told) in table {
        let answers = format!("{{\"one\": \"x\", {answer}}}");
        let wanted = (format!("/answers{pointer}"), (code, told.to_owned()));
        assert_eq!(faults(&spec, &record(&answers)), [wanted], "{answer}");
        let salvaged = salvage(&spec, record(&answers).as_bytes());
        assert!(salvaged.iter().all(|(id, _)| !pointer.split('/').any(|step| step == id)), "{salvaged:?}");
    }
}

#[test]
fn each_bad_answer_has_its_place_and_kind() {
    use ProblemCode::{Blank, Duplicate, NotAnOption, NotSnakeCase, UnknownQuestion, WrongForm};
    let options = r#"one of: "x", "‹U+D800›""#;
    let nearest = |found: &str, label: &str| format!("{found}; {options}; Nearest: {label}");
    let snake = "snake_case: a-z, 0-9 and single _ between them, starting with a letter";
    let id = "the id of a question of this gate";
    one_fault_each(&[
        (r#""one": "X""#, "/one", NotAnOption, &nearest(r#""X""#, r#""x""#)),
        (r#""one": "\ud801""#, "/one", NotAnOption, &nearest(r#""‹U+D801›""#, r#""‹U+D800›""#)),
        (r#""one": ["x"]"#, "/one", WrongForm, r#"["x"]; one string"#),
        (r#""one": null"#, "/one", Blank, "null; one string"),
        (r#""one": {}"#, "/one", Blank, "{}; one string"),
        (r#""many": "x""#, "/many", WrongForm, r#""x"; a list of strings"#),
        (
            r#""many": []"#,
            "/many",
            Blank,
            "an empty list; a string or a list of strings, not blank; \
             To leave an optional question blank, leave its id out.",
        ),
        (r#""many": ["x", "x"]"#, "/many/1", Duplicate, r#""x" twice; each entry once"#),
        (r#""many": ["x", "what"]"#, "/many/1", NotAnOption, r#""what"; one of: "x", "y""#),
        (r#""many": ["x", 1]"#, "/many/1", WrongForm, "1; a string that is not blank"),
        (r#""many": [" "]"#, "/many/0", Blank, "only white space; a string that is not blank"),
        (r#""open": ["a", "b", "a"]"#, "/open/2", Duplicate, r#""a" twice; each entry once"#),
        (r#""text": "\ufeff""#, "/text", Blank, "only white space; a string that is not blank"),
        (r#""text": ["a"]"#, "/text", WrongForm, r#"["a"]; one string"#),
        (r#""_note": "a""#, "/_note", NotSnakeCase, &format!(r#""_note"; {snake}"#)),
        (r#""a/b": 1"#, "/a~1b", NotSnakeCase, &format!(r#""a/b"; {snake}"#)),
        (r#""texts": "a""#, "/texts", UnknownQuestion, &format!(r#""texts"; {id}; Nearest: text"#)),
        (r#""constructor": "a""#, "/constructor", UnknownQuestion, &format!(r#""constructor"; {id}"#)),
    ]);
}

#[test]
fn few_labels_are_named_and_many_counted() {
    let option = |i: usize| Choice {
        label: format!("l{i}").into(),
        description: "d".into(),
        cluster: None,
        sends_back: false,
        round: None,
    };
    let of = |count: usize| labels(&(0..count).map(option).collect::<Vec<Choice>>(), Lang::En);
    assert_eq!(of(2), "\"l0\", \"l1\"");
    assert!(of(8).ends_with("\"l7\""));
    assert!(of(9).ends_with("\"l7\", … (9)"));
    assert_eq!(labels(&[option(0), option(1)], Lang::ZhCn), "“l0”、“l1”");
}

#[test]
fn the_frame_of_a_record_is_checked_too() {
    let spec = spec();
    let good = record("{\"one\": \"x\"}");
    assert_eq!(faults(&spec, &good), []);
    for (from, to, pointer) in [
        ("1,", "2,", "/version"),
        ("1,", "1.5,", "/version"),
        ("\"t\"", "\"t \"", "/topic"),
        ("\"t\"", "null", "/topic"),
        ("2026-02-27T", "2026-02-27 ", "/answered_at"),
        ("\"2026-02-27T10:12:34.000Z\"", "\"\"", "/answered_at"),
        ("\"human\"", "\"\\u3000\"", "/answered_by"),
        ("{\"one\": \"x\"}", "[\"x\"]", "/answers"),
        ("{\"one\": \"x\"}", "{}", "/answers/one"),
        ("{\"version\"", "{\"by\": 1, \"version\"", "/by"),
    ] {
        let pointers: Vec<String> =
            faults(&spec, &good.replacen(from, to, 1)).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(pointers, [pointer], "{to}");
    }
    for (from, to) in [("1,", "10e-1,"), ("{\"version\"", "{\"_by\": [], \"version\""), ("human", "\\ud800")]
    {
        assert_eq!(faults(&spec, &good.replacen(from, to, 1)), [], "{to}");
    }
    assert_eq!(faults(&spec, "[]").len(), 1);
    assert!(matches!(faults(&spec, "").as_slice(), [(_, (ProblemCode::Syntax, _))]));
    assert_eq!(salvage(&spec, b"[]"), Answers::new());
    assert_eq!(salvage(&spec, b""), Answers::new());
}

#[test]
fn an_optional_constructor_must_be_answered() {
    let json = r#"{"version": 1, "topic": "t", "questions": [
        {"id": "constructor", "header": "h", "question": "q", "kind": "free_text", "required": false}]}"#;
    let spec = decode_spec(json.as_bytes()).expect("a legal spec");
    let missing = check_record(&spec, record("{}").as_bytes()).expect_err("no answer");
    assert_eq!(missing, [unanswered("constructor").at("/answers/constructor")]);
    assert!(missing[0].hint.is_some() && unanswered("constructors").hint.is_none());
    assert_eq!(faults(&spec, &record("{\"constructor\": \"a\"}")), []);
}

#[test]
fn of_equal_ids_the_last_answer_counts() {
    let spec = spec();
    assert_eq!(faults(&spec, &record("{\"one\": 1, \"\\u006fne\": \"x\"}")), []);
    assert_eq!(faults(&spec, &record("{\"one\": \"x\", \"one\": 1}")).len(), 1);
}

#[test]
fn the_good_answers_of_a_bad_record_are_kept_in_question_order() {
    let spec = spec();
    let bad =
        r#"{"answers": {"text": "t", "open": ["own", "x"], "many": ["x", "z"], "one": "\ud800", "no": 1}}"#;
    let salvaged = salvage(&spec, bad.as_bytes());
    let ids: Vec<&str> = salvaged.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["one", "open", "text"]);
    assert_eq!(salvaged[1].1, Answer::Many(vec!["own".into(), "x".into()]));
}

const MANY: usize = 20_000;

fn joined(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<String>>().join(",")
}

#[test]
fn very_many_entries_take_no_time() {
    let json = format!(
        r#"{{"version": 1, "topic": "t", "questions": [{{"id": "many", "header": "h", "question": "q",
            "kind": "multi_choice", "required": true, "options": [{}]}}]}}"#,
        joined(MANY, |i| format!("{{\"label\":\"l{i}\",\"description\":\"d\"}}"))
    );
    let spec = decode_spec(json.as_bytes()).expect("a legal spec");
    let entries =
        |prefix: &str| record(&format!("{{\"many\":[{}]}}", joined(MANY, |i| format!("\"{prefix}{i}\""))));
    let good = entries("l");
    let answers = check_record(&spec, good.as_bytes()).expect("a good record").answers;
    assert_eq!(answers[0].1.values().len(), MANY);
    assert_eq!(crate::ask::Draft::prefilled(&spec, &answers).answers(&spec), answers);
    assert_eq!(faults(&spec, &entries("no")).len(), Problems::LIMIT);
}

#[test]
fn very_many_questions_and_ids_take_no_time() {
    let json = format!(
        r#"{{"version": 1, "topic": "t", "questions": [{}]}}"#,
        joined(MANY, |i| format!(
            "{{\"id\":\"q{i}\",\"header\":\"h\",\"question\":\"q\",\"kind\":\"free_text\",\"required\":true}}"
        ))
    );
    let spec = decode_spec(json.as_bytes()).expect("a legal spec");
    let answers =
        |prefix: &str| record(&format!("{{{}}}", joined(MANY, |i| format!("\"{prefix}{i}\":\"a\""))));
    let good = check_record(&spec, answers("q").as_bytes()).expect("a good record").answers;
    assert_eq!(good.len(), MANY);
    assert_eq!(crate::ask::Draft::prefilled(&spec, &good).answers(&spec), good);
    assert_eq!(faults(&spec, &answers("p")).len(), Problems::LIMIT);
    assert_eq!(faults(&spec, &record("{}")).len(), Problems::LIMIT);
}

#[test]
fn torn_and_wrong_records_are_records_still_and_other_documents_are_not() {
    for record in ["", " \n", "{\"version\": 1, \"top", "{\"answers\": 3}", "{\"answered_by\": \"x\"}"] {
        assert!(!is_another_document(record.as_bytes()), "{record}");
    }
    for other in ["[]", "{}", "null", "{\"title\": \"x\"}", "第四十八章\n雨停之前。"] {
        assert!(is_another_document(other.as_bytes()), "{other}");
    }
}

#[test]
fn the_reference_accepts_these() {
    for text in [
        "2026-02-27T10:12:34.000Z",
        "2026-02-30T24:00:00.000Z",
        "0000-01-31T00:00:00-00:00",
        "2026-04-31T23:59:59.123456789+23:59",
    ] {
        assert!(is_date_time(text), "{text}");
    }
}

#[test]
fn the_reference_refuses_these() {
    for text in [
        "2026-02-27t10:12:34Z",
        "2026-02-27T10:12:60Z",
        "2026-02-32T10:12:34Z",
        "2026-13-01T10:12:34Z",
        "2026-02-27T24:00:00.0000001Z",
        "2026-02-27T10:12:34",
        "2026-02-27T10:12:34.Z",
        "2026-02-27T10:12:34.1234567890Z",
        "2026-02-27T10:12:34+24:00",
        "2026-02-27T10:12:34Z\n",
        "２026-02-27T10:12:34Z",
    ] {
        assert!(!is_date_time(text), "{text}");
    }
}

#[test]
fn a_record_inside_another_document_is_one_problem() {
    let whole = record(r#"{"one": "x"}"#);
    let of = |text: &str| faults(&spec(), text).into_iter().map(|(pointer, _)| pointer).collect::<Vec<_>>();
    for (text, pointer) in [
        (format!(r#"{{"ok": true, "data": {whole}}}"#), "/data"),
        (format!(r#"{{"result": {{"a/b": {whole}}}}}"#), "/result/a~1b"),
        (format!("[{whole}]"), "/0"),
        (r#"{"data": {"one": "x"}}"#.to_owned(), "/data"),
    ] {
        assert_eq!(of(&text), [pointer], "{text}");
    }
    assert_eq!(of(&format!("[{whole}, {whole}]")), [""], "which of them is meant, nobody knows");
    assert_eq!(of(&format!(r#"{{"a": {whole}, "topic": "t"}}"#)).len(), 5, "it has a frame of its own");
}
