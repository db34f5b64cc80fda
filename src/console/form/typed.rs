//! Words in the filter of a question that takes own words: they stand in the row for these, typed and not chosen, until
//! they are erased, chosen, or have found an option that is chosen.

use crate::ask::Kind;
use crate::console::action::Action;
use crate::console::field::{Edit, TextField};
use crate::console::form::digits::{BELONGS, Digits, LEADS, RUNS};
use crate::console::form::filter::OptionFilter;
use crate::console::form::{Focus, Form, Row};
use crate::console::model::Tone;
use crate::console::screen::Cx;
use crate::error::Message;
use crate::text::say;
use std::ops::Range;
use std::time::SystemTime;

impl Form {
    /// Opens the filter of the question shown, if it is not open, and changes its text. True if the text has changed.
    pub fn edit_filter(&mut self, edit: Edit) -> bool {
        self.focus = Focus::Filter;
        if self.filter().is_none() {
            self.unfold(self.at);
        }
        let (view, options) = (&mut self.views[self.at], &self.gate.spec().questions[self.at].options);
        let stands = &self.draft.replies[self.at].other;
        let (from, new) = (view.cursor, TextField::default);
        let filter = view.filter.get_or_insert_with(|| OptionFilter::new(new(), stands, from, options));
        if !filter.field.apply(edit.in_one_line(), usize::MAX) {
            return false;
        }
        filter.narrow(options);
        filter.is_used = false;
        view.scroll.reset();
        let emptied = filter.is_blank().then_some(filter.from);
        self.digits.take_if(|_| emptied.is_some());
        self.keep_filter_words();
        match emptied {
            Some(from) => self.give_cursor_back(None, from),
            None => self.point_at_hit(),
        }
        true
    }

    pub(super) fn close_filter(&mut self) {
        let row = self.current_row();
        self.focus = Focus::List;
        self.digits = None;
        if let Some(filter) = self.views[self.at].filter.take() {
            self.give_cursor_back(row, filter.from);
        }
    }

    /// All rows are shown again: the cursor goes to the choice that stands, where the row under it is one to that, else to where
    /// it was.
    fn give_cursor_back(&mut self, row: Option<Row>, from: usize) {
        let is_chosen = |row: &Row| match *row {
            Row::Option(place) => self.reply().has(place),
            Row::Own(_) => self.is_multi(),
            Row::Other | Row::Typed | Row::Bare | Row::Earlier => false,
        };
        let chosen = row.filter(is_chosen).and_then(|row| self.place_of(row));
        let stands = self.is_single() && !self.reply().picks.is_empty();
        let back = if stands { self.first_cursor(self.at) } else { chosen.unwrap_or(from) };
        self.point_at(back);
    }

    /// What the author has typed that is in no record when these answers are: words not chosen, answers put aside, and what
    /// fits no more.
    pub(crate) fn in_no_record(&self) -> Vec<String> {
        let mut found = Vec::new();
        for at in 0..self.views.len() {
            found.extend(self.untaken(at).into_iter().map(str::to_owned));
            for aside in self.draft.replies[at].asides() {
                found.extend(aside.typed_words().map(str::to_owned));
                found.extend(aside.own().map(|own| own.display().into_owned()));
                found.extend((!aside.text.is_blank()).then(|| aside.text.display().into_owned()));
            }
        }
        found.extend(Some(self.draft.reason.words.display().into_owned()).filter(|words| !words.is_empty()));
        found.extend(self.status.orphans.iter().map(|orphan| orphan.words.display().into_owned()));
        found
    }

