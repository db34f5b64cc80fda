//! `list --watch`: every line of a watch, from the first gate to the signal that ends it.
//!
//! One course of events is told in both languages, as words and as JSON; `tests/contract/list-watch.txt` holds the lines.

use super::book::Book;
use super::{golden, schemas, stand_in};
use crate::project::Running;
use crate::system::Signal;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What happens, and words of the line that tells of it last: in English, in Chinese, in JSON.
const EVENTS: &[(&str, [&str; 3])] = &[
    ("the watch begins", ["answered.", "已回答 1。", "\"event\": \"ready\""]),
    ("chapter:002:draft is answered", ["left", "移出", "\"event\": \"left\""]),
    ("its record is taken back", ["appeared", "出现", "\"event\": \"appeared\""]),
    ("the author sends it back", ["left", "移出", "\"event\": \"left\""]),
    ("the author takes that back", ["appeared", "出现", "\"event\": \"appeared\""]),
    ("its packet asks about something else", ["changed", "变化", "\"event\": \"changed\""]),
    ("its packet is removed", ["gone", "消失", "\"event\": \"gone\""]),
    ("the project is moved away", ["is gone", "不见了", "\"event\": \"project-gone\""]),
    ("the project is back", ["is back", "回来了", "\"event\": \"project-back\""]),
];

const RECORD: &str = "staging/novel-ask/002.json";
const ROUNDS: &str = "staging/novel-ask/002.rounds.jsonl";
const REFUSAL: &str = "{\"event\":\"sent-back\",\"id\":\"1\",\"at\":\"2026-02-27T11:00:00.000Z\",\"by\":\"me\",\"reason\":\"no\"}\n";
const PACKET: &str = "staging/manifests/chapter-002-draft.packet.json";

fn happen(book: &Book, event: &str) {
    let (root, record, packet) = (book.root(), book.root().join(RECORD), book.root().join(PACKET));
    let new = book.top().join("new");
    match event {
        "the watch begins" => {}
        "chapter:002:draft is answered" => {
            fs::copy(root.join("staging/novel-ask/001.json"), &new).expect("copied");
            fs::rename(new, record).expect("put in its place");
        }
        "its record is taken back" => fs::remove_file(record).expect("removed"),
        "the author sends it back" => fs::write(root.join(ROUNDS), REFUSAL).expect("written"),
        "the author takes that back" => fs::remove_file(root.join(ROUNDS)).expect("removed"),
        "its packet asks about something else" => {
            let text = fs::read_to_string(&packet).expect("a packet");
            fs::write(&new, text.replace("\"topic\": \"平台\"", "\"topic\": \"发布\u{fffd}\""))
                .expect("written");
            fs::rename(new, packet).expect("put in its place");
        }
        "its packet is removed" => fs::remove_file(packet).expect("removed"),
        "the project is moved away" => fs::rename(&root, book.top().join("elsewhere")).expect("moved"),
        "the project is back" => fs::rename(book.top().join("elsewhere"), &root).expect("moved"),
        _ => panic!("{event}"),
    }
}

/// The lines of one watch, by event; then how it ended.
fn watch(locale: &str, json: bool) -> (Vec<Vec<String>>, Running, Book) {
    let book = Book::new();
    let line =
        ["list", "--watch", "--status", "waiting,malformed"].into_iter().chain(json.then_some("--json"));
    let line: Vec<String> = line.map(str::to_owned).collect();
    let running = golden::start(&book, &line, locale, &[], "");
    let mark = if json { 2 } else { usize::from(locale.starts_with("zh")) };
    let mut told = Vec::new();
    for (event, marks) in EVENTS {
        happen(&book, event);
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.contains(marks[mark])) {
            lines.push(running.next_line());
        }
        told.push(lines);
    }
    running.signal(Signal::TERM);
    (told, running, book)
}

/// Every object of one watch.
pub(super) fn objects() -> Vec<Value> {
    let (told, running, _book) = watch("C", true);
    let end = running.end();
    let output = schemas::named("list-watch-output");
    let lines = told.iter().flatten().map(String::as_str).chain(end.out.lines());
    lines.map(|line| schemas::hold_object(output, line)).collect()
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn every_line_of_a_watch() {
    let head = "# Every line of list --watch, while this happens.\n\n$ novel-gate list --watch --status waiting,malformed\n";
    let mut text = head.to_owned();
    for (name, locale, json) in [
        ("en", "C", false),
        ("zh", "zh_CN.UTF-8", false),
        ("json", "C", true),
        ("json zh", "zh_CN.UTF-8", true),
    ] {
        let (told, running, book) = watch(locale, json);
        let end = running.end();
        assert_eq!(end.exit, 143, "{}", end.err);
        for ((event, _), lines) in EVENTS.iter().zip(&told) {
            writeln!(text, "\n= {name}: {event}").expect("a string");
            for line in lines {
                write!(text, "    {}", stand_in::put(line, &book.top())).expect("a string");
            }
        }
        writeln!(text, "\n= {name}: asked to end, exit {}", end.exit).expect("a string");
        for line in end.out.lines().chain(end.err.lines()) {
            writeln!(text, "    {line}").expect("a string");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/list-watch.txt");
    golden::compare(&path, &fs::read_to_string(&path).unwrap_or_default(), &text);
}
