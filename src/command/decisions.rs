//! `decisions`: what the agent of a step is to be told of what the author decided; and the same for whoever else tells it.

use super::input::{NamedPacket, names_record};
use super::output::{Head, Output, PacketPath, form};
use super::sent_back::refusal;
use super::{Session, lines};
use crate::ask::JsString;
use crate::ask::decision::{self, AMPLE, Decision, Limit, Said};

use crate::ask::step::Step;
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::decided::{self, Decided};
use crate::store::entry::stem;
use crate::store::reply::{self, Reply};
use crate::store::rounds::{self, Delivered};
use crate::store::{Loaded, Project, Status};
use crate::text::shell::shell_path;
use crate::text::{Lang, Sentence, say};
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
    /// Null for a step that has none.
    packet: Option<PacketPath>,
    /// The step id.
    step: Option<JsString>,
    /// What the step's agent is to be told, word for word; null if nothing is decided.
    decisions: Option<String>,
}

pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    session.warn_of_checkpoint(&project);
    let packet = match NamedPacket::load(session, &project, &arguments.packet) {
        Ok(packet) => packet,
        // A step may be named that has no packet yet.
        Err(error) => return bare_step(session, &project, &arguments.packet).unwrap_or(Err(error)),
    };
    if let Some(message) = names_record(&project, &packet.path) {
        return Err(Error::of(ExitCode::Usage, "names-record", message));
    }
    let lang = session.lang;
    let loaded = packet.loaded();
    let text = loaded.and_then(|loaded| of_packet(&project, loaded, AMPLE, lang)).map(|told| told.text);
    let step = loaded.and_then(|loaded| loaded.packet.step.clone());
    if packet.status() == Status::Malformed {
        let lines = lines::verdict(&packet.shown, Status::Malformed, packet.problems(), lang);
        let output = DecisionsOutput { packet: Some(PacketPath(packet.shown)), step, decisions: None };
        return session.output(Head::of_state(Status::Malformed, ExitCode::Malformed, lang), output, &lines);
    }
    let undecided = match packet.status() {
        Status::Blocked => say(
            "The record of this step is not valid, so nothing is decided. What is wrong with it: novel-gate check {0}",
            "这一步的记录无效，所以还没有作者的决定。查看错误：novel-gate check {0}",
        ),
        _ => UNDECIDED,
    };
    let undecided = undecided.fill(lang, &[&shell_path(&packet.shown)]);
    print(
        session,
        DecisionsOutput { packet: Some(PacketPath(packet.shown)), step, decisions: text },
        undecided,
    )
}

const UNDECIDED: Sentence = say("Nothing is decided for this step.", "这一步还没有作者的决定。");

/// The same of a step without a packet; nothing if the name is no step's.
fn bare_step(session: &mut Session<'_>, project: &Project, name: &Path) -> Option<Result<ExitCode, Error>> {
    let step = Step::parse(name.to_str()?)?;
    let told = of_step(project, None, step, AMPLE, session.lang);
    let output = DecisionsOutput {
        packet: None,
        step: Some(step.to_string().into()),
        decisions: told.map(|told| told.text),
    };
    Some(print(session, output, UNDECIDED.text(session.lang).to_owned()))
}

/// Prints the text, or that there is none.
fn print(session: &mut Session<'_>, output: DecisionsOutput, undecided: String) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let head = if output.decisions.is_some() {
        let message = say("What the author decided for this step.", "作者为这一步作出的决定。");
        Head::new("decided", ExitCode::Done, "decisions", message.text(lang))
    } else {
        Head::new("undecided", ExitCode::Done, "no-decisions", undecided)
    };
    if output.decisions.is_none() && !session.global.json {
        session.warn(&[head.message]);
        return Ok(ExitCode::Done);
    }
    let lines: Vec<String> =
        output.decisions.iter().flat_map(|text| text.lines()).map(str::to_owned).collect();
    if session.environment.output_is_terminal {
        return session.output(head, output, &lines);
    }
    session.output_exactly(head, output, (lines.join("\n") + "\n").as_bytes())
}

/// What the agent of a step is told, and what says it.
pub(super) struct Told {
    pub(super) text: String,
    /// Where each lies, and whether it is that of the packet's own gate.
    sources: Vec<(JsString, Source, bool)>,
}

