//! What the program is called in the commands that are written, and whose a command is.

use super::{
    ALL, CODEX_HOOKS, EVERYBODY, PLAIN, PROGRAM, RULES, SETTINGS, SHARED_SKILL, SKILL, actions, command,
    object, run, text,
};
use crate::sandbox::{Running, Sandbox};
use crate::system::symlink;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

#[test]
#[cfg_attr(windows, ignore = "a path is another word there, which `text::shell` tests")]
fn the_state_directory_is_written_into_every_command() {
    let book = Sandbox::new();
    let ran = run(&book, EVERYBODY.iter().chain(&["--state-dir", "my 'state'"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = book.path("my 'state'");
    let (dir, quoted) = (dir.to_str().expect("UTF-8"), dir.to_str().expect("UTF-8").replace('\'', "'\\''"));
    let json = |path: &str| -> Value { serde_json::from_str(&text(&book, path)).expect("JSON") };
    let hook = format!("novel-gate --state-dir '{quoted}' hook claude-code");
    assert_eq!(json(SETTINGS)["hooks"]["PreToolUse"][0]["hooks"][0]["command"], hook.as_str());
    assert_eq!(json(".mcp.json")["mcpServers"]["novel-gate"]["args"], json!(["--state-dir", dir, "mcp"]));
    assert_eq!(
        json("opencode.json")["mcp"]["novel-gate"]["command"],
        json!(["novel-gate", "--state-dir", dir, "mcp"])
    );
    assert!(
        text(&book, ".codex/config.toml").contains(&format!("args = [\"--state-dir\", \"{dir}\", \"mcp\"]"))
    );
    assert!(text(&book, SHARED_SKILL).contains(&format!("`novel-gate --state-dir '{quoted}' wait PACKET")));
    // One that is there with another, or without, is renewed.
    assert_eq!(object(&run(&book, ["init", "--state-dir", "my 'state'", "--json"]))["status"], "unchanged");
    let ran = object(&run(&book, EVERYBODY.iter().chain(&["--state-dir", "other", "--json"])));
    assert!(actions(&ran).iter().all(|(_, action)| *action == "update"), "{ran}");
    assert!(PLAIN.iter().chain(&ALL).all(|path| text(&book, path).contains("/other")));
    let allowed = json(SETTINGS)["permissions"]["allow"].to_string();
    assert!(allowed.matches("/other").count() == 8 && !allowed.contains("my '"), "{allowed}");
    let flags = format!("[\"novel-gate\", \"--state-dir\", \"{}\", [\"wait\"", book.path("other").display());
    assert!(text(&book, RULES).contains(&flags), "{}", text(&book, RULES));
    assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
    assert!(ALL.iter().all(|path| !book.path(path).exists()));
}

/// Copied by another process: a child that another test starts meanwhile would keep the file open for writing, and busy.
fn copy_program(book: &Sandbox, place: &Path) {
    let copied = book.system("cp").arg(PROGRAM).arg(place).status();
    assert!(copied.expect("cp").success());
}

/// The shell of the hook reads the path as it is, whatever is in it.
#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn a_program_is_named_by_its_path_as_a_shell_reads_it() {
    for name in ["书 房", "a:b", "o'brien \"x\"", "$HOME;&|`", "～全角　空格", "-dash", "~"] {
        let book = Sandbox::new();
        fs::create_dir(book.path(name)).expect("a directory");
        let program = book.path(name).join("novel-gate");
        copy_program(&book, &program);
        let by_itself = |line: &[&str]| {
            let mut command = book.system(program.to_str().expect("UTF-8"));
            Running::start(command.arg("--project").arg(book.root()).args(line)).wait()
        };
        let init = ["init", "--absolute", "--mcp", "--for", "claude-code,gemini,opencode", "--json"];
        let ran = by_itself(&[&init[..], &["--write"]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(object(&by_itself(&init))["status"], "unchanged", "{name}");
        let said = by_itself(&["doctor", "--lang", "en"]).stdout;
        assert!(said.contains("permission: .claude/settings.json:") && !said.contains("\n  ! "), "{said}");
        let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
        let command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a command");
        let mut shell = book.system("/bin/sh");
        let ran = Running::start_fed(shell.args(["-c", command]).env("PATH", "/nowhere"), b"{}").wait();
        assert!(ran.code == Some(0) && ran.stderr.contains("PreToolUse call"), "{command}: {ran:?}");
        assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
        assert!(!book.path(SETTINGS).exists());
    }
}

/// A command that only speaks of the program is no hook of ours, for init and for undo.
#[test]
fn a_hook_is_ours_if_its_command_starts_with_the_program() {
    for foreign in [
        "echo novel-gate hook claude-code",
        "# novel-gate hook claude-code",
        "/home/me/log.sh novel-gate hook claude-code",
        "novel-gate list # hook claude-code",
        "novel-gate --lang en check x hook claude-code",
    ] {
        let book = Sandbox::new();
        let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": foreign}]});
        book.put(SETTINGS, json!({"hooks": {"PreToolUse": [hook]}}).to_string());
        assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
        assert!(text(&book, SETTINGS).contains("\"novel-gate hook claude-code\""), "{foreign}");
        let ran = run(&book, ["init", "--undo", "--write"]);
        assert!(ran.stdout.contains("What init wrote is gone."), "{ran:?}");
        let left: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
        assert_eq!(left, json!({"hooks": {"PreToolUse": [hook]}}));
    }
}

/// What its author has added to its command stays.
#[test]
fn a_hook_of_init_that_is_run_for_less_is_renewed() {
    let matcher = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+__AskUserQuestion)$";
    for (command, own, timeout, is_renewed) in [
        ("novel-gate hook claude-code --strict", "Bash", 86_400, true),
        ("'/o p/novel-gate' --state-dir s hook claude-code", "AskUserQuestion|Agent", 86_400, true),
        ("novel-gate hook claude-code", matcher, 600, true),
        ("novel-gate hook claude-code", "MyAgent|Writer", 86_400, true),
        ("novel-gate hook claude-code", "*", 86_400, false),
        ("novel-gate hook claude-code", matcher, 90_000, false),
    ] {
        let book = Sandbox::new();
        let hook = |matcher: &str, timeout: u64| {
            let hook = json!({"type": "command", "command": command, "timeout": timeout, "x": 1});
            let start = json!({"type": "command", "command": command, "timeout": 86_400});
            json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}, {"matcher": matcher, "hooks": [hook]}],
                "SubagentStart": [{"hooks": [start]}]}})
        };
        book.put(SETTINGS, hook(own, timeout).to_string());
        let shown = run(&book, ["init"]);
        assert_eq!(
            shown.stdout.contains("settings.json: novel-gate's part is renewed"),
            is_renewed,
            "{shown:?}"
        );
        assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
        let mut settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
        settings.as_object_mut().expect("settings").remove("permissions");
        assert_eq!(settings, if is_renewed { hook(matcher, 86_400) } else { hook(own, timeout) });
    }
    // One of an init that knew no hook of agents that start gets it.
    let book = Sandbox::new();
    let hook = json!({"type": "command", "command": "novel-gate hook claude-code", "timeout": 86_400});
    book.put(SETTINGS, json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}).to_string());
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    assert_eq!(settings["hooks"]["SubagentStart"], json!([{"matcher": "*", "hooks": [hook]}]));
    // Beside hooks of others in one group, it gets a group of its own.
    let book = Sandbox::new();
    let other = json!({"type": "command", "command": "x"});
    let ours = json!({"type": "command", "command": "novel-gate hook claude-code"});
    let group = |hooks: &[&Value]| json!({"matcher": "Bash", "hooks": hooks});
    book.put(SETTINGS, json!({"hooks": {"PreToolUse": [group(&[&other, &ours])]}}).to_string());
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    let groups = &settings["hooks"]["PreToolUse"];
    assert_eq!((&groups[0], &groups[1]["matcher"]), (&group(&[&other]), &json!(matcher)));
}

