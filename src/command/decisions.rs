//! `decisions`: what the agent of a step is to be told of what the author decided; and the same for whoever else tells it.

use super::input::{NamedPacket, names_record};
use super::output::{Head, Output, PacketPath, form};
use super::{Session, lines};
use crate::ask::decision::{self, AMPLE, Decision, Limit};
use crate::ask::{Gate, JsString};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::entry::stem;
use crate::store::file::is_relay;
use crate::store::rounds::{self, Told};
use crate::store::{Loaded, Project, Status};
use crate::text::shell::shell_path;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

pub(super) const OUTPUT: Output = Output::new(
    "decisions-output",
    "What decisions --json prints: the text that the agent of a step is to be told. Exit 0, and 5 if the packet is malformed.",
    &[form::<DecisionsOutput>(
        &["decided", "undecided", "malformed"],
        &[0, 5],
        &["decisions", "no-decisions", "malformed"],
    )],
);

/// What the author has decided for a step.
#[derive(Serialize, JsonSchema)]
struct DecisionsOutput {
    packet: PacketPath,
    /// The step id.
    step: Option<JsString>,
    /// What the step's agent is to be told, word for word; null if nothing is decided.
    decisions: Option<String>,
}

pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let packet = NamedPacket::load(session, &project, &arguments.packet)?;
    if let Some(message) = names_record(&project, &packet.path) {
        return Err(Error::of(ExitCode::Usage, "names-record", message));
    }
    let lang = session.lang;
    let loaded = packet.loaded();
    let text = loaded.and_then(|loaded| text(&project, loaded, AMPLE, lang));
    let step = loaded.and_then(|loaded| loaded.packet.step.clone());
    if packet.status() == Status::Malformed {
        let lines = lines::verdict(&packet.shown, Status::Malformed, packet.problems(), lang);
        let output = DecisionsOutput { packet: PacketPath(packet.shown), step, decisions: None };
        return session.output(Head::of_state(Status::Malformed, ExitCode::Malformed, lang), output, &lines);
    }
    let head = if text.is_some() {
        let message = say("What the author decided for this step.", "作者为这一步作出的决定。");
        Head::new("decided", ExitCode::Done, "decisions", message.text(lang))
    } else {
        let message = match packet.status() {
            Status::Blocked => say(
                "The record of this step is not valid, so nothing is decided. What is wrong with it: novel-gate check {0}",
                "这一步的记录无效，所以还没有作者的决定。查看错误：novel-gate check {0}",
            ),
            _ => say("Nothing is decided for this step.", "这一步还没有作者的决定。"),
        };
        let message = message.fill(lang, &[&shell_path(Path::new(&packet.shown))]);
        Head::new("undecided", ExitCode::Done, "no-decisions", message)
    };
    if text.is_none() && !session.global.json {
        session.warn(&[head.message]);
        return Ok(ExitCode::Done);
    }
    let lines: Vec<String> = text.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
    let output = DecisionsOutput { packet: PacketPath(packet.shown), step, decisions: text };
    if session.environment.output_is_terminal {
        return session.output(head, output, &lines);
    }
    session.output_exactly(head, output, (lines.join("\n") + "\n").as_bytes())
}

/// What the agent of a packet's step is told; `None` if its gate has no valid record. The answers to an executor's own questions
/// are its call's.
pub(super) fn text(project: &Project, loaded: &Loaded, limit: Limit, lang: Lang) -> Option<String> {
    let (gate, record) = (loaded.gate()?, loaded.record.valid()?);
    if is_relay(project.relative(&loaded.path)) {
        return None;
    }
    let step = title(loaded);
    let file = gate.answer_path.lossy();
    let decision = Decision { spec: &gate.spec, record, span: &step, file: &file };
    decision::told(&[decision], &step, limit, lang)
}

/// What to call a packet's step.
fn title(loaded: &Loaded) -> String {
    loaded.packet.step.as_ref().map_or_else(|| stem(&loaded.path), |step| step.lossy().into_owned())
}

/// Notes that somebody was told a packet's record: an agent by its name, or, once for each record, the executor that asked. A failure
/// is only said: he was told.
pub(super) fn note(
    session: &mut Session<'_>,
    project: &Project,
    loaded: &Loaded,
    agent: Option<String>,
    by: &str,
) {
    let Some(Gate { answer_path, .. }) = loaded.gate() else { return };
    let record = loaded.record.sha256();
    if agent.is_none() && !rounds::told(project, answer_path, &record).is_empty() {
        return;
    }
    let told = Told { at: rfc3339_millis(session.clock.now()), agent, by: by.to_owned(), record };
    if let Err(error) = rounds::note_told(project, &loaded.path, answer_path, told) {
        let sentence = say(
            "The decisions were told, but that could not be noted: {0}",
            "决定已经告知，但没能记下这件事：{0}",
        );
        session.warn(&[sentence.fill(session.lang, &[&error.text(session.lang)])]);
    }
}
