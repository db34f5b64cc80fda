//! No answer, but a reason: sending a step back, and taking that back.

use super::order::{Done, Order};
use crate::ask::{Answer, Answers, Gate, JsString, Question, QuestionSpec, nearest};
use crate::cli;
use crate::command::Session;
use crate::command::history::over;
use crate::command::input::{in_utf8, standard, unusable};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::WriteError;
use crate::store::clock::rfc3339_millis;
use crate::store::history::Over;
use crate::store::reply::{self, Reply};
use crate::store::returned::{Why, send_back};
use crate::store::submission::Submission;
use crate::text::say;
use std::path::Path;

/// Sends the step back for what the flags say.
pub(super) fn send(
    session: &mut Session<'_>,
    order: &Order<'_>,
    gate: &Gate,
    arguments: &cli::AnswerArgs,
) -> Result<Done, WriteError> {
    let does_not_apply = arguments.does_not_apply.as_deref();
    let does_not_apply = does_not_apply.map(|id| asked(gate, id)).transpose().map_err(WriteError::Failed)?;
    let reason = match arguments.send_back.as_deref() {
        Some("-") => typed(session)?,
        given => given.unwrap_or_default().into(),
    };
    let why = Why { by: order.answered_by.clone(), reason, choice: None, does_not_apply };
    let seen = arguments.replace.as_deref();
    let over = if seen.is_some() { over(seen) } else { Over::Any };
    because(session, order, gate, &why, b"", over)
}

/// Sends the step back; `bytes` are the answers so far.
pub(super) fn because(
    session: &Session<'_>,
    order: &Order<'_>,
    gate: &Gate,
    why: &Why,
    bytes: &[u8],
    over: Over<'_>,
) -> Result<Done, WriteError> {
    let loaded = order.packet.loaded().ok_or(WriteError::NoGate)?;
    let submission = Submission {
        packet: &order.packet.path,
        answer_path: &gate.answer_path,
        asked: &loaded.spec_hash(),
        bytes,
        rivals: &[],
        seen: None,
        over,
    };
    let state = session.state(order.project);
    let returned = send_back(order.project, state.as_ref(), &submission, why, session.clock.now())?;
    Ok(Done::SentBack(Box::new(returned)))
}

/// The id of a question that the gate asks.
fn asked(gate: &Gate, id: &str) -> Result<String, Error> {
    if gate.spec.find(id).is_some() {
        return Ok(id.to_owned());
    }
    let sentence = say("This gate asks no question {0}.", "这个门控没有问题 {0}。");
    let error = Error::new(ExitCode::Usage, "unknown-question", sentence, &[id]).at("--does-not-apply");
    let ids = || gate.spec.questions.iter().map(|question| question.id.as_str());
    Err(match nearest(&id.into(), ids().map(JsString::from)) {
        Some(place) => error.hint(say("Did you mean {0}?", "是否指 {0}？"), ids().nth(place).as_slice()),
        None => error,
    })
}

/// A reason from standard input, without a mark of its encoding and the end of its last line.
fn typed(session: &mut Session<'_>) -> Result<JsString, WriteError> {
    let name = Path::new("-");
    let bytes = standard(session).map_err(|fault| WriteError::Failed(unusable(name, fault)))?;
    let text = in_utf8(name, bytes).map_err(WriteError::Failed)?;
    Ok(text.trim_end_matches(['\n', '\r']).into())
}

/// Takes back what was sent back.
pub(super) fn take_back(session: &Session<'_>, order: &Order<'_>, gate: &Gate) -> Result<Done, WriteError> {
    let (project, packet) = (order.project, order.packet);
    let delivered = reply::last_of(project, &packet.path, &gate.answer_path).map(|reply| reply.delivered);
    let is_answered = packet.loaded().is_some_and(|loaded| loaded.record.exists());
    let at = rfc3339_millis(session.clock.now());
    let taken = if is_answered {
        None
    } else {
        reply::take_back(project, &packet.path, &gate.answer_path, &at).map_err(WriteError::Failed)?
    };
    let sentence =
        say("{0} is not sent back: there is nothing to take back.", "{0} 没有被退回，没有可收回的。");
    let none = || Error::new(ExitCode::Waiting, "not-sent-back", sentence, &[&packet.shown]);
    let sent = taken.ok_or_else(|| WriteError::Failed(none()))?;
    Ok(Done::TakenBack(Reply { sent, delivered: delivered.unwrap_or_default() }))
}

/// Whether a label is chosen that sends back.
pub(super) fn refuses(spec: &QuestionSpec, answers: &Answers) -> bool {
    let sends_back = |question: &Question, answer: &Answer| {
        answer
            .values()
            .iter()
            .filter_map(|value| question.option(value))
            .any(|at| question.options[at].sends_back)
    };
    answers.iter().any(|(id, answer)| spec.find(id).is_some_and(|(_, question)| sends_back(question, answer)))
}
