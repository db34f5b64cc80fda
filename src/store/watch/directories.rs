//! The system's watcher: the directories it is asked to watch, each without what is below it, or all of the project in one; what its
//! events are worth: a reason to look, and no more; and why there may be none.

use crate::platform::Cause;
use crate::platform::files::{FileId, is_network_path, look_at};
use crate::store::project::Project;
use crate::store::scan::is_json;
use crate::text::{Lang, Sentence, say};
use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RenameMode};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    Native,
    /// By looking every second.
    Polling(Why),
}

/// Why the system does not report them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    Asked,
    NoWatches,
    /// All watchers the system allows are in use, or too many files are open.
    NoInstances,
    Unsupported,
    /// The project lies on a network or shared file system, whose other users are not heard of.
    Network,
    /// Another reason, in the system's words.
    Other(String),
}

impl Why {
    pub fn text(&self, lang: Lang) -> String {
        let reason: Sentence = match self {
            Why::Asked => {
                let whole = say("Looking for changes every second, as set.", "按设置每秒检查一次变化。");
                return whole.text(lang).to_owned();
            }
            Why::NoWatches => say(
                "the system's file watches are used up (fs.inotify.max_user_watches)",
                "系统的文件监视数量已用完（fs.inotify.max_user_watches）",
            ),
            Why::NoInstances => say(
                "the system's file watchers are used up (fs.inotify.max_user_instances)",
                "系统的文件监视器已用完（fs.inotify.max_user_instances）",
            ),
            Why::Unsupported => say("this system cannot watch files here", "本系统无法在这里监视文件"),
            Why::Network => {
                say("the project lies on a network or shared file system", "项目位于网络或共享文件系统上")
            }
            Why::Other(_) => say("{0}", "{0}"),
        };
        let other = if let Why::Other(reason) = self { reason } else { "" };
        let whole = say("Looking for changes every second: {0}.", "每秒检查一次变化：{0}。");
        whole.fill(lang, &[&reason.fill(lang, &[other])])
    }
}

/// Takes events on the watcher's own thread.
pub(super) type Handler = Box<dyn FnMut(notify::Result<notify::Event>) + Send>;
pub type Connect = Arc<dyn Fn(Handler) -> notify::Result<Box<dyn Watcher + Send>> + Send + Sync>;

/// The system's watcher; links are not followed.
pub(super) fn system() -> Connect {
    Arc::new(|handler| {
        let config = Config::default().with_follow_symlinks(false);
        Ok(Box::new(RecommendedWatcher::new(handler, config)?))
    })
}

pub(super) fn why(error: &notify::Error) -> Why {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Why::NoWatches,
        ErrorKind::Io(cause) => match Cause::of(cause) {
            Some(Cause::TooManyFiles) => Why::NoInstances,
            Some(Cause::Unsupported) => Why::Unsupported,
            _ => Why::Other(cause.to_string()),
        },
        _ => Why::Other(error.to_string()),
    }
}

/// Whether others may write here without the system noticing.
pub(super) fn is_network(project: &Project) -> bool {
    let staging = project.root().join("staging");
    [staging.as_path(), project.root()].into_iter().any(is_network_path)
}

/// A reason to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint<'e> {
    /// Where something happened; anywhere if empty.
    pub(super) paths: &'e [PathBuf],
    /// A write has just ended.
    pub(super) at_once: bool,
}

impl<'e> Hint<'e> {
    /// Anything may have changed.
    pub(super) const ANYWHERE: Hint<'static> = Hint { paths: &[], at_once: true };

    /// What an event says; nothing if it says nothing.
    pub(super) fn from_event(event: &'e notify::Event) -> Option<Hint<'e>> {
        // Before anything else: an overflow comes without paths and with a kind that means nothing.
        if event.need_rescan() || event.paths.is_empty() {
            return Some(Hint::ANYWHERE);
        }
        let may_count = |path: &PathBuf| path.file_name().is_some_and(is_json);
        let at_once = match event.kind {
            // A file beside a packet may be about to get its name: that must not have to wait for a look at this.
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => event.paths.iter().any(may_count),
            // Our own reading causes the first; both names of the second were told by themselves.
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return None,
            EventKind::Create(kind) => kind != CreateKind::File,
            // Where a name has gone to is told next.
            EventKind::Modify(ModifyKind::Name(kind)) => kind != RenameMode::From,
            EventKind::Any | EventKind::Other | EventKind::Remove(_) | EventKind::Modify(_) => false,
        };
        Some(Hint { paths: &event.paths, at_once })
    }
}

/// Adds the way from a directory to a file beneath it; where the directory is missing or the file lies elsewhere, the nearest
/// directory above that is there.
pub(super) fn add_way(directories: &mut BTreeSet<PathBuf>, from: &Path, file: &Path) {
    let mut above = file.ancestors().skip(1).map(Path::to_path_buf);
    if file.starts_with(from) && from.is_dir() {
        directories.extend(above.take_while(|dir| dir.starts_with(from)));
    } else {
        directories.extend(above.find(|dir| dir.is_dir()));
    }
}

pub(super) struct Directories {
    connect: Connect,
    report: Arc<dyn Fn(notify::Result<notify::Event>) + Send + Sync>,
    /// A directory that is watched with all that is below it.
    tree: Option<PathBuf>,
    /// How long to wait after a failure.
    retry: Duration,
    watcher: Option<Box<dyn Watcher + Send>>,
    /// With their identity: the system's watches follow a directory that is renamed, and know no second name for it.
    watched: BTreeMap<PathBuf, FileId>,
    /// Why nothing is watched, and when to try again.
    fault: Option<(Why, Instant)>,
}

impl Directories {
    /// Nothing is watched before the first [`Directories::set`]. `report` is called on another thread.
    pub(super) fn new(
        connect: Connect,
        tree: Option<PathBuf>,
        retry: Duration,
        report: impl Fn(notify::Result<notify::Event>) + Send + Sync + 'static,
    ) -> Directories {
        let watched = BTreeMap::new();
        Directories { connect, report: Arc::new(report), tree, retry, watcher: None, watched, fault: None }
    }

