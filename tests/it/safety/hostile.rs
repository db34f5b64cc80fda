//! A project whose every string tries to take the author's terminal over.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A colour that the console never uses.
pub(crate) const COLOUR: &str = "48;2;1;2;3";
/// Where the record of the waiting gate goes: a name that any file may have.
pub(crate) const ANSWERS: &str = "staging/novel-ask/\u{1b}]0;name\u{7}\u{202e}\u{200b}.json";
/// The packets, in the order of the inbox.
pub(crate) const PACKETS: [&str; 4] = [
    "staging/manifests/waiting\u{1b}]0;name\u{7}\u{202e}.packet.json",
    "staging/manifests/blocked\u{9b}31m.packet.json",
    "staging/manifests/malformed\r\n\u{200b}.packet.json",
    "staging/manifests/answered\u{7f}\u{feff}.packet.json",
];

/// A text that starts with its name and goes on with everything that is dangerous.
pub(crate) fn hostile(name: &str) -> String {
    let sequences = "\x1b[48;2;1;2;3m\x1b[99;99H\x1b[?1003h\x1b[3J\x1bc\x1b]0;owned\x07\
                     \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\\x1b]52;c;ZXZpbA==\x07\x1b(0\x1bPq#0;2;0\x1b_G";
    let c1 = "\u{9b}31m\u{9d}0;c1\u{9c}\u{90}\u{85}";
    let controls = "\x07\x08\r\n\r\t\0\x0b\x0c\x0e\x7f";
    let unseen =
        "\u{202e}fdp.exe\u{202c}\u{2066}\u{2069}\u{200b}\u{200d}\u{feff}\u{ad}\u{2028}\u{e0041}\u{e007f}";
    format!("{name}{sequences}{c1}{controls}{unseen}e{}.", "\u{301}".repeat(300))
}

/// Puts four packets into the project, one of each state.
pub(crate) fn fill(sandbox: &Sandbox) {
    let record = |file: &str, answers: Value| {
        let record = json!({
            "version": 1, "topic": hostile("topic"), "answers": answers,
            "answered_at": "2026-01-02T03:04:05Z", "answered_by": hostile("by"),
        });
        sandbox.put(file, record.to_string());
    };
    let blocked = "staging/novel-ask/blocked\u{1b}[31m.json";
    let answered = "staging/novel-ask/answered\u{7}.json";
    sandbox.put(PACKETS[0], packet(ANSWERS).to_string());
    sandbox.put(PACKETS[1], packet(blocked).to_string());
    sandbox.put(PACKETS[3], packet(answered).to_string());
    let mut broken = packet("staging/novel-ask/broken.json");
    let question = &mut broken["novel_ask"]["questions"][0];
    question["kind"] = json!(hostile("kind"));
    question["id"] = json!(hostile("id"));
    question[hostile("key")] = json!(hostile("value"));
    broken["answer_path"] = json!(format!("../{}", hostile("path")));
    sandbox.put(PACKETS[2], broken.to_string());
    let mut answers = json!({ "one": hostile("no option"), "many": [hostile("many 1"), hostile("many 1")] });
    answers[hostile("no question")] = json!(hostile("value"));
    record(blocked, answers);
    record(
        answered,
        json!({ "one": hostile("one 1"), "many": [hostile("many 2")], "text": hostile("words") }),
    );
}

fn packet(answer_path: &str) -> Value {
    let options = |name: &str| -> Vec<Value> {
        let label = |number| hostile(&format!("{name} {number}"));
        (1..=3)
            .map(|number| json!({ "label": label(number), "description": hostile("description") }))
            .collect()
    };
    json!({
        "version": 1,
        "step": hostile("step"),
        "agent": { "kind": hostile("kind"), "name": hostile("agent") },
        "novel_ask": { "version": 1, "topic": hostile("topic"), "questions": [
            { "id": "one", "header": hostile("header 1"), "question": hostile("question 1"), "kind": "single_choice",
              "required": true, "options": options("one"), "allow_other": true },
            { "id": "many", "header": hostile("header 2"), "question": hostile("question 2"), "kind": "multi_choice",
              "required": true, "options": options("many"), "default": [hostile("many 3")] },
            { "id": "text", "header": hostile("header 3"), "question": hostile("question 3"), "kind": "free_text",
              "required": false },
        ]},
        "answer_path": answer_path,
        "manifest": {},
        "expected_outputs": [{ "path": hostile("staging/output"), "required": true, "note": hostile("note") }],
        "next_actions": [{ "kind": "command", "command": hostile("command"), "note": hostile("note") }],
    })
}
