//! One violation: what is known of it, within bounds whatever the file holds.
//!
//! What it quotes keeps the file's characters: clean it before drawing.

use super::js_string::{JsString, escape_json};
use super::json::SyntaxError;
use crate::text::Message;

mod sentences;

/// One violation in a packet or a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// JSON pointer (RFC 6901) of the value; empty for the whole document.
    pub pointer: String,
    /// What is wrong there.
    pub kind: ProblemKind,
}

/// What the rules expect of a value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// `{…}`
    Object,
    /// A list with at least one entry.
    List,
    /// A string that is not blank.
    Words,
    /// `true` or `false`.
    Boolean,
    /// An integer of at least 1.
    Version,
    /// A non-blank string or a list of them.
    Answer,
    /// `single_choice`, `multi_choice` or `free_text`.
    QuestionKind,
    /// A relative path.
    Path,
}

/// What was found instead.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// The key is not there.
    Nothing,
    /// The value as it is written, shortened.
    Source(String),
    /// A string of white space only.
    Blank,
    /// `[]`
    EmptyList,
}

/// The ways in which packets and records go wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemKind {
    /// The text is not JSON.
    Syntax(SyntaxError),
    /// A value of the wrong type, blank, or missing.
    Value(Expected, Found),
    /// A value where only these may stand: each is spelled as a sentence spells it.
    NotOneOf(Found, &'static [&'static str]),
    /// A key the format does not have, with the keys it has.
    UnknownField(JsString, &'static [&'static str]),
    /// An id that is not `snake_case`.
    NotSnakeCase(JsString),
    /// A question id that appears twice.
    DuplicateId(String),
    /// An option label that appears twice in its question.
    DuplicateLabel(JsString),
    /// A default that is no option; with the nearest label.
    DefaultNotAnOption(JsString, Option<JsString>),
    /// An entry that appears twice in a list.
    DuplicateEntry(JsString),
    /// `novel_ask` without `answer_path`.
    NoAnswerPath,
    /// `answer_path` without `novel_ask`.
    NoQuestions,
    /// An absolute `answer_path`.
    AbsolutePath(JsString),
    /// An `answer_path` with a `..` segment.
    PathTraversal(JsString),
    /// An `answer_path` that leads out of the project through a link.
    PathOutside(JsString),
    /// The record's version differs from the packet's: found, expected.
    VersionDiffers(f64, f64),
    /// The record's topic differs from the packet's: found, expected.
    TopicDiffers(JsString, JsString),
    /// `answered_at` is no date and time with a zone.
    NotDateTime(JsString),
    /// An answer to a question that is not asked; with the nearest id.
    UnknownQuestion(JsString, Option<String>),
    /// A question that must be answered and is not.
    Unanswered(String),
    /// A value outside the options, with the options and the nearest one.
    NotAnOption(JsString, Labels, Option<JsString>),
    /// The answer has the wrong shape for the question's kind.
    WrongShape(super::question::Kind, String),
    /// The file is not a regular file: what it is.
    NotAFile(&'static str),
    /// The file is larger than 64 MiB: its size in bytes.
    TooLarge(u64),
    /// The file cannot be read: the system's reason, in English and in Chinese.
    Unreadable(String, String),
    /// A key that appears twice in its object.
    RepeatedKey(JsString),
    /// A key that the format does not have, where it allows no others; with the keys it has.
    StrayField(JsString, &'static [&'static str]),
    /// A broken rule of another format than the packets', in that format's own words.
    Rule(Box<Rule>),
}

/// A broken rule with its own words. Whoever makes one shortens what it quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What was found.
    pub found: Message,
    /// What the rule expects instead.
    pub expected: Message,
    /// What to do, where there is more to say.
    pub hint: Option<Message>,
}

/// The first few labels of a question and how many there are, for a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    first: Vec<JsString>,
    total: usize,
}

impl Labels {
    const SHOWN: usize = 8;

    /// Of these options.
    pub fn of(options: &[super::question::Choice]) -> Labels {
        let first = options.iter().take(Self::SHOWN).map(|option| option.label.head(QUOTE_LIMIT + 1));
        Labels { first: first.collect(), total: options.len() }
    }

    fn text(&self) -> String {
        let mut out: Vec<String> = self.first.iter().map(quote).collect();
        if self.total > self.first.len() {
            out.push(format!("… ({})", self.total));
        }
        out.join(", ")
    }
}

const QUOTE_LIMIT: usize = 80;

/// A string as JSON spells it, shortened for a sentence.
pub fn quote(text: &JsString) -> String {
    let shown = text.head(QUOTE_LIMIT);
    let mut out = String::from("\"");
    escape_json(&shown.display(), &mut out);
    out.push_str(if shown.len() < text.len() { "…\"" } else { "\"" });
    out
}

/// A piece of source text, shortened for a sentence.
pub fn shorten(source: &str) -> String {
    match source.char_indices().nth(QUOTE_LIMIT) {
        Some((cut, _)) => format!("{}…", &source[..cut]),
        None => source.to_owned(),
    }
}

impl ProblemKind {
    fn cut(&mut self) {
        use ProblemKind as P;
        // One character more than is shown, so that a sentence can tell that there was more.
        let cut = |text: &mut JsString| *text = text.head(QUOTE_LIMIT + 1);
        let cut_id = |id: &mut String| *id = shorten(id);
        match self {
            P::UnknownField(text, _)
            | P::StrayField(text, _)
            | P::RepeatedKey(text)
            | P::NotSnakeCase(text)
            | P::DuplicateLabel(text)
            | P::DuplicateEntry(text)
            | P::AbsolutePath(text)
            | P::PathTraversal(text)
            | P::PathOutside(text)
            | P::NotDateTime(text) => cut(text),
            P::TopicDiffers(found, wanted) => [found, wanted].into_iter().for_each(cut),
            P::DefaultNotAnOption(text, near) | P::NotAnOption(text, _, near) => {
                cut(text);
                near.iter_mut().for_each(cut);
            }
            P::UnknownQuestion(text, near) => {
                cut(text);
                near.iter_mut().for_each(cut_id);
            }
            P::DuplicateId(id) | P::Unanswered(id) => cut_id(id),
            P::WrongShape(_, source)
            | P::Value(_, Found::Source(source))
            | P::NotOneOf(Found::Source(source), _) => *source = shorten(source),
            P::Syntax(_)
            | P::Value(..)
            | P::NotOneOf(..)
            | P::NoAnswerPath
            | P::NoQuestions
            | P::VersionDiffers(..)
            | P::NotAFile(_)
            | P::TooLarge(_)
            | P::Unreadable(..)
            | P::Rule(_) => {}
        }
    }
}

impl Problem {
    /// A problem at a pointer. Values that it quotes are cut to what a sentence shows, so that a problem is small
    /// whatever the file holds.
    pub fn new(pointer: impl Into<String>, mut kind: ProblemKind) -> Problem {
        kind.cut();
        Problem { pointer: pointer.into(), kind }
    }

    /// Whether it is about an answer of a record, not about a question.
    fn is_about_answer(&self) -> bool {
        self.pointer.starts_with("/answers/")
    }

    /// Whether the pointer's last key itself is wrong, not the value behind it.
    pub fn is_about_key(&self) -> bool {
        use ProblemKind as P;
        match self.kind {
            P::UnknownField(..) | P::StrayField(..) | P::RepeatedKey(_) | P::UnknownQuestion(..) => true,
            P::NotSnakeCase(_) => self.is_about_answer(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
