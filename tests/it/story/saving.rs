//! The file of a standing question in the author's editor: whose text is replaced, and what becomes of each.

use super::asking::{GOAL, edit, file, overtaken, text, to, with_goal};
use novel_gate::console::prompt::Prompt;
use std::fs;

#[test]
fn a_kept_text_replaces_what_others_have_written_only_after_a_question() {
    let (mut story, theirs) = overtaken();
    for again in 0..2 {
        if again == 1 {
            story.restart();
            story.scan();
            story.press("f12");
            to(&mut story, "本章目标");
        }
        edit(&mut story, &file(&["A", "mine"]));
        assert_eq!(text(&story, GOAL), theirs, "{}", story.notice());
        assert!(
            story.find::<Prompt>().is_some_and(|prompt| !prompt.warnings.is_empty()),
            "{}",
            story.shown()
        );
        assert!(story.shown().contains("since you began"), "{}", story.shown());
        story.press("esc");
    }
    edit(&mut story, &file(&["A", "mine"]));
    story.press("enter");
    assert_eq!(text(&story, GOAL), file(&["A", "mine"]));
    story.press("ctrl+u");
    assert_eq!(text(&story, GOAL), theirs, "{}", story.notice());
}

#[test]
fn a_kept_text_outlives_its_file_and_asks_the_same() {
    let mut story = with_goal();
    story.press("ctrl+g");
    story.editor_failed_with(&file(&["A", "mine"]));
    fs::remove_file(story.root().join(GOAL)).expect("removed");
    let other = file(&["A", "other"]);
    story.put(GOAL, &other);
    edit(&mut story, &file(&["A", "mine"]));
    assert!(story.shown().contains("since you began"), "{}", story.shown());
    assert_eq!(text(&story, GOAL), other);
}

#[test]
fn a_kept_text_is_saved_without_a_question_if_the_file_is_as_it_was() {
    let mut story = with_goal();
    story.press("ctrl+g");
    story.editor_failed_with(&file(&["A", "mine"]));
    edit(&mut story, &file(&["A", "mine"]));
    assert!(story.find::<Prompt>().is_none(), "{}", story.shown());
    assert_eq!(text(&story, GOAL), file(&["A", "mine"]));
}

#[test]
fn what_is_saved_over_goes_into_the_history_and_comes_back() {
    let good = file(&["A", "B"]);
    let bad = good.replace("chapter:*:draft", "chapter:*:daft");
    for new in [&*bad, "{", "{\"_steps\": []}", &file(&["A", "C"])] {
        let mut story = with_goal();
        edit(&mut story, new);
        let has_mistakes = story.find::<Prompt>().is_some();
        if has_mistakes {
            story.press("enter");
        }
        assert_eq!(text(&story, GOAL), new);
        assert_eq!(story.notice().contains("not asked until"), has_mistakes, "{}", story.notice());
        assert!(story.notice().contains("Ctrl+U"), "{}", story.notice());
        story.press("ctrl+u");
        assert_eq!(text(&story, GOAL), good, "{}", story.notice());
        story.press("ctrl+u");
        assert!(story.notice().contains("nothing to put back"), "{}", story.notice());
    }
}

#[test]
fn what_others_write_over_a_saved_text_is_not_put_back_over() {
    let mut story = with_goal();
    edit(&mut story, &file(&["A", "C"]));
    story.put(GOAL, "{}");
    story.press("ctrl+u");
    assert_eq!(text(&story, GOAL), "{}");
    assert!(story.notice().contains("questions/goal.question.json"), "{}", story.notice());
}

#[test]
fn a_text_that_is_not_saved_can_be_dropped() {
    let mut story = with_goal();
    let before = text(&story, GOAL);
    story.press("ctrl+g");
    story.editor_failed_with(&before[..40]);
    assert!(story.shown().contains("edited, not saved"), "{}", story.shown());
    story.press("ctrl+u");
    assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
    story.press("enter");
    assert!(story.notice().contains("discarded"), "{}", story.notice());
    assert!(!story.shown().contains("edited, not saved"), "{}", story.shown());
    story.press("ctrl+g");
    assert_eq!(story.lent(), Some(before.clone()));
    assert_eq!(text(&story, GOAL), before);
}

#[test]
fn an_editor_that_removes_the_file_has_left_nothing() {
    let mut story = with_goal();
    let before = text(&story, GOAL);
    story.press("ctrl+g");
    story.editor_removed();
    assert!(story.notice().contains("left nothing"), "{}", story.notice());
    assert_eq!(text(&story, GOAL), before);
}

#[test]
fn a_question_file_with_mistakes_is_no_packet_in_the_inbox() {
    let bad = file(&["A", "B"]).replace("chapter:*:draft", "chapter:*:daft");
    let mut story = with_goal();
    story.press("esc");
    story.put(GOAL, &bad);
    story.wait(5).look();
    story.scan();
    to(&mut story, "goal");
    story.press("f4");
    let shown = story.shown();
    assert!(shown.contains("a standing question; it is not asked"), "{shown}");
    assert!(!shown.contains("this packet") && !shown.contains("edit the packet"), "{shown}");
}
