//! Running a document: one step at a time, by its transitions and by what each step says of an escape.
//!
//! Responsible for which step is asked next and for the path that was taken. A step is a dialogue of one question, so
//! screens and replies are those of any gate. Not responsible for files (`command`).
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
use crate::adapter::call::Form;
use crate::adapter::control::is_stop;
use crate::adapter::fault::{Fault, REPLY_AFTER_END};
use crate::adapter::progress::Reject;
use crate::adapter::report::progress;
use crate::adapter::session::{Dialogue, End, Outcome};
use crate::adapter::turn::wrong_kind;
use crate::adapter::{CallReply, OnEscape, Profile, Said};
use crate::ask::{Choice, JsString, Kind, Object, Question, QuestionSpec};
use crate::text::say;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// A document made ready to be run.
#[derive(Clone, Debug)]
pub struct Script<'d> {
    document: &'d Document,
    /// Of each step its question.
    specs: Vec<QuestionSpec>,
    /// Of each step the source prompt that it belongs to, or itself alone.
    groups: Vec<Group>,
    /// The place of each step by its id.
    places: HashMap<&'d str, usize>,
}

/// Steps that are put off together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Prompt(usize),
    Alone(usize),
}

/// A run as far as its replies have brought it.
#[derive(Clone, Debug)]
pub struct Walk<'s> {
    script: &'s Script<'s>,
    state: State<'s>,
    /// Each step that was answered, with the place of the option.
    path: Vec<(usize, usize)>,
    /// How it stood before each reply that changed something, and how long the path was.
    past: Vec<(State<'s>, usize)>,
    /// How it stood before the last reply, if that was an escape or ended the run.
    before: Option<Box<Before<'s>>>,
}

#[derive(Clone, Debug)]
struct State<'s> {
    /// The step that is asked; none behind the end.
    at: Option<usize>,
    /// Its question, or the last one.
    dialogue: Dialogue<'s>,
    /// Steps that are put off, in the order in which they will be asked.
    waiting: VecDeque<usize>,
    /// Groups that have been put off before.
    deferred: Vec<Group>,
    /// While something that was put off is asked: where the run goes on afterwards, the number of steps meaning the end.
    back: Option<usize>,
    end: Option<End>,
}

#[derive(Clone, Debug)]
struct Before<'s> {
    state: State<'s>,
    path: Vec<(usize, usize)>,
    /// How long the past was, and what an escape has taken from it.
    past: usize,
    popped: Option<(State<'s>, usize)>,
}

/// A step with what was chosen there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<'s> {
    /// The step's id.
    pub step: &'s str,
    /// The label.
    pub answer: &'s JsString,
}

/// Where a run stands.
#[derive(Clone, Debug)]
pub enum RunStatus {
    /// A call is to be made.
    Ask(Form),
    /// The document has ended.
    Done,
    /// It is over before.
    Ended(End),
}

impl<'d> Script<'d> {
    /// Of a document.
    pub fn of(document: &'d Document) -> Script<'d> {
        let mut prompts: HashMap<&str, usize> = HashMap::new();
        for (place, prompt) in document.source_prompts.iter().enumerate() {
            for id in &prompt.mapped_step_ids {
                prompts.entry(id).or_insert(place);
            }
        }
        let group = |(place, step): (usize, &Step)| {
            prompts.get(step.id.as_str()).map_or(Group::Alone(place), |&prompt| Group::Prompt(prompt))
        };
        let groups: Vec<Group> = document.steps.iter().enumerate().map(group).collect();
        let spec = |(step, group): (&Step, &Group)| {
            let header = match group {
                Group::Prompt(prompt) => header(&document.source_prompts[*prompt].source_phase),
                Group::Alone(_) => step.id.as_str().into(),
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

/// How many options may be chosen.
fn most(step: &Step) -> usize {
    step.max_choices.filter(|_| step.intent == Intent::SelectMany).map_or(1, usize::from)
}

impl<'s> Walk<'s> {
    /// A run before its first reply.
    pub fn new(script: &'s Script<'s>, profile: &Profile) -> Walk<'s> {
        // One step is one question, and how many may be chosen is counted selection by selection.
        let profile =
            Profile { native_multi: false, max_questions: profile.max_questions.min(1), ..profile.clone() };
        let text = script.document.object().finish();
        let dialogue = Dialogue::first(&text, &script.specs[0], profile);
        let state = State {
            at: Some(0),
            dialogue,
            waiting: VecDeque::new(),
            deferred: Vec::new(),
            back: None,
            end: None,
        };
        Walk { script, state, path: Vec::new(), past: Vec::new(), before: None }
    }

    /// The dialogue about the step that is asked, or about the last one.
    pub fn dialogue(&self) -> &Dialogue<'s> {
        &self.state.dialogue
    }

    /// The step that is asked.
    pub fn step(&self) -> Option<&'s Step> {
        self.state.at.map(|at| &self.script.document.steps[at])
    }

    /// Every step with what was chosen there, in the order of the replies.
    pub fn path(&self) -> impl Iterator<Item = Taken<'s>> + use<'s, '_> {
        self.path.iter().map(|&(at, option)| {
            let step = &self.script.document.steps[at];
            Taken { step: &step.id, answer: &step.options[option].label }
        })
    }

    /// Ids of the steps that are put off and were not asked again.
    pub fn waiting(&self) -> impl Iterator<Item = &'s str> {
        self.state.waiting.iter().map(|&at| self.script.document.steps[at].id.as_str())
    }

