//! A bad record, taken apart: what of it is still an answer, what is wrong with each question's answer, and what belongs
//! to no question.
//!
//! Nothing that breaks a rule gets into the draft that a repair begins with. The verdict is `check`'s.

use super::answer::{Answer, Answers};
use super::cause::Cause;
use super::check::{answers_in, check_record, notes_of, salvage};
use super::compare::Value;
use super::draft::Draft;
use super::js_string::{JsString, raw};
use super::json::{Item, Json, object};
use super::mend::{legible, mend, second};
use super::problem::{Problem, ProblemCode, escape, shorten};
use super::question::{Kind, Question, QuestionSpec, label_places};
use super::syntax::SyntaxKind;
use std::collections::{HashMap, HashSet};

/// So many objects or lists a record may be in.
const DEEPEST: usize = 3;
/// How a list of answers names the question, and the answer.
const ID_KEYS: [&str; 5] = ["id", "question_id", "key", "header", "question"];
const VALUE_KEYS: [&str; 4] = ["answer", "value", "answers", "response"];

/// The problems of a bad record, each at the question it belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// For each question of the spec, what is wrong with its answer.
    pub faults: Vec<Vec<Problem>>,
    /// What belongs to no question: unknown ids and fields, another version or topic, text that is no JSON.
    pub rest: Vec<Problem>,
    /// What happened to the record, as far as it is known.
    pub causes: Vec<Cause>,
}

impl Diagnosis {
    /// Sorts the problems of a record by question; of one that is almost JSON, also those that it has when it is read as it was
    /// meant.
    pub fn of(spec: &QuestionSpec, bytes: &[u8], problems: &[Problem], causes: Vec<Cause>) -> Diagnosis {
        let meant = match &*records(spec, bytes) {
            [meant] if !problems.is_empty() && meant.as_bytes() != bytes.trim_ascii() => Some(meant.clone()),
            _ => None,
        };
        let more = meant.and_then(|meant| check_record(spec, meant.as_bytes()).err());
        let questions = spec.questions.iter().enumerate();
        let places: HashMap<String, usize> =
            questions.map(|(at, question)| (escape(&question.id.as_str().into()), at)).collect();
        let faults = vec![Vec::new(); spec.questions.len()];
        let mut found = Diagnosis { faults, rest: Vec::new(), causes };
        let more = more.iter().flatten().filter(|problem| problem.code != ProblemCode::Unanswered);
        let more = more.filter(|problem| problem.pointer.starts_with("/answers/"));
        for problem in problems.iter().chain(more) {
            let id = problem.pointer.strip_prefix("/answers/").and_then(|rest| rest.split('/').next());
            match id.and_then(|id| places.get(id)) {
                Some(&at) => found.faults[at].push(problem.clone()),
                None => found.rest.push(problem.clone()),
            }
        }
        found
    }

