use super::*;
use crate::platform::testing::{make_pipe, mode};
use crate::store::Project;
use crate::store::state::StateDir;
use crate::text::Lang;
use std::fs;

mod outside;

fn state() -> (tempfile::TempDir, StateDir) {
    let dir = tempfile::tempdir().unwrap();
    let state = StateDir::new(&dir.path().join("state"), &Project::open(dir.path()).unwrap());
    (dir, state)
}

fn put(state: &StateDir, text: &str) -> Result<usize, Error> {
    state.write(|state| state.execute("INSERT OR REPLACE INTO edited VALUES (?1, 'x')", [text]))
}

fn kept(state: &StateDir) -> Result<Option<Vec<String>>, Error> {
    state.read(|state| {
        state.prepare("SELECT gate FROM edited ORDER BY gate")?.query_map([], |row| row.get(0))?.collect()
    })
}

fn names(state: &StateDir) -> Vec<String> {
    let listing = fs::read_dir(state.path()).unwrap();
    let mut names: Vec<String> =
        listing.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn nothing_is_made_before_something_is_kept_and_only_its_owner_can_read_it() {
    let (_dir, state) = state();
    assert_eq!(kept(&state).unwrap(), None);
    state.wipe().unwrap();
    assert!(!state.path().exists());
    put(&state, "one").unwrap();
    assert_eq!(mode(state.path()), 0o700);
    assert!(names(&state).len() >= 3, "{:?}", names(&state));
    for name in names(&state) {
        assert_eq!(mode(&state.path().join(&name)), 0o600, "{name}");
    }
    drop(state);
}

#[test]
fn what_is_committed_is_on_the_disk_before_it_returns() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let mode: String =
        state.read(|state| state.query_row("PRAGMA journal_mode", [], |row| row.get(0))).unwrap().unwrap();
    let number = |pragma: &str| -> i64 {
        state.read(|state| state.query_row(pragma, [], |row| row.get(0))).unwrap().unwrap()
    };
    assert_eq!(
        (mode.as_str(), number("PRAGMA synchronous")),
        ("wal", 2),
        "a log that is synced at each commit"
    );
    assert_eq!(number("PRAGMA fullfsync"), 1, "by the disk itself where the system can ask it");
}

#[test]
fn a_job_that_fails_leaves_nothing() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let half = state.write(|state| {
        state.execute("INSERT INTO edited VALUES ('two', 'x')", [])?;
        state.execute("INSERT INTO nowhere VALUES (1)", [])
    });
    assert_eq!(half.unwrap_err().code, "history-failed");
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    state.write(|state| state.pragma_update(None, "user_version", FORMAT + 1)).unwrap();
    let state = state.apart();
    for error in [put(&state, "two").unwrap_err(), kept(&state).unwrap_err()] {
        assert_eq!(error.code, "state-newer");
        assert!(error.text(Lang::En).contains("newer novel-gate (format 2)"), "{error}");
        assert!(error.text(Lang::ZhCn).contains("更新版本"));
    }
    assert_eq!(names(&state).iter().filter(|name| name.contains(".bad")).count(), 0);
}

#[test]
fn a_damaged_file_is_set_aside_and_named_and_a_new_one_is_begun() {
    let torn = |path: &Path| fs::write(path, "no database").unwrap();
    let spoilt = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[100..].fill(0xA5);
        fs::write(path, bytes).unwrap();
    };
    for (round, damage) in [&torn as &dyn Fn(&Path), &spoilt].into_iter().enumerate() {
        let (_dir, state) = state();
        put(&state, "old").unwrap();
        let file = state.database().to_owned();
        drop(state.wipe());
        let state = { state }.apart();
        damage(&file);
        let bytes = fs::read(&file).unwrap();
        assert_eq!(kept(&state).unwrap(), None, "{round}");
        let notice = state.take_notice().unwrap().text(Lang::En);
        assert!(notice.contains("state.sqlite3.bad; a new one is begun"), "{notice}");
        assert_eq!(state.take_notice(), None);
        assert_eq!(
            fs::read(state.path().join("state.sqlite3.bad")).unwrap(),
            bytes,
            "nothing is thrown away"
        );
        put(&state, "new").unwrap();
        assert_eq!(kept(&state.apart()).unwrap(), Some(vec!["new".to_owned()]));
        // A second time it gets another name.
        let again = state.apart();
        drop(state);
        damage(&file);
        put(&again, "newest").unwrap();
        assert!(names(&again).contains(&"state.sqlite3.1.bad".to_owned()), "{:?}", names(&again));
        assert_eq!(kept(&again).unwrap(), Some(vec!["newest".to_owned()]));
    }
}