    /// `rejected`, `notices`, `progress`: steps that were answered, of all.
    pub fn report_progress(&self, object: Object) -> Object {
        let answered: BTreeSet<usize> = self.path.iter().map(|(at, _)| *at).collect();
        self.state
            .dialogue
            .report_said(object)
            .raw("progress", &progress(answered.len(), self.script.specs.len()))
    }

    /// Where it stands.
    pub fn status(&self) -> RunStatus {
        match (self.state.end, self.state.at, self.state.dialogue.outcome()) {
            (Some(end), ..) | (None, Some(_), Outcome::Ended(end)) => RunStatus::Ended(end),
            (None, Some(_), Outcome::Ask(form)) => RunStatus::Ask(form),
            (None, None, _) | (None, Some(_), Outcome::Done(_)) => RunStatus::Done,
        }
    }

    /// Takes the next reply.
    ///
    /// # Errors
    /// It is not a reply to the call that is to be made; nothing has changed.
    pub fn take(&mut self, reply: &CallReply) -> Result<(), Fault> {
        // A reply to the call that was escaped from takes the escape back.
        if self.before.as_ref().is_some_and(|before| before.state.dialogue.call() == reply.call) {
            let escaped = self.clone();
            self.resume();
            return self.take(reply).inspect_err(|_| *self = escaped);
        }
        let RunStatus::Ask(form) = self.status() else {
            let sentence =
                say("The run is over; this is a reply to call {0}.", "运行已经结束；这是对调用 {0} 的回复。");
            return Err(Fault::new(REPLY_AFTER_END, sentence, &[&reply.call]).at("/call"));
        };
        // A run makes no record that could close it.
        if matches!(reply.said, Said::Written(_)) {
            return Err(wrong_kind(&form));
        }
        let old = self.state.clone();
        self.state.dialogue.take(reply)?;
        let (path, past) = (self.path.clone(), self.past.len());
        if self.state.dialogue.was_escaped() {
            let popped = self.escape(&old);
            self.before = Some(Box::new(Before { state: old, path, past, popped }));
            return Ok(());
        }
        self.count(&old);
        self.advance();
        if self.path.len() > path.len() || self.state.dialogue.differs(&old.dialogue) {
            self.past.push((old.clone(), path.len()));
        }
        let over = matches!(self.status(), RunStatus::Ended(_));
        self.before = over.then(|| Box::new(Before { state: old, path, past, popped: None }));
        Ok(())
    }

    /// Takes the last reply back, if it was an escape or ended the run before its end. Whether it did.
    pub fn resume(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        (self.state, self.path) = (before.state, before.path);
        self.past.extend(before.popped);
        self.past.truncate(before.past);
        true
    }

    /// From now on an escape stays: a late reply to the call that was escaped from is stale.
    pub fn settle(&mut self) {
        self.before = None;
        self.state.dialogue.settle();
    }

    /// More than may be chosen is not accepted.
    fn count(&mut self, old: &State<'s>) {
        let (Some(step), true) = (self.step(), self.chosen().len() > self.step().map_or(1, most)) else {
            return;
        };
        debug_assert!(step.intent == Intent::SelectMany, "{step:?}");
        self.state.dialogue = old.dialogue.clone().again(&self.state.dialogue);
        self.state.dialogue.refuse(Reject::TooMany);
    }

