//! The record as it will be written, byte for byte but for the time, which is that of the submission.

use super::detail::{pointer, write_problem, write_whole};
use super::sheet::Sheet;
use crate::ask::Problem;
use crate::ask::cause::Cause;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::console::view::line::{LineExt, line};

/// Who signs.
const SIGNATURE: &str = "human";
const TIME: &str = "…";

/// Writes the page.
pub(super) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let Some(form) = &model.form else { return };
    let lang = sheet.lang;
    // Beside the answers, the path stands below them.
    if let Some(gate) = form.gate.packet.gate.as_ref().filter(|_| model.over.is_some()) {
        sheet.say(Role::Dim, s::WRITTEN_TO);
        sheet.text(Role::Text, &gate.answer_path.display(), 0);
        sheet.blank();
    }
    let json = form.draft.record(form.spec(), TIME, &SIGNATURE.into()).to_json();
    let time = format!("  \"answered_at\": \"{TIME}\",");
    // The topic and the answers stand above, so the last such line is the record's own.
    let own = json.lines().count().saturating_sub(3);
    for (at, text) in json.lines().enumerate() {
        if at == own && text == time {
            let end = line(theme[Role::Text], &time).gap(2);
            sheet.beside(&end, Role::Dim, s::WHEN_SUBMITTED.text(lang));
        } else {
            sheet.text(Role::Text, text, 0);
        }
    }
    write_left_out(form.left_out(), form.causes(), sheet);
}

/// What of the bad record does not come into this one.
fn write_left_out(problems: &[Problem], causes: &[Cause], sheet: &mut Sheet<'_>) {
    if problems.is_empty() {
        return;
    }
    sheet.heading(s::NOT_TAKEN_OVER);
    write_whole(causes, sheet);
    for problem in problems {
        sheet.marked((Role::Warn, "▲ "), Role::Text, pointer(problem, sheet.lang));
        write_problem(problem, causes, sheet);
    }
}
