//! What is in a record's place, and in the history, when a step of a replacement fails.

use super::*;
use crate::store::disk::{Disk, SystemDisk};
use crate::text::Lang;
use cap_std::fs::Dir;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every call of a replacement fails once; then the old record is there whole, or the new one is.
fn replace_survives(kind: fn(FailingDisk) -> FailingDisk) {
    const NEW: &[u8] = b"new";
    for errno in [Errno::IO, Errno::NOSPC, Errno::ACCESS] {
        for n in 1.. {
            assert!(n < 50, "it never ends");
            let book = Sandbox::new();
            book.put(PATH, TORN);
            let gate = gate(PATH);
            let (project, disk) = book.on(kind(FailingDisk::at(n, errno)));
            let history = History { project: &project, ..book.history(now()) };
            let outcome = history.replace(&story(&gate), Some(&sha256(TORN)), Some(new(NEW)));
            let there = fs::read(book.at(PATH)).expect("a record");
            let kept: Vec<Vec<u8>> = all(&book).iter().map(|entry| entry.bytes().unwrap()).collect();
            if outcome.is_ok() {
                assert_eq!((there.as_slice(), kept), (NEW, vec![TORN.to_vec()]), "call {n}");
            } else {
                assert_eq!((there.as_slice(), kept.len()), (TORN, 0), "call {n}: {outcome:?}");
            }
            assert_eq!(book.names("staging/answers"), ["a.json"], "call {n}: {outcome:?}");
            if !disk.failed() {
                assert!(n > 5 && outcome.is_ok());
                break;
            }
        }
    }
}

fn new(bytes: &[u8]) -> NewRecord<'_> {
    NewRecord { bytes, is_asked: &|| true }
}

#[test]
fn a_failing_call_of_a_replacement_leaves_the_old_or_the_new_record() {
    replace_survives(|disk| disk);
}

#[test]
fn where_files_cannot_be_exchanged_a_failing_call_does_no_harm_either() {
    replace_survives(|disk| disk.old(false));
    replace_survives(|disk| disk.old(true));
}

/// A disk on which somebody else writes a record in the moment before the two are exchanged.
#[derive(Debug)]
struct Meddler(PathBuf);

impl Disk for Meddler {
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> std::io::Result<()> {
        if fs::read(&self.0).unwrap() == TORN {
            fs::write(&self.0, "somebody's").unwrap();
        }
        SystemDisk.exchange(dir, one, other)
    }
}

#[test]
fn what_somebody_wrote_in_the_last_moment_is_not_replaced() {
    let book = Sandbox::new();
    book.put(PATH, TORN);
    let gate = gate(PATH);
    let (project, _) = book.on(Meddler(book.at(PATH)));
    let history = History { project: &project, ..book.history(now()) };
    let fault = history.replace(&story(&gate), None, Some(new(b"new")));
    assert_eq!(fault, Err(WriteError::Changed));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), b"somebody's");
    assert_eq!((book.names("staging/answers"), all(&book).len()), (vec!["a.json".to_owned()], 0));
}

/// A file system without exchange whose directory cannot be written any more once the old record was moved.
#[derive(Debug)]
struct Closing(AtomicUsize);

impl Closing {
    fn call<T>(&self, call: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
        if self.0.fetch_add(1, Ordering::Relaxed) == 0 { call() } else { Err(Errno::IO.into()) }
    }
}

