//! Keys meant for what was shown before are not taken; every other key is.

use super::{PACKET, Story, packet, question};
use novel_gate::console::form::{Focus, Form};
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::text::Lang;
use std::fs;
use std::path::Path;

fn platform(labels: &[&str]) -> String {
    question("platform", "single_choice", true, labels, "")
}

fn text(id: &str) -> String {
    question(id, "free_text", false, &[], "")
}

/// Another process writes the packet anew, and the console sees it.
fn change(story: &mut Story, questions: &[String]) {
    story.put(PACKET, &packet(&format!("[{}]", questions.join(","))));
    story.scan();
}

fn taken(story: &Story) -> bool {
    !story.form().draft.replies[0].picks.is_empty()
}

#[test]
fn keys_that_keep_coming_are_not_taken_until_the_author_pauses() {
    let list = platform(&["qidian", "jjwxc"]);
    let mut story = Story::open(&format!("[{list},{}]", text("note")));
    story.press("tab").burst("雨停之");
    change(&mut story, &[list]);
    for _ in 0..5 {
        story.pause(500).press("2");
        assert!(!taken(&story), "a late key has changed an answer");
        assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    }
    story.pause(500).press("down").pause(599).press("2");
    assert!(!taken(&story), "a key that moves is a key too");
    story.pause(600).press("2");
    assert!(taken(&story));
}

#[test]
fn what_is_typed_on_does_not_go_into_the_field_of_another_question() {
    let mut story = Story::open(&format!("[{},{}]", text("promise"), text("note")));
    story.burst("诺言").press("tab").burst("雨停");
    change(&mut story, &[text("promise")]);
    story.burst("之前").press("backspace");
    assert_eq!(story.form().field.text(), "诺言");
    assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    story.wait(1).burst("！");
    assert_eq!(story.form().field.text(), "诺言！");
}

#[test]
fn what_is_typed_on_does_not_go_into_free_text_whose_field_was_left() {
    let mut story = Story::open(&format!("[{},{}]", text("promise"), text("note")));
    story.burst("诺言").press("tab esc shift+tab esc tab esc");
    change(&mut story, &[text("promise")]);
    story.press("esc");
    assert_eq!(story.form().focus, Focus::List, "{}", story.shown());
    story.burst("雨").paste("停");
    assert_eq!(story.form().draft.replies[0].text, "诺言");
    assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    story.wait(1).burst("！");
    assert_eq!(story.form().draft.replies[0].text, "诺言！");
}

#[test]
fn a_key_behind_the_authors_own_is_taken_whatever_changed_elsewhere() {
    let mut story = Story::open(&format!("[{},{}]", text("note"), platform(&["qidian", "jjwxc"])));
    story.burst("雨");
    change(&mut story, &[text("note"), platform(&["qidian", "jjwxc", "web"])]);
    story.burst("停").press("enter 2");
    assert_eq!(story.form().draft.replies[0].text, "雨停");
    assert_eq!(story.form().draft.replies[1].picks.len(), 1, "{}", story.notice());
}

#[test]
fn what_changed_in_a_question_holds_up_nothing_in_the_review() {
    let mut story = Story::open(&format!("[{},{}]", platform(&["qidian", "jjwxc"]), text("note")));
    story.press("2 tab");
    change(&mut story, &[platform(&["jjwxc", "qidian"])]);
    story.press("tab").pause(300).press("ctrl+s");
    assert!(story.record().is_some(), "{}", story.notice());
}

#[test]
fn a_form_that_changed_behind_the_inbox_takes_the_first_key() {
    let mut story = Story::of(&format!("[{}]", platform(&["qidian", "jjwxc"])));
    story.scan();
    story.press("enter esc");
    change(&mut story, &[platform(&["web", "jjwxc", "qidian"])]);
    story.press("enter 1");
    assert!(taken(&story), "{}", story.notice());
}

