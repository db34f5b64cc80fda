//! What happened to a gate: a file beside its record, one line of JSON for each thing, so that files alone say it.
//!
//! Lines that this program does not know are passed over. A file that does not begin with such a line belongs to somebody else.

use super::clock::local_time_of;
use super::json_lines::JsonLines;
use super::project::Project;
use super::safe_path;
use crate::ask::proposal::{Offered, Round};
use crate::ask::{JsString, to_line};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, Safe, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Cells of a name that are shown.
const NAME: usize = 60;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Told(Told),
    SentBack(SentBack),
    Delivered(Delivered),
    TakenBack(TakenBack),
    Approved(Approved),
    Requested(Requested),
    Proposed(Proposed),
}

#[derive(Deserialize)]
struct Tag {
    event: String,
}

impl Event {
    /// `None` of a line that is not known. In two steps, for only so lone surrogates stay what they are.
    fn read(line: &[u8]) -> Option<Event> {
        let Tag { event } = serde_json::from_slice(line).ok()?;
        match &*event {
            "told" => serde_json::from_slice(line).ok().map(Event::Told),
            "sent-back" => serde_json::from_slice(line).ok().map(Event::SentBack),
            "delivered" => serde_json::from_slice(line).ok().map(Event::Delivered),
            "taken-back" => serde_json::from_slice(line).ok().map(Event::TakenBack),
            "approved" => serde_json::from_slice(line).ok().map(Event::Approved),
            "requested" => serde_json::from_slice(line).ok().map(Event::Requested),
            "proposed" => serde_json::from_slice(line).ok().map(Event::Proposed),
            _ => None,
        }
    }
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

/// The author gave no answer, and a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBack {
    /// What later lines call it.
    pub id: String,
    pub at: String,
    pub by: JsString,
    /// The packet of the step, relative to the root: several may have one place for their answers.
    #[serde(default)]
    pub packet: String,
    /// The label of a verdict that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<JsString>,
    /// The id of a question that does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub does_not_apply: Option<String>,
    /// In his words; blank where the label or the question says enough.
    #[serde(default)]
    pub reason: JsString,
    /// The hash of what he refused; see `reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A refusal has reached an executor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delivered {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// By which way: a command, or a client's hook.
    pub by: String,
    /// The id of the refusal.
    #[serde(rename = "of")]
    #[schemars(skip)]
    pub id: String,
}

/// The author no longer refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    pub at: String,
    /// The id of the refusal.
    #[serde(rename = "of")]
    pub id: String,
}

/// The author has approved what was there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    pub at: String,
    /// The hash of the record.
    pub record: String,
    /// The hash of what was there; see `reply`.
    pub subject: String,
}

/// A wait has told an executor to propose options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    pub at: String,
    /// By which way: a command, or a tool.
    pub by: String,
    /// The id of the question.
    pub question: String,
    /// Which round they would be, counted from 1.
    pub round: usize,
}

/// An executor has proposed options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    pub at: String,
    /// By which way: a command, or a tool.
    pub by: String,
    /// The id of the question.
    pub question: String,
    pub options: Vec<Offered>,
}

/// Where a gate's rounds lie.
pub fn place(answer_path: &JsString) -> JsString {
    let path = answer_path.lossy();
    let stem = path.strip_suffix(".answers.json").or(path.strip_suffix(".json")).unwrap_or(&path);
    format!("{stem}{ENDING}").into()
}

/// The records whose rounds may lie at a path; none if that is no file of rounds.
pub(super) fn records_of(path: &Path) -> Vec<PathBuf> {
    let stem = path.to_str().and_then(|path| path.strip_suffix(ENDING));
    let all =
        |stem: &str| [".answers.json", ".json", ""].map(|ending| format!("{stem}{ending}").into()).into();
    stem.map(all).unwrap_or_default()
}

/// How the name of such a file ends.
pub const ENDING: &str = ".rounds.jsonl";

/// The file of a gate's rounds, to which nobody else adds until this is dropped.
pub(super) struct Rounds {
    lines: JsonLines,
    place: JsString,
}

