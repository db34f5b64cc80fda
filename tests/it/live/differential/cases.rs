//! Packets and records with faults, made from the recorded ones: valid, nearly valid and broken.

use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

const RECORDED: &str = include_str!("../../../conformance/check.jsonl");
/// Where the record lies, unless a fault says another place.
const RECORD: &str = "answers.json";
/// Strings that readers are apt to judge differently.
const STRINGS: &[&str] = &[
    "",
    " ",
    "\u{3000}",
    "\u{feff}",
    "\u{85}",
    "\u{200b}",
    "a",
    "A",
    "constructor",
    "__proto__",
    "toString",
    "_note",
    "single_choice",
    "multi_choice",
    "free_text",
    "platform",
    "target_words",
    "Ａ",
    "é",
    "e\u{301}",
    "起点",
    "0",
    "-1",
    "2026-02-30T10:00:00Z",
    "2026-02-27T24:00:00Z",
    "2026-02-27T24:00:00.000Z",
    "2026-02-27T23:59:60Z",
    "2026-02-27t10:00:00z",
    "2026-02-27T10:00:00+24:00",
    "2026-02-27T10:00:00-00:00",
    "0000-01-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-02-27T10:00:00.1234567890Z",
    "2026-02-27 10:00:00Z",
    "٢026-02-27T10:00:00Z",
    "../a.json",
    "/a.json",
    "a/../b.json",
    "./answers.json",
    "a\\..\\b",
    "answers.json/",
    "sub/../../x",
    "answers.json",
    "//answers.json",
    "staging//a.json",
    "C:\\a",
    "..",
    ".",
    "nul\u{0}byte",
];
/// Texts that replace a value: numbers, escapes and forms that only some readers take.
const TOKENS: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-0",
    "1.0",
    "1e0",
    "10e-1",
    "0.99999999999999999999",
    "1e400",
    "-1e400",
    "01",
    "1.",
    "+1",
    ".5",
    "NaN",
    "9007199254740993",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u0000\"",
    "\"\\x41\"",
    "\"\t\"",
    "{}",
    "[]",
    "[[]]",
    "{\"a\":1,\"a\":2}",
    "\"\\ufeff\"",
    "'a'",
    "//",
    ",",
    "",
    "[1,]",
];

/// A packet and, if there is one, the record.
pub(super) struct Case {
    packet: Vec<u8>,
    record: Option<Vec<u8>>,
}

impl Case {
    /// Writes a project.
    pub(super) fn lay_out(&self, root: &Path) {
        fs::create_dir(root).expect("a directory");
        fs::write(root.join("packet.json"), &self.packet).expect("the packet");
        if let Some(record) = &self.record {
            fs::write(root.join(RECORD), record).expect("the record");
        }
    }

    /// Whether the packet is JSON but no object: malformed here, without a gate there (`docs/packets.md`).
    pub(super) fn is_no_object(&self) -> bool {
        let text = String::from_utf8_lossy(&self.packet);
        !text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
    }
}

/// Makes cases, the same ones from the same seed.
pub(super) struct Generator {
    random: Random,
    /// Packets with a gate, and a record each has had.
    recorded: Vec<(Value, Option<Value>)>,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Generator {
        let recorded: Vec<_> = RECORDED.lines().filter_map(recorded).collect();
        assert!(recorded.len() > 500, "{}", recorded.len());
        Generator { random: Random(seed), recorded }
    }

    pub(super) fn case(&mut self) -> Case {
        let random = &mut self.random;
        let (packet, record) = random.pick(&self.recorded).clone();
        let mut packet = packet;
        packet["answer_path"] = RECORD.into();
        let record = match record {
            Some(record) if random.one_in(2) => Some(record),
            _ => random.record(&packet),
        };
        let mut record = record.filter(|_| !random.one_in(8));
        // Most cases have a fault in one of both: what follows the first fault is never looked at.
        if random.one_in(2) {
            random.break_value(&mut packet);
        } else if let Some(record) = &mut record {
            random.break_value(record);
        }
        Case { packet: random.text(&packet), record: record.map(|record| random.text(&record)) }
    }
}

/// The packet of a recorded case and its record, if the packet is well-formed and has a gate.
fn recorded(line: &str) -> Option<(Value, Option<Value>)> {
    let line: Value = serde_json::from_str(line).expect("a recorded case");
    let file = |name: &str| serde_json::from_str::<Value>(line["files"][name].as_str()?).ok();
    let packet = file(line["packet"].as_str()?)?;
    packet.get("novel_ask")?.as_object()?;
    if line["verdict"] == "packet_invalid" {
        return None;
    }
    let record = packet["answer_path"].as_str().and_then(file);
    Some((packet, record))
}

