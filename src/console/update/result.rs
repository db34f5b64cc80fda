//! What happens outside, and what it changes.
//!
//! Contract:
//! * A new packet never takes the author's screen away; it rings at most.
//! * The answers so far are never dropped: a changed packet carries them over, a lost race keeps them. Who came first
//!   may have removed the draft with his own, so it is saved again.

use super::super::effect::{Effect, EffectResult, Move, RecordSeen, Reloaded, Reply, Submitted, Unwritten};
use super::super::model::{
    Asked, Banner, BannerTopic, Fate, Form, Message, Model, NoticeTopic, Opened, Over, Progress, Screen,
    Tone, Written,
};
use super::super::sentences as s;
use super::guard;
use crate::ask::JsString;
use crate::store::entry::Entry;
use crate::store::gate::Status;
use crate::text::Lang;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Whether a result can change anything that is shown; a look that found all as it was need not be drawn.
pub fn is_news(model: &Model, result: &EffectResult) -> bool {
    match result {
        EffectResult::Looked => model.gone,
        EffectResult::Loaded(detail) => model.inbox.detail.as_ref() != Some(detail.as_ref()),
        EffectResult::Verified { path, progress } => model
            .receipt
            .as_ref()
            .is_some_and(|written| written.path == *path && written.progress != **progress),
        _ => true,
    }
}

/// What a result changes.
pub fn apply(model: &mut Model, result: EffectResult) -> Vec<Effect> {
    match result {
        EffectResult::Reply(reply) => {
            model.writing = None;
            return apply_reply(model, reply);
        }
        EffectResult::Entries { entries, complete } => return entries_changed(model, &entries, complete),
        EffectResult::Looked => {
            model.gone = false;
            return outputs_may_have_changed(model);
        }
        EffectResult::Watching(mode) => model.inbox.watching = Some(mode),
        EffectResult::RootGone => {
            model.gone = true;
            model.notice.take_if(|notice| matches!(notice.tone, Tone::Good | Tone::Plain));
        }
        EffectResult::Loaded(detail) => model.inbox.detail = Some(*detail),
        EffectResult::Reloaded(reloaded) => return take_reloaded(model, *reloaded),
        EffectResult::Verified { path, progress } => super::receipt::verified(model, &path, *progress),
        EffectResult::HistoryReread(found) => return super::history::refresh(model, *found),
        EffectResult::Recalled(recalled) => {
            if let Some(history) = &mut model.history {
                history.recalled = Some(*recalled);
            }
        }
        EffectResult::DraftTrouble(answer_path, trouble) => draft_trouble(model, &answer_path, trouble),
        EffectResult::RecordLost(path) => record_lost(model, &path),
        EffectResult::Failed(why) => model.say(Tone::Bad, why),
    }
    Vec::new()
}

/// How a request went, and what that changes.
fn apply_reply(model: &mut Model, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Opened(opened) => open(model, *opened),
        Reply::Submitted(written) => submitted(model, *written),
        Reply::NotSubmitted(path, why) => {
            not_submitted(model, &path, *why);
            model.save()
        }
        Reply::Moved(how, path) => record_moved(model, how, path),
        Reply::Confirm(prompt) => model.show_over(Over::Prompt(prompt)),
        Reply::HistoryRead(found) => super::history::take(model, *found),
        Reply::EntryNotRestored(tone, why) => {
            model.say(tone, why);
            model.read_history_again().into_iter().collect()
        }
        Reply::RecordText(edited, again) => super::edit::start(model, *edited, again),
        Reply::EditChecked(edited, verdict) => super::edit::checked(model, edited, verdict),
        Reply::Edited(back) => super::edit::from_editor(model, back),
        Reply::Failed(why) => {
            if let Some(form) = &mut model.form {
                form.status.submitting = false;
            }
            model.say(Tone::Bad, why);
            Vec::new()
        }
    }
}

/// Deleting the file is redo too, and the author is told.
fn record_lost(model: &mut Model, path: &Path) {
    let shown =
        model.screen == Screen::Receipt && model.receipt.as_ref().is_some_and(|seen| seen.path == path);
    if !shown && model.inbox.redone.as_deref() != Some(path) {
        let message = Message::new(s::RECORD_DELETED, &[&title_of(model, path)]);
        model.say_about(NoticeTopic::RecordDeleted, Tone::Warn, message);
    }
}