#[test]
fn a_full_disk_is_said_and_what_was_there_stays() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    state.fill_disk();
    let error = put(&state, &"long".repeat(9_999)).unwrap_err();
    assert!(error.text(Lang::En).contains("the disk is full"), "{error}");
    assert!(error.text(Lang::ZhCn).contains("磁盘已满"));
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn where_nothing_can_be_written_what_is_there_can_be_read() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let (file, state) = (state.database().to_owned(), { state }.apart());
    // The memory that connections share cannot be made, whoever runs the test.
    crate::platform::testing::symlink("nowhere", file.with_extension("sqlite3-shm")).unwrap();
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
    let error = put(&state.apart(), "two").unwrap_err();
    assert_eq!(error.code, "history-failed");
    assert!(error.cause.is_some());
    // Commits in a log that cannot be read with it are not passed over.
    fs::write(file.with_extension("sqlite3-wal"), "a log").unwrap();
    assert_eq!(kept(&state.apart()).unwrap_err().code, "history-unreadable");
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn a_pipe_in_its_place_is_not_waited_for() {
    let (_dir, state) = state();
    fs::create_dir_all(state.path()).unwrap();
    make_pipe(state.database());
    for error in [kept(&state).unwrap_err(), put(&state, "one").unwrap_err()] {
        assert!(error.to_string().contains("not a regular file (fifo)"), "{error}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "a database that is open cannot be removed there")]
fn a_file_that_is_removed_under_an_open_connection_is_begun_anew() {
    let (_dir, state) = state();
    put(&state, "lost").unwrap();
    fs::remove_dir_all(state.path()).unwrap();
    assert_eq!(kept(&state).unwrap(), None);
    put(&state, "one").unwrap();
    assert_eq!(kept(&state.apart()).unwrap(), Some(vec!["one".to_owned()]));
}

#[test]
fn many_threads_with_connections_of_their_own_begin_one_file() {
    let (_dir, state) = state();
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (own, start) = (state.apart(), &start);
            scope.spawn(move || {
                start.wait();
                (0..20).for_each(|job| assert_eq!(put(&own, &format!("{number}-{job}")), Ok(1)));
            });
        }
    });
    assert_eq!(kept(&state).unwrap().unwrap().len(), 160);
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn no_pipe_beside_the_file_is_waited_for() {
    for ending in ["-journal", "-wal", "-shm"] {
        let (_dir, first) = state();
        first.write(|_| Ok(())).unwrap();
        let state = first.apart();
        drop(first);
        let path = state.database().as_os_str().to_owned();
        let path =
            std::path::PathBuf::from([path, ending.into()].into_iter().collect::<std::ffi::OsString>());
        let _ = fs::remove_file(&path);
        make_pipe(&path);
        let error = state.read(|_| Ok(())).unwrap_err();
        assert!(error.code == "state-dir" && error.to_string().contains(ending), "{error}");
    }
}

#[test]
fn what_another_program_still_reads_is_not_erased_and_that_is_said() {
    let (_dir, state) = state();
    put(&state, "one").unwrap();
    let reader = Connection::open(state.database()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let seen = || reader.query_row("SELECT count(*) FROM edited", [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(seen(), 1);
    put(&state, "two").unwrap();
    let error = state.wipe().unwrap_err();
    assert_eq!(error.code, "not-erased");
    assert!(error.to_string().starts_with("Cannot erase "), "{error}");
    assert_eq!(seen(), 1);
    reader.execute_batch("COMMIT").unwrap();
    state.wipe().unwrap();
    assert_eq!(kept(&state), Ok(Some(vec!["one".to_owned(), "two".to_owned()])));
}

/// Text that needs more pages than a file may have free.
fn many_pages() -> String {
    "long ".repeat(400_000)
}

fn size(state: &StateDir) -> u64 {
    fs::metadata(state.database()).unwrap().len()
}

fn erase_the_long_one(state: &StateDir) {
    put(state, "one").unwrap();
    put(state, &many_pages()).unwrap();
    state.write(|connection| connection.execute("DELETE FROM edited WHERE length(gate) > 9", [])).unwrap();
    state.wipe().unwrap();
}

#[test]
fn room_that_nobody_needs_is_given_back_and_what_is_kept_stays() {
    let (_dir, state) = state();
    assert!(!state.shrink(), "there is no file");
    erase_the_long_one(&state);
    let before = size(&state);
    assert!(state.shrink());
    assert!(size(&state) < before / 10, "{} of {before}", size(&state));
    assert_eq!(kept(&state).unwrap(), Some(vec!["one".to_owned()]));
    for name in names(&state) {
        let bytes = fs::read(state.path().join(&name)).unwrap();
        assert!(!bytes.windows(10).any(|part| part == b"long long "), "{name}");
    }
    assert!(!state.shrink(), "there is nothing to give back any more");
    put(&state.apart(), "two").unwrap();
    assert_eq!(kept(&state).unwrap().unwrap().len(), 2);
}

#[test]
fn no_room_is_given_back_while_another_program_uses_the_file_or_where_much_of_it_is_in_use() {
    let (_dir, state) = state();
    erase_the_long_one(&state);
    let before = size(&state);
    let other = Connection::open(state.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(!state.shrink());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(size(&state), before);
    put(&state, &many_pages().repeat(2)).unwrap();
    state.wipe().unwrap();
    assert!(!state.shrink(), "little is free");
    assert_eq!(kept(&state).unwrap().unwrap().len(), 2);
}
