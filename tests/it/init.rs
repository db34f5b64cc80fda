//! `init`, through the built binary: shown first, written only when asked, and nothing of anybody else's.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Running, Sandbox};

mod permitted;
mod shapes;

const PROGRAM: &str = env!("CARGO_BIN_EXE_novel-gate");
const SKILL: &str = ".claude/skills/novel-gate/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";
const SHARED_SKILL: &str = ".agents/skills/novel-gate/SKILL.md";
const CODEX_HOOKS: &str = ".codex/hooks.json";
const RULES: &str = ".codex/rules/novel-gate.rules";
const AGENTS: &str = "AGENTS.md";
/// What is written for Claude Code and Codex.
const PLAIN: [&str; 5] = [SKILL, SETTINGS, SHARED_SKILL, CODEX_HOOKS, RULES];
/// Everything that can be written.
const ALL: [&str; 9] = [
    SKILL,
    SETTINGS,
    ".mcp.json",
    SHARED_SKILL,
    CODEX_HOOKS,
    RULES,
    ".codex/config.toml",
    ".gemini/settings.json",
    "opencode.json",
];
const EVERYBODY: [&str; 5] = ["init", "--for", "claude-code,codex,gemini,opencode", "--mcp", "--write"];

/// What Codex may run.
const RULE: &str = "prefix_rule(pattern = [\"novel-gate\", [\"wait\", \"next\", \"list\", \"check\", \"show\", \"plan\"]], decision = \"allow\")";

/// What Claude Code may run.
fn permission() -> Value {
    let commands = ["wait", "next", "list", "check", "show", "plan"].iter();
    let rules: Value = commands.map(|command| format!("Bash(novel-gate {command} *)")).collect();
    json!({"allow": rules})
}

/// Without `--state-dir`, which would be written into every file.
fn command<I: AsRef<OsStr>>(book: &Sandbox, args: impl IntoIterator<Item = I>) -> Command {
    let mut command = book.system(PROGRAM);
    command.args(["--lang", "en", "--project"]).arg(book.root()).args(args);
    command
}

fn run<I: AsRef<OsStr>>(book: &Sandbox, args: impl IntoIterator<Item = I>) -> Ran {
    Running::start(&mut command(book, args)).wait()
}

fn object(ran: &Ran) -> Value {
    let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(value["exit"].as_i64(), ran.code.map(i64::from), "{value}");
    value
}

/// Each file's path and what is done with it.
fn actions(value: &Value) -> Vec<(&str, &str)> {
    let files = value["files"].as_array().expect("files").iter();
    files
        .map(|file| (file["path"].as_str().expect("a path"), file["action"].as_str().expect("an action")))
        .collect()
}

fn text(book: &Sandbox, path: &str) -> String {
    String::from_utf8(book.read(path).unwrap_or_else(|| panic!("{path}"))).expect("UTF-8")
}

