//! The open gate: it opens, its packet or its record changes, its record is not written.
//!
//! Contract: the answers so far are never dropped. A changed packet carries them over, a lost race keeps them. The winner
//! may have removed the draft together with its own, so it is saved again.

use super::super::effect::{Effect, RecordSeen, Reloaded, Unwritten};
use super::super::model::{
    Banner, BannerTopic, Focus, Form, LoadedGate, Message, Model, OpenedGate, Over, Prompt, Screen, Tone,
};
use super::guard;
use crate::store::clock::local_time_of;
use crate::text::{Lang, Sentence, say};
use std::path::Path;
use std::time::SystemTime;

const YOURS_ABOVE_THE_RECORD: Sentence = say(
    "Your own earlier answers are back and come before those of the bad record. Both are shown; {other-answer} \
     switches between them.",
    "已恢复你自己先前的回答，它们优先于无效记录中的内容。两者都会显示，按 {other-answer} 换成另一个。",
);

const ANSWER_FITS_AGAIN: Sentence =
    say("Your answer to {0} fits again and is filled in.", "你对“{0}”的回答又适用了，已重新填入。");
const ANSWERS_FIT_AGAIN: Sentence =
    say("{1} of your answers fit again and are filled in.", "你有 {1} 项回答又适用了，已重新填入。");

pub(super) fn open(model: &mut Model, mut opened: OpenedGate) -> Vec<Effect> {
    let kept = model.form.take().filter(|form| form.gate.path == opened.gate.path);
    if let Some(kept) = kept.as_ref().filter(|form| form.draft.is_authors()) {
        // The form that stayed open behind the inbox is newer than any draft on the disk.
        kept.restore_into(&mut opened);
    }
    if let Some(saved) = &opened.restored {
        model.inbox.drafts.insert(opened.gate.path.clone(), opened.draft.progress());
        let now = model.local_now();
        let at = [Lang::En, Lang::ZhCn].map(|lang| local_time_of(saved, &now, lang));
        model.say(
            Tone::Plain,
            Message::new(
                say(
                    "Your earlier answers are back (kept {0}). Nothing is written until you submit.",
                    "已恢复之前的回答（保存于{1}）。提交前不会写入。",
                ),
                &[&at[0], &at[1]],
            ),
        );
    }
    if let Some(greeting) = &opened.greeting {
        model.say(Tone::Plain, greeting.clone());
    }
    let set_aside = opened.set_aside.clone();
    let repairs = opened.status.repair.is_some();
    let need = opened.in_need().filter(|_| repairs);
    opened.at = need.unwrap_or(opened.at);
    model.receipt = None;
    let mut form = Form::open(opened);
    if let Some(kept) = &kept {
        form.inherit_earlier(kept);
    }
    let again = answers_again(&form, form.status.again.len());
    let saves = again.is_some();
    if let Some(again) = again {
        model.say(Tone::Good, again);
    }
    if repairs && form.contested() > 0 {
        model.say(Tone::Plain, YOURS_ABOVE_THE_RECORD);
    }
    if let Some(why) = set_aside {
        model.say(Tone::Warn, why);
    }
    if form.status.warnings.elsewhere.is_some() {
        // It would hide the warning for as long as the author types; what is back may be the other console's.
        model.notice.take_if(|notice| notice.tone == Tone::Plain);
    }
    let changed = !form.status.changes.is_empty();
    form.status.warnings.banner = changed.then(|| Banner::packet_changed(&form.status));
    model.form = Some(form);
    model.screen = Screen::Form;
    model.over = None;
    super::drift::note_conflict(model);
    // With nothing left to decide, the review is all that the author needs.
    let mut effects = if repairs && need.is_none() { model.show_review(false) } else { Vec::new() };
    effects.extend(model.form.as_ref().map(|form| Effect::ListStory(form.gate.path.clone())));
    if saves {
        // Said once: the draft is for the questions as they are now.
        effects.extend(model.save());
    }
    effects
}

/// Says that the last so many answers are filled in again.
fn answers_again(form: &Form, count: usize) -> Option<Message> {
    let last = form.status.again[..count].first()?;
    let (_, question) = form.spec().find(last)?;
    let says = if count == 1 { ANSWER_FITS_AGAIN } else { ANSWERS_FIT_AGAIN };
    Some(Message::new(says, &[&question.header.display(), &count.to_string()]))
}

