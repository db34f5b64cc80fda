//! The painter: writes lines of harmless text on cells.
//!
//! It clips to areas, never splits a wide character (the cell behind it is blank in the same style), and remembers what can
//! be clicked and where the caret is. Borders are ratatui's.

use crate::console::action::{Action, Target};
use crate::console::draw::layout::RectExt;
use crate::console::draw::line::{Line, LineExt, line};
use crate::console::theme::{Role, Theme};
use crate::console::voice::Voice;
use crate::text::cluster::clusters;
use crate::text::width::{ambiguous_cells, grapheme_cells};
use ratatui::buffer::{Buffer, CellDiffOption};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Borders, Clear, Widget};
use std::num::NonZeroU16;

/// Borders of one cell, for a terminal that draws lines two cells wide.
const NARROW_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Where the terminal's own cursor stands: column and row. Input methods open their window there.
    pub cursor: Option<(u16, u16)>,
    /// What can be clicked; of two that overlap the later one is on top.
    pub hits: Vec<(Rect, Target)>,
}

pub struct Painter<'a> {
    pub theme: &'a Theme,
    pub voice: Voice<'a>,
    buffer: &'a mut Buffer,
    /// The first row that a sentence or a question of the program will cover.
    covered_from: u16,
    drawn: Drawn,
}

