//! The details of a screen in its pane, scrolled, with signs where there is more.

use super::layout::RectExt;
use super::line::{Line, LineExt, line};
use super::painter::Painter;
use super::scroll::Scroll;
use super::sheet::Sheet;
use crate::console::action::Action;
use crate::console::model::{Model, Place};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::say;
use ratatui::layout::Rect;

/// Draws what `write` writes, from the line it is scrolled to on, no further than needed to see the last one. The last row
/// says how many more lines there are; `↑` at the right edge says that there are some above.
pub fn draw(
    model: &Model,
    painter: &mut Painter<'_>,
    area: Rect,
    scroll: &Scroll,
    write: impl Fn(&mut Sheet<'_>),
) {
    let area = painter.in_sight(area);
    if area.is_empty() {
        return;
    }
    let theme = painter.theme;
    let height = usize::from(area.height);
    let (shown, from, count) = scroll.window(height, |window| {
        let mut sheet = Sheet::new(theme, model, usize::from(area.width), window);
        write(&mut sheet);
        sheet.finish()
    });
    painter.lines(area, shown);
    if from > 0 && area.height > 1 {
        painter.right(area, line(theme[Role::Accent], "↑"));
    }
    let hidden = count.saturating_sub(from + height);
    if hidden > 0 {
        let last = area.row(area.height - 1);
        painter.fill(last, Role::Text);
        // The line under the sign is hidden too.
        painter.line(last, more(model, painter, hidden + 1, area.width));
    }
}

/// How many lines `write` writes in so many cells.
pub fn count(model: &Model, width: u16, write: impl Fn(&mut Sheet<'_>)) -> usize {
    // No line is kept, so no style is seen.
    let theme = Theme::default();
    let mut sheet = Sheet::new(&theme, model, usize::from(width), 0..0);
    write(&mut sheet);
    sheet.finish().1
}

/// How many more lines there are, and the keys that lead to them; beside the answers of the review in few words.
fn more(model: &Model, painter: &Painter<'_>, count: usize, width: u16) -> Line {
    let style = painter.theme[Role::Accent];
    let few = match model.key(&Action::Expand) {
        Some(all) => s::MORE_LINES_SHORT.fill(model.lang, &[&count.to_string(), all]),
        None => format!("↓ {count}"),
    };
    let words = s::counted(count, s::MORE_LINES_ONE, say("↓ {0} more lines", "↓ 还有 {0} 行"), model.lang);
    let whole = match (model.key(&Action::ScrollDown), model.key(&Action::Expand)) {
        (Some(scroll), Some(all)) => s::SCROLL_OR_ALL.fill(model.lang, &[&words, scroll, all]),
        (None, Some(_)) => few.clone(),
        (_, None) => words,
    };
    let whole = line(style, &whole);
    let fits = model.place != Place::Review && whole.cells() <= usize::from(width);
    if fits { whole } else { line(style, &few) }
}
