//! What narrows a list gives the cursor back; the submit key takes own words; nothing is called chosen that was not.

use super::super::{Story, question};
use super::{LABELS, OTHER, row};
use novel_gate::console::form::Row;
use novel_gate::text::Lang;
use serde_json::json;

const DEFAULT: &str = r#","default":"起点""#;

fn asks(kind: &str, more: &str) -> Story {
    Story::open(&format!("[{}]", question("genre", kind, true, &LABELS, more)))
}

#[test]
fn an_emptied_or_closed_filter_puts_the_cursor_on_the_choice_that_stands() {
    for (more, words) in
        ["", OTHER].into_iter().flat_map(|more| ["xy", "gz", "怪谈", "雨夜"].map(|words| (more, words)))
    {
        for end in ["backspace backspace", "esc", "ctrl+w"] {
            let mut story = asks("single_choice", &format!("{more}{DEFAULT}"));
            story.press("2").wait(1).press("home down down").burst(words).press(end);
            assert_eq!(row(&story), Some(Row::Option(1)), "{more} {words} {end}: {}", story.shown());
            story.wait(1).press("enter").wait(1).press("ctrl+s");
            assert_eq!(story.answers(), json!({"genre": "番茄小说"}), "{more} {words} {end}");
        }
    }
}

#[test]
fn where_nothing_is_chosen_it_puts_the_cursor_where_it_was() {
    for end in ["backspace backspace", "esc"] {
        for kind in ["single_choice", "multi_choice"] {
            let mut story = asks(kind, OTHER);
            story.press("down down").burst("雨夜").press(end);
            assert_eq!(row(&story), Some(Row::Option(2)), "{kind} {end}");
        }
    }
    let mut story = asks("multi_choice", "");
    story.press("down").burst("gz").press("space").press("esc");
    assert_eq!(row(&story), Some(Row::Option(2)), "the tick that was made there");
}

#[test]
fn own_words_that_are_chosen_stay_so_when_a_filter_is_emptied() {
    for end in ["backspace", "esc"] {
        let mut story = asks("single_choice", OTHER);
        story.burst("雨夜归人").press("enter").wait(1).press("enter shift+tab").wait(1);
        story.burst("q").press(end).wait(1).press("enter");
        let own = story.form().draft.replies[0].own().count();
        assert_eq!(own, 1, "{end}: {}", story.shown());
    }
}

