//! The filter of a question's options.

use super::{Story, question};
use novel_gate::console::model::Focus;
use serde_json::json;

const OTHER: &str = r#","allow_other":true"#;
const LABELS: [&str; 4] = ["起点", "番茄小说", "规则怪谈", "悬疑推理"];

fn single(more: &str) -> Story {
    Story::open(&format!("[{}]", question("genre", "single_choice", true, &LABELS, more)))
}

fn multi(more: &str) -> Story {
    Story::open(&format!("[{}]", question("genres", "multi_choice", false, &LABELS, more)))
}

/// The answers once the review is submitted.
fn submitted(story: &mut Story) -> serde_json::Value {
    story.press("ctrl+s").wait(1).press("ctrl+s");
    story.answers()
}

#[test]
fn enter_takes_the_row_of_a_single_choice_and_goes_on() {
    for (typed, want) in
        [("qd", "起点"), ("qidian", "起点"), ("GZ", "规则怪谈"), ("xyt", "悬疑推理"), ("2", "番茄小说")]
    {
        let mut story = single("");
        story.press("/").burst(typed).press("enter ctrl+s");
        assert_eq!(story.answers(), json!({"genre": want}), "{typed}");
    }
}

#[test]
fn a_question_that_was_answered_by_a_filter_shows_all_again() {
    let mut story = single("");
    story.press("ctrl+f").burst("gz").press("enter esc");
    assert!(story.form().views[0].filter.is_none());
    assert_eq!(story.form().views[0].cursor, 2, "the row that was chosen");
}

#[test]
fn space_ticks_in_the_filter_of_a_multi_choice() {
    let mut story = multi("");
    story.press("ctrl+f").burst("gz").press("space").burst("　　");
    assert_eq!(story.form().draft.replies[0].picks.len(), 1, "three times the same row");
    assert_eq!(story.form().focus, Focus::Filter);
    assert!(story.shown().contains("/ gz") && story.shown().contains("1/4 · 1 chosen"), "{}", story.shown());
    story.press("backspace backspace").burst("q").press("space enter");
    assert_eq!(story.form().focus, Focus::List);
    assert!(story.form().views[0].filter.is_some(), "the list stays narrow");
    story.press("esc");
    assert_eq!(story.form().row_count(0), 4);
    assert_eq!(submitted(&mut story), json!({"genres": ["起点", "规则怪谈"]}));
}

#[test]
fn words_parted_by_blanks_must_all_match() {
    let mut story = single("");
    story.press("ctrl+f").burst("guai 规").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "规则怪谈"}));
}

#[test]
fn what_an_input_method_writes_in_a_list_opens_the_filter() {
    let mut story = single("");
    story.burst("怪谈").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "规则怪谈"}));
    let mut story = multi("");
    story.burst("小说gz");
    assert_eq!(story.form().typed(), "小说gz", "letters behind it belong to it");
    let mut story = single("");
    story.burst("。，·");
    assert!(story.form().views[0].filter.is_none(), "punctuation is not text to look for");
    story.burst("２");
    assert!(story.form().draft.replies[0].has(1), "a full-width digit is a key");
    let mut story = Story::open(&format!("[{}]", question("note", "free_text", false, &[], "")));
    story.press("esc").burst("雨夜");
    assert!(story.form().views[0].filter.is_none(), "there is nothing to filter");
}

#[test]
fn words_that_nothing_matches_become_the_own_answer() {
    let mut story = single(OTHER);
    story.press("ctrl+f").burst(" 雨夜 ");
    assert!(story.shown().contains("Write it as your own answer: “雨夜”"), "{}", story.shown());
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));

    let mut story = multi(OTHER);
    story.burst("雨夜").press("space");
    assert!(story.shown().contains("0/4 · 1 chosen"), "{}", story.shown());
    story.press("space");
    assert_eq!(story.form().draft.replies[0].picks, [], "the row ticks and unticks");
    story.press("enter");
    assert_eq!(story.form().focus, Focus::List);
    assert_eq!(submitted(&mut story), json!({"genres": ["雨夜"]}));
}

#[test]
fn words_that_nothing_matches_are_no_answer_where_only_options_are() {
    for mut story in [single(""), multi("")] {
        story.burst("雨夜").press("enter");
        assert!(story.shown().contains("No option matches. Esc shows all again."), "{}", story.shown());
        assert_eq!(story.form().draft.replies[0].picks, []);
        assert_eq!(story.form().focus, Focus::Filter);
    }
}

#[test]
fn a_control_token_is_refused_in_a_filter_too() {
    for mut story in [single(OTHER), multi(OTHER)] {
        story.press("ctrl+f").burst("__done__").press("enter");
        assert!(story.notice().contains("__done__"), "{}", story.notice());
        assert_eq!(story.form().typed(), "__done__");
        assert_eq!(story.form().focus, Focus::Filter);
    }
}

#[test]
fn own_words_that_another_answer_replaces_stay_within_reach() {
    let mut story = single(OTHER);
    story.burst("雨夜").press("enter esc").burst("暴雪").press("enter esc");
    assert!(story.form().has_other_answer(0), "F7 switches to the first ones");
    story.press("ctrl+_").press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));
}

#[test]
fn the_filter_stays_in_its_row_while_the_list_shrinks() {
    let row = |story: &Story| story.shown().lines().position(|line| line.trim_start().starts_with("/ "));
    let mut story = single(OTHER);
    story.press("ctrl+f").burst("g");
    let first = row(&story).expect("a filter");
    for typed in ["z", "g", "x"] {
        story.burst(typed);
        assert_eq!(row(&story), Some(first), "{}", story.shown());
    }
}

#[test]
fn esc_says_what_it_does_where_a_filter_stands() {
    let mut story = multi("");
    story.press("ctrl+f").burst("gz");
    assert!(story.shown().contains("Esc show all again"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("Esc show all again"), "{}", story.shown());
    story.press("esc");
    assert!(!story.shown().contains("Esc show all again"), "{}", story.shown());
}

#[test]
fn the_submit_key_goes_to_the_review_from_a_filter() {
    let mut story = multi("");
    story.press("ctrl+f").burst("gz").press("space");
    assert_eq!(submitted(&mut story), json!({"genres": ["规则怪谈"]}));
}

#[test]
fn the_submit_key_takes_the_own_words_under_the_cursor_along() {
    let mut story = single(OTHER);
    story.press("ctrl+f").burst("雨夜").press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));
}
