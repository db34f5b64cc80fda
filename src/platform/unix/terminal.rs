//! The terminal on standard input and output, and the signals of a program that has it.

use crate::platform::facts::Signal;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::termios::tcgetwinsize;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// How often to look where the terminal cannot be waited for (`poll` does not take terminals on every system).
const WITHOUT_POLL: Duration = Duration::from_millis(20);

/// What a terminal must be here: anything that can move its cursor.
pub const IS_CONSOLE: bool = false;

/// What hears the terminal and the system.
pub struct Ears {
    signals: SignalDelivery<UnixStream, SignalOnly>,
    by_poll: bool,
}

/// Wakes the thread that waits with its [`Ears`].
pub struct Waker(UnixStream);

impl Waker {
    pub fn wake(&mut self) {
        // A full pipe will wake the thread just as well.
        let _ = self.0.write(b"h");
    }
}

/// Whether the terminal can move its cursor.
pub fn is_capable() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Takes the terminal, so that keys come as they are typed. The mouse is asked for by an escape sequence.
pub fn take(_mouse: bool) -> io::Result<()> {
    crossterm::terminal::enable_raw_mode()
}

/// Gives the terminal back as it was.
pub fn give_back() -> io::Result<()> {
    crossterm::terminal::disable_raw_mode()
}

/// Catches the signals from now on.
pub fn listen() -> io::Result<(Ears, Waker)> {
    let (woken, wake) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    let caught = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH];
    let signals = SignalDelivery::with_pipe(woken, wake.try_clone()?, SignalOnly, caught)?;
    Ok((Ears { signals, by_poll: true }, Waker(wake)))
}

impl Ears {
    /// Waits for something to happen, no longer than this; whether there are keys. Unless the keys are ours they wake nobody; the end
    /// of the terminal, which is an error, always does.
    pub fn wait(&mut self, is_ours: impl FnOnce() -> bool, limit: Option<Duration>) -> io::Result<bool> {
        let stdin = io::stdin();
        if !self.by_poll {
            thread::sleep(limit.unwrap_or(WITHOUT_POLL));
            tcgetwinsize(&stdin)?;
            return Ok(ioctl_fionread(&stdin)? > 0);
        }
        let keys = if is_ours() { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = [PollFd::new(&stdin, keys), PollFd::new(self.signals.get_read(), PollFlags::IN)];
        let limit = limit.map(|limit| Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() });
        match poll(&mut fds, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let terminal = fds[0].revents();
        self.by_poll = !terminal.contains(PollFlags::NVAL);
        if terminal.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(terminal.contains(PollFlags::IN))
    }

    /// The signals that have come since.
    pub fn signals(&mut self) -> impl Iterator<Item = Signal> + use<> {
        self.signals.pending().map(|signal| match signal {
            SIGWINCH => Signal::Resized,
            SIGTSTP => Signal::Suspend,
            SIGCONT => Signal::Continued,
            SIGINT | SIGQUIT => Signal::Typed(signal),
            _ => Signal::End(signal),
        })
    }
}

/// Reads from the terminal as far as there is something; an error at its end.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(io::stdin(), bytes) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(count) => Ok(count),
        Err(Errno::INTR | Errno::AGAIN) => Ok(0),
        Err(errno) => Err(errno.into()),
    }
}

/// Writes past the standard library's line buffer and its lock, which a thread that hangs may hold. Another program
/// may have left the terminal in non-blocking mode; then this waits.
pub fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    let stdout = rustix::stdio::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(stdout, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None)?;
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Columns and rows of the terminal on standard input.
pub fn input_size() -> io::Result<(u16, u16)> {
    size(io::stdin())
}

/// Columns and rows of the terminal on standard output.
pub fn output_size() -> io::Result<(u16, u16)> {
    size(io::stdout())
}

fn size(terminal: impl AsFd) -> io::Result<(u16, u16)> {
    let size = tcgetwinsize(terminal)?;
    Ok((size.ws_col, size.ws_row))
}

/// The name of the terminal on standard input, such as `/dev/pts/3`.
pub fn name() -> Option<String> {
    let name = rustix::termios::ttyname(io::stdin(), Vec::new());
    name.ok().map(|name| name.to_string_lossy().into_owned())
}

/// Whether this process's group is the one that the terminal listens to. Without job control it always is.
pub fn is_foreground() -> bool {
    let listening_to = rustix::termios::tcgetpgrp(io::stdin());
    !listening_to.is_ok_and(|group| group != rustix::process::getpgrp())
}

/// Whether an error means that the terminal is gone.
pub fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::PIPE | Errno::NXIO | Errno::BADF))
}
