//! Claude Code's `AskUserQuestion`: its input and its output.
//!
//! Responsible for the tool's JSON both ways. Not responsible for which questions and entries it carries
//! (`adapter`, `screen`). The shapes are those of `AskUserQuestionInput` and `AskUserQuestionOutput` in the published
//! types of `@anthropic-ai/claude-agent-sdk`.

use super::fault::{Fault, INVALID_REPLY};
use super::header;
use super::screen::Screen;
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
        .js("question", &shown.screen.text)
        .text("header", &header::cut(&shown.question.header))
        .boolean("multiSelect", shown.screen.multi)
        .raw("options", &shown.options(lang))
        .finish()
}

/// Reads the tool's output: for each question what came back, in their order.
///
/// # Errors
/// It has another shape.
pub fn hear(output: Item<'_>, shown: &[Shown<'_>]) -> Result<Heard, Fault> {
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
        return Ok(Heard::Escape);
    }
    let response = output.get("response").and_then(Item::string).filter(|_| shown.len() == 1);
    let mut heard = Vec::new();
    for shown in shown {
        let skipped = state(shown.screen).is_some_and(|state| state == "skipped");
        // Beside a skip stands what the model is to read, not what the author said.
        let given = match by_text(answers, shown.screen).filter(|_| !skipped) {
            Some(value) => given(value, shown.screen)?,
            None => Given::Nothing,
        };
        heard.push(match (given, &response) {
            (Given::Nothing, _) if skipped => Given::Skipped,
            (Given::Nothing, Some(words)) if !words.is_blank() => Given::Chosen(vec![words.clone()]),
            (given, _) => given,
        });
    }
    Ok(Heard::Given(heard))
}

/// The member for a question: by its text exactly, else up to outer white space.
fn by_text<'j>(object: Item<'j>, screen: &Screen) -> Option<Item<'j>> {
    let entries = object.entries();
    let exact = entries.iter().find(|(key, _)| *key == screen.text);
    let text = screen.text.trimmed();
    exact.or_else(|| entries.iter().find(|(key, _)| key.trimmed() == text)).map(|&(_, value)| value)
}

fn given(value: Item<'_>, screen: &Screen) -> Result<Given, Fault> {
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
    Ok(if blank { Given::Nothing } else { Given::Chosen(labels) })
}

/// The labels that the tool has joined with commas.
fn parts(joined: &JsString, screen: &Screen) -> Vec<JsString> {
    if screen.entries.iter().any(|entry| entry.label == *joined) {
        return vec![joined.clone()];
    }
    joined.split_trimmed(',')
}
