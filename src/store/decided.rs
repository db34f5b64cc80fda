//! What the author has decided, as it holds for a step: the answers to its packet's own gate and to standing questions, and what he has
//! sent back.

use super::attach::gate_of;
use super::checkpoint;
use super::clock::time_of;
use super::file::is_relay;
use super::gate::Loaded;
use super::project::Project;
use super::questions::Questions;
use super::record::{self, Record, RecordState};
use super::reply::{self, Reply};
use crate::ask::standing::Span;
use crate::ask::step::Step;
use crate::ask::{AnswerSpec, Gate, JsString, QuestionSpec};
use std::cmp::Reverse;
use std::sync::Arc;

/// What the author has said to some questions.
#[derive(Clone, Debug)]
pub struct Decided {
    pub spec: Arc<QuestionSpec>,
    pub said: Said,
    /// What it holds for, if that is more than its packet's step, or another one.
    pub span: Option<Span>,
    pub answer_path: JsString,
    /// It is that of the packet's own gate.
    pub is_own: bool,
}

#[derive(Clone, Debug)]
pub enum Said {
    /// A valid record, and its hash.
    Answers(AnswerSpec, String),
    /// His last word while there is no record; it counts for whoever does the step anew, also when what he refused has changed.
    Refusal(Reply),
}

/// What holds for a packet's step, the newest first; nothing for the questions of a running executor, whose answers are its call's.
pub fn of_packet(project: &Project, loaded: &Loaded) -> Vec<Decided> {
    if is_relay(project.relative(&loaded.path)) {
        return Vec::new();
    }
    let span = loaded.asked.as_ref().map(|asked| asked.span);
    let own = loaded.gate().and_then(|gate| decided(project, gate, &loaded.record, span, true));
    let id = loaded.packet.step.as_ref().and_then(|step| Step::parse(step.as_str()?));
    let mut all = id.map(|step| of_step(project, step)).unwrap_or_default();
    // A record is judged by the packet that carries its gate.
    if let Some(mut own) = own {
        let same = all.iter().position(|other| other.answer_path == own.answer_path);
        let span = same.and_then(|place| all.swap_remove(place).span);
        // Nothing is asked any more before a step that is done.
        own.span = own.span.or(span);
        all.push(own);
    }
    sort(&mut all);
    all
}

/// What the answers to standing questions say of a step, whether it has a packet or not, the newest first.
pub fn of_step(project: &Project, step: Step) -> Vec<Decided> {
    let questions = Questions::read(project);
    if questions.is_empty() {
        return Vec::new();
    }
    let volume = checkpoint::now(project).volume();
    let told = questions.standing_questions().flat_map(|standing| {
        let spans = standing.told(step, volume).into_iter();
        spans.filter_map(|span| {
            let gate = gate_of(project, standing, span);
            let decided = decided(project, &gate, &record::read(project, &gate).ok()?, Some(span), false)?;
            // What is not asked any more is not to be done anew.
            let holds = standing.rules.is_enabled || matches!(decided.said, Said::Answers(..));
            holds.then_some(decided)
        })
    });
    let mut all: Vec<Decided> = told.collect();
    sort(&mut all);
    all
}

fn decided(
    project: &Project,
    gate: &Gate,
    record: &Record,
    span: Option<Span>,
    is_own: bool,
) -> Option<Decided> {
    let said = match &record.state {
        RecordState::Valid(valid) => Said::Answers(valid.clone(), record.sha256()),
        RecordState::Absent => Said::Refusal(reply::last(project, &gate.answer_path)?),
        RecordState::Invalid(_) => return None,
    };
    let (spec, answer_path) = (Arc::clone(&gate.spec), gate.answer_path.clone());
    Some(Decided { spec, said, span, answer_path, is_own })
}

fn sort(all: &mut [Decided]) {
    let at = |decided: &Decided| match &decided.said {
        Said::Answers(record, _) => record.answered_at.as_str().and_then(time_of),
        Said::Refusal(reply) => time_of(&reply.sent.at),
    };
    all.sort_by_key(|decided| Reverse(at(decided)));
}

#[cfg(test)]
mod tests;
