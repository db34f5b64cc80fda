//! Questions on their way to answers: how far each has come, what is asked next, and what a reply changes.

use super::call::{Fault, INVALID_REPLY, ReplyBody, Request};
use super::contract::{self, Clause};
use super::layout::{Layout, Strategy};
use super::output;
use super::profile::{AnswerKey, OnEscape, Profile};
use super::progress::{Progress, Reject, Rejected, Stage};
use super::question::{AskedQuestion, Flow, take_message};
use super::screens::{QuestionScreen, screen};
use super::silence::silence;
use crate::ask::json::Json;
use crate::ask::{Answers, JsString, QuestionSpec, Reply};
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::rc::Rc;

/// After this many replies in a row without an answer the dialogue ends: nobody is there.
const IDLE: u8 = 3;

/// Questions as far as the replies have brought them.
#[derive(Clone, Debug)]
pub struct Inquiry<'d> {
    setup: Rc<Setup<'d>>,
    /// Places of the questions, in the order in which they are asked.
    queue: Vec<usize>,
    /// How far each question has come.
    pub progress: Vec<Progress>,
    deferred: Vec<bool>,
    /// How many replies in a row answered nothing.
    idle: u8,
    /// Whether the tool is not there, so that all is asked by contract.
    no_tool: bool,
    pub refused: Option<Reject>,
    end: Option<DialogueEnd>,
    /// What was rejected in the last reply.
    pub rejected: Vec<Rejected>,
    /// What the author wrote in the last reply beside the answers.
    pub notices: Vec<Notice>,
}

/// What no reply changes.
#[derive(Debug)]
struct Setup<'d> {
    spec: &'d QuestionSpec,
    profile: Profile,
    policy: OnEscape,
    layouts: Vec<Layout>,
}

/// How a dialogue ended without answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DialogueEnd {
    /// The author stopped or escaped.
    Terminated,
    /// Questions were put off twice.
    Deferred,
    /// Nobody answered, several times.
    Idle,
}

/// Words of the author that are no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Notice {
    /// The question.
    pub id: String,
    /// The words.
    pub note: JsString,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Answer,
    Escape,
}

