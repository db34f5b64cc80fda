//! Two sets of answers side by side, question by question. Either may be invalid.

use super::answer::{Answer, Answers, Notes, listed};
use super::check::notes_of;
use super::drift::{Change, drift};
use super::js_string::{JsString, raw};
use super::json::{Item, Json, Kind, to_line};
use super::question::QuestionSpec;
use crate::text::Lang;
use serde::{Serialize, Serializer};
use std::collections::HashMap;

/// What a record answers, in its own order: id and value, whatever their form.
pub type AnswerValues = Vec<(JsString, Value)>;

/// An answer as a record spells it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Value {
    One(JsString),
    Many(Vec<JsString>),
    /// What several records say, each once.
    Several(Vec<Value>),
    /// Anything else: its JSON on one line.
    #[serde(serialize_with = "spelled")]
    Other(String),
}

fn spelled<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    raw(json.to_owned()).serialize(serializer)
}

impl Value {
    pub(super) fn read(item: Item<'_>) -> Value {
        match item.kind() {
            Kind::String => Value::One(item.string().unwrap_or_default()),
            Kind::Array if item.elements().all(|entry| entry.kind() == Kind::String) => {
                Value::Many(item.elements().filter_map(Item::string).collect())
            }
            Kind::Null | Kind::Boolean | Kind::Number | Kind::Array | Kind::Object => {
                Value::Other(item.compact())
            }
        }
    }

    /// The strings in it; none of anything that is no answer.
    pub fn strings(&self) -> &[JsString] {
        match self {
            Value::One(text) => std::slice::from_ref(text),
            Value::Many(entries) => entries,
            Value::Several(_) | Value::Other(_) => &[],
        }
    }

    /// As JSON on one line, exactly.
    pub fn json(&self) -> String {
        to_line(self)
    }

    /// For people, on as many lines as the words have; hostile text until it is cleaned.
    pub fn shown(&self, lang: Lang) -> String {
        self.beginning(usize::MAX, lang)
    }

    /// The same, of a list at most so many entries.
    pub fn beginning(&self, most: usize, lang: Lang) -> String {
        match self {
            Value::One(text) => text.display().into_owned(),
            Value::Many(entries) => listed(entries, most, lang),
            Value::Several(values) => {
                values.iter().map(|value| value.beginning(most, lang)).collect::<Vec<_>>().join(" / ")
            }
            Value::Other(json) => json.clone(),
        }
    }
}

impl From<&Answer> for Value {
    fn from(answer: &Answer) -> Value {
        match answer {
            Answer::One(text) => Value::One(text.clone()),
            Answer::Many(entries) => Value::Many(entries.clone()),
        }
    }
}

/// What a record answers; nothing of a file that is no JSON or has no `answers`.
pub fn read_answers(bytes: &[u8]) -> AnswerValues {
    let Ok(json) = Json::parse_keeping(bytes, &["answers"]) else { return AnswerValues::new() };
    let answers = json.root().get("answers").map(Item::entries).unwrap_or_default();
    answers.into_iter().map(|(id, item)| (id, Value::read(item))).collect()
}

/// What stands beside the answers of a record; nothing of a file that is no JSON.
pub fn read_notes(bytes: &[u8]) -> Notes {
    Json::parse_keeping(bytes, &["_notes"]).map(|json| notes_of(json.root())).unwrap_or_default()
}

/// The same of answers that have passed the rules.
pub fn answer_values(answers: &Answers) -> AnswerValues {
    answers.iter().map(|(id, answer)| (id.as_str().into(), Value::from(answer))).collect()
}

/// A question by its header, if that is known, and its id; hostile text until it is cleaned.
pub fn titled(header: Option<&JsString>, id: &JsString) -> String {
    match header {
        Some(header) => format!("{} ({})", header.display(), id.display()),
        None => id.display().into_owned(),
    }
}

