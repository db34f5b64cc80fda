//! Whether the author's answers have reached who does the step: the same lines wherever a record is shown.

use super::draw::sheet::Sheet;
use super::theme::Role;
use crate::ask::JsString;
use crate::store::hearing::{Hearing, UNTOLD, remedy};
use jiff::Zoned;
use std::path::Path;

/// Writes who was told last, on a page of its own each time; or that nobody was, and what to do. Nothing while nothing is known.
pub(super) fn write(
    hearing: Option<&Hearing>,
    step: Option<&JsString>,
    packet: &Path,
    now: &Zoned,
    sheet: &mut Sheet<'_>,
) {
    match hearing {
        None => {}
        Some(Hearing::Told(told)) => {
            let first = if sheet.whole { 0 } else { told.len().saturating_sub(1) };
            for told in &told[first..] {
                sheet.marked(Role::Good, "✓ ", Role::Text, &told.text(now, sheet.lang));
            }
        }
        Some(Hearing::Untold) => {
            sheet.marked(Role::Warn, "▲ ", Role::Warn, UNTOLD.text(sheet.lang));
            sheet.text(Role::Text, &remedy(step, packet, sheet.lang), 2);
        }
    }
}
