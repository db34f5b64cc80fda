//! The thread that hears the terminal and the system: keys, sizes, signals, the end of the terminal.
//!
//! It keeps together what one read brought, and lets go of the terminal's keys while another program needs them. While nothing
//! happens it sleeps without a timer; typed keys that are not ours do not wake it, a hang-up always does.
//!
//! The thread reads the terminal by itself: the library's own waiting can be neither interrupted nor trusted on a terminal
//! that is gone, and its reading not after broken bytes (`decoder`). Handlers are installed even for a signal that was ignored when
//! the program started: a console whose terminal is gone has nothing to stay for.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::console::input::key::{Key, KeyPress};
use crate::console::model::Size;
use crate::console::terminal::decoder::{Decoder, Told};
use crate::console::terminal::event::{Event, Input};
use crate::console::terminal::watchdog::{HUNG_UP, LastResort};
use crate::platform::processes::stop_job;
use crate::platform::terminal::{self, Ears, Signal, Waker};

/// What comes this soon after a read belongs to it.
const SAME_READ: Duration = Duration::from_micros(200);
/// An escape character behind which nothing comes this soon is the key.
const UNTIL_ESC: Duration = Duration::from_millis(50);
/// Half of what a terminal sends is forgotten when the other half has not come by then.
const UNTIL_WHOLE: Duration = Duration::from_secs(1);
/// A burst is handed over in parts of about this many inputs, so that an endless one still shows on the screen.
const PART: usize = 1 << 16;

/// Whose the terminal's keys are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Console,
    /// Nobody that this program knows of: it is stopped.
    Shell,
    /// The author's editor. A signal that is typed is meant for it.
    Editor,
}

struct Gate {
    holder: Holder,
    decoder: Decoder,
    /// Since when the decoder has half of something.
    half_since: Instant,
}

impl Gate {
    fn new(holder: Holder) -> Gate {
        Gate { holder, decoder: Decoder::default(), half_since: Instant::now() }
    }
}

/// The thread, as the loop knows it. It ends with the process, or when the terminal is gone.
pub(super) struct Reader {
    pub(super) holder: Holder,
    gate: Arc<Mutex<Gate>>,
    waker: Waker,
}

struct Listener {
    gate: Arc<Mutex<Gate>>,
    ears: Ears,
    sender: Sender<Event>,
    last_resort: Arc<LastResort>,
    /// The terminal was asked where the cursor stands behind an ambiguous character, and has not answered.
    width_asked: bool,
}

impl Reader {
    /// Starts listening; the keys of the terminal on standard input are not ours yet. With `width_asked` it is asked for the
    /// width of a character.
    pub(super) fn start(
        sender: Sender<Event>,
        last_resort: Arc<LastResort>,
        width_asked: bool,
    ) -> io::Result<Reader> {
        let (ears, waker) = terminal::listen()?;
        let gate = Arc::new(Mutex::new(Gate::new(Holder::Shell)));
        let shared = Arc::clone(&gate);
        let mut listener = Listener { gate: shared, ears, sender, last_resort, width_asked };
        thread::Builder::new().name("terminal".into()).spawn(move || {
            // Without this thread, whatever has ended it, the program would hear of nothing any more.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| listener.listen()));
            listener.last_resort.end(HUNG_UP, || listener.send(Event::Hangup));
        })?;
        Ok(Reader { holder: Holder::Shell, gate, waker })
    }

    /// When this returns, every further key is read by its holder only. What was half read went to another holder, and would
    /// swallow every key to come.
    pub(super) fn hand_to(&mut self, holder: Holder) {
        self.holder = holder;
        *lock(&self.gate) = Gate::new(holder);
        self.waker.wake();
    }
}

fn lock(gate: &Mutex<Gate>) -> MutexGuard<'_, Gate> {
    gate.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listener {
    /// Listens until the terminal is gone, which is the only way out.
    fn listen(&mut self) -> io::Result<()> {
        loop {
            let keys = self.wait(None)?;
            for signal in self.ears.signals() {
                self.take_signal(signal)?;
            }
            if keys {
                self.drain()?;
            }
        }
    }

    /// Waits for something to happen, no longer than this; whether there are keys.
    fn wait(&mut self, limit: Option<Duration>) -> io::Result<bool> {
        self.ears.wait(|| lock(&self.gate).holder == Holder::Console, limit)
    }

    fn take_signal(&self, signal: Signal) -> io::Result<()> {
        let lent = lock(&self.gate).holder == Holder::Editor;
        match signal {
            Signal::Resized => {
                let (width, height) = terminal::input_size()?;
                self.send(Event::Input(vec![Input::Resize(Size { width, height })]));
            }
            // An editor that stops must stop this process too, or the shell would wait for ever.
            Signal::Suspend if lent => stop_job(),
            Signal::Continued | Signal::Typed(_) if lent => {}
            Signal::Suspend => self.send(Event::Suspend),
            Signal::Continued => self.send(Event::Continued),
            // The first reason counts: while the loop ends, nothing else is heard.
            Signal::Typed(number) | Signal::End(number) => {
                self.last_resort.end(exit_code(number), || self.send(Event::Ending(number)));
            }
        }
        Ok(())
    }

    /// Sends on everything that can be read without waiting.
    fn drain(&mut self) -> io::Result<()> {
        let mut inputs = Vec::new();
        while let Some(undecided) = self.read(&mut inputs)? {
            // An Enter must not become the last of a part: that would make it another key.
            if inputs.len() >= PART && inputs.last() != Some(&Input::Key(KeyPress::plain(Key::Enter))) {
                self.send(Event::Input(std::mem::take(&mut inputs)));
            }
            if self.wait(Some(SAME_READ))? || undecided && self.wait(Some(UNTIL_ESC))? {
                continue;
            }
            if undecided {
                let mut gate = lock(&self.gate);
                inputs.append(&mut gate.decoder.decide());
                gate.half_since = Instant::now();
            }
            break;
        }
        if !inputs.is_empty() {
            self.send(Event::Input(pasted_whole(inputs)));
        }
        Ok(())
    }

    /// Reads once, if the keys are ours; whether more may belong to what was read.
    fn read(&mut self, inputs: &mut Vec<Input>) -> io::Result<Option<bool>> {
        let mut gate = lock(&self.gate);
        if gate.holder != Holder::Console {
            return Ok(None);
        }
        let mut bytes = [0; 4096];
        let count = terminal::read(&mut bytes)?;
        if gate.decoder.is_half() && gate.half_since.elapsed() > UNTIL_WHOLE {
            gate.decoder.forget_half();
        }
        inputs.append(&mut gate.decoder.take(&bytes[..count]));
        for told in gate.decoder.told.drain(..) {
            match told {
                // Another answer is about another cursor.
                Told::Cursor(_) if !self.width_asked => {}
                Told::Cursor(column) => {
                    self.width_asked = false;
                    self.send(Event::AmbiguousCells(column.into()));
                }
                Told::Ground(ground) => self.send(Event::Ground(ground)),
                Told::Scheme(ground) => self.send(Event::Scheme(ground)),
            }
        }
        Ok(Some(gate.decoder.is_undecided()))
    }

    fn send(&self, event: Event) {
        // It fails only when the loop is over, and then `last_resort` knows.
        drop(self.sender.send(event));
    }
}

pub(super) fn exit_code(signal: i32) -> i32 {
    128 + signal
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
