//! The system's own watcher.
//!
//! Responsible for connecting to it, for what it is asked to watch, and for the words when it fails. Not responsible
//! for its events (`hint`).

use super::{Mode, Why};
use crate::store::disk::is_network_path;
use crate::store::project::Project;
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::io;
use std::sync::Arc;

/// Takes events on the watcher's own thread.
pub(super) type Handler = Box<dyn FnMut(notify::Result<notify::Event>) + Send>;
/// Connects to a watcher.
pub type Connect = Arc<dyn Fn(Handler) -> notify::Result<Box<dyn Watcher + Send>> + Send + Sync>;

/// The system's watcher; links are not followed.
pub(super) fn system() -> Connect {
    Arc::new(|handler| {
        let config = Config::default().with_follow_symlinks(false);
        Ok(Box::new(RecommendedWatcher::new(handler, config)?))
    })
}

/// Watches the root alone and `staging` with everything in it.
pub(super) fn attach(watcher: &mut dyn Watcher, project: &Project) -> notify::Result<()> {
    watcher.watch(project.root(), RecursiveMode::NonRecursive)?;
    attach_staging(watcher, project)
}

/// Watches `staging`, if it is there, as if it had never been watched.
pub(super) fn attach_staging(watcher: &mut dyn Watcher, project: &Project) -> notify::Result<()> {
    let staging = project.root().join("staging");
    // An old watch may be on a directory that is no more.
    let _ = watcher.unwatch(&staging);
    if !staging.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Ok(());
    }
    match watcher.watch(&staging, RecursiveMode::Recursive) {
        // It went away meanwhile; the watch on the root tells when it is back.
        Err(error) if is_missing(&error) && !staging.exists() => Ok(()),
        // A directory below it went away: what is left is watched, and the reconcile sees to the rest.
        Err(error) if is_missing(&error) => watcher.watch(&staging, RecursiveMode::Recursive),
        other => other,
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Why the watcher cannot be used.
pub(super) fn why(error: &notify::Error) -> Why {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Why::NoWatches,
        ErrorKind::Io(cause) => match cause.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::NOSPC) => Why::NoWatches,
            Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => Why::NoInstances,
            Some(rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => Why::Unsupported,
            _ => Why::Other(cause.to_string()),
        },
        _ => Why::Other(error.to_string()),
    }
}

/// The mode with a watcher that works.
pub(super) fn mode(project: &Project) -> Mode {
    if is_network(project) { Mode::Polling(Why::Network) } else { Mode::Native }
}

/// Whether others may write here without the system noticing.
pub(super) fn is_network(project: &Project) -> bool {
    let staging = project.root().join("staging");
    [staging.as_path(), project.root()].into_iter().any(is_network_path)
}
