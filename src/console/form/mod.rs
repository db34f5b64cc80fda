//! The form: where the author is in the gate that is answered. The answers themselves are an `ask::Draft`.

pub mod acts;
mod carried;
mod digits;
pub mod draw;
mod earlier;
mod field;
pub mod filter;
mod fold;
pub mod gate;
pub mod guard;
pub mod keep;
pub mod open;
pub mod page;
pub mod refusal;
pub mod reload;
mod row;
mod screen;
pub mod sending_back;
pub mod status;
mod typed;

use self::digits::Digits;
use self::filter::OptionFilter;
use self::gate::LoadedGate;
use self::status::FormStatus;
use super::draw::scroll::Scroll;
use crate::adapter::relay::title_in;
use crate::ask::cause::Cause;
use crate::ask::{
    Change, ChangeKind, Draft, JsString, Kind, Pick, Problem, Question, QuestionSpec, Reply, drift,
};
use crate::console::field::TextField;
use crate::store::file::is_relay;
use crate::text::{Lang, Query};
use std::borrow::Cow;
use std::ops::Range;
use std::time::SystemTime;

#[derive(Clone, Debug)]
pub struct Form {
    /// The gate with the questions that these answers are for; a record is never written for other ones.
    pub gate: LoadedGate,
    pub draft: Draft,
    /// Places of questions with their replies before keys changed them, the last change last.
    pub earlier: Vec<(usize, Reply)>,
    /// Digits in the question shown that may be the beginning of words.
    digits: Option<Digits>,
    pub at: usize,
    /// Where the author is in each question.
    pub views: Vec<QuestionView>,
    pub focus: Focus,
    /// The text field of the question shown: free text, or the words for `Other`.
    pub field: TextField,
    /// The note that is being written; it has the keys.
    pub note: Option<NoteField>,
    pub in_review: bool,
    pub review: ReviewPlace,
    /// Since when the question shown has stood there, or its field has been open, without a key that moved its cursor or
    /// changed the words; or the review, where the submit key has opened it. Enter and the submit key may be meant for what
    /// was there before. The last one that came too soon counts.
    pub unread_since: Option<SystemTime>,
    pub status: FormStatus,
}

/// A note that the author is writing; focus and field of the question beneath stay as they are.
#[derive(Clone, Debug)]
pub struct NoteField {
    pub at: usize,
    pub field: TextField,
    /// Of words that send the step back: where it was opened, and where Esc leads.
    pub sends_back: Option<ReasonFrom>,
}

/// The screen over which a reason is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasonFrom {
    Form,
    /// No form was open.
    Inbox,
    Receipt,
}

#[derive(Clone, Debug, Default)]
pub struct QuestionView {
    pub cursor: usize,
    pub scroll: Scroll,
    pub filter: Option<OptionFilter>,
    /// Places of the options of earlier rounds while one row stands for them.
    fold: Range<usize>,
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
    /// Whether the question shown was opened from the review: Enter goes back there.
    pub to_return: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Option(usize),
    /// All options of earlier rounds.
    Earlier,
    /// Own words of the author, by their place among them.
    Own(usize),
    Other,
    /// In a filter, own words as they were typed.
    Typed,
    /// The same without the digits that were pressed before them.
    Bare,
}

/// Whether an option came with a round: that is no change of what is asked.
fn is_of_round(spec: &QuestionSpec, change: &Change) -> bool {
    let ChangeKind::OptionAdded(label) = &change.kind else { return false };
    let question = change.question.as_ref().and_then(|id| spec.find(id));
    question.is_some_and(|(_, it)| it.option(label).is_some_and(|place| it.options[place].round.is_some()))
}

impl Row {
    /// Whether its words take the whole of it: it has none of the columns of options.
    fn is_alone(self) -> bool {
        matches!(self, Row::Typed | Row::Bare | Row::Earlier)
    }
}

