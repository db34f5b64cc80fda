//! The filter of a question's options.

mod digits;
mod returning;
mod staying;
mod ticking;

use super::{PACKET, Story, packet, question};
use novel_gate::console::form::{Focus, Row};
use novel_gate::console::input::settings;
use novel_gate::store::config::{KeySetting, Position};
use serde_json::json;
use std::sync::Arc;

const OTHER: &str = r#","allow_other":true"#;
const LABELS: [&str; 4] = ["起点", "番茄小说", "规则怪谈", "悬疑推理"];

fn single(more: &str) -> Story {
    Story::open(&format!("[{}]", question("genre", "single_choice", true, &LABELS, more)))
}

fn multi(more: &str) -> Story {
    Story::open(&format!("[{}]", question("genres", "multi_choice", false, &LABELS, more)))
}

/// The answers once the review is submitted.
/// Another process writes the packet anew.
fn ask_anew(story: &mut Story, questions: &str) {
    story.put(PACKET, &packet(questions));
    story.scan();
    story.wait(1);
}

/// The keys that are named below everything.
fn last_line(story: &Story) -> String {
    story.shown().trim_end().lines().last().map(str::to_owned).expect("a line")
}

fn submitted(story: &mut Story) -> serde_json::Value {
    story.press("ctrl+s").wait(1).press("ctrl+s");
    story.answers()
}

#[test]
fn enter_takes_the_row_of_a_single_choice_and_goes_on() {
    for (typed, want) in [("qd", "起点"), ("qidian", "起点"), ("GZ", "规则怪谈"), ("xyt", "悬疑推理")]
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
    assert_eq!(story.form().row_count(), 4);
    assert_eq!(submitted(&mut story), json!({"genres": ["起点", "规则怪谈"]}));
}

#[test]
fn a_blank_in_a_filter_that_may_be_own_words_ticks_only_where_a_key_has_pointed() {
    let mut story = multi(OTHER);
    story.burst("qd");
    assert!(!last_line(&story).contains("Space"), "{}", last_line(&story));
    story.press("space").burst("leaves");
    let reply = |story: &Story| story.form().draft.replies[0].clone();
    assert_eq!((reply(&story).picks.len(), reply(&story).other.as_str()), (0, "qd leaves"));
    story.press("esc").press("ctrl+f").burst("谈").press("down up");
    assert!(last_line(&story).contains("Space"), "{}", last_line(&story));
    story.press("space");
    assert_eq!((reply(&story).has(2), reply(&story).other.as_str()), (true, "qd leaves"));
    story.burst("雨").press("space").burst("夜");
    assert_eq!((reply(&story).picks.len(), story.form().typed()), (1, "谈雨 夜"), "typing is typing again");
}

#[test]
fn words_in_an_open_filter_stay_whatever_happens_to_the_question() {
    let asked =
        |labels: &[&str], more: &str| format!("[{}]", question("genre", "single_choice", true, labels, more));
    // Own words are not taken for a while.
    let mut story = single(OTHER);
    story.burst("雨夜");
    ask_anew(&mut story, &asked(&LABELS, ""));
    assert!(story.shown().contains("雨夜"), "{}", story.shown());
    story.burst("归人");
    ask_anew(&mut story, &asked(&LABELS, OTHER));
    assert_eq!(story.kept().expect("a draft").draft.replies[0].other, "雨夜归人");
    // What they found is gone.
    let mut story = single(OTHER);
    story.burst("fqxs");
    ask_anew(&mut story, &asked(&LABELS[2..], OTHER));
    assert_eq!(story.kept().expect("a draft").draft.replies[0].other, "fqxs");
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
    story.burst("２").burst("《规则》2 q");
    assert_eq!(story.form().typed(), "２《规则》2 q", "brackets and digits belong to it too");
    assert!(story.form().draft.replies[0].picks.is_empty());
}

#[test]
fn what_is_typed_where_a_field_was_left_is_written_in_it() {
    let mut story = Story::open(&format!("[{}]", question("note", "free_text", false, &[], "")));
    story.burst("雨夜").press("home esc").burst("归人");
    assert!(story.form().views[0].filter.is_none(), "there is nothing to filter");
    story.press("esc 2 esc").paste("日，\n停了。");
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, "雨夜归人2日，\n停了。"));
    assert_eq!(story.kept().expect("a draft").draft.replies[0].text, "雨夜归人2日，\n停了。");
}

