//! Putting an entry of the history back.
//!
//! Contract: nothing is restored without a confirmation, and never over a record that the author has not seen.

use super::{HistoryEntry, HistoryView, Restoring};
use crate::ask::check_record;
use crate::console::files::{Files, hash_of};
use crate::console::inbox::load::moved;
use crate::console::model::{Message, Place, Tone, Undo};
use crate::console::prompt::Prompt;
use crate::console::say::{both, unreadable};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::store::clock::local_time;
use crate::store::gate::Loaded;
use crate::store::history::{self, Over, Reason};
use crate::text::say;
use std::path::PathBuf;
use std::sync::Arc;

/// Why an entry is not restored.
type Refusal = (Tone, Message);

/// Finds out what restoring an entry means: for which of these packets, over what. Then asks the author.
pub(crate) fn begin(entry: Box<HistoryEntry>, packets: Vec<PathBuf>, cx: &mut Cx<'_>) {
    cx.ask(
        move |files| Ok(files.see_restore(&entry, &packets)),
        |found, cx| match found {
            Ok(restoring) => confirm(restoring, cx),
            Err(why) => refuse(why, cx),
        },
    );
}

fn confirm(restoring: Restoring, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&restoring.packet);
    let means = if restoring.over.is_none() { s::RESTORE_MEANS } else { s::RESTORE_REPLACES };
    let entry = &restoring.entry;
    let now = cx.model.local_now();
    let which = Message::in_both(|lang| {
        let at = local_time(entry.date(), &now, lang);
        s::RESTORE_WHICH.fill(lang, &[&at, &entry.event(lang)])
    });
    let blocks = (!restoring.fits).then(|| Message::from(s::RESTORE_BLOCKS));
    let warnings = std::iter::once(which).chain(blocks).collect();
    let yes = move |cx: &mut Cx<'_>| restore(restoring.clone(), cx);
    let prompt = Prompt::new(Message::new(s::RESTORE_ASKS, &[&title]), means, Arc::new(yes));
    cx.cover(Prompt { warnings, ..prompt });
}

fn restore(restoring: Restoring, cx: &mut Cx<'_>) {
    let path = restoring.packet.clone();
    cx.model.writing = Some(path.clone());
    cx.ask(
        move |files| Ok(files.restore_entry(&restoring)),
        move |done, cx| {
            if let Err(why) = done {
                return refuse(why, cx);
            }
            // What was removed before cannot come back over this record.
            cx.model.inbox.redone.take_if(|redone| *redone == path);
            let in_entry = say("The record is back as it was in this entry.", "记录已恢复为此条目中的样子。");
            let in_history = cx.model.place == Place::History;
            cx.say(Tone::Good, if in_history { in_entry } else { s::PUT_BACK });
            moved(&path, cx);
            cx.on::<HistoryView>(|history, cx| history.read_again(cx));
        },
    );
}

fn refuse((tone, why): Refusal, cx: &mut Cx<'_>) {
    cx.say(tone, why);
    cx.on::<HistoryView>(|history, cx| history.read_again(cx));
}

impl Files {
    /// What restoring an entry means: the first of these packets that asks for it, and what lies there.
    fn see_restore(&self, entry: &HistoryEntry, packets: &[PathBuf]) -> Result<Restoring, Refusal> {
        let asking = packets.iter().find_map(|packet| {
            let loaded = self.load(packet).ok()?;
            let same =
                loaded.gate().is_some_and(|gate| self.state.gate_key(&gate.answer_path) == entry.key());
            same.then(|| (packet.clone(), loaded))
        });
        let refuse = |why| Err((Tone::Bad, why));
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
            return Err((Tone::Plain, Message::from(s::ENTRY_IS_THERE)));
        }
        match entry.bytes() {
            Err(error) => refuse(both(s::ENTRY_NOT_RESTORED, &error)),
            Ok(bytes) => {
                let fits = check_record(&gate.spec, &bytes).is_ok();
                Ok(Restoring { packet, entry: entry.clone(), over, fits })
            }
        }
    }

    /// Restores an entry: over nothing, or over the record that was seen, which goes to the history first.
    fn restore_entry(&self, restoring: &Restoring) -> Result<(), Refusal> {
        let Restoring { entry, over, .. } = restoring;
        let over = over.as_deref().map_or(Over::Nothing, Over::Hash);
        match history::restore_entry(&self.project, &self.state, entry, over, self.clock.now()) {
            Ok(_) => Ok(()),
            Err(fault) => Err((Tone::Bad, both(s::ENTRY_NOT_RESTORED, &fault.error()))),
        }
    }

    /// What can be put back at a gate: the record that was removed from here last, or the one written from here last
    /// where others have changed it. A history that cannot be read offers nothing.
    pub(crate) fn undo_at(&self, loaded: &Loaded) -> Option<Undo> {
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
