//! What is clicked acts as its key does.

use super::{Story, packet, question};
use novel_gate::console::input::key::KeyPress;
use novel_gate::console::model::{Place, Size};
use novel_gate::console::terminal::event::{Event, Input};
use novel_gate::console::terminal::run_loop::{App, Flow};
use novel_gate::text::Lang;
use novel_gate::text::width::cells;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;
use std::time::Duration;

const OTHER: &str = "staging/manifests/other.packet.json";
const THIRD: &str = "staging/manifests/third.packet.json";

/// Paints a frame and clicks where these words begin.
pub(super) fn click(story: &mut Story, words: &str) {
    let Size { width, height } = story.model().size;
    story.console.draw(&mut Buffer::empty(Rect::new(0, 0, width, height)));
    let shown = story.shown();
    let place = |(row, line): (usize, &str)| Some((row, cells(&line[..line.find(words)?])));
    let (row, column) =
        shown.lines().enumerate().find_map(place).unwrap_or_else(|| panic!("{words}: {shown}"));
    let cell = |at: usize| u16::try_from(at).expect("on the screen");
    story.flow = story.console.inputs(&[Input::Click { column: cell(column), row: cell(row) }]);
}

/// A form with the mark of a click in it, and a frame painted.
fn form() -> Story {
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], "");
    let mut story = Story::open(&format!("[{tags}]"));
    story.press("down up");
    story
}

fn ticks(story: &Story) -> usize {
    story.form().draft.replies[0].picks.len()
}

fn report(story: &mut Story, inputs: &[Input]) {
    story.flow = story.console.inputs(inputs);
}

#[test]
fn the_click_that_brings_the_terminal_to_the_front_is_no_click() {
    let (gained, lost) = (Input::FocusGained, Input::FocusLost);
    // Some terminals report the press behind the focus, some before it.
    let mut story = form();
    report(&mut story, std::slice::from_ref(&lost));
    report(&mut story, std::slice::from_ref(&gained));
    story.pause(199);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 0);
    story.pause(1);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 1);
    report(&mut story, &[lost]);
    click(&mut story, "克制");
    report(&mut story, &[gained]);
    click(&mut story, "克制");
    assert_eq!((ticks(&story), story.form().views[0].cursor), (1, 1));
    assert_eq!(story.flow, Flow::Unchanged, "and nothing is drawn");
    story.pause(200);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 0);
}

#[test]
fn until_a_terminal_that_reports_its_focus_has_it_again_no_press_counts() {
    let mut story = form();
    report(&mut story, &[Input::FocusGained, Input::FocusLost]);
    for _ in 0..2 {
        story.wait(1);
        click(&mut story, "克制");
    }
    assert_eq!(ticks(&story), 0);
    report(&mut story, &[Input::FocusGained]);
    story.pause(200);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 1);
    // A report that got lost costs one key.
    report(&mut story, &[Input::FocusLost]);
    story.press("down");
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 0);
}

#[test]
fn nothing_is_submitted_opened_or_moved_by_the_click_that_only_focuses() {
    let mut story = form();
    story.press("1 ctrl+s").wait(1);
    for words in ["[ Submit", "tags", "1 ✓"] {
        report(&mut story, &[Input::FocusLost]);
        click(&mut story, words);
        assert_eq!((story.place(), story.record()), (Place::Review, None), "{words}");
    }
    story.wait(1);
    click(&mut story, "[ Submit");
    assert!(story.record().is_some());
}

#[test]
fn a_terminal_that_reports_no_focus_or_only_half_of_it_takes_clicks() {
    let mut story = form();
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 1, "none reported");
    report(&mut story, &[Input::FocusLost]);
    story.press("down");
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 0, "who types has the keyboard");
    report(&mut story, &[Input::FocusLost]);
    click(&mut story, "克制");
    story.pause(200);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 1, "the second press");
    report(&mut story, &[Input::FocusGained]);
    *story.clock.0.lock().expect("the clock") -= Duration::from_hours(1);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 0, "a clock that was set back");
    report(&mut story, &[Input::FocusLost]);
    story.console.update(Event::Continued);
    click(&mut story, "克制");
    assert_eq!(ticks(&story), 1, "after another program had the terminal");
}