    pub fn faults(&self, at: usize) -> &[Problem] {
        self.faults.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether words of the record at this place are no answer and need the author's eyes; what only stands there twice,
    /// or says nothing, does not.
    pub fn needs_author(&self, at: usize) -> bool {
        self.faults(at).iter().any(|problem| !is_removable(problem))
    }

    /// The first question that a record repaired from this draft needs the author for; none if all faults can simply be
    /// left out.
    pub fn first_in_need(&self, spec: &QuestionSpec, draft: &Draft) -> Option<usize> {
        let missing = draft.missing(spec).first().copied();
        let faulty = (0..spec.questions.len()).find(|&at| self.needs_author(at));
        missing.into_iter().chain(faulty).min()
    }
}

/// Whether leaving the value out loses no words.
fn is_removable(problem: &Problem) -> bool {
    matches!(problem.code, ProblemCode::Blank | ProblemCode::Duplicate | ProblemCode::Unanswered)
}

/// The draft that the repair of a bad record begins with: every answer that is still good, and of a list with bad entries
/// the good ones. A question whose answer is bad starts blank: even its default would not be what the record says.
pub fn repair_draft(spec: &QuestionSpec, bytes: &[u8], diagnosis: &Diagnosis) -> Draft {
    let bytes_of_file = bytes;
    let found = records(spec, bytes);
    if found.len() > 1 {
        // Which of them counts is the author's to say.
        let mut draft = Draft::blank(spec);
        draft.replies.iter_mut().for_each(|reply| reply.prefilled = true);
        return draft;
    }
    let bytes = found.first().map_or(bytes, |found| found.as_bytes());
    let mut answers = salvage(spec, bytes);
    let json = Json::parse(bytes).ok();
    let record = json.as_ref().map(Json::root);
    if let Some(item) = record.and_then(|record| answers_in(record, spec)) {
        add_good_entries(spec, item, &mut answers);
    }
    let mut draft = Draft::prefilled(spec, &answers);
    let answered: HashSet<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
    for (at, (question, reply)) in spec.questions.iter().zip(&mut draft.replies).enumerate() {
        if diagnosis.needs_author(at) && !answered.contains(question.id.as_str()) {
            reply.clear();
            reply.prefilled = true;
        }
    }
    if mend(bytes_of_file)
        .is_some_and(|mended| mended.changes.iter().any(|change| change.slip.kind == SyntaxKind::End))
        && let Some((id, _)) = record.and_then(|record| answers_in(record, spec)?.entries().pop())
        && let Some(place) = spec.place_of(&id)
    {
        // It may go on.
        draft.replies[place].clear();
        draft.replies[place].prefilled = true;
    }
    // A question that waits for the author's first word gets no note.
    for (id, note) in record.map(notes_of).unwrap_or_default() {
        if let Some(place) = spec.place_of(&id).filter(|&place| draft.replies[place].prefilled) {
            draft.replies[place].note = note;
        }
    }
    draft
}

/// What a record says to each question of a spec, of several in one file all; nothing if it is no JSON.
pub fn recorded_answers(spec: &QuestionSpec, bytes: &[u8]) -> Vec<Option<Value>> {
    let mut all: Vec<Option<Value>> = vec![None; spec.questions.len()];
    for record in records(spec, bytes) {
        let json = Json::parse(record.as_bytes()).ok();
        let answers = json.as_ref().and_then(|json| answers_in(json.root(), spec));
        for (id, item) in answers.map(Item::entries).unwrap_or_default() {
            let Some(place) = spec.place_of(&id) else { continue };
            let said = recorded_answer(item);
            all[place] = Some(match all[place].take() {
                Some(before) if before != said => {
                    Value::Other(format!("{} / {}", before.json(), said.json()))
                }
                _ => said,
            });
        }
    }
    all
}

/// The records that a file holds, as a record has them: out of what is around them, and a list of answers as an object.
fn records(spec: &QuestionSpec, bytes: &[u8]) -> Vec<String> {
    let first = String::from_utf8_lossy(&legible(bytes)).into_owned();
    let mut found = Vec::new();
    for text in [Some(first), second(bytes)].into_iter().flatten() {
        let Ok(json) = Json::parse(text.as_bytes()) else { continue };
        collect_records(spec, json.root(), DEEPEST, &mut found);
    }
    found
}

fn collect_records(spec: &QuestionSpec, item: Item<'_>, deep: usize, found: &mut Vec<String>) {
    if let Some(answers) = answers_in(item, spec) {
        let record = if answers.elements().next().is_some() {
            listed(spec, item, answers)
        } else {
            item.source().to_owned()
        };
        if !found.contains(&record) {
            found.push(record);
        }
    } else if deep > 0 && item.get("novel_ask").is_none() {
        let members = item.entries().into_iter().map(|(_, value)| value);
        members.chain(item.elements()).for_each(|inner| collect_records(spec, inner, deep - 1, found));
    }
}

/// A record whose answers are a list of objects, each with its question and the answer.
fn listed(spec: &QuestionSpec, record: Item<'_>, answers: Item<'_>) -> String {
    let one_of = |item: Item<'_>, keys: &[&str]| {
        let value = keys.iter().find_map(|key| item.get(key))?;
        Some(value.source().to_owned())
    };
    let pair = |item: Item<'_>| {
        let id = ID_KEYS.iter().filter_map(|key| item.get(key)?.string()).find_map(|words| {
            let is_meant = |question: &&Question| {
                [question.id.as_str().into(), question.header.clone(), question.question.clone()]
                    .contains(&words)
            };
            spec.questions.iter().find(is_meant)
        })?;
        Some((id.id.clone(), raw(one_of(item, &VALUE_KEYS)?)))
    };
    let pairs = object(answers.elements().filter_map(pair));
    let notes = record.get("_notes").map(|notes| ("_notes", raw(notes.source().to_owned())));
    object([("answers", pairs)].into_iter().chain(notes)).get().to_owned()
}

/// A string or a list of strings; anything else as it is written, shortened.
fn recorded_answer(item: Item<'_>) -> Value {
    let value = Value::read(item);
    if value.strings().is_empty() { Value::Other(shorten(item.source())) } else { value }
}

/// Adds, for each list that is no good as a whole, its good entries.
fn add_good_entries(spec: &QuestionSpec, record: Item<'_>, answers: &mut Answers) {
    let recorded: HashMap<JsString, Item<'_>> = record.entries().into_iter().collect();
    let answered: HashSet<String> = answers.iter().map(|(id, _)| id.clone()).collect();
    let lists = spec.questions.iter().filter(|question| question.kind == Kind::MultiChoice);
    for question in lists.filter(|question| !answered.contains(&question.id)) {
        let labels = label_places(&question.options);
        let mut seen = HashSet::new();
        let list = recorded.get(&question.id.as_str().into()).into_iter().flat_map(|list| list.elements());
        let good = list.filter_map(Item::string).filter(|words| {
            !words.is_blank()
                && (question.allow_other || labels.contains_key(words))
                && seen.insert(words.clone())
        });
        let entries: Vec<JsString> = good.collect();
        if !entries.is_empty() {
            answers.push((question.id.clone(), Answer::Many(entries)));
        }
    }
}

#[cfg(test)]
mod tests;
