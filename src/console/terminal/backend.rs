//! Ratatui's backend for crossterm, with fewer bytes for Chinese text.
//!
//! The library moves the cursor before every cell that is not one column behind the last one, so after each wide
//! character: four times the bytes of the text itself. Every terminal agrees that an ideograph takes two columns, so
//! none is needed there; behind characters whose width terminals dispute the cursor is still moved.

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::io;

/// Collects a frame, so that it goes out in one write: the library flushes several times on the way.
#[derive(Default)]
pub(super) struct WideBackend {
    pub(super) frame: Vec<u8>,
}

impl WideBackend {
    fn crossterm(&mut self) -> CrosstermBackend<&mut Vec<u8>> {
        CrosstermBackend::new(&mut self.frame)
    }
}

/// The columns that the cursor moves by when the cell is written; less than its width if terminals may disagree.
fn advance(cell: &Cell) -> u16 {
    let mut chars = cell.symbol().chars();
    match (chars.next(), chars.next()) {
        (Some('\u{3001}'..='\u{3011}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff60}'), None) => 2,
        _ => 1,
    }
}

impl Backend for WideBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        // A cell that follows the last one is given the next column, whatever its own; any other is further right.
        let mut last: Option<(u16, u16, u16)> = None;
        self.crossterm().draw(content.map(move |(x, y, cell)| {
            let column = match last {
                Some((next, row, column)) if (next, row) == (x, y) => column + 1,
                _ => x,
            };
            last = Some((x + advance(cell), y, column));
            (column, y, cell)
        }))
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.crossterm().hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.crossterm().show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.crossterm().get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.crossterm().set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.crossterm().clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.crossterm().clear_region(clear_type)
    }

    /// Asked before each frame. The library would open `/dev/tty` every time.
    fn size(&self) -> io::Result<Size> {
        let size = rustix::termios::tcgetwinsize(io::stdout())?;
        Ok(Size::new(size.ws_col, size.ws_row))
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.crossterm().window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    /// What is written for these lines on a blank screen.
    fn written(lines: &[&str]) -> String {
        let after = Buffer::with_lines(lines.iter().copied());
        let before = Buffer::empty(Rect::new(0, 0, after.area.width, after.area.height));
        let mut backend = WideBackend::default();
        backend.draw(before.diff(&after).into_iter()).expect("memory takes it");
        String::from_utf8(backend.frame).expect("text")
    }

    #[test]
    fn chinese_text_is_written_in_one_run() {
        let text = written(&["起点，ab。", "番茄"]);
        assert!(text.contains("\x1b[1;1H起点，ab。\x1b[2;1H番茄"), "{text:?}");
    }

    #[test]
    fn the_cursor_is_moved_over_what_did_not_change_and_behind_disputed_characters() {
        let text = written(&["起 点☂️a", "“a🏮b"]);
        assert!(text.contains("\x1b[1;1H起\x1b[1;4H点☂"), "{text:?}");
        assert!(text.contains("🏮\x1b[2;5Hb"), "{text:?}");
    }
}
