//! The receipt: what was written, that it was read back, and what the executor has made of it since.

use crate::ask::compare::Pair;
use crate::ask::{JsString, SIGNATURE};
use crate::console::action::Action;
use crate::console::draw::layout;
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::record::{answer_words, meaning_of, shortened, write_answers, write_note};
use crate::console::draw::sheet::Sheet;
use crate::console::hearing;
use crate::console::inbox::outputs::write_outputs;
use crate::console::model::{COARSE, Model, Receipt, Replacement, Written, WrittenStatus};
use crate::console::review::batch::BatchRecord;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::platform::paths::Shown as _;
use crate::text::{Sentence, say};
use std::time::SystemTime;

/// From this height on there are blank lines.
const ROOMY: u16 = 14;
/// Characters of an answer that are shown; the page shows all.
const ANSWER_SHOWN: usize = 200;
/// Records of other packets that are named; the page names all.
const NAMED: usize = 8;
/// Words in no record that are named; the page names all.
const BESIDE: usize = 3;
/// Answers of another record that are named.
const DIFFERENCES: usize = 20;

pub(crate) fn write(model: &Model, written: &Written, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let roomy = layout::receipt(model.size).height >= ROOMY;
    let gap = |sheet: &mut Sheet<'_>| {
        if roomy {
            sheet.blank();
        }
    };
    sheet.line(|| line(theme[Role::Good], "✓ ").add(theme[Role::Title], s::WRITTEN.text(model.lang)));
    sheet.text(Role::Text, &written.title, 2);
    gap(sheet);
    chosen(model, written, sheet);
    beside(written, sheet);
    if sheet.whole {
        sheet.blank();
        facts(&written.receipt, sheet);
    }
    if !written.batch.is_empty() {
        gap(sheet);
        sheet.say(Role::Dim, say("The same answers for other packets:", "其他指令包（同样的回答）："));
        write_outcomes(&written.batch, s::BATCH_WRITTEN, sheet.whole, sheet);
    }
    if written.can_take_back() && !written.batch.is_empty() {
        take_back_hint(sheet);
    }
    let mut receipts = written.batch.iter().filter_map(|record| record.done.as_ref().ok());
    if !written.receipt.durable || receipts.any(|receipt| !receipt.durable) {
        gap(sheet);
        warn(s::NOT_DURABLE, &[], sheet);
    }
    let lost = written.is_lost();
    if !lost {
        gap(sheet);
        progress(model, written, sheet);
    }
    if written.progress.is_outdated {
        sheet.marked(Role::Warn, "▲ ", Role::Warn, &sheet.voice.fill(s::OUTDATED_MEANS, &[]));
    }
    if !written.progress.status.is_intact() && !written.progress.is_taken() {
        gap(sheet);
        status(model, written, sheet);
    }
    if lost && written.progress.past {
        gap(sheet);
        passed(written, sheet);
    }
    gap(sheet);
    next(model, written, roomy, sheet);
}

fn warn(says: Sentence, parts: &[&str], sheet: &mut Sheet<'_>) {
    sheet.marked(Role::Warn, "▲ ", Role::Warn, &says.fill(sheet.lang, parts));
}

/// What the author has answered: one answer in a sentence, several below it.
fn chosen(model: &Model, written: &Written, sheet: &mut Sheet<'_>) {
    let (lang, at) = (sheet.lang, model.local_time(written.at));
    let most = if sheet.whole { usize::MAX } else { ANSWER_SHOWN };
    let Some(gate) = &written.packet.gate else { return };
    let record = written.record_in(lang);
    if let ([question], [(_, given)], [(_, answer)]) =
        (&gate.spec.questions[..], &written.record.answers[..], &record.answers[..])
    {
        let is_option = |value: &JsString| question.options.iter().any(|option| option.label == *value);
        let says = match given.values().iter().any(is_option) {
            _ if written.defaults.contains(&question.id) => s::DEFAULT_STANDS,
            true => s::YOU_CHOSE,
            false => s::YOU_WROTE,
        };
        let words = says.fill(lang, &[&at, &answer_words(answer, most, lang)]);
        sheet.meant(&Line::default().gap(2), Role::Text, &words, meaning_of(question, given).as_deref());
        return write_note(question, &record, most, 2, sheet);
    }
    sheet.text(Role::Text, &say("Your answers ({0}):", "{0}，你的回答：").fill(lang, &[&at]), 2);
    write_answers(gate, &record, &written.defaults, most, sheet);
}

