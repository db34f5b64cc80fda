//! What happened to a gate: a file beside its record, one line of JSON for each thing, so that files alone say it.
//!
//! Lines that this program does not know are passed over. A file that does not begin with such a line belongs to somebody else.

mod cache;

pub use cache::HearingCache;

use super::clock::local_time_of;
use super::entry::Entry;
use super::file::is_relay;
use super::gate::{self, Loaded, Status};
use super::history::HistoryEntry;
use super::json_lines::JsonLines;
use super::project::Project;
use super::safe_path;
use crate::ask::{JsString, to_line};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::shell::{shell_path, shell_word};
use crate::text::{Lang, Safe, Sentence, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Of a list, no more answers are asked after.
const NEWEST: usize = 16;
/// So many tellings of one record are shown, the last ones.
const LAST: usize = 10;
/// Cells of an agent's name that are shown.
const NAME: usize = 60;

pub const UNTOLD: Sentence = say(
    "The step went on, and nobody told its agent what you decided.",
    "这一步已继续进行，却没有人把你的决定告诉执行这一步的代理。",
);

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
    /// The last times that it was told, the last one last; there is one.
    Told(Vec<Told>),
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
    if safe_path::refusal(project, &place, packet, None).is_some() {
        let sentence = say("No plain file can be written at {0}.", "{0} 处不能写入普通文件。");
        return Err(Error::new(ExitCode::Failed, "not-written", sentence, &[&place.display()]));
    }
    let line = to_line(&Event::Told(told));
    let path = project.root().join(safe_path::real_place(project, &place));
    loop {
        let mut lines = JsonLines::open_on(project.disk(), &path, true)?;
        let is_ours =
            |line: &[u8]| serde_json::from_slice::<Value>(line).is_ok_and(|line| line["event"].is_string());
        if lines.lines().next().is_some_and(|(_, first)| !is_ours(first)) {
            let sentence =
                say("{0} is a file that novel-gate has not begun.", "{0} 不是 novel-gate 写的文件。");
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
    let mut told = all_told(project, answer_path);
    told.retain(|told| told.record == record);
    told
}

/// The same of all records that a gate has had.
fn all_told(project: &Project, answer_path: &JsString) -> Vec<Told> {
    let Ok(spot) = safe_path::spot(project, &place(answer_path)) else { return Vec::new() };
    let Ok(lines) = JsonLines::open_on(project.disk(), &project.root().join(spot.path()), false) else {
        return Vec::new();
    };
    let events = lines.lines().filter_map(|(_, line)| serde_json::from_slice(line).ok());
    events.map(|Event::Told(told)| told).collect()
}

/// Whether a gate's answer has reached who does the step; `None` while nothing tells, and for an executor's own questions, whose
/// answers are the call's.
pub fn hearing(project: &Project, loaded: &Loaded) -> Option<Hearing> {
    let gate = loaded.gate().filter(|_| loaded.record.valid().is_some())?;
    if is_relay(project.relative(&loaded.path)) {
        return None;
    }
    let mut told = told(project, &gate.answer_path, &loaded.record.sha256());
    told.drain(..told.len().saturating_sub(LAST));
    if !told.is_empty() {
        return Some(Hearing::Told(told));
    }
    (!loaded.made(project).is_empty()).then_some(Hearing::Untold)
}

/// The gates of a list, as it is sorted, whose answers are asked after: the newest that the checkpoint has not passed.
pub fn asked_after(entries: &[Arc<Entry>]) -> impl Iterator<Item = &Arc<Entry>> {
    let is_open =
        |entry: &&Arc<Entry>| entry.status == Status::Answered && !entry.past && !is_relay(&entry.path);
    entries.iter().filter(is_open).take(NEWEST)
}

/// What is known of entries of the history, by their ids.
pub type Hearings = HashMap<String, Hearing>;

/// The same of entries of the history, the newest first. Only a record that stands now can be untold.
pub fn hearings_of_history<'e>(
    project: &Project,
    entries: impl Iterator<Item = &'e HistoryEntry>,
) -> Hearings {
    let mut gates: HashMap<&str, Vec<Told>> = HashMap::new();
    let mut hearings = Hearings::new();
    for entry in entries {
        let (is_newest, asked) = (!gates.contains_key(&*entry.gate), gates.len());
        let all = gates.entry(&entry.gate).or_insert_with(|| all_told(project, &entry.answer_path));
        let told: Vec<Told> = all.iter().filter(|told| told.record == entry.sha256).cloned().collect();
        let hearing = match told.is_empty() {
            false => Some(Hearing::Told(told)),
            true if is_newest && asked < NEWEST => hearing_of_standing(project, entry),
            true => None,
        };
        hearings.extend(hearing.map(|hearing| (entry.id(), hearing)));
    }
    hearings
}

/// The same of an entry whose record stands now.
fn hearing_of_standing(project: &Project, entry: &HistoryEntry) -> Option<Hearing> {
    let loaded = gate::load(project, &project.root().join(entry.packet.as_ref()?)).ok()?;
    let stands = loaded.gate()?.answer_path == entry.answer_path && loaded.record.sha256() == entry.sha256;
    hearing(project, &loaded).filter(|_| stands)
}

impl Hearing {
    /// Each time that it was told, the last one last.
    pub fn told(&self) -> &[Told] {
        match self {
            Hearing::Told(told) => told,
            Hearing::Untold => &[],
        }
    }

    pub fn is_untold(&self) -> bool {
        *self == Hearing::Untold
    }
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

/// What the author can do about a step that goes on untold. It quotes the packet, harmless.
pub fn remedy(step: Option<&JsString>, packet: &Path, lang: Lang) -> String {
    let sentence = say(
        "Let the agent read what this prints: novel-gate decisions {0}",
        "让代理读一遍这条命令打印的内容：novel-gate decisions {0}",
    );
    let step = step.map(|step| shell_word(&Safe::line(&step.display())));
    sentence.fill(lang, &[&step.unwrap_or_else(|| shell_path(packet))])
}

#[cfg(test)]
mod tests;
