//! A question: moving, choosing, going on and back.
//!
//! Contract:
//! * Single choice: Enter chooses the row under the cursor and goes on; Space and digits choose without going on. Where nothing
//!   is chosen yet, Enter does so only once the question has been shown long enough to be read, or a key has moved the cursor.
//! * Multi choice: Space and digits tick; Enter keeps the ticks and goes on.
//! * Whatever is typed or pasted in the list begins its filter. Digits are text in it. Space ticks there in a multi choice; if
//!   that takes own words, only behind a key that moved the cursor to an option, else it is a part of them.
//! * Enter there chooses the option under the cursor of a single choice and goes on; of a multi choice it ticks it and selects the
//!   filter whole: the next letters replace it. In the row for own words Enter opens the field with them: Enter there chooses them,
//!   and in a multi choice the cursor is on them, so that the next Enter goes on.
//! * Where own words can be the answer, what is typed stands in their row and in the draft, until it is chosen, erased, or
//!   has found what was chosen.
//! * Tab and arrows go on without choosing; going back is always possible.
//! * Behind the last question comes the review; nothing here ever writes a record.
//! * Esc goes to the inbox and keeps everything.

use super::digits::LEADS;
use super::filter::OptionFilter;
use super::keep::DraftToSave;
use super::status::Warning;
use super::{Focus, Form, Row};
use crate::ask::Kind;
use crate::console::action::{Action, Target};
use crate::console::draw::layout;
use crate::console::field::{Edit, TextField, filter_line};
use crate::console::inbox::loading as inbox;
use crate::console::model::{NoticeTopic, Tone};
use crate::console::screen::{Cx, Effect};
use crate::error::Message;
use crate::text::{plural, say};

impl Form {
    pub(crate) fn to_save(&self) -> DraftToSave {
        let (gate, draft, orphans) = (self.gate.clone(), self.draft.clone(), self.status.orphans.clone());
        DraftToSave { gate, draft, orphans, at: self.at, emptied: false }
    }

    /// Saves the answers, but not while they are submitted: a draft that is saved after its record is written would be left
    /// over.
    pub(crate) fn save(&self, cx: &mut Cx<'_>) {
        if self.status.submitting {
            return;
        }
        let mut draft = self.to_save();
        let kept = &mut cx.model.inbox.drafts;
        if draft.is_authors() {
            kept.insert(draft.gate.path.clone(), draft.draft.progress(self.spec()));
        } else {
            draft.emptied = kept.remove(&draft.gate.path).is_some();
        }
        cx.do_next(Effect::Save(Box::new(draft)));
    }

    /// The form stays as it is behind the inbox; the cursor is on its gate.
    pub(super) fn leave(&mut self, cx: &mut Cx<'_>) {
        self.save(cx);
        self.note = None;
        self.in_review = false;
        cx.model.inbox.resort();
        cx.model.inbox.select(&self.gate.path);
        cx.model.left = Some(Box::new(self.clone()));
        inbox::back_to_list(cx);
    }

    pub(crate) fn show_question(&mut self, at: usize, cx: &mut Cx<'_>) {
        self.go_to(at);
        self.in_review = false;
        self.save(cx);
    }

    /// The next question, or behind the last one the review; backwards, the question before.
    pub(crate) fn step(&mut self, forward: bool, cx: &mut Cx<'_>) {
        self.focus = Focus::List;
        self.review.to_return = false;
        match (forward, self.at.checked_sub(1)) {
            (true, _) if self.at + 1 < self.views.len() => self.show_question(self.at + 1, cx),
            (true, _) => self.show_review(false, cx),
            (false, Some(before)) => self.show_question(before, cx),
            (false, None) => {}
        }
    }

    /// Enter: goes on to the next question, or back to the review that opened this one.
    pub(crate) fn go_on(&mut self, cx: &mut Cx<'_>) {
        if std::mem::take(&mut self.review.to_return) {
            self.show_review(false, cx);
        } else {
            self.step(true, cx);
        }
    }

