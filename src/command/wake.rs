//! What wakes a command that runs on: a change in the project, a signal, or the reader of its output going away.

use crate::error::Error;
use crate::platform::processes::{self, EndSignals};
use crate::store::watch::{Options, StoreEvent, Watch};
use crate::store::{Project, SystemClock};
use crate::text::{Lang, say};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long the command may take to end by itself; it cannot end while nobody reads what it prints.
const TO_END: Duration = Duration::from_secs(1);

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
        let mut signals = EndSignals::catch()?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            let Some(signal) = signals.wait() else { return };
            let _ = wake.send(Wake::Signal(u8::try_from(signal).unwrap_or_default()));
            thread::sleep(TO_END);
            processes::end_by(signal);
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
        processes::wait_for_output_to_close();
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

/// The next event; `None` if none comes before `until`.
pub(super) fn next<E>(events: &Receiver<E>, until: Option<Instant>) -> Option<E> {
    let Some(until) = until else { return events.recv().ok() };
    events.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
}

pub(super) fn signal_sentence(lang: Lang, signal: u8) -> String {
    say("Ended by signal {0}.", "被信号 {0} 终止。").fill(lang, &[&signal.to_string()])
}
