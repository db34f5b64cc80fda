//! Everything the author can do, as one enum.
//!
//! Responsible for naming it. Which key does it is the key map's business, what it does is the update's.

use super::field::Edit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    /// The context pane up.
    ScrollUp,
    /// The context pane down.
    ScrollDown,
    /// Enter: open, take and go on, edit the row, yes.
    Accept,
    /// Space: choose or tick without going on.
    Pick,
    /// The row with this number on the page shown.
    Number(u8),
    /// The next question, or section.
    Next,
    /// The question, or section, before.
    Previous,
    Clear,
    /// Tick all that are shown, or none of them.
    All,
    /// Of those shown, tick what is not ticked and untick the rest.
    Invert,
    /// Take back what a key ticked, chose or cleared last.
    TakeBack,
    Filter,
    /// Take the other answer there is: an earlier record's, or the author's own again.
    OtherAnswer,
    /// Show the context over the whole screen.
    Expand,
    /// Show what the packet asks differently, and what fits no more.
    Changes,
    Review,
    Submit,
    Back,
    /// Remove a record so that its gate waits again.
    Redo,
    /// Put the last removed record back.
    UndoRedo,
    /// Show what was written for the gate, and what went.
    History,
    Rescan,
    Edit(Edit),
    /// One line or many.
    Multiline,
    /// The text in the author's own editor.
    Editor,
    /// The keys of this screen.
    Help,
    Language,
    Quit,
    /// Ctrl+C: leave when pressed twice.
    Interrupt,
    /// Stop the program, to be continued from the shell.
    Suspend,
    Redraw,
    /// No.
    Refuse,
    /// A click, or a turn of the wheel, on something drawn.
    Point(Target),
}

impl Action {
    /// A stable name for programs, such as `undo-redo`. What comes with an action (a row, a click) is no part of it.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Up => "up",
            Action::Down => "down",
            Action::PageUp => "page-up",
            Action::PageDown => "page-down",
            Action::First => "first",
            Action::Last => "last",
            Action::ScrollUp => "scroll-up",
            Action::ScrollDown => "scroll-down",
            Action::Accept => "accept",
            Action::Pick => "pick",
            Action::Number(_) => "number",
            Action::Next => "next",
            Action::Previous => "previous",
            Action::Clear => "clear",
            Action::All => "all",
            Action::Invert => "invert",
            Action::TakeBack => "take-back",
            Action::Filter => "filter",
            Action::OtherAnswer => "other-answer",
            Action::Expand => "expand",
            Action::Changes => "changes",
            Action::Review => "review",
            Action::Submit => "submit",
            Action::Back => "back",
            Action::Redo => "redo",
            Action::UndoRedo => "undo-redo",
            Action::History => "history",
            Action::Rescan => "rescan",
            Action::Edit(edit) => edit.name(),
            Action::Multiline => "multiline",
            Action::Editor => "editor",
            Action::Help => "help",
            Action::Language => "language",
            Action::Quit => "quit",
            Action::Interrupt => "interrupt",
            Action::Suspend => "suspend",
            Action::Redraw => "redraw",
            Action::Refuse => "refuse",
            Action::Point(_) => "point",
        }
    }
}

/// Something drawn that can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A row of the list of the screen, counted from the first row of all.
    Row(usize),
    /// The chip of a question.
    Question(usize),
    Review,
    Submit,
}