    pub(crate) fn show_review(&mut self, by_submit_key: bool, cx: &mut Cx<'_>) {
        self.focus = Focus::List;
        self.note = None;
        self.review.row = 0;
        self.review.list.reset();
        self.unread_since = by_submit_key.then_some(cx.model.now);
        // The review itself shows the changes, where the record goes, and what it replaces.
        self.status.warnings.remove(&Warning::Questions);
        self.status.warnings.remove(&Warning::AnswerPath);
        if self.status.repair().is_some() {
            self.status.warnings.remove(&Warning::Record);
        }
        self.in_review = true;
        self.save(cx);
        self.find_others(cx);
    }

    /// Takes the other answer there is to the question shown, or in the row of the review; the one that stood stays
    /// within reach.
    pub(super) fn take_other(&mut self, cx: &mut Cx<'_>) {
        let place = if self.in_review { self.review_question() } else { Some(self.at) };
        if let Some(at) = place {
            self.take_other_answer(at);
            // What is missing stands first: the cursor goes with its question.
            if let Some(row) =
                self.review_order().iter().position(|place| *place == at).filter(|_| self.in_review)
            {
                self.review.row = row;
            }
        }
        self.save(cx);
    }

    pub(super) fn act_in_list(&mut self, action: Action, cx: &mut Cx<'_>) {
        let filtering = self.focus == Focus::Filter;
        match action {
            Action::Edit(Edit::Insert(words)) => self.write_words(words, cx),
            Action::Edit(Edit::Newline) => {}
            Action::Edit(edit) if filtering => self.narrow(edit, cx),
            Action::Accept if filtering && self.is_multi() && !self.is_on_other() => self.tick_hit(cx),
            Action::Accept => self.accept(cx),
            Action::Pick if self.digits.is_some() && !filtering => self.run_digit(' ', cx, Form::pick),
            Action::Pick if filtering && !self.question().allow_other => {
                self.pick(cx);
                self.select_filter();
            }
            Action::Pick => self.pick(cx),
            Action::Point(Target::Row(row)) => {
                self.focus = Focus::List;
                self.click(row, cx);
            }
            Action::Point(Target::Question(at)) => self.show_question(at, cx),
            Action::Point(Target::Review) => self.show_review(false, cx),
            Action::Review => self.submit_question(cx),
            Action::Number(number) => self.pick_number(number, cx),
            Action::Next => self.step(true, cx),
            Action::Previous => self.step(false, cx),
            Action::Clear => self.clear(cx),
            Action::TakeBack => {
                self.take_back();
                cx.say(Tone::Plain, say("The answer is as it was before.", "回答已恢复为之前的样子。"));
                self.save(cx);
            }
            Action::All => self.tick_shown(cx),
            Action::Vary => self.vary(cx),
            Action::Filter => self.narrow(Edit::LineEnd, cx),
            // The filter first, then the inbox.
            Action::Back if self.filter().is_some() => self.close_filter(),
            Action::Back => self.leave(cx),
            action => self.move_cursor(&action, cx),
        }
    }

