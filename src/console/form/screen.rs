//! The form as a screen: a question, or the review of all answers.

use super::guard::prolong;
use super::status::Warning;
use super::{Focus, Form};
use crate::ask::Reply;
use crate::console::action::Action;
use crate::console::draw::answer::answer_text;
use crate::console::draw::layout;
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::edit;
use crate::console::field::Edit;
use crate::console::form::Row;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Tone};
use crate::console::page::Page;
use crate::console::review;
use crate::console::screen::Available::{self, As, AtEnd, No, Unlisted, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::console::sentences as s;
use crate::console::story;
use crate::error::Message;
use crate::store::file::is_question_file;
use crate::text::{Sentence, say};

impl Screen for Form {
    fn context(&self, _model: &Model) -> Context {
        match (self.focus, self.is_multi()) {
            _ if self.is_sending_back() => Context::Reason,
            _ if self.note.is_some() => Context::Field,
            _ if self.packets().is_some() => Context::Packets,
            _ if self.in_review => Context::Review,
            (Focus::Field, _) => Context::Field,
            (Focus::Filter, true) if self.space_ticks() => Context::MultiFilter,
            (Focus::Filter, true) => Context::WordsFilter,
            (Focus::Filter, false) => Context::ChoiceFilter,
            (Focus::List, true) => Context::Multi,
            (Focus::List, false) => Context::Choice,
        }
    }

    fn place(&self) -> Option<Place> {
        Some(if self.in_review { Place::Review } else { Place::Form })
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        match self.context(view.model) {
            Context::Reason => self.offer_in_reason(action),
            _ if *action == Action::SendBack
                && let Some(why) = self.nothing_to_send_back() =>
            {
                No(why)
            }
            Context::Field => self.offer_in_field(action),
            Context::Packets => review::offer_in_packets(self, action),
            Context::Review => review::offer(self, action),
            _ => match self.offer_in_question(action, view.model) {
                Yes if *action == Action::Back && self.focus == Focus::List && view.leads_back() => {
                    As(s::TO_THE_QUESTIONS)
                }
                offer => offer,
            },
        }
    }

    fn wanted(&self, view: View<'_>) -> Vec<Action> {
        match self.context(view.model) {
            Context::Choice | Context::Multi | Context::Field => self.wanted_in_question(view.model),
            Context::Review if !self.draft.missing(self.spec()).is_empty() => vec![Action::Accept],
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::OtherAnswer => self.take_other(cx),
            Action::Changes => {
                // The page shows the same.
                self.status.warnings.remove(&Warning::Questions);
                cx.cover(Page::new(Part::Changes));
            }
            action if self.is_sending_back() => self.act_in_reason(action, cx),
            action if self.packets().is_some() => self.act_in_packets(&action, cx),
            Action::SendBack => self.open_reason(cx.model.place, cx),
            Action::Note if self.note.is_none() => self.open_note(),
            action if self.note.is_some() => self.act_in_field(action, cx),
            action if self.in_review => self.act_in_review(&action, cx),
            action if self.focus == Focus::Field => self.act_in_field(action, cx),
            action => self.act_in_list(action, cx),
        }
    }

    fn offer_on_page(&self, action: &Action, _model: &Model) -> Option<Available> {
        match action {
            Action::SendBack if self.is_sending_back() => Some(Unlisted),
            Action::SendBack => {
                Some(self.nothing_to_send_back().map_or_else(|| self.offer_of_question(self.at, action), No))
            }
            Action::Next if self.in_review && !self.sends_back() => Some(Yes),
            _ if self.in_review => None,
            Action::OtherAnswer => Some(self.offer_of_question(self.at, action)),
            Action::Editor if self.status.repair().is_some() => Some(Unlisted),
            _ => None,
        }
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            Action::SendBack => {
                cx.uncover();
                if !self.is_sending_back() {
                    self.open_reason(cx.model.place, cx);
                }
            }
            _ if self.in_review => {}
            Action::OtherAnswer => self.take_other(cx),
            Action::Editor => self.edit_record(cx),
            _ => {}
        }
    }

    fn copied_on_page(&self, part: Part, view: View<'_>) -> Option<String> {
        match part {
            Part::Record => Some(review::record::json(&self.draft, self.spec())),
            Part::Whole if self.context(view.model) == Context::Review => {
                Some(review::answer::as_text(self, view.model.lang))
            }
            _ => self.copied(view),
        }
    }

    fn copied(&self, view: View<'_>) -> Option<String> {
        let text = match self.context(view.model) {
            Context::Packets => return None,
            Context::Field | Context::Reason => self.open_field().text().to_owned(),
            Context::Review => {
                let at = self.review_question()?;
                answer_text(
                    &self.question_in(at, view.model.lang),
                    &self.draft.replies[at],
                    usize::MAX,
                    view.model.lang,
                )
            }
            _ if self.is_free_text() => self.reply().text.display().into_owned(),
            _ => match self.current_row()? {
                Row::Option(place) => self.question().options[place].label.display().into_owned(),
                Row::Own(place) => self.reply().own().nth(place)?.display().into_owned(),
                row @ (Row::Typed | Row::Bare) => self.words_of(row)?.trim().to_owned(),
                Row::Other => self.reply().other.clone(),
                Row::Earlier => return None,
            },
        };
        Some(text).filter(|text| !text.is_empty())
    }

    fn is_guarded(&self, action: &Action, _view: View<'_>) -> bool {
        self.stops(action)
    }

    fn touch(&mut self, action: &Action, model: &mut Model) {
        prolong(&mut self.status.guarded_until, model.now);
        prolong(&mut self.status.moved_until, model.now);
        self.end_digits(action, model.now);
        if self.in_review && *action != Action::Submit {
            self.unread_since = None;
        }
    }

    fn look(&mut self, listed: bool, cx: &mut Cx<'_>) {
        self.see_if_shared(cx);
        self.look_at_gate(listed, cx);
        if listed {
            story::list(&self.gate.path, cx);
        } else if !cx.is_covered() && cx.model.story_width() > 0 {
            story::read(cx);
        }
    }

    fn fail(&mut self, cx: &mut Cx<'_>) {
        self.status.submitting = false;
        self.list_tried(cx);
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        match self.packets() {
            Some((batch, list)) => return review::packets::draw(view.model, batch, list, painter),
            None if self.in_review => review::draw::draw(view.model, self, painter),
            None => super::draw::draw(view.model, self, painter),
        }
        super::draw::note(view.model.screen_size(), self, painter);
        if view.model.story_width() > 0 {
            story::draw::draw(view.model, painter, false);
        }
    }

    fn write(&self, part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        match part {
            Part::Changes => super::page::write_all_changes(self, sheet),
            Part::Pane | Part::Whole if self.in_review && self.sends_back() => {
                review::record::write_refusal(self, sheet);
            }
            Part::Whole if self.note.is_some() => super::page::write_note_text(self, sheet),
            Part::Record => review::record::write(self, sheet),
            Part::Pane | Part::Whole if self.in_review => review::answer::write(self, sheet),
            Part::Pane => super::page::write_context(model, self, sheet),
            Part::Whole => super::page::write_question(model, self, sheet),
        }
    }

    fn title(&self, part: Part) -> Sentence {
        match part {
            Part::Changes => say("What has changed", "变化"),
            Part::Pane | Part::Whole if !self.in_review || self.note.is_some() => s::DETAILS,
            Part::Pane | Part::Whole if self.sends_back() => {
                say("What the executor is told", "会告诉执行器的话")
            }
            Part::Pane | Part::Whole => say("Your answers", "你的回答"),
            Part::Record if self.status.batch_taken().is_empty() => s::RECORD_AS_WRITTEN,
            Part::Record => say("The records, as they will be written", "将写入的各份记录原文"),
        }
    }

    fn pane<'a>(&'a self, _model: &'a Model) -> Option<&'a Scroll> {
        Some(&self.view().scroll)
    }
}