enum Source {
    /// The hash of a record.
    Record(String),
    Refusal(Reply),
}

/// What the agent of a packet's step is told; `None` if nothing is decided.
pub(super) fn of_packet(project: &Project, loaded: &Loaded, limit: Limit, lang: Lang) -> Option<Told> {
    told(&decided::of_packet(project, loaded), &title(loaded), limit, lang)
}

/// The same of a step that may have no packet.
pub(super) fn of_step(
    project: &Project,
    loaded: Option<&Loaded>,
    step: Step,
    limit: Limit,
    lang: Lang,
) -> Option<Told> {
    match loaded {
        Some(loaded) => of_packet(project, loaded, limit, lang),
        None => told(&decided::of_step(project, step), &step.to_string(), limit, lang),
    }
}

fn told(all: &[Decided], step: &str, limit: Limit, lang: Lang) -> Option<Told> {
    let named = all.iter().map(|decided| {
        let span = decided.span.map_or_else(|| step.to_owned(), |span| span.text(lang));
        let file = match &decided.said {
            decided::Said::Answers(..) => decided.answer_path.clone(),
            decided::Said::Refusal(_) => rounds::place(&decided.answer_path),
        };
        (decided, span, file.lossy().into_owned())
    });
    let named: Vec<_> = named.collect();
    let decisions: Vec<Decision<'_>> = named
        .iter()
        .map(|(decided, span, file)| Decision { spec: &decided.spec, said: said(decided), span, file })
        .collect();
    let text = decision::told(&decisions, step, limit, lang)?;
    let source = |decided: &Decided| {
        let source = match &decided.said {
            decided::Said::Answers(_, hash) => Source::Record(hash.clone()),
            decided::Said::Refusal(reply) => Source::Refusal(reply.clone()),
        };
        (decided.answer_path.clone(), source, decided.is_own)
    };
    Some(Told { text, sources: all.iter().map(source).collect() })
}

fn said(decided: &Decided) -> Said<'_> {
    match &decided.said {
        decided::Said::Answers(record, _) => Said::Answers(record),
        decided::Said::Refusal(reply) => Said::Refusal(refusal(&reply.sent, &reply.sent.reason)),
    }
}

/// What to call a packet's step.
fn title(loaded: &Loaded) -> String {
    loaded.packet.step.as_ref().map_or_else(|| stem(&loaded.path), |step| step.lossy().into_owned())
}

/// Notes that somebody was told: an agent by its name, or the executor that asked. Who was told a record by that name before is noted
/// again only if it is that of the step's own gate and he is an agent. A failure is only said: he was told.
pub(super) fn note(
    session: &mut Session<'_>,
    project: &Project,
    packet: &Path,
    told: &Told,
    agent: Option<&str>,
    by: &str,
) {
    let mut fault = None;
    for (answer_path, source, is_own) in &told.sources {
        let (at, by) = (rfc3339_millis(session.clock.now()), by.to_owned());
        let done = match source {
            Source::Refusal(reply) => {
                // Whoever waits for that gate itself has not heard of it.
                let by = if agent.is_some() || *is_own { by } else { "decisions".to_owned() };
                if reply.is_delivered_by(&[&by]) {
                    continue;
                }
                let delivered = Delivered { at, by, id: reply.sent.id.clone() };
                reply::note_delivered(project, packet, answer_path, delivered)
            }
            Source::Record(record) => {
                let before = rounds::told(project, answer_path, record);
                let is_known = before.iter().any(|told| agent.is_none() || told.agent.as_deref() == agent);
                if is_known && (agent.is_none() || !is_own) {
                    continue;
                }
                let (agent, record) = (agent.map(str::to_owned), record.clone());
                rounds::note_told(project, packet, answer_path, rounds::Told { at, agent, by, record })
            }
        };
        fault = done.err().or(fault);
    }
    if let Some(error) = fault {
        let sentence = say(
            "The decisions were told, but that could not be noted: {0}",
            "决定已经告知，但没能记下这件事：{0}",
        );
        session.warn(&[sentence.fill(session.lang, &[&error.text(session.lang)])]);
    }
}
