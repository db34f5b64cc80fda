use super::*;
use crate::ask::decode_spec;
use crate::text::Lang;

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

fn names(before: &QuestionSpec, after: &QuestionSpec) -> Vec<String> {
    let changes = difference(before, after);
    let id = |change: &Change| change.question.as_ref().map_or("-".to_owned(), |named| named.id.clone());
    changes.iter().map(|change| format!("{} {}", id(change), change.name())).collect()
}

#[test]
fn equal_questions_have_no_difference() {
    let one = spec(&[choice("one", &format!("{A},{B}"), r#","default":"a","_x":1"#), text("two")]);
    let other = spec(&[choice("one", &format!("{A},{B}"), r#","default":"a""#), text("two")]);
    assert_eq!(one.canonical(), other.canonical());
    assert_eq!(difference(&one, &other), []);
}

#[test]
fn questions_come_go_and_move() {
    let before = spec(&[text("one"), text("two"), text("three")]);
    let after = spec(&[text("three"), text("new"), text("one")]);
    let want = ["- questions-reordered", "new question-added", "two question-removed"];
    assert_eq!(names(&before, &after), want);
}

#[test]
fn a_removed_question_alone_is_no_other_order() {
    let before = spec(&[text("one"), text("two"), text("three")]);
    assert_eq!(names(&before, &spec(&[text("one"), text("three")])), ["two question-removed"]);
}

#[test]
fn every_part_of_a_question_is_compared() {
    let json = |version: u8, topic: &str, rest: &str| {
        let json = format!(
            r#"{{"version":{version},"topic":"{topic}","questions":[{{"id":"one",{rest},"options":[{A},{B}]}}]}}"#
        );
        decode_spec(json.as_bytes()).expect("a legal spec")
    };
    let before = json(1, "t", r#""header":"h","question":"q","kind":"single_choice","required":true"#);
    let rest = r#""header":"H","question":"Q","kind":"multi_choice","required":false,"allow_other":true,"default":["b"]"#;
    let after = json(2, "T", rest);
    let want = [
        "- version",
        "- topic",
        "one header",
        "one wording",
        "one kind",
        "one required",
        "one allow-other",
        "one default",
    ];
    assert_eq!(names(&before, &after), want);
    let back = difference(&after, &before);
    assert_eq!(back.len(), want.len());
    assert!(back.iter().any(|change| change.what == What::Required(true)));
}

#[test]
fn options_come_go_move_and_are_reworded() {
    let reworded = r#"{"label":"b","description":"another"}"#;
    let new = r#"{"label":"zzzz","description":"new"}"#;
    let before = spec(&[choice("one", &format!("{A},{B}"), "")]);
    assert_eq!(names(&before, &spec(&[choice("one", &format!("{B},{A}"), "")])), ["one options-reordered"]);
    let after = spec(&[choice("one", &format!("{reworded},{new}"), "")]);
    let want = ["one option-reworded", "one option-added", "one option-removed"];
    assert_eq!(names(&before, &after), want);
}

#[test]
fn an_option_that_means_the_same_or_is_almost_called_the_same_was_renamed() {
    let before = spec(&[choice("one", &format!("{A},{B}"), "")]);
    let meant = r#"{"label":"quite another","description":"second"}"#;
    let changes = difference(&before, &spec(&[choice("one", &format!("{A},{meant}"), "")]));
    assert_eq!(changes[0].what, What::OptionRenamed("b".into(), "quite another".into()));
    assert_eq!(changes.len(), 1);
    let then = r#"{"label":"qidian","description":"x"}"#;
    let now = r#"{"label":"qidain","description":"y"}"#;
    let changes = difference(&spec(&[choice("one", then, "")]), &spec(&[choice("one", now, "")]));
    assert_eq!(changes[0].what, What::OptionRenamed("qidian".into(), "qidain".into()));
}

#[test]
fn there_is_a_difference_exactly_when_the_questions_ask_something_else() {
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
        let read = decode_spec(before.to_json().as_bytes()).expect("what was written can be read");
        assert_eq!(difference(before, &read), [], "{i}");
        for (j, after) in variants.iter().enumerate() {
            assert_eq!(difference(before, after).is_empty(), i == j, "{i} {j}");
            assert_eq!(before.canonical() == after.canonical(), i == j, "{i} {j}");
            assert_eq!(before.fingerprint() == after.fingerprint(), i == j, "{i} {j}");
        }
    }
}

#[test]
fn every_change_has_a_sentence_and_json() {
    let [a, b]: [JsString; 2] = ["甲".into(), "乙\u{1b}\"".into()];
    let all = [
        What::Version(1.0, 2.0),
        What::Topic(a.clone(), b.clone()),
        What::QuestionsReordered,
        What::QuestionAdded,
        What::QuestionRemoved,
        What::Header(a.clone(), b.clone()),
        What::Wording(a.clone(), b.clone()),
        What::Kind(Kind::FreeText, Kind::MultiChoice),
        What::Required(true),
        What::AllowOther(false),
        What::Default(Vec::new(), vec![a.clone(), b.clone()]),
        What::OptionAdded(a.clone()),
        What::OptionRemoved(a.clone()),
        What::OptionRenamed(a.clone(), b.clone()),
        What::OptionReworded(a.clone(), b.clone(), a.clone()),
        What::OptionsReordered,
    ];
    for what in all {
        let change = Change { question: None, what };
        for lang in [Lang::En, Lang::ZhCn] {
            let sentence = change.sentence(lang);
            assert!(!sentence.is_empty() && !sentence.contains('{'), "{sentence}");
        }
        let json = change.object().finish();
        let read: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(read["change"], change.name());
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

#[test]
fn questions_with_thousands_of_options_are_compared_at_once() {
    let options = |prefix: &str| {
        let option = |n| format!(r#"{{"label":"{prefix}{n}","description":"same"}}"#);
        (0..5_000).map(option).collect::<Vec<_>>().join(",")
    };
    let before = spec(&[choice("one", &options("a"), "")]);
    let after = spec(&[choice("one", &options("b"), "")]);
    assert_eq!(difference(&before, &after).len(), 10_000);
}
