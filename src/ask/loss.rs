//! What is lost of a file that is read all the same: bytes that are no UTF-8 count as U+FFFD, as novel-writer-cli reads them.

use super::problem::{Problem, ProblemCode};
use super::syntax::{SyntaxError, SyntaxKind};
use crate::text::encoding::decode;
use crate::text::{Message, say};

/// Characters of a packet or of a record that are lost, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    how: How,
    is_record: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The file is in this encoding.
    Encoding(&'static str),
    Bytes,
    /// The file is UTF-8: whoever wrote it had lost them already.
    Before,
}

impl Loss {
    /// Of a packet, of which this text counts.
    pub(super) fn of_packet(bytes: &[u8], read: &str) -> Option<Loss> {
        let is_lost = ["\u{fffd}", "\\ufffd", "\\uFFFD"].iter().any(|lost| read.contains(lost));
        let how = || match decode(bytes) {
            Some((_, name)) => How::Encoding(name),
            None if std::str::from_utf8(bytes).is_err() => How::Bytes,
            None => How::Before,
        };
        is_lost.then(|| Loss { how: how(), is_record: false })
    }

    /// Of a record, or of any other file that counts whole.
    pub fn of_record(bytes: &[u8]) -> Option<Loss> {
        let loss = Loss::of_packet(bytes, &String::from_utf8_lossy(bytes))?;
        Some(Loss { is_record: true, ..loss })
    }

    /// The same as a problem of the whole file.
    pub fn problem(self) -> Problem {
        let expected = say("UTF-8", "UTF-8 文本");
        match self.how {
            How::Encoding(name) => {
                let error = SyntaxError { line: 1, column: 1, kind: SyntaxKind::Encoding(name) };
                Problem { code: ProblemCode::Other, expected: expected.into(), ..error.into() }
            }
            How::Bytes => {
                let found = say("bytes that are not UTF-8", "不是 UTF-8 的字节");
                Problem::new(ProblemCode::Other, found, expected)
            }
            How::Before => {
                let found = say("characters that are lost (U+FFFD)", "已丢失的字符（U+FFFD）");
                Problem::new(ProblemCode::Other, found, say("the characters themselves", "原来的字"))
            }
        }
    }

    /// In front of what else is wrong with a file that is not UTF-8: most of that comes of it.
    pub(super) fn before(self, mut problems: Vec<Problem>) -> Vec<Problem> {
        if self.how != How::Before {
            problems.insert(0, self.problem());
        }
        problems
    }

    pub fn text(self) -> Message {
        let file = if self.is_record { say("The record", "记录") } else { say("The packet", "指令包") };
        let (sentence, name) = match self.how {
            How::Encoding(name) => (
                say(
                    "{0} is not UTF-8; it looks like {1}. Its characters are lost for whoever reads it: it is to be saved as UTF-8.",
                    "{0}不是 UTF-8，看起来是 {1} 编码，谁读到的都是乱码：应存为 UTF-8。",
                ),
                name,
            ),
            How::Bytes => (
                say(
                    "{0} is not UTF-8: characters of it are lost. Whoever writes it is to save it as UTF-8.",
                    "{0}不是 UTF-8，其中有字符丢失：写它的程序应存为 UTF-8。",
                ),
                "",
            ),
            How::Before => (
                say(
                    "{0} has characters that are lost (U+FFFD): it repeats text that was not UTF-8.",
                    "{0}里有已丢失的字符（U+FFFD）：照抄了不是 UTF-8 的文字。",
                ),
                "",
            ),
        };
        Message::in_both(|lang| sentence.fill(lang, &[file.text(lang), name]))
    }
}
