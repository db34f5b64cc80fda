//! Entries go in and out; everything else stays.

use super::*;
use crate::command::init::client::{PARTS, Part};
use crate::command::init::edit::Wiring;
use crate::text::Lang;
use serde_json::json;

const SETTINGS: &Part = &PARTS[1];
const SERVER: &Part = &PARTS[8];

fn wiring() -> Wiring {
    Wiring { lang: Lang::En, program: PROGRAM.to_owned(), own: Vec::new(), state_dir: None }
}

fn entries(part: &Part) -> Vec<Entry> {
    part.entries(&wiring())
}

fn plan(part: &Part, text: &str) -> Result<Option<Edit>, Message> {
    insert(text, entries(part))
}

/// What an executor may run.
fn allowed() -> Value {
    let commands = ["wait", "propose", "decisions", "next", "list", "check", "show", "plan"].iter();
    commands.map(|command| format!("Bash(novel-gate {command} *)")).collect()
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
    assert_eq!(settings["permissions"]["allow"], allowed());
    let opencode = json(&fresh(entries(SERVER)));
    assert_eq!(
        opencode,
        json!({"mcp": {"novel-gate": {"type": "local", "command": ["novel-gate", "mcp"], "enabled": true}}})
    );
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
        (
            r#"{"permissions": {"allow": ["Bash(novel-gate wait *)", "Bash('/o p/novel-gate' --state-dir s show:*)", "Bash(novel-gate list --json)"]}}"#.to_owned(),
            r#"{"permissions": {"allow": ["Bash(novel-gate list --json)"]}}"#,
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
        (r#"{"command": "novel-gate hook claude-code", "timeout": 86400}"#, true),
        (
            r#"{"command": "/opt/bin/novel-gate --state-dir s hook claude-code --always", "timeout": 86400}"#,
            true,
        ),
        (r#"{"command": "'/o p/novel-gate' --json hook claude-code", "timeout": 90000}"#, true),
        (r#"{"command": "novel-gate", "args": ["hook", "claude-code"], "timeout": 86400}"#, true),
        (r#"{"command": "\"$HOME/novel-gate\" hook claude-code", "timeout": 86400}"#, false),
    ] {
        let text = format!(
            r#"{{"permissions": {{"allow": {}}}, "hooks": {{"PreToolUse": [{{}}, {{"hooks": [{hook}]}}],
                "SubagentStart": [{{"hooks": [{hook}]}}]}}}}"#,
            allowed().to_string().replace(" *", ":*")
        );
        assert_eq!(plan(SETTINGS, &text), Ok(None), "{hook}");
        let (gone, is_left) = removed(SETTINGS, &text);
        assert_eq!((gone.is_some(), is_left), (true, !is_inits), "{hook}");
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
    // Another client's hook, and what only speaks of ours, is none of this one's.
    for other in
        ["novel-gate hook codex", "novel-gate list # hook claude-code", "x novel-gate hook claude-code"]
    {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"command": "{other}", "timeout": 86400}}]}}]}}}}"#
        );
        assert!(matches!(plan(SETTINGS, &text), Ok(Some(_))), "{other}");
        assert_eq!(removed(SETTINGS, &text), (None, false), "{other}");
    }
}

/// An older init allowed every command.
#[test]
fn a_permission_for_everything_is_narrowed() {
    let commands = allowed().to_string();
    let (open, close) = (&commands[1..commands.len() - 1], "]}, \"z\": 1}");
    for old in [
        "\"Bash(novel-gate *)\"",
        "\"Bash(novel-gate:*)\"",
        "\"Bash('/o p/novel-gate' *)\"",
        "\"Bash(novel-gate --state-dir s *)\", \"Bash(novel-gate *)\"",
    ] {
        for (before, behind) in [("", ""), ("\"Bash(ls)\", ", ""), ("", ", \"Bash(ls)\"")] {
            for (held, action) in [(String::new(), Action::Update), (format!(", {open}"), Action::Update)] {
                let text = format!("{{\"permissions\": {{\"allow\": [{before}{old}{behind}{held}{close}");
                let edit = plan(SETTINGS, &text).expect("JSON").expect("narrowed");
                let made = &json(&edit.whole)["permissions"]["allow"];
                let all: Vec<&str> =
                    made.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
                assert_eq!(edit.action, action, "{text}");
                assert!(
                    !all.iter().any(|rule| rule.ends_with("novel-gate *)") || rule.contains(":*")),
                    "{made}"
                );
                assert_eq!(all.len(), 8 + usize::from(text.contains("ls")), "{made}");
                assert_eq!(plan(SETTINGS, &edit.whole), Ok(None));
                assert!(
                    SETTINGS.allows_all(&text, &wiring()) && !SETTINGS.allows_all(&edit.whole, &wiring())
                );
                let (gone, _) = removed(SETTINGS, &edit.whole);
                assert!(gone.is_some_and(|(_, whole)| !whole.contains("novel-gate")));
            }
        }
    }
    // What the author has allowed by hand is neither more nor less.
    let own = r#"{"permissions": {"allow": ["Bash(novel-gate list --json)", "Bash(novel-gate history *)", "Bash(./novel-gate *)"]}}"#;
    let edit = plan(SETTINGS, own).expect("JSON").expect("added");
    let made = &json(&edit.whole)["permissions"]["allow"];
    assert_eq!((edit.action, made.as_array().map(Vec::len)), (Action::Insert, Some(11)), "{made}");
}

#[test]
fn a_matcher_is_judged_by_its_alternatives() {
    let tools = "spawn_agent$|^request_user_input$";
    for (matcher, is_enough) in [
        ("", true),
        ("*", true),
        ("^(request_user_input|spawn_agent|x)$", true),
        ("request_user_input, spawn_agent", true),
        ("spawn_agent", false),
        ("my_spawn_agents|request_user_input", false),
    ] {
        assert_eq!(covers(matcher, tools), is_enough, "{matcher}");
    }
}

#[test]
fn a_file_that_may_have_ours_and_cannot_be_read_is_named() {
    let told = remove("{\n  novel-gate\n}", &entries(SETTINGS)).expect_err("nobody can tell").text(Lang::En);
    assert!(told.contains("line 2"), "{told}");
}

#[test]
fn a_file_on_one_line_stays_on_it() {
    for text in ["{\"model\":\"x\"}", "{\"hooks\": {\"Stop\": [1]}, \"z\": [1, 2]} // mine\n"] {
        let made = plan(SETTINGS, text).expect("JSON").expect("an entry").whole;
        assert_eq!(made.trim_end().lines().count(), 1, "{made}");
        assert_eq!(made.ends_with('\n'), text.ends_with('\n'));
        assert_eq!(json(&made)["permissions"]["allow"], allowed());
        let Some((Action::Remove, back)) = removed(SETTINGS, &made).0 else { panic!("{made}") };
        assert_eq!(back, text);
    }
    // What says nothing has no lines of its own.
    assert!(plan(SETTINGS, "{}").expect("JSON").expect("an entry").whole.lines().count() > 9);
}
