//! From `staging/` to the inbox: the only source of truth.
//!
//! Responsible for knowing every packet and the state of its gate. A pass looks at signatures only and reads what
//! differs; a file that is being written is waited for, and what was good before stays until it is certain that it no
//! longer is. Not responsible for when to look (`watch`), and nothing here sleeps: the time comes in with the call.

mod checkpoint;
mod file;
mod judge;
mod pass;
mod slot;
mod walk;

use super::collision;
use super::entry::{self, Entry};
use super::project::Project;
use crate::ask::JsString;
use checkpoint::Checkpoint;
use file::Place;
use judge::Bench;
use pass::Pass;
use slot::{Due, Slot};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Bound;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};
use walk::Walk;

/// How long a packet that cannot be read as JSON may still be in the making.
pub const PACKET_PATIENCE: Duration = Duration::from_secs(2);
/// The same for a record.
pub const RECORD_PATIENCE: Duration = Duration::from_millis(500);

const STAGING: &str = "staging";
const CHECKPOINT: &str = ".checkpoint.json";
/// More files than this in one directory are not looked at one by one.
const MANY_FILES: usize = 32;

/// Every packet below `staging/`, kept between passes.
#[derive(Debug)]
pub struct Scanner {
    project: Arc<Project>,
    packet_patience: Duration,
    folders: BTreeMap<Arc<Path>, Folder>,
    checkpoint: Checkpoint,
    checkpoint_mark: u64,
    /// Files that must be looked at again although nothing tells so, and when.
    unsettled: BTreeMap<PathBuf, Due>,
    threads: usize,
    cut: bool,
}

/// One directory below `staging/`.
#[derive(Debug, Default)]
struct Folder {
    /// As it was before it was listed; 0 if it was not.
    mark: u64,
    /// A name may have come since without a trace.
    fresh: bool,
    /// It could not be read when it was last looked at: what is known of it is from before.
    unread: bool,
    slots: Vec<Slot>,
}

/// What a pass looks at.
#[derive(Clone, Copy, Debug)]
pub enum Look<'l> {
    /// Everything; directories are listed only if their signatures differ, once all of them are known.
    All,
    /// Everything, and every directory is listed.
    Rescan,
    /// These paths, relative to the root, and whatever depends on them.
    At(&'l BTreeSet<PathBuf>),
    /// Files that were being written, if their time has come.
    Unsettled,
}

/// What a pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Some entry came, went or changed.
    pub changed: bool,
    /// When [`Look::Unsettled`] is due.
    pub next: Option<SystemTime>,
    /// Something is being written, so what is known now is not the last word.
    pub pending: bool,
}

impl Scanner {
    /// A scanner that knows nothing yet.
    pub fn new(project: Arc<Project>) -> Scanner {
        Scanner {
            project,
            packet_patience: PACKET_PATIENCE,
            folders: BTreeMap::new(),
            checkpoint: Checkpoint::default(),
            checkpoint_mark: 0,
            unsettled: BTreeMap::new(),
            threads: thread::available_parallelism().map_or(1, |count| count.get().min(4)),
            cut: false,
        }
    }

    /// With another [`PACKET_PATIENCE`].
    #[must_use]
    pub fn patience(self, packet_patience: Duration) -> Scanner {
        Scanner { packet_patience, ..self }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.folders.values().flat_map(|folder| &folder.slots)
    }

