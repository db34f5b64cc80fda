//! Every operation that changes a file, with each of its calls in turn failing once, failing for ever, and being the last one
//! before the process is killed.
//!
//! Whatever happens: in each place lies the old file or the new one, whole; no record, entry or draft is lost; what is said is
//! true; and the next start works and leaves nothing behind.

mod desk;
mod operations;

use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::platform::testing::Errno;
use crate::store::disk::SystemDisk;
use crate::store::testing::{self, Crash, FailingDisk, Fault};
use crate::text::Lang;
use desk::{Desk, Facts, Tree};
use operations::{DRAFTS, FILES, HISTORY, Operation, RECORDS, RELAY};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

const FAULTS: [(Fault, Errno); 4] = [
    (Fault::Once, Errno::IO),
    (Fault::ForEver, Errno::NOSPC),
    (Fault::CrashBefore, Errno::IO),
    (Fault::CrashAfter, Errno::IO),
];
/// No operation makes so many calls.
const ENDLESS: usize = 200;

/// What the file system cannot do.
#[derive(Clone, Copy, Debug)]
enum Lack {
    Nothing,
    /// To rename unless the name is taken, and to exchange two files.
    Rename,
    /// To link either.
    Link,
}

/// One run.
struct Case {
    operation: &'static Operation,
    lack: Lack,
    fault: Fault,
    errno: Errno,
    call: usize,
}

/// How an operation ended; a crash says nothing.
type Outcome = Result<Result<Option<Error>, Error>, Box<dyn Any + Send>>;

#[test]
fn records() {
    survive(RECORDS);
}

#[test]
fn the_history() {
    survive(HISTORY);
}

#[test]
fn drafts() {
    survive(DRAFTS);
}

#[test]
fn relayed_packets() {
    survive(RELAY);
}

#[test]
fn settings_replies_and_rounds() {
    survive(FILES);
}

#[test]
fn every_call_goes_to_the_disk_of_its_project() {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let is_test = path
                .strip_prefix(env!("CARGO_MANIFEST_DIR"))
                .unwrap()
                .iter()
                .any(|part| part.shown().starts_with("test"));
            let has_it = ["disk.rs", "project.rs", "json_lines.rs"].iter().any(|name| path.ends_with(name));
            if path.is_dir() {
                open.push(path);
            } else if !is_test && !has_it {
                let code = std::fs::read_to_string(&path).unwrap();
                assert!(!code.contains("SystemDisk"), "{}: project.disk() is meant", path.display());
            }
        }
    }
}

/// Tries every fault at every call of some operations.
fn survive(operations: &'static [Operation]) {
    let mut all = Vec::new();
    for operation in operations {
        let top = testing::place();
        std::fs::create_dir(top.path().join("book")).unwrap();
        (operation.prepare)(&Desk::open(top.path(), &SystemDisk));
        let tree = Tree::read(top.path());
        let before = Facts::of(top.path());
        let desk = Desk::open(top.path(), &SystemDisk);
        assert_eq!((operation.run)(&desk), Ok(None), "{}", operation.name);
        let after = Facts::of(top.path());
        drop(desk);
        assert_eq!(after.temporary, [""; 0], "{}", operation.name);
        let (mut runs, mut failures) = (0, Vec::new());
        // Windows itself has no such renaming.
        let lacks = [Lack::Nothing, Lack::Rename, Lack::Link];
        for &lack in &lacks[usize::from(cfg!(windows))..] {
            for (fault, errno) in FAULTS {
                for call in 1.. {
                    assert!(call < ENDLESS, "{} never ends", operation.name);
                    tree.write(top.path());
                    runs += 1;
                    let case = Case { operation, lack, fault, errno, call };
                    let failing = case.disk();
                    let run = || case.run(failing, top.path(), &before, &after);
                    failures.extend(catch_unwind(AssertUnwindSafe(run)).err().map(|_| case));
                    if !failing.failed() {
                        break;
                    }
                }
            }
        }
        println!("{}: {runs} runs", operation.name);
        all.extend(failures);
    }
    assert!(all.is_empty(), "{}: {all:#?}", all.len());
}

impl fmt::Debug for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { operation, lack, fault, errno, call } = self;
        write!(out, "{}, call {call}, {fault:?} {errno}, lacks {lack:?}", operation.name)
    }
}

