//! Whether all options of a question can be shown at once, each with its whole description.

use crate::ask::{Choice, Question};
use crate::console::draw::layout::{BEFORE_LABEL, READING, label_cap};
use crate::console::model::{Form, Size};
use crate::text::{Safe, width, wrap};

/// Where the descriptions of options stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Descriptions {
    /// Whole only for the row under the cursor, in a pane; the rows show their beginnings.
    #[default]
    Pane,
    /// Whole, each beside its label.
    Beside,
    /// Whole, each wrapped below its label.
    Below,
}

/// Columns kept at the end of a row for `default`.
const TAG: usize = 9;

/// Where all options of a question have room for their whole descriptions, whatever the filter, and the rows that the
/// list then takes; nothing if there are more of them than rows on the screen.
pub(super) fn whole(size: Size, form_state: &Form, question: &Question) -> Option<(Descriptions, usize)> {
    let own = form_state.own_in_rows().count() + usize::from(question.allow_other);
    let room = usize::from(size.height);
    let options = &question.options;
    let plain = |option: &Choice| option.description.display().len() <= room * usize::from(size.width);
    if options.len() + own > room || !options.iter().all(plain) {
        return None;
    }
    let row = size.width.min(READING + BEFORE_LABEL + 1);
    let cells = usize::from(row.saturating_sub(BEFORE_LABEL + 1));
    let label = |option: &Choice| width::cells(&Safe::line(&option.label.display()));
    let widest = options.iter().map(label).max().unwrap_or(0);
    if widest + TAG > cells {
        return None;
    }
    let described = options.iter().map(|option| Safe::block(&option.description.display()));
    let described: Vec<Safe> = described.collect();
    let beside = cells.saturating_sub(widest + 2 + TAG);
    let capped = widest <= label_cap(row);
    let one_row = |words: &Safe| !words.contains('\n') && width::cells(words) <= beside;
    if capped && described.iter().all(one_row) {
        return Some((Descriptions::Beside, options.len() + own));
    }
    let rows =
        described.iter().map(|words| if words.is_empty() { 0 } else { wrap::wrap(words, cells).len() });
    Some((Descriptions::Below, options.len() + own + rows.sum::<usize>()))
}

/// Whether there is something to say about the question shown besides its descriptions.
pub(super) fn has_notes(form_state: &Form) -> bool {
    let status = &form_state.status;
    let reply = form_state.reply();
    status.before.is_some()
        || !status.changes.is_empty()
        || !status.orphans.is_empty()
        || !reply.note.is_blank()
        || !reply.alternatives.is_empty()
}
