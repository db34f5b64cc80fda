//! Reading the history of a gate or of the project, and putting an entry of it back.
//!
//! Contract: nothing is restored without a confirmation, and never over a record that the author has not seen.

use super::view::{EntryDetail, HistoryFound, HistoryView, Known, Scope};
use crate::ask::compare::{Side, Value, compare, read_answers, read_notes};
use crate::ask::{JsString, check_record};
use crate::console::files::{Files, hash_of};
use crate::console::inbox::loading::moved;
use crate::console::model::{Place, Tone};
use crate::console::prompt::Prompt;
use crate::console::questions::change::put_back;
use crate::console::screen::{Cx, Screen as _};
use crate::console::sentences as s;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::clock::local_time;
use crate::store::gate::{LoadFault, Loaded, read_file};
use crate::store::hearing::HistoryHearings;
use crate::store::history::{self, EntryKind, HistoryEntry, Over, Search, question_is_there};
use crate::store::project::Project;
use crate::store::returned::Why;
use crate::store::sha256;
use crate::text::{Query, say};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Of so many entries around those that are shown it is known what they say.
pub(super) const NEAR: usize = 100;
/// So many texts of an entry stand in its row, so many characters of each, and so many in front of the words in it.
const TEXTS: usize = 8;
const SHOWN: usize = 200;
const AROUND: usize = 4;

/// An entry that is about to be restored.
#[derive(Clone, Debug)]
struct Restoring {
    /// A packet that asks for it, relative to the root.
    packet: PathBuf,
    entry: HistoryEntry,
    /// Hash of the record that it replaces; `None` if none is there.
    over: Option<String>,
    /// Whether it is a valid record for what is asked now.
    fits: bool,
}

impl Files {
    /// Reads a history again, unless nothing has changed: of these entries these were there. When it cannot be read, the one that
    /// is shown stays.
    pub(super) fn reread_history(
        &self,
        scope: &Scope,
        words: &str,
        stamp: Option<u128>,
        (near, there): (&[Arc<HistoryEntry>], &HashSet<String>),
        keep: Option<&str>,
    ) -> Option<HistoryFound> {
        let (_, loaded) = self.place(scope).ok()?;
        if let Some(loaded) = &loaded {
            self.state.tolerate(self.history().see(loaded));
        }
        let is_same = stamp.is_some() && stamp == history::stamp(&self.state);
        let is_same = is_same && self.history().standing(near) == *there;
        if is_same { None } else { self.read_history(scope, words, keep).ok() }
    }

    /// The entries in which these words are: a page of them, and as many more as it takes to have the one with the id `keep`.
    pub fn read_history(
        &self,
        scope: &Scope,
        words: &str,
        keep: Option<&str>,
    ) -> Result<HistoryFound, Message> {
        let (answer_path, loaded) = self.place(scope)?;
        if let Some(loaded) = &loaded {
            // Records that others have written belong to it; if they cannot be noted, the rest is shown all the same.
            self.state.tolerate(self.history().see(loaded));
        }
        // The stamp comes first: an entry that arrives during the read causes another read.
        let stamp = history::stamp(&self.state);
        let text = (!words.trim().is_empty()).then(|| words.to_owned());
        let packet = scope.packet().map(|packet| JsString::from(&*packet.shown()));
        let wanted = Search { answer_path: answer_path.clone(), packet, text, ..Search::default() };
        let mut found = history::search(&self.state, &wanted).map_err(|error| error.whole())?;
        let scope = match scope {
            Scope::Gate { packet, .. } => Scope::Gate { packet: packet.clone(), answer_path },
            Scope::Project => Scope::Project,
        };
        let (words, hits, mut rows) = (words.to_owned(), found.len(), Vec::new());
        while let Some(page) = found.next_page(&self.state) {
            let page = page.map_err(|error| error.whole())?;
            let is_there = keep.is_none_or(|id| page.iter().any(|entry| entry.id() == id));
            rows.extend(page.into_iter().map(Arc::new));
            if is_there {
                break;
            }
        }
        Ok(HistoryFound {
            scope,
            known: self.known(&rows[..rows.len().min(NEAR)], &words),
            words,
            rows,
            all: found.all,
            rest: found,
            hits,
            reading: Arc::default(),
            stamp,
        })
    }

