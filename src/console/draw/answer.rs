//! A reply in words, without building the answer.

use crate::ask::compare::Value;
use crate::ask::{JsString, Kind, Pick, Question, Reply};
use crate::console::sentences as s;
use crate::text::{Lang, Sentence, say};
use std::borrow::Cow;

/// Picks of an answer and characters of a text that a page shows; the form and the file have all.
pub const PICKS: usize = 50;
const TEXT: usize = 2_000;

pub fn is_answered(question: &Question, reply: &Reply) -> bool {
    match question.kind {
        Kind::FreeText => !reply.text.is_blank(),
        Kind::SingleChoice | Kind::MultiChoice => !reply.picks.is_empty(),
    }
}

/// The answer in one text, uncleaned; at most so many picks of it.
pub fn answer_text(question: &Question, reply: &Reply, picks: usize, lang: Lang) -> String {
    if question.kind == Kind::FreeText {
        return reply.text.display().into_owned();
    }
    let words = reply.picks.iter().filter_map(|pick| match pick {
        Pick::Option(place) => question.options.get(*place).map(|option| option.label.display()),
        Pick::Own(words) => Some(words.display()),
    });
    list(words, picks, lang)
}

pub fn beginning(words: &str) -> String {
    words.chars().take(TEXT).collect()
}

/// What was put aside: its name, and the answer or the words in one text, uncleaned; at most so many picks.
pub fn aside_text(question: &Question, aside: &Reply, picks: usize, lang: Lang) -> (Sentence, String) {
    match aside.typed_words() {
        Some(words) => (s::TYPED, words.to_owned()),
        None => (say("yours, set aside", "你暂存的回答"), answer_text(question, aside, picks, lang)),
    }
}

pub fn short_answer(question: &Question, reply: &Reply, lang: Lang) -> String {
    beginning(&answer_text(question, reply, PICKS, lang))
}

/// An earlier record's answer in one text, uncleaned; at most so many words of a list.
pub fn given_text(given: &Value, words: usize, lang: Lang) -> String {
    match given {
        Value::Other(source) => source.clone(),
        answer => list(answer.strings().iter().map(JsString::display), words, lang),
    }
}

/// At most so many words; `…` if there are more.
fn list<'w>(mut words: impl Iterator<Item = Cow<'w, str>>, most: usize, lang: Lang) -> String {
    let shown = words.by_ref().take(most).collect::<Vec<_>>().join(lang.comma());
    if words.next().is_some() { shown + lang.comma() + "…" } else { shown }
}
