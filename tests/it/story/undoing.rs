//! What a key ticked or cleared is taken back with one key, and what acts on many options acts on those shown.

use super::{PACKET, Story, packet, question};
use novel_gate::text::Lang;
use serde_json::{Value, json};

/// Sixty options, of which every third is a foreshadowing.
fn sixty() -> Story {
    let labels: Vec<String> =
        (1..=60).map(|n| format!("{}{n}", if n % 3 == 0 { "伏笔" } else { "线索" })).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Story::open(&format!("[{}]", question("threads", "multi_choice", false, &labels, OTHER)))
}

const OTHER: &str = r#","allow_other":true"#;

/// The answers that are submitted now.
fn submitted(story: &mut Story) -> Value {
    story.press("ctrl+s").wait(1).press("ctrl+s");
    story.answers()
}

fn ticks(story: &Story) -> usize {
    story.form().draft.replies[0].picks.len()
}

#[test]
fn ticking_all_acts_on_the_rows_that_the_filter_shows() {
    let mut story = sixty();
    story.press("1 ctrl+f").burst("伏笔").press("enter enter ctrl+a");
    assert_eq!(ticks(&story), 21, "the one ticked before, and the twenty shown");
    story.press("ctrl+a");
    assert_eq!(ticks(&story), 1, "none of those shown; the other one stays");
    story.press("esc ctrl+a");
    assert_eq!(ticks(&story), 60, "without a filter, every option is shown");
    story.press("ctrl+f").burst("没有这个").press("up up ctrl+a");
    assert_eq!(ticks(&story), 60, "where no option is shown, none changes");
}

#[test]
fn the_count_is_shown_while_the_filter_stands() {
    for (lang, count) in [(Lang::En, "20/60 · 21 chosen"), (Lang::ZhCn, "20/60 · 已选 21")] {
        let mut story = sixty();
        story.console.stack.model.lang = lang;
        story.press("1 ctrl+f").burst("伏笔").press("enter ctrl+a");
        let shown = story.shown();
        assert!(shown.contains(count) && shown.contains("伏笔"), "{shown}");
        story.console.stack.model.size.width = 40;
        story.press("ctrl+f");
        let shown = story.shown();
        assert!(shown.contains(count) && shown.contains("/ 伏笔"), "{shown}");
    }
}

#[test]
fn one_key_takes_back_what_a_key_ticked() {
    let mut story = sixty();
    story.press("2 ctrl+a");
    assert!(story.notice().contains("59") && story.notice().contains("Ctrl+_"), "{}", story.notice());
    assert!(story.shown().contains("60 chosen"), "{}", story.shown());
    story.press("4 ctrl+_ ctrl+_");
    assert_eq!(ticks(&story), 1, "the tick behind it first, then all of them");
    assert_eq!(submitted(&mut story), json!({"threads": ["线索2"]}));
}

#[test]
fn an_untouched_default_comes_back_as_one() {
    let tags = question("tags", "multi_choice", true, &["热血", "克制"], r#","default":["克制"]"#);
    let mut story = Story::open(&format!("[{tags}]"));
    story.press("ctrl+a ctrl+_");
    assert!(story.form().draft.replies[0].is_default());
    story.press("ctrl+_");
    assert!(story.notice().contains("nothing to put back"), "{}", story.notice());
}

#[test]
fn nothing_typed_is_lost_when_a_key_is_taken_back() {
    let mut story = sixty();
    story.press("1 end enter").burst("雨夜").press("enter end enter").burst("半句").press("esc");
    story.press("ctrl+_ ctrl+_");
    let reply = &story.form().draft.replies[0];
    assert_eq!((reply.picks.len(), reply.other.as_str()), (0, "雨夜"));
    assert!(story.shown().contains("半句"), "{}", story.shown());
    story.press("f7");
    let reply = &story.kept().expect("the draft").draft.replies[0];
    assert_eq!((reply.picks.len(), reply.other.as_str()), (0, "半句"), "one key, and still not chosen");
}

#[test]
fn clearing_sets_own_words_and_ticks_aside_says_so_and_one_key_brings_them_back() {
    for key in ["backspace", "delete"] {
        let mut story = sixty();
        story.press("end enter").burst("雨夜").press("enter home ctrl+a 3");
        assert_eq!(ticks(&story), 60);
        story.press(key);
        assert_eq!(ticks(&story), 0);
        assert!(story.notice().contains("set aside"), "{}", story.notice());
        assert!(story.notice().contains("Ctrl+_"), "{}", story.notice());
        story.press("ctrl+_");
        assert_eq!(ticks(&story), 60);
        let answers = submitted(&mut story);
        assert_eq!(answers["threads"][59], "雨夜");
    }
}

#[test]
fn clearing_a_single_choice_is_taken_back_with_the_cursor_on_it() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], OTHER);
    let mut story = Story::open(&format!("[{pick}]"));
    story.press("end enter").burst("自建站").press("enter esc").open_form();
    story.press("home delete ctrl+_");
    assert_eq!(story.form().views[0].cursor, 2, "Enter must not choose another one");
    assert_eq!(submitted(&mut story), json!({"platform": "自建站"}));
}

