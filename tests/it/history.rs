//! `history` and what other commands tell of the past: whole outputs, with entries made at fixed times.

mod changes;
mod listing;

use crate::in_process::call;
use jiff::tz::{TimeZone, offset};
use novel_gate::Environment;
use novel_gate::ask::decode_packet;
use novel_gate::store::history::{Note, Reason, Story, add};
use novel_gate::store::{Project, StateDir};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const RECORD: &str = "staging/novel-ask/a.answers.json";
const PACKET: &str = "staging/manifests/chapter-048-draft.packet.json";
const STEP: &str = "chapter:048:draft";

struct Book {
    top: tempfile::TempDir,
}

struct Ran {
    exit: i32,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        assert_eq!((self.out.lines().count(), self.err.as_str()), (1, ""), "{}", self.out);
        let json: Value = serde_json::from_str(&self.out).expect("JSON");
        assert_eq!(json["exit"], self.exit);
        json
    }
}

impl Book {
    /// A project with one gate.
    fn new() -> Book {
        let book = Book { top: tempfile::tempdir().expect("a directory") };
        book.put(PACKET, packet().to_string());
        book
    }

    fn root(&self) -> PathBuf {
        self.top.path().join("book")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("a file");
    }

    fn state(&self) -> StateDir {
        StateDir::new(&self.top.path().join("state"), &Project::open(&self.root()).expect("a project"))
    }

    /// Adds an entry about a packet on a day of 2025; its id.
    fn note(&self, packet: &Value, (reason, day): (Reason, u64), record: &str) -> String {
        let decoded = decode_packet(packet.to_string().as_bytes()).expect("a legal packet");
        let gate = decoded.gate.expect("a gate");
        let path = self.root().join(PACKET);
        let story = Story {
            answer_path: &gate.answer_path,
            packet: Some(&path),
            step: decoded.step.as_ref(),
            spec: Some(&gate.spec),
            novel_ask: None,
        };
        let note = Note { reason, of: None, bytes: record.as_bytes() };
        add(&self.state(), &story, &note, day_of_2025(day)).expect("an entry").id()
    }

    fn run(&self, line: &[&str]) -> Ran {
        let state = self.top.path().join("state");
        let words = ["--state-dir".into(), state.into_os_string()].into_iter();
        // Noon in UTC is the next day there.
        let zone = Some(TimeZone::fixed(offset(13)));
        let environment = Environment { cwd: self.root(), zone, ..Environment::default() };
        let words = words.chain(line.iter().map(OsString::from));
        let (exit, out, err) = call(&environment, words, b"").texts();
        Ran { exit, out, err }
    }

    /// What a command prints that succeeds and has nothing to warn of.
    fn out(&self, line: &[&str]) -> String {
        let ran = self.run(line);
        assert_eq!((ran.exit, ran.err.as_str()), (0, ""), "{line:?}: {}", ran.out);
        ran.out
    }

    /// The reasons of all entries, newest first.
    fn reasons(&self) -> Vec<String> {
        let json = self.run(&["history", "--json"]).json();
        let entries = json["entries"].as_array().expect("a list").iter();
        entries.map(|entry| entry["reason"].as_str().expect("a reason").to_owned()).collect()
    }
}

/// Noon of a day, counted from the first of January.
fn day_of_2025(day: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_hours(24 * (20_089 + day - 1) + 12)
}

fn packet() -> Value {
    json!({
        "step": STEP,
        "expected_outputs": [{"path": "staging/chapters/048.md", "required": true}, {"path": RECORD}],
        "answer_path": RECORD,
        "novel_ask": {"version": 1, "topic": "平台", "questions": [
            {"id": "platform", "header": "平台", "question": "发布到哪里？", "kind": "single_choice", "required": true,
             "options": [{"label": "qidian", "description": "起点"}, {"label": "tomato", "description": "番茄"}],
             "default": "tomato"},
            {"id": "drive", "header": "Drive", "question": "What drives it?", "kind": "multi_choice",
             "required": false, "allow_other": true,
             "options": [{"label": "plot", "description": "p"}, {"label": "people", "description": "c"}]},
            {"id": "note", "header": "Note", "question": "Anything else?", "kind": "free_text", "required": false}]}
    })
}

/// The gate after somebody has changed it.
fn changed_packet() -> Value {
    let mut packet = packet();
    packet["novel_ask"]["questions"][0]["options"][0]["label"] = json!("起点");
    packet["novel_ask"]["questions"][2]["required"] = json!(true);
    packet
}

fn record(by: &str, answers: &Value) -> String {
    let record = json!({"version": 1, "topic": "平台", "answers": answers, "answered_at": "2026-01-02T03:04:05.000Z",
        "answered_by": by});
    record.to_string()
}
