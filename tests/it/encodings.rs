//! Files that are not UTF-8.

use crate::in_process::call;
use novel_gate::Environment;
use std::fs;

const PACKET: &str = r#"{"step": "chapter:001:draft", "novel_ask": {"version": 1, "topic": "语气", "questions": [
    {"id": "tone", "header": "语气", "question": "用什么语气？", "kind": "single_choice", "required": true,
     "options": [{"label": "冷峻", "description": "克制"}, {"label": "热烈", "description": "外放"}]}]},
    "answer_path": "staging/novel-ask/1.answers.json"}"#;

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(dir.path().join("staging/novel-ask")).expect("directories");
        fs::write(dir.path().join(".checkpoint.json"), "{}").expect("a checkpoint");
        Desk(dir)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(path), bytes).expect("a file");
    }

    fn run(&self, line: &[&str]) -> (i32, String) {
        let cwd = self.0.path().to_path_buf();
        let environment = Environment { cwd, ..Environment::default() };
        let state = self.0.path().join("state");
        let state = ["--state-dir", state.to_str().expect("UTF-8")];
        let (exit, out, err) = call(&environment, [&state[..], line].concat(), b"").texts();
        (exit, out + &err)
    }
}

#[test]
fn a_packet_in_gbk_is_answered_by_no_command() {
    let desk = Desk::new();
    desk.put("staging/a.packet.json", &encoding_rs::GBK.encode(PACKET).0);
    let label = "tone=\u{fffd}\u{fffd}\u{fffd}\u{fffd}";
    let (exit, told) = desk.run(&["answer", "staging/a.packet.json", "--by", "me", "--set", label]);
    assert!(exit != 0 && told.contains("UTF-8"), "{exit}: {told}");
    assert!(!desk.0.path().join("staging/novel-ask/1.answers.json").exists());
}

#[test]
fn what_is_in_another_encoding_is_named() {
    let desk = Desk::new();
    let wide: Vec<u8> = PACKET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    desk.put("staging/a.packet.json", &[b"\xff\xfe", &wide[..]].concat());
    let (exit, told) = desk.run(&["lint", "staging/a.packet.json"]);
    assert!(exit == 5 && told.contains("text in UTF-16, not in UTF-8"), "{exit}: {told}");
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    let record = r#"{"version": 1, "topic": "语气", "answers": {"tone": "热烈"}, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "我"}"#;
    desk.put("staging/novel-ask/1.answers.json", &encoding_rs::GBK.encode(record).0);
    let (exit, told) = desk.run(&["show", "staging/a.packet.json"]);
    assert!(told.contains("it looks like GBK"), "{exit}: {told}");
}
