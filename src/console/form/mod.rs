//! The form: where the author is in the gate that is answered. The answers themselves are an `ask::Draft`.

pub mod acts;
mod changed_packet;
pub mod changes;
pub mod draw;
mod earlier;
mod field;
pub mod filter;
pub mod gate;
pub mod guard;
pub mod keep;
mod note;
pub mod open;
pub mod opened;
pub mod page;
pub mod reload;
pub mod repair;
mod screen;
pub mod start;
pub mod status;
pub mod title;
mod typed;

use self::filter::OptionFilter;
use self::gate::{LoadedGate, spec};
use self::opened::OpenedGate;
use self::repair::{Before, Repair};
use self::status::{FormStatus, Warnings};
use super::draw::scroll::Scroll;
use crate::ask::draft::CarriedOver;
use crate::ask::{
    Change, ChangeKind, Diagnosis, Draft, JsString, Kind, Pick, Question, QuestionSpec, Reply, drift,
};
use crate::console::field::TextField;
use crate::text::Query;
use std::sync::Arc;
use std::time::SystemTime;

#[derive(Clone, Debug)]
pub struct Form {
    /// The gate with the questions that these answers are for; a record is never written for other ones.
    pub gate: LoadedGate,
    pub draft: Draft,
    /// Places of questions with their replies before keys changed them, the last change last.
    pub earlier: Vec<(usize, Reply)>,
    /// Place of the question shown.
    pub at: usize,
    /// Where the author is in each question.
    pub views: Vec<QuestionView>,
    /// Where keys go.
    pub focus: Focus,
    /// The text field of the question shown: free text, or the words for `Other`.
    pub field: TextField,
    /// The note that is being written; it has the keys.
    pub note: Option<NoteField>,
    /// Whether the review is shown, and not the question.
    pub in_review: bool,
    pub review: ReviewPlace,
    /// Since when the question shown has stood there, or its field has been open, without a key that moved its cursor or
    /// changed the words; Enter may be meant for what was there before. The last Enter that came too soon counts.
    pub unread_since: Option<SystemTime>,
    /// What else is known about this gate.
    pub status: FormStatus,
}

/// A note that the author is writing; focus and field of the question beneath stay as they are.
#[derive(Clone, Debug)]
pub struct NoteField {
    /// Place of its question.
    pub at: usize,
    pub field: TextField,
}

/// Where the author is in one question.
#[derive(Clone, Debug, Default)]
pub struct QuestionView {
    pub cursor: usize,
    /// Of the context pane.
    pub scroll: Scroll,
    pub filter: Option<OptionFilter>,
}

/// Where keys go in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// To the rows, or nowhere in particular.
    List,
    Field,
    /// To the filter of the rows.
    Filter,
}

#[derive(Clone, Debug, Default)]
pub struct ReviewPlace {
    pub row: usize,
    pub list: Scroll,
    /// When the submit key was last pressed without submitting: it opened the review, or repeated itself.
    pub held_since: Option<SystemTime>,
    /// Whether the question shown was opened from the review: Enter goes back there.
    pub to_return: bool,
}

/// One row of a question with options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The option at this place.
    Option(usize),
    /// Own words of the author, by their place among them.
    Own(usize),
    /// Room for own words.
    Other,
    /// In a filter, room for own words that begin with those typed.
    Typed,
}

impl Form {
    pub fn open(opened: OpenedGate) -> Form {
        let OpenedGate { gate, draft, at, mut status, .. } = opened;
        let spec = spec(&gate.packet);
        let questions = spec.questions.len();
        status.changes = status.known.as_ref().map(|known| drift(known, spec)).unwrap_or_default();
        let again = |change: &Change| {
            change.kind == ChangeKind::Added
                && change.question.as_ref().is_some_and(|id| status.again.contains(id))
        };
        status.changes.retain(|change| !again(change));
        let mut form = Form {
            gate,
            draft,
            earlier: Vec::new(),
            at: 0,
            views: vec![QuestionView::default(); questions],
            focus: Focus::List,
            field: TextField::new("", false),
            note: None,
            in_review: false,
            review: ReviewPlace::default(),
            unread_since: None,
            status,
        };
        for at in 0..questions {
            form.views[at].cursor = form.first_cursor(at);
        }
        form.go_to(at.min(questions.saturating_sub(1)));
        form
    }