#[test]
fn words_that_nothing_matches_become_the_own_answer_in_the_field() {
    let mut story = single(OTHER);
    story.press("ctrl+f").burst(" 雨夜 ");
    assert!(story.shown().contains("write “雨夜”"), "{}", story.shown());
    story.press("enter");
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, " 雨夜 "));
    assert_eq!(story.form().draft.replies[0].picks, [], "one Enter chooses nothing");
    story.wait(1).press("enter");
    assert!(story.shown().contains("your own words"), "the review says whose they are: {}", story.shown());
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));

    let mut story = multi(OTHER);
    story.press("1").wait(1).burst("雨夜 a long　scene").press("up enter");
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, "雨夜 a long　scene"));
    assert_eq!(story.form().draft.replies[0].picks.len(), 1, "a blank in own words ticks nothing");
    story.wait(1).press("enter");
    assert!(story.shown().contains("2 chosen"), "{}", story.shown());
    story.press("ctrl+s").wait(1);
    assert!(story.shown().contains("your own words: 雨夜"), "{}", story.shown());
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"genres": ["起点", "雨夜 a long　scene"]}));
}

#[test]
fn a_typing_error_is_no_answer_by_one_key() {
    for key in ["enter", "space"] {
        let mut story = single(OTHER);
        story.press("1").wait(1).burst("xlfz").press(key);
        assert_eq!(story.form().draft.replies[0].own().count(), 0, "{key}");
        assert!(story.form().draft.replies[0].has(0), "{key}");
    }
    // The submit key takes the row under the cursor, and the review shows what it took.
    let mut story = single(OTHER);
    story.press("1").wait(1).burst("xlfz").press("up ctrl+s");
    assert!(story.form().in_review && story.shown().contains("xlfz"), "{}", story.shown());
    assert_eq!(story.record(), None);
}

/// The row under the cursor.
fn row(story: &Story) -> Option<Row> {
    story.form().current_row()
}

#[test]
fn the_cursor_goes_to_the_first_label_else_to_own_words_else_to_the_first_description() {
    let described = r#"{"id":"genre","header":"h","question":"?","kind":"single_choice","required":true,"options":[
        {"label":"赛博朋克","description":"雨夜里的霓虹。"},{"label":"悬疑推理","description":"d"}]OTHER}"#;
    let open = |more: &str| Story::open(&format!("[{}]", described.replace("OTHER", more)));
    for (typed, own, without) in [
        ("悬疑", Row::Option(1), Row::Option(1)),
        ("xytl", Row::Option(1), Row::Option(1)),
        ("雨夜", Row::Typed, Row::Option(0)),
    ] {
        for (more, want) in [(OTHER, own), ("", without)] {
            let mut story = open(more);
            story.burst(typed);
            assert_eq!(row(&story), Some(want), "{typed}{more}");
        }
    }
    let mut story = open(OTHER);
    story.burst("雨夜").press("enter");
    assert_eq!(story.form().field.text(), "雨夜", "not the option whose description has it");
    let mut story = open("");
    story.burst("雨夜").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "赛博朋克"}), "only options are allowed");
}

#[test]
fn digits_in_a_filter_are_text_and_rows_have_no_numbers_there() {
    let labels = ["地名416", "地名417", "地名12", "其他"];
    let mut story = Story::open(&format!("[{}]", question("place", "single_choice", true, &labels, "")));
    story.press("ctrl+f").burst("417");
    assert_eq!(story.form().options_shown(), [1]);
    assert!(!story.shown().contains("( ) 1"), "{}", story.shown());
    story.press("backspace backspace backspace 1 2");
    assert_eq!(story.form().options_shown(), [2], "no place of a row");
    story.press("esc 4");
    assert!(story.form().draft.replies[0].has(3) && story.shown().contains("(•) 4"), "{}", story.shown());
}

#[test]
fn words_in_a_filter_stay_in_the_row_for_own_words_until_they_are_chosen() {
    for ways in ["esc", "esc tab", "f10", "esc ctrl+s"] {
        let mut story = single(OTHER);
        story.burst("雨夜归人").press(ways);
        assert_eq!(story.form().draft.replies[0].answer(&story.form().spec().questions[0]), None, "{ways}");
        story.restart();
        story.open_form();
        let shown = story.shown();
        assert!(shown.contains("雨夜归人") && shown.contains("typed but not chosen"), "{ways}: {shown}");
        story.press("end enter").wait(1).press("enter ctrl+s");
        assert_eq!(story.answers(), json!({"genre": "雨夜归人"}), "{ways}");
    }
}

#[test]
fn typed_words_survive_kill() {
    for mut story in [single(OTHER), multi(OTHER)] {
        story.burst("雨").burst("夜");
        story.restart();
        story.open_form();
        assert_eq!(story.form().draft.replies[0].other, "雨夜", "every key is kept");
        assert!(story.shown().contains("typed but not chosen"), "{}", story.shown());
    }
}

