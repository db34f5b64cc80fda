//! A story file: its name, its rows from the author's place on, what is searched for.

use super::{Place, StoryFiles, StoryText};
use crate::console::action::Action;
use crate::console::draw::filter_field::filter_field;
use crate::console::draw::hit;
use crate::console::draw::layout;
use crate::console::draw::line::{Line, LineExt, line, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::model::Model;
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::{Safe, width, wrap};
use std::ops::Range;

/// Draws the file that is shown, in its pane or over the screen; `focused` if it has the keys.
pub(crate) fn draw(model: &Model, painter: &mut Painter<'_>, focused: bool) {
    let Some((files, (path, place))) = model.story_files().and_then(|files| Some((files, files.shown()?)))
    else {
        return;
    };
    let parts = layout::story(model);
    let theme = painter.theme;
    let cells = usize::from(parts.text.width);
    let mut percent = None;
    match model.story.text(path) {
        None => painter.line(parts.text, line(theme[Role::Dim], s::LOADING.text(model.lang))),
        Some(Err(why)) => painter.lines(parts.text, wrapped(theme[Role::Warn], &why.text(model.lang), cells)),
        Some(Ok(text)) if text.lines.is_empty() => {
            painter.line(parts.text, line(theme[Role::Dim], s::STORY_EMPTY.text(model.lang)));
        }
        Some(Ok(text)) => {
            let words = Safe::line(model.story.words());
            let more = line(theme[Role::Dim], s::STORY_CUT.text(model.lang));
            let height = usize::from(parts.text.height);
            // The screen may be taller than it was.
            let place = place.min(text.last(height.max(1), cells.max(1)));
            let (rows, end) = rows(theme, text, &more, &words, place, height, cells);
            painter.lines(parts.text, rows);
            percent = Some(end * 100 / text.text.len());
        }
    }
    header(model, focused, painter, files, percent);
    painter.rule(parts.rule);
    if let Some(search) = &model.story.search {
        filter_field(model, painter, parts.search, &search.field, search.focused && focused);
    }
}

fn header(
    model: &Model,
    focused: bool,
    painter: &mut Painter<'_>,
    files: &StoryFiles,
    percent: Option<usize>,
) {
    let theme = painter.theme;
    let row = layout::story(model).header;
    let read = percent.map(|percent| format!("{percent}%")).unwrap_or_default();
    let key = model.key(&Action::Story).filter(|_| !focused);
    let key = key.map_or_else(Line::default, |key| line(theme[Role::Key], key).gap(2));
    let left = painter.right(row, key.add(theme[Role::Dim], &read));
    let (mark, role) = if focused { (Role::Accent, Role::Title) } else { (Role::Dim, Role::Dim) };
    let place = format!("{} {}/{}  ", s::STORY.text(model.lang), files.at + 1, files.list.len());
    let path = files.shown().map(|(path, _)| Safe::line(path)).unwrap_or_default();
    let title = line(theme[mark], &place);
    let room = usize::from(left.width).saturating_sub(title.cells());
    painter.line(left, title.add(theme[role], &width::fit_start(&path, room)));
}

/// The rows from a place on, and the byte offset behind the last of them; the last of all may say that the file has more.
fn rows(
    theme: &Theme,
    text: &StoryText,
    more: &Line,
    words: &str,
    from: Place,
    height: usize,
    cells: usize,
) -> (Vec<Line>, usize) {
    let first = text.line_of(from.at);
    let mut out = Vec::new();
    let mut end = text.text.len();
    for (at, shown) in text.lines.iter().enumerate().skip(first) {
        let rows = wrap::wrap(&shown.text, cells.max(1));
        let skip = if at == first { from.row.min(rows.len() - 1) } else { 0 };
        let hits = hits(&shown.text, words);
        let is_more = text.is_cut && at + 1 == text.lines.len();
        for row in rows.into_iter().skip(skip) {
            if out.len() == height {
                return (out, shown.at + row.start);
            }
            out.push(if is_more {
                more.clone()
            } else {
                hit::row(theme, Role::Text, &shown.text, row, &hits)
            });
        }
        end = text.lines.get(at + 1).map_or(text.text.len(), |next| next.at);
    }
    (out, end)
}

/// Where the words stand in a text; ASCII letters match in either case.
fn hits(text: &str, words: &str) -> Vec<Range<usize>> {
    if words.is_empty() {
        return Vec::new();
    }
    let (text, words) = (text.to_ascii_lowercase(), words.to_ascii_lowercase());
    text.match_indices(&words).map(|(at, found)| at..at + found.len()).collect()
}
