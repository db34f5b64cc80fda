//! The last row: what can be pressed.

use crate::console::action::Action;
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt};
use crate::console::draw::painter::Painter;
use crate::console::input::keymap::Binding;
use crate::console::theme::Role;
use ratatui::layout::Rect;

/// A key with what it is called here.
pub type Hint<'m> = (&'m Binding, &'static str);

/// Draws as many hints as fit, key and words, in their order. They come most wanted first, those of every screen last;
/// of these, help and a way out stay as long as anything does.
pub fn draw(painter: &mut Painter<'_>, area: Rect, hints: &[Hint<'_>]) {
    let theme = painter.theme;
    let row = area.inset(1, 0);
    let line = |kept: &[bool], gap: usize| {
        let mut line = Line::default();
        for ((binding, words), _) in hints.iter().zip(kept).filter(|(_, kept)| **kept) {
            let spaced = if line.spans.is_empty() { line } else { line.gap(gap) };
            line = spaced
                .add(theme[Role::Key], binding.key_text())
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
    // Closer together if that keeps the most wanted five, or at least three.
    let gaps: &[usize] = if room >= 60 { &[3, 2, 1] } else { &[2, 1] };
    let keeping = |most: usize| {
        let essential = |kept: &[bool]| wanted.iter().take(most).all(|&at| kept[at]);
        gaps.iter().copied().find(|&gap| essential(&fitting(gap)))
    };
    let gap = [5, 4, 3].into_iter().find_map(keeping).unwrap_or(2);
    painter.line(row, line(&fitting(gap), gap));
}

/// The places of hints, the most wanted first. Help comes second, and so does the way out where nothing else leads back.
fn wanted(hints: &[Hint<'_>]) -> Vec<usize> {
    let place = |action: &Action| hints.iter().position(|(binding, _)| binding.action == *action);
    let always = [place(&Action::Help), place(&Action::Quit)];
    let mut wanted: Vec<usize> = (0..hints.len()).filter(|at| !always.contains(&Some(*at))).collect();
    let way_out = if place(&Action::Back).is_some() { 4 } else { 1 };
    for (hint, behind) in always.into_iter().zip([1, way_out]).rev() {
        wanted.splice(behind.min(wanted.len())..behind.min(wanted.len()), hint);
    }
    wanted
}
