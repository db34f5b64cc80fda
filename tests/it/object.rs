//! JSON objects put together member by member, as other programs than novel-gate would write them.

use novel_gate::ask::JsString;
use novel_gate::ask::to_line;

/// An object in the making; members stand in the order they are added.
#[derive(Clone, Default)]
pub(crate) struct Object {
    members: Vec<String>,
}

impl Object {
    pub(crate) fn new() -> Object {
        Object::default()
    }

    /// A member that is JSON already.
    pub(crate) fn raw(self, key: &str, json: &str) -> Object {
        self.js_key(&key.into(), |out| out.push_str(json))
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Object {
        self.raw(key, &to_line(value))
    }

    pub(crate) fn js(self, key: &str, value: &JsString) -> Object {
        self.raw(key, &to_line(value))
    }

    pub(crate) fn boolean(self, key: &str, value: bool) -> Object {
        self.raw(key, &to_line(&value))
    }

    /// A member whose name may hold lone surrogates; `write` appends its value.
    pub(crate) fn js_key(mut self, key: &JsString, write: impl FnOnce(&mut String)) -> Object {
        let mut member = to_line(key) + ": ";
        write(&mut member);
        self.members.push(member);
        self
    }

    pub(crate) fn finish(self) -> String {
        format!("{{{}}}", self.members.join(", "))
    }
}

/// A list of values that are JSON already.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

pub(crate) fn js_list<'s>(values: impl IntoIterator<Item = &'s JsString>) -> String {
    to_line(&values.into_iter().collect::<Vec<_>>())
}
