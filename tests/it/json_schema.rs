//! The part of JSON Schema 2020-12 that the published schemas use, for holding them against the rules in the code.
//!
//! Every keyword, type and format it does not know is a panic: a schema cannot say more than is tested. A pattern may use
//! only what every dialect of regular expressions reads alike. Numbers are doubles, as in JavaScript.

use novel_gate::ask::json::{Item, Kind};
use regex_lite::Regex;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;

/// Whether a document is legal by a schema; `root` holds its definitions.
pub(crate) fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    fault(root, schema, value, "").is_none()
}

/// Panics with the place and the keyword of the first fault of a document, if it has one.
#[track_caller]
pub(crate) fn assert_accepted(schema: &Value, value: &Value) {
    if let Some(fault) = fault(schema, schema, value, "") {
        panic!("{fault}\n{value}");
    }
}

/// How deep a value is read; no schema looks further.
const DEPTH: usize = 40;

/// A value of our own reader as this one takes it: of a key that stands twice the last value, a lone
/// surrogate as the mark that is shown for it.
pub(crate) fn value_of(item: Item<'_>) -> Value {
    value_within(item, DEPTH)
}

fn value_within(item: Item<'_>, depth: usize) -> Value {
    match item.kind() {
        _ if depth == 0 => Value::Null,
        Kind::Object => {
            let members = item.entries().into_iter();
            members
                .map(|(name, value)| (name.display().into_owned(), value_within(value, depth - 1)))
                .collect()
        }
        Kind::Array => item.elements().map(|element| value_within(element, depth - 1)).collect(),
        Kind::String => Value::from(item.string().expect("a string").display().into_owned()),
        // What is beyond every double is still a number.
        Kind::Number => serde_json::from_str(item.source())
            .unwrap_or_else(|_| Value::from(item.number().expect("a number").clamp(f64::MIN, f64::MAX))),
        _ => item.boolean().map_or(Value::Null, Value::from),
    }
}

/// The first fault: where it is, and which keyword says so.
fn fault(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let refused = |keyword: &str| Some(format!("{at}: {keyword}"));
    let keywords = match schema {
        Value::Bool(true) => return None,
        Value::Bool(false) => return refused("false"),
        _ => schema.as_object().expect("a schema is an object, true or false"),
    };
    keywords.iter().find_map(|(keyword, rule)| {
        let inside = Inside { root, schema, at };
        match keyword.as_str() {
            "items" | "properties" | "patternProperties" | "additionalProperties" | "propertyNames" => {
                inside.members(keyword, rule, value)
            }
            "$ref" | "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => {
                inside.combined(keyword, rule, value)
            }
            keyword if keeps(keyword, rule, value) => None,
            keyword => refused(keyword),
        }
    })
}

/// A schema in its document, and the place that it judges.
struct Inside<'s> {
    root: &'s Value,
    schema: &'s Value,
    at: &'s str,
}

