use super::*;
use crate::ask::decode_spec;
use crate::ask::problem::Found;

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

/// The problems of a record, as (pointer, kind) pairs.
fn faults(spec: &QuestionSpec, record: &str) -> Vec<(String, ProblemKind)> {
    match check_record(spec, record.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|problem| (problem.pointer, problem.kind)).collect(),
    }
}

/// Checks that each of these answers, beside a good one, has one problem below `/answers`.
fn one_fault_each(table: &[(&str, &str, ProblemKind)]) {
    let spec = spec();
    for (answer, pointer, kind) in table {
        let answers = format!("{{\"one\": \"x\", {answer}}}");
        let wanted = (format!("/answers{pointer}"), kind.clone());
        assert_eq!(faults(&spec, &record(&answers)), [wanted], "{answer}");
        let salvaged = salvage(&spec, record(&answers).as_bytes());
        assert!(salvaged.iter().all(|(id, _)| !pointer.split('/').any(|step| step == id)), "{salvaged:?}");
    }
}

#[test]
fn each_bad_answer_has_its_place_and_kind() {
    use ProblemKind::{DuplicateEntry, NotAnOption, NotSnakeCase, UnknownQuestion, Value, WrongShape};
    let spec = spec();
    let labels = |at: usize| Labels::of(&spec.questions[at].options);
    let words = |found: Found| Value(Expected::Words, found);
    one_fault_each(&[
        ("\"one\": \"X\"", "/one", NotAnOption("X".into(), labels(0), Some("x".into()))),
        ("\"one\": \"\\ud801\"", "/one", {
            let mut lone = JsString::default();
            lone.push_unit(0xD801);
            NotAnOption(lone, labels(0), spec.questions[0].options.last().map(|option| option.label.clone()))
        }),
        ("\"one\": [\"x\"]", "/one", WrongShape(Kind::SingleChoice, "[\"x\"]".into())),
        ("\"one\": null", "/one", WrongShape(Kind::SingleChoice, "null".into())),
        ("\"many\": \"x\"", "/many", WrongShape(Kind::MultiChoice, "\"x\"".into())),
        ("\"many\": []", "/many", Value(Expected::Answer, Found::EmptyList)),
        ("\"many\": [\"x\", \"x\"]", "/many/1", DuplicateEntry("x".into())),
        ("\"many\": [\"x\", \"what\"]", "/many/1", NotAnOption("what".into(), labels(1), None)),
        ("\"many\": [\"x\", 1]", "/many/1", words(Found::Source("1".into()))),
        ("\"many\": [\" \"]", "/many/0", words(Found::Blank)),
        ("\"open\": [\"a\", \"b\", \"a\"]", "/open/2", DuplicateEntry("a".into())),
        ("\"text\": \"\\ufeff\"", "/text", words(Found::Blank)),
        ("\"text\": [\"a\"]", "/text", WrongShape(Kind::FreeText, "[\"a\"]".into())),
        ("\"_note\": \"a\"", "/_note", NotSnakeCase("_note".into())),
        ("\"a/b\": 1", "/a~1b", NotSnakeCase("a/b".into())),
        ("\"texts\": \"a\"", "/texts", UnknownQuestion("texts".into(), Some("text".into()))),
        ("\"constructor\": \"a\"", "/constructor", UnknownQuestion("constructor".into(), None)),
    ]);
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
    assert!(matches!(faults(&spec, "").as_slice(), [(_, ProblemKind::Syntax(_))]));
    assert_eq!(salvage(&spec, b"[]"), Answers::new());
    assert_eq!(salvage(&spec, b""), Answers::new());
}

#[test]
fn an_optional_constructor_must_be_answered() {
    let json = r#"{"version": 1, "topic": "t", "questions": [
        {"id": "constructor", "header": "h", "question": "q", "kind": "free_text", "required": false}]}"#;
    let spec = decode_spec(json.as_bytes()).expect("a legal spec");
    let missing = ("/answers/constructor".to_owned(), ProblemKind::Unanswered("constructor".into()));
    assert_eq!(faults(&spec, &record("{}")), [missing]);
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
