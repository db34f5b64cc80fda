//! The text field: what the author types, exactly; the caret, undo, and the rows a view shows.
//!
//! The stored text keeps every character as it came, controls and leading ideographic spaces included; only line ends
//! of inserted text become LF. What is drawn is the sanitiser's form of each grapheme cluster, and the caret's column
//! is the sum of the drawn widths before it.
//!
//! A view calls [`TextField::layout_window`] with the cells it has: the field remembers how far it is scrolled, wraps
//! only what changed since the last call, and draws only the rows asked for.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::ops::Range;

use crate::text::cluster::{is_boundary, is_cjk_letter, next_boundary, prev_boundary};

mod history;
mod layout;

pub use layout::{Layout, Row};

use history::{Change, History, Kind};
use layout::Rows;

#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", prefix = "edit-")]
pub enum Edit {
    /// Typed or pasted text. CRLF and lone CR become LF; a line end makes a one-line field multi-line.
    Insert(String),
    /// A line end. Makes a one-line field multi-line.
    Newline,
    Backspace,
    Delete,
    Left,
    Right,
    /// So many visual rows down, or up if there is a minus, as far as there are; to the remembered column.
    Rows(isize),
    /// To the start of the word before the caret; in Chinese a word is what stands between punctuation.
    WordLeft,
    WordRight,
    /// To the start of the line, not of the visual row.
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    /// Removes from the caret to the line's end; at the line's end, the line end.
    KillToEnd,
    /// Removes from the line's start to the caret; at the line's start, the line end before it.
    KillToStart,
    /// Removes what [`Edit::WordLeft`] would step over.
    KillWordBack,
    /// Takes the last step back: a run of typing, a paste, a deletion.
    Undo,
    /// Does the step again that was taken back last.
    Redo,
}

impl Edit {
    /// The same for a field that has one line only.
    #[must_use]
    pub fn in_one_line(self) -> Edit {
        match self {
            Edit::Insert(text) => Edit::Insert(one_line(&text)),
            edit => edit,
        }
    }
}

/// An editable text with a caret and a history.
#[derive(Clone, Debug, Default)]
pub struct TextField {
    text: String,
    /// Byte offset, always between two clusters.
    caret: usize,
    /// Where the next insertion goes when that is inside the cluster before the caret: the parts of one emoji may come
    /// as several insertions, and the first ones may join with the text behind them for a moment.
    inside: Option<usize>,
    multiline: bool,
    /// Whether the whole text is selected: what is typed next replaces it.
    selected: bool,
    /// The column that moving up and down aims at.
    goal: Option<usize>,
    history: History,
    rows: RefCell<Rows>,
    /// The first row that was shown last.
    top: Cell<usize>,
}

