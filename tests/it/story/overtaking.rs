//! Somebody answers first, while the author does: nothing is lost, and one key puts the author's record in its place.

use super::{ANSWERS, PACKET, Story, open_console, packet, question};
use crate::kept;
use novel_gate::console::action::Target;
use novel_gate::console::form::status::Warning;
use novel_gate::console::model::{Place, Size, WrittenStatus};
use novel_gate::console::prompt::Prompt;
use novel_gate::console::theme::Theme;
use serde_json::json;
use std::fs;

const OUTPUT: &str = "staging/chapters/chapter-048.md";

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

fn record(by: &str, platform: &str) -> String {
    format!(
        r#"{{"version":1,"topic":"平台绑定","answers":{{"platform":"{platform}","note":"{by} 的话"}},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"{by}"}}"#
    )
}

/// The author has chosen; then somebody else's record comes.
fn overtaken(keys: &str, by: &str) -> Story {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("enter").press(keys);
    story.put(ANSWERS, &record(by, "jjwxc"));
    story.scan();
    story
}

/// Whether these bytes are kept in the history.
fn is_kept(story: &Story, bytes: &str) -> bool {
    kept::records(&story.dir.path().join("state")).iter().any(|kept| kept == bytes.as_bytes())
}

#[test]
fn in_the_review_the_cursor_stays_with_its_question() {
    let pick = question("hero", "single_choice", true, &["甲", "乙"], "");
    let text = question("note", "free_text", false, &[], "");
    let mut story = Story::of(&format!("[{text},{pick}]"));
    story.scan();
    story.press("enter").burst("我写");
    let theirs = record("claude", "x").replace(r#""platform":"x""#, r#""hero":"乙""#);
    story.put(ANSWERS, &theirs);
    story.scan();
    story.wait(1).press("ctrl+s").wait(1);
    for taken in [true, false, true] {
        story.press("f7");
        let replies = &story.form().draft.replies;
        assert_eq!((replies[1].has(1), &replies[0].text), (taken, &"我写".into()), "{}", story.shown());
    }
}

#[test]
fn of_two_consoles_the_second_puts_its_record_in_the_place_of_the_first() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("enter");
    let mut other = open_console(story.dir.path(), &story.clock);
    std::mem::swap(&mut story.console, &mut other);
    story.scan();
    story.press("enter");
    std::mem::swap(&mut story.console, &mut other);
    story.press("1 tab").burst("我的话");
    std::mem::swap(&mut story.console, &mut other);
    story.press("2 ctrl+s").wait(1).press("ctrl+s");
    assert_eq!((story.place(), story.answers()), (Place::Receipt, json!({"platform": "jjwxc"})));
    let theirs = story.record().expect("their record");

    std::mem::swap(&mut story.console, &mut other);
    story.scan();
    assert!(story.banner().contains("answer came first (today 10:12)"), "{}", story.banner());
    story.press("shift+tab");
    assert!(story.shown().contains("theirs  jjwxc"), "{}", story.shown());
    story.press("ctrl+s").wait(1);
    let shown = story.shown();
    for words in
        ["✓ platform  qidian", "theirs: jjwxc", "first: today 10:12", "[ Mine instead of theirs  Ctrl+U ]"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    story.press("ctrl+s ctrl+s");
    assert!(story.notice().contains("Ctrl+U puts yours in the place of theirs"), "{}", story.notice());
    assert_eq!(story.record().as_ref(), Some(&theirs), "no other key replaces it");
    story.press("ctrl+u");
    assert_eq!(
        (story.place(), story.answers()),
        (Place::Receipt, json!({"platform": "qidian", "note": "我的话"}))
    );
    assert!(is_kept(&story, &theirs));
    assert!(story.notice().contains("Theirs (today 10:12) is in the history; F6"), "{}", story.notice());

    std::mem::swap(&mut story.console, &mut other);
    story.scan();
    let receipt = story.model().receipt.as_ref().expect("the first one's receipt");
    assert!(matches!(receipt.progress.status, WrittenStatus::Replaced(_)));
    // Theirs comes back by the keys of the history.
    story.press("esc f6 down enter enter");
    assert_eq!(story.record(), Some(theirs));
}

#[test]
fn ctrl_u_in_the_inbox_puts_the_record_back_that_was_replaced() {
    let theirs = record("codex", "jjwxc");
    let mut story = overtaken("1 ctrl+s", "codex");
    story.wait(1).press("ctrl+u esc").scan();
    let shown = story.shown();
    for words in ["replaced the one by codex", "Ctrl+U put theirs back"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let mine = story.record().expect("a record");
    story.press("ctrl+u");
    assert_eq!(story.record().as_ref(), Some(&mine), "it asks first");
    story.press("enter");
    assert_eq!(story.record(), Some(theirs));
    assert!(is_kept(&story, &mine));
    // And there and back again.
    story.scan();
    let shown = story.shown();
    for words in ["This record replaced yours", "Ctrl+U put mine back"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    story.press("ctrl+u enter");
    assert_eq!(story.record(), Some(mine));
    story.scan();
    assert!(story.shown().contains("Ctrl+U put theirs back"), "{}", story.shown());
}

#[test]
fn mine_can_be_put_back_though_the_one_in_its_place_was_taken_back_and_put_back() {
    let mut story = overtaken("1 ctrl+s", "codex");
    story.wait(1).press("ctrl+u esc");
    story.scan();
    story.put(ANSWERS, &record("codex", "jjwxc"));
    story.scan();
    for again in 0..2 {
        story.wait(60).press("f8 ctrl+u").scan();
        assert_eq!(story.record(), Some(record("codex", "jjwxc")), "{again}");
        assert!(story.shown().contains("Ctrl+U put mine back"), "{again}: {}", story.shown());
    }
}

#[test]
fn a_third_record_that_comes_meanwhile_is_shown_before_it_can_be_replaced() {
    let mut story = overtaken("1 ctrl+s", "codex");
    let third = record("claude_code", "jjwxc");
    story.put(ANSWERS, &third);
    story.wait(1).press("ctrl+u");
    assert_eq!(story.record().as_ref(), Some(&third));
    assert!(story.notice().contains("not the one that was shown"), "{}", story.notice());
    assert!(story.shown().contains("claude_code"), "{}", story.shown());
    // It has only just come on the screen.
    story.press("ctrl+u");
    assert_eq!(story.record().as_ref(), Some(&third));
    story.wait(1).press("ctrl+u");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
    assert!(is_kept(&story, &third) && is_kept(&story, &record("codex", "jjwxc")));
}

#[test]
fn the_button_under_the_mouse_is_not_pressed_for_a_record_that_has_just_come() {
    let mut story = overtaken("1 ctrl+s", "codex");
    story.press("ctrl+u");
    assert!(story.notice().contains("just changed"), "{}", story.notice());
    assert_eq!(story.record(), Some(record("codex", "jjwxc")));
}

#[test]
fn theirs_fills_in_nothing_and_f7_takes_it() {
    let mut story = overtaken("1", "codex");
    assert_eq!(story.form().draft.replies[1].text, "");
    story.press("tab f7");
    assert_eq!(story.form().draft.replies[1].text, "codex 的话");
    story.press("enter").wait(1).press("ctrl+u");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "codex 的话"}));
}

