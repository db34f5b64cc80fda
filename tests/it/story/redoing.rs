//! Redoing a gate loses nothing.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::kept;
use novel_gate::console::inbox::redo;
use novel_gate::console::model::Place;
use novel_gate::console::page::Page;
use novel_gate::console::prompt::Prompt;
use novel_gate::console::screen::Part;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const CHAPTER: &str = "staging/chapters/chapter-048.md";

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

/// The gate is answered and the author is back in the inbox.
fn answered() -> Story {
    let mut story = Story::open(&gate());
    story.press("2 tab").burst("旧话").press("enter ctrl+s");
    story.scan();
    story.press("esc");
    assert_eq!(story.place(), Place::Inbox);
    story
}

#[test]
fn redo_acts_at_once_keeps_the_bytes_and_offers_the_old_answers() {
    let mut story = answered();
    let bytes = story.record().expect("a record");
    story.press("f8");
    assert_eq!((story.record(), story.is_open()), (None, true));
    assert!(story.notice().contains("kept"), "{}", story.notice());
    story.press("ctrl+u");
    assert_eq!(story.record(), Some(bytes), "undo restores the exact bytes, with one key");

    story.scan();
    story.press("f8");
    story.scan();
    story.press("enter");
    assert_eq!(story.form().draft.replies[1].text, "旧话");
    assert_eq!(story.record(), None, "the old answers are never sent by themselves");
    story.press("home enter");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "旧话"}));
}

#[test]
fn the_question_goes_with_the_record_that_it_is_about() {
    let mut story = answered();
    story.put(CHAPTER, "写好了");
    story.scan();
    story.press("f8");
    assert!(story.find::<Prompt>().is_some());
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    assert!(story.find::<Prompt>().is_none(), "{}", story.shown());
    assert!(story.notice().contains("was deleted: the gate waits again"), "{}", story.notice());
}

#[test]
fn a_key_that_a_question_does_not_take_says_which_ones_it_takes() {
    let mut story = answered();
    story.put(CHAPTER, "写好了");
    story.press("f8");
    for key in ["x", "１", "f4", "ctrl+u", "tab"] {
        story.press(key);
        let shown = story.shown();
        assert!(shown.contains("Enter says yes, Esc says no.") && shown.contains(CHAPTER), "{key}: {shown}");
    }
    // What was said goes with the question.
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    assert!(!story.shown().contains("Enter says yes"), "{}", story.shown());
}

#[test]
fn what_is_older_than_the_record_was_not_made_from_it() {
    let mut story = answered();
    story.put(CHAPTER, "早就写好了");
    let file = fs::File::options().append(true).open(story.root().join(CHAPTER)).expect("the chapter");
    file.set_modified(story.model().now - Duration::from_hours(1)).expect("a time");
    story.press("f8");
    assert!(story.find::<Prompt>().is_none(), "{}", story.shown());
    assert_eq!(story.record(), None);
}

#[test]
fn a_yes_counts_at_once_but_not_behind_words() {
    for (keys, is_gone) in [("\r", true), ("y\r", false), ("好\r", false)] {
        let mut story = answered();
        story.put(CHAPTER, "第四十八章");
        story.press("f8");
        assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
        story.burst(keys);
        assert_eq!(story.record().is_none(), is_gone, "{keys:?}: {}", story.shown());
        if !is_gone {
            assert!(story.shown().contains("came right behind others"), "{keys:?}: {}", story.shown());
            story.pause(700).burst("\r");
            assert_eq!(story.record(), None, "{keys:?}: {}", story.shown());
        }
    }
}

#[test]
fn an_action_that_is_not_available_changes_nothing_and_says_why() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("f4 f8");
    assert!(story.find::<Page>().is_some(), "the page stays");
    assert!(story.notice().contains("no record to take back"), "{}", story.notice());
    story.press("esc ctrl+g");
    assert!(story.notice().contains("no record to edit"), "{}", story.notice());
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    story.press("f4");
    assert!(story.is_open(), "without a gate there are no details");
}

