//! Codex's `request_user_input`: its input and its output.
//!
//! Responsible for the tool's JSON both ways. Not responsible for which questions and entries it carries
//! (`adapter`, `screen`).

use super::fault::{Fault, INVALID_REPLY};
use super::header;
use super::profile::Profile;
use super::take::Given;
use super::tool::{Heard, Shown, strings};
use crate::ask::json::{Item, Kind};
use crate::ask::object::list;
use crate::ask::{JsString, Object};
use crate::text::{Lang, say};

/// The tool's input.
pub fn input(shown: &[Shown<'_>], lang: Lang) -> String {
    let questions = shown.iter().map(|shown| question(shown, lang));
    Object::new().raw("questions", &list(questions)).finish()
}

/// One question of the tool's input.
pub fn question(shown: &Shown<'_>, lang: Lang) -> String {
    Object::new()
        .text("id", &shown.question.id)
        .text("header", &header::cut(&shown.question.header))
        .js("question", &shown.screen.text)
        .raw("options", &shown.options(lang))
        .finish()
}

/// Reads the tool's output: for each question what came back, in their order; and the notes that are no answers.
///
/// # Errors
/// It has another shape.
pub fn hear(output: Item<'_>, shown: &[Shown<'_>], profile: &Profile) -> Result<(Heard, Vec<Note>), Fault> {
    let wrong = |pointer: String| {
        let sentence = say(
            "Expected {\"answers\": {ID: {\"answers\": [LABEL, …]}}}.",
            "应为 {\"answers\": {ID: {\"answers\": [LABEL, …]}}}。",
        );
        Fault::new(INVALID_REPLY, sentence, &[]).at(pointer)
    };
    let answers = output.get("answers").filter(|answers| answers.kind() == Kind::Object);
    let answers = answers.ok_or_else(|| wrong("/output/answers".to_owned()))?;
    let (mut heard, mut notes) = (Vec::new(), Vec::new());
    for (place, shown) in shown.iter().enumerate() {
        let id = &shown.question.id;
        let labels = match answers.get(id) {
            None => Vec::new(),
            Some(answer) => answer
                .get("answers")
                .and_then(strings)
                .ok_or_else(|| wrong(format!("/output/answers/{id}/answers")))?,
        };
        let (given, note) = given(&labels, profile);
        heard.push(given);
        notes.extend(note.map(|text| Note { place, text }));
    }
    Ok((Heard::Given(heard), notes))
}

/// Words beside a choice: the author's remark, not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Which of the asked questions it stands at.
    pub place: usize,
    /// The words.
    pub text: JsString,
}

fn given(labels: &[JsString], profile: &Profile) -> (Given, Option<JsString>) {
    let prefix = profile.note_prefix.unwrap_or_default();
    let (mut chosen, mut words, mut refused) = (Vec::new(), None, false);
    for label in labels {
        let trimmed = label.trimmed();
        if let Some(typed) = label.without_prefix(prefix) {
            words = Some(typed.trimmed()).filter(|typed| !typed.is_empty()).or(words);
        } else if profile.none_labels.iter().any(|none| trimmed == *none) {
            refused = true;
        } else if !trimmed.is_empty() {
            chosen.push(label.clone());
        }
    }
    match (chosen.is_empty(), refused, words) {
        (true, _, Some(words)) => (Given::Typed(words), None),
        (true, true, None) => (Given::NoneOfThese, None),
        (true, false, None) => (Given::Nothing, None),
        (false, true, words) => (Given::Contradictory, words),
        (false, false, words) => (Given::Chosen(chosen), words),
    }
}
