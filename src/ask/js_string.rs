//! The string of the executors' world: JavaScript's, which may hold lone surrogates.
//!
//! Such strings are kept, compared and written exactly. [`JsString::display`] gives valid text, which is still hostile.

use crate::text::sanitize::mark;
use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A string of UTF-16 code units, kept as generalised UTF-8 (WTF-8): lone surrogates survive, pairs are joined.
///
/// Two of them are equal exactly when the reference's `===` says so.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsString(Vec<u8>);

impl JsString {
    pub const EMPTY: JsString = JsString(Vec::new());

    /// The text, if it holds no lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Valid text for people: each lone surrogate becomes a visible mark such as `‹U+D800›`.
    pub fn display(&self) -> Cow<'_, str> {
        self.map_surrogates(mark)
    }

    /// Valid text for files names and foreign interfaces: each lone surrogate becomes U+FFFD, as in Node.
    pub fn lossy(&self) -> Cow<'_, str> {
        self.map_surrogates(|_| "\u{fffd}".to_owned())
    }

    /// Whether nothing is left after JavaScript's `trim`.
    pub fn is_blank(&self) -> bool {
        let mut rest = self.0.as_slice();
        // Character by character, because almost every string is decided by its first.
        while let Some(length) = first_length(rest) {
            let (first, tail) = rest.split_at(length);
            if !std::str::from_utf8(first).is_ok_and(|first| first.chars().all(is_js_space)) {
                return false;
            }
            rest = tail;
        }
        true
    }

    /// The first `count` characters, a lone surrogate counting as one.
    #[must_use]
    pub fn head(&self, count: usize) -> JsString {
        let mut end = 0;
        for _ in 0..count {
            let Some(length) = first_length(&self.0[end..]) else { break };
            end += length;
        }
        JsString(self.0[..end].to_vec())
    }

    /// Length in bytes, a lone surrogate counting as three.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// JavaScript's `trim`.
    #[must_use]
    pub fn trimmed(&self) -> JsString {
        // U+FFFD is as long as the lone surrogate that it stands for.
        let text = self.lossy();
        let start = text.len() - text.trim_start_matches(is_js_space).len();
        JsString(self.0[start..start + trim_js(&text).len()].to_vec())
    }

    pub fn push(&mut self, c: char) {
        self.0.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    pub fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends another one; halves of a pair that meet join.
    pub fn append(&mut self, other: &JsString) {
        let mut rest = other.0.as_slice();
        let halves = (
            self.0.last_chunk().copied().and_then(surrogate),
            rest.first_chunk().copied().and_then(surrogate),
        );
        if let (Some(high @ ..0xDC00), Some(low @ 0xDC00..)) = halves {
            self.0.truncate(self.0.len() - 3);
            let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            self.push(char::from_u32(joined).unwrap_or('\u{fffd}'));
            rest = &rest[3..];
        }
        self.0.extend_from_slice(rest);
    }

    /// Parts in a row with a separator between them.
    pub fn joined<'p>(parts: impl IntoIterator<Item = &'p JsString>, separator: &str) -> JsString {
        let mut out = JsString::default();
        for (place, part) in parts.into_iter().enumerate() {
            out.push_str(if place == 0 { "" } else { separator });
            out.append(part);
        }
        out
    }

    /// What stands behind an ASCII prefix.
    pub fn without_prefix(&self, prefix: &str) -> Option<JsString> {
        debug_assert!(prefix.is_ascii() && !prefix.is_empty());
        self.0.strip_prefix(prefix.as_bytes()).map(|rest| JsString(rest.to_vec()))
    }

    /// The parts between ASCII separators, each trimmed.
    pub fn split_trimmed(&self, separator: char) -> Vec<JsString> {
        debug_assert!(separator.is_ascii());
        let parts = self.0.split(|&byte| char::from(byte) == separator);
        parts.map(|part| JsString(part.to_vec()).trimmed()).collect()
    }

    /// Appends one UTF-16 code unit; a low surrogate behind a high one joins it.
    pub fn push_unit(&mut self, unit: u16) {
        let code = u32::from(unit);
        match char::from_u32(code) {
            Some(c) => self.push(c),
            None => self.append(&JsString(surrogate_bytes(code).to_vec())),
        }
    }

    /// Appends the JSON form, quotes included, spelled as `JSON.stringify` spells it.
    pub fn write_json(&self, out: &mut String) {
        out.push('"');
        for chunk in self.chunks() {
            match chunk {
                Chunk::Text(text) => escape_json(text, out),
                Chunk::Surrogate(code) => out.push_str(&format!("\\u{code:04x}")),
            }
        }
        out.push('"');
    }

    fn map_surrogates(&self, replace: impl Fn(u32) -> String) -> Cow<'_, str> {
        if let Some(text) = self.as_str() {
            return Cow::Borrowed(text);
        }
        let mut out = String::new();
        for chunk in self.chunks() {
            match chunk {
                Chunk::Text(text) => out.push_str(text),
                Chunk::Surrogate(code) => out.push_str(&replace(code)),
            }
        }
        Cow::Owned(out)
    }

    /// Splits into runs of valid text and lone surrogates.
    fn chunks(&self) -> impl Iterator<Item = Chunk<'_>> {
        let mut rest = self.0.as_slice();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    rest = &[];
                    Some(Chunk::Text(text))
                }
                Err(error) if error.valid_up_to() == 0 => {
                    let code = rest.first_chunk().copied().and_then(surrogate).unwrap_or(0xFFFD);
                    rest = &rest[3..];
                    Some(Chunk::Surrogate(code))
                }
                Err(error) => {
                    let (good, tail) = rest.split_at(error.valid_up_to());
                    rest = tail;
                    Some(Chunk::Text(std::str::from_utf8(good).unwrap_or_default()))
                }
            }
        })
    }
}

