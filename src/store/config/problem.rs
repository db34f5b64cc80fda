//! What is wrong with a settings file, and where.

use crate::text::{Lang, Message, Sentence, say};

const PLACE: Sentence = say("{0}, line {1}, column {2}: {3}", "{0} 第 {1} 行第 {2} 列：{3}");

/// A place in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
}

/// One thing a settings file says that it may not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// None if the file cannot be read at all.
    pub place: Option<Place>,
    /// The key, as `waiting.fg`; empty when the text is not TOML at all.
    pub key: String,
    /// What was found and what was expected.
    pub what: Message,
}

impl Place {
    /// The place of a byte of the file's text.
    pub fn new(file: &str, text: &str, at: usize) -> Place {
        let before = text.get(..at).unwrap_or_default();
        Place {
            file: file.to_owned(),
            line: 1 + before.matches('\n').count(),
            column: 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count()),
        }
    }
}

impl ConfigProblem {
    /// The whole sentence: file, line, key, what was found and what was expected.
    pub fn text(&self, lang: Lang) -> String {
        let what = self.what.text(lang);
        match &self.place {
            Some(Place { file, line, column }) => {
                PLACE.fill(lang, &[file, &line.to_string(), &column.to_string(), &what])
            }
            None => what,
        }
    }

    /// The same in both languages.
    pub fn message(&self) -> Message {
        Message::new(say("{0}", "{1}"), &[&self.text(Lang::En), &self.text(Lang::ZhCn)])
    }
}
