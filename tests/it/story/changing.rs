//! The project changes under the author's hands: the author's place and words stay.

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::console::form::status::Warning;
use novel_gate::console::form::{Focus, Form};
use novel_gate::console::model::Place;
use novel_gate::console::page::Page;
use novel_gate::console::terminal::run_loop::Flow;
use serde_json::json;
use std::fs;
use std::path::Path;

const OTHER: &str = r#","allow_other":true"#;

fn gate(labels: &[&str], more: &str) -> String {
    let pick = question("platform", "single_choice", true, labels, more);
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

fn change(story: &mut Story, questions: &str) {
    story.put(PACKET, &packet(questions));
    story.reload();
}

/// As while the record is being written.
fn submitting(story: &mut Story) {
    story.job(|_| (), |(), cx| cx.on::<Form>(|form, _| form.status.submitting = true));
}

#[test]
fn own_words_go_on_while_the_packet_changes() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], OTHER));
    story.press("end enter").burst("自建");
    change(&mut story, &gate(&["qidian", "fanqie", "jjwxc"], OTHER));
    assert_eq!((story.form().focus, story.form().field.text()), (Focus::Field, "自建"));
    story.burst("站q").press("enter enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "自建站q"}));
}

#[test]
fn the_caret_stays_where_it_is_when_another_question_changes() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab").burst("首尾").press("left");
    change(&mut story, &gate(&["qidian", "fanqie"], ""));
    story.burst("中").press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian", "note": "首中尾"}));
}

#[test]
fn the_cursor_stays_with_its_option() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], ""));
    story.press("1 down");
    change(&mut story, &gate(&["fanqie", "qidian", "jjwxc"], ""));
    story.wait(1).press("enter enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "jjwxc"}));
}

#[test]
fn a_form_that_was_left_for_the_inbox_follows_its_packet() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], ""));
    story.press("1 tab").burst("先").press("esc esc");
    story.put(PACKET, &packet(&gate(&["jjwxc", "qidian"], "")));
    story.scan();
    let left = story.model().left.as_ref().expect("a form behind the inbox");
    assert_eq!(left.spec().questions[0].options[0].label, "jjwxc", "keys come as soon as it is open");
    story.put(PACKET, &packet(&format!("[{}]", question("note", "free_text", false, &[], ""))));
    story.scan();
    assert_eq!(story.model().inbox.drafts[Path::new(PACKET)].questions, 1);
}

#[test]
fn what_is_typed_while_the_packet_is_looked_at_is_not_lost() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab").burst("先");
    story.put(PACKET, &packet(&gate(&["qidian", "fanqie"], "")));
    let path = story.form().gate.path.clone();
    let looked = super::files(story.dir.path(), &story.clock).reload(&path);
    story.burst("后");
    story.job(|_| looked, |looked, cx| cx.on::<Form>(|form, cx| form.reloaded(looked, cx)));
    assert_eq!(story.form().field.text(), "先后");
    assert_eq!(story.form().draft.replies[1].text, "先后");
}

#[test]
fn keys_meant_for_a_field_that_went_away_do_nothing() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], OTHER));
    story.press("end enter").burst("自建");
    change(&mut story, &gate(&["qidian", "jjwxc"], ""));
    assert_eq!(story.form().focus, Focus::List);
    story.press("1 delete");
    assert_eq!(story.form().draft.replies[0].picks, []);
    assert!(story.notice().contains("this key was ignored"), "{}", story.notice());
    story.burst("站q").press("enter");
    assert_eq!(story.form().draft.replies[0].picks, []);
    assert_eq!(story.form().typed(), "站q", "what was meant for the field is in the filter");
    assert!(!matches!(story.flow, Flow::Quit(_)), "a letter of a word ended the program");
}

#[test]
fn why_nothing_was_written_goes_with_the_fault_of_the_packet() {
    let whole = packet(&gate(&["qidian", "jjwxc"], r#","default":"qidian""#));
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], r#","default":"qidian""#));
    story.press("ctrl+s").wait(1);
    story.put(PACKET, &whole[..40]);
    story.press("ctrl+s");
    assert!(story.notice().contains("The packet cannot be used"), "{}", story.notice());
    story.reload();
    assert!(story.notice().contains("The packet cannot be used"), "it is still so: {}", story.notice());
    change(&mut story, &gate(&["qidian", "jjwxc"], ""));
    assert_eq!(story.notice(), "");
    assert!(story.shown().contains("The questions changed in 1 place"), "{}", story.shown());
    assert!(story.shown().contains("It has no default any more."), "{}", story.shown());
}

#[test]
fn what_is_said_of_another_place_goes_when_the_packet_is_as_it_was() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    let first = packet(&gate(&["qidian"], ""));
    for (packet, said) in [(first.replace("gate.answers", "moved.answers"), true), (first, false)] {
        story.put(PACKET, &packet);
        story.reload();
        assert_eq!(story.banner().contains("in another place"), said, "{}", story.banner());
    }
}