impl Form {
    pub(crate) fn new(gate: LoadedGate, draft: Draft, at: usize, mut status: FormStatus) -> Form {
        let questions = gate.spec().questions.len();
        status.changes = status.known.as_ref().map(|known| drift(known, gate.spec())).unwrap_or_default();
        let again = |change: &Change| {
            change.kind == ChangeKind::Added
                && change.question.as_ref().is_some_and(|id| status.again.contains(id))
        };
        status.changes.retain(|change| !again(change) && !is_of_round(gate.spec(), change));
        let mut form = Form {
            gate,
            draft,
            earlier: Vec::new(),
            digits: None,
            at: 0,
            views: vec![QuestionView::default(); questions],
            focus: Focus::List,
            field: TextField::default(),
            note: None,
            in_review: false,
            review: ReviewPlace::default(),
            unread_since: None,
            status,
        };
        for at in 0..questions {
            form.views[at].fold = form.spec().questions[at].earlier_rounds();
            form.views[at].cursor = form.first_cursor(at);
        }
        form.go_to(at);
        form
    }

    pub fn spec(&self) -> &QuestionSpec {
        self.gate.spec()
    }

    /// The question shown. A gate has at least one.
    pub fn question(&self) -> &Question {
        &self.spec().questions[self.at]
    }

    pub fn is_free_text(&self) -> bool {
        self.question().kind == Kind::FreeText
    }

    pub fn is_single(&self) -> bool {
        self.question().kind == Kind::SingleChoice
    }

    pub fn is_multi(&self) -> bool {
        self.question().kind == Kind::MultiChoice
    }

