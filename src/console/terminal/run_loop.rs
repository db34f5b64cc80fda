//! The main loop: events in, one frame out.
//!
//! The first frame comes before any other work; pending events are taken together and drawn once. While the terminal has
//! not taken the last frame there is no other: the next one shows all that happened meanwhile. Suspending, lending the
//! terminal to an editor and every way to end are here; the [`App`] decides what events mean.

use std::env;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;

use crate::console::screen::EditorEnd;
use crate::console::terminal::event::{Event, Input};
use crate::console::terminal::reader::{Holder, Reader, exit_code};
use crate::console::terminal::watchdog::{HUNG_UP, LastResort, Phase};
use crate::console::terminal::{self, Terminal, output};
use crate::platform::processes::{DEFAULT_EDITOR, NO_SUCH_PROGRAM, Process, can_stop, stop_job, with_shell};
use crate::text::width::set_ambiguous_cells;

const PANICKED: i32 = 101;
/// The exit code of a program that could not save everything.
const UNSAVED: i32 = 1;
/// How many events are taken before the screen is drawn, however many are pending.
const BEFORE_DRAW: usize = 256;
/// How long a frame waits for a result: half of what a screen needs to show one. Almost all results are there in a
/// millisecond.
const FOR_A_RESULT: Duration = Duration::from_millis(8);
/// How long a program that was continued in the background looks for a signal to end before it stops again.
const BEFORE_STOPPING_AGAIN: Duration = Duration::from_millis(50);

/// What runs in the loop. All methods are called on the thread that called [`run`].
pub trait App {
    /// Takes one event: `Input`, `News`, `Done`, `Ground`, `Edited` or `Continued`.
    fn update(&mut self, event: Event) -> Flow;

    /// The author's editor runs, as this process.
    fn is_lent_to(&mut self, _editor: u32) {}

    /// Paints the whole screen, and gives column and row of the text cursor if it is shown.
    fn draw(&mut self, buffer: &mut Buffer) -> Option<(u16, u16)>;

    /// Saves what is not saved yet, within 500 ms. Called before the program stops, lends the terminal or ends in any
    /// way, after a panic too; it may be called when there is nothing to save. Gives what must be said at the end, if not all
    /// is saved; then the exit code is not 0.
    fn flush(&mut self) -> Option<String>;
}

/// What is to be done after an event. Of two, the greater may not be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flow {
    Unchanged,
    /// Draw, but wait a moment for a result that is on its way: two frames for one key would flicker.
    RedrawSoon,
    Redraw,
    /// Paint every cell again, because the terminal may show something else than it was sent.
    Repaint,
    /// Give the terminal back and stop, as Ctrl-Z does elsewhere.
    Suspend,
    /// Lend the terminal to the author's editor; its end comes back as [`Event::Edited`]. What was read before that is still
    /// given to the application meanwhile. A request while the program does not have the terminal fails at once.
    Edit(PathBuf),
    Quit(i32),
}

pub struct Options {
    /// Report clicks and the wheel. The terminal's own selection then needs Shift.
    pub mouse: bool,
    /// The terminal is asked for its ground, and tells when it changes.
    pub follow_ground: bool,
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
    receiver: &Receiver<Event>,
    options: Options,
) -> io::Result<i32> {
    let last_resort = LastResort::new(options.rescue);
    set_ambiguous_cells(options.ambiguous_cells.unwrap_or(1));
    let measure = options.ambiguous_cells.is_none();
    let mut reader = Reader::start(sender.clone(), Arc::clone(&last_resort), measure)?;
    let written = sender.clone();
    // Sending fails only when the main loop is over.
    output::start(move |result| drop(written.send(Event::Written(result))))?;
    let terminal = Terminal::enter(options.mouse, options.follow_ground, measure)?;
    reader.hand_to(Holder::Console);
    let mut session = Session { app, terminal, reader, sender, receiver, editor: None, due: None };

    let served = panic::catch_unwind(AssertUnwindSafe(|| session.serve()));
    last_resort.enter(Phase::Ending);
    let edited = panic::catch_unwind(AssertUnwindSafe(|| {
        // What the author has saved in the editor is his text, whether the editor has ended or not.
        if session.editor.is_some() {
            let _ = session.app.update(Event::Edited(EditorEnd::Badly));
        }
    }));
    // By itself: a second panic must not cost what is known without it.
    let saved = panic::catch_unwind(AssertUnwindSafe(|| session.app.flush()));
    terminal::restore();
    last_resort.enter(Phase::Ended);
    terminal::print_held_back();
    let unsaved = saved.as_ref().ok().and_then(Option::as_deref);
    unsaved.map(terminal::print_last);
    match served {
        Ok(Ok(0)) if unsaved.is_some() => Ok(UNSAVED),
        Ok(Ok(code)) if edited.is_ok() && saved.is_ok() => Ok(code),
        Ok(Err(error)) if !terminal::is_gone(&error) => Err(error),
        Ok(Err(_)) => Ok(HUNG_UP),
        _ => Ok(PANICKED),
    }
}

