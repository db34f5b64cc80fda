//! What all connections to one file know: whether others hold it up, and what the author has to be told.

use crate::error::Message;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long another process is waited for: once, and then no longer than it takes to commit until something has worked.
pub(super) const BUSY: Duration = Duration::from_secs(5);
const STILL_BUSY: Duration = Duration::from_millis(100);
/// What all connections to one file know.
#[derive(Debug, Default)]
pub(super) struct Common {
    notices: Mutex<Notices>,
    /// Whether another process was waited for in vain.
    pub(super) busy: AtomicBool,
    /// Whether the last job failed because nothing may be written here.
    pub(super) closed: AtomicBool,
}

/// What the author has to know.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// The oldest first.
    pub(super) untold: VecDeque<Message>,
    /// Since something last worked.
    pub(super) told: Vec<Message>,
}

impl Common {
    pub(super) fn notices(&self) -> MutexGuard<'_, Notices> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the author, once for as long as it lasts.
    pub(super) fn notify(&self, notice: Message) {
        let mut notices = self.notices();
        if !notices.untold.contains(&notice) && !notices.told.contains(&notice) {
            notices.untold.push_back(notice);
        }
    }

    /// How long another process is waited for now.
    pub(super) fn patience(&self) -> Duration {
        if self.busy.load(Ordering::Relaxed) { STILL_BUSY } else { BUSY }
    }
}
