//! JSON as the executors read it, a view of text that `serde_json` has checked, and as novel-gate prints it.
//!
//! The verdict is that of `JSON.parse`: any depth, any number, lone surrogates, of equal keys the last value; bytes that are
//! not UTF-8 are read as U+FFFD; a byte order mark is no JSON. Where each value stands is noted once, in one pass; its text
//! is read when it is asked for.

use super::js_string::{JsString, raw};
use super::mend::first_slip;
use super::problem::escape;
use super::syntax::{SPACE, SyntaxError, SyntaxKind, line_and_column};
use crate::text::encoding;
use serde::Serialize;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Error, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, Write};

/// A document: text that is JSON.
#[derive(Debug)]
pub struct Json<'t> {
    text: Cow<'t, str>,
    /// Its values in the order in which they begin, keys included.
    values: Vec<Value>,
}

/// Where a value stands: byte offsets, and the place of what follows it and all that is inside it.
#[derive(Clone, Copy, Debug)]
struct Value {
    start: u32,
    end: u32,
    next: u32,
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
    json: &'j Json<'j>,
    at: u32,
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
        match serde_json::from_str::<IgnoredAny>(&text) {
            Ok(_) => Ok(Json::of(text)),
            Err(error) => Err(why(bytes, &text, &error)),
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
            keep_members(text.as_bytes(), keep).map_err(|error| why(bytes, &text, &error))
        });
        Ok(Json::of(Cow::Owned(kept?)))
    }

    /// Of text that is JSON.
    fn of(text: Cow<'t, str>) -> Json<'t> {
        let values = values(&text);
        Json { text, values }
    }

    /// The text, with what was not UTF-8 as U+FFFD.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub fn root(&self) -> Item<'_> {
        Item { json: self, at: 0 }
    }

    /// Line and column (characters), both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.text[..self.text.floor_char_boundary(offset)])
    }
}

/// Why a text is not JSON: the slip that led there, else what was refused.
fn why(bytes: &[u8], text: &str, error: &Error) -> SyntaxError {
    if let Some((_, name)) = encoding::decode(bytes) {
        return SyntaxError::at(text, (0, SyntaxKind::Encoding(name)));
    }
    let refused = SyntaxError::refused(text, error);
    let slip = first_slip(text, refused.0).filter(|_| refused.1 != SyntaxKind::Empty);
    SyntaxError::at(text, slip.unwrap_or(refused))
}

