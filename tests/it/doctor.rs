//! `doctor`, through the built binary: a table of wirings, sound and broken, each with what is said of it.

use novel_gate::platform::paths::{Shown as _, canonicalize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Running, Sandbox};

/// A user who trusts the project and its hook as it is; the hash is what the client itself writes.
macro_rules! trusting {
    ($more:literal) => {
        concat!(
            "[projects.\"ROOT\"]\ntrust_level = \"trusted\"\n",
            "[hooks.state.\"ROOT/.codex/hooks.json:pre_tool_use:0:0\"]\n",
            "trusted_hash = \"sha256:941c56c80d98708bfeaea17b5983ae4cb6bdf2c5fe86697df63194b3574c7e1e\"\n",
            $more
        )
    };
}

mod claude_code;
mod clients;
mod codex;
mod programs;

const SETTINGS: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const USER: &str = "../home/.claude/settings.json";
const PROJECTS: &str = "../home/.claude.json";
const CODEX_HOOKS: &str = ".codex/hooks.json";
const CODEX_USER: &str = "../home/.codex/config.toml";
const OPENCODE: &str = "opencode.json";

/// What is done to a file of a sound wiring.
enum Change {
    /// It has this text; `ROOT` stands for the project's root.
    Text(&'static str),
    /// The first words are others.
    Words(&'static str, &'static str),
    Gone,
}

use Change::{Gone, Text, Words};

/// What is changed in which file, and the code and the place of each thing that is said then.
type Row = (&'static [(&'static str, Change)], &'static [(&'static str, &'static str)]);

/// Without `--state-dir`, which would be written into every file.
fn command(book: &Sandbox, args: &[&str]) -> Command {
    let mut command = book.system("novel-gate");
    command.args(["--lang", "en", "--project"]).arg(book.root()).args(args);
    command
}

fn run(book: &Sandbox, args: &[&str]) -> Ran {
    Running::start(&mut command(book, args)).wait()
}

fn object(ran: &Ran) -> Value {
    let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(value["exit"].as_i64(), ran.code.map(i64::from), "{value}");
    value
}

/// A project that is wired for these clients.
fn wired(clients: &str, more: &[&str]) -> Sandbox {
    let book = Sandbox::new();
    let ran = run(&book, &[&["init", "--write", "--for", clients], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    if clients.contains("codex") {
        change(&book, CODEX_USER, &Text(trusting!("")));
    }
    book
}

fn change(book: &Sandbox, path: &str, change: &Change) {
    let root = canonicalize(book.root()).expect("the project").shown().into_owned();
    let old = || String::from_utf8(book.read(path).expect(path)).expect("UTF-8");
    match change {
        Text(text) => book.put(path, of_this_system(text).replace("ROOT", &root)),
        Words(from, to) => {
            let old = old();
            let new = if old.contains(from) {
                old.replacen(from, &of_this_system(to), 1)
            } else {
                panic!("{from} in {old}")
            };
            book.put(path, new);
        }
        Gone => fs::remove_file(book.path(path)).expect(path),
    }
}

/// A path without a drive is none on Windows, and other programs are there.
fn of_this_system(text: &str) -> String {
    if !cfg!(windows) {
        return text.to_owned();
    }
    let others = text.replace("/bin/true", "C:/windows/system32/cmd.exe");
    others.replace("/nowhere", "C:/nowhere").replace("/tmp", "C:/tmp").replace("\"/\"", "\"C:/\"")
}

fn client<'v>(said: &'v Value, name: &str) -> &'v Value {
    said["clients"].as_array().expect("clients").iter().find(|it| it["client"] == name).expect("it")
}

fn obstacles(client: &Value) -> Vec<(&str, &str)> {
    let all = client["obstacles"].as_array().expect("obstacles").iter();
    all.map(|it| (it["code"].as_str().expect("a code"), it["at"].as_str().unwrap_or_default())).collect()
}

