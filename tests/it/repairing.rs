//! Reviewing blocked steps and redoing gates through the commands alone: whole outputs and the bytes on disk.

mod causes;
mod gone;
mod past;

use super::project::Book;
use novel_gate::store::{Project, StateDir, sha256};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const PACKET: &str = "staging/manifests/chapter-048-draft.packet.json";
const STEP: &str = "chapter:048:draft";
const RECORD: &str = "staging/novel-ask/a.answers.json";
const OUTPUT: &str = "staging/chapters/048.md";

/// One gate and the commands at work on it.
struct Clinic {
    book: Book,
}

impl Clinic {
    fn new() -> Clinic {
        let clinic = Clinic { book: Book::new() };
        clinic.put(PACKET, packet().to_string());
        clinic
    }

    /// The same with this record.
    fn with(record: impl AsRef<[u8]>) -> Clinic {
        let clinic = Clinic::new();
        clinic.put(RECORD, record);
        clinic
    }

    fn path(&self, below: &str) -> PathBuf {
        self.book.root().join(below)
    }

    fn put(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, bytes).expect("a file");
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        fs::read(self.path(RECORD)).ok()
    }

    /// Exit code, standard output, standard error.
    fn run(&self, line: &[&str]) -> (i32, String, String) {
        let ran = self.book.run(line);
        (ran.exit, ran.out, ran.err)
    }

    /// The one JSON object of a command that warns of nothing.
    fn json(&self, line: &[&str]) -> Value {
        let (exit, out, err) = self.run(&[line, &["--json"]].concat());
        assert_eq!((out.lines().count(), err.as_str()), (1, ""), "{line:?}: {out}");
        let json: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["exit"], exit, "{line:?}");
        json
    }

    /// Reason, validity and record of every entry, newest first.
    fn history(&self) -> Vec<(String, bool, Vec<u8>)> {
        let json = self.json(&["history"]);
        let entries = json["entries"].as_array().expect("a list").iter();
        let project = Project::open(&self.book.root()).expect("the project");
        let state = StateDir::new(&self.book.state(), &project);
        let told = entries.map(|entry| {
            let entry_of = novel_gate::store::history::find(&state, &text(&entry["id"])).expect("the entry");
            let bytes = entry_of.bytes().expect("the exact bytes");
            assert_eq!(entry["sha256"], sha256(&bytes));
            assert!(entry["novel_ask"].is_object(), "{entry}");
            (text(&entry["reason"]), entry["valid"] == true, bytes)
        });
        told.collect()
    }

    fn reasons(&self) -> Vec<String> {
        self.history().into_iter().map(|(reason, ..)| reason).collect()
    }

    /// Ids of the entries, newest first.
    fn ids(&self) -> Vec<String> {
        let json = self.json(&["history"]);
        json["entries"].as_array().expect("a list").iter().map(|entry| text(&entry["id"])).collect()
    }

    /// Answers with `platform`; the record's bytes.
    fn answer(&self, platform: &str, more: &[&str]) -> Vec<u8> {
        let set = format!("platform={platform}");
        let json = self.json(&[&["answer", STEP, "--set", &set, "--by", "human"], more].concat());
        assert_eq!(json["status"], "written", "{json}");
        self.bytes().expect("a record")
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn packet() -> Value {
    json!({
        "step": STEP, "agent": {"kind": "subagent", "name": "chapter-writer"}, "answer_path": RECORD,
        "expected_outputs": [{"path": OUTPUT, "required": true}, {"path": RECORD}],
        "novel_ask": {"version": 1, "topic": "平台", "_why": "第一卷之前必须定下", "questions": [
            {"id": "platform", "header": "平台", "question": "发布到哪里？", "kind": "single_choice", "required": true,
             "_cluster": "发布", "default": "tomato",
             "options": [{"label": "qidian", "description": "起点"}, {"label": "tomato", "description": "番茄"}]},
            {"id": "drive", "header": "Drive", "question": "What drives it?", "kind": "multi_choice", "required": false,
             "options": [{"label": "plot", "description": "p"}, {"label": "people", "description": "c"}]},
            {"id": "note", "header": "Note", "question": "Anything else?", "kind": "free_text", "required": false}]}
    })
}

fn record(answers: &Value) -> Value {
    json!({"version": 1, "topic": "平台", "answers": answers, "answered_at": "2026-01-02T03:04:05.000Z",
        "answered_by": "codex"})
}

/// A record as novel-gate writes it.
fn written(platform: &str, at: &str) -> String {
    format!(
        "{{\n  \"version\": 1,\n  \"topic\": \"平台\",\n  \"answers\": {{\n    \"platform\": \"{platform}\"\n  }},\n  \
         \"answered_at\": \"{at}\",\n  \"answered_by\": \"human\"\n}}\n"
    )
}
