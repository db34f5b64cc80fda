use super::*;
use crate::ask::json::SyntaxKind;
use crate::ask::question::{Choice, Kind};
use crate::text::{Lang, say};

const LANGS: [Lang; 2] = [Lang::En, Lang::ZhCn];

/// One of each kind, and of each wording within a kind. `text` is what the documents say.
fn one_of_each(text: &JsString) -> Vec<ProblemKind> {
    use ProblemKind as P;
    let id = || text.lossy().into_owned();
    let labels = |count: usize| {
        let option = |_| Choice { label: text.clone(), description: "d".into(), cluster: None };
        Labels::of(&(0..count).map(option).collect::<Vec<Choice>>())
    };
    let mut all = vec![
        P::NotOneOf(Found::Source(id()), &["true", "false"]),
        P::NotOneOf(Found::Nothing, &["a", "b"]),
        P::UnknownField(text.clone(), &["label", "description"]),
        P::NotSnakeCase(text.clone()),
        P::DuplicateId(id()),
        P::DuplicateLabel(text.clone()),
        P::DefaultNotAnOption(text.clone(), None),
        P::DefaultNotAnOption(text.clone(), Some(text.clone())),
        P::DuplicateEntry(text.clone()),
        P::NoAnswerPath,
        P::NoQuestions,
        P::AbsolutePath(text.clone()),
        P::PathTraversal(text.clone()),
        P::PathOutside(text.clone()),
        P::VersionDiffers(2.0, 1e300),
        P::TopicDiffers(text.clone(), text.clone()),
        P::NotDateTime(text.clone()),
        P::UnknownQuestion(text.clone(), None),
        P::UnknownQuestion(text.clone(), Some(id())),
        P::Unanswered(id()),
        P::Unanswered("constructor".into()),
        P::NotAnOption(text.clone(), labels(2), None),
        P::NotAnOption(text.clone(), labels(9), Some(text.clone())),
        P::TooLarge(68_000_000),
        P::Unreadable("permission denied".into(), "没有权限".into()),
        P::RepeatedKey(text.clone()),
        P::StrayField(text.clone(), &["label", "description"]),
    ];
    all.extend([None, Some(say("Do.", "去做。").into())].map(|hint| P::Rule(Box::new(rule(text, hint)))));
    all.extend(Kind::ALL.map(|kind| P::WrongShape(kind, id())));
    all.extend(["directory", "fifo", "socket", "device", "other"].map(P::NotAFile));
    all.extend(every_syntax_kind().map(|kind| P::Syntax(SyntaxError { line: 12, column: 34, kind })));
    for expected in EVERY_EXPECTED {
        let found = [Found::Nothing, Found::Source(id()), Found::Blank, Found::EmptyList];
        all.extend(found.map(|found| P::Value(expected, found)));
    }
    all
}

fn rule(text: &JsString, hint: Option<Message>) -> Rule {
    let found = Message::new(say("the word {0}", "词 {0}"), &[&quote(text)]);
    Rule { found, expected: say("another", "另一个").into(), hint }
}

const EVERY_EXPECTED: [Expected; 8] = [
    Expected::Object,
    Expected::List,
    Expected::Words,
    Expected::Boolean,
    Expected::Version,
    Expected::Answer,
    Expected::QuestionKind,
    Expected::Path,
];

fn every_syntax_kind() -> [SyntaxKind; 7] {
    [
        SyntaxKind::Empty,
        SyntaxKind::End,
        SyntaxKind::ByteOrderMark,
        SyntaxKind::Unexpected('"'),
        SyntaxKind::ControlInString('\u{1b}'),
        SyntaxKind::BadEscape,
        SyntaxKind::Trailing('问'),
    ]
}

/// Fails to compile when a kind is added, so that `one_of_each` is kept complete; the number of kinds.
fn number_of(kind: &ProblemKind) -> usize {
    use ProblemKind as P;
    match kind {
        P::Syntax(_) => 0,
        P::Value(..) => 1,
        P::UnknownField(..) => 2,
        P::NotSnakeCase(_) => 3,
        P::DuplicateId(_) => 4,
        P::DuplicateLabel(_) => 5,
        P::DefaultNotAnOption(..) => 6,
        P::DuplicateEntry(_) => 7,
        P::NoAnswerPath => 8,
        P::NoQuestions => 9,
        P::AbsolutePath(_) => 10,
        P::PathTraversal(_) => 11,
        P::PathOutside(_) => 12,
        P::VersionDiffers(..) => 13,
        P::TopicDiffers(..) => 14,
        P::NotDateTime(_) => 15,
        P::UnknownQuestion(..) => 16,
        P::Unanswered(_) => 17,
        P::NotAnOption(..) => 18,
        P::WrongShape(..) => 19,
        P::NotAFile(_) => 20,
        P::TooLarge(_) => 21,
        P::Unreadable(..) => 22,
        P::NotOneOf(..) => 23,
        P::RepeatedKey(_) => 24,
        P::StrayField(..) => 25,
        P::Rule(_) => 26,
    }
}

