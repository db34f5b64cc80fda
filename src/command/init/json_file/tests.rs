//! Entries go in and out; everything else stays.

use super::*;
use crate::command::init::client::{PARTS, Part};
use crate::command::init::edit::Wiring;
use crate::text::Lang;
use serde_json::json;

const SETTINGS: &Part = &PARTS[1];
const SERVER: &Part = &PARTS[8];

fn entries(part: &Part) -> Vec<Entry> {
    part.entries(&Wiring { lang: Lang::En, program: PROGRAM.to_owned(), own: Vec::new(), state_dir: None })
}

fn plan(part: &Part, text: &str) -> Result<Option<Edit>, Message> {
    insert(part.path, text, entries(part))
}

fn wired(part: &Part, before: &str) -> String {
    let Ok(Some(edit)) = plan(part, before) else { panic!("{before}") };
    assert_eq!((edit.action, plan(part, &edit.whole)), (Action::Insert, Ok(None)), "{}", edit.whole);
    let first = edit.text.lines().next().expect("a line").rsplit(": ").next().expect("a piece");
    let line = edit.whole.lines().nth(edit.line.expect("a line") - 1);
    assert!(line.is_some_and(|line| line.contains(first)), "{}", edit.whole);
    let ends = edit.whole.matches('\n').count();
    assert!(!before.contains("\r\n") || ends == edit.whole.matches("\r\n").count(), "{:?}", edit.whole);
    edit.whole
}

/// What is left, and whether something stays that is not init's.
fn removed(part: &Part, text: &str) -> (Option<(Action, String)>, bool) {
    let (edit, left) = remove(text, &entries(part)).expect("JSON");
    (edit.map(|edit| (edit.action, edit.whole)), left.is_some())
}

fn json(text: &str) -> Value {
    parse(text).expect("JSON").to_serde_value().unwrap_or_default()
}

#[test]
fn a_new_file_is_wired_and_goes_again() {
    for part in [SETTINGS, SERVER] {
        let new = fresh(entries(part));
        assert_eq!(plan(part, &new), Ok(None));
        for text in [new.clone(), new.replace("  ", "\t"), new.trim_end().to_owned()] {
            assert_eq!(
                removed(part, &text),
                (Some((Action::Delete, removed(part, &text).0.expect("it").1)), false)
            );
        }
    }
    let settings = json(&fresh(entries(SETTINGS)));
    assert_eq!(settings["permissions"], json!({"allow": ["Bash(novel-gate *)"]}));
    let opencode = json(&fresh(entries(SERVER)));
    assert_eq!(
        opencode,
        json!({"mcp": {"novel-gate": {"type": "local", "command": ["novel-gate", "mcp"], "enabled": true}}})
    );
}

/// Shapes that come back byte for byte.
const EXACT: [&str; 19] = [
    "{}",
    "{}\n",
    "{ // mine\n}",
    "// mine\n{}\n// end",
    "{\n  \"model\": \"x\"\n}\n",
    "{\n\t\"model\": \"\\u4e2d\",\n\t\"hooks\": {}\n}",
    "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    },\r\n    \"z\": 1.50\r\n}\r\n",
    "{\r\n  \"z\": 1, // mine\r\n}\r\n",
    "{\n  \"mcp\": {\n    // mine\n  },\n  \"hooks\": {\n    // mine\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  }\n}\n",
    "{\n  // head\n  \"hooks\": {\n    \"PreToolUse\": [\n      1, // one\n      // two\n      2, // three\n      // tail\n    ],\n  },\n}\n",
    "{\n  \"mcp\": {\n    \"other\": {\"command\": [\"x\", \"mcp\"]} // mine\n    // tail\n  } /* mine */\n}\n",
    "{ \"model\": \"x\" // mine\n}",
    "{\n  \"hooks\": {\"PreToolUse\": []}, \"mcp\": {}\n}",
    "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"],\n    \"deny\": []\n  }\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n",
    "{\n  \"mcp\": {\n    \"other\": {\"command\": [\"x\", \"mcp\"]}\n  }\n}\n",
    "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}",
    "{\n  \"hooks\": 1,\n  \"hooks\": {}\n}",
];
/// Shapes of which the layout changes and nothing else.
const EQUAL: [&str; 14] = [
    "{ }",
    "{  }\n",
    "{\n}\n",
    "{\r\n}",
    "{\n  \"mcp\": {\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
    "{\n  \"mcp\": {\n    // mine\n  },\n  \"hooks\": { /* mine */ }\n}\n",
    "{\n\n  \"model\": \"x\" , // mine\n\n}\n",
    "{\"model\":\"x\"}",
    "{ \"model\":\"x\", }",
    "{\"model\": [1, 2],\n \"z\": 1}",
    "{\"hooks\": {\"PreToolUse\": [ ]}, \"mcp\": { }}",
    "{\"hooks\": {\"PreToolUse\": [1, {\"hooks\": [{\"command\": \"novel-gate paths\"}]}]}}",
    "\n\n  {\"a\": {\"hooks\": {\"PreToolUse\": []}}}",
    "{\"mcp\": {\"other\": {\"command\": [\"x\", \"mcp\"]}}}",
];

#[test]
fn everything_else_stays_and_comes_back() {
    for (before, part) in EXACT.iter().chain(&EQUAL).flat_map(|text| [(text, SETTINGS), (text, SERVER)]) {
        let after = wired(part, before);
        let (Some((Action::Remove, back)), false) = removed(part, &after) else { panic!("{after}") };
        assert_eq!(json(&back), json(before), "{before:?}: {back:?}");
        assert_eq!(back.matches("mine").count(), before.matches("mine").count(), "{before:?}: {back:?}");
        assert!(!EXACT.contains(before) || back == *before, "{before:?}: {back:?}");
    }
    for before in ["", " \n"] {
        let after = wired(SETTINGS, before);
        assert_eq!(removed(SETTINGS, &after), (Some((Action::Remove, "{}\n".to_owned())), false));
    }
}

