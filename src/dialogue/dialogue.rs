//! The dialogue: questions, a tool, a policy and the replies so far make the next call, the answers, or an end.
//!
//! Responsible for the fold over the replies: which questions a call carries, what each reply changes, what an escape
//! does, and when it is over. Nothing else is remembered, so the same replies always lead to the same place. Not
//! responsible for single questions (`screen`, `take`) nor for JSON around a call (`ask`).

use super::call::{Chain, Form, Rejected};
use super::contract::{self, Clause};
use super::fault::{Fault, INVALID_REPLY, REPLY_AFTER_END, STALE_REPLY};
use super::layout::{Layout, Strategy};
use super::profile::{Executor, Key, OnEscape, Profile};
use super::progress::{Progress, Reject, Stage};
use super::reply::{CallReply, Said};
use super::screen::{Screen, screen};
use super::take::{Asked, Then, take_message};
use super::tool::{Heard, Shown};
use super::{render_claude, render_codex};
use crate::ask::json::Json;
use crate::ask::{Answers, JsString, QuestionSpec};
use crate::text::say;

mod line;

/// So many replies in a row in which no question was answered end the dialogue: nobody is there.
const IDLE: u8 = 3;

/// A dialogue as far as its replies have brought it.
#[derive(Clone, Debug)]
pub struct Dialogue<'d> {
    spec: &'d QuestionSpec,
    profile: Profile,
    policy: OnEscape,
    layouts: Vec<Layout>,
    state: State,
    /// How it stood before each reply that changed something.
    past: Vec<Past>,
    /// How it stood before the last reply, if that was an escape or ended it: the call can be answered after all.
    before: Option<Before>,
}

#[derive(Clone, Debug)]
struct State {
    /// Places of the questions, in the order in which they are asked.
    queue: Vec<usize>,
    progress: Vec<Progress>,
    /// Whether the question was put off.
    deferred: Vec<bool>,
    idle: u8,
    /// Whether the tool is not there, so that all is asked by contract.
    no_tool: bool,
    /// Why the last contract as a whole was not accepted.
    refused: Option<Reject>,
    chain: Chain,
    end: Option<End>,
    rejected: Vec<Rejected>,
    notices: Vec<Notice>,
}

#[derive(Clone, Debug)]
struct Past {
    queue: Vec<usize>,
    progress: Vec<Progress>,
}

/// What a reply was.
enum Turn {
    Answered,
    /// An escape, with what it has taken from the past.
    Escaped(Option<Past>),
}

#[derive(Clone, Debug)]
struct Before {
    state: Box<State>,
    /// How long the past was.
    past: usize,
    /// What an escape has taken from it.
    popped: Option<Past>,
}

/// How a dialogue ended without answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The author stopped or escaped.
    Terminated,
    /// Questions were put off twice.
    Deferred,
    /// Nobody answered, several times.
    Idle,
}

/// Something worth telling that is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The question.
    pub id: String,
    /// The author's words.
    pub note: JsString,
}

/// Where a dialogue stands.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A call is to be made.
    Ask(Form),
    /// Every question is done with.
    Done(Answers),
    /// It is over without answers.
    Ended(End),
}

impl End {
    /// As `next` spells it.
    pub fn name(self) -> &'static str {
        match self {
            End::Terminated => "terminated",
            End::Deferred => "deferred",
            End::Idle => "idle",
        }
    }
}

impl<'d> Dialogue<'d> {
    /// A dialogue before its first reply.
    pub fn new(spec: &'d QuestionSpec, profile: Profile, policy: OnEscape) -> Dialogue<'d> {
        let layouts = spec.questions.iter().map(|question| Layout::of(question, &profile)).collect();
        let count = spec.questions.len();
        let state = State {
            queue: (0..count).collect(),
            progress: vec![Progress::fresh(); count],
            deferred: vec![false; count],
            idle: 0,
            no_tool: false,
            refused: None,
            chain: Chain::start(spec, &profile, policy),
            end: None,
            rejected: Vec::new(),
            notices: Vec::new(),
        };
        Dialogue { spec, profile, policy, layouts, state, past: Vec::new(), before: None }
    }

    /// The questions.
    pub fn spec(&self) -> &'d QuestionSpec {
        self.spec
    }

