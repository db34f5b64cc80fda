//! JSON as novel-gate prints it.

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use std::io::{self, Write};

/// A value on one line, with a space behind each comma and colon. What cannot be JSON, such as a map whose keys are no
/// strings, is `null`; no type here has such a value.
pub fn to_line(value: &(impl Serialize + ?Sized)) -> String {
    let mut out = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, OneLine));
    let text = written.ok().and_then(|()| String::from_utf8(out).ok());
    text.unwrap_or_else(|| "null".to_owned())
}

/// An object whose members' names may hold lone surrogates, which no map of `serde` can.
pub fn object<K: Serialize, V: Serialize>(members: impl IntoIterator<Item = (K, V)>) -> Box<RawValue> {
    let member = |(name, value): (K, V)| format!("{}: {}", to_line(&name), to_line(&value));
    raw(format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(", ")))
}

/// A value as a part of a larger one.
pub fn to_raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    raw(to_line(value))
}

/// A value that is JSON already.
pub fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

struct OneLine;

impl OneLine {
    fn comma<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}

impl Formatter for OneLine {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::comma(writer, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::comma(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::JsString;

    #[test]
    fn values_stand_on_one_line_with_lone_surrogates_as_escapes() {
        let mut lone = JsString::from("雨");
        lone.push_unit(0xD800);
        let value = serde_json::json!({"a": [1, {"b": null}], "c": {}});
        assert_eq!(to_line(&value), r#"{"a": [1, {"b": null}], "c": {}}"#);
        assert_eq!(to_line(&[lone.clone(), "x\u{7f}\n".into()]), "[\"雨\\ud800\", \"x\u{7f}\\n\"]");
        assert_eq!(serde_json::from_str::<Vec<JsString>>(r#"["雨\ud800"]"#).expect("a list"), [lone]);
        assert_eq!(serde_json::from_str::<JsString>(r#""\ud83d\ude00é""#).expect("a string"), "😀é");
    }
}
