use super::*;
use crate::ask::decode_spec;
use crate::text::Lang;

const SPEC: &str = r#"{"version":1,"topic":"平台","questions":[
    {"id":"platform","header":"平台","question":"发布到哪里？","kind":"single_choice","required":true,
     "options":[{"label":"qidian","description":"起点中文网"},{"label":"tomato","description":"番茄小说"}]},
    {"id":"drive","header":"驱动","question":"靠什么？","kind":"multi_choice","required":false,
     "options":[{"label":"情节","description":"p"},{"label":"人物","description":"c"}]},
    {"id":"note","header":"备注","question":"还有吗？","kind":"free_text","required":false}]}"#;

fn spec(json: &str) -> QuestionSpec {
    decode_spec(json.as_bytes()).expect("a legal spec")
}

fn record(answers: &str) -> String {
    format!(
        r#"{{"version":1,"topic":"平台","answers":{{{answers}}},"answered_at":"2026-02-27T10:12:34Z","answered_by":"codex"}}"#
    )
}

fn found(bytes: &str, now: &str, then: Option<&str>) -> Vec<Cause> {
    let now = spec(now);
    let problems = check_record(&now, bytes.as_bytes()).expect_err("a bad record");
    causes(bytes.as_bytes(), &problems, &now, then.map(spec).as_ref())
}

/// Codes and English sentences; the Chinese ones must be there too, and differ.
fn told(bytes: &str, now: &str, then: Option<&str>) -> Vec<(&'static str, String)> {
    let all = found(bytes, now, then);
    for cause in &all {
        let (english, chinese) = (cause.text(Lang::En), cause.text(Lang::ZhCn));
        assert!(!english.is_empty() && english != chinese, "{cause:?}");
        assert!(english.ends_with(['.', '"']) && chinese.ends_with(['。', '"']), "{english} {chinese}");
    }
    all.iter().map(|cause| (cause.code, cause.text(Lang::En))).collect()
}

fn one(bytes: &str) -> (&'static str, String) {
    let mut all = told(bytes, SPEC, None);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn a_file_that_is_no_record_has_one_cause() {
    for (bytes, code) in [
        ("", "empty"),
        (" \n", "empty"),
        ("{\"version\": 1,\n\"topic\": \"平", "cut-off"),
        ("\u{feff}{}", "byte-order-mark"),
        ("```json\n{}\n```\n", "code-fence"),
        ("# 第一章\n", "not-json"),
        ("第一章\n", "not-json"),
        ("{\"version\": 1, // 初稿\n}", "comment"),
        ("{\"answers\": {\"platform\": \"他说\"走\"\"}}", "bare-quote"),
        ("{\"answers\": {'platform': None}}", "quote"),
        ("[1]", "not-an-object"),
        ("null", "not-an-object"),
        ("{\"name\": \"x\"}", "foreign"),
        (SPEC, "packet"),
        ("{\"step\":\"s\",\"novel_ask\":{}}", "packet"),
        ("{\"platform\":\"qidian\"}", "bare-answers"),
    ] {
        assert_eq!(one(bytes).0, code, "{bytes}");
    }
    let cut = one("{\"version\": 1,\n\"topic\": \"平").1;
    assert_eq!(cut, "The file stops in line 2, inside a value: it was cut off while it was written.");
}

#[test]
fn a_wrong_value_names_what_was_meant() {
    for (value, words) in [
        (" qidian", "is the option \"qidian\" with other white space around it"),
        ("QiDian", "is the option \"qidian\" in other letter forms"),
        ("ｑｉｄｉａｎ", "is the option \"qidian\" in other letter forms"),
        ("qidian (Recommended)", "is the option \"qidian\" followed by a remark"),
        ("番茄小说", "is the description of the option \"tomato\""),
        ("2", "is the number of the option \"tomato\""),
        ("qidain", "the nearest is \"qidian\""),
        ("晋江", "is not one of the options; own answers are not allowed"),
    ] {
        let (code, sentence) = one(&record(&format!("\"platform\":\"{value}\"")));
        assert_eq!(code, "not-an-option");
        assert!(sentence.contains(words), "{value}: {sentence}");
    }
    // The whole value counts, not what a problem quotes of it.
    let long = "长".repeat(200);
    let cause = &found(&record(&format!("\"platform\":\"{long}\"")), SPEC, None)[0];
    assert!(cause.text(Lang::En).ends_with("own answers are not allowed."), "{cause:?}");
}

#[test]
fn answers_of_the_wrong_form_are_recognised() {
    let answered = |more: &str| record(&format!("\"platform\":\"qidian\",{more}"));
    for (more, code) in [
        ("\"drive\":[]", "not-left-out"),
        ("\"drive\":null", "not-left-out"),
        ("\"note\":\" \"", "not-left-out"),
        ("\"drive\":\"情节\"", "wrong-type"),
        ("\"drive\":[\"情节\",1]", "wrong-type"),
        ("\"note\":[\"a\"]", "wrong-type"),
        ("\"drive\":[\"情节\",\"情节\"]", "duplicate"),
        ("\"drives\":[\"情节\"]", "unknown-question"),
        ("\"Note\":\"x\"", "unknown-question"),
    ] {
        assert_eq!(one(&answered(more)).0, code, "{more}");
    }
    assert_eq!(one(&record("\"platform\":\"\"")).0, "blank");
    assert_eq!(one(&record("")).1, "\"平台\" (platform) has no answer, and one is required.");
    let near = one(&answered("\"drives\":[\"情节\"]")).1;
    assert_eq!(near, "\"drives\" is no question of this gate; drive may be meant.");
}

#[test]
fn the_frame_of_a_record_is_looked_at() {
    let good = record("\"platform\":\"qidian\"");
    for (from, to, code) in [
        ("\"version\":1", "\"version\":2", "other-version"),
        ("\"topic\":\"平台\"", "\"topic\":\"别的\"", "other-topic"),
        ("\"answered_by\":\"codex\"", "\"_\":1", "missing"),
        ("2026-02-27T10:12:34Z", "2026-02-27", "bad-time"),
        ("\"version\":1", "\"notes\":\"x\",\"version\":1", "unknown-field"),
    ] {
        assert_eq!(one(&good.replace(from, to)).0, code);
    }
}

#[test]
fn a_record_of_another_gate_is_named_once() {
    let other = record("\"genre\":\"玄幻\",\"tone\":\"轻松\"").replace("平台", "类型");
    let all = told(&other, SPEC, None);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].0, "other-gate");
    assert!(all[0].1.contains("\"类型\""), "{}", all[0].1);
}

