//! The history of a gate, looked at and put back.

use super::{ANSWERS, PACKET, Story, files, packet, question};
use crate::kept;
use novel_gate::console::action::Action;
use novel_gate::console::field::Edit;
use novel_gate::console::history::view::{HistoryView, Scope};
use novel_gate::console::model::{Place, Size};
use novel_gate::console::prompt::Prompt;
use novel_gate::store::history::forget;
use novel_gate::text::Lang;
use std::collections::HashSet;
use std::fs;

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{pick},{}]", question("note", "free_text", false, &[], ""))
}

/// Answered `jjwxc` with 旧话, removed, answered `qidian` with 新话; the author is back in the inbox.
fn answered_twice() -> (Story, String, String) {
    let mut story = Story::open(&gate());
    story.press("2 tab").burst("旧话").press("enter ctrl+s");
    let first = story.record().expect("a record");
    story.press("esc");
    story.scan();
    story.wait(60).press("f8");
    story.scan();
    assert_eq!(story.record(), None);
    story.open_form();
    story.press("1 tab ctrl+u").burst("新话").press("enter ctrl+s");
    let second = story.record().expect("a record");
    assert_ne!(first, second);
    story.press("esc");
    story.scan();
    story.wait(60);
    (story, first, second)
}

fn history(story: &Story) -> &HistoryView {
    story.find::<HistoryView>().expect("a history")
}

fn reasons(story: &Story) -> Vec<&'static str> {
    history(story).found.rows.iter().map(|entry| entry.reason.name()).collect()
}

#[test]
fn entries_stand_newest_first_with_what_changed() {
    let (mut story, ..) = answered_twice();
    story.press("f6");
    assert_eq!(story.place(), Place::History);
    assert_eq!(reasons(&story), ["answered", "redone", "answered"]);
    let shown = story.press("f4").shown();
    for words in ["− jjwxc", "+ qidian", "− 旧话", "+ 新话"] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    story.press("esc end f4");
    let shown = story.shown();
    assert!(shown.contains("jjwxc") && !shown.contains("qidian"), "{shown}");
    story.press("esc esc");
    assert_eq!((story.place(), story.find::<HistoryView>().is_none()), (Place::Inbox, true));
}

#[test]
fn an_entry_comes_back_over_nothing() {
    let (mut story, first, _) = answered_twice();
    fs::remove_file(story.root().join(ANSWERS)).expect("redone");
    story.scan();
    story.press("f6 end enter");
    assert!(story.shown().contains("No record is there now."), "{}", story.shown());
    assert_eq!(story.record(), None, "it is asked first");
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&first));
    assert_eq!(story.notice(), "The record is back as it was in this entry.");
    assert_eq!(reasons(&story), ["restored", "answered", "redone", "answered"]);
}

#[test]
fn an_entry_takes_the_place_of_the_record_that_was_shown() {
    let (mut story, first, second) = answered_twice();
    story.press("f6 end enter esc");
    assert_eq!(story.record().as_ref(), Some(&second), "no means no");
    story.press("enter enter");
    assert_eq!(story.record().as_ref(), Some(&first));
    assert_eq!(reasons(&story), ["restored", "replaced", "answered", "redone", "answered"]);
    let kept = history(&story).found.rows[1].bytes().expect("its bytes");
    assert_eq!(kept, second.as_bytes(), "what was there is in the history");
    story.press("home enter");
    assert_eq!(story.notice(), "The current record is exactly this one.");
    assert!(story.is_open());
}

#[test]
fn a_record_that_changed_meanwhile_is_left_alone() {
    let (mut story, _, second) = answered_twice();
    story.press("f6 end enter");
    let other = second.replace("新话", "别人的话");
    story.put(ANSWERS, &other);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&other));
    assert!(story.notice().starts_with("Not restored."), "{}", story.notice());
    assert_eq!(reasons(&story)[0], "seen", "and it is shown");
    // Shown now, it may be replaced.
    story.press("end enter enter");
    assert!(story.record().expect("a record").contains("旧话"));
}

#[test]
fn a_record_that_came_meanwhile_is_left_alone() {
    let (mut story, _, second) = answered_twice();
    fs::remove_file(story.root().join(ANSWERS)).expect("redone");
    story.press("f6 end enter");
    story.put(ANSWERS, &second);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&second));
    assert!(story.notice().starts_with("Not restored."), "{}", story.notice());
}

