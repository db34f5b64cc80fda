//! What the packet of the open form asks differently since the form was opened, and what was answered and fits no more.

use super::Form;
use crate::ask::draft::Orphan;
use crate::ask::{Change, ChangeKind};
use crate::console::draw::sheet::Sheet;
use crate::console::sentences as s;
use crate::console::theme::Role;

/// Writes the page: the changes in the order of the questions, what concerns the whole first; a blank line between
/// questions. A question of which there is more than one thing to say is named once above them.
pub(crate) fn write(form: &Form, sheet: &mut Sheet<'_>) {
    for (at, changes) in form.status.changes.chunk_by(|a, b| a.question == b.question).enumerate() {
        if at > 0 {
            sheet.blank();
        }
        match changes {
            [change] => write_sentence(change, &change.text(sheet.lang), sheet),
            [first, ..] => {
                if first.question.is_some() {
                    sheet.text(Role::Title, &first.name(sheet.lang), 0);
                }
                for change in changes {
                    write_change(change, sheet);
                }
            }
            [] => {}
        }
    }
    if !form.status.has_changes() {
        sheet.say(Role::Dim, s::NOTHING_CHANGED);
    }
    write_orphans(form, sheet);
}

/// One change below the name of its question.
pub(crate) fn write_change(change: &Change, sheet: &mut Sheet<'_>) {
    write_sentence(change, &change.text_below_question(sheet.lang), sheet);
}

/// One change: `+` for what came, `−` for what went, `~` for the rest.
fn write_sentence(change: &Change, words: &str, sheet: &mut Sheet<'_>) {
    let (sign, role) = match change.kind {
        ChangeKind::Added | ChangeKind::OptionAdded(_) => ("+ ", Role::Good),
        ChangeKind::Removed | ChangeKind::OptionRemoved(_) => ("− ", Role::Bad),
        _ => ("~ ", Role::Warn),
    };
    sheet.marked(role, sign, Role::Text, words);
}

/// What the question of an orphan is called, or was.
fn asked_as(form: &Form, orphan: &Orphan) -> String {
    let specs = [Some(form.spec()), form.status.known.as_deref()];
    let named = specs.into_iter().flatten().find_map(|spec| spec.find(orphan.id.as_str()?));
    named.map_or_else(|| orphan.id.display(), |(_, question)| question.header.display()).into_owned()
}

/// Answers that fit no question any more.
pub(crate) fn write_orphans(form: &Form, sheet: &mut Sheet<'_>) {
    if form.status.orphans.is_empty() {
        return;
    }
    sheet.heading(s::ORPHANS);
    for orphan in &form.status.orphans {
        sheet.named(Role::Warn, "▲ ", &asked_as(form, orphan), &orphan.words.display());
    }
}
