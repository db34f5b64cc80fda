//! What cannot be asked or taken is refused, and nothing has changed.

use super::{PACKET, RECORD, ask, book, call, choice, json, next, record, replies, spec, text};
use serde_json::Value;

#[test]
fn the_replies_need_a_file_of_their_own() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    let first = ask(&book, "codex", &[]);
    for file in [RECORD.to_owned(), format!("staging/../{RECORD}")] {
        book.put("staging/novel-ask/other", "");
        let line = ["next", PACKET, "--for", "codex", "--replies", &file, "--call", call(&first)];
        let refused = json(&book.run(&[&line[..], &["--answer", "place=a"]].concat()));
        assert_eq!((&refused["exit"], &refused["code"]), (&json!(2), &json!("usage")), "{refused}");
        assert_eq!(record(&book), None);
    }
    // Nor may they lie where another gate would take them for its record.
    let other = json!({"step": "b", "novel_ask": spec(&json!([text("q")])), "answer_path": "staging/novel-ask/b.json"});
    let odd = json!({"step": "b", "novel_ask": 1, "answer_path": "staging/novel-ask/b.json"});
    for (packet, line) in [
        (&other, &["next", PACKET, "--for", "codex", "--replies", "staging/novel-ask/b.json", "--write"][..]),
        (&other, &["history", "--export", "staging/novel-ask/../novel-ask/b.json", "--json"]),
        (&odd, &["history", "--export", "staging/novel-ask/b.json", "--json"]),
    ] {
        book.put("staging/manifests/b.packet.json", &packet.to_string());
        let refused = json(&book.run(line));
        assert_eq!((&refused["exit"], &refused["code"]), (&json!(2), &json!("record-place")), "{refused}");
        assert!(refused["message"].as_str().is_some_and(|said| said.contains("b.packet.json")), "{refused}");
        assert!(!book.root().join("staging/novel-ask/b.json").exists());
    }
}

#[test]
fn what_cannot_be_taken_leaves_the_replies_untouched() {
    let book = book(&json!([choice("place", &["a", "b"]), choice("time", &["c", "d"])]));
    let first = ask(&book, "codex", &[]);
    let id = call(&first);
    let good =
        format!("{{\"call\":\"{id}\",\"output\":{{\"answers\":{{\"place\":{{\"answers\":[\"a\"]}}}}}}}}");
    let second = ask(&book, "codex", &["--reply", &good]);
    let now = call(&second);
    let before = replies(&book);
    let reply = |said: &str| format!("{{\"call\":\"{now}\",{said}}}");
    for (given, code, at) in [
        (good.clone(), "stale_reply", json!("/call")),
        (reply("\"text\":\"a\""), "invalid_reply", json!("")),
        (reply("\"output\":{\"answers\":[]}"), "invalid_reply", json!("/output/answers")),
        (
            reply("\"output\":{\"answers\":{\"time\":\"c\"}}"),
            "invalid_reply",
            json!("/output/answers/time/answers"),
        ),
        (
            reply("\"output\":{\"answers\":{\"time\":{\"answers\":[7]}}}"),
            "invalid_reply",
            json!("/output/answers/time/answers"),
        ),
        (reply("\"output\":{\"answers\":{},\"answers\":{}}"), "invalid_json", Value::Null),
        (format!("Here you are: {}", reply("\"escape\":true")), "invalid_json", json!("1:1")),
        (format!("{} Done.", reply("\"escape\":true")), "invalid_json", Value::Null),
        ("```json".to_owned(), "invalid_json", json!("1:1")),
        (String::new(), "invalid_json", json!("1:1")),
        (reply("\"escape\":false"), "invalid_reply", json!("/escape")),
    ] {
        let refused = json(&next(&book, "codex", &["--reply", &given]));
        assert_eq!((&refused["status"], &refused["code"]), (&json!("error"), &json!(code)), "{given}");
        assert_eq!(refused["exit"], 2);
        if at.is_null() {
            assert!(refused["at"].as_str().is_some_and(|at| at.starts_with("1:")), "{refused}");
        } else {
            assert_eq!(refused["at"], at, "{given}");
        }
        assert_eq!(replies(&book), before, "{given}");
    }
    let elsewhere = json(&next(&book, "codex", &["--call", now, "--answer", "place=a"]));
    assert_eq!(elsewhere["code"], "invalid_reply");
    assert_eq!(replies(&book), before);
}

