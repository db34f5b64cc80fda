//! How much of what comes from outside may wait for this program: what is more is not fetched until there is room again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What one thing counts beside what it holds.
const EACH: usize = 128;

/// The room, in bytes.
#[derive(Debug)]
pub(super) struct Backlog {
    room: usize,
    taken: Mutex<usize>,
    freed: Condvar,
}

/// A part of the room, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    of: Arc<Backlog>,
    bytes: usize,
}

impl Backlog {
    pub(super) fn of(room: usize) -> Arc<Backlog> {
        Arc::new(Backlog { room, taken: Mutex::new(0), freed: Condvar::new() })
    }

    /// Waits until there is room; one thing that is larger than all of it has it alone.
    pub(super) fn take(self: &Arc<Backlog>, bytes: usize) -> Share {
        let bytes = bytes + EACH;
        let is_full = |taken: &mut usize| *taken > 0 && *taken + bytes > self.room;
        let waited = self.freed.wait_while(self.lock(), is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += bytes;
        Share { of: Arc::clone(self), bytes }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.of.lock() -= self.bytes;
        self.of.freed.notify_all();
    }
}
