//! A story file: its name, its rows from the author's place on, what is searched for.

use super::files::StoryFiles;
use crate::console::action::Action;
use crate::console::draw::field::filter_field;
use crate::console::draw::filtered_list;
use crate::console::draw::layout::{self, StoryLayout};
use crate::console::draw::line::{Line, LineExt, line, marked_row, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::model::{Model, StoryPlace, StoryText};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::{Safe, say, width, wrap};

pub(super) fn parts(model: &Model) -> StoryLayout {
    layout::story(model.size, model.story_width(), model.story_search().is_some())
}

/// Draws the file that is shown, in its pane or over the screen; `focused` if it has the keys.
pub(crate) fn draw(model: &Model, painter: &mut Painter<'_>, focused: bool) {
    let Some((files, (path, place))) = model.story_files().and_then(|files| Some((files, files.shown()?)))
    else {
        return;
    };
    let parts = parts(model);
    let (theme, lang) = (painter.theme, model.lang);
    painter.rule(parts.rule);
    if let Some(list) = model.story.list.as_ref().filter(|_| focused) {
        let title = line(theme[Role::Title], say("Story files", "文稿文件").text(lang));
        let nothing = say("No file matches “{0}”.", "没有与“{0}”相符的文件。");
        let room = usize::from(parts.pane.width).saturating_sub(4);
        let name =
            |at: &usize| line(theme[Role::Text], &width::fit_start(&Safe::line(&files.list[*at].0), room));
        let head = (title, Line::default(), files.list.len());
        return filtered_list::draw(list, painter, parts.pane, head, nothing, |places| {
            places.iter().map(name).collect()
        });
    }
    let (height, cells) = (usize::from(parts.text.height), usize::from(parts.text.width));
    let mut read = String::new();
    let rows = match model.story.text(path) {
        None => vec![line(theme[Role::Dim], s::LOADING.text(lang))],
        Some(Err(why)) => wrapped(theme[Role::Warn], &why.text(lang), cells),
        Some(Ok(text)) if text.lines.is_empty() => vec![line(theme[Role::Dim], s::STORY_EMPTY.text(lang))],
        Some(Ok(text)) => {
            // The screen may be taller than it was.
            let place = place.min(text.last(height.max(1), cells.max(1)));
            let (rows, end) = rows(theme, model, text, place, (height, cells));
            read = format!("{}%", end * 100 / text.text.len());
            rows
        }
    };
    painter.lines(parts.text, rows);
    let key = painter.voice.key(&Action::Story).filter(|_| !focused);
    let key = key.map_or_else(Line::default, |key| line(theme[Role::Key], key).gap(2));
    let left = painter.right(parts.header, key.add(theme[Role::Dim], &read));
    let (mark, role) = if focused { (Role::Accent, Role::Title) } else { (Role::Dim, Role::Dim) };
    let number = format!("{} {}/{}  ", say("Story", "文稿").text(lang), files.at + 1, files.list.len());
    let title = line(theme[mark], &number);
    let room = usize::from(left.width).saturating_sub(title.cells());
    painter.line(left, title.add(theme[role], &width::fit_start(&Safe::line(path), room)));
    if let Some(search) = &files.search {
        filter_field(painter, parts.search, &search.field, search.focused && focused);
    }
}

/// The rows from a place on, and the byte offset behind the last of them; the last of all may say that the file has more.
fn rows(
    theme: &Theme,
    model: &Model,
    text: &StoryText,
    from: StoryPlace,
    (height, cells): (usize, usize),
) -> (Vec<Line>, usize) {
    let words = model.story_files().map_or("", StoryFiles::words);
    let words = Safe::line(words).to_ascii_lowercase();
    let first = text.line_of(from.at);
    let mut out = Vec::new();
    let mut end = text.text.len();
    for (at, shown) in text.lines.iter().enumerate().skip(first) {
        let rows = wrap::wrap(&shown.text, cells.max(1));
        let skip = if at == first { from.row.min(rows.len() - 1) } else { 0 };
        // ASCII letters match in either case.
        let text_here = shown.text.to_ascii_lowercase();
        let hits = text_here.match_indices(&words).filter(|(_, hit)| !hit.is_empty());
        let hits: Vec<_> = hits.map(|(at, hit)| at..at + hit.len()).collect();
        let is_more = text.is_cut && at + 1 == text.lines.len();
        for row in rows.into_iter().skip(skip) {
            if out.len() == height {
                return (out, shown.at + row.start);
            }
            out.push(if is_more {
                line(theme[Role::Dim], s::STORY_CUT.text(model.lang))
            } else {
                marked_row(theme, Role::Text, &shown.text, row, &hits)
            });
        }
        end = text.lines.get(at + 1).map_or(text.text.len(), |next| next.at);
    }
    (out, end)
}
