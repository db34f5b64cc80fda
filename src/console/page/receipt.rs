//! The receipt: what was written, that it was read back, and what the executor has made of it since.

use super::detail::write_outputs;
use super::line::{Line, Role};
use super::sheet::Sheet;
use crate::console::layout;
use crate::console::model::{Model, Written};
use crate::console::sentences as s;
use crate::text::{Sentence, width};

/// From this height on there are blank lines and every fact.
const ROOMY: u16 = 14;

/// Writes the page.
pub(super) fn write(model: &Model, sheet: &mut Sheet) {
    let Some(written) = &model.receipt else { return };
    let roomy = layout::receipt(model.size).height >= ROOMY;
    sheet.line(|| Line::of(Role::Good, "✓ ").add(Role::Title, s::WRITTEN.text(model.lang)));
    sheet.text(Role::Text, &written.title, 2);
    if roomy {
        sheet.blank();
        facts(written, sheet);
    } else {
        sheet.text(Role::Text, &written.receipt.path.to_string_lossy(), 2);
        sheet.text(Role::Dim, &format!("sha256 {}", width::fit_middle(&written.receipt.sha256, 17)), 2);
    }
    let gap = |sheet: &mut Sheet| {
        if roomy {
            sheet.blank();
        }
    };
    for (holds, says) in [(written.receipt.durable, s::NOT_DURABLE), (written.intact, s::NOT_INTACT)] {
        if !holds {
            gap(sheet);
            sheet.beside(&Line::of(Role::Warn, "▲ "), Role::Warn, says.text(model.lang));
        }
    }
    if written.intact {
        gap(sheet);
        outputs(model, written, sheet);
    }
    gap(sheet);
    next(model, roomy, sheet);
}

fn facts(written: &Written, sheet: &mut Sheet) {
    let lang = sheet.lang;
    let receipt = &written.receipt;
    let labels = [s::WRITTEN_PATH, s::SHA256, s::ANSWERED_AT];
    let column = labels.iter().map(|label| width::cells(label.text(lang))).max().unwrap_or(0) + 4;
    let first = |says: Sentence| Line::default().gap(2).add(Role::Dim, says.text(lang)).to_column(column);
    sheet.beside(&first(s::WRITTEN_PATH), Role::Text, &receipt.path.to_string_lossy());
    let sha = &receipt.sha256;
    let short = sheet.width() < column + sha.len() || sha.len() < 16;
    let sha = if short { width::fit_middle(sha, 17).into_owned() } else { sha.clone() };
    sheet.beside(&first(s::SHA256), Role::Text, &sha);
    sheet.beside(&first(s::ANSWERED_AT), Role::Text, &receipt.answered_at);
}

fn outputs(model: &Model, written: &Written, sheet: &mut Sheet) {
    let there = |required: bool| {
        written.outputs.iter().filter(move |output| output.required == required || !required)
    };
    let done = !written.outputs.is_empty() && there(true).all(|output| output.modified.is_some());
    if written.outputs.is_empty() {
        sheet
            .line(|| Line::of(Role::Waiting, "● ").add(Role::Text, s::WAITING_FOR_EXECUTOR.text(model.lang)));
        sheet.text(Role::Dim, s::NO_OUTPUTS.text(model.lang), 2);
    } else {
        let (sign, role, says) = if done {
            ("✓ ", Role::Good, s::OUTPUTS_PRESENT)
        } else {
            ("● ", Role::Waiting, s::WAITING_FOR_EXECUTOR)
        };
        sheet.line(|| Line::of(role, sign).add(Role::Text, says.text(model.lang)));
        write_outputs(model, &written.outputs, sheet);
    }
}

fn next(model: &Model, roomy: bool, sheet: &mut Sheet) {
    let lang = sheet.lang;
    match model.next_waiting() {
        None => sheet.say(Role::Dim, s::ENTER_INBOX),
        Some(entry) => {
            let step = entry.shown_step().unwrap_or_else(|| entry.stem()).into_owned();
            let topic =
                entry.shown_topic().filter(|_| roomy).map(|topic| format!("  {topic}")).unwrap_or_default();
            let first = Line::of(Role::Dim, s::ENTER_NEXT.text(lang)).gap(2);
            sheet.beside(&first, Role::Text, &format!("{step}{topic}"));
        }
    }
}
