//! What the writer thread has to do, and what of it is not done yet.

use super::super::rescue::{Rescued, Shelter};
use super::super::{DraftJob, Drafts, Writer};
use crate::ask::JsString;
use crate::error::{Error, Message};
use std::sync::Arc;
use std::time::Instant;

/// Something to be done, once for each gate and kind.
#[derive(Debug)]
pub(super) enum Job {
    Save(Box<DraftJob>, Writer),
    Remove(JsString),
    /// The text of a record that the author has edited; without one, it is to be forgotten.
    Edited(JsString, Option<String>),
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) jobs: Vec<Arc<Job>>,
    /// The job that is being done.
    pub(super) busy: Option<Arc<Job>>,
    pub(super) failures: u64,
    /// Why the last job failed, until one is done.
    pub(super) trouble: Option<Message>,
    /// Not before this moment, unless somebody waits.
    pub(super) resume: Option<Instant>,
    pub(super) closing: bool,
    /// Files elsewhere that hold words of these jobs.
    pub(super) elsewhere: Vec<Shelter>,
}

impl Job {
    pub(super) fn answer_path(&self) -> &JsString {
        match self {
            Job::Save(job, _) => &job.answer_path,
            Job::Remove(answer_path) | Job::Edited(answer_path, _) => answer_path,
        }
    }

    pub(super) fn is_edited(&self) -> bool {
        matches!(self, Job::Edited(..))
    }

    /// Whether this makes an older job for the same gate useless.
    pub(super) fn replaces(&self, older: &Job) -> bool {
        match (self, older) {
            (Job::Edited(..), Job::Edited(..)) | (Job::Remove(_), Job::Remove(_)) => true,
            (Job::Edited(..), _) | (_, Job::Edited(..)) => false,
            // Words of two processes stand beside each other.
            (Job::Save(_, writer), Job::Save(_, other)) => writer == other,
            (Job::Save(_, writer), Job::Remove(_)) | (Job::Remove(_), Job::Save(_, writer)) => {
                *writer == Writer::this_process()
            }
        }
    }

    /// Whether this has to be done before another job that stands beside it: words that earlier runs have left are not what
    /// the author has just had removed.
    fn precedes(&self, other: &Job) -> bool {
        matches!((self, other), (Job::Remove(path), Job::Save(job, _)) if *path == job.answer_path)
    }

    pub(super) fn run(&self, drafts: &Drafts) -> Result<(), Error> {
        match self {
            Job::Save(job, writer) => drafts.save_of(job, writer),
            Job::Remove(answer_path) => drafts.remove(answer_path),
            Job::Edited(answer_path, Some(text)) => drafts.keep_edited(answer_path, text),
            Job::Edited(answer_path, None) => drafts.forget_edited(answer_path),
        }
    }
}

impl Queue {
    /// The author's words that are not on the disk yet. A removal has none.
    pub(super) fn unsaved(&self) -> Rescued {
        let newer = |job: &Job| {
            self.jobs.iter().any(|newer| newer.replaces(job) && newer.answer_path() == job.answer_path())
        };
        let busy = self.busy.iter().filter(|job| !newer(job));
        let mut words = Rescued::default();
        for job in busy.chain(&self.jobs) {
            match &**job {
                Job::Save(job, writer) => words.drafts.push(((**job).clone(), writer.clone())),
                Job::Edited(path, Some(text)) => words.edited.push((path.clone(), text.clone())),
                Job::Edited(_, None) | Job::Remove(_) => {}
            }
        }
        words
    }

    pub(super) fn put(&mut self, job: Job) {
        self.jobs.retain(|old| !(job.replaces(old) && old.answer_path() == job.answer_path()));
        self.jobs.push(Arc::new(job));
    }

    /// Lets the files elsewhere go, once all that they hold is on the disk.
    pub(super) fn clear(&mut self) {
        if self.is_done() {
            self.elsewhere.drain(..).for_each(Shelter::leave);
        }
    }

    /// Takes out the job that is to be done now; there must be one.
    pub(super) fn take(&mut self) -> Arc<Job> {
        let waits = |job: &Arc<Job>| self.jobs.iter().any(|other| other.precedes(job));
        let at = self.jobs.iter().position(|job| !waits(job)).unwrap_or_default();
        self.jobs.remove(at)
    }

    pub(super) fn is_done(&self) -> bool {
        self.busy.is_none() && self.jobs.is_empty()
    }
}
