//! Compiles questions to steps: the table of a gate, for executors that run tables.
//!
//! A step shows what the dialogue shows (`screens`), so that the same choices lead to the same answers.

use super::fields::STRATEGIES;
use super::source::{Prompt, Source};
use super::{Document, Intent, SourcePrompt, Step, StepOption, Transition};
use crate::adapter::control::{Control, ControlLabels};
use crate::adapter::layout::{Layout, Strategy};
use crate::adapter::profile::{Executor, OnEscape, Profile};
use crate::adapter::progress::{Progress, Stage};
use crate::adapter::routing::Node;
use crate::adapter::screens::{Act, QuestionScreen, first_level, level_screen, screen};
use crate::adapter::task_sync::TaskSync;
use crate::ask::{JsString, Kind};
use crate::text::{Lang, Sentence, say};
use std::collections::HashSet;

/// What a document contains beside the questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The protocol's name ([`super::is_protocol`]), instead of the source's own.
    pub protocol: Option<String>,
    /// The source page ([`super::is_source`]), instead of the source's own.
    pub source: Option<String>,
    pub on_escape: OnEscape,
    /// The language of what is added to the questions.
    pub lang: Lang,
}

/// The protocol of a gate.
pub const DEFAULT_PROTOCOL: &str = "novel-ask";
/// The page that describes gates.
pub const DEFAULT_SOURCE: &str = "docs/novel-ask.md";

const END: Sentence = say("{0}: finish, or stop here?", "{0}：完成，还是到此为止？");
const FINISH: Sentence = say("All questions are answered.", "所有问题都已回答。");

/// The document of some questions. It passes [`super::read`].
pub fn compile(source: &Source, options: &Options) -> Document {
    let own =
        |named: Option<&str>| options.protocol.as_deref().or(named).unwrap_or(DEFAULT_PROTOCOL).to_owned();
    let protocol = own(source.protocol.as_deref());
    let page = match (&options.source, &source.page) {
        (Some(page), _) => page.as_str().into(),
        (None, Some(own)) => own.clone(),
        (None, None) => DEFAULT_SOURCE.into(),
    };
    let title = source.title.clone().unwrap_or_else(|| protocol.as_str().into());
    let table = Table::of(source, options, &title);
    Document {
        protocol,
        version: source.version.clone(),
        source: page,
        source_prompts: table.prompts,
        task_sync: Some(TaskSync::default()),
        steps: table.steps,
    }
}

struct Table {
    prompts: Vec<SourcePrompt>,
    steps: Vec<Step>,
}

impl Table {
    /// Made ids stand behind `-`, which no question id has. Where stages are named by hand they could collide; then as many
    /// `-` separate them as it takes: one more than any id has is certain to do.
    fn of(source: &Source, options: &Options, title: &JsString) -> Table {
        let most =
            source.prompts.iter().map(|prompt| prompt.stage.matches('-').count()).max().unwrap_or(0) + 1;
        let mut table = Table::with(source, options, title, "-");
        for dashes in 2..=most {
            let mut ids = HashSet::new();
            if table.steps.iter().all(|step| ids.insert(&step.id)) {
                break;
            }
            table = Table::with(source, options, title, &"-".repeat(dashes));
        }
        table
    }

    fn with(source: &Source, options: &Options, title: &JsString, dash: &str) -> Table {
        let id = |prompt: &Prompt| match prompt.number {
            Some(number) => format!("{}{dash}q{number}", prompt.stage),
            None => prompt.stage.clone(),
        };
        let mut ids: Vec<String> = source.prompts.iter().map(id).collect();
        ids.push(format!("gate{dash}end"));
        let mut table = Table { prompts: Vec::new(), steps: Vec::new() };
        for (prompt, ids) in source.prompts.iter().zip(ids.windows(2)) {
            let first = table.steps.len();
            let mut writer = Writer {
                prompt,
                layout: layout(prompt),
                profile: profile(),
                options,
                id: &ids[0],
                onward: &ids[1],
                end: &format!("gate{dash}end"),
                dash,
                steps: &mut table.steps,
            };
            writer.write();
            let count = prompt.question.options.len();
            table.prompts.push(SourcePrompt {
                id: ids[0].clone(),
                source_phase: prompt.phase.clone(),
                source_options_count: f64::from(u32::try_from(count.max(2)).unwrap_or(u32::MAX)),
                overflow_strategy: (count > 3).then_some(STRATEGIES[0]),
                mapped_step_ids: table.steps[first..].iter().map(|step| step.id.clone()).collect(),
            });
        }
        table.steps.push(end(format!("gate{dash}end"), options, title));
        table
    }
}

/// Two or three options a step, as Codex takes them; a table can offer to type as well.
fn profile() -> Profile {
    Profile { free_text: true, ..Executor::Codex.profile() }
}

