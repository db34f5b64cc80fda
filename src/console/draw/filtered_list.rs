//! A list whose filter always has the keys: title, filter, and the rows that pass.

use super::field::filter_field;
use super::layout::{self, RectExt};
use super::line::{Line, LineExt, line, wrapped};
use super::painter::Painter;
use crate::console::filtered_list::FilteredList;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Sentence, say};
use ratatui::layout::Rect;

/// Draws title, filter and rows of so many things; `rows` makes the words of those that are shown.
pub(crate) fn draw(
    filtered: &FilteredList,
    painter: &mut Painter<'_>,
    area: Rect,
    (title, note, count): (Line, Line, usize),
    nothing: Sentence,
    rows: impl Fn(&[usize]) -> Vec<Line>,
) {
    let theme = painter.theme;
    let [head, filter, list] = layout::filtered(area);
    let left = painter.right(head.inset(1, 1), note);
    painter.line(left, title);
    let found = line(theme[Role::Dim], &format!("{}/{count}", filtered.hits.len()));
    let left = painter.right(filter.inset(1, 1), found);
    filter_field(painter, left, &filtered.filter, true);
    let from = filtered.scroll.shows_row(filtered.row, usize::from(list.height));
    let area = painter.in_sight(list);
    if filtered.hits.is_empty() {
        let words = nothing.fill(painter.voice.lang, &[filtered.filter.text()]);
        let area = area.inset(3, 3);
        return painter.lines(area, wrapped(theme[Role::Text], &words, usize::from(area.width)));
    }
    let height = usize::from(area.height);
    let top = from.max((filtered.row + 1).saturating_sub(height));
    let shown = top..(top + height).min(filtered.hits.len());
    let below = Rect { y: area.bottom(), height: layout::NOTICE, ..area };
    painter.line(below.inset(2, 1), more_rows(painter, (top, filtered.hits.len() - shown.end)));
    for ((here, row), words) in area.rows().zip(shown.clone()).zip(rows(&filtered.hits[shown])) {
        painter.list_row(here, here.inset(0, 1), row, row == filtered.row, words);
    }
}

/// Says how many rows there are above and below those shown.
pub(crate) fn more_rows(painter: &Painter<'_>, (above, below): (usize, usize)) -> Line {
    let parts = [(above, say("↑ {0} more", "↑ 还有 {0} 项")), (below, s::MORE_BELOW)];
    let shown = parts.into_iter().filter(|(count, _)| *count > 0);
    shown.fold(Line::default(), |line, (count, says)| {
        let words = says.fill(painter.voice.lang, &[&count.to_string()]);
        line.gap(1).add(painter.theme[Role::Accent], &words).gap(1)
    })
}
