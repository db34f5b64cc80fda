//! The same questions in several packets: answered once, every record seen before it is written, each written by itself.

mod taking_back;

use super::{ANSWERS, PACKET, Story, packet, question};
use novel_gate::console::form::Form;
use novel_gate::console::model::Place;
use novel_gate::console::review::batch::BatchRecord;
use novel_gate::console::review::outcomes::Outcomes;
use novel_gate::store::drafts::Drafts;
use novel_gate::text::Lang;
use std::fs;
use std::path::PathBuf;

const CODEX: &str = r#"{"version": 1, "topic": "平台绑定", "answers": {"platform": "qidian"},
    "answered_at": "2026-02-27T10:12:00.000Z", "answered_by": "codex"}"#;

fn questions() -> String {
    let platform = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    format!("[{platform},{}]", question("note", "free_text", false, &[], ""))
}

fn packet_of(name: &str) -> String {
    format!("staging/manifests/{name}.packet.json")
}

fn answers_of(name: &str) -> String {
    format!("staging/novel-ask/{name}.answers.json")
}

/// The packet of the story with another step, topic and place.
fn other(name: &str, topic: &str) -> String {
    let same = packet(&questions()).replace(ANSWERS, &answers_of(name)).replace("平台绑定", topic);
    same.replace("chapter:048:draft", &format!("chapter:{name}"))
}

/// The gate of the story, and these with its questions.
fn story_with(others: &[(&str, &str)]) -> Story {
    let mut story = Story::of(&questions());
    for (name, topic) in others {
        story.put(&packet_of(name), &other(name, topic));
    }
    story.scan();
    story
}

/// Answers `jjwxc` and goes to the review.
fn review(story: &mut Story) {
    story.open_form();
    story.press("2 ctrl+s").wait(1);
    assert_eq!(story.place(), Place::Review);
}

fn record(story: &Story, name: &str) -> Option<String> {
    fs::read_to_string(story.root().join(answers_of(name))).ok()
}

/// The record that these answers make for a topic.
fn expected(topic: &str) -> String {
    format!(
        "{{\n  \"version\": 1,\n  \"topic\": \"{topic}\",\n  \"answers\": {{\n    \"platform\": \"jjwxc\"\n  }},\n  \
         \"answered_at\": \"2026-02-27T10:12:35.000Z\",\n  \"answered_by\": \"human\"\n}}\n"
    )
}

/// Opens the list of the other packets, ticks all of them, and takes them.
const TAKE_ALL: &str = "ctrl+a ctrl+a enter";

/// Each packet's step with why it was not written.
fn outcomes(records: &[BatchRecord]) -> Vec<(&str, Option<String>)> {
    let why = |record: &BatchRecord| record.done.as_ref().err().map(|why| why.text(Lang::En));
    records.iter().map(|record| (record.title.as_str(), why(record))).collect()
}

#[test]
fn of_very_many_records_the_first_are_shown_whole_and_the_others_named() {
    let names: Vec<String> = (0..30).map(|n| format!("n{n:02}")).collect();
    let others: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    let mut story = story_with(&others);
    review(&mut story);
    story.press(TAKE_ALL).press("f4 tab end");
    let shown = story.shown();
    assert!(shown.contains("… and 10 more, with the same answers"), "{shown}");
    assert!(shown.contains(&format!("chapter:n29 → {}", answers_of("n29"))), "{shown}");
    assert!(story.find::<Form>().is_some_and(|form| form.status.batch_taken().len() == 30));
}

#[test]
fn nothing_is_answered_too_unless_the_author_says_so() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    assert!(story.shown().contains("Ctrl+A  The same questions wait in 2 more packets: chapter:"));
    assert!(story.shown().contains("Ctrl+A other packets"));
    story.press(TAKE_ALL);
    assert!(
        story.shown().contains("Ctrl+A  Submitting answers 2 more packets: chapter:"),
        "{}",
        story.shown()
    );
    assert!(story.shown().contains("[ Submit to 3 packets  Ctrl+S ]"), "{}", story.shown());
    story.press(TAKE_ALL);
    assert!(story.shown().contains("[ Submit  Ctrl+S ]"), "all or none: {}", story.shown());
    story.press("ctrl+s");
    assert_eq!(story.record().as_deref(), Some(&*expected("平台绑定")));
    assert_eq!((record(&story, "b"), record(&story, "c")), (None, None));
}

