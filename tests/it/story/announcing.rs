//! A gate that needs the author is said by its name, wherever he is, and takes nothing from him.

use super::{ANSWERS, Story, packet, question};
use novel_gate::console::action::Action;
use novel_gate::console::model::Place;
use std::fs;

fn gate() -> String {
    format!("[{}]", question("mood", "free_text", true, &[], ""))
}

/// The packet of another gate, with this step.
fn other(step: &str) -> String {
    let path = format!("staging/novel-ask/{}.answers.json", step.replace(':', "-"));
    packet(&gate()).replace("chapter:048:draft", step).replace(ANSWERS, &path)
}

fn arrive(story: &mut Story, step: &str) {
    story.put(&format!("staging/manifests/{}.packet.json", step.replace(':', "-")), &other(step));
    story.scan();
}

fn told(story: &mut Story) -> Vec<String> {
    story.console.runner().notices.drain(..).map(|gates| gates.body).collect()
}

#[test]
fn a_new_gate_is_named_and_further_ones_are_counted() {
    let mut story = Story::open(&gate());
    story.scan();
    story.press("esc").press("enter");
    assert_eq!(told(&mut story), [""; 0], "what was there at the start is no news");
    arrive(&mut story, "018:judge");
    assert_eq!(story.notice(), "New gate: 018:judge (Esc to the list)");
    assert_eq!(story.place(), Place::Form);
    arrive(&mut story, "019:judge");
    assert_eq!(story.notice(), "New gate: 019:judge +1 (Esc to the list)");
    story.press("f2");
    arrive(&mut story, "020:judge");
    assert_eq!(story.notice(), "New gate: 020:judge (Esc to the list)", "a key begins the count anew");
    assert_eq!(told(&mut story), ["New gate: 018:judge", "New gate: 019:judge", "新门控：020:judge"]);
    story.scan();
    assert_eq!(told(&mut story), [""; 0]);
}

#[test]
fn a_gate_that_becomes_blocked_is_named_and_one_that_opens_is_not() {
    let mut story = Story::open(&gate());
    story.scan();
    arrive(&mut story, "018:judge");
    told(&mut story);
    story.press("esc").press("enter");
    let record = "staging/novel-ask/018-judge.answers.json";
    story.put(record, "{}");
    story.scan();
    assert_eq!(story.notice(), "Blocked: 018:judge (Esc to the list)");
    assert_eq!(told(&mut story), ["Blocked: 018:judge"]);
    fs::remove_file(story.root().join(record)).expect("removed");
    story.scan();
    assert_eq!(told(&mut story), [""; 0], "it was held up before, too");
}

#[test]
fn a_sentence_that_stands_is_not_replaced() {
    let mut story = Story::open(&gate());
    story.scan();
    story.press("ctrl+c");
    let asked = story.notice();
    arrive(&mut story, "018:judge");
    assert_eq!(story.notice(), asked);
    assert_eq!(told(&mut story), ["New gate: 018:judge"]);
}

#[test]
fn a_gate_that_is_being_redone_here_is_no_news_though_the_watch_sees_it_first() {
    let mut story = Story::open(&gate());
    story.scan();
    story.burst("x").press("enter ctrl+s");
    story.scan();
    story.press("esc");
    let effects = story.console.stack.act(Action::Redo);
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    assert_eq!(told(&mut story), [""; 0]);
    drop(effects);
}
