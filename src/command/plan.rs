//! `plan`: gates, or an executor's task events, as input for `update_plan`.

use super::input::usage;
use super::output::{Head, Output, form};
use super::{Session, input};
use crate::adapter::call::Fault;
use crate::adapter::plan::{Answered, Plan, PlanInput, Task, of_gates, read_events};
use crate::adapter::task_sync::{TARGET_TOOL, TaskSync};
use crate::ask::json::{Json, Kind};
use crate::ask::reader::no_object;
use crate::ask::{Gate, JsString, Problem, ProblemCode, decode_packet};
use crate::cli;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::gate::{self, LoadFault};
use crate::store::{Project, RecordState, record};
use crate::text::{Message, plural, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

pub(super) const OUTPUT: Output = Output::new(
    "plan-output",
    "What plan prints: gates, or task events, as input for update_plan.",
    &[form::<PlanOutput>(&["ok"], &[0], &["ok"]), form::<EmittedOutput>(&["ok"], &[0], &["ok"])],
);

/// Gates as a plan.
#[derive(Serialize, JsonSchema)]
struct PlanOutput {
    /// The tool.
    #[schemars(extend("enum" = [TARGET_TOOL]))]
    tool: &'static str,
    /// Its input.
    input: PlanInput,
}

/// Task events as snapshots of the plan.
#[derive(Default, Serialize, JsonSchema)]
struct EmittedOutput {
    /// The snapshots to show.
    emitted: Vec<Snapshot>,
    /// Events that change the state only.
    suppressed: Vec<Suppressed>,
    /// The tasks at the end.
    state: Vec<Task>,
}

/// The plan after an event.
#[derive(Serialize, JsonSchema)]
struct Snapshot {
    /// The event, from 0; blank lines left out.
    event: usize,
    /// The input for `update_plan`.
    input: PlanInput,
}

/// An event without a snapshot.
#[derive(Serialize, JsonSchema)]
struct Suppressed {
    /// The event, from 0; blank lines left out.
    event: usize,
    /// Why; stable, such as `low_signal`.
    reason: &'static str,
}

/// Prints the plan, and as JSON also why there is none.
pub fn run(session: &mut Session<'_>, arguments: &cli::PlanArgs) -> Result<ExitCode, Error> {
    session.global.json = true;
    match &arguments.events {
        Some(events) => of_events(session, arguments, events),
        None => of_packets(session, arguments),
    }
}

/// An event that is wrong.
fn faulty(fault: Fault) -> Error {
    let at = fault.at.map(String::into_boxed_str);
    Error { at, ..Error::of(ExitCode::Usage, fault.code, fault.message) }
}

/// The first of a file's problems, with the file's name.
fn broken(code: &'static str, file: &Path, bytes: &[u8], problems: &[Problem]) -> Error {
    let sentence = say("{0} cannot be used. {1}", "{0} 无法使用。{1}");
    let file = file.shown();
    let message = Message::in_both(|lang| sentence.fill(lang, &[&file, &input::first(problems, lang)]));
    let at = problems.first().map(|problem| match Json::parse(bytes) {
        Err(error) if problem.code == ProblemCode::Syntax => format!("{}:{}", error.line, error.column),
        _ => problem.pointer.clone(),
    });
    Error { at: at.map(String::into_boxed_str), ..Error::of(ExitCode::Malformed, code, message) }
}

fn of_packets(session: &mut Session<'_>, arguments: &cli::PlanArgs) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if arguments.packets.iter().filter(|packet| input::is_standard(packet)).count() > 1 {
        let sentence = say("Standard input can be one packet only.", "标准输入只能是一个指令包。");
        return Err(usage(sentence));
    }
    let project = session.project()?;
    session.warn_of_checkpoint(&project);
    let mut gates = Vec::with_capacity(arguments.packets.len());
    for packet in &arguments.packets {
        gates.push(gate_of(session, &project, packet)?);
    }
    let answered = gates.iter().filter(|(_, answered)| *answered == Answered::Yes).count();
    let message = say("{0} of {1} gates are answered.", "{1} 个门控中已回答 {0} 个。")
        .fill(lang, &[&answered.to_string(), &gates.len().to_string()]);
    let input = of_gates(&gates, |paths| {
        let words =
            say("Invalid answer records, to be repaired or taken back: ", "答案记录无效，需要修复或收回：");
        let mut out = JsString::from(words.text(lang));
        out.append(paths);
        out
    });
    session.json(Head::ok("ok", message), PlanOutput { tool: TARGET_TOOL, input })
}