/// What the author has typed and the record does not have.
fn beside(written: &Written, sheet: &mut Sheet<'_>) {
    let named = if sheet.whole { usize::MAX } else { BESIDE };
    for words in written.beside.iter().take(named) {
        let words = if sheet.whole { words.clone() } else { shortened(words, ANSWER_SHOWN) };
        warn(s::IN_NO_RECORD, &[&words], sheet);
    }
    let rest = written.beside.len().saturating_sub(named);
    if rest > 0 {
        let more = s::MORE_BELOW.fill(sheet.lang, &[&rest.to_string()]);
        sheet.text(Role::Accent, &more, 2);
    }
}

fn facts(receipt: &Receipt, sheet: &mut Sheet<'_>) {
    let path = receipt.path.shown();
    sheet.labelled(2, &[(say("record", "记录"), &path), (say("sha256", "sha256"), &receipt.sha256)]);
}

/// How far the executor is, as the files tell: waiting, outputs made since the record was written, step passed.
fn progress(model: &Model, written: &Written, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let outputs = &written.progress.outputs;
    let since = written.at.checked_sub(COARSE).unwrap_or(written.at);
    let made = |then: SystemTime| then >= since;
    let new = outputs.iter().filter(|output| output.modified.is_some_and(made)).count();
    let missing =
        outputs.iter().filter(|output| output.required && !output.modified.is_some_and(made)).count();
    if written.progress.past {
        passed(written, sheet);
    } else if written.is_ahead() {
        let says =
            say("Decided ahead: the step does not ask this any more.", "已提前决定：这一步不会再问这个。");
        sheet.marked(Role::Good, "✓ ", Role::Text, says.text(sheet.lang));
    } else if written.progress.orphaned {
        sheet.say(Role::Dim, s::ORPHANED);
    } else {
        let is_asked_on = model.next_waiting().is_some_and(|entry| written.is_followed_by(entry));
        let (sign, role, says) = match (new, missing) {
            _ if is_asked_on => (
                "● ",
                Role::Waiting,
                say("The step waits for your next answer.", "这一步还在等你的下一个回答。"),
            ),
            (0, _) => ("● ", Role::Waiting, say("Waiting for the executor …", "等待执行器…")),
            (_, 0) => ("✓ ", Role::Good, say("The step's outputs are there.", "本步产出已齐。")),
            _ => ("● ", Role::Waiting, say("The executor is working …", "执行器正在执行…")),
        };
        sheet.line(|| line(theme[role], sign).add(theme[Role::Text], says.text(model.lang)));
    }
    write_outputs(model, outputs, Some(since), sheet);
    hearing::write(
        written.progress.hearing.as_ref(),
        written.packet.step.as_ref(),
        &written.path,
        &model.local_now(),
        sheet,
    );
}

/// That one key takes the records back; but for those that a step has made use of by then.
pub(crate) fn take_back_hint(sheet: &mut Sheet<'_>) {
    sheet.text(Role::Text, &sheet.voice.fill(s::TAKE_BACK_HINT, &[]), 2);
}

/// What became of each packet's record, those first of which there is something to say; `proven`, where each is, and its
/// hash.
pub(crate) fn write_outcomes(records: &[BatchRecord], done: Sentence, proven: bool, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let mut sorted: Vec<&BatchRecord> = records.iter().collect();
    let is_odd = |record: &&BatchRecord| record.lost.is_some() || record.unnoted.is_some();
    sorted.sort_by_key(|record| (record.done.is_ok(), !is_odd(record)));
    let odd = sorted.partition_point(|record| record.done.is_err() || is_odd(record));
    let named = if sheet.whole { sorted.len() } else { odd.max(NAMED).min(sorted.len()) };
    for record in &sorted[..named] {
        let (role, sign, words) = match (&record.done, &record.unnoted) {
            (Err(why), _) => (Role::Bad, "✕ ", why.text(lang)),
            (Ok(_), _) if let Some(lost) = record.lost => (Role::Warn, "▲ ", lost.text(lang).to_owned()),
            (Ok(_), Some(why)) => (Role::Warn, "▲ ", why.text(lang)),
            (Ok(_), None) => (Role::Good, "✓ ", done.text(lang).to_owned()),
        };
        let first = line(theme[role], sign).add(theme[Role::Text], &record.title).gap(2);
        sheet.beside(&first, if role == Role::Good { Role::Dim } else { Role::Warn }, &words);
        if let Some(receipt) = record.done.as_ref().ok().filter(|_| proven) {
            facts(receipt, sheet);
        }
    }
    if named < sorted.len() {
        let more = sheet.voice.fill(s::BATCH_MORE, &[&(sorted.len() - named).to_string()]);
        sheet.line(|| Line::default().gap(2).add(theme[Role::Accent], &more));
    }
}

