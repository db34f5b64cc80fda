use super::*;
use crate::ask::Gate;
use crate::exit::ExitCode;
use crate::platform::testing::{Errno, symlink};
use crate::store::gate::{self, Loaded};
use crate::store::record::WriteError;
use crate::store::sha256;
use crate::store::testing::{FailingDisk, Sandbox, gate, record as answers};
use std::fs;
use std::time::{Duration, SystemTime};

mod damaged;
mod exchange;
mod keeping;

const PATH: &str = "staging/answers/a.json";
/// Not UTF-8, not JSON: exactly what must come back.
const TORN: &[u8] = b"{\"version\": 1, \xFF\x00";

pub(super) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_187_154)
}

pub(super) fn story(gate: &Gate) -> Story<'_> {
    Story {
        answer_path: &gate.answer_path,
        packet: None,
        step: None,
        spec: Some(&gate.spec),
        novel_ask: None,
    }
}

pub(super) fn all(book: &Sandbox) -> Vec<HistoryEntry> {
    entries(&book.state, &PATH.into()).unwrap()
}

/// Changes every record behind the history's back.
fn damage(book: &Sandbox) {
    book.state.write(|state| state.execute("UPDATE records SET record = x'00'", [])).unwrap();
}

#[test]
fn exact_bytes_go_and_come_back() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, TORN);
    let moved = book.history(now()).remove(&story(&gate), Some(&sha256(TORN))).unwrap();
    assert_eq!((moved.file.path.as_path(), moved.file.bytes), (Path::new(PATH), TORN.len()));
    assert!(book.names("staging/answers").is_empty());

    let kept = all(&book);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].reason, kept[0].at().as_str()), (Reason::Redone, "2026-02-27T10:12:34.000Z"));
    assert_eq!(kept[0].bytes().unwrap(), TORN);

    book.history(now()).restore(&story(&gate)).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), TORN);
    assert_eq!(book.names("staging/answers"), ["a.json"]);
}

#[test]
fn undo_brings_back_what_went_last_and_never_over_a_record() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    let undo = || book.history(now()).restore(&story(&gate));
    assert_eq!(undo(), Err(WriteError::NothingToUndo));
    for text in ["first", "second"] {
        book.put(PATH, text);
        book.history(now()).remove(&story(&gate), None).unwrap();
    }
    book.put(PATH, "third");
    assert_eq!(undo(), Err(WriteError::Occupied));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"third");
    // Nobody told the history of the third, and it is gone.
    fs::remove_file(book.at(PATH)).unwrap();
    undo().unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"second");
    // Deleting by hand is removing too.
    fs::remove_file(book.at(PATH)).unwrap();
    undo().unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"second");
    let note = Note { reason: Reason::Seen, of: None, bytes: b"fourth" };
    add(&book.state, &story(&gate), &note, now()).unwrap();
    fs::remove_file(book.at(PATH)).unwrap();
    undo().unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"fourth");
}

#[test]
fn a_record_that_changed_since_it_was_looked_at_stays() {
    let book = Sandbox::new();
    book.put(PATH, "new");
    let gate = gate(PATH);
    let fault = book.history(now()).remove(&story(&gate), Some(&sha256(b"old")));
    assert_eq!(fault, Err(WriteError::Changed));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"new");
    assert!(all(&book).is_empty());
}

#[test]
fn a_record_that_may_not_be_written_to_goes_and_leaves_nothing_beside_it() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    let protect = || {
        let mut permissions = fs::metadata(book.at(PATH)).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(book.at(PATH), permissions).unwrap();
    };
    let there = || fs::read_dir(book.at(PATH).parent().unwrap()).unwrap().count();
    book.put(PATH, "old");
    protect();
    book.history(now()).remove(&story(&gate), None).unwrap();
    assert_eq!(there(), 0);
    book.history(now()).restore(&story(&gate)).unwrap();
    protect();
    let new = NewRecord { bytes: b"new", is_asked: &|| true };
    book.history(now()).replace(&story(&gate), None, Some(new)).unwrap();
    assert_eq!((fs::read(book.at(PATH)).unwrap(), there()), (b"new".to_vec(), 1));
}

#[test]
fn no_record_is_no_record() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    assert_eq!(book.history(now()).remove(&story(&gate), None), Err(WriteError::NoRecord));
    assert_eq!(WriteError::NoRecord.error().kind, ExitCode::Waiting);
}

