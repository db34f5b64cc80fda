use super::*;
use crate::store::clock::local;
use crate::store::hearing::remedy;
use crate::store::testing::Sandbox;
use jiff::tz::TimeZone;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

const RECORD: &str = "staging/novel-ask/a.answers.json";
const ROUNDS: &str = "staging/novel-ask/a.rounds.jsonl";

fn line(at: u32, record: &str) -> Told {
    let at = format!("2026-02-27T10:12:{at:02}.000Z");
    Told {
        at,
        agent: Some("chapter-writer".to_owned()),
        by: "claude-code".to_owned(),
        record: record.to_owned(),
    }
}

#[test]
fn the_file_lies_beside_the_record() {
    for (record, rounds) in [
        ("staging/novel-ask/a.answers.json", "staging/novel-ask/a.rounds.jsonl"),
        ("staging/a.json", "staging/a.rounds.jsonl"),
        ("staging/answers", "staging/answers.rounds.jsonl"),
    ] {
        assert_eq!(place(&record.into()).lossy(), rounds);
    }
}

#[test]
fn who_was_told_this_record_is_read_from_among_other_lines() {
    let book = Sandbox::new();
    let packet = book.put_packet(RECORD);
    let path: JsString = RECORD.into();
    assert_eq!(told(&book.project, &path, "a"), []);
    note_told(&book.project, &packet, &path, line(1, "a")).unwrap();
    let written = fs::read_to_string(book.at(ROUNDS)).unwrap();
    let expected = concat!(
        "{\"event\": \"told\", \"at\": \"2026-02-27T10:12:01.000Z\", \"agent\": \"chapter-writer\", ",
        "\"by\": \"claude-code\", \"record\": \"a\"}\n"
    );
    assert_eq!(written, expected);
    fs::write(book.at(ROUNDS), format!("{written}{{\"event\":\"later\",\"x\":1}}\n[]\n{{\"event\":\"to"))
        .unwrap();
    note_told(&book.project, &packet, &path, line(2, "b")).unwrap();
    note_told(&book.project, &packet, &path, line(3, "a")).unwrap();
    assert_eq!(told(&book.project, &path, "a"), [line(1, "a"), line(3, "a")]);
}

#[test]
fn somebody_elses_file_is_left_alone() {
    for there in ["my notes\n", "{\"version\": 1}", "[]\n"] {
        let book = Sandbox::new();
        let packet = book.put_packet(RECORD);
        book.put(ROUNDS, there);
        let error = note_told(&book.project, &packet, &RECORD.into(), line(1, "a")).unwrap_err();
        assert_eq!(error.code, "not-written");
        assert_eq!(fs::read_to_string(book.at(ROUNDS)).unwrap(), there);
    }
}

#[test]
fn names_and_times_are_harmless_and_not_long() {
    let now = local(UNIX_EPOCH + Duration::from_secs(1_772_187_154), TimeZone::UTC);
    let (mut told, long) = (line(0, "a"), "雨".repeat(100));
    assert_eq!(told.text(&now, Lang::En), "chapter-writer was told, today 10:12");
    told.agent = Some(format!("a\n✓ b\u{1b}[31m\u{202e}{long}"));
    told.at = "then\r\n".to_owned();
    let words = told.text(&now, Lang::En);
    assert!(!words.contains(['\n', '\r', '\u{1b}', '\u{202e}']) && words.len() < 250, "{words:?}");
    told = Told { agent: None, ..line(0, "a") };
    assert_eq!(told.text(&now, Lang::ZhCn), "执行器已拿到你的决定，今天 10:12");
    let remedy = |step: Option<&JsString>| remedy(step, Path::new("staging/a b.packet.json"), Lang::En);
    assert!(remedy(Some(&"step a".into())).ends_with("decisions 'step a'"));
    assert!(remedy(None).ends_with("decisions 'staging/a b.packet.json'"));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn no_line_is_written_outside_the_project() {
    let book = Sandbox::new();
    let packet = book.put_packet(RECORD);
    let outside = book.top().join("outside.jsonl");
    book.put(RECORD, "{}");
    crate::platform::testing::symlink(&outside, book.at(ROUNDS)).unwrap();
    note_told(&book.project, &packet, &RECORD.into(), line(1, "a")).unwrap_err();
    fs::write(&outside, "").unwrap();
    note_told(&book.project, &packet, &RECORD.into(), line(1, "a")).unwrap_err();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "");
}
