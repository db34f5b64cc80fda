//! The screen of standing questions: what is asked of the whole book, and what the author does about it.

use super::clicking::click;
use super::{PACKET, Story, question};
use novel_gate::console::input::keymap::Context;
use novel_gate::console::model::{Place, Size};
use novel_gate::console::page::Page;
use novel_gate::console::prompt::Prompt;
use novel_gate::console::questions::view::{QuestionsView, Row};
use novel_gate::console::terminal::run_loop::Flow;
use novel_gate::text::Lang;
use std::fs;
use std::path::Path;

const NEXT: &str = "staging/manifests/chapter-049-draft.packet.json";
const BARE: &str = "{\n  \"step\": \"chapter:049:draft\"\n}\n";
pub(super) const GOAL: &str = "questions/goal.question.json";

/// The file of a question for every chapter that has these options.
pub(super) fn file(labels: &[&str]) -> String {
    let goal = question("goal", "single_choice", true, labels, "");
    format!(
        "{{\n  \"_steps\": [\"chapter:*:draft\"],\n  \"version\": 1,\n  \"topic\": \"本章目标\",\n  \"questions\": [{goal}]\n}}\n"
    )
}

/// The screen on a book with these files, and with a packet that asks nothing by itself.
fn at(files: &[(&str, &str)]) -> Story {
    let mut story = Story::of(&format!("[{}]", question("platform", "single_choice", true, &["a", "b"], "")));
    story.put(NEXT, BARE);
    for (path, text) in files {
        story.put(path, text);
    }
    story.scan();
    story.press("f12");
    assert_eq!(story.place(), Place::Questions);
    story
}

/// The same with one question in the book, the cursor on it.
pub(super) fn with_goal() -> Story {
    let mut story = at(&[(GOAL, &file(&["A", "B"]))]);
    to(&mut story, "本章目标");
    story
}

/// Opens what the cursor is on in the editor, which saves this.
pub(super) fn edit(story: &mut Story, text: &str) {
    story.press("ctrl+g");
    story.edited(text);
}

/// With a text of the author's that was kept because somebody had changed the file meanwhile; the other's text.
pub(super) fn overtaken() -> (Story, String) {
    let mut story = with_goal();
    story.press("ctrl+g");
    let theirs = file(&["A", "theirs"]);
    story.put(GOAL, &theirs);
    story.edited(&file(&["A", "mine"]));
    assert!(story.notice().contains("somebody has changed"), "{}", story.notice());
    (story, theirs)
}

/// Moves the cursor to the row with these words.
pub(super) fn to(story: &mut Story, words: &str) {
    story.press("home");
    let mut pages = 0..60;
    while !story.shown().contains(words) && pages.next().is_some() {
        story.press("pgdn");
    }
    click(story, words);
    assert!(
        story.shown().lines().any(|line| line.starts_with('▸') && line.contains(words)),
        "{}",
        story.shown()
    );
}

pub(super) fn text(story: &Story, path: &str) -> String {
    fs::read_to_string(story.root().join(path)).unwrap_or_else(|_| panic!("{path}"))
}

fn is_there(story: &Story, path: &str) -> bool {
    story.root().join(path).exists()
}

/// A valid answer to the question of [`file`].
fn answer(label: &str) -> String {
    format!(
        r#"{{"version": 1, "topic": "本章目标", "answers": {{"goal": "{label}"}}, "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"}}"#
    )
}

#[test]
fn from_a_gate_to_a_standing_question_it_takes_three_keys() {
    let mut story = Story::of(&format!("[{}]", question("platform", "single_choice", true, &["a", "b"], "")));
    story.put(NEXT, BARE);
    story.scan();
    let keys = "f12 enter enter";
    story.press(keys);
    assert_eq!(keys.split(' ').count(), 3);
    let made = text(&story, "questions/平台绑定.question.json");
    assert!(
        made.contains("\"_steps\": [\n    \"chapter:*:draft\"\n  ]") && made.contains("\"platform\""),
        "{made}"
    );
    assert!(text(&story, NEXT).contains("\"platform\""), "the next chapter is asked at once");
    assert!(!text(&story, PACKET).contains("_steps"), "the gate itself stays as it is");
    assert!(story.notice().contains("Ctrl+G opens it"), "{}", story.notice());
    let view = story.find::<QuestionsView>().expect("the screen");
    assert_eq!(view.selected_file().map(|row| &*row.file.name), Some("平台绑定"));
    assert!(!view.rows.iter().any(|row| matches!(row, Row::Gate(_))), "it is asked already");
}

