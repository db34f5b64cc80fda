//! What happens outside, and what it changes.
//!
//! Contract: a new packet never takes the author's screen away; it rings at most.

use super::super::effect::{DraftToSave, Effect, EffectResult, Move, Reply, Submitted};
use super::super::model::{
    Form, Message, Model, NoticeTopic, Over, Progress, Prompt, Screen, Tone, Written, WrittenStatus,
};
use super::super::sentences as s;
use super::guard;
use crate::ask::JsString;
use crate::store::entry::Entry;
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

/// Whether a result can change anything on the screen.
pub fn is_news(model: &Model, result: &EffectResult) -> bool {
    match result {
        _ if model.inbox.is_any_due(model.now) => true,
        EffectResult::Looked => model.project.gone,
        // A draft was saved, as after every key.
        EffectResult::DraftTrouble(_, None) => {
            leaving(model).is_some()
                || model.form.as_ref().is_some_and(|form| form.status.warnings.unkept.is_some())
        }
        EffectResult::Shared(_) => {
            model.form.as_ref().is_some_and(|form| form.status.warnings.elsewhere.is_none())
        }
        EffectResult::Loaded(detail) => model.inbox.detail.as_ref() != Some(detail.as_ref()),
        EffectResult::StoryRead(path, text) => model.story.text(path) != Some(text.as_ref()),
        EffectResult::Verified { path, progress } => model
            .receipt
            .as_ref()
            .is_some_and(|written| written.path == *path && written.progress != **progress),
        _ => true,
    }
}

pub fn apply(model: &mut Model, result: EffectResult) -> Vec<Effect> {
    // What the author has handed back is not missed.
    let handed_back = matches!(result, EffectResult::Reply(Reply::HandedBack(_)));
    let aim = guard::aim_in_inbox(model).filter(|_| !handed_back);
    let asked = guard::asked(model);
    let mut effects = super::later::wake(model);
    effects.extend(apply_result(model, result));
    guard::watch_inbox(model, aim);
    guard::watch_question(model, asked, false);
    effects
}

fn apply_result(model: &mut Model, result: EffectResult) -> Vec<Effect> {
    match result {
        EffectResult::Reply(reply) => {
            model.writing = None;
            return apply_reply(model, reply);
        }
        EffectResult::Entries { entries, complete } => return entries_changed(model, &entries, complete),
        EffectResult::Looked => {
            model.project.gone = false;
            return outputs_may_have_changed(model);
        }
        EffectResult::DraftsRead(drafts) => {
            for (path, progress) in drafts {
                // What is open here is newer.
                model.inbox.drafts.entry(path).or_insert(progress);
            }
        }
        EffectResult::LaterRead(marks) => {
            model.inbox.later.extend(marks);
            return super::later::resort(model);
        }
        EffectResult::Watching(mode) => model.inbox.watching = Some(mode),
        EffectResult::RootGone => {
            model.project.gone = true;
            model.notice.take_if(|notice| matches!(notice.tone, Tone::Good | Tone::Plain));
        }
        EffectResult::Loaded(detail) => model.inbox.detail = Some(*detail),
        EffectResult::Reloaded(reloaded) => return super::gate::reloaded(model, *reloaded),
        EffectResult::Verified { path, progress } => super::receipt::verified(model, &path, *progress),
        EffectResult::HistoryReread(found) => return super::history::refresh(model, *found),
        EffectResult::EntryLoaded(detail) => {
            if let Some(history) = &mut model.history {
                history.detail = Some(*detail);
            }
        }
        EffectResult::StoryListed(packet, files) => return super::story::listed(model, &packet, files),
        EffectResult::StoryRead(path, text) => super::story::apply(model, path, *text),
        EffectResult::EditNotKept(why) => {
            if matches!(model.over, Some(Over::Help(_))) {
                model.close_over();
            }
            if let Some(Over::Edited(edited, _)) = &mut model.over {
                edited.kept = false;
            }
            model.say(Tone::Bad, why);
        }
        EffectResult::BatchFound(path, spec_hash, gates) => {
            super::batch::found(model, &path, &spec_hash, gates);
        }
        EffectResult::DraftTrouble(answer_path, trouble) => {
            let saved = trouble.is_none();
            draft_trouble(model, &answer_path, trouble);
            // The author only waits for that.
            return leaving(model).filter(|_| saved).map(Effect::Leave).into_iter().collect();
        }
        EffectResult::Shared(answer_path) => shared(model, &answer_path),
        EffectResult::RecordLost(path) => record_lost(model, &path),
        EffectResult::Failed(why) => model.say(Tone::Bad, why),
    }
    Vec::new()
}

