//! `answer --ahead`: a standing question of a step that has no packet yet.

use crate::ask::step::Step;
use crate::cli::AnswerArgs;
use crate::command::Session;
use crate::command::input::{NamedPacket, step_of};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Loaded, no_question, no_verdict_ahead, question_off, step_passed};
use crate::store::questions::{Planned, Questions, ahead_path, planned};
use crate::store::{Project, locate};
use crate::text::say;
use std::path::Path;

/// The gate that the step's packet is to carry, or the packet that carries it already.
pub(super) fn packet(
    session: &mut Session<'_>,
    project: &Project,
    arguments: &AnswerArgs,
) -> Result<NamedPacket, Error> {
    let step = step_of(&arguments.packet)?;
    session.warn_of_checkpoint(project);
    let questions = Questions::read(project);
    let (planned, is_passed) = planned(project, &questions, step);
    if is_passed {
        return Err(step_passed(step));
    }
    let name = match &arguments.ahead.question {
        Some(name) => named(&planned, name, step)?,
        None => first(&planned).ok_or_else(|| nothing_left(&planned, step))?,
    };
    let path = project.root().join(ahead_path(name, step));
    let attached = locate::packet(project, Path::new(&step.to_string()), &session.environment.cwd).ok();
    if let Some(packet) = attached
        && let Ok(loaded) = gate::load(project, &packet)
        && loaded.asked.is_some_and(|asked| asked.name == name)
    {
        return NamedPacket::load(session, project, &packet);
    }
    Ok(NamedPacket { shown: step.to_string(), ..NamedPacket::load_at(project, path)? })
}

/// The question that is decided next before the step of an answer.
pub(super) fn next(project: &Project, answered: &Loaded) -> Option<String> {
    let step = Step::parse(&answered.packet.step.as_ref()?.lossy())?;
    let questions = Questions::read(project);
    let (planned, _) = planned(project, &questions, step);
    first(&planned).map(str::to_owned)
}

fn first<'q>(planned: &[Planned<'q>]) -> Option<&'q str> {
    planned.iter().find(|one| one.can_be_decided() && !one.is_answered()).map(|one| &*one.standing.name)
}

fn named<'q>(planned: &[Planned<'q>], name: &str, step: Step) -> Result<&'q str, Error> {
    let found =
        planned.iter().find(|one| one.standing.name == name).ok_or_else(|| no_question(name, step))?;
    if found.can_be_decided() {
        return Ok(&found.standing.name);
    }
    Err(if found.standing.spec.is_verdict() { no_verdict_ahead(name) } else { question_off(name) })
}

fn nothing_left(planned: &[Planned<'_>], step: Step) -> Error {
    let verdict = planned.iter().find(|one| one.standing.rules.is_enabled && !one.is_answered());
    let sentence = match verdict {
        None => say(
            "Nothing is left to decide ahead of {0}. What is asked there: novel-gate questions preview {0}",
            "{0} 没有可以提前决定的了。查看这一步会问什么：novel-gate questions preview {0}",
        ),
        Some(_) => say(
            "Nothing but a verdict is left to decide before {0}: {1} is asked when the packet of {0} is there, for it is about what \
             has been made by then.",
            "{0} 之前只剩裁决了：{1} 针对已经写好的内容，要等 {0} 的指令包来了才会问。",
        ),
    };
    let name = verdict.map(|one| &*one.standing.name).unwrap_or_default();
    Error::new(ExitCode::Usage, "nothing-to-decide", sentence, &[&step.to_string(), name])
}
