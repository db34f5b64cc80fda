use super::*;
use crate::platform::testing::{Errno, bind_socket, make_pipe, mode, swap, symlink};
use crate::store::SIZE_LIMIT;
use crate::store::disk::{Disk, SystemDisk};
use crate::store::file::too_large;
use crate::store::testing::{FailingDisk, Sandbox, gate, record, write_new};
use crate::text::Lang;
use std::fs::{self, File};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const ERRORS: [Errno; 6] = [Errno::IO, Errno::NOSPC, Errno::ROFS, Errno::ACCESS, Errno::MFILE, Errno::DQUOT];

#[test]
fn a_record_is_written_once_and_read_back() {
    let book = Sandbox::new();
    let gate = gate("staging/answers/a.json");
    let receipt = write_new(&book.project, &gate, &record("\u{3000}第一章")).unwrap();
    let bytes = fs::read(book.at("staging/answers/a.json")).unwrap();
    assert_eq!(receipt.path, Path::new("staging/answers/a.json"));
    assert_eq!((receipt.sha256.clone(), receipt.bytes), (sha256(&bytes), bytes.len()));
    assert!(receipt.durable);
    assert!(verify(&book.project, &receipt).unwrap());
    assert_eq!(read(&book.project, &gate).unwrap().state, RecordState::Valid(record("\u{3000}第一章")));

    let Err(WriteError::Exists(there)) = write_new(&book.project, &gate, &record("later")) else {
        panic!("written twice")
    };
    assert_eq!(there.bytes, bytes);
    assert_eq!(fs::read(book.at("staging/answers/a.json")).unwrap(), bytes);
    assert_eq!(book.names("staging/answers"), ["a.json"]);

    fs::write(book.at("staging/answers/a.json"), "{}").unwrap();
    assert!(!verify(&book.project, &receipt).unwrap());
    fs::remove_file(book.at("staging/answers/a.json")).unwrap();
    assert!(!verify(&book.project, &receipt).unwrap());
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_record_has_the_permissions_of_any_new_file() {
    let book = Sandbox::new();
    let plain = mode(&book.put("plain", ""));
    write_new(&book.project, &gate("a.json"), &record("x")).unwrap();
    assert_eq!(mode(&book.at("a.json")), plain);
}

#[test]
fn invalid_answers_are_never_written() {
    let book = Sandbox::new();
    let fault = write_new(&book.project, &gate("dir/a.json"), &record(" ")).unwrap_err();
    assert!(matches!(fault, WriteError::Invalid(_)));
    assert!(!book.at("dir").exists());
}

/// Fails the n-th call, for every n until none is left to fail; after each there is nothing or one whole record, no
/// temporary file, and a sentence.
fn survive(prepare: impl Fn(FailingDisk) -> FailingDisk) {
    let want = record("x").to_json();
    for errno in ERRORS {
        let mut n = 0;
        loop {
            n += 1;
            assert!(n < 100, "the protocol never ends");
            let book = Sandbox::new();
            book.put("staging/keep", "");
            let (project, disk) = book.on(prepare(FailingDisk::at(n, errno)));
            let outcome = write_new(&project, &gate("staging/new/dir/a.json"), &record("x"));
            let there = fs::read_to_string(book.at("staging/new/dir/a.json")).ok();
            let names = book.names("staging/new/dir");
            assert!(names.iter().all(|name| name == "a.json"), "call {n}, {errno}: left {names:?}");
            match &outcome {
                Ok(_) => assert_eq!(there.as_ref(), Some(&want), "call {n}, {errno}"),
                Err(WriteError::Failed(error)) => {
                    let text = error.text(Lang::ZhCn);
                    assert!(error.cause.is_some() && text.contains("原因") && text.ends_with('。'), "{text}");
                    assert_eq!(there, None, "call {n}, {errno}: said that nothing was written");
                }
                Err(other) => panic!("call {n}, {errno}: {other:?}"),
            }
            if !disk.failed() {
                assert!(n > 8 && outcome.is_ok_and(|receipt| receipt.durable));
                break;
            }
        }
    }
}

#[test]
fn every_failing_call_leaves_nothing_or_a_whole_record() {
    survive(|disk| disk);
}

#[test]
fn every_failing_call_is_survived_without_rename_unless_taken() {
    survive(|disk| disk.old(false));
}

#[test]
fn every_failing_call_is_survived_without_hard_links_too() {
    survive(|disk| disk.old(true));
}

#[test]
fn old_file_systems_keep_an_existing_file_too() {
    for linkless in [false, true] {
        let book = Sandbox::new();
        book.put("a.json", "somebody's");
        let (project, _) = book.on(FailingDisk::at(0, Errno::IO).old(linkless));
        let fault = write_new(&project, &gate("a.json"), &record("x")).unwrap_err();
        assert!(matches!(fault, WriteError::Exists(_)), "{fault:?}");
        assert_eq!(fs::read(book.at("a.json")).unwrap(), b"somebody's");
        assert_eq!(book.names("."), ["a.json"]);
    }
}

#[test]
fn of_two_writers_exactly_one_wins() {
    let book = Sandbox::new();
    for round in 0..300 {
        let gate = gate(&format!("staging/r{}/a{round}.json", round / 50));
        let start = Barrier::new(2);
        let write = |text: &'static str| {
            start.wait();
            (text, write_new(&book.project, &gate, &record(text)))
        };
        let outcomes = std::thread::scope(|scope| {
            let other = scope.spawn(|| write("left"));
            [write("right"), other.join().unwrap()]
        });
        let won: Vec<&str> =
            outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).map(|(text, _)| *text).collect();
        let [winner] = won[..] else { panic!("round {round}: {outcomes:?}") };
        let there = read(&book.project, &gate).unwrap();
        assert_eq!(there.state, RecordState::Valid(record(winner)));
        let lost = outcomes.iter().find_map(|(_, outcome)| outcome.as_ref().err());
        assert_eq!(lost, Some(&WriteError::Exists(Box::new(there))), "round {round}");
    }
    assert!(book.names("staging/r0").iter().all(|name| name.starts_with('a')), "a temporary file stayed");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_directory_swapped_for_a_link_never_leads_out() {
    let book = Sandbox::new();
    let outside = book.top().join("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::create_dir(book.at("real")).unwrap();
    fs::create_dir(book.at("real/deep")).unwrap();
    symlink(&outside, book.at("link")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                swap(&book.at("real"), &book.at("link"));
            }
        });
        for n in 0..500 {
            let gate = gate(&format!("real/deep/a{n}.json"));
            let outcome = write_new(&book.project, &gate, &record("x"));
            // What stands behind the link is seen, too: that is no way out, it is only looked at.
            assert!(!matches!(outcome, Err(WriteError::Invalid(_))), "{outcome:?}");
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(outside.join("deep")).unwrap().count(), 0, "a record left the project");
}