fn passed(written: &Written, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let says = if written.progress.relayed { s::TAKEN_OVER } else { s::STEP_PASSED };
    sheet.line(|| line(theme[Role::Good], "✓ ").add(theme[Role::Text], says.text(lang)));
}

fn status(model: &Model, written: &Written, sheet: &mut Sheet<'_>) {
    match &written.progress.status {
        WrittenStatus::Intact => {}
        WrittenStatus::Gone if written.progress.past => {
            sheet.text(Role::Dim, s::RECORD_CLEARED.text(sheet.lang), 2);
        }
        WrittenStatus::Gone => {
            warn(say("The record is gone: somebody removed it.", "记录已不在：有人移走了它。"), &[], sheet);
            sheet.text(Role::Text, &sheet.voice.fill(s::PUT_BACK_HINT, &[]), 2);
        }
        WrittenStatus::Replaced(theirs) => replaced(model, theirs, sheet),
    }
}

fn replaced(model: &Model, theirs: &Replacement, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let ago = theirs.at.map(|then| model.ago(then)).unwrap_or_default();
    let by = theirs.by.as_ref().map(|by| by.display().into_owned());
    match (&by, &theirs.sha256) {
        (Some(by), _) if by == SIGNATURE => {
            warn(
                say(
                    "The record was replaced from another place, answered {0}.",
                    "记录已在另一处被替换（{0}）。",
                ),
                &[&ago],
                sheet,
            );
        }
        (Some(by), _) => warn(s::REPLACED_BY, &[by, &ago], sheet),
        (None, Some(_)) => warn(s::REPLACED_BY_INVALID, &[&ago], sheet),
        (None, None) => return warn(s::REPLACED_BY_NO_FILE, &[], sheet),
    }
    if by.is_some() && theirs.differs.is_empty() {
        sheet.text(Role::Dim, say("It gives the same answers.", "回答相同。").text(lang), 2);
    }
    for change in theirs.differs.iter().take(DIFFERENCES) {
        write_change(change, sheet);
    }
    if theirs.differs.len() > DIFFERENCES {
        let rest = (theirs.differs.len() - DIFFERENCES).to_string();
        sheet.text(Role::Dim, &s::MORE_DIFFERENCES.fill(lang, &[&rest]), 2);
    }
    sheet.text(Role::Text, &sheet.voice.fill(s::PUT_BACK_REPLACED_HINT, &[]), 2);
}

/// One answer that differs: whose it is stands in words.
fn write_change(change: &Pair, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.text(Role::Dim, &change.header.as_ref().unwrap_or(&change.id).display(), 2);
    let none = || s::NOT_ANSWERED.text(lang).to_owned();
    let words = [&change.before, &change.after]
        .map(|answer| answer.as_ref().map_or_else(none, |answer| answer.shown(lang)));
    sheet.labelled(4, &[(say("yours", "你的"), &words[0]), (say("theirs", "现有"), &words[1])]);
}

fn next(model: &Model, written: &Written, roomy: bool, sheet: &mut Sheet<'_>) {
    if written.is_ahead() {
        let says = say("{accept} goes to what is decided next.", "按 {accept} 决定下一个。");
        return sheet.link(Action::Accept, |sheet| sheet.say(Role::Text, says));
    }
    let Some(entry) = model.next_waiting() else {
        let waits_again =
            model.inbox.entries.iter().any(|entry| entry.waits() && *entry.path == *written.path);
        if !waits_again {
            return sheet.say(Role::Dim, say("Nothing else waits.", "没有其他等待的门控。"));
        }
        let says = say(
            "This gate waits again: {accept} goes to it in the inbox.",
            "这个门控又在等待：按 {accept} 返回列表就能看到它。",
        );
        return sheet.link(Action::Accept, |sheet| sheet.say(Role::Text, says));
    };
    let topic = entry.topic.as_ref().filter(|_| roomy).map(|topic| format!("  {}", topic.display()));
    let label = if written.is_followed_by(entry) {
        say("next question of this step", "这一步的下一问")
    } else {
        say("next gate", "下一个门控")
    };
    let first = line(sheet.theme[Role::Dim], label.text(sheet.lang)).gap(2);
    let words = format!("{}{}", entry.title(), topic.unwrap_or_default());
    sheet.link(Action::Accept, |sheet| sheet.beside(&first, Role::Text, &words));
}
