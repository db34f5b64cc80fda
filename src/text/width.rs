//! How many terminal cells a text takes, and cutting it to fit.
//!
//! Measured cluster by cluster, as the terminal draws them. Measure what [`super::sanitize`] made, since controls count as
//! nothing here.

use std::borrow::Cow;
use std::cell::Cell;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::cluster::{clusters, is_plain, plain_prefix, prev_boundary};

const ELLIPSIS: &str = "…";

thread_local! {
    static AMBIGUOUS: Cell<usize> = const { Cell::new(1) };
}

/// How many cells this thread gives characters of ambiguous width (UAX #11): `“ ” … ● ─` and their like. 1 unless set.
pub fn ambiguous_cells() -> usize {
    AMBIGUOUS.get()
}

/// Sets [`ambiguous_cells`] for this thread: 1, or 2 for a terminal that draws them wide.
pub fn set_ambiguous_cells(cells: usize) {
    AMBIGUOUS.set(cells);
}

/// The cells of a drawn text of one line.
pub fn cells(text: &str) -> usize {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.len();
    }
    let (plain, rest) = text.split_at(plain_prefix(text));
    let rest = clusters(rest).map(|(_, cluster)| grapheme_cells(cluster));
    plain.chars().map(plain_cells).chain(rest).sum()
}

/// The cells of one grapheme cluster. A cluster with a control character is 0, for it is not drawn.
pub fn grapheme_cells(cluster: &str) -> usize {
    let mut chars = cluster.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if is_plain(c) => plain_cells(c),
        _ if cluster.contains(char::is_control) => 0,
        _ => {
            let table = if ambiguous_cells() == 2 { cluster.width_cjk() } else { cluster.width() };
            // ratatui adds a cell for each half-width kana sound mark, also where the width table has one already.
            table + cluster.matches(['\u{FF9E}', '\u{FF9F}']).count()
        }
    }
}

/// The cells of a character for which [`is_plain`] holds.
pub(crate) fn plain_cells(c: char) -> usize {
    match c {
        '\u{3000}'.. => 2,
        '\u{A1}'.. if ambiguous_cells() == 2 => c.width_cjk().unwrap_or(1),
        _ => 1,
    }
}

/// At most `width` cells of `text`; if it is longer, its beginning and `…`.
pub fn fit(text: &str, width: usize) -> Cow<'_, str> {
    shortened(text, width, |room| (prefix(text, room), text.len()))
}

/// At most `width` cells of `text`; if it is longer, `…` and its end. A path is cut before a `/` if its last part fits:
/// `…/file.json`.
pub fn fit_start(text: &str, width: usize) -> Cow<'_, str> {
    shortened(text, width, |room| {
        let start = suffix(text, room);
        (0, text[start..].find('/').map_or(start, |slash| start + slash))
    })
}

/// At most `width` cells of `text`; if it is longer, its beginning, `…` and its end: names that differ at either end stay apart.
pub fn fit_middle(text: &str, width: usize) -> Cow<'_, str> {
    shortened(text, width, |room| halves(text, room))
}

/// A text that is wider than `width` with `…` between what is kept of it in so many cells: up to the first place, and from
/// the second one on.
fn shortened(text: &str, width: usize, kept: impl FnOnce(usize) -> (usize, usize)) -> Cow<'_, str> {
    if prefix(text, width) == text.len() {
        return Cow::Borrowed(text);
    }
    let Some((head, tail)) = width.checked_sub(ambiguous_cells()).map(kept) else { return Cow::Borrowed("") };
    Cow::Owned(format!("{}{ELLIPSIS}{}", &text[..head], &text[tail..]))
}

/// Where the beginning ends and the end starts that are kept of a text longer than `width` cells; `None` if it is not.
pub fn middle(text: &str, width: usize) -> Option<(usize, usize)> {
    if prefix(text, width) == text.len() {
        return None;
    }
    Some(halves(text, width.saturating_sub(ambiguous_cells())))
}

fn halves(text: &str, room: usize) -> (usize, usize) {
    let head = prefix(text, room.div_ceil(2));
    (head, suffix(text, room - cells(&text[..head])))
}

/// Exactly `width` cells: [`fit`], then spaces on the right.
pub fn pad(text: &str, width: usize) -> String {
    let fitted = fit(text, width);
    let gap = width.saturating_sub(cells(&fitted));
    fitted.into_owned() + &" ".repeat(gap)
}

/// The end of the longest beginning that fits.
fn prefix(text: &str, width: usize) -> usize {
    // No text has more cells than bytes.
    if text.len() <= width {
        return text.len();
    }
    let mut used = 0;
    for (at, cluster) in clusters(text) {
        used += grapheme_cells(cluster);
        if used > width {
            return at;
        }
    }
    text.len()
}

