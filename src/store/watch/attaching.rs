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
    /// Why one could not be attached.
    fault: Option<Message>,
}

impl Attaching {
    /// Whether a look may have found packets that are to get a question, or some are left; what failed is tried again when everything
    /// is looked at.
    pub(super) fn is_due(&self, looked: Outcome) -> bool {
        looked.changed || self.is_behind || self.fault.is_some() && !looked.partial
    }

    /// Attaches questions to some of the packets that are to get one; those that were tried, if one of them got it.
    pub(super) fn attach(&mut self, project: &Project, entries: &[Arc<Entry>]) -> Option<Vec<PathBuf>> {
        let due = entries.iter().filter(|entry| entry.is_unattached && entry.refusal.is_none());
        let mut due: Vec<PathBuf> = due.map(|entry| project.root().join(&entry.path)).collect();
        let rest = due.split_off(due.len().min(MOST));
        let (mut is_any, mut fault) = (false, None);
        for path in &due {
            match attach(project, path) {
                Ok(is_attached) => is_any |= is_attached,
                Err(error) => fault = Some(error.message),
            }
        }
        *self = Attaching { is_behind: is_any && !rest.is_empty(), fault };
        is_any.then_some(due)
    }

    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    pub(super) fn fault(&self) -> Option<&Message> {
        self.fault.as_ref()
    }
}
