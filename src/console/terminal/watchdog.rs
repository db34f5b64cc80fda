//! Ends the process when the main loop should end and does not. The orderly end is in `run_loop`.

use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::console::terminal;

/// How long the main loop may take to notice that it must end.
const TO_NOTICE: Duration = Duration::from_millis(500);
/// How long it may then take to save and leave.
const TO_LEAVE: Duration = Duration::from_secs(1);
/// How long saving may take on the last way out.
const TO_SAVE: Duration = Duration::from_millis(700);
/// The exit code of a program whose terminal hung up.
pub(super) const HUNG_UP: i32 = 128 + 1;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Running,
    Ending,
    Ended,
}

/// Saves what can be saved without the main loop, and gives what must be said of it.
type Rescue = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Ends the process when the main loop does not.
pub(super) struct LastResort {
    phase: Mutex<Phase>,
    changed: Condvar,
    rescue: Rescue,
}

impl LastResort {
    pub(super) fn new(rescue: Rescue) -> Arc<LastResort> {
        let (phase, changed) = (Mutex::new(Phase::Running), Condvar::new());
        Arc::new(LastResort { phase, changed, rescue })
    }

    /// The main loop has come so far.
    pub(super) fn enter(&self, phase: Phase) {
        *self.lock() = phase;
        self.changed.notify_all();
    }

    /// Lets `ask` ask the main loop to end. If it does not, the process ends here with `code`.
    pub(super) fn end(&self, code: i32, ask: impl FnOnce()) {
        // A signal after the console: the rest of the program has no other handler.
        if *self.lock() == Phase::Ended {
            process::exit(code);
        }
        ask();
        if self.reaches(Phase::Ending, TO_NOTICE) && self.reaches(Phase::Ended, TO_LEAVE) {
            return;
        }
        let rescue = Arc::clone(&self.rescue);
        let unsaved = terminal::within(TO_SAVE, move || rescue()).flatten();
        terminal::restore();
        if let Some(unsaved) = unsaved {
            terminal::print_last(&unsaved);
        }
        process::exit(code);
    }

    fn reaches(&self, phase: Phase, limit: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), limit, |now| *now < phase);
        *waited.unwrap_or_else(PoisonError::into_inner).0 >= phase
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_waited_for_in_order() {
        let last_resort = LastResort::new(Arc::new(|| None));
        assert!(!last_resort.reaches(Phase::Ending, Duration::ZERO));
        last_resort.enter(Phase::Ending);
        assert!(last_resort.reaches(Phase::Ending, Duration::ZERO));
        assert!(!last_resort.reaches(Phase::Ended, Duration::ZERO));
        last_resort.enter(Phase::Ended);
        assert!(last_resort.reaches(Phase::Ended, Duration::ZERO));
    }
}
