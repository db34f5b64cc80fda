//! Where a note is written.

use crate::console::draw::layout::{RectExt, form_of, form_size, inside_frame, main, rows_of, text_rows};
use crate::console::model::{Form, Model};
use ratatui::layout::Rect;

/// Rows of the field of a note, at least.
const LEAST: u16 = 3;

/// The field of the note that is being written, with its frame: over the words behind the options where they have room
/// for it, else over the last rows of the screen.
pub fn note(model: &Model, form_state: &Form) -> Rect {
    let Some(note) = &form_state.note else { return Rect::default() };
    let in_form = !form_state.in_review;
    let size = if in_form { form_size(model) } else { model.size };
    let main = main(size);
    let words = if in_form && !form_state.is_free_text() {
        form_of(model, form_state).field
    } else {
        Rect::default()
    };
    let has_room = words.height >= LEAST;
    let area = if has_room { words } else { main.readable(6) };
    let rows = text_rows(size, &note.field, usize::from(inside_frame(area).width).max(1));
    let rows = rows_of(rows).saturating_add(2);
    if has_room {
        return area.slice(0, rows);
    }
    let rows = rows.min((main.height / 2).max(LEAST));
    area.slice(main.height.saturating_sub(rows), rows)
}