/// Before commands of a shell were judged.
#[test]
fn a_hook_that_does_not_know_the_shell_is_renewed_and_goes_again() {
    let book = Sandbox::new();
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    let fresh = [SETTINGS, CODEX_HOOKS].map(|path| text(&book, path));
    let put_old = || {
        for (path, fresh) in [SETTINGS, CODEX_HOOKS].iter().zip(&fresh) {
            let old = fresh.replace("|Bash|", "|").replace("|^Bash$", "");
            assert_ne!(old, *fresh);
            book.put(path, old);
        }
    };
    put_old();
    let shown = run(&book, ["init"]);
    for path in [SETTINGS, CODEX_HOOKS] {
        assert!(shown.stdout.contains(&format!("{path}: novel-gate's part is renewed")), "{shown:?}");
    }
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    assert_eq!([SETTINGS, CODEX_HOOKS].map(|path| text(&book, path)), fresh);
    put_old();
    assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
    assert!(PLAIN.iter().all(|path| !book.path(path).exists()));
}

/// A program of another name, and one that a link leads to, such as a package manager's, which moves with each version.
#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn the_path_that_is_written_is_the_one_that_was_called_and_goes_again() {
    let book = Sandbox::new();
    book.put("../cellar/0.1.0/keep", "");
    book.put("../bin/keep", "");
    let cellar = book.path("../cellar/0.1.0/novel-gate");
    copy_program(&book, &cellar);
    for name in ["novel-gate", "ng"] {
        let link = book.path("../bin").canonicalize().expect("there").join(name);
        symlink(cellar.canonicalize().expect("there"), &link).expect("a link");
        for called in [name, link.to_str().expect("UTF-8")] {
            let run = |arguments: &[&str]| {
                let mut command = book.system(called);
                command.env("PATH", link.parent().expect("a directory")).args(["--lang", "en"]);
                Running::start(command.arg("--project").arg(book.root()).args(arguments)).wait()
            };
            let ran = run(&["init", "--absolute", "--mcp", "--write"]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
            let command = format!("{} hook claude-code", link.display());
            assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"], command);
            assert!(run(&["init", "--absolute", "--mcp"]).stdout.contains("Wired: Claude Code"));
            let ran = run(&["init", "--undo", "--write"]);
            assert!(ran.stdout.contains("What init wrote is gone."), "{ran:?}");
            assert!(ALL.iter().all(|path| !book.path(path).exists()), "{called}: {ran:?}");
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "a path is another word there, which `text::shell` tests")]
fn a_program_that_is_not_in_path_is_said_and_can_be_named_by_its_path() {
    let book = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = command(&book, arguments);
        Running::start(command.env("PATH", "/nowhere")).wait()
    };
    let said = run(&["init"]);
    assert!(said.stdout.contains("PATH has no novel-gate") && said.stdout.contains(PROGRAM), "{said:?}");
    assert!(said.stdout.contains("init --absolute"), "{said:?}");
    let written = run(&["init", "--absolute", "--mcp", "--write"]);
    assert!(written.code == Some(0) && !written.stdout.contains("PATH has no"), "{written:?}");
    for path in [SKILL, SETTINGS, ".mcp.json", SHARED_SKILL, CODEX_HOOKS, RULES, ".codex/config.toml"] {
        assert!(text(&book, path).contains(PROGRAM), "{path}");
    }
    assert_eq!(run(&["init", "--undo", "--write"]).code, Some(0));
    assert!(ALL.iter().all(|path| !book.path(path).exists()));
}
