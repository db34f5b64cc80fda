//! Words that the disk does not take, on every way out of the console.

use super::{WORDS, is_drafted, one_gate, open_field, open_field_on};
use crate::sandbox::{Sandbox, wait_until};
use crate::screen::Terminal;
use crate::system::Signal;
use std::fs;
use std::path::PathBuf;

/// What is said about the file with the words.
const ELSEWHERE: &str = "Meanwhile they are in";

/// Puts a file in the way of drafts and history.
fn block(sandbox: &Sandbox) {
    fs::write(sandbox.state(), "no directory").expect("a file in the way");
}

fn unblock(sandbox: &Sandbox) {
    fs::remove_file(sandbox.state()).expect("the file in the way");
}

/// The files with words that could not be saved.
fn rescued(sandbox: &Sandbox) -> Vec<PathBuf> {
    let files = fs::read_dir(sandbox.temporary()).expect("a directory").flatten();
    files.map(|file| file.path()).filter(|path| path.to_string_lossy().ends_with(".unsaved.json")).collect()
}

/// Whether one file has the words.
fn is_rescued(sandbox: &Sandbox) -> bool {
    let files = rescued(sandbox);
    assert!(files.len() < 2, "{files:?}");
    files.iter().any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(WORDS)))
}

/// A console in whose field the words stand that cannot be saved.
fn with_unsaved_words(sandbox: &Sandbox) -> Terminal {
    block(sandbox);
    let console = open_field(sandbox);
    console.send_keys(WORDS);
    console.wait_for_text("cannot be kept on disk");
    console
}

/// Starts the console again, where the words can be saved now: they are back, and the file is gone.
fn finds_them_again(sandbox: &Sandbox) {
    unblock(sandbox);
    let mut console = sandbox.console(100, 30);
    console.wait_for_text("are here again");
    wait_until("a draft", || is_drafted(sandbox, WORDS));
    wait_until("the end of the file", || rescued(sandbox).is_empty());
    console.press("enter");
    console.wait_for_text(WORDS);
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
fn f10_asks_while_the_answers_are_not_on_the_disk() {
    let sandbox = one_gate();
    let mut console = with_unsaved_words(&sandbox);
    console.press("f10");
    console.wait_for_text("Your answers are not saved yet.");
    console.wait_for_text(ELSEWHERE);
    assert!(is_rescued(&sandbox));
    console.press("esc");
    console.wait_until("the field", |screen| !screen.contents().contains("Quit without"));
    unblock(&sandbox);
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    assert!(is_drafted(&sandbox, WORDS) && rescued(&sandbox).is_empty());
}

#[test]
fn f10_waits_for_another_program_that_writes_and_says_so() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys("起");
    wait_until("a draft", || is_drafted(&sandbox, "起"));
    let database = crate::kept::database(&sandbox.state()).expect("a database");
    let other = rusqlite::Connection::open(database).expect("opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    console.press("f10");
    console.wait_for_text("quits by itself as soon as they are saved");
    assert!(is_rescued(&sandbox));
    other.execute_batch("COMMIT").expect("let go");
    assert_eq!(console.wait_exit().code, Some(0));
    assert!(is_drafted(&sandbox, WORDS) && rescued(&sandbox).is_empty());
}

#[test]
fn ctrl_c_twice_leaves_though_another_program_writes_and_keeps_the_answers() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys("起");
    wait_until("a draft", || is_drafted(&sandbox, "起"));
    let database = crate::kept::database(&sandbox.state()).expect("a database");
    let other = rusqlite::Connection::open(database).expect("opened");
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    console.press("ctrl+c");
    console.wait_for_text("Press Ctrl+C again to quit");
    assert!(!console.screen_text().contains("Your answers are kept"), "{}", console.screen_text());
    console.press("ctrl+c");
    assert_eq!(console.wait_exit().code, Some(130));
    assert!(is_rescued(&sandbox));
    assert!(console.screen_text().contains(ELSEWHERE), "{}", console.screen_text());
    other.execute_batch("COMMIT").expect("let go");
}

