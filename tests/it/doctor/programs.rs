//! Which program each entry runs, and whether it is this one.

use super::*;

#[test]
fn where_the_hook_stands_and_which_program_it_runs_is_said() {
    let book = wired("claude-code", &["--mcp"]);
    let said = run(&book, &["doctor"]).stdout;
    for words in [
        "skill: .claude/skills/novel-gate/SKILL.md\n",
        "hook: .claude/settings.json:7 runs novel-gate hook claude-code (this program)",
        "permission: .claude/settings.json:30",
        "server: .mcp.json:3 runs novel-gate mcp (this program)",
        "trusted: not known",
        "never heard by its hook",
        "never heard by its server",
        "Nothing stands in the way.",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// What is said where this stands first in `PATH` under our name.
fn said_of(book: &Sandbox, made: impl FnOnce(&Path)) -> Ran {
    let _ = fs::remove_dir_all(book.path("../bin"));
    fs::create_dir(book.path("../bin")).expect("made");
    made(&book.path("../bin/novel-gate"));
    let path = format!("{}:/usr/bin:/bin", book.path("../bin").display());
    let mut doctor = book.system(env!("CARGO_BIN_EXE_novel-gate"));
    Running::start(doctor.env("PATH", path).args(["doctor", "--json", "--lang", "en", "--project", "."]))
        .wait()
}

fn script(text: &'static str) -> impl Fn(&Path) {
    move |path| {
        fs::write(path, text).expect("written");
        crate::system::set_mode(path, 0o755).expect("set");
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_program_of_the_name_that_is_certainly_another_stands_in_the_way() {
    let book = wired("claude-code,gemini", &["--mcp"]);
    let link = |to: &'static str| move |path: &Path| crate::system::symlink(to, path).expect("a link");
    for (which, made) in [
        ("empty", Box::new(script("#!/bin/sh\n")) as Box<dyn Fn(&Path)>),
        ("talks", Box::new(script("#!/bin/sh\necho novel-gate 0.1.0\n"))),
        ("true", Box::new(link("/bin/true"))),
    ] {
        let ran = said_of(&book, made);
        let said = object(&ran);
        for (name, at) in [("claude-code", ".claude/settings.json:7"), ("gemini", ".gemini/settings.json:3")]
        {
            assert_eq!(obstacles(client(&said, name)), [("other-program", at)], "{which}");
        }
        assert_eq!(ran.code, Some(3), "{which}");
    }
    // Another version, or what starts one.
    for (which, made) in [
        ("this", Box::new(link(env!("CARGO_BIN_EXE_novel-gate"))) as Box<dyn Fn(&Path)>),
        ("wrapper", Box::new(script("#!/bin/sh\nexec /opt/novel-gate-0.2/bin/novel-gate \"$@\"\n"))),
        ("launcher", Box::new(script("#!/usr/bin/env node\nrun('novel-gate', process.argv)\n"))),
        ("binary", Box::new(script("\u{7f}ELF novel-gate"))),
    ] {
        let ran = said_of(&book, made);
        let said = object(&ran);
        assert_eq!((ran.code, obstacles(client(&said, "claude-code"))), (Some(0), vec![]), "{which}");
        assert_eq!(client(&said, "claude-code")["installed"][1]["this"], json!(which == "this"), "{said}");
    }
}

/// Without it, init would leave the server as it is.
#[test]
fn whatever_is_wrong_with_the_server_is_put_right_with_mcp() {
    for (server, code) in [
        (r#"{"command": "/nowhere/novel-gate", "args": ["mcp"]}"#, "no-program"),
        (r#"{"args": ["mcp"]}"#, "broken-entry"),
    ] {
        let book = wired("claude-code", &["--mcp"]);
        let text = format!(r#"{{"mcpServers": {{"novel-gate": {server}}}}}"#);
        book.put(".mcp.json", of_this_system(&text));
        let said = object(&run(&book, &["doctor", "--json"]));
        let found = client(&said, "claude-code")["obstacles"].as_array().expect("a list").clone();
        let found = found.iter().find(|obstacle| obstacle["code"] == code);
        let remedy = found.unwrap_or_else(|| panic!("{code}: {said}"))["hint"].as_str().expect("a text");
        assert!(remedy.contains("novel-gate init --for claude-code --mcp --write"), "{remedy}");
    }
}

#[test]
fn what_an_entry_runs_is_shown_as_a_shell_takes_it() {
    let book = wired("claude-code", &["--mcp", "--state-dir", "a b"]);
    let said = run(&book, &["doctor"]).stdout;
    let runs = said.lines().find(|line| line.contains("hook: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(
        runs.contains("runs novel-gate --state-dir '") && runs.contains("a b' hook claude-code"),
        "{runs}"
    );
}
