//! Calls and the replies to them: what a call carries, what it is called, what came back, and what is wrong with an input that
//! is malformed or misplaced. An answer that is not accepted is no fault: it is asked again.
//!
//! A call's name is a hash over everything that has led to it, so that a reply belongs to exactly one state of a dialogue.

use super::profile::{OnEscape, Profile};
use super::screens::QuestionScreen;
use crate::ask::json::{Json, Kind};
use crate::ask::problem::quoting_parts;
use crate::ask::syntax::{SyntaxError, SyntaxKind};
use crate::ask::{JsString, QuestionSpec, to_line};
use crate::text::{Message, Sentence, say};
use sha2::{Digest, Sha256};

/// What a call asks; questions by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Questions for the dialog tool, each with its screen.
    Tool(Vec<(usize, QuestionScreen)>),
    /// Free text, by a plain message.
    Message(usize),
    Contract(Vec<usize>),
}

/// The hash over everything that has led to a call.
#[derive(Clone, Debug)]
pub struct Chain {
    seq: usize,
    digest: [u8; 32],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReply {
    pub call: String,
    pub body: ReplyBody,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyBody {
    /// The tool's output, as JSON on one line.
    Output(String),
    Text(JsString),
    /// Esc; the call was cancelled, declined or timed out.
    Escape,
    /// The tool cannot be called here.
    Unavailable,
    /// The gate has a record with this SHA-256, made of these answers or of others. It closes the dialogue: whoever asks
    /// again, because that record was removed, asks from the beginning. Only the program itself says so.
    Written(JsString),
}

const SHAPE: Sentence = say(
    "Expected an object with \"call\" and one of \"output\", \"text\", \"escape\": true, \"unavailable\": true.",
    "应为一个对象，含 \"call\" 以及 \"output\"、\"text\"、\"escape\": true、\"unavailable\": true 之一。",
);

impl ReplyBody {
    /// A tool's output; its white space says nothing. An error if it is not JSON or names a key twice.
    pub fn output(bytes: &[u8]) -> Result<ReplyBody, Fault> {
        parse(bytes).map(|json| ReplyBody::Output(json.root().compact()))
    }
}

/// JSON that names no key twice.
fn parse(bytes: &[u8]) -> Result<Json<'_>, Fault> {
    let json = Json::parse(bytes).map_err(|error| Fault::syntax(&error))?;
    match json.root().repeated_key() {
        Some(twice) => Err(Fault::repeated_key(&twice.key, json.position(twice.offset))),
        None => Ok(json),
    }
}

impl CallReply {
    pub fn read(bytes: &[u8]) -> Result<CallReply, Fault> {
        let json = parse(bytes)?;
        let root = json.root();
        if root.kind() != Kind::Object {
            return Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at(""));
        }
        let Some(call) = root.text("call").and_then(|call| call.as_str().map(str::to_owned)) else {
            return Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at("/call"));
        };
        let mut bodies = Vec::new();
        for (key, value) in root.entries() {
            let here = || Fault::new(INVALID_REPLY, SHAPE, &[]).at(format!("/{}", key.display()));
            bodies.push(match (key.as_str(), value.string()) {
                (Some("call"), _) => continue,
                (Some("output"), _) => ReplyBody::Output(value.compact()),
                (Some("text"), Some(text)) => ReplyBody::Text(text),
                (Some("written"), Some(hash)) => ReplyBody::Written(hash),
                (Some("escape"), _) if value.boolean() == Some(true) => ReplyBody::Escape,
                (Some("unavailable"), _) if value.boolean() == Some(true) => ReplyBody::Unavailable,
                _ => return Err(here()),
            });
        }
        match bodies.pop() {
            Some(body) if bodies.is_empty() => Ok(CallReply { call, body }),
            _ => Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at("")),
        }
    }

    /// The reply on one line, without a line end.
    pub fn to_json(&self) -> String {
        let (key, value) = match &self.body {
            ReplyBody::Output(json) => ("output", json.clone()),
            ReplyBody::Text(text) => ("text", to_line(text)),
            ReplyBody::Escape => ("escape", "true".to_owned()),
            ReplyBody::Unavailable => ("unavailable", "true".to_owned()),
            ReplyBody::Written(hash) => ("written", to_line(hash)),
        };
        format!("{{\"call\": {}, \"{key}\": {value}}}", to_line(&self.call))
    }
}

impl Request {
    /// Places of the questions, in the order in which they are asked.
    pub fn places(&self) -> Vec<usize> {
        match self {
            Request::Tool(shown) => shown.iter().map(|(place, _)| *place).collect(),
            Request::Message(place) => vec![*place],
            Request::Contract(places) => places.clone(),
        }
    }
}

impl Chain {
    /// Before the first reply.
    pub fn start(spec: &QuestionSpec, profile: &Profile, policy: OnEscape) -> Chain {
        let mut text = spec.canonical();
        for option in spec.questions.iter().flat_map(|question| &question.options) {
            text.push('\0');
            option.cluster.iter().for_each(|name| text.push_str(&to_line(name)));
        }
        Chain::of_text(&text, profile, policy)
    }

    /// Before the first reply, about anything that a text stands for.
    pub fn of_text(text: &str, profile: &Profile, policy: OnEscape) -> Chain {
        let Profile { executor, max_questions, min_options, max_options, .. } = profile;
        let limits = format!("\0{}\0{max_questions}\0{min_options}\0{max_options}", executor.name());
        let hash = Sha256::new().chain_update(b"novel-gate call 1\0").chain_update(text);
        let hash = hash.chain_update(limits + "\0" + policy.name());
        Chain { seq: 0, digest: hash.finalize().into() }
    }