#[test]
fn what_asked_for_a_key_once_more_goes_with_the_next_key() {
    let mut story = Story::open(&gate(&["qidian", "jjwxc"], ""));
    story.press("enter");
    assert!(
        story.notice().contains("Wait a moment, then press Enter to choose qidian"),
        "{}",
        story.notice()
    );
    story.burst("jj");
    assert_eq!(story.notice(), "", "another row is under the cursor");
}

#[test]
fn a_page_of_the_list_goes_with_its_packet() {
    let mut story = Story::of(&gate(&["qidian"], ""));
    story.scan();
    story.press("f4");
    assert!(story.find::<Page>().is_some());
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    assert!(story.find::<Page>().is_none(), "{}", story.shown());
    assert!(story.notice().contains("is no longer in the list"), "{}", story.notice());
}

#[test]
fn that_the_packet_changed_stays_said_until_the_review() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    change(&mut story, &gate(&["qidian", "fanqie"], ""));
    story.reload();
    story.wait(1).press("1");
    assert!(story.banner().contains("changed"), "{}", story.banner());
    story.press("tab tab");
    assert_eq!((story.place(), story.banner().as_str()), (Place::Review, ""));
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_draft_that_is_kept_again_does_not_hide_the_record_that_came() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.put(ANSWERS, "{}");
    story.reload();
    let state = story.kept_in();
    fs::remove_dir_all(&state).expect("there was one");
    fs::write(&state, "in the way").expect("written");
    story.press("1");
    assert!(story.form().status.warnings.contains_key(&Warning::Unkept), "the more urgent one of the two");
    assert!(story.banner().contains("cannot be kept"), "{}", story.banner());
    fs::remove_file(&state).expect("removed");
    story.press("1");
    assert!(!story.form().status.warnings.contains_key(&Warning::Unkept));
    assert!(story.banner().contains("already an invalid record"), "{}", story.banner());
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn the_form_behind_the_inbox_is_the_newest_there_is() {
    let mut story = Story::of(&gate(&["qidian"], ""));
    story.scan();
    story.press("enter 1 tab").burst("只在内存里").press("esc esc");
    fs::remove_dir_all(story.kept_in()).expect("drafts were kept");
    story.press("enter");
    assert_eq!((story.place(), story.form().field.text()), (Place::Form, "只在内存里"));
    assert_eq!(story.notice(), "", "nothing had to be restored");
}

#[test]
fn good_news_does_not_hide_that_the_packet_is_gone() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab");
    story.restart();
    story.open_form();
    assert!(story.notice().contains("restored"), "{}", story.notice());
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.reload();
    story.burst("字");
    assert_eq!(story.notice(), "");
    assert!(story.banner().contains("gone"), "{}", story.banner());
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_draft_that_cannot_be_read_is_said_to_be_set_aside() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1");
    story.damage_state();
    story.restart();
    story.open_form();
    assert!(story.notice().contains("set aside"), "{}", story.notice());
}

#[test]
fn nothing_is_kept_anew_while_the_record_is_being_written() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1");
    submitting(&mut story);
    story.console.runner().done.clear();
    story.press("ctrl+c ctrl+z f10");
    assert!(!story.console.runner().done.contains(&"save"), "{:?}", story.console.runner().done);
}

