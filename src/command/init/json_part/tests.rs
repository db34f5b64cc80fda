//! Entries go in and out, and every other byte stays.

use super::*;
use crate::ask::to_line;
use crate::command::init::client::PARTS;

const HOOK: &Part = &PARTS[1];
const SERVER: &Part = &PARTS[9];

fn plan(part: &Part, text: &str) -> Result<Option<Edit>, Message> {
    part.insert_entry(text, &Wiring { lang: Lang::En, program: PROGRAM.to_owned() })
}

fn inserted(part: &Part, before: &str) -> (String, String, usize) {
    match plan(part, before) {
        Ok(Some(Edit { action: Action::Insert, whole, text, line: Some(line) })) => (whole, text, line),
        other => panic!("{before}: {other:?}"),
    }
}

fn removed(part: &Part, text: &str) -> (Action, String) {
    let edit =
        part.remove_entry(text).expect("as init writes it").unwrap_or_else(|| panic!("it is there: {text}"));
    (edit.action, edit.whole)
}

#[test]
fn a_new_file_is_wired_and_goes_again() {
    for part in [HOOK, SERVER] {
        for lang in [Lang::En, Lang::ZhCn] {
            for program in [PROGRAM, "/opt/my bin/novel-gate"] {
                let fresh = part.entry_file(program, lang);
                assert_eq!(plan(part, &fresh), Ok(None));
                assert_eq!(removed(part, &fresh).0, Action::Delete, "{fresh}");
            }
        }
    }
    let value: Value = serde_json::from_str(&HOOK.entry_file(PROGRAM, Lang::En)).expect("JSON");
    assert_eq!(value["hooks"]["PreToolUse"][0], HOOK.entry(PROGRAM, Lang::En));
    let value: Value = serde_json::from_str(&SERVER.entry_file(PROGRAM, Lang::En)).expect("JSON");
    assert_eq!(value["mcp"]["novel-gate"]["command"], json!(["novel-gate", "mcp"]));
    assert_eq!(value["$schema"], "https://opencode.ai/config.json");
    // Laid out anew by somebody it is still nothing but ours.
    let narrow = HOOK.entry_file(PROGRAM, Lang::En).replace("  ", "\t");
    assert_eq!(removed(HOOK, &narrow).0, Action::Delete);
}

#[test]
fn everything_else_stays_byte_for_byte_and_comes_back() {
    for before in [
        "",
        "{}",
        "{ }",
        "{  }\n",
        "{\n}\n",
        "{\r\n}",
        "{ // mine\n}",
        "// mine\n{}\n// end",
        "{\n  \"model\": \"x\"\n}\n",
        "{\n\t\"model\": \"\\u4e2d\",\n\t\"hooks\": {}\n}",
        "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    },\r\n    \"z\": 1.50\r\n}\r\n",
        "{\r\n  \"z\": 1, // mine\r\n}\r\n",
        "{\n  \"mcp\": {\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        "{\n  \"mcp\": {\n    // mine\n  },\n  \"hooks\": { /* mine */ }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  }\n}\n",
        "{\n  // head\n  \"hooks\": {\n    \"PreToolUse\": [\n      1, // one\n      // two\n      2, // three\n      // tail\n    ],\n  },\n}\n",
        "{\n  \"mcp\": {\n    \"other\": {\"command\": [\"x\", \"mcp\"]} // mine\n    // tail\n  } /* mine */\n}\n",
        "{\n\n  \"model\": \"x\" , // mine\n\n}\n",
        "{\"model\":\"x\"}",
        "{ \"model\":\"x\", }",
        "{ \"model\": \"x\" // mine\n}",
        "{\"model\": [1, 2],\n \"z\": 1}",
        "{\"hooks\": {\"PreToolUse\": []}}",
        "{\"hooks\": {\"PreToolUse\": [ ]}, \"mcp\": { }}",
        "{\"hooks\": {\"PreToolUse\": [1, {\"hooks\": [{\"command\": \"novel-gate paths\"}]}]}}",
        "\n\n  {\"a\": {\"hooks\": {\"PreToolUse\": []}}}",
        "{\"hooks\": 1, \"hooks\": {}}",
        "{\"mcp\": {\"other\": {\"command\": [\"x\", \"mcp\"]}}}",
        "{\"hooks\": {\"PreToolUse\": [1 /* one */, 2 /* two */]}}",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}",
    ] {
        for part in [HOOK, SERVER] {
            let after = wired(part, before);
            assert_eq!(removed(part, &after), (Action::Remove, before.to_owned()), "{after:?}");
        }
    }
}

