//! Signals as events of the main loop: TERM, HUP, INT and QUIT (end), TSTP (stop), CONT (continue). Size changes come
//! from `event`.
//!
//! Handlers are installed even where HUP was ignored when the program started: a console whose terminal is gone has
//! nothing to stay for.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::console::terminal::event::Event;
use crate::console::terminal::watchdog::LastResort;

/// The exit code of a program that was ended by a signal.
pub(super) fn exit_code(signal: i32) -> i32 {
    128 + signal
}

/// Starts turning signals into events. While `lent` is set another program has the terminal: what is typed there is
/// meant for it, and stopping it must stop this process too, or the shell would wait for ever.
pub(super) fn watch(
    sender: Sender<Event>,
    lent: Arc<AtomicBool>,
    last_resort: Arc<LastResort>,
) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            let lent = lent.load(Ordering::SeqCst);
            match signal {
                SIGTSTP if lent => stop_self(),
                SIGCONT | SIGINT | SIGQUIT if lent => {}
                // Sending fails only when the main loop is gone, and then `last_resort` knows.
                SIGTSTP => drop(sender.send(Event::Suspend)),
                SIGCONT => drop(sender.send(Event::Continued)),
                _ => {
                    last_resort.arm(exit_code(signal));
                    let _ = sender.send(Event::Ending(signal));
                }
            }
        }
    })?;
    Ok(())
}

/// Stops this process as the shell expects of Ctrl-Z. STOP and not TSTP: the latter has a handler now. Returns after
/// the process was continued.
pub(super) fn stop_self() {
    let _ = kill_process(getpid(), Signal::STOP);
}
