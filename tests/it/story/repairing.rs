//! A blocked step is two keys from a good record.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::kept;
use novel_gate::console::form::Form;
use novel_gate::console::history::view::HistoryView;
use novel_gate::console::model::{Entry, Place};
use novel_gate::console::prompt::Prompt;
use novel_gate::console::screen::Part;
use serde_json::json;
use std::fs;

/// Everything in it that breaks a rule can simply be left out.
const REMOVABLE: &str = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc","tags":["热血","克制","热血"],
    "note":"","mood":"x"},"answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex","extra":1}"#;
/// An answer in it is no option.
const TOMATO: &str = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxcc","note":"好的部分"},
    "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex"}"#;

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","default":"qidian""#);
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], "");
    format!("[{pick},{tags},{}]", question("note", "free_text", false, &[], ""))
}

/// The inbox with the gate blocked by this record.
fn blocked(record: &str) -> Story {
    let mut story = Story::of(&gate());
    story.put(ANSWERS, record);
    story.scan();
    story
}

/// Whether these bytes are kept anywhere in the state directory.
fn is_kept(story: &Story, bytes: &str) -> bool {
    kept::records(&story.dir.path().join("state")).iter().any(|kept| kept == bytes.as_bytes())
}

fn reload(story: &mut Story) {
    story.reload();
}

fn context(story: &Story) -> String {
    story.lines(Part::Pane, 76)
}

#[test]
fn two_keys_when_every_fault_can_be_left_out() {
    let mut story = blocked(REMOVABLE);
    story.press("enter");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(story.record().as_deref(), Some(REMOVABLE), "opening writes nothing");
    let shown = story.shown();
    for words in [
        "replaces the bad record",
        "2 problems outside the questions; submitting removes them",
        "\"mood\" is no question of this gate.",
        "Records have no member \"extra\"",
        "热血, 克制, 热血",
    ] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(!shown.contains("/answers/mood") && !shown.contains("/extra"), "no JSON pointer: {shown}");
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "tags": ["热血", "克制"]}));
    assert_eq!(story.place(), Place::Receipt);
    assert!(is_kept(&story, REMOVABLE), "the old bytes are in the history");
}

#[test]
fn an_answer_that_is_none_is_shown_beside_its_question_and_never_sent() {
    let mut story = blocked(TOMATO);
    story.press("enter");
    let form = story.form();
    assert_eq!((story.place(), form.at), (Place::Form, 0));
    assert_eq!(form.draft.replies[0].picks, [], "not even the default stands for it");
    assert_eq!(form.draft.replies[2].text, "好的部分");
    let context = context(&story);
    for words in ["in the bad record  jjwxcc", "one of: \"qidian\", \"jjwxc\"", "nearest is \"jjwxc\""] {
        assert!(context.contains(words), "{words} in {context}");
    }
    story.press("ctrl+s ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.record().as_deref(), Some(TOMATO), "a required answer is missing");
    story.press("2 ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "好的部分"}));
    assert!(is_kept(&story, TOMATO));
}

#[test]
fn the_review_tells_each_fault_of_the_whole_file_and_none_twice() {
    let mut story = blocked("");
    let record = REMOVABLE.replace("\"codex\"", "\"codex\",").replace(",\"extra\":1", "");
    let utf16 = record.encode_utf16().flat_map(u16::to_le_bytes);
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf16).collect();
    fs::write(story.root().join(ANSWERS), bytes).expect("a record");
    story.scan();
    story.press("enter");
    if story.place() == Place::Form {
        story.press("ctrl+s");
    }
    let shown = story.shown();
    // The notice says the first one, too.
    assert_eq!((shown.matches("UTF-16").count(), shown.matches("an extra comma").count()), (2, 1), "{shown}");
}

#[test]
fn a_record_that_changed_since_it_was_shown_is_not_replaced() {
    let mut story = blocked(REMOVABLE);
    story.press("enter enter 2 enter");
    let other = REMOVABLE.replace("jjwxc", "fanqie");
    story.put(ANSWERS, &other);
    story.press("ctrl+s");
    assert_eq!(story.record().as_ref(), Some(&other), "untouched");
    assert!(story.notice().contains("not the one that was shown"), "{}", story.notice());
    assert!(story.banner().contains("changed"), "{}", story.banner());
    assert_eq!(story.answers()["platform"], "fanqie");
    assert!(story.shown().contains("in the bad record: fanqie"), "the new state is shown: {}", story.shown());
    story.press("ctrl+s");
    assert_eq!(story.record().as_ref(), Some(&other), "a key too quick for what has just been shown");
    story.wait(1).press("ctrl+s");
    assert_eq!(
        story.answers(),
        json!({"platform": "jjwxc", "tags": ["热血", "克制"]}),
        "nothing typed was lost"
    );
    assert!(is_kept(&story, &other));
}

#[test]
fn what_was_only_filled_in_follows_the_record_until_it_is_written() {
    let mut story = blocked(REMOVABLE);
    story.press("enter");
    story.put(ANSWERS, &REMOVABLE.replace("jjwxc", "qidian").replace(r#""note":"""#, r#""note":"新的话""#));
    reload(&mut story);
    assert!(story.banner().contains("changed"), "{}", story.banner());
    story.wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "tags": ["热血", "克制"], "note": "新的话"}));
}

