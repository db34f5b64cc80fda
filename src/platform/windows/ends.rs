//! What asks the process to end: Ctrl-C, Ctrl-Break, the end of its console or of the session.
//!
//! Windows ends a process as soon as it has heard of the end of its console. Here it never says that it has, so that whatever
//! is to be saved is saved, within the few seconds that Windows waits.

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
    ctrl_shutdown,
};

/// The numbers that other systems give to Ctrl-C and to the end of a terminal.
pub(super) const INTERRUPT: i32 = 2;
const HANG_UP: i32 = 1;

/// Hears it from now on; without this the process ends at once.
pub struct EndSignals {
    keys: (CtrlC, CtrlBreak),
    close: CtrlClose,
    session: (CtrlLogoff, CtrlShutdown),
}

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl EndSignals {
    pub fn catch() -> io::Result<EndSignals> {
        Ok(EndSignals {
            keys: (ctrl_c()?, ctrl_break()?),
            close: ctrl_close()?,
            session: (ctrl_logoff()?, ctrl_shutdown()?),
        })
    }

    /// Waits for the first of them, and gives its number.
    pub fn wait(&mut self) -> Option<i32> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            if let Some(number) = self.heard(&mut Context::from_waker(&waker)) {
                return Some(number);
            }
            thread::park();
        }
    }

    /// The number of one that has come.
    pub(super) fn next(&mut self) -> Option<i32> {
        self.heard(&mut Context::from_waker(Waker::noop()))
    }

    fn heard(&mut self, waiting: &mut Context<'_>) -> Option<i32> {
        let is_here = |polled: Poll<Option<()>>| polled.is_ready();
        // Each of them: only those that were asked wake the thread.
        let ended = [
            is_here(self.close.poll_recv(waiting)),
            is_here(self.session.0.poll_recv(waiting)),
            is_here(self.session.1.poll_recv(waiting)),
        ];
        let typed = [is_here(self.keys.0.poll_recv(waiting)), is_here(self.keys.1.poll_recv(waiting))];
        match (ended.contains(&true), typed.contains(&true)) {
            (true, _) => Some(HANG_UP),
            (_, true) => Some(INTERRUPT),
            _ => None,
        }
    }
}
