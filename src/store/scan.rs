//! From `staging/` to the inbox: the only source of truth.
//!
//! A look compares signatures and reads only what differs. A file that is being written is waited for, and what was good
//! before stays until it is certain that it no longer is. Nothing here sleeps: the time comes in with the call.

mod candidate;
pub(super) mod file;
mod judge;
mod notes;
mod pass;
mod standing;
mod wanted;

pub use candidate::{PACKET_PATIENCE, RECORD_PATIENCE};
pub(super) use file::is_json;
pub use wanted::Wanted;

use super::checkpoint::CheckpointFile;
use super::copies;
use super::entry::{self, Entry};
use super::project::{DEPTH_LIMIT, Project};
use super::questions::Questions;
use super::rounds;
use super::safe_path;
use crate::platform::Failure;
use crate::platform::files::FileKind;
use crate::platform::paths::Shown as _;
use crate::text::Message;
use candidate::{Candidate, FIRST_RETRY};
use judge::{ScanContext, Scope};
use pass::{Folder, Pass, Tally};
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

const STAGING: &str = "staging";
/// So many files are looked at in turn.
const SHARE: usize = 64;
/// So many looks trust that a directory that looks as it did has the names that it had; more of them where there are many files, so
/// that listing all of them comes to this many names a look.
const TRUSTING: usize = 32;
const NAMES: usize = 128;
/// A look that misses what was listed is followed by another at once, up to so many in a row: a directory may list what nobody finds.
const RESTLESS: usize = 4;

/// Every packet below `staging/`, or a few that were named, kept between looks.
#[derive(Debug)]
pub struct Scanner {
    project: Arc<Project>,
    packet_patience: Duration,
    staging: Folder,
    named: Option<Vec<Candidate>>,
    wanted: Wanted,
    checkpoint: CheckpointFile,
    questions: Questions,
    /// They have changed since everything was looked at.
    is_asked_anew: bool,
    record_directories: BTreeSet<String>,
    cut: bool,
    trouble: Option<Message>,
    tally: Tally,
    /// Which file's turn it is.
    turn: usize,
    /// How many looks have trusted since everything was listed.
    trusted: usize,
    /// How many looks in a row have missed what was listed.
    restless: usize,
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

/// A scanner that has looked at everything once; what is being written counts as it was found.
pub fn look(project: &Arc<Project>, now: SystemTime) -> Scanner {
    look_for(project, Wanted::default(), now)
}

/// The same, only of what is wanted.
pub fn look_for(project: &Arc<Project>, wanted: Wanted, now: SystemTime) -> Scanner {
    Scanner { wanted, ..Scanner::new(Arc::clone(project)) }.at_rest(now)
}

/// The same, only of the packets whose records may go to one of these places, relative to the root. Of every other file no more
/// is read than where its record goes.
pub fn look_at(project: &Arc<Project>, places: &[PathBuf], now: SystemTime) -> Scanner {
    look_for(project, Wanted::at(places), now)
}

/// Every file below `staging/` that may be a packet, by its absolute path, and the directories that are there and cannot be
/// read, relative to the root. Linked directories are left out.
pub fn files(project: &Project) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
    let mut tries = 0;
    loop {
        tries += 1;
        let (files, unread, is_whole) = walk(project);
        if is_whole || tries == RESTLESS {
            return (files, unread);
        }
    }
}

/// The same once, and whether no name came or went meanwhile, as far as can be seen.
fn walk(project: &Project) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>, bool) {
    let (mut files, mut unread, mut is_whole) = (Vec::new(), Vec::new(), true);
    let mut open = vec![(PathBuf::from(STAGING), 0)];
    while let Some((dir, depth)) = open.pop() {
        let listing = match pass::list(project, &dir, |_| true) {
            Ok(listing) => listing,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                is_whole &= depth == 0;
                continue;
            }
            Err(cause) => {
                unread.push((dir, cause));
                continue;
            }
        };
        is_whole &= !listing.is_torn;
        let names = listing.files.iter().map(|name| dir.join(name));
        let names = names.filter(|path| copies::original(project, path).is_none());
        files.extend(names.map(|path| project.root().join(path)));
        if depth < DEPTH_LIMIT {
            let below = listing.folders.iter().filter(|(is_link, _)| !is_link);
            open.extend(below.map(|(_, name)| (dir.join(name), depth + 1)));
        }
    }
    files.sort();
    (files, unread, is_whole)
}