/// A stream of numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).expect("below the limit")
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        let at = self.below(list.len());
        &list[at]
    }

    /// A record that fits a packet, as far as the packet can be answered.
    fn record(&mut self, packet: &Value) -> Option<Value> {
        let spec = &packet["novel_ask"];
        let mut answers = Map::new();
        for question in spec["questions"].as_array()? {
            let labels: Vec<Value> = question["options"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|option| option["label"].clone())
                .collect();
            let one = |random: &mut Random| {
                if labels.is_empty() || random.one_in(6) {
                    (*random.pick(STRINGS)).into()
                } else {
                    random.pick(&labels).clone()
                }
            };
            let answer = match question["kind"].as_str() {
                Some("multi_choice") => (0..=self.below(2)).map(|_| one(self)).collect(),
                _ => one(self),
            };
            if question["required"] == true || !self.one_in(3) {
                answers.insert(question["id"].as_str()?.to_owned(), answer);
            }
        }
        let (version, topic) = (spec["version"].clone(), spec["topic"].clone());
        let at = if self.one_in(6) { *self.pick(STRINGS) } else { "2026-02-27T10:12:34.000Z" };
        Some(
            json!({"version": version, "topic": topic, "answers": answers, "answered_at": at, "answered_by": "human"}),
        )
    }

    /// Puts faults into a document, or none.
    fn break_value(&mut self, document: &mut Value) {
        for _ in 0..self.below(4) {
            let mut places = Vec::new();
            collect(document, String::new(), &mut places);
            let (from, to) = (self.pick(&places).clone(), self.pick(&places).clone());
            let value = match self.below(6) {
                0 => document.pointer(&from).expect("a place").clone(),
                1 => Value::Null,
                2 => json!([]),
                3 => json!(self.below(3)),
                _ => (*self.pick(STRINGS)).into(),
            };
            let Some((above, key)) = to.rsplit_once('/') else { continue };
            let key = key.replace("~1", "/").replace("~0", "~");
            match document.pointer_mut(above) {
                Some(Value::Object(members)) => match self.below(4) {
                    0 => _ = members.shift_remove(&key),
                    1 => _ = members.insert((*self.pick(STRINGS)).to_owned(), value),
                    2 => {
                        let moved = members.shift_remove(&key).unwrap_or_default();
                        members.insert((*self.pick(STRINGS)).to_owned(), moved);
                    }
                    _ => _ = members.insert(key, value),
                },
                Some(Value::Array(elements)) => match self.below(3) {
                    0 => _ = elements.pop(),
                    1 => elements.push(value),
                    _ => elements.extend(elements.first().cloned()),
                },
                _ => {}
            }
        }
    }

    /// The document as text, seldom with a fault that only text can have.
    fn text(&mut self, document: &Value) -> Vec<u8> {
        let pretty = self.one_in(3);
        let text =
            if pretty { serde_json::to_string_pretty(document) } else { serde_json::to_string(document) };
        let mut text = text.expect("JSON").into_bytes();
        if self.one_in(3) {
            self.break_text(&mut text);
        }
        text
    }

    fn break_text(&mut self, text: &mut Vec<u8>) {
        match self.below(8) {
            0 => text.truncate(self.below(text.len())),
            1 => text.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
            2 => text.extend(*self.pick(&[&b" \n"[..], b"x", b"\0", b"{}", b"\xc2\xa0"])),
            3 => {
                let at = self.below(text.len());
                text[at] = u8::try_from(self.below(256)).expect("a byte");
            }
            4 => {
                // A member twice: the last one counts.
                let members: Vec<usize> = positions(text, b"{\"");
                let at = (*self.pick(&members) + 1).min(text.len());
                let member = format!(
                    "\"{}\":{},",
                    self.pick(&["version", "topic", "id", "label", "kind"]),
                    self.pick(TOKENS)
                );
                text.splice(at..at, member.into_bytes());
            }
            _ => {
                // Another value behind some colon.
                let colons = positions(text, b"\":");
                let at = (*self.pick(&colons) + 2).min(text.len());
                let end = at + text[at..].iter().position(|byte| b",}]".contains(byte)).unwrap_or(0);
                let token = *self.pick(TOKENS);
                text.splice(at..end, token.bytes());
            }
        }
    }
}

/// Where a pattern stands; at the start if nowhere.
fn positions(text: &[u8], pattern: &[u8]) -> Vec<usize> {
    let found: Vec<usize> = text
        .windows(pattern.len())
        .enumerate()
        .filter(|(_, part)| *part == pattern)
        .map(|(at, _)| at)
        .collect();
    if found.is_empty() { vec![0] } else { found }
}

/// The pointers of all values of a document.
fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                collect(value, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                collect(value, format!("{at}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(at);
}
