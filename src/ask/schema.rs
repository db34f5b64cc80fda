//! The JSON Schemas of packets, questions and records.
//!
//! Responsible for texts that say what `decode` and `check` accept, for editors and other programs, and for the schema of the
//! records of one gate. What a schema cannot say is listed in `docs/schemas.md`. Not responsible for the verdict.

use super::js_string::{JsString, js_number};
use super::json::Json;
use super::object::{Object, js_list, list};
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
    let definition = |name: &str| -> String {
        let found = base.as_ref().ok().and_then(|json| json.root().get("$defs")?.get(name));
        found.map(|item| item.source().to_owned()).unwrap_or_default()
    };
    let words = |text: &str| Object::new().text("description", text).text("$ref", "#/$defs/words").finish();
    let members = Object::new()
        .raw("version", &Object::new().raw("const", &js_number(spec.version)).finish())
        .raw("topic", &Object::new().js("const", &spec.topic).finish())
        .raw("answers", &answers(spec))
        .raw("answered_at", &Object::new().text("$ref", "#/$defs/answered_at").finish())
        .raw("answered_by", &words("Who answered: human, claude_code, codex or any other name."));
    let definitions = ["words", "note", "answered_at"]
        .into_iter()
        .fold(Object::new(), |object, name| object.raw(name, &definition(name)));
    let notes = Object::new().text("$ref", "#/$defs/note").finish();
    let object = Object::new()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .js("title", &titled(&spec.topic))
        .text("description", "The records that open this gate, and no others.")
        .text("type", "object")
        .raw("required", r#"["version", "topic", "answers", "answered_at", "answered_by"]"#)
        .raw("properties", &members.finish())
        .raw("patternProperties", &Object::new().raw("^_", &notes).finish())
        .boolean("additionalProperties", false)
        .raw("$defs", &definitions.finish());
    let flat = object.finish();
    let mut out = Json::parse(flat.as_bytes()).map(|json| json.root().indented()).unwrap_or_default();
    out.push('\n');
    out
}

fn titled(topic: &JsString) -> JsString {
    let mut title = JsString::from("AnswerSpec: ");
    title.append(topic);
    title
}

fn answers(spec: &QuestionSpec) -> String {
    let required = spec.questions.iter().filter(|question| question.must_be_answered());
    let ids: Vec<JsString> = required.map(|question| question.id.as_str().into()).collect();
    let members = spec
        .questions
        .iter()
        .fold(Object::new(), |object, question| object.raw(&question.id, &answer(question)));
    Object::new()
        .text("description", "The answers by question id. A question that is left blank has no member.")
        .text("type", "object")
        .raw("required", &js_list(&ids))
        .raw("properties", &members.finish())
        .boolean("additionalProperties", false)
        .finish()
}

fn answer(question: &Question) -> String {
    let object = Object::new().js("title", &question.header).js("description", &described(question));
    let labels: Vec<&JsString> = question.default_labels().collect();
    match (question.kind, labels.first()) {
        (Kind::FreeText, _) => object.text("$ref", "#/$defs/words"),
        (Kind::SingleChoice, Some(label)) => one(object.js("default", label), question),
        (Kind::SingleChoice, None) => one(object, question),
        (Kind::MultiChoice, first) => {
            let object = match first {
                Some(_) => object.raw("default", &js_list(labels)),
                None => object,
            };
            object
                .text("type", "array")
                .number("minItems", 1)
                .boolean("uniqueItems", true)
                .raw("items", &one(Object::new(), question).finish())
        }
    }
    .finish()
}

/// One value of a choice.
fn one(object: Object, question: &Question) -> Object {
    let labels = js_list(question.options.iter().map(|option| &option.label));
    if !question.allow_other {
        return object.text("type", "string").raw("enum", &labels);
    }
    let label = Object::new()
        .text("description", "A label of the options.")
        .text("type", "string")
        .raw("enum", &labels)
        .finish();
    let own = Object::new().text("description", "Words of one's own.").text("$ref", "#/$defs/words").finish();
    object.raw("anyOf", &list([label, own]))
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
    use crate::ask::json::Item;

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