/// The gate of a packet, and what lies at its answer path.
fn gate_of(session: &mut Session<'_>, project: &Project, name: &Path) -> Result<(Gate, Answered), Error> {
    let malformed = |bytes: &[u8], problems: &[Problem]| broken("invalid_packet", name, bytes, problems);
    let bytes = if input::is_standard(name) {
        any_file(session, name)?
    } else {
        gate::read_file(&session.packet(project, name)?).map_err(|fault| match fault {
            LoadFault::Unreadable(error) => error,
            LoadFault::Malformed(problems) => malformed(&[], &problems),
        })?
    };
    let packet = decode_packet(&bytes).map_err(|problems| malformed(&bytes, &problems))?;
    let Some(gate) = packet.gate else {
        return Err(record::no_gate().at(&name.shown()));
    };
    let record = record::read(project, &gate).map_err(|problem| malformed(&bytes, &[*problem]))?;
    let answered = match record.state {
        RecordState::Absent => Answered::No,
        RecordState::Valid(_) => Answered::Yes,
        RecordState::Invalid(_) => Answered::Invalid,
    };
    Ok((gate, answered))
}

fn of_events(session: &mut Session<'_>, arguments: &cli::PlanArgs, events: &Path) -> Result<ExitCode, Error> {
    if input::is_standard(events) && arguments.canonical.as_deref().is_some_and(input::is_standard) {
        return Err(usage(input::INPUT_TWICE));
    }
    let rules = match &arguments.canonical {
        None => TaskSync::default(),
        Some(document) => {
            let bytes = any_file(session, document)?;
            task_sync(&bytes).map_err(|problems| broken("invalid_spec", document, &bytes, &problems))?
        }
    };
    let bytes = any_file(session, events)?;
    let events = read_events(&bytes).map_err(faulty)?;
    let mut plan = Plan::new(&rules, !arguments.no_update_plan);
    let mut output = EmittedOutput::default();
    for (event, placed) in events.iter().enumerate() {
        match plan.apply(placed).map_err(faulty)?.reason() {
            None => output.emitted.push(Snapshot { event, input: plan.input() }),
            Some(reason) => output.suppressed.push(Suppressed { event, reason }),
        }
    }
    output.state = plan.tasks().cloned().collect();
    let (all, emitted) = (events.len(), output.emitted.len());
    let counted = [plural(all, "event", "events"), plural(emitted, "snapshot", "snapshots")];
    let message = say("{0}, {1}.", "{2} 个事件，{3} 份快照。")
        .fill(session.lang, &[&counted[0], &counted[1], &all.to_string(), &emitted.to_string()]);
    session.json(Head::ok("ok", message), output)
}

/// A file that need not be a packet, or standard input.
fn any_file(session: &mut Session<'_>, name: &Path) -> Result<Vec<u8>, Error> {
    input::read(session, name).map_err(|fault| input::unusable(name, fault))
}

/// The rules of a canonical document: its own, or the usual ones where it has none.
fn task_sync(document: &[u8]) -> Result<TaskSync, Vec<Problem>> {
    let json = Json::parse_keeping(document, &["task_sync"]).map_err(|error| vec![error.into()])?;
    let root = json.root();
    if root.kind() != Kind::Object {
        return Err(vec![no_object(&[], Some(root))]);
    }
    let Some(item) = root.get("task_sync") else { return Ok(TaskSync::default()) };
    let (rules, problems) = TaskSync::read(item);
    if problems.is_empty() { Ok(rules) } else { Err(problems) }
}