/// The start of the longest end that fits.
fn suffix(text: &str, width: usize) -> usize {
    let (mut used, mut start) = (0, text.len());
    while start > 0 {
        let before = prev_boundary(text, start);
        used += grapheme_cells(&text[before..start]);
        if used > width {
            break;
        }
        start = before;
    }
    start
}

/// A full-width form (`１`, `？`, `ａ`, the ideographic space) as the half-width character that is meant by it.
pub fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    }
}

/// The full-width form of a half-width character that has one.
pub fn widen(c: char) -> char {
    match c {
        '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c),
        ' ' => '\u{3000}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_are_those_ratatui_draws() {
        let rows = [
            ("", 0),
            ("abc", 3),
            ("你好，世界。", 12),
            ("“”‘’—…·①★│", 10),
            ("ｶﾞﾊﾟ", 6),
            ("e\u{301}", 1),
            ("👨\u{200d}👩\u{200d}👧", 2),
            ("👍🏻🇨🇳❤\u{fe0f}1\u{fe0f}\u{20e3}", 8),
            ("한국어𠮷　", 10),
            ("‹U+202E›␛◌\u{301}", 10),
        ];
        for (text, width) in rows {
            assert_eq!(cells(text), width, "{text}");
            let line = ratatui::text::Line::raw(text);
            let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 40, 1));
            let (end, _) = buffer.set_line(0, 0, &line, 40);
            assert_eq!(usize::from(end), width, "{text} as ratatui draws it");
        }
    }

    #[test]
    fn plain_characters_have_the_width_of_the_table() {
        for c in (' '..=char::MAX).filter(|&c| is_plain(c)) {
            set_ambiguous_cells(1);
            assert_eq!(c.width(), Some(plain_cells(c)), "U+{:04X}", u32::from(c));
            set_ambiguous_cells(2);
            assert_eq!(c.width_cjk(), Some(plain_cells(c)), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn ambiguous_characters_take_two_cells_where_the_terminal_says_so() {
        set_ambiguous_cells(2);
        for (text, width) in [("abc", 3), ("“雨夜”", 8), ("●─…·", 8), ("✓", 1), ("①e\u{301}", 3)]
        {
            assert_eq!(cells(text), width, "{text}");
        }
        assert_eq!([fit("雨夜里", 5), fit("雨夜里", 1), fit("abc", 2)], ["雨…", "", "…"]);
        assert_eq!(fit_start("a/b/雨夜", 7), "…/雨夜");
    }

    #[test]
    fn long_text_is_cut_at_its_end() {
        let rows = [
            ("你好世界", 8, "你好世界"),
            ("你好世界", 7, "你好世…"),
            ("你好世界", 6, "你好…"),
            ("你好世界", 1, "…"),
            ("你好世界", 0, ""),
            ("", 0, ""),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ];
        for (text, width, cut) in rows {
            assert_eq!(fit(text, width), cut);
        }
    }

    #[test]
    fn paths_keep_their_end() {
        let rows = [
            ("staging/manifests/a.json", 24, "staging/manifests/a.json"),
            ("staging/manifests/a.json", 23, "…/manifests/a.json"),
            ("staging/manifests/a.json", 10, "…/a.json"),
            ("staging/manifests/a.json", 5, "…json"),
            ("卷一/第四十八章.json", 10, "…八章.json"),
            ("abc", 0, ""),
        ];
        for (text, width, cut) in rows {
            assert_eq!(fit_start(text, width), cut);
        }
    }

    #[test]
    fn names_keep_both_ends() {
        let rows = [
            ("同一个前缀的标签甲", 18, "同一个前缀的标签甲"),
            ("同一个前缀的标签甲", 13, "同一个…标签甲"),
            ("同一个前缀的标签甲", 12, "同一个…签甲"),
            ("prefix-prefix-1", 8, "pref…x-1"),
            ("abc", 2, "a…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
        ];
        for (text, width, cut) in rows {
            assert_eq!(fit_middle(text, width), cut, "{text} in {width}");
        }
    }

    #[test]
    fn padding_fills_to_the_cell() {
        assert_eq!(pad("中文", 6), "中文  ");
        assert_eq!(pad("中文字", 4), "中… ");
    }

    proptest! {
        #[test]
        fn nothing_is_ever_wider_than_asked(text in "[a-z/中文。é👩🇨🇳\u{301} ]{0,30}", width in 0_usize..20) {
            prop_assert!(cells(&text) <= text.len());
            for cut in [fit(&text, width), fit_start(&text, width), fit_middle(&text, width)] {
                prop_assert!(cells(&cut) <= width, "{cut:?}");
                prop_assert!(cells(&text) > width || cut == text);
            }
            prop_assert_eq!(cells(&pad(&text, width)), width);
        }
    }
}
