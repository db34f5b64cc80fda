//! Text fields: one with its frame, and the one that narrows a list. The terminal's own cursor is the caret.

use super::layout::{RectExt, inside_frame};
use super::line::{Line, LineExt, line};
use super::painter::Painter;
use crate::console::field::TextField;
use crate::console::theme::Role;
use crate::text::say;
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

/// Draws the field that narrows a list, in one row; `typing` if it has the keys.
pub fn filter_field(painter: &mut Painter<'_>, row: Rect, field: &TextField, typing: bool) {
    let (theme, voice) = (painter.theme, painter.voice);
    let label = line(theme[Role::Key], "/").gap(1);
    let label = if typing || !field.text().is_empty() {
        label
    } else {
        label.add(theme[Role::Dim], say("filter", "筛选").text(voice.lang))
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
        let words = Line::default().safe(theme[role], shown.drawn.clone());
        let cells = u16::try_from(words.cells()).unwrap_or(u16::MAX);
        painter.line(inside, words);
        if typing && field.is_selected() {
            painter.select_words(Rect { width: cells.min(inside.width), ..inside.row(0) });
        }
    }
    if typing && voice.here.is_filter() {
        let column = u16::try_from(layout.caret_col).unwrap_or(u16::MAX);
        painter.caret(inside.x.saturating_add(column).min(inside.right().saturating_sub(1)), inside.y);
    }
}
