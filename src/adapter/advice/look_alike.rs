//! Which words look the same, and which show nothing. The comparison is rough on purpose: it finds own words that were meant
//! as a label.

use crate::text::sanitize::is_hidden;
use unicode_normalization::UnicodeNormalization;

/// The words with everything taken away that is overlooked: case and width, white space, hidden characters, the script of
/// a letter. Two forms; words look alike if either is equal, and none is empty.
pub(super) fn folds(text: &str) -> [String; 2] {
    let bare: String = text.nfkc().filter(|&c| !is_hidden(c) && !is_space(c)).map(latin).collect();
    // A capital I, a small l and a one are confused, but not a small i: that is known only before the case is gone.
    let drawn = bare.chars().map(|c| match c {
        'I' | 'l' | '|' | 'ǀ' => '1',
        'O' => '0',
        c => c,
    });
    let drawn = drawn.collect();
    [bare.to_lowercase(), drawn]
}

/// Whether nothing of it can be seen.
pub(super) fn is_invisible(text: &str) -> bool {
    text.chars().all(|c| is_hidden(c) || is_space(c))
}

/// White space, and the braille pattern without a dot.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// The Latin letter or the ASCII sign that a character is taken for. Compatibility forms are folded already.
fn latin(c: char) -> char {
    const PAIRS: [(&str, &str); 4] = [
        ("АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһԛԝкмтн", "ABESIJKMHOPCTYXaesijopcyxdhqwkmth"),
        ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναιρτυκ", "ABEZHIKMNOPTYXovaiptuk"),
        ("‘’‛′`“”‟「」『』", "'''''\"\"\"\"\"\"\""),
        ("‐‒–—―−ー一。、【】〔〕《》〈〉·・•", "--------.,[][]<><>···"),
    ];
    let paired =
        |(from, to): &(&str, &str)| from.chars().position(|one| one == c).and_then(|at| to.chars().nth(at));
    PAIRS.iter().find_map(paired).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &str, b: &str) -> bool {
        folds(a).iter().zip(folds(b)).any(|(a, b)| *a == b)
    }

    #[test]
    fn what_an_author_confuses_looks_alike() {
        for (a, b) in [
            ("qidian", "Qidian"),
            ("qidian", "qidian "),
            ("ＡＢ１", "ab1"),
            ("雨停", "雨\u{200B}停"),
            ("雨停", "雨\u{3000}停"),
            ("café", "cafe\u{301}"),
            ("豈", "\u{F900}"),
            ("paypal", "раураl"),
            ("Part I", "Part l"),
            ("Part I", "Part 1"),
            ("O", "0"),
            ("a-b", "a—b"),
            ("好！", "好!"),
            ("“a”", "\"a\""),
            ("❤", "❤\u{FE0F}"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn what_reads_differently_does_not() {
        for (a, b) in [
            ("a", "b"),
            ("起点", "起點"),
            ("i", "l"),
            ("C", "C++"),
            ("+1", "-1"),
            ("o", "a"),
            ("第一章", "第二章"),
        ] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn every_letter_has_its_likeness() {
        for c in "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһԛԝкмтнΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναιρτυκ".chars()
        {
            assert!(latin(c).is_ascii_alphabetic(), "{c}");
        }
        for c in "‘’‛′`“”‟「」『』‐‒–—―−ー一。、【】〔〕《》〈〉".chars()
        {
            assert!(latin(c).is_ascii_punctuation(), "{c} {}", latin(c));
        }
    }

    #[test]
    fn nothing_is_seen_of_these() {
        for text in ["", " ", "\u{200B}", "\u{3164}", "\u{2800}\u{FEFF}", "\u{202E}\u{202C}"] {
            assert!(is_invisible(text), "{text:?}");
            assert_eq!(folds(text)[0], "", "{text:?}");
        }
        assert!(!is_invisible("\u{200B}a"));
    }
}
