//! Words in a filter, and the cursor beside them, stay: beside own words that are chosen, and while another question changes.

use super::super::{PACKET, Story, packet, question};
use super::{OTHER, row, single};
use novel_gate::console::form::{Focus, Row};

#[test]
fn words_that_find_the_own_answer_are_kept_beside_it() {
    let reply = |story: &Story| story.form().draft.replies[0].clone();
    let own = |story: &Story| reply(story).own().next().map(|own| own.display().into_owned());
    for keys in ["enter", "up enter"] {
        let mut story = single(OTHER);
        story.burst("雨夜归人").press("enter").wait(1).press("enter shift+tab").wait(1);
        assert_eq!(own(&story).as_deref(), Some("雨夜归人"));
        story.burst("雨夜");
        assert_eq!(row(&story), Some(Row::Typed), "{}", story.shown());
        story.press(keys);
        assert_eq!(own(&story).as_deref(), Some("雨夜归人"), "{keys}: one key chooses nothing else");
        assert_eq!(reply(&story).other, "雨夜", "{keys}: typed, not chosen");
        let field = (story.form().focus == Focus::Field).then(|| story.form().field.text());
        assert_eq!(field, (keys == "enter").then_some("雨夜"), "{keys}");
    }
}

/// A choice whose descriptions have the words of its filter, and a question behind it.
fn asked(last: &str) -> String {
    let genre = question("genre", "single_choice", true, &["赛博朋克", "悬疑推理"], OTHER);
    let tags = question("tags", "multi_choice", false, &["热血", "热闹", "冷"], "");
    let genre = genre.replacen(r#""d""#, r#""雨夜里的霓虹。""#, 1);
    format!("[{genre},{tags},{}]", question(last, "free_text", false, &[], ""))
}

/// Another process changes the last question.
fn change_elsewhere(story: &mut Story) {
    story.put(PACKET, &packet(&asked("remark")));
    story.scan();
    assert!(story.form().spec().find("remark").is_some());
}

#[test]
fn a_change_elsewhere_moves_no_cursor_and_holds_up_no_key() {
    let mut story = Story::open(&asked("note"));
    story.burst("雨夜");
    let before = row(&story);
    change_elsewhere(&mut story);
    assert_eq!((before, row(&story)), (Some(Row::Typed), Some(Row::Typed)));
    story.press("enter");
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, "雨夜"), "{}", story.notice());
    // A row that a key has moved to, in the filter or in the list that it has left narrow.
    for (keys, want) in [("down", Row::Option(1)), ("down enter enter space", Row::Option(1))] {
        let mut story = Story::open(&asked("note"));
        story.wait(1).press("tab").burst("热").press(keys);
        assert_eq!(row(&story), Some(want), "{}", story.shown());
        change_elsewhere(&mut story);
        assert_eq!((row(&story), story.form().typed()), (Some(want), "热"), "{keys}: {}", story.shown());
        story.press("space");
        assert!(story.form().draft.replies[1].has(1), "{keys}: {}", story.notice());
    }
    let mut story = Story::open(&asked("note"));
    story.burst("雪").press("esc end");
    assert_eq!(row(&story), Some(Row::Other));
    change_elsewhere(&mut story);
    assert_eq!(row(&story), Some(Row::Other));
    story.press("enter");
    assert_eq!(story.form().field.text(), "雪", "{}", story.notice());
}
