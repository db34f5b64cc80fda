//! What `init --undo` gives back, takes out and leaves.

use super::{
    ALL, CODEX_HOOKS, EVERYBODY, PLAIN, RULES, SETTINGS, SHARED_SKILL, SKILL, actions, object, run, text,
};
use crate::sandbox::Sandbox;
use serde_json::json;

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
