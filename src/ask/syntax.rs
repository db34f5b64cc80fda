//! Texts that are not JSON: why, where, and the one problem of such a text.

use super::js_string::escape_json;
use super::problem::{Problem, ProblemCode};
use crate::text::{Message, say};
use serde_json::Error;

mod kind;

pub use kind::SyntaxKind;

pub(super) const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    pub kind: SyntaxKind,
}

impl SyntaxError {
    /// Where `serde_json` refused a text, and why. Its own columns count bytes.
    pub(super) fn refused(text: &str, error: &Error) -> (usize, SyntaxKind) {
        let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let mut offset = text.floor_char_boundary((line + error.column()).saturating_sub(1));
        let message = error.to_string();
        let is_cut_number = || {
            let last = text[offset..].trim_start_matches(['-', '+', '.', 'e', 'E']);
            message.starts_with("invalid number") && last.is_empty()
        };
        let kind = if text.trim_matches(SPACE).is_empty() {
            SyntaxKind::Empty
        } else if error.is_eof() || is_cut_number() {
            SyntaxKind::End
        } else if message.starts_with("control character") {
            offset += text[offset..].find(|c| c < ' ').unwrap_or_default();
            SyntaxKind::ControlInString(char_at(text, offset))
        } else if message.starts_with("invalid escape") {
            offset = text[..offset].rfind('\\').unwrap_or(offset);
            SyntaxKind::BadEscape
        } else if message.starts_with("trailing characters") {
            SyntaxKind::Trailing(char_at(text, offset))
        } else {
            SyntaxKind::Unexpected(char_at(text, offset))
        };
        let is_end = matches!(kind, SyntaxKind::Empty | SyntaxKind::End);
        (if is_end { text.len() } else { offset }, kind)
    }

    /// Of this kind, at a byte offset.
    pub(super) fn at(text: &str, (offset, kind): (usize, SyntaxKind)) -> SyntaxError {
        let (line, column) = line_and_column(&text[..offset]);
        SyntaxError { line, column, kind }
    }
}

fn char_at(text: &str, offset: usize) -> char {
    text[offset..].chars().next().unwrap_or_default()
}

impl SyntaxError {
    /// What was found, and where.
    pub fn found(&self) -> Message {
        use SyntaxKind as K;
        let quoted = |c: char| {
            let mut out = String::from("\"");
            escape_json(&c.to_string(), &mut out);
            out + "\""
        };
        let (there, wanted) = match self.kind {
            K::Unexpected(c) | K::ControlInString(c) | K::Trailing(c) => (quoted(c), String::new()),
            K::Space(c) => (format!("U+{:04X}", u32::from(c)), String::new()),
            K::Quote(c) => (c.to_string(), String::new()),
            K::Punctuation(c, wanted) => (c.to_string(), wanted.to_string()),
            K::Encoding(name) => (name.to_owned(), String::new()),
            K::Word(word, wanted) => (word.to_owned(), wanted.to_owned()),
            _ => (String::new(), String::new()),
        };
        let found = self.kind.words().0;
        let found = Message::in_both(|lang| found.fill(lang, &[&*there, &*wanted]));
        placed(&found, (self.line, self.column))
    }
}

/// What was found, and where.
pub(super) fn placed(found: &Message, (line, column): (usize, usize)) -> Message {
    let says = say("{0} (line {1}, column {2})", "{0}（第 {1} 行第 {2} 列）");
    let (line, column) = (line.to_string(), column.to_string());
    Message::in_both(|lang| says.fill(lang, &[&found.text(lang), &line, &column]))
}

impl From<SyntaxError> for Problem {
    fn from(error: SyntaxError) -> Problem {
        let problem = Problem::new(ProblemCode::Syntax, error.found(), say("JSON", "JSON 文本"));
        let position = Some((error.line, error.column));
        Problem { hint: error.kind.hint().map(Message::from), position, ..problem }
    }
}

/// The line and column after `before`, both from 1.
pub(super) fn line_and_column(before: &str) -> (usize, usize) {
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
