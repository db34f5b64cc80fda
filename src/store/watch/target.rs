//! One packet that is waited for.
//!
//! Responsible for looking at it only when something differs, and for patience with files that are being written. Not
//! responsible for when to look (`folders`, or whoever waits), nor for what is said about it.

use super::folders::WatchSet;
use crate::ask::{Problem, ProblemKind};
use crate::error::Error;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::scan::{PACKET_PATIENCE, RECORD_PATIENCE};
use crate::store::{Project, Record, RecordState, safe_path, sha256};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a packet may be gone: its executor may be about to write it anew.
const GONE_PATIENCE: Duration = Duration::from_secs(10);

/// One packet that is waited for.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    /// The same without links on the way, so that watches agree on it.
    real: PathBuf,
    /// For people and programs: relative to the root.
    pub shown: String,
    /// As it could last be read.
    pub loaded: Option<Loaded>,
    /// Whether the step may run.
    pub open: bool,
    /// Of the packet and its record when they were last read.
    stamps: Option<[Stamp; 2]>,
    torn: Option<Torn>,
    /// The invalid records that have been told already.
    told: BTreeSet<String>,
}

/// What a look has found.
#[derive(Debug)]
pub enum Finding {
    /// The step may run.
    Open,
    /// Not yet.
    Closed,
    /// Not yet, and this is new: the record is invalid.
    Blocked(Vec<Problem>),
    /// It will never be open as it is.
    Malformed(Vec<Problem>),
    /// It is gone or cannot be read.
    Lost(Error),
}

type Stamp = Option<(u64, u64, u64, i64, i64, i64, i64)>;

/// Something that may still be in the making.
#[derive(Debug)]
struct Torn {
    /// What it looks like.
    content: String,
    /// When that is taken for the truth.
    until: Instant,
}

impl Target {
    /// The packet at this path, not looked at yet.
    pub fn new(path: PathBuf, project: &Project) -> Target {
        let shown = project.relative(&path).to_string_lossy().into_owned();
        let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
        let real =
            folder.zip(path.file_name()).map_or_else(|| path.clone(), |(folder, name)| folder.join(name));
        let told = BTreeSet::new();
        Target { path, real, shown, loaded: None, open: false, stamps: None, torn: None, told }
    }

    /// Whether both are one packet, however it is called.
    pub fn is_same_as(&self, other: &Target) -> bool {
        self.real == other.real
    }

    /// When it must be looked at although nothing changes.
    pub fn due(&self) -> Option<Instant> {
        self.torn.as_ref().map(|torn| torn.until)
    }

    /// Looks, if something may have changed or `sure` is asked for.
    pub fn look(&mut self, project: &Project, sure: bool) -> Finding {
        let stamps = [stamp(&self.path), self.record_path(project).as_deref().and_then(stamp)];
        let due = self.due().is_some_and(|due| due <= Instant::now());
        if !sure && !due && self.stamps == Some(stamps) {
            return if self.open { Finding::Open } else { Finding::Closed };
        }
        self.stamps = Some(stamps);
        self.open = false;
        match gate::load(project, &self.path) {
            Ok(loaded) => self.judge(loaded),
            Err(LoadFault::Malformed(problems)) if may_be_torn(&problems) => {
                let patience = PACKET_PATIENCE.saturating_sub(self.age());
                let content = format!("{problems:?}");
                if self.is_settled(content, patience) {
                    Finding::Malformed(problems)
                } else {
                    Finding::Closed
                }
            }
            Err(LoadFault::Malformed(problems)) => Finding::Malformed(problems),
            Err(LoadFault::Unreadable(error)) => {
                if self.is_settled(format!("{error:?}"), GONE_PATIENCE) {
                    Finding::Lost(error)
                } else {
                    Finding::Closed
                }
            }
        }
    }

    fn judge(&mut self, loaded: Loaded) -> Finding {
        let status = loaded.status();
        let finding = match &loaded.record.state {
            RecordState::Invalid(problems) if status == Status::Blocked => {
                let content = content_of(&loaded.record, problems);
                let patience = if may_be_torn(problems) { RECORD_PATIENCE } else { Duration::ZERO };
                if self.told.contains(&content) {
                    // It is again what it was: nothing is in the making any more.
                    self.torn = None;
                    Finding::Closed
                } else if !self.is_settled(content.clone(), patience) {
                    Finding::Closed
                } else {
                    self.told.insert(content);
                    Finding::Blocked(problems.clone())
                }
            }
            _ => {
                self.torn = None;
                self.open = matches!(status, Status::NoGate | Status::Answered);
                if self.open { Finding::Open } else { Finding::Closed }
            }
        };
        self.loaded = Some(loaded);
        finding
    }

    /// Whether something has looked like this for as long as it must; until then it is only remembered.
    fn is_settled(&mut self, content: String, patience: Duration) -> bool {
        let now = Instant::now();
        let until = match &self.torn {
            Some(torn) if torn.content == content => torn.until,
            _ => now + patience,
        };
        let settled = until <= now;
        self.torn = (!settled).then_some(Torn { content, until });
        settled
    }

    /// How long ago the packet's file was last changed.
    fn age(&self) -> Duration {
        let changed = self.path.metadata().and_then(|meta| meta.modified());
        changed.ok().and_then(|at| at.elapsed().ok()).unwrap_or_default()
    }

    fn record_path(&self, project: &Project) -> Option<PathBuf> {
        let gate = self.loaded.as_ref()?.gate()?;
        Some(safe_path::join(project.root(), &gate.answer_path.lossy()))
    }

    /// Adds where something must happen before the gate can open.
    pub fn add_to(&self, way: &mut WatchSet, project: &Project) {
        way.add(project.root(), &self.real);
        if let Some(record) = self.record_path(project) {
            way.add(project.root(), &record);
        }
    }

    /// Forgets how its files looked: the project is another directory now.
    pub fn forget(&mut self) {
        self.stamps = None;
        self.torn = None;
    }
}

fn content_of(record: &Record, problems: &[Problem]) -> String {
    let bytes = if record.is_read() { record.sha256() } else { String::new() };
    sha256(format!("{bytes}{problems:?}").as_bytes())
}

fn may_be_torn(problems: &[Problem]) -> bool {
    matches!(
        problems.first(),
        Some(Problem { kind: ProblemKind::Syntax(_) | ProblemKind::Unreadable(..), .. })
    )
}

fn stamp(path: &Path) -> Stamp {
    let meta = path.metadata().ok()?;
    let (modified, changed) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    Some((meta.dev(), meta.ino(), meta.len(), modified.0, modified.1, changed.0, changed.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_record_that_is_again_what_it_was_calls_for_no_further_look() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::open(dir.path()).unwrap();
        let packet = dir.path().join("a.packet.json");
        let gate = r#"{"answer_path":"a.json","novel_ask":{"version":1,"topic":"t","questions":[
            {"id":"a","header":"h","question":"q","kind":"free_text","required":true}]}}"#;
        fs::write(&packet, gate).unwrap();
        let record = |text: &str| fs::write(dir.path().join("a.json"), text).unwrap();
        let mut target = Target::new(packet, &project);
        record("[0]");
        assert!(matches!(target.look(&project, true), Finding::Blocked(_)));
        record("{\"torn");
        assert!(matches!(target.look(&project, true), Finding::Closed));
        assert!(target.due().is_some(), "it may still be in the making");
        record("[0]");
        assert!(matches!(target.look(&project, true), Finding::Closed));
        assert_eq!(target.due(), None);
    }
}