    /// The tool.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// How each question is asked.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// How far each question has come.
    pub fn progress(&self) -> &[Progress] {
        &self.state.progress
    }

    /// What the last reply said that is not accepted.
    pub fn rejected(&self) -> &[Rejected] {
        &self.state.rejected
    }

    /// What the last reply said beside its answers.
    pub fn notices(&self) -> &[Notice] {
        &self.state.notices
    }

    /// How many replies have been taken.
    pub fn seq(&self) -> usize {
        self.state.chain.seq()
    }

    /// The name of the call that is to be made: another one after any change of the questions, the tool, the policy or
    /// the replies before.
    pub fn call(&self) -> String {
        self.state.chain.call()
    }

    /// Why the last contract as a whole was not accepted.
    pub fn refused(&self) -> Option<Reject> {
        self.state.refused
    }

    /// Where it stands.
    pub fn outcome(&self) -> Outcome {
        if let Some(end) = self.state.end {
            return Outcome::Ended(end);
        }
        self.form().map_or_else(|| Outcome::Done(self.answers()), Outcome::Ask)
    }

    /// The answers of the questions that are done with, in question order.
    pub fn answers(&self) -> Answers {
        let pairs = self.spec.questions.iter().zip(&self.state.progress);
        let resolved = pairs.filter(|(_, progress)| progress.resolved);
        resolved
            .filter_map(|(question, progress)| Some((question.id.clone(), progress.reply.answer(question)?)))
            .collect()
    }

    /// Places of the questions that are not done with, in the order in which they are asked.
    pub fn unresolved(&self) -> Vec<usize> {
        let open = |place: &usize| !self.state.progress[*place].resolved;
        self.state.queue.iter().copied().filter(open).collect()
    }

    /// The next call's questions; none if all are done with.
    fn form(&self) -> Option<Form> {
        let open = self.unresolved();
        let first = *open.first()?;
        let state = &self.state;
        let by_contract =
            |place: &usize| state.no_tool || self.layouts[*place].strategy == Strategy::Contract;
        if by_contract(&first) {
            return Some(Form::Contract(open.into_iter().filter(by_contract).collect()));
        }
        let by_message = |place: &usize| state.progress[*place].stage == Stage::Text;
        if by_message(&first) {
            return Some(Form::Message(first));
        }
        let mut shown: Vec<(usize, Screen)> = Vec::new();
        for place in open.into_iter().filter(|place| !by_contract(place) && !by_message(place)) {
            if shown.len() == self.profile.max_questions {
                break;
            }
            let screen = self.screen(place);
            // Where replies are told apart by text, two equal texts cannot share a call.
            let same = |other: &Screen| other.text.trimmed() == screen.text.trimmed();
            if self.profile.key == Key::Id || !shown.iter().any(|(_, other)| same(other)) {
                shown.push((place, screen));
            }
        }
        Some(Form::Tool(shown))
    }

    fn screen(&self, place: usize) -> Screen {
        let (question, layout) = (&self.spec.questions[place], &self.layouts[place]);
        screen(question, layout, &self.profile, &self.state.progress[place])
    }

    /// Takes the next reply.
    ///
    /// # Errors
    /// It is not a reply to the call that is to be made; nothing has changed.
    pub fn take(&mut self, reply: &CallReply) -> Result<(), Fault> {
        // A reply to the call that was escaped from takes the escape back.
        if self.before.as_ref().is_some_and(|before| before.state.chain.call() == reply.call) {
            let escaped = self.clone();
            self.resume();
            return self.take(reply).inspect_err(|_| *self = escaped);
        }
        let form = match self.outcome() {
            Outcome::Ask(form) => form,
            Outcome::Done(_) | Outcome::Ended(_) => {
                let sentence = say(
                    "The dialogue is over; this is a reply to call {0}.",
                    "对话已经结束；这是对调用 {0} 的回复。",
                );
                return Err(Fault::new(REPLY_AFTER_END, sentence, &[&reply.call]).at("/call"));
            }
        };
        if reply.call != self.call() {
            let sentence = say(
                "This is a reply to call {0}, but {1} was made last: the packet, the flags or the replies have changed, \
                 or it was sent twice.",
                "这是对调用 {0} 的回复，而最后一次调用是 {1}：任务包、参数或回复已经变了，或者同一回复发了两次。",
            );
            let fault = Fault::new(STALE_REPLY, sentence, &[&reply.call, &self.call()]);
            return Err(fault.at("/call"));
        }
        let (state, past) = (Box::new(self.state.clone()), self.past.len());
        let turn = self.apply(&form, &reply.said)?;
        self.state.chain.add(reply);
        let before = |popped| Some(Before { state, past, popped });
        self.before = match turn {
            Turn::Escaped(popped) => before(popped),
            Turn::Answered if self.state.end.is_some() => before(None),
            Turn::Answered => None,
        };
        Ok(())
    }