fn keep_members(bytes: &[u8], keep: &[&str]) -> Result<String, Error> {
    const KEPT: usize = 1 << 12;

    struct Keep<'k>(&'k [&'k str]);

    impl<'de> Visitor<'de> for Keep<'_> {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<String, A::Error> {
            // Room for most of what is kept, and none that would be felt for what is not.
            let mut out = String::with_capacity(KEPT);
            out.push('{');
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
    fn value(self) -> Value {
        self.json.values[self.at as usize]
    }

    pub fn kind(self) -> Kind {
        match self.json.text.as_bytes()[self.offset()] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Boolean,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The value as it is written, quotes and brackets included.
    pub fn source(self) -> &'j str {
        let Value { start, end, .. } = self.value();
        &self.json.text[start as usize..end as usize]
    }

    pub fn offset(self) -> usize {
        self.value().start as usize
    }

    pub fn boolean(self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.source() == "true")
    }

    /// The number, if it is one; too large ones are infinite, as in JavaScript.
    pub fn number(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.source().parse().ok() } else { None }
    }

    pub fn string(self) -> Option<JsString> {
        if self.kind() != Kind::String {
            return None;
        }
        match inside(self.source()) {
            Some(plain) => Some(plain.into()),
            None => serde_json::from_str(self.source()).ok(),
        }
    }

    #[inline]
    pub fn is_string(self, text: &str) -> bool {
        self.kind() == Kind::String && stands_for(self.source(), text)
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(self) -> impl Iterator<Item = Item<'j>> {
        self.inside(Kind::Array)
    }

    /// Every member of an object as it is written, repeated keys included; nothing for any other value.
    pub fn members(self) -> impl Iterator<Item = (Item<'j>, Item<'j>)> {
        let mut inside = self.inside(Kind::Object);
        std::iter::from_fn(move || Some((inside.next()?, inside.next()?)))
    }

    /// The values right inside a container of this kind.
    fn inside(self, kind: Kind) -> impl Iterator<Item = Item<'j>> {
        let end = if self.kind() == kind { self.value().next } else { 0 };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let item = Item { at, ..self };
            (at < end).then(|| {
                at = item.value().next;
                item
            })
        })
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

    /// What stands at this JSON pointer below.
    pub(super) fn at(self, pointer: &str) -> Option<Item<'j>> {
        pointer.split('/').skip(1).try_fold(self, |item, step| match item.kind() {
            Kind::Array => item.elements().nth(step.parse().ok()?),
            _ => {
                item.entries().into_iter().find_map(|(name, inner)| (escape(&name) == step).then_some(inner))
            }
        })
    }

    /// The member with this key, unless it is null: many programs write null for what they leave out.
    pub fn given(self, key: &str) -> Option<Item<'j>> {
        self.get(key).filter(|item| item.kind() != Kind::Null)
    }

    /// The member with this key, if it is a string.
    pub fn text(self, key: &str) -> Option<JsString> {
        self.get(key).and_then(Item::string)
    }

    /// The member with this key, if it is an object.
    pub fn object(self, key: &str) -> Option<Item<'j>> {
        self.get(key).filter(|item| item.kind() == Kind::Object)
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
        if !self.may_repeat_key() {
            return None;
        }
        let mut open: Vec<Level> = Vec::new();
        let mut tokens = tokens(self.source()).peekable();
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
                    return Some(RepeatedKey { key, offset: offset_in(&self.json.text, token), pointer });
                }
                _ => {}
            }
        }
        None
    }

    /// Whether keys of one object are spelled alike, here or anywhere inside, or with escapes: all that a text costs that repeats none.
    fn may_repeat_key(self) -> bool {
        const FEW: usize = 16;
        let inside = (self.at..self.value().next).map(|at| Item { at, ..self });
        inside.filter(|item| item.kind() == Kind::Object).any(|object| {
            let keys = || object.members().map(|(key, _)| key.source());
            if keys().nth(FEW).is_some() {
                let mut seen = HashSet::new();
                return keys().any(|key| key.contains('\\') || !seen.insert(key));
            }
            keys()
                .enumerate()
                .any(|(at, key)| key.contains('\\') || keys().take(at).any(|before| before == key))
        })
    }

    /// The value on one line without white space, its strings and numbers as they are spelled.
    pub fn compact(self) -> String {
        compact(self.source())
    }

    /// The value with two spaces for each level, as `JSON.stringify(value, null, 2)` lays it out; its strings and numbers
    /// as they are spelled.
    pub fn indented(self) -> String {
        let mut out = String::with_capacity(self.source().len() * 2);
        let (mut depth, mut before) = (0, "");
        for token in tokens(self.source()) {
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

/// JSON on one line without white space, its strings and numbers as they are spelled.
pub fn compact(json: &str) -> String {
    tokens(json).collect()
}

/// A value as `JSON.stringify(value, null, 2)` lays it out, and a line end.
pub fn to_indented(value: &impl Serialize) -> String {
    let line = to_line(value);
    let mut out = Json::parse(line.as_bytes()).map(|json| json.root().indented()).unwrap_or_default();
    out.push('\n');
    out
}

/// Where the values of a text stand that is JSON.
fn values(text: &str) -> Vec<Value> {
    let place = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    // About as many as there are in a packet.
    let mut values: Vec<Value> = Vec::with_capacity(text.len() / 32);
    // The innermost container that is open; until it is closed, its `next` names the one around it.
    let mut open = 0;
    let mut at = 0;
    let is_between = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':');
    while let Some(between) = text.as_bytes()[at..].iter().position(|byte| !is_between(byte)) {
        at += between;
        let (start, count) = (place(at), place(values.len()));
        at += token_length(&text[at..]);
        match text.as_bytes()[start as usize] {
            b'}' | b']' => {
                let closed = &mut values[open as usize];
                (closed.end, open) = (place(at), std::mem::replace(&mut closed.next, count));
            }
            b'{' | b'[' => {
                values.push(Value { start, end: place(at), next: open });
                open = count;
            }
            _ => values.push(Value { start, end: place(at), next: count + 1 }),
        }
    }
    values
}

/// The brackets, commas, colons, strings, numbers and words of JSON.
fn tokens(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(SPACE);
        let (token, tail) = rest.split_at(token_length(rest));
        rest = tail;
        (!token.is_empty()).then_some(token)
    })
}

/// Length of the token at the beginning.
#[inline]
fn token_length(text: &str) -> usize {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'}' | b']');
    match text.as_bytes().first() {
        None => 0,
        Some(b'"') => string_end(text),
        Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => 1,
        Some(_) => text.as_bytes().iter().position(is_end).unwrap_or(text.len()),
    }
}

/// Length of the string literal at the beginning.
fn string_end(text: &str) -> usize {
    let mut end = 1;
    while let Some(more) = text[end..].find('"') {
        let before = text[..end + more].bytes().rev();
        end += more + 1;
        if before.take_while(|&byte| byte == b'\\').count() % 2 == 0 {
            return end;
        }
    }
    text.len()
}

/// What stands in a string literal without escapes.
fn inside(literal: &str) -> Option<&str> {
    Some(&literal[1..literal.len() - 1]).filter(|inside| !inside.contains('\\'))
}

/// Whether a string literal stands for `text`.
#[inline]
fn stands_for(literal: &str, text: &str) -> bool {
    // Escapes only make it longer.
    match literal.len().cmp(&(text.len() + 2)) {
        Ordering::Less => false,
        Ordering::Equal => inside(literal) == Some(text),
        Ordering::Greater => {
            inside(literal).is_none()
                && serde_json::from_str::<JsString>(literal).is_ok_and(|string| string == *text)
        }
    }
}

fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// A value on one line, with a space behind each comma and colon. What cannot be JSON, such as a map whose keys are no
/// strings, is `null`; no type here has such a value.
pub fn to_line(value: &(impl Serialize + ?Sized)) -> String {
    let mut out = Vec::new();
    let written = write_line(&mut out, value);
    let text = written.ok().and_then(|()| String::from_utf8(out).ok());
    text.unwrap_or_else(|| "null".to_owned())
}

/// The same as it comes, and not as a whole.
pub fn write_line(out: impl Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, OneLine))?)
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
