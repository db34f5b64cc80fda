//! The last row: what can be pressed.

use crate::console::action::Action;
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt, line};
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
    let room = usize::from(row.width);
    let piece = |(binding, words): &Hint<'_>| {
        line(theme[Role::Key], binding.key_text()).add(theme[Role::Dim], " ").add(theme[Role::Dim], words)
    };
    let pieces: Vec<Line> = hints.iter().map(piece).collect();
    let wanted = wanted(hints);
    let fitting = |gap: usize| {
        let (mut kept, mut used) = (vec![false; pieces.len()], 0);
        for &at in &wanted {
            let end = used + if used > 0 { gap } else { 0 } + pieces[at].cells();
            if end <= room {
                (kept[at], used) = (true, end);
            }
        }
        kept
    };
    // Closer together if that keeps more of the five most wanted, or the third.
    let first = |gap: &usize| {
        let kept = fitting(*gap);
        wanted.iter().take_while(|at| kept[**at]).count().clamp(2, 5)
    };
    let gap = if room >= 60 { 2..=3 } else { 1..=2 }.max_by_key(first).unwrap_or(1);
    let kept = fitting(gap);
    let mut left = row;
    for ((piece, (binding, _)), _) in pieces.into_iter().zip(hints).zip(kept).filter(|(_, kept)| *kept) {
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let wide = cells(piece.cells());
        let here = Rect { width: wide.min(left.width), ..left };
        painter.line(here, piece);
        painter.hit_key(here, &binding.action);
        left = left.inset(wide.saturating_add(cells(gap)), 0);
    }
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
