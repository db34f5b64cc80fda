//! What was answered the last time, at another gate.

use super::{ANSWERS, PACKET, Story, packet, question, write};

const NEXT: &str = "staging/manifests/next.packet.json";

fn platform(id: &str, options: &[&str], more: &str) -> String {
    format!("[{}]", question(id, "single_choice", true, options, more))
}

/// `jjwxc` was answered at one gate; another one that asks this is open.
fn next_gate(questions: &str) -> Story {
    let mut story = Story::open(&platform("platform", &["qidian", "jjwxc"], ""));
    story.press("2 enter ctrl+s esc");
    assert!(story.record().is_some_and(|record| record.contains("jjwxc")));
    let text = packet(questions).replace(ANSWERS, "staging/novel-ask/next.answers.json");
    write(&story.dir.path().join("book").join(NEXT), &text);
    story.scan();
    story.wait(60).open_gate(NEXT);
    story
}

fn written(story: &mut Story) -> String {
    story.press("enter ctrl+s");
    let path = story.dir.path().join("book/staging/novel-ask/next.answers.json");
    std::fs::read_to_string(path).expect("a record")
}

#[test]
fn the_answer_of_the_last_time_is_offered_and_never_given_by_itself() {
    let asked = platform("platform", &["web", "jjwxc", "qidian"], r#","default":"web""#);
    let mut story = next_gate(&asked);
    let shown = story.shown();
    assert!(shown.contains("last time") && shown.contains("jjwxc"), "{shown}");
    assert!(written(&mut story).contains("\"platform\": \"web\""), "the default stands");

    let mut story = next_gate(&asked);
    story.press("f7");
    assert!(!story.shown().contains("last time"), "it stands in the answer now");
    assert!(written(&mut story).contains("\"platform\": \"jjwxc\""));

    let blank = platform("platform", &["web", "jjwxc", "qidian"], "");
    let mut story = next_gate(&blank);
    story.press("f7 f7");
    assert!(story.form().draft.replies[0].picks.is_empty(), "F7 brings back that there was none");
    story.press("f7");
    assert!(written(&mut story).contains("\"platform\": \"jjwxc\""));

    let mut story = next_gate(&asked);
    story.press("3 f7 f7");
    assert!(written(&mut story).contains("\"platform\": \"qidian\""), "F7 brings one's own back");
}

#[test]
fn what_f7_brought_and_took_away_is_not_put_aside() {
    let blank = question("platform", "single_choice", false, &["web", "jjwxc"], r#","allow_other":true"#);
    let mut story = next_gate(&format!("[{blank},{}]", question("remarks", "free_text", false, &[], "")));
    story.press("ctrl+s").wait(1);
    assert!(story.shown().contains("F7 other answer"), "{}", story.shown());
    story.press("f7");
    assert!(story.shown().contains("✓ platform  jjwxc"), "{}", story.shown());
    story.press("f7");
    let shown = story.shown();
    assert!(shown.contains("○ platform  left blank") && !shown.contains("your earlier answer"), "{shown}");
    assert!(story.form().draft.replies[0].alternatives.is_empty());
    // One's own is, and stays within reach beside the other.
    story.press("enter 1 ctrl+s").wait(1).press("f7");
    assert!(story.shown().contains("your earlier answer: web"), "{}", story.shown());
    story.press("f7");
    let shown = story.shown();
    assert!(shown.contains("✓ platform  web") && !shown.contains("your earlier answer"), "{shown}");
}

#[test]
fn another_id_with_the_same_text_is_the_same_question() {
    // `question` makes the text of the id; a renamed question keeps its text.
    let asked =
        platform("platform", &["jjwxc", "web"], "").replacen("\"id\":\"platform\"", "\"id\":\"site\"", 1);
    let mut story = next_gate(&asked);
    story.press("f7");
    assert!(written(&mut story).contains("\"site\": \"jjwxc\""));
}

#[test]
fn another_text_with_the_same_id_is_another_question() {
    // Relayed questions are all `q1`, `q2`.
    let asked = platform("platform", &["qidian", "jjwxc"], "").replacen(
        "\"question\":\"",
        "\"question\":\"Should Mara die? ",
        1,
    );
    let mut story = next_gate(&asked);
    assert!(!story.shown().contains("last time"), "{}", story.shown());
    assert!(story.form().other_answer(0).is_none());
    story.press("2 f7");
    assert!(written(&mut story).contains("\"platform\": \"jjwxc\""));
}

#[test]
fn a_question_that_is_worded_anew_keeps_the_last_answer_of_its_own_gate() {
    let asked = platform("platform", &["qidian", "jjwxc"], "");
    let mut story = Story::open(&asked);
    story.press("2 enter ctrl+s esc");
    story.scan();
    story.wait(60).press("f8");
    let text = packet(&asked).replacen("\"question\":\"", "\"question\":\"Anew: ", 1);
    write(&story.root().join(PACKET), &text);
    story.scan();
    story.wait(60).open_gate(PACKET);
    assert!(story.form().last_time(0).is_none());
    assert!(story.form().draft.replies[0].picks.len() == 1 || story.form().other_answer(0).is_some());
}

#[test]
fn the_same_id_counts_before_the_same_text() {
    // Every question of `question` has one text: the first of the two would do by its text alone.
    let both = ["mood", "platform"].map(|id| question(id, "single_choice", true, &["qidian", "jjwxc"], ""));
    let mut story = Story::open(&format!("[{}]", both.join(",")));
    story.press("1 enter 2 enter ctrl+s esc");
    let asked = platform("platform", &["qidian", "jjwxc"], "");
    let text = packet(&asked).replace(ANSWERS, "staging/novel-ask/next.answers.json");
    write(&story.dir.path().join("book").join(NEXT), &text);
    story.scan();
    story.wait(60).open_gate(NEXT);
    story.press("f7");
    assert!(written(&mut story).contains("\"platform\": \"jjwxc\""));
}

#[test]
fn an_answer_that_fits_no_more_is_not_offered() {
    let story = next_gate(&platform("platform", &["qidian", "web"], ""));
    assert!(!story.shown().contains("last time"), "{}", story.shown());
    assert!(story.form().other_answer(0).is_none());
}

#[test]
fn what_was_answered_at_the_gate_itself_is_no_last_time() {
    let mut story = Story::open(&platform("platform", &["qidian", "jjwxc"], ""));
    story.press("2 enter ctrl+s esc");
    story.scan();
    story.wait(60).press("f8");
    story.scan();
    story.open_gate(PACKET);
    assert!(story.form().last_time(0).is_none());
}

#[test]
fn the_other_answer_taken_in_the_review_stands_when_the_row_is_opened() {
    let mut story = next_gate(&format!(
        "[{},{}]",
        question("platform", "single_choice", true, &["web", "jjwxc"], ""),
        question("remarks", "free_text", false, &[], "")
    ));
    story.press("1 enter ctrl+s").wait(1).press("f7 enter enter").wait(1).press("ctrl+s");
    let record = std::fs::read_to_string(story.root().join("staging/novel-ask/next.answers.json"));
    assert!(record.expect("a record").contains("\"platform\": \"jjwxc\""));
}
