//! Where one perceived character ends and the next begins.
//!
//! Clusters are Unicode's extended grapheme clusters, with a short way for the characters novels are made of.
//!
//! One deviation from the Unicode default: CR and LF are two clusters, because a line feed is always a line's end here
//! while a carriage return is only a strange character.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Whether `c` is harmless, never joins with another such character and has a width that
/// [`super::width::plain_cells`] knows.
///
/// It covers printable ASCII, Latin, Greek, Cyrillic, Chinese, kana and Hangul syllables with their punctuation. A plain character
/// before a character that is not plain may still be the start of a longer cluster.
#[inline]
pub(crate) fn is_plain(c: char) -> bool {
    matches!(c,
        ' '..='~' | '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{2FF}'
        | '\u{37A}'..='\u{37F}'
            | '\u{38E}'..='\u{3A1}'
            | '\u{3A3}'..='\u{482}'
            | '\u{48A}'..='\u{52F}'
            | '\u{2010}'..='\u{2016}' | '\u{2018}'..='\u{2027}' | '\u{2030}'..='\u{205E}'
        | '\u{3000}'..='\u{3029}' | '\u{3030}'..='\u{303E}' | '\u{3041}'..='\u{3096}' | '\u{309B}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF5E}')
}

/// The bytes of plain characters at the beginning. The last one before another character is left out: it may be the base of
/// what follows.
pub(crate) fn plain_prefix(text: &str) -> usize {
    let mut last = 0;
    for (at, c) in text.char_indices() {
        if !is_plain(c) {
            return last;
        }
        last = at;
    }
    text.len()
}

/// Han characters, those that an ideographic variation selector may follow.
pub(crate) fn is_han(c: char) -> bool {
    match c {
        '\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' => true,
        '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}' => c.is_alphanumeric(),
        _ => false,
    }
}

/// Letters of the scripts that write without spaces between words: Han, kana, Bopomofo; and Hangul.
pub(crate) fn is_cjk_letter(c: char) -> bool {
    match c {
        '\u{3005}'..='\u{3006}'
        | '\u{3021}'..='\u{3029}'
        | '\u{2E80}'..='\u{2FDF}'
        | '\u{1100}'..='\u{11FF}' => true,
        '\u{3040}'..='\u{31FF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{FF66}'..='\u{FFDC}'
        | '\u{1AFF0}'..='\u{1B16F}' => c.is_alphanumeric(),
        _ => is_han(c),
    }
}

/// The first cluster of `text`; empty only when `text` is.
pub(crate) fn first(text: &str) -> &str {
    let mut chars = text.chars();
    let Some(c) = chars.next() else { return text };
    let after = chars.as_str();
    if c.is_control()
        || (is_plain(c) && after.chars().next().is_none_or(|next| is_plain(next) || next == '\n'))
    {
        return &text[..c.len_utf8()];
    }
    text.graphemes(true).next().unwrap_or(text)
}

/// The clusters of `text`, in order, with their byte offsets.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (start, cluster) = (at, first(&text[at..]));
        at += cluster.len();
        (!cluster.is_empty()).then_some((start, cluster))
    })
}

/// Whether a caret may stand at byte `at`: between two clusters, or at either end.
pub fn is_boundary(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        None => at == bytes.len(),
        Some(b'\n') => true,
        Some(_) => {
            text.is_char_boundary(at)
                && GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
        }
    }
}

/// The nearest boundary behind byte `at` (a boundary itself, or any character's start); the text's length at its end.
pub fn next_boundary(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        None => text.len(),
        Some(b'\r') => at + 1,
        Some(_) => {
            let found = GraphemeCursor::new(at, text.len(), true).next_boundary(text, 0);
            found.ok().flatten().unwrap_or(text.len())
        }
    }
}

/// The nearest boundary before byte `at`; 0 at the start.
pub fn prev_boundary(text: &str, at: usize) -> usize {
    if at > 0 && text.as_bytes().get(at - 1) == Some(&b'\n') {
        return at - 1;
    }
    GraphemeCursor::new(at.min(text.len()), text.len(), true)
        .prev_boundary(text, 0)
        .ok()
        .flatten()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_characters_are_what_the_short_way_takes_them_for() {
        for c in (' '..=char::MAX).filter(|&c| is_plain(c)) {
            for text in [format!("{c}a"), format!("中{c}"), format!("{c}{c}"), format!("©{c}")] {
                assert_eq!(text.graphemes(true).count(), 2, "{text:?}");
            }
        }
    }

    #[test]
    fn clusters_keep_families_and_marks_together_and_part_cr_from_lf() {
        let text = "a\u{301}👨\u{200D}👩\u{200D}👧🇨🇳🇺🇸\r\n中";
        let parts: Vec<_> = clusters(text).map(|(_, cluster)| cluster).collect();
        assert_eq!(parts, ["a\u{301}", "👨\u{200D}👩\u{200D}👧", "🇨🇳", "🇺🇸", "\r", "\n", "中"]);
    }

    #[test]
    fn boundaries_agree_with_the_iterator_both_ways() {
        let text = "e\u{301}\u{302}x\r\n\u{301}🇨🇳🇺👍🏻각\u{1100}\u{1161}क्ष।\u{1F468}\u{200D}\u{1F469}";
        let mut starts: Vec<_> = clusters(text).map(|(at, _)| at).collect();
        starts.push(text.len());
        let found: Vec<_> = (0..=text.len()).filter(|&at| is_boundary(text, at)).collect();
        assert_eq!(found, starts);
        for pair in starts.windows(2) {
            assert_eq!(next_boundary(text, pair[0]), pair[1]);
            assert_eq!(prev_boundary(text, pair[1]), pair[0]);
        }
        assert_eq!((prev_boundary(text, 0), next_boundary(text, text.len())), (0, text.len()));
    }

    #[test]
    fn scripts_are_told_apart() {
        assert!("中〇𠀀あカ한々".chars().all(is_cjk_letter));
        assert!(!"a1，。「」　…é".chars().any(is_cjk_letter));
    }
}
