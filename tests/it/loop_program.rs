//! The smallest application of the console's main loop: it shows what reaches it, and does on command what a real one
//! must survive. The test binary runs itself again to be this program, in a terminal: [`RunningProbe`].

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::thread;

use crate::system::Pid;
use novel_gate::console::input::key::{Key, KeyPress};
use novel_gate::console::news::News;
use novel_gate::console::terminal::event::{Event, Input};
use novel_gate::console::terminal::run_loop::{self, App, Flow, Options};
use novel_gate::store::watch::StoreEvent;
use novel_gate::text::width::ambiguous_cells;
use portable_pty::CommandBuilder;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use ratatui::widgets::Widget as _;
use tempfile::TempDir;

use crate::screen::{Claims, Terminal, wait_while};

/// Tells the test binary to be the probe.
const WANTED: &str = "NOVEL_GATE_PROBE";
/// Tells the probe to ask its terminal how wide ambiguous characters are.
const MEASURES: &str = "NOVEL_GATE_PROBE_MEASURES";
/// A file that gets a line for every `flush` and `rescue`.
const LOG: &str = "PROBE_LOG";
/// A file for F6 to edit.
pub(crate) const FILE: &str = "PROBE_FILE";

#[derive(Default)]
struct Probe {
    typed: String,
    line_ends: usize,
    /// An Enter that ended its read.
    enters: usize,
    saves: usize,
    pasted: String,
    last_key: String,
    edited: String,
    size: Option<(u16, u16)>,
    clicked: Option<(u16, u16)>,
    continued: usize,
    drawn: usize,
    stored: usize,
    panic_in_draw: bool,
    panic_behind_editor: bool,
}

/// Whether this process was started to be the probe.
pub(crate) fn is_wanted() -> bool {
    env::var_os(WANTED).is_some()
}

/// Runs the probe and returns its exit code.
pub(crate) fn main() -> i32 {
    let (sender, receiver) = mpsc::channel();
    for _ in 0..3 {
        sender.send(Event::News(News::Store(StoreEvent::Looked))).expect("the channel is open");
    }
    let ambiguous_cells = if env::var_os(MEASURES).is_some() { None } else { Some(1) };
    let options = Options {
        mouse: true,
        follow_ground: false,
        ambiguous_cells,
        rescue: Arc::new(|| {
            log("rescue");
            None
        }),
    };
    run_loop::run(&mut Probe::default(), sender, &receiver, options).expect("the terminal works")
}

impl App for Probe {
    fn update(&mut self, event: Event) -> Flow {
        match event {
            Event::Input(inputs) => return self.take_inputs(&inputs),
            Event::News(_) => self.stored += 1,
            Event::Continued => self.continued += 1,
            Event::Edited(_) if self.panic_behind_editor => panic!("asked to panic behind the editor"),
            Event::Ground(_) => {}
            Event::Edited(end) => self.edited = format!("{end:?}"),
            _ => unreachable!("the loop's own"),
        }
        Flow::Redraw
    }

    fn draw(&mut self, buffer: &mut Buffer) -> Option<(u16, u16)> {
        self.drawn += 1;
        assert!(!self.panic_in_draw, "asked to panic \u{1b}[31mwhile drawing");
        let lines = [
            format!("probe {}", std::process::id()),
            format!("typed {} ending {}", self.typed.chars().count(), tail(&self.typed)),
            format!("line ends {} enters {} saves {}", self.line_ends, self.enters, self.saves),
            format!("pasted {} ending {}", self.pasted.chars().count(), tail(&self.pasted)),
            format!("key {} edited {}", self.last_key, self.edited),
            format!("size {:?} clicked {:?}", self.size, self.clicked),
            format!("ambiguous {}", ambiguous_cells()),
            format!("continued {} stored {} count {}", self.continued, self.stored, self.drawn),
        ];
        for (line, area) in lines.into_iter().zip(buffer.area.rows()) {
            Line::raw(line).render(area, buffer);
        }
        (!self.typed.is_empty()).then_some((6, 1))
    }

    fn flush(&mut self) -> Option<String> {
        log("flush");
        None
    }
}

impl Probe {
    fn take_inputs(&mut self, inputs: &[Input]) -> Flow {
        let mut flow = Flow::Redraw;
        for (index, input) in inputs.iter().enumerate() {
            match input {
                Input::Key(key) => {
                    let more = inputs.len() > index + 1;
                    flow = self.take_key(*key, more);
                }
                Input::Paste(text) => self.pasted.push_str(text),
                Input::Click { column, row } => self.clicked = Some((*column, *row)),
                Input::Resize(size) => self.size = Some((size.width, size.height)),
                Input::ScrollUp | Input::ScrollDown | Input::FocusLost | Input::FocusGained => {}
            }
        }
        flow
    }

