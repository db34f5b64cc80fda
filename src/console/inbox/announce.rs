//! Says that a gate needs the author: by its name, and never in the way of what he does.

use crate::console::model::{Message, Model, Notice, NoticeTopic, Place, Tone};
use crate::console::screen::{Cx, Effect, NewGates};
use crate::store::entry::Entry;
use crate::store::gate::Status;
use crate::text::{Lang, Sentence, say};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const NEW: Sentence = say("New gate: {0}", "新门控：{0}");
const BLOCKED: Sentence = say("Blocked: {0}", "受阻：{0}");
const BACK: Sentence = say("Waits again: {0}", "重新等待：{0}");
const MORE: Sentence = say("{0} +{1}", "{0} +{1}");
const TO_THE_LIST: Sentence = say("{0} ({back} to the list)", "{1}（{back} 返回列表）");

/// The gates among the new entries that hold a step up and did not before. One that has no record because one is being
/// written or was removed from here is none of them.
pub(crate) fn new_gates(model: &Model, entries: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    let written = model.receipt.as_ref().map(|written| written.path.as_path());
    let writing = model.writing.as_deref().or(written);
    // The author is in its form, and knows it.
    let open = model.open.as_deref();
    let is_ours =
        |entry: &Entry| [writing, open].contains(&Some(&*entry.path)) || model.inbox.is_removed_here(entry);
    let held_up = |entry: &&Arc<Entry>| {
        entry.held_up() && !entry.past && !entry.is_repeated() && model.inbox.later(entry).is_none()
    };
    let before: HashMap<&Path, Status> =
        model.inbox.entries.iter().filter(held_up).map(|entry| (&*entry.path, entry.status)).collect();
    let is_new = |entry: &&Arc<Entry>| {
        let before = before.get(&*entry.path);
        let worse = before.is_none_or(|before| *before != entry.status && entry.status == Status::Blocked);
        held_up(entry) && worse && !(entry.status == Status::Waiting && is_ours(entry))
    };
    entries.iter().filter(is_new).cloned().collect()
}

/// Says it on the screen, where no other sentence stands, and lets it be told outside the screen.
pub(crate) fn announce(new: &[Arc<Entry>], back: bool, cx: &mut Cx<'_>) {
    let Some(first) = new.first() else { return };
    let sentence = match first.status {
        _ if back => BACK,
        Status::Blocked => BLOCKED,
        Status::NoGate | Status::Waiting | Status::Malformed | Status::Answered => NEW,
    };
    let text = |count: usize, lang: Lang| {
        let text = sentence.fill(lang, &[&first.title()]);
        if count > 1 { MORE.fill(lang, &[&text, &(count - 1).to_string()]) } else { text }
    };
    let before = match &cx.model.notice {
        None => Some(0),
        Some(Notice { topic: Some(NoticeTopic::NewGates(count)), .. }) => Some(*count),
        Some(_) => None,
    };
    let elsewhere = cx.model.place != Place::Inbox;
    if let Some(count) = before.filter(|_| elsewhere).map(|before| before + new.len()) {
        let message = Message::new(TO_THE_LIST, &[&text(count, Lang::En), &text(count, Lang::ZhCn)]);
        cx.model.say_about(NoticeTopic::NewGates(count), Tone::Plain, message);
    }
    let title = format!("novel-gate: {}", cx.model.project.name);
    let body = text(new.len(), cx.model.lang);
    cx.do_next(Effect::Notify(NewGates { title, body }));
}
