//! Files of which something is lost: those that are not UTF-8, and those with a key twice.

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
fn what_is_handed_over_in_gbk_is_refused_by_its_name() {
    let desk = Desk::new();
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    desk.put(
        "given",
        &encoding_rs::GBK
            .encode(r#"{"answers": {"tone": "热烈"}, "about": "明天再说吧，这一章还没有想好"}"#)
            .0,
    );
    let given = desk.0.path().join("given").to_str().expect("UTF-8").to_owned();
    let answer = ["answer", "staging/a.packet.json", "--by", "me", "--from", &given];
    for line in [
        &answer[..],
        &[&answer[..], &["--dry-run"]].concat(),
        &["propose", "staging/a.packet.json", "--from", &given],
    ] {
        let (exit, told) = desk.run(line);
        assert!(exit == 2 && told.contains("is in GBK, not in UTF-8"), "{line:?}: {exit}: {told}");
    }
    // Without a mark it may look like UTF-8, and a mark of UTF-8 does not count.
    let wide: Vec<u8> = r#"{"answers": {"tone": "x"}}"#.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, name) in [(wide.as_slice(), "is in UTF-16, not in UTF-8"), (b"{}\0", "holds a NUL character")]
    {
        desk.put("given", bytes);
        let (exit, told) = desk.run(&answer);
        assert!(exit == 2 && told.contains(name), "{exit}: {told}");
    }
    desk.put("given", "\u{feff}{\"answers\": {\"tone\": \"热烈\"}}".as_bytes());
    let (exit, told) = desk.run(&[&answer[..], &["--dry-run"]].concat());
    assert_eq!(exit, 0, "{told}");
    // What the packet itself has lost is found before anything is written.
    desk.put("staging/a.packet.json", PACKET.replace("热烈", "热\u{fffd}").as_bytes());
    let line = ["answer", "staging/a.packet.json", "--by", "me", "--set", "tone=热\u{fffd}", "--dry-run"];
    let (exit, told) = desk.run(&line);
    assert!(exit == 5 && told.contains("characters that are lost"), "{exit}: {told}");
}

#[test]
fn what_is_in_another_encoding_is_named() {
    let desk = Desk::new();
    let wide: Vec<u8> = PACKET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    desk.put("staging/a.packet.json", &[b"\xff\xfe", &wide[..]].concat());
    let (exit, told) = desk.run(&["lint", "staging/a.packet.json"]);
    assert!(exit == 5 && told.contains("text in UTF-16, not in UTF-8"), "{exit}: {told}");
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    desk.put(RECORD_PATH, &encoding_rs::GBK.encode(RECORD).0);
    let (exit, told) = desk.run(&["show", "staging/a.packet.json"]);
    assert!(told.contains("it looks like GBK"), "{exit}: {told}");
}

const RECORD: &str = r#"{"version": 1, "topic": "语气", "answers": {"tone": "热烈"}, "answered_at": "2026-02-27T10:12:34.000Z",
    "answered_by": "我"}"#;
const RECORD_PATH: &str = "staging/novel-ask/1.answers.json";

