//! The details of a screen in its pane, scrolled, with signs where there is more.

use super::layout::RectExt;
use super::line::{Line, LineExt, line};
use super::painter::Painter;
use super::scroll::Scroll;
use super::sheet::Sheet;
use crate::console::action::Action;
use crate::console::input::keymap::Context;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::console::voice::Voice;
use crate::text::say;
use ratatui::layout::Rect;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Draws what `write` writes, from the line it is scrolled to on, no further than needed to see the last one. The last row
/// says how many more lines there are; `↑` at the right edge says that there are some above.
pub fn draw(painter: &mut Painter<'_>, area: Rect, scroll: &Scroll, write: impl Fn(&mut Sheet<'_>)) {
    let area = painter.in_sight(area);
    if area.is_empty() {
        return;
    }
    let (theme, voice) = (painter.theme, painter.voice);
    let height = usize::from(area.height);
    let links = RefCell::default();
    let (shown, from, count) = window(scroll, height, |window| {
        let mut sheet = Sheet::new(theme, voice, usize::from(area.width), window);
        write(&mut sheet);
        links.replace(std::mem::take(&mut sheet.links));
        sheet
    });
    painter.lines(area, shown);
    for (lines, action) in links.into_inner() {
        let rows = lines.filter(|line| (from..from + height).contains(line)).map(|line| line - from);
        rows.filter_map(|row| u16::try_from(row).ok())
            .for_each(|row| painter.hit_key(area.row(row), &action));
    }
    if from > 0 && area.height > 1 {
        painter.right(area, line(theme[Role::Accent], "↑"));
    }
    let hidden = count.saturating_sub(from + height);
    if hidden > 0 {
        let last = area.row(area.height - 1);
        painter.fill(last, Role::Text);
        // The line under the sign is hidden too.
        painter.line(last, more(theme, voice, hidden + 1, area.width));
    }
}

/// The lines of a sheet to show in so many rows, the first of them, and how many there are. What is looked for is scrolled to,
/// once.
pub fn window<'t>(
    scroll: &Scroll,
    rows: usize,
    written: impl Fn(Range<usize>) -> Sheet<'t>,
) -> (Vec<Line>, usize, usize) {
    let found = Cell::new(None);
    let made = || {
        scroll.window(rows, |window| {
            let sheet = written(window);
            found.set(sheet.found);
            sheet.finish()
        })
    };
    let shown = made();
    let Some(line) = found.get().filter(|_| scroll.takes_seeking()) else { return shown };
    scroll.to(if line < rows { 0 } else { line - rows / 3 });
    made()
}

/// How many lines `write` writes in so many cells.
pub fn count(painter: &Painter<'_>, width: u16, write: impl Fn(&mut Sheet<'_>)) -> usize {
    let mut sheet = Sheet::new(painter.theme, painter.voice, usize::from(width), 0..0);
    write(&mut sheet);
    sheet.finish().1
}

/// How many more lines there are, and the keys that lead to them; beside the answers of the review in few words.
fn more(theme: &Theme, voice: Voice<'_>, count: usize, width: u16) -> Line {
    let style = theme[Role::Accent];
    let few = match voice.key(&Action::Expand) {
        Some(all) => s::MORE_LINES_SHORT.fill(voice.lang, &[&count.to_string(), all]),
        None => format!("↓ {count}"),
    };
    let words = s::counted(count, s::MORE_LINES_ONE, say("↓ {0} more lines", "↓ 还有 {0} 行"), voice.lang);
    let whole = match (voice.key(&Action::ScrollDown), voice.key(&Action::Expand)) {
        (Some(scroll), Some(all)) => s::SCROLL_OR_ALL.fill(voice.lang, &[&words, scroll, all]),
        (None, Some(_)) => few.clone(),
        (_, None) => words,
    };
    let whole = line(style, &whole);
    let fits = voice.beneath != Context::Review && whole.cells() <= usize::from(width);
    if fits { whole } else { line(style, &few) }
}
