//! What is printed does nothing to a terminal, and is told though standard output fails.

use super::{Book, NAME, RECORD, packet};
use novel_gate::Environment;
use novel_gate::command::Streams;
use novel_gate::run::run_on;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};

#[test]
fn hostile_text_is_harmless_for_people_and_exact_for_programs() {
    let book = Book::new();
    let mut hostile = packet(RECORD);
    let topic = "\u{1b}]0;owned\u{7}\u{202e}\u{9b}31m\nforged: line";
    hostile["novel_ask"]["topic"] = json!(topic);
    hostile["step"] = json!(topic);
    book.put("hostile.json", hostile.to_string());
    for command in ["show", "check"] {
        let words = book.run(&[command, "hostile.json"]);
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!words.out.contains(bad), "{:?}", words.out);
        assert!(!words.out.lines().any(|line| line.starts_with("forged")), "{:?}", words.out);
    }
    assert_eq!(book.run(&["show", "hostile.json", "--json"]).json()["topic"], topic);
    let lone = packet(RECORD).to_string().replace("平台\",\"version\"", "平\\ud800\",\"version\"");
    let lone = lone.replace("\"topic\":\"平台\"", "\"topic\":\"平\\ud800\"");
    book.put("lone.json", lone);
    fs::remove_file(book.root().join("staging/manifests/chapter-048-draft.packet.json"))
        .expect("the packet that wants other answers there");
    let written = book.run(&["answer", "lone.json", "--defaults", "--by", "x"]);
    assert_eq!(written.exit, 0, "{}", written.err);
    let record = fs::read_to_string(book.root().join(RECORD)).expect("a record");
    assert!(record.contains("\"topic\": \"平\\ud800\""), "{record}");
    assert_eq!(book.run(&["check", "lone.json"]).exit, 0);
}

/// A full disk behind standard output.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_was_done_is_told_though_standard_output_fails() {
    let book = Book::new();
    let run = |line: &[&str]| {
        let mut err = Vec::new();
        let environment = Environment { cwd: book.root(), ..Environment::default() };
        let state = book.top.path().join("state").into_os_string();
        let words = ["novel-gate".into(), "--state-dir".into(), state];
        let line: Vec<OsString> = words.into_iter().chain(line.iter().map(OsString::from)).collect();
        let streams = Streams { input: &mut io::empty(), out: &mut Full, err: &mut err };
        (run_on(&line, &environment, streams).number(), String::from_utf8(err).expect("words"))
    };
    let steps: [(&[&str], &str); 4] = [
        (&["answer", NAME, "--defaults", "--by", "x"], "is written; the gate is open."),
        (&["redo", NAME, "--json"], "was moved to the history"),
        (&["redo", NAME, "--undo"], "is back, byte for byte."),
        (
            &["answer", NAME, "--defaults", "--by", "x", "--replace", "--json"],
            "is written; the gate is open.",
        ),
    ];
    for (line, done) in steps {
        let (exit, err) = run(line);
        assert!(
            exit == 1 && err.contains("the disk is full") && err.contains(done),
            "{line:?}: {exit} {err}"
        );
    }
    assert!(book.record().is_some());
}

#[test]
fn no_control_character_of_somebody_elses_reaches_a_terminal() {
    const WORDS: &str = "\u{9b}31m\u{7f}\u{202e}x\u{85}";
    let book = Book::new();
    let mut hostile = packet(RECORD);
    hostile["novel_ask"]["topic"] = json!(WORDS);
    book.put("staging/manifests/chapter-048-draft.packet.json", hostile.to_string());
    let answer = ["answer", NAME, "--defaults", "--by", "x"];
    let bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    let check = |line: &[&str], exact: bool| {
        let shown = book.type_in("", line).out;
        assert!(
            !shown.contains(bad) && shown.contains("\\u009b31m\\u007f\\u202ex\\u0085"),
            "{line:?}: {shown:?}"
        );
        let told = book.run(line).out;
        assert_eq!(told.contains(WORDS), exact, "{line:?}: {told:?}");
        let [shown, told] = [shown, told].map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
        let topic =
            |json: &Value| json["topic"].as_str().or(json["record"]["topic"].as_str()).map(str::to_owned);
        assert_eq!((topic(&shown).as_deref(), topic(&told).as_deref()), (Some(WORDS), Some(WORDS)));
    };
    check(&[&answer[..], &["--dry-run"]].concat(), true);
    check(&[&answer[..], &["--dry-run", "--json"]].concat(), false);
    check(&["show", NAME, "--json"], false);
    assert_eq!(book.run(&answer).exit, 0);
    check(&["wait", NAME], true);
    let entry = book.run(&["history", "--json"]).json()["entries"][0]["id"].clone();
    check(&["history", "--show", entry.as_str().expect("an id"), "--raw"], true);
}

#[test]
fn arguments_are_quoted_harmlessly() {
    let book = Book::new();
    let hostile = "\u{1b}]52;c;eA==\u{7}\u{9b}2J";
    for color in ["never", "always"] {
        for line in
            [vec!["list", "--status", hostile], vec![hostile], vec!["list", hostile], vec!["--lang", hostile]]
        {
            let line = [&["--color", color], &line[..]].concat();
            let outcome = book.run(&line);
            assert_eq!(outcome.exit, 2, "{line:?}");
            assert!(!outcome.err.contains(|c: char| c.is_control() && c != '\n'), "{:?}", outcome.err);
            assert!(outcome.err.contains("]52;c;eA=="), "{:?}", outcome.err);
        }
    }
    assert!(
        book.run(&["--color", "always", "--lang", "en", "list", "--no"]).err.contains('\u{1b}'),
        "our own colours stay"
    );
}

#[test]
fn a_reader_who_has_gone_is_no_error() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let book = Book::new();
    let mut err = Vec::new();
    let environment = Environment { cwd: book.root(), ..Environment::default() };
    let streams = Streams { input: &mut io::empty(), out: &mut Gone, err: &mut err };
    let line = ["novel-gate", "show", NAME].map(OsString::from).to_vec();
    assert_eq!(run_on(&line, &environment, streams).number(), 0);
    assert_eq!(err, b"");
}
