//! An exact reader of JSON: the verdicts of `JSON.parse`, without its tree.
//!
//! Responsible for: the grammar of JSON as JavaScript reads it, unlimited depth without recursion, the last of
//! two equal keys winning, numbers as doubles, lone surrogates kept, bytes that are not UTF-8 read as U+FFFD, and
//! the place of every error. A document is one flat tape of nodes, so a value that nobody asks for costs nothing:
//! [`Json::parse_keeping`] checks the unwanted members of the top object and forgets them at once.
//! Not responsible for what a document means.

use super::js_string::JsString;
use std::borrow::Cow;
use std::collections::HashMap;

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
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
            nodes: Vec::new(),
            open: Vec::new(),
            skipping: None,
            keep,
        };
        match reader.document() {
            Ok(()) => {
                let nodes = reader.nodes;
                Ok(Json { text, nodes })
            }
            Err(kind) => Err(locate(&text, reader.at, kind)),
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
    fn members(self) -> impl Iterator<Item = (Item<'j>, Item<'j>)> {
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
        self.members()
            .filter(|(name, _)| name.string().is_some_and(|name| name == key))
            .last()
            .map(|(_, value)| value)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Depth at which an unwanted member began; nothing is recorded until it ends.
    skipping: Option<usize>,
    keep: Option<&'a [&'a str]>,
}

#[derive(Clone, Copy)]
struct Open {
    object: bool,
    node: u32,
}

type Step<T = ()> = Result<T, SyntaxKind>;

impl Reader<'_> {
    fn document(&mut self) -> Step {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            return Err(SyntaxKind::ByteOrderMark);
        }
        self.space();
        if self.at == self.bytes.len() {
            return Err(SyntaxKind::Empty);
        }
        let mut ended = self.value()?;
        loop {
            if ended {
                if self.skipping == Some(self.open.len()) {
                    self.skipping = None;
                }
                self.space();
                let Some(&top) = self.open.last() else { break };
                ended = self.behind_value(top)?;
            } else {
                ended = self.value()?;
            }
        }
        match self.peek_char() {
            None => Ok(()),
            Some(c) => Err(SyntaxKind::Trailing(c)),
        }
    }

    /// Behind a value inside a container: a comma and what follows it, or the end. True if the container ended.
    fn behind_value(&mut self, top: Open) -> Step<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                if top.object {
                    self.key()?;
                }
                Ok(false)
            }
            Some(b'}') if top.object => Ok(self.close(top)),
            Some(b']') if !top.object => Ok(self.close(top)),
            _ => Err(self.unexpected()),
        }
    }

    fn close(&mut self, top: Open) -> bool {
        self.at += 1;
        self.open.pop();
        if self.skipping.is_none() {
            let next = self.count();
            let node = &mut self.nodes[top.node as usize];
            node.end = narrow(self.at);
            node.next = next;
        }
        true
    }

    /// A value, or the opening of one. True if it is complete.
    fn value(&mut self) -> Step<bool> {
        self.space();
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                self.string()?;
                self.record(Kind::String, start);
            }
            Some(b'{') => return self.open_container(true),
            Some(b'[') => return self.open_container(false),
            Some(b't') => self.word(b"true", Kind::Boolean)?,
            Some(b'f') => self.word(b"false", Kind::Boolean)?,
            Some(b'n') => self.word(b"null", Kind::Null)?,
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                self.record(Kind::Number, start);
            }
            _ => return Err(self.unexpected()),
        }
        Ok(true)
    }

    fn open_container(&mut self, object: bool) -> Step<bool> {
        let node = self.count();
        let kind = if object { Kind::Object } else { Kind::Array };
        self.record(kind, self.at);
        self.at += 1;
        let top = Open { object, node };
        self.open.push(top);
        self.space();
        match self.peek() {
            Some(b'}') if object => return Ok(self.close(top)),
            Some(b']') if !object => return Ok(self.close(top)),
            _ if object => self.key()?,
            _ => {}
        }
        Ok(false)
    }

    fn key(&mut self) -> Step {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        self.string()?;
        if self.open.len() == 1
            && self.skipping.is_none()
            && let Some(keep) = self.keep
        {
            let source = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
            if !keep.iter().any(|wanted| decode_string(source) == **wanted) {
                self.skipping = Some(1);
            }
        }
        self.record(Kind::String, start);
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    fn record(&mut self, kind: Kind, start: usize) {
        if self.skipping.is_none() {
            let next = self.count() + 1;
            self.nodes.push(Node { kind, start: narrow(start), end: narrow(self.at), next });
        }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Step {
        let start = self.at;
        for &byte in word {
            if self.peek() != Some(byte) {
                return Err(self.unexpected());
            }
            self.at += 1;
        }
        self.record(kind, start);
        Ok(())
    }

    fn number(&mut self) -> Step {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Step {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }

    fn string(&mut self) -> Step {
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(control) => return Err(SyntaxKind::ControlInString(char::from(control))),
                None => return Err(SyntaxKind::End),
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.bytes.get(self.at + 1) {
            None => Err(SyntaxKind::End),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                for place in 2..6 {
                    match self.bytes.get(self.at + place) {
                        Some(byte) if byte.is_ascii_hexdigit() => {}
                        None => return Err(SyntaxKind::End),
                        Some(_) => return Err(SyntaxKind::BadEscape),
                    }
                }
                self.at += 6;
                Ok(())
            }
            Some(_) => Err(SyntaxKind::BadEscape),
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_char(&self) -> Option<char> {
        let rest = &self.bytes[self.at..];
        rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next())
    }

    fn unexpected(&self) -> SyntaxKind {
        self.peek_char().map_or(SyntaxKind::End, SyntaxKind::Unexpected)
    }

    fn count(&self) -> u32 {
        narrow(self.nodes.len())
    }
}

/// Offsets fit: [`Json::read`] refuses longer texts, and a node is never shorter than a byte.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Length of the prefix without a quote, a backslash or a control character; eight bytes at a time, because
/// almost all of a large packet is such runs.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zero_byte = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut done = 0;
    while let Some(chunk) = bytes[done..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let below_space = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let stops = below_space
            | zero_byte(word ^ (ONES * u64::from(b'"')))
            | zero_byte(word ^ (ONES * u64::from(b'\\')));
        if stops != 0 {
            break;
        }
        done += 8;
    }
    done + bytes[done..].iter().take_while(|&&byte| byte >= b' ' && byte != b'"' && byte != b'\\').count()
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
