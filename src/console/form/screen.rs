//! The form as a screen: a question, or the review of all answers.

use super::{Focus, Form, Row};
use crate::ask::{Kind, Question, Reply};
use crate::console::action::Action;
use crate::console::draw::answer::is_answered;
use crate::console::draw::layout;
use crate::console::draw::painter::Painter;
use crate::console::draw::scroll::Scroll;
use crate::console::draw::sheet::Sheet;
use crate::console::edit;
use crate::console::field::Edit;
use crate::console::input::keymap::Context;
use crate::console::model::{Model, Place, Tone};
use crate::console::page::Page;
use crate::console::review;
use crate::console::screen::Available::{self, As, No, Unlisted, Yes};
use crate::console::screen::{Cx, Part, Screen, View};
use crate::console::sentences as s;
use crate::console::story;
use crate::text::{Sentence, say};

impl Screen for Form {
    fn context(&self, _model: &Model) -> Context {
        match (self.focus, self.question().map(|question| question.kind)) {
            _ if self.note.is_some() => Context::Field,
            _ if self.in_review && self.packets().is_some() => Context::Packets,
            _ if self.in_review => Context::Review,
            (Focus::Field, _) => Context::Field,
            (Focus::Filter, Some(Kind::MultiChoice)) if self.space_ticks() => Context::MultiFilter,
            (Focus::Filter, Some(Kind::MultiChoice)) => Context::WordsFilter,
            (Focus::Filter, _) => Context::ChoiceFilter,
            (Focus::List, Some(Kind::MultiChoice)) => Context::Multi,
            (Focus::List, _) => Context::Choice,
        }
    }

    fn place(&self) -> Option<Place> {
        Some(if self.in_review { Place::Review } else { Place::Form })
    }

