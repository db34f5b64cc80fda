//! What was written together is taken back together; what a failure or a kill in the middle leaves.

use super::super::{ANSWERS, PACKET, START, Story, packet};
use super::{
    CODEX, TAKE_ALL, answers_of, expected, other, outcomes, packet_of, questions, record, review, story_with,
};
use novel_gate::console::model::Place;
use novel_gate::console::review::outcomes::Outcomes;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// A question of an executor's own.
const RELAYED: &str = "staging/novel-ask/relay/relay-0c2f51ab.packet.json";

/// Lets the executor make the output of a packet's step: now, or an hour before the story begins.
fn make(story: &Story, name: &str, before: bool) {
    let path = format!("staging/chapters/{name}.md");
    story.put(&path, "写好了");
    if before {
        let file = fs::File::options().append(true).open(story.root().join(path)).expect("the output");
        file.set_modified(UNIX_EPOCH + START - Duration::from_hours(1)).expect("an earlier time");
    }
}

#[test]
fn all_are_taken_back_with_one_key() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    story.scan();
    assert!(story.shown().contains("Ctrl+U takes back what is unused."), "{}", story.shown());
    story.console.runner().notices.clear();
    story.press("ctrl+u");
    assert_eq!([story.record(), record(&story, "b"), record(&story, "c")], [None, None, None]);
    assert!(story.notice().starts_with("3 records are taken back into the history"), "{}", story.notice());
    assert_eq!(story.place(), Place::Inbox);
    assert!(story.is_open());
    story.press("home");
    story.scan();
    assert_eq!(story.notice(), "", "nobody else has deleted them");
    assert_eq!(story.console.runner().notices, [], "no gate is new");
    // One of them comes back, byte for byte; a later loss of it is said.
    story.wait(1);
    let row = story.model().inbox.row_of(&PathBuf::from(packet_of("b"))).expect("its row");
    story.press("home").press(&"down ".repeat(row)).press("ctrl+u");
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
    story.scan();
    fs::remove_file(story.root().join(answers_of("b"))).expect("removed");
    story.scan();
    assert!(story.notice().contains("was deleted"), "{}", story.notice());
}

#[test]
fn the_only_one_that_was_written_is_taken_back_too() {
    let mut story = story_with(&[("b", "乙")]);
    review(&mut story);
    story.press(TAKE_ALL);
    story.put(&answers_of("b"), &CODEX.replace("平台绑定", "乙"));
    story.press("ctrl+s");
    assert!(
        story.shown().contains("✕ chapter:b  Not written: codex has answered first"),
        "{}",
        story.shown()
    );
    assert!(story.shown().contains("Ctrl+U takes back what is unused."), "{}", story.shown());
    story.press("ctrl+u");
    assert!(story.notice().starts_with("1 record is taken back into the history"), "{}", story.notice());
    assert_eq!(story.record(), None);
    assert_eq!(record(&story, "b"), Some(CODEX.replace("平台绑定", "乙")), "theirs stays");
}

#[test]
fn looks_from_before_it_do_not_call_them_deleted_or_new() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    let before = story.entries();
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    let written = story.entries();
    story.press("ctrl+u home");
    story.console.runner().notices.clear();
    for entries in [before, written, story.entries()] {
        story.list(entries);
        assert_eq!(story.notice(), "");
    }
    assert_eq!(story.console.runner().notices, []);
}