    /// The form for the questions as they are now: answers that fit stay, and so does the author's place with what is
    /// being typed there.
    #[must_use]
    pub fn carried_over_to(&self, gate: LoadedGate) -> Form {
        let (from, to, was) = (self.spec(), spec(&gate.packet), &self.status);
        let over = self.draft.carried_over(from, to, was.orphans.clone());
        let CarriedOver { draft, orphans, again } = over;
        let given = |before: &Before, now: &Question| before.given(from.find(&now.id)?.0).cloned();
        let before = was.before.as_ref().map(|before| Before {
            given: to.questions.iter().map(|now| given(before, now)).collect(),
            good: before.good.carried_over(from, to, Vec::new()).draft,
        });
        let last_time = |now: &Question| {
            let (at, _) = from.find(&now.id).filter(|(_, then)| *then == now)?;
            was.last_time.get(at)?.clone()
        };
        let status = FormStatus {
            orphans,
            again: [again, was.again.clone()].concat(),
            known: Some(was.known.clone().unwrap_or_else(|| Arc::new(from.clone()))),
            warnings: Warnings { unkept: None, banner: None, ..was.warnings.clone() },
            // The next reload compares the record with the new questions.
            repair: was.repair.clone().map(|repair| Repair { diagnosis: Diagnosis::default(), ..repair }),
            before,
            last_time: to.questions.iter().map(last_time).collect(),
            ..FormStatus::default()
        };
        let asked = self.note.as_ref().map_or(self.at, |note| note.at);
        let same = from.questions.get(asked).and_then(|then| Some((then, to.find(&then.id)?)));
        let at = same.map_or(0, |(_, (at, _))| at);
        let same_kind = same.is_some_and(|(then, (_, now))| then.kind == now.kind);
        let mut next = Form::open(OpenedGate { gate, draft, at, status, ..OpenedGate::default() });
        next.inherit_earlier(self);
        next.unread_since = self.unread_since;
        if same_kind {
            next.take_place_of(self);
        }
        next.note = self.note_in(&next);
        next
    }

    /// Takes over focus, filter and cursor of the form before, in the same question.
    fn take_place_of(&mut self, before: &Form) {
        let at = self.at;
        let Some(question) = self.question() else { return };
        if before.focus == Focus::Field && (question.kind == Kind::FreeText || question.allow_other) {
            self.field = before.field.clone();
            self.focus = Focus::Field;
            self.point_at_other();
            return;
        }
        let filter = before.view().and_then(|view| view.filter.as_ref());
        let stands = &self.draft.replies[at].other;
        self.views[at].filter = filter.map(|filter| filter.carried_over_to(stands, &question.options));
        self.focus = Focus::List;
        if before.focus == Focus::Filter {
            self.focus = Focus::Filter;
            self.keep_filter_words();
        }
        match self.same_row(before) {
            Some(row) => self.views[at].cursor = row,
            None => self.point_at_hit(),
        }
    }

    /// The row that means what the one under the cursor of the form before does, in the same question.
    fn same_row(&self, before: &Form) -> Option<usize> {
        let (asked, question) = before.question().zip(self.question())?;
        match before.current_row()? {
            Row::Option(place) => {
                let place = question.option(&asked.options.get(place)?.label)?;
                self.place_of(self.at, Row::Option(place))
            }
            Row::Own(place) => {
                let words = before.own_in_rows(before.at).nth(place)?;
                let place = self.own_in_rows(self.at).position(|own| own == words)?;
                self.place_of(self.at, Row::Own(place))
            }
            Row::Other | Row::Typed if question.allow_other => self.row_count(self.at).checked_sub(1),
            Row::Other | Row::Typed => None,
        }
    }

    pub fn spec(&self) -> &QuestionSpec {
        spec(&self.gate.packet)
    }

    /// The question shown.
    pub fn question(&self) -> Option<&Question> {
        self.spec().questions.get(self.at)
    }

    /// Whether the question shown is for free text.
    pub fn is_free_text(&self) -> bool {
        self.question().is_some_and(|question| question.kind == Kind::FreeText)
    }

    /// The reply to the question shown.
    pub fn reply(&self) -> Option<&Reply> {
        self.draft.replies.get(self.at)
    }

    /// The author's place in the question shown.
    pub fn view(&self) -> Option<&QuestionView> {
        self.views.get(self.at)
    }

    /// The rows of a question with options: the options that pass the filter, the author's own words, room for more.
    fn rows(&self, at: usize) -> impl Iterator<Item = Row> {
        let question = self.spec().questions.get(at);
        let filter = self.views.get(at).and_then(|view| view.filter.as_ref());
        let options = question.map_or(0, |question| question.options.len());
        let shown = filter.map_or(options, |filter| filter.hits.len());
        let option = move |row| Row::Option(filter.map_or(row, |filter| filter.hits[row]));
        let passes = move |words: &JsString| filter.is_none_or(|filter| filter.passes(&words.display()));
        let own = self.own_in_rows(at).enumerate();
        let own = own.filter(move |(_, words)| passes(words)).map(|(place, _)| Row::Own(place));
        let typed = filter.is_some_and(|filter| !filter.query.words().is_empty());
        let last = if typed { Row::Typed } else { Row::Other };
        let last = question.filter(|question| question.allow_other).map(|_| last);
        (0..shown).map(option).chain(own).chain(last)
    }