    /// What is known of each of these entries, by their ids: the texts of its answers and notes, one that has the words first.
    pub(super) fn known(&self, entries: &[Arc<HistoryEntry>], words: &str) -> HashMap<String, Known> {
        let (query, there) = (Query::new(words), self.history().standing(entries));
        let known = |entry: &HistoryEntry| Known {
            texts: texts(entry, &query),
            is_there: there.contains(&entry.id()),
        };
        entries.iter().map(|entry| (entry.id(), known(entry))).collect()
    }

    /// For which place of answers a history is kept, and the packet that asks for it now. A gate keeps its own even if its
    /// packet is gone or names another place now.
    fn place(&self, scope: &Scope) -> Result<(Option<JsString>, Option<Loaded>), Message> {
        let Scope::Gate { packet, answer_path } = scope else { return Ok((None, None)) };
        let loaded = self.load_or_say(packet);
        let own = loaded.as_ref().map(|loaded| loaded.gate().map(|gate| gate.answer_path.clone()));
        let answer_path = match (answer_path, &own) {
            (Some(known), _) | (None, Ok(Some(known))) => known.clone(),
            (None, Ok(None)) => return Err(Message::from(s::ASKS_NOTHING)),
            (None, Err(why)) => return Err((*why).clone()),
        };
        let is_here = |own: &JsString| self.state.gate_key(own) == self.state.gate_key(&answer_path);
        let is_asked = own.is_ok_and(|own| own.as_ref().is_some_and(is_here));
        Ok((Some(answer_path), loaded.ok().filter(|_| is_asked)))
    }

    /// What restoring an entry means: the first of these packets that asks for it, and what lies there; `None` if the entry
    /// itself does.
    fn see_restore(&self, entry: HistoryEntry, packets: &[PathBuf]) -> Result<Option<Restoring>, Message> {
        if entry.kind() == EntryKind::Question {
            let packet = PathBuf::from(&*entry.answer_path.lossy());
            return match read_file(&self.root_path(&packet)) {
                Ok(there) if sha256(&there) == entry.sha256 => Ok(None),
                Err(LoadFault::Unreadable(error)) if error.code == "no-packet" => {
                    Ok(Some(Restoring { packet, entry, over: None, fits: true }))
                }
                _ => Err(question_is_there(&entry).whole()),
            };
        }
        let is_packet = entry.kind() == EntryKind::Packet;
        if let Some(packet) = entry.packet.clone().map(PathBuf::from).filter(|_| is_packet) {
            let there = read_file(&self.root_path(&packet)).map_err(|fault| s::not_loaded(&fault))?;
            let over = Some(sha256(&there)).filter(|there| *there != entry.sha256);
            return Ok(over.map(|over| Restoring { packet, entry, over: Some(over), fits: true }));
        }
        let asking = packets.iter().find_map(|packet| {
            let loaded = self.load(packet).ok()?;
            let gate = loaded.gate().filter(|gate| self.state.gate_key(&gate.answer_path) == entry.gate)?;
            Some((packet.clone(), gate.spec.clone(), loaded))
        });
        let (packet, spec, loaded) = asking.ok_or(Message::from(say(
            "Not restored: no packet asks for this record any more. You can still read it here.",
            "未放回：已没有指令包需要这份记录。它仍留在历史中，可以查看。",
        )))?;
        if !loaded.record.is_read() {
            return Err(s::unreadable(&loaded));
        }
        if let Some(refusal) = &loaded.refusal {
            return Err(Message::from(refusal.sentence()));
        }
        let over = hash_of(&loaded);
        if over.as_ref() == Some(&entry.sha256) {
            return Ok(None);
        }
        let bytes = entry.bytes().map_err(|error| s::both(s::ENTRY_NOT_RESTORED, &error))?;
        let fits = check_record(&spec, &bytes).is_ok();
        Ok(Some(Restoring { packet, entry, over, fits }))
    }

