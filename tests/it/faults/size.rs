//! A shell that lets no file become larger (`ulimit -f`): as on a full disk, a sentence says it, and nothing of ours stays.

use super::scene::RECORD;
use crate::project::{Book, Outcome, Running};
use std::fs;
use std::process::{Command, Stdio};

/// The program in such a shell.
fn run(book: &Book, line: &[&str]) -> Outcome {
    let wanted = book.command(line);
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -f 0; exec "$0" "$@""#]);
    command.arg(wanted.get_program()).args(wanted.get_args());
    for (name, value) in wanted.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(book.root()).stdin(Stdio::null());
    Running::start(command).end()
}

#[test]
fn where_no_file_may_grow_it_is_said_and_nothing_of_ours_stays() {
    let book = Book::new();
    book.put_packet("a", RECORD);
    let packet = "step:a";
    let answered = run(&book, &["answer", packet, "--by", "human", "--set", "a=x"]);
    assert_eq!(answered.exit, 1, "{}", answered.err);
    assert!(answered.err.contains("no file may become so large here (ulimit -f)"), "{}", answered.err);
    let chinese = run(&book, &["--lang", "zh-CN", "answer", packet, "--by", "human", "--set", "a=x"]);
    assert!(chinese.err.contains("超出了此处允许的文件大小（ulimit -f）"), "{}", chinese.err);
    let record = book.root().join(RECORD);
    let left = fs::read_dir(record.parent().expect("a directory")).into_iter().flatten().count();
    assert_eq!(left, 0, "neither a record nor what was to become one");
    // What only reads is not disturbed.
    assert_eq!(run(&book, &["check", packet]).exit, 3);
}
