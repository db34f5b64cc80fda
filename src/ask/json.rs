//! An exact reader of JSON: the verdicts of `JSON.parse`, without its tree.
//!
//! Responsible for: the grammar of JSON as JavaScript reads it, unlimited depth without recursion, the last of
//! two equal keys winning, numbers as doubles, lone surrogates kept, bytes that are not UTF-8 read as U+FFFD, and
//! the place of every error. A document is one flat tape of nodes, so a value that nobody asks for costs nothing:
//! [`Json::parse_keeping`] checks the unwanted members of the top object and forgets them at once.
//! Not responsible for what a document means.

use super::js_string::JsString;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

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
    /// Whether a string says what it stands for without an escape.
    plain: bool,
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

    /// The whole text, with what was not UTF-8 as U+FFFD wherever a value of the tape stands.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
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
        let literal = self.bytes();
        match self.node() {
            Node { kind: Kind::String, plain: true, .. } => Some(JsString::of_utf8(inside(literal))),
            Node { kind: Kind::String, .. } => Some(decode_string(literal)),
            _ => None,
        }
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
    pub fn members(self) -> impl Iterator<Item = (Item<'j>, Item<'j>)> {
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

    /// The first key, here or anywhere inside, that stands twice in one object: the key and the byte offset of its
    /// second mention.
    pub fn repeated_key(self) -> Option<(JsString, usize)> {
        let mut open = vec![self];
        let mut found: Option<(JsString, usize)> = None;
        while let Some(item) = open.pop() {
            let mut seen = HashSet::new();
            for (key, value) in item.members() {
                open.push(value);
                let Some(name) = key.string() else { continue };
                if !seen.insert(name.clone()) && found.as_ref().is_none_or(|(_, at)| key.offset() < *at) {
                    found = Some((name, key.offset()));
                }
            }
            open.extend(item.elements());
        }
        found
    }

    /// The value on one line without white space, its strings and numbers as they are spelled.
    pub fn compact(self) -> String {
        let mut out = String::with_capacity(self.source().len());
        let (mut in_string, mut escaped) = (false, false);
        for c in self.source().chars() {
            if in_string || !matches!(c, ' ' | '\t' | '\n' | '\r') {
                out.push(c);
            }
            in_string = if in_string { c != '"' || escaped } else { c == '"' };
            escaped = in_string && c == '\\' && !escaped;
        }
        out
    }

    /// The value with two spaces for each level, as `JSON.stringify(value, null, 2)` lays it out; its strings and numbers
    /// as they are spelled.
    pub fn indented(self) -> String {
        let flat = self.compact();
        let mut out = String::with_capacity(flat.len() * 2);
        let (mut depth, mut in_string, mut escaped) = (0, false, false);
        let mut rest = flat.chars().peekable();
        while let Some(c) = rest.next() {
            let was_in_string = in_string;
            in_string = if in_string { c != '"' || escaped } else { c == '"' };
            escaped = was_in_string && c == '\\' && !escaped;
            let closes = !was_in_string && matches!(c, '}' | ']');
            if closes {
                depth -= 1;
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            out.push(c);
            if was_in_string || closes {
                continue;
            }
            match (c, rest.peek()) {
                (':', _) => out.push(' '),
                ('{', Some(&end @ '}')) | ('[', Some(&end @ ']')) => {
                    out.push(end);
                    rest.next();
                }
                ('{' | '[' | ',', _) => {
                    depth += usize::from(c != ',');
                    out.push('\n');
                    out.push_str(&"  ".repeat(depth));
                }
                _ => {}
            }
        }
        out
    }

    /// Whether the value is the string `text`.
    pub fn is_string(self, text: &str) -> bool {
        let node = self.node();
        node.kind == Kind::String && literal_is(self.bytes(), node.plain, text)
    }
}

const TOO_LONG: SyntaxError = SyntaxError { line: 1, column: 1, kind: SyntaxKind::TooLong };

/// What stands between the quotes of a checked string literal.
fn inside(literal: &[u8]) -> &[u8] {
    &literal[1..literal.len() - 1]
}

/// Whether a checked string literal stands for `text`; `plain` if it has no escape.
fn literal_is(literal: &[u8], plain: bool, text: &str) -> bool {
    if plain { inside(literal) == text.as_bytes() } else { decode_string(literal) == *text }
}

/// Decodes a checked string literal, quotes included.
fn decode_string(literal: &[u8]) -> JsString {
    let mut rest = inside(literal);
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
