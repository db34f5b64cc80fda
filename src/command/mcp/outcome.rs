//! What a call gives: an object, and the same in words for clients that show only text.

use crate::ask::json::{Item, Json, Kind};
use crate::ask::{Answer, AnswerSpec, JsString, Problem, object, to_line};
use crate::command::output::Problems;
use crate::text::Lang;
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What `ask_author` gives.
#[derive(Serialize, JsonSchema)]
pub(super) struct AskOutput {
    /// answered: the author has answered. waiting: not yet; call `wait_gate` with the gate. declined: the author wants to answer in
    /// the client's own conversation.
    #[schemars(extend("enum" = ["answered", "waiting", "declined"]))]
    pub(super) status: &'static str,
    /// The same in a sentence, and what to do next.
    pub(super) message: String,
    /// The gate that stands for the questions: the path of its packet.
    pub(super) gate: String,
    #[serde(flatten)]
    pub(super) given: Given,
}

/// What `wait_gate` gives.
#[derive(Serialize, JsonSchema)]
pub(super) struct WaitOutput {
    /// open: there are valid answers. waiting: not yet; call `wait_gate` again. blocked: the record is invalid, and the author
    /// must repair it. malformed: the packet cannot be used.
    #[schemars(extend("enum" = ["open", "waiting", "blocked", "malformed"]))]
    pub(super) status: &'static str,
    /// The same in a sentence, and what to do next.
    pub(super) message: String,
    /// Where the record is, or is to be; null without one, and for answers that were handed over before.
    pub(super) record_path: Option<String>,
    #[serde(flatten)]
    pub(super) given: Given,
    /// Why the record or the packet cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problems: Option<Problems>,
}

/// What the author has given.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Given {
    /// The answers by question id: a string, for `multi_choice` a list. What was left blank has no member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, Answer>>")]
    answers: Option<Box<RawValue>>,
    /// What the author wrote beside answers, by question id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    notes: Option<Box<RawValue>>,
}

impl Given {
    pub(super) fn of(record: &AnswerSpec) -> Given {
        let notes = &record.notes;
        Given {
            answers: Some(object(record.answers.iter().map(|(id, answer)| (id, answer)))),
            notes: (!notes.is_empty()).then(|| object(notes.iter().map(|(id, note)| (id, note)))),
        }
    }
}

pub(super) fn problems(problems: &[Problem], lang: Lang) -> Option<Problems> {
    (!problems.is_empty()).then(|| Problems::of(problems, lang))
}

pub(super) fn success(output: &impl Serialize) -> CallToolResult {
    printed(&to_line(output))
}

/// The same of an object that is JSON on a line. Some clients' models see only the object, others only the text.
pub(super) fn printed(line: &str) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(line)]);
    result.structured_content = Json::parse(line.as_bytes()).ok().map(|json| value(json.root()));
    result
}

/// The call could not be done; the client's model reads why.
pub(super) fn failure(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// JSON as the protocol's library holds it, which has no lone surrogates.
fn value(item: Item<'_>) -> Value {
    match item.kind() {
        Kind::Object => {
            let member = |(key, item): (JsString, Item<'_>)| (key.lossy().into_owned(), value(item));
            Value::Object(item.entries().into_iter().map(member).collect::<Map<_, _>>())
        }
        Kind::Array => Value::Array(item.elements().map(value).collect()),
        Kind::String => Value::String(item.string().unwrap_or_default().lossy().into_owned()),
        Kind::Null | Kind::Boolean | Kind::Number => serde_json::from_str(item.source()).unwrap_or_default(),
    }
}
