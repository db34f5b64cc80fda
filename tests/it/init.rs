//! `init`, through the built binary: shown first, written only when asked, and nothing of anybody else's.

use crate::system::symlink;
use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Running, Sandbox};

mod called;
mod permitted;
mod shapes;
mod undone;

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
const RULE: &str = "prefix_rule(pattern = [\"novel-gate\", [\"wait\", \"propose\", \"decisions\", \"next\", \"list\", \"check\", \"show\", \"plan\"]], decision = \"allow\")";

/// What Claude Code may run.
fn permission() -> Value {
    let commands = ["wait", "propose", "decisions", "next", "list", "check", "show", "plan"].iter();
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
        "copy its agents/*.md there",
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
    let matcher = "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.+__AskUserQuestion)$";
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], matcher);
    let hooks: Value = serde_json::from_str(&text(&book, CODEX_HOOKS)).expect("JSON");
    let hook = &hooks["hooks"]["PreToolUse"][0];
    assert_eq!(hook["matcher"], "spawn_agent$|^request_user_input$|^apply_patch$|^Bash$");
    assert_eq!(hook["hooks"][0]["command"], "novel-gate hook codex");
    let again = object(&run(&book, ["init", "--json", "--write"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert!(again["notes"][0].as_str().is_some_and(|note| note.starts_with("Wired: Claude Code")), "{again}");
    assert_eq!(settings["permissions"], permission());
    let wired = run(&book, ["init"]);
    assert!(closing(&wired) <= 6 && wired.stdout.contains("novel-gate wait --test"), "{wired:?}");
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
    assert_eq!(notes.len(), 7, "{notes:?}");
}

/// One that runs it already, in another file of the client's, is not joined by a second.
#[test]
fn a_hook_in_another_file_is_seen() {
    let local = ".claude/settings.local.json";
    let group =
        r#"[{"hooks": [{"type": "command", "command": "novel-gate hook claude-code", "timeout": 86400}]}]"#;
    let hook = &*format!(r#"{{"hooks": {{"PreToolUse": {group}, "SubagentStart": {group}}}}}"#);
    let run_it = "type = \"command\"\ntimeout = 90000\ncommand = \"novel-gate hook codex\"\n";
    let toml = &*format!(
        "[[hooks.PreToolUse]]\nmatcher = \"spawn_agent|request_user_input|apply_patch|Bash\"\n[[hooks.PreToolUse.hooks]]\n{run_it}\
         [[hooks.SubagentStart]]\n[[hooks.SubagentStart.hooks]]\n{run_it}"
    );
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
    assert!(text(&book, SETTINGS).contains("/elsewhere hook claude-code"));
    assert!(text(&book, CODEX_HOOKS).contains("apply_patch"));
}

/// An older init allowed every command of the program; what is narrowed is said.
#[test]
fn a_permission_for_every_command_is_narrowed_and_said() {
    let rules = "# mine\n\n# novel-gate begin\nprefix_rule(pattern = [\"novel-gate\"], decision = \"allow\")\n# novel-gate end\n";
    let settings = r#"{"permissions": {"allow": ["Bash(novel-gate *)", "Bash(ls)"], "deny": []}}"#;
    let narrowed = "Its permission was for every command of novel-gate and is narrowed to wait, propose, decisions, next, list, check, show, plan.";
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
#[cfg_attr(windows, ignore = "links need a right of their own there")]
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
#[cfg_attr(windows, ignore = "links need a right of their own there")]
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
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
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

/// As git and editors on Windows leave it.
#[test]
fn a_skill_with_other_line_ends_goes_as_a_whole_and_one_in_another_encoding_is_named() {
    let book = Sandbox::new();
    run(&book, ["init", "--for", "claude-code", "--write"]);
    book.put(SKILL, format!("\u{feff}{}", text(&book, SKILL).replace('\n', "\r\n")));
    assert_eq!(run(&book, ["init", "--undo", "--write"]).code, Some(0));
    assert_eq!(book.read(SKILL), None);
    assert_eq!(run(&book, ["init", "--for", "claude-code", "--write"]).code, Some(0));
    for path in [SKILL, SETTINGS] {
        let wide = format!("\u{feff}{}", text(&book, path));
        book.put(path, wide.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    }
    let doctor = run(&book, ["doctor"]).stdout;
    assert!(doctor.contains("SKILL.md: It is UTF-16: clients read UTF-8."), "{doctor}");
    let undone = run(&book, ["init", "--undo", "--write"]);
    let told = undone.stdout.clone() + &undone.stderr;
    assert!(undone.code == Some(6) && told.contains("It is UTF-16 and not UTF-8"), "{undone:?}");
    assert!(!told.contains("nothing that init wrote"), "{told}");
}
