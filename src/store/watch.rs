//! Looking at the right moment: a thread that owns the scanner and looks when the system hints at a change, and again and
//! again in case it did not.

mod directories;
mod worker;

pub use directories::{Connect, Mode, Why};
pub use worker::{Options, Pace, StoreEvent};

use super::clock::Clock;
use super::project::Project;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use worker::{Signal, Worker};

/// The thread's handle. Dropping it stops the thread.
#[derive(Debug)]
pub struct Watch {
    signals: Sender<Signal>,
}

impl Watch {
    /// Starts watching. `send` is called on the thread; the first call is soon, with the first packets.
    pub fn start(
        project: Arc<Project>,
        clock: Arc<dyn Clock>,
        options: Options,
        send: impl FnMut(StoreEvent) + Send + 'static,
    ) -> io::Result<Watch> {
        let (signals, inbox) = mpsc::channel();
        let worker = Worker::new(project, clock, options, Box::new(send), signals.clone());
        thread::Builder::new().name("watch".into()).spawn(move || worker.run(&inbox))?;
        Ok(Watch { signals })
    }

    /// Looks now, and lists every directory, though nothing about it has changed.
    pub fn rescan(&self) {
        let _ = self.signals.send(Signal::Rescan);
    }

    /// Looks now: something has just been written.
    pub fn look(&self) {
        let _ = self.signals.send(Signal::Look);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // What the thread is doing may still finish.
        let _ = self.signals.send(Signal::Stop);
    }
}

#[cfg(test)]
mod tests;
