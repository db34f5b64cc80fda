//! The keys, drawn from the key map: those that hold on the screen below first.

use super::action::Action;
use super::draw::field::filter_field;
use super::draw::line::{Line, LineExt};
use super::draw::painter::Painter;
use super::draw::scroll::Scroll;
use super::draw::sheet::Sheet;
use super::model::Model;
use super::page;
use super::screen::{Available, Cx, Part, Screen, View};
use super::sentences as s;
use super::theme::Role;
use crate::console::field::{Edit, TextField};
use crate::console::input::keymap::{Binding, Context};
use crate::text::query::Word;
use crate::text::width::cells as cells_of;
use crate::text::{Lang, Query, Sentence, say};
use ratatui::layout::Rect;
use strum::VariantArray;

/// Cells of the column of keys; the words of longer ones stand below.
const KEYS: usize = 22;

const COLUMN: usize = 56;

/// Cells of the field that narrows the list.
const FIELD: u16 = 20;

#[derive(Clone, Debug)]
pub struct Help {
    scroll: Scroll,
    filter: TextField,
}

impl Default for Help {
    fn default() -> Help {
        Help { scroll: Scroll::default(), filter: TextField::new("", false) }
    }
}

impl Screen for Help {
    fn context(&self, _model: &Model) -> Context {
        Context::Help
    }

    fn offer(&self, action: &Action, _view: View<'_>) -> Available {
        match action {
            Action::Back if !self.filter.text().is_empty() => Available::As(s::CLEAR_FILTER),
            Action::Clear => Available::Yes,
            action => page::offer(action, &self.scroll),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::Back if !self.filter.text().is_empty() => {
                self.filter = TextField::new("", false);
                self.scroll.reset();
            }
            Action::Edit(Edit::Newline) => {}
            Action::Edit(edit) => {
                if self.filter.apply(edit.in_one_line(), usize::MAX) {
                    self.scroll.reset();
                }
            }
            action => page::scroll(&action, &self.scroll, cx),
        }
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        let row = page::draw(view.model, painter, (self, Part::Whole), &self.scroll);
        filter_field(painter, Rect { width: row.width.min(FIELD), ..row }, &self.filter, true);
    }

    fn write(&self, _part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        write(model, self.filter.text(), sheet);
    }

    fn title(&self, _part: Part) -> Sentence {
        say("Help", "帮助")
    }
}

/// Writes the page, in as many columns as there is room for.
fn write(model: &Model, words: &str, sheet: &mut Sheet<'_>) {
    let query = Query::new(words);
    let is_filtered = !query.words().is_empty();
    if !is_filtered && !model.problems.is_empty() {
        sheet.say(Role::Title, say("Mistakes in the settings", "设置中的错误"));
        for problem in &model.problems {
            sheet.marked(Role::Warn, "▲ ", Role::Text, &problem.text(sheet.lang));
        }
        sheet.blank();
    }
    if let Some(silence) = model.silence().filter(|_| !is_filtered) {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &silence);
        sheet.blank();
    }
    let columns = (sheet.width() / COLUMN).max(1);
    let cells = sheet.width() / columns;
    let blocks = order(model.beneath).into_iter().filter_map(|context| {
        let rows: Vec<&Binding> =
            model.keymap.rows(context).filter(|row| is_found(&query, row, model.lang)).collect();
        (!rows.is_empty()).then(|| block(model, context, &rows, cells, sheet))
    });
    let blocks: Vec<Vec<Line>> = blocks.collect();
    if blocks.is_empty() {
        let says = say("No key matches “{0}”.", "没有与“{0}”相符的按键。");
        return sheet.text(Role::Text, &says.fill(model.lang, &[words]), 0);
    }
    let height = blocks.iter().map(|block| block.len() + 1).sum::<usize>().div_ceil(columns);
    let mut page: Vec<Vec<Line>> = vec![Vec::new()];
    for block in blocks {
        // A block goes into the next column where more than half of it would stand below the others.
        let last = page.last().map_or(0, Vec::len);
        if last > 0 && last + block.len() / 2 > height && page.len() < columns {
            page.push(Vec::new());
        }
        let Some(column) = page.last_mut() else { return };
        if !column.is_empty() {
            column.push(Line::default());
        }
        column.extend(block);
    }
    for row in 0..page.iter().map(Vec::len).max().unwrap_or(0) {
        sheet.line(|| {
            page.iter().enumerate().fold(Line::default(), |line, (at, column)| {
                let line = if at == 0 { line } else { line.to_column(at * cells) };
                line.join(column.get(row).cloned().unwrap_or_default())
            })
        });
    }
}

/// Whether each word of a filter is in a row: in its keys, in what they do, or in where they hold.
fn is_found(query: &Query, row: &Binding, lang: Lang) -> bool {
    let texts = [&row.keys_text(), row.says.text(lang), row.context.says().text(lang)];
    let has = |word: &Word| texts.iter().any(|text| word.find_by_sound(text).is_some());
    query.words().iter().all(has)
}

/// These keys of one context, in so many cells.
fn block(model: &Model, context: Context, rows: &[&Binding], cells: usize, sheet: &Sheet<'_>) -> Vec<Line> {
    let (theme, lang) = (sheet.theme, sheet.lang);
    let width = cells.saturating_sub(1);
    let mut block = Sheet::new(theme, sheet.voice, width, 0..usize::MAX);
    let widest = model.keymap.bindings.iter().map(|row| cells_of(&row.keys_text())).max();
    let column = (widest.unwrap_or(0).min(KEYS) + 4).min(width / 2);
    block.text(Role::Title, context.says().text(lang), 0);
    for row in rows {
        let first = Line::default().gap(2).add(theme[Role::Key], &row.keys_text());
        if first.cells() + 2 > column {
            block.line(|| first);
            block.text(Role::Text, row.says.text(lang), column);
        } else {
            block.beside(&first.to_column(column), Role::Text, row.says.text(lang));
        }
    }
    block.finish().0
}

fn order(here: Context) -> Vec<Context> {
    let near: Vec<Context> = here.chain().collect();
    let rest = Context::VARIANTS.iter().copied().filter(|context| !near.contains(context));
    near.iter().copied().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_context_has_its_place_in_help() {
        for &here in Context::VARIANTS {
            let order = order(here);
            assert_eq!(order[0], here);
            assert!(Context::VARIANTS.iter().all(|context| order.contains(context)));
        }
    }
}
