//! What `next` prints.

use crate::adapter::canonical::Taken;
use crate::adapter::inquiry::DialogueEnd;
use crate::adapter::report::{
    CallReport, ContractRequest, MessageRequest, PartialAnswers, ReplyReport, RequestReport, ToolRequest,
};
use crate::ask::{Answer, AnswerSpec, Gate, object};
use crate::command::output::{AnswerPath, Head, Output, Problems, as_written, form};
use crate::command::sent_back::SentBackOutput;
use crate::exit::ExitCode;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

pub(in crate::command) const OUTPUT: Output = Output::new(
    "next-output",
    "What next prints. Exit 0 ask or done, 3 the dialogue ended without answers, 4 an invalid record is there, 8 the author sent it back.",
    &[
        form::<AskOutput<ToolRequest>>(&["ask"], &[0], &["ask"]),
        form::<AskOutput<MessageRequest>>(&["ask"], &[0], &["ask"]),
        form::<AskOutput<ContractRequest>>(&["ask"], &[0], &["ask"]),
        form::<DoneOutput>(&["done"], &[0], &["done"]),
        form::<AnsweredGate>(&["done"], &[0], &["already"]),
        form::<EndedOutput>(ENDS, &[3], ENDS),
        form::<SentBackForm>(&["sent-back"], &[8], &["sent-back"]),
        form::<BlockedOutput>(&["blocked"], &[4], &["answer_invalid"]),
        form::<RunOutput<'_>>(&["done"], &[0], &["done"]),
        form::<StoppedOutput<'_>>(ENDS, &[3], ENDS),
    ],
);

const ENDS: &[&str] = &["terminated", "deferred", "idle"];

/// A call that is to be made.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Ask{R}")]
pub(super) struct AskOutput<R = RequestReport> {
    #[serde(flatten)]
    pub(super) call: CallReport<R>,
    #[serde(flatten)]
    pub(super) report: ReplyReport,
}

/// Before a call.
pub(super) fn asking(first: &[String], lang: Lang) -> Head {
    let message = say("Make this call, then pass its reply back.", "请进行这次调用，再把回复交回来。");
    Head::new("ask", ExitCode::Done, "ask", [first, &[message.text(lang).to_owned()]].concat().join("\n"))
}

/// Everything is answered.
#[derive(Serialize, JsonSchema)]
pub(super) struct DoneOutput {
    /// How many replies have been taken.
    pub(super) seq: usize,
    #[serde(flatten)]
    pub(super) answered: AnsweredGate,
    /// The standing question that the step asks next; null if nothing else holds it up.
    pub(super) next_question: Option<String>,
    #[serde(flatten)]
    pub(super) report: ReplyReport,
}

/// The author has refused the step: there is no answer, and a reason.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SentBackForm")]
pub(super) struct SentBackForm {
    /// Why, and who says so.
    pub(super) sent_back: SentBackOutput,
}

/// A valid record is there; nothing is asked.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlreadyOutput")]
pub(super) struct AnsweredGate {
    /// Whether a valid record was there before.
    already: bool,
    answer_path: AnswerPath,
    /// The answers by question id.
    #[schemars(with = "BTreeMap<String, Answer>")]
    answers: Box<RawValue>,
    /// The record.
    #[schemars(with = "AnswerSpec")]
    answer_spec: Box<RawValue>,
    /// Whether it was written now.
    written: bool,
    /// What the agent that does the step is to be told, word for word; null if no record is there.
    decisions: Option<String>,
}

impl AnsweredGate {
    pub(super) fn new(
        record: &AnswerSpec,
        gate: Option<&Gate>,
        (already, written): (bool, bool),
        decisions: Option<String>,
    ) -> AnsweredGate {
        AnsweredGate {
            already,
            answer_path: AnswerPath::of(gate),
            answers: object(record.answers.iter().map(|(id, answer)| (id, answer))),
            answer_spec: as_written(record),
            written,
            decisions,
        }
    }
}

/// The dialogue about a gate ended without answers; nothing is written.
#[derive(Serialize, JsonSchema)]
pub(super) struct EndedOutput {
    /// How many replies have been taken.
    pub(super) seq: usize,
    #[serde(flatten)]
    pub(super) answers: PartialAnswers,
    #[serde(flatten)]
    pub(super) report: ReplyReport,
}

/// How a dialogue ended without answers.
pub(super) fn ended(end: DialogueEnd, lang: Lang) -> Head {
    let message = match end {
        DialogueEnd::Terminated => say(
            "The dialogue was stopped; nothing is written. --resume goes on from the same call.",
            "对话已停下；没有写入任何内容。--resume 可从同一个调用继续。",
        ),
        DialogueEnd::Deferred => say(
            "Questions were put off twice; nothing is written. --resume goes on from the same call.",
            "有问题被推迟了两次；没有写入任何内容。--resume 可从同一个调用继续。",
        ),
        DialogueEnd::Idle => say(
            "Nobody answered three calls in a row; nothing is written. --resume goes on from the same call.",
            "连续三次调用无人回答；没有写入任何内容。--resume 可从同一个调用继续。",
        ),
    };
    Head::new(end.name(), ExitCode::Waiting, end.name(), message.text(lang))
}

/// An invalid record is there; it is untouched.
#[derive(Serialize, JsonSchema)]
pub(super) struct BlockedOutput {
    pub(super) answer_path: AnswerPath,
    pub(super) problems: Problems,
}

/// A Canonical Prompt document has been run to its end.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RunOutput")]
pub(super) struct RunOutput<'d> {
    /// How many replies have been taken.
    pub(super) seq: usize,
    /// The steps that were taken.
    pub(super) path: Vec<Taken<'d>>,
    #[serde(flatten)]
    pub(super) report: ReplyReport,
}

/// The run of a document ended before its end.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StoppedOutput")]
pub(super) struct StoppedOutput<'d> {
    /// How many replies have been taken.
    pub(super) seq: usize,
    /// The step that was asked last.
    pub(super) step: Option<&'d str>,
    /// The steps that were taken.
    pub(super) path: Vec<Taken<'d>>,
    /// Steps that were put off.
    pub(super) put_off: Vec<&'d str>,
    #[serde(flatten)]
    pub(super) report: ReplyReport,
}
