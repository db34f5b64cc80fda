//! A terminal for tests: runs a command on a pseudo-terminal and shows what a person would see.
//!
//! Nothing here waits for a fixed time. Every wait is for text, a state or the end, and gives up after [`DEADLINE`] with
//! the screen in the failure message. Dropping a [`Terminal`] kills its own child and nothing else.

mod device;
mod stuck;

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
pub(crate) use self::device::wait_stopped;
use self::device::{Device, wait_for_end};
use self::stuck::Reader;
use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

use crate::keys::key_bytes;
use crate::system::{Pid, Signal, kill_process};

/// How long any wait may take before the test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
/// A command running on a terminal of its own, as its session leader.
pub(crate) struct Terminal {
    shared: Arc<Shared>,
    master: Option<Box<dyn MasterPty + Send>>,
    /// Held so that the terminal's modes outlive the child and can be compared.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Option<Sender<Vec<u8>>>,
    device: Device,
    pid: Pid,
    first_modes: String,
}

/// How the command ended.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    /// The exit code, if it ended by itself.
    pub(crate) code: Option<i32>,
    /// The signal that ended it, otherwise.
    pub(crate) signal: Option<i32>,
    /// Processor time of the command and of the children it waited for; zero where the system does not say.
    pub(crate) cpu: Duration,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    screen: vt100::Parser<Questions>,
    raw: Vec<u8>,
    exit: Option<Exit>,
    closing: bool,
    reader: Reader,
    output_ended: bool,
    keys_sent: bool,
}

/// What a terminal claims when it is asked.
#[derive(Default)]
pub(crate) struct Claims {
    /// The column its cursor is in, if not the true one; 0: it does not answer.
    pub(crate) column: Option<u16>,
    /// The colour of its ground; else it does not answer.
    pub(crate) ground: Option<&'static str>,
}

/// What a terminal is asked and must answer: where the cursor is, what it is, and which ground it has.
#[derive(Default)]
struct Questions {
    answers: Vec<u8>,
    claims: Claims,
}

impl vt100::Callbacks for Questions {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        i1: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        let (row, column) = screen.cursor_position();
        match (i1, c, params) {
            (None, 'n', [[6]]) => {
                let column = self.claims.column.unwrap_or(column + 1);
                if column == 0 {
                    return;
                }
                self.answers.extend(format!("\x1b[{};{column}R", row + 1).bytes());
            }
            (None, 'c', _) => self.answers.extend(b"\x1b[?1;2c"),
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        if let (Some(ground), [b"11", b"?"]) = (self.claims.ground, params) {
            self.answers.extend(format!("\x1b]11;{ground}\x1b\\").bytes());
        }
    }
}

impl Terminal {
    /// Starts `command` on a terminal of `width` x `height` cells.
    pub(crate) fn spawn(command: CommandBuilder, width: u16, height: u16) -> Terminal {
        Terminal::spawn_claiming(Claims::default(), command, width, height)
    }

    /// The same on a terminal that claims this when it is asked.
    pub(crate) fn spawn_claiming(
        claims: Claims,
        mut command: CommandBuilder,
        width: u16,
        height: u16,
    ) -> Terminal {
        let pair = native_pty_system().openpty(size(width, height)).expect("a pseudo-terminal");
        let device = Device::of(&*pair.master);
        let first_modes = device.modes();
        command.env("TERM", "xterm-256color");
        let reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let child = pair.slave.spawn_command(command).expect("the command starts");
        let pid = child.process_id().and_then(|pid| Pid::from_raw(pid.cast_signed())).expect("a process");

        let screen =
            vt100::Parser::new_with_callbacks(height, width, 0, Questions { claims, ..Questions::default() });
        let state = State {
            screen,
            raw: Vec::new(),
            exit: None,
            closing: false,
            reader: Reader::Reads,
            output_ended: false,
            keys_sent: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let (keys, typed) = mpsc::channel();
        start(&shared, {
            let answers = keys.clone();
            move |shared| read_output(shared, reader, &answers)
        });
        start(&shared, move |shared| send_input(shared, writer, &typed));
        start(&shared, move |shared| wait_for_end(shared, child, pid));
        let (master, slave) = (Some(pair.master), Some(pair.slave));
        Terminal { shared, master, slave, keys: Some(keys), device, pid, first_modes }
    }

    /// The command's process, to be looked at or sent signals.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Types text, as an input method or a paste without brackets would send it.
    pub(crate) fn send_keys(&self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    /// Sends bytes. Never blocks: a thread feeds the terminal as fast as it takes them.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) {
        let keys = self.keys.as_ref().expect("the terminal is open");
        keys.send(bytes.to_vec()).expect("the terminal takes input");
    }

    /// Presses one key by name: `ctrl+s`, `enter`, `esc`, `shift+tab`, `up`, `f8`, `alt+x`, `a`.
    pub(crate) fn press(&self, key: &str) {
        self.send_bytes(&key_bytes(key));
    }

    /// Sends a signal to the command.
    pub(crate) fn signal(&self, signal: Signal) {
        let state = self.lock();
        assert!(state.exit.is_none(), "the command has ended: {:?}", state.exit);
        kill_process(self.pid, signal).expect("the signal is sent");
    }

    /// Kills the command, as `kill -9` does, and waits for its end. The terminal stays as the command left it.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.wait("the end of the command", DEADLINE, |state| state.exit.is_some());
    }

    /// Waits until `text` stands on the screen.
    pub(crate) fn wait_for_text(&self, text: &str) {
        self.wait_until(&format!("the text {text:?}"), |screen| screen.contents().contains(text));
    }

