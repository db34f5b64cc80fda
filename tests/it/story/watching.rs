//! The author is told what became of the gate: what its packet asks differently, who else wants its place, what others
//! did to the record, how far the executor is. Nothing is lost on the way.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::kept;
use novel_gate::console::form::Form;
use novel_gate::console::model::{Place, Tone};
use novel_gate::console::news::News;
use novel_gate::console::page::Page;
use novel_gate::console::screen::Part;
use novel_gate::console::sentences;
use novel_gate::error::Message;
use novel_gate::store::scan::Scanner;
use novel_gate::store::watch::StoreEvent;
use novel_gate::text::{Lang, say};
use serde_json::json;
use std::fs;
use std::time::Duration;

const OTHER_PACKET: &str = "staging/manifests/other.packet.json";
const OUTPUT: &str = "staging/chapters/chapter-048.md";

fn gate(labels: &[&str]) -> String {
    let pick = question("platform", "single_choice", true, labels, "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

fn reload(story: &mut Story) {
    story.reload();
}

fn change(story: &mut Story, questions: &str) {
    story.put(PACKET, &packet(questions));
    reload(story);
}

fn in_history(story: &Story, text: &str) -> bool {
    kept::records(&story.dir.path().join("state")).iter().any(|kept| kept == text.as_bytes())
}

// ---- Drift ----

#[test]
fn what_a_packet_asks_differently_is_shown_and_what_fits_no_more_stays_in_reach() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"]));
    story.press("2 tab").burst("留言");
    let pick = question("platform", "single_choice", true, &["qidian", "fanqie"], "");
    let mood = question("mood", "free_text", true, &[], "");
    change(&mut story, &format!("[{pick},{mood}]"));
    assert!(story.banner().contains("F3"), "{}", story.banner());
    story.wait(1).press("f3");
    assert!(story.find::<Page>().is_some_and(|page| page.part == Part::Changes));
    let shown = story.lines(Part::Changes, 200);
    for words in [
        "− The option \"jjwxc\" is gone.",
        "+ The option \"fanqie\" is new.",
        "\"mood\" (mood)",
        "▲ note  留言",
        "▲ platform  jjwxc",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(story.banner(), "", "it has been seen");
    story.press("esc home");
    assert_eq!(story.form().at, 0);
    assert!(story.lines(Part::Whole, 200).contains("The option \"jjwxc\" is gone."));
    story.press("2 tab").burst("明亮").press("enter");
    assert_eq!(story.place(), Place::Review);
    story.press("f3");
    assert!(story.lines(Part::Changes, 200).contains("留言"), "still in reach");
    story.press("esc ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "fanqie", "mood": "明亮"}));
}

#[test]
fn what_changed_between_two_sessions_is_shown_too() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"]));
    story.press("2 tab").burst("写到一半");
    story.restart();
    story.put(PACKET, &packet(&gate(&["qidian", "fanqie"])));
    story.open_form();
    assert!(story.banner().contains("changed"), "{}", story.banner());
    assert!(story.lines(Part::Changes, 200).contains("The option \"jjwxc\" is gone."));
    assert_eq!(story.form().draft.replies[1].text, "写到一半");
    story.restart();
    story.open_form();
    story.press("1");
    story.restart();
    story.open_form();
    assert_eq!(story.banner(), "", "kept for the questions as they are now");
}

#[test]
fn a_packet_that_changes_back_gives_the_answer_back() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"]));
    story.press("2");
    change(&mut story, &gate(&["qidian"]));
    assert_eq!(story.form().status.orphans.len(), 1);
    change(&mut story, &gate(&["qidian", "jjwxc"]));
    assert!(!story.form().status.has_changes());
    assert_eq!(story.banner(), "");
    story.wait(1).press("f3");
    assert!(story.is_open());
    assert!(story.notice().contains("have not changed"), "{}", story.notice());
    story.press("tab tab ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc"}));
}

