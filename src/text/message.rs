//! A sentence with its gaps filled, carried until it is known in which language it is wanted.

use super::lang::{Lang, Sentence, say};

/// A sentence with its gaps filled, still in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    sentence: Sentence,
    parts: Vec<String>,
}

impl Message {
    /// Whether this is that sentence, whatever fills its gaps.
    pub fn says(&self, sentence: Sentence) -> bool {
        self.sentence == sentence
    }

    /// Fills the gaps of a sentence.
    pub fn new(sentence: Sentence, parts: &[&str]) -> Message {
        Message { sentence, parts: parts.iter().map(|part| (*part).to_owned()).collect() }
    }

    /// Words that are the same in both languages, such as a library's own.
    pub fn verbatim(words: impl Into<String>) -> Message {
        Message { sentence: say("{0}", "{0}"), parts: vec![words.into()] }
    }

    /// Words that are put together in each language.
    pub fn in_both(words: impl Fn(Lang) -> String) -> Message {
        Message::new(say("{0}", "{1}"), &[&words(Lang::En), &words(Lang::ZhCn)])
    }

    /// The sentence in a language. It may quote hostile text: clean it before drawing.
    pub fn text(&self, lang: Lang) -> String {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        self.sentence.fill(lang, &parts)
    }
}

impl From<Sentence> for Message {
    fn from(sentence: Sentence) -> Message {
        Message::new(sentence, &[])
    }
}