/// What a packet's step is called.
fn title_of(model: &Model, path: &Path) -> String {
    let entry = model.inbox.entry_at(path);
    let step = entry.map(|entry| entry.title().into_owned());
    step.unwrap_or_else(|| path.to_string_lossy().into_owned())
}

fn entries_changed(model: &mut Model, entries: &[Arc<Entry>], complete: bool) -> Vec<Effect> {
    let waiting_before = model.inbox.counts().waiting;
    let first = !model.inbox.complete;
    model.gone = false;
    let lost = if first { None } else { model.inbox.lost_record(entries) };
    model.inbox.take(entries, complete);
    if model.inbox.redone.is_some() && model.redone().is_none() {
        // A newer record exists; drop the undo notice.
        model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::Redone));
    }
    model.keep_in_sight();
    let mut effects: Vec<Effect> = model.load_selected().into_iter().collect();
    let more = model.inbox.counts().waiting.saturating_sub(waiting_before);
    if !first && more > usize::from(is_between_records(model)) {
        effects.push(Effect::Bell);
        if model.screen != Screen::Inbox && model.notice.is_none() {
            model.say(Tone::Plain, Message::from(s::NEW_GATE));
        }
    }
    super::drift::note_conflict(model);
    effects.extend(model.reload());
    effects.extend(model.verify());
    effects.extend(lost.map(Effect::SeeIfLost));
    if complete {
        effects.push(Effect::NoteSeen(entries.to_vec()));
    }
    // Behind the note of what has just been seen.
    effects.extend(super::history::reread(model));
    effects
}

/// Whether the gate whose record is written from here was seen without one, as for a moment of every replacement.
fn is_between_records(model: &Model) -> bool {
    let written = model.receipt.as_ref().map(|written| written.path.as_path());
    let path = model.writing.as_deref().or(written);
    let entry = path.and_then(|path| model.inbox.entries.iter().find(|entry| *entry.path == *path));
    entry.is_some_and(|entry| entry.status == Status::Waiting)
}

/// What is on the screen about files that are neither packet nor record is looked at anew.
fn outputs_may_have_changed(model: &Model) -> Vec<Effect> {
    match model.screen {
        Screen::Receipt => model.verify().into_iter().collect(),
        Screen::Inbox => model.load_selected().into_iter().collect(),
        Screen::History => super::history::reread(model).into_iter().collect(),
        Screen::Form | Screen::Review => Vec::new(),
    }
}

fn open(model: &mut Model, mut opened: Opened) -> Vec<Effect> {
    let kept = model.form.take().filter(|form| form.path == opened.asked.path);
    if let Some(kept) = kept.as_ref().filter(|form| form.draft.is_authors()) {
        // What stayed open behind the inbox is newer than any draft on the disk.
        kept.restore_into(&mut opened);
    }
    if let Some(saved) = &opened.restored {
        let at = saved.get(..16).unwrap_or(saved).replace('T', " ") + " UTC";
        model.say(Tone::Plain, Message::new(s::DRAFT_RESTORED, &[&at]));
    }
    if let Some(greeting) = &opened.greeting {
        model.say(Tone::Plain, greeting.clone());
    }
    let set_aside = opened.set_aside.clone();
    let repaired = opened.is_repaired();
    model.receipt = None;
    let mut form = Form::open(opened);
    if let Some(kept) = &kept {
        form.inherit_earlier(kept);
    }
    if form.status.repair.is_some() && form.contested() > 0 {
        model.say(Tone::Plain, Message::from(s::YOURS_ABOVE_THE_RECORD));
    }
    if let Some(why) = set_aside {
        model.say(Tone::Warn, why);
    }
    let changed = !form.status.changes.is_empty();
    form.status.banner = changed.then(Banner::packet_changed);
    model.form = Some(form);
    model.screen = Screen::Form;
    model.over = None;
    super::drift::note_conflict(model);
    // With nothing left to decide, the author is asked for nothing but a look.
    if repaired { model.show_review(false) } else { Vec::new() }
}