#[test]
fn words_that_a_filter_takes_the_place_of_stay_within_reach() {
    let mut story = single(OTHER);
    story.burst("雨夜").press("esc").burst("暴");
    let reply = |story: &Story| story.form().draft.replies[0].clone();
    assert_eq!(reply(&story).other, "暴");
    story.restart();
    story.open_form();
    assert!(story.form().other_answer(0).is_some(), "after a kill too");
    assert!(story.shown().contains("F7 puts these words"), "{}", story.shown());
    story.press("f7");
    assert_eq!(reply(&story).other, "雨夜", "typed, as it was");
    assert_eq!(reply(&story).picks, [], "and still not chosen");
    assert!(story.shown().contains("暴"), "{}", story.shown());
    story.press("f7");
    assert_eq!(reply(&story).other, "暴", "in turns");
    // They come back where the new ones are erased or have found an option.
    let mut story = single(OTHER);
    story.burst("雨夜").press("esc").burst("谈").press("backspace").press("esc");
    assert_eq!(reply(&story).other, "雨夜");
    assert!(story.form().other_answer(0).is_none(), "they are there once");
    let mut story = single(OTHER);
    story.burst("雨夜").press("esc").burst("怪谈").press("enter");
    assert_eq!((reply(&story).other.as_str(), reply(&story).has(2)), ("雨夜", true));
    assert_eq!(reply(&story).alternatives, []);
}

#[test]
fn typed_words_do_not_look_chosen_beside_those_that_are() {
    let mut story = single(OTHER);
    story.burst("雨夜").press("enter").wait(1).press("enter esc").burst("半句").press("esc");
    let row = |words: &str| {
        let shown = story.shown();
        shown.lines().find(|line| line.contains(words)).map(str::to_owned).expect("its row")
    };
    assert!(row("雨夜").contains("(•)") && row("雨夜").contains("your own words"), "{}", row("雨夜"));
    assert!(row("半句").contains("( )") && row("半句").contains("typed but not chosen"), "{}", row("半句"));
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));
}

#[test]
fn the_list_is_there_after_other_own_words_were_chosen() {
    let mut story = single(OTHER);
    story.burst("一").press("enter").wait(1).press("enter esc").burst("雨夜").press("esc");
    story.press("end enter").wait(1).press("enter esc");
    assert!(story.shown().contains("起点") && row(&story) == Some(Row::Other), "{}", story.shown());
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "雨夜"}));
}

#[test]
fn what_found_an_option_that_was_taken_is_no_own_words() {
    let mut story = multi(OTHER);
    story.burst("怪谈").press("enter space esc");
    assert!(story.form().draft.replies[0].has(2));
    assert_eq!(story.form().draft.replies[0].other, "");
    // Nor is pinyin that finds one.
    story.burst("xyt").press("esc");
    assert_eq!(story.form().draft.replies[0].other, "");
    story.burst("xytz").press("esc");
    assert_eq!(story.form().draft.replies[0].other, "xytz", "this finds nothing");
}

#[test]
fn words_in_a_filter_of_options_alone_are_no_draft() {
    let mut story = single("");
    story.burst("雨夜").press("esc");
    assert!(story.kept().is_none_or(|kept| !kept.draft.is_authors()));
}

#[test]
fn a_pasted_line_filters_and_several_lines_open_the_field() {
    for line in ["怪谈", "怪谈\n", "怪谈\r\n"] {
        let mut story = single("");
        story.paste(line).press("enter ctrl+s");
        assert_eq!(story.answers(), json!({"genre": "规则怪谈"}), "{line:?}");
    }
    let mut story = single(OTHER);
    story.burst("雨").paste("夜\r\n归人");
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, "雨夜 归人"));
    assert_eq!(story.notice(), "Your own words are one line: line ends became spaces.");
    assert_eq!(story.kept().expect("a draft").draft.replies[0].other, "雨夜 归人");
    story.press("esc").paste("另一\n句");
    assert_eq!(story.form().field.text(), "另一 句", "what stood there makes room");
    story.press("esc f7");
    assert_eq!(story.form().draft.replies[0].other, "雨夜 归人", "and comes back");
    for mut story in [single(""), multi("")] {
        story.paste("雨夜\n归人");
        assert!(story.notice().starts_with("Only one short line"), "{}", story.notice());
        assert!(story.form().views[0].filter.is_none(), "nothing has changed");
        story.press("ctrl+f").paste("雨夜\n归人");
        assert!(story.notice().starts_with("Only one short line"), "{}", story.notice());
        assert_eq!(story.form().typed(), "");
        story.paste("怪谈");
        assert_eq!((story.form().typed(), story.notice().as_str()), ("怪谈", ""), "this is taken");
    }
}

#[test]
fn a_paste_of_megabytes_is_answered() {
    let much = "雨".repeat(5_000_000 / 3);
    let mut story = single("");
    story.paste(&much);
    assert!(story.notice().starts_with("Only one short line"), "{}", story.notice());
    let mut story = single(OTHER);
    story.paste(&much);
    assert_eq!((story.form().focus, story.form().field.text().len()), (Focus::Field, much.len()));
    assert!(story.shown().contains("雨雨雨"));
    story.press("esc");
    assert!(story.shown().contains("typed but not chosen"), "{}", story.shown());
    story.press("enter enter");
    assert!(story.shown().contains("your own words"), "{}", story.shown());
}