/// Whether a gap such as `{0}` was left open.
fn has_gap(sentence: &str) -> bool {
    (0..10).any(|gap| sentence.contains(&format!("{{{gap}}}")))
}

#[test]
fn there_is_one_of_each() {
    let numbers: std::collections::BTreeSet<usize> = one_of_each(&"x".into()).iter().map(number_of).collect();
    assert_eq!(numbers, (0..27).collect());
}

#[test]
fn every_problem_is_told_in_both_languages() {
    for kind in one_of_each(&"x".into()) {
        let problem = Problem::new("/answers/a", kind);
        let parts = LANGS.map(|lang| {
            let hint = problem.hint(lang);
            let parts = [problem.found(lang), problem.expected(lang), hint.clone().unwrap_or("-".into())];
            let sentence = problem.sentence(lang);
            for part in parts.iter().chain([&sentence]) {
                assert!(!part.trim().is_empty() && !has_gap(part), "{problem:?}: {part:?}");
            }
            assert!(sentence.contains("/answers/a") && sentence.contains(&parts[0]), "{sentence}");
            assert!(sentence.contains(&parts[1]), "{sentence}");
            assert!(hint.as_ref().is_none_or(|hint| sentence.ends_with(hint.as_str())), "{sentence}");
            (parts, hint)
        });
        let [(english, hint), (chinese, its_hint)] = parts;
        assert_ne!(english[1], chinese[1], "{problem:?}");
        assert_eq!(hint.is_some(), its_hint.is_some(), "{problem:?}");
        assert!(hint.is_none() || hint != its_hint, "{problem:?}");
        // Of what the document says itself there is only one wording.
        let quotes =
            ["\"x\"", "x", "2"].contains(&english[0].as_str()) || english[0].starts_with("Permission");
        assert!(quotes || english[0] != chinese[0], "{problem:?}");
        assert!(
            english
                .iter()
                .all(|part| !part.chars().any(|c| ('\u{4e00}'..'\u{a000}').contains(&c) && c != '问'))
        );
    }
}

#[test]
fn the_whole_document_has_a_place_too() {
    let problem = Problem::new("", ProblemKind::NoAnswerPath);
    assert!(problem.sentence(Lang::En).starts_with("/: "), "{}", problem.sentence(Lang::En));
}

#[test]
fn what_a_document_says_is_never_taken_for_a_gap() {
    for kind in one_of_each(&"{0}{1}".into()) {
        for lang in LANGS {
            let problem = Problem::new("/a", kind.clone());
            let sentence = problem.sentence(lang);
            assert!(!has_gap(&sentence.replace("{0}{1}", "")), "{sentence}");
        }
    }
}

#[test]
fn a_problem_is_small_whatever_the_file_holds() {
    let mut huge = JsString::from("长".repeat(5_000_000));
    huge.push_unit(0xD800);
    for kind in one_of_each(&huge) {
        let problem = Problem::new("/a", kind);
        assert!(format!("{problem:?}").len() < 8_000, "{:?}", problem.pointer);
        for lang in LANGS {
            let sentence = problem.sentence(lang);
            assert!(sentence.chars().count() < 1_000, "{sentence}");
        }
    }
}

#[test]
fn quotes_are_cut_between_characters() {
    let eighty = "问".repeat(80);
    assert_eq!(quote(&eighty.as_str().into()), format!("\"{eighty}\""));
    assert_eq!(quote(&format!("{eighty}!").into()), format!("\"{eighty}…\""));
    assert_eq!(quote(&"a\"\n\u{1b}".into()), "\"a\\\"\\n\\u001b\"");
    let mut lone = JsString::from("a");
    lone.push_unit(0xDC00);
    assert_eq!(quote(&lone), "\"a‹U+DC00›\"");
    assert_eq!(shorten(&eighty), eighty);
    assert_eq!(shorten(&format!("{eighty}!")), format!("{eighty}…"));
    assert_eq!(shorten(&shorten(&format!("{eighty}!!"))), format!("{eighty}…"));
}

#[test]
fn few_labels_are_named_and_many_counted() {
    let option = |i: usize| Choice { label: format!("l{i}").into(), description: "d".into(), cluster: None };
    let of = |count: usize| Labels::of(&(0..count).map(option).collect::<Vec<Choice>>()).text();
    assert_eq!(of(2), "\"l0\", \"l1\"");
    assert!(of(8).ends_with("\"l7\""));
    assert!(of(9).ends_with("\"l7\", … (9)"));
}

#[test]
fn the_systems_reason_is_said_in_both_languages() {
    let problem = Problem::new("", ProblemKind::Unreadable("permission denied".into(), "没有权限".into()));
    assert_eq!(problem.found(Lang::En), "unreadable: permission denied");
    assert_eq!(problem.found(Lang::ZhCn), "无法读取：没有权限");
}