impl TextField {
    /// A field with `text`, kept exactly, and the caret at its end. Text with a line feed is multi-line in any case.
    pub fn new(text: &str, multiline: bool) -> TextField {
        let multiline = multiline || text.contains('\n');
        TextField { text: text.to_owned(), caret: text.len(), multiline, ..TextField::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether Enter should make a line end.
    pub fn is_multiline(&self) -> bool {
        self.multiline
    }

    /// The caret's byte offset, between two clusters.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// Replaces the whole text, kept exactly, as one step that can be undone; the caret goes to the end.
    pub fn set_text(&mut self, text: &str) {
        if self.text != text {
            self.replace(0..self.text.len(), text, Kind::Whole);
        }
        self.multiline |= text.contains('\n');
        self.place_caret(self.text.len());
    }

    /// Selects the whole text: what is typed next replaces it, a deletion removes it.
    pub fn select_all(&mut self) {
        self.place_caret(self.text.len());
        self.selected = !self.text.is_empty();
    }

    pub fn is_selected(&self) -> bool {
        self.selected
    }

    /// Does `edit` in a field whose rows are `width` cells wide. Returns whether the text changed.
    pub fn apply(&mut self, edit: Edit, width: usize) -> bool {
        if std::mem::take(&mut self.selected) {
            match edit {
                Edit::Insert(text) => {
                    self.set_text(&normal_line_ends(&text));
                    return true;
                }
                Edit::Backspace | Edit::Delete | Edit::KillToStart | Edit::KillWordBack => {
                    return self.remove(0..self.text.len(), Kind::Whole);
                }
                _ => {}
            }
        }
        match edit {
            Edit::Insert(text) => self.insert(&text),
            Edit::Newline => self.insert("\n"),
            Edit::Undo => self.undo(),
            Edit::Redo => self.redo(),
            Edit::Backspace => {
                self.remove(prev_boundary(&self.text, self.caret)..self.caret, Kind::Backspace)
            }
            Edit::Delete => self.remove(self.caret..next_boundary(&self.text, self.caret), Kind::Delete),
            Edit::KillToEnd => self.remove(self.caret..self.line_end_or_next(), Kind::Whole),
            Edit::KillToStart => self.remove(self.line_start_or_previous()..self.caret, Kind::Whole),
            Edit::KillWordBack => self.remove(self.word_left()..self.caret, Kind::Whole),
            Edit::Left => self.move_to(prev_boundary(&self.text, self.caret)),
            Edit::Right => self.move_to(next_boundary(&self.text, self.caret)),
            Edit::WordLeft => self.move_to(self.word_left()),
            Edit::WordRight => self.move_to(self.word_right()),
            Edit::LineStart => self.move_to(self.line_start()),
            Edit::LineEnd => self.move_to(self.line_end()),
            Edit::TextStart => self.move_to(0),
            Edit::TextEnd => self.move_to(self.text.len()),
            Edit::Rows(by) => self.move_rows(by, width),
        }
    }

    fn insert(&mut self, text: &str) -> bool {
        let text = normal_line_ends(text);
        if text.is_empty() {
            return false;
        }
        self.multiline |= text.contains('\n');
        let at = self.inside.unwrap_or(self.caret);
        self.replace(at..at, &text, Kind::of_insertion(&text));
        true
    }

    fn remove(&mut self, range: Range<usize>, kind: Kind) -> bool {
        let changes = !range.is_empty();
        if changes {
            self.replace(range, "", kind);
        }
        changes
    }

    /// The one place where the author changes the text.
    fn replace(&mut self, range: Range<usize>, inserted: &str, kind: Kind) {
        let at = range.start;
        let removed = self.text[range].to_owned();
        let change = Change { at, removed, inserted: inserted.to_owned(), caret_before: self.caret };
        splice(&mut self.text, self.rows.get_mut(), at, &change.removed, inserted);
        self.history.record(change, kind);
        let behind = at + inserted.len();
        self.place_caret(behind);
        // The text around it may have joined to one cluster.
        self.inside = (self.caret != behind).then_some(behind);
    }

    fn undo(&mut self) -> bool {
        let Some(change) = self.history.undo() else { return false };
        splice(&mut self.text, self.rows.get_mut(), change.at, &change.inserted, &change.removed);
        let caret = change.caret_before;
        self.place_caret(caret);
        true
    }

    fn redo(&mut self) -> bool {
        let Some(change) = self.history.redo() else { return false };
        splice(&mut self.text, self.rows.get_mut(), change.at, &change.removed, &change.inserted);
        let caret = change.at + change.inserted.len();
        self.place_caret(caret);
        true
    }

    fn move_to(&mut self, at: usize) -> bool {
        self.place_caret(at);
        self.history.close();
        false
    }

    /// The start of the word, run of marks or run of Chinese before the caret; of a line end, only that.
    fn word_left(&self) -> usize {
        let before = |at: usize| {
            let start = prev_boundary(&self.text, at);
            (start < at).then(|| (start, class(&self.text[start..at])))
        };
        step_over(self.caret, before)
    }

    fn word_right(&self) -> usize {
        let behind = |at: usize| {
            let end = next_boundary(&self.text, at);
            (end > at).then(|| (end, class(&self.text[at..end])))
        };
        step_over(self.caret, behind)
    }

    fn line_start(&self) -> usize {
        self.text[..self.caret].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.caret..].find('\n').map_or(self.text.len(), |at| self.caret + at)
    }

    fn line_start_or_previous(&self) -> usize {
        match self.line_start() {
            start if start == self.caret => start.saturating_sub(1),
            start => start,
        }
    }

    fn line_end_or_next(&self) -> usize {
        match self.line_end() {
            end if end == self.caret => (end + 1).min(self.text.len()),
            end => end,
        }
    }

    /// All rows at `width` cells (0 counts as 1). Draws the whole text: for a long one use
    /// [`TextField::layout_window`].
    pub fn layout(&self, width: usize) -> Layout {
        let rows = self.wrapped(width);
        let caret = rows.caret(&self.text, self.caret);
        rows.draw(&self.text, self.caret, &caret, 0..caret.rows)
    }

    /// The rows that fit into `width` x `height` cells (0 counts as 1), scrolled no further than the caret asks for.
    /// Costs what is shown, not what is stored, unless the width is a new one.
    pub fn layout_window(&self, width: usize, height: usize) -> Layout {
        let rows = self.wrapped(width);
        let caret = rows.caret(&self.text, self.caret);
        let height = height.max(1);
        let lowest = caret.rows.saturating_sub(height);
        let top = self.top.get().clamp((caret.row + 1).saturating_sub(height), caret.row).min(lowest);
        self.top.set(top);
        rows.draw(&self.text, self.caret, &caret, top..(top + height).min(caret.rows))
    }

    /// Moves by visual rows, as far as there are, to the column that the first such motion started from.
    fn move_rows(&mut self, by: isize, width: usize) -> bool {
        let rows = self.wrapped(width);
        let caret = rows.caret(&self.text, self.caret);
        let goal = self.goal.unwrap_or(caret.col);
        let target = caret.row.saturating_add_signed(by).min(caret.rows - 1);
        let row = caret.wrapped_row(target).filter(|_| target != caret.row);
        let at = row.map_or(self.caret, |row| rows.offset_at(&self.text, row, goal));
        drop(rows);
        (self.caret, self.goal, self.inside) = (at, Some(goal), None);
        self.history.close();
        false
    }

    fn wrapped(&self, width: usize) -> Ref<'_, Rows> {
        self.rows.borrow_mut().fit(&self.text, width);
        self.rows.borrow()
    }

