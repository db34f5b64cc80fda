//! A record in the author's own editor.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::kept;
use novel_gate::console::edit::Edited;
use novel_gate::console::model::Place;
use novel_gate::console::prompt::Prompt;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::store::drafts::Drafts;
use novel_gate::store::drafts::autosave::Autosave;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

const BAD: &str = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"tomato"},
    "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex","_notes":{"why":"留着"}}
"#;

fn good() -> String {
    BAD.replace("tomato", "jjwxc")
}

fn blocked() -> Story {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let mut story = Story::of(&format!("[{pick},{}]", question("note", "free_text", false, &[], "")));
    story.put(ANSWERS, BAD);
    story.scan();
    story
}

fn is_kept(story: &Story, bytes: &str) -> bool {
    kept::records(&story.dir.path().join("state")).iter().any(|kept| kept == bytes.as_bytes())
}

#[test]
fn a_valid_text_is_written_exactly_once_the_author_says_so() {
    let mut story = blocked();
    story.press("ctrl+g");
    assert!(matches!(story.flow, Flow::Edit(_)));
    story.edited(&good());
    assert!(story.find::<Prompt>().is_some());
    assert_eq!(story.record().as_deref(), Some(BAD), "nothing is written before the yes");
    story.press("enter");
    assert_eq!(story.record(), Some(good()), "byte for byte, notes and all");
    assert_eq!(story.place(), Place::Receipt);
    assert!(is_kept(&story, BAD), "the old bytes are in the history");
    story.scan();
    story.press("esc f8 ctrl+u");
    assert_eq!(story.record(), Some(good()), "and this one can be redone and restored");
}

#[test]
fn what_was_meant_for_the_editor_says_no_yes() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.edited(&good());
    for millis in [0, 200, 40, 40, 500] {
        story.pause(millis).burst("\r");
        assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
        assert!(story.shown().contains("was ignored"), "{}", story.shown());
    }
    assert_eq!(story.record().as_deref(), Some(BAD));
    // Nor does a line end behind words.
    story.wait(5).burst("好\r的\r");
    assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
    assert_eq!(story.record().as_deref(), Some(BAD));
    story.pause(700).burst("\r");
    assert_eq!(story.record(), Some(good()));
}

#[test]
fn a_text_in_another_encoding_changes_nothing_and_its_file_is_named() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.console.runner().unread = Some("/tmp/novel-gate-x.json".into());
    story.edited("");
    assert!(story.find::<Prompt>().is_none(), "{}", story.shown());
    let notice = story.notice();
    assert!(notice.contains("not UTF-8") && notice.contains("/tmp/novel-gate-x.json"), "{notice}");
    assert_eq!(story.record().as_deref(), Some(BAD));
}

#[test]
fn a_text_that_is_not_valid_yet_is_kept_shown_and_offered_again() {
    let mut story = blocked();
    let half = BAD.replace("tomato", "jjwx");
    story.press("ctrl+g");
    story.edited(&half);
    assert_eq!(story.record().as_deref(), Some(BAD));
    assert!(story.find::<Edited>().is_some());
    assert!(story.notice().contains("not valid yet"), "{}", story.notice());
    assert!(story.shown().contains("\"jjwx\""), "{}", story.shown());

    story.press("esc");
    story.restart();
    story.scan();
    story.press("ctrl+g");
    assert_eq!(story.lent().as_deref(), Some(half.as_str()), "offered again, in a new session too");
    story.edited(&good());
    story.press("enter");
    assert_eq!(story.record(), Some(good()));
    story.scan();
    story.press("esc ctrl+g");
    assert_eq!(story.lent(), Some(good()), "once written, it is offered no more");
}

#[test]
fn the_page_of_the_edited_text_goes_on_editing() {
    let mut story = blocked();
    let half = BAD.replace("tomato", "jjwx");
    story.press("f4 ctrl+g");
    story.edited(&half);
    story.press("ctrl+g");
    assert_eq!(story.lent().as_deref(), Some(half.as_str()));
    story.edited(&good());
    story.press("enter");
    assert_eq!(story.record(), Some(good()));
}

#[test]
fn an_unchanged_text_changes_nothing() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.edited(BAD);
    assert_eq!((story.record().as_deref(), story.is_open()), (Some(BAD), true));
    assert!(story.notice().contains("not changed"), "{}", story.notice());
}

#[test]
fn a_no_keeps_the_text() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.edited(&good());
    story.press("esc");
    assert_eq!(story.record().as_deref(), Some(BAD));
    story.press("ctrl+g");
    assert_eq!(story.lent(), Some(good()));
}

