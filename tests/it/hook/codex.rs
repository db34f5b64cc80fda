//! `hook codex`: the same rules for the tools of Codex, whose questions take no answers.
//!
//! The shapes are those of Codex's source: the hook gets a function's arguments as they are, and a patch as `command`.

use serde_json::{Value, json};
use std::path::Path;

use super::{FOLDER, Hooked, RECORD, assert_passes, assert_silent, call, denied};
use crate::sandbox::{Ran, Running};

fn start(hooked: &Hooked, tool: &str, input: &Value) -> Running {
    let mut call = call(&hooked.book, tool, input);
    call["turn_id"] = json!("t1");
    call["model"] = json!("m");
    Running::start_fed(&mut hooked.command("codex", &[]), call.to_string().as_bytes())
}

fn say(hooked: &Hooked, tool: &str, input: &Value) -> Ran {
    start(hooked, tool, input).wait()
}

fn question(id: &str, text: &str, labels: &[&str]) -> Value {
    let options: Vec<Value> =
        labels.iter().map(|label| json!({"label": label, "description": "d"})).collect();
    json!({"id": id, "header": "平台", "question": text, "options": options})
}

/// What the reason gives as the tool's output.
fn output(ran: &Ran) -> Value {
    let reason = denied(ran);
    let said: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let members = said["hookSpecificOutput"].as_object().expect("an object").keys();
    // Codex refuses a denial with members that it does not know.
    assert!(members.eq(["hookEventName", "permissionDecision", "permissionDecisionReason"]), "{said}");
    let first = reason.lines().next().expect("a line");
    assert!(first.starts_with("This is no refusal"), "{reason}");
    serde_json::from_str(&first[first.find('{').expect("an object")..]).expect("JSON")
}

