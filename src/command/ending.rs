//! What ends a command that runs on: a signal, or the reader of its output going away.
//!
//! Responsible for noticing both while nothing else happens.

use crate::error::Error;
use crate::text::{Lang, say};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

/// How long the command may take to end by itself; it cannot while nobody reads what it prints.
const TO_END: Duration = Duration::from_secs(1);
/// How often to look where waiting for the reader's end does not work.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Sends what `told` makes of the number of the first signal that asks the process to end.
///
/// # Errors
/// The system has no thread or no pipe to give.
pub(super) fn on_signal<W: Send + 'static>(
    wake: &Sender<W>,
    told: impl Fn(u8) -> W + Send + 'static,
) -> Result<(), Error> {
    let wake = wake.clone();
    let listen = || -> io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let Some(signal) = signals.forever().next() else { return };
            let _ = wake.send(told(u8::try_from(signal).unwrap_or_default()));
            thread::sleep(TO_END);
            let _ = emulate_default_handler(signal);
        })?;
        Ok(())
    };
    listen().map_err(|cause| {
        Error::io("signals", say("Cannot listen for signals.", "无法监听信号。"), &[], &cause)
    })
}

/// Sends `told` once nobody can read standard output any more.
///
/// # Errors
/// The system has no thread to give.
pub(super) fn on_output_closed<W: Send + 'static>(wake: &Sender<W>, told: W) -> Result<(), Error> {
    let wake = wake.clone();
    let spawned = thread::Builder::new().name("output".into()).spawn(move || {
        wait_for_hang_up();
        let _ = wake.send(told);
    });
    spawned.map(drop).map_err(|cause| no_thread(&cause))
}

/// The error for a system that has no thread to give.
pub(super) fn no_thread(cause: &io::Error) -> Error {
    Error::io("threads", say("Cannot start a thread.", "无法启动线程。"), &[], cause)
}

/// What is said about a signal that ended the process.
pub(super) fn sentence(lang: Lang, signal: u8) -> String {
    say("Ended by signal {0}.", "被信号 {0} 终止。").fill(lang, &[&signal.to_string()])
}

/// Returns when the reader of standard output has gone; never for a file.
fn wait_for_hang_up() {
    let stdout = io::stdout();
    loop {
        // No events asked for: only the end of the other side wakes this.
        let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => {}
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => return,
            // Some systems return at once with "not a valid descriptor" for a healthy terminal.
            _ => thread::sleep(LOOK_EVERY),
        }
    }
}
