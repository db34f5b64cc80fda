//! `answer`: answers a gate with a file, flags and defaults put together, or line by line on a terminal.

use super::history::over;
use super::input::NamedPacket;
use super::output::{Output, object, raw};
use super::{Session, input};
use crate::ask::json::{Json, Kind as JsonKind};
use crate::ask::reader::{ANSWERS, no_object};
use crate::ask::{
    Answer, Answers, Draft, Gate, JsString, Kind, Notes, Problem, ProblemCode, SIGNATURE, check_answers,
    check_notes, to_line,
};
use crate::cli;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::Drafts;
use crate::store::gate::{self, LoadFault};
use crate::store::history::note_defaults;
use crate::store::returned::Why;
use crate::store::submission::{Submission, refuse_lost_characters};
use crate::store::submit::{Outcome, conflict, submit};
use crate::store::{Record, WriteError, collision};
use crate::text::{Sentence, say};
use std::path::Path;
use std::sync::Arc;

mod ahead;
mod interview;
mod order;
mod outcome;
mod refusal;

use interview::Said;
use order::{Done, Order, WrittenRecord};

pub(super) const OUTPUT: Output = outcome::OUTPUT;

pub(super) const BLANK_BY: Sentence = say("--by needs a name.", "--by 需要一个名字。");

/// Answers a gate; after an error nothing has been written.
pub fn run(session: &mut Session<'_>, arguments: &cli::AnswerArgs) -> Result<ExitCode, Error> {
    let answered_by =
        if arguments.take_back { JsString::default() } else { answered_by(session, arguments)? };
    let project = Arc::new(session.project()?);
    let packet = if arguments.ahead.is_given {
        ahead::packet(session, &project, arguments)?
    } else {
        NamedPacket::load(session, &project, &arguments.packet)?
    };
    let rivals = |gate| collision::rivals(&project, &packet.path, gate, session.clock.now());
    let rivals = packet.gate().map(rivals).unwrap_or_default();
    let order = Order { project: &project, packet: &packet, answered_by: &answered_by, rivals: &rivals };
    match write(session, &order, arguments) {
        Ok(Done::Written(written)) => outcome::print(session, &order, &written),
        Ok(Done::SentBack(returned)) => outcome::print_sent_back(session, &order, &returned),
        Ok(Done::Refusing(why)) => outcome::print_refusing(session, &order, &why),
        Ok(Done::TakenBack(reply)) => outcome::print_taken_back(session, &packet, &reply),
        Err(
            fault @ (WriteError::Packet(LoadFault::Unreadable(_))
            | WriteError::Failed(_)
            | WriteError::NoGate),
        ) => Err(fault.error()),
        Err(fault) => {
            let seen = arguments.replace.as_deref().is_some_and(|seen| !seen.is_empty());
            outcome::print_unwritten(session, &order, seen, &fault)
        }
    }
}

/// Nobody signs for the author: only on a terminal is it known that a human answers.
fn answered_by(session: &Session<'_>, arguments: &cli::AnswerArgs) -> Result<JsString, Error> {
    let usage = |code, sentence| Err(Error::new(ExitCode::Usage, code, sentence, &[]));
    match &arguments.by {
        Some(name) if JsString::from(name.as_str()).is_blank() => usage("blank-by", BLANK_BY),
        Some(name) => Ok(name.as_str().into()),
        None if session.environment.input_is_terminal => Ok(SIGNATURE.into()),
        None => usage(
            "no-by",
            say(
                "Say who answers with --by NAME; without a terminal nobody signs for the author.",
                "请用 --by NAME 说明由谁回答；不在终端上时，没有人替作者署名。",
            ),
        ),
    }
}

fn write(
    session: &mut Session<'_>,
    order: &Order<'_>,
    arguments: &cli::AnswerArgs,
) -> Result<Done, WriteError> {
    let &Order { project, packet, answered_by, rivals } = order;
    let malformed = |problems: &Vec<Problem>| WriteError::Packet(LoadFault::Malformed(problems.clone()));
    let loaded = packet.loaded.as_ref().map_err(malformed)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if arguments.take_back {
        return refusal::take_back(session, order, gate);
    }
    if arguments.sends_back() {
        return refusal::send(session, order, gate, arguments);
    }
    if let Some(refusal) = loaded.refusal {
        return Err(WriteError::Refused(refusal));
    }
    let seen = arguments.replace.as_deref();
    if stands_in_the_way(&loaded.record, seen) {
        return Err(WriteError::Exists(Box::new(loaded.record.clone())));
    }
    // Nobody is asked for answers that could not be written.
    conflict(project, &packet.path, gate, collision::irreconcilable(project, gate, rivals))?;
    if arguments.is_empty() && !rivals.is_empty() {
        for line in outcome::rival_lines(rivals, session.lang) {
            session.warn(&[line]);
        }
    }
    let Said { draft, refusal } = said(session, order, gate, arguments)?;
    let at = rfc3339_millis(session.clock.now());
    let record = draft.record(&gate.spec, &at, answered_by);
    let json = record.to_json();
    let why = match refusal {
        Some(reason) => Some(Why { by: answered_by.clone(), reason, ..Why::default() }),
        None => Why::in_answers(&gate.spec, json.as_bytes()),
    };
    match why {
        Some(why) if arguments.dry_run => Ok(Done::Refusing(why)),
        Some(why) => refusal::because(session, order, gate, &why, json.as_bytes(), over(seen)),
        None => {
            let blocked = collision::left_blocked(project, gate, rivals, json.as_bytes());
            conflict(project, &packet.path, gate, blocked)?;
            refuse_lost_characters(&packet.path, json.as_bytes())?;
            if arguments.dry_run {
                return Ok(Done::Written(WrittenRecord { record, receipt: None, trouble: None, next: None }));
            }
            submit_record(session, order, gate, &draft, json.as_bytes(), arguments)
        }
    }
}

