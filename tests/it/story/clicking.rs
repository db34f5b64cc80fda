//! What is clicked acts as its key does.

use super::{Story, question};
use novel_gate::console::event::Input;
use novel_gate::console::model::{Screen, Size};
use novel_gate::console::run_loop::App;
use novel_gate::text::width::cells;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

/// Paints a frame and clicks where these words begin.
fn click(story: &mut Story, words: &str) {
    let Size { width, height } = story.model().size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| story.console.draw(frame)).expect("painted");
    let shown = story.shown();
    let place = |(row, line): (usize, &str)| Some((row, cells(&line[..line.find(words)?])));
    let (row, column) =
        shown.lines().enumerate().find_map(place).unwrap_or_else(|| panic!("{words}: {shown}"));
    let cell = |at: usize| u16::try_from(at).expect("on the screen");
    story.flow = story.console.inputs(&[Input::Click { column: cell(column), row: cell(row) }]);
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
    assert_eq!((story.model().screen, story.form().at), (Screen::Form, 0), "{}", story.shown());
    click(&mut story, "3 ○ mood");
    story.burst("雨");
    click(&mut story, "2 ○ tags");
    assert_eq!(story.form().at, 1, "also from a text field");
    click(&mut story, "克制");
    click(&mut story, "1 ! platform");
    click(&mut story, "jjwxc");
    assert_eq!(story.form().at, 0, "a click picks and does not move on");
    click(&mut story, "review");
    assert_eq!((story.model().screen, story.record()), (Screen::Review, None));
    click(&mut story, "[ Submit");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "tags": ["克制"], "mood": "雨"}));
}
