//! What differs between two sets of questions, or between two sets of answers.
//!
//! Responsible for naming every difference once, in the order in which the newer one stands, and for the sentence that
//! says it. Pure: it does not know which of the two is on a disk, and it never decides whether an answer still fits
//! (`draft`).

use super::answer::{Answer, AnswerSpec};
use super::js_string::{JsString, js_number};
use super::nearest;
use super::object::Object;
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use std::collections::{HashMap, HashSet};

mod sentences;

/// With more options that came or went than this, none is taken for a renamed one.
const RENAMES: usize = 50;

/// One difference. Without a question it concerns the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The question it concerns.
    pub question: Option<Named>,
    /// What has changed.
    pub what: What,
}

/// A question as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: String,
    /// Its short label; that of the newer questions if it is in both.
    pub header: JsString,
}

/// What has changed; the older value always stands first.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Another version.
    Version(f64, f64),
    /// Another topic.
    Topic(JsString, JsString),
    /// The same questions in another order.
    QuestionsReordered,
    /// A new question.
    QuestionAdded,
    /// A question that is no longer asked.
    QuestionRemoved,
    /// Another short label.
    Header(JsString, JsString),
    /// Another wording.
    Wording(JsString, JsString),
    /// Another kind of answer.
    Kind(Kind, Kind),
    /// Whether it must be answered now.
    Required(bool),
    /// Whether own words are taken now.
    AllowOther(bool),
    /// Other defaults.
    Default(Vec<JsString>, Vec<JsString>),
    /// A new option.
    OptionAdded(JsString),
    /// An option that is gone.
    OptionRemoved(JsString),
    /// An option with another label: it means the same, or is called almost the same.
    OptionRenamed(JsString, JsString),
    /// An option that is explained differently: its label, then both explanations.
    OptionReworded(JsString, JsString, JsString),
    /// The same options in another order.
    OptionsReordered,
}

/// Every difference between two sets of questions; none exactly when both ask the same.
pub fn difference(before: &QuestionSpec, after: &QuestionSpec) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut whole = |what| changes.push(Change { question: None, what });
    // Versions are compared as the reference compares them: bit for bit, since no version is NaN or negative.
    if before.version.to_bits() != after.version.to_bits() {
        whole(What::Version(before.version, after.version));
    }
    if before.topic != after.topic {
        whole(What::Topic(before.topic.clone(), after.topic.clone()));
    }
    let (then, now) = (before.places(), after.places());
    let kept = |spec: &QuestionSpec, other: &HashMap<&str, usize>| {
        let ids = spec.questions.iter().map(|question| question.id.clone());
        ids.filter(|id| other.contains_key(id.as_str())).collect::<Vec<String>>()
    };
    if kept(before, &now) != kept(after, &then) {
        whole(What::QuestionsReordered);
    }
    for question in &after.questions {
        match then.get(question.id.as_str()) {
            Some(&place) => question_changes(&before.questions[place], question, &mut changes),
            None => changes.push(Change::of(question, What::QuestionAdded)),
        }
    }
    let gone = before.questions.iter().filter(|question| !now.contains_key(question.id.as_str()));
    changes.extend(gone.map(|question| Change::of(question, What::QuestionRemoved)));
    changes
}

impl Change {
    fn of(question: &Question, what: What) -> Change {
        let named = Named { id: question.id.clone(), header: question.header.clone() };
        Change { question: Some(named), what }
    }

    /// Stable name for programs.
    pub fn name(&self) -> &'static str {
        match self.what {
            What::Version(..) => "version",
            What::Topic(..) => "topic",
            What::QuestionsReordered => "questions-reordered",
            What::QuestionAdded => "question-added",
            What::QuestionRemoved => "question-removed",
            What::Header(..) => "header",
            What::Wording(..) => "wording",
            What::Kind(..) => "kind",
            What::Required(_) => "required",
            What::AllowOther(_) => "allow-other",
            What::Default(..) => "default",
            What::OptionAdded(_) => "option-added",
            What::OptionRemoved(_) => "option-removed",
            What::OptionRenamed(..) => "option-renamed",
            What::OptionReworded(..) => "option-reworded",
            What::OptionsReordered => "options-reordered",
        }
    }

    /// The change as JSON: `change`, `question` (id or null) and, where there are such, `before`, `after`, `option`.
    pub fn object(&self) -> Object {
        let id = self.question.as_ref().map(|question| question.id.as_str());
        let object = Object::new().text("change", self.name()).text_or_null("question", id);
        match &self.what {
            What::Version(before, after) => {
                object.raw("before", &js_number(*before)).raw("after", &js_number(*after))
            }
            What::Topic(before, after) | What::Header(before, after) | What::Wording(before, after) => {
                object.js("before", before).js("after", after)
            }
            What::Kind(before, after) => object.text("before", before.name()).text("after", after.name()),
            What::Required(now) | What::AllowOther(now) => {
                object.boolean("before", !now).boolean("after", *now)
            }
            What::Default(before, after) => object
                .raw("before", &super::object::js_list(before))
                .raw("after", &super::object::js_list(after)),
            What::OptionAdded(label) | What::OptionRemoved(label) => object.js("option", label),
            What::OptionRenamed(before, after) => object.js("before", before).js("after", after),
            What::OptionReworded(label, before, after) => {
                object.js("option", label).js("before", before).js("after", after)
            }
            What::QuestionsReordered
            | What::QuestionAdded
            | What::QuestionRemoved
            | What::OptionsReordered => object,
        }
    }
}