#[test]
fn the_keys_of_before_write_one_record_and_no_other() {
    let names: Vec<String> = (0..239).map(|n| format!("n{n:03}")).collect();
    let others: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), name.as_str())).collect();
    for keys in ["ctrl+a esc ctrl+s", "ctrl+a ctrl+s ctrl+s esc ctrl+s", "ctrl+a enter ctrl+s"] {
        let mut story = story_with(&others);
        review(&mut story);
        story.press("ctrl+a");
        assert!(story.shown().contains("0 of 239 ticked"), "another topic is not ticked: {}", story.shown());
        story.press("esc").press(keys);
        assert_eq!(story.place(), Place::Receipt, "{keys}");
        assert!(story.record().is_some(), "{keys}");
        let written = names.iter().filter(|name| record(&story, name).is_some());
        assert_eq!(written.count(), 0, "{keys}");
    }
}

#[test]
fn esc_clears_the_filter_of_the_packets_first_and_the_ticks_stay() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    story.press("ctrl+a").burst("乙").press("space");
    assert!(story.shown().contains("1 of 2 ticked"), "{}", story.shown());
    assert!(story.shown().contains("Esc clear filter"), "{}", story.shown());
    story.press("esc");
    assert!(story.shown().contains("Esc no change"), "{}", story.shown());
    story.press("enter");
    assert!(story.shown().contains("Submitting answers 1 more packet: chapter:b"), "{}", story.shown());
}

#[test]
fn packets_of_the_same_topic_are_ticked_until_the_author_says_otherwise() {
    let mut story = story_with(&[("a1", "乙"), ("b", "平台绑定"), ("c", "平台绑定"), ("d", "平台绑定")]);
    story.open_gate(packet_of("d"));
    story.press("tab").burst("只属于丁").press("esc esc");
    review(&mut story);
    story.press("ctrl+a");
    let shown = story.shown();
    for words in [
        "2 of 4 ticked",
        "[x] chapter:b   平台绑定",
        "[x] chapter:c   平台绑定",
        "[ ] chapter:d   平台绑定 · has a draft of its own",
        "[ ] chapter:a1  乙",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    story.press("down down space enter");
    assert!(story.shown().contains("Submitting answers 1 more packet: chapter:b"), "{}", story.shown());
    // Esc leaves the ticks as they were when the list was opened.
    story.press("ctrl+a ctrl+a esc");
    assert!(story.shown().contains("Submitting answers 1 more packet: chapter:b"), "{}", story.shown());
    story.press("ctrl+s");
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("平台绑定")));
    assert_eq!([record(&story, "a1"), record(&story, "c"), record(&story, "d")], [None, None, None]);
}

#[test]
fn what_is_ticked_stays_ticked_while_an_answer_is_changed() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    story.press("ctrl+a").burst("丙").press("space ctrl+s");
    assert_eq!(story.notice(), "Enter goes back to the review with these ticks; submit there.");
    story.press("enter home enter 1");
    story.press("ctrl+s").wait(1);
    assert!(story.shown().contains("Submitting answers 1 more packet: chapter:c"), "{}", story.shown());
    story.press("ctrl+s");
    assert_eq!(
        record(&story, "c").as_deref(),
        Some(&*expected("丙").replace("jjwxc", "qidian").replace(":35.", ":36."))
    );
    assert_eq!(record(&story, "b"), None);
}

