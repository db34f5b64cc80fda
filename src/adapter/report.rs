//! What `next` and `compile` print about a dialogue. The documentation of the types is that of the published schemas.

use super::call::Request;
use super::contract::Contract;
use super::control::Control;
use super::inquiry::{Inquiry, Notice};
use super::layout::{Layout, Strategy};
use super::profile::{Executor, Overflow, cut_header};
use super::progress::Rejected;
use super::question::AskedQuestion;
use super::screens::ScreenEntry;
use super::session::{Course, Dialogue};
use crate::ask::{Answer, Choice, JsString, Question, object};
use crate::text::Lang;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use serde_json::value::{RawValue, Value};
use std::collections::BTreeMap;
use strum::{VariantArray as _, VariantNames as _};

/// A call that is to be made.
#[derive(Serialize, JsonSchema)]
pub struct CallReport<R = RequestReport> {
    /// How many replies have been taken.
    seq: usize,
    /// The call's id; the reply must name it.
    call: String,
    /// The ids of the questions, or the step, that it asks.
    asks: Vec<String>,
    #[serde(flatten)]
    request: R,
}

/// What is asked, in one of three ways.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RequestReport {
    /// By the executor's tool.
    Tool(ToolRequest),
    /// By a message.
    Message(MessageRequest),
    /// By a strict JSON reply.
    Contract(ContractRequest),
}

/// Call the tool with input exactly as it is; then give its output back.
#[derive(Serialize, JsonSchema)]
pub struct ToolRequest {
    /// What the reply carries.
    #[schemars(extend("enum" = ["output"]))]
    expects: &'static str,
    /// The tool.
    #[schemars(with = "&str", extend("enum" = ["AskUserQuestion", "request_user_input"]))]
    tool: Option<&'static str>,
    /// Its input.
    #[schemars(with = "Map<String, Value>")]
    input: ToolInput,
}

#[derive(Serialize)]
struct ToolInput {
    questions: Vec<ToolQuestion>,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum ToolQuestion {
    ClaudeCode { question: JsString, header: String, multi_select: bool, options: Vec<Choice> },
    Codex { id: String, header: String, question: JsString, options: Vec<Choice> },
}

/// Show prompt as a message; then give the author's message back.
#[derive(Serialize, JsonSchema)]
pub struct MessageRequest {
    /// What the reply carries.
    #[schemars(extend("enum" = ["text"]))]
    expects: &'static str,
    /// No tool.
    tool: (),
    /// What to show the author.
    prompt: JsString,
}

/// Show prompt, schema and template; then give the one JSON object back that comes in reply.
#[derive(Serialize, JsonSchema)]
pub struct ContractRequest {
    /// What the reply carries.
    #[schemars(extend("enum" = ["text"]))]
    expects: &'static str,
    /// No tool.
    tool: (),
    #[serde(flatten)]
    contract: Contract,
}

/// How the dialogue stands.
#[derive(Serialize, JsonSchema)]
pub struct ReplyReport {
    /// What was not accepted of the last reply.
    rejected: Vec<Rejected>,
    /// What the author said beside the answers of the last reply.
    notices: Vec<Notice>,
    /// How much is answered.
    progress: ProgressReport,
}

/// How much is answered, of how much.
#[derive(Serialize, JsonSchema)]
struct ProgressReport {
    /// Answered, or left blank on purpose.
    resolved: usize,
    /// All questions, or steps.
    total: usize,
}

/// What a dialogue that ended has come to.
#[derive(Serialize, JsonSchema)]
pub struct PartialAnswers {
    /// What was answered before.
    #[schemars(with = "BTreeMap<String, Answer>")]
    answers_so_far: Box<RawValue>,
    /// The ids of the other questions.
    unanswered: Vec<String>,
}

/// How one question is asked.
#[derive(Serialize, JsonSchema)]
pub struct CompiledQuestion {
    /// The question's id.
    id: String,
    /// By the tool, or by one strict JSON reply.
    #[schemars(extend("enum" = ["tool", "contract"]))]
    mode: &'static str,
    /// How the options are put on screens.
    #[schemars(extend("enum" = Strategy::VARIANTS))]
    strategy: &'static str,
    /// The labels of the control entries, by name.
    #[schemars(with = "BTreeMap<String, String>")]
    controls: Box<RawValue>,
    /// The first screen, for the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    first: Option<ToolQuestion>,
    #[serde(flatten)]
    contract: Option<Contract>,
}

impl ToolQuestion {
    fn of(
        &AskedQuestion { question: asked, profile, screen }: &AskedQuestion<'_>,
        lang: Lang,
    ) -> ToolQuestion {
        let option = |entry: &ScreenEntry| Choice {
            label: entry.label.clone(),
            description: entry.description(asked, lang),
            cluster: None,
            sends_back: false,
            round: None,
        };
        let options = screen.entries.iter().map(option).collect();
        let (header, question) = (cut_header(&asked.header), screen.text.clone());
        match profile.executor {
            Executor::Codex => ToolQuestion::Codex { id: asked.id.clone(), header, question, options },
            Executor::ClaudeCode | Executor::JsonContract => {
                ToolQuestion::ClaudeCode { question, header, multi_select: screen.multi, options }
            }
        }
    }
}

impl<C: Course> Dialogue<C> {
    pub fn call_report(&self, request: &Request, lang: Lang) -> CallReport {
        let inquiry = self.inquiry();
        CallReport {
            seq: self.seq(),
            call: self.call(),
            asks: inquiry.ids(request.places()),
            request: inquiry.request_report(request, lang),
        }
    }
}

impl Inquiry<'_> {
    fn ids(&self, places: Vec<usize>) -> Vec<String> {
        places.into_iter().map(|place| self.spec().questions[place].id.clone()).collect()
    }

