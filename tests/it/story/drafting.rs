//! Half-made answers are seen in the inbox.

use super::{ANSWERS, PACKET, Story, question};

fn two() -> Story {
    with_note(false)
}

fn with_note(required: bool) -> Story {
    let options = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let note = question("note", "free_text", required, &[], "");
    let mut story = Story::of(&format!("[{options},{note}]"));
    story.scan();
    story.open_form();
    story
}

const THEIRS: &str = r#"{"version": 1, "topic": "平台绑定", "answered_by": "codex",
    "answered_at": "2026-02-27T10:12:00.000Z", "answers": {"platform": "qidian"}}"#;

#[test]
fn a_gate_that_is_half_answered_says_so_now_and_after_a_restart() {
    let mut story = with_note(true);
    story.press("2 esc");
    assert!(story.shown().contains("◐ chapter:048:draft"), "{}", story.shown());
    assert!(story.shown().contains("draft 1/2"), "{}", story.shown());
    assert!(story.shown().contains("◐ platform  jjwxc"), "the answer itself: {}", story.shown());
    story.restart();
    story.scan();
    assert!(story.shown().contains("draft 1/2"), "{}", story.shown());
    story.press("enter tab").burst("雨").press("ctrl+s").wait(1).press("ctrl+s");
    assert!(story.record().is_some());
    story.scan();
    story.press("esc");
    assert!(!story.shown().contains('◐'), "{}", story.shown());
}

#[test]
fn a_draft_that_lacks_only_what_may_stay_blank_is_complete() {
    let mut story = two();
    story.press("2 esc");
    for _ in 0..2 {
        assert!(story.shown().contains("平台绑定 · draft "), "{}", story.shown());
        story.restart();
        story.scan();
    }
}

#[test]
fn a_draft_that_answers_nothing_or_everything_is_no_half() {
    let mut story = two();
    story.press("ctrl+n").burst("想想").press("esc esc");
    let shown = story.shown();
    assert!(shown.contains("平台绑定 · draft ") && !shown.contains("0/2"), "{shown}");
    story.press("enter 1 tab").burst("雨").press("esc esc");
    let shown = story.shown();
    assert!(shown.matches("draft, not submitted").count() == 1 && !shown.contains("2/2"), "{shown}");
}

#[test]
fn a_gate_that_was_only_looked_at_has_no_draft() {
    let mut story = two();
    story.press("tab esc esc");
    assert!(!story.shown().contains('◐'), "{}", story.shown());
}

#[test]
fn answers_that_came_too_late_stay_in_sight() {
    let mut story = two();
    story.press("2 tab").burst("别让他回头").press("esc esc");
    story.put(ANSWERS, THEIRS);
    story.restart();
    story.scan();
    let shown = story.shown();
    assert!(shown.contains("you have answers not submitted"), "{shown}");
    assert!(shown.contains("◐ platform  jjwxc") && shown.contains("◐ note  别让他回头"), "{shown}");
    // The one way on that is named leads there.
    story.press("f8");
    story.scan();
    story.press("enter");
    assert_eq!(story.form().draft.replies[1].text.lossy(), "别让他回头");
    assert_eq!(story.model().inbox.selected_path(), Some(PACKET.into()));
}

#[test]
fn a_default_that_stands_is_not_missing() {
    let platform =
        question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","default":"qidian""#);
    let mut story = Story::of(&format!("[{},{platform}]", question("note", "free_text", true, &[], "")));
    story.scan();
    story.press("enter").burst("雨").press("esc esc");
    for _ in 0..2 {
        let shown = story.shown();
        assert!(shown.matches("draft, not submitted").count() == 1 && !shown.contains("1/2"), "{shown}");
        story.restart();
        story.scan();
    }
}
