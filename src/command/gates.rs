//! The gates that `wait` and the hook wait for: what a change in the project means to them.

use super::wake::{self, Wake};
use crate::ask::Problem;
use crate::error::Error;
use crate::store::entry::Entry;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::watch::{Options, StoreEvent, Watch};
use crate::store::{Project, RecordState, file, sha256};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long a packet may be gone: its executor may be about to write it again.
const GONE_PATIENCE: Duration = Duration::from_secs(10);

/// One packet that is waited for.
#[derive(Debug)]
pub(super) struct AwaitedGate {
    path: PathBuf,
    /// The same with links resolved, as the watch knows it.
    real: PathBuf,
    /// For people and programs: relative to the root.
    pub(super) shown: String,
    /// The packet as it was read last.
    pub(super) loaded: Option<Loaded>,
    /// Whether the step may run.
    pub(super) open: bool,
    /// Since when it cannot be read.
    lost: Option<Instant>,
    /// The invalid records that were reported already.
    reported: BTreeSet<String>,
}

/// What is newly known to keep a gate closed.
#[derive(Debug)]
pub(super) enum Finding {
    /// Nothing new.
    Nothing,
    /// The record is invalid.
    Blocked(Vec<Problem>),
    /// The packet is malformed: as it is, its gate never opens.
    Malformed(Vec<Problem>),
    /// The packet is gone or cannot be read.
    Lost(Error),
}

/// Packets that are waited for together.
pub(super) struct Gates {
    pub(super) project: Arc<Project>,
    pub(super) targets: Vec<AwaitedGate>,
    /// As the watch listed them last; `None` before its first look.
    entries: Option<Vec<Arc<Entry>>>,
}

impl Gates {
    /// The packets at these paths; one that is named twice counts once.
    pub(super) fn new(project: Arc<Project>, paths: Vec<PathBuf>) -> Gates {
        let mut targets: Vec<AwaitedGate> = Vec::new();
        for path in paths {
            let target = AwaitedGate::new(path, &project);
            if !targets.iter().any(|known| known.real == target.real) {
                targets.push(target);
            }
        }
        Gates { project, targets, entries: None }
    }

    /// Watches them and the way to their records.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub(super) fn watch(&self, wake: &Sender<Wake>) -> Result<Watch, Error> {
        let options = Options::only(self.targets.iter().map(|target| target.real.clone()).collect());
        wake::on_change(wake, &self.project, options)
    }

    /// Applies what the watch found; true if the gates must be looked at.
    pub(super) fn take(&mut self, event: StoreEvent) -> bool {
        match event {
            StoreEvent::Entries { entries, complete: true, .. } => {
                self.entries = Some(entries);
                return true;
            }
            StoreEvent::Reopened(project) => self.project = project,
            // What its directory held while it was away says nothing about the gates.
            StoreEvent::RootGone => self.targets.iter_mut().for_each(|target| target.lost = None),
            StoreEvent::Entries { .. } | StoreEvent::Looked | StoreEvent::Watching(_) => {}
        }
        false
    }

    /// Whether the watch has listed the packets once.
    pub(super) fn is_known(&self) -> bool {
        self.entries.is_some()
    }

    /// Reads every packet: one finding for each, in their order.
    pub(super) fn look(&mut self) -> Vec<Finding> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let project = &self.project;
        let look = |target: &mut AwaitedGate| {
            let entry = entries.iter().find(|entry| *entry.path == *target.real);
            target.look(project, entry)
        };
        self.targets.iter_mut().map(look).collect()
    }

    /// When to look although nothing has changed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.targets.iter().filter_map(|target| target.lost).min().map(|lost| lost + GONE_PATIENCE)
    }
}

impl AwaitedGate {
    fn new(path: PathBuf, project: &Project) -> AwaitedGate {
        let shown = project.relative(&path).to_string_lossy().into_owned();
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => file::real_path(parent.to_path_buf()).join(name),
            _ => path.clone(),
        };
        AwaitedGate { path, real, shown, loaded: None, open: false, lost: None, reported: BTreeSet::new() }
    }

    fn look(&mut self, project: &Project, entry: Option<&Arc<Entry>>) -> Finding {
        self.open = false;
        let status = entry.filter(|entry| !entry.being_written).map(|entry| entry.status);
        let lost = self.lost.take();
        match gate::load(project, &self.path) {
            Ok(loaded) => {
                let now = loaded.status();
                self.open = matches!(now, Status::NoGate | Status::Answered);
                let finding = match &loaded.record.state {
                    RecordState::Invalid(problems)
                        if now == Status::Blocked
                            && status == Some(now)
                            && self.reported.insert(content_of(&loaded)) =>
                    {
                        Finding::Blocked(problems.clone())
                    }
                    _ => Finding::Nothing,
                };
                self.loaded = Some(loaded);
                finding
            }
            Err(LoadFault::Malformed(problems)) if status == Some(Status::Malformed) => {
                Finding::Malformed(problems)
            }
            // It is being written.
            Err(LoadFault::Malformed(_)) => Finding::Nothing,
            Err(LoadFault::Unreadable(error)) => {
                let since = lost.unwrap_or_else(Instant::now);
                if since.elapsed() >= GONE_PATIENCE {
                    return Finding::Lost(error);
                }
                self.lost = Some(since);
                Finding::Nothing
            }
        }
    }
}

/// Differs for two records that are invalid in different ways.
fn content_of(loaded: &Loaded) -> String {
    let bytes = if loaded.record.is_read() { loaded.record.sha256() } else { String::new() };
    sha256(format!("{bytes}{:?}", loaded.record.state).as_bytes())
}
