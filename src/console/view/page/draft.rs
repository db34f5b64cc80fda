//! What the author has answered and not submitted, as it is kept.

use super::answer::{answer_text, is_answered};
use super::sheet::Sheet;
use crate::ask::QuestionSpec;
use crate::console::model::SavedDraft;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::console::view::line::{LineExt, line};
use crate::text::{Sentence, say};

/// Picks of an answer and characters of a text that are shown; the form shows all.
const PICKS: usize = 50;
const TEXT: usize = 2_000;

/// Writes every answer, whatever was typed beside it, and what fits no more. `late`: a record has come first.
pub(super) fn write(spec: &QuestionSpec, draft: &SavedDraft, late: bool, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.heading(s::YOUR_DRAFT);
    let write = |header: &str, label: Option<Sentence>, words: &str, sheet: &mut Sheet<'_>| {
        let label =
            label.map(|label| say(" ({0})", "（{0}）").fill(lang, &[label.text(lang)])).unwrap_or_default();
        let first = line(sheet.theme[Role::Warn], "◐ ").add(sheet.theme[Role::Dim], header);
        let first = first.add(sheet.theme[Role::Dim], &label).gap(2);
        let words: String = words.chars().take(TEXT).collect();
        sheet.beside(&first, Role::Text, &words);
    };
    for (question, reply) in spec.questions.iter().zip(&draft.draft.replies) {
        let header = question.header.display();
        if reply.is_authors() && is_answered(question, reply) {
            write(&header, None, &answer_text(question, reply, PICKS, lang), sheet);
        }
        if !reply.prefilled && !reply.note.is_blank() {
            write(&header, Some(s::NOTE), &reply.note.display(), sheet);
        }
        if !reply.other.trim().is_empty() {
            write(&header, Some(s::TYPED), &reply.other, sheet);
        }
        for aside in &reply.alternatives {
            write(&header, Some(s::PUT_ASIDE), &answer_text(question, aside, PICKS, lang), sheet);
        }
    }
    for orphan in &draft.orphans {
        let question = orphan.id.as_str().and_then(|id| spec.find(id)).map(|(_, question)| &question.header);
        let header = question.unwrap_or(&orphan.id).display();
        write(&header, Some(s::NO_LONGER_FITS), &orphan.words.display(), sheet);
    }
    if late {
        sheet.say(Role::Dim, s::DRAFT_LATE);
    }
}
