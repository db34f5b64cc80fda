//! Which characters stand for JSON's own in what is nearly JSON.

use crate::ask::syntax::SPACE;

/// Whether a comment begins here.
pub(super) fn is_comment(text: &str) -> bool {
    ["//", "/*", "<!--"].iter().any(|mark| text.starts_with(mark))
}

/// How long the dots are that stand here for what somebody left out.
pub(super) fn elided(text: &str) -> Option<usize> {
    let length = text.len() - text.trim_start_matches(['.', '…', '⋯']).len();
    (length >= "...".len()).then_some(length)
}

/// The character of JSON's punctuation that one stands for.
pub(super) fn half(c: char) -> Option<char> {
    Some(match c {
        '{' | '｛' => '{',
        '}' | '｝' => '}',
        '[' | '［' | '【' => '[',
        ']' | '］' | '】' => ']',
        ':' | '：' => ':',
        ',' | '，' | '、' | ';' | '；' => ',',
        _ => return None,
    })
}

/// Whether a string may begin so.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '＂' | '\u{2018}'..='\u{201f}' | '「' | '『')
}

/// What keys consist of that are written without quotation marks.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.')
}

/// Whether a value or a key may begin so.
pub(super) fn begins(c: char) -> bool {
    is_quote(c) || is_name(c) || matches!(half(c), Some('{' | '['))
}

pub(super) fn is_odd_space(c: char) -> bool {
    !SPACE.contains(&c) && c.is_whitespace() || matches!(c, '\0' | '\u{feff}' | '\u{200b}' | '\u{2060}')
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(SPACE)
}
