//! Notes beside answers: written by one key wherever an answer stands, kept like an answer, part of the record.

use super::{PACKET, Story, packet, question};
use novel_gate::console::model::{Place, Size};
use serde_json::json;

fn two() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","allow_other":true"#);
    format!("[{pick},{}]", question("mood", "free_text", false, &[], ""))
}

fn notes(story: &Story) -> serde_json::Value {
    let record = story.record().expect("a record");
    serde_json::from_str::<serde_json::Value>(&record).expect("JSON")["_notes"].clone()
}

#[test]
fn a_note_is_written_beside_a_choice_and_a_text_and_stands_in_the_record() {
    let mut story = Story::open(&two());
    story.press("2 ctrl+n").burst("先试一卷，j1不行再换");
    assert!(story.shown().contains("Note on platform"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("note  先试一卷，j1不行再换"), "{}", story.shown());
    story.press("tab").burst("雨停").press("ctrl+n").paste("一\n二").press("enter").burst("三").press("esc");
    assert_eq!(story.form().field.text(), "雨停", "the answer is as it was");
    assert!(story.shown().contains("一"), "{}", story.shown());
    story.press("ctrl+s");
    assert!(story.shown().contains("note: 先试一卷"), "{}", story.shown());
    story.wait(1).press("ctrl+s");
    assert!(story.shown().contains("note: 先试一卷"), "the receipt shows it: {}", story.shown());
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "mood": "雨停"}));
    assert_eq!(notes(&story), json!({"platform": "先试一卷，j1不行再换", "mood": "一\n二\n三"}));
}

#[test]
fn a_note_survives_a_program_that_is_killed_and_an_emptied_one_is_none() {
    let mut story = Story::open(&two());
    story.press("ctrl+n").burst("写到一半");
    story.restart();
    story.open_form();
    assert_eq!(story.form().draft.replies[0].note, "写到一半");
    story.press("ctrl+n ctrl+u enter");
    story.restart();
    story.scan();
    assert!(!story.shown().contains("draft 0/"), "{}", story.shown());
    story.open_form();
    assert!(story.form().draft.replies[0].note.is_empty());
    story.press("1 ctrl+n").burst(" ").press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(notes(&story), json!(null));
}

#[test]
fn the_review_notes_the_answer_under_the_cursor_and_submits_nothing_meanwhile() {
    let mut story = Story::open(&two());
    story.press("1 ctrl+s").wait(1).press("down ctrl+n").burst("留空").press("ctrl+s");
    assert_eq!((story.place(), story.record()), (Place::Review, None), "the key ends the note");
    assert!(story.shown().contains("note: 留空"), "{}", story.shown());
    story.wait(1).press("ctrl+s");
    assert_eq!(notes(&story), json!({"mood": "留空"}));
}

#[test]
fn a_note_stays_where_the_answer_of_the_record_is_taken_again() {
    let mut story = Story::open(&two());
    story.press("1 ctrl+n").burst("甲").press("ctrl+s").wait(1).press("ctrl+s");
    story.scan();
    story.press("esc f8");
    story.scan();
    story.press("enter ctrl+n").burst("改").press("enter 2 f7");
    assert!(story.form().draft.replies[0].has(0), "as before: {}", story.shown());
    story.restart();
    story.open_form();
    let reply = &story.form().draft.replies[0];
    assert_eq!((reply.has(0), &reply.note), (true, &"甲改".into()), "{}", story.shown());
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(notes(&story), json!({"platform": "甲改"}));

    // One that nobody has changed is the record's.
    story.scan();
    story.press("esc f8");
    story.scan();
    story.press("enter 2 f7");
    assert!(story.form().draft.replies[0].prefilled, "{}", story.shown());
}

#[test]
fn beneath_a_note_the_filter_and_what_was_typed_stay() {
    let mut story = Story::open(&two());
    story.press("ctrl+f").burst("jj").press("ctrl+n").burst("q1").press("ctrl+n").press("enter");
    let reply = &story.form().draft.replies[0];
    assert!(reply.has(1), "the hit was chosen: {reply:?}");
    assert_eq!(reply.note, "q1");
    story.press("shift+tab ctrl+n ctrl+u").burst("新").press("enter ctrl+_");
    let reply = &story.form().draft.replies[0];
    assert_eq!((reply.has(1), &reply.note), (false, &"新".into()), "undoing a choice leaves the note");
}

