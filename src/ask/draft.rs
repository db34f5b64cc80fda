//! Half-made answers of one gate.
//!
//! Every way in which an answer comes about is here: choosing, ticking, typing, clearing, and values given exactly. The
//! console and the commands all go through here, so their records cannot differ. The last word on a record is `check`'s.

use super::answer::{Answer, AnswerSpec, Answers, Notes, exact_pick, own_pick, sort_picks};
use super::js_string::JsString;
use super::question::{Choice, Kind, Question, QuestionSpec, label_places};
use crate::text::{Sentence, say};
use saved_reply::SavedReply;
use std::collections::HashMap;
use std::mem;

mod aside;
pub mod said;
pub mod saved;
mod saved_reply;

pub use super::answer::{OwnFault, Pick, is_control_token};
pub use said::{Said, SaidAs};
pub use saved::{CarriedOver, Orphan};
pub use saved_reply::DraftProgress;

/// An answer that is its question's default, untouched.
pub const IS_DEFAULT: Sentence = say("{0} (default)", "{0}（默认）");

/// Answers in the making, one reply for each question of the spec, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub replies: Vec<Reply>,
    /// What the author has written to send the step back.
    pub reason: Reason,
    /// Replies of which the questions of now take a part or nothing, as the author gave them: the packet may ask again.
    given: Vec<SavedReply>,
}

/// Why the author gives no answer, as far as he has said it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    pub words: JsString,
    /// The id of a question that does not apply.
    pub does_not_apply: Option<String>,
}

impl Reason {
    pub fn is_blank(&self) -> bool {
        self.words.is_blank() && self.does_not_apply.is_none()
    }
}

/// What has been done about one question so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub picks: Vec<Pick>,
    /// The text of a free-text question, exactly as typed.
    pub text: JsString,
    /// Words typed for `Other` that are not an answer (any more); kept so that nothing typed is lost.
    pub other: String,
    /// Whether there is a reply, by the author or by an earlier record; until then the default stands.
    pub touched: bool,
    /// Whether that is only what an earlier record answers: the author has done nothing to it.
    pub prefilled: bool,
    /// Other answers of the author's to this question, and words that he typed for `Other` before those that stand there;
    /// none is ever sent.
    pub alternatives: Vec<Reply>,
    /// Words beside the answer, for the record's `_notes`.
    pub note: JsString,
}

impl Draft {
    /// A fresh draft: every default stands, untouched.
    pub fn new(spec: &QuestionSpec) -> Draft {
        Draft { replies: spec.questions.iter().map(Reply::fresh).collect(), ..Draft::default() }
    }

    /// A draft that starts from given answers, as after a redo; ticks stand in option order. A question without an
    /// answer keeps its default if it must be answered and is blank otherwise, as the earlier record had it.
    pub fn prefilled(spec: &QuestionSpec, answers: &Answers) -> Draft {
        let mut draft = Draft::new(spec);
        let answers: HashMap<&str, &Answer> =
            answers.iter().map(|(id, answer)| (id.as_str(), answer)).collect();
        for (question, reply) in spec.questions.iter().zip(&mut draft.replies) {
            match answers.get(question.id.as_str()) {
                Some(&answer) => {
                    reply.set(question, answer.clone());
                    sort_picks(&mut reply.picks);
                }
                None if !question.must_be_answered() => reply.clear(),
                None => {}
            }
            reply.prefilled = reply.touched;
        }
        draft
    }

    /// A draft with no defaults: only what is set is answered. For answers that come from a file or from flags.
    pub fn blank(spec: &QuestionSpec) -> Draft {
        let reply = Reply { touched: true, ..Reply::default() };
        Draft { replies: vec![reply; spec.questions.len()], ..Draft::default() }
    }

    pub fn answers(&self, spec: &QuestionSpec) -> Answers {
        let pairs = spec.questions.iter().zip(&self.replies);
        pairs.filter_map(|(question, reply)| Some((question.id.clone(), reply.answer(question)?))).collect()
    }