    /// Labels chosen at the step, in the order of its options.
    fn chosen(&self) -> Vec<JsString> {
        let progress = &self.state.dialogue.progress()[0];
        let question = &self.state.dialogue.spec().questions[0];
        progress.reply.answer(question).map_or(Vec::new(), |answer| answer.values().to_vec())
    }

    /// Goes on to the next step if this one is answered.
    fn advance(&mut self) {
        let Some(at) = self.state.at else { return };
        let step = &self.script.document.steps[at];
        let chosen = self.chosen();
        let ended = matches!(self.state.dialogue.outcome(), Outcome::Ended(_));
        let resolved = self.state.dialogue.progress()[0].resolved || chosen.len() == most(step);
        if ended || !resolved || chosen.is_empty() {
            return;
        }
        let target = chosen
            .iter()
            .find_map(|label| step.next.iter().find(|entry| entry.answer == *label))
            .and_then(|entry| self.script.places.get(entry.next_step.as_str()).copied());
        let option = |label: &JsString| step.options.iter().position(|option| option.label == *label);
        self.path.extend(chosen.iter().filter_map(option).map(|option| (at, option)));
        let target = target.or_else(|| self.behind(at));
        if self.is_end(target) && chosen.iter().any(|label| is_stop(&label.lossy())) {
            // Who stops is not asked what was put off.
            self.state.waiting.clear();
            self.state.back = None;
        }
        self.arrive(target, self.script.groups[at]);
    }

    /// The step behind in the document.
    fn behind(&self, at: usize) -> Option<usize> {
        Some(at + 1).filter(|&next| next < self.script.specs.len())
    }

    /// Comes to a step out of a group; to none at the end.
    fn arrive(&mut self, target: Option<usize>, from: Group) {
        let mut target = target;
        if let Some(back) = self.state.back {
            let inside = target.is_some_and(|at| self.script.groups[at] == from);
            if inside || target.is_some_and(|at| at != back && !self.is_known(at)) {
                // A way that was not gone before is gone now.
                return self.enter(target);
            }
            target = Some(back).filter(|&at| at < self.script.specs.len());
            self.state.back = None;
        }
        if self.is_end(target)
            && let Some(waiting) = self.state.waiting.pop_front()
        {
            self.state.back = Some(target.unwrap_or(self.script.specs.len()));
            target = Some(waiting);
        }
        self.enter(target);
    }

    /// Whether there is nothing more, or only whether to end.
    fn is_end(&self, target: Option<usize>) -> bool {
        target.is_none_or(|at| self.script.document.steps[at].intent == Intent::Terminate)
    }

    /// Whether a step was answered, or will be.
    fn is_known(&self, at: usize) -> bool {
        self.state.waiting.contains(&at) || self.path.iter().any(|(step, _)| *step == at)
    }

    fn enter(&mut self, target: Option<usize>) {
        self.state.at = target;
        if let Some(at) = target {
            self.state.dialogue = self.state.dialogue.next(&self.script.specs[at]);
        }
    }

    /// Does what the step says of an escape, `old` being how it stood before; what that takes from the past.
    fn escape(&mut self, old: &State<'s>) -> Option<(State<'s>, usize)> {
        let at = old.at?;
        let escaped = self.state.dialogue.clone();
        // The step's own dialogue has ended with the escape; here the document decides.
        self.state.dialogue = old.dialogue.clone().again(&escaped);
        match self.script.document.steps[at].on_escape {
            OnEscape::Terminate => self.state.end = Some(End::Terminated),
            OnEscape::ReturnPrevious => match self.past.pop() {
                Some((past, length)) => {
                    self.state = past.clone();
                    self.state.dialogue = past.dialogue.clone().again(&escaped);
                    self.path.truncate(length);
                    return Some((past, length));
                }
                None => self.state.end = Some(End::Terminated),
            },
            OnEscape::Defer => self.defer(at),
        }
        None
    }

    fn defer(&mut self, at: usize) {
        let group = self.script.groups[at];
        if self.state.deferred.contains(&group) {
            self.state.end = Some(End::Deferred);
            return;
        }
        self.state.deferred.push(group);
        self.state.waiting.push_back(at);
        let steps = self.script.groups.len();
        let onward = (at + 1..steps).find(|&next| self.script.groups[next] != group);
        self.arrive(onward, group);
    }
}
