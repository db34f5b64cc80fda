//! What happens on the way while `wait` sleeps.

use super::{A, waiting};
use crate::project::{Book, Outcome, Running};
use novel_gate::store::scan::RECORD_PATIENCE;
use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn assert_released(running: Running) -> Outcome {
    let outcome = running.end();
    assert_eq!((outcome.exit, outcome.out.as_str()), (0, Book::RECORD), "{}", outcome.err);
    outcome
}

#[test]
fn an_invalid_record_that_comes_back_is_not_reported_again() {
    let book = Book::new();
    book.put_packet("a", A).put(A, "[]");
    let mut running = book.start(&["wait", "a"]);
    running.wait_for_warning("the record is invalid");
    book.put(A, r#"{"version": 2}"#);
    running.wait_for_warning("/version");
    book.put(A, "[]");
    running.wait_until_asleep();
    book.put(A, Book::RECORD);
    let outcome = assert_released(running);
    assert_eq!(outcome.err.matches("the record is invalid").count(), 2, "{}", outcome.err);
}

#[test]
fn a_writer_that_pauses_half_way_releases_nothing_before_it_is_done() {
    let book = Book::new();
    book.put_packet("a", A).put("staging/novel-ask/other", "");
    let mut running = waiting(&book, &["wait", "a"]);
    let start = Instant::now();
    let mut file = fs::File::create(book.root().join(A)).expect("created");
    let (first, rest) = Book::RECORD.split_at(Book::RECORD.len() / 2);
    file.write_all(first.as_bytes()).expect("written");
    running.wait_until_asleep();
    assert_eq!(book.run(&["check", "a"]).exit, 4, "it is there, and it is torn");
    assert!(!running.has_ended());
    file.write_all(rest.as_bytes()).expect("written");
    drop(file);
    let quick = start.elapsed() < RECORD_PATIENCE;
    let outcome = assert_released(running);
    assert!(!quick || !outcome.err.contains("invalid"), "{}", outcome.err);
}

#[test]
fn a_record_directory_that_is_moved_away_and_made_anew_is_no_obstacle() {
    let book = Book::new();
    book.put_packet("a", "answers/deep/a.json").put("answers/deep/other", "");
    let running = waiting(&book, &["wait", "a"]);
    fs::rename(book.root().join("answers"), book.root().join("old")).expect("renamed");
    running.wait_until_asleep();
    book.put("answers/deep/other", "");
    running.wait_until_asleep();
    book.put("answers/deep/a.json", Book::RECORD);
    assert_released(running);
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "nothing tells there whether it waits already")]
fn a_packet_that_is_away_for_a_while_is_waited_for() {
    let book = Book::new();
    book.put_packet("a", A);
    let running = waiting(&book, &["wait", "a"]);
    fs::rename(book.root().join("staging/manifests"), book.root().join("staging/old")).expect("renamed");
    running.wait_until_asleep();
    book.put_packet("a", "elsewhere/a.json").put("elsewhere/a.json", Book::RECORD);
    assert_released(running);
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_project_that_is_renamed_away_and_back_is_waited_for() {
    let book = Book::new();
    book.put_packet("a", A);
    let mut running = waiting(&book, &["wait", "a"]);
    let away = book.root().with_extension("away");
    fs::rename(book.root(), &away).expect("renamed");
    running.wait_for_warning("is gone");
    fs::create_dir_all(away.join("staging/novel-ask")).expect("made");
    fs::write(away.join(A), Book::RECORD).expect("written");
    running.wait_until_asleep();
    assert!(!running.has_ended(), "what lies elsewhere is not the project's");
    fs::rename(&away, book.root()).expect("renamed back");
    let outcome = assert_released(running);
    assert_eq!(outcome.err.matches("is gone").count(), 1, "{}", outcome.err);
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_project_that_is_replaced_is_the_project_from_then_on() {
    let book = Book::new();
    book.put_packet("a", A);
    let running = waiting(&book, &["wait", "a"]);
    fs::rename(book.root(), book.root().with_extension("old")).expect("renamed");
    book.put_packet("a", A).put(A, Book::RECORD);
    assert_released(running);
}

#[test]
#[cfg_attr(windows, ignore = "a Unix shell takes the watchers away")]
fn without_the_systems_watcher_it_looks_and_says_so_once() {
    for (lang, words) in [("en", "file watchers are used up"), ("zh-CN", "文件监视器已用完")] {
        let book = Book::new();
        book.put_packet("a", A);
        let mut running = book.start_unwatched(&["wait", "a", "--lang", lang]);
        running.wait_for_warning(words);
        book.put(A, Book::RECORD);
        let outcome = assert_released(running);
        assert_eq!(outcome.err.matches("novel-gate: ").count(), 1, "{}", outcome.err);
    }
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest_one() {
    let book = Book::new();
    book.put_packet("chapter-048-draft", A);
    for (name, near) in [
        ("chapter-048-drft", "Did you mean chapter-048-draft?"),
        ("step:chapter-084-draft", "Did you mean step:chapter-048-draft?"),
        (
            "staging/manifest/chapter-048-draft.packet.json",
            "Did you mean staging/manifests/chapter-048-draft.packet.json?",
        ),
        ("no-such-thing-at-all", "Give a path"),
    ] {
        for command in ["wait", "check", "show", "redo"] {
            let outcome = book.run(&[command, name]);
            assert_eq!(outcome.exit, 1, "{command} {name}");
            assert!(outcome.err.contains(near), "{command} {name}: {}", outcome.err);
        }
    }
    let chinese = book.run(&["wait", "chapter-048-drft", "--lang", "zh-CN"]).err;
    assert!(chinese.contains("是否指 chapter-048-draft？"), "{chinese}");
}

/// A child whose standard output nobody reads.
fn unread(book: &Book, line: &[&str]) -> Child {
    book.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started")
}

fn end(mut child: Child) -> std::process::ExitStatus {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let book = Book::new();
    book.put_packet("a", A);
    let mut child = unread(&book, &["wait", "a"]);
    drop(child.stdout.take());
    book.put(A, Book::RECORD);
    assert_eq!(end(child).code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_though_its_reader_reads_nothing() {
    use crate::system::{Pid, Signal, kill_process};
    let book = Book::new();
    // More than any pipe holds.
    let record = Book::RECORD.replace("\"x\"", &format!("\"{}\"", "x".repeat(4 << 20)));
    book.put_packet("a", A).put(A, &record);
    let mut child = unread(&book, &["wait", "a"]);
    // The first byte of the record says that it is being printed.
    let mut first = [0];
    let mut out = child.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut out, &mut first).expect("a byte");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("signalled");
    let status = end(child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15), "{status:?}");
}
