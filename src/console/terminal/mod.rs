//! The terminal as the console borrows it: taken, drawn on, given back.
//!
//! Each frame is one write, and the terminal is given back whatever happens, panics included. `output` writes, on a
//! thread of its own.
//!
//! What is switched on is kept in process-wide flags, because the last way out (a panic hook, a thread that ends a
//! hung program) has no other way to know.

mod backend;
mod decoder;
pub mod editor;
pub mod event;
pub(super) mod focus;
pub(super) mod notify;
mod output;
pub mod run_loop;
mod signal;
mod watchdog;

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, Once, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::console::terminal::backend::WideBackend;
use ratatui::Frame;
use ratatui::backend::{Backend as _, ClearType};
use rustix::io::Errno;

/// One thing that is switched on at the terminal, with the bytes that do and undo it.
struct Mode {
    flag: u8,
    on: &'static [u8],
    off: &'static [u8],
}

const RAW: u8 = 1;
const MOUSE: u8 = 8;

/// In the order of switching on. Mouse: presses and wheel only (1000), with columns beyond 223 (1006); reports of
/// every movement would wake the program for nothing. With it goes the focus (1004): it tells which presses are meant. Leaving the alternate screen comes last, so that everything
/// else is undone on the screen it was done on.
const MODES: [Mode; 3] = [
    Mode { flag: 2, on: b"\x1b[?1049h", off: b"\x1b[0m\x1b[?25h\x1b[?1049l" },
    Mode { flag: 4, on: b"\x1b[?2004h", off: b"\x1b[?2004l" },
    Mode { flag: MOUSE, on: b"\x1b[?1004h\x1b[?1000h\x1b[?1006h", off: b"\x1b[?1006l\x1b[?1000l\x1b[?1004l" },
];

/// The terminal shows what lies between at once, if it knows the mode; if not, it ignores it.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";

/// A character of ambiguous width; the terminal is asked where the cursor is then.
const MEASURED: &str = "\x1b[1;1H“";
/// Asks where the cursor is.
const ASK_CURSOR: &[u8] = b"\x1b[6n";

/// How long giving the terminal back may take: one that takes no output holds it up.
const TO_RESTORE: Duration = Duration::from_millis(500);

static SWITCHED_ON: AtomicU8 = AtomicU8::new(0);
/// The messages of panics in workers while the console had the screen.
static HELD_BACK: Mutex<Vec<String>> = Mutex::new(Vec::new());

