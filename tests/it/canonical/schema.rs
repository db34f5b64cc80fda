//! The published JSON Schema says what the reader accepts, on the samples and on every small change of them.

use super::samples;
use crate::json_schema::{accepts, assert_accepted};
use novel_gate::adapter::canonical;
use serde_json::{Value, json};

/// What any value is replaced by.
fn replacements() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.0),
        json!(2),
        json!(3),
        json!(4),
        json!(2.5),
        json!(-1),
        json!(1e300),
        json!(""),
        json!(" "),
        json!("x"),
        json!("1.0.0"),
        json!("1.0.x"),
        json!("01.2.3.4"),
        json!("a-b_c"),
        json!("-a"),
        json!("é"),
        json!("A"),
        json!(".md"),
        json!("a.md"),
        json!("a\n.md"),
        json!("a.md\n"),
        json!("select_many"),
        json!("judge"),
        json!("pending"),
        json!("defer"),
        json!("two_stage_routing"),
        json!([]),
        json!(["a"]),
        json!([{}]),
        json!({}),
    ]
}

/// Every place in a document.
pub(crate) fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| pointers(value, &format!("{at}/{name}"), out));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), out));
        }
        _ => {}
    }
}

/// The document with one place changed in every way.
pub(crate) fn changes(document: &Value, at: &str) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(changed.pointer_mut(at).expect("a place"));
        changed
    };
    out.extend(replacements().into_iter().map(|value| with(&|place| *place = value.clone())));
    match document.pointer(at).expect("a place") {
        Value::Object(members) => {
            for name in members.keys() {
                out.push(with(&|place| _ = place.as_object_mut().expect("an object").remove(name)));
            }
            for (name, value) in [
                ("extra", json!(1)),
                ("_extra", json!(1)),
                ("implication", json!("i")),
                ("max_choices", json!(2)),
            ] {
                let add = |place: &mut Value| {
                    place.as_object_mut().expect("an object").entry(name).or_insert(value.clone());
                };
                out.push(with(&add));
            }
        }
        Value::Array(items) => {
            if !items.is_empty() {
                out.push(with(&|place| _ = place.as_array_mut().expect("a list").pop()));
            }
            for more in [1, 2] {
                let grow = |place: &mut Value| {
                    let list = place.as_array_mut().expect("a list");
                    let copy = list.last().cloned().unwrap_or(json!({}));
                    list.extend(vec![copy; more]);
                };
                out.push(with(&grow));
            }
        }
        _ => {}
    }
    out
}

#[test]
fn the_schema_says_what_the_reader_accepts() {
    let schema: Value = serde_json::from_str(canonical::SCHEMA).expect("the schema is JSON");
    let (mut legal, mut broken) = (0, 0);
    for (name, document) in samples() {
        assert_accepted(&schema, &document);
        // Of each kind of thing one is enough.
        let mut document = document;
        for (list, most) in [("steps", 2), ("source_prompts", 2)] {
            document[list].as_array_mut().expect("a list").truncate(most);
        }
        let mut places = Vec::new();
        pointers(&document, "", &mut places);
        for at in places {
            for changed in changes(&document, &at) {
                let wanted = accepts(&schema, &schema, &changed);
                let problems = canonical::check_shape(changed.to_string().as_bytes());
                assert_eq!(problems.is_empty(), wanted, "{name} {at}: {changed}\n{problems:?}");
                *(if wanted { &mut legal } else { &mut broken }) += 1;
            }
        }
    }
    assert!(legal > 1_000 && broken > 5_000, "{legal} {broken}");
}

#[test]
fn the_schema_is_laid_out_plainly() {
    assert!(canonical::SCHEMA.ends_with("}\n"));
    assert!(canonical::SCHEMA.lines().all(|line| line.trim_end() == line && !line.contains('\t')));
}