#[test]
fn a_text_can_be_let_go() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.edited("{");
    story.press("delete enter ctrl+g");
    assert_eq!(story.lent().as_deref(), Some(BAD));
}

#[test]
fn a_record_that_changed_during_the_edit_is_untouched() {
    for before_the_end in [true, false] {
        let mut story = blocked();
        let other = BAD.replace("tomato", "fanqie");
        story.press("ctrl+g");
        if before_the_end {
            story.put(ANSWERS, &other);
        }
        story.edited(&good());
        story.put(ANSWERS, &other);
        story.press("enter");
        assert_eq!(story.record().as_ref(), Some(&other));
        assert!(story.notice().contains("changed") || before_the_end, "{}", story.notice());
        story.press("ctrl+g");
        assert_eq!(story.lent(), Some(good()), "the text is kept and offered again");
    }
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.editor_failed();
    assert_eq!(story.record().as_deref(), Some(BAD));
    assert!(story.notice().contains("editor"), "{}", story.notice());
}

#[test]
fn an_editor_that_fails_after_a_change_loses_nothing() {
    let mut story = blocked();
    story.press("ctrl+g");
    story.editor_failed_with(&good());
    assert_eq!(story.record().as_deref(), Some(BAD), "nothing is written");
    assert!(
        story.notice().contains("exited with an error") && story.notice().contains("kept"),
        "{}",
        story.notice()
    );
    assert!(story.shown().contains("jjwxc"), "{}", story.shown());
    story.restart();
    story.scan();
    story.press("ctrl+g");
    assert_eq!(story.lent(), Some(good()), "offered again, in a new session too");
    story.edited(&good());
    story.press("enter");
    assert_eq!(story.record(), Some(good()));
}

#[test]
fn what_the_editor_changed_in_a_text_can_be_undone() {
    let mut story = Story::open(&format!("[{}]", question("note", "free_text", true, &[], "")));
    story.burst("原来的").press("ctrl+g");
    story.edited("改过的\n第二行\n");
    assert_eq!(story.form().field.text(), "改过的\n第二行");
    story.press("ctrl+_");
    assert_eq!(story.form().field.text(), "原来的");
    assert_eq!(story.form().draft.replies[0].text.lossy(), "原来的");
}

#[test]
fn an_editor_of_a_text_that_fails_puts_it_aside() {
    let mut story = Story::open(&format!("[{}]", question("note", "free_text", true, &[], "")));
    story.burst("原来的").press("ctrl+g");
    story.editor_failed_with("原来的\n");
    assert_eq!(story.form().draft.replies[0].alternatives, [], "nothing was changed");
    story.press("ctrl+g");
    story.editor_failed_with("原来的，改了一半");
    assert_eq!(story.form().field.text(), "原来的");
    assert!(story.notice().contains("F7 switches to it"), "{}", story.notice());
    story.press("f7");
    assert_eq!(story.form().field.text(), "原来的，改了一半");
    story.press("f7");
    assert_eq!(story.form().field.text(), "原来的");
    story.press("f7 enter").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"note": "原来的，改了一半"}));
}

#[test]
fn a_text_whose_record_went_meanwhile_stays_in_reach_and_becomes_a_record() {
    let mut story = blocked();
    story.press("ctrl+g");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.edited(&good());
    assert!(story.notice().contains("the record was removed"), "{}", story.notice());
    story.restart();
    story.scan();
    assert!(story.shown().contains("is kept; Ctrl+G opens it again"), "{}", story.shown());
    assert!(story.shown().contains("Ctrl+G edit the record"), "{}", story.shown());
    story.press("ctrl+g");
    assert_eq!(story.lent(), Some(good()));
    story.edited(&good());
    assert!(!story.shown().contains("old record"), "there is none: {}", story.shown());
    story.press("enter");
    assert_eq!(story.record(), Some(good()));
    story.press("esc");
    story.scan();
    assert!(!story.shown().contains("Ctrl+G"), "{}", story.shown());
}

#[test]
fn a_text_whose_record_went_is_never_written_over_a_new_one() {
    let mut story = blocked();
    story.press("ctrl+g");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.edited(&good());
    story.press("esc");
    story.scan();
    story.press("ctrl+g");
    story.edited(&good());
    let theirs = BAD.replace("tomato", "qidian");
    story.put(ANSWERS, &theirs);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&theirs));
    let shown = story.shown();
    assert!(shown.contains("the record as it is now") && shown.contains("qidian"), "{shown}");
}