/// One side: answers, the notes on them, and what was asked, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    pub spec: Option<&'s QuestionSpec>,
    pub answers: &'s AnswerValues,
    pub notes: &'s [(JsString, JsString)],
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub id: JsString,
    /// Its header, the later one if it was asked on both sides.
    pub header: Option<JsString>,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub note_before: Option<JsString>,
    pub note_after: Option<JsString>,
    pub changes: Vec<Change>,
}

impl Pair {
    /// Whether both sides answer the same to the same question, with the same note.
    pub fn is_same(&self) -> bool {
        self.before == self.after && self.note_before == self.note_after && self.changes.is_empty()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    pub changes: Vec<Change>,
    /// Every question that either side asks, answers or has a note on: the later side's order, then what only the earlier side has.
    pub questions: Vec<Pair>,
}

impl Comparison {
    pub fn is_same(&self) -> bool {
        self.changes.is_empty() && self.questions.iter().all(Pair::is_same)
    }
}

pub fn compare(before: Side<'_>, after: Side<'_>) -> Comparison {
    let all = match (before.spec, after.spec) {
        (Some(before), Some(after)) => drift(before, after),
        _ => Vec::new(),
    };
    let mut by_question: HashMap<String, Vec<Change>> = HashMap::new();
    let mut changes = Vec::new();
    for change in all {
        match change.question.clone() {
            Some(id) => by_question.entry(id).or_default().push(change),
            None => changes.push(change),
        }
    }
    let (old, new) = (by_id(before.answers), by_id(after.answers));
    let (old_notes, new_notes) = (by_id(before.notes), by_id(after.notes));
    let headers = headers(before, after);
    let pair = |id: JsString| Pair {
        header: headers.get(&id).map(|header| (*header).clone()),
        before: old.get(&id).copied().cloned(),
        after: new.get(&id).copied().cloned(),
        note_before: old_notes.get(&id).copied().cloned(),
        note_after: new_notes.get(&id).copied().cloned(),
        changes: id.as_str().and_then(|id| by_question.get(id)).cloned().unwrap_or_default(),
        id,
    };
    let questions = ids(before, after).into_iter().map(pair).collect();
    Comparison { changes, questions }
}

fn by_id<T>(pairs: &[(JsString, T)]) -> HashMap<&JsString, &T> {
    pairs.iter().map(|(id, value)| (id, value)).collect()
}

fn headers<'s>(before: Side<'s>, after: Side<'s>) -> HashMap<JsString, &'s JsString> {
    let specs = [before.spec, after.spec].into_iter().flatten();
    let questions = specs.flat_map(|spec| &spec.questions);
    questions.map(|question| (question.id.as_str().into(), &question.header)).collect()
}

fn ids(before: Side<'_>, after: Side<'_>) -> Vec<JsString> {
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for side in [after, before] {
        let asked = side.spec.into_iter().flat_map(|spec| &spec.questions);
        let asked = asked.map(|question| JsString::from(question.id.as_str()));
        let answered = side.answers.iter().map(|(id, _)| id.clone());
        let noted = side.notes.iter().map(|(id, _)| id.clone());
        out.extend(asked.chain(answered).chain(noted).filter(|id| seen.insert(id.clone())));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::decode_spec;

    fn spec(more: &str) -> QuestionSpec {
        let json = format!(
            r#"{{"version":1,"topic":"t","questions":[
            {{"id":"one","header":"h","question":"q","kind":"free_text","required":true}}{more}]}}"#
        );
        decode_spec(json.as_bytes()).expect("a legal spec")
    }

    #[test]
    fn answers_are_read_whatever_their_form() {
        let json = br#"{"answers":{"a":"x","b":["y","\ud800"],"C d":[1, "z"],"e":null}}"#;
        let read: Vec<String> = read_answers(json)
            .iter()
            .map(|(id, value)| format!("{}={}", id.display(), value.json()))
            .collect();
        assert_eq!(read, ["a=\"x\"", "b=[\"y\", \"\\ud800\"]", "C d=[1,\"z\"]", "e=null"]);
        for bytes in [&b"{\"answers\":{"[..], b"[]", b"{}", b"{\"answers\":[]}"] {
            assert_eq!(read_answers(bytes), AnswerValues::new());
        }
        assert_eq!(read_answers(json)[1].1.shown(Lang::En), "y, ‹U+D800›");
        assert_eq!(read_answers(json)[2].1.shown(Lang::En), "[1,\"z\"]");
    }

    #[test]
    fn questions_are_paired_with_their_changes() {
        let two = r#",{"id":"two","header":"新","question":"q","kind":"free_text","required":false}"#;
        let (old, new) = (spec(""), spec(two));
        let (a, b) = (
            read_answers(br#"{"answers":{"one":"x","gone":"y"}}"#),
            read_answers(br#"{"answers":{"two":"z"}}"#),
        );
        let found = compare(
            Side { spec: Some(&old), answers: &a, notes: &[] },
            Side { spec: Some(&new), answers: &b, notes: &[] },
        );
        let ids: Vec<_> = found.questions.iter().map(|pair| pair.id.display().into_owned()).collect();
        assert_eq!(ids, ["one", "two", "gone"]);
        assert_eq!((found.questions[0].before.is_some(), found.questions[0].after.is_some()), (true, false));
        assert_eq!(found.questions[1].header, Some("新".into()));
        assert_eq!(found.questions[1].changes.len(), 1);
        assert!(!found.is_same());
        let side = Side { spec: Some(&old), answers: &a, notes: &[] };
        assert!(compare(side, side).is_same());
        let unknown = Side { spec: None, answers: &a, notes: &[] };
        assert!(compare(unknown, unknown).is_same());
    }

    #[test]
    fn what_has_changed_of_no_question_is_a_difference_too() {
        let (old, answers) = (spec(""), read_answers(br#"{"answers":{"one":"x"}}"#));
        let new = QuestionSpec { topic: "another".into(), ..old.clone() };
        let found = compare(
            Side { spec: Some(&old), answers: &answers, notes: &[] },
            Side { spec: Some(&new), answers: &answers, notes: &[] },
        );
        assert_eq!(found.changes.len(), 1, "{found:?}");
        assert!(found.questions.iter().all(Pair::is_same) && !found.is_same());
    }

    #[test]
    fn another_note_on_the_same_answer_is_a_difference() {
        let answers = read_answers(br#"{"answers":{"one":"x"}}"#);
        let notes =
            |json: &str| read_notes(format!(r#"{{"answers":{{"one":"x"}},"_notes":{json}}}"#).as_bytes());
        let (old, new) = (notes(r#"{"one":"a","two":7}"#), notes(r#"{"one":"b","gone":"c"}"#));
        let side = |notes| Side { spec: None, answers: &answers, notes };
        assert!(compare(side(&old), side(&old)).is_same());
        let found = compare(side(&old), side(&new));
        let told: Vec<_> = found.questions.iter().map(|it| (&it.note_before, &it.note_after)).collect();
        assert_eq!(told, [(&Some("a".into()), &Some("b".into())), (&None, &Some("c".into()))]);
        assert!(!found.is_same() && found.questions[0].before == found.questions[0].after);
        for odd in [&b"{"[..], b"[]", b"{}", br#"{"_notes":"x"}"#] {
            assert_eq!(read_notes(odd), Notes::new());
        }
    }

    #[test]
    fn what_only_the_earlier_side_has_comes_last() {
        let a = read_answers(br#"{"answers":{"a":"1","b":"2","c":"3"}}"#);
        let b = read_answers(br#"{"answers":{"d":"4","c":"3","a":"9"}}"#);
        let found = compare(
            Side { spec: None, answers: &a, notes: &[] },
            Side { spec: None, answers: &b, notes: &[] },
        );
        let differing: Vec<_> = found.questions.iter().filter(|pair| !pair.is_same()).collect();
        let ids: Vec<_> = differing.iter().map(|pair| pair.id.display().into_owned()).collect();
        assert_eq!(ids, ["d", "a", "b"]);
        assert_eq!(differing[1].before, Some(Value::One("1".into())));
        assert_eq!((&differing[0].before, &differing[2].after), (&None, &None));
    }
}