#[test]
fn what_is_typed_filters_the_list_and_all_are_those_shown() {
    let mut story = story_with(&[("12", "雨夜"), ("13", "雨停"), ("21", "下雪"), ("b", "平台绑定")]);
    review(&mut story);
    for (typed, seen) in [("yu", "12 13"), ("雨停", "13"), ("21", "21"), ("chapter:1", "12 13"), ("无", "")]
    {
        story.press("ctrl+a").burst(typed);
        let shown = story.shown();
        let listed = |name: &&str| shown.contains(&format!("] chapter:{name} "));
        let found: Vec<&str> = ["12", "13", "21", "b"].into_iter().filter(listed).collect();
        assert_eq!(found.join(" "), seen, "{typed}: {shown}");
        assert!(shown.contains("1 of 4 ticked"), "digits are text: {shown}");
        story.press("esc esc");
    }
    story.press("ctrl+a").burst("下").paste("雪");
    story.press("space backspace backspace").burst("雨").press("ctrl+a enter");
    assert!(
        story.shown().contains("[ Submit to 5 packets"),
        "what is hidden stays ticked: {}",
        story.shown()
    );
    story.press("ctrl+a").burst("雨").press("ctrl+a enter");
    assert!(story.shown().contains("[ Submit to 3 packets"), "{}", story.shown());
    story.press("ctrl+s");
    assert!(record(&story, "21").is_some() && record(&story, "b").is_some());
    assert_eq!((record(&story, "12"), record(&story, "13")), (None, None));
}

#[test]
fn packets_that_others_have_answered_meanwhile_are_not_counted() {
    let mut story = story_with(&[("b", "平台绑定"), ("c", "丙"), ("d", "丁")]);
    review(&mut story);
    story.press(TAKE_ALL);
    assert!(story.shown().contains("[ Submit to 4 packets"), "{}", story.shown());
    story.put(&answers_of("b"), CODEX);
    story.scan();
    assert!(story.shown().contains("[ Submit to 3 packets"), "{}", story.shown());
    assert!(!story.shown().contains("chapter:b"), "{}", story.shown());
    // In the list too, where the ticks stay.
    story.press("ctrl+a").burst("丙").press("space").press("esc");
    story.put(&answers_of("d"), &CODEX.replace("平台绑定", "丁"));
    story.scan();
    let shown = story.shown();
    assert!(shown.contains("0 of 1 ticked") && shown.contains("✕  chapter:b"), "{shown}");
    assert!(shown.contains("cannot be answered: It waits no more"), "{shown}");
    story.press("enter");
    assert!(story.shown().contains("[ Submit  Ctrl+S ]"), "{}", story.shown());
    fs::remove_file(story.root().join(answers_of("d"))).expect("their record");
    story.scan();
    assert!(story.shown().contains("[ Submit to 2 packets"), "it waits again: {}", story.shown());
    story.press("ctrl+s");
    assert!(record(&story, "c").is_none() && record(&story, "d").is_some());
    assert_eq!(record(&story, "b").as_deref(), Some(CODEX));
    let shown = story.shown();
    assert!(shown.contains("✕ chapter:b  Not written: codex has answered first"), "it is named: {shown}");
}