    fn move_cursor(&mut self, action: &Action, cx: &Cx<'_>) {
        let (page, cursor) = (layout::page_rows(cx.model.screen_size(), self), self.view().cursor);
        let next_page = (cursor / page + 1) * page;
        let to = match action {
            // Pages are fixed sheets: a page key shows the whole next sheet, cursor on its first row.
            Action::PageUp => (cursor / page).saturating_sub(1) * page,
            Action::PageDown if next_page < self.row_count() => next_page,
            Action::PageDown => usize::MAX,
            action => match action.row_from(cursor, page) {
                Some(row) => row,
                None => return,
            },
        };
        self.point_at(to);
        let view = &mut self.views[self.at];
        view.scroll.reset();
        if let Some(filter) = &mut view.filter {
            filter.is_pointed = true;
            if filter.is_blank() {
                filter.from = view.cursor;
            }
        }
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        match self.current_row() {
            _ if self.is_free_text() => return self.show_question(self.at, cx),
            Some(Row::Earlier) => return self.unfold(self.at),
            Some(Row::Other | Row::Typed | Row::Bare) => return self.open_other(cx),
            _ if self.is_multi() => {}
            // In the list, an answer that stands is taken.
            None if self.focus == Focus::Filter => return,
            None => {}
            Some(row) => {
                if let Row::Option(place) = row
                    && self.focus == Focus::List
                    && self.stops_choosing(place, cx)
                {
                    return;
                }
                self.take_row(row);
                if self.focus == Focus::Filter {
                    self.close_filter();
                }
            }
        }
        self.go_on(cx);
    }

    /// Enter in the filter of a multi choice ticks the hit, and what is typed next replaces the filter. Right behind that tick it
    /// leads to the list, where it goes on.
    fn tick_hit(&mut self, cx: &mut Cx<'_>) {
        if self.has_ticked_hit() {
            self.focus = Focus::List;
        } else if self.current_row().is_some() {
            if !self.is_on_tick() {
                self.pick(cx);
            }
            self.select_filter();
        }
    }

    fn pick(&mut self, cx: &mut Cx<'_>) {
        match self.current_row() {
            Some(Row::Other | Row::Typed | Row::Bare) => self.open_other(cx),
            Some(Row::Earlier) => self.unfold(self.at),
            Some(row) => {
                self.take_row(row);
                self.save(cx);
            }
            None => {}
        }
    }

    fn pick_number(&mut self, number: u8, cx: &mut Cx<'_>) {
        if self.is_free_text() {
            return self.write_words(number.to_string(), cx);
        }
        let (page, digit) = (layout::page_rows(cx.model.screen_size(), self), char::from(b'0' + number));
        let number = usize::from(number);
        let row = self.view().cursor / page * page + number.wrapping_sub(1);
        self.run_digit(digit, cx, |form, cx| {
            if number <= page && row < form.row_count() {
                form.click(row, cx);
            } else {
                let says = say("There is no row {0} here.", "这里没有第 {0} 行。");
                cx.model.say_about(
                    NoticeTopic::Refused(None),
                    Tone::Plain,
                    Message::new(says, &[&number.to_string()]),
                );
            }
        });
    }

    /// A row named by a digit or a click: the cursor goes there and the row is taken, without going on.
    fn click(&mut self, row: usize, cx: &mut Cx<'_>) {
        if row < self.row_count() {
            self.point_at(row);
            self.view().scroll.reset();
            self.pick(cx);
        }
    }

    fn take_row(&mut self, row: Row) {
        if matches!(row, Row::Own(_)) && self.is_single() {
            // It is chosen already, and the words of the filter were more than a search for it: they stay typed.
            return;
        }
        self.use_filter();
        self.change(|reply, was, question| match row {
            Row::Option(place) if question.kind == Kind::SingleChoice => {
                reply.choose(place);
                reply.spare(was);
            }
            Row::Option(place) => reply.toggle(place),
            Row::Own(place) => {
                let Some(words) = was.own().nth(place) else { return };
                reply.drop_own(words);
                // Both are kept: the words just unticked, and others that were typed and never chosen.
                let typed = std::mem::replace(&mut reply.other, words.lossy().into_owned());
                reply.put_words_aside(typed);
            }
            Row::Other | Row::Typed | Row::Bare | Row::Earlier => {}
        });
    }

    /// Opens the field for own words, with those of the filter, else with what was typed there before.
    pub(super) fn open_other(&mut self, cx: &mut Cx<'_>) {
        self.filter_to_words();
        let reply = self.reply();
        let own = reply.own().next().filter(|_| self.is_single() && reply.other.is_empty());
        self.field =
            TextField::new(&own.map_or_else(|| reply.other.as_str().into(), |own| own.lossy()), false);
        self.focus = Focus::Field;
        self.save(cx);
    }