    fn offer(&self, action: &Action, view: View<'_>) -> Available {
        let many = self.note.as_ref().map_or(&self.field, |note| &note.field).is_multiline();
        match self.context(view.model) {
            // It ends the note.
            Context::Field if self.in_review && *action == Action::Review => Unlisted,
            Context::Field => self.offer_in_field(action, many),
            Context::Packets => review::offer_in_packets(self, action),
            Context::Review => review::offer(self, action),
            Context::ChoiceFilter | Context::MultiFilter | Context::WordsFilter => {
                self.offer_in_filter(action, view.model)
            }
            _ => self.offer_in_question(action, view.model),
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
                self.status.warnings.banner.take_if(|banner| banner.is_of_questions());
                cx.cover(Page::new(Part::Changes));
            }
            action if self.in_review && self.note.is_none() && self.packets().is_some() => {
                self.act_in_packets(&action, cx);
            }
            Action::Note if self.note.is_none() => self.open_note(),
            action if self.note.is_some() => self.act_in_note(action, cx),
            action if self.in_review => self.act_in_review(&action, cx),
            action => match self.focus {
                Focus::Field => self.act_in_field(action, cx),
                Focus::Filter => self.act_in_filter(action, cx),
                Focus::List => self.act_in_list(action, cx),
            },
        }
    }

    fn offer_on_page(&self, action: &Action, _model: &Model) -> Option<Available> {
        match action {
            _ if self.in_review => None,
            Action::OtherAnswer => Some(self.offer_of_question(self.at, action)),
            Action::Editor if self.status.repair.is_some() => Some(Unlisted),
            _ => None,
        }
    }

    fn act_on_page(&mut self, action: Action, cx: &mut Cx<'_>) {
        match action {
            _ if self.in_review => {}
            Action::OtherAnswer => self.take_other(cx),
            Action::Editor => self.edit_record(cx),
            _ => {}
        }
    }

    fn is_guarded(&self, action: &Action, _view: View<'_>) -> bool {
        self.stops(action)
    }

    fn touch(&mut self, action: &Action, model: &Model) {
        self.prolong_guards(model.now);
        if *action != Action::Submit {
            self.review.held_since = None;
        }
    }

    fn look(&mut self, listed: bool, cx: &mut Cx<'_>) {
        self.look_at_gate(listed, cx);
        if listed {
            story::list(&self.gate.path, cx);
        } else if !self.in_review && !cx.is_covered() && layout::has_story_beside(cx.model) {
            story::read(cx);
        }
    }

    fn fail(&mut self, cx: &mut Cx<'_>) {
        self.status.submitting = false;
        self.list_tried(cx);
    }

    fn draw(&self, view: View<'_>, painter: &mut Painter<'_>) {
        match (self.in_review, self.packets()) {
            (true, Some((batch, list))) => return review::packets::draw(view.model, batch, list, painter),
            (true, None) => review::draw::draw(view.model, self, painter),
            (false, _) => super::draw::draw(view.model, self, painter),
        }
        super::draw::note(view.model, self, painter);
        if !self.in_review && layout::has_story_beside(view.model) {
            story::draw::draw(view.model, painter, false);
        }
    }

    fn write(&self, part: Part, model: &Model, sheet: &mut Sheet<'_>) {
        match part {
            Part::Changes => super::changes::write(self, sheet),
            Part::Pane | Part::Whole if self.in_review => review::record::write(self, sheet),
            Part::Pane => super::page::write_context(model, self, sheet),
            Part::Whole => super::page::write_question(model, self, sheet),
        }
    }

    fn title(&self, part: Part) -> Sentence {
        match part {
            Part::Changes => s::CHANGES,
            Part::Pane | Part::Whole if !self.in_review => s::DETAILS,
            Part::Pane | Part::Whole if self.status.batch_taken().is_empty() => s::RECORD_AS_WRITTEN,
            Part::Pane | Part::Whole => s::RECORDS_AS_WRITTEN,
        }
    }

    fn pane<'a>(&'a self, _model: &'a Model) -> Option<&'a Scroll> {
        self.view().map(|view| &view.scroll)
    }

    fn lasting(&self, model: &Model) -> Option<(Tone, String)> {
        let banner = self.status.warnings.all().next().map(|message| (Tone::Warn, model.text(message)));
        let refused = |message: &crate::text::Message| {
            (Tone::Bad, s::CANNOT_WRITE.fill(model.lang, &[&message.text(model.lang)]))
        };
        // In the review: that there is more to see than the answers.
        let changes = || {
            let seen = self.in_review && self.status.has_changes();
            seen.then(|| (Tone::Warn, model.text(&self.status.changes_counted())))
        };
        banner.or_else(|| self.gate.refusal.as_ref().map(refused)).or_else(changes)
    }
}

impl Form {
    /// The files may have changed while it is open, on the stack or behind the inbox; `listed` if the list of gates has.
    pub(crate) fn look_at_gate(&mut self, listed: bool, cx: &mut Cx<'_>) {
        self.see_if_shared(cx);
        if listed {
            self.note_conflict(cx);
            self.reload(cx);
        }
    }

    /// Opens the record that lies there in the author's editor.
    pub(crate) fn edit_record(&mut self, cx: &mut Cx<'_>) {
        self.save(cx);
        edit::begin(self.gate.path.clone(), None, cx);
    }

    /// What the whole form has, and the question at this place.
    pub(crate) fn offer_of_question(&self, at: usize, action: &Action) -> Available {
        match action {
            Action::OtherAnswer if !self.has_other_answer(at) => No(Some(s::NO_OTHER_ANSWER)),
            Action::Changes if !self.status.has_changes() => No(Some(s::NOTHING_CHANGED)),
            _ => Yes,
        }
    }