    fn request_report(&self, request: &Request, lang: Lang) -> RequestReport {
        match request {
            Request::Tool(screens) => {
                let questions =
                    self.shown(screens).iter().map(|shown| ToolQuestion::of(shown, lang)).collect();
                let (tool, input) = (self.profile().tool, ToolInput { questions });
                RequestReport::Tool(ToolRequest { expects: "output", tool, input })
            }
            Request::Message(place) => {
                let mut prompt = self.spec().questions[*place].question.clone();
                prompt.push_str(&self.progress[*place].mark());
                RequestReport::Message(MessageRequest { expects: "text", tool: (), prompt })
            }
            Request::Contract(places) => {
                let contract = Contract::new(&self.clauses(places), self.refused, lang);
                RequestReport::Contract(ContractRequest { expects: "text", tool: (), contract })
            }
        }
    }

    pub fn report(&self) -> ReplyReport {
        let resolved = self.progress.iter().filter(|progress| progress.resolved).count();
        self.report_of(resolved, self.progress.len())
    }

    /// The same with a progress of its own.
    pub(super) fn report_of(&self, resolved: usize, total: usize) -> ReplyReport {
        let progress = ProgressReport { resolved, total };
        ReplyReport { rejected: self.rejected.clone(), notices: self.notices.clone(), progress }
    }

    pub fn partial_answers(&self) -> PartialAnswers {
        let mut open = self.unresolved();
        open.sort_unstable();
        PartialAnswers { answers_so_far: object(self.answers()), unanswered: self.ids(open) }
    }

    pub fn compiled_questions(&self, lang: Lang) -> Vec<CompiledQuestion> {
        (0..self.layouts().len()).map(|place| self.compiled(place, lang)).collect()
    }

    fn compiled(&self, place: usize, lang: Lang) -> CompiledQuestion {
        let (question, layout) = (&self.spec().questions[place], &self.layouts()[place]);
        let by_contract = layout.strategy == Strategy::Contract;
        let first = || {
            let shown = AskedQuestion { question, profile: self.profile(), screen: &self.screen(place) };
            ToolQuestion::of(&shown, lang)
        };
        let labels = self
            .controls(question, layout)
            .map(|control| (<&str>::from(control), layout.controls.label(control)));
        CompiledQuestion {
            id: question.id.clone(),
            mode: if by_contract { "contract" } else { "tool" },
            strategy: layout.strategy.into(),
            controls: object(labels),
            first: (!by_contract).then(first),
            contract: by_contract.then(|| Contract::new(&self.clauses(&[place]), None, lang)),
        }
    }

    /// Every control that can come up for a question.
    fn controls(&self, question: &Question, layout: &Layout) -> impl Iterator<Item = Control> {
        let profile = self.profile();
        let routed = profile.overflow == Overflow::Tree;
        let exact = profile.min_options == profile.max_options;
        let looped = layout.strategy == Strategy::Loop;
        let required = question.must_be_answered();
        // A lone option without own words ends its loop at once.
        let again = looped && (question.options.len() > 1 || question.allow_other);
        let shown = question.options.len() + usize::from(!required);
        let (short, long) = (shown < profile.min_options, shown > profile.max_options);
        let (strategy, allow_other) = (layout.strategy, question.allow_other);
        Control::VARIANTS.iter().copied().filter(move |control| match (strategy, control) {
            (Strategy::Contract, _) => false,
            (_, Control::Skip) => !required,
            (Strategy::Text, Control::Type) => true,
            (Strategy::Text, control) => *control == Control::Stop && required,
            (_, Control::Type) => false,
            (_, Control::More) => again && (routed || long),
            (_, Control::Done) => again,
            // Beside the last option of a loop stands the way back to the add-another step.
            (strategy, Control::Back) => {
                let in_group = exact || !profile.has_way_back();
                (again && routed) || (in_group && strategy == Strategy::TwoStageRouting)
            }
            (_, Control::Stop) => exact || short || (looped && allow_other),
            (_, Control::Repeat) => exact,
        })
    }
}