#[test]
fn where_not_everything_could_be_read_nobody_says_that_there_are_no_gates() {
    let mut story = Story::of(&gate(&["qidian"]));
    let seen = |story: &mut Story, cut: bool, asked: usize| {
        story.hear(News::Store(StoreEvent::Entries { entries: Vec::new(), cut, asked }));
        story.shown()
    };
    let unread = seen(&mut story, true, 0);
    assert!(unread.contains("Not everything in staging/ could be looked at"), "{unread}");
    assert!(!unread.contains("No gates yet") && !unread.contains("0 waiting"), "{unread}");
    let read = seen(&mut story, false, 0);
    assert!(read.contains("No gates yet") && read.contains("0 waiting"), "{read}");
    assert!(read.contains("What do you want to decide?"), "{read}");
    // Whoever has said so is told what is asked.
    let asked = seen(&mut story, false, 3);
    assert!(asked.contains("that are on: 3; F12") && !asked.contains("What do you want"), "{asked}");
}

#[test]
fn a_packet_that_is_being_written_disturbs_nothing() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab").burst("半句");
    let mut scanner = Scanner::new(super::files(story.dir.path(), &story.clock).project);
    let now = std::time::SystemTime::now() + Duration::from_mins(1);
    scanner.look(now);
    let whole = packet(&gate(&["qidian"])).replace("chapter-writer", "another-writer");
    for part in [&whole[..whole.len() / 2], &whole] {
        story.put(PACKET, part);
        let written =
            fs::metadata(story.root().join(PACKET)).and_then(|meta| meta.modified()).expect("a time");
        scanner.look(written);
        let entries = scanner.entries();
        story.flow = story.hear(News::Store(StoreEvent::Entries { entries, cut: false, asked: 0 }));
        assert_eq!((story.banner(), story.notice()), (String::new(), String::new()));
        assert_eq!((story.form().at, story.form().field.text()), (1, "半句"));
        assert!(!story.form().status.has_changes());
    }
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "半句"}));
}

#[test]
fn answers_follow_a_packet_that_wants_them_elsewhere() {
    let elsewhere = |place: &str| packet(&gate(&["qidian"])).replace("novel-ask/gate", place);
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab").burst("跟着走");
    story.put(PACKET, &elsewhere("novel-ask/second"));
    reload(&mut story);
    assert!(story.banner().contains("novel-ask/second"), "{}", story.banner());
    assert_eq!(story.kept().expect("kept for the new place").draft.replies[1].text, "跟着走");
    story.press("enter");
    story.put(PACKET, &elsewhere("novel-ask/third"));
    story.press("ctrl+s");
    let third = story.root().join("staging/novel-ask/third.answers.json");
    assert!(!third.exists(), "the author was shown another place");
    assert!(story.banner().contains("novel-ask/third"), "{}", story.banner());
    story.press("ctrl+s ctrl+s");
    story.wait(1).press("ctrl+s");
    let written = fs::read_to_string(third).expect("written where the packet says");
    assert!(written.contains("跟着走"));
    assert_eq!(story.record(), None);
}

// ---- Collisions ----

#[test]
fn two_packets_that_want_different_answers_in_one_place_are_said_before_anyone_answers() {
    let mut story = Story::of(&gate(&["qidian"]));
    let spelled = ANSWERS.replace("staging/", "./staging//");
    story.put(OTHER_PACKET, &packet(&gate(&["fanqie"])).replace(ANSWERS, &spelled));
    story.scan();
    assert!(story.model().inbox.entries.iter().all(|entry| entry.is_conflict()));
    story.load(PACKET);
    let row = story.model().inbox.row_of(PACKET.as_ref()).expect("a row");
    story.console.stack.model.inbox.row = row;
    let detail = story.lines(Part::Pane, 200);
    assert!(detail.contains("cannot answer both") && detail.contains(OTHER_PACKET), "{detail}");
    story.open_form();
    let banner = story.banner();
    assert!(banner.contains("gate.packet.json") && banner.contains("other.packet.json"), "{banner}");
    story.press("1");
    assert_eq!(story.banner(), banner, "for as long as it holds");
    fs::remove_file(story.root().join(OTHER_PACKET)).expect("removed");
    story.scan();
    assert_eq!(story.banner(), "");
}

