//! What can happen to the console.

use crate::console::input::key::KeyPress;
use crate::console::model::Size;
use crate::console::news::News;
use crate::console::screen::{EditorEnd, Then};
use crate::console::terminal::ground::Ground;
use std::io;

/// One thing that the author did at the terminal. Columns and rows count from 0 at the upper left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Key(KeyPress),
    /// Bracketed paste, whole, line ends as the terminal sent them.
    Paste(String),
    Click {
        column: u16,
        row: u16,
    },
    ScrollUp,
    ScrollDown,
    Resize(Size),
    /// Another window has the keyboard now.
    FocusLost,
    FocusGained,
}

/// What the main loop receives.
///
/// The loop itself acts on `Ending`, `Suspend`, `Hangup`, `Scheme` and `Written`; the application never sees them.
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
    /// Whether the terminal's ground is dark or light, as it has told.
    Ground(Ground),
    /// The terminal's colours have changed, and are for this ground now.
    Scheme(Ground),
    /// The editor that the application asked for has ended, or could not be started.
    Edited(EditorEnd),
    /// A signal asks the program to end; the signal's number.
    Ending(i32),
    /// A signal asks the program to stop.
    Suspend,
    /// The program goes on after it was stopped.
    Continued,
    Hangup,
    /// The terminal has taken all that it was sent, or can take nothing more.
    Written(io::Result<()>),
}