    /// Restores an entry: over nothing, or over the record that was seen, which goes to the history first.
    fn restore_entry(&self, restoring: &Restoring) -> Result<(), Message> {
        let over = restoring.over.as_deref().map_or(Over::Nothing, Over::Hash);
        self.history()
            .restore_entry(&restoring.entry, over)
            .map(drop)
            .map_err(|fault| s::both(s::ENTRY_NOT_RESTORED, &fault.error()))
    }
}

impl HistoryView {
    /// The entry that stays selected when it is read again; of other words the first ones are shown.
    pub(super) fn kept(&self) -> Option<String> {
        let from = self.from.clone().filter(|_| self.words().is_empty());
        let selected = || self.selected().map(|entry| entry.id());
        from.or_else(|| if self.words().is_empty() || self.is_searched() { selected() } else { None })
    }

    /// Reads the next page behind what is shown, and so on. It is the last work to be done, and none once there is another reading.
    pub(super) fn read_on(&mut self, cx: &mut Cx<'_>) {
        let (mut rest, reading) = (std::mem::take(&mut self.found.rest), self.found.reading.clone());
        let work = move |files: &Files| {
            let page = files.state.tolerate(rest.next_page(&files.state)?)?;
            Some((page.into_iter().map(Arc::new).collect::<Vec<_>>(), rest))
        };
        cx.tell(Some("page"), work, move |(page, rest), cx| {
            cx.on::<HistoryView>(|history, cx| {
                if Arc::ptr_eq(&history.found.reading, &reading) {
                    history.found.rows.extend(page);
                    history.found.rest = rest;
                    history.read_on(cx);
                }
            });
        });
    }
}

fn texts(entry: &HistoryEntry, query: &Query) -> Vec<String> {
    if let Some(text) = entry.text() {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        return vec![excerpt(&line, query)];
    }
    let Ok(bytes) = entry.bytes() else { return Vec::new() };
    let why = entry.is_refusal().then(|| Why::in_entry(&bytes)).flatten();
    let mut texts: Vec<String> = why.iter().map(|why| why.reason.display().into_owned()).collect();
    for (_, value) in read_answers(&bytes) {
        match value {
            Value::Other(json) => texts.push(json),
            value => texts.extend(value.strings().iter().map(|text| text.display().into_owned())),
        }
    }
    texts.extend(read_notes(&bytes).iter().map(|(_, note)| note.display().into_owned()));
    texts.retain(|text| !text.trim().is_empty());
    texts.sort_by_key(|text| query.places(text).is_empty());
    texts.truncate(TEXTS);
    texts.iter().map(|text| excerpt(text, query)).collect()
}

/// The beginning of a text, or, if the words stand further on, what is around them.
fn excerpt(text: &str, query: &Query) -> String {
    let hit = query.places(text).first().map_or(0, |place| place.start);
    let before = text[..hit].char_indices().rev().nth(AROUND).map_or(0, |(at, _)| at);
    let start = if text[..hit].chars().count() > 2 * AROUND { before } else { 0 };
    let shown = text[start..].trim_start().chars().take(SHOWN);
    if start > 0 { "…".chars().chain(shown).collect() } else { shown.collect() }
}

