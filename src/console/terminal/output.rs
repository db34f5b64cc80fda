//! The bytes on their way to the terminal, and the thread that writes them: a terminal that takes no output holds up
//! neither keys nor saving nor the way out.
//!
//! It is process-wide, as the modes in `terminal` are, and for the same reason. All that the console sends goes this
//! way, so it arrives in order.

use std::io;
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::platform::terminal::write_all;

static OUTPUT: Mutex<Output> = Mutex::new(Output { waiting: Vec::new(), writing: false, failed: false });
static CHANGED: Condvar = Condvar::new();

struct Output {
    waiting: Vec<u8>,
    /// The thread is writing what waited before.
    writing: bool,
    /// The terminal is gone, and the thread with it.
    failed: bool,
}

impl Output {
    fn is_written(&self) -> bool {
        self.failed || self.waiting.is_empty() && !self.writing
    }
}

fn lock() -> MutexGuard<'static, Output> {
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread. It calls `report` whenever all is written, and with an error, which is its end.
pub(super) fn start(report: impl Fn(io::Result<()>) + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut output = lock();
        loop {
            let waited = CHANGED.wait_while(output, |output| output.waiting.is_empty());
            output = waited.unwrap_or_else(PoisonError::into_inner);
            output.writing = true;
            let bytes = mem::take(&mut output.waiting);
            drop(output);
            let written = write_all(&bytes);
            output = lock();
            (output.writing, output.failed) = (false, written.is_err());
            if output.is_written() {
                CHANGED.notify_all();
                report(written);
            }
            if output.failed {
                return;
            }
        }
    })?;
    Ok(())
}

pub(super) fn write(bytes: &[u8]) {
    let mut output = lock();
    if !output.failed {
        output.waiting.extend_from_slice(bytes);
        CHANGED.notify_all();
    }
}

/// Whether the terminal has taken everything. If not, the thread reports it when it has.
pub(super) fn is_written() -> bool {
    lock().is_written()
}

/// Waits until the terminal has taken everything, but no longer than this.
pub(super) fn wait(limit: Duration) {
    drop(CHANGED.wait_timeout_while(lock(), limit, |output| !output.is_written()));
}