#[test]
fn words_narrow_the_entries() {
    let (mut story, ..) = answered_twice();
    story.press("f6 ctrl+f").burst("新话");
    assert_eq!(reasons(&story), ["answered"]);
    assert_eq!(history(&story).found.all, 3);
    story.burst("没有");
    assert_eq!(reasons(&story), Vec::<&str>::new());
    story.press("enter enter");
    assert!(story.is_open(), "there is nothing to put back");
    story.press("esc");
    assert_eq!((reasons(&story).len(), story.place()), (3, Place::History));
}

#[test]
fn what_is_typed_is_looked_for_in_all_gates_and_the_gate_comes_back() {
    let (mut story, ..) = answered_twice();
    let other = packet(&gate()).replace("gate.answers", "other.answers").replace("048:draft", "049:draft");
    story.put("staging/manifests/other.packet.json", &other);
    let long = format!("{}把伞还给她。", "雨一直下。\n".repeat(60));
    let record = |text: &str| {
        format!(
            r#"{{"version":1,"topic":"平台绑定","answers":{{"platform":"jjwxc","note":{}}},"answered_at":"2026-02-27T02:12:34.567Z","answered_by":"codex"}}"#,
            serde_json::json!(text)
        )
    };
    story.put("staging/novel-ask/other.answers.json", &record(&long));
    story.scan();
    story.press("f6 down");
    assert_eq!(reasons(&story), ["answered", "redone", "answered"]);
    assert!(story.shown().contains("qidian · 新话"), "rows say what was answered: {}", story.shown());
    story.burst("把伞");
    let shown = story.shown();
    assert!(shown.contains("History of the whole project") && shown.contains("chapter:049:draft"), "{shown}");
    assert_eq!(
        shown.matches("把伞还给她").count(),
        2,
        "in its row, and in the details, scrolled to: {shown}"
    );
    story.press("esc");
    assert!(!story.shown().contains("History of the whole project"), "{}", story.shown());
    assert_eq!((reasons(&story).len(), history(&story).row), (3, 1), "where it was");
    story.burst("ｑｉｄｉａｎ").press("backspace backspace backspace backspace backspace backspace");
    assert_eq!((reasons(&story).len(), history(&story).found.scope.packet().is_some()), (3, true));
    story.burst("没有").press("tab");
    assert!(!story.shown().contains("History of the whole project"), "{}", story.shown());
    assert_eq!(history(&story).found.all, 3, "in that gate alone");
}

#[test]
fn what_comes_and_goes_is_shown_and_the_selection_stays() {
    let (mut story, first, second) = answered_twice();
    story.press("f6 end");
    let selected = history(&story).selected().expect("an entry").id();
    story.wait(60);
    story.put(ANSWERS, &second.replace("新话", "别人的话"));
    story.scan();
    assert_eq!(reasons(&story), ["seen", "answered", "redone", "answered"]);
    assert_eq!(history(&story).selected().expect("an entry").id(), selected);
    // A command erases while an entry is about to be put back: it is still the one that was shown.
    story.press("enter");
    let state = files(story.dir.path(), &story.clock).state;
    let connection = rusqlite::Connection::open(state.database()).expect("the state");
    connection.pragma_update(None, "foreign_keys", true).expect("they count");
    connection.execute("DELETE FROM entries WHERE id != ?1", [&selected]).expect("removed");
    story.look();
    assert_eq!(reasons(&story), ["seen", "answered"], "the record that is there is noted anew");
    assert_eq!(history(&story).selected().expect("an entry").id(), selected);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&first));
}

#[test]
fn what_a_command_forgets_is_gone_from_the_screen_and_cannot_be_put_back() {
    let (mut story, _, second) = answered_twice();
    story.press("f6 end enter");
    forget(&files(story.dir.path(), &story.clock).state, None).expect("erased");
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&second));
    assert!(story.notice().starts_with("Not restored."), "{}", story.notice());
    story.look();
    assert_eq!(reasons(&story), Vec::<&str>::new());
    assert!(story.shown().contains("Nothing has been written for this gate yet."), "{}", story.shown());
}

#[test]
fn the_whole_project_is_one_key_away_and_gates_that_are_gone_are_in_it() {
    let (mut story, ..) = answered_twice();
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    story.press("f6");
    assert!(story.shown().contains("History of the whole project"), "{}", story.shown());
    assert_eq!(reasons(&story), ["answered", "redone", "answered"]);
    assert!(story.shown().contains("chapter:048:draft · qidian · 新话"), "{}", story.shown());
    story.press("end enter");
    assert!(story.notice().contains("no packet asks for this record"), "{}", story.notice());
    assert!(story.is_open());
    // Its gate alone, though the packet is gone; and back.
    story.press("tab");
    assert!(story.shown().contains("chapter:048:draft") && !story.shown().contains("History of the whole"));
    assert_eq!(reasons(&story).len(), 3);
    story.press("tab");
    assert!(story.shown().contains("History of the whole project"));
    story.press("esc");
    assert_eq!(story.place(), Place::Inbox);
}

