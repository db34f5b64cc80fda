//! Answering a gate with the keyboard.

use super::{PACKET, Story, packet, question};
use novel_gate::console::form::Focus;
use novel_gate::console::model::Place;
use novel_gate::console::terminal::run_loop::Flow;
use serde_json::json;

const PLATFORMS: &[&str] = &["qidian", "jjwxc", "web"];

fn platform(more: &str) -> String {
    question("platform", "single_choice", true, PLATFORMS, more)
}

#[test]
fn one_choice_from_key_to_bytes() {
    let mut story = Story::open(&format!("[{}]", platform("")));
    story.press("down enter");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(story.record(), None);
    story.press("ctrl+s");
    assert_eq!(
        story.record().expect("a record"),
        "{\n  \"version\": 1,\n  \"topic\": \"平台绑定\",\n  \"answers\": {\n    \"platform\": \"jjwxc\"\n  },\n  \
         \"answered_at\": \"2026-02-27T10:12:34.000Z\",\n  \"answered_by\": \"human\"\n}\n"
    );
    assert_eq!(story.place(), Place::Receipt);
    assert_eq!(story.kept(), None, "the draft retires once the record is verified");
}

#[test]
fn an_untouched_default_is_an_answer_and_delete_clears_it() {
    let with_default = format!("[{}]", platform(r#","default":"web""#));
    let mut story = Story::open(&with_default);
    assert_eq!(story.form().views[0].cursor, 2, "the cursor starts on the default");
    story.press("tab ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "web"}));

    let mut story = Story::open(&with_default);
    story.press("delete tab ctrl+s");
    assert_eq!(story.record(), None);
    assert_eq!(story.place(), Place::Form, "submitting goes to what is missing");
    assert!(story.notice().contains("must be answered"), "{}", story.notice());
}

#[test]
fn ticks_come_out_in_option_order_and_own_words_behind_them() {
    let tags = question("tags", "multi_choice", true, &["热血", "克制", "治愈"], r#","allow_other":true"#);
    let mut story = Story::open(&format!("[{tags}]"));
    story.press("3 1 end enter");
    assert_eq!(story.form().focus, Focus::Field);
    story.burst("  黑色幽默 ").press("enter");
    story.press("home enter ctrl+s");
    assert_eq!(story.answers(), json!({"tags": ["热血", "治愈", "黑色幽默"]}));
}

#[test]
fn one_label_with_a_comma_is_not_shown_as_two() {
    let tags = question("tags", "multi_choice", true, &["冷峻", "温柔", "冷峻, 温柔"], "");
    for (keys, words) in [("1 2", "冷峻, 温柔"), ("3", "\"冷峻, 温柔\"")] {
        let mut story = Story::open(&format!("[{tags}]"));
        story.press(keys).press("enter");
        assert!(story.shown().contains(&format!("✓ tags  {words} ")), "{}", story.shown());
        story.press("ctrl+s");
        assert!(story.shown().contains(&format!("You chose {words} (today")), "{}", story.shown());
    }
}

#[test]
fn enter_keeps_the_ticks_of_a_multi_choice_and_goes_on() {
    let tags = question("tags", "multi_choice", false, &["a", "b"], "");
    let mut story = Story::open(&format!("[{tags},{}]", platform("")));
    story.press("space enter");
    assert_eq!(story.form().at, 1);
    story.press("1 enter ctrl+s");
    assert_eq!(story.answers(), json!({"tags": ["a"], "platform": "qidian"}));
}

#[test]
fn free_text_is_kept_to_the_space() {
    let note = question("note", "free_text", true, &[], "");
    let mut story = Story::open(&format!("[{note}]"));
    story.burst("\u{3000}\u{3000}雨停之前，别让他回头。 ").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"note": "\u{3000}\u{3000}雨停之前，别让他回头。 "}));
}

#[test]
fn a_line_end_inside_a_burst_is_text_and_one_at_its_end_is_enter() {
    let note = question("note", "free_text", true, &[], "");
    let mut story = Story::open(&format!("[{note}]"));
    story.burst("第一行\r第二行");
    assert_eq!(story.place(), Place::Form);
    story.press("ctrl+s").wait(2).press("ctrl+s");
    assert_eq!(story.answers(), json!({"note": "第一行\n第二行"}));

    let mut story = Story::open(&format!("[{note}]"));
    story.burst("一行\r");
    assert_eq!(story.place(), Place::Review);
}

#[test]
fn pasted_line_ends_become_line_feeds_and_pasted_keys_are_no_commands() {
    let note = question("note", "free_text", true, &[], "");
    let mut story = Story::open(&format!("[{},{note}]", platform("")));
    story.paste("2\rq");
    assert_eq!(story.form().at, 0, "a paste is no key in a list");
    story.wait(1).press("enter").paste("a\r\nb\rc\u{1b}").press("ctrl+s").wait(2).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "a\nb\nc\u{1b}"}));
}

