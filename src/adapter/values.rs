//! Replies as `ID=VALUE`, so that no executor has to build JSON: the values become the reply of the call's tool.

use super::call::{Fault, INVALID_REPLY, ReplyBody, Request};
use super::inquiry::Inquiry;
use super::profile::AnswerKey;
use super::screens::QuestionScreen;
use crate::ask::{Answer, JsString, Kind, object, to_line};
use crate::text::say;
use serde::Serialize;

/// A question's id and one value: a label as it was shown, or the words that were typed.
pub type Value = (String, JsString);

impl Inquiry<'_> {
    /// The reply to a call that these values make; several values of one id stand in their order. An error if an id is not asked
    /// by this call, or a message has more than one text.
    pub fn plain_reply(&self, request: &Request, values: &[Value]) -> Result<ReplyBody, Fault> {
        let places = request.places();
        let ids: Vec<&str> = places.iter().map(|&place| self.spec().questions[place].id.as_str()).collect();
        if let Some((id, _)) = values.iter().find(|(id, _)| !ids.contains(&id.as_str())) {
            let sentence = say("This call asks {0}, not {1}.", "这个调用问的是 {0}，不是 {1}。");
            return Err(Fault::new(INVALID_REPLY, sentence, &[&ids.join(", "), id]));
        }
        match request {
            Request::Message(_) => {
                if let [(_, text)] = values {
                    return Ok(ReplyBody::Text(text.clone()));
                }
                let sentence = say(
                    "A message is one text; if none came, reply with \"escape\".",
                    "消息应为一段文本；没有收到消息时，请以 \"escape\" 回复。",
                );
                Err(Fault::new(INVALID_REPLY, sentence, &[]))
            }
            Request::Contract(places) => {
                let answers = places.iter().filter_map(|&place| {
                    let question = &self.spec().questions[place];
                    let several = question.kind == Kind::MultiChoice;
                    Some((&question.id, answer(of(values, &question.id), several)?))
                });
                Ok(ReplyBody::Text(to_line(&object([("answers", object(answers))])).into()))
            }
            Request::Tool(screens) => {
                let answers: Vec<String> = screens
                    .iter()
                    .filter_map(|(place, screen)| {
                        let id = &self.spec().questions[*place].id;
                        let values = of(values, id);
                        Some(match self.profile().key {
                            AnswerKey::Id => {
                                let labels = compact(&answer(self.labels(*place, screen, &values), true)?);
                                format!("\"{id}\":{{\"answers\":{labels}}}")
                            }
                            AnswerKey::Text => {
                                format!("{}:{}", compact(&screen.text), compact(&answer(values, false)?))
                            }
                        })
                    })
                    .collect();
                Ok(ReplyBody::Output(format!("{{\"answers\":{{{}}}}}", answers.join(","))))
            }
        }
    }

    /// Labels as they are, shown or not, and other words as the tool would mark them.
    fn labels(&self, place: usize, screen: &QuestionScreen, values: &[JsString]) -> Vec<JsString> {
        let (question, profile) = (&self.spec().questions[place], self.profile());
        let label = |value: &JsString| {
            let trimmed = value.trimmed();
            let shown = question.option(value).is_some()
                || screen.entries.iter().any(|entry| entry.label.trimmed() == trimmed);
            let undecidable = profile.is_undecidable(value);
            let mut marked = JsString::default();
            if let Some(prefix) = profile.note_prefix.filter(|_| !shown && !undecidable) {
                marked.push_str(prefix);
                marked.push_str(" ");
            }
            marked.append(value);
            marked
        };
        values.iter().map(label).collect()
    }
}

fn of(values: &[Value], id: &str) -> Vec<JsString> {
    values.iter().filter(|(key, _)| key == id).map(|(_, value)| value.clone()).collect()
}

/// One value alone stands as it is, unless a list is wanted; none are no answer.
fn answer(mut values: Vec<JsString>, list: bool) -> Option<Answer> {
    match values.len() {
        0 => None,
        1 if !list => values.pop().map(Answer::One),
        _ => Some(Answer::Many(values)),
    }
}

/// JSON without spaces, as a tool's output is kept.
fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
