//! What the packet of the open form asks differently since the form was opened, and what was answered and fits no more.

use super::form::write_orphans;
use super::line::{Line, Role};
use super::sheet::Sheet;
use crate::ask::{Change, ChangeKind};
use crate::console::model::Model;
use crate::console::sentences as s;

/// Writes the page: the changes in the order of the questions, what concerns the whole first; a blank line between
/// questions. A question of which there is more than one thing to say is named once above them.
pub(super) fn write(model: &Model, sheet: &mut Sheet) {
    let Some(form) = &model.form else { return };
    for (at, changes) in form.status.changes.chunk_by(|a, b| a.question == b.question).enumerate() {
        if at > 0 {
            sheet.blank();
        }
        match changes {
            [change] => write_sentence(change, &change.text(sheet.lang), sheet),
            [first, ..] => {
                if first.question.is_some() {
                    sheet.text(Role::Title, &first.name(), 0);
                }
                for change in changes {
                    write_change(change, sheet);
                }
            }
            [] => {}
        }
    }
    if form.status.changes.is_empty() {
        sheet.say(Role::Dim, s::CHANGES_BACK);
    }
    write_orphans(form, sheet);
}

/// One change below the name of its question.
pub(super) fn write_change(change: &Change, sheet: &mut Sheet) {
    write_sentence(change, &change.text_below_question(sheet.lang), sheet);
}

/// One change: `+` for what came, `−` for what went, `~` for the rest.
fn write_sentence(change: &Change, words: &str, sheet: &mut Sheet) {
    let (sign, role) = match change.kind {
        ChangeKind::Added | ChangeKind::OptionAdded(_) => ("+ ", Role::Good),
        ChangeKind::Removed | ChangeKind::OptionRemoved(_) => ("− ", Role::Bad),
        _ => ("~ ", Role::Warn),
    };
    sheet.beside(&Line::of(role, sign), Role::Text, words);
}
