//! `questions preview`: what a step will ask, and what its agent is to be told.

use crate::ask::JsString;
use crate::ask::decision::AMPLE;
use crate::ask::standing::REVIEW;
use crate::command::input::step_of;
use crate::command::output::Head;
use crate::command::{Session, decisions};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::questions::{Planned, Questions, planned};
use crate::store::{Loaded, Project, Status, gate, locate};
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// What will be asked before a step, and what its agent is to be told.
#[derive(Serialize, JsonSchema)]
pub(super) struct QuestionsPreview {
    /// The step id.
    step: String,
    /// Its packet, relative to the project's root, if there is one.
    packet: Option<String>,
    /// The topic of the gate that the packet brings along; then no standing question is asked.
    own_gate: Option<JsString>,
    /// The questions for this step, in the order in which they are asked.
    questions: Vec<PreviewedQuestion>,
    /// The name of the question that is asked now; null if all are answered, or nothing is asked before this step.
    asked_now: Option<String>,
    /// What the step's agent is told by now; null if nothing is decided.
    decisions: Option<String>,
}

/// A question of a step.
#[derive(Serialize, JsonSchema)]
struct PreviewedQuestion {
    /// That of its file.
    name: String,
    /// What it is about.
    topic: JsString,
    /// What the answer holds for, such as chapter-048, vol-02 or book.
    span: String,
    /// The same in words.
    holds_for: String,
    /// Where the record goes, relative to the project's root.
    answer_path: String,
    /// answered; waiting: there is no record; sent-back: nor is there, and the author refuses what is there; blocked: the record is
    /// not valid; off: it is not asked.
    #[schemars(extend("enum" = ["answered", "waiting", "sent-back", "blocked", "off"]))]
    state: &'static str,
    /// Who answered.
    answered_by: Option<JsString>,
    /// When, as the record says.
    answered_at: Option<JsString>,
}

pub(super) fn run(session: &mut Session<'_>, project: &Arc<Project>, name: &str) -> Result<ExitCode, Error> {
    let step = step_of(Path::new(name))?;
    session.warn_of_checkpoint(project);
    let lang = session.lang;
    let all = Questions::read(project);
    let (planned, is_passed) = planned(project, &all, step);
    let loaded = locate::packet(project, Path::new(&step.to_string()), &session.environment.cwd);
    let loaded = loaded.ok().and_then(|path| gate::load(project, &path).ok());
    let own = loaded.as_ref().and_then(Loaded::gate);
    let own = own.filter(|gate| all.owner(&gate.answer_path.lossy()).is_none());
    let is_asked = !is_passed && own.is_none() && step.kind != REVIEW;
    let mut due =
        planned.iter().filter(|one| is_asked && one.standing.rules.is_enabled && !one.is_answered());
    // What a packet asks already goes first.
    let is_held = |status| matches!(status, Status::Waiting | Status::Blocked | Status::SentBack);
    let waits = loaded.as_ref().filter(|loaded| is_held(loaded.status()));
    let refused = loaded.as_ref().filter(|loaded| loaded.status() == Status::SentBack);
    let refused = refused.and_then(|loaded| loaded.asked.as_ref()).map(|asked| asked.name.clone());
    let asked = waits.and_then(|loaded| Some(loaded.asked.as_ref()?.name.clone()));
    let output = QuestionsPreview {
        step: step.to_string(),
        packet: loaded.as_ref().map(|loaded| project.relative(&loaded.path).shown().into_owned()),
        own_gate: own.map(|gate| gate.spec.topic.clone()),
        asked_now: asked.or_else(|| due.next().map(|one| one.standing.name.clone())),
        questions: planned.iter().map(|one| PreviewedQuestion::of(one, refused.as_deref(), lang)).collect(),
        decisions: decisions::of_step(project, loaded.as_ref(), step, AMPLE, lang).map(|told| told.text),
    };
    let (code, message) = output.message(is_passed, step.kind == REVIEW, lang);
    let mut lines: Vec<String> =
        output.questions.iter().enumerate().map(|(i, question)| question.line(i + 1, lang)).collect();
    lines.push(message.clone());
    lines.extend(output.decisions.iter().flat_map(|text| text.lines()).map(str::to_owned));
    session.output(Head::new("preview", ExitCode::Done, code, message), output, &lines)
}