/// A text with our entry, which is shown as it goes in, and behind all others.
fn wired(part: &Part, before: &str) -> String {
    let (after, piece, line) = inserted(part, before);
    assert!(after.contains(piece.trim_end()), "{piece}: {after}");
    assert_eq!(plan(part, &after), Ok(None), "{after}");
    let first = piece.lines().next().expect("a line");
    assert!(after.lines().nth(line - 1).expect("the line").contains(first), "{line}: {after}");
    let ends = after.matches('\n').count();
    assert!(!before.contains("\r\n") || ends == after.matches("\r\n").count(), "{after:?}");
    let is_strict = |text: &str| serde_json::from_str::<Value>(text).is_ok();
    assert!(is_strict(&after) || !is_strict(before), "{after}");
    let new = json(&after);
    let place = part.keys().iter().fold(&new, |at, key| &at[key]);
    let ours = match part.content {
        Content::Hook => place.as_array().and_then(|list| list.last()),
        _ => place.get(PROGRAM),
    };
    assert_eq!(ours, Some(&part.entry(PROGRAM, Lang::En)), "{after}");
    after
}

fn json(text: &str) -> Value {
    parse(text).expect("JSON").to_serde_value().unwrap_or_default()
}

#[test]
fn what_goes_in_is_laid_out_as_its_neighbours_are() {
    let (after, ..) = inserted(HOOK, "{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}\n");
    assert!(
        after
            .contains("\"Stop\": [],\n        \"PreToolUse\": [\n            {\n                \"matcher\"")
    );
    assert!(after.ends_with("\n            }\n        ]\n    }\n}\n"), "{after}");
    let (after, ..) = inserted(HOOK, "{\n\t\"a\": 1\n}");
    assert!(after.contains("\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{"), "{after}");
    let (after, _, line) = inserted(HOOK, "{\n  \"hooks\": {}\n}\n");
    assert!(after.starts_with("{\n  \"hooks\": { \"PreToolUse\": [\n    {\n"), "{after}");
    assert!(after.ends_with("\n    }\n  ] }\n}\n"), "{after}");
    assert_eq!(line, 2);
}

#[test]
fn what_others_have_put_around_ours_stays() {
    let entry = to_line(&HOOK.entry(PROGRAM, Lang::ZhCn));
    for (text, left) in [
        (format!("{{\"hooks\": {{\"PreToolUse\": [{entry}, 1]}}}}"), "{\"hooks\": {\"PreToolUse\": [1]}}"),
        (
            format!("{{\"hooks\": {{\"PreToolUse\": [1, {entry}, 2]}}}}"),
            "{\"hooks\": {\"PreToolUse\": [1, 2]}}",
        ),
        (
            format!("{{\"hooks\": {{\"Stop\": [], \"PreToolUse\": [{entry}]}}, \"a\": 1}}"),
            "{\"hooks\": {\"Stop\": []}, \"a\": 1}",
        ),
        (format!("{{\"hooks\": {{\"PreToolUse\": [{entry}]}}, \"a\": 1}}"), "{\"a\": 1}"),
    ] {
        let (action, whole) = removed(HOOK, &text);
        assert_eq!((action, json(&whole)), (Action::Remove, json(left)), "{whole}");
    }
    let all = format!("{{\"hooks\": {{\"PreToolUse\": [{entry}]}}}}");
    assert_eq!(removed(HOOK, &all).0, Action::Delete);
}

