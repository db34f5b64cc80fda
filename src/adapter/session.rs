//! The dialogue: questions, a tool, a policy and the replies so far make the next call, the answers, or an end.
//!
//! Responsible for the fold over the replies: which questions a call carries, whose reply may be taken, and when it is
//! over. What a reply changes is `turn`. Nothing else is remembered, so the same replies always lead to the same place. Not
//! responsible for single questions (`screen`, `take`) nor for JSON around a call (`ask`).

use super::call::{Chain, Form, Rejected};
use super::contract::Clause;
use super::fault::{Fault, REPLY_AFTER_END, STALE_REPLY};
use super::layout::{Layout, Strategy};
use super::profile::{Key, OnEscape, Profile};
use super::progress::{Progress, Reject, Stage};
use super::reply::{CallReply, Said};
use super::screen::{Screen, screen};
use super::turn::Turn;
use crate::ask::{Answers, JsString, QuestionSpec};
use crate::text::say;

/// A dialogue as far as its replies have brought it.
#[derive(Clone, Debug)]
pub struct Dialogue<'d> {
    pub(super) spec: &'d QuestionSpec,
    pub(super) profile: Profile,
    pub(super) policy: OnEscape,
    layouts: Vec<Layout>,
    pub(super) state: State,
    /// How it stood before each reply that changed something.
    pub(super) past: Vec<Past>,
    /// How it stood before the last reply, if that was an escape or ended it: the call can be answered after all.
    before: Option<Before>,
}

#[derive(Clone, Debug)]
pub(super) struct State {
    /// Places of the questions, in the order in which they are asked.
    pub(super) queue: Vec<usize>,
    pub(super) progress: Vec<Progress>,
    /// Whether the question was put off.
    pub(super) deferred: Vec<bool>,
    pub(super) idle: u8,
    /// Whether the tool is not there, so that all is asked by contract.
    pub(super) no_tool: bool,
    /// Why the last contract as a whole was not accepted.
    pub(super) refused: Option<Reject>,
    pub(super) chain: Chain,
    pub(super) end: Option<End>,
    pub(super) rejected: Vec<Rejected>,
    pub(super) notices: Vec<Notice>,
}

#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) queue: Vec<usize>,
    pub(super) progress: Vec<Progress>,
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

    /// The same about the gate whose record goes to this path, so that replies about one gate never answer another that
    /// asks the same.
    #[must_use]
    pub fn bound_to(mut self, answer_path: &JsString) -> Dialogue<'d> {
        self.state.chain.bind(answer_path);
        self
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
        // A record closes a dialogue wherever it stands: the author may have answered elsewhere.
        if matches!(reply.said, Said::Written(_)) && reply.call == self.call() {
            self.begin_again(reply);
            return Ok(());
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
                "这是对调用 {0} 的回复，而最后一次调用是 {1}：指令包、参数或回复已经变了，或者同一回复发了两次。",
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

    /// Asks everything anew, after a record was made of the answers.
    fn begin_again(&mut self, reply: &CallReply) {
        let mut chain = self.state.chain.clone();
        chain.add(reply);
        *self = Dialogue::new(self.spec, self.profile.clone(), self.policy);
        self.state.chain = chain;
    }

    /// From now on an escape stays: a late reply to the call that was escaped from is stale.
    pub fn settle(&mut self) {
        self.before = None;
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
