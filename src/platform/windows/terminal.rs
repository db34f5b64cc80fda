//! The terminal on standard input and output: a console, of which `keys` makes what a terminal elsewhere sends.

use super::ends::{EndSignals, INTERRUPT};
use super::keys::Keys;
use crate::platform::facts::Signal;
use crossterm_winapi::{Console, ConsoleMode, Handle};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look for keys and for another size: nothing wakes a thread for them that may not read them.
const LOOK_EVERY: Duration = Duration::from_millis(15);
/// The parts of a paste that the terminal does not mark come no further apart.
const IN_BURST: Duration = Duration::from_millis(40);
/// The numbers that the system gives to a terminal that is gone: an invalid handle, and both ends of a pipe that is closed.
const GONE: [i32; 4] = [6, 109, 232, 233];

/// Modes of a console's input: Ctrl-C is a signal, lines are edited, characters are shown, the mouse is reported, or selects, which
/// this sets apart; keys come as escape sequences.
const PROCESSED_INPUT: u32 = 0x0001;
const LINE_INPUT: u32 = 0x0002;
const ECHO_INPUT: u32 = 0x0004;
const MOUSE_INPUT: u32 = 0x0010;
const QUICK_EDIT: u32 = 0x0040;
const EXTENDED_FLAGS: u32 = 0x0080;
const ESCAPED_INPUT: u32 = 0x0200;
/// Of its output: control characters and escape sequences are obeyed.
const PROCESSED_OUTPUT: u32 = 0x0001;
const ESCAPED_OUTPUT: u32 = 0x0004;

static KEYS: Mutex<Keys> = Mutex::new(Keys::new());
/// The modes of input and output while the terminal is taken: what they were.
static MODES: Mutex<Option<(u32, u32)>> = Mutex::new(None);

/// What a terminal must be here.
pub const IS_CONSOLE: bool = true;

/// What hears the terminal and the system.
pub struct Ears {
    ends: EndSignals,
    size: Option<(u16, u16)>,
}

/// Wakes the thread that waits with its [`Ears`]; here it wakes by itself.
pub struct Waker;

impl Waker {
    pub fn wake(&mut self) {}
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The modes of standard input and output, which are a console.
fn modes() -> io::Result<(ConsoleMode, ConsoleMode)> {
    Ok((Handle::input_handle()?.into(), Handle::output_handle()?.into()))
}

/// Whether input and output are a console that takes escape sequences. From now on it does.
pub fn is_capable() -> bool {
    let capable = || {
        let (input, output) = modes()?;
        input.mode()?;
        output.set_mode(output.mode()? | PROCESSED_OUTPUT | ESCAPED_OUTPUT)
    };
    capable().is_ok()
}

/// Takes the terminal, so that keys come as they are typed, and presses of the mouse if asked.
pub fn take(mouse: bool) -> io::Result<()> {
    let (input, output) = modes()?;
    let (was_input, was_output) = (input.mode()?, output.mode()?);
    lock(&MODES).get_or_insert((was_input, was_output));
    *lock(&KEYS) = Keys::new();
    let raw = was_input & !(PROCESSED_INPUT | LINE_INPUT | ECHO_INPUT | MOUSE_INPUT | ESCAPED_INPUT);
    let pointing = if mouse { raw & !QUICK_EDIT | MOUSE_INPUT } else { raw };
    input.set_mode(pointing | EXTENDED_FLAGS)?;
    output.set_mode(was_output | PROCESSED_OUTPUT | ESCAPED_OUTPUT)
}

/// Gives the terminal back as it was.
pub fn give_back() -> io::Result<()> {
    let Some((was_input, was_output)) = lock(&MODES).take() else { return Ok(()) };
    let (input, output) = modes()?;
    input.set_mode(was_input | EXTENDED_FLAGS)?;
    output.set_mode(was_output)
}

/// Hears what ends the program from now on.
pub fn listen() -> io::Result<(Ears, Waker)> {
    // The consoles of some hosts hear no keys before somebody has waited for them. This would take one that is there.
    if console()?.number_of_console_input_events()? == 0 {
        crossterm::event::poll(Duration::ZERO)?;
    }
    Ok((Ears { ends: EndSignals::catch()?, size: output_size().ok() }, Waker))
}

fn console() -> io::Result<Console> {
    Ok(Handle::input_handle()?.into())
}

impl Ears {
    /// Waits for something to happen, no longer than this; whether there are keys. Unless the keys are ours they wake nobody.
    pub fn wait(&mut self, is_ours: impl FnOnce() -> bool, limit: Option<Duration>) -> io::Result<bool> {
        let limit = match limit {
            None => {
                lock(&KEYS).end_burst();
                LOOK_EVERY
            }
            Some(limit) if lock(&KEYS).is_burst() => limit.max(IN_BURST),
            Some(limit) => limit,
        };
        if !is_ours() {
            thread::sleep(limit);
            return Ok(false);
        }
        let (console, until) = (console()?, Instant::now() + limit);
        loop {
            if console.number_of_console_input_events()? > 0 || lock(&KEYS).is_left() {
                return Ok(true);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            thread::sleep(left.min(LOOK_EVERY));
        }
    }

    /// The signals that have come since.
    pub fn signals(&mut self) -> impl Iterator<Item = Signal> + use<> {
        let size = output_size().ok();
        let is_resized = size != self.size;
        self.size = size;
        let ended = self.ends.next().map(|number| match number {
            INTERRUPT => Signal::Typed(number),
            _ => Signal::End(number),
        });
        is_resized.then_some(Signal::Resized).into_iter().chain(ended)
    }
}

/// Reads from the terminal as far as there is something.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    let mut keys = lock(&KEYS);
    if !keys.is_left() {
        let records = console()?.read_console_input()?;
        keys.take(records);
    }
    Ok(keys.hand_over(bytes))
}

/// Writes to the terminal. The standard library gives a console its own characters, whatever its code page, and cuts none.
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
