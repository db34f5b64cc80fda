//! JSON objects put together member by member.
//!
//! For objects that no struct describes: their keys come from a document. A `serde_json::Value` cannot hold them, because
//! strings and keys may have lone surrogates.

use super::js_string::JsString;
use super::to_json::{raw, to_line};
use serde::{Serialize, Serializer};

/// A JSON object in the making; members stand in the order they are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    out: String,
}

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

impl Object {
    /// `{}`
    pub fn new() -> Object {
        Object { out: "{".to_owned() }
    }

    /// A member.
    #[must_use]
    pub fn with(self, key: &str, value: &(impl Serialize + ?Sized)) -> Object {
        self.raw(key, &to_line(value))
    }

    /// A member that is JSON already.
    #[must_use]
    pub fn raw(self, key: &str, json: &str) -> Object {
        self.js_key(&key.into(), |out| out.push_str(json))
    }

    /// A member whose name is a string of the executors' world; `write` appends its JSON.
    #[must_use]
    pub fn js_key(mut self, key: &JsString, write: impl FnOnce(&mut String)) -> Object {
        if self.out.len() > 1 {
            self.out.push_str(", ");
        }
        key.write_json(&mut self.out);
        self.out.push_str(": ");
        write(&mut self.out);
        self
    }

    /// A string.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Object {
        self.with(key, value)
    }

    /// A string of the executors' world.
    #[must_use]
    pub fn js(self, key: &str, value: &JsString) -> Object {
        self.with(key, value)
    }

    /// A string or `null`.
    #[must_use]
    pub fn text_or_null(self, key: &str, value: Option<&str>) -> Object {
        self.with(key, &value)
    }

    /// A string of the executors' world, or `null`.
    #[must_use]
    pub fn js_or_null(self, key: &str, value: Option<&JsString>) -> Object {
        self.with(key, &value)
    }

    /// An integer.
    #[must_use]
    pub fn number(self, key: &str, value: u64) -> Object {
        self.with(key, &value)
    }

    /// `true` or `false`.
    #[must_use]
    pub fn boolean(self, key: &str, value: bool) -> Object {
        self.with(key, &value)
    }

    /// The finished object, without a line end.
    pub fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(self.clone().finish()).serialize(serializer)
    }
}

/// A list of values that are JSON already.
pub fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

/// A list of strings of the executors' world.
pub fn js_list<'s>(values: impl IntoIterator<Item = &'s JsString>) -> String {
    to_line(&values.into_iter().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_lists_are_json() {
        let mut lone = JsString::default();
        lone.push_unit(0xD800);
        let object = Object::new().text("a\"", "x\n").js("b", &lone).number("c", 3).boolean("d", false);
        let json =
            object.raw("e", &list([Object::new().finish(), "1".into()])).js_or_null("f", None).finish();
        assert_eq!(json, r#"{"a\"": "x\n", "b": "\ud800", "c": 3, "d": false, "e": [{}, 1], "f": null}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&json.replace("\\ud800", "")).is_ok());
    }
}
