//! Running a document: one step at a time, by its transitions and by what each step says of an escape.
//!
//! A step is an inquiry of one question, so screens and replies are those of any gate.
//!
//! What a document leaves open, and how it is run here:
//!
//! * An answer that is not in `next` leads to the step behind; behind the last step the document ends.
//! * Where several options may be chosen, the first chosen one, in the order of the options, leads on.
//! * `return_previous` goes back to before the last reply that changed something, `defer` puts the step off: the run goes on
//!   behind the steps of its source prompt, and what was put off is asked before a `terminate` step or the end, unless a
//!   `__stop__` leads there. A second escape there ends the run.

use super::source::header;
use super::{Document, Intent, Step};
use crate::adapter::call::{Chain, Fault, ReplyBody, Request};
use crate::adapter::control::is_stop;
use crate::adapter::inquiry::{DialogueEnd, Heard, Inquiry};
use crate::adapter::profile::{OnEscape, Profile};
use crate::adapter::progress::Reject;
use crate::adapter::report::ReplyReport;
use crate::adapter::session::{Course, Dialogue, Turn};
use crate::ask::{Choice, JsString, Kind, Question, QuestionSpec, to_line};
use crate::text::{Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A document made ready to be run.
#[derive(Clone, Debug)]
pub struct Script<'d> {
    document: &'d Document,
    /// Of each step its question.
    specs: Vec<QuestionSpec>,
    /// Of each step the source prompt that it belongs to, or itself alone.
    groups: Vec<StepGroup>,
    places: HashMap<&'d str, usize>,
}

/// Steps that are put off together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepGroup {
    Prompt(usize),
    Alone(usize),
}

/// A run of a document: one state of it.
#[derive(Clone, Debug)]
pub struct Walk<'s> {
    script: &'s Script<'s>,
    /// The step that is asked; none behind the end.
    at: Option<usize>,
    /// Its question, or the last one.
    inquiry: Inquiry<'s>,
    /// Each step that the last reply which changed something has answered, with the place of the option.
    taken: Vec<(usize, usize)>,
    /// Steps that are put off, in the order in which they will be asked.
    waiting: VecDeque<usize>,
    deferred: Vec<StepGroup>,
    /// While something that was put off is asked: where the run goes on afterwards, the number of steps meaning the end.
    back: Option<usize>,
    end: Option<DialogueEnd>,
}

/// A step of a document and what was picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Taken<'s> {
    /// The step's id.
    pub step: &'s str,
    /// The answer.
    pub answer: &'s JsString,
}

impl<'d> Script<'d> {
    pub fn of(document: &'d Document) -> Script<'d> {
        let mut prompts: HashMap<&str, usize> = HashMap::new();
        for (place, prompt) in document.source_prompts.iter().enumerate() {
            for id in &prompt.mapped_step_ids {
                prompts.entry(id).or_insert(place);
            }
        }
        let group = |(place, step): (usize, &Step)| {
            prompts.get(step.id.as_str()).map_or(StepGroup::Alone(place), |&prompt| StepGroup::Prompt(prompt))
        };
        let groups: Vec<StepGroup> = document.steps.iter().enumerate().map(group).collect();
        let spec = |(step, group): (&Step, &StepGroup)| {
            let header = match group {
                StepGroup::Prompt(prompt) => header(&document.source_prompts[*prompt].source_phase),
                StepGroup::Alone(_) => step.id.as_str().into(),
            };
            spec(step, header)
        };
        let specs = document.steps.iter().zip(&groups).map(spec).collect();
        let places = document.steps.iter().zip(0..).map(|(step, place)| (step.id.as_str(), place)).collect();
        Script { document, specs, groups, places }
    }
}

/// A step as a question of its own.
fn spec(step: &Step, header: JsString) -> QuestionSpec {
    let options = step.options.iter().map(|option| Choice {
        label: option.label.clone(),
        description: option.description.clone(),
        cluster: None,
        sends_back: false,
        round: None,
    });
    let question = Question {
        id: step.id.clone(),
        header,
        question: step.question.clone(),
        kind: if most(step) > 1 { Kind::MultiChoice } else { Kind::SingleChoice },
        required: true,
        options: options.collect(),
        allow_other: false,
        default: Vec::new(),
    };
    QuestionSpec { version: 1.0, topic: step.id.as_str().into(), questions: vec![question] }
}

fn most(step: &Step) -> usize {
    step.max_choices.filter(|_| step.intent == Intent::SelectMany).map_or(1, usize::from)
}

impl<'s> Dialogue<Walk<'s>> {
    /// A run before its first reply.
    pub fn run(script: &'s Script<'s>, profile: &Profile) -> Dialogue<Walk<'s>> {
        // One step is one question, and how many may be chosen is counted selection by selection.
        let profile =
            Profile { native_multi: false, max_questions: profile.max_questions.min(1), ..profile.clone() };
        // What an escape does is part of the text.
        let chain = Chain::of_text(&to_line(script.document), &profile, OnEscape::Defer);
        let walk = Walk {
            script,
            at: Some(0),
            inquiry: Inquiry::new(&script.specs[0], profile, script.document.steps[0].on_escape),
            taken: Vec::new(),
            waiting: VecDeque::new(),
            deferred: Vec::new(),
            back: None,
            end: None,
        };
        Dialogue::begin(chain, walk)
    }

