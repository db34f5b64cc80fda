//! Locks between consoles, as a courtesy: a second console sees that a gate is being answered, and commands see that a
//! console is open.
//!
//! The kernel frees a lock when its holder dies, so there is nothing to clean up and no process id to trust. Nothing depends
//! on them for correctness: between two writers the commit that never replaces decides (`record`).

use super::disk::make_private_dir;
use super::state::StateDir;
use crate::ask::JsString;
use crate::platform::files::{LOCKS_BAR_READING, make_private, open_read};
use crate::platform::terminal;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Who holds a lock, as he wrote it down; informative only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The terminal, such as `/dev/pts/3`; empty if unknown.
    pub tty: String,
    /// The process; may mean nothing on this machine.
    pub pid: u32,
    /// RFC 3339, UTC.
    pub since: String,
}

/// A lock that is held until this is dropped: closing a file frees it.
pub type Lock = File;

#[derive(Debug)]
pub enum Taken {
    Ours(Lock),
    /// Somebody else has it; he may not have written down who he is.
    Theirs(Option<Holder>),
}

impl Holder {
    pub fn this_process(since: String) -> Holder {
        Holder { tty: terminal::name().unwrap_or_default(), pid: std::process::id(), since }
    }

    fn read(file: &mut File) -> Option<Holder> {
        let mut bytes = Vec::new();
        file.rewind().ok()?;
        file.take(64 << 10).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

/// Takes the lock of a gate: held while a console edits its answers.
pub fn take_gate(state: &StateDir, answer_path: &JsString, holder: &Holder) -> io::Result<Taken> {
    let path = gate_path(state, answer_path);
    let file = open(&path)?;
    // What is locked cannot be read everywhere; there it lies beside.
    let mut said = if LOCKS_BAR_READING { open(&path.with_extension("holder"))? } else { file.try_clone()? };
    match file.try_lock() {
        Ok(()) => {
            said.set_len(0)?;
            said.rewind()?;
            said.write_all(&serde_json::to_vec(holder)?)?;
            Ok(Taken::Ours(file))
        }
        Err(TryLockError::WouldBlock) => Ok(Taken::Theirs(Holder::read(&mut said))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Says that a console is open on this project; several consoles may say so at once.
pub fn open_console(state: &StateDir) -> io::Result<Lock> {
    let file = open(&path(state, "console"))?;
    // Only [`console_is_open`] ever stands in the way, and only for a moment.
    file.lock_shared()?;
    Ok(file)
}

/// Whether a console is open on this project. Makes nothing.
pub fn console_is_open(state: &StateDir) -> bool {
    is_held(|| open_read(&path(state, "console")))
}

/// Whether a console edits the answers of a gate. Makes nothing.
pub fn gate_is_open(state: &StateDir, answer_path: &JsString) -> bool {
    is_held(|| open_read(&gate_path(state, answer_path)))
}

/// Locks a file for this process alone if nobody else has a lock on it. The lock that this process shares on it goes: not every system
/// makes one of the other.
pub(super) fn try_alone(file: &File) -> Result<(), TryLockError> {
    let _ = file.unlock();
    file.try_lock()
}

/// Whether somebody has a lock on a file, which `open` opens.
pub(super) fn is_held(open: impl Fn() -> io::Result<File>) -> bool {
    // A shared lock would not see other shared ones.
    is_kept(|| open().is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock))))
}

/// Whether a lock is there for longer than somebody else needs to ask for it at the same moment.
pub(super) fn is_kept(is_locked: impl Fn() -> bool) -> bool {
    (0..3).all(|round| {
        thread::sleep(Duration::from_millis(round));
        is_locked()
    })
}

fn gate_path(state: &StateDir, answer_path: &JsString) -> PathBuf {
    path(state, &state.gate_key(answer_path))
}

fn path(state: &StateDir, name: &str) -> PathBuf {
    state.path().join(format!("locks/{name}.lock"))
}

/// Lock files are never removed: removing one that somebody has just opened would make two holders.
fn open(path: &Path) -> io::Result<File> {
    make_private_dir(path.parent().unwrap_or(path))?;
    make_private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Project;

    fn state() -> (tempfile::TempDir, StateDir) {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::new(dir.path(), &Project::open(dir.path()).unwrap());
        (dir, state)
    }

    fn holder() -> Holder {
        Holder { tty: "/dev/pts/3".into(), pid: 42, since: "2026-02-27T10:12:34.000Z".into() }
    }

    #[test]
    fn the_second_console_learns_who_is_there_and_gets_it_when_he_leaves() {
        let (_dir, state) = state();
        let path: JsString = "staging/a.json".into();
        let Taken::Ours(first) = take_gate(&state, &path, &holder()).unwrap() else {
            panic!("nobody has it")
        };
        let second = take_gate(&state, &"./staging/a.json".into(), &Holder::default()).unwrap();
        assert!(matches!(second, Taken::Theirs(Some(who)) if who == holder()));
        let other = take_gate(&state, &"staging/b.json".into(), &holder()).unwrap();
        assert!(matches!(other, Taken::Ours(_)), "another gate is free");
        drop(first);
        assert!(matches!(take_gate(&state, &path, &holder()).unwrap(), Taken::Ours(_)));
    }

    #[test]
    fn a_lock_file_left_by_a_crash_locks_nothing() {
        let (_dir, state) = state();
        let path: JsString = "staging/a.json".into();
        drop(take_gate(&state, &path, &holder()).unwrap());
        std::fs::write(gate_path(&state, &path), "torn {").unwrap();
        assert!(matches!(take_gate(&state, &path, &holder()).unwrap(), Taken::Ours(_)));
    }

    #[test]
    fn consoles_are_seen_while_any_is_open() {
        let (_dir, state) = state();
        assert!(!console_is_open(&state));
        let one = open_console(&state).unwrap();
        let two = open_console(&state).unwrap();
        drop(one);
        assert!(console_is_open(&state));
        drop(two);
        assert!(!console_is_open(&state));
    }
}