fn apply_reply(model: &mut Model, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Opened(opened) => super::gate::open(model, *opened),
        Reply::Submitting(submission, tried) => super::batch::go_on(model, submission, tried),
        Reply::Submitted(written) => submitted(model, *written),
        Reply::NotSubmitted(path, why) => {
            let title = model.inbox.title_of(&path);
            super::batch::not_submitted(model, (path, title), *why)
        }
        Reply::TakingBack(take_back, tried) => super::batch::taking_back(model, take_back, tried),
        Reply::Moved(how, path) => record_moved(model, how, &path),
        Reply::HandedBack(path) => super::inbox::handed_back(model, &path),
        Reply::Confirm(prompt) => model.show_over(Over::Prompt(prompt)),
        Reply::HistoryRead(found) => super::history::take(model, *found),
        Reply::EntryNotRestored(tone, why) => {
            model.say(tone, why);
            model.read_history_again().into_iter().collect()
        }
        Reply::StoryRead(path, text) => {
            super::story::apply(model, path, *text);
            Vec::new()
        }
        Reply::RecordText(edited, again) => super::edit::start(model, *edited, again),
        Reply::EditChecked(edited, verdict) => super::edit::checked(model, edited, verdict),
        Reply::Edited(back) => super::edit::from_editor(model, back),
        Reply::Failed(why) => {
            if let Some(form) = &mut model.form {
                form.status.submitting = false;
            }
            model.say(Tone::Bad, why);
            super::batch::failed(model)
        }
    }
}

/// Deleting the file is a redo too; a notice says so.
fn record_lost(model: &mut Model, path: &Path) {
    let shown =
        model.screen == Screen::Receipt && model.receipt.as_ref().is_some_and(|seen| seen.path == path);
    let ours = model.inbox.entry_at(path).is_some_and(|entry| model.inbox.is_removed_here(entry));
    if !shown && !ours {
        let message = Message::new(
            say(
                "The record of {0} was deleted: the gate waits again, with its last known answers filled in.",
                "{0} 的记录被删除，门控重新等待回答，表单会填入最后已知的回答。",
            ),
            &[&model.inbox.title_of(path)],
        );
        model.say_about(NoticeTopic::RecordDeleted, Tone::Warn, message);
    }
}

fn entries_changed(model: &mut Model, entries: &[Arc<Entry>], complete: bool) -> Vec<Effect> {
    let first = !model.inbox.complete;
    let new = if first { Vec::new() } else { super::announce::new_gates(model, entries) };
    model.project.gone = false;
    let lost = if first { None } else { model.inbox.lost_record(entries) };
    model.inbox.take(entries, complete);
    if model.inbox.redone.is_some() && model.redone().is_none() {
        // A newer record exists; drop the undo notice.
        model.notice.take_if(|notice| notice.topic == Some(NoticeTopic::Redone));
    }
    model.keep_in_sight();
    // Elsewhere the inbox is loaded when the author returns to it.
    let seen = model.screen == Screen::Inbox;
    let mut effects: Vec<Effect> = model.load_selected().filter(|_| seen).into_iter().collect();
    effects.extend(super::later::end(model).0);
    effects.extend(super::announce::announce(model, &new, false));
    super::drift::note_conflict(model);
    effects.extend(model.reload());
    effects.extend(model.verify());
    effects.extend(see_if_shared(model));
    effects.extend(super::story::list_again(model));
    effects.extend(lost.map(Effect::SeeIfLost));
    if complete {
        if first {
            effects.push(Effect::ReadDrafts(entries.to_vec()));
            effects.push(Effect::ReadLater(entries.to_vec()));
        }
        effects.push(Effect::NoteSeen(entries.to_vec()));
    }
    // After the new records have been noted.
    effects.extend(super::history::reread(model));
    effects
}

/// Looks again at what is on the screen and is neither packet nor record.
fn outputs_may_have_changed(model: &Model) -> Vec<Effect> {
    match model.screen {
        Screen::Receipt => model.verify().into_iter().collect(),
        Screen::Inbox => model.load_selected().into_iter().chain(super::story::reread(model)).collect(),
        Screen::History => super::history::reread(model).into_iter().collect(),
        Screen::Form | Screen::Review => {
            super::story::reread(model).into_iter().chain(see_if_shared(model)).collect()
        }
    }
}

