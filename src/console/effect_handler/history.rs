//! The history of a gate or of the project: reading it, and putting an entry back.

use super::super::effect::{EffectResult, Move, Reply};
use super::super::model::{
    EntryDetail, HistoryEntry, HistoryFound, Message, Prompt, Restoring, Scope, Tone, Undo,
};
use super::super::sentences as s;
use super::EffectHandler;
use super::say::{both, unreadable};
use crate::ask::compare::{Side, compare};
use crate::ask::{JsString, check_record};
use crate::store::gate::Loaded;
use crate::store::history::{self, Over, Reason, Search};
use crate::text::say;
use std::path::PathBuf;
use std::sync::Arc;

impl EffectHandler {
    /// Reads a history again, unless nothing has changed. When it cannot be read, the one that is shown stays.
    pub(super) fn reread_history(
        &self,
        (scope, words): (&Scope, &str),
        (stamp, seen): (Option<u128>, Option<&str>),
    ) -> Option<EffectResult> {
        let place = self.place(scope).ok()?;
        let now = place.loaded.as_ref().and_then(hash_of);
        if stamp.is_some()
            && stamp == history::stamp(&self.state, place.key.as_deref())
            && now.as_deref() == seen
        {
            return None;
        }
        self.read_history(scope, words).ok().map(|found| EffectResult::HistoryReread(Box::new(found)))
    }

    /// The entries in which these words are.
    pub(super) fn read_history(&self, scope: &Scope, words: &str) -> Result<HistoryFound, Message> {
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

    /// What restoring an entry means: the first of these packets that asks for it, and what lies there.
    pub(super) fn see_restore(&self, entry: &HistoryEntry, packets: &[PathBuf]) -> Reply {
        let asking = packets.iter().find_map(|packet| {
            let loaded = self.load(packet).ok()?;
            let same =
                loaded.gate().is_some_and(|gate| self.state.gate_key(&gate.answer_path) == entry.key());
            same.then(|| (packet.clone(), loaded))
        });
        let refuse = |why| Reply::EntryNotRestored(Tone::Bad, why);
        let Some((packet, loaded)) = asking else {
            return refuse(Message::from(say(
                "Not restored: no packet asks for this record any more. You can still read it here.",
                "未恢复：已没有指令包需要这份记录。它仍留在历史中，可以查看。",
            )));
        };
        let Some(gate) = loaded.gate() else { return refuse(Message::from(s::ASKS_NOTHING)) };
        if loaded.record.exists() && !loaded.record.is_read() {
            return refuse(unreadable(&loaded));
        }
        if let Some(refusal) = &loaded.refusal {
            return refuse(Message::from(refusal.sentence()));
        }
        let over = hash_of(&loaded);
        if over.as_ref() == Some(&entry.sha256) {
            return Reply::EntryNotRestored(Tone::Plain, Message::from(s::ENTRY_IS_THERE));
        }
        match entry.bytes() {
            Err(error) => refuse(both(s::ENTRY_NOT_RESTORED, &error)),
            Ok(bytes) => {
                let fits = check_record(&gate.spec, &bytes).is_ok();
                let restoring = Restoring { packet, entry: entry.clone(), over, fits };
                Reply::Confirm(Prompt::RestoreEntry(Box::new(restoring)))
            }
        }
    }

    /// Restores an entry: over nothing, or over the record that was seen, which goes to the history first.
    pub(super) fn restore_entry(&self, restoring: &Restoring) -> Reply {
        let Restoring { packet, entry, over, .. } = restoring;
        let over = over.as_deref().map_or(Over::Nothing, Over::Hash);
        match history::restore_entry(&self.project, &self.state, entry, over, self.clock.now()) {
            Ok(_) => Reply::Moved(Move::Restored, packet.clone()),
            Err(fault) => Reply::EntryNotRestored(Tone::Bad, both(s::ENTRY_NOT_RESTORED, &fault.error())),
        }
    }

    /// What can be put back at a gate: the record that was removed from here last, or the one written from here last
    /// where others have changed it. A history that cannot be read offers nothing.
    pub(super) fn undo_at(&self, loaded: &Loaded) -> Option<Undo> {
        let answer_path = &loaded.gate()?.answer_path;
        if loaded.record.exists() && !loaded.record.is_read() {
            return None;
        }
        let here = hash_of(loaded);
        let last = history::newest(&self.state, answer_path, |entry| entry.reason != Reason::Seen);
        let last = self.state.tolerate(last)??;
        match (last.reason.is_removal(), &here) {
            (true, None) => Some(Undo::Redo),
            (true, Some(_)) => None,
            (false, Some(here)) if *here == last.sha256 => None,
            (false, _) => Some(Undo::Written { entry: Box::new(last), replaced: here.is_some() }),
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

/// Of the record that is there.
pub(super) fn hash_of(loaded: &Loaded) -> Option<String> {
    loaded.record.exists().then(|| loaded.record.sha256())
}

/// What an entry says, beside the one before it.
pub(super) fn load_entry(entry: &Arc<HistoryEntry>) -> EffectResult {
    let before = entry.earlier().map(|before| (before.asked(), before.answers()));
    let (asked, answers) = (entry.asked(), entry.answers());
    let now = Side { spec: asked.as_ref(), answers: &answers };
    let then = before.as_ref().map_or(now, |(spec, answers)| Side { spec: spec.as_ref(), answers });
    let since = compare(then, now);
    EffectResult::EntryLoaded(Box::new(EntryDetail {
        entry: entry.clone(),
        since,
        first: before.is_none(),
        asked,
    }))
}