    /// Sets the caret to `at` or, inside a cluster, to the cluster's end.
    fn place_caret(&mut self, at: usize) {
        self.caret = if is_boundary(&self.text, at) { at } else { next_boundary(&self.text, at) };
        self.goal = None;
        self.inside = None;
    }
}

/// What stands together when the caret steps over words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    LineEnd,
    Space,
    Chinese,
    Word,
    Mark,
}

fn class(cluster: &str) -> Class {
    match cluster.chars().next() {
        Some('\n') | None => Class::LineEnd,
        Some(c) if c.is_whitespace() => Class::Space,
        Some(c) if is_cjk_letter(c) => Class::Chinese,
        Some(c) if c.is_alphanumeric() || c == '_' => Class::Word,
        Some(_) => Class::Mark,
    }
}

/// Steps over spaces and then over one run of a class; a line end is a run of its own.
fn step_over(from: usize, next: impl Fn(usize) -> Option<(usize, Class)>) -> usize {
    let mut at = from;
    let mut run = None;
    while let Some((end, class)) = next(at) {
        match run {
            None if class == Class::LineEnd => return if at == from { end } else { at },
            None if class == Class::Space => {}
            None => run = Some(class),
            Some(run) if run == class => {}
            Some(_) => break,
        }
        at = end;
    }
    at
}

/// Changes the text and the wrapped rows, nothing else.
fn splice(text: &mut String, rows: &mut Rows, at: usize, removed: &str, inserted: &str) {
    text.replace_range(at..at + removed.len(), inserted);
    rows.update(text, at, removed.len(), inserted.len());
}

pub fn one_line(text: &str) -> String {
    normal_line_ends(text).replace('\n', " ")
}

/// Bytes of a line that anybody would filter by.
const FILTER_LINE: usize = 4_000;

/// A text as a filter takes it: one line of some length at most, without the line ends around it. `None` for any other.
pub fn filter_line(text: &str) -> Option<&str> {
    let line_ends = ['\r', '\n'];
    let line = text.trim_matches(line_ends);
    (line.len() <= FILTER_LINE && !line.contains(line_ends)).then_some(line)
}

fn normal_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests;