#[test]
fn no_agent_is_spawned_while_its_gate_is_held_up() {
    let hooked = Hooked::new();
    let packet = json!({"step": "chapter:048:draft", "agent": {"name": "chapter_writer"},
        "answer_path": "staging/novel-ask/a.json", "novel_ask": {"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put("staging/manifests/chapter-048-draft.packet.json", packet.to_string());
    hooked.book.put("staging/manifests/chapter-049-draft.packet.json", r#"{"step": "chapter:049:draft"}"#);
    let input = json!({"agent_type": "chapter_writer", "message": "Write."});
    for tool in ["spawn_agent", "collaborationspawn_agent"] {
        assert!(
            denied(&say(&hooked, tool, &input)).contains("novel-gate wait staging/manifests/chapter-048")
        );
    }
    for input in [
        json!({"agent_type": "Chapter-Writer", "message": "Write."}),
        json!({"message": "Write chapter:048:draft."}),
        json!({"agent_type": null, "message": "Write chapter:048:draft."}),
        json!({"items": [{"type": "text", "text": "Write chapter:048:draft."}]}),
        json!({"task_name": "chapter-048-draft", "message": "Write."}),
    ] {
        denied(&say(&hooked, "spawn_agent", &input));
    }
    for input in [
        json!({"message": "Write."}),
        json!({"agent_type": "explorer", "message": "Write."}),
        json!({"agent_type": "chapter_writer", "message": "Write chapter:049:draft."}),
        json!({"agent_type": "chapter_writer", "items": [{"type": "text", "text": "Write chapter:049:draft."}]}),
    ] {
        assert_passes(&say(&hooked, "spawn_agent", &input));
    }
    hooked.book.put("staging/novel-ask/a.json", RECORD);
    assert_passes(&say(&hooked, "spawn_agent", &input));
}

#[test]
fn its_questions_are_answered_in_the_console_and_told_in_the_reason() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let questions = json!({"questions": [question("where", "Where?", &["qidian", "web"]), question("__proto__", "Where?", &["a"])]});
    let asking = start(&hooked, "request_user_input", &questions);
    let packet = hooked.packet();
    let listed: Value = serde_json::from_str(&hooked.book.run(["list", "--json"]).stdout).expect("JSON");
    assert_eq!(listed["gates"][0]["topic"], "Codex: 平台, 平台");
    assert_eq!(listed["gates"][0]["agent"], "codex");
    let line =
        ["--set", "q1=我自己的话, \"真的\"", "--set", "q2=a", "--note", "q1=先试\n三个月", "--by", "human"];
    assert_eq!(hooked.book.run(["answer", &packet].iter().chain(&line)).code, Some(0));
    let ran = asking.wait();
    let answers = json!({"where": {"answers": ["我自己的话, \"真的\""]}, "__proto__": {"answers": ["a"]}});
    assert_eq!(output(&ran), json!({"answers": answers}));
    assert!(denied(&ran).contains(r#""先试\n三个月""#));
    assert!(
        ran.stdout.len() < 10_000 && !ran.stdout.contains("updatedInput"),
        "Codex takes no such member here"
    );
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn answers_too_long_for_a_reason_are_read_from_the_history() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let root = hooked.book.root();
    let named = ["--project", root.to_str().expect("UTF-8")];
    let words = "雨停之前，别让他回头。".repeat(1_000);
    for (cwd, flags) in [(&*root, &[][..]), (Path::new("/"), &named)] {
        let questions = json!({"questions": [question("a", "Where?", &["x"])]});
        let mut call = call(&hooked.book, "request_user_input", &questions);
        call["cwd"] = json!(cwd);
        call["tool_use_id"] = json!(cwd);
        let asking = Running::start_fed(&mut hooked.command("codex", flags), call.to_string().as_bytes());
        hooked.answer(&hooked.packet(), &json!({"q1": words}));
        let reason = denied(&asking.wait());
        let (_, command) = reason.split_once("with: novel-gate ").expect("a command");
        let (command, _) = command.split_once(". Take").expect("the end of the sentence");
        let mut history = hooked.book.system("novel-gate");
        history.args(shlex::split(command).expect("words")).arg("--state-dir").arg(hooked.book.state());
        let ran = Running::start(history.current_dir(cwd)).wait();
        let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert!(told["entries"][0].to_string().contains(&words), "{reason}");
    }
}

#[test]
fn without_a_console_codex_asks_itself() {
    let hooked = Hooked::new();
    let questions = json!({"questions": [question("where", "Where?", &["qidian", "web"])]});
    let ran = say(&hooked, "request_user_input", &questions);
    assert_silent(&ran);
    assert!(ran.stderr.contains("Codex asks itself"), "{ran:?}");
    let console = hooked.open_console();
    let asking = start(&hooked, "request_user_input", &questions);
    hooked.packet();
    drop(console);
    let ran = asking.wait();
    assert_silent(&ran);
    assert!(ran.stderr.contains("The console was closed; Codex asks itself"), "{ran:?}");
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn what_cannot_be_asked_elsewhere_is_left_to_codex() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let good = question("a", "Where?", &["x", "y"]);
    let with = |key: &str, value: Value| {
        let mut question = good.clone();
        question[key] = value;
        json!({"questions": [question]})
    };
    for input in [
        json!({}),
        json!({"questions": []}),
        json!({"questions": [good, good]}),
        with("id", json!(null)),
        // What is secret is not for the history.
        with("isSecret", json!(true)),
        with("options", json!([])),
        with("options", json!([{"label": "x", "description": "d"}, {"label": "x", "description": "d"}])),
    ] {
        let ran = say(&hooked, "request_user_input", &input);
        assert_silent(&ran);
        assert!(!ran.stderr.is_empty(), "{input}");
    }
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn a_question_with_a_timer_is_asked_and_the_timer_is_said() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let mut asked = question("a", "Where?", &["x", "y"]);
    asked["options"][0]["description"] = json!("");
    let asking =
        start(&hooked, "request_user_input", &json!({"questions": [asked], "autoResolutionMs": 60_000}));
    let packet = hooked.packet();
    let shown = hooked.book.run(["show", &packet]).stdout;
    assert!(shown.contains("In its own dialog Codex goes on without an answer after 60 s."), "{shown}");
    hooked.answer(&packet, &json!({"q1": "x"}));
    let ran = asking.wait();
    assert!(ran.stderr.contains("Codex goes on without an answer 60 s after"), "{}", ran.stderr);
    assert_eq!(output(&ran), json!({"answers": {"a": {"answers": ["x"]}}}));
}

#[test]
fn a_gates_own_dialogue_is_not_asked_twice() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let packet = json!({"step": "step:a", "answer_path": "staging/novel-ask/a.json", "novel_ask": {
        "version": 1, "topic": "t", "questions": [{"id": "a", "header": "h", "question": "q", "kind": "single_choice",
            "required": true, "options": [{"label": "x", "description": "d"}, {"label": "y", "description": "d"}]}]}});
    hooked.book.put("staging/manifests/a.packet.json", packet.to_string());
    let line = ["next", "step:a", "--for", "codex", "--replies", "r.jsonl", "--write"];
    let printed: Value = serde_json::from_str(&hooked.book.run(line).stdout).expect("JSON");
    let asking = start(&hooked, "request_user_input", &printed["input"]);
    hooked.answer("step:a", &json!({"a": "x"}));
    assert!(denied(&asking.wait()).contains("staging/manifests/a.packet.json"));
    assert!(!hooked.book.path(FOLDER).exists(), "the gate itself was in the console");
}

#[test]
fn a_patch_touches_no_record() {
    let hooked = Hooked::new();
    hooked.put_gate();
    let patch = |lines: &str| {
        let patch = format!("*** Begin Patch\n*** Add File: notes.md\n+x\n{lines}\n*** End Patch");
        say(&hooked, "apply_patch", &json!({"command": patch}))
    };
    let place = "staging/novel-ask/a.json";
    let record = RECORD.replace('\n', "\n+");
    let all = |place: &str| {
        [
            format!("*** Add File: {place}\n+{{}}"),
            format!("*** Add File: {place}\n+{record}"),
            format!("*** Update File: {place}\n@@\n-x\n+y"),
            format!("*** Update File: {place}\n*** Move to: notes-2.md\n@@\n-x\n+y"),
            format!("*** Update File: drafts/a.json\n*** Move to: {place}\n@@\n-x\n+y"),
            format!("*** Delete File: {place}"),
        ]
    };
    for standing in [None, Some("[]"), Some(RECORD)] {
        if let Some(bytes) = standing {
            hooked.book.put(place, bytes);
        }
        for path in
            [place, "./staging/../staging/novel-ask/a.json", &hooked.book.path(place).to_string_lossy()]
        {
            for lines in all(path) {
                assert!(denied(&patch(&lines)).starts_with("Only novel-gate"), "{lines}");
            }
        }
        for lines in all("staging/novel-ask/b.json") {
            assert_silent(&patch(&lines));
        }
    }
    assert_eq!(hooked.book.read(place).as_deref(), Some(RECORD.as_bytes()), "the hook itself writes nothing");
    // A line of a text is no header.
    assert_silent(&patch(&format!("*** Add File: howto.md\n+*** Delete File: {place}")));
}