    /// The option by which these answers send the step back, if they do.
    pub fn sends_back<'s>(&self, spec: &'s QuestionSpec) -> Option<&'s Choice> {
        let mut pairs = spec.questions.iter().zip(&self.replies);
        pairs.find_map(|(question, reply)| match reply.picks.first()? {
            Pick::Option(place) => question.options.get(*place).filter(|option| option.sends_back),
            Pick::Own(_) => None,
        })
    }

    /// Places of the questions that must be answered and are not; whoever sends back need not answer the others.
    pub fn missing(&self, spec: &QuestionSpec) -> Vec<usize> {
        if self.sends_back(spec).is_some() {
            return Vec::new();
        }
        let pairs = spec.questions.iter().zip(&self.replies).enumerate();
        pairs
            .filter(|(_, (question, reply))| question.must_be_answered() && reply.answer(question).is_none())
            .map(|(i, _)| i)
            .collect()
    }

    /// The ids of the questions whose defaults stand, untouched.
    pub fn defaults(&self, spec: &QuestionSpec) -> Vec<String> {
        let pairs = spec.questions.iter().zip(&self.replies).filter(|(_, reply)| reply.is_default());
        pairs.map(|(question, _)| question.id.clone()).collect()
    }

    pub fn record(&self, spec: &QuestionSpec, answered_at: &str, answered_by: &JsString) -> AnswerSpec {
        let record = AnswerSpec::of(spec, self.answers(spec), answered_at.into(), answered_by.clone());
        AnswerSpec { notes: self.notes(spec), ..record }
    }

    fn notes(&self, spec: &QuestionSpec) -> Notes {
        let pairs = spec.questions.iter().zip(&self.replies).filter(|(_, reply)| !reply.note.is_blank());
        pairs.map(|(question, reply)| (question.id.as_str().into(), reply.note.clone())).collect()
    }

    /// Takes the replies of another draft of the same questions where the author has done nothing in this one; what he
    /// has typed or put aside stays.
    pub fn fill_from(&mut self, other: &Draft) {
        for (reply, other) in self.replies.iter_mut().zip(&other.replies) {
            if !reply.touched || reply.prefilled && other.touched {
                let own = std::mem::replace(reply, other.clone());
                if own.has_own_note() {
                    reply.note = own.note;
                }
                reply.alternatives = own.alternatives;
                if !own.other.is_empty() {
                    reply.other = own.other;
                }
            }
        }
        if self.reason.is_blank() {
            self.reason = other.reason.clone();
        }
    }

    /// Makes the author's own whatever stands there: defaults, and what an earlier record answers.
    pub fn adopt(&mut self) {
        self.replies.iter_mut().filter(|reply| reply.says()).for_each(Reply::touch);
    }

    /// Whether there is any reply at all, by the author or by an earlier record.
    pub fn touched(&self) -> bool {
        self.replies.iter().any(|reply| reply.touched || !reply.other.is_empty() || !reply.note.is_blank())
    }

    pub fn progress(&self, spec: &QuestionSpec) -> DraftProgress {
        let answered = self.replies.iter().filter(|reply| reply.is_authors() && reply.says()).count();
        let has_words = |reply: &Reply| !reply.other.trim().is_empty() || reply.has_own_note();
        let has_words =
            self.replies.iter().any(has_words) || !self.given.is_empty() || !self.reason.is_blank();
        let standing = self.replies.iter().filter(|reply| reply.says()).count();
        let missing = self.missing(spec).len();
        DraftProgress { answered, questions: self.replies.len(), standing, missing, has_words }
    }

    /// What the author has written that is in no record of these answers: the draft that stays when they are submitted.
    #[must_use]
    pub fn beside_answers(&self) -> Draft {
        let written = |aside: &&Reply| {
            aside.own().next().is_some() || !aside.text.is_blank() || aside.typed_words().is_some()
        };
        let beside = |reply: &Reply| Reply {
            other: reply.other.clone(),
            alternatives: reply.asides().filter(written).cloned().collect(),
            ..Reply::default()
        };
        Draft { replies: self.replies.iter().map(beside).collect(), ..self.clone() }
    }

    /// What stays of it when it has sent the step back: the answers, but for what a verdict says. They are there again when the gate
    /// waits anew, and that verdict was about something else.
    #[must_use]
    pub fn beside_refusal(&self, spec: &QuestionSpec) -> Draft {
        let mut beside = if self.sends_back(spec).is_some() { self.beside_answers() } else { self.clone() };
        beside.forget_verdicts(spec);
        Draft { reason: Reason::default(), ..beside }
    }

    /// Leaves the verdicts open; what was typed and not chosen stays.
    pub fn forget_verdicts(&mut self, spec: &QuestionSpec) {
        for (_, reply) in spec.questions.iter().zip(&mut self.replies).filter(|(it, _)| it.is_verdict()) {
            let (other, alternatives) = (mem::take(&mut reply.other), mem::take(&mut reply.alternatives));
            let note = if reply.has_own_note() { mem::take(&mut reply.note) } else { JsString::EMPTY };
            *reply = Reply { other, alternatives, note, ..Reply::default() };
        }
    }

    /// The same where they would open the gate: what was there when they were chosen may be another by now.
    pub fn forget_approvals(&mut self, spec: &QuestionSpec) {
        if self.sends_back(spec).is_none() {
            self.forget_verdicts(spec);
        }
    }

    pub fn is_authors(&self) -> bool {
        let typed = |reply: &Reply| !reply.other.is_empty() || !reply.alternatives.is_empty();
        let is_authors = |reply: &Reply| reply.is_authors() || typed(reply) || reply.has_own_note();
        self.replies.iter().any(is_authors) || !self.given.is_empty() || !self.reason.is_blank()
    }
}

