//! `hook`, through the built binary: what an executor asks is answered in the project, no agent starts on a step that is
//! held up, nobody but novel-gate writes records, and whatever else happens, nothing is said.

mod bounded;
mod codex;
mod dispatched;
mod elsewhere;
mod guarded;
mod relayed;
mod relayed_back;
mod scripted;
mod shelled;
mod strict;
mod taken;
mod told;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use novel_gate::store::lock::{Lock, open_console};
use novel_gate::store::{Project, StateDir};
use serde_json::{Value, json};

use crate::sandbox::{Ran, Running, Sandbox, wait_for};

const FOLDER: &str = "staging/novel-ask/relay";
/// A record for the gate of [`Hooked::put_gate`].
const RECORD: &str = r#"{"version": 1, "topic": "t", "answers": {"a": "x"},
 "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"}"#;

/// A project in which Claude Code is at work.
pub(crate) struct Hooked {
    pub(crate) book: Sandbox,
}

/// What Claude Code gives to a hook.
pub(crate) fn call(book: &Sandbox, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "5e55", "transcript_path": "/nowhere/t.jsonl", "cwd": book.root(), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_01",
    })
}

/// A question with one choice.
pub(crate) fn question(text: &str, labels: &[&str]) -> Value {
    let options: Vec<Value> =
        labels.iter().map(|label| json!({"label": label, "description": "d"})).collect();
    json!({"question": text, "header": "平台", "multiSelect": false, "options": options})
}

impl Hooked {
    pub(crate) fn new() -> Hooked {
        let book = Sandbox::new();
        book.put(".checkpoint.json", "{}");
        Hooked { book }
    }

    /// Says that a console is open, as a console does.
    pub(crate) fn open_console(&self) -> Lock {
        let project = Project::open(&self.book.root()).expect("a project");
        open_console(&StateDir::new(&self.book.state(), &project)).expect("a lock")
    }

    /// A gate of the novel's own: `step:a`, one question.
    pub(crate) fn put_gate(&self) {
        let packet = json!({"step": "step:a", "answer_path": "staging/novel-ask/a.json", "novel_ask": {
            "version": 1, "topic": "t", "questions": [
                {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        self.book.put("staging/manifests/a.packet.json", packet.to_string());
    }

    /// The hook of a call.
    pub(crate) fn start(&self, call: &Value) -> Running {
        self.start_with(call.to_string().as_bytes(), &[])
    }

    fn start_with(&self, input: &[u8], flags: &[&str]) -> Running {
        Running::start_fed(&mut self.command("claude-code", flags), input)
    }

    /// As an executor runs it: the project is found from the call alone.
    fn command(&self, executor: &str, flags: &[&str]) -> Command {
        let mut command = self.book.system("novel-gate");
        command.args(["hook", executor, "--lang", "en", "--state-dir"]).arg(self.book.state());
        command.args(flags).current_dir("/");
        command
    }

    /// What the hook says in the end.
    fn say(&self, call: &Value) -> Ran {
        self.start(call).wait()
    }

    /// The packets of relayed questions, relative to the root.
    fn packets(&self) -> Vec<String> {
        let files = fs::read_dir(self.book.path(FOLDER)).into_iter().flatten().flatten();
        let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        let mut packets: Vec<String> = names
            .filter(|name| name.ends_with(".packet.json"))
            .map(|name| format!("{FOLDER}/{name}"))
            .collect();
        packets.sort();
        packets
    }

    /// Everything in the folder of relayed questions.
    fn left(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.book.path(FOLDER)).into_iter().flatten().flatten();
        files.map(|file| file.path()).collect()
    }

    /// The one packet, once it is there.
    pub(crate) fn packet(&self) -> String {
        self.packet_that("the packet", |_| true)
    }

    /// The one packet, once it is there and is such a one. Looked at once: the list may change at any time.
    fn packet_that(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        wait_for(what, || match &*self.packets() {
            [packet] if is_it(packet) => Some(packet.clone()),
            _ => None,
        })
    }

    /// Answers a packet in another process.
    pub(crate) fn answer(&self, packet: &str, answers: &Value) {
        self.book.put("../answers.json", json!({"answers": answers}).to_string());
        let from = self.book.path("../answers.json").to_string_lossy().into_owned();
        let ran = self.book.run(["answer", packet, "--from", &from, "--by", "human", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

/// What the hook decided.
fn said(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(value["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    value["hookSpecificOutput"].clone()
}

/// Why the hook denied a call.
fn denied(ran: &Ran) -> String {
    let said = said(ran);
    assert_eq!(said["permissionDecision"], "deny");
    said["permissionDecisionReason"].as_str().expect("a reason").to_owned()
}

/// The hook forbids nothing; it may have told the agent what was decided.
fn assert_passes(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.is_empty() || said(ran)["permissionDecision"] != "deny", "{ran:?}");
}

/// The hook said nothing: the executor goes on as if there were none.
fn assert_silent(ran: &Ran) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn what_is_no_call_is_let_pass() {
    let hooked = Hooked::new();
    let _console = hooked.open_console();
    let good = call(&hooked.book, "AskUserQuestion", &json!({"questions": [question("q", &["a", "b"])]}));
    let changed = |key: &str, value: Value| {
        let mut call = good.clone();
        call[key] = value;
        call.to_string()
    };
    for input in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "\u{0}\u{1b}[2J".to_owned(),
        changed("tool_name", json!("Bash")),
        changed("tool_name", json!("mcp__a__AskUser")),
        changed("tool_name", json!("request_user_input")),
        changed("tool_name", json!(null)),
        changed("tool_input", json!("no object")),
        changed("tool_input", json!({"questions": [question("q", &["a", "a"])]})),
        changed("tool_input", json!({"questions": [question("q", &["a", "b"]), question("q", &["c", "d"])]})),
        changed("hook_event_name", json!("PostToolUse")),
        changed("cwd", json!("/")),
        changed("cwd", json!("/nowhere/at/all")),
        changed("cwd", json!(7)),
    ] {
        let ran = hooked.start_with(input.as_bytes(), &[]).wait();
        assert_silent(&ran);
        assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
    }
    assert_eq!(hooked.left().len(), 0);
}

#[test]
fn a_wrong_command_line_forbids_nothing() {
    let hooked = Hooked::new();
    for line in [&["hook"][..], &["hook", "gemini"], &["hook", "claude-code", "--nonsense"]] {
        let ran = hooked.book.run(line);
        assert_eq!(ran.code, Some(1), "2 would forbid the call: {ran:?}");
    }
}