    fn offer_in_question(&self, action: &Action, model: &Model) -> Available {
        let free = self.is_free_text();
        let filtered = self.view().is_some_and(|view| view.filter.is_some());
        let row = self.current_row();
        let other = matches!(row, Some(Row::Other | Row::Typed));
        let multi = self.question().is_some_and(|question| question.kind == Kind::MultiChoice);
        match action {
            Action::Accept if free => As(say("write", "填写")),
            Action::Accept if other => As(s::OTHER_HINT),
            Action::Pick if other => Unlisted,
            Action::Pick | Action::Filter if free => No(None),
            Action::Pick | Action::All | Action::Invert if row.is_none() => No(None),
            Action::Accept if row.is_none() && !multi => No(None),
            Action::Number(_) if free => Unlisted,
            Action::Back if filtered => As(say("clear filter", "清除筛选")),
            // The key that shows all again is wanted more.
            Action::Number(_) if filtered => Unlisted,
            Action::PageDown if self.is_last_page(layout::page_rows(model, self)) => Unlisted,
            Action::Previous if self.at == 0 => No(None),
            Action::TakeBack if !self.can_take_back() => No(Some(s::NOTHING_TO_UNDO)),
            _ => self.offer_of_question(self.at, action),
        }
    }

    fn offer_in_filter(&self, action: &Action, model: &Model) -> Available {
        let row = self.current_row();
        let own_words = matches!(row, Some(Row::Typed | Row::Other));
        match action {
            Action::Accept | Action::Pick if row.is_none() => No(None),
            Action::Accept if own_words => As(s::OTHER_HINT),
            Action::Pick if own_words || !self.space_ticks() => Unlisted,
            Action::Accept | Action::Pick | Action::Back => Yes,
            _ => self.offer_in_question(action, model),
        }
    }

    fn offer_in_field(&self, action: &Action, is_multiline: bool) -> Available {
        let noted = self.note.is_some();
        let many = noted || self.is_free_text();
        let text = self.note.as_ref().map_or(&self.field, |note| &note.field).text();
        match action {
            Action::OtherAnswer if noted => No(None),
            Action::Next | Action::Previous if noted => Unlisted,
            Action::Note if noted && !is_multiline => Unlisted,
            Action::Note if noted => As(s::DONE),
            Action::Accept if noted && !is_multiline => As(s::DONE),
            // It leaves the field, as Esc does.
            Action::Previous if self.at == 0 => Unlisted,
            Action::Accept if !many => As(say("choose it", "采用")),
            Action::Edit(Edit::Newline) | Action::Multiline | Action::OtherAnswer if !many => No(None),
            Action::Accept if is_multiline => As(say("new line", "换行")),
            Action::Edit(Edit::Newline) if is_multiline => Unlisted,
            Action::Next if !is_multiline => Unlisted,
            // Several lines do not fit one.
            Action::Multiline if text.contains('\n') => No(None),
            _ => self.offer_of_question(self.at, action),
        }
    }

    fn wanted_in_question(&self, model: &Model) -> Vec<Action> {
        let many = self.note.as_ref().map_or(&self.field, |note| &note.field).is_multiline();
        let typing = self.focus == Focus::Field;
        if self.note.is_some() {
            return vec![if many { Action::Note } else { Action::Accept }];
        }
        if typing && !self.is_free_text() {
            let blank = self.field.text().trim().is_empty();
            return vec![if blank { Action::Back } else { Action::Accept }];
        }
        let Some((asked, reply)) = self.question().zip(self.reply()) else { return Vec::new() };
        // The cursor is on another option than the one that is chosen: it is about to be chosen.
        let undecided = asked.kind == Kind::SingleChoice
            && matches!(self.current_row(), Some(Row::Option(place)) if !reply.has(place));
        let paged = !typing && self.row_count(self.at) > layout::page_rows(model, self);
        let answered = |(question, reply): (&Question, &Reply)| is_answered(question, reply);
        let all = self.spec().questions.iter().zip(&self.draft.replies).all(answered);
        match () {
            () if !undecided && all && paged => {
                vec![Action::Review, Action::Accept, Action::Pick, Action::Filter]
            }
            () if !undecided && all => vec![Action::Review, Action::OtherAnswer],
            () if typing && many => vec![Action::Next, Action::Review],
            () if asked.kind == Kind::MultiChoice && reply.picks.is_empty() => vec![Action::Pick],
            () if paged => vec![Action::Accept, Action::Pick, Action::Filter, Action::PageDown],
            () => Vec::new(),
        }
    }
}