    /// The whole inbox in its order; packets with one place for their records know of each other.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let mut entries: Vec<Arc<Entry>> = self.slots().filter_map(|slot| slot.entry.clone()).collect();
        collision::mark(&mut entries);
        entry::sort(&mut entries);
        entries
    }

    /// Whether there is more than the scanner is willing or able to look at: too deep, too many files, or a directory
    /// that may not be read.
    pub fn is_cut(&self) -> bool {
        self.cut || self.folders.values().any(|folder| folder.unread)
    }

    /// Looks once. `emit` is given new entries in batches while they are found, in no particular order.
    pub fn pass(&mut self, look: Look<'_>, now: SystemTime, emit: &mut dyn FnMut(&[Arc<Entry>])) -> Outcome {
        let past_changed = self.look_at_checkpoint();
        let project = Arc::clone(&self.project);
        let mut unsettled = std::mem::take(&mut self.unsettled);
        let mut pass = Pass {
            bench: Bench {
                project: &project,
                checkpoint: self.checkpoint,
                now,
                directories: Mutex::default(),
                places: Mutex::default(),
                records: Mutex::default(),
            },
            packet_patience: self.packet_patience,
            threads: self.threads,
            changed: past_changed,
            unsettled: &mut unsettled,
            emit,
            share: pass::FIRST_BATCH,
        };
        match look {
            // Nothing is known yet, or nothing was there.
            _ if !self.folders.contains_key(Path::new(STAGING)) => self.walk(&mut pass),
            Look::Rescan => self.walk(&mut pass),
            Look::All => self.all(&mut pass),
            Look::At(paths) if paths.iter().any(|path| concerns_everything(path)) => self.all(&mut pass),
            Look::At(paths) => self.at(paths, &mut pass),
            Look::Unsettled => {
                let due = pass.unsettled.iter().filter(|(_, due)| due.at <= now);
                let due: Vec<PathBuf> = due.map(|(path, _)| path.clone()).collect();
                for path in due {
                    self.file(&path, &mut pass);
                }
            }
        }
        let changed = pass.changed;
        self.unsettled = unsettled;
        let next = self.unsettled.values().map(|due| due.at).min();
        Outcome { changed, next, pending: self.unsettled.values().any(|due| due.torn) }
    }

    fn walk(&mut self, pass: &mut Pass<'_>) {
        self.cut = false;
        self.subtree(Path::new(STAGING), pass);
    }

    /// Looks at everything by comparing signatures without opening anything, so that a look that finds nothing new
    /// leaves no trace that would wake a watcher.
    fn all(&mut self, pass: &mut Pass<'_>) {
        let (folders, files) = self.stale(&pass.bench);
        if self.cut && !folders.is_empty() {
            // Only a whole walk can tell whether there is still too much.
            self.walk(pass);
            return;
        }
        for folder in folders {
            self.subtree(&folder, pass);
        }
        for file in files {
            self.file(&file, pass);
        }
    }

    /// The directories and files that differ from what is known of them; none below a directory that differs itself.
    fn stale(&self, bench: &Bench<'_>) -> (Vec<Arc<Path>>, Vec<PathBuf>) {
        let root = self.project.dir().as_fd();
        let mut folders: Vec<Arc<Path>> = Vec::new();
        let mut files = Vec::new();
        for (path, folder) in &self.folders {
            if folders.last().is_some_and(|above| path.starts_with(above)) {
                continue;
            }
            if folder.fresh || folder.unread || file::mark_through(root, path) != folder.mark {
                folders.push(Arc::clone(path));
                continue;
            }
            let before = files.len();
            let paths = folder.slots.iter().map(|slot| (path.join(&*slot.name), slot));
            files.extend(
                paths.filter(|(path, slot)| !slot.is_current(bench, root, path)).map(|(path, _)| path),
            );
            if files.len() - before > MANY_FILES {
                files.truncate(before);
                folders.push(Arc::clone(path));
            }
        }
        (folders, files)
    }

    fn at(&mut self, paths: &BTreeSet<PathBuf>, pass: &mut Pass<'_>) {
        for path in paths.iter().filter(|path| !walk::is_skipped(path)) {
            for packet in self.answered_under(path) {
                self.file(&packet, pass);
            }
            if path.starts_with(STAGING) {
                let is_dir =
                    self.project.root().join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir());
                if !is_dir {
                    self.file(path, pass);
                }
                self.subtree(path, pass);
            }
        }
    }

    /// The packets whose records lie at this path or below it.
    fn answered_under(&self, path: &Path) -> Vec<PathBuf> {
        let entries = self.slots().filter_map(|slot| slot.entry.as_ref());
        entries.filter(|entry| entry.answers_under(path)).map(|entry| entry.path()).collect()
    }

    /// Looks at a directory and everything below it; forgets what is no longer there, and nothing else.
    fn subtree(&mut self, start: &Path, pass: &mut Pass<'_>) {
        let mut old = take_below(&mut self.folders, start);
        pass.unsettled.retain(|path, _| !path.starts_with(start) || path == start);
        let folders = &mut self.folders;
        let mut walk = Walk::new(&self.project);
        walk.visit(start, &mut |listing| {
            let slots = old.remove(listing.path).unwrap_or_default().slots;
            let (mark, fresh) = (listing.seen.mark, listing.seen.is_fresh(pass.bench.now));
            let slots = pass.folder(listing.dir, listing.path, listing.names, slots);
            folders.insert(Arc::clone(listing.path), Folder { mark, fresh, unread: false, slots });
        });
        self.cut |= walk.cut;
        for path in walk.unread {
            folders.append(&mut take_below(&mut old, &path));
            folders.entry(path.into()).or_default().unread = true;
        }
        pass.changed |= old.values().flat_map(|folder| &folder.slots).any(|slot| slot.entry.is_some());
    }

    /// Looks at one file.
    fn file(&mut self, path: &Path, pass: &mut Pass<'_>) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
        if !walk::is_json(name) {
            return;
        }
        let key =
            self.folders.get_key_value(folder).map_or_else(|| folder.into(), |(key, _)| Arc::clone(key));
        let mut known = self.folders.remove(folder).unwrap_or_default();
        let dir = match walk::open(&self.project, folder) {
            Ok(dir) => dir,
            Err(cause) => {
                pass.note(path, None);
                if file::is_absent(&cause) {
                    pass.changed |= known.slots.iter().any(|slot| slot.entry.is_some());
                } else {
                    self.folders.insert(key, Folder { unread: true, ..known });
                }
                return;
            }
        };
        let place = known.slots.binary_search_by(|slot| (*slot.name).cmp(name));
        let old = place.ok().map(|at| known.slots.remove(at));
        let new = pass.one(dir.as_fd(), &key, &name.into(), old);
        pass.note(path, new.as_ref());
        if let Some(slot) = new {
            known.slots.insert(place.unwrap_or_else(|at| at), slot);
        }
        self.folders.insert(key, known);
    }

    /// Reads the checkpoint if it differs; true if that moves any entry.
    fn look_at_checkpoint(&mut self) -> bool {
        let dir = self.project.dir();
        let mark = file::mark(dir.as_fd(), CHECKPOINT);
        if mark == self.checkpoint_mark {
            return false;
        }
        let Some(checkpoint) = read_checkpoint(&self.project) else { return false };
        self.checkpoint_mark = mark;
        self.checkpoint = checkpoint;
        let mut changed = false;
        for slot in self.folders.values_mut().flat_map(|folder| &mut folder.slots) {
            changed |= slot.set_past(checkpoint);
        }
        changed
    }
}