#[test]
fn drift_names_the_change_behind_each_problem() {
    let good = record("\"platform\":\"qidian\",\"drive\":[\"情节\",\"人物\"],\"note\":\"x\"");
    let drifted = "The record fitted the questions when it was written; they have changed since.";
    for (from, to, sentence) in [
        (
            "{\"label\":\"qidian\",\"description\":\"起点中文网\"},",
            "",
            "\"平台\" (platform) no longer offers \"qidian\".",
        ),
        (
            "\"label\":\"qidian\"",
            "\"label\":\"起点\"",
            "\"平台\" (platform): the option \"qidian\" is now called \"起点\".",
        ),
        ("\"version\":1", "\"version\":2", "The gate's version was 1 and is 2 now."),
        ("\"topic\":\"平台\"", "\"topic\":\"发布\"", "The gate's topic was \"平台\" and is \"发布\" now."),
        ("\"id\":\"note\"", "\"id\":\"notes\"", "\"备注\" (notes) had the id note before."),
        (
            "\"kind\":\"free_text\",\"required\":false",
            "\"kind\":\"multi_choice\",\"required\":false,\"options\":[{\"label\":\"x\",\"description\":\"d\"}]",
            "\"备注\" (note) was free text and is multiple choice now.",
        ),
    ] {
        let now = SPEC.replace(from, to);
        let all = told(&good, &now, Some(SPEC));
        assert_eq!(all.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["drift", "changed"], "{sentence}");
        assert_eq!((all[0].1.as_str(), all[1].1.as_str()), (drifted, sentence));
    }
    let removed = ",\n    {\"id\":\"note\",\"header\":\"备注\",\"question\":\"还有吗？\",\"kind\":\"free_text\",\"required\":false}";
    let all = told(&good, &SPEC.replace(removed, ""), Some(SPEC));
    assert_eq!(all[1].1, "\"备注\" (note) is not asked any more.");
    let bare = record("\"platform\":\"qidian\"");
    let now =
        SPEC.replace("\"kind\":\"free_text\",\"required\":false", "\"kind\":\"free_text\",\"required\":true");
    assert_eq!(told(&bare, &now, Some(SPEC))[1].1, "\"备注\" (note) must be answered now.");
}

#[test]
fn own_words_that_were_allowed_are_no_slip() {
    let open = SPEC.replace(
        "\"options\":[{\"label\":\"qidian\"",
        "\"allow_other\":true,\"options\":[{\"label\":\"qidian\"",
    );
    let all = told(&record("\"platform\":\"晋江\""), SPEC, Some(&open));
    assert_eq!(all[1].1, "\"平台\" (platform) takes only its options now.");
}

#[test]
fn a_change_does_not_hide_a_mistake_it_did_not_make() {
    let now = SPEC.replace("{\"label\":\"qidian\",\"description\":\"起点中文网\"},", "");
    let bad = record("\"platform\":\"qidian\",\"drive\":[]");
    let codes: Vec<_> = told(&bad, &now, Some(SPEC)).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["drift", "changed", "not-left-out"]);
    assert_eq!(told(&bad, &now, Some(SPEC))[0].1, "The questions have changed since the record was written.");
    // A change that is no reason is not told.
    let other = SPEC.replace("起点中文网", "阅文");
    let codes: Vec<_> =
        told(&record("\"platform\":\"x\""), &other, Some(SPEC)).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["not-an-option"]);
}
