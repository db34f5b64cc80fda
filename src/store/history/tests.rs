use super::*;
use crate::ask::Gate;
use crate::store::testing::{FailingDisk, Sandbox, gate, record as answers};
use rustix::io::Errno;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

const PATH: &str = "staging/answers/a.json";
/// Not UTF-8, not JSON: exactly what must come back.
const TORN: &[u8] = b"{\"version\": 1, \xFF\x00";

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_187_154)
}

fn story(gate: &Gate) -> Story<'_> {
    Story { answer_path: &gate.answer_path, packet: None, step: None, spec: Some(&gate.spec) }
}

fn all(book: &Sandbox) -> Vec<Entry> {
    entries(&book.state, &gate_key(&PATH.into())).unwrap()
}

#[test]
fn exact_bytes_go_and_come_back() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, TORN);
    let moved = remove(&book.project, &book.state, &story(&gate), Some(&sha256(TORN)), now()).unwrap();
    assert_eq!((moved.path.as_path(), moved.bytes), (Path::new(PATH), TORN.len()));
    assert!(book.names("staging/answers").is_empty());

    let kept = all(&book);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].reason, kept[0].at.as_str()), (Reason::Redo, "2026-02-27T10:12:34.000Z"));
    assert_eq!(kept[0].bytes().unwrap(), TORN);

    restore(&book.project, &book.state, &story(&gate), now()).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), TORN);
    assert_eq!(book.names("staging/answers"), ["a.json"]);
    // What was put back is not put back again.
    fs::remove_file(book.at(PATH)).unwrap();
    let again = restore(&book.project, &book.state, &story(&gate), now());
    assert_eq!(again, Err(MoveError::NothingToUndo));
}

#[test]
fn undo_goes_back_step_by_step_and_never_over_a_record() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    for text in ["first", "second"] {
        book.put(PATH, text);
        remove(&book.project, &book.state, &story(&gate), None, now()).unwrap();
    }
    book.put(PATH, "third");
    assert_eq!(restore(&book.project, &book.state, &story(&gate), now()), Err(MoveError::Exists));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"third");
    for text in ["second", "first"] {
        fs::remove_file(book.at(PATH)).unwrap();
        restore(&book.project, &book.state, &story(&gate), now()).unwrap();
        assert_eq!(fs::read(book.at(PATH)).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_record_that_changed_since_it_was_looked_at_stays() {
    let book = Sandbox::new();
    book.put(PATH, "new");
    let gate = gate(PATH);
    let fault = remove(&book.project, &book.state, &story(&gate), Some(&sha256(b"old")), now());
    assert_eq!(fault, Err(MoveError::Changed));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"new");
    assert!(all(&book).is_empty());
}

#[test]
fn no_record_is_no_record() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    assert_eq!(remove(&book.project, &book.state, &story(&gate), None, now()), Err(MoveError::NoRecord));
    assert_eq!(MoveError::NoRecord.error().kind, ExitCode::Waiting);
}

#[test]
fn what_is_not_ours_is_never_removed() {
    let book = Sandbox::new();
    for path in [".checkpoint.json", ".git/config", "staging/x.packet.json"] {
        book.put(path, "{}");
        let gate = gate(path);
        let fault = remove(&book.project, &book.state, &story(&gate), None, now()).unwrap_err();
        assert!(matches!(fault, MoveError::Refused(_)), "{path}: {fault:?}");
        assert!(book.at(path).exists());
    }
    fs::create_dir(book.at("dir")).unwrap();
    assert!(remove(&book.project, &book.state, &story(&gate("dir")), None, now()).is_err());
    assert!(book.at("dir").is_dir());
}

#[test]
fn of_a_link_only_the_link_goes() {
    let book = Sandbox::new();
    book.put("real.json", "bytes");
    symlink("real.json", book.at("link.json")).unwrap();
    let gate = gate("link.json");
    remove(&book.project, &book.state, &story(&gate), None, now()).unwrap();
    assert_eq!(fs::read(book.at("real.json")).unwrap(), b"bytes");
    assert!(book.at("link.json").symlink_metadata().is_err());
    restore(&book.project, &book.state, &story(&gate), now()).unwrap();
    assert_eq!(fs::read(book.at("link.json")).unwrap(), b"bytes");
}

#[test]
fn without_a_place_for_the_history_nothing_is_removed() {
    let book = Sandbox::new();
    book.put(PATH, "bytes");
    fs::write(book.top().join("state"), "a file in the way").unwrap();
    let gate = gate(PATH);
    let fault = remove(&book.project, &book.state, &story(&gate), None, now()).unwrap_err();
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
            let disk = FailingDisk::at(n, errno);
            let outcome = remove_on(&disk, &book.project, &book.state, &story(&gate), (None, now()));
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
    remove(&book.project, &book.state, &story(&gate), None, now()).unwrap();
    let dir = book.state.history_dir(&gate_key(&PATH.into()));
    let copy = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    let copy = copy.into_iter().find(|path| path.extension().unwrap() == "record").unwrap();
    fs::write(copy, "other").unwrap();
    let fault = restore(&book.project, &book.state, &story(&gate), now()).unwrap_err();
    assert_eq!(fault.error().code, "history-damaged");
    assert!(!book.at(PATH).exists());
}

#[test]
fn only_the_owner_can_read_the_history() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    note(&book.state, &story(&gate), Reason::Answered, answers("x").to_json().as_bytes(), now()).unwrap();
    let dir = book.state.history_dir(&gate_key(&PATH.into()));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for file in fs::read_dir(&dir).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    let entry = &all(&book)[0];
    assert_eq!((entry.reason, entry.answered_by.clone()), (Reason::Answered, Some("human".into())));
    // The questions are kept as a packet spells them.
    let json = fs::read(dir.join(format!("{}.json", entry.name))).unwrap();
    let json = crate::ask::json::Json::parse(&json).unwrap();
    let spec = json.root().get("novel_ask").unwrap().source();
    assert_eq!(crate::ask::decode_spec(spec.as_bytes()).unwrap(), gate.spec);
    assert_eq!(entry.spec_hash, Some(gate::spec_hash(&gate.spec)));
}

#[test]
fn submitting_notes_the_answers() {
    let book = Sandbox::new();
    let packet = book.put_packet(PATH);
    let asked = gate::spec_hash(&gate(PATH).spec);
    let record = answers("x");
    let submission = Submission { packet: &packet, asked: &asked, record: &record };
    submit(&book.project, &book.state, &submission, now()).unwrap();
    assert_eq!(all(&book)[0].bytes().unwrap(), fs::read(book.at(PATH)).unwrap());

    let seen = gate::load(&book.project, &packet).unwrap();
    redo(&book.project, &book.state, &seen, now()).unwrap();
    let other = Submission { asked: "another", ..submission };
    let stale = submit(&book.project, &book.state, &other, now());
    assert_eq!(stale, Err(WriteError::Stale));
    undo(&book.project, &book.state, &seen, now()).unwrap();
    assert!(gate::load(&book.project, &packet).unwrap().record.exists());
}