#[test]
fn what_is_not_ours_is_never_removed() {
    let book = Sandbox::new();
    for path in [".checkpoint.json", ".git/config", "staging/x.packet.json"] {
        book.put(path, "{}");
        let gate = gate(path);
        let fault = book.history(now()).remove(&story(&gate), None).unwrap_err();
        assert!(matches!(fault, WriteError::Refused(_)), "{path}: {fault:?}");
        assert!(book.at(path).exists());
    }
    fs::create_dir(book.at("dir")).unwrap();
    assert!(book.history(now()).remove(&story(&gate("dir")), None).is_err());
    assert!(book.at("dir").is_dir());
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn of_a_link_only_the_link_goes() {
    let book = Sandbox::new();
    book.put("real.json", "bytes");
    symlink("real.json", book.at("link.json")).unwrap();
    let gate = gate("link.json");
    book.history(now()).remove(&story(&gate), None).unwrap();
    assert_eq!(fs::read(book.at("real.json")).unwrap(), b"bytes");
    assert!(book.at("link.json").symlink_metadata().is_err());
    book.history(now()).restore(&story(&gate)).unwrap();
    assert_eq!(fs::read(book.at("link.json")).unwrap(), b"bytes");
}

#[test]
fn without_a_place_for_the_history_nothing_is_removed() {
    let book = Sandbox::new();
    book.put(PATH, "bytes");
    fs::write(book.top().join("state"), "a file in the way").unwrap();
    let gate = gate(PATH);
    let fault = book.history(now()).remove(&story(&gate), None).unwrap_err();
    assert_eq!(fault.error().kind, ExitCode::Failed);
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"bytes");
}

#[test]
fn every_failing_call_leaves_the_record_or_its_copy() {
    for errno in [Errno::IO, Errno::ROFS, Errno::ACCESS] {
        for n in 1.. {
            assert!(n < 50, "it never ends");
            let book = Sandbox::new();
            book.put(PATH, TORN);
            let gate = gate(PATH);
            let (project, disk) = book.on(FailingDisk::at(n, errno));
            let history = History { project: &project, ..book.history(now()) };
            let outcome = history.remove(&story(&gate), None);
            let kept = all(&book);
            if outcome.is_ok() {
                assert!(book.names("staging/answers").is_empty(), "call {n}");
                assert_eq!(kept[0].bytes().unwrap(), TORN);
            } else {
                assert_eq!(fs::read(book.at(PATH)).ok().as_deref(), Some(TORN), "call {n}: {outcome:?}");
                assert_eq!(book.names("staging/answers"), ["a.json"], "call {n}");
                assert!(kept.is_empty(), "call {n}: the history tells of what did not happen");
            }
            if !disk.failed() {
                break;
            }
        }
    }
}

#[test]
fn a_damaged_copy_is_not_put_back() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, "bytes");
    book.history(now()).remove(&story(&gate), None).unwrap();
    damage(&book);
    let fault = book.history(now()).restore(&story(&gate)).unwrap_err();
    assert_eq!(fault.error().code, "history-damaged");
    assert!(!book.at(PATH).exists());
}

#[test]
fn the_questions_are_kept_as_a_packet_spells_them() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    let json = answers("x").to_json();
    let note = Note { reason: Reason::Answered, of: None, bytes: json.as_bytes() };
    add(&book.state, &story(&gate), &note, now()).unwrap();
    let entry = &all(&book)[0];
    assert_eq!((entry.reason, entry.answered_by.clone()), (Reason::Answered, Some("human".into())));
    let spec = entry.novel_ask().unwrap();
    assert_eq!(crate::ask::decode_spec(spec.as_bytes()).unwrap(), *gate.spec);
    assert_eq!(entry.spec_hash, Some(gate::spec_hash(&gate.spec)));
}

fn put_record(book: &Sandbox, text: &str) -> String {
    let json = answers(text).to_json();
    book.put(PATH, &json);
    json
}

fn told(book: &Sandbox) -> Vec<(&'static str, bool)> {
    all(book).iter().map(|entry| (entry.reason.name(), entry.valid)).collect()
}

fn load(book: &Sandbox) -> Loaded {
    gate::load(&book.project, &book.at("staging/manifests/step.packet.json")).unwrap()
}

