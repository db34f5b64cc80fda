//! Notices that the terminal is gone, and ends the process when the main loop should end and does not. The orderly end
//! is in `run_loop`.

use std::io;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::termios::tcgetwinsize;

use crate::console::terminal;
use crate::console::terminal::event::Event;

/// How long the main loop may take to notice that it must end.
const TO_NOTICE: Duration = Duration::from_millis(500);
/// How long it may then take to save and leave.
const TO_LEAVE: Duration = Duration::from_secs(1);
/// How long saving may take on the last way out.
const TO_SAVE: Duration = Duration::from_millis(700);
/// How often to look at the terminal where waiting for its end does not work.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The exit code of a program whose terminal hung up.
pub(super) const HUNG_UP: i32 = 128 + 1;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
    /// The main loop is saving and leaving.
    Ending,
    /// It has given the terminal back.
    Ended,
}

/// Ends the process when the main loop does not.
pub(super) struct LastResort {
    phase: Mutex<Phase>,
    changed: Condvar,
    armed: AtomicBool,
    /// Saves what can be saved without the main loop.
    rescue: Rescue,
}

/// Saves, and gives what must be said of it.
type Rescue = Arc<dyn Fn() -> Option<String> + Send + Sync>;

impl LastResort {
    pub(super) fn new(rescue: Rescue) -> Arc<LastResort> {
        let (phase, changed) = (Mutex::new(Phase::Running), Condvar::new());
        Arc::new(LastResort { phase, changed, armed: AtomicBool::new(false), rescue })
    }

    /// The main loop has noticed and is ending.
    pub(super) fn main_loop_ending(&self) {
        self.enter(Phase::Ending);
    }

    /// The main loop is over and the terminal is given back.
    pub(super) fn main_loop_ended(&self) {
        self.enter(Phase::Ended);
    }

    /// Call this just before the main loop is asked to end: if it does not, the process ends here with `code`.
    pub(super) fn arm(self: &Arc<Self>, code: i32) {
        // A signal after the console: the rest of the program has no other handler.
        if *self.lock() == Phase::Ended {
            process::exit(code);
        }
        // A closed terminal often comes with a signal. The first reason counts, and saving happens once.
        if self.armed.swap(true, Ordering::SeqCst) {
            return;
        }
        let this = Arc::clone(self);
        // Without a thread there is no last resort; the main loop is asked to end all the same.
        let _ = thread::Builder::new().name("last resort".into()).spawn(move || this.wait(code));
    }

    fn wait(&self, code: i32) {
        if self.reaches(Phase::Ending, TO_NOTICE) && self.reaches(Phase::Ended, TO_LEAVE) {
            return;
        }
        let rescue = Arc::clone(&self.rescue);
        let (tell, told) = mpsc::channel();
        terminal::within(TO_SAVE, move || drop(tell.send(rescue())));
        terminal::restore();
        if let Ok(Some(unsaved)) = told.try_recv() {
            terminal::print_last(&unsaved);
        }
        process::exit(code);
    }

    fn enter(&self, phase: Phase) {
        *self.lock() = phase;
        self.changed.notify_all();
    }

    fn reaches(&self, phase: Phase, limit: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), limit, |now| *now < phase);
        let (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *now >= phase
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread that sleeps until the terminal is gone.
pub(super) fn watch_terminal(sender: Sender<Event>, last_resort: Arc<LastResort>) -> io::Result<()> {
    thread::Builder::new().name("watchdog".into()).spawn(move || {
        wait_for_hang_up();
        last_resort.arm(HUNG_UP);
        // Sending fails only when the main loop is over.
        let _ = sender.send(Event::Hangup);
    })?;
    Ok(())
}

/// Returns when the terminal on standard input is gone.
fn wait_for_hang_up() {
    let stdin = io::stdin();
    loop {
        // No events asked for: typed keys do not wake this, a hang-up always does.
        let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => continue,
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) && is_gone() => return,
            // Some systems return at once with "not a valid descriptor" for a healthy terminal, and a hang-up may be
            // visible before the terminal answers as gone.
            _ => thread::sleep(LOOK_EVERY),
        }
        if is_gone() {
            return;
        }
    }
}

fn is_gone() -> bool {
    matches!(tcgetwinsize(io::stdin()), Err(Errno::IO | Errno::NXIO | Errno::BADF))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_waited_for_in_order() {
        let last_resort = LastResort::new(Arc::new(|| None));
        assert!(!last_resort.reaches(Phase::Ending, Duration::ZERO));
        last_resort.main_loop_ending();
        assert!(last_resort.reaches(Phase::Ending, Duration::ZERO));
        assert!(!last_resort.reaches(Phase::Ended, Duration::ZERO));
        last_resort.main_loop_ended();
        assert!(last_resort.reaches(Phase::Ended, Duration::ZERO));
    }
}