    /// Every step with what was chosen there, in the order of the replies.
    pub fn path(&self) -> impl Iterator<Item = Taken<'s>> {
        let steps = &self.course().script.document.steps;
        self.states()
            .flat_map(|walk| &walk.taken)
            .map(move |&(at, option)| Taken { step: &steps[at].id, answer: &steps[at].options[option].label })
    }

    /// How it stands: steps that were answered, of all.
    pub fn report(&self) -> ReplyReport {
        let answered: BTreeSet<usize> =
            self.states().flat_map(|walk| &walk.taken).map(|(at, _)| *at).collect();
        self.inquiry().report_of(answered.len(), self.course().script.specs.len())
    }
}

impl Course for Walk<'_> {
    const OVER: Sentence =
        say("The run is over; this is a reply to call {0}.", "运行已经结束；这是对调用 {0} 的回复。");

    fn inquiry(&self) -> &Inquiry<'_> {
        &self.inquiry
    }

    fn request(&self) -> Option<Request> {
        self.at.and_then(|_| self.inquiry.request())
    }

    fn end(&self) -> Option<DialogueEnd> {
        self.end.or_else(|| self.at.and_then(|_| self.inquiry.end()))
    }

    fn after(&self, request: &Request, body: &ReplyBody, past: &[Self]) -> Result<(Self, Turn), Fault> {
        let mut next = self.clone();
        let heard = next.inquiry.hear(request, body)?;
        let Some(at) = self.at else { return Ok((next, Turn::Same)) };
        let mut answered: BTreeSet<usize> =
            past.iter().chain([self]).flat_map(|walk| &walk.taken).map(|(at, _)| *at).collect();
        if heard == Heard::Escape {
            return Ok(match self.inquiry.policy() {
                OnEscape::ReturnPrevious => (next, Turn::Back),
                OnEscape::Terminate => {
                    next.end = Some(DialogueEnd::Terminated);
                    (next, Turn::Escaped)
                }
                OnEscape::Defer => {
                    next.defer(at, &answered);
                    (next, Turn::Escaped)
                }
            });
        }
        // More than may be chosen is not accepted.
        if next.chosen().len() > most(&self.script.document.steps[at]) {
            next.inquiry = self.inquiry.again(&next.inquiry);
            next.inquiry.reject(0, Reject::TooMany);
        }
        if !next.inquiry.differs(&self.inquiry) {
            return Ok((next, Turn::Same));
        }
        next.taken.clear();
        answered.insert(at);
        next.advance(at, &answered);
        Ok((next, Turn::Changed))
    }

    fn go_back(&mut self, earlier: Option<&Self>) {
        match earlier {
            Some(earlier) => {
                let inquiry = earlier.inquiry.again(&self.inquiry);
                *self = Walk { inquiry, ..earlier.clone() };
            }
            None => self.end = Some(DialogueEnd::Terminated),
        }
    }

    /// A run makes no record that could close it.
    fn begin_again(&self) -> Option<Self> {
        None
    }
}