fn all_hold(name: &str, more: &[&str], rows: &[Row]) {
    let mut wrong = Vec::new();
    for (place, (changes, says)) in rows.iter().enumerate() {
        let book = wired(name, more);
        changes.iter().for_each(|(path, made)| change(&book, path, made));
        let ran = run(&book, &["doctor", "--json"]);
        let said = object(&ran);
        let found = obstacles(client(&said, name)).into_iter().collect::<std::collections::BTreeSet<_>>();
        let wanted = says.iter().copied().collect();
        if found != wanted || ran.code != Some(if says.is_empty() { 0 } else { 3 }) {
            wrong.push(format!("row {place}: {found:?} and not {wanted:?}, {:?}: {said}", ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_file_that_cannot_be_read_is_named() {
    let unreadable = [
        ("claude-code", SETTINGS),
        ("claude-code", ".mcp.json"),
        ("claude-code", ".claude/skills/novel-gate/SKILL.md"),
        ("claude-code", USER),
        ("codex", CODEX_HOOKS),
        ("codex", ".codex/config.toml"),
        ("codex", ".codex/rules/novel-gate.rules"),
        ("codex", CODEX_USER),
        ("gemini", ".gemini/settings.json"),
        ("opencode", OPENCODE),
    ];
    for (name, path) in unreadable {
        for is_link in [false, true] {
            let book = wired(name, &["--mcp"]);
            let place = book.path(path);
            let _ = fs::remove_file(&place);
            fs::create_dir_all(place.parent().expect("around it")).expect("made");
            if is_link && !path.starts_with("..") {
                book.put("../elsewhere", "{}");
                crate::system::symlink(book.path("../elsewhere"), &place).expect("a link");
            } else {
                fs::create_dir(&place).expect("a directory");
            }
            let ran = run(&book, &["doctor", "--json"]);
            let said = object(&ran);
            let shown = path.replace("../home", "~");
            assert_eq!(obstacles(client(&said, name)), [("unreadable", &*shown)], "{path}: {said}");
            assert_eq!(ran.code, Some(3));
        }
    }
    // Of a client that is not wired, such a file is named all the same.
    let book = wired("claude-code", &[]);
    fs::create_dir_all(book.path(".codex/hooks.json")).expect("a directory");
    let ran = run(&book, &["doctor"]);
    assert!(ran.stdout.contains("  ! .codex/hooks.json: ") && ran.code == Some(0), "{ran:?}");
}

#[test]
fn who_is_not_wired_gets_one_line_and_nobody_wired_is_an_obstacle() {
    let book = Sandbox::new();
    let ran = run(&book, &["doctor"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (Some(3), 5), "{ran:?}");
    assert!(ran.stdout.contains("Codex: not wired; novel-gate init --for codex --write"), "{ran:?}");
    assert!(ran.stdout.contains("novel-gate init --for gemini --mcp --write"), "{ran:?}");
    // The skill that Codex would share is none of its wiring.
    let book = wired("gemini", &[]);
    let said = object(&run(&book, &["doctor", "--json"]));
    let wired: Vec<bool> = ["claude-code", "codex", "gemini", "opencode"]
        .map(|name| client(&said, name)["wired"] == json!(true))
        .into();
    assert_eq!((wired, &said["code"]), (vec![false, false, true, true], &json!("connected")));
}

/// The hook of a client, called as the client calls it.
fn call(book: &Sandbox, client: &str, call: &Value) -> Ran {
    Running::start_fed(&mut command(book, &["hook", client]), call.to_string().as_bytes()).wait()
}

#[test]
fn each_call_is_heard_and_the_hook_says_nothing_for_it() {
    let book = wired("claude-code,codex", &[]);
    book.put("staging/manifests/a.packet.json", "{\"step\": \"s:a\"}");
    let root = canonicalize(book.root()).expect("the project");
    let said = run(&book, &["doctor"]).stdout;
    assert!(said.contains("never heard by its hook; the last packet was written just now"), "{said}");
    let bash = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": root.join("staging"),
        "session_id": "s-1", "tool_input": {"command": "ls"}});
    let ran = call(&book, "claude-code", &bash);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let heard = |name: &str| client(&object(&run(&book, &["doctor", "--json"])), name)["heard"].clone();
    let first = heard("claude-code")[0].clone();
    assert_eq!(
        (&first["by"], &first["tool"], &first["about"], &first["session"]),
        (&json!("hook"), &json!("Bash"), &json!("ls"), &json!("s-1"))
    );
    assert_eq!(heard("codex"), json!([]), "another client was not heard");
    let write = json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": root,
        "tool_input": {"file_path": root.join("staging/a.md"), "content": "x"}});
    assert_eq!(call(&book, "claude-code", &write).stdout, "");
    assert!(
        run(&book, &["doctor"]).stdout.contains("last heard by its hook just now: Write of staging/a.md")
    );
    // A command counts where a client runs it.
    let wait = |client: Option<&str>| {
        let mut wait = command(&book, &["wait", "s:a", "--timeout", "0s"]);
        if let Some(mark) = client {
            wait.env(mark, "1");
        }
        Running::start(&mut wait).wait();
    };
    wait(None);
    assert_eq!(heard("codex"), json!([]));
    wait(Some("CODEX_THREAD_ID"));
    let codex = heard("codex");
    assert_eq!(
        (&codex[0]["by"], &codex[0]["tool"], &codex[0]["about"]),
        (&json!("command"), &json!("wait"), &json!("s:a"))
    );
    // What the clock cannot have been is a date.
    let file = fs::File::options().append(true).open(heard_file(&book, "codex.command")).expect("the file");
    file.set_modified(SystemTime::now() + Duration::from_hours(24 * 40)).expect("set");
    let said = run(&book, &["doctor"]).stdout;
    let line = said.lines().find(|line| line.contains("last command")).expect("it").to_owned();
    assert!(line.contains(':') && !line.contains("ago") && !line.contains("just now"), "{line}");
    assert!(line.ends_with("(ahead of this clock, which has been set)"), "{line}");
}

fn heard_file(book: &Sandbox, name: &str) -> PathBuf {
    let paths: Value = serde_json::from_str(&run(book, &["paths", "--json"]).stdout).expect("JSON");
    Path::new(paths["state"].as_str().expect("the state")).join("heard").join(name)
}

#[test]
fn a_state_that_cannot_be_written_fails_no_hook() {
    let book = wired("claude-code", &[]);
    book.put("../state", "a file");
    let bash = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": book.root(),
        "tool_input": {"command": "ls"}});
    let mut hook = command(&book, &["hook", "claude-code", "--strict", "--state-dir", "../state"]);
    let ran = Running::start_fed(&mut hook, bash.to_string().as_bytes()).wait();
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let ran = run(&book, &["doctor", "--json", "--state-dir", "../state"]);
    let said = object(&ran);
    assert_eq!((obstacles(client(&said, "claude-code"))[0].0, ran.code), ("no-state", Some(3)), "{said}");
}

