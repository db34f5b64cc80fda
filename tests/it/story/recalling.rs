//! The history of a gate, looked at and put back.

use super::{ANSWERS, PACKET, Story, question};
use novel_gate::console::model::{GateHistory, Screen};
use novel_gate::text::Lang;
use std::fs;

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

/// Answered `jjwxc` with 旧话, removed, answered `qidian` with 新话; the author is back in the inbox.
fn answered_twice() -> (Story, String, String) {
    let mut story = Story::open(&gate());
    story.press("2 tab").burst("旧话").press("enter ctrl+s");
    let first = story.record().expect("a record");
    story.press("esc");
    story.scan();
    story.wait(60).press("f8");
    story.scan();
    assert_eq!(story.record(), None);
    story.open_form();
    story.press("1 tab ctrl+u").burst("新话").press("enter ctrl+s");
    let second = story.record().expect("a record");
    assert_ne!(first, second);
    story.press("esc");
    story.scan();
    story.wait(60);
    (story, first, second)
}

fn history(story: &Story) -> &GateHistory {
    story.model().history.as_ref().expect("a history")
}

fn reasons(story: &Story) -> Vec<&'static str> {
    history(story).found.rows.iter().map(|row| row.entry.reason.name()).collect()
}

#[test]
fn entries_stand_newest_first_with_what_changed() {
    let (mut story, ..) = answered_twice();
    story.press("f6");
    assert_eq!(story.model().screen, Screen::History);
    assert_eq!(reasons(&story), ["answered", "redone", "answered"]);
    let shown = story.press("f4").shown();
    for words in ["− jjwxc", "+ qidian", "− 旧话", "+ 新话"] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    story.press("esc end");
    let shown = story.shown();
    assert!(shown.contains("jjwxc") && !shown.contains("qidian"), "{shown}");
    story.press("esc");
    assert_eq!((story.model().screen, story.model().history.is_none()), (Screen::Inbox, true));
}

#[test]
fn an_entry_comes_back_over_nothing() {
    let (mut story, first, _) = answered_twice();
    fs::remove_file(story.root().join(ANSWERS)).expect("redone");
    story.scan();
    story.press("h end enter");
    assert!(story.shown().contains("No record is there now."), "{}", story.shown());
    assert_eq!(story.record(), None, "it is asked first");
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&first));
    assert_eq!(story.notice(), "The record is back as it was in this entry.");
    assert_eq!(reasons(&story), ["restored", "answered", "redone", "answered"]);
}

#[test]
fn an_entry_takes_the_place_of_the_record_that_was_shown() {
    let (mut story, first, second) = answered_twice();
    story.press("f6 end enter n");
    assert_eq!(story.record().as_ref(), Some(&second), "no means no");
    story.press("enter y");
    assert_eq!(story.record().as_ref(), Some(&first));
    assert_eq!(reasons(&story), ["restored", "replaced", "answered", "redone", "answered"]);
    let kept = history(&story).found.rows[1].entry.bytes().expect("its bytes");
    assert_eq!(kept, second.as_bytes(), "what was there is in the history");
    story.press("home enter");
    assert_eq!(story.notice(), "The record that is there now says exactly this.");
    assert!(story.model().over.is_none());
}

#[test]
fn a_record_that_changed_meanwhile_is_left_alone() {
    let (mut story, _, second) = answered_twice();
    story.press("f6 end enter");
    let other = second.replace("新话", "别人的话");
    story.put(ANSWERS, &other);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&other));
    assert!(story.notice().starts_with("Not put back."), "{}", story.notice());
    assert_eq!(reasons(&story)[0], "seen", "and it is shown");
    // Shown now, it may be replaced.
    story.press("end enter enter");
    assert!(story.record().expect("a record").contains("旧话"));
}

#[test]
fn a_record_that_came_meanwhile_is_left_alone() {
    let (mut story, _, second) = answered_twice();
    fs::remove_file(story.root().join(ANSWERS)).expect("redone");
    story.press("f6 end enter");
    story.put(ANSWERS, &second);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&second));
    assert!(story.notice().starts_with("Not put back."), "{}", story.notice());
}

#[test]
fn words_narrow_the_entries() {
    let (mut story, ..) = answered_twice();
    story.press("f6 ctrl+f").burst("新话");
    assert_eq!(reasons(&story), ["answered"]);
    assert_eq!(history(&story).found.all, 3);
    story.burst("没有");
    assert_eq!(reasons(&story), Vec::<&str>::new());
    story.press("enter enter");
    assert!(story.model().over.is_none(), "there is nothing to put back");
    story.press("esc");
    assert_eq!((reasons(&story).len(), story.model().screen), (3, Screen::History));
}

#[test]
fn a_gate_without_a_history_says_so() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("f6 enter");
    assert!(story.shown().contains("Nothing has been written for this gate yet."), "{}", story.shown());
    story.press("f2");
    assert_eq!(story.model().lang, Lang::ZhCn);
    assert!(story.shown().contains("还没有写入过任何记录"));
    assert!(!story.root().join(ANSWERS).exists() && story.root().join(PACKET).exists());
}