fn take_reloaded(model: &mut Model, reloaded: Reloaded) -> Vec<Effect> {
    let too_late = matches!(reloaded, Reloaded::Same { record: Some(_), .. });
    model.change_status(|model| {
        let mut effects = apply_reloaded(model, reloaded);
        if too_late {
            effects.extend(model.save());
        }
        effects
    })
}

fn apply_reloaded(model: &mut Model, reloaded: Reloaded) -> Vec<Effect> {
    match reloaded {
        Reloaded::Same { path, record, refusal, packet } => {
            let until = in_review(model);
            if let Some(form) = open_form(model, &path) {
                form.status.refusal = refusal;
                apply_record_state(form, record, until);
                if super::drift::answer_path_changed(form, packet) {
                    return model.save();
                }
            }
        }
        Reloaded::Changed(asked) => {
            change_questions(model, asked);
            // While the answer was on its way, the files may have changed again.
            return model.reload().into_iter().collect();
        }
        Reloaded::Gone(path, why) => {
            if let Some(form) = open_form(model, &path) {
                form.status.banner = Some(Banner::new(BannerTopic::Packet, why));
            }
        }
    }
    Vec::new()
}

/// Until when nothing is submitted if the bad record turns out to have changed: the review shows what it says.
fn in_review(model: &Model) -> Option<SystemTime> {
    (model.screen == Screen::Review).then(|| guard::end(model))
}

/// What the record that lies there now means to the form.
fn apply_record_state(form: &mut Form, record: Option<RecordSeen>, guard: Option<SystemTime>) {
    let mut refill = false;
    let status = &mut form.status;
    let changed = status
        .banner
        .take_if(|banner| matches!(banner.topic, BannerTopic::Questions | BannerTopic::AnswerPath));
    let Some(was) = status.repair.take() else {
        status.banner = record.map(|seen| record_banner(&seen)).or(changed);
        return;
    };
    match record {
        Some(RecordSeen { by: None, bad: Some(bad), .. }) => {
            let (repair, before) = *bad;
            if repair.seen != was.seen {
                status.banner = Some(Banner::new(BannerTopic::Record, Message::from(s::BAD_RECORD_CHANGED)));
                status.moved_until = guard.or(status.moved_until);
            }
            status.repair = Some(repair);
            status.before = Some(before);
            refill = true;
        }
        Some(other) => status.banner = Some(record_banner(&other)),
        None => status.banner = Some(Banner::new(BannerTopic::Record, Message::from(s::BAD_RECORD_GONE))),
    }
    if changed.is_some() {
        status.banner = changed;
    }
    if refill {
        form.refill();
    }
}

fn record_banner(seen: &RecordSeen) -> Banner {
    let message = match (&seen.odd, &seen.by) {
        (Some(odd), _) => Message::new(s::NO_FILE_THERE, &[&odd.text(Lang::En), &odd.text(Lang::ZhCn)]),
        (None, Some(by)) => Message::new(s::RECORD_CAME_FIRST, &[by]),
        (None, None) => Message::from(s::BAD_RECORD_CAME_FIRST),
    };
    Banner::new(BannerTopic::Record, message)
}

/// The packet asks something else by now: what fits stays, the rest is shown.
fn change_questions(model: &mut Model, asked: Asked) {
    let (until, screen) = (guard::end(model), model.screen);
    let seen = model.over.is_none() && matches!(screen, Screen::Form | Screen::Review);
    let Some(form) = open_form(model, &asked.path) else { return };
    if form.spec_hash == asked.spec_hash {
        form.status.refusal = asked.refusal;
        super::drift::answer_path_changed(form, asked.packet);
        return;
    }
    let mut next = form.asked_anew(asked);
    let moved = seen && (screen == Screen::Review || guard::aim(form) != guard::aim(&next));
    next.status.guarded_until = if moved { Some(until) } else { form.status.guarded_until };
    // Questions that are as they were at the start need no second look.
    next.status.banner = next.status.has_changes().then(Banner::packet_changed);
    *form = next;
    if matches!(model.screen, Screen::Review | Screen::Receipt) {
        model.screen = Screen::Form;
    }
}

