//! The file of drafts and history where it is damaged, and where its disk is full or read-only.

use super::scene::{RECORD, ask, history, standing};
use super::skip;
use crate::sandbox::{Ran, Running, Sandbox, directory_in_memory};
use novel_gate::ask::JsString;
use novel_gate::store::history::{Note, Reason, Story, add, entries};
use novel_gate::store::{Project, StateDir};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const PAGE: usize = 4096;
/// Where the file says what its format is: a newer one is left alone, and is said.
const FORMAT: [usize; 10] = [18, 19, 44, 45, 46, 47, 60, 61, 62, 63];
/// A byte in so many is spoiled.
const STRIDE: usize = 173;

fn note(state: &StateDir, number: u64) -> Result<String, String> {
    let (bytes, path) = (format!("{{\"answers\": {number}}} ").repeat(300), JsString::from(RECORD));
    let story = Story { answer_path: &path, packet: None, step: None, spec: None, novel_ask: None };
    let note = Note { reason: Reason::Redone, of: None, bytes: bytes.as_bytes() };
    let at = UNIX_EPOCH + Duration::from_secs(1_772_187_154 + number);
    add(state, &story, &note, at).map(|entry| entry.id()).map_err(|error| error.to_string())
}

/// Reads the history: of each entry the right bytes, or an error.
fn read(state: &StateDir, known: &BTreeMap<String, Vec<u8>>) {
    for entry in entries(state, &JsString::from(RECORD)).into_iter().flatten() {
        if let (Ok(bytes), Some(right)) = (entry.bytes(), known.get(&entry.id())) {
            assert!(bytes == *right || entry.sha256 != novel_gate::store::sha256(right), "{entry:?}");
        }
    }
}

/// Damages the file in many ways; after each, what is read is right or missed with a reason, and new entries are kept.
fn survive(damages: impl Fn(&[u8]) -> Vec<(String, Vec<u8>)>) {
    let top = directory_in_memory();
    let project = Project::open(top.path()).expect("a project");
    let open = || StateDir::new(&top.path().join("state"), &project);
    let state = open();
    (0..6).for_each(|number| drop(note(&state, number).expect("kept")));
    let all = entries(&state, &JsString::from(RECORD)).expect("entries");
    let known = all.iter().map(|entry| (entry.id(), entry.bytes().expect("whole"))).collect();
    let file = state.database().to_owned();
    drop((all, state));
    let whole = fs::read(&file).expect("the file");
    let (mut tried, mut aside, mut failures, mut lost) = (0, 0, Vec::new(), Vec::new());
    for (what, bytes) in damages(&whole) {
        fs::remove_dir_all(file.parent().expect("a directory")).expect("removed");
        fs::create_dir_all(file.parent().expect("a directory")).expect("made");
        fs::write(&file, &bytes).expect("damaged");
        let (state, before) = (open(), SystemTime::now());
        read(&state, &known);
        let id = match note(&state, 1_000) {
            Ok(id) => id,
            Err(error) => {
                failures.push(format!("{what}: nothing can be kept: {error}"));
                continue;
            }
        };
        let state = open();
        let all = entries(&state, &JsString::from(RECORD));
        if !all.as_ref().is_ok_and(|all| all.iter().any(|entry| entry.id() == id)) {
            lost.push(what.clone());
        }
        read(&state, &known);
        let bad = file.with_extension("sqlite3.bad");
        if bad.exists() {
            aside += 1;
            assert_eq!(fs::read(bad).expect("set aside").len(), bytes.len(), "{what}");
        }
        assert!(before.elapsed().is_ok_and(|took| took < Duration::from_secs(10)), "{what}");
        tried += 1;
    }
    println!("{tried} damaged files, {aside} set aside");
    assert!(failures.is_empty(), "{failures:#?}");
    // Where a page says that its room begins too low, SQLite writes over what is there and sees it later.
    assert!(lost.len() * 500 <= tried, "{lost:#?}");
}

#[test]
fn a_file_that_is_cut_off_at_any_page_costs_nothing_new() {
    survive(|whole| {
        let at = (0..whole.len() / PAGE).flat_map(|page| [page * PAGE, page * PAGE + PAGE / 3]);
        at.map(|at| (format!("cut at {at}"), whole[..at].to_vec())).collect()
    });
}

#[test]
fn a_file_with_a_spoiled_byte_costs_nothing_new() {
    survive(|whole| {
        let spoil = |at: usize| {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 0x55;
            (format!("byte {at}"), bytes)
        };
        // The header and the beginnings of pages say most.
        let dense = (0..whole.len()).filter(|at| at % PAGE < 12 || *at < 100);
        let dense = dense.filter(|at| !FORMAT.contains(at));
        dense.chain((0..whole.len()).step_by(STRIDE)).map(spoil).collect()
    });
}

