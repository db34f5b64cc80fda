//! The commands that the permission of `init` names: whatever their flags, they run no program, and write no file that a flag
//! names but the replies of a dialogue.

use crate::system::symlink;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

use crate::sandbox::{Running, Sandbox, wait_until};

const PACKET: &str = "staging/manifests/a.packet.json";
const PLACE: &str = "staging/novel-ask/a.json";

fn packet(answer_path: &str) -> String {
    let packet = json!({"step": "step:a", "answer_path": answer_path, "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    packet.to_string()
}

fn book() -> Sandbox {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    book.put(PACKET, packet(PLACE));
    book
}

/// Every file below a directory.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        let is_dir = path.is_dir() && !path.is_symlink();
        found.extend(if is_dir { files(&path) } else { vec![path.to_string_lossy().into_owned()] });
    }
    found.sort();
    found
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn none_of_them_runs_a_program() {
    let book = book();
    let pwned = book.path("../PWNED");
    let touch = format!("touch '{}'", pwned.display());
    let settings = format!(
        "theme = \"mine\"\n[notify]\nbell = true\ndesktop = true\ncommand = [\"touch\", \"{}\"]\n",
        pwned.display()
    );
    book.put("../evil.toml", settings);
    let config = book.path("../evil.toml");
    let config = config.to_str().expect("UTF-8");
    let lines = [
        &["list", "--all"][..],
        &["show", "step:a"],
        &["check", "step:a"],
        &["plan", "step:a"],
        &["wait", "step:a", "--timeout", "1s"],
        &["next", "step:a", "--for", "codex", "--replies", "r.jsonl", "--write"],
    ];
    for line in lines {
        for flags in [&["--config", config][..], &["--config", config, "--theme", config], &["--json"]] {
            let words: Vec<&str> = ["novel-gate"].iter().chain(line).chain(flags).copied().collect();
            let shell = format!("exec \"$@\" --project '{}'", book.root().display());
            let line: Vec<&str> = ["sh", "-c", &shell, "sh"].iter().chain(&words).copied().collect();
            let set = format!(
                "export EDITOR=\"{touch}\" VISUAL=\"{touch}\" PAGER=\"{touch}\" BROWSER=\"{touch}\"; {shell}"
            );
            let mut on_terminal = line.clone();
            on_terminal[2] = &set;
            let mut terminal = book.system_on_terminal(&on_terminal, 80, 24);
            terminal.send_keys("\u{7}e\r");
            assert!(terminal.wait_exit().code.is_some(), "{words:?}");
            assert!(!pwned.exists(), "{words:?}");
        }
    }
    // A gate that comes would be a notice in the console.
    let mut watch = Running::start(&mut book.command(["list", "--watch", "--json", "--config", config]));
    book.put("staging/manifests/b.packet.json", packet("staging/novel-ask/b.json"));
    assert_eq!(book.run(["wait", "--test", "--timeout", "1s", "--config", config]).code, Some(7));
    assert!(watch.is_running() && !pwned.exists());
    // The console does, for whoever presses its keys.
    let shell = format!("export EDITOR=\"{touch}\"; exec novel-gate console {PACKET}");
    let console = book.system_on_terminal(&["sh", "-c", &shell], 80, 24);
    console.wait_for_text("[1 ");
    console.press("ctrl+g");
    wait_until("the editor is run", || pwned.exists());
}

/// The calls of a dialogue, with the replies in a file.
fn next(book: &Sandbox, replies: &str, more: &[&str]) -> Value {
    let line =
        [&["next", "step:a", "--for", "json-contract", "--replies", replies, "--write"], more].concat();
    let ran = book.run(line);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn replies_go_into_no_file_of_another_kind() {
    let book = book();
    book.put("empty", "");
    book.put(".git/HEAD", "");
    for (name, text) in
        [("torn", "{\"a"), ("lines", "{}\n"), (".zshenv", ""), ("other.json", "[1"), ("blank", "\n")]
    {
        book.put(name, text);
    }
    symlink("empty", book.path("link.jsonl")).expect("a link");
    symlink("nothing", book.path("new.jsonl")).expect("a link");
    let before: Vec<_> = files(&book.root()).into_iter().map(|path| (fs::read(&path).ok(), path)).collect();
    let first = next(&book, "staging/r.jsonl", &[]);
    let call = first["call"].as_str().expect("a call").to_owned();
    let home = book.path("../home/.zshenv");
    for name in [
        ".git/hooks/post-checkout",
        "hooks/x",
        ".envrc",
        ".zshenv",
        "Makefile",
        "package.json",
        "empty",
        "torn",
        "lines",
        "other.json",
        "blank",
        "x.jsonl.sh",
        ".claude/settings.local.json",
        "link.jsonl",
        "new.jsonl",
        home.to_str().expect("UTF-8"),
    ] {
        for more in [&[][..], &["--call", &call, "--text", "$(touch PWNED)"]] {
            let said = next(&book, name, more);
            assert_ne!(said["exit"], 0, "{name}: {said}");
        }
    }
    let after: Vec<_> = files(&book.root()).into_iter().map(|path| (fs::read(&path).ok(), path)).collect();
    assert_eq!(after, before);
    assert!(!home.exists());
    let said = next(&book, ".envrc", &[]);
    assert!((said["exit"].as_i64(), said["at"].as_str()) == (Some(2), Some("--replies")), "{said}");
    assert!(said["message"].as_str().expect("words").contains(".jsonl"), "{said}");
    // What it is for.
    let said =
        next(&book, "staging/novel-ask/a.replies.jsonl", &["--call", &call, "--text", "{\"a\": \"rain\"}"]);
    assert_eq!(said["exit"], 0, "{said}");
    assert!(book.path("staging/novel-ask/a.replies.jsonl").exists());
}

/// A record goes where a packet of the project says, not where any file says that a flag names.
#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_record_is_written_for_a_packet_of_the_project_alone() {
    let book = book();
    book.put("../elsewhere/x.packet.json", packet(".envrc"));
    book.put("../elsewhere/book/.checkpoint.json", "{}");
    symlink(book.path("../elsewhere/x.packet.json"), book.path("staging/manifests/link.packet.json"))
        .expect("a link");
    for name in ["../elsewhere/x.packet.json", "staging/manifests/link.packet.json"] {
        let path = book.path(name);
        let path = path.to_str().expect("UTF-8");
        let ran = book.run(["next", path, "--for", "json-contract", "--replies", "r.jsonl", "--write"]);
        let said: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((ran.code, &said["code"]), (Some(2), &json!("usage")), "{ran:?}");
        // To ask alone writes nothing.
        assert_eq!(book.run(["next", path, "--for", "json-contract", "--replies", "r.jsonl"]).code, Some(0));
    }
    assert!(!book.path(".envrc").exists());
}
