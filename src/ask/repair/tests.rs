use super::*;
use crate::ask::{check_record, decode_spec, to_line};

const SPEC: &[u8] = r#"{"version": 1, "topic": "t", "questions": [
    {"id": "platform", "header": "h", "question": "q", "kind": "single_choice", "required": true,
     "options": [{"label": "qidian", "description": "d"}, {"label": "jjwxc", "description": "d"}], "default": "qidian"},
    {"id": "tags", "header": "h", "question": "q", "kind": "multi_choice", "required": true,
     "options": [{"label": "a", "description": "d"}, {"label": "b", "description": "d"}]},
    {"id": "note", "header": "h", "question": "q", "kind": "free_text", "required": false}]}"#
    .as_bytes();

/// Diagnosis, draft and the question in need for these answers and more members of the record.
fn repair(answers: &str, more: &str) -> (Diagnosis, Draft, Option<usize>) {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let record = format!(
        r#"{{"version": 1, "topic": "t", "answers": {answers}, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "x"{more}}}"#
    );
    let problems = check_record(&spec, record.as_bytes()).expect_err("a bad record");
    let diagnosis = Diagnosis::of(&spec, record.as_bytes(), &problems, Vec::new());
    let draft = repair_draft(&spec, record.as_bytes(), &diagnosis);
    let need = diagnosis.first_in_need(&spec, &draft);
    (diagnosis, draft, need)
}

fn values(draft: &Draft) -> String {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let shown = |(id, answer): (String, Answer)| format!("{id}={} ", to_line(&answer));
    draft.answers(&spec).into_iter().map(shown).collect::<Vec<_>>().concat()
}

#[test]
fn faults_that_can_be_left_out_need_nobody() {
    let (diagnosis, draft, need) = repair(
        r#"{"platform": "jjwxc", "tags": ["b", "a", "b"], "note": "", "mood": "x"}"#,
        r#", "extra": 1"#,
    );
    assert_eq!(values(&draft), r#"platform="jjwxc" tags=["a", "b"] "#);
    assert_eq!(diagnosis.faults.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1]);
    let rest: Vec<&str> = diagnosis.rest.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(rest, ["/extra", "/answers/mood"]);
    assert_eq!(need, None);
}

