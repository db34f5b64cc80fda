//! The terminal on standard input and output. The system tells of keys as events; here they become the bytes that a terminal
//! elsewhere sends for them, so that there is one reader of keys.

use super::processes::INTERRUPT;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// How long to wait for keys before looking whether something else has happened: only keys wake this thread.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// No event is more bytes than this.
const LONGEST: usize = 16;
/// The numbers that the system gives to a terminal that is gone: an invalid handle, and both ends of a pipe that is closed.
const GONE: [i32; 4] = [6, 109, 232, 233];

/// What the system tells a program that has the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Resized,
    /// Ctrl-Z.
    Suspend,
    Continued,
    /// A key asks the program to end: Ctrl-C and its like.
    Typed(i32),
    /// It is to end.
    End(i32),
}

/// What hears the terminal and the system.
pub struct Ears {
    ended: Receiver<()>,
    size: Option<(u16, u16)>,
}

/// Wakes the thread that waits with its [`Ears`]; here it wakes by itself.
pub struct Waker;

impl Waker {
    pub fn wake(&mut self) {}
}

/// Hears what ends the program from now on.
pub fn listen() -> io::Result<(Ears, Waker)> {
    // Has the console take escape sequences.
    let _ = crossterm::ansi_support::supports_ansi();
    let (sender, ended) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = sender.send(());
    })
    .map_err(io::Error::other)?;
    Ok((Ears { ended, size: output_size().ok() }, Waker))
}

impl Ears {
    /// Waits for something to happen, no longer than this; whether there are keys. Unless the keys are ours they wake nobody.
    pub fn wait(&mut self, is_ours: impl FnOnce() -> bool, limit: Option<Duration>) -> io::Result<bool> {
        let limit = limit.unwrap_or(LOOK_EVERY);
        if is_ours() {
            return event::poll(limit);
        }
        thread::sleep(limit);
        Ok(false)
    }

    /// The signals that have come since.
    pub fn signals(&mut self) -> impl Iterator<Item = Signal> + use<> {
        let size = output_size().ok();
        let is_resized = size != self.size;
        self.size = size;
        let ended = self.ended.try_recv().ok().map(|()| Signal::End(INTERRUPT));
        is_resized.then_some(Signal::Resized).into_iter().chain(ended)
    }
}

/// Reads from the terminal as far as there is something.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count + LONGEST <= bytes.len() && event::poll(Duration::ZERO)? {
        if let Event::Key(key) = event::read()? {
            let sent = bytes_of(key);
            bytes[count..count + sent.len()].copy_from_slice(sent.as_bytes());
            count += sent.len();
        }
    }
    Ok(count)
}

/// What a terminal sends for a key; nothing for one that is let go, or that no terminal sends.
fn bytes_of(KeyEvent { code, modifiers, kind, .. }: KeyEvent) -> String {
    if kind == KeyEventKind::Release {
        return String::new();
    }
    let (alt, ctrl) = (modifiers.contains(KeyModifiers::ALT), modifiers.contains(KeyModifiers::CONTROL));
    let held = u8::from(modifiers.contains(KeyModifiers::SHIFT)) + 2 * u8::from(alt) + 4 * u8::from(ctrl);
    let plain = |sent: char| if alt { format!("\x1b{sent}") } else { sent.to_string() };
    let lettered =
        |last: char| if held == 0 { format!("\x1b[{last}") } else { format!("\x1b[1;{}{last}", held + 1) };
    let numbered = |number: u8| {
        if held == 0 { format!("\x1b[{number}~") } else { format!("\x1b[{number};{}~", held + 1) }
    };
    let coded = |sent: char| match held {
        0 => sent.to_string(),
        _ => format!("\x1b[{};{}u", u32::from(sent), held + 1),
    };
    match code {
        KeyCode::Char(typed) if ctrl && matches!(typed, '@'..='_' | 'a'..='z' | ' ') => {
            plain(char::from(typed.to_ascii_uppercase() as u8 & 0x1F))
        }
        KeyCode::Char(typed) if ctrl => coded(typed),
        KeyCode::Char(typed) => plain(typed),
        KeyCode::Enter => coded('\r'),
        KeyCode::Tab => coded('\t'),
        KeyCode::Backspace => coded('\x7f'),
        KeyCode::Esc => coded('\x1b'),
        KeyCode::BackTab => "\x1b[Z".to_owned(),
        KeyCode::Up => lettered('A'),
        KeyCode::Down => lettered('B'),
        KeyCode::Right => lettered('C'),
        KeyCode::Left => lettered('D'),
        KeyCode::End => lettered('F'),
        KeyCode::Home => lettered('H'),
        KeyCode::Insert => numbered(2),
        KeyCode::Delete => numbered(3),
        KeyCode::PageUp => numbered(5),
        KeyCode::PageDown => numbered(6),
        KeyCode::F(number @ 1..=5) => numbered(10 + number),
        KeyCode::F(number @ 6..=10) => numbered(11 + number),
        KeyCode::F(number @ 11..=12) => numbered(12 + number),
        _ => String::new(),
    }
}

/// Writes to the terminal.
pub fn write_all(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Columns and rows of the terminal on standard input.
pub fn input_size() -> io::Result<(u16, u16)> {
    crossterm::terminal::size()
}

/// Columns and rows of the terminal on standard output.
pub fn output_size() -> io::Result<(u16, u16)> {
    if io::stdout().is_terminal() {
        crossterm::terminal::size()
    } else {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The name of the terminal on standard input: here terminals have none.
pub fn name() -> Option<String> {
    None
}

/// Whether this process is the one that the terminal listens to: it listens to all.
pub fn is_foreground() -> bool {
    true
}

/// Whether an error means that the terminal is gone.
pub fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
        || error.raw_os_error().is_some_and(|number| GONE.contains(&number))
}