impl Inside<'_> {
    fn accepts(&self, schema: &Value, value: &Value) -> bool {
        fault(self.root, schema, value, self.at).is_none()
    }

    fn fault(&self, schema: &Value, value: &Value) -> Option<String> {
        fault(self.root, schema, value, self.at)
    }

    /// The keywords that put schemas together.
    fn combined(&self, keyword: &str, rule: &Value, value: &Value) -> Option<String> {
        let count = || list(rule).iter().filter(|schema| self.accepts(schema, value)).count();
        let good = match keyword {
            "$ref" => {
                let pointer = text(rule).strip_prefix('#').expect("a link inside the schema");
                return self.fault(self.root.pointer(pointer).expect("a definition"), value);
            }
            "allOf" => return list(rule).iter().find_map(|schema| self.fault(schema, value)),
            "anyOf" => count() > 0,
            "oneOf" => count() == 1,
            "not" => !self.accepts(rule, value),
            "if" => {
                let branch = if self.accepts(rule, value) { "then" } else { "else" };
                return self.schema.get(branch).and_then(|schema| self.fault(schema, value));
            }
            // Judged with `if`.
            _ => self.schema.get("if").is_some(),
        };
        (!good).then(|| format!("{}: {keyword}", self.at))
    }

    /// The keywords that apply schemas to what is inside a value.
    fn members(&self, keyword: &str, rule: &Value, value: &Value) -> Option<String> {
        let below = |step: &str, schema: &Value, value: &Value| {
            fault(self.root, schema, value, &format!("{}/{step}", self.at))
        };
        if keyword == "items" {
            let items = value.as_array()?.iter().enumerate();
            return items.into_iter().find_map(|(i, item)| below(&i.to_string(), rule, item));
        }
        let object = value.as_object()?;
        match keyword {
            "propertyNames" => object.keys().find_map(|name| below(name, rule, &Value::from(name.as_str()))),
            "properties" => schemas(rule)
                .find_map(|(name, schema)| object.get(name).and_then(|value| below(name, schema, value))),
            "patternProperties" => schemas(rule).find_map(|(pattern, schema)| {
                let mut found = object.iter().filter(|(name, _)| matches(pattern, name));
                found.find_map(|(name, value)| below(name, schema, value))
            }),
            _ => {
                let named =
                    |name: &str| self.schema.get("properties").is_some_and(|it| it.get(name).is_some());
                let like = |name: &str| {
                    let patterns = self.schema.get("patternProperties").into_iter().flat_map(schemas);
                    patterns.into_iter().any(|(pattern, _)| matches(pattern, name))
                };
                let mut others = object.iter().filter(|(name, _)| !named(name) && !like(name));
                others.find_map(|(name, value)| below(name, rule, value))
            }
        }
    }
}

/// The keywords that judge a value by itself.
fn keeps(keyword: &str, rule: &Value, value: &Value) -> bool {
    let length = || value.as_str().map(|text| text.chars().count() as u64);
    let items = || value.as_array().map(|list| list.len() as u64);
    let has = |name: &Value| value.as_object().is_none_or(|object| object.contains_key(text(name)));
    match keyword {
        "$schema" | "$id" | "$comment" | "$defs" | "title" | "description" | "examples" | "default" => true,
        "format" => {
            matches!(text(rule), "date-time" | "uri-reference")
                || panic!("the format {rule} is not known here")
        }
        "type" if rule.is_array() => list(rule).iter().any(|name| is_of_type(text(name), value)),
        "type" => is_of_type(text(rule), value),
        "const" => same(rule, value),
        "enum" => list(rule).iter().any(|one| same(one, value)),
        "pattern" => value.as_str().is_none_or(|found| matches(text(rule), found)),
        "minLength" => length().is_none_or(|length| length >= number(rule)),
        "maxLength" => length().is_none_or(|length| length <= number(rule)),
        "minimum" => value.as_f64().is_none_or(|found| found >= rule.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|found| found <= rule.as_f64().expect("a number")),
        "minItems" => items().is_none_or(|count| count >= number(rule)),
        "maxItems" => items().is_none_or(|count| count <= number(rule)),
        "uniqueItems" => {
            assert_eq!(rule, true);
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().enumerate().all(|(i, one)| !list[..i].iter().any(|other| same(other, one)))
        }
        "required" => list(rule).iter().all(has),
        "minProperties" => value.as_object().is_none_or(|object| object.len() as u64 >= number(rule)),
        "maxProperties" => value.as_object().is_none_or(|object| object.len() as u64 <= number(rule)),
        "dependentRequired" => {
            schemas(rule).all(|(name, needed)| value.get(name).is_none() || list(needed).iter().all(has))
        }
        _ => panic!("the keyword {keyword} is not known here"),
    }
}

fn text(rule: &Value) -> &str {
    rule.as_str().expect("a string")
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list")
}

fn schemas(rule: &Value) -> impl Iterator<Item = (&String, &Value)> {
    rule.as_object().expect("an object of schemas").iter()
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a count")
}

/// Numbers are equal by value: 1.0 is 1.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("the type {name} is not known here"),
    }
}