#[test]
#[cfg_attr(windows, ignore = "a file there has no time that no program can set")]
fn only_our_own_old_temporary_files_are_swept() {
    let book = Sandbox::new();
    let ours = ".novel-gate-0123456789abcdef.tmp";
    let foreign = [".123.tmp", ".novel-gate-0123456789abcdeg.tmp", ".novel-gate-1.tmp", "a.tmp"];
    for name in foreign.iter().chain([&ours]) {
        book.put(name, "");
    }
    let old = SystemTime::now() - Duration::from_hours(2);
    File::options().write(true).open(book.at(ours)).unwrap().set_modified(old).unwrap();
    // An old record may have got this name a moment ago.
    write_new(&book.project, &gate("a.json"), &record("x")).unwrap();
    assert!(book.at(ours).exists());
    let later = SystemTime::now() + Duration::from_hours(2);
    write::sweep(&SystemDisk, book.project.dir(), later);
    let mut want = vec!["a.json"];
    want.extend(foreign);
    want.sort_unstable();
    assert_eq!(book.names("."), want);
}

#[test]
#[cfg_attr(windows, ignore = "there no socket lies in a directory")]
fn what_is_no_regular_file_is_an_invalid_record_and_never_waited_for() {
    let book = Sandbox::new();
    fs::create_dir(book.at("dir")).unwrap();
    make_pipe(&book.at("fifo"));
    let _socket = bind_socket(book.at("socket")).unwrap();
    for (name, kind) in [("dir", "directory"), ("fifo", "fifo"), ("socket", "socket")] {
        let state = read(&book.project, &gate(name)).unwrap().state;
        let want = not_a_file(kind);
        assert_eq!(state, RecordState::Invalid(vec![want]), "{name}");
    }
}

#[test]
fn a_record_above_the_limit_is_not_read() {
    let book = Sandbox::new();
    let file = File::create(book.at("big.json")).unwrap();
    file.set_len(SIZE_LIMIT + 1).unwrap();
    let there = read(&book.project, &gate("big.json")).unwrap();
    let want = too_large(SIZE_LIMIT + 1);
    assert_eq!(there.state, RecordState::Invalid(vec![want]));
    assert!(there.bytes.is_empty() && !there.is_read());
}

/// A disk that counts how often a directory is synced, and refuses it so many times.
#[derive(Debug)]
struct Syncs(std::sync::atomic::AtomicUsize, usize);

impl Disk for Syncs {
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        if before < self.1 { Err(Errno::IO.into()) } else { SystemDisk.sync_dir(dir) }
    }
}

#[test]
fn a_record_is_durable_only_with_its_new_directories() {
    let book = Sandbox::new();
    for (place, refused, syncs, durable) in
        [("a/b/c.json", 0, 3, true), ("a/b/d.json", 0, 1, true), ("x/y/z.json", 2, 4, false)]
    {
        let (project, disk) = book.on(Syncs(0.into(), refused));
        let receipt = write_new(&project, &gate(place), &record("x")).unwrap();
        assert_eq!((disk.0.load(Ordering::Relaxed), receipt.durable), (syncs, durable), "{place}");
    }
}
