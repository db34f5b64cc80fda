//! The one painter: puts lines of harmless words on cells.
//!
//! Responsible for clipping to areas, for wide characters (never split, the cell behind them blank in the same style),
//! for the style of each role, and for remembering what can be clicked and where the caret is. Not responsible for what
//! is drawn where.

use crate::console::action::Target;
use crate::console::theme::Theme;
use crate::console::view::layout::Area;
use crate::console::view::page::{Line, Role};
use crate::text::cluster::clusters;
use crate::text::width::grapheme_cells;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// What a frame leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Where the terminal's own cursor stands: column and row. Input methods open their window there.
    pub cursor: Option<(u16, u16)>,
    /// What can be clicked; of two that overlap the later one is on top.
    pub hits: Vec<(Area, Target)>,
}

/// A frame being drawn.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    theme: &'a Theme,
    drawn: Drawn,
}

impl<'a> Canvas<'a> {
    /// An empty frame in the ground style.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme) -> Canvas<'a> {
        buffer.reset();
        let whole = buffer.area;
        buffer.set_style(whole, theme[Role::Text]);
        Canvas { buffer, theme, drawn: Drawn::default() }
    }

    /// What the frame leaves behind.
    pub fn finish(self) -> Drawn {
        self.drawn
    }

    /// Blank cells.
    pub fn fill(&mut self, area: Area, role: Role) {
        let style = self.style(role);
        for (x, y) in self.cells(area) {
            let cell = &mut self.buffer[(x, y)];
            cell.reset();
            cell.set_style(style);
        }
    }

    /// A line in the first row of an area; what does not fit ends in `…`.
    pub fn line(&mut self, area: Area, line: Line) {
        let Some(last) = self.visible(area).map(Area::right) else { return };
        let mut x = area.x;
        for span in line.fit(usize::from(last - area.x)).spans {
            let style = self.style(span.role);
            for (_, cluster) in clusters(&span.text) {
                let Ok(wide) = u16::try_from(grapheme_cells(cluster)) else { continue };
                if wide == 0 || x + wide > last {
                    continue;
                }
                self.buffer[(x, area.y)].set_symbol(cluster).set_style(style);
                for behind in x + 1..x + wide {
                    let cell = &mut self.buffer[(behind, area.y)];
                    cell.reset();
                    cell.set_style(style);
                }
                x += wide;
            }
        }
    }

    /// A line at the right end of the first row of an area. Gives back what is left of the row, two cells off.
    pub fn right(&mut self, area: Area, line: Line) -> Area {
        let wide = u16::try_from(line.cells()).unwrap_or(u16::MAX).min(area.width);
        let start = area.right() - wide;
        self.line(Area { x: start, width: wide, ..area }, line);
        let left = if wide == 0 { area.width } else { (area.width - wide).saturating_sub(2) };
        Area { width: left, ..area.row(0) }
    }

    /// Lays a role over what is drawn already.
    pub fn lift(&mut self, area: Area, role: Role) {
        let style = self.style_of(role);
        for (x, y) in self.cells(area) {
            self.buffer[(x, y)].set_style(style);
        }
    }

    /// A line from edge to edge of an area: along its longer side.
    pub fn rule(&mut self, area: Area) {
        let style = self.style(Role::Rule);
        let symbol = if area.height > 1 && area.width == 1 { "│" } else { "─" };
        for (x, y) in self.cells(area) {
            self.buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }

    /// A frame along the edge of an area of at least two rows and columns.
    pub fn frame(&mut self, area: Area) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let bottom = area.row(area.height - 1);
        let right = Area { x: area.right() - 1, width: 1, ..area };
        self.rule(area.row(0));
        self.rule(bottom);
        self.column(Area { width: 1, ..area });
        self.column(right);
        let corners = [(area, "┌"), (right, "┐"), (bottom, "└"), (Area { y: bottom.y, ..right }, "┘")];
        for (corner, symbol) in corners {
            self.line(Area { width: 1, ..corner }, Line::of(Role::Rule, symbol));
        }
    }

    fn column(&mut self, area: Area) {
        for row in 0..area.height {
            self.line(area.row(row), Line::of(Role::Rule, "│"));
        }
    }

    /// Makes an area clickable.
    pub fn hit(&mut self, area: Area, target: Target) {
        if let Some(area) = self.visible(area) {
            self.drawn.hits.push((area, target));
        }
    }

    /// Nothing drawn so far can be clicked or has the caret.
    pub fn cover(&mut self) {
        self.drawn = Drawn::default();
    }

    /// Nothing drawn so far in these rows can be clicked.
    pub fn unhit(&mut self, rows: Area) {
        for (area, _) in &mut self.drawn.hits {
            let kept = rows.y.saturating_sub(area.y);
            if area.bottom() > rows.y && area.y < rows.bottom() {
                area.height = area.height.min(kept);
            }
        }
        self.drawn.hits.retain(|(area, _)| !area.is_empty());
    }

    /// Puts the terminal's cursor on a cell, if that is in sight.
    pub fn caret(&mut self, x: u16, y: u16) {
        let there = Area { x, y, width: 1, height: 1 };
        self.drawn.cursor = self.visible(there).map(|_| (x, y));
    }

    /// The part of an area that the terminal has.
    fn visible(&self, area: Area) -> Option<Area> {
        let whole = self.buffer.area;
        let right = area.right().min(whole.right());
        let bottom = area.bottom().min(whole.bottom());
        let inside = area.x < right && area.y < bottom && area.x >= whole.x && area.y >= whole.y;
        inside.then(|| Area { width: right - area.x, height: bottom - area.y, ..area })
    }

    fn cells(&self, area: Area) -> impl Iterator<Item = (u16, u16)> + use<> {
        let area = self.visible(area).unwrap_or_default();
        (area.y..area.bottom()).flat_map(move |y| (area.x..area.right()).map(move |x| (x, y)))
    }

    fn style(&self, role: Role) -> Style {
        self.theme[Role::Text].patch(self.style_of(role))
    }

    fn style_of(&self, role: Role) -> Style {
        self.theme[role]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    const ROW: Area = Area { x: 1, y: 0, width: 6, height: 1 };

    fn row(buffer: &Buffer) -> String {
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn wide_characters_are_never_split() {
        let theme = Theme::plain();
        for (text, want) in [("一二三", " 一 二 三  "), ("一二三四", " 一 二 …  "), ("a一二三", " a一 二 … ")]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
            Canvas::new(&mut buffer, &theme).line(ROW, Line::of(Role::Text, text));
            assert_eq!(row(&buffer), want);
        }
    }

    #[test]
    fn what_is_covered_cannot_be_clicked() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 6));
        let mut canvas = Canvas::new(&mut buffer, &theme);
        let rows = |y, height| Area { x: 0, y, width: 8, height };
        canvas.hit(rows(0, 3), Target::Row(0));
        canvas.hit(rows(3, 2), Target::Submit);
        canvas.unhit(rows(2, 3));
        assert_eq!(canvas.finish().hits, [(rows(0, 2), Target::Row(0))]);
    }

    #[test]
    fn the_cell_behind_a_wide_character_has_its_style() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let mut canvas = Canvas::new(&mut buffer, &theme);
        canvas.line(ROW, Line::of(Role::Title, "一"));
        canvas.lift(ROW, Role::Selection);
        let at = |x: u16| buffer[(x, 0)].modifier;
        assert_eq!(at(1), theme[Role::Title].add_modifier | theme[Role::Selection].add_modifier);
        assert_eq!(at(1), at(2));
        assert_eq!(at(0), theme[Role::Text].add_modifier);
    }

    #[test]
    fn nothing_is_drawn_outside_the_terminal() {
        let theme = Theme::plain();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 2));
        let mut canvas = Canvas::new(&mut buffer, &theme);
        for area in
            [ROW, Area { x: 9, y: 9, width: 4, height: 4 }, Area { x: 2, y: 0, width: u16::MAX, height: 9 }]
        {
            canvas.line(area, Line::of(Role::Text, "一二三"));
            canvas.right(area, Line::of(Role::Text, "一二三"));
            canvas.fill(area, Role::Field);
            canvas.frame(area);
            canvas.hit(area, Target::Submit);
            canvas.caret(area.x, area.y);
        }
        let drawn = canvas.finish();
        assert_eq!(drawn.hits.len(), 2);
        assert!(drawn.hits.iter().all(|(area, _)| area.right() <= 3 && area.bottom() <= 2));
    }
}
