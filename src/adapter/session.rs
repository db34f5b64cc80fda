//! The dialogue: a fold over replies, with the ways back.
//!
//! Nothing but the replies is remembered, so the same replies always lead to the same place. What is asked and what a
//! reply changes is a [`Course`]: the questions of a gate ([`Inquiry`]), or the steps of a document
//! ([`Walk`](super::canonical::Walk)).

use super::call::{CallReply, Chain, Fault, REPLY_AFTER_END, ReplyBody, Request, STALE_REPLY};
use super::inquiry::{DialogueEnd, Heard, Inquiry};
use super::profile::{OnEscape, Profile};
use crate::ask::{JsString, QuestionSpec};
use crate::text::{Sentence, say};
use std::mem;

pub trait Course: Clone {
    /// That it is over, for a reply that comes then; `{0}` is the call it names.
    const OVER: Sentence;

    /// The questions that are asked now, or were asked last.
    fn inquiry(&self) -> &Inquiry<'_>;

    /// What is asked next; nothing if all is answered.
    fn request(&self) -> Option<Request>;

    fn end(&self) -> Option<DialogueEnd>;

    /// The state after this reply to the request. `past` holds the states before each reply that changed something.
    fn after(&self, request: &Request, body: &ReplyBody, past: &[Self]) -> Result<(Self, Turn), Fault>;

    /// Goes back to an earlier state; without one it ends.
    fn go_back(&mut self, earlier: Option<&Self>);

    /// The state from which all is asked anew once a record was made of the answers, where one can be made.
    fn begin_again(&self) -> Option<Self>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing that could be gone back to.
    Same,
    /// An escape can lead back to before it.
    Changed,
    Escaped,
    /// It was an escape that leads back.
    Back,
}

/// A dialogue as far as its replies have brought it.
#[derive(Clone, Debug)]
pub struct Dialogue<C> {
    chain: Chain,
    course: C,
    /// The state before each reply that changed something.
    past: Vec<C>,
    /// As it stood before the last reply, if that was an escape or ended it: the call can be answered after all.
    undo: Option<Box<Dialogue<C>>>,
}

#[derive(Clone, Debug)]
pub enum DialogueStatus {
    Ask(Request),
    Done,
    Ended(DialogueEnd),
}

impl<'d> Dialogue<Inquiry<'d>> {
    /// About a gate's questions, before the first reply.
    pub fn new(spec: &'d QuestionSpec, profile: Profile, policy: OnEscape) -> Dialogue<Inquiry<'d>> {
        let chain = Chain::start(spec, &profile, policy);
        Dialogue::begin(chain, Inquiry::new(spec, profile, policy))
    }

    /// The same, bound to more than its questions: the path where a gate's record goes, so that replies about one gate never answer
    /// another that asks the same; what a verdict is about.
    #[must_use]
    pub fn bound_to(mut self, what: &JsString) -> Dialogue<Inquiry<'d>> {
        self.chain.bind(what);
        self
    }
}

impl<C: Course> Dialogue<C> {
    /// Before the first reply.
    pub(super) fn begin(chain: Chain, course: C) -> Dialogue<C> {
        Dialogue { chain, course, past: Vec::new(), undo: None }
    }

    pub fn course(&self) -> &C {
        &self.course
    }

