//! `answer`: answers a gate without the console.
//!
//! Responsible for where answers come from (a file, flags, defaults, or one question after another on a terminal) and
//! for saying what became of them.

use super::Session;
use super::output::Output;
use crate::ask::{AnswerSpec, Draft, JsString, Notes, QuestionSpec, check_notes};
use crate::cli::Answer;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::Drafts;
use crate::store::gate::{self, Loaded};
use crate::store::history::Over;
use crate::store::submit::{Submission, conflict, submit};
use crate::store::{Project, Receipt, Record, WriteError, collision, record};
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod interview;
mod outcome;
mod sources;

pub(super) const OUTPUT: Output = outcome::OUTPUT;

/// Answers a gate.
///
/// # Errors
/// Nothing has been written.
pub fn run(session: &mut Session<'_>, arguments: &Answer) -> Result<ExitCode, Error> {
    let answered_by = answered_by(session, arguments)?;
    let project = session.project()?;
    let path = session.packet(&project, &arguments.packet)?;
    let rivals = rivals(session, &path);
    match write(
        session,
        &project,
        &Order { path: &path, answered_by: &answered_by, rivals: &rivals },
        arguments,
    ) {
        Ok(written) => outcome::print(session, &project, &path, &written),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::Unwritten(fault)) => {
            let seen = arguments.replace.as_deref().is_some_and(|seen| !seen.is_empty());
            outcome::print_unwritten(session, &project, (&path, &rivals), (seen, &fault))
        }
    }
}

/// Packets that want other answers in the same place.
fn rivals(session: &Session<'_>, path: &Path) -> Vec<PathBuf> {
    let Ok(project) = session.project().map(Arc::new) else { return Vec::new() };
    let Ok(loaded) = gate::load(&project, path) else { return Vec::new() };
    let rivals = |gate| collision::rivals(&project, path, gate, session.clock.now());
    loaded.gate().map(rivals).unwrap_or_default()
}

/// Nobody signs for the author: only on a terminal is it known that a human answers.
fn answered_by(session: &Session<'_>, arguments: &Answer) -> Result<JsString, Error> {
    let usage = |code, sentence| Err(Error::new(ExitCode::Usage, code, sentence, &[]));
    match &arguments.by {
        Some(name) if JsString::from(name.as_str()).is_blank() => {
            usage("blank-by", say("--by needs a name.", "--by 需要一个名字。"))
        }
        Some(name) => Ok(name.as_str().into()),
        None if session.environment.input_is_terminal => Ok("human".into()),
        None => usage(
            "no-by",
            say(
                "Say who answers with --by NAME; without a terminal nobody signs for the author.",
                "请用 --by NAME 说明由谁回答；不在终端上时，没有人替作者署名。",
            ),
        ),
    }
}

/// What is to be answered, and by whom.
struct Order<'o> {
    path: &'o Path,
    answered_by: &'o JsString,
    /// Packets that want other answers in the same place.
    rivals: &'o [PathBuf],
}

/// What was written, or would have been.
struct Written {
    loaded: Loaded,
    record: AnswerSpec,
    /// `None` after a dry run.
    receipt: Option<Receipt>,
    /// That the history could not be kept.
    trouble: Option<Error>,
}