#[test]
fn a_packet_that_changes_during_the_edit_is_what_the_text_is_checked_against() {
    let mut story = blocked();
    story.press("ctrl+g");
    let pick = question("platform", "single_choice", true, &["fanqie", "web"], "");
    story.put(PACKET, &packet(&format!("[{pick}]")));
    story.edited(&good());
    assert!(story.shown().contains("\"fanqie\", \"web\""), "{}", story.shown());
    story.press("ctrl+g");
    story.edited(&BAD.replace("tomato", "web"));
    story.press("enter");
    assert_eq!(story.record(), Some(BAD.replace("tomato", "web")));
}

#[test]
fn the_review_of_a_repair_leads_to_the_editor_and_the_answers_stay() {
    let mut story = blocked();
    story.press("enter tab").burst("我的话").press("enter ctrl+g");
    assert_eq!(story.lent().as_deref(), Some(BAD));
    story.edited("{");
    story.press("esc");
    assert_eq!(
        (story.place(), story.form().draft.replies[1].text.display()),
        (Place::Review, "我的话".into())
    );
    story.press("home enter 2 enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "我的话"}));
}

#[test]
fn where_there_is_no_record_there_is_nothing_to_edit() {
    let mut story = blocked();
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.job(|_| (), |(), cx| novel_gate::console::edit::begin(PACKET.into(), None, cx));
    assert!(story.notice().contains("no record to edit"), "{}", story.notice());
    story.scan();
    story.press("ctrl+g");
    assert!(story.notice().contains("no record to edit"), "{}", story.notice());
}

#[test]
fn an_edited_text_is_kept_though_its_packet_is_gone() {
    let mut story = blocked();
    let half = BAD.replace("tomato", "jjwx");
    for fails in [false, true] {
        story.press("ctrl+g");
        let packet = fs::read(story.root().join(PACKET)).expect("the packet");
        fs::remove_file(story.root().join(PACKET)).expect("gone");
        if fails {
            story.editor_failed_with(&format!("{half} "));
        } else {
            story.edited(&half);
        }
        story.press("esc");
        story.restart();
        fs::write(story.root().join(PACKET), packet).expect("back");
        story.scan();
        story.press("ctrl+g");
        assert_eq!(story.lent(), Some(if fails { format!("{half} ") } else { half.clone() }));
        story.edited(&half);
        story.press("esc");
    }
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_text_that_cannot_be_kept_stays_on_the_screen_until_it_can_be() {
    let mut story = blocked();
    let state = story.dir.path().join("state");
    fs::remove_dir_all(&state).expect("away");
    fs::write(&state, "no directory").expect("a file in the way");
    let half = BAD.replace("tomato", "jjwx");
    story.press("ctrl+g");
    story.edited(&half);
    assert!(story.notice().contains("cannot be kept on disk"), "{}", story.notice());
    story.press("esc f1 f10");
    assert!(story.find::<Edited>().is_some(), "no key takes the only copy");
    assert!(story.notice().contains("cannot be kept on disk"), "{}", story.notice());
    fs::remove_file(&state).expect("out of the way");
    story.press("esc");
    assert!(story.notice().contains("not valid yet"), "{}", story.notice());
    story.press("esc");
    story.restart();
    story.scan();
    story.press("ctrl+g");
    assert_eq!(story.lent(), Some(half));
}

/// Lets drafts be kept by their thread, as in the program.
fn with_autosave(story: &mut Story) -> Arc<Autosave> {
    let files = &mut story.console.runner().files;
    let autosave = Arc::new(Autosave::new(Drafts::new(&files.state), |_, _| {}));
    files.autosave = Some(Arc::clone(&autosave));
    autosave
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_text_that_could_not_be_kept_does_not_come_back_over_a_newer_one_or_one_let_go() {
    let (old, new) = (BAD.replace("tomato", "old"), BAD.replace("tomato", "new"));
    for let_go in [false, true] {
        let mut story = blocked();
        let autosave = with_autosave(&mut story);
        let state = story.kept_in();
        drop(fs::remove_dir_all(&state));
        fs::write(&state, "in the way").expect("written");
        story.press("ctrl+g");
        story.edited(&old);
        assert!(story.notice().contains("cannot be kept"), "{}", story.notice());
        fs::remove_file(&state).expect("removed");
        if let_go {
            story.press("delete enter");
        } else {
            story.press("ctrl+g");
            assert_eq!(story.lent().as_deref(), Some(&*old));
            story.edited(&new);
            story.press("esc");
        }
        // A try that began before the way was free may fail.
        let is_done = (0..2).any(|_| autosave.flush(Duration::from_secs(10)));
        assert!(is_done, "all is on the disk");
        story.restart();
        story.scan();
        story.press("ctrl+g");
        assert_eq!(story.lent().as_deref(), Some(if let_go { BAD } else { &*new }), "{}", story.shown());
    }
}