#[test]
fn characters_that_are_lost_are_said_wherever_the_gate_is_shown() {
    let desk = Desk::new();
    let says = |what: &str| {
        for command in
            [&["check", "staging/a.packet.json"][..], &["show", "staging/a.packet.json"], &["list"]]
        {
            for json in [&[][..], &["--json"]] {
                let (exit, told) = desk.run(&[command, json].concat());
                assert!(told.contains(what), "{command:?} {exit}: {told}");
            }
        }
    };
    desk.put("staging/a.packet.json", &encoding_rs::GBK.encode(PACKET).0);
    says("The packet is not UTF-8; it looks like GBK.");
    let (exit, told) = desk.run(&["lint", "staging/a.packet.json"]);
    assert!(
        exit == 0 && told.contains("[lost-characters]") && told.contains("text in GBK"),
        "{exit}: {told}"
    );
    // One byte of a word went wrong.
    let (before, after) = PACKET.split_once("热烈").expect("a label");
    desk.put("staging/a.packet.json", &[before.as_bytes(), b"\xe7\x83", after.as_bytes()].concat());
    says("The packet is not UTF-8: characters of it are lost, the first in line 3, column 67.");
    let (_, told) = desk.run(&["lint", "staging/a.packet.json"]);
    assert!(told.contains("a.packet.json:3:67: warning: [lost-characters]"), "{told}");
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    desk.put(RECORD_PATH, RECORD.replace('我', "\u{fffd}\u{fffd}").as_bytes());
    says("The record has characters that are lost (U+FFFD), the first in line 2, column 21");
    let (before, after) = RECORD.split_once('我').expect("a name");
    desk.put(RECORD_PATH, &[before.as_bytes(), b"\xce\xd2", after.as_bytes()].concat());
    says("The record is not UTF-8: characters of it are lost, the first in line 2, column 21.");
    let (exit, told) = desk.run(&["check", "staging/a.packet.json"]);
    assert_eq!(exit, 0, "the verdict is that of the executor: {told}");
    desk.put(RECORD_PATH, RECORD.as_bytes());
    let (_, told) = desk.run(&["show", "staging/a.packet.json"]);
    assert!(!told.contains("lost"), "{told}");
}

