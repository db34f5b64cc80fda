//! What all connections to one file know: whether others hold it up, and what the author has to be told.

use super::StateDir;
use crate::error::{Error, Message};
use crate::text::Lang;
use std::collections::VecDeque;
use std::iter;
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
    untold: VecDeque<Message>,
    /// Since something last worked.
    pub(super) told: Vec<Message>,
}

impl StateDir {
    /// What the author has to know of the database and was not told yet: that a damaged one was set aside.
    pub fn take_notice(&self) -> Option<Message> {
        let mut notices = self.database.common.notices();
        let notice = notices.untold.pop_front()?;
        notices.told.push(notice.clone());
        Some(notice)
    }

    /// All of it, as one.
    pub fn take_notices(&self) -> Option<Message> {
        let notices: Vec<Message> = iter::from_fn(|| self.take_notice()).collect();
        let told = |lang: Lang| {
            let gap = if lang == Lang::En { " " } else { "" };
            notices.iter().map(|notice| notice.text(lang)).collect::<Vec<_>>().join(gap)
        };
        (!notices.is_empty()).then(|| Message::in_both(told))
    }

    /// Tells the author once for as long as it lasts.
    pub(in crate::store) fn notify(&self, notice: Message) {
        self.database.common.notify(notice);
    }

    /// What was found, for those who only look: they do not fail for a database that cannot be used, but it is said. Where
    /// nothing may be written, as in an executor's sandbox, that is no news: whoever may write notes what there is.
    pub fn tolerate<T>(&self, outcome: Result<T, Error>) -> Option<T> {
        let common = &self.database.common;
        let tell = |error: Error| {
            if !common.closed.load(Ordering::Relaxed) {
                common.notify(error.whole());
            }
        };
        outcome.map_err(tell).ok()
    }
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
