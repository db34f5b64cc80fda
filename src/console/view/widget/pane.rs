//! Scrolled lines in an area, with signs where there is more.

use super::Canvas;
use crate::console::view::layout::Area;
use crate::console::view::page::{Line, Role};
use std::ops::Range;

/// How to say that there is more below: from the number of hidden lines.
pub type More<'f> = &'f dyn Fn(usize) -> Line;

/// Draws lines from `scroll` on, no further than needed to see the last one. The last row says how many more there are;
/// `↑` at the right edge says that there are some above.
pub fn pane(
    canvas: &mut Canvas<'_>,
    area: Area,
    scroll: usize,
    lines: &dyn Fn(Range<usize>) -> (Vec<Line>, usize),
    more: More<'_>,
) {
    let height = usize::from(area.height);
    if area.is_empty() {
        return;
    }
    let (mut shown, count) = lines(scroll..scroll.saturating_add(height));
    let from = scroll.min(count.saturating_sub(height));
    if from != scroll {
        shown = lines(from..from + height).0;
    }
    let hidden = count.saturating_sub(from + height);
    for (row, line) in (0..area.height).zip(shown) {
        canvas.line(area.row(row), line);
    }
    if from > 0 && area.height > 1 {
        canvas.right(area.inset(area.width.saturating_sub(1), 0).row(0), Line::of(Role::Accent, "↑"));
    }
    if hidden > 0 {
        let last = area.row(area.height - 1);
        canvas.fill(last, Role::Text);
        // The line under the sign is hidden too.
        canvas.line(last, more(hidden + 1));
    }
}