#[test]
fn what_runs_the_program_already_is_enough_and_only_inits_own_is_taken_out() {
    for hook in [
        r#"{"command": "novel-gate hook claude-code"}"#,
        r#"{"command": "/opt/bin/novel-gate --state-dir s hook claude-code --always"}"#,
        r#"{"command": "\"$HOME/novel-gate\" hook claude-code"}"#,
        r#"{"command": "/opt/bin/novel-gate", "args": ["hook", "claude-code", "--strict"]}"#,
    ] {
        let text = format!(r#"{{"hooks": {{"PreToolUse": [{{}}, {{"matcher": "*", "hooks": [{hook}]}}]}}}}"#);
        assert_eq!(plan(HOOK, &text), Ok(None), "{hook}");
        assert_eq!(HOOK.remove_entry(&text), Err(altered()), "{hook}");
    }
    for server in [
        r#""novel-gate": {"command": ["x"]}"#,
        r#""gates": {"command": ["/opt/novel-gate", "--project", "p", "mcp"]}"#,
        r#""gates": {"command": "novel-gate", "args": ["mcp"]}"#,
        r#""novel-gate": {"type": "local", "command": ["./novel-gate", "mcp"], "enabled": true}"#,
    ] {
        let text = format!(r#"{{"mcp": {{{server}}}}}"#);
        assert_eq!(plan(SERVER, &text), Ok(None), "{server}");
        assert_eq!(SERVER.remove_entry(&text), Err(altered()), "{server}");
    }
    // Another client's hook is none of this one's.
    let codex = r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "novel-gate hook codex"}]}]}}"#;
    assert!(matches!(plan(HOOK, codex), Ok(Some(_))));
    assert_eq!(HOOK.remove_entry(codex), Ok(None));
}

#[test]
fn a_comment_beside_ours_stays_and_so_does_what_is_around_it() {
    let fresh = HOOK.entry_file(PROGRAM, Lang::En);
    for (at, left) in [
        ("\"hooks\": {", "{\n  \"hooks\": { // mine\n  }\n}\n"),
        ("{", "{ // mine\n}\n"),
        ("\"PreToolUse\": [", "{\n  \"hooks\": {\n    \"PreToolUse\": [ // mine\n    ]\n  }\n}\n"),
    ] {
        let text = fresh.replacen(at, &format!("{at} // mine"), 1);
        assert_eq!(removed(HOOK, &text), (Action::Remove, left.to_owned()));
    }
    assert_eq!(removed(HOOK, &format!("// mine\n{fresh}")), (Action::Remove, "// mine\n{\n}\n".to_owned()));
}

#[test]
fn files_that_are_none_are_refused() {
    for (text, words) in [
        ("{", "not JSON: see line 1, column 1"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column"),
        ("{a: 1}", "not JSON"),
        ("{'a': 1}", "not JSON"),
        ("{} {}", "not JSON"),
        ("\u{feff}{}", "not JSON"),
        ("[]", "not a JSON object"),
        ("// a comment", "not a JSON object"),
        ("{\"hooks\": []}", "Its hooks is not an object"),
        ("{\"hooks\": null}", "Its hooks is not an object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "Its hooks.PreToolUse is not a list"),
    ] {
        let message = plan(HOOK, text).expect_err("no settings").text(Lang::En);
        assert!(message.contains(words), "{message}");
        // Init can have put nothing into such a file.
        assert_eq!(HOOK.remove_entry(text), Ok(None), "{text}");
    }
    let message = plan(SERVER, "{\"mcp\": []}").expect_err("no object").text(Lang::En);
    assert!(message.contains("Its mcp is not an object"), "{message}");
    let told = HOOK.remove_entry("{\n  novel-gate\n}").expect_err("nobody can tell").text(Lang::En);
    assert!(told.contains("line 2"), "{told}");
}
