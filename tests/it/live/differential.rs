//! Generated packets and records, judged by the program and by the reference: no verdict may differ.
//!
//! A case is a recorded one with faults put in: into the document, then into its text. The long run is
//! `cargo test --release --test it -- --ignored differential`; `NOVEL_GATE_SEED=N` gives it other cases. Cases that
//! differ are kept beneath cargo's directory for tests.

mod cases;

use self::cases::{Case, Generator};
use super::executor::{Executor, executor};
use super::npm::say_aloud;
use crate::in_process::call;
use novel_gate::Environment;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How many projects are laid out at a time.
const BATCH: usize = 1_000;

#[test]
fn the_program_and_the_reference_give_one_verdict() {
    compare(1, 2 * BATCH);
}

#[test]
#[ignore = "some minutes: a hundred thousand projects"]
fn the_program_and_the_reference_give_one_verdict_a_hundred_thousand_times() {
    let seed = std::env::var("NOVEL_GATE_SEED").map_or(2, |seed| seed.parse().expect("a number"));
    compare(seed, 100_000);
}

/// A verdict of the reference and its reason.
type Judged = (String, String);

fn compare(seed: u64, count: usize) {
    let Some(executor) = executor() else { return };
    let mut generator = Generator::new(seed);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut differing = Vec::new();
    for _ in 0..count / BATCH {
        let dir = tempfile::tempdir().expect("a directory");
        let cases: Vec<Case> = (0..BATCH).map(|_| generator.case()).collect();
        for (number, case) in cases.iter().enumerate() {
            case.lay_out(&dir.path().join(number.to_string()));
        }
        for (number, (theirs, why)) in judge(executor, dir.path()).into_iter().enumerate() {
            let root = dir.path().join(number.to_string());
            let ours = verdict(&root);
            let expected = if cases[number].is_no_object() { "malformed" } else { &theirs };
            if ours != expected {
                let kept = keep(&root, seed, differing.len());
                differing.push(format!("{}: {ours}, the reference: {theirs} ({why})", kept.display()));
            }
            *counts.entry(theirs).or_default() += 1;
        }
    }
    say_aloud(&format!("\ndifferential run, seed {seed}: {count} cases, {counts:?}\n"));
    let shown = &differing[..differing.len().min(20)];
    assert!(differing.is_empty(), "{} of {count} differ:\n{}", differing.len(), shown.join("\n"));
    let rare = ["open", "waiting", "blocked", "malformed"]
        .into_iter()
        .find(|&verdict| counts.get(verdict).is_none_or(|&times| times * 50 < count));
    assert_eq!(rare, None, "below 2 % of the cases: {counts:?}");
}

/// The reference's verdicts on the projects of a directory.
fn judge(executor: &Executor, dir: &Path) -> Vec<Judged> {
    let ran = executor.verdicts(dir, BATCH);
    let judged = ran.stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("a verdict");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        (text("verdict"), text("message"))
    });
    let judged: Vec<Judged> = judged.collect();
    assert_eq!(judged.len(), BATCH, "{}", ran.stderr);
    judged
}

/// The program's verdict on a project.
fn verdict(root: &Path) -> &'static str {
    let environment = Environment { cwd: root.to_path_buf(), ..Environment::default() };
    let state = root.join("state");
    let words = ["--project".as_ref(), root.as_os_str(), "--state-dir".as_ref(), state.as_os_str()];
    let words = words.into_iter().chain(["check", "packet.json", "--json"].map(AsRef::as_ref));
    match call(&environment, words, b"").exit {
        0 => "open",
        3 => "waiting",
        4 => "blocked",
        5 => "malformed",
        other => panic!("exit {other} in {}", root.display()),
    }
}

/// Copies a project that is judged differently to where it outlives the test.
fn keep(root: &Path, seed: u64, number: usize) -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("differential-{seed}-{number}"));
    fs::create_dir_all(&kept).expect("a directory");
    for name in ["packet.json", "answers.json"] {
        if let Ok(bytes) = fs::read(root.join(name)) {
            fs::write(kept.join(name), bytes).expect("a copy");
        }
    }
    kept
}