#[test]
fn own_words_that_a_key_cleared_outlive_the_console() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], OTHER);
    for clears in ["delete", "1"] {
        let mut story = Story::open(&format!("[{pick}]"));
        story.press("end enter").burst("自建站").press("enter esc").open_form();
        story.press(clears);
        story.restart();
        story.open_form();
        assert!(story.shown().contains("自建站"), "{}", story.shown());
        story.press("f7");
        assert_eq!(submitted(&mut story), json!({"platform": "自建站"}));
    }
}

#[test]
fn a_cleared_answer_stays_cleared_and_one_key_brings_the_old_one_back() {
    let tags = question("tags", "multi_choice", false, &["热血", "克制", "惊悚"], r#","default":["惊悚"]"#);
    for (keys, old) in
        [("1 2", json!({"tags": ["热血", "克制", "惊悚"]})), ("down", json!({"tags": ["惊悚"]}))]
    {
        for restarts in [[false, false], [true, false], [false, true], [true, true]] {
            let mut story = Story::open(&format!("[{tags}]"));
            let restart = |story: &mut Story, restarts: bool| {
                if restarts {
                    story.restart();
                    story.open_form();
                }
            };
            story.press(keys);
            restart(&mut story, restarts[0]);
            story.press("delete");
            restart(&mut story, restarts[1]);
            assert_eq!(ticks(&story), 0, "{keys} {restarts:?}");
            story.press("f7");
            assert_eq!(submitted(&mut story), old, "{keys} {restarts:?}");
        }
    }
}

#[test]
fn a_cleared_answer_is_left_out_of_the_record() {
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], r#","default":["克制"]"#);
    let mut story = Story::open(&format!("[{tags}]"));
    story.press("1 delete");
    story.restart();
    story.open_form();
    assert_eq!(submitted(&mut story), json!({}));
}

#[test]
fn an_answer_given_again_after_it_was_cleared_is_no_other_answer() {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let mut story = Story::open(&format!("[{pick}]"));
    story.press("1 delete 1 f7");
    assert!(story.notice().contains("no other answer"), "{}", story.notice());
}

#[test]
fn what_a_key_cleared_comes_back_though_another_question_changed() {
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], "");
    let gate =
        |labels: &[&str]| format!("[{tags},{}]", question("platform", "single_choice", true, labels, ""));
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 2 delete");
    story.put(PACKET, &packet(&gate(&["qidian", "jjwxc"])));
    story.scan();
    story.wait(1).press("ctrl+_");
    assert_eq!(ticks(&story), 2);
}

#[test]
fn what_a_record_filled_in_stays_cleared_and_one_key_brings_it_back() {
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], r#","default":["克制"]"#);
    for restarts in [false, true] {
        for bad in [false, true] {
            let mut story = Story::open(&format!("[{tags}]"));
            story.press("1");
            submitted(&mut story);
            story.scan();
            if bad {
                let record = story.record().expect("a record").replace("热血", "热血\",\"甲");
                story.put(super::ANSWERS, &record);
                story.scan();
            } else {
                story.press("esc f8");
                story.scan();
            }
            story.open_form();
            story.press("delete");
            if restarts {
                story.restart();
                story.open_form();
            }
            assert_eq!(ticks(&story), 0, "{restarts} {bad}");
            story.press("f7");
            assert!(ticks(&story) > 0, "{restarts} {bad}");
        }
    }
}
