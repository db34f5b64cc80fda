//! Reads what is nearly JSON in one pass, without recursion, and notes each slip with what mends it.

use super::mark::{begins, elided, half, is_name, is_odd_space, is_quote};
use crate::ask::syntax::{SPACE, SyntaxKind as Slip};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// One slip, where it stands in the text, and what mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) slip: Slip,
    pub(super) at: Range<usize>,
    pub(super) new: Cow<'static, str>,
}

/// What is looked for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Key,
    Colon,
    Value,
    /// A comma or the end of what is open.
    Next,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Root,
    Key,
    Member,
    Element,
}

/// How many slips, open brackets and keys are looked at: text with more is no JSON that went wrong.
const LIMIT: usize = 1 << 20;

pub(super) struct Scan<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// In the order of the text.
    pub(super) edits: Vec<Edit>,
    /// The first place where something else can have been meant.
    pub(super) doubt: Option<(usize, Slip)>,
    /// The first key that its object has already: legal, and nobody knows which was meant.
    pub(super) doubled: Option<usize>,
    /// Where the value stands.
    pub(super) value: Range<usize>,
    /// For each open bracket the number of its object, or none.
    open: Vec<Option<usize>>,
    /// The keys of each object.
    keys: HashSet<(usize, &'t str)>,
    /// How many objects have been opened.
    count: usize,
    /// How many of them are that of an object.
    objects: usize,
    expect: Expect,
    /// The last comma, while no value is complete behind it.
    comma: Option<Range<usize>>,
    /// Where the last key begins.
    key: usize,
    /// The end of what was read last, and whether that was a string.
    behind: usize,
    is_string: bool,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Scan<'t> {
        Scan {
            text,
            at: 0,
            edits: Vec::new(),
            doubt: None,
            doubled: None,
            value: 0..0,
            open: Vec::new(),
            keys: HashSet::new(),
            count: 0,
            objects: 0,
            expect: Expect::Value,
            comma: None,
            key: 0,
            behind: 0,
            is_string: false,
        }
    }

    /// Reads one value; nothing if no reading is found.
    pub(super) fn read(&mut self) -> Option<()> {
        loop {
            self.space();
            let Some(c) = self.peek() else {
                self.cut_off();
                return Some(());
            };
            match self.expect {
                Expect::Key => self.key(c)?,
                Expect::Colon => self.colon(c)?,
                Expect::Value => self.value(c)?,
                Expect::Next => self.next(c)?,
            }
            if self.open.is_empty() && self.expect == Expect::Next {
                return Some(());
            }
            if self.is_full() {
                return None;
            }
        }
    }

    /// Whether anything of JSON was there.
    pub(super) fn has_begun(&self) -> bool {
        self.behind > 0
    }

    /// Whether there are more slips, or more brackets open, than are looked at.
    pub(super) fn is_full(&self) -> bool {
        self.edits.len() > LIMIT || self.open.len() > LIMIT
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Notes a slip in its place.
    pub(super) fn put(&mut self, slip: Slip, at: Range<usize>, new: impl Into<Cow<'static, str>>) {
        let place = self.edits.partition_point(|edit| edit.at.start <= at.start);
        self.edits.insert(place, Edit { slip, at, new: new.into() });
    }

    /// The same for what may have been meant otherwise.
    pub(super) fn guess(&mut self, slip: Slip, at: Range<usize>, new: impl Into<Cow<'static, str>>) {
        self.put_if(false, slip, at, new);
    }

    /// The same for what may be certain.
    pub(super) fn put_if(
        &mut self,
        is_certain: bool,
        slip: Slip,
        at: Range<usize>,
        new: impl Into<Cow<'static, str>>,
    ) {
        if !is_certain {
            self.doubt(at.start, slip);
        }
        self.put(slip, at, new);
    }

    pub(super) fn doubt(&mut self, at: usize, slip: Slip) {
        self.doubt.get_or_insert((at, slip));
    }

    /// Takes back the edits from a place on, but those to keep.
    pub(super) fn take_back(&mut self, start: usize, keep: impl Fn(&Edit) -> bool) {
        let place = self.edits.partition_point(|edit| edit.at.start < start);
        let tail = self.edits.split_off(place);
        self.edits.extend(tail.into_iter().filter(keep));
    }

    fn context(&self) -> Context {
        match self.open.last() {
            None => Context::Root,
            Some(Some(_)) => Context::Member,
            Some(None) => Context::Element,
        }
    }

    /// White space and comments.
    pub(super) fn space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(SPACE).len();
            let (start, rest) = (self.at, self.rest());
            let Some(c) = rest.chars().next() else { return };
            if let Some(comment) = rest.strip_prefix("/*") {
                let length = comment.find("*/").map(|length| length + 4);
                self.at += length.unwrap_or(rest.len());
                self.put_if(length.is_some(), Slip::Comment, start..self.at, "");
            } else if rest.starts_with("<!--") {
                let length = rest.find("-->").map(|length| length + 3);
                self.at += length.unwrap_or(rest.len());
                self.put_if(length.is_some(), Slip::Comment, start..self.at, "");
            } else if c == '\0' {
                self.at += rest.len() - rest.trim_start_matches('\0').len();
                self.put(Slip::Nul, start..self.at, "");
            } else if c == '#' || rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                self.put(Slip::Comment, start..self.at, "");
            } else if let Some(length) = elided(rest).filter(|_| !self.open.is_empty()) {
                self.at += length;
                self.guess(Slip::Elided, start..self.at, "");
            } else if is_odd_space(c) {
                self.at += c.len_utf8();
                self.put(Slip::Space(c), start..self.at, " ");
            } else {
                return;
            }
        }
    }

    fn key(&mut self, c: char) -> Option<()> {
        match half(c) {
            Some('}' | ']') => {
                self.drop_comma();
                self.close(c);
                return Some(());
            }
            Some(',') => return self.extra_comma(c),
            Some(_) => return None,
            None => {}
        }
        self.key = self.at;
        self.expect = Expect::Colon;
        if is_quote(c) {
            self.string(c, Context::Key);
        } else {
            let name = self.rest().find(|c: char| !is_name(c)).unwrap_or(self.rest().len());
            if name == 0 {
                return None;
            }
            let new = format!("\"{}\"", &self.rest()[..name]);
            self.put(Slip::UnquotedKey, self.at..self.at + name, new);
            self.at += name;
        }
        self.behind = self.at;
        let name = self.text[self.key..self.at].trim_matches(is_quote);
        if let Some(Some(object)) = self.open.last()
            && self.keys.len() < LIMIT
            && !self.keys.insert((*object, name))
        {
            self.doubled.get_or_insert(self.key);
        }
        Some(())
    }

    fn colon(&mut self, c: char) -> Option<()> {
        self.expect = Expect::Value;
        if half(c) == Some(':') {
            self.punctuation(c, ':');
        } else if c == '=' {
            let length = if self.rest().starts_with("=>") { 2 } else { 1 };
            self.put(Slip::Punctuation(c, ':'), self.at..self.at + length, ":");
            self.at += length;
        } else if begins(c) {
            self.guess(Slip::MissingColon, self.behind..self.behind, ":");
        } else {
            return None;
        }
        self.behind = self.at;
        Some(())
    }

    fn value(&mut self, c: char) -> Option<()> {
        let is_member = self.context() == Context::Member;
        self.is_string = false;
        match half(c) {
            Some(bracket @ ('{' | '[')) => {
                let is_object = bracket == '{';
                self.count += 1;
                self.open.push(is_object.then_some(self.count));
                self.objects += usize::from(is_object);
                self.expect = if is_object { Expect::Key } else { Expect::Value };
                self.comma = None;
                self.punctuation(c, bracket);
                self.behind = self.at;
                return Some(());
            }
            Some('}' | ']' | ',') if is_member => {
                self.guess(Slip::MissingValue, self.behind..self.behind, " null");
            }
            Some('}' | ']') if !self.open.is_empty() => {
                self.drop_comma();
                self.close(c);
                return Some(());
            }
            Some(',') => {
                self.doubt(self.at, Slip::ExtraComma);
                return self.extra_comma(c);
            }
            Some(_) => return None,
            None if is_quote(c) => {
                self.string(c, self.context());
                self.is_string = true;
            }
            None if !self.word(self.context())? => {
                self.cut_off();
                self.at = self.text.len();
                return Some(());
            }
            None => {}
        }
        (self.comma, self.expect) = (None, Expect::Next);
        self.behind = self.at;
        Some(())
    }

    fn next(&mut self, c: char) -> Option<()> {
        let is_object = self.context() == Context::Member;
        match half(c) {
            Some('}' | ']') => {
                self.close(c);
                return Some(());
            }
            Some(',') => {
                self.comma = Some(self.at..self.at + c.len_utf8());
                self.punctuation(c, ',');
            }
            _ if begins(c) => {
                // Two strings side by side may be one.
                self.put_if(is_object || !self.is_string, Slip::MissingComma, self.behind..self.behind, ",");
            }
            _ => return None,
        }
        self.expect = if is_object { Expect::Key } else { Expect::Value };
        Some(())
    }

    /// Reads a character of JSON's punctuation, or what stands in its place.
    fn punctuation(&mut self, found: char, wanted: char) {
        let end = self.at + found.len_utf8();
        if found != wanted {
            self.put(Slip::Punctuation(found, wanted), self.at..end, wanted.to_string());
        }
        self.at = end;
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the other readings")]
    fn extra_comma(&mut self, c: char) -> Option<()> {
        self.put(Slip::ExtraComma, self.at..self.at + c.len_utf8(), "");
        self.at += c.len_utf8();
        Some(())
    }

    /// Takes away a comma with nothing behind it.
    fn drop_comma(&mut self) {
        let Some(comma) = self.comma.take() else { return };
        // It may have been changed into one of JSON.
        self.take_back(comma.start, |edit| edit.at != comma);
        self.put(Slip::ExtraComma, comma, "");
    }

    fn close(&mut self, c: char) {
        let (wanted, is_object) = if half(c) == Some('}') { ('}', true) } else { (']', false) };
        let known = if is_object { self.objects } else { self.open.len() - self.objects };
        (self.comma, self.expect) = (None, Expect::Next);
        if known == 0 {
            self.guess(Slip::Bracket, self.at..self.at + c.len_utf8(), "");
            self.at += c.len_utf8();
            return;
        }
        while let Some(open) = self.open.pop() {
            let open = open.is_some();
            self.objects -= usize::from(open);
            if open == is_object {
                break;
            }
            self.guess(Slip::Bracket, self.behind..self.behind, if open { "}" } else { "]" });
        }
        self.punctuation(c, wanted);
        (self.behind, self.is_string) = (self.at, false);
    }

    /// Closes what is open where the text stops; a member without a value is left out.
    fn cut_off(&mut self) {
        let end = self.text.len();
        let is_member = self.context() == Context::Member;
        let start = match self.expect {
            Expect::Next => end,
            _ if let Some(comma) = self.comma.take() => comma.start,
            Expect::Colon => self.key,
            Expect::Value if is_member => self.key,
            Expect::Value if !self.open.is_empty() => self.at,
            Expect::Key | Expect::Value => end,
        };
        if start < end {
            self.take_back(start, |_| false);
        }
        let closing: String =
            self.open.drain(..).rev().map(|open| if open.is_some() { '}' } else { ']' }).collect();
        self.guess(Slip::End, start..end, closing);
        (self.objects, self.expect) = (0, Expect::Next);
    }
}
