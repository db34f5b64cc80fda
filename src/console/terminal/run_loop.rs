//! The main loop: events in, one frame out.
//!
//! The first frame comes before any other work; pending events are taken together and drawn once. While the terminal has
//! not taken the last frame there is no other: the next one shows all that happened meanwhile. Suspending, lending the
//! terminal to an editor and every way to end are here; the [`App`] decides what events mean.

use std::collections::VecDeque;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use ratatui::Frame;

use crate::console::screen::EditorEnd;
use crate::console::terminal::editor::Editor;
use crate::console::terminal::event::{Event, Input, InputThread};
use crate::console::terminal::output;
use crate::console::terminal::signal;
use crate::console::terminal::watchdog::{self, LastResort};
use crate::console::terminal::{self, Terminal};
use crate::text::width::set_ambiguous_cells;

/// The exit code after a panic.
const PANICKED: i32 = 101;
/// The exit code of a program that could not save everything.
const UNSAVED: i32 = 1;
/// How many events are taken before the screen is drawn, however many are pending.
const BEFORE_DRAW: usize = 256;
/// How long a program that was continued in the background looks for a signal to end before it stops again.
const BEFORE_STOPPING_AGAIN: Duration = Duration::from_millis(50);

/// What runs in the loop. All methods are called on the thread that called [`run`].
pub trait App {
    /// Takes one event. Never called with `AmbiguousCells`, `Ending`, `Suspend`, `Hangup` or `Written`.
    fn update(&mut self, event: Event) -> Flow;

    /// Paints the whole screen. The text cursor is shown where `frame.set_cursor_position` puts it, else hidden.
    fn draw(&mut self, frame: &mut Frame);

    /// Saves what is not saved yet, within 500 ms. Called before the program stops, lends the terminal or ends in any
    /// way, after a panic too; it may be called when there is nothing to save. Gives what must be said at the end, if not all
    /// is saved; then the exit code is not 0.
    fn flush(&mut self) -> Option<String>;
}

/// What the loop does after an event. Of two, the greater may not be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flow {
    /// Nothing that is visible has changed.
    Unchanged,
    Redraw,
    /// Paint every cell again, because the terminal may show something else than it was sent.
    Repaint,
    /// Give the terminal back and stop, as Ctrl-Z does elsewhere.
    Suspend,
    /// Lend the terminal to the author's editor; its end comes back as [`Event::Edited`]. What was read before the
    /// editor had the terminal comes after that, but for the rest of the very event that asked: that was already
    /// given to the application. A request while the program does not have the terminal fails at once.
    Edit(PathBuf),
    /// End with this exit code.
    Quit(i32),
}

