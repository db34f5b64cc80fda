use super::*;
use crate::ask::standing::read;
use crate::ask::{Answer, Draft};
use crate::text::Lang;

fn standing(propose: &str) -> Standing {
    let file = format!(
        r#"{{"_steps": ["chapter:*:draft"], "version": 1, "topic": "T", "questions": [
        {{"id": "way", "header": "H", "question": "Q?", "kind": "single_choice", "required": true,
          "options": [{{"label": "照\u5927纲", "description": "d", "_mine": [ 1 ]}}], "allow_other": true{propose}}},
        {{"id": "b", "header": "h", "question": "q", "kind": "free_text", "required": false}}]}}"#
    );
    read("way", file.as_bytes()).standing.expect("a question")
}

const PROPOSE: &str = r#", "_propose": {"brief": "b"}"#;

fn round(labels: &[&str]) -> Round {
    let offered = |label: &&str| Offered { label: (*label).into(), description: "d".into() };
    Round { question: "way".to_owned(), options: labels.iter().map(offered).collect() }
}

fn problems(list: &str, earlier: &[Round]) -> Vec<String> {
    let judged = judge(list.as_bytes(), &standing(PROPOSE).spec.questions[0], earlier);
    let problems = judged.expect_err(list);
    assert!(
        problems.iter().all(|problem| problem.sentence(Lang::ZhCn) != problem.sentence(Lang::En)),
        "{list}"
    );
    problems.iter().map(|problem| problem.sentence(Lang::En)).collect()
}

fn list(labels: &[&str]) -> String {
    to_line(&round(labels).options)
}