#[test]
fn a_stray_enter_makes_no_question_and_esc_leads_back() {
    let mut story = Story::of(&format!("[{}]", question("platform", "single_choice", true, &["a", "b"], "")));
    story.scan();
    story.press("f12").burst("\r\r\r\r");
    assert!(story.find::<Prompt>().is_some() && !is_there(&story, "questions"));
    story.press("esc esc");
    assert_eq!(story.place(), Place::Inbox);
    story.press("f12 f12");
    assert_eq!(story.place(), Place::Inbox);
}

#[test]
fn space_switches_a_question_and_the_packet_follows_at_once() {
    let mut story = with_goal();
    story.press("space");
    assert!(text(&story, GOAL).contains("\"_enabled\": false"), "{}", text(&story, GOAL));
    assert!(story.shown().contains("[ ] 本章目标"), "{}", story.shown());
    story.press("space");
    assert_eq!(text(&story, GOAL), file(&["A", "B"]));
    assert!(text(&story, NEXT).contains("\"goal\""));
    story.press("space");
    assert_eq!(text(&story, NEXT), BARE);
    assert_eq!(story.model().here, Context::Questions);
}

#[test]
fn a_template_is_put_into_the_book_in_the_language_of_the_console() {
    for (lang, words) in [(Lang::En, "Point of view"), (Lang::ZhCn, "叙事视角")] {
        let mut story = with_goal();
        story.console.stack.model.lang = lang;
        to(&mut story, words);
        story.press("space");
        assert!(text(&story, "questions/viewpoint.question.json").contains(words));
        to(&mut story, &format!("[x] {words}"));
    }
    // On its page Enter does it.
    let mut story = with_goal();
    to(&mut story, "Point of view");
    story.press("enter");
    assert!(story.find::<Page>().is_some() && story.shown().contains("told"), "{}", story.shown());
    story.press("enter");
    assert!(is_there(&story, "questions/viewpoint.question.json"));
}

#[test]
fn the_page_of_a_question_says_where_the_executor_proposes() {
    let mut story = with_goal();
    for (words, is_proposed) in [("Point of view", false), ("Direction of the chapter", true)] {
        to(&mut story, words);
        story.press("enter");
        let shown = story.shown();
        assert!(story.find::<Page>().is_some(), "{shown}");
        assert_eq!(shown.contains("what the executor proposes"), is_proposed, "{shown}");
        story.press("esc");
    }
}

#[test]
fn how_much_is_chosen_with_enter_and_what_it_switches_off_is_asked_first() {
    let mut story = at(&[]);
    let sections: Vec<_> = story.find::<QuestionsView>().expect("it").rows.iter().map(Row::section).collect();
    assert!(format!("{sections:?}").starts_with("[Gate, Sets"), "whoever has none is asked that first");
    to(&mut story, "close");
    story.press("enter");
    assert!(story.find::<Prompt>().is_none() && is_there(&story, "questions/romance_line.question.json"));
    assert!(story.shown().contains("▸ [x] Book contract"), "what is asked is seen: {}", story.shown());
    to(&mut story, "(•) close");
    to(&mut story, "light");
    story.press("enter");
    assert!(story.find::<Prompt>().is_some() && story.shown().contains("Romance"), "{}", story.shown());
    story.press("esc");
    assert!(!text(&story, "questions/romance_line.question.json").contains("_enabled"));
    story.press("enter enter");
    assert!(text(&story, "questions/romance_line.question.json").contains("\"_enabled\": false"));
    to(&mut story, "light");
    story.press("enter");
    assert!(story.notice().contains("asks so already"), "{}", story.notice());
}

#[test]
fn what_is_edited_is_saved_and_the_packet_follows() {
    let mut story = with_goal();
    story.press("ctrl+g");
    assert!(matches!(story.flow, Flow::Edit(_)));
    assert_eq!(story.lent(), Some(file(&["A", "B"])));
    story.edited(&file(&["A", "C"]));
    assert_eq!(text(&story, GOAL), file(&["A", "C"]));
    assert!(text(&story, NEXT).contains("\"C\""));
    assert!(story.notice().contains("is saved; what waits has followed"), "{}", story.notice());
    fs::remove_file(story.root().join(NEXT)).expect("removed");
    edit(&mut story, &file(&["A", "D"]));
    assert!(story.notice().contains("is saved. Ctrl+U"), "nothing waits: {}", story.notice());
    edit(&mut story, &file(&["A", "C"]));
    edit(&mut story, file(&["A", "C"]).trim_end());
    assert!(story.notice().contains("not changed"), "{}", story.notice());
    assert_eq!(text(&story, GOAL), file(&["A", "C"]));
}

