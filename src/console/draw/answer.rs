//! A reply in words, without building the answer.

use crate::ask::draft::SaidAs;
use crate::ask::{Kind, Question, Reply, listed};
use crate::console::sentences as s;
use crate::text::{Lang, Sentence};

/// Picks of an answer and characters of a text that a page shows; the form and the file have all.
pub const PICKS: usize = 50;
const TEXT: usize = 2_000;

/// The answer in one text, uncleaned; at most so many picks of it.
pub fn answer_text(question: &Question, reply: &Reply, picks: usize, lang: Lang) -> String {
    let mut words = reply.picks.iter().filter_map(|pick| pick.value(question));
    match question.kind {
        Kind::FreeText => reply.text.display().into_owned(),
        Kind::SingleChoice => words.next().map(|words| words.display().into_owned()).unwrap_or_default(),
        Kind::MultiChoice => listed(words, picks, lang),
    }
}

pub fn beginning(words: &str) -> String {
    words.chars().take(TEXT).collect()
}

/// What was put aside: its name, and the answer or the words in one text, uncleaned; at most so many picks.
pub fn aside_text(question: &Question, aside: &Reply, picks: usize, lang: Lang) -> (Sentence, String) {
    match aside.typed_words() {
        Some(words) => (s::TYPED, words.to_owned()),
        None => (SaidAs::SetAside.label(), answer_text(question, aside, picks, lang)),
    }
}

pub fn short_answer(question: &Question, reply: &Reply, lang: Lang) -> String {
    beginning(&answer_text(question, reply, PICKS, lang))
}
