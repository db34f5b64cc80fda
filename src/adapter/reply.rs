//! One line of a replies file: what came back from a call.
//!
//! Responsible for reading it strictly and for writing it on one line. Not responsible for what it means (`adapter`)
//! nor for the file (`store`).

use super::fault::{Fault, INVALID_REPLY};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::{JsString, Object};
use crate::text::say;

/// What came back from a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReply {
    /// Which call it answers.
    pub call: String,
    /// What was said.
    pub said: Said,
}

/// What was said in reply to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The tool's output, as JSON on one line.
    Output(String),
    /// A message.
    Text(JsString),
    /// Esc; the call was cancelled, declined or timed out.
    Escape,
    /// The tool cannot be called here.
    Unavailable,
    /// The gate has a record with this SHA-256, made of these answers or of others. It closes the dialogue: whoever asks
    /// again, because that record was removed, asks from the beginning. Only the program itself says so.
    Written(JsString),
}

const SHAPE: crate::text::Sentence = say(
    "Expected an object with \"call\" and one of \"output\", \"text\", \"escape\": true, \"unavailable\": true.",
    "应为一个对象，含 \"call\" 以及 \"output\"、\"text\"、\"escape\": true、\"unavailable\": true 之一。",
);

impl Said {
    /// A tool's output; its white space says nothing.
    ///
    /// # Errors
    /// It is not JSON, or names a key twice.
    pub fn output(bytes: &[u8]) -> Result<Said, Fault> {
        let json = Json::parse(bytes).map_err(|error| Fault::syntax(&error))?;
        match json.root().repeated_key() {
            Some(twice) => Err(Fault::repeated_key(&twice.key, json.position(twice.offset))),
            None => Ok(Said::Output(json.root().compact())),
        }
    }
}

impl CallReply {
    /// Reads one reply.
    ///
    /// # Errors
    /// It is not JSON, names a key twice, or is no reply.
    pub fn read(bytes: &[u8]) -> Result<CallReply, Fault> {
        let json = Json::parse(bytes).map_err(|error| Fault::syntax(&error))?;
        let root = json.root();
        if let Some(twice) = root.repeated_key() {
            return Err(Fault::repeated_key(&twice.key, json.position(twice.offset)));
        }
        if root.kind() != Kind::Object {
            return Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at(""));
        }
        let call = root.get("call").and_then(Item::string);
        let Some(call) = call.and_then(|call| call.as_str().map(str::to_owned)) else {
            return Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at("/call"));
        };
        let mut said = Vec::new();
        for (key, value) in root.entries() {
            let here = || Fault::new(INVALID_REPLY, SHAPE, &[]).at(format!("/{}", key.display()));
            said.push(match (key.as_str(), value.string()) {
                (Some("call"), _) => continue,
                (Some("output"), _) => Said::Output(value.compact()),
                (Some("text"), Some(text)) => Said::Text(text),
                (Some("written"), Some(hash)) => Said::Written(hash),
                (Some("escape"), _) if value.boolean() == Some(true) => Said::Escape,
                (Some("unavailable"), _) if value.boolean() == Some(true) => Said::Unavailable,
                _ => return Err(here()),
            });
        }
        match said.pop() {
            Some(said_last) if said.is_empty() => Ok(CallReply { call, said: said_last }),
            _ => Err(Fault::new(INVALID_REPLY, SHAPE, &[]).at("")),
        }
    }

    /// The reply on one line, without a line end.
    pub fn to_json(&self) -> String {
        let object = Object::new().text("call", &self.call);
        let object = match &self.said {
            Said::Output(json) => object.raw("output", json),
            Said::Text(text) => object.js("text", text),
            Said::Escape => object.boolean("escape", true),
            Said::Unavailable => object.boolean("unavailable", true),
            Said::Written(hash) => object.js("written", hash),
        };
        object.finish()
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
            let place = fault.at.as_ref().map(ToString::to_string);
            assert_eq!((fault.code, place.as_deref()), (code, Some(at)), "{line}");
        }
    }
}