enum Failure {
    Error(Error),
    Unwritten(Box<WriteError>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<WriteError> for Failure {
    fn from(fault: WriteError) -> Failure {
        match fault {
            WriteError::Packet(gate::LoadFault::Unreadable(error)) | WriteError::Failed(error) => {
                Failure::Error(error)
            }
            WriteError::NoGate => Failure::Error(record::no_gate()),
            fault => Failure::Unwritten(Box::new(fault)),
        }
    }
}

fn write(
    session: &mut Session<'_>,
    project: &Project,
    order: &Order<'_>,
    arguments: &Answer,
) -> Result<Written, Failure> {
    let &Order { path, answered_by, rivals } = order;
    let loaded = gate::load(project, path).map_err(WriteError::Packet)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if let Some(refusal) = loaded.refusal {
        return Err(WriteError::Refused(refusal).into());
    }
    let seen = arguments.replace.clone();
    if stands_in_the_way(&loaded.record, seen.as_deref()) {
        return Err(WriteError::Exists(Box::new(loaded.record)).into());
    }
    // Nobody is asked for answers that could not be written.
    conflict(project, path, gate, collision::irreconcilable(project, gate, rivals))?;
    let interviewed = arguments.is_empty();
    if interviewed && !rivals.is_empty() {
        for line in outcome::rival_lines(rivals, session.lang) {
            session.warn(&[line]);
        }
    }
    let draft = draft(session, project, &loaded, arguments)?;
    let at = rfc3339_millis(session.clock.now());
    let record = draft.record(&gate.spec, &at, answered_by);
    let blocked = collision::left_blocked(project, gate, rivals, record.to_json().as_bytes());
    conflict(project, path, gate, blocked)?;
    let mut written = Written { loaded, record, receipt: None, trouble: None };
    if !arguments.dry_run {
        commit(session, project, (&mut written, rivals), seen.as_deref())?;
        if let (true, Some(gate), Ok(state)) = (interviewed, written.loaded.gate(), session.state(project)) {
            // The answers are in the record now. A draft that stays behind is offered again, never sent.
            let _ = Drafts::new(&state).remove(&gate.answer_path);
        }
    }
    Ok(written)
}

/// Whether there is a record that may not be replaced, or not the one that was to be.
fn stands_in_the_way(record: &Record, seen: Option<&str>) -> bool {
    match seen {
        None => record.exists(),
        Some("") => false,
        Some(seen) => !record.exists() || seen != record.sha256(),
    }
}

/// The answers, wherever they come from.
fn draft(
    session: &mut Session<'_>,
    project: &Project,
    loaded: &Loaded,
    arguments: &Answer,
) -> Result<Draft, Failure> {
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    let notes = sources::notes(&arguments.notes)?;
    if !arguments.is_empty() {
        let answers = sources::collect(session, gate, arguments, &notes)?;
        let mut draft = Draft::blank(&gate.spec);
        put_notes(&mut draft, &gate.spec, notes);
        for (id, answer) in answers {
            if let Some((place, question)) = gate.spec.find(&id) {
                draft.replies[place].set(question, answer);
            }
        }
        return Ok(draft);
    }
    // Who sends the output elsewhere does not sit before the questions.
    if session.environment.input_is_terminal && session.environment.output_is_terminal {
        let problems = check_notes(&gate.spec, &notes);
        if !problems.is_empty() {
            return Err(WriteError::Invalid(problems).into());
        }
        let mut draft = interview::ask(session, project, loaded)?;
        put_notes(&mut draft, &gate.spec, notes);
        return Ok(draft);
    }
    Err(Failure::Error(Error::new(
        ExitCode::Usage,
        "no-answers",
        say("Give answers with --from, --set or --defaults.", "请用 --from、--set 或 --defaults 给出回答。"),
        &[],
    )))
}

fn put_notes(draft: &mut Draft, spec: &QuestionSpec, notes: Notes) {
    for (id, note) in notes {
        if let Some(place) = spec.place_of(&id) {
            draft.replies[place].note = note;
        }
    }
}

fn commit(
    session: &Session<'_>,
    project: &Project,
    (written, rivals): (&mut Written, &[PathBuf]),
    seen: Option<&str>,
) -> Result<(), Failure> {
    let gate = written.loaded.gate().ok_or(WriteError::NoGate)?;
    let (asked, json) = (written.loaded.spec_hash(), written.record.to_json());
    let submission = Submission {
        packet: &written.loaded.path,
        answer_path: &gate.answer_path,
        asked: &asked,
        bytes: json.as_bytes(),
        rivals,
        over: match seen {
            None => Over::Nothing,
            Some("") => Over::Any,
            Some(seen) => Over::Hash(seen),
        },
    };
    let state = session.state(project);
    let done = submit(project, state.as_ref(), &submission, session.clock.now())?;
    (written.receipt, written.trouble) = (Some(done.receipt), done.unnoted);
    Ok(())
}
