//! Listing, searching, exporting.

use super::*;
use crate::kept;
use novel_gate::command::Streams;
use novel_gate::run::run_on;
use std::io::{self, Write};
use std::path::Path;

/// A gate with three entries and another gate with one; their ids, oldest first.
fn library() -> (Book, Vec<String>) {
    let book = Book::new();
    let first = record("codex", &json!({"platform": "tomato"}));
    let broken = "{\"version\": 1, \"answers\": {\"platform\": \"qidian\"";
    let last = record(
        "human",
        &json!({"platform": "qidian", "drive": ["plot", "自己的"], "note": "\u{3000}第一行\n*第二行*"}),
    );
    let mut ids = vec![
        book.note(&packet(), (Reason::Seen, 10), &first),
        book.note(&packet(), (Reason::Redone, 20), broken),
        book.note(&packet(), (Reason::Repaired, 30), &last),
    ];
    let mut other = packet();
    other["step"] = json!("volume:outline");
    other["answer_path"] = json!("staging/novel-ask/b.json");
    other["novel_ask"]["topic"] = json!("Outline_1");
    let theirs = record("human", &json!({"platform": "tomato"})).replace("平台", "Outline_1");
    ids.push(book.note(&other, (Reason::Answered, 25), &theirs));
    (book, ids)
}

const LISTED: &str = "\
31 Jan 2025 01:00  your answers, repaired  chapter:048:draft  平台       1e040499-1738238400000
26 Jan 2025 01:00  your answers            volume:outline     Outline_1  c35adf39-1737806400000
21 Jan 2025 01:00  taken back              chapter:048:draft  平台       1e040499-1737374400000 (invalid)
2 Jan 16:04        found on disk (codex)   chapter:048:draft  平台       1e040499-1736510400000
4 entries.
";

const OF_GATE: &str = "\
2025 年 1 月 31 日 01:00  你修复的回答       chapter:048:draft  平台  1e040499-1738238400000
    平台 (platform)：qidian
    Drive (drive)：plot、自己的
    Note (note)：\u{3000}第一行
      *第二行*
2025 年 1 月 21 日 01:00  收回               chapter:048:draft  平台  1e040499-1737374400000（无效）
1 月 2 日 16:04           外部写入（codex）  chapter:048:draft  平台  1e040499-1736510400000
    平台 (platform)：tomato
3 条。
";

#[test]
fn the_project_and_one_gate_are_listed_newest_first() {
    let (book, _) = library();
    assert_eq!(book.out(&["history"]), LISTED);
    assert_eq!(book.out(&["history", STEP, "--lang", "zh-CN"]), OF_GATE);
    assert_eq!(book.out(&["history", PACKET, "--lang", "zh-CN"]), OF_GATE);
    let empty = Book::new();
    assert_eq!(empty.out(&["history"]), "0 entries.\n");
    assert_eq!(empty.out(&["history", STEP]), "0 entries.\n");
    assert_eq!(
        empty.out(&["history", RECORD]),
        "0 entries.\n",
        "there is no record yet, but its packet is there"
    );
    assert_eq!(empty.run(&["history", "nothing"]).exit, 1);
    empty.put("free.json", "{\"step\": \"s\", \"agent\": {}}");
    assert_eq!(empty.run(&["history", "free.json"]).exit, 2);
}

#[test]
fn what_is_gone_is_found_by_its_step_and_by_its_record() {
    let (book, _) = library();
    let of_other = "26 Jan 2025 01:00  your answers  volume:outline  Outline_1  c35adf39-1737806400000\n    \
                    平台 (platform): tomato\n1 entry.\n";
    assert_eq!(book.out(&["history", "volume:outline"]), of_other);
    assert_eq!(book.out(&["history", "./staging/novel-ask//b.json"]), of_other, "its directory is gone too");
    book.put("staging/novel-ask/b.json", "x");
    assert_eq!(book.out(&["history", "staging/novel-ask/b.json"]), of_other);
}