#[test]
fn a_field_that_nobody_typed_in_follows_the_record_and_one_that_was_typed_in_does_not() {
    let mut story = blocked(TOMATO);
    story.press("enter tab tab");
    let other = TOMATO.replace("好的部分", "别的话");
    story.put(ANSWERS, &other);
    reload(&mut story);
    assert_eq!(story.form().field.text(), "别的话");
    story.burst("，我加的");
    story.put(ANSWERS, TOMATO);
    reload(&mut story);
    assert_eq!(story.form().field.text(), "别的话，我加的");
    assert!(context(&story).contains("in the bad record  好的部分"), "{}", context(&story));
}

/// Redone and looked at again: what the record said is filled in, and nobody has typed anything. Then a bad one comes.
#[test]
fn what_an_older_record_filled_in_never_stands_above_the_bad_record() {
    let mut story = Story::open(&gate());
    story.press("2 tab 1 tab").burst("旧的话").press("enter ctrl+s esc");
    story.scan();
    story.press("f8");
    story.scan();
    story.press("enter tab tab tab esc esc");
    assert_eq!(story.kept(), None, "nothing of it is the author's");
    story.restart();
    story.put(
        ANSWERS,
        &TOMATO
            .replace("jjwxcc", "qidian")
            .replace("好的部分", "记录里的话")
            .replace("codex\"", "codex\",\"x\":1"),
    );
    story.scan();
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "记录里的话"}));
}

