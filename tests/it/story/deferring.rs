//! Gates that are put off: out of the way, by this author alone, and back by themselves.

use super::{ANSWERS, PACKET, START, Story, packet, question};
use novel_gate::console::model::Status;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

const OTHER: &str = "staging/manifests/other.packet.json";

fn gate() -> String {
    format!("[{}]", question("mood", "free_text", true, &[], ""))
}

/// Two gates; the cursor is on the first.
fn two() -> Story {
    let mut story = Story::of(&gate());
    let other = packet(&gate()).replace("chapter:048:draft", "018:judge");
    story.put(OTHER, &other.replace(ANSWERS, "staging/novel-ask/other.answers.json"));
    for (age, path) in [(1, PACKET), (2, OTHER)] {
        let file = fs::File::options().append(true).open(story.root().join(path)).expect("the packet");
        file.set_modified(std::time::UNIX_EPOCH + START - Duration::from_secs(age)).expect("set");
    }
    story.scan();
    story
}

/// The steps in the order of the list, `later` before those that are put off.
fn list(story: &Story) -> Vec<String> {
    let inbox = &story.model().inbox;
    let shown = |row| {
        let entry = inbox.entry(row).expect("a row");
        format!("{}{}", if inbox.later(entry).is_some() { "later " } else { "" }, entry.title())
    };
    (0..inbox.len()).map(shown).collect()
}

fn told(story: &mut Story) -> Vec<String> {
    story.console.runner().notices.drain(..).map(|gates| gates.body).collect()
}

#[test]
fn a_gate_put_off_for_an_hour_waits_below_and_comes_back_in_time() {
    let mut story = two();
    story.press("f5");
    assert!(story.shown().contains("Remind me about chapter:048:draft…"), "{}", story.shown());
    assert!(story.shown().contains("1  in an hour  today 11:12"), "{}", story.shown());
    assert!(story.shown().contains("2  tomorrow morning  tomorrow 08:00"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.notice(), "Put off until today 11:12. F5 brings it back.");
    assert_eq!(list(&story), ["018:judge", "later chapter:048:draft"]);
    assert_eq!(story.model().inbox.selected_path(), Some(PACKET.into()), "the cursor stays with its gate");
    assert!(story.shown().contains("● 1 waiting  ◌ 1 later"), "{}", story.shown());
    assert!(story.shown().contains("until today 11:12"), "{}", story.shown());
    story.restart();
    story.scan();
    assert_eq!(list(&story), ["018:judge", "later chapter:048:draft"], "kept");
    assert_eq!(story.model().inbox.row, 0, "the first gate that waits");
    story.wait(3_599).look();
    assert_eq!((list(&story).len(), told(&mut story)), (2, vec![]));
    story.wait(1).look();
    assert_eq!(list(&story), ["chapter:048:draft", "018:judge"]);
    assert!(story.shown().contains("● 2 waiting"), "{}", story.shown());
    assert_eq!(told(&mut story), ["Waits again: chapter:048:draft"]);
    story.look();
    assert_eq!(told(&mut story), [""; 0], "once");
    story.restart();
    story.scan();
    assert_eq!(list(&story), ["chapter:048:draft", "018:judge"]);
}

#[test]
fn a_key_that_puts_nothing_off_says_which_ones_do() {
    let says = "Press 1, 2 or 3, or Enter in a row; Esc puts nothing off.";
    let mut story = two();
    story.press("f5");
    for key in ["9", "９", "z", "ctrl+u", "f4"] {
        story.press(key);
        assert_eq!(story.notice(), says, "{key}");
        assert!(story.shown().contains(says), "{key}: {}", story.shown());
    }
    story.paste("第");
    assert!(story.shown().contains(says), "{}", story.shown());
    story.press("down");
    assert!(!story.shown().contains(says), "until the next key: {}", story.shown());
    story.press("z １");
    assert_eq!(story.notice(), "Put off until today 11:12. F5 brings it back.", "an input method is on");
}

#[test]
fn f5_brings_a_gate_back_at_once_and_escape_puts_nothing_off() {
    let mut story = two();
    story.press("f5 esc");
    assert_eq!(list(&story), ["chapter:048:draft", "018:judge"]);
    story.press("f5 down enter");
    assert!(story.notice().contains("until tomorrow 08:00"), "{}", story.notice());
    story.press("f5");
    assert_eq!(list(&story), ["chapter:048:draft", "018:judge"]);
    story.restart();
    story.scan();
    assert_eq!(list(&story), ["chapter:048:draft", "018:judge"]);
}

#[test]
fn a_gate_comes_back_when_its_packet_asks_something_else() {
    let mut story = two();
    story.press("f5 3");
    assert!(story.shown().contains("until the packet changes"), "{}", story.shown());
    let before = fs::read_to_string(story.root().join(PACKET)).expect("the packet");
    story.put(PACKET, &before.replace("chapter-writer", "chapter-refiner"));
    story.wait(90 * 24 * 3_600);
    story.scan();
    assert_eq!(list(&story)[1], "later chapter:048:draft", "it asks the same");
    story.put(PACKET, &before.replace("\"required\":true", "\"required\":false"));
    story.scan();
    assert!(!list(&story).concat().contains("later"), "{:?}", list(&story));
    assert_eq!(told(&mut story), ["New gate: chapter:048:draft"]);
    story.put(PACKET, &before);
    story.scan();
    assert!(!list(&story).concat().contains("later"), "the mark has gone");
}

#[test]
fn an_answer_ends_it_and_what_is_put_off_is_not_the_next_gate() {
    let mut story = two();
    story.press("f5 1 home enter").burst("雨").press("ctrl+s").wait(1).press("ctrl+s");
    story.scan();
    assert!(story.shown().contains("Nothing else waits."), "{}", story.shown());
    story.press("esc home enter").burst("风").press("ctrl+s").wait(1).press("ctrl+s");
    assert!(story.record().is_some());
    story.scan();
    story.press("esc f8");
    story.scan();
    assert_eq!(story.model().inbox.counts.waiting, 1, "a redone gate waits: {:?}", list(&story));
}

#[test]
fn a_blocked_gate_is_put_off_without_a_trace_in_the_project() {
    let mut story = two();
    story.put(ANSWERS, "{}");
    story.scan();
    let files = |story: &Story| {
        let mut found = BTreeMap::new();
        let mut left = vec![story.root()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    left.push(path);
                } else {
                    found.insert(path.clone(), fs::read(path).ok());
                }
            }
        }
        found
    };
    let before = files(&story);
    story.wait(1).press("end f5 3");
    assert_eq!(list(&story), ["018:judge", "later chapter:048:draft"]);
    assert_eq!(story.model().inbox.counts.blocked, 0);
    assert_eq!(files(&story), before);
    assert_eq!(story.entries()[1].status, Status::Blocked, "executors see what is");
    story.press("home enter").burst("雨").press("ctrl+s").wait(1).press("ctrl+s esc");
    story.scan();
    story.press("end f5");
    assert_eq!(story.notice(), "Only a gate that waits or is blocked can be put off.");
}

#[test]
fn marks_of_gates_that_are_gone_go_too() {
    let mut story = two();
    story.press("f5 3");
    let before = fs::read_to_string(story.root().join(PACKET)).expect("the packet");
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    story.put(PACKET, &before);
    story.scan();
    assert!(list(&story).contains(&"later chapter:048:draft".to_owned()), "a packet written anew");
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.restart();
    story.scan();
    story.put(PACKET, &before);
    story.restart();
    story.scan();
    assert!(!list(&story).concat().contains("later"), "{:?}", list(&story));
}