impl Scanner {
    /// A scanner that knows nothing yet.
    pub fn new(project: Arc<Project>) -> Scanner {
        Scanner {
            project,
            packet_patience: PACKET_PATIENCE,
            staging: Folder::new(Path::new(STAGING).into(), false),
            named: None,
            wanted: Wanted::default(),
            checkpoint: CheckpointFile::default(),
            questions: Questions::default(),
            is_asked_anew: false,
            record_directories: BTreeSet::new(),
            cut: false,
            trouble: None,
            tally: Tally::default(),
            turn: 0,
            trusted: 0,
            restless: 0,
        }
    }

    /// Looks, and again where a directory was renamed or emptied just then.
    fn at_rest(mut self, now: SystemTime) -> Scanner {
        self.look(now);
        while self.is_restless() {
            self.look(now);
        }
        self
    }

    fn is_restless(&self) -> bool {
        (1..RESTLESS).contains(&self.restless)
    }

    /// A scanner of these packets only (absolute paths), wherever they lie and whatever their names are.
    pub fn of(project: Arc<Project>, packets: &[PathBuf]) -> Scanner {
        let named = packets.iter().map(|path| Candidate::new(path.as_path().into())).collect();
        Scanner { named: Some(named), ..Scanner::new(project) }
    }

    #[must_use]
    pub fn patience(self, packet_patience: Duration) -> Scanner {
        Scanner { packet_patience, ..self }
    }

    /// The next look lists every directory, though its signature be the same.
    pub fn relist(&mut self) {
        self.staging.relist();
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.staging.candidates().chain(self.named.iter().flatten())
    }

