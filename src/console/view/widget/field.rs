//! A text field with its frame; the terminal's own cursor is its caret.

use super::Canvas;
use crate::console::field::TextField;
use crate::console::view::layout::{Area, inside_frame};
use crate::console::view::page::{Line, Role};

/// Draws a field in the area of its frame. Without `typing` the caret is not shown. A title stands in the frame; `↑` and
/// `↓` on its right side say that there is more text.
pub fn text_field(canvas: &mut Canvas<'_>, area: Area, field: &TextField, title: Line, typing: bool) {
    let text = inside_frame(area);
    if text.is_empty() {
        return;
    }
    let framed = text.height < area.height;
    let frame = area.inset(1, 1);
    if framed {
        canvas.frame(frame);
        if !title.spans.is_empty() {
            let title = Line::default().gap(1).join(title).gap(1);
            let room = frame.row(0).inset(2, 2);
            canvas.line(room, title);
        }
    }
    let inside = Area { x: text.x.saturating_sub(1), width: text.width + 2, ..text };
    canvas.fill(inside, Role::Field);
    let layout = field.layout_window(usize::from(text.width), usize::from(text.height));
    for (row, line) in (0..text.height).zip(&layout.rows) {
        canvas.line(text.row(row), Line::default().safe(Role::Field, line.drawn.clone()));
    }
    let edge = Area { x: text.right() + 1, width: 1, ..text };
    if layout.first > 0 {
        canvas.line(edge.row(0), Line::of(Role::Accent, "↑"));
    }
    if layout.first + layout.rows.len() < layout.total {
        canvas.line(edge.row(text.height - 1), Line::of(Role::Accent, "↓"));
    }
    if typing {
        let at = |start: u16, by: usize| start.saturating_add(u16::try_from(by).unwrap_or(u16::MAX));
        canvas.caret(at(text.x, layout.caret_col), at(text.y, layout.caret_row));
    }
}
