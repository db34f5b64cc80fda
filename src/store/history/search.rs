//! Finding entries: by words, question, step and time; in one gate or in the whole project.
//!
//! Responsible for what matches and for the order of what was found. Not responsible for how entries are kept (`entry`,
//! `index`).

use super::entry::{Entry, read, time_of};
use super::index::{self, Index, Line, fold, json_of};
use crate::ask::JsString;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::state::StateDir;
use crate::text::say;
use std::time::SystemTime;

/// What is looked for; each part narrows it down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Only the gate with this answer path.
    pub answer_path: Option<JsString>,
    /// Words in the answers, questions, topic, step, path or name of who answered; case, width and the kind of white
    /// space do not matter.
    pub text: Option<String>,
    /// Only where this question is asked or answered.
    pub question: Option<String>,
    /// Only this step.
    pub step: Option<JsString>,
    /// Not before this time.
    pub since: Option<SystemTime>,
    /// Before this time.
    pub until: Option<SystemTime>,
}

/// The entries that match, newest first.
///
/// # Errors
/// The history cannot be read.
pub fn search(state: &StateDir, search: &Search) -> Result<Vec<Entry>, Error> {
    search_of_all(state, search).map(|(found, _)| found)
}

/// The same, and how many entries there are where it was looked: in the gate that is named, or in the project.
///
/// # Errors
/// The history cannot be read.
pub fn search_of_all(state: &StateDir, search: &Search) -> Result<(Vec<Entry>, usize), Error> {
    let index = Index::open(state)?;
    let keys = search.answer_path.as_ref().map(|path| state.gate_keys(path));
    let wanted = Wanted {
        text: search.text.as_deref().map(fold).unwrap_or_default(),
        id: search.question.as_ref().map(|id| format!(" {id} ")).unwrap_or_default(),
        step: search.step.as_ref().map(json_of),
        since: search.since,
        until: search.until,
    };
    let lines = index.lines(keys.as_deref()).filter(|(_, line)| wanted.matches(*line));
    let mut found: Vec<(&str, Line<'_>)> = lines.collect();
    found.sort_by(|(a_key, a), (b_key, b)| b.name.cmp(a.name).then_with(|| a_key.cmp(b_key)));
    let entries = found.into_iter().filter_map(|(key, line)| index.entry(key, line)).collect();
    Ok((entries, index.count(keys.as_deref())))
}

struct Wanted {
    text: String,
    id: String,
    step: Option<String>,
    since: Option<SystemTime>,
    until: Option<SystemTime>,
}

impl Wanted {
    fn matches(&self, line: Line<'_>) -> bool {
        let in_time = || {
            let Some(time) = time_of(line.name) else { return false };
            self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until)
        };
        let timed = self.since.is_some() || self.until.is_some();
        (!timed || in_time())
            && self.step.as_ref().is_none_or(|step| step == line.step)
            && line.ids.contains(&self.id)
            && line.words.contains(&self.text)
    }
}

/// The entry with this [id](Entry::id).
///
/// # Errors
/// There is none (exit 1), or the history cannot be read.
pub fn find(state: &StateDir, id: &str) -> Result<Entry, Error> {
    let wanted = id.split_once('-').filter(|(gate, name)| {
        // Nothing that leads anywhere else.
        gate.len() >= 4 && gate.is_ascii() && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    });
    if let Some((gate, name)) = wanted {
        let (millis, n) = name.split_once('-').unwrap_or((name, "0"));
        let file = format!("{millis:0>15}-{n:0>4}.json");
        let mut keys = index::keys(state)?.into_iter().filter(|key| key.starts_with(gate));
        let path = |key: String| state.history_dir(&key).join(&file);
        if let Some(entry) = keys.find_map(|key| read(&path(key))) {
            return Ok(entry);
        }
    }
    let sentence = say("There is no entry {0} in the history.", "历史中没有条目 {0}。");
    Err(Error::new(ExitCode::Failed, "no-entry", sentence, &[id])
        .hint(say("novel-gate history lists them.", "用 novel-gate history 列出。"), &[]))
}

#[cfg(test)]
mod tests;
