//! A record is dated by its answer, wherever its file was written; a file without an answer by its own time, said as such.

use super::{ANSWERS, Story, packet, question};
use novel_gate::console::model::Status;
use novel_gate::text::Lang;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// A gate with a record by somebody else, answered two weeks before its file was written.
fn answered(lang: Lang) -> Story {
    let mut story = Story::of(&format!("[{}]", question("note", "free_text", true, &[], "")));
    story.console.stack.model.lang = lang;
    put(&story, ANSWERS, &record("13T10:12:34.000Z"), 0);
    story.scan();
    story
}

/// The receipt of a record.
fn receipt() -> Story {
    let mut story = answered(Lang::En);
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    story.open_form();
    story.burst("雪").press("enter ctrl+s");
    story
}

fn record(at: &str) -> String {
    format!(
        r#"{{"version": 1, "topic": "平台绑定", "answered_by": "claude_code", "answered_at": "2026-02-{at}",
        "answers": {{"note": "雨"}}}}"#
    )
}

/// Puts a file there, written so many days before the story begins.
fn put(story: &Story, path: &str, text: &str, days: u64) {
    story.put(path, text);
    let file = File::options().append(true).open(story.root().join(path)).expect("the file");
    let then = UNIX_EPOCH + super::START - Duration::from_hours(24 * days);
    file.set_modified(then).expect("its time");
}

#[test]
fn a_record_is_as_old_as_its_answer_in_list_and_detail() {
    for (lang, age, by) in [
        (Lang::En, "14 d", "answered by claude_code, 14 d ago"),
        (Lang::ZhCn, "14 天", "由 claude_code 回答，14 天前"),
    ] {
        let story = answered(lang);
        let shown = story.shown();
        assert!(shown.contains(by), "{shown}");
        assert_eq!(shown.matches(age).count(), 3, "the row, the state, the record: {shown}");
    }
}

#[test]
fn a_record_without_a_good_time_is_dated_by_its_file_and_that_is_said() {
    for (lang, says) in [(Lang::En, "written 3 d ago"), (Lang::ZhCn, "3 天前写入")] {
        // The rules take a day that there is not; a day alone makes the record bad.
        for (at, state) in [("30T10:12:34.000Z", Status::Answered), ("13", Status::Blocked)] {
            let mut story = answered(lang);
            put(&story, ANSWERS, &record(at), 3);
            story.scan();
            assert_eq!(story.model().inbox.entries[0].status, state);
            assert!(story.shown().contains(says), "{}", story.shown());
        }
    }
}

#[test]
fn answered_gates_stand_in_the_order_of_their_answers() {
    let mut story = answered(Lang::En);
    let other = packet(&format!("[{}]", question("note", "free_text", true, &[], "")));
    story.put("staging/manifests/newer.packet.json", &other.replace("novel-ask/gate", "novel-ask/newer"));
    put(&story, "staging/novel-ask/newer.answers.json", &record("20T10:12:34.000Z"), 30);
    story.scan();
    let first = story.model().inbox.entries.first().expect("an entry");
    assert_eq!(&*first.path, Path::new("staging/manifests/newer.packet.json"));
}

#[test]
fn the_history_dates_a_record_that_was_found_by_its_answer_and_the_rest_by_what_happened() {
    let mut story = answered(Lang::En);
    story.press("f8");
    story.scan();
    story.wait(24 * 3_600).press("f6");
    let shown = story.shown();
    for (date, event) in [("− yesterday 10:12", "taken back"), ("· 13 Feb 10:12", "found on disk")] {
        let is_row = |line: &str| line.contains(date) && line.contains(event);
        assert!(shown.lines().any(is_row), "{date}: {shown}");
    }
}

#[test]
fn the_receipt_dates_what_replaced_the_record_by_its_answer() {
    let mut story = receipt();
    put(&story, ANSWERS, &record("13T10:12:34.000Z"), 0);
    story.look();
    let shown = story.shown();
    assert!(shown.contains("with one by claude_code, answered 14 d ago"), "{shown}");
}

#[test]
fn a_time_that_lies_ahead_or_long_back_is_shown_as_date_and_time() {
    let back = record("13T10:12:34.000Z").replace("2026", "2025");
    for (record, en, zh, in_list) in [
        (record("28T10:12:34.000Z"), "tomorrow 10:12", "明天 10:12", None),
        (back, "13 Feb 2025 10:12", "2025 年 2 月 13 日 10:12", Some("379 ")),
    ] {
        for (lang, at) in [(Lang::En, en), (Lang::ZhCn, zh)] {
            let mut story = answered(lang);
            put(&story, ANSWERS, &record, 0);
            story.scan();
            let shown = story.shown();
            let times = shown.matches(at).count() + in_list.map_or(0, |age| shown.matches(age).count());
            assert_eq!(times, 3, "the row, the state, the record: {shown}");
            assert!(!shown.contains("ago") && !shown.contains("前"), "{shown}");
            story.press("f6");
            assert!(story.shown().contains(at), "the history: {}", story.shown());
        }
        let mut story = receipt();
        put(&story, ANSWERS, &record, 0);
        story.look();
        let words = story.shown().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("with one by claude_code, answered {en}.")), "the receipt: {words}");
    }
}
