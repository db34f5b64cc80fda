//! The terminal as the console borrows it: taken, drawn on, given back.
//!
//! Each frame is one write, and the terminal is given back whatever happens, panics included. `output` writes, on a
//! thread of its own.
//!
//! That it is taken is kept in a process-wide flag, because the last way out (a panic hook, a thread that ends a
//! hung program) has no other way to know.

pub(super) mod clipboard;
mod decoder;
pub mod event;
pub(super) mod focus;
pub mod ground;
pub(super) mod notify;
mod output;
mod reader;
pub mod run_loop;
mod watchdog;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError, mpsc};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::platform::terminal::{give_back, is_capable, output_size, take};

pub(super) use crate::platform::terminal::{is_foreground, is_gone};

/// Switches on the alternate screen and bracketed paste.
const ON: &[u8] = b"\x1b[?1049h\x1b[?2004h";
/// Mouse: presses and wheel only (1000), with columns beyond 223 (1006); reports of every movement would wake the program for
/// nothing. With it goes the focus (1004): it tells which presses are meant.
const MOUSE_ON: &[u8] = b"\x1b[?1004h\x1b[?1000h\x1b[?1006h";
/// Undoes both, and what a frame that was half written by a thread that hung has begun. Undoing what was not done is harmless.
/// Leaving the alternate screen comes last, so that everything else is undone on the screen it was done on.
const OFF: &[u8] =
    b"\x1b[?2026l\x1b[?2031l\x1b[?1006l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// The terminal shows what lies between at once, if it knows the mode; if not, it ignores it.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";
const CLEAR: &[u8] = b"\x1b[2J";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";

/// Writes a character of ambiguous width and asks where the cursor is then.
const MEASURE: &str = "\x1b[1;1H“\x1b[6n";

/// How long giving the terminal back may take: one that takes no output holds it up.
const TO_RESTORE: Duration = Duration::from_millis(500);

static TAKEN: AtomicBool = AtomicBool::new(false);
/// The messages of panics in workers while the console had the screen.
static HELD_BACK: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The thread whose panic gives the terminal back.
static UI_THREAD: OnceLock<ThreadId> = OnceLock::new();

/// Whether the console can run here: standard input and output are a terminal that can move its cursor. If not, the
/// caller reports a usage error.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && is_capable()
}

/// The screen, while the console has it. Dropping it gives the terminal back.
pub struct Terminal {
    shown: Buffer,
    mouse: bool,
    /// The ground decides on the theme.
    follow_ground: bool,
    /// What stands on the screen is something else: the next frame is a full one.
    pub(super) stale: bool,
    /// What goes to the terminal in front of the next frame, in one write with it.
    prefix: Vec<u8>,
}

impl Terminal {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, and the mouse if asked. With `follow_ground` it is asked
    /// for its ground, with `measure` where the cursor stands behind one ambiguous character; the first frame covers that. The
    /// calling thread becomes the UI thread, the one whose panic gives the terminal back.
    pub fn enter(mouse: bool, follow_ground: bool, measure: bool) -> io::Result<Terminal> {
        install_panic_hook();
        UI_THREAD.get_or_init(|| thread::current().id());
        let (shown, prefix) = (Buffer::default(), Vec::new());
        let mut terminal = Terminal { shown, mouse, follow_ground, stale: true, prefix };
        terminal.switch_on()?;
        if measure {
            terminal.prefix.extend_from_slice(MEASURE.as_bytes());
        }
        Ok(terminal)
    }

    /// Takes the terminal again after another program had it. The next frame is painted in full.
    pub fn reenter(&mut self) -> io::Result<()> {
        restore();
        self.stale = true;
        self.switch_on()
    }

    /// Draws one frame and sends the difference to the last one in a single write. The text cursor is shown in the column
    /// and row that `paint` gives, else hidden.
    pub fn draw(&mut self, paint: impl FnOnce(&mut Buffer) -> Option<(u16, u16)>) -> io::Result<()> {
        let (width, height) = output_size()?;
        let area = Rect::new(0, 0, width, height);
        let mut bytes = std::mem::take(&mut self.prefix);
        bytes.extend_from_slice(BEGIN_FRAME);
        if std::mem::take(&mut self.stale) || self.shown.area != area {
            bytes.extend_from_slice(CLEAR);
            self.shown = Buffer::empty(area);
        }
        let mut next = Buffer::empty(area);
        let cursor = paint(&mut next);
        write_cells(&mut bytes, self.shown.diff(&next))?;
        match cursor {
            Some((column, row)) => write!(bytes, "\x1b[?25h\x1b[{};{}H", row + 1, column + 1)?,
            None => bytes.extend_from_slice(HIDE_CURSOR),
        }
        bytes.extend_from_slice(END_FRAME);
        self.shown = next;
        output::write(&bytes);
        Ok(())
    }

    /// Asks for the ground with the next frame, if it decides on anything.
    pub fn ask_ground(&mut self) {
        if self.follow_ground {
            self.prefix.append(&mut ground::question());
        }
    }

