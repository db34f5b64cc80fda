//! A packet that is almost JSON: what is said of it, and how its author mends it.

use super::{PACKET, Story, files, packet, question};
use crate::kept;
use novel_gate::console::history::view::HistoryView;
use novel_gate::console::prompt::Prompt;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::store::clock::Clock;
use novel_gate::store::gate::Status;
use novel_gate::store::scan::Scanner;
use novel_gate::text::Lang;
use std::fs;

/// A console in front of one packet with this text.
fn at(text: &str) -> Story {
    let mut story = Story::of("[]");
    story.put(PACKET, text);
    look(&mut story);
    story
}

/// Lets the watch look twice: what has just changed might be half of a file that is still being written.
fn look(story: &mut Story) {
    let mut scanner = Scanner::new(files(story.dir.path(), &story.clock).project);
    scanner.look(story.clock.now());
    story.wait(5);
    scanner.look(story.clock.now());
    let entries = scanner.entries();
    story.list(entries);
}

fn whole() -> String {
    packet(&format!("[{}]", question("platform", "single_choice", true, &["qidian", "jjwxc"], "")))
}

fn text(story: &Story) -> String {
    fs::read_to_string(story.root().join(PACKET)).expect("a packet")
}

fn status(story: &Story) -> Status {
    story.model().inbox.entries[0].status
}

#[test]
fn what_can_only_mean_one_thing_is_shown_mended_by_a_key_and_put_back() {
    let fenced = format!("```json\n{}\n```\n", whole().replace("true", "True"));
    let mut story = at(&fenced);
    assert_eq!(status(&story), Status::Malformed);
    assert!(story.shown().contains("a Markdown code block (line 1, column 1)"), "{}", story.shown());
    story.press("f8");
    let shown = story.shown();
    assert!(story.find::<Prompt>().is_some(), "{shown}");
    assert!(shown.contains("True → true") && shown.contains("line 1, column 1"), "{shown}");
    assert_eq!(text(&story), fenced, "nothing is written before the yes");
    story.press("enter");
    assert_eq!(text(&story).trim(), whole().trim());
    let records = kept::records(&story.dir.path().join("state"));
    assert!(records.iter().any(|kept| kept == fenced.as_bytes()), "the old text is in the history");
    look(&mut story);
    assert_eq!(status(&story), Status::Waiting);
    story.press("ctrl+u");
    assert_eq!(text(&story), fenced, "byte for byte");
    // The list has not looked again.
    let shown = story.shown();
    assert!(
        shown.contains("F8 mend it") && !shown.contains("answer") && !shown.contains("Ctrl+X"),
        "{shown}"
    );
    story.press("enter");
    assert!(story.notice().contains("nothing can be answered"), "{}", story.notice());
}

#[test]
fn a_gate_with_misspelt_names_is_opened_in_the_editor() {
    let text = whole().replace("novel_ask", "gate").replace("answer_path", "answers_path");
    let mut story = at(&text);
    assert_eq!(status(&story), Status::NoGate);
    assert!(story.shown().contains("Ctrl+G edit the packet"), "{}", story.shown());
    assert!(!story.shown().contains("F8"), "two names, and one is no slip of the pen: {}", story.shown());
    story.press("ctrl+g");
    assert_eq!(story.notice(), "");
}

#[test]
fn what_was_written_meanwhile_is_not_mended() {
    let mut story = at(&format!("{},", whole()));
    story.press("f8");
    story.put(PACKET, "{");
    story.press("enter");
    assert_eq!(text(&story), "{");
    assert!(story.notice().contains("changed"), "{}", story.notice());
}

#[test]
fn what_can_mean_several_things_is_left_to_the_editor() {
    let torn = whole().replace("platform", "plat\"form");
    let mut story = at(&torn);
    story.press("f8");
    assert!(story.find::<Prompt>().is_none());
    assert_eq!(
        story.notice(),
        "This may mean several things: Ctrl+G opens the file in your editor.",
        "why nothing is mended"
    );
    story.press("ctrl+g");
    assert!(matches!(story.flow, Flow::Edit(_)));
    story.edited(&whole());
    assert_eq!(text(&story), whole());
    look(&mut story);
    assert_eq!(status(&story), Status::Waiting);
}

#[test]
fn an_edit_that_leaves_faults_says_what_remains() {
    let mut story = at("{\"novel_ask\": {,}}");
    story.press("ctrl+g");
    story.edited(&whole().replace("single_choice", "single-choice"));
    assert!(story.notice().contains("What remains:"), "{}", story.notice());
    look(&mut story);
    let shown = story.shown();
    assert!(shown.contains("question 1") && shown.contains("single_choice"), "{shown}");
}

