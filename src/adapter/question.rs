//! One question as it was shown, and what a reply to it changes. A rejected reply changes nothing.

use super::control::Control;
use super::marks::{is_control_label, is_mark, listed, unmarked};
use super::profile::{Overflow, Profile};
use super::progress::{Progress, Reject, Stage};
use super::screens::{Act, QuestionScreen};
use super::silence::{Silence, silence, silence_in_list};
use crate::ask::draft::OwnFault;
use crate::ask::{Answer, JsString, Kind, Question};
use std::ops::ControlFlow;

/// A question as it was shown.
#[derive(Clone, Copy)]
pub struct AskedQuestion<'a> {
    pub question: &'a Question,
    pub profile: &'a Profile,
    pub screen: &'a QuestionScreen,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionReply {
    /// No answer: missing, blank, an empty list.
    Nothing,
    Skipped,
    /// "None of the above", without any words.
    NoneOfThese,
    /// "None of the above" beside something else.
    Contradictory,
    /// What stands among the chosen labels, never none; a tool that has no place of its own for typed words puts them here too.
    Chosen(Vec<JsString>),
    /// Words that were certainly typed.
    Typed(JsString),
}

/// Breaks where the author chose to stop.
pub type Flow = ControlFlow<()>;

impl AskedQuestion<'_> {
    /// Takes what came back; a rejection changes nothing.
    pub fn take(&self, progress: &mut Progress, reply: QuestionReply) -> Result<Flow, Reject> {
        match reply {
            QuestionReply::Nothing => Err(Reject::Unanswered),
            QuestionReply::Skipped if self.question.must_be_answered() => Err(Reject::Required),
            QuestionReply::Skipped if !progress.reply.picks.is_empty() => Err(Reject::Unanswered),
            QuestionReply::Skipped => self.control(progress, Control::Skip),
            QuestionReply::NoneOfThese => self.go_up(progress),
            QuestionReply::Contradictory => Err(Reject::Contradiction),
            QuestionReply::Typed(words) => self.type_words(progress, &words),
            QuestionReply::Chosen(labels) if self.screen.multi => self.tick(progress, &labels),
            QuestionReply::Chosen(labels) => self.choose(progress, &labels),
        }
    }

    fn choose(&self, progress: &mut Progress, labels: &[JsString]) -> Result<Flow, Reject> {
        let acts: Vec<Option<Act>> = labels.iter().map(|label| self.find(label)).collect();
        match (labels, acts.as_slice()) {
            (_, [Some(Act::Control(control))]) => self.control(progress, *control),
            (_, [Some(Act::Open(group))]) => {
                progress.path.push(*group);
                Ok(Flow::Continue(()))
            }
            (_, [Some(Act::Pick(place))]) => self.pick(progress, *place),
            // Typed words stand among the labels only where there is no other place for them.
            ([words], _) if self.profile.note_prefix.is_none() => self.type_words(progress, words),
            ([_], _) => Err(Reject::NotAnOption),
            _ => Err(if acts.iter().copied().any(is_control) {
                Reject::Contradiction
            } else {
                Reject::TooMany
            }),
        }
    }

    fn tick(&self, progress: &mut Progress, labels: &[JsString]) -> Result<Flow, Reject> {
        let acts: Vec<Option<Act>> = labels.iter().map(|label| self.find(label)).collect();
        if let [Some(Act::Control(control))] = acts.as_slice() {
            return self.control(progress, *control);
        }
        if acts.iter().copied().any(is_control) {
            return Err(Reject::Contradiction);
        }
        let mut reply = progress.reply.clone();
        for act in &acts {
            match act {
                Some(Act::Pick(place)) if reply.has(*place) => return Err(Reject::Duplicate),
                Some(Act::Pick(place)) => reply.toggle(*place),
                _ => return Err(Reject::NotAnOption),
            }
        }
        (progress.reply, progress.resolved) = (reply, true);
        Ok(Flow::Continue(()))
    }

    fn pick(&self, progress: &mut Progress, place: usize) -> Result<Flow, Reject> {
        if self.question.kind != Kind::MultiChoice {
            progress.reply.choose(place);
            progress.resolved = true;
        } else if progress.reply.has(place) {
            return Err(Reject::Duplicate);
        } else {
            progress.reply.toggle(place);
            self.after_selection(progress);
        }
        Ok(Flow::Continue(()))
    }

    /// All of them or, if one is selected already, none.
    fn pick_all(&self, progress: &mut Progress, places: &[usize]) -> Result<Flow, Reject> {
        let mut reply = progress.reply.clone();
        for &place in places {
            if reply.has(place) {
                return Err(Reject::Duplicate);
            }
            reply.toggle(place);
        }
        progress.reply = reply;
        self.after_selection(progress);
        Ok(Flow::Continue(()))
    }

    /// A multi choice ends by itself when nothing is left that could be added.
    fn after_selection(&self, progress: &mut Progress) {
        let left = progress.reply.ticked(self.question).contains(&false);
        progress.path.clear();
        progress.resolved = !left && !self.question.allow_other;
        if self.profile.overflow == Overflow::Tree {
            progress.stage = Stage::Again;
        }
    }

    fn type_words(&self, progress: &mut Progress, words: &JsString) -> Result<Flow, Reject> {
        if self.question.kind == Kind::FreeText {
            if is_control_label(words) {
                return Err(Reject::ReservedText);
            }
            progress.confirm(words)?;
            return write(self.question, progress, words).map(Flow::Continue);
        }
        if let Some(place) = find_option(self.question, words) {
            return self.pick(progress, place);
        }
        let several = self.question.kind == Kind::MultiChoice;
        if let Some(places) = several.then(|| listed(self.question, words)).flatten() {
            return self.pick_all(progress, &places?);
        }
        if self.question.allow_other && is_mark(self.question, self.profile, words) {
            return Err(Reject::ReservedText);
        }
        let mut reply = progress.reply.clone();
        reply.take_own(self.question, words.clone()).map_err(Reject::from)?;
        progress.confirm(words)?;
        progress.reply = reply;
        if several {
            self.after_selection(progress);
        } else {
            progress.resolved = true;
        }
        Ok(Flow::Continue(()))
    }

    fn control(&self, progress: &mut Progress, control: Control) -> Result<Flow, Reject> {
        match control {
            Control::More if self.profile.overflow == Overflow::Tree => {
                progress.stage = Stage::Pick;
                progress.path.clear();
            }
            Control::More => progress.page = self.screen.next_page,
            Control::Done => progress.resolved = true,
            Control::Skip => {
                progress.reply.clear();
                progress.resolved = true;
            }
            Control::Back => return self.go_up(progress),
            Control::Stop => return Ok(Flow::Break(())),
            Control::Type => progress.stage = Stage::Text,
            Control::Repeat => {}
        }
        Ok(Flow::Continue(()))
    }

    /// Out of a group, or from a later selection back to whether to add another.
    fn go_up(&self, progress: &mut Progress) -> Result<Flow, Reject> {
        let later = self.question.kind == Kind::MultiChoice && !progress.reply.picks.is_empty();
        if progress.path.pop().is_some() {
            return Ok(Flow::Continue(()));
        }
        if later && progress.stage == Stage::Pick && self.profile.overflow == Overflow::Tree {
            progress.stage = Stage::Again;
            return Ok(Flow::Continue(()));
        }
        Err(Reject::NotAnOption)
    }

    /// What a reply says that is no answer, and whether anything beside it is one.
    pub(super) fn silence(&self, reply: &QuestionReply) -> Option<(Silence, bool)> {
        let words = match reply {
            QuestionReply::Chosen(labels) => labels.as_slice(),
            QuestionReply::Typed(words) => std::slice::from_ref(words),
            _ => return None,
        };
        let (labels, own): (Vec<_>, Vec<_>) = words.iter().partition(|words| self.find(words).is_some());
        let own = JsString::joined(own, ", ");
        let whole = silence(&own);
        let in_list = || silence_in_list(&own).filter(|_| self.question.kind == Kind::MultiChoice);
        let beside = whole.is_none() || !labels.is_empty();
        whole.or_else(in_list).map(|silence| (silence, beside))
    }

    /// What a label does: an entry of the screen first, then an option that is on another; exactly, then up to outer
    /// white space where that is unambiguous.
    fn find(&self, label: &JsString) -> Option<Act> {
        let exact = |label: &JsString| {
            let entry = self.screen.entries.iter().find(|entry| entry.label == *label);
            entry.map(|entry| entry.act).or_else(|| self.question.option(label).map(Act::Pick))
        };
        let loose = |label: &JsString| {
            let label = label.trimmed();
            let hidden =
                |place: &usize| self.screen.entries.iter().all(|entry| entry.act != Act::Pick(*place));
            let options = (0..self.question.options.len()).filter(hidden);
            let options = options.map(|place| (&self.question.options[place].label, Act::Pick(place)));
            let shown = self.screen.entries.iter().map(|entry| (&entry.label, entry.act));
            only(shown.chain(options).filter(|(other, _)| other.trimmed() == label).map(|(_, act)| act))
        };
        let find = |label: &JsString| exact(label).or_else(|| loose(label));
        find(label).or_else(|| unmarked(label).as_ref().and_then(find))
    }
}

