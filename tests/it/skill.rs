//! The instructions for executors: short, and true of the command line.

use crate::in_process::call;
use clap::CommandFactory;
use novel_gate::Environment;
use novel_gate::cli::{self, Cli, SkillName};
use novel_gate::command::skill;
use novel_gate::text::Lang;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn every_text() -> impl Iterator<Item = (SkillName, Lang)> {
    SkillName::ALL.into_iter().flat_map(|executor| [(executor, Lang::En), (executor, Lang::ZhCn)])
}

fn run(line: &str, cwd: &Path) -> (i32, String) {
    let environment = Environment { cwd: cwd.to_path_buf(), ..Environment::default() };
    let (exit, out, err) = call(&environment, line.split(' ').skip(1), b"").texts();
    assert_eq!(err, "");
    (exit, out)
}

/// What looks like a long flag.
fn flags(text: &str) -> BTreeSet<String> {
    let is_flag = |c: char| c.is_ascii_lowercase() || c == '-';
    let rest = text.split("--").skip(1);
    let flags = rest.map(|rest| rest.chars().take_while(|&c| is_flag(c)).collect::<String>());
    flags.filter(|flag| !flag.is_empty()).collect()
}

#[test]
fn the_instructions_are_printed_as_they_are() {
    let here = Path::new(".");
    for executor in SkillName::ALL {
        let name = executor.name();
        for (tag, lang) in [("en", Lang::En), ("zh-CN", Lang::ZhCn)] {
            let text = skill::text(executor, lang);
            assert_eq!(run(&format!("novel-gate skill {name} --lang {tag}"), here), (0, text.to_owned()));
            let (exit, json) = run(&format!("novel-gate skill {name} --json --lang {tag}"), here);
            let json: Value = serde_json::from_str(&json).expect("one object");
            assert_eq!((exit, &json["exit"], &json["executor"]), (0, &json!(0), &json!(name)));
            assert_eq!((&json["text"], &json["status"]), (&json!(text), &json!("ok")));
        }
    }
}

#[test]
fn they_are_short() {
    for (executor, lang) in every_text() {
        let text = skill::text(executor, lang);
        assert!(text.lines().count() <= 40, "{executor:?} {lang:?}: {}", text.lines().count());
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }
}

#[test]
fn every_flag_they_name_is_one_of_next_or_wait() {
    let program = cli::command(Lang::En);
    let commands = ["next", "wait"].map(|name| program.find_subcommand(name).expect("a command"));
    let known: BTreeSet<&str> = commands
        .iter()
        .flat_map(|command| command.get_arguments())
        .filter_map(|argument| argument.get_long())
        .collect();
    let every = [
        "answer",
        "call",
        "escape",
        "for",
        "none",
        "replies",
        "resume",
        "text",
        "timeout",
        "unavailable",
        "write",
    ];
    for (executor, lang) in every_text() {
        let named = flags(skill::text(executor, lang));
        assert!(named.iter().all(|flag| known.contains(flag.as_str())), "{executor:?} {lang:?}: {named:?}");
        let has_tool = matches!(executor, SkillName::ClaudeCode | SkillName::Codex);
        let wanted = every.iter().filter(|flag| has_tool || **flag != "unavailable");
        assert!(named.iter().eq(wanted), "{executor:?} {lang:?}: {named:?}");
    }
}

/// The console and `wait` come before the dialogs: a subagent has none.
#[test]
fn they_name_the_console_first() {
    for (executor, lang) in every_text() {
        let text = skill::text(executor, lang);
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
        assert!(at("`novel-gate wait PACKET") < at("`novel-gate next PACKET"), "{executor:?} {lang:?}");
        assert!(at("`multi_choice`") < at("`novel-gate next PACKET"), "{executor:?} {lang:?}");
        assert!(["`free_text`", "`allow_other`"].iter().all(|kind| text.contains(kind)));
        let subagent = if lang == Lang::En { "agent" } else { "子代理" };
        assert!(at(subagent) < at("`novel-gate wait PACKET"), "{executor:?} {lang:?}");
    }
}

#[test]
fn every_command_they_name_is_read() {
    for (executor, lang) in every_text() {
        let text = skill::text(executor, lang);
        let commands: Vec<&str> =
            text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("novel-gate ")).collect();
        assert!(!commands.is_empty());
        for command in commands {
            let read = Cli::command().try_get_matches_from(command.split(' '));
            assert!(read.is_ok(), "{command}: {read:?}");
        }
        for exit in 0..=5 {
            let head = format!("\n- {exit}{}", if lang == Lang::En { ":" } else { "：" });
            assert!(text.contains(&head), "{executor:?} {lang:?}: {head:?}");
        }
    }
}

/// The loop as the instructions tell it, on a real packet: what they say is printed is printed, what they say is taken is
/// taken.
#[test]
fn the_loop_ends_with_the_record() {
    let top = tempfile::tempdir().expect("a directory");
    let packet = json!({"step": "s", "answer_path": "a.json", "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "place", "header": "H", "question": "Where?", "kind": "single_choice", "required": true,
         "options": [{"label": "here", "description": "d"}, {"label": "there", "description": "d"}]},
        {"id": "note", "header": "N", "question": "What else?", "kind": "free_text", "required": true}]}});
    for (name, answered_by) in
        [("claude-code", "claude_code"), ("codex", "codex"), ("json-contract", "human")]
    {
        let root = top.path().join(name);
        fs::create_dir_all(root.join("staging")).expect("a project");
        fs::write(root.join("staging/s.packet.json"), packet.to_string()).expect("a packet");
        let start = format!(
            "novel-gate next s --for {name} --replies staging/s.replies.jsonl --write --state-dir state"
        );
        let (mut exit, mut out) = run(&start, &root);
        let mut calls = 0;
        loop {
            let said: Value = serde_json::from_str(&out).expect("one object");
            assert_eq!(exit, 0, "{said}");
            if said["status"] == "done" {
                break;
            }
            calls += 1;
            assert!(calls < 10, "{said}");
            let mut line = format!("{start} --call {}", said["call"].as_str().expect("a call"));
            for id in said["asks"].as_array().expect("ids") {
                let value = if *id == "place" { "there" } else { "words" };
                line += &format!(" --answer {}={value}", id.as_str().expect("an id"));
            }
            (exit, out) = run(&line, &root);
        }
        let record: Value =
            serde_json::from_slice(&fs::read(root.join("a.json")).expect("the record")).expect("JSON");
        assert_eq!(record["answers"], json!({"place": "there", "note": "words"}));
        assert_eq!(record["answered_by"], answered_by);
    }
}
