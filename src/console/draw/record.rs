//! A record on a page: what it answers, and its text.

use crate::ask::draft::IS_DEFAULT;
use crate::ask::{Answer, AnswerSpec, Gate, Question};
use crate::console::draw::answer::meaning;
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::Lang;

/// Questions that are listed; the rest is in the form.
pub(crate) const QUESTIONS_SHOWN: usize = 200;
/// Characters of a broken file that are shown; the rest is in the file.
const FILE_SHOWN: usize = 32_000;

/// What a record answers to each question, defaults marked by the ids of their questions; of an answer at most so many
/// characters.
pub(crate) fn write_answers(
    gate: &Gate,
    record: &AnswerSpec,
    defaults: &[String],
    most: usize,
    sheet: &mut Sheet<'_>,
) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let questions = gate.spec.questions.iter().take(QUESTIONS_SHOWN);
    let header = |question: &Question| line(theme[Role::Dim], &question.header.display()).fit_middle(16);
    let column = questions.clone().map(|question| header(question).cells()).max().unwrap_or(0);
    for question in questions {
        let first = Line::default().gap(2).join(header(question)).to_column(column + 4);
        match record.answers.iter().find(|(id, _)| *id == question.id) {
            Some((_, answer)) => {
                let words = answer_words(answer, most, lang);
                let is_default = defaults.contains(&question.id);
                let words = if is_default { IS_DEFAULT.fill(lang, &[&words]) } else { words };
                sheet.meant(&first, Role::Text, &words, meaning_of(question, answer).as_deref());
            }
            None => sheet.beside(&first, Role::Dim, s::NOT_ANSWERED.text(lang)),
        }
        write_note(question, record, most, column + 4, sheet);
    }
}

/// What the option means that alone is chosen.
pub(crate) fn meaning_of(question: &Question, answer: &Answer) -> Option<String> {
    match answer.values() {
        [value] => meaning(question, value),
        _ => None,
    }
}

/// What the author wrote beside an answer, at most so many characters of it.
pub(crate) fn write_note(
    question: &Question,
    record: &AnswerSpec,
    most: usize,
    column: usize,
    sheet: &mut Sheet<'_>,
) {
    if let Some((_, note)) = record.notes.iter().find(|(id, _)| id.as_str() == Some(question.id.as_str())) {
        let words = answer_words(&Answer::One(note.clone()), most, sheet.lang);
        sheet.text(Role::Dim, &s::NOTED.fill(sheet.lang, &[&words]), column);
    }
}

/// An answer in one text of at most so many characters, uncleaned.
pub(crate) fn answer_words(answer: &Answer, most: usize, lang: Lang) -> String {
    shortened(&answer.shown(100, lang), most)
}

pub(crate) fn shortened(words: &str, most: usize) -> String {
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

pub(crate) fn write_text(text: &str, sheet: &mut Sheet<'_>) {
    let end = text.char_indices().nth(FILE_SHOWN).map_or(text.len(), |(at, _)| at);
    for line in text[..end].lines() {
        sheet.text(Role::Text, line, 2);
    }
    if end < text.len() {
        sheet.text(Role::Dim, s::REST_IN_FILE.text(sheet.lang), 2);
    }
}
