//! A packet that is gone, a project that is gone, something else in a record's place.

use super::*;
use crate::system::make_pipe;
use novel_gate::platform::paths::Shown as _;
use std::path::Path;

#[test]
fn a_packet_that_is_gone_is_said_and_its_past_stays() {
    let clinic = Clinic::new();
    let bytes = clinic.answer("tomato", &[]);
    clinic.json(&["redo", STEP]);
    clinic.book.remove(PACKET);
    let message =
        format!("There is no packet {STEP}. Give a path, a file name without its ending, or a step id.");
    for line in [
        &["check", STEP][..],
        &["show", STEP],
        &["redo", STEP],
        &["redo", "chapter:049:draft", "--undo"],
        &["answer", STEP, "--by", "human", "--defaults"],
    ] {
        let found = text(&clinic.json(line)["message"]).replace("049", "048");
        assert_eq!(
            (found, &clinic.json(line)["exit"], &clinic.json(line)["code"]),
            (message.clone(), &json!(1), &json!("no-packet"))
        );
    }
    assert_eq!(clinic.json(&["history", STEP])["count"], 2, "its step is known");
    assert_eq!(clinic.json(&["redo", RECORD])["code"], "no-packet");
    // By its record, and by its step, which the history knows.
    for name in [RECORD, STEP] {
        assert_eq!(clinic.json(&["redo", name, "--undo"])["status"], "restored");
        assert_eq!(clinic.bytes().as_ref(), Some(&bytes));
        clinic.book.remove(RECORD);
    }
    assert_eq!(clinic.json(&["redo", RECORD, "--undo"])["status"], "restored");
    // A record that nothing asks for is still plainly a record.
    assert_eq!(clinic.json(&["redo", RECORD])["status"], "removed");
}

#[test]
fn a_project_that_is_gone_is_said() {
    let clinic = Clinic::new();
    let gone = clinic.book.root().with_file_name("gone");
    let gone = &*gone.shown();
    for line in [&["list"][..], &["check", STEP], &["redo", STEP], &["history"]] {
        let json = clinic.json(&[line, &["--project", gone]].concat());
        let message = format!("Cannot open the project {gone}. Cause: there is no such file or directory.");
        assert_eq!(
            json,
            json!({"status": "error", "exit": 2, "code": "no-project", "message": message, "at": null}),
            "{line:?}"
        );
    }
}

/// Puts something else than a file in a place.
fn make_odd(kind: &str, path: &Path) {
    match kind {
        "directory" => fs::create_dir(path).expect("a directory"),
        "fifo" => make_pipe(path),
        _ => crate::system::symlink("nothing", path).expect("a link"),
    }
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn what_is_no_file_is_never_moved_and_never_written_over() {
    let clinic = Clinic::new();
    let bytes = clinic.answer("tomato", &[]);
    clinic.json(&["redo", STEP]);
    let entry = clinic.ids().remove(0);
    for (refusal, reason, verdict) in [
        ("directory", "answer_path is a directory.", 4),
        ("fifo", "answer_path is a named pipe.", 4),
        ("dangling-link", "A link in answer_path leads to nothing.", 3),
    ] {
        make_odd(refusal, &clinic.path(RECORD));
        let check = clinic.json(&["check", STEP]);
        assert_eq!(
            (&check["exit"], &check["writable"], &check["refusal"]),
            (&json!(verdict), &json!(false), &json!(refusal))
        );
        let message = format!("No record can be written there. {reason}");
        let want = json!({"status": "error", "exit": 5, "code": "refused", "message": message, "at": null});
        // By the gate, and by the record's own name.
        for line in [
            &["redo", STEP][..],
            &["redo", RECORD],
            &["redo", STEP, "--undo"],
            &["history", "--restore", &entry],
            &["history", "--restore", &entry, "--replace"],
        ] {
            assert_eq!(clinic.json(line), want, "{refusal} {line:?}");
        }
        let want = json!({"status": "refused", "exit": 5, "code": "refused", "message": message, "packet": PACKET,
            "refusal": refusal, "problems": []});
        assert_eq!(clinic.json(&["answer", STEP, "--by", "human", "--defaults", "--replace"]), want);
        let path = clinic.path(RECORD);
        assert!(path.symlink_metadata().is_ok(), "{refusal} is still there");
        if refusal == "directory" { fs::remove_dir(path) } else { fs::remove_file(path) }.expect("removed");
    }
    assert_eq!(clinic.reasons(), ["redone", "answered"], "nothing was noted that did not happen");
    assert_eq!(clinic.json(&["redo", STEP, "--undo"])["sha256"], sha256(&bytes));
}

#[test]
fn a_file_that_is_too_large_is_left_where_it_is() {
    let clinic = Clinic::new();
    clinic.put(RECORD, "");
    let file = fs::File::options().write(true).open(clinic.path(RECORD)).expect("opened");
    file.set_len(novel_gate::store::SIZE_LIMIT + 1).expect("made long");
    let show = clinic.json(&["show", STEP]);
    assert_eq!(
        (&show["status"], &show["causes"], &show["record_sha256"]),
        (&json!("blocked"), &json!([]), &Value::Null)
    );
    assert_eq!(show["problems"][0]["expected"], "at most 64 MiB");
    let message =
        format!("{RECORD} is not a record that can be moved: 67108865 bytes. Move it away by hand.");
    let want = json!({"status": "error", "exit": 5, "code": "not-a-record", "message": message, "at": null});
    for name in [STEP, RECORD] {
        assert_eq!(clinic.json(&["redo", name]), want, "{name}");
    }
    assert!(clinic.path(RECORD).exists());
}

#[test]
fn a_state_directory_that_cannot_be_used_costs_nothing_but_the_history() {
    let clinic = Clinic::with(record(&json!({"platform": "tomato"})).to_string());
    fs::write(clinic.book.state(), "a file in the way").expect("written");
    let there = clinic.bytes();
    let run = |line: &[&str]| clinic.run(&[line, &["--json"]].concat());
    for line in [&["redo", STEP][..], &["answer", STEP, "--by", "human", "--defaults", "--replace"]] {
        let (exit, out, _) = run(line);
        assert!(exit == 1 && out.contains("\"code\": \"state-dir\""), "{line:?}: {out}");
        assert_eq!(clinic.bytes(), there, "without a copy nothing is moved");
    }
    for line in [&["check", STEP][..], &["show", STEP], &["list"]] {
        assert_eq!(run(line).0, 0, "{line:?}");
    }
    clinic.book.remove(RECORD);
    let (exit, out, err) = run(&["answer", STEP, "--by", "human", "--defaults"]);
    assert!(exit == 0 && out.contains("\"status\": \"written\""), "{out}");
    // Below a file nothing is there for Windows, so the program finds out when it makes it.
    let fails = if cfg!(windows) { "Cannot create the directory" } else { "Cannot read the history" };
    assert!(err.starts_with(&format!("novel-gate: {fails}")), "{err}");
    assert!(err.ends_with("or choose another place with --state-dir.\n"), "{err}");
    assert!(clinic.bytes().is_some());
}
