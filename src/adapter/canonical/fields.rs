//! The forms of fields in Canonical Prompt documents and their sources, and how [`Reader`] reads them.

use crate::ask::json::{Item, Kind as JsonKind};
use crate::ask::problem::{Pointer, ProblemCode, Problems};
use crate::ask::reader::{self, LIST, Reader, repeated_key};
use crate::ask::{JsString, Problem};
use crate::text::{Message, Sentence, say};
use std::collections::HashSet;

#[derive(Clone, Copy)]
pub(super) struct FieldRule {
    pub(super) accepts: fn(&str) -> bool,
    pub(super) expected: Sentence,
}

pub(super) const WORDS: FieldRule = FieldRule {
    accepts: |text| !text.is_empty(),
    expected: say("a string that is not empty", "非空的字符串"),
};
pub(super) const ID: FieldRule = FieldRule {
    accepts: is_id,
    expected: say(
        "an id: a-z, 0-9, _ and -, starting with a letter or digit",
        "一个 id：小写字母、数字、_ 和 -，以字母或数字开头",
    ),
};

/// How more options are asked for than a step holds.
pub(super) const STRATEGIES: [&str; 1] = ["two_stage_routing"];

/// Whether a text is `^[a-z0-9][a-z0-9_-]*$`.
pub(super) fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

/// A broken rule of this format.
pub(super) fn rule(found: impl Into<Message>, expected: impl Into<Message>) -> Problem {
    Problem::new(ProblemCode::Other, found, expected)
}

fn found(item: Option<Item<'_>>) -> Message {
    match item {
        Some(item) if item.is_string("") => say("an empty string", "空字符串").into(),
        item => reader::found(item),
    }
}

fn found_entries(item: Option<Item<'_>>, count: Option<usize>) -> Message {
    match count {
        None | Some(0) => found(item),
        Some(1) => say("one entry", "一项").into(),
        Some(count) => Message::new(say("{0} entries", "{0} 项"), &[&count.to_string()]),
    }
}

/// Reads an object with these members and no others, each at most once.
pub(super) fn reader<'j, 'p>(
    item: impl Into<Option<Item<'j>>>,
    at: &'p Pointer<'p>,
    known: &[&str],
    problems: &'p mut Problems,
) -> Option<Reader<'j, 'p>> {
    let item = item.into();
    let mut reader = Reader::new(item, at, problems)?;
    repeated_keys(item?, at, reader.problems);
    reader.only(known);
    Some(reader)
}

pub(super) fn repeated_keys(item: Item<'_>, at: &Pointer<'_>, problems: &mut Problems) {
    let mut seen = HashSet::new();
    for name in item.members().filter_map(|(name, _)| name.string()) {
        if !seen.insert(name.clone()) {
            problems.push(&at.name(&name), || repeated_key(&name));
        }
    }
}

fn text(
    item: Option<Item<'_>>,
    at: &Pointer<'_>,
    form: FieldRule,
    problems: &mut Problems,
) -> Option<JsString> {
    let text = item.and_then(Item::string).filter(|text| (form.accepts)(&text.lossy()));
    if text.is_none() {
        problems.push(at, || rule(found(item), form.expected));
    }
    text
}

impl<'j> Reader<'j, '_> {
    pub(super) fn report_missing(&mut self, key: &str, expected: Message) {
        self.report(key, || rule(found(None), expected));
    }

    pub(super) fn text(&mut self, key: &str, form: FieldRule) -> Option<JsString> {
        text(self.get(key), &self.at.key(key), form, self.problems)
    }

    /// A string of this form; none if the member is not there.
    pub(super) fn text_if_any(&mut self, key: &str, form: FieldRule) -> Option<JsString> {
        self.get(key).and_then(|_| self.text(key, form))
    }

    pub(super) fn id(&mut self, key: &str) -> Option<String> {
        self.text(key, ID).map(|id| id.lossy().into_owned())
    }

    /// An integer of at least `least` and at most `most`, if there is a most.
    pub(super) fn integer(&mut self, key: &str, least: f64, most: Option<f64>) -> Option<f64> {
        let item = self.get(key);
        let fits = |number: &f64| {
            number.is_finite()
                && number.fract() == 0.0
                && *number >= least
                && most.is_none_or(|most| *number <= most)
        };
        let number = item.and_then(Item::number).filter(fits);
        if number.is_none() {
            let expected = match most {
                Some(most) => Message::new(
                    say("an integer from {0} to {1}", "{0} 到 {1} 的整数"),
                    &[&least.to_string(), &most.to_string()],
                ),
                None => Message::new(
                    say("an integer of at least {0}", "不小于 {0} 的整数"),
                    &[&least.to_string()],
                ),
            };
            self.report(key, || rule(found(item), expected));
        }
        number
    }

    /// What `take` makes of the elements of a list of a legal length; those it cannot take are left out.
    pub(super) fn list_of<T>(
        &mut self,
        key: &str,
        length: Length,
        mut take: impl FnMut(Item<'j>, &Pointer<'_>, &mut Problems) -> Option<T>,
    ) -> Option<Vec<T>> {
        let item = self.get(key);
        let at = self.at.key(key);
        let list = item.filter(|item| item.kind() == JsonKind::Array);
        let count = list.map(|list| list.elements().count());
        if !count.is_some_and(|count| count >= length.least && length.most.is_none_or(|most| count <= most)) {
            let problem = || rule(found_entries(item, count), length.expected());
            self.problems.push(&at, || Problem { hint: length.hint(count), ..problem() });
        }
        let elements = list?.elements().enumerate();
        Some(elements.filter_map(|(i, item)| take(item, &at.index(i), self.problems)).collect())
    }

    pub(super) fn ids(&mut self, key: &str, length: Length) -> Option<Vec<String>> {
        self.list_of(key, length, |item, at, problems| {
            text(Some(item), at, ID, problems).map(|id| id.lossy().into_owned())
        })
    }
}

#[derive(Clone, Copy)]
pub(super) struct Length {
    pub(super) least: usize,
    pub(super) most: Option<usize>,
    /// What to do about too many.
    pub(super) too_many: Option<Sentence>,
}

impl Length {
    pub(super) const ANY: Length = Length { least: 0, most: None, too_many: None };
    pub(super) const SOME: Length = Length { least: 1, most: None, too_many: None };

    fn expected(self) -> Message {
        match (self.least, self.most) {
            (0, _) => say("a list", "一个列表").into(),
            (_, None) => LIST.into(),
            (least, Some(most)) => Message::new(
                say("a list of {0} to {1} entries", "有 {0} 到 {1} 项的列表"),
                &[&least.to_string(), &most.to_string()],
            ),
        }
    }

    fn hint(self, count: Option<usize>) -> Option<Message> {
        let too_many = count? > self.most?;
        self.too_many.filter(|_| too_many).map(Message::from)
    }
}