#[test]
fn an_entry_of_the_project_is_put_back_where_its_gate_is_now() {
    let (mut story, first, second) = answered_twice();
    let packet = fs::read_to_string(story.root().join(PACKET)).expect("the packet");
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.put("staging/elsewhere/other.json", &packet);
    story.scan();
    story.press("f6 tab end enter");
    assert!(story.shown().contains("It replaces the current record"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&first));
    assert!(
        history(&story)
            .found
            .rows
            .iter()
            .any(|entry| entry.bytes().is_ok_and(|bytes| bytes == second.as_bytes()))
    );
}

#[test]
fn an_unusable_packet_leads_to_the_history_of_the_project() {
    let (mut story, ..) = answered_twice();
    story.put(PACKET, "{ \"novel_ask\": 1 }");
    story.scan();
    story.press("f6");
    assert!(story.notice().contains("the whole project"), "{}", story.notice());
    assert_eq!(reasons(&story).len(), 3);
}

#[test]
fn a_packet_that_goes_leaves_its_history_on_the_screen() {
    let (mut story, ..) = answered_twice();
    story.press("f6");
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    story.look();
    assert_eq!((story.place(), reasons(&story).len()), (Place::History, 3));
    story.press("end enter");
    assert!(story.notice().contains("no packet asks"), "{}", story.notice());
}

#[test]
fn a_record_that_would_block_the_step_is_said_to() {
    let (mut story, ..) = answered_twice();
    let pick = question("platform", "single_choice", true, &["fanqie", "web"], "");
    story.put(PACKET, &packet(&format!("[{pick}]")));
    story.scan();
    story.press("f6 down enter");
    assert!(story.shown().contains("the step will be blocked"), "{}", story.shown());
}

