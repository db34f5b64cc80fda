//! What is lost of a file that is read all the same: bytes that are no UTF-8 count as U+FFFD, and of equal keys the last, as
//! novel-writer-cli reads them.

use super::frame::RECORD_KEYS;
use super::json::{Item, Json, Kind};
use super::mend::doubled_key;
use super::problem::{Problem, ProblemCode};
use super::syntax::{SyntaxError, SyntaxKind, line_and_column, placed};
use crate::text::encoding::decode;
use crate::text::{Message, Sentence, say};

/// What of a packet or of a record is lost, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    how: How,
    is_record: bool,
    /// Line and column of the first character.
    at: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum How {
    /// The file is in this encoding.
    Encoding(&'static str),
    Bytes,
    /// The file is UTF-8: whoever wrote it had lost them already.
    Before,
    /// The key at this pointer stands twice.
    Twice(String),
}

impl Loss {
    /// Of a packet, of which these members count; they are `read` already.
    pub(super) fn of_packet(bytes: &[u8], read: &Json<'_>, members: &[&str]) -> Option<Loss> {
        if first_lost(read.text()).is_none() {
            return Loss::twice(read, false);
        }
        let json = Json::parse(bytes).ok()?;
        let counts = json.root().members().filter(|(key, _)| members.iter().any(|name| key.is_string(name)));
        let lost =
            counts.filter_map(|(_, value)| Some(value.offset() + first_lost(value.source())?)).min()?;
        Some(Loss { how: How::of(bytes), is_record: false, at: json.position(lost) })
    }

    /// Of a record by which somebody goes.
    pub fn of_valid_record(bytes: &[u8]) -> Option<Loss> {
        let twice = || Loss::twice(&Json::parse_keeping(bytes, &RECORD_KEYS).ok()?, true);
        Loss::of_record(bytes).or_else(twice)
    }

    fn twice(json: &Json<'_>, is_record: bool) -> Option<Loss> {
        let how = How::Twice(json.root().repeated_key()?.pointer);
        Some(Loss { how, is_record, at: (1, 1) })
    }

    /// How a list names it.
    pub fn word(&self) -> Sentence {
        match self.how {
            How::Twice(_) => say("a key twice", "有重复的键"),
            _ => say("characters lost", "有乱码"),
        }
    }

    /// The characters of a record, or of any other file that counts whole.
    pub fn of_record(bytes: &[u8]) -> Option<Loss> {
        let text = String::from_utf8_lossy(bytes);
        let at = line_and_column(&text[..first_lost(&text)?]);
        Some(Loss { how: How::of(bytes), is_record: true, at })
    }

    /// The same as a problem of the whole file.
    pub fn problem(self) -> Problem {
        let (expected, (line, column)) = (say("UTF-8", "UTF-8 文本"), self.at);
        let (found, expected) = match self.how {
            How::Encoding(name) => {
                let error = SyntaxError { line, column, kind: SyntaxKind::Encoding(name) };
                return Problem { code: ProblemCode::Lost, expected: expected.into(), ..error.into() };
            }
            How::Bytes => (say("bytes that are not UTF-8", "不是 UTF-8 的字节"), expected),
            How::Before | How::Twice(_) => (
                say("characters that are lost (U+FFFD)", "已丢失的字符（U+FFFD）"),
                say("the characters themselves", "原来的字"),
            ),
        };
        let problem = Problem::new(ProblemCode::Lost, placed(&found.into(), self.at), expected);
        Problem { position: Some(self.at), ..problem }
    }

    pub fn text(&self) -> Message {
        let file = if self.is_record { say("The record", "记录") } else { say("The packet", "指令包") };
        let (sentence, name) = match &self.how {
            How::Encoding(name) => (
                say(
                    "{0} is not UTF-8; it looks like {1}. From line {2}, column {3} on its characters are lost for whoever reads it: it is to be saved as UTF-8.",
                    "{0}不是 UTF-8，看起来是 {1} 编码，从第 {2} 行第 {3} 列起谁读到的都是乱码：应存为 UTF-8。",
                ),
                *name,
            ),
            How::Bytes => (
                say(
                    "{0} is not UTF-8: characters of it are lost, the first in line {2}, column {3}. Whoever writes it is to save it as UTF-8.",
                    "{0}不是 UTF-8，有字符丢失，首处在第 {2} 行第 {3} 列：写它的程序应存为 UTF-8。",
                ),
                "",
            ),
            How::Before => (
                say(
                    "{0} has characters that are lost (U+FFFD), the first in line {2}, column {3}: it repeats text that was not UTF-8.",
                    "{0}里有已丢失的字符（U+FFFD），首处在第 {2} 行第 {3} 列：照抄了不是 UTF-8 的文字。",
                ),
                "",
            ),
            How::Twice(pointer) => (
                say(
                    "{0} has {1} twice. The last value counts, the other is lost: whoever writes the file is to write one.",
                    "{0}里 {1} 出现了两次，以最后一个值为准，另一个丢失：写它的程序应只写一个。",
                ),
                &**pointer,
            ),
        };
        let (line, column) = (self.at.0.to_string(), self.at.1.to_string());
        Message::in_both(|lang| sentence.fill(lang, &[file.text(lang), name, &line, &column]))
    }
}

impl How {
    fn of(bytes: &[u8]) -> How {
        match decode(bytes) {
            Some((_, name)) => How::Encoding(name),
            None if std::str::from_utf8(bytes).is_err() => How::Bytes,
            None => How::Before,
        }
    }
}

/// Judges a file. Of one that is not UTF-8 that is said first, and beside it only what does not come of it: what is wrong in its own
/// encoding; where nobody knows that one, what is wrong with what can be read.
pub(super) fn judged<T>(
    bytes: &[u8],
    judge: impl Fn(&[u8]) -> Result<T, Vec<Problem>>,
    loss: impl FnOnce() -> Option<Loss>,
) -> Result<T, Vec<Problem>> {
    let beside = |mut problems: Vec<Problem>| {
        let is_json = problems.iter().all(|problem| problem.code != ProblemCode::Syntax);
        let loss = loss().filter(|loss| is_json && matches!(loss.how, How::Encoding(_) | How::Bytes));
        let others = match decode(bytes) {
            Some((text, _)) if loss.is_some() || !is_json => judge(text.as_bytes()).err().unwrap_or_default(),
            None if let (Some(_), Ok(json)) = (&loss, Json::parse(bytes)) => {
                problems.retain(|problem| !is_of_loss(problem, json.root()));
                std::mem::take(&mut problems)
            }
            _ => return problems,
        };
        let first = loss.map(Loss::problem).or_else(|| problems.into_iter().next());
        first.into_iter().chain(others).collect()
    };
    judge(bytes).map_err(|problems| {
        let doubled = doubled(bytes, &problems);
        beside(problems).into_iter().chain(doubled).collect()
    })
}

/// Beside the slip of what is no JSON, a key that stands twice.
fn doubled(bytes: &[u8], problems: &[Problem]) -> Option<Problem> {
    let error = { problems.iter().any(|problem| problem.code == ProblemCode::Syntax) }
        .then(|| doubled_key(bytes))??;
    let expected = say("each key once in an object", "每个键在对象里只出现一次").into();
    Some(Problem { code: ProblemCode::RepeatedKey, expected, ..error.into() })
}

/// Whether a problem may only come of characters that are lost: of the value itself, or of a key on the way to it.
fn is_of_loss(problem: &Problem, root: Item<'_>) -> bool {
    let is_lost = |item: Item<'_>| item.kind() == Kind::String && first_lost(item.source()).is_some();
    let is_of_value = !problem.is_about_key() && problem.code != ProblemCode::WrongForm;
    first_lost(&problem.pointer).is_some() || is_of_value && root.at(&problem.pointer).is_some_and(is_lost)
}

/// Where the first character of a text is that is lost.
fn first_lost(text: &str) -> Option<usize> {
    ["\u{fffd}", "\\ufffd", "\\uFFFD"].iter().filter_map(|lost| text.find(lost)).min()
}
