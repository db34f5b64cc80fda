//! What the packet of the open form asks differently since the form was opened, and what was answered and fits no more.

use super::form::write_orphans;
use super::line::{Line, Role};
use super::sheet::Sheet;
use crate::ask::difference::{Change, Named, What};
use crate::console::model::Model;
use crate::console::sentences as s;

/// Writes the page: the changes by question, in the order of the questions, what concerns the whole first.
pub(super) fn write(model: &Model, sheet: &mut Sheet) {
    let Some(form) = &model.form else { return };
    let mut before: Option<&Option<Named>> = None;
    for change in &form.standing.changes {
        if before != Some(&change.question) {
            head(change.question.as_ref(), sheet);
            before = Some(&change.question);
        }
        write_change(change, sheet);
    }
    if form.standing.changes.is_empty() {
        sheet.say(Role::Dim, s::CHANGES_BACK);
    }
    write_orphans(form, sheet);
}

fn head(question: Option<&Named>, sheet: &mut Sheet) {
    sheet.blank();
    let lang = sheet.lang;
    let line = match question {
        None => Line::say(Role::Title, s::CHANGES_WHOLE, lang),
        Some(named) => Line::of(Role::Title, &named.header.display()).gap(2).add(Role::Dim, &named.id),
    };
    sheet.line(|| line);
}

/// One change: `+` for what came, `−` for what went, `~` for the rest.
pub(super) fn write_change(change: &Change, sheet: &mut Sheet) {
    let (sign, role) = match change.what {
        What::QuestionAdded | What::OptionAdded(_) => ("  + ", Role::Good),
        What::QuestionRemoved | What::OptionRemoved(_) => ("  − ", Role::Bad),
        _ => ("  ~ ", Role::Warn),
    };
    let words = change.sentence(sheet.lang);
    sheet.beside(&Line::of(role, sign), Role::Text, &words);
}
