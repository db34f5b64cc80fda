//! Answers, what can be picked for one, and the record that carries them: the shape of an `AnswerSpec` and its bytes. Whether
//! it fits its questions says `check`.

use super::js_string::{JsString, as_js_number};
use super::json::{object, to_indented};
use super::problem::in_marks;
use super::question::{Question, QuestionSpec};
use crate::text::Lang;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

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

/// How the author signs.
pub const SIGNATURE: &str = "human";

/// Answers by question id; the order is kept.
pub type Answers = Vec<(String, Answer)>;

/// What the author wrote beside answers, by question id. It goes into the record under `_notes`, which no validator looks
/// into.
pub type Notes = Vec<(JsString, JsString)>;

/// A valid record, as it lies at `answer_path`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "RecordOutput")]
pub struct AnswerSpec {
    /// The version of the questions; a number.
    #[serde(serialize_with = "as_js_number")]
    #[schemars(with = "Value")]
    pub version: f64,
    /// The topic of the questions.
    pub topic: JsString,
    /// The answers by question id; what was left blank has no member.
    #[serde(serialize_with = "as_object")]
    #[schemars(with = "BTreeMap<String, Answer>")]
    pub answers: Answers,
    /// When: RFC 3339, as the writer spelled it.
    pub answered_at: JsString,
    /// Who: human, `claude_code`, codex or any name.
    pub answered_by: JsString,
    /// Notes on the answers by question id, if there are any.
    #[serde(rename = "_notes", skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
    #[schemars(with = "BTreeMap<String, String>")]
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

    /// For people, of a list at most so many entries; hostile text until it is cleaned.
    pub fn shown(&self, most: usize, lang: Lang) -> String {
        match self {
            Answer::One(value) => value.display().into_owned(),
            Answer::Many(values) => listed(values, most, lang),
        }
    }
}

/// Entries of an answer in one text, at most so many, then `…`. One that itself holds what stands between them is in
/// quotation marks, so that it is not taken for several. Hostile text until it is cleaned.
pub fn listed<'e>(entries: impl IntoIterator<Item = &'e JsString>, most: usize, lang: Lang) -> String {
    let mut words = entries.into_iter().map(|entry| match entry.display() {
        words if words.contains(lang.comma()) => in_marks(lang, &format!("\"{words}\"")),
        words => words.into_owned(),
    });
    let shown = words.by_ref().take(most).collect::<Vec<_>>().join(lang.comma());
    if words.next().is_some() { shown + lang.comma() + "…" } else { shown }
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

    /// Whether it answers a question, or has a note on it.
    pub fn says_to(&self, id: &str) -> bool {
        self.answers.iter().any(|(answered, _)| answered == id)
            || self.notes.iter().any(|(noted, _)| noted.as_str() == Some(id))
    }

    /// The bytes of the record file: keys in the order version, topic, answers, `answered_at`, `answered_by`
    /// and, if there are notes, `_notes`; two-space JSON as `JSON.stringify(value, null, 2)` makes it, and a final newline.
    pub fn to_json(&self) -> String {
        to_indented(self)
    }
}

fn as_object<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    object(pairs.iter().map(|(id, value)| (id, value))).serialize(serializer)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    Option(usize),
    /// Own words (`Other`).
    Own(JsString),
}

/// Why own words are not taken as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFault {
    /// The question has no `allow_other`.
    NotAllowed,
    Blank,
    /// A control token of the executors' dialogues, such as `__done__`.
    Reserved,
    Duplicate,
}

impl Pick {
    /// The string that it puts into a record; none if the question has no such option.
    pub fn value<'v>(&'v self, question: &'v Question) -> Option<&'v JsString> {
        match self {
            Pick::Option(place) => question.options.get(*place).map(|option| &option.label),
            Pick::Own(words) => Some(words),
        }
    }
}

pub(crate) fn exact_pick(question: &Question, value: &JsString) -> Pick {
    question.option(value).map_or_else(|| Pick::Own(value.clone()), Pick::Option)
}

pub(crate) fn own_pick(question: &Question, words: &JsString) -> Result<Pick, OwnFault> {
    // A label that has outer spaces itself can still be typed exactly.
    if let Some(place) = question.option(words) {
        return Ok(Pick::Option(place));
    }
    let trimmed = words.trimmed();
    if trimmed.is_empty() {
        return Err(OwnFault::Blank);
    }
    match question.meant(&trimmed).map_or_else(|| Pick::Own(trimmed.clone()), Pick::Option) {
        Pick::Option(place) => Ok(Pick::Option(place)),
        Pick::Own(_) if !question.allow_other => Err(OwnFault::NotAllowed),
        Pick::Own(_) if trimmed.as_str().is_some_and(is_control_token) => Err(OwnFault::Reserved),
        own @ Pick::Own(_) => Ok(own),
    }
}

/// Whether `text` is `^_{2,}(more|done|skip|back|stop|type|repeat|group_[0-9]+)_{2,}$`: a control entry of the
/// executors' dialogues, which must never be taken for an answer.
pub fn is_control_token(text: &str) -> bool {
    let inner = text.trim_matches('_');
    let marked = text.starts_with("__") && text.ends_with("__") && text.len() >= inner.len() + 4;
    let group =
        inner.strip_prefix("group_").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    marked && (group || matches!(inner, "more" | "done" | "skip" | "back" | "stop" | "type" | "repeat"))
}

/// Options in option order, then own words in entry order.
pub(crate) fn sort_picks(picks: &mut [Pick]) {
    picks.sort_by_key(|pick| match pick {
        Pick::Option(place) => *place,
        Pick::Own(_) => usize::MAX,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_holds_the_separator_is_not_taken_for_two() {
        let shown = |entries: &[&str], lang| {
            Answer::Many(entries.iter().map(|&entry| entry.into()).collect()).shown(3, lang)
        };
        for (entries, en, zh) in [
            (&["冷峻", "温柔"][..], "冷峻, 温柔", "冷峻、温柔"),
            (&["冷峻, 温柔"], "\"冷峻, 温柔\"", "冷峻, 温柔"),
            (&["冷峻、温柔", "x"], "冷峻、温柔, x", "“冷峻、温柔”、x"),
            (&["a", "b", "c", "d"], "a, b, c, …", "a、b、c、…"),
        ] {
            assert_eq!([Lang::En, Lang::ZhCn].map(|lang| shown(entries, lang)), [en, zh]);
        }
        assert_eq!(Answer::One("a, b".into()).shown(1, Lang::En), "a, b", "it is no list");
    }

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
        let mut lone = JsString::from("问");
        lone.push_unit(0xD800);
        let odd = AnswerSpec { notes: vec![(lone.clone(), lone)], ..record.clone() };
        assert!(odd.to_json().ends_with("  \"_notes\": {\n    \"问\\ud800\": \"问\\ud800\"\n  }\n}\n"));
        let empty = AnswerSpec { answers: Vec::new(), ..record };
        assert!(empty.to_json().contains("\"answers\": {},\n"));
    }
}