    /// Waits until `text` stands on the screen, wherever its rows break: a sentence that names a path breaks where the
    /// path's length wants it.
    pub(crate) fn wait_for_wrapped_text(&self, text: &str) {
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let wanted = bare(text);
        self.wait_until(&format!("the text {text:?}, wrapped or not"), |screen| {
            bare(&screen.contents()).contains(&wanted)
        });
    }

    /// Waits until the screen satisfies `test`; `what` names it in the failure message.
    pub(crate) fn wait_until(&self, what: &str, test: impl Fn(&vt100::Screen) -> bool) {
        self.wait(what, DEADLINE, |state| test(state.screen.screen()));
    }

    /// Waits until the bytes received so far contain `bytes`.
    pub(crate) fn wait_for_bytes(&self, bytes: &[u8]) {
        let what = format!("the bytes {:?}", String::from_utf8_lossy(bytes));
        self.wait(&what, DEADLINE, |state| contains(&state.raw, bytes));
    }

    /// Waits until the last frame has come whole: the console sends each between two marks.
    pub(crate) fn wait_for_frame(&self) {
        // The question for the cursor may come behind the frame.
        let frame = |raw: &[u8]| raw.strip_suffix(b"\x1b[6n").unwrap_or(raw).ends_with(b"\x1b[?2026l");
        self.wait("the end of a frame", DEADLINE, |state| frame(&state.raw));
    }

    /// Waits for the command to end and its output to be read to the last byte.
    pub(crate) fn wait_exit(&mut self) -> Exit {
        self.wait("the end of the command", DEADLINE, |state| state.exit.is_some());
        self.read_again();
        let exit = self.lock().exit.clone().expect("it has ended");
        if self.master.is_some() {
            let last_modes = self.device.modes();
            assert_eq!(
                last_modes,
                self.first_modes,
                "the terminal's modes before and after\n{}",
                self.report()
            );
            // Without the last slave end, the reader comes to its end.
            self.slave = None;
            self.wait("the end of the output", DEADLINE, |state| state.output_ended);
        }
        exit
    }

    /// The visible text, rows joined by line ends, without trailing blanks.
    pub(crate) fn screen_text(&self) -> String {
        self.lock().screen.screen().contents()
    }

    /// Where the text cursor stands, as (column, row) from 0; `None` while it is hidden.
    pub(crate) fn cursor(&self) -> Option<(u16, u16)> {
        let state = self.lock();
        let (row, column) = state.screen.screen().cursor_position();
        (!state.screen.screen().hide_cursor()).then_some((column, row))
    }

    /// Every byte received so far.
    pub(crate) fn raw_output(&self) -> Vec<u8> {
        self.lock().raw.clone()
    }

    /// From now on the terminal has this ground. It tells nobody by itself.
    pub(crate) fn set_ground(&self, ground: &'static str) {
        self.lock().screen.callbacks_mut().claims.ground = Some(ground);
    }

    /// Gives the terminal another size, and tells the command.
    pub(crate) fn resize(&self, width: u16, height: u16) {
        // The emulator panics where a wide character has no room to wrap; what it shows then is of no interest.
        self.lock().screen.screen_mut().set_size(height.max(2), width.max(2));
        let master = self.master.as_ref().expect("the terminal is open");
        master.resize(size(width, height)).expect("the new size");
    }

    /// The modes of the line discipline in words: raw or not, echo or not.
    pub(crate) fn modes(&self) -> String {
        self.device.modes()
    }

    fn wait(&self, what: &str, limit: Duration, test: impl Fn(&State) -> bool) {
        let state = self.lock();
        let waited = self.shared.changed.wait_timeout_while(state, limit, |state| {
            // Nothing more will come once everything has ended.
            !(test(state) || state.exit.is_some() && state.output_ended)
        });
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let met = test(&state);
        drop(state);
        assert!(met, "waited for {what}\n{}", self.report());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    fn report(&self) -> String {
        let state = self.lock();
        let mut text =
            format!("--- screen, exit {:?} ---\n{}\n", state.exit, state.screen.screen().contents());
        let tail = &state.raw[state.raw.len().saturating_sub(400)..];
        let _ = writeln!(text, "--- last bytes ---\n{}", String::from_utf8_lossy(tail).escape_debug());
        text
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.read_again();
        let state = self.lock();
        if state.exit.is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(shared: &Arc<Shared>, work: impl FnOnce(&Shared) + Send + 'static) {
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        work(&shared);
        shared.changed.notify_all();
    });
}

fn read_output(shared: &Shared, mut reader: Box<dyn Read + Send>, answers: &Sender<Vec<u8>>) {
    let mut bytes = [0; 1 << 12];
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        let mut state = shared.lock();
        if state.closing {
            break;
        }
        state.raw.extend_from_slice(&bytes[..count]);
        state.screen.process(&bytes[..count]);
        let reply = std::mem::take(&mut state.screen.callbacks_mut().answers);
        if !reply.is_empty() {
            let _ = answers.send(reply);
        }
        shared.changed.notify_all();
        stuck::rest(shared, state);
    }
    drop(reader);
    shared.lock().output_ended = true;
}

fn send_input(shared: &Shared, mut writer: Box<dyn Write + Send>, typed: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = typed.recv() {
        if writer.write_all(&bytes).is_err() {
            break;
        }
    }
    drop(writer);
    shared.lock().keys_sent = true;
}

/// Waits for something that nobody announces.
pub(crate) fn wait_while(what: &str, test: impl Fn() -> bool) {
    wait_while_within(DEADLINE, what, test);
}

/// The same with other patience.
pub(crate) fn wait_while_within(patience: Duration, what: &str, test: impl Fn() -> bool) {
    let start = Instant::now();
    while test() {
        assert!(start.elapsed() < patience, "for too long {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn size(width: u16, height: u16) -> PtySize {
    PtySize { rows: height, cols: width, pixel_width: 0, pixel_height: 0 }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
