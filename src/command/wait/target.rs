//! One packet that is waited for.
//!
//! Responsible for looking at it only when something differs, and for patience with files that are being written. Not
//! responsible for when to look, nor for what is said about it (`wait`).

use crate::ask::{Problem, ProblemKind};
use crate::error::Error;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::scan::{PACKET_PATIENCE, RECORD_PATIENCE};
use crate::store::{Project, Record, RecordState, sha256};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

/// One packet that is waited for.
#[derive(Debug)]
pub(in crate::command) struct Target {
    path: PathBuf,
    /// For people and programs: relative to the root.
    pub shown: String,
    /// As it could last be read.
    pub loaded: Option<Loaded>,
    /// Whether the step may run.
    pub open: bool,
    /// Of the packet and its record when they were last read.
    stamps: Option<[Stamp; 2]>,
    torn: Option<Torn>,
    /// What has already been said about its record.
    said: Option<String>,
}

/// What a look has found.
#[derive(Debug)]
pub(in crate::command) enum Finding {
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
    pub(in crate::command) fn new(path: PathBuf, project: &Project) -> Target {
        let shown = project.relative(&path).to_string_lossy().into_owned();
        Target { path, shown, loaded: None, open: false, stamps: None, torn: None, said: None }
    }

    /// When it must be looked at although nothing changes.
    pub(in crate::command) fn due(&self) -> Option<Instant> {
        self.torn.as_ref().map(|torn| torn.until)
    }

    /// Looks, if something may have changed or `sure` is asked for.
    pub(in crate::command) fn look(&mut self, project: &Project, sure: bool) -> Finding {
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
                // Somebody may be about to put a new one in its place.
                if self.is_settled(format!("{error:?}"), PACKET_PATIENCE) {
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
                if self.said.as_ref() == Some(&content) {
                    // It is again what it was: nothing is in the making any more.
                    self.torn = None;
                    Finding::Closed
                } else if !self.is_settled(content.clone(), patience) {
                    Finding::Closed
                } else {
                    self.said = Some(content);
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
        let mut path = project.root().to_path_buf();
        let relative = gate.answer_path.lossy().into_owned();
        path.extend(Path::new(&relative).components().filter(|part| matches!(part, Component::Normal(_))));
        Some(path)
    }

    /// The directories in which something must happen before the gate can open.
    pub(in crate::command) fn directories(&self, project: &Project) -> impl Iterator<Item = PathBuf> {
        let packet = self.path.parent().map(Path::to_path_buf);
        let record = self.record_path(project);
        let nearest = record
            .as_ref()
            .and_then(|path| path.ancestors().skip(1).find(|dir| dir.is_dir()))
            .map(Path::to_path_buf);
        packet.into_iter().chain(nearest)
    }
}

fn content_of(record: &Record, problems: &[Problem]) -> String {
    if record.is_read() { record.sha256() } else { sha256(format!("{problems:?}").as_bytes()) }
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