#[test]
fn input_that_cannot_be_asked_is_refused_in_one_object() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    book.put("no-gate.json", r#"{"step": "s"}"#);
    book.put("bad.json", r#"{"novel_ask": {"version": 0}, "answer_path": "../x"}"#);
    book.put("bad-spec.json", r#"{"version": 1, "topic": "t", "questions": []}"#);
    book.put("torn.json", "{");
    let git = json!({"novel_ask": spec(&json!([choice("a", &["b"])])), "answer_path": ".git/x.json"});
    book.put("git.json", &git.to_string());
    for (packet, more, exit, code) in [
        ("no-gate.json", &[][..], 2, "no-gate"),
        ("bad.json", &[], 5, "invalid_packet"),
        ("bad-spec.json", &[], 5, "invalid_spec"),
        ("torn.json", &[], 5, "invalid_packet"),
        ("git.json", &["--write"], 5, "refused"),
        ("none.json", &[], 1, "no-packet"),
        (PACKET, &["--max-questions", "5"], 2, "usage"),
        (PACKET, &["--exact-options", "1"], 2, "usage"),
        (PACKET, &["--answer", "a=b"], 2, "usage"),
        (PACKET, &["--call", "c0", "--answer", "nothing"], 2, "usage"),
        (PACKET, &["--call", "c0", "--escape", "--text", "x"], 2, "usage"),
        (PACKET, &["--answered-at", "today"], 2, "usage"),
        (PACKET, &["--by", " "], 2, "usage"),
        (PACKET, &["--nonsense"], 2, "usage"),
    ] {
        let line = ["next", packet, "--for", "codex", "--replies", "r.jsonl"];
        let refused = json(&book.run(&[&line, more].concat()));
        assert_eq!(
            (&refused["exit"], &refused["code"]),
            (&json!(exit), &json!(code)),
            "{packet} {more:?} {refused}"
        );
        assert!(!book.root().join("r.jsonl").exists());
    }
    let bare = json(&book.run(&["next"]));
    assert_eq!(bare["code"], "usage");
    let message = bare["message"].as_str().expect("a message");
    assert!(message.contains("not provided: --for <EXECUTOR>, --replies <FILE>, <PACKET>. See"), "{message}");
    let input = r#"{"questions": [{"question": "Q", "header": "H", "multiSelect": false,
        "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]}"#;
    book.put("input.json", input);
    let told = json(&book.run(&["next", "input.json", "--for", "codex", "--replies", "r.jsonl"]));
    assert_eq!((&told["exit"], &told["code"]), (&json!(2), &json!("usage")));
    assert!(told["message"].as_str().is_some_and(|text| text.contains("--for canonical")), "{told}");
}

#[test]
fn a_spoilt_replies_file_is_named_with_its_line() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    for (file, at) in [
        ("\n{\"call\":\n", "r.jsonl:2 1:9"),
        ("nonsense\n", "r.jsonl:1 1:2"),
        ("{\"call\":1}", "r.jsonl:1 /call"),
    ] {
        book.put("r.jsonl", file);
        let refused = json(&next(&book, "codex", &["--call", "c0", "--escape"]));
        assert_eq!((&refused["exit"], &refused["at"]), (&json!(2), &json!(at)), "{refused}");
        assert!(refused["message"].as_str().is_some_and(|message| message.contains("fix or remove")));
        assert_eq!(replies(&book), file);
    }
}

#[test]
fn a_reply_of_another_kind_is_refused_with_those_that_fit() {
    let book = book(&json!([choice("place", &["a", "b"])]));
    for (executor, said, at, expected) in [
        ("claude-code", r#""output":{}"#, "/output/answers", "by question text"),
        ("claude-code", r#""output":{"answers":{"place?":7}}"#, "/output/answers", "a label or a list"),
        ("claude-code", r#""text":"a""#, "", "\"output\""),
        ("json-contract", r#""output":{}"#, "", "--none"),
    ] {
        let first = ask(&book, executor, &[]);
        let reply = format!("{{\"call\":\"{}\",{said}}}", call(&first));
        let refused = json(&next(&book, executor, &["--reply", &reply]));
        assert_eq!((&refused["code"], &refused["at"]), (&json!("invalid_reply"), &json!(at)), "{said}");
        assert!(refused["message"].as_str().is_some_and(|why| why.contains(expected)), "{said}: {refused}");
        assert_eq!(replies(&book), "", "{said}");
    }
}

#[test]
fn what_only_another_tool_can_be_told_is_refused() {
    let book = book(&json!([text("why")]));
    for (executor, flag, expected) in [
        ("json-contract", "--max-questions", "with a dialog tool"),
        ("claude-code", "--exact-options", "for codex"),
        ("json-contract", "--exact-options", "for codex"),
    ] {
        let refused = json(&next(&book, executor, &[flag, "2"]));
        assert_eq!(refused["exit"], 2, "{refused}");
        assert!(refused["message"].as_str().is_some_and(|why| why.contains(expected)), "{refused}");
    }
}
