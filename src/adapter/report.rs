//! Where a dialogue stands, as members of the one JSON object that `next` prints.
//!
//! Responsible for the shape of a call, of the answers and of an end. Not responsible for the members that every
//! command's object has nor for records (`command`).

use super::call::{Form, Rejected};
use super::contract;
use super::profile::Executor;
use super::session::{Dialogue, Notice};
use super::tool::Shown;
use super::{render_claude, render_codex};
use crate::ask::object::list;
use crate::ask::{Answers, Object};
use crate::text::Lang;

impl Dialogue<'_> {
    /// `seq`, `call`, `asks`, `expects`, `tool`, then `input` or `prompt` (with `schema` and `template` for a contract).
    pub fn report_call(&self, object: Object, form: &Form, lang: Lang) -> Object {
        let spec = self.spec();
        let ids = form.places().into_iter().map(|place| format!("\"{}\"", spec.questions[place].id));
        let object =
            object.number("seq", self.seq() as u64).text("call", &self.call()).raw("asks", &list(ids));
        match form {
            Form::Tool(shown) => {
                let shown: Vec<Shown<'_>> = shown
                    .iter()
                    .map(|(place, screen)| Shown { question: &spec.questions[*place], screen })
                    .collect();
                let input = match self.profile().executor {
                    Executor::Codex => render_codex::input(&shown, lang),
                    Executor::ClaudeCode | Executor::JsonContract => render_claude::input(&shown, lang),
                };
                object
                    .text("expects", "output")
                    .text_or_null("tool", self.profile().tool)
                    .raw("input", &input)
            }
            Form::Message(place) => {
                let mut prompt = spec.questions[*place].question.clone();
                if let Some(reject) = self.progress()[*place].reject {
                    prompt.push_str(&reject.mark());
                }
                object.text("expects", "text").text_or_null("tool", None).js("prompt", &prompt)
            }
            Form::Contract(places) => {
                let contract = contract::draw_up(&self.clauses(places), self.refused(), lang);
                object
                    .text("expects", "text")
                    .text_or_null("tool", None)
                    .text("prompt", &contract.prompt)
                    .raw("schema", &contract.schema)
                    .raw("template", &contract.template)
            }
        }
    }

    /// `rejected`, `notices`, `progress`.
    pub fn report_progress(&self, object: Object) -> Object {
        let resolved = self.progress().iter().filter(|progress| progress.resolved).count();
        self.report_said(object).raw("progress", &progress(resolved, self.progress().len()))
    }

    /// `rejected`, `notices`.
    pub(super) fn report_said(&self, object: Object) -> Object {
        object
            .raw("rejected", &list(self.rejected().iter().map(rejected)))
            .raw("notices", &list(self.notices().iter().map(notice)))
    }

    /// `answers_so_far`, `unanswered`.
    pub fn report_end(&self, object: Object) -> Object {
        let mut open = self.unresolved();
        open.sort_unstable();
        let ids = open.into_iter().map(|place| format!("\"{}\"", self.spec().questions[place].id));
        object.raw("answers_so_far", &answers_json(&self.answers())).raw("unanswered", &list(ids))
    }
}

/// How much is done, of how much.
pub(super) fn progress(resolved: usize, total: usize) -> String {
    Object::new().number("resolved", resolved as u64).number("total", total as u64).finish()
}

/// Answers on one line, in question order.
pub fn answers_json(answers: &Answers) -> String {
    let object = answers.iter().fold(Object::new(), |object, (id, answer)| {
        let mut json = String::new();
        answer.write_json(&mut json);
        object.raw(id, &json)
    });
    object.finish()
}

fn rejected(rejected: &Rejected) -> String {
    let object = Object::new().js_or_null("id", rejected.id.as_ref()).text("code", rejected.code.code());
    match &rejected.at {
        Some(at) => object.text("at", at),
        None => object,
    }
    .finish()
}

fn notice(notice: &Notice) -> String {
    Object::new().text("id", &notice.id).js("note", &notice.note).finish()
}
