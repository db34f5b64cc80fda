//! Reads documents: values of the form they must have, with every problem reported at its place.

use super::js_string::JsString;
use super::json::{Item, Kind};
use super::problem::{
    Pointer, Problem, ProblemCode, Problems, nearest_word, one_of, quoted, quoting, shorten, twice,
};
use super::syntax::SyntaxKind;
use crate::text::{Message, Sentence, say};
use strum::VariantArray;

const OBJECT: Sentence = say("an object { {0} }", "一个对象 { {0} }");
/// The members of an `answers` object.
pub(crate) const ANSWERS: [&str; 1] = ["id: answer"];
pub(crate) const LIST: Sentence = say("a list with at least one entry", "至少有一项的列表");
pub(crate) const WORDS: Sentence = say("a string that is not blank", "非空白的字符串");
pub(crate) const BOOLEAN: Sentence = say("true or false", "true 或 false");

/// The members of one object (of equal keys the last), where they stand and where their problems go.
pub(crate) struct Reader<'j, 'p> {
    object: Item<'j>,
    pub(crate) at: &'p Pointer<'p>,
    /// What has been found so far.
    pub(crate) problems: &'p mut Problems,
}

impl<'j, 'p> Reader<'j, 'p> {
    /// Of an object; anything else is a problem.
    pub(crate) fn new(
        item: impl Into<Option<Item<'j>>>,
        at: &'p Pointer<'p>,
        problems: &'p mut Problems,
    ) -> Option<Reader<'j, 'p>> {
        Reader::of(&[], item, at, problems)
    }

    /// Of an object whose members have such names.
    pub(crate) fn of(
        names: &[&str],
        item: impl Into<Option<Item<'j>>>,
        at: &'p Pointer<'p>,
        problems: &'p mut Problems,
    ) -> Option<Reader<'j, 'p>> {
        match item.into() {
            Some(object) if object.kind() == Kind::Object => Some(Reader { object, at, problems }),
            item => {
                problems.push(at, || no_object(names, item));
                None
            }
        }
    }

    /// Members that are none of these are problems; names that begin with `_` are free.
    pub(crate) fn known(&mut self, keys: &'static [&'static str]) {
        for key in strange(self.object, keys).filter(|key| key.head(1) != "_") {
            self.problems.push_with(&self.at.name(&key), |hint| {
                let expected =
                    say("one of: {0}; or a name that begins with _", "{1} 之一，或以 _ 开头的名字");
                let expected = Message::new(expected, &[&keys.join(", "), &keys.join("、")]);
                unknown_field(&key, expected).with_nearest(hint.then(|| nearest_word(&key, keys)).flatten())
            });
        }
    }

    /// Members whose names begin with `_` and are none of these are problems.
    pub(crate) fn ours(&mut self, keys: &[&str]) {
        for key in strange(self.object, keys).filter(|key| key.head(1) == "_") {
            self.strange(&key, keys);
        }
    }

    /// Any other member than these is a problem.
    pub(crate) fn only(&mut self, keys: &[&str]) {
        for key in strange(self.object, keys) {
            self.strange(&key, keys);
        }
    }

    fn strange(&mut self, key: &JsString, keys: &[&str]) {
        self.problems.push_with(&self.at.name(key), |hint| {
            unknown_field(key, one_of(keys)).with_nearest(hint.then(|| nearest_word(key, keys)).flatten())
        });
    }

    pub(crate) fn get(&self, key: &str) -> Option<Item<'j>> {
        self.object.get(key)
    }

    /// A member that is there and not null.
    pub(crate) fn given(&self, key: &str) -> Option<Item<'j>> {
        self.object.given(key)
    }

    pub(crate) fn report(&mut self, key: &str, problem: impl FnOnce() -> Problem) {
        self.problems.push(&self.at.key(key), problem);
    }

    /// A string that is not blank.
    pub(crate) fn words(&mut self, key: &str) -> Option<JsString> {
        words(self.get(key), &self.at.key(key), self.problems)
    }

    pub(crate) fn boolean(&mut self, key: &str) -> Option<bool> {
        let item = self.get(key);
        let value = item.and_then(Item::boolean);
        if value.is_none() {
            self.report(key, || wrong_word(BOOLEAN, &["true", "false"], item));
        }
        value
    }

    /// One of these words: its place among them.
    pub(crate) fn one_of(&mut self, key: &str, words: &[&str]) -> Option<usize> {
        let item = self.get(key);
        let place = item.and_then(|item| words.iter().position(|word| item.is_string(word)));
        if place.is_none() {
            self.report(key, || wrong_word(one_of(words), words, item));
        }
        place
    }

    /// One of the names of an enum's variants.
    pub(crate) fn variant<T: VariantArray + Copy + Into<&'static str>>(&mut self, key: &str) -> Option<T> {
        let names: Vec<&str> = T::VARIANTS.iter().map(|&variant| variant.into()).collect();
        self.one_of(key, &names).map(|place| T::VARIANTS[place])
    }

    /// `version`: an integer of at least 1.
    pub(crate) fn version(&mut self) -> Option<f64> {
        let item = self.get("version");
        let version = item.and_then(Item::number).filter(|v| v.is_finite() && v.fract() == 0.0 && *v >= 1.0);
        if version.is_none() {
            let expected = say("an integer of at least 1", "不小于 1 的整数");
            self.report("version", || wrong(expected, item));
        }
        version
    }

    /// What `take` makes of the elements of a list, which must have some; those it cannot take are left out.
    pub(crate) fn list<T>(
        &mut self,
        key: &str,
        mut take: impl FnMut(Item<'j>, &Pointer<'_>, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let at = self.at.key(key);
        let elements = elements(self.get(key), &at, self.problems).enumerate();
        elements.filter_map(|(i, item)| take(item, &at.index(i), self.problems)).collect()
    }
}

