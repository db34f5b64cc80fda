//! A digit in a list chooses its row at once, until words behind it show that it was their first character.

use super::super::{Story, question};
use super::{LABELS, OTHER, row, submitted};
use novel_gate::console::form::{Focus, Row};
use novel_gate::text::Lang;
use serde_json::json;

const KINDS: [&str; 2] = ["single_choice", "multi_choice"];
/// Nothing is found by them, and the digits before them are rows, no rows, or the row for own words.
const WORDS: [&str; 6] = ["3年前的雨夜", "3个月后再说", "90年代的小镇", "12岁那年", "5点以后", "0度"];

fn asks(kind: &str, more: &str) -> Story {
    let default = if kind == "single_choice" { r#","default":"起点""# } else { "" };
    Story::open(&format!("[{}]", question("genre", kind, true, &LABELS, &format!("{more}{default}"))))
}

fn answer(kind: &str, words: &str) -> serde_json::Value {
    if kind == "single_choice" { json!({"genre": words}) } else { json!({"genre": [words]}) }
}

/// Takes the words that are in the filter, or already in the field.
fn take_words(story: &mut Story) -> serde_json::Value {
    if story.form().focus != Focus::Field {
        story.press("enter");
    }
    story.wait(1).press("enter");
    story.wait(1);
    if story.form().in_review {
        story.press("ctrl+s");
        return story.answers();
    }
    submitted(story)
}

#[test]
fn words_that_begin_with_a_digit_arrive_whole_in_one_read() {
    for (kind, words) in KINDS.into_iter().flat_map(|kind| WORDS.map(|words| (kind, words))) {
        let mut story = asks(kind, OTHER);
        let before = story.form().draft.replies[0].picks.clone();
        story.burst(words);
        assert_eq!(story.form().draft.replies[0].picks, before, "{kind} {words}: nothing is chosen");
        assert!(story.shown().contains(words), "{kind}: {}", story.shown());
        assert_eq!(take_words(&mut story), answer(kind, words), "{kind} {words}");
    }
}

#[test]
fn words_that_begin_with_a_digit_arrive_whole_key_by_key() {
    for (kind, words) in KINDS.into_iter().flat_map(|kind| WORDS.map(|words| (kind, words))) {
        let mut story = asks(kind, OTHER);
        for c in words.chars() {
            story.burst(&c.to_string()).pause(590);
        }
        assert_eq!(take_words(&mut story), answer(kind, words), "{kind} {words}");
    }
}

#[test]
fn where_no_own_words_are_taken_the_filter_has_them_whole() {
    for kind in KINDS {
        let mut story = asks(kind, "");
        let before = story.form().draft.replies[0].picks.clone();
        story.burst("3年前");
        assert_eq!(
            (story.form().typed(), &story.form().draft.replies[0].picks),
            ("3年前", &before),
            "{kind}"
        );
        story.press("backspace backspace backspace");
        assert_eq!(row(&story), Some(Row::Option(0)), "{kind}: the cursor is where it was");
    }
}

#[test]
fn blanks_and_bound_characters_right_behind_a_digit_are_words() {
    for (kind, words) in KINDS
        .into_iter()
        .flat_map(|kind| ["3 days later", "24/7", "3、4月", "2? 3!"].map(|words| (kind, words)))
    {
        let mut story = asks(kind, OTHER);
        story.burst(words);
        assert_eq!(take_words(&mut story), answer(kind, words), "{kind} {words}");
        let mut story = asks(kind, OTHER);
        for c in words.chars() {
            story.burst(&c.to_string()).pause(200);
        }
        assert_eq!(take_words(&mut story), answer(kind, words), "{kind} {words}, key by key");
    }
    // Alone, or after a while, they do what they do.
    let mut story = asks("multi_choice", OTHER);
    story.press("3 space").wait(1);
    assert!(story.form().draft.replies[0].picks.is_empty() && story.form().filter().is_none());
    story.press("3").wait(2).press("/");
    assert_eq!((story.form().typed(), story.form().draft.replies[0].has(2)), ("", true));
}

#[test]
fn an_input_method_sends_the_digit_at_once_and_the_word_seconds_later() {
    for lang in [Lang::En, Lang::ZhCn] {
        for (kind, digits, rest, is_pick) in [
            ("single_choice", "3", "年前的雨夜", true),
            ("multi_choice", "3", "个月后再说", true),
            ("single_choice", "9", "层地狱", false),
            ("multi_choice", "12", "岁那年", true),
        ] {
            let mut story = asks(kind, OTHER);
            if lang == Lang::ZhCn {
                story.press("f2");
            }
            for digit in digits.chars() {
                story.burst(&digit.to_string()).pause(300);
            }
            story.wait(3).burst(rest);
            let picks = story.form().draft.replies[0].picks.clone();
            assert_eq!(story.form().typed(), rest);
            assert_eq!(row(&story), Some(Row::Typed), "nothing is found");
            let words = format!("{digits}{rest}");
            let offered = if lang == Lang::En {
                format!("write “{words}”")
            } else {
                format!("自己写“{words}”")
            };
            assert!(story.shown().contains(&offered), "{}", story.shown());
            assert_eq!(story.form().draft.replies[0].has(2), digits == "3" && is_pick, "the choice stands");
            // It is typed, not chosen; it survives a kill as it stands.
            assert_eq!(story.kept().expect("a draft").draft.replies[0].other, words);
            story.press("enter");
            assert_eq!(story.form().field.text(), words);
            assert_eq!(story.form().draft.replies[0].picks, picks, "not taken yet");
            story.wait(1).press("enter").wait(1);
            if !story.form().in_review {
                story.press("ctrl+s").wait(1);
            }
            story.press("ctrl+s");
            assert_eq!(story.answers(), answer(kind, &words), "the digit's choice is taken back");
        }
    }
}

#[test]
fn who_has_ticked_rows_by_their_digits_writes_own_words_without_them() {
    let mut story = asks("multi_choice", OTHER);
    story.press("1").pause(300).press("3").wait(3).burst("另一条路");
    assert!(
        story.shown().contains("write “13另一条路”") && story.shown().contains("write “另一条路”"),
        "{}",
        story.shown()
    );
    story.press("up enter");
    assert_eq!(story.form().field.text(), "另一条路");
    story.wait(1).press("enter").wait(1);
    assert_eq!(submitted(&mut story), json!({"genre": ["起点", "规则怪谈", "另一条路"]}));
    // The same by deleting the digits in the field.
    let mut story = asks("multi_choice", OTHER);
    story.press("1").pause(300).press("3").wait(3).burst("另一条路").press("enter home delete delete");
    story.wait(1).press("enter").wait(1);
    assert_eq!(submitted(&mut story), json!({"genre": ["起点", "规则怪谈", "另一条路"]}));
}

#[test]
fn ticks_by_digits_in_a_row_make_no_filter_and_another_key_ends_the_run() {
    let mut story = asks("multi_choice", OTHER);
    story.press("1 2 3");
    assert!(story.form().filter().is_none());
    assert_eq!(story.form().draft.replies[0].picks.len(), 3);
    story.press("down up").burst("雨");
    assert_eq!((story.form().typed(), story.form().draft.replies[0].picks.len()), ("雨", 3));
    assert!(story.shown().contains("write “雨”"), "{}", story.shown());
    let mut story = asks("single_choice", OTHER);
    story.press("3").wait(1).burst("gz");
    assert_eq!((row(&story), story.form().typed()), (Some(Row::Option(2)), "gz"), "a search is a search");
    story.press("esc ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "规则怪谈"}));
}

#[test]
fn what_a_digit_chose_comes_back_neither_by_undo_nor_unseen() {
    let mut story = asks("multi_choice", OTHER);
    story.press("2").wait(1).press("down").burst("3年前");
    assert_eq!(story.form().draft.replies[0].picks.len(), 1, "the second tick stands, the third was none");
    assert!(story.form().draft.replies[0].has(1));
    story.press("esc ctrl+_");
    assert!(
        story.form().draft.replies[0].picks.is_empty(),
        "undo takes back the tick before, {}",
        story.shown()
    );
}

#[test]
fn the_digit_of_the_row_for_own_words_opens_it_or_begins_them() {
    for kind in KINDS {
        // In one read it belongs to the words.
        let mut story = asks(kind, OTHER);
        story.burst("5年后");
        assert_eq!(story.form().field.text(), "5年后", "{kind}");
        // Opened, and written in after a moment: it does not, and that is said.
        let mut story = asks(kind, OTHER);
        story.press("5").wait(2).burst("年后");
        assert_eq!(story.form().field.text(), "年后", "{kind}");
        assert!(story.notice().contains("“5” has opened this field"), "{}", story.notice());
        assert!(story.notice().contains("Ctrl+_ puts it before them"), "{}", story.notice());
        assert_eq!(story.kept().expect("a draft").draft.replies[0].other, "年后");
        // It was the first character all the same: one key.
        let mut whole = asks(kind, OTHER);
        whole.press("5").wait(3).burst("年后").press("ctrl+_");
        assert_eq!(whole.form().field.text(), "5年后", "{kind}");
        assert_eq!(take_words(&mut whole), answer(kind, "5年后"));
        story.burst("的");
        story.wait(1).press("enter").wait(1);
        let answers = if story.form().in_review {
            story.press("ctrl+s");
            story.answers()
        } else {
            submitted(&mut story)
        };
        assert_eq!(answers, answer(kind, "年后的"));
    }
}

#[test]
fn a_packet_that_changes_between_digit_and_word_takes_nothing_of_them() {
    let asked = |last: &str| {
        let genre = question("genre", "single_choice", true, &LABELS, OTHER);
        format!("[{genre},{}]", question(last, "free_text", false, &[], ""))
    };
    let mut story = Story::open(&asked("note"));
    story.press("3").wait(1);
    super::ask_anew(&mut story, &asked("remark"));
    story.burst("年前的雨夜");
    assert!(story.shown().contains("write “3年前的雨夜”"), "{}", story.shown());
    super::ask_anew(&mut story, &asked("note"));
    story.press("enter").wait(1).press("enter");
    assert_eq!(
        story.form().draft.replies[0].own().next().map(|own| own.display().into_owned()).as_deref(),
        Some("3年前的雨夜")
    );
}

#[test]
fn digits_that_came_one_by_one_each_chose_their_row_and_lead_no_words() {
    let answers = |kind: &str, keys: &dyn Fn(&mut Story)| {
        let mut story = asks(kind, OTHER);
        keys(&mut story);
        take_words(&mut story)
    };
    // The last one may begin the words, those before it do not; after a while none does.
    let seconds = |story: &mut Story| {
        story.press("1").wait(8).press("2").wait(8).press("3").wait(3).burst("年前的雨夜");
        assert!(story.shown().contains("write “3年前的雨夜”"), "{}", story.shown());
    };
    assert_eq!(answers("multi_choice", &seconds), json!({"genre": ["起点", "番茄小说", "3年前的雨夜"]}));
    let long = |story: &mut Story| {
        story.press("1").wait(2).press("2").wait(11).burst("雨中的人");
    };
    assert_eq!(answers("multi_choice", &long), json!({"genre": ["起点", "番茄小说", "雨中的人"]}));
    let long = |story: &mut Story| {
        story.press("3").wait(20).burst("别的路");
    };
    assert_eq!(answers("single_choice", &long), json!({"genre": "别的路"}));
    // Who takes them all the same is told what they were, and can have his tick back.
    let mut story = asks("multi_choice", OTHER);
    story.press("2").wait(3).burst("另一条路").press("enter").wait(1).press("enter");
    assert!(story.notice().contains("“2” begins your words, and has ticked nothing"), "{}", story.notice());
    story.press("ctrl+_");
    assert!(story.form().draft.replies[0].has(1), "{}", story.shown());
}

#[test]
fn signs_and_blanks_behind_a_digit_are_words_also_for_an_input_method_and_a_slow_hand() {
    for (kind, digits, rest) in KINDS.into_iter().flat_map(|kind| {
        [("24", "/7"), ("3", "、4章"), ("12", "、13章"), ("3", " days later"), ("3", "/4的人")]
            .map(|(digits, rest)| (kind, digits, rest))
    }) {
        let words = format!("{digits}{rest}");
        let mut story = asks(kind, OTHER);
        for digit in digits.chars() {
            story.burst(&digit.to_string()).pause(300);
        }
        story.wait(2).burst(rest);
        assert!(story.shown().contains(&format!("write “{words}”")), "{kind}: {}", story.shown());
        assert_eq!(take_words(&mut story), answer(kind, &words), "{kind} {words}");
        let mut story = asks(kind, OTHER);
        for c in words.chars() {
            story.burst(&c.to_string()).pause(700);
        }
        assert_eq!(take_words(&mut story), answer(kind, &words), "{kind} {words}, slowly");
    }
}

#[test]
fn a_digit_that_names_no_row_says_so_and_a_field_says_which_digit_opened_it() {
    let mut story = asks("multi_choice", OTHER);
    story.press("9");
    assert!(story.notice().contains("There is no row 9 here."), "{}", story.notice());
    let mut story = asks("multi_choice", OTHER);
    story.press("1").pause(800).press("2").pause(800).press("5").wait(1).burst("雨中的人");
    assert!(story.notice().contains("“5” has opened this field"), "{}", story.notice());
    assert_eq!(story.form().draft.replies[0].picks.len(), 2);
}
