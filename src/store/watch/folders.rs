//! Watching a few directories, for a command that waits.
//!
//! Responsible for being told that something happened in one of them. What happened is for the caller to find out, who
//! must look again from time to time anyway. Not responsible for the inbox (`worker`).

use super::hint::Hint;
use super::native;
use notify::{RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Directories under watch, each without what is below it.
pub struct Folders {
    watcher: Option<Box<dyn Watcher + Send>>,
    /// With the identity of the directory that is watched under that name.
    watched: BTreeMap<PathBuf, (u64, u64)>,
}

impl Folders {
    /// Connects to the system's watcher. `tell` is called on its thread whenever something was changed, with true if
    /// a write has just ended.
    pub fn new(tell: impl Fn(bool) + Send + 'static) -> Folders {
        let handler = Box::new(move |event: notify::Result<notify::Event>| {
            let hint = event
                .map_or_else(|_| Some(Hint::everything()), |event| Hint::from_event(&event, Path::new("/")));
            if let Some(hint) = hint {
                tell(hint.at_once);
            }
        });
        Folders { watcher: native::system()(handler).ok(), watched: BTreeMap::new() }
    }

    /// Whether every directory wanted is being watched.
    pub fn works(&self) -> bool {
        self.watcher.is_some()
    }

    /// Watches these directories and no others; true if one is new, so that what happened in it before is unknown.
    pub fn set(&mut self, wanted: impl IntoIterator<Item = PathBuf>) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let id = |path: &PathBuf| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let wanted: BTreeMap<PathBuf, (u64, u64)> =
            wanted.into_iter().filter_map(|path| id(&path).map(|id| (path, id))).collect();
        for (path, id) in std::mem::take(&mut self.watched) {
            if wanted.get(&path) == Some(&id) {
                self.watched.insert(path, id);
            } else {
                // It may be gone already, and its watch with it.
                let _ = watcher.unwatch(&path);
            }
        }
        let mut new = false;
        for (path, id) in wanted {
            if self.watched.contains_key(&path) {
                continue;
            }
            if watcher.watch(&path, RecursiveMode::NonRecursive).is_err() && path.exists() {
                self.watcher = None;
                self.watched.clear();
                return true;
            }
            self.watched.insert(path, id);
            new = true;
        }
        new
    }
}