    /// The whole inbox in its order; packets with one place for their records know of each other.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let mut entries: Vec<Arc<Entry>> = self.candidates().filter_map(|file| file.entry.clone()).collect();
        let faulty =
            self.questions.files.iter().filter(|file| self.named.is_none() && !file.problems.is_empty());
        entries.extend(faulty.map(|file| Arc::new(standing::question_file(file))));
        if self.named.is_none() {
            for entry in &mut entries {
                *entry = notes::of_copy(&self.project, entry).map_or_else(|| Arc::clone(entry), Arc::new);
            }
            entries.extend(notes::of_checkpoint(&self.checkpoint).map(Arc::new));
        }
        entry::mark_collisions(&mut entries);
        entry::sort(&mut entries);
        entries
    }

    /// The standing questions, as they were when it last looked.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Whether a packet is one of the step that the book is at; in doubt it is.
    pub fn is_live(&self, entry: &Entry, now: SystemTime) -> bool {
        self.checkpoint.checkpoint.is_live(&entry.path, entry.step.as_ref(), entry.modified, now)
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
    pub fn record_directories(&self) -> &BTreeSet<String> {
        &self.record_directories
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
        self.named.is_none() && self.cut && self.staging.is_empty()
    }

    /// Looks once.
    pub fn look(&mut self, now: SystemTime) -> Outcome {
        self.trust();
        self.look_around(now);
        let was_cut = std::mem::take(&mut self.cut);
        self.trouble = None;
        self.record_directories.clear();
        let all = self.pass(now, Scope::All);
        let is_asked_anew = std::mem::take(&mut self.is_asked_anew);
        // An empty inbox is another one where not everything could be looked at.
        Outcome { changed: all.changed || is_asked_anew || self.cut != was_cut, ..all }
    }

    /// Looks whether the names in every directory are as they were, and at a share of the files, the next one each time: that
    /// costs the same however many there are. At everything, where this or the last look has found that it must.
    pub fn look_in_turn(&mut self, now: SystemTime) -> Outcome {
        let Tally { files, is_odd, sent_back, next, .. } = self.tally;
        if self.cut || files <= SHARE || self.look_around(now) {
            return self.look(now);
        }
        self.trust();
        let start = if self.turn < files { self.turn } else { 0 };
        self.turn = start + SHARE;
        let some = self.pass(
            now,
            Scope::Turn { files: start..self.turn, others: is_odd || sent_back > 0 || next.is_some() },
        );
        if !some.changed {
            return some;
        }
        Outcome { changed: true, ..self.look(now) }
    }

    /// Looks at what every packet hangs on; true if it says something else now.
    fn look_around(&mut self, now: SystemTime) -> bool {
        let fault = self.checkpoint.fault().cloned();
        let is_moved = self.checkpoint.look(&self.project, now);
        self.is_asked_anew |= self.checkpoint.fault() != fault.as_ref();
        let is_asked_anew = self.questions.look(&self.project, now);
        self.is_asked_anew |= is_asked_anew;
        is_asked_anew || is_moved
    }

    /// Once in a while has everything listed, for what no event, signature or look has noticed.
    fn trust(&mut self) {
        self.trusted += 1;
        if self.trusted > TRUSTING.max(self.tally.files / NAMES) {
            self.trusted = 0;
            self.relist();
        }
    }

    /// Looks only at what events have told of (absolute paths), and at what is to be looked at again anyway. An event names a
    /// name, and not what it leads to: everything is looked at if more may hang on it than a plain file and its records.
    pub fn look_at(&mut self, told: &HashSet<PathBuf>, now: SystemTime) -> Outcome {
        let is_all = self.look_around(now) || self.named.is_some() || self.tally.is_odd;
        let Some(places) = Some(told).filter(|_| !is_all).and_then(|told| self.hear(told)) else {
            return self.look(now);
        };
        let relative = |path: &PathBuf| path.strip_prefix(self.project.root()).unwrap_or(path).to_path_buf();
        let is_of_standing = |path: &PathBuf| self.questions.owner(&relative(path).shown()).is_some();
        let standing = told.iter().any(is_of_standing);
        let some = self.pass(now, Scope::Told { places, standing });
        if !self.tally.is_odd {
            return Outcome { partial: true, ..some };
        }
        let all = self.look(now);
        Outcome { changed: some.changed || all.changed, ..all }
    }

    /// The places of what was told of, and the directories of what came or went are to be listed again; `None` if something
    /// there is no plain file, or a directory of records was there.
    fn hear(&mut self, told: &HashSet<PathBuf>) -> Option<Vec<u64>> {
        let mut places = Vec::with_capacity(told.len());
        for path in told {
            let path = path.strip_prefix(self.project.root()).unwrap_or(path);
            let is_there = match file::signature(&self.project, path) {
                _ if self.leads_to_records(path) => return None,
                Ok(seen) if seen.kind == FileKind::File && !seen.is_link => true,
                Err(Failure::NOT_FOUND) => false,
                _ => return None,
            };
            self.staging.hear(path, is_there);
            places.push(entry::place_number(path));
            places.extend(rounds::records_of(path).iter().map(|record| entry::place_number(record)));
        }
        places.sort_unstable();
        Some(places)
    }

    /// Whether records lie beneath a path, or would.
    fn leads_to_records(&self, path: &Path) -> bool {
        let is_beneath = |spelled: &String| safe_path::join(Path::new(""), spelled).starts_with(path);
        self.record_directories.iter().any(is_beneath)
    }

    fn pass(&mut self, now: SystemTime, scope: Scope) -> Outcome {
        let context = ScanContext {
            project: &self.project,
            checkpoint: self.checkpoint.checkpoint,
            questions: &self.questions,
            scope,
            named: self.named.is_some(),
            wanted: &self.wanted,
            packet_patience: self.packet_patience,
            now,
            began: Instant::now(),
            directories: Mutex::default(),
            linked: Mutex::default(),
            records: Mutex::default(),
            trouble: Mutex::default(),
        };
        let mut pass = Pass::new(context);
        if let Some(named) = &mut self.named {
            pass.files(named, true);
        } else if !pass.folder(&mut self.staging, 0) {
            pass.changed |= self.staging.has_entries();
            self.staging = Folder::new(Path::new(STAGING).into(), false);
        }
        let Pass { changed, cut, context, tally, .. } = pass;
        let trouble = context.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
        let directories = context.directories.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.record_directories.extend(directories.into_keys());
        self.cut |= cut || trouble.is_some();
        self.trouble = self.trouble.take().or(trouble);
        let (mut next, mut pending) = (tally.next, tally.pending);
        next = [next, self.questions.due()].into_iter().flatten().min();
        self.restless = if tally.any_missed { self.restless + 1 } else { 0 };
        if self.is_restless() {
            let soon = now + FIRST_RETRY;
            next = Some(next.map_or(soon, |next| next.min(soon)));
            pending = true;
        }
        self.tally = tally;
        Outcome { changed, next, pending, partial: false }
    }
}

#[cfg(test)]
mod tests;