    /// Words typed at the question at this place that are no part of its answer.
    pub fn untaken(&self, at: usize) -> Vec<&str> {
        let other = self.draft.replies[at].other.trim();
        let filter = self.views[at].filter.as_ref().filter(|filter| !filter.is_used);
        let searched = filter.map(|filter| filter.field.text().trim()).filter(|words| !other.contains(words));
        [Some(other), searched].into_iter().flatten().filter(|words| !words.is_empty()).collect()
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

    /// Lets the words of the filter stand in the row for own words, unless they are the mark or the pinyin of an option.
    pub fn keep_filter_words(&mut self) {
        let is_no_answer = self.filter().is_some_and(OptionFilter::is_no_answer);
        let words = self.words_of(Row::Typed).filter(|_| !is_no_answer);
        self.let_stand(&words.unwrap_or_default());
    }

    /// The words of the filter have found what was chosen: what stood in the row for own words before stands there again.
    pub fn use_filter(&mut self) {
        self.let_stand("");
        self.digits.take_if(|digits| digits.lead);
        if let Some(filter) = &mut self.views[self.at].filter {
            filter.is_used = true;
        }
    }

    /// Selects the filter whole, after it has found what was ticked.
    pub(super) fn select_filter(&mut self) {
        if let Some(filter) = &mut self.views[self.at].filter {
            filter.field.select_all();
        }
    }

    /// Whether the row under the cursor was ticked through the filter, which is selected since.
    pub(super) fn has_ticked_hit(&self) -> bool {
        self.is_on_tick() && self.filter().is_some_and(|filter| filter.field.is_selected())
    }

    pub(super) fn is_on_tick(&self) -> bool {
        matches!(self.current_row(), Some(Row::Option(place)) if self.reply().has(place))
    }

    /// Whether a blank in the filter ticks the row under the cursor. Where own words can be the answer, it is a part of them,
    /// unless a key has moved the cursor to an option.
    pub fn space_ticks(&self) -> bool {
        let is_pointed = self.filter().is_some_and(|filter| filter.is_pointed);
        !self.question().allow_other || is_pointed && !self.is_on_other()
    }

    /// Closes the filter for the field for own words, the cursor on their row; with it on those of the filter, these are
    /// the words that stand there.
    pub fn filter_to_words(&mut self) {
        let row = self.current_row();
        if let Some(words) = row.and_then(|row| self.words_of(row)) {
            self.let_stand(&words);
        }
        self.digits.take_if(|digits| digits.lead && row != Some(Row::Typed));
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

    /// Whether a sign that is a key in a list is text now, because it comes right behind a digit; and whether it is with more
    /// text behind it in the same read.
    pub(crate) fn goes_on_writing(&self, now: SystemTime) -> (bool, bool) {
        let younger = |than| self.digits.as_ref().is_some_and(|digits| digits.are_younger(than, now));
        (younger(RUNS), younger(LEADS))
    }

    /// Another key than a digit and words ends the run of digits, unless words are led by it.
    pub(super) fn end_digits(&mut self, action: &Action, now: SystemTime) {
        let is_blank = *action == Action::Pick && self.goes_on_writing(now).0;
        if !is_blank && !matches!(action, Action::Number(_) | Action::Edit(Edit::Insert(_))) {
            self.digits.take_if(|digits| !digits.lead);
        }
    }

    /// Does what a digit does, or a blank behind it, and keeps what was before.
    pub(super) fn run_digit(&mut self, c: char, cx: &mut Cx<'_>, act: impl FnOnce(&mut Form, &mut Cx<'_>)) {
        let (was, rows, last) = (self.reply().clone(), self.list(), cx.model.now);
        let before = self.digits.take().filter(|digits| digits.are_younger(RUNS, last));
        let mut digits = before.unwrap_or_else(|| Digits::before(&was, rows, last));
        act(self, cx);
        digits.text.push(c);
        digits.last = last;
        digits.changes += usize::from(*self.reply() != was);
        self.digits = Some(digits);
    }

    fn list(&self) -> (usize, Range<usize>) {
        (self.view().cursor, self.view().fold.clone())
    }

    /// Words behind digits, with these if they belong to them; then nothing was chosen by them.
    pub(super) fn join_digits(&mut self, words: String, cx: &mut Cx<'_>) -> String {
        let Some(digits) = self.digits.take_if(|digits| digits.are_younger(BELONGS, cx.model.now)) else {
            return words;
        };
        let at = self.at;
        self.draft.replies[at] = digits.reply;
        (self.views[at].cursor, self.views[at].fold) = digits.list;
        for _ in 0..digits.changes {
            if let Some(last) = self.earlier.iter().rposition(|(place, _)| *place == at) {
                self.earlier.remove(last);
            }
        }
        self.save(cx);
        digits.text + &words
    }

    /// The same in the field for own words where a digit has opened it.
    pub(super) fn join_digits_in_field(&mut self, words: String, cx: &mut Cx<'_>) -> String {
        let words = self.join_digits(words, cx);
        let opened = self.digits.take_if(|digits| !digits.lead);
        let Some(digit) = opened.and_then(|digits| digits.text.trim_end().chars().next_back()) else {
            return words;
        };
        let says = say(
            "“{0}” has opened this field. If it begins your words, {take-back} puts it before them.",
            "“{0}”打开了这个输入框。如果它是这句话的开头，按 {take-back} 补上。",
        );
        cx.say(Tone::Plain, Message::new(says, &[&digit.to_string()]));
        // One step back in the field are the words with the digit.
        let without = self.field.text().to_owned() + &words;
        self.field.apply(Edit::Insert(format!("{digit}{words}")), usize::MAX);
        self.field.set_text(&without);
        self.keep_field();
        self.save(cx);
        String::new()
    }

    /// The words that a row of the filter offers as own words, exactly as they were typed.
    pub(super) fn words_of(&self, row: Row) -> Option<String> {
        let words = self.filter()?.field.text();
        let lead = self.digits.as_ref().filter(|digits| digits.lead && row == Row::Typed);
        let lead = lead.map_or("", |digits| &digits.text);
        matches!(row, Row::Typed | Row::Bare).then(|| format!("{lead}{words}"))
    }

    /// The author takes own words. If they begin with the digits before them, these have chosen nothing.
    pub(super) fn take_digits_back(&mut self, words: &str, cx: &mut Cx<'_>) {
        let digits = self.digits.take().filter(|digits| digits.lead);
        let Some(digits) = digits.filter(|digits| words.trim_start().starts_with(digits.text.trim())) else {
            return;
        };
        let picks = &mut self.draft.replies[self.at].picks;
        if self.gate.spec().questions[self.at].kind == Kind::MultiChoice && *picks != digits.reply.picks {
            let says = say(
                "“{0}” begins your words, and has ticked nothing. {take-back} undoes that.",
                "“{0}”是你这句话的开头，不再算作勾选。按 {take-back} 撤销。",
            );
            cx.say(Tone::Plain, Message::new(says, &[digits.text.trim()]));
        }
        *picks = digits.reply.picks;
    }

    /// Takes over the digits of the form before, in the same question, asked anew perhaps.
    pub(super) fn inherit_digits(&mut self, before: &Form) {
        let same = self.question() == before.question();
        let now = |digits: &Digits| Digits {
            reply: if same { digits.reply.clone() } else { self.reply().clone() },
            list: if same { digits.list.clone() } else { self.list() },
            ..digits.clone()
        };
        self.digits = before.digits.as_ref().map(now);
    }
}
