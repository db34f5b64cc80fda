//! Replies as they were before a key changed them, so that one key takes that back.
//!
//! Responsible for questions with options; a text field takes its own changes back. Kept as long as the form is.

use super::{Form, Row};
use crate::ask::draft::Orphan;
use crate::ask::{JsString, Kind, Pick, Reply};

impl Form {
    /// Lets what a key has just changed in the reply to the question at this place be taken back.
    pub fn remember(&mut self, at: usize, was: Reply) {
        if self.spec().questions[at].kind != Kind::FreeText && self.draft.replies[at] != was {
            self.earlier.push((at, was));
        }
    }

    /// Whether a key has changed the reply to the question shown.
    pub fn can_take_back(&self) -> bool {
        self.earlier.iter().any(|(at, _)| *at == self.at)
    }

    /// Takes back what a key changed last in the reply to the question shown; words typed since stay within reach.
    /// False if there is nothing to take back.
    pub fn take_back(&mut self) -> bool {
        let Some(last) = self.earlier.iter().rposition(|(at, _)| *at == self.at) else { return false };
        let (at, was) = self.earlier.remove(last);
        let now = std::mem::replace(&mut self.draft.replies[at], was);
        let reply = &mut self.draft.replies[at];
        if reply.other.trim().is_empty() && !reply.own().any(|own| *own == *now.other.as_str()) {
            reply.other.clone_from(&now.other);
        }
        reply.spare(&now);
        let (other, own): (_, Vec<JsString>) = (reply.other.clone(), reply.own().cloned().collect());
        let id: JsString = self.spec().questions[at].id.as_str().into();
        let orphans = &mut self.status.orphans;
        orphans.retain(|orphan| orphan.id != id || orphan.words != *other.as_str());
        if !now.other.trim().is_empty() && now.other != other && !own.contains(&now.other.as_str().into()) {
            orphans.push(Orphan { id, words: now.other.into() });
        }
        self.find_pick();
        true
    }

    /// The cursor goes to the pick of a single choice, so that Enter does not choose something else.
    fn find_pick(&mut self) {
        let at = self.at;
        let multi = self.spec().questions[at].kind == Kind::MultiChoice;
        let pick = self.draft.replies[at].picks.first().filter(|_| !multi).map(|pick| match pick {
            Pick::Option(place) => Row::Option(*place),
            Pick::Own(_) => Row::Other,
        });
        let rows = self.row_count(at);
        let found = (0..rows).find(|&row| pick.is_some() && self.row(at, row) == pick);
        let view = &mut self.views[at];
        view.cursor = found.unwrap_or(view.cursor).min(rows.saturating_sub(1));
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
}
