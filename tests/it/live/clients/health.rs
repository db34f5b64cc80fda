//! What `doctor` says of a wiring, and what the client does with it: its hook or its server is heard, or not.

use super::*;
use serde_json::Value;

mod trusted;

/// What is changed in a sound wiring, the codes that are said then, whether the hook runs or the server is called, and whether the
/// command is allowed.
type Row = (&'static str, fn(&Sandbox), &'static [&'static str], bool, bool);

struct Wired {
    name: &'static str,
    /// What else `init` is told, and by what the client is heard.
    flags: &'static [&'static str],
    by: &'static str,
    wire: Wire,
    call: fn() -> Call,
    start: fn(&Sandbox, &Path, &str) -> Command,
    rows: &'static [Row],
}

const SETTINGS: &str = ".claude/settings.json";
const SERVERS: &str = ".mcp.json";
const LOCAL: &str = ".claude/settings.local.json";
const USERS: &str = "../home/.claude/settings.json";

const CLAUDE_CODE: Wired = Wired {
    name: "claude-code",
    flags: &[],
    by: "hook",
    wire: Wire::Messages,
    call: || ("Bash", json!({"command": "novel-gate list", "description": "d"})),
    start: |book, clients, address| {
        let known = json!({"projects": {root(book): {"hasTrustDialogAccepted": true}}});
        book.put("../home/.claude.json", known.to_string());
        claude_code::client(book, clients, address)
    },
    rows: &[
        ("sound", |_| {}, &[], true, true),
        (
            "switched off",
            |book| json(book, SETTINGS, |it| it["disableAllHooks"] = json!(true)),
            &["hooks-off"],
            false,
            true,
        ),
        (
            "switched off beside it",
            |book| book.put(LOCAL, "{\"disableAllHooks\": true}"),
            &["hooks-off"],
            false,
            true,
        ),
        (
            "switched on in the nearer file",
            |book| {
                book.put(LOCAL, "{\"disableAllHooks\": false}");
                book.put(USERS, "{\"disableAllHooks\": true}");
            },
            &[],
            true,
            true,
        ),
        (
            "a comment",
            |book| text(book, SETTINGS, |it| format!("// mine\n{it}")),
            &["dropped-file"],
            false,
            false,
        ),
        ("a byte order mark", |book| text(book, SETTINGS, |it| format!("\u{feff}{it}")), &[], true, true),
        (
            "hooks twice, the last are none",
            |book| {
                text(book, SETTINGS, |it| {
                    format!("{},\"hooks\":{{}}}}", it.trim_end().trim_end_matches('}'))
                });
            },
            &["no-hook"],
            false,
            true,
        ),
        (
            "a group that is refused",
            |book| {
                let group = json!({"matcher": {"tools": ["Bash"]}, "hooks": []});
                json(book, SETTINGS, |it| groups(it).insert(0, group));
            },
            &["dropped-file"],
            false,
            false,
        ),
        (
            "a time of nothing",
            |book| json(book, SETTINGS, |it| groups(it)[0]["hooks"][0]["timeout"] = json!(0)),
            &["dropped-file"],
            false,
            false,
        ),
        (
            "another event that is wrong",
            |book| json(book, SETTINGS, |it| it["hooks"]["Stop"] = json!([{"matcher": 1}])),
            &[],
            true,
            true,
        ),
        (
            "an if",
            |book| json(book, SETTINGS, |it| groups(it)[0]["hooks"][0]["if"] = json!("Bash(ls *)")),
            &["filtered"],
            false,
            true,
        ),
        (
            "nothing waits for it",
            |book| json(book, SETTINGS, |it| groups(it)[0]["hooks"][0]["async"] = json!(true)),
            &["async"],
            true,
            true,
        ),
        (
            "a tool left out",
            |book| text(book, SETTINGS, |it| it.replacen("|Bash|", "|", 1)),
            &["older"],
            false,
            true,
        ),
        (
            "denied",
            |book| json(book, SETTINGS, |it| it["permissions"]["deny"] = json!(["Bash(novel-gate:*)"])),
            &["denied"],
            true,
            false,
        ),
    ],
};

const CLAUDE_CODE_SERVER: Wired = Wired {
    flags: &["--mcp"],
    by: "mcp",
    call: || ("mcp__novel-gate__list_gates", json!({})),
    start: |book, clients, address| {
        let mut client = (CLAUDE_CODE.start)(book, clients, address);
        client.args(["--allowedTools", "mcp__novel-gate__list_gates"]);
        client
    },
    rows: &[
        ("sound", |_| {}, &[], true, true),
        (
            "a comment",
            |book| text(book, SERVERS, |it| format!("// mine\n{it}")),
            &["dropped-file"],
            false,
            false,
        ),
        (
            "a byte order mark, and others that are broken",
            |book| {
                json(book, SERVERS, |it| it["mcpServers"]["other"] = json!(1));
                text(book, SERVERS, |it| format!("\u{feff}{it}"));
            },
            &[],
            true,
            true,
        ),
        (
            "an empty command",
            |book| json(book, SERVERS, |it| it["mcpServers"]["novel-gate"]["command"] = json!("")),
            &["broken-entry"],
            false,
            false,
        ),
        (
            "a variable that is a number",
            |book| json(book, SERVERS, |it| it["mcpServers"]["novel-gate"]["env"] = json!({"A": 1})),
            &["broken-entry"],
            false,
            false,
        ),
        (
            "a type that is null",
            |book| json(book, SERVERS, |it| it["mcpServers"]["novel-gate"]["type"] = Value::Null),
            &["broken-entry"],
            false,
            false,
        ),
        (
            "a fraction of a time",
            |book| json(book, SERVERS, |it| it["mcpServers"]["novel-gate"]["timeout"] = json!(1.5)),
            &["broken-entry"],
            false,
            false,
        ),
        (
            "what it does not read",
            |book| {
                json(book, SERVERS, |it| {
                    let entry = &mut it["mcpServers"]["novel-gate"];
                    (entry["enabled"], entry["disabled"]) = (json!(false), json!(true));
                });
            },
            &[],
            true,
            true,
        ),
        (
            "on a list of those not started",
            |book| book.put(LOCAL, "{\"disabledMcpjsonServers\": [\"novel-gate\"]}"),
            &["server-off"],
            false,
            false,
        ),
        (
            "none allowed",
            |book| book.put(LOCAL, "{\"allowedMcpServers\": []}"),
            &["server-off"],
            false,
            false,
        ),
        (
            "another agreed to",
            |book| book.put(LOCAL, "{\"enabledMcpjsonServers\": [\"other\"]}"),
            &[],
            true,
            true,
        ),
    ],
    ..CLAUDE_CODE
};

fn root(book: &Sandbox) -> String {
    book.root().canonicalize().expect("the project").display().to_string()
}

fn text(book: &Sandbox, path: &str, change: impl FnOnce(String) -> String) {
    let old = String::from_utf8(book.read(path).expect(path)).expect("UTF-8");
    let new = change(old.clone());
    assert_ne!(new, old, "{path}");
    book.put(path, new);
}

fn json(book: &Sandbox, path: &str, change: impl FnOnce(&mut Value)) {
    text(book, path, |old| {
        let mut value = serde_json::from_str(&old).expect("JSON");
        change(&mut value);
        value.to_string()
    });
}

fn groups(settings: &mut Value) -> &mut Vec<Value> {
    settings["hooks"]["PreToolUse"].as_array_mut().expect("groups")
}

/// The codes of what stands in the way, and whether the client was heard.
fn doctor(book: &Sandbox, wired: &Wired) -> (Vec<String>, bool) {
    let mut doctor = book.system("novel-gate");
    doctor.args(["doctor", "--json"]).env("CODEX_HOME", book.path("../codex"));
    let said: Value = serde_json::from_str(&Running::start(&mut doctor).wait().stdout).expect("one object");
    let all = said["clients"].as_array().expect("clients");
    let client = all.iter().find(|it| it["client"] == wired.name).expect("it");
    let codes = client["obstacles"].as_array().expect("obstacles").iter();
    let codes = codes.map(|it| it["code"].as_str().expect("a code").to_owned()).collect();
    (codes, client["heard"].as_array().expect("calls").iter().any(|call| call["by"] == wired.by))
}

fn is_heard_where_doctor_says_so(wired: &Wired) {
    let Some(clients) = clients() else { return };
    let mut wrong = Vec::new();
    for (way, change, codes, is_heard, is_allowed) in wired.rows {
        let book = Sandbox::new();
        book.put("staging/manifests/a.packet.json", json!({"step": "s:a"}).to_string());
        wire_plainly(&book, &[&["--for", wired.name], wired.flags].concat());
        let model = Model::start(wired.wire, vec![vec![(wired.call)()]]);
        let mut client = (wired.start)(&book, clients, &model.address);
        change(&book);
        let (said, heard_before) = doctor(&book, wired);
        let ran = Running::start(&mut client).wait_within(PATIENCE).expect("it ends");
        assert_eq!(ran.code, Some(0), "{way}: {ran:?}");
        let told = model.result(0, 0);
        let words = ["requires approval", "needs approval", "has been denied", "No such tool"];
        let was_allowed = !told.is_empty() && !words.iter().any(|words| told.contains(words));
        let was_heard = doctor(&book, wired).1;
        println!("{way:35} {said:?}: heard {was_heard}, allowed {was_allowed}");
        if heard_before || said != *codes || (was_heard, was_allowed) != (*is_heard, *is_allowed) {
            wrong.push(format!("{way}: {said:?}, heard {was_heard}, allowed {was_allowed}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_hook_of_claude_code_is_heard_where_doctor_says_so() {
    is_heard_where_doctor_says_so(&CLAUDE_CODE);
}

#[test]
fn the_server_of_claude_code_is_called_where_doctor_says_so() {
    is_heard_where_doctor_says_so(&CLAUDE_CODE_SERVER);
}
