//! The words behind a form: what the row under the cursor means, and the whole question.

use super::detail::{kind, write_refusal};
use super::line::{Line, Role};
use super::sheet::Sheet;
use crate::ask::{Kind, Question, Reply};
use crate::console::layout;
use crate::console::model::{Form, Model, Row};
use crate::console::sentences as s;
use crate::text::{Safe, width};

/// From this height on the pane repeats the label of the row, which is shown right above it.
const ROOM_FOR_LABEL: u16 = 4;

/// Writes what stands in the pane below the rows.
pub(super) fn write_context(model: &Model, sheet: &mut Sheet) {
    let Some(form) = &model.form else { return };
    let Some((question, reply)) = form.question().zip(form.reply()) else { return };
    if question.kind != Kind::FreeText {
        let roomy = layout::form_of(model, form).context.height >= ROOM_FOR_LABEL;
        write_row(model, (form, question, reply), roomy, sheet);
    }
    write_changes(form, question, sheet);
    write_orphans(form, sheet);
}

/// What is asked differently here since the form was opened.
fn write_changes(form: &Form, question: &Question, sheet: &mut Sheet) {
    let mut changes = form.standing.changes_of(&question.id).peekable();
    if changes.peek().is_none() {
        return;
    }
    sheet.heading(s::CHANGED);
    for change in changes {
        super::changes::write_change(change, sheet);
    }
}

/// Writes the whole question and what is known about its gate.
pub(super) fn write_question(model: &Model, sheet: &mut Sheet) {
    let Some(form) = &model.form else { return };
    let Some((question, reply)) = form.question().zip(form.reply()) else { return };
    let lang = sheet.lang;
    let header = Line::of(Role::Text, &question.header.display()).gap(2);
    sheet.beside(&header, Role::Dim, &kind(question, lang));
    sheet.blank();
    sheet.text(Role::Title, &question.question.display(), 0);
    if question.kind != Kind::FreeText {
        sheet.blank();
        write_row(model, (form, question, reply), true, sheet);
    }
    write_changes(form, question, sheet);
    write_orphans(form, sheet);
    let standing = &form.standing;
    let urgent = standing.unkept.iter().chain(&standing.banner);
    for banner in urgent.chain(&standing.conflict).chain(&standing.elsewhere) {
        sheet.blank();
        sheet.beside(&Line::of(Role::Warn, "▲ "), Role::Text, &banner.text(lang));
    }
    if let Some(refusal) = &form.standing.refusal {
        sheet.blank();
        write_refusal(refusal, sheet);
    }
    sheet.heading(s::ANSWERS_GO_TO);
    if let Some(gate) = &form.packet.gate {
        sheet.text(Role::Text, &gate.answer_path.display(), 2);
    }
}

fn write_row(
    model: &Model,
    (form, question, reply): (&Form, &Question, &Reply),
    roomy: bool,
    sheet: &mut Sheet,
) {
    let lang = sheet.lang;
    match form.current_row() {
        Some(Row::Option(place)) => {
            let option = &question.options[place];
            let label = option.label.display();
            if roomy || width::cells(&Safe::line(&label)) > layout::label_cap(model.size.width) {
                sheet.text(Role::Title, &label, 0);
            }
            sheet.text(Role::Text, &option.description.display(), 0);
        }
        Some(Row::Own(place)) => {
            sheet.say(Role::Dim, s::OWN);
            if let Some(words) = reply.own().nth(place) {
                sheet.text(Role::Text, &words.display(), 0);
            }
        }
        Some(Row::Other) => {
            sheet.say(Role::Dim, s::OTHER_MEANS);
            if let Some(words) = reply.own().next().filter(|_| question.kind == Kind::SingleChoice) {
                sheet.text(Role::Text, &words.display(), 0);
            }
            if !reply.other.trim().is_empty() {
                sheet.text(Role::Warn, &s::OTHER_NOT_TAKEN.fill(lang, &[&reply.other]), 0);
            }
        }
        None => sheet.say(Role::Dim, s::NO_OPTION_PASSES),
    }
}

pub(super) fn write_orphans(form: &Form, sheet: &mut Sheet) {
    if form.standing.orphans.is_empty() {
        return;
    }
    sheet.heading(s::ORPHANS);
    for orphan in &form.standing.orphans {
        let first = Line::of(Role::Warn, "▲ ").add(Role::Dim, &orphan.id.display()).gap(2);
        sheet.beside(&first, Role::Text, &orphan.words.display());
    }
}
