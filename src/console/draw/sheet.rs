//! A page in the making: all its lines are counted, those in the window are kept.
//!
//! Headings, labelled values and wrapped text on a page of any length, at the price of what is shown.

use crate::console::action::Action;
use crate::console::draw::answer::with_meaning;
use crate::console::draw::line::{Line, LineExt, behind, found_rows, line, wrapped};
use crate::console::theme::{Role, Theme};
use crate::console::voice::Voice;
use crate::text::{Lang, Query, Sentence, width};
use std::ops::Range;

pub struct Sheet<'t> {
    pub theme: &'t Theme,
    pub lang: Lang,
    pub voice: Voice<'t>,
    /// Whether it is a page of its own: then nothing is folded.
    pub whole: bool,
    /// What is looked for in the texts, and the first line on which it stands.
    pub query: Option<Query>,
    pub found: Option<usize>,
    /// Lines that do what a key does if they are clicked.
    pub links: Vec<(Range<usize>, Action)>,
    width: usize,
    window: Range<usize>,
    count: usize,
    lines: Vec<Line>,
}

impl<'t> Sheet<'t> {
    /// An empty page of so many cells; only the lines in `window` are kept.
    pub fn new(theme: &'t Theme, voice: Voice<'t>, width: usize, window: Range<usize>) -> Sheet<'t> {
        let (lang, width) = (voice.lang, width.max(1));
        Sheet {
            theme,
            lang,
            voice,
            whole: false,
            query: None,
            found: None,
            links: Vec::new(),
            width,
            window,
            count: 0,
            lines: Vec::new(),
        }
    }

    #[must_use]
    pub fn whole(self) -> Self {
        Sheet { whole: true, ..self }
    }

    /// The lines of the window and the number of all.
    pub fn finish(self) -> (Vec<Line>, usize) {
        (self.lines, self.count)
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Appends a line, made only if it is shown, and cut if it is too long.
    pub fn line(&mut self, line: impl FnOnce() -> Line) {
        if self.window.contains(&self.count) {
            self.lines.push(line().fit(self.width));
        }
        self.count += 1;
    }

    /// Lines that say what a key leads to.
    pub fn link(&mut self, action: Action, write: impl FnOnce(&mut Self)) {
        let start = self.count;
        write(self);
        self.links.push((start..self.count, action));
    }

    /// An empty line, unless the page is empty.
    pub fn blank(&mut self) {
        if self.count > 0 {
            self.line(Line::default);
        }
    }

    /// What follows belongs together.
    pub fn heading(&mut self, says: Sentence) {
        self.blank();
        let (style, lang) = (self.theme[Role::Dim], self.lang);
        self.line(|| line(style, says.text(lang)));
    }

    /// A sentence, wrapped; it may name keys.
    pub fn say(&mut self, role: Role, says: Sentence) {
        self.text(role, &self.voice.fill(says, &[]), 0);
    }

    /// A text, wrapped, behind so many spaces.
    pub fn text(&mut self, role: Role, text: &str, indent: usize) {
        let style = self.theme[role];
        // A short text of printable ASCII is one line, whatever the rules of wrapping.
        let is_short = text.len() + indent <= self.width && self.query.is_none();
        if is_short && text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return self.line(|| Line::default().gap(indent).add(style, text.trim_end_matches(' ')));
        }
        for line in self.rows(role, text, self.width.saturating_sub(indent)) {
            self.line(|| Line::default().gap(indent).join(line));
        }
    }

    /// A sign, and a text that goes on behind it.
    pub fn marked(&mut self, mark: Role, sign: &str, role: Role, text: &str) {
        let first = line(self.theme[mark], sign);
        self.beside(&first, role, text);
    }

    /// The same with a name between them.
    pub fn named(&mut self, mark: Role, sign: &str, name: &str, text: &str) {
        let first = line(self.theme[mark], sign).add(self.theme[Role::Dim], name).gap(2);
        self.beside(&first, Role::Text, text);
    }

    /// Values behind their labels, in two columns behind so many spaces.
    pub fn labelled(&mut self, indent: usize, rows: &[(Sentence, &str)]) {
        let widest = rows.iter().map(|(label, _)| width::cells(label.text(self.lang))).max().unwrap_or(0);
        for (label, value) in rows {
            let first = Line::default().gap(indent).add(self.theme[Role::Dim], label.text(self.lang));
            self.beside(&first.to_column(indent + widest + 2), Role::Text, value);
        }
    }

    /// A first line, and a text that goes on behind it or, where there is no room, below it.
    pub fn beside(&mut self, first: &Line, role: Role, text: &str) {
        let column = first.cells();
        if column * 2 > self.width {
            self.line(|| first.clone());
            return self.text(role, text, 2.min(self.width / 4));
        }
        let lines = self.rows(role, text, self.width - column);
        self.behind(first, lines);
    }

    /// The same with what it means behind it, as far as there is room.
    pub fn meant(&mut self, first: &Line, role: Role, text: &str, means: Option<&str>) {
        let cells = self.width.saturating_sub(first.cells());
        let mut lines = wrapped(self.theme[role], text, cells);
        with_meaning(self.theme, &mut lines, means, cells);
        self.behind(first, lines);
    }

    /// The same with a note at its end, on the last line or, where there is no room, below it.
    pub fn noted(&mut self, first: &Line, role: Role, text: &str, note: &str) {
        let column = first.cells();
        let mut lines = self.rows(role, text, self.width.saturating_sub(column));
        let note = line(self.theme[Role::Dim], note);
        match lines.last_mut() {
            Some(last) if column + last.cells() + 2 + note.cells() <= self.width => {
                *last = std::mem::take(last).gap(2).join(note);
            }
            _ => lines.push(note),
        }
        self.behind(first, lines);
    }

    /// The rows of a text, from the next line on.
    fn rows(&mut self, role: Role, text: &str, cells: usize) -> Vec<Line> {
        let Some(query) = &self.query else { return wrapped(self.theme[role], text, cells) };
        let (rows, first) = found_rows(self.theme, role, text, query, cells);
        self.found = self.found.or(first.map(|row| self.count + row));
        rows
    }

    fn behind(&mut self, first: &Line, lines: Vec<Line>) {
        for line in behind(first, first.cells(), lines) {
            self.line(|| line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::input::keymap::{Context, Keymap};
    use crate::text::say;

    #[test]
    fn only_the_window_is_kept_and_everything_is_counted() {
        let (theme, keymap) = (Theme::plain(), Keymap::default());
        let (here, beneath) = (Context::Inbox, Context::Inbox);
        let voice = Voice { lang: Lang::ZhCn, keymap: &keymap, here, beneath };
        let fill = |window| {
            let mut sheet = Sheet::new(&theme, voice, 10, window);
            sheet.heading(say("then", "之后"));
            sheet.text(Role::Text, "一二三四五六七", 2);
            sheet.marked(Role::Dim, "名  ", Role::Text, "甲乙丙丁");
            sheet.finish()
        };
        let (all, count) = fill(0..usize::MAX);
        let text = |line: &Line| line.iter().map(|span| span.content.as_ref()).collect::<String>();
        assert_eq!(
            all.iter().map(text).collect::<Vec<_>>(),
            ["之后", "  一二三四", "  五六七", "名  甲乙丙", "    丁"]
        );
        assert_eq!(count, 5);
        let (some, count) = fill(2..4);
        assert_eq!((some.as_slice(), count), (&all[2..4], 5));
    }
}