/// How to run.
pub struct Options {
    /// Report clicks and the wheel. The terminal's own selection then needs Shift.
    pub mouse: bool,
    /// How many cells the terminal gives a character of ambiguous width; it is asked if this is not known.
    pub ambiguous_cells: Option<usize>,
    /// Saves what can be saved when the main loop hangs while the program must end. Runs on another thread, at most
    /// once, beside a main loop that may hold any lock: use `try_lock` and a shared snapshot. Gives what must be said.
    pub rescue: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

/// Runs the application on the terminal and returns the program's exit code: that of [`Flow::Quit`], 128+n after
/// signal n, 129 after a hang-up, 101 after a panic. The terminal is given back on every way out. An error means
/// that the terminal could not be taken or drawn on.
///
/// Call [`terminal::is_terminal`] first. Signal handlers, the panic hook and a few sleeping threads stay; run once in
/// a process, and exit with the code.
pub fn run<A: App>(
    app: &mut A,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    options: Options,
) -> io::Result<i32> {
    let last_resort = LastResort::new(options.rescue);
    let lent = Arc::new(AtomicBool::new(false));
    signal::watch(sender.clone(), Arc::clone(&lent), Arc::clone(&last_resort))?;
    set_ambiguous_cells(options.ambiguous_cells.unwrap_or(1));
    let measure = options.ambiguous_cells.is_none();
    let written = sender.clone();
    // Sending fails only when the main loop is over.
    output::start(move |result| drop(written.send(Event::Written(result))))?;
    let terminal = Terminal::enter(options.mouse, measure)?;
    watchdog::watch_terminal(sender.clone(), Arc::clone(&last_resort))?;
    let input = InputThread::start(sender.clone(), measure)?;
    let (stage, held) = (Stage::Shown, VecDeque::new());
    let mut session = Session { app, terminal, input, sender, receiver, lent, stage, undrawn: false, held };

    let served = panic::catch_unwind(AssertUnwindSafe(|| session.serve()));
    last_resort.main_loop_ending();
    let edited = panic::catch_unwind(AssertUnwindSafe(|| {
        // What the author has saved in the editor is his text, whether the editor has ended or not.
        if matches!(session.stage, Stage::Lent(_)) {
            let _ = session.app.update(Event::Edited(EditorEnd::Badly));
        }
    }));
    // By itself: a second panic must not cost what is known without it.
    let saved = panic::catch_unwind(AssertUnwindSafe(|| session.app.flush()));
    terminal::restore();
    last_resort.main_loop_ended();
    terminal::print_held_back();
    let unsaved = saved.as_ref().ok().and_then(Option::as_deref);
    unsaved.map(terminal::print_last);
    match served {
        Ok(Ok(0)) if unsaved.is_some() => Ok(UNSAVED),
        Ok(Ok(code)) if edited.is_ok() && saved.is_ok() => Ok(code),
        Ok(Err(error)) if !terminal::is_gone(&error) => Err(error),
        Ok(Err(_)) => Ok(watchdog::HUNG_UP),
        _ => Ok(PANICKED),
    }
}

/// Who has the terminal.
enum Stage {
    Shown,
    /// The shell, or nobody: this program was stopped, and was not yet continued in the foreground.
    Stopped,
    Lent(Editor),
}

struct Session<'a, A: App> {
    app: &'a mut A,
    terminal: Terminal,
    input: InputThread,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// Tells the signal thread of [`Stage::Lent`].
    lent: Arc<AtomicBool>,
    stage: Stage,
    /// The screen does not show all that happened.
    undrawn: bool,
    /// Inputs that the author made before an editor took over; they belong after it.
    held: VecDeque<Vec<Input>>,
}

/// What one event asks of the loop.
enum Step {
    Nothing,
    Draw,
    End(i32),
}

