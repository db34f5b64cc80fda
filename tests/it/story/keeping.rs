//! Nothing typed is lost.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::kept;
use novel_gate::ask::JsString;
use novel_gate::console::form::Form;
use novel_gate::console::form::status::Warning;
use novel_gate::console::model::Place;
use novel_gate::console::news::News;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::error::Message;
use novel_gate::store::lock::gate_is_open;
use novel_gate::text::say;
use serde_json::json;

fn two() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","allow_other":true"#);
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

fn reload(story: &mut Story) {
    story.reload();
}

#[test]
fn text_survives_a_program_that_is_killed() {
    let mut story = Story::open(&two());
    story.press("2 tab").burst("写到一半");
    story.restart();
    story.open_form();
    assert!(story.notice().contains("restored"), "{}", story.notice());
    let form = story.form();
    assert_eq!((form.at, form.field.text()), (1, "写到一半"));
    assert_eq!(story.record(), None, "a restored draft is never sent by itself");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc", "note": "写到一半"}));
}

#[test]
fn a_text_that_was_emptied_comes_back_after_its_field_was_left_too() {
    let mut story = Story::open(&two());
    story.press("2 tab").burst("写了一段").press("ctrl+u shift+tab tab f7");
    assert_eq!(story.form().field.text(), "写了一段", "{}", story.shown());
    story.press("ctrl+u");
    story.restart();
    story.open_form();
    assert!(story.shown().contains("your earlier answer  写了一段"), "{}", story.shown());
    story.press("f7");
    assert_eq!(story.form().field.text(), "写了一段", "{}", story.shown());
    // A letter that is deleted is no text.
    let mut story = Story::open(&two());
    story.press("tab").burst("写").press("backspace");
    assert!(story.form().other_answer(1).is_none(), "{}", story.shown());
}

#[test]
fn escape_goes_up_and_keeps_everything() {
    let mut story = Story::open(&two());
    story.press("end enter").burst("我自己的").press("esc");
    assert_eq!(story.place(), Place::Form);
    story.press("esc");
    assert_eq!(story.place(), Place::Inbox);
    story.open_form();
    assert_eq!(story.form().draft.replies[0].other, "我自己的");
    assert_eq!(story.record(), None);
    story.press("end enter").wait(1).press("enter enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "我自己的"}));
}

#[test]
fn the_loser_of_a_race_is_told_and_keeps_the_text() {
    let mut story = Story::open(&two());
    story.press("1 tab").burst("我的话").press("enter");
    let winner = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc"},
        "answered_at":"2026-02-27T10:12:33.000Z","answered_by":"claude_code"}"#;
    story.put(ANSWERS, winner);
    story.press("ctrl+s");
    assert_eq!(story.record().as_deref(), Some(winner), "the winner's record is untouched");
    assert!(story.notice().contains("kept"), "{}", story.notice());
    assert!(story.banner().contains("claude_code"), "{}", story.banner());
    let kept = story.kept().expect("the draft");
    assert_eq!(kept.draft.replies[1].text, "我的话");
}

#[test]
fn answers_that_the_history_cannot_note_stay_as_a_draft() {
    let mut story = Story::open(&two());
    story.press("1 tab").burst("我的话");
    let database = kept::database(&story.dir.path().join("state")).expect("a draft");
    let full = "CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'no room'); END";
    rusqlite::Connection::open(database).expect("it opens").execute_batch(full).expect("a trigger");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "我的话"}));
    assert_eq!(story.place(), Place::Receipt);
    assert!(story.notice().contains("the history does not have it"), "{}", story.notice());
    assert_eq!(story.kept().expect("the draft").draft.replies[1].text, "我的话");
}

#[test]
fn a_packet_that_changes_keeps_what_fits_and_nothing_is_sent_against_the_old_one() {
    let mut story = Story::open(&two());
    story.press("2 tab").burst("留言").press("enter");
    let fewer = question("platform", "single_choice", true, &["qidian", "fanqie"], "");
    let changed = format!("[{fewer},{}]", question("note", "free_text", false, &[], ""));
    story.put(PACKET, &packet(&changed));
    story.press("ctrl+s");
    assert_eq!(story.record(), None);
    assert!(story.banner().contains("changed"), "{}", story.banner());
    let form = story.form();
    assert_eq!(form.draft.replies[1].text, "留言");
    assert_eq!(form.status.orphans[0].words, "jjwxc");
    assert_eq!(form.draft.replies[0].picks, Vec::new());
}