    /// Takes the last reply back, if it was an escape or ended the dialogue. Whether it did.
    pub fn resume(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.state = *before.state;
        self.past.extend(before.popped);
        self.past.truncate(before.past);
        true
    }

    /// From now on an escape stays: a late reply to the call that was escaped from is stale.
    pub fn settle(&mut self) {
        self.before = None;
    }

    fn apply(&mut self, form: &Form, said: &Said) -> Result<Turn, Fault> {
        let past = Past { queue: self.state.queue.clone(), progress: self.state.progress.clone() };
        let heard = match (form, said) {
            (_, Said::Escape) => Heard::Escape,
            (Form::Tool(_), Said::Unavailable) => {
                self.forget_last();
                self.state.no_tool = true;
                return Ok(Turn::Answered);
            }
            (Form::Tool(shown), Said::Output(json)) => self.hear(json, shown)?,
            (Form::Message(place), Said::Text(text)) => {
                self.forget_last();
                self.take_message(*place, text);
                self.remember(past);
                return Ok(Turn::Answered);
            }
            (Form::Contract(places), Said::Text(text)) => {
                self.forget_last();
                self.take_contract(places, text);
                self.remember(past);
                return Ok(Turn::Answered);
            }
            _ => return Err(wrong_kind(form)),
        };
        Ok(match heard {
            Heard::Escape => Turn::Escaped(self.escape(&form.places())),
            Heard::Given(given) => {
                if let Form::Tool(shown) = form {
                    self.take_given(shown, given);
                }
                self.remember(past);
                Turn::Answered
            }
        })
    }

    fn hear(&mut self, json: &str, shown: &[(usize, Screen)]) -> Result<Heard, Fault> {
        let json = Json::parse(json.as_bytes()).map_err(|error| Fault::syntax(&error))?;
        let views: Vec<Shown<'_>> = shown
            .iter()
            .map(|(place, screen)| Shown { question: &self.spec.questions[*place], screen })
            .collect();
        let (heard, notes) = match self.profile.executor {
            Executor::Codex => render_codex::hear(json.root(), &views, &self.profile)?,
            Executor::ClaudeCode | Executor::JsonContract => {
                (render_claude::hear(json.root(), &views)?, Vec::new())
            }
        };
        self.forget_last();
        let notice = |note: render_codex::Note| Notice {
            id: self.spec.questions[shown[note.place].0].id.clone(),
            note: note.text,
        };
        self.state.notices = notes.into_iter().map(notice).collect();
        Ok(heard)
    }

    fn take_given(&mut self, shown: &[(usize, Screen)], given: Vec<super::take::Given>) {
        for ((place, screen), given) in shown.iter().zip(given) {
            let question = &self.spec.questions[*place];
            let asked = Asked { question, profile: &self.profile, screen };
            match asked.take(&mut self.state.progress[*place], given) {
                Ok(Then::GoOn) => self.state.progress[*place].reject = None,
                Ok(Then::Stop) => self.state.end = Some(End::Terminated),
                Err(code) => self.reject(*place, code),
            }
        }
        let unanswered = |rejected: &Rejected| rejected.code == Reject::Unanswered;
        let nobody = self.state.rejected.len() == shown.len() && self.state.rejected.iter().all(unanswered);
        self.state.idle = if nobody { self.state.idle + 1 } else { 0 };
        if self.state.idle == IDLE {
            self.state.end = Some(End::Idle);
        }
    }