#[test]
fn the_words_that_are_copied_are_those_that_are_shown() {
    let mut story = at(&format!("{},", whole()));
    story.press("f4 ctrl+y");
    let copied = story.console.runner().copied.pop().expect("words");
    assert!(copied.contains("an extra comma") && copied.contains("Please write it again"), "{copied}");
    let squeezed = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    assert!(squeezed(&story.shown()).contains(&squeezed(&copied)), "{copied}\n{}", story.shown());
}

#[test]
fn a_record_with_lost_characters_is_written_only_after_a_question() {
    let mut story = at(&whole().replace("qidian", "\u{fffd}\u{fffd}"));
    story.press("enter 1 ctrl+s").wait(1).press("ctrl+s");
    assert!(story.find::<Prompt>().is_some() && story.record().is_none(), "{}", story.shown());
    story.press("esc").wait(1).press("ctrl+s").wait(1).press("enter");
    assert_eq!(story.answers()["platform"], "\u{fffd}\u{fffd}");
}

#[test]
fn a_packet_in_another_encoding_is_marked_and_saved_as_utf8_by_a_key() {
    let mut story = at("{}");
    let text = whole().replace("qidian", "起点中文网").replace("jjwxc", "晋江文学城");
    let few = encoding_rs::GBK.encode(&text).0.into_owned();
    fs::write(story.root().join(PACKET), &few).expect("a packet");
    look(&mut story);
    story.press("f8");
    assert!(story.find::<Prompt>().is_none(), "from few characters nobody can tell: {}", story.shown());
    let words = "雨停之前，她没有回头，只听见身后有人慢慢收起一把伞，水滴落在石阶上，一声一声地响着，像是在数这一年还剩下的日子。";
    let text = text.replacen('{', &format!("{{\"_about\": \"{words}\", "), 1);
    let bytes = encoding_rs::GBK.encode(&text).0.into_owned();
    fs::write(story.root().join(PACKET), &bytes).expect("a packet");
    look(&mut story);
    assert_eq!(status(&story), Status::Waiting, "it is what the executor makes of it");
    let shown = story.shown();
    assert!(shown.contains("characters lost") && shown.contains("it looks like GBK"), "{shown}");
    story.press("f8");
    assert!(
        story.find::<Prompt>().is_some() && story.shown().contains("GBK → UTF-8 “雨停之前"),
        "{}",
        story.shown()
    );
    story.press("enter");
    assert_eq!(self::text(&story), text);
    look(&mut story);
    assert!(!story.shown().contains("GBK"), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(fs::read(story.root().join(PACKET)).expect("a packet"), bytes, "byte for byte");
}

#[test]
fn the_history_of_a_gate_has_the_old_text_of_its_packet_and_puts_it_back() {
    let mended = format!("{},", whole());
    let mut story = at(&mended);
    story.press("f8 enter");
    look(&mut story);
    story.press("f6");
    let shown = story.shown();
    assert!(shown.contains("packet before mending") && shown.contains("\"novel_ask\""), "{shown}");
    for judged in ["invalid", "was asked", "readable answers", "another record"] {
        assert!(!shown.contains(judged), "{judged}: {shown}");
    }
    story.press("enter");
    assert!(story.shown().contains("Put this old text of"), "{}", story.shown());
    story.wait(1).press("enter");
    assert_eq!(text(&story), mended, "{} {}", story.notice(), story.shown());
    assert!(story.notice().contains("The old text of the packet is back"), "{}", story.notice());
    let told = |story: &Story| -> Vec<(bool, String)> {
        let rows = &story.find::<HistoryView>().expect("a history").found.rows;
        rows.iter().map(|row| (row.valid, row.event(Lang::En))).collect()
    };
    let (before, after) = ("packet before mending".to_owned(), "packet before putting back".to_owned());
    assert_eq!(told(&story), [(true, after.clone()), (false, before.clone())]);
    story.press("esc f8 enter ctrl+u f8 enter").wait(1);
    look(&mut story);
    assert_eq!(told(story.press("f6")), [(false, before), (true, after)], "one row for one text");
}

#[test]
fn a_mended_packet_whose_gate_stays_shut_is_not_said_to_open_it() {
    let answer_path = "staging/novel-ask/gate.answers.json";
    let cases = [
        (whole().replace("answer_path", "answerPath").replace("novel_ask\"", "novelAsk\""), "novelAsk"),
        (whole().replace(answer_path, ".git/a.json"), "inside .git"),
    ];
    for (text, remains) in cases {
        let mut story = at("{");
        story.press("ctrl+g");
        story.edited(&text);
        let notice = story.notice();
        assert!(notice.contains("What remains:") && notice.contains(remains), "{notice}");
    }
}

#[test]
fn a_removed_question_comes_back_from_the_history_if_its_place_is_free() {
    const GOAL: &str = "questions/goal.question.json";
    let mut story = at(&whole());
    let file = r#"{"_enabled": false, "_steps": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "本章目标？", "kind": "free_text", "required": true}]}"#;
    story.put(GOAL, file);
    story.press("f12 down f8 enter esc f6 tab");
    let shown = story.shown();
    assert!(shown.contains("removed question") && shown.contains("本章目标"), "{shown}");
    story.put(GOAL, "{}");
    story.press("enter");
    assert!(story.notice().contains("is there already"), "{}", story.notice());
    fs::remove_file(story.root().join(GOAL)).expect("removed");
    story.press("enter");
    assert!(story.shown().contains("Put questions/goal.question.json back"), "{}", story.shown());
    story.wait(1).press("enter");
    assert_eq!(fs::read_to_string(story.root().join(GOAL)).expect("a file"), file, "{}", story.notice());
    assert!(story.notice().contains("is back in the book"), "{}", story.notice());
    let shown = story.press("home").shown();
    assert!(shown.contains("question put back") && shown.contains("exactly this one"), "{shown}");
}

#[test]
fn each_mend_of_a_packet_is_taken_back_one_after_the_other() {
    let first = format!("{},", whole());
    let mut story = at(&first);
    story.press("f8 enter");
    let second = format!("```json\n{}\n```\n", whole());
    story.put(PACKET, &second);
    look(&mut story);
    story.press("f8 enter ctrl+u");
    assert_eq!(text(&story), second);
    story.put(PACKET, whole().trim());
    look(&mut story);
    story.press("ctrl+u");
    assert_eq!(text(&story).trim(), first.trim(), "{}", story.notice());
}

#[test]
fn a_packet_that_may_not_be_written_says_so() {
    let fenced = format!("{},", whole());
    let mut story = at(&fenced);
    let path = story.root().join(PACKET);
    let mut mode = fs::metadata(&path).expect("a packet").permissions();
    mode.set_readonly(true);
    fs::set_permissions(&path, mode).expect("read-only");
    story.press("f8 enter");
    assert_eq!(story.notice(), "The packet is read-only; it is untouched. Make it writable.");
    assert_eq!(text(&story), fenced);
}

#[test]
fn every_change_can_be_seen_before_it_is_made() {
    let slips = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|number| format!("\"_slip{number}\": True,\n")).concat();
    let mut story = at(&whole().replacen('{', &format!("{{\n{slips}"), 1));
    story.press("f8");
    assert!(story.shown().contains("shows each"), "{}", story.shown());
    let mut seen = story.press("esc f4").shown();
    for _ in 0..5 {
        seen += &story.press("pgdn").shown();
    }
    assert!(seen.contains("line 10, column"), "{seen}");
}