fn question_changes(before: &Question, after: &Question, changes: &mut Vec<Change>) {
    let mut note = |what| changes.push(Change::of(after, what));
    if before.header != after.header {
        note(What::Header(before.header.clone(), after.header.clone()));
    }
    if before.question != after.question {
        note(What::Wording(before.question.clone(), after.question.clone()));
    }
    if before.kind != after.kind {
        note(What::Kind(before.kind, after.kind));
    }
    if before.required != after.required {
        note(What::Required(after.required));
    }
    if before.allow_other != after.allow_other {
        note(What::AllowOther(after.allow_other));
    }
    option_changes(before, after, &mut note);
    let labels = |question: &Question| question.default_labels().cloned().collect::<Vec<JsString>>();
    let defaults = (labels(before), labels(after));
    if defaults.0 != defaults.1 {
        note(What::Default(defaults.0, defaults.1));
    }
}

fn option_changes(before: &Question, after: &Question, note: &mut dyn FnMut(What)) {
    let (then, now) = (label_places(&before.options), label_places(&after.options));
    let mut gone: Vec<&Choice> =
        before.options.iter().filter(|option| !now.contains_key(&option.label)).collect();
    let added = after.options.iter().filter(|option| !then.contains_key(&option.label)).count();
    let few = added.max(gone.len()) <= RENAMES;
    for option in &after.options {
        let label = option.label.clone();
        match then.get(&option.label).map(|&place| &before.options[place]) {
            Some(was) if was.description == option.description => {}
            Some(was) => {
                note(What::OptionReworded(label, was.description.clone(), option.description.clone()));
            }
            None => {
                let options = (before.options.as_slice(), after.options.as_slice());
                match few.then(|| renamed_from(option, &gone, options)).flatten() {
                    Some(place) => note(What::OptionRenamed(gone.remove(place).label.clone(), label)),
                    None => note(What::OptionAdded(label)),
                }
            }
        }
    }
    for option in gone {
        note(What::OptionRemoved(option.label.clone()));
    }
    let kept = |options: &[Choice], other: &HashMap<&JsString, usize>| {
        let labels = options.iter().map(|option| option.label.clone());
        labels.filter(|label| other.contains_key(label)).collect::<Vec<JsString>>()
    };
    if kept(&before.options, &now) != kept(&after.options, &then) {
        note(What::OptionsReordered);
    }
}

/// The one among the options that are gone that this new one was: it alone meant exactly this, or its label is a slip
/// of the pen away.
fn renamed_from(option: &Choice, gone: &[&Choice], (before, after): (&[Choice], &[Choice])) -> Option<usize> {
    let means = |other: &&Choice| other.description == option.description;
    let alone = |options: &[Choice]| options.iter().filter(means).count() == 1;
    if alone(before)
        && alone(after)
        && let Some(place) = gone.iter().position(means)
    {
        return Some(place);
    }
    nearest(&option.label, gone.iter().map(|was| was.label.clone()))
}

/// An answer that differs between two records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerChange {
    /// The question's id.
    pub id: String,
    /// The older answer, if there was one.
    pub before: Option<Answer>,
    /// The newer answer, if there is one.
    pub after: Option<Answer>,
}

/// Every answer that differs between two records, in the newer one's order, what is only in the older one last.
pub fn answer_difference(before: &AnswerSpec, after: &AnswerSpec) -> Vec<AnswerChange> {
    let then: HashMap<&str, &Answer> =
        before.answers.iter().map(|(id, answer)| (id.as_str(), answer)).collect();
    let ids: HashSet<&str> = after.answers.iter().map(|(id, _)| id.as_str()).collect();
    let newer = after.answers.iter().filter_map(|(id, answer)| {
        let was = then.get(id.as_str()).copied();
        (was != Some(answer)).then(|| AnswerChange {
            id: id.clone(),
            before: was.cloned(),
            after: Some(answer.clone()),
        })
    });
    let gone = before
        .answers
        .iter()
        .filter(|(id, _)| !ids.contains(id.as_str()))
        .map(|(id, answer)| AnswerChange { id: id.clone(), before: Some(answer.clone()), after: None });
    newer.chain(gone).collect()
}

#[cfg(test)]
mod tests;