pub(super) fn reloaded(model: &mut Model, reloaded: Reloaded) -> Vec<Effect> {
    let too_late = matches!(reloaded, Reloaded::Same(_, Some(_)));
    let before = shown(model);
    let mut effects = model.change_status(|model| apply_reloaded(model, reloaded));
    let changed = shown(model) != before;
    // The words of an open filter may be own words since.
    let filtering = model.form.as_ref().is_some_and(|form| form.focus == Focus::Filter);
    if too_late || changed && filtering {
        effects.extend(model.save());
    }
    if changed {
        // The author was asked about what is no longer there.
        model.over.take_if(|over| matches!(over, Over::Prompt(Prompt::ReplaceForeign(_)) | Over::Packets));
    }
    effects
}

/// The questions of the form and the bad record that it shows, by their hashes.
fn shown(model: &Model) -> Option<(String, Option<String>)> {
    let form = model.form.as_ref()?;
    Some((form.gate.spec_hash.clone(), form.status.repair.as_ref().map(|repair| repair.seen.clone())))
}

fn apply_reloaded(model: &mut Model, reloaded: Reloaded) -> Vec<Effect> {
    let asks_else = |gate: &LoadedGate| {
        let form = model.form.as_ref().filter(|form| form.gate.path == gate.path);
        form.is_some_and(|form| form.gate.spec_hash != gate.spec_hash)
    };
    match reloaded {
        // The same as when it was asked for; the form has moved on.
        Reloaded::Same(gate, _) if asks_else(&gate) => {
            change_questions(model, gate);
            return model.reload().into_iter().collect();
        }
        Reloaded::Same(gate, record) => {
            let until = in_review(model);
            if let Some(form) = open_form(model, &gate.path) {
                form.status.warnings.banner.take_if(|banner| banner.topic == BannerTopic::Packet);
                form.gate.refusal = gate.refusal;
                apply_record_state(form, record, until);
                if super::drift::answer_path_changed(form, gate.packet) {
                    return model.save();
                }
            }
        }
        Reloaded::Changed(gate) => {
            change_questions(model, gate);
            // The files may have changed again while the result was on its way.
            return model.reload().into_iter().collect();
        }
        Reloaded::Gone(path, why) => {
            if let Some(form) = open_form(model, &path) {
                form.status.warnings.banner = Some(Banner::new(BannerTopic::Packet, why));
            }
        }
    }
    Vec::new()
}

/// The end of the guard that begins if the bad record has changed: the review shows what it says.
fn in_review(model: &Model) -> Option<SystemTime> {
    (model.screen == Screen::Review).then(|| guard::end(model))
}

/// Applies the record that lies there now to the form.
fn apply_record_state(form: &mut Form, record: Option<RecordSeen>, guard: Option<SystemTime>) {
    let mut refill = false;
    let status = &mut form.status;
    let changed = status
        .warnings
        .banner
        .take_if(|banner| matches!(banner.topic, BannerTopic::Questions | BannerTopic::AnswerPath));
    let Some(was) = status.repair.take() else {
        status.warnings.banner = record.map(|seen| record_banner(&seen)).or(changed);
        return;
    };
    match record {
        Some(RecordSeen { by: None, bad: Some(bad), .. }) => {
            let (repair, before) = *bad;
            if repair.seen != was.seen {
                status.warnings.banner = Some(Banner::new(
                    BannerTopic::Record,
                    Message::from(say(
                        "The record has changed since it was shown; this is how it is now. Your answers are kept.",
                        "记录在显示之后发生了变化，现在显示的是最新内容。你的回答已保留。",
                    )),
                ));
                status.moved_until = guard.or(status.moved_until);
            }
            status.repair = Some(repair);
            status.before = Some(before);
            refill = true;
        }
        Some(other) => status.warnings.banner = Some(record_banner(&other)),
        None => {
            status.warnings.banner = Some(Banner::new(
                BannerTopic::Record,
                Message::from(say(
                    "The bad record is gone. Submitting writes a new one; your answers are kept.",
                    "无效的记录已不在。提交时写入新的记录，你的回答已保留。",
                )),
            ));
        }
    }
    if changed.is_some() {
        status.warnings.banner = changed;
    }
    if refill {
        form.refill();
    }
}

