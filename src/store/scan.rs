//! From `staging/` to the inbox: the only source of truth.
//!
//! A look compares signatures and reads only what differs. A file that is being written is waited for, and what was good
//! before stays until it is certain that it no longer is. Nothing here sleeps: the time comes in with the call.

mod candidate;
mod checkpoint;
mod file;
mod judge;
mod pass;
mod scope;

pub use candidate::{PACKET_PATIENCE, RECORD_PATIENCE};
pub use checkpoint::has_passed;

use super::entry::{self, Entry};
use super::project::{DEPTH_LIMIT, Project};
use crate::ask::JsString;
use crate::text::Message;
use candidate::{Candidate, Wait};
use checkpoint::CheckpointFile;
use judge::ScanContext;
use pass::{Folder, Pass};
use scope::Scope;
pub use scope::Told;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

const STAGING: &str = "staging";

/// Every packet below `staging/`, or a few that were named, kept between looks.
#[derive(Debug)]
pub struct Scanner {
    project: Arc<Project>,
    packet_patience: Duration,
    staging: Folder,
    named: Option<Vec<Candidate>>,
    checkpoint: CheckpointFile,
    relist: bool,
    cut: bool,
    trouble: Option<Message>,
}

/// What a look found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Some entry came, went or changed.
    pub changed: bool,
    /// When to look again although no change is reported.
    pub next: Option<SystemTime>,
    /// Something is being written, so what is known now is not the last word.
    pub pending: bool,
    /// Only a part was looked at.
    pub partial: bool,
}

/// The inbox as it is now; what is being written counts as it was found.
pub fn entries(project: &Arc<Project>, now: SystemTime) -> Vec<Arc<Entry>> {
    let mut scanner = Scanner::new(Arc::clone(project));
    scanner.look(now, &mut |_| {});
    scanner.entries()
}

/// Every file below `staging/` that may be a packet, by its absolute path. Linked directories are left out.
pub fn files(project: &Project) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![(PathBuf::from(STAGING), 0)];
    while let Some((dir, depth)) = open.pop() {
        let Ok(listing) = pass::list(project, &dir) else { continue };
        files.extend(listing.files.iter().map(|name| project.root().join(&dir).join(name)));
        if depth < DEPTH_LIMIT {
            open.extend(listing.directories.iter().map(|name| (dir.join(name), depth + 1)));
        }
    }
    files.sort();
    files
}

impl Scanner {
    /// A scanner that knows nothing yet.
    pub fn new(project: Arc<Project>) -> Scanner {
        Scanner {
            project,
            packet_patience: PACKET_PATIENCE,
            staging: Folder::new(Path::new(STAGING).into(), false),
            named: None,
            checkpoint: CheckpointFile::default(),
            relist: false,
            cut: false,
            trouble: None,
        }
    }

    /// A scanner of these packets only (absolute paths), wherever they lie and whatever their names are.
    pub fn of(project: Arc<Project>, packets: &[PathBuf]) -> Scanner {
        let named = packets.iter().map(|path| Candidate::new(path.as_path().into())).collect();
        Scanner { named: Some(named), ..Scanner::new(project) }
    }

    /// With another [`PACKET_PATIENCE`].
    #[must_use]
    pub fn patience(self, packet_patience: Duration) -> Scanner {
        Scanner { packet_patience, ..self }
    }

    /// The next look lists every directory, though its signature be the same.
    pub fn relist(&mut self) {
        self.relist = true;
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.staging.candidates().chain(self.named.iter().flatten())
    }

