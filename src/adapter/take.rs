//! What a reply does to one question.
//!
//! Responsible for recognising labels and for every change of a question's progress. A rejected reply changes nothing.
//! Not responsible for several questions together (`adapter`) nor for an executor's JSON.

use super::control::Control;
use super::profile::{Overflow, Profile};
use super::progress::{Progress, Reject, Stage};
use super::screen::{Act, Screen};
use crate::ask::draft::{OwnFault, is_control_token};
use crate::ask::{Answer, JsString, Kind, Question};

/// What came back for one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// No answer: missing, blank, an empty list.
    Nothing,
    /// Skipped on purpose.
    Skipped,
    /// "None of the above", without any words.
    NoneOfThese,
    /// "None of the above" beside something else.
    Contradictory,
    /// What stands among the chosen labels; a tool that has no place of its own for typed words puts them here too.
    Chosen(Vec<JsString>),
    /// Words that were certainly typed.
    Typed(JsString),
}

/// What a question looked like when it was asked.
pub struct Asked<'a> {
    /// The question.
    pub question: &'a Question,
    /// The tool that asked.
    pub profile: &'a Profile,
    /// What was shown.
    pub screen: &'a Screen,
}

/// Whether the dialogue goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It does.
    GoOn,
    /// The author chose to stop.
    Stop,
}

/// What models append to the label that they recommend.
const SUFFIX: &str = " (Recommended)";

impl Asked<'_> {
    /// Takes what came back.
    ///
    /// # Errors
    /// It is not accepted, and nothing has changed.
    pub fn take(&self, progress: &mut Progress, given: Given) -> Result<Then, Reject> {
        match given {
            Given::Nothing => Err(Reject::Unanswered),
            Given::Skipped if self.question.must_be_answered() => Err(Reject::Required),
            Given::Skipped if !progress.reply.picks.is_empty() => Err(Reject::Unanswered),
            Given::Skipped => self.control(progress, Control::Skip),
            Given::NoneOfThese => self.go_up(progress),
            Given::Contradictory => Err(Reject::Contradiction),
            Given::Typed(words) => self.type_words(progress, &words),
            Given::Chosen(labels) if self.screen.multi => self.tick(progress, &labels),
            Given::Chosen(labels) => self.choose(progress, &labels),
        }
    }

    fn choose(&self, progress: &mut Progress, labels: &[JsString]) -> Result<Then, Reject> {
        let acts: Vec<Option<Act>> = labels.iter().map(|label| self.find(label)).collect();
        match (labels, acts.as_slice()) {
            ([], _) => Err(Reject::Unanswered),
            (_, [Some(Act::Control(control))]) => self.control(progress, *control),
            (_, [Some(Act::Open(group))]) => {
                progress.path.push(*group);
                Ok(Then::GoOn)
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

    fn tick(&self, progress: &mut Progress, labels: &[JsString]) -> Result<Then, Reject> {
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
        if reply.picks.is_empty() {
            return Err(Reject::Unanswered);
        }
        (progress.reply, progress.resolved) = (reply, true);
        Ok(Then::GoOn)
    }

    fn pick(&self, progress: &mut Progress, place: usize) -> Result<Then, Reject> {
        if self.question.kind != Kind::MultiChoice {
            progress.reply.choose(place);
            progress.resolved = true;
        } else if progress.reply.has(place) {
            return Err(Reject::Duplicate);
        } else {
            progress.reply.toggle(place);
            self.after_selection(progress);
        }
        Ok(Then::GoOn)
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

    fn type_words(&self, progress: &mut Progress, words: &JsString) -> Result<Then, Reject> {
        if self.question.kind == Kind::FreeText {
            let reserved = words.trimmed().as_str().is_some_and(is_control_token);
            return if reserved { Err(Reject::ReservedText) } else { self.write(progress, words) };
        }
        if let Some(place) = find_option(self.question, words) {
            return self.pick(progress, place);
        }
        let mut reply = progress.reply.clone();
        reply.take_own(self.question, words.clone()).map_err(Reject::from)?;
        progress.reply = reply;
        if self.question.kind == Kind::MultiChoice {
            self.after_selection(progress);
        } else {
            progress.resolved = true;
        }
        Ok(Then::GoOn)
    }

    /// Takes free text exactly.
    fn write(&self, progress: &mut Progress, text: &JsString) -> Result<Then, Reject> {
        if text.is_blank() {
            return Err(Reject::Empty);
        }
        progress.reply.set(self.question, Answer::One(text.clone()));
        progress.resolved = true;
        Ok(Then::GoOn)
    }

    fn control(&self, progress: &mut Progress, control: Control) -> Result<Then, Reject> {
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
            Control::Stop => return Ok(Then::Stop),
            Control::Type => progress.stage = Stage::Text,
            Control::Repeat => {}
        }
        Ok(Then::GoOn)
    }

    /// Out of a group, or from a later selection back to whether to add another.
    fn go_up(&self, progress: &mut Progress) -> Result<Then, Reject> {
        let later = self.question.kind == Kind::MultiChoice && !progress.reply.picks.is_empty();
        if progress.path.pop().is_some() {
            return Ok(Then::GoOn);
        }
        if later && progress.stage == Stage::Pick && self.profile.overflow == Overflow::Tree {
            progress.stage = Stage::Again;
            return Ok(Then::GoOn);
        }
        Err(Reject::NotAnOption)
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
        let unmarked = || unmarked(self.question, label);
        let find = |label: &JsString| exact(label).or_else(|| loose(label));
        find(label).or_else(|| unmarked().as_ref().and_then(find))
    }
}

/// Takes free text that came as a message: chat adds outer spaces, tabs and line ends.
///
/// # Errors
/// It is blank, and nothing has changed.
pub fn take_message(question: &Question, progress: &mut Progress, text: &JsString) -> Result<(), Reject> {
    let text = match text.as_str() {
        Some(text) => text.trim_matches([' ', '\t', '\r', '\n']).into(),
        None => text.clone(),
    };
    if text.is_blank() {
        return Err(Reject::Empty);
    }
    progress.reply.set(question, Answer::One(text));
    (progress.stage, progress.resolved) = (Stage::Pick, true);
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
    find(label).or_else(|| unmarked(question, label).as_ref().and_then(find))
}

/// The label without a mark that the model has appended; own words may end so themselves.
fn unmarked(question: &Question, label: &JsString) -> Option<JsString> {
    let label = label.trimmed();
    let text = label.as_str().filter(|_| !question.allow_other)?;
    text.strip_suffix(SUFFIX).map(JsString::from)
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
