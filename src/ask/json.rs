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
    /// UTF-8 wherever a value of the tape stands.
    bytes: Cow<'t, [u8]>,
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
        if u32::try_from(bytes.len()).is_err() {
            return Err(TOO_LONG);
        }
        // What is dropped need not be UTF-8: a byte above 0x7F is no more than a character of a string there.
        let read = reader::read(bytes, keep);
        if let Ok(nodes) = read {
            let json = Json { bytes: Cow::Borrowed(bytes), nodes };
            if json.is_utf8(keep.is_some()) {
                return Ok(json);
            }
        }
        let text = String::from_utf8_lossy(bytes);
        if u32::try_from(text.len()).is_err() {
            return Err(TOO_LONG);
        }
        match reader::read(text.as_bytes(), keep) {
            Ok(nodes) => Ok(Json { bytes: Cow::Owned(text.into_owned().into_bytes()), nodes }),
            Err((at, kind)) => {
                let (line, column) = line_and_column(&text.as_bytes()[..at]);
                Err(SyntaxError { line, column, kind })
            }
        }
    }

    /// Whether all that is on the tape is UTF-8.
    fn is_utf8(&self, members_only: bool) -> bool {
        let root = self.root();
        let is_utf8 = |from: Item<'_>, to: Item<'_>| {
            std::str::from_utf8(&self.bytes[from.offset()..to.node().end as usize]).is_ok()
        };
        if members_only && root.kind() == Kind::Object {
            root.members().all(|(key, value)| is_utf8(key, value))
        } else {
            is_utf8(root, root)
        }
    }

    /// The value of the whole document.
    pub fn root(&self) -> Item<'_> {
        Item { json: self, at: 0 }
    }

    /// Line and column (characters), both from 1, of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        line_and_column(&self.bytes[..offset.min(self.bytes.len())])
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

    /// The value as it is written, quotes and brackets included. Nothing for the top object of a document of which
    /// only some members were kept, if the others are not UTF-8.
    pub fn source(self) -> &'j str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    fn bytes(self) -> &'j [u8] {
        &self.json.bytes[self.node().start as usize..self.node().end as usize]
    }

    /// Byte offset of the value.
    pub fn offset(self) -> usize {
        self.node().start as usize
    }

    /// `true` or `false`, if it is one.
    pub fn boolean(self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.bytes() == b"true")
    }

    /// The number, if it is one; too large ones are infinite, as in JavaScript.
    pub fn number(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.source().parse().ok() } else { None }
    }

    /// The string, if it is one.
    pub fn string(self) -> Option<JsString> {
        (self.kind() == Kind::String).then(|| decode_string(self.bytes()))
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
        self.kind() == Kind::String && literal_is(self.bytes(), text)
    }
}

const TOO_LONG: SyntaxError = SyntaxError { line: 1, column: 1, kind: SyntaxKind::TooLong };

/// Whether a checked string literal, quotes included, stands for `text`.
fn literal_is(literal: &[u8], text: &str) -> bool {
    let inner = &literal[1..literal.len() - 1];
    // An escape is longer than what it stands for.
    match inner.len().cmp(&text.len()) {
        Ordering::Less => false,
        Ordering::Equal => inner == text.as_bytes() && !inner.contains(&b'\\'),
        Ordering::Greater => inner.contains(&b'\\') && decode_string(literal) == *text,
    }
}

/// Decodes a checked string literal, quotes included.
fn decode_string(literal: &[u8]) -> JsString {
    let mut rest = &literal[1..literal.len() - 1];
    let mut out = JsString::default();
    while let Some(place) = rest.iter().position(|&byte| byte == b'\\') {
        out.push_utf8(&rest[..place]);
        let mut used = place + 2;
        match rest[place + 1] {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                used += 4;
                out.push_unit(hexadecimal(&rest[place + 2..used]));
            }
            other => out.push(char::from(other)),
        }
        rest = &rest[used..];
    }
    out.push_utf8(rest);
    out
}

fn hexadecimal(digits: &[u8]) -> u16 {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u16::try_from(value).ok());
    digits.iter().fold(0, |sum, &digit| sum << 4 | value(digit).unwrap_or_default())
}

/// The line and column behind `before`, both from 1; a character that is cut off does not count.
fn line_and_column(before: &[u8]) -> (usize, usize) {
    let lines = before.split(|&byte| byte == b'\n');
    let (number, last) = lines.enumerate().last().unwrap_or_default();
    let chars = last.utf8_chunks().map(|chunk| chunk.valid().chars().count());
    (number + 1, chars.sum::<usize>() + 1)
}

#[cfg(test)]
mod tests;