#[test]
fn picks_are_not_taken_right_after_the_questions_moved() {
    let mut story = Story::open(&two());
    let other = format!("[{}]", question("platform", "single_choice", true, &["x", "y"], ""));
    story.put(PACKET, &packet(&other));
    reload(&mut story);
    story.press("enter");
    assert_eq!(story.place(), Place::Form);
    story.wait(1).press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "x"}));
}

#[test]
fn a_packet_written_anew_with_the_same_questions_disturbs_nothing() {
    let mut story = Story::open(&two());
    story.press("2 tab").burst("半句");
    story.put(PACKET, &packet(&two()).replace("chapter-writer", "another-writer"));
    reload(&mut story);
    let form = story.form();
    assert_eq!((form.at, form.field.text()), (1, "半句"));
    assert_eq!(story.banner(), "");
}

#[test]
fn a_packet_that_is_gone_leaves_the_answers() {
    let mut story = Story::open(&two());
    story.press("1 tab").burst("还在");
    std::fs::remove_file(story.root().join(PACKET)).expect("removed");
    reload(&mut story);
    assert!(story.banner().contains("gone"), "{}", story.banner());
    story.press("enter ctrl+s");
    assert_eq!(story.record(), None);
    assert!(story.notice().contains("kept"), "{}", story.notice());
    story.put(PACKET, &packet(&two()));
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "还在"}));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_place_that_cannot_be_written_is_said_before_and_nothing_is_lost() {
    let mut story = Story::of(&two());
    std::fs::create_dir_all(story.root().join("elsewhere")).expect("a directory");
    std::fs::create_dir_all(story.root().join("staging/novel-ask")).expect("a directory");
    crate::system::symlink("nowhere/at-all.json", story.root().join(ANSWERS)).expect("a link");
    story.open_form();
    let form = story.form();
    assert!(form.gate.refusal.is_some(), "the author is told at the start");
    story.press("1 tab").burst("文字").press("enter ctrl+s");
    assert!(!story.notice().is_empty());
    assert_eq!(story.kept().expect("the draft").draft.replies[1].text, "文字");
}

#[test]
fn a_draft_that_cannot_be_kept_is_said_in_the_author_s_language_and_the_answers_still_arrive() {
    let mut story = Story::of(&two());
    std::fs::write(story.dir.path().join("state"), "no directory").expect("a file in the way");
    story.open_form();
    story.press("1 tab").burst("不会丢");
    let banner = story
        .find::<Form>()
        .and_then(|form| form.status.warnings.values().next().cloned())
        .expect("a banner");
    let english = banner.text(novel_gate::text::Lang::En);
    assert!(english.ends_with("When novel-gate ends, they go to a private file elsewhere."), "{english}");
    let chinese = banner.text(novel_gate::text::Lang::ZhCn);
    assert!(chinese.contains("不是目录") && !chinese.contains("os error"), "{chinese}");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "不会丢"}));
}

#[test]
fn a_second_console_on_a_gate_is_told_of_the_first() {
    let mut story = Story::of(&two());
    let first = super::files(story.dir.path(), &story.clock);
    first.open(PACKET.as_ref(), None, false).expect("it is open there");
    story.open_form();
    assert!(story.banner().contains("Another console"), "{}", story.banner());
    reload(&mut story);
    assert!(story.banner().contains("Another console"), "a look at the files does not make it go away");
    drop(first);
    story.open_form();
    assert_eq!(story.banner(), "");
}

#[test]
fn a_gate_is_free_for_others_once_its_form_is_left_or_its_record_is_written() {
    let mut story = Story::open(&two());
    let gate = JsString::from(ANSWERS);
    let is_held = |story: &Story| gate_is_open(&super::files(story.dir.path(), &story.clock).state, &gate);
    story.press("2 tab").burst("半句");
    assert!(is_held(&story));
    story.press("esc esc").look();
    assert_eq!((story.place(), is_held(&story)), (Place::Inbox, false));
    assert_eq!(story.kept().expect("the draft").draft.replies[1].text, "半句", "the draft stays");
    story.scan();
    story.press("enter");
    assert_eq!((story.place(), is_held(&story)), (Place::Form, true));
    story.press("tab enter ctrl+s").wait(1).press("ctrl+s").look();
    assert_eq!((story.place(), is_held(&story)), (Place::Receipt, false), "{}", story.shown());
    story.press("esc").look();
    assert!(!is_held(&story));
}

