//! A call: what it carries, what it is called, and what the reply to it did wrong.
//!
//! Responsible for the names of calls, which tie a reply to exactly one state of a dialogue. Not responsible for the
//! state itself (`adapter`).

use super::profile::{OnEscape, Profile};
use super::progress::Reject;
use super::reply::CallReply;
use super::screen::Screen;
use crate::ask::{JsString, QuestionSpec};
use sha2::{Digest, Sha256};

/// What a call carries; questions by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Questions for the dialog tool, each with its screen.
    Tool(Vec<(usize, Screen)>),
    /// Free text, by a plain message.
    Message(usize),
    /// A strict JSON reply.
    Contract(Vec<usize>),
}

/// Something in a reply that is not accepted, and is asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The question, or a key that is no question's; `None` where a contract's whole reply is meant.
    pub id: Option<JsString>,
    /// Why.
    pub code: Reject,
    /// Where in a contract's reply.
    pub at: Option<String>,
}

/// The hash over everything that has led to a call.
#[derive(Clone, Debug)]
pub struct Chain {
    seq: usize,
    digest: [u8; 32],
}

impl Form {
    /// Places of the questions, in the order in which they are asked.
    pub fn places(&self) -> Vec<usize> {
        match self {
            Form::Tool(shown) => shown.iter().map(|(place, _)| *place).collect(),
            Form::Message(place) => vec![*place],
            Form::Contract(places) => places.clone(),
        }
    }
}

impl Chain {
    /// Before the first reply.
    pub fn start(spec: &QuestionSpec, profile: &Profile, policy: OnEscape) -> Chain {
        let mut text = spec.canonical();
        for option in spec.questions.iter().flat_map(|question| &question.options) {
            text.push('\0');
            option.cluster.iter().for_each(|name| name.write_json(&mut text));
        }
        Chain::of_text(&text, profile, policy)
    }

    /// Before the first reply, about anything that a text stands for.
    pub fn of_text(text: &str, profile: &Profile, policy: OnEscape) -> Chain {
        let mut hash = Sha256::new();
        hash.update(b"novel-gate call 1\0");
        hash.update(text);
        let Profile { executor, max_questions, min_options, max_options, .. } = profile;
        let limits = format!("\0{}\0{max_questions}\0{min_options}\0{max_options}", executor.name());
        hash.update(limits + "\0" + policy.name());
        Chain { seq: 0, digest: hash.finalize().into() }
    }

    /// About the gate whose record goes to this path: gates that ask the same have calls of their own.
    pub fn bind(&mut self, answer_path: &JsString) {
        let mut hash = Sha256::new();
        hash.update(self.digest);
        let mut path = String::new();
        answer_path.write_json(&mut path);
        hash.update(path);
        self.digest = hash.finalize().into();
    }

    /// After one more reply.
    pub fn add(&mut self, reply: &CallReply) {
        let mut hash = Sha256::new();
        hash.update(self.digest);
        hash.update(reply.to_json());
        *self = Chain { seq: self.seq + 1, digest: hash.finalize().into() };
    }

    /// How many replies there were.
    pub fn seq(&self) -> usize {
        self.seq
    }

    /// The call's name.
    pub fn call(&self) -> String {
        let head = self.digest.iter().take(6).fold(0_u64, |head, &byte| head << 8 | u64::from(byte));
        format!("c{}-{head:012x}", self.seq)
    }
}