#[test]
fn a_new_packet_does_not_slip_under_the_cursor() {
    let mut story = Story::of(&gate(&["qidian"], ""));
    story.scan();
    let newer = packet(&gate(&["qidian"], "")).replace("novel-ask/gate", "novel-ask/newer");
    story.put("staging/manifests/newer.packet.json", &newer);
    story.scan();
    assert_eq!(story.model().inbox.len(), 2);
    assert_eq!(story.model().inbox.selected_path().as_deref(), Some(Path::new(PACKET)));
    story.press("enter 1 tab enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
    story.scan();
    story.press("esc");
    let next = story.model().inbox.selected_path();
    assert_eq!(next.as_deref(), Some(Path::new("staging/manifests/newer.packet.json")));
}

#[test]
fn what_is_typed_behind_the_editor_key_comes_behind_its_text() {
    let note = question("note", "free_text", false, &[], "");
    let mut story = Story::open(&format!("[{note}]"));
    story.burst("前").press("ctrl+g");
    assert!(matches!(story.flow, Flow::Edit(_)));
    story.burst("后");
    story.edited("编辑器里的话\n");
    assert_eq!(story.form().field.text(), "编辑器里的话后");
}

#[test]
fn the_editors_text_is_kept_though_its_question_is_gone() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("tab ctrl+g");
    let pick = question("platform", "single_choice", true, &["qidian"], "");
    change(&mut story, &format!("[{pick}]"));
    story.edited("写了很久的话");
    assert_eq!(story.form().status.orphans[0].words, "写了很久的话");
    let kept = story.kept().expect("the draft");
    assert_eq!(kept.orphans[0].words, "写了很久的话");
}

#[test]
fn own_words_stay_one_line() {
    let mut story = Story::open(&gate(&["qidian"], OTHER));
    story.press("end enter f6").burst("两").press("ctrl+g");
    story.edited("两\n行\n");
    story.press("enter");
    assert_eq!(story.form().at, 1, "Enter takes own words");
    story.press("enter ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "两 行"}));
}

#[test]
fn a_record_that_comes_back_as_it_was_is_intact_again() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab enter ctrl+s");
    let record = story.record().expect("a record");
    let intact =
        |story: &Story| story.model().receipt.as_ref().expect("a receipt").progress.status.is_intact();
    story.put(ANSWERS, "");
    story.look();
    assert!(!intact(&story));
    assert!(story.shown().contains("not a valid record"), "{}", story.shown());
    story.put(ANSWERS, &record);
    story.look();
    assert!(intact(&story));
}

#[test]
fn a_fault_of_the_program_does_not_end_the_submitting_for_ever() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab enter");
    submitting(&mut story);
    story.console.done(None, true);
    story.press("ctrl+s");
    assert_eq!(story.answers(), json!({"platform": "qidian"}));
}

#[test]
fn undo_is_for_the_selected_gate_once_the_redone_one_is_answered() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("1 tab enter ctrl+s");
    story.scan();
    story.press("esc f8");
    assert!(story.model().inbox.redone.is_some());
    story.open_form();
    story.press("tab tab ctrl+s");
    assert!(story.record().is_some());
    assert_eq!(story.model().inbox.redone, None);
}

#[test]
fn a_step_that_asks_another_standing_question_opens_that_one() {
    let mut story = Story::open(&gate(&["qidian"], ""));
    story.press("esc esc");
    let asks = |id: &str| {
        let asked = question(id, "free_text", true, &[], "");
        format!(
            r#"{{"_steps": ["chapter:*:draft"], "version": 1, "topic": "T{id}", "questions": [{asked}]}}"#
        )
    };
    story.put("questions/a.question.json", &asks("a"));
    story.put("questions/b.question.json", &asks("b"));
    story.put(PACKET, r#"{"step": "chapter:048:draft", "agent": "codex"}"#);
    story.scan();
    story.press("enter");
    assert_eq!(story.form().spec().topic, "Ta");
    story.burst("半句");
    let record = r#"{"version": 1, "topic": "Ta", "answers": {"a": "x"}, "answered_at": "2026-02-27T10:12:34.000Z",
        "answered_by": "codex"}"#;
    story.put("staging/novel-ask/a-chapter-048-draft.answers.json", record);
    story.scan();
    let form = story.form();
    assert_eq!(form.spec().topic, "Ta", "nothing is carried over to another question");
    assert!(form.status.warnings.contains_key(&Warning::Packet));
    story.press("esc esc");
    assert!(!story.model().inbox.drafts.contains_key(Path::new(PACKET)), "of the question that is asked now");
    story.press("enter");
    assert_eq!((story.form().spec().topic.clone(), story.form().field.text()), ("Tb".into(), ""));
    story.burst("另一句").press("enter ctrl+s");
    let answers = story.root().join("staging/novel-ask/b-chapter-048-draft.answers.json");
    assert!(fs::read_to_string(answers).expect("a record").contains("另一句"));
}
