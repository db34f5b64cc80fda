//! Reading the history of a gate or of the project.

use super::{EntryDetail, HistoryEntry, HistoryFound, Scope};
use crate::ask::JsString;
use crate::ask::compare::{Side, compare};
use crate::console::files::{Files, hash_of};
use crate::console::model::Message;
use crate::console::say::both;
use crate::console::sentences as s;
use crate::store::gate::Loaded;
use crate::store::history::{self, Search};
use std::sync::Arc;

impl Files {
    /// Reads a history again, unless nothing has changed. When it cannot be read, the one that is shown stays.
    pub fn reread_history(
        &self,
        scope: &Scope,
        words: &str,
        stamp: Option<u128>,
        seen: Option<&str>,
    ) -> Option<HistoryFound> {
        let place = self.place(scope).ok()?;
        let now = place.loaded.as_ref().and_then(hash_of);
        if stamp.is_some()
            && stamp == history::stamp(&self.state, place.key.as_deref())
            && now.as_deref() == seen
        {
            return None;
        }
        self.read_history(scope, words).ok()
    }

    /// The entries in which these words are.
    pub fn read_history(&self, scope: &Scope, words: &str) -> Result<HistoryFound, Message> {
        let place = self.place(scope)?;
        if let Some(loaded) = &place.loaded {
            // Records that others have written belong to it; if they cannot be noted, the rest is shown all the same.
            self.state.tolerate(history::see(&self.state, loaded, self.clock.now()));
        }
        // The stamp comes first: an entry that arrives during the read causes another read.
        let stamp = history::stamp(&self.state, place.key.as_deref());
        let text = (!words.trim().is_empty()).then(|| words.to_owned());
        let wanted = Search { answer_path: place.answer_path.clone(), text, ..Search::default() };
        let found = history::search_of_all(&self.state, &wanted).map_err(|error| both(s::PLAIN, &error))?;
        let scope = match scope {
            Scope::Gate { packet, .. } => {
                Scope::Gate { packet: packet.clone(), answer_path: place.answer_path }
            }
            Scope::Project => Scope::Project,
        };
        Ok(HistoryFound {
            scope,
            words: words.to_owned(),
            rows: found.entries.into_iter().map(Arc::new).collect(),
            all: found.all,
            seen: place.loaded.as_ref().and_then(hash_of),
            stamp,
        })
    }

    /// Where a history is kept. A gate keeps its own even if its packet is gone or names another place now.
    fn place(&self, scope: &Scope) -> Result<Place, Message> {
        let Scope::Gate { packet, answer_path } = scope else { return Ok(Place::default()) };
        let key = |path: &JsString| self.state.gate_key(path);
        let known = answer_path.as_ref().map(key);
        let loaded = self.load(packet);
        let own = loaded.as_ref().ok().and_then(Loaded::gate).map(|gate| gate.answer_path.clone());
        match (own, answer_path) {
            (Some(own), _) if known.as_ref().is_none_or(|known| *known == key(&own)) => {
                Ok(Place { key: Some(key(&own)), answer_path: Some(own), loaded: loaded.ok() })
            }
            (_, Some(_)) => Ok(Place { key: known, answer_path: answer_path.clone(), loaded: None }),
            (_, None) => Err(loaded
                .err()
                .map_or(Message::from(s::ASKS_NOTHING), |fault| both(s::CANNOT_OPEN, &fault.error()))),
        }
    }
}

/// Where a history is kept, and the packet that asks for it now.
#[derive(Default)]
struct Place {
    key: Option<String>,
    answer_path: Option<JsString>,
    loaded: Option<Loaded>,
}

/// What an entry says, beside the one before it.
pub fn load_entry(entry: &Arc<HistoryEntry>) -> EntryDetail {
    let before = entry.earlier().map(|before| (before.asked(), before.answers()));
    let (asked, answers) = (entry.asked(), entry.answers());
    let now = Side { spec: asked.as_ref(), answers: &answers };
    let then = before.as_ref().map_or(now, |(spec, answers)| Side { spec: spec.as_ref(), answers });
    let since = compare(then, now);
    EntryDetail { entry: entry.clone(), since, first: before.is_none(), asked }
}