#[test]
fn two_packets_that_ask_the_same_in_one_place_are_one_gate() {
    let mut story = Story::of(&gate(&["qidian"]));
    story.put(OTHER_PACKET, &packet(&gate(&["qidian"])).replace("chapter:048:draft", "chapter:048:refine"));
    story.scan();
    assert_eq!((story.model().inbox.len(), story.model().inbox.counts.waiting), (2, 1));
    story.open_form();
    assert_eq!(story.banner(), "");
    story.press("1 tab enter ctrl+s");
    assert!(story.model().next_waiting().is_none(), "nobody else waits: it is the same gate");
    story.scan();
    assert_eq!(story.model().inbox.counts.answered, 1);
}

// ---- Receipt and pick-up ----

#[test]
fn a_record_that_somebody_replaced_is_shown_and_ours_comes_back() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"]));
    story.press("1 tab").burst("我的话").press("enter ctrl+s");
    let ours = story.record().expect("a record");
    let theirs = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc"},
        "answered_at":"2026-02-27T10:12:40.000Z","answered_by":"codex"}"#;
    story.put(ANSWERS, theirs);
    story.look();
    story.press("f8");
    assert_eq!(story.notice(), "There is no record to take back here.", "theirs is not taken for ours");
    let shown = story.lines(Part::Pane, 200);
    for words in
        ["codex", "yours   qidian", "theirs  jjwxc", "yours   我的话", "theirs  left blank", "Ctrl+U"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    story.press("ctrl+u");
    assert_eq!(story.record(), Some(ours));
    assert!(in_history(&story, theirs), "theirs is not lost either");
    assert!(story.notice().contains("back in its place"), "{}", story.notice());
    assert!(!story.lines(Part::Pane, 200).contains("codex"));
}

#[test]
fn a_record_that_somebody_replaced_is_told_of_away_from_the_receipt() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab enter ctrl+s esc");
    assert_eq!(story.place(), Place::Inbox);
    story.put(ANSWERS, "{}");
    story.scan();
    assert!(
        story.notice().contains("chapter:048:draft is no longer the one you wrote"),
        "{}",
        story.notice()
    );
}

#[test]
fn a_record_that_changed_again_is_not_replaced_unseen() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab enter ctrl+s");
    story.put(ANSWERS, "{}");
    story.look();
    story.put(ANSWERS, "[1]");
    story.press("ctrl+u");
    assert_eq!(story.record().as_deref(), Some("[1]"));
    assert!(story.notice().contains("changed since"), "{}", story.notice());
    story.look();
    story.press("ctrl+u");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn the_receipt_follows_the_executor_by_the_files_alone() {
    let mut story = Story::of(&gate(&["qidian"]));
    let now = story.model().now;
    let touch = |story: &Story, when| {
        story.put(OUTPUT, "正文");
        let file = fs::File::options().append(true).open(story.root().join(OUTPUT)).expect("the output");
        file.set_modified(when).expect("a time");
    };
    touch(&story, now - Duration::from_hours(24));
    story.open_form();
    story.press("1 tab enter ctrl+s");
    let shown = story.lines(Part::Pane, 200);
    assert!(shown.contains("Waiting for the executor") && shown.contains("there before"), "{shown}");
    touch(&story, now + Duration::from_secs(30));
    story.wait(60).look();
    let shown = story.lines(Part::Pane, 200);
    assert!(shown.contains("outputs are there") && !shown.contains("there before"), "{shown}");
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    story.scan();
    assert!(story.lines(Part::Pane, 200).contains("passed this step"));
    story.press("f2");
    assert_eq!(story.model().lang, Lang::ZhCn);
    assert!(story.lines(Part::Pane, 200).contains("检查点已越过"));
    fs::remove_dir_all(story.root().join("staging/novel-ask")).expect("cleared away");
    fs::remove_file(story.root().join(PACKET)).expect("cleared away");
    story.scan();
    assert_eq!(story.notice(), "", "what the executor clears away is no alarm");
    assert!(story.lines(Part::Pane, 200).contains("清理"));
}

