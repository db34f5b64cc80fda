//! What the author has decided, as it holds for a step: the answers to its packet's own gate, and to standing questions.

use super::attach::gate_of;
use super::checkpoint;
use super::clock::time_of;
use super::file::is_relay;
use super::gate::Loaded;
use super::project::Project;
use super::questions::Questions;
use super::record::{self, Record};
use crate::ask::standing::Span;
use crate::ask::step::Step;
use crate::ask::{AnswerSpec, Gate, JsString, QuestionSpec};
use std::cmp::Reverse;
use std::sync::Arc;

/// A valid record.
#[derive(Clone, Debug)]
pub struct Decided {
    pub spec: Arc<QuestionSpec>,
    pub record: AnswerSpec,
    /// What it holds for, if that is more than its packet's step, or another one.
    pub span: Option<Span>,
    pub answer_path: JsString,
    pub sha256: String,
    /// It is that of the packet's own gate.
    pub is_own: bool,
}

/// What holds for a packet's step, the newest first; nothing for the questions of a running executor, whose answers are its call's.
pub fn of_packet(project: &Project, loaded: &Loaded) -> Vec<Decided> {
    if is_relay(project.relative(&loaded.path)) {
        return Vec::new();
    }
    let span = loaded.asked.as_ref().map(|asked| asked.span);
    let own = loaded.gate().and_then(|gate| decided(gate, &loaded.record, span, true));
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
            let gate = gate_of(standing, span);
            decided(&gate, &record::read(project, &gate).ok()?, Some(span), false)
        })
    });
    let mut all: Vec<Decided> = told.collect();
    sort(&mut all);
    all
}

fn decided(gate: &Gate, record: &Record, span: Option<Span>, is_own: bool) -> Option<Decided> {
    Some(Decided {
        spec: Arc::clone(&gate.spec),
        record: record.valid()?.clone(),
        span,
        answer_path: gate.answer_path.clone(),
        sha256: record.sha256(),
        is_own,
    })
}

fn sort(all: &mut [Decided]) {
    all.sort_by_key(|decided| Reverse(decided.record.answered_at.as_str().and_then(time_of)));
}

#[cfg(test)]
mod tests;
