//! A bad record, taken apart: what of it is still an answer, what is wrong with each question's answer, and what belongs
//! to no question.
//!
//! Nothing that breaks a rule gets into the draft that a repair begins with. The verdict is `check`'s.

use super::answer::{Answer, Answers};
use super::cause::Cause;
use super::check::{answers_in, check_record, notes_of, salvage};
use super::compare::Value;
use super::draft::Draft;
use super::js_string::JsString;
use super::json::{Item, Json};
use super::mend::{legible, mend};
use super::problem::{Problem, ProblemCode, escape, shorten};
use super::question::{Kind, Question, QuestionSpec, label_places};
use std::collections::{HashMap, HashSet};

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
        let mended = mend(bytes).filter(|_| !problems.is_empty());
        let more = mended.and_then(|mended| check_record(spec, mended.text.as_bytes()).err());
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
    let bytes = &*legible(bytes);
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
    // A question that waits for the author's first word gets no note.
    for (id, note) in record.map(notes_of).unwrap_or_default() {
        if let Some(place) = spec.place_of(&id).filter(|&place| draft.replies[place].prefilled) {
            draft.replies[place].note = note;
        }
    }
    draft
}

/// What a record says to each question of a spec; nothing if it is no JSON.
pub fn recorded_answers(spec: &QuestionSpec, bytes: &[u8]) -> Vec<Option<Value>> {
    let bytes = legible(bytes);
    let json = Json::parse(&bytes).ok();
    let answers = json.as_ref().and_then(|json| answers_in(json.root(), spec));
    let answers: HashMap<JsString, Item<'_>> =
        answers.map(Item::entries).unwrap_or_default().into_iter().collect();
    let answer = |question: &Question| answers.get(&question.id.as_str().into()).copied();
    spec.questions.iter().map(|question| answer(question).map(recorded_answer)).collect()
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
