//! What wakes a command that runs on: a change in the project, a signal, or the reader of its output going away.

use crate::error::Error;
use crate::store::watch::{Options, StoreEvent, Watch};
use crate::store::{Project, SystemClock};
use crate::text::{Lang, say};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long the command may take to end by itself; it cannot end while nobody reads what it prints.
const TO_END: Duration = Duration::from_secs(1);
/// How often to look where the system cannot report that the reader is gone.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub(super) enum Wake {
    /// Something has changed in the project.
    Store(StoreEvent),
    /// The process is to end.
    Signal(u8),
    /// Nobody can read standard output any more.
    Closed,
}

/// Sends the number of the first signal that asks the process to end.
pub(super) fn on_signal(wake: &Sender<Wake>) -> Result<(), Error> {
    let wake = wake.clone();
    let listen = || -> io::Result<()> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let Some(signal) = signals.forever().next() else { return };
            let _ = wake.send(Wake::Signal(u8::try_from(signal).unwrap_or_default()));
            thread::sleep(TO_END);
            let _ = emulate_default_handler(signal);
        })?;
        Ok(())
    };
    listen().map_err(|cause| {
        Error::io("signals", say("Cannot listen for signals.", "无法监听信号。"), &[], &cause)
    })
}

/// Sends this once nobody can read standard output any more.
pub(super) fn on_output_closed<E: Send + 'static>(events: &Sender<E>, closed: E) -> Result<(), Error> {
    let events = events.clone();
    let spawned = thread::Builder::new().name("output".into()).spawn(move || {
        wait_for_hang_up();
        let _ = events.send(closed);
    });
    spawned.map(drop).map_err(|cause| Error::no_thread(&cause))
}

/// Sends what a watch finds.
pub(super) fn on_change(wake: &Sender<Wake>) -> impl Fn(StoreEvent) + Send + use<> {
    let wake = wake.clone();
    move |event| drop(wake.send(Wake::Store(event)))
}

/// Tells `send` what is found in the project until the watch is dropped.
pub(super) fn watch(
    project: &Arc<Project>,
    options: Options,
    send: impl Fn(StoreEvent) + Send + 'static,
) -> Result<Watch, Error> {
    let watch = Watch::start(Arc::clone(project), Arc::new(SystemClock::default()), options, send);
    watch.map_err(|cause| Error::no_thread(&cause))
}

/// The next wake; `None` if none comes before `until`.
pub(super) fn next(wakes: &Receiver<Wake>, until: Option<Instant>) -> Option<Wake> {
    let Some(until) = until else { return wakes.recv().ok() };
    wakes.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
}

pub(super) fn signal_sentence(lang: Lang, signal: u8) -> String {
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
