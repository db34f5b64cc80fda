//! The instructions for executors: short, and true of the command line.

use crate::in_process::call;
use clap::CommandFactory;
use novel_gate::Environment;
use novel_gate::cli::{self, Cli};
use novel_gate::command::skill;
use novel_gate::text::Lang;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LANGS: [Lang; 2] = [Lang::En, Lang::ZhCn];

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
    for lang in LANGS {
        let (text, tag) = (skill::text(lang), lang.tag());
        assert_eq!(run(&format!("novel-gate skill --lang {tag}"), here), (0, text.to_owned()));
        let (exit, json) = run(&format!("novel-gate skill --json --lang {tag}"), here);
        let json: Value = serde_json::from_str(&json).expect("one object");
        assert_eq!((exit, &json["exit"]), (0, &json!(0)));
        assert_eq!((&json["text"], &json["status"]), (&json!(text), &json!("ok")));
    }
}

#[test]
fn they_are_short() {
    for lang in LANGS {
        let text = skill::text(lang);
        assert!(text.lines().count() <= 42 && text.len() < 4_100, "{lang:?}: {}", text.len());
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
    for lang in LANGS {
        let mut named = flags(skill::text(lang));
        // Those of the command that writes packets.
        for other in ["answer-path", "novel-ask-file", "write-manifest"] {
            assert!(named.remove(other), "{lang:?}: {other}");
        }
        assert!(named.iter().all(|flag| known.contains(flag.as_str())), "{lang:?}: {named:?}");
        assert!(named.iter().eq(every), "{lang:?}: {named:?}");
    }
}

/// The console and `wait` come before the dialogs: a subagent has none.
#[test]
fn they_name_the_console_first_and_say_which_skill_goes_first() {
    for lang in LANGS {
        let text = skill::text(lang);
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
        assert!(at("`cli-step`") < at("`novel-gate wait PACKET"), "{lang:?}");
        assert!(at("`novel-gate wait PACKET") < at("`novel-gate next PACKET"), "{lang:?}");
        assert!(at("`multi_choice`") < at("`novel-gate next PACKET"), "{lang:?}");
        for words in ["`free_text`", "`allow_other`", "`claude-code`", "`codex`", "`json-contract`"] {
            assert!(at(words) < at("`novel-gate next PACKET"), "{lang:?}: {words}");
        }
        assert!(text.contains(if lang == Lang::En { "subagent" } else { "子代理" }), "{lang:?}");
    }
}

#[test]
fn every_command_they_name_is_read() {
    for lang in LANGS {
        let text = skill::text(lang);
        let commands: Vec<&str> =
            text.split('`').skip(1).step_by(2).filter(|code| code.starts_with("novel-gate ")).collect();
        assert_eq!(commands.len(), 5);
        for command in commands {
            let read = Cli::command().try_get_matches_from(command.replace("EXECUTOR", "codex").split(' '));
            assert!(read.is_ok(), "{command}: {read:?}");
        }
        for exit in ["\n- 0", "\n- 1", "4", "5", "\n- 2", "\n- 3"] {
            assert!(text.contains(exit), "{lang:?}: {exit:?}");
        }
    }
}

/// A refusal looks like an end to whoever does not know it.
#[test]
fn they_say_what_to_do_when_the_author_sends_a_step_back() {
    for (lang, exit) in [(Lang::En, "exit 8"), (Lang::ZhCn, "退出码 8")] {
        let lines: Vec<&str> = skill::text(lang).lines().collect();
        let at = lines.iter().position(|line| line.contains(exit)).expect("the exit code");
        assert!(lines[at].contains("`sent-back`"), "{lang:?}: {}", lines[at]);
        let console = lines.iter().position(|line| line.contains("`wait_gate`")).expect("the console");
        assert_eq!(at, console + 1, "{lang:?}: where waiting is told");
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