    /// Why changes are not reported; `None` while they are.
    pub(super) fn fault(&self) -> Option<&Why> {
        self.fault.as_ref().map(|(why, _)| why)
    }

    pub(super) fn is_connected(&self) -> bool {
        self.watcher.is_some()
    }

    /// Watches these directories, as far as they are there, and no others; true if one of them is watched only now, so
    /// that what happened in it before is unknown.
    /// Where it fails, nothing is watched any more.
    pub(super) fn set(&mut self, wanted: &BTreeSet<PathBuf>) -> notify::Result<bool> {
        if self.fault.as_ref().is_some_and(|(_, retry)| *retry > Instant::now()) {
            return Ok(false);
        }
        let report = Arc::clone(&self.report);
        let connect = || (self.connect)(Box::new(move |event| report(event)));
        let mut watcher = self.watcher.take().map_or_else(connect, Ok)?;
        let new = self.attach(watcher.as_mut(), wanted).inspect_err(|_| self.watched.clear())?;
        self.watcher = Some(watcher);
        self.fault = None;
        Ok(new)
    }

    fn attach(&mut self, watcher: &mut dyn Watcher, wanted: &BTreeSet<PathBuf>) -> notify::Result<bool> {
        let mut ids = BTreeSet::new();
        let id = |path: &Path| look_at(path).ok().map(|facts| facts.id);
        let tree = self.tree.as_ref().filter(|tree| wanted.contains(*tree));
        let is_told = |path: &Path| tree.is_some_and(|tree| path != tree && path.starts_with(tree));
        let wanted: BTreeMap<&PathBuf, FileId> = wanted
            .iter()
            .filter(|path| !is_told(path))
            .filter_map(|path| id(path).filter(|id| ids.insert(*id)).map(|id| (path, id)))
            .collect();
        self.watched.retain(|path, id| {
            let stays = wanted.get(path) == Some(id);
            if !stays {
                // It may be gone already, and its watch with it.
                let _ = watcher.unwatch(path);
            }
            stays
        });
        let mut new = false;
        let mut paths = watcher.paths_mut();
        for (path, id) in wanted {
            if self.watched.contains_key(path) {
                continue;
            }
            let depth =
                if tree == Some(path) { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            match paths.add(path, depth) {
                Ok(()) => {
                    self.watched.insert(path.clone(), id);
                    new = true;
                }
                Err(_)
                    if path.symlink_metadata().is_err_and(|gone| gone.kind() == io::ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        paths.commit()?;
        Ok(new)
    }

    /// Watches what was at these paths, or anywhere if there are none, no longer: something else may have the name now,
    /// even with the same number.
    pub(super) fn forget(&mut self, paths: &[PathBuf]) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut gone = Vec::new();
        for path in paths {
            let below = self.watched.range::<Path, _>((Bound::Included(&**path), Bound::Unbounded));
            gone.extend(below.map(|(it, _)| it).take_while(|it| it.starts_with(path)).cloned());
        }
        if paths.is_empty() {
            gone.extend(self.watched.keys().cloned());
        }
        for path in gone {
            let _ = watcher.unwatch(&path);
            self.watched.remove(&path);
        }
    }

    /// Gives the watcher up, and tries again later.
    pub(super) fn fail(&mut self, error: &notify::Error) {
        self.disconnect();
        self.fault = Some((why(error), Instant::now() + self.retry));
    }

    pub(super) fn disconnect(&mut self) {
        self.watcher = None;
        self.watched.clear();
        self.fault = None;
    }
}

#[cfg(test)]
mod tests;