#[test]
fn a_search_is_narrowed() {
    let (book, ids) = library();
    let found = |line: &[&str]| -> Vec<String> {
        let json = book.run(&[&["history", "--json"], line].concat()).json();
        let entries = json["entries"].as_array().expect("a list");
        assert_eq!(json["count"], entries.len());
        entries.iter().map(|entry| entry["id"].as_str().expect("an id").to_owned()).collect()
    };
    let at = |places: &[usize]| -> Vec<String> { places.iter().map(|&place| ids[place].clone()).collect() };
    assert_eq!(found(&["--search", "第一行 *第二"]), at(&[2]));
    assert_eq!(found(&["--search", "OUTLINE_１"]), at(&[3]));
    assert_eq!(found(&["--search", "what drives"]), at(&[2, 3, 1, 0]));
    assert_eq!(found(&["--search", "nowhere"]), at(&[]));
    assert_eq!(found(&["--question", "note"]), at(&[2, 3, 1, 0]));
    assert_eq!(found(&["--question", "not"]), at(&[]));
    assert_eq!(found(&["--since", "2025-01-21", "--until", "2025-01-26"]), at(&[3, 1]));
    assert_eq!(found(&["--since", "2025-01-20T12:00:00.001Z", "--until", "2025-01-25T12:00:00Z"]), at(&[3]));
    assert_eq!(found(&["--since", "1h"]), at(&[]));
    assert_eq!(found(&[STEP, "--search", "tomato"]), at(&[0]));
    for bad in [&["--since", "soon"][..], &["--replace"], &["--forget", "--search", "x"], &["--show"]] {
        assert_eq!(book.run(&[&["history", "--json"], bad].concat()).json()["code"], "usage", "{bad:?}");
    }
}

#[test]
fn json_has_every_member() {
    let (book, ids) = library();
    let json = book.run(&["history", STEP, "--since", "2025-01-25", "--json"]).json();
    let text = record(
        "human",
        &json!({"platform": "qidian", "drive": ["plot", "自己的"], "note": "\u{3000}第一行\n*第二行*"}),
    );
    let mut asked = packet()["novel_ask"].clone();
    asked["questions"][0]["allow_other"] = json!(false);
    let want = json!({"status": "ok", "exit": 0, "code": "history", "message": "1 entry.", "count": 1,
        "kept_drafts": [], "entries": [{
        "id": ids[2], "kind": "record", "reason": "repaired", "at": "2025-01-30T12:00:00.000Z", "answer_path": RECORD, "packet": PACKET,
        "step": STEP, "topic": "平台", "answered_by": "human", "answered_at": "2026-01-02T03:04:05.000Z", "valid": true,
        "sha256": novel_gate::store::sha256(text.as_bytes()), "bytes": text.len(), "of": null,
        "novel_ask": asked, "notes": {}, "defaults": [],
        "answers": {"platform": "qidian", "drive": ["plot", "自己的"], "note": "\u{3000}第一行\n*第二行*"},
        "sent_back": null, "told": [], "untold": false}]});
    assert_eq!(json, want);
    let kept = novel_gate::store::history::find(&book.state(), &ids[2]).expect("the entry").bytes();
    assert_eq!(kept, Ok(text.into_bytes()));
    let broken = &book.run(&["history", "--until", "2025-01-21", "--since", "2025-01-21", "--json"]).json()["entries"]
        [0];
    assert_eq!(
        (&broken["valid"], &broken["answers"], &broken["answered_by"]),
        (&json!(false), &json!({}), &json!(null))
    );
}

const EXPORTED: &str = "\
# Decisions

## 平台

- Step: `chapter:048:draft`
- Record: `staging/novel-ask/a.answers.json`
- Answered: human, 2026-01-02T03:04:05.000Z

### 平台

发布到哪里？

- **qidian**: 起点

### Drive

What drives it?

- **plot**: p
- 自己的

### Note

Anything else?

> \u{3000}第一行
> *第二行*

### Earlier

- 2025-01-20 12:00:00Z (invalid) (taken back): no answers that can be read
- codex, 2026-01-02T03:04:05.000Z (found on disk): `platform` = tomato

## Outline\\_1

- Step: `volume:outline`
- Record: `staging/novel-ask/b.json`
- Answered: human, 2026-01-02T03:04:05.000Z

### 平台

发布到哪里？

- **tomato**: 番茄

### Drive

What drives it?

*Left blank.*

### Note

Anything else?

*Left blank.*
";

#[test]
fn decisions_are_exported_as_markdown() {
    let (book, _) = library();
    assert_eq!(book.out(&["history", "--export", "-"]), EXPORTED);
    let written = book.out(&["history", "--export", "decisions.md"]);
    assert_eq!(written, "The decisions are written to decisions.md.\n");
    assert_eq!(book.read("decisions.md").as_deref(), Some(EXPORTED));
    book.put("decisions.md", "mine");
    let there = book.run(&["history", "--export", "decisions.md", "--json"]).json();
    assert_eq!((&there["exit"], &there["code"]), (&json!(6), &json!("file-exists")));
    assert_eq!(book.read("decisions.md").as_deref(), Some("mine"));
    assert_eq!(book.run(&["history", "--export", "no/such/dir.md"]).exit, 1);

    let json = book.run(&["history", "--export", "-", "--json"]).json();
    assert_eq!((&json["markdown"], &json["bytes"]), (&json!(EXPORTED), &json!(EXPORTED.len())));
    let chinese = book.out(&["history", "volume:outline", "--export", "-", "--lang", "zh-CN"]);
    let want = "# 决定\n\n## Outline\\_1\n\n- 步骤：`volume:outline`\n- 记录：`staging/novel-ask/b.json`\n\
                - 作答：human, 2026-01-02T03:04:05.000Z\n\n### 平台\n\n发布到哪里？\n\n- **tomato**: 番茄\n\n### Drive\n\n\
                What drives it?\n\n*未作答。*\n\n### Note\n\nAnything else?\n\n*未作答。*\n";
    assert_eq!(chinese, want);
    book.note(&packet(), (Reason::Redone, 50), "{}");
    let taken = book.out(&["history", STEP, "--export", "-"]);
    assert!(taken.contains("- Taken back: 2025-02-19 12:00:00Z\n"), "{taken}");
}

