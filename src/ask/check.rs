//! A record against its questions: the one rule book.
//!
//! Responsible for the verdict on a record: valid exactly when novel-writer-cli 0.5.0 accepts it, with every violation
//! where the reference names the first. Also keeps what is still good of a bad record. Not responsible for files.

use super::answer::{Answer, AnswerSpec, Answers};
use super::date::is_date_time;
use super::decode::{
    check_keys, is_snake_case, pointer_step, require_object, require_string, require_version, require_words,
    syntax, wrong,
};
use super::js_string::JsString;
use super::json::{Item, Json, Kind as JsonKind};
use super::problem::{Expected, Labels, Problem, ProblemKind, shorten};
use super::question::{Kind, Question, QuestionSpec};
use std::collections::HashSet;

const RECORD_KEYS: [&str; 5] = ["version", "topic", "answers", "answered_at", "answered_by"];

/// Reads a record and checks it against its questions.
///
/// # Errors
/// Every violation.
pub fn check_record(spec: &QuestionSpec, bytes: &[u8]) -> Result<AnswerSpec, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![syntax(error)])?;
    let root = json.root();
    let mut problems = Vec::new();
    if !require_object(root, "", &mut problems) {
        return Err(problems);
    }
    check_keys(root, &RECORD_KEYS, "", &mut problems);
    let version = require_version(root, "", &mut problems);
    if let Some(version) = version.filter(|version| !same_number(*version, spec.version)) {
        problems.push(Problem::new("/version", ProblemKind::VersionDiffers(version, spec.version)));
    }
    let topic = require_words(root, "topic", "", &mut problems);
    if let Some(topic) = topic.as_ref().filter(|topic| **topic != spec.topic) {
        problems.push(Problem::new("/topic", ProblemKind::TopicDiffers(topic.clone(), spec.topic.clone())));
    }
    let answered_at = require_words(root, "answered_at", "", &mut problems);
    if let Some(at) = answered_at.as_ref().filter(|at| !at.as_str().is_some_and(is_date_time)) {
        problems.push(Problem::new("/answered_at", ProblemKind::NotDateTime(at.clone())));
    }
    let answered_by = require_words(root, "answered_by", "", &mut problems);
    let answers = match root.get("answers") {
        Some(item) if item.kind() == JsonKind::Object => check_answers(spec, item, &mut problems),
        other => {
            problems.push(wrong("/answers", Expected::Object, other));
            Answers::new()
        }
    };
    match (version, topic, answered_at, answered_by) {
        (Some(version), Some(topic), Some(answered_at), Some(answered_by)) if problems.is_empty() => {
            Ok(AnswerSpec { version, topic, answers, answered_at, answered_by })
        }
        _ => Err(problems),
    }
}

/// Checks an `answers` object, wherever it comes from; the good answers, in question order.
pub fn check_answers(spec: &QuestionSpec, answers: Item<'_>, problems: &mut Vec<Problem>) -> Answers {
    let mut good: Vec<Option<Answer>> = vec![None; spec.questions.len()];
    let mut seen = vec![false; spec.questions.len()];
    for (id, item) in answers.entries() {
        let at = format!("/answers/{}", pointer_step(&id));
        if !is_snake_case(&id) {
            problems.push(Problem::new(at, ProblemKind::NotSnakeCase(id)));
            continue;
        }
        let Some((place, question)) = spec.find(&id.lossy()) else {
            let near = nearest_id(spec, &id);
            problems.push(Problem::new(at, ProblemKind::UnknownQuestion(id, near)));
            continue;
        };
        seen[place] = true;
        good[place] = check_answer(question, item, &at, problems);
    }
    for (question, _) in
        spec.questions.iter().zip(&seen).filter(|(question, seen)| !**seen && question.must_be_answered())
    {
        let at = format!("/answers/{}", question.id);
        problems.push(Problem::new(at, ProblemKind::Unanswered(question.id.clone())));
    }
    let ids = spec.questions.iter().map(|question| question.id.clone());
    ids.zip(good).filter_map(|(id, answer)| Some((id, answer?))).collect()
}

/// What is still good in a record: answers that fit their questions, whatever else is wrong with it.
pub fn salvage(spec: &QuestionSpec, bytes: &[u8]) -> Answers {
    match Json::parse(bytes) {
        Ok(json) => json
            .root()
            .get("answers")
            .map(|item| check_answers(spec, item, &mut Vec::new()))
            .unwrap_or_default(),
        Err(_) => Answers::new(),
    }
}

fn check_answer(
    question: &Question,
    item: Item<'_>,
    at: &str,
    problems: &mut Vec<Problem>,
) -> Option<Answer> {
    let before = problems.len();
    let shape_fits = match question.kind {
        Kind::MultiChoice => item.kind() == JsonKind::Array,
        Kind::SingleChoice | Kind::FreeText => item.kind() == JsonKind::String,
    };
    if !shape_fits {
        problems.push(Problem::new(at, ProblemKind::WrongShape(question.kind, shorten(item.source()))));
        return None;
    }
    let answer = match question.kind {
        Kind::MultiChoice => Answer::Many(check_entries(question, item, at, problems)),
        Kind::SingleChoice | Kind::FreeText => {
            let value = require_string(Some(item), at, problems)?;
            if question.kind == Kind::SingleChoice {
                check_membership(question, &value, at, problems);
            }
            Answer::One(value)
        }
    };
    (problems.len() == before).then_some(answer)
}

fn check_entries(
    question: &Question,
    list: Item<'_>,
    at: &str,
    problems: &mut Vec<Problem>,
) -> Vec<JsString> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for (i, item) in list.elements().enumerate() {
        let here = format!("{at}/{i}");
        let Some(value) = require_string(Some(item), &here, problems) else { continue };
        if !seen.insert(value.clone()) {
            problems.push(Problem::new(here, ProblemKind::DuplicateEntry(value)));
            continue;
        }
        check_membership(question, &value, &here, problems);
        out.push(value);
    }
    if list.elements().next().is_none() {
        problems.push(wrong(at, Expected::Answer, Some(list)));
    }
    out
}

fn check_membership(question: &Question, value: &JsString, at: &str, problems: &mut Vec<Problem>) {
    if question.allow_other || question.option(value).is_some() {
        return;
    }
    let near = super::nearest(value, question.options.iter().map(|option| &option.label)).cloned();
    problems
        .push(Problem::new(at, ProblemKind::NotAnOption(value.clone(), Labels::of(&question.options), near)));
}

fn nearest_id(spec: &QuestionSpec, id: &JsString) -> Option<String> {
    let ids: Vec<JsString> = spec.questions.iter().map(|question| question.id.as_str().into()).collect();
    super::nearest(id, &ids).map(|id| id.lossy().into_owned())
}

/// `===` on two finite numbers: 1.0 is 1, and 2^53 is 2^53 + 1.
#[expect(clippy::float_cmp, reason = "the reference compares doubles exactly")]
fn same_number(a: f64, b: f64) -> bool {
    a == b
}
