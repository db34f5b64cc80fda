//! Lines of drawn text: harmless words in a style, measured by our own widths.
//!
//! The only file that makes ratatui's spans, so every text is cleaned on its way in; and the only one that measures and cuts
//! lines, because ratatui's widths are not those of `text`.

use crate::console::theme::{Role, Theme};
use crate::text::query::Word;
use crate::text::{Query, Safe, width, wrap};
use ratatui::style::Style;
use ratatui::text::Span;
use std::ops::Range;

pub type Line = ratatui::text::Line<'static>;

/// A line of one piece; the text is cleaned.
pub fn line(style: Style, text: &str) -> Line {
    Line::default().add(style, text)
}

/// The rows of a text, each at most `cells` wide.
pub fn wrapped(style: Style, text: &str, cells: usize) -> Vec<Line> {
    let clean = Safe::block(text);
    let rows = wrap::wrap(&clean, cells.max(1)).into_iter();
    let ends = |row: &str| row.trim_end_matches(' ').len();
    rows.map(|row| clean.slice(row.start..row.start + ends(&clean[row.clone()])))
        .map(|row| Line::default().safe(style, row))
        .collect()
}

/// Lines behind a first piece: it stands before the first of them, so many spaces before the others.
pub fn behind(first: &Line, indent: usize, lines: Vec<Line>) -> Vec<Line> {
    let start = |at| if at == 0 { first.clone() } else { Line::default().gap(indent) };
    lines.into_iter().enumerate().map(|(at, line)| start(at).join(line)).collect()
}

/// How a word is found in a text: by itself, or by its sound too.
pub type Find = fn(&Word, &str) -> Option<Range<usize>>;

/// Where the words of a query stand in a text, from its start on.
fn places(text: &str, query: Option<&Query>, find: Find) -> Vec<Range<usize>> {
    let words = query.into_iter().flat_map(Query::words);
    let mut places: Vec<Range<usize>> = words.filter_map(|word| find(word, text)).collect();
    places.sort_by_key(|place| place.start);
    places
}

/// A text in one row, with what a query finds in it.
pub fn marked(theme: &Theme, role: Role, text: &Safe, query: Option<&Query>, find: Find) -> Line {
    marked_row(theme, role, text, 0..text.len(), &places(text, query, find))
}

/// A text on as many rows as it takes, with what a query finds in it.
pub fn marked_rows(
    theme: &Theme,
    role: Role,
    text: &str,
    (query, find): (Option<&Query>, Find),
    cells: usize,
) -> Vec<Line> {
    let clean = Safe::block(text);
    let places = places(&clean, query, find);
    let rows = wrap::wrap(&clean, cells.max(1)).into_iter();
    rows.map(|shown| marked_row(theme, role, &clean, shown, &places)).collect()
}

/// The same with what a search finds in it, and on which row that begins.
pub fn found_rows(
    theme: &Theme,
    role: Role,
    text: &str,
    query: &Query,
    cells: usize,
) -> (Vec<Line>, Option<usize>) {
    let clean = Safe::block(text);
    let (places, rows) = (query.places(&clean), wrap::wrap(&clean, cells.max(1)));
    let first = places.first().and_then(|place| rows.iter().position(|row| place.start < row.end));
    let lines = rows.into_iter().map(|row| marked_row(theme, role, &clean, row, &places));
    (lines.collect(), first)
}

/// A row of a text with the places in it marked; these stand in their order.
pub fn marked_row(
    theme: &Theme,
    role: Role,
    text: &Safe,
    row: Range<usize>,
    places: &[Range<usize>],
) -> Line {
    let end = row.start + text[row.clone()].trim_end_matches(' ').len();
    let (mut line, mut at) = (Line::default(), row.start);
    for place in places.iter().filter(|place| place.start < end && place.end > row.start) {
        let (from, to) = (place.start.max(at), place.end.min(end).max(at));
        line = line.safe(theme[role], text.slice(at..from.min(to)));
        line = line.safe(theme[Role::Match], text.slice(from.min(to)..to));
        at = to;
    }
    line.safe(theme[role], text.slice(at..end))
}

