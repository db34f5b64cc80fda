//! The record as it will be written, byte for byte but for the time, which is that of the submission; behind it those of
//! other packets that are answered too.

use super::batch::BatchGate;
use crate::ask::{Draft, QuestionSpec, SIGNATURE};
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::form::Form;
use crate::console::form::page::write_warnings;
use crate::console::sent_back;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::platform::paths::Shown as _;
use crate::store::returned::Why;
use crate::text::{Sentence, say};

const TOLD: Sentence = say("No record is written; the executor is told:", "不写入记录；会告诉执行器：");
const WITHOUT_REASON: Sentence =
    say("(no reason; {review.note} writes one as a note)", "（没有理由；按 {review.note} 写在备注里）");
const TIME: &str = "…";
/// Other gates whose records are shown whole.
const WHOLE: usize = 20;

pub(crate) fn write(form: &Form, sheet: &mut Sheet<'_>) {
    let taken = form.status.batch_taken();
    if !taken.is_empty() {
        sheet.text(Role::Title, &form.gate.title(), 0);
    }
    if let Some(path) = form.gate.answer_path() {
        sheet.say(Role::Dim, s::WRITTEN_TO);
        sheet.text(Role::Text, &path.display(), 0);
        sheet.blank();
    }
    write_record(&form.draft, form.spec(), sheet);
    let (whole, rest) = taken.split_at(WHOLE.min(taken.len()));
    for &other in whole {
        sheet.blank();
        write_gate(form, other, sheet);
    }
    write_rest(rest, sheet);
}

/// What the executor is told in place of a record.
pub(crate) fn write_refusal(form: &Form, sheet: &mut Sheet<'_>) {
    let Some(why) = Why::in_answers(form.spec(), json(&form.draft, form.spec()).as_bytes()) else { return };
    if sheet.whole {
        write_warnings(form, sheet);
    }
    sheet.marked(Role::Warn, "↩ ", Role::Warn, TOLD.text(sheet.lang));
    sent_back::write_why(why.choice.as_ref(), why.does_not_apply.as_deref(), &why.reason, form.spec(), sheet);
    if why.reason.is_blank() {
        sheet.text(Role::Dim, &sheet.voice.fill(WITHOUT_REASON, &[]), 2);
    }
}

/// The gates behind those, in one line each: the same questions have the same record.
fn write_rest(rest: &[&BatchGate], sheet: &mut Sheet<'_>) {
    if rest.is_empty() {
        return;
    }
    sheet.blank();
    let more = say("… and {0} more, with the same answers", "… 另有 {0} 个，回答相同");
    sheet.text(Role::Title, &more.fill(sheet.lang, &[&rest.len().to_string()]), 0);
    let theme = sheet.theme;
    for BatchGate { gate, .. } in rest {
        let place = gate.answer_path().map(|path| path.display()).unwrap_or_default();
        let named = line(theme[Role::Text], &gate.title()).add(theme[Role::Dim], " → ");
        sheet.line(|| named.add(theme[Role::Text], &place));
    }
}

fn write_gate(form: &Form, BatchGate { gate, has_draft, .. }: &BatchGate, sheet: &mut Sheet<'_>) {
    sheet.text(Role::Title, &gate.title(), 0);
    let (topic, path) = (gate.spec().topic.display(), gate.path.shown());
    let target = gate.answer_path().map(|path| path.display()).unwrap_or_default();
    sheet.labelled(0, &[(say("topic", "主题"), &topic), (s::PACKET, &path), (s::ANSWERS_GO_TO, &target)]);
    if *has_draft {
        sheet.marked(Role::Warn, "◐ ", Role::Warn, s::BATCH_DRAFT.text(sheet.lang));
    }
    write_record(&form.draft, gate.spec(), sheet);
}

pub(crate) fn json(draft: &Draft, spec: &QuestionSpec) -> String {
    draft.record(spec, TIME, &SIGNATURE.into()).to_json()
}

fn write_record(draft: &Draft, spec: &QuestionSpec, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let json = json(draft, spec);
    let time = format!("  \"answered_at\": \"{TIME}\",");
    for text in json.lines() {
        if text == time {
            let end = line(theme[Role::Text], &time).gap(2);
            sheet.beside(&end, Role::Dim, say("(when you submit)", "（提交时的时间）").text(sheet.lang));
        } else {
            sheet.text(Role::Text, text, 0);
        }
    }
}
