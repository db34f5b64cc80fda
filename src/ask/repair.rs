//! A bad record, taken apart: what of it is still an answer, what is wrong with each question's answer, and what belongs
//! to no question.
//!
//! Nothing that breaks a rule gets into the draft that a repair begins with. The verdict is `check`'s.

use super::answer::{Answer, Answers};
use super::cause::Cause;
use super::check::{check_record, notes_of, salvage};
use super::compare::Value;
use super::draft::Draft;
use super::frame::answers_in;
use super::js_string::JsString;
use super::json::{Item, Json};
use super::problem::{Problem, ProblemCode, escape, shorten};
use super::question::{Kind, QuestionSpec, label_places};
use super::records::Records;
use crate::text::encoding::text_of;
use crate::text::{Message, say};
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
        let records = Records::of(spec, bytes);
        let more = match &*records.all {
            [meant] if !problems.is_empty() && meant.as_bytes() != bytes.trim_ascii() => {
                check_record(spec, meant.as_bytes()).err()
            }
            _ => None,
        };
        let questions = spec.questions.iter().enumerate();
        let places: HashMap<String, usize> =
            questions.map(|(at, question)| (escape(&question.id.as_str().into()), at)).collect();
        let faults = vec![Vec::new(); spec.questions.len()];
        let mut found = Diagnosis { faults, rest: Vec::new(), causes };
        let more = more.iter().flatten().filter(|problem| problem.code != ProblemCode::Unanswered);
        let more = more.filter(|more| more.pointer.starts_with("/answers/") && !problems.contains(more));
        for problem in problems.iter().chain(more) {
            let id = problem.pointer.strip_prefix("/answers/").and_then(|rest| rest.split('/').next());
            match id.and_then(|id| places.get(id)) {
                Some(&at) => found.faults[at].push(problem.clone()),
                None => found.rest.push(problem.clone()),
            }
        }
        let told = records.told(spec);
        for (at, given) in told.given.iter().enumerate().filter(|(at, _)| told.differs[*at]) {
            let shown = |lang| given.as_ref().map(|given| shorten(&given.shown(lang))).unwrap_or_default();
            let expected = say("the same answer wherever it stands", "处处相同的回答");
            let pointer = format!("/answers/{}", escape(&spec.questions[at].id.as_str().into()));
            let problem = Problem::new(ProblemCode::Other, Message::in_both(shown), expected);
            found.faults[at].push(problem.at(pointer));
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
    let found = Records::of(spec, bytes);
    // Another document, or a record that stops before its answers, says nothing of them; which of several counts is the author's to
    // say.
    let (count, is_cut) = (found.all.len(), found.is_cut);
    let is_said =
        count > 1 || found.is_unread && (count > 0 || !text_of(bytes).trim_start().starts_with('{'));
    let told = found.told(spec).record;
    let bytes = if count > 0 { told.as_bytes() } else { bytes };
    let mut answers = salvage(spec, bytes);
    let json = Json::parse(bytes).ok();
    let record = json.as_ref().map(Json::root);
    let recorded = record.and_then(|record| answers_in(record, &spec.places()));
    if let Some(item) = recorded {
        add_good_entries(spec, item, &mut answers);
    }
    let mut draft = Draft::prefilled(spec, &answers);
    let answered: HashSet<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
    for (at, (question, reply)) in spec.questions.iter().zip(&mut draft.replies).enumerate() {
        if (is_said || diagnosis.needs_author(at)) && !answered.contains(question.id.as_str()) {
            reply.clear();
            reply.prefilled = true;
        }
    }
    if is_cut
        && let Some((id, _)) = recorded.and_then(|answers| answers.entries().pop())
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

/// What a file says where the record should be.
pub struct Recorded {
    /// To each question; of several records all.
    pub given: Vec<Option<Value>>,
    /// All of it, where it may say more.
    pub unread: Option<String>,
}

/// What a bad record says, as far as it can be read with certainty.
pub fn recorded_answers(spec: &QuestionSpec, bytes: &[u8]) -> Recorded {
    let found = Records::of(spec, bytes);
    let text = || text_of(bytes).trim().to_owned();
    let unread = found.is_unread.then(text).filter(|text| !text.is_empty());
    Recorded { given: found.told(spec).given, unread }
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
