//! Drafts whose packet goes or changes: they can be reached as long as they exist.

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::console::model::{Place, Size};
use novel_gate::console::page::Page;
use novel_gate::console::screen::Part;
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::text::Lang;
use std::fs;
use std::process::{Command, Stdio};

/// A choice that takes own words, and a text.
fn two() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","allow_other":true"#);
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

/// Half an answer, left for the inbox: a text, a note, and words that were typed and not chosen.
fn begun() -> Story {
    let mut story = Story::of(&two());
    story.scan();
    story.press("enter end enter").burst("晋江以外").press("esc tab").burst("雨停之前，他想了很久。");
    story.press("ctrl+n").burst("再想想").press("enter esc esc");
    assert_eq!(story.place(), Place::Inbox, "{}", story.shown());
    story
}

fn lose(story: &mut Story) {
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
}

/// The row of what is kept, and the row under the cursor.
fn row(story: &Story, sign: &str) -> Option<String> {
    story
        .shown()
        .lines()
        .skip(1)
        .find(|line| line.contains(sign) && line.contains("chapter:048"))
        .map(str::to_owned)
}

#[test]
fn a_draft_without_its_packet_stays_in_the_list_with_every_word() {
    let mut story = begun();
    assert_eq!(row(&story, "✎"), None, "it is with its gate");
    lose(&mut story);
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
    assert!(story.shown().contains("✎ 1 kept"), "{}", story.shown());
    story.wait(1).press("end enter");
    assert!(story.find::<Page>().is_some(), "{}", story.shown());
    let page = story.lines(Part::Whole, 100);
    for words in
        ["雨停之前，他想了很久。", "再想想", "晋江以外", "its packet is gone", ANSWERS, PACKET, "platform"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    story.press("ctrl+y");
    let copied = story.console.runner().copied.pop().expect("a text");
    for words in ["雨停之前，他想了很久。", "再想想", "晋江以外"] {
        assert!(copied.contains(words), "{copied}");
    }
    assert_eq!(story.record(), None);
}

#[test]
fn a_draft_joins_its_gate_by_itself() {
    let mut story = begun();
    lose(&mut story);
    // Another console, another day.
    story.restart();
    story.scan();
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
    story.press("end enter");
    assert!(story.find::<Page>().is_some());
    story.put(PACKET, &packet(&two()));
    story.scan();
    assert!(story.find::<Page>().is_none(), "what it was about is a gate again: {}", story.shown());
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    assert!(row(&story, "◐").is_some(), "{}", story.shown());
    assert!(story.notice().contains("your draft is with it"), "{}", story.notice());
    story.wait(1).press("enter");
    assert_eq!(story.form().draft.replies[1].text, "雨停之前，他想了很久。");
    assert_eq!(story.form().draft.replies[1].note, "再想想");
}

#[test]
fn whatever_became_of_the_packet_is_said_and_the_words_are_there() {
    let elsewhere = packet(&two()).replace(ANSWERS, "staging/novel-ask/other.json");
    let no_gate = r#"{"step": "chapter:048:draft", "agent": "a"}"#.to_owned();
    let bad = packet(&two()).replace(ANSWERS, "../out.json");
    let cases = [
        (elsewhere, "in staging/novel-ask/other.json", "回答写到别处"),
        (no_gate, "its packet asks nothing now", "指令包现在没有提问"),
        (bad, "its packet has errors just now", "指令包目前有误"),
    ];
    for (text, en, zh) in cases {
        let mut story = begun();
        story.restart();
        story.put(PACKET, &text);
        story.scan();
        story.console.stack.model.size = Size { width: 120, height: 40 };
        story.press("end enter");
        let shown = story.shown();
        assert!(shown.contains(en) && shown.contains("雨停之前，他想了很久。"), "{shown}");
        let inbox = &story.model().inbox;
        assert!(inbox.entries.iter().all(|entry| inbox.draft(entry).is_none()), "it is no other gate's");
        story.console.stack.model.lang = Lang::ZhCn;
        assert!(story.shown().contains(zh) && story.shown().contains("留存的草稿"), "{}", story.shown());
    }
}

#[test]
fn what_is_dropped_after_a_question_comes_back_with_one_key() {
    let mut story = begun();
    lose(&mut story);
    story.wait(1).press("end f8");
    assert!(story.shown().contains("chapter:048:draft?"), "{}", story.shown());
    story.press("esc");
    assert!(row(&story, "✎").is_some(), "no is no: {}", story.shown());
    story.press("end f8 enter");
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    assert!(story.notice().contains("Ctrl+U"), "{}", story.notice());
    story.look();
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    story.press("ctrl+u");
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
    // From its page too.
    story.press("end enter delete enter");
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    story.put(PACKET, &packet(&two()));
    story.scan();
    story.wait(1).press("enter");
    assert_eq!(story.form().draft.replies[1].text, "", "what was dropped is dropped");
}

#[test]
fn answers_that_moved_along_are_not_kept_twice() {
    let mut story = Story::open(&two());
    story.scan();
    story.press("tab").burst("跟着走");
    story.put(PACKET, &packet(&two()).replace(ANSWERS, "staging/novel-ask/other.json"));
    story.scan();
    assert!(story.banner().contains("other.json"), "{}", story.banner());
    story.press("esc esc");
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    story.restart();
    story.scan();
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    story.press("enter");
    assert_eq!(story.form().draft.replies[1].text, "跟着走");
}

#[test]
fn a_form_that_outlives_its_packet_leaves_its_words_in_the_list() {
    let mut story = Story::open(&two());
    story.scan();
    story.press("tab").burst("还没写");
    lose(&mut story);
    story.burst("完").press("esc esc");
    assert_eq!(story.place(), Place::Inbox);
    assert!(row(&story, "▸ ✎").is_some() && story.shown().contains("还没写完"), "{}", story.shown());
}

#[test]
fn nothing_is_called_kept_before_the_first_look_has_ended() {
    let mut story = begun();
    story.restart();
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.look();
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
    story.scan();
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
}

#[test]
fn what_was_typed_is_found_by_its_words_and_never_by_a_letter_that_acts() {
    let mut story = begun();
    lose(&mut story);
    let other =
        packet(&two()).replace("chapter:048", "chapter:049").replace(ANSWERS, "staging/novel-ask/49.json");
    story.put("staging/manifests/other.packet.json", &other);
    story.scan();
    story.wait(1).burst("雨停");
    assert!(row(&story, "✎").is_some() && !story.shown().contains("chapter:049"), "{}", story.shown());
    story.press("enter");
    assert!(story.find::<Page>().is_some(), "{}", story.shown());
}

#[test]
fn the_cursor_stays_on_its_draft_while_the_list_changes() {
    let mut story = begun();
    lose(&mut story);
    story.wait(1).press("end");
    let other =
        packet(&two()).replace("chapter:048", "chapter:049").replace(ANSWERS, "staging/novel-ask/49.json");
    story.put("staging/manifests/other.packet.json", &other);
    story.scan();
    let inbox = &story.model().inbox;
    assert_eq!(inbox.row, 1, "{}", story.shown());
    assert!(inbox.selected().is_none() && story.shown().contains("雨停之前"), "{}", story.shown());
    // It is no gate: what acts on gates says so, and does nothing.
    for key in ["f5", "f9", "ctrl+g", "ctrl+u", "ctrl+o"] {
        story.press(key);
        assert!(story.is_open() && story.place() == Place::Inbox, "{key}: {}", story.shown());
        assert!(!story.notice().is_empty(), "{key} is silent");
    }
}

#[test]
fn two_drafts_stand_side_by_side_and_the_cursor_stays_on_its_own() {
    let mut story = begun();
    let other =
        packet(&two()).replace("chapter:048", "chapter:049").replace(ANSWERS, "staging/novel-ask/49.json");
    let path = "staging/manifests/other.packet.json";
    story.put(path, &other);
    lose(&mut story);
    story.wait(1).press("end");
    assert!(row(&story, "▸ ✎").is_some(), "{}", story.shown());
    // A newer one comes in front of it.
    story.open_gate(path);
    story.wait(60).press("tab").burst("另一章的话").press("esc esc");
    fs::remove_file(story.root().join(path)).expect("removed");
    story.scan();
    story.wait(1).press("home down");
    assert!(row(&story, "▸ ✎").is_some() && story.shown().contains("✎ 2 kept"), "{}", story.shown());
    story.press("up");
    assert!(story.shown().contains("▸ ✎ chapter:049"), "{}", story.shown());
    // The older one goes: the cursor stays, and its key for undo is about that one.
    story.press("down f8 enter");
    assert!(story.shown().contains("▸ ✎ chapter:049"), "{}", story.shown());
    story.press("ctrl+u");
    assert!(story.shown().contains("▸ ✎ chapter:049") && row(&story, "✎").is_some(), "{}", story.shown());
}

#[test]
fn a_draft_of_another_console_comes_in_front_and_moves_no_cursor() {
    let mut story = begun();
    let job = story.kept().expect("a draft");
    lose(&mut story);
    story.wait(1).press("end");
    let (step, saved_at) = (Some("chapter:050:draft".into()), "2027-01-01T00:00:00.000Z".into());
    let theirs = DraftJob { step, saved_at, answer_path: "staging/novel-ask/50.json".into(), ..job };
    story.job(move |files| Drafts::new(&files.state).save(&theirs).expect("kept"), |(), _| {});
    story.look();
    let shown = story.shown();
    let (new, old) = (shown.find("✎ chapter:050"), shown.find("▸ ✎ chapter:048"));
    assert!(new.is_some() && old.is_some() && new < old, "{shown}");
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn what_another_console_has_open_can_be_dropped_once_that_has_ended() {
    let mut story = begun();
    lose(&mut story);
    let mut theirs = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a process");
    let database = crate::kept::database(&story.dir.path().join("state")).expect("a draft");
    let database = rusqlite::Connection::open(database).expect("opened");
    database.execute("UPDATE drafts SET pid = ?1", [theirs.id()]).expect("given away");
    story.scan();
    story.wait(1).press("end f8");
    assert!(story.notice().contains("Another console"), "{}", story.notice());
    drop(theirs.stdin.take());
    theirs.wait().expect("ended");
    story.look();
    story.press("f8 enter");
    assert!(story.notice().contains("is dropped"), "{}", story.shown());
}

#[test]
fn a_gate_that_asks_elsewhere_is_not_marked_as_begun() {
    let mut story = begun();
    // The form that was left last is another gate's.
    let path = "staging/manifests/other.packet.json";
    let other =
        packet(&two()).replace("chapter:048", "chapter:049").replace(ANSWERS, "staging/novel-ask/49.json");
    story.put(path, &other);
    story.scan();
    story.open_gate(path);
    story.wait(1).press("esc");
    story.put(PACKET, &packet(&two()).replace(ANSWERS, "staging/novel-ask/new.json"));
    story.scan();
    assert!(row(&story, "● chapter:048").is_some(), "{}", story.shown());
    assert!(row(&story, "✎ chapter:048").is_some(), "{}", story.shown());
}

#[test]
fn what_cannot_be_read_is_not_called_empty() {
    let mut story = begun();
    lose(&mut story);
    let database = crate::kept::database(&story.dir.path().join("state")).expect("a draft");
    let database = rusqlite::Connection::open(database).expect("opened");
    database.execute_batch("ALTER TABLE drafts RENAME COLUMN replies TO gone").expect("changed");
    story.scan();
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
    database
        .execute_batch("ALTER TABLE drafts RENAME COLUMN gone TO replies; DELETE FROM drafts")
        .expect("changed");
    story.scan();
    assert_eq!(row(&story, "✎"), None, "{}", story.shown());
}

#[test]
fn old_steps_cannot_steer_the_screen() {
    let hostile = packet(&two()).replace("chapter:048:draft", r"chapter:048\u001b[31m\u202e\u0007");
    let mut story = Story::of(&two());
    story.put(PACKET, &hostile);
    story.scan();
    story.press("enter tab").burst("\u{202e}反").press("esc esc");
    lose(&mut story);
    story.wait(1).press("end enter");
    let shown = story.shown();
    assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{shown}");
    assert!(shown.contains("‹U+202E›反"), "{shown}");
}

#[test]
fn a_narrow_terminal_shows_it_too() {
    let mut story = begun();
    lose(&mut story);
    story.console.stack.model.size = Size { width: 40, height: 12 };
    story.wait(1).press("end");
    assert!(row(&story, "✎").is_some(), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("kept draft"), "{}", story.shown());
}

#[test]
fn what_stood_in_a_review_stays_in_the_list_though_the_author_had_chosen_none_of_it() {
    let default = question("platform", "single_choice", true, &["qidian", "jjwxc"], r#","default":"jjwxc""#);
    for is_as_last_time in [false, true] {
        let mut story = Story::of(&format!("[{default}]"));
        story.scan();
        if is_as_last_time {
            story.press("enter 1 ctrl+s").wait(1).press("ctrl+s");
            story.scan();
            story.press("esc f8");
            story.scan();
        }
        story.press("enter ctrl+s");
        lose(&mut story);
        assert!(story.shown().contains("the answers stay as a draft"), "{}", story.shown());
        story.press("esc esc");
        assert_eq!(story.place(), Place::Inbox, "{}", story.shown());
        story.scan();
        assert!(row(&story, "✎").is_some(), "{}", story.shown());
        story.press("end enter");
        let page = story.lines(Part::Whole, 100);
        assert!(page.contains(if is_as_last_time { "qidian" } else { "jjwxc" }), "{page}");
    }
}
