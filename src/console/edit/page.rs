//! A record as the author has edited it, and every problem that keeps it from being written.

use super::Edited;
use crate::ask::JsString;
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::page::{write_problems, write_text};
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::Role;

/// Writes the page.
pub(super) fn write(model: &Model, Edited { edited, problems, .. }: &Edited, sheet: &mut Sheet<'_>) {
    let entry = model.inbox.entry_at(&edited.path);
    let step = entry.and_then(|entry| entry.step.as_ref()).map(JsString::display).unwrap_or_default();
    sheet.text(Role::Title, &s::EDITED_OF.fill(sheet.lang, &[&step]), 0);
    if !problems.is_empty() {
        write_problems(problems, &[], sheet);
    }
    if let Some(theirs) = edited.theirs.as_ref().filter(|theirs| !theirs.is_empty()) {
        sheet.heading(s::RECORD_NOW);
        write_text(theirs, sheet);
    }
    sheet.heading(s::EDITED);
    write_text(&edited.text, sheet);
}
