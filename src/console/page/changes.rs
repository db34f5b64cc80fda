//! What the packet of the open form asks differently since the form was opened, and what was answered and fits no more.

use super::form::write_orphans;
use super::line::{Line, Role};
use super::sheet::Sheet;
use crate::ask::{Change, ChangeKind};
use crate::console::model::Model;
use crate::console::sentences as s;

/// Writes the page: the changes in the order of the questions, what concerns the whole first; a blank line between
/// questions.
pub(super) fn write(model: &Model, sheet: &mut Sheet) {
    let Some(form) = &model.form else { return };
    let mut before: Option<&Option<String>> = None;
    for change in &form.standing.changes {
        if before.is_some_and(|before| *before != change.question) {
            sheet.blank();
        }
        before = Some(&change.question);
        write_change(change, sheet);
    }
    if form.standing.changes.is_empty() {
        sheet.say(Role::Dim, s::CHANGES_BACK);
    }
    write_orphans(form, sheet);
}

/// One change: `+` for what came, `−` for what went, `~` for the rest.
pub(super) fn write_change(change: &Change, sheet: &mut Sheet) {
    let (sign, role) = match change.kind {
        ChangeKind::Added | ChangeKind::OptionAdded(_) => ("+ ", Role::Good),
        ChangeKind::Removed | ChangeKind::OptionRemoved(_) => ("− ", Role::Bad),
        _ => ("~ ", Role::Warn),
    };
    let words = change.text(sheet.lang);
    sheet.beside(&Line::of(role, sign), Role::Text, &words);
}