#[test]
fn what_others_have_put_around_ours_stays() {
    let hook = r#"{"command": "novel-gate hook claude-code --strict", "timeout": 5}"#;
    for (text, left) in [
        (
            format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}, 1]}}}}"#),
            r#"{"hooks": {"PreToolUse": [1]}}"#,
        ),
        (
            format!(
                r#"{{"hooks": {{"PreToolUse": [{{"matcher": "*", "hooks": [{hook}, {{"command": "x"}}]}}]}}}}"#
            ),
            r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": "x"}]}]}}"#,
        ),
        (
            format!(r#"{{"hooks": {{"Stop": [], "PreToolUse": [{{"hooks": [{hook}]}}]}}, "a": 1}}"#),
            r#"{"hooks": {"Stop": []}, "a": 1}"#,
        ),
        (format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}]}}, "a": 1}}"#), r#"{"a": 1}"#),
        (
            r#"{"permissions": {"allow": ["Bash(novel-gate *)", "Bash(ls)"]}}"#.to_owned(),
            r#"{"permissions": {"allow": ["Bash(ls)"]}}"#,
        ),
    ] {
        let (Some((Action::Remove, back)), false) = removed(SETTINGS, &text) else { panic!("{text}") };
        assert_eq!(json(&back), json(left), "{back}");
    }
    // A changed entry of init's goes too; opencode's own line stays.
    let server = r#"{"$schema": "s", "mcp": {"novel-gate": {"command": ["/o p/novel-gate", "mcp"], "enabled": false}}}"#;
    assert_eq!(json(&removed(SERVER, server).0.expect("gone").1), json!({"$schema": "s"}));
    let commented = fresh(entries(SETTINGS)).replacen("\"PreToolUse\": [", "\"PreToolUse\": [ // mine", 1);
    assert!(
        removed(SETTINGS, &commented)
            .0
            .is_some_and(|(action, text)| action == Action::Remove && text.contains("mine"))
    );
}

#[test]
fn what_runs_the_program_already_is_enough_and_stays_if_it_is_not_inits() {
    for (hook, is_inits) in [
        (r#"{"command": "novel-gate hook claude-code"}"#, true),
        (r#"{"command": "/opt/bin/novel-gate --state-dir s hook claude-code --always"}"#, true),
        (r#"{"command": "'/o p/novel-gate' hook claude-code", "timeout": 1}"#, true),
        (r#"{"command": "\"$HOME/novel-gate\" hook claude-code"}"#, false),
    ] {
        let text = format!(
            r#"{{"permissions": {{"allow": ["Bash(novel-gate:*)"]}}, "hooks": {{"PreToolUse": [{{}}, {{"hooks": [{hook}]}}]}}}}"#
        );
        assert_eq!(plan(SETTINGS, &text), Ok(None), "{hook}");
        let (gone, is_left) = removed(SETTINGS, &text);
        assert_eq!((gone.is_some(), is_left), (is_inits, true), "{hook}");
    }
    for (server, is_inits) in [
        (r#""gates": {"command": ["./novel-gate", "--project", "p", "mcp"]}"#, false),
        (r#""novel-gate": {"command": "novel-gate", "args": ["mcp"], "timeout": 1}"#, true),
    ] {
        let text = format!(r#"{{"mcp": {{{server}}}}}"#);
        assert_eq!(plan(SERVER, &text), Ok(None), "{server}");
        let (gone, is_left) = removed(SERVER, &text);
        assert_eq!((gone.is_some(), is_left), (is_inits, !is_inits), "{server}");
    }
    let foreign = r#"{"mcp": {"novel-gate": {"command": ["x"]}}}"#;
    assert!(plan(SERVER, foreign).is_err_and(|why| why.text(Lang::En).contains("runs another program")));
    assert_eq!(removed(SERVER, foreign), (None, true));
    // Another client's hook is none of this one's.
    let codex = r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "novel-gate hook codex"}]}]}}"#;
    assert!(matches!(plan(SETTINGS, codex), Ok(Some(_))));
    assert_eq!(removed(SETTINGS, codex), (None, false));
}

#[test]
fn files_that_are_none_are_refused() {
    for (text, words) in [
        ("{", "not JSON: see line 1, column 1"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column"),
        ("{a: 1}", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("{} {}", "not JSON"),
        ("[]", "not a JSON object"),
        ("// a comment", "not a JSON object"),
        ("{\"hooks\": []}", "Its hooks is not an object"),
        ("{\"hooks\": null}", "Its hooks is not an object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "Its hooks.PreToolUse is not a list"),
        ("{\"permissions\": {\"allow\": \"x\"}}", "Its permissions.allow is not a list"),
    ] {
        let message = plan(SETTINGS, text).expect_err("no settings").text(Lang::En);
        assert!(message.contains(words), "{message}");
        // Init can have put nothing into such a file.
        assert_eq!(removed(SETTINGS, text), (None, false), "{text}");
    }
    let message = plan(SERVER, "{\"mcp\": []}").expect_err("no object").text(Lang::En);
    assert!(message.contains("Its mcp is not an object"), "{message}");
    let told = remove("{\n  novel-gate\n}", &entries(SETTINGS)).expect_err("nobody can tell").text(Lang::En);
    assert!(told.contains("line 2"), "{told}");
}
