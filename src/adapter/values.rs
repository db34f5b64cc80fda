//! Replies given as `ID=VALUE`, so that no executor has to build JSON: the call's own reply is made of the values.

use super::call::{ReplyBody, Request};
use super::fault::{Fault, INVALID_REPLY};
use super::inquiry::Inquiry;
use super::profile::Key;
use super::screens::Screen;
use crate::ask::object::js_list;
use crate::ask::{JsString, Kind, Object};
use crate::text::say;

/// A question's id and one value: a label as it was shown, or the words that were typed.
pub type Value = (String, JsString);

impl Inquiry<'_> {
    /// The reply to a call that these values make; several values of one id stand in their order.
    ///
    /// # Errors
    /// An id is not asked by this call, or a message has more than one text.
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
                let mut answers = Object::new();
                for &place in places {
                    let question = &self.spec().questions[place];
                    let values = of(values, &question.id);
                    answers = match (values.as_slice(), question.kind) {
                        ([], _) => answers,
                        (&[value], Kind::SingleChoice | Kind::FreeText) => answers.js(&question.id, value),
                        (values, _) => answers.raw(&question.id, &js_list(values.iter().copied())),
                    };
                }
                let text = Object::new().raw("answers", &answers.finish()).finish();
                Ok(ReplyBody::Text(text.into()))
            }
            Request::Tool(shown) => {
                let mut answers = Object::new();
                for (place, screen) in shown {
                    let id = &self.spec().questions[*place].id;
                    let values = of(values, id);
                    answers = match (values.as_slice(), self.profile().key) {
                        ([], _) => answers,
                        (values, Key::Id) => answers.raw(id, &self.labels(*place, screen, values)),
                        (&[value], Key::Text) => answers.js_key(&screen.text, |json| value.write_json(json)),
                        (values, Key::Text) => answers
                            .js_key(&screen.text, |json| json.push_str(&js_list(values.iter().copied()))),
                    };
                }
                let output = Object::new().raw("answers", &answers.finish()).finish();
                ReplyBody::output(output.as_bytes())
            }
        }
    }

    /// Labels as they are, shown or not, and other words as the tool would mark them.
    fn labels(&self, place: usize, screen: &Screen, values: &[&JsString]) -> String {
        let (question, profile) = (&self.spec().questions[place], self.profile());
        let labels: Vec<JsString> = values
            .iter()
            .map(|&value| {
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
            })
            .collect();
        Object::new().raw("answers", &js_list(&labels)).finish()
    }
}

/// The values of one id.
fn of<'v>(values: &'v [Value], id: &str) -> Vec<&'v JsString> {
    values.iter().filter(|(key, _)| key == id).map(|(_, value)| value).collect()
}
