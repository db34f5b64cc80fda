//! JSON as the executors read it, a view of text that `serde_json` has checked, and as novel-gate prints it.
//!
//! The verdict is that of `JSON.parse`: any depth, any number, lone surrogates, of equal keys the last value; bytes that are
//! not UTF-8 are read as U+FFFD; a byte order mark is no JSON. Values are slices of the text, read when they are asked for.

use super::js_string::{JsString, raw};
use super::problem::escape;
use super::syntax::{SPACE, SyntaxError, SyntaxKind, line_and_column};
use serde::Serialize;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error, Serializer};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, Write};

/// A document: text that is JSON.
#[derive(Debug)]
pub struct Json<'t> {
    text: Cow<'t, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
pub struct Item<'j> {
    text: &'j str,
    source: &'j str,
}

/// A key that appears twice in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    pub key: JsString,
    /// Byte offset of its second mention.
    pub offset: usize,
    /// JSON pointer of its value.
    pub pointer: String,
}

impl<'t> Json<'t> {
    pub fn parse(bytes: &'t [u8]) -> Result<Json<'t>, SyntaxError> {
        let text = String::from_utf8_lossy(bytes);
        if text.starts_with('\u{feff}') {
            return Err(SyntaxError { line: 1, column: 1, kind: SyntaxKind::ByteOrderMark });
        }
        match serde_json::from_str::<IgnoredAny>(&text) {
            Ok(_) => Ok(Json { text }),
            Err(error) => Err(SyntaxError::of(&text, &error)),
        }
    }

    /// Reads a document of which only the named members of the top object are wanted. The rest is checked and left out;
    /// offsets and positions count without it.
    pub fn parse_keeping(bytes: &'t [u8], keep: &[&str]) -> Result<Json<'t>, SyntaxError> {
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Self::parse(bytes);
        }
        // What is left out need not be UTF-8: it is not even looked at.
        let kept = keep_members(bytes, keep).or_else(|_| {
            let text = String::from_utf8_lossy(bytes);
            keep_members(text.as_bytes(), keep).map_err(|error| SyntaxError::of(&text, &error))
        });
        Ok(Json { text: Cow::Owned(kept?) })
    }

    /// The text, with what was not UTF-8 as U+FFFD.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub fn root(&self) -> Item<'_> {
        Item { text: &self.text, source: self.text.trim_matches(SPACE) }
    }

    /// Line and column (characters), both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.text[..self.text.floor_char_boundary(offset)])
    }
}

fn keep_members(bytes: &[u8], keep: &[&str]) -> Result<String, Error> {
    struct Keep<'k>(&'k [&'k str]);

    impl<'de> Visitor<'de> for Keep<'_> {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<String, A::Error> {
            let mut out = String::from("{");
            while let Some(key) = members.next_key::<&RawValue>()? {
                if self.0.iter().any(|name| stands_for(key.get(), name)) {
                    let value = members.next_value::<&RawValue>()?;
                    out.extend([if out.len() > 1 { "," } else { "" }, key.get(), ":", value.get()]);
                } else {
                    members.next_value::<IgnoredAny>()?;
                }
            }
            Ok(out + "}")
        }
    }

    let mut reader = Deserializer::from_slice(bytes);
    let kept = reader.deserialize_map(Keep(keep))?;
    reader.end().map(|()| kept)
}

impl<'j> Item<'j> {
    pub fn kind(self) -> Kind {
        match self.source.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The value as it is written, quotes and brackets included.
    pub fn source(self) -> &'j str {
        self.source
    }

    pub fn offset(self) -> usize {
        offset_in(self.text, self.source)
    }

