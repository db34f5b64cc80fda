//! Long lists of options: pages as tall as the screen, and nothing that is ticked out of mind.

use super::{Story, question};

const OTHER: &str = r#","allow_other":true"#;
use novel_gate::console::model::Size;
use novel_gate::text::Lang;

fn sixty(kind: &str) -> Story {
    let labels: Vec<String> = (1..=60).map(|n| format!("option {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Story::open(&format!("[{}]", question("many", kind, false, &labels, "")))
}

#[test]
fn moving_past_the_end_of_a_page_turns_it_and_digits_name_its_first_nine_rows() {
    let mut story = sixty("multi_choice");
    story.press(&"down ".repeat(14));
    assert!(story.shown().contains("page 1/4 · 15/60"), "{}", story.shown());
    story.press("down");
    assert!(story.shown().contains("page 2/4 · 16/60"), "{}", story.shown());
    story.press("9 up");
    assert!(story.shown().contains("[x] 9  option 24"), "{}", story.shown());
    story.press("pgdn 1");
    let picks = &story.form().draft.replies[0].picks;
    assert_eq!(picks.len(), 2, "{picks:?}");
    assert!(story.shown().contains("[x] 1  option 31"), "{}", story.shown());
}

#[test]
fn what_is_chosen_on_another_page_is_named() {
    for (lang, words) in [(Lang::En, "2 chosen: option 1, option 3"), (Lang::ZhCn, "已选 2：option 1")] {
        let mut story = sixty("multi_choice");
        story.console.stack.model.lang = lang;
        story.press("1 3");
        assert!(!story.shown().contains(words), "all ticks are seen: {}", story.shown());
        for keys in ["pgdn", "end", "home ctrl+f 5"] {
            story.press(keys);
            assert!(story.shown().contains(words), "{keys}: {}", story.shown());
        }
    }
    let mut story = sixty("single_choice");
    story.press("2 pgdn");
    assert!(story.shown().contains("  chosen: option 2"), "{}", story.shown());
    story.press("ctrl+f 5");
    assert!(story.shown().contains(" chosen: option 2"), "{}", story.shown());
    assert!(!story.shown().contains("1 chosen"), "one choice is not counted: {}", story.shown());
}

#[test]
fn a_long_question_takes_the_rows_that_are_free_and_f4_has_the_rest() {
    let words = "林栀在凌晨三点十七分听见雨量计里有人说话。".repeat(125);
    let ask = |words: &str| {
        let asked = question("q", "single_choice", true, &["留下", "离开"], OTHER);
        let mut story = Story::open(&format!("[{}]", asked.replace("\"?\"", &format!("\"{words}\""))));
        story.console.stack.model.size = Size { width: 200, height: 60 };
        story.paint();
        story.shown()
    };
    let shown = ask(&words);
    let free = shown.lines().rev().skip(1).take_while(|row| row.trim().is_empty()).count();
    assert!(free <= 5 && shown.contains("… F4") && shown.contains("离开"), "{free}: {shown}");
    let whole = ask(&words[..words.len() / 125 * 60]);
    assert!(!whole.contains("… F4"), "{whole}");
}

#[test]
fn a_higher_screen_shows_more_rows_and_a_wide_one_the_description_beside_them() {
    let mut story = sixty("single_choice");
    let rows = |story: &Story| story.shown().lines().filter(|row| row.contains("( )")).count();
    assert_eq!(rows(&story), 15, "no rows are kept for what the rows say whole");
    story.console.stack.model.size = Size { width: 120, height: 40 };
    assert_eq!(rows(&story), 31);
    story.console.stack.model.size = Size { width: 200, height: 60 };
    assert_eq!(rows(&story), 51);
    story.press("down");
    let shown = story.shown();
    assert!(!shown.contains("│ d"), "the row shows all of it: {shown}");
    let words = "it goes on and on ".repeat(8);
    let option = |n| format!(r#"{{"label":"option {n}","description":"{words}"}}"#);
    let options: Vec<String> = (1..=60).map(option).collect();
    let many = question("many", "single_choice", false, &["x"], "");
    let many = many.replace(r#"{"label":"x","description":"d"}"#, &options.join(","));
    let mut story = Story::open(&format!("[{many}]"));
    story.console.stack.model.size = Size { width: 200, height: 60 };
    let shown = story.shown();
    assert!(shown.lines().any(|row| row.contains("option 1 ") && row.contains("│ it goes on")), "{shown}");
}

#[test]
fn the_question_takes_the_rows_that_are_free_and_names_the_key_for_the_rest() {
    let words = (1..=18).map(|n| format!("line {n} of the question")).collect::<Vec<_>>();
    let asked = |kind: &str, labels: &[&str]| {
        let question = question("long", kind, true, labels, "");
        question.replace(r#""?""#, &format!("{:?}", words.join("\n")))
    };
    let many: Vec<String> = (1..=40).map(|n| format!("option {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let none: &[&str] = &[];
    for (kind, labels) in [("single_choice", &["a", "b"][..]), ("free_text", none), ("multi_choice", &many)] {
        let mut story = Story::open(&format!("[{}]", asked(kind, labels)));
        for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
            story.console.stack.model.size = Size { width, height };
            let shown = story.shown();
            let lines = shown.lines().filter(|row| row.contains(" of the question")).count();
            assert_eq!(lines < 18, shown.contains("… F4"), "{kind}, {lines} lines: {shown}");
            // No row is empty while the question is cut, but in the pane of a long list.
            let rows: Vec<&str> = shown.lines().skip_while(|row| !row.contains("… F4")).collect();
            let empty = rows.iter().filter(|row| row.trim().is_empty()).count();
            assert!(empty <= 3 || labels.len() == 40, "{kind}, {empty} empty rows: {shown}");
            let whole = height > 24 && labels.len() < 40 || height > 40;
            assert!(lines == 18 || !whole, "{kind} at {width}x{height}: {shown}");
        }
        story.press("f4");
        assert!(story.shown().contains("line 18 of the question"), "{}", story.shown());
    }
}

#[test]
fn descriptions_are_whole_where_all_of_them_have_room() {
    let described = |count: usize| {
        let words =
            "the words of this description go on until a row of eighty cells cannot hold them any more, end";
        let option = |n| format!(r#"{{"label":"option {n}","description":"{words} {n}"}}"#);
        let options: Vec<String> = (1..=count).map(option).collect();
        Story::open(&format!(
            r#"[{{"id":"a","header":"a","question":"?","kind":"single_choice","required":false,"options":[{}]}}]"#,
            options.join(",")
        ))
    };
    let mut few = described(4);
    for n in 1..=4 {
        assert!(few.shown().contains(&format!("end {n}")), "{}", few.shown());
    }
    few.press("3");
    assert!(few.shown().contains("▸ (•) 3  option 3"), "{}", few.shown());
    let many = described(8);
    assert!(many.shown().contains("end 1") && !many.shown().contains("end 2"), "{}", many.shown());
}

#[test]
fn a_page_of_the_review_is_as_long_as_its_list() {
    for (width, height) in [(80, 24), (60, 16), (40, 12)] {
        let ids = ["one", "two", "three", "four"];
        let asked = ids.map(|id| question(id, "free_text", false, &[], "")).join(",");
        let mut story = Story::open(&format!("[{asked}]"));
        story.console.stack.resize(Size { width, height });
        story.press("ctrl+s home pgdn");
        assert_eq!(story.form().review.row, 3, "{width}x{height}: {}", story.shown());
    }
}