/// Whether the checkpoint has passed a step; whatever is not known for certain has not.
pub fn has_passed(project: &Project, step: &JsString) -> bool {
    read_checkpoint(project).unwrap_or_default().has_passed(step)
}

/// The checkpoint, one that has passed nothing if there is none; `None` if it cannot be read just now.
fn read_checkpoint(project: &Project) -> Option<Checkpoint> {
    let dir = project.dir().as_fd();
    let place = Place { dir, folder: Path::new(""), name: OsStr::new(CHECKPOINT) };
    match file::signature(dir, CHECKPOINT).map(|seen| file::read(project, place, &seen)) {
        Ok(file::Content::Bytes(bytes)) => Some(Checkpoint::decode(&bytes)),
        Ok(file::Content::Unread(_) | file::Content::Changed) => None,
        _ => Some(Checkpoint::default()),
    }
}

/// Takes out a directory and everything below it.
fn take_below(folders: &mut BTreeMap<Arc<Path>, Folder>, start: &Path) -> BTreeMap<Arc<Path>, Folder> {
    let known = folders.range::<Path, _>((Bound::Included(start), Bound::Unbounded));
    let known: Vec<Arc<Path>> =
        known.map(|(path, _)| Arc::clone(path)).take_while(|path| path.starts_with(start)).collect();
    known.iter().filter_map(|path| folders.remove_entry(path)).collect()
}

/// Whether a hint is too general for anything but a full pass.
fn concerns_everything(path: &Path) -> bool {
    path.as_os_str().is_empty() || path == Path::new(STAGING) || walk::first(path) == Path::new("/")
}

#[cfg(test)]
mod tests;
