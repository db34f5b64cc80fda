//! Whether the author's answers have reached who does the steps.

mod cache;

pub use cache::HearingCache;

use super::entry::Entry;
use super::file::is_relay;
use super::gate::{self, Loaded, Status};
use super::history::HistoryEntry;
use super::project::Project;
use super::rounds::{self, Told};
use crate::ask::JsString;
use crate::platform::paths::Shown as _;
use crate::text::shell::{shell_path, shell_word};
use crate::text::{Lang, Safe, Sentence, say};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Of a list, no more answers are asked after.
const NEWEST: usize = 16;
/// So many tellings of one record are shown, the last ones.
const LAST: usize = 10;

pub const UNTOLD: Sentence = say(
    "The step went on, and nobody told its agent what you decided.",
    "这一步已继续进行，却没有人把你的决定告诉执行这一步的代理。",
);

/// Whether an answer has reached who does the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hearing {
    /// The last times that it was told, the last one last; there is one.
    Told(Vec<Told>),
    /// The step has made its outputs, and nobody was told.
    Untold,
}

/// Whether a gate's answer has reached who does the step; `None` while nothing tells, for a verdict, and for an executor's own
/// questions, whose answers are the call's.
pub fn hearing(project: &Project, loaded: &Loaded) -> Option<Hearing> {
    let gate = loaded.gate().filter(|_| loaded.record.valid().is_some())?;
    if is_relay(project.relative(&loaded.path)) {
        return None;
    }
    let mut told = rounds::told(project, &gate.answer_path, &loaded.record.sha256());
    told.drain(..told.len().saturating_sub(LAST));
    if !told.is_empty() {
        return Some(Hearing::Told(told));
    }
    // An approval is no news to an agent.
    (!gate.spec.is_verdict() && !loaded.made(project).is_empty()).then_some(Hearing::Untold)
}

/// The gates of a list, as it is sorted, whose answers are asked after: the newest that the checkpoint has not passed.
pub fn asked_after(entries: &[Arc<Entry>]) -> impl Iterator<Item = &Arc<Entry>> {
    let is_open =
        |entry: &&Arc<Entry>| entry.status == Status::Answered && !entry.past && !is_relay(&entry.path);
    entries.iter().filter(is_open).take(NEWEST)
}

/// The same of entries of the history, which are asked after one by one, the newest first. Only a record that stands now can be
/// untold.
pub struct HistoryHearings<'p> {
    project: &'p Project,
    gates: HashMap<String, Vec<Told>>,
}

impl HistoryHearings<'_> {
    pub fn new(project: &Project) -> HistoryHearings<'_> {
        HistoryHearings { project, gates: HashMap::new() }
    }

    pub fn of(&mut self, entry: &HistoryEntry) -> Option<Hearing> {
        let (is_newest, asked) = (!self.gates.contains_key(&entry.gate), self.gates.len());
        let told = || rounds::all_told(self.project, &entry.answer_path);
        let all = self.gates.entry(entry.gate.clone()).or_insert_with(told);
        let told: Vec<Told> = all.iter().filter(|told| told.record == entry.sha256).cloned().collect();
        match told.is_empty() {
            false => Some(Hearing::Told(told)),
            true if is_newest && asked < NEWEST => hearing_of_standing(self.project, entry),
            true => None,
        }
    }
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

/// What the author can do about a step that goes on untold. It quotes the packet, harmless.
pub fn remedy(step: Option<&JsString>, packet: &Path, lang: Lang) -> String {
    let sentence = say(
        "Let the agent read what this prints: novel-gate decisions {0}",
        "让代理读一遍这条命令打印的内容：novel-gate decisions {0}",
    );
    let step = step.map(|step| shell_word(&Safe::line(&step.display())));
    sentence.fill(lang, &[&step.unwrap_or_else(|| shell_path(&packet.shown()))])
}

#[cfg(test)]
mod tests;
