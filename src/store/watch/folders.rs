//! Watching the way to a few files, for a command that waits.
//!
//! Responsible for being told that something happened to one of them, wherever on the way to it, and for asking the
//! system again when it had nothing to give. What happened is for the caller to find out, who must look again from
//! time to time anyway. Not responsible for the inbox (`worker`).

use super::hint::Hint;
use super::native::{self, Connect};
use super::{Pace, Why};
use notify::event::{CreateKind, ModifyKind};
use notify::{EventKind, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The files that are waited for, as the directories on the way to them.
#[derive(Debug, Default)]
pub struct WatchSet {
    directories: BTreeSet<PathBuf>,
    /// Of the files, and of everything above them.
    names: BTreeSet<OsString>,
}

/// Directories under watch, each without what is below it.
pub struct Folders {
    connect: Connect,
    pause: Duration,
    tell: Arc<dyn Fn(bool) + Send + Sync>,
    shared: Arc<Mutex<Shared>>,
    watcher: Option<Box<dyn Watcher + Send>>,
    /// By identity, since the system's watches follow a directory that is renamed, and know no second name for it.
    watched: BTreeMap<(u64, u64), PathBuf>,
    /// Why nothing is watched, and when to try again.
    fault: Option<(Why, Instant)>,
}

/// What the watcher's thread must know and tell.
#[derive(Debug, Default)]
struct Shared {
    names: BTreeSet<OsString>,
    /// A directory on the way came, went or was renamed: its watch may be gone.
    moved: bool,
    /// The watcher has failed.
    failed: Option<Why>,
}

impl WatchSet {
    /// Adds the way from a directory to a file beneath it; where the directory is missing or the file lies elsewhere,
    /// the nearest directory above that is there.
    pub fn add(&mut self, from: &Path, file: &Path) {
        self.names.extend(file.iter().map(OsString::from));
        let above = file.ancestors().skip(1);
        if file.starts_with(from) && from.is_dir() {
            self.directories.extend(above.take_while(|dir| dir.starts_with(from)).map(Path::to_path_buf));
        } else {
            self.directories.extend(above.map(Path::to_path_buf).find(|dir| dir.is_dir()));
        }
    }
}

impl Folders {
    /// Nothing is watched before the first [`Folders::set`]. `tell` is called on another thread whenever something was
    /// changed, with true if a write has just ended.
    pub fn new(tell: impl Fn(bool) + Send + Sync + 'static) -> Folders {
        Folders::with(native::system(), Pace::default().retry, tell)
    }

    fn with(connect: Connect, pause: Duration, tell: impl Fn(bool) + Send + Sync + 'static) -> Folders {
        let (tell, shared) = (Arc::new(tell), Arc::default());
        Folders { connect, pause, tell, shared, watcher: None, watched: BTreeMap::new(), fault: None }
    }

    /// Why changes are not told; `None` while they are.
    pub fn fault(&self) -> Option<&Why> {
        self.fault.as_ref().map(|(why, _)| why)
    }

    /// Watches this way and no other; true if something on it is watched only now, so that what happened there before
    /// is unknown.
    pub fn set(&mut self, way: WatchSet) -> bool {
        let (moved, failed) = self.exchange(way.names);
        if let Some(why) = failed {
            self.fail(why);
        }
        if self.fault.as_ref().is_some_and(|(_, retry)| *retry > Instant::now()) {
            return false;
        }
        match self.attach(&way.directories, moved) {
            Ok(new) => {
                self.fault = None;
                new
            }
            Err(error) => {
                self.fail(native::why(&error));
                false
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Must be over before the watcher is asked for anything: it answers on the thread that takes this lock.
    fn exchange(&self, names: BTreeSet<OsString>) -> (bool, Option<Why>) {
        let mut shared = self.lock();
        shared.names = names;
        (std::mem::take(&mut shared.moved), shared.failed.take())
    }

    fn fail(&mut self, why: Why) {
        self.watcher = None;
        self.watched.clear();
        self.fault = Some((why, Instant::now() + self.pause));
    }

    fn attach(&mut self, directories: &BTreeSet<PathBuf>, moved: bool) -> notify::Result<bool> {
        let mut watcher = match self.watcher.take() {
            Some(watcher) => watcher,
            None => (self.connect)(self.handler())?,
        };
        let id = |path: &PathBuf| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let wanted: BTreeMap<(u64, u64), &PathBuf> =
            directories.iter().filter_map(|path| id(path).map(|id| (id, path))).collect();
        self.watched.retain(|id, path| {
            // One of the same name in its place may even have its number.
            let stays = !moved && wanted.contains_key(id);
            if !stays {
                // It may be gone already, and its watch with it.
                let _ = watcher.unwatch(path);
            }
            stays
        });
        let mut new = false;
        for (id, path) in wanted {
            if self.watched.contains_key(&id) {
                continue;
            }
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(id, path.clone());
                    new = true;
                }
                Err(_)
                    if path.symlink_metadata().is_err_and(|gone| gone.kind() == io::ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        self.watcher = Some(watcher);
        Ok(new)
    }

    fn handler(&self) -> native::Handler {
        let (shared, tell) = (Arc::clone(&self.shared), Arc::clone(&self.tell));
        Box::new(move |event: notify::Result<notify::Event>| {
            let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
            let (hint, moves) = match &event {
                Ok(event) => (Hint::from_event(event, Path::new("/")), moves(event.kind)),
                Err(error) => {
                    lock().failed = Some(native::why(error));
                    (Some(Hint::everything()), true)
                }
            };
            let Some(hint) = hint else { return };
            let mut known = lock();
            if !known.concerns(&hint) {
                return;
            }
            known.moved |= hint.everything || moves;
            drop(known);
            tell(hint.at_once);
        })
    }
}

/// Whether a name came, went or changed, so that a watch on the directory that bears it may be gone.
fn moves(kind: EventKind) -> bool {
    let changed = matches!(kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
    !changed && !kind.is_access() && kind != EventKind::Create(CreateKind::File)
}

impl Shared {
    /// Whether something on the way is meant. Its name must do: the watcher knows each directory by one path only.
    fn concerns(&self, hint: &Hint) -> bool {
        // Elsewhere a name may be told in another spelling than it was asked for.
        let exact = cfg!(target_os = "linux");
        let known = |path: &PathBuf| path.file_name().is_none_or(|name| self.names.contains(name));
        hint.everything || !exact || hint.paths.iter().any(known)
    }
}

#[cfg(test)]
mod tests;