#[test]
fn what_somebody_said_and_is_no_answer_needs_the_author_and_no_default_stands_for_it() {
    let (_, draft, need) = repair(r#"{"platform": "tomato", "tags": ["a"]}"#, "");
    assert_eq!((values(&draft).as_str(), need), (r#"tags=["a"] "#, Some(0)));
    let (_, draft, need) = repair(r#"{"platform": "jjwxc", "tags": ["a", "c"]}"#, "");
    assert_eq!((values(&draft).as_str(), need), (r#"platform="jjwxc" tags=["a"] "#, Some(1)));
    let (_, draft, need) = repair(r#"{"platform": "jjwxc", "tags": ["a"], "note": ["x"]}"#, "");
    assert_eq!((values(&draft).as_str(), need), (r#"platform="jjwxc" tags=["a"] "#, Some(2)));
}

#[test]
fn a_question_that_nobody_answered_keeps_its_default_or_is_missing() {
    let (_, draft, need) = repair(r#"{"tags": []}"#, "");
    assert_eq!((values(&draft).as_str(), need), (r#"platform="qidian" "#, Some(1)));
}

#[test]
fn a_record_that_is_almost_json_fills_the_form_and_stays_bad() {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let answers = r#"{"platform": "jjwxc", "tags": ["b"], "note": "他说走"}"#;
    let record = format!(
        r#"{{"version": 1, "topic": "t", "answers": {answers}, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "x", "_notes": {{"tags": "why"}}}}"#
    );
    let whole = r#"platform="jjwxc" tags=["b"] note="他说走" "#;
    for (text, cause) in [
        (format!("\u{feff}{record}"), "byte-order-mark"),
        (format!("```json\n{record}\n```\n"), "code-fence"),
        (format!("回答如下：\n{record}"), "prose"),
        (record.replace(r#""why"}"#, r#""why",},"#), "extra-comma"),
        (record.replace('"', "'"), "quote"),
        (record.replace(r#""version""#, "// mine\n version"), "comment"),
        (record.replace("[\"b\"], ", "[\"b\"]\n"), "missing-comma"),
        (to_line(record.as_str()), "escaped"),
        (answers.to_owned(), "bare-answers"),
    ] {
        let problems = check_record(&spec, text.as_bytes()).expect_err("no record");
        let why = crate::ask::causes(text.as_bytes(), &problems, &spec, None);
        assert_eq!(why[0].code, cause, "{text}");
        let diagnosis = Diagnosis::of(&spec, text.as_bytes(), &problems, why);
        let draft = repair_draft(&spec, text.as_bytes(), &diagnosis);
        assert_eq!(
            (values(&draft).as_str(), diagnosis.first_in_need(&spec, &draft)),
            (whole, None),
            "{text}"
        );
        assert_eq!(recorded_answers(&spec, text.as_bytes()).given[2], Some(Value::One("他说走".into())));
    }
    // What was cut off or misread is the author's to see.
    let torn = r#"{"version": 1, "answers": {"platform": "jj"#;
    let problems = check_record(&spec, torn.as_bytes()).expect_err("torn");
    let diagnosis = Diagnosis::of(&spec, torn.as_bytes(), &problems, Vec::new());
    let draft = repair_draft(&spec, torn.as_bytes(), &diagnosis);
    assert_eq!((values(&draft).as_str(), diagnosis.first_in_need(&spec, &draft)), ("", Some(0)));
}

#[test]
fn answers_in_a_list_or_in_an_envelope_fill_the_form() {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let record =
        r#"{"version": 1, "topic": "t", "answers": {"platform": "jjwxc", "tags": ["b"], "note": "走"}}"#;
    let whole = r#"platform="jjwxc" tags=["b"] note="走" "#;
    for text in [
        r#"{"answers": [{"id": "platform", "answer": "jjwxc"}, {"id": "tags", "value": ["b"]}, {"question": "note", "answer": "走"}]}"#.to_owned(),
        format!(r#"{{"ok": true, "data": {record}}}"#),
        format!(r#"{{"result": {{"record": {record},}}}}"#),
        format!("[{record}]"),
        format!("{record} {record}"),
        r#"{"result": {"platform": "jjwxc", "tags": ["b"], "note": "走"}}"#.to_owned(),
    ] {
        let problems = check_record(&spec, text.as_bytes()).expect_err("no record");
        let diagnosis = Diagnosis::of(&spec, text.as_bytes(), &problems, Vec::new());
        assert_eq!(values(&repair_draft(&spec, text.as_bytes(), &diagnosis)), whole, "{text}");
        assert_eq!(recorded_answers(&spec, text.as_bytes()).given[2], Some(Value::One("走".into())), "{text}");
    }
}

/// What is shown of two records that differ.
fn both(one: &str, other: &str) -> Value {
    Value::Several(vec![Value::One(one.into()), Value::One(other.into())])
}

/// What fills the form, what the file says to each question, and the first question that needs the author.
fn filled(text: &str) -> (String, Vec<Option<Value>>, Option<usize>) {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let problems = check_record(&spec, text.as_bytes()).expect_err("no record");
    let diagnosis = Diagnosis::of(&spec, text.as_bytes(), &problems, Vec::new());
    let draft = repair_draft(&spec, text.as_bytes(), &diagnosis);
    let need = diagnosis.first_in_need(&spec, &draft);
    (values(&draft), recorded_answers(&spec, text.as_bytes()).given, need)
}

#[test]
fn of_two_records_in_one_file_what_both_say_is_taken_and_of_the_rest_both_are_shown() {
    let record = |platform: &str, tags: &str, more: &str| {
        format!(
            r#"{{"answers": {{"platform": {platform}, "tags": {tags}{more}}}, "_notes": {{"tags": "why"}}}}"#
        )
    };
    for [begin, between, end] in [
        ["", "\n", ""],
        ["", ",", ""],
        ["[", ", ", "]"],
        ["<<<<<<< HEAD\n", "\n=======\n", "\n>>>>>>> other\n"],
    ] {
        let two = |one: String, other: String| [begin, &one, between, &other, end].concat();
        let text = two(record("\"qidian\"", "[\"b\", \"a\"]", ""), record("\"jjwxc\"", "[\"a\",\"b\"]", ""));
        let (taken, given, need) = filled(&text);
        assert_eq!((taken.as_str(), need), (r#"tags=["a", "b"] "#, Some(0)), "{text}");
        assert_eq!(given[0], Some(both("qidian", "jjwxc")), "{text}");
        assert_eq!(given[1], Some(Value::Many(vec!["b".into(), "a".into()])), "{text}");
        // One spells it otherwise, and only one says anything to the last.
        let text = two(
            record("\"jjwxc\"", "[\"a\"]", ""),
            record("\"\\u006ajwxc\"", "[\"a\"]", ", \"note\": \"走\""),
        );
        let (taken, given, need) = filled(&text);
        assert_eq!((taken.as_str(), need), (r#"platform="jjwxc" tags=["a"] "#, Some(2)), "{text}");
        assert_eq!(given[2], Some(Value::One("走".into())), "{text}");
    }
}

#[test]
fn of_two_answers_to_one_question_both_are_shown_and_none_is_taken() {
    for (text, taken, need) in [
        (r#"{"answers": {"platform": "qidian", "tags": ["a"], "platform": "jjwxc"}}"#, r#"tags=["a"] "#, 0),
        (
            r#"{"answers": {"platform": "qidian", "tags": ["a"], "note": "x", "note": "走"}}"#,
            r#"platform="qidian" tags=["a"] "#,
            2,
        ),
        (
            r#"{"answers": {"platform": "qidian", "tags": ["a"]}, "answers": {"platform": "jjwxc", "tags": ["a"]}}"#,
            r#"tags=["a"] "#,
            0,
        ),
        (r#"{"platform": "qidian", "tags": ["a"], "platform": "jjwxc"}"#, r#"tags=["a"] "#, 0),
        (
            r#"{"answers": [{"id": "platform", "answer": "qidian"}, {"id": "tags", "answer": ["a"]}, {"id": "platform", "answer": "jjwxc"}]}"#,
            r#"tags=["a"] "#,
            0,
        ),
    ] {
        let (found, given, first) = filled(text);
        assert_eq!((found.as_str(), first), (taken, Some(need)), "{text}");
        assert!(matches!(&given[need], Some(Value::Several(both)) if both.len() == 2), "{text}: {given:?}");
    }
    let same = r#"{"answers": {"platform": "jjwxc", "tags": ["a"], "platform": "jj\u0077xc"}}"#;
    assert_eq!(filled(same).0, r#"platform="jjwxc" tags=["a"] "#);
}

#[test]
fn text_that_is_no_json_belongs_to_no_question() {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let problems = check_record(&spec, b"{").expect_err("torn");
    let diagnosis = Diagnosis::of(&spec, b"{", &problems, Vec::new());
    assert_eq!((diagnosis.rest.len(), diagnosis.faults(7)), (1, [].as_slice()));
    assert_eq!(values(&repair_draft(&spec, b"{", &diagnosis)), r#"platform="qidian" "#);
}

#[test]
fn notes_stay_beside_their_questions() {
    let notes = r#", "_notes": {"platform": "p", "note": "n", "gone": "g", "tags": 7}"#;
    let (_, draft, _) = repair(r#"{"platform": "jjwxc", "tags": ["a", "c"]}"#, notes);
    let kept: Vec<String> = draft.replies.iter().map(|reply| reply.note.display().into_owned()).collect();
    assert_eq!(kept, ["p", "", "n"]);
    assert!(!draft.is_authors(), "nobody has said anything yet");
}

#[test]
fn each_problem_of_a_record_is_told_once() {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let text = b" {\"answers\": {\"platform\": \"nowhere\", \"mood\": \"x\"}}\n";
    let problems = check_record(&spec, text).expect_err("a bad record");
    let diagnosis = Diagnosis::of(&spec, text, &problems, Vec::new());
    assert_eq!(diagnosis.rest.len() + diagnosis.faults.iter().map(Vec::len).sum::<usize>(), problems.len());
}

/// The answers that fill the form, the one to `note` as it is shown, and whether the file is said to hold what nobody can read.
fn read(text: &str) -> (String, Option<Value>, bool) {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let problems = check_record(&spec, text.as_bytes()).expect_err("no record");
    let diagnosis = Diagnosis::of(&spec, text.as_bytes(), &problems, Vec::new());
    let mut recorded = recorded_answers(&spec, text.as_bytes());
    if let Some(unread) = &recorded.unread {
        assert_eq!(unread, text.trim());
    }
    let filled = values(&repair_draft(&spec, text.as_bytes(), &diagnosis));
    (filled, recorded.given.remove(2), recorded.unread.is_some())
}

#[test]
fn answers_without_their_frame_fill_the_form_where_they_can_only_be_these() {
    let whole = r#"platform="jjwxc" tags=["b"] note="走" "#;
    for text in [
        r#"["jjwxc", ["b"], "走"]"#,
        r#"{"answers": ["jjwxc", ["b"], "走"], "version": 1}"#,
        r#"[{"id": "platform", "answer": "jjwxc"}, {"id": "tags", "value": ["b"]}, {"id": "note", "answer": "走"}]"#,
        "platform: jjwxc\ntags: [b]\nnote: 走",
        "---\nversion: 1\ntopic: t\nanswers:\n  platform: \"jjwxc\"\n  tags:\n    - b\n  note: '走'\n",
        "```yaml\r\n# mine\r\nplatform: jjwxc\r\ntags:\r\n- 'b'\r\nnote: 走\r\n```\r\n",
        "- platform：jjwxc\n- tags：[\"b\"]\n- note：走\n",
        "<!DOCTYPE html>\n<html><body><pre>\n{\"answers\": {\"platform\": \"jjwxc\", \"tags\": [\"b\"], \"note\": \"走\"}}</pre></body></html>",
        "<html><pre class='x'>{&quot;platform&quot;: &quot;jjwxc&quot;, &quot;tags&quot;: [&quot;b&quot;], &quot;note&quot;: &quot;走&quot;}</pre>",
    ] {
        assert_eq!(read(text), (whole.to_owned(), Some(Value::One("走".into())), false), "{text}");
    }
}

#[test]
fn what_cannot_be_read_with_certainty_is_shown_and_fills_nothing() {
    for text in [
        r#"["jjwxc", ["b"]]"#,
        r#"["tomato", ["b"], "走"]"#,
        r#"{"data": ["jjwxc", ["b"], "走"]}"#,
        r#"{"answers": "jjwxc"}"#,
        r#"{"version": 1, "top"#,
        r#"{"title": "雨停之前"}"#,
        "platform: jjwxc\n那就这样吧",
        "platform: jjwxc # or qidian",
        "platform: jjwxc\nplatform: qidian",
        "platform: jjwxc\nnote: |\n  走",
        "platform: jjwxc\nmood: 走",
        "platform: jjwxc\nnote:",
        "<html><p>{\"platform\": \"jjwxc\"}</p><p>{\"platform\": \"qidian\"}</p></html>",
        "<<<<<<< HEAD\nplatform: jjwxc\n=======\n没想好\n>>>>>>> other\n",
    ] {
        let (filled, note, is_unread) = read(text);
        assert_eq!((note, is_unread), (None, true), "{text}");
        assert!(!filled.contains("jjwxc"), "{text}: {filled}");
    }
    assert!(!read("\n").2, "nothing is there");
}

#[test]
fn of_a_conflict_both_texts_are_shown_and_none_is_taken() {
    for (text, taken, both) in [
        (
            "{\"answers\": {\n<<<<<<< HEAD\n\"platform\": \"qidian\",\n||||||| base\n\"platform\": \"x\",\n=======\n\"platform\": \"jjwxc\",\n>>>>>>> other\n\"tags\": [\"a\"]}}\n",
            r#"tags=["a"] "#,
            both("qidian", "jjwxc"),
        ),
        (
            "<<<<<<< HEAD\r\nplatform: jjwxc\r\n=======\r\n{\"platform\": \"qidian\"}\r\n>>>>>>> other",
            "",
            both("jjwxc", "qidian"),
        ),
    ] {
        let (found, given, _) = filled(text);
        assert_eq!(found, taken, "{text}");
        assert_eq!(given[0], Some(both), "{text}");
    }
}

#[test]
fn an_answer_that_was_cut_off_is_left_blank() {
    let quotes = "'x', ".repeat(150);
    for (text, filled) in [
        (
            r#"{"answers": {"platform": "jjwxc", "tags": ["a", "b"], "note": "她走"#,
            r#"platform="jjwxc" tags=["a", "b"] "#,
        ),
        (r#"{"answers": {"platform": "jjwxc", "tags": ["a""#, r#"platform="jjwxc" "#),
        (r#""{\"answers\": {\"platform\": \"jjwxc\", \"note\": \"她走"#, r#"platform="jjwxc" "#),
        (
            &format!("{{'_more': [{quotes}], 'answers': {{'platform': 'jjwxc', 'note': '她走"),
            r#"platform="jjwxc" "#,
        ),
    ] {
        assert_eq!(read(text).0, filled, "{text}");
    }
}

#[test]
fn every_record_in_a_file_counts_whatever_lies_between_and_around() {
    let one =
        |platform: &str| format!("{{\"answers\": {{\"platform\": \"{platform}\", \"tags\": [\"b\"]}}}}");
    let (one, two) = (one("jjwxc"), one("qidian"));
    for text in [
        format!("{one}\n---\n{two}\n"),
        format!("{one}\n-----\n{two}\n"),
        format!("{one}\n第二版：\n{two}"),
        format!("{one}\n改成：\n```json\n{two}\n```\n"),
        format!("两个方案：\n{one}\n\n或者\n\n{two}\n"),
        format!("旧的是 {one}，新的是\n{two}"),
        format!("```json\n{one}\n```\n改成 {two} 才对。"),
        format!("<think>\n{one}\n</think>\n{two}"),
        format!("> {one}\n> ---\n> {two}"),
        format!("{one}\n{{\"note\": \"走\"}}\n然后：\n{two}\n").replace("{\"note\": \"走\"}", "{\"x\": 1}"),
        format!("\u{feff}{one},\n// 第二版\n{two}"),
        to_line(&format!("{one}\n---\n{two}")),
    ] {
        let (found, given, need) = filled(&text);
        assert_eq!(given[0], Some(both("jjwxc", "qidian")), "{text}");
        assert_eq!((&*found, need), (r#"tags=["b"] "#, Some(0)), "{text}");
    }
    let three = format!("{one}\n或\n{one}\n或\n{two}");
    assert_eq!(filled(&three).0, r#"tags=["b"] "#);
    assert_eq!(
        filled(&format!("用 {{平台}} 的 [注]：\n{one}\n以上 {{完}}")).0,
        r#"platform="jjwxc" tags=["b"] "#
    );
}

#[test]
fn beside_an_object_that_cannot_be_read_nothing_is_taken() {
    let text = "{\"answers\": {\"platform\": \"jjwxc\"}}\n改成：\n{\"answers\": {\"platform\" @ \"qidian\"}}";
    assert_eq!((filled(text).0, read(text).2), (String::new(), true));
}

#[test]
fn of_a_call_that_failed_nothing_is_taken() {
    let record = r#"{"answers": {"platform": "jjwxc", "tags": ["b"]}}"#;
    for (envelope, is_taken) in [
        (r#"{"ok": false, "data": _}"#, false),
        (r#"{"error": {"message": "x"}, "data": _}"#, false),
        (r#"{"reply": {"success": false, "record": _}}"#, false),
        (r#"{"ok": true, "error": null, "data": _}"#, true),
        (r#"{"errors": [ ], "data": _}"#, true),
    ] {
        let text = envelope.replace('_', record);
        let (found, given, _) = filled(&text);
        assert_eq!(given[0], Some(Value::One("jjwxc".into())), "{text}");
        assert_eq!(found, if is_taken { r#"platform="jjwxc" tags=["b"] "# } else { "" }, "{text}");
        assert_eq!(read(&text).2, !is_taken, "{text}");
    }
}

#[test]
fn answers_in_the_order_of_the_questions_are_taken_where_no_other_order_fits() {
    let mut spec = decode_spec(SPEC).expect("a legal spec");
    let text = r#"["jjwxc", ["b"], "走"]"#;
    let given = |spec: &QuestionSpec| recorded_answers(spec, text.as_bytes()).given[0].clone();
    assert_eq!(given(&spec), Some(Value::One("jjwxc".into())));
    spec.questions[0].allow_other = true;
    assert_eq!(given(&spec), None, "the words may be either's");
}

#[test]
fn an_answer_that_is_whole_before_the_cut_is_kept() {
    let whole = r#"platform="jjwxc" tags=["b"] note="走" "#;
    let answers = r#""platform": "jjwxc", "tags": ["b"], "note": "走""#;
    for text in [
        format!(r#"{{"version": 1, "answers": {{{answers}}}, "answered_at": "20"#),
        format!(r#"{{"version": 1, "answers": {{{answers}}},"#),
        format!(r#"{{"version": 1, "answers": {{{answers}}}"#),
        format!(r#"{{"version": 1, "answers": {{{answers},"#),
        r#"{"answers": [{"id": "platform", "answer": "jjwxc"}, {"id": "tags", "answer": ["b"]}, {"id": "note", "answer": "走"}"#.to_owned(),
        format!(r#"{{"data": {{"answers": {{{answers}}}, "#),
    ] {
        assert_eq!(filled(&text).0, whole, "{text}");
    }
}

#[test]
fn beside_the_encoding_and_the_slip_every_other_fault_is_told() {
    let spec = decode_spec(SPEC).expect("a legal spec");
    let utf16 =
        |text: &str| [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let told = |bytes: Vec<u8>| -> Vec<String> {
        let problems = check_record(&spec, &bytes).expect_err("no record");
        let found = Diagnosis::of(&spec, &bytes, &problems, Vec::new());
        found.rest.iter().map(|problem| problem.found.text(crate::text::Lang::En)).collect()
    };
    let comma = r#"{"answers": {"platform": "jjwxc", "platform": "qidian",}}"#;
    assert_eq!(
        told(comma.into()),
        ["an extra comma (line 1, column 55)", "a key for the second time (line 1, column 35)"]
    );
    assert_eq!(told(utf16(comma)).len(), 3);
}

#[test]
fn answers_under_headers_beside_others_are_read_and_lists_are_shown_alike() {
    let mut spec = decode_spec(SPEC).expect("a legal spec");
    spec.questions[0].header = "平台".into();
    spec.questions[1].header = "标签".into();
    let shown = |text: &str| {
        let given = recorded_answers(&spec, text.as_bytes()).given;
        given
            .iter()
            .map(|given| given.as_ref().map(|it| it.shown(crate::text::Lang::ZhCn)))
            .collect::<Vec<_>>()
    };
    let text = |words: &str| Some(words.to_owned());
    let headed = r#"{"answers": {"平台": "jjwxc", "标签": "a、b", "note": "走"}}"#;
    assert_eq!(shown(headed), [text("jjwxc"), text("a、b"), text("走")]);
    let two = r#"{"answers": {"platform": "jjwxc", "平台": "qidian", "标签": ["a", "b"], "tags": ["b"]}}"#;
    assert_eq!(shown(two), [text("jjwxc / qidian"), text("a、b / b"), None]);
    assert_eq!(shown("{\"answers\": {\"tags\": [\n{\"label\": \"b\"}]}}")[1], text(r#"[{"label":"b"}]"#));
}
