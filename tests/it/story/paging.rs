//! Long lists of options: pages as tall as the screen, and nothing that is ticked out of mind.

use super::{Story, question};

const OTHER: &str = r#","allow_other":true"#;
use novel_gate::console::model::Size;
use novel_gate::text::Lang;
use serde_json::json;

fn sixty(kind: &str) -> Story {
    let labels: Vec<String> = (1..=60).map(|n| format!("option {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Story::open(&format!("[{}]", question("many", kind, false, &labels, "")))
}

#[test]
fn moving_past_the_end_of_a_page_turns_it_and_digits_name_its_first_nine_rows() {
    let mut story = sixty("multi_choice");
    story.press(&"down ".repeat(16));
    assert!(story.shown().contains("page 1/4 · 17/60"), "{}", story.shown());
    story.press("down");
    assert!(story.shown().contains("page 2/4 · 18/60"), "{}", story.shown());
    story.press("9 up");
    assert!(story.shown().contains("[x] 9  option 26"), "{}", story.shown());
    story.press("pgdn 1");
    let picks = &story.form().draft.replies[0].picks;
    assert_eq!(picks.len(), 2, "{picks:?}");
    assert!(story.shown().contains("[x] 1  option 35"), "{}", story.shown());
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
    assert_eq!(rows(&story), 17, "no rows are kept for what the rows say whole");
    story.console.stack.model.size = Size { width: 120, height: 40 };
    assert_eq!(rows(&story), 33);
    story.console.stack.model.size = Size { width: 200, height: 60 };
    assert_eq!(rows(&story), 53);
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

fn asks(kind: &str, options: &[(String, String)], more: &str) -> Story {
    let options = options.iter().map(|(label, words)| json!({"label": label, "description": words}));
    let options = serde_json::to_string(&options.collect::<Vec<_>>()).expect("JSON");
    let asked = question("q", kind, true, &[], &format!(r#","options":{options}{more}"#));
    Story::open(&format!("[{asked}]"))
}

fn sized(story: &mut Story, width: u16, height: u16) -> String {
    story.console.stack.model.size = Size { width, height };
    story.paint();
    story.shown()
}

#[test]
fn labels_that_differ_in_their_last_characters_can_be_told_apart_at_every_size() {
    for length in [12, 20, 40, 70] {
        let start = "同一个前缀的很长很长的标签".chars().cycle().take(length).collect::<String>();
        for words in ["短", &"说明很长，一行放不下。".repeat(9)] {
            let options: Vec<_> =
                "甲乙丙丁戊".chars().map(|c| (format!("{start}{c}"), words.to_owned())).collect();
            for kind in ["single_choice", "multi_choice"] {
                let mut story = asks(kind, &options, OTHER);
                for (width, height) in [(80, 24), (120, 40), (40, 12), (200, 60)] {
                    let shown = sized(&mut story, width, height);
                    for c in ["签甲", "签乙", "签丙", "签丁", "签戊"] {
                        let last = c.chars().last().expect("a character");
                        let told = shown.lines().any(|row| {
                            row.trim_end().contains(&format!("{last} ")) || row.trim_end().ends_with(last)
                        });
                        assert!(told, "{length} {width}x{height} {c}: {shown}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_label_is_whole_where_a_row_has_room_for_it_and_own_words_are_not_cut_beside_it() {
    let long = "同一个前缀的很长很长的标签，三十来个字，比一半的行还要长";
    let options: Vec<_> =
        (1..=30).map(|n| (format!("{long}{n}"), "说明很长，一行放不下。".repeat(9))).collect();
    let shown = sized(&mut asks("single_choice", &options, OTHER), 80, 24);
    assert!(shown.contains(&format!("{long}1  ")) && shown.contains(&format!("{long}12")), "{shown}");
    let shown = sized(&mut asks("single_choice", &options[..3], OTHER), 200, 60);
    assert!(shown.contains("Other…  type your own"), "{shown}");
}

#[test]
fn descriptions_wrap_before_rows_are_left_empty() {
    let words = "这一项的说明写得很长，一共要占三行左右。".repeat(6);
    let options: Vec<_> = (1..=9).map(|n| (format!("选项{n}"), words.clone())).collect();
    for (width, height) in [(120, 40), (100, 50), (160, 40), (200, 60)] {
        let mut story = asks("multi_choice", &options, OTHER);
        let shown = sized(&mut story, width, height);
        let empty = shown.lines().filter(|row| row.trim().is_empty()).count();
        assert!(
            shown.matches("这一项的说明").count() > 18 && (empty < 9 || !shown.contains("…\n")),
            "{empty} {shown}"
        );
        // The hits of a filter have the rows of the others.
        story.burst("选项2");
        let shown = story.shown();
        assert!(shown.contains("一共要占三行左右。\n") || !shown.contains("行…"), "{shown}");
    }
}

#[test]
fn a_long_question_is_not_cut_above_empty_rows() {
    for lang in [Lang::En, Lang::ZhCn] {
        for count in 6..40 {
            let words = "林栀听见雨量计里有人说话，".repeat(count);
            let asked = question("q", "single_choice", true, &["留下", "离开", "再想想"], OTHER);
            let mut story = Story::open(&format!("[{}]", asked.replace("\"?\"", &format!("\"{words}\""))));
            story.console.stack.model.lang = lang;
            let shown = sized(&mut story, 80, 24);
            let below = shown.lines().rev().skip(2).take_while(|row| row.trim().is_empty()).count();
            assert!(below == 0 || !shown.contains("… F4"), "{count}: {below} empty rows, {shown}");
            story.press("end enter").wait(1).burst("自己的话");
            assert!(story.shown().contains("自己的话"), "{}", story.shown());
        }
    }
}
