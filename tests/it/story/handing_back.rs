//! Questions that an executor asks by itself, given back to it.

use super::{PACKET, Story, packet, question};
use novel_gate::console::form::Form;
use novel_gate::console::model::Place;
use novel_gate::store::drafts::Drafts;
use novel_gate::text::Lang;
use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

const RELAYED: &str = "staging/novel-ask/relay/relay-0.packet.json";

/// A gate of the novel's own, and a question of Claude Code that is selected.
fn relayed() -> Story {
    let own = format!("[{}]", question("mood", "free_text", true, &[], ""));
    let mut story = Story::of(&own);
    let asked = packet(&own).replace("mood", "tone").replace("chapter:048:draft", "relay:0").replacen(
        '{',
        r#"{"_relay":{},"#,
        1,
    );
    story.put(RELAYED, &asked.replace("novel-ask/gate.answers", "novel-ask/relay/relay-0.answers"));
    let file = File::open(story.root().join(RELAYED)).expect("the packet");
    file.try_lock().expect("held by whoever waits");
    // For as long as the tests run.
    std::mem::forget(file);
    story.scan();
    while story.model().inbox.selected_path().as_deref() != Some(Path::new(RELAYED)) {
        story.press("down");
    }
    story
}

fn is_there(story: &Story) -> bool {
    story.root().join(RELAYED).exists()
}

/// How many of its questions have an answer in the kept draft.
fn kept(story: &Story) -> Option<usize> {
    let bytes = std::fs::read(story.root().join(RELAYED)).expect("the packet");
    let gate = novel_gate::ask::decode_packet(&bytes).expect("a packet").gate.expect("a gate");
    let files = super::files(story.dir.path(), &story.clock);
    let draft = Drafts::new(&files.state).load(&gate.answer_path, &gate.spec).ok()??;
    Some(draft.job.draft.progress(&gate.spec).answered)
}

#[test]
fn from_the_list_it_goes_back_with_one_key() {
    let mut story = relayed();
    assert!(story.shown().contains("Ctrl+O answer there"), "{}", story.shown());
    story.press("ctrl+o");
    assert!(!is_there(&story));
    assert_eq!(
        story.notice(),
        "relay:0 is handed back, for the executor to ask it there. What you have answered is kept."
    );
    let said = story.notice();
    story.scan();
    assert_eq!((story.model().inbox.len(), &story.place()), (1, &Place::Inbox));
    assert_eq!(story.notice(), said, "it is not missed");
}