fn open_form<'m>(model: &'m mut Model, path: &Path) -> Option<&'m mut Form> {
    model.form.as_mut().filter(|form| form.path == path)
}

fn submitted(model: &mut Model, written: Submitted) -> Vec<Effect> {
    let Submitted { path, packet, record, receipt, outputs } = written;
    let form = model.form.take_if(|form| form.path == path);
    let entry = || model.inbox.row_of(&path).and_then(|row| model.inbox.entry(row));
    let step = || entry().map(|entry| entry.title().into_owned());
    let title = form.map(|form| form.title()).or_else(step).unwrap_or_default();
    // What was removed before cannot come back over this record.
    model.inbox.redone.take_if(|redone| *redone == path);
    let progress = Progress { fate: Fate::Intact, outputs, past: false, relayed: false };
    model.receipt = Some(Written { path, title, packet, record, receipt, at: model.now, progress });
    model.screen = Screen::Receipt;
    model.over = None;
    vec![Effect::Look]
}

fn not_submitted(model: &mut Model, path: &Path, why: Unwritten) {
    if let Some(form) = open_form(model, path) {
        form.status.submitting = false;
    }
    match why {
        Unwritten::Exists(winner, odd) => {
            let by = winner.map(|record| record.answered_by.display().into_owned());
            let banner = record_banner(&RecordSeen { by, at: None, odd, bad: None });
            if let Some(form) = open_form(model, path) {
                form.status.banner = Some(banner);
            }
            model.say(Tone::Bad, Message::from(s::NOT_WRITTEN_EXISTS));
        }
        Unwritten::Changed(asked) => {
            change_questions(model, asked);
            model.say(Tone::Warn, Message::from(s::NOT_WRITTEN_CHANGED));
        }
        Unwritten::Moved(record) => {
            let until = in_review(model);
            if let Some(form) = open_form(model, path) {
                apply_record_state(form, record, until);
            }
            model.say(Tone::Bad, Message::from(s::NOT_WRITTEN_MOVED));
        }
        Unwritten::Failed(why) => model.say(Tone::Bad, why),
    }
}

/// A record went or came back: what is shown is looked at anew, and a form behind the inbox is dropped, since its draft
/// on disk is the newer one.
fn record_moved(model: &mut Model, how: Move, path: PathBuf) -> Vec<Effect> {
    let mut effects = vec![Effect::Look, Effect::Load(path.clone())];
    match how {
        Move::Redone => model.say_about(NoticeTopic::Redone, Tone::Good, Message::from(s::REDONE)),
        Move::RedoUndone => {
            let message = Message::new(s::RESTORED, &[&title_of(model, &path)]);
            model.say(Tone::Good, message);
        }
        Move::PutBack => {
            model.say(Tone::Good, Message::from(s::PUT_BACK));
            effects.extend(model.verify());
            return effects;
        }
        Move::Restored => {
            let in_history = model.screen == Screen::History;
            model.say(Tone::Good, Message::from(if in_history { s::ENTRY_RESTORED } else { s::PUT_BACK }));
            effects.extend(model.read_history_again());
        }
    }
    match how {
        Move::Redone => model.inbox.redone = Some(path.clone()),
        Move::RedoUndone => model.inbox.redone = None,
        // What was removed before cannot come back over this record.
        Move::PutBack | Move::Restored => drop(model.inbox.redone.take_if(|redone| *redone == path)),
    }
    if matches!(model.screen, Screen::Inbox | Screen::History) {
        model.form.take_if(|form| form.path == path);
    }
    model.receipt.take_if(|written| written.path == path);
    effects
}

/// Said where it concerns: on the gate's own form as long as it lasts, else once.
fn draft_trouble(model: &mut Model, answer_path: &JsString, trouble: Option<Message>) {
    model.change_status(|model| {
        let concerned =
            |form: &&mut Form| form.packet.gate.as_ref().is_some_and(|gate| gate.answer_path == *answer_path);
        match (model.form.as_mut().filter(concerned), trouble) {
            (Some(form), trouble) => form.status.unkept = trouble,
            (None, Some(trouble)) => model.say(Tone::Bad, trouble),
            (None, None) => {}
        }
    });
}
