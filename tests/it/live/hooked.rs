//! What the hook says, against the types that Claude Code's maker publishes.

use serde_json::{Value, json};

use super::tool_types::{ToolType, type_checker};
use crate::hook::{Hooked, call, question};

/// Answers for a call of two questions, in the console's place.
fn answered(questions: &Value, answers: &Value) -> (Value, Value) {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let given = call(&hooked.book, "AskUserQuestion", questions);
    let asking = hooked.start(&given);
    let packet = hooked.packet();
    hooked.answer(&packet, answers);
    let ran = asking.wait();
    (given, serde_json::from_str(&ran.stdout).expect("one object"))
}

/// A call that starts an agent, with every member that Claude Code sends, and what the hook says of it while the agent's gate waits
/// and then when it is answered.
fn dispatched(input: &Value) -> (Value, Value, Value) {
    let hooked = Hooked::new();
    let packet = json!({"step": "step:p", "agent": {"kind": "subagent", "name": input["subagent_type"]},
        "answer_path": "staging/novel-ask/p.json", "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put("staging/manifests/p.packet.json", packet.to_string());
    let mut given = call(&hooked.book, "Agent", input);
    given["prompt_id"] = json!("5e56");
    given["effort"] = json!({"level": "medium"});
    given["mcp_server"] = json!({"name": "x", "source": "project"});
    let say = || serde_json::from_str::<Value>(&hooked.start(&given).wait().stdout).expect("one object");
    let kept = say();
    assert_eq!(kept["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(hooked.book.run(["answer", "step:p", "--by", "human", "--set", "a=x"]).code, Some(0));
    let told = say();
    assert!(told["hookSpecificOutput"]["updatedInput"].is_object(), "{told}");
    (given, kept, told)
}

#[test]
fn the_hook_speaks_the_published_types() {
    let Some(checker) = type_checker() else { return };
    let (one, many) = (question("发布到哪里？", &["qidian", "web"]), json!({"multiSelect": true}));
    let mut several = question("Which tags\u{2028}?", &["a", "a, b"]);
    several["multiSelect"] = many["multiSelect"].clone();
    let questions = json!({"questions": [one, several]});
    let answers = json!({"q1": "我自己的话", "q2": ["a", "a, b", "c"]});
    let (given, allowed) = answered(&questions, &answers);
    let hooked = Hooked::new();
    hooked.put_gate();
    let written =
        call(&hooked.book, "Write", &json!({"file_path": "staging/novel-ask/a.json", "content": "{}"}));
    let denied: Value = serde_json::from_str(&hooked.start(&written).wait().stdout).expect("one object");
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
    let dispatch = json!({"description": "plan", "prompt": "Plan.", "subagent_type": "planner"});
    let (dispatched, kept, told) = dispatched(&dispatch);
    assert_eq!(hooked.book.run(["init", "--write"]).code, Some(0));
    let settings = hooked.book.read(".claude/settings.json").expect("settings");
    let settings: Value = serde_json::from_slice(&settings).expect("JSON");
    let said = &allowed["hookSpecificOutput"];
    assert_eq!(said["permissionDecision"], "allow");
    assert!(said["additionalContext"].is_string());
    let values = [
        (ToolType::HookInput, given.to_string()),
        (ToolType::HookInput, written.to_string()),
        (ToolType::HookOutput, allowed.to_string()),
        (ToolType::HookOutput, denied.to_string()),
        (ToolType::HookInput, dispatched.to_string()),
        (ToolType::HookOutput, kept.to_string()),
        (ToolType::HookOutput, told.to_string()),
        (ToolType::Agent, dispatched["tool_input"].to_string()),
        (ToolType::Agent, told["hookSpecificOutput"]["updatedInput"].to_string()),
        (ToolType::Write, written["tool_input"].to_string()),
        (ToolType::Input, said["updatedInput"].to_string()),
        (ToolType::Settings, settings.to_string()),
    ];
    checker.accept(&values);
    let wrong = [
        (ToolType::HookOutput, allowed.to_string().replace("\"allow\"", "\"yes\"")),
        (ToolType::HookOutput, allowed.to_string().replace("\"updatedInput\"", "\"input\"")),
        (ToolType::HookOutput, denied.to_string().replace("PreToolUse", "Before")),
        (ToolType::HookInput, given.to_string().replace("\"cwd\"", "\"directory\"")),
        (
            ToolType::HookInput,
            dispatched.to_string().replace("\"source\":\"project\"", "\"from\":\"project\""),
        ),
        (ToolType::HookOutput, kept.to_string().replace("permissionDecisionReason", "reason")),
        (ToolType::Agent, dispatched["tool_input"].to_string().replace("subagent_type", "agent_type")),
        (ToolType::Write, written["tool_input"].to_string().replace("file_path", "path")),
        (ToolType::Settings, settings.to_string().replace("86400", "\"a day\"")),
        (ToolType::Settings, settings.to_string().replace(r#""type":"command""#, r#""type":"order""#)),
        (ToolType::Input, said["updatedInput"].to_string().replace("\"我自己的话\"", "[\"我自己的话\"]")),
    ];
    let (misfits, told) = checker.misfits(&wrong);
    assert_eq!(misfits, (0..wrong.len()).collect::<Vec<usize>>(), "{told}");
}
