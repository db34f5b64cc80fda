//! The field that narrows a list, in one row.

use super::layout::RectExt;
use super::line::{Line, LineExt, line};
use super::painter::Painter;
use crate::console::field::TextField;
use crate::console::model::Model;
use crate::console::theme::Role;
use crate::text::say;
use ratatui::layout::Rect;

/// Draws it; `typing` if it has the keys.
pub fn filter_field(model: &Model, painter: &mut Painter<'_>, row: Rect, field: &TextField, typing: bool) {
    let theme = painter.theme;
    let label = line(theme[Role::Key], "/").gap(1);
    let label = if typing || !field.text().is_empty() {
        label
    } else {
        label.add(theme[Role::Dim], say("filter", "筛选").text(model.lang))
    };
    painter.line(row, label);
    let inside = row.inset(2, 0);
    if inside.is_empty() || !typing && field.text().is_empty() {
        return;
    }
    let layout = field.layout_window(usize::from(inside.width.saturating_sub(1)).max(1), 1);
    if typing {
        painter.fill(inside.row(0), Role::Field);
    }
    if let Some(shown) = layout.rows.first() {
        let role = if typing { Role::Field } else { Role::Text };
        painter.line(inside, Line::default().safe(theme[role], shown.drawn.clone()));
    }
    if typing && model.here.is_filter() {
        let column = u16::try_from(layout.caret_col).unwrap_or(u16::MAX);
        painter.caret(inside.x.saturating_add(column).min(inside.right().saturating_sub(1)), inside.y);
    }
}
