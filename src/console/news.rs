//! What happens outside, and what it changes.
//!
//! Contract: a new packet never takes the author's screen away; it rings at most, and is named where no other sentence
//! stands. The list itself shows it; that options have come is said there too.

use super::files::Files;
use super::form::Form;
use super::inbox::{later, needs_author};
use super::model::{Model, Notice, NoticeTopic, Place, Tone};
use super::prompt::Leaving;
use super::receipt;
use super::screen::{Cx, Effect, NewGates};
use crate::ask::JsString;
use crate::console::form::status::Warning;
use crate::error::Message;
use crate::store::contact::Silence;
use crate::store::entry::Entry;
use crate::store::file::is_relay;
use crate::store::gate::Status;
use crate::store::later as marks;
use crate::store::older;
use crate::store::watch::StoreEvent;
use crate::text::{Lang, Sentence, say};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NEW: Sentence = say("New gate: {0}", "新门控：{0}");
const BLOCKED: Sentence = say("Blocked: {0}", "受阻：{0}");
const BACK: Sentence = say("Waits again: {0}", "重新等待：{0}");
const OPTIONS: Sentence = say("Options have come: {0}", "备选已到：{0}");
const MORE: Sentence = say("{0} +{1}", "{0} +{1}");
const HERE: Sentence = say("{0}", "{1}");
const TO_THE_LIST: Sentence = say("{0} ({back} to the list)", "{1}（{back} 返回列表）");

#[derive(Clone, Debug)]
pub enum News {
    Store(StoreEvent),
    /// What the author typed for this gate could not be kept safe; `None` once it can be again.
    DraftTrouble(JsString, Option<Message>),
    Shared(JsString),
    Failed(Message),
}

pub fn take(news: News, cx: &mut Cx<'_>) {
    match news {
        News::Store(StoreEvent::Entries { entries, cut, asked }) => {
            (cx.model.inbox.cut, cx.model.inbox.standing) = (cut, asked);
            let take_in = if cx.model.inbox.complete { take_entries } else { take_first };
            take_in(entries, cx);
        }
        News::Store(StoreEvent::Looked) => {
            cx.model.inbox.looked = Some(cx.model.now);
            // What is said of a silence begins with time alone.
            cx.unchanged = !cx.model.is_project_gone && cx.model.inbox.silence.is_none();
            cx.model.is_project_gone = false;
            if cx.model.place == Place::Receipt {
                receipt::verify(cx);
            }
            if cx.model.inbox.silence.is_some() {
                listen(cx);
            }
            look(false, cx);
        }
        News::Store(StoreEvent::Watching(mode)) => cx.model.inbox.watching = Some(mode),
        News::Store(StoreEvent::RootGone) => {
            cx.model.is_project_gone = true;
            cx.model.notice.take_if(|notice| matches!(notice.tone, Tone::Good | Tone::Plain));
        }
        News::DraftTrouble(answer_path, trouble) => draft_trouble(&answer_path, trouble, cx),
        News::Shared(answer_path) => Form::with_open(cx, |form, _| form.shared(&answer_path)),
        News::Store(StoreEvent::Unread(Some(why))) => {
            cx.model.say_about(NoticeTopic::Unread, Tone::Bad, why);
        }
        News::Store(StoreEvent::Unread(None)) => {
            cx.model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::Unread));
        }
        News::Failed(why) => cx.say(Tone::Bad, why),
        // The thread that works uses the new handle.
        News::Store(StoreEvent::Reopened(_)) => {}
    }
}

fn look(listed: bool, cx: &mut Cx<'_>) {
    for at in 0..cx.screens.len() {
        cx.with(at, |screen, cx| screen.look(listed, cx));
    }
    if let Some(mut left) = cx.model.left.take() {
        left.look_at_gate(listed, cx);
        cx.model.left = Some(left);
    }
}

/// Takes the first list with its drafts and what is put off: so each gate stands at once where it stays. Keys wait for it.
fn take_first(entries: Vec<Arc<Entry>>, cx: &mut Cx<'_>) {
    let work = move |files: &Files| {
        let drafts = files.drafts().progress(&entries);
        let later = marks::read(&files.state, &entries, files.clock.now());
        let older = older::read(&files.state, &entries);
        Ok((entries, drafts, later, older))
    };
    cx.ask(work, |(entries, drafts, later, older), cx| {
        let inbox = &mut cx.model.inbox;
        inbox.older.extend(older);
        for (packet, progress) in drafts {
            // What is open here is newer.
            inbox.drafts.entry(packet).or_insert(progress);
        }
        inbox.later.extend(later);
        take_entries(entries, cx);
    });
}

