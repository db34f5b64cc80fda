//! The inbox and the history: a list, and what is selected in it.

use crate::console::draw::layout::{BESIDE, ROOMY, RectExt, below_header, beside, main, rows_of};
use crate::console::model::{HistoryView, Mode, Model, Size};
use ratatui::layout::Rect;

/// The inbox: header, list, detail beside or below, footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxLayout {
    /// Name, counts.
    pub header: Rect,
    /// The gates.
    pub list: Rect,
    /// The line between list and detail: a row or a column; empty without a detail.
    pub rule: Rect,
    /// The selected gate; empty where there is no room.
    pub detail: Rect,
}

/// What a list of gates or of a history needs room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListNeeds {
    /// Rows of the whole list, whatever its filter, so that nothing moves while a filter is typed.
    pub rows: usize,
    /// Whether something stands in a second row of the header: a filter, or how the files are watched.
    pub second_line: bool,
}

/// The inbox as it stands now.
pub fn inbox_of(model: &Model) -> InboxLayout {
    let list = &model.inbox;
    let polled = matches!(list.watching, Some(Mode::Polling(_)));
    let second_line = list.filter.is_some() || polled || !list.complete;
    inbox(model.size, ListNeeds { rows: list.entries.len() + list.gaps, second_line })
}

/// A history as it stands now.
pub fn history_of(model: &Model, history: &HistoryView) -> InboxLayout {
    inbox(model.size, ListNeeds { rows: history.found.all, second_line: history.filter.is_some() })
}

/// Parts of the inbox. Above the detail the list is no taller than its rows.
pub fn inbox(size: Size, needs: ListNeeds) -> InboxLayout {
    let main = main(size);
    let (header, below) = below_header(main, if needs.second_line && main.height >= ROOMY { 2 } else { 1 });
    if size.width >= BESIDE {
        let (list, rule, detail) = beside(below);
        return InboxLayout { header, list, rule, detail: detail.readable(2) };
    }
    let under = if below.height >= 14 { below.height / 2 } else { 0 };
    let rows = if needs.rows == 0 || under == 0 { u16::MAX } else { rows_of(needs.rows) };
    let list = below.slice(0, rows.min(below.height - under));
    let under = if under == 0 { 0 } else { below.height - list.height };
    let rule = below.slice(list.height, under.min(1));
    let detail = below.slice(list.height + 1, under.saturating_sub(1));
    InboxLayout { header, list, rule, detail }
}
