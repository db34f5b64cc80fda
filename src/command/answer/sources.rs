//! Answers from a file, from flags and from the questions' defaults, put together.

use super::Failure;
use crate::ask::json::{Json, Kind as JsonKind};
use crate::ask::reader::{OBJECT, wrong};
use crate::ask::{
    Answer, Answers, Draft, Gate, JsString, Kind, Notes, Problem, check_answers, check_notes, to_line,
};
use crate::cli;
use crate::command::output::{object, raw};
use crate::command::{Session, input};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::WriteError;
use crate::store::gate::LoadFault;
use crate::text::say;
use std::path::Path;

/// An answer as JSON, under its id.
type JsonAnswers = Vec<(JsString, String)>;

/// Everything given, checked against the questions: `--set` wins over `--from` id by id, both over defaults.
pub(super) fn collect(
    session: &mut Session<'_>,
    gate: &Gate,
    arguments: &cli::Answer,
    notes: &Notes,
) -> Result<Answers, Failure> {
    let mut given = match &arguments.from {
        Some(file) => answers_in(&read(session, file)?).map_err(WriteError::Invalid)?,
        None => JsonAnswers::new(),
    };
    for (id, json) in from_flags(gate, &arguments.set)? {
        put(&mut given, id, json);
    }
    if arguments.defaults {
        for (id, answer) in Draft::new(&gate.spec).answers(&gate.spec) {
            let id = JsString::from(id);
            if !given.iter().any(|(known, _)| *known == id) {
                given.push((id, to_line(&answer)));
            }
        }
    }
    let merged = object(given.iter().map(|(id, json)| (id, raw(json.clone()))));
    let json = Json::parse(merged.get().as_bytes())
        .map_err(|error| WriteError::Invalid(vec![Problem::from(error).at("/answers")]))?;
    let mut problems = Vec::new();
    let answers = check_answers(&gate.spec, json.root(), &mut problems);
    problems.extend(check_notes(&gate.spec, notes));
    if problems.is_empty() { Ok(answers) } else { Err(WriteError::Invalid(problems).into()) }
}

/// `--note id=text`: at most one on a question, never blank.
pub(super) fn notes(flags: &[String]) -> Result<Notes, Error> {
    let usage =
        |code, sentence, flag: &str| Err(Error::new(ExitCode::Usage, code, sentence, &[flag]).at("--note"));
    let mut notes = Notes::new();
    for flag in flags {
        let Some((id, text)) = flag.split_once('=') else {
            return usage(
                "bad-note",
                say("--note needs ID=TEXT, not {0}.", "--note 需要 ID=TEXT，而不是 {0}。"),
                flag,
            );
        };
        let (id, text) = (JsString::from(id), JsString::from(text));
        if text.is_blank() {
            let sentence = say("The note on {0} has no text.", "{0} 的备注没有内容。");
            return usage("blank-note", sentence, &id.display());
        }
        if notes.iter().any(|(known, _)| *known == id) {
            let sentence = say("There are two notes on {0}.", "{0} 有两条备注。");
            return usage("two-notes", sentence, &id.display());
        }
        notes.push((id, text));
    }
    Ok(notes)
}

fn put(given: &mut JsonAnswers, id: JsString, json: String) {
    match given.iter_mut().find(|(known, _)| *known == id) {
        Some((_, old)) => *old = json,
        None => given.push((id, json)),
    }
}

fn read(session: &mut Session<'_>, file: &Path) -> Result<Vec<u8>, Failure> {
    match input::read(session, file) {
        Ok(bytes) => Ok(bytes),
        Err(LoadFault::Unreadable(error)) => Err(Error { code: "no-answers", ..error }.into()),
        Err(LoadFault::Malformed(problems)) => Err(WriteError::Invalid(problems).into()),
    }
}

/// The members of the `answers` object of a file; what else the file holds does not matter.
fn answers_in(bytes: &[u8]) -> Result<JsonAnswers, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let root = json.root();
    if root.kind() != JsonKind::Object {
        return Err(vec![wrong(OBJECT, Some(root))]);
    }
    match root.get("answers") {
        Some(answers) if answers.kind() == JsonKind::Object => {
            Ok(answers.entries().into_iter().map(|(id, item)| (id, item.source().to_owned())).collect())
        }
        other => Err(vec![wrong(OBJECT, other).at("/answers")]),
    }
}

/// `--set id=value`, exactly as given. A list for a question that takes several entries, or if it is repeated.
fn from_flags(gate: &Gate, flags: &[String]) -> Result<JsonAnswers, Error> {
    let mut values: Vec<(&str, Vec<JsString>)> = Vec::new();
    for flag in flags {
        let Some((id, value)) = flag.split_once('=') else {
            let sentence = say("--set needs ID=VALUE, not {0}.", "--set 需要 ID=VALUE，而不是 {0}。");
            return Err(Error::new(ExitCode::Usage, "bad-set", sentence, &[flag]).at("--set"));
        };
        match values.iter_mut().find(|(known, _)| *known == id) {
            Some((_, list)) => list.push(value.into()),
            None => values.push((id, vec![value.into()])),
        }
    }
    let json = |(id, list): (&str, Vec<JsString>)| {
        let many = gate.spec.find(id).is_some_and(|(_, question)| question.kind == Kind::MultiChoice);
        let answer = match <[JsString; 1]>::try_from(list) {
            Ok([value]) if !many => Answer::One(value),
            Ok([value]) => Answer::Many(vec![value]),
            Err(list) => Answer::Many(list),
        };
        (JsString::from(id), to_line(&answer))
    };
    Ok(values.into_iter().map(json).collect())
}
