//! A terminal that takes no output: stopped by a key, or at the end of a dead line.

use super::{Shared, State, Terminal};
use std::sync::{MutexGuard, PoisonError};

/// Whether anybody reads what the command writes.
#[derive(PartialEq)]
pub(super) enum Reader {
    Reads,
    /// It will rest as soon as it notices.
    Stops,
    Rests,
}

impl Terminal {
    /// Reads nothing more, and fills the terminal until it takes not one byte; the filling shows nothing.
    #[cfg(unix)]
    pub(crate) fn stop_reading(&self) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use std::io::Write as _;
        /// How long the system may take to pass on what a terminal was sent.
        const PASSED_ON: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        /// `O_NONBLOCK`.
        const NO_WAITING: i32 = 0o4000;
        self.lock().reader = Reader::Stops;
        let mut tty = self.device.open(NO_WAITING).expect("the terminal is there");
        // The reader sleeps in a read.
        tty.write_all(b"\0").expect("there is room for a byte");
        self.wait("the reader to rest", super::DEADLINE, |state| state.reader == Reader::Rests);
        loop {
            // For a few bytes there is still room when there is none for many.
            for count in [1 << 12, 1] {
                while tty.write(&[0; 1 << 12][..count]).is_ok() {}
            }
            // The system passes on what it has taken, and then there is room again.
            let mut room = [PollFd::new(&tty, PollFlags::OUT)];
            if poll(&mut room, Some(&PASSED_ON)).expect("a terminal can be waited for") == 0 {
                break;
            }
        }
    }

    /// Reads on.
    pub(crate) fn read_again(&self) {
        self.lock().reader = Reader::Reads;
        self.shared.changed.notify_all();
    }
}

/// The reader's rest while nothing is to be read.
pub(super) fn rest(shared: &Shared, mut state: MutexGuard<State>) {
    while state.reader != Reader::Reads {
        state.reader = Reader::Rests;
        shared.changed.notify_all();
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}