#[test]
fn words_that_no_screen_takes_are_not_dropped_silently() {
    for there in ["ctrl+s", "f4", "1 ctrl+s ctrl+s"] {
        let mut story = single("");
        for key in there.split(' ') {
            story.press(key).wait(1);
        }
        let record = story.record();
        for words in ["雨", "x", "雨\n夜"] {
            story.paste(words);
            let said = story.notice();
            assert!(said.starts_with("There is no place for words here."), "{there}: {said}");
            story.press("up").burst(words.lines().next().unwrap_or_default());
            assert_eq!(story.notice(), said, "{there}");
        }
        assert_eq!(story.record(), record);
    }
}

#[test]
fn a_letter_that_is_bound_is_a_key_and_no_filter() {
    let mut story = single("");
    let setting = |(name, key): (&str, &str)| KeySetting {
        name: name.to_owned(),
        keys: vec![key.to_owned()],
        place: Position { file: String::new(), line: 1, column: 1 },
    };
    let (keymap, problems) = settings::apply(&[("list.down", "j"), ("list.up", "k")].map(setting));
    assert_eq!(problems, []);
    story.console.stack.model.keymap = Arc::new(keymap);
    story.press("j j k");
    assert_eq!((story.form().views[0].cursor, story.form().views[0].filter.is_none()), (1, true));
    story.press("g j");
    assert_eq!(story.form().typed(), "gj", "in the filter it is a letter");
}

#[test]
fn words_that_nothing_matches_are_no_answer_where_only_options_are() {
    for mut story in [single(""), multi("")] {
        story.burst("雨夜").press("enter");
        assert!(story.shown().contains("No option matches. Esc clears the filter."), "{}", story.shown());
        assert_eq!(story.form().draft.replies[0].picks, []);
        assert_eq!(story.form().focus, Focus::Filter);
    }
}

#[test]
fn a_control_token_is_refused_in_a_filter_too() {
    for mut story in [single(OTHER), multi(OTHER)] {
        story.press("ctrl+f").burst("__done__").press("enter").wait(1).press("enter");
        assert!(story.notice().contains("__done__"), "{}", story.notice());
        assert_eq!(story.form().field.text(), "__done__");
        assert_eq!(story.form().draft.replies[0].picks, []);
    }
}

#[test]
fn own_words_that_another_answer_replaces_stay_within_reach() {
    let mut story = single(OTHER);
    for words in ["雨夜", "暴雪"] {
        story.burst(words).press("enter").wait(1).press("enter esc");
    }
    assert!(story.form().other_answer(0).is_some(), "F7 switches to the first ones");
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
    assert!(story.shown().contains("Esc clear filter"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("Esc clear filter"), "{}", story.shown());
    story.press("esc");
    assert!(!story.shown().contains("Esc clear filter"), "{}", story.shown());
}

#[test]
fn the_submit_key_goes_to_the_review_from_a_filter() {
    let mut story = multi("");
    story.press("ctrl+f").burst("gz").press("space");
    assert_eq!(submitted(&mut story), json!({"genres": ["规则怪谈"]}));
}

#[test]
fn the_submit_key_does_not_choose_what_a_filter_has_found() {
    for (typed, more) in [("谈", OTHER), ("gz", OTHER), ("谈", ""), ("雨夜", "")] {
        let mut story = single(more);
        story.press("ctrl+f").burst(typed).press("ctrl+s").wait(1).press("ctrl+s");
        assert_eq!(story.record(), None);
        assert!(story.notice().contains("must be answered first"), "{}", story.notice());
    }
}

#[test]
fn a_wide_digit_comes_from_an_input_method_and_chooses_nothing() {
    let mut story =
        Story::open(&format!("[{}]", question("q", "multi_choice", true, &["第１章", "第２章"], "")));
    story.press("２");
    assert!(story.form().draft.replies[0].picks.is_empty());
    assert!(story.shown().contains("第２章") && !story.shown().contains("第１章"), "{}", story.shown());
}

#[test]
fn the_receipt_says_who_found_the_words() {
    let asked = question("q", "single_choice", true, &["留下", "离开"], r#","allow_other":true"#);
    for (keys, words) in [("2", "You chose 离开"), ("down down enter", "You wrote")] {
        let mut story = Story::open(&format!("[{asked}]"));
        story.press(keys);
        if words == "You wrote" {
            story.burst("原地不动").wait(1).press("enter");
        }
        story.press("ctrl+s").wait(1).press("ctrl+s");
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
    }
}
