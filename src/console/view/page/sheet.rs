//! A page in the making: all its lines are counted, those in the window are kept.
//!
//! Responsible for headings, labelled values and wrapped text on a page of any length at the price of what is shown.
//! Not responsible for what stands on a page.

use super::line::{Line, wrapped};
use crate::console::theme::Role;
use crate::text::{Lang, Sentence};
use std::ops::Range;

/// A page in the making.
pub struct Sheet {
    /// Language of the sentences.
    pub lang: Lang,
    width: usize,
    window: Range<usize>,
    count: usize,
    lines: Vec<Line>,
}

impl Sheet {
    /// An empty page of so many cells; only the lines in `window` are kept.
    pub fn new(lang: Lang, width: usize, window: Range<usize>) -> Sheet {
        Sheet { lang, width: width.max(1), window, count: 0, lines: Vec::new() }
    }

    /// The lines of the window and the number of all.
    pub fn finish(self) -> (Vec<Line>, usize) {
        (self.lines, self.count)
    }

    /// Cells of a line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Appends a line, made only if it is shown, and cut if it is too long.
    pub fn line(&mut self, line: impl FnOnce() -> Line) {
        if self.window.contains(&self.count) {
            self.lines.push(line().fit(self.width));
        }
        self.count += 1;
    }

    /// An empty line, unless the page is empty.
    pub fn blank(&mut self) {
        if self.count > 0 {
            self.line(Line::default);
        }
    }

    /// What follows belongs together.
    pub fn heading(&mut self, says: Sentence) {
        self.blank();
        let lang = self.lang;
        self.line(|| Line::say(Role::Dim, says, lang));
    }

    /// A sentence, wrapped.
    pub fn say(&mut self, role: Role, says: Sentence) {
        self.text(role, says.text(self.lang), 0);
    }

    /// A text, wrapped, behind so many spaces.
    pub fn text(&mut self, role: Role, text: &str, indent: usize) {
        // A short text of printable ASCII is one line, whatever the rules of wrapping.
        if text.len() + indent <= self.width && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return self
                .line(|| Line::default().join(indented(indent)).add(role, text.trim_end_matches(' ')));
        }
        for line in wrapped(role, text, self.width, indent) {
            self.line(|| line);
        }
    }

    /// A first line, and a text that goes on behind it or, where there is no room, below it.
    pub fn beside(&mut self, first: &Line, role: Role, text: &str) {
        let column = first.cells();
        if column * 2 > self.width {
            self.line(|| first.clone());
            return self.text(role, text, 2.min(self.width / 4));
        }
        for (at, line) in wrapped(role, text, self.width - column, 0).into_iter().enumerate() {
            let start = if at == 0 { first.clone() } else { indented(column) };
            self.line(|| start.join(line));
        }
    }

    /// The same with a note at its end, on the last line or, where there is no room, below it.
    pub fn noted(&mut self, first: &Line, (role, text): (Role, &str), note: &str) {
        let column = first.cells();
        let mut lines = wrapped(role, text, self.width.saturating_sub(column), 0);
        let note = Line::of(Role::Dim, note);
        match lines.last_mut() {
            Some(last) if column + last.cells() + 2 + note.cells() <= self.width => {
                *last = std::mem::take(last).gap(2).join(note);
            }
            _ => lines.push(note),
        }
        for (at, line) in lines.into_iter().enumerate() {
            let start = if at == 0 { first.clone() } else { indented(column) };
            self.line(|| start.join(line));
        }
    }
}

fn indented(cells: usize) -> Line {
    if cells > 0 { Line::default().gap(cells) } else { Line::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::say;

    #[test]
    fn only_the_window_is_kept_and_everything_is_counted() {
        let fill = |window| {
            let mut sheet = Sheet::new(Lang::ZhCn, 10, window);
            sheet.heading(say("then", "之后"));
            sheet.text(Role::Text, "一二三四五六七", 2);
            sheet.beside(&Line::of(Role::Dim, "名  "), Role::Text, "甲乙丙丁");
            sheet.finish()
        };
        let (all, count) = fill(0..usize::MAX);
        let text = |line: &Line| line.spans.iter().map(|span| span.text.as_str()).collect::<String>();
        assert_eq!(
            all.iter().map(text).collect::<Vec<_>>(),
            ["之后", "  一二三四", "  五六七", "名  甲乙丙", "    丁"]
        );
        assert_eq!(count, 5);
        let (some, count) = fill(2..4);
        assert_eq!((some.as_slice(), count), (&all[2..4], 5));
    }
}
