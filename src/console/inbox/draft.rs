//! What the author has answered and not submitted, as it is kept.

use crate::ask::{AnswerSpec, QuestionSpec};
use crate::console::draw::answer::{PICKS, aside_text, beginning, is_answered, short_answer};
use crate::console::draw::sheet::Sheet;
use crate::console::model::SavedDraft;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Sentence, say};

/// Writes every answer, whatever was typed beside it, and what fits no more; `record` is the valid one that lies there.
pub(crate) fn write(
    spec: &QuestionSpec,
    draft: &SavedDraft,
    record: Option<&AnswerSpec>,
    sheet: &mut Sheet<'_>,
) {
    let lang = sheet.lang;
    // What the record says too is in it.
    let submitted = record.is_some_and(|record| record.answers == draft.draft.answers(spec));
    let answered = !submitted && draft.draft.progress().answered > 0;
    sheet.heading(if answered { s::YOUR_DRAFT } else { s::KEPT_BESIDE });
    let write = |header: &str, label: Option<Sentence>, words: &str, sheet: &mut Sheet<'_>| {
        let label =
            label.map(|label| say(" ({0})", "（{0}）").fill(lang, &[label.text(lang)])).unwrap_or_default();
        sheet.named(Role::Warn, "◐ ", &format!("{header}{label}"), &beginning(words));
    };
    for (question, reply) in spec.questions.iter().zip(&draft.draft.replies) {
        let header = question.header.display();
        if answered && reply.is_authors() && is_answered(question, reply) {
            write(&header, None, &short_answer(question, reply, lang), sheet);
        }
        let noted = record.is_some_and(|record| {
            record.notes.iter().any(|(id, note)| *id == *question.id && *note == reply.note)
        });
        if !noted && !reply.prefilled && !reply.note.is_blank() {
            write(&header, Some(s::NOTE), &reply.note.display(), sheet);
        }
        if !reply.other.trim().is_empty() {
            write(&header, Some(s::TYPED), &reply.other, sheet);
        }
        for aside in reply.asides() {
            let (label, words) = aside_text(question, aside, PICKS, lang);
            write(&header, Some(label), &words, sheet);
        }
    }
    for orphan in &draft.orphans {
        let question = orphan.id.as_str().and_then(|id| spec.find(id)).map(|(_, question)| &question.header);
        let header = question.unwrap_or(&orphan.id).display();
        write(&header, Some(s::NO_LONGER_FITS), &orphan.words.display(), sheet);
    }
    if record.is_some() {
        sheet.say(Role::Dim, if answered { s::DRAFT_LATE } else { s::KEPT_BESIDE_MEANS });
    }
}
