//! Whoever answers releases a `wait` in the background.

use super::A;
use crate::project::Book;
use crate::sandbox::{Running, Sandbox};
use serde_json::Value;
use std::fs;
use std::io::Write;

const PACKET: &str = "staging/manifests/step.packet.json";
const GATE: &str = r#"{"step": "chapter:001:draft", "answer_path": "staging/novel-ask/a.json",
 "novel_ask": {"version": 1, "topic": "t", "questions": [
  {"id": "a", "header": "Letter", "question": "Which letter?", "kind": "single_choice", "required": true,
   "options": [{"label": "x", "description": "the first"}, {"label": "y", "description": "the second"}]}]}}"#;

fn waiting() -> (Sandbox, Running) {
    let book = Sandbox::new();
    book.put(PACKET, GATE);
    let running = Running::start(&mut book.command(["wait", "chapter:001:draft"]));
    (book, running)
}

/// It has ended with the record that lies there, and what was decided.
fn assert_released(book: &Sandbox, running: Running) -> Value {
    let ran = running.wait();
    assert!(ran.code == Some(0) && ran.stderr.starts_with("The author has decided"), "{ran:?}");
    assert_eq!(ran.stdout.as_bytes(), book.read(A).expect("a record"));
    serde_json::from_str(&ran.stdout).expect("a record")
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn when_the_console_submits() {
    let (book, mut running) = waiting();
    let mut console = book.console(100, 30);
    console.wait_for_text("1 waiting");
    console.press("enter");
    console.wait_for_text("Which letter?");
    console.press("down");
    console.press("enter");
    console.wait_for_text("This will be written to");
    assert!(running.is_running(), "nothing is written before the author submits");
    console.press("ctrl+s");
    console.wait_for_text("Written and verified");
    assert_eq!(assert_released(&book, running)["answers"]["a"], "y");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
fn when_answer_writes() {
    let (book, running) = waiting();
    let ran = book.run(["answer", "chapter:001:draft", "--set", "a=x", "--by", "codex"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(assert_released(&book, running)["answered_by"], "codex");
}

#[test]
fn when_a_plain_write_in_two_pieces_is_done() {
    let (book, mut running) = waiting();
    fs::create_dir_all(book.path("staging/novel-ask")).expect("a directory");
    let mut file = fs::File::create(book.path(A)).expect("created");
    let (first, rest) = Book::RECORD.split_at(60);
    file.write_all(first.as_bytes()).expect("written");
    file.flush().expect("flushed");
    assert!(running.is_running());
    file.write_all(rest.as_bytes()).expect("written");
    drop(file);
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), Book::RECORD), "{ran:?}");
}
