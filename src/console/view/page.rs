//! The pages that can be scrolled: details of a gate, context of a row, the record, the keys.
//!
//! A page is its lines and their number, so that scrolling ends where the page does; only the lines that are shown are
//! made.

mod answer;
mod changes;
mod detail;
mod draft;
mod edited;
mod form;
mod help;
mod history;
mod receipt;
mod record;
mod sheet;
mod state;

pub use crate::console::theme::Role;
pub use answer::{answer_text, aside_text, given_text, is_answered};
pub use detail::pointer;
pub use form::{nothing_passes, picks_elsewhere};
pub use state::{State, state};

use super::layout::{self, RectExt};
use super::line::Line;
use crate::console::model::{Model, Over, Screen};
use crate::console::theme::Theme;
use ratatui::layout::Rect;
use sheet::Sheet;
use std::ops::Range;

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The selected gate of the inbox.
    Detail,
    /// The row under the cursor of a question.
    Context,
    /// The question shown, whole, and the row under its cursor.
    Question,
    /// What the packet asks differently, and what fits no more.
    Changes,
    /// The record as it will be written.
    Record,
    /// What was written last.
    Receipt,
    /// What became of the records of several packets, written or taken back.
    Batch,
    /// A record as the author has edited it, and what is wrong with it.
    Edited,
    /// The selected entry of a history.
    HistoryEntry,
    /// The keys.
    Help,
}

/// The lines of a page in the window, and how many it has.
pub fn lines(
    model: &Model,
    theme: &Theme,
    page: Page,
    width: usize,
    window: Range<usize>,
) -> (Vec<Line>, usize) {
    let mut sheet = Sheet::new((theme, model), width, window);
    match page {
        Page::Detail => detail::write(model, &mut sheet),
        Page::Context => form::write_context(model, &mut sheet),
        Page::Question => form::write_question(model, &mut sheet),
        Page::Changes => changes::write(model, &mut sheet),
        Page::Record => record::write(model, &mut sheet),
        Page::Receipt => receipt::write(model, &mut sheet),
        Page::Batch => receipt::write_batch(model, &mut sheet),
        Page::Edited => edited::write(model, &mut sheet),
        Page::HistoryEntry => history::write(model, &mut sheet),
        Page::Help => help::write(model, &mut sheet),
    }
    sheet.finish()
}

/// The page that can be scrolled now and the cells of its lines: the one over the screen, else the screen's pane.
pub fn place(model: &Model) -> (Page, Rect) {
    let page = layout::page(model.size);
    let whole = page.readable(0);
    let over = matches!(model.over, Some(Over::Detail));
    match (&model.over, model.screen) {
        (Some(Over::Help(_)), _) => (Page::Help, page),
        (Some(Over::Changes), _) => (Page::Changes, whole),
        (Some(Over::Batch(_) | Over::TakenBack(_)), _) => (Page::Batch, whole),
        (Some(Over::Edited(..)), _) => (Page::Edited, whole),
        (_, Screen::Inbox) if over => (Page::Detail, whole),
        (_, Screen::Form) if over => (Page::Question, whole),
        (_, Screen::History) if over => (Page::HistoryEntry, whole),
        (_, Screen::History) => (Page::HistoryEntry, layout::list_of(model).detail.inset(1, 1)),
        (_, Screen::Review) => (Page::Record, whole),
        (_, Screen::Receipt) if over => (Page::Receipt, whole),
        (_, Screen::Receipt) => (Page::Receipt, layout::receipt(model.size)),
        (_, Screen::Inbox) => (Page::Detail, layout::list_of(model).detail.inset(1, 1)),
        (_, Screen::Form) => {
            let context = model.form.as_ref().map(|form| layout::form_of(model, form).context);
            (Page::Context, context.unwrap_or_default().inset(1, 1))
        }
    }
}

/// Whether a page has nothing to say.
pub fn is_empty(model: &Model, page: Page, area: Rect) -> bool {
    lines(model, &Theme::default(), page, usize::from(area.width), 0..0).1 == 0
}

/// Rows of the page that can be scrolled now.
pub fn height(model: &Model) -> usize {
    usize::from(place(model).1.height)
}

/// How far the page that can be scrolled now can be: its last line is then at the bottom.
pub fn last_scroll(model: &Model) -> usize {
    let (page, area) = place(model);
    // No line is kept, so no style is seen.
    let count = lines(model, &Theme::default(), page, usize::from(area.width), 0..0).1;
    count.saturating_sub(usize::from(area.height))
}