impl Rounds {
    /// Waits until nobody else adds to it. An error if nothing can be added.
    pub(super) fn open(project: &Project, packet: &Path, answer_path: &JsString) -> Result<Rounds, Error> {
        let place = place(answer_path);
        if safe_path::refusal(project, &place, packet, None).is_some() {
            let sentence = say("No plain file can be written at {0}.", "{0} 处不能写入普通文件。");
            return Err(Error::new(ExitCode::Failed, "not-written", sentence, &[&place.display()]));
        }
        let path = project.root().join(safe_path::real_place(project, &place));
        let lines = JsonLines::open_on(project.disk(), &path, true)?;
        let is_ours =
            |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(|line| line["event"].is_string());
        if lines.lines().next().is_some_and(|(_, first)| !is_ours(first)) {
            let sentence =
                say("{0} is a file that novel-gate has not begun.", "{0} 不是 novel-gate 写的文件。");
            return Err(Error::new(ExitCode::Failed, "not-written", sentence, &[&place.display()]));
        }
        Ok(Rounds { lines, place })
    }

    /// What has happened so far.
    pub(super) fn events(&self) -> Vec<Event> {
        events_in(&self.lines)
    }

    /// Adds a line. All of it is on the disk afterwards, or none, or the error says so. False if somebody else has begun the file in
    /// between: then it must be opened again.
    pub(super) fn add(&mut self, event: &Event) -> Result<bool, Error> {
        self.lines.append(&to_line(event)).map_err(|error| error.at(&self.place.display()))
    }
}

/// Adds a line, whatever stands there.
pub(super) fn note(
    project: &Project,
    packet: &Path,
    answer_path: &JsString,
    event: &Event,
) -> Result<(), Error> {
    while !Rounds::open(project, packet, answer_path)?.add(event)? {}
    Ok(())
}

/// Notes that somebody was told a record. All of the line is on the disk afterwards, or none, or the error says so.
pub fn note_told(project: &Project, packet: &Path, answer_path: &JsString, told: Told) -> Result<(), Error> {
    note(project, packet, answer_path, &Event::Told(told))
}

/// What has happened to a gate, in the order of the file; nothing if it cannot be read.
pub(super) fn events(project: &Project, answer_path: &JsString) -> Vec<Event> {
    let Ok(spot) = safe_path::spot(project, &place(answer_path)) else { return Vec::new() };
    let lines = JsonLines::open_on(project.disk(), &project.root().join(spot.path()), false);
    lines.map(|lines| events_in(&lines)).unwrap_or_default()
}

fn events_in(lines: &JsonLines) -> Vec<Event> {
    lines.lines().filter_map(|(_, line)| Event::read(line)).collect()
}

/// What was proposed, in the order of the file.
pub(super) fn proposed(events: &[Event]) -> Vec<Round> {
    let round = |event: &Event| match event {
        Event::Proposed(Proposed { question, options, .. }) => {
            Some(Round { question: question.clone(), options: options.clone() })
        }
        _ => None,
    };
    events.iter().filter_map(round).collect()
}

/// Who was told a record, in the order of the file; nobody if it cannot be read.
pub fn told(project: &Project, answer_path: &JsString, record: &str) -> Vec<Told> {
    let mut told = all_told(project, answer_path);
    told.retain(|told| told.record == record);
    told
}

/// The same of all records that a gate has had.
pub(super) fn all_told(project: &Project, answer_path: &JsString) -> Vec<Told> {
    let told = |event| match event {
        Event::Told(told) => Some(told),
        _ => None,
    };
    events(project, answer_path).into_iter().filter_map(told).collect()
}

impl Told {
    /// For people, harmless: who was told, and when.
    pub fn text(&self, now: &Zoned, lang: Lang) -> String {
        let at = Safe::line(&local_time_of(&self.at, now, lang)).fit(NAME);
        let Some(agent) = &self.agent else {
            return say("The executor was given your decisions, {0}", "执行器已拿到你的决定，{0}")
                .fill(lang, &[&at]);
        };
        say("{0} was told, {1}", "已告知 {0}，{1}").fill(lang, &[&Safe::line(agent).fit(NAME), &at])
    }
}

#[cfg(test)]
mod tests;