const WHOLE: &str = "\
2025 年 1 月 31 日 01:00  你修复的回答  chapter:048:draft  平台  1e040499-1738238400000
指令包：staging/manifests/chapter-048-draft.packet.json
记录：staging/novel-ask/a.answers.json
SHA-256：{}

平台 (platform)
  发布到哪里？
  = qidian

Drive (drive)
  What drives it?
  = plot、自己的

Note (note)
  Anything else?
  = \u{3000}第一行
      *第二行*
";

#[test]
fn one_entry_is_shown_in_full_and_its_record_byte_for_byte() {
    let (book, ids) = library();
    let bytes = "{\"version\": 1, \"answers\": {\"platform\": \"qidian\"";
    assert_eq!(book.out(&["history", "--show", &ids[1], "--raw"]), bytes);
    let whole = book.out(&["history", "--show", &ids[2], "--lang", "zh-CN"]);
    let last = book.run(&["history", "--show", &ids[2], "--json"]).json()["entries"][0]["sha256"].clone();
    assert_eq!(whole, WHOLE.replace("{}", last.as_str().expect("a hash")));
    let theirs = book.out(&["history", "--show", &ids[3]]);
    assert!(theirs.ends_with("\nNote (note)\n  Anything else?\n  = (no answer)\n"), "{theirs}");
    let json = book.run(&["history", "--show", &ids[1], "--raw", "--json"]).json();
    assert_eq!((&json["count"], &json["entries"][0]["id"]), (&json!(1), &json!(ids[1])));
    assert_eq!(book.run(&["history", "--show", "0000000000000000"]).exit, 1);
    assert_eq!(book.run(&["history", "--raw"]).exit, 2);
}

/// A gate that was answered twice, the same each time, with another note; the ids of its entries, oldest first.
fn noted() -> (Book, [String; 2]) {
    let book = Book::new();
    let ids = [("第三卷要改", 10), ("先试一卷\n*再说*", 20)].map(|(note, day)| {
        let mut text: Value =
            serde_json::from_str(&record("a", &json!({"platform": "qidian"}))).expect("JSON");
        text["_notes"] = json!({"platform": note, "drive": "空着", "gone": "旧"});
        book.note(&packet(), (Reason::Answered, day), &text.to_string())
    });
    (book, ids)
}

#[test]
fn notes_are_shown_beside_their_answers_and_found() {
    let (book, [first, last]) = noted();
    let listed = book.out(&["history", STEP]);
    assert!(
        listed.contains(
            "    平台 (platform): qidian\n    Note on 平台 (platform): 先试一卷\n      *再说*\n    \
             Note on Drive (drive): 空着\n    Note on gone: 旧\n"
        ),
        "{listed}"
    );
    let whole = book.out(&["history", "--show", &first, "--lang", "zh-CN"]);
    for words in [
        "  = qidian\n  备注：第三卷要改\n",
        "  = （没有回答）\n  备注：空着\n",
        "\ngone\n  = （没有回答）\n  备注：旧\n",
    ] {
        assert!(whole.contains(words), "{words}: {whole}");
    }
    let json = book.run(&["history", "--show", &last, "--json"]).json();
    assert_eq!(
        json["entries"][0]["notes"],
        json!({"platform": "先试一卷\n*再说*", "drive": "空着", "gone": "旧"})
    );
    let found = book.run(&["history", "--search", "第三卷", "--json"]).json();
    assert_eq!((&found["count"], &found["entries"][0]["id"]), (&json!(1), &json!(first)));
    let exported = book.out(&["history", "--export", "-"]);
    for words in [
        "- **qidian**: 起点\n\nNote:\n\n> 先试一卷\n> *再说*\n",
        "*Left blank.*\n\nNote:\n\n> 空着\n",
        "\n### `gone`\n\nNote:\n\n> 旧\n",
        "`platform` = qidian; note on `platform`: 第三卷要改; note on `drive`: 空着; note on `gone`: 旧\n",
    ] {
        assert!(exported.contains(words), "{words}: {exported}");
    }
}

