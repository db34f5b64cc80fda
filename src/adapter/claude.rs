//! Claude Code's `AskUserQuestion`: its input and its output.
//!
//! The shapes are those of `AskUserQuestionInput` and `AskUserQuestionOutput` in the published types of
//! `@anthropic-ai/claude-agent-sdk`.

use super::fault::{Fault, INVALID_REPLY};
use super::header;
use super::question::{QuestionReply, ShownQuestion, strings};
use super::screens::{Screen, ToolOption};
use crate::ask::JsString;
use crate::ask::json::{Item, Kind};
use crate::text::{Lang, say};
use serde::Serialize;

/// One question of the tool's input.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InputQuestion {
    question: JsString,
    header: String,
    multi_select: bool,
    options: Vec<ToolOption>,
}

impl InputQuestion {
    pub(super) fn of(shown: &ShownQuestion<'_>, lang: Lang) -> InputQuestion {
        InputQuestion {
            question: shown.screen.text.clone(),
            header: header::cut(&shown.question.header),
            multi_select: shown.screen.multi,
            options: shown.screen.options(shown.question, lang),
        }
    }
}

/// Reads the tool's output: for each question what came back, in their order; nothing if the author closed the dialog or
/// nobody was there.
///
/// # Errors
/// It has another shape.
pub fn read(output: Item<'_>, shown: &[ShownQuestion<'_>]) -> Result<Option<Vec<QuestionReply>>, Fault> {
    let answers = output.get("answers").filter(|answers| answers.kind() == Kind::Object);
    let Some(answers) = answers else {
        let sentence = say(
            "Expected an object \"answers\", by question text.",
            "应有一个以问题文本为键的对象 \"answers\"。",
        );
        return Err(Fault::new(INVALID_REPLY, sentence, &[]).at("/output/answers"));
    };
    let state = |screen: &Screen| {
        let note = output.get("annotations").and_then(|notes| by_text(notes, screen));
        note.and_then(|note| note.get("unanswered")).and_then(Item::string)
    };
    // A call that ended by itself, or that the author closed, is no answer, whatever it carries.
    let left = |state: Option<JsString>| {
        state.is_some_and(|state| state == "dismissed" || state == "replied_in_chat")
    };
    let timed_out = output.get("afkTimeoutMs").is_some_and(|value| value.kind() != Kind::Null);
    if timed_out || shown.iter().any(|shown| left(state(shown.screen))) {
        return Ok(None);
    }
    let response = output.get("response").and_then(Item::string).filter(|_| shown.len() == 1);
    let mut replies = Vec::new();
    for shown in shown {
        let skipped = state(shown.screen).is_some_and(|state| state == "skipped");
        // Beside a skip stands what the model is to read, not what the author said.
        let reply = match by_text(answers, shown.screen).filter(|_| !skipped) {
            Some(value) => question_reply(value, shown.screen)?,
            None => QuestionReply::Nothing,
        };
        replies.push(match (reply, &response) {
            (QuestionReply::Nothing, _) if skipped => QuestionReply::Skipped,
            (QuestionReply::Nothing, Some(words)) if !words.is_blank() => {
                QuestionReply::Chosen(vec![words.clone()])
            }
            (reply, _) => reply,
        });
    }
    Ok(Some(replies))
}

/// The member for a question: by its text exactly, else up to outer white space.
fn by_text<'j>(object: Item<'j>, screen: &Screen) -> Option<Item<'j>> {
    let entries = object.entries();
    let exact = entries.iter().find(|(key, _)| *key == screen.text);
    let text = screen.text.trimmed();
    exact.or_else(|| entries.iter().find(|(key, _)| key.trimmed() == text)).map(|&(_, value)| value)
}

fn question_reply(value: Item<'_>, screen: &Screen) -> Result<QuestionReply, Fault> {
    let labels = match (value.string(), value.kind()) {
        (Some(label), _) if label.is_blank() => Vec::new(),
        (Some(label), _) => {
            if screen.multi {
                parts(&label, screen)
            } else {
                vec![label]
            }
        }
        (None, Kind::Null) => Vec::new(),
        (None, _) => strings(value).ok_or_else(|| {
            let sentence = say("Expected a label or a list of labels.", "应为一个选项标签或标签列表。");
            Fault::new(INVALID_REPLY, sentence, &[]).at("/output/answers")
        })?,
    };
    let blank = labels.iter().all(JsString::is_blank);
    Ok(if blank { QuestionReply::Nothing } else { QuestionReply::Chosen(labels) })
}

/// The labels that the tool has joined with commas.
fn parts(joined: &JsString, screen: &Screen) -> Vec<JsString> {
    if screen.entries.iter().any(|entry| entry.label == *joined) {
        return vec![joined.clone()];
    }
    joined.split_trimmed(',')
}
