//! What others do to the files while a connection is open, and what was done to them before.

use super::super::{BUSY, FORMAT, Fault};
use super::{kept, names, put, state};
use crate::store::state::StateDir;
use crate::text::Lang;
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

fn beside(state: &StateDir, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", state.database().display()))
}

fn notice(state: &StateDir) -> String {
    state.take_notice().map(|notice| notice.text(Lang::En)).unwrap_or_default()
}

#[test]
fn a_log_that_is_removed_under_an_open_connection_costs_no_word() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let other = state.apart();
    assert_eq!(kept(&other).unwrap().unwrap().len(), 1);
    for ending in ["-wal", "-shm"] {
        fs::remove_file(beside(&state, ending)).unwrap();
        put(&state, ending).unwrap();
        assert!(notice(&state).contains("was removed, replaced or cut off"), "{ending}");
        assert!(kept(&other).unwrap().unwrap().contains(&ending.to_owned()), "{ending}");
        while other.take_notice().is_some() {}
    }
    drop((state, other.clone()));
    assert_eq!(
        kept(&other.apart()).unwrap(),
        Some(vec!["-shm".to_owned(), "-wal".to_owned(), "one".to_owned()])
    );
    assert!(!names(&other).iter().any(|name| name.contains(".bad")), "{:?}", names(&other));
}

#[test]
fn a_log_that_is_removed_before_the_program_ends_costs_no_word() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    fs::remove_file(beside(&state, "-wal")).unwrap();
    let state = { state }.apart();
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
}

#[test]
fn a_new_file_in_the_place_of_one_that_went_is_not_damaged() {
    for is_damaged in [false, true] {
        let (_dir, state) = state();
        put(&state, "old").unwrap();
        let state = { state }.apart();
        if is_damaged {
            fs::write(state.database(), "no database").unwrap();
            assert_eq!(kept(&state).unwrap(), None);
            assert!(notice(&state).contains("state.sqlite3.bad; a new one is begun"));
        } else {
            fs::remove_file(state.database()).unwrap();
        }
        // Another process has come as far as this.
        state.database.files.make().unwrap();
        assert_eq!(kept(&state).unwrap(), None, "{is_damaged}");
        put(&state, "new").unwrap();
        assert_eq!((notice(&state).as_str(), kept(&state).unwrap()), ("", Some(vec!["new".to_owned()])));
        // Once there are tables again, one that is emptied is known for it.
        let state = { state }.apart();
        fs::write(state.database(), "").unwrap();
        assert_eq!(kept(&state).unwrap(), None);
        assert!(notice(&state).contains("bad; a new one is begun"), "{is_damaged}");
    }
}

#[test]
fn only_where_nothing_may_be_written_it_is_no_news_that_nothing_can_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let project = crate::store::Project::open(dir.path()).unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let state = StateDir::new(&dir.path().join("file/state"), &project);
    assert_eq!(state.tolerate(put(&state, "one")), None);
    assert!(notice(&state).contains("a part of the path is not a directory"));
    let cause = |errno: rustix::io::Errno| Fault::Dir(errno.into()).is_read_only();
    assert!(cause(rustix::io::Errno::ACCESS) && cause(rustix::io::Errno::ROFS));
    assert!(!cause(rustix::io::Errno::NOSPC) && !cause(rustix::io::Errno::NAMETOOLONG));
}

#[test]
fn a_database_that_is_cut_off_or_replaced_is_begun_anew_at_the_next_word() {
    let cut = |state: &StateDir, length: u64| {
        fs::File::options().write(true).open(state.database()).unwrap().set_len(length).unwrap();
    };
    let replace = |state: &StateDir| {
        fs::rename(state.database(), state.path().join("elsewhere")).unwrap();
        fs::write(state.database(), "").unwrap();
    };
    for how in
        [&(|state: &StateDir| cut(state, 0)) as &dyn Fn(&StateDir), &|state| cut(state, 5_000), &replace]
    {
        let (_dir, state) = state();
        put(&state, "old").unwrap();
        drop(state.wipe());
        put(&state, "older").unwrap();
        how(&state);
        put(&state, "new").unwrap();
        let said = [notice(&state), notice(&state)].concat();
        assert!(said.contains("was removed, replaced or cut off"), "{said}");
        assert!(kept(&state.apart()).unwrap().unwrap().contains(&"new".to_owned()), "{said}");
        drop(state);
    }
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
fn a_database_of_no_length_that_was_in_use_is_set_aside_with_its_log() {
    for with_log in [false, true] {
        let (_dir, state) = state();
        put(&state, "old").unwrap();
        let log = fs::read(beside(&state, "-wal")).unwrap();
        let state = { state }.apart();
        fs::write(state.database(), "").unwrap();
        if with_log {
            fs::write(beside(&state, "-wal"), &log).unwrap();
        }
        assert_eq!(kept(&state).unwrap(), None, "{with_log}");
        assert!(notice(&state).contains("state.sqlite3.bad; a new one is begun"), "{with_log}");
        assert_eq!(fs::read(beside(&state, ".bad-wal")).ok(), with_log.then_some(log));
        put(&state, "new").unwrap();
        assert_eq!(kept(&state.apart()).unwrap(), Some(vec!["new".to_owned()]));
    }
    // One that was only just made, or never used, is a new one.
    let (_dir, state) = state();
    fs::create_dir_all(state.path()).unwrap();
    fs::write(state.database(), "").unwrap();
    assert_eq!(kept(&state).unwrap(), None);
    put(&state, "one").unwrap();
    assert_eq!(state.take_notice(), None);
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
fn a_locked_database_is_waited_for_once() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let holder = Connection::open(state.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    // The threads of one program together.
    let other = state.apart();
    assert!(put(&state, "two").unwrap_err().to_string().contains("another program is writing there"));
    for state in [&state, &other, &state] {
        assert_eq!(kept(state).unwrap().unwrap().len(), 1, "reading waits for no writer");
        assert_eq!(state.tolerate(put(state, "two")), None);
    }
    let took = start.elapsed();
    assert!(took >= BUSY && took < BUSY * 2, "{took:?}");
    assert!(notice(&state).contains("another program is writing there"));
    kept(&state).unwrap();
    assert_eq!(state.tolerate(put(&state, "two")), None);
    assert_eq!(state.take_notice(), None, "said once");
    holder.execute_batch("COMMIT").unwrap();
    assert_eq!(put(&state, "two"), Ok(1));
}