/// Whether a pattern is found in a text, as ECMAScript reads it: `$` is the very end.
fn matches(pattern: &str, text: &str) -> bool {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Regex>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        let regex = compiled.entry(pattern.to_owned()).or_insert_with(|| {
            for dialect in
                ["\\d", "\\w", "\\s", "\\b", "\\D", "\\W", "\\S", "\\B", "(?", "\\p", "\\u", "&&", "[["]
            {
                assert!(!pattern.contains(dialect), "not every dialect reads {dialect} alike: {pattern}");
            }
            Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))
        });
        regex.is_match(text)
    })
}

#[cfg(test)]
mod tests {
    use super::accepts;
    use serde_json::{Value, json};

    fn agrees(schema: &Value, good: &[Value], bad: &[Value]) {
        for value in good {
            assert!(accepts(schema, schema, value), "{schema} refuses {value}");
        }
        for value in bad {
            assert!(!accepts(schema, schema, value), "{schema} takes {value}");
        }
    }

    #[test]
    fn a_value_by_itself() {
        agrees(
            &json!({"type": ["integer", "null"]}),
            &[json!(1), json!(1.0), json!(null)],
            &[json!(1.5), json!("1")],
        );
        agrees(
            &json!({"enum": [1, ["a"]]}),
            &[json!(1.0), json!(["a"])],
            &[json!("1"), json!(["b"]), json!([])],
        );
        agrees(
            &json!({"minLength": 2, "maxLength": 3}),
            &[json!("雨停"), json!(1)],
            &[json!("雨"), json!("abcd")],
        );
        agrees(
            &json!({"minimum": 1, "maximum": 2}),
            &[json!(1), json!(2.0), json!("0")],
            &[json!(0.9), json!(3)],
        );
        agrees(&json!({"pattern": "^[a-z]+$"}), &[json!("a"), json!(1)], &[json!("a\n"), json!("")]);
        agrees(
            &json!({"uniqueItems": true}),
            &[json!([1, "1"]), json!(1)],
            &[json!([1, 1.0]), json!([{"a": 1}, {"a": 1}])],
        );
        agrees(
            &json!({"minItems": 1, "maxItems": 2}),
            &[json!([1]), json!({})],
            &[json!([]), json!([1, 2, 3])],
        );
    }

    #[test]
    fn members() {
        let closed = json!({
            "properties": {"a": {"type": "string"}},
            "patternProperties": {"^_": true},
            "additionalProperties": false,
            "dependentRequired": {"a": ["_b"]},
        });
        agrees(
            &closed,
            &[json!({"a": "", "_b": 1}), json!({}), json!([])],
            &[json!({"a": 1, "_b": 1}), json!({"a": ""}), json!({"c": 1})],
        );
        agrees(
            &json!({"additionalProperties": {"type": "string"}}),
            &[json!({"a": "b"})],
            &[json!({"a": 1})],
        );
        agrees(
            &json!({"propertyNames": {"pattern": "^a"}}),
            &[json!({"a": 1}), json!({})],
            &[json!({"b": 1})],
        );
        agrees(&json!({"items": {"type": "string"}}), &[json!(["a"]), json!([])], &[json!(["a", 1])]);
        agrees(
            &json!({"minProperties": 1, "required": ["a"]}),
            &[json!({"a": 1}), json!(1)],
            &[json!({}), json!({"b": 1})],
        );
    }

    #[test]
    fn schemas_together() {
        let kind = json!({
            "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            "then": {"required": ["x"]},
            "else": {"not": {"required": ["x"]}},
        });
        agrees(
            &kind,
            &[json!({"kind": "a", "x": 1}), json!({"kind": "b"})],
            &[json!({"kind": "a"}), json!({"x": 1})],
        );
        let linked =
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"oneOf": [{"minimum": 1}, {"maximum": 2}]}}});
        agrees(&linked, &[json!(0), json!(3)], &[json!(1), json!(2)]);
        agrees(
            &json!({"allOf": [{"minimum": 1}], "anyOf": [false, {"maximum": 2}]}),
            &[json!(1)],
            &[json!(0), json!(3)],
        );
    }

    #[test]
    #[should_panic(expected = "the keyword minimun is not known here")]
    fn a_misspelled_keyword_is_a_panic() {
        accepts(&json!({}), &json!({"minimun": 1}), &json!(1));
    }
}