#[test]
fn the_warning_of_another_console_is_on_the_screen_though_a_draft_is_back() {
    let mut story = Story::open(&two());
    story.press("2 tab").burst("半句");
    story.restart();
    let first = super::files(story.dir.path(), &story.clock);
    first.open(PACKET.as_ref(), None, false).expect("it is open there");
    story.open_form();
    story.burst("，接着写");
    assert!(story.shown().contains("Another console is answering"), "{}", story.shown());
}

#[test]
fn a_console_that_came_second_is_seen_whatever_the_watch_reports_and_when_the_gate_opens() {
    let mut story = Story::open(&two());
    story.press("2");
    // Another process that runs, as the one that keeps the draft.
    let database = kept::database(&story.dir.path().join("state")).expect("a draft");
    let parent = crate::system::parent_id();
    let theirs = rusqlite::Connection::open(database).expect("it opens");
    theirs.execute("UPDATE drafts SET pid = ?1", [parent]).expect("theirs");
    story.scan();
    assert!(story.banner().contains("Another console has answers"), "{}", story.banner());
    story.restart();
    story.open_form();
    assert!(story.banner().contains("Another console has answers"), "{}", story.banner());
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_draft_that_cannot_be_read_is_set_aside_and_said() {
    let mut story = Story::open(&two());
    story.press("1 tab").burst("一半");
    story.damage_state();
    story.restart();
    story.open_form();
    assert!(story.notice().contains("set aside"), "{}", story.notice());
    assert_eq!(story.place(), Place::Form, "and the gate can be answered all the same");
}

#[test]
fn own_words_taken_back_do_not_swallow_others_that_were_never_taken() {
    let tags = question("tags", "multi_choice", true, &["a"], r#","allow_other":true"#);
    let mut story = Story::open(&format!("[{tags}]"));
    story.press("end enter").burst("第一个").press("enter").press("end enter").burst("没选上").press("esc");
    story.press("up space");
    let reply = |story: &Story| story.form().draft.replies[0].clone();
    assert_eq!(reply(&story).other, "第一个");
    story.press("f7");
    assert_eq!(reply(&story).other, "没选上");
    assert_eq!(reply(&story).picks, []);
}

#[test]
fn what_no_record_holds_outlives_the_record() {
    let tags = question("tags", "multi_choice", true, &["a"], r#","allow_other":true"#);
    let gone = question("gone", "free_text", false, &[], "");
    let mut story = Story::open(&format!("[{tags},{gone}]"));
    story.press("1 end enter").burst("第一句").press("esc").burst("第二句").press("esc tab").burst("问过的");
    story.put(PACKET, &packet(&format!("[{tags}]")));
    reload(&mut story);
    story.wait(1).press("ctrl+s").wait(1);
    story.press("ctrl+s");
    assert_eq!(story.answers(), serde_json::json!({"tags": ["a"]}));
    story.restart();
    story.scan();
    assert!(!story.shown().contains("not submitted"), "{}", story.shown());
    for words in ["第一句", "第二句", "问过的"] {
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
    }
    story.press("f8");
    story.scan();
    assert!(story.shown().contains("draft"), "the list has them too: {}", story.shown());
    story.open_form();
    for words in ["第一句", "第二句", "问过的"] {
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
    }
    assert!(!story.notice().contains("are back"), "{}", story.notice());
    assert_eq!(story.form().draft.replies[0].picks.len(), 1);
    story.press("f3");
    let shown = story.shown();
    assert!(shown.contains("问过的") && !shown.contains("have not changed"), "{shown}");
}

#[test]
fn the_inbox_s_details_are_loaded_when_they_are_seen() {
    let mut story = Story::open(&two());
    let loads = |story: &mut Story| story.console.runner().done.drain(..).any(|name| name == "detail");
    loads(&mut story);
    story.scan();
    assert!(!loads(&mut story), "the form hides them");
    story.press("esc");
    assert!(loads(&mut story));
    assert_eq!(story.place(), Place::Inbox);
    story.scan();
    assert!(loads(&mut story));
}

#[test]
fn the_trouble_of_another_gate_s_draft_is_not_this_form_s() {
    let mut story = Story::open(&two());
    let trouble = || Some(Message::from(say("no room", "没有空间")));
    let unkept = |story: &Story| {
        story.find::<Form>().is_some_and(|form| form.status.warnings.contains_key(&Warning::Unkept))
    };
    story.hear(News::DraftTrouble("staging/other.json".into(), trouble()));
    assert!(!unkept(&story));
    assert_eq!(story.notice(), "no room", "but it is said");
    story.hear(News::DraftTrouble(ANSWERS.into(), trouble()));
    assert!(unkept(&story));
    story.hear(News::DraftTrouble("staging/other.json".into(), None));
    assert!(unkept(&story));
    let saved = || News::DraftTrouble(ANSWERS.into(), None);
    assert_eq!(story.hear(saved()), Flow::Redraw);
    assert!(!unkept(&story));
    assert_eq!(story.hear(saved()), Flow::Unchanged, "a save as after every key draws nothing");
}

#[test]
fn the_trouble_of_a_form_behind_the_inbox_stays_with_it() {
    let mut story = Story::open(&two());
    story.press("1 tab").burst("不会丢").press("esc esc");
    story.scan();
    let trouble = Some(Message::from(say("no room", "没有空间")));
    story.hear(News::DraftTrouble(ANSWERS.into(), trouble));
    assert_eq!(story.notice(), "");
    story.press("ctrl+c");
    assert_eq!(story.notice(), "Press Ctrl+C again to quit.", "no promise that cannot be kept");
    story.press("enter");
    assert!(story.shown().contains("no room"), "{}", story.shown());
    story.press("esc esc");
    story.hear(News::DraftTrouble(ANSWERS.into(), None));
    story.press("enter");
    assert!(!story.shown().contains("no room"), "{}", story.shown());
}

#[test]
fn leaving_unsaved_asks_and_goes_on_by_itself() {
    use novel_gate::console::model::Unsaved;
    let mut story = Story::open(&two());
    story.press("1 tab").burst("不会丢");
    let unsaved = Unsaved { why: None, file: Ok("/tmp/words.unsaved.json".into()) };
    story.console.runner().unsaved = Some(unsaved.clone());
    story.press("f10");
    assert_eq!(story.flow, Flow::Redraw);
    for says in ["Your answers are not saved yet.", "saving takes long", "words.unsaved.json", "by itself"] {
        assert!(story.shown().contains(says), "{says}: {}", story.shown());
    }
    // Trying again does not help yet, and Ctrl+C once is no way out.
    story.press("enter ctrl+c x");
    assert!(story.shown().contains("Your answers are not saved yet."), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.form().draft.replies[1].text.lossy(), "不会丢");
    assert!(!story.shown().contains("Your answers are not saved yet."), "{}", story.shown());
    // Nowhere else either.
    let nowhere = Message::from(say("the disk is full", "磁盘已满"));
    story.console.runner().unsaved = Some(Unsaved { file: Err(nowhere), ..unsaved });
    story.press("f10");
    assert!(story.shown().contains("cannot be written either: the disk is full"), "{}", story.shown());
    story.press("ctrl+c");
    assert!(story.shown().contains("Press Ctrl+C again to quit."), "{}", story.shown());
    story.press("ctrl+c");
    assert_eq!(story.flow, Flow::Quit(130), "who was told may leave");
    // Once it is saved, nobody has to press anything.
    story.press("esc f10");
    story.console.runner().unsaved = None;
    assert_eq!(story.hear(News::DraftTrouble(ANSWERS.into(), None)), Flow::Quit(0));
}

#[test]
fn ctrl_c_twice_leaves_where_the_words_are_in_a_file_elsewhere_and_asks_where_they_are_nowhere() {
    use novel_gate::console::model::Unsaved;
    let mut story = Story::open(&two());
    story.press("1 tab").burst("不会丢");
    let elsewhere = Unsaved { why: None, file: Ok("/tmp/words.unsaved.json".into()) };
    let nowhere =
        Unsaved { file: Err(Message::from(say("the disk is full", "磁盘已满"))), ..elsewhere.clone() };
    story.console.runner().unsaved = Some(nowhere);
    story.press("ctrl+c");
    assert_eq!(story.notice(), "Press Ctrl+C again to quit; your answers will be kept.");
    story.press("ctrl+c");
    assert!(story.shown().contains("Your answers are not saved yet."), "{}", story.shown());
    story.press("esc");
    story.console.runner().unsaved = Some(elsewhere);
    story.press("ctrl+c ctrl+c");
    assert_eq!(story.flow, Flow::Quit(130));
}
