//! Words in the filter of a question that takes own words: they stand in the row for these, typed and not chosen, until
//! they are erased, chosen, or have found an option that is chosen.

use crate::console::field::{Edit, TextField};
use crate::console::form::filter::OptionFilter;
use crate::console::form::{Focus, Form, Row};

impl Form {
    /// Opens the filter of the question shown, if it is not open, and changes its text. True if the text has changed.
    pub fn edit_filter(&mut self, edit: Edit) -> bool {
        self.focus = Focus::Filter;
        let (view, options) = (&mut self.views[self.at], &self.gate.spec().questions[self.at].options);
        let stands = &self.draft.replies[self.at].other;
        let new = || OptionFilter::new(TextField::default(), stands, options);
        let filter = view.filter.get_or_insert_with(new);
        if !filter.field.apply(edit.in_one_line(), usize::MAX) {
            return false;
        }
        filter.narrow(options);
        view.scroll.reset();
        self.keep_filter_words();
        self.point_at_hit();
        true
    }

    /// The cursor goes to the first hit in a label, else to the row for own words, else to the first hit.
    pub fn point_at_hit(&mut self) {
        let takes_words = self.question().allow_other;
        let Some(filter) = &mut self.views[self.at].filter else { return };
        filter.is_pointed = false;
        let to_words = takes_words && !filter.finds_label();
        // Own words that are chosen may pass the filter, and stand before the row for others.
        self.point_at(if to_words { usize::MAX } else { 0 });
    }

    /// Lets the words of the filter stand in the row for own words, unless they are the pinyin of an option.
    pub fn keep_filter_words(&mut self) {
        let filter = self.filter().filter(|filter| !filter.is_pinyin());
        let words = filter.map(|filter| filter.field.text().to_owned());
        self.let_stand(&words.unwrap_or_default());
    }

    /// The words of the filter have found what was chosen: what stood in the row for own words before stands there again.
    pub fn use_filter(&mut self) {
        self.let_stand("");
    }

    /// Whether a blank in the filter ticks the row under the cursor. Where own words can be the answer, it is a part of them,
    /// unless a key has moved the cursor to an option.
    pub fn space_ticks(&self) -> bool {
        let is_pointed = self.filter().is_some_and(|filter| filter.is_pointed);
        !self.question().allow_other || is_pointed && self.current_row() != Some(Row::Typed)
    }

    /// Closes the filter for the field for own words, the cursor on their row; with it on those of the filter, these are
    /// the words that stand there.
    pub fn filter_to_words(&mut self) {
        let typed = self.filter().filter(|_| self.current_row() == Some(Row::Typed));
        if let Some(words) = typed.map(|filter| filter.field.text().to_owned()) {
            self.let_stand(&words);
        }
        self.views[self.at].filter = None;
        self.point_at_other();
    }

    /// Lets words of the filter stand in the row for own words, where there is one. What stood there before goes aside
    /// meanwhile, unless it is a part of them.
    fn let_stand(&mut self, words: &str) {
        let takes_words = self.question().allow_other;
        let Some(filter) = self.views[self.at].filter.as_mut().filter(|_| takes_words) else { return };
        let reply = &mut self.draft.replies[self.at];
        if reply.other != filter.stands {
            // Other words have come there since.
            filter.stood.clone_from(&reply.other);
        }
        let next = if words.trim().is_empty() { &filter.stood } else { words };
        reply.alternatives.retain(|aside| aside.typed_words() != Some(&filter.stood));
        filter.stands = next.to_owned();
        reply.other.clone_from(&filter.stands);
        if !reply.other.contains(filter.stood.trim()) {
            reply.put_words_aside(filter.stood.clone());
        }
    }
}
