//! One turn of a dialogue: what a reply does to all that was asked.
//!
//! Responsible for telling replies from escapes, for handing each question its part, and for what an escape does. Not
//! responsible for a single question (`take`) nor for whose turn it is (`adapter`).

use super::call::{Form, Rejected};
use super::contract;
use super::fault::{Fault, INVALID_REPLY};
use super::profile::{Executor, OnEscape};
use super::progress::{Progress, Reject};
use super::reply::Said;
use super::screen::Screen;
use super::session::{Dialogue, End, Notice, Past};
use super::take::{Asked, Given, Then, take_message};
use super::tool::{Heard, Shown};
use super::{render_claude, render_codex};
use crate::ask::JsString;
use crate::ask::json::Json;
use crate::text::say;

/// So many replies in a row in which no question was answered end the dialogue: nobody is there.
const IDLE: u8 = 3;

/// What a reply was.
pub(super) enum Turn {
    Answered,
    /// An escape, with what it has taken from the past.
    Escaped(Option<Past>),
}

impl Dialogue<'_> {
    /// Takes what was said in reply to a call.
    ///
    /// # Errors
    /// It is no reply to such a call; nothing has changed.
    pub(super) fn apply(&mut self, form: &Form, said: &Said) -> Result<Turn, Fault> {
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

    fn take_given(&mut self, shown: &[(usize, Screen)], given: Vec<Given>) {
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
        self.count_silence(nobody);
    }

    fn count_silence(&mut self, nobody: bool) {
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
        let questions: Vec<_> = places.iter().map(|&place| &self.spec.questions[place]).collect();
        match contract::read(text, &questions) {
            Ok(replies) => {
                for (&place, reply) in places.iter().zip(replies) {
                    let reply = reply.unwrap_or_else(|| Progress::fresh().reply);
                    self.state.progress[place] = Progress { reply, resolved: true, ..Progress::default() };
                }
                self.count_silence(false);
            }
            Err(breaches) => {
                for &place in places {
                    self.state.progress[place].reject = None;
                }
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
                self.count_silence(contract::is_silent(text));
            }
        }
    }

    pub(super) fn reject(&mut self, place: usize, code: Reject) {
        self.state.progress[place].reject = Some(code);
        let id = Some(self.spec.questions[place].id.as_str().into());
        self.state.rejected.push(Rejected { id, code, at: None });
    }

    /// What was said about the reply before is told once.
    pub(super) fn forget_last(&mut self) {
        self.state.rejected.clear();
        self.state.notices.clear();
        self.state.refused = None;
    }

    /// Keeps how it stood before, if anything but a rejection has changed since and an escape can lead back there.
    fn remember(&mut self, past: Past) {
        if self.policy != OnEscape::ReturnPrevious {
            return;
        }
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
}

/// No such call is answered so.
pub(super) fn wrong_kind(form: &Form) -> Fault {
    let sentence = match form {
        Form::Tool(_) => say(
            "This call is answered by \"output\" (or --answer, --none), \"escape\" or \"unavailable\".",
            "这个调用应以 \"output\"（或 --answer、--none）、\"escape\" 或 \"unavailable\" 回复。",
        ),
        Form::Message(_) => say(
            "This call is answered by \"text\" or \"escape\".",
            "这个调用应以 \"text\" 或 \"escape\" 回复。",
        ),
        Form::Contract(_) => say(
            "This call is answered by \"text\" (or --answer, --none) or \"escape\".",
            "这个调用应以 \"text\"（或 --answer、--none）或 \"escape\" 回复。",
        ),
    };
    Fault::new(INVALID_REPLY, sentence, &[]).at("")
}
