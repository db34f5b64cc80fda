use super::*;
use crate::ask::decode_spec;

const BASE: &str = r#"{"version":1,"topic":"平台","questions":[
    {"id":"platform","header":"平台","question":"发布到哪里？","kind":"single_choice","required":true,
     "options":[{"label":"qidian","description":"起点"},{"label":"tomato","description":"番茄"}],"default":"tomato"},
    {"id":"note","header":"备注","question":"还有吗？","kind":"free_text","required":false}]}"#;

fn spec(json: &str) -> QuestionSpec {
    decode_spec(json.as_bytes()).expect("a legal spec")
}

/// The changes after the replacements, as sentences.
fn told(replacements: &[(&str, &str)], lang: Lang) -> Vec<String> {
    let mut json = BASE.to_owned();
    for (from, to) in replacements {
        assert!(json.contains(from), "{from}");
        json = json.replace(from, to);
    }
    drift(&spec(BASE), &spec(&json)).iter().map(|change| change.text(lang)).collect()
}

/// A replacement in the text of the spec, and what is said of it.
const EACH: &[((&str, &str), &str, &str)] = &[
    (
        ("\"version\":1", "\"version\":2"),
        "The gate's version was 1 and is 2 now.",
        "门控的版本原为 1，现为 2。",
    ),
    (
        ("\"topic\":\"平台\"", "\"topic\":\"t\""),
        "The gate's topic was \"平台\" and is \"t\" now.",
        "门控的主题原为“平台”，现为“t”。",
    ),
    (
        ("\"id\":\"note\"", "\"id\":\"notes\""),
        "\"备注\" (notes) had the id note before.",
        "“备注”（notes）的 id 原为 note。",
    ),
    (
        ("发布到哪里？", "何处？"),
        "\"平台\" (platform) is reworded. It was: \"发布到哪里？\"",
        "“平台”（platform）的措辞变了，原为：“发布到哪里？”",
    ),
    (
        ("\"header\":\"备注\"", "\"header\":\"附注\""),
        "\"附注\" (note) has another header now.",
        "“附注”（note）的标题变了。",
    ),
    (
        ("\"required\":false", "\"required\":true"),
        "\"备注\" (note) must be answered now.",
        "“备注”（note）现在必答。",
    ),
    (
        ("\"required\":true", "\"required\":false"),
        "\"平台\" (platform) may be left blank now.",
        "“平台”（platform）现在可以留空。",
    ),
    (
        ("\"default\":\"tomato\"", "\"default\":\"qidian\""),
        "\"平台\" (platform) has another default now.",
        "“平台”（platform）的默认选项变了。",
    ),
    (
        (",\"default\":\"tomato\"", ""),
        "\"平台\" (platform) has no default any more.",
        "“平台”（platform）不再有默认选项。",
    ),
    (
        ("\"default\"", "\"allow_other\":true,\"default\""),
        "\"平台\" (platform) takes answers outside its options now.",
        "“平台”（platform）现在可以填写选项以外的回答。",
    ),
    (
        ("\"label\":\"qidian\"", "\"label\":\"起点\""),
        "\"平台\" (platform): the option \"qidian\" is now called \"起点\".",
        "“平台”（platform）：选项“qidian”现在叫“起点”。",
    ),
    (
        ("\"description\":\"起点\"", "\"description\":\"阅文\""),
        "\"平台\" (platform): the option \"qidian\" is described differently.",
        "“平台”（platform）：选项“qidian”的说明变了。",
    ),
    (
        ("{\"label\":\"qidian\",\"description\":\"起点\"},", ""),
        "\"平台\" (platform) no longer offers \"qidian\".",
        "“平台”（platform）不再提供选项“qidian”。",
    ),
    (
        ("\"options\":[", "\"options\":[{\"label\":\"jj\",\"description\":\"晋江\"},"),
        "\"平台\" (platform) has the new option \"jj\".",
        "“平台”（platform）新增了选项“jj”。",
    ),
];

#[test]
fn each_change_is_said() {
    for (replacement, english, chinese) in EACH.iter().copied() {
        assert_eq!(told(&[replacement], Lang::En), [english]);
        assert_eq!(told(&[replacement], Lang::ZhCn), [chinese]);
    }
}

#[test]
fn a_default_may_come_too() {
    let before = spec(&BASE.replace(",\"default\":\"tomato\"", ""));
    let changes = drift(&before, &spec(BASE));
    let told = |lang| changes.iter().map(|change| change.text(lang)).collect::<Vec<_>>();
    assert_eq!(told(Lang::En), ["\"平台\" (platform) has a default now."]);
    assert_eq!(told(Lang::ZhCn), ["“平台”（platform）现在有默认选项。"]);
}

#[test]
fn questions_come_go_and_move() {
    let note = r#"{"id":"note","header":"备注","question":"还有吗？","kind":"free_text","required":false}"#;
    let gone = format!(",\n    {note}");
    assert_eq!(told(&[(&gone, "")], Lang::En), ["\"备注\" (note) is not asked any more."]);
    let more = r#"{"id":"more","header":"More","question":"?","kind":"free_text","required":false}"#;
    let added = format!("{note},{more}");
    assert_eq!(told(&[(note, &added)], Lang::En), ["\"More\" (more) is a new question."]);
    let moved = [(gone.as_str(), ""), ("\"questions\":[", &format!("\"questions\":[{note},"))];
    assert_eq!(told(&moved, Lang::En), ["The questions are in another order."]);
    let kind = [(
        "\"kind\":\"free_text\",\"required\":false",
        "\"kind\":\"single_choice\",\"required\":false,\"options\":[{\"label\":\"a\",\"description\":\"d\"}]",
    )];
    assert_eq!(told(&kind, Lang::En)[0], "\"备注\" (note) was free text and is single choice now.");
    assert_eq!(told(&kind, Lang::ZhCn)[0], "“备注”（note）原为自由填写，现为单选。");
}

