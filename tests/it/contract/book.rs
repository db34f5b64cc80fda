//! The project on which the contracts are tried: a gate in every state, with times that never change.
//!
//! | step | what |
//! |---|---|
//! | `chapter:001:draft` | answered by codex, behind the checkpoint, its output is there |
//! | `chapter:002:draft` | waiting, with a question of each kind |
//! | `chapter:003:draft` | blocked |
//! | `chapter:004:draft` | malformed |
//! | `chapter:005:draft` | no gate |
//! | `chapter:006:draft` | blocked: its answer path is a directory |
//! | `chapter:007:draft` | waiting, but no record can be written: its answer path is inside `.git` |
//! | `chapter:008:draft`, `chapter:008:refine`, `chapter:008:judge` | one place of answers; the last asks something else |

use crate::system::set_written;
use novel_gate::platform::paths::{Shown as _, canonicalize};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 2026-02-27T10:00:00Z, when everything in the book was written.
const WRITTEN: Duration = Duration::from_hours(492_274);

/// A project of its own with the places around it; removed at its end.
pub(super) struct Book {
    top: tempfile::TempDir,
}

impl Book {
    pub(super) fn new() -> Book {
        let book = Book { top: tempfile::tempdir().expect("a directory") };
        for (path, text) in files() {
            book.put(&path, &text);
        }
        // A directory that stands where a record should be: its time decides its place in the list.
        set_written(&book.root().join("staging/manifests"), UNIX_EPOCH + WRITTEN);
        book
    }

    /// The directory around the project, as the system spells it.
    pub(super) fn top(&self) -> PathBuf {
        canonicalize(self.top.path()).expect("a directory")
    }

    pub(super) fn root(&self) -> PathBuf {
        self.top().join("book")
    }

    /// Writes a file of the project.
    pub(super) fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).expect("a file");
        set_written(&path, UNIX_EPOCH + WRITTEN);
    }

    /// Every file of the project with its bytes and when it was written.
    pub(super) fn files(&self) -> Vec<(String, Vec<u8>, SystemTime)> {
        let (mut out, mut open) = (Vec::new(), vec![self.root()]);
        while let Some(dir) = open.pop() {
            for path in fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    open.push(path);
                } else {
                    let shown = shown(&path, &self.root());
                    let modified = path.metadata().and_then(|meta| meta.modified()).expect("a time");
                    out.push((shown, fs::read(&path).expect("a file"), modified));
                }
            }
        }
        out.sort();
        out
    }
}

fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).expect("below the root").shown().into_owned()
}

fn files() -> Vec<(String, String)> {
    let mut files = vec![
        (".checkpoint.json".to_owned(), checkpoint().to_string()),
        ("staging/chapters/001.md".to_owned(), "# 第一章\n".to_owned()),
        (
            "staging/novel-ask/001.json".to_owned(),
            pretty(&record("平台", &json!({"platform": "tomato", "note": "慢一点"}))),
        ),
        (
            "staging/novel-ask/003.json".to_owned(),
            pretty(&record("平台", &json!({"platform": "tomatoes", "drive": "plot"}))),
        ),
    ];
    for (step, packet) in packets() {
        let name = step.replace(':', "-");
        files.push((format!("staging/manifests/{name}.packet.json"), pretty(&packet)));
    }
    files
}

fn checkpoint() -> Value {
    json!({"last_completed_chapter": 1, "current_volume": 1, "orchestrator_state": "WRITING", "pipeline_stage": "drafting",
        "volume_pipeline_stage": null, "quickstart_phase": null, "inflight_chapter": 2, "revision_count": 0,
        "hook_fix_count": 0, "title_fix_count": 0, "last_checkpoint_time": "2026-02-27T10:00:00.000Z"})
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON") + "\n"
}

fn record(topic: &str, answers: &Value) -> Value {
    json!({"version": 1, "topic": topic, "answers": answers, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "codex"})
}

fn packets() -> Vec<(&'static str, Value)> {
    let draft = |step: &'static str, answer_path: &str, questions: Value| {
        let packet = json!({"version": 1, "step": step, "agent": {"kind": "subagent", "name": "chapter-writer"},
            "manifest": {"mode": "paths"},
            "novel_ask": {"version": 1, "topic": "平台", "questions": questions}, "answer_path": answer_path,
            "expected_outputs": [{"path": format!("staging/chapters/{}.md", &step[8..11]), "required": true},
                {"path": "staging/notes.md", "required": false}],
            "next_actions": [{"kind": "command", "command": format!("novel advance {step}")}]});
        (step, packet)
    };
    let one = json!([{"id": "a", "header": "A", "question": "What?", "kind": "free_text", "required": true}]);
    let two = json!([{"id": "b", "header": "B", "question": "Why?", "kind": "free_text", "required": true}]);
    vec![
        draft("chapter:001:draft", "staging/novel-ask/001.json", questions()),
        draft("chapter:002:draft", "staging/novel-ask/002.json", questions()),
        draft("chapter:003:draft", "staging/novel-ask/003.json", questions()),
        (
            "chapter:004:draft",
            json!({"step": "chapter:004:draft", "agent": "chapter-writer", "answer_path": "../004.json",
            "novel_ask": {"version": 1, "topic": "平台", "questions": [{"id": "A"}]}}),
        ),
        ("chapter:005:draft", json!({"step": "chapter:005:draft", "agent": "chapter-writer"})),
        draft("chapter:006:draft", "staging/manifests", one.clone()),
        draft("chapter:007:draft", ".git/007.json", one.clone()),
        draft("chapter:008:draft", "staging/novel-ask/008.json", one.clone()),
        draft("chapter:008:judge", "./staging/novel-ask/008.json", two),
        draft("chapter:008:refine", "staging//novel-ask/008.json", one.clone()),
        (
            "chapter:009:draft",
            json!({"step": "chapter:009:draft", "agent": "chapter-writer", "answerPath": "staging/novel-ask/009.json",
            "novelAsk": {"version": 1, "topic": "平台", "questions": one}}),
        ),
    ]
}

fn questions() -> Value {
    json!([
        {"id": "platform", "header": "平台", "question": "发布到哪里？", "kind": "single_choice", "required": true,
         "options": [{"label": "qidian", "description": "起点"}, {"label": "tomato", "description": "番茄"}],
         "default": "tomato"},
        {"id": "drive", "header": "Drive", "question": "What drives it?", "kind": "multi_choice", "required": false,
         "allow_other": true,
         "options": [{"label": "plot", "description": "what happens"}, {"label": "character", "description": "who it happens to"}]},
        {"id": "note", "header": "Note", "question": "Anything else?", "kind": "free_text", "required": false}
    ])
}
