use super::*;
use crate::ask::{QuestionSpec, decode_spec, drift};

const A: &str = r#"{"label":"a","description":"first"}"#;
const B: &str = r#"{"label":"b","description":"second"}"#;

fn spec(questions: &[String]) -> QuestionSpec {
    let json = format!(r#"{{"version":1,"topic":"t","questions":[{}]}}"#, questions.join(","));
    decode_spec(json.as_bytes()).expect("a legal spec")
}

fn choice(id: &str, options: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","header":"{id}","question":"q","kind":"single_choice","required":true,"options":[{options}]{more}}}"#
    )
}

fn text(id: &str) -> String {
    format!(r#"{{"id":"{id}","header":"{id}","question":"q","kind":"free_text","required":true}}"#)
}

#[test]
fn specs_differ_exactly_when_they_ask_something_else() {
    let variants = [
        spec(&[text("one")]),
        spec(&[text("one"), text("two")]),
        spec(&[text("two"), text("one")]),
        spec(&[choice("one", A, "")]),
        spec(&[choice("one", A, r#","default":"a""#)]),
        spec(&[choice("one", A, r#","allow_other":true"#)]),
        spec(&[choice("one", &format!("{A},{B}"), r#","default":["b"]"#).replace("single", "multi")]),
        spec(&[choice("one", B, "")]),
        spec(&[choice("one", &format!("{A},{B}"), "")]),
        spec(&[choice("one", &format!("{B},{A}"), "")]),
    ];
    for (i, before) in variants.iter().enumerate() {
        for (j, after) in variants.iter().enumerate() {
            assert_eq!(drift(before, after).is_empty(), i == j, "{i} {j}");
            assert_eq!(before.canonical() == after.canonical(), i == j, "{i} {j}");
            assert_eq!(before.fingerprint() == after.fingerprint(), i == j, "{i} {j}");
        }
    }
}

#[test]
fn answers_differ_by_question() {
    let record = |answers: &[(&str, &str)]| AnswerSpec {
        version: 1.0,
        topic: "t".into(),
        answers: answers.iter().map(|(id, value)| ((*id).into(), Answer::One((*value).into()))).collect(),
        answered_at: "2026-02-27T10:12:34.000Z".into(),
        answered_by: "human".into(),
        notes: Vec::new(),
    };
    let before = record(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let after = record(&[("d", "4"), ("c", "3"), ("a", "9")]);
    let changes = answer_difference(&before, &after);
    let ids: Vec<&str> = changes.iter().map(|change| change.id.as_str()).collect();
    assert_eq!(ids, ["d", "a", "b"]);
    assert_eq!(changes[1].before, Some(Answer::One("1".into())));
    assert_eq!((&changes[0].before, &changes[2].after), (&None, &None));
    assert_eq!(answer_difference(&before, &before), []);
}
