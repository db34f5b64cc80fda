//! Sending a step back: the author gives no answer, and says why. What lies at the answer path goes into the history first, so that
//! nothing is open at any moment that he refuses.

use super::checkpoint;
use super::clock::rfc3339_millis;
use super::gate::{Loaded, STEP_PASSED};
use super::history::{self, History, HistoryEntry, Note, Over, Reason, Story};
use super::project::Project;
use super::record::{self, Receipt, WriteError};
use super::relay;
use super::reply;
use super::rounds::{Event, Rounds, SentBack};
use super::sha256;
use super::state::StateDir;
use super::submission::{Submission, attached};
use crate::ask::compare::read_notes;
use crate::ask::json::Json;
use crate::ask::splice::with_member;
use crate::ask::{AnswerSpec, Answers, Gate, JsString, QuestionSpec, salvage, to_line};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use serde_json::json;
use std::time::SystemTime;

/// The member of an entry of the history that says why.
const MEMBER: &str = "_sent_back";

/// A step that the author has sent back.
#[derive(Clone, Debug, PartialEq)]
pub struct Returned {
    pub sent: SentBack,
    /// The packet as it was then.
    pub loaded: Loaded,
    /// The record that was in its place, which is in the history now.
    pub removed: Option<Receipt>,
    /// Why the history could not note it; it is sent back all the same.
    pub unnoted: Option<Error>,
}

/// Why the author gives no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    pub by: JsString,
    /// In his words.
    pub reason: JsString,
    /// The label of a verdict.
    pub choice: Option<JsString>,
    /// The id of a question that does not apply.
    pub does_not_apply: Option<String>,
}

impl Why {
    /// The refusal in answers that choose a label which sends back, with all that was said beside it; `None` if they choose none.
    pub fn in_answers(spec: &QuestionSpec, bytes: &[u8]) -> Option<Why> {
        let json = Json::parse(bytes).ok()?;
        let answers = json.root().get("answers")?;
        let chosen = spec.questions.iter().find_map(|question| {
            let label = answers.text(&question.id)?;
            let option = &question.options[question.option(&label)?];
            option.sends_back.then_some((&question.id, label))
        });
        let (verdict, label) = chosen?;
        let by = json.root().text("answered_by").unwrap_or_default();
        Some(Why { by, reason: said(spec, bytes, verdict), choice: Some(label), does_not_apply: None })
    }

    /// The refusal that an entry of the history is about.
    pub fn of_entry(entry: &HistoryEntry) -> Option<Why> {
        let bytes = entry.bytes().ok().filter(|_| entry.reason == Reason::SentBack)?;
        Some(Why { by: entry.answered_by.clone().unwrap_or_default(), ..Why::in_entry(&bytes)? })
    }

    /// The refusal that an entry of the history keeps; whose it is, the entry says.
    pub fn in_entry(bytes: &[u8]) -> Option<Why> {
        let json = Json::parse_keeping(bytes, &[MEMBER]).ok()?;
        let why = json.root().get(MEMBER)?;
        let does_not_apply = why.text("does_not_apply").map(|id| id.lossy().into_owned());
        let reason = why.text("reason").unwrap_or_default();
        Some(Why { by: JsString::EMPTY, reason, choice: why.text("choice"), does_not_apply })
    }

    fn is_blank(&self) -> bool {
        self.reason.is_blank() && self.choice.is_none() && self.does_not_apply.is_none()
    }
}

/// What was said beside a verdict: alone as it is, several things each behind the header of its question.
fn said(spec: &QuestionSpec, bytes: &[u8], verdict: &str) -> JsString {
    let (answers, notes) = (salvage(spec, bytes), read_notes(bytes));
    let mut parts: Vec<(&JsString, JsString)> = Vec::new();
    for question in &spec.questions {
        let answer = answers.iter().find(|(id, _)| *id == question.id && id != verdict);
        parts.extend(
            answer.iter().flat_map(|(_, answer)| answer.values()).map(|it| (&question.header, it.clone())),
        );
        let note = notes.iter().find(|(id, _)| id.as_str() == Some(&question.id));
        parts.extend(note.map(|(_, note)| (&question.header, note.clone())));
    }
    if let [(_, only)] = &parts[..] {
        return only.clone();
    }
    let mut all = JsString::default();
    for (place, (header, part)) in parts.iter().enumerate() {
        all.push_str(if place == 0 { "" } else { "\n" });
        all.append(header);
        all.push_str(": ");
        all.append(part);
    }
    all
}

