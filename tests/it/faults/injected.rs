//! The program with each system call that touches the project or its state failing once, failing for ever, or killing it.
//!
//! `cargo test --test it -- --ignored injected`. It needs `strace`.

use super::scene::{SCENES, Stage};
use super::skip;
use crate::sandbox::{Ran, Running};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// What changes files, as far as the system has it.
const CALLS: [&str; 16] = [
    "openat",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "renameat2",
    "renameat",
    "rename",
    "linkat",
    "link",
    "unlinkat",
    "unlink",
    "mkdirat",
    "mkdir",
    "ftruncate",
    "fchmod",
];
const FAULTS: [(&str, &str, bool); 3] =
    [("error=ENOSPC", "", false), ("error=EIO", "+", true), ("signal=KILL", "", false)];
const DEADLINE: Duration = Duration::from_mins(1);

/// Runs a command of a stage under strace.
pub(super) fn trace(stage: &Stage, options: &[String]) -> Ran {
    let plain = stage.book.command(&stage.line);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-y", "-qq"]).args(options).arg(plain.get_program()).args(plain.get_args());
    traced.current_dir(stage.book.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    Running::start(&mut traced).wait_within(DEADLINE).expect("it ends")
}

/// Which of these calls touch the project or its state: numbers, from 1, as the injection counts them.
pub(super) fn touching(stage: &Stage, calls: &[&'static str]) -> BTreeMap<&'static str, Vec<usize>> {
    let log = stage.book.root().with_file_name("trace");
    let wanted: Vec<String> = calls.iter().map(|call| format!("?{call}")).collect();
    let options = [format!("-etrace={}", wanted.join(",")), format!("-o{}", log.display())];
    assert_eq!(trace(stage, &options).code, Some(0));
    // Where every name that is not below another directory is looked up.
    let here = format!("AT_FDCWD<{}>", stage.book.root().display());
    let top = stage.book.root().parent().expect("a directory").to_string_lossy().into_owned();
    let mut counted: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for line in fs::read_to_string(&log).expect("a trace").lines() {
        let Some((process, rest)) = line.split_once(char::is_whitespace) else { continue };
        let Some((name, _)) = rest.trim_start().split_once('(') else { continue };
        let Some(call) = calls.iter().find(|call| **call == name) else { continue };
        let number = counted.entry((process.to_owned(), *call)).or_default();
        *number += 1;
        if rest.replace(&here, "").contains(&top) {
            found.entry(call).or_default().push(*number);
        }
    }
    for numbers in found.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    fs::remove_file(log).expect("removed");
    found
}

/// Whether calls can be made to fail here; says so if not.
pub(super) fn has_strace() -> bool {
    let tried = Command::new("strace").args(["-f", "-etrace=none", "-o/dev/null", "true"]).output();
    let why = match tried {
        Ok(done) if done.status.success() => return true,
        Ok(done) => String::from_utf8_lossy(&done.stderr).into_owned(),
        Err(why) => why.to_string(),
    };
    skip("injected system calls", &format!("no strace: {why}"));
    false
}

fn inject(scene: usize) {
    let stage = Stage::new(&SCENES[scene]);
    if !has_strace() {
        return;
    }
    let start = Instant::now();
    let (mut runs, mut failures, mut killed, mut faults) = (0, Vec::new(), 0, 0);
    for (call, numbers) in touching(&stage, &CALLS) {
        for number in numbers {
            for (fault, on, is_lasting) in FAULTS {
                stage.reset();
                let how = format!("inject={call}:{fault}:when={number}{on}");
                let ran =
                    trace(&stage, &[format!("-etrace={call}"), format!("-e{how}"), "-o/dev/null".to_owned()]);
                runs += 1;
                killed += usize::from(ran.code.is_none());
                faults += usize::from(ran.code.is_some_and(|code| code != 0));
                let judge = || stage.judge(&how, &ran, is_lasting);
                if std::panic::catch_unwind(std::panic::AssertUnwindSafe(judge)).is_err() {
                    failures.push(how);
                }
            }
        }
    }
    let (name, took) = (SCENES[scene].name, start.elapsed().as_secs());
    println!("{name}: {runs} runs, {faults} ended with an error, {killed} killed, {took} s");
    assert!(failures.is_empty(), "{name}: {} of {runs}: {failures:#?}", failures.len());
    assert!(killed > 5, "{name}: nothing was injected");
}

#[test]
#[ignore = "takes minutes"]
fn answer() {
    inject(0);
}

#[test]
#[ignore = "takes minutes"]
fn replace() {
    inject(1);
}

#[test]
#[ignore = "takes minutes"]
fn redo() {
    inject(2);
}

#[test]
#[ignore = "takes minutes"]
fn undo() {
    inject(3);
}

#[test]
#[ignore = "takes minutes"]
fn restore() {
    inject(4);
}

#[test]
#[ignore = "takes minutes"]
fn next() {
    inject(5);
}

#[test]
#[ignore = "takes minutes"]
fn init() {
    inject(6);
}

#[test]
#[ignore = "takes minutes"]
fn undo_init() {
    inject(7);
}