pub trait LineExt {
    /// Appends a piece; the text is cleaned.
    #[must_use]
    fn add(self, style: Style, text: &str) -> Self;

    /// Appends a piece that is clean already.
    #[must_use]
    fn safe(self, style: Style, text: Safe) -> Self;

    #[must_use]
    fn join(self, line: Self) -> Self;

    #[must_use]
    fn gap(self, cells: usize) -> Self;

    /// Appends spaces up to a column; at least one if the column is passed already.
    #[must_use]
    fn to_column(self, column: usize) -> Self;

    fn cells(&self) -> usize;

    /// At most so many cells; what is longer ends in `…`.
    #[must_use]
    fn fit(self, cells: usize) -> Self;

    /// The same of a name, which keeps both its ends.
    #[must_use]
    fn fit_middle(self, cells: usize) -> Self;
}

impl LineExt for Line {
    fn add(self, style: Style, text: &str) -> Self {
        self.safe(style, Safe::line(text))
    }

    fn safe(mut self, style: Style, text: Safe) -> Self {
        self.push_span(Span::styled(text, style));
        self
    }

    fn join(mut self, line: Self) -> Self {
        self.extend(line);
        self
    }

    fn gap(self, cells: usize) -> Self {
        self.add(Style::new(), &" ".repeat(cells))
    }

    fn to_column(self, column: usize) -> Self {
        let gap = column.saturating_sub(self.cells()).max(1);
        self.gap(gap)
    }

    fn cells(&self) -> usize {
        self.iter().map(|span| width::cells(&span.content)).sum()
    }

    fn fit(self, cells: usize) -> Self {
        if self.cells() <= cells {
            return self;
        }
        let mut room = cells;
        let mut out = Line::default();
        for mut span in self {
            let wide = width::cells(&span.content);
            if wide < room {
                room -= wide;
                out.push_span(span);
                continue;
            }
            // The last piece with room takes the sign, even if the cut falls exactly behind it.
            span.content = width::fit(&format!("{}…", span.content), room).into_owned().into();
            out.push_span(span);
            break;
        }
        out
    }

    fn fit_middle(self, cells: usize) -> Self {
        let whole: String = self.iter().map(|span| span.content.as_ref()).collect();
        let Some((head, tail)) = width::middle(&whole, cells).filter(|_| cells > 0) else {
            return self.fit(cells);
        };
        let (mut out, mut at) = (Line::default(), 0);
        for span in self {
            let (start, end) = (at, at + span.content.len());
            at = end;
            let part =
                |from: usize, to: usize| whole[from.max(start)..to.min(end).max(from.max(start))].to_owned();
            let sign = if start <= head && head < end { "…" } else { "" };
            out.push_span(Span::styled(part(0, head) + sign + &part(tail, usize::MAX), span.style));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style::new();

    fn text(line: &Line) -> String {
        line.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn a_line_that_is_cut_says_so() {
        let line = || line(PLAIN, "平台").add(PLAIN, " ").add(PLAIN, "绑定了");
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
    fn a_name_that_is_cut_keeps_both_ends() {
        let line = || line(PLAIN, "同一个").add(PLAIN, "前缀的").add(PLAIN, "标签甲");
        assert_eq!(text(&line().fit_middle(18)), "同一个前缀的标签甲");
        assert_eq!(text(&line().fit_middle(13)), "同一个…标签甲");
        assert_eq!(text(&line().fit_middle(9)), "同一…签甲");
        for cells in 0..18 {
            assert!(line().fit_middle(cells).cells() <= cells, "{cells}");
        }
    }

    #[test]
    fn rows_are_cleaned() {
        let rows = wrapped(PLAIN, "一二三\u{1b}[31m", 6);
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), ["一二三", "␛[31m"]);
    }

    #[test]
    fn columns_line_up() {
        assert_eq!(text(&line(PLAIN, "平台").to_column(6).add(PLAIN, "x")), "平台  x");
        assert_eq!(text(&line(PLAIN, "平台").to_column(2).add(PLAIN, "x")), "平台 x");
    }
}
