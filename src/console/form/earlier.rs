//! Replies beside those of the form: from before a key changed them, from a form that was open before, from an earlier
//! record.
//!
//! Only questions with options are remembered here; a text field has its own undo.

use crate::ask::{Kind, Pick, Question, Reply};
use crate::console::form::{Focus, Form, Row};
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
        let was = self.reply().clone();
        let question = &self.gate.spec().questions[self.at];
        let changed = change(&mut self.draft.replies[self.at], &was, question);
        self.remember(self.at, was);
        changed
    }

    pub fn can_take_back(&self) -> bool {
        self.earlier.iter().any(|(at, _)| *at == self.at)
    }

    /// Takes back what a key changed last in the reply to the question shown; words typed since stay within reach. The cursor
    /// goes to the pick of a single choice, so that Enter does not choose something else.
    pub fn take_back(&mut self) {
        let Some(last) = self.earlier.iter().rposition(|(at, _)| *at == self.at) else { return };
        let (at, was) = self.earlier.remove(last);
        let reply = &mut self.draft.replies[at];
        let now = std::mem::replace(reply, was);
        if reply.other.trim().is_empty() && !reply.own().any(|own| *own == *now.other.as_str()) {
            reply.other.clone_from(&now.other);
        }
        reply.spare(&now);
        reply.put_words_aside(now.other);
        let pick = self.reply().picks.first().filter(|_| self.is_single());
        let found = pick.and_then(|pick| match pick {
            Pick::Option(place) => self.place_of(Row::Option(*place)),
            Pick::Own(_) => self.place_of(Row::Own(0)).or_else(|| self.place_of(Row::Other)),
        });
        self.point_at(found.unwrap_or(self.view().cursor));
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

    /// Fills in the answers of the bad record where the author has given none.
    pub fn refill(&mut self) {
        let Some(before) = self.status.before.as_ref().filter(|_| self.status.repair().is_some()) else {
            return;
        };
        let was = self.reply().clone();
        self.draft.fill_from(&before.good);
        if *self.reply() != was {
            self.show_reply(self.at);
        }
    }

    /// Shows the changed reply to the question at this place; the focus stays.
    fn show_reply(&mut self, at: usize) {
        let is_shown = at == self.at;
        if is_shown && self.is_free_text() {
            self.show_text();
        } else if self.views[at].filter.is_none() && !(is_shown && self.focus == Focus::Field) {
            self.views[at].cursor = self.first_cursor(at);
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

    /// How many of the author's answers differ from a good one of an earlier record.
    pub fn contested(&self) -> usize {
        let replies = self.draft.replies.iter().enumerate();
        replies.filter(|(at, reply)| reply.is_authors() && reply.can_cycle(self.good(*at))).count()
    }

    /// Changes to the other answer to the question at this place; the old one is set aside.
    pub fn take_other_answer(&mut self, at: usize) {
        let offered = self.offered(at).cloned();
        let was = self.draft.replies[at].clone();
        if self.draft.replies[at].cycle(offered.as_ref()) {
            self.show_reply(at);
            self.remember(at, was);
        }
    }
}
