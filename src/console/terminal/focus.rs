//! Whether the keyboard is the terminal's: the press of the mouse that brings it to the front is not meant for the console.
//!
//! Contract:
//! * A press while another window has the keyboard, or just after the terminal got it, is dropped: some terminals report
//!   the press first, some the focus.
//! * A terminal that has reported that it got the keyboard will do so again: without that, no press counts.
//! * One that reports only that it lost it has it again with the first press; until a terminal reports its focus, it is
//!   taken to have it; and whoever types has it.
//! * Presses are judged when they are read, however long they are held.

use crate::console::terminal::event::Input;
use std::time::{Duration, SystemTime};

/// A press within this time after the terminal got the keyboard is the one that gave it.
const SAME_PRESS: Duration = Duration::from_millis(200);

#[derive(Debug, Default)]
pub(in crate::console) struct TerminalFocus {
    lost: bool,
    gained: Option<SystemTime>,
    /// It has said so itself.
    reports_gain: bool,
}

impl TerminalFocus {
    /// Whether an input is something else than a report of focus, or a press that only focuses.
    pub(in crate::console) fn is_meant(&mut self, input: &Input, now: SystemTime) -> bool {
        match input {
            Input::FocusLost => self.lost = true,
            Input::FocusGained => {
                self.reports_gain = true;
                self.gain(now);
            }
            Input::Click { .. } if self.lost && self.reports_gain => {}
            Input::Click { .. } if self.lost => self.gain(now),
            Input::Click { .. } => {
                let since = self.gained.map(|gained| now.duration_since(gained));
                return !since.is_some_and(|since| since.is_ok_and(|since| since < SAME_PRESS));
            }
            Input::Key(_) | Input::Paste(_) => {
                self.lost = false;
                return true;
            }
            Input::ScrollUp | Input::ScrollDown | Input::Resize(_) => return true,
        }
        false
    }

    fn gain(&mut self, now: SystemTime) {
        (self.lost, self.gained) = (false, Some(now));
    }
}
