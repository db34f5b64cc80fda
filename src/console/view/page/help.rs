//! The keys, drawn from the key map: those that hold on the screen below first.

use super::sheet::Sheet;
use crate::console::context::{Context, beneath};
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::console::view::line::{Line, LineExt};
use crate::text::width;
use strum::VariantArray;

/// Cells of the column of keys; longer ones push their words aside.
const KEYS: usize = 22;

/// Writes the page.
pub(super) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let theme = sheet.theme;
    let lang = sheet.lang;
    let widest = model.keymap.bindings().map(|row| width::cells(&row.keys_text())).max();
    let column = widest.unwrap_or(0).min(KEYS).min((sheet.width() / 2).saturating_sub(4)) + 4;
    if !model.problems.is_empty() {
        sheet.blank();
        sheet.say(Role::Title, s::SETTINGS_PROBLEMS);
        for problem in &model.problems {
            sheet.marked((Role::Warn, "▲ "), Role::Text, &problem.text(lang));
        }
    }
    for context in order(beneath(model)) {
        sheet.blank();
        sheet.text(Role::Title, context.says().text(lang), 0);
        for row in model.keymap.rows(context) {
            let first = Line::default().gap(2).add(theme[Role::Key], &row.keys_text());
            let first = if first.cells() + 2 > column { first.gap(2) } else { first.to_column(column) };
            sheet.beside(&first, Role::Text, row.says.text(lang));
        }
    }
}

/// Every context once, the nearest first.
fn order(here: Context) -> Vec<Context> {
    let near: &[Context] = match here {
        Context::Multi => &[Context::Multi, Context::Choice, Context::Global],
        _ => &[here, Context::Global],
    };
    let rest = Context::VARIANTS.iter().copied().filter(|context| !near.contains(context));
    near.iter().copied().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_context_has_its_place_in_help() {
        for &here in Context::VARIANTS {
            let order = order(here);
            assert_eq!(order[0], here);
            assert!(Context::VARIANTS.iter().all(|context| order.contains(context)));
        }
    }
}
