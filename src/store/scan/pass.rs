//! One pass over files.
//!
//! Responsible for looking at the files of a folder, on several threads if many are new, and for what has to be looked
//! at again. Not responsible for which folders (`scan`).

use super::judge::ScanContext;
use super::slot::{self, Due, Slot};
use crate::store::entry::Entry;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Files between two partial lists.
pub(super) const BATCH: usize = 4_096;
/// Files before the first partial list, so that there is soon something to see; each further one may be four times as
/// long, up to [`BATCH`].
pub(super) const FIRST_BATCH: usize = 32;
/// Fewer new files than this are read on one thread.
pub(super) const ENOUGH_FOR_THREADS: usize = 256;

/// One pass in progress.
pub(super) struct Pass<'p> {
    pub bench: ScanContext<'p>,
    pub packet_patience: Duration,
    pub threads: usize,
    pub changed: bool,
    pub unsettled: &'p mut BTreeMap<PathBuf, Due>,
    pub emit: &'p mut dyn FnMut(&[Arc<Entry>]),
    /// How many files the next partial list is about.
    pub share: usize,
}

/// One file of a folder under examination.
struct Work {
    name: Arc<OsStr>,
    slot: Option<Slot>,
    changed: bool,
}

impl Pass<'_> {
    /// Looks at the files of one folder.
    pub(super) fn folder(
        &mut self,
        dir: BorrowedFd<'_>,
        folder: &Arc<Path>,
        names: Vec<Arc<OsStr>>,
        old: Vec<Slot>,
    ) -> Vec<Slot> {
        let mut work = self.pair(names, old);
        let mut slots = Vec::with_capacity(work.len());
        let mut rest = work.as_mut_slice();
        while !rest.is_empty() {
            let all = std::mem::take(&mut rest);
            let (batch, behind) = all.split_at_mut(self.share.min(all.len()));
            rest = behind;
            self.share = (self.share * 4).min(BATCH);
            self.batch(dir, folder, batch);
            let mut fresh = Vec::new();
            for item in batch {
                self.changed |= item.changed;
                self.note(&folder.join(&*item.name), item.slot.as_ref());
                let Some(slot) = item.slot.take() else { continue };
                if item.changed {
                    fresh.extend(slot.entry.clone());
                }
                slots.push(slot);
            }
            if !fresh.is_empty() {
                (self.emit)(&fresh);
            }
        }
        slots.shrink_to_fit();
        slots
    }

    /// Brings names and what is known of them together; both are sorted.
    fn pair(&mut self, names: Vec<Arc<OsStr>>, old: Vec<Slot>) -> Vec<Work> {
        let mut old = old.into_iter().peekable();
        let mut work = Vec::with_capacity(names.len());
        for name in names {
            while let Some(gone) = old.next_if(|slot| slot.name < name) {
                self.changed |= gone.entry.is_some();
            }
            let slot = old.next_if(|slot| slot.name == name);
            // The name is shared with what is known, instead of kept twice.
            let name = slot.as_ref().map_or(name, |slot| Arc::clone(&slot.name));
            work.push(Work { name, slot, changed: false });
        }
        self.changed |= old.any(|gone| gone.entry.is_some());
        work
    }

    fn batch(&self, dir: BorrowedFd<'_>, folder: &Arc<Path>, batch: &mut [Work]) {
        let (bench, patience) = (&self.bench, self.packet_patience);
        let examine = |items: &mut [Work]| {
            for item in items {
                let examined = slot::examine(bench, patience, (dir, folder, &item.name), item.slot.take());
                (item.slot, item.changed) = examined;
            }
        };
        let new = batch.iter().filter(|item| item.slot.is_none()).count();
        if new < ENOUGH_FOR_THREADS || self.threads < 2 {
            examine(batch);
            return;
        }
        // Small shares, so that no thread waits long for the last one.
        let size = batch.len().div_ceil(self.threads * 4);
        let shares = Mutex::new(batch.chunks_mut(size));
        let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while let Some(share) = next() {
                        examine(share);
                    }
                });
            }
        });
    }

    pub(super) fn one(
        &mut self,
        dir: BorrowedFd<'_>,
        folder: &Arc<Path>,
        name: &Arc<OsStr>,
        old: Option<Slot>,
    ) -> Option<Slot> {
        let (slot, changed) = slot::examine(&self.bench, self.packet_patience, (dir, folder, name), old);
        self.changed |= changed;
        if changed && let Some(entry) = slot.as_ref().and_then(|slot| slot.entry.clone()) {
            (self.emit)(&[entry]);
        }
        slot
    }

    pub(super) fn note(&mut self, path: &Path, slot: Option<&Slot>) {
        match slot.and_then(Slot::due) {
            Some(due) => drop(self.unsettled.insert(path.to_path_buf(), due)),
            None => drop(self.unsettled.remove(path)),
        }
    }
}
