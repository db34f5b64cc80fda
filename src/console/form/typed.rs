//! Words in the filter of a question that takes own words: they stand in the row for these, typed and not chosen, until
//! they are erased, chosen, or have found an option that is chosen.

use crate::console::field::{Edit, TextField};
use crate::console::form::filter::OptionFilter;
use crate::console::form::{Focus, Form, Row};

impl Form {
    /// Opens the filter of the question shown, if it is not open, and changes its text. True if the text has changed.
    pub fn edit_filter(&mut self, edit: Edit) -> bool {
        let at = self.at;
        let Some(gate) = &self.gate.packet.gate else { return false };
        let Some((view, question)) = self.views.get_mut(at).zip(gate.spec.questions.get(at)) else {
            return false;
        };
        let stands = &self.draft.replies[at].other;
        let new = || OptionFilter::new(TextField::new("", false), stands, &question.options);
        let filter = view.filter.get_or_insert_with(new);
        self.focus = Focus::Filter;
        if !filter.field.apply(edit.in_one_line(), usize::MAX) {
            return false;
        }
        filter.narrow(&question.options);
        view.scroll.reset();
        self.keep_filter_words();
        self.point_at_hit();
        true
    }

    /// The cursor goes to the first hit in a label, else to the row for own words, else to the first hit.
    pub fn point_at_hit(&mut self) {
        let at = self.at;
        let takes_words = self.question().is_some_and(|question| question.allow_other);
        let Some(filter) = &mut self.views[at].filter else { return };
        filter.is_pointed = false;
        let to_words = takes_words && !filter.finds_label();
        self.views[at].cursor = 0;
        if to_words {
            // Own words that are chosen may pass the filter, and stand before that row.
            self.point_at_other();
        }
    }

    /// Lets the words of the filter stand in the row for own words, unless they are the pinyin of an option.
    pub fn keep_filter_words(&mut self) {
        let filter = self.view().and_then(|view| view.filter.as_ref());
        let words = filter.filter(|filter| !filter.is_pinyin()).map(|filter| filter.field.text().to_owned());
        self.let_stand(&words.unwrap_or_default());
    }

    /// The words of the filter have found what was chosen: what stood in the row for own words before stands there again.
    pub fn use_filter(&mut self) {
        self.let_stand("");
    }

    /// Whether a blank in the filter ticks the row under the cursor. Where own words can be the answer, it is a part of them,
    /// unless a key has moved the cursor to an option.
    pub fn space_ticks(&self) -> bool {
        let is_pointed = self.view().and_then(|view| view.filter.as_ref()).is_some_and(|it| it.is_pointed);
        let takes_words = self.question().is_some_and(|question| question.allow_other);
        !takes_words || is_pointed && self.current_row() != Some(Row::Typed)
    }

    /// Closes the filter for the field for own words, the cursor on their row; with it on those of the filter, these are
    /// the words that stand there.
    pub fn filter_to_words(&mut self) {
        let at = self.at;
        let filter = self.view().and_then(|view| view.filter.as_ref());
        let typed = filter.filter(|_| self.current_row() == Some(Row::Typed));
        if let Some(words) = typed.map(|filter| filter.field.text().to_owned()) {
            self.let_stand(&words);
        }
        self.views[at].filter = None;
        self.point_at_other();
    }

    /// What stands in the row for own words goes aside, to make room for others.
    pub fn set_words_aside(&mut self) {
        let at = self.at;
        let Some(reply) = self.draft.replies.get_mut(at) else { return };
        let words = std::mem::take(&mut reply.other);
        reply.put_words_aside(words);
    }

    /// Lets words of the filter stand in the row for own words, where there is one. What stood there before goes aside
    /// meanwhile, unless it is a part of them.
    fn let_stand(&mut self, words: &str) {
        let at = self.at;
        let Some(gate) = &self.gate.packet.gate else { return };
        if !gate.spec.questions.get(at).is_some_and(|question| question.allow_other) {
            return;
        }
        let Some(filter) = self.views.get_mut(at).and_then(|view| view.filter.as_mut()) else { return };
        let reply = &mut self.draft.replies[at];
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
