//! Deciding ahead: what the steps to come will ask is answered in one sitting, before there are packets.

use super::asking::to;
use super::{Story, question};
use novel_gate::console::model::Place;
use std::fs;

fn record_of(chapter: u64) -> String {
    format!("staging/novel-ask/end-chapter-{chapter:03}-draft.answers.json")
}

fn put(story: &Story, name: &str, steps: &str, question: &str) {
    let text =
        format!(r#"{{"_steps": ["{steps}"], "version": 1, "topic": "{name}", "questions": [{question}]}}"#);
    story.put(&format!("questions/{name}.question.json"), &text);
}

/// A book whose chapters ask how they end, and a verdict behind that; the screen of standing questions.
fn book() -> Story {
    let mut story = Story::of(&format!("[{}]", question("platform", "single_choice", true, &["a", "b"], "")));
    put(&story, "end", "chapter:*:draft", &question("end", "single_choice", true, &["rain", "sun"], ""));
    let verdict = question("keep", "single_choice", true, &["keep", "again"], r#","_opens_on":["keep"]"#);
    put(&story, "keep", "chapter:*:commit", &verdict);
    story.scan();
    story.press("f12");
    assert_eq!(story.place(), Place::Questions);
    story
}

/// Presses keys, then those that submit.
fn submit(story: &mut Story, keys: &str) {
    story.press(keys).press("ctrl+s").wait(1);
    story.press("ctrl+s");
}

fn words(story: &Story, chapter: u64) -> Option<String> {
    let text = fs::read_to_string(story.root().join(record_of(chapter))).ok()?;
    Some(if text.contains("rain") { "rain".to_owned() } else { "sun".to_owned() })
}

#[test]
fn five_chapters_are_decided_in_one_sitting_with_four_keys_each() {
    let mut story = book();
    to(&mut story, "chapter:001:draft");
    story.press("enter");
    let keys = ["1", "2", "1", "1", "2"].map(|choice| [choice, "ctrl+s", "ctrl+s", "enter"]);
    for chapter in &keys {
        assert_eq!(story.place(), Place::Form, "{}", story.shown());
        // The second time it is meant.
        for key in chapter {
            story.press(key).wait(1);
        }
    }
    let decided: Vec<_> = (1..=6).map(|chapter| words(&story, chapter)).collect();
    let wanted = ["rain", "sun", "rain", "rain", "sun"].map(|words| Some(words.to_owned()));
    assert_eq!(decided, [&wanted[..], &[None]].concat());
    assert!(story.shown().contains("chapter:006:draft"), "{}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("▸  ·  chapter:006:draft"), "{}", story.shown());
    // The packet comes, and asks nothing.
    story.put("staging/manifests/chapter-001-draft.packet.json", r#"{"step": "chapter:001:draft"}"#);
    story.scan();
    story.press("esc");
    let entry = story.model().inbox.entries.iter().find(|entry| entry.title() == "chapter:001:draft");
    assert!(entry.is_none_or(|entry| !entry.waits()), "{entry:?}");
}

#[test]
fn what_was_decided_is_seen_taken_back_put_back_and_changed() {
    let mut story = book();
    to(&mut story, "chapter:002:draft");
    submit(&mut story, "enter 1");
    assert!(story.shown().contains("Decided ahead"), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.place(), Place::Questions);
    story.scan();
    // The cursor is on what was just decided, whose row says the answer.
    assert!(story.shown().contains("▸  ✓  chapter:002:draft · end · rain"), "{}", story.shown());
    assert!(story.shown().contains("✓ decided") && story.shown().contains("rain"), "{}", story.shown());
    story.press("enter");
    assert!(!story.shown().contains("what is decided"), "the page says it: {}", story.shown());
    story.press("enter");
    assert_eq!(story.place(), Place::Questions, "{}", story.shown());
    story.press("esc f8");
    assert!(story.shown().contains("when it comes. Ctrl+U"), "{}", story.shown());
    story.press("enter");
    assert_eq!(words(&story, 2), None);
    story.press("ctrl+u");
    assert_eq!(words(&story, 2).as_deref(), Some("rain"));
    to(&mut story, "chapter:002:draft");
    story.press("f8 enter");
    to(&mut story, "chapter:002:draft");
    submit(&mut story, "enter 2");
    assert_eq!(words(&story, 2).as_deref(), Some("sun"));
}

#[test]
fn a_verdict_is_not_given_ahead_and_nothing_is_sent_back() {
    let mut story = book();
    to(&mut story, "chapter:001:commit");
    assert!(story.shown().contains("keep, once for each step, when it is made"), "{}", story.shown());
    assert!(!story.shown().contains("chapter:002:commit"), "once is enough: {}", story.shown());
    for key in ["enter", "space"] {
        story.press(key);
        assert_eq!(story.place(), Place::Questions, "{key}");
        assert!(story.notice().contains("asked when that is there"), "{key}: {}", story.notice());
    }
    to(&mut story, "chapter:001:draft");
    story.press("enter ctrl+x");
    assert_eq!(story.notice(), "No packet asks this yet: there is nothing to send back.");
    story.press("f12");
    assert_eq!(story.place(), Place::Form);
}

#[test]
fn what_was_begun_ahead_waits_in_the_inbox_and_is_in_the_form_of_the_packet() {
    let mut story = book();
    to(&mut story, "chapter:003:draft");
    story.press("enter 2 esc");
    assert_eq!(story.place(), Place::Questions, "the form leads back to where it was opened");
    story.scan();
    assert!(story.shown().contains("▸  ◐  chapter:003:draft"), "{}", story.shown());
    assert!(story.shown().contains("◐ begun; Enter goes on with it"), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.place(), Place::Inbox);
    story.scan();
    assert!(story.shown().contains("chapter:003:draft"), "{}", story.shown());
    to(&mut story, "chapter:003:draft");
    assert!(story.shown().contains("its step has no packet yet"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.place(), Place::Form);
    assert!(!story.shown().contains("to the questions"), "{}", story.shown());
    story.press("esc");
    story.put("staging/manifests/chapter-003-draft.packet.json", r#"{"step": "chapter:003:draft"}"#);
    story.scan();
    story.open_gate("staging/manifests/chapter-003-draft.packet.json");
    submit(&mut story, "");
    assert_eq!(words(&story, 3).as_deref(), Some("sun"), "{}", story.shown());
}

/// The form of chapter 2 with an answer chosen, and then something that others do.
fn overtaken(what: impl FnOnce(&mut Story)) -> Story {
    let mut story = book();
    to(&mut story, "chapter:002:draft");
    story.press("enter 1");
    what(&mut story);
    story.scan();
    story.look();
    story
}

#[test]
fn a_packet_that_comes_while_the_form_is_open_is_open_once_it_is_submitted() {
    const PACKET: &str = "staging/manifests/chapter-002-draft.packet.json";
    let mut story = overtaken(|story| story.put(PACKET, r#"{"step": "chapter:002:draft", "manifest": {}}"#));
    submit(&mut story, "");
    assert_eq!(words(&story, 2).as_deref(), Some("rain"), "{}", story.shown());
    story.scan();
    let entry = story.model().inbox.entry_at(PACKET.as_ref());
    assert!(entry.is_none_or(|entry| !entry.waits()), "{entry:?}");
}

#[test]
fn who_answers_meanwhile_comes_first_and_nothing_is_written_over_unseen() {
    let theirs = r#"{"version":1,"topic":"end","answers":{"end":"sun"},"answered_at":"2026-02-26T09:05:00.000Z","answered_by":"codex"}"#;
    let mut story = overtaken(|story| story.put(&record_of(2), theirs));
    submit(&mut story, "");
    assert_eq!(words(&story, 2).as_deref(), Some("sun"), "{}", story.shown());
    assert!(story.shown().contains("codex"), "{}", story.shown());
}

#[test]
fn a_question_that_changes_while_the_form_is_open_is_never_answered_as_it_was() {
    let mut story = overtaken(|story| {
        let file = story.root().join("questions/end.question.json");
        let text = fs::read_to_string(&file).expect("a question").replace("rain", "snow");
        story.put("questions/end.question.json", &text);
    });
    assert!(story.shown().contains("▸ ( ) 1  snow"), "{}", story.shown());
    submit(&mut story, "");
    assert_eq!(words(&story, 2), None, "{}", story.shown());
}

#[test]
fn a_question_that_is_off_or_gone_while_the_form_is_open_is_said_and_nothing_is_written() {
    for is_off in [true, false] {
        let mut story = overtaken(|story| {
            let file = story.root().join("questions/end.question.json");
            if is_off {
                let text = fs::read_to_string(&file).expect("a question");
                story.put("questions/end.question.json", &text.replacen('{', r#"{"_enabled": false, "#, 1));
            } else {
                fs::remove_file(&file).expect("removed");
            }
        });
        let why = if is_off { "end is off" } else { "No standing question end" };
        assert!(story.shown().contains(why), "{}", story.shown());
        submit(&mut story, "");
        assert_eq!(words(&story, 2), None, "{}", story.shown());
        story.press("esc esc");
        assert!(story.place() != Place::Form, "{}", story.shown());
    }
}

#[test]
fn a_step_that_is_passed_while_the_form_is_open_is_said_and_nothing_is_written() {
    let mut story = overtaken(|story| story.put(".checkpoint.json", r#"{"last_completed_chapter": 4}"#));
    assert!(story.shown().contains("The checkpoint has passed this step"), "{}", story.shown());
    submit(&mut story, "");
    assert_eq!(words(&story, 2), None, "{}", story.shown());
}

#[test]
fn a_step_whose_packet_asks_something_of_its_own_is_not_said_to_ask_more() {
    let mut story = book();
    assert!(story.shown().contains("chapter:001:draft"), "{}", story.shown());
    let own = format!(
        r#"{{"step": "chapter:001:draft", "answer_path": "staging/own.json",
        "novel_ask": {{"version": 1, "topic": "own", "questions": [{}]}}}}"#,
        question("a", "single_choice", true, &["x", "y"], "")
    );
    let packet = "staging/manifests/chapter-001-draft.packet.json";
    story.put(packet, &own);
    story.scan();
    story.look();
    assert!(!story.shown().contains("chapter:001:draft · end"), "{}", story.shown());
    // The list of gates says it: no packet is read for it at each look.
    fs::remove_file(story.root().join(packet)).expect("removed");
    story.look();
    assert!(!story.shown().contains("chapter:001:draft · end"), "{}", story.shown());
    to(&mut story, "chapter:002:draft · end");
}

#[test]
fn that_the_steps_to_come_ask_more_than_is_told_is_said_below_them() {
    let mut story = book();
    let ends = |story: &mut Story| {
        story.press("home");
        (0..12).any(|_| {
            story.press("pgdn");
            story.shown().contains("    and more; of any step: novel-gate questions preview STEP")
        })
    };
    assert!(!ends(&mut story), "{}", story.shown());
    for name in ["one", "two"] {
        put(&story, name, "chapter:*:*", &question(name, "single_choice", true, &["rain", "sun"], ""));
    }
    story.look();
    assert!(ends(&mut story), "{}", story.shown());
}

#[test]
fn a_record_that_no_longer_fits_is_said_repaired_and_taken_back() {
    let bad = r#"{"version":1,"topic":"end","answers":{"end":"snow"},"answered_at":"2026-02-26T09:05:00.000Z","answered_by":"human"}"#;
    let mut story = book();
    story.put(&record_of(2), bad);
    story.look();
    to(&mut story, "chapter:002:draft");
    assert!(story.shown().contains("▸  ▲  chapter:002:draft"), "{}", story.shown());
    assert!(story.shown().contains("the record there is not valid"), "{}", story.shown());
    story.press("f8 enter");
    assert!(!story.root().join(record_of(2)).exists(), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.notice(), "What you decided is in its place again.");
    story.look();
    to(&mut story, "chapter:002:draft");
    submit(&mut story, "enter 1");
    assert_eq!(words(&story, 2).as_deref(), Some("rain"), "{}", story.shown());
}

#[test]
fn who_takes_a_decision_back_is_not_told_that_somebody_has() {
    const PACKET: &str = "staging/manifests/chapter-001-draft.packet.json";
    let mut story = book();
    to(&mut story, "chapter:001:draft");
    submit(&mut story, "enter 1");
    story.put(PACKET, r#"{"step": "chapter:001:draft", "manifest": {}}"#);
    story.scan();
    story.press("esc");
    story.look();
    to(&mut story, "chapter:001:draft");
    story.press("f8 enter");
    story.scan();
    story.look();
    assert!(story.notice().starts_with("It is taken back."), "{}", story.notice());
}