#[test]
fn the_same_questions_in_another_spelling_are_the_same() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    let spelt = other("b", "乙").replace(r#""question":"?""#, r#""question": "\u003f""#);
    story.put(&packet_of("b"), &spelt);
    story.put(&packet_of("c"), &other("c", "丙").replace(r#""question":"?""#, r#""question":"？""#));
    story.scan();
    review(&mut story);
    assert!(story.shown().contains("wait in 1 more packet: chapter:b"), "{}", story.shown());
    story.press(TAKE_ALL).press("ctrl+s");
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
    assert_eq!(record(&story, "c"), None);
}

#[test]
fn steps_that_are_passed_and_packets_of_one_gate_are_not_offered() {
    let mut story = story_with(&[("b", "乙")]);
    // A second packet of the gate of `b`, one of the gate itself, and one whose step is behind the checkpoint.
    story.put(&packet_of("b2"), &other("b", "乙").replace("chapter-writer", "chapter-refiner"));
    story.put(&packet_of("own2"), &packet(&questions()).replace("chapter-writer", "chapter-refiner"));
    story.put(&packet_of("past"), &other("past", "旧").replace("chapter:past", "chapter:001:draft"));
    story.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    story.scan();
    review(&mut story);
    assert!(story.shown().contains("wait in 1 more packet: chapter:b"), "{}", story.shown());
}

#[test]
fn every_record_is_shown_and_written_by_itself() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙"), ("d", "丁"), ("e", "戊")]);
    story.open_gate(packet_of("e"));
    story.press("tab").burst("只属于戊").press("esc esc");
    review(&mut story);
    story.press(TAKE_ALL).press("f4 tab");
    let mut shown = story.shown();
    for _ in 0..5 {
        story.press("pgdn");
        shown.push_str(&story.shown());
    }
    for topic in ["平台绑定", "乙", "丙", "丁", "戊"] {
        assert!(shown.contains(&format!("\"topic\": \"{topic}\"")), "{topic}: {shown}");
    }
    for words in ["chapter:b", &packet_of("c"), &answers_of("d"), "has a draft of its own, which stays"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    story.put(&answers_of("c"), &CODEX.replace("平台绑定", "丙"));
    story.put(&packet_of("d"), &other("d", "丁").replace("jjwxc", "fanqie"));
    story.press("esc ctrl+s");
    assert_eq!(story.place(), Place::Receipt);
    assert_eq!(story.record().as_deref(), Some(&*expected("平台绑定")));
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
    assert_eq!(record(&story, "c").as_deref(), Some(&*CODEX.replace("平台绑定", "丙")));
    assert_eq!(record(&story, "d"), None);
    assert_eq!(record(&story, "e").as_deref(), Some(&*expected("戊")));

    let receipt = story.model().receipt.as_ref().expect("a receipt");
    let mut listed = outcomes(&receipt.batch);
    listed.sort();
    let came_first = "Not written: codex has answered first; that record stays.";
    let changed = "Not written: The packet has changed since your review.";
    assert_eq!(
        listed,
        [
            ("chapter:b", None),
            ("chapter:c", Some(came_first.to_owned())),
            ("chapter:d", Some(changed.to_owned())),
            ("chapter:e", None),
        ]
    );
    story.scan();
    let shown = story.shown();
    assert!(shown.contains("✕ chapter:c  Not written: codex has answered first"), "{shown}");
    assert!(shown.contains("✓ chapter:b  written and verified"), "{shown}");
    assert!(shown.contains("next gate  chapter:d"), "what was written waits no more: {shown}");

    let gate =
        novel_gate::ask::decode_packet(other("e", "戊").as_bytes()).expect("a packet").gate.expect("a gate");
    let state = super::files(story.dir.path(), &story.clock).state;
    let draft = Drafts::new(&state)
        .load(&gate.answer_path, &gate.spec)
        .expect("it can be read")
        .expect("its own draft");
    assert_eq!(draft.job.draft.replies[1].text, "只属于戊");
}

#[test]
fn each_record_can_be_redone_and_put_back() {
    let mut story = story_with(&[("b", "乙")]);
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s esc");
    story.scan();
    story.wait(1);
    let row = story.model().inbox.row_of(&PathBuf::from(packet_of("b"))).expect("its row");
    story.press("home").press(&"down ".repeat(row));
    story.press("f8");
    assert_eq!(record(&story, "b"), None);
    assert!(story.record().is_some());
    story.scan();
    story.wait(1);
    let row = story.model().inbox.row_of(&PathBuf::from(packet_of("b"))).expect("its row");
    story.press("home").press(&"down ".repeat(row)).press("ctrl+u");
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
}

#[test]
fn where_the_own_record_is_not_written_the_others_are() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    review(&mut story);
    story.press(TAKE_ALL);
    story.put(ANSWERS, CODEX);
    story.put(&answers_of("c"), "{}");
    story.press("ctrl+s");
    assert_eq!(story.record().as_deref(), Some(CODEX));
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
    let Some(Outcomes { records, .. }) = story.find() else { panic!("no list") };
    let mut listed = outcomes(records);
    listed.sort();
    let there = "A record is already there; it is untouched. To answer again, use redo first.";
    assert_eq!(
        listed,
        [
            ("chapter:048:draft", Some("Not written: another answer came first. Yours are kept.".to_owned())),
            ("chapter:b", None),
            ("chapter:c", Some(format!("Not written: {there}"))),
        ]
    );
    story.press("esc");
    assert_eq!(story.place(), Place::Review);
    assert_eq!(story.kept().expect("the answers").draft.replies[0].picks.len(), 1);
    assert!(!story.shown().contains("Ctrl+A"), "they are not written twice: {}", story.shown());
}

#[test]
fn what_cannot_be_taken_says_why_in_the_list() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙"), ("d", "丁")]);
    story.put(&packet_of("rival"), &other("rival", "他").replace(&answers_of("rival"), &answers_of("b")));
    story.put(&packet_of("c"), &other("c", "丙").replace(&answers_of("c"), ".git/c.json"));
    story.scan();
    review(&mut story);
    story.press("ctrl+a ctrl+a");
    let shown = story.shown();
    for words in
        ["1 of 1 ticked", "✕  chapter:b      cannot be answered: staging/", "✕  chapter:c      cannot be"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let row = shown.lines().filter(|line| line.contains('✕')).position(|line| line.contains("chapter:c"));
    story.press(&"down ".repeat(row.expect("its row"))).press("space");
    assert!(
        story.notice().starts_with("No record can be written there. answer_path is inside"),
        "{}",
        story.notice()
    );
    story.press("enter ctrl+s");
    assert_eq!(story.place(), Place::Receipt);
    assert_eq!((record(&story, "b"), story.root().join(".git").exists()), (None, false));
}

#[test]
fn a_record_that_the_history_does_not_have_says_so() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙")]);
    story.open_gate(packet_of("c"));
    story.press("tab").burst("只属于丙").press("esc esc");
    review(&mut story);
    story.press(TAKE_ALL);
    let database = crate::kept::database(&story.dir.path().join("state")).expect("a draft");
    let full = "CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT RAISE(ABORT, 'no room'); END";
    rusqlite::Connection::open(database).expect("it opens").execute_batch(full).expect("a trigger");
    story.press("ctrl+s");
    let receipt = story.model().receipt.as_ref().expect("a receipt");
    let said: Vec<String> =
        receipt.batch.iter().filter_map(|record| Some(record.unnoted.as_ref()?.text(Lang::En))).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter().all(|said| said.starts_with("written, but the history does not have it: ")),
        "{said:?}"
    );
    let kept = |said: &&String| said.ends_with("This gate has a draft of its own, which stays.");
    assert_eq!(said.iter().filter(kept).count(), 1, "{said:?}");
    assert!(
        story.shown().contains("▲ chapter:b  written, but the history does not have it"),
        "{}",
        story.shown()
    );
    assert_eq!(record(&story, "b").as_deref(), Some(&*expected("乙")));
}

