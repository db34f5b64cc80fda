//! The last row: what can be pressed.

use crate::console::action::Action;
use crate::console::theme::Role;
use crate::console::view::hints::Hint;
use crate::console::view::layout::RectExt;
use crate::console::view::line::{Line, LineExt};
use crate::console::view::painter::Painter;
use ratatui::layout::Rect;

/// Draws as many hints as fit, key and words, in their order. They come most wanted first, those of every screen last;
/// of these, help and the way out stay as long as anything does.
pub(in crate::console::view) fn footer(painter: &mut Painter<'_>, area: Rect, hints: &[Hint<'_>]) {
    let theme = painter.theme;
    let row = area.inset(1, 0);
    let line = |kept: &[bool], gap: usize| {
        let mut line = Line::default();
        for ((binding, words), _) in hints.iter().zip(kept).filter(|(_, kept)| **kept) {
            let spaced = if line.spans.is_empty() { line } else { line.gap(gap) };
            line = spaced
                .add(theme[Role::Key], &binding.key_text())
                .add(theme[Role::Dim], " ")
                .add(theme[Role::Dim], words);
        }
        line
    };
    let wanted = wanted(hints);
    let room = usize::from(row.width);
    let fitting = |gap: usize| {
        let mut kept = vec![false; hints.len()];
        for &at in &wanted {
            kept[at] = true;
            kept[at] = line(&kept, gap).cells() <= room;
        }
        kept
    };
    // Closer together if that keeps the most wanted four, or at least three.
    let gaps: &[usize] = if room >= 60 { &[3, 2, 1] } else { &[2, 1] };
    let keeping = |most: usize| {
        let essential = |kept: &[bool]| wanted.iter().take(most).all(|&at| kept[at]);
        gaps.iter().copied().find(|&gap| essential(&fitting(gap)))
    };
    let gap = keeping(4).or_else(|| keeping(3)).unwrap_or(2);
    painter.line(row, line(&fitting(gap), gap));
}

/// The places of hints, the most wanted first.
fn wanted(hints: &[Hint<'_>]) -> Vec<usize> {
    let always = |at: &usize| matches!(hints[*at].0.action, Action::Help | Action::Quit);
    let first = (0..hints.len().min(1)).filter(|at| !always(at));
    let rest = (1..hints.len()).filter(|at| !always(at));
    first.chain((0..hints.len()).filter(always)).chain(rest).collect()
}