    pub fn boolean(self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.source == "true")
    }

    /// The number, if it is one; too large ones are infinite, as in JavaScript.
    pub fn number(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.source.parse().ok() } else { None }
    }

    pub fn string(self) -> Option<JsString> {
        if self.kind() == Kind::String { serde_json::from_str(self.source).ok() } else { None }
    }

    pub fn is_string(self, text: &str) -> bool {
        self.kind() == Kind::String && stands_for(self.source, text)
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(self) -> impl Iterator<Item = Item<'j>> {
        let mut rest = if self.kind() == Kind::Array { &self.source[1..] } else { "" };
        std::iter::from_fn(move || self.next_inside(&mut rest))
    }

    /// Every member of an object as it is written, repeated keys included; nothing for any other value.
    pub fn members(self) -> impl Iterator<Item = (Item<'j>, Item<'j>)> {
        let mut rest = if self.kind() == Kind::Object { &self.source[1..] } else { "" };
        std::iter::from_fn(move || Some((self.next_inside(&mut rest)?, self.next_inside(&mut rest)?)))
    }

    /// Takes the next value off the inside of a container; none before its closing bracket.
    fn next_inside(self, rest: &mut &'j str) -> Option<Item<'j>> {
        let inside = rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':']);
        let mut depth = 0_usize;
        for token in tokens(inside) {
            match token {
                "{" | "[" => depth += 1,
                "}" | "]" if depth == 0 => return None,
                "}" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let (source, tail) = inside.split_at(offset_in(inside, token) + token.len());
                *rest = tail;
                return Some(Item { text: self.text, source });
            }
        }
        None
    }

    /// The members of an object: of equal keys the last value, in the place of the first.
    pub fn entries(self) -> Vec<(JsString, Item<'j>)> {
        // Few keys are compared faster than they are hashed, and almost all objects have few.
        const FEW: usize = 16;
        let mut places: HashMap<JsString, usize> = HashMap::new();
        let mut out: Vec<(JsString, Item<'j>)> = Vec::new();
        for (key, value) in self.members() {
            let Some(key) = key.string() else { continue };
            let place = match out.iter().take(FEW).position(|(known, _)| *known == key) {
                None if out.len() >= FEW => places.get(&key).copied(),
                place => place,
            };
            if let Some(place) = place {
                out[place].1 = value;
                continue;
            }
            if out.len() >= FEW {
                places.insert(key.clone(), out.len());
            }
            out.push((key, value));
        }
        out
    }

    /// The member with this key: the last one, if the key stands more than once.
    pub fn get(self, key: &str) -> Option<Item<'j>> {
        self.members().filter(|(name, _)| name.is_string(key)).last().map(|(_, value)| value)
    }

    /// The first key, here or anywhere inside, that appears twice in one object.
    pub fn repeated_key(self) -> Option<RepeatedKey> {
        #[derive(Default)]
        struct Keys {
            seen: HashSet<JsString>,
            last: JsString,
        }
        /// A million levels may be open at once, so each is small.
        enum Level {
            Array(usize),
            Object(Box<Keys>),
        }
        let mut open: Vec<Level> = Vec::new();
        let mut tokens = tokens(self.source).peekable();
        while let Some(token) = tokens.next() {
            match (token, open.last_mut()) {
                ("[", _) => open.push(Level::Array(0)),
                ("{", _) => open.push(Level::Object(Box::default())),
                ("}" | "]", _) => drop(open.pop()),
                (",", Some(Level::Array(index))) => *index += 1,
                (_, Some(Level::Object(keys))) if tokens.peek() == Some(&":") => {
                    keys.last = serde_json::from_str(token).unwrap_or_default();
                    if keys.seen.insert(keys.last.clone()) {
                        continue;
                    }
                    let key = keys.last.clone();
                    let step = |level: &Level| match level {
                        Level::Array(index) => index.to_string(),
                        Level::Object(keys) => escape(&keys.last),
                    };
                    let pointer = open.iter().flat_map(|level| ["/".to_owned(), step(level)]).collect();
                    return Some(RepeatedKey { key, offset: offset_in(self.text, token), pointer });
                }
                _ => {}
            }
        }
        None
    }

    /// The value on one line without white space, its strings and numbers as they are spelled.
    pub fn compact(self) -> String {
        tokens(self.source).collect()
    }

    /// The value with two spaces for each level, as `JSON.stringify(value, null, 2)` lays it out; its strings and numbers
    /// as they are spelled.
    pub fn indented(self) -> String {
        let mut out = String::with_capacity(self.source.len() * 2);
        let (mut depth, mut before) = (0, "");
        for token in tokens(self.source) {
            let (opened, closes) = (matches!(before, "{" | "["), matches!(token, "}" | "]"));
            depth -= usize::from(closes);
            if opened != closes || before == "," {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            } else if before == ":" {
                out.push(' ');
            }
            out.push_str(token);
            depth += usize::from(matches!(token, "{" | "["));
            before = token;
        }
        out
    }
}

/// A value as `JSON.stringify(value, null, 2)` lays it out, and a line end.
pub fn to_indented(value: &impl Serialize) -> String {
    let line = to_line(value);
    let mut out = Json::parse(line.as_bytes()).map(|json| json.root().indented()).unwrap_or_default();
    out.push('\n');
    out
}

/// The brackets, commas, colons, strings, numbers and words of JSON.
fn tokens(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(SPACE);
        let end = match rest.as_bytes().first()? {
            b'"' => string_end(rest.as_bytes()),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => rest.find([' ', '\t', '\n', '\r', ',', '}', ']']).unwrap_or(rest.len()),
        };
        let (token, tail) = rest.split_at(end);
        rest = tail;
        Some(token)
    })
}

/// Length of the string literal at the beginning.
fn string_end(text: &[u8]) -> usize {
    let mut escaped = false;
    let closing = text[1..].iter().position(|&byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    closing.map_or(text.len(), |at| at + 2)
}

/// Whether a string literal stands for `text`.
fn stands_for(literal: &str, text: &str) -> bool {
    if literal.contains('\\') {
        serde_json::from_str::<JsString>(literal).is_ok_and(|string| string == *text)
    } else {
        literal[1..literal.len() - 1] == *text
    }
}

fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

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
mod tests;
