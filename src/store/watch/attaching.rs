//! Attaching as packets appear: a few at a time, so that the list of them does not wait for all.

use crate::store::attach::attach;
use crate::store::entry::Entry;
use crate::store::project::Project;
use crate::store::scan::Outcome;
use crate::text::Message;
use std::path::PathBuf;
use std::sync::Arc;

/// So many packets get a standing question between two lists of them.
const MOST: usize = 16;

/// What is left to be done.
#[derive(Debug, Default)]
pub(super) struct Attaching {
    /// More packets are to get one.
    is_behind: bool,
    /// One that was tried is to get one still: somebody wrote it meanwhile, and it has been seen so.
    is_left: bool,
    /// Why one could not be attached.
    fault: Option<Message>,
}

impl Attaching {
    /// Whether a look may have found packets that are to get a question, or some are left; what failed is tried again when everything
    /// is looked at.
    pub(super) fn is_due(&self, looked: Outcome) -> bool {
        looked.changed || self.is_behind || self.is_left || self.fault.is_some() && !looked.partial
    }

    /// Attaches questions to some of the packets that are to get one; those that were tried, if one of them got it.
    pub(super) fn attach(&mut self, project: &Project, entries: &[Arc<Entry>]) -> Option<Vec<PathBuf>> {
        let (mut tried, mut attached) = (Vec::new(), 0);
        *self = Attaching::default();
        for path in due(entries).map(|entry| project.root().join(&entry.path)) {
            if attached == MOST {
                self.is_behind = true;
                break;
            }
            match attach(project, &path) {
                Ok(true) => attached += 1,
                Ok(false) => self.is_left = true,
                // It keeps no other from being tried.
                Err(error) => self.fault = Some(error.message),
            }
            tried.push(path);
        }
        (attached > 0).then_some(tried)
    }

    /// Sees what has come of it.
    pub(super) fn see(&mut self, entries: &[Arc<Entry>]) {
        self.is_left = self.fault.is_none() && due(entries).next().is_some();
    }

    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    pub(super) fn fault(&self) -> Option<&Message> {
        self.fault.as_ref()
    }
}

/// The packets that are to get a question, or to lose one.
fn due(entries: &[Arc<Entry>]) -> impl Iterator<Item = &Arc<Entry>> {
    entries.iter().filter(|entry| entry.is_unattached && entry.refusal.is_none())
}