#[test]
fn a_storm_of_reports_draws_nothing_and_drops_no_key() {
    let mut story = form();
    let burst: Vec<Input> =
        (0..10_000).map(|n| if n % 2 == 0 { Input::FocusLost } else { Input::FocusGained }).collect();
    report(&mut story, &burst);
    assert_eq!(story.flow, Flow::Unchanged);
    let key = |name| Input::Key(KeyPress::parse(name).expect("a key"));
    let mixed = [burst.clone(), vec![key("1")], burst.clone(), vec![key("2")], burst].concat();
    report(&mut story, &mixed);
    assert_eq!(ticks(&story), 2);
}

#[test]
fn a_press_is_judged_when_it_is_made_however_long_it_is_held() {
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], "");
    let note = question("note", "free_text", false, &[], "");
    let mut story = Story::open(&format!("[{tags},{note}]"));
    story.press("tab ctrl+g");
    assert!(matches!(story.flow, Flow::Edit(_)), "keys wait for the editor");
    report(&mut story, &[Input::FocusLost]);
    click(&mut story, "review");
    report(&mut story, &[Input::FocusGained]);
    story.wait(1).edited("话");
    assert_eq!(story.place(), Place::Form, "it was held, and only focused");
}

#[test]
fn clicks_open_jump_pick_and_submit() {
    let asked = [
        question("platform", "single_choice", true, &["qidian", "jjwxc"], ""),
        question("tags", "multi_choice", false, &["热血", "克制"], ""),
        question("mood", "free_text", false, &[], ""),
    ];
    let mut story = Story::of(&format!("[{}]", asked.join(",")));
    story.scan();
    click(&mut story, "chapter:048:draft");
    click(&mut story, "chapter:048:draft");
    assert_eq!((story.place(), story.form().at), (Place::Form, 0), "{}", story.shown());
    click(&mut story, "3 ○ mood");
    story.burst("雨");
    click(&mut story, "2 ○ tags");
    assert_eq!(story.form().at, 1, "also from a text field");
    click(&mut story, "克制");
    click(&mut story, "1 ! platform");
    click(&mut story, "jjwxc");
    assert_eq!(story.form().at, 0, "a click picks and does not move on");
    click(&mut story, "review");
    assert_eq!((story.place(), story.record()), (Place::Review, None));
    click(&mut story, "[ Submit");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "tags": ["克制"], "mood": "雨"}));
}

#[test]
fn the_mouse_leaves_a_receipt_by_the_footer_or_the_next_gate_and_a_form_by_its_name() {
    for (lang, next, inbox) in
        [(Lang::En, "next gate", "Esc to the inbox"), (Lang::ZhCn, "下一个门控", "Esc 返回列表")]
    {
        let note = format!("[{}]", question("note", "free_text", false, &[], ""));
        let mut story = Story::open(&note);
        story.put(OTHER, &packet(&note).replace("gate.answers", "other.answers").replace("048", "049"));
        story.scan();
        story.console.stack.model.lang = lang;
        story.press("ctrl+s").wait(1).press("ctrl+s");
        assert_eq!(story.place(), Place::Receipt);
        click(&mut story, inbox);
        assert_eq!(story.place(), Place::Inbox, "{inbox}: {}", story.shown());
        story.scan();
        story.wait(1).press("home enter").wait(1).press("ctrl+s").wait(1).press("ctrl+s");
        assert_eq!(story.place(), Place::Receipt, "{}", story.shown());
        story.put(THIRD, &packet(&note).replace("gate.answers", "third.answers").replace("048", "050"));
        story.scan();
        story.wait(1);
        click(&mut story, next);
        assert_eq!(story.model().open.as_deref(), Some(THIRD.as_ref()), "{}", story.shown());
        story.press("esc esc").wait(1).press("enter");
        click(&mut story, "chapter:050");
        assert_eq!(story.place(), Place::Form, "out of the field");
        story.wait(1);
        click(&mut story, "chapter:050");
        assert_eq!(story.place(), Place::Inbox, "{}", story.shown());
    }
}

#[test]
fn the_second_press_of_a_double_click_does_nothing_on_the_next_screen() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","default":"jjwxc""#);
    let mut story = Story::open(&format!("[{pick}]"));
    story.press("down");
    click(&mut story, "Ctrl+S");
    assert_eq!(story.place(), Place::Review, "{}", story.shown());
    story.pause(399);
    click(&mut story, "Ctrl+S submit");
    assert_eq!((story.place(), story.record()), (Place::Review, None));
    story.pause(1);
    click(&mut story, "Ctrl+S submit");
    assert!(story.record().is_some(), "{}", story.shown());
}