#[test]
fn the_authors_own_answer_and_the_records_are_both_shown_and_either_can_be_taken() {
    let mut story = Story::open(&gate());
    story.press("1 tab tab").burst("我的话").press("esc esc");
    story.restart();
    let record = TOMATO.replace("jjwxcc", "jjwxc").replace("codex\"", "codex\",\"x\":1");
    story.put(ANSWERS, &record);
    story.scan();
    story.press("enter");
    assert!(story.notice().contains("F7 switches between them"), "{}", story.notice());
    let shown = story.shown();
    for words in ["我的话", "in the bad record: 好的部分", "qidian", "in the bad record: jjwxc"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    assert!(story.shown().contains("F7 other answer"), "{}", story.shown());
    story.press("f7");
    assert_eq!(story.form().draft.replies[0].picks, [novel_gate::ask::Pick::Option(1)], "in the review too");
    assert!(story.shown().contains("your earlier answer: qidian"), "{}", story.shown());
    story.press("f4");
    assert!(!story.shown().contains("other answer"), "{}", story.shown());
    story.press("f7 esc");
    assert!(
        story.shown().contains("your earlier answer: qidian"),
        "the page has one record: {}",
        story.shown()
    );
    story.press("f7 down down enter");
    assert!(story.shown().contains("F7 other answer"), "{}", story.shown());
    story.press("f7");
    assert_eq!(story.form().field.text(), "好的部分");
    assert!(context(&story).contains("your earlier answer  我的话"), "{}", context(&story));
    // A kill now loses nothing.
    story.restart();
    story.scan();
    story.press("enter down down enter");
    assert_eq!(story.form().field.text(), "好的部分");
    story.press("f7");
    assert_eq!(story.form().field.text(), "我的话");
    story.press("f7 enter home enter f7");
    assert_eq!(story.form().draft.replies[0].picks, [novel_gate::ask::Pick::Option(1)]);
    story.press("tab ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "好的部分"}));
}

#[test]
fn two_repairs_in_a_row_keep_every_byte_that_there_was() {
    let mut story = blocked(REMOVABLE);
    story.press("enter ctrl+s");
    let first = story.record().expect("a record");
    let torn = &first[..first.len() / 2];
    story.put(ANSWERS, torn);
    story.scan();
    story.press("esc");
    story.scan();
    story.press("enter");
    assert!(story.shown().contains("The file stops in line"), "{}", story.shown());
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc"}), "what stands before the cut is read");
    for bytes in [REMOVABLE, &first, torn] {
        assert!(is_kept(&story, bytes), "{bytes}");
    }
    story.press("esc f6");
    let rows = &story.find::<HistoryView>().expect("a history").found.rows;
    let reasons: Vec<&str> = rows.iter().rev().map(|entry| entry.reason.name()).collect();
    assert_eq!(reasons[..3], ["seen", "replaced", "repaired"]);
    assert_eq!(reasons[reasons.len() - 2..], ["replaced", "repaired"]);
}

#[test]
fn a_repair_that_cannot_go_on_says_why_above_whatever_was_said_before() {
    let mut story = blocked(TOMATO);
    story.press("enter ctrl+s").wait(1).press("ctrl+s");
    assert!(story.notice().contains("must be answered first"), "{}", story.notice());
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    reload(&mut story);
    assert!(story.shown().contains("The packet is gone"), "{}", story.shown());
}

#[test]
fn a_change_that_the_watch_saw_is_shown_and_the_answers_stay() {
    let mut story = blocked(TOMATO);
    story.press("enter end enter tab").burst("我的话");
    story.put(ANSWERS, &TOMATO.replace("jjwxcc", "tomato"));
    reload(&mut story);
    assert!(story.banner().contains("changed"), "{}", story.banner());
    assert_eq!(story.form().draft.replies[2].text, "好的部分我的话");
    story.press("enter").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "好的部分我的话"}));
}

#[test]
fn a_bad_record_that_went_leaves_an_ordinary_form() {
    let mut story = blocked(REMOVABLE);
    story.press("enter");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    reload(&mut story);
    assert!(story.banner().contains("gone"), "{}", story.banner());
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "tags": ["热血", "克制"]}));
}

#[test]
fn a_good_record_that_came_meanwhile_is_never_replaced() {
    let mut story = blocked(REMOVABLE);
    story.press("enter");
    let good = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"qidian"},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex"}"#;
    story.put(ANSWERS, good);
    reload(&mut story);
    assert!(story.banner().contains("answer came first (codex"), "{}", story.banner());
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.record().as_deref(), Some(good));
}

#[test]
fn what_was_typed_before_the_bad_record_came_is_in_the_repair() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("enter tab tab").burst("我先写的");
    story.put(ANSWERS, REMOVABLE);
    reload(&mut story);
    assert!(story.banner().contains("already an invalid record"), "{}", story.banner());
    story.press("esc esc");
    story.scan();
    story.press("enter ctrl+s");
    assert!(story.shown().contains("This replaces the bad record"), "{}", story.shown());
    story.wait(1).press("ctrl+s");
    let wanted = json!({"platform": "jjwxc", "tags": ["热血", "克制"], "note": "我先写的"});
    assert_eq!(story.answers(), wanted);
}