fn take_entries(entries: Vec<Arc<Entry>>, cx: &mut Cx<'_>) {
    let model = &mut *cx.model;
    let first = !model.inbox.complete;
    // What has not changed is the same piece of memory: nothing else is asked of thousands of gates beside the one that has.
    let mut before: HashMap<*const Entry, Arc<Entry>> =
        model.inbox.entries.iter().map(|entry| (Arc::as_ptr(entry), Arc::clone(entry))).collect();
    let changed: Vec<Arc<Entry>> =
        entries.iter().filter(|entry| before.remove(&Arc::as_ptr(entry)).is_none()).cloned().collect();
    let before: Vec<Arc<Entry>> = before.into_values().collect();
    let (came, new) = if first { Default::default() } else { new_gates(model, &before, &changed) };
    model.is_project_gone = false;
    let lost = if first { None } else { model.inbox.lost_record(&before, &changed) };
    let looked = model.inbox.looked.replace(model.now).filter(|_| !first && !model.inbox.cut);
    let unasked = model.inbox.unasked(&before, &changed);
    model.inbox.take(entries);
    if model.inbox.redone.is_some() && model.redone().is_none() {
        // A newer record exists; drop the undo notice.
        model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::Redone));
    }
    later::end(cx);
    let refused: HashSet<&Path> =
        before.iter().filter(|entry| entry.status == Status::SentBack).map(|entry| &*entry.path).collect();
    if changed.iter().any(|now| now.status != Status::SentBack && refused.contains(&*now.path)) {
        cx.model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::SentBack));
    }
    let is_back = new.first().is_some_and(|first| refused.contains(&*first.path));
    announce(&new, if is_back { BACK } else { NEW }, cx);
    announce(&came, OPTIONS, cx);
    receipt::verify(cx);
    if let Some(lost) = lost {
        see_if_lost(lost, cx);
    }
    if let Some(looked) = looked.filter(|_| !unasked.is_empty()) {
        let now = cx.model.now;
        let work =
            move |files: &Files| Some(older::find(&files.project, &files.state, &unasked, looked, now));
        cx.tell(None, work, |older, cx| cx.model.inbox.older.extend(older));
    }
    listen(cx);
    cx.do_next(Effect::NoteSeen(changed));
    // After the new records have been noted: the history shows them.
    look(true, cx);
}

/// Looks whether the executor that writes the packets asks anything.
fn listen(cx: &mut Cx<'_>) {
    let own = cx.model.inbox.entries.iter().filter(|entry| !is_relay(&entry.path));
    let Some(written) = own.map(|entry| entry.modified).max() else { return };
    let work =
        move |files: &Files| Some(Silence::find(&files.project, &files.state, written, files.clock.now()));
    cx.tell(None, work, |silence, cx| {
        cx.unchanged = cx.model.inbox.silence == silence;
        cx.model.inbox.silence = silence;
    });
}

/// The gates among the entries that have changed that hold a step up and did not before. One that has no record because one is being
/// written or was removed from here is none of them. Before them, the gates to which options have come.
fn new_gates(
    model: &Model,
    before: &[Arc<Entry>],
    changed: &[Arc<Entry>],
) -> (Vec<Arc<Entry>>, Vec<Arc<Entry>>) {
    let written = model.receipt.as_ref().map(|written| written.path.as_path());
    let writing = model.writing.as_deref().or(written);
    // The author is in its form, and knows it.
    let open = model.open.as_deref();
    let is_ours =
        |entry: &Entry| [writing, open].contains(&Some(&*entry.path)) || model.inbox.is_removed_here(entry);
    let held_up = |entry: &&Arc<Entry>| {
        needs_author(entry) && !entry.past && !entry.is_repeated() && model.inbox.later(entry).is_none()
    };
    let before: HashMap<&Path, &Arc<Entry>> = before.iter().map(|entry| (&*entry.path, entry)).collect();
    let have_come = |entry: &Arc<Entry>| {
        let has_newer = |before: &&Arc<Entry>| entry.has_newer_round_than(before);
        entry.status == Status::Waiting && before.get(&*entry.path).is_some_and(has_newer)
    };
    let is_new = |entry: &Arc<Entry>| {
        let is_blocked = |before: &Entry| before.status != entry.status && entry.status == Status::Blocked;
        let worse = before.get(&*entry.path).filter(|before| held_up(before)).is_none_or(|it| is_blocked(it));
        worse && !(entry.status == Status::Waiting && is_ours(entry))
    };
    let (came, mut new): (Vec<_>, Vec<_>) = changed.iter().filter(held_up).cloned().partition(have_come);
    new.retain(is_new);
    (came, new)
}