    /// The whole inbox in its order; packets with one place for their records know of each other.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let mut entries: Vec<Arc<Entry>> = self.candidates().filter_map(|file| file.entry.clone()).collect();
        entry::mark_collisions(&mut entries);
        entry::sort(&mut entries);
        entries
    }

    /// The directories that are looked into, relative to the root.
    pub fn directories(&self) -> Vec<&Path> {
        let mut directories = Vec::new();
        if self.named.is_none() {
            self.staging.collect_paths(&mut directories);
        }
        directories
    }

    /// The directories where records go, as the packets spell them.
    pub fn record_directories(&self) -> BTreeSet<Cow<'_, str>> {
        let paths = self.candidates().filter_map(|file| file.entry.as_ref()?.answer_path.as_ref());
        let directory = |path| match path {
            Cow::Borrowed(path) => str::rsplit_once(path, '/').map(|(directory, _)| directory.into()),
            Cow::Owned(path) => path.rsplit_once('/').map(|(directory, _)| directory.to_owned().into()),
        };
        paths.map(JsString::lossy).filter_map(directory).collect()
    }

    /// Whether there is more than the scanner is willing or able to look at: too deep, too many files, or a directory
    /// that cannot be read.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// What could not be read when it last looked, and why: what is known of it is from before.
    pub fn trouble(&self) -> Option<&Message> {
        self.trouble.as_ref()
    }

    /// Whether `staging/` itself could not be read and nothing is known of what is in it.
    pub fn knows_nothing(&self) -> bool {
        self.named.is_none() && self.staging.is_unknown()
    }

    /// Looks once. `emit` is given new entries in batches while they are found, in no particular order.
    pub fn look(&mut self, now: SystemTime, emit: &mut dyn FnMut(&[Arc<Entry>])) -> Outcome {
        self.checkpoint.look(&self.project);
        (self.cut, self.trouble) = (false, None);
        self.pass(now, None, emit).0
    }

    /// Looks only at what events have told of, and at what is to be looked at again anyway; at everything if there may be more to
    /// it.
    pub fn look_at(&mut self, told: &Told, now: SystemTime) -> Outcome {
        let is_few = self.named.is_some();
        let is_all = is_few || self.relist || self.checkpoint.look(&self.project) || self.staging.has_links();
        let is_known = |path: &Path| {
            self.candidates().filter_map(|file| file.entry.as_ref()).any(|entry| {
                let record = entry.answer_path.as_ref().map(|path| path.lossy());
                *entry.path == *path || record.is_some_and(|record| Path::new(&*record) == path)
            })
        };
        let scope = if is_all { None } else { Scope::of(&self.project, told, is_known) };
        let Some(scope) = scope else { return self.look(now, &mut |_| {}) };
        let (outcome, met_unknown) = self.pass(now, Some(scope), &mut |_| {});
        if !met_unknown {
            return Outcome { partial: true, ..outcome };
        }
        let all = self.look(now, &mut |_| {});
        Outcome { changed: outcome.changed || all.changed, ..all }
    }

    /// Goes through what the scope holds, or everything; whether it met what may be more than the scope tells.
    fn pass(
        &mut self,
        now: SystemTime,
        scope: Option<Scope>,
        emit: &mut dyn FnMut(&[Arc<Entry>]),
    ) -> (Outcome, bool) {
        let context = ScanContext {
            project: &self.project,
            checkpoint: self.checkpoint.checkpoint,
            scope,
            relist: std::mem::take(&mut self.relist),
            named: self.named.is_some(),
            packet_patience: self.packet_patience,
            now,
            refusals: Mutex::default(),
            places: Mutex::default(),
            records: Mutex::default(),
            trouble: Mutex::default(),
        };
        let mut pass = Pass::new(context, emit);
        if let Some(named) = &mut self.named {
            pass.files(named);
        } else if !pass.folder(&mut self.staging, 0) {
            pass.changed |= self.staging.has_entries();
            self.staging = Folder::new(Path::new(STAGING).into(), false);
        }
        let (changed, met_unknown) = (pass.changed, pass.met_unknown);
        let trouble = pass.context.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.cut |= pass.cut || trouble.is_some();
        self.trouble = self.trouble.take().or(trouble);
        let waits = || self.candidates().filter_map(|file| file.wait.as_deref());
        // What could not be looked at now is not tried again at once: that would be a loop for as long as it lasts.
        let when = |wait: &Wait| if wait.until > now { wait.until } else { now + RECORD_PATIENCE };
        let (next, pending) = (waits().map(when).min(), waits().any(|wait| wait.being_written));
        (Outcome { changed, next, pending, partial: false }, met_unknown)
    }
}

#[cfg(test)]
mod tests;
