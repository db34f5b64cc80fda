//! Two hundred `wait` processes on two hundred gates, all released by one script.
//!
//! A test binary of its own, for they keep a machine busy. Every fourth of them watches and the others look for themselves:
//! a user may have few watchers, and what else runs needs some.

// What it says to the system goes through a shell, and `ulimit`.
#![cfg(unix)]

#[expect(dead_code, reason = "other tests need more of it")]
#[path = "../it/project.rs"]
mod project;
#[expect(dead_code, unused_imports, reason = "other tests need more of it")]
#[path = "../it/system.rs"]
mod system;

use project::{Book, Running};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

const GATES: usize = 200;

fn name(number: usize) -> String {
    format!("gate-{number:03}")
}

fn record_path(number: usize) -> String {
    format!("staging/novel-ask/{}.json", name(number))
}

fn record(number: usize) -> String {
    Book::RECORD.replace("\"x\"", &format!("\"{}\"", name(number)))
}

/// A shell that writes the records of these gates, every second one in place and in two pieces.
fn release(book: &Book, numbers: impl Iterator<Item = usize>) {
    let mut script = String::from("set -e\nmkdir -p staging/novel-ask\n");
    for number in numbers {
        let (path, record) = (record_path(number), record(number));
        let (first, rest) = record.split_at(record.len() / 2);
        script += &if number.is_multiple_of(2) {
            format!("printf %s '{first}' > {path}\nprintf %s '{rest}' >> {path}\n")
        } else {
            format!("printf %s '{record}' > {path}.tmp\nmv {path}.tmp {path}\n")
        };
    }
    let mut shell = Command::new("sh");
    let status = shell.args(["-c", &script]).current_dir(book.root()).stdin(Stdio::null()).status();
    assert!(status.expect("a shell").success());
}

#[test]
fn none_of_two_hundred_is_missed() {
    let book = Book::new();
    for number in 0..GATES {
        book.put_packet(&name(number), &record_path(number));
    }
    let start = |number: usize| {
        let line = ["wait", &name(number)];
        if number.is_multiple_of(4) { book.start(&line) } else { book.start_unwatched(&line) }
    };
    let waits: Vec<Running> = (0..GATES).map(start).collect();
    let mut list = book.start(&["list", "--watch", "--json", "--status", "waiting"]);
    // The first ones while the last ones have hardly begun.
    release(&book, 0..GATES / 4);
    waits[GATES / 4..].iter().for_each(Running::wait_until_asleep);
    release(&book, GATES / 4..GATES);
    let mut polling = 0;
    for (number, wait) in waits.into_iter().enumerate() {
        let outcome = wait.end();
        assert_eq!((outcome.exit, outcome.out), (0, record(number)), "{number}: {}", outcome.err);
        polling += usize::from(outcome.err.contains("Looking for changes every second"));
    }
    assert!(polling > 0, "none had to look for itself");
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    let mut listed = false;
    while !listed || !waiting.is_empty() {
        let line = list.next_json();
        let packet = line["packet"].as_str().unwrap_or_default().to_owned();
        match line["event"].as_str().expect("an event") {
            "present" | "appeared" => drop(waiting.insert(packet)),
            "left" => assert!(waiting.remove(&packet), "{packet}"),
            "ready" => listed = true,
            "changed" => {}
            other => panic!("{other}: {line}"),
        }
    }
    assert!(!list.has_ended());
}
