//! The gate in the real clients: Claude Code and Codex from npm, with the hook that `init --write` wires, in a project of
//! their own. Only their model is a script, on loopback.
//!
//! Each client runs once, with every row of its table as a call of its model. What a row came to is read from what the model
//! was told, from the agents that spoke to it and from the disk.
//!
//! The clients are large: nobody loads them by a plain `cargo test`.

pub(super) mod claude_code;
mod codex;
mod deciding;
mod health;
pub(super) mod model;
mod session;
mod standing;
mod three_chapters;
mod three_chapters_by_mcp;
mod told;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::json;

use self::model::{Call, Model, TASK, Wire};
use super::npm::{Bundle, in_ci, skip};
use crate::sandbox::{Running, Sandbox};

const BUNDLE: Bundle = Bundle {
    name: "clients",
    files: &[
        ("package.json", include_str!("../../executor/clients/package.json")),
        ("package-lock.json", include_str!("../../executor/clients/package-lock.json")),
        (".npmrc", include_str!("../../executor/clients/.npmrc")),
    ],
};
const TOO_LARGE: &str = "The clients are 350 MB to load, once, and 770 MB beneath target/.\n\
                         To load and run them: CI=1 cargo test --test it live::clients";
/// Far more than a client needs, for machines that are busy.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);
/// Agents of the project; the first one's gate waits.
const HELD: &str = "plot-architect";
const FREE: &str = "scene-writer";
/// A gate that waits, and one that is open; both are the held agent's.
const HELD_STEP: &str = "volume:002:outline";
const OPEN_STEP: &str = "chapter:047:draft";
/// Where the answers of the gate that waits go.
const ANSWERS: &str = "staging/novel-ask/held.json";
const OPEN_ANSWERS: &str = "staging/novel-ask/open.json";
/// Where those of a gate go that nobody guards in time.
const LOOSE: &str = "staging/novel-ask/loose.json";
/// Where a packet would lie that takes a file for its record.
const TAKING: &str = "staging/manifests/taking.packet.json";
const HELD_PACKET: &str = "staging/manifests/held.packet.json";

/// One way to get past a gate, or past none.
struct Row {
    way: &'static str,
    call: Call,
    /// Whether there is nothing to forbid.
    is_free: bool,
    sign: Sign,
}

/// How it is seen that a call was carried out.
enum Sign {
    /// An agent spoke to the model, with the row's own words in its prompt.
    Agent(String),
    /// A file is another than before.
    File(PathBuf),
    /// Only by what the model was told.
    Told,
}

/// The installed clients; `None`, loudly, if they cannot be had here.
pub(super) fn clients() -> Option<&'static Path> {
    static CLIENTS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let programs = [(claude_code::WRAPPER, "2.1.330"), (codex::WRAPPER, "0.169.0")];
    match CLIENTS.get_or_init(|| install(&BUNDLE, TOO_LARGE, programs)) {
        Ok(dir) => Some(dir),
        Err(why) => {
            skip("the live test in Claude Code 2.1.330 and Codex 0.169.0", why);
            None
        }
    }
}

/// The clients, from an earlier run or, where CI is set, fresh; or why they do not run here, as where npm has none for the machine.
fn install(bundle: &Bundle, too_large: &str, programs: [(&str, &str); 2]) -> Result<PathBuf, String> {
    if !in_ci() && !bundle.is_installed() {
        return Err(too_large.to_owned());
    }
    let dir = bundle.install()?;
    for (program, version) in programs {
        let ran = Running::start(node(&Sandbox::new(), &dir.join(program)).arg("--version")).wait();
        if ran.code != Some(0) {
            return Err(format!("{program} does not run here: {}", ran.stderr));
        }
        assert!(ran.stdout.contains(version), "the pinned version: {}", ran.stdout);
    }
    Ok(dir)
}

/// A prompt that no other row has.
fn prompt(way: &str, words: &str) -> String {
    format!("({way}) {words}")
}

