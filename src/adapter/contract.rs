//! The strict JSON contract: for what a dialog tool cannot ask, and for executors that can only talk.
//!
//! A reply is exactly one JSON object, taken whole or not at all.

use super::progress::{Progress, Reject, Rejected};
use super::question::find_option;
use super::screens::{RECOMMENDED, selected};
use crate::ask::json::{Item, Json, Kind as JsonKind};
use crate::ask::object::{js_list, list};
use crate::ask::{Answer, JsString, Kind, Object, Question, Reply};
use crate::text::{Lang, Sentence, say};

/// A contract's question with what has been done about it so far.
#[derive(Clone, Copy)]
pub struct Clause<'c> {
    /// The question.
    pub question: &'c Question,
    /// How far it has come.
    pub progress: &'c Progress,
}

/// A contract as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// What to do, for whoever replies.
    pub prompt: String,
    /// JSON Schema (2020-12) of the reply.
    pub schema: String,
    /// A reply to fill in.
    pub template: String,
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
        let (mut properties, mut template) = (Object::new(), Object::new());
        for clause in clauses {
            properties = properties.raw(&clause.question.id, &clause.schema(lang));
            template = template.raw(&clause.question.id, &clause.template());
        }
        let required =
            clauses.iter().map(|clause| clause.question).filter(|question| question.must_be_answered());
        let answers = Object::new()
            .text("type", "object")
            .boolean("additionalProperties", false)
            .raw("required", &list(required.map(|question| format!("\"{}\"", question.id))))
            .raw("properties", &properties.finish());
        let schema = Object::new()
            .text("$schema", "https://json-schema.org/draft/2020-12/schema")
            .text("type", "object")
            .boolean("additionalProperties", false)
            .raw("required", "[\"answers\"]")
            .raw("properties", &Object::new().raw("answers", &answers.finish()).finish());
        let template = Object::new().raw("answers", &template.finish());
        Contract { prompt, schema: schema.finish(), template: template.finish() }
    }
}

impl Clause<'_> {
    fn schema(&self, lang: Lang) -> String {
        let question = self.question;
        let object = Object::new().js("description", &self.text());
        match question.kind {
            Kind::FreeText => object.text("type", "string").text("pattern", "\\S"),
            Kind::SingleChoice => object.raw(alternatives(question), &values(question, lang)),
            Kind::MultiChoice => object
                .text("type", "array")
                .number("minItems", 1)
                .boolean("uniqueItems", true)
                .raw("items", &Object::new().raw(alternatives(question), &values(question, lang)).finish()),
        }
        .finish()
    }

    /// The question, what is selected so far, and why it is asked again.
    fn text(&self) -> JsString {
        let mut text = self.question.question.clone();
        text.append(&selected(self.question, self.progress));
        if let Some(reject) = self.progress.reject {
            text.push_str(&reject.mark());
        }
        text
    }

    /// What was chosen before the contract, or what is to be put there.
    fn template(&self) -> String {
        let text = |text: &str| js_list([&JsString::from(text)]);
        let one = |list: String| list[1..list.len() - 1].to_owned();
        match (self.question.kind, self.progress.reply.answer(self.question)) {
            (Kind::MultiChoice, Some(answer)) => js_list(answer.values()),
            (_, Some(answer)) => one(js_list(answer.values())),
            (Kind::MultiChoice, None) => text(LABEL),
            (Kind::SingleChoice, None) => one(text(LABEL)),
            (Kind::FreeText, None) => one(text(TEXT)),
        }
    }
}

/// Own words may equal a label, so that two of the alternatives can hold.
fn alternatives(question: &Question) -> &'static str {
    if question.allow_other { "anyOf" } else { "oneOf" }
}

fn values(question: &Question, lang: Lang) -> String {
    let options = question.options.iter().zip(question.is_default_by_place()).map(|(option, is_default)| {
        let mut description = option.description.clone();
        if is_default {
            description.push_str(RECOMMENDED.text(lang));
        }
        Object::new().js("const", &option.label).js("description", &description).finish()
    });
    let own =
        question.allow_other.then(|| Object::new().text("type", "string").text("pattern", "\\S").finish());
    list(options.chain(own))
}

/// Reads a contract's reply: for each question what is answered, or `None` for an optional one that is left out.
///
/// # Errors
/// Everything about it that is not accepted.
pub fn read(text: &JsString, questions: &[&Question]) -> Result<Vec<Option<Reply>>, Vec<Rejected>> {
    let whole = |code, at: String| vec![Rejected { id: None, code, at: Some(at) }];
    let text = text.lossy();
    let json = Json::parse(text.as_bytes())
        .map_err(|error| whole(Reject::NotJson, format!("{}:{}", error.line, error.column)))?;
    let root = json.root();
    if let Some(twice) = root.repeated_key() {
        let (line, column) = json.position(twice.offset);
        return Err(whole(Reject::BadShape, format!("{line}:{column}")));
    }
    let answers = root.get("answers").filter(|answers| answers.kind() == JsonKind::Object);
    let Some(answers) = answers.filter(|_| root.entries().len() == 1) else {
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
            Some(value) => answer(question, value).map(Some),
        };
        match found {
            Ok(reply) => replies.push(reply),
            Err((code, inside)) => {
                let at = Some(format!("/answers/{}{inside}", question.id));
                breaches.push(Rejected { id: Some(question.id.as_str().into()), code, at });
            }
        }
    }
    if breaches.is_empty() { Ok(replies) } else { Err(breaches) }
}

/// Whether a reply is in shape and answers nothing at all.
pub fn is_silent(text: &JsString) -> bool {
    let text = text.lossy();
    Json::parse(text.as_bytes()).is_ok_and(|json| {
        let answers = json.root().get("answers");
        answers.is_some_and(|answers| answers.kind() == JsonKind::Object && answers.entries().is_empty())
    })
}

/// One answer; an error carries the pointer behind the question's own.
fn answer(question: &Question, value: Item<'_>) -> Result<Reply, (Reject, String)> {
    let mut reply = Progress::fresh().reply;
    let whole = |code| (code, String::new());
    if question.kind != Kind::MultiChoice {
        let text = value.string().ok_or_else(|| whole(Reject::WrongType))?;
        put(question, &mut reply, &text).map_err(whole)?;
        return Ok(reply);
    }
    if value.kind() != JsonKind::Array {
        return Err(whole(Reject::WrongType));
    }
    for (place, entry) in value.elements().enumerate() {
        let here = |code| (code, format!("/{place}"));
        let text = entry.string().ok_or_else(|| here(Reject::WrongType))?;
        put(question, &mut reply, &text).map_err(here)?;
    }
    if reply.picks.is_empty() { Err(whole(Reject::Empty)) } else { Ok(reply) }
}

fn put(question: &Question, reply: &mut Reply, text: &JsString) -> Result<(), Reject> {
    if question.kind == Kind::FreeText {
        if text.is_blank() {
            return Err(Reject::Empty);
        }
        if *text == TEXT {
            return Err(Reject::ReservedText);
        }
        reply.set(question, Answer::One(text.clone()));
        return Ok(());
    }
    match find_option(question, text) {
        Some(place) if question.kind == Kind::SingleChoice => reply.choose(place),
        Some(place) if reply.has(place) => return Err(Reject::Duplicate),
        Some(place) => reply.toggle(place),
        None if question.allow_other && *text == LABEL => return Err(Reject::ReservedText),
        None => reply.take_own(question, text.clone())?,
    }
    Ok(())
}