#[test]
fn what_no_key_mends_says_so() {
    for text in ["words and no JSON", "{\"novel_ask\": 7}"] {
        let mut story = at(text);
        story.press("f8");
        assert!(story.find::<Prompt>().is_none());
        assert!(story.notice().contains("Ctrl+G opens the file"), "{text}: {}", story.notice());
    }
}

#[test]
fn what_nobody_can_see_is_named_and_what_each_line_has_is_counted() {
    let odd = whole().replacen('{', "{\u{3000}", 1).replacen(',', ",\u{a0}\u{200b}", 1);
    let mut story = at(&odd);
    let shown = story.press("f8").shown();
    for words in ["U+3000 → U+0020", "U+00A0 → U+0020", "U+200B → U+0020"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let text = whole().replacen('{', "{\n", 1);
    let numbered: Vec<String> =
        text.lines().zip(1..).map(|(line, number)| format!("{number}| {line}")).collect();
    let mut story = at(&numbered.join("\n"));
    let shown = story.press("f8").shown();
    assert!(
        shown.contains(&format!("line numbers (line 1, column 1): all {} go", numbered.len())),
        "{shown}"
    );
}

#[test]
fn every_slip_is_named_where_one_is_in_doubt() {
    let mut story = at(&whole().replacen('{', "{\"_a\": True, \"_b\": NaN,", 1));
    let seen = story.press("f4").shown();
    assert!(seen.contains("True → true") && seen.contains("NaN → null"), "{seen}");
}

#[test]
fn whoever_mends_a_packet_whose_record_is_there_is_told_that_this_opens_the_step() {
    let mut story = at(&format!("{},", whole()));
    let record = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc"},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex"}"#;
    story.put(super::ANSWERS, record);
    assert!(story.press("f8").shown().contains("A valid record lies there already"), "{}", story.shown());
    let mut story = at(&format!("{},", whole()));
    story.put(super::ANSWERS, &record.replace("jjwxc", "nowhere"));
    assert!(!story.press("f8").shown().contains("A valid record"), "{}", story.shown());
}
