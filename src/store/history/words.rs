//! The words of an entry as they are searched.

use crate::ask::JsString;
use crate::ask::compare::read_answers;
use crate::ask::json::{Item, Json};
use std::collections::HashSet;

/// Of the words of one entry, no more are searched than about this many bytes: 1 MiB, several hundred thousand
/// characters.
const WORDS_LIMIT: usize = 1 << 20;
/// Of a record that is no JSON, this many bytes are searched.
const RAW_LIMIT: usize = 64 << 10;

/// What a search looks at.
#[derive(Default)]
pub(super) struct Words {
    /// The ids of its questions and answers, a space before and behind each.
    pub(super) ids: String,
    /// Its words, [folded](fold).
    pub(super) words: String,
}

impl Words {
    /// Those of a record, of what was asked, and of what else is known of them.
    pub(super) fn of(known: &[Option<&JsString>], novel_ask: Option<&str>, record: &[u8]) -> Words {
        let asked = novel_ask.and_then(|asked| Json::parse(asked.as_bytes()).ok());
        let questions = asked.as_ref().and_then(|asked| asked.root().get("questions"));
        let answers = read_answers(record);
        let mut out = Words { ids: " ".to_owned(), words: String::new() };
        let mut seen = HashSet::new();
        for text in known {
            out.add(&text.map(JsString::lossy).unwrap_or_default());
        }
        for question in questions.into_iter().flat_map(Item::elements) {
            for key in ["header", "question"] {
                out.add(&question.get(key).and_then(Item::string).unwrap_or_default().lossy());
            }
            out.add_id(&question.get("id").and_then(Item::string).unwrap_or_default(), &mut seen);
        }
        for (id, value) in &answers {
            out.add_id(id, &mut seen);
            value.strings().iter().for_each(|text| out.add(&text.lossy()));
        }
        if answers.is_empty() {
            out.add(&String::from_utf8_lossy(&record[..record.len().min(RAW_LIMIT)]));
        }
        out
    }

    fn add(&mut self, text: &str) {
        let left = WORDS_LIMIT.saturating_sub(self.words.len());
        fold_into(&text[..text.floor_char_boundary(left)], &mut self.words);
        self.words.push('\u{1f}');
    }

    fn add_id(&mut self, id: &JsString, seen: &mut HashSet<JsString>) {
        let fits = |id: &str| !id.is_empty() && !id.contains(char::is_whitespace);
        if id.as_str().is_some_and(fits) && seen.insert(id.clone()) {
            self.ids.push_str(&id.lossy());
            self.ids.push(' ');
        }
    }
}

/// Words as they are compared: lower case, full-width forms as half-width ones, each run of white space and control
/// characters as one space.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

fn fold_into(text: &str, out: &mut String) {
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        match c {
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
                out.push(narrow.to_ascii_lowercase());
            }
            c => out.extend(c.to_lowercase()),
        }
    }
}
