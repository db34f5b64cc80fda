//! Counting what an author counts: characters as Chinese writing platforms give their number, and lines.

use super::cluster::{is_boundary, is_cjk_letter, is_plain, next_boundary};
use super::sanitize::is_hidden;

/// 字数: every Han character (kana, Hangul) and every punctuation mark or symbol is one, a run of letters and digits of
/// other scripts is one (`don't` and `3.14` too), spaces, line ends and invisible characters are none.
pub fn characters(text: &str) -> usize {
    let mut count = 0;
    let mut run = Run::None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if counts_alone(c) {
            // Most of a Chinese text: worth a short way.
            count += 1;
            run = Run::None;
            at += c.len_utf8();
            continue;
        }
        at = if is_plain(c) { at + c.len_utf8() } else { next_boundary(text, at) };
        let here = Run::of(c);
        if here != Run::None {
            count += usize::from(run == Run::None);
            run = here;
        } else if is_plain(c) || is_boundary(text, start) {
            if run.goes_on(c, &text[at..]) {
                continue;
            }
            count += usize::from(!c.is_whitespace() && !is_hidden(c));
            run = Run::None;
        }
    }
    count
}

/// The commonest Han characters and Chinese punctuation marks; all of them count, whatever is beside them.
fn counts_alone(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3001}'..='\u{301F}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF1F}'
        | '\u{2014}' | '\u{201C}' | '\u{201D}' | '\u{2026}')
}

/// Words as they are counted in English: what stands between spaces and has a letter or digit is one, a Han character
/// (kana, Hangul) too.
pub fn words(text: &str) -> usize {
    let mut count = 0;
    let mut inside = false;
    for c in text.chars() {
        if is_cjk_letter(c) || c.is_whitespace() || counts_alone(c) {
            count += usize::from(is_cjk_letter(c));
            inside = false;
        } else if c.is_alphanumeric() && !inside {
            count += 1;
            inside = true;
        }
    }
    count
}

/// Letters of the scripts that write without spaces between words.
pub fn cjk_letters(text: &str) -> usize {
    text.chars().filter(|&c| is_cjk_letter(c)).count()
}

/// How many lines the text has, an unfinished last one included; an empty text has none.
pub fn lines(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.bytes().filter(|&byte| byte == b'\n').count() + 1 }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    None,
    Letters,
    Digits,
}

impl Run {
    fn of(c: char) -> Run {
        match c {
            _ if is_cjk_letter(c) || !c.is_alphanumeric() => Run::None,
            _ if c.is_numeric() => Run::Digits,
            _ => Run::Letters,
        }
    }

    /// Whether `c` belongs to the run before it: an apostrophe inside a word, a point or comma inside a number.
    fn goes_on(self, c: char, behind: &str) -> bool {
        let joins = match self {
            Run::None => false,
            Run::Letters => matches!(c, '\'' | '’'),
            Run::Digits => matches!(c, '.' | ','),
        };
        joins && behind.chars().next().is_some_and(|next| Run::of(next) == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_as_writing_platforms_do() {
        let rows = [
            ("", 0),
            (" \n\t　\r\n", 0),
            ("你好，世界。", 6),
            ("第12章 Hello world", 5),
            ("don't 3.14 1,000", 3),
            ("a,b", 3),
            ("“走吧！”——……", 9),
            ("中文abc中文", 5),
            ("e\u{301}te\u{301} 中\u{200b}文", 3),
            ("👨\u{200d}👩\u{200d}👧！", 2),
            ("ひらがな 한국", 6),
            ("Привет мир", 2),
        ];
        for (text, count) in rows {
            assert_eq!(characters(text), count, "{text:?}");
        }
    }

    #[test]
    fn english_words_leave_punctuation_out() {
        let rows = [
            ("", 0),
            (" \n", 0),
            ("Wait — don't go, he said: “It's 3.14.”", 7),
            ("a well-known e-mail...", 3),
            ("第12章 Hello, world。", 5),
        ];
        for (text, count) in rows {
            assert_eq!(words(text), count, "{text:?}");
        }
    }

    #[test]
    fn lines_include_the_unfinished_one() {
        assert_eq!((lines(""), lines("a"), lines("a\n"), lines("a\nb")), (0, 1, 2, 2));
    }
}
