//! A text field with its frame; the terminal's own cursor is its caret.

use crate::console::draw::layout::{RectExt, inside_frame};
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::draw::painter::Painter;
use crate::console::field::TextField;
use crate::console::theme::Role;
use ratatui::layout::Rect;

/// Draws a field in the area of its frame. Without `typing` the caret is not shown. A title stands in the frame; `↑` and
/// `↓` on its right side say that there is more text.
pub fn text_field(painter: &mut Painter<'_>, area: Rect, field: &TextField, title: Line, typing: bool) {
    let theme = painter.theme;
    let text = inside_frame(area);
    if text.is_empty() {
        return;
    }
    let framed = text.height < area.height;
    let frame = area.inset(1, 1);
    if framed {
        painter.frame(frame);
        if !title.spans.is_empty() {
            let title = Line::default().gap(1).join(title).gap(1);
            let room = frame.row(0).inset(2, 2);
            painter.line(room, title);
        }
    }
    let inside = Rect { x: text.x.saturating_sub(1), width: text.width + 2, ..text };
    painter.fill(inside, Role::Field);
    let layout = field.layout_window(usize::from(text.width), usize::from(text.height));
    let style = painter.theme[Role::Field];
    let end = layout.first + layout.rows.len();
    painter.lines(text, layout.rows.into_iter().map(|row| Line::default().safe(style, row.drawn)));
    let edge = Rect { x: text.right() + 1, width: 1, ..text };
    if layout.first > 0 {
        painter.line(edge.row(0), line(theme[Role::Accent], "↑"));
    }
    if end < layout.total {
        painter.line(edge.row(text.height - 1), line(theme[Role::Accent], "↓"));
    }
    if typing {
        let at = |start: u16, by: usize| start.saturating_add(u16::try_from(by).unwrap_or(u16::MAX));
        painter.caret(at(text.x, layout.caret_col), at(text.y, layout.caret_row));
    }
}