    fn switch_on(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        take(self.mouse)?;
        // While another program had the terminal, it may have changed. First of all: tmux hands on nothing while it changes screens.
        self.ask_ground();
        self.prefix.extend_from_slice(ON);
        if self.mouse {
            self.prefix.extend_from_slice(MOUSE_ON);
        }
        if self.follow_ground {
            self.prefix.extend_from_slice(ground::FOLLOW);
        }
        Ok(())
    }
}

/// Writes cells without moving the cursor behind each wide character, which takes four times the bytes of Chinese text. Every
/// terminal agrees that an ideograph takes two columns; behind characters whose width terminals dispute the cursor is moved.
fn write_cells(bytes: &mut Vec<u8>, cells: Vec<(u16, u16, &Cell)>) -> io::Result<()> {
    // The library moves the cursor unless a cell has the column behind the last one. So a cell that follows the last one gets
    // that, whatever its own; any other is further right.
    let mut last: Option<(u16, u16, u16)> = None;
    let cells = cells.into_iter().map(|(x, y, cell)| {
        let column = match last {
            Some((next, row, column)) if (next, row) == (x, y) => column + 1,
            _ => x,
        };
        let mut chars = cell.symbol().chars();
        let advance = match (chars.next(), chars.next()) {
            (Some('\u{3001}'..='\u{3011}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff60}'), None) => 2,
            _ => 1,
        };
        last = Some((x + advance, y, column));
        (column, y, cell)
    });
    CrosstermBackend::new(bytes).draw(cells)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back. Safe to call from any thread, at any time and again. Errors are of no use here: the terminal is
/// gone, or the next thing is the end anyway.
pub fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    output::write(OFF);
    output::wait(TO_RESTORE);
    // In the background the shell has set its own modes, and setting ours would stop this process.
    if is_foreground() {
        let _ = give_back();
    }
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
pub(super) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (done, finished) = mpsc::channel();
    thread::Builder::new().spawn(move || drop(done.send(work()))).ok()?;
    finished.recv_timeout(limit).ok()
}

/// From now on a panic in the UI thread gives the terminal back before it says anything, and a panic in another
/// thread says nothing while the console has the screen: its words are kept for [`print_held_back`].
fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| panic::set_hook(Box::new(report_panic)));
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let thread = thread::current();
    // It may quote a packet.
    let words = harmless(&info.to_string());
    let mut message = format!("novel-gate: thread '{}' {words}\n", thread.name().unwrap_or("?"));
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        message += &format!("{backtrace}\n");
    }
    if UI_THREAD.get() == Some(&thread.id()) {
        restore();
    }
    if TAKEN.load(Ordering::SeqCst) {
        HELD_BACK.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    } else {
        print_error(&message);
    }
}

fn harmless(text: &str) -> String {
    let kept = |c| matches!(c, '\n' | '"' | '\'' | '\\');
    text.chars().map(|c| if kept(c) { c.to_string() } else { c.escape_debug().to_string() }).collect()
}

fn print_error(message: &str) {
    let message = message.to_owned();
    // Not `eprint!`, which panics where standard error is gone. One that takes no output must not hold up the end.
    within(TO_RESTORE, move || io::stderr().write_all(message.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::testing::Errno;

    /// What is written for these lines on a blank screen.
    fn written(lines: &[&str]) -> String {
        let after = Buffer::with_lines(lines.iter().copied());
        let before = Buffer::empty(Rect::new(0, 0, after.area.width, after.area.height));
        let mut bytes = Vec::new();
        write_cells(&mut bytes, before.diff(&after)).expect("memory takes it");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn chinese_text_is_written_in_one_run() {
        let text = written(&["起点，ab。", "番茄"]);
        assert!(text.contains("\x1b[1;1H起点，ab。\x1b[2;1H番茄"), "{text:?}");
    }

    #[test]
    fn the_cursor_is_moved_over_what_did_not_change_and_behind_disputed_characters() {
        let text = written(&["起 点☂️a", "“a🏮b"]);
        assert!(text.contains("\x1b[1;1H起\x1b[1;4H点☂"), "{text:?}");
        assert!(text.contains("🏮\x1b[2;5Hb"), "{text:?}");
    }

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
    fn every_mode_is_switched_off_again() {
        let modes = |bytes: &[u8], end| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.split("\x1b[")
                .filter_map(|part| part.strip_suffix(end).map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let off = modes(OFF, 'l');
        let on = [ON, MOUSE_ON, ground::FOLLOW, BEGIN_FRAME].concat();
        assert!(modes(&on, 'h').iter().all(|mode| off.contains(mode)), "{off:?}");
    }

    #[test]
    fn a_dead_terminal_is_told_from_other_errors() {
        #[cfg(unix)]
        assert!(is_gone(&Errno::IO.into()));
        assert!(is_gone(&Errno::PIPE.into()));
        assert!(!is_gone(&Errno::NOMEM.into()));
        assert!(!is_gone(&io::ErrorKind::Other.into()));
    }
}
