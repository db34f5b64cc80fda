//! Where the author is in a question, taken over to the same question as it is asked now.

use super::{Focus, Form, Row};
use crate::ask::Kind;

impl Form {
    /// Takes over focus, filter and cursor of the form before, in the same question.
    pub(super) fn take_place_of(&mut self, before: &Form) {
        let question = self.gate.spec().questions[self.at].clone();
        if before.focus == Focus::Field && (question.kind == Kind::FreeText || question.allow_other) {
            self.field = before.field.clone();
            self.focus = Focus::Field;
            return self.point_at_other();
        }
        self.inherit_fold(before);
        let stands = &self.draft.replies[self.at].other;
        let filter = before.filter().map(|filter| filter.carried_over_to(stands, &question.options));
        self.views[self.at].filter = filter;
        self.focus = Focus::List;
        if before.focus == Focus::Filter {
            self.focus = Focus::Filter;
            self.keep_filter_words();
        }
        match self.same_row(before) {
            Some(row) => self.point_at(row),
            None => self.point_at_hit(),
        }
    }

    /// The row that means what the one under the cursor of the form before does, in the same question.
    fn same_row(&self, before: &Form) -> Option<usize> {
        match before.current_row()? {
            Row::Option(place) => {
                let place = self.question().option(&before.question().options.get(place)?.label)?;
                self.place_of(Row::Option(place))
            }
            Row::Own(place) => {
                let words = before.own_in_rows().nth(place)?;
                self.place_of(Row::Own(self.own_in_rows().position(|own| own == words)?))
            }
            row @ (Row::Bare | Row::Earlier) => self.place_of(row),
            Row::Other | Row::Typed => self.question().allow_other.then(|| self.row_count() - 1),
        }
    }

    /// Leaves open what the form before had open, and what its cursor was on.
    fn inherit_fold(&mut self, before: &Form) {
        let was_opened =
            before.filter().is_some() || before.view().fold != before.question().earlier_rounds();
        let label = match before.current_row() {
            Some(Row::Option(place)) => before.question().options.get(place).map(|option| &option.label),
            _ => None,
        };
        let place = label.and_then(|label| self.question().option(label));
        if was_opened || place.is_some_and(|place| self.view().fold.contains(&place)) {
            self.unfold(self.at);
        }
    }
}
