//! `init`, through the built binary: shown first, written only when asked, and nothing of anybody else's.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Running, Sandbox};

const SKILL: &str = ".claude/skills/novel-gate/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";
const AGENTS: &str = "AGENTS.md";
const CODEX_HOOKS: &str = ".codex/hooks.json";
/// What is written for Claude Code and Codex.
const PLAIN: [&str; 4] = [SKILL, SETTINGS, AGENTS, CODEX_HOOKS];
/// Everything that can be written.
const ALL: [&str; 10] = [
    SKILL,
    SETTINGS,
    ".mcp.json",
    AGENTS,
    CODEX_HOOKS,
    ".codex/config.toml",
    ".gemini/skills/novel-gate/SKILL.md",
    ".gemini/settings.json",
    ".opencode/skills/novel-gate/SKILL.md",
    "opencode.json",
];
const EVERYBODY: [&str; 5] = ["init", "--for", "claude-code,codex,gemini,opencode", "--mcp", "--write"];

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
    let ran = book.run(["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert!(ran.stdout.contains("enter /hooks in Codex") && !ran.stdout.contains("PATH has no"), "{ran:?}");
    for words in
        ["SKILL.md: would be created", "\"novel-gate hook claude-code\"", "request_user_input", "--write"]
    {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert_eq!(fs::read_dir(book.root()).expect("read").count(), 0, "nothing is written");
    let planned = object(&book.run(["init", "--json"]));
    assert_eq!((&planned["status"], &planned["written"]), (&json!("planned"), &json!(false)));
    assert_eq!(actions(&planned), all);
    let written = object(&book.run(["init", "--json", "--write"]));
    assert_eq!((&written["status"], &written["written"]), (&json!("written"), &json!(true)));
    assert_eq!(actions(&written), all);
    for file in planned["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        assert_eq!(text(&book, path), file["text"].as_str().expect("its text"), "shown is written");
    }
    let skill = text(&book, SKILL);
    assert!(skill.starts_with("---\nname: novel-gate\ndescription: "), "{skill}");
    let settings: Value = serde_json::from_str(&text(&book, SETTINGS)).expect("JSON");
    let matcher =
        "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|NotebookEdit|mcp__.+__AskUserQuestion)$";
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], matcher);
    let hooks: Value = serde_json::from_str(&text(&book, CODEX_HOOKS)).expect("JSON");
    let hook = &hooks["hooks"]["PreToolUse"][0];
    assert_eq!(hook["matcher"], "spawn_agent$|^request_user_input$|^apply_patch$");
    assert_eq!(hook["hooks"][0]["command"], "novel-gate hook codex");
    let again = object(&book.run(["init", "--json", "--write"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert_eq!(again["notes"], json!([]));
    assert!(actions(&again).iter().all(|(_, action)| *action == "unchanged"));
}

#[test]
fn only_the_executors_that_are_named() {
    let book = Sandbox::new();
    let ran = object(&book.run(["init", "--for", "codex", "--write", "--json"]));
    assert_eq!(actions(&ran), [(AGENTS, "create"), (CODEX_HOOKS, "create")]);
    assert!(!book.path(".claude").exists());
    let ran = object(&book.run(["init", "--for", "claude-code", "--for", "codex", "--json"]));
    let wanted = [(SKILL, "create"), (SETTINGS, "create"), (AGENTS, "unchanged"), (CODEX_HOOKS, "unchanged")];
    assert_eq!(actions(&ran), wanted);
    let ran = object(&book.run(["init", "--for", "gemini,opencode", "--json"]));
    assert_eq!(actions(&ran), [(ALL[6], "create"), (ALL[8], "create")]);
}

#[test]
fn each_client_gets_its_entry_of_the_server() {
    let book = Sandbox::new();
    let ran = object(&book.run(EVERYBODY.iter().chain(&["--json"])));
    assert_eq!(actions(&ran), ALL.map(|path| (path, "create")));
    let json = |path: &str| -> Value { serde_json::from_str(&text(&book, path)).expect("JSON") };
    let call = json!({"command": "novel-gate", "args": ["mcp"]});
    assert_eq!(json(".mcp.json"), json!({"mcpServers": {"novel-gate": call}}));
    let gemini = json!({"command": "novel-gate", "args": ["mcp"], "timeout": 86_400_000, "trust": true});
    assert_eq!(json(".gemini/settings.json"), json!({"mcpServers": {"novel-gate": gemini}}));
    let opencode = json!({"type": "local", "command": ["novel-gate", "mcp"], "enabled": true});
    assert_eq!(json("opencode.json")["mcp"], json!({"novel-gate": opencode}));
    let codex = "# novel-gate begin\n[mcp_servers.novel-gate]\ncommand = \"novel-gate\"\nargs = [\"mcp\"]\n\
                 tool_timeout_sec = 86400\n# novel-gate end\n";
    assert_eq!(text(&book, ".codex/config.toml"), codex);
    let notes = ran["notes"].as_array().expect("notes");
    assert_eq!(notes.len(), 4, "{notes:?}");
}

#[test]
fn undo_gives_back_what_was_there() {
    let before = [
        (SKILL, None),
        (SETTINGS, Some("{\n    \"model\": \"x\",\n    \"hooks\": {}\n}\n")),
        (".mcp.json", Some("{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}")),
        (AGENTS, Some("# Rules\r\n\r\nBe kind.")),
        (".codex/config.toml", Some("model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"")),
        (CODEX_HOOKS, Some("")),
        (".gemini/settings.json", Some("{ }\n")),
        ("opencode.json", Some("// Mine.\r\n{\r\n\t\"mcp\": {\r\n\t\t\"x\": {}, // off\r\n\t},\r\n}\r\n")),
        (".claude/keep.md", Some("")),
    ];
    let book = Sandbox::new();
    for (path, content) in before {
        if let Some(content) = content {
            book.put(path, content);
        }
    }
    assert_eq!(book.run(EVERYBODY).code, Some(0));
    for path in ALL {
        assert!(text(&book, path).contains("novel-gate"), "{path}");
    }
    let shown = book.run(["init", "--undo"]);
    assert!(
        shown.stdout.contains("--write writes it") && shown.stdout.contains(": would be deleted"),
        "{shown:?}"
    );
    let planned = object(&book.run(["init", "--undo", "--json"]));
    assert_eq!((&planned["status"], &planned["notes"]), (&json!("planned"), &json!([])));
    assert!(book.path(SKILL).exists(), "nothing is done yet");
    let undone = object(&book.run(["init", "--undo", "--write", "--json"]));
    assert_eq!((&undone["status"], &undone["written"]), (&json!("written"), &json!(true)));
    assert!(actions(&undone).iter().all(|(_, action)| ["remove", "delete"].contains(action)), "{undone}");
    for (path, content) in before {
        let left = book.path(path).exists().then(|| text(&book, path));
        assert_eq!(left.as_deref(), content, "{path}");
    }
    for gone in [".claude/skills", ".opencode", ".gemini/skills"] {
        assert!(!book.path(gone).exists(), "{gone}");
    }
    let again = object(&book.run(["init", "--undo", "--write", "--json"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert_eq!(book.run(["init", "--undo", "--mcp"]).code, Some(2));
}

#[test]
fn undo_takes_only_the_client_that_is_named_and_nothing_of_the_authors() {
    let book = Sandbox::new();
    assert_eq!(book.run(EVERYBODY).code, Some(0));
    let ran = object(&book.run(["init", "--undo", "--for", "opencode", "--write", "--json"]));
    assert_eq!(actions(&ran), [(ALL[8], "delete"), (ALL[9], "delete")]);
    // An entry that the author has changed cannot be told; then nothing is done.
    let changed = text(&book, SETTINGS).replace("hook claude-code", "hook claude-code --strict");
    book.put(SETTINGS, changed.as_str());
    let ran = book.run(["init", "--undo", "--write"]);
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert!(ran.stderr.contains("not as init writes it") && !ran.stderr.contains("To be added"), "{ran:?}");
    assert_eq!(text(&book, SETTINGS), changed);
    assert!(book.path(SKILL).exists() && book.path(AGENTS).exists());
}

#[test]
fn instructions_that_are_one_file_with_others_are_not_written_through() {
    for (real, link) in [("CLAUDE.md", AGENTS), (AGENTS, "CLAUDE.md"), ("GEMINI.md", AGENTS)] {
        let book = Sandbox::new();
        book.put(real, "# Rules\n");
        symlink(real, book.path(link)).expect("a link");
        let ran = book.run(["init", "--for", "codex", "--write"]);
        assert_eq!(ran.code, Some(6), "{ran:?}");
        let other = if real == AGENTS { link } else { real };
        assert!(ran.stderr.contains(&format!("one file with {other}")), "{ran:?}");
        assert!(ran.stderr.contains("novel-gate begin"), "the text to add is said: {ran:?}");
        assert_eq!(text(&book, real), "# Rules\n");
        assert!(!book.path(CODEX_HOOKS).exists());
        // Once the author has put it there, init is content; undo leaves it to the author too.
        let shown = object(&book.run(["init", "--for", "codex", "--json"]));
        let added = format!("# Rules\n\n{}", shown["files"][0]["text"].as_str().expect("a text"));
        book.put(real, added.as_str());
        assert_eq!(book.run(["init", "--for", "codex", "--write"]).code, Some(0));
        assert_eq!(text(&book, real), added);
        assert_eq!(book.run(["init", "--undo", "--write"]).code, Some(6));
        assert_eq!(text(&book, real), added);
    }
}

#[test]
fn a_program_that_is_not_in_path_is_said_and_can_be_named_by_its_path() {
    let book = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = book.command(arguments.iter().copied());
        Running::start(command.env("PATH", "/nowhere")).wait()
    };
    let said = run(&["init"]);
    let program = env!("CARGO_BIN_EXE_novel-gate");
    assert!(said.stdout.contains("PATH has no novel-gate") && said.stdout.contains(program), "{said:?}");
    assert!(said.stdout.contains("init --absolute"), "{said:?}");
    let written = run(&["init", "--absolute", "--mcp", "--write"]);
    assert!(written.code == Some(0) && !written.stdout.contains("PATH has no"), "{written:?}");
    for path in [SKILL, SETTINGS, ".mcp.json", AGENTS, CODEX_HOOKS, ".codex/config.toml"] {
        assert!(text(&book, path).contains(program), "{path}");
    }
    assert_eq!(run(&["init", "--undo", "--write"]).code, Some(0));
    assert!(ALL.iter().all(|path| !book.path(path).exists()));
}

#[test]
fn what_is_there_stays_around_it() {
    let book = Sandbox::new();
    let settings = "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [ 1.50 ]\n    }\n}\n";
    book.put(SETTINGS, settings);
    book.put(AGENTS, "# Rules\n\nBe kind.\n");
    let ran = book.run(["init", "--write"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let new = text(&book, SETTINGS);
    assert!(new.starts_with(&settings[..settings.find("\n    }").expect("its end")]), "{new}");
    assert!(new.ends_with("\n    }\n}\n"), "{new}");
    assert!(text(&book, AGENTS).starts_with("# Rules\n\nBe kind.\n\n<!-- novel-gate begin -->\n"));
    // An older text between the marks is replaced, words around them stay.
    let skill = text(&book, SKILL);
    let mine = skill.replace("name: novel-gate", "name: gates").replace("# Gates", "# Old gates")
        + "\nMy own words.\n";
    book.put(SKILL, &mine);
    let ran = object(&book.run(["init", "--write", "--json"]));
    let rest = [SETTINGS, AGENTS, CODEX_HOOKS].map(|path| (path, "unchanged"));
    assert_eq!(actions(&ran), [&[(SKILL, "update")][..], &rest].concat());
    assert_eq!(text(&book, SKILL), skill.replace("name: novel-gate", "name: gates") + "\nMy own words.\n");
    let ran = object(&book.run(["init", "--write", "--json", "--lang", "zh-CN", "--for", "codex"]));
    assert_eq!(actions(&ran)[0], (AGENTS, "update"), "in the author's language");
}

#[test]
fn what_is_not_ours_is_refused_and_then_nothing_is_written() {
    for (path, content, exit, words) in [
        (SKILL, "---\nname: mine\n---\n", 6, "not novel-gate's"),
        (SKILL, "\u{feff}", 6, "not novel-gate's"),
        (SETTINGS, "{ \"a\": 1 \"b\": 2 }", 6, "not JSON: see line 1, column 9"),
        (SETTINGS, "{\"hooks\": []}", 6, "Its hooks is not an object"),
        (CODEX_HOOKS, "{\"hooks\": {\"PreToolUse\": 1}}", 6, "Its hooks.PreToolUse is not a list"),
        (".mcp.json", "{\"mcpServers\": []}", 6, "Its mcpServers is not an object"),
        (".codex/config.toml", "a = 1\n[", 6, "not TOML: see line 2"),
        (".codex/config.toml", "mcp_servers = {}\n", 6, "not TOML"),
        (AGENTS, "<!-- novel-gate end -->\n<!-- novel-gate begin -->\n", 6, "or neither"),
    ] {
        let book = Sandbox::new();
        book.put(path, content);
        let ran = book.run(["init", "--mcp", "--write"]);
        assert_eq!(ran.code, Some(exit), "{ran:?}");
        assert!(ran.stderr.contains(words) && ran.stderr.contains("by hand"), "{ran:?}");
        assert!(ran.stdout.contains("Nothing was written."), "{ran:?}");
        assert_eq!(text(&book, path), content);
        let others = ALL.into_iter().filter(|other| *other != path);
        assert!(others.into_iter().all(|other| !book.path(other).exists()));
        let ran = object(&book.run(["init", "--mcp", "--write", "--json"]));
        assert_eq!((&ran["status"], &ran["code"]), (&json!("refused"), &json!("not-ours")));
        let file =
            ran["files"].as_array().expect("files").iter().find(|file| file["path"] == path).expect("it");
        assert_eq!(file["action"], "refused");
        assert!(file["reason"].as_str().is_some_and(|reason| reason.contains(words)), "{file}");
    }
}

#[test]
fn nothing_is_written_outside_the_project() {
    let book = Sandbox::new();
    fs::create_dir(book.path("../outside")).expect("a directory");
    symlink("../outside", book.path(".claude")).expect("a link");
    let ran = object(&book.run(["init", "--write", "--json"]));
    assert_eq!((ran["exit"].as_i64(), &ran["code"]), (Some(5), &json!("refused")));
    assert_eq!(fs::read_dir(book.path("../outside")).expect("read").count(), 0);
    assert!(!book.path(AGENTS).exists());
    // A link that stays inside is followed, and stays a link.
    fs::remove_file(book.path(".claude")).expect("removed");
    book.put("docs/agents.md", "# Rules\n");
    symlink("docs/agents.md", book.path(AGENTS)).expect("a link");
    assert_eq!(book.run(["init", "--write"]).code, Some(0));
    assert!(book.path(AGENTS).is_symlink());
    assert!(text(&book, "docs/agents.md").contains("novel-gate begin"));
}
