//! A broken rule: where it is broken, what stands there, what should, and what to do.
//!
//! Each rule makes its problems beside the check. They keep the file's characters: clean them before drawing.

use super::js_string::{JsString, escape_json};
use crate::text::{Lang, Message, Sentence, say};

/// A broken rule in a packet, a record or another document. It is small whatever the file holds: what it quotes is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer (RFC 6901) of the value; empty for the whole document.
    pub pointer: String,
    /// Which rule it is.
    pub code: ProblemCode,
    /// What stands there.
    pub found: Message,
    /// What the rule expects instead.
    pub expected: Message,
    /// What to do, where there is more to say than to make it as expected.
    pub hint: Option<Message>,
}

/// Which rule is broken, where the program asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemCode {
    /// The text is not JSON.
    Syntax,
    /// The file is not a regular file.
    NotAFile,
    /// The file is larger than 64 MiB.
    TooLarge,
    /// The file cannot be read.
    Unreadable,
    /// The path leads out of the project through a link.
    OutsideProject,
    /// A value that says nothing, or is missing, where something must stand.
    Blank,
    /// A value of the wrong type or form.
    WrongForm,
    /// A key that the format does not have.
    UnknownField,
    /// A key that appears twice in its object.
    RepeatedKey,
    /// An id, label or entry that appears twice.
    Duplicate,
    /// A value that is none of the options.
    NotAnOption,
    /// An id that is not `snake_case`.
    NotSnakeCase,
    /// The record's version differs from the packet's.
    VersionDiffers,
    /// The record's topic differs from the packet's.
    TopicDiffers,
    /// `answered_at` is no date and time with a zone.
    NotDateTime,
    /// An answer to a question that is not asked.
    UnknownQuestion,
    /// A question that must be answered and is not.
    Unanswered,
    /// Any other rule.
    Other,
}

impl Problem {
    /// A problem of the whole document.
    pub fn new(code: ProblemCode, found: impl Into<Message>, expected: impl Into<Message>) -> Problem {
        let (found, expected) = (found.into(), expected.into());
        Problem { pointer: String::new(), code, found, expected, hint: None }
    }

    /// The same at a JSON pointer.
    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Problem {
        Problem { pointer: pointer.into(), ..self }
    }

    /// The same with what to do.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Message>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }

    /// The same with what was probably meant, if that is known.
    #[must_use]
    pub fn with_nearest(self, nearest: Option<String>) -> Problem {
        let hint = nearest.map(|text| Message::new(say("Nearest: {0}", "最接近的是：{0}"), &[&text]));
        Problem { hint, ..self }
    }

    /// Whether the pointer's last key itself is wrong, not the value behind it.
    pub fn is_about_key(&self) -> bool {
        use ProblemCode as P;
        match self.code {
            P::UnknownField | P::RepeatedKey | P::UnknownQuestion => true,
            P::NotSnakeCase => self.pointer.starts_with("/answers/"),
            _ => false,
        }
    }

    /// The whole sentence: place, found, expected, hint.
    pub fn sentence(&self, lang: Lang) -> String {
        self.fill(say("{0}: found {1}; expected {2}.", "{0}：实际 {1}；应为 {2}。"), lang)
    }

    /// A sentence about place, found and expected, and the hint behind it.
    pub(crate) fn fill(&self, sentence: Sentence, lang: Lang) -> String {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        let mut out = sentence.fill(lang, &[place, &self.found.text(lang), &self.expected.text(lang)]);
        if let Some(hint) = &self.hint {
            out.push_str(if lang == Lang::En { " " } else { "" });
            out.push_str(&hint.text(lang));
        }
        out
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

/// The same in the quotation marks of the language.
pub fn quote_in(lang: Lang, text: &JsString) -> String {
    let quoted = quote(text);
    match lang {
        Lang::En => quoted,
        Lang::ZhCn => format!("“{}”", &quoted[1..quoted.len() - 1]),
    }
}

/// A piece of source text, shortened for a sentence.
pub fn shorten(source: &str) -> String {
    match source.char_indices().nth(QUOTE_LIMIT) {
        Some((cut, _)) => format!("{}…", &source[..cut]),
        None => source.to_owned(),
    }
}

/// A sentence with a text of the document in its gap.
pub fn quoting(sentence: Sentence, text: &JsString) -> Message {
    Message::new(sentence, &[&quote(text)])
}

/// A text of the document that appears twice.
pub fn twice(text: &JsString) -> Message {
    quoting(say("{0} twice", "{0} 出现了两次"), text)
}

/// The words of which one must stand here, spelled as a sentence spells them.
pub fn one_of(words: &[&str]) -> Message {
    match words {
        [only] => Message::new(say("only {0}", "{0}"), &[only]),
        _ => Message::new(say("one of: {0}", "以下之一：{1}"), &[&words.join(", "), &words.join("、")]),
    }
}

#[cfg(test)]
mod tests;
