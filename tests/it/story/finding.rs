//! Words typed in the inbox, in the history and in the story begin to look for them.

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::console::form::Form;
use novel_gate::console::history::view::HistoryView;
use novel_gate::console::model::Place;
use novel_gate::console::page::Page;
use novel_gate::console::prompt::Prompt;

/// Three gates: chapter 48, and two more with topics of their own.
fn three() -> Story {
    let asks = format!("[{}]", question("note", "free_text", true, &[], ""));
    let mut story = Story::of(&asks);
    for (step, topic) in [("volume:outline", "第二卷流派"), ("018:judge", "视角与保留句")] {
        let other = packet(&asks).replace("chapter:048:draft", step).replace("平台绑定", topic);
        let name = step.replace(':', "-");
        story.put(&format!("staging/manifests/{name}.packet.json"), &other.replace("gate.answers", &name));
    }
    story.scan();
    story
}

fn shown(story: &Story) -> Vec<String> {
    let inbox = &story.model().inbox;
    (0..inbox.len()).filter_map(|row| Some(inbox.entry(row)?.title().into_owned())).collect()
}

#[test]
fn a_letter_a_han_character_a_digit_or_a_pasted_line_filters_the_inbox_and_one_enter_opens() {
    for (typed, step) in [
        ("流派", "volume:outline"),
        ("lp", "volume:outline"),
        ("shijiao", "018:judge"),
        ("048", "chapter:048:draft"),
        ("outline 二卷", "volume:outline"),
        ("q", ""),
    ] {
        let mut story = three();
        for c in typed.chars() {
            story.burst(&c.to_string());
        }
        assert_eq!(shown(&story).join(" "), step, "{typed}");
        story.press("enter");
        let open = story.find::<Form>().map(|form| story.model().inbox.title_of(&form.gate.path));
        assert_eq!(open.unwrap_or_default(), step, "{typed}");
    }
    let mut story = three();
    story.paste("视角\n").press("enter");
    assert_eq!(story.place(), Place::Form);
}

#[test]
fn a_key_that_moves_in_the_words_of_a_filter_leaves_the_selection_alone() {
    let mut story = three();
    story.burst("o").press("down");
    let selected = story.model().inbox.selected_path();
    assert!(shown(&story).len() > 1 && story.model().inbox.row == 1, "{}", story.shown());
    story.press("left right home end delete");
    assert_eq!(story.model().inbox.selected_path(), selected);
    story.press("enter");
    assert_eq!(Some(&story.form().gate.path), selected.as_ref());
}

#[test]
fn keys_of_the_inbox_act_on_what_its_filter_has_found() {
    let mut story = three();
    story.burst("lp").press("f5 3");
    assert_eq!(story.model().inbox.counts.later, 1);
    story.press("f6");
    assert_eq!(story.place(), Place::History);
    story.press("esc f4");
    assert!(story.find::<Page>().is_some());
    story.press("esc esc");
    assert_eq!(shown(&story).len(), 3, "Esc clears the filter");
}

#[test]
fn what_is_typed_behind_a_filter_that_has_opened_a_gate_begins_another() {
    let mut story = three();
    story.burst("lp").press("enter esc esc");
    assert_eq!(story.place(), Place::Inbox);
    story.burst("048");
    assert_eq!(shown(&story), ["chapter:048:draft"]);
}

#[test]
fn several_pasted_lines_change_no_list_and_that_is_said() {
    let mut story = three();
    for keys in ["", "ctrl+f", "f6", "ctrl+f"] {
        story.press(keys).paste("第一行\n第二行");
        assert!(story.notice().starts_with("Only one short line"), "{keys}: {}", story.notice());
        story.paste(&"雨".repeat(2_000_000));
        assert!(story.notice().starts_with("Only one short line"), "{keys}: {}", story.notice());
        story.press("up");
    }
    assert_eq!(story.find::<HistoryView>().expect("a history").words(), "");
}

#[test]
fn the_history_is_filtered_by_what_is_typed_and_one_enter_asks_to_restore() {
    let mut story = three();
    story.open_gate(PACKET);
    story.burst("雨停之前").press("enter ctrl+s");
    std::fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    story.press("esc").burst("048").press("f6");
    story.burst("ytzq");
    assert_eq!(story.find::<HistoryView>().expect("a history").found.rows.len(), 1, "{}", story.shown());
    story.burst("x");
    assert_eq!(story.find::<HistoryView>().expect("a history").found.rows.len(), 0);
    story.press("backspace enter");
    assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("Esc clear filter"), "the list has the keys: {}", story.shown());
    // A key that is held down asks, and does not answer.
    for _ in 0..10 {
        story.pause(35).burst("\r");
    }
    assert!(story.find::<Prompt>().is_some() && story.record().is_none(), "{}", story.shown());
    story.press("enter");
    assert!(story.record().expect("a record").contains("雨停之前"));
}

#[test]
fn what_is_typed_in_the_help_narrows_it_and_escape_gives_all_back() {
    let mut story = three();
    story.press("f1");
    assert!(story.shown().contains("lines 1-"), "{}", story.shown());
    for words in ["put off", "ｐｕｔ ｏｆｆ"] {
        story.burst(words);
        let shown = story.shown();
        assert!(
            shown.contains("put off") && shown.contains("Putting off") && !shown.contains("lines 1-"),
            "{shown}"
        );
        assert!(shown.contains("Esc clear filter"), "{shown}");
        story.press("esc");
        assert!(story.shown().contains("lines 1-"), "{}", story.shown());
    }
    story.burst("ctrl+y copy").press("down");
    assert!(story.shown().contains("copy for executor"), "{}", story.shown());
    story.burst("?");
    assert!(story.shown().contains("No key matches “ctrl+y copy?”."), "{}", story.shown());
    story.press("esc esc");
    assert_eq!(story.place(), Place::Inbox);
    assert!(story.is_open());
}

#[test]
fn escape_in_the_inbox_says_how_to_leave() {
    let mut story = three();
    story.press("esc");
    assert_eq!(story.notice(), "This is the list of gates: nothing is open over it. F10 quits.");
    story.burst("048").press("esc");
    assert_eq!((story.notice(), shown(&story).len()), (String::new(), 3), "it clears what was typed");
}
