//! What the hook fails to judge: let pass with a word on standard error, forbidden with `--strict`; and calls that it does not
//! know, which cost nothing.

use novel_gate::store::project::DEPTH_LIMIT;
use serde_json::{Value, json};

use super::{Hooked, assert_silent, call, denied, question};
use crate::sandbox::{Ran, Running};

fn say(hooked: &Hooked, executor: &str, flags: &[&str], input: &str) -> Ran {
    Running::start_fed(&mut hooked.command(executor, flags), input.as_bytes()).wait()
}

/// What the hook cannot judge.
fn refused(hooked: &Hooked, executor: &str, input: &str, word: &str) {
    let ran = say(hooked, executor, &[], input);
    assert_silent(&ran);
    assert!(ran.stderr.contains(word), "{input}: {ran:?}");
    let reason = denied(&say(hooked, executor, &["--strict"], input));
    assert!(reason.contains("--strict") && reason.contains(word), "{input}: {reason}");
}

#[test]
fn what_the_hook_fails_to_judge_passes_or_is_forbidden() {
    let hooked = Hooked::new();
    let good = call(&hooked.book, "Agent", &json!({"prompt": "p", "subagent_type": "a"}));
    let changed = |key: &str, value: Value| {
        let mut call = good.clone();
        call[key] = value;
        call.to_string()
    };
    for input in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "agent()".to_owned(),
        "[".repeat(10 << 20),
        changed("hook_event_name", json!(1)),
        changed("tool_name", json!(["Agent"])),
        changed("tool_name", json!(null)),
        changed("tool_input", json!([])),
        changed("tool_input", json!(null)),
        changed("tool_input", json!({"subagent_type": 1})),
        changed("cwd", json!(7)),
    ] {
        refused(&hooked, "claude-code", &input, "PreToolUse");
        refused(&hooked, "codex", &input.replace("\"Agent\"", "\"spawn_agent\""), "PreToolUse");
    }
    for skill in [json!(1), json!(["a"]), json!({})] {
        let call = call(&hooked.book, "Skill", &json!({"skill": skill}));
        refused(&hooked, "claude-code", &call.to_string(), "PreToolUse");
    }
    refused(&hooked, "claude-code", &changed("cwd", json!("/nowhere")), "No project here");
    for (executor, tool) in [("claude-code", "Write"), ("claude-code", "Edit"), ("codex", "apply_patch")] {
        refused(
            &hooked,
            executor,
            &call(&hooked.book, tool, &json!({"content": ""})).to_string(),
            "PreToolUse",
        );
    }
    for flags in [&[][..], &["--strict"]] {
        assert_silent(&say(&hooked, "claude-code", flags, &good.to_string()));
    }
}

#[test]
fn what_is_not_looked_at_may_hold_a_gate() {
    let hooked = Hooked::new();
    let dispatch = call(&hooked.book, "Agent", &json!({"prompt": "p", "subagent_type": "a"})).to_string();
    let write = json!({"file_path": hooked.book.path("staging/novel-ask/a.json"), "content": "{}"});
    let write = call(&hooked.book, "Write", &write).to_string();
    hooked.book.put(&format!("staging/{}a.packet.json", "deep/".repeat(DEPTH_LIMIT + 1)), "{}");
    refused(&hooked, "claude-code", &dispatch, "Not all of staging/");
    refused(&hooked, "claude-code", &write, "Not all of staging/");
    hooked.put_gate();
    assert!(
        denied(&say(&hooked, "claude-code", &[], &write)).starts_with("Only novel-gate"),
        "what is found counts"
    );
}

#[test]
fn a_question_is_asked_in_any_case() {
    let hooked = Hooked::new();
    let good = call(&hooked.book, "AskUserQuestion", &json!({"questions": [question("q", &["a", "b"])]}));
    let mut nowhere = good.clone();
    nowhere["cwd"] = json!("/nowhere");
    let mut unfit = good.clone();
    unfit["tool_input"]["slider"] = json!(1);
    for input in [good, nowhere, unfit] {
        let ran = say(&hooked, "claude-code", &["--strict"], &input.to_string());
        assert_silent(&ran);
        assert!(!ran.stderr.is_empty(), "{input}");
    }
}

#[test]
fn for_a_tool_that_it_does_not_know_nothing_is_even_looked_for() {
    let hooked = Hooked::new();
    hooked.put_gate();
    for executor in ["claude-code", "codex"] {
        for tool in [
            "Bash",
            "Read",
            "mcp__novel-gate__ask_author",
            "mcp__x__spawn_agent",
            "update_plan",
            "",
            "\u{1b}",
        ] {
            let mut input =
                call(&hooked.book, tool, &json!({"file_path": hooked.book.path("staging/novel-ask/a.json")}));
            // A tool that it knows would have it look for a project there, and say that there is none.
            input["cwd"] = json!("/nowhere");
            let ran = say(&hooked, executor, &["--strict"], &input.to_string());
            assert_silent(&ran);
            assert_eq!(ran.stderr, "", "{tool}");
        }
    }
    // Of another event, or of another client: some name no tool.
    for input in
        [r#"{"hook_event_name": "Stop"}"#, r#"{"hook_event_name": "BeforeTool", "tool_name": "write_file"}"#]
    {
        let ran = say(&hooked, "claude-code", &["--strict"], input);
        assert_silent(&ran);
        assert_eq!(ran.stderr, "", "{input}");
    }
    assert!(!hooked.book.state().exists(), "no state was opened");
}
