//! What the tests of this room share: a throw-away project, a gate, a record, a disk that fails.

use super::disk::{Disk, SystemDisk};
use super::history::History;
use super::project::Project;
use super::record::{Receipt, WriteError, prove, write_bytes};
use super::state::StateDir;
use crate::ask::{AnswerSpec, Draft, Gate, decode_packet};
use crate::platform::testing::Errno;
use cap_std::fs::Dir;
use rusqlite::{Transaction, ffi};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;

/// A project in a directory of its own, with room for a state directory beside it.
pub(super) struct Sandbox {
    pub(super) project: Project,
    pub(super) state: StateDir,
    top: tempfile::TempDir,
}

/// In memory, where there is such a place: for tests that are not about how long a disk takes.
pub(super) fn place() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

impl Sandbox {
    pub(super) fn new() -> Sandbox {
        Sandbox::in_dir(tempfile::tempdir().unwrap())
    }

    pub(super) fn in_dir(top: tempfile::TempDir) -> Sandbox {
        fs::create_dir(top.path().join("book")).unwrap();
        let project = Project::open(&top.path().join("book")).unwrap();
        let state = StateDir::new(&top.path().join("state"), &project);
        Sandbox { project, state, top }
    }

    /// The same project on another disk.
    pub(super) fn on<D: Disk + 'static>(&self, disk: D) -> (Project, &'static D) {
        let disk: &'static D = Box::leak(Box::new(disk));
        (Project::open(self.project.root()).unwrap().on(disk), disk)
    }

    /// Its history at some time.
    pub(super) fn history(&self, now: SystemTime) -> History<'_> {
        History { project: &self.project, state: &self.state, now }
    }

    pub(super) fn top(&self) -> &Path {
        self.top.path()
    }

    /// A path beneath the root.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.project.root().join(path)
    }

    pub(super) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a packet whose record goes to `answer_path`.
    pub(super) fn put_packet(&self, answer_path: &str) -> PathBuf {
        self.put("staging/manifests/step.packet.json", packet_json(answer_path))
    }

    /// The names in a directory, sorted.
    pub(super) fn names(&self, dir: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.at(dir)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(super) fn packet_json(answer_path: &str) -> String {
    let answer_path = serde_json::to_string(answer_path).unwrap();
    format!(
        r#"{{"step": "chapter:001:draft", "novel_ask": {{"version": 1, "topic": "t", "questions": [
            {{"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}}]}},
            "answer_path": {answer_path}}}"#
    )
}

/// The file of a standing question that asks what [`record`] answers, with these members of ours.
pub(super) fn question_json(members: &str) -> String {
    format!(
        r#"{{{members}, "version": 1, "topic": "t", "questions": [
            {{"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}}]}}"#
    )
}

/// A gate that asks one free-text question.
pub(super) fn gate(answer_path: &str) -> Gate {
    decode_packet(packet_json(answer_path).as_bytes()).unwrap().gate.unwrap()
}

pub(super) fn record(text: &str) -> AnswerSpec {
    let spec = gate("a").spec;
    let mut draft = Draft::blank(&spec);
    draft.replies[0].type_text(text);
    draft.record(&spec, "2026-02-27T10:12:34.056Z", &"human".into())
}

pub(super) fn write_new(project: &Project, gate: &Gate, record: &AnswerSpec) -> Result<Receipt, WriteError> {
    let receipt = write_bytes(project, gate, record.to_json().as_bytes())?;
    prove(project, &receipt).map(|()| receipt)
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails, and the next one works again.
    Once,
    /// It fails, and so does every later one.
    ForEver,
    /// The process ends before it, or halfway through it.
    CrashBefore,
    /// The process ends before it hears of it.
    CrashAfter,
}

/// What a crash unwinds with.
pub(super) struct Crash;

/// A disk whose n-th call fails. Calls are counted from 1.
#[derive(Debug)]
pub(super) struct FailingDisk {
    calls: AtomicUsize,
    fail_at: usize,
    fault: Fault,
    errno: Errno,
    /// Without rename-unless-taken and exchange.
    plain: bool,
    /// Without hard links either.
    linkless: bool,
}

impl FailingDisk {
    pub(super) fn at(fail_at: usize, errno: Errno) -> FailingDisk {
        let (calls, fault) = (AtomicUsize::new(0), Fault::Once);
        FailingDisk { calls, fail_at, fault, errno, plain: false, linkless: false }
    }

    pub(super) fn with(self, fault: Fault) -> FailingDisk {
        FailingDisk { fault, ..self }
    }

    /// Without the newer ways to keep an existing file, as on old network file systems.
    pub(super) fn old(self, linkless: bool) -> FailingDisk {
        FailingDisk { plain: true, linkless, ..self }
    }

    /// Whether the call that was to fail ever came.
    pub(super) fn failed(&self) -> bool {
        self.calls.load(Ordering::Relaxed) >= self.fail_at
    }

    fn call<T>(&self, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut call = Some(call);
        let run = |whole: bool| match call.take() {
            Some(call) if whole => call(),
            _ => Err(self.errno.into()),
        };
        self.step(run)
    }

    /// The same for a call of which half may be done.
    fn step<T>(&self, mut run: impl FnMut(bool) -> io::Result<T>) -> io::Result<T> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if number < self.fail_at || self.fail_at == 0 {
            return run(true);
        }
        let is_it = number == self.fail_at;
        match self.fault {
            Fault::Once if !is_it => return run(true),
            Fault::Once | Fault::ForEver if is_it => drop(run(false)),
            Fault::CrashBefore if is_it => {
                drop(run(false));
                std::panic::resume_unwind(Box::new(Crash));
            }
            Fault::CrashAfter if is_it => {
                drop(run(true));
                std::panic::resume_unwind(Box::new(Crash));
            }
            // What is cleaned up on the way down would not be.
            _ => {}
        }
        Err(self.errno.into())
    }
}

impl Disk for FailingDisk {
    fn open_dir(&self, dir: &Dir, path: &Path) -> io::Result<Dir> {
        self.call(|| SystemDisk.open_dir(dir, path))
    }
    fn make_dir(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        self.call(|| SystemDisk.make_dir(dir, name))
    }
    fn create(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        self.call(|| SystemDisk.create(dir, name))
    }
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        // A full disk takes the first half.
        self.step(|whole| SystemDisk.write(file, if whole { bytes } else { &bytes[..bytes.len() / 2] }))
    }
    fn sync(&self, file: &File) -> io::Result<()> {
        self.call(|| SystemDisk.sync(file))
    }
    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        self.call(|| SystemDisk.truncate(file, length))
    }
    fn rename_new(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let missing = || Err(Errno::INVAL.into());
        self.call(|| if self.plain { missing() } else { SystemDisk.rename_new(dir, from, to) })
    }
    fn link(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let missing = || Err(Errno::PERM.into());
        self.call(|| if self.linkless { missing() } else { SystemDisk.link(dir, from, to) })
    }
    fn rename(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.call(|| SystemDisk.rename(dir, from, to))
    }
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        let missing = || Err(Errno::INVAL.into());
        self.call(|| if self.plain { missing() } else { SystemDisk.exchange(dir, one, other) })
    }
    fn unlink(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        self.call(|| SystemDisk.unlink(dir, name))
    }
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        self.call(|| SystemDisk.sync_dir(dir))
    }
    fn open(&self, dir: &Dir, name: &OsStr) -> io::Result<File> {
        self.call(|| SystemDisk.open(dir, name))
    }
    fn commit(&self, transaction: Transaction<'_>) -> rusqlite::Result<()> {
        let full = || rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        self.call(|| Ok(transaction.commit())).unwrap_or_else(|_| Err(full()))
    }
}

/// Looks so many times while somebody else changes something over and over.
pub(super) fn look_while(looks: usize, change: impl Fn() + Sync, mut look: impl FnMut()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                change();
            }
        });
        let looked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..looks).for_each(|_| look())));
        done.store(true, Ordering::Relaxed);
        looked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
