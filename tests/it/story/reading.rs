//! The story beside the questions is read, searched and left, and answers nothing.

use super::{PACKET, Story, packet, question};
use novel_gate::console::form::Form;
use novel_gate::console::input::keymap::Context;
use novel_gate::console::model::Size;
use novel_gate::console::page::Page;
use novel_gate::console::story::{StoryScreen, take};
use std::fs;
use std::path::Path;

const OTHER: &str = "staging/manifests/other.packet.json";

/// A packet that names these story files.
fn with_paths(questions: &str, paths: &str) -> String {
    packet(questions).replacen('{', &format!(r#"{{"manifest":{{"mode":"paths","paths":{paths}}},"#), 1)
}

fn choice() -> String {
    format!(
        "[{},{}]",
        question("platform", "single_choice", true, &["起点", "番茄"], ""),
        question("note", "free_text", false, &[], "")
    )
}

/// A story whose outline has 400 lines, with a brief and the chapters of a list behind it.
fn story() -> Story {
    let mut story = Story::of(&choice());
    story.put(
        PACKET,
        &with_paths(&choice(), r#"{"outline":"outline.md","brief":["brief.md","chapters/gone.md"]}"#),
    );
    let outline = (1..=400).map(|n| format!("第{n}行：雨停之前\n")).collect::<Vec<_>>().concat();
    story.put("outline.md", &outline);
    story.put("brief.md", "一部悬疑小说。\nA rainy town.\n");
    story.open_form();
    story
}

#[test]
fn f9_shows_the_story_of_the_selected_gate_in_the_inbox_too() {
    let mut story = story();
    story.put(OTHER, &packet(&choice()).replace("gate.answers", "other.answers").replace("048", "049"));
    story.restart();
    story.scan();
    for (gate, shows) in [("048", true), ("049", false)] {
        story.burst(gate).press("f9");
        assert_eq!(story.shown().contains("第1行：雨停之前"), shows, "{gate}: {}", story.shown());
        let said = if shows { "" } else { "The packet names no story file that is there." };
        assert_eq!(story.notice(), said, "{gate}");
        if shows {
            story.press("tab");
            assert!(story.shown().contains("一部悬疑小说。"), "{}", story.shown());
            story.press("f9");
        }
        assert!(story.is_open() && story.find::<Form>().is_none());
        story.press("esc");
    }
    assert!(story.model().inbox.later.is_empty());
}

#[test]
fn help_gives_back_the_page_that_it_covered() {
    let mut story = story();
    story.press("f9 down down f1");
    assert!(story.shown().contains("Story"), "its keys come first: {}", story.shown());
    assert_eq!(story.model().here, Context::Help);
    story.press("down esc");
    assert_eq!(story.model().here, Context::Story);
    assert!(story.shown().contains("第3行") && !story.shown().contains("第2行"), "{}", story.shown());
    story.press("esc f4 down f1 esc");
    assert!(story.find::<Page>().is_some());
    story.press("esc f1 f1");
    assert!(story.is_open());
}

fn widen(story: &mut Story, width: u16) {
    story.console.stack.resize(Size { width, height: 24 });
}

#[test]
fn f9_shows_the_story_over_the_question_and_answers_nothing() {
    let mut story = story();
    assert!(!story.shown().contains("第1行"), "80 columns have no room for it");
    story.press("f9");
    assert!(story.shown().contains("Story 1/2  outline.md") && story.shown().contains("第1行：雨停之前"));
    story.press("space down 1 enter y x backspace esc");
    assert!(!story.form().draft.is_authors() && story.form().at == 0);
    story.press("esc");
    assert!(story.is_open() && story.shown().contains("起点"));
    story.press("2 f9 f9 ctrl+s ctrl+s").wait(1).press("f9");
    assert!(story.shown().contains("outline.md"), "in the review too");
    story.press("esc ctrl+s");
    assert_eq!(story.answers(), serde_json::json!({"platform": "番茄"}));
}

#[test]
fn the_story_stands_beside_the_question_where_there_is_room() {
    let mut story = story();
    widen(&mut story, 120);
    assert!(story.shown().contains("第1行：雨停之前") && story.shown().contains("起点"));
    story.wait(1).press("enter");
    story.burst("雨");
    assert_eq!(story.model().here, Context::Field, "the keys stay with the question");
    assert!(story.shown().contains("第1行：雨停之前"));
    story.press("f9 pgdn");
    story.burst("停");
    assert!(!story.shown().contains("第1行：") && story.shown().contains("第22行："), "{}", story.shown());
    story.press("f9");
    story.burst("停");
    assert_eq!(story.form().field.text(), "雨停", "and come back to where they were");
}

#[test]
fn the_author_stays_where_he_was_in_each_file_of_each_gate() {
    let mut story = story();
    story.put(
        OTHER,
        &with_paths(&choice(), r#"{"outline":"outline.md"}"#).replace("gate.answers", "other.answers"),
    );
    story.press("f9 pgdn pgdn tab");
    assert!(story.shown().contains("brief.md") && story.shown().contains("一部悬疑小说。"));
    story.press("tab");
    assert!(story.shown().contains("第41行："), "{}", story.shown());
    story.press("tab esc esc");
    story.open_gate(OTHER);
    story.press("f9");
    assert!(story.shown().contains("第1行："), "the other gate has its own place");
    story.press("end esc esc");
    story.open_form();
    story.press("f9");
    assert!(story.shown().contains("brief.md"), "the file that was shown last");
    story.press("left");
    assert!(story.shown().contains("第41行："));
}

#[test]
fn the_story_opens_at_the_end_of_the_last_chapter_and_then_where_it_was_left() {
    let mut story = Story::of(&choice());
    let paths = r#"{"brief":"brief.md","chapters":["chapters/c-10.md","chapters/c-9.md"]}"#;
    story.put(PACKET, &with_paths(&choice(), paths));
    story.put("brief.md", "一部悬疑小说。\n");
    for chapter in ["9", "10"] {
        let lines = (1..=99).map(|n| format!("第{chapter}章第{n}行\n")).collect::<Vec<_>>().concat();
        story.put(&format!("chapters/c-{chapter}.md"), &lines);
    }
    story.restart();
    story.scan();
    story.press("f9");
    assert!(story.shown().contains("第10章第99行"), "{}", story.shown());
    story.press("up f9").open_form();
    widen(&mut story, 120);
    let shown = story.shown();
    assert!(shown.contains("第10章第98行") && !shown.contains("第10章第99行"), "{shown}");
    story.press("f9 tab");
    assert!(story.shown().contains("第9章第1行"), "another file begins at its start: {}", story.shown());
    story.press("down f9 esc").open_form();
    assert!(story.shown().contains("第9章第2行"), "{}", story.shown());
    story.press("f9 enter");
    assert_eq!(story.notice(), "Type the words to look for; Enter then finds them.");
}

#[test]
fn the_story_beside_a_question_is_drawn_once_and_filled_when_the_screen_grows() {
    let mut story = story();
    story.press("f9 end");
    story.console.stack.resize(Size { width: 130, height: 60 });
    assert!(story.shown().contains("第360行：") && story.shown().contains("第400行："), "{}", story.shown());
    story.burst("zzz");
    let shown = story.shown();
    let header = shown.lines().find(|row| row.contains("outline.md")).expect("the name of the file");
    assert!(!header.contains("F9"), "it has the keys already: {header}");
}

#[test]
fn the_ends_of_a_file_are_one_key_away() {
    let mut story = story();
    let long = (1..=60_000).map(|n| format!("第{n}行\n")).collect::<Vec<_>>().concat();
    story.put("outline.md", &long);
    story.press("f9 end");
    assert!(story.shown().contains("第60000行") && story.shown().contains("100%"), "{}", story.shown());
    story.press("pgup pgdn pgdn down");
    assert!(
        story.shown().contains("第60000行") && story.shown().contains("第59990行"),
        "no further than the end"
    );
    story.press("home");
    assert!(story.shown().contains("第1行") && story.shown().contains(" 0%"));
    story.press(&"pgdn ".repeat(1_000));
    assert!(story.shown().contains("第20001行"), "page by page: {}", story.shown());
    story.press(&"pgup ".repeat(999));
    assert!(story.shown().contains("第21行"), "and back: {}", story.shown());
}

#[test]
fn a_file_of_many_megabytes_is_shown_as_far_as_its_beginning_and_says_so() {
    const MORE: &str = "The file goes on; the first 2 MiB are shown.";
    let mut story = story();
    let line = "雨停之前的第一个夜晚没有灯。\n";
    story.put(
        "outline.md",
        &(line.repeat((2 << 20) / line.len()) + "近处\n" + &line.repeat(9_999) + "尽头\n"),
    );
    story.press("f9");
    assert!(!story.shown().contains(MORE), "{}", story.shown());
    story.press("end");
    assert!(story.shown().contains(MORE) && story.shown().contains("100%"), "{}", story.shown());
    story.press("up down down");
    assert!(story.shown().contains(MORE), "it can be reached: {}", story.shown());
    story.press("up");
    assert!(!story.shown().contains(MORE), "it stands behind the text: {}", story.shown());
    story.press("home /");
    story.burst("近处");
    story.press("enter");
    assert!(story.shown().contains("近处"), "{}", story.shown());
    story.burst("尽头");
    story.press("enter");
    assert_eq!(story.notice(), "“尽头” is not in the first 2 MiB of this file.");
}

#[test]
fn words_are_searched_for() {
    let mut story = story();
    story.press("f9 ctrl+f");
    story.burst("第39");
    story.press("enter");
    assert!(story.shown().contains("第39行"), "{}", story.shown());
    assert!(story.shown().contains("1/11"), "{}", story.shown());
    story.press("enter enter");
    assert!(story.shown().contains("第391行"), "{}", story.shown());
    assert!(story.shown().contains("3/11"), "{}", story.shown());
    story.press("end home enter");
    assert!(story.shown().contains("第39行"), "from the rows that are shown");
    story.press("tab enter");
    assert_eq!(story.notice(), "“第39” is not in this file.");
    story.burst("ｒａｉｎｙ");
    story.press("enter");
    assert!(story.shown().contains("1/1"), "{}", story.shown());
    story.press("enter");
    assert_eq!(story.notice(), "The search went on from the start of the file.");
    story.press("tab home / pgdn");
    assert!(story.shown().contains("第20行") && !story.shown().contains("第19行"), "while words are typed");
    story.press("esc");
    assert!(story.model().story_search().is_none() && story.find::<StoryScreen>().is_some());
}

#[test]
fn what_was_searched_for_stays_with_its_story() {
    let mut story = story();
    let text = fs::read_to_string(story.root().join(PACKET)).expect("the packet");
    story.put(OTHER, &text.replace("gate.answers", "other.answers").replace("048:draft", "049:draft"));
    story.press("f9").burst("RAINY").press("enter esc f9");
    assert!(story.shown().contains("RAINY"), "{}", story.shown());
    story.press("esc esc").open_gate(OTHER);
    story.press("f9");
    assert!(!story.shown().contains("RAINY"), "{}", story.shown());
    assert!(story.model().story_search().is_none());
}

#[test]
fn the_footer_says_what_escape_does_in_the_list_of_files() {
    let mut story = story();
    story.press("f9 f4");
    assert!(story.shown().contains("Esc back"), "{}", story.shown());
    story.burst("b");
    assert!(story.shown().contains("Esc clear filter"), "{}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("Esc back"), "{}", story.shown());
}

#[test]
fn a_packet_without_a_story_says_so() {
    let mut story = Story::open(&choice());
    story.press("f9");
    assert!(story.is_open());
    assert_eq!(story.notice(), "The packet names no story file that is there.");
    story.put(PACKET, &with_paths(&choice(), r#"{"a":"missing.md"}"#));
    widen(&mut story, 120);
    story.press("esc");
    story.open_form();
    assert!(!story.shown().contains("Story"), "{}", story.shown());
}

#[test]
fn a_file_that_changes_or_goes_is_read_again_and_that_is_said() {
    let mut story = story();
    story.press("f9 pgdn");
    story.look();
    assert_eq!(story.notice(), "", "it has not changed");
    story.put("outline.md", "只剩一行。\n");
    story.look();
    assert!(story.shown().contains("只剩一行。"), "{}", story.shown());
    assert_eq!(story.notice(), "outline.md has changed.");
    fs::remove_file(story.root().join("outline.md")).expect("removed");
    story.look();
    assert!(story.shown().contains("Not shown: there is no such file or directory."), "{}", story.shown());
    story.press("pgdn end home / n enter enter tab");
    assert!(story.shown().contains("一部悬疑小说。"), "the others can still be read");
}

#[test]
fn over_the_inbox_the_story_is_as_fresh_and_stays_with_its_gate() {
    let mut story = story();
    let other = with_paths(&choice(), r#"{"outline":"theirs.md"}"#).replace("gate.answers", "other.answers");
    story.put(OTHER, &other);
    story.put("theirs.md", "别的门控的正文。\n");
    story.restart();
    story.scan();
    for gate in [OTHER, PACKET] {
        let row = story.model().inbox.row_of(Path::new(gate)).expect("a row");
        story.wait(1).press("home").press(&"down ".repeat(row)).press("f9");
        assert!(story.find::<StoryScreen>().is_some(), "{gate}: {}", story.shown());
        story.press("f9");
    }
    story.press("f9");
    story.put("outline.md", "只剩一行。\n");
    story.look();
    assert!(story.shown().contains("只剩一行。"), "{}", story.shown());
    assert_eq!(story.notice(), "outline.md has changed.");
    story.put("chapters/gone.md", "第三章");
    story.scan();
    assert!(story.shown().contains("Story 1/3  outline.md"), "{}", story.shown());
    for keys in ["", "f9 f1"] {
        let packet = fs::read_to_string(story.root().join(PACKET)).expect("the packet");
        story.press(keys);
        fs::remove_file(story.root().join(PACKET)).expect("removed");
        story.scan();
        assert!(story.notice().contains("is no longer in the list."), "{}", story.notice());
        story.press("esc");
        assert!(story.is_open() && !story.shown().contains("别的门控"), "{}", story.shown());
        story.put(PACKET, &packet);
        story.scan();
        let row = story.model().inbox.row_of(Path::new(PACKET)).expect("a row");
        story.wait(1).press("home").press(&"down ".repeat(row));
    }
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn hostile_files_are_said_and_nothing_else_suffers() {
    let mut story = Story::of(&choice());
    let names = ["pipe", "dir", "link.md", "binary", "huge.md", "line.md", "escapes.md", "../out.md"];
    let paths = serde_json::to_string(&names).expect("JSON");
    story.put(PACKET, &with_paths(&choice(), &format!(r#"{{"files":{paths}}}"#)));
    let root = story.root();
    let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    fs::create_dir(root.join("dir")).expect("a directory");
    fs::write(root.join("../out.md"), "SECRET").expect("written");
    crate::system::symlink(Path::new("../out.md"), root.join("link.md")).expect("a link");
    fs::write(root.join("binary"), b"\0\x01\x02").expect("written");
    fs::File::create(root.join("huge.md")).expect("a file").set_len(1 << 34).expect("a hole");
    story.put("line.md", &"雨停之前".repeat(1 << 18));
    story.put("escapes.md", "\u{1b}]0;title\u{7}\u{202e}后\u{9b}2J");
    story.open_form();
    story.press("f9");
    let said = [
        "a named pipe",
        "a directory",
        "outside the project",
        "not text",
        "not text",
        "雨停之前雨停之前",
        "␛]0;title␇‹U+202E›后",
    ];
    for words in said {
        assert!(story.shown().contains(words), "{words}: {}", story.shown());
        story.press("pgdn end up / 雨 enter tab");
    }
    assert!(story.shown().contains("outside the project") && !story.shown().contains("SECRET"));
    story.press("esc").wait(1).press("enter");
    assert_eq!(story.form().at, 1, "the question is answered as ever");
}

#[test]
fn a_packet_that_names_other_files_shows_them() {
    let mut story = story();
    story.put("chapters/gone.md", "第三章");
    story.scan();
    story.press("f9 left");
    assert!(story.shown().contains("Story 3/3  chapters/gone.md"), "{}", story.shown());
    story.put(PACKET, &with_paths(&choice(), r#"{"brief":"brief.md"}"#));
    story.scan();
    assert!(story.shown().contains("Story 1/1  brief.md"), "{}", story.shown());
}

#[test]
fn a_look_that_was_asked_for_before_does_not_take_the_author_back() {
    let mut story = story();
    let line = "雨停之前的第一个夜晚没有灯，只有雨声。\n";
    story.put("outline.md", &(line.repeat(8_000) + "结尾在这里"));
    story.scan();
    let outline = || "outline.md".to_owned();
    let read = |files: &novel_gate::console::files::Files| {
        novel_gate::store::story::read(&files.project, "outline.md")
    };
    story.press("f9 end");
    assert!(story.shown().contains("结尾在这里"), "{}", story.shown());
    story.job(read, move |text, cx| take(outline(), text, cx));
    assert!(story.shown().contains("结尾在这里"), "{}", story.shown());
    story.press("up");
    assert!(story.shown().contains("100%") || story.shown().contains("99%"), "{}", story.shown());
}

#[test]
fn a_packet_that_names_too_many_files_is_said_to() {
    let mut story = Story::of(&choice());
    let gone: Vec<String> = (0..1_001).map(|n| format!("\"gone-{n}.md\"")).collect();
    story.put(
        PACKET,
        &with_paths(&choice(), &format!(r#"{{"first":"brief.md","chapters":[{}]}}"#, gone.join(","))),
    );
    story.put("brief.md", "x");
    story.open_form();
    assert!(story.notice().contains("names too many story files"), "{}", story.notice());
}

#[test]
fn the_next_console_opens_the_story_where_it_was_left() {
    let mut story = story();
    story.press("f9 pgdn pgdn tab tab f9 esc");
    for _ in 0..2 {
        story.restart();
        story.scan();
        story.press("f9");
        assert!(
            story.shown().contains("outline.md") && story.shown().contains("第41行"),
            "{}",
            story.shown()
        );
        assert!(!story.shown().contains("第40行"), "{}", story.shown());
    }
    story.press("tab f9");
    story.restart();
    story.scan();
    story.press("f9");
    assert!(story.shown().contains("一部悬疑小说"), "the file that was shown last: {}", story.shown());
    fs::remove_file(story.root().join("brief.md")).expect("a file");
    story.restart();
    story.scan();
    story.press("f9");
    assert!(story.shown().contains("第41行"), "the other files keep their places: {}", story.shown());
}

#[test]
fn f4_lists_the_files_of_the_story_and_what_is_typed_filters_them() {
    let mut story = story();
    let paths = r#"{"all":["outline.md","设定/人物.md","设定/地点.md","chapters/c-1.md"]}"#;
    story.put(PACKET, &with_paths(&choice(), paths));
    for path in ["设定/人物.md", "设定/地点.md", "chapters/c-1.md"] {
        story.put(path, &format!("{path} 的正文\n"));
    }
    story.restart();
    story.scan();
    story.press("f9 f4");
    assert!(
        story.shown().contains("▸ chapters/c-1.md"),
        "the cursor is on the file shown: {}",
        story.shown()
    );
    story.burst("rw");
    assert!(story.shown().contains("▸ 设定/人物.md") && !story.shown().contains("地点"), "{}", story.shown());
    story.press("ctrl+y enter");
    assert_eq!(story.console.runner().copied, ["设定/人物.md"]);
    assert!(story.shown().contains("人物.md 的正文"), "{}", story.shown());
    story.press("f4").burst("zzz").press("enter");
    assert!(story.shown().contains("No file matches “zzz”."), "{}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("设定/地点.md"), "all of them again: {}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("人物.md 的正文"), "it is as it was: {}", story.shown());
    story.press("f4 up enter");
    assert!(story.shown().contains("第1行"), "{}", story.shown());
    story.press("f4 f9");
    assert!(story.is_open() && story.model().here == Context::Inbox);
}