#[test]
fn what_others_have_done_to_one_of_the_records_stands_on_the_receipt() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙"), ("d", "丁")]);
    review(&mut story);
    story.press(TAKE_ALL).press("ctrl+s");
    story.scan();
    assert!(!story.shown().contains("▲ chapter:"), "{}", story.shown());
    fs::remove_file(story.root().join(answers_of("b"))).expect("removed");
    story.put(&answers_of("c"), CODEX);
    story.scan();
    story.look();
    let shown = story.shown();
    assert!(shown.contains("▲ chapter:b  Removed since: no record is there."), "{shown}");
    assert!(shown.contains("▲ chapter:c  Replaced since by another record."), "{shown}");
    assert!(shown.contains("✓ chapter:d"), "{shown}");
}

#[test]
fn without_its_packet_the_review_offers_neither_others_nor_sending_back() {
    let mut story = story_with(&[("b", "乙")]);
    review(&mut story);
    assert!(story.shown().contains("Ctrl+A"), "{}", story.shown());
    fs::remove_file(story.root().join(PACKET)).expect("removed");
    story.scan();
    story.look();
    let shown = story.shown();
    assert!(!shown.contains("Ctrl+A") && !shown.contains("Ctrl+X"), "{shown}");
    for key in ["ctrl+a", "ctrl+x"] {
        story.press(key);
        assert!(story.notice().contains("No packet asks this now"), "{key}: {}", story.notice());
    }
}

