//! `init`, through the built binary: shown first, written only when asked, and nothing of anybody else's.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const SKILL: &str = ".claude/skills/novel-gate/SKILL.md";
const SETTINGS: &str = ".claude/settings.json";
const AGENTS: &str = "AGENTS.md";

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
    let all = [(SKILL, "create"), (SETTINGS, "create"), (AGENTS, "create")];
    let ran = book.run(["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
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
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "AskUserQuestion|Write|Edit|MultiEdit");
    let again = object(&book.run(["init", "--json", "--write"]));
    assert_eq!((&again["status"], &again["written"]), (&json!("unchanged"), &json!(false)));
    assert!(actions(&again).iter().all(|(_, action)| *action == "unchanged"));
}

#[test]
fn only_the_executors_that_are_named() {
    let book = Sandbox::new();
    let ran = object(&book.run(["init", "--for", "codex", "--write", "--json"]));
    assert_eq!(actions(&ran), [(AGENTS, "create")]);
    assert!(!book.path(".claude").exists());
    let ran = object(&book.run(["init", "--for", "claude-code", "--for", "codex", "--json"]));
    assert_eq!(actions(&ran), [(SKILL, "create"), (SETTINGS, "create"), (AGENTS, "unchanged")]);
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
    assert_eq!(actions(&ran), [(SKILL, "update"), (SETTINGS, "unchanged"), (AGENTS, "unchanged")]);
    assert_eq!(text(&book, SKILL), skill.replace("name: novel-gate", "name: gates") + "\nMy own words.\n");
    let ran = object(&book.run(["init", "--write", "--json", "--lang", "zh-CN", "--for", "codex"]));
    assert_eq!(actions(&ran), [(AGENTS, "update")], "in the author's language");
}

#[test]
fn what_is_not_ours_is_refused_and_then_nothing_is_written() {
    for (path, content, exit, words) in [
        (SKILL, "---\nname: mine\n---\n", 6, "not novel-gate's"),
        (SKILL, "\u{feff}", 6, "not novel-gate's"),
        (SETTINGS, "{ // comment\n}", 6, "not JSON: see line 1, column 3"),
        (SETTINGS, "{\"hooks\": []}", 6, "Its hooks is not an object"),
        (AGENTS, "<!-- novel-gate end -->\n<!-- novel-gate begin -->\n", 6, "or neither"),
    ] {
        let book = Sandbox::new();
        book.put(path, content);
        let ran = book.run(["init", "--write"]);
        assert_eq!(ran.code, Some(exit), "{ran:?}");
        assert!(ran.stderr.contains(words) && ran.stderr.contains("by hand"), "{ran:?}");
        assert!(ran.stdout.contains("Nothing was written."), "{ran:?}");
        assert_eq!(text(&book, path), content);
        let others = [SKILL, SETTINGS, AGENTS].into_iter().filter(|other| *other != path);
        assert!(others.into_iter().all(|other| !book.path(other).exists()));
        let ran = object(&book.run(["init", "--write", "--json"]));
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
