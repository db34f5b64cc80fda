//! What a client is told of a gate.

use super::{AGAIN, End, Form, Place, Target, proposed_by};
use crate::ask::decision::PRINTED;
use crate::command::decisions;
use crate::command::mcp::tool::{GateOutput, Given, success};
use crate::command::output::Problems;
use crate::command::propose;
use crate::command::sent_back::{self, SentBackOutput, TOLD};
use crate::platform::paths::Shown as _;
use crate::store::file::is_relay;
use crate::store::gate::{self, Status};
use crate::store::lock::console_is_open;
use crate::text::{Lang, Sentence, say};
use serde_json::Value;
impl Place<'_> {
    /// What a call gives at its end.
    pub(in crate::command::mcp) fn tell(
        &mut self,
        target: &Target,
        form: Option<Form>,
        is_asked: bool,
        end: &End,
    ) -> Value {
        let lang = self.session.lang;
        // No state: taken back.
        let (state, record, problems) = match end {
            End::Found(loaded) => (Some(loaded.status()), loaded.record.valid(), loaded.problems()),
            End::Answered(record) => (Some(Status::Answered), Some(record), &[][..]),
            End::Malformed(problems) => (Some(Status::Malformed), None, &**problems),
            End::Unread => (Some(Status::Waiting), None, &[][..]),
            End::Declined => (None, None, &[][..]),
        };
        let is_question = is_relay(&target.packet);
        let propose = end.loaded().and_then(|loaded| propose::wanted(&target.project, loaded));
        let (status, message) = match state {
            None => {
                let sentence = say(
                    "The author has taken the question back and wants to answer it in your own conversation: ask there.",
                    "作者已把这个问题收回，想在你的对话里回答：请在那里提问。",
                );
                ("declined", sentence.text(lang).to_owned())
            }
            Some(Status::Waiting) => ("waiting", self.waiting(target, form, (end, propose.is_some()))),
            Some(Status::Answered) if is_question => {
                let by = record.map(|record| record.answered_by.display()).unwrap_or_default();
                let status = if is_asked { "answered" } else { "open" };
                (status, answered(form).fill(lang, &[&by]))
            }
            Some(Status::SentBack) => {
                ("sent-back", joined(&[self.refusal(target, end), self.to_propose(target, end)]))
            }
            Some(Status::Blocked) => {
                let sentence = say(
                    "{0} The author must repair or remove it: say so, and call wait_gate again.",
                    "{0}需要作者修复或删除它：请告诉作者，然后再次调用 wait_gate。",
                );
                ("blocked", sentence.fill(lang, &[&gate::verdict(Status::Blocked, false).text(lang)]))
            }
            Some(state) => (state.name(), gate::verdict(state, !problems.is_empty()).text(lang)),
        };
        let gate = match end {
            // The record of a question goes to the history when the answers are handed over.
            End::Found(loaded) if !is_question || state != Some(Status::Answered) => loaded.gate(),
            _ => None,
        };
        let is_open = !is_question && matches!(state, Some(Status::Answered | Status::NoGate));
        let decisions = if is_open { self.decisions(target, end) } else { None };
        let message = if decisions.is_some() { by_decisions(&message, lang) } else { message };
        success(&GateOutput {
            status,
            message,
            gate: target.packet.shown().into_owned(),
            record_path: gate.map(|gate| gate.answer_path.lossy().into_owned()),
            given: record.map(Given::of).unwrap_or_default(),
            decisions,
            sent_back: end.loaded().and_then(|loaded| SentBackOutput::of_reply(loaded.sent_back.as_ref())),
            propose,
            problems: (!problems.is_empty()).then(|| Problems::of(problems, lang)),
        })
    }

    /// What the author gave in place of an answer, and what to do.
    fn refusal(&self, target: &Target, end: &End) -> String {
        let lang = self.session.lang;
        let told = end.loaded().and_then(|loaded| {
            if is_relay(&target.packet) {
                return sent_back::told_of_question(loaded, sent_back::TOLD, lang);
            }
            sent_back::told_of_step(loaded, &target.packet, (AGAIN.text(lang), TOLD), lang)
        });
        told.unwrap_or_default()
    }

    /// What the client is to propose before it waits, a line for each question.
    fn to_propose(&self, target: &Target, end: &End) -> String {
        let told = |loaded| propose::told_by(&target.project, loaded, &proposed_by, self.session.lang);
        end.loaded().map(told).unwrap_or_default().join("\n")
    }

    /// What a step's agent is to be told; the client has it with that.
    fn decisions(&mut self, target: &Target, end: &End) -> Option<String> {
        let loaded = end.loaded()?;
        let told = decisions::of_packet(&target.project, loaded, PRINTED, self.session.lang)?;
        decisions::note(&mut self.session, &target.project, &loaded.path, &told, None, "wait_gate");
        Some(told.text)
    }

    /// What to do while nobody has answered; nobody can choose before what is wanted is proposed.
    fn waiting(&self, target: &Target, form: Option<Form>, (end, is_wanted): (&End, bool)) -> String {
        let lang = self.session.lang;
        let proposing = self.to_propose(target, end);
        if is_wanted {
            return proposing;
        }
        let wait = if form == Some(Form::Unfilled) {
            say(
                "Your form was closed without an answer; the question still waits in novel-gate. Call wait_gate with its gate.",
                "你的表单没有得到回答就关闭了；问题仍在 novel-gate 中等待。请用它的 gate 调用 wait_gate。",
            )
        } else {
            say(
                "The author has not answered yet. This is no failure: call wait_gate again.",
                "作者尚未回答。这不是失败：请再次调用 wait_gate。",
            )
        };
        if console_is_open(&target.state) {
            return joined(&[proposing, wait.text(lang).to_owned()]);
        }
        let alone = say(
            "{0} No console is open on this project: tell the author to run novel-gate in {1}.",
            "{0}这个项目没有打开控制台：请告诉作者在 {1} 中运行 novel-gate。",
        );
        joined(&[proposing, alone.fill(lang, &[wait.text(lang), &target.project.root().shown()])])
    }
}

/// That a question has its answer; {0} is who gave it.
fn answered(form: Option<Form>) -> Sentence {
    if form == Some(Form::Late) {
        return say(
            "The question was answered elsewhere first, by {0}: that answer counts, and not the form.",
            "这个问题已先在别处由 {0} 回答：以该回答为准，表单不算。",
        );
    }
    say("The author has answered.", "作者已回答。")
}

/// That a gate is open, and what the decisions beside it are for.
fn by_decisions(open: &str, lang: Lang) -> String {
    let says = say(
        "{0} Do the step by decisions; an agent that does it gets them word for word.",
        "{0}执行这一步时以 decisions 为准；交给代理去做的，要一字不差地交给它。",
    );
    says.fill(lang, &[open])
}

/// What there is of both, the second below the first.
fn joined(parts: &[String; 2]) -> String {
    parts.join("\n").trim().to_owned()
}
