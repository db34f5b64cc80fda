//! The same through the console and through the commands: the same record, the same history, byte for byte.

use super::{ANSWERS, PACKET, Story, packet, question};
use crate::in_process::call;
use novel_gate::Environment;
use novel_gate::store::history::entries;
use novel_gate::store::sha256;
use std::ffi::OsString;

fn gate() -> String {
    let pick = question("platform", "single_choice", true, &["qidian", "jjwxc"], "");
    let tags = question("tags", "multi_choice", false, &["热血", "克制"], r#","allow_other":true"#);
    format!("[{pick},{tags},{}]", question("note", "free_text", false, &[], r#","_seen":true"#))
}

/// Runs a command on the story's project; it must succeed.
fn command(story: &Story, line: &[&str]) {
    let state = story.dir.path().join("state");
    let words =
        ["--state-dir".into(), OsString::from(state)].into_iter().chain(line.iter().map(OsString::from));
    let environment = Environment { cwd: story.root(), ..Environment::default() };
    let (exit, out, err) = call(&environment, words, b"").texts();
    assert_eq!(exit, 0, "{line:?}: {out}{err}");
}

/// The text with every time of day in it, which no two runs share, as dots.
fn timeless(text: &str) -> String {
    let digits = "dddd-dd-ddTdd:dd:dd.dddZ";
    let is_time = |at: usize| {
        let found = text.as_bytes().get(at..at + digits.len());
        found.is_some_and(|found| {
            found
                .iter()
                .zip(digits.bytes())
                .all(|(c, d)| if d == b'd' { c.is_ascii_digit() } else { *c == d })
        })
    };
    let mut out = String::new();
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        if is_time(at) {
            out.push_str("<time>");
            skip = at + digits.len();
        }
        if at >= skip {
            out.push(c);
        }
    }
    out
}

/// The record, and of every entry, oldest first: why, whether valid, what was asked, what it follows from, its bytes.
fn everything(story: &Story) -> (Option<String>, Vec<String>) {
    let files = super::files(story.dir.path(), &story.clock);
    let all = entries(&files.state, &ANSWERS.into()).expect("a history");
    let place = |id: &str| all.iter().position(|entry| entry.id() == id);
    let told = all.iter().map(|entry| {
        let bytes = entry.bytes().expect("the exact bytes");
        let of = entry.of.as_deref().map(place);
        let packet = entry.packet.as_ref().map(|path| files.project.relative(path.as_ref()).to_path_buf());
        format!(
            "{} {} {of:?} {packet:?} {:?} {:?} {:?}\n{}\n{}",
            entry.reason.name(),
            entry.valid,
            entry.step,
            entry.answered_by,
            entry.spec_hash,
            entry.novel_ask().unwrap_or_default(),
            timeless(&String::from_utf8_lossy(&bytes))
        )
    });
    (story.record().map(|record| timeless(&record)), told.collect())
}

const BAD: &str = r#"{"version":1,"topic":"平台绑定","answers":{"platform":"jjwxc","tags":["热血","热血"],"mood":"x"},
    "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"codex"}"#;

#[test]
fn answering() {
    let mut console = Story::open(&gate());
    console.press("2 tab 1 tab").burst("\u{3000}雨停之前 ").press("enter ctrl+s");
    let commands = Story::of(&gate());
    let set = ["--set", "platform=jjwxc", "--set", "tags=热血", "--set", "note=\u{3000}雨停之前 "];
    command(&commands, &[&["answer", PACKET, "--by", "human"], &set[..]].concat());
    let (record, history) = everything(&console);
    assert_eq!((history.len(), record.is_some()), (1, true));
    assert_eq!(everything(&commands), (record, history));
}

#[test]
fn repairing() {
    let mut console = Story::of(&gate());
    console.put(ANSWERS, BAD);
    console.scan();
    console.press("enter ctrl+s");
    let commands = Story::of(&gate());
    commands.put(ANSWERS, BAD);
    command(&commands, &["list"]);
    let seen = format!("--replace={}", sha256(BAD.as_bytes()));
    let answers = ["--set", "platform=jjwxc", "--set", "tags=热血"];
    command(&commands, &[&["answer", PACKET, "--by", "human", &seen], &answers[..]].concat());
    let (record, history) = everything(&console);
    let reasons: Vec<&str> = history.iter().filter_map(|entry| entry.split(' ').next()).collect();
    assert_eq!(reasons, ["seen", "replaced", "repaired"]);
    assert_eq!(everything(&commands), (record, history));
}

#[test]
fn redoing_undoing_and_restoring() {
    let mut console = Story::of(&gate());
    let mut commands = Story::of(&gate());
    for story in [&mut console, &mut commands] {
        story.put(ANSWERS, BAD);
        story.scan();
    }
    console.press("f8");
    command(&commands, &["redo", PACKET]);
    assert_eq!(everything(&console), everything(&commands));
    console.press("ctrl+u");
    command(&commands, &["redo", PACKET, "--undo"]);
    assert_eq!(everything(&console), everything(&commands));
    assert_eq!(console.record().as_deref(), Some(BAD));
    console.scan();
    console.press("f8");
    command(&commands, &["redo", ANSWERS]);
    let (record, history) = everything(&commands);
    let reasons: Vec<&str> = history.iter().filter_map(|entry| entry.split(' ').next()).collect();
    assert_eq!((record.as_ref(), reasons), (None, vec!["seen", "redone", "restored", "redone"]));
    assert_eq!(everything(&console), (record, history));
}

#[test]
fn the_gate_in_conflict_is_refused_alike() {
    let mut console = Story::of(&gate());
    let rival = packet(&format!("[{}]", question("other", "free_text", true, &[], "")));
    console.put("staging/manifests/rival.packet.json", &rival);
    console.scan();
    console.open_form();
    console.press("2 tab tab tab ctrl+s").wait(1).press("ctrl+s");
    assert_eq!(console.record(), None);
    let notice = console.notice();
    assert!(notice.contains("staging/manifests/rival.packet.json want different answers"), "{notice}");
    assert!(console.kept().is_some(), "what was answered is kept");
    // One of them gives way.
    std::fs::remove_file(console.root().join("staging/manifests/rival.packet.json")).expect("removed");
    console.scan();
    console.wait(1).press("ctrl+s");
    assert_eq!(console.answers()["platform"], "jjwxc");
}
