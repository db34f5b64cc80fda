//! The strict JSON contract: for what a dialog tool cannot ask, and for executors that can only talk.
//!
//! A reply is exactly one JSON object, taken whole or not at all.

use super::marks::is_mark;
use super::profile::Profile;
use super::progress::{Progress, Reject, Rejected};
use super::question::find_option;
use super::screens::{RECOMMENDED, SENDS_BACK, selected};
use super::silence::{Silence, silence};
use crate::ask::json::{Item, Json, Kind as JsonKind};
use crate::ask::{Answer, Choice, JsString, Kind, Question, Reply, object, to_raw};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use serde_json::value::{RawValue, Value};

/// A contract's question with what has been done about it so far.
#[derive(Clone, Copy)]
pub struct Clause<'c> {
    pub question: &'c Question,
    pub progress: &'c Progress,
}

/// A contract as it is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Contract {
    /// What to show.
    pub prompt: String,
    /// The JSON Schema that the reply must keep.
    #[schemars(with = "Map<String, Value>")]
    pub schema: Box<RawValue>,
    /// The reply with blanks.
    #[schemars(with = "Map<String, Value>")]
    pub template: Box<RawValue>,
}

/// What the template says where text goes; such a text is no answer.
const TEXT: &str = "<text>";
/// What the template says where an option's label goes.
const LABEL: &str = "<label>";

const PROMPT: Sentence = say(
    "Reply with one JSON object and nothing else. Leave out optional ids you do not answer.",
    "请只回复一个 JSON 对象，不要有任何其他内容。不作答的选答题，请不要写出它的 id。",
);