#[test]
fn two_thousand_characters_in_one_burst_arrive_whole() {
    let note = question("note", "free_text", true, &[], "");
    let mut story = Story::open(&format!("[{note}]"));
    let text: String = "晨雾散去长安旧城的钟声".chars().cycle().take(2_000).collect();
    story.burst(&text).press("enter ctrl+s");
    assert_eq!(story.answers(), json!({ "note": text }));
}

#[test]
fn the_submit_key_that_opened_the_review_never_submits_nor_do_its_repeats() {
    let mut story = Story::open(&format!("[{}]", platform(r#","default":"web""#)));
    story.press("ctrl+s ctrl+s ctrl+s ctrl+s");
    assert_eq!((story.place(), story.record()), (Place::Review, None));
    story.wait(2).press("ctrl+s");
    assert!(story.record().is_some());
}

#[test]
fn a_deliberate_second_submit_key_submits_and_a_quick_one_says_what_is_missing() {
    let mut story = Story::open(&format!("[{}]", platform(r#","default":"web""#)));
    story.press("ctrl+s").pause(299).press("ctrl+s");
    assert_eq!(
        (story.record(), story.notice().as_str()),
        (None, "Wait a moment, then press Ctrl+S to submit.")
    );
    story.pause(300).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "web"}));
}

#[test]
fn the_submit_key_goes_to_the_review_from_anywhere_and_takes_what_is_typed() {
    let note = question("note", "free_text", true, &[], "");
    let questions = format!(
        "[{note},{},{note_2}]",
        platform(r#","allow_other":true"#),
        note_2 = note.replace("note", "n2")
    );
    // In a text field, though questions come behind it.
    let mut story = Story::open(&questions);
    story.burst("雨停了").press("ctrl+s");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(story.form().draft.replies[0].text.lossy(), "雨停了");
    // In the field for own words: they become the answer.
    story.press("home enter end enter").burst("自建站").press("alt+enter");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(story.form().draft.replies[1].own().count(), 1);
    // In a filter, and on a list.
    for keys in ["end enter ctrl+f ctrl+enter", "end enter ctrl+s"] {
        story.press(keys);
        assert_eq!((story.place(), story.record()), (Place::Review, None), "{keys}");
    }
}

#[test]
fn own_words_that_are_refused_stay_in_the_field_on_the_way_to_the_review() {
    let mut story = Story::open(&format!("[{}]", platform(r#","allow_other":true"#)));
    story.press("end enter").burst("__done__").press("ctrl+s");
    assert_eq!((story.place(), story.form().field.text()), (Place::Form, "__done__"));
    assert!(story.notice().contains("__done__"), "{}", story.notice());
}

#[test]
fn own_words_that_equal_an_option_become_it_and_say_so() {
    let mut story = Story::open(&format!("[{}]", platform(r#","allow_other":true"#)));
    story.press("end enter").burst(" jjwxc ").press("enter");
    assert_eq!(story.notice(), "“jjwxc” is one of the options, so that option is chosen.");
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc"}));
}

#[test]
fn the_cursor_of_the_inbox_is_on_the_gate_just_left() {
    let mut story = Story::of(&format!("[{}]", platform("")));
    let other = packet(&format!("[{}]", platform(""))).replace("gate.answers", "other.answers");
    story.put("staging/manifests/a-first.packet.json", &other);
    story.scan();
    let selected = |story: &Story| story.model().inbox.selected_path();
    assert_ne!(selected(&story), Some(PACKET.into()));
    story.open_form();
    story.press("esc");
    assert_eq!(selected(&story), Some(PACKET.into()));
    // After a receipt, Enter opens the next gate.
    story.press("enter 1 enter ctrl+s enter esc");
    assert_eq!(selected(&story), Some("staging/manifests/a-first.packet.json".into()));
}

#[test]
fn enter_in_the_review_edits_the_row_and_comes_back() {
    let note = question("note", "free_text", false, &[], "");
    let mut story = Story::open(&format!("[{},{note}]", platform(r#","default":"web""#)));
    story.press("enter enter");
    assert_eq!(story.place(), Place::Review);
    story.press("enter");
    assert_eq!((story.place(), story.form().at), (Place::Form, 0));
    story.press("1 enter");
    assert_eq!((story.place(), story.record()), (Place::Review, None));
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn digits_mean_the_page_that_is_shown() {
    let labels: Vec<String> = (1..=28).map(|n| format!("o{n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut story = Story::open(&format!("[{}]", question("genre", "single_choice", true, &labels, "")));
    let page = novel_gate::console::draw::layout::page_rows(story.model().screen_size(), story.form());
    story.press("pgdn 2 tab ctrl+s");
    assert_eq!(story.answers(), json!({"genre": format!("o{}", page + 2)}));
}

#[test]
fn a_filter_narrows_a_long_list_and_the_pick_is_the_right_one() {
    let mut story = Story::open(&format!("[{}]", platform("")));
    story.press("ctrl+f").burst("WEB").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "web"}));
}

#[test]
fn own_words_only_where_they_are_allowed() {
    let mut story = Story::open(&format!("[{}]", platform(r#","allow_other":true"#)));
    story.press("end enter").burst("自建站").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "自建站"}));

    let story = Story::open(&format!("[{}]", platform("")));
    assert_eq!(story.form().row_count(), 3);
}

#[test]
fn a_control_token_is_refused_and_stays_in_the_field() {
    let mut story = Story::open(&format!("[{}]", platform(r#","allow_other":true"#)));
    story.press("end enter").burst("__done__").press("enter");
    assert!(story.notice().contains("__done__"), "{}", story.notice());
    assert_eq!(story.form().field.text(), "__done__");
}

#[test]
fn an_optional_question_left_blank_has_no_id_in_the_record() {
    let note = question("note", "free_text", false, &[], "");
    let mut story = Story::open(&format!("[{},{note}]", platform("")));
    story.press("1 tab").burst("x").press("backspace enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn going_back_is_always_possible() {
    let note = question("note", "free_text", true, &[], "");
    let mut story = Story::open(&format!("[{},{note}]", platform("")));
    story.press("right").burst("半句").press("shift+tab 2 tab esc left");
    assert_eq!(story.form().at, 0);
    story.press("tab enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "半句"}));
}

#[test]
fn leaving_takes_one_key_or_ctrl_c_twice() {
    let mut story = Story::open(&format!("[{}]", platform("")));
    story.press("ctrl+c");
    assert!(story.notice().contains("Ctrl+C"), "{}", story.notice());
    story.press("down");
    story.press("ctrl+c");
    assert_ne!(story.flow, Flow::Quit(130), "another key between them starts anew");
    story.wait(60).press("ctrl+c");
    assert_eq!(story.flow, Flow::Quit(130), "what it says holds for as long as it is shown");
    let mut story = Story::of("[]");
    story.press("f10");
    assert_eq!(story.flow, Flow::Quit(0));
}

#[test]
fn escapes_in_labels_reach_the_record_unchanged() {
    let hostile = "A\u{1b}[31mB\u{202e}\u{9b}C ";
    let mut story = Story::open(&format!("[{}]", question("p", "single_choice", true, &[hostile], "")));
    story.wait(1).press("enter ctrl+s");
    assert_eq!(story.answers(), json!({ "p": hostile }));
}

#[test]
fn the_receipt_sees_what_the_step_makes_though_no_gate_changes() {
    let mut story = Story::open(&format!("[{}]", platform("")));
    story.press("1 enter ctrl+s");
    let there = |story: &Story| {
        let outputs = &story.model().receipt.as_ref().expect("a receipt").progress.outputs;
        outputs.iter().any(|output| output.modified.is_some())
    };
    assert!(!there(&story));
    story.put("staging/chapters/chapter-048.md", "第四十八章");
    story.look();
    assert!(there(&story));
}

#[test]
fn the_review_goes_back_to_the_question_that_the_author_came_from() {
    let questions = ["one", "two", "three"].map(|id| question(id, "free_text", false, &[], ""));
    for (keys, at) in [("tab ctrl+s", 1), ("ctrl+s", 0), ("tab tab tab", 2)] {
        for back in ["esc", "shift+tab"] {
            let mut story = Story::open(&format!("[{}]", questions.join(",")));
            story.press(keys);
            assert_eq!(story.place(), Place::Review, "{keys}");
            story.press(back);
            assert_eq!((story.place(), story.form().at), (Place::Form, at), "{keys} {back}");
        }
    }
}

/// Presses these keys and counts them.
fn count(story: &mut Story, keys: &str) -> usize {
    story.wait(1).press(keys);
    keys.split_whitespace().count()
}

#[test]
fn what_an_author_does_all_day_takes_so_many_keys() {
    let labels: Vec<String> = (1..=49).map(|n| format!("线索{n}")).chain(["归心".to_owned()]).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let other = r#","allow_other":true"#;
    let single = question("genre", "single_choice", true, &["起点", "番茄"], other);
    let multi = question("tags", "multi_choice", true, &labels, other);

    let mut story = Story::of(&format!("[{single}]"));
    story.scan();
    let mut keys = count(&mut story, "enter");
    story.burst("写在雨夜");
    keys += count(&mut story, "ctrl+s") + count(&mut story, "ctrl+s");
    assert_eq!((keys, story.answers()["genre"].as_str()), (3, Some("写在雨夜")), "own words, single choice");
    let keys = count(&mut story, "ctrl+u");
    assert_eq!((keys, story.record()), (1, None), "what was just written is taken back");

    let mut story = Story::open(&format!("[{multi},{single}]"));
    story.press("end enter").wait(1).burst("写在雨夜");
    let keys = count(&mut story, "enter") + count(&mut story, "enter");
    assert_eq!((keys, story.form().at), (2, 1), "own words, multi choice, and on");
    assert_eq!(story.form().draft.replies[0].own().count(), 1);

    let mut story = Story::open(&format!("[{multi}]"));
    story.burst("guixin");
    let keys = count(&mut story, "enter");
    assert_eq!((keys, story.form().draft.replies[0].has(49)), (1, true), "one of fifty, by its name");
}