impl Form {
    /// What lastingly holds, said above the footer while nothing else is.
    pub fn lasting(&self, model: &Model) -> Option<(Tone, String)> {
        if let Some(warning) = self.warnings().next() {
            return Some((Tone::Warn, model.voice().text(warning)));
        }
        if let Some(refusal) = &self.gate.refusal {
            return Some((Tone::Bad, s::CANNOT_WRITE.fill(model.lang, &[&refusal.text(model.lang)])));
        }
        // In the review: that there is more to see than the answers.
        let seen = self.in_review && self.status.has_changes();
        seen.then(|| (Tone::Warn, model.voice().text(&self.status.changes_counted())))
    }

    /// Why nothing can be sent back; nothing where something can.
    fn nothing_to_send_back(&self) -> Option<Sentence> {
        let ahead = say(
            "No packet asks this yet: there is nothing to send back.",
            "还没有指令包问这个，没有可退回的。",
        );
        let gone = self.is_packet_gone().then_some(s::NOBODY_ASKS);
        gone.or_else(|| is_question_file(&self.gate.path).then_some(ahead))
    }

    /// Whether there is no packet, or none that can be used, that asks these questions.
    pub fn is_packet_gone(&self) -> bool {
        self.status.warnings.contains_key(&Warning::Packet)
    }

    /// The sentences that hold, the most urgent first. The foot of the review says itself who answered first.
    pub fn warnings(&self) -> impl Iterator<Item = &Message> {
        let in_foot = self.in_review && self.status.answered_first().is_some();
        let shown = move |of: Warning| !(in_foot && of == Warning::Record);
        self.status.warnings.iter().filter(move |(of, _)| shown(**of)).map(|(_, warning)| warning)
    }

    pub(crate) fn edit_record(&mut self, cx: &mut Cx<'_>) {
        self.save(cx);
        edit::begin(self.gate.path.clone(), None, cx);
    }

    /// What the whole form has, and the question at this place.
    pub(crate) fn offer_of_question(&self, at: usize, action: &Action) -> Available {
        match action {
            Action::OtherAnswer if self.other_answer(at).is_none() => No(s::NO_OTHER_ANSWER),
            Action::Changes if !self.status.has_changes() => No(s::NOTHING_CHANGED),
            _ => Yes,
        }
    }

