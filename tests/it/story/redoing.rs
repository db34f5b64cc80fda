//! Redoing a gate loses nothing.

use super::{ANSWERS, PACKET, Story, files_below, question};
use novel_gate::console::effect::Effect;
use novel_gate::console::model::{Over, Prompt, Screen};
use serde_json::json;
use std::path::PathBuf;

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

fn ask_redo(story: &mut Story) {
    story.press("esc");
    story.console.model.over = Some(Over::Prompt(Prompt::Redo(PathBuf::from(PACKET))));
}

#[test]
fn redo_asks_first_keeps_the_bytes_and_offers_the_old_answers() {
    let mut story = Story::open(&gate());
    story.press("2 tab").burst("旧话").press("enter ctrl+s");
    let bytes = story.record().expect("a record");

    ask_redo(&mut story);
    story.press("esc");
    assert_eq!(story.record().as_ref(), Some(&bytes), "no means no");
    ask_redo(&mut story);
    story.press("enter");
    assert_eq!(story.record(), None);
    assert!(story.notice().contains("kept"), "{}", story.notice());

    story.effect(&Effect::UndoRedo(PathBuf::from(PACKET)));
    assert_eq!(story.record(), Some(bytes), "undo restores the exact bytes");

    ask_redo(&mut story);
    story.press("enter");
    story.open_form();
    let form = story.model().form.as_ref().expect("a form");
    assert_eq!(form.draft.replies[1].text, "旧话");
    assert_eq!(story.record(), None, "prefilled answers are never sent by themselves");
    story.press("home enter");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "旧话"}));
}

#[test]
fn deleting_the_file_is_redo_too_and_history_has_the_record() {
    let mut story = Story::open(&gate());
    story.press("1 tab enter ctrl+s");
    assert_eq!(story.model().screen, Screen::Receipt);
    let bytes = story.record().expect("a record");
    std::fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.open_form();
    assert_eq!(story.model().screen, Screen::Form);
    let history = story.dir.path().join("state");
    let kept = files_below(&history)
        .into_iter()
        .any(|file| std::fs::read_to_string(file).is_ok_and(|text| text == bytes));
    assert!(kept, "the record that was written here is in the history");
}

#[test]
fn a_bad_record_gives_back_what_is_still_good_in_it() {
    let mut story = Story::of(&gate());
    story.put(
        ANSWERS,
        r#"{"version":1,"topic":"平台绑定","answers":{"platform":"tomato","note":"好的部分","mood":"x"},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex"}"#,
    );
    story.open_form();
    assert!(story.model().form.is_none() && story.notice().contains("invalid"), "{}", story.notice());
    ask_redo(&mut story);
    story.press("enter");
    story.open_form();
    let form = story.model().form.as_ref().expect("a form");
    assert_eq!(
        (form.draft.replies[0].picks.len(), form.draft.replies[1].text.display()),
        (0, "好的部分".into())
    );
}

#[test]
fn a_file_that_is_plainly_no_record_is_asked_about_twice() {
    let mut story = Story::of(&gate());
    let chapter = r#"{"title":"雨停之前","chapters":[48]}"#;
    story.put(ANSWERS, chapter);
    story.scan();
    story.effect(&Effect::Load(PathBuf::from(PACKET)));
    story.press("f8 enter");
    assert_eq!(story.record().as_deref(), Some(chapter), "the first yes is not enough");
    assert_eq!(story.model().over, Some(Over::Prompt(Prompt::RedoForeign(PathBuf::from(PACKET)))));
    story.press("esc");
    assert_eq!(story.record().as_deref(), Some(chapter));
    story.press("f8 enter enter");
    assert_eq!(story.record(), None);
    story.effect(&Effect::UndoRedo(PathBuf::from(PACKET)));
    assert_eq!(story.record().as_deref(), Some(chapter));
}