#[test]
fn init_says_what_stands_in_the_way_and_not_that_all_is_wired() {
    let book = Sandbox::new();
    book.put(LOCAL, "{\"disableAllHooks\": true}");
    for (args, is_zh) in
        [(&["init"][..], false), (&["init", "--write"], false), (&["init", "--lang", "zh-CN"], true)]
    {
        let said = run(&book, args).stdout;
        let (way, wired) = if is_zh {
            (".claude/settings.local.json:1：disableAllHooks 为 true", "接好：Codex。")
        } else {
            (".claude/settings.local.json:1: disableAllHooks is true", "ired: Codex.")
        };
        assert!(said.contains(way) && said.contains(wired) && !said.contains("Claude Code, Codex"), "{said}");
    }
    let said = object(&run(&book, &["init", "--json", "--for", "claude-code"]));
    assert_eq!(said["message"], "What init writes is there, but something stands in its way.");
    assert!(said["notes"].as_array().is_some_and(|notes| {
        notes.iter().all(|note| !note.as_str().is_some_and(|note| note.starts_with("Wired")))
    }));
    // Somebody else's entry for which the client drops the whole file.
    let book = Sandbox::new();
    book.put(SETTINGS, r#"{"hooks":{"PreToolUse":[{"matcher":{"tools":["Bash"]},"hooks":[{"type":"command","command":"x"}]}]}}"#);
    let said = run(&book, &["init", "--write", "--for", "claude-code"]).stdout;
    assert!(said.contains(".claude/settings.json:1: hooks.PreToolUse[0].matcher is not a text."), "{said}");
    assert!(!said.contains("Wired"), "{said}");
}