/// Length in bytes of the first character or lone surrogate.
fn first_length(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    Some(length.min(bytes.len()))
}

enum Chunk<'a> {
    Text(&'a str),
    Surrogate(u32),
}

/// The lone surrogate that these bytes stand for.
fn surrogate([first, second, third]: [u8; 3]) -> Option<u32> {
    let code = 0xD000 + ((u32::from(second) & 0x3F) << 6) + (u32::from(third) & 0x3F);
    (first == 0xED && second >= 0xA0).then_some(code)
}

fn surrogate_bytes(code: u32) -> [u8; 3] {
    // The three-byte pattern that UTF-8 would use if surrogates were scalar values.
    let low = |value: u32| u8::try_from(value & 0x3F).unwrap_or_default() | 0x80;
    [0xED, low(code >> 6), low(code)]
}

/// What JavaScript's `trim` removes: Unicode white space without U+0085, and U+FEFF.
pub fn is_js_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

pub fn trim_js(text: &str) -> &str {
    text.trim_matches(is_js_space)
}

/// Appends `text` as the inside of a JSON string.
pub fn escape_json(text: &str, out: &mut String) {
    if !text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        return out.push_str(text);
    }
    let literal = serde_json::Value::from(text).to_string();
    out.push_str(&literal[1..literal.len() - 1]);
}

/// A number as JavaScript spells it: plain digits below 10^21, an exponent from there on.
pub fn js_number(number: f64) -> String {
    if number.abs() < 1e21 { number.to_string() } else { format!("{number:e}").replace('e', "e+") }
}

pub fn as_js_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    raw(js_number(*number)).serialize(serializer)
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        JsString(text.as_bytes().to_vec())
    }
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        JsString(text.into_bytes())
    }
}

impl PartialEq<str> for JsString {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for JsString {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

/// A value that is JSON already.
pub fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// As `JSON.stringify` spells it, lone surrogates as escapes. Not as a key of a map: there only UTF-8 can stand.
impl Serialize for JsString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_str() {
            return serializer.serialize_str(text);
        }
        let mut json = String::new();
        self.write_json(&mut json);
        raw(json).serialize(serializer)
    }
}

/// Of UTF-8 input: `serde_json` hands escaped lone surrogates over as the bytes that are kept here.
impl<'de> Deserialize<'de> for JsString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsString, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = JsString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<JsString, E> {
                Ok(JsString(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl schemars::JsonSchema for JsString {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsString".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.display(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(units: &[u16]) -> JsString {
        let mut out = JsString::default();
        for &unit in units {
            out.push_unit(unit);
        }
        out
    }

    #[test]
    fn pairs_join_and_lone_surrogates_stay() {
        assert_eq!(units(&[0xD83D, 0xDE00]), JsString::from("😀"));
        let lone = units(&[0x61, 0xD800, 0x62, 0xDC00]);
        assert_eq!(lone.display(), "a‹U+D800›b‹U+DC00›");
        let mut json = String::new();
        lone.write_json(&mut json);
        assert_eq!(json, "\"a\\ud800b\\udc00\"");
        assert_ne!(lone, units(&[0x61, 0xD801, 0x62, 0xDC00]));
        let mut joined = units(&[0x61, 0xD83D]);
        joined.append(&units(&[0xDE00, 0x62, 0xD800]));
        assert_eq!(joined, units(&[0x61, 0xD83D, 0xDE00, 0x62, 0xD800]));
        assert_eq!(lone.lossy(), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn blank_is_javascripts_blank() {
        assert!(JsString::from("\u{feff}\u{3000} \n").is_blank());
        assert!(!JsString::from("\u{85}").is_blank());
        assert!(!JsString::from("\u{200b}").is_blank());
        assert!(!units(&[0xD800]).is_blank());
        assert_eq!(JsString::from("\u{feff}\u{85} ").trimmed(), JsString::from("\u{85}"));
        assert_eq!(units(&[0x20, 0xD800, 0x20]).trimmed(), units(&[0xD800]));
    }

    #[test]
    fn json_is_spelled_as_stringify_spells_it() {
        let mut out = String::new();
        JsString::from("\"\\\u{8}\u{c}\n\r\t\u{1}\u{7f}/é").write_json(&mut out);
        assert_eq!(out, "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\u{7f}/é\"");
    }
}
