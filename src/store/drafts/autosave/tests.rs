use super::*;
use crate::ask::{Draft, decode_spec};
use crate::store::drafts::rescue::Rescued;
use std::fs;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The gate's answer path, and why it could not be done.
type Report = (JsString, Option<Message>);

const LONG: Duration = Duration::from_secs(10);

fn job(path: &str, at: usize) -> DraftJob {
    let spec = br#"{"version":1,"topic":"t","questions":[
        {"id":"text","header":"h","question":"q","kind":"free_text","required":true}]}"#;
    let spec = Arc::new(decode_spec(spec).unwrap());
    DraftJob {
        packet: "p".into(),
        step: None,
        answer_path: path.into(),
        draft: Draft::new(&spec),
        spec,
        orphans: Vec::new(),
        at,
        saved_at: format!("t{at}"),
    }
}

fn full() -> Error {
    Error::io("history-failed", say("Full.", "满。"), &[], &std::io::ErrorKind::StorageFull.into())
}

/// A place for words that is not there.
fn nowhere() -> Refuge {
    Refuge { dirs: vec!["/nowhere".into()], prefix: "novel-gate-test-".into() }
}

/// A disk that says what it is asked to write and does it only when told how it ends.
fn slow_disk() -> (Autosave, Receiver<String>, Sender<bool>, Receiver<Report>) {
    slow_disk_beside(nowhere())
}

/// The same, with a place for what it does not take.
fn slow_disk_beside(refuge: Refuge) -> (Autosave, Receiver<String>, Sender<bool>, Receiver<Report>) {
    let (asked, asks) = channel();
    let (verdict, verdicts) = channel::<bool>();
    let (report, reports) = channel();
    let write = move |job: &Job| {
        let path = job.answer_path.display();
        let name = match &job.words {
            Words::Draft(Some(job)) => format!("save {path} {}", &job.saved_at[1..]),
            Words::Draft(None) => format!("remove {path}"),
            Words::Edited(Some(text)) => format!("edited {path} {text}"),
            Words::Edited(None) => format!("forget {path}"),
        };
        let _ = asked.send(name);
        match verdicts.recv() {
            Ok(true) => Ok(()),
            _ => Err(full()),
        }
    };
    let report = move |path, why| drop(report.send((path, why)));
    let autosave = Autosave::with(refuge, write, report);
    (autosave, asks, verdict, reports)
}

#[test]
fn only_the_newest_of_each_gate_is_written() {
    let (autosave, asks, verdict, _reports) = slow_disk();
    autosave.put(job("a", 0));
    assert_eq!(asks.recv_timeout(LONG).unwrap(), "save a 0");
    for at in 1..5 {
        autosave.put(job("a", at));
    }
    autosave.put(job("b", 9));
    (0..3).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    assert_eq!(asks.try_iter().collect::<Vec<_>>(), ["save a 4", "save b 9"]);
}

#[test]
fn there_is_no_thread_before_there_is_something_to_write() {
    let (autosave, asks, verdict, _reports) = slow_disk();
    assert!(autosave.flush(LONG));
    assert!(lock(&autosave.thread).is_none());
    verdict.send(true).unwrap();
    autosave.put(job("a", 0));
    assert_eq!(asks.recv_timeout(LONG).unwrap(), "save a 0");
    assert!(lock(&autosave.thread).is_some());
}

#[test]
fn a_removal_takes_the_place_of_a_waiting_save() {
    let (autosave, asks, verdict, _reports) = slow_disk();
    autosave.put(job("x", 0));
    asks.recv_timeout(LONG).unwrap();
    autosave.put(job("./a", 1));
    autosave.remove(&"a".into());
    (0..2).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    assert_eq!(asks.try_iter().collect::<Vec<_>>(), ["remove a"]);
}

#[test]
fn queueing_never_waits_for_a_file_system_that_hangs() {
    let (autosave, asks, verdict, _reports) = slow_disk();
    let autosave = Arc::new(autosave);
    autosave.put(job("a", 0));
    assert_eq!(asks.recv_timeout(LONG).unwrap(), "save a 0");
    let (queued, is_queued) = channel();
    let theirs = Arc::clone(&autosave);
    thread::spawn(move || {
        theirs.put(job("./a", 1));
        theirs.put(job(".//a", 2));
        theirs.remove(&"b".into());
        queued.send(()).unwrap();
    });
    is_queued.recv_timeout(LONG).expect("it waits for nothing");
    (0..3).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    assert_eq!(asks.try_iter().collect::<Vec<_>>(), ["save .//a 2", "remove b"]);
}

