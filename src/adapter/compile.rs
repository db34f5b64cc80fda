//! How each question of a gate is asked by an executor, before anything is asked.
//!
//! Responsible for the static view that `compile` prints. Not responsible for holding the dialogue (`adapter`).

use super::contract;
use super::control::Control;
use super::layout::{Layout, Strategy};
use super::profile::{Executor, Overflow};
use super::screen::screen;
use super::session::Dialogue;
use super::tool::Shown;
use super::{render_claude, render_codex};
use crate::ask::object::list;
use crate::ask::{Object, Question};
use crate::text::Lang;

impl Dialogue<'_> {
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
            let contract = contract::draw_up(&self.clauses(&[place]), None, lang);
            return object
                .text("prompt", &contract.prompt)
                .raw("schema", &contract.schema)
                .raw("template", &contract.template)
                .finish();
        }
        let screen = screen(question, layout, self.profile(), &self.progress()[place]);
        let shown = Shown { question, screen: &screen };
        let first = match self.profile().executor {
            Executor::Codex => render_codex::question(&shown, lang),
            Executor::ClaudeCode | Executor::JsonContract => render_claude::question(&shown, lang),
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
            .fold(Object::new(), |object, &control| object.text(control.name(), &layout.marks.label(control)))
            .finish()
    }
}