    fn take_key(&mut self, key: KeyPress, more: bool) -> Flow {
        self.last_key = key.to_string();
        if let Some(c) = key.text() {
            self.typed.push(c);
        }
        match key.key {
            Key::Enter if more => self.line_ends += 1,
            Key::Enter => self.enters += 1,
            Key::Char('s') if key.ctrl => self.saves += 1,
            Key::Char('q') if key.ctrl => return Flow::Quit(7),
            Key::Char('z') if key.ctrl => return Flow::Suspend,
            Key::F(2) => panic!("asked to panic \u{1b}[31min 起点"),
            Key::F(3) => self.panic_in_draw = true,
            Key::F(4) => drop(thread::spawn(|| panic!("asked to panic in a worker")).join()),
            Key::F(5) => hang(),
            // No result will come.
            Key::F(8) => return Flow::RedrawSoon,
            Key::F(7) => self.panic_behind_editor = true,
            Key::F(6) => {
                let path = PathBuf::from(env::var_os(FILE).expect("a file to edit"));
                return Flow::Edit(path);
            }
            _ => {}
        }
        Flow::Redraw
    }
}

/// A main loop that never comes back.
fn hang() {
    log("hanging");
    loop {
        thread::park();
    }
}

fn tail(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(3);
    text.chars().skip(skipped).collect()
}

fn log(line: &str) {
    let Some(path) = env::var_os(LOG) else { return };
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{line}")).expect("the log is written");
}

/// The probe in a terminal of 80 x 24 cells, with its first frame shown.
pub(crate) struct RunningProbe {
    pub(crate) terminal: Terminal,
    /// Where its log and the edited file are.
    pub(crate) dir: TempDir,
}

impl RunningProbe {
    pub(crate) fn start() -> RunningProbe {
        RunningProbe::start_in(None, |_, _| {})
    }

    /// On a terminal that claims its cursor to be in this column.
    pub(crate) fn start_claiming(column: u16) -> RunningProbe {
        RunningProbe::start_on(Claims { column: Some(column), ground: None }, None, |command, _| {
            command.env(MEASURES, "1");
        })
    }

    /// With a shell script around it: `"$@"` is the probe.
    pub(crate) fn start_under(script: &str) -> RunningProbe {
        RunningProbe::start_in(Some(script), |_, _| {})
    }

    pub(crate) fn start_in(
        script: Option<&str>,
        prepare: impl FnOnce(&mut CommandBuilder, &TempDir),
    ) -> RunningProbe {
        RunningProbe::start_on(Claims::default(), script, prepare)
    }

    fn start_on(
        claims: Claims,
        script: Option<&str>,
        prepare: impl FnOnce(&mut CommandBuilder, &TempDir),
    ) -> RunningProbe {
        let dir = TempDir::new().expect("a directory");
        let exe = env::current_exe().expect("this program");
        let mut command = match script {
            None => CommandBuilder::new(exe),
            Some(script) => {
                let mut shell = CommandBuilder::new("sh");
                shell.args(["-c", script, "sh"]);
                shell.arg(exe);
                shell
            }
        };
        command.args(["--exact", "pty::child_app", "--ignored", "--nocapture"]);
        command.env(WANTED, "1");
        command.env(LOG, log_path(&dir));
        command.env("RUST_BACKTRACE", "0");
        prepare(&mut command, &dir);
        let probe = RunningProbe { terminal: Terminal::spawn_claiming(claims, command, 80, 24), dir };
        probe.terminal.wait_for_text("stored 3");
        probe
    }

    pub(crate) fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(log_path(&self.dir)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Sends the main loop where it does not come back from.
    pub(crate) fn hang(&self) {
        self.terminal.press("f5");
        wait_while("the main loop still runs", || self.log() != ["hanging"]);
    }

    /// Types a character and waits for it, so that every thread is known to be at its work.
    pub(crate) fn warm_up(&self) {
        self.terminal.send_keys("a");
        self.terminal.wait_for_text("typed 1 ending a");
    }

    /// The probe's own process, which under a script is not the terminal's.
    pub(crate) fn pid(&self) -> Pid {
        let text = self.terminal.screen_text();
        let number = text.split_whitespace().nth(1).and_then(|number| number.parse().ok());
        number.and_then(Pid::from_raw).unwrap_or_else(|| panic!("no process number in {text}"))
    }

    /// What was switched on is switched off again, the alternate screen last; then the text after it.
    pub(crate) fn assert_given_back(&self) -> String {
        let raw = String::from_utf8_lossy(&self.terminal.raw_output()).into_owned();
        for mode in ["?1000", "?1004", "?1006", "?2004", "?1049"] {
            let (on, off) = (&format!("{mode}h"), &format!("{mode}l"));
            let last_on = raw.rfind(on).unwrap_or_else(|| panic!("{on} was never sent"));
            assert!(raw.rfind(off) > Some(last_on), "{off} comes after {on}");
        }
        let left = raw.rfind("\x1b[?1049l").expect("it was just found");
        assert!(raw.rfind("\x1b[?25h") < Some(left) && raw.rfind("\x1b[?25h") > raw.rfind("\x1b[?25l"));
        raw[left + "\x1b[?1049l".len()..].to_owned()
    }
}

fn log_path(dir: &TempDir) -> PathBuf {
    dir.path().join("log")
}
