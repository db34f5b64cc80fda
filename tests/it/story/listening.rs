//! An executor that writes packets and asks nothing: one quiet line, once it has lasted.

use super::{PACKET, START, Story, question};
use novel_gate::console::news::News;
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::store::watch::StoreEvent;

use novel_gate::store::contact::{Call, Way, note};
use novel_gate::store::{Project, StateDir};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

/// A packet that was written so many seconds after the start.
fn written_at(seconds: u64) -> Story {
    let mut story = Story::of(&format!("[{}]", question("mood", "free_text", true, &[], "")));
    set_time(&story.root().join(PACKET), seconds);
    story.wait(seconds);
    story.scan();
    story
}

fn set_time(file: &std::path::Path, seconds: u64) {
    let open = fs::File::options().append(true).open(file).expect("the file");
    open.set_modified(UNIX_EPOCH + START + Duration::from_secs(seconds)).expect("set");
}

/// Lets Claude Code's hook be heard so many seconds after the start.
fn hear(story: &Story, seconds: u64) {
    let state = StateDir::new(&story.dir.path().join("state"), &Project::open(&story.root()).expect("it"));
    note(&state, "claude-code", Way::Hook, &Call::new("Bash", Some("ls"), None));
    let file: PathBuf = state.path().join("heard/claude-code.hook");
    set_time(&file, seconds);
}

const SAID: &str = "Claude Code has not asked novel-gate since today 10:12: novel-gate doctor";

#[test]
fn that_an_executor_writes_and_does_not_ask_is_said_once_it_has_lasted() {
    let mut story = written_at(3_600);
    hear(&story, 0);
    story.put(".mcp.json", "{\"command\": \"/opt/novel-gate\"}");
    story.scan();
    assert!(!story.shown().contains("has not asked"), "it may be about to ask: {}", story.shown());
    story.wait(299).look();
    assert!(!story.shown().contains("has not asked"));
    story.wait(1);
    assert_ne!(story.hear(News::Store(StoreEvent::Looked)), Flow::Unchanged, "nobody presses a key");
    assert!(story.shown().contains(SAID), "{}", story.shown());
    story.press("f1");
    assert!(story.shown().contains(SAID), "{}", story.shown());
    story.press("esc");
    hear(&story, 3_900);
    story.look();
    assert!(!story.shown().contains("has not asked"), "{}", story.shown());
    // It is wired no longer.
    hear(&story, 0);
    fs::remove_file(story.root().join(".mcp.json")).expect("removed");
    story.scan();
    assert!(!story.shown().contains("has not asked"), "{}", story.shown());
}

#[test]
fn a_book_that_is_written_by_hand_and_an_ordinary_step_are_no_news() {
    let mut story = written_at(3_600);
    story.wait(7_200).look();
    assert!(!story.shown().contains("novel-gate doctor"), "{}", story.shown());
    // A wiring that never asked.
    story.put(".claude/settings.json", "{\"command\": \"novel-gate hook claude-code\"}");
    story.scan();
    assert!(story.shown().contains("No executor has asked novel-gate yet"), "{}", story.shown());
    // The hook comes before the command that writes the packet.
    let mut story = written_at(3_600);
    hear(&story, 3_590);
    story.wait(7_200);
    story.scan();
    assert!(!story.shown().contains("novel-gate doctor"), "{}", story.shown());
}
