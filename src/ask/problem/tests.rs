use super::*;
use crate::ask::reader::repeated_key;
use crate::ask::{check_notes, check_record, check_record_alone, decode_packet, decode_spec};

const LANGS: [Lang; 2] = [Lang::En, Lang::ZhCn];

const SPEC: &str = r#"{"version": 1, "topic": "the gate's topic", "questions": [
    {"id": "one", "header": "h", "question": "q", "kind": "single_choice", "required": true, "options": [
        {"label": "l0", "description": "d"}, {"label": "@", "description": "d"}]},
    {"id": "many", "header": "h", "question": "q", "kind": "multi_choice", "required": true, "options": [
        {"label": "@", "description": "d"}]},
    {"id": "text", "header": "h", "question": "q", "kind": "free_text", "required": true},
    {"id": "constructor", "header": "h", "question": "q", "kind": "free_text", "required": false}]}"#;

/// Documents that break every rule of packets; `@` is what the document says.
const PACKETS: [&str; 5] = [
    r#"{"answer_path": "/../@"}"#,
    r#"{"novel_ask": 1}"#,
    r#"{"answer_path": 1, "novel_ask": {"version": "@", "topic": " ", "@": 1, "questions": []}}"#,
    r#"{"answer_path": "a", "novel_ask": {"version": 1, "topic": "t", "questions": [7,
        {"id": "@ ", "header": [], "kind": "@", "required": "@"},
        {"id": "a", "header": "h", "question": "q", "kind": "single_choice", "required": true, "default": "@x",
         "allow_other": 1, "options": [{"label": "@", "description": "d"}, {"label": "@", "description": "d"}]},
        {"id": "b", "header": "h", "question": "q", "kind": "multi_choice", "required": true,
         "default": ["@", "@"], "options": [{"label": "@", "description": "d", "@": 1}]}]}}"#,
    r#"{"answer_path": "a", "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true},
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}}"#,
];

/// The same for records.
const RECORDS: [&str; 3] = [
    r#"{"version": 2, "topic": "@", "answered_at": "@", "answered_by": " ", "@": 1, "answers": {"one": "@x",
        "@ ": 1, "ones": 1, "many": ["@", "@", "@x", 1, " "], "text": ["@"]}}"#,
    r#"{"answers": {"one": null, "many": [], "text": " "}}"#,
    r#"{"answers": {"many": "@"}}"#,
];

/// Texts that are not JSON.
const BROKEN: [&str; 9] =
    ["", "{", "\u{feff}{}", "{“", "[1,]", "\"\u{1b}\"", "\"\\x\"", "1 2", "{\"a\":\"b\",：1}"];

/// Problems of every rule about documents that say `text`.
fn one_of_each(text: &JsString) -> Vec<Problem> {
    let mut json = String::new();
    text.write_json(&mut json);
    let says = |document: &str| document.replace('@', &json[1..json.len() - 1]).into_bytes();
    let spec = decode_spec(&says(SPEC)).expect("a legal spec");
    let mut all = Vec::new();
    for document in PACKETS.iter().chain(&BROKEN) {
        all.extend(decode_packet(&says(document)).expect_err(document));
    }
    for record in RECORDS {
        all.extend(check_record(&spec, &says(record)).expect_err(record));
        all.extend(check_record_alone(&says(record)).expect_err(record));
    }
    all.extend(check_notes(&spec, &vec![(text.clone(), "a note".into()), ("on".into(), "a note".into())]));
    all.push(repeated_key(text).at("/a"));
    all
}

/// Whether a gap such as `{0}` was left open.
fn has_gap(sentence: &str) -> bool {
    (0..10).any(|gap| sentence.contains(&format!("{{{gap}}}")))
}

#[test]
fn there_is_one_of_each() {
    use ProblemCode as P;
    let problems = one_of_each(&"x".into());
    for code in [
        P::Syntax,
        P::Blank,
        P::WrongForm,
        P::UnknownField,
        P::RepeatedKey,
        P::Duplicate,
        P::NotAnOption,
        P::NotSnakeCase,
        P::VersionDiffers,
        P::TopicDiffers,
        P::NotDateTime,
        P::UnknownQuestion,
        P::Unanswered,
        P::Other,
    ] {
        assert!(problems.iter().any(|problem| problem.code == code), "{code:?}");
    }
    let hints: std::collections::BTreeSet<String> =
        problems.iter().filter_map(|problem| Some(problem.hint.as_ref()?.text(Lang::En))).collect();
    assert_eq!(hints.len(), 12, "{hints:?}");
}