/// Runs a command in a mount namespace of its own after a line of shell, in which `$STATE` is the state directory.
fn mounted(book: &Sandbox, shell: &str, line: &[String]) -> Result<Ran, String> {
    let plain = book.command(line);
    let mut command = book.system("unshare");
    let script = format!("{shell} || exit 99; \"$@\"; code=$?; cp -r \"$STATE\"/. \"$OUT\"/; exit $code");
    fs::create_dir_all(book.state()).expect("made");
    let out = book.state().with_file_name("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).expect("made");
    command.args(["-rm", "sh", "-c", &script, "sh"]).arg(plain.get_program()).args(plain.get_args());
    command.env("STATE", book.state()).env("OUT", &out);
    let ran = Running::start(&mut command).wait_within(Duration::from_mins(1)).expect("it ends");
    if ran.code == Some(99) || ran.stderr.contains("unshare") {
        return Err(ran.stderr);
    }
    // What was there is there now.
    fs::remove_dir_all(book.state()).expect("removed");
    fs::rename(out, book.state()).expect("in its place");
    Ok(ran)
}

fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[test]
fn on_a_full_disk_a_record_is_written_and_none_is_replaced_without_a_copy() {
    let (mut whole, mut full) = (0, 0);
    for pages in (1..40).step_by(2) {
        let book = Sandbox::new();
        let shell = format!("mount -t tmpfs -o size={}k none \"$STATE\"", pages * 4);
        let line = ask(&book, "answer a --set note=mine --by human");
        let ran = match mounted(&book, &shell, &line) {
            Ok(ran) => ran,
            Err(why) => return skip("a full disk", &why),
        };
        assert_eq!(ran.code, Some(0), "{pages} pages: {ran:?}");
        assert!(text(&book.path(RECORD)).is_some_and(|record| record.contains("mine")), "{pages}: {ran:?}");
        let is_said = ran.stderr.contains("history");
        assert_eq!(history(&book).is_empty(), is_said, "{pages} pages: {ran:?}");

        let book = Sandbox::new();
        let line = standing(&book, "answer a --set note=mine --by human --replace");
        let before = text(&book.path(RECORD));
        let ran = mounted(&book, &shell, &line).expect("once it went");
        let now = text(&book.path(RECORD));
        if ran.code == Some(0) {
            whole += 1;
            let old = before.expect("a record").into_bytes();
            assert!(history(&book).iter().any(|(_, bytes)| *bytes == old), "{pages} pages: {ran:?}");
            assert!(now.is_some_and(|record| record.contains("mine")), "{pages} pages: {ran:?}");
        } else {
            full += 1;
            assert_eq!((ran.code, now), (Some(1), before), "{pages} pages: {ran:?}");
        }
    }
    assert!(whole > 0 && full > 0, "{whole} {full}");
}

#[test]
fn with_a_read_only_state_a_record_is_written_and_none_is_taken_away() {
    let shell = "mount --bind \"$STATE\" \"$STATE\" && mount -o remount,bind,ro \"$STATE\"";
    for begun in [false, true] {
        for (line, code) in [("answer a --set note=mine --by human", 0), ("redo a", 1)] {
            let book = Sandbox::new();
            if begun {
                standing(&book, "redo a");
                assert_eq!(book.run(["redo", "a"]).code, Some(0));
                assert_eq!(history(&book).len(), 1);
            }
            let arguments = if code == 0 { ask(&book, line) } else { standing(&book, line) };
            let ran = match mounted(&book, shell, &arguments) {
                Ok(ran) => ran,
                Err(why) => return skip("a read-only state", &why),
            };
            assert_eq!(ran.code, Some(code), "{line}, begun: {begun}: {ran:?}");
            let record = text(&book.path(RECORD)).expect("a record");
            assert_eq!(record.contains("mine"), code == 0, "{ran:?}");
            assert!(!ran.stderr.is_empty(), "{ran:?}");
            assert_eq!(history(&book).len(), usize::from(begun), "{ran:?}");
        }
    }
}

#[test]
fn a_record_directory_on_another_file_system_is_no_obstacle() {
    let book = Sandbox::new();
    fs::create_dir_all(book.path("staging/novel-ask")).expect("made");
    let line = ask(&book, "answer a --set note=mine --by human");
    // Nothing can be renamed into a mounted directory from outside of it.
    let shell = "mkdir \"$OUT/elsewhere\" && mount --bind \"$OUT/elsewhere\" staging/novel-ask";
    let ran = match mounted(&book, shell, &line) {
        Ok(ran) => ran,
        Err(why) => return skip("another file system", &why),
    };
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(text(&book.path(RECORD)), None, "it was written to the mounted directory");
    let names: Vec<_> = fs::read_dir(book.state().join("elsewhere")).expect("there").flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(text(&names[0].path()).is_some_and(|record| record.contains("mine")));
}

#[test]
fn a_command_waits_for_a_locked_database_and_says_once_what_it_could_not_do() {
    let book = Sandbox::new();
    standing(&book, "redo a");
    assert_eq!(book.run(["list"]).code, Some(0));
    let project = Project::open(&book.root()).expect("a project");
    let holder = Connection::open(StateDir::new(&book.state(), &project).database()).expect("opened");
    holder.execute_batch("BEGIN IMMEDIATE").expect("locked");
    book.put(RECORD, "somebody else's");
    let start = Instant::now();
    let ran = book.run(["list"]);
    assert_eq!(
        (ran.code, ran.stderr.matches("another program is writing there").count()),
        (Some(0), 1),
        "{ran:?}"
    );
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
}
