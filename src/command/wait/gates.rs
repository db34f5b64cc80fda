//! Gates that are waited for together: by `wait`, the hook, and the server.

use crate::ask::Problem;
use crate::command::wake;
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::entry::Entry;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::proposals::{self, Wanted};
use crate::store::watch::{Options, StoreEvent, Watch};
use crate::store::{Project, RecordState, Refusal, file, sha256};
use crate::text::Lang;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who fetches a refusal so that the next wait need not.
const WAITS: [&str; 2] = [WAIT, WAIT_GATE];
/// By which way `wait` tells what the author gave.
pub(in crate::command) const WAIT: &str = "wait";
/// The same of the server's tool.
pub(in crate::command) const WAIT_GATE: &str = "wait_gate";

/// How long a packet may usually be gone: its executor may be about to write it again.
const GONE_PATIENCE: Duration = Duration::from_secs(10);

/// One packet that is waited for.
#[derive(Debug)]
pub(in crate::command) struct AwaitedGate {
    pub(in crate::command) path: PathBuf,
    /// The same with links resolved, as the watch knows it.
    real: PathBuf,
    /// For people and programs: relative to the root.
    pub(in crate::command) shown: String,
    /// The packet as it was read last.
    pub(in crate::command) loaded: Option<Loaded>,
    /// Whether the step may run.
    pub(in crate::command) open: bool,
    /// Whether the author refuses it, and nobody had fetched that before this wait began.
    pub(in crate::command) refused: bool,
    /// Whether the executor is to propose options first, and no wait had told it so.
    pub(in crate::command) wants: bool,
    /// The refusal that somebody had fetched by then.
    fetched: Option<String>,
    /// Since when it cannot be read.
    lost: Option<Instant>,
    /// The invalid records that were reported already.
    reported: BTreeSet<String>,
}

/// What is newly known to keep a gate closed.
#[derive(Debug)]
pub(in crate::command) enum Finding {
    /// Nothing new.
    Nothing,
    /// No answer can be written: the author cannot open it as it is.
    Refused(Refusal),
    /// The record is invalid.
    Blocked(Vec<Problem>),
    /// The packet is malformed: as it is, its gate never opens.
    Malformed(Vec<Problem>),
    /// The packet is gone or cannot be read.
    Lost(Error),
}

/// Packets that are waited for together.
pub(in crate::command) struct Gates {
    pub(in crate::command) project: Arc<Project>,
    pub(in crate::command) targets: Vec<AwaitedGate>,
    /// How long a packet may be gone.
    pub(in crate::command) patience: Duration,
    /// As the watch listed them last; `None` before its first look.
    entries: Option<Vec<Arc<Entry>>>,
}

impl Gates {
    /// The packets at these paths; one that is named twice counts once.
    pub(in crate::command) fn new(project: Arc<Project>, paths: Vec<PathBuf>) -> Gates {
        let mut gates = Gates { project, targets: Vec::new(), patience: GONE_PATIENCE, entries: None };
        for path in paths {
            gates.add(path);
        }
        let mut known = HashSet::new();
        gates.targets.retain(|target| known.insert(target.real.clone()));
        gates
    }

    /// What was listed before says nothing of the new one.
    pub(in crate::command) fn add(&mut self, path: PathBuf) {
        self.targets.push(AwaitedGate::new(path, &self.project));
        self.entries = None;
    }

    /// Watches them and the way to their records.
    pub(in crate::command) fn watch(
        &self,
        send: impl Fn(StoreEvent) + Send + 'static,
    ) -> Result<Watch, Error> {
        let options =
            Options::only(self.targets.iter().map(|target| target.real.clone()).collect()).attaching();
        wake::watch(&self.project, options, send)
    }

