//! A record as the author has edited it, and every problem that keeps it from being written.

use super::detail::write_problems;
use super::sheet::Sheet;
use crate::ask::JsString;
use crate::console::model::{Model, Over};
use crate::console::sentences as s;
use crate::console::theme::Role;

/// Writes the page.
pub(super) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let Some(Over::Edited(edited, problems)) = &model.over else { return };
    let entry = model.inbox.entry_at(&edited.path);
    let step = entry.and_then(|entry| entry.step.as_ref()).map(JsString::display).unwrap_or_default();
    sheet.text(Role::Title, &s::EDITED_OF.fill(sheet.lang, &[&step]), 0);
    if !problems.is_empty() {
        write_problems(problems, &[], sheet);
    }
    if let Some(theirs) = edited.theirs.as_ref().filter(|theirs| !theirs.is_empty()) {
        sheet.heading(s::RECORD_NOW);
        super::detail::write_text(theirs, sheet);
    }
    sheet.heading(s::EDITED);
    super::detail::write_text(&edited.text, sheet);
}
