//! `wait --test`: a question reaches the console and its answer comes back; nothing of it stays.

use crate::sandbox::{Running, Sandbox, wait_for};
use crate::screen::Terminal;
use crate::system::Signal;
use std::fs;
use std::time::Duration;

const FOLDER: &str = "staging/novel-ask/relay";

fn project() -> Sandbox {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    book
}

/// What lies where questions are put.
fn left(book: &Sandbox) -> Vec<String> {
    let files = fs::read_dir(book.path(FOLDER)).into_iter().flatten().flatten();
    files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

/// A test question that is asked.
fn asked(book: &Sandbox) -> (Running, String) {
    let running = Running::start(&mut book.command(["wait", "--test"]));
    let name =
        wait_for("the question", || left(book).into_iter().find(|name| name.ends_with(".packet.json")));
    (running, format!("{FOLDER}/{name}"))
}

/// Answers the test question: it is not here.
fn answer(console: &Terminal) {
    console.wait_for_text("Test question");
    console.press("enter");
    console.wait_for_text("Does this question reach you?");
    console.press("down");
    console.press("enter");
    console.wait_for_text("This will be written to");
    console.press("ctrl+s");
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn the_author_answers_in_the_console_and_whoever_asked_is_told() {
    let book = project();
    let mut console = book.console(80, 24);
    console.wait_for_text("No gates yet");
    let (running, _) = asked(&book);
    answer(&console);
    let ran = running.wait();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert_eq!(ran.stdout, "It works. The author has answered: Not here\n");
    assert_eq!(left(&book).len(), 0);
    console.wait_for_text("The executor has taken the answers.");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    assert_eq!(fs::read_dir(book.root()).expect("read").count(), 2, "the checkpoint and staging/");
}

#[test]
fn without_a_console_it_says_so_and_waits() {
    let book = project();
    let (running, packet) = asked(&book);
    let answered = book.run(["answer", &packet, "--set", "test=看到", "--by", "me"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let ran = running.wait();
    assert!(ran.stderr.contains("No console is open") && ran.stdout.ends_with("answered: 看到\n"), "{ran:?}");
    assert_eq!(left(&book).len(), 0);
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn an_answer_from_a_console_that_no_hook_would_find_is_not_said_to_work() {
    let book = project();
    let mut console = book.console(80, 24);
    console.wait_for_text("No gates yet");
    let elsewhere = book.path("../another state");
    let mut wait = book.command(["wait", "--test"]);
    let running = Running::start(wait.arg("--state-dir").arg(&elsewhere));
    answer(&console);
    let ran = running.wait();
    assert!(ran.stdout.starts_with("A hook would not ask here"), "{ran:?}");
    assert!(ran.stdout.ends_with("has answered: Not here\n"), "{ran:?}");
    let shown = format!("novel-gate --state-dir '{}':", elsewhere.display());
    assert!(ran.stderr.contains(&shown), "{ran:?}");
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn a_question_that_is_handed_back_ends_it_at_once() {
    let book = project();
    let mut console = book.console(80, 24);
    console.wait_for_text("No gates yet");
    let (running, _) = asked(&book);
    console.wait_for_text("Test question");
    console.press("ctrl+o");
    let ran = running.wait_within(Duration::from_secs(8)).expect("sooner than where a packet may come back");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("was handed back"), "{ran:?}");
    assert!(!book.path(FOLDER).exists());
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn whatever_ends_it_takes_the_question_along() {
    for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let book = project();
        let (running, _) = asked(&book);
        running.signal(signal);
        assert_eq!((running.wait().code, left(&book).len()), (Some(exit), 0));
    }
    let book = project();
    let ran = book.run(["wait", "--test", "--timeout", "10ms"]);
    assert_eq!((ran.code, left(&book).len()), (Some(7), 0), "{ran:?}");
    // What a kill leaves behind goes with the next one.
    let (running, packet) = asked(&book);
    running.signal(Signal::KILL);
    running.wait();
    assert!(book.path(&packet).exists());
    let ran = book.run(["wait", "--test", "--timeout", "10ms"]);
    assert_eq!((ran.code, left(&book).len()), (Some(7), 0), "{ran:?}");
    for more in ["step:a", "--any"] {
        let ran = book.run(["wait", "--test", more]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
    }
}
