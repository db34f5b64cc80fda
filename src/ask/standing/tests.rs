use super::*;
use crate::ask::splice::{GateText, with_gate};
use crate::text::Lang;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

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

fn verdict(members: &str) -> String {
    format!(
        r#"{{"_steps": ["chapter:*:commit"], "version": 1, "topic": "t", "questions": [
  {{"id": "a", "header": "h", "question": "q", {members}}},
  {{"id": "b", "header": "h", "question": "q", "kind": "free_text", "required": false}}]}}"#
    )
}

const OPTIONS: &str = r#""options": [{"label": "收下 \"it\"", "description": "k"},
    {"label": " 小改, \u0061gain", "_note": 1, "description": "x"}, {"label": "Keep it", "description": "k"}]"#;

#[test]
fn a_verdict_is_attached_with_the_labels_that_open_and_no_other() {
    let single = r#""kind": "single_choice", "required": true"#;
    for (opens, opening, back) in [
        (r#"["Keep it"]"#, &["Keep it"][..], &["收下 \"it\"", " 小改, again"][..]),
        (r#"["Keep it", "收下 \"it\""]"#, &["收下 \"it\"", "Keep it"], &[" 小改, again"]),
        (r#"[" 小改, again"]"#, &[" 小改, again"], &["收下 \"it\"", "Keep it"]),
        (
            r#"["\u0020小改, again", "Keep it", "收下 \u0022it\""]"#,
            &["收下 \"it\"", " 小改, again", "Keep it"],
            &[],
        ),
    ] {
        let file = verdict(&format!(
            r#"{single}, {OPTIONS}, "allow_other": true, "_opens_on": {opens}, "_mine": [ 7 ]"#
        ));
        let standing = read("a", file.as_bytes()).standing.expect(opens);
        let question = &standing.spec.questions[0];
        let labels = |sends_back: bool| -> Vec<&str> {
            let some = question.options.iter().filter(|option| option.sends_back == sends_back);
            some.filter_map(|option| option.label.as_str()).collect()
        };
        assert_eq!((&*labels(false), &*labels(true)), (opening, back), "{opens}");
        assert!(!question.allow_other);
        assert_eq!(
            (question.is_verdict(), standing.spec.questions[1].is_verdict()),
            (!back.is_empty(), false)
        );
        let (key, questions) = &standing.members[2];
        assert_eq!(*key, "questions");
        assert!(
            questions.contains(r#""_mine": [ 7 ]"#) && questions.contains(r#""allow_other": false"#),
            "{questions}"
        );
        assert!(
            questions.contains(r#"{"label": " 小改, \u0061gain", "_note": 1, "description": "x"}"#),
            "{questions}"
        );
        // Who reads the packet reads the same verdict.
        let spec = format!(r#"{{"version": 1, "topic": "t", "questions": {questions}}}"#);
        assert_eq!(decode_spec(spec.as_bytes()).expect("a spec"), *standing.spec);
    }
}

#[test]
fn a_verdict_stays_beside_questions_that_are_none() {
    let file = verdict(&format!(
        r#""kind": "single_choice", "required": true, "_opens_on": ["Keep it"], {OPTIONS}"#
    ));
    let standing = read("a", file.as_bytes()).standing.expect("a question");
    let other = r#"{"id": "b", "header": "h", "question": "q", "kind": "free_text", "required": false}"#;
    assert!(standing.members[2].1.ends_with(&format!(", {other}]")), "{}", standing.members[2].1);
    assert!(standing.spec.is_verdict());
    let plain = file.replace("\"_opens_on\": [\"Keep it\"], ", "");
    let standing = read("a", plain.as_bytes()).standing.expect("a question");
    assert!(plain.contains(&standing.members[2].1), "as the file spells them");
    assert!(!standing.spec.is_verdict());
}

#[test]
fn what_can_be_no_verdict_is_said_at_its_place() {
    let problems = |members: &str| {
        let Read { standing, problems } = read("a", verdict(members).as_bytes());
        assert!(standing.is_none() && !problems.is_empty(), "{members}");
        let at = problems
            .iter()
            .map(|problem| problem.pointer.strip_prefix("/questions/0").expect("its question"));
        at.map(str::to_owned).collect::<Vec<_>>()
    };
    let single = r#""kind": "single_choice", "required": true"#;
    let keep = r#""_opens_on": ["Keep it"]"#;
    for (members, at) in [
        (format!(r#""kind": "multi_choice", "required": true, {OPTIONS}, {keep}"#), &["/kind"][..]),
        (format!(r#""kind": "free_text", "required": true, {keep}"#), &["/kind"]),
        (format!(r#""kind": "single_choice", "required": false, {OPTIONS}, {keep}"#), &["/required"]),
        (format!(r#"{single}, "default": "Keep it", {OPTIONS}, {keep}"#), &["/default"]),
        (
            format!(
                r#""kind": "multi_choice", "required": false, "default": ["Keep it"], {OPTIONS}, {keep}"#
            ),
            &["/kind", "/required", "/default"],
        ),
        (
            format!(r#"{single}, {OPTIONS}, "_opens_on": ["Keep it", "Kept it", " Keep it", 7, null]"#),
            &["/_opens_on/1", "/_opens_on/2", "/_opens_on/3", "/_opens_on/4"],
        ),
        (format!(r#"{single}, {OPTIONS}, "_opens_on": ["Keep it", "K\u0065ep it"]"#), &["/_opens_on/1"]),
        (format!(r#"{single}, {OPTIONS}, "_opens_on": []"#), &["/_opens_on"]),
        (format!(r#"{single}, {OPTIONS}, "_opens_on": "Keep it""#), &["/_opens_on"]),
        (format!(r#"{single}, {OPTIONS}, "_opens_on": null"#), &["/_opens_on"]),
        (format!(r#"{single}, {OPTIONS}, "_opens_on": {{"0": "Keep it"}}"#), &["/_opens_on"]),
    ] {
        assert_eq!(problems(&members), at, "{members}");
    }
    let file = verdict(&format!(r#"{single}, {OPTIONS}, "_opens_on": ["Kept it"]"#));
    let said = read("a", file.as_bytes()).problems[0].sentence(Lang::En);
    assert!(said.contains("\"Kept it\"") && said.contains("Nearest: \"Keep it\""), "{said}");
    let root =
        file.replacen("\"version\"", "\"_opens_on\": [\"Keep it\"], \"version\"", 1).replace("Kept", "Keep");
    let Read { standing, problems } = read("a", root.as_bytes());
    assert!(standing.is_some());
    assert_eq!(
        problems.iter().map(|problem| &*problem.pointer).collect::<Vec<_>>(),
        ["/_opens_on"],
        "not in its question"
    );
}

#[test]
fn what_is_to_be_proposed_is_read_and_passed_on_as_it_is() {
    let other = r#""kind": "multi_choice", "required": true, "allow_other": true"#;
    for (propose, expected) in [
        (r#"{"brief": " 三种走法 "}"#, (" 三种走法 ", 3, 3)),
        (r#"{"brief": "b", "options": 1, "rounds": 9}"#, ("b", 1, 9)),
        (r#"{"rounds": 1e0, "options": 9.0, "brief": "b"}"#, ("b", 9, 1)),
    ] {
        let file = verdict(&format!(r#"{other}, {OPTIONS}, "_propose": {propose}"#));
        let standing = read("a", file.as_bytes()).standing.expect(propose);
        let [found] = &standing.proposing[..] else { panic!("{propose}") };
        assert_eq!((&*found.brief.lossy(), found.options, found.rounds), expected);
        assert_eq!(found.question, standing.spec.questions[0].id);
        assert!(standing.members[2].1.contains(propose));
    }
}

#[test]
fn what_cannot_be_proposed_to_is_said_at_its_place() {
    let other = r#""kind": "single_choice", "required": true, "allow_other": true"#;
    let good = r#""_propose": {"brief": "b"}"#;
    for (members, at) in [
        (format!(r#""kind": "free_text", "required": true, {good}"#), &["/kind"][..]),
        (format!(r#""kind": "single_choice", "required": true, {OPTIONS}, {good}"#), &["/allow_other"]),
        (
            format!(r#""kind": "multi_choice", "required": true, "allow_other": false, {OPTIONS}, {good}"#),
            &["/allow_other"],
        ),
        (format!(r#"{other}, {OPTIONS}, {good}, "_opens_on": ["Keep it"]"#), &["/_opens_on"]),
        (format!(r#"{other}, {OPTIONS}, "_propose": "b""#), &["/_propose"]),
        (format!(r#"{other}, {OPTIONS}, "_propose": null"#), &["/_propose"]),
        (format!(r#"{other}, {OPTIONS}, "_propose": {{}}"#), &["/_propose/brief"]),
        (
            format!(r#"{other}, {OPTIONS}, "_propose": {{"breif": "b", "brief": " "}}"#),
            &["/_propose/breif", "/_propose/brief"],
        ),
        (
            format!(r#"{other}, {OPTIONS}, "_propose": {{"brief": "b", "options": 0, "rounds": 10}}"#),
            &["/_propose/options", "/_propose/rounds"],
        ),
        (
            format!(r#"{other}, {OPTIONS}, "_propose": {{"brief": "b", "options": "3", "rounds": 1.5}}"#),
            &["/_propose/options", "/_propose/rounds"],
        ),
    ] {
        let Read { standing, problems } = read("a", verdict(&members).as_bytes());
        let found = problems
            .iter()
            .map(|problem| problem.pointer.strip_prefix("/questions/0").expect("its question"));
        assert_eq!((standing.is_none(), &*found.collect::<Vec<_>>()), (true, at), "{members}");
        let differs = |problem: &Problem| problem.sentence(Lang::ZhCn) != problem.sentence(Lang::En);
        assert!(problems.iter().all(differs), "{members}");
    }
}

#[test]
fn a_slip_of_the_pen_makes_no_verdict_and_is_said() {
    let single = r#""kind": "single_choice", "required": true"#;
    for (key, is_said) in [
        ("_open_on", true),
        ("_opensOn", true),
        ("_opnes_on", true),
        ("_opens", true),
        ("_OPENS_ON", true),
        ("_proposes", true),
        ("_porpose", true),
        ("_opens_on", false),
        ("_sends_back", false),
        ("_note", false),
        ("_mine", false),
        ("_once_per", false),
        ("_", false),
        ("_opinions_of_my_readers_on_this", false),
    ] {
        let file = verdict(&format!(r#"{single}, {OPTIONS}, "{key}": ["Keep it"]"#));
        let Read { standing, problems } = read("a", file.as_bytes());
        assert!(standing.is_some(), "{key}: {problems:?}");
        let at: Vec<&str> = problems.iter().map(|problem| &*problem.pointer).collect();
        let place = format!("/questions/0/{key}");
        assert_eq!(at, if is_said { vec![&*place] } else { vec![] }, "{key}");
    }
}

/// White space as programs lay JSON out.
fn white() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(" "), Just("\n"), Just("\r\n\t"), Just("\n\n      ")]
}

/// Labels, each with whether it opens; at least one does.
fn labels() -> impl Strategy<Value = Vec<(String, bool)>> {
    let label = prop_oneof!["[\\]\\[{},:\"\\\\ 收下改a]{0,6}x", "\\PC{0,8}x"];
    let labels = proptest::collection::btree_map(label, any::<bool>(), 1..8);
    let shuffled = labels.prop_map(|labels: BTreeMap<String, bool>| labels.into_iter().collect::<Vec<_>>());
    shuffled.prop_shuffle().prop_map(|mut labels| {
        labels[0].1 = true;
        labels
    })
}

#[test]
fn a_file_that_nobody_can_read_is_not_asked() {
    let file = r#"{"_steps": ["*:*"], "version": 1, "topic": "目标", "questions": [{"id": "a", "header": "目标",
        "question": "这一章的目标是什么？", "kind": "free_text", "required": true}]}"#;
    assert!(read("a", file.as_bytes()).standing.is_some());
    let (gbk, ..) = encoding_rs::GBK.encode(file);
    let read = read("a", &gbk);
    assert!(
        read.standing.is_none() && read.problems[0].sentence(Lang::En).contains("GBK"),
        "{:?}",
        read.problems
    );
}

#[test]
fn patterns_are_said_in_words_and_single_steps_by_their_ids() {
    let said = |pattern: &str, lang| Pattern::parse(pattern).expect("a pattern").text(lang);
    for (pattern, en, zh) in [
        ("chapter:*:draft", "the draft of every chapter", "每章 draft"),
        ("*:*:draft", "the draft of every chapter", "每章 draft"),
        ("chapter:*:*", "each step of every chapter", "每章的每一步"),
        ("chapter:7:commit", "the commit of chapter 7", "第 7 章 commit"),
        ("chapter:10-20:*", "each step of chapters 10-20", "第 10-20 章的每一步"),
        ("volume:outline", "volume:outline", "volume:outline"),
        ("quickstart:*", "each step of quickstart", "quickstart 阶段的每一步"),
        ("*:commit", "the commit of all but chapters", "章节以外 commit"),
        ("*:*", "each step of all but chapters", "章节以外的每一步"),
    ] {
        assert_eq!((said(pattern, Lang::En), said(pattern, Lang::ZhCn)), (en.to_owned(), zh.to_owned()));
    }
}

proptest! {
    #[test]
    fn a_verdict_in_any_layout_goes_into_a_packet_and_out_of_it(
        labels in labels(), a in white(), b in white(), allow_other in proptest::option::of(any::<bool>())
    ) {
        let list = |parts: Vec<String>| format!("[{a}{}{b}]", parts.join(&format!("{b},{a}")));
        let option = |(label, _): &(String, bool)| {
            format!("{{{a}\"label\"{b}:{a}{}{a},\"description\":\"d\",{b}\"_n\":[1]{b}}}", json!(label))
        };
        let opens = labels.iter().filter(|(_, opens)| *opens);
        let opens = list(opens.map(|(label, _)| json!(label).to_string()).collect());
        let other = allow_other.map(|other| format!("\"allow_other\"{a}:{b}{other},")).unwrap_or_default();
        let options = list(labels.iter().map(option).collect());
        let file = format!(
            "{{{a}\"_steps\":[\"*:*\"],\"version\":1,\"topic\":\"t\",{b}\"questions\"{a}:[{b}{{{a}\"id\":\"a\",\"header\":\"h\",{other}\
             \"question\":\"q\",\"kind\":\"single_choice\",\"required\":true,\"options\"{a}:{options},\"_opens_on\":{b}{opens}{a}}}{a}]}}"
        );
        let standing = read("a", file.as_bytes()).standing.expect("a question");
        let question = &standing.spec.questions[0];
        let (opening, back): (Vec<_>, Vec<_>) = labels.iter().partition(|(_, opens)| *opens);
        let in_order: Vec<&str> = opening.iter().chain(&back).map(|(label, _)| label.as_str()).collect();
        let read: Vec<_> = question.options.iter().map(|option| option.label.as_str().expect("a label")).collect();
        prop_assert_eq!(&read, &in_order);
        prop_assert!(question.options.iter().skip(opening.len()).all(|option| option.sends_back));
        prop_assert!(!question.allow_other);
        let packet = format!("{{{a}\"step\":{b}\"s\"{a},\"x\":[]{b}}}{a}");
        let gate = GateText { members: &standing.members, answer_path: "staging/novel-ask/a-book.answers.json" };
        let gated = with_gate(packet.as_bytes(), Some(gate)).expect("a packet");
        let written: Value = serde_json::from_slice(&gated).expect("JSON");
        let count = |key: &str| written["novel_ask"]["questions"][0][key].as_array().map(Vec::len);
        prop_assert_eq!((count("options"), count("_sends_back")), (Some(opening.len()), Some(back.len())));
        prop_assert_eq!(with_gate(&gated, None).expect("a packet"), packet.into_bytes());
    }
}