/// Takes free text that came as a message: chat adds outer spaces, tabs and line ends.
pub fn take_message(question: &Question, progress: &mut Progress, text: &JsString) -> Result<(), Reject> {
    let text = match text.as_str() {
        Some(text) => text.trim_matches([' ', '\t', '\r', '\n']).into(),
        None => text.clone(),
    };
    progress.confirm(&text)?;
    write(question, progress, &text)?;
    progress.stage = Stage::Pick;
    Ok(())
}

fn write(question: &Question, progress: &mut Progress, text: &JsString) -> Result<(), Reject> {
    if text.is_blank() {
        return Err(Reject::Empty);
    }
    progress.reply.set(question, Answer::One(text.clone()));
    progress.resolved = true;
    Ok(())
}

/// The option that a label or typed words mean: exactly, then up to outer white space where that is unambiguous, then
/// without the mark of a recommendation.
pub fn find_option(question: &Question, label: &JsString) -> Option<usize> {
    let find = |label: &JsString| {
        question.option(label).or_else(|| {
            let label = label.trimmed();
            let places = 0..question.options.len();
            only(places.filter(|&place| question.options[place].label.trimmed() == label))
        })
    };
    find(label).or_else(|| unmarked(label).as_ref().and_then(find))
}

fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn is_control(act: Option<Act>) -> bool {
    matches!(act, Some(Act::Control(_) | Act::Open(_)))
}

impl From<OwnFault> for Reject {
    fn from(fault: OwnFault) -> Reject {
        match fault {
            OwnFault::NotAllowed => Reject::NotAnOption,
            OwnFault::Blank => Reject::Empty,
            OwnFault::Reserved => Reject::ReservedText,
            OwnFault::Duplicate => Reject::Duplicate,
        }
    }
}