/// Every question becomes steps, even two with the same text: a table names its answers.
fn layout(prompt: &Prompt) -> Layout {
    let strategy = match prompt.question.kind {
        Kind::SingleChoice => Strategy::TwoStageRouting,
        Kind::MultiChoice => Strategy::Loop,
        Kind::FreeText => Strategy::Text,
    };
    Layout { strategy, ..Layout::of(&prompt.question, &profile()) }
}

/// The stop behind the last question, for executors that run the table.
fn end(id: String, options: &Options, title: &JsString) -> Step {
    let (before, after) = END.text(options.lang).split_once("{0}").unwrap_or_default();
    let mut question = JsString::from(before);
    question.append(title);
    question.push_str(after);
    let marks = ControlLabels::of(&[]);
    let option = |control, description: Sentence| StepOption {
        label: marks.label(control).into(),
        description: description.text(options.lang).into(),
        implication: None,
    };
    let choices = vec![option(Control::Done, FINISH), option(Control::Stop, Control::Stop.description())];
    Step {
        id,
        intent: Intent::Terminate,
        question,
        options: choices,
        max_choices: Some(1),
        on_escape: options.on_escape,
        next: Vec::new(),
    }
}

struct Writer<'w> {
    prompt: &'w Prompt,
    layout: Layout,
    profile: Profile,
    options: &'w Options,
    id: &'w str,
    onward: &'w str,
    end: &'w str,
    dash: &'w str,
    steps: &'w mut Vec<Step>,
}

impl Writer<'_> {
    fn write(&mut self) {
        let question = &self.prompt.question;
        if question.kind == Kind::FreeText {
            self.asked(&Progress::fresh());
            return;
        }
        self.level(&first_level(question, &self.layout, &self.profile), &mut Vec::new());
        if self.asks_again() {
            self.asked(&Progress { stage: Stage::Again, ..Progress::fresh() });
        }
    }

    /// The step of what the dialogue asks now.
    fn asked(&mut self, progress: &Progress) {
        let shown = screen(&self.prompt.question, &self.layout, &self.profile, progress);
        self.step(&shown, &progress.path, progress.stage == Stage::Again);
    }

    /// The step of one level, then those of its groups.
    fn level(&mut self, nodes: &[Node], path: &mut Vec<usize>) {
        let shown = level_screen(&self.prompt.question, &self.layout, &self.profile, path, nodes);
        self.step(&shown, path, false);
        for (place, node) in nodes.iter().enumerate() {
            if let Node::Group(group) = node {
                path.push(place);
                self.level(&group.children, path);
                path.pop();
            }
        }
    }

    /// Whether a further selection can follow the first.
    fn asks_again(&self) -> bool {
        let question = &self.prompt.question;
        question.kind == Kind::MultiChoice && (question.options.len() > 1 || question.allow_other)
    }

    /// Writes one step; `path` leads to its level.
    fn step(&mut self, shown: &QuestionScreen, path: &[usize], again: bool) {
        let question = &self.prompt.question;
        let id = if again { self.again() } else { self.level_id(path) };
        let (mut options, mut next) = (Vec::new(), Vec::new());
        for entry in &shown.entries {
            let mut implication = None;
            let next_step = match entry.act {
                Act::Pick(place) => {
                    implication = self.prompt.previews.get(place).cloned().flatten();
                    if self.asks_again() { self.again() } else { self.onward.to_owned() }
                }
                Act::Open(group) => self.level_id(&[path, &[group]].concat()),
                Act::Control(Control::More | Control::Back | Control::Repeat) => self.id.to_owned(),
                Act::Control(Control::Stop) => self.end.to_owned(),
                Act::Control(Control::Done | Control::Skip | Control::Type) => self.onward.to_owned(),
            };
            let description = entry.description(question, self.options.lang);
            options.push(StepOption { label: entry.label.clone(), description, implication });
            next.push(Transition { answer: entry.label.clone(), next_step });
        }
        let intent = match question.kind {
            _ if again => Intent::Judge,
            Kind::MultiChoice => Intent::SelectMany,
            Kind::SingleChoice if question.options.len() > 1 => Intent::SelectOne,
            Kind::SingleChoice | Kind::FreeText => Intent::Confirm,
        };
        self.steps.push(Step {
            id,
            intent,
            question: shown.text.clone(),
            options,
            max_choices: Some(1),
            on_escape: self.options.on_escape,
            next,
        });
    }

    fn again(&self) -> String {
        format!("{}{}again", self.id, self.dash)
    }

    /// `q`, `q-n1`, `q-n1-2`: the groups are counted from 1 on each level.
    fn level_id(&self, path: &[usize]) -> String {
        let numbers: Vec<String> = path.iter().map(|group| (group + 1).to_string()).collect();
        if numbers.is_empty() {
            return self.id.to_owned();
        }
        format!("{}{}n{}", self.id, self.dash, numbers.join("-"))
    }
}
