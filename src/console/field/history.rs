//! The steps that undo takes back.
//!
//! Small changes are gathered into steps here; the field itself changes its text.

use crate::text::cluster::first;

/// A replacement of text: at byte `at`, `removed` gave way to `inserted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) at: usize,
    pub(super) removed: String,
    pub(super) inserted: String,
    pub(super) caret_before: usize,
}

/// What kind of change it is: only neighbours of one kind make one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One typed cluster; more of them may follow.
    Typing,
    /// One typed space or punctuation mark: the last of a run.
    LastTyping,
    Backspace,
    Delete,
    /// A step of its own: paste, line end, kill.
    Whole,
}

impl Kind {
    /// What an insertion of `text` is.
    pub(super) fn of_insertion(text: &str) -> Kind {
        match text.chars().next() {
            _ if first(text).len() < text.len() => Kind::Whole,
            Some('\n') | None => Kind::Whole,
            // Chinese has no spaces, so its runs of typing end at punctuation.
            Some(c) if c.is_whitespace() || "，。！？；：、”」…".contains(c) => Kind::LastTyping,
            Some(_) => Kind::Typing,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct History {
    done: Vec<Change>,
    undone: Vec<Change>,
    /// The kind of the newest step while it may still grow.
    open: Option<Kind>,
}

impl History {
    /// Adds a change to the newest step or as a new step; what was undone is forgotten.
    pub(super) fn record(&mut self, change: Change, kind: Kind) {
        self.undone.clear();
        let step = join(self.done.last_mut(), self.open, change, kind);
        self.done.extend(step);
        self.open = matches!(kind, Kind::Typing | Kind::Backspace | Kind::Delete).then_some(kind);
    }

    /// The next change starts a new step.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// The newest step, which is to be taken back.
    pub(super) fn undo(&mut self) -> Option<&Change> {
        self.close();
        self.undone.push(self.done.pop()?);
        self.undone.last()
    }

    /// The step taken back last, which is to be done again.
    pub(super) fn redo(&mut self) -> Option<&Change> {
        self.close();
        self.done.push(self.undone.pop()?);
        self.done.last()
    }
}

/// Joins `change` to the newest step if it continues it; otherwise gives it back.
fn join(newest: Option<&mut Change>, open: Option<Kind>, change: Change, kind: Kind) -> Option<Change> {
    let Some(newest) = newest else { return Some(change) };
    match (open, kind) {
        (Some(Kind::Typing), Kind::Typing | Kind::LastTyping)
            if change.at == newest.at + newest.inserted.len() =>
        {
            newest.inserted.push_str(&change.inserted);
        }
        (Some(Kind::Backspace), Kind::Backspace) if change.at + change.removed.len() == newest.at => {
            newest.removed.insert_str(0, &change.removed);
            newest.at = change.at;
        }
        (Some(Kind::Delete), Kind::Delete) if change.at == newest.at => {
            newest.removed.push_str(&change.removed);
        }
        _ => return Some(change),
    }
    None
}