    /// Own words that have rows of their own, whatever the filter. A single choice shows them in the row for more, unless
    /// others are typed there that are not chosen.
    pub fn own_in_rows(&self, at: usize) -> impl Iterator<Item = &JsString> {
        let multi = self.spec().questions.get(at).is_some_and(|asked| asked.kind == Kind::MultiChoice);
        let reply = self.draft.replies.get(at).filter(|reply| multi || !reply.other.trim().is_empty());
        reply.into_iter().flat_map(Reply::own)
    }

    /// Number of rows of a question with options.
    pub fn row_count(&self, at: usize) -> usize {
        self.rows(at).count()
    }

    /// Whether no row of the question shown stands behind its page of so many rows.
    pub fn is_last_page(&self, rows: usize) -> bool {
        let cursor = self.view().map_or(0, |view| view.cursor);
        (cursor / rows + 1) * rows >= self.row_count(self.at)
    }

    /// A row of a question with options.
    pub fn row(&self, at: usize, row: usize) -> Option<Row> {
        self.rows(at).nth(row)
    }

    /// The place of a row.
    pub fn place_of(&self, at: usize, row: Row) -> Option<usize> {
        self.rows(at).position(|shown| shown == row)
    }

    /// The row under the cursor of the question shown.
    pub fn current_row(&self) -> Option<Row> {
        self.row(self.at, self.view()?.cursor)
    }

    /// The cursor goes to the row for own words, which is the last one.
    pub fn point_at_other(&mut self) {
        self.views[self.at].cursor = self.row_count(self.at).saturating_sub(1);
    }

    /// Rows may have gone under the cursor.
    pub fn keep_cursor(&mut self) {
        let last = self.row_count(self.at).saturating_sub(1);
        if let Some(view) = self.views.get_mut(self.at) {
            view.cursor = view.cursor.min(last);
        }
    }

    /// The words in the filter of the question shown.
    pub fn typed(&self) -> &str {
        let filter = self.view().and_then(|view| view.filter.as_ref());
        filter.map_or("", |filter| filter.field.text().trim())
    }

    /// What the filter of the question shown looks for.
    pub fn query(&self) -> Option<&Query> {
        Some(&self.view()?.filter.as_ref()?.query)
    }

    /// Places of the options that pass the filter of the question shown.
    pub fn options_shown(&self) -> Vec<usize> {
        let place = |row| if let Row::Option(place) = row { Some(place) } else { None };
        self.rows(self.at).map_while(place).collect()
    }

    /// Shows a question: a free-text field is open at once, options are not.
    pub fn go_to(&mut self, at: usize) {
        self.at = at;
        self.focus = Focus::List;
        self.note = None;
        let Some(question) = self.spec().questions.get(at) else { return };
        if question.kind == Kind::FreeText {
            let text = self.draft.replies[at].text.lossy().into_owned();
            self.field = TextField::new(&text, text.contains('\n'));
            self.focus = Focus::Field;
        }
    }

    /// Row of the earlier pick, else of the default, else the first.
    pub fn first_cursor(&self, at: usize) -> usize {
        let Some(reply) = self.draft.replies.get(at) else { return 0 };
        match reply.picks.first() {
            Some(Pick::Option(place)) => *place,
            // The row of the own words, or the one that shows them.
            Some(Pick::Own(_)) => self.spec().questions[at].options.len(),
            None => 0,
        }
    }

    /// The order of the review: what is missing first, then the questions in their order.
    pub fn review_order(&self) -> Vec<usize> {
        let missing = self.draft.missing(self.spec());
        let rest = (0..self.spec().questions.len()).filter(|at| !missing.contains(at));
        missing.iter().copied().chain(rest).collect()
    }

    /// The question in the review's row under the cursor; none behind the last one.
    pub fn review_question(&self) -> Option<usize> {
        self.review_order().get(self.review.row).copied()
    }

    /// Whether the answer in the review's row under the cursor is missing.
    pub fn is_missing_in_review(&self) -> bool {
        self.review.row < self.draft.missing(self.spec()).len()
    }

    /// Rows of the review: one for each question, and one for the parts of a bad record that belong to none.
    pub fn review_rows(&self) -> usize {
        self.spec().questions.len() + usize::from(!self.left_out().is_empty())
    }

    /// What is wrong with the bad record's answer to the question at this place.
    pub fn faults(&self, at: usize) -> &[crate::ask::Problem] {
        self.status.repair.as_ref().map(|repair| repair.diagnosis.faults(at)).unwrap_or_default()
    }

    /// What happened to the bad record, as far as it is known.
    pub fn causes(&self) -> &[crate::ask::cause::Cause] {
        self.status.repair.as_ref().map(|repair| repair.diagnosis.causes.as_slice()).unwrap_or_default()
    }

    /// Problems of the bad record that belong to no question.
    pub fn left_out(&self) -> &[crate::ask::Problem] {
        self.status.repair.as_ref().map(|repair| repair.diagnosis.rest.as_slice()).unwrap_or_default()
    }
}
