//! The footer begins with what the author is likely to do next, and ends with the way out.

use super::{Story, question};
use novel_gate::console::model::Size;

fn three() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let tags = question("tags", "multi_choice", true, &["热血", "克制"], r#","allow_other":true"#);
    format!("[{pick},{tags},{}]", question("mood", "free_text", true, &[], ""))
}

/// The first hint of the footer; the last one is always the way out.
fn first(story: &Story) -> String {
    let shown = story.shown();
    let row = shown.lines().last().expect("a footer").trim();
    assert!(row.ends_with("F10 quit"), "{row}");
    row.split("  ").next().expect("a hint").to_owned()
}

#[test]
fn the_footer_begins_with_what_is_next() {
    let mut story = Story::of(&three());
    story.console.stack.model.size = Size { width: 120, height: 40 };
    story.scan();
    assert_eq!(first(&story), "Enter answer");
    story.press("enter");
    assert_eq!(first(&story), "Enter choose, go on");
    story.press("2 tab");
    assert_eq!(first(&story), "Space tick");
    story.press("space");
    assert_eq!(first(&story), "Enter go on");
    story.press("end");
    assert_eq!(first(&story), "Enter type your own");
    story.press("tab");
    assert_eq!(first(&story), "Enter go on");
    story.press("ctrl+s");
    assert_eq!(first(&story), "Enter answer", "what is missing comes first");
    story.press("enter").burst("雨\r停");
    assert_eq!(first(&story), "Ctrl+S review");
    story.press("shift+tab shift+tab");
    assert_eq!(first(&story), "Ctrl+S review");
    story.press("up");
    assert_eq!(first(&story), "Enter choose, go on", "the cursor is on another option");
    story.press("ctrl+s");
    assert_eq!(first(&story), "Ctrl+S submit");
    story.wait(1).press("ctrl+s");
    assert_eq!(first(&story), "Enter inbox");
    std::fs::remove_file(story.root().join(super::ANSWERS)).expect("removed");
    story.look();
    assert_eq!(first(&story), "Ctrl+U put mine back");
}

#[test]
fn a_list_of_gates_that_is_filtered_to_nothing_names_the_way_back() {
    let mut story = Story::of(&three());
    story.scan();
    story.press("ctrl+f").burst("没有").press("enter");
    assert_eq!(first(&story), "Esc clear filter");
    story.press("esc");
    assert_eq!(first(&story), "Enter answer");
}

#[test]
fn a_question_that_is_filtered_to_nothing_offers_no_key_for_a_row() {
    for (at, keys) in [("", "tab shift+tab"), ("tab", "enter tab shift+tab")] {
        let tags = question("tags", "multi_choice", true, &["热血"], "");
        let pick = question("platform", "single_choice", true, &["qidian"], "");
        let mut story = Story::open(&format!("[{pick},{tags}]"));
        story.press(at).burst("没有").press(keys);
        let shown = story.shown();
        assert!(shown.contains("Esc clear filter"), "{shown}");
        for hint in ["Enter choose", "Space tick", "Ctrl+A"] {
            assert!(!shown.contains(hint), "{hint}: {shown}");
        }
        story.press("enter");
        assert_eq!(story.form().at == 0, at.is_empty(), "Enter goes on only where ticks are kept");
    }
}

#[test]
fn the_story_key_works_over_an_open_filter_or_says_why_not() {
    let mut story = Story::open(&three());
    story.press("ctrl+f").burst("jj").press("f9");
    assert_eq!(story.notice(), "The packet names no story file that is there.");
    assert_eq!(story.form().typed(), "jj");
}

#[test]
fn a_key_of_another_screen_says_that_it_does_nothing_here() {
    let mut story = Story::of(&format!("[{}]", question("a", "single_choice", true, &["一"], "")));
    story.scan();
    let lists = "does nothing on this screen; F1 lists the keys that do.";
    for (way, keys) in [
        ("", &["f3", "f7", "ctrl+n", "ctrl+s", "ctrl+a"][..]),
        ("enter", &["f5", "f6", "f8", "ctrl+g", "ctrl+u"]),
        ("space ctrl+s", &["f5", "f6", "f8", "ctrl+f"]),
        ("f1", &["f3", "f9", "ctrl+y", "ctrl+g"]),
    ] {
        story.press(way).pause(700);
        for key in keys {
            story.press(key);
            let shown = [&key[..1].to_uppercase(), &key[1..]].concat();
            let said = story.notice().to_lowercase();
            assert_eq!(said, format!("{shown} {lists}").to_lowercase(), "{way}: {}", story.shown());
        }
        story.press("up");
        assert_eq!(story.notice(), "", "a key that moves goes on silently");
    }
}

#[test]
fn a_key_that_can_do_nothing_now_says_why() {
    let mut story = Story::open(&three());
    for (keys, why) in [
        ("ctrl+f z z enter", "Nothing is listed here."),
        ("esc ctrl+s ctrl+g", "There is no record to edit here."),
        ("ctrl+u", "There is nothing to put back here."),
        ("f4 enter", "This key does nothing here; F1 lists those that do."),
    ] {
        story.wait(1).press(keys);
        assert_eq!(story.notice(), why, "{keys}: {}", story.shown());
    }
    let mut story = Story::of(&three());
    story.scan();
    story.press("ctrl+f").burst("zz").press("tab");
    assert_eq!(story.notice(), "Nothing is listed here.", "{}", story.shown());
    story.press("enter");
    assert_eq!(story.notice(), "Nothing is listed here.", "{}", story.shown());
}