    /// The label of an option of the question shown, for the author. The controls of an executor's own question are in the
    /// language of its packet, which the author may have changed since.
    pub fn label(&self, place: usize, lang: Lang) -> Cow<'_, str> {
        let label = &self.question().options[place].label;
        let control = if is_relay(&self.gate.path) { title_in(label, lang) } else { None };
        control.map_or_else(|| label.display(), Cow::Borrowed)
    }

    /// The question at this place, for its answers to be said with such labels. A question may have very many options: it is
    /// copied only if a control is among its answers.
    pub fn question_in(&self, at: usize, lang: Lang) -> Cow<'_, Question> {
        let (question, reply) = (&self.spec().questions[at], &self.draft.replies[at]);
        let is_control = |pick: &Pick| match pick {
            Pick::Option(place) => title_in(&question.options[*place].label, lang).is_some(),
            Pick::Own(_) => false,
        };
        let mut picks = std::iter::once(reply).chain(reply.asides()).flat_map(|reply| &reply.picks);
        let mut question = Cow::Borrowed(question);
        if is_relay(&self.gate.path) && picks.any(is_control) {
            for option in &mut question.to_mut().options {
                if let Some(title) = title_in(&option.label, lang) {
                    option.label = title.into();
                }
            }
        }
        question
    }

    pub fn reply(&self) -> &Reply {
        &self.draft.replies[self.at]
    }

    pub fn view(&self) -> &QuestionView {
        &self.views[self.at]
    }

    pub fn filter(&self) -> Option<&OptionFilter> {
        self.view().filter.as_ref()
    }

    /// The rows of a question with options: the options that pass the filter, the author's own words, room for more.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let (question, filter, fold) = (self.question(), self.filter(), self.folded());
        let options = filter.map_or(question.options.len(), |filter| filter.hits.len());
        let option = move |row| Row::Option(filter.map_or(row, |filter| filter.hits[row]));
        let passes = move |words: &JsString| filter.is_none_or(|filter| filter.passes(&words.display()));
        let own = self.own_in_rows().enumerate();
        let own = own.filter(move |(_, words)| passes(words)).map(|(place, _)| Row::Own(place));
        let typed = filter.is_some_and(|filter| !filter.query.words().is_empty());
        let last = question.allow_other.then_some(if typed { Row::Typed } else { Row::Other });
        let are_led = self.digits.as_ref().is_some_and(|digits| digits.lead);
        let bare = last.filter(|last| *last == Row::Typed && are_led).map(|_| Row::Bare);
        let earlier = (!fold.is_empty()).then_some(Row::Earlier);
        let options = (0..fold.start).map(option).chain(earlier).chain((fold.end..options).map(option));
        options.chain(own).chain(bare).chain(last)
    }

    /// Own words that have rows of their own, whatever the filter. A single choice shows them in the row for more, unless
    /// others are typed there that are not chosen.
    pub fn own_in_rows(&self) -> impl Iterator<Item = &JsString> {
        let reply = Some(self.reply()).filter(|reply| self.is_multi() || !reply.other.trim().is_empty());
        reply.into_iter().flat_map(Reply::own)
    }

    pub fn row_count(&self) -> usize {
        self.rows().count()
    }

    pub fn place_of(&self, row: Row) -> Option<usize> {
        self.rows().position(|shown| shown == row)
    }

    pub fn current_row(&self) -> Option<Row> {
        self.rows().nth(self.view().cursor)
    }

    pub fn is_on_other(&self) -> bool {
        matches!(self.current_row(), Some(Row::Other | Row::Typed | Row::Bare))
    }

    /// The cursor goes to a row, or to the last one.
    pub fn point_at(&mut self, row: usize) {
        self.views[self.at].cursor = row.min(self.row_count().saturating_sub(1));
    }

    /// The cursor goes to the row for own words, which is the last one.
    pub fn point_at_other(&mut self) {
        self.point_at(usize::MAX);
    }

    /// The words in the filter of the question shown.
    pub fn typed(&self) -> &str {
        self.filter().map_or("", |filter| filter.field.text().trim())
    }

    pub fn query(&self) -> Option<&Query> {
        Some(&self.filter()?.query)
    }

    /// Places of the options that pass the filter of the question shown.
    pub fn options_shown(&self) -> Vec<usize> {
        let place = |row| if let Row::Option(place) = row { Some(place) } else { None };
        self.rows().filter_map(place).collect()
    }

    /// Shows a question: a free-text field is open at once, options are not.
    pub fn go_to(&mut self, at: usize) {
        self.at = at.min(self.views.len() - 1);
        self.focus = Focus::List;
        self.note = None;
        self.digits = None;
        if self.is_free_text() {
            self.show_text();
            self.focus = Focus::Field;
        }
    }

    /// The field of a free text shows what is answered.
    fn show_text(&mut self) {
        self.field = TextField::new(&self.reply().text.lossy(), false);
    }

    /// Row of the earlier pick, else of the default, else the first.
    pub fn first_cursor(&mut self, at: usize) -> usize {
        let place = match self.draft.replies[at].picks.first() {
            Some(Pick::Option(place)) => *place,
            // The row of the own words, or the one that shows them.
            Some(Pick::Own(_)) => self.spec().questions[at].options.len(),
            None => 0,
        };
        self.show_place(at, place)
    }

    /// The order of the review: what is missing first, then the questions in their order.
    pub fn review_order(&self) -> Vec<usize> {
        let missing = self.draft.missing(self.spec());
        let rest = (0..self.views.len()).filter(|at| !missing.contains(at));
        missing.iter().copied().chain(rest).collect()
    }

    /// The question in the review's row under the cursor; none behind the last one.
    pub fn review_question(&self) -> Option<usize> {
        self.review_order().get(self.review.row).copied()
    }

    /// Rows of the review: one for each question, and one for the parts of a bad record that belong to none.
    pub fn review_rows(&self) -> usize {
        self.views.len() + usize::from(!self.left_out().is_empty())
    }

    /// What is wrong with the bad record's answer to the question at this place.
    pub fn faults(&self, at: usize) -> &[Problem] {
        self.status.repair().map(|repair| repair.diagnosis.faults(at)).unwrap_or_default()
    }

    /// What happened to the bad record, as far as it is known.
    pub fn causes(&self) -> &[Cause] {
        self.status.repair().map(|repair| repair.diagnosis.causes.as_slice()).unwrap_or_default()
    }

    /// Problems of the bad record that belong to no question.
    pub fn left_out(&self) -> &[Problem] {
        self.status.repair().map(|repair| repair.diagnosis.rest.as_slice()).unwrap_or_default()
    }
}