/// The console that came first learns here of the other one, which learned of it when it opened the gate.
fn see_if_shared(model: &Model) -> Option<Effect> {
    let open = model.form.as_ref().filter(|_| matches!(model.screen, Screen::Form | Screen::Review));
    let form = open.filter(|form| form.status.warnings.elsewhere.is_none())?;
    Some(Effect::SeeIfShared(form.gate.packet.gate.as_ref()?.answer_path.clone()))
}

fn submitted(model: &mut Model, written: Submitted) -> Vec<Effect> {
    let batch = std::mem::take(&mut model.tried);
    let Submitted { path, packet, record, receipt, outputs, unnoted } = written;
    let form = model.form.take_if(|form| form.gate.path == path);
    let beside = form.as_ref().map(|form| form.to_save().beside_answers());
    let title = form.map_or_else(|| model.inbox.title_of(&path), |form| form.gate.title());
    // What was removed before cannot come back over this record.
    model.inbox.redone.take_if(|redone| *redone == path);
    super::batch::written(model, &batch);
    model.inbox.forget_draft(&path);
    if let Some(kept) = beside.filter(DraftToSave::is_authors) {
        model.inbox.drafts.insert(path.clone(), kept.draft.progress());
    }
    let progress = Progress { status: WrittenStatus::Intact, outputs, past: false, relayed: false };
    model.receipt = Some(Written { path, title, packet, record, receipt, at: model.now, progress, batch });
    model.screen = Screen::Receipt;
    model.over = None;
    if let Some(why) = unnoted {
        model.say(Tone::Bad, why);
    }
    vec![Effect::Look]
}

/// A record was removed or restored: looks again at what is shown, and drops a form behind the inbox, because the draft
/// on the disk is newer.
fn record_moved(model: &mut Model, how: Move, path: &Path) -> Vec<Effect> {
    let mut effects = vec![Effect::Look, Effect::Load(path.to_path_buf())];
    match how {
        Move::Redone => {
            model.inbox.redone = Some(path.to_path_buf());
            let message = say(
                "The record is removed and kept; the gate waits again. {undo-redo} puts it back.",
                "记录已移除并留存，门控重新等待回答。按 {undo-redo} 可恢复。",
            );
            model.say_about(NoticeTopic::Redone, Tone::Good, message);
        }
        Move::RedoUndone => {
            model.inbox.redone = None;
            let says =
                say("The removed record of {0} is back, byte for byte.", "已原样恢复 {0} 移除的记录。");
            model.say(Tone::Good, Message::new(says, &[&model.inbox.title_of(path)]));
        }
        Move::PutBack => {
            model.say(Tone::Good, s::PUT_BACK);
            effects.extend(model.verify());
            return effects;
        }
        Move::Restored => {
            // What was removed before cannot come back over this record.
            model.inbox.redone.take_if(|redone| redone == path);
            let in_entry = say("The record is back as it was in this entry.", "记录已恢复为此条目中的样子。");
            model.say(Tone::Good, if model.screen == Screen::History { in_entry } else { s::PUT_BACK });
            effects.extend(model.read_history_again());
        }
    }
    if matches!(model.screen, Screen::Inbox | Screen::History) {
        model.form.take_if(|form| form.gate.path == path);
    }
    let sharing = model.inbox.sharing(path);
    model.receipt.take_if(|written| sharing.contains(&written.path));
    effects
}

fn shared(model: &mut Model, answer_path: &JsString) {
    model.change_status(|model| {
        let form = model.form.as_mut().filter(|form| {
            form.gate.packet.gate.as_ref().is_some_and(|gate| gate.answer_path == *answer_path)
        });
        if let Some(form) = form {
            form.status.warnings.elsewhere.get_or_insert_with(|| Message::from(s::GATE_SHARED));
        }
    });
}

/// The exit code with which the author leaves as soon as everything is saved.
fn leaving(model: &Model) -> Option<i32> {
    match model.over {
        Some(Over::Prompt(Prompt::Leave(code, _))) => Some(code),
        _ => None,
    }
}

/// Shown on the gate's own form as long as it lasts, else once.
fn draft_trouble(model: &mut Model, answer_path: &JsString, trouble: Option<Message>) {
    model.change_status(|model| {
        let concerned = |form: &&mut Form| {
            form.gate.packet.gate.as_ref().is_some_and(|gate| gate.answer_path == *answer_path)
        };
        match (model.form.as_mut().filter(concerned), trouble) {
            (Some(form), trouble) => form.status.warnings.unkept = trouble,
            (None, Some(trouble)) => model.say(Tone::Bad, trouble),
            (None, None) => {}
        }
    });
}
