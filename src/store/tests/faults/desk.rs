//! The project and the state directory that operations are tried on, and what is found in them.

use super::operations::{PATH, REPLIES, ROUNDS, bytes, submit};
use crate::store::disk::{Disk, SystemDisk};
use crate::store::drafts::Drafts;
use crate::store::history::{self, History};
use crate::store::json_lines::JsonLines;
use crate::store::project::Project;
use crate::store::relay::{self, Relay};
use crate::store::state::StateDir;
use crate::store::testing::{gate, packet_json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A packet beside the one that is tried.
const NEIGHBOUR: &str = "staging/manifests/neighbour.packet.json";

pub(super) struct Desk {
    pub(super) project: Project,
    pub(super) state: StateDir,
    pub(super) now: SystemTime,
    /// A packet that is held.
    pub(super) relay: RefCell<Option<Relay>>,
}

impl Desk {
    pub(super) fn open(top: &Path, disk: &'static dyn Disk) -> Desk {
        let project = Project::open(&top.join("book")).unwrap().on(disk);
        let state = StateDir::new(&top.join("state"), &project);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_187_154);
        Desk { project, state, now, relay: RefCell::new(None) }
    }

    /// Some hours later, on a disk that works.
    pub(super) fn open_later(top: &Path) -> Desk {
        Desk { now: Later.now(), ..Desk::open(top, &Later) }
    }

    pub(super) fn history(&self) -> History<'_> {
        History { project: &self.project, state: &self.state, now: self.now }
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.project.root().join(path)
    }

    pub(super) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// What a start does before anything else.
    pub(super) fn start(&self) {
        relay::sweep(&self.project, &self.state, self.now);
    }

    /// Writes another record beside the one that is tried; what is stale there goes.
    pub(super) fn answer_a_neighbour(&self) {
        let path = PATH.replace("/a.", "/neighbour.");
        self.put(NEIGHBOUR, packet_json(&path));
        submit(self, NEIGHBOUR, &path, history::Over::Nothing, &bytes("neighbour")).unwrap();
    }
}

/// A disk whose files are hours old.
#[derive(Debug)]
struct Later;

impl Disk for Later {
    fn now(&self) -> SystemTime {
        SystemTime::now() + Duration::from_hours(2)
    }
}

/// All files below a directory, each with its path.
fn files(top: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![top.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(top).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The lines of a file that count.
fn lines(path: &Path) -> Vec<u8> {
    let replies = JsonLines::open(path, false).unwrap();
    replies.lines().flat_map(|(_, line)| [line, b"\n"].concat()).collect()
}

/// Everything as it was, to be had again.
pub(super) struct Tree(BTreeMap<String, Vec<u8>>);

impl Tree {
    pub(super) fn read(top: &Path) -> Tree {
        Tree(files(top))
    }

    pub(super) fn write(&self, top: &Path) {
        for entry in fs::read_dir(top).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        fs::create_dir(top.join("book")).unwrap();
        for (name, bytes) in &self.0 {
            let path = top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// Of an entry its id, why it was made, and the record if it is whole.
type Noted = (String, &'static str, Result<Vec<u8>, String>);

/// What an author could find.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// The paths of files that are ours and nobody's.
    pub(super) temporary: Vec<String>,
    pub(super) history: Vec<Noted>,
    pub(super) draft: Option<String>,
    pub(super) edited: Option<String>,
}

impl Facts {
    pub(super) fn of(top: &Path) -> Facts {
        let desk = Desk::open(top, &SystemDisk);
        let mut files = files(&top.join("book"));
        files.retain(|name, _| !name.contains("/neighbour."));
        for name in [REPLIES, ROUNDS] {
            if let Some(bytes) = files.get_mut(name) {
                *bytes = lines(&desk.at(name));
            }
        }
        // Begun, and without a line.
        files.retain(|name, bytes| ![REPLIES, ROUNDS].contains(&name.as_str()) || !bytes.is_empty());
        let mut temporary: Vec<String> = files.keys().cloned().collect();
        temporary.retain(|name| name.rsplit('/').next().unwrap().starts_with(".novel-gate-"));
        files.retain(|name, _| !temporary.contains(name));
        let path = PATH.into();
        let drafts = Drafts::new(&desk.state);
        let draft = drafts.peek(&path, &gate(PATH).spec);
        let entries = history::search(&desk.state, &history::Search::default()).unwrap();
        let told = |entry: history::HistoryEntry| {
            let bytes = entry.bytes().map_err(|error| error.to_string());
            (entry.id(), entry.reason.name(), bytes)
        };
        Facts {
            files,
            temporary,
            history: entries.entries(&desk.state).map(Result::unwrap).map(told).collect(),
            draft: draft.map(|saved| format!("{:?}", saved.job.draft.replies[0].text)),
            edited: drafts.edited(&path),
        }
    }
}