fn record_banner(seen: &RecordSeen) -> Banner {
    let message = match (&seen.odd, &seen.by) {
        (Some(odd), _) => Message::new(
            say(
                "There is {0} where the record should be. Nothing can be written until it is moved away; \
                 your answers are kept.",
                "记录的位置上是{1}，不是文件。移走它之前无法写入；回答已保留。",
            ),
            &[&odd.text(Lang::En), &odd.text(Lang::ZhCn)],
        ),
        (None, Some(by)) => Message::new(
            say(
                "There is already a record by {0}. Yours was not written; your answers are kept.",
                "{0} 已经写入记录。你的回答未写入，已保留。",
            ),
            &[by],
        ),
        (None, None) => Message::from(say(
            "There is already an invalid record. Yours was not written; your answers are kept. Back in \
             the inbox, {inbox.accept} repairs that record with them.",
            "那里已有一份无效的记录。你的回答未写入，已保留。回到列表按 {inbox.accept}，可用它们修复那份记录。",
        )),
    };
    // What is no file is no record that a key removes.
    let topic = if seen.odd.is_some() { BannerTopic::Record } else { BannerTopic::OtherRecord };
    Banner::new(topic, message)
}

/// The packet asks something else now: the answers that fit stay, the others are shown.
fn change_questions(model: &mut Model, gate: LoadedGate) {
    let (until, screen) = (guard::end(model), model.screen);
    let seen = model.over.is_none() && matches!(screen, Screen::Form | Screen::Review);
    let Some(form) = open_form(model, &gate.path) else { return };
    if form.gate.spec_hash == gate.spec_hash {
        form.gate.refusal = gate.refusal;
        super::drift::answer_path_changed(form, gate.packet);
        return;
    }
    let mut next = form.carried_over_to(gate);
    let moved = seen && (screen == Screen::Review || guard::aim(form) != guard::aim(&next));
    next.status.guarded_until = if moved { Some(until) } else { form.status.guarded_until };
    // Questions that are as they were at the start need no second look.
    next.status.warnings.banner = next.status.has_changes().then(|| Banner::packet_changed(&next.status));
    let is_of_questions = |banner: &Banner| banner.topic == BannerTopic::Questions;
    let warned = form.status.warnings.banner.as_ref().is_some_and(is_of_questions);
    let again = answers_again(&next, next.status.again.len() - form.status.again.len());
    let is_as_at_first = again.is_none() && !next.status.has_changes();
    *form = next;
    if let Some(again) = again {
        model.say(Tone::Good, again);
    }
    if matches!(model.screen, Screen::Review | Screen::Receipt) {
        model.screen = Screen::Form;
    }
    if is_as_at_first && (warned || screen == Screen::Review) {
        model.say(Tone::Plain, say("The packet asks the same again.", "指令包又和开始时问的一样了。"));
    }
}

fn open_form<'m>(model: &'m mut Model, path: &Path) -> Option<&'m mut Form> {
    model.form.as_mut().filter(|form| form.gate.path == path)
}

const NOT_WRITTEN_MOVED: Sentence = say(
    "Not written: the record is not the one that was shown. Please look at it again; your answers are kept.",
    "未写入：记录已不是刚才显示的那一份。请再看一遍，你的回答已保留。",
);

/// A record was not written, and why.
pub(super) fn not_submitted(model: &mut Model, path: &Path, why: Unwritten) {
    if let Some(form) = open_form(model, path) {
        form.status.submitting = false;
    }
    match why {
        Unwritten::Exists(winner, odd) => {
            let by = winner.map(|record| record.answered_by.display().into_owned());
            let banner = record_banner(&RecordSeen { by, odd, bad: None });
            if let Some(form) = open_form(model, path) {
                form.status.warnings.banner = Some(banner);
            }
            model.say(
                Tone::Bad,
                say(
                    "Not written: a record came first. Your answers are kept.",
                    "未写入：别处先写入了记录。你的回答已保留。",
                ),
            );
        }
        Unwritten::Changed(gate) => {
            change_questions(model, gate);
            model.say(
                Tone::Warn,
                say(
                    "Not written: the questions have changed. Your answers are kept.",
                    "未写入：指令包的问题已变化。你的回答已保留。",
                ),
            );
        }
        Unwritten::Moved(record) => {
            let until = in_review(model);
            if let Some(form) = open_form(model, path) {
                apply_record_state(form, record, until);
            }
            model.say(Tone::Bad, NOT_WRITTEN_MOVED);
        }
        Unwritten::Failed(why) => model.say(Tone::Bad, why),
    }
}
