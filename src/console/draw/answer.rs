//! A reply in words, without building the answer.

use crate::ask::draft::SaidAs;
use crate::ask::{JsString, Kind, Question, Reply, listed};
use crate::console::draw::line::{Line, LineExt};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::{Lang, Sentence};

/// Picks of an answer and characters of a text that a page shows; the form and the file have all.
pub const PICKS: usize = 50;
const TEXT: usize = 2_000;
/// Cells from which on what a label means begins beside it.
const MEANING: usize = 8;

/// The answer in one text, uncleaned; at most so many picks of it.
pub fn answer_text(question: &Question, reply: &Reply, picks: usize, lang: Lang) -> String {
    let mut words = reply.picks.iter().filter_map(|pick| pick.value(question));
    match question.kind {
        Kind::FreeText => reply.text.display().into_owned(),
        Kind::SingleChoice => words.next().map(|words| words.display().into_owned()).unwrap_or_default(),
        Kind::MultiChoice => listed(words, picks, lang),
    }
}

/// What the option with this label means, in the packet's words.
pub fn meaning(question: &Question, label: &JsString) -> Option<String> {
    let option = question.options.iter().find(|option| option.label == *label)?;
    let words = option.description.display();
    (!words.trim().is_empty() && option.description != option.label).then(|| words.into_owned())
}

/// What a label means behind it, in so many cells, where there is room on its only row.
pub fn with_meaning(theme: &Theme, rows: &mut [Line], means: Option<&str>, cells: usize) {
    if let ([label], Some(means)) = (rows, means)
        && label.cells() + 2 + MEANING <= cells
    {
        *label = std::mem::take(label).gap(2).add(theme[Role::Dim], means).fit(cells);
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
