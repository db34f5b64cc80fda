//! What jobs work on: the project's files, and what is kept for the author.
//!
//! Everything here may wait for the disk, so the program runs it on a thread of its own; stories run it in place. What
//! each screen needs of it stands with the screen.

use super::sentences as s;
use crate::error::Message;
use crate::store::clock::Clock;
use crate::store::drafts::Drafts;
use crate::store::drafts::autosave::Autosave;
use crate::store::gate::{self, LoadFault, Loaded};
use crate::store::hearing::HearingCache;
use crate::store::history::History;
use crate::store::lock::Lock;
use crate::store::project::Project;
use crate::store::state::StateDir;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long anything waits for drafts that are on their way to the disk.
pub(crate) const FLUSH: Duration = Duration::from_millis(450);

pub struct Files {
    pub project: Arc<Project>,
    /// Where drafts and history lie.
    pub state: StateDir,
    pub clock: Arc<dyn Clock>,
    /// The thread that keeps drafts safe; without one they are written in place.
    pub autosave: Option<Arc<Autosave>>,
    /// The lock of the gate that is being answered.
    pub(crate) answering: Mutex<Option<Lock>>,
    pub(crate) hearings: Mutex<HearingCache>,
}

impl Files {
    pub fn new(
        project: Arc<Project>,
        state: StateDir,
        clock: Arc<dyn Clock>,
        autosave: Option<Arc<Autosave>>,
    ) -> Files {
        Files { project, state, clock, autosave, answering: Mutex::default(), hearings: Mutex::default() }
    }

    pub(crate) fn load(&self, path: &Path) -> Result<Loaded, LoadFault> {
        gate::load(&self.project, &self.root_path(path))
    }

    pub(crate) fn load_or_say(&self, path: &Path) -> Result<Loaded, Message> {
        self.load(path).map_err(|fault| s::not_loaded(&fault))
    }

    pub(crate) fn root_path(&self, path: &Path) -> PathBuf {
        self.project.root().join(path)
    }

    pub(crate) fn drafts(&self) -> Drafts {
        Drafts::new(&self.state)
    }

    pub fn history(&self) -> History<'_> {
        History { project: &self.project, state: &self.state, now: self.clock.now() }
    }

    /// Lets other consoles see that the gate is not being answered here any more.
    pub(crate) fn release_gate(&self) {
        drop(self.answering.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Writes the drafts that are still on their way to the disk.
    pub(crate) fn flush_drafts(&self) {
        // The autosave itself reports a failure.
        self.are_drafts_kept();
    }

    /// The same, and whether they are on the disk now.
    pub(crate) fn are_drafts_kept(&self) -> bool {
        self.autosave.as_ref().is_none_or(|autosave| autosave.flush(FLUSH))
    }
}

/// Of the record that is there.
pub(crate) fn hash_of(loaded: &Loaded) -> Option<String> {
    loaded.record.exists().then(|| loaded.record.sha256())
}