    /// Applies what the watch found; true if the gates must be looked at.
    pub(in crate::command) fn take(&mut self, event: StoreEvent) -> bool {
        match event {
            StoreEvent::Entries { entries, .. } => {
                self.entries = Some(entries);
                return true;
            }
            StoreEvent::Reopened(project) => self.project = project,
            // What its directory held while it was away says nothing about the gates.
            StoreEvent::RootGone => self.targets.iter_mut().for_each(|target| target.lost = None),
            StoreEvent::Looked | StoreEvent::Watching(_) | StoreEvent::Unread(_) => {}
        }
        false
    }

    /// Whether the watch has listed the packets once.
    pub(in crate::command) fn is_known(&self) -> bool {
        self.entries.is_some()
    }

    /// Reads every packet: one finding for each, in their order.
    pub(in crate::command) fn look(&mut self) -> Vec<Finding> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let project = &self.project;
        let look = |target: &mut AwaitedGate| {
            let entry = entries.iter().find(|entry| *entry.path == *target.real);
            target.look(project, entry, self.patience)
        };
        self.targets.iter_mut().map(look).collect()
    }

    /// When to look although nothing has changed.
    pub(in crate::command) fn due(&self) -> Option<Instant> {
        self.targets.iter().filter_map(|target| target.lost).min().map(|lost| lost + self.patience)
    }
}

impl AwaitedGate {
    fn new(path: PathBuf, project: &Project) -> AwaitedGate {
        let shown = project.relative(&path).shown().into_owned();
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => file::real_path(parent.to_path_buf()).join(name),
            _ => path.clone(),
        };
        let (loaded, fetched, lost, reported) = (None, None, None, BTreeSet::new());
        AwaitedGate {
            path,
            real,
            shown,
            loaded,
            open: false,
            refused: false,
            wants: false,
            fetched,
            lost,
            reported,
        }
    }

    /// Whether there is a refusal that is news to whoever waits. Who sleeps already is told though another wait was faster.
    fn is_refused(&mut self, loaded: &Loaded) -> bool {
        let Some(reply) = &loaded.sent_back else { return false };
        if self.loaded.is_none() && reply.is_delivered_by(&WAITS) {
            self.fetched = Some(reply.sent.id.clone());
        }
        self.fetched.as_ref() != Some(&reply.sent.id)
    }

    fn look(&mut self, project: &Project, entry: Option<&Arc<Entry>>, patience: Duration) -> Finding {
        (self.open, self.refused, self.wants) = (false, false, false);
        let status = entry.filter(|entry| !entry.being_written).map(|entry| entry.status);
        let lost = self.lost.take();
        match gate::load(project, &self.path) {
            Ok(loaded) => {
                let now = loaded.status();
                self.open = matches!(now, Status::NoGate | Status::Answered);
                self.refused = self.is_refused(&loaded);
                self.wants = proposals::wanted(project, &loaded).iter().any(Wanted::is_news);
                let refused = loaded.refusal.filter(|_| loaded.is_unattached && now == Status::Waiting);
                let finding = match &loaded.record.state {
                    _ if let Some(refusal) = refused
                        && self.reported.insert(refusal.text(Lang::En).to_owned()) =>
                    {
                        Finding::Refused(refusal)
                    }
                    RecordState::Invalid(problems)
                        if now == Status::Blocked
                            && status == Some(now)
                            && self.reported.insert(content_of(&loaded)) =>
                    {
                        Finding::Blocked(problems.clone())
                    }
                    RecordState::Absent | RecordState::Valid(_) | RecordState::Invalid(_) => Finding::Nothing,
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
                if since.elapsed() < patience {
                    self.lost = Some(since);
                    return Finding::Nothing;
                }
                // That reading fails says nothing about the packet: it is tried again.
                if error.code != "no-packet" && status != Some(Status::Malformed) {
                    self.lost = Some(Instant::now());
                    return Finding::Nothing;
                }
                Finding::Lost(error)
            }
        }
    }
}

/// Differs for two records that are invalid in different ways.
fn content_of(loaded: &Loaded) -> String {
    let bytes = if loaded.record.is_read() { loaded.record.sha256() } else { String::new() };
    sha256(format!("{bytes}{:?}", loaded.record.state).as_bytes())
}
