//! A frame as text that can be read and compared.

use novel_gate::console::draw::painter::Drawn;
use novel_gate::console::stack::Stack;
use novel_gate::console::theme::{ROLES, Theme};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Color;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// One letter for each role, in the order of `ROLES`; the ground is a dot.
const LETTERS: &str = ".daskt-fWBMAPgbwm";

/// A theme in which every role can be told by its colour.
static THEME: LazyLock<Theme> = LazyLock::new(|| {
    let line = |(at, role): (usize, &&str)| format!("{role} = {{ fg = {at} }}\n");
    let text: String = ROLES.iter().enumerate().map(line).collect();
    let (theme, problems) = Theme::read("test", &text, Theme::default());
    assert_eq!(problems, []);
    theme
});

/// Draws a stack of screens.
pub(super) fn draw(stack: &Stack) -> (Buffer, Drawn) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, stack.model.size.width, stack.model.size.height));
    let drawn = stack.paint(&THEME, &mut buffer);
    (buffer, drawn)
}

/// The text, then a letter of each cell's role, then the caret. Wide characters leave out the cell behind them in the
/// text, so that both layers have the same columns on a terminal.
pub(crate) fn layers(stack: &Stack) -> String {
    let (buffer, drawn) = draw(stack);
    let mut out = String::new();
    for row in rows(&buffer) {
        let mut skip = 0;
        let mut line = String::new();
        for cell in row {
            if skip == 0 {
                line.push_str(cell.symbol());
                skip = novel_gate::text::width::cells(cell.symbol());
            }
            skip = skip.saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push_str("---\n");
    for row in rows(&buffer) {
        let line: String = row.iter().map(letter).collect();
        out.push_str(line.trim_end_matches('.'));
        out.push('\n');
    }
    match drawn.cursor {
        Some((x, y)) => out.push_str(&format!("--- caret {x},{y}\n")),
        None => out.push_str("---\n"),
    }
    out
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content().chunks(usize::from(buffer.area.width).max(1))
}

fn letter(cell: &Cell) -> char {
    match cell.fg {
        Color::Indexed(role) => LETTERS.chars().nth(usize::from(role)).unwrap_or('?'),
        _ => '?',
    }
}

/// Whether the file has the agreed text; the new one is put where it can be looked at.
pub(crate) fn compare(file: &str, text: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let agreed = root.join(file);
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        fs::write(&agreed, text).expect("written");
    }
    if fs::read_to_string(&agreed).is_ok_and(|agreed| agreed == text) {
        return true;
    }
    let seen = root.join("target/screens");
    fs::create_dir_all(&seen).expect("a directory");
    fs::write(seen.join(agreed.file_name().expect("a name")), text).expect("written");
    false
}
