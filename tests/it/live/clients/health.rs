//! What `doctor` says of a wiring, and what Claude Code does with it: its hook is heard, or not.

use super::*;
use serde_json::Value;

/// What is changed in the project's settings, the code that is said then, and whether the hook runs and the command is allowed.
type Row = (&'static str, fn(&mut Value), Option<&'static str>, bool, bool);

const ROWS: [Row; 6] = [
    ("sound", |_| {}, None, true, true),
    ("switched off", |it| it["disableAllHooks"] = json!(true), Some("hooks-off"), false, true),
    (
        "a group that is refused",
        |it| groups(it, "PreToolUse").insert(0, json!({"matcher": {"tools": ["Bash"]}, "hooks": []})),
        Some("dropped-file"),
        false,
        false,
    ),
    (
        "a time of nothing",
        |it| it["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(0),
        Some("dropped-file"),
        false,
        false,
    ),
    ("another event that is wrong", |it| it["hooks"]["Stop"] = json!([{"matcher": 1}]), None, true, true),
    ("denied", |it| it["permissions"]["deny"] = json!(["Bash(novel-gate:*)"]), Some("denied"), true, false),
];

fn groups<'v>(settings: &'v mut Value, event: &str) -> &'v mut Vec<Value> {
    settings["hooks"][event].as_array_mut().expect("groups")
}

/// The codes of what stands in the way, and whether the hook was heard.
fn doctor(book: &Sandbox) -> (Vec<String>, bool) {
    let ran = Running::start(book.system("novel-gate").args(["doctor", "--json"])).wait();
    let said: Value = serde_json::from_str(&ran.stdout).expect("one object");
    let client = &said["clients"][0];
    let codes = client["obstacles"].as_array().expect("obstacles").iter();
    let codes = codes.map(|it| it["code"].as_str().expect("a code").to_owned()).collect();
    (codes, client["heard"].as_array().expect("calls").iter().any(|call| call["by"] == "hook"))
}

#[test]
fn the_hook_of_claude_code_is_heard_where_doctor_says_so() {
    let Some(clients) = clients() else { return };
    let mut wrong = Vec::new();
    for (way, change, code, is_heard, is_allowed) in ROWS {
        let book = Sandbox::new();
        book.put("staging/manifests/a.packet.json", json!({"step": "s:a"}).to_string());
        wire_plainly(&book, &["--for", "claude-code"]);
        let path = ".claude/settings.json";
        let mut settings: Value = serde_json::from_slice(&book.read(path).expect(path)).expect("JSON");
        change(&mut settings);
        book.put(path, settings.to_string());
        let root = book.root().canonicalize().expect("the project").display().to_string();
        let known = json!({"projects": {root: {"hasTrustDialogAccepted": true}}});
        book.put("../home/.claude.json", known.to_string());
        let (codes, heard_before) = doctor(&book);
        let input = json!({"command": "novel-gate list", "description": "d"});
        let model = Model::start(Wire::Messages, vec![vec![("Bash", input)]]);
        let mut client = claude_code::client(&book, clients, &model.address);
        let ran = Running::start(&mut client).wait_within(PATIENCE).expect("it ends");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let told = model.result(0, 0);
        let words = ["requires approval", "needs approval", "has been denied"];
        let was_allowed = !words.iter().any(|words| told.contains(words));
        let was_heard = doctor(&book).1;
        println!("{way:30} {codes:?}: heard {was_heard}, allowed {was_allowed}");
        let said: Vec<&str> = codes.iter().map(String::as_str).collect();
        if heard_before
            || (said, was_heard, was_allowed) != (code.into_iter().collect(), is_heard, is_allowed)
        {
            wrong.push(format!("{way}: {codes:?}, heard {was_heard}, allowed {was_allowed}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