#[test]
fn it_is_sent_back_with_a_reason_like_any_gate() {
    let mut story = relayed();
    story.press("ctrl+x").burst("先别问这个").wait(1).press("ctrl+s");
    assert_eq!(story.place(), Place::Inbox);
    let rounds = story.root().join("staging/novel-ask/relay/relay-0.rounds.jsonl");
    let said = std::fs::read_to_string(rounds).expect("a line");
    assert!(said.contains(r#""event": "sent-back""#) && said.contains("先别问这个"), "{said}");
    assert!(story.notice().starts_with("Sent back: relay:0."), "{}", story.notice());
}

/// The same, with nobody who waits.
fn orphaned() -> Story {
    let mut story = relayed();
    let packet = std::fs::read_to_string(story.root().join(RELAYED)).expect("the packet");
    std::fs::remove_file(story.root().join(RELAYED)).expect("removed");
    story.put(RELAYED, &packet);
    story.scan();
    story
}

#[test]
fn the_receipt_waits_for_nobody_where_nobody_waits() {
    for (mut story, waits) in [(relayed(), true), (orphaned(), false)] {
        story.press("enter").burst("雨停之前").press("ctrl+s").wait(1).press("ctrl+s");
        story.scan();
        let shown = story.shown();
        assert!(shown.contains("Written and verified"), "{shown}");
        assert_eq!(shown.contains("Waiting for the executor"), waits, "{shown}");
        assert_eq!(shown.contains("Nobody waits for the answers"), !waits, "{shown}");
    }
}

#[test]
fn one_that_nobody_waits_for_is_taken_away() {
    let mut story = orphaned();
    assert!(story.shown().contains("Ctrl+O take it away"), "{}", story.shown());
    story.press("ctrl+o");
    assert!(!is_there(&story));
    assert!(story.notice().contains("is taken away"), "{}", story.notice());
}

#[test]
fn from_the_form_the_field_and_the_review_too_and_the_draft_is_kept() {
    for open in ["", "ctrl+s", "esc", "ctrl+n"] {
        let mut story = relayed();
        let packet = std::fs::read_to_string(story.root().join(RELAYED)).expect("the packet");
        story.press("enter").burst("雨停之前");
        story.press(open);
        assert!(story.shown().contains("answer there"), "{open}: {}", story.shown());
        story.press("ctrl+o");
        assert!(!is_there(&story), "{open}");
        assert!(story.find::<Form>().is_none() && story.place() == Place::Inbox, "{open}");
        assert!(story.notice().contains("is handed back"), "{open}: {}", story.notice());
        story.scan();
        assert!(story.shown().contains("✎ relay:0"), "{open}: {}", story.shown());
        // The same question, asked again.
        story.put(RELAYED, &packet);
        assert_eq!(kept(&story), Some(1), "{open}");
    }
}

#[test]
fn no_other_gate_can_be_handed_back() {
    let mut story = relayed();
    // Files of one moment may be listed in either order.
    for key in ["up", "down"] {
        if story.model().inbox.selected_path().as_deref() != Some(Path::new(PACKET)) {
            story.press(key);
        }
    }
    assert_eq!(story.model().inbox.selected_path().as_deref(), Some(Path::new(PACKET)));
    let not = "Only a question that an executor asks in its own dialog can be answered there.";
    for keys in ["ctrl+o", "enter ctrl+o", "enter ctrl+o", "ctrl+s ctrl+o"] {
        assert!(!story.shown().contains("answer there"), "{keys}: {}", story.shown());
        story.press(keys);
        assert_eq!(story.notice(), not, "{keys}");
        assert!(story.root().join(PACKET).exists() && is_there(&story));
    }
    let mut empty = relayed();
    std::fs::remove_dir_all(empty.root().join("staging")).expect("removed");
    empty.scan();
    empty.press("ctrl+o");
    assert_eq!(empty.notice(), not);
    empty.put(PACKET, "{");
    empty.scan();
    empty.press("home ctrl+o");
    assert_eq!(empty.notice(), not, "nor one that cannot be used");
}

#[test]
fn one_that_was_answered_or_went_meanwhile_is_not_handed_back() {
    let mut story = relayed();
    story.press("enter");
    std::fs::remove_file(story.root().join(RELAYED)).expect("removed");
    story.press("ctrl+o");
    assert_eq!(story.notice(), format!("No executor waits for {RELAYED} any more."));
    assert_eq!(story.place(), Place::Form, "what is typed stays");
}

#[test]
fn what_a_control_does_is_said_in_the_language_of_the_console() {
    let mut story = relayed();
    let asked = question("tone", "single_choice", true, &["Type the answer", "热血"], "");
    let text = std::fs::read_to_string(story.root().join(RELAYED)).expect("the packet");
    let old = question("tone", "free_text", true, &[], "");
    story.put(RELAYED, &text.replace(&old, &asked));
    story.put(PACKET, &packet(&format!("[{asked}]")));
    story.scan();
    story.press("enter");
    assert!(story.shown().contains("Type the answer"), "{}", story.shown());
    story.press("f2");
    assert!(story.shown().contains("输入回答") && !story.shown().contains("Type the"), "{}", story.shown());
    let is_copied = |story: &Story| matches!(story.form().question_in(0, Lang::ZhCn), Cow::Owned(_));
    assert!(!is_copied(&story), "with thousands of options, each key would take long");
    story.press("1 ctrl+s");
    assert!(is_copied(&story));
    assert!(story.shown().contains("✓ tone  输入回答"), "in the review too: {}", story.shown());
    story.wait(1).press("ctrl+s");
    assert!(story.shown().contains("你选了 输入回答"), "and on the receipt: {}", story.shown());
    story.press("esc").open_form();
    assert!(
        story.shown().contains("Type the answer"),
        "the labels of a packet are its own: {}",
        story.shown()
    );
}