#[test]
fn a_key_that_stands_twice_is_said_beside_the_verdict() {
    let desk = Desk::new();
    let twice = |text: &str, member: &str| text.replacen(member, &format!("{member}, {member}"), 1);
    let answer_path = r#""answer_path": "staging/novel-ask/1.answers.json""#;
    for (packet, record, exit, says) in [
        (PACKET.to_owned(), twice(RECORD, r#""tone": "热烈""#), 0, "The record has /answers/tone twice."),
        (
            PACKET.to_owned(),
            twice(RECORD, r#""answers": {"tone": "热烈"}"#),
            0,
            "The record has /answers twice.",
        ),
        (PACKET.to_owned(), twice(RECORD, r#""topic": "语气""#), 0, "The record has /topic twice."),
        (
            PACKET.to_owned(),
            RECORD.replacen('{', r#"{"t\u006fpic": "x", "#, 1),
            0,
            "The record has /topic twice.",
        ),
        (twice(PACKET, answer_path), String::new(), 3, "The packet has /answer_path twice."),
        (
            twice(PACKET, r#""label": "冷峻""#),
            String::new(),
            3,
            "The packet has /novel_ask/questions/0/options/0/label twice.",
        ),
    ] {
        desk.put("staging/a.packet.json", packet.as_bytes());
        let path = desk.0.path().join(RECORD_PATH);
        if record.is_empty() {
            let _ = fs::remove_file(path);
        } else {
            desk.put(RECORD_PATH, record.as_bytes());
        }
        for command in
            [&["check", "staging/a.packet.json"][..], &["show", "staging/a.packet.json"], &["list"]]
        {
            let (_, told) = desk.run(command);
            assert!(told.contains(says), "{command:?}: {told}");
            let (_, told) = desk.run(&[command, &["--json"]].concat());
            assert!(told.contains(says), "{command:?}: {told}");
        }
        assert_eq!(desk.run(&["check", "staging/a.packet.json"]).0, exit, "{says}");
    }
    // What nobody reads may say what it likes.
    desk.put(
        "staging/a.packet.json",
        PACKET.replacen('{', r#"{"manifest": {"a": 1, "a": 2}, "#, 1).as_bytes(),
    );
    desk.put(RECORD_PATH, RECORD.replacen('{', r#"{"_mine": {"a": 1, "a": 2}, "#, 1).as_bytes());
    let (_, told) = desk.run(&["check", "staging/a.packet.json"]);
    assert!(!told.contains("twice"), "{told}");
}

#[test]
fn what_is_wrong_first_with_a_file_in_another_encoding_is_the_encoding() {
    let desk = Desk::new();
    let is_first = |status: i32| {
        let (exit, told) = desk.run(&["check", "staging/a.packet.json"]);
        let second = told.lines().nth(1).unwrap_or_default();
        assert!(exit == status && second.contains("text in GBK, not in UTF-8"), "{exit}: {told}");
    };
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    desk.put(RECORD_PATH, &encoding_rs::GBK.encode(RECORD).0);
    is_first(4);
    // Both labels become the same.
    let alike = PACKET.replace("冷峻", "我们");
    desk.put("staging/a.packet.json", &encoding_rs::GBK.encode(&alike).0);
    is_first(5);
}

/// How a text is written into a file.
type Write<'w> = &'w dyn Fn(&str) -> Vec<u8>;

#[test]
fn beside_the_encoding_stands_only_what_is_wrong_in_it() {
    let desk = Desk::new();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let marked = |text: &str| [b"\xff\xfe", &wide(text)[..]].concat();
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    let big5 = |text: &str| {
        encoding_rs::BIG5.encode(&text.replace("语气", "語氣").replace("热", "熱")).0.into_owned()
    };
    // Nobody knows what the bytes stand for.
    let bytes = |text: &str| {
        let lossless = |c: char| if c.is_ascii() { u8::try_from(c).expect("ASCII") } else { 0xe9 };
        text.chars().map(lossless).collect::<Vec<u8>>()
    };
    let ways: [(Write<'_>, &str); 5] = [
        (&wide, "UTF-16"),
        (&marked, "UTF-16"),
        (&gbk, "GBK"),
        (&big5, "Big5"),
        (&bytes, "bytes that are not UTF-8"),
    ];
    for (encode, name) in ways {
        let packet = if name == "Big5" {
            PACKET.replace("语气", "語氣").replace("热", "熱")
        } else {
            PACKET.to_owned()
        };
        let told = |record: &str| {
            desk.put("staging/a.packet.json", packet.as_bytes());
            desk.put(RECORD_PATH, &encode(record));
            let (exit, told) = desk.run(&["check", "staging/a.packet.json"]);
            let mut lines = told.lines().skip(1).map(str::to_owned);
            assert!(exit == 4 && lines.next().is_some_and(|first| first.contains(name)), "{name}: {told}");
            lines.collect::<Vec<_>>()
        };
        assert_eq!(told(RECORD), [""; 0], "{name}");
        // What is wrong all the same.
        let wrong = told(&RECORD.replace("\"热烈\"", "[\"热烈\"], \"mood\": \"x\""));
        let wanted = ["  /answers/tone: found", "  /answers/mood: found \"mood\""];
        assert!(
            wrong.len() == 2 && wrong.iter().zip(wanted).all(|(line, want)| line.starts_with(want)),
            "{wrong:?}"
        );
        desk.put("staging/a.packet.json", &encode(&PACKET.replace("冷峻", "热烈")));
        let (exit, told) = desk.run(&["lint", "staging/a.packet.json"]);
        let is_known = name != "bytes that are not UTF-8";
        assert!(exit == 5 && (told.contains("烈\" twice") == is_known), "{name}: {told}");
    }
    desk.put("staging/a.packet.json", PACKET.as_bytes());
    desk.put(RECORD_PATH, &gbk(&RECORD.replace("热烈", "热闹")));
    let (_, told) = desk.run(&["check", "staging/a.packet.json", "--lang", "zh-CN"]);
    assert!(told.contains("GBK") && told.contains("/answers/tone：“热闹”"), "{told}");
}

/// What `lint` says of a packet: `line:column` before each sentence, and the sentence.
fn linted(bytes: &[u8]) -> Vec<(String, String)> {
    let desk = Desk::new();
    desk.put("staging/a.packet.json", bytes);
    let (_, told) = desk.run(&["lint", "staging/a.packet.json"]);
    let lines = told.lines().filter_map(|line| line.strip_prefix("staging/a.packet.json:")?.split_once(": "));
    lines.map(|(place, words)| (place.to_owned(), words.to_owned())).collect()
}

/// In characters that Big5 has.
fn traditional(text: &str) -> String {
    [("语", "語"), ("气", "氣"), ("么", "麼"), ("热", "熱")]
        .iter()
        .fold(text.to_owned(), |text, (a, b)| text.replace(a, b))
}

#[test]
fn a_place_is_the_one_that_its_words_name() {
    let half = PACKET.replace("    \"answer_path\"", "    \"answerPath\"");
    let comma = PACKET.replace("\"外放\"}]", "\"外放\"},]");
    let wide: Vec<u8> = comma.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    for (bytes, count) in [
        (half.clone().into_bytes(), 1),
        (gbk(&half), 2),
        ([b"\xff\xfe", &wide[..]].concat(), 2),
        (comma.clone().into_bytes(), 1),
        (gbk(&comma), 2),
        (gbk(PACKET), 1),
        (encoding_rs::BIG5.encode(&traditional(PACKET)).0.into_owned(), 1),
        (gbk(&PACKET.replace('\n', " ")), 1),
    ] {
        let said = linted(&bytes);
        assert_eq!(said.len(), count, "{said:?}");
        for (place, words) in said {
            let (line, column) = place.split_once(':').expect("a column");
            assert!(words.contains(&format!("(line {line}, column {column})")), "{place}: {words}");
        }
    }
}

#[test]
fn advice_is_given_on_what_a_packet_says_in_its_own_encoding() {
    let long = PACKET.replace("\"header\": \"语气\"", "\"header\": \"这是一个太长的标题呀\"");
    for (encoding, text) in [(encoding_rs::GBK, PACKET.to_owned()), (encoding_rs::BIG5, traditional(PACKET))]
    {
        let said = linted(&encoding.encode(&text).0);
        assert!(said.len() == 1 && said[0].1.contains("[lost-characters]"), "{said:?}");
    }
    let said = linted(&encoding_rs::GBK.encode(&long).0);
    assert!(
        said.iter().any(|(_, words)| words.contains("[long-header]") && words.contains("太长的标题")),
        "{said:?}"
    );
    // In no encoding that is known.
    let mut bytes = PACKET.as_bytes().to_vec();
    let at = PACKET.find("语气\", \"question").expect("the header");
    bytes.splice(at..at + 3, *b"\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff");
    let said = linted(&bytes);
    assert!(said.iter().all(|(_, words)| !words.contains("[long-header]")), "{said:?}");
}

#[test]
fn a_standing_question_for_a_packet_that_is_not_utf8_says_why_it_is_not_attached() {
    let desk = Desk::new();
    fs::create_dir_all(desk.0.path().join("questions")).expect("a directory");
    desk.put(
        "questions/tone.question.json",
        r#"{"_steps": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [
            {"id": "tone", "header": "h", "question": "?", "kind": "free_text", "required": true}]}"#
            .as_bytes(),
    );
    let bare = r#"{"step": "chapter:001:draft", "manifest": "正文在这里，开头是雨夜"}"#;
    desk.put("staging/a.packet.json", &encoding_rs::GBK.encode(bare).0);
    for (lang, says) in [
        ("en", "The packet is not UTF-8, so your question is not put into it. Save it as UTF-8."),
        ("zh-CN", "指令包不是 UTF-8 文本，你的提问没有挂进去。请把它存为 UTF-8。"),
    ] {
        for line in [&["list"][..], &["check", "staging/a.packet.json"], &["show", "staging/a.packet.json"]] {
            let (_, told) = desk.run(&[line, &["--lang", lang]].concat());
            assert!(told.contains(says), "{line:?}: {told}");
            let (_, told) = desk.run(&[line, &["--json"]].concat());
            assert!(told.contains("\"packet-encoding\""), "{line:?}: {told}");
        }
    }
}