impl Disk for Closing {
    fn exchange(&self, _: &Dir, _: &OsStr, _: &OsStr) -> std::io::Result<()> {
        Err(Errno::INVAL.into())
    }
    fn rename_new(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> std::io::Result<()> {
        self.call(|| SystemDisk.rename_new(dir, from, to))
    }
}

#[test]
fn a_place_that_is_left_empty_is_told_and_nothing_is_lost() {
    let book = Sandbox::new();
    book.put(PATH, TORN);
    let gate = gate(PATH);
    let (project, _) = book.on(Closing(AtomicUsize::new(0)));
    let history = History { project: &project, ..book.history(now()) };
    let fault = history.replace(&story(&gate), None, Some(new(b"new")));
    let error = fault.unwrap_err().error();
    let names = book.names("staging/answers");
    assert_eq!(error.code, "left-empty");
    assert!(
        matches!(&names[..], [aside] if error.to_string().contains(aside.as_str())),
        "{error}: {names:?}"
    );
    assert_eq!(fs::read(book.at("staging/answers").join(&names[0])).unwrap(), TORN);
    book.history(now()).restore(&story(&gate)).unwrap();
    assert_eq!(fs::read(book.at(PATH)).unwrap(), TORN);
}

#[test]
fn what_a_crash_left_aside_goes_once_the_history_has_it() {
    let book = Sandbox::new();
    let gate = gate(PATH);
    book.put(PATH, TORN);
    book.history(now()).remove(&story(&gate), None).unwrap();
    let [known, unknown] =
        [0, 1].map(|n| format!("staging/answers/.novel-gate-000000000000000{n}.tmp.aside"));
    book.put(&known, TORN);
    book.put(&unknown, "nobody has this");
    book.history(now()).restore(&story(&gate)).unwrap();
    assert!(book.at(&known).exists(), "another program may be at it");
    let later = SystemTime::now() + Duration::from_hours(2);
    book.history(later).sweep_beside(&PATH.into());
    assert_eq!((book.at(&known).exists(), book.at(&unknown).exists()), (false, true));
}

/// No descriptor is left once the new record lies there.
#[derive(Debug, Default)]
struct Exhausted(AtomicUsize);

impl Disk for Exhausted {
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> std::io::Result<()> {
        self.0.store(1, Ordering::Relaxed);
        SystemDisk.exchange(dir, one, other)
    }
    fn open(&self, dir: &Dir, name: &OsStr) -> std::io::Result<fs::File> {
        if self.0.load(Ordering::Relaxed) == 0 {
            SystemDisk.open(dir, name)
        } else {
            Err(Errno::MFILE.into())
        }
    }
}

#[test]
fn where_no_descriptor_is_left_the_old_record_comes_back_and_nothing_stays_beside_it() {
    let book = Sandbox::new();
    book.put(PATH, TORN);
    let gate = gate(PATH);
    let (project, _) = book.on(Exhausted::default());
    let history = History { project: &project, ..book.history(now()) };
    let fault = history.replace(&story(&gate), None, Some(new(b"new")));
    assert!(fault.unwrap_err().error().to_string().contains("too many files are open"));
    assert_eq!(fs::read(book.at(PATH)).unwrap(), TORN);
    assert_eq!(book.names("staging/answers"), ["a.json"]);
}

/// A packet that is no JSON yet, and the hash of its text.
fn malformed(book: &Sandbox) -> (PathBuf, String) {
    (book.put("staging/step.packet.json", "{,"), sha256(b"{,"))
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_may_not_be_written_is_named_when_a_packet_is_mended() {
    use crate::platform::testing::{give_up_privileges, set_mode};
    give_up_privileges();
    let book = Sandbox::new();
    let (packet, seen) = malformed(&book);
    set_mode(&book.at("staging"), 0o500);
    let error = book.history(now()).rewrite(&packet, &seen, (b"{}", None)).expect_err("closed").error();
    set_mode(&book.at("staging"), 0o700);
    assert!(error.text(Lang::En).contains("in the packet's directory; the packet is untouched"), "{error}");
    assert_eq!((fs::read(&packet).unwrap(), error.code), (b"{,".to_vec(), "refused"));
    let found = search(&book.state, &Search::default()).unwrap();
    assert!(found.is_empty(), "nothing has happened");
}

#[test]
fn of_one_text_of_a_packet_there_is_one_entry() {
    let book = Sandbox::new();
    let (packet, seen) = malformed(&book);
    let history = book.history(now());
    let first = history.rewrite(&packet, &seen, (b"{}", None)).unwrap();
    let back = history.rewrite(&packet, &sha256(b"{}"), (b"{,", Some(&first))).unwrap();
    let again = history.rewrite(&packet, &seen, (b"{}", None)).unwrap();
    let told = |entry: &HistoryEntry| (entry.kind(), entry.valid, entry.event(Lang::En));
    let kept = entries(&book.state, &"staging/step.packet.json".into()).unwrap();
    assert_eq!(kept, [back, again.clone()]);
    assert_eq!(told(&kept[0]), (EntryKind::Packet, true, "packet before putting back".to_owned()));
    assert_eq!(told(&kept[1]), (EntryKind::Packet, false, "packet before mending".to_owned()));
    assert_eq!(again.text().as_deref(), Some("{,"));
    let erased = forget(&book.state, None).unwrap();
    assert_eq!((erased.entries, erased.removed_records), (2, 0));
}
