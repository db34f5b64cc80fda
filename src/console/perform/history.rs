//! The history of a gate: reading it, and putting an entry back.

use super::super::effect::Happening;
use super::super::model::{HistoryFound, Message, PastEntry, Recalled};
use super::super::sentences as s;
use super::{Hands, both};
use crate::ask::compare::{Side, compare};
use crate::ask::{JsString, QuestionSpec, compare};
use crate::error::Error;
use crate::store::history::{self, Over, Search};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

impl Hands {
    /// The entries of a gate in which these words are.
    pub(super) fn read_history(&self, path: &Path, words: &str) -> Happening {
        let loaded = match self.load(path) {
            Ok(loaded) => loaded,
            Err(fault) => return Happening::Failed(both(s::CANNOT_OPEN, &fault.error())),
        };
        let Some(answer_path) = loaded.gate().map(|gate| gate.answer_path.clone()) else {
            return Happening::Failed(Message::from(s::ASKS_NOTHING));
        };
        // A record that others have written belongs to it; that it cannot be noted is no reason not to show the rest.
        drop(history::see(&self.state, &loaded, self.clock.now()));
        match self.recall(&answer_path, words) {
            Ok((rows, all)) => Happening::HistoryRead(Box::new(HistoryFound {
                path: path.to_path_buf(),
                words: words.to_owned(),
                rows,
                all,
                seen: loaded.record.exists().then(|| loaded.record.sha256()),
            })),
            Err(error) => Happening::Failed(both(s::PLAIN, &error)),
        }
    }

    /// Puts an entry back: over nothing, or over the record with this hash, which goes to history first.
    pub(super) fn restore_entry(&self, path: &Path, entry: &PastEntry, over: Option<&str>) -> Happening {
        let over = over.map_or(Over::Nothing, Over::Hash);
        let path = path.to_path_buf();
        match history::restore_entry(&self.project, &self.state, entry, over, self.clock.now()) {
            Ok(_) => Happening::EntryRestored(path),
            Err(fault) => Happening::EntryNotRestored(path, both(s::ENTRY_NOT_RESTORED, &fault.error())),
        }
    }

    /// Newest first, and how many there are without the words.
    fn recall(&self, answer_path: &JsString, words: &str) -> Result<(Vec<Arc<Recalled>>, usize), Error> {
        let entries = history::entries(&self.state, answer_path)?;
        let passing: Option<HashSet<String>> = if words.trim().is_empty() {
            None
        } else {
            let wanted = Search {
                answer_path: Some(answer_path.clone()),
                text: Some(words.to_owned()),
                ..Search::default()
            };
            Some(history::search(&self.state, &wanted)?.into_iter().map(|entry| entry.name).collect())
        };
        let all = entries.len();
        let mut before: Option<Said> = None;
        let mut rows = Vec::with_capacity(all);
        for entry in entries {
            let now = Said { asked: entry.asked(), answers: entry.answers() };
            if passing.as_ref().is_none_or(|passing| passing.contains(&entry.name)) {
                let since = compare(before.as_ref().unwrap_or(&now).side(), now.side());
                let (asked, first) = (now.asked.clone(), before.is_none());
                rows.push(Arc::new(Recalled { entry, asked, since, first }));
            }
            before = Some(now);
        }
        rows.reverse();
        Ok((rows, all))
    }
}

/// One side of a comparison.
struct Said {
    asked: Option<QuestionSpec>,
    answers: compare::Given,
}

impl Said {
    fn side(&self) -> Side<'_> {
        Side { spec: self.asked.as_ref(), answers: &self.answers }
    }
}
