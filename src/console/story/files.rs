//! The story files of each packet, the author's places in them, and the text of the one that is read.

use crate::console::filtered_list::FilteredList;
use crate::console::inbox::ListFilter;
use crate::store::story::{self, Hit, StoryPlace, StoryText};
use crate::text::{Message, Safe, wrap};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct Story {
    /// The files of each packet whose form was opened.
    pub files: BTreeMap<PathBuf, StoryFiles>,
    /// The file that was read last, or why it cannot be shown.
    pub read: Option<(String, Result<StoryText, Message>)>,
    pub list: Option<FilteredList>,
}

#[derive(Clone, Debug, Default)]
pub struct StoryFiles {
    /// Their paths as the packet spells them, and the author's places in them.
    pub list: Vec<(String, StoryPlace)>,
    pub at: usize,
    pub search: Option<ListFilter>,
    /// What was found last.
    pub(super) hit: Option<Hit>,
}

impl StoryFiles {
    /// The places that the author had when he looked last, the last one last.
    pub(super) fn kept(list: Vec<(String, StoryPlace)>) -> StoryFiles {
        StoryFiles { at: list.len().saturating_sub(1), list, ..StoryFiles::default() }
    }

    /// The files as they are now; the author's places stay. Where he has none yet, it is the end of the last chapter, or the
    /// beginning of the one that the step itself works on.
    pub fn take(&mut self, paths: Vec<String>, step: &str) {
        let was = self.clone();
        let place = |path: &String| was.list.iter().find(|(other, _)| other == path).map(|(_, place)| *place);
        let shown = was.shown().and_then(|(shown, _)| paths.iter().position(|path| path == shown));
        let chapter = story::last_chapter(&paths);
        self.at = shown.or(chapter).unwrap_or(0);
        let own = step.rsplit_once(':').map(|(chapter, _)| chapter.replace(':', "-"));
        let is_own =
            |at: &usize| Path::new(&paths[*at]).file_stem().and_then(OsStr::to_str) == own.as_deref();
        let ended = chapter.filter(|at| !is_own(at));
        let first = |at: usize| StoryPlace { at: if ended == Some(at) { usize::MAX } else { 0 }, row: 0 };
        let placed = |(at, path): (usize, String)| (path.clone(), place(&path).unwrap_or(first(at)));
        self.list = paths.into_iter().enumerate().map(placed).collect();
    }

    pub fn shown(&self) -> Option<(&str, StoryPlace)> {
        self.list.get(self.at).map(|(path, place)| (path.as_str(), *place))
    }

    pub fn words(&self) -> &str {
        self.search.as_ref().map_or("", |search| search.field.text())
    }

    pub(super) fn is_searching(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.focused)
    }
}

impl Story {
    pub fn text(&self, path: &str) -> Option<&Result<StoryText, Message>> {
        self.read.as_ref().filter(|(read, _)| read == path).map(|(_, text)| text)
    }
}

impl StoryText {
    pub fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.at <= at).saturating_sub(1)
    }

    /// The place so many rows further, or back, as far as there are any.
    pub fn moved(&self, from: StoryPlace, by: isize, width: usize) -> StoryPlace {
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
    pub fn last(&self, height: usize, width: usize) -> StoryPlace {
        let line = self.lines.len().saturating_sub(1);
        let bottom = self.place(line, self.rows(line, width).saturating_sub(1));
        self.moved(bottom, 1 - height.max(1).cast_signed(), width)
    }

    pub(super) fn place_of(&self, at: usize, width: usize) -> StoryPlace {
        let line = self.line_of(at);
        let Some(shown) = self.lines.get(line) else { return StoryPlace::default() };
        let column = Safe::line(&self.text[shown.at..at]).len();
        let rows = wrap::wrap(&shown.text, width);
        self.place(line, rows.iter().rposition(|row| row.start <= column).unwrap_or(0))
    }

    pub(super) fn place(&self, line: usize, row: usize) -> StoryPlace {
        StoryPlace { at: self.lines.get(line).map_or(0, |line| line.at), row }
    }

    pub(super) fn rows(&self, line: usize, width: usize) -> usize {
        self.lines.get(line).map_or(1, |line| wrap::wrap(&line.text, width).len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::story::StoryLine;

    /// Lines that are drawn on one, three and two rows of four cells.
    fn text() -> StoryText {
        let line = |(at, text): (usize, &str)| StoryLine {
            at,
            text: Safe::line(text),
            is_heading: false,
            emphasis: Vec::new(),
        };
        let lines = [(0, "一"), (4, "一二三四五"), (20, "abcdef")].map(line).to_vec();
        StoryText { text: "一\n一二三四五\nabcdef".to_owned(), lines, ..StoryText::default() }
    }

    #[test]
    fn a_place_moves_by_rows() {
        let text = text();
        let rows = [(0, 0), (4, 0), (4, 1), (4, 2), (20, 0), (20, 1)].map(|(at, row)| StoryPlace { at, row });
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
        assert_eq!(text().moved(StoryPlace { at: 4, row: 7 }, 0, 4), StoryPlace { at: 4, row: 2 });
        assert_eq!(text().moved(StoryPlace { at: 10, row: 0 }, 0, 80), StoryPlace { at: 4, row: 0 });
        let empty = StoryText::default();
        assert_eq!(empty.moved(StoryPlace { at: 9, row: 3 }, -2, 4), StoryPlace::default());
        assert_eq!(empty.last(5, 4), StoryPlace::default());
    }

    #[test]
    fn files_that_come_and_go_leave_the_author_where_he_was() {
        let mut files = StoryFiles::default();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        files.take(names(&["a", "b"]), "");
        files.at = 1;
        files.list[1].1 = StoryPlace { at: 5, row: 1 };
        files.take(names(&["c", "a", "b"]), "");
        assert_eq!(files.shown(), Some(("b", StoryPlace { at: 5, row: 1 })));
        files.take(names(&["c"]), "");
        assert_eq!(files.shown(), Some(("c", StoryPlace::default())));
        files.take(Vec::new(), "");
        assert_eq!(files.shown(), None);
    }

    #[test]
    fn at_first_the_end_of_the_last_chapter_is_shown() {
        let end = StoryPlace { at: usize::MAX, row: 0 };
        for (names, shown, place) in [
            (&["brief.md", "chapters/chapter-10.md", "chapters/chapter-9.md", "z.md"][..], 1, end),
            (&["staging/chapters/c-012.md", "chapters/c-013.md", "chapters/c-002.md"], 1, end),
            (&["chapters/c-012.md", "staging/chapters/c-013.md", "summaries/c-014.md"], 1, end),
            (&["brief.md", "chapters"], 0, StoryPlace::default()),
        ] {
            let mut files = StoryFiles::default();
            files.take(names.iter().map(|name| (*name).to_owned()).collect(), "chapter:014:draft");
            assert_eq!(files.shown(), Some((names[shown], place)), "{names:?}");
        }
    }

    #[test]
    fn a_step_on_that_very_chapter_begins_at_its_beginning() {
        let mut files = StoryFiles::default();
        files.take(
            vec!["brief.md".to_owned(), "staging/chapters/chapter-012.md".to_owned()],
            "chapter:012:judge",
        );
        assert_eq!(files.shown(), Some(("staging/chapters/chapter-012.md", StoryPlace::default())));
    }
}
