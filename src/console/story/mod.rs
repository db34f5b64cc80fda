//! The story beside the questions: the files that the packets name, and the author's places in them.

pub mod acts;
pub mod draw;

pub use self::acts::{StoryScreen, take};
pub(crate) use self::acts::{list, open, read};

use crate::console::inbox::ListFilter;
use crate::error::Message;
pub use crate::store::story::StoryText;
use crate::text::{Safe, wrap};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The files of each packet whose form was opened.
    pub files: BTreeMap<PathBuf, StoryFiles>,
    /// The file that was read last, or why it cannot be shown.
    pub read: Option<(String, Result<StoryText, Message>)>,
    pub search: Option<ListFilter>,
    /// The packet whose story is shown as soon as its files are known.
    pub wanted: Option<PathBuf>,
    /// Byte offset of the hit that was found last.
    pub hit: Option<usize>,
}

/// The files of one packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoryFiles {
    /// Their paths as the packet spells them, and the author's places in them.
    pub list: Vec<(String, Place)>,
    /// Index of the file shown.
    pub at: usize,
}

/// The first row that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Byte offset of its line.
    pub at: usize,
    /// Which row of the line it is; a narrower pane has more.
    pub row: usize,
}

impl StoryFiles {
    /// The files as they are now; the author's places stay.
    pub fn take(&mut self, paths: Vec<String>) {
        let was = std::mem::take(self);
        let place = |path: &String| was.list.iter().find(|(other, _)| other == path).map(|(_, place)| *place);
        let shown = was.list.get(was.at).map(|(path, _)| path);
        self.at = paths.iter().position(|path| Some(path) == shown).unwrap_or(0);
        self.list = paths.into_iter().map(|path| (path.clone(), place(&path).unwrap_or_default())).collect();
    }

    /// The file shown, and the author's place in it.
    pub fn shown(&self) -> Option<(&str, Place)> {
        self.list.get(self.at).map(|(path, place)| (path.as_str(), *place))
    }
}

impl Story {
    /// What was read of this file last.
    pub fn text(&self, path: &str) -> Option<&Result<StoryText, Message>> {
        self.read.as_ref().filter(|(read, _)| read == path).map(|(_, text)| text)
    }

    /// The words to search for.
    pub fn words(&self) -> &str {
        self.search.as_ref().map_or("", |search| search.field.text())
    }
}

impl StoryText {
    /// Index of the line that a place is in.
    pub fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.at <= at).saturating_sub(1)
    }

    /// The place so many rows further, or back, as far as there are any.
    pub fn moved(&self, from: Place, by: isize, width: usize) -> Place {
        let rows = |line: usize| self.rows(line, width).cast_signed();
        let mut line = self.line_of(from.at);
        let mut row = from.row.cast_signed().min(rows(line) - 1) + by;
        while row < 0 && line > 0 {
            line -= 1;
            row += rows(line);
        }
        while row >= rows(line) && line + 1 < self.lines.len() {
            row -= rows(line);
            line += 1;
        }
        self.place(line, row.clamp(0, rows(line) - 1).unsigned_abs())
    }

    /// The place from which the last row is at the bottom.
    pub fn last(&self, height: usize, width: usize) -> Place {
        let line = self.lines.len().saturating_sub(1);
        let bottom = self.place(line, self.rows(line, width).saturating_sub(1));
        self.moved(bottom, 1 - height.max(1).cast_signed(), width)
    }

    /// The row in which a byte of the text is.
    pub fn place_of(&self, at: usize, width: usize) -> Place {
        let line = self.line_of(at);
        let Some(shown) = self.lines.get(line) else { return Place::default() };
        let column = Safe::line(&self.text[shown.at..at]).len();
        let rows = wrap::wrap(&shown.text, width);
        self.place(line, rows.iter().rposition(|row| row.start <= column).unwrap_or(0))
    }

    fn place(&self, line: usize, row: usize) -> Place {
        Place { at: self.lines.get(line).map_or(0, |line| line.at), row }
    }

    fn rows(&self, line: usize, width: usize) -> usize {
        self.lines.get(line).map_or(1, |line| wrap::wrap(&line.text, width).len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::story::StoryLine;

    /// Lines that are drawn on one, three and two rows of four cells.
    fn text() -> StoryText {
        let line = |(at, text): (usize, &str)| StoryLine { at, text: Safe::line(text) };
        let lines = [(0, "一"), (4, "一二三四五"), (20, "abcdef")].map(line).to_vec();
        StoryText { text: "一\n一二三四五\nabcdef".to_owned(), lines, ..StoryText::default() }
    }

    #[test]
    fn a_place_moves_by_rows() {
        let text = text();
        let rows = [(0, 0), (4, 0), (4, 1), (4, 2), (20, 0), (20, 1)].map(|(at, row)| Place { at, row });
        for (from, place) in rows.iter().enumerate() {
            for (to, expected) in rows.iter().enumerate() {
                let by = to.cast_signed() - from.cast_signed();
                assert_eq!(text.moved(*place, by, 4), *expected, "{from} to {to}");
            }
        }
        assert_eq!([text.moved(rows[2], -9, 4), text.moved(rows[2], 9, 4)], [rows[0], rows[5]]);
        assert_eq!([text.last(2, 4), text.last(99, 4)], [rows[4], rows[0]]);
        assert_eq!(text.place_of(10, 4), rows[2], "the third character");
    }

    #[test]
    fn a_place_of_a_narrower_pane_stays_in_its_line() {
        assert_eq!(text().moved(Place { at: 4, row: 7 }, 0, 4), Place { at: 4, row: 2 });
        assert_eq!(text().moved(Place { at: 10, row: 0 }, 0, 80), Place { at: 4, row: 0 });
        let empty = StoryText::default();
        assert_eq!(empty.moved(Place { at: 9, row: 3 }, -2, 4), Place::default());
        assert_eq!(empty.last(5, 4), Place::default());
    }

    #[test]
    fn files_that_come_and_go_leave_the_author_where_he_was() {
        let mut files = StoryFiles::default();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        files.take(names(&["a", "b"]));
        files.at = 1;
        files.list[1].1 = Place { at: 5, row: 1 };
        files.take(names(&["c", "a", "b"]));
        assert_eq!(files.shown(), Some(("b", Place { at: 5, row: 1 })));
        files.take(names(&["c"]));
        assert_eq!(files.shown(), Some(("c", Place::default())));
        files.take(Vec::new());
        assert_eq!(files.shown(), None);
    }
}