/// What an entry says, beside the one before it; and whether it has reached who does the step.
pub fn load_entry(entry: &Arc<HistoryEntry>, project: &Project) -> EntryDetail {
    let says = |entry: &HistoryEntry| (entry.asked(), entry.answers(), entry.notes());
    let (before, now) = (entry.earlier().map(|before| says(&before)), says(entry));
    let then = before.as_ref().unwrap_or(&now);
    let [then, since] =
        [then, &now].map(|(asked, answers, notes)| Side { spec: asked.as_ref(), answers, notes });
    let since = compare(then, since);
    let sent_back = entry.is_refusal().then(|| entry.bytes().ok()).flatten();
    EntryDetail {
        entry: entry.clone(),
        defaults: entry.defaults(),
        since,
        first: before.is_none(),
        text: entry.text(),
        why: sent_back.and_then(|bytes| Why::in_entry(&bytes)),
        asked: now.0,
        hearing: HistoryHearings::new(project).of(entry),
    }
}

/// Finds out what restoring an entry means: for which of these packets, over what. Then asks the author.
pub(crate) fn begin_restore(entry: HistoryEntry, packets: Vec<PathBuf>, cx: &mut Cx<'_>) {
    let is_there = s::is_there(&entry);
    cx.ask(
        move |files| files.see_restore(entry, &packets),
        move |restoring, cx| {
            let Some(restoring) = restoring else {
                cx.say(Tone::Plain, is_there);
                return cx.on::<HistoryView>(|history, cx| history.look(false, cx));
            };
            confirm(restoring, cx);
        },
    );
}

fn confirm(restoring: Restoring, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&restoring.packet);
    let entry = &restoring.entry;
    let (asks, means) = match entry.kind() {
        EntryKind::Packet => (
            say("Put this old text of {0} back?", "放回 {0} 的这份旧文？"),
            say(
                "It takes the packet's place; the text that is there goes into the history.",
                "它取代指令包现在的文本，现在的文本存入历史。",
            ),
        ),
        EntryKind::Question => (
            say("Put {0} back into the book?", "把 {0} 放回书中？"),
            say(
                "The file comes back byte for byte, and is asked as it says.",
                "文件原样放回，照它写的提问。",
            ),
        ),
        _ if restoring.over.is_none() => (s::RESTORE_ASKS, s::RESTORE_MEANS),
        _ => (s::RESTORE_ASKS, s::RESTORE_REPLACES),
    };
    let now = cx.model.local_now();
    let which = Message::in_both(|lang| {
        let at = local_time(entry.date(), &now, lang);
        say("Entry: {0}, {1}.", "条目：{0}，{1}。").fill(lang, &[&at, &entry.event(lang)])
    });
    let blocks = (!restoring.fits).then(|| Message::from(s::RESTORE_BLOCKS));
    let warnings = std::iter::once(which).chain(blocks).collect();
    let yes = move |cx: &mut Cx<'_>| restore(restoring.clone(), cx);
    let prompt = Prompt::new(Message::new(asks, &[&title]), means, yes).unread(cx.model.now);
    cx.cover(Prompt { warnings, ..prompt });
}

fn restore(restoring: Restoring, cx: &mut Cx<'_>) {
    let (path, is_packet) = (restoring.packet.clone(), restoring.entry.kind() == EntryKind::Packet);
    if restoring.entry.kind() == EntryKind::Question {
        put_back(restoring.entry, None, cx);
        return cx.on::<HistoryView>(|history, cx| history.look(false, cx));
    }
    cx.model.writing = Some(path.clone());
    cx.ask(
        move |files| files.restore_entry(&restoring),
        move |(), cx| {
            cx.model.inbox.forget_redone(std::iter::once(&*path));
            let in_entry = say("The record is back as it was in this entry.", "记录已放回，与此条目相同。");
            let in_history = cx.model.place == Place::History;
            let of_packet =
                say("The old text of the packet is back, byte for byte.", "已原样放回指令包的原文。");
            cx.say(
                Tone::Good,
                if is_packet {
                    of_packet
                } else if in_history {
                    in_entry
                } else {
                    s::PUT_BACK
                },
            );
            moved(&path, cx);
            cx.on::<HistoryView>(|history, cx| history.look(false, cx));
        },
    );
}
