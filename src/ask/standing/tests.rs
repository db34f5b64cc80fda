use super::*;
use crate::text::Lang;

const SPEC: &str = r#""version": 1, "topic": "t", "questions": [
    {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]"#;

fn file(members: &str) -> String {
    format!("{{{members}, {SPEC}}}")
}

fn standing(members: &str) -> Standing {
    let read = read("a", file(members).as_bytes());
    read.standing.unwrap_or_else(|| panic!("{members}: {:?}", read.problems))
}

fn step(id: &str) -> Step {
    Step::parse(id).expect(id)
}

#[test]
fn a_pattern_has_as_many_parts_as_the_ids_that_it_fits() {
    for (pattern, fits, not) in [
        (
            "chapter:*:draft",
            &["chapter:001:draft", "chapter:1000:draft"][..],
            &["chapter:1:judge", "volume:outline"][..],
        ),
        ("chapter:12:*", &["chapter:012:judge"], &["chapter:013:judge"]),
        (
            "chapter:10-20:commit",
            &["chapter:10:commit", "chapter:020:commit"],
            &["chapter:9:commit", "chapter:21:commit"],
        ),
        ("*:*:draft", &["chapter:1:draft"], &["quickstart:world"]),
        ("quickstart:*", &["quickstart:world", "quickstart:f0"], &["volume:outline", "chapter:1:draft"]),
        ("*:commit", &["volume:commit"], &["volume:outline", "chapter:1:commit"]),
        ("volume:outline", &["volume:outline"], &["volume:commit"]),
    ] {
        let standing = standing(&format!(r#""_steps": ["{pattern}"]"#));
        for id in fits {
            assert!(standing.is_for(step(id)), "{pattern} {id}");
        }
        for id in not {
            assert!(!standing.is_for(step(id)), "{pattern} {id}");
        }
    }
}

#[test]
fn one_answer_holds_for_its_span() {
    for (once_per, id, place) in [
        ("\"step\"", "chapter:48:draft", "staging/novel-ask/a-chapter-048-draft.answers.json"),
        ("\"chapter\"", "chapter:048:draft", "staging/novel-ask/a-chapter-048.answers.json"),
        ("10", "chapter:041:draft", "staging/novel-ask/a-chapters-041-050.answers.json"),
        ("10", "chapter:050:draft", "staging/novel-ask/a-chapters-041-050.answers.json"),
        ("10", "chapter:1:draft", "staging/novel-ask/a-chapters-001-010.answers.json"),
        ("1", "chapter:7:draft", "staging/novel-ask/a-chapters-007-007.answers.json"),
        ("\"volume\"", "chapter:7:draft", "staging/novel-ask/a-vol-02.answers.json"),
        ("\"book\"", "chapter:7:draft", "staging/novel-ask/a-book.answers.json"),
    ] {
        let standing = standing(&format!(r#""_steps": ["chapter:*:*"], "_once_per": {once_per}"#));
        let span = standing.span(step(id), 2).expect("a span");
        assert_eq!(span.place("a"), place);
        assert!(is_place_of("a", place) && !is_place_of("b", place) && !is_place_of("", place));
    }
    let standing = standing(r#""_steps": ["quickstart:world"]"#);
    assert_eq!(standing.span(step("volume:outline"), 1), None);
    assert_eq!(standing.span(step("quickstart:world"), 1).expect("a span").to_string(), "quickstart-world");
    for other in [
        "x.answers.json",
        "a-x.answers.json",
        "a-book.json",
        "a-chapter-048-x.answers.json",
        "a-chapters-1.answers.json",
    ] {
        assert!(!is_place_of("a", &format!("{FOLDER}/{other}")), "{other}");
    }
    assert!(!is_place_of("a", "staging/a-book.answers.json"));
}

#[test]
fn an_answer_is_told_where_it_holds() {
    let told = |members: &str, id: &str| {
        let spans = standing(members).told(step(id), 1);
        spans.iter().map(Span::to_string).collect::<Vec<_>>().join(" ")
    };
    let each = r#""_steps": ["chapter:*:draft"]"#;
    assert_eq!(told(each, "chapter:2:draft"), "chapter-002-draft");
    assert_eq!(told(each, "chapter:2:judge"), "");
    let more = r#""_steps": ["chapter:*:commit"], "_tell": ["chapter:*:draft"]"#;
    assert_eq!(told(more, "chapter:2:draft"), "chapter-002-commit");
    assert_eq!(told(more, "chapter:2:commit"), "chapter-002-commit");
    assert_eq!(told(more, "chapter:2:judge"), "");
    let ten = r#""_steps": ["chapter:*:draft"], "_once_per": 10"#;
    assert_eq!(told(ten, "chapter:48:judge"), "chapters-041-050");
    assert_eq!(told(ten, "volume:outline"), "");
    let book = r#""_steps": ["quickstart:world"], "_once_per": "book", "_tell": ["chapter:*:draft"]"#;
    assert_eq!(told(book, "chapter:48:draft"), "book");
    assert_eq!(told(book, "chapter:48:judge"), "");
    assert_eq!(told(book, "quickstart:world"), "book");
    let volume = r#""_steps": ["volume:commit"], "_tell": ["volume:outline"]"#;
    assert_eq!(told(volume, "volume:outline"), "volume-commit");
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let problems = |text: &str| {
        let Read { standing, problems } = read("a", text.as_bytes());
        let said: Vec<String> = problems.iter().map(|problem| problem.sentence(Lang::En)).collect();
        (standing.is_some(), problems.iter().map(|problem| problem.pointer.clone()).collect::<Vec<_>>(), said)
    };
    for (text, at) in [
        (file(r#""_steps": []"#), "/_steps"),
        (file(r#""_why": "x""#), "/_steps"),
        (file(r#""_steps": ["chapter:*:drafts"]"#), "/_steps/0"),
        (file(r#""_steps": ["volume:outline", "chapter:*"]"#), "/_steps/1"),
        (file(r#""_steps": ["chapter:20-10:draft"]"#), "/_steps/0"),
        (file(r#""_steps": ["chapter:0:draft"]"#), "/_steps/0"),
        (file(r#""_steps": ["review:*"]"#), "/_steps/0"),
        (file(r#""_steps": [7]"#), "/_steps/0"),
        (file(r#""_steps": ["volume:outline"], "_once_per": "chapter""#), "/_steps/0"),
        (file(r#""_steps": ["volume:*"], "_once_per": "sometimes""#), "/_once_per"),
        (file(r#""_steps": ["volume:*"], "_once_per": 0"#), "/_once_per"),
        (file(r#""_steps": ["volume:*"], "_once_per": 2.5"#), "/_once_per"),
        (file(r#""_steps": ["volume:*"], "_enabled": "no""#), "/_enabled"),
        (file(r#""_steps": ["volume:*"], "_tell": ["x"]"#), "/_tell/0"),
        (file(r#""_steps": ["volume:*"], "_why": " ""#), "/_why"),
        (r#"{"_steps": ["volume:*"], "version": 1, "topic": "t", "questions": []}"#.to_owned(), "/questions"),
        ("[]".to_owned(), ""),
        ("{".to_owned(), ""),
    ] {
        let (is_asked, pointers, said) = problems(&text);
        assert!(!is_asked, "{text}");
        assert!(pointers.contains(&at.to_owned()), "{text}: {said:?}");
    }
    let (is_asked, pointers, said) = problems(&file(r#""_steps": ["volume:*"], "_enable": false"#));
    assert!(is_asked, "{said:?}");
    assert_eq!(pointers, ["/_enable"]);
}

#[test]
fn a_name_is_one_for_files_of_all_systems() {
    for (name, is_good) in [
        ("10-direction", true),
        ("感情线", true),
        ("a.b_c", true),
        (&*"x".repeat(64), true),
        (&*"雨".repeat(65), false),
        (".a", false),
        ("a.", false),
        ("", false),
        ("a b", false),
        ("a/b", false),
        ("a'b", false),
    ] {
        assert_eq!(is_name(name), is_good, "{name}");
        let found = read(name, file(r#""_steps": ["volume:*"]"#).as_bytes());
        assert_eq!(found.standing.is_some(), is_good, "{name}");
    }
    assert_eq!(folded("A感"), folded("a感"));
}

#[test]
fn the_members_are_kept_as_they_are_spelled() {
    let text = r#"{"_steps": ["*:*"], "version": 1.0, "topic": "\u0074", "questions": [ {"id": "a", "header": "h", "question": "q",
        "kind": "free_text", "required": true, "_mine": 7}]}"#;
    let standing = read("a", text.as_bytes()).standing.expect("a question");
    let spelled = |key| standing.members.iter().find(|(own, _)| *own == key).map(|(_, value)| value.as_str());
    assert_eq!(spelled("version"), Some("1.0"));
    assert_eq!(spelled("topic"), Some(r#""\u0074""#));
    assert!(
        spelled("questions").is_some_and(|value| value.starts_with("[ {") && value.contains("\"_mine\": 7"))
    );
    assert!(!standing.is_for(step("review:collect")));
}