#[test]
fn a_failure_is_reported_and_tried_again() {
    let (autosave, asks, verdict, reports) = slow_disk();
    verdict.send(false).unwrap();
    autosave.put(job("a", 1));
    let pending = || autosave.pending(&"./a".into()).map(|job| job.saved_at);
    assert_eq!(reports.recv_timeout(LONG).unwrap(), ("a".into(), Some(reason(full()))));
    assert_eq!(pending().as_deref(), Some("t1"), "what the disk refused is still there");
    verdict.send(true).unwrap();
    assert!(autosave.flush(LONG), "a flush does not wait for the next try");
    assert_eq!(pending(), None);
    assert_eq!(reports.recv_timeout(LONG).unwrap(), ("a".into(), None));
    assert_eq!(asks.try_iter().count(), 2);
}

#[test]
fn a_flush_says_when_the_disk_fails_or_hangs() {
    let (autosave, asks, verdict, _reports) = slow_disk();
    autosave.put(job("a", 1));
    asks.recv_timeout(LONG).unwrap();
    assert!(!autosave.flush(Duration::from_millis(1)), "the disk hangs");
    // One failure may come before the flush, which then tries again: the second is for that.
    (0..2).for_each(|_| verdict.send(false).unwrap());
    assert!(!autosave.flush(LONG), "the disk fails");
    verdict.send(true).unwrap();
    assert!(autosave.flush(LONG) || autosave.flush(LONG), "the second failure may still have been ahead");
}

#[test]
fn dropping_writes_what_waits() {
    let state = tempfile::tempdir().unwrap();
    let project = crate::store::Project::open(state.path()).unwrap();
    let drafts = Drafts::new(&crate::store::StateDir::new(state.path(), &project));
    let job = job("a", 0);
    let autosave = Autosave::new(drafts.clone(), |_, _| {});
    autosave.put(job.clone());
    drop(autosave);
    assert_eq!(drafts.load(&job.answer_path, &job.spec).unwrap().unwrap().job.saved_at, "t0");
}

/// The files in a directory.
fn files(dir: &std::path::Path) -> Vec<PathBuf> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn what_the_disk_does_not_take_goes_elsewhere_and_comes_back() {
    let elsewhere = tempfile::tempdir().unwrap();
    let refuge =
        Refuge { dirs: vec!["/nowhere".into(), elsewhere.path().into()], prefix: "novel-gate-p-".into() };
    let (autosave, asks, verdict, reports) = slow_disk_beside(refuge.clone());
    assert_eq!(autosave.rescue(), None, "there is nothing to save");
    autosave.put(job("a", 1));
    asks.recv_timeout(LONG).unwrap();
    let pending = || autosave.pending(&"./a".into()).map(|job| job.saved_at);
    assert_eq!(pending().as_deref(), Some("t1"), "while it is being written too");
    autosave.put(job("b", 2));
    autosave.remove(&"c".into());
    autosave.put_edited(&"b".into(), "{\"a\":".into());
    let first = autosave.rescue().unwrap();
    assert_eq!(first.why, None, "the disk is only slow");
    verdict.send(false).unwrap();
    reports.recv_timeout(LONG).unwrap();
    let unsaved = autosave.rescue().unwrap();
    assert_eq!(unsaved.why, Some(reason(full())));
    let file = unsaved.file.unwrap();
    assert_ne!(first.file.as_ref(), Ok(&file));
    assert_eq!(files(elsewhere.path()), std::slice::from_ref(&file), "the newer file is enough");
    assert_eq!(crate::platform::testing::mode(&file), 0o600);
    let (second, ..) = slow_disk_beside(refuge.clone());
    assert_eq!(second.recover(), [""; 0], "the first one still runs and answers for them");
    drop(second);
    drop((verdict, autosave));

    let (autosave, asks, verdict, _reports) = slow_disk_beside(refuge);
    assert_eq!(autosave.recover(), ["p", "p"]);
    assert_eq!(autosave.pending(&"a".into()).map(|job| job.saved_at).as_deref(), Some("t1"));
    assert_eq!(autosave.pending_edited(&"b".into()).as_deref(), Some("{\"a\":"));
    (0..2).for_each(|_| verdict.send(true).unwrap());
    let mut done: Vec<String> = (0..3).map(|_| asks.recv_timeout(LONG).unwrap()).collect();
    assert_eq!(files(elsewhere.path()), [file], "not all of it is on the disk");
    verdict.send(true).unwrap();
    assert!(autosave.flush(LONG));
    done.sort();
    assert_eq!(done, ["edited b {\"a\":", "save a 1", "save b 2"]);
    assert_eq!(files(elsewhere.path()), [] as [PathBuf; 0]);
}