/// What a packet was before it was mended, and the file of a removed question; their ids.
fn files() -> (Book, [String; 2]) {
    let (book, _) = library();
    let note = |path: &str, packet: Option<&Path>, reason, text: &[u8], day| {
        let path = path.into();
        let story = Story { answer_path: &path, packet, step: None, spec: None, novel_ask: None };
        let note = Note { reason, of: None, bytes: text };
        add(&book.state(), &story, &note, day_of_2025(day)).expect("an entry").id()
    };
    let gbk = encoding_rs::GBK
        .encode("{\"about\": \"雨停之前，她没有回头，只听见身后有人慢慢收起一把伞，水滴落在石阶上\",")
        .0
        .into_owned();
    let question = "{\n  \"topic\": \"\u{202e}目标\"\n}\n";
    let packet = note(PACKET, Some(Path::new(PACKET)), Reason::Replaced, &gbk, 40);
    let removed = note("questions/goal.question.json", None, Reason::Redone, question.as_bytes(), 41);
    (book, [packet, removed])
}

#[test]
fn what_is_no_record_is_called_what_it_is_and_shown_as_it_is() {
    let (book, [packet, removed]) = files();
    let listed = book.out(&["history", PACKET, "--since", "2025-02-05"]);
    let line = "10 Feb 2025 01:00  packet before mending  chapter-048-draft.packet.json";
    assert_eq!(listed, format!("{line}  {packet}\n1 entry.\n"));
    let listed = book.out(&["history", "--lang", "zh-CN"]);
    assert!(listed.contains("修补前的指令包") && listed.contains("移除的提问"), "{listed}");
    assert_eq!(listed.matches("无效").count(), 1, "only a record is: {listed}");
    let shown = book.out(&["history", "--show", &packet]);
    assert!(shown.ends_with("，水滴落在石阶上\",\n") && !shown.contains("Record:"), "{shown}");
    let shown = book.out(&["history", "--show", &removed]);
    assert!(shown.contains("File: questions/goal.question.json\n"), "{shown}");
    assert!(shown.ends_with("\n\n{\n  \"topic\": \"‹U+202E›目标\"\n}\n"), "{shown}");
    let json = book.run(&["history", "--json"]).json();
    let kinds: Vec<_> =
        json["entries"].as_array().expect("a list").iter().map(|entry| &entry["kind"]).collect();
    assert_eq!(kinds, ["question", "packet", "record", "record", "record", "record"]);
    assert_eq!(book.out(&["history", "--export", "-"]), EXPORTED, "nothing of it was decided");
    book.put("questions/goal.question.json", "{}");
    let there = book.run(&["history", "--restore", &removed, "--json"]).json();
    assert_eq!((&there["exit"], &there["code"]), (&json!(6), &json!("record-exists")));
    assert!(
        there["message"].as_str().is_some_and(|says| says.contains("goal.question.json is there already"))
    );
}

/// A reader who takes the rest of the history away as soon as he has read something.
struct Losing(PathBuf, Vec<u8>);

impl Write for Losing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            let connection = rusqlite::Connection::open(&self.0).expect("a database");
            connection.execute_batch("ALTER TABLE entries RENAME TO gone").expect("gone");
        }
        self.1.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_read_in_the_middle_is_an_error() {
    for (words, shown) in [(&["history"][..], 1_000), (&["history", "--json"], 500)] {
        let (book, _) = library();
        kept::multiply(book.state().database(), 1_600);
        let (mut out, mut err) = (Losing(book.state().database().to_path_buf(), Vec::new()), Vec::new());
        let state = book.top.path().join("state").into_os_string();
        let line = ["novel-gate".into(), "--state-dir".into(), state].into_iter();
        let line: Vec<OsString> = line.chain(words.iter().map(OsString::from)).collect();
        let environment = Environment { cwd: book.root(), ..Environment::default() };
        let streams = Streams { input: &mut &b""[..], out: &mut out, err: &mut err };
        let exit = run_on(&line, &environment, streams).number();
        let (out, err) = (String::from_utf8(out.1).expect("text"), String::from_utf8(err).expect("text"));
        assert_eq!(exit, 1, "{words:?}: {err}");
        if words.len() == 1 {
            assert_eq!((out.lines().count(), out.contains("1604 entries.")), (shown, false));
            assert!(err.contains("Cannot read the history"), "{err}");
        } else {
            let json: Value = serde_json::from_str(&out).expect("one object");
            let told =
                (&json["status"], &json["exit"], &json["code"], json["entries"].as_array().map(Vec::len));
            assert_eq!(told, (&json!("error"), &json!(1), &json!("history-damaged"), Some(shown)));
        }
    }
}