#[test]
fn a_round_is_taken_whatever_its_number_of_options() {
    let question = &standing(PROPOSE).spec.questions[0];
    let many: Vec<String> = (0..MOST).map(|place| format!("{place}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for labels in [&["a"][..], &["{a", "[b", "\"c\"", "7"], &many] {
        assert_eq!(judge(list(labels).as_bytes(), question, &[round(&["z"])]), Ok(round(labels).options));
    }
    let taken = |list: &str| judge(list.as_bytes(), question, &[]).map_err(|_| list.to_owned());
    let inside = format!(r#"{{"question": "way", "options": {}}}"#, list(&["a", "b"]));
    assert_eq!(taken(&inside), Ok(round(&["a", "b"]).options), "as the tool takes it");
    assert_eq!(taken(&list(&[" a \u{3000}", "\tb\r\n"])), Ok(round(&["a", "b"]).options));
    let lone = br#"[{"label": "\ud83d", "description": "d"}]"#;
    let taken = judge(lone, question, &[]).expect("a round");
    let asked = with_rounds(&standing(PROPOSE), &[Round { options: taken, ..round(&[]) }]).expect("a round");
    assert!(asked.members[2].1.contains(r#"{"label": "\ud83d", "description": "d", "_round": 1}"#));
}

const JSON: &str = "no JSON";
const SEEN: &str = "one line of characters that can be seen";
const MARK: &str = "marks like this are the program's";
const ONCE: &str = "each label once";

/// Labels that no author can use, beside `c`.
const UNFIT: [(&str, &str); 46] = [
    ("{\"label\":\"a\",\"description\":\"b", JSON),
    ("[{\"label\": \"a\"", JSON),
    ("[ \"a\", \"b\"", JSON),
    ("a\r\nb", SEEN),
    ("a\nb", SEEN),
    ("a\tb", SEEN),
    ("a\u{2028}b", SEEN),
    ("\u{200b}", SEEN),
    ("a\u{1b}[31m", SEEN),
    ("a\u{0}", SEEN),
    ("\u{202e}a", SEEN),
    ("__skip__", MARK),
    (" ___done___ ", MARK),
    ("__group_2__（推荐）", MARK),
    ("__more__ (Recommended)", MARK),
    ("A1", MARK),
    ("Ｂ１２", MARK),
    ("B2: 走", MARK),
    ("a1、走", MARK),
    ("C3）走", MARK),
    ("B1 去", MARK),
    ("Ａ１去", MARK),
    ("A10号公路", MARK),
    ("i20 去", MARK),
    ("(A1) 去", MARK),
    ("（Ａ１）去", MARK),
    ("【A1】去", MARK),
    ("“A1” 去", MARK),
    ("A1 - 去", MARK),
    ("A1-A3", MARK),
    ("前几轮：A1-A3", MARK),
    ("Earlier: A1-A3, B1", MARK),
    ("其他…", MARK),
    ("Other...", MARK),
    ("（其他）", MARK),
    ("自己写", MARK),
    ("Type your own", MARK),
    ("选项 4-5", MARK),
    ("选项4-5：去", MARK),
    ("Options 4-6 (go)", MARK),
    ("[1/2]", MARK),
    ("【A1-A3】", MARK),
    ("［１／２］走", MARK),
    ("Options 4-6", MARK),
    ("Ｃ", ONCE),
    ("照 大纲", "has this option already"),
];

#[test]
fn what_cannot_be_put_to_the_author_is_said_option_by_option() {
    let (long, wide) = ("雨".repeat(LABEL + 1), "雨".repeat(LABEL));
    let (earlier, question) = ([round(&["a"]), round(&["b"])], &standing(PROPOSE).spec.questions[0]);
    for (text, said) in [
        ("[]".to_owned(), &["list with at least one"][..]),
        ("{}".to_owned(), &["list with at least one"]),
        ("[1".to_owned(), &["/"]),
        (list(&["c", "c"]), &["each label once"]),
        (list(&["c", " c"]), &["each label once"]),
        (list(&["照大纲"]), &["has this option already"]),
        (list(&["照大纲 "]), &["has this option already"]),
        (list(&["a", "b", "c"]), &["an earlier round", "an earlier round"]),
        (list(&["", " \u{3000}"]), &["not blank", "not blank"]),
        (list(&[r#"[{"label": 1}]"#, " {} ", "[]", &wide]), &["no JSON", "no JSON", "no JSON"]),
        (list(&[&long]), &["400 characters"]),
        (r#"[{"label": "c"}, {"description": "d"}]"#.to_owned(), &["description", "label"]),
        (r#"[{"label": 7, "description": "d"}, "e"]"#.to_owned(), &["label", "an object"]),
        (r#"[{"label": "c", "description": "d", "recommended": true}]"#.to_owned(), &["recommended"]),
    ] {
        let found = problems(&text, &earlier);
        assert_eq!(found.len(), said.len(), "{text}: {found:?}");
        assert!(found.iter().zip(said).all(|(found, said)| found.contains(said)), "{text}: {found:?}");
    }
    for (label, said) in UNFIT {
        let found = problems(&list(&["c", label]), &[]);
        assert!(found.len() == 1 && found[0].contains(said), "{label:?}: {found:?}");
    }
    for label in [
        "A 座",
        "A计划",
        "B超",
        "A21号公路",
        "J1 层",
        "A0",
        "B2B 生意",
        "其他人先走",
        "自己写信",
        "选项太多",
        "Other people",
        "Earlier that day",
        "[雨] 走",
        "“走”",
        "__走__",
        "1/2",
        "👨‍👩‍👧 回家",
        "_skip_",
        "x0",
        "Options",
        "C3PO",
    ] {
        assert_eq!(judge(list(&[label]).as_bytes(), question, &[]), Ok(round(&[label]).options));
    }
    let many: Vec<String> = (0..=MOST).map(|place| format!("{place}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(problems(&list(&many), &[])[0].contains("20 options at most"));
}

#[test]
fn the_newest_round_stands_in_front_and_the_files_own_options_behind() {
    let standing = standing(PROPOSE);
    let other = Round { question: "b".to_owned(), ..round(&["x"]) };
    let asked = with_rounds(&standing, &[round(&["a", "b"]), other, round(&["c"])]).expect("rounds");
    let options: Vec<(String, Option<usize>)> = asked.spec.questions[0]
        .options
        .iter()
        .map(|option| (option.label.lossy().into_owned(), option.round))
        .collect();
    let expected = [("c", Some(2)), ("a", Some(1)), ("b", Some(1)), ("照大纲", None)];
    assert_eq!(options, expected.map(|(label, round)| (label.to_owned(), round)));
    let question = &asked.spec.questions[0];
    let marks: Vec<_> = (0..4).map(|place| question.mark(place).unwrap_or_default()).collect();
    assert_eq!(marks, ["B1", "A1", "A2", ""]);
    assert_eq!([0, 1, 3].map(|place| question.is_of_earlier_round(place)), [false, true, false]);
    let (_, questions) = &asked.members[2];
    assert!(
        questions.contains(r#"{"label": "照\u5927纲", "description": "d", "_mine": [ 1 ]}"#),
        "{questions}"
    );
    assert!(questions.contains(r#""_propose": {"brief": "b"}"#), "{questions}");
    assert_eq!(asked.spec.questions[1], standing.spec.questions[1]);
    assert_eq!(with_rounds(&standing, &[]), None);
    assert_eq!(with_rounds(&self::standing(""), &[round(&["a"])]), None, "nothing is to be proposed");
}

#[test]
fn rounds_that_somebody_wrote_by_hand_spoil_no_packet() {
    let rounds: Vec<Round> = (0..30).map(|_| round(&["", "照大纲", "a", "a"])).collect();
    let asked = with_rounds(&standing(PROPOSE), &rounds).expect("rounds");
    let labels: Vec<_> = asked.spec.questions[0].options.iter().map(|option| option.label.clone()).collect();
    assert_eq!(labels, ["a", "照大纲"]);
}

#[test]
fn a_draft_keeps_its_choice_and_its_words_when_a_round_comes() {
    let file = standing(PROPOSE);
    let asked = |rounds: &[Round]| with_rounds(&file, rounds).expect("rounds").spec;
    let (before, after) = (asked(&[round(&["a", "b"])]), asked(&[round(&["a", "b"]), round(&["c"])]));
    let mut draft = Draft::new(&before);
    draft.replies[0].choose(1);
    draft.replies[1].set(&before.questions[1], Answer::One("一句话".into()));
    let carried = draft.carried_over(&before, &after, Vec::new()).draft;
    let said = [0, 1].map(|at| carried.replies[at].answer(&after.questions[at]));
    assert_eq!(said, [Some(Answer::One("b".into())), Some(Answer::One("一句话".into()))]);
}
