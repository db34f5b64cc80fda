//! The program with each read of its database failing: once, twice, some times, for ever; and with a directory or a packet that
//! cannot be read. What cannot be read is not damaged, not gone and not empty.
//!
//! It needs `strace`.

use super::injected::{has_strace, touching, trace};
use super::scene::{PACKET, RECORD, SCENES, Scene, Stage, history, taken_back};
use crate::sandbox::{Ran, Sandbox};
use novel_gate::ask::Draft;
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::store::{Project, StateDir, gate};
use std::fs;
use std::sync::Arc;

/// Commands that read drafts and history, each with what it says if it has read them.
const UNDO: (Scene, &str) = (SCENES[3], "is back");
const HISTORY: (Scene, &str) =
    (Scene { name: "history", prepare: |book| taken_back(book, "history a") }, "standing");
const LIST: (Scene, &str) = (Scene { name: "list", prepare: draft }, "draft 1/1");
/// How many reads fail, from the one on that is counted.
const SPANS: [&str; 4] = ["", "..+1", "..+6", "+"];

#[test]
fn a_read_that_fails_is_no_damage() {
    inject(&UNDO);
}

#[test]
fn a_read_that_fails_is_no_empty_history() {
    inject(&HISTORY);
}

#[test]
fn a_read_that_fails_is_no_missing_draft() {
    inject(&LIST);
}

/// Runs `list` where these calls on a path of the project fail.
fn list_without(stage: &Stage, path: &str, call: &str) -> Ran {
    let options = [format!("-P{}", stage.book.path(path).display()), format!("-einject={call}:error=EIO")];
    trace(stage, &[options.to_vec(), vec!["-o/dev/null".to_owned()]].concat())
}

#[test]
fn what_list_cannot_read_is_said_and_a_project_it_cannot_read_is_not_empty() {
    if !has_strace() {
        return;
    }
    let stage = Stage::reading(&LIST.0);
    let ran = list_without(&stage, "staging", "getdents64");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(
        ran.stderr.contains("staging cannot be read just now: the device reported an input/output error")
    );
    let ran = list_without(&stage, PACKET, "read");
    let is_told = ran.stderr.contains("a.packet.json cannot be read just now: the device reported");
    assert!(ran.code == Some(0) && is_told && ran.stdout.contains("Not everything was checked"), "{ran:?}");
    assert!(ran.stdout.contains("0 malformed"), "{ran:?}");
    let ran = list_without(&stage, "staging/nowhere", "read");
    assert!(ran.stdout.contains("1 waiting") && ran.stderr.is_empty(), "{ran:?}");
}

/// A gate with a draft.
fn draft(book: &Sandbox) -> Vec<String> {
    let line = taken_back(book, "list");
    let project = Project::open(&book.root()).expect("a project");
    let (packet, answer_path) = (PACKET.to_owned(), RECORD.into());
    let asked = gate::load(&project, &book.path(&packet)).expect("a packet");
    let spec = Arc::clone(&asked.gate().expect("a gate").spec);
    let mut draft = Draft::blank(&spec);
    draft.replies[0].type_text("half");
    let (orphans, saved_at) = (Vec::new(), "2026-02-27T10:12:34.000Z".to_owned());
    let job = DraftJob { packet, step: None, answer_path, spec, draft, orphans, at: 0, saved_at };
    Drafts::new(&StateDir::new(&book.state(), &project)).save(&job).expect("kept");
    line
}

fn inject((scene, says): &'static (Scene, &str)) {
    if !has_strace() {
        return;
    }
    let stage = Stage::reading(scene);
    let before = history(&stage.book);
    stage.reset();
    let reads = touching(&stage, &["pread64"]).remove("pread64").unwrap_or_default();
    assert!(reads.len() > 3, "{}: {reads:?}", scene.name);
    let (mut errors, mut failures) = (0, Vec::new());
    for number in &reads {
        for span in SPANS {
            let when = match span.strip_prefix("..+") {
                Some(more) => format!("{number}..{}", number + more.parse::<usize>().expect("a number")),
                None => format!("{number}{span}"),
            };
            stage.reset();
            let inject = format!("-einject=pread64:error=EIO:when={when}");
            let ran = trace(&stage, &["-etrace=pread64".to_owned(), inject, "-o/dev/null".to_owned()]);
            errors += usize::from(ran.code != Some(0));
            let why = judge(&stage, &ran, says);
            failures.extend(why.map(|why| format!("{when}: {why}: {ran:?}")));
            if history(&stage.book).len() < before.len() {
                failures.push(format!("{when}: entries are gone: {ran:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}: {failures:#?}", scene.name);
    assert!(errors > 0 || scene.name == "list", "{}: nothing was injected", scene.name);
}

fn judge(stage: &Stage, ran: &Ran, says: &str) -> Option<&'static str> {
    let states = fs::read_dir(stage.book.state()).expect("states").flatten();
    let mut names = states.flat_map(|state| fs::read_dir(state.path()).into_iter().flatten().flatten());
    let is_told = ran.stderr.contains("input/output error");
    match ran.code {
        _ if names.any(|name| name.file_name().to_string_lossy().contains(".bad")) => Some("set aside"),
        Some(0) if ran.stdout.contains(says) || is_told => None,
        Some(0) => Some("it does not say what it could not read"),
        Some(1) if is_told => None,
        _ => Some("it does not say why"),
    }
}