impl Contract {
    /// The contract over some questions; `refused` says why the last reply as a whole was not accepted.
    pub fn new(clauses: &[Clause<'_>], refused: Option<Reject>, lang: Lang) -> Contract {
        let mut prompt = PROMPT.text(lang).to_owned();
        if let Some(code) = refused {
            prompt.push_str(&code.mark());
        }
        let required =
            clauses.iter().map(|clause| clause.question).filter(|question| question.must_be_answered());
        let required: Vec<&str> = required.map(|question| question.id.as_str()).collect();
        let properties = object(clauses.iter().map(|clause| (&clause.question.id, clause.schema(lang))));
        let answers = object([("answers", object(object_schema(&required, properties)))]);
        let dialect = ("$schema", to_raw("https://json-schema.org/draft/2020-12/schema"));
        let schema = object([dialect].into_iter().chain(object_schema(&["answers"], answers)));
        let template = object(clauses.iter().map(|clause| (&clause.question.id, clause.template())));
        Contract { prompt, schema, template: object([("answers", template)]) }
    }
}

type Members = Vec<(&'static str, Box<RawValue>)>;

/// JSON Schema of an object without other members.
fn object_schema(required: &[&str], properties: Box<RawValue>) -> Members {
    vec![
        ("type", to_raw("object")),
        ("additionalProperties", to_raw(&false)),
        ("required", to_raw(required)),
        ("properties", properties),
    ]
}

fn words() -> Members {
    vec![("type", to_raw("string")), ("pattern", to_raw("\\S"))]
}

impl Clause<'_> {
    fn schema(&self, lang: Lang) -> Box<RawValue> {
        let values = match self.question.kind {
            Kind::FreeText => words(),
            Kind::SingleChoice => alternatives(self.question, lang),
            Kind::MultiChoice => vec![
                ("type", to_raw("array")),
                ("minItems", to_raw(&1)),
                ("uniqueItems", to_raw(&true)),
                ("items", object(alternatives(self.question, lang))),
            ],
        };
        object([("description", to_raw(&self.text()))].into_iter().chain(values))
    }

    /// The question, what is selected so far, and why it is asked again.
    fn text(&self) -> JsString {
        let mut text = self.question.question.clone();
        text.append(&selected(self.question, self.progress));
        text.push_str(&self.progress.mark());
        text
    }

    /// What was chosen before the contract, or what is to be put there.
    fn template(&self) -> Answer {
        self.progress.reply.answer(self.question).unwrap_or_else(|| match self.question.kind {
            Kind::MultiChoice => Answer::Many(vec![LABEL.into()]),
            Kind::SingleChoice => Answer::One(LABEL.into()),
            Kind::FreeText => Answer::One(TEXT.into()),
        })
    }
}

/// The labels. Own words may equal a label, so that two of the alternatives can hold.
fn alternatives(question: &Question, lang: Lang) -> Members {
    let label = |(option, is_default): (&Choice, bool)| {
        let mut description = option.description.clone();
        if is_default {
            description.push_str(RECOMMENDED.text(lang));
        }
        if option.sends_back {
            description.push_str(SENDS_BACK.text(lang));
        }
        object([("const", &option.label), ("description", &description)])
    };
    let mut all: Vec<_> = question.options.iter().zip(question.is_default_by_place()).map(label).collect();
    if !question.allow_other {
        return vec![("oneOf", to_raw(&all))];
    }
    all.push(object(words()));
    vec![("anyOf", to_raw(&all))]
}

/// Reads a contract's reply: for each question what is answered, or `None` for an optional one that is left out. An error is
/// everything about it that is not accepted.
pub fn read(
    text: &JsString,
    questions: &[&Question],
    profile: &Profile,
) -> Result<Vec<Option<Reply>>, Vec<Rejected>> {
    let whole = |code, at: String| vec![Rejected { id: None, code, at: Some(at) }];
    let text = text.lossy();
    let json = Json::parse(text.as_bytes())
        .map_err(|error| whole(Reject::NotJson, format!("{}:{}", error.line, error.column)))?;
    let root = json.root();
    if let Some(twice) = root.repeated_key() {
        let (line, column) = json.position(twice.offset);
        return Err(whole(Reject::BadShape, format!("{line}:{column}")));
    }
    let Some(answers) = root.object("answers").filter(|_| root.entries().len() == 1) else {
        return Err(whole(Reject::BadShape, String::new()));
    };
    let mut breaches = Vec::new();
    for (key, _) in answers.entries() {
        if !questions.iter().any(|question| key == *question.id) {
            let at = format!("/answers/{}", key.display());
            breaches.push(Rejected { id: Some(key), code: Reject::UnknownId, at: Some(at) });
        }
    }
    let mut replies = Vec::new();
    for question in questions {
        let found = match answers.get(&question.id) {
            None if question.must_be_answered() => Err((Reject::Required, String::new())),
            None => Ok(None),
            Some(value) => answer(question, value, profile).map(Some),
        };
        match found {
            Ok(reply) => replies.push(reply),
            Err((code, inside)) => {
                let at = Some(format!("/answers/{}{inside}", question.id));
                breaches.push(Rejected { at, ..breach(question, code) });
            }
        }
    }
    if breaches.is_empty() { Ok(replies) } else { Err(breaches) }
}

/// Whether the author left the contract, or has said nothing in all that its reply says.
pub fn is_left(text: &JsString, questions: &[&Question]) -> bool {
    if silence(text).is_some() {
        return true;
    }
    let text = text.lossy();
    let Ok(json) = Json::parse(text.as_bytes()) else { return false };
    let mut said = Vec::new();
    for question in questions {
        let Some(value) = json.root().get("answers").and_then(|answers| answers.get(&question.id)) else {
            continue;
        };
        let values = value.string().into_iter().chain(value.elements().filter_map(Item::string));
        said.extend(values.map(|words| silence(&words).filter(|_| find_option(question, &words).is_none())));
    }
    said.contains(&Some(Silence::Left)) || !said.is_empty() && said.iter().all(Option::is_some)
}

/// What an answer holds beside labels.
pub fn own_words(question: &Question, reply: &Reply) -> Vec<JsString> {
    let answer = reply.answer(question);
    let values = answer.iter().flat_map(Answer::values);
    values.filter(|value| find_option(question, value).is_none()).cloned().collect()
}

pub fn breach(question: &Question, code: Reject) -> Rejected {
    Rejected { id: Some(question.id.as_str().into()), code, at: Some(format!("/answers/{}", question.id)) }
}

/// Whether a reply is in shape and answers nothing at all.
pub fn is_silent(text: &JsString) -> bool {
    let text = text.lossy();
    Json::parse(text.as_bytes())
        .is_ok_and(|json| json.root().object("answers").is_some_and(|answers| answers.entries().is_empty()))
}

/// One answer; an error carries the pointer behind the question's own.
fn answer(question: &Question, value: Item<'_>, profile: &Profile) -> Result<Reply, (Reject, String)> {
    let mut reply = Progress::fresh().reply;
    let whole = |code| (code, String::new());
    if question.kind != Kind::MultiChoice {
        let text = value.string().ok_or_else(|| whole(Reject::WrongType))?;
        put(question, &mut reply, &text, profile).map_err(whole)?;
        return Ok(reply);
    }
    if value.kind() != JsonKind::Array {
        return Err(whole(Reject::WrongType));
    }
    for (place, entry) in value.elements().enumerate() {
        let here = |code| (code, format!("/{place}"));
        let text = entry.string().ok_or_else(|| here(Reject::WrongType))?;
        put(question, &mut reply, &text, profile).map_err(here)?;
    }
    if reply.picks.is_empty() { Err(whole(Reject::Empty)) } else { Ok(reply) }
}

fn put(question: &Question, reply: &mut Reply, text: &JsString, profile: &Profile) -> Result<(), Reject> {
    if question.kind == Kind::FreeText {
        if text.is_blank() {
            return Err(Reject::Empty);
        }
        if *text == TEXT {
            return Err(Reject::ReservedText);
        }
        if silence(text).is_some() {
            return Err(Reject::Unanswered);
        }
        reply.set(question, Answer::One(text.clone()));
        return Ok(());
    }
    match find_option(question, text) {
        Some(place) if question.kind == Kind::SingleChoice => reply.choose(place),
        Some(place) if reply.has(place) => return Err(Reject::Duplicate),
        Some(place) => reply.toggle(place),
        None if question.allow_other && (*text == LABEL || is_mark(question, profile, text)) => {
            return Err(Reject::ReservedText);
        }
        None if silence(text).is_some() => return Err(Reject::Unanswered),
        None => reply.take_own(question, text.clone())?,
    }
    Ok(())
}