#[test]
fn packets_that_come_and_go_are_in_the_list_of_an_open_review() {
    let mut story = story_with(&[("b", "乙")]);
    review(&mut story);
    story.put(&packet_of("c"), &other("c", "平台绑定"));
    story.scan();
    story.press("ctrl+a");
    assert!(story.shown().contains("of 2 ticked"), "{}", story.shown());
    // Under the author's hands: what comes is not ticked, and the cursor stays.
    story.press("home space");
    story.put(&packet_of("a"), &other("a", "平台绑定"));
    story.scan();
    let shown = story.shown();
    assert!(shown.contains("of 3 ticked") && shown.contains("[ ] chapter:a"), "{shown}");
    fs::remove_file(story.root().join(packet_of("a"))).expect("removed");
    story.scan();
    assert!(story.shown().contains("of 2 ticked"), "{}", story.shown());
    story.press("esc").press("ctrl+a");
    fs::remove_file(story.root().join(packet_of("c"))).expect("removed");
    story.scan();
    story.press("esc");
    story.scan();
    assert!(!story.shown().contains("chapter:c"), "{}", story.shown());
}

#[test]
fn packets_that_are_gone_are_called_so_by_their_path_in_the_project() {
    let mut story = story_with(&[("b", "乙"), ("c", "丙"), ("d", "丁")]);
    review(&mut story);
    story.press("ctrl+a");
    fs::remove_file(story.root().join(packet_of("d"))).expect("removed");
    story.scan();
    let shown = story.shown();
    assert!(
        shown.contains("✕  chapter:d") && shown.contains("cannot be answered: Its packet is gone"),
        "{shown}"
    );
    story.press("ctrl+a enter");
    fs::remove_file(story.root().join(packet_of("c"))).expect("removed");
    story.press("ctrl+s");
    let shown = story.shown();
    let says = format!("✕ chapter:c  Not written: Cannot read {}.", packet_of("c"));
    assert!(
        shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(&says.replace("  ", " ")),
        "{shown}"
    );
    assert!(!shown.contains(&*story.root().to_string_lossy()), "{shown}");
}

#[test]
fn a_packet_that_went_while_the_list_was_open_is_on_the_receipt_only_if_the_author_had_ticked_it() {
    for (keys, named) in
        [("ctrl+a", ""), ("ctrl+a ctrl+a", "d e"), ("ctrl+a ctrl+a ctrl+a", ""), ("ctrl+a enter ctrl+a", "d")]
    {
        let mut story = story_with(&[("b", "平台绑定"), ("c", "丙"), ("d", "平台绑定"), ("e", "丁")]);
        review(&mut story);
        story.press(keys);
        for name in ["d", "e"] {
            fs::remove_file(story.root().join(packet_of(name))).expect("removed");
        }
        story.scan();
        story.press("enter ctrl+s");
        assert_eq!(story.place(), Place::Receipt);
        let receipt = story.model().receipt.as_ref().expect("a receipt");
        let told = outcomes(&receipt.batch);
        for name in ["d", "e"] {
            let why = told
                .iter()
                .find(|(title, _)| *title == format!("chapter:{name}"))
                .map(|(_, why)| why.as_deref());
            let is_gone =
                why.map(|why| why.is_some_and(|why| why.starts_with("Not written: Cannot read staging/")));
            assert_eq!(is_gone, named.contains(name).then_some(true), "{keys} {name}: {}", story.shown());
            assert_eq!(record(&story, name), None);
        }
    }
}
