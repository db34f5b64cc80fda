//! Lines of drawn text: pieces of harmless words, each with the role it plays.
//!
//! Responsible for cleaning on the way in, measuring, cutting and wrapping. Not responsible for what a role looks like
//! (`theme`) nor for putting a line on cells (`widget`).

use crate::console::theme::Role;
use crate::text::{Lang, Safe, Sentence, width, wrap};
use std::ops::Range;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// How it is shown.
    pub role: Role,
    /// What is shown.
    pub text: Safe,
}

/// One row of drawn text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// From left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// A line of one piece; the text is cleaned.
    pub fn of(role: Role, text: &str) -> Line {
        Line::default().add(role, text)
    }

    /// A line of one sentence.
    pub fn say(role: Role, says: Sentence, lang: Lang) -> Line {
        Line::of(role, says.text(lang))
    }

    /// Appends a piece; the text is cleaned.
    #[must_use]
    pub fn add(self, role: Role, text: &str) -> Line {
        self.safe(role, Safe::line(text))
    }

    /// Appends a piece that is clean already.
    #[must_use]
    pub fn safe(mut self, role: Role, text: Safe) -> Line {
        self.spans.push(Span { role, text });
        self
    }

    /// Appends a line.
    #[must_use]
    pub fn join(mut self, line: Line) -> Line {
        self.spans.extend(line.spans);
        self
    }

    /// Appends spaces up to a column; at least one if the column is passed already.
    #[must_use]
    pub fn to_column(self, column: usize) -> Line {
        let gap = column.saturating_sub(self.cells()).max(1);
        self.gap(gap)
    }

    /// Appends so many spaces.
    #[must_use]
    pub fn gap(self, cells: usize) -> Line {
        self.safe(Role::Text, Safe::line(&" ".repeat(cells)))
    }

    /// Its width.
    pub fn cells(&self) -> usize {
        self.spans.iter().map(|span| width::cells(&span.text)).sum()
    }

    /// At most so many cells; what is longer ends in `…`.
    #[must_use]
    pub fn fit(self, cells: usize) -> Line {
        if self.cells() <= cells {
            return self;
        }
        let mut out = Line::default();
        let mut room = cells;
        let mut spans = self.spans.into_iter().peekable();
        while let Some(span) = spans.next() {
            let wide = width::cells(&span.text);
            let rest_is_empty = spans.peek().is_none();
            if wide < room || wide == room && rest_is_empty {
                room -= wide;
                out.spans.push(span);
                continue;
            }
            // The last piece with room takes the sign, even if the cut falls exactly behind it.
            let mut text = span.text;
            text.push(&Safe::line("…"));
            out.spans.push(Span { role: span.role, text: text.fit(room) });
            break;
        }
        out
    }
}

/// The rows of a text of one role, each at most `cells` wide and behind `indent` spaces.
pub fn wrapped(role: Role, text: &str, cells: usize, indent: usize) -> Vec<Line> {
    let clean = Safe::block(text);
    let rows = wrap::wrap(&clean, cells.saturating_sub(indent).max(1));
    rows.into_iter().map(|row| piece(role, &clean, row, indent)).collect()
}

/// One row of a wrapped text.
fn piece(role: Role, clean: &Safe, row: Range<usize>, indent: usize) -> Line {
    let end = row.start + clean[row.clone()].trim_end_matches(' ').len();
    let line = if indent > 0 { Line::default().gap(indent) } else { Line::default() };
    line.safe(role, clean.slice(row.start..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &Line) -> String {
        line.spans.iter().map(|span| span.text.as_str()).collect()
    }

    #[test]
    fn a_line_that_is_cut_says_so() {
        let line = || Line::of(Role::Key, "平台").add(Role::Text, " ").add(Role::Dim, "绑定了");
        assert_eq!(text(&line().fit(11)), "平台 绑定了");
        assert_eq!(text(&line().fit(10)), "平台 绑定…");
        assert_eq!(text(&line().fit(5)), "平台…");
        assert_eq!(text(&line().fit(4)), "平…");
        assert_eq!(text(&line().fit(1)), "…");
        assert_eq!(text(&line().fit(0)), "");
        for cells in 0..12 {
            assert!(line().fit(cells).cells() <= cells);
        }
    }

    #[test]
    fn rows_are_indented_and_cleaned() {
        let rows = wrapped(Role::Text, "一二三\u{1b}[31m", 8, 2);
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), ["  一二三", "  ␛[31m"]);
    }

    #[test]
    fn columns_line_up() {
        assert_eq!(text(&Line::of(Role::Text, "平台").to_column(6).add(Role::Text, "x")), "平台  x");
        assert_eq!(text(&Line::of(Role::Text, "平台").to_column(2).add(Role::Text, "x")), "平台 x");
    }
}