    fn offer_in_question(&self, action: &Action, model: &Model) -> Available {
        let (free, filtering) = (self.is_free_text(), self.focus == Focus::Filter);
        let (filtered, nothing, other) =
            (self.filter().is_some(), self.current_row().is_none(), self.is_on_other());
        let is_folded = self.current_row() == Some(Row::Earlier);
        match action {
            Action::Accept if free => As(say("write", "填写")),
            Action::Accept if other => As(s::OTHER_HINT),
            Action::Accept if is_folded => As(say("show them", "展开")),
            Action::Pick if is_folded => Unlisted,
            Action::Pick if other => Unlisted,
            // Elsewhere Enter is the shorter way.
            Action::Next if !other || self.is_single() => Unlisted,
            Action::Pick | Action::Filter | Action::Vary if free => {
                No(say("This question has no options; write your answer.", "这道题没有选项，请直接填写。"))
            }
            Action::Vary if !self.question().allow_other => No(s::ONLY_OPTIONS),
            Action::Vary if nothing || is_folded => No(say("Go to an option first.", "请先移到一个选项上。")),
            // Any option can be varied; it is said where the executor has proposed some.
            Action::Vary if !self.is_on_proposed() => Unlisted,
            Action::Accept if filtering && self.is_multi() && self.has_ticked_hit() => {
                As(say("to the list", "回到列表"))
            }
            Action::Pick | Action::All if nothing => No(s::NOTHING_LISTED),
            Action::Pick if filtering && !self.space_ticks() => Unlisted,
            Action::Accept if nothing && (filtering || !self.is_multi()) => No(s::NOTHING_LISTED),
            Action::Back if filtered && !filtering => As(s::CLEAR_FILTER),
            // The key that shows all again is wanted more.
            Action::Number(_) if free || filtered => Unlisted,
            Action::PageDown if self.is_last_page(layout::page_rows(model.screen_size(), self)) => Unlisted,
            Action::Previous if self.at == 0 => AtEnd,
            Action::TakeBack if !self.can_take_back() => No(s::NOTHING_TO_UNDO),
            _ => self.offer_of_question(self.at, action),
        }
    }

    fn is_on_proposed(&self) -> bool {
        matches!(self.current_row(), Some(Row::Option(place)) if self.question().options[place].round.is_some())
    }

    fn is_last_page(&self, rows: usize) -> bool {
        (self.view().cursor / rows + 1) * rows >= self.row_count()
    }

    fn offer_in_field(&self, action: &Action) -> Available {
        let (noted, field) = (self.note.is_some(), self.open_field());
        let (many, is_multiline) = (noted || self.is_free_text(), field.is_multiline());
        match action {
            // It ends the note.
            Action::Review if self.in_review => Unlisted,
            Action::OtherAnswer if noted || !many => No(s::NOTHING_HERE),
            Action::Next | Action::Previous | Action::SendBack if noted => Unlisted,
            Action::Note if noted && !is_multiline => Unlisted,
            Action::Note if noted => As(s::DONE),
            Action::Accept if noted && !is_multiline => As(s::DONE),
            // It leaves the field, as Esc does.
            Action::Previous if self.at == 0 => Unlisted,
            Action::Accept if !many && self.is_multi() && field.text().trim().is_empty() => Yes,
            Action::Accept if !many => As(say("choose it", "采用")),
            Action::Edit(Edit::Newline) if !many => {
                No(say("Your own option is one line.", "自己填写的选项只能有一行。"))
            }
            Action::Accept if is_multiline => As(say("new line", "换行")),
            Action::Edit(Edit::Newline) if is_multiline => Unlisted,
            Action::Next if !is_multiline => Unlisted,
            _ => self.offer_of_question(self.at, action),
        }
    }

    fn wanted_in_question(&self, model: &Model) -> Vec<Action> {
        let (typing, field) = (self.focus == Focus::Field, self.open_field());
        if self.note.is_some() {
            return vec![if field.is_multiline() { Action::Note } else { Action::Accept }];
        }
        if typing && !self.is_free_text() {
            return vec![if field.text().trim().is_empty() { Action::Back } else { Action::Accept }];
        }
        // The cursor is on another option than the one that is chosen: it is about to be chosen.
        let undecided = self.is_single()
            && matches!(self.current_row(), Some(Row::Option(place)) if !self.reply().has(place));
        let paged = !typing && self.row_count() > layout::page_rows(model.screen_size(), self);
        let done = !undecided && self.draft.replies.iter().all(Reply::says);
        match () {
            () if done && paged => vec![Action::Review, Action::Accept, Action::Pick, Action::Filter],
            () if done => vec![Action::Review, Action::OtherAnswer],
            () if typing && field.is_multiline() => vec![Action::Next, Action::Review],
            () if self.is_multi() && self.is_on_other() => vec![Action::Accept, Action::Next],
            () if self.is_multi() && self.reply().picks.is_empty() => vec![Action::Pick],
            () if paged => vec![Action::Accept, Action::Pick, Action::Filter, Action::PageDown],
            () => Vec::new(),
        }
    }
}
