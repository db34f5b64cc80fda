//! The part of JSON Schema that the published schemas use, for holding them against the rules in the code.
//!
//! Every keyword it does not know is a panic: a schema cannot say more than is tested.

use serde_json::Value;

/// Whether a document is legal by a schema; `root` holds its definitions.
pub(crate) fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().expect("a schema is an object");
    keywords.iter().all(|(keyword, rule)| keeps(root, keyword, rule, schema, value))
}

fn keeps(root: &Value, keyword: &str, rule: &Value, schema: &Value, value: &Value) -> bool {
    let each = |mut test: Box<dyn FnMut(&Value) -> bool + '_>| {
        value.as_array().is_none_or(|list| list.iter().all(&mut test))
    };
    match keyword {
        "$schema" | "title" | "description" | "$defs" => true,
        "$ref" => {
            let pointer =
                rule.as_str().and_then(|link| link.strip_prefix('#')).expect("a link inside the schema");
            accepts(root, root.pointer(pointer).expect("a definition"), value)
        }
        "type" => is_of_type(rule.as_str().expect("a type"), value),
        "const" => same(rule, value),
        "enum" => rule.as_array().expect("a list").iter().any(|one| same(one, value)),
        "pattern" => value.as_str().is_none_or(|text| matches(rule.as_str().expect("a pattern"), text)),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= number(rule)),
        "minimum" => value.as_f64().is_none_or(|found| found >= rule.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|found| found <= rule.as_f64().expect("a number")),
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= number(rule)),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= number(rule)),
        "items" => each(Box::new(|item| accepts(root, rule, item))),
        "anyOf" => rule.as_array().expect("schemas").iter().any(|schema| accepts(root, schema, value)),
        "required" => value.as_object().is_none_or(|object| {
            rule.as_array()
                .expect("names")
                .iter()
                .all(|name| object.contains_key(name.as_str().expect("a name")))
        }),
        "properties" => value.as_object().is_none_or(|object| {
            let rules = rule.as_object().expect("schemas");
            rules
                .iter()
                .all(|(name, schema)| object.get(name).is_none_or(|value| accepts(root, schema, value)))
        }),
        "additionalProperties" => {
            assert_eq!(rule, false);
            let known = &schema["properties"];
            value.as_object().is_none_or(|object| object.keys().all(|name| known.get(name).is_some()))
        }
        _ => panic!("the keyword {keyword} is not known here"),
    }
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a count")
}

/// Numbers are equal by value: 1.0 is 1.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() < f64::EPSILON,
        _ => a == b,
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("the type {name} is not known here"),
    }
}

/// The few patterns that the schemas use, as ECMAScript reads them: `$` is the very end.
fn matches(pattern: &str, text: &str) -> bool {
    let lower = |c: char| c.is_ascii_lowercase();
    let digit = |c: char| c.is_ascii_digit();
    match pattern {
        "^[a-z][a-z0-9-]*$" => {
            text.starts_with(lower) && text.chars().all(|c| lower(c) || digit(c) || c == '-')
        }
        "^[a-z0-9][a-z0-9_-]*$" => {
            text.starts_with(|c| lower(c) || digit(c))
                && text.chars().all(|c| lower(c) || digit(c) || "_-".contains(c))
        }
        "^[0-9]+\\.[0-9]+\\.[0-9]+$" => {
            let parts: Vec<&str> = text.split('.').collect();
            parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.chars().all(digit))
        }
        "^[^\\n]+\\.md$" => {
            text.strip_suffix(".md").is_some_and(|stem| !stem.is_empty() && !stem.contains('\n'))
        }
        _ => panic!("the pattern {pattern} is not known here"),
    }
}
