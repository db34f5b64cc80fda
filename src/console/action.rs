//! Everything the author can do. Which key does it stands in `keymap`, what it does with the screens.

use super::field::Edit;

#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    /// The context pane, as is `ScrollDown`.
    ScrollUp,
    ScrollDown,
    /// Enter: open, take and go on, edit the row, yes.
    Accept,
    /// Space: choose or tick without going on.
    Pick,
    /// The row with this number on the page shown.
    Number(u8),
    Next,
    Previous,
    Clear,
    /// Tick all that are shown, or none of them; in the review, answer the other packets too, or not.
    All,
    TakeBack,
    Filter,
    /// Change to the other answer: an earlier record's, or the author's own again.
    OtherAnswer,
    /// Change the words of an option into own ones.
    Vary,
    /// Show the context over the whole screen.
    Expand,
    Story,
    /// Copy what the screen is about, or what the cursor is on.
    Copy,
    Changes,
    /// Write a note beside the answer, or end that.
    Note,
    Review,
    Submit,
    /// Write why the step is sent back.
    SendBack,
    Back,
    /// Remove a record so that its gate waits again.
    Redo,
    /// Put the last removed record back.
    UndoRedo,
    Later,
    /// Give the question back to the executor that asks it.
    HandBack,
    History,
    /// What is asked of the whole book.
    Questions,
    Rescan,
    Edit(Edit),
    Editor,
    Help,
    Language,
    Theme,
    Quit,
    /// Ctrl+C: leave when pressed twice.
    Interrupt,
    /// Stop the program, to be continued from the shell.
    Suspend,
    Redraw,
    Refuse,
    /// A click, or a turn of the wheel, on something drawn.
    Point(Target),
}

impl Action {
    /// The row to which a movement key or a click leads in a list, from `row` on; it may lie behind the last one.
    pub fn row_from(&self, row: usize, page: usize) -> Option<usize> {
        Some(match self {
            Action::Up => row.saturating_sub(1),
            Action::Down => row + 1,
            Action::PageUp => row.saturating_sub(page),
            Action::PageDown => row + page,
            Action::First => 0,
            Action::Last => usize::MAX,
            Action::Point(Target::Row(row)) => *row,
            _ => return None,
        })
    }

    /// A stable name for programs, such as `undo-redo`. What comes with an action (a row, a click) is no part of it.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Edit(edit) => edit.into(),
            action => action.into(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A row of the list of the screen, counted from the first row of all.
    Row(usize),
    Question(usize),
    Review,
    Submit,
    /// The line of the review about other packets with the same questions.
    Batch,
    /// What a key does, by its row in the key table: words of the footer, or a line that says what it leads to.
    Key(usize),
}
