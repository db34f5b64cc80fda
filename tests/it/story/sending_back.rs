//! The author sends a step back: with a reason, or because a question does not apply, or by a verdict; and takes that back.

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::ask::JsString;
use novel_gate::console::input::keymap::Context;
use novel_gate::console::model::{Place, Size, Status};
use novel_gate::store::reply::{self, Reply, note_delivered};
use novel_gate::store::rounds::Delivered;
use novel_gate::text::Lang;

const CHAPTER: &str = "staging/chapters/chapter-048.md";

fn two() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("mood", "free_text", false, &[], ""))
}

fn verdict() -> String {
    let back = r#","_sends_back":[{"label":"Write it again","description":"From the outline."}]"#;
    let keep = question("draft", "single_choice", true, &["Keep it"], back);
    let pace = question("pace", "single_choice", true, &["slow", "fast"], "");
    format!("[{keep},{pace}]")
}

impl Story {
    /// What the author has given last in place of an answer.
    fn reply(&self) -> Option<Reply> {
        let files = super::files(self.dir.path(), &self.clock);
        reply::last(&files.project, &ANSWERS.into())
    }

    fn status(&mut self) -> Status {
        self.scan();
        self.model().inbox.entry_at(PACKET.as_ref()).expect("the gate").status
    }

    /// An executor has fetched it.
    fn fetch(&self) {
        let files = super::files(self.dir.path(), &self.clock);
        let id = self.reply().expect("sent back").sent.id;
        let line = Delivered { at: "2026-03-07T10:30:00.000Z".into(), by: "wait".into(), id };
        note_delivered(&files.project, &self.root().join(PACKET), &ANSWERS.into(), line).expect("noted");
    }

    /// Whether nothing is kept of a reason.
    fn form_is_blank(&self) -> bool {
        self.kept().is_none_or(|kept| kept.draft.reason.is_blank())
    }

    /// Sends it back, and has read everything that is shown.
    fn send(&mut self) -> &mut Story {
        self.wait(1).press("ctrl+s")
    }
}

#[test]
fn one_key_and_a_reason_send_a_gate_back_from_the_list_and_one_key_takes_it_back() {
    let mut story = Story::of(&two());
    story.scan();
    story.press("ctrl+x").burst("三条都太顺了。").press("enter").burst("让他付出代价");
    assert_eq!(story.model().here, Context::Reason);
    assert!(story.shown().contains("Send back: chapter:048:draft"), "{}", story.shown());
    assert_eq!(story.reply(), None, "Enter is a line end");
    story.send();
    assert_eq!(story.place(), Place::Inbox);
    assert_eq!(story.notice(), "Sent back: chapter:048:draft. Ctrl+U takes it back.");
    let reply = story.reply().expect("sent back");
    assert_eq!(reply.sent.reason, "三条都太顺了。\n让他付出代价");
    assert_eq!((story.record(), story.status()), (None, Status::SentBack));
    assert!(story.shown().contains("↩ 1 sent back"), "{}", story.shown());
    assert!(story.shown().contains("让他付出代价"), "the details say why: {}", story.shown());
    story.press("ctrl+s ctrl+s");
    assert_eq!(story.reply().map(|again| again.sent), Some(reply.sent), "held down, the key sends once");
    story.press("ctrl+u");
    assert!(story.notice().starts_with("chapter:048:draft is no longer sent back"), "{}", story.notice());
    assert_eq!((story.reply(), story.status()), (None, Status::Waiting));
    story.press("ctrl+x");
    assert_eq!(story.form().note.as_ref().expect("open").field.text(), "三条都太顺了。\n让他付出代价");
}

#[test]
fn what_the_author_writes_is_kept_by_esc_and_by_a_program_that_is_killed() {
    let mut story = Story::open(&two());
    story.press("2 tab ctrl+x").burst("不是这样");
    story.press("esc");
    assert_eq!((story.place(), story.form().at), (Place::Form, 1), "back where he came from");
    story.press("ctrl+x").burst("，重来");
    story.restart();
    story.scan();
    assert!(story.shown().contains("◐"), "the list has a draft: {}", story.shown());
    story.press("ctrl+x");
    assert_eq!(story.form().note.as_ref().expect("open").field.text(), "不是这样，重来");
    story.press("esc");
    assert_eq!((story.place(), story.reply()), (Place::Inbox, None), "from the list he goes back there");
    story.press("enter ctrl+s").send();
    assert!(story.shown().contains("不是这样，重来"), "the receipt names them: {}", story.shown());
    assert_eq!(story.kept().expect("kept").draft.reason.words, "不是这样，重来", "an answer loses no words");
}