#[test]
fn undo_acts_on_the_selected_gate_or_asks_and_names_the_other_one() {
    let mut story = answered();
    let bytes = story.record();
    let other = packet(&gate())
        .replace("chapter:048:draft", "chapter:049:draft")
        .replace("novel-ask/gate", "novel-ask/other");
    story.put("staging/manifests/other.packet.json", &other);
    story.scan();
    story.press("f8");
    story.scan();
    let row = story.model().inbox.row_of(Path::new("staging/manifests/other.packet.json"));
    story.press(if row == Some(0) { "home" } else { "end" });
    assert_eq!(story.model().inbox.row, row.expect("the other gate"));
    story.press("ctrl+u");
    assert_eq!(story.record(), None, "nothing comes back unasked at a gate that is not selected");
    assert!(story.shown().contains("Put the answers of chapter:048:draft back?"), "{}", story.shown());
    story.press("esc");
    assert_eq!((story.record(), story.is_open()), (None, true));
    // A filter that hides the gate hides its name not.
    story.press("ctrl+f").burst("049").press("ctrl+u");
    assert!(story.shown().contains("chapter:048:draft"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.record(), bytes);
    story.scan();
    story.press("ctrl+u");
    assert!(story.notice().contains("nothing to put back"), "{}", story.notice());
}

#[test]
fn a_note_beside_an_answer_comes_back_and_is_dropped_by_clearing_twice() {
    let mut story = answered();
    let noted = story.record().expect("a record").replace(
        "\n}\n",
        ",\n  \"_notes\": {\n    \"platform\": \"先试\",\n    \"note\": \"再看\"\n  }\n}\n",
    );
    story.put(ANSWERS, &noted);
    story.scan();
    story.press("f8");
    story.scan();
    story.press("enter");
    assert_eq!(story.form().draft.replies[0].note, "先试");
    let shown = story.shown();
    assert!(shown.contains("先试") && shown.contains("Ctrl+N changes it"), "{shown}");
    let shown = story.press("tab").shown();
    assert!(shown.contains("再看") && shown.contains("Ctrl+N changes it"), "{shown}");
    assert!(!shown.contains("Delete"), "in a text field Delete only deletes text: {shown}");
    story.press("tab ctrl+s");
    let ends =
        |record: Option<String>| record.is_some_and(|record| record.contains("\"platform\": \"先试\""));
    assert!(ends(story.record()), "{:?}", story.record());

    story.scan();
    story.press("esc f8");
    story.scan();
    story.press("enter delete delete 2 tab tab ctrl+s");
    assert!(story.record().is_some() && !ends(story.record()), "{:?}", story.record());
}

#[test]
fn the_review_shows_what_differs_from_the_old_answers() {
    let mut story = answered();
    story.press("f8");
    story.scan();
    story.press("enter home enter enter");
    assert_eq!(story.place(), Place::Review);
    let shown = story.shown();
    assert!(shown.contains("before: jjwxc"), "{shown}");
    assert!(shown.contains("as before"), "{shown}");
    assert!(!shown.contains("before: 旧话"), "{shown}");
}

#[test]
fn the_differences_are_there_in_a_later_session_too() {
    let mut story = answered();
    story.press("f8");
    story.restart();
    story.open_form();
    assert_eq!(story.notice(), "", "the author knows");
    story.press("home enter enter");
    assert!(story.shown().contains("before: jjwxc"), "{}", story.shown());
}

#[test]
fn a_step_that_has_made_something_is_warned_about_once_and_by_name() {
    let mut story = answered();
    let bytes = story.record();
    story.put(CHAPTER, "第四十八章");
    story.press("f8");
    let prompt = story.find::<Prompt>().expect("a warning");
    assert_eq!(prompt.warnings.len(), 1, "the step is not behind the checkpoint");
    assert!(story.shown().contains("chapter-048.md"), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.record(), bytes, "no means no");
    story.press("f8 enter");
    assert_eq!((story.record(), story.is_open()), (None, true), "one yes is enough");
    story.press("ctrl+u");
    assert_eq!(story.record(), bytes);
}

#[test]
fn a_step_that_the_checkpoint_has_passed_is_warned_about() {
    let mut story = answered();
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    story.scan();
    story.press("f8");
    assert!(story.record().is_some());
    assert!(story.shown().contains("The checkpoint has passed this step"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.record(), None);
}

#[test]
fn a_record_that_changed_after_the_warning_stays() {
    let mut story = answered();
    story.put(CHAPTER, "第四十八章");
    story.press("f8");
    story.put(ANSWERS, "{}");
    story.press("enter");
    assert_eq!(story.record().as_deref(), Some("{}"));
    assert!(story.notice().contains("changed"), "{}", story.notice());
}

#[test]
fn deleting_the_file_is_redo_too_and_is_noticed() {
    let mut story = answered();
    let bytes = story.record().expect("a record");
    std::fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    assert!(story.notice().contains("chapter:048:draft was deleted"), "{}", story.notice());
    story.move_east();
    story.press("enter");
    assert_eq!(story.place(), Place::Form);
    assert!(story.notice().contains("last known answers (human, today 18:12)"), "{}", story.notice());
    assert_eq!(story.form().draft.replies[1].text, "旧话");
    assert_eq!(story.record(), None);
    story.press("tab tab ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "旧话"}));
    assert!(
        kept::records(&story.dir.path().join("state")).contains(&bytes.into_bytes()),
        "the record that was deleted is in the history"
    );
}

#[test]
fn a_redo_from_here_is_no_deletion_by_other_hands() {
    let mut story = answered();
    story.press("f8");
    let said = story.notice();
    story.scan();
    assert_eq!(story.notice(), said);
}

#[test]
fn old_answers_that_fit_no_more_are_shown_and_not_taken() {
    let mut story = answered();
    story.press("f8");
    let fewer = question("platform", "single_choice", true, &["qidian", "fanqie"], "");
    story.put(PACKET, &packet(&format!("[{fewer},{}]", question("note", "free_text", false, &[], ""))));
    story.scan();
    story.press("enter");
    assert_eq!(story.form().draft.replies[0].picks, []);
    let text = story.lines(Part::Pane, 76);
    assert!(text.contains("before  jjwxc"), "{text}");
}

#[test]
fn a_draft_of_the_author_is_newer_than_the_old_answers() {
    let mut story = answered();
    story.press("f8");
    story.scan();
    story.press("enter home enter").burst("新话");
    story.restart();
    story.open_form();
    assert_eq!(story.form().draft.replies[1].text, "旧话新话");
    story.press("enter");
    assert!(story.shown().contains("before: 旧话"), "{}", story.shown());
}

#[test]
fn a_file_that_is_plainly_no_record_is_asked_about_before_it_goes() {
    let mut story = Story::of(&gate());
    let chapter = r#"{"title":"雨停之前","chapters":[48]}"#;
    story.put(ANSWERS, chapter);
    story.scan();
    story.press("f8");
    assert_eq!(story.record().as_deref(), Some(chapter));
    assert!(story.find::<Prompt>().is_some());
    story.press("esc");
    assert_eq!(story.record().as_deref(), Some(chapter));
    story.put(CHAPTER, "第四十八章");
    story.press("f8 enter");
    assert_eq!(story.record().as_deref(), Some(chapter), "the yes to the warning is not enough");
    story.press("enter");
    assert_eq!(story.record(), None);
    story.job(|_| (), |(), cx| redo::put_back(PathBuf::from(PACKET), cx));
    assert_eq!(story.record().as_deref(), Some(chapter));
}

#[test]
fn the_answers_of_an_executors_record_are_offered_too_when_it_is_deleted() {
    let mut story = Story::of(&gate());
    let record = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc","note":"执行器写的"},
        "answered_at":"2026-02-27T10:00:00.000Z","answered_by":"claude_code"}"#;
    story.put(ANSWERS, record);
    story.scan();
    std::fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    assert!(story.notice().contains("was deleted"), "{}", story.notice());
    story.press("enter");
    assert!(story.notice().contains("claude_code"), "{}", story.notice());
    assert_eq!(story.form().draft.replies[1].text, "执行器写的");
}

/// The gate is answered and its receipt is shown.
fn just_written() -> Story {
    let mut story = Story::open(&gate());
    story.press("2 tab").burst("旧话").press("enter ctrl+s");
    story.scan();
    assert_eq!(story.place(), Place::Receipt);
    story
}

#[test]
fn what_was_just_written_is_taken_back_with_one_key_and_put_back_with_one() {
    for key in ["ctrl+u", "f8"] {
        for page in ["", "f4"] {
            let mut story = just_written();
            let bytes = story.record().expect("a record");
            assert!(story.shown().contains("Ctrl+U take back"), "{}", story.shown());
            story.press(page).press(key);
            assert_eq!((story.record(), story.place(), story.is_open()), (None, Place::Inbox, true), "{key}");
            assert!(story.notice().starts_with("Taken back and kept"), "{}", story.notice());
            story.scan();
            story.press("ctrl+u");
            assert_eq!(story.record(), Some(bytes), "{key}: byte for byte");
            story.scan();
            story.press("f8");
            story.scan();
            story.press("enter");
            assert_eq!(story.form().draft.replies[1].text, "旧话", "{key}");
        }
    }
}

#[test]
fn taking_back_on_the_receipt_names_first_what_was_made() {
    let mut story = just_written();
    story.put(CHAPTER, "写好了");
    story.press("ctrl+u");
    assert!(story.shown().contains(CHAPTER), "{}", story.shown());
    story.press("esc");
    assert!(story.record().is_some() && story.place() == Place::Receipt, "{}", story.shown());
    story.press("f8 enter");
    assert_eq!((story.record(), story.place()), (None, Place::Inbox));
}

#[test]
fn the_receipt_takes_back_nothing_that_somebody_else_wrote() {
    let mut story = just_written();
    let theirs = story.record().expect("a record").replace("旧话", "新话");
    story.put(ANSWERS, &theirs);
    story.press("ctrl+u");
    assert_eq!(story.record(), Some(theirs), "{}", story.notice());
    assert!(story.notice().contains("record"), "{}", story.notice());
}

#[test]
fn the_answer_before_the_next_question_of_its_step_is_taken_back() {
    let mut story = Story::of(&gate());
    let asks = |id: &str| {
        let asked = question(id, "free_text", true, &[], "");
        format!(r#"{{"_steps":["chapter:*:draft"],"version":1,"topic":"T{id}","questions":[{asked}]}}"#)
    };
    story.put("questions/a.question.json", &asks("a"));
    story.put("questions/b.question.json", &asks("b"));
    story.put(PACKET, r#"{"step":"chapter:048:draft","agent":"codex"}"#);
    story.scan();
    story.press("enter").burst("第一问").press("enter ctrl+s");
    story.scan();
    let answers = story.root().join("staging/novel-ask/a-chapter-048-draft.answers.json");
    assert!(answers.is_file() && story.shown().contains("next question of this step"), "{}", story.shown());
    story.press("ctrl+u");
    assert!(!answers.exists() && story.place() == Place::Inbox, "{}", story.shown());
    assert!(story.notice().contains("asks this again"), "{}", story.notice());
    story.scan();
    story.press("ctrl+u");
    assert!(answers.is_file(), "{}", story.notice());
}

#[test]
fn the_footer_takes_back_only_at_the_gate_that_it_is_about() {
    let mut story = answered();
    let other = packet(&gate())
        .replace("chapter:048:draft", "chapter:049:draft")
        .replace("novel-ask/gate", "novel-ask/other");
    story.put("staging/manifests/other.packet.json", &other);
    story.scan();
    let footer = |story: &Story| story.shown().trim_end().lines().last().map(str::to_owned).expect("a row");
    let row = story.model().inbox.row_of(Path::new(PACKET)).expect("the gate");
    story.press("home").press(&"down ".repeat(row)).press("f8");
    story.scan();
    assert!(footer(&story).contains("Ctrl+U"), "{}", story.shown());
    for key in ["home", "end"] {
        story.press(key);
        let here = story.model().inbox.selected_path().as_deref() == Some(Path::new(PACKET));
        assert_eq!(footer(&story).contains("Ctrl+U"), here, "{}", story.shown());
    }
}

#[test]
fn where_the_filter_shows_no_gate_no_record_is_put_back() {
    const OTHER: &str = "staging/manifests/other.packet.json";
    let asked = format!("[{}]", question("platform", "single_choice", true, &["qidian"], ""));
    let mut story = Story::open(&asked);
    story.press("1 ctrl+s ctrl+s esc");
    let other = packet(&asked)
        .replace(ANSWERS, "staging/other.json")
        .replace("chapter:048:draft", "chapter:333:draft");
    story.put(OTHER, &other);
    story.scan();
    story.wait(60).open_gate(PACKET);
    story.press("esc f8").burst("333").press("enter esc");
    fs::remove_file(story.root().join(OTHER)).expect("removed");
    story.scan();
    story.wait(60).press("ctrl+u");
    assert_eq!(story.notice(), "Nothing is listed here.", "{}", story.shown());
    assert_eq!(story.record(), None);
}
