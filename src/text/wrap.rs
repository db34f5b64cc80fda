//! Breaking text into the lines of a screen.
//!
//! A visual line ends by the Unicode line-breaking rules, so that no line starts with `。` or `”`, and by force inside a run
//! that is too long.
//!
//! One tailoring: a Chinese quotation mark is treated as the bracket it is (`“` sticks to what follows, `”` to what
//! precedes), while the default rules glue it on both sides.
//!
//! Where a line ends depends only on the text from the line's own start onwards. An editor may therefore wrap again
//! from a line before a change and stop as soon as it meets an old line start.

use std::ops::Range;

use unicode_linebreak::{BreakOpportunity, linebreaks};

use super::cluster::{clusters, is_boundary, is_plain};
use super::width::{cells, grapheme_cells, plain_cells};

/// The byte ranges of the visual lines of `text`, in order, `\n` in none of them.
///
/// A line is at most `width` cells wide (0 counts as 1), spaces at its end not counted; only a single cluster wider
/// than `width` is wider. An empty text has one empty line, and so has the place behind a final `\n`.
pub fn wrap(text: &str, width: usize) -> Vec<Range<usize>> {
    let rules = Rules { width, hanging: usize::MAX, measure: grapheme_cells };
    let mut rows = Vec::new();
    let mut start = 0;
    loop {
        let end = rules.row_end(text, start);
        rows.push(start..end);
        match next_start(text, end) {
            Some(next) => start = next,
            None => return rows,
        }
    }
}

/// The visual lines of `text` as strings, without the spaces at their ends that do not fit.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for row in wrap(text, width) {
        let shown = text[row.clone()].trim_end_matches(' ');
        let room = width.max(1).saturating_sub(cells(shown));
        let end = row.end.min((row.start + shown.len()).saturating_add(room));
        rows.push(text[row.start..end].to_owned());
    }
    rows
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Cells of a line; 0 counts as 1.
    pub(crate) width: usize,
    /// How many spaces may hang over the end of a line; those beyond start the next one.
    pub(crate) hanging: usize,
    /// The cells of one cluster that is not [`is_plain`].
    pub(crate) measure: fn(&str) -> usize,
}

impl Rules {
    /// The cells of one cluster as drawn.
    pub(crate) fn cells(&self, cluster: &str) -> usize {
        let mut chars = cluster.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if is_plain(c) => plain_cells(c),
            _ => (self.measure)(cluster),
        }
    }

    /// Where the line ends that starts at byte `start`: before a `\n`, at a break, or at the end of the text.
    pub(crate) fn row_end(&self, text: &str, start: usize) -> usize {
        let line = &text[start..];
        let width = self.width.max(1);
        let (mut used, mut hung, mut quote_break) = (0, 0, 0);
        let mut last = "";
        for (at, cluster) in clusters(line) {
            if cluster == "\n" {
                return start + at;
            }
            if (is_quote(cluster) || is_quote(last)) && parts_at_quote(line, at) {
                quote_break = at;
            }
            let cells = self.cells(cluster);
            let fits = used + cells <= width || at == 0;
            match (cluster == " ", fits && hung == 0) {
                (_, true) => used += cells,
                (true, false) if hung < self.hanging => hung += 1,
                (true, false) => return start + at,
                (false, false) => {
                    let best = last_break(line, at).max(quote_break);
                    return start + if best == 0 { at } else { best };
                }
            }
            last = cluster;
        }
        text.len()
    }
}

/// Where the line behind the one that ends at byte `end` starts; `None` behind the last.
pub(crate) fn next_start(text: &str, end: usize) -> Option<usize> {
    match text.as_bytes().get(end) {
        None => None,
        Some(b'\n') => Some(end + 1),
        Some(_) => Some(end),
    }
}

/// The last place up to byte `over` where the Unicode rules let `line` be broken; 0 if there is none.
fn last_break(line: &str, over: usize) -> usize {
    // Whether a break is allowed depends on nothing behind the character that follows it.
    let behind = line[over..].chars().next().map_or(0, char::len_utf8);
    let breaks: Vec<_> =
        linebreaks(&line[..over + behind]).map(|(at, _)| at).take_while(|&at| at <= over).collect();
    breaks.into_iter().rev().find(|&at| is_boundary(line, at)).unwrap_or(0)
}

/// Whether a Chinese quotation mark beside `at`, taken as a bracket, leaves room for a break.
fn parts_at_quote(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let (Some(left), Some(right)) = (before.chars().next_back(), after.chars().next()) else { return false };
    let inner = before[..before.len() - left.len_utf8()].chars().next_back();
    let brackets =
        [as_bracket(left, inner, Some(right)), as_bracket(right, Some(left), after.chars().nth(1))];
    let end = brackets[0].len_utf8();
    linebreaks(&String::from_iter(brackets)).any(|found| found == (end, BreakOpportunity::Allowed))
}

