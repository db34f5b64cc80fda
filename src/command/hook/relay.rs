//! Questions that an executor asks, asked in the console instead: the hook waits until the author has answered there, and
//! in the end leaves nothing behind.
//!
//! A call that belongs to the dialogue of a gate, as `next` prints it, is not asked twice: its gate already waits in the
//! console. The hook waits for that gate's record and then has the model run `next` again, which ends with the record. The
//! same holds if the author answered before the call was made.

use super::{Answering, Call, Decision, Verdict};
use crate::adapter::relay as mapping;
use crate::ask::problem::quote_in;
use crate::ask::{AnswerSpec, JsString, QuestionSpec, object, to_line};
use crate::command::output::raw;
use crate::command::wait::{Finding, Gates};
use crate::command::wake::{self, Wake};
use crate::command::{Session, steerless};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::StateDir;
use crate::store::clock::rfc3339_millis;
use crate::store::entry::Entry;
use crate::store::gate::{self, Status};
use crate::store::lock::console_is_open;
use crate::store::relay::{Asked, Relay, has_undelivered, is_relay};
use crate::store::scan;
use crate::text::{Sentence, say};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

/// How often to check that a console is open and that the relay packet is still there.
const TICK: Duration = Duration::from_secs(1);
/// How long no console may be open: one that is being restarted is away for a moment.
const AWAY: Duration = Duration::from_secs(3);
/// The dialogue of a gate that was answered longer ago than this is over.
const RECENT: Duration = Duration::from_mins(10);
/// So many UTF-16 units of a reason reach the model for certain; Claude Code cuts off what is behind 10,000.
const LONGEST: usize = 9_000;

enum RelayEnd {
    /// A gate is open: its place among the targets.
    Open(usize),
    /// The author removed or broke the packet.
    Declined,
    /// No console is open any more.
    Away,
    /// Nobody reads the decision any more.
    Closed,
    Signal(u8),
}

/// Asks the questions of a call in the console.
pub(super) fn ask(
    session: &mut Session<'_>,
    call: &Call<'_>,
    answering: Answering,
    always: bool,
) -> Result<Verdict, Error> {
    let state = session.state(&call.project)?;
    let questions = mapping::questions(call.executor, call.input)
        .map_err(|message| Error::of(ExitCode::Malformed, "unfit", message))?;
    if !always && !console_is_open(&state) && !has_undelivered(&call.project, &questions) {
        let sentence = say(
            "No console is open on this project; {0} asks itself.",
            "这个项目没有打开控制台；由 {0} 自己提问。",
        );
        return Err(Error::new(ExitCode::Waiting, "no-console", sentence, &[call.executor.title()]));
    }
    let (wake, wakes) = mpsc::channel();
    // First, so that a signal never leaves a relay packet behind.
    wake::on_signal(&wake)?;
    wake::on_output_closed(&wake)?;
    let mut waiter = Waiter { call, answering, state: &state, always, away: None, wake, wakes };
    let gates = gates_of(session, call, &questions);
    if gates.is_empty() { waiter.relay(session, &questions) } else { waiter.attend(session, gates) }
}

/// The gates whose dialogue a call belongs to: those that wait, else those that were answered just now.
fn gates_of(session: &Session<'_>, call: &Call<'_>, questions: &QuestionSpec) -> Vec<PathBuf> {
    let now = session.clock.now();
    let entries = scan::entries(&call.project, now);
    let is_new = |written: SystemTime| now.duration_since(written).unwrap_or_default() < RECENT;
    let belongs = |file: &PathBuf| {
        let loaded = gate::load(&call.project, file).ok();
        loaded.is_some_and(|loaded| {
            loaded.gate().is_some_and(|gate| mapping::belongs_to(questions, &gate.spec))
        })
    };
    let of = |wanted: &dyn Fn(&Entry) -> bool| -> Vec<PathBuf> {
        let entries = entries.iter().filter(|entry| wanted(entry) && !is_relay(&entry.path));
        entries.map(|entry| call.project.root().join(&entry.path)).filter(belongs).collect()
    };
    let waiting = of(&|entry| entry.status == Status::Waiting);
    if !waiting.is_empty() {
        return waiting;
    }
    of(&|entry| entry.status == Status::Answered && entry.record_modified.is_some_and(is_new))
}