#[test]
fn what_a_step_has_made_use_of_is_left_and_named() {
    let names = ["made", "early", "passed", "theirs", "gone", "plain"];
    let mut story = story_with(&[]);
    for name in names {
        let packet = other(name, name).replace("chapter-048.md", &format!("{name}.md"));
        story.put(&packet_of(name), &packet.replace("chapter:passed", "chapter:007:draft"));
    }
    story.put(RELAYED, &other("asked", "asked"));
    make(&story, "early", true);
    story.scan();
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    make(&story, "made", false);
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 7}"#);
    story.put(&answers_of("theirs"), &CODEX.replace("平台绑定", "theirs"));
    fs::remove_file(story.root().join(answers_of("gone"))).expect("removed");
    // An executor that has asked by itself takes the answers and its packet away.
    fs::remove_file(story.root().join(RELAYED)).expect("the packet");
    fs::remove_file(story.root().join(answers_of("asked"))).expect("its record");
    story.press("ctrl+u");
    let Some(Outcomes { records, .. }) = story.find() else { panic!("{}", story.shown()) };
    let mut listed = outcomes(records);
    listed.sort();
    let picked_up = Some("Left: the executor has already taken the answers.".to_owned());
    let lost = || Some("Left: somebody has replaced or removed the record.".to_owned());
    assert_eq!(
        listed,
        [
            ("chapter:007:draft", Some("Left: the checkpoint has passed this step.".to_owned())),
            ("chapter:048:draft", None),
            ("chapter:asked", picked_up),
            ("chapter:early", None),
            ("chapter:gone", lost()),
            ("chapter:made", Some("Left: the step has already made staging/chapters/made.md.".to_owned())),
            ("chapter:plain", None),
            ("chapter:theirs", lost()),
        ]
    );
    assert!(story.notice().starts_with("3 records are taken back; 5 are left"), "{}", story.notice());
    assert!(story.shown().contains("✕ chapter:made  Left: the step has already made"), "{}", story.shown());
    let here = |name: &&str| record(&story, name).is_some();
    assert_eq!(names.into_iter().filter(here).collect::<Vec<_>>(), ["made", "passed", "theirs"]);
    assert_eq!(record(&story, "theirs").as_deref(), Some(&*CODEX.replace("平台绑定", "theirs")));
    assert_eq!(story.record(), None);
}

#[test]
fn what_cannot_be_read_is_not_called_taken_or_replaced() {
    let mut story = story_with(&[("b", "乙")]);
    story.put(RELAYED, &other("asked", "asked"));
    story.scan();
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    story.put(RELAYED, "{");
    let b = story.root().join(answers_of("b"));
    fs::File::options().write(true).open(&b).and_then(|file| file.set_len(1 << 27)).expect("a hole");
    story.press("ctrl+u");
    let Some(Outcomes { records, .. }) = story.find() else { panic!("{}", story.shown()) };
    let listed = outcomes(records);
    let why = |title: &str| {
        let found = listed.iter().find(|(listed, _)| *listed == title).and_then(|(_, why)| why.clone());
        found.unwrap_or_else(|| panic!("{title} is not left: {listed:?}"))
    };
    assert!(why("chapter:asked").starts_with("Left: The packet cannot be used."), "{}", why("chapter:asked"));
    assert!(why("chapter:b").starts_with("Left: The file at the answer path"), "{}", why("chapter:b"));
    assert!(record(&story, "asked").is_some() && b.exists(), "both are left");
}

#[test]
fn where_no_record_is_to_be_taken_back_the_receipt_stays() {
    let mut story = story_with(&[("b", "乙")]);
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    story.put(&answers_of("b"), &CODEX.replace("平台绑定", "乙"));
    story.press("ctrl+u");
    assert!(story.find::<Outcomes>().is_some_and(|page| page.are_taken_back), "{}", story.shown());
    story.press("esc");
    assert_eq!(story.place(), Place::Receipt);
    assert!(story.record().is_some());
}

#[test]
fn a_failure_in_the_middle_stops_no_other_and_is_named() {
    let names: Vec<String> = (0..20).map(|n| format!("n{n:02}")).collect();
    let mut story = story_with(&[]);
    for name in &names {
        let place = if name == "n11" { "staging/late/n11.answers.json".to_owned() } else { answers_of(name) };
        story.put(&packet_of(name), &other(name, name).replace(&answers_of(name), &place));
    }
    story.scan();
    review(&mut story);
    story.press(TAKE_ALL);
    story.put("staging/late", "a file where a directory is needed");
    story.press("ctrl+s");
    let receipt = story.model().receipt.as_ref().expect("a receipt");
    assert_eq!(receipt.batch.iter().filter(|record| record.done.is_ok()).count(), 19);
    let shown = story.shown();
    assert!(shown.contains("✕ chapter:n11  Not written: "), "{shown}");
    assert!(shown.contains("Ctrl+U takes back what is unused."), "{shown}");
    story.press("ctrl+u");
    assert!(names.iter().all(|name| record(&story, name).is_none()) && story.record().is_none());
}