#[test]
fn everything_is_shown_first_then_written_then_left_alone() {
    let book = Sandbox::new();
    let all = PLAIN.map(|path| (path, "create"));
    let ran = run(&book, ["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert!(ran.stdout.contains("then enter /hooks") && !ran.stdout.contains("PATH has no"), "{ran:?}");
    for words in [
        "SKILL.md: a new file\n    what novel-gate skill prints\n",
        "\"novel-gate hook claude-code\"",
        "\"Bash(novel-gate wait *)\"",
        "To be wired: Claude Code, Codex.",
        "To install them: novel-gate's docs/first-book.md",
        "the same command with --write",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let closing =
        |ran: &Ran| ran.stdout.lines().rev().take_while(|line| !line.starts_with([' ', '.'])).count();
    assert!(closing(&ran) <= 5, "{ran:?}");
    assert_eq!(fs::read_dir(book.root()).expect("read").count(), 0, "nothing is written");
    let planned = object(&run(&book, ["init", "--json"]));
    assert_eq!((&planned["status"], &planned["written"]), (&json!("planned"), &json!(false)));
    assert_eq!(actions(&planned), all);
    let written = object(&run(&book, ["init", "--json", "--write"]));
    assert_eq!((&written["status"], &written["written"]), (&json!("written"), &json!(true)));
    assert_eq!(actions(&written), all);
    for file in planned["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        assert_eq!(text(&book, path), file["text"].as_str().expect("its text"), "shown is written");
    }
    let skill = text(&book, SKILL);
    assert!(skill.starts_with("---\nname: novel-gate\ndescription: "), "{skill}");
    let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    let matcher = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|mcp__.+__AskUserQuestion)$";
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], matcher);
    let hooks: Value = serde_json::from_str(&text(&book, CODEX_HOOKS)).expect("JSON");
    let hook = &hooks["hooks"]["PreToolUse"][0];
    assert_eq!(hook["matcher"], "spawn_agent$|^request_user_input$|^apply_patch$");
    assert_eq!(hook["hooks"][0]["command"], "novel-gate hook codex");
    let again = object(&run(&book, ["init", "--json", "--write"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert!(again["notes"][0].as_str().is_some_and(|note| note.starts_with("Wired: Claude Code")), "{again}");
    assert_eq!(settings["permissions"], permission());
    let wired = run(&book, ["init"]);
    assert!(closing(&wired) <= 5 && wired.stdout.contains("novel-gate wait --test"), "{wired:?}");
    assert!(text(&book, RULES).contains(RULE));
    assert!(actions(&again).iter().all(|(_, action)| *action == "unchanged"));
}

#[test]
fn only_the_executors_that_are_named() {
    let book = Sandbox::new();
    let ran = object(&run(&book, ["init", "--for", "codex", "--write", "--json"]));
    assert_eq!(actions(&ran), [(SHARED_SKILL, "create"), (CODEX_HOOKS, "create"), (RULES, "create")]);
    assert!(!book.path(".claude").exists());
    let ran = object(&run(&book, ["init", "--for", "claude-code", "--for", "codex", "--json"]));
    let wired = [SHARED_SKILL, CODEX_HOOKS, RULES].map(|path| (path, "unchanged"));
    assert_eq!(actions(&ran), [&[(SKILL, "create"), (SETTINGS, "create")][..], &wired].concat());
    let ran = object(&run(&book, ["init", "--for", "gemini,opencode", "--json"]));
    assert_eq!(actions(&ran), [(SHARED_SKILL, "unchanged")]);
    let ran = object(&run(&book, ["init", "--for", "gemini", "--json"]));
    assert_eq!(ran["notes"][0], "Wired: Gemini CLI.");
}

#[test]
fn each_client_gets_its_entry_of_the_server() {
    let book = Sandbox::new();
    let ran = object(&run(&book, EVERYBODY.iter().chain(&["--json"])));
    assert_eq!(actions(&ran), ALL.map(|path| (path, "create")));
    let json = |path: &str| -> Value { serde_json::from_str(&text(&book, path)).expect("JSON") };
    let call = json!({"command": "novel-gate", "args": ["mcp"]});
    assert_eq!(json(".mcp.json"), json!({"mcpServers": {"novel-gate": call}}));
    let gemini = json!({"command": "novel-gate", "args": ["mcp"], "timeout": 86_400_000, "trust": true});
    assert_eq!(json(".gemini/settings.json"), json!({"mcpServers": {"novel-gate": gemini}}));
    let opencode = json!({"type": "local", "command": ["novel-gate", "mcp"], "enabled": true});
    assert_eq!(json("opencode.json"), json!({"mcp": {"novel-gate": opencode}}));
    let codex = "# novel-gate begin\n[mcp_servers.novel-gate]\ncommand = \"novel-gate\"\nargs = [\"mcp\"]\n\
                 tool_timeout_sec = 86400\n# novel-gate end\n";
    assert_eq!(text(&book, ".codex/config.toml"), codex);
    let notes = ran["notes"].as_array().expect("notes");
    assert_eq!(notes.len(), 6, "{notes:?}");
}

#[test]
fn undo_gives_back_what_was_there() {
    let before = [
        (SKILL, None),
        (SETTINGS, Some("{\n    \"model\": \"x\",\n    \"hooks\": {}\n}\n")),
        (".mcp.json", Some("{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}")),
        (".codex/config.toml", Some("model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"")),
        (CODEX_HOOKS, Some("{}\n")),
        (".gemini/settings.json", Some("\u{feff}{\n  \"a\": 1\n}\n")),
        ("opencode.json", Some("// Mine.\r\n{\r\n\t\"mcp\": {\r\n\t\t\"x\": {}, // off\r\n\t},\r\n}\r\n")),
        (".claude/keep.md", Some("")),
    ];
    let book = Sandbox::new();
    for (path, content) in before {
        if let Some(content) = content {
            book.put(path, content);
        }
    }
    assert_eq!(run(&book, EVERYBODY).code, Some(0));
    for path in ALL {
        assert!(text(&book, path).contains("novel-gate"), "{path}");
    }
    let shown = run(&book, ["init", "--undo"]);
    assert!(
        shown.stdout.contains("the same command with --write")
            && shown.stdout.contains(": the whole file goes"),
        "{shown:?}"
    );
    assert!(shown.stdout.lines().count() <= 10, "no bodies: {shown:?}");
    let planned = object(&run(&book, ["init", "--undo", "--json"]));
    assert_eq!((&planned["status"], &planned["notes"]), (&json!("planned"), &json!([])));
    assert!(book.path(SKILL).exists(), "nothing is done yet");
    let undone = object(&run(&book, ["init", "--undo", "--write", "--json"]));
    assert_eq!((&undone["status"], &undone["written"]), (&json!("written"), &json!(true)));
    assert!(actions(&undone).iter().all(|(_, action)| ["remove", "delete"].contains(action)), "{undone}");
    for (path, content) in before {
        let left = book.path(path).exists().then(|| text(&book, path));
        assert_eq!(left.as_deref(), content, "{path}");
    }
    for gone in [".claude/skills", ".agents", ".codex/rules"] {
        assert!(!book.path(gone).exists(), "{gone}");
    }
    let again = object(&run(&book, ["init", "--undo", "--write", "--json"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert_eq!(run(&book, ["init", "--undo", "--mcp"]).code, Some(2));
}

#[test]
fn undo_takes_only_the_client_that_is_named() {
    let book = Sandbox::new();
    assert_eq!(run(&book, EVERYBODY).code, Some(0));
    let ran = object(&run(&book, ["init", "--undo", "--for", "opencode", "--write", "--json"]));
    let gone: Vec<_> = actions(&ran).into_iter().filter(|(_, action)| *action != "unchanged").collect();
    assert_eq!(gone, [(SHARED_SKILL, "delete"), ("opencode.json", "delete")]);
    assert!(book.path(SKILL).exists() && book.path(CODEX_HOOKS).exists());
}

#[test]
fn undo_takes_out_what_was_changed_and_names_what_it_leaves() {
    let book = Sandbox::new();
    book.put(
        ".codex/config.toml",
        "[mcp_servers.novel-gate]\ncommand = \"/mine/novel-gate\"\nargs = [\"mcp\"]\n",
    );
    book.put(
        ".mcp.json",
        "{\"mcpServers\": {\"novel-gate\": {\"command\": \"./novel-gate\", \"args\": [\"mcp\"]}}}",
    );
    assert_eq!(run(&book, ["init", "--mcp", "--write"]).code, Some(0));
    let changed =
        text(&book, SETTINGS).replace("86400", "5").replace("claude-code\"", "claude-code --strict\"");
    book.put(SETTINGS, changed.as_str());
    let shown = run(&book, ["init", "--undo"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{shown:?}");
    assert!(
        !shown.stdout.contains("PreToolUse") && shown.stdout.lines().count() <= 10,
        "no bodies: {shown:?}"
    );
    assert_eq!(text(&book, SETTINGS), changed, "it is a preview");
    let ran = run(&book, ["init", "--undo", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in
        [".mcp.json: It runs novel-gate otherwise", ".codex/config.toml: It runs novel-gate otherwise"]
    {
        assert!(ran.stdout.contains(words), "{ran:?}");
    }
    assert!(PLAIN.iter().all(|path| !book.path(path).exists()));
    assert!(ran.stdout.contains("Everything else that init wrote is gone."), "{ran:?}");
    assert!(
        text(&book, ".codex/config.toml").contains("/mine/")
            && text(&book, ".mcp.json").contains("./novel-gate")
    );
}

/// What cannot be judged holds up nothing else.
#[test]
fn undo_does_what_it_can() {
    let book = Sandbox::new();
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    let broken = text(&book, SETTINGS).replacen('{', "{,", 1);
    book.put(SETTINGS, broken.as_str());
    let ran = object(&run(&book, ["init", "--undo", "--write", "--json"]));
    assert_eq!((&ran["exit"], &ran["status"], &ran["written"]), (&json!(6), &json!("refused"), &json!(true)));
    assert_eq!(text(&book, SETTINGS), broken);
    assert!(!book.path(SKILL).exists() && !book.path(RULES).exists());
}

/// One that runs it already, in another file of the client's, is not joined by a second.
#[test]
fn a_hook_in_another_file_is_seen() {
    let local = ".claude/settings.local.json";
    let hook = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"novel-gate hook claude-code\", \"timeout\": 86400}]}]}}";
    let toml = "[[hooks.PreToolUse]]\nmatcher = \"spawn_agent|request_user_input|apply_patch\"\n[[hooks.PreToolUse.hooks]]\n\
                type = \"command\"\ntimeout = 90000\ncommand = \"novel-gate hook codex\"\n";
    let book = Sandbox::new();
    book.put(local, hook);
    book.put(".codex/config.toml", toml);
    let ran = run(&book, ["init", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in [
        &format!("{SETTINGS}: {local} has novel-gate already"),
        ".codex/hooks.json: .codex/config.toml has novel-gate already",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    assert_eq!(settings, json!({"permissions": permission()}), "the permission alone");
    assert!(!book.path(CODEX_HOOKS).exists());
    let undone = run(&book, ["init", "--undo", "--write"]);
    assert!(undone.code == Some(0) && undone.stdout.contains(local), "{undone:?}");
    assert_eq!((text(&book, local).as_str(), text(&book, ".codex/config.toml").as_str()), (hook, toml));
    // One that leaves tools out, or what is asked for, is not enough.
    book.put(".codex/config.toml", toml.replace("|apply_patch", ""));
    assert_eq!(run(&book, ["init", "--state-dir", "/elsewhere", "--write"]).code, Some(0));
    assert!(text(&book, SETTINGS).contains("--state-dir /elsewhere hook claude-code"));
    assert!(text(&book, CODEX_HOOKS).contains("apply_patch"));
}

#[test]
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
    assert!(allowed.matches("/other").count() == 6 && !allowed.contains("my '"), "{allowed}");
    let flags = format!("[\"novel-gate\", \"--state-dir\", \"{}\", [\"wait\"", book.path("other").display());
    assert!(text(&book, RULES).contains(&flags), "{}", text(&book, RULES));
    assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
    assert!(ALL.iter().all(|path| !book.path(path).exists()));
}

/// An older init allowed every command of the program; what is narrowed is said.
#[test]
fn a_permission_for_every_command_is_narrowed_and_said() {
    let rules = "# mine\n\n# novel-gate begin\nprefix_rule(pattern = [\"novel-gate\"], decision = \"allow\")\n# novel-gate end\n";
    let settings = r#"{"permissions": {"allow": ["Bash(novel-gate *)", "Bash(ls)"], "deny": []}}"#;
    let narrowed = "Its permission was for every command of novel-gate and is narrowed to wait, next, list, check, show, plan.";
    let book = Sandbox::new();
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    assert!(!run(&book, ["init"]).stdout.contains("narrowed"));
    book.put(SETTINGS, settings);
    book.put(RULES, rules);
    let shown = run(&book, ["init"]);
    assert_eq!(shown.stdout.matches(narrowed).count(), 2, "{shown:?}");
    assert_eq!(text(&book, SETTINGS), settings, "only shown");
    let written = run(&book, ["init", "--write"]);
    assert_eq!(written.stdout.matches(narrowed).count(), 2, "{written:?}");
    let json: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    let allowed = [&[json!("Bash(ls)")][..], permission()["allow"].as_array().expect("rules")].concat();
    assert_eq!(json["permissions"], json!({"allow": allowed, "deny": []}));
    assert_eq!(text(&book, RULES), format!("# mine\n\n# novel-gate begin\n{RULE}\n# novel-gate end\n"));
    assert_eq!(object(&run(&book, ["init", "--json"]))["status"], "unchanged");
    // The old ones go as well.
    book.put(SETTINGS, settings);
    book.put(RULES, rules);
    assert!(!run(&book, ["init", "--undo"]).stdout.contains("narrowed"));
    assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
    let json: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    assert_eq!(json, json!({"permissions": {"allow": ["Bash(ls)"], "deny": []}}));
    assert_eq!(text(&book, RULES), "# mine\n");
    // What the author has said elsewhere stays, and is named.
    book.put(".claude/settings.local.json", settings);
    let ran = run(&book, ["init", "--write"]);
    assert!(
        ran.stdout.contains(".claude/settings.local.json allows every command of novel-gate."),
        "{ran:?}"
    );
    assert_eq!(text(&book, ".claude/settings.local.json"), settings);
    assert!(text(&book, SETTINGS).contains("Bash(novel-gate wait *)"));
}

#[test]
fn a_directory_that_is_no_project_is_refused() {
    let book = Sandbox::new();
    let mut outside = book.system(PROGRAM);
    let ran = Running::start(outside.args(["--lang", "en", "init", "--write"]).current_dir(book.temporary()))
        .wait();
    assert!(ran.code == Some(2) && ran.stderr.contains("No project here"), "{ran:?}");
}

#[test]
fn the_executors_own_skill_and_agents_are_found() {
    let book = Sandbox::new();
    book.put("skills/cli-step/SKILL.md", "x");
    book.put(".claude/agents/plot-architect.md", "x");
    let ran = run(&book, ["init"]);
    assert!(
        ran.stdout.contains("Found skills/cli-step/SKILL.md") && !ran.stdout.contains("No agent is in"),
        "{ran:?}"
    );
}

/// Copied by another process: a child that another test starts meanwhile would keep the file open for writing, and busy.
fn copy_program(book: &Sandbox, place: &Path) {
    let copied = book.system("cp").arg(PROGRAM).arg(place).status();
    assert!(copied.expect("cp").success());
}

/// The shell of the hook reads the path as it is, whatever is in it.
#[test]
fn a_program_is_named_by_its_path_as_a_shell_reads_it() {
    for name in ["书 房", "a:b", "o'brien \"x\"", "$HOME;&|`", "～全角　空格", "-dash", "~"] {
        let book = Sandbox::new();
        fs::create_dir(book.path(name)).expect("a directory");
        let program = book.path(name).join("novel-gate");
        copy_program(&book, &program);
        let mut init = book.system(program.to_str().expect("UTF-8"));
        let ran =
            Running::start(init.arg("--project").arg(book.root()).args(["init", "--absolute", "--write"]))
                .wait();
        assert_eq!(ran.code, Some(0), "{ran:?}");
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
    let matcher = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|mcp__.+__AskUserQuestion)$";
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
            json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}, {"matcher": matcher, "hooks": [hook]}]}})
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

/// A program of another name, and one that a link leads to, such as a package manager's, which moves with each version.
#[test]
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

#[test]
fn what_is_there_stays_around_it() {
    let book = Sandbox::new();
    let settings = "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [ 1.50 ]\n    }\n}\n";
    book.put(SETTINGS, settings);
    let ran = run(&book, ["init", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let new = text(&book, SETTINGS);
    assert!(new.starts_with(&settings[..settings.find("\n    }").expect("its end")]), "{new}");
    assert!(new.ends_with("\n    }\n}\n"), "{new}");
    assert!(!book.path(AGENTS).exists());
    // An older text between the marks is replaced, words around them stay.
    let skill = text(&book, SKILL);
    let mine = skill.replace("name: novel-gate", "name: gates").replace("# Gates", "# Old gates")
        + "\nMy own words.\n";
    book.put(SKILL, &mine);
    let ran = object(&run(&book, ["init", "--write", "--json"]));
    let rest = [SETTINGS, SHARED_SKILL, CODEX_HOOKS, RULES].map(|path| (path, "unchanged"));
    assert_eq!(actions(&ran), [&[(SKILL, "update")][..], &rest].concat());
    assert_eq!(text(&book, SKILL), skill.replace("name: novel-gate", "name: gates") + "\nMy own words.\n");
    let ran = object(&run(&book, ["init", "--write", "--json", "--lang", "zh-CN", "--for", "codex"]));
    assert_eq!(actions(&ran)[0], (SHARED_SKILL, "update"), "in the author's language");
}

#[test]
fn what_is_not_ours_is_refused_and_then_nothing_is_written() {
    // To take them apart would need gigabytes.
    let long_json = format!("{{\"a\": [{}1]}}", "1,".repeat(1 << 19));
    let long_toml = format!("a = [{}1]", "1,".repeat(1 << 19));
    for (path, content, exit, words) in [
        (SETTINGS, long_json.as_str(), 6, "It is larger than 1 MiB."),
        (".codex/config.toml", long_toml.as_str(), 6, "It is larger than 1 MiB."),
        (SKILL, "---\nname: mine\n---\n", 6, "not novel-gate's"),
        (SKILL, "\u{feff}", 6, "not novel-gate's"),
        (".mcp.json", "{\"mcpServers\": []}", 6, "Its mcpServers is not an object"),
        (
            ".mcp.json",
            "{\"mcpServers\": {\"novel-gate\": {\"command\": \"python\"}}}",
            6,
            "runs something else",
        ),
        (".codex/config.toml", "[mcp_servers.novel-gate]\ncommand = \"python\"\n", 6, "runs something else"),
        (SHARED_SKILL, "<!-- novel-gate end -->\n<!-- novel-gate begin -->\n", 6, "or neither"),
    ] {
        let book = Sandbox::new();
        book.put(path, content);
        let ran = run(&book, ["init", "--mcp", "--write"]);
        assert_eq!(ran.code, Some(exit), "{ran:?}");
        // The refused file alone, and the reason last.
        assert_eq!(ran.stdout, "Nothing was written. Mend this, then run init again:\n");
        assert!(ran.stderr.contains(words) && ran.stderr.lines().count() == 1, "{ran:?}");
        assert_eq!(text(&book, path), content);
        let others = ALL.into_iter().filter(|other| *other != path);
        assert!(others.into_iter().all(|other| !book.path(other).exists()));
        let ran = object(&run(&book, ["init", "--mcp", "--write", "--json"]));
        assert_eq!((&ran["status"], &ran["code"]), (&json!("refused"), &json!("not-ours")));
        let file =
            ran["files"].as_array().expect("files").iter().find(|file| file["path"] == path).expect("it");
        assert_eq!(file["action"], "refused");
        assert!(file["reason"].as_str().is_some_and(|reason| reason.contains(words)), "{file}");
    }
}

/// What a project brings along is looked at, but nothing that its links lead to.
#[test]
fn whether_agents_are_there_is_not_looked_for_outside() {
    let no_agent = "No agent is in .claude/agents yet";
    let book = Sandbox::new();
    book.put("../outside/a.md", "");
    fs::create_dir(book.path(".claude")).expect("a directory");
    symlink("../../outside", book.path(".claude/agents")).expect("a link");
    assert!(run(&book, ["init"]).stdout.contains(no_agent));
    fs::remove_file(book.path(".claude/agents")).expect("removed");
    book.put(".claude/agents/a.md", "");
    assert!(!run(&book, ["init"]).stdout.contains(no_agent));
    // In the home directory they are the author's own.
    let book = Sandbox::new();
    book.put("../outside/a.md", "");
    book.put("../home/.claude/keep", "");
    symlink("../../outside", book.path("../home/.claude/agents")).expect("a link");
    assert!(!run(&book, ["init"]).stdout.contains(no_agent));
}

#[test]
fn nothing_is_written_outside_the_project() {
    let book = Sandbox::new();
    fs::create_dir(book.path("../outside")).expect("a directory");
    symlink("../outside", book.path(".claude")).expect("a link");
    let ran = object(&run(&book, ["init", "--write", "--json"]));
    assert_eq!((ran["exit"].as_i64(), &ran["code"]), (Some(5), &json!("refused")));
    assert_eq!(fs::read_dir(book.path("../outside")).expect("read").count(), 0);
    assert!(!book.path(CODEX_HOOKS).exists());
    // A link that stays inside is followed, and stays a link.
    fs::remove_file(book.path(".claude")).expect("removed");
    book.put("docs/claude/keep.md", "");
    symlink("docs/claude", book.path(".claude")).expect("a link");
    assert_eq!(run(&book, ["init", "--write"]).code, Some(0));
    assert!(book.path(".claude").is_symlink());
    assert!(text(&book, "docs/claude/settings.json").contains("novel-gate hook"));
}

#[test]
fn on_a_terminal_its_sentences_end_between_words() {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    let line = format!("exec '{PROGRAM}' --lang en init --for claude-code --write");
    let mut terminal = book.system_on_terminal(&["sh", "-c", &line], 40, 24);
    assert_eq!(terminal.wait_exit().code, Some(0));
    let screen = terminal.screen_text();
    let whole =
        "Claude Code: when it starts, trust the\ndirectory. Until then it runs no hook of\nthe project.\n";
    assert!(screen.contains(whole), "{screen}");
}