/// A process that waits for the author.
struct Waiter<'v> {
    call: &'v Call<'v>,
    answering: Answering,
    state: &'v StateDir,
    always: bool,
    /// Since when no console is open.
    away: Option<Instant>,
    wake: Sender<Wake>,
    wakes: Receiver<Wake>,
}

impl Waiter<'_> {
    /// Asks as a gate of its own.
    fn relay(&mut self, session: &mut Session<'_>, questions: &QuestionSpec) -> Result<Verdict, Error> {
        let project = &*self.call.project;
        // The call that the gate stands for.
        let about = to_line(&object([
            ("session_id", self.call.word("session_id")),
            ("tool_use_id", self.call.word("tool_use_id")),
            ("since", rfc3339_millis(session.clock.now()).into()),
        ]));
        let asked = Asked { agent: self.call.executor.name(), spec: questions, call: &about };
        let relay = Relay::open(project, self.state, &asked)?;
        let mut gates = Gates::new(Arc::clone(&self.call.project), vec![project.root().join(relay.packet())]);
        let end = match self.wait(&mut gates, Some(&relay)) {
            Ok(end) => end,
            Err(error) => {
                relay.close(project, self.state, session.clock.now());
                return Err(error);
            }
        };
        let loaded = gates.targets[0].loaded.as_ref();
        if let (RelayEnd::Open(_), Some(loaded)) = (&end, loaded) {
            relay.settle(self.state, &loaded.record);
        }
        relay.close(project, self.state, session.clock.now());
        let answered = loaded.and_then(|loaded| Some((loaded.record.valid()?, &loaded.gate()?.answer_path)));
        match (end, answered) {
            (RelayEnd::Open(_), Some((record, place))) => {
                Ok(Verdict::Said(self.answered(session, questions, record, place)))
            }
            (end, _) => Ok(unanswered(session, self.call, &end)),
        }
    }

    /// Waits for gates that are in the console already.
    fn attend(&mut self, session: &mut Session<'_>, gates: Vec<PathBuf>) -> Result<Verdict, Error> {
        let mut gates = Gates::new(Arc::clone(&self.call.project), gates);
        let end = self.wait(&mut gates, None)?;
        let RelayEnd::Open(place) = end else { return Ok(unanswered(session, self.call, &end)) };
        if let Some(loaded) = &gates.targets[place].loaded {
            session.note_seen(&self.call.project, loaded);
        }
        let sentence = say(
            "The author has answered this gate in novel-gate: the record of {0} is there. Do not ask again. Run the command \
             of the dialogue once more without a reply; it ends with done.",
            "作者已在 novel-gate 中回答了这个门控：{0} 的记录已经就位。不要再问。请不带回复再运行一次对话的命令；它会以 done 结束。",
        );
        let reason = sentence.fill(session.lang, &[&gates.targets[place].shown]);
        Ok(Verdict::Said(Decision::new("deny", &reason)))
    }

    /// The answers as the model gets them; what their form has no place for, in sentences.
    fn answered(
        &self,
        session: &Session<'_>,
        questions: &QuestionSpec,
        record: &AnswerSpec,
        place: &JsString,
    ) -> Decision {
        let list = say("The answer to {0} is this list: {1}", "{0} 的回答是这个列表：{1}");
        let note = say("The author's note on {0}: {1}", "作者对 {0} 的备注：{1}");
        let lists = mapping::ambiguous(questions, &record.answers).into_iter();
        let notes = mapping::notes(questions, record).map(|(text, note)| (text.clone(), to_line(note)));
        let line = |sentence: Sentence, (question, text): (JsString, String)| {
            sentence.fill(session.lang, &[&quote_in(session.lang, &question), &text])
        };
        let lines: Vec<String> =
            lists.map(|entry| line(list, entry)).chain(notes.map(|entry| line(note, entry))).collect();
        let Call { executor, input, .. } = *self.call;
        if self.answering == Answering::Reason {
            let reason = say(
                "This is no refusal: the author has answered these questions in novel-gate. Take this as the output of the \
                 tool, and do not ask again: {0}",
                "这不是拒绝：作者已在 novel-gate 中回答了这些问题。请把下面的内容当作工具的输出，不要再问：{0}",
            );
            let output = mapping::output(executor, input, questions, record);
            let reason = reason.fill(session.lang, &[&output]);
            let all: Vec<String> = std::iter::once(reason).chain(lines).collect();
            let all = all.join("\n");
            let all = steerless(&all);
            if all.encode_utf16().count() <= LONGEST {
                return Decision::new("deny", &all);
            }
            let elsewhere = say(
                "This is no refusal: the author has answered these questions in novel-gate, at greater length than has room \
                 here. Read the answers with: novel-gate history {0} --json. Take them as the output of the tool, and do not ask again.",
                "这不是拒绝：作者已在 novel-gate 中回答了这些问题，只是篇幅太长，这里放不下。请运行 novel-gate history {0} --json \
                 读取回答，当作工具的输出，不要再问。",
            );
            return Decision::new("deny", &elsewhere.fill(session.lang, &[&place.lossy()]));
        }
        let reason = say("Answered by the author in novel-gate.", "作者已在 novel-gate 中回答。");
        Decision {
            updated_input: Some(raw(mapping::answered(input, questions, record))),
            additional_context: (!lines.is_empty()).then(|| lines.join("\n")),
            ..Decision::new("allow", reason.text(session.lang))
        }
    }

    /// Sleeps until one of the gates is open or nobody is left to wait for.
    fn wait(&mut self, gates: &mut Gates, relay: Option<&Relay>) -> Result<RelayEnd, Error> {
        let _watch = gates.watch(&self.wake)?;
        loop {
            let tick = Instant::now() + TICK;
            let until = gates.due().map_or(tick, |due| due.min(tick));
            let is_due = match wake::next(&self.wakes, Some(until)) {
                Some(Wake::Signal(number)) => return Ok(RelayEnd::Signal(number)),
                Some(Wake::Closed) => return Ok(RelayEnd::Closed),
                Some(Wake::Store(event)) => gates.take(event),
                None => gates.due().is_some_and(|due| due <= Instant::now()),
            };
            let found = if is_due { gates.look() } else { Vec::new() };
            if let Some(place) = gates.targets.iter().position(|target| target.open) {
                return Ok(RelayEnd::Open(place));
            }
            let is_withdrawn =
                found.iter().any(|found| matches!(found, Finding::Malformed(_) | Finding::Lost(_)));
            if is_withdrawn || relay.is_some_and(|relay| !relay.is_there()) {
                return Ok(RelayEnd::Declined);
            }
            if self.is_alone() {
                return Ok(RelayEnd::Away);
            }
        }
    }

    /// Whether nobody is left to answer.
    fn is_alone(&mut self) -> bool {
        if self.always || console_is_open(self.state) {
            self.away = None;
            return false;
        }
        self.away.get_or_insert_with(Instant::now).elapsed() >= AWAY
    }
}

/// Warns why there is no answer; the call goes on without a decision.
fn unanswered(session: &mut Session<'_>, call: &Call<'_>, end: &RelayEnd) -> Verdict {
    let sentence = match end {
        RelayEnd::Signal(number) => return Verdict::Signal(*number),
        RelayEnd::Closed => return Verdict::None,
        RelayEnd::Away => say(
            "The console was closed; {0} asks itself. Half-made answers are kept.",
            "控制台已关闭；由 {0} 自己提问。未完成的回答已保留。",
        ),
        RelayEnd::Declined | RelayEnd::Open(_) => say(
            "The question was taken back in the project; {0} asks itself.",
            "项目中的提问已被撤下；由 {0} 自己提问。",
        ),
    };
    session.warn(&[sentence.fill(session.lang, &[call.executor.title()])]);
    Verdict::None
}