struct Session<'a, A: App> {
    app: &'a mut A,
    terminal: Terminal,
    reader: Reader,
    sender: Sender<Event>,
    receiver: &'a Receiver<Event>,
    /// The author's editor, while it has the terminal. It is waited for only when it is taken out of here: until then its process
    /// number is its own.
    editor: Option<Process>,
    /// When the next frame is due, if the screen does not show all that happened.
    due: Option<Instant>,
}

impl<A: App> Session<'_, A> {
    fn serve(&mut self) -> io::Result<i32> {
        let receiver = self.receiver;
        self.draw()?;
        loop {
            // This session holds a sender, so waiting always ends with an event.
            let first = match self.due.map(|due| due.saturating_duration_since(Instant::now())) {
                Some(rest) if !rest.is_zero() => receiver.recv_timeout(rest).ok(),
                _ => receiver.recv().ok(),
            };
            for event in first.into_iter().chain(receiver.try_iter().take(BEFORE_DRAW)) {
                let is_result = matches!(event, Event::Done { .. });
                match self.take(event)? {
                    Flow::Quit(code) => return Ok(code),
                    flow => self.due = due(self.due, &flow, is_result, Instant::now()),
                }
            }
            let is_due = self.due.is_some_and(|due| due <= Instant::now());
            if is_due && self.reader.holder == Holder::Console && output::is_written() {
                self.draw()?;
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.due = None;
        self.terminal.draw(|buffer| self.app.draw(buffer))
    }

    /// Takes one event; what is left to be done is to draw, or to end.
    fn take(&mut self, event: Event) -> io::Result<Flow> {
        match event {
            Event::Ending(signal) => {
                if let Some(editor) = &self.editor {
                    editor.hand_on(signal);
                }
                Ok(Flow::Quit(exit_code(signal)))
            }
            Event::Hangup => Ok(Flow::Quit(HUNG_UP)),
            Event::Suspend => Ok(self.suspend()),
            Event::Continued => self.go_on(),
            Event::Edited(end) => self.take_back(end),
            Event::AmbiguousCells(cells @ 2) => {
                set_ambiguous_cells(cells);
                self.terminal.stale = true;
                Ok(Flow::Redraw)
            }
            // The usual width, or nonsense.
            Event::AmbiguousCells(_) => Ok(Flow::Unchanged),
            Event::Scheme(ground) => {
                // Some tell of the system's colours though their own stay. What they answer is true.
                self.terminal.ask_ground();
                self.update(Event::Ground(ground)).map(|flow| flow.max(Flow::Redraw))
            }
            Event::Written(result) => result.map(|()| Flow::Unchanged),
            event => {
                // At a new size the terminal may have moved or cut what was on it.
                let is_resize = |input: &Input| matches!(input, Input::Resize(_));
                if matches!(&event, Event::Input(inputs) if inputs.iter().any(is_resize)) {
                    self.terminal.stale = true;
                }
                self.update(event)
            }
        }
    }

    fn update(&mut self, event: Event) -> io::Result<Flow> {
        match self.app.update(event) {
            Flow::Repaint => self.terminal.stale = true,
            Flow::Suspend => return Ok(self.suspend()),
            Flow::Edit(file) => return self.lend(&file),
            flow => return Ok(flow),
        }
        Ok(Flow::Redraw)
    }

    fn suspend(&mut self) -> Flow {
        if !can_stop() {
            return Flow::Unchanged;
        }
        self.app.flush();
        match self.reader.holder {
            Holder::Console => {
                self.reader.hand_to(Holder::Shell);
                terminal::restore();
            }
            Holder::Shell => {}
            // It would go on reading the terminal.
            Holder::Editor => return Flow::Unchanged,
        }
        stop_job();
        // What happens next arrives as `Continued`, or as a signal to end.
        Flow::Unchanged
    }

    /// After the program was continued, by whomever and after whatever had stopped it.
    fn go_on(&mut self) -> io::Result<Flow> {
        if self.reader.holder == Holder::Editor {
            return Ok(Flow::Unchanged);
        }
        if terminal::is_foreground() {
            self.show_again()?;
            return self.update(Event::Continued).map(|flow| flow.max(Flow::Redraw));
        }
        // In the background. Touching the terminal would stop this process anyway; do so without touching it.
        self.reader.hand_to(Holder::Shell);
        while let Ok(event) = self.receiver.recv_timeout(BEFORE_STOPPING_AGAIN) {
            if let Event::Continued | Event::Suspend = event {
                continue;
            }
            if let Flow::Quit(code) = self.take(event)? {
                return Ok(Flow::Quit(code));
            }
        }
        stop_job();
        Ok(Flow::Unchanged)
    }

    fn lend(&mut self, file: &Path) -> io::Result<Flow> {
        if self.reader.holder != Holder::Console {
            return self.update(Event::Edited(EditorEnd::NotFound));
        }
        self.app.flush();
        self.reader.hand_to(Holder::Editor);
        terminal::restore();
        match start_editor(file, self.sender.clone()) {
            Ok(editor) => {
                self.app.is_lent_to(editor.id());
                self.editor = Some(editor);
                Ok(Flow::Unchanged)
            }
            Err(_) => self.take_back(EditorEnd::NotFound),
        }
    }

    fn take_back(&mut self, end: EditorEnd) -> io::Result<Flow> {
        if let Some(editor) = self.editor.take() {
            editor.reap();
        }
        self.show_again()?;
        self.update(Event::Edited(end))
    }

    fn show_again(&mut self) -> io::Result<()> {
        self.terminal.reenter()?;
        self.reader.hand_to(Holder::Console);
        Ok(())
    }
}

/// When the next frame is due, after one more event.
fn due(before: Option<Instant>, flow: &Flow, is_result: bool, now: Instant) -> Option<Instant> {
    match flow {
        // A result that changes nothing has been waited for all the same.
        Flow::Unchanged => before.map(|due| if is_result { now } else { due }),
        Flow::RedrawSoon => before.or(Some(now + FOR_A_RESULT)),
        _ => Some(now),
    }
}

/// Starts the author's editor on a file: `$VISUAL`, else `$EDITOR`, else [`DEFAULT_EDITOR`]. It may carry arguments (`code --wait`). A thread
/// tells of its end.
fn start_editor(file: &Path, sender: Sender<Event>) -> io::Result<Process> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(env::var_os);
    let mut named = named.filter(|command| !command.to_string_lossy().trim().is_empty());
    let started = with_shell(named.next().unwrap_or_else(|| DEFAULT_EDITOR.into()), file).spawn()?;
    let editor = Process::of(started);
    let waited = editor.clone();
    let wait = move || {
        let end = match waited.ended() {
            Some(0) => EditorEnd::Well,
            Some(NO_SUCH_PROGRAM) => EditorEnd::NotFound,
            _ => EditorEnd::Badly,
        };
        drop(sender.send(Event::Edited(end)));
    };
    if let Err(error) = thread::Builder::new().name("editor".into()).spawn(wait) {
        editor.ask_to_end();
        return Err(error);
    }
    Ok(editor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_waits_for_a_result_once_and_not_long() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let waiting = due(None, &Flow::RedrawSoon, false, start);
        assert_eq!(waiting, Some(start + FOR_A_RESULT));
        assert_eq!(due(waiting, &Flow::RedrawSoon, false, at(5)), waiting, "the next key");
        assert_eq!(due(waiting, &Flow::Unchanged, false, at(5)), waiting, "what changes nothing");
        assert_eq!(due(waiting, &Flow::Redraw, false, at(5)), Some(at(5)), "what waits for nothing");
        assert_eq!(due(waiting, &Flow::Redraw, true, at(5)), Some(at(5)), "the result");
        assert_eq!(due(waiting, &Flow::Unchanged, true, at(5)), Some(at(5)), "a result that changes nothing");
        assert_eq!(due(None, &Flow::Unchanged, true, at(5)), None);
    }
}
