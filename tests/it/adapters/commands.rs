//! The commands of the adapters from end to end: the same record whichever way it came about, invariants 1 and 2; one
//! JSON object whatever is read, 24; and no file but those that were named, 25.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use novel_gate::adapter::canonical;
use novel_gate::ask::QuestionSpec;
use novel_gate::ask::json::Item;
use novel_gate::ask::object;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::author::{Author, Habits, any_habits};
use super::intents::{Intent, fill_in_console};
use super::program::{Book, PACKET, REPLIES, ROUNDS, Spoken, only_object};
use super::specs::{ANSWER_PATH, packet_json};
use super::{AT, cases, meant};

/// The ways of an executor, with as little room as they may have and as much.
const WAYS: &[&[&str]] = &[
    &["--for", "claude-code"],
    &["--for", "claude-code", "--max-questions", "1"],
    &["--for", "codex"],
    &["--for", "codex", "--exact-options", "2"],
    &["--for", "codex", "--exact-options", "5", "--max-questions", "3"],
    &["--for", "json-contract"],
];

proptest! {
    #![proptest_config(cases(150))]

    /// Invariants 1 and 2, with the record as it lies on the disk; and 25.
    #[test]
    fn every_way_writes_the_same_answers_and_nothing_else(
        (spec, intent) in meant(), habits in any_habits(), way in select(WAYS),
    ) {
        let draft = fill_in_console(&spec, &intent);
        let console = Book::asking(&spec);
        console.put(ANSWER_PATH, draft.record(&spec, AT, &"human".into()).to_json().as_bytes());

        let given = Book::asking(&spec);
        let answers = format!("{{\"answers\": {}}}", object(draft.answers(&spec)).get());
        let before = given.files();
        let said = given.call(&["answer", PACKET, "--from", "-", "--by", "human", "--json"], answers.as_bytes());
        prop_assert_eq!(said.exit, 0, "{}", said.out);
        prop_assert_eq!(given.answers(), console.answers());
        prop_assert_eq!(new_files(&before, &given), BTreeSet::from([ANSWER_PATH.into()]));

        let (asked, said, before) = talked(&spec, &intent, habits, way);
        prop_assert_eq!(said.exit, 0, "{}", said.out);
        prop_assert_eq!(asked.answers(), console.answers(), "{:?}", way);
        prop_assert_eq!(asked.call(&["check", PACKET, "--json"], b"").exit, 0);
        prop_assert_eq!(new_files(&before, &asked), BTreeSet::from([ANSWER_PATH.into(), REPLIES.into(), ROUNDS.into()]));
        // Asked again, it says what is there, and touches nothing.
        let before = asked.files();
        let again = asked.call(&[&["next", PACKET, "--replies", "other.jsonl", "--write"], way].concat(), b"");
        prop_assert_eq!(again.exit, 0);
        prop_assert_eq!(only_object(&again.out).root().get("already").and_then(Item::boolean), Some(true));
        prop_assert_eq!(asked.files(), before);
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Invariants 24 and 25 for a packet with anything in it.
    #[test]
    fn any_packet_is_answered_with_one_object(
        packet in any_bytes(|(spec, _)| packet_json(&spec)),
        way in select(WAYS),
        line in any_line(),
    ) {
        let book = Book::with(&packet);
        book.put(REPLIES, b"");
        let before = book.files();
        let said = match line {
            Line::Next => book.call(&[&["next", PACKET, "--replies", REPLIES], way].concat(), b""),
            Line::Compile => book.call(&[&["compile", PACKET], way].concat(), b""),
            Line::Input => book.call(&[&["next", "-", "--replies", REPLIES], way].concat(), &packet),
            Line::Canonical => book.call(&["compile", PACKET, "--for", "canonical"], b""),
        };
        if matches!(line, Line::Canonical) && said.exit == 0 {
            // The document itself, laid out for people.
            prop_assert_eq!(canonical::check_shape(said.out.as_bytes()), vec![]);
        } else {
            check_object(&said);
        }
        prop_assert_eq!(book.files(), before);
    }

    /// Invariants 24 and 25 for a replies file with anything in it, and a reply that is anything.
    #[test]
    fn any_reply_is_answered_with_one_object(
        (spec, _) in meant(),
        replies in any_bytes(|_| "{\"call\": \"c0-0123456789ab\", \"escape\": true}\n\n{\"call\": \"c1\"}\n".to_owned()),
        reply in any_bytes(|_| "{\"call\": \"c0-0123456789ab\", \"output\": {\"answers\": {}}}".to_owned()),
        way in select(WAYS),
        from_file in any::<bool>(),
    ) {
        let book = Book::asking(&spec);
        if from_file {
            book.put(REPLIES, &replies);
        }
        let before = book.files();
        let line = [&["next", PACKET, "--replies", REPLIES, "--write"], way].concat();
        check_object(&book.call(&line, b""));
        prop_assert_eq!(book.files(), before.clone(), "a look changes nothing");
        let said = book.call(&[&line[..], &["--reply", "-"]].concat(), &reply);
        check_object(&said);
        // A reply to no call of this dialogue is not taken.
        prop_assert_eq!(said.exit, 2, "{}", said.out);
        prop_assert_eq!(book.files(), before);
    }
}

/// A project after a dialogue, what was said at its end, and the files before it.
fn talked(
    spec: &QuestionSpec,
    intent: &Intent,
    habits: Habits,
    way: &[&str],
) -> (Book, Spoken, BTreeMap<PathBuf, Option<Vec<u8>>>) {
    let book = Book::asking(spec);
    let before = book.files();
    let said = book.talk(way, Author::new(spec, intent, habits), |_, _| {});
    (book, said, before)
}

/// The files and directories that are new since; nothing else may have changed. Directories on the way to the record do
/// not count.
fn new_files(before: &BTreeMap<PathBuf, Option<Vec<u8>>>, book: &Book) -> BTreeSet<PathBuf> {
    let after = book.files();
    for (path, bytes) in before {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    let new = after.into_iter().filter(|(path, bytes)| bytes.is_some() && !before.contains_key(path));
    new.map(|(path, _)| path).collect()
}

#[derive(Clone, Copy, Debug)]
enum Line {
    Next,
    Compile,
    Input,
    Canonical,
}

fn any_line() -> impl Strategy<Value = Line> {
    select(vec![Line::Next, Line::Next, Line::Compile, Line::Input, Line::Canonical])
}

/// Noise, or a good text with a piece of it lost, doubled or replaced.
fn any_bytes(good: fn((QuestionSpec, Intent)) -> String) -> impl Strategy<Value = Vec<u8>> {
    let pieces =
        select(vec!["", "\"", "{", "}", "[", "null", "\\ud800", "\u{0}", ",", "__proto__", "1e999", "\n"]);
    let broken =
        (meant(), any::<Index>(), 0..20_usize, pieces).prop_map(move |(meant, at, length, piece)| {
            let mut bytes = good(meant).into_bytes();
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, piece.bytes());
            bytes
        });
    let odd = select(vec![
        "",
        "null",
        "[]",
        "{}",
        "{\"novel_ask\": {}}",
        "{\"questions\": []}",
        "{\"steps\": []}",
        "\u{feff}{}",
    ]);
    prop_oneof![
        6 => broken,
        1 => any::<Vec<u8>>(),
        2 => odd.prop_map(|text| text.as_bytes().to_vec()),
        1 => (1..3_000_usize).prop_map(|depth| "[".repeat(depth).into_bytes()),
    ]
}

/// One object on one line, with the exit code that the program ends with.
fn check_object(said: &Spoken) {
    assert_eq!(said.out.matches('\n').count(), 1, "{}", said.out);
    assert!([0, 1, 2, 4, 5].contains(&said.exit), "exit {}: {}", said.exit, said.out);
    let json = only_object(&said.out);
    let text = |key: &str| json.root().get(key).and_then(Item::string);
    assert!(text("status").is_some() && text("code").is_some() && text("message").is_some(), "{}", said.out);
    let exit = json.root().get("exit").and_then(Item::number);
    assert_eq!(exit, Some(f64::from(said.exit)), "{}", said.out);
    assert_eq!(said.exit == 0, text("status") != Some("error".into()), "{}", said.out);
}
