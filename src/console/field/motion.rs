//! Where the caret goes: motions over words, lines and visual rows.

use super::{Edit, TextField};
use crate::text::cluster::{is_cjk_letter, next_boundary, prev_boundary};

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

impl TextField {
    /// Moves the caret; the history and the text stay as they are.
    pub(super) fn step(&mut self, motion: &Edit, width: usize) {
        let rows = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
        let target = match motion {
            Edit::Left => prev_boundary(&self.text, self.caret),
            Edit::Right => next_boundary(&self.text, self.caret),
            Edit::WordLeft => self.word_left(),
            Edit::WordRight => self.word_right(),
            Edit::LineStart => self.line_start(),
            Edit::LineEnd => self.line_end(),
            Edit::TextStart => 0,
            Edit::TextEnd => self.text.len(),
            Edit::Up => return self.move_rows(-1, width),
            Edit::Down => return self.move_rows(1, width),
            Edit::PageUp(count) => return self.move_rows(-rows(*count), width),
            Edit::PageDown(count) => return self.move_rows(rows(*count), width),
            _ => return,
        };
        self.place_caret(target);
    }

    /// The start of the word, run of marks or run of Chinese before the caret; of a line end, only that.
    pub(super) fn word_left(&self) -> usize {
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

    pub(super) fn line_start_or_previous(&self) -> usize {
        match self.line_start() {
            start if start == self.caret => start.saturating_sub(1),
            start => start,
        }
    }

    pub(super) fn line_end_or_next(&self) -> usize {
        match self.line_end() {
            end if end == self.caret => (end + 1).min(self.text.len()),
            end => end,
        }
    }

    /// Moves by visual rows, as far as there are, to the column that the first such motion started from.
    fn move_rows(&mut self, by: isize, width: usize) {
        let caret = self.caret_place(width);
        let goal = self.goal.unwrap_or(caret.col);
        let last = caret.rows - 1;
        let target = caret.row.saturating_add_signed(by).min(last);
        if target != caret.row {
            self.caret = self.offset_at(target, goal, width);
        }
        self.goal = Some(goal);
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