impl Reply {
    fn fresh(question: &Question) -> Reply {
        let mut picks: Vec<Pick> = question.default.iter().map(|&place| Pick::Option(place)).collect();
        sort_picks(&mut picks);
        Reply { picks, ..Reply::default() }
    }

    /// Whether the default stands because nothing was done here.
    pub fn is_default(&self) -> bool {
        !self.touched && !self.picks.is_empty()
    }

    pub fn is_authors(&self) -> bool {
        self.touched && !self.prefilled
    }

    /// Whether the author has written a note, other than that of an earlier record.
    pub fn has_own_note(&self) -> bool {
        !self.prefilled && !self.note.is_blank()
    }

    fn touch(&mut self) {
        self.touched = true;
        self.prefilled = false;
    }

    /// Whether there is an answer, the author's or the default.
    pub fn says(&self) -> bool {
        !self.picks.is_empty() || !self.text.is_blank()
    }

    pub fn says_as(&self, other: &Reply) -> bool {
        (&self.picks, &self.text) == (&other.picks, &other.text)
    }

    pub fn has(&self, place: usize) -> bool {
        self.picks.contains(&Pick::Option(place))
    }

    /// Own words among the picks, in entry order.
    pub fn own(&self) -> impl Iterator<Item = &JsString> {
        self.picks.iter().filter_map(|pick| match pick {
            Pick::Own(words) => Some(words),
            Pick::Option(_) => None,
        })
    }

    /// Single choice: this option and nothing else.
    pub fn choose(&mut self, place: usize) {
        self.touch();
        self.picks = vec![Pick::Option(place)];
    }

    /// Multi choice: tick or untick this option; ticks stay in option order.
    pub fn toggle(&mut self, place: usize) {
        self.touch();
        if self.has(place) {
            self.picks.retain(|pick| *pick != Pick::Option(place));
        } else {
            self.picks.push(Pick::Option(place));
            sort_picks(&mut self.picks);
        }
    }