impl DialogueEnd {
    /// As `next` spells it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl<'d> Inquiry<'d> {
    /// Before the first reply.
    pub fn new(spec: &'d QuestionSpec, profile: Profile, policy: OnEscape) -> Inquiry<'d> {
        let layouts = spec.questions.iter().map(|question| Layout::of(question, &profile)).collect();
        let count = spec.questions.len();
        Inquiry {
            setup: Rc::new(Setup { spec, profile, policy, layouts }),
            queue: (0..count).collect(),
            progress: vec![Progress::fresh(); count],
            deferred: vec![false; count],
            idle: 0,
            no_tool: false,
            refused: None,
            end: None,
            rejected: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Further questions, asked after these: a missing tool stays missing, and the last notices are still shown.
    pub(super) fn next<'n>(&self, spec: &'n QuestionSpec, policy: OnEscape) -> Inquiry<'n> {
        let fresh = Inquiry::new(spec, self.setup.profile.clone(), policy);
        Inquiry { no_tool: self.no_tool, notices: self.notices.clone(), ..fresh }
    }

    /// These questions once more as they are here, after `later`.
    pub(super) fn again(&self, later: &Inquiry<'_>) -> Inquiry<'d> {
        let mut again = Inquiry { idle: 0, no_tool: later.no_tool, ..self.clone() };
        again.forget_last();
        again
    }

    pub fn spec(&self) -> &'d QuestionSpec {
        self.setup.spec
    }

    pub fn profile(&self) -> &Profile {
        &self.setup.profile
    }

    pub(super) fn policy(&self) -> OnEscape {
        self.setup.policy
    }

    pub fn layouts(&self) -> &[Layout] {
        &self.setup.layouts
    }

    pub fn end(&self) -> Option<DialogueEnd> {
        self.end
    }

    /// The answers of the questions that are done with, in question order.
    pub fn answers(&self) -> Answers {
        let pairs = self.spec().questions.iter().zip(&self.progress);
        let resolved = pairs.filter(|(_, progress)| progress.resolved);
        resolved
            .filter_map(|(question, progress)| Some((question.id.clone(), progress.reply.answer(question)?)))
            .collect()
    }

    /// Places of the questions that are not done with, in the order in which they are asked.
    pub fn unresolved(&self) -> Vec<usize> {
        self.queue.iter().copied().filter(|&place| !self.progress[place].resolved).collect()
    }

    pub fn clauses<'c>(&'c self, places: &[usize]) -> Vec<Clause<'c>> {
        let clause = |&place: &usize| Clause {
            question: &self.spec().questions[place],
            progress: &self.progress[place],
        };
        places.iter().map(clause).collect()
    }

    pub(super) fn shown<'s>(&'s self, screens: &'s [(usize, QuestionScreen)]) -> Vec<AskedQuestion<'s>> {
        let shown = |(place, screen): &'s (usize, QuestionScreen)| AskedQuestion {
            question: &self.spec().questions[*place],
            profile: self.profile(),
            screen,
        };
        screens.iter().map(shown).collect()
    }

    pub(super) fn screen(&self, place: usize) -> QuestionScreen {
        let (question, layout) = (&self.spec().questions[place], &self.layouts()[place]);
        screen(question, layout, self.profile(), &self.progress[place])
    }

    /// What is asked next; nothing if all questions are done with.
    pub fn request(&self) -> Option<Request> {
        let open = self.unresolved();
        let first = *open.first()?;
        let by_contract =
            |place: &usize| self.no_tool || self.layouts()[*place].strategy == Strategy::Contract;
        if by_contract(&first) {
            return Some(Request::Contract(open.into_iter().filter(by_contract).collect()));
        }
        let by_message = |place: &usize| self.progress[*place].stage == Stage::Text;
        if by_message(&first) {
            return Some(Request::Message(first));
        }
        let mut shown: Vec<(usize, QuestionScreen)> = Vec::new();
        for place in open.into_iter().filter(|place| !by_contract(place) && !by_message(place)) {
            if shown.len() == self.profile().max_questions {
                break;
            }
            let screen = self.screen(place);
            // Where a reply identifies answers by text, two equal texts cannot share a call.
            let same = |other: &QuestionScreen| other.text.trimmed() == screen.text.trimmed();
            if self.profile().key == AnswerKey::Id || !shown.iter().any(|(_, other)| same(other)) {
                shown.push((place, screen));
            }
        }
        Some(Request::Tool(shown))
    }

    /// Takes what came back; what an escape does is left to the caller. An error changes nothing.
    pub(super) fn hear(&mut self, request: &Request, body: &ReplyBody) -> Result<Heard, Fault> {
        match (request, body) {
            (_, ReplyBody::Escape) => return Ok(self.escaped()),
            (Request::Tool(_), ReplyBody::Unavailable) => {
                self.forget_last();
                self.no_tool = true;
            }
            (Request::Tool(screens), ReplyBody::Output(json)) => return self.take_output(json, screens),
            (Request::Message(_), ReplyBody::Text(text)) if silence(text).is_some() => {
                return Ok(self.escaped());
            }
            (Request::Message(place), ReplyBody::Text(text)) => {
                self.forget_last();
                self.take_message(*place, text);
            }
            (Request::Contract(places), ReplyBody::Text(text)) => {
                self.forget_last();
                return Ok(self.take_contract(places, text));
            }
            _ => return Err(wrong_kind(request)),
        }
        Ok(Heard::Answer)
    }

    fn escaped(&mut self) -> Heard {
        self.forget_last();
        self.idle = 0;
        Heard::Escape
    }

    fn take_output(&mut self, json: &str, screens: &[(usize, QuestionScreen)]) -> Result<Heard, Fault> {
        let setup = Rc::clone(&self.setup);
        let json = Json::parse(json.as_bytes()).map_err(|error| Fault::syntax(&error))?;
        let shown = self.shown(screens);
        let (replies, notes) = output::read(setup.profile.executor, json.root(), &shown)?;
        self.forget_last();
        let Some(replies) = replies else { return Ok(self.escaped()) };
        for (place, note) in notes {
            self.notices.push(Notice { id: setup.spec.questions[screens[place].0].id.clone(), note });
        }
        for ((place, screen), reply) in screens.iter().zip(replies) {
            let shown =
                AskedQuestion { question: &setup.spec.questions[*place], profile: &setup.profile, screen };
            let taken = shown.take(&mut self.progress[*place], reply);
            self.settle(*place, taken);
        }
        let unanswered = |rejected: &Rejected| rejected.code == Reject::Unanswered;
        let nobody = self.rejected.len() == screens.len() && self.rejected.iter().all(unanswered);
        self.count_silence(nobody);
        Ok(Heard::Answer)
    }

    fn settle(&mut self, place: usize, taken: Result<Flow, Reject>) {
        match taken {
            Ok(flow) if flow.is_break() => self.end = Some(DialogueEnd::Terminated),
            Ok(_) => self.progress[place].reject = None,
            Err(code) => self.reject(place, code),
        }
    }

    fn count_silence(&mut self, nobody: bool) {
        self.idle = if nobody { self.idle + 1 } else { 0 };
        if self.idle == IDLE {
            self.end = Some(DialogueEnd::Idle);
        }
    }

    fn take_message(&mut self, place: usize, text: &JsString) {
        self.idle = 0;
        let question = &self.spec().questions[place];
        let taken = take_message(question, &mut self.progress[place], text);
        self.settle(place, taken.map(Flow::Continue));
    }

    fn take_contract(&mut self, places: &[usize], text: &JsString) -> Heard {
        let questions: Vec<_> = places.iter().map(|&place| &self.spec().questions[place]).collect();
        if contract::is_left(text, &questions) {
            return self.escaped();
        }
        let read = contract::read(text, &questions, self.profile());
        let breaches = match read.and_then(|replies| self.confirm(places, replies)) {
            Ok(replies) => {
                for (&place, reply) in places.iter().zip(replies) {
                    let reply = reply.unwrap_or_else(|| Progress::fresh().reply);
                    self.progress[place] = Progress { reply, resolved: true, ..Progress::default() };
                }
                self.count_silence(false);
                return Heard::Answer;
            }
            Err(breaches) => breaches,
        };
        for &place in places {
            self.progress[place].reject = None;
        }
        for breach in breaches {
            let place = breach.id.as_ref().and_then(|id| self.spec().find(id.as_str()?)).map(|(at, _)| at);
            match place.filter(|place| places.contains(place)) {
                Some(place) => self.progress[place].reject = Some(breach.code),
                None => self.refused = Some(breach.code),
            }
            self.rejected.push(breach);
        }
        self.count_silence(contract::is_silent(text));
        Heard::Answer
    }

    /// The answers of a contract, unless some of their words count only if they come once more.
    fn confirm(
        &mut self,
        places: &[usize],
        replies: Vec<Option<Reply>>,
    ) -> Result<Vec<Option<Reply>>, Vec<Rejected>> {
        let spec = self.spec();
        let mut breaches = Vec::new();
        for (&place, reply) in places.iter().zip(&replies) {
            let question = &spec.questions[place];
            let words =
                reply.iter().flat_map(|reply| contract::own_words(question, reply)).collect::<Vec<_>>();
            let words = JsString::joined(&words, ", ");
            if let Err(code) = self.progress[place].confirm(&words) {
                breaches.push(contract::breach(question, code));
            }
        }
        if breaches.is_empty() { Ok(replies) } else { Err(breaches) }
    }

    pub(super) fn reject(&mut self, place: usize, code: Reject) {
        self.progress[place].reject = Some(code);
        let id = Some(self.spec().questions[place].id.as_str().into());
        self.rejected.push(Rejected { id, code, at: None });
    }

    /// The notices about the last reply are shown once.
    fn forget_last(&mut self) {
        self.rejected.clear();
        self.notices.clear();
        self.refused = None;
    }

    /// Whether anything but a rejection differs.
    pub(super) fn differs(&self, other: &Inquiry<'_>) -> bool {
        let same = |(old, new): (&Progress, &Progress)| {
            *old == Progress { reject: old.reject, doubted: old.doubted.clone(), ..new.clone() }
        };
        !self.progress.iter().zip(&other.progress).all(same)
    }

    pub(super) fn stop(&mut self, end: DialogueEnd) {
        self.end = Some(end);
    }

    /// Puts questions off; it ends if all of them were put off before, so that there is an end.
    pub(super) fn put_off(&mut self, places: &[usize]) {
        if places.iter().all(|&place| self.deferred[place]) {
            return self.stop(DialogueEnd::Deferred);
        }
        self.queue.retain(|place| !places.contains(place));
        self.queue.extend(places);
        for &place in places {
            self.deferred[place] = true;
        }
    }
}

/// No such request is answered so.
fn wrong_kind(request: &Request) -> Fault {
    let sentence = match request {
        Request::Tool(_) => say(
            "This call is answered by \"output\" (or --answer, --none), \"escape\" or \"unavailable\".",
            "这个调用应以 \"output\"（或 --answer、--none）、\"escape\" 或 \"unavailable\" 回复。",
        ),
        Request::Message(_) => say(
            "This call is answered by \"text\" or \"escape\".",
            "这个调用应以 \"text\" 或 \"escape\" 回复。",
        ),
        Request::Contract(_) => say(
            "This call is answered by \"text\" (or --answer, --none) or \"escape\".",
            "这个调用应以 \"text\"（或 --answer、--none）或 \"escape\" 回复。",
        ),
    };
    Fault::new(INVALID_REPLY, sentence, &[]).at("")
}
