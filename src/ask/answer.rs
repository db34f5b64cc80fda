//! Answers and the record that carries them.
//!
//! Responsible for the shape of an `AnswerSpec` and for its bytes. Not responsible for whether it fits its questions
//! (`check`) nor for where it lies (`store`).

use super::js_string::{JsString, js_number};
use super::question::QuestionSpec;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Answer {
    /// For `single_choice` and `free_text`.
    One(JsString),
    /// For `multi_choice`; never empty.
    Many(Vec<JsString>),
}

/// Answers by question id; the order is kept.
pub type Answers = Vec<(String, Answer)>;

/// What the author wrote beside answers, by question id. It goes into the record under `_notes`, which no validator looks
/// into.
pub type Notes = Vec<(JsString, JsString)>;

/// A valid record.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSpec {
    /// The spec's version.
    pub version: f64,
    /// The spec's topic.
    pub topic: JsString,
    /// Answered questions only: an unanswered one has no id here.
    pub answers: Answers,
    /// RFC 3339 with a zone.
    pub answered_at: JsString,
    /// Who answered: `human`, `claude_code`, `codex`, or any name.
    pub answered_by: JsString,
    /// Notes on the answers; mostly none.
    pub notes: Notes,
}

impl Answer {
    /// The strings of the answer.
    pub fn values(&self) -> &[JsString] {
        match self {
            Answer::One(value) => std::slice::from_ref(value),
            Answer::Many(values) => values,
        }
    }

    /// Appends the JSON form on one line.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Answer::One(value) => value.write_json(out),
            Answer::Many(values) => {
                out.push('[');
                for (i, value) in values.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    value.write_json(out);
                }
                out.push(']');
            }
        }
    }
}

impl AnswerSpec {
    /// The record with these answers to a spec, without notes.
    pub fn of(
        spec: &QuestionSpec,
        answers: Answers,
        answered_at: JsString,
        answered_by: JsString,
    ) -> AnswerSpec {
        let (version, topic) = (spec.version, spec.topic.clone());
        AnswerSpec { version, topic, answers, answered_at, answered_by, notes: Notes::new() }
    }

    /// The bytes of the record file: keys in the order version, topic, answers, `answered_at`, `answered_by`
    /// and, if there are notes, `_notes`; two-space JSON as `JSON.stringify(value, null, 2)` makes it, and a final newline.
    pub fn to_json(&self) -> String {
        let mut out = format!("{{\n  \"version\": {},\n  \"topic\": ", js_number(self.version));
        self.topic.write_json(&mut out);
        out.push_str(",\n  \"answers\": {");
        for (i, (id, answer)) in self.answers.iter().enumerate() {
            out.push_str(if i == 0 { "\n    " } else { ",\n    " });
            out.push_str(&format!("\"{id}\": "));
            match answer {
                Answer::One(value) => value.write_json(&mut out),
                Answer::Many(values) => {
                    for (j, value) in values.iter().enumerate() {
                        out.push_str(if j == 0 { "[\n      " } else { ",\n      " });
                        value.write_json(&mut out);
                    }
                    out.push_str("\n    ]");
                }
            }
        }
        out.push_str(if self.answers.is_empty() { "},\n" } else { "\n  },\n" });
        out.push_str("  \"answered_at\": ");
        self.answered_at.write_json(&mut out);
        out.push_str(",\n  \"answered_by\": ");
        self.answered_by.write_json(&mut out);
        for (i, (id, note)) in self.notes.iter().enumerate() {
            out.push_str(if i == 0 { ",\n  \"_notes\": {\n    " } else { ",\n    " });
            id.write_json(&mut out);
            out.push_str(": ");
            note.write_json(&mut out);
        }
        out.push_str(if self.notes.is_empty() { "\n}\n" } else { "\n  }\n}\n" });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_two_space_json_in_key_order() {
        let record = AnswerSpec {
            version: 1.0,
            topic: "平台".into(),
            answers: vec![
                ("platform".into(), Answer::One("qidian".into())),
                ("tags".into(), Answer::Many(vec!["热血".into(), "a\"b".into()])),
            ],
            answered_at: "2026-02-27T10:12:34.000Z".into(),
            answered_by: "human".into(),
            notes: Notes::new(),
        };
        let want = "{\n  \"version\": 1,\n  \"topic\": \"平台\",\n  \"answers\": {\n    \"platform\": \"qidian\",\n    \
                    \"tags\": [\n      \"热血\",\n      \"a\\\"b\"\n    ]\n  },\n  \
                    \"answered_at\": \"2026-02-27T10:12:34.000Z\",\n  \"answered_by\": \"human\"\n}\n";
        assert_eq!(record.to_json(), want);
        let notes = vec![("platform".into(), "先试\n三个月".into()), ("tags".into(), "b".into())];
        let with_notes = AnswerSpec { notes, ..record.clone() };
        let end = "  \"answered_by\": \"human\",\n  \"_notes\": {\n    \"platform\": \"先试\\n三个月\",\n    \
                   \"tags\": \"b\"\n  }\n}\n";
        assert!(with_notes.to_json().ends_with(end), "{}", with_notes.to_json());
        let empty = AnswerSpec { answers: Vec::new(), ..record };
        assert!(empty.to_json().contains("\"answers\": {},\n"));
    }
}