#[test]
fn what_two_programs_left_of_one_gate_is_all_kept() {
    let elsewhere = tempfile::tempdir().unwrap();
    let refuge = Refuge { dirs: vec![elsewhere.path().into()], prefix: "novel-gate-p-".into() };
    for pid in [1, 2] {
        let writer = Writer { host: "h".into(), pid };
        let drafts = vec![(job("a", usize::try_from(pid).unwrap()), writer)];
        drop(refuge.write(&Rescued { drafts, edited: Vec::new() }).unwrap());
    }
    let (autosave, asks, verdict, _reports) = slow_disk_beside(refuge);
    assert_eq!(autosave.recover().len(), 2);
    (0..2).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    let mut done: Vec<String> = asks.try_iter().collect();
    done.sort();
    assert_eq!(done, ["save a 1", "save a 2"]);
}

#[test]
fn an_older_text_of_an_edited_record_does_not_come_back() {
    let (autosave, asks, verdict, reports) = slow_disk();
    autosave.supersede_edited(&"b".into(), Some("new"));
    assert!(autosave.flush(LONG), "there is nothing that could take its place");
    autosave.put_edited(&"./b".into(), "old".into());
    assert_eq!(asks.recv_timeout(LONG).unwrap(), "edited ./b old");
    // One is being written, and fails only then.
    autosave.supersede_edited(&"b".into(), Some("new"));
    assert_eq!(autosave.pending_edited(&"./b".into()).as_deref(), Some("new"));
    verdict.send(false).unwrap();
    reports.recv_timeout(LONG).unwrap();
    autosave.supersede_edited(&"b".into(), None);
    assert_eq!(autosave.pending_edited(&"b".into()), None);
    (0..9).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    let done: Vec<String> = asks.try_iter().collect();
    assert!(
        done.last().is_some_and(|last| last == "forget b") && !done.iter().any(|it| it.ends_with("old")),
        "{done:?}"
    );
}

#[test]
fn a_removal_leaves_the_words_that_another_program_has_left() {
    let elsewhere = tempfile::tempdir().unwrap();
    let refuge = Refuge { dirs: vec![elsewhere.path().into()], prefix: "novel-gate-p-".into() };
    let writer = Writer { host: "h".into(), pid: 1 };
    let left = Rescued { drafts: vec![(job("a", 1), writer)], edited: Vec::new() };
    drop(refuge.write(&left).unwrap());
    let (autosave, asks, verdict, _reports) = slow_disk_beside(refuge.clone());
    autosave.put(job("x", 0));
    asks.recv_timeout(LONG).unwrap();
    autosave.recover();
    autosave.put(job("a", 2));
    autosave.remove(&"a".into());
    let file = autosave.rescue().unwrap().file.unwrap();
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("\"t1\"") && !text.contains("\"t2\""), "{text}");
    (0..3).for_each(|_| verdict.send(true).unwrap());
    assert!(autosave.flush(LONG));
    // Done the other way round, it would remove them.
    assert_eq!(asks.try_iter().collect::<Vec<_>>(), ["remove a", "save a 1"]);
}

#[test]
fn words_that_no_place_takes_are_told_of() {
    let (autosave, asks, verdict, _reports) = slow_disk_beside(Refuge {
        dirs: vec!["/nowhere".into(), "/nowhere/else".into()],
        prefix: "novel-gate-test-".into(),
    });
    autosave.put(job("a", 1));
    asks.recv_timeout(LONG).unwrap();
    let unsaved = autosave.rescue().expect("not saved yet");
    assert_eq!(unsaved.file, Err(io_cause(&std::io::ErrorKind::NotFound.into())));
    verdict.send(true).unwrap();
    assert!(autosave.flush(LONG));
    assert_eq!(autosave.rescue(), None);
}
