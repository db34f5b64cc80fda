//! The same gate through the executor's own dialogs: every way ends in the same bytes, and the package accepts them.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::executor::executor;
use super::{Live, NOTE, RECORD, TONE};

const REPLIES: &str = "replies.jsonl";
/// Far more calls than four questions take.
const MOST_CALLS: usize = 40;

/// The executors' dialogs, each with its flags.
const WAYS: [&[&str]; 6] = [
    &["claude-code"],
    &["claude-code", "--max-questions", "1"],
    &["codex"],
    &["codex", "--exact-options", "3"],
    &["codex", "--max-questions", "3"],
    &["json-contract"],
];

#[test]
fn every_dialog_ends_in_the_same_answers_and_the_executor_accepts_them() {
    let Some(executor) = executor() else { return };
    let mut live = Live::begin(executor, "live-dialogs-transcript.txt");
    let given = json!({"answers": {"platform": "fanqie", "genre_drive_type": ["plot", "character"],
                                    "tone": TONE, "project_note": NOTE}});
    live.book.put("given.json", given.to_string());
    live.transcript.chapter("novel-gate answer --from");
    let packet = live.packet.clone();
    let ran = live.book.run(["answer", &packet, "--from", "given.json", "--by", "human"]);
    live.transcript.command("novel-gate answer PACKET --from given.json --by human", &ran);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let expected = answers(&live.record());
    for way in WAYS {
        live.transcript.chapter(&format!("novel-gate next --for {}", way.join(" ")));
        live.redo_by_command();
        let waiting = live.wait();
        live.hold(way);
        let record = live.goes_on(waiting);
        live.accepted(&record);
        assert_eq!(answers(&live.record()), expected, "{way:?}");
        let by = match way[0] {
            "claude-code" => "claude_code",
            "codex" => "codex",
            _ => "human",
        };
        assert_eq!(record["answered_by"], by);
    }
}

/// The member `answers` of a record, byte for byte.
fn answers(record: &[u8]) -> String {
    let text = std::str::from_utf8(record).expect("UTF-8");
    let start = text.find("\"answers\": ").expect("answers");
    let end = text.find("\"answered_at\"").expect("a time");
    text[start..end].to_owned()
}

impl Live {
    fn redo_by_command(&mut self) {
        let packet = self.packet.clone();
        let ran = self.book.run(["redo", &packet]);
        self.transcript.command("novel-gate redo PACKET", &ran);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    /// Holds the dialogue as an executor does, seeing only what is printed.
    fn hold(&mut self, way: &[&str]) {
        // An earlier dialogue's replies are another dialogue's.
        let replies = format!("{}-{REPLIES}", way.join(""));
        let packet = self.packet.clone();
        let mut line = vec!["next", &packet, "--replies", &replies, "--write", "--for"];
        line.extend(way);
        let mut wanted: HashMap<&str, Vec<&str>> = HashMap::from([
            ("platform", vec!["fanqie"]),
            ("genre_drive_type", vec!["character", "plot"]),
            ("tone", vec![TONE]),
            ("project_note", vec![NOTE]),
        ]);
        let mut more: Vec<String> = Vec::new();
        for _ in 0..MOST_CALLS {
            let whole: Vec<&str> = line.iter().copied().chain(more.iter().map(String::as_str)).collect();
            let ran = self.book.run(&whole);
            self.transcript.command(&format!("novel-gate {}", whole.join(" ")), &ran);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            let said: Value = serde_json::from_str(&ran.stdout).expect("one JSON object");
            if said["status"] == "done" {
                assert_eq!(said["written"], true);
                assert!(self.book.read(RECORD).is_some());
                return;
            }
            assert_eq!(said["rejected"], json!([]), "{said}");
            more = vec!["--call".to_owned(), said["call"].as_str().expect("a call").to_owned()];
            for (id, value) in reply(&said, &mut wanted) {
                more.extend(["--answer".to_owned(), format!("{id}={value}")]);
            }
        }
        panic!("no end after {MOST_CALLS} calls");
    }
}

/// What an author who wants this says to a call: ids and values.
fn reply(said: &Value, wanted: &mut HashMap<&str, Vec<&str>>) -> Vec<(String, String)> {
    let asks: Vec<&str> = said["asks"].as_array().expect("ids").iter().filter_map(Value::as_str).collect();
    let all = |wanted: &HashMap<&str, Vec<&str>>, id: &str| -> Vec<(String, String)> {
        wanted[id].iter().map(|value| (id.to_owned(), (*value).to_owned())).collect()
    };
    let Some(questions) = said["input"]["questions"].as_array() else {
        return asks.iter().flat_map(|id| all(wanted, id)).collect();
    };
    let mut values = Vec::new();
    for (id, question) in asks.into_iter().zip(questions) {
        let options: Vec<(&str, &str)> = question["options"]
            .as_array()
            .expect("options")
            .iter()
            .map(|option| {
                (option["label"].as_str().expect("a label"), option["description"].as_str().expect("words"))
            })
            .collect();
        if question["multiSelect"] == true {
            values.extend(all(wanted, id));
            continue;
        }
        let wanted = wanted.get_mut(id).expect("a question of the gate");
        let shown = |label: &str| options.iter().any(|(shown, _)| *shown == label);
        let behind = |value: &str| {
            options.iter().find(|(_, about)| {
                about.contains(&format!(": {value}")) || about.contains(&format!("| {value}"))
            })
        };
        let value = match wanted.last().copied() {
            None => "__done__",
            Some(_) if shown("__type__") => "__type__",
            Some(value) if shown(value) => wanted.pop().unwrap_or(value),
            Some(value) => match behind(value) {
                Some((group, _)) => group,
                None if shown("__more__") => "__more__",
                None => wanted.pop().unwrap_or(value),
            },
        };
        values.push((id.to_owned(), value.to_owned()));
    }
    values
}
