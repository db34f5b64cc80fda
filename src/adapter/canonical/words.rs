//! What the format expects of values, and the pieces every reader here is made of.
//!
//! Responsible for the sentences about single values and for taking members out of an object with every problem told. Not
//! responsible for which members a document has (`read`, `source`) nor for what they mean together (`rules`).

use crate::ask::json::{Item, Kind as JsonKind};
use crate::ask::place::Place;
use crate::ask::problem::{ProblemCode, one_of};
use crate::ask::problems::Problems;
use crate::ask::reader::{self, BOOLEAN, LIST, OBJECT, repeated_key, unknown_field, wrong};
use crate::ask::{JsString, Problem};
use crate::text::{Message, Sentence, say};
use std::collections::HashSet;

/// A legal form of text.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) accepts: fn(&str) -> bool,
    pub(super) expected: Sentence,
}

pub(super) const WORDS: Form = Form {
    accepts: |text| !text.is_empty(),
    expected: say("a string that is not empty", "非空的字符串"),
};
pub(super) const ID: Form = Form {
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

/// Takes members out of one object and tells what is wrong with them.
pub(super) struct Taker<'t, 'p> {
    object: Item<'t>,
    at: &'p Place<'p>,
    problems: &'p mut Problems,
}

impl<'t, 'p> Taker<'t, 'p> {
    /// Of an object with these members and no others; nothing if it is none.
    pub(super) fn new(
        item: Item<'t>,
        at: &'p Place<'p>,
        known: &'static [&'static str],
        problems: &'p mut Problems,
    ) -> Option<Taker<'t, 'p>> {
        if item.kind() != JsonKind::Object {
            problems.push(at, || wrong(OBJECT, Some(item)));
            return None;
        }
        let mut taker = Taker { object: item, at, problems };
        taker.check_keys(known);
        Some(taker)
    }

    fn check_keys(&mut self, known: &'static [&'static str]) {
        self.tell_repeated(self.object, self.at);
        for (name, _) in self.object.entries() {
            if !known.iter().any(|key| name == **key) {
                self.problems.push(&self.at.name(&name), || unknown_field(&name, one_of(known)));
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Item<'t>> {
        self.object.get(key)
    }

    /// Tells the repeated keys of a value that another reader takes apart.
    pub(super) fn tell_repeated(&mut self, item: Item<'_>, at: &Place<'_>) {
        let mut seen = HashSet::new();
        for name in item.members().filter_map(|(name, _)| name.string()) {
            if !seen.insert(name.clone()) {
                self.problems.push(&at.name(&name), || repeated_key(&name));
            }
        }
    }

    /// Tells problems that another reader found.
    pub(super) fn tell_all(&mut self, found: Vec<Problem>) {
        self.problems.extend(found);
    }

    /// Tells a problem of a member.
    pub(super) fn tell(&mut self, key: &str, problem: impl FnOnce() -> Problem) {
        self.problems.push(&self.at.key(key), problem);
    }

    /// Tells a member that is not there.
    pub(super) fn tell_missing(&mut self, key: &str, expected: Message) {
        self.tell(key, || rule(found(None), expected));
    }

    /// A string of this form.
    pub(super) fn text(&mut self, key: &str, form: Form) -> Option<JsString> {
        let item = self.get(key);
        self.text_at(item, &self.at.key(key), form)
    }

    /// A string of this form; none if the member is not there.
    pub(super) fn text_if_any(&mut self, key: &str, form: Form) -> Option<JsString> {
        self.get(key).and_then(|_| self.text(key, form))
    }

    fn text_at(&mut self, item: Option<Item<'t>>, at: &Place<'_>, form: Form) -> Option<JsString> {
        let text = item.and_then(Item::string).filter(|text| (form.accepts)(&text.lossy()));
        if text.is_none() {
            self.problems.push(at, || rule(found(item), form.expected));
        }
        text
    }

    /// An id.
    pub(super) fn id(&mut self, key: &str) -> Option<String> {
        self.text(key, ID).map(|id| id.lossy().into_owned())
    }

    /// One of these words: its place.
    pub(super) fn one_of(&mut self, key: &str, words: &'static [&'static str]) -> Option<usize> {
        let item = self.get(key);
        let place = item.and_then(|item| words.iter().position(|word| item.is_string(word)));
        if place.is_none() {
            self.tell(key, || wrong(one_of(words), item));
        }
        place
    }

    /// `true` or `false`; something else if the member is not there.
    pub(super) fn boolean_or(&mut self, key: &str, absent: bool) -> Option<bool> {
        let Some(item) = self.get(key) else { return Some(absent) };
        let value = item.boolean();
        if value.is_none() {
            self.tell(key, || wrong(BOOLEAN, Some(item)));
        }
        value
    }

    /// An object that another reader takes apart; it must be there.
    pub(super) fn demand(&mut self, key: &str) -> Option<Item<'t>> {
        let item = self.get(key);
        if item.is_none() {
            self.tell(key, || wrong(OBJECT, None));
        }
        item
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
            self.tell(key, || rule(found(item), expected));
        }
        number
    }

    /// The elements of a list of a legal length, each taken on its own. What cannot be taken is left out.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        length: Length,
        mut take: impl FnMut(Item<'t>, &Place<'_>, &mut Problems) -> Option<T>,
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

    /// A list of ids.
    pub(super) fn ids(&mut self, key: &str, length: Length) -> Option<Vec<String>> {
        self.list(key, length, |item, at, problems| {
            let mut taker = Taker { object: item, at, problems };
            let id = taker.text_at(Some(item), at, ID);
            id.map(|id| id.lossy().into_owned())
        })
    }
}

/// How many elements a list may have.
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