/// Sends a packet's step back, if it still asks what the author was shown.
///
/// # Errors
/// Nothing is sent back. Where the record has gone already, the error says so; it is in the history.
pub fn send_back(
    project: &Project,
    state: Result<&StateDir, &Error>,
    submission: &Submission<'_>,
    why: &Why,
    now: SystemTime,
) -> Result<Returned, WriteError> {
    if why.is_blank() {
        let sentence = say("Say why you send it back.", "请说明退回的理由。");
        return Err(WriteError::Failed(Error::new(ExitCode::Usage, "no-reason", sentence, &[])));
    }
    let loaded = attached(project, submission)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if loaded.packet.step.as_ref().is_some_and(|step| checkpoint::has_passed(project, step)) {
        return Err(WriteError::Failed(Error::new(ExitCode::Usage, "step-passed", STEP_PASSED, &[])));
    }
    let packet = reply::key(project, submission.packet);
    let sent = sent(
        why,
        packet,
        reply::refused_of(project, submission.packet, &loaded.packet),
        &rfc3339_millis(now),
    );
    let story = Story::of(&loaded, gate);
    let mut removed = None;
    loop {
        // First of all, whether it can be said.
        let mut rounds =
            Rounds::open(project, submission.packet, &gate.answer_path).map_err(WriteError::Failed)?;
        removed = take_away(project, state, submission.over, gate, &story, now)?.or(removed);
        match rounds.add(&Event::SentBack(sent.clone())) {
            Ok(true) => break,
            Ok(false) => {}
            Err(error) => return Err(WriteError::Failed(unsaid(error, removed.is_some()))),
        }
    }
    // Somebody has answered in this very moment: his record counts, and so does what it says.
    if let Some(record) = record::read(project, gate).ok().filter(record::Record::exists) {
        let _ = reply::take_back(project, submission.packet, &gate.answer_path, &sent.at);
        return Err(WriteError::Exists(Box::new(record)));
    }
    if relay::take_back_late_refusal(project, submission.packet) {
        return Err(WriteError::Late);
    }
    let bytes = with_reason(gate, submission.bytes, &sent);
    let note = Note { reason: Reason::SentBack, of: None, bytes: &bytes };
    let noted = state.map_err(Error::clone).and_then(|state| history::add(state, &story, &note, now));
    let unnoted = noted.err();
    Ok(Returned { sent, loaded, removed, unnoted })
}

/// The error of a reason that could not be written. The step is held up all the same where the record has gone.
fn unsaid(error: Error, is_removed: bool) -> Error {
    if !is_removed {
        return error;
    }
    let hint = say(
        "The record is in the history and the gate waits. Send it back again, or put the record back with redo --undo.",
        "记录已移入历史，门控正在等待。请再退回一次，或用 redo --undo 放回记录。",
    );
    let code = if error.code == "not-written" { "record-removed" } else { error.code };
    Error { code, ..error.hint(hint, &[]) }
}

fn sent(why: &Why, packet: String, subject: Option<String>, at: &str) -> SentBack {
    let Why { by, reason, choice, does_not_apply } = why.clone();
    let parts = [at, &*packet, &*by.lossy(), &*reason.lossy(), subject.as_deref().unwrap_or_default()];
    let id = sha256(parts.join("\0").as_bytes())[..16].to_owned();
    SentBack { id, at: at.to_owned(), by, packet, choice, does_not_apply, reason, subject }
}

/// Moves a record that is in the way into the history.
fn take_away(
    project: &Project,
    state: Result<&StateDir, &Error>,
    over: Over<'_>,
    gate: &Gate,
    story: &Story<'_>,
    now: SystemTime,
) -> Result<Option<Receipt>, WriteError> {
    let record = record::read(project, gate).map_err(|problem| WriteError::Invalid(vec![*problem]))?;
    let seen = match over {
        _ if !record.exists() => return Ok(None),
        Over::Nothing => return Err(WriteError::Exists(Box::new(record))),
        Over::Any => None,
        Over::Hash(seen) => Some(seen),
    };
    let state = state.map_err(|error| WriteError::Failed(error.clone()))?;
    let history = History { project, state, now };
    match history.remove(story, seen) {
        Ok(moved) => Ok(Some(moved.file)),
        Err(WriteError::NoRecord) => Ok(None),
        Err(WriteError::Changed) => Err(WriteError::Exists(Box::new(record))),
        Err(fault) => Err(fault),
    }
}

/// What the history keeps: the answers so far, as a record would have them, and why they are none.
fn with_reason(gate: &Gate, bytes: &[u8], sent: &SentBack) -> Vec<u8> {
    let SentBack { choice, does_not_apply, reason, at, by, .. } = sent;
    let why = to_line(&json!({"choice": choice, "does_not_apply": does_not_apply, "reason": reason}));
    let bare = || AnswerSpec::of(&gate.spec, Answers::new(), at.as_str().into(), by.clone()).to_json();
    let put = |bytes: &[u8]| with_member(bytes, MEMBER, Some(&why));
    // What was chosen beside a reason was not said.
    let bytes = if choice.is_none() && gate.spec.is_verdict() { b"" } else { bytes };
    put(bytes).or_else(|| put(bare().as_bytes())).unwrap_or_default()
}

#[cfg(test)]
mod tests;
