//! One chip for each question, and one for the review: where the author is, what is answered.

use crate::console::action::Target;
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::theme::{Role, Theme};
use ratatui::layout::Rect;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// What it says, without the marks of the current one.
    pub line: Line,
    pub current: bool,
    pub target: Target,
}

const GAP: usize = 1;

impl Chip {
    /// The chip between its marks: brackets around the current one, spaces of the same width around the others.
    fn drawn(&self, theme: &Theme) -> Line {
        let (left, right) = if self.current { ("[", "]") } else { (" ", " ") };
        line(theme[Role::Accent], left).join(self.line.clone()).add(theme[Role::Accent], right)
    }

    fn cells(&self) -> usize {
        self.line.cells() + 2
    }
}

pub fn chips_width(chips: &[Chip]) -> usize {
    let wide: usize = chips.iter().map(Chip::cells).sum();
    wide + GAP * chips.len().saturating_sub(1)
}

/// Draws the chips at the right end of a row. Where they do not fit, those around the current one, with `‹` and `›`
/// where there are more.
pub fn chips(painter: &mut Painter<'_>, row: Rect, chips: &[Chip]) {
    let theme = painter.theme;
    let shown = window(chips, usize::from(row.width));
    let (mut line, mut ends) = (Line::default(), Vec::new());
    if shown.start > 0 {
        line = line.add(theme[Role::Dim], "‹").gap(GAP);
    }
    for (at, chip) in chips.iter().enumerate().take(shown.end).skip(shown.start) {
        line = if at > shown.start { line.gap(GAP) } else { line };
        let start = line.cells();
        line = line.join(chip.drawn(theme));
        ends.push((start, line.cells(), chip.target));
    }
    if shown.end < chips.len() {
        line = line.gap(GAP).add(theme[Role::Dim], "›");
    }
    let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let place = row.inset(row.width.saturating_sub(cells(line.cells())), 0);
    painter.line(place, line);
    for (start, end, target) in ends {
        let here = place.inset(cells(start), 0);
        painter.hit(Rect { width: here.width.min(cells(end - start)), ..here }, target);
    }
}

/// The chips around the current one that fit into so many cells, with room for the two signs.
fn window(chips: &[Chip], width: usize) -> std::ops::Range<usize> {
    if chips_width(chips) <= width {
        return 0..chips.len();
    }
    let current = chips.iter().position(|chip| chip.current).unwrap_or(0);
    let mut shown = current..(current + 1).min(chips.len());
    let mut used = chips.get(current).map_or(0, Chip::cells) + 4;
    loop {
        let behind = chips.get(shown.end).map(|chip| chip.cells() + GAP).filter(|wide| used + wide <= width);
        if let Some(wide) = behind {
            (shown.end, used) = (shown.end + 1, used + wide);
        }
        let before = shown.start.checked_sub(1).map(|at| chips[at].cells() + GAP);
        let before = before.filter(|wide| used + wide <= width);
        if let Some(wide) = before {
            (shown.start, used) = (shown.start - 1, used + wide);
        }
        if behind.is_none() && before.is_none() {
            return shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: usize, current: usize) -> Vec<Chip> {
        let chip = |at: usize| Chip {
            line: line(ratatui::style::Style::new(), &format!("{at} 问")),
            current: at == current,
            target: Target::Question(at),
        };
        (0..count).map(chip).collect()
    }

    #[test]
    fn the_current_chip_is_always_among_those_shown() {
        for count in [1, 3, 9] {
            for current in 0..count {
                for width in 0..80 {
                    let chips = row(count, current);
                    let shown = window(&chips, width);
                    assert!(shown.contains(&current));
                    let signs = 2 * (usize::from(shown.start > 0) + usize::from(shown.end < count));
                    let fits = chips_width(&chips[shown.clone()]) + signs <= width;
                    assert!(fits || shown.len() == 1, "{count} {current} {width}");
                }
            }
        }
        assert_eq!(window(&row(9, 4), 80), 0..9);
        assert_eq!(window(&row(9, 4), 26), 3..6);
    }
}