#[test]
fn what_is_missing_comes_first() {
    let mut story = overtaken("ctrl+s", "codex");
    let shown = story.wait(1).shown();
    for words in
        ["! 1 required answer is missing", "first: codex", "[ to what is missing  Ctrl+U ]", "Ctrl+U to what"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // There is no key to say there: the review shows both itself.
    let page = story.press("f4").shown();
    assert!(!page.contains("shows both"), "{page}");
    story.press("esc ctrl+s");
    assert_eq!((story.place(), story.form().at), (Place::Form, 0));
    story.press("ctrl+s").wait(1).press("ctrl+u");
    assert_eq!((story.place(), story.form().at), (Place::Form, 0));
    assert!(story.notice().contains("must be answered first"), "{}", story.notice());
    assert_eq!(story.record(), Some(record("codex", "jjwxc")));
}

#[test]
fn the_author_is_asked_where_the_step_has_gone_on() {
    let mut story = overtaken("1 ctrl+s", "codex");
    let theirs = record("codex", "jjwxc");
    story.put(OUTPUT, "写好了");
    story.wait(1).press("ctrl+u");
    let asked = |story: &Story| story.find::<Prompt>().is_some();
    assert!(asked(&story) && story.shown().contains(OUTPUT), "{}", story.shown());
    story.press("esc");
    assert_eq!((asked(&story), story.record()), (false, Some(theirs.clone())));
    // The question is about one record, and goes with it.
    story.press("ctrl+u");
    assert!(asked(&story));
    story.put(ANSWERS, &record("claude_code", "jjwxc"));
    story.scan();
    assert!(!asked(&story), "{}", story.shown());
    story.wait(1).press("ctrl+u enter");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
    assert!(is_kept(&story, &theirs) && is_kept(&story, &record("claude_code", "jjwxc")));
}

#[test]
fn what_is_said_of_their_record_goes_with_it() {
    let mut story = overtaken("1", "codex");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    assert!(story.banner().contains("The record there is gone"), "{}", story.banner());
    story.scan();
    story.press("ctrl+s").wait(1);
    assert!(!story.form().status.warnings.contains_key(&Warning::Record), "{}", story.banner());
    assert!(story.shown().contains("[ Submit  Ctrl+S ]"), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.record(), None, "the key is for theirs alone");
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn theirs_stays_beside_questions_that_change() {
    let mut story = overtaken("1", "codex");
    story.put(PACKET, &packet(&gate().replace("[{", "[{\"_x\":1,").replace("\"?\"", "\"哪里？\"")));
    story.scan();
    assert!(story.banner().contains("answer came first"), "{}", story.banner());
    story.wait(1).press("ctrl+s").wait(1);
    assert!(story.shown().contains("theirs: jjwxc"), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn what_has_become_of_the_packet_stands_above_what_was_said_of_the_record() {
    let mut story = overtaken("1 ctrl+s", "codex");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.reload();
    assert!(story.shown().contains("The record there is gone"), "{}", story.shown());
    story.put(PACKET, "{bad");
    story.reload();
    assert!(
        story.shown().contains("▲ The packet has errors and cannot be used just now;"),
        "{}",
        story.shown()
    );
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.reload();
    assert!(story.shown().contains("▲ The packet is gone;"), "{}", story.shown());
    let page = story.press("f4").shown();
    assert_eq!(page.matches("The packet is gone;").count(), 1, "{page}");
    assert!(!page.contains("The record there is gone"), "{page}");
}

#[test]
fn a_sentence_of_two_rows_leaves_the_button() {
    let mut story = overtaken("1 ctrl+s", "codex");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    fs::create_dir(story.root().join(ANSWERS)).expect("a directory");
    story.reload();
    for (width, height) in [(80, 24), (100, 30), (40, 12)] {
        story.console.stack.resize(Size { width, height });
        let shown = story.shown();
        let row = |words: &str| shown.lines().position(|row| row.contains(words));
        assert!(row("[ Submit  Ctrl+S ]").is_some_and(|at| Some(at + 1) == row("▲ There is")), "{shown}");
        let hits = story.console.stack.paint(&Theme::plain(), &mut story.paint()).hits;
        assert!(hits.iter().any(|(_, target)| *target == Target::Submit));
    }
}

#[test]
fn without_its_packet_the_review_offers_what_is_possible() {
    let mut story = overtaken("1 ctrl+s", "codex");
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.reload();
    for (width, height) in [(80, 24), (40, 12)] {
        story.console.stack.resize(Size { width, height });
        let shown = story.shown();
        assert!(!shown.contains("will be written") && !shown.contains("[ Submit"), "{shown}");
        assert!(shown.contains("The packet is gone"), "{shown}");
        let hits = story.console.stack.paint(&Theme::plain(), &mut story.paint()).hits;
        assert!(hits.iter().all(|(_, target)| *target != Target::Submit), "{shown}");
    }
    story.console.stack.resize(Size { width: 80, height: 24 });
    assert!(story.shown().contains("Esc goes back; the answers stay as a draft"), "{}", story.shown());
    story.wait(1).press("ctrl+s");
    assert_eq!(story.record(), None);
    story.put(PACKET, &packet(&gate()));
    story.reload();
    assert!(story.shown().contains("[ Submit  Ctrl+S ]"), "{}", story.shown());
}