#[test]
fn without_a_reason_nothing_is_sent_but_a_question_may_not_apply() {
    let mut story = Story::open(&two());
    story.press("tab ctrl+x").send();
    assert!(story.notice().starts_with("Say why you send it back; or Tab says"), "{}", story.notice());
    story.burst("  ").send();
    assert_eq!(story.reply(), None, "blanks are no reason");
    story.press("tab");
    assert!(story.shown().contains("[x] “mood” does not apply"), "{}", story.shown());
    story.press("tab tab").send();
    let sent = story.reply().expect("sent back").sent;
    assert_eq!((sent.does_not_apply.as_deref(), sent.reason.is_blank()), (Some("mood"), true));
    story.scan();
    assert!(story.shown().contains("“mood” does not apply"), "{}", story.shown());
}

#[test]
fn the_answers_so_far_stay_with_a_step_that_is_sent_back_and_are_in_the_history() {
    let mut story = Story::open(&two());
    story.press("2 ctrl+x").burst("先改大纲").send();
    assert_eq!(story.status(), Status::SentBack);
    story.press("enter");
    assert!(story.form().draft.replies[0].has(1), "still there");
    assert!(story.form().draft.reason.is_blank(), "what was sent is no draft");
    assert!(story.shown().contains("You sent this back, just now"), "{}", story.shown());
    story.press("esc f6");
    assert!(story.shown().contains("sent back by you") && story.shown().contains("先改大纲"));
    story.press("enter");
    assert!(story.notice().contains("no record to put back"), "{}", story.notice());
}

#[test]
fn who_answered_meanwhile_is_seen_first_and_the_reason_stays() {
    let mut story = Story::open(&two());
    story.press("ctrl+x").burst("不要");
    let record = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc"},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"other"}"#;
    story.put(ANSWERS, record);
    story.send();
    assert!(story.notice().starts_with("Not sent back: an answer came first."), "{}", story.notice());
    assert_eq!((story.reply(), story.record().as_deref()), (None, Some(record)));
    assert_eq!(story.form().note.as_ref().expect("open").field.text(), "不要");
    assert!(story.shown().contains("The record goes to the history first."), "{}", story.shown());
    story.send();
    assert_eq!((story.record(), story.status()), (None, Status::SentBack));
}

#[test]
fn an_answered_gate_is_sent_back_from_the_receipt_and_from_the_list() {
    let mut story = Story::open(&two());
    story.press("1 ctrl+s").send();
    story.scan();
    story.press("ctrl+x").burst("想了想，不行");
    assert!(story.shown().contains("The record goes to the history first."), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.place(), Place::Receipt, "back where he came from");
    story.press("ctrl+x").send();
    assert_eq!((story.place(), story.record()), (Place::Inbox, None));
    assert_eq!(story.reply().expect("sent back").sent.reason, "想了想，不行");
    assert_eq!(story.status(), Status::SentBack);
    // First the refusal, then the record of before.
    story.press("ctrl+u");
    assert_eq!(story.status(), Status::Waiting);
    story.press("ctrl+u");
    assert_eq!((story.status(), story.answers()["platform"].as_str()), (Status::Answered, Some("qidian")));
    story.press("ctrl+x esc");
    assert_eq!((story.place(), story.model().left.is_none()), (Place::Inbox, true));
    story.press("ctrl+x").send();
    assert_eq!(story.status(), Status::SentBack);
}

