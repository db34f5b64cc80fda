//! What happened to a gate: a file beside its record, one line of JSON for each thing, so that files alone say it.
//!
//! Lines that this program does not know are passed over. A file that does not begin with such a line belongs to somebody else.

use super::gate::Loaded;
use super::json_lines::JsonLines;
use super::pickup::made;
use super::project::Project;
use super::record::refused;
use super::relay::is_relay;
use super::safe_path;
use crate::ask::{JsString, to_line};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// One thing that happened.
#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event {
    Told(Told),
}

/// Somebody was told what the author decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The agent that was about to start; null for an executor that asked for the decisions and hands them on itself.
    #[serde(default)]
    pub agent: Option<String>,
    /// By which way: a client's hook, or a command.
    pub by: String,
    /// The hash of the record that it was told.
    pub record: String,
}

/// Whether an answer has reached who does the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hearing {
    /// The last time it was told.
    Told(Told),
    /// The step has made its outputs, and nobody was told.
    Untold,
}

/// Where a gate's rounds lie.
fn place(answer_path: &JsString) -> JsString {
    let path = answer_path.lossy();
    let stem = path.strip_suffix(".answers.json").or(path.strip_suffix(".json")).unwrap_or(&path);
    format!("{stem}.rounds.jsonl").into()
}

/// Notes that somebody was told a record. All of the line is on the disk afterwards, or none, or the error says so.
pub fn note_told(project: &Project, packet: &Path, answer_path: &JsString, told: Told) -> Result<(), Error> {
    let place = place(answer_path);
    if let Some(refusal) = safe_path::refusal(project, &place, packet, None) {
        return Err(refused(refusal));
    }
    let line = to_line(&Event::Told(told));
    let path = project.root().join(safe_path::real_place(project, &place));
    loop {
        let mut lines = JsonLines::open_on(project.disk(), &path, true)?;
        let is_ours =
            |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(|line| line["event"].is_string());
        if lines.lines().next().is_some_and(|(_, first)| !is_ours(first)) {
            let sentence = say("{0} is somebody else's file.", "{0} 是别人的文件。");
            return Err(Error::new(ExitCode::Failed, "not-written", sentence, &[&place.display()]));
        }
        // Somebody else has begun the file in between.
        if lines.append(&line)? {
            return Ok(());
        }
    }
}

/// Who was told a record, in the order of the file; nobody if it cannot be read.
pub fn told(project: &Project, answer_path: &JsString, record: &str) -> Vec<Told> {
    let Ok(spot) = safe_path::spot(project, &place(answer_path)) else { return Vec::new() };
    let Ok(lines) = JsonLines::open_on(project.disk(), &project.root().join(spot.path()), false) else {
        return Vec::new();
    };
    let events = lines.lines().filter_map(|(_, line)| serde_json::from_slice(line).ok());
    let told = events.map(|Event::Told(told)| told);
    told.filter(|told| told.record == record).collect()
}

/// Whether a gate's answer has reached who does the step; `None` while nothing tells, and for an executor's own questions, whose
/// answers are the call's.
pub fn hearing(project: &Project, loaded: &Loaded) -> Option<Hearing> {
    let gate = loaded.gate().filter(|_| loaded.record.valid().is_some())?;
    if is_relay(project.relative(&loaded.path)) {
        return None;
    }
    let last = told(project, &gate.answer_path, &loaded.record.sha256()).pop();
    last.map(Hearing::Told).or_else(|| (!made(project, loaded).is_empty()).then_some(Hearing::Untold))
}

#[cfg(test)]
mod tests;
