//! The JSON Schemas of packets, questions and records, and of the records of one gate.
//!
//! They say what `decode` and `check` accept, for editors and other programs. What a schema cannot say is listed in
//! `docs/packets.md`.

use super::js_string::{JsString, js_number, raw};
use super::json::{Item, Json, object, to_indented, to_raw};
use super::question::{Kind, Question, QuestionSpec};
use serde_json::value::RawValue;

/// JSON Schema, draft 2020-12, of a bare `QuestionSpec`.
pub const QUESTION_SPEC: &str = include_str!("schema/question-spec.schema.json");
/// The same of a standing question, whose members that begin with `_` are known.
pub const STANDING_QUESTION: &str = include_str!("schema/standing-question.schema.json");
/// The same of an instruction packet.
pub const PACKET: &str = include_str!("schema/packet.schema.json");
/// The same of a record whose questions are not known.
pub const ANSWER_SPEC: &str = include_str!("schema/answer-spec.schema.json");

type Members = Vec<(&'static str, Box<RawValue>)>;

/// The schema of the records that open the gate with these questions: a whole file.
pub fn records_of(spec: &QuestionSpec) -> String {
    let base = Json::parse(ANSWER_SPEC.as_bytes());
    // As they are spelled: a pattern of invisible characters is of no use to a reader.
    let definition = |name: &'static str| {
        let found = base.as_ref().ok().and_then(|json| json.root().get("$defs")?.get(name));
        (name, raw(found.map(Item::source).unwrap_or_default().to_owned()))
    };
    let by = "Who answered: human, claude_code, codex or any other name.";
    let members = [
        ("version", object([("const", raw(js_number(spec.version)))])),
        ("topic", object([("const", &spec.topic)])),
        ("answers", answers(spec)),
        ("answered_at", object([("$ref", "#/$defs/answered_at")])),
        ("answered_by", object([("description", by), ("$ref", "#/$defs/words")])),
    ];
    to_indented(&object([
        ("$schema", to_raw("https://json-schema.org/draft/2020-12/schema")),
        ("title", to_raw(&titled(&spec.topic))),
        ("description", to_raw("The records that open this gate, and no others.")),
        ("type", to_raw("object")),
        ("required", to_raw(&["version", "topic", "answers", "answered_at", "answered_by"])),
        ("properties", object(members)),
        ("patternProperties", object([("^_", object([("$ref", "#/$defs/note")]))])),
        ("additionalProperties", to_raw(&false)),
        ("$defs", object(["words", "note", "answered_at"].map(definition))),
    ]))
}

fn titled(topic: &JsString) -> JsString {
    let mut title = JsString::from("AnswerSpec: ");
    title.append(topic);
    title
}

fn answers(spec: &QuestionSpec) -> Box<RawValue> {
    let required = spec.questions.iter().filter(|question| question.must_be_answered());
    let ids: Vec<&str> = required.map(|question| question.id.as_str()).collect();
    object([
        ("description", to_raw("The answers by question id. A question that is left blank has no member.")),
        ("type", to_raw("object")),
        ("required", to_raw(&ids)),
        ("properties", object(spec.questions.iter().map(|question| (&question.id, answer(question))))),
        ("additionalProperties", to_raw(&false)),
    ])
}

fn answer(question: &Question) -> Box<RawValue> {
    let mut members =
        vec![("title", to_raw(&question.header)), ("description", to_raw(&described(question)))];
    let labels: Vec<&JsString> = question.default_labels().collect();
    match (question.kind, labels.first()) {
        (_, None) => {}
        (Kind::MultiChoice, _) => members.push(("default", to_raw(&labels))),
        (_, Some(label)) => members.push(("default", to_raw(label))),
    }
    match question.kind {
        Kind::FreeText => members.push(("$ref", to_raw("#/$defs/words"))),
        Kind::SingleChoice => members.extend(one(question)),
        Kind::MultiChoice => members.extend([
            ("type", to_raw("array")),
            ("minItems", to_raw(&1)),
            ("uniqueItems", to_raw(&true)),
            ("items", object(one(question))),
        ]),
    }
    object(members)
}

/// One value of a choice.
fn one(question: &Question) -> Members {
    let labels: Vec<&JsString> = question.options.iter().map(|option| &option.label).collect();
    let label = vec![("type", to_raw("string")), ("enum", to_raw(&labels))];
    if !question.allow_other {
        return label;
    }
    let described = [("description", to_raw("A label of the options."))];
    let own = object([("description", "Words of one's own."), ("$ref", "#/$defs/words")]);
    vec![("anyOf", to_raw(&[object(described.into_iter().chain(label)), own]))]
}