#[test]
fn what_alters_nothing_is_no_change() {
    assert_eq!(told(&[("\"version\":1", "\"_x\":[1],\"version\":1.0")], Lang::En), Vec::<String>::new());
    let options = [(
        "[{\"label\":\"qidian\",\"description\":\"起点\"},{\"label\":\"tomato\",\"description\":\"番茄\"}]",
        "[{\"label\":\"tomato\",\"description\":\"番茄\"},{\"label\":\"qidian\",\"description\":\"起点\"}]",
    )];
    let first = [options[0], ("\"default\":\"tomato\"", "\"default\":\"qidian\"")];
    assert_eq!(
        told(&first, Lang::En).len(),
        2,
        "the second is the default as before, but not the same option"
    );
    assert_eq!(told(&options, Lang::En), ["The options of \"平台\" (platform) are in another order."]);
}

#[test]
fn many_options_are_compared_in_one_go() {
    let options = |shift: usize| {
        let option =
            |n: usize| format!("{{\"label\":\"l{}\",\"description\":\"d{}\"}}", n + shift, n + shift);
        let all: Vec<String> = (0..20_000).map(option).collect();
        spec(&format!(
            r#"{{"version":1,"topic":"t","questions":[{{"id":"a","header":"h","question":"q","kind":"multi_choice","required":true,"options":[{}]}}]}}"#,
            all.join(",")
        ))
    };
    assert_eq!(drift(&options(0), &options(10_000)).len(), 20_000);
}

const A: &str = r#"{"label":"a","description":"first"}"#;
const B: &str = r#"{"label":"b","description":"second"}"#;

fn asking(questions: &[String]) -> QuestionSpec {
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
fn what_becomes_free_text_is_not_said_to_take_only_options() {
    let changes = drift(&asking(&[choice("one", A, r#","allow_other":true"#)]), &asking(&[text("one")]));
    let codes: Vec<&str> = changes.iter().map(|change| change.kind.code()).collect();
    assert_eq!(codes, ["kind", "option-removed"]);
}

#[test]
fn specs_differ_exactly_when_they_ask_something_else() {
    let variants = [
        asking(&[text("one")]),
        asking(&[text("one"), text("two")]),
        asking(&[text("two"), text("one")]),
        asking(&[choice("one", A, "")]),
        asking(&[choice("one", A, r#","default":"a""#)]),
        asking(&[choice("one", A, r#","allow_other":true"#)]),
        asking(&[choice("one", &format!("{A},{B}"), r#","default":["b"]"#).replace("single", "multi")]),
        asking(&[choice("one", B, "")]),
        asking(&[choice("one", &format!("{A},{B}"), "")]),
        asking(&[choice("one", &format!("{B},{A}"), "")]),
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
fn only_a_plausible_new_name_is_taken_for_one() {
    let option =
        |label: &str, description: &str| format!(r#"{{"label":"{label}","description":"{description}"}}"#);
    let ask = |options: &[(&str, &str)]| {
        let options: Vec<String> = options.iter().map(|(label, text)| option(label, text)).collect();
        asking(&[choice("one", &options.join(","), "")])
    };
    let codes = |before: &[(&str, &str)], now: &[(&str, &str)]| -> Vec<&'static str> {
        drift(&ask(before), &ask(now)).iter().map(|change| change.kind.code()).collect()
    };
    let renamed = ["option-renamed"];
    let other = ["option-added", "option-removed"];
    assert_eq!(codes(&[("a", "1"), ("b", "2")], &[("a", "1"), ("c", "2")]), renamed);
    // New ones around it change nothing of its place among those that stayed.
    let found = codes(&[("a", "1"), ("b", "2")], &[("n", "0"), ("a", "1"), ("c", "2"), ("m", "9")]);
    assert_eq!(found, ["option-added", "option-renamed", "option-added"]);
    // The same words stand for several.
    assert_eq!(codes(&[("a", "-"), ("b", "-")], &[("a", "-"), ("c", "-")]), other);
    assert_eq!(codes(&[("a", "-"), ("b", "2")], &[("b", "2"), ("c", "-"), ("d", "-")]).len(), 3);
    // It stands elsewhere.
    assert_eq!(codes(&[("a", "1"), ("b", "2"), ("x", "3")], &[("b", "2"), ("x", "3"), ("c", "1")]), other);
}

#[test]
fn a_question_is_taken_for_a_renamed_one_only_if_no_other_could_be_meant() {
    let codes = |before: &[String], now: &[String]| -> Vec<&'static str> {
        drift(&asking(before), &asking(now)).iter().map(|change| change.kind.code()).collect()
    };
    assert_eq!(codes(&[text("one")], &[text("two")]), ["question-renamed", "question-reworded"]);
    let several = codes(&[text("one"), text("two")], &[text("three"), text("four")]);
    assert_eq!(several, ["question-added", "question-added", "question-removed", "question-removed"]);
}

#[test]
fn below_its_question_a_change_does_not_name_it_again() {
    let before = spec(BASE);
    for ((from, to), english, chinese) in EACH.iter().copied() {
        let now = spec(&BASE.replace(from, to));
        for change in drift(&before, &now) {
            let bare = [change.text_below_question(Lang::En), change.text_below_question(Lang::ZhCn)];
            assert!(
                bare.iter().all(|text| !text.contains("(platform)") && !text.contains("(note)")),
                "{bare:?}"
            );
            let is_of_gate = change.question.is_none();
            assert_eq!((bare[0] == english, bare[1] == chinese), (is_of_gate, is_of_gate), "{bare:?}");
        }
    }
}