    /// About this, too: gates that ask the same have calls of their own.
    pub fn bind(&mut self, what: &JsString) {
        self.digest = self.digest_with(&to_line(what));
    }

    fn digest_with(&self, more: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.digest).chain_update(more).finalize().into()
    }

    pub fn add(&mut self, reply: &CallReply) {
        *self = Chain { seq: self.seq + 1, digest: self.digest_with(&reply.to_json()) };
    }

    pub fn seq(&self) -> usize {
        self.seq
    }

    pub fn call(&self) -> String {
        let head = self.digest.iter().take(6).fold(0_u64, |head, &byte| head << 8 | u64::from(byte));
        format!("c{}-{head:012x}", self.seq)
    }
}

/// A malformed or misplaced input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable name for programs.
    pub code: &'static str,
    /// Where, if it is at one place: line and column (characters), both from 1, or a JSON pointer.
    pub at: Option<String>,
    /// What was found and what was expected.
    pub message: Message,
}

/// Not JSON, or JSON that names a key twice.
pub const INVALID_JSON: &str = "invalid_json";
/// JSON, but not a reply, or not one to this call.
pub const INVALID_REPLY: &str = "invalid_reply";
/// A reply to another call.
pub const STALE_REPLY: &str = "stale_reply";
/// A reply to a dialogue that has ended.
pub const REPLY_AFTER_END: &str = "reply_after_end";

impl Fault {
    /// A fault at no single place.
    pub fn new(code: &'static str, sentence: Sentence, parts: &[&str]) -> Fault {
        Fault { code, at: None, message: quoting_parts(sentence, parts) }
    }

    #[must_use]
    pub fn at(self, pointer: impl Into<String>) -> Fault {
        Fault { at: Some(pointer.into()), ..self }
    }

    #[must_use]
    pub fn at_position(self, line: usize, column: usize) -> Fault {
        Fault { at: Some(format!("{line}:{column}")), ..self }
    }

    /// A text that is not JSON.
    pub fn syntax(error: &SyntaxError) -> Fault {
        let sentence = match error.kind {
            SyntaxKind::Empty => say("There is only white space.", "除了空白什么都没有。"),
            SyntaxKind::End => say("The JSON stops inside a value.", "JSON 在一个值中间中断了。"),
            SyntaxKind::Trailing(_) => {
                say("There is something after the JSON value.", "JSON 值的后面还有别的内容。")
            }
            _ => say("This is not JSON.", "这不是 JSON。"),
        };
        Fault::new(INVALID_JSON, sentence, &[]).at_position(error.line, error.column)
    }

    /// A key that appears twice in one object, with the line and column of its second mention.
    pub fn repeated_key(key: &JsString, (line, column): (usize, usize)) -> Fault {
        let sentence = say("The key {0} appears twice in one object.", "键 {0} 在同一个对象里出现了两次。");
        Fault::new(INVALID_JSON, sentence, &[&key.display()]).at_position(line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_written() {
        for line in [
            r#"{"call": "c0-a", "output": {"answers":{"a":["b"," c"]}}}"#,
            r#"{"call": "c1-b", "text": "第一行\n第二行"}"#,
            r#"{"call": "c1-b", "escape": true}"#,
            r#"{"call": "c1-b", "unavailable": true}"#,
            r#"{"call": "c1-b", "written": "0a1b"}"#,
        ] {
            assert_eq!(CallReply::read(line.as_bytes()).expect("a reply").to_json(), line);
        }
        let spaced = b"{\n \"output\" : { \"a\" : [ 1 ] }, \"call\" : \"c\"\n}";
        assert_eq!(
            CallReply::read(spaced).expect("a reply").to_json(),
            r#"{"call": "c", "output": {"a":[1]}}"#
        );
    }

    #[test]
    fn other_input_is_refused_with_its_place() {
        for (line, code, at) in [
            ("", "invalid_json", "1:1"),
            ("Sure! {\"call\":\"c\"}", "invalid_json", "1:1"),
            ("{\"call\":\"c\",\"escape\":true} thanks", "invalid_json", "1:28"),
            ("{\"call\":\"c\",\"escape\":true,\"call\":\"d\"}", "invalid_json", "1:27"),
            ("{\"call\":\"c\",\"output\":{\"a\":1,\n\"a\":2}}", "invalid_json", "2:1"),
            ("[]", "invalid_reply", ""),
            ("{\"call\":7}", "invalid_reply", "/call"),
            ("{\"escape\":true}", "invalid_reply", "/call"),
            ("{\"call\":\"c\"}", "invalid_reply", ""),
            ("{\"call\":\"c\",\"escape\":false}", "invalid_reply", "/escape"),
            ("{\"call\":\"c\",\"text\":1}", "invalid_reply", "/text"),
            ("{\"call\":\"c\",\"note\":1,\"escape\":true}", "invalid_reply", "/note"),
            ("{\"call\":\"c\",\"text\":\"\",\"escape\":true}", "invalid_reply", ""),
        ] {
            let fault = CallReply::read(line.as_bytes()).expect_err(line);
            assert_eq!((fault.code, fault.at.as_deref()), (code, Some(at)), "{line}");
        }
    }
}
