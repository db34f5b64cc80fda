//! What others do to the files while a connection is open, and what was done to them before.

use super::super::files::PATIENCE;
use super::super::{FORMAT, Fault};
use super::{kept, put, state};
use crate::platform::testing::Errno;
use crate::store::disk::{Disk, SystemDisk};
use crate::store::project::Project;
use crate::store::state::StateDir;
use crate::text::Lang;
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn beside(state: &StateDir, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", state.database().display()))
}

fn notice(state: &StateDir) -> String {
    state.take_notice().map(|notice| notice.text(Lang::En)).unwrap_or_default()
}

#[test]
fn only_where_nothing_may_be_written_it_is_no_news_that_nothing_can_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let project = crate::store::Project::open(dir.path()).unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let state = StateDir::new(&dir.path().join("file/state"), &project);
    assert_eq!(state.tolerate(put(&state, "one")), None);
    assert!(notice(&state).contains("a part of the path is not a directory"));
    let cause = |errno: Errno| Fault::Dir(errno.into()).is_read_only();
    assert!(cause(Errno::ACCESS) && cause(Errno::ROFS));
    assert!(!cause(Errno::NOSPC) && !cause(Errno::NAMETOOLONG));
}

#[test]
fn what_erasing_does_to_the_log_is_no_damage() {
    let (_dir, state) = state();
    let other = state.apart();
    put(&state, "one").unwrap();
    put(&other, "two").unwrap();
    state.wipe().unwrap();
    put(&other, "three").unwrap();
    put(&state, "four").unwrap();
    assert_eq!(kept(&state).unwrap().unwrap().len(), 4);
    assert_eq!(state.take_notice(), None);
}

#[test]
fn tables_of_no_format_are_damage() {
    let (_dir, state) = state();
    put(&state, "old").unwrap();
    let state = { state }.apart();
    Connection::open(state.database()).unwrap().pragma_update(None, "user_version", 0).unwrap();
    assert_eq!(kept(&state).unwrap(), None);
    assert!(notice(&state).contains("state.sqlite3.bad; a new one is begun"));
    put(&state, "new").unwrap();
    assert_eq!(kept(&state.apart()).unwrap(), Some(vec!["new".to_owned()]));
}

#[test]
fn an_open_connection_leaves_a_file_alone_that_became_newer() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    Connection::open(state.database()).unwrap().pragma_update(None, "user_version", FORMAT + 1).unwrap();
    assert_eq!(put(&state, "two").unwrap_err().code, "state-newer");
    assert_eq!(kept(&state).unwrap_err().code, "state-newer");
    Connection::open(state.database()).unwrap().pragma_update(None, "user_version", FORMAT).unwrap();
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
}

#[test]
#[cfg_attr(windows, ignore = "a file that a program has mapped cannot be cut there")]
fn a_file_that_another_process_cuts_is_not_written_to_and_that_is_said() {
    for half in [2, 5_000] {
        let (_dir, state) = state();
        put(&state, "old").unwrap();
        // Others have written since, and brought it from the log into the file.
        let other = { state.clone() }.apart();
        put(&other, &"long".repeat(20_000)).unwrap();
        other.wipe().unwrap();
        let length = fs::metadata(state.database()).unwrap().len();
        fs::File::options().write(true).open(state.database()).unwrap().set_len(length / half).unwrap();
        for words in ["new", "newer"] {
            put(&state, words).unwrap();
            assert!(kept(&state).unwrap().unwrap().contains(&words.to_owned()));
        }
        assert!(notice(&state).contains("state.sqlite3.bad; a new one is begun"));
        drop((state.clone(), other));
        assert_eq!(kept(&{ state }.apart()).unwrap(), Some(vec!["new".to_owned(), "newer".to_owned()]));
    }
}

#[test]
fn a_database_of_no_length_is_a_new_one_unless_there_is_a_log_of_it() {
    let (_dir, state) = state();
    put(&state, "old").unwrap();
    let log = fs::read(beside(&state, "-wal")).unwrap();
    let state = { state }.apart();
    fs::write(state.database(), "").unwrap();
    fs::write(beside(&state, "-wal"), &log).unwrap();
    assert_eq!(kept(&state).unwrap(), None);
    assert!(notice(&state).contains("state.sqlite3.bad; a new one is begun"));
    assert_eq!(fs::read(beside(&state, ".bad-wal")).ok(), Some(log));
    put(&state, "new").unwrap();
    let state = { state }.apart();
    assert_eq!(kept(&state).unwrap(), Some(vec!["new".to_owned()]));
    let state = { state }.apart();
    fs::write(state.database(), "").unwrap();
    put(&state, "newest").unwrap();
    assert_eq!((kept(&state).unwrap(), state.take_notice()), (Some(vec!["newest".to_owned()]), None));
}

#[test]
fn a_locked_database_is_waited_for_and_that_it_was_in_vain_is_said_once() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let holder = Connection::open(state.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    let error = put(&state, "two").unwrap_err();
    assert!(error.to_string().contains("another program is writing there"));
    assert!(start.elapsed() >= PATIENCE);
    assert_eq!(kept(&state).unwrap().unwrap().len(), 1, "reading waits for no writer");
    for state in [&state, &state.apart()] {
        assert_eq!(state.tolerate(Err::<(), _>(error.clone())), None);
    }
    assert!(notice(&state).contains("another program is writing there"));
    assert_eq!(state.take_notice(), None, "said once");
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(put(&state, "two"), Ok(1));
}

/// A disk whose locks fail.
#[derive(Debug)]
struct Lockless;

impl Disk for Lockless {
    fn has_locks(&self, _: &Path) -> bool {
        false
    }
}

#[test]
fn where_locks_fail_nobody_is_waited_for_and_no_other_program_is_blamed() {
    let dir = tempfile::tempdir().unwrap();
    let open =
        |disk: &'static dyn Disk| StateDir::new(dir.path(), &Project::open(dir.path()).unwrap().on(disk));
    put(&open(&SystemDisk), "one").unwrap();
    // What SQLite says of a lock that it cannot have, whatever the reason.
    let holder = Connection::open(open(&SystemDisk).database()).unwrap();
    holder.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    for error in [put(&open(&Lockless), "two").unwrap_err(), kept(&open(&Lockless)).unwrap_err()] {
        let (en, zh) = (error.text(Lang::En), error.text(Lang::ZhCn));
        assert!(en.contains("files cannot be locked on this file system"), "{en}");
        assert!(en.contains("--state-dir") && zh.contains("不支持文件锁"), "{en} {zh}");
    }
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(put(&open(&Lockless), "two"), Ok(1), "nothing is asked while all is well");
}

#[test]
fn an_ordinary_disk_has_locks_and_leaves_nothing_of_the_question() {
    let dir = tempfile::tempdir().unwrap();
    assert!(SystemDisk.has_locks(dir.path()));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
