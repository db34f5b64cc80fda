//! The same of Codex, which runs a hook only as its user has trusted it.

use super::super::codex;
use super::*;

const HOOKS: &str = ".codex/hooks.json";
const CONFIG: &str = ".codex/config.toml";
const USERS_CONFIG: &str = "../codex/config.toml";
/// What Codex itself writes for the hook that `init` wires, once its user trusts it.
const HASH: &str = "sha256:941c56c80d98708bfeaea17b5983ae4cb6bdf2c5fe86697df63194b3574c7e1e";

const CODEX: Wired = Wired {
    name: "codex",
    flags: &[],
    by: "hook",
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

#[test]
fn the_hook_of_codex_is_heard_where_doctor_says_so() {
    is_heard_where_doctor_says_so(&CODEX);
}