#[test]
fn a_record_that_was_removed_comes_back() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab enter ctrl+s");
    let ours = story.record().expect("a record");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.look();
    story.scan();
    let shown = story.lines(Part::Pane, 200);
    assert!(shown.contains("somebody removed it") && !shown.contains("Nothing else waits"), "{shown}");
    assert!(shown.contains("This gate waits again: Enter goes to it in the inbox."), "{shown}");
    story.press("ctrl+u");
    assert_eq!(story.record(), Some(ours));
}

// ---- Things that are gone ----

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_project_that_is_gone_is_said_until_it_is_back() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab").burst("还在");
    story.console.stack.model.say(Tone::Good, Message::from(sentences::PUT_BACK));
    let away = story.dir.path().join("moved");
    fs::rename(story.root(), &away).expect("moved away");
    story.hear(News::Store(StoreEvent::RootGone));
    story.burst("写");
    let screen = crate::screens::layers(&story.console.stack);
    assert!(screen.contains("The project's directory is gone"), "{screen}");
    story.press("enter ctrl+s");
    assert!(story.notice().contains("kept"), "{}", story.notice());
    fs::rename(&away, story.root()).expect("moved back");
    assert_eq!(story.kept().expect("the draft").draft.replies[1].text, "还在写");
    story.look();
    assert!(!story.model().is_project_gone);
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "还在写"}));
}

#[test]
fn a_directory_in_the_records_place_is_said_and_the_draft_is_kept() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab").burst("不会丢");
    fs::create_dir_all(story.root().join(ANSWERS)).expect("a directory");
    reload(&mut story);
    assert!(story.banner().contains("a directory where the record should be"), "{}", story.banner());
    story.press("enter ctrl+s");
    assert!(!story.shown().contains("removes it"), "no key removes a directory: {}", story.shown());
    assert_eq!(story.kept().expect("the draft").draft.replies[1].text, "不会丢");
    story.restart();
    story.open_form();
    assert!(story.find::<Form>().is_none() && story.notice().contains("a directory"), "{}", story.notice());
    fs::remove_dir(story.root().join(ANSWERS)).expect("removed");
    story.open_form();
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "不会丢"}));
}

#[test]
fn a_record_that_became_a_directory_is_left_alone() {
    let mut story = Story::open(&gate(&["qidian"]));
    story.press("1 tab enter ctrl+s");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.put(&format!("{ANSWERS}/inside"), "x");
    story.look();
    assert!(story.lines(Part::Pane, 200).contains("other than a file"));
    story.press("ctrl+u");
    assert!(story.notice().contains("Move it away"), "{}", story.notice());
    assert!(story.root().join(ANSWERS).join("inside").exists());
}

#[test]
fn what_could_not_be_read_is_said_no_longer_than_it_lasts() {
    let mut story = Story::of(&gate(&["a", "b"]));
    let trouble = Message::from(say("x cannot be read", "x 读不出"));
    story.hear(News::Store(StoreEvent::Unread(Some(trouble))));
    assert!(story.notice().contains("x cannot be read"), "{}", story.notice());
    story.hear(News::Store(StoreEvent::Unread(None)));
    assert_eq!(story.notice(), "", "{}", story.shown());
    // What the author is told since is another thing.
    story.hear(News::Failed(Message::from(say("a job failed", "任务失败"))));
    story.hear(News::Store(StoreEvent::Unread(None)));
    assert!(story.notice().contains("a job failed"), "{}", story.notice());
}
