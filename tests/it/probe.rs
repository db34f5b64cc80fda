//! The smallest application of the console's main loop: it shows what reaches it, and does on command what a real one
//! must survive. The tests of `pty` run it in a terminal.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use novel_gate::console::editor::EditRequest;
use novel_gate::console::event::{Event, Input};
use novel_gate::console::key::{Key, KeyPress};
use novel_gate::console::run_loop::{self, App, Flow, Options};
use ratatui::Frame;
use ratatui::layout::Position;
use ratatui::text::Line;

/// A file that gets a line for every `flush` and `rescue`.
pub(crate) const LOG: &str = "PROBE_LOG";
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
    stored: usize,
    panic_in_draw: bool,
}

/// Runs the probe and returns its exit code.
pub(crate) fn main() -> i32 {
    let (sender, receiver) = run_loop::channel();
    for _ in 0..3 {
        sender.send(Event::Store(())).expect("the channel is open");
    }
    let options = Options { mouse: true, rescue: Arc::new(|| log("rescue")) };
    run_loop::run(&mut Probe::default(), (sender, receiver), options).expect("the terminal works")
}

impl App for Probe {
    type Store = ();

    fn update(&mut self, event: Event<()>) -> Flow {
        match event {
            Event::Input(inputs) => return self.take_inputs(&inputs),
            Event::Store(()) => self.stored += 1,
            Event::Continued => self.continued += 1,
            Event::Edited(edited) => self.edited = format!("{:?}", edited.result),
            Event::Ending(_) | Event::Suspend | Event::Hangup => unreachable!("the loop's own"),
        }
        Flow::Redraw
    }

    fn draw(&mut self, frame: &mut Frame) {
        assert!(!self.panic_in_draw, "asked to panic \u{1b}[31mwhile drawing");
        let lines = [
            format!("probe {}", std::process::id()),
            format!("typed {} ending {}", self.typed.chars().count(), tail(&self.typed)),
            format!("line ends {} enters {} saves {}", self.line_ends, self.enters, self.saves),
            format!("pasted {} ending {}", self.pasted.chars().count(), tail(&self.pasted)),
            format!("key {} edited {}", self.last_key, self.edited),
            format!("size {:?} clicked {:?}", self.size, self.clicked),
            format!("continued {} stored {} count {}", self.continued, self.stored, frame.count()),
        ];
        for (line, area) in lines.into_iter().zip(frame.area().rows()) {
            frame.render_widget(Line::raw(line), area);
        }
        if !self.typed.is_empty() {
            frame.set_cursor_position(Position::new(6, 1));
        }
    }

    fn flush(&mut self) {
        log("flush");
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
                Input::Resize { width, height } => self.size = Some((*width, *height)),
                Input::ScrollUp { .. } | Input::ScrollDown { .. } => {}
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
            Key::F(6) => {
                let path = PathBuf::from(env::var_os(FILE).expect("a file to edit"));
                return Flow::Edit(EditRequest { path });
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