/// Says it on the screen, where no other sentence stands, and lets it be told outside the screen.
fn announce(new: &[Arc<Entry>], says: Sentence, cx: &mut Cx<'_>) {
    let Some(first) = new.first() else { return };
    let sentence = if says == NEW && first.status == Status::Blocked { BLOCKED } else { says };
    let text = |count: usize, lang: Lang| {
        let text = sentence.fill(lang, &[&first.title()]);
        if count > 1 { MORE.fill(lang, &[&text, &(count - 1).to_string()]) } else { text }
    };
    let before = match &cx.model.notice {
        None => Some(Vec::new()),
        Some(Notice { topic: Some(NoticeTopic::NewGates(gates)), .. }) => Some(gates.clone()),
        Some(_) => None,
    };
    let in_list = cx.model.place == Place::Inbox;
    // The list shows a gate that is new, and an open form its own options.
    let is_shown = if says == OPTIONS { cx.model.open.as_deref() == Some(&first.path) } else { in_list };
    if let Some(mut gates) = before.filter(|_| !is_shown) {
        gates.retain(|gate| new.iter().all(|entry| entry.path != *gate));
        gates.extend(new.iter().map(|entry| Arc::clone(&entry.path)));
        let texts = [&*text(gates.len(), Lang::En), &text(gates.len(), Lang::ZhCn)];
        let message = Message::new(if in_list { HERE } else { TO_THE_LIST }, &texts);
        cx.model.say_about(NoticeTopic::NewGates(gates), Tone::Plain, message);
    }
    let title = format!("novel-gate: {}", cx.model.project);
    let body = text(new.len(), cx.model.lang);
    cx.do_next(Effect::Notify(NewGates { title, body }));
}

/// Ends what is over, and says which gates need the author again because their time has come.
pub(crate) fn wake(cx: &mut Cx<'_>) {
    if cx.model.inbox.is_any_due(cx.model.now) {
        let back = later::end(cx);
        later::resort(cx);
        announce(&back, BACK, cx);
    }
}

/// Looks whether a gate that had a record in the list has none on the disk, now that nothing is being written from here.
fn see_if_lost(packet: PathBuf, cx: &mut Cx<'_>) {
    let path = packet.clone();
    let work = move |files: &Files| {
        let loaded = files.load(&path).ok()?;
        (loaded.status() == Status::Waiting).then_some(())
    };
    cx.tell(None, work, move |(), cx| record_lost(&packet, cx));
}

/// Deleting the file is a redo too; a notice says so.
fn record_lost(packet: &Path, cx: &mut Cx<'_>) {
    let model = &mut *cx.model;
    let shown =
        model.place == Place::Receipt && model.receipt.as_ref().is_some_and(|written| written.path == packet);
    let ours = model.inbox.entry_at(packet).is_some_and(|entry| model.inbox.is_removed_here(entry));
    if !shown && !ours {
        let says = say(
            "The record of {0} was deleted: the gate waits again, with its last known answers filled in.",
            "{0} 的记录被删除，门控重新等待回答，表单会填入最后已知的回答。",
        );
        let message = Message::new(says, &[&model.inbox.title_of(packet)]);
        model.say_about(NoticeTopic::RecordDeleted, Tone::Warn, message);
    }
}

/// Shown on the gate's own form as long as it lasts, else once. Who only waits for it leaves.
fn draft_trouble(answer_path: &JsString, trouble: Option<Message>, cx: &mut Cx<'_>) {
    let saved = trouble.is_none();
    let (mut was_unkept, mut of_form) = (false, false);
    Form::with_open(cx, |form, _| {
        was_unkept = form.status.warnings.contains_key(&Warning::Unkept);
        of_form = form.answers_to(answer_path);
        if of_form {
            form.status.warn(Warning::Unkept, trouble.clone());
        }
    });
    if let Some(trouble) = trouble.filter(|_| !of_form) {
        cx.say(Tone::Bad, trouble);
    }
    let leaving = cx.screens.last().and_then(|top| Some(top.seen_as::<Leaving>()?.code));
    // A draft was saved, as after every key.
    cx.unchanged = saved && !was_unkept && leaving.is_none();
    if let Some(code) = leaving.filter(|_| saved) {
        cx.do_next(Effect::Leave(code));
    }
}
