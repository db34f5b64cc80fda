//! Taking a document apart: values of the form they must have, each problem reported at its place.

use super::js_string::JsString;
use super::json::{Item, Kind};
use super::place::Place;
use super::problem::{Expected, Found, ProblemKind, shorten};
use super::problems::Problems;

/// The members of one object (of equal keys the last), where they stand and where their problems go.
pub(crate) struct Reader<'j, 'p> {
    members: Vec<(JsString, Item<'j>)>,
    /// Where the object stands.
    pub(crate) at: &'p Place<'p>,
    /// What has been found so far.
    pub(crate) problems: &'p mut Problems,
}

impl<'j, 'p> Reader<'j, 'p> {
    /// Of an object; a value that is none is a problem.
    pub(crate) fn new(
        item: Item<'j>,
        at: &'p Place<'p>,
        problems: &'p mut Problems,
    ) -> Option<Reader<'j, 'p>> {
        if item.kind() != Kind::Object {
            problems.push(at, wrong(Expected::Object, Some(item)));
            return None;
        }
        Some(Reader { members: item.entries(), at, problems })
    }

    /// Members that are none of these are problems; names that begin with `_` are free.
    pub(crate) fn known(&mut self, keys: &'static [&'static str]) {
        for (key, _) in &self.members {
            if !keys.iter().any(|known| *key == **known) && key.head(1) != "_" {
                self.problems.push(&self.at.name(key), ProblemKind::UnknownField(key.clone(), keys));
            }
        }
    }

    /// The member with this key.
    pub(crate) fn get(&self, key: &str) -> Option<Item<'j>> {
        self.members.iter().find(|(name, _)| *name == *key).map(|&(_, item)| item)
    }

    /// A problem of a member.
    pub(crate) fn tell(&mut self, key: &str, kind: ProblemKind) {
        self.problems.push(&self.at.key(key), kind);
    }

    /// A string that is not blank.
    pub(crate) fn words(&mut self, key: &str) -> Option<JsString> {
        words(self.get(key), &self.at.key(key), self.problems)
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, key: &str) -> Option<bool> {
        let item = self.get(key);
        let value = item.and_then(Item::boolean);
        if value.is_none() {
            self.tell(key, wrong(Expected::Boolean, item));
        }
        value
    }

    /// `version`: an integer of at least 1.
    pub(crate) fn version(&mut self) -> Option<f64> {
        let item = self.get("version");
        let version = item.and_then(Item::number).filter(|v| v.is_finite() && v.fract() == 0.0 && *v >= 1.0);
        if version.is_none() {
            self.tell("version", wrong(Expected::Version, item));
        }
        version
    }

    /// What `take` makes of the elements of a list that must have some; what it cannot take is left out.
    pub(crate) fn list<T>(
        &mut self,
        key: &str,
        mut take: impl FnMut(Item<'j>, &Place<'_>, &mut Problems) -> Option<T>,
    ) -> Vec<T> {
        let at = self.at.key(key);
        let elements = elements(self.get(key), &at, self.problems).enumerate();
        elements.filter_map(|(i, item)| take(item, &at.index(i), self.problems)).collect()
    }
}

/// A string that is not blank.
pub(crate) fn words(item: Option<Item<'_>>, at: &Place<'_>, problems: &mut Problems) -> Option<JsString> {
    let text = item.and_then(Item::string).filter(|text| !text.is_blank());
    if text.is_none() {
        problems.push(at, wrong(Expected::Words, item));
    }
    text
}

/// The elements of a list that must have some.
pub(crate) fn elements<'j>(
    item: Option<Item<'j>>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> impl Iterator<Item = Item<'j>> + use<'j> {
    let mut elements = item.into_iter().flat_map(Item::elements).peekable();
    if elements.peek().is_none() {
        problems.push(at, wrong(Expected::List, item));
    }
    elements
}

/// A value of the wrong type, blank or missing.
pub(crate) fn wrong(expected: Expected, item: Option<Item<'_>>) -> ProblemKind {
    let found = match item {
        None => Found::Nothing,
        Some(item) if item.string().is_some_and(|text| text.is_blank()) => Found::Blank,
        Some(item) if item.kind() == Kind::Array && item.elements().next().is_none() => Found::EmptyList,
        Some(item) => Found::Source(shorten(item.source())),
    };
    ProblemKind::Value(expected, found)
}
