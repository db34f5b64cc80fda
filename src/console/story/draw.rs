//! A story file: its name, its rows from the author's place on, what is searched for.

use super::files::StoryFiles;
use crate::console::action::Action;
use crate::console::draw::field::filter_field;
use crate::console::draw::filtered_list;
use crate::console::draw::layout::{self, RectExt, StoryLayout};
use crate::console::draw::line::{Line, LineExt, line, marked_row, wrapped};
use crate::console::draw::painter::Painter;
use crate::console::model::{Model, StoryPlace, StoryText};
use crate::console::sentences as s;
use crate::console::theme::{Role, Theme};
use crate::text::markdown::Emphasis;
use crate::text::query::Word;
use crate::text::{Safe, say, width, wrap};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use std::ops::Range;

/// What a place in a row looks like besides.
#[derive(Clone, Copy)]
enum Look {
    Weight(Modifier),
    /// The hit that the search stands at.
    Found,
}

/// Rows, and the looks of places in them: row, cells, look.
#[derive(Default)]
struct Rows {
    lines: Vec<Line>,
    looks: Vec<(usize, Range<usize>, Look)>,
}

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
    let bare = |lines| Rows { lines, looks: Vec::new() };
    let rows = match model.story.text(path) {
        None => bare(vec![line(theme[Role::Dim], s::LOADING.text(lang))]),
        Some(Err(why)) => bare(wrapped(theme[Role::Warn], &why.text(lang), cells)),
        Some(Ok(text)) if text.lines.is_empty() => {
            bare(vec![line(theme[Role::Dim], s::STORY_EMPTY.text(lang))])
        }
        Some(Ok(text)) => {
            // The screen may be taller than it was.
            let place = place.min(text.last(height.max(1), cells.max(1)));
            let (rows, end) = rows(theme, model, text, place, (height, cells));
            let encoding = text.encoding.map(|name| format!("{name} · ")).unwrap_or_default();
            read = format!("{encoding}{}%", end * 100 / text.text.len());
            rows
        }
    };
    painter.lines(parts.text, rows.lines);
    for (row, cells, look) in rows.looks {
        let [x, end] = [cells.start, cells.end].map(|cells| u16::try_from(cells).unwrap_or(u16::MAX));
        let area = parts.text.row(u16::try_from(row).unwrap_or(u16::MAX)).inset(x, 0);
        let area = Rect { width: area.width.min(end - x), ..area };
        match look {
            Look::Weight(weight) => painter.weigh(area, weight),
            Look::Found => painter.select_words(area),
        }
    }
    let key = painter.voice.key(&Action::Story).filter(|_| !focused);
    let key = key.map_or_else(Line::default, |key| line(theme[Role::Key], key).gap(2));
    let left = painter.right(parts.header, key.add(theme[Role::Dim], &read));
    let (mark, role) = if focused { (Role::Accent, Role::Title) } else { (Role::Dim, Role::Dim) };
    let number = format!("{} {}/{}  ", say("Story", "文稿").text(lang), files.at + 1, files.list.len());
    let title = line(theme[mark], &number);
    let room = usize::from(left.width).saturating_sub(title.cells());
    painter.line(left, title.add(theme[role], &width::fit_start(&Safe::line(path), room)));
    if let Some(search) = &files.search {
        let hit = files.hit.as_ref().filter(|_| !search.focused);
        let number = hit.map_or_else(String::new, |hit| format!("{}/{}", hit.number, hit.count));
        let left = painter.right(parts.search, line(theme[Role::Dim], &number));
        filter_field(painter, left, &search.field, search.focused && focused);
    }
}

/// The rows from a place on, and the byte offset behind the last of them; the last of all may say that the file has more.
fn rows(
    theme: &Theme,
    model: &Model,
    text: &StoryText,
    from: StoryPlace,
    (height, cells): (usize, usize),
) -> (Rows, usize) {
    let words = Word::new(&Safe::line(model.story_files().map_or("", StoryFiles::words)));
    let found = model.story_files().and_then(|files| files.hit.as_ref());
    let first = text.line_of(from.at);
    let mut out = Rows::default();
    let mut end = text.text.len();
    for (at, shown) in text.lines.iter().enumerate().skip(first) {
        let rows = wrap::wrap(&shown.text, cells.max(1));
        let skip = if at == first { from.row.min(rows.len() - 1) } else { 0 };
        let hits: Vec<_> = words.iter().flat_map(|words| words.find_all(&shown.text)).collect();
        let current = found.and_then(|hit| {
            let place =
                hit.place.start.checked_sub(shown.at).filter(|_| text.line_of(hit.place.start) == at)?;
            let start = Safe::line(&text.text[shown.at..shown.at + place]).len();
            hits.iter().find(|hit| hit.start == start).cloned()
        });
        let role = if shown.is_heading { Role::Title } else { Role::Text };
        let is_more = text.is_cut && at + 1 == text.lines.len();
        for row in rows.into_iter().skip(skip) {
            if out.lines.len() == height {
                return (out, shown.at + row.start);
            }
            if is_more {
                out.lines.push(line(theme[Role::Dim], s::STORY_CUT.text(model.lang)));
                continue;
            }
            let weights =
                shown.emphasis.iter().map(|(range, emphasis)| (range, Look::Weight(weight(*emphasis))));
            for (range, look) in weights.chain(current.iter().map(|range| (range, Look::Found))) {
                let (start, end) = (range.start.max(row.start), range.end.min(row.end));
                if start < end {
                    let [from, to] = [start, end].map(|end| width::cells(&shown.text[row.start..end]));
                    out.looks.push((out.lines.len(), from..to, look));
                }
            }
            out.lines.push(marked_row(theme, role, &shown.text, row, &hits));
        }
        end = text.lines.get(at + 1).map_or(text.text.len(), |next| next.at);
    }
    (out, end)
}

fn weight(emphasis: Emphasis) -> Modifier {
    match emphasis {
        Emphasis::Slanted => Modifier::ITALIC,
        Emphasis::Strong => Modifier::BOLD,
        Emphasis::Both => Modifier::BOLD | Modifier::ITALIC,
    }
}
