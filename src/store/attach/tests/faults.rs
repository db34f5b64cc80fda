//! Each call of attaching in turn fails once, fails for ever, or is the last one before the process is killed.

use super::*;
use crate::platform::testing::Errno;
use crate::store::testing::{Crash, FailingDisk, Fault as Failing};
use std::panic::{AssertUnwindSafe, catch_unwind};

const FAULTS: [(Failing, Errno); 4] = [
    (Failing::Once, Errno::IO),
    (Failing::ForEver, Errno::NOSPC),
    (Failing::CrashBefore, Errno::IO),
    (Failing::CrashAfter, Errno::IO),
];

/// A disk that fails at some call; `None` is one that has everything, else whether it lacks links beside the newer ways to rename.
fn disk(call: usize, fault: (Failing, Errno), lack: Option<bool>) -> FailingDisk {
    let disk = FailingDisk::at(call, fault.1).with(fault.0);
    match lack {
        None => disk,
        Some(linkless) => disk.old(linkless),
    }
}

/// Of a packet that is to get a question, or to lose it: what it was, or what it is to be.
fn survive(book: &Book) {
    let before = fs::read(book.path()).expect("a packet");
    let whole = as_to_be(&book.book.project, &book.path()).expect("another");
    for lack in [None, Some(false), Some(true)] {
        for fault in FAULTS {
            for call in 1.. {
                assert!(call < 50, "it never ends");
                fs::write(book.path(), &before).expect("written");
                let (project, failing) = book.book.on(disk(call, fault, lack));
                let case = format!("call {call}, {fault:?}, lacks {lack:?}");
                let outcome = catch_unwind(AssertUnwindSafe(|| attach(&project, &book.path())));
                let now = fs::read(book.path()).expect("a packet");
                assert!(now == before || now == whole, "{case}: {}", String::from_utf8_lossy(&now));
                let left = book.book.names("staging/manifests").len() - 1;
                match &outcome {
                    Ok(Ok(is_attached)) => assert!(*is_attached && now == whole, "{case}"),
                    Ok(Err(error)) => {
                        assert_eq!((error.kind, error.code), (ExitCode::Failed, "attach-failed"), "{case}");
                        assert!(error.cause.is_some() && now == before, "{case}: {error}");
                    }
                    Err(panic) => assert!(panic.is::<Crash>(), "{case}"),
                }
                assert!(left == 0 || outcome.is_err() || fault.0 == Failing::ForEver, "{case}: {left} left");
                assert_eq!(attach(&book.book.project, &book.path()), Ok(now == before), "{case}: then");
                assert_eq!(fs::read(book.path()).expect("a packet"), whole, "{case}: then");
                for name in book
                    .book
                    .names("staging/manifests")
                    .iter()
                    .filter(|name| name.starts_with(".novel-gate-"))
                {
                    fs::remove_file(book.book.at("staging/manifests").join(name)).expect("removed");
                }
                if !failing.failed() {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_packet_is_what_it_was_or_carries_its_question_whole() {
    survive(&Book::asking());
}

#[test]
fn a_packet_that_loses_its_question_too() {
    let book = Book::asking();
    book.attach();
    survive(&book.ask("a", r#""_steps": ["chapter:*:commit"]"#));
}
