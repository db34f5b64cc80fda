//! How many terminal cells a text takes, and cutting it to fit.
//!
//! Measured exactly as ratatui draws: cluster by cluster, ambiguous characters one cell wide. Measure what
//! [`super::sanitize`] made, since controls count as nothing here.

use std::borrow::Cow;

use unicode_width::UnicodeWidthStr;

use super::cluster::{clusters, is_plain, plain_cells, prev_boundary};

const ELLIPSIS: &str = "…";

/// The cells of a drawn text of one line.
pub fn cells(text: &str) -> usize {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.len();
    }
    clusters(text).map(|(_, cluster)| grapheme_cells(cluster)).sum()
}

/// The cells of one grapheme cluster. A cluster with a control character is 0, for it is not drawn.
pub fn grapheme_cells(cluster: &str) -> usize {
    let mut chars = cluster.chars();
    match (chars.next(), chars.next()) {
        (None, _) => 0,
        (Some(c), None) if is_plain(c) => plain_cells(c),
        _ if cluster.contains(char::is_control) => 0,
        // ratatui adds a cell for each half-width kana sound mark, also where the width table has one already.
        _ => cluster.width() + cluster.matches(['\u{FF9E}', '\u{FF9F}']).count(),
    }
}

/// At most `width` cells of `text`; if it is longer, its beginning and `…`.
pub fn fit(text: &str, width: usize) -> Cow<'_, str> {
    match (prefix(text, width), width) {
        (end, _) if end == text.len() => Cow::Borrowed(text),
        (_, 0) => Cow::Borrowed(""),
        _ => Cow::Owned(format!("{}{ELLIPSIS}", &text[..prefix(text, width - 1)])),
    }
}

/// At most `width` cells of `text`; if it is longer, `…` and its end. A path is cut before a `/` if its last part fits:
/// `…/file.json`.
pub fn fit_start(text: &str, width: usize) -> Cow<'_, str> {
    match (suffix(text, width), width) {
        (0, _) => Cow::Borrowed(text),
        (_, 0) => Cow::Borrowed(""),
        _ => {
            let start = suffix(text, width - 1);
            let start = text[start..].find('/').map_or(start, |slash| start + slash);
            Cow::Owned(format!("{ELLIPSIS}{}", &text[start..]))
        }
    }
}

/// At most `width` cells of `text`; if it is longer, its beginning, `…` and its end.
pub fn fit_middle(text: &str, width: usize) -> Cow<'_, str> {
    match (prefix(text, width), width) {
        (end, _) if end == text.len() => Cow::Borrowed(text),
        (_, 0) => Cow::Borrowed(""),
        _ => {
            let head = &text[..prefix(text, width / 2)];
            let tail = &text[suffix(text, width - 1 - cells(head))..];
            Cow::Owned(format!("{head}{ELLIPSIS}{tail}"))
        }
    }
}

/// Exactly `width` cells: [`fit`], then spaces on the right.
pub fn pad(text: &str, width: usize) -> String {
    let fitted = fit(text, width);
    let gap = width.saturating_sub(cells(&fitted));
    fitted.into_owned() + &" ".repeat(gap)
}

/// Exactly `width` cells: [`fit`], with spaces on the left.
pub fn pad_left(text: &str, width: usize) -> String {
    let fitted = fit(text, width);
    " ".repeat(width.saturating_sub(cells(&fitted))) + &fitted
}

/// The end of the longest beginning that fits.
fn prefix(text: &str, width: usize) -> usize {
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
        assert_eq!(fit_middle("0123456789abcdef", 9), "0123…cdef");
        assert_eq!(fit_middle("一二三四五六", 7), "一…五六");
    }

    #[test]
    fn padding_fills_to_the_cell() {
        assert_eq!(pad("中文", 6), "中文  ");
        assert_eq!(pad("中文字", 4), "中… ");
        assert_eq!(pad_left("42", 5), "   42");
    }

    proptest! {
        #[test]
        fn nothing_is_ever_wider_than_asked(text in "[a-z/中文。é👩🇨🇳\u{301} ]{0,30}", width in 0_usize..20) {
            for cut in [fit(&text, width), fit_start(&text, width), fit_middle(&text, width)] {
                prop_assert!(cells(&cut) <= width, "{cut:?}");
                prop_assert!(cells(&text) > width || cut == text);
            }
            prop_assert_eq!(cells(&pad(&text, width)), width);
            prop_assert_eq!(cells(&pad_left(&text, width)), width);
        }
    }
}
