//! Where a value stands in its document: JSON pointers (RFC 6901) that cost nothing until there is something to point at.

use super::js_string::JsString;

/// Longest key that a pointer spells out, in characters.
const KEY_LIMIT: usize = 200;

/// A value's place: a chain of steps from the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    above: Option<&'p Place<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Name(&'p JsString),
    Index(usize),
}

impl<'p> Place<'p> {
    /// The whole document.
    pub(crate) const ROOT: Place<'static> = Place { above: None, step: Step::Root };

    /// A member, by a key of the format or a legal id.
    pub(crate) fn key(&'p self, key: &'p str) -> Place<'p> {
        Place { above: Some(self), step: Step::Key(key) }
    }

    /// A member, by a key of the document.
    pub(crate) fn name(&'p self, name: &'p JsString) -> Place<'p> {
        Place { above: Some(self), step: Step::Name(name) }
    }

    /// An element of a list.
    pub(crate) fn index(&'p self, index: usize) -> Place<'p> {
        Place { above: Some(self), step: Step::Index(index) }
    }

    /// The JSON pointer; empty for the whole document. Overlong keys are cut.
    pub(crate) fn pointer(&self) -> String {
        let mut out = self.above.map(Place::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(key) => out.extend(["/", &escape(&key.into())]),
            Step::Name(name) => out.extend(["/", &escape(name)]),
            Step::Index(index) => out.extend(["/", &index.to_string()]),
        }
        out
    }
}

/// A key as a pointer spells it.
pub(crate) fn escape(name: &JsString) -> String {
    let head = name.head(KEY_LIMIT);
    let mut out = head.display().replace('~', "~0").replace('/', "~1");
    if head.len() < name.len() {
        out.push('…');
    }
    out
}

/// The key that a pointer spells so.
pub(crate) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_json_pointer() {
        assert_eq!(Place::ROOT.pointer(), "");
        let odd = JsString::from("a/b~c");
        let answers = Place::ROOT.key("answers");
        let entries = answers.name(&odd);
        assert_eq!(entries.index(3).pointer(), "/answers/a~1b~0c/3");
    }

    #[test]
    fn an_overlong_key_is_cut() {
        let name = JsString::from("x".repeat(50_000_000));
        let pointer = Place::ROOT.name(&name).pointer();
        assert_eq!(pointer, format!("/{}…", "x".repeat(KEY_LIMIT)));
    }
}
