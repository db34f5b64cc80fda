//! The inbox: its order, its filter, what it says of drafts, and where it begins.

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::console::model::Place;
use novel_gate::console::screen::Part;
use std::time::Duration;

fn gate() -> String {
    let (platform, note) = (
        question("platform", "single_choice", true, &["qidian"], ""),
        question("note", "free_text", true, &[], ""),
    );
    format!("[{platform},{note}]")
}

/// A gate that waits at this step, written so many seconds after the first one.
fn put(story: &Story, step: &str, seconds: u64) -> String {
    let name = step.replace(':', "-");
    let path = format!("staging/manifests/{name}.packet.json");
    let text = packet(&gate()).replace("chapter:048:draft", step);
    story.put(&path, &text.replace(ANSWERS, &format!("staging/novel-ask/{name}.answers.json")));
    let first =
        std::fs::metadata(story.root().join(PACKET)).and_then(|meta| meta.modified()).expect("a time");
    let file = std::fs::File::options().write(true).open(story.root().join(&path)).expect("the packet");
    file.set_modified(first + Duration::from_secs(seconds)).expect("a time");
    path
}

/// The steps of the list, `▸` before the selected one and `*` behind one with a draft.
fn steps(story: &Story) -> Vec<String> {
    let inbox = &story.model().inbox;
    let line = |row: usize| {
        let entry = inbox.entry(row).expect("a row");
        let (mark, draft) =
            (if row == inbox.row { "▸" } else { "" }, if inbox.draft(entry).is_some() { "*" } else { "" });
        format!("{mark}{}{draft}", entry.title())
    };
    (0..inbox.len()).map(line).collect()
}

#[test]
fn drafts_stand_first_and_the_rest_in_the_order_of_the_book() {
    let mut story = Story::of(&gate());
    for step in ["chapter:100:draft", "chapter:047:judge", "chapter:047:refine", "volume:outline"] {
        put(&story, step, 0);
    }
    put(&story, "chapter:002:draft", 60);
    story.scan();
    let rest = ["volume:outline", "chapter:047:refine", "chapter:047:judge"];
    let all = [&["▸chapter:002:draft"], &rest[..], &["chapter:048:draft", "chapter:100:draft"]].concat();
    assert_eq!(steps(&story), all);

    story.press("end up enter");
    story.press("1 esc");
    assert_eq!(story.place(), Place::Inbox);
    let all = [&["▸chapter:048:draft*", "chapter:002:draft"], &rest[..], &["chapter:100:draft"]].concat();
    assert_eq!(steps(&story), all, "the selection stays with its gate");

    story.restart();
    assert_eq!(steps(&story), [""; 0], "nothing can be chosen before it stands where it stays");
    story.scan();
    assert_eq!(steps(&story), all);
}

#[test]
fn a_draft_says_what_is_missing_and_a_cleared_one_is_none() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("enter").wait(1).press("1 esc");
    let says = story.lines(Part::Pane, 100);
    assert!(
        says.contains("draft, missing: note") && story.shown().contains("draft 1/2"),
        "{}",
        story.shown()
    );

    story.press("enter tab").burst("别让他回头").press("esc esc");
    assert_eq!(story.place(), Place::Inbox);
    let says = story.lines(Part::Pane, 100);
    assert!(says.contains("draft, not submitted") && !says.contains("missing"), "{says}");
    assert_eq!(story.shown().matches("not submitted").count(), 1, "{}", story.shown());

    let mut story = Story::of(&format!("[{}]", question("platform", "single_choice", true, &["qidian"], "")));
    story.scan();
    story.press("enter").wait(1).press("space").press("backspace esc");
    assert_eq!(story.place(), Place::Inbox);
    let is_waiting = |shown: &str| shown.contains("● chapter:048:draft") && !shown.contains("draft,");
    assert!(is_waiting(&story.shown()), "{}", story.shown());
    story.restart();
    story.scan();
    assert!(is_waiting(&story.shown()), "{}", story.shown());
    story.press("enter").wait(1).press("f7");
    assert_eq!(story.form().draft.replies[0].picks.len(), 1, "what was cleared is back");
}

#[test]
fn an_old_filter_is_selected_whole_and_replaced() {
    let mut story = Story::of(&gate());
    put(&story, "volume:outline", 0);
    story.scan();
    story.burst("048").press("enter esc");
    assert_eq!((story.place(), steps(&story)), (Place::Inbox, vec!["▸chapter:048:draft".to_owned()]));
    story.press("ctrl+f").burst("volume");
    assert_eq!(steps(&story), ["▸volume:outline"]);
    story.press("enter esc ctrl+f backspace");
    assert_eq!(steps(&story).len(), 2, "a deletion takes it away");
    story.burst("048").press("enter esc ctrl+f left").burst("1");
    assert_eq!(steps(&story), [""; 0], "a key that moves the caret keeps it");
}

#[test]
fn rows_of_unusable_packets_are_told_apart() {
    let mut story = Story::of(&gate());
    let bad = packet(&gate()).replace("single_choice", "choice");
    for name in ["one", "two"] {
        story.put(&format!("staging/manifests/{name}.packet.json"), &bad);
    }
    story.restart();
    story.scan();
    let shown = story.shown();
    for name in ["one", "two"] {
        assert!(shown.contains(&format!("平台绑定 · {name} · ")), "{shown}");
    }
}

#[test]
fn enter_on_a_malformed_packet_says_why_nothing_opens() {
    let mut story = Story::of(&gate());
    story.put(PACKET, "{\"answer_path\":\"a.json\"}");
    story.scan();
    story.wait(1).press("enter");
    assert!(story.notice().contains("has errors: nothing can be answered"), "{}", story.notice());
    assert!(story.shown().contains("1 problem"), "{}", story.shown());
}

#[test]
fn a_malformed_packet_that_is_named_is_selected_and_its_problems_are_in_sight() {
    let mut story = Story::of(&gate());
    let path = put(&story, "volume:outline", 60);
    let bad = packet(&gate()).replace("single_choice", "choice").replace(r#""topic""#, r#""subject""#);
    let bad = bad.replace(r#""header""#, r#""heading""#);
    story.put(&path, &bad);
    story.restart();
    story.open_gate(&*path);
    story.scan();
    let inbox = &story.model().inbox;
    assert_eq!(inbox.selected_path(), Some(path.into()));
    let count = inbox.selected().expect("a row").problems;
    assert!(
        !story.notice().contains('/') && story.notice().contains("it has errors, see its details"),
        "{}",
        story.notice()
    );
    let shown = story.shown();
    let pointers = shown.matches("✕ /novel_ask").count() + shown.matches("✕ question").count();
    assert!(count >= 4 && (pointers == count || shown.contains("more lines:")), "{count} {pointers} {shown}");
    assert!(pointers >= 4, "{shown}");
}