#[test]
fn a_note_that_is_being_written_goes_on_when_the_packet_changes() {
    let mut story = Story::open(&two());
    story.press("ctrl+s").wait(1).press("down ctrl+n").burst("前");
    let other = question("other", "free_text", false, &[], "");
    story.put(PACKET, &packet(&two().replacen('[', &format!("[{other},"), 1)));
    story.reload();
    story.wait(1).burst("后").press("esc");
    assert_eq!(story.form().draft.replies[2].note, "前后");
    story.put(PACKET, &packet(&format!("[{other}]")));
    story.press("ctrl+n");
    story.reload();
    assert!(story.form().note.is_none());
    assert!(story.form().status.orphans.iter().any(|orphan| orphan.words == "前后"), "nothing is lost");
}

#[test]
fn a_note_goes_on_whatever_kind_of_question_it_belongs_to_now() {
    let mut story = Story::open(&format!("[{}]", question("mood", "single_choice", true, &["雨"], "")));
    story.press("ctrl+n").burst("前");
    for kind in ["free_text", "multi_choice"] {
        let options: &[&str] = if kind == "free_text" { &[] } else { &["雨"] };
        story.put(PACKET, &packet(&format!("[{}]", question("mood", kind, true, options, ""))));
        story.scan();
        story.burst("后");
        assert!(story.shown().contains("Note on mood"), "{kind}: {}", story.shown());
        assert_eq!(story.form().draft.replies[0].text, "", "{kind}");
    }
    story.press("esc");
    assert_eq!(story.form().draft.replies[0].note, "前后后");
}

#[test]
fn the_editor_changes_a_note_and_loses_none() {
    let mut story = Story::open(&two());
    story.press("ctrl+n").burst("短").press("ctrl+g");
    story.edited("长\n一些\n");
    assert_eq!(story.form().draft.replies[0].note, "长\n一些");
    story.press("ctrl+g");
    story.editor_failed_with("写坏了");
    assert_eq!(story.form().draft.replies[0].note, "长\n一些");
    assert_eq!(story.form().status.orphans[0].words, "写坏了");
}

#[test]
fn a_note_beside_a_prefilled_answer_makes_it_the_authors() {
    let mut story = Story::open(&two());
    story.press("2 ctrl+s").wait(1).press("ctrl+s");
    story.scan();
    story.press("esc f8");
    story.scan();
    story.press("enter ctrl+n").burst("还是它").press("enter");
    story.restart();
    story.open_form();
    let reply = &story.form().draft.replies[0];
    assert_eq!((reply.has(1), &reply.note), (true, &"还是它".into()));
}

#[test]
fn the_field_of_a_note_has_room_on_every_screen() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60), (20, 5)] {
        for keys in ["ctrl+n", "end enter ctrl+n", "tab ctrl+n", "ctrl+s ctrl+n"] {
            let mut story = Story::open(&two());
            story.console.stack.model.size = Size { width, height };
            story.press(keys).burst("备");
            assert!(story.shown().contains('备'), "{width}x{height} {keys}: {}", story.shown());
        }
    }
}

#[test]
fn a_note_belongs_to_its_question_whatever_kind_that_is_of() {
    let asked = |kind: &str| {
        let options: &[&str] = if kind == "free_text" { &[] } else { &["a", "b"] };
        format!("[{}]", question("fruit", kind, false, options, ""))
    };
    let mut story = Story::open(&asked("single_choice"));
    story.press("1 ctrl+n").burst("旧").press("enter");
    let ask = |story: &mut Story, kind: &str| {
        story.put(PACKET, &packet(&asked(kind)));
        story.scan();
        story.wait(1);
        assert_eq!(story.form().draft.replies[0].note, "旧", "{kind}");
        assert_eq!(story.form().status.orphans.iter().filter(|orphan| orphan.words == "旧").count(), 0);
    };
    ask(&mut story, "free_text");
    ask(&mut story, "multi_choice");
    story.press("ctrl+n").burst("话").press("enter");
    story.put(PACKET, &packet(&asked("single_choice")));
    story.scan();
    story.wait(1);
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert!(
        story.record().expect("a record").contains("\"fruit\": \"旧话\""),
        "the newest: {:?}",
        story.record()
    );
}
