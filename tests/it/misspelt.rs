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
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
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

/// What is asked of chapter 138, under other names for the two members.
fn gate(ask: &str, path: &str) -> Value {
    let mut gate: Value = serde_json::from_str(&packet()).expect("JSON");
    for (was, name) in [("novelAsk", ask), ("answerPath", path)] {
        let value = gate.as_object_mut().expect("an object").remove(was).expect(was);
        gate[name] = value;
    }
    gate
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn what_lies_inside_something_is_said_alike_wherever_the_author_looks() {
    let book = Sandbox::new();
    let good = gate("novel_ask", "answer_path");
    let mut inside = good.clone();
    inside["manifest"] = json!({"novel_ask": inside["novel_ask"].take()});
    inside
        .as_object_mut()
        .expect("an object")
        .retain(|name, _| !["novel_ask", "answer_path"].contains(&&**name));
    for (packet, says, code) in [
        (
            json!({"ok": true, "data": good}),
            "the packet inside \"data\" (line 3, column 3)",
            "[command-output]",
        ),
        (inside, "\"novel_ask\" (line 9, column 5) inside \"manifest\"", "[misplaced-gate]"),
    ] {
        let text = pretty(&packet);
        let (line, column) = says.split_once("(line ").expect(says).1.split_once(", column ").expect(says);
        let column = column.split_once(')').expect(says).0;
        book.put(PACKET, &text);
        for line in ["list", "show", "check", "lint"] {
            let named = if line == "list" { None } else { Some(PACKET) };
            let said = book.run([line].into_iter().chain(named)).stdout;
            assert!(said.contains(says), "{line}: {said}\n{text}");
            assert!(!said.contains("misspelt") && !said.contains("ename"), "{line}: {said}");
        }
        let said = book.run(["lint", PACKET]).stdout;
        assert!(said.contains(code) && said.contains(&format!(":{line}:{column}: ")), "{said}");
        let mut terminal = book.console(80, 24);
        terminal.wait_for_text("✕ unseen gate");
        terminal.press("enter");
        terminal.wait_for_wrapped_text(says);
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn misspelt_names_are_mended_by_a_key_and_come_back_by_another() {
    let book = Sandbox::new();
    for (ask, path) in [("novel_ask", "anwser_path"), ("novelAsk", "answerPath")] {
        let text = pretty(&gate(ask, path));
        book.put(PACKET, &text);
        let mut terminal = book.console(80, 24);
        terminal.wait_for_text("✕ chapter:138:draft");
        terminal.wait_for_text("Ctrl+G edit the packet");
        terminal.wait_for_text("F8 mend it");
        terminal.press("f8");
        terminal.wait_for_wrapped_text("the gate asks, and the step waits for your answers.");
        terminal.wait_for_text(&format!("\"{path}\" → \"answer_path\""));
        terminal.press("enter");
        terminal.wait_for_text("● chapter:138:draft");
        terminal.wait_for_text("Enter answer");
        assert_eq!(book.read(PACKET), Some(pretty(&gate("novel_ask", "answer_path")).into_bytes()));
        terminal.press("ctrl+u");
        terminal.wait_for_text("The old text of the packet is back");
        terminal.wait_for_text("F8 mend it");
        assert_eq!(book.read(PACKET), Some(text.clone().into_bytes()));
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
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

#[test]
fn whoever_waits_checks_or_asks_hears_that_the_executor_does_not_see_it() {
    let book = Sandbox::new();
    let inside =
        json!({"step": "chapter:138:draft", "agent": "writer", "manifest": gate("novel_ask", "answer_path")});
    for (text, found) in [(packet(), "novelAsk"), (inside.to_string(), "manifest")] {
        book.put(PACKET, &text);
        for (lang, says) in [
            ("en", "Open: the packet has a gate that the executor does not see."),
            ("zh-CN", "已放行：这个指令包里有门控，但执行器看不到。"),
        ] {
            for line in [["check", PACKET], ["show", PACKET], ["wait", PACKET]] {
                let ran = book.run(line.iter().chain(&["--lang", lang]));
                let said = if line[0] == "wait" { &ran.stderr } else { &ran.stdout };
                assert_eq!(ran.code, Some(0), "{line:?}: {said}");
                assert!(said.contains(says) && said.contains(found), "{line:?}: {said}");
                let told = told(&book, &[line[0], line[1], "--lang", lang]);
                let problems =
                    if line[0] == "wait" { &told["records"][0]["problems"] } else { &told["problems"] };
                assert!(problems.to_string().contains(found), "{line:?}: {told}");
            }
            let ran = book.run(["next", PACKET, "--for", "codex", "--replies", "replies", "--lang", lang]);
            let says =
                if lang == "en" { "a gate that the executor does not see" } else { "执行器看不到" };
            assert!(ran.code == Some(2) && (ran.stdout + &ran.stderr).contains(says), "{found}");
        }
    }
    // A packet that is meant for none is open without a word.
    book.put(PACKET, r#"{"step": "chapter:138:draft"}"#);
    assert_eq!(book.run(["wait", PACKET]).stderr, "");
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn no_standing_question_hides_it() {
    let book = Sandbox::new();
    let goal = json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "目标", "questions": [
        {"id": "goal", "header": "目标", "question": "本章目标？", "kind": "free_text", "required": true}]});
    book.put("questions/goal.question.json", goal.to_string());
    let good = gate("novel_ask", "answer_path");
    for (text, found) in [
        (packet(), "novelAsk"),
        (json!({"step": good["step"], "manifest": good}).to_string(), "manifest"),
        (json!({"step": good["step"], "questions": good["novel_ask"]["questions"]}).to_string(), "questions"),
    ] {
        book.put(PACKET, &text);
        let attached = told(&book, &["attach", PACKET]);
        assert_eq!((&attached["status"], &attached["code"]), (&json!("unchanged"), &json!("nothing")));
        assert!(attached["problems"].to_string().contains(found), "{attached}");
        assert_eq!(book.read(PACKET).expect("the packet"), text.as_bytes());
        let gates = told(&book, &["list"])["gates"].clone();
        assert_eq!((&gates[0]["note"], &gates[0]["status"]), (&json!("misspelt"), &json!("open")), "{gates}");
        let show = told(&book, &["show", PACKET]);
        assert!(show["problems"].to_string().contains(found), "{show}");
        assert_eq!(told(&book, &["check", PACKET])["standing_question"], Value::Null);
        assert!(told(&book, &["lint", PACKET])["files"][0]["warnings"].to_string().contains(found));
        let mut terminal = book.console(80, 24);
        terminal.wait_for_text("✕ chapter:138:draft");
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
    // Set right, its own gate is asked.
    book.put(PACKET, good.to_string());
    assert_eq!(told(&book, &["list"])["gates"][0]["topic"], json!("题 138"));
}
