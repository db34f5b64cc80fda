//! The receipt over the whole screen.

use super::more;
use crate::console::model::Model;
use crate::console::view::layout;
use crate::console::view::page::{self, Page};
use crate::console::view::widget::{Canvas, pane};

/// Draws the screen.
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>) {
    let area = layout::receipt(model.size);
    let lines = |window| page::lines(model, Page::Receipt, usize::from(area.width), window);
    pane(canvas, area, 0, &lines, &more(model, area.width));
}