#[test]
fn in_a_small_window_enter_shows_the_entry_first() {
    let (mut story, first, _) = answered_twice();
    story.console.stack.resize(Size { width: 40, height: 12 });
    story.press("f6 end");
    assert!(story.shown().contains("Enter show"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("jjwxc") && story.shown().contains("Enter put back"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("Put this record of"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&first));
}

#[test]
fn a_record_that_others_replaced_is_told_of_in_a_new_session_and_ours_comes_back() {
    let (mut story, _, second) = answered_twice();
    let theirs = second.replace("human", "codex").replace("新话", "别人的话");
    story.put(ANSWERS, &theirs);
    story.move_east();
    story.restart();
    story.scan();
    let shown = story.shown();
    assert!(
        shown.contains("Somebody replaced the record") && shown.contains("(human, today 18:13)"),
        "{shown}"
    );
    assert!(story.shown().contains("Ctrl+U put mine back"), "{}", story.shown());
    story.press("ctrl+u esc");
    assert_eq!(story.record().as_ref(), Some(&theirs), "no means no");
    story.press("ctrl+u enter");
    assert_eq!(story.record().as_ref(), Some(&second));
    story.scan();
    let shown = story.shown();
    assert!(shown.contains("replaced the one by codex") && !shown.contains("Somebody"), "{shown}");
    story.press("f6");
    assert!(
        history(&story)
            .found
            .rows
            .iter()
            .any(|entry| entry.bytes().is_ok_and(|bytes| bytes == theirs.as_bytes()))
    );
}

#[test]
fn a_record_that_others_removed_comes_back_too_and_never_over_a_new_one() {
    let (mut story, _, second) = answered_twice();
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.restart();
    story.scan();
    assert!(story.shown().contains("Somebody removed the record"), "{}", story.shown());
    story.press("ctrl+u");
    let theirs = second.replace("human", "codex");
    story.put(ANSWERS, &theirs);
    story.press("enter");
    assert_eq!(story.record().as_ref(), Some(&theirs));
    fs::remove_file(story.root().join(ANSWERS)).expect("removed");
    story.scan();
    story.press("ctrl+u enter");
    assert_eq!(story.record().as_ref(), Some(&second));
}

#[test]
fn a_removed_record_is_said_to_be_of_whoever_answered() {
    let (mut story, _, second) = answered_twice();
    let state = files(story.dir.path(), &story.clock).state;
    let connection = rusqlite::Connection::open(state.database()).expect("the state");
    connection.execute("UPDATE entries SET answered_by = 'Bob'", []).expect("his");
    for (theirs, says) in [(None, "was removed."), (Some(second.replace("human", "codex")), "was replaced.")]
    {
        match theirs {
            None => fs::remove_file(story.root().join(ANSWERS)).expect("removed"),
            Some(theirs) => story.put(ANSWERS, &theirs),
        }
        story.scan();
        let shown = story.shown().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains("The record of Bob, written with novel-gate (") && shown.contains(says),
            "{shown}"
        );
        assert!(!shown.contains("you wrote"), "{shown}");
    }
}

#[test]
fn only_the_entry_that_lies_there_bears_its_sign() {
    let (mut story, ..) = answered_twice();
    story.press("f8");
    story.scan();
    story.press("ctrl+u").scan();
    story.press("f6");
    assert_eq!(reasons(&story), ["restored", "redone", "answered", "redone", "answered"]);
    let there = |entry: &std::sync::Arc<_>| history(&story).is_there(entry);
    let signs: Vec<bool> = history(&story).found.rows.iter().map(there).collect();
    assert_eq!(signs, [true, false, false, false, false]);
}

#[test]
fn in_the_history_of_the_project_too_what_lies_there_bears_its_sign_and_is_not_put_back() {
    let (mut story, first, _) = answered_twice();
    story.press("f6 tab");
    let there = |story: &Story| -> Vec<bool> {
        history(story).found.rows.iter().map(|entry| history(story).is_there(entry)).collect()
    };
    assert_eq!(there(&story), [true, false, false]);
    assert!(!story.shown().contains("Enter put back"), "{}", story.shown());
    story.press("enter");
    assert!(story.notice().contains("exactly this one"), "{}", story.notice());
    assert!(story.find::<HistoryView>().is_some());
    // As soon as another one lies there.
    story.put(ANSWERS, &first);
    story.look();
    assert_eq!(history(&story).found.rows.len(), 3, "the look of the list notes it");
    assert_eq!(there(&story), [false, false, true]);
    assert!(story.shown().contains("Enter put back"), "{}", story.shown());
}

#[test]
fn undo_is_offered_only_where_there_is_something_to_undo() {
    let mut story = Story::of(&gate());
    story.scan();
    assert!(!story.shown().contains("Ctrl+U"), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.notice(), "There is nothing to put back here.");
    let (mut story, _, second) = answered_twice();
    assert!(!story.shown().contains("Ctrl+U"), "{}", story.shown());
    story.press("f8");
    story.scan();
    assert!(story.shown().contains("Ctrl+U put back"), "{}", story.shown());
    story.restart();
    story.scan();
    assert!(story.shown().contains("Ctrl+U put back"), "in a new session too: {}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.record().as_ref(), Some(&second));
    story.scan();
    story.press("f8");
    let theirs = second.replace("human", "codex");
    story.put(ANSWERS, &theirs);
    story.scan();
    assert!(!story.shown().contains("Ctrl+U"), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!(story.record().as_ref(), Some(&theirs), "a new record is there");
}

#[test]
fn redone_undone_and_redone_again_every_byte_is_as_it_was() {
    let (mut story, _, second) = answered_twice();
    for _ in 0..2 {
        story.press("f8");
        story.scan();
        assert_eq!(story.record(), None);
        story.press("ctrl+u");
        story.scan();
        assert_eq!(story.record().as_ref(), Some(&second));
        assert_eq!(story.notice(), "The answers of chapter:048:draft are back, byte for byte.");
    }
    story.press("ctrl+u");
    assert_eq!(
        (story.notice().as_str(), story.record().as_ref()),
        ("There is nothing to put back here.", Some(&second))
    );
}

#[test]
fn enter_does_what_the_footer_says_while_a_search_is_under_way() {
    let footer = |story: &Story| story.shown().trim_end().lines().last().map(str::to_owned).expect("a line");
    let (mut story, ..) = answered_twice();
    story.press("f6").burst("旧话");
    // The result is not there yet.
    story.console.stack.act(Action::Edit(Edit::Backspace));
    assert!(footer(&story).contains("Enter search"), "{}", footer(&story));
    story.console.stack.act(Action::Back);
    assert!(footer(&story).contains("Enter put back"), "{}", footer(&story));
    story.press("enter");
    assert!(story.find::<Prompt>().is_some(), "{}", story.shown());
}

#[test]
fn what_was_looked_for_before_is_not_shown_for_the_words_that_stand_there_now() {
    let (mut story, ..) = answered_twice();
    story.press("f6 ctrl+f").burst("新话");
    let scope = history(&story).found.scope.clone();
    let found = |files: &novel_gate::console::files::Files| {
        files.read_history(&scope, "旧话", None).expect("it is read")
    };
    story.job(found, |found, cx| {
        cx.on::<HistoryView>(|history, _| assert!(!history.refresh(found), "it is not wanted any more"));
    });
    assert_eq!(reasons(&story), ["answered"]);
    // Enter waits for what is looked for, so that the next key is for what was found.
    story.job(|_| (), |(), cx| cx.on::<HistoryView>(|history, _| history.found.words = "旧话".into()));
    story.press("enter");
    assert_eq!((history(&story).found.words.as_str(), reasons(&story)), ("新话", vec!["answered"]));
}

#[test]
fn a_gate_without_a_history_says_so() {
    let mut story = Story::of(&gate());
    story.scan();
    story.press("f6 enter");
    assert!(story.shown().contains("Nothing has been written for this gate yet."), "{}", story.shown());
    story.press("f2");
    assert_eq!(story.model().lang, Lang::ZhCn);
    assert!(story.shown().contains("还没有写入过任何记录"));
    assert!(!story.root().join(ANSWERS).exists() && story.root().join(PACKET).exists());
}

#[test]
fn what_a_page_says_of_a_key_holds_on_the_page_too() {
    let (mut story, _, second) = answered_twice();
    story.put(ANSWERS, &second.replace("human", "codex"));
    story.restart();
    story.scan();
    story.press("f4");
    assert!(
        story.shown().contains("Somebody replaced the record")
            && story.shown().contains("Ctrl+U put mine back"),
        "{}",
        story.shown()
    );
    story.press("ctrl+u enter");
    assert_eq!(story.record().as_ref(), Some(&second));
    story.press("f8");
    story.scan();
    story.press("enter 2 f4");
    assert!(
        story.shown().contains("F7 switches to the other answer")
            && story.shown().contains("F7 other answer")
    );
    story.press("f7");
    assert_eq!(story.form().draft.replies[0].picks, [novel_gate::ask::Pick::Option(0)]);
}

#[test]
fn another_note_differs_from_the_entry_before() {
    let mut story = Story::open(&gate());
    story.press("2 ctrl+n").burst("第三卷要改").press("enter ctrl+s").wait(1).press("ctrl+s esc");
    story.scan();
    story.wait(60).press("f8");
    story.scan();
    story.open_form();
    story.press("ctrl+n ctrl+u").burst("先试一卷").press("enter ctrl+s").wait(1).press("ctrl+s esc");
    story.scan();
    story.wait(60).press("f6");
    let shown = story.press("f4").shown();
    for words in ["− note: 第三卷要改", "+ note: 先试一卷", "  jjwxc"] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    assert!(!shown.contains("The same as the entry before it."), "{shown}");
    let shown = story.press("esc down f4").shown();
    assert!(shown.contains("The same as the entry before it."), "the redo changed nothing: {shown}");
    assert!(shown.contains("  note: 第三卷要改") && !shown.contains("− "), "{shown}");
}

#[test]
fn a_long_history_shows_its_first_page_at_once_and_goes_on() {
    let (mut story, ..) = answered_twice();
    let database = files(story.dir.path(), &story.clock).state.database().to_path_buf();
    kept::multiply(&database, 1_200);
    let read = |files: &novel_gate::console::files::Files| {
        files.read_history(&Scope::Project, "旧话", None).expect("it is read")
    };
    story.job(read, |found, _| {
        assert_eq!(
            (found.rows.len(), found.hits, found.all),
            (500, 1_202, 1_203),
            "one page, and how many there are"
        );
    });
    story.press("f6").burst("旧话");
    let ids: HashSet<String> = history(&story).found.rows.iter().map(|entry| entry.id()).collect();
    assert_eq!((history(&story).found.rows.len(), ids.len()), (1_202, 1_202), "the rest comes by itself");
    // The cursor stays with its entry, however far down.
    story.press("esc end");
    let selected = history(&story).selected().expect("an entry").id();
    let connection = rusqlite::Connection::open(&database).expect("the state");
    connection.execute("DELETE FROM entries WHERE id LIKE '%-c7'", []).expect("removed");
    story.look();
    assert_eq!(
        (history(&story).row, history(&story).selected().expect("an entry").id()),
        (1_202, selected),
        "one is gone above it"
    );
    // Another word is another search; it begins at its first hit.
    story.burst("别");
    assert_eq!((history(&story).found.rows.len(), history(&story).row), (0, 0));
}