#[test]
fn any_entry_can_be_put_back_but_never_over_a_record_that_was_not_meant() {
    let book = Sandbox::new();
    book.put_packet(PATH);
    let first = put_record(&book, "first");
    book.history(now()).see(&load(&book)).unwrap();
    let entry = all(&book).remove(0);
    book.put(PATH, "other");
    let (other, another) = (sha256(b"other"), sha256(b"another"));
    let put = |over| book.history(now()).restore_entry(&entry, over);
    assert_eq!(put(Over::Nothing), Err(WriteError::Occupied));
    assert_eq!(put(Over::Hash(&another)), Err(WriteError::Changed));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"other");
    let moved = put(Over::Hash(&other)).unwrap();
    assert_eq!(
        (moved.file.sha256, fs::read(book.at(PATH)).unwrap()),
        (entry.sha256.clone(), first.into_bytes())
    );
    assert_eq!(told(&book), [("seen", true), ("replaced", false), ("restored", true)]);
    assert_eq!(all(&book)[1].bytes().unwrap(), b"other");

    fs::remove_file(book.at(PATH)).unwrap();
    assert_eq!(put(Over::Hash(&entry.sha256)), Err(WriteError::Changed));
    assert!(!book.at(PATH).exists());
    put(Over::Any).unwrap();
    damage(&book);
    assert!(matches!(put(Over::Any), Err(WriteError::Failed(_))));
    assert!(book.at(PATH).exists(), "what cannot be put back pushes nothing aside");
}

#[test]
fn the_questions_a_record_was_written_for_are_known() {
    let book = Sandbox::new();
    let packet = book.put_packet(PATH);
    let first = put_record(&book, "first");
    let path = JsString::from(PATH);
    assert_eq!(asked_for(&book.state, &path, first.as_bytes()), None);
    book.history(now()).see(&load(&book)).unwrap();
    let before = load(&book).gate().unwrap().spec.clone();
    let json = fs::read_to_string(&packet).unwrap().replace("\"id\": \"q\"", "\"id\": \"changed\"");
    fs::write(&packet, json).unwrap();
    let now_asked = load(&book);
    assert_eq!(now_asked.status(), gate::Status::Blocked);
    assert_eq!(asked_for(&book.state, &path, first.as_bytes()), Some((*before).clone()));
    // A record that was never noted, but fits what was asked once.
    assert_eq!(
        asked_for(&book.state, &path, answers("second").to_json().as_bytes()),
        Some((*before).clone())
    );
    assert_eq!(asked_for(&book.state, &path, b"{}"), None);
}

#[test]
fn forgetting_leaves_no_word_behind() {
    let book = Sandbox::new();
    for path in [PATH, "staging/answers/b.json"] {
        let gate = gate(path);
        book.put(path, answers("秘密").to_json());
        book.history(now()).remove(&story(&gate), None).unwrap();
    }
    // Of many sizes, and some that are gone before, so that pages are split, joined and freed.
    for number in 0..150_usize {
        let gate = gate(&format!("staging/answers/{}.json", number % 5));
        let bytes = format!("secret {number}").repeat(number * number % 977);
        let note = Note { reason: Reason::Answered, of: None, bytes: bytes.as_bytes() };
        add(&book.state, &story(&gate), &note, now()).unwrap();
    }
    let other = book.state.apart();
    assert!(search(&other, &Search::default()).unwrap().len() > 50, "another process has it open");
    for number in 0..5 {
        let path = format!("staging/answers/{number}.json");
        forget(&book.state, Some(&path.as_str().into())).unwrap();
    }
    let erased = forget(&book.state, Some(&PATH.into())).unwrap();
    assert_eq!((erased.entries, erased.removed_records), (1, 1));
    assert_eq!(search(&book.state, &Search::default()).unwrap().len(), 1);
    assert_eq!(forget(&book.state, None).unwrap().entries, 1);
    let mut open = vec![book.state.path().to_path_buf()];
    while let Some(dir) = open.pop() {
        for file in fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()) {
            if file.is_dir() {
                open.push(file);
            } else {
                let bytes = fs::read(&file).unwrap();
                let holds = |words: &str| bytes.windows(words.len()).any(|part| part == words.as_bytes());
                assert!(!holds("秘密") && !holds("secret"), "{file:?}");
            }
        }
    }
    let gate = gate(PATH);
    assert_eq!(book.history(now()).restore(&story(&gate)), Err(WriteError::NothingToUndo));
}

#[test]
fn forgetting_is_whole_or_an_error() {
    let book = Sandbox::new();
    put_record(&book, "secret");
    book.history(now()).remove(&story(&gate(PATH)), None).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON forgotten BEGIN SELECT RAISE(ABORT, 'no'); END";
    book.state.write(|state| state.execute_batch(refuse)).unwrap();
    assert_eq!(forget(&book.state, None).unwrap_err().code, "history-failed");
    assert_eq!(all(&book).len(), 1, "nothing is half erased");
}