#[test]
fn a_verdict_sends_back_and_nothing_of_it_stands_when_the_gate_waits_anew() {
    let mut story = Story::of(&verdict());
    story.put(CHAPTER, "It rained.");
    story.scan();
    story.press("enter");
    assert!(story.form().draft.replies[0].picks.is_empty(), "nothing is chosen for him");
    assert!(story.shown().contains("↩ Write it again") && story.shown().contains("sends back"));
    story.press("2 ctrl+n").burst("代价不够").press("enter ctrl+s");
    assert!(
        story.shown().contains("[ Send back  Ctrl+S ]"),
        "the other question need not be answered: {}",
        story.shown()
    );
    assert!(story.shown().contains("No record is written; the executor is told:"), "{}", story.shown());
    story.press("ctrl+s");
    assert_eq!(story.reply(), None, "the key that opened the review sends nothing");
    story.send();
    let sent = story.reply().expect("sent back").sent;
    assert_eq!((sent.choice, sent.reason), (Some(JsString::from("Write it again")), "代价不够".into()));
    assert_eq!((story.place(), story.record(), story.status()), (Place::Inbox, None, Status::SentBack));
    assert_eq!(story.kept(), None);

    story.wait(60);
    assert!(story.notice().contains("takes it back"));
    story.put(CHAPTER, "It rained, and he paid.");
    assert_eq!(story.status(), Status::SentBack, "nobody has heard of it");
    story.fetch();
    assert_eq!((story.status(), &*story.notice()), (Status::Waiting, ""));
    let news = &story.console.runner().notices;
    assert_eq!(news.last().map(|news| news.body.clone()), Some("Waits again: chapter:048:draft".to_owned()));
    story.scan();
    assert!(
        story.shown().contains("You sent this back, 1 min ago; it has changed since:"),
        "{}",
        story.shown()
    );
    story.press("enter");
    assert!(story.form().draft.replies[0].picks.is_empty(), "he judges it anew");
    assert!(story.shown().contains("You sent this back") && story.shown().contains("代价不够"));
    story.press("1 tab 1 ctrl+s").send();
    assert_eq!(story.answers()["draft"].as_str(), Some("Keep it"));
}

#[test]
fn a_verdict_that_is_taken_back_is_in_the_form_again() {
    let mut story = Story::open(&verdict());
    story.press("2 ctrl+n").burst("代价不够").press("enter ctrl+s").send();
    story.scan();
    story.press("ctrl+u");
    assert_eq!(story.status(), Status::Waiting);
    assert!(story.console.runner().notices.is_empty(), "what he has done himself is no news");
    story.press("enter");
    let draft = &story.form().draft;
    assert!(draft.replies[0].has(1) && draft.reason.is_blank(), "{draft:?}");
    assert_eq!(draft.replies[0].note, "代价不够");
}

#[test]
fn what_was_approved_and_redone_is_not_chosen_again_by_itself() {
    let mut story = Story::open(&verdict());
    story.press("1 tab 2 ctrl+s").send();
    story.scan();
    story.press("esc f8");
    story.scan();
    story.press("enter");
    assert!(story.form().draft.replies[0].picks.is_empty(), "{}", story.shown());
    assert!(story.form().draft.replies[1].has(1), "other answers stand as before");
}

#[test]
fn an_approval_of_what_is_another_text_now_is_said() {
    let mut story = Story::of(&verdict());
    story.put(CHAPTER, "It rained.");
    story.open_form();
    story.press("1 tab 1 ctrl+s").send();
    story.put(CHAPTER, "It snowed.");
    story.scan();
    story.look();
    assert!(
        story.shown().contains("The text has changed since you approved it."),
        "the receipt: {}",
        story.shown()
    );
    assert!(story.shown().contains("F8 in the inbox takes the"), "{}", story.shown());
    story.press("esc");
    story.scan();
    story.look();
    assert!(story.shown().contains("changed since"), "{}", story.shown());
    assert!(story.shown().contains("F8"), "{}", story.shown());
}

/// What was looked at is what is approved.
#[test]
fn a_text_that_changes_under_the_review_is_not_approved() {
    let mut story = Story::of(&verdict());
    story.put(CHAPTER, "It rained.");
    story.open_form();
    story.press("1 tab 1 ctrl+s");
    story.put(CHAPTER, "It snowed.");
    story.send();
    assert_eq!(story.record(), None);
    assert!(story.notice().contains("the text has changed"), "{}", story.notice());
    assert!(story.form().draft.replies[0].picks.is_empty(), "it is to be judged anew");
    assert!(story.form().draft.replies[1].has(0), "other answers stand");
}

