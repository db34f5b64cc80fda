//! Writing JSON exactly, lone surrogates included.
//!
//! Responsible for one-line objects and lists, member by member. Not responsible for reading (`json`) nor for the
//! record's own layout (`answer`).

use super::js_string::{JsString, escape_json};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON object in the making; members stand in the order they are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    out: String,
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.clone().finish()).map_err(S::Error::custom)?.serialize(serializer)
    }
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

    /// A member that is JSON already.
    #[must_use]
    pub fn raw(mut self, key: &str, json: &str) -> Object {
        if self.out.len() > 1 {
            self.out.push_str(", ");
        }
        quoted(key, &mut self.out);
        self.out.push_str(": ");
        self.out.push_str(json);
        self
    }

    /// A string.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Object {
        let mut json = String::new();
        quoted(value, &mut json);
        self.raw(key, &json)
    }

    /// A string of the executors' world.
    #[must_use]
    pub fn js(self, key: &str, value: &JsString) -> Object {
        let mut json = String::new();
        value.write_json(&mut json);
        self.raw(key, &json)
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

    /// A string or `null`.
    #[must_use]
    pub fn text_or_null(self, key: &str, value: Option<&str>) -> Object {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// A string of the executors' world, or `null`.
    #[must_use]
    pub fn js_or_null(self, key: &str, value: Option<&JsString>) -> Object {
        match value {
            Some(value) => self.js(key, value),
            None => self.raw(key, "null"),
        }
    }

    /// An integer.
    #[must_use]
    pub fn number(self, key: &str, value: u64) -> Object {
        self.raw(key, &value.to_string())
    }

    /// `true` or `false`.
    #[must_use]
    pub fn boolean(self, key: &str, value: bool) -> Object {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// The finished object, without a line end.
    pub fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

/// A list of values that are JSON already.
pub fn list(values: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for value in values {
        if out.len() > 1 {
            out.push_str(", ");
        }
        out.push_str(&value);
    }
    out.push(']');
    out
}

/// A list of strings of the executors' world.
pub fn js_list<'s>(values: impl IntoIterator<Item = &'s JsString>) -> String {
    list(values.into_iter().map(|value| {
        let mut json = String::new();
        value.write_json(&mut json);
        json
    }))
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    escape_json(text, out);
    out.push('"');
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
