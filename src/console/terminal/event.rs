//! What can happen to the console, and the thread that reads the terminal.
//!
//! It keeps together what one read brought, and lets go of the terminal while another program needs its keys.
//!
//! The thread reads the terminal by itself: the library's own waiting can be neither interrupted nor trusted on a terminal
//! that is gone, and its reading not after broken bytes (`decoder`). While nothing happens it sleeps without a timer.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event as Report, KeyEventKind, MouseButton, MouseEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};

use crate::console::input::key::{Key, KeyPress};
use crate::console::news::News;
use crate::console::screen::{EditorEnd, Then};
use crate::console::terminal::decoder::{self, Decoder};

/// One thing that the author did at the terminal. Columns and rows count from 0 at the upper left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Key(KeyPress),
    /// Bracketed paste, whole, line ends as the terminal sent them.
    Paste(String),
    /// The left button went down.
    Click {
        column: u16,
        row: u16,
    },
    ScrollUp {
        column: u16,
        row: u16,
    },
    ScrollDown {
        column: u16,
        row: u16,
    },
    /// The new size in cells.
    Resize {
        width: u16,
        height: u16,
    },
    /// Another window has the keyboard now.
    FocusLost,
    FocusGained,
}

/// What the main loop receives.
///
/// The loop itself acts on `Ending`, `Suspend`, `Hangup` and `Written`; the application never sees them.
pub enum Event {
    /// Everything that one read brought, in order and never empty. An Enter that is the last of its kind here ended
    /// the read; an Enter with more behind it came out of a paste.
    Input(Vec<Input>),
    News(News),
    /// A job is done; the next keys waited for it if `awaited`. Without its result, it has failed.
    Done {
        then: Option<Then>,
        awaited: bool,
    },
    /// How many cells the terminal gives a character of ambiguous width, as it answered.
    AmbiguousCells(usize),
    /// The editor that the application asked for has ended, or could not be started.
    Edited(EditorEnd),
    /// A signal asks the program to end; the signal's number.
    Ending(i32),
    /// A signal asks the program to stop.
    Suspend,
    /// The program goes on after it was stopped.
    Continued,
    /// The terminal is gone.
    Hangup,
    /// The terminal has taken all that it was sent, or can take nothing more.
    Written(io::Result<()>),
}

/// What comes this soon after a read belongs to it.
const SAME_READ: Duration = Duration::from_micros(200);
/// An escape character behind which nothing comes this soon is the key.
const UNTIL_ESC: Duration = Duration::from_millis(50);
/// How often to look where the terminal cannot be waited for (`poll` does not take terminals on every system).
const WITHOUT_POLL: Duration = Duration::from_millis(20);
/// A burst is handed over in parts of about this many inputs, so that an endless one still shows on the screen.
const PART: usize = 1 << 16;
/// How long to wait for the thread to let go of the terminal.
const LET_GO: Duration = Duration::from_secs(1);
/// Wakes the thread to look at its gate. The size-change signal writes another byte.
const GATE_CHANGED: u8 = b'g';

/// The thread that reads the terminal. It ends with the process, or when the terminal is gone.
pub(super) struct InputThread {
    gate: Arc<Gate>,
    wake: UnixStream,
}

#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    closed: bool,
    /// The thread stands at the closed gate and reads nothing.
    parked: bool,
    ended: bool,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the gate is closed; true if it was.
    fn pass(&self) -> bool {
        let mut state = self.lock();
        let closed = state.closed;
        while state.closed {
            state.parked = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.parked = false;
        closed
    }
}

impl InputThread {
    /// Starts reading the terminal on standard input; with `measured` it was asked for the width of a character.
    pub(super) fn start(sender: Sender<Event>, measured: bool) -> io::Result<InputThread> {
        let (woken, wake) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        wake.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(signal_hook::consts::SIGWINCH, wake.try_clone()?)?;
        let gate = Arc::new(Gate::default());
        let decoder = Decoder::default();
        let reader =
            Reader { gate: Arc::clone(&gate), woken, sender, by_poll: true, width_asked: measured, decoder };
        thread::Builder::new().name("input".into()).spawn(move || reader.run())?;
        Ok(InputThread { gate, wake })
    }

