//! Faults in the form of a program's input. An answer that is not accepted is no fault: it is asked again.

use crate::ask::JsString;
use crate::ask::syntax::{SyntaxError, SyntaxKind};
use crate::text::{Message, Sentence, say};

/// A malformed or misplaced input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable name for programs.
    pub code: &'static str,
    /// Where, if it is at one place: line and column (characters), both from 1, or a JSON pointer.
    pub at: Option<String>,
    /// What was found and what was expected.
    pub message: Message,
}

/// Not JSON, or JSON that names a key twice.
pub const INVALID_JSON: &str = "invalid_json";
/// JSON, but not a reply, or not one to this call.
pub const INVALID_REPLY: &str = "invalid_reply";
/// A reply to another call.
pub const STALE_REPLY: &str = "stale_reply";
/// A reply to a dialogue that has ended.
pub const REPLY_AFTER_END: &str = "reply_after_end";

impl Fault {
    /// A fault at no single place.
    pub fn new(code: &'static str, sentence: Sentence, parts: &[&str]) -> Fault {
        Fault { code, at: None, message: Message::new(sentence, parts) }
    }

    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Fault {
        Fault { at: Some(pointer.into()), ..self }
    }

    /// At a line and column, both from 1.
    #[must_use]
    pub fn at_position(self, line: usize, column: usize) -> Fault {
        Fault { at: Some(format!("{line}:{column}")), ..self }
    }

    /// A text that is not JSON.
    pub fn syntax(error: &SyntaxError) -> Fault {
        let sentence = match error.kind {
            SyntaxKind::Empty => say("There is only white space.", "除了空白什么都没有。"),
            SyntaxKind::End => say("The JSON stops inside a value.", "JSON 在一个值中间中断了。"),
            SyntaxKind::Trailing(_) => {
                say("There is something after the JSON value.", "JSON 值的后面还有别的内容。")
            }
            _ => say("This is not JSON.", "这不是 JSON。"),
        };
        Fault::new(INVALID_JSON, sentence, &[]).at_position(error.line, error.column)
    }

    /// A key that appears twice in one object, with the line and column of its second mention.
    pub fn repeated_key(key: &JsString, (line, column): (usize, usize)) -> Fault {
        let sentence = say("The key {0} appears twice in one object.", "键 {0} 在同一个对象里出现了两次。");
        Fault::new(INVALID_JSON, sentence, &[&key.display()]).at_position(line, column)
    }
}