    /// Multi choice: tick every option at these places, or none of them if all are ticked; all else stays.
    pub fn toggle_all(&mut self, question: &Question, places: &[usize]) {
        let ticked = self.ticked(question);
        let all = places.iter().all(|&place| ticked[place]);
        self.set_ticks(ticked, places, |_| !all);
    }

    pub fn ticked(&self, question: &Question) -> Vec<bool> {
        let mut ticked = vec![false; question.options.len()];
        for pick in &self.picks {
            if let Pick::Option(place) = pick
                && let Some(tick) = ticked.get_mut(*place)
            {
                *tick = true;
            }
        }
        ticked
    }

    fn set_ticks(&mut self, mut ticked: Vec<bool>, places: &[usize], tick: impl Fn(bool) -> bool) {
        for &place in places {
            ticked[place] = tick(ticked[place]);
        }
        let ticked = ticked.into_iter().enumerate().filter(|&(_, ticked)| ticked);
        let ticks: Vec<Pick> = ticked.map(|(place, _)| Pick::Option(place)).collect();
        self.picks.retain(|pick| matches!(pick, Pick::Own(_)));
        self.picks.splice(0..0, ticks);
        self.touch();
    }

    /// Takes own words for `Other`: trimmed as JavaScript trims; words equal to a label are that label. An error changes nothing.
    pub fn take_own(&mut self, question: &Question, words: impl Into<JsString>) -> Result<(), OwnFault> {
        let pick = own_pick(question, &words.into())?;
        if question.kind == Kind::MultiChoice {
            if self.picks.contains(&pick) {
                return Err(OwnFault::Duplicate);
            }
            self.picks.push(pick);
            sort_picks(&mut self.picks);
        } else {
            self.picks = vec![pick];
        }
        self.touch();
        Ok(())
    }

    pub fn drop_own(&mut self, words: &JsString) {
        self.touch();
        self.picks.retain(|pick| !matches!(pick, Pick::Own(own) if own == words));
    }

    /// Words beside the answer. With them it is the author's own, whoever gave it first.
    pub fn take_note(&mut self, words: &str) {
        self.note = words.into();
        self.prefilled = false;
    }

    /// Free text, kept exactly.
    pub fn type_text(&mut self, text: &str) {
        self.touch();
        self.text = text.into();
    }

    /// No answer: neither picks nor the default nor text. A note stays, for it may say why; cleared once more, it goes.
    pub fn clear(&mut self) {
        let now = std::mem::take(self);
        let was_clear = now.touched && now.picks.is_empty() && now.text.is_empty();
        let note = if was_clear { JsString::default() } else { now.note };
        let (other, alternatives) = (now.other, now.alternatives);
        *self = Reply { touched: true, other, note, alternatives, ..Reply::default() };
    }

    /// A value given exactly: no trimming, no order of its own.
    pub fn set(&mut self, question: &Question, answer: Answer) {
        self.touch();
        match (question.kind, answer) {
            (Kind::FreeText, Answer::One(text)) => self.text = text,
            (_, Answer::One(value)) => self.picks = vec![exact_pick(question, &value)],
            (_, Answer::Many(values)) => {
                let places = label_places(&question.options);
                let pick =
                    |value| places.get(&value).map_or_else(|| Pick::Own(value), |&at| Pick::Option(at));
                self.picks = values.into_iter().map(pick).collect();
            }
        }
    }

    /// The answer as it stands; `None` leaves the id out of the record.
    pub fn answer(&self, question: &Question) -> Option<Answer> {
        let value = |pick: &Pick| pick.value(question).cloned();
        match question.kind {
            Kind::FreeText => (!self.text.is_blank()).then(|| Answer::One(self.text.clone())),
            Kind::SingleChoice => self.picks.first().and_then(value).map(Answer::One),
            Kind::MultiChoice => {
                let values: Vec<JsString> = self.picks.iter().filter_map(value).collect();
                (!values.is_empty()).then_some(Answer::Many(values))
            }
        }
    }
}

#[cfg(test)]
mod tests;