    /// Stops reading. When this returns true, every further key belongs to whoever reads the terminal next; what was
    /// read before lies in the channel. False: the thread has not come to it in time, and lets go when it does.
    pub(super) fn park(&self) -> bool {
        self.gate.lock().closed = true;
        // A full pipe will wake the thread just as well.
        let _ = (&self.wake).write(&[GATE_CHANGED]);
        let state = self.gate.lock();
        let parked =
            self.gate.changed.wait_timeout_while(state, LET_GO, |state| !state.parked && !state.ended);
        let (state, _) = parked.unwrap_or_else(PoisonError::into_inner);
        state.parked || state.ended
    }

    /// Reads again.
    pub(super) fn resume(&self) {
        self.gate.lock().closed = false;
        self.gate.changed.notify_all();
    }
}

/// What a wait ended with.
#[derive(Default)]
struct Ready {
    keys: bool,
    woken: bool,
    gone: bool,
}

struct Reader {
    gate: Arc<Gate>,
    woken: UnixStream,
    sender: Sender<Event>,
    by_poll: bool,
    /// The terminal was asked where the cursor stands behind an ambiguous character, and has not answered.
    width_asked: bool,
    decoder: Decoder,
}

impl Reader {
    fn run(mut self) {
        // Sending fails only when the receiver is gone; then the program is ending anyway.
        if self.read_all().is_err() {
            let _ = self.sender.send(Event::Hangup);
        }
        let mut state = self.gate.lock();
        state.ended = true;
        self.gate.changed.notify_all();
    }

