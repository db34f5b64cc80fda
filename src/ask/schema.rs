//! The JSON Schemas of packets, questions and records.
//!
//! Responsible for texts that say what `decode` and `check` accept, for editors and other programs, and for the schema of the
//! records of one gate. What a schema cannot say is listed in `docs/schemas.md`. Not responsible for the verdict.

use super::js_string::{JsString, js_number};
use super::json::{Item, Json};
use super::object::Object;
use super::question::{Kind, Question, QuestionSpec};

/// JSON Schema, draft 2020-12, of a bare `QuestionSpec`.
pub const QUESTION_SPEC: &str = include_str!("schema/question-spec.schema.json");
/// The same of an instruction packet.
pub const PACKET: &str = include_str!("schema/packet.schema.json");
/// The same of a record whose questions are not known.
pub const ANSWER_SPEC: &str = include_str!("schema/answer-spec.schema.json");

/// The schema of the records that open the gate with these questions: a whole file.
pub fn records_of(spec: &QuestionSpec) -> String {
    let base = Json::parse(ANSWER_SPEC.as_bytes());
    // As they are spelled: a pattern of invisible characters is of no use to a reader.
    let definition = |name: &str| {
        let found = base.as_ref().ok().and_then(|json| json.root().get("$defs")?.get(name));
        found.map(Item::source).unwrap_or_default()
    };
    let definitions = ["words", "note", "answered_at"]
        .into_iter()
        .fold(Object::new(), |object, name| object.raw(name, definition(name)));
    let by = "Who answered: human, claude_code, codex or any other name.";
    let members = Object::new()
        .with("version", &Object::new().raw("const", &js_number(spec.version)))
        .with("topic", &Object::new().with("const", &spec.topic))
        .with("answers", &answers(spec))
        .with("answered_at", &Object::new().with("$ref", "#/$defs/answered_at"))
        .with("answered_by", &Object::new().with("description", by).with("$ref", "#/$defs/words"));
    let notes = Object::new().with("$ref", "#/$defs/note");
    let object = Object::new()
        .with("$schema", "https://json-schema.org/draft/2020-12/schema")
        .with("title", &titled(&spec.topic))
        .with("description", "The records that open this gate, and no others.")
        .with("type", "object")
        .with("required", &["version", "topic", "answers", "answered_at", "answered_by"])
        .with("properties", &members)
        .with("patternProperties", &Object::new().with("^_", &notes))
        .with("additionalProperties", &false)
        .with("$defs", &definitions);
    object.indented()
}

fn titled(topic: &JsString) -> JsString {
    let mut title = JsString::from("AnswerSpec: ");
    title.append(topic);
    title
}

fn answers(spec: &QuestionSpec) -> Object {
    let required = spec.questions.iter().filter(|question| question.must_be_answered());
    let ids: Vec<&str> = required.map(|question| question.id.as_str()).collect();
    let members = spec
        .questions
        .iter()
        .fold(Object::new(), |object, question| object.with(&question.id, &answer(question)));
    Object::new()
        .with("description", "The answers by question id. A question that is left blank has no member.")
        .with("type", "object")
        .with("required", &ids)
        .with("properties", &members)
        .with("additionalProperties", &false)
}

fn answer(question: &Question) -> Object {
    let object = Object::new().with("title", &question.header).with("description", &described(question));
    let labels: Vec<&JsString> = question.default_labels().collect();
    match (question.kind, labels.first()) {
        (Kind::FreeText, _) => object.with("$ref", "#/$defs/words"),
        (Kind::SingleChoice, Some(label)) => one(object.with("default", label), question),
        (Kind::SingleChoice, None) => one(object, question),
        (Kind::MultiChoice, first) => {
            let object = if first.is_some() { object.with("default", &labels) } else { object };
            object
                .with("type", "array")
                .with("minItems", &1)
                .with("uniqueItems", &true)
                .with("items", &one(Object::new(), question))
        }
    }
}

/// One value of a choice.
fn one(object: Object, question: &Question) -> Object {
    let labels: Vec<&JsString> = question.options.iter().map(|option| &option.label).collect();
    if !question.allow_other {
        return object.with("type", "string").with("enum", &labels);
    }
    let label = Object::new()
        .with("description", "A label of the options.")
        .with("type", "string")
        .with("enum", &labels);
    let own = Object::new().with("description", "Words of one's own.").with("$ref", "#/$defs/words");
    object.with("anyOf", &[label, own])
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
        let inner =
            packet.root().get("$defs").and_then(|all| all.get("question_spec")).expect("a definition");
        for name in ["type", "required", "properties", "patternProperties", "additionalProperties"] {
            let rule = |item: Item<'_>| item.get(name).map(Item::compact);
            assert_eq!(rule(inner), rule(spec.root()), "{name}");
            assert!(rule(inner).is_some(), "{name}");
        }
    }
}