/// The keys of an object that are none of these.
fn strange(object: Item<'_>, known: &[&str]) -> impl Iterator<Item = JsString> {
    let is_usual = object.members().all(|(key, _)| known.iter().any(|known| key.is_string(known)));
    let entries = if is_usual { Vec::new() } else { object.entries() };
    entries.into_iter().map(|(key, _)| key).filter(|key| !known.iter().any(|known| *key == **known))
}

/// A string that is not blank.
pub(crate) fn words(item: Option<Item<'_>>, at: &Pointer<'_>, problems: &mut Problems) -> Option<JsString> {
    let text = item.and_then(Item::string).filter(|text| !text.is_blank());
    if text.is_none() {
        problems.push(at, || wrong(WORDS, item));
    }
    text
}

/// The elements of a list that must have some.
pub(crate) fn elements<'j>(
    item: Option<Item<'j>>,
    at: &Pointer<'_>,
    problems: &mut Problems,
) -> impl Iterator<Item = Item<'j>> + use<'j> {
    let mut elements = item.into_iter().flat_map(Item::elements).peekable();
    if elements.peek().is_none() {
        problems.push(at, || wrong(LIST, item));
    }
    elements
}

/// A value of the wrong form, blank or missing.
pub(crate) fn wrong(expected: impl Into<Message>, item: Option<Item<'_>>) -> Problem {
    let code = if item.is_none_or(is_blank) { ProblemCode::Blank } else { ProblemCode::WrongForm };
    Problem::new(code, found(item), expected)
}

/// The same where one of these words must stand.
pub(crate) fn wrong_word(expected: impl Into<Message>, words: &[&str], item: Option<Item<'_>>) -> Problem {
    let found = item.and_then(Item::string).filter(|found| !found.is_blank());
    wrong(expected, item).with_nearest(found.and_then(|found| nearest_word(&found, words)))
}

/// A value that is no object with such members; without their names, of any.
pub(crate) fn no_object(names: &[&str], item: Option<Item<'_>>) -> Problem {
    let expected = match names {
        [] => say("an object {…}", "一个对象 {…}").into(),
        _ => Message::new(OBJECT, &[&names.join(", ")]),
    };
    let problem = wrong(expected, item);
    let is_held = item.and_then(Item::string).is_some_and(|text| text.trimmed().head(1) == "{");
    Problem { hint: SyntaxKind::Escaped.hint().filter(|_| is_held).map(Message::from), ..problem }
}

/// A key that the format does not have.
pub(crate) fn unknown_field(key: &JsString, expected: Message) -> Problem {
    let found = quoting(say("the unknown field {0}", "未知字段{0}"), key);
    Problem::new(ProblemCode::UnknownField, found, expected)
}

/// A key that appears twice in its object.
pub(crate) fn repeated_key(key: &JsString) -> Problem {
    let expected = say("each key once in an object", "每个键在对象里只出现一次");
    Problem::new(ProblemCode::RepeatedKey, twice(key), expected)
        .with_hint(say("The last value counts; remove the others.", "以最后一个值为准；请删去其余的。"))
}

/// What stands at a place, for a sentence.
pub(crate) fn found(item: Option<Item<'_>>) -> Message {
    match item {
        None => say("nothing", "没有这个字段").into(),
        Some(item) if item.string().is_some_and(|text| text.is_blank()) => {
            say("only white space", "只有空白").into()
        }
        Some(item) if item.kind() == Kind::Array && is_blank(item) => say("an empty list", "列表为空").into(),
        Some(item) => quoted(&shorten(item.source())),
    }
}

/// Whether a value says nothing, so that leaving it out loses no words.
fn is_blank(item: Item<'_>) -> bool {
    match item.kind() {
        Kind::Null => true,
        Kind::Array => item.elements().next().is_none(),
        Kind::Object => item.members().next().is_none(),
        Kind::String => item.string().is_some_and(|text| text.is_blank()),
        Kind::Boolean | Kind::Number => false,
    }
}