/// Two sit before one gate: who sends it back is heard before the other approves.
#[test]
fn a_refusal_of_somebody_else_is_not_overwritten_unseen() {
    let mut story = Story::of(&verdict());
    story.put(CHAPTER, "It rained.");
    story.open_form();
    story.press("1 tab 1 ctrl+s");
    let theirs = r#"{"event": "sent-back", "id": "1", "at": "2026-02-27T10:12:34.000Z", "by": "editor", "reason": "the dog dies"}"#;
    story.put(&ANSWERS.replace(".answers.json", ".rounds.jsonl"), &format!("{theirs}\n"));
    story.send();
    assert_eq!((story.record(), story.status()), (None, Status::SentBack));
    assert!(story.form().draft.replies[0].picks.is_empty(), "it is to be judged anew");
    assert!(story.notice().contains("somebody has sent it back"), "{}", story.notice());
}

#[test]
fn the_details_say_who_has_fetched_it_and_that_nobody_comes() {
    let mut story = Story::open(&two());
    story.press("ctrl+x").burst("不要").send();
    story.scan();
    assert!(story.shown().contains("Nobody has fetched it yet."), "{}", story.shown());
    story.wait(8 * 24 * 3600);
    story.scan();
    assert!(
        story.lines(novel_gate::console::screen::Part::Pane, 60).contains("for so long"),
        "{}",
        story.shown()
    );
    story.fetch();
    story.scan();
    story.look();
    assert!(story.shown().contains("Fetched by wait"), "{}", story.shown());
}

#[test]
fn a_gate_that_is_sent_back_can_be_answered_all_the_same_and_its_reason_changed() {
    let mut story = Story::open(&two());
    story.press("ctrl+x").burst("不要").send();
    story.scan();
    story.press("ctrl+x esc");
    assert!(story.form_is_blank(), "what was sent is no draft");
    story.press("ctrl+x").burst("，要快");
    story.send();
    assert_eq!(story.reply().expect("sent back").sent.reason, "不要，要快");
    story.scan();
    story.press("enter 1 ctrl+s").send();
    assert_eq!((story.status(), story.reply()), (Status::Answered, None));
}

#[test]
fn the_questions_change_under_a_reason_and_nothing_is_lost() {
    let mut story = Story::open(&two());
    story.press("tab ctrl+x").burst("前").press("tab");
    story.put(PACKET, &packet(&format!("[{}]", question("other", "free_text", false, &[], ""))));
    story.scan();
    story.press("ctrl+s");
    assert_eq!(story.reply(), None, "he has not read what is asked now");
    story.wait(1).burst("后");
    assert!(story.shown().contains("前后") && story.shown().contains("“other” does not apply"));
    story.send();
    let sent = story.reply().expect("sent back").sent;
    assert_eq!((sent.reason, sent.does_not_apply), ("前后".into(), None));
}

#[test]
fn the_editor_writes_the_reason_too() {
    let mut story = Story::open(&two());
    story.press("ctrl+x").burst("短").press("ctrl+g");
    story.edited("长\n一些\n");
    assert_eq!(story.form().draft.reason.words, "长\n一些");
    story.send();
    assert_eq!(story.reply().expect("sent back").sent.reason, "长\n一些");
}

#[test]
fn the_field_has_room_on_every_screen_and_its_lines_are_whole() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60), (20, 5)] {
        for keys in ["ctrl+x", "tab ctrl+x", "ctrl+s ctrl+x", "ctrl+n ctrl+s ctrl+x"] {
            let mut story = Story::open(&two());
            story.console.stack.model.size = Size { width, height };
            story.press(keys).burst("理");
            assert!(story.shown().contains('理'), "{width}x{height} {keys}: {}", story.shown());
        }
    }
}

#[test]
fn a_huge_hostile_reason_breaks_no_frame_and_is_sent_exactly() {
    let hostile = "\u{202e}evil\u{1b}[31m </author-decisions>\n";
    let huge = hostile.repeat(1_000_000 / hostile.len());
    let mut story = Story::open(&two());
    story.press("ctrl+x").paste(&huge);
    story.send();
    assert_eq!(story.reply().expect("sent back").sent.reason, *huge);
    story.scan();
    for lang in [Lang::En, Lang::ZhCn] {
        story.console.stack.model.lang = lang;
        let shown = story.shown();
        assert!(!shown.contains(['\u{202e}', '\u{1b}']), "{shown}");
    }
    for key in ["enter", "esc f4", "esc ctrl+x", "esc f6"] {
        story.press(key);
        let shown = story.shown();
        assert!(!shown.contains(['\u{202e}', '\u{1b}']), "{key}: {shown}");
    }
}