impl<'a> Painter<'a> {
    /// A frame in the ground style on blank cells, as ratatui hands them out.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, voice: Voice<'a>) -> Painter<'a> {
        let covered_from = buffer.area.bottom();
        buffer.set_style(buffer.area, theme[Role::Text]);
        Painter { theme, voice, buffer, covered_from, drawn: Drawn::default() }
    }

    pub fn will_cover(&mut self, area: Rect) {
        self.covered_from = self.covered_from.min(area.y);
    }

    /// The rows of an area that stay in sight.
    pub fn in_sight(&self, area: Rect) -> Rect {
        area.slice(0, self.covered_from.saturating_sub(area.y))
    }

    pub fn finish(self) -> Drawn {
        self.drawn
    }

    pub fn fill(&mut self, area: Rect, role: Role) {
        self.clear(area, self.theme[Role::Text].patch(self.theme[role]));
    }

    fn clear(&mut self, area: Rect, style: Style) {
        Clear.render(area, self.buffer);
        self.buffer.set_style(area, style);
    }

    /// A line in the first row of an area; what does not fit ends in `…`.
    pub fn line(&mut self, area: Rect, line: Line) {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return;
        }
        let mut x = area.x;
        for span in line.fit(usize::from(area.width)) {
            let style = self.theme[Role::Text].patch(span.style);
            for (_, cluster) in clusters(&span.content) {
                let Ok(wide) = u16::try_from(grapheme_cells(cluster)) else { continue };
                if wide == 0 || x + wide > area.right() {
                    continue;
                }
                // ratatui's own table does not know how wide this terminal draws an ambiguous character.
                let forced = NonZeroU16::new(wide).map_or(CellDiffOption::None, CellDiffOption::ForcedWidth);
                let cell = &mut self.buffer[(x, area.y)];
                cell.set_symbol(cluster).set_style(style).set_diff_option(forced);
                if wide > 1 {
                    self.clear(Rect { x: x + 1, width: wide - 1, ..area }.row(0), style);
                }
                x += wide;
            }
        }
    }

    /// Lines from the top of an area on, as many as there are rows.
    pub fn lines(&mut self, area: Rect, lines: impl IntoIterator<Item = Line>) {
        for (row, line) in area.rows().zip(lines) {
            self.line(row, line);
        }
    }

    /// A line at the right end of the first row of an area. Gives back what is left of the row, two cells off.
    pub fn right(&mut self, area: Rect, line: Line) -> Rect {
        let wide = u16::try_from(line.cells()).unwrap_or(u16::MAX).min(area.width);
        self.line(area.inset(area.width - wide, 0), line);
        if wide == 0 { area.row(0) } else { area.row(0).inset(0, wide + 2) }
    }

    /// A row of a list: the cursor's mark, its words in the room there is for them, and what a click on it means.
    pub fn list_row(&mut self, area: Rect, room: Rect, row: usize, is_selected: bool, words: Line) {
        let mark = line(self.theme[Role::Accent], if is_selected { "▸ " } else { "  " });
        self.line(room, mark.join(words));
        self.hit(area, Target::Row(row));
        if is_selected {
            self.select(area);
        }
    }

    /// Lays one solid bar over what is drawn already: the colours, weight and dimness beneath would make patches of it.
    /// Underlines stay. Where the theme has no bar, the colours stay too, and nothing is dim.
    pub fn select(&mut self, area: Rect) {
        let style = self.theme[Role::Text].patch(self.theme[Role::Selection]);
        let beneath = if self.has_bar() { Style::reset() } else { Style::new().not_dim() };
        for position in area.intersection(self.buffer.area).positions() {
            let cell = &mut self.buffer[position];
            let underline = cell.modifier & Modifier::UNDERLINED;
            cell.set_style(beneath.patch(style).add_modifier(underline));
        }
    }

    /// Selects words in a row: they have no mark in front of them, and always a ground of their own.
    pub fn select_words(&mut self, area: Rect) {
        self.select(area);
        if !self.has_bar() {
            self.buffer.set_style(area.intersection(self.buffer.area), Style::new().reversed());
        }
    }

    /// What is drawn already, in another weight.
    pub fn weigh(&mut self, area: Rect, weight: Modifier) {
        self.buffer.set_style(area.intersection(self.buffer.area), Style::new().add_modifier(weight));
    }

    fn has_bar(&self) -> bool {
        let selection = self.theme[Role::Selection];
        selection.bg.is_some() || selection.add_modifier.contains(Modifier::REVERSED)
    }

    /// A line from edge to edge of an area: along its longer side.
    pub fn rule(&mut self, area: Rect) {
        self.borders(area, if area.height > 1 && area.width == 1 { Borders::LEFT } else { Borders::TOP });
    }

    pub fn frame(&mut self, area: Rect) {
        self.borders(area, Borders::ALL);
    }

    fn borders(&mut self, area: Rect, borders: Borders) {
        let style = self.theme[Role::Text].patch(self.theme[Role::Rule]);
        let lines = if ambiguous_cells() == 1 { border::PLAIN } else { NARROW_BORDER };
        Block::new().borders(borders).border_set(lines).border_style(style).render(area, self.buffer);
    }

    pub fn hit(&mut self, area: Rect, target: Target) {
        let area = area.intersection(self.buffer.area);
        if !area.is_empty() {
            self.drawn.hits.push((area, target));
        }
    }

    /// A click here does what a key does. The digits are many.
    pub fn hit_key(&mut self, area: Rect, action: &Action) {
        let place = self.voice.keymap.place(self.voice.here, action);
        if let Some(place) = place.filter(|_| !matches!(action, Action::Number(_))) {
            self.hit(area, Target::Key(place));
        }
    }

    /// Nothing drawn so far can be clicked or has the caret.
    pub fn cover(&mut self) {
        self.drawn = Drawn::default();
    }

    /// Nothing drawn so far in these rows can be clicked.
    pub fn unhit(&mut self, rows: Rect) {
        for (area, _) in self.drawn.hits.iter_mut().filter(|(area, _)| area.intersects(rows)) {
            area.height = rows.y.saturating_sub(area.y);
        }
        self.drawn.hits.retain(|(area, _)| !area.is_empty());
    }

    /// Puts the terminal's cursor on a cell, if that is in sight.
    pub fn caret(&mut self, x: u16, y: u16) {
        self.drawn.cursor = Some((x, y)).filter(|cell| self.buffer.area.contains((*cell).into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::draw::line::line;
    use crate::console::input::keymap::{Context, Keymap};
    use crate::text::Lang;
    use std::sync::LazyLock;

    const ROW: Rect = Rect { x: 1, y: 0, width: 6, height: 1 };

    fn painter<'a>(buffer: &'a mut Buffer, theme: &'a Theme) -> Painter<'a> {
        static KEYMAP: LazyLock<Keymap> = LazyLock::new(Keymap::default);
        let (here, beneath) = (Context::Inbox, Context::Inbox);
        Painter::new(buffer, theme, Voice { lang: Lang::En, keymap: &KEYMAP, here, beneath })
    }

    fn row(buffer: &Buffer) -> String {
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn wide_characters_are_never_split() {
        let theme = Theme::plain();
        for (text, want) in [("一二三", " 一 二 三  "), ("一二三四", " 一 二 …  "), ("a一二三", " a一 二 … ")]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
            painter(&mut buffer, &theme).line(ROW, line(Style::new(), text));
            assert_eq!(row(&buffer), want);
        }
    }

    #[test]
    fn what_is_covered_cannot_be_clicked() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 6));
        let mut painter = painter(&mut buffer, &theme);
        let rows = |y, height| Rect { x: 0, y, width: 8, height };
        painter.hit(rows(0, 3), Target::Row(0));
        painter.hit(rows(3, 2), Target::Submit);
        painter.unhit(rows(2, 3));
        assert_eq!(painter.finish().hits, [(rows(0, 2), Target::Row(0))]);
    }

    #[test]
    fn the_cell_behind_a_wide_character_has_its_style() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let mut painter = painter(&mut buffer, &theme);
        painter.line(ROW, line(theme[Role::Title], "一"));
        let at = |x: u16| buffer[(x, 0)].modifier;
        assert_eq!(at(1), theme[Role::Title].add_modifier);
        assert_eq!(at(1), at(2));
        assert_eq!(at(0), theme[Role::Text].add_modifier);
    }

    /// A row with words in these roles, selected, and as it was before.
    fn selected(theme: &Theme) -> (Buffer, Buffer) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
        let mut painter = painter(&mut buffer, theme);
        let roles = [Role::Accent, Role::Dim, Role::Blocked, Role::Past, Role::Text, Role::Warn];
        let drawn =
            roles.iter().fold(line(theme[Role::Good], "✓"), |line, role| line.add(theme[*role], "字x"));
        painter.line(painter.buffer.area, drawn);
        let before = painter.buffer.clone();
        painter.select(painter.buffer.area);
        (buffer, before)
    }

    #[test]
    fn without_a_bar_the_selection_keeps_the_colours_and_is_bold() {
        let theme = Theme::built_in("ansi").expect("a built-in theme");
        let (buffer, before) = selected(&theme);
        for (cell, before) in buffer.content().iter().zip(before.content()) {
            assert_eq!((cell.fg, cell.bg), (before.fg, before.bg), "{cell:?}");
            assert!(
                cell.modifier.contains(Modifier::BOLD) && !cell.modifier.contains(Modifier::DIM),
                "{cell:?}"
            );
        }
        let mut buffer = buffer;
        painter(&mut buffer, &theme).select_words(ROW);
        let is_reversed = |x: u16| buffer[(x, 0)].modifier.contains(Modifier::REVERSED);
        assert!((0..40).all(|x| is_reversed(x) == (1..7).contains(&x)), "{buffer:?}");
    }

    #[test]
    fn the_selection_is_one_solid_bar_in_every_other_theme() {
        for name in Theme::names().filter(|name| *name != "ansi") {
            let theme = Theme::built_in(name).expect("a built-in theme");
            let (buffer, _) = selected(&theme);
            let looks =
                |cell: &ratatui::buffer::Cell| (cell.fg, cell.bg, cell.modifier - Modifier::UNDERLINED);
            let first = looks(&buffer[(39, 0)]);
            assert!(buffer.content().iter().all(|cell| looks(cell) == first), "{name}: {buffer:?}");
            assert!(
                first.2.contains(Modifier::REVERSED) || first.1 != ratatui::style::Color::Reset,
                "{name}"
            );
        }
    }

    #[test]
    fn nothing_is_drawn_outside_the_terminal() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 2));
        let mut painter = painter(&mut buffer, &theme);
        for area in
            [ROW, Rect { x: 9, y: 9, width: 4, height: 4 }, Rect { x: 2, y: 0, width: u16::MAX, height: 9 }]
        {
            painter.line(area, line(Style::new(), "一二三"));
            painter.right(area, line(Style::new(), "一二三"));
            painter.fill(area, Role::Field);
            painter.frame(area);
            painter.hit(area, Target::Submit);
            painter.caret(area.x, area.y);
        }
        let drawn = painter.finish();
        assert_eq!(drawn.hits.len(), 2);
        assert!(drawn.hits.iter().all(|(area, _)| area.right() <= 3 && area.bottom() <= 2));
    }
}