#[test]
fn answers_that_a_newer_state_file_does_not_take_are_kept_elsewhere() {
    let sandbox = one_gate();
    let mut console = open_field(&sandbox);
    console.send_keys("起");
    wait_until("a draft", || is_drafted(&sandbox, "起"));
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    let set_format = |format: u32| {
        let database = crate::kept::database(&sandbox.state()).expect("a database");
        let other = rusqlite::Connection::open(database).expect("opened");
        other.pragma_update(None, "user_version", format).expect("set");
    };
    set_format(99);
    let mut console = open_field(&sandbox);
    console.send_keys(WORDS);
    console.wait_for_text(WORDS);
    console.signal(Signal::TERM);
    assert_eq!(console.wait_exit().code, Some(143));
    assert!(is_rescued(&sandbox));
    set_format(1);
    let mut console = sandbox.console(100, 30);
    console.wait_for_text("are here again");
    wait_until("a draft", || is_drafted(&sandbox, WORDS) && rescued(&sandbox).is_empty());
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
}

#[test]
fn who_leaves_all_the_same_is_told_where_the_answers_are() {
    let sandbox = one_gate();
    let mut console = with_unsaved_words(&sandbox);
    console.press("ctrl+c");
    console.wait_for_text("Press Ctrl+C again to quit.");
    console.press("ctrl+c");
    assert_eq!(console.wait_exit().code, Some(130));
    assert!(is_rescued(&sandbox));
    assert!(console.screen_text().contains(ELSEWHERE), "{}", console.screen_text());
    finds_them_again(&sandbox);
}

#[test]
fn a_signal_leaves_unsaved_answers_in_a_file_elsewhere() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let sandbox = one_gate();
        let mut console = with_unsaved_words(&sandbox);
        console.signal(signal);
        assert_eq!(console.wait_exit().code, Some(code), "{signal:?}");
        assert!(is_rescued(&sandbox), "{signal:?}");
        assert!(console.screen_text().contains(ELSEWHERE), "{}", console.screen_text());
        finds_them_again(&sandbox);
    }
}

#[test]
fn a_closed_terminal_leaves_them_there_too() {
    let sandbox = one_gate();
    let mut console = with_unsaved_words(&sandbox);
    console.close_master();
    assert_eq!(console.wait_exit().code, Some(129));
    assert!(is_rescued(&sandbox));
    finds_them_again(&sandbox);
}

#[test]
fn so_does_a_console_whose_terminal_takes_no_output() {
    let sandbox = one_gate();
    let mut console = with_unsaved_words(&sandbox);
    console.stop_reading();
    console.signal(Signal::TERM);
    assert_eq!(console.wait_exit().code, Some(143));
    assert!(is_rescued(&sandbox));
    finds_them_again(&sandbox);
}

#[test]
fn a_stopped_console_has_put_them_there_before() {
    let sandbox = one_gate();
    block(&sandbox);
    let console = sandbox.console_as_job("kill -9 %1");
    console.send_keys("x\r");
    let mut console = open_field_on(console);
    console.send_keys(WORDS);
    console.wait_for_text("cannot be kept on disk");
    console.press("ctrl+z");
    console.wait_for_text("stopped");
    assert!(is_rescued(&sandbox));
    console.send_keys("x\r");
    console.wait_exit();
    finds_them_again(&sandbox);
}

#[test]
fn they_survive_the_end_of_the_project_s_directory() {
    let sandbox = one_gate();
    let mut console = with_unsaved_words(&sandbox);
    fs::remove_dir_all(sandbox.root()).expect("removed");
    console.signal(Signal::TERM);
    assert_eq!(console.wait_exit().code, Some(143));
    assert!(is_rescued(&sandbox));
    sandbox.put(super::PACKET, super::packet("gate:1", super::RECORD));
    finds_them_again(&sandbox);
}

#[test]
fn what_the_author_s_editor_has_saved_is_kept_though_a_signal_ends_the_console() {
    let sandbox = one_gate();
    let script =
        format!("printf '%s' '{WORDS}' > \"$1\"; printf saved; trap '' TERM; sleep 1000 & wait; wait");
    let mut console = sandbox.console_and_editor(&script, 100, 30);
    console.wait_for_text("1 waiting");
    console.press("enter");
    console.wait_for_text("[1 ");
    console.press("ctrl+g");
    console.wait_for_text("saved");
    console.signal(Signal::TERM);
    assert_eq!(console.wait_exit().code, Some(143));
    assert!(is_drafted(&sandbox, WORDS));
}
