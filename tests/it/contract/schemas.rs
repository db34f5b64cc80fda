//! The published schemas of the outputs against the mirror types and against everything that was printed.

use super::golden::File;
use super::mirror::{MIRRORS, Mirror};
use crate::json_schema::{accepts, assert_accepted};
use crate::project::Outcome;
use novel_gate::command::output::Output;
use novel_gate::command::schema::OUTPUTS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Reads what a command has printed into its mirror, and holds it against its schema.
pub(super) fn hold(line: &[String], outcome: &Outcome) {
    hold_object(output_of(line), &outcome.out);
}

/// The same for one object of a schema.
pub(super) fn hold_object(output: &Output, text: &str) -> Value {
    let told: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let schema = schema_of(output);
    assert_accepted(&schema, &told);
    let forms = forms_of(&schema, &told);
    assert_eq!(forms.len(), 1, "{}: {forms:?}: {told}", output.name);
    let read = mirror(&forms[0]).read;
    read(&told).unwrap_or_else(|error| panic!("{}, {}: {error}: {told}", output.name, forms[0]));
    told
}

/// The schema with this name.
pub(super) fn named(name: &str) -> &'static Output {
    OUTPUTS.iter().find(|output| output.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The schema of the command in a line; that of failures if there is none.
fn output_of(line: &[String]) -> &'static Output {
    let of_command = |word: &String| {
        OUTPUTS.iter().find(|output| output.name.strip_suffix("-output") == Some(word)).copied()
    };
    line.iter().find_map(of_command).unwrap_or_else(|| named("error-output"))
}

fn schema_of(output: &Output) -> Value {
    serde_json::from_str(&output.schema()).expect("a schema is JSON")
}

fn mirror(name: &str) -> &'static Mirror {
    MIRRORS.iter().find(|mirror| mirror.name == name).unwrap_or_else(|| panic!("{name} has no mirror"))
}

/// The forms that an object has by a schema.
fn forms_of(schema: &Value, told: &Value) -> Vec<String> {
    let forms = schema["anyOf"].as_array().expect("forms");
    let fits = |form: &&Value| accepts(schema, form, told);
    forms.iter().filter(fits).map(|form| name_of(form).expect("a link")).collect()
}

fn name_of(schema: &Value) -> Option<String> {
    Some(schema["$ref"].as_str()?.strip_prefix("#/$defs/")?.to_owned())
}

#[test]
fn every_form_has_the_members_of_its_mirror_and_each_is_described() {
    let mut seen = BTreeSet::new();
    for output in OUTPUTS {
        let schema = schema_of(output);
        assert_eq!(schema["title"], output.name);
        for (name, form) in schema["$defs"].as_object().expect("forms") {
            let members = form["properties"].as_object().expect("members");
            let names: Vec<&str> = members.keys().map(String::as_str).collect();
            assert_eq!(names, (mirror(name).fields)(), "{}, {name}", output.name);
            assert_eq!(form["additionalProperties"], false, "{name}");
            let told = members
                .values()
                .chain([form])
                .all(|schema| schema["description"].as_str().is_some_and(|told| told.len() > 4));
            assert!(told, "{name}: a member is not described");
            for required in form["required"].as_array().expect("names") {
                assert!(members.contains_key(required.as_str().expect("a name")), "{name}: {required}");
            }
            seen.insert(name.clone());
        }
    }
    let mirrored: BTreeSet<String> = MIRRORS.iter().map(|mirror| mirror.name.to_owned()).collect();
    assert_eq!(seen, mirrored);
}

#[test]
fn an_object_with_another_member_is_refused_by_schema_and_mirror() {
    let told = json!({"status": "error", "exit": 2, "code": "usage", "message": "m", "at": null});
    let schema = schema_of(named("error-output"));
    assert_accepted(&schema, &told);
    for (name, value) in [("extra", json!(1)), ("status", json!("ok")), ("at", json!(1)), ("exit", json!(0))]
    {
        let mut other = told.clone();
        other[name] = value;
        assert!(!accepts(&schema, &schema, &other), "{other}");
    }
    for missing in ["status", "exit", "code", "message", "at"] {
        let mut other = told.clone();
        other.as_object_mut().expect("an object").remove(missing);
        assert!(!accepts(&schema, &schema, &other), "{other}");
    }
    let mut other = told;
    other["extra"] = json!(1);
    assert!((mirror("ErrorOutput").read)(&other).is_err());
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn every_member_is_seen_with_a_value() {
    let mut seen = BTreeSet::new();
    for (command, _) in super::COMMANDS {
        for (line, told) in File::read(command).objects() {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            mark(output_of(&words), &told, &mut seen);
        }
    }
    for told in super::watching::objects() {
        mark(named("list-watch-output"), &told, &mut seen);
    }
    let mut unseen = Vec::new();
    for output in OUTPUTS {
        for (name, form) in schema_of(output)["$defs"].as_object().expect("forms") {
            let members = form["properties"].as_object().expect("members");
            let of_value = members.iter().filter(|(_, schema)| schema["type"] != "null");
            unseen.extend(
                of_value.map(|(member, _)| format!("{name}.{member}")).filter(|place| !seen.contains(place)),
            );
        }
    }
    unseen.sort();
    unseen.dedup();
    // A draft is seen in the tests of `list`, and who was told in those of `told`.
    let drafts = ["ListedDraft.answered", "ListedDraft.questions", "ListedGate.draft"];
    let told = [
        "ListedGate.told",
        "ShowOutput.told",
        "Telling.agent",
        "Telling.at",
        "Telling.by",
        "WatchedGate.told",
    ];
    // Questions of an executor's own are in those of the hook.
    let own =
        ["Caller.agent", "Caller.session", "ListedGate.caller", "ShowOutput.caller", "WatchedGate.caller"];
    // The watch that is told here is of other states.
    let notes = ["WatchedGate.note"];
    let mut elsewhere = [&drafts[..], &told, &own, &notes].concat();
    elsewhere.sort_unstable();
    assert_eq!(unseen, elsewhere, "never seen with a value");
}

fn mark(output: &Output, told: &Value, seen: &mut BTreeSet<String>) {
    let schema = schema_of(output);
    let forms = forms_of(&schema, told);
    assert_eq!(forms.len(), 1, "{}: {told}", output.name);
    walk(&schema, &json!({"$ref": format!("#/$defs/{}", forms[0])}), told, seen);
}

/// Marks every member that is there and not null, by its form.
fn walk(root: &Value, schema: &Value, value: &Value, seen: &mut BTreeSet<String>) {
    if let Some(name) = name_of(schema) {
        let form = &root["$defs"][&name];
        for (member, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            seen.insert(format!("{name}.{member}"));
            walk(root, &form["properties"][member], value, seen);
        }
        return;
    }
    for branch in
        schema["anyOf"].as_array().into_iter().flatten().filter(|branch| accepts(root, branch, value))
    {
        walk(root, branch, value, seen);
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema.get("items").is_some()) {
        walk(root, &schema["items"], item, seen);
    }
}