#[test]
fn every_problem_is_told_in_both_languages() {
    for problem in one_of_each(&"x".into()) {
        let parts = LANGS.map(|lang| {
            let hint = problem.hint.as_ref().map(|hint| hint.text(lang));
            let parts =
                [problem.found.text(lang), problem.expected.text(lang), hint.clone().unwrap_or("-".into())];
            let sentence = problem.sentence(lang);
            for part in parts.iter().chain([&sentence]) {
                assert!(!part.trim().is_empty() && !has_gap(part), "{problem:?}: {part:?}");
            }
            assert!(sentence.contains(if problem.pointer.is_empty() { "/" } else { &problem.pointer }));
            assert!(sentence.contains(&parts[0]) && sentence.contains(&parts[1]), "{sentence}");
            assert!(hint.as_ref().is_none_or(|hint| sentence.ends_with(hint.as_str())), "{sentence}");
            (parts, hint)
        });
        let [(english, hint), (chinese, its_hint)] = parts;
        assert_ne!(english[1], chinese[1], "{problem:?}");
        assert!(hint.is_none() || hint != its_hint, "{problem:?}");
        // Of what the document says itself there is only one wording.
        let own = &english[0];
        let quotes = own.starts_with(['"', '[', '{', '}']) || own.parse::<f64>().is_ok() || own == "null";
        assert!(quotes || *own != chinese[0], "{problem:?}");
        let is_chinese = |c| ('\u{4e00}'..'\u{a000}').contains(&c);
        assert!(!english.iter().any(|part| part.contains(is_chinese)), "{english:?}");
    }
}

#[test]
fn what_a_document_says_is_never_taken_for_a_gap() {
    for problem in one_of_each(&"{0}{1}".into()) {
        for lang in LANGS {
            let sentence = problem.sentence(lang);
            assert!(!has_gap(&sentence.replace("{0}{1}", "")), "{sentence}");
        }
    }
}

#[test]
fn a_problem_is_small_whatever_the_file_holds() {
    let mut huge = JsString::from("长".repeat(1_000_000));
    huge.push_unit(0xD800);
    for problem in one_of_each(&huge) {
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
fn a_place_is_a_json_pointer() {
    assert_eq!(Pointer::ROOT.text(), "");
    let odd = JsString::from("a/b~c");
    let answers = Pointer::ROOT.key("answers");
    let entries = answers.name(&odd);
    assert_eq!(entries.index(3).text(), "/answers/a~1b~0c/3");
}

#[test]
fn an_overlong_key_is_cut() {
    let name = JsString::from("x".repeat(50_000_000));
    let pointer = Pointer::ROOT.name(&name).text();
    assert_eq!(pointer, format!("/{}…", "x".repeat(KEY_LIMIT)));
}

fn found(wanted: &str, candidates: &[&str]) -> Option<usize> {
    nearest(&wanted.into(), candidates.iter().map(|&candidate| candidate.into()))
}

#[test]
fn the_nearest_is_a_slip_of_the_pen_away() {
    assert_eq!(found("qidain", &["fanqie", "qidian", "jjwxc"]), Some(1));
    assert_eq!(found("QIDIAN", &["qidians", "qidian"]), Some(1));
    assert_eq!(found("起点中文网", &["番茄小说", "起点中文"]), Some(1));
    assert_eq!(found("abcd", &["zzzz", "abzz", "abcz", "bbcd"]), Some(2));
    assert_eq!(found("kitten", &["sitting"]), Some(0));
    assert_eq!(found("abcd", &["wxyz"]), None);
    // The second is nearer, but not near.
    assert_eq!(found("abcd", &["abcdefghij", "wxyz"]), None);
    assert_eq!(found("abcd", &["abcdefgh", "wxy"]), Some(0));
    assert_eq!(found("a", &[]), None);
}

#[test]
fn only_the_heads_of_long_strings_count() {
    let long = "长".repeat(100_000);
    assert_eq!(found(&long, &["a", &(long.clone() + "尾")]), Some(1));
}

#[test]
fn a_quoted_value_stands_in_the_marks_of_the_language() {
    let both = |message: Message| [message.text(Lang::En), message.text(Lang::ZhCn)];
    assert_eq!(both(quoted(&quote(&"a\"b".into()))), [r#""a\"b""#, r#"“a\"b”"#]);
    assert_eq!(both(quoted("12")), ["12", "12"]);
    assert_eq!(both(twice(&"x".into())), ["\"x\" twice", "“x”出现了两次"]);
    let problem = Problem::new(ProblemCode::Other, quoted("\"x\""), say("one string", "一个字符串"));
    let problem = problem.with_nearest(Some(quote(&"y".into())));
    assert_eq!(problem.sentence(Lang::ZhCn), "/：“x”，应为一个字符串。最接近的是：“y”");
}

#[test]
fn to_authors_a_place_is_named_by_its_key_and_the_whole_file_by_nothing() {
    let problems = check_record_alone(b"[]").expect_err("a list");
    assert_eq!((problems.len(), problems[0].pointer.as_str()), (1, ""));
    let whole = LANGS.map(|lang| problems[0].plain(lang));
    assert!(whole[0].starts_with("Found an empty list; expected ") && whole[0].ends_with('.'), "{whole:?}");
    assert!(!whole[1].contains('/') && whole[1].contains("，应为"), "{whole:?}");
    let named = problems[0].clone().at("/answers/the~1one/0");
    assert!(named.plain(Lang::En).starts_with("the/one: found an empty list; "), "{}", named.plain(Lang::En));
}

#[test]
fn chinese_has_a_blank_before_a_latin_word() {
    let expected = say("_steps, version", "_steps、version");
    let problem = Problem::new(ProblemCode::UnknownField, say("x", "找到 x"), expected);
    assert_eq!(problem.sentence(Lang::ZhCn), "/：找到 x，应为 _steps、version。");
}
