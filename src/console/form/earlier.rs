//! Replies beside those of the form: from before a key changed them, from a form that was open before, from an earlier
//! record.
//!
//! Only questions with options are remembered here; a text field has its own undo.

use crate::ask::{Kind, Pick, Question, Reply};
use crate::console::field::TextField;
use crate::console::form::gate::spec;
use crate::console::form::opened::OpenedGate;
use crate::console::model::{Focus, Form, Row};
use crate::store::history::LastTime;

/// Replies that are remembered, at most: each is a copy with all its ticks.
const KEPT: usize = 100;

impl Form {
    /// Remembers a reply that a key has just changed, for `take_back`.
    pub fn remember(&mut self, at: usize, was: Reply) {
        if self.spec().questions[at].kind != Kind::FreeText && self.draft.replies[at] != was {
            self.earlier.push((at, was));
            let over = self.earlier.len().saturating_sub(KEPT);
            self.earlier.drain(..over);
        }
    }

    /// Changes the reply to the question shown, with what it was before at hand; `take_back` undoes it.
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Reply, &Reply, &Question) -> T) -> T {
        let (at, packet) = (self.at, self.gate.packet.clone());
        let was = self.draft.replies[at].clone();
        let changed = change(&mut self.draft.replies[at], &was, &spec(&packet).questions[at]);
        self.remember(at, was);
        changed
    }

    /// Whether a key has changed the reply to the question shown.
    pub fn can_take_back(&self) -> bool {
        self.earlier.iter().any(|(at, _)| *at == self.at)
    }

    /// Takes back what a key changed last in the reply to the question shown; words typed since stay within reach.
    pub fn take_back(&mut self) {
        let Some(last) = self.earlier.iter().rposition(|(at, _)| *at == self.at) else { return };
        let (at, was) = self.earlier.remove(last);
        let now = std::mem::replace(&mut self.draft.replies[at], was);
        let reply = &mut self.draft.replies[at];
        if reply.other.trim().is_empty() && !reply.own().any(|own| *own == *now.other.as_str()) {
            reply.other.clone_from(&now.other);
        }
        reply.spare(&now);
        reply.put_words_aside(now.other);
        self.find_pick();
    }

    /// The cursor goes to the pick of a single choice, so that Enter does not choose something else.
    fn find_pick(&mut self) {
        let at = self.at;
        let multi = self.spec().questions[at].kind == Kind::MultiChoice;
        let pick = self.draft.replies[at].picks.first().filter(|_| !multi).map(|pick| match pick {
            Pick::Option(place) => Row::Option(*place),
            Pick::Own(_) => Row::Own(0),
        });
        let found = pick.and_then(|pick| match self.place_of(at, pick) {
            None if pick == Row::Own(0) => self.place_of(at, Row::Other),
            found => found,
        });
        let last = self.row_count(at).saturating_sub(1);
        let view = &mut self.views[at];
        view.cursor = found.unwrap_or(view.cursor).min(last);
    }

    /// Takes over what can be taken back of the form before, for the questions that are as they were there.
    pub fn inherit_earlier(&mut self, before: &Form) {
        let same = |at: usize| {
            let asked = &before.spec().questions[at];
            self.spec().find(&asked.id).filter(|(_, now)| *now == asked).map(|(now, _)| now)
        };
        let kept = before.earlier.iter().filter_map(|(at, reply)| Some((same(*at)?, reply.clone())));
        self.earlier = kept.collect();
    }

    /// Carries the answers over to a form of the same gate that is about to open.
    pub fn restore_into(&self, opened: &mut OpenedGate) {
        let to = spec(&opened.gate.packet);
        let mut over = self.draft.carried_over(self.spec(), to, self.status.orphans.clone());
        over.draft.fill_from(&opened.draft);
        let status = &mut opened.status;
        (opened.draft, status.orphans, status.again) = (over.draft, over.orphans, over.again);
        opened.at = self.at;
        // The answers were open all the time, so they are not announced as restored.
        opened.restored = None;
    }

    /// Fills in the answers of an earlier record where the author has given none.
    pub fn refill(&mut self) {
        let Some(before) = &self.status.before else { return };
        let was = self.reply().cloned();
        self.draft.fill_from(&before.good);
        if self.reply() != was.as_ref() {
            self.show_reply();
        }
    }

    /// Shows the changed reply to the question shown; the focus stays.
    fn show_reply(&mut self) {
        let at = self.at;
        match self.reply() {
            Some(reply) if self.is_free_text() => {
                let text = reply.text.lossy().into_owned();
                self.field = TextField::new(&text, text.contains('\n'));
            }
            Some(_) if self.focus == Focus::List && self.views[at].filter.is_none() => {
                self.views[at].cursor = self.first_cursor(at);
            }
            _ => {}
        }
    }

    /// An earlier record's answer to the question at this place, if it is one.
    fn good(&self, at: usize) -> Option<&Reply> {
        self.status.before.as_ref()?.good.replies.get(at)
    }

    /// What was answered to the question at this place the last time, at another gate.
    pub fn last_time(&self, at: usize) -> Option<&LastTime> {
        self.status.last_time.get(at)?.as_ref()
    }

    /// The answer from elsewhere that F7 offers: of an earlier record of this gate, else of the last time.
    fn offered(&self, at: usize) -> Option<&Reply> {
        self.good(at).or_else(|| self.last_time(at).map(|last| &last.reply))
    }

    /// The other answer to the question at this place that `take_other_answer` takes.
    pub fn other_answer(&self, at: usize) -> Option<&Reply> {
        self.draft.replies.get(at)?.next_answer(self.offered(at))
    }

    pub fn has_other_answer(&self, at: usize) -> bool {
        self.other_answer(at).is_some()
    }

    /// How many of the author's answers differ from a good one of an earlier record.
    pub fn contested(&self) -> usize {
        let own = |at: &usize| {
            let reply = &self.draft.replies[*at];
            reply.is_authors() && reply.can_cycle(self.good(*at))
        };
        (0..self.draft.replies.len()).filter(own).count()
    }

    /// Changes to the other answer to the question at this place; the old one is set aside.
    pub fn take_other_answer(&mut self, at: usize) {
        let offered = self.offered(at).cloned();
        let turned = self.draft.replies.get_mut(at).is_some_and(|reply| reply.cycle(offered.as_ref()));
        if turned && at == self.at {
            self.show_reply();
        } else if turned && self.views[at].filter.is_none() {
            self.views[at].cursor = self.first_cursor(at);
        }
    }
}