#[test]
fn a_text_with_mistakes_is_named_by_line_and_column_and_saved_only_if_the_author_says_so() {
    let bad = file(&["A", "B"]).replace("chapter:*:draft", "chapter:*:daft");
    let mut story = with_goal();
    edit(&mut story, &bad);
    assert!(
        story.find::<Prompt>().is_some() && story.shown().contains("line 2, column 14"),
        "{}",
        story.shown()
    );
    story.press("esc");
    assert_eq!(text(&story, GOAL), file(&["A", "B"]));
    assert!(story.shown().contains("edited, not saved"), "{}", story.shown());
    story.restart();
    story.scan();
    assert!(story.model().inbox.kept.drafts.is_empty(), "it is offered where its file is");
    story.press("f12");
    to(&mut story, "本章目标");
    story.press("ctrl+g");
    assert_eq!(story.lent().as_deref(), Some(&*bad), "nothing is lost");
    story.edited(&bad);
    story.press("enter");
    assert_eq!(text(&story, GOAL), bad);
    story.wait(5).look();
    assert!(story.shown().contains("✕") && story.shown().contains("line 2, column 14"), "{}", story.shown());
    story.press("space");
    assert!(story.notice().contains("mistakes"), "{}", story.notice());
    edit(&mut story, &file(&["A", "B"]));
    assert_eq!(text(&story, GOAL), file(&["A", "B"]));
}

#[test]
fn an_editor_that_leaves_half_or_nothing_changes_nothing() {
    let whole = file(&["A", "B"]);
    for half in ["", " \n", &whole[..40]] {
        let mut story = with_goal();
        edit(&mut story, half);
        story.press("esc");
        assert_eq!(text(&story, GOAL), whole, "{half:?}");
        assert_eq!(story.place(), if half.trim().is_empty() { Place::Inbox } else { Place::Questions });
    }
    let mut story = with_goal();
    story.press("ctrl+g");
    story.editor_failed_with(&whole.replace("\"A\"", "\"Z\""));
    assert_eq!(text(&story, GOAL), whole);
    story.press("ctrl+g");
    assert!(story.lent().is_some_and(|text| text.contains("\"Z\"")));
    story.editor_failed();
    assert_eq!(text(&story, GOAL), whole);
}

#[test]
fn what_others_have_written_meanwhile_is_not_written_over() {
    let (mut story, theirs) = overtaken();
    assert_eq!(text(&story, GOAL), theirs);
    story.press("ctrl+g");
    assert!(story.lent().is_some_and(|text| text.contains("mine")));
    fs::remove_file(story.root().join(GOAL)).expect("removed");
    story.edited(&file(&["A", "mine"]));
    assert!(!is_there(&story, GOAL) && story.notice().contains("no question goal"), "{}", story.notice());
}

#[test]
fn answers_that_would_no_longer_fit_are_named_before() {
    let mut story = with_goal();
    story.put("staging/novel-ask/goal-chapter-049-draft.answers.json", &answer("B"));
    story.put("staging/novel-ask/goal-chapter-007-draft.answers.json", &answer("B"));
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 47}"#);
    edit(&mut story, &file(&["A", "C"]));
    let shown = story.shown();
    assert!(story.find::<Prompt>().is_some() && shown.contains("chapter:049:draft"), "{shown}");
    assert!(!shown.contains("007"), "the book has left it behind: {shown}");
    story.press("esc");
    assert_eq!(text(&story, GOAL), file(&["A", "B"]));
    // Off, it may be changed; switched on, they are named.
    story.press("ctrl+u enter space ctrl+g");
    let off = file(&["A", "C"]).replacen('{', "{\n  \"_enabled\": false,", 1);
    story.edited(&off);
    assert!(story.find::<Prompt>().is_none() && text(&story, GOAL) == off, "{}", story.shown());
    story.press("space");
    assert!(
        story.find::<Prompt>().is_some() && story.shown().contains("chapter:049:draft"),
        "{}",
        story.shown()
    );
    story.press("enter");
    assert!(!text(&story, GOAL).contains("_enabled"));
}