    fn take_message(&mut self, place: usize, text: &JsString) {
        self.state.idle = 0;
        let progress = &mut self.state.progress[place];
        match take_message(&self.spec.questions[place], progress, text) {
            Ok(()) => progress.reject = None,
            Err(code) => self.reject(place, code),
        }
    }

    fn take_contract(&mut self, places: &[usize], text: &JsString) {
        self.state.idle = 0;
        let questions: Vec<_> = places.iter().map(|&place| &self.spec.questions[place]).collect();
        match contract::read(text, &questions) {
            Ok(replies) => {
                for (&place, reply) in places.iter().zip(replies) {
                    let reply = reply.unwrap_or_else(|| Progress::fresh().reply);
                    self.state.progress[place] = Progress { reply, resolved: true, ..Progress::default() };
                }
            }
            Err(breaches) => {
                for breach in breaches {
                    let place =
                        breach.id.as_ref().and_then(|id| self.spec.find(id.as_str()?)).map(|(at, _)| at);
                    match place.filter(|place| places.contains(place)) {
                        Some(place) => self.state.progress[place].reject = Some(breach.code),
                        None => self.state.refused = Some(breach.code),
                    }
                    self.state.rejected.push(Rejected {
                        id: breach.id,
                        code: breach.code,
                        at: Some(breach.at),
                    });
                }
            }
        }
    }

    fn reject(&mut self, place: usize, code: Reject) {
        self.state.progress[place].reject = Some(code);
        let id = Some(self.spec.questions[place].id.as_str().into());
        self.state.rejected.push(Rejected { id, code, at: None });
    }

    /// What was said about the reply before is told once.
    fn forget_last(&mut self) {
        self.state.rejected.clear();
        self.state.notices.clear();
        self.state.refused = None;
    }

    /// Keeps how it stood before, if anything but a rejection has changed since.
    fn remember(&mut self, past: Past) {
        let same =
            |(old, new): (&Progress, &Progress)| *old == Progress { reject: old.reject, ..new.clone() };
        if !past.progress.iter().zip(&self.state.progress).all(same) {
            self.past.push(past);
        }
    }

    /// Does what the policy says; what it takes from the past.
    fn escape(&mut self, asked: &[usize]) -> Option<Past> {
        self.forget_last();
        self.state.idle = 0;
        match self.policy {
            OnEscape::Terminate => self.state.end = Some(End::Terminated),
            OnEscape::ReturnPrevious => match self.past.pop() {
                Some(past) => {
                    (self.state.queue, self.state.progress) = (past.queue.clone(), past.progress.clone());
                    return Some(past);
                }
                None => self.state.end = Some(End::Terminated),
            },
            // Every escape puts off at least one question that was not put off before, so there is an end.
            OnEscape::Defer if asked.iter().all(|&place| self.state.deferred[place]) => {
                self.state.end = Some(End::Deferred);
            }
            OnEscape::Defer => {
                self.state.queue.retain(|place| !asked.contains(place));
                self.state.queue.extend(asked);
                for &place in asked {
                    self.state.deferred[place] = true;
                }
            }
        }
        None
    }

    /// The clauses of a contract over these questions.
    pub fn clauses<'c>(&'c self, places: &[usize]) -> Vec<Clause<'c>> {
        let clause = |&place: &usize| Clause {
            question: &self.spec.questions[place],
            progress: &self.state.progress[place],
        };
        places.iter().map(clause).collect()
    }
}

fn wrong_kind(form: &Form) -> Fault {
    let sentence = match form {
        Form::Tool(_) => say(
            "This call is answered by \"output\", \"escape\" or \"unavailable\".",
            "这个调用应以 \"output\"、\"escape\" 或 \"unavailable\" 回复。",
        ),
        Form::Message(_) | Form::Contract(_) => say(
            "This call is answered by \"text\" or \"escape\".",
            "这个调用应以 \"text\" 或 \"escape\" 回复。",
        ),
    };
    Fault::new(INVALID_REPLY, sentence, &[]).at("")
}