impl QuestionsPreview {
    fn is_sent_back(&self, name: &str) -> bool {
        self.questions.iter().any(|question| question.name == name && question.state == "sent-back")
    }

    /// The code, and what is asked now.
    fn message(&self, is_passed: bool, is_review: bool, lang: Lang) -> (&'static str, String) {
        let step = &*self.step;
        let (code, sentence, part) = match (&self.own_gate, &self.asked_now) {
            (Some(topic), _) => (
                "own-gate",
                say(
                    "The packet of {0} brings a gate of its own, so no standing question is asked: {1}",
                    "{0} 的指令包自带门控，所以不问常设提问：{1}",
                ),
                topic.display(),
            ),
            _ if is_passed => (
                "passed",
                say("{0} lies behind the checkpoint: nothing is asked.", "{0} 在检查点之前：不会提问。"),
                "".into(),
            ),
            (None, Some(name)) if self.is_sent_back(name) => {
                ("preview", say("{0} is held: {1} is sent back.", "{0} 停在这里：{1} 已退回。"), name.into())
            }
            (None, Some(name)) => {
                ("preview", say("Before {0}, {1} is asked now.", "{0} 之前，现在要问的是 {1}。"), name.into())
            }
            _ if is_review => (
                "preview",
                say("Nothing is asked before steps of a review.", "复盘的步骤之前不会提问。"),
                "".into(),
            ),
            _ if self.questions.iter().any(|question| question.state == "answered") => (
                "preview",
                say("Everything that is asked before {0} is answered.", "{0} 之前要问的都已回答。"),
                "".into(),
            ),
            _ => ("preview", say("Nothing is asked before {0}.", "{0} 之前没有要问的。"), "".into()),
        };
        (code, sentence.fill(lang, &[step, &part]))
    }
}

impl PreviewedQuestion {
    /// `refused` is the name of the question that is sent back.
    fn of(planned: &Planned<'_>, refused: Option<&str>, lang: Lang) -> PreviewedQuestion {
        let Planned { standing, span, record } = planned;
        let valid = record.as_ref().and_then(|record| record.valid());
        let state = match record {
            _ if valid.is_some() => "answered",
            _ if refused == Some(&standing.name) => "sent-back",
            _ if !standing.rules.is_enabled => "off",
            Some(record) if !record.exists() => "waiting",
            _ => "blocked",
        };
        PreviewedQuestion {
            name: standing.name.clone(),
            topic: standing.spec.topic.clone(),
            span: span.to_string(),
            holds_for: span.text(lang),
            answer_path: span.place(&standing.name),
            state,
            answered_by: valid.map(|record| record.answered_by.clone()),
            answered_at: valid.map(|record| record.answered_at.clone()),
        }
    }

    fn line(&self, number: usize, lang: Lang) -> String {
        let state = match self.state {
            "answered" => say("answered by {0}, {1}", "已由 {0} 回答，{1}"),
            "waiting" => say("not answered yet", "还没有回答"),
            "sent-back" => say("sent back", "已退回"),
            "blocked" => say("the record is not valid", "记录无效"),
            _ => say("off", "关着"),
        };
        let [by, at] = [&self.answered_by, &self.answered_at]
            .map(|part| part.as_ref().map(|part| part.display().into_owned()).unwrap_or_default());
        let state = state.fill(lang, &[&by, &at]);
        let parts = [
            &number.to_string(),
            &*self.name,
            &self.topic.display(),
            &self.holds_for,
            &state,
            &self.answer_path,
        ];
        say("{0}. {1} ({2}), for {3}: {4}; {5}", "{0}. {1}（{2}），{3}：{4}；{5}").fill(lang, &parts)
    }
}
