//! An exact reader of JSON: the verdicts of `JSON.parse`, without its tree.
//!
//! Responsible for: the grammar of JSON as JavaScript reads it, unlimited depth without recursion, the last of
//! two equal keys winning, numbers as doubles, lone surrogates kept, bytes that are not UTF-8 read as U+FFFD, and
//! the place of every error. A document is one flat tape of nodes, so a value that nobody asks for costs nothing:
//! [`Json::parse_keeping`] checks the unwanted members of the top object and forgets them at once.
//! Not responsible for what a document means.

use super::js_string::JsString;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

mod reader;

/// A parsed document: the text and a flat tape of its values.
#[derive(Debug)]
pub struct Json<'t> {
    text: Cow<'t, str>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    /// Index of the first node behind this value and all it holds.
    next: u32,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Any number.
    Number,
    /// A string.
    String,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

/// Why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What was wrong there.
    pub kind: SyntaxKind,
}

/// The ways in which a text fails to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxKind {
    /// Nothing but white space.
    Empty,
    /// The text stops inside a value.
    End,
    /// A byte order mark in front.
    ByteOrderMark,
    /// A character that cannot stand here.
    Unexpected(char),
    /// A control character inside a string.
    ControlInString(char),
    /// A `\` with something behind it that is no escape.
    BadEscape,
    /// Something behind the end of the value.
    Trailing(char),
    /// More than 4 GiB.
    TooLong,
}

/// One value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Item<'j> {
    json: &'j Json<'j>,
    at: usize,
}

impl<'t> Json<'t> {
    /// Reads a whole document.
    pub fn parse(bytes: &'t [u8]) -> Result<Json<'t>, SyntaxError> {
        Self::read(bytes, None)
    }

    /// Reads a document of which only the named members of the top object are wanted; the rest is checked and
    /// forgotten.
    pub fn parse_keeping(bytes: &'t [u8], keep: &[&str]) -> Result<Json<'t>, SyntaxError> {
        Self::read(bytes, Some(keep))
    }

    fn read(bytes: &'t [u8], keep: Option<&[&str]>) -> Result<Json<'t>, SyntaxError> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
        };
        if u32::try_from(text.len()).is_err() {
            return Err(SyntaxError { line: 1, column: 1, kind: SyntaxKind::TooLong });
        }
        match reader::read(text.as_bytes(), keep) {
            Ok(nodes) => Ok(Json { text, nodes }),
            Err((at, kind)) => Err(locate(&text, at, kind)),
        }
    }

    /// The value of the whole document.
    pub fn root(&self) -> Item<'_> {
        Item { json: self, at: 0 }
    }

    /// Line and column (characters), both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.text, offset)
    }
}

impl<'j> Item<'j> {
    fn node(self) -> Node {
        self.json.nodes[self.at]
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// The value as it is written, quotes and brackets included.
    pub fn source(self) -> &'j str {
        &self.json.text[self.node().start as usize..self.node().end as usize]
    }

    /// Byte offset of the value.
    pub fn offset(self) -> usize {
        self.node().start as usize
    }

    /// `true` or `false`, if it is one.
    pub fn boolean(self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.source() == "true")
    }

    /// The number, if it is one; too large ones are infinite, as in JavaScript.
    pub fn number(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.source().parse().ok() } else { None }
    }

    /// The string, if it is one.
    pub fn string(self) -> Option<JsString> {
        (self.kind() == Kind::String).then(|| decode_string(self.source()))
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(self) -> impl Iterator<Item = Item<'j>> {
        let node = self.node();
        let end = if node.kind == Kind::Array { node.next as usize } else { 0 };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let here = Item { json: self.json, at };
            (at < end).then(|| {
                at = here.node().next as usize;
                here
            })
        })
    }

    /// Every member of an object as it is written, repeated keys included; nothing for any other value.
    pub(super) fn members(self) -> impl Iterator<Item = (Item<'j>, Item<'j>)> {
        let node = self.node();
        let end = if node.kind == Kind::Object { node.next as usize } else { 0 };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let key = Item { json: self.json, at };
                let value = Item { json: self.json, at: at + 1 };
                at = value.node().next as usize;
                (key, value)
            })
        })
    }

    /// The members of an object: of equal keys the last value, in the place of the first.
    pub fn entries(self) -> Vec<(JsString, Item<'j>)> {
        let mut places: HashMap<JsString, usize> = HashMap::new();
        let mut out: Vec<(JsString, Item<'j>)> = Vec::new();
        for (key, value) in self.members() {
            let Some(key) = key.string() else { continue };
            if let Some(&place) = places.get(&key) {
                out[place].1 = value;
            } else {
                places.insert(key.clone(), out.len());
                out.push((key, value));
            }
        }
        out
    }

    /// The member with this key: the last one, if the key stands more than once.
    pub fn get(self, key: &str) -> Option<Item<'j>> {
        self.members().filter(|(name, _)| name.is_string(key)).last().map(|(_, value)| value)
    }

    /// Whether the value is the string `text`.
    pub fn is_string(self, text: &str) -> bool {
        self.kind() == Kind::String && literal_is(self.source(), text)
    }
}

/// Whether a checked string literal, quotes included, stands for `text`.
fn literal_is(source: &str, text: &str) -> bool {
    let inner = &source[1..source.len() - 1];
    // An escape is longer than what it stands for.
    match inner.len().cmp(&text.len()) {
        Ordering::Less => false,
        Ordering::Equal => inner == text && !inner.contains('\\'),
        Ordering::Greater => inner.contains('\\') && decode_string(source) == *text,
    }
}

/// Decodes a checked string literal, quotes included.
fn decode_string(source: &str) -> JsString {
    let inner = &source[1..source.len() - 1];
    if !inner.contains('\\') {
        return JsString::from(inner);
    }
    let mut out = JsString::default();
    let mut rest = inner;
    while let Some(place) = rest.find('\\') {
        out.push_str(&rest[..place]);
        let escape = rest.as_bytes()[place + 1];
        let mut used = place + 2;
        match escape {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                used += 4;
                out.push_unit(u16::from_str_radix(&rest[place + 2..used], 16).unwrap_or(0xFFFD));
            }
            other => out.push(char::from(other)),
        }
        rest = &rest[used..];
    }
    out.push_str(rest);
    out
}

fn locate(text: &str, offset: usize, kind: SyntaxKind) -> SyntaxError {
    let (line, column) = line_and_column(text, offset);
    SyntaxError { line, column, kind }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let offset = (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests;