thread_local! {
    static IS_UI_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether the console can run here: standard input and output are a terminal that can move its cursor. If not, the
/// caller reports a usage error.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
        && io::stdout().is_terminal()
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether this process's group is the one that the terminal listens to. Without job control it always is.
pub(super) fn is_foreground() -> bool {
    let listening_to = rustix::termios::tcgetpgrp(io::stdin());
    !listening_to.is_ok_and(|group| group != rustix::process::getpgrp())
}

/// The screen, while the console has it. Dropping it gives the terminal back.
pub struct Terminal {
    inner: ratatui::Terminal<WideBackend>,
    mouse: bool,
    /// What stands on the screen is not what was drawn last.
    stale: bool,
    /// What goes to the terminal in front of the next frame, in one write with it.
    prefix: Vec<u8>,
}

impl Terminal {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, and the mouse if asked. With `measure` the
    /// terminal is asked where the cursor stands behind one ambiguous character; the first frame covers it. The calling
    /// thread becomes the UI thread, the one whose panic gives the terminal back.
    pub fn enter(mouse: bool, measure: bool) -> io::Result<Terminal> {
        install_panic_hook();
        IS_UI_THREAD.set(true);
        let inner = ratatui::Terminal::new(WideBackend::default())?;
        let mut terminal = Terminal { inner, mouse, stale: true, prefix: Vec::new() };
        terminal.switch_on()?;
        if measure {
            terminal.prefix.extend([MEASURED.as_bytes(), ASK_CURSOR].concat());
        }
        Ok(terminal)
    }

    /// Takes the terminal again after another program had it. The next frame is painted in full.
    pub fn reenter(&mut self) -> io::Result<()> {
        restore();
        self.stale = true;
        self.switch_on()
    }

    /// Makes the next frame a full one.
    pub fn repaint(&mut self) {
        self.stale = true;
    }

    /// Draws one frame and sends the difference to the last one in a single write.
    pub fn draw(&mut self, paint: impl FnOnce(&mut Frame)) -> io::Result<()> {
        let mut frame = std::mem::take(&mut self.prefix);
        frame.extend_from_slice(BEGIN_FRAME);
        self.inner.backend_mut().frame = frame;
        if self.stale {
            // `Terminal::clear` would ask the terminal for its cursor and wait for the answer.
            self.inner.backend_mut().clear_region(ClearType::All)?;
            self.inner.current_buffer_mut().reset();
            self.inner.swap_buffers();
        }
        self.inner.draw(paint)?;
        let frame = &mut self.inner.backend_mut().frame;
        frame.extend_from_slice(END_FRAME);
        output::write(frame);
        self.stale = false;
        Ok(())
    }

    fn switch_on(&mut self) -> io::Result<()> {
        // Each flag first: undoing what was not done is harmless, the other way round is not.
        SWITCHED_ON.fetch_or(RAW, Ordering::SeqCst);
        crossterm::terminal::enable_raw_mode()?;
        for mode in MODES.iter().filter(|mode| mode.flag != MOUSE || self.mouse) {
            SWITCHED_ON.fetch_or(mode.flag, Ordering::SeqCst);
            self.prefix.extend_from_slice(mode.on);
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back: undoes what is switched on, last thing first. Safe to call from any thread, at any time
/// and again. Errors are of no use here: the terminal is gone, or the next thing is the end anyway.
pub fn restore() {
    let any_mode = SWITCHED_ON.load(Ordering::SeqCst) & !RAW != 0;
    if any_mode {
        // A frame may be half written by a thread that hung.
        output::write(END_FRAME);
    }
    for mode in MODES.iter().rev() {
        if switch_off(mode.flag) {
            output::write(mode.off);
        }
    }
    if any_mode {
        output::wait(TO_RESTORE);
    }
    // In the background the shell has set its own modes, and setting ours would stop this process.
    if switch_off(RAW) && is_foreground() {
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

fn switch_off(flag: u8) -> bool {
    SWITCHED_ON.fetch_and(!flag, Ordering::SeqCst) & flag != 0
}

/// Whether a drawing error means that the terminal is gone.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::PIPE | Errno::NXIO | Errno::BADF))
}

/// Prints what workers reported while the console had the screen. Call it after the terminal was given back.
pub fn print_held_back() {
    let held = std::mem::take(&mut *HELD_BACK.lock().unwrap_or_else(PoisonError::into_inner));
    for message in held {
        print_error(&message);
    }
}

/// Prints a sentence behind everything else. Call it after the terminal was given back.
pub(super) fn print_last(sentence: &str) {
    print_error(&format!("novel-gate: {}\n", harmless(sentence)));
}

/// Runs `work` on a thread of its own and waits for it no longer than `limit`.
pub(super) fn within(limit: Duration, work: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel();
    let started = thread::Builder::new().spawn(move || {
        work();
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = finished.recv_timeout(limit);
    }
}

/// From now on a panic in the UI thread gives the terminal back before it says anything, and a panic in another
/// thread says nothing while the console has the screen: its words are kept for [`print_held_back`].
fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| panic::set_hook(Box::new(report_panic)));
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let message = panic_message(info);
    if IS_UI_THREAD.get() {
        restore();
    }
    if SWITCHED_ON.load(Ordering::SeqCst) == 0 {
        print_error(&message);
    } else {
        HELD_BACK.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }
}

/// The panic in words, harmless to print: it may quote a packet.
fn panic_message(info: &PanicHookInfo<'_>) -> String {
    let thread = thread::current();
    let mut text = format!("novel-gate: panic in thread '{}'", thread.name().unwrap_or("?"));
    if let Some(place) = info.location() {
        let _ = write!(text, " at {place}");
    }
    let _ = write!(text, ":\n{}\n", harmless(payload_text(info.payload())));
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        let _ = writeln!(text, "{backtrace}");
    }
    text
}

fn payload_text(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '"' | '\'' | '\\' => out.push(c),
            other => out.extend(other.escape_debug()),
        }
    }
    out
}

fn print_error(message: &str) {
    let message = message.to_owned();
    // Not `eprint!`, which panics where standard error is gone. One that takes no output must not hold up the end.
    within(TO_RESTORE, move || drop(io::stderr().write_all(message.as_bytes())));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cannot_steer_the_terminal() {
        assert_eq!(harmless("起点 \"a\"\n\x1b[31m\u{202e}\u{9b}"), "起点 \"a\"\n\\u{1b}[31m\\u{202e}\\u{9b}");
    }

    #[test]
    fn work_that_hangs_is_left_behind() {
        let (_never, waits) = mpsc::channel::<()>();
        within(Duration::from_millis(1), move || {
            let _ = waits.recv();
        });
    }

    #[test]
    fn every_mode_has_its_own_flag() {
        let all = MODES.iter().fold(RAW, |seen, mode| {
            assert_eq!(seen & mode.flag, 0);
            seen | mode.flag
        });
        assert_eq!(all.count_ones() as usize, MODES.len() + 1);
    }

    #[test]
    fn a_dead_terminal_is_told_from_other_errors() {
        assert!(is_gone(&Errno::IO.into()));
        assert!(is_gone(&Errno::PIPE.into()));
        assert!(!is_gone(&Errno::NOMEM.into()));
        assert!(!is_gone(&io::ErrorKind::Other.into()));
    }
}