#[test]
fn a_file_goes_into_the_history_after_a_question_and_comes_back_byte_for_byte() {
    let mut story = with_goal();
    let before = text(&story, GOAL);
    story.press("f8");
    assert!(story.find::<Prompt>().is_some() && is_there(&story, GOAL));
    story.press("enter");
    assert!(!is_there(&story, GOAL) && text(&story, NEXT) == BARE, "{}", story.shown());
    assert!(story.notice().contains("Ctrl+U"), "{}", story.notice());
    story.press("ctrl+u");
    assert_eq!(text(&story, GOAL), before);
    assert!(text(&story, NEXT).contains("\"goal\""));
    story.press("ctrl+u");
    assert!(story.notice().contains("nothing to put back"), "{}", story.notice());
    // What others have put in its place stays.
    story.press("f8 enter");
    story.put(GOAL, "{}");
    story.press("ctrl+u");
    assert_eq!(text(&story, GOAL), "{}");
}

#[test]
fn changes_of_others_are_seen_and_the_cursor_stays_with_its_row() {
    let mut story = with_goal();
    story.put("questions/a.question.json", &file(&["A", "B"]).replace("本章目标", "更早的一问"));
    story.look();
    assert!(story.shown().contains("更早的一问"), "{}", story.shown());
    let selected =
        |story: &Story| story.find::<QuestionsView>()?.selected_file().map(|row| row.file.name.clone());
    assert_eq!(selected(&story).as_deref(), Some("goal"));
    story.press("enter");
    assert!(story.find::<Page>().is_some());
    fs::remove_file(story.root().join(GOAL)).expect("removed");
    story.look();
    assert!(story.find::<Page>().is_none(), "it is not the page of another one");
    assert!(!story.shown().contains("本章目标"), "{}", story.shown());
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn odd_files_are_said_and_no_other_suffers() {
    let mut story = with_goal();
    story.put("questions/list.question.json", "[]");
    story.put("questions/steps.question.json", &file(&["A"]).replace("chapter:*:draft", "nowhere"));
    story.put("questions/Goal.question.json", &file(&["A"]));
    story.put("questions/bad name.question.json", &file(&["A"]));
    fs::create_dir(story.root().join("questions/dir.question.json")).expect("a directory");
    crate::system::symlink("/etc/passwd", story.root().join("questions/out.question.json")).expect("a link");
    story.console.stack.model.size = Size { width: 120, height: 40 };
    story.look();
    let shown = story.shown();
    for name in ["list", "steps", "bad name", "dir", "out"] {
        let line = shown.lines().find(|line| line.contains(&format!("✕  {name} · ")));
        assert!(line.is_some(), "{name}: {shown}");
    }
    let rows = &story.find::<QuestionsView>().expect("the screen").rows;
    let asked = rows.iter().filter(|row| matches!(row, Row::File(row) if row.is_on())).count();
    assert_eq!(asked, 1, "{shown}");
    for key in ["space", "ctrl+g", "enter", "esc"] {
        story.press(key);
    }
    fs::remove_dir_all(story.root().join("questions")).expect("removed");
    story.put("questions", "no directory");
    story.look();
    story.press("home end");
    assert!(story.shown().contains("no directory"), "{}", story.shown());
}

#[test]
fn five_hundred_files_are_one_list() {
    let mut story = at(&[]);
    for number in 0..500 {
        story.put(&format!("questions/q{number:03}.question.json"), &file(&["A", "B"]));
    }
    story.look();
    story.press("end home pgdn down").burst("q17").press("enter esc");
    assert!(story.shown().contains("q17"), "{}", story.shown());
    story.press("esc home");
    let rows = story.find::<QuestionsView>().expect("the screen").rows.len();
    assert!((300..330).contains(&rows), "{rows}");
    let says = "300 files behind the first 200";
    let mut pages = 0..60;
    while !story.shown().contains(says) && pages.next().is_some() {
        story.press("pgdn");
    }
    assert!(story.shown().contains(says), "{}", story.shown());
    story.press("up");
    assert!(
        story.shown().contains("本章目标 · q19"),
        "what is about the same is told apart: {}",
        story.shown()
    );
}

#[test]
fn an_empty_book_has_a_way_here_and_every_size_shows_the_cursor() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
        for lang in [Lang::En, Lang::ZhCn] {
            let mut story = Story::of("[]");
            fs::remove_file(story.root().join(PACKET)).expect("removed");
            story.console.stack.model.size = Size { width, height };
            story.console.stack.model.lang = lang;
            story.scan();
            assert!(story.shown().contains("F12"), "{}", story.shown());
            story.press("f12");
            for _ in 0..12 {
                assert!(story.shown().contains('▸'), "{width}x{height}: {}", story.shown());
                story.press("down");
            }
            story.press("home enter");
            assert!(Path::new(&story.root()).join("questions/book_contract.question.json").exists());
        }
    }
}