impl Case {
    fn disk(&self) -> &'static FailingDisk {
        let disk = FailingDisk::at(self.call, self.errno).with(self.fault);
        Box::leak(Box::new(match self.lack {
            Lack::Nothing => disk,
            Lack::Rename => disk.old(false),
            Lack::Link => disk.old(true),
        }))
    }

    fn run(&self, failing: &'static FailingDisk, top: &Path, before: &Facts, after: &Facts) {
        let desk = Desk::open(top, failing);
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.operation.run)(&desk)));
        let now = Facts::of(top);
        self.nothing_is_lost(&now, before, after);
        match outcome {
            Ok(Ok(unnoted)) => self.done_is_true(&now, after, unnoted.is_none()),
            Ok(Err(error)) => self.error_is_true(&now, before, after, &error),
            Err(panic) if panic.is::<Crash>() => {}
            Err(panic) => {
                eprintln!("{self:?}");
                resume_unwind(panic)
            }
        }
        let _: Outcome = catch_unwind(AssertUnwindSafe(|| {
            drop(desk);
            Ok(None)
        }));
        self.next_start_works(top, after);
    }

    /// Whether the place of a record may be empty: where two files cannot be exchanged, one makes room for the other.
    fn may_be_gone(&self) -> bool {
        !matches!(self.lack, Lack::Nothing) && self.operation.replaces && self.fault != Fault::Once
    }

    fn nothing_is_lost(&self, now: &Facts, before: &Facts, after: &Facts) {
        for path in now.files.keys().chain(before.files.keys()).chain(after.files.keys()) {
            let there = now.files.get(path);
            let is_whole = there == before.files.get(path) || there == after.files.get(path);
            let is_gone = there.is_none() && self.may_be_gone();
            assert!(is_whole || is_gone, "{self:?}: {path} is {:?}", there.map(|there| text(there)));
        }
        for (path, bytes) in before.files.iter().filter(|(path, _)| path.ends_with(".answers.json")) {
            let is_kept = now.files.get(path) == Some(bytes)
                || now.history.iter().any(|(_, _, kept)| kept.as_ref() == Ok(bytes));
            assert!(is_kept, "{self:?}: the record in {path} is lost");
        }
        for entry in &now.history {
            assert!(entry.2.is_ok(), "{self:?}: {entry:?} is damaged");
        }
        for entry in before.history.iter().filter(|entry| after.history.contains(entry)) {
            assert!(now.history.contains(entry), "{self:?}: {entry:?} is lost");
        }
        for (now, before, after) in
            [(&now.draft, &before.draft, &after.draft), (&now.edited, &before.edited, &after.edited)]
        {
            assert!(now == before || now == after, "{self:?}: the draft is {now:?}");
        }
        if now.draft.is_none() && before.draft.is_some() {
            assert_eq!(now.files, after.files, "{self:?}: the draft is gone, and the record is not there");
            assert_eq!(
                now.history, after.history,
                "{self:?}: the draft is gone, and the record is not noted"
            );
        }
    }

    fn done_is_true(&self, now: &Facts, after: &Facts, noted: bool) {
        if self.operation.silent {
            return;
        }
        assert_eq!(now.files, after.files, "{self:?}: it says that it is done");
        if noted {
            assert_eq!(now.history, after.history, "{self:?}: it says that it is noted");
        }
        // A draft that is left over is offered again.
        assert!(now.draft == after.draft || after.draft.is_none(), "{self:?}: {:?}", now.draft);
        assert_eq!(now.edited, after.edited, "{self:?}");
    }

    fn error_is_true(&self, now: &Facts, before: &Facts, after: &Facts, error: &Error) {
        assert_eq!(error.kind, ExitCode::Failed, "{self:?}: {error}");
        let chinese = error.text(Lang::ZhCn);
        let has_cause = error.cause.is_some() && chinese.contains("原因");
        assert!(has_cause || error.code == "moved-aside", "{self:?}: {chinese}");
        match error.code {
            "not-verified" if error.to_string().contains("may be") => {}
            "not-verified" => assert_eq!(now.files, after.files, "{self:?}: {error}"),
            "not-erased" => assert_eq!(now.history, after.history, "{self:?}: {error}"),
            "record-removed" => {
                assert!(!now.files.contains_key(operations::PATH), "{self:?}: {error}");
                assert!(error.to_string().contains("redo --undo"), "{self:?}: {error}");
            }
            // It names where the record is.
            "left-empty" | "moved-aside" => {
                let is_named = |name: &String| error.to_string().contains(name.rsplit('/').next().unwrap());
                assert!(now.temporary.iter().any(is_named), "{self:?}: {error}");
                let is_there = now.files.contains_key(operations::PATH);
                assert_eq!(is_there, error.code == "moved-aside", "{self:?}: {error}");
            }
            _ => {
                assert_eq!(now.files, before.files, "{self:?}: {error}");
                assert_eq!((&now.draft, &now.edited), (&before.draft, &before.edited), "{self:?}: {error}");
                if self.fault == Fault::Once {
                    assert_eq!(now.history, before.history, "{self:?}");
                    assert_eq!(now.temporary, [""; 0], "{self:?}");
                }
            }
        }
    }

    /// The same again, some hours later and with a disk that works.
    fn next_start_works(&self, top: &Path, after: &Facts) {
        let desk = Desk::open_later(top);
        desk.start();
        match (self.operation.run)(&desk) {
            Ok(None) => {}
            Err(error) if matches!(error.code, "record-exists" | "no-record" | "nothing-to-undo") => {}
            outcome => panic!("{self:?}: then {outcome:?}"),
        }
        let mut now = Facts::of(top);
        if !now.temporary.is_empty() {
            desk.answer_a_neighbour();
            now = Facts::of(top);
        }
        // What the history has not taken stays.
        let is_record = |name: &String| name.ends_with(".answers.json");
        let stays = |name: &String| self.operation.silent && is_record(name);
        now.files.retain(|name, _| after.files.contains_key(name) || !stays(name));
        let is_gone = self.may_be_gone() && !now.files.contains_key(operations::PATH);
        assert!(is_gone || now.files == after.files, "{self:?}: then {:?}", now.files.keys());
        assert!(after.draft.is_none() || now.draft == after.draft, "{self:?}: then {:?}", now.draft);
        assert_eq!(now.edited, after.edited, "{self:?}: then");
        assert_eq!(now.temporary, [""; 0], "{self:?}: left behind");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
