//! A page in a pane, scrolled, with signs where there is more.

use super::layout::RectExt;
use super::line::{Line, LineExt, line};
use super::page::{self, Page};
use super::painter::Painter;
use crate::console::action::Action;
use crate::console::context::context;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::Role;
use ratatui::layout::Rect;

/// Draws a page from line `scroll` on, no further than needed to see the last one. The last row says how many more lines
/// there are; `↑` at the right edge says that there are some above.
pub(super) fn draw(model: &Model, painter: &mut Painter<'_>, page: Page, area: Rect, scroll: usize) {
    let area = painter.in_sight(area);
    if area.is_empty() {
        return;
    }
    let theme = painter.theme;
    let lines = |window| page::lines(model, theme, page, usize::from(area.width), window);
    let height = usize::from(area.height);
    let (mut shown, count) = lines(scroll..scroll.saturating_add(height));
    let from = scroll.min(count.saturating_sub(height));
    if from != scroll {
        shown = lines(from..from + height).0;
    }
    painter.lines(area, shown);
    if from > 0 && area.height > 1 {
        painter.right(area, line(theme[Role::Accent], "↑"));
    }
    let hidden = count.saturating_sub(from + height);
    if hidden > 0 {
        let last = area.row(area.height - 1);
        painter.fill(last, Role::Text);
        // The line under the sign is hidden too.
        painter.line(last, more(model, painter, hidden + 1, (page, area.width)));
    }
}

/// How many more lines there are, and the keys that lead to them; beside the answers of the review in few words.
fn more(model: &Model, painter: &Painter<'_>, count: usize, (page, width): (Page, u16)) -> Line {
    let style = painter.theme[Role::Accent];
    let key = |action| model.keymap.key(context(model), &action);
    let few = match key(Action::Expand) {
        Some(all) => s::MORE_LINES_SHORT.fill(model.lang, &[&count.to_string(), all]),
        None => format!("↓ {count}"),
    };
    let words = s::counted(count, s::MORE_LINES_ONE, s::MORE_LINES, model.lang);
    let whole = match (key(Action::ScrollDown), key(Action::Expand)) {
        (Some(scroll), Some(all)) => s::SCROLL_OR_ALL.fill(model.lang, &[&words, scroll, all]),
        (None, Some(_)) => few.clone(),
        (_, None) => words,
    };
    let whole = line(style, &whole);
    if page != Page::Record && whole.cells() <= usize::from(width) { whole } else { line(style, &few) }
}