#[test]
fn nothing_is_submitted_until_the_author_has_paused_before_a_bad_record_that_changed() {
    let mut story = Story::of(&format!("[{}]", platform(&["qidian", "jjwxc"])));
    let bad = |by: &str| format!(r#"{{"version":1,"answers":{{"platform":"{by}"}}}}"#);
    story.put(super::ANSWERS, &bad("fanqie"));
    story.scan();
    story.press("enter 1 enter");
    story.put(super::ANSWERS, &bad("douyin"));
    story.scan();
    for _ in 0..3 {
        story.pause(500).press("ctrl+s");
        assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    }
    story.pause(600).press("ctrl+s");
    assert_eq!(story.answers(), serde_json::json!({"platform": "qidian"}));
}

/// The place of the question shown, and whether the first one is answered.
fn place(story: &Story) -> (usize, bool) {
    (story.form().at, taken(story))
}

#[test]
fn enter_does_not_choose_a_row_that_has_hardly_been_shown() {
    let list = platform(&["qidian", "jjwxc"]);
    for lang in [Lang::En, Lang::ZhCn] {
        let mut story = Story::of(&format!("[{list},{}]", text("note")));
        story.console.stack.model.lang = lang;
        story.scan();
        story.press("enter").pause(250).press("enter");
        assert_eq!(place(&story), (0, false), "the same press, or the next one of a hurried author");
        let says = match lang {
            Lang::En => "Wait a moment, then press Enter to choose qidian.",
            Lang::ZhCn => "请稍等片刻，再按 Enter 选择“qidian”。",
        };
        assert!(story.shown().contains(says), "{}", story.shown());
        story.pause(299).press("enter");
        assert_eq!(place(&story), (0, false), "a key that is held down");
        story.pause(300).press("enter");
        assert_eq!(place(&story), (1, true));
    }
}

#[test]
fn enter_does_not_take_own_words_as_soon_as_it_has_opened_their_field() {
    for kind in ["single_choice", "multi_choice"] {
        let list = question("platform", kind, false, &["qidian"], r#","allow_other":true"#);
        let open = || Story::open(&format!("[{list},{}]", text("note")));
        let own = |story: &Story| story.form().draft.replies[0].own().count();
        let mut story = open();
        story.burst("abc\r\r");
        assert_eq!((own(&story), story.form().field.text()), (0, "abc"), "{kind}");
        assert_eq!(story.notice(), "Wait a moment, then press Enter to choose these words.");
        story.pause(299).press("enter");
        assert_eq!(own(&story), 0, "{kind}: a key that is held down");
        story.pause(300).press("enter");
        assert_eq!(own(&story), 1, "{kind}");
        let mut story = open();
        story.burst("abc\rd\r");
        assert_eq!(own(&story), 1, "{kind}: another key came between");
        let mut story = open();
        story.burst("abc\r").press("ctrl+s");
        assert_eq!(own(&story), 1, "{kind}: the other key that takes them");
    }
}

#[test]
fn enter_chooses_at_once_what_the_author_has_moved_to_or_what_stands_already() {
    let list = platform(&["qidian", "jjwxc"]);
    let rest = text("note");
    for keys in ["down enter", "2 enter", "space enter", "ctrl+f j enter"] {
        let mut story = Story::open(&format!("[{list},{rest}]"));
        story.press(keys);
        assert_eq!(place(&story), (1, true), "{keys}");
    }
    let default = question("platform", "single_choice", true, &["qidian"], r#","default":"qidian""#);
    let mut story = Story::open(&format!("[{default},{rest}]"));
    story.press("enter");
    assert_eq!(place(&story), (1, true), "a default is marked as chosen");
    let mut story = Story::open(&format!("[{list},{rest}]"));
    story.press("2 tab").wait(1).press("shift+tab enter");
    assert_eq!(place(&story), (1, true), "an earlier pick too");
    let many = question("tags", "multi_choice", false, &["热血"], "");
    let mut story = Story::open(&format!("[{many},{rest}]"));
    story.press("enter");
    assert_eq!(place(&story), (1, false), "Enter chooses nothing there");
}

#[test]
fn another_screen_between_begins_the_time_anew_and_a_page_over_the_question_does_not() {
    let list = platform(&["qidian", "jjwxc"]);
    let mut story = Story::open(&format!("[{list},{}]", text("note")));
    story.scan();
    for keys in ["ctrl+s enter", "tab shift+tab", "esc enter"] {
        story.wait(1).press(keys).press("enter");
        assert_eq!(place(&story), (0, false), "{keys}: {}", story.shown());
        assert!(story.notice().contains("Wait a moment"), "{keys}: {}", story.notice());
    }
    story.wait(1).press("f1 esc f4 esc enter");
    assert_eq!(place(&story), (1, true));
}

const OTHER: &str = "staging/manifests/other.packet.json";

/// Two gates in the list; the cursor is on the one that was written last.
fn two_gates() -> Story {
    let mut story = Story::of(&format!("[{}]", text("note")));
    story.put(OTHER, &packet(&format!("[{}]", text("note"))).replace("gate.answers", "other.answers"));
    story.scan();
    let row = story.model().inbox.row_of(Path::new(OTHER)).expect("a row");
    story.wait(1).press("home");
    for _ in 0..row {
        story.press("down");
    }
    story.wait(1);
    story
}

#[test]
fn the_gate_that_slides_under_the_cursor_is_not_taken_for_the_one_that_went() {
    for keys in ["enter", "f8", "f5", "ctrl+g", "f4 enter"] {
        let mut story = two_gates();
        let title = story.model().inbox.title_of(Path::new(OTHER));
        fs::remove_file(story.root().join(OTHER)).expect("removed");
        story.scan();
        assert_eq!(story.notice(), format!("{title} is no longer in the list."));
        story.press(keys);
        assert!(story.notice().contains("this key was ignored"), "{keys}: {}", story.notice());
        assert!(story.find::<Form>().is_none() && story.model().inbox.later.is_empty(), "{keys}");
        story.pause(600).press("enter");
        assert!(story.find::<Form>().is_some(), "the author has seen what is selected now");
    }
}

#[test]
fn the_selection_stays_with_its_gate_and_holds_no_key_up() {
    let mut story = two_gates();
    story.put("staging/manifests/a.packet.json", &packet("[]"));
    story.scan();
    assert_eq!(story.model().inbox.selected_path().as_deref(), Some(Path::new(OTHER)));
    story.press("enter");
    assert_eq!(story.form().gate.path, Path::new(OTHER));
}

#[test]
fn a_key_whose_result_is_on_its_way_is_not_drawn_by_itself() {
    for (key, shows) in [("up", "details"), ("down", "details"), ("enter", "the form")] {
        let mut story = two_gates();
        assert_eq!(story.press(key).flow, Flow::Redraw, "{shows}, known at once");
        let mut story = two_gates();
        story.console.runner().stalled = true;
        assert_eq!(story.press(key).flow, Flow::RedrawSoon, "{shows}, not known yet");
    }
    let mut story = two_gates();
    story.console.runner().stalled = true;
    assert_eq!(story.press("f2").flow, Flow::Redraw, "nothing is on its way for another language");
}

#[test]
fn a_key_that_is_asked_to_wait_is_told_so_and_a_reason_is_told_at_once() {
    let default = question("platform", "single_choice", true, &["qidian"], r#","default":"qidian""#);
    let record = |by: &str| {
        format!(
            r#"{{"version":1,"topic":"平台绑定","answers":{{"platform":"qidian"}},"answered_at":"2026-02-27T10:00:00.000Z",
            "answered_by":"{by}"}}"#
        )
    };
    for (lang, wait, reason) in [
        (Lang::En, "Wait a moment, then press Ctrl+S to submit.", "puts yours in the place of theirs"),
        (Lang::ZhCn, "请稍等片刻，再按 Ctrl+S 提交。", "改用你的记录"),
    ] {
        let open = || {
            let mut story = Story::of(&format!("[{default}]"));
            story.console.stack.model.lang = lang;
            story.scan();
            story.press("enter");
            story
        };
        let mut story = open();
        story.press("ctrl+s");
        for _ in 0..5 {
            story.pause(150).press("ctrl+s");
            assert!(story.shown().contains(wait) && story.record().is_none(), "{}", story.shown());
        }
        story.pause(300).press("ctrl+s");
        assert!(story.record().is_some(), "it was true");
        // Somebody else was first: no word of a submission that would be refused.
        let mut story = open();
        story.put(super::ANSWERS, &record("codex"));
        story.scan();
        story.press("ctrl+s ctrl+s");
        assert!(story.shown().contains(reason) && !story.shown().contains(wait), "{}", story.shown());
        // The same where the place cannot be written.
        let mut story = open();
        fs::create_dir_all(story.root().join(super::ANSWERS)).expect("a directory in its place");
        story.scan();
        story.press("ctrl+s ctrl+s");
        assert!(!story.shown().contains(wait), "{}", story.shown());
    }
}

#[test]
fn what_ignores_a_key_says_that_it_wants_a_pause() {
    let list = platform(&["qidian", "jjwxc"]);
    let mut story = Story::open(&format!("[{list},{}]", text("note")));
    story.press("tab").burst("雨停之");
    change(&mut story, &[list]);
    story.press("2");
    assert!(story.notice().contains("this key was ignored. Wait a moment"), "{}", story.notice());
}
