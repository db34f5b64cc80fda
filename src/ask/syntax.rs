//! Texts that are not JSON: why, where, and the one problem of such a text.

use super::js_string::escape_json;
use super::problem::{Problem, ProblemCode};
use crate::text::{Message, Sentence, say};
use serde_json::Error;

pub(super) const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    pub kind: SyntaxKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxKind {
    /// Nothing but white space.
    Empty,
    /// The text stops inside a value.
    End,
    /// A byte order mark in front.
    ByteOrderMark,
    /// A character that cannot stand here.
    Unexpected(char),
    /// A control character inside a string.
    ControlInString(char),
    /// A `\` with something behind it that is no escape.
    BadEscape,
    /// Something behind the end of the value.
    Trailing(char),
}

impl SyntaxError {
    /// What `serde_json` refused, as a place and a character. Its own columns count bytes.
    pub(super) fn of(text: &str, error: &Error) -> SyntaxError {
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
        let (line, column) = line_and_column(if is_end { text } else { &text[..offset] });
        SyntaxError { line, column, kind }
    }
}

fn char_at(text: &str, offset: usize) -> char {
    text[offset..].chars().next().unwrap_or_default()
}

impl From<SyntaxError> for Problem {
    fn from(error: SyntaxError) -> Problem {
        let character = match error.kind {
            SyntaxKind::Unexpected(c) | SyntaxKind::ControlInString(c) | SyntaxKind::Trailing(c) => {
                let mut out = String::from("\"");
                escape_json(&c.to_string(), &mut out);
                out + "\""
            }
            SyntaxKind::Empty | SyntaxKind::End | SyntaxKind::ByteOrderMark | SyntaxKind::BadEscape => {
                String::new()
            }
        };
        let parts = [&error.line.to_string(), &error.column.to_string(), &*character];
        let found = Message::new(found(&error.kind), &parts);
        let problem = Problem::new(ProblemCode::Syntax, found, say("JSON", "JSON 文本"));
        Problem { hint: hint(&error.kind).map(Message::from), ..problem }
    }
}

fn found(kind: &SyntaxKind) -> Sentence {
    match kind {
        SyntaxKind::Empty => say("an empty file (line {0}, column {1})", "空文件（第 {0} 行第 {1} 列）"),
        SyntaxKind::End => say(
            "the end of the file inside a value (line {0}, column {1})",
            "文件在值的中间结束（第 {0} 行第 {1} 列）",
        ),
        SyntaxKind::ByteOrderMark => {
            say("a byte order mark (line {0}, column {1})", "字节顺序标记（BOM）（第 {0} 行第 {1} 列）")
        }
        SyntaxKind::Unexpected(_) => say(
            "{2}, which is not allowed here (line {0}, column {1})",
            "此处不能出现 {2}（第 {0} 行第 {1} 列）",
        ),
        SyntaxKind::ControlInString(_) => say(
            "the control character {2} inside a string (line {0}, column {1})",
            "字符串中有控制字符 {2}（第 {0} 行第 {1} 列）",
        ),
        SyntaxKind::BadEscape => {
            say("an unknown \\ escape (line {0}, column {1})", "未知的 \\ 转义（第 {0} 行第 {1} 列）")
        }
        SyntaxKind::Trailing(_) => say(
            "{2} after the end of the value (line {0}, column {1})",
            "值结束之后还有 {2}（第 {0} 行第 {1} 列）",
        ),
    }
}

fn hint(kind: &SyntaxKind) -> Option<Sentence> {
    Some(match kind {
        SyntaxKind::ByteOrderMark => {
            say("Save the file as UTF-8 without a byte order mark.", "请保存为不带 BOM 的 UTF-8。")
        }
        SyntaxKind::Empty | SyntaxKind::End => {
            say("The file may have been cut off while it was written.", "文件可能在写入时被截断。")
        }
        SyntaxKind::ControlInString(_) => say(
            "Inside a string a line end is written \\n and a tab \\t.",
            "字符串里的换行要写成 \\n，制表符要写成 \\t。",
        ),
        SyntaxKind::Unexpected('}' | ']') => say(
            "There is an extra comma or a missing value before it, or it closes something that is not open.",
            "它前面多了一个逗号或少了一个值，或者与打开的括号不配对。",
        ),
        SyntaxKind::Unexpected(c) if "“”‘’：，、｛｝［］【】＂".contains(*c) => say(
            "The punctuation of JSON is half-width: \" : , { } [ ]",
            "JSON 的标点要用半角：\" : , { } [ ]",
        ),
        SyntaxKind::Unexpected(_) | SyntaxKind::BadEscape | SyntaxKind::Trailing(_) => return None,
    })
}

/// The line and column after `before`, both from 1.
pub(super) fn line_and_column(before: &str) -> (usize, usize) {
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
