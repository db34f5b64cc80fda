//! What `next` and `compile` print about a dialogue, as JSON.

use super::call::Request;
use super::contract::Contract;
use super::control::Control;
use super::inquiry::{Inquiry, Notice};
use super::layout::{Layout, Strategy};
use super::profile::{Executor, Overflow};
use super::progress::Rejected;
use super::question::ShownQuestion;
use super::session::{Course, Dialogue};
use super::{claude, codex};
use crate::ask::object::list;
use crate::ask::{Answers, Object, Question};
use crate::text::Lang;

impl<C: Course> Dialogue<C> {
    /// `seq`, `call`, `asks`, `expects`, `tool`, then `input` or `prompt` (with `schema` and `template` for a contract).
    pub fn report_call(&self, object: Object, request: &Request, lang: Lang) -> Object {
        let object = object.number("seq", self.seq() as u64).text("call", &self.call());
        self.inquiry().report_request(object, request, lang)
    }
}

impl Inquiry<'_> {
    fn report_request(&self, object: Object, request: &Request, lang: Lang) -> Object {
        let spec = self.spec();
        let ids = request.places().into_iter().map(|place| format!("\"{}\"", spec.questions[place].id));
        let object = object.raw("asks", &list(ids));
        match request {
            Request::Tool(screens) => {
                let shown = self.shown(screens);
                let input = match self.profile().executor {
                    Executor::Codex => codex::input(&shown, lang),
                    Executor::ClaudeCode | Executor::JsonContract => claude::input(&shown, lang),
                };
                object
                    .text("expects", "output")
                    .text_or_null("tool", self.profile().tool)
                    .raw("input", &input)
            }
            Request::Message(place) => {
                let mut prompt = spec.questions[*place].question.clone();
                if let Some(reject) = self.progress()[*place].reject {
                    prompt.push_str(&reject.mark());
                }
                object.text("expects", "text").text_or_null("tool", None).js("prompt", &prompt)
            }
            Request::Contract(places) => {
                let contract = Contract::new(&self.clauses(places), self.refused(), lang);
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

    /// The list `questions` of the static view: of each question its strategy, its controls and what is shown first.
    pub fn compiled_questions(&self, lang: Lang) -> String {
        list((0..self.spec().questions.len()).map(|place| self.compiled(place, lang)))
    }

    fn compiled(&self, place: usize, lang: Lang) -> String {
        let (question, layout) = (&self.spec().questions[place], &self.layouts()[place]);
        let by_contract = layout.strategy == Strategy::Contract;
        let object = Object::new()
            .text("id", &question.id)
            .text("mode", if by_contract { "contract" } else { "tool" })
            .text("strategy", layout.strategy.name())
            .raw("controls", &self.controls(question, layout));
        if by_contract {
            let contract = Contract::new(&self.clauses(&[place]), None, lang);
            return object
                .text("prompt", &contract.prompt)
                .raw("schema", &contract.schema)
                .raw("template", &contract.template)
                .finish();
        }
        let screen = self.screen(place);
        let shown = ShownQuestion { question, profile: self.profile(), screen: &screen };
        let first = match self.profile().executor {
            Executor::Codex => codex::question(&shown, lang),
            Executor::ClaudeCode | Executor::JsonContract => claude::question(&shown, lang),
        };
        object.raw("first", &first).finish()
    }

    /// The labels of every control that can come up for a question, by name.
    fn controls(&self, question: &Question, layout: &Layout) -> String {
        let profile = self.profile();
        let routed = profile.overflow == Overflow::Tree;
        let exact = profile.min_options == profile.max_options;
        let looped = layout.strategy == Strategy::Loop;
        // A lone option without own words ends its loop at once.
        let again = looped && (question.options.len() > 1 || question.allow_other);
        let shown = question.options.len() + usize::from(!question.must_be_answered());
        let short = shown < profile.min_options;
        let comes_up = |control: &Control| match (layout.strategy, control) {
            (Strategy::Contract, _) => false,
            (_, Control::Skip) => !question.must_be_answered(),
            (Strategy::Text, Control::Type) => true,
            (Strategy::Text, control) => *control == Control::Stop && question.must_be_answered(),
            (_, Control::Type) => false,
            (strategy, Control::More) => {
                strategy == Strategy::Paged || (again && (routed || shown > profile.max_options))
            }
            (_, Control::Done) => again,
            // Beside the last option of a loop stands the way back to the add-another step.
            (strategy, Control::Back) => {
                (again && routed) || (exact && strategy == Strategy::TwoStageRouting)
            }
            (_, Control::Stop) => exact || short || (looped && question.allow_other),
            (_, Control::Repeat) => exact,
        };
        let controls = Control::ALL.iter().filter(|control| comes_up(control));
        controls
            .fold(Object::new(), |object, &control| {
                object.text(control.name(), &layout.controls.label(control))
            })
            .finish()
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