#[test]
fn the_submit_key_on_the_row_for_own_words_takes_them() {
    for kind in ["single_choice", "multi_choice"] {
        let mut story = asks(kind, &format!("{OTHER}{}", if kind == "single_choice" { DEFAULT } else { "" }));
        story.burst("both live").press("ctrl+s").wait(1);
        assert!(story.form().in_review && story.shown().contains("both live"), "{}", story.shown());
        assert!(story.record().is_none(), "one key writes nothing");
        story.press("ctrl+s");
        let want = if kind == "single_choice" { json!("both live") } else { json!(["both live"]) };
        assert_eq!(story.answers(), json!({ "genre": want }));
        // The same without a filter, on the row that shows what was typed.
        let mut story = asks(kind, OTHER);
        story.press("end enter").burst("雨停").press("esc ctrl+s").wait(1).press("ctrl+s");
        let want = if kind == "single_choice" { json!("雨停") } else { json!(["雨停"]) };
        assert_eq!(story.answers(), json!({ "genre": want }));
    }
    // Nothing typed there: it only goes to the review.
    let mut story = asks("single_choice", &format!("{OTHER}{DEFAULT}"));
    story.press("end ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"genre": "起点"}));
}

#[test]
fn words_that_were_not_taken_are_named_beside_the_default() {
    for (more, typed, lang) in [
        (OTHER, "番茄", Lang::En),
        (OTHER, "fqxs", Lang::ZhCn),
        ("", "番茄", Lang::En),
        ("", "fqxs", Lang::ZhCn),
        ("", "雨夜", Lang::En),
        (OTHER, "both live", Lang::ZhCn),
    ] {
        let mut story = asks("single_choice", &format!("{more}{DEFAULT}"));
        if lang == Lang::ZhCn {
            story.press("f2");
        }
        story.burst(typed);
        if typed == "both live" {
            // Another row says that the words are not wanted.
            story.press("esc");
        }
        story.press("ctrl+s").wait(1);
        let (default, not_taken) = match lang {
            Lang::En => ("default", format!("typed but not chosen: “{typed}”")),
            Lang::ZhCn => ("默认", format!("已输入但未采用：“{typed}”")),
        };
        let shown = story.shown();
        assert!(shown.contains(default) && shown.contains(&not_taken), "{more} {typed}: {shown}");
        story.press("ctrl+s");
        assert_eq!(story.answers(), json!({"genre": "起点"}));
        let shown = story.shown();
        let (default, beside) = match lang {
            Lang::En => ("The default stands: 起点", format!("Typed, and in no record: “{typed}”")),
            Lang::ZhCn => ("采用默认：起点", format!("已输入，但不在记录中：“{typed}”")),
        };
        assert!(shown.contains(default) && shown.contains(&beside), "{more} {typed}: {shown}");
        assert!(!shown.contains("You chose") && !shown.contains("你选了"), "{shown}");
    }
}

#[test]
fn words_that_found_what_was_chosen_are_named_nowhere() {
    let mut story = asks("single_choice", &format!("{OTHER}{DEFAULT}"));
    story.burst("fq").press("enter").wait(1);
    assert!(!story.shown().contains("not chosen"), "{}", story.shown());
    story.press("ctrl+s");
    assert!(story.shown().contains("You chose 番茄小说"), "{}", story.shown());
    assert!(!story.shown().contains("in no record"), "{}", story.shown());
    let mut story = asks("multi_choice", "");
    story.burst("fq").press("space ctrl+s").wait(1);
    assert!(!story.shown().contains("not chosen"), "{}", story.shown());
}

#[test]
fn a_default_is_called_so_until_it_is_chosen() {
    let tags = r#","default":["起点","番茄小说"]"#;
    let mut story = asks("multi_choice", tags);
    assert!(
        story.shown().contains("2 by default") && !story.shown().contains("2 chosen"),
        "{}",
        story.shown()
    );
    story.press("ctrl+s").wait(1);
    assert!(story.shown().contains("default"), "{}", story.shown());
    story.press("ctrl+s");
    assert!(story.shown().contains("The default stands: 起点, 番茄小说"), "{}", story.shown());
    let mut story = asks("multi_choice", tags);
    story.press("3");
    assert!(story.shown().contains("3 chosen"), "{}", story.shown());
    // With several questions each default is marked.
    let genre = question("genre", "single_choice", true, &LABELS, DEFAULT);
    let mood = question("mood", "single_choice", true, &["冷", "热"], r#","default":"热""#);
    let mut story = Story::open(&format!("[{genre},{mood}]"));
    story.wait(1).press("1 tab ctrl+s").wait(1).press("ctrl+s");
    let shown = story.shown();
    let line = |word: &str| shown.lines().find(|line| line.contains(word)).expect("a line").to_owned();
    assert!(!line("起点").contains("default") && line("热").contains("default"), "{shown}");
    // The history tells it too, also in Chinese.
    story.press("esc f6");
    let shown = story.shown();
    let line = |word: &str| shown.lines().any(|line| line.contains(word) && line.contains("default"));
    assert!(line("热") && !line("起点"), "{shown}");
    story.press("f2");
    assert!(
        story.shown().lines().any(|line| line.contains("热") && line.contains("默认")),
        "{}",
        story.shown()
    );
}

#[test]
fn every_list_that_a_filter_narrows_gives_the_cursor_back() {
    let mut story = Story::of(&format!("[{}]", question("genre", "single_choice", true, &LABELS, "")));
    for number in 1..5 {
        let file = format!("staging/manifests/other-{number}.packet.json");
        let packet =
            super::super::packet(&format!("[{}]", question("genre", "single_choice", true, &LABELS, "")));
        story.put(
            &file,
            &packet
                .replace("gate.answers", &format!("other-{number}.answers"))
                .replace("048", &format!("05{number}")),
        );
    }
    story.scan();
    // The inbox.
    let selected = |story: &Story| story.model().inbox.selected_path();
    for end in ["backspace backspace", "esc"] {
        story.press("home down down");
        let was = selected(&story);
        story.burst("qq");
        assert_eq!(selected(&story), None);
        story.press(end);
        assert_eq!(selected(&story), was, "{end}");
        story.press("esc");
    }
    // Other packets with the same questions.
    story.press("home enter").wait(1).press("1 ctrl+s ctrl+a").wait(1).press("down down");
    let list = |story: &Story| {
        story.form().status.batch.as_ref().and_then(|batch| batch.list.as_ref()).expect("the list").row
    };
    assert_eq!(list(&story), 2, "{}", story.shown());
    for end in ["backspace backspace", "esc"] {
        story.burst("qq").press(end);
        assert_eq!(list(&story), 2, "{end}");
    }
    // The history.
    story
        .press("enter")
        .wait(1)
        .press("ctrl+s")
        .wait(1)
        .press("esc")
        .wait(1)
        .press("f6 tab")
        .wait(1)
        .press("down down");
    let entry = |story: &Story| {
        story.find::<novel_gate::console::history::view::HistoryView>().expect("the history").row
    };
    assert_eq!(entry(&story), 2, "{}", story.shown());
    for end in ["backspace backspace", "esc"] {
        story.burst("qq").press(end);
        assert_eq!(entry(&story), 2, "{end}: {}", story.shown());
    }
}