    /// Goes to the review, with the words in the row under the cursor if it is that for own words.
    fn submit_question(&mut self, cx: &mut Cx<'_>) {
        let has_words =
            self.is_on_other() && (self.filter().is_some() || !self.reply().other.trim().is_empty());
        if !has_words {
            return self.show_review(true, cx);
        }
        self.open_other(cx);
        self.take_field(true, cx);
    }

    /// Clears the answer. One key brings it back, and what the author gave stays on the disk, within reach of another key.
    fn clear(&mut self, cx: &mut Cx<'_>) {
        if self.is_free_text() {
            return;
        }
        let says = self.change(|reply, was, _| {
            reply.clear();
            reply.spare(was);
            if !was.prefilled {
                reply.put_aside(was.clone());
            }
            match (was.picks.is_empty(), was.note == reply.note) {
                (false, _) => Some(say(
                    "The answer is set aside. {take-back} brings it back.",
                    "回答已暂存，按 {take-back} 恢复。",
                )),
                (true, false) => Some(say(
                    "The note is set aside. {take-back} brings it back.",
                    "备注已暂存，按 {take-back} 恢复。",
                )),
                (true, true) => None,
            }
        });
        if let Some(says) = says {
            cx.say(Tone::Plain, says);
        }
        self.save(cx);
    }

    fn tick_shown(&mut self, cx: &mut Cx<'_>) {
        self.use_filter();
        let shown = self.options_shown();
        if !self.is_multi() || shown.is_empty() {
            return;
        }
        let changed = self.change(|reply, was, question| {
            reply.toggle_all(question, &shown);
            let pairs = was.ticked(question).into_iter().zip(reply.ticked(question));
            pairs.filter(|(before, now)| before != now).count()
        });
        let says = say("{0} changed. {take-back} undoes it.", "已更改 {1} 处勾选，按 {take-back} 撤销。");
        let counts = [&*plural(changed, "tick", "ticks"), &changed.to_string()];
        cx.say(Tone::Plain, Message::new(says, &counts));
        self.save(cx);
    }

    /// Changes the text of the filter, which is opened first if need be.
    fn narrow(&mut self, edit: Edit, cx: &mut Cx<'_>) {
        if self.edit_filter(edit) && self.question().allow_other {
            self.save(cx);
        }
    }

    /// Words typed or pasted: a line narrows the list. More than that goes into the field for own words, behind those of the
    /// filter that is being typed, and so does everything where there is no list. Own words that are chosen stay so until
    /// the new ones are.
    fn write_words(&mut self, words: String, cx: &mut Cx<'_>) {
        let words = self.join_digits(words, cx);
        match filter_line(&words) {
            Some(line) if !self.is_free_text() => {
                let now = cx.model.now;
                let is_first = self.filter().is_none_or(OptionFilter::is_replaced);
                match &mut self.digits {
                    Some(digits) if is_first && digits.are_younger(LEADS, now) => digits.lead = true,
                    digits => *digits = digits.take().filter(|digits| digits.lead),
                }
                return self.narrow(Edit::Insert(line.to_owned()), cx);
            }
            _ if self.is_free_text() => drop(self.field.apply(Edit::TextEnd, usize::MAX)),
            _ => {
                self.digits.take_if(|digits| !digits.lead);
                let reply = &mut self.draft.replies[self.at];
                if self.focus == Focus::List {
                    let typed = std::mem::take(&mut reply.other);
                    reply.put_words_aside(typed);
                }
                self.filter_to_words();
                self.field = TextField::new(&self.reply().other, false);
            }
        }
        self.focus = Focus::Field;
        self.act_in_field(Action::Edit(Edit::Insert(words)), cx);
    }
}