fn is_quote(cluster: &str) -> bool {
    matches!(cluster, "“" | "”" | "‘" | "’")
}

/// The bracket that behaves as quotation mark `c` should between `before` and `after`, if it is a Chinese one.
fn as_bracket(c: char, before: Option<char>, after: Option<char>) -> char {
    let wide = |c: Option<char>| {
        c.is_some_and(|c| is_plain(c) && c >= '\u{3000}' || matches!(c, '“' | '”' | '…' | '—'))
    };
    match c {
        '“' | '‘' if wide(after) => '「',
        '”' | '’' if wide(before) => '」',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, width: usize) -> Vec<&str> {
        wrap(text, width).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn chinese_rows_do_not_start_with_closing_marks() {
        assert_eq!(rows("他说好。”然后走了！", 8), ["他说", "好。”然", "后走了！"]);
        assert_eq!(rows("他说：“你好。”然后走了！", 8), ["他说：", "“你好。”", "然后走", "了！"]);
        assert_eq!(rows("一二三四，五六", 8), ["一二三", "四，五六"]);
        assert_eq!(rows("一二三「四五」六", 8), ["一二三", "「四五」", "六"]);
        assert_eq!(rows("一二三……四", 8), ["一二三……", "四"]);
    }

    #[test]
    fn words_stay_whole_and_spaces_hang() {
        assert_eq!(rows("hello brave world", 11), ["hello brave ", "world"]);
        assert_eq!(rows("hello     world", 5), ["hello     ", "world"]);
        assert_eq!(rows("don’t stop", 7), ["don’t ", "stop"]);
        assert_eq!(wrapped("hello     world", 7), ["hello  ", "world"]);
    }

    #[test]
    fn long_runs_are_cut_between_clusters() {
        assert_eq!(rows("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(rows("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(rows("👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧", 3).len(), 2);
        assert_eq!(rows("你好", 1), ["你", "好"]);
        assert_eq!(rows("你好", 0), ["你", "好"]);
    }

    #[test]
    fn line_feeds_end_rows() {
        assert_eq!(wrap("", 5), std::iter::once(0..0).collect::<Vec<_>>());
        assert_eq!(wrap("a\n", 5), [0..1, 2..2]);
        assert_eq!(rows("\n\na\n　　中", 6), ["", "", "a", "　　中"]);
        assert_eq!(rows("abc\nabc", 3), ["abc", "abc"]);
    }

    fn prose() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[一-十，。！“”‘’「」：…—　]{1,6}".boxed(),
            3 => "[a-z' ]{1,8}".boxed(),
            1 => Just("\n".to_owned()).boxed(),
            1 => prop::sample::select(vec!["👨\u{200d}👩\u{200d}👧", "e\u{301}", "🇨🇳", "각", "   ", "\r\n", "\u{200b}"])
                .prop_map(str::to_owned)
                .boxed(),
            1 => any::<String>().boxed(),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_character_is_lost_and_none_twice(text in prose(), width in 0_usize..24) {
            let mut at = 0;
            for row in wrap(&text, width) {
                if row.start != at {
                    prop_assert_eq!(&text[at..row.start], "\n");
                }
                prop_assert!(!text[row.clone()].contains('\n'));
                at = row.end;
            }
            prop_assert_eq!(at, text.len());
            prop_assert_eq!(wrap(&text, width).iter().filter(|row| row.start > 0 && text[..row.start].ends_with('\n')).count(),
                text.matches('\n').count());
        }

        #[test]
        fn no_row_is_wider_than_the_screen(text in prose(), width in 0_usize..24) {
            for row in wrap(&text, width) {
                let shown = text[row].trim_end_matches(' ');
                prop_assert!(cells(shown) <= width.max(1) || clusters(shown).count() == 1, "{shown:?}");
            }
            for row in wrapped(&text, width) {
                prop_assert!(cells(&row) <= width.max(1) || clusters(row.trim_end_matches(' ')).count() == 1, "{row:?}");
            }
        }

        #[test]
        fn closing_marks_never_start_a_row_that_has_room(text in "[一-十]{1,9}[，。！”」]{1,2}[一-十]{0,9}", width in 8_usize..20) {
            for row in rows(&text, width) {
                prop_assert!(!row.starts_with(['，', '。', '！', '”', '」']), "{row}");
            }
        }

        #[test]
        fn breaks_fall_between_clusters(text in prose(), width in 0_usize..24) {
            for row in wrap(&text, width) {
                prop_assert!(crate::text::cluster::is_boundary(&text, row.end));
            }
        }
    }
}
