//! History: what was asked and answered, by whom and when, and the exact bytes of every record there was. A record is removed
//! into it (`redo`) and put back from it.

use super::project::Project;
use super::state::StateDir;
use crate::ask::{JsString, QuestionSpec, check_record};
use crate::platform::paths::{Shown as _, canonicalize};
use std::collections::HashSet;
use std::path::Path;

mod defaults;
mod entry;
mod exchange;
mod found;
mod note;
mod reason;
mod removal;
mod search;

pub use defaults::note_defaults;
pub use entry::{History, HistoryEntry, Story, entries, find, newest};
pub use exchange::NewRecord;
pub(in crate::store) use exchange::take_away;
pub use found::Found;
pub(in crate::store) use note::take_back;
pub use note::{Erased, Note, add, forget};
pub use reason::{EntryKind, Reason};
pub use removal::{Moved, Over, question_is_there};
pub use search::{LastTime, Search, last_time, search, stamp};

/// What a gate asked when a record was written, as far as the history knows: the newest questions that the record fits,
/// else those that were noted with it first. Compare it with what the gate asks now to see what has changed.
pub fn asked_for(state: &StateDir, answer_path: &JsString, record: &[u8]) -> Option<QuestionSpec> {
    let all = entries(state, answer_path).ok()?;
    let mut tried = HashSet::new();
    let fitting = all.iter().rev().find_map(|entry| {
        let known = entry.spec_hash.clone().is_some_and(|hash| tried.insert(hash));
        known.then(|| entry.asked()).flatten().filter(|spec| check_record(spec, record).is_ok())
    });
    let hash = super::sha256(record);
    fitting.or_else(|| all.iter().find(|entry| entry.sha256 == hash)?.asked())
}

/// The answer path of a record that is named by its file: relative to the root.
pub fn answer_path_of(project: &Project, path: &Path) -> Option<JsString> {
    let parent = canonicalize(path.parent()?).ok()?;
    let below = parent.strip_prefix(project.root()).ok()?.join(path.file_name()?);
    below.to_str().map(|_| JsString::from(&*below.shown()))
}

#[cfg(test)]
mod tests;