impl<A: App> Session<'_, A> {
    fn serve(&mut self) -> io::Result<i32> {
        self.draw()?;
        loop {
            // This session holds a sender, so waiting always ends with an event.
            let mut next = self.next_pending().or_else(|| self.receiver.recv().ok());
            let mut room = BEFORE_DRAW;
            while let Some(event) = next {
                match self.take(event)? {
                    Step::Nothing => {}
                    Step::Draw => self.undrawn = true,
                    Step::End(code) => return Ok(code),
                }
                room -= 1;
                next = if room > 0 { self.next_pending() } else { None };
            }
            if self.undrawn && matches!(self.stage, Stage::Shown) && output::is_written() {
                self.draw()?;
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.undrawn = false;
        let app = &mut *self.app;
        self.terminal.draw(|frame| app.draw(frame))
    }

    fn next_pending(&mut self) -> Option<Event> {
        if matches!(self.stage, Stage::Shown)
            && let Some(inputs) = self.held.pop_front()
        {
            return Some(Event::Input(inputs));
        }
        self.receiver.try_recv().ok()
    }

    fn take(&mut self, event: Event) -> io::Result<Step> {
        match event {
            Event::Ending(signal) => {
                if let Stage::Lent(editor) = &self.stage {
                    editor.pass_on(signal);
                }
                Ok(Step::End(signal::exit_code(signal)))
            }
            Event::Hangup => Ok(Step::End(watchdog::HUNG_UP)),
            Event::Suspend => Ok(self.suspend()),
            Event::Continued => self.go_on(),
            Event::Edited(end) => self.take_back(end),
            Event::Input(inputs) if !matches!(self.stage, Stage::Shown) => {
                self.held.push_back(inputs);
                Ok(Step::Nothing)
            }
            Event::Input(inputs) => {
                // The terminal may have moved or cut what was on it.
                if inputs.iter().any(|input| matches!(input, Input::Resize { .. })) {
                    self.terminal.repaint();
                }
                self.update(Event::Input(inputs))
            }
            Event::AmbiguousCells(cells @ 2) => {
                set_ambiguous_cells(cells);
                self.terminal.repaint();
                Ok(Step::Draw)
            }
            // The usual width, or nonsense.
            Event::AmbiguousCells(_) => Ok(Step::Nothing),
            event @ (Event::News(_) | Event::Done { .. }) => self.update(event),
            Event::Written(result) => result.map(|()| Step::Nothing),
        }
    }

    fn update(&mut self, event: Event) -> io::Result<Step> {
        match self.app.update(event) {
            Flow::Unchanged => Ok(Step::Nothing),
            Flow::Redraw => Ok(Step::Draw),
            Flow::Repaint => {
                self.terminal.repaint();
                Ok(Step::Draw)
            }
            Flow::Suspend => Ok(self.suspend()),
            Flow::Edit(file) => self.lend(&file),
            Flow::Quit(code) => Ok(Step::End(code)),
        }
    }

    fn suspend(&mut self) -> Step {
        self.app.flush();
        if matches!(self.stage, Stage::Shown) {
            self.input.park();
            terminal::restore();
            self.stage = Stage::Stopped;
        }
        signal::stop_self();
        // What happens next arrives as `Continued`, or as a signal to end.
        Step::Nothing
    }

    /// After the program was continued, by whomever and after whatever had stopped it.
    fn go_on(&mut self) -> io::Result<Step> {
        if matches!(self.stage, Stage::Lent(_)) {
            return Ok(Step::Nothing);
        }
        if terminal::is_foreground() {
            self.show_again()?;
            return self.update(Event::Continued).map(|step| match step {
                Step::Nothing => Step::Draw,
                other => other,
            });
        }
        // In the background. Touching the terminal would stop this process anyway; do so without touching it.
        self.input.park();
        self.stage = Stage::Stopped;
        while let Ok(event) = self.receiver.recv_timeout(BEFORE_STOPPING_AGAIN) {
            if let Event::Continued | Event::Suspend = event {
                continue;
            }
            if let Step::End(code) = self.take(event)? {
                return Ok(Step::End(code));
            }
        }
        signal::stop_self();
        Ok(Step::Nothing)
    }

    fn lend(&mut self, file: &Path) -> io::Result<Step> {
        if !matches!(self.stage, Stage::Shown) {
            return self.update(Event::Edited(EditorEnd::NotFound));
        }
        self.app.flush();
        self.input.park();
        self.lent.store(true, Ordering::SeqCst);
        terminal::restore();
        let sender = self.sender.clone();
        let Ok(editor) = Editor::start(file, move |end| drop(sender.send(Event::Edited(end)))) else {
            return self.take_back(EditorEnd::NotFound);
        };
        self.stage = Stage::Lent(editor);
        Ok(Step::Nothing)
    }

    /// The editor has ended.
    fn take_back(&mut self, end: EditorEnd) -> io::Result<Step> {
        self.lent.store(false, Ordering::SeqCst);
        self.show_again()?;
        self.update(Event::Edited(end))
    }

    fn show_again(&mut self) -> io::Result<()> {
        self.terminal.reenter()?;
        self.input.resume();
        self.stage = Stage::Shown;
        Ok(())
    }
}