/// A project with a gate that waits and gates with records, wired for a client.
fn book(client: &str) -> Sandbox {
    let book = Sandbox::new();
    let steps = [("deleted", "s:deleted"), ("moved", "s:moved"), ("loose", "s:loose")];
    for (name, step) in [("held", HELD_STEP), ("open", OPEN_STEP)].into_iter().chain(steps) {
        let packet = json!({"step": step, "agent": {"kind": "subagent", "name": HELD},
            "answer_path": format!("staging/novel-ask/{name}.json"), "novel_ask": {"version": 1, "topic": "t",
            "questions": [{"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
        if !["held", "loose"].contains(&name) {
            book.put(&format!("staging/novel-ask/{name}.json"), record("the author's"));
        }
    }
    book.put("notes.md", "before\n");
    assert_eq!(book.run(["init", "--write", "--for", client]).code, Some(0));
    book
}

/// Wires it anew without the flag for a state directory of its own, which the commands would need then.
fn wire_plainly(book: &Sandbox, flags: &[&str]) {
    let ran = Running::start(book.system("novel-gate").args(["init", "--write"]).args(flags)).wait();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A packet that names for its record a file that is there already.
fn taking_packet() -> String {
    let packet = json!({"step": "s:taking", "answer_path": "notes.md", "novel_ask": {"version": 1, "topic": "t",
        "questions": [{"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    packet.to_string()
}

/// A valid record for each of the gates.
fn record(answer: &str) -> String {
    let record = json!({"version": 1, "topic": "t", "answers": {"a": answer},
        "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"});
    format!("{record}\n")
}

/// Runs a program in the project, by node if it is a script, without anything of the clients that may run these tests.
fn node(book: &Sandbox, program: &Path) -> Command {
    let is_script = program.extension().is_some_and(|name| name.to_string_lossy().ends_with("js"));
    let mut command = book.system(if is_script { "node" } else { program.to_str().expect("text") });
    let of_a_client = |name: &str| {
        let all = ["ANTHROPIC", "CLAUDE", "OPENAI", "CODEX", "GEMINI", "GOOGLE", "OPENCODE"];
        all.iter().any(|it| name.starts_with(it))
    };
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        if of_a_client(&text) {
            command.env_remove(&name);
        }
    }
    // What else it may look for is not there.
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
    command.args(is_script.then_some(program));
    command
}

/// Plays the turns, and tells what came of each row otherwise than it must.
fn play(wire: Wire, turns: &[Vec<Row>], client: impl FnOnce(&str) -> Command) {
    let calls = turns.iter().map(|rows| rows.iter().map(|row| row.call.clone()).collect()).collect();
    let model = Model::start(wire, calls);
    let read = |row: &Row| match &row.sign {
        Sign::File(path) => fs::read(path).ok(),
        _ => None,
    };
    let before: Vec<Vec<_>> = turns.iter().map(|rows| rows.iter().map(read).collect()).collect();
    let ran = Running::start(&mut client(&model.address)).wait_within(PATIENCE).expect("the client ends");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut wrong = Vec::new();
    for (turn, rows) in turns.iter().enumerate() {
        for (place, row) in rows.iter().enumerate() {
            let told = model.result(turn, place);
            let is_denied = told.contains("PreToolUse");
            let is_done = match &row.sign {
                Sign::Agent(words) => model.started(words),
                Sign::File(_) => read(row) != before[turn][place],
                Sign::Told => !is_denied && !told.is_empty(),
            };
            println!(
                "{:50} {}{}",
                row.way,
                if is_done { "done" } else { "not done" },
                if is_denied { ", denied" } else { "" }
            );
            if (is_done, is_denied) != (row.is_free, !row.is_free) {
                wrong.push(format!(
                    "{}: done {is_done}, denied {is_denied}; the model was told {told}",
                    row.way
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), ran.stderr);
}
