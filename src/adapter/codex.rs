//! Codex's `request_user_input`: its input and its output.

use super::fault::{Fault, INVALID_REPLY};
use super::header;
use super::profile::Profile;
use super::question::{QuestionReply, ShownQuestion, strings};
use super::screens::ToolOption;
use crate::ask::JsString;
use crate::ask::json::{Item, Kind};
use crate::text::{Lang, say};
use serde::Serialize;

/// One question of the tool's input.
#[derive(Serialize)]
pub struct InputQuestion {
    id: String,
    header: String,
    question: JsString,
    options: Vec<ToolOption>,
}

impl InputQuestion {
    pub(super) fn of(shown: &ShownQuestion<'_>, lang: Lang) -> InputQuestion {
        InputQuestion {
            id: shown.question.id.clone(),
            header: header::cut(&shown.question.header),
            question: shown.screen.text.clone(),
            options: shown.screen.options(shown.question, lang),
        }
    }
}

/// What came back for each question, in their order, and the author's words beside choices, by the place of the question.
type Output = (Option<Vec<QuestionReply>>, Vec<(usize, JsString)>);

/// Reads the tool's output.
///
/// # Errors
/// It has another shape.
pub fn read(output: Item<'_>, shown: &[ShownQuestion<'_>]) -> Result<Output, Fault> {
    let wrong = |pointer: String| {
        let sentence = say(
            "Expected {\"answers\": {ID: {\"answers\": [LABEL, …]}}}.",
            "应为 {\"answers\": {ID: {\"answers\": [LABEL, …]}}}。",
        );
        Fault::new(INVALID_REPLY, sentence, &[]).at(pointer)
    };
    let answers = output.get("answers").filter(|answers| answers.kind() == Kind::Object);
    let answers = answers.ok_or_else(|| wrong("/output/answers".to_owned()))?;
    let (mut replies, mut notes) = (Vec::new(), Vec::new());
    for (place, shown) in shown.iter().enumerate() {
        let id = &shown.question.id;
        let labels = match answers.get(id) {
            None => Vec::new(),
            Some(answer) => answer
                .get("answers")
                .and_then(strings)
                .ok_or_else(|| wrong(format!("/output/answers/{id}/answers")))?,
        };
        let (reply, note) = question_reply(&labels, shown.profile);
        replies.push(reply);
        notes.extend(note.map(|text| (place, text)));
    }
    Ok((Some(replies), notes))
}

fn question_reply(labels: &[JsString], profile: &Profile) -> (QuestionReply, Option<JsString>) {
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
        (true, _, Some(words)) => (QuestionReply::Typed(words), None),
        (true, true, None) => (QuestionReply::NoneOfThese, None),
        (true, false, None) => (QuestionReply::Nothing, None),
        (false, true, words) => (QuestionReply::Contradictory, words),
        (false, false, words) => (QuestionReply::Chosen(chosen), words),
    }
}
