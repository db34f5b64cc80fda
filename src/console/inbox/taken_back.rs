//! Records that were taken back from here, or by somebody else.

use super::Inbox;
use crate::console::model::{Entry, Status};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Inbox {
    /// What was removed before cannot come back over records that were written since.
    pub fn forget_redone<'p>(&mut self, mut written: impl Iterator<Item = &'p Path>) {
        self.redone.take_if(|redone| written.any(|path| path == redone));
    }

    /// Forgets that a record was taken back from here, now that it is seen to go. Looks from before it was written may still
    /// arrive: in them it waits too.
    pub(super) fn see_taken_back(&mut self, entries: &[Arc<Entry>]) {
        if self.taken_back.is_empty() {
            return;
        }
        let waits = entries.iter().filter(|entry| entry.status == Status::Waiting);
        let waits: HashSet<&Path> = waits.map(|entry| &*entry.path).collect();
        for entry in self.entries.iter().filter(|entry| entry.status != Status::Waiting) {
            if waits.contains(&*entry.path) {
                self.taken_back.remove(&*entry.path);
            }
        }
    }

    /// A packet whose record somebody else seems to have removed, by the entries that have changed. While a record is being
    /// replaced, it is gone for a moment.
    pub fn lost_record(&self, before: &[Arc<Entry>], changed: &[Arc<Entry>]) -> Option<PathBuf> {
        let open = |entry: &&Arc<Entry>| matches!(entry.status, Status::Answered | Status::Blocked);
        if changed.iter().filter(open).count() >= before.iter().filter(open).count() {
            return None;
        }
        let had: HashSet<(&Path, _)> =
            before.iter().filter(open).map(|entry| (&*entry.path, &entry.answer_path)).collect();
        let waits = changed.iter().filter(|entry| entry.status == Status::Waiting);
        let mut lost = waits.filter(|entry| had.contains(&(&*entry.path, &entry.answer_path)));
        lost.find(|entry| !self.is_removed_here(entry)).map(|entry| entry.path.to_path_buf())
    }

    /// Whether the record of an entry, which other packets may share, was removed from here.
    pub fn is_removed_here(&self, entry: &Entry) -> bool {
        let removed = |path: &Path| self.redone.as_deref() == Some(path) || self.taken_back.contains(path);
        removed(&entry.path) || entry.others().any(|(path, _)| removed(path))
    }

    /// The packets that share the record of this one, itself among them.
    pub fn sharing(&self, path: &Path) -> Vec<PathBuf> {
        let entry = self.entry_at(path).into_iter();
        let others = entry.flat_map(Entry::others).map(|(other, _)| other.to_path_buf());
        others.chain([path.to_path_buf()]).collect()
    }
}