impl<'s> Walk<'s> {
    pub fn step(&self) -> Option<&'s Step> {
        self.at.map(|at| &self.script.document.steps[at])
    }

    /// Ids of the steps that are put off and were not asked again.
    pub fn waiting(&self) -> impl Iterator<Item = &'s str> {
        self.waiting.iter().map(|&at| self.script.document.steps[at].id.as_str())
    }

    /// Labels chosen at the step, in the order of its options.
    fn chosen(&self) -> Vec<JsString> {
        let question = &self.inquiry.spec().questions[0];
        let answer = self.inquiry.progress[0].reply.answer(question);
        answer.map_or(Vec::new(), |answer| answer.values().to_vec())
    }

    /// Goes on to the next step if this one is answered. `answered` are the steps that were, and this one.
    fn advance(&mut self, at: usize, answered: &BTreeSet<usize>) {
        let step = &self.script.document.steps[at];
        let chosen = self.chosen();
        let resolved = self.inquiry.progress[0].resolved || chosen.len() == most(step);
        if self.inquiry.end().is_some() || !resolved || chosen.is_empty() {
            return;
        }
        let target = chosen
            .iter()
            .find_map(|label| step.next.iter().find(|entry| entry.answer == *label))
            .and_then(|entry| self.script.places.get(entry.next_step.as_str()).copied());
        let option = |label: &JsString| step.options.iter().position(|option| option.label == *label);
        self.taken.extend(chosen.iter().filter_map(option).map(|option| (at, option)));
        let behind = Some(at + 1).filter(|&next| next < self.script.specs.len());
        let target = target.or(behind);
        if self.is_end(target) && chosen.iter().any(|label| is_stop(&label.lossy())) {
            // Who stops is not asked what was put off.
            self.waiting.clear();
            self.back = None;
        }
        self.arrive(target, self.script.groups[at], answered);
    }

    /// Comes to a step out of a group; to none at the end.
    fn arrive(&mut self, target: Option<usize>, from: StepGroup, answered: &BTreeSet<usize>) {
        let mut target = target;
        if let Some(back) = self.back {
            let inside = target.is_some_and(|at| self.script.groups[at] == from);
            let is_known = |at: &usize| self.waiting.contains(at) || answered.contains(at);
            if inside || target.is_some_and(|at| at != back && !is_known(&at)) {
                // A way that was not gone before is gone now.
                return self.enter(target);
            }
            target = Some(back).filter(|&at| at < self.script.specs.len());
            self.back = None;
        }
        if self.is_end(target)
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.back = Some(target.unwrap_or(self.script.specs.len()));
            target = Some(waiting);
        }
        self.enter(target);
    }

    /// Whether there is nothing more, or only whether to end.
    fn is_end(&self, target: Option<usize>) -> bool {
        target.is_none_or(|at| self.script.document.steps[at].intent == Intent::Terminate)
    }

    fn enter(&mut self, target: Option<usize>) {
        self.at = target;
        if let Some(at) = target {
            let policy = self.script.document.steps[at].on_escape;
            self.inquiry = self.inquiry.next(&self.script.specs[at], policy);
        }
    }

    fn defer(&mut self, at: usize, answered: &BTreeSet<usize>) {
        let group = self.script.groups[at];
        if self.deferred.contains(&group) {
            self.end = Some(DialogueEnd::Deferred);
            return;
        }
        self.deferred.push(group);
        self.waiting.push_back(at);
        let steps = self.script.groups.len();
        let onward = (at + 1..steps).find(|&next| self.script.groups[next] != group);
        self.arrive(onward, group, answered);
    }
}