    /// Reads until the terminal is gone, which is the only way out.
    fn read_all(&mut self) -> io::Result<()> {
        loop {
            if self.gate.pass() {
                // The rest of what was half read went to whoever had the terminal, and would swallow every key to come.
                self.decoder = Decoder::default();
            }
            let ready = self.wait()?;
            if ready.gone {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if ready.woken && self.size_changed() {
                self.send(vec![current_size()?])?;
            }
            if ready.keys && !self.gate.lock().closed {
                self.drain()?;
            }
        }
    }

    fn wait(&mut self) -> io::Result<Ready> {
        let stdin = io::stdin();
        if !self.by_poll {
            thread::sleep(WITHOUT_POLL);
            return Ok(Ready { keys: ioctl_fionread(stdin)? > 0, woken: true, gone: false });
        }
        let mut fds = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready { woken: true, ..Ready::default() }),
            Err(errno) => return Err(errno.into()),
        }
        let terminal = fds[0].revents();
        if terminal.contains(PollFlags::NVAL) {
            self.by_poll = false;
        }
        Ok(Ready {
            keys: terminal.contains(PollFlags::IN),
            woken: !fds[1].revents().is_empty(),
            gone: terminal.intersects(PollFlags::HUP | PollFlags::ERR),
        })
    }

    /// Whether there is more to read, now or within this time.
    fn comes_within(&self, limit: Duration) -> io::Result<bool> {
        let stdin = io::stdin();
        if !self.by_poll {
            thread::sleep(limit);
            return Ok(ioctl_fionread(stdin)? > 0);
        }
        let limit = Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() };
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, Some(&limit)) {
            Err(Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
            Ok(_) => Ok(fds[0].revents().contains(PollFlags::IN)),
        }
    }

    /// Empties the wake-up pipe; true if one of the bytes was the size signal's.
    fn size_changed(&self) -> bool {
        let mut changed = false;
        let mut bytes = [0; 64];
        while let Ok(count @ 1..) = (&self.woken).read(&mut bytes) {
            changed |= bytes[..count].iter().any(|byte| *byte != GATE_CHANGED);
        }
        changed
    }

    /// Sends on everything that can be read without waiting.
    fn drain(&mut self) -> io::Result<()> {
        let mut inputs = Vec::new();
        let mut bytes = [0; 4096];
        loop {
            let count = match rustix::io::read(io::stdin(), &mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => count,
                Err(Errno::INTR | Errno::AGAIN) => 0,
                Err(errno) => return Err(errno.into()),
            };
            for report in self.decoder.take(&bytes[..count]) {
                self.take(report, &mut inputs)?;
            }
            // An Enter must not become the last of a part: that would make it another key.
            if inputs.len() >= PART && inputs.last() != Some(&Input::Key(KeyPress::plain(Key::Enter))) {
                self.send(std::mem::take(&mut inputs))?;
            }
            if self.comes_within(SAME_READ)? {
                continue;
            }
            if !self.decoder.is_undecided() {
                break;
            }
            if !self.comes_within(UNTIL_ESC)? {
                if let Some(report) = self.decoder.decide() {
                    self.take(report, &mut inputs)?;
                }
                break;
            }
        }
        self.send(pasted_whole(inputs))
    }

    fn take(&mut self, report: decoder::Report, inputs: &mut Vec<Input>) -> io::Result<()> {
        match report {
            decoder::Report::Event(event) => inputs.extend(input_from(event)),
            decoder::Report::CursorIn(column) if self.width_asked => {
                self.width_asked = false;
                let cells = Event::AmbiguousCells(column.into());
                self.sender.send(cells).map_err(|_| io::ErrorKind::BrokenPipe)?;
            }
            decoder::Report::CursorIn(_) => {}
        }
        Ok(())
    }

    fn send(&self, inputs: Vec<Input>) -> io::Result<()> {
        if inputs.is_empty() {
            return Ok(());
        }
        self.sender.send(Event::Input(inputs)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Nobody types in the moment in which a paste ends: what the same read brings behind it was pasted too, by a text that holds
/// the mark of its own end. It belongs to the text, and presses no key and no button of the mouse.
fn pasted_whole(inputs: Vec<Input>) -> Vec<Input> {
    let mut out: Vec<Input> = Vec::with_capacity(inputs.len());
    for input in inputs {
        match (out.last_mut(), input) {
            (Some(Input::Paste(text)), Input::Paste(more)) => text.push_str(&more),
            (Some(Input::Paste(text)), Input::Key(press)) => match press.key {
                Key::Enter => text.push('\n'),
                Key::Tab => text.push('\t'),
                _ => text.extend(press.text()),
            },
            (Some(Input::Paste(_)), Input::Click { .. } | Input::FocusLost | Input::FocusGained) => {}
            (_, input) => out.push(input),
        }
    }
    out
}

fn current_size() -> io::Result<Input> {
    let size = rustix::termios::tcgetwinsize(io::stdin())?;
    Ok(Input::Resize { width: size.ws_col, height: size.ws_row })
}

/// The library's report as an input; `None` for what the console does not use.
fn input_from(report: Report) -> Option<Input> {
    match report {
        Report::Key(event) if event.kind != KeyEventKind::Release => {
            KeyPress::from_terminal(event).map(Input::Key)
        }
        Report::Paste(text) => Some(Input::Paste(text)),
        Report::FocusGained => Some(Input::FocusGained),
        Report::FocusLost => Some(Input::FocusLost),
        Report::Mouse(event) => {
            let (column, row) = (event.column, event.row);
            match event.kind {
                MouseEventKind::Down(MouseButton::Left) => Some(Input::Click { column, row }),
                MouseEventKind::ScrollUp => Some(Input::ScrollUp { column, row }),
                MouseEventKind::ScrollDown => Some(Input::ScrollDown { column, row }),
                _ => None,
            }
        }
        // Size changes come from the signal, in `size_changed`; the library would report each a second time.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};

    #[test]
    fn releases_and_moves_are_dropped() {
        let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(input_from(Report::Key(release)), None);
        let moved = mouse(MouseEventKind::Moved);
        assert_eq!(input_from(Report::Mouse(moved)), None);
    }

    #[test]
    fn presses_clicks_and_pastes_are_kept() {
        let press = KeyEvent::new(KeyCode::Char('起'), KeyModifiers::NONE);
        assert_eq!(input_from(Report::Key(press)), KeyPress::parse("起").map(Input::Key));
        let click = mouse(MouseEventKind::Down(MouseButton::Left));
        assert_eq!(input_from(Report::Mouse(click)), Some(Input::Click { column: 7, row: 3 }));
        let paste = "一\r\n二".to_owned();
        assert_eq!(input_from(Report::Paste(paste.clone())), Some(Input::Paste(paste)));
    }

    #[test]
    fn what_comes_with_the_end_of_a_paste_presses_no_key() {
        let key = |name| Input::Key(KeyPress::parse(name).expect("a key"));
        let read = |inputs: &[Input]| pasted_whole(inputs.to_vec());
        let paste = |text: &str| Input::Paste(text.to_owned());
        let click = Input::Click { column: 7, row: 3 };
        let hostile = [
            paste("a"),
            key("ctrl+s"),
            key("b"),
            key("enter"),
            key("f10"),
            Input::FocusGained,
            click,
            paste("c"),
            key("ctrl+s"),
        ];
        assert_eq!(read(&hostile), [paste("ab\nc")]);
        let typed = [key("a"), key("enter"), paste("x")];
        assert_eq!(read(&typed), typed);
    }

    fn mouse(kind: MouseEventKind) -> MouseEvent {
        MouseEvent { kind, column: 7, row: 3, modifiers: KeyModifiers::NONE }
    }
}