fn submit_record(
    session: &Session<'_>,
    order: &Order<'_>,
    gate: &Gate,
    draft: &Draft,
    bytes: &[u8],
    arguments: &cli::AnswerArgs,
) -> Result<Done, WriteError> {
    let &Order { project, packet, rivals, .. } = order;
    let submission = Submission {
        packet: &packet.path,
        answer_path: &gate.answer_path,
        asked: &gate::spec_hash(&gate.spec),
        bytes,
        rivals,
        over: over(arguments.replace.as_deref()),
        seen: None,
    };
    let state = session.state(project);
    let done = match submit(project, state.as_ref(), &submission, session.clock.now())? {
        Outcome::Written(done) => done,
        Outcome::SentBack(returned) => return Ok(Done::SentBack(returned)),
    };
    if let (true, Ok(state), None) = (arguments.is_empty(), &state, &done.unnoted) {
        // The answers are in the record and the history now. A draft that stays behind is offered again, never sent.
        let _ = Drafts::new(state).settle(&gate.answer_path, &gate.spec);
    }
    if let (Ok(state), None) = (&state, &done.unnoted) {
        // The history is complete without it.
        let defaults = draft.defaults(&gate.spec);
        let _ = note_defaults(state, &gate.answer_path, &done.receipt.sha256, &defaults);
    }
    let next = match done.next {
        None if arguments.ahead.is_given => ahead::next(project, &done.loaded),
        asked => asked.map(|asked| asked.name),
    };
    let (record, receipt) = (done.record, Some(done.receipt));
    Ok(Done::Written(WrittenRecord { record, receipt, trouble: done.unnoted, next }))
}

/// Whether a record is there that may not be replaced, or the one to be replaced is not there.
fn stands_in_the_way(record: &Record, seen: Option<&str>) -> bool {
    match seen {
        None => record.exists(),
        Some("") => false,
        Some(seen) => !record.exists() || seen != record.sha256(),
    }
}

/// What is said, wherever it comes from.
fn said(
    session: &mut Session<'_>,
    order: &Order<'_>,
    gate: &Gate,
    arguments: &cli::AnswerArgs,
) -> Result<Said, WriteError> {
    let notes = notes(&arguments.notes).map_err(WriteError::Failed)?;
    let mut said = if !arguments.is_empty() {
        let mut draft = Draft::blank(&gate.spec);
        for (id, answer) in collect(session, gate, arguments, &notes)? {
            if let Some((place, question)) = gate.spec.find(&id) {
                draft.replies[place].set(question, answer);
            }
        }
        Said { draft, refusal: None }
    } else if session.environment.input_is_terminal && session.environment.output_is_terminal {
        let problems = check_notes(&gate.spec, &notes);
        if !problems.is_empty() {
            return Err(WriteError::Invalid(problems));
        }
        interview::ask(session, order, gate).map_err(WriteError::Failed)?
    } else {
        // Who sends the output elsewhere does not sit before the questions.
        let sentence = say(
            "Give answers with --from, --set or --defaults.",
            "请用 --from、--set 或 --defaults 给出回答。",
        );
        return Err(WriteError::Failed(Error::new(ExitCode::Usage, "no-answers", sentence, &[])));
    };
    for (id, note) in notes {
        if let Some(place) = gate.spec.place_of(&id) {
            said.draft.replies[place].note = note;
        }
    }
    Ok(said)
}

/// An answer as JSON, under its id.
type JsonAnswers = Vec<(JsString, String)>;

/// Everything given, checked against the questions: `--set` wins over `--from` id by id, both over defaults.
fn collect(
    session: &mut Session<'_>,
    gate: &Gate,
    arguments: &cli::AnswerArgs,
    notes: &Notes,
) -> Result<Answers, WriteError> {
    let mut given = match &arguments.from {
        Some(file) => {
            let text = input::in_utf8(file, read(session, file)?).map_err(WriteError::Failed)?;
            answers_in(text.as_bytes()).map_err(WriteError::Invalid)?
        }
        None => JsonAnswers::new(),
    };
    for (id, json) in from_flags(gate, &arguments.set).map_err(WriteError::Failed)? {
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
    if refusal::refuses(&gate.spec, &answers) {
        // Nobody has to answer the rest of what he sends back.
        problems.retain(|problem| problem.code != ProblemCode::Unanswered);
    }
    problems.extend(check_notes(&gate.spec, notes));
    if problems.is_empty() { Ok(answers) } else { Err(WriteError::Invalid(problems)) }
}

/// `--note id=text`: at most one on a question, never blank.
fn notes(flags: &[String]) -> Result<Notes, Error> {
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

fn read(session: &mut Session<'_>, file: &Path) -> Result<Vec<u8>, WriteError> {
    let failed = |fault| Error { code: "no-answers", ..input::unusable(file, fault) };
    input::read(session, file).map_err(|fault| WriteError::Failed(failed(fault)))
}

/// The members of the `answers` object of a file; what else the file holds does not matter.
fn answers_in(bytes: &[u8]) -> Result<JsonAnswers, Vec<Problem>> {
    let json = Json::parse(bytes).map_err(|error| vec![error.into()])?;
    let root = json.root();
    if root.kind() != JsonKind::Object {
        return Err(vec![no_object(&["answers"], Some(root))]);
    }
    match root.get("answers") {
        Some(answers) if answers.kind() == JsonKind::Object => {
            Ok(answers.entries().into_iter().map(|(id, item)| (id, item.source().to_owned())).collect())
        }
        other => Err(vec![no_object(&ANSWERS, other).at("/answers")]),
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