#[test]
fn after_a_kill_in_the_middle_each_record_is_whole_or_not_there() {
    let names: Vec<String> = (0..30).map(|n| format!("n{n:02}")).collect();
    let others: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let mut story = story_with(&others);
    review(&mut story);
    story.press(TAKE_ALL);
    story.console.runner().requests = 2;
    story.press("ctrl+s");
    assert!(story.shown().contains("writing… 16 of 31"), "{}", story.shown());
    story.restart();
    story.scan();
    let (written, rest): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| record(&story, name).is_some());
    assert_eq!((written.len(), rest.len()), (16, 14));
    for name in &written {
        assert_eq!(record(&story, name).as_deref(), Some(&*expected(name)));
    }
    let files = fs::read_dir(story.root().join("staging/novel-ask")).expect("the records").count();
    assert_eq!((files, story.record()), (16, None), "nothing is half written");
    // Each of them can be redone, and the answers are still a draft for the others.
    let row = story.model().inbox.row_of(&PathBuf::from(packet_of(written[3]))).expect("its row");
    story.press("home").press(&"down ".repeat(row)).press("f8");
    assert_eq!(record(&story, written[3]), None);
    story.scan();
    story.open_form();
    story.press("ctrl+s").wait(1);
    story.press(TAKE_ALL);
    assert!(story.shown().contains("[ Submit to 16 packets"), "{}", story.shown());
    story.press("ctrl+s");
    assert!(names.iter().all(|name| record(&story, name).is_some()) && story.record().is_some());
}

#[test]
fn where_the_own_record_was_not_written_the_others_are_taken_back_all_the_same() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    story.press(TAKE_ALL);
    story.put(ANSWERS, CODEX);
    story.press("ctrl+s");
    assert!(story.find::<Outcomes>().is_some_and(|page| !page.are_taken_back));
    assert!(story.shown().contains("Ctrl+U takes back what is unused."), "{}", story.shown());
    story.press("ctrl+u");
    assert_eq!((record(&story, "b"), record(&story, "c")), (None, None));
    assert_eq!(story.record().as_deref(), Some(CODEX), "somebody else's stays");
    assert!(story.notice().starts_with("2 records are taken back"), "{}", story.notice());
    assert_eq!((story.place(), story.is_open()), (Place::Review, true));
    assert!(story.shown().contains("The same questions wait in 2 more packets"), "{}", story.shown());
}

#[test]
fn a_record_that_two_packets_share_is_not_called_deleted_or_new_when_it_is_removed_from_here() {
    for own in [PACKET.to_owned(), packet_of("a-twin")] {
        let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
        story.put(&packet_of("a-twin"), &packet(&questions()).replace("048:draft", "048:twin"));
        story.put(&packet_of("c-twin"), &other("c", "丙").replace("chapter:c", "chapter:c-twin"));
        story.scan();
        story.open_gate(&own);
        story.press("2 ctrl+s").wait(1);
        story.press(TAKE_ALL).press("ctrl+s");
        story.scan();
        story.console.runner().notices.clear();
        story.press("ctrl+u");
        assert!(story.notice().starts_with("3 records are taken back"), "{}", story.notice());
        story.press("home");
        story.scan();
        assert_eq!((story.notice(), &*story.console.runner().notices), (String::new(), &[][..]), "{own}");
        // The same of one record that is removed for a redo.
        story.open_gate(&own);
        story.press("2 ctrl+s").wait(1);
        story.press("ctrl+s");
        story.scan();
        story.press("esc").wait(1);
        story.console.stack.model.inbox.select(Path::new(&own));
        story.load(&own);
        story.console.runner().notices.clear();
        story.press("f8").wait(1);
        assert!(story.notice().starts_with("Taken back and kept"), "{}", story.notice());
        story.press("home");
        story.scan();
        assert_eq!((story.notice(), &*story.console.runner().notices), (String::new(), &[][..]), "{own}");
    }
}
