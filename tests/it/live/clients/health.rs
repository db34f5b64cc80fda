//! What `doctor` says of a wiring, and what the client does with it: its hook is heard, or not.

use super::*;
use serde_json::Value;

/// What is changed in a sound wiring, the codes that are said then, whether the hook runs, and whether the command is allowed.
type Row = (&'static str, fn(&Sandbox), &'static [&'static str], bool, bool);

struct Wired {
    name: &'static str,
    wire: Wire,
    call: fn() -> Call,
    start: fn(&Sandbox, &Path, &str) -> Command,
    rows: &'static [Row],
}

const SETTINGS: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const USERS: &str = "../home/.claude/settings.json";
const HOOKS: &str = ".codex/hooks.json";
const CONFIG: &str = ".codex/config.toml";
const USERS_CONFIG: &str = "../codex/config.toml";
/// What Codex itself writes for the hook that `init` wires, once its user trusts it.
const HASH: &str = "sha256:941c56c80d98708bfeaea17b5983ae4cb6bdf2c5fe86697df63194b3574c7e1e";

const CLAUDE_CODE: Wired = Wired {
    name: "claude-code",
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

const CODEX: Wired = Wired {
    name: "codex",
    wire: Wire::Responses,
    call: || ("exec_command", json!({"cmd": "novel-gate list"})),
    start: |book, clients, address| {
        let client = codex::client(book, clients, "gpt-5.5", address, &["danger-full-access"]);
        let key = format!("{}/{HOOKS}:pre_tool_use:0:0", root(book));
        text(book, USERS_CONFIG, |it| format!("{it}[hooks.state.{key:?}]\ntrusted_hash = {HASH:?}\n"));
        client
    },
    rows: &[
        ("sound", |_| {}, &[], true, true),
        (
            "a byte order mark",
            |book| text(book, HOOKS, |it| format!("\u{feff}{it}")),
            &["dropped-file"],
            false,
            true,
        ),
        (
            "hooks twice",
            |book| text(book, HOOKS, |it| it.replacen('{', "{\"hooks\": {},", 1)),
            &["dropped-file"],
            false,
            true,
        ),
        (
            "an unknown name",
            |book| json(book, HOOKS, |it| it["version"] = json!(1)),
            &["dropped-file"],
            false,
            true,
        ),
        (
            "another event that is wrong",
            |book| json(book, HOOKS, |it| it["hooks"]["SessionEnd"] = json!(1)),
            &["dropped-file"],
            false,
            true,
        ),
        (
            "what it does not read",
            |book| {
                json(book, HOOKS, |it| {
                    it["description"] = Value::Null;
                    it["hooks"]["Nope"] = json!(1);
                    groups(it)[0]["hooks"][0]["if"] = json!("Bash(ls *)");
                });
            },
            &[],
            true,
            true,
        ),
        (
            "changed since",
            |book| json(book, HOOKS, |it| groups(it)[0]["hooks"][0]["timeout"] = json!(86_401)),
            &["hook-untrusted"],
            false,
            true,
        ),
        (
            "another hook before it",
            |book| json(book, HOOKS, |it| groups(it).insert(0, json!({}))),
            &["hook-untrusted"],
            false,
            true,
        ),
        (
            "in the other file",
            |book| {
                fs::rename(book.path(HOOKS), book.path("../hooks.json")).expect("moved");
                let hook = "[[hooks.PreToolUse]]\nmatcher = \"*\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\n\
                            command = \"novel-gate hook codex\"\ntimeout = 86400\n";
                book.put(CONFIG, hook);
            },
            &["hook-untrusted"],
            false,
            true,
        ),
        (
            "its hook switched off",
            |book| text(book, USERS_CONFIG, |it| format!("{it}enabled = false\n")),
            &["hook-off"],
            false,
            true,
        ),
        (
            "a directory above trusted",
            |book| {
                let table = |dir: &str| format!("[projects.{dir:?}]");
                text(book, USERS_CONFIG, |it| it.replace(&table(&root(book)), &table("/")));
            },
            &["untrusted"],
            false,
            true,
        ),
        (
            "switched on in the nearer file",
            |book| {
                text(book, USERS_CONFIG, |it| it.replace("[features]\n", "[features]\nhooks = false\n"));
                book.put(CONFIG, "[features]\nhooks = true\n");
            },
            &[],
            true,
            true,
        ),
        (
            "switched off by the older name",
            |book| book.put(CONFIG, "[features]\ncodex_hooks = false\n"),
            &["hooks-off"],
            false,
            true,
        ),
    ],
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

/// The codes of what stands in the way, and whether the hook was heard.
fn doctor(book: &Sandbox, client: &str) -> (Vec<String>, bool) {
    let mut doctor = book.system("novel-gate");
    doctor.args(["doctor", "--json"]).env("CODEX_HOME", book.path("../codex"));
    let said: Value = serde_json::from_str(&Running::start(&mut doctor).wait().stdout).expect("one object");
    let all = said["clients"].as_array().expect("clients");
    let client = all.iter().find(|it| it["client"] == client).expect("it");
    let codes = client["obstacles"].as_array().expect("obstacles").iter();
    let codes = codes.map(|it| it["code"].as_str().expect("a code").to_owned()).collect();
    (codes, client["heard"].as_array().expect("calls").iter().any(|call| call["by"] == "hook"))
}

fn is_heard_where_doctor_says_so(wired: &Wired) {
    let Some(clients) = clients() else { return };
    let mut wrong = Vec::new();
    for (way, change, codes, is_heard, is_allowed) in wired.rows {
        let book = Sandbox::new();
        book.put("staging/manifests/a.packet.json", json!({"step": "s:a"}).to_string());
        wire_plainly(&book, &["--for", wired.name]);
        let model = Model::start(wired.wire, vec![vec![(wired.call)()]]);
        let mut client = (wired.start)(&book, clients, &model.address);
        change(&book);
        let (said, heard_before) = doctor(&book, wired.name);
        let ran = Running::start(&mut client).wait_within(PATIENCE).expect("it ends");
        assert_eq!(ran.code, Some(0), "{way}: {ran:?}");
        let told = model.result(0, 0);
        let words = ["requires approval", "needs approval", "has been denied"];
        let was_allowed = !told.is_empty() && !words.iter().any(|words| told.contains(words));
        let was_heard = doctor(&book, wired.name).1;
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
fn the_hook_of_codex_is_heard_where_doctor_says_so() {
    is_heard_where_doctor_says_so(&CODEX);
}