#[test]
fn a_repair_survives_a_program_that_is_killed() {
    let mut story = blocked(TOMATO);
    story.press("enter tab tab").burst("续写");
    story.restart();
    story.scan();
    story.press("enter");
    assert!(story.notice().contains("back"), "{}", story.notice());
    assert_eq!((story.form().at, story.form().draft.replies[2].text.display()), (0, "好的部分续写".into()));
    assert!(context(&story).contains("jjwxcc"), "the fault is still beside its question");
    story.press("2 ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "好的部分续写"}));
}

#[test]
fn questions_that_change_during_a_repair_are_followed() {
    let mut story = blocked(TOMATO);
    story.press("enter");
    let pick = question("platform", "single_choice", true, &["qidian", "fanqie"], "");
    let note = question("note", "free_text", false, &[], "");
    story.put(PACKET, &packet(&format!("[{note},{pick}]")));
    reload(&mut story);
    assert_eq!(story.form().draft.replies[0].text, "好的部分");
    assert!(story.form().faults(0).is_empty() && !story.form().faults(1).is_empty());
    story.wait(1).press("1 tab ctrl+s");
    assert_eq!(story.answers(), json!({"note": "好的部分", "platform": "qidian"}));
    assert!(is_kept(&story, TOMATO));
}

#[test]
fn another_document_is_asked_about_once_more() {
    let chapter = r#"{"title":"雨停之前","chapters":[48]}"#;
    let mut story = blocked(chapter);
    story.press("enter");
    assert!(story.shown().contains("outside the questions"), "{}", story.shown());
    story.press("ctrl+s").wait(1).press("ctrl+s");
    assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.record().as_deref(), Some(chapter));
    story.press("ctrl+s enter");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
    assert!(is_kept(&story, chapter));
}

#[test]
fn what_can_not_be_read_is_no_matter_for_a_form() {
    let mut story = Story::of(&gate());
    fs::create_dir_all(story.root().join(ANSWERS)).expect("a directory");
    story.scan();
    story.press("enter");
    assert!(story.find::<Form>().is_none());
    let shown = story.shown();
    assert!(shown.contains("a directory") && shown.contains("Move it away"), "{shown}");
    story.press("esc");
    for dead in ["F8", "Ctrl+G", "Enter repair"] {
        assert!(!story.shown().contains(dead), "{dead} in {}", story.shown());
    }
    fs::remove_dir(story.root().join(ANSWERS)).expect("moved away");
    story.scan();
    story.press("enter");
    assert!(story.find::<Form>().is_some());
}

#[test]
fn a_torn_record_is_an_empty_form() {
    let mut story = blocked("{\"version\": 1, \"top");
    story.press("enter");
    assert_eq!(story.place(), Place::Review, "the default stands, and nothing else must be answered");
    let shown = story.shown();
    assert!(shown.contains("The file stops in line 1") && shown.contains("default"), "{shown}");
}

#[test]
fn what_nobody_can_read_is_shown_and_not_called_blank() {
    let mut story = blocked("[\"热血\", 3]");
    story.press("enter");
    let shown = story.shown();
    assert!(story.notice().contains("Nothing of it can be filled in"), "{}", story.notice());
    assert!(!shown.contains("bad record: left blank"), "{shown}");
    let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("something that cannot be read with certainty: [\"热血\", 3]"), "{shown}");
    story.press("enter");
    assert!(context(&story).contains("cannot be read with certainty"), "{}", context(&story));
}

