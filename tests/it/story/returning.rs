//! What a packet asked before and asks again is filled in again as the author gave it, and that is said once.

use super::{PACKET, Story, packet, question};
use novel_gate::console::model::Place;
use serde_json::json;

const OTHER: &str = r#","allow_other":true"#;

fn platform(labels: &[&str]) -> String {
    question("platform", "single_choice", false, labels, OTHER)
}

fn tags(labels: &[&str]) -> String {
    question("tags", "multi_choice", false, labels, OTHER)
}

fn text(id: &str) -> String {
    question(id, "free_text", false, &[], "")
}

/// The ways in which the author can be there or away while the packet changes.
#[derive(Clone, Copy, Debug)]
enum Where {
    InForm,
    InInbox,
    Restarted,
}

const ALL: [Where; 3] = [Where::InForm, Where::InInbox, Where::Restarted];

/// Another process writes the packet anew, and the author comes back to its form.
fn change(story: &mut Story, author: Where, questions: &[String]) {
    if !matches!(author, Where::InForm) {
        // What is open is kept for the questions as they are.
        story.press("esc esc esc");
        assert_eq!(story.place(), Place::Inbox);
    }
    story.put(PACKET, &packet(&format!("[{}]", questions.join(","))));
    if let Where::Restarted = author {
        story.restart();
    }
    story.scan();
    if !matches!(author, Where::InForm) {
        story.open_form();
    }
    story.wait(1);
}

#[test]
fn an_answer_whose_question_comes_back_is_filled_in_again_and_said_once() {
    for away in ALL {
        for back in ALL {
            let (whole, less) = ([platform(&["qidian"]), text("note")], [platform(&["qidian"])]);
            let mut story = Story::open(&format!("[{}]", whole.join(",")));
            story.press("1 tab").burst("别让他回头");
            change(&mut story, away, &less);
            let shown = story.shown();
            assert!(shown.contains("别让他回头"), "kept in sight, {away:?} {back:?}: {shown}");
            change(&mut story, back, &whole);
            assert_eq!(
                story.notice(),
                "Your answer to note fits again and is filled in.",
                "{away:?} {back:?}"
            );
            assert_eq!(story.form().draft.replies[1].text, "别让他回头");
            assert!(!story.shown().contains("new question"), "{away:?} {back:?}: {}", story.shown());
            story.press("tab");
            assert_eq!(story.form().field.text(), "别让他回头");
            story.restart();
            story.open_form();
            assert!(!story.notice().contains("again"), "said once: {}", story.notice());
            story.press("ctrl+s").wait(1).press("ctrl+s");
            assert_eq!(story.answers(), json!({"platform": "qidian", "note": "别让他回头"}));
        }
    }
}

#[test]
fn a_pick_whose_option_comes_back_is_picked_again_beside_the_others() {
    for away in ALL {
        for back in ALL {
            let mut story = Story::open(&format!("[{}]", tags(&["热血", "克制", "惊悚"])));
            story.press("1 2 3 end enter").burst("慢热").press("enter");
            change(&mut story, away, &[tags(&["热血", "惊悚"])]);
            assert_eq!(story.form().draft.replies[0].picks.len(), 3);
            change(&mut story, back, &[tags(&["克制", "惊悚", "热血"])]);
            assert!(story.notice().contains("fits again"), "{away:?} {back:?}: {}", story.notice());
            assert!(story.form().status.orphans.is_empty());
            story.press("ctrl+s").wait(1).press("ctrl+s");
            assert_eq!(story.answers(), json!({"tags": ["克制", "惊悚", "热血", "慢热"]}));
        }
    }
}

#[test]
fn several_questions_go_and_come_and_each_finds_its_own_answer() {
    for author in ALL {
        let all = [platform(&["qidian", "jjwxc"]), tags(&["热血"]), text("note"), text("promise")];
        let mut story = Story::open(&format!("[{}]", all.join(",")));
        story.press("end enter").burst("自建站").press("enter 1 ctrl+n").burst("备注").press("esc tab");
        story.burst("留言").press("tab").burst("诺言");
        change(&mut story, author, &[all[3].clone()]);
        change(&mut story, author, &[all[3].clone(), text("mood")]);
        change(&mut story, author, &[all[1].clone(), all[3].clone()]);
        assert_eq!(story.notice(), "Your answer to tags fits again and is filled in.", "{author:?}");
        change(&mut story, author, &all);
        assert_eq!(story.notice(), "2 of your answers fit again and are filled in.", "{author:?}");
        story.press("ctrl+s").wait(1).press("ctrl+s");
        let answers = json!({"platform": "自建站", "tags": ["热血"], "note": "留言", "promise": "诺言"});
        assert_eq!(story.answers(), answers);
        assert!(story.record().is_some_and(|record| record.contains("备注")), "and the note beside it");
    }
}

#[test]
fn what_was_cleared_does_not_come_back_as_its_default() {
    for author in ALL {
        let default = question("tags", "multi_choice", false, &["热血"], r#","default":["热血"]"#);
        let all = [default, text("note")];
        let mut story = Story::open(&format!("[{}]", all.join(",")));
        story.press("delete");
        change(&mut story, author, &all[1..]);
        change(&mut story, author, &all);
        story.press("ctrl+s").wait(1).press("ctrl+s");
        assert_eq!(story.answers(), json!({}), "{author:?}");
    }
}

#[test]
fn what_the_author_answered_instead_stays_and_the_old_answer_in_sight() {
    for author in ALL {
        let mut story = Story::open(&format!("[{}]", platform(&["qidian", "jjwxc"])));
        story.press("2");
        change(&mut story, author, &[platform(&["qidian"])]);
        story.press("1");
        change(&mut story, author, &[platform(&["qidian", "jjwxc"])]);
        assert_eq!(story.form().status.orphans.len(), 1, "{author:?}");
        story.press("ctrl+s").wait(1).press("ctrl+s");
        assert_eq!(story.answers(), json!({"platform": "qidian"}));
    }
}

#[test]
fn the_editors_text_waits_for_its_question() {
    let all = [platform(&["qidian"]), text("note")];
    let mut story = Story::open(&format!("[{}]", all.join(",")));
    story.press("tab").burst("写了").press("ctrl+g");
    story.put(PACKET, &packet(&format!("[{}]", all[0])));
    story.scan();
    story.edited("写了很久的话\n");
    change(&mut story, Where::Restarted, &all);
    assert_eq!(story.form().draft.replies[1].text.lossy(), "写了很久的话\n");
}