/// The question, and what each option means.
fn described(question: &Question) -> JsString {
    let mut out = question.question.clone();
    for option in &question.options {
        out.push_str("\n- ");
        out.append(&option.label);
        out.push_str(": ");
        out.append(&option.description);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::decode_spec;
    use serde_json::{Value, json};

    #[test]
    fn the_schema_of_a_gate_names_its_questions_and_labels() {
        let spec = decode_spec(
            r#"{"version": 2, "topic": "平台", "questions": [
                {"id": "platform", "header": "H", "question": "Where?", "kind": "single_choice", "required": true,
                 "options": [{"label": "a\ud800", "description": "one"}, {"label": "b", "description": "two"}], "default": "b"},
                {"id": "tags", "header": "T", "question": "Which?", "kind": "multi_choice", "required": false,
                 "allow_other": true, "options": [{"label": "x", "description": "y"}], "default": ["x"]},
                {"id": "constructor", "header": "C", "question": "Why?", "kind": "free_text", "required": false}]}"#
                .as_bytes(),
        )
        .expect("legal");
        let text = records_of(&spec);
        let json = Json::parse(text.as_bytes()).expect("JSON");
        let at =
            |keys: &[&str]| keys.iter().try_fold(json.root(), |item, key| item.get(key)).map(Item::compact);
        let answers = ["properties", "answers"];
        let member = |id: &str, key: &str| at(&[&answers[..], &["properties", id, key]].concat());
        assert_eq!(at(&["properties", "version"]).as_deref(), Some(r#"{"const":2}"#));
        assert_eq!(at(&["properties", "topic"]).as_deref(), Some(r#"{"const":"平台"}"#));
        let required = at(&["properties", "answers", "required"]);
        assert_eq!(required.as_deref(), Some(r#"["platform","constructor"]"#));
        assert_eq!(member("platform", "enum").as_deref(), Some(r#"["a\ud800","b"]"#));
        assert_eq!(member("platform", "default").as_deref(), Some(r#""b""#));
        assert_eq!(
            member("platform", "description").as_deref(),
            Some(r#""Where?\n- a\ud800: one\n- b: two""#)
        );
        assert_eq!(member("tags", "default").as_deref(), Some(r#"["x"]"#));
        assert!(member("tags", "items").is_some_and(|items| items.contains("anyOf")));
        assert_eq!(member("constructor", "$ref").as_deref(), Some("\"#/$defs/words\""));
        assert!(at(&["$defs", "answered_at", "pattern"]).is_some());
    }

    #[test]
    fn the_schemas_share_their_definitions() {
        let parse = |text: &'static str| Json::parse(text.as_bytes()).expect("JSON");
        let (packet, spec, answer) = (parse(PACKET), parse(QUESTION_SPEC), parse(ANSWER_SPEC));
        let definition = |json: &Json<'_>, name: &str| {
            json.root().get("$defs").and_then(|all| all.get(name)).map(Item::compact)
        };
        for name in ["words", "note", "question", "option"] {
            assert!(definition(&spec, name).is_some(), "{name}");
            assert_eq!(definition(&packet, name), definition(&spec, name), "{name}");
        }
        for name in ["words", "note"] {
            assert_eq!(definition(&answer, name), definition(&spec, name), "{name}");
        }
        // What makes a verdict stands in a file, and what has become of it in a packet.
        let shared = |text: &str| {
            let mut all: Value = serde_json::from_str(text).expect("JSON");
            let question = &mut all["$defs"]["question"];
            for name in ["_opens_on", "_sends_back", "_propose"] {
                question["properties"].as_object_mut().expect("members").remove(name);
            }
            let rules = question["allOf"].as_array_mut().expect("rules");
            let ours = [json!(["_opens_on"]), json!(["_propose"])];
            rules.retain(|rule| !ours.contains(&rule["if"]["required"]));
            all["$defs"].take()
        };
        assert_eq!(shared(STANDING_QUESTION), shared(QUESTION_SPEC));
        let inner =
            packet.root().get("$defs").and_then(|all| all.get("question_spec")).expect("a definition");
        for name in ["type", "required", "properties", "patternProperties", "additionalProperties"] {
            let rule = |item: Item<'_>| item.get(name).map(Item::compact);
            assert_eq!(rule(inner), rule(spec.root()), "{name}");
            assert!(rule(inner).is_some(), "{name}");
        }
    }
}
