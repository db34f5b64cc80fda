//! What the author has given in place of an answer: the same lines in the details, in the form, in the history and on their pages.

use super::draw::sheet::Sheet;
use super::model::Model;
use super::sentences as s;
use super::theme::Role;
use crate::ask::{JsString, QuestionSpec};
use crate::store::clock::{local_time_of, time_of};
use crate::store::rounds::{Delivered, SentBack};
use crate::text::{Sentence, say};
use std::time::Duration;

/// Characters of a reason that are shown beside other things; its page shows all.
const SHOWN: usize = 600;
/// After so long it is said that nobody comes.
const LONG: Duration = Duration::from_hours(7 * 24);

const HOLDS: Sentence = say("You sent this back, {0}:", "你{0}退回了这一步：");
const HAS_CHANGED: Sentence =
    say("You sent this back, {0}; it has changed since:", "你{0}退回过这一步，之后有改动：");

/// Writes when it was sent back, and why; `holds` while what was refused is as it was.
pub(super) fn write(model: &Model, sent: &SentBack, spec: &QuestionSpec, holds: bool, sheet: &mut Sheet<'_>) {
    let ago = time_of(&sent.at).map(|then| model.ago(then)).unwrap_or_default();
    let says = if holds { HOLDS } else { HAS_CHANGED };
    sheet.marked(Role::Warn, "↩ ", Role::Warn, &says.fill(sheet.lang, &[&ago]));
    write_why(sent.choice.as_ref(), sent.does_not_apply.as_deref(), &sent.reason, spec, sheet);
}

/// Writes the label, the question that does not apply, and the reason, as far as each was given.
pub(super) fn write_why(
    choice: Option<&JsString>,
    does_not_apply: Option<&str>,
    reason: &JsString,
    spec: &QuestionSpec,
    sheet: &mut Sheet<'_>,
) {
    if let Some(choice) = choice {
        sheet.text(Role::Warn, &choice.display(), 2);
    }
    if let Some(id) = does_not_apply {
        let header = spec.find(id).map_or_else(|| id.into(), |(_, question)| question.header.display());
        sheet.text(Role::Text, &s::DOES_NOT_APPLY.fill(sheet.lang, &[&header]), 2);
    }
    let words = reason.display();
    match words.char_indices().nth(SHOWN).filter(|_| !sheet.whole) {
        Some((end, _)) => sheet.text(Role::Text, &format!("{}…", &words[..end]), 2),
        None if words.trim().is_empty() => {}
        None => sheet.text(Role::Text, &words, 2),
    }
}

/// Writes who has fetched it last, on a page of its own each time; or that nobody has.
pub(super) fn write_delivered(
    model: &Model,
    sent: &SentBack,
    delivered: &[Delivered],
    sheet: &mut Sheet<'_>,
) {
    let (now, lang) = (model.local_now(), sheet.lang);
    let first = if sheet.whole { 0 } else { delivered.len().saturating_sub(1) };
    for delivered in &delivered[first..] {
        let at = local_time_of(&delivered.at, &now, lang);
        let words = say("Fetched by {0}, {1}.", "{0} 已取走，{1}。").fill(lang, &[&delivered.by, &at]);
        sheet.marked(Role::Good, "✓ ", Role::Text, &words);
    }
    if !delivered.is_empty() {
        return;
    }
    let age = time_of(&sent.at).and_then(|then| model.now.duration_since(then).ok());
    if age.is_some_and(|age| age >= LONG) {
        let says = say(
            "Nobody has fetched it for so long: is an executor at work on this book?",
            "执行器这么久都没有来取：有执行器在写这本书吗？",
        );
        return sheet.marked(Role::Warn, "▲ ", Role::Warn, says.text(lang));
    }
    sheet.say(Role::Dim, say("Nobody has fetched it yet.", "执行器还没有来取。"));
}