/// The question has a default, which is not what the record says.
#[test]
fn no_default_stands_for_what_cannot_be_read_or_contradicts_itself() {
    for answers in [
        "[\"热血\", 3]",
        "[{\"id\": \"platform\", \"answer\": \"jjwxc\"}, {\"id\": \"platform\", \"answer\": \"qidian\"}]",
        "{\"平台绑\": \"jjwxc\"}",
    ] {
        let mut story = blocked(&format!(
            "{{\"version\":1,\"topic\":\"平台绑定\",\"answers\":{answers},\"answered_at\":\"2026-02-27T10:12:34.000Z\",\"answered_by\":\"x\"}}"
        ));
        story.press("enter");
        assert!(
            story.form().draft.replies.iter().all(|reply| reply.picks.is_empty()),
            "{answers}: {}",
            story.shown()
        );
    }
}

#[test]
fn of_two_texts_that_git_left_none_is_taken() {
    let mut story = blocked("<<<<<<< HEAD\nplatform: jjwxc\n=======\nplatform: qidian\n>>>>>>> other\n");
    story.press("enter");
    assert!(story.shown().contains("jjwxc / qidian"), "{}", story.shown());
    assert!(story.form().draft.replies.iter().all(|reply| reply.picks.is_empty()));
}

#[test]
fn enter_on_the_details_repairs_too() {
    let mut story = blocked(REMOVABLE);
    story.press("f4 enter ctrl+s");
    assert_eq!(story.answers()["platform"], "jjwxc");
}

/// The gates as they are at the moment when the old record is gone and the new one is not there.
fn between_of(story: &Story) -> Vec<std::sync::Arc<Entry>> {
    let written = story.record().expect("a record");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    let between = story.entries();
    story.put(ANSWERS, &written);
    between
}

#[test]
fn the_moment_between_the_old_record_and_the_new_one_is_no_deletion() {
    let mut story = blocked(REMOVABLE);
    story.press("enter ctrl+s");
    let between = between_of(&story);
    story.press("esc");
    story.list(between);
    assert!(!story.notice().contains("deleted"), "{}", story.notice());
    let mut story = blocked(REMOVABLE);
    story.press("enter ctrl+s");
    story.list(between_of(&story));
    assert!(!story.notice().contains("New gate"), "{}", story.notice());
}

#[test]
fn the_change_of_the_questions_that_made_a_record_bad_is_named() {
    let mut story = Story::open(&gate());
    story.press("2 tab tab").burst("留着").press("enter ctrl+s");
    let record = story.record().expect("a record");
    let fewer = question("platform", "single_choice", true, &["qidian", "fanqie"], "");
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], "");
    story
        .put(PACKET, &packet(&format!("[{fewer},{tags},{}]", question("note", "free_text", false, &[], ""))));
    story.scan();
    story.press("esc enter");
    assert_eq!(story.record().as_ref(), Some(&record));
    assert!(story.notice().contains("have changed since"), "{}", story.notice());
    assert!(context(&story).contains("cause"), "{}", context(&story));
    assert!(context(&story).contains("jjwxc"), "{}", context(&story));
    story.press("1 ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "留着"}));
}

#[test]
fn a_question_about_a_record_goes_with_that_record() {
    let mut story = blocked(r#"{"title":"雨停之前"}"#);
    story.press("enter ctrl+s").wait(1).press("ctrl+s");
    assert!(story.find::<Prompt>().is_some());
    let other = r#"{"title":"another file, never shown"}"#;
    story.put(ANSWERS, other);
    story.scan();
    story.press("enter");
    assert_eq!(story.record().as_deref(), Some(other), "the yes was for what is no longer there");
    assert!(story.is_open());
}

#[test]
fn a_packet_that_is_back_is_not_called_gone_in_a_repair() {
    let mut story = blocked(r#"{"title":"雨停之前"}"#);
    story.press("enter");
    let packet = fs::read(story.root().join(PACKET)).expect("the packet");
    fs::remove_file(story.root().join(PACKET)).expect("gone");
    story.scan();
    assert!(story.banner().contains("gone"), "{}", story.banner());
    fs::write(story.root().join(PACKET), packet).expect("back");
    story.scan();
    assert!(!story.banner().contains("gone"), "{}", story.banner());
}
