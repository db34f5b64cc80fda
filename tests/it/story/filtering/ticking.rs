//! Several options ticked by name, one after the other, and own words among them.

use super::super::{Story, question};
use super::{OTHER, last_line, submitted};
use novel_gate::console::form::{Focus, Row};
use serde_json::json;

const LABELS: [&str; 5] = ["玄幻", "干细胞", "公序良俗", "种族之谜", "租住人"];

fn story(more: &str) -> Story {
    let asked = question("genres", "multi_choice", false, &LABELS, more);
    Story::open(&format!("[{asked},{}]", question("note", "free_text", false, &[], "")))
}

fn ticked(story: &Story) -> Vec<usize> {
    (0..LABELS.len()).filter(|&place| story.form().draft.replies[0].has(place)).collect()
}

#[test]
fn enter_ticks_the_hit_and_the_next_letters_replace_the_filter() {
    for more in ["", OTHER] {
        let mut story = story(more);
        story.burst("gxb").press("enter");
        assert_eq!((ticked(&story), story.form().focus), (vec![1], Focus::Filter), "{more}");
        assert!(story.shown().contains("/ gxb"), "{}", story.shown());
        story.burst("zzz").press("enter");
        assert_eq!((ticked(&story), story.form().typed()), (vec![1, 3], "zzz"), "{more}");
        // Letter by letter, in pauses of an input method, too.
        story.press("g").wait(2).press("x l enter");
        assert_eq!((ticked(&story), story.form().typed()), (vec![1, 2, 3], "gxl"), "{more}");
        story.press("esc");
        assert_eq!(
            (story.form().row_count(), story.form().filter().is_none()),
            (5 + usize::from(!more.is_empty()), true)
        );
        assert_eq!(submitted(&mut story), json!({"genres": ["干细胞", "公序良俗", "种族之谜"]}), "{more}");
    }
}

#[test]
fn what_is_typed_is_in_no_answer_once_it_has_ticked() {
    let mut story = story(OTHER);
    story.burst("干细").press("enter").burst("公序").press("enter").burst("租住").press("backspace");
    assert_eq!((ticked(&story), story.form().typed()), (vec![1, 2], "租"));
    story.press("backspace esc");
    assert_eq!(story.form().draft.replies[0].other, "");
    assert_eq!(submitted(&mut story), json!({"genres": ["干细胞", "公序良俗"]}));
}

#[test]
fn the_selected_filter_is_erased_whole_and_moving_the_cursor_keeps_it() {
    let mut story = story("");
    story.burst("z").press("enter down enter");
    assert_eq!((ticked(&story), story.form().typed()), (vec![3, 4], "z"));
    story.press("backspace");
    assert_eq!((story.form().typed(), story.form().row_count()), ("", 5));
    story.burst("z").press("enter");
    assert_eq!(ticked(&story), [3, 4], "a tick stands though its name is typed anew");
}

#[test]
fn a_second_enter_takes_no_tick_back_and_a_third_goes_on() {
    let mut story = story("");
    story.burst("gxb").press("enter");
    assert!(last_line(&story).starts_with(" Enter to the list"), "{}", last_line(&story));
    story.press("enter");
    assert_eq!((ticked(&story), story.form().focus), (vec![1], Focus::List));
    story.press("enter");
    assert_eq!(story.form().at, 1);
}

#[test]
fn the_filter_that_is_selected_looks_so() {
    let mut story = story("");
    story.burst("gxb");
    let reversed = |story: &Story| {
        let buffer = story.paint();
        let is_g = |cell: &&ratatui::buffer::Cell| cell.symbol() == "g";
        let row = buffer.content().chunks(80).find(|row| row[3].symbol() == "g" || row[4].symbol() == "g");
        row.and_then(|row| row.iter().find(is_g)).map(|cell| (cell.fg, cell.bg, cell.modifier))
    };
    let before = reversed(&story);
    assert!(before.is_some(), "{}", story.shown());
    story.press("enter");
    assert_ne!(reversed(&story), before);
}

#[test]
fn behind_own_words_enter_goes_on() {
    let mut story = story(OTHER);
    story.press("end enter").wait(1).burst("雨夜归人").press("enter");
    assert!(matches!(story.form().current_row(), Some(Row::Own(0))), "{:?}", story.form().current_row());
    assert!(last_line(&story).starts_with(" Enter go on"), "{}", last_line(&story));
    story.press("enter");
    assert_eq!(story.form().at, 1, "two keys more than the words");
    // From the filter, and with the words of an option.
    for (typed, at) in [("雪夜", Row::Own(1)), ("租住人", Row::Option(4))] {
        story.press("shift+tab").burst(typed).press("end enter").wait(1).press("enter");
        assert_eq!(story.form().current_row(), Some(at), "{typed}");
        story.press("enter");
        assert_eq!(story.form().at, 1, "{typed}");
    }
    assert_eq!(submitted(&mut story), json!({"genres": ["租住人", "雨夜归人", "雪夜"]}));
}

#[test]
fn an_empty_field_for_own_words_is_no_loop() {
    let mut story = story(OTHER);
    story.press("end");
    assert!(last_line(&story).contains("Tab next question"), "{}", last_line(&story));
    story.press("enter").wait(1);
    assert!(last_line(&story).contains("Enter go on"), "{}", last_line(&story));
    story.press("enter");
    assert_eq!((story.form().at, story.form().focus), (1, Focus::Field));
}
