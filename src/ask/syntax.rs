//! The one problem of a text that is not JSON.

use super::js_string::escape_json;
use super::json::{SyntaxError, SyntaxKind};
use super::problem::{Problem, ProblemCode};
use crate::text::{Message, Sentence, say};

impl From<SyntaxError> for Problem {
    fn from(error: SyntaxError) -> Problem {
        let character = match error.kind {
            SyntaxKind::Unexpected(c) | SyntaxKind::ControlInString(c) | SyntaxKind::Trailing(c) => {
                let mut out = String::from("\"");
                escape_json(&c.to_string(), &mut out);
                out + "\""
            }
            _ => String::new(),
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
        _ => return None,
    })
}