    /// The questions that are asked now, or were asked last.
    pub fn inquiry(&self) -> &Inquiry<'_> {
        self.course.inquiry()
    }

    /// Every state that was left by a reply that changed something, and the present one.
    pub(super) fn states(&self) -> impl Iterator<Item = &C> {
        self.past.iter().chain([&self.course])
    }

    pub fn seq(&self) -> usize {
        self.chain.seq()
    }

    /// The name of the call that is to be made: another one after any change of the questions, the tool, the policy or
    /// the replies before.
    pub fn call(&self) -> String {
        self.chain.call()
    }

    pub fn status(&self) -> DialogueStatus {
        match (self.course.end(), self.course.request()) {
            (Some(end), _) => DialogueStatus::Ended(end),
            (None, Some(request)) => DialogueStatus::Ask(request),
            (None, None) => DialogueStatus::Done,
        }
    }

    /// Takes the next reply; one that does not answer the call that is to be made is an error and changes nothing.
    pub fn take(&mut self, reply: &CallReply) -> Result<(), Fault> {
        // A reply to the call that was escaped from takes the escape back.
        if self.undo.as_ref().is_some_and(|undo| undo.chain.call() == reply.call) {
            let escaped = self.clone();
            self.resume();
            return self.take(reply).inspect_err(|_| *self = escaped);
        }
        let call = self.call();
        // A record closes a dialogue wherever it stands: the author may have answered elsewhere.
        if matches!(reply.body, ReplyBody::Written(_))
            && reply.call == call
            && let Some(fresh) = self.course.begin_again()
        {
            self.chain.add(reply);
            *self = Dialogue::begin(self.chain.clone(), fresh);
            return Ok(());
        }
        let DialogueStatus::Ask(request) = self.status() else {
            return Err(Fault::new(REPLY_AFTER_END, C::OVER, &[&reply.call]).at("/call"));
        };
        if reply.call != call {
            let sentence = say(
                "This is a reply to call {0}, but {1} was made last: the packet, the flags or the replies have changed, \
                 or it was sent twice.",
                "这是对调用 {0} 的回复，而最后一次调用是 {1}：指令包、参数或回复已经变了，或者同一回复发了两次。",
            );
            return Err(Fault::new(STALE_REPLY, sentence, &[&reply.call, &call]).at("/call"));
        }
        let (next, turn) = self.course.after(&request, &reply.body, &self.past)?;
        self.undo = None;
        let is_over = matches!(turn, Turn::Escaped | Turn::Back) || next.end().is_some();
        let undo = is_over.then(|| Box::new(self.clone()));
        let before = mem::replace(&mut self.course, next);
        self.chain.add(reply);
        match turn {
            Turn::Same | Turn::Escaped => {}
            Turn::Changed => self.past.push(before),
            Turn::Back => self.course.go_back(self.past.pop().as_ref()),
        }
        self.undo = undo;
        Ok(())
    }

    /// Takes the last reply back, if it was an escape or ended the dialogue. Whether it did.
    pub fn resume(&mut self) -> bool {
        let Some(before) = self.undo.take() else { return false };
        *self = *before;
        true
    }

    /// From now on an escape stays: a late reply to the call that was escaped from is stale.
    pub fn settle(&mut self) {
        self.undo = None;
    }
}

impl Course for Inquiry<'_> {
    const OVER: Sentence =
        say("The dialogue is over; this is a reply to call {0}.", "对话已经结束；这是对调用 {0} 的回复。");

    fn inquiry(&self) -> &Inquiry<'_> {
        self
    }

    fn request(&self) -> Option<Request> {
        self.request()
    }

    fn end(&self) -> Option<DialogueEnd> {
        self.end()
    }

    fn after(&self, request: &Request, body: &ReplyBody, _: &[Self]) -> Result<(Self, Turn), Fault> {
        let mut next = self.clone();
        let turn = match (next.hear(request, body)?, self.policy()) {
            (Heard::Answer, OnEscape::ReturnPrevious) if next.differs(self) => Turn::Changed,
            (Heard::Answer, _) => Turn::Same,
            (Heard::Escape, OnEscape::ReturnPrevious) => Turn::Back,
            (Heard::Escape, OnEscape::Terminate) => {
                next.stop(DialogueEnd::Terminated);
                Turn::Escaped
            }
            (Heard::Escape, OnEscape::Defer) => {
                next.put_off(&request.places());
                Turn::Escaped
            }
        };
        Ok((next, turn))
    }

    fn go_back(&mut self, earlier: Option<&Self>) {
        match earlier {
            Some(earlier) => *self = earlier.again(self),
            None => self.stop(DialogueEnd::Terminated),
        }
    }

    fn begin_again(&self) -> Option<Self> {
        Some(Inquiry::new(self.spec(), self.profile().clone(), self.policy()))
    }
}
