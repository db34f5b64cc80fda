//! `docs/novel-ask.md`: every example is what the program says, or what it takes.

use super::{blocks, read};
use crate::in_process::call;
use novel_gate::Environment;
use novel_gate::ask::{check_record, decode_packet};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// The page, and a project with its gate.
struct Guide {
    top: tempfile::TempDir,
    blocks: Vec<(String, String)>,
}

impl Guide {
    fn new() -> Guide {
        let blocks = blocks(&read("docs/novel-ask.md"));
        let guide = Guide { top: tempfile::tempdir().expect("a directory"), blocks };
        fs::create_dir(guide.top.path().join("staging")).expect("a project");
        fs::write(guide.top.path().join("staging/s.packet.json"), guide.packet()).expect("the packet");
        guide
    }

    fn of_kind<'g>(&'g self, kind: &'g str) -> impl Iterator<Item = &'g str> {
        self.blocks.iter().filter(move |(info, _)| info == kind).map(|(_, text)| text.as_str())
    }

    fn packet(&self) -> &str {
        self.of_kind("json").find(|text| text.contains("\"novel_ask\"")).expect("a gate")
    }

    fn record(&self) -> Value {
        let record = self.of_kind("json").find(|text| text.contains("\"answered_at\"")).expect("a record");
        serde_json::from_str(record).expect("JSON")
    }

    fn run(&self, line: &[&str], typed: &str) -> Value {
        let words = ["--lang", "en", "--state-dir", "state"].into_iter().chain(line.iter().copied());
        let environment = Environment { cwd: self.top.path().to_path_buf(), ..Environment::default() };
        let called = call(&environment, words, typed.as_bytes());
        serde_json::from_slice(&called.out).unwrap_or_else(|error| panic!("{line:?}: {error}"))
    }

    /// What `next` says, call by call, when these replies are given. One that names no call answers the last.
    fn talk<'r>(&self, executor: &str, replies: impl Iterator<Item = &'r str>, file: &str) -> Vec<Value> {
        let start = ["next", "s", "--for", executor, "--replies", file];
        let mut said = vec![self.run(&start, "")];
        for reply in replies {
            let mut reply: Value = serde_json::from_str(reply).expect("JSON");
            if reply["call"].is_null() {
                reply["call"] = said[said.len() - 1]["call"].clone();
            }
            let line: Vec<&str> = start.into_iter().chain(["--reply", "-"]).collect();
            said.push(self.run(&line, &reply.to_string()));
        }
        said
    }

    /// Everything the program says on the way through the document.
    fn outputs(&self) -> Vec<Value> {
        let mut outputs = Vec::new();
        for executor in ["claude-code", "codex"] {
            let replies = self.of_kind(if executor == "codex" { "jsonl codex" } else { "jsonl claude-code" });
            let replies: Vec<&str> = replies.flat_map(str::lines).collect();
            assert!(!replies.is_empty(), "{executor}");
            let said = self.talk(executor, replies.into_iter(), &format!("{executor}.jsonl"));
            let last = &said[said.len() - 1];
            assert_eq!(
                (&last["status"], &last["answers"]),
                (&json!("done"), &self.record()["answers"]),
                "{last}"
            );
            outputs.extend(said);
        }
        outputs.extend(self.talk("codex", ["{\"escape\": true}"].into_iter(), "escaped.jsonl"));
        outputs.push(self.run(&["plan", "s"], ""));
        let events: Vec<&str> = self.of_kind("jsonl events").collect();
        assert_eq!(events.len(), 1);
        outputs.push(self.run(&["plan", "--events", "-"], events[0]));
        outputs.push(self.run(&["compile", "s", "--for", "json-contract"], ""));
        outputs
    }

    /// What an example is, if the program agrees with it.
    fn kind_of(&self, text: &str, outputs: &[Value]) -> Option<&'static str> {
        let value: Value = serde_json::from_str(text).expect(text);
        let gate = decode_packet(self.packet().as_bytes()).expect("a packet").gate.expect("a gate");
        if value.get("novel_ask").is_some() {
            return decode_packet(text.as_bytes()).is_ok().then_some("packet");
        }
        if value.get("answered_at").is_some() {
            return check_record(&gate.spec, text.as_bytes()).is_ok().then_some("record");
        }
        for output in outputs {
            if value == *output {
                return Some("output");
            }
            if value == output["input"] {
                return Some("input");
            }
            if value == output["template"] {
                return Some("template");
            }
        }
        let reply = json!({"text": text}).to_string();
        let said = self.talk("json-contract", [reply.as_str()].into_iter(), "contract.jsonl");
        let answered = said[1]["status"] == "done" && said[1]["answers"] == self.record()["answers"];
        answered.then_some("contract")
    }
}

#[test]
fn every_example_is_what_the_program_says_or_takes() {
    let guide = Guide::new();
    let outputs = guide.outputs();
    let mut kinds = BTreeMap::new();
    for text in guide.of_kind("json") {
        let kind = guide.kind_of(text, &outputs);
        *kinds.entry(kind.unwrap_or_else(|| panic!("{text}"))).or_insert(0) += 1;
    }
    let wanted =
        [("contract", 1), ("input", 2), ("output", 4), ("packet", 1), ("record", 1), ("template", 1)];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), wanted);
    // The others have tests of their own.
    let known = [
        "",
        "json",
        "json protocol",
        "json task_sync",
        "jsonl claude-code",
        "jsonl codex",
        "jsonl events",
        "sh",
    ];
    assert!(guide.blocks.iter().all(|(info, _)| known.contains(&info.as_str())));
}
