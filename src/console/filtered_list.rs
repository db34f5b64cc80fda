//! A list whose filter always has the keys: what is typed narrows it.

use super::action::Action;
use super::draw::scroll::Scroll;
use crate::console::field::{Edit, TextField};
use crate::text::Query;
use crate::text::query::Word;

#[derive(Clone, Debug)]
pub struct FilteredList {
    pub filter: TextField,
    pub hits: Vec<usize>,
    /// Row under the cursor, counted in what passes.
    pub row: usize,
    pub scroll: Scroll,
    /// The row under the cursor when the whole list was shown last.
    from: usize,
}

impl FilteredList {
    pub fn new(count: usize, row: usize) -> FilteredList {
        let (filter, scroll) = (TextField::new("", false), Scroll::default());
        FilteredList { filter, hits: (0..count).collect(), row, scroll, from: row }
    }

    /// The place of what is under the cursor.
    pub fn selected(&self) -> Option<usize> {
        self.hits.get(self.row).copied()
    }

    pub fn is_filtered(&self) -> bool {
        !self.filter.text().is_empty()
    }

    /// Moves the cursor, or changes the filter, which goes before the list does; then true, and what passes is to be found anew.
    pub fn act(&mut self, action: &Action) -> bool {
        match action {
            Action::Back if self.is_filtered() => {
                self.filter = TextField::new("", false);
                true
            }
            Action::Edit(Edit::Newline) => false,
            Action::Edit(edit) => self.filter.apply(edit.clone().in_one_line(), usize::MAX),
            action => {
                let to = action.row_from(self.row, self.scroll.rows()).unwrap_or(self.row);
                self.row = to.min(self.hits.len().saturating_sub(1));
                if !self.is_filtered() {
                    self.from = self.row;
                }
                false
            }
        }
    }

    pub fn refilter<T: AsRef<str>>(&mut self, count: usize, texts: impl Fn(usize) -> Vec<T>) {
        self.hits = found(self.filter.text(), count, texts);
        let back = self.from.min(self.hits.len().saturating_sub(1));
        self.row = if self.is_filtered() { 0 } else { back };
        self.scroll.reset();
    }
}

/// Places of those of so many things in whose texts each word of a filter is found, by its sound too.
pub fn found<T: AsRef<str>>(words: &str, count: usize, texts: impl Fn(usize) -> Vec<T>) -> Vec<usize> {
    let query = Query::new(words);
    let passes = |place: &usize| {
        let texts = if query.words().is_empty() { Vec::new() } else { texts(*place) };
        let has = |word: &Word| texts.iter().any(|text| word.find_by_sound(text.as_ref()).is_some());
        query.words().iter().all(has)
    };
    (0..count).filter(passes).collect()
}
