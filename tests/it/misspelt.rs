//! A packet that is meant for a gate and has none, because a name is misspelt.

use crate::hook::{Hooked, call};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const PACKET: &str = "staging/manifests/chapter-138-draft.packet.json";

fn packet() -> String {
    json!({"version": 1, "step": "chapter:138:draft", "agent": {"kind": "subagent", "name": "chapter-writer"},
        "novelAsk": {"version": 1, "topic": "题 138", "questions": [
            {"id": "tone", "header": "语气", "question": "用什么语气？", "kind": "free_text", "required": true}]},
        "answerPath": "staging/novel-ask/138.answers.json"})
    .to_string()
}

fn told(book: &Sandbox, line: &[&str]) -> Value {
    serde_json::from_str(&book.run(line.iter().chain(&["--json"])).stdout).expect("JSON")
}

#[test]
fn it_is_open_and_said_wherever_the_author_looks() {
    let book = Sandbox::new();
    book.put(PACKET, packet());
    book.put(
        "staging/manifests/free.packet.json",
        r#"{"step": "chapter:139:draft", "novel_task": {"questions": []}}"#,
    );
    let gates = told(&book, &["list"])["gates"].clone();
    assert_eq!(gates.as_array().map(Vec::len), Some(1), "{gates}");
    assert_eq!((&gates[0]["status"], &gates[0]["note"]), (&json!("open"), &json!("misspelt")));
    assert!(gates[0]["problem"].as_str().is_some_and(|text| text.contains("novelAsk")), "{gates}");
    assert_eq!(told(&book, &["list", "--all"])["gates"].as_array().map(Vec::len), Some(2));
    let check = book.run(["check", PACKET]);
    assert_eq!(check.code, Some(0));
    for line in [&["list"][..], &["show", PACKET], &["lint", PACKET]] {
        let said = book.run(line).stdout;
        assert!(
            said.contains("misspelt gate, \"novelAsk\"") && said.contains("Rename it."),
            "{line:?}: {said}"
        );
    }
    let warnings = told(&book, &["lint", PACKET])["files"][0]["warnings"].clone();
    assert_eq!(
        (&warnings[0]["code"], &warnings[1]["pointer"]),
        (&json!("misspelt-gate"), &json!("/answerPath"))
    );
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("✕ chapter:138:draft");
    terminal.wait_for_wrapped_text("the executor sees no gate and may start the step");
    terminal.wait_for_text("/novelAsk  a misspelt gate, \"novelAsk\"");
    terminal.press("enter");
    terminal.wait_for_wrapped_text("may start the step without asking. Rename it.");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn the_hook_lets_the_agent_start_and_says_so() {
    let hooked = Hooked::new();
    hooked.book.put(PACKET, packet());
    for (input, is_said) in [
        (json!({"subagent_type": "chapter-writer", "prompt": "Write."}), true),
        (json!({"subagent_type": "explorer", "prompt": "Do chapter:138:draft."}), true),
        (json!({"subagent_type": "explorer", "prompt": "Look around."}), false),
    ] {
        let ran = hooked.start(&call(&hooked.book, "Task", &input)).wait();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
        assert_eq!(ran.stderr.contains("misspelt gate, \"novelAsk\""), is_said, "{ran:?}");
    }
}
